"""Colouring of each picture by its own walk from one sample: ``walks:PANEL:INDEX:KIND``, as in `distance_colouring`.

PANEL's walk colours those that have none. Each walk has its largest probability as its unit, so that one scale serves
pictures whose walks spread differently: only where the walk goes is to be compared.
"""

from __future__ import annotations

from collections.abc import Mapping

from mvexplorer.compute.jobs.cost import cost_of_scores
from mvexplorer.compute.jobs.point_jobs import WalksJob
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.methods import get_method
from mvexplorer.state.colourings.deriving import ColouringRequest, Ground, Kind
from mvexplorer.state.colourings.distance_colouring import script_of, steps_kind
from mvexplorer.state.document.colour_titles import parts_of, walk_title, walk_words
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.colouring import Colouring


def own_walks(panel: str, sample: int, t: int, start: str) -> str:
    """The source that colours each picture by its own walk, and those without one by a panel's."""
    return f"walks:{panel}:{sample}:{steps_kind(t, start)}"


def walking(ground: Ground) -> dict[str, Embedding]:
    """Return the embeddings of panels whose methods are walks on the samples, by the panels' ids."""
    shown = {panel.id: ground.shown(panel.id) for panel in ground.state.panels}
    embeddings = {id: result.embedding for id, result in shown.items() if result is not None}
    return {id: embedding for id, embedding in embeddings.items() if get_method(embedding.method).walk is not None}


def _ask(ground: Ground, rest: str) -> ColouringRequest | None:
    parts, walks = parts_of(rest), walking(ground)
    if parts is None or not parts[2] or parts[0] not in walks or parts[1] >= ground.data.n_samples:
        return None
    panel, sample, t, start = parts
    embeddings = {panel: walks.pop(panel), **walks}

    def colouring(answers: tuple[Array | None, ...]) -> Colouring:
        """The walks on one scale; one that does not begin at this sample is left to PANEL's."""
        own = {id: _relative(p.sum(axis=0)) for id, p in zip(embeddings, answers, strict=True) if p is not None}
        title = walk_title(ground.state, ground.data, rest)
        return Colouring(title, own[panel], own=own, alone=_alone(ground.state, ground.data, rest))

    cost = cost_of_scores(*embeddings[panel].coordinates.shape)
    return ColouringRequest(
        WalksJob(tuple(embeddings.values()), sample, t, start), colouring, tuple(embeddings), cost=cost
    )


def _relative(p: Array) -> Array:
    scaled: Array = p / (p.max() or 1.0)
    nothing = 1e-12  # values below are 0 on a scale from 0 to 1
    scaled[scaled < nothing] = 0.0
    return scaled


def _alone(state: DocumentState, data: MultiView | None, rest: str) -> str:
    words, where = walk_words(state, data, rest)
    return f"relative probability {words} in {where}"


def _offered(ground: Ground) -> tuple[str, ...]:
    kept, walks = ground.state.point.sample_of(ground.data), [*walking(ground)]
    if kept is None or len(walks) < 2:
        return ()
    return (f"{walks[-1]}:{kept}:{steps_kind(ground.state.point.steps)}",)


def _script(state: DocumentState, rest: str, names: Mapping[str, str]) -> str:
    p = script_of(state, rest, names)
    return f"(p := {p}) / p.max()" if p else ""


WALKS = Kind(_ask, walk_title, "Seen from the kept sample by every panel", _offered, _script)
