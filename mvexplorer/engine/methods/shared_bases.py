"""A basis shared by the views, found by alternating steps: centroid co-regularisation and linked factors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, cast

import numpy as np

from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import Param
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.operators import KernelMatrix
from mvexplorer.engine.methods.joint import (
    COMMON,
    FIRST,
    PAPER,
    joint_decomposition,
    leaves_trivial,
    relative,
    weighted_graphs,
)
from mvexplorer.engine.methods.shared.graphs import smallest_eigenpairs, smallest_eigenpairs_of_laplacian, weighted_mean
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.spectral.diagnostics import Diagnostics
from mvexplorer.engine.spectral.eigenpairs import Decomposition

COREGULARIZATION = Param(
    "coregularization",
    "λ",
    0.05,
    "How strongly each view's vectors are drawn to the common ones, in units of the Laplacians' eigenvalues; the "
    "literature uses .01 to .05 (the authors' program also .5), and results can depend on it.",
    low=0.0,
    high=100.0,
    title="Co-regularisation",
    source=f"Kumar, Rai, Daumé: Co-regularized multi-view spectral clustering (2011); {PAPER}, (11)",
)
FACTOR_PENALTY = Param(
    "factor_penalty",
    "α",
    0.01,
    "Weight of |U|² and |Λ|² beside the error of the factorisation: factors weaker than it vanish.",
    low=1e-6,
    high=10.0,
    log=True,
    title="Penalty",
    source=f"Tang, Lu, Dhillon: Clustering with multiple graphs (2009); {PAPER}, (7)",
)

MOST_STEPS = 300


# Fixed points -----------------------------------------------------------------------------------------------


class FixedPoint(NamedTuple):
    """The result of an iteration: the last point, the objective at every accepted step, and whether it converged."""

    point: Array
    objectives: list[float]
    converged: bool


def fixed_point(step: Callable[[Array], tuple[Array, float]], start: Array, task: Task) -> FixedPoint:
    """Solve X = g(X) by Anderson's acceleration, a quasi-Newton method, of an iteration that lowers an objective.

    `step` gives, for X (n, r), g(X) and the objective at X. A point worse than the one before is rejected, and the
    plain step made instead.
    """
    X, kept = start, start
    points: list[Array] = []
    residuals: list[Array] = []
    objectives: list[float] = []
    settled = 1e-10
    depth = 10  # Number of former steps that Anderson's acceleration combines.
    worse = 1e-13  # A relative rise of the objective up to this counts as rounding.
    for count in range(MOST_STEPS):
        task.progress(count / (count + 20.0))
        image, objective = step(X)
        if points and objective > objectives[-1] + worse * abs(objectives[-1]):
            points, residuals, X = [], [], kept
            continue
        objectives.append(objective)
        if np.linalg.norm(image - X) <= settled:
            return FixedPoint(image, objectives, True)
        points, residuals = [*points[-depth:], X.ravel()], [*residuals[-depth:], (image - X).ravel()]
        X, kept = image, image
        if len(points) > 1:
            dX, dR = np.diff(points, axis=0), np.diff(residuals, axis=0)
            mix = np.linalg.lstsq(dR.T, residuals[-1], rcond=1e-12)[0]
            X = image - (mix @ (dX + dR)).reshape(image.shape)
    return FixedPoint(kept, objectives, False)


# Co-regularisation ------------------------------------------------------------------------------------------


def co_regularise(
    laplacians: Sequence[KernelMatrix], weights: Array, r: int, strength: float, task: Task
) -> FixedPoint:
    """Find a stationary V (M, r) of (11), ``Σ ω_l [tr V_lᵀL_lV_l - λ |V_lᵀV|²]``, alternating between the V_l and V.

    The L_l (M, M) are `laplacians`, ω_l `weights` (L,), and λ is `strength`. For given V the V_l are the bottom
    eigenvectors of L_l - λVVᵀ, and (11) is the sum of their eigenvalues; for given V_l, V spans the leading
    eigenvectors of Σ ω_l V_l V_lᵀ. It starts from the views' own V_l.
    """
    n = laplacians[0].shape[0]
    own: list[Array | None] = [None] * len(laplacians)

    def bases(V: Array, strength: float) -> tuple[list[Array], float]:
        total = 0.0
        for i, L in enumerate(laplacians):

            def drawn(X: Array, L: KernelMatrix = L) -> Array:
                return L @ X - strength * (V @ (V.T @ X))

            values, own[i] = smallest_eigenpairs(drawn, n, r, 2.0, task, start=own[i])
            total += weights[i] * float(values.sum())
        return cast("list[Array]", own), total

    def step(V: Array) -> tuple[Array, float]:
        V = np.linalg.qr(V)[0]
        own_bases, objective = bases(V, strength)
        common = _centroid(own_bases, weights)
        # Rotated to the basis of the same space nearest to V: else differences between steps would mean nothing.
        U, _, Wt = np.linalg.svd(common.T @ V)
        return cast("Array", common @ (U @ Wt)), objective

    return fixed_point(step, _centroid(bases(np.zeros((n, 1)), 0.0)[0], weights), task)


def _centroid(own: Sequence[Array], weights: Array) -> Array:
    """The r leading eigenvectors (M, r) of Σ ω_l V_l V_lᵀ."""
    stacked = np.hstack([np.sqrt(w) * basis for w, basis in zip(weights, own, strict=True)])
    return cast("Array", np.linalg.svd(stacked, full_matrices=False)[0][:, : own[0].shape[1]])


def solve_co_regularised(stages: Stages) -> Decomposition:
    """The common basis of (11), turned to the eigenvectors that the mean Laplacian has within it."""
    graphs, weights = weighted_graphs(stages)
    laplacians = graphs.laplacians
    r, strength = n_components(stages), float(cast("float", stages.params["coregularization"]))
    solution = co_regularise(laplacians, weights, r, strength, stages.task)
    values, vectors = eigenpairs_within(np.linalg.qr(solution.point)[0], weighted_mean(laplacians, weights))
    return joint_decomposition(stages, values, vectors, graphs, diagnostics=unsettled(solution))


def n_components(stages: Stages) -> int:
    """r, and one more where the first vector is trivial and left out."""
    return int(cast("int", stages.params["n_components"])) + int(leaves_trivial(stages.params))


def eigenpairs_within(basis: Array, mean: KernelMatrix) -> tuple[Array, Array]:
    """Eigenvalues (r,), ascending, and eigenvectors (M, r) of a Laplacian restricted to the span of a basis (M, r)."""
    small = basis.T @ (mean @ basis)
    values, turn = np.linalg.eigh(0.5 * (small + small.T))
    return values, basis @ turn


def unsettled(solution: FixedPoint) -> Diagnostics:
    """The warning of an iteration that did not converge."""
    if solution.converged:
        return ()
    text = f"The common vectors still change after {MOST_STEPS} steps: the objective is flat around them."
    return (("no-convergence", text),)


# Linked factors ---------------------------------------------------------------------------------------------


class LinkedFactors:
    """``min ½ Σ ω_l (|S_l - UΛ_lUᵀ|² + α|Λ_l|²) + ½ α|U|²`` over U (M, r) and symmetric Λ_l (r, r), (7) and Tang et al.

    S_l = I - L_l are the normalised weights. For given U the best Λ_l have a closed form, so that only U is sought;
    the constant ``½ Σ ω_l |S_l|²`` is left out.
    """

    def __init__(self, laplacians: Sequence[KernelMatrix], weights: Array, penalty: float) -> None:
        self.laplacians, self.weights, self.penalty = laplacians, weights, penalty

    def links(self, U: Array) -> tuple[Array, list[Array], list[Array]]:
        """UᵀU, the images S_l U, and the best Λ_l: in the eigenbasis of UᵀU, (UᵀS_lU)_ij / (g_i g_j + α)."""
        images = [U - L @ U for L in self.laplacians]
        gram = U.T @ U
        g, turn = np.linalg.eigh(gram)
        damped = np.outer(g, g) + self.penalty
        return gram, images, [turn @ ((turn.T @ (U.T @ SU) @ turn) / damped) @ turn.T for SU in images]

    def objective(self, U: Array) -> tuple[float, Array]:
        """Value and gradient (M, r) at U."""
        gram, images, links = self.links(U)
        value, gradient = 0.5 * self.penalty * float(np.trace(gram)), self.penalty * U
        for w, SU, link in zip(self.weights, images, links, strict=True):
            model = link @ gram @ link
            value -= w * float(np.sum(SU * (U @ link)))
            value += 0.5 * w * float(np.sum(model * gram) + self.penalty * np.square(link).sum())
            gradient = gradient + 2.0 * w * (U @ model - SU @ link)
        return value, gradient

    def step(self, U: Array) -> tuple[Array, float]:
        """The U that is best on one side of UΛ_lUᵀ with the other side fixed, and the objective at the given U."""
        gram, images, links = self.links(U)
        wanted = sum(w * (SU @ link) for w, SU, link in zip(self.weights, images, links, strict=True))
        system = 0.5 * self.penalty * np.eye(len(gram))
        for w, link in zip(self.weights, links, strict=True):
            system += w * (link @ gram @ link)
        return cast("Array", np.linalg.solve(system, cast("Array", wanted).T).T), self.objective(U)[0]

    def solve(self, start: Array, task: Task) -> FixedPoint:
        """A minimum near `start` (M, r): by a quasi-Newton method, then by a fixed point to the last digits."""
        with IMPORTS:
            from scipy.optimize import minimize

        def objective(x: Array) -> tuple[float, Array]:
            task.checkpoint()
            task.products += 1
            value, gradient = self.objective(x.reshape(start.shape))
            return value, gradient.ravel()

        options = {"maxiter": 1000, "gtol": 1e-9, "ftol": 1e-16, "maxcor": 20}
        near = minimize(objective, start.ravel(), jac=True, method="L-BFGS-B", options=options)

        def counted(U: Array) -> tuple[Array, float]:
            task.products += 1
            return self.step(U)

        return fixed_point(counted, near.x.reshape(start.shape), task)


def solve_low_rank(stages: Stages) -> Decomposition:
    """Span of the linked factors U of (7), turned to the eigenvectors that the mean Laplacian has within it."""
    graphs, weights = weighted_graphs(stages)
    laplacians, r = graphs.laplacians, n_components(stages)
    mean = weighted_mean(laplacians, weights)
    _, start = smallest_eigenpairs_of_laplacian(mean, r, stages.task)
    factors = LinkedFactors(laplacians, weights, float(cast("float", stages.params["factor_penalty"])))
    solution = factors.solve(start, stages.task)
    basis, strength, _ = np.linalg.svd(solution.point, full_matrices=False)
    vanished = 1e-4  # Factors weaker than this part of the strongest count as driven to 0 by the penalty.
    alive = int(np.count_nonzero(strength > vanished * strength[0]))
    values, vectors = eigenpairs_within(basis[:, :alive], mean)
    diagnostics = unsettled(solution)
    if alive < r:
        text = f"Only {alive} of {r} factors are stronger than the penalty α: the other coordinates are 0. Lower α."
        diagnostics = (*diagnostics, ("factors", text))
    # A vector that explains nothing of S = I - L has the eigenvalue 1.
    values = np.append(values, np.full(r - alive, max(1.0, values[-1])))
    padded = np.pad(vectors, ((0, 0), (0, r - alive)))
    return joint_decomposition(stages, values, padded, graphs, diagnostics=diagnostics)


METHODS = (
    relative(
        id="co-regularized",
        title="Co-regularised",
        formula="min Σ_l tr(V_lᵀL_lV_l) − λ‖V_lᵀV‖²",
        latex=(
            r"\min \sum_{l} \mathrm{tr}\left( V_l^{\mathsf T} L_l V_l \right) - \lambda \, \| V_l^{\mathsf T} V \|^2",
        ),
        summary="Every view keeps smooth vectors of its own, drawn towards a common basis of r vectors.",
        source=f"Kumar, Rai, Daumé: Co-regularized multi-view spectral clustering (2011); {PAPER}, (11)",
        params=(*COMMON, COREGULARIZATION),
        solve=solve_co_regularised,
        assumes="The views have about r clusters in common, r being the number of coordinates.",
        cost="An eigenproblem per view and round, dozens of rounds: a few seconds at 2000 samples.",
        remarks=(
            "Only the space of the r vectors is determined: within it the mean Laplacian's own axes are shown.",
            "Another r gives other vectors, not more of the same.",
            FIRST,
        ),
    ),
    relative(
        id="low-rank",
        title="Low-rank factors",
        formula="min Σ_l ‖D⁻½W_lD⁻½ − UΛ_lUᵀ‖²",
        latex=(r"\min \sum_{l} \left\| D_l^{-1/2} W_l D_l^{-1/2} - U \Lambda_l U^{\mathsf T} \right\|^2",),
        summary="One factor U of rank r that explains the weights of all views, each with a mixing of its own.",
        source=f"Tang, Lu, Dhillon: Clustering with multiple graphs (2009); {PAPER}, (7)",
        params=(*COMMON, FACTOR_PENALTY),
        solve=solve_low_rank,
        assumes="The views' graphs are about r dense groups, r being the number of coordinates.",
        cost="A product per view and step, about a hundred steps: under a second at 2000 samples.",
        remarks=(
            "Applied to the normalised weights, as the Laplacians are, so that busy samples and views do not prevail.",
            "Only the space of the factors is determined: within it the mean Laplacian's own axes are shown.",
            FIRST,
        ),
    ),
)
