"""A lesson as frozen values: its steps, what each asks for, and what is measured to see whether it was done."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from mvexplorer.state.document.model import Scalar

Kind: TypeAlias = Literal["What you see", "Predict", "Do", "Why"]
KINDS: tuple[Kind, ...] = get_args(Kind)
BarId: TypeAlias = Literal["largest_gap", "order", "r2", "nmi", "pieces", "regime", "p", "agreement", "neighbours_kept"]
BARS: tuple[BarId, ...] = get_args(BarId)
Place: TypeAlias = Literal["tune", "compare", "validate", "inside"]
PLACES: tuple[Place, ...] = get_args(Place)
PANEL_AT = re.compile(r"panel ([1-9])")
"""A panel by its place, whatever it shows."""
MOST_WORDS = 60
"""Words of a step's prose."""


@dataclass(frozen=True)
class LessonAct:
    """One thing that a hand does, by the control it moves.

    `control` is ``epsilon_scale``, ``epsilon`` (of every ticked view), ``epsilon:VIEW``, ``view:VIEW`` (its tick),
    ``view_weights``, ``colour``, a shared parameter, ``method`` or ``permutation``. `of` names the panel of the last
    two, ``multiview``, ``single:view1`` or ``panel 2``; `view` is the view that a permutation test shuffles, and
    `value` the number of its runs.
    """

    control: str
    value: Scalar
    of: str = ""
    view: str = ""

    @property
    def runs(self) -> bool:
        """Whether it is a test to be run, which changes nothing in the document."""
        return self.control == "permutation"


@dataclass(frozen=True)
class Check:
    """A number of the present pictures and what it has to be; `of` names the panels or the view it is about.

    A regime has to be one of the words of verdicts, every other bar at least or at most a number.
    """

    bar: BarId
    of: tuple[str, ...]
    view: str = ""
    """The view that a permutation test shuffles."""
    at_least: float | None = None
    at_most: float | None = None
    equals: str = ""

    def met(self, value: float | str | None) -> bool:
        """Whether a measured value is what is asked for; None is not."""
        if value is None or isinstance(value, str):
            return bool(self.equals) and value == self.equals
        low = -float("inf") if self.at_least is None else self.at_least
        high = float("inf") if self.at_most is None else self.at_most
        return low <= value <= high

    @property
    def target(self) -> str:
        """The demand in words: ``at most 0.8``."""
        if self.equals:
            return self.equals
        return f"at least {self.at_least:g}" if self.at_least is not None else f"at most {self.at_most:g}"


@dataclass(frozen=True)
class WrongAct:
    """An act that a hand may do instead, and the reason why that fails."""

    acts: tuple[LessonAct, ...]
    reason: str


@dataclass(frozen=True)
class Stage:
    """The settings of a step, made before the learner sees it; all others stay as they are.

    `source` is a sample, a generator with its keywords, or tables that lie beside the lesson; with one, everything
    begins as these data open. `methods` are the panels, ``multiview`` or ``single:view1``, none where they stay.
    """

    source: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    views: tuple[str, ...] = ()
    acts: tuple[LessonAct, ...] = ()
    place: Place | None = None


@dataclass(frozen=True)
class LessonStep:
    """One card: words, what is set first, and in a *Do* what is asked for, measured, shown and explained."""

    kind: Kind
    prose: str
    stage: Stage = field(default_factory=Stage)
    point: str = ""
    """The one control that the learner is pointed to, as `LessonAct` names controls, or ``regime`` and the like."""
    ask: str = ""
    check: Check | None = None
    solution: tuple[LessonAct, ...] = ()
    wrong: tuple[WrongAct, ...] = ()
    claims: tuple[Check, ...] = ()
    """Its words on the pictures as they stand then: nobody is shown these, the check of lessons holds them."""


@dataclass(frozen=True)
class Lesson:
    """One idea in a few minutes; `idea` is the line to remember."""

    id: str
    title: str
    minutes: int
    idea: str
    sample: tuple[str, ...]
    steps: tuple[LessonStep, ...]

    @property
    def topic(self) -> str:
        """Its title as a button has room for: without what a colon explains."""
        return self.title.partition(":")[0]

    def as_dict(self) -> dict[str, Any]:
        """The facts of a list of lessons."""
        return {"id": self.id, "title": self.title, "minutes": self.minutes, "steps": len(self.steps)}
