"""The documents between which the reader of a lesson's page chooses: those that a step is about, but for their ε."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import DocumentState, declared_param
from mvexplorer.state.document.titles import colour_words, panel_title
from mvexplorer.teaching.acts import after, panel_named
from mvexplorer.teaching.lesson import LessonAct, LessonStep
from mvexplorer.wording import number

ETAS = (0.25, 0.5, 0.75, 0.9, 0.99)
"""The η that are offered wherever a step is about η."""


@dataclass(frozen=True, eq=False)
class StepOffer:
    """One document to choose, in a few words; `tests` are those that were run on it."""

    words: str
    state: DocumentState
    tests: tuple[LessonAct, ...] = ()

    def is_for(self, state: DocumentState, acts: Sequence[LessonAct]) -> bool:
        """Whether acts that lead to a document, but for its ε, lead here."""
        return at_scale(state, 1.0) == at_scale(self.state, 1.0) and self.tests == _tests(acts)


def at_scale(state: DocumentState, factor: float) -> DocumentState:
    """The document at this factor on every ε."""
    return updated(state, {"epsilon_scale": factor})


def step_offers(step: LessonStep, start: DocumentState, data: MultiView) -> tuple[StepOffer, ...]:
    """The start of a step, and where solution and wrong acts lead from it in the order of words, each document once."""
    each = [(), step.solution, *(wrong.acts for wrong in step.wrong)]
    if any(act.control == "eta" for acts in each for act in acts):
        each += [(LessonAct("eta", eta),) for eta in ETAS]
    controls = tuple(dict.fromkeys(act for acts in each for act in map(_control, acts) if act != "epsilon_scale"))
    offers = list[StepOffer]()
    for acts in each:
        state = after(start, data, acts)
        if not any(offer.is_for(state, acts) for offer in offers):
            offers.append(StepOffer(_words(start, state, _tests(acts), controls, data), state, _tests(acts)))
    return (offers[0], *sorted(offers[1:], key=lambda offer: offer.words))


def _tests(acts: Sequence[LessonAct]) -> tuple[LessonAct, ...]:
    return tuple(act for act in acts if act.runs)


def _control(act: LessonAct) -> str:
    """A control by the words that tell its value: all ticks are told together."""
    name = act.control.partition(":")[0]
    return f"method:{act.of}" if name == "method" else name if name in ("view", "permutation") else act.control


def _words(
    start: DocumentState, state: DocumentState, tests: Sequence[LessonAct], controls: Sequence[str], data: MultiView
) -> str:
    """A document by what is other in it than where the step begins; that one by all that can be changed."""
    own, before = (
        {each: _told(one, run, each, data) for each in controls} for one, run in ((state, tests), (start, ()))
    )
    others = [words for each, words in own.items() if words != before[each]]
    return ", ".join(others or own.values())


def _told(state: DocumentState, tests: Sequence[LessonAct], control: str, data: MultiView) -> str:
    """A control's value in words."""
    name, _, of = control.partition(":")
    if name == "permutation":
        return ", ".join(f"{test.view} shuffled {test.value} times" for test in tests) or "no test"
    if name == "view":
        return " + ".join(state.enabled)
    if name == "view_weights":
        return f"weights: {'equal volume' if state.equal_volume else 'as the kernels come'}"
    if name == "colour":
        return f"colour: {colour_words(state.colour, data)}"
    if name == "epsilon":
        return f"ε of {of}: {state.view(of).epsilon}" if of else f"ε: {state.view(state.enabled[0]).epsilon}"
    if name == "method":
        panel = panel_named(state, of)
        return f"{of}: {'' if panel is None else panel_title(state, panel)}"
    declared, value = declared_param(control), state.params.get(control)
    words = {None: "as usual", True: "yes", False: "no"}
    shown = words[value] if isinstance(value, bool) or value is None else value
    label = control if declared is None else declared.label
    return f"{label}: {number(shown) if isinstance(shown, float) else shown}"
