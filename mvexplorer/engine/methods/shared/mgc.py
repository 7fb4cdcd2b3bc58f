"""The measure-based Gaussian correlation kernel and its diffusion distances in closed form.

Salhov, Bermanis, Wolf, Averbuch: Diffusion representations (2018); numbers in brackets are its equations. The
measure is a mixture of Gaussians q. Its ε is the ε of every other kernel here: by (A.5) the affinity of x and y is
the Gaussian of variance ε = σ² of their distance, times q blurred by ε/4 at the point midway between them.
"""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from typing import cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.affinities import gaussian
from mvexplorer.engine.kernels.distances import BLOCK_ROWS, squared_distances
from mvexplorer.engine.methods.shared.mixture import Mixture, cholesky, log_height, log_sum, log_terms, whiten_by

NU_MIN = 1e-3
"""Below this stationary density the paper calls a place negligible (section 6.2); (5.18) holds above it only."""


def midpoint_density(X: Array, Y: Array, mixture: Mixture, epsilon: float, task: Task | None = None) -> Array:
    """Σ_j a_j g((x+y)/2; θ_j, Σ_j + ε/4 I) between rows of X (M, m) and Y (N, m), over the largest value it can have.

    The part (M, N), 0 to 1, of (A.7) that is due to the measure; `log_peak` is the logarithm of what it is divided by.
    ε = σ², in the squared units of the samples.
    """
    out = np.zeros((len(X), len(Y)))
    peak = log_peak(mixture, epsilon)
    for weight, mean, covariance in zip(mixture.weights, mixture.means, mixture.covariances, strict=True):
        factor = cholesky(covariance, 0.25 * epsilon)
        # |(u + v)/2|² as half the distance of u and -v.
        first, second = whiten_by(0.5 * (X - mean), factor), whiten_by(0.5 * (mean - Y), factor)
        height = weight * np.exp(log_height(factor) - peak)
        for start in range(0, len(X), BLOCK_ROWS):
            rows = slice(start, start + BLOCK_ROWS)
            out[rows] += height * gaussian(squared_distances(first[rows], second, task), 1.0, task)
    return out


def log_peak(mixture: Mixture, epsilon: float) -> float:
    """log Σ_j a_j g(θ_j; θ_j, Σ_j + ε/4 I), which no density blurred by ε/4 exceeds."""
    heights = [log_height(cholesky(S, 0.25 * epsilon)) for S in mixture.covariances]
    return float(log_sum((np.log(mixture.weights) + heights)[None, :])[0])


def affinities(X: Array, Y: Array, mixture: Mixture, epsilon: float, task: Task | None = None) -> Array:
    """The kernel k(x, y) (M, N) of (3.3), in the form (A.7), of X (M, m) and Y (N, m): symmetric for any covariances.

    ε = σ², in the squared units of the samples.
    """
    near = gaussian(squared_distances(X, Y, task), epsilon, task)
    log_scale = log_peak(mixture, epsilon) - 0.5 * X.shape[1] * np.log(2.0 * np.pi * epsilon)
    return cast("Array", np.exp(log_scale) * near * midpoint_density(X, Y, mixture, epsilon, task))


def stationary_density(X: Array, mixture: Mixture, epsilon: float) -> Array:
    """ν(x) (M,) of (3.4): the integral of k(x, ·), and the walk's stationary density."""
    return cast("Array", np.exp(log_sum(log_terms(X, mixture, 0.5 * epsilon))))


def memberships(X: Array, mixture: Mixture, epsilon: float) -> Array:
    """The part h_j(x)/ν(x) (M, n) that each Gaussian has in ν(x); finite however far away x is."""
    terms = log_terms(X, mixture, 0.5 * epsilon)
    return cast("Array", np.exp(terms - log_sum(terms)[:, None]))


def transitions(X: Array, mixture: Mixture, epsilon: float) -> tuple[Array, Array]:
    """c_j(x) (n, M, m) and D_j (n, m, m) of theorem 3.1: p(x, ·) = Σ_j h_j(x)/ν(x) g(·; c_j(x), D_j).

    Along an axis of Σ_j of variance s, c_j(x) = θ_j + (x - θ_j) 2s/(ε + 2s) and D_j is ε (ε + 4s) / (2ε + 4s): the
    printed differences, without their cancellation.
    """
    centres, spreads = [], []
    for mean, covariance in zip(mixture.means, mixture.covariances, strict=True):
        s, axes = np.linalg.eigh(covariance)
        pull = 2.0 * s / (epsilon + 2.0 * s)
        centres.append(mean + (X - mean) @ (axes * pull) @ axes.T)
        spreads.append((axes * (epsilon * (epsilon + 4.0 * s) / (2.0 * epsilon + 4.0 * s))) @ axes.T)
    return np.array(centres), np.array(spreads)


