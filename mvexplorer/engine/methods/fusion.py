"""Methods that fuse the views into one kernel before the diffusion map: sum, product, concatenation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import numpy as np

from mvexplorer.engine.kernels import gaussian
from mvexplorer.engine.methods.diffusion import COMMON, SOURCE, diffusion_coordinates, kernel_extension, solve_kernel
from mvexplorer.engine.multiview import Array
from mvexplorer.engine.params import Param
from mvexplorer.engine.registry import Method, register
from mvexplorer.engine.spectral import Decomposition, diffusion_decomposition
from mvexplorer.engine.stages import Stages

JOINT_EPSILON = Param(
    "joint_epsilon",
    "ε₀",
    None,
    "Bandwidth of the concatenated samples; empty means the sum of the views' ε.",
    low=np.finfo(float).tiny,
    log=True,
    title="Joint bandwidth",
    unit="squared data units",
    source="section 6.1.1",
)


def _solve_sum(stages: Stages) -> Decomposition:
    kernels = [stages.kernel(i) for i in range(stages.n_views)]
    degrees = np.sum([K.sum(axis=1) for K in kernels], axis=0)

    # The sum is applied term by term: no M x M matrix beyond the views' own kernels.
    def apply(V: Array) -> Array:
        return reduce(np.add, (K @ V for K in kernels))

    return diffusion_decomposition(apply, degrees, stages.n_vectors, stages.task, stages.start_vectors())


def _weighted_distances(distances: Sequence[Array], epsilon: Sequence[float]) -> Array:
    with np.errstate(over="ignore"):  # beyond the largest number the kernel is 0 all the same
        total = distances[0] / epsilon[0]
        for D, e in zip(distances[1:], epsilon[1:], strict=True):
            total += D / e
    return total


def _solve_product(stages: Stages) -> Decomposition:
    # Π exp(-d_l²/2ε_l) = exp(-Σ d_l²/ε_l / 2): one exponential for any number of views.
    def product() -> Array:
        distances = [stages.distances(i) for i in range(stages.n_views)]
        return gaussian(_weighted_distances(distances, stages.epsilon), 1.0, stages.task)

    return solve_kernel(stages, stages.fused("product", compute=product))


def _cross_product(stages: Stages, new_Xs: Sequence[Array]) -> Array:
    distances = [stages.cross_distances(i, X) for i, X in enumerate(new_Xs)]
    return gaussian(_weighted_distances(distances, stages.epsilon), 1.0, stages.task)


def _joint_epsilon(stages: Stages) -> float:
    given = stages.params["joint_epsilon"]
    return sum(stages.epsilon) if given is None else float(given)


def _solve_concatenation(stages: Stages) -> Decomposition:
    # Squared distances of concatenated samples are the sums of the views' squared distances.
    epsilon = _joint_epsilon(stages)

    def joint() -> Array:
        total = reduce(np.add, (stages.distances(i) for i in range(stages.n_views)))
        return gaussian(total, epsilon, stages.task)

    found = solve_kernel(stages, stages.fused("concatenation", epsilon, compute=joint))
    return replace(found, info={"joint_epsilon": epsilon})


def _cross_concatenation(stages: Stages, new_Xs: Sequence[Array]) -> Array:
    total = reduce(np.add, (stages.cross_distances(i, X) for i, X in enumerate(new_Xs)))
    return gaussian(total, _joint_epsilon(stages), stages.task)


register(
    Method(
        id="concatenation",
        title="Concatenation",
        formula="K_ij = exp(−Σ_l |x_iˡ − x_jˡ|² / 2ε₀)",
        summary="Diffusion map of the views' features side by side, with one bandwidth for all.",
        source=f"{SOURCE}, (5)-(6) and section 6.1.1",
        params=(*COMMON, JOINT_EPSILON),
        solve=_solve_concatenation,
        coordinates=diffusion_coordinates,
        extend=kernel_extension(_cross_concatenation),
        min_views=2,
    )
)

register(
    Method(
        id="kernel-product",
        title="Kernel product",
        formula="K_ij = K¹_ij · … · Kᴸ_ij",
        summary="Two samples are close only if they are close in every view.",
        source=f"{SOURCE}, section 3.1",
        params=COMMON,
        solve=_solve_product,
        coordinates=diffusion_coordinates,
        extend=kernel_extension(_cross_product),
        min_views=2,
    )
)

register(
    Method(
        id="kernel-sum",
        title="Kernel sum",
        formula="K = K¹ + … + Kᴸ",
        summary="Two samples are close if they are close in some view.",
        source=f"{SOURCE}, (7)",
        params=COMMON,
        solve=_solve_sum,
        coordinates=diffusion_coordinates,
        extend=kernel_extension(
            lambda stages, new_Xs: reduce(np.add, (stages.cross_kernel(i, X) for i, X in enumerate(new_Xs)))
        ),
        min_views=2,
    )
)
