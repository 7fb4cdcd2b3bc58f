"""A lesson as it is done: its place, what it sets, what is measured, and why what was done is not yet right.

Lives on the document's thread and needs no Qt. A window shows what it says and calls what it offers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from psygnal import Signal

from mvexplorer.compute.run.scheduler import Outcome
from mvexplorer.engine.api.result import Embedding
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change, SetAside
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.answers import Answers
from mvexplorer.teaching.acts import act_done, do_act, on_the_way, panel_named, staged
from mvexplorer.teaching.bars import BAR, WORDS, BarWords, Value, bar_question
from mvexplorer.teaching.lesson import Check, Lesson, LessonAct, LessonStep
from mvexplorer.teaching.staging import Opened, OpenSourceJob, start_of, step_source


@dataclass(frozen=True)
class Measured:
    """A step's bar as it is now; `value` is None until there is one, and `fresh` once it is of the present pictures."""

    check: Check
    value: Value
    fresh: bool
    problem: str = ""
    """Why there is no value, in a sentence or two."""

    @property
    def met(self) -> bool:
        """Whether what is asked for is reached."""
        return self.fresh and self.check.met(self.value)

    @property
    def words(self) -> BarWords:
        """The bar's name and meaning, and the ends between which it is drawn."""
        return WORDS[self.check.bar]


