"""Why an ε is right: the curves behind the bandwidth rules, computed when the user looks at them.

Lives on the document's thread, beside the controller, whose background workers and cache it uses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

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
from mvexplorer.engine.api.cost import Estimate
from mvexplorer.engine.bandwidth.manifold_scaling import ManifoldScaling
from mvexplorer.engine.bandwidth.rules.classes import ClassScan
from mvexplorer.engine.bandwidth.table import get_rule
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.dimension.estimates import IntrinsicDimension
from mvexplorer.engine.kernels.affinities import Kernel
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.model import panel_kernel
from mvexplorer.state.pictures.answers import Answers, Question, same
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.wording import number

MANY = 1500
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
DRAWN = ("curves", "coarse")
"""What is drawn of a view, the better first."""
WHAT = (*JOBS, "points", "weights")
"""What is kept of a view; the points are its class curves with those at ε where a slider was released."""


@dataclass(frozen=True)
class Explanation:
    """Results on one view's bandwidth so far."""

    curves: ViewCurves | None = None
    coarse: bool = False
    """Whether the curves are of a part of the samples, while those of all are being computed."""
    classes: ClassScan | None = None
    scaling: ManifoldScaling | None = None
    dimension: IntrinsicDimension | None = None
    problem: str = ""
    stale: bool = False
    """Whether the data or the kernel has changed since the curves were computed."""


