"""The job of each figure of the page “Diagnostics”, and the figure made of the job's answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.compute.jobs.cost import cost_of_scores
from mvexplorer.compute.jobs.diagnostics_jobs import (
    ALL,
    MEAN,
    GraphJob,
    MatrixJob,
    MetricJob,
    Pictured,
    RocJob,
    SpectrumInTimeJob,
)
from mvexplorer.compute.jobs.runner import Result
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.analysis.components import components_of
from mvexplorer.engine.analysis.diagnostics import MOST_PAIRS, powers, spectrum_facts
from mvexplorer.engine.analysis.panel_matrices import OWN, MatrixKind
from mvexplorer.engine.analysis.point import distance_kind
from mvexplorer.engine.analysis.scored import is_angle
from mvexplorer.engine.api.cost import NOTHING, Estimate
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.steps_that_stay import STEPS_THAT_STAY
from mvexplorer.errors import DataError, MVExplorerError
from mvexplorer.figures import Figure
from mvexplorer.state.colourings.deriving import Ground
from mvexplorer.state.document.diagnostics_choices import FIGURES, DiagnosticsChoices, FigureId
from mvexplorer.state.document.model import PanelState, panel_kernel
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.state.pictures.answers import Question
from mvexplorer.state.pictures.colouring import Colouring
from mvexplorer.state.pictures.drawing import component_words
from mvexplorer.state.pictures.scoring import truth
from mvexplorer.state.questions.diagnostics_drawing import (
    eigenvalue_figure,
    graph_figure,
    matrix_figure,
    metric_figure,
    roc_figure,
    time_figure,
)


def _nothing(_: Any) -> Figure:
    raise AssertionError("a figure without numbers")


@dataclass(frozen=True)
class Wanted:
    """A figure to compute: its basis, which is compared; its job, if any; and the figure of the job's answer."""

    basis: tuple[Any, ...]
    job: Job | None = None
    figure: Callable[[Any], Figure] = _nothing
    cost: Estimate = NOTHING
    problem: str = ""


@dataclass(frozen=True, eq=False)
class DiagnosedPanel:
    """A panel's picture, and how colourings are resolved."""

    ground: Ground
    panel: PanelState
    result: Result
    resolve: Callable[[str], Colouring | None]
    memory: float

    @property
    def choices(self) -> DiagnosticsChoices:
        """The document's choices."""
        return self.ground.state.diagnostics

    @property
    def method(self) -> Method:
        """The picture's method."""
        return get_method(self.result.embedding.method)

    @property
    def title(self) -> str:
        """The panel's title."""
        return panel_titles(self.ground.state)[self.panel.id]

    @property
    def view(self) -> str:
        """The view chosen; else the method's own operator, or its first view where it has none."""
        views = self.result.embedding.views
        if self.choices.view in views:
            return self.choices.view
        return OWN if self.method.walk is not None or not views else views[0]

    def ordered_by(self) -> Colouring | None:
        """The colouring that samples are ordered by; None where they stay as they are."""
        source = self.choices.order
        return self.resolve(f"coordinate:{self.panel.id}:0" if source == "coordinate" else source)

    def order(self) -> tuple[npt.NDArray[np.intp], Colouring | None]:
        """The samples (M,) in their order, and the colouring that decides it."""
        colouring, n = self.ordered_by() if self.choices.order else None, self.ground.data.n_samples
        if colouring is None or len(colouring.values) != n:
            return np.arange(n), None
        return np.argsort(colouring.values, kind="stable"), colouring

    def cost(self) -> Estimate:
        """The memory of a job that looks at kernels once more: no more than the picture took."""
        return self.result.request.plan.cost(self.memory)

    def pictured(self) -> Pictured:
        """The picture as jobs take it."""
        return Pictured(self.result.request, self.result.embedding)


def _spectrum(shown: DiagnosedPanel) -> Wanted:
    embedding, times = shown.result.embedding, shown.choices.times
    facts, kind = spectrum_facts(embedding), distance_kind(shown.method.id)
    values = np.real(np.asarray(embedding.eigenvalues))
    weights = powers(values, times if kind != "coordinates" else (1,), kind)
    stays = embedding.info.get(STEPS_THAT_STAY)
    return Wanted((times,), figure=lambda _: eigenvalue_figure(shown.title, values, weights, kind, facts, stays))


def _matrix(kind: MatrixKind, shown: DiagnosedPanel) -> Wanted:
    distances = kind == "kernel" and shown.choices.matrix == "distances"
    kind = "distances" if distances else kind
    view = shown.choices.view if distances and shown.choices.view in shown.result.embedding.views else shown.view
    view = OWN if distances and shown.choices.view == OWN else view
    order, by = shown.order()
    job = MatrixJob(shown.pictured(), kind, view, order)
    subject = view or shown.title
    n = shown.ground.data.n_samples
    figure = partial(matrix_figure, kind, subject, shown.result.embedding.views, by, n)
    basis = (view, kind, shown.choices.order, None if by is None else by.values.tobytes().__hash__())
    return Wanted(basis, job, figure, shown.cost())


