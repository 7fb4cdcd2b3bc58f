"""Why an ε is right: the curves behind the bandwidth rules, computed when the user looks at them.

Lives on the document's thread, beside the controller, whose background workers and cache it uses.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from psygnal import Signal

from mvexplorer.compute.jobs.cost import CLASSES, MANIFOLD, cost_of_curves, cost_of_dimension, cost_of_rules
from mvexplorer.compute.jobs.jobs import (
    ClassCurvesJob,
    CoarseCurvesJob,
    CurvesJob,
    DimensionJob,
    RulesJob,
    ViewJob,
    WeightsJob,
)
from mvexplorer.compute.jobs.runner import COARSE, BandwidthSummary, ViewCurves
from mvexplorer.engine.bandwidth.rules.classes import ClassScan
from mvexplorer.engine.bandwidth.table import get_rule
from mvexplorer.engine.dimension.estimates import IntrinsicDimension
from mvexplorer.state.document.model import ViewState, panel_kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from mvexplorer.compute.run.scheduler import Outcome
    from mvexplorer.engine.api.cost import Estimate
    from mvexplorer.engine.bandwidth.manifold_scaling import ManifoldScaling
    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.engine.kernels.affinities import Kernel
    from mvexplorer.state.document.document import Change
    from mvexplorer.state.pictures.controller import Controller

MANY = 3000
"""With more samples than this, coarse curves are shown first."""
JOBS: dict[str, type[ViewJob]] = {
    "coarse": CoarseCurvesJob,
    "curves": CurvesJob,
    "classes": ClassCurvesJob,
    "dimension": DimensionJob,
}
NEEDS: dict[str, Callable[..., Estimate]] = {
    "coarse": partial(cost_of_curves, samples=COARSE),
    "curves": cost_of_curves,
    "classes": partial(cost_of_rules, rules=(CLASSES,)),
    "dimension": cost_of_dimension,
}
"""The memory that each of these jobs needs."""


@dataclass
class Explanation:
    """Results on one view's bandwidth so far."""

    curves: ViewCurves | None = None
    coarse: bool = False
    """Whether the curves are of a part of the samples, while those of all are being computed."""
    classes: ClassScan | None = None
    scaling: ManifoldScaling | None = None
    dimension: IntrinsicDimension | None = None
    problem: str = ""
    failed: bool = False
    """Whether the curves of the view as it is cannot be computed: asking again would not help."""
    stale: bool = False
    """Whether the data or the kernel has changed since."""


