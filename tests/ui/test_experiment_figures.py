"""Figures of experiments as pictures: what they hold is seen."""

import numpy as np
import pytest

from mvexplorer.experiments.figures import Cloud, Curves, Heat, Line, Pictures, Table
from mvexplorer.ui.app import application
from mvexplorer.ui.export.figure import SCALE, SIZE, draw_figure

X = np.arange(1.0, 9.0)
CLOUD = np.column_stack([np.cos(X), np.sin(X), X])
FIGURES = (
    Cloud("a", CLOUD[:, :2], X, cyclic=True),
    Cloud("a", CLOUD, np.array(["left", "right"] * 4)),
    Curves("a", "k", "λ", (Line("one", X, X), Line("two", X, X**2, markers=True)), log_up=True, marks=((3.0, "here"),)),
    Heat("a", np.outer(X, X), "σ₂", "σ₁", X, X),
    Pictures("a", np.tile(np.arange(0, 256, 32, dtype=np.uint8), (3, 4, 1)), ("one", "two", "three")),
    Table("a", ("map", "NMI"), (("one", "0.5"), ("two", "0.25"))),
)


def pixels(image):
    return np.asarray(image.constBits()).reshape(image.height(), image.width(), 4)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: f"{type(f).__name__}")
def test_every_kind_fills_its_picture_and_says_its_title(figure):
    application("light", exported=True)
    image = draw_figure(figure)
    assert image.size() == SIZE * SCALE
    drawn = (pixels(image)[..., :3] != 255).any(axis=2)
    title, body = drawn[: int(44 * SCALE)], drawn[int(48 * SCALE) :]
    assert title.any()
    rows, columns = np.flatnonzero(body.any(axis=1)), np.flatnonzero(body.any(axis=0))
    least = 0.1 if isinstance(figure, Table) else 0.5
    assert np.ptp(rows) > least * len(body)
    assert np.ptp(columns) > least * body.shape[1]


def test_a_curve_stands_where_its_axes_say():
    """The highest value is drawn on the right, near the top, whatever the scale of the picture."""
    application("light", exported=True)
    for scale in (1.0, 2.0):
        image = draw_figure(Curves("a", "k", "λ", (Line("one", X, X, markers=True),)), scale)
        found = pixels(image)[..., :3].astype(int)
        blue = (found[..., 0] - found[..., 2]) > 100
        rows, columns = np.nonzero(blue)
        assert rows.min() < 0.25 * image.height()
        assert rows.max() > 0.7 * image.height()
        assert columns[rows.argmin()] > 0.85 * image.width()