class LessonRun:
    """One lesson at a time on a workbench. What it shows stands in the place of the user's document, kept meanwhile.

    `begin` and `leave` are its ends; `next`, `back`, `try_again` and `show_me` are its buttons. `step`, `measured`,
    `reason` and `solved` say what to show; `changed` tells that one of them may be another.
    """

    changed = Signal()

    def __init__(self, bench: Workbench) -> None:
        self._bench, self._document, self._controller = bench, bench.document, bench.controller
        self.lesson: Lesson | None = None
        self.place = 0
        """The step that is shown, from 0."""
        self.opening = False
        """Whether the step's data are still being read."""
        self.make_room: Callable[[], object] = lambda: None
        """Called as the user's document is about to go out of sight: it stays until the first data are there."""
        self._aside: SetAside | None = None
        self._source: tuple[str, ...] = ()
        self._opened: Opened | None = None
        self._start: DocumentState | None = None
        self._played_from: DocumentState | None = None
        self._answers = Answers(bench.controller)
        self._answers.changed.connect(lambda key: self.changed.emit())
        self._document.changed.connect(self._document_changed)
        self._controller.panel_changed.connect(self._panel_changed)
        bench.checks.changed.connect(self._panel_changed)

    # What to show -------------------------------------------------------------------------------------------

    @property
    def step(self) -> LessonStep | None:
        """The step that is shown; None where there is no lesson."""
        return None if self.lesson is None else self.lesson.steps[self.place]

    @property
    def measured(self) -> Measured | None:
        """The step's bar as it is now; None where it asks for nothing."""
        step, data = self.step, self._document.data
        if step is None or step.check is None or data is None or self.opening:
            return None
        check = step.check
        if check.bar == "p":
            return self._measured_p(check)
        question, latest = bar_question(check, self._document.state, data, self._pictures()), self._answers.of(BAR)
        if latest is None:
            return Measured(check, None, fresh=False)
        fresh = question is not None and self._answers.freshness(BAR, question.basis) == "current"
        return Measured(check, latest.value, fresh, "" if latest.error is None else str(latest.error))

    def _measured_p(self, check: Check) -> Measured:
        panel = panel_named(self._document.state, check.of[0])
        tests = None if panel is None else self._bench.checks.of(panel.id)
        band = None if tests is None else tests.null.get(check.view)
        fresh = tests is not None and tests.present and "null" not in tests.computing and band is not None
        return Measured(check, None if band is None else band.p, fresh, "" if tests is None else tests.problem)

    @property
    def solved(self) -> bool:
        """Whether the step's bar is reached, or it asks for nothing."""
        measured = self.measured
        return not self.opening and (measured is None or measured.met)

    @property
    def reason(self) -> str:
        """Why what was done fails, where that is one of the step's wrong acts; else empty."""
        step, data, measured = self.step, self._document.data, self.measured
        if step is None or data is None or measured is None or self._start is None:
            return ""
        if measured.met:
            return ""
        if reason := self._reason_of_test(step):
            return reason
        if not measured.fresh and measured.check.bar != "p":
            return ""
        return act_done(step, self._start, self._document.state, data, self._value_of)

    def _reason_of_test(self, step: LessonStep) -> str:
        """The reason of a wrong act that runs a test, where that test was run; else empty."""
        for wrong in step.wrong:
            for act in wrong.acts:
                panel = panel_named(self._document.state, act.of) if act.runs else None
                tests = None if panel is None else self._bench.checks.of(panel.id)
                if tests is None or not tests.present or "null" in tests.computing or act.view not in tests.null:
                    continue
                if len(tests.null[act.view].shuffled) <= int(act.value or 0):
                    return wrong.reason
        return ""

    def _value_of(self, view: str, rule: str) -> float | None:
        summary = self._controller.summaries.get(view)
        value = None if summary is None else summary.rules.get(rule)
        return value if isinstance(value, float) else None

    # What its buttons do --------------------------------------------------------------------------------------

    def begin(self, lesson: Lesson, place: int | None = None) -> None:
        """Show a lesson, at the step where it was left unless told otherwise; the user's document is kept."""
        kept = self._bench.settings.lesson_steps.get(lesson.id, 0)
        self.lesson, self._source, self._opened = lesson, (), None
        self._show(min(kept if place is None else place, len(lesson.steps) - 1))

    def next(self) -> None:
        """Show the following step: as the learner left this one where it is solved, else as its solution leaves it."""
        if self.lesson is not None and self.place + 1 < len(self.lesson.steps):
            self._show(self.place + 1, keeping=self.solved)

    def back(self) -> None:
        """Show the step before, as it begins."""
        if self.lesson is not None and self.place > 0:
            self._show(self.place - 1)

    def try_again(self) -> None:
        """Bring back the document in which the step began."""
        start, self._played_from = self._start, None
        if start is not None:
            self._bench.editor.attempt(lambda: self._document.apply("Try again", start))

    def show_me(self, share: float = 1.0) -> None:
        """Move what the solution moves a share from 0 to 1 of the way, as a hand would; at 1 all of it is done.

        A window plays it by calling this with growing shares; what has no way between is done at the end.
        """
        step = self.step
        if step is None:
            return
        start = self._played_from = self._played_from or self._document.state
        if share < 1.0:
            acts = [act for each in step.solution if (act := on_the_way(start, each, share)) is not None]
        else:
            acts, self._played_from = [*step.solution], None
        for act in acts:
            self._do(act, interactive=share < 1.0)
        if share >= 1.0:
            self._bench.editor.end_drag()

    def leave(self) -> None:
        """End the lesson, and give back the user's document and its history as they were."""
        aside, self._aside = self._aside, None
        self.lesson, self._start, self._opened = None, None, None
        self._answers.clear()
        self._controller.upright = False
        if aside is not None:
            self._document.bring_back(aside)
        self.changed.emit()

    def _do(self, act: LessonAct, *, interactive: bool) -> None:
        if not act.runs:
            self._bench.editor.attempt(lambda: do_act(self._document, act, interactive=interactive))
        elif (panel := panel_named(self._document.state, act.of)) is not None:
            self._bench.checks.null_test(panel.id, act.view, int(act.value or 0))

    # Steps ----------------------------------------------------------------------------------------------------

    def _show(self, place: int, *, keeping: bool = False) -> None:
        lesson = self.lesson
        if lesson is None:
            return
        self.place, self._played_from, source = place, None, step_source(lesson, place)
        self._answers.forget(BAR)  # the former step's may be another bar
        self._bench.edit_settings(lambda s: s.model_copy(update={"lesson_steps": {**s.lesson_steps, lesson.id: place}}))
        opened = self._opened if source == self._source else None
        if opened is None:
            self.opening = True
            self._controller.open(OpenSourceJob(source), lambda outcome: self._arrived(outcome, lesson, source))
        else:
            self._bench.editor.attempt(lambda: self._stage(lesson, opened, keeping=keeping))
        self.changed.emit()

    def _arrived(self, outcome: Outcome, lesson: Lesson, source: tuple[str, ...]) -> None:
        """Show the step's data, unless the learner has gone on meanwhile."""
        if self.lesson is not lesson or step_source(lesson, self.place) != source:
            return
        self.opening = False
        if outcome.error is not None:
            self._bench.editor.failed.emit(outcome.error)
        else:
            first, self._source, self._opened = self._opened is None, source, outcome.value
            self._bench.editor.attempt(lambda: self._stage(lesson, outcome.value, first=first))
        self.changed.emit()

    def _stage(self, lesson: Lesson, opened: Opened, *, first: bool = False, keeping: bool = False) -> None:
        """Set what the step sets, as one step of undo; the first thing that a lesson shows has nothing before it."""
        step = lesson.steps[self.place]
        if keeping:
            state = staged(self._document.state, opened.data, step.stage)
        else:
            state = start_of(lesson, self.place, opened)
        self._start = state
        self._controller.upright = True
        if self._aside is None:
            self.make_room()
            self._aside = self._document.set_aside(state, opened.data)
        elif first:
            self._document.reset(state, opened.data)
        else:
            other = opened.data if self._document.data is not opened.data else None
            self._document.apply(f"Lesson, step {self.place + 1}", state, data=other)
        self._measure()  # where the step sets nothing, no change of the document asks for its bar

    # Following the pictures -----------------------------------------------------------------------------------

    def _pictures(self) -> dict[str, Embedding]:
        results = self._controller.results.items()
        return {id: r.result.embedding for id, r in results if r.result is not None and not r.stale}

    def _panel_changed(self, panel: str) -> None:
        self._measure()

    def _document_changed(self, change: Change) -> None:
        self._measure()

    def _measure(self) -> None:
        """Ask for the step's bar, if it is not known of the present pictures."""
        step, data = self.step, self._document.data
        if step is None or data is None or self.opening:
            return
        if step.check is not None:
            question = bar_question(step.check, self._document.state, data, self._pictures())
            if question is not None:
                self._answers.ask(question)
        self.changed.emit()
