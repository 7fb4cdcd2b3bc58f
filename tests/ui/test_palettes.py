"""Colours: distinct for everybody, even to the eye, and visible on both themes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from mvexplorer.state.colouring import Colouring
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import (
    CURVES,
    class_colours,
    class_markers,
    point_colours,
    point_markers,
    scale_colours,
    scale_limits,
)

LMS = np.array([[0.31399022, 0.63951294, 0.04649755], [0.15537241, 0.75789446, 0.08670142],
                [0.01775239, 0.10944209, 0.87256922]])  # fmt: skip
"""Linear sRGB to cone responses (Hunt-Pointer-Estevez, as used for simulating dichromats)."""
PROJECTIONS = {
    "everybody": np.eye(3),
    "protanopia": np.array([[0.0, 1.05118294, -0.05116099], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    "deuteranopia": np.array([[1.0, 0.0, 0.0], [0.9513092, 0.0, 0.04866992], [0.0, 0.0, 1.0]]),
}
"""What a missing cone type makes of the responses (Viénot, Brettel and Mollon)."""


def linear(rgb):
    c = np.asarray(rgb, dtype=float) / 255.0
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(light):
    """CIELAB of linear sRGB under D65."""
    to_xyz = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
                       [0.0193339, 0.1191920, 0.9503041]])  # fmt: skip
    ratio = np.clip(light, 0, 1) @ to_xyz.T / np.array([0.95047, 1.0, 1.08883])
    f = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.column_stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])])


def as_seen(rgb, by: str):
    return lab(linear(rgb) @ LMS.T @ PROJECTIONS[by].T @ np.linalg.inv(LMS).T)


def contrast(a, b) -> float:
    """Ratio of two colours' relative luminances, as the web's accessibility rules have it."""
    weights = np.array([0.2126, 0.7152, 0.0722])
    light, dark = sorted((float(linear(a) @ weights), float(linear(b) @ weights)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def rgb_of(text: str):
    return np.array([int(text[i : i + 2], 16) for i in (1, 3, 5)])


@pytest.mark.parametrize(("by", "distance"), [("everybody", 18.0), ("protanopia", 9.0), ("deuteranopia", 9.0)])
def test_eight_classes_can_be_told_apart_by(by, distance):
    seen = as_seen(class_colours(8), by)
    nearest = min(np.linalg.norm(a - b) for a, b in combinations(seen, 2))
    assert nearest >= distance


def test_more_classes_differ_in_colour_or_form():
    looks = {(*rgb.tolist(), form) for rgb, form in zip(class_colours(20), class_markers(20), strict=True)}
    assert len(looks) == 20
    assert len(np.unique(class_markers(8))) == 1


@pytest.mark.parametrize("n", [1, 8, 9, 20, 40])
@pytest.mark.parametrize("surface", [theme.LIGHT.surface, theme.DARK.surface])
def test_classes_show_on_both_grounds(n, surface):
    assert min(contrast(c, rgb_of(surface)) for c in class_colours(n)) >= 1.5


@pytest.mark.parametrize("surface", [theme.LIGHT.surface, theme.DARK.surface])
def test_curves_show_on_both_grounds(surface):
    assert len(set(CURVES)) == 12
    assert min(contrast(rgb_of(curve), rgb_of(surface)) for curve in CURVES) >= 3.0


@pytest.mark.parametrize("name", ["light", "dark"])
def test_the_continuous_scale_grows_evenly_lighter(name):
    lightness = lab(linear(scale_colours("continuous", name)))[:, 0]
    steps = np.diff(lightness)
    assert steps.min() > -0.6  # eight-bit steps
    assert np.all(np.diff(lightness[::8]) > 0)
    assert lightness[-1] - lightness[0] > 55


def test_the_ends_of_the_cyclic_scale_meet():
    seen = lab(linear(scale_colours("cyclic")))
    steps = np.linalg.norm(np.diff(seen, axis=0), axis=1)
    assert np.linalg.norm(seen[0] - seen[-1]) <= 2 * steps.max()


def test_the_diverging_scale_is_palest_in_the_middle():
    seen = lab(linear(scale_colours("diverging")))
    chroma = np.hypot(seen[:, 1], seen[:, 2])
    assert abs(int(np.argmin(chroma)) - 127.5) < 12
    assert np.linalg.norm(seen[0] - seen[-1]) > 60


@pytest.mark.parametrize("kind", ["continuous", "cyclic", "diverging"])
@pytest.mark.parametrize("t", [theme.LIGHT, theme.DARK])
def test_scales_show_on_the_ground_of_their_theme(kind, t):
    assert min(contrast(c, rgb_of(t.surface)) for c in scale_colours(kind, t.name)) >= 1.4


def test_numbers_are_placed_between_the_limits():
    plain = Colouring("x", np.array([1.0, 3.0, 2.0]))
    assert scale_limits(plain) == (1.0, 3.0)
    table = scale_colours("continuous", "light")
    assert np.array_equal(point_colours(plain, 3, "light"), table[[0, 255, 128]])
    assert scale_limits(Colouring("x", np.array([-1.0, 3.0]), diverging=True)) == (-3.0, 3.0)
    assert scale_limits(Colouring("x", np.array([0.1, 3.0]), cyclic=True)) == (0.0, 2 * np.pi)


@pytest.mark.parametrize("values", [[5.0, 5.0, 5.0], [np.nan, 1.0, 2.0], [np.nan] * 3])
def test_constant_and_missing_values_have_a_colour(values):
    assert point_colours(Colouring("x", np.array(values)), 3, "dark").shape == (3, 3)


def test_without_a_colouring_all_points_are_alike():
    for name in ("light", "dark"):
        assert len(np.unique(point_colours(None, 5, name), axis=0)) == 1
    assert point_markers(None) is None
    assert point_markers(Colouring("label", np.array([0, 8]), tuple("abcdefghi"))).tolist() == [0, 1]
