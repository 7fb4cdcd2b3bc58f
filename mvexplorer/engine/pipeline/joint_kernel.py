"""One Gaussian of several views at once: exp(-Σ_l d_l²/s_l / 2ε), d_l the distances within view l.

With scales s_l = 1 it is the Gaussian of the concatenated samples; with s_l = ε_l and ε = 1 the product of the views'
own. Like a single view's it comes from all distances, or straight from the features where there are many samples.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.kernels.affinities import (
    Kernel,
    divide,
    gaussian,
    gaussian_affinity,
    of_blocks,
    of_rows,
    rounded,
)
from mvexplorer.engine.kernels.distances import ALL, FEW_FEATURES, FLOAT32_SAMPLES, MANY_SAMPLES, Rows
from mvexplorer.engine.kernels.forms import as_plain, scaled, without_loops
from mvexplorer.engine.kernels.landmarks import LandmarkKernel, landmark_kernel
from mvexplorer.engine.kernels.metrics import EUCLIDEAN
from mvexplorer.engine.kernels.neighbours import graph_of_samples
from mvexplorer.engine.kernels.operators import Float32Kernel, Graph, KernelMatrix, LowRankOperator, as_array
from mvexplorer.engine.pipeline.scaling import Scaling, scaling_of
from mvexplorer.engine.pipeline.stages import StageKey, Stages
from mvexplorer.engine.pipeline.view_kernel import (
    blocks_of,
    cross_landmarks,
    distances_of,
    landmark_distances,
    landmarks_of,
    neighbour_count,
    own_affinities,
)
from mvexplorer.engine.pipeline.view_weights import weights_of


def same_kernel(stages: Stages, kind: str) -> bool:
    """True if all views have the same kernel of this kind, with the same count; each may have a metric of its own."""
    return {kernel.kind.id for kernel in stages.kernels} == {kind} and one_count(stages.kernels)


def one_count(kernels: Sequence[Kernel]) -> bool:
    """True if kernels have the same count of neighbours or landmarks."""
    return len({kernel.count for kernel in kernels}) == 1


def joint_distances(distances: Sequence[Array], scales: Sequence[float]) -> Array:
    """Σ_l d_l²/s_l of the views' squared distances (n, m)."""
    total = divide(distances[0], scales[0])
    for D, scale in zip(distances[1:], scales[1:], strict=True):
        with np.errstate(over="ignore"):  # beyond the largest number the kernel is 0 all the same
            total += divide(D, scale)
    return total


def _many_features(stages: Stages) -> bool:
    return any(stages.view(i).shape[1] > FEW_FEATURES for i in range(stages.n_views))


def joint_gaussian(stages: Stages, name: str, scales: Sequence[float], epsilon: float) -> KernelMatrix:
    """The kernel (M, M) of all pairs, remembered under `name`."""
    views = range(stages.n_views)
    if stages.n_samples > FLOAT32_SAMPLES and stages.precision == "float32":
        return cast("Float32Kernel", joint_gaussian(stages.in_float64(), name, scales, epsilon)).in_float32()

    def compute() -> KernelMatrix:
        if stages.apart is not None:
            return _of_factors(stages, name, scales, epsilon)
        anew = not _many_features(stages) or stages.n_samples > MANY_SAMPLES
        if stages.n_samples > FLOAT32_SAMPLES:
            return Float32Kernel(from_features(np.float32) if anew else from_distances())
        if stages.rounds_kernels:
            return rounded(cast("Array", joint_gaussian(stages.in_float64(), name, scales, epsilon)))
        return from_features(np.float64) if anew and stages.precision == "float64" else from_distances()

    def from_distances() -> Array:
        whole = [distances_of(stages, i) for i in views]
        return of_rows(
            lambda rows: joint_distances([D[rows] for D in whole], scales),
            whole[0].shape,
            whole[0].dtype,
            gaussian_affinity(epsilon),
            stages.task,
        )

    def from_features(dtype: npt.DTypeLike) -> Array:
        each = [blocks_of(stages, i) for i in views]

        def blocks(rows: Rows, columns: Rows) -> Array:
            return joint_distances([block(rows, columns) for block in each], scales)

        return of_blocks(blocks, gaussian_affinity(epsilon), stages.n_samples, stages.task, dtype)

    def in_form() -> KernelMatrix:
        return compute() if stages.form.loops else without_loops(compute(), fresh=stages.apart is None)

    return stages.fused(name, tuple(scales), epsilon, compute=in_form)


def scaled_joint(
    stages: Stages, name: str, unscaled: Callable[[Stages], KernelMatrix], *settings: Hashable
) -> KernelMatrix:
    """The finished kernel (M, M) of several views made doubly stochastic, remembered under `name`."""
    if _large_in_single(stages) and isinstance(large := unscaled(stages.in_float64()), Float32Kernel):
        return large.in_float32()

    def compute() -> KernelMatrix:
        if stages.rounds_kernels:
            whole = unscaled(stages.in_float64())
            if isinstance(whole, np.ndarray | LowRankOperator):
                return rounded(whole) if isinstance(whole, np.ndarray) else whole.in_float32()
        K = unscaled(stages.unscaled().forgetting(name))
        x = _scaling(stages, name, lambda: K, settings).factors
        return scaled(K, x, x, stages.task, fresh=stages.apart is None)

    return stages.fused(name, *settings, compute=compute)


