"""Kernel canonical correlation analysis of two views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import N_COMPONENTS, Param, Value
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.distances import FLOAT32_SAMPLES
from mvexplorer.engine.kernels.operators import as_array
from mvexplorer.engine.methods.diffusion import SOURCE, divide_by_values
from mvexplorer.engine.methods.shared.families import CORRELATION
from mvexplorer.engine.pipeline.footprint import EIGH, PeakMemory, Size, kernels, solver
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import cross_kernel, dense_kernel_of
from mvexplorer.engine.spectral.davidson import Apply, Stalled
from mvexplorer.engine.spectral.eigenpairs import (
    ANGLE_EXACT,
    DENSE_LIMIT,
    DENSE_SIZE,
    Decomposition,
    fix_signs,
    top_eigenpairs,
)
from mvexplorer.engine.spectral.inverse import crowded_eigenpairs, inverse_of_positive
from mvexplorer.errors import ParameterError

REGULARISER = Param(
    "gamma",
    "γ",
    0.01,
    "Added to the kernels' eigenvalues: what is weaker than γ cannot take part in a correlation.",
    low=1e-10,
    high=1e6,
    log=True,
    title="Regulariser",
    source="(8)",
)
CENTRED = Param(
    "centred",
    "",
    False,
    "Centre the kernels in feature space first, as in kernel principal components.",
    kind="flag",
    title="Centred kernels",
    source="Lai, Fyfe (2000); Yair, Talmon (2016), section VII",
)
CHOLESKY_RANK = Param(
    "cholesky_rank",
    "m",
    None,
    "Rank of the incomplete Cholesky factors that stand for the kernels; empty takes the kernels themselves.",
    kind="int",
    low=1,
    title="Cholesky rank",
    source="section 3.3",
)


def solve(stages: Stages) -> Decomposition:
    """Canonical pairs of (8): singular vectors u of T¹T², T = K(K + γI)⁻¹, and from them the coordinates K v = T u.

    With u_l = (K_l + γI) v_l the generalised problem becomes T¹T²u₂ = ρu₁, T²T¹u₁ = ρu₂.
    """
    first, second = (_filter(stages, i) for i in range(2))
    left = _left_vectors(first, second, stages.n_vectors - 1, stages)
    right = second(first(left))
    # ρ as a length, not as the root of an eigenvalue: exact to rounding for small ρ as well.
    correlations = np.linalg.norm(right, axis=0)
    order = np.argsort(-correlations, kind="stable")
    correlations, left, right = correlations[order], left[:, order], right[:, order]
    right = right / np.where(correlations > 0.0, correlations, 1.0)
    scale = np.sqrt(stages.n_samples)
    both = fix_signs(np.vstack([scale * first(left), scale * second(right)]))
    blocks = both[: stages.n_samples], both[stages.n_samples :]
    return Decomposition(correlations, blocks, warnings=_diagnostics(correlations))


def _left_vectors(first: Filter, second: Filter, k: int, stages: Stages) -> Array:
    """The first k left singular vectors (M, k) of T¹T²."""
    n, task = stages.n_samples, stages.task
    if first.matrix is not None and second.matrix is not None and DENSE_SIZE < n <= DENSE_LIMIT:
        n_probes = 16  # Random vectors that tell this sum to a third or better: Hutchinson (1989).
        probes = np.random.default_rng(0).standard_normal((n, n_probes))
        # A sum of the squared correlations beyond so many times those asked for means that most of these are nearly 1.
        crowd = 4
        if float(np.square(first(second(probes))).sum()) / n_probes > crowd * k and 3 * k <= n:
            both = first.matrix @ second.matrix
            with suppress(Stalled):
                return crowded_eigenpairs(both @ both.T, np.empty((n, 0)), k, task, ANGLE_EXACT)[1][:, :k]
    return top_eigenpairs(lambda V: first(second(second(first(V)))), n, k, task)[1]


ROUNDING = 1e-8
"""Canonical correlations below this are rounding, and so are their pairs."""


def _diagnostics(correlations: Array) -> tuple[tuple[str, str], ...]:
    lost = int(np.count_nonzero(correlations < ROUNDING))
    if lost:
        text = (
            f"{lost} of {len(correlations)} canonical correlations are below {ROUNDING:g}: their coordinates are "
            "rounding. Lower ε, ask for fewer coordinates, or leave out a view in which nothing differs."
        )
        return (("unresolved", text),)
    certain = int(np.count_nonzero(correlations > 0.999))
    if certain < 2:
        return ()
    text = (
        f"{certain} canonical correlations are above .999: at this ε and γ almost any two functions of the views "
        "correlate. Enlarge γ or ε."
    )
    return (("overfitting", text),)


@dataclass(frozen=True, eq=False)
class Filter:
    """T = K(K + γI)⁻¹ of one view: its products, and itself (M, M) where that is what is known."""

    apply: Apply
    matrix: Array | None = None

    def __call__(self, V: Array) -> Array:
        return self.apply(V)


def _filter(stages: Stages, i: int) -> Filter:
    """T of view i."""
    gamma = float(cast("float", stages.params["gamma"]))
    centred, rank = bool(stages.params["centred"]), stages.params["cholesky_rank"]
    if rank is not None:
        G, _ = _factor(stages, i, int(rank))
        G = G - G.mean(axis=0) if centred else G
        small = np.linalg.inv(G.T @ G + gamma * np.eye(G.shape[1]))
        return Filter(lambda V: cast("Array", G @ (small @ (G.T @ V))))
    if not stages.kernels[i].kind.positive:
        values, vectors = _positive_part(stages, i, centred)
        return Filter(lambda V: vectors @ ((values / (values + gamma))[:, None] * (vectors.T @ V)))
    T = _regularised(stages, i, gamma, centred)
    return Filter(partial(np.matmul, T), T)


def _matrix(stages: Stages, i: int, centred: bool) -> Array:
    K = dense_kernel_of(stages, i)
    return centre(K) if centred else K.copy()


def _regularised(stages: Stages, i: int, gamma: float, centred: bool) -> Array:
    """K(K + γI)⁻¹ = I - γ(K + γI)⁻¹ (M, M): one inverse per view, ε and γ."""

    def shifted() -> Array:
        K = _matrix(stages, i, centred)
        K[np.diag_indices_from(K)] += gamma
        return K

    def compute() -> Array:
        try:
            T = inverse_of_positive(shifted(), stages.task)
        except np.linalg.LinAlgError:  # positive definite by less than rounding
            T = cast("Array", np.linalg.inv(shifted()))
        T *= -gamma
        T[np.diag_indices_from(T)] += 1.0
        return T

    return stages.of_kernel(i, "regularised", gamma, centred, compute=compute)


def _positive_part(stages: Stages, i: int, centred: bool) -> tuple[Array, Array]:
    """Eigenvalues (m,) above 0 and their vectors (M, m): with negative ones correlations are not bounded by 1."""

    def compute() -> tuple[Array, Array]:
        K = _matrix(stages, i, centred)
        stages.task.checkpoint()
        values, vectors = np.linalg.eigh(K)
        kept = values > 1e-12 * values[-1]
        return values[kept], vectors[:, kept]

    values, vectors = stages.of_kernel(i, "positive-part", centred, compute=compute)
    stages.task.warn(
        "clipped",
        f"The kernel of {stages.view_name(i)} has eigenvalues below 0; kernel CCA leaves that part of it out.",
    )
    return values, vectors


def _factor(stages: Stages, i: int, rank: int) -> tuple[Array, npt.NDArray[np.intp]]:
    """Incomplete Cholesky factor (M, m) of the kernel of view i, and its pivots (m,)."""
    if rank > stages.n_samples:
        raise ParameterError(
            f"A Cholesky rank of {rank} is too large for {stages.n_samples} samples.",
            f"Give at most {stages.n_samples}, or leave it empty.",
        )
    return stages.of_kernel(
        i, "cholesky", rank, compute=lambda: incomplete_cholesky(dense_kernel_of(stages, i), rank, stages.task)
    )


def centre(K: Array) -> Array:
    """H K H with H = I - 11ᵗ/M: the kernel of the samples with their mean in feature space removed."""
    rows = K.mean(axis=0)
    return cast("Array", K - rows[None, :] - rows[:, None] + rows.mean())


def incomplete_cholesky(K: Array, rank: int, task: Task | None = None) -> tuple[Array, npt.NDArray[np.intp]]:
    """G (M, m) with G Gᵗ close to K, m <= rank, and the pivots (m,): each where most is left on the diagonal.

    It ends early where nothing is left to explain: K then has that rank. Rows of G at the pivots are triangular.
    """
    left = np.diag(K).copy()
    tiny, degrees = 1e-12 * left.max(), K.sum(axis=1)
    G, pivots = np.zeros((len(K), rank)), []
    for m in range(rank):
        if task is not None and m % 8 == 0:
            task.checkpoint()
        # Among equals the sample with the largest row sum: the choice must not depend on the order of the samples.
        pivot = int(np.argmax(np.where(left >= (1.0 - 1e-9) * left.max(), degrees, -np.inf)))
        if left[pivot] <= tiny:
            break
        G[:, m] = (K[:, pivot] - G[:, :m] @ G[pivot, :m]) / np.sqrt(left[pivot])
        left -= G[:, m] ** 2
        left[pivot] = 0.0
        pivots.append(pivot)
    return G[:, : len(pivots)], np.array(pivots, dtype=np.intp)


def coordinates(decomposition: Decomposition, params: Mapping[str, Value]) -> tuple[Array, ...]:
    """K v (M, r) of each view, with u of root mean square 1."""
    return decomposition.blocks


def _extend(stages: Stages, decomposition: Decomposition, new_Xs: Sequence[Array]) -> tuple[Array, ...]:
    """k(x̃, ·) v for new samples, v = (u - T u) / γ, and u_l = T_l K_m v_m / ρ by the coordinates of the other view.

    NaN where ρ is rounding.
    """
    gamma, rho = float(cast("float", stages.params["gamma"])), decomposition.eigenvalues
    out = []
    for i, X in enumerate(new_Xs):
        u = divide_by_values(_filter(stages, i)(decomposition.blocks[1 - i]), rho, ROUNDING)
        out.append(_cross_rows(stages, i, X) @ ((u - decomposition.blocks[i]) / gamma))
    return tuple(out)


def _cross_rows(stages: Stages, i: int, new: Array) -> Array:
    """Kernel (n, M) between new and known samples of view i, centred or of low rank as the known ones' is."""
    rows = as_array(cross_kernel(stages, i, new))
    centred, rank = bool(stages.params["centred"]), stages.params["cholesky_rank"]
    if rank is not None:
        G, pivots = _factor(stages, i, int(rank))
        placed = rows[:, pivots] @ np.linalg.inv(G[pivots]).T
        mean = G.mean(axis=0) if centred else 0.0
        return cast("Array", (placed - mean) @ (G - mean).T)
    if centred:
        K = dense_kernel_of(stages, i)
        rows = rows - rows.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean()
    if not stages.kernels[i].kind.positive:
        _, vectors = _positive_part(stages, i, centred)
        rows = (rows @ vectors) @ vectors.T
    return rows


