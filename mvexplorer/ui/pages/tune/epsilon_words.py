"""The meaning of a view's ε, in words."""

from __future__ import annotations

import numpy as np

from mvexplorer.engine.bandwidth.regimes import Regime
from mvexplorer.engine.dimension.estimates import IntrinsicDimension
from mvexplorer.engine.pipeline.steps_that_stay import STEPS_THAT_STAY, words_on_stays
from mvexplorer.state.bench.epsilon_advice import judged_in_words
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.model import panel_kernel
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.ui.pages.tune.figures_over_epsilon import place_of


def epsilon_in_words(bench: Workbench, view: str, here: float | None, regime: Regime | None) -> str:
    """Tell a view's dimension and pieces at its ε, `here` on the axis, the verdict, and a better ε where there is."""
    facts, kind = bench.analyser.of(view), panel_kernel(bench.document.state, None, view).kind
    if facts.problem:
        return facts.problem
    if not kind.uses_epsilon:
        return f"{kind.title} kernel: there is no bandwidth to choose"
    if facts.curves is None or here is None:
        return "computing …"
    curves = facts.curves
    # Pieces are counted at the ε in use, even where that lies beyond the axis.
    epsilon = np.array([bench.controller.effective_epsilon(view) or curves.median * 10.0**here])
    x = place_of(curves)
    dimension = 2.0 * float(np.interp(here, x, curves.growth.slope))
    pieces, alone = int(curves.connectivity.components(epsilon)[0]), float(curves.connectivity.isolated(epsilon)[0])
    graph = "one piece" if pieces == 1 else f"{pieces} pieces"
    share = f", {100 * alone:.0f} % of the samples isolated" if alone > 0 else ""
    stale = " · stale: the view has changed" if facts.stale else " · coarse, refining …" if facts.coarse else ""
    estimate = f" · {facts.dimension.text}" if facts.dimension is not None and not facts.stale else ""
    stays = _steps_that_stay(bench, view)
    report = f"{view} at this ε: dimension {dimension:.1f}, graph in {graph}{share}{estimate}{stays}{stale}"
    if regime is None:  # ε moves
        return report
    advice = bench.advice.now().get(view)
    if regime.alarming:
        return f"{judged_in_words(regime, advice)} {report}"
    here = advice is not None and advice.here and advice.best is not None
    advised = "No need to move ε." if here else advice.sentence if advice is not None and not advice.here else ""
    return f"{report.rstrip('.')}. {regime.sentence} {advised}".rstrip()


def _steps_that_stay(bench: Workbench, view: str) -> str:
    """How many steps stay in the picture of the focused panel; empty where it is of other views, or still computed."""
    panel = bench.diagnostics.panel
    shown = None if panel is None else bench.controller.result(panel.id)
    if panel is None or shown is None or shown.result is None or shown.status != "ready":
        return ""
    embedding = shown.result.embedding
    share = embedding.info.get(STEPS_THAT_STAY) if view in embedding.views else None
    return "" if share is None else f" · {panel_titles(bench.document.state)[panel.id]}: {words_on_stays(share)}"


def estimates(dimension: IntrinsicDimension | None) -> str:
    """How an estimate of the dimension came about."""
    if dimension is None:
        return ""
    scales = ", ".join(f"{d} on {n} samples" for n, d in dimension.by_scale)
    return (
        f"DANCo: {scales}\nLocal PCA: {dimension.local_pca}\nCorrelation dimension: {dimension.correlation:.1f}\n"
        f"Largest slope of log S: {dimension.log_sum:.1f}"
    )
