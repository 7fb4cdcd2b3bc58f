"""Colouring by where two panels differ: ``disagreement:PANEL:PANEL``."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from mvexplorer.compute.jobs.cost import cost_of_neighbours
from mvexplorer.compute.jobs.pair_jobs import DisagreementJob
from mvexplorer.state.colourings.deriving import ColouringRequest, Ground, Kind
from mvexplorer.state.document.colour_titles import disagreement_title, pair_of
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.colouring import Colouring


def _ask(ground: Ground, rest: str) -> ColouringRequest | None:
    pair, k = pair_of(rest), ground.state.comparison.k
    results = [ground.shown(panel) for panel in pair]
    if any(result is None for result in results) or pair[0] == pair[1]:
        return None
    first, second = (result.embedding.coordinates for result in results if result is not None)
    k = min(k, len(first) - 1)
    title = disagreement_title(ground.state, ground.data, rest)
    cost = cost_of_neighbours(len(first), first.shape[1] + second.shape[1], k)
    return ColouringRequest(
        DisagreementJob(first, second, k), lambda values: Colouring(title, values), pair, (k,), cost
    )


def _offered(ground: Ground) -> tuple[str, ...]:
    ids = [panel.id for panel in ground.state.panels if ground.shown(panel.id) is not None]
    return tuple(f"{first}:{second}" for first, second in combinations(ids, 2))


def _script(state: DocumentState, rest: str, names: Mapping[str, str]) -> str:
    variables = [names.get(id, "") for id in pair_of(rest)]
    if not all(variables):
        return ""
    return f"mvx.agreement([{', '.join(variables)}], k={state.comparison.k}).disagreement(0, 1)"


DISAGREEMENT = Kind(_ask, disagreement_title, "Disagreement of two panels", _offered, _script)
