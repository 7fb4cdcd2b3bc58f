"""Cameras that move together: 3-D ones by default, 2-D zoom if wanted; each picture shows and changes it."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QRegion, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from windows import show_fresh, small_data

from mvexplorer.ui.cloud.picture import Viewport
from mvexplorer.ui.style import theme

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def shown(window, rest):
    show_fresh(window, small_data())
    rest(window)
    return window


def wheel(canvas, at: QPointF, notches: int) -> None:
    event = QWheelEvent(
        at, QPointF(canvas.mapToGlobal(at.toPoint())), QPoint(), QPoint(0, 120 * notches), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(canvas.viewport(), event)


def frames(window) -> dict[str, Viewport]:
    return {id: panel.canvas.frame for id, panel in window.grid.panels.items()}


def close(a: Viewport, b: Viewport) -> bool:
    return [a.across, a.up, a.size] == pytest.approx([b.across, b.up, b.size], abs=1e-6)


FITTED = Viewport(0.0, 0.0, 1.0)


def test_each_panel_zooms_alone_until_linked(shown, rest):
    panels = shown.grid.panels
    assert all(close(frame, FITTED) for frame in frames(shown).values())
    wheel(panels["p1"].canvas, QPointF(40, 30), 3)
    assert not close(panels["p1"].canvas.frame, FITTED)
    assert close(panels["p2"].canvas.frame, FITTED)
    shown.editor.focus("p1")
    QTest.mouseClick(panels["p1"].link, LEFT)
    assert shown.settings.link_zoom
    rest(shown)
    assert all(close(frame, frames(shown)["p1"]) for frame in frames(shown).values())  # at once
    wheel(panels["p2"].canvas, QPointF(60, 80), -1)
    assert all(close(frame, frames(shown)["p2"]) for frame in frames(shown).values())
    QTest.mouseDClick(panels["p3"].canvas.viewport(), LEFT, pos=QPoint(50, 50))
    assert all(close(frame, FITTED) for frame in frames(shown).values())


def test_linked_zoom_leaves_3d_alone_and_3d_leaves_2d_alone(shown, rest):
    shown.workbench.change_settings(link_zoom=True)
    shown.editor.set_dims("p2", 3)
    rest(shown)
    before = shown.grid.panels["p2"].canvas.box.viewRect()
    wheel(shown.grid.panels["p1"].canvas, QPointF(40, 30), 2)
    assert shown.grid.panels["p2"].canvas.box.viewRect() == before
    flat = shown.grid.panels["p1"].canvas.frame
    wheel(shown.grid.panels["p2"].canvas, QPointF(40, 30), 2)
    assert shown.grid.panels["p1"].canvas.frame == flat


@pytest.mark.nightly
def test_the_corner_and_both_menus_show_and_change_the_same(shown, rest):
    panel, actions = shown.grid.panels["p1"], shown.actions_table.actions
    assert not panel.link.linked
    assert "alone" in panel.link.toolTip()
    entry = next(a for a in panel.menus.everything().actions() if a.text() == "Link 2-D zoom")
    assert not entry.isChecked()
    entry.trigger()
    assert shown.settings.link_zoom
    assert all(p.link.linked for p in shown.grid.panels.values())
    actions["Link 2-D zoom"].trigger()
    assert not panel.link.linked
    shown.editor.set_dims("p1", 3)
    rest(shown)
    assert panel.link.linked  # 3-D cameras are, from the start
    QTest.mouseClick(panel.link, LEFT)
    assert not shown.settings.link_cameras


def test_a_new_panel_shows_the_part_that_the_others_do(shown, rest):
    shown.workbench.change_settings(link_zoom=True)
    wheel(shown.grid.panels["p1"].canvas, QPointF(40, 30), 3)
    id = shown.editor.add_panel("concatenation")
    rest(shown)
    assert shown.grid.panels[id].canvas.frame.size == pytest.approx(shown.grid.panels["p1"].canvas.frame.size, rel=1e-6)


def test_the_button_in_the_corner_has_a_ground(shown):
    """Points of a zoomed picture lie under it."""
    link = shown.grid.panels["p1"].link
    image = QImage(link.size(), QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    link.render(image, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
    ground, seen = QColor(theme.current().surface), image.pixelColor(4, 11)
    assert max(abs(a - b) for a, b in zip(ground.getRgb(), seen.getRgb(), strict=True)) < 12
