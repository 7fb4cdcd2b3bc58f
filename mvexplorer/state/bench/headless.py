"""A session or a comparison without a window: the same document, controller and requests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from mvexplorer.compute.batch.tuning import Judge
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.analysis.agreement import Agreement, Picture, agreement
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.metrics import Score
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.batches.own_epsilon import OwnEpsilon, own_epsilons, with_own_scales
from mvexplorer.state.colourings.derived import coloured_or_why
from mvexplorer.state.document.colour_titles import source_words
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.model import DocumentState, PanelState, sharing
from mvexplorer.state.document.titles import panel_title, panel_titles
from mvexplorer.state.pictures.colouring import Colouring
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.state.pictures.scoring import SCORES, available_scores, shown
from mvexplorer.state.session.session import open_session
from mvexplorer.wording import finite_or_none


@dataclass(frozen=True)
class ComputedPanels:
    """Every panel of a state, computed and scored."""

    state: DocumentState
    data: MultiView
    results: dict[str, PanelResult]
    shared: Mapping[str, PanelResult] = field(default_factory=dict)
    """Where panels have an own ε, their results at the shared one."""
    own: Mapping[str, OwnEpsilon] = field(default_factory=dict)
    """How these were chosen."""
    problems_of_own: Mapping[str, str] = field(default_factory=dict)
    """Why panels that have an ε have none of their own."""

    @property
    def scores(self) -> dict[str, str]:
        """The scores that panels of this data have: id -> name."""
        return {id: words.short for id, words in available_scores(self.state, self.data).items()}

    @property
    def _columns(self) -> dict[str, str]:
        return self.scores or {id: SCORES[id].short for id in ("nmi", "knn")}

    @property
    def head(self) -> tuple[str, ...]:
        """The names of the columns of `rows`; NMI and k-NN stand there even where nothing can be scored."""
        return ("panel", "method", *self._columns.values(), "seconds")

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """(panel, method, each score, seconds) as text, a row per panel."""
        return [(p.id, p.method, *describe_result(self.results[p.id], self._columns)) for p in self.state.panels]

    @property
    def comparison(self) -> list[tuple[str, ...]]:
        """(title, each score, seconds) as text, with the columns' names in the first row."""
        at_shared, here = panel_titles(sharing(self.state)), panel_titles(self.state)
        rows = list[tuple[str, PanelResult]]()
        for panel in self.state.panels:
            if panel.id in self.shared and panel.epsilon_scale != 1.0:
                rows.append((at_shared[panel.id], self.shared[panel.id]))
            rows.append((here[panel.id], self.results[panel.id]))
        head = "method", *self.scores.values(), "seconds"
        return [head, *((title, *describe_result(result, self.scores)) for title, result in rows)]

    @property
    def as_json(self) -> list[dict[str, Any]]:
        """Method, views, bandwidths and scores of each panel, as plain data for JSON; an error where it failed."""
        return [self._panel_as_json(panel) for panel in self.state.panels]

    def _panel_as_json(self, panel: PanelState) -> dict[str, Any]:
        """One panel; where each has its own ε with the scores at the shared one, and those at its own."""
        own, shown = self.own.get(panel.id), self.results[panel.id]
        if own is None:
            return {"id": panel.id} | _told(panel.method, shown) | ({"own": None} if self.own else {})
        shared, scale = self.shared[panel.id], own.scale
        there, here = own.scores(shared.scores, scale.shared), own.scores(shown.scores, scale.own)
        told = _told(panel.method, shared)
        told["scores"] = {id: score.value for id, score in there.items()}
        return (
            {"id": panel.id}
            | told
            | {"own": {"epsilon_scale": own.scale.factor, "scores": {id: score.value for id, score in here.items()}}}
        )

    def agreement(self) -> Agreement:
        """How far the panels agree on who is whose neighbour; DataError where there are too few samples to tell."""
        shown = {title: self.results[id].result for id, title in panel_titles(self.state).items()}
        pictures: dict[str, Picture] = {t: None if r is None else r.embedding for t, r in shown.items()}
        return agreement(pictures, min(self.state.comparison.k, self.data.n_samples - 1))

    @property
    def problems(self) -> dict[str, str]:
        """The titles of the panels that failed, and why."""
        errors = ((panel_title(self.state, p), self.results[p.id].error) for p in self.state.panels)
        return {title: str(error) for title, error in errors if error is not None}

    @property
    def colouring(self) -> Colouring | None:
        """How the points are coloured; None where they are grey."""
        return self._coloured[0]

    @property
    def colour_problem(self) -> str:
        """Why the points are grey although a colouring was chosen; else nothing."""
        why = self._coloured[1]
        words = source_words(self.state.colour, self.state, self.data)
        return "" if why is None else f"The points are grey, since there is no {words}: {why}"

    @cached_property
    def _coloured(self) -> tuple[Colouring | None, MVExplorerError | None]:
        return coloured_or_why(self.state, self.data, self.results.__getitem__)

    @property
    def failed(self) -> list[str]:
        """The error of every panel that failed."""
        return [f"{p.id}: {r.error}" for p in self.state.panels if (r := self.results[p.id]).error is not None]


