"""The answers of the page “Diagnostics” and of a sample's card about one embedding, without a window."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from mvexplorer.compute.jobs.point_jobs import NearInView, Surroundings
from mvexplorer.compute.jobs.runner import Result
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.analysis.clusters import WAYS, contingency
from mvexplorer.engine.analysis.panel_matrices import OWN
from mvexplorer.engine.analysis.point import transition_probabilities
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import ParameterError
from mvexplorer.figures import Curves, Figure
from mvexplorer.io.reading.files import Loaded
from mvexplorer.state.colourings.cluster_colouring import cluster_job, default_number
from mvexplorer.state.colourings.deriving import Ground
from mvexplorer.state.document.colour_titles import KIND_WORDS
from mvexplorer.state.document.diagnostics_choices import DiagnosticsChoices, FigureId
from mvexplorer.state.document.fresh import initial_state, new_panel
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import panel_kernel
from mvexplorer.state.document.point import PointChoices
from mvexplorer.state.pictures.answers import Question
from mvexplorer.state.pictures.colouring import resolve_colouring
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.state.pictures.scoring import truth
from mvexplorer.state.questions.diagnostics_figures import DiagnosedPanel, figure_question
from mvexplorer.state.questions.inspector import near_question, spread_question

PANEL = "p1"


@dataclass(frozen=True)
class DiagnosisChoices:
    """The choices of the page and the card, and how many clusters (None for as many as classes)."""

    figures: DiagnosticsChoices = field(default_factory=lambda: DiagnosticsChoices(order=""))
    point: PointChoices = field(default_factory=PointChoices)
    n_clusters: int | None = None
    how: str = "kmeans"


class Diagnosis:
    """Answers about one embedding, in the words and numbers of the window; the cache keeps kernels between answers."""

    def __init__(
        self, loaded: Loaded, result: Result, choices: DiagnosisChoices, cache: StageCache, task: Task
    ) -> None:
        self.result, self.choices, self._cache, self._task = result, choices, cache, task
        self.shown = _shown(loaded, result, choices, task.memory)

    @property
    def _data(self) -> MultiView:
        return self.shown.ground.data

    def of(self, subject: str) -> Mapping[str, Figure]:
        """The answers about one of `SUBJECTS`, by what each is about: a single one, of the graph one for each kernel.

        DataError or ParameterError where the method or the data has no such thing.
        """
        return SUBJECTS[subject].figures(self)

    def answer(self, question: Question) -> Any:
        """The answer to a question about the picture, computed at once."""
        return question.answered(self._cache, self._task)

    def figure(self, id: FigureId, **changes: Any) -> Mapping[str, Figure]:
        """A figure as the page has it, with some of its choices changed."""
        state = self.shown.ground.state
        state = updated(state, {"diagnostics": updated(state.diagnostics, changes)})
        shown = replace(self.shown, ground=replace(self.shown.ground, state=state))
        return {"": self.answer(figure_question(id, shown))}

    def graphs(self) -> Mapping[str, Figure]:
        """The graph of the view chosen, or of every view and before them of the method's own operator."""
        chosen = self.choices.figures.view
        views = {view: view for view in ((chosen,) if chosen else self.result.embedding.views)}
        own = {} if chosen or not self._has_own_kernel() else {self.shown.title: OWN}
        return {title: self.figure("graph", view=view)[""] for title, view in (own | views).items()}

    def _has_own_kernel(self) -> bool:
        walk = self.shown.method.walk
        return walk is not None and walk(self.shown.pictured().stages(self._cache, self._task)).kernel is not None

    def clusters(self) -> Mapping[str, Figure]:
        """The clusters of the picture, against the classes where there are some."""
        how, count = self.choices.how, self.choices.n_clusters
        count = default_number(self._data) if count is None else count
        job, cost = cluster_job(self.result, how, count, self.result.request.random_state)
        clusters = self.answer(Question("clusters", (), job, cost=cost))
        placed = clusters >= 0
        sizes = np.bincount(clusters[placed]).tolist()
        findings: dict[str, Any] = {"clusters": len(sizes), "sizes": sizes}
        if not placed.all():
            findings["without_place"] = int(np.count_nonzero(~placed))
        labels, _ = truth(self.shown.ground.state, self._data)
        if labels is not None:
            against = contingency(labels, clusters)
            matched = [None if k is None else k + 1 for k in against.cluster_of]
            findings |= {
                "hungarian_accuracy": against.accuracy,
                "cluster_of": dict(zip(against.classes, matched, strict=True)),
                "samples_of": dict(zip(against.classes, against.table.tolist(), strict=True)),
            }
        title = f"{count} clusters of {self.shown.title} ({WAYS[how]})"
        columns = {
            "id": np.array(self._data.sample_ids),
            "cluster": clusters + 1 if placed.all() else np.where(placed, clusters + 1.0, np.nan),
        }
        return {"": Figure(title, Curves("cluster", "samples", ()), "", columns, findings)}

    # The card of a sample -----------------------------------------------------------------------------------------

    def point(self) -> Mapping[str, Figure]:
        """The numbers on a sample's card: of all samples as columns, of the samples it names as findings."""
        data, point, embedding = self._data, self.choices.point, self.result.embedding
        sample = point.sample_of(data)
        if sample is None:
            raise ParameterError("No sample is named.", "Name one by its id.")
        epsilon = dict(zip(embedding.views, embedding.epsilon, strict=False))
        views = {
            data.view_index(v): (panel_kernel(self.shown.ground.state, None, v), e if e == e else None)
            for v, e in epsilon.items()
        }
        k = min(point.neighbours, data.n_samples - 1)
        near = self.answer(near_question(data, sample, k, views, {PANEL: embedding}))
        spread = self.answer(spread_question(embedding.coordinates, sample, point.spread))
        columns, findings = self._near(near)
        probabilities, walk = self._walk(sample)
        ids, name = np.array(data.sample_ids), data.sample_ids[sample]
        columns = {"id": ids, **columns, **probabilities}
        findings = {"sample": name, **findings, **walk, "spread": ids[spread].tolist()}
        title = f"{name} in {self.shown.title}"
        return {"": Figure(title, Curves("distance", "samples", ()), "", columns, findings)}

    def _near(self, near: Surroundings) -> tuple[dict[str, Array], dict[str, Any]]:
        """Distances to all samples, and who is near."""
        ids, panel, embedding = np.array(self._data.sample_ids), near.panels[PANEL], self.result.embedding
        title = self.shown.title
        columns = {f"distance in {view}": np.sqrt(in_view.squared) for view, in_view in near.views.items()}
        columns[f"distance in {title}"] = np.sqrt(panel.distances.squared)
        neighbours = {view: ids[in_view.rows].tolist() for view, in_view in near.views.items()}
        findings: dict[str, Any] = {"neighbours": {**neighbours, title: ids[panel.rows].tolist()}}
        findings |= {"within_sigma": _told_of(near.views, "within"), "degree": _told_of(near.views, "degree")}
        findings["distance_in_picture"] = KIND_WORDS[panel.distances.kind]
        if len(panel.distances.inner) > 1:
            for view, inner in zip(embedding.views, panel.distances.inner, strict=True):
                columns[f"distance in {title}, {view}"] = np.sqrt(inner)
        if panel.cross_rank is not None:
            cross = np.sqrt(panel.distances.cross)
            pairs = [(a, b) for a in range(len(cross)) for b in range(a)]
            findings["distance_between_views"] = {
                f"{embedding.views[b]} and {embedding.views[a]}": float(cross[a, b]) for a, b in pairs
            }
            findings["samples_put_less_far_apart"] = panel.cross_rank
        return columns, findings

    def _walk(self, sample: int) -> tuple[dict[str, Array], dict[str, Any]]:
        """Where the walk is after its steps: probabilities of all samples, and the likeliest of them."""
        point, embedding = self.choices.point, self.result.embedding
        if self.shown.method.walk is None:
            return {}, {
                "walk": f"{self.shown.method.title} is no walk from sample to sample: there are distances only."
            }
        try:
            memo = self._cache.memo(self._task)
            p = transition_probabilities(embedding, sample, point.steps, task=self._task, memo=memo)
        except ParameterError as error:  # the sample is none of the part that was solved
            return {}, {"walk": str(error)}
        if point.start and len(p) == 1:
            raise ParameterError(
                f"The walk of {self.shown.method.title} is on the samples, not on those of a view.",
                "Leave out the view in which it starts.",
            )
        each = p.sum(axis=1)
        total = each[embedding.views.index(point.start)] if point.start in embedding.views else each.mean(axis=0)
        columns = {"probability": total}
        if len(p) > 1:
            pairs = product(enumerate(embedding.views), repeat=2)
            columns |= {f"probability, {start} to {end}": p[a, b] for (a, start), (b, end) in pairs}
        most = 8
        order = np.argsort(-total, kind="stable")[:most]
        likeliest = [self._data.sample_ids[row] for row in order.tolist()]
        return columns, {"steps": point.steps, "walk_to": likeliest, "probability": total[order].tolist()}


