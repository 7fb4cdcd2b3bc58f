"""Colouring by the clusters of a panel: ``clusters:PANEL:WAY:NUMBER``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import count

import numpy as np
import numpy.typing as npt

from mvexplorer.compute.jobs.cluster_jobs import ClusterJob
from mvexplorer.compute.jobs.cost import cost_of_neighbours
from mvexplorer.compute.jobs.runner import Result
from mvexplorer.engine.analysis.clusters import NEIGHBOURS, WAYS
from mvexplorer.engine.api.cost import Estimate
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import DataError
from mvexplorer.state.colourings.class_comparison import compare_with_classes
from mvexplorer.state.colourings.deriving import ColouringRequest, Ground, Kind
from mvexplorer.state.document.colour_titles import MAX_CLASSES, clusters_of, clusters_title
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.colouring import Colouring, as_in_whole, resolve_colouring

NO_PLACE = "no place"
"""The class of samples that have no place in the picture."""


def cluster_source(panel: str, how: str, n_clusters: int) -> str:
    """The source of a colouring by clusters."""
    return f"clusters:{panel}:{how}:{n_clusters}"


def cluster_job(result: Result, how: str, n_clusters: int, seed: int) -> tuple[ClusterJob, Estimate]:
    """The job that finds the clusters of a picture, and its cost."""
    Y = result.embedding.coordinates
    return ClusterJob(Y, how, n_clusters, seed), cost_of_neighbours(len(Y), Y.shape[1], NEIGHBOURS)


def cluster_colouring(title: str, values: npt.NDArray[np.int64]) -> Colouring:
    """The colouring by clusters (M,); samples without one, -1, are a class in the grey of the rest."""
    number = int(values.max()) + 1
    names = tuple(f"cluster {k + 1}" for k in range(number))
    if (values >= 0).all():
        return Colouring(title, values, names)
    grey = -1
    return Colouring(title, np.where(values < 0, number, values), (*names, NO_PLACE), colours=(*range(number), grey))


def in_class_colours(clusters: Colouring, data: MultiView, whole: Mapping[str, tuple[str, ...]]) -> Colouring:
    """The clusters in the colours of the classes that they are assigned to, the others in colours that no class has."""
    try:
        assigned = compare_with_classes(clusters, data).found
    except DataError:  # there are no classes
        return clusters
    labels = as_in_whole(resolve_colouring("labels", data, {}), whole)
    places = {} if labels is None else dict(zip(labels.classes, labels.colours or count(), strict=False))
    of = {k: places[name] for name, k in zip(assigned.classes, assigned.cluster_of, strict=True) if k is not None}
    free = (place for place in count() if place not in places.values())
    names = enumerate(clusters.classes)
    colours = (-1 if name == NO_PLACE else of[k] if k in of else next(free) for k, name in names)
    return replace(clusters, colours=tuple(colours))


def cluster_groups(clusters: Colouring) -> dict[str, tuple[int, ...]]:
    """The samples of each cluster by a name that also says whose cluster it is, the number first."""
    whose = clusters.title.partition(" of ")[2]
    names = (f"{name} of {whose}" if whose else name for name in clusters.classes)
    groups = {name: tuple(np.flatnonzero(clusters.values == k).tolist()) for k, name in enumerate(names)}
    return {name: rows for (name, rows), each in zip(groups.items(), clusters.classes, strict=True) if each != NO_PLACE}


def _ask(ground: Ground, rest: str) -> ColouringRequest | None:
    parts = clusters_of(rest)
    result = None if parts is None else ground.shown(parts[0])
    if parts is None or result is None:
        return None
    seed = ground.state.random_state
    title, (job, cost) = clusters_title(ground.state, ground.data, rest), cluster_job(result, *parts[1:], seed)

    def colouring(values: npt.NDArray[np.int64]) -> Colouring:
        return in_class_colours(cluster_colouring(title, values), ground.data, ground.state.whole_classes)

    return ColouringRequest(job, colouring, (parts[0],), (seed, ground.data.labels), cost)


def default_number(data: MultiView) -> int:
    """As many clusters as there are classes, where that is a number to start with; else 8."""
    classes = data.n_labels
    return classes if 2 <= classes <= min(MAX_CLASSES, data.n_samples) else min(8, data.n_samples)


def _offered(ground: Ground) -> tuple[str, ...]:
    ids = [panel.id for panel in ground.state.panels if ground.shown(panel.id) is not None]
    number = default_number(ground.data)
    return tuple(f"{id}:{how}:{number}" for id in ids for how in WAYS)


def _script(state: DocumentState, rest: str, names: Mapping[str, str]) -> str:
    parts = clusters_of(rest)
    name = "" if parts is None else names.get(parts[0], "")
    if parts is None or not name:
        return ""
    return f'mvx.clusters({name}.coordinates, {parts[2]}, "{parts[1]}", random_state={state.random_state})'


CLUSTERS = Kind(_ask, clusters_title, "Clusters of a panel", _offered, _script)
