"""Methods that fuse the views into one kernel before the diffusion map: sum, product, concatenation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import cast

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import Param
from mvexplorer.engine.kernels.affinities import gaussian, rounded
from mvexplorer.engine.kernels.distances import FLOAT32_SAMPLES
from mvexplorer.engine.kernels.forms import without_loops
from mvexplorer.engine.kernels.neighbours import cross_graph, kth_in_graph
from mvexplorer.engine.kernels.operators import (
    FEWEST_ROWS,
    Float32Kernel,
    Graph,
    KernelMatrix,
    Matrix,
    Sum,
    ThreadedOperator,
    as_array,
)
from mvexplorer.engine.methods.diffusion import (
    OF_WALK,
    SOURCE,
    alpha_of,
    diffusion_coordinates,
    extend_by_kernel,
    pencil_of_kernel,
    solve_pencil,
    walk_of_kernel,
)
from mvexplorer.engine.methods.shared.families import FUSED
from mvexplorer.engine.pipeline.footprint import (
    IN_BOTH,
    PeakMemory,
    Size,
    joint_dense,
    joint_graph,
    joint_landmarks,
    kernels,
    solver,
)
from mvexplorer.engine.pipeline.joint_kernel import (
    cross_joint_landmark_kernel,
    joint_distances,
    joint_gaussian,
    joint_landmark_kernel,
    joint_neighbours,
    one_count,
    plain_joint,
    same_kernel,
    scaled_joint,
    scaling_of_joint,
)
from mvexplorer.engine.pipeline.landmark_form import Joint, LandmarkForm, kernels_apart
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.scaling_notices import notices_of_joint, notices_of_views
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import (
    brought_near,
    cross_distances,
    cross_kernel,
    kernel_of,
    neighbour_count,
    rows_in_form,
    scaling_of_view,
    sparse_kernel,
)
from mvexplorer.engine.pipeline.view_share import shares_in_sum, told_shares
from mvexplorer.engine.pipeline.view_weights import (
    VIEW_WEIGHTS,
    VOLUME_WEIGHTS,
    by_volume,
    given_weights,
    plain_operators_of,
    told_weights,
    weights_of,
)
from mvexplorer.engine.pipeline.walk import Walk
from mvexplorer.engine.spectral.eigenpairs import Decomposition
from mvexplorer.engine.spectral.reduced import Pencil
from mvexplorer.errors import ParameterError

JOINT_EPSILON = Param(
    "joint_epsilon",
    "ε₀",
    None,
    "Bandwidth of the concatenated samples; empty means the sum of the views' ε, each times its view's weight.",
    low=np.finfo(float).tiny,
    log=True,
    title="Joint bandwidth",
    unit="squared data units",
    source="section 6.1.1",
    empty="Σ ε",
)


def _sum(stages: Stages) -> KernelMatrix:
    """Σ w_l K^l, added up where the views' kernels are arrays: one product instead of one for each view."""
    weights = weights_of(stages)
    if stages.rounds_kernels and isinstance(whole := _sum(stages.in_float64()), np.ndarray):
        return stages.fused("sum", weights, compute=lambda: rounded(whole))
    if stages.form.scaled and stages.interactive:  # each view's own, scaled, would be one more array to fill
        plain = [kernel_of(stages.unscaled(), i) for i in range(stages.n_views)]
        if all(isinstance(K, np.ndarray) for K in plain):
            factors = [scaling_of_view(stages, i).factors for i in range(stages.n_views)]
            arrays = [as_array(K) for K in plain]
            return stages.fused("sum", weights, compute=lambda: _added_scaled(stages, arrays, factors))
    kernels = [kernel_of(stages, i) for i in range(stages.n_views)]
    if all(isinstance(K, Float32Kernel) for K in kernels):
        held = [cast("Float32Kernel", K) for K in kernels]
        total = stages.in_float32().fused("sum", weights, compute=lambda: _added(stages, [K.stored for K in held]))
        return replace(held[0], stored=total)
    if all(isinstance(K, np.ndarray) for K in kernels):
        return stages.fused("sum", weights, compute=lambda: _added(stages, [as_array(K) for K in kernels]))
    return _sum_of_products(stages, kernels)


def _sum_of_products(stages: Stages, kernels: Sequence[KernelMatrix]) -> Sum:
    """Σ w_l K^l, known by its products only."""
    return Sum([ThreadedOperator(K, stages.task, w) for K, w in zip(kernels, weights_of(stages), strict=True)])