def _told_of(views: Mapping[str, NearInView], name: str) -> dict[str, Any]:
    """A number of each view that has it."""
    each = {view: getattr(in_view, name) for view, in_view in views.items()}
    return {view: value for view, value in each.items() if value is not None}


def _shown(loaded: Loaded, result: Result, choices: DiagnosisChoices, memory: float) -> DiagnosedPanel:
    """The embedding as the only panel of a document."""
    data, request = loaded.data, result.request
    state = initial_state(data, tuple(loaded.sources), loaded.manifest, reading=loaded.options, notes=loaded.notes)
    kernels = {name: kernel.text for name, kernel in zip(request.views, request.kernels, strict=False)}
    views = [updated(v, {"enabled": True, "kernel": kernels.get(v.name, v.kernel)}) for v in state.views]
    own = result.embedding.params.get("view") or result.embedding.params.get("coordinates")
    panel = updated(new_panel(request.method, PANEL), {"view": None if own is None else str(own)})
    state = updated(
        state,
        {
            "panels": (panel,),
            "views": tuple(views),
            "random_state": request.random_state,
            "diagnostics": choices.figures,
            "point": choices.point,
        },
    )
    ground = Ground(state, data, lambda _: PanelResult("ready", result=result))
    coordinates = {PANEL: result.embedding.coordinates}
    return DiagnosedPanel(ground, panel, result, lambda source: resolve_colouring(source, data, coordinates), memory)


@dataclass(frozen=True)
class Subject:
    """A kind of answers about one picture: by what each is about, empty where there is one.

    A new one is a function that makes its `Question`, and a row of `SUBJECTS`: `diagnose` answers it.
    """

    figures: Callable[[Diagnosis], Mapping[str, Figure]]
    large: bool = False
    """Whether it is a table of all pairs of samples, told only where it is named."""
    of_sample: bool = False
    """Whether it is about the sample that is named."""


def _figure(id: FigureId, *, large: bool = False, **changes: Any) -> Subject:
    """A figure of the page “Diagnostics”."""
    return Subject(lambda diagnosis: diagnosis.figure(id, **changes), large)


SUBJECTS: Mapping[str, Subject] = {
    "spectrum": _figure("spectrum"),
    "fourier": _figure("fourier"),
    "roc": _figure("roc"),
    "graph": Subject(Diagnosis.graphs),
    "clusters": Subject(Diagnosis.clusters),
    "point": Subject(Diagnosis.point, of_sample=True),
    "kernel": _figure("kernel", large=True),
    "distances": _figure("kernel", large=True, matrix="distances"),
    "transition": _figure("transition", large=True),
    "metric": _figure("metric", large=True),
}
"""The subjects of questions, in the order of their answers."""