def _told(method: str, result: PanelResult) -> dict[str, Any]:
    if result.result is None:
        return {"method": method, "views": [], "epsilon": [], "scores": {}, "error": str(result.error)}
    embedding = result.result.embedding
    scores = {} if result.scores is None else result.scores.each()
    return {
        "method": method,
        "views": list(embedding.views),
        "epsilon": finite_or_none(embedding.epsilon),
        "scores": {id: score.value for id, score in scores.items()},
    }


def describe_result(result: PanelResult, scores: Iterable[str]) -> tuple[str, ...]:
    """(each of these scores, seconds) as text."""
    computed = {} if result.scores is None else result.scores.each()
    seconds = "failed" if result.result is None else f"{result.result.seconds:.2f}"
    return (*(_number(shown(id, computed[id])) if id in computed else "–" for id in scores), seconds)


def _number(score: Score) -> str:
    return f"{score.value:.3f}" if score.spread is None else f"{score.value:.3f} ± {score.spread:.3f}"


def compute(
    state: DocumentState, data: MultiView, *, cache: StageCache | None = None, task: Task | None = None
) -> ComputedPanels:
    """Compute and score every panel of a state; stop with the `task` that waits for it, if there is one."""
    document = Document()
    controller = Controller(document, cache=cache)
    try:
        document.reset(state, data)
        _wait(controller, task)
        controller.on_idle()
        _wait(controller, task)
        return ComputedPanels(state, data, dict(controller.results))
    finally:
        controller.shutdown()


def _wait(controller: Controller, task: Task | None) -> None:
    """Wait for all that is computed; where somebody may stop it, look now and then."""
    if task is None:
        controller.wait_idle()
        return
    while not controller.wait_idle(0.05):
        task.checkpoint()


def each_at_its_own(finished: ComputedPanels, judge: Judge, task: Task) -> ComputedPanels:
    """The same panels, each at its own factor on every ε, the best by the judge's score."""
    state, data, results = finished.state, finished.data, finished.results
    own, problems = own_epsilons(state, data, judge, task)
    there = with_own_scales(state, own)
    moved = tuple(panel for panel in there.panels if panel.epsilon_scale != 1.0)
    anew = compute(there.model_copy(update={"panels": moved}), data).results if moved else {}
    shown = {id: anew.get(id, result) for id, result in results.items()}
    for id, one in own.items():
        shown[id].checks = {**shown[id].checks, "own epsilon": (one.as_check(),)}
    return ComputedPanels(there, data, shown, {id: results[id] for id in own}, own, problems)


def run_session(
    path: str | Path,
    *,
    accept_changed: bool = False,
    data: str | Path | None = None,
    say: Callable[[str], None] = print,
) -> ComputedPanels:
    """Open a session and compute it; SessionError if it cannot be opened. `data` is where its data is if that moved."""
    opened = open_session(path, accept_changed=accept_changed, data=data)
    for note in opened.notes:
        say(note)
    return compute(opened.state, opened.data)
