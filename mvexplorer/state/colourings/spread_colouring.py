"""Colouring by how far samples move when others are left out: ``spread:PANEL``."""

from __future__ import annotations

from collections.abc import Mapping

from mvexplorer.compute.jobs.analysis_jobs import cost_of_run
from mvexplorer.compute.jobs.spread_jobs import SpreadJob
from mvexplorer.engine.api.cost import NOTHING
from mvexplorer.engine.core.task import DEFAULT_MEMORY
from mvexplorer.state.colourings.deriving import ColouringRequest, Ground, Kind
from mvexplorer.state.document.colour_titles import spread_title
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.colouring import Colouring


def _ask(ground: Ground, panel: str) -> ColouringRequest | None:
    shown = ground.shown(panel)
    if shown is None or not shown.embedding.views:
        return None
    spread, title = ground.result_of(panel).spread, spread_title(ground.state, ground.data, panel)
    job = SpreadJob(shown.request, shown.embedding.coordinates, spread)
    cost = NOTHING if spread is not None else cost_of_run(shown.request, DEFAULT_MEMORY)
    return ColouringRequest(job, lambda values: Colouring(title, values), (panel,), (spread,), cost)


def _offered(ground: Ground) -> tuple[str, ...]:
    """The panels whose spread is known: computing that of others is asked for on the page."""
    return tuple(panel.id for panel in ground.state.panels if ground.result_of(panel.id).spread is not None)


def _script(state: DocumentState, panel: str, names: Mapping[str, str]) -> str:
    """The spread over ten parts of what the embedding itself says it was computed from."""
    name = names.get(panel, "")
    if not name:
        return ""
    part = "" if state.subsample is None else f" subsample={state.subsample},"
    return (
        f"mvx.stability(\n    data, {name}.method, views={name}.views, epsilon={name}.epsilon,\n"
        f"    kernel=list({name}.kernels), random_state={name}.random_state,{part}\n    **{name}.params,\n).spread"
    )


SPREAD = Kind(_ask, spread_title, "Spread over resamplings", _offered, _script)
