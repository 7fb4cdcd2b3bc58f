"""Colouring by how far all samples are from one, or how likely a walk gets there: ``distance:PANEL:INDEX:KIND``.

KIND is ``distance``, ``steps-T``, or ``steps-T-VIEW`` for a walk that starts in one view.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mvexplorer.compute.jobs.cost import cost_of_scores
from mvexplorer.compute.jobs.point_jobs import DistanceJob, StepsJob
from mvexplorer.engine.analysis.point import MOST_STEPS, distance_kind
from mvexplorer.engine.methods import get_method
from mvexplorer.state.colourings.deriving import ColouringRequest, Ground, Kind
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.state.pictures.colouring import Colouring
from mvexplorer.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.state.document.model import DocumentState

KIND_WORDS = {"diffusion": "diffusion distance", "heat": "heat distance", "coordinates": "distance"}


def steps_kind(t: int, start: str = "") -> str:
    """The KIND of probabilities after t steps, from one view or from all alike."""
    return f"steps-{t}-{start}" if start else f"steps-{t}"


def parts_of(rest: str) -> tuple[str, int, int, str] | None:
    """Panel, sample, steps (0 for a distance) and the view that the walk starts in; None for another REST."""
    panel, _, more = rest.partition(":")
    index, _, kind = more.partition(":")
    if not index.isdigit():
        return None
    if kind == "distance":
        return panel, int(index), 0, ""
    what, _, steps = kind.partition("-")
    number, _, start = steps.partition("-")
    if what != "steps" or not number.isdigit() or not 1 <= int(number) <= MOST_STEPS:
        return None
    return panel, int(index), int(number), start


def _ask(ground: Ground, rest: str) -> ColouringRequest | None:
    parts = parts_of(rest)
    result = None if parts is None else ground.shown(parts[0])
    if parts is None or result is None or parts[1] >= ground.data.n_samples:
        return None
    panel, sample, t, start = parts
    title, embedding = _title(ground.state, ground.data, rest), result.embedding
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


def _title(state: DocumentState, data: MultiView | None, rest: str) -> str:
    parts = parts_of(rest)
    if parts is None:
        return "a distance"
    panel, sample, t, start = parts
    name = str(sample) if data is None or sample >= data.n_samples else data.sample_ids[sample]
    where = panel_titles(state).get(panel, "a panel that is gone")
    if t:
        return f"probability {counted(t, 'step')} after {name}{f' of {start}' if start else ''} in {where}"
    shown = state.find_panel(panel)
    kind = "distance" if shown is None else KIND_WORDS[distance_kind(shown.method)]
    return f"{kind} from {name} in {where}"


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


DISTANCE = Kind(_ask, _title, "Seen from the kept sample", _offered, script_of)
