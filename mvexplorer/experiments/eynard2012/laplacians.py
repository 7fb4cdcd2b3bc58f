"""The common part of these experiments: eigenvectors of one view's own Laplacian, joint ones, and heat distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.api.preparing import EmbedOptions, prepare
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.distances import squared_distances
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.methods.shared.graphs import smallest_eigenpairs_of_laplacian, view_graph


def single_laplacian(data: MultiView, i: int, k: int, **params: Any) -> tuple[Array, Array]:
    """The k smallest eigenvalues and their eigenvectors (M, k) of the Laplacian of view i's graph."""
    planned = plan(get_method("laplacian-mean"), data, None, "gaussian", 1.0, params)
    stages = prepare(planned, data, EmbedOptions(Task()))
    return smallest_eigenpairs_of_laplacian(view_graph(stages, i).laplacian, k, Task())


def joint_laplacian(data: MultiView, k: int, **params: Any) -> tuple[Array, Array]:
    """The same of both views together, by joint diagonalisation."""
    e = embed(data, "jade", epsilon=1.0, n_components=k, **params)
    return e.eigenvalues[:k], e.coordinates


def heat_distances(values: Array, vectors: Array, t: float) -> Array:
    """Squared heat diffusion distances (M, M), (2), after time t."""
    return squared_distances(vectors * np.exp(-0.5 * t * values))
