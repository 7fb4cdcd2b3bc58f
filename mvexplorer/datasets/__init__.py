"""Sample data: generators with known parameters (`make_*`), the catalogue of samples, and `load`."""

from __future__ import annotations

from mvexplorer.datasets.clusters import (
    make_blobs,
    make_circles,
    make_gaussian_pair,
    make_spiral_classes,
    make_two_squares,
)
from mvexplorer.datasets.generators import (
    make_coupled_circles,
    make_gap_rolls,
    make_gaussian_mixture,
    make_helix_a,
    make_helix_b,
    make_rotated_rolls,
)
from mvexplorer.datasets.motion import make_pendulums, make_rotated_digit, make_rotating_icons
from mvexplorer.datasets.pictures import make_noisy_digits, make_toy_train
from mvexplorer.datasets.seismic import make_seismic_events
from mvexplorer.datasets.surfaces import make_noisy_swiss_roll, make_shared_latent, make_tori, make_touching_rolls

__all__ = [
    "make_blobs",
    "make_circles",
    "make_coupled_circles",
    "make_gap_rolls",
    "make_gaussian_mixture",
    "make_gaussian_pair",
    "make_helix_a",
    "make_helix_b",
    "make_noisy_digits",
    "make_noisy_swiss_roll",
    "make_pendulums",
    "make_rotated_digit",
    "make_rotated_rolls",
    "make_rotating_icons",
    "make_seismic_events",
    "make_shared_latent",
    "make_spiral_classes",
    "make_tori",
    "make_touching_rolls",
    "make_toy_train",
    "make_two_squares",
]