class BandwidthAnalyser:
    """Keeps the curves of the views that the user looks at."""

    changed = Signal(str)

    def __init__(self, controller: Controller) -> None:
        self._controller, self._document = controller, controller.document
        self._answers = Answers(controller)
        self._views: set[str] = set()
        """The views that somebody has asked about."""
        self._answers.changed.connect(self._tell)
        self._answers.answered.connect(self._answered)
        self._document.changed.connect(self._document_changed)

    def of(self, view: str) -> Explanation:
        """The results on a view, empty at first; of former data or kernels the curves alone stay, as stale ones."""
        basis = self._basis(view)
        answers = {what: self._answers.of((view, what)) for what in WHAT}
        now = {what: a for what, a in answers.items() if a is not None and same(a.basis[: len(basis)], basis)}
        values = {what: answer.value for what, answer in now.items()}
        told = ("weights", "classes", "dimension", "curves" if "curves" in now else "coarse")
        problems = [str(now[what].error) for what in told if what in now and now[what].error is not None]
        drawn = [(what, a) for what in DRAWN if (a := answers[what]) is not None and a.value is not None]
        what, curves = drawn[0] if drawn else ("", None)
        return Explanation(
            None if curves is None else curves.value,
            what == "coarse",
            values.get("points") or values.get("classes"),
            values.get("weights"),
            values.get("dimension"),
            problems[0] if problems else "",
            curves is not None and what not in now,
        )

    def ask(self, *views: str) -> None:
        """Compute the curves of views, unless they are known; of many samples, coarse ones of all views come first."""
        data = self._document.data
        present = [view for view in views if data is not None and view in data.view_names]
        for view in present:
            table = panel_kernel(self._document.state, None, view).kind.id == "precomputed"
            if data is not None and data.n_samples > MANY and self.of(view).curves is None and not table:
                self._ask(view, "coarse", f"Coarse bandwidth curves of {view}")
        for view in present:
            self._ask(view, "curves", f"Bandwidth curves of {view}")

    def ask_classes(self, view: str) -> None:
        """Compute the two class criteria that need eigenvectors, unless they are known and up to date."""
        self._ask(view, "classes", f"Class curves of {view}", again=True)

    def refine_classes(self, view: str, epsilon: float) -> None:
        """Evaluate the class criteria at one more ε, if they were computed before: a slider was released there."""
        scan = self.of(view).classes
        near = 0.02  # a criterion evaluated within 2 % of an ε is not evaluated again
        if scan is None or np.any(np.abs(np.log(scan.epsilon / epsilon)) < near):
            return
        data, kernels = self._kernels(view)
        if data is not None:
            index = data.view_index(view)
            job, cost = ClassCurvesJob(data, kernels, index, epsilon), cost_of_rules(data, kernels, index, (CLASSES,))
            title = f"Class curves of {view} at ε {number(epsilon)}"
            basis = *self._basis(view), epsilon
            self._answers.ask(Question((view, "points"), basis, job, title, cost, f"class-point:{view}", scan.joined))

    def ask_dimension(self, view: str) -> None:
        """Estimate a view's intrinsic dimension, unless it is known and up to date."""
        self._ask(view, "dimension", f"Intrinsic dimension of {view}", again=True)

    def ask_weights(self, view: str, dimension: int | None = None) -> None:
        """Learn feature weights for a view anew, with d̂ given or estimated."""
        data, kernels = self._kernels(view)
        self._views.add(view)
        self._answers.forget((view, "weights"))
        if data is not None:
            index, seed = data.view_index(view), self._document.state.random_state
            job, cost = (
                WeightsJob(data, kernels, index, dimension, seed),
                cost_of_rules(data, kernels, index, (MANIFOLD,)),
            )
            title, basis = f"Feature weights of {view}", (*self._basis(view), dimension, seed)
            self._answers.ask(Question((view, "weights"), basis, job, title, cost, f"weights:{view}"))

    def learns(self, view: str) -> bool:
        """Whether feature weights are being learnt for a view."""
        return self._answers.waits((view, "weights"))

    def ask_rules(self, view: str, rules: tuple[str, ...]) -> None:
        """Evaluate rules that are only evaluated on request, and add their values to the view's summary."""
        data, kernels = self._kernels(view)
        if data is not None:
            index, titles = data.view_index(view), ", ".join(get_rule(rule).title for rule in rules)
            job, cost = RulesJob(data, kernels, index, rules), cost_of_rules(data, kernels, index, rules)
            basis = data, _texts(kernels), rules
            self._answers.ask(Question((view, "rules"), basis, job, f"{titles}: {view}", cost, f"rules-asked:{view}"))

    def _tell(self, key: tuple[str, str]) -> None:
        """Tell of what was asked for by a button: who draws curves would begin anew at once what the user stopped."""
        if key[1] not in DRAWN:
            self.changed.emit(key[0])

    def _answered(self, key: tuple[str, str]) -> None:
        """Tell of curves; add the values of rules to the view's summary, if they are those of its present kernel."""
        view, what = key
        if what in DRAWN:
            self.changed.emit(view)
        answer, summaries = self._answers.of(key), self._controller.summaries
        if what != "rules" or answer is None:
            return
        self._answers.forget(key)
        data, kernels = self._kernels(view)
        if same(answer.basis[:2], (data, _texts(kernels))) and view in summaries and answer.value is not None:
            summary = summaries[view]
            summaries[view] = BandwidthSummary(summary.median, summary.rules | answer.value.rules)
            self._controller.summary_changed.emit(view)

    def _kernels(self, view: str) -> tuple[MultiView | None, dict[int, Kernel]]:
        data, state = self._document.data, self._document.state
        if data is None or view not in data.view_names:
            return None, {}
        names = dict.fromkeys((*state.enabled, view))
        return data, {data.view_index(n): panel_kernel(state, None, n) for n in names}

    def _basis(self, view: str) -> tuple[object, ...]:
        """All that the curves of a view depend on."""
        data, state = self._document.data, self._document.state
        known = data is not None and view in data.view_names and state.find_view(view) is not None
        return (data, panel_kernel(state, None, view).text) if known else (None, "")

    def _ask(self, view: str, what: str, title: str, *, again: bool = False) -> None:
        if not self._answers.lacks((view, what), self._basis(view), again=again):
            return
        data, kernels = self._kernels(view)
        if data is None:
            return
        self._views.add(view)
        index = data.view_index(view)
        job, cost = JOBS[what](data, kernels, index), NEEDS[what](data, kernels, index)
        self._answers.ask(Question((view, what), self._basis(view), job, title, cost, f"{what}:{view}"), again=again)

    def _document_changed(self, change: Change) -> None:
        """Tell who shows a view's results that they are about former data, or another kernel."""
        before = {v.name: v.kernel for v in change.before.views}
        now = {v.name: v.kernel for v in change.after.views}
        for view in sorted(self._views):
            if change.data_changed or before.get(view) != now.get(view):
                self.changed.emit(view)
        self._views &= set(now)


def _texts(kernels: dict[int, Kernel]) -> dict[int, str]:
    return {index: kernel.text for index, kernel in kernels.items()}
