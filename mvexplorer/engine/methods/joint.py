"""Joint approximate diagonalisation of the views' Laplacians, and what related methods share with it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import cast

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import N_COMPONENTS, Param, Value, parse_weights
from mvexplorer.engine.kernels.distances import FLOAT32_SAMPLES
from mvexplorer.engine.kernels.operators import KernelMatrix, Matrix
from mvexplorer.engine.methods.shared.families import LAPLACIANS
from mvexplorer.engine.methods.shared.graphs import (
    ViewGraph,
    graph_among,
    smallest_eigenpairs_of_laplacian,
    view_graph,
    weighted_mean,
)
from mvexplorer.engine.pipeline.footprint import EIGH, PeakMemory, Size, distances, in_rows, kernels
from mvexplorer.engine.pipeline.ingredients import DOUBLY_STOCHASTIC, INGREDIENTS, NORMALISATION
from mvexplorer.engine.pipeline.isolated import without_neighbours
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.scaling_notices import notices_of_views
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_weights import by_volume, equal_volume
from mvexplorer.engine.spectral.diagnostics import Diagnostics
from mvexplorer.engine.spectral.eigenpairs import DENSE_LIMIT, MANY, Decomposition, fix_signs
from mvexplorer.engine.spectral.isolated import Kept, spread_out
from mvexplorer.engine.spectral.jacobi import TOLERANCE, joint_diagonalise

PAPER = "Eynard, Glashoff, Bronstein, Bronstein: Multimodal diffusion geometry (2012)"

HEAT_TIME = Param(
    "heat_time",
    "t",
    0.0,
    "How long heat spreads over the graphs: coordinates are weighted by exp(−tλ/2); 0 gives plain eigenmaps.",
    low=0.0,
    high=10_000.0,
    title="Heat time",
    source=f"{PAPER}, (2)",
    affects="coordinates",
)
GRAPH = Param(
    "graph",
    "W",
    "knn",
    "What joins two samples of a view: being among each other's nearest neighbours, or the view's kernel at its ε.",
    kind="choice",
    choices=("knn", "kernel"),
    title="Graph",
    source=f"{PAPER}, section 2",
)
GRAPH_NEIGHBOURS = Param(
    "graph_neighbours",
    "k",
    10,
    "Neighbours each sample is joined to in the graph knn, in either direction; at most all the others.",
    kind="int",
    low=1,
    high=10_000,
    title="Neighbours",
    source=f"{PAPER}, section 5",
)
EDGE_WEIGHTS = Param(
    "edge_weights",
    "w",
    "self-tuning",
    "Weights in the graph knn: self-tuning exp(−d²/σᵢσⱼ), σ the distance to the 7th neighbour, or gaussian exp(−d²/t) "
    "with one t, the mean d² of all edges.",
    kind="choice",
    choices=("self-tuning", "gaussian"),
    title="Edge weights",
    source="Zelnik-Manor, Perona: Self-tuning spectral clustering (2004); Belkin, Niyogi (2002)",
)
VIEW_WEIGHTS = Param(
    "view_weights",
    "ω",
    None,
    "How much each view in use counts, one number per view, such as 1,2,1; empty means equal weights, 0 leaves a view "
    "out.",
    kind="weights",
    title="View weights",
    source=f"{PAPER}, section 3; Ma, Lee (2008)",
)
SUBSPACE = Param(
    "subspace",
    "k'",
    60,
    "The joint vectors are sought among combinations of the k' smoothest vectors of the summed Laplacians: faster than "
    "among all, and nearly the same at the smooth end. At most M, at least r + 1 are taken.",
    kind="int",
    low=2,
    high=10_000,
    title="Subspace",
    source=f"after {PAPER}, (3)",
)
FULL = Param(
    "full",
    "",
    False,
    "Seek the joint vectors among all vectors: minutes instead of a moment beyond 1000 samples.",
    kind="flag",
    title="Full joint basis",
    source=f"{PAPER}, (3)",
)

COMMON = (N_COMPONENTS, HEAT_TIME, GRAPH, GRAPH_NEIGHBOURS, EDGE_WEIGHTS, VIEW_WEIGHTS, *INGREDIENTS)
UNION = "Acts on the union of the views' graphs: a false shortcut of one view stays, with a share of its weight."
FIRST = "No coordinate is left out: the first joint vector is only trivial where the views' degrees agree."


class Graphs(dict[str, ViewGraph]):
    """The graphs of the views whose weight is above 0, by view name.

    They are graphs of all samples, or of those `kept` where without self-loops some have neighbours in no view.
    """

    kept: Kept | None = None

    @property
    def laplacians(self) -> list[Matrix]:
        """The Laplacians (n, n) of the samples that are kept."""
        return [graph.laplacian for graph in self.values()]

    @property
    def n_samples(self) -> int:
        """Number n of samples that are kept."""
        return int(self.laplacians[0].shape[0])


def weighted_graphs(stages: Stages) -> tuple[Graphs, Array]:
    """The graphs of the views whose weight is above 0, and these weights (n,), scaled to mean 1."""
    given = stages.params["view_weights"]
    weights = np.ones(stages.n_views)
    if given is not None and not by_volume(stages):
        weights = np.array(parse_weights(str(given), VIEW_WEIGHTS))
    graphs = Graphs()
    for i in np.flatnonzero(weights).tolist():
        stages.task.progress(0.0)
        graphs[stages.view_name(i)] = view_graph(stages, i)
    if by_volume(stages):
        weights = equal_volume([graph.volume for graph in graphs.values()], list(graphs))
    if by_kernel(stages.params) and not stages.form.loops:
        graphs = _with_neighbours_in_some(stages, graphs)
    counted = weights[weights > 0.0]
    return graphs, counted / counted.mean()


def _with_neighbours_in_some(stages: Stages, graphs: Graphs) -> Graphs:
    """The graphs without the samples that have neighbours in no view; ComputeError where too few are left."""
    kept = np.any([g.null_vector > 0.0 for g in graphs.values()], axis=0)
    if kept.all():
        return graphs
    without_neighbours(stages, kept)
    fewer = Graphs({name: graph_among(g, kept) for name, g in graphs.items()})
    fewer.kept = kept
    return fewer


def by_kernel(params: Mapping[str, Value]) -> bool:
    """True if the graphs are the views' kernels."""
    return params["graph"] == "kernel"