def _held(size: Size) -> PeakMemory:
    """The kernels and an inverse for each, or the Cholesky factors; LAPACK works on a copy of a kernel."""
    held, rank = kernels(size) + solver(size), size.params["cholesky_rank"]
    implicit = any(kernel.landmarks or kernel.kind.sparse for kernel in size.kernels) or size.n > FLOAT32_SAMPLES
    unfolded = size.matrix if implicit else 0.0
    if rank is not None:
        return held + PeakMemory(2.0 * size.vectors(int(rank)), 0.0, unfolded)
    inverse = 3.0  # Matrices beside its own that `numpy.linalg.inv` holds: a copy, the identity, and the inverse.
    # Where correlations crowd at 1 the solver falls back on a dense eigenproblem, if that is quick.
    worst = max(1.0 + inverse - 1.0, 1.0 + EIGH if size.n <= DENSE_LIMIT else 0.0)
    return held + PeakMemory(2.0 * size.matrix, 0.0, worst * size.matrix + unfolded)


METHODS = (
    Method(
        id="kernel-cca",
        title="Kernel CCA",
        formula="T¹T²u₂ = ρu₁,   T = K(K + γI)⁻¹,   coordinates K v = T u",
        latex=(r"T^1 T^2 u_2 = \rho \, u_1, \qquad T = K (K + \gamma I)^{-1}", r"\mathrm{coordinates} \;\; K v = T u"),
        summary="Pairs of functions, one on each view, that correlate as strongly as the regulariser γ lets them.",
        family=CORRELATION,
        source=f"Lai, Fyfe: Kernel and nonlinear canonical correlation analysis (2000); {SOURCE}, (8)",
        params=(N_COMPONENTS, REGULARISER, CENTRED, CHOLESKY_RANK),
        solve=solve,
        coordinates=coordinates,
        extend=_extend,
        footprint=_held,
        min_views=2,
        max_views=2,
        per_view=True,
        first_component=0,
        keeps_trivial=True,
        assumes="What the views share can be written as smooth functions of each of them.",
        cost="One inverse of an M × M matrix per view and ε (M³); with a Cholesky rank m only M m².",
        remarks=(
            "With a small γ almost any two functions correlate: correlations near 1 prove nothing.",
            "With kernels that are not centred the first pair is nearly constant; it is kept, and drawn last.",
            "The dual vectors v themselves are useless as coordinates at small γ: K v is shown.",
        ),
    ),
)
