"""One Gaussian of several views at once: exp(-Σ_l d_l²/s_l / 2ε), d_l the distances within view l.

With scales s_l = 1 it is the Gaussian of the concatenated samples; with s_l = ε_l and ε = 1 the product of the views'
own. Like a single view's it comes from all distances, or straight from the features where there are many samples.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.kernels.affinities import KernelMatrix, divide, gaussian, gaussian_affinity, of_blocks, of_rows
from mvexplorer.engine.kernels.distances import ALL, LARGE, Rows
from mvexplorer.engine.kernels.landmarks import LandmarkKernel, landmark_kernel
from mvexplorer.engine.kernels.neighbours import Graph, graph_of_samples
from mvexplorer.engine.kernels.operators import Float32Kernel, LowRankOperator
from mvexplorer.engine.pipeline.stages import Stages


def same_kernel(stages: Stages, kind: str) -> bool:
    """Whether all views have the same kernel of this kind, with the same count."""
    return len(set(stages.kernels)) == 1 and stages.kernels[0].kind.id == kind


def joint_distances(distances: Sequence[Array], scales: Sequence[float]) -> Array:
    """Σ_l d_l²/s_l of the views' squared distances (n, m)."""
    total = divide(distances[0], scales[0])
    for D, scale in zip(distances[1:], scales[1:], strict=True):
        with np.errstate(over="ignore"):  # beyond the largest number the kernel is 0 all the same
            total += divide(D, scale)
    return total


def joint_gaussian(stages: Stages, name: str, scales: Sequence[float], epsilon: float) -> KernelMatrix:
    """The kernel (M, M) of all pairs, remembered under `name`."""
    views = range(stages.n_views)

    def compute() -> KernelMatrix:
        if stages.n_samples <= LARGE:
            whole = [stages.distances(i) for i in views]
            return of_rows(
                lambda rows: joint_distances([D[rows] for D in whole], scales), whole[0].shape, whole[0].dtype,
                gaussian_affinity(epsilon), stages.task,
            )  # fmt: skip
        if stages.single:
            rounded: Float32Kernel = joint_gaussian(stages.in_float64(), name, scales, epsilon)
            return rounded.in_float32()
        each = [stages.blocks(i) for i in views]

        def blocks(rows: Rows, columns: Rows) -> Array:
            return joint_distances([block(rows, columns) for block in each], scales)

        return of_blocks(blocks, gaussian_affinity(epsilon), stages.n_samples, stages.task)

    return stages.fused(name, tuple(scales), epsilon, compute=compute)


def joint_landmark_kernel(stages: Stages, name: str, scales: Sequence[float], epsilon: float) -> LandmarkKernel:
    """Its Nyström kernel; the views share their landmarks, so that distances to them only have to be added."""
    if stages.single:
        return joint_landmark_kernel(stages.in_float64(), name, scales, epsilon).in_float32()

    def compute() -> LandmarkKernel:
        each = [stages.landmark_distances(i) for i in range(stages.n_views)]
        affinity = gaussian_affinity(epsilon)

        def affinities(rows: Rows) -> Array:
            out = joint_distances([distances(rows) for distances in each], scales)
            affinity(out, ALL, ALL, out)
            return out

        return landmark_kernel(affinities, stages.landmarks(0), stages.n_samples, stages.task)

    return stages.fused(f"{name}-landmarks", tuple(scales), epsilon, stages.random_state, compute=compute)


def cross_joint_landmark_kernel(
    stages: Stages, new_Xs: Sequence[Array], name: str, scales: Sequence[float], epsilon: float
) -> LowRankOperator:
    """Rows (n, M) of the Nyström kernel at new samples, raw, one table per view."""
    to_landmarks = joint_distances([stages.cross_landmarks(i, X) for i, X in enumerate(new_Xs)], scales)
    affinities = gaussian(to_landmarks, epsilon, stages.task)
    return joint_landmark_kernel(stages, name, scales, epsilon).rows(affinities)


def joint_neighbours(stages: Stages) -> Graph:
    """The graph of the nearest neighbours of the concatenated samples: no ε in it."""
    keys = tuple(stages.view_key(i) for i in range(stages.n_views))

    def compute() -> Graph:
        joined = np.hstack([stages.view(i) for i in range(stages.n_views)])
        return graph_of_samples(joined, stages.neighbour_count(0), stages.task)

    return stages.memo(("joint-neighbours", keys, stages.neighbour_count(0)), compute)