def leaves_trivial(params: Mapping[str, Value]) -> bool:
    """True if all graphs share the constant null vector, so that the first joint vector is trivial and left out."""
    return by_kernel(params) and params.get(NORMALISATION.name) == DOUBLY_STOCHASTIC


def heat_coordinates(decomposition: Decomposition, params: Mapping[str, Value]) -> tuple[Array, ...]:
    """Coordinates e^(-tλ_k/2) v_k (M, r), the first vector included; (2) with K(λ) = e^(-tλ)."""
    r, t = int(cast("int", params["n_components"])), float(cast("float", params["heat_time"]))
    first = int(leaves_trivial(params))
    some = slice(first, first + r)
    # The weight e^(-tλ) of (2) belongs to squared distances: coordinates have its square root.
    return (decomposition.blocks[0][:, some] * np.exp(-0.5 * t * decomposition.eigenvalues[some]),)


def joint_decomposition(
    stages: Stages,
    values: Array,
    vectors: Array,
    graphs: Graphs,
    info: dict[str, float] | None = None,
    diagnostics: Diagnostics = (),
) -> Decomposition:
    """Make a decomposition of joint eigenvalues (k,) and vectors (M, k), with warnings about them.

    Values ascend; those below 0 are rounding. `graphs` are those of the views whose weight is above 0; `diagnostics`
    are the method's own warnings, listed first.
    """
    if leaves_trivial(stages.params):
        vectors = _constant_first(values, vectors)
    diagnostics = (*diagnostics, *_graph_diagnostics(stages, graphs), *_first_doubt(graphs, vectors[:, 0]))
    diagnostics = (*diagnostics, *_of_no_effect(stages))
    if leaves_trivial(stages.params):
        used = [i for i in range(stages.n_views) if stages.view_name(i) in graphs]
        diagnostics = (*diagnostics, *notices_of_views(stages, used))
    if graphs.kept is not None:
        diagnostics = (*diagnostics, *without_neighbours(stages, graphs.kept))
    solved = Decomposition(np.maximum(values, 0.0), (fix_signs(vectors),), info or {}, diagnostics)
    return spread_out(solved, graphs.kept)


