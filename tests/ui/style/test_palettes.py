"""Colours: distinct for everybody, even to the eye, and visible on both themes."""

from __future__ import annotations

import json
import math
from itertools import combinations

import numpy as np
import pyqtgraph
import pytest

from mvexplorer.resources import resource
from mvexplorer.state.pictures.colouring import Colouring
from mvexplorer.ui.cloud.rasteriser import PointStyle
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import (
    CURVES,
    REST,
    class_colours,
    class_markers,
    point_colours,
    point_markers,
    scale_colours,
    scale_limits,
)

EYES = {
    "everybody": np.eye(3),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                            [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                              [-0.011820, 0.042940, 0.968881]]),
}  # fmt: skip
"""What linear sRGB looks like to an eye (Machado, Oliveira and Fernandes 2009, severity 1)."""
SHARMA = (
    ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
    ((50.0, 2.5, 0.0), (50.0, 0.0, -2.5), 4.3065),
    ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
    ((50.0, 2.49, -0.001), (50.0, -2.49, 0.0011), 7.2195),
    ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
    ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
)
"""Pairs of CIELAB colours and their difference, from the supplement of Sharma, Wu and Dalal (2005)."""


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
    return lab(linear(rgb) @ EYES[by].T)


def difference(one, two) -> float:
    """CIEDE2000 of two CIELAB colours, step by step as Sharma, Wu and Dalal write it."""
    (l1, a1, b1), (l2, a2, b2) = one, two
    mean7 = ((math.hypot(a1, b1) + math.hypot(a2, b2)) / 2) ** 7
    g = 0.5 * (1 - math.sqrt(mean7 / (mean7 + 25**7)))
    c1, c2 = math.hypot((1 + g) * a1, b1), math.hypot((1 + g) * a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, (1 + g) * a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    d_l, d_c, d_h = l2 - l1, c2 - c1, 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    lightness, c = (l1 + l2) / 2, (c1 + c2) / 2
    h = (h1 + turn / 2) % 360 if c1 * c2 else h1 + h2
    waves = ((-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.20, 4, -63))
    t = 1 + sum(k * math.cos(math.radians(n * h + phase)) for k, n, phase in waves)
    s_l = 1 + 0.015 * (lightness - 50) ** 2 / math.sqrt(20 + (lightness - 50) ** 2)
    s_c, s_h = 1 + 0.045 * c, 1 + 0.015 * c * t
    r = -2 * math.sqrt(c**7 / (c**7 + 25**7)) * math.sin(math.radians(60 * math.exp(-(((h - 275) / 25) ** 2))))
    x, y, z = d_l / s_l, d_c / s_c, d_h / s_h
    return math.sqrt(x * x + y * y + z * z + r * y * z)


def contrast(a, b) -> float:
    """Ratio of two colours' relative luminances, as the web's accessibility rules have it."""
    weights = np.array([0.2126, 0.7152, 0.0722])
    light, dark = sorted((float(linear(a) @ weights), float(linear(b) @ weights)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def rgb_of(text: str):
    return np.array([int(text[i : i + 2], 16) for i in (1, 3, 5)])


@pytest.mark.parametrize("name", ["viridis", "cividis", "CET-C2", "CET-D1A"])
def test_the_scales_are_those_of_their_makers(name):
    scales = json.loads(resource("style", "scales.json").read_text("utf-8"))
    theirs = pyqtgraph.colormap.get(name).getLookupTable(0.0, 1.0, 256)[:, :3]
    assert bytes.fromhex(scales[name]) == theirs.astype(np.uint8).tobytes()


@pytest.mark.parametrize(("one", "two", "expected"), SHARMA)
def test_the_difference_is_the_published_one(one, two, expected):
    assert difference(one, two) == pytest.approx(expected, abs=5e-5)
    assert difference(two, one) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("by", EYES)
@pytest.mark.parametrize("t", [theme.LIGHT, theme.DARK])
def test_any_two_of_25_classes_can_be_told_apart(by, t):
    seen, forms = as_seen(class_colours(25, t.name), by), class_markers(25)
    alike = [
        (i, j) for i, j in combinations(range(25), 2) if forms[i] == forms[j] and difference(seen[i], seen[j]) < 15.0
    ]
    assert alike == []


def test_ten_classes_are_all_discs():
    assert np.unique(class_markers(10)).tolist() == [0]
    assert np.unique(class_markers(11)).tolist() == [0, 1]


@pytest.mark.parametrize("t", [theme.LIGHT, theme.DARK])
def test_classes_show_on_the_ground_of_their_theme(t):
    assert min(contrast(c, rgb_of(t.surface)) for c in class_colours(10, t.name)) >= 3.0


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
    assert point_markers(Colouring("label", np.array([0, 10]), tuple("abcdefghijk"))).tolist() == [0, 1]


@pytest.mark.parametrize("t", [theme.LIGHT, theme.DARK], ids=lambda t: t.name)
def test_points_that_are_not_selected_are_seen_but_stay_behind(t):
    assert 1.5 <= contrast(REST[t.name], rgb_of(t.surface)) <= 2.5


@pytest.mark.parametrize("by", EYES)
@pytest.mark.parametrize("t", [theme.LIGHT, theme.DARK], ids=lambda t: t.name)
def test_points_that_are_not_selected_are_like_no_class(by, t):
    rest, surface = np.array(REST[t.name], dtype=float), rgb_of(t.surface)
    opacity = PointStyle.opacity  # the layer of the others is opaque, that of the selected ones is not
    for below in (surface, rest):
        shown = opacity * class_colours(10, t.name) + (1 - opacity) * below
        behind = as_seen(rest[None], by)[0]
        assert min(difference(seen, behind) for seen in as_seen(shown, by)) >= 15.0
