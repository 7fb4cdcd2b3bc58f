"""What a row of the table is: two ways to do the same work, or one measurement with a bar."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

OWN = "ours"
"""The environment that runs this command, with mvexplorer in it."""

THREADS = int(os.environ.get("MVEXPLORER_BENCHMARK_THREADS", "1"))
"""Threads on either side: BLAS threads for a rival, threads for rows of matrices for mvexplorer."""

SMALL = bool(os.environ.get("MVEXPLORER_BENCHMARK_SMALL"))
"""Whether rows run in their smallest form, which measures nothing and shows that they can start."""
_Size = TypeVar("_Size")


def sized(full: _Size, small: _Size) -> _Size:
    """A size of the work, or the one that it has in a row's smallest form."""
    return small if SMALL else full


SAMPLE = sized("uci-digits", "circles")
"""The sample that stands for somebody's data."""


@dataclass(frozen=True)
class Prepared:
    """Work that is ready to be timed: data made, distances there."""

    work: Callable[[], Any]
    warm_up: Callable[[], object] | None = None
    """Called once before the clock starts; by default the work itself."""
    values: Callable[[Any], Any] | None = None
    """Numbers (k,) in what the work returned, to be compared with the other side's; not timed."""
    pieces: int = 1
    """Of how many equal pieces the work consists: times are for one."""


Prepare = Callable[[], Any]
"""Prepares the work and returns it as `Prepared`; what returns anything else is itself the work."""


@dataclass(frozen=True)
class Comparison:
    """Two ways to do the same work, and the ratio of their times that is promised."""

    name: str
    goal: float | None
    ours: Prepare
    rival: Prepare
    rival_name: str
    pairs: int = 10
    environment: str = OWN
    """Where the rival runs; see `environments`."""
    at_most: bool = False
    """The goal bounds ours / rival from above, instead of rival / ours from below."""
    tolerance: float | None = None
    """How far the `values` of the two may lie apart."""
    wall: bool = False
    """Compare wall time; otherwise CPU time, which other people's work on the machine disturbs less."""
    display: bool = False
    """Whether both sides need a screen, real or virtual."""


CONTROL = " of a control"
"""What the same measurement gives with none of the program's own work in it, at the same minute."""


@dataclass(frozen=True)
class Limit:
    """Numbers that must stay below a bar, or above one, by unit; `measure` returns the same units and maybe others.

    Where it returns a unit with `CONTROL` behind it as well, three times that number is allowed.
    """

    name: str
    goals: Mapping[str, float]
    measure: Callable[[], Mapping[str, float]]
    rounds: int = 3
    at_least: Mapping[str, float] = field(default_factory=dict)
    environment: str = field(default=OWN, init=False)


Row = Comparison | Limit
