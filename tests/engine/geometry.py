"""What tests compare embeddings by; diffusion distances: of random walks, and of heat on a graph.

Walks: multi-view diffusion maps, (16)-(18), (22), (30), (55); ψ_0 = 1 throughout. Heat: Eynard, Glashoff, Bronstein,
Bronstein: Multimodal diffusion geometry by joint diagonalization of Laplacians (2012), (2).
"""

from __future__ import annotations

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.kernels.distances import squared_distances
from mvexplorer.errors import ParameterError


def inner_view_distances(coordinates: Array) -> Array:
    """Squared diffusion distances (M, M) within one view, (18), from its coordinates λ^t ψ (M, r).

    Equal to the weighted distances (16)-(17) between transition probabilities once all LM - 1 pairs are in.
    """
    return squared_distances(coordinates)


def multi_view_distances(view_coordinates: tuple[Array, ...]) -> Array:
    """Squared multi-view diffusion distances (M, M), (22): the sum over the views."""
    return np.sum([squared_distances(c) for c in view_coordinates], axis=0)


def cross_view_distance(first: Array, second: Array) -> float:
    """Squared cross-view diffusion distance (30): summed over samples, between a sample's two images (M, r).

    For coordinates of separate diffusion maps this is the single-view distance (55); align the signs first.
    """
    return float(np.square(first - second).sum())


def heat_distances(vectors: Array, eigenvalues: Array, t: float) -> Array:
    """Squared heat diffusion distances Σ_k e^(-tλ_k) (v_ik - v_jk)² (M, M), (2), after time t."""
    return squared_distances(vectors * np.exp(-0.5 * t * eigenvalues))


def farthest_points(coordinates: Array, n_points: int, first: int = 0) -> tuple[np.ndarray, Array]:
    """Samples each as far as can be from all before it, and how far that is; Hochbaum, Shmoys (1985).

    Parameters
    ----------
    coordinates : array (M, r)
        Of the samples.
    n_points : int
        From 1 to M.
    first : int
        The sample to begin with.

    Returns
    -------
    indices : array (n_points,)
    radii : array (n_points,)
        Largest distance of any sample to the points chosen so far: every sample lies within radii[i] of one of the
        first i + 1.
    """
    if not 1 <= n_points <= len(coordinates):
        raise ParameterError(
            f"{n_points} points cannot be chosen among {len(coordinates)} samples.",
            f"Give a whole number from 1 to {len(coordinates)}.",
        )
    chosen, radii = [first], []
    nearest = squared_distances(coordinates, coordinates[[first]]).ravel()
    while True:
        radii.append(float(np.sqrt(nearest.max())))
        if len(chosen) == n_points:
            return np.array(chosen), np.array(radii)
        chosen.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, squared_distances(coordinates, coordinates[[chosen[-1]]]).ravel())