def _added(stages: Stages, arrays: Sequence[Array]) -> Array:
    """Σ w_l K^l of kernels (M, M) that are arrays, a few rows at a time."""
    total: Array = stages.task.empty(arrays[0].shape, arrays[0].dtype)
    weights = weights_of(stages)

    def add(rows: slice) -> None:
        for start in range(rows.start, rows.stop, FEWEST_ROWS):
            some = slice(start, min(start + FEWEST_ROWS, rows.stop))
            np.multiply(arrays[0][some], weights[0], out=total[some])
            for A, w in zip(arrays[1:], weights[1:], strict=True):
                total[some] += A[some] if w == 1.0 else w * A[some]

    stages.task.map_blocks(len(total), FEWEST_ROWS, add)
    return total


def _added_scaled(stages: Stages, arrays: Sequence[Array], factors: Sequence[Array]) -> Array:
    """Σ w_l diag(x_l) K^l diag(x_l) of kernels (M, M) that are arrays, for their `factors` x_l (M,)."""
    total: Array = stages.task.empty(arrays[0].shape, arrays[0].dtype)
    x = np.asarray(factors, dtype=total.dtype)
    of_rows = np.ascontiguousarray((x * np.asarray(weights_of(stages), dtype=x.dtype)[:, None]).T)
    at_hand = 32
    of_columns = np.repeat(x[:, None], at_hand, axis=1)  # a product with whole blocks takes half the time

    def add(rows: slice) -> None:
        blocks = np.empty_like(of_columns)
        for start in range(rows.start, rows.stop, at_hand):
            some = slice(start, min(start + at_hand, rows.stop))
            n = some.stop - start
            for A, columns, block in zip(arrays, of_columns, blocks, strict=True):
                np.multiply(A[some], columns[:n], out=block[:n])
            np.matmul(of_rows[some, None], blocks[:, :n].swapaxes(0, 1), out=total[some, None])

    stages.task.map_blocks(len(total), FEWEST_ROWS, add)
    return total


def _degrees_of_sum(stages: Stages) -> Array:
    return _sum(stages).sum(axis=1)


def _pencil_of_sum(stages: Stages) -> Pencil:
    notices = notices_of_views(stages, range(stages.n_views))
    info = partial(_info_of_sum, stages)
    return pencil_of_kernel(stages, _sum(stages), stages.n_views, info=info, warnings=notices)


def _info_of_sum(stages: Stages) -> dict[str, float]:
    """The share of each view in a step, and its weight where that follows from the kernels."""
    weights = weights_of(stages)
    return told_weights(stages, weights) | told_shares(stages, shares_in_sum(stages, weights, alpha_of(stages)))


def _solve_sum(stages: Stages) -> Decomposition:
    return solve_pencil(stages, _pencil_of_sum(stages))


def _cross_sum(stages: Stages, new_Xs: Sequence[Array]) -> KernelMatrix:
    return _sum_of_products(stages, [cross_kernel(stages, i, X) for i, X in enumerate(new_Xs)])


def _extend_sum(stages: Stages, decomposition: Decomposition, new_Xs: Sequence[Array]) -> tuple[Array, ...]:
    return extend_by_kernel(stages, decomposition, _cross_sum(stages, new_Xs), _degrees_of_sum)


SMOOTH = ("gaussian", "correlation")
"""Kernels exp(-d²/2ε): their product is one exponential of Σ d_l²/ε_l, whatever the number of views."""


def _all_smooth(stages: Stages) -> bool:
    return all(kernel.kind.id in SMOOTH for kernel in stages.kernels)


def _hadamard(first: KernelMatrix, second: KernelMatrix) -> KernelMatrix:
    """Product entry by entry; sparse as soon as one of the two is."""
    if isinstance(first, Float32Kernel) and isinstance(second, Float32Kernel):
        return replace(first, stored=first.stored * second.stored)
    one, other = (K.stored if isinstance(K, Float32Kernel) else cast("Matrix", K) for K in (first, second))
    if isinstance(one, np.ndarray):
        return one * other if isinstance(other, np.ndarray) else other.multiply(one).tocsr()
    return one.multiply(other).tocsr()


