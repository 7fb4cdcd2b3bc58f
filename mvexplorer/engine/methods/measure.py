"""The diffusion map of a measure, and what it shares with the diffusion representation: ball, mixture, parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import Param
from mvexplorer.engine.kernels.distances import BLOCK_ROWS, FLOAT32_SAMPLES
from mvexplorer.engine.kernels.operators import ThreadedOperator, as_array
from mvexplorer.engine.methods.diffusion import (
    COMMON,
    diffusion_coordinates,
    extend_by_kernel,
    pencil_of,
    solve_pencil,
)
from mvexplorer.engine.methods.shared.families import MEASURE_BASED
from mvexplorer.engine.methods.shared.mgc import midpoint_density
from mvexplorer.engine.methods.shared.mixture import Mixture, UnitBall, fit_mixture, lexicographic_order, unit_ball
from mvexplorer.engine.methods.single import VIEW
from mvexplorer.engine.pipeline.footprint import PeakMemory, Size, in_rows, kernels, solver
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.stages import StageKey, Stages
from mvexplorer.engine.pipeline.view_kernel import cross_kernel, dense_kernel_of
from mvexplorer.engine.spectral.davidson import Apply
from mvexplorer.engine.spectral.diagnostics import Diagnostics
from mvexplorer.engine.spectral.eigenpairs import Decomposition
from mvexplorer.engine.spectral.reduced import Pencil
from mvexplorer.errors import ParameterError

SOURCE = "Salhov, Bermanis, Wolf, Averbuch: Diffusion representations (2018)"

MEASURE = Param(
    "density",
    "q",
    "data",
    "The measure the walk goes through: the samples themselves, or a mixture of Gaussians fitted to them.",
    kind="choice",
    choices=("data", "mixture"),
    title="Density",
    source="Diffusion representations, (2.5), (3.1)",
)
MIXTURE_COMPONENTS = Param(
    "mixture_components",
    "n",
    None,
    "How many Gaussians model the density; empty takes 4, or as many as there are samples.",
    kind="int",
    low=1,
    high=64,
    title="Gaussians in the mixture",
    source="Diffusion representations, (3.1)",
    empty="4",
)
TIED = Param(
    "tied",
    "",
    False,
    "One covariance for all Gaussians of the mixture, instead of one for each.",
    kind="flag",
    title="One covariance",
    source="Diffusion representations, section 4",
)
MEASURE_DIMENSIONS = Param(
    "measure_dimensions",
    "m",
    3,
    "The mixture models the density in this many leading principal coordinates of the view.",
    kind="int",
    low=1,
    high=10,
    title="Dimensions of the density",
    source="Diffusion representations, section 4",
)


# What both methods share --------------------------------------------------------------------------------------


def component_count(stages: Stages) -> int:
    """Number of Gaussians asked for; ParameterError where there are fewer samples."""
    count, n_samples = stages.params["mixture_components"], stages.n_samples
    if count is None:
        usual_components = 4
        return min(usual_components, n_samples)
    if int(count) > n_samples:
        raise ParameterError(
            f"A mixture of {count} Gaussians is too many for {n_samples} samples.", f"Give at most {n_samples}."
        )
    return int(count)


def ball_of(stages: Stages) -> UnitBall:
    """The unit ball around the samples; it does not depend on their order."""
    dimensions = int(cast("int", stages.params["measure_dimensions"]))
    key = StageKey("unit-ball", stages.view_key(0), settings=(dimensions,))
    return stages.memo(key, lambda: unit_ball(_sorted(stages), dimensions, stages.task))


def mixture_of(stages: Stages, ball: UnitBall, n_components: int, tied: bool) -> Mixture:
    """The mixture fitted to the samples in the ball; it depends neither on ε nor on their order."""

    def fit() -> Mixture:
        placed = ball.place(_sorted(stages))
        return fit_mixture(placed, n_components, tied=tied, random_state=stages.random_state, task=stages.task)

    settings = ball.axes.shape[1], n_components, tied, stages.random_state
    return stages.memo(StageKey("mixture", stages.view_key(0), settings=settings), fit)


def _sorted(stages: Stages) -> Array:
    X = stages.view(0)
    return X[lexicographic_order(X)]


def unseen(ball: UnitBall, what: str) -> Diagnostics:
    """The warning about a mixture that covers only part of the view's variance."""
    most_of_it = 0.95
    if ball.share >= most_of_it:
        return ()
    m = ball.axes.shape[1]
    axes = "first principal coordinate" if m == 1 else f"first {m} principal coordinates"
    text = f"{what} the {axes} of the view, {100 * ball.share:.0f} % of its variance. Enlarge m to see more."
    return (("reduced", text),)


# The measure-based kernel ---------------------------------------------------------------------------------------


def _narrow(stages: Stages) -> Array:
    """The Gaussian kernel (M, M) of variance ε/2: (2.5) is the product of two such kernels."""
    return stages.of_kernel(0, "squared-kernel", compute=lambda: np.square(dense_kernel_of(stages, 0)))


