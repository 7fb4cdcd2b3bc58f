"""The palette for print: told apart in grey, and by eyes without red or green cones."""

from __future__ import annotations

import numpy as np
import pytest

from mvexplorer.state.pictures.colouring import Colouring
from mvexplorer.ui.style.palettes import REST, class_colours, markers_of, scale_colours

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
EYES = {
    "all cones": np.eye(3),
    "without red cones": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "without green cones": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def lab(rgb, eyes):
    """CIE L*a*b* (n, 3), under D65, of sRGB colours as these eyes see them."""
    share = np.asarray(rgb, dtype=float) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ EYES[eyes].T, 0, 1) @ XYZ.T / XYZ.sum(axis=1)
    f = np.where(seen > (6 / 29) ** 3, np.cbrt(seen), seen * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)


@pytest.mark.parametrize("eyes", list(EYES))
def test_classes_are_told_apart_by_lightness_and_form_alone(eyes):
    colours = lab(class_colours(10, "safe"), eyes)
    lightness, forms = colours[:, 0], markers_of(Colouring("c", np.arange(10), tuple("abcdefghij")), "safe")
    assert np.diff(lightness).min() > 4.5
    for form in range(3):
        assert np.diff(lightness[forms == form]).min() > 16.0, "those of one form"
    apart = np.linalg.norm(colours[:, None] - colours[None], axis=2) + 100 * np.eye(10)
    assert apart.min() > 14.0


def test_classes_are_told_apart_in_the_grey_of_programs_that_weigh_the_codes():
    """Most turn a picture grey so (Rec. 601), and not by lightness."""
    grey = class_colours(10, "safe").astype(float) @ np.array([0.299, 0.587, 0.114])
    assert np.diff(grey).min() > 8.0
    assert (grey[3:] - grey[:-3]).min() > 35.0, "those of one form"


def test_every_class_is_darker_than_the_rest_and_than_paper():
    lightest = lab(class_colours(10, "safe"), "all cones")[:, 0].max()
    assert lightest < lab(np.array([REST["safe"]]), "all cones")[0, 0] - 5
    assert lightest < 80


def test_thirty_classes_differ_in_colour_or_form():
    colouring = Colouring("c", np.arange(30), tuple(map(str, range(30))))
    colours, forms = class_colours(30, "safe").tolist(), markers_of(colouring, "safe").tolist()
    seen = {(*rgb, form) for rgb, form in zip(colours, forms, strict=True)}
    assert len(seen) == 30


@pytest.mark.parametrize("eyes", list(EYES))
@pytest.mark.parametrize("kind", ["continuous", "diverging", "cyclic"])
def test_scales_only_grow_lighter(kind, eyes):
    lightness = lab(scale_colours(kind, "safe"), eyes)[:, 0]
    assert np.diff(lightness).min() > -0.35  # of the rounding of colours to whole numbers
    assert np.diff(lightness[::16]).min() > 1.5
    assert lightness[-1] < 82


def test_the_palettes_of_the_screen_are_not_told_apart_in_grey():
    """Else no other would be offered."""
    assert np.diff(np.sort(lab(class_colours(10, "light"), "all cones")[:, 0])).min() < 4.5
