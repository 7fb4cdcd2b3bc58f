"""The surroundings and the walk of the kept sample, computed while no panel is being computed."""

from __future__ import annotations

from collections.abc import Mapping

from psygnal import Signal

from mvexplorer.compute.jobs.cost import cost_of_scores
from mvexplorer.compute.jobs.point_jobs import FarthestJob, StepsJob, Surroundings, SurroundingsJob
from mvexplorer.compute.run.scheduler import Outcome
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.kernels.affinities import Kernel
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.colourings.deriving import Ground
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.model import panel_kernel
from mvexplorer.state.document.titles import panel_title
from mvexplorer.state.pictures.answers import Answer, Answers, Question
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor

NEAR, WALK, SPREAD = "near", "walk", "spread"


def near_question(
    data: MultiView,
    sample: int,
    k: int,
    views: Mapping[int, tuple[Kernel, float | None]],
    pictures: Mapping[str, Embedding],
) -> Question:
    """Ask who is near a sample, in views as `SurroundingsJob` takes them and in pictures by their panels."""
    cost = cost_of_scores(data.n_samples, max((e.coordinates.shape[1] for e in pictures.values()), default=0))
    job, title = SurroundingsJob(data, sample, k, views, pictures), f"Neighbours of {data.sample_ids[sample]}"
    return Question(NEAR, (data, sample, k, views, *pictures, *pictures.values()), job, title, cost, "point")


def spread_question(coordinates: Array, sample: int, count: int) -> Question:
    """Ask for samples that spread over a picture (M, r) from one of them."""
    job, title = FarthestJob(coordinates, sample, count), f"Spread {count} samples"
    return Question(SPREAD, (coordinates, sample, count), job, title, cost_of_scores(*coordinates.shape), "spread")


class Inspector:
    """Answers what the card of the kept sample asks; the walk is that of the panel in the editor's focus."""

    changed = Signal()
    """Answers have come, or are out of date."""

    def __init__(self, controller: Controller, editor: Editor) -> None:
        self._controller, self._editor, self._document = controller, editor, controller.document
        self._answers = Answers(
            controller, controller.scheduler,
            stopped=("It was stopped.", "It is computed again when the picture or a choice changes."),
        )  # fmt: skip
        self._answers.changed.connect(lambda _: self.changed.emit())
        controller.panel_changed.connect(lambda _: self.ask())
        controller.summary_changed.connect(lambda _: self.ask())
        editor.focus_changed.connect(lambda _: self.ask())
        self._document.changed.connect(self._document_changed)

    @property
    def kept(self) -> int | None:
        """The kept sample, among those on show."""
        return self._document.state.point.sample_of(self._document.data)

    @property
    def panel(self) -> str | None:
        """The panel whose walk the card shows: the one in focus, else the first."""
        panels = self._document.state.panels
        focused = self._editor.focused
        return focused if any(p.id == focused for p in panels) else next((p.id for p in panels), None)

    @property
    def has_walk(self) -> bool:
        """Whether the method of that panel is a walk on the samples."""
        shown = self._document.state.find_panel(self.panel or "")
        return shown is not None and get_method(shown.method).walk is not None

    @property
    def surroundings(self) -> Surroundings | None:
        """Who is near the kept sample; while that is computed anew, the former answer."""
        near = self._answers.of(NEAR)
        return None if near is None or near.value is None or near.value.sample != self.kept else near.value

    @property
    def lost(self) -> MVExplorerError | None:
        """Why there are no surroundings."""
        near = self._answers.of(NEAR)
        return None if near is None else near.error

    @property
    def _walk(self) -> Answer | None:
        walk = self._answers.of(WALK)
        return None if walk is None or walk.basis[0] != self.panel or self._answers.waits(WALK) else walk

    @property
    def steps(self) -> Array | None:
        """Probabilities (B, M) of the focused panel's walk; None where it has none, or they are not there yet."""
        return None if self._walk is None else self._walk.value

    @property
    def problem(self) -> MVExplorerError | None:
        """Why there are no probabilities."""
        return None if self._walk is None else self._walk.error

    @property
    def walk_views(self) -> tuple[str, ...]:
        """The views that those probabilities tell apart; of one kernel none matter."""
        return () if self._walk is None else self._walk.basis[1].views

    def epsilon(self, view: str) -> float | None:
        """The ε of a view, once known."""
        return self._controller.effective_epsilon(view)

    def _document_changed(self, change: Change) -> None:
        another = change.data_changed or change.before.point.kept != change.after.point.kept
        if another:
            for key in (NEAR, WALK):
                self._answers.forget(key)
        if (not change.interactive and self._ask()) or another:
            self.changed.emit()

    def ask(self) -> None:
        """Compute what is not known of the kept sample, unless a panel is being computed."""
        if self._ask():
            self.changed.emit()

    def _ask(self) -> bool:
        """Submit the questions that are new; True if the former answer about the walk was dropped."""
        data, kept = self._document.data, self.kept
        state = self._document.state
        results = {p.id: self._controller.result(p.id) for p in state.shown}
        moving = any(r.status == "computing" or (r.request and r.request.interactive) for r in results.values())
        if data is None or kept is None or moving:
            return False
        ground = Ground(state, data, self._controller.result)
        shown = {id: r.embedding for id in results if (r := ground.shown(id)) is not None}
        views = {
            data.view_index(v.name): (panel_kernel(state, None, v.name), self._controller.effective_epsilon(v.name))
            for v in state.views
            if v.enabled and v.name in data.view_names
        }
        k = min(state.point.neighbours, data.n_samples - 1)
        near = near_question(data, kept, k, views, shown)
        self._answers.ask(near)
        panel = self.panel
        if panel not in shown or not self.has_walk:
            self._answers.forget(WALK)
            return True
        request = results[panel].request
        cost = near.cost if request is None else request.plan.cost(self._controller.scheduler.memory)
        walk = StepsJob(shown[panel], kept, state.point.steps, state.point.start)
        basis = panel, shown[panel], kept, state.point.steps, state.point.start
        return self._answers.ask(Question(WALK, basis, walk, "Transition probabilities", cost, "point-walk"))

    def spread(self, count: int) -> None:
        """Select samples that spread over the focused panel's picture from the kept one."""
        panel, kept, data = self.panel, self.kept, self._document.data
        shown = None if panel is None else self._document.state.find_panel(panel)
        coordinates = self._controller.coordinates().get(panel or "")
        if kept is None or data is None or shown is None or coordinates is None or len(coordinates) != data.n_samples:
            return
        picture = panel_title(self._document.state, shown)

        def arrived(outcome: Outcome) -> None:
            if outcome.value is not None and self._document.data is data and self.kept == kept:
                self._editor.select_spread(outcome.value.tolist(), count, picture)

        question = spread_question(coordinates, kept, count)
        assert question.job is not None
        self._controller.scheduler.submit(
            question.slot, question.job, arrived, title=question.title, cost=question.cost
        )