def _by_density(stages: Stages, near: Array, X: Array) -> Array:
    """The Gaussian kernel (n, M) between rows of X (n, D) and the samples, times the density midway: (A.7).

    The density is flat across the principal coordinates that the mixture does not see, which keeps (2.5) exact.
    """
    ball = ball_of(stages)
    mixture = mixture_of(stages, ball, component_count(stages), bool(stages.params["tied"]))
    epsilon = ball.epsilon(stages.epsilon[0])
    out, placed, samples = np.empty_like(near), ball.place(X), ball.place(stages.view(0))
    # Added to the density, in units of its peak: the affinity of a far outlier with itself stays above 0.
    floor = 1e-200
    for start in range(0, len(near), BLOCK_ROWS):
        rows = slice(start, start + BLOCK_ROWS)
        density = midpoint_density(placed[rows], samples, mixture, epsilon, stages.task)
        np.multiply(near[rows], density + floor, out=out[rows])
    return out


def _mixture_kernel(stages: Stages) -> Array:
    key = tuple(stages.params[name] for name in ("measure_dimensions", "mixture_components", "tied"))
    return stages.of_kernel(
        0,
        "mgc",
        key,
        stages.random_state,
        compute=lambda: _by_density(stages, dense_kernel_of(stages, 0), stages.view(0)),
    )


def _operator(stages: Stages) -> tuple[Apply, Array]:
    """Products with the kernel's matrix, and its row sums (M,), the discrete ν of (2.3).

    With the samples as measure the matrix is K Kᵗ, K of variance ε/2, and is never formed.
    """
    if stages.params["density"] == "data":
        K = ThreadedOperator(_narrow(stages), stages.task)
        return lambda V: K @ (K @ V), K @ K.sum(axis=1)
    G = ThreadedOperator(_mixture_kernel(stages), stages.task)
    return lambda V: G @ V, G.sum(axis=1)


def _pencil(stages: Stages) -> Pencil:
    if stages.params["density"] == "data":
        return pencil_of(stages, *_operator(stages))
    component_count(stages)  # refuses before any work is done
    ball = ball_of(stages)
    info = {"measure_dimensions": float(ball.axes.shape[1]), "variance_share": ball.share}
    warnings = unseen(ball, "The mixture sees only")
    return pencil_of(stages, *_operator(stages), info=lambda: info, warnings=warnings)


def solve(stages: Stages) -> Decomposition:
    """Diffusion map of the measure-based kernel k/ν, (2.2)."""
    return solve_pencil(stages, _pencil(stages))


def _cross(stages: Stages, new_Xs: Sequence[Array]) -> Array:
    near = as_array(cross_kernel(stages, 0, new_Xs[0]))
    if stages.params["density"] == "data":
        return cast("Array", np.square(near) @ _narrow(stages))
    return _by_density(stages, near, stages.prepared(0, new_Xs[0]))


def _extend(stages: Stages, decomposition: Decomposition, new_Xs: Sequence[Array]) -> tuple[Array, ...]:
    return extend_by_kernel(stages, decomposition, _cross(stages, new_Xs), _degrees)


def _degrees(stages: Stages) -> Array:
    return _operator(stages)[1]


def _held(size: Size) -> PeakMemory:
    """The kernel, and its square or its product with the density."""
    unfolded = 0.0 if size.n <= FLOAT32_SAMPLES else size.matrix
    return kernels(size) + PeakMemory(size.matrix, 0.0, unfolded) + in_rows(size) + solver(size)


METHODS = (
    Method(
        id="mgc",
        title="Measure-based kernel",
        formula="k(x, y) = ∫ g(r; x, ε/2) g(r; y, ε/2) q(r) dr",
        latex=(r"k(x, y) = \int g(r; x, \varepsilon/2) \, g(r; y, \varepsilon/2) \, q(r) \, dr",),
        summary="Diffusion map of a walk that prefers dense regions: two samples are close by what lies between them.",
        family=MEASURE_BASED,
        source=f"Bermanis, Wolf, Averbuch: Diffusion-based kernel methods (2016); {SOURCE}, (2.5), (3.3)",
        params=(VIEW, *COMMON, MEASURE, MIXTURE_COMPONENTS, TIED, MEASURE_DIMENSIONS),
        solve=solve,
        coordinates=diffusion_coordinates,
        extend=_extend,
        max_views=1,
        requires="features",
        footprint=_held,
        warm_starts=True,
        pencil=_pencil,
        assumes="Density is part of the geometry: samples with many others between them are close.",
        cost="As a single view; a mixture is fitted once, and costs one more exponential per pair and Gaussian.",
        remarks=(
            "ε = σ² as everywhere: the affinity is the Gaussian kernel at ε times the density midway, blurred by ε/4.",
            "With the samples as density it is K Kᵗ, K at ε/2: the walk takes two short steps at once.",
            "A mixture only knows the leading principal coordinates; across the others its density counts as flat.",
        ),
    ),
)