def _constant_first(values: Array, vectors: Array) -> Array:
    """The vectors (n, k), of which those of value 0 are turned so that the first is constant: it is left out.

    A graph in pieces has several, among which the solver takes any.
    """
    nothing = 1e-6  # A value below it is 0; those of squared Laplacians are roots of rounding.
    count = int(np.count_nonzero(values < nothing))
    if count < 2:
        return vectors
    along = vectors[:, :count].sum(axis=0)
    turn = np.linalg.qr(np.column_stack([along, np.eye(count)]))[0]
    return np.column_stack([vectors[:, :count] @ turn, vectors[:, count:]])


def _of_no_effect(stages: Stages) -> Diagnostics:
    """The notice that ingredients of kernels do not matter to the graph of neighbours."""
    if by_kernel(stages.params) or stages.form.plain:
        return ()
    text = "The graph knn has no self-loops and keeps its weights: choose the graph kernel to change them."
    return (("no-effect", text),)


def _graph_diagnostics(stages: Stages, graphs: Graphs) -> Diagnostics:
    knn, diagnostics = stages.params["graph"] == "knn", []
    apart = [f"“{name}” into {g.pieces} unconnected pieces" for name, g in graphs.items() if g.pieces > 1]
    if apart:
        text = (
            f"The views' graphs fall apart, {', '.join(apart)}: the leading coordinates only separate them. "
            f"{'Take more neighbours' if knn else 'Enlarge ε'} to see the geometry inside."
        )
        diagnostics.append(("disconnected", text))
    if knn and int(cast("int", stages.params["graph_neighbours"])) >= stages.n_samples:
        text = f"Each sample is joined to all {stages.n_samples - 1} others: there are no {GRAPH_NEIGHBOURS.symbol} = "
        diagnostics.append(("all-neighbours", f"{text}{stages.params['graph_neighbours']} neighbours."))
    return tuple(diagnostics)


def _first_doubt(graphs: Graphs, first: Array) -> Diagnostics:
    joined = [g for g in graphs.values() if g.null_vector.any()]  # a view without an edge has no first vector
    away = max((1.0 - float(g.null_vector @ first) ** 2 for g in joined), default=0.0)
    # The first joint vector is trivial while 1 - cos² of its angle to every view's null vector is below this.
    trivial = 1e-6
    if away <= trivial:
        return ()
    angle = np.degrees(np.arcsin(min(1.0, np.sqrt(away))))
    text = (
        f"The first coordinate is not trivial: it is up to {angle:.2g}° away from the views' own first vectors, the "
        "roots of their degrees, which differ from each other. So it is kept."
    )
    return (("joint-first", text),)


# JADE -------------------------------------------------------------------------------------------------------


def solve(stages: Stages) -> Decomposition:
    """Joint approximate eigenvectors of (3), and as eigenvalues the mean of the diagonals.

    The start is the eigenbasis of Σ L_i, from which Jacobi rotations cannot be trapped at the identity.
    """
    graphs, weights = weighted_graphs(stages)
    laplacians = graphs.laplacians
    n, full = graphs.n_samples, bool(stages.params["full"])
    size = n if full else min(n, max(int(cast("int", stages.params["subspace"])), stages.n_vectors))
    _, basis = smallest_eigenpairs_of_laplacian(weighted_mean(laplacians, weights), size, stages.task)
    # A view of weight w counts as w views, because `off` sums squared entries.
    reduced = [np.sqrt(w) * _compressed(stages, L, basis) for L, w in zip(laplacians, weights, strict=True)]
    # Tolerance with all vectors, where a sweep takes a second: the smooth ones have converged long before the others.
    full_tolerance = 1e-5
    joint = joint_diagonalise(reduced, stages.task, full_tolerance if full else TOLERANCE)
    values = np.sqrt(weights) @ joint.diagonals / weights.sum()
    order = np.argsort(values, kind="stable")[: stages.n_vectors]
    total = joint.off + float(np.square(joint.diagonals).sum())
    info = {"off_diagonal_share": joint.off / total if total > 0.0 else 0.0}
    diagnostics: Diagnostics = ()
    if not joint.converged:
        text = f"The joint basis still changes after {joint.sweeps} sweeps: look at another k', or trust it less."
        diagnostics = (("no-convergence", text),)
    return joint_decomposition(stages, values[order], basis @ joint.vectors[:, order], graphs, info, diagnostics)


