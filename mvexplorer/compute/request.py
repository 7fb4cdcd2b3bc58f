"""What is asked of the engine, captured at one moment and never changed afterwards."""

from __future__ import annotations

from dataclasses import dataclass, field

from mvexplorer.engine.bandwidth import Bandwidth
from mvexplorer.engine.kernels import Kernel
from mvexplorer.engine.multiview import MultiView
from mvexplorer.engine.params import Value
from mvexplorer.engine.spectral import Decomposition


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
    draft: bool = False
    """A hand is moving: an approximate answer now, from `start`, beats the exact one later."""
    start: Decomposition | None = field(default=None, compare=False, repr=False)
    """The former answer's decomposition."""