def scaling_of_joint(
    stages: Stages, name: str, unscaled: Callable[[Stages], KernelMatrix], *settings: Hashable
) -> Scaling:
    """The factors that make the finished kernel of several views doubly stochastic."""
    if stages.rounds_kernels or _large_in_single(stages):
        return scaling_of_joint(stages.in_float64(), name, unscaled, *settings)
    return _scaling(stages, name, lambda: unscaled(stages.unscaled()), settings)


def _scaling(stages: Stages, name: str, kernel: Callable[[], KernelMatrix], settings: Sequence[Hashable]) -> Scaling:
    former = stages.alike(f"{name} scaling", stages.view_keys()) if stages.form.rough else ()
    return stages.fused(f"{name} scaling", *settings, compute=lambda: scaling_of(kernel(), stages, (), former))


def _large_in_single(stages: Stages) -> bool:
    """True if one kernel, held in single precision, serves both precisions: its factors are found in double."""
    held = not any(kernel.kind.sparse or kernel.landmarks for kernel in stages.kernels)
    return stages.precision == "float32" and stages.n_samples > FLOAT32_SAMPLES and held


def plain_joint(
    stages: Stages, name: str, kernel: Callable[[Stages], KernelMatrix], *settings: Hashable
) -> KernelMatrix:
    """The finished kernel of several views with its self-loops, not scaled: known from the form the method takes."""
    form = stages.form
    if form.plain or any(each.landmarks for each in stages.kernels):
        return kernel(stages.plain())
    K = kernel(stages)  # before its scaling, which is found on the way to it
    factors = scaling_of_joint(stages, name, kernel, *settings).factors if form.scaled else None
    each = [own_affinities(stages, i) ** w for i, w in enumerate(weights_of(stages))]
    return as_plain(K, factors, None if form.loops else np.prod(each, axis=0))


def _of_factors(stages: Stages, name: str, scales: Sequence[float], epsilon: float) -> KernelMatrix:
    """The joint Gaussian as that of the view whose rows were shuffled, times that of the others: both are known."""
    others = [i for i in range(stages.n_views) if i != stages.apart]
    each = [[stages.apart or 0], *([others] if others else [])]
    kernels = [joint_gaussian(stages.among(some), name, [scales[i] for i in some], epsilon) for some in each]
    arrays = [K.stored if isinstance(K, Float32Kernel) else as_array(K) for K in kernels]
    whole = arrays[0] if len(arrays) == 1 else arrays[0] * arrays[1]
    return replace(kernels[0], stored=whole) if isinstance(kernels[0], Float32Kernel) else whole


def joint_landmark_kernel(stages: Stages, name: str, scales: Sequence[float], epsilon: float) -> LandmarkKernel:
    """The Nyström kernel of the joint Gaussian; the views share their landmarks, so that distances are just added."""
    if stages.precision == "float32":
        return joint_landmark_kernel(stages.in_float64(), name, scales, epsilon).in_float32()

    def compute() -> LandmarkKernel:
        each = [landmark_distances(stages, i) for i in range(stages.n_views)]
        affinity = gaussian_affinity(epsilon)

        def affinities(rows: Rows) -> Array:
            out = joint_distances([distances(rows) for distances in each], scales)
            affinity(out, ALL, ALL, out)
            return out

        return landmark_kernel(affinities, landmarks_of(stages, 0), stages.n_samples, stages.task)

    return stages.fused(f"{name}-landmarks", tuple(scales), epsilon, stages.random_state, compute=compute)


def cross_joint_landmark_kernel(
    stages: Stages, new_Xs: Sequence[Array], name: str, scales: Sequence[float], epsilon: float
) -> LowRankOperator:
    """Compute rows (n, M) of the Nyström kernel at new samples (n, D_l) in each view, raw."""
    to_landmarks = joint_distances([cross_landmarks(stages, i, X) for i, X in enumerate(new_Xs)], scales)
    affinities = gaussian(to_landmarks, epsilon, stages.task)
    return joint_landmark_kernel(stages, name, scales, epsilon).rows(affinities)


def joint_neighbours(stages: Stages, weights: Sequence[float]) -> Graph:
    """The graph of the nearest neighbours of the samples side by side, view l times √w_l; it does not depend on ε."""
    k = neighbour_count(stages, 0)

    def compute() -> Graph:
        each = ((stages.points(i), w) for i, w in enumerate(weights))
        joined = np.hstack([X if w == 1.0 else np.sqrt(w) * X for X, w in each])
        return graph_of_samples(joined, k, stages.task)

    metrics = tuple(kernel.metric for kernel in stages.kernels)
    settings = (k, *weights) if set(metrics) == {EUCLIDEAN} else (k, *weights, metrics)
    return stages.memo(StageKey("joint-neighbours", stages.view_keys(), settings=settings), compute)