def _fourier(shown: DiagnosedPanel) -> Wanted:
    names, Y = components_of(shown.result.embedding)
    place = min(shown.choices.component, len(names)) - 1
    if place < 0:
        raise DataError("This picture has no components.", "Choose another method.")
    data, source = shown.ground.data, shown.choices.time
    times, name = None, source.partition(":")[2]
    if source:
        given = {"column": data.columns, "latent": data.latent}.get(source.partition(":")[0], {}).get(name)
        if given is None or given.dtype.kind not in "fiu":
            said = f"There is no column of times called {name or source}."
            raise DataError(said, "Choose another one, or the order.")
        times = given.astype(np.float64)
    marks = shown.choices.marks
    others = {} if marks else _moving(shown, name)
    figure = partial(time_figure, f"{component_words(names[place])} of {shown.title}", name, marks)
    job = SpectrumInTimeJob(Y[:, place], times, others)
    return Wanted((place, source, marks), job, figure, cost_of_scores(len(Y), 8 + len(others)))


def _moving(shown: DiagnosedPanel, time: str) -> dict[str, Array]:
    """The hidden variables whose frequencies are marked: numbers that rise and fall, of angles the cosine."""
    moving = {}
    for name, values in shown.ground.data.latent.items():
        if name == time or values.dtype.kind != "f":
            continue
        steps = np.diff(values)
        if is_angle(values):
            moving[name] = np.cos(values)
        elif (steps > 0).any() and (steps < 0).any():
            moving[name] = values.astype(np.float64)
    most = 8
    return dict(list(moving.items())[:most])


def _metric(shown: DiagnosedPanel) -> Wanted:
    at = shown.choices.metric
    sample = shown.ground.state.point.sample_of(shown.ground.data) if at == "sample" else None
    if shown.method.id == "local-cca" and at == "sample":
        chosen = shown.ground.state.selection
        sample = sample if sample is not None else chosen[0] if len(chosen) == 1 else None
        if sample is None or sample >= shown.ground.data.n_samples:
            raise DataError("No sample is kept.", "Click a point, or choose the mean or all pairs.")
    order, by = shown.order()
    which = ALL if at == "pairs" else MEAN if at == "mean" else sample
    job = MetricJob(shown.pictured(), ALL if which is None else which, order)
    name = "" if sample is None else shown.ground.data.sample_ids[sample]
    figure = partial(metric_figure, at, shown.title, (*shown.result.embedding.views, "")[0], name, by)
    return Wanted((at, sample, shown.choices.order, None if by is None else by.title), job, figure, shown.cost())


def _roc(shown: DiagnosedPanel) -> Wanted:
    state, data = shown.ground.state, shown.ground.data
    labels, _ = truth(state, data)
    if labels is None:
        raise DataError("There are no classes to tell apart.", "Open data with labels, or make a column the label.")
    results = {panel.id: shown.ground.shown(panel.id) for panel in state.shown}
    titles = panel_titles(state)
    pictures = {titles[id]: result.embedding.coordinates for id, result in results.items() if result is not None}
    names = [name for name in state.enabled if panel_kernel(state, None, name).kind.metric != "none"]
    job = RocJob(pictures, data, tuple(data.view_index(name) for name in names), labels)
    figure = partial(roc_figure, shown.title, names)
    pairs = min(MOST_PAIRS, data.n_samples**2)
    number = 8  # bytes
    return Wanted((*results.values(), labels, tuple(names)), job, figure, Estimate(float(number * 12 * pairs)))


def _graph(shown: DiagnosedPanel) -> Wanted:
    values = np.real(np.asarray(shown.result.embedding.eigenvalues))
    figure = partial(graph_figure, shown.view or shown.title, shown.result.embedding.views, values)
    return Wanted((shown.view,), GraphJob(shown.pictured(), shown.view), figure, shown.cost())


WANTED: dict[FigureId, Callable[[DiagnosedPanel], Wanted]] = {
    "spectrum": _spectrum,
    "kernel": partial(_matrix, "kernel"),
    "transition": partial(_matrix, "transition"),
    "fourier": _fourier,
    "metric": _metric,
    "roc": _roc,
    "graph": _graph,
}


def figure_question(id: FigureId, shown: DiagnosedPanel) -> Question:
    """A figure about a panel's picture, as it is to be computed with the present choices."""
    basis = shown.panel.id, shown.ground.data.n_samples, shown.ground.data, shown.result
    try:
        wanted = WANTED[id](shown)
    except MVExplorerError as why:
        return Question(id, (*basis, str(why)), error=why)
    error = DataError(wanted.problem) if wanted.problem else None
    title, slot = f"{FIGURES[id]}, a figure", f"diagnostics:{id}"
    record = {"choices": shown.choices.model_dump(mode="json")}

    def make(result: Result) -> Figure:
        return replace(wanted.figure(result), record=record)

    return Question(id, (*basis, *wanted.basis), wanted.job, title, wanted.cost, slot, make, error)