def _raised(K: KernelMatrix, weight: float) -> KernelMatrix:
    """Every entry to the power of a weight; what a sparse kernel leaves out stays 0."""
    if weight == 1.0:
        return K
    if isinstance(K, Float32Kernel):
        return replace(K, stored=K.stored**weight)
    matrix = cast("Matrix", K)
    return matrix**weight if isinstance(matrix, np.ndarray) else matrix.power(weight)


def _scales(stages: Stages) -> tuple[float, ...]:
    """ε_l / w_l: Π (K^l)^w_l of kernels exp(-d²/2ε) is exp(-Σ w_l d_l²/2ε_l)."""
    return tuple(e / w for e, w in zip(stages.epsilon, weights_of(stages), strict=True))


def _by_landmarks(stages: Stages) -> bool:
    """True if all factors of the product are landmark kernels; ParameterError where only some of them are."""
    if not any(kernel.landmarks for kernel in stages.kernels):
        return False
    if not same_kernel(stages, "landmarks"):
        raise ParameterError(
            "A product by landmarks needs the same landmarks in every view.",
            "Give all views the same number of landmarks, or none.",
        )
    return True


def _product(stages: Stages) -> KernelMatrix:
    if stages.form.scaled:
        return scaled_joint(stages, "product", _product, *weights_of(stages))
    if _by_landmarks(stages):
        return joint_landmark_kernel(stages, "product", _scales(stages), 1.0).kernel
    if _all_smooth(stages):
        return joint_gaussian(stages, "product", _scales(stages), 1.0)
    weights = weights_of(stages)
    each = (_raised(kernel_of(stages, i), w) for i, w in enumerate(weights))
    return stages.fused("product", weights, compute=lambda: reduce(_hadamard, each))


def _pencil_of_product(stages: Stages) -> Pencil:
    notices = notices_of_joint(stages, "product", _product, *weights_of(stages))
    return pencil_of_kernel(stages, _product(stages), warnings=notices)


def _solve_product(stages: Stages) -> Decomposition:
    return solve_pencil(stages, _pencil_of_product(stages))


def _cross_product(stages: Stages, new_Xs: Sequence[Array]) -> KernelMatrix:
    if not stages.form.plain:
        scaling = scaling_of_joint(stages, "product", _product, *weights_of(stages)) if stages.form.scaled else None
        rows = _cross_product(stages.plain(), new_Xs)
        return rows_in_form(stages, rows, None if scaling is None else scaling.factors)
    if _by_landmarks(stages):
        return cross_joint_landmark_kernel(stages, new_Xs, "product", _scales(stages), 1.0)
    if not _all_smooth(stages):
        each = enumerate(zip(new_Xs, weights_of(stages), strict=True))
        return reduce(_hadamard, (_raised(cross_kernel(stages, i, X), w) for i, (X, w) in each))
    total = joint_distances([cross_distances(stages, i, X) for i, X in enumerate(new_Xs)], _scales(stages))
    return gaussian(brought_near(stages, total, 1.0), 1.0, stages.task)


def _extend_product(stages: Stages, decomposition: Decomposition, new_Xs: Sequence[Array]) -> tuple[Array, ...]:
    return extend_by_kernel(stages, decomposition, _cross_product(stages, new_Xs), _degrees_of_product)


def _degrees_of_product(stages: Stages) -> Array:
    return _product(stages).sum(axis=1)


def _joint_epsilon(stages: Stages) -> float:
    """ε₀ as given; else Σ w_l ε_l, because a view whose features are multiplied by √w_l has the bandwidth w_l ε_l."""
    given = stages.params["joint_epsilon"]
    each = zip(weights_of(stages), stages.epsilon, strict=True)
    return sum(w * e for w, e in each) if given is None else float(given)


def _shares(stages: Stages) -> tuple[float, ...]:
    """1 / w_l, by which squared distances are divided where features are multiplied by √w_l."""
    return tuple(1.0 / w for w in weights_of(stages))


def _concatenation(stages: Stages) -> KernelMatrix:
    if stages.form.scaled:
        return scaled_joint(stages, "concatenation", _concatenation, *_shares(stages), _joint_epsilon(stages))
    # Squared distances of concatenated samples are the sums of the views' squared distances.
    epsilon, shares = _joint_epsilon(stages), _shares(stages)
    if same_kernel(stages, "landmarks"):
        return joint_landmark_kernel(stages, "concatenation", shares, epsilon).kernel
    if same_kernel(stages, "knn"):
        graph = joint_neighbours(stages, weights_of(stages))
        return stages.fused("joint-knn", shares, epsilon, compute=lambda: _of_graph(stages, graph, epsilon))
    return joint_gaussian(stages, "concatenation", shares, epsilon)


