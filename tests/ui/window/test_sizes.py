"""Themes, presentation, and room for everything at any size."""

from __future__ import annotations

import numpy as np
import pytest
from gestures import CONTROL, KEY, LEFT, NONE, RIGHT, canvas, drag
from PySide6.QtCore import QPoint, QSize
from PySide6.QtTest import QTest
from windows import show_data, small_data

from mvexplorer.state.document import commands
from mvexplorer.state.document.titles import panel_title
from mvexplorer.ui.window.main_window import MainWindow, first_size


def test_another_theme_keeps_everything(window, rest):
    window.editor.set_all_dims(3)
    rest(window)
    QTest.keyClick(window, KEY.Key_R)
    drag(canvas(window).viewport(), [(50, 50), (60, 60), (90, 80)], button=RIGHT)
    canvas(window, "p3").box.setRange(xRange=(-0.3, 0.3), yRange=(-0.3, 0.3), padding=0)
    commands.select(window.document, (1, 2, 3))
    window.behaviour.focus_panel(3)
    state, cameras = window.document.state, window.grid.cameras()
    zoomed = canvas(window, "p3").box.viewRect()
    rest(window)
    results = dict(window.controller.results)
    window.workbench.change_settings(theme="dark")
    rest(window)
    assert window.document.state == state
    assert window.controller.results == results
    for id, camera in window.grid.cameras().items():
        assert np.array_equal(camera.rotation, cameras[id].rotation)
    after = canvas(window, "p3").box.viewRect()
    assert after == zoomed
    assert window.editor.focused == "p4"
    assert window.grid.panels["p4"].property("focused") is True
    assert all(p.canvas.rectangular for p in window.grid.panels.values())
    look = canvas(window).cloud.look
    assert np.flatnonzero(look.selected).tolist() == [1, 2, 3]
    assert window.grid.panels["p1"].scores.labels["nmi"].isVisible()
    picture = window.grab().toImage()
    middle = picture.pixelColor(window.grid.mapTo(window, QPoint(3, 3)))
    assert middle.lightness() < 60


@pytest.mark.parametrize(
    ("screen", "size"),
    [
        ((2560, 1440), (2048, 1152)),
        ((3840, 2160), (3072, 1728)),
        ((1920, 1080), (1536, 900)),
        ((1440, 900), (1432, 860)),
        ((1280, 720), (1272, 680)),
    ],
)
def test_the_first_window_takes_a_share_of_a_large_screen_and_fits_a_small_one(screen, size):
    assert first_size(QSize(*screen)) == QSize(*size)


@pytest.mark.nightly
def test_presentation_shows_panels_and_one_strip(window, rest):
    QTest.keyClick(window, KEY.Key_F11)
    assert window.strip.isVisible()
    for hidden in (window.side, window.points, window.bottom, window.menuBar()):
        assert not hidden.isVisible()
    slider = window.strip.sliders["t"]
    slider.setFocus()
    QTest.keyClick(slider, KEY.Key_Right)
    assert window.document.state.params["t"] == 2
    assert window.strip._labels["t"].text() == "t 2"
    QTest.keyClick(window, KEY.Key_Plus, CONTROL)
    assert window.document.state.point_size == 5.0  # what a talk needs is no part of the document
    QTest.keyClick(window, KEY.Key_F11)
    assert not window.strip.isVisible()
    assert window.side.isVisible()
    assert window.menuBar().isVisible()
    QTest.keyClick(window, KEY.Key_F11)
    QTest.keyClick(window, KEY.Key_Escape)
    assert not window.strip.isVisible()
    rest(window)


def overlaps(window: MainWindow) -> list[str]:
    """Widgets that lie over a sibling, are squeezed below their least size, or stick out of their parent."""
    wrong = []
    parents = [window.side, window.points, window.bottom, window.grid, *window.grid.panels.values()]
    parents += [p.header for p in window.grid.panels.values()] + list(window.side.rows.values())
    for parent in parents:
        if not parent.isVisible():
            continue
        children = [
            c for c in parent.children()
            if c.isWidgetType() and c.isVisible() and not c.isWindow() and c.width() * c.height()
        ]  # fmt: skip
        for i, child in enumerate(children):
            name = f"{type(parent).__name__}: {type(child).__name__} {child.geometry()}"
            if not parent.rect().adjusted(-1, -1, 1, 1).contains(child.geometry()):
                wrong.append(f"{name} sticks out")
            least = child.minimumSizeHint()
            if child.height() + 1 < least.height():
                wrong.append(f"{name} is lower than {least.height()}")
            for other in children[i + 1 :]:
                if child.geometry().intersects(other.geometry()):
                    wrong.append(f"{name} lies over {type(other).__name__} {other.geometry()}")
    return wrong


@pytest.mark.parametrize("choice", ["light", pytest.param("dark", marks=pytest.mark.nightly)])
def test_nothing_overlaps_or_is_cut(window, rest, choice):
    if choice != window.settings.theme:
        window.workbench.change_settings(theme=choice)
    for size in ((1280, 720), (1440, 900), (2560, 1440)):
        window.resize(*size)
        rest(window)
        assert (window.width(), window.height()) == size
        assert overlaps(window) == []
        sizes = {(p.width(), p.height()) for p in window.grid.panels.values()}
        assert max(w for w, _ in sizes) - min(w for w, _ in sizes) <= 2
        assert min(w for w, _ in sizes) >= 280
        assert min(h for _, h in sizes) >= 220
        for panel in window.grid.panels.values():
            assert panel.header.title.text().startswith(panel_title(window.document.state, panel.state))


def test_docks_fold_where_there_is_little_room(make_window, rest, qtbot):
    window = make_window((1280, 720))
    show_data(window, small_data())
    assert not window.points.isVisible()
    assert window.bottom.folded
    assert window.bottom.height() < 60
    window.resize(1500, 900)
    assert window.points.isVisible()
    assert not window.bottom.folded
    QTest.keyClick(window, KEY.Key_1, CONTROL)
    assert not window.side.isVisible()
    QTest.keyClick(window, KEY.Key_2, CONTROL)
    assert not window.points.isVisible()
    QTest.keyClick(window, KEY.Key_3, CONTROL)
    assert window.bottom.folded
    for key in (KEY.Key_1, KEY.Key_2, KEY.Key_3):
        QTest.keyClick(window, key, CONTROL)
    assert window.side.isVisible()
    assert window.points.isVisible()
    assert not window.bottom.folded
    assert window.bottom.stack.isVisible()


def test_the_bottom_folds_by_its_open_tab(window):
    tabs = window.bottom.tabs
    height = window.bottom.height()
    QTest.mouseClick(tabs, LEFT, NONE, tabs.tabRect(0).center())
    assert window.bottom.folded
    QTest.mouseClick(tabs, LEFT, NONE, tabs.tabRect(tabs.count() - 1).center())
    assert not window.bottom.folded
    assert window.bottom.stack.currentWidget() is window.bottom.pages["diagnostics"]
    QTest.mouseClick(tabs, LEFT, NONE, tabs.tabRect(0).center())
    assert window.bottom.height() == pytest.approx(height, abs=4)
