"""Curves of many points: dashes are seen, and pieces of one curve are named once."""

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from mvexplorer.figures import Curves, Series
from mvexplorer.ui.widgets.plots.curve_painting import layout_of, paint_curves

AREA = QRectF(0, 0, 600, 300)
X = np.linspace(0.0, 1.0, 400)


def painted(*series):
    """The columns of pixels (600,) in which there is something blue."""
    image = QImage(600, 300, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFF)
    painter = QPainter(image)
    paint_curves(Curves("x", "y", series, limits=(0.0, 1.0)), AREA, painter, legend=False)
    painter.end()
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(300, 600, 4)[:, :, :3].astype(int)
    return (pixels[:, :, 0] - pixels[:, :, 2] > 120).any(axis=0)


@pytest.mark.usefixtures("qapp")
def test_dashes_of_many_points_are_dashes():
    level = np.full(400, 0.5)
    solid, dashed = painted(Series("a", X, level)), painted(Series("a", X, level, look=12))
    first, last = np.flatnonzero(solid)[[0, -1]]
    assert solid[first:last].all()
    assert 0.4 < dashed[first:last].mean() < 0.9
    assert np.count_nonzero(np.diff(dashed[first:last].astype(int)) == 1) > 20


@pytest.mark.usefixtures("qapp")
def test_dashes_stop_where_there_is_no_value():
    gap = np.where((X > 0.4) & (X < 0.6), np.nan, 0.5)
    dashed = painted(Series("a", X, gap, look=12))
    first, last = np.flatnonzero(dashed)[[0, -1]]
    middle = slice(first + round(0.42 * (last - first)), first + round(0.58 * (last - first)))
    assert not dashed[middle].any()
    assert dashed[first : middle.start].any()


@pytest.mark.usefixtures("qapp")
def test_pieces_of_one_curve_have_one_name():
    names = [("a", 0), ("b", 1), ("a", 12), ("b", 13), ("a", 2)]
    series = tuple(Series(name, X, X, look=look) for name, look in names)
    keys = layout_of(Curves("x", "y", series), AREA).keys
    assert [(key.series.name, key.series.look) for key in keys] == [("a", 0), ("b", 1), ("a", 2)]
    assert layout_of(Curves("x", "y", series[::2][:2]), AREA).keys == ()