def _of_graph(stages: Stages, graph: Graph, epsilon: float) -> KernelMatrix:
    K = sparse_kernel(stages, graph, epsilon)
    return K if stages.form.loops else without_loops(K, fresh=True)


def _pencil_of_concatenation(stages: Stages) -> Pencil:
    info = {"joint_epsilon": _joint_epsilon(stages)}
    settings = *_shares(stages), _joint_epsilon(stages)
    notices = notices_of_joint(stages, "concatenation", _concatenation, *settings)
    return pencil_of_kernel(stages, _concatenation(stages), info=lambda: info, warnings=notices)


def _solve_concatenation(stages: Stages) -> Decomposition:
    return solve_pencil(stages, _pencil_of_concatenation(stages))


def _cross_concatenation(stages: Stages, new_Xs: Sequence[Array]) -> KernelMatrix:
    epsilon, shares = _joint_epsilon(stages), _shares(stages)
    if not stages.form.plain:
        settings = *shares, epsilon
        scaling = scaling_of_joint(stages, "concatenation", _concatenation, *settings) if stages.form.scaled else None
        rows = _cross_concatenation(stages.plain(), new_Xs)
        return rows_in_form(stages, rows, None if scaling is None else scaling.factors)
    if same_kernel(stages, "landmarks"):
        return cross_joint_landmark_kernel(stages, new_Xs, "concatenation", shares, epsilon)
    total = joint_distances([cross_distances(stages, i, X) for i, X in enumerate(new_Xs)], shares)
    if not same_kernel(stages, "knn"):
        return gaussian(brought_near(stages, total, epsilon), epsilon, stages.task)
    radius = kth_in_graph(joint_neighbours(stages, weights_of(stages)), neighbour_count(stages, 0))
    return sparse_kernel(stages, cross_graph(total, radius, neighbour_count(stages, 0), stages.task), epsilon)


def _extend_concatenation(stages: Stages, decomposition: Decomposition, new_Xs: Sequence[Array]) -> tuple[Array, ...]:
    return extend_by_kernel(stages, decomposition, _cross_concatenation(stages, new_Xs), _degrees_of_concatenation)


def _degrees_of_concatenation(stages: Stages) -> Array:
    return _concatenation(stages).sum(axis=1)


def _held_by_sum(size: Size) -> PeakMemory:
    """The sum beside the views' kernels, where they are arrays."""
    dense = not any(k.kind.sparse or k.landmarks for k in size.kernels)
    copies = IN_BOTH if size.n <= FLOAT32_SAMPLES else 0.5
    return kernels(size) + PeakMemory(copies * size.matrix if dense else 0.0) + solver(size)


def _held_by_concatenation(size: Size) -> PeakMemory:
    kinds = {kernel.kind.id for kernel in size.kernels}
    if kinds == {"knn"} and one_count(size.kernels):
        return joint_graph(size) + solver(size)
    return (joint_landmarks(size) if kinds == {"landmarks"} else joint_dense(size)) + solver(size)


def _held_by_product(size: Size) -> PeakMemory:
    kinds = [kernel.kind.id for kernel in size.kernels]
    if set(kinds) == {"landmarks"}:
        return joint_landmarks(size) + solver(size)
    if set(kinds) <= set(SMOOTH):
        return joint_dense(size) + solver(size)
    # One product at a time is held beside the kernels; of sparse ones it has only the entries they share.
    whole = size.matrix if size.n <= FLOAT32_SAMPLES else 0.5 * size.matrix
    return kernels(size) + PeakMemory(0.0 if "knn" in kinds else whole) + solver(size)


def _walk_of_concatenation(stages: Stages) -> Walk:
    return walk_of_kernel(stages, _concatenation(stages), plain=_plain_concatenation)


def _plain_concatenation(stages: Stages) -> KernelMatrix:
    return plain_joint(stages, "concatenation", _concatenation, *_shares(stages), _joint_epsilon(stages))


def _walk_of_product(stages: Stages) -> Walk:
    return walk_of_kernel(stages, _product(stages), plain=_plain_product)


def _plain_product(stages: Stages) -> KernelMatrix:
    return plain_joint(stages, "product", _product, *weights_of(stages))