def inner_products(X: Array, Z: Array, mixture: Mixture, epsilon: float, task: Task | None = None) -> Array:
    """Inner products (M, N) of p(x, ·) and p(z, ·): W of (3.5), with c_i(z) and a_i a_j, over ν(x) ν(z).

    X (M, m) and Z (N, m) are samples; ε = σ², in their squared units.
    """
    out = np.zeros((len(X), len(Z)))
    at_x, spreads = transitions(X, mixture, epsilon)
    at_z, _ = transitions(Z, mixture, epsilon)
    of_x, of_z = memberships(X, mixture, epsilon), memberships(Z, mixture, epsilon)
    for j, spread in enumerate(spreads):
        for i, other in enumerate(spreads):
            factor = cholesky(spread + other)
            first, second = whiten_by(at_x[j], factor), whiten_by(at_z[i], factor)
            part = np.exp(log_height(factor)) * of_z[:, i]
            for start in range(0, len(X), BLOCK_ROWS):
                rows = slice(start, start + BLOCK_ROWS)
                block = gaussian(squared_distances(first[rows], second, task), 1.0, task)
                block *= part
                block *= of_x[rows, j, None]
                out[rows] += block
    return out


def diffusion_distances(X: Array, mixture: Mixture, epsilon: float, task: Task | None = None) -> Array:
    """Squared diffusion distances (M, M) between the rows of X at t = 1: (3.6), whose left side is d²."""
    products = inner_products(X, X, mixture, epsilon, task)
    own = np.diag(products)
    return np.maximum(own[:, None] + own[None, :] - products - products.T, 0.0)


# The diffusion representation -----------------------------------------------------------------------------------


def n_features(n_dimensions: int, order: int) -> int:
    """Number of entries of f_l: of the monomials in m variables up to degree l."""
    return math.comb(order + n_dimensions, n_dimensions)


def multi_indices(n_dimensions: int, order: int) -> npt.NDArray[np.intp]:
    """The exponents (F, m) of all monomials in m variables, by degree from 0 to l."""
    chosen = (c for degree in range(order + 1) for c in combinations_with_replacement(range(n_dimensions), degree))
    return np.array([np.bincount(c, minlength=n_dimensions) for c in map(_whole, chosen)], dtype=np.intp)


def _whole(factors: tuple[int, ...]) -> npt.NDArray[np.intp]:
    return np.array(factors, dtype=np.intp)


def taylor_features(C: Array, indices: npt.NDArray[np.intp]) -> Array:
    """``e^(-|c|²/2) φ(c)`` at the rows of C (M, m), one column for each exponent e of `indices` (F, m); (4.3), (5.4).

    φ holds c^e / √(e!): each monomial once, where the paper's Kronecker products repeat it ``|e|!/e!`` times.
    """
    out = np.ones((len(C), len(indices)))
    for c, exponents in zip(C.T, indices.T, strict=True):
        powers = np.empty((len(C), int(exponents.max()) + 1))
        powers[:, 0] = np.exp(-0.5 * c * c)
        for i in range(1, powers.shape[1]):
            powers[:, i] = powers[:, i - 1] * c / np.sqrt(i)
        out *= powers[:, exponents]
    return out


