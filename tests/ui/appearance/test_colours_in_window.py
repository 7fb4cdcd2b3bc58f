"""The legend, and what points are coloured by."""

from __future__ import annotations

import numpy as np
import pytest
from gestures import CONTROL, KEY, LEFT, canvas
from PySide6.QtTest import QTest

from mvexplorer.state.document import commands
from mvexplorer.ui.window.main_window import MainWindow

pytestmark = pytest.mark.panels(3)


def visible(window: MainWindow) -> set[int]:
    return set(window.styling.colouring.values[canvas(window).cloud.look.visible].tolist())


def test_the_legend_isolates_toggles_and_shows_all(window):
    legend = window.points.legend.classes
    rows, spots = legend.viewport(), dict(zip("abc", map(legend.spot, range(3)), strict=True))
    assert [legend.classes.count_text(row) for row in range(3)] == ["16", "16", "16"]
    QTest.mouseClick(rows, LEFT, pos=spots["b"])
    assert window.document.state.visible_classes == ("b",)
    assert visible(window) == {1}
    QTest.mouseClick(rows, LEFT, pos=spots["b"])
    assert visible(window) == {0, 1, 2}
    QTest.mouseClick(rows, LEFT, CONTROL, spots["a"])
    assert window.document.state.visible_classes == ("b", "c")
    QTest.mouseClick(rows, LEFT, CONTROL, spots["a"])
    assert window.document.state.visible_classes == ()
    QTest.mouseClick(rows, LEFT, pos=spots["c"])
    QTest.mouseDClick(rows, LEFT, pos=spots["a"])
    assert visible(window) == {0, 1, 2}
    legend.setFocus()
    QTest.keyClick(legend, KEY.Key_Down)
    QTest.keyClick(legend, KEY.Key_Down)
    QTest.keyClick(legend, KEY.Key_Space)
    assert visible(window) == {2}
    QTest.keyClick(legend, KEY.Key_Up)
    QTest.keyClick(legend, KEY.Key_Return, CONTROL)
    assert visible(window) == {1, 2}


@pytest.mark.parametrize(
    ("source", "classes"),
    [("feature:wavy:2", 0), ("column:batch", 2), ("latent:angle", 0), ("labels", 3), ("coordinate:p6:0", 0), ("", 0)],
)
@pytest.mark.panels(6)
def test_colouring_by_anything(window, rest, source, classes):
    index = window.points.sources.findData(source)
    assert index >= 0
    window.points.sources.setCurrentIndex(index)
    window.points.sources.activated.emit(index)
    assert window.document.state.colour == source
    assert len(window.points.legend.names) == classes
    if source.startswith("coordinate"):
        expected = window.controller.result("p6").result.embedding.coordinates[:, 0]
        assert np.array_equal(window.styling.colouring.values, expected)
        commands.set_param(window.document, "t", 4)
        rest(window)
        assert not np.array_equal(window.styling.colouring.values, expected)
        assert window.points.sources.currentData() == source
    colours = len(np.unique(canvas(window).cloud.look.rgb, axis=0))
    assert colours == (1 if not source else classes or colours)
    assert colours > 5 or classes or not source


def test_point_size_and_opacity(window):
    window.points.point_size.setFocus()
    QTest.keyClick(window.points.point_size, KEY.Key_Right)
    assert window.document.state.point_size > 5
    assert canvas(window).cloud.look.size == window.document.state.point_size
    window.points.opacity.setFocus()
    QTest.keyClick(window.points.opacity, KEY.Key_PageDown)
    assert canvas(window).cloud.look.opacity == window.document.state.opacity < 0.9
    QTest.mouseDClick(window.points.opacity, LEFT)
    assert window.document.state.opacity == 0.9
