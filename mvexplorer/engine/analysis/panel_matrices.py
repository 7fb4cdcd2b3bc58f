"""The matrices behind a picture: kernels and transitions of its views and of the operator that its method solved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.analysis.diagnostics import Indices, MatrixImage, Products, SquaredDistances, matrix_image
from mvexplorer.engine.analysis.graph_facts import GraphFacts, degrees_and_components
from mvexplorer.engine.api.plan import Plan, plan
from mvexplorer.engine.api.preparing import EmbedOptions, prepare, solved_on
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.methods.diffusion import walk_of_kernel
from mvexplorer.engine.methods.local_cca import (
    MetricSettings,
    local_metric,
    metric_factors,
    metric_settings,
    middle_metric,
    remembered,
)
from mvexplorer.engine.methods.shared.graphs import neighbour_weights
from mvexplorer.engine.methods.shared.neighbourhoods import neighbourhoods
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.stages import Memo, Stages, remember_once
from mvexplorer.engine.pipeline.view_kernel import distances_of, kernel_of, table_of
from mvexplorer.engine.spectral.davidson import Apply
from mvexplorer.errors import ParameterError

MatrixKind = Literal["kernel", "transition", "distances"]
OWN = ""
"""Stands among the views for the operator that the method solved."""


@dataclass(frozen=True, eq=False)
class _Operator:
    """A square matrix known by its products."""

    apply: Apply
    shape: tuple[int, int]

    def __matmul__(self, V: Array) -> Array:
        return self.apply(V)


def stages_of(planned: Plan, data: MultiView, embedding: Embedding, task: Task, memo: Memo) -> Stages:
    """Prepare the stages of a picture as it was computed, on the samples that it was solved on."""
    if embedding.known is not None:
        return embedding.known.stages().with_task(task).with_memo(memo)
    options = EmbedOptions(task, memo, embedding.random_state)
    solved, _ = solved_on(planned, data, options)
    return prepare(planned, solved, options)


def stages_from(embedding: Embedding, data: MultiView | None, task: Task | None) -> Stages:
    """Prepare the stages of an embedding from what it holds or, for methods that place no new samples, from its data.

    ParameterError where the samples are not known, as for given coordinates.
    """
    task, memo = task or Task(), remember_once()
    if embedding.known is not None:
        return embedding.known.stages().with_task(task).with_memo(memo)
    if data is None or data.n_samples != len(embedding.coordinates):
        raise ParameterError(
            "This result does not hold its samples.", "Give data=..., the samples that it was computed from."
        )
    part = embedding.info.get("random_part")
    planned = plan(
        get_method(embedding.method),
        data,
        embedding.views,
        embedding.kernels,
        embedding.epsilon,
        embedding.params,
        None if part is None else int(part),
    )
    return stages_of(planned, data, embedding, task, memo)


def matrix_of(
    embedding: Embedding,
    kind: MatrixKind = "kernel",
    view: str = OWN,
    *,
    order: npt.ArrayLike | None = None,
    data: MultiView | None = None,
    task: Task | None = None,
) -> MatrixImage:
    """A kernel, a transition matrix or squared distances behind an embedding, as an image.

    Parameters
    ----------
    embedding : Embedding
        The picture.
    kind : "kernel", "transition" or "distances"
        Affinities; the walk's probabilities of one step, from row to column; squared distances between samples.
    view : str
        A view's name; empty for the operator that the method solved, which has a block for each view that the walk
        tells apart, and for distances in the picture itself.
    order, task
        As `matrix_image` takes them.
    data : MultiView, optional
        As it was embedded: needed by methods whose results do not hold their samples.

    Returns
    -------
    MatrixImage
        Of up to 1,500 rows every entry; distances from samples without a place in the picture are NaN.

    Raises
    ------
    ParameterError
        The method has no such matrix, or there is no such view.

    Examples
    --------
    >>> embedding = mvx.embed(mvx.load("helix-a"), "multiview", epsilon=0.36)
    >>> P = mvx.matrix_of(embedding, "transition").values
    >>> P.shape, bool(np.allclose(P.sum(axis=1), 1.0))
    ((1200, 1200), True)
    """
    kinds = "kernel", "transition", "distances"
    if kind not in kinds:
        raise ParameterError(f"There is no matrix called “{kind}”.", f"Give one of {', '.join(kinds)}.")
    if kind == "distances" and view == OWN:
        return matrix_image(SquaredDistances(embedding.coordinates), order, task=task)
    stages = stages_from(embedding, data, task)
    rows = None if order is None else np.asarray(order, dtype=np.intp)
    return image_of(stages, get_method(embedding.method), kind, view, rows)


def graph_of(embedding: Embedding, view: str, *, data: MultiView | None = None, task: Task | None = None) -> GraphFacts:
    """The degrees of the samples in a view's graph, as an embedding used it, and its connected components.

    Parameters
    ----------
    embedding : Embedding
        The picture.
    view : str
        One of its views.
    data, task
        As `matrix_of` takes them.

    Returns
    -------
    GraphFacts

    Raises
    ------
    ParameterError
        The method has no kernel of its views, or there is no such view.

    Examples
    --------
    >>> embedding = mvx.embed(mvx.load("helix-a"), "kernel-sum", epsilon=0.36)
    >>> mvx.graph_of(embedding, "view1").sizes.tolist()
    [600]
    """
    stages = stages_from(embedding, data, task)
    return degrees_and_components(graph_of_view(stages, get_method(embedding.method), position_of(stages, view)))


def image_of(stages: Stages, method: Method, kind: MatrixKind, view: str, order: Indices | None = None) -> MatrixImage:
    """Make an image of a matrix of one view or, where `view` is empty, of the operator that the method solved.

    That operator has a block for each view that the walk tells apart. ``distances`` are squared, between preprocessed
    features; `order` is (M,). ParameterError where the method has no such matrix.
    """
    if view == OWN:
        return _own_image(stages, method, kind, order)
    i = position_of(stages, view)
    if kind == "distances":
        return matrix_image(_distances(stages, i), order, task=stages.task)
    K = affinities_of(stages, method, i)
    if kind == "kernel":
        return matrix_image(K, order, task=stages.task)
    return _transposed(matrix_image(_Operator(walk_of_kernel(stages, K).back, K.shape), order, task=stages.task))


def _own_image(stages: Stages, method: Method, kind: MatrixKind, order: Indices | None) -> MatrixImage:
    if method.walk is None or kind == "distances":
        raise ParameterError(
            f"{method.title} is no random walk on the samples: it has no matrix of its own.", "Choose one of its views."
        )
    walk = method.walk(stages)
    side = walk.n_blocks * walk.n_samples
    if kind == "transition":
        image = matrix_image(_Operator(walk.back, (side, side)), order, n_blocks=walk.n_blocks, task=stages.task)
        return _transposed(image)
    if walk.kernel is None:
        raise ParameterError(
            f"{method.title} multiplies two walks: it has no kernel of its own.",
            "Choose one of its views, or the transition matrix.",
        )
    return matrix_image(_Operator(walk.kernel, (side, side)), order, n_blocks=walk.n_blocks, task=stages.task)


def _transposed(image: MatrixImage) -> MatrixImage:
    """The image of a walk from that of its transpose, which is what walks multiply with."""
    return MatrixImage(image.values.T, image.edges, image.order, image.n_blocks)


def position_of(stages: Stages, view: str) -> int:
    """The place of a view among those used."""
    names = [stages.view_name(i) for i in range(stages.n_views)]
    if view not in names:
        raise ParameterError(f"This picture is not made of {view}.", f"It is made of {', '.join(names)}.")
    return names.index(view)


def affinities_of(stages: Stages, method: Method, i: int) -> Any:
    """The affinities (M, M) of view i that the method uses: its kernel, or the weights of its graph of neighbours."""
    if method.requires != "kernels":
        raise ParameterError(
            f"{method.title} uses the features themselves: its views have no kernel.",
            "Choose a method with a bandwidth.",
        )
    if stages.params.get("graph") == "knn":
        k = min(int(cast("int", stages.params["graph_neighbours"])), stages.n_samples - 1)
        return neighbour_weights(distances_of(stages, i), k, str(stages.params["edge_weights"]), stages.task)
    return kernel_of(stages, i)


def _distances(stages: Stages, i: int) -> Products:
    if stages.kernels[i].kind.metric == "none":
        return distances_of(stages, i)
    return SquaredDistances(stages.points(i))


def graph_of_view(stages: Stages, method: Method, i: int) -> Any:
    """The affinities (M, M) of view i with their entries."""
    K = affinities_of(stages, method, i)
    return K if hasattr(K, "nnz") else table_of(stages, i)


def own_degrees(stages: Stages, method: Method) -> Array:
    """The row sums (B, M) of the kernel that a method's walk is made of."""
    walk = None if method.walk is None else method.walk(stages)
    if walk is None or walk.kernel is None:
        raise ParameterError(
            f"{method.title} has no kernel of its own whose rows could be summed.", "Choose one of its views."
        )
    return walk.kernel(np.ones((walk.n_blocks * walk.n_samples, 1))).reshape(walk.n_blocks, -1)