class BandwidthAnalyser:
    """Keeps the curves of the views that the user looks at."""

    changed = Signal(str)

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self.known: dict[str, Explanation] = {}
        self._asked: dict[str, tuple[MultiView, dict[int, Kernel]]] = {}
        controller.document.changed.connect(self._document_changed)

    def of(self, view: str) -> Explanation:
        """The results on a view, empty at first."""
        return self.known.setdefault(view, Explanation())

    def ask(self, view: str) -> None:
        """Compute a view's curves, unless they are known and up to date."""
        explanation, data = self.of(view), self._controller.document.data
        if data is None or view not in data.view_names:
            return
        if (explanation.curves is None or explanation.stale or explanation.coarse) and not explanation.failed:
            table = panel_kernel(self._controller.document.state, None, view).kind.id == "precomputed"
            if data.n_samples > MANY and explanation.curves is None and not table:
                self._submit(view, "coarse", f"Coarse bandwidth curves of {view}")
            self._submit(view, "curves", f"Bandwidth curves of {view}")

    def ask_classes(self, view: str) -> None:
        """Compute the two class criteria that need eigenvectors, unless they are known and up to date."""
        explanation = self.of(view)
        if explanation.classes is None or explanation.stale:
            self._submit(view, "classes", f"Class curves of {view}")

    def refine_classes(self, view: str, epsilon: float) -> None:
        """Evaluate the class criteria at one more ε, if they were computed before: a slider was released there."""
        explanation = self.of(view)
        scan = explanation.classes
        near = 0.02  # a criterion evaluated within 2 % of an ε is not evaluated again
        if scan is None or explanation.stale or np.any(np.abs(np.log(scan.epsilon / epsilon)) < near):
            return
        data, kernels = self._kernels(view)
        if data is None:
            return
        index = data.view_index(view)

        def arrived(outcome: Outcome) -> None:
            if explanation.classes is not None and not explanation.stale and outcome.value is not None:
                explanation.classes = explanation.classes.joined(outcome.value)
                self.changed.emit(view)

        self._controller.background.submit(
            f"class-point:{view}",
            ClassCurvesJob(data, kernels, index, epsilon),
            arrived,
            title=f"Class curves of {view} at ε {epsilon:.3g}",
            cost=cost_of_rules(data, kernels, index, (CLASSES,)),
        )

    def ask_dimension(self, view: str) -> None:
        """Estimate a view's intrinsic dimension, unless it is known and up to date."""
        explanation = self.of(view)
        if explanation.dimension is None or explanation.stale:
            self._submit(view, "dimension", f"Intrinsic dimension of {view}")

    def ask_weights(self, view: str, dimension: int | None = None) -> None:
        """Learn feature weights for a view, with d̂ given or estimated."""
        data, kernels = self._kernels(view)
        if data is None:
            return
        index = data.view_index(view)
        seed = self._controller.document.state.random_state

        def arrived(outcome: Outcome) -> None:
            if self._controller.document.data is not data:
                return
            explanation = self.of(view)
            explanation.problem = "" if outcome.error is None else str(outcome.error)
            explanation.scaling = outcome.value
            self.changed.emit(view)

        self._controller.background.submit(
            f"weights:{view}",
            WeightsJob(data, kernels, index, dimension, seed),
            arrived,
            title=f"Feature weights of {view}",
            cost=cost_of_rules(data, kernels, index, (MANIFOLD,)),
        )

    def ask_rules(self, view: str, rules: tuple[str, ...]) -> None:
        """Evaluate rules that are only evaluated on request, and add their values to the view's summary."""
        data, kernels = self._kernels(view)
        if data is None:
            return
        index, summaries = data.view_index(view), self._controller.summaries

        def arrived(outcome: Outcome) -> None:
            same = self._kernels(view) == (data, kernels)
            if same and view in summaries and outcome.value is not None:
                summary = summaries[view]
                summaries[view] = BandwidthSummary(summary.median, summary.rules | outcome.value.rules)
                self._controller.summary_changed.emit(view)
                self.changed.emit(view)

        self._controller.background.submit(
            f"rules-asked:{view}",
            RulesJob(data, kernels, index, rules),
            arrived,
            title=f"{', '.join(get_rule(r).title for r in rules)}: {view}",
            cost=cost_of_rules(data, kernels, index, rules),
        )

    def _kernels(self, view: str) -> tuple[MultiView | None, dict[int, Kernel]]:
        document = self._controller.document
        data, state = document.data, document.state
        if data is None or view not in data.view_names:
            return None, {}
        names = dict.fromkeys((*state.enabled, view))
        return data, {data.view_index(n): panel_kernel(state, None, n) for n in names}

    def _submit(self, view: str, what: str, title: str) -> None:
        data, kernels = self._kernels(view)
        if data is None:
            return
        slot, question = f"{what}:{view}", (data, kernels)
        under_way = {task.slot for task in self._controller.background.tasks()}
        if slot in under_way and self._asked.get(slot) == question:
            return
        self._asked[slot] = question
        index = data.view_index(view)
        job, cost = JOBS[what](data, kernels, index), NEEDS[what](data, kernels, index)

        def arrived(outcome: Outcome) -> None:
            current, now = self._kernels(view)
            if current is data and now.get(index) == kernels[index]:
                self._take(view, what, outcome)

        self._controller.background.submit(slot, job, arrived, title=title, cost=cost)

    def _take(self, view: str, what: str, outcome: Outcome) -> None:
        explanation = self.of(view)
        if what in ("curves", "coarse"):
            explanation.problem, explanation.failed = "", outcome.error is not None
        if outcome.error is not None:
            explanation.problem = str(outcome.error)
        if isinstance(outcome.value, ViewCurves):
            if what == "coarse" and explanation.curves is not None:
                return
            explanation.curves, explanation.coarse = outcome.value, what == "coarse"
            explanation.stale = False
        elif isinstance(outcome.value, ClassScan):
            explanation.classes = outcome.value
        elif isinstance(outcome.value, IntrinsicDimension):
            explanation.dimension = outcome.value
        self.changed.emit(view)

    def _document_changed(self, change: Change) -> None:
        before = {v.name: v for v in change.before.views}
        if change.samples_changed:
            former, self.known = self.known, {}
            for name in former:
                self.changed.emit(name)
            return
        for view in change.after.views:
            old = before.get(view.name)
            altered = change.data_changed or old is None or _treatment(old) != _treatment(view)
            if view.name in self.known and altered:
                explanation = self.known[view.name]
                # Old curves stay visible, marked as stale, until new ones come; results made on request are dropped.
                explanation.stale, explanation.failed = explanation.curves is not None, False
                explanation.classes = explanation.scaling = explanation.dimension = None
                self.changed.emit(view.name)


def _treatment(view: ViewState) -> tuple[object, ...]:
    """All that the curves of a view depend on, besides its numbers."""
    return view.kernel, view.preprocess, view.weights
