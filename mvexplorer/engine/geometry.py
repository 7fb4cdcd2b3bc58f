"""Diffusion distances (multi-view diffusion maps, (16)-(18), (22), (30), (55)); ψ_0 = 1 throughout."""

from __future__ import annotations

from typing import cast

import numpy as np

from mvexplorer.engine.distances import squared_distances
from mvexplorer.engine.multiview import Array


def inner_view_distances(coordinates: Array) -> Array:
    """Squared diffusion distances (M, M) within one view, (18), from its coordinates λ^t ψ (M, r).

    Equal to the weighted distances (16)-(17) between transition probabilities once all LM - 1 pairs are in.
    """
    return squared_distances(coordinates)


def multi_view_distances(view_coordinates: tuple[Array, ...]) -> Array:
    """Squared multi-view diffusion distances (M, M), (22): the sum over the views."""
    return cast(Array, np.sum([squared_distances(c) for c in view_coordinates], axis=0))


def cross_view_distance(first: Array, second: Array) -> float:
    """Squared cross-view diffusion distance (30): summed over samples, between a sample's two images (M, r).

    For coordinates of separate diffusion maps this is the single-view distance (55); align the signs first.
    """
    return float(np.square(first - second).sum())
