"""What is asked of the engine, captured at one moment and never changed afterwards."""

from __future__ import annotations

from dataclasses import dataclass

from mvexplorer.engine.bandwidth import Bandwidth
from mvexplorer.engine.multiview import MultiView
from mvexplorer.engine.params import Value


@dataclass(frozen=True)
class Request:
    """One embedding to compute. Two requests are equal exactly when their answers are.

    `views` are the views offered to the method, `epsilon` one bandwidth for each of them.
    """

    data: MultiView
    method: str
    views: tuple[str, ...]
    epsilon: tuple[Bandwidth, ...]
    params: tuple[tuple[str, Value], ...] = ()
    random_state: int = 0
