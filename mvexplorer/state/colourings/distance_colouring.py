"""Colouring by how far all samples are from one, or how likely a walk gets there: ``distance:PANEL:INDEX:KIND``.

KIND is ``distance``, ``steps-T``, or ``steps-T-VIEW`` for a walk that starts in one view.
"""

from __future__ import annotations

from collections.abc import Mapping

from mvexplorer.compute.jobs.cost import cost_of_scores
from mvexplorer.compute.jobs.point_jobs import DistanceJob, StepsJob
from mvexplorer.engine.methods import get_method
from mvexplorer.state.colourings.deriving import ColouringRequest, Ground, Kind
from mvexplorer.state.document.colour_titles import distance_title, parts_of
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.colouring import Colouring


def steps_kind(t: int, start: str = "") -> str:
    """The KIND of probabilities after t steps, from one view or from all alike."""
    return f"steps-{t}-{start}" if start else f"steps-{t}"


def _ask(ground: Ground, rest: str) -> ColouringRequest | None:
    parts = parts_of(rest)
    result = None if parts is None else ground.shown(parts[0])
    if parts is None or result is None or parts[1] >= ground.data.n_samples:
        return None
    panel, sample, t, start = parts
    title, embedding = distance_title(ground.state, ground.data, rest), result.embedding
    if not t:
        cost = cost_of_scores(*embedding.coordinates.shape)
        return ColouringRequest(
            DistanceJob(embedding, sample), lambda values: Colouring(title, values), (panel,), cost=cost
        )
    return ColouringRequest(
        StepsJob(embedding, sample, t, start),
        lambda p: Colouring(title, p.sum(axis=0)),
        (panel,),
        cost=cost_of_scores(*embedding.coordinates.shape),
    )


def _offered(ground: Ground) -> tuple[str, ...]:
    kept = ground.state.point.sample_of(ground.data)
    if kept is None:
        return ()
    shown = [panel for panel in ground.state.panels if ground.shown(panel.id) is not None]
    steps = steps_kind(ground.state.point.steps)
    walks = [f"{p.id}:{kept}:{steps}" for p in shown if get_method(p.method).walk is not None]
    return (*(f"{p.id}:{kept}:distance" for p in shown), *walks)


def script_of(state: DocumentState, rest: str, names: Mapping[str, str]) -> str:
    """The Python expression that computes the values; empty where their panel has no variable."""
    parts = parts_of(rest)
    if parts is None or not names.get(parts[0]):
        return ""
    name, sample, t = names[parts[0]], parts[1], parts[2]
    if not t:
        return f"np.sqrt(mvx.distances_from({name}, {sample}).squared)"
    at = f"[{name}.views.index({parts[3]!r})]" if parts[3] else ".mean(axis=0)"
    return f"mvx.transition_probabilities({name}, {sample}, t={t}).sum(axis=1){at}"


DISTANCE = Kind(_ask, distance_title, "Seen from the kept sample", _offered, script_of)