def representation(X: Array, mixture: Mixture, epsilon: float, order: int, task: Task | None = None) -> Array:
    """Compute the diffusion representation f_l (M, F) of X (M, m), l inclusive: (5.3); f of (4.10) if l is infinite.

    Its Euclidean distances are the diffusion distances up to the truncation. The mixture has one covariance for all
    Gaussians; ε = σ², in the squared units of the samples.
    """
    indices = multi_indices(mixture.n_dimensions, order)
    centres, parts = _whitened_centres(X, mixture, epsilon), memberships(X, mixture, epsilon)
    scale = np.sqrt(_scale(mixture, epsilon))
    out = np.zeros((len(X), len(indices)))
    rows_at_once = max(1, 50_000 // len(indices))
    for start in range(0, len(X), rows_at_once):
        rows = slice(start, start + rows_at_once)
        for c, part in zip(centres, parts.T, strict=True):
            if task is not None:
                task.checkpoint()
            out[rows] += (scale * part[rows, None]) * taylor_features(c[rows], indices)
        if task is not None:
            task.progress(start / len(X))
    return out


def truncation_errors(X: Array, rows: Array, mixture: Mixture, epsilon: float) -> Array:
    """``|f(x) - f_l(x)|`` (M,) at the rows of X, from their f_l (M, F): exact, as the terms left out are orthogonal.

    The sum of two of them bounds the error of a distance.
    """
    centres, parts = _whitened_centres(X, mixture, epsilon), memberships(X, mixture, epsilon)
    squares = -np.square(rows).sum(axis=1)
    scale = _scale(mixture, epsilon)
    for c, part in zip(centres, parts.T, strict=True):
        apart = np.square(centres - c).sum(axis=2)
        squares += scale * part * (np.exp(-0.5 * apart).T * parts).sum(axis=1)
    return cast("Array", np.sqrt(np.maximum(squares, 0.0)))


def _whitened_centres(X: Array, mixture: Mixture, epsilon: float) -> Array:
    """ĉ_j(x) = (2D)^-1/2 c_j(x), (n, M, m), with the symmetric root."""
    if not mixture.tied:
        raise ValueError("(4.10) needs a mixture with one covariance for all")
    centres, spreads = transitions(X, mixture, epsilon)
    return centres @ _inverse_root(2.0 * spreads[0])


def _inverse_root(S: Array) -> Array:
    values, axes = np.linalg.eigh(S)
    return cast("Array", (axes / np.sqrt(values)) @ axes.T)


def _scale(mixture: Mixture, epsilon: float) -> float:
    """``(2π)^-m/2 |2D|^-1/2``: the largest squared length of f."""
    _, spreads = transitions(mixture.means, mixture, epsilon)
    return math.exp(log_height(cholesky(2.0 * spreads[0])))


# Error bounds -----------------------------------------------------------------------------------------------------


def trust_region(A: Array, b: Array, radius: float = 1.0) -> float:
    """The largest ``|Ax + b|²`` over ``|x| <= radius``, for A (m, m) and b (m,); (5.11) and appendix B.

    Through the dual problem, min over τ >= λ_max(AᵗA) of τ r² + Σ u_i²/(τ - λ_i), u = Aᵗb in the axes of AᵗA: exact
    in the hard case as well, and never below the maximum.
    """
    values, axes = np.linalg.eigh(A.T @ A)
    squares = np.square(axes.T @ (A.T @ b))
    low = float(values[-1])
    high = low + float(np.sqrt(squares.sum())) / radius

    def ratios(tau: float, power: int) -> float:
        gaps = np.maximum(tau - values[squares > 0.0], np.spacing(values[-1]))
        return float((squares[squares > 0.0] / gaps**power).sum())

    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if ratios(middle, 2) > radius**2 else (low, middle)
    return float(b @ b) + high * radius**2 + ratios(high, 1)


def largest_norms(mixture: Mixture, epsilon: float, radius: float = 1.0) -> Array:
    """The largest ``|ĉ_j(x)|²`` over ``|x| <= radius``, for each Gaussian (n,)."""
    n, m = mixture.n_components, mixture.n_dimensions
    # ĉ_j(x) = Ax + b_j: its values at 0 and at the unit vectors.
    values = _whitened_centres(np.vstack([np.zeros(m), np.eye(m)]), mixture, epsilon)
    return np.array([trust_region((values[j, 1:] - values[j, 0]).T, values[j, 0], radius) for j in range(n)])


def remainders(norms: Array, order: int) -> tuple[Array, Array]:
    """The remainder of φ at order l for each ``|ĉ|²`` of `norms` (n,): terms of (5.10), and of (5.12), never larger.

    The latter is the regularised incomplete gamma function ``P(l + 1, |ĉ|²)``; the printed difference cancels.
    """
    with IMPORTS:
        from scipy.special import gammainc, gammaln

    with np.errstate(divide="ignore", over="ignore"):
        lagrange = np.exp((order + 1) * np.log(norms) - gammaln(order + 2))
    return lagrange, gammainc(order + 1, norms)


def paper_bound(norms: Array, mixture: Mixture, epsilon: float, order: int, nu_min: float = NU_MIN) -> float:
    """η of (5.17)-(5.18), for ``|f - f_l|²`` where ν >= nu_min; it assumes ``|h| <= 1``, which small ε can break.

    `norms` (n,) are the largest ``|ĉ_j(x)|²`` of each Gaussian, see `largest_norms`; ε = σ², in the squared units of
    the samples.
    """
    both = remainders(norms, order)
    return _scale(mixture, epsilon) * min(float(part.sum()) for part in both) / nu_min**2


def sharp_bound(norms: Array, mixture: Mixture, epsilon: float, order: int) -> float:
    """A bound for ``|f - f_l|²`` without conditions: f is a mean over j, by h_j/ν, of vectors with that remainder."""
    return _scale(mixture, epsilon) * float(remainders(norms, order)[1].max())


def chosen_order(norms: Array, mixture: Mixture, epsilon: float, tolerance: float, most: int) -> int:
    """Choose the smallest l >= 1 whose bound keeps distances within ζ (`tolerance`), (5.20), or `most`.

    `norms` (n,) are the largest ``|ĉ_j(x)|²`` of each Gaussian, see `largest_norms`; ε = σ², in the squared units of
    the samples, and ζ in units of the diffusion distance. `most` is the largest order there is memory for.
    """
    for order in range(1, most):
        if sharp_bound(norms, mixture, epsilon, order) <= 0.25 * tolerance**2:
            return order
    return most