# Local CCA --------------------------------------------------------------------------------------------------------


def local_metric_distances(stages: Stages) -> Array:
    """Distances D (L, M) of local CCA, (13), from its subset of samples, or all of them, to all."""
    settings = metric_settings(stages)
    compute = middle_metric if settings.middle else local_metric
    return remembered(stages, "local-metric", settings, lambda: compute(stages, settings))[0]


def metric_at(stages: Stages, sample: int | None) -> Array:
    """Compute local CCA's metric A = P Λ Pᵗ (D, D) in the first view at a sample, or its mean over the samples.

    None gives the mean, over up to 200 samples evenly spread.
    """
    settings = metric_settings(stages)
    mean_of = 200
    rows = np.linspace(0, stages.n_samples - 1, min(stages.n_samples, mean_of)).astype(np.intp)
    factors = _factors(stages, settings, rows if sample is None else np.array([sample]))
    total = np.zeros((factors.shape[1], factors.shape[1]))
    for B in factors:
        total += B @ B.T
    return total / len(factors)


def _factors(stages: Stages, settings: MetricSettings, rows: Any) -> Array:
    """The factors B (c, D, m) of the metrics at some samples."""
    near = neighbourhoods(stages, settings.kind, settings.size)
    first, second = (near.samples(stages, i, rows) for i in range(2))
    return metric_factors(first, second, settings)[0]