def _walk_of_sum(stages: Stages) -> Walk:
    return walk_of_kernel(stages, _sum(stages), n_terms=stages.n_views, plain=_plain_sum)


def _plain_sum(stages: Stages) -> KernelMatrix:
    return _sum(stages) if stages.form.plain else Sum(plain_operators_of(stages))


def _form_of_sum(stages: Stages) -> LandmarkForm:
    return LandmarkForm((kernels_apart(stages, given_weights(stages)),), by_volume=by_volume(stages))


def _form_of_product(stages: Stages) -> LandmarkForm:
    _by_landmarks(stages)  # refuses others than the same
    return LandmarkForm(((Joint(tuple(range(stages.n_views)), _scales(stages)),),))


def _form_of_concatenation(stages: Stages) -> LandmarkForm:
    epsilon = _joint_epsilon(stages)
    scales = tuple(share * epsilon for share in _shares(stages))
    return LandmarkForm(((Joint(tuple(range(stages.n_views)), scales),),), info={"joint_epsilon": epsilon})


METHODS = (
    Method(
        id="concatenation",
        title="Concatenation",
        formula="K_ij = exp(−Σ_l |x_iˡ − x_jˡ|² / 2ε₀)",
        latex=(r"K_{ij} = \exp\biggl( -\sum_{l} \frac{\| x_i^l - x_j^l \|^2}{2 \varepsilon_0} \biggr)",),
        summary="Diffusion map of the views' features side by side, with one bandwidth for all.",
        family=FUSED,
        source=f"{SOURCE}, (5)-(6) and section 6.1.1",
        params=(*OF_WALK, VIEW_WEIGHTS, JOINT_EPSILON),
        solve=_solve_concatenation,
        coordinates=diffusion_coordinates,
        memory_class="products",
        joint_kernel=True,
        footprint=_held_by_concatenation,
        extend=_extend_concatenation,
        walk=_walk_of_concatenation,
        pencil=_pencil_of_concatenation,
        landmark_form=_form_of_concatenation,
        min_views=2,
        requires="features",
        warm_starts=True,
        assumes="All features are measured in comparable units: one bandwidth has to fit them all.",
        cost="One kernel of M² affinities per ε, and a few dozen products with it.",
        remarks=(
            "A view whose numbers are larger than the others' decides alone; z-score the views to give each a say.",
            "Equals the kernel product only where all views have the same ε and ε₀ is that ε.",
        ),
    ),
    Method(
        id="kernel-product",
        title="Kernel product",
        formula="K_ij = K¹_ij · … · Kᴸ_ij",
        latex=(r"K_{ij} = \prod_{l=1}^{L} K_{ij}^l",),
        summary="Two samples are close only if they are close in every view.",
        family=FUSED,
        source=f"{SOURCE}, section 3.1",
        params=(*OF_WALK, VIEW_WEIGHTS),
        solve=_solve_product,
        coordinates=diffusion_coordinates,
        memory_class="products",
        joint_kernel=True,
        footprint=_held_by_product,
        extend=_extend_product,
        walk=_walk_of_product,
        pencil=_pencil_of_product,
        landmark_form=_form_of_product,
        min_views=2,
        warm_starts=True,
        assumes="Every view tells the truth about who is near: one view's false gap is a gap for all.",
        cost="One exponential per pair for any number of views, and a few dozen products.",
        remarks=("The more views, the narrower the product: it falls apart first when ε shrinks.",),
    ),
    Method(
        id="kernel-sum",
        title="Kernel sum",
        formula="K = K¹ + … + Kᴸ",
        latex=(r"K = \sum_{l=1}^{L} K^l",),
        summary="Two samples are close if they are close in some view.",
        family=FUSED,
        source=f"{SOURCE}, (7)",
        params=(*OF_WALK, VOLUME_WEIGHTS),
        solve=_solve_sum,
        coordinates=diffusion_coordinates,
        memory_class="products",
        footprint=_held_by_sum,
        extend=_extend_sum,
        walk=_walk_of_sum,
        pencil=_pencil_of_sum,
        landmark_form=_form_of_sum,
        min_views=2,
        warm_starts=True,
        assumes="No view joins what does not belong together: one view's shortcut is a shortcut for all.",
        cost="One kernel per view; every product is taken once per view.",
        remarks=("Often the best at large ε, and close to multi-view on curves filmed from several sides.",),
    ),
)