def _compressed(stages: Stages, L: KernelMatrix, basis: Array) -> Array:
    """Qᵀ L Q (k', k') for the basis Q (M, k'), symmetric."""
    parts = []
    for start in range(0, basis.shape[1], 256):
        stages.task.checkpoint()
        parts.append(basis.T @ (L @ basis[:, start : start + 256]))
    out = np.hstack(parts)
    return 0.5 * (out + out.T)


def held_by_graphs(size: Size) -> PeakMemory:
    """The views' graphs: sparse ones of neighbours, read from all distances, or kernels."""
    sparse = size.vectors(40 * int(cast("int", size.params["graph_neighbours"])))
    if size.params["graph"] == "knn":
        return sum((distances(size, i) for i in size.views), PeakMemory(own=sparse, passing=sparse) + in_rows(size))
    held = kernels(size)
    for kernel in size.kernels:
        if not kernel.kind.sparse:
            implicit = kernel.landmarks > 0 or size.n > FLOAT32_SAMPLES
            held += PeakMemory(size.matrix, 0.0, size.matrix if implicit else 0.0)
    return held


def dense_graphs(size: Size) -> bool:
    """True if the Laplacians are arrays (M, M)."""
    return size.params["graph"] == "kernel" and not all(kernel.kind.sparse for kernel in size.kernels)


def filtered(size: Size, count: int) -> PeakMemory:
    """The computation of the `count` smoothest vectors of a Laplacian."""
    n_blocks = 7  # Blocks of vectors held by a filtered subspace iteration.
    return PeakMemory(own=size.vectors(n_blocks * (count + max(8, count // 4))))


def held_with_mean(size: Size) -> PeakMemory:
    """The graphs, their mean, and its smoothest vectors."""
    mean = PeakMemory(own=size.matrix, passing=size.matrix) if dense_graphs(size) else PeakMemory()
    return held_by_graphs(size) + mean + filtered(size, size.r)


def _held(size: Size) -> PeakMemory:
    """As the mean Laplacian, with k' vectors; in full all of them, and as many matrices of that size."""
    count = min(size.n, max(int(cast("int", size.params["subspace"])), size.r + 1))
    held = held_with_mean(size) + filtered(size, count)
    if size.params["full"]:
        return held + PeakMemory(own=(2.0 * len(size.features) + 3.0) * size.matrix, passing=EIGH * size.matrix)
    if dense_graphs(size) and count > MANY and size.n <= DENSE_LIMIT:
        return held + PeakMemory(own=0.0, passing=EIGH * size.matrix)
    return held


relative = partial(
    Method,
    family=LAPLACIANS,
    footprint=held_with_mean,
    coordinates=heat_coordinates,
    min_views=2,
    first_component=0,
    keeps_trivial=True,
    requires="kernels",
    epsilon_if=("graph", "kernel"),
)
"""A method of this family, with what all of them declare alike."""

METHODS = (
    relative(
        id="jade",
        title="Joint diagonalisation",
        formula="min_V Σ_l off(Vᵀ L_l V),   VᵀV = I",
        latex=(r"\min_{V} \, \sum_{l} \mathrm{off}\left( V^{\mathsf T} L_l V \right), \qquad V^{\mathsf T} V = I",),
        summary="One basis in which the graph Laplacians of all views are as diagonal as can be.",
        source=f"{PAPER}, (3)-(5); Cardoso, Souloumiac (1996)",
        params=(*COMMON, SUBSPACE, FULL),
        solve=solve,
        footprint=_held,
        assumes="The views' graphs have nearly the same smooth vectors: their Laplacians nearly commute.",
        cost="A graph per view, k' smooth vectors, then sweeps over pairs of them: a moment; in full, minutes.",
        remarks=(
            UNION,
            "Agrees nearly everywhere with the mean Laplacian, which is simpler; they differ at higher vectors.",
            "Distances become truer at places where one view touches itself; the picture mostly does not.",
            FIRST,
        ),
    ),
)
