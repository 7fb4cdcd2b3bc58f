"""A request to the engine: a frozen copy of the settings at one moment."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mvexplorer.engine.api.result import Embedding
    from mvexplorer.engine.bandwidth.table import Bandwidth
    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.engine.core.params import Value
    from mvexplorer.engine.kernels.affinities import Kernel
    from mvexplorer.engine.spectral.warm_start import PreviousSolution


@dataclass(frozen=True)
class Request:
    """One embedding to compute. Two requests are equal exactly when their answers are.

    `views` are the views offered to the method, `epsilon` and `kernels` one bandwidth and one kernel for each of them.
    """

    data: MultiView
    method: str
    views: tuple[str, ...]
    epsilon: tuple[Bandwidth, ...]
    kernels: tuple[Kernel, ...]
    params: tuple[tuple[str, Value], ...] = ()
    random_state: int = 0
    subsample: int | None = None
    interactive: bool = False
    """The user is dragging: a visually good answer now beats the exact one later."""
    start: tuple[Embedding | PreviousSolution, ...] = field(default=(), compare=False, repr=False)
    """Former answers, the latest last: the solver starts from a prediction by them."""
