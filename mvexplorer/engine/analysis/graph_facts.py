"""How a graph hangs together: the degrees of its samples, and its connected components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.bandwidth.curves import LINK
from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.multiview import Array

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class GraphFacts:
    """How a graph hangs together; computed by `degrees_and_components`.

    `degrees` (M,) are row sums of the affinities, `component` (M,) the connected component of each sample, the largest
    being 0, `sizes` (c,) the samples in each, descending.
    """

    degrees: Array
    component: Indices
    sizes: Indices


def degrees_and_components(affinities: Any, *, link: float = LINK) -> GraphFacts:
    """The degrees of a graph's samples, and its connected components.

    Parameters
    ----------
    affinities : array or sparse array (M, M)
        Symmetric and non-negative.
    link : float
        In an array two samples are joined by at least this affinity; in a sparse one by any.

    Returns
    -------
    GraphFacts

    Examples
    --------
    >>> facts = mvx.degrees_and_components(np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    >>> facts.degrees.tolist(), facts.sizes.tolist()
    ([1.5, 1.5, 1.0], [2, 1])
    """
    components = _components(affinities, link) if isinstance(affinities, np.ndarray) else _sparse_components(affinities)
    counts = np.bincount(components)
    order = np.argsort(-counts, kind="stable")
    degrees = np.asarray(affinities.sum(axis=1), dtype=np.float64).ravel()
    return GraphFacts(degrees, np.argsort(order)[components], counts[order])


def _sparse_components(graph: Any) -> Indices:
    with IMPORTS:
        from scipy.sparse.csgraph import connected_components

    components: Indices = connected_components(graph, directed=False)[1]
    return components


def _components(K: Array, link: float) -> Indices:
    """Number of the component of each sample: from one sample outwards, each row looked at once."""
    components = np.full(len(K), -1, dtype=np.intp)
    at_once = 64  # Rows that are looked at at a time.
    for number, seed in enumerate(iter(lambda: int(np.argmin(components)) if (components < 0).any() else -1, -1)):
        front = np.array([seed])
        while len(front):
            components[front] = number
            reached = np.zeros(len(K), dtype=bool)
            for start in range(0, len(front), at_once):
                reached |= (K[front[start : start + at_once]] >= link).any(axis=0)
            front = np.flatnonzero(reached & (components < 0))
    return components
