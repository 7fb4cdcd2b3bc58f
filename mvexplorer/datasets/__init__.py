"""Sample data: generators with known parameters (`make_*`), the catalogue of samples, and `load`."""

from __future__ import annotations

from mvexplorer.datasets.generators import (
    make_coupled_circles,
    make_gap_rolls,
    make_gaussian_mixture,
    make_helix_a,
    make_helix_b,
    make_rotated_rolls,
)
from mvexplorer.datasets.pictures import make_noisy_digits, make_toy_train

__all__ = [
    "make_coupled_circles",
    "make_gap_rolls",
    "make_gaussian_mixture",
    "make_helix_a",
    "make_helix_b",
    "make_noisy_digits",
    "make_rotated_rolls",
    "make_toy_train",
]
