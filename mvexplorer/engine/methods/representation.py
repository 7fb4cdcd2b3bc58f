"""The diffusion representation: diffusion distances of a Gaussian mixture in closed form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import N_COMPONENTS, Param, Value
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.distances import ALL, BLOCK_ROWS, check_size
from mvexplorer.engine.methods.measure import (
    MEASURE_DIMENSIONS,
    MIXTURE_COMPONENTS,
    SOURCE,
    ball_of,
    component_count,
    mixture_of,
    unseen,
)
from mvexplorer.engine.methods.shared.families import MEASURE_BASED
from mvexplorer.engine.methods.shared.mgc import (
    NU_MIN,
    chosen_order,
    inner_products,
    largest_norms,
    n_features,
    paper_bound,
    representation,
    sharp_bound,
    stationary_density,
    truncation_errors,
)
from mvexplorer.engine.methods.shared.mixture import Mixture, UnitBall
from mvexplorer.engine.methods.single import VIEW
from mvexplorer.engine.pipeline.footprint import EIGH, IN_ROWS, NUMBER, PeakMemory, Size, solver
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.spectral.diagnostics import Diagnostics
from mvexplorer.engine.spectral.eigenpairs import Decomposition, fix_signs, top_eigenpairs
from mvexplorer.errors import ParameterError

MOST_ORDER = 14
MOST_FEATURES = 1001
"""Largest number F of entries of f_l, order 10 in four dimensions: an F x F eigenproblem takes half a second."""
KEPT_ENTRIES = 1 << 21
"""Largest table of Taylor features that is kept; a larger one is computed by blocks of rows, three times."""
ORDER = Param(
    "order",
    "l",
    None,
    "Largest degree of the Taylor terms kept; empty takes the smallest that meets the tolerance.",
    kind="int",
    low=0,
    high=MOST_ORDER,
    title="Order",
    source="Diffusion representations, (5.3)",
    empty="from ζ",
)
TOLERANCE = Param(
    "tolerance",
    "ζ",
    0.05,
    "How far a diffusion distance, of samples scaled to the unit ball, may be off; it decides the order.",
    low=1e-9,
    high=10.0,
    log=True,
    title="Tolerance",
    source="Diffusion representations, (2.1), (5.20)",
)
DRAWN_BY = Param(
    "drawn_by",
    "",
    "pca",
    "pca draws the truncated representation; mds the exact distances, and needs all pairs of samples for it.",
    kind="choice",
    choices=("pca", "mds"),
    title="Drawn by",
    source="Diffusion representations, section 7.1",
)


@dataclass(frozen=True, kw_only=True)
class Represented(Decomposition):
    """Variances and principal coordinates of the samples, with all it takes to place new ones.

    `epsilon` is the bandwidth in the ball. A sample's row is f_l of `order` l or, where that is None, its inner
    products with the samples `known` (M, m) in the ball. `mean` (F,) is that of the samples' rows, and `axes` (F, r)
    give the coordinates of a row without it.
    """

    ball: UnitBall
    mixture: Mixture
    epsilon: float
    order: int | None
    known: Array
    mean: Array
    axes: Array

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return super().nbytes + self.known.nbytes + self.mean.nbytes + self.axes.nbytes


def solve(stages: Stages) -> Represented:
    """Principal coordinates of f_l, (5.3), or of the exact distances, (3.6); eigenvalues are their variances."""
    n_components, ball = component_count(stages), ball_of(stages)
    _check_order(stages, ball.axes.shape[1])
    mixture = mixture_of(stages, ball, n_components, tied=True)
    X, epsilon = ball.place(stages.view(0)), ball.epsilon(stages.epsilon[0])
    order = _order(stages, mixture, epsilon)
    rows = _some_rows(X, mixture, epsilon, order, stages.task)
    facts, truncated = _truncation(stages, X, rows, mixture, epsilon, order)
    mean = sum(rows(some).sum(axis=0) for some in _slices(X)) / len(X)
    if order is None:
        variances, axes = _axes_of_products(stages, rows(ALL))
    else:
        variances, axes = _axes_of_features(stages, rows, mean)
    coordinates = np.vstack([(rows(some) - mean) @ axes for some in _slices(X)])
    signs = np.where((fix_signs(coordinates) == coordinates).all(axis=0), 1.0, -1.0)
    density = stationary_density(X, mixture, epsilon)
    facts |= {
        "measure_dimensions": float(ball.axes.shape[1]),
        "variance_share": ball.share,
        "smallest_density": float(density.min()),
    }
    diagnostics = (*truncated, *unseen(ball, "The representation lives in"), *_outliers(density), *_missing(variances))
    return Represented(
        variances, (coordinates * signs,), facts, diagnostics,
        ball=ball, mixture=mixture, epsilon=epsilon, order=order, known=X, mean=mean, axes=axes * signs,
    )  # fmt: skip


def _rows(X: Array, samples: Array, mixture: Mixture, epsilon: float, order: int | None, task: Task) -> Array:
    """f_l at the rows of X (n, F), or, where `order` is None, their inner products with the known samples (n, M)."""
    if order is not None:
        return representation(X, mixture, epsilon, order, task)
    check_size(len(samples))
    return inner_products(X, samples, mixture, epsilon, task)


def _some_rows(X: Array, mixture: Mixture, epsilon: float, order: int | None, task: Task) -> Callable[[slice], Array]:
    """A function giving the rows of some samples of X; if the whole table is large, each call computes them."""
    if order is None or len(X) * n_features(mixture.n_dimensions, order) <= KEPT_ENTRIES:
        whole = _rows(X, X, mixture, epsilon, order, task)
        return lambda some: whole[some]
    return lambda some: representation(X[some], mixture, epsilon, order, task)


def _slices(X: Array) -> list[slice]:
    return [slice(start, start + BLOCK_ROWS) for start in range(0, len(X), BLOCK_ROWS)]


# Truncation -----------------------------------------------------------------------------------------------------


def _most_order(n_dimensions: int) -> int:
    """The largest order for which f_l is short enough."""
    return max(o for o in range(MOST_ORDER + 1) if n_features(n_dimensions, o) <= MOST_FEATURES)


def _check_order(stages: Stages, n_dimensions: int) -> None:
    """Raise ParameterError where f_l of the order asked for would be too long."""
    order, most = stages.params["order"], _most_order(n_dimensions)
    if order is not None and int(order) > most and stages.params["drawn_by"] == "pca":
        raise ParameterError(
            f"Order {order} in {n_dimensions} dimensions takes {n_features(n_dimensions, int(order)):,} features, "
            f"more than {MOST_FEATURES:,}.",
            f"Give an order of at most {most}, or fewer dimensions of the density.",
        )


def _order(stages: Stages, mixture: Mixture, epsilon: float) -> int | None:
    """The order l of f_l, given or chosen by the tolerance; None where the exact distances are embedded."""
    order = stages.params["order"]
    if stages.params["drawn_by"] == "mds":
        return None
    if order is not None:
        return int(order)
    norms, most = largest_norms(mixture, epsilon), _most_order(mixture.n_dimensions)
    return chosen_order(norms, mixture, epsilon, _tolerance(stages), most)


def _tolerance(stages: Stages) -> float:
    return float(cast("float", stages.params["tolerance"]))


def _truncation(
    stages: Stages, X: Array, rows: Callable[[slice], Array], mixture: Mixture, epsilon: float, order: int | None
) -> tuple[dict[str, float], Diagnostics]:
    """Named numbers about the error of order l, and a warning where it moves samples by more than the tolerance.

    The bounds are for anything in the ball; the warning is about the samples, whose error is known exactly.
    """
    if order is None:
        return {}, ()
    norms = largest_norms(mixture, epsilon)
    errors = [truncation_errors(X[some], rows(some), mixture, epsilon).max() for some in _slices(X)]
    error = 2.0 * float(max(errors))
    facts = {
        "order": float(order),
        "features": float(n_features(mixture.n_dimensions, order)),
        "distance_error": error,
        "distance_bound": 2.0 * float(np.sqrt(sharp_bound(norms, mixture, epsilon, order))),
        "paper_bound": paper_bound(norms, mixture, epsilon, order),
    }
    tolerance = _tolerance(stages)
    if error <= tolerance:
        return facts, ()
    higher = "Raise the order, enlarge" if order < _most_order(mixture.n_dimensions) else "Enlarge"
    text = (
        f"At order {order} a diffusion distance may be off by {error:.2g}, more than the tolerance {tolerance:g}. "
        f"{higher} ε, or draw by mds, which is exact."
    )
    return facts, (("truncated", text),)


def _outliers(density: Array) -> Diagnostics:
    """The warning about samples below ν_min, which section 5 takes for negligible."""
    count = int(np.count_nonzero(density < NU_MIN))
    if count == 0:
        return ()
    text = (
        f"At {count} sample{'s' if count > 1 else ''} the stationary density is below {NU_MIN:g}: outliers, whose "
        "place hangs on the tails of the mixture."
    )
    return (("low-density", text),)


def _missing(variances: Array) -> Diagnostics:
    used, wanted = int(np.count_nonzero(variances)), len(variances)
    if used == wanted:
        return ()
    why = "at this ε the representation has no further dimension"
    return (("rank", f"Only {used} of the {wanted} coordinates vary, the others are 0: {why}."),)


# Axes -----------------------------------------------------------------------------------------------------------


def _axes_of_features(stages: Stages, rows: Callable[[slice], Array], mean: Array) -> tuple[Array, Array]:
    """Variances (r,) along the principal axes (F, r) of the rows (M, F), whose mean is given."""
    scatter = np.zeros((len(mean), len(mean)))
    for some in (slice(start, start + BLOCK_ROWS) for start in range(0, stages.n_samples, BLOCK_ROWS)):
        stages.task.checkpoint()
        block = rows(some) - mean
        scatter += block.T @ block
    values, axes = np.linalg.eigh(scatter)
    return _leading(stages, values[::-1], axes[:, ::-1])


def _axes_of_products(stages: Stages, products: Array) -> tuple[Array, Array]:
    """Classical scaling: variances (r,) along the axes (M, r) that turn centred inner products into coordinates."""
    total = float(np.trace(products) - products.mean(axis=0).sum())
    total = total if total > 0.0 else 1.0

    def centred(V: Array) -> Array:
        out = products @ (V - V.mean(axis=0)) / total
        return cast("Array", out - out.mean(axis=0))

    count = int(cast("int", stages.params["n_components"]))
    values, vectors = top_eigenpairs(centred, len(products), count, stages.task)
    root = np.sqrt(np.maximum(total * values, np.finfo(float).tiny))
    axes = vectors / root
    return _leading(stages, total * values, axes - axes.mean(axis=0))


def _leading(stages: Stages, values: Array, axes: Array) -> tuple[Array, Array]:
    """The first r variances and axes; 0 where they are rounding, and where there are fewer."""
    r = int(cast("int", stages.params["n_components"]))
    values, axes = values[:r], axes[:, :r]
    no_variance = 1e-14  # Coordinates with less than this part of the largest variance are rounding: they are put to 0.
    real = values > no_variance * values[0]
    missing = r - len(values)
    variances = np.where(real, values, 0.0) / stages.n_samples
    return np.pad(variances, (0, missing)), np.pad(np.where(real, axes, 0.0), ((0, 0), (0, missing)))


def _coordinates(decomposition: Decomposition, params: Mapping[str, Value]) -> tuple[Array, ...]:
    return decomposition.blocks


def _place(stages: Stages, decomposition: Decomposition, new_Xs: Sequence[Array]) -> tuple[Array, ...]:
    """New samples on the same axes, exactly: f_l needs the mixture only, the distances the known samples as well."""
    represented = cast("Represented", decomposition)
    X = represented.ball.place(stages.prepared(0, new_Xs[0]))
    rows = _rows(X, represented.known, represented.mixture, represented.epsilon, represented.order, stages.task)
    return ((rows - represented.mean) @ represented.axes,)


def _held(size: Size) -> PeakMemory:
    """Tables of a few columns, and blocks of rows; for exact distances (MDS) all inner products."""
    count = int(cast("int", size.params["mixture_components"] or 4))
    dimensions = min(int(cast("int", size.params["measure_dimensions"])), *size.features)
    placed = PeakMemory(
        own=size.vectors(size.r + dimensions), passing=size.table + size.vectors(2 * count * dimensions)
    )
    if size.params["drawn_by"] == "mds":
        return PeakMemory(size.matrix, 0.0, NUMBER * 2.0 * IN_ROWS * BLOCK_ROWS * size.n) + placed + solver(size)
    order = size.params["order"]
    usual_order = 6  # Order assumed by estimates of memory where the tolerance will choose it.
    width = n_features(dimensions, min(int(order or usual_order), _most_order(dimensions)))
    table = NUMBER * min(KEPT_ENTRIES, size.n * width)
    return placed + PeakMemory(own=table, passing=NUMBER * (IN_ROWS * BLOCK_ROWS * width + (2.0 + EIGH) * width**2))


METHODS = (
    Method(
        id="diffusion-representation",
        title="Diffusion representation",
        formula="‖f_l(x) − f_l(z)‖ ≈ ‖p(x, ·) − p(z, ·)‖",
        latex=(r"\| f_l(x) - f_l(z) \| \approx \| p(x, \cdot) - p(z, \cdot) \|",),
        summary="Diffusion distances of a Gaussian mixture in closed form, drawn by principal components or by MDS.",
        family=MEASURE_BASED,
        source=f"{SOURCE}, (3.6), (4.10), (5.3)",
        params=(VIEW, N_COMPONENTS, DRAWN_BY, MIXTURE_COMPONENTS, MEASURE_DIMENSIONS, ORDER, TOLERANCE),
        solve=solve,
        coordinates=_coordinates,
        memory_class="features",
        footprint=_held,
        extend=_place,
        max_views=1,
        requires="features",
        first_component=0,
        assumes="In its leading principal coordinates the view is a mixture of Gaussians of one common shape.",
        cost="Proportional to M; drawn by mds one exponential per pair of samples and pair of Gaussians.",
        remarks=(
            "It lives in the leading principal coordinates of the view: what these do not see is lost.",
            "ε = σ² of the measure-based kernel, in squared data units. Where it is below about a tenth of the data's "
            "squared radius the Taylor terms do not reach far enough: draw by mds, which is exact at every ε.",
            "New samples are placed exactly by the mixture alone; the walk takes one step, t = 1.",
            "Distances and variances are those of the data scaled to the unit ball, so that units do not matter.",
        ),
    ),
)
