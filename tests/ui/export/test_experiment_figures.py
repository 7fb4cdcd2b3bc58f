"""Figures of experiments as pictures: what they hold is seen."""

import numpy as np
import pytest

from mvexplorer.experiments.figures import cloud, curve, heat_map, pictured, plot, tabled
from mvexplorer.figures import Table
from mvexplorer.ui.app import application
from mvexplorer.ui.export.figure import SCALE, SIZE, _colouring, draw_figure
from mvexplorer.ui.widgets.plots.plot_axes import log_ticks

X = np.arange(1.0, 9.0)
CLOUD = np.column_stack([np.cos(X), np.sin(X), X])
FIGURES = (
    cloud("a", CLOUD[:, :2], X, cyclic=True),
    cloud("a", CLOUD, np.array(["left", "right"] * 4)),
    plot("a", "k", "λ", (curve("one", X, X), curve("two", X, X**2, markers=True)), log_up=True, marks=((3.0, "here"),)),
    heat_map("a", np.outer(X, X), "σ₂", "σ₁", X, X),
    pictured("a", np.tile(np.arange(0, 256, 32, dtype=np.uint8), (3, 4, 1)), ("one", "two", "three")),
    tabled("a", ("map", "NMI"), (("one", "0.5"), ("two", "0.25"))),
)


def pixels(image):
    return np.array(image.constBits()).reshape(image.height(), image.width(), 4)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: type(f.body).__name__)
def test_every_kind_fills_its_picture_and_says_its_title(figure):
    application("light", exported=True)
    image = draw_figure(figure)
    assert image.size() == SIZE * SCALE
    drawn = (pixels(image)[..., :3] != 255).any(axis=2)
    title, body = drawn[: int(44 * SCALE)], drawn[int(48 * SCALE) :]
    assert title.any()
    rows, columns = np.flatnonzero(body.any(axis=1)), np.flatnonzero(body.any(axis=0))
    least = 0.1 if isinstance(figure.body, Table) else 0.5
    assert np.ptp(rows) > least * len(body)
    assert np.ptp(columns) > least * body.shape[1]


def test_a_curve_stands_where_its_axes_say():
    """The highest value is drawn on the right, near the top, whatever the scale of the picture."""
    application("light", exported=True)
    for scale in (1.0, 2.0):
        image = draw_figure(plot("a", "k", "λ", (curve("one", X, X, markers=True),)), scale)
        found = pixels(image)[..., :3].astype(int)
        blue = (found[..., 0] - found[..., 2]) > 100
        rows, columns = np.nonzero(blue)
        assert rows.min() < 0.25 * image.height()
        assert rows.max() > 0.7 * image.height()
        assert columns[rows.argmin()] > 0.85 * image.width()


@pytest.mark.parametrize(
    ("last", "expected"), [(4.0, ["1", "10", "100", "1000", "10⁴"]), (0.9, ["1", "2", "5"])], ids=["wide", "narrow"]
)
def test_a_logarithmic_axis_has_few_round_ticks(last, expected):
    found = log_ticks(0.0, last, 7)
    assert [text for _, text in found] == expected
    assert all(0.0 <= place <= last for place, _ in found)


def test_numbers_colour_by_value_and_the_meaning_is_written():
    """Few different values are no classes; the words change the picture."""
    application("light", exported=True)
    few = np.where(X > 5, 0.5, 0.0)
    plain, told = (pixels(draw_figure(cloud("a", CLOUD, few, coloured_by=words))) for words in ("", "probability"))
    rows = np.flatnonzero((plain != told).any(axis=(1, 2)))
    assert 40 * SCALE < rows.min() < rows.max() < 64 * SCALE
    assert _colouring(cloud("a", CLOUD, few).body).classes == ()


def test_rows_of_a_heat_go_up_with_its_axis():
    """The largest value stands at the top right where `y` rises, and at the bottom right without."""
    application("light", exported=True)
    for y, above in ((X, True), (None, False)):
        found = pixels(draw_figure(heat_map("a", np.outer(X, X), x=y, y=y)))
        yellow = (found[..., 2] > 200) & (found[..., 1] > 210) & (found[..., 0] < 60)
        rows, columns = np.nonzero(yellow[:, : int(0.8 * found.shape[1])])
        place = np.median(rows) / found.shape[0]
        assert (place < 0.4) == above
        assert np.median(columns) > 0.5 * 0.8 * found.shape[1]
