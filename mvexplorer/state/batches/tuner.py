"""Bandwidths chosen by a score while the window lives: one view's after another, or each panel's own factor.

Lives on the document's thread.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from psygnal import Signal

from mvexplorer.compute.batch.tuning import Judge, OwnScaleJob, TuneJob, TuneStep, at, score_text
from mvexplorer.compute.jobs.request import Request
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.batches.own_epsilon import OwnEpsilon, own_request
from mvexplorer.state.batches.tuning import BY_DEFAULT, check_tunable, judge_of, scores_to_choose_by
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.model import PanelState, sharing
from mvexplorer.state.document.titles import panel_title, panel_titles
from mvexplorer.state.pictures.answers import Answer, Answers, Question, same
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.requests import request_of
from mvexplorer.state.pictures.scoring import hidden_source
from mvexplorer.wording import counted

STOPPED = "Tuning was stopped.", "Start it again."
IN_TURN = "tune"


class Tuner:
    """Keeps which score chooses, what was asked, and what came of it."""

    changed = Signal()
    told = Signal(str, str)
    """What came of it, in a sentence, and a hint."""

    def __init__(self, controller: Controller, editor: Editor) -> None:
        self._controller, self._editor, self._document = controller, editor, controller.document
        self._answers = Answers(controller, stopped=STOPPED)
        self._answers.changed.connect(self._answered)
        self._document.changed.connect(self._document_changed)
        self.steps: tuple[TuneStep, ...] = ()
        """What became of each view the last time that they were tuned in turn."""
        self.coming: tuple[TuneStep, ...] = ()
        """The steps that are known while the others are being computed; no ε has moved yet."""
        self._score = BY_DEFAULT
        self._wanted: tuple[str, ...] = ()
        """The panels whose own factors are awaited, to be given in one step."""

    @property
    def scores(self) -> dict[str, str]:
        """The titles of the scores that can choose, by id."""
        data = self._document.data
        return {} if data is None else scores_to_choose_by(self._document.state, data)

    @property
    def score(self) -> str:
        """The id of the score that chooses; empty where the data has none."""
        scores = self.scores
        return self._score if self._score in scores else next(iter(scores), "")

    def choose_by(self, score: str) -> None:
        """Let another score choose from now on."""
        self._score = score
        self.changed.emit()

    @property
    def busy(self) -> bool:
        """Whether something is being chosen."""
        return bool(self._answers.waiting)

    def stop(self) -> None:
        """Stop choosing; nothing is changed then."""
        waiting, self._wanted, self.coming = self._answers.waiting, (), ()
        for key in waiting:
            self._answers.drop_job(key)
        if waiting:
            self.told.emit(*STOPPED)
            self.changed.emit()

    # One view after another ---------------------------------------------------------------------------------

    @property
    def panel(self) -> PanelState | None:
        """The panel whose picture is looked at: the one in focus, else the first."""
        state = self._document.state
        focused = None if self._editor.focused is None else state.find_panel(self._editor.focused)
        return focused or (state.shown[0] if state.shown else None)

    def tune(self) -> None:
        """Tune each view's ε in turn by the picture of the panel in focus."""
        panel, data = self.panel, self._document.data
        if panel is None or data is None:
            return
        try:
            request = request_of(self._document.state, data, panel)
            check_tunable(request)
            judge = judge_of(self._document.state, data, self.score)
        except MVExplorerError as error:
            self._editor.failed.emit(error)
            return
        job = TuneJob(request, judge)
        cost, basis = job.cost(self._controller.scheduler.memory), (*self._basis(panel), *self._judged(judge))

        def made(steps: tuple[TuneStep, ...]) -> tuple[str, Request, Judge, tuple[TuneStep, ...]]:
            return panel.id, request, judge, steps

        self._answers.forget(IN_TURN)
        self.coming = ()
        self._answers.ask(Question(IN_TURN, basis, job, job.title, cost, IN_TURN, made, hear=self._comes))
        self.changed.emit()

    def _comes(self, step: TuneStep) -> None:
        self.coming = (*self.coming, step)
        self.changed.emit()

    def _tuned(self, answer: Answer) -> None:
        """Make each step an edit of its own; nothing where something was changed meanwhile."""
        if answer.error is not None:
            self.told.emit(answer.error.message, answer.error.hint)
            return
        id, request, judge, steps = answer.value
        panel = self._document.state.find_panel(id)
        if panel is None or not same(answer.basis, (*self._basis(panel), *self._judged(judge))):
            self.told.emit("Something was changed meanwhile: every ε stays.", "Tune again.")
            return
        self.steps, moved = steps, [step for step in steps if step.epsilon != step.former]
        self._document.end_merge()  # an edit of the same ε before is a step of its own
        for step in moved:
            self._move(id, request, step)
        title = panel_title(self._document.state, self._document.state.panel(id))
        if not moved:
            self.told.emit(f"Every ε of {title} stays, {judge.basis}. {' '.join(step.sentence for step in steps)}", "")
            return
        reached = f"{score_text(steps[0].before)} → {score_text(steps[-1].after)}"
        count = f"{reached}, {counted(len(moved), 'view')} of {len(steps)} moved"
        text = f"{title}, {judge.basis}: {count}. {' '.join(step.sentence for step in steps)}"
        self.told.emit(text, "Undo takes back one view after another.")

    def _move(self, panel: str, request: Request, step: TuneStep) -> None:
        """Set the ε of one view so that the panel has what was chosen."""
        state, i = self._document.state, request.views.index(step.view)
        shown = state.panel(panel)
        chosen = at(request, i, step.former, step.epsilon).epsilon[i]
        pinned = f"epsilon:{step.view}" in shown.pins
        scale = shown.epsilon_scale * (1.0 if pinned else state.factor(step.view))
        given = replace(chosen, factor=chosen.factor / scale).given
        if pinned:
            self._editor.set_pin(panel, f"epsilon:{step.view}", given)
        else:
            self._editor.set_epsilon(step.view, given)
        self._document.end_merge()

    # Each panel at its own ε --------------------------------------------------------------------------------

    def look(self) -> None:
        """Score every panel on show along the factor on its ε; no ε is changed."""
        self._ask_own()
        self.changed.emit()

    def give_own(self) -> None:
        """Give every panel on show the factor on its ε at which the score is best, as one step."""
        self._wanted = self._ask_own()
        self._give_if_all()
        self.changed.emit()

    def _ask_own(self) -> tuple[str, ...]:
        """Ask for the best factor of every panel on show; returns the panels that have an ε."""
        state, data = self._document.state, self._document.data
        if data is None:
            return ()
        try:
            judge = judge_of(state, data, self.score)
        except MVExplorerError as error:
            self._editor.failed.emit(error)
            return ()
        requests = {p.id: r for p in state.shown if (r := own_request(state, data, p)) is not None}
        titles = panel_titles(sharing(state))
        for id, request in requests.items():
            panel = state.panel(id)
            job = OwnScaleJob(request, judge)
            title = f"{titles[id]} at its own ε"
            basis = (*self._own_basis(panel), *self._judged(judge))
            cost, made = job.cost(self._controller.scheduler.memory), partial(OwnEpsilon, judge)
            self._answers.ask(Question(id, basis, job, title, cost, f"own-epsilon:{id}", made), again=True)
        if not requests:
            self.told.emit("No panel on show has an ε.", "Add one that has, such as multi-view.")
        return tuple(requests)

    def share(self) -> None:
        """Let all panels have the same ε again."""
        self._wanted = ()
        self._editor.set_own_scales({p.id: 1.0 for p in self._document.state.panels if p.epsilon_scale != 1.0})

    @property
    def differs(self) -> bool:
        """Whether some panel has an ε of its own."""
        return any(panel.epsilon_scale != 1.0 for panel in self._document.state.panels)

    def own(self, panel: PanelState) -> OwnEpsilon | None:
        """Return what is known of a panel's own ε; None once its settings are others."""
        answer = self._answers.of(panel.id)
        if answer is None or not isinstance(answer.value, OwnEpsilon):
            return None
        basis = self._own_basis(panel)
        return answer.value if same(answer.basis[: len(basis)], basis) else None

    def problem(self, panel: PanelState) -> MVExplorerError | None:
        """Return why a panel was not scored at its present settings."""
        answer, basis = self._answers.of(panel.id), self._own_basis(panel)
        return None if answer is None or not same(answer.basis[: len(basis)], basis) else answer.error

    def _give_if_all(self) -> None:
        """Give the factors once all have come; what was edited meanwhile has none."""
        if not self._wanted or any(self._answers.waits(id) for id in self._wanted):
            return
        state = self._document.state
        wanted, self._wanted = self._wanted, ()
        panels = [panel for id in wanted if (panel := state.find_panel(id)) is not None]
        found = {panel.id: own for panel in panels if (own := self.own(panel)) is not None}
        failed = [answer.error for id in wanted if (answer := self._answers.of(id)) is not None and answer.error]
        if not found:
            error = failed[0] if failed else None
            text = error.message if error else "Something was changed meanwhile: no panel was given an ε of its own."
            self.told.emit(text, error.hint if error else "Start it again.")
            return
        scales = {id: own.scale.factor for id, own in found.items()}
        basis = next(iter(found.values())).judge.basis
        moved = sum(scale != 1.0 for scale in scales.values())
        self._editor.set_own_scales(scales)
        text = f"Each panel at its own ε, {basis}: {counted(moved, 'panel')} of {len(scales)} moved."
        text += "".join(f" {counted(len(failed), 'panel')} could not: {error.message}" for error in failed[:1])
        within = all(own.scale.why == "within" and own.scale.spread is not None for own in found.values())
        stays = "Each is as good as the best tried: no need to move." if within else ""
        self.told.emit(text, "Undo takes it back." if moved else stays)

    # Answers ------------------------------------------------------------------------------------------------

    def _answered(self, key: Any) -> None:
        answer = self._answers.of(key)
        if key == IN_TURN and answer is not None:
            self._answers.forget(IN_TURN)
            self.coming = ()
            self._tuned(answer)
        elif key != IN_TURN:
            self._give_if_all()
        self.changed.emit()

    def _document_changed(self, change: Change) -> None:
        if change.kept_in is not None:
            change.kept_in[self] = self.steps
        if change.data_changed:  # the jobs have ended without an answer
            self._wanted, self.steps, self.coming = (), (), ()
            if change.brought is None:  # the answers have theirs already
                self._answers.clear()
            else:
                self.steps = change.brought.get(self, ())
            self.changed.emit()

    def _judged(self, judge: Judge) -> tuple[Any, ...]:
        """All that a judge looks at: the score, the hidden variable, and the views."""
        data = self._document.data
        hidden = "" if data is None or judge.hidden is None else hidden_source(self._document.state, data)
        return judge.score, hidden, judge.views

    def _basis(self, panel: PanelState) -> tuple[Any, ...]:
        """All that a panel's picture depends on."""
        return (*self._own_basis(panel), panel.epsilon_scale)

    def _own_basis(self, panel: PanelState) -> tuple[Any, ...]:
        """The same, but for the panel's own factor."""
        state, data = self._document.state, self._document.data
        request = own_request(state, data, panel)
        given = (None,) * 4 if request is None else (request.epsilon, request.kernels, request.params, request.views)
        return (data, panel.method, *given, state.random_state, state.subsample)
