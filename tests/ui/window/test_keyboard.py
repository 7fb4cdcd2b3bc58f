"""The keyboard alone: Tab visits everything in reading order, the focus is seen, and it never moves by itself."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from gestures import point_at, point_away
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLineEdit, QTabBar, QWidget
from windows import show_data, small_data

from mvexplorer.state.document import commands
from mvexplorer.ui.panels.panel import Panel
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.class_list import ClassList
from mvexplorer.ui.widgets.slider import Slider
from mvexplorer.ui.window.main_window import MainWindow

KEY, LEFT = Qt.Key, Qt.MouseButton.LeftButton
KINDS = (QAbstractButton, QLineEdit, QComboBox, QTabBar, Slider, ClassList, Panel)
LEAST_CONTRAST, LEAST_PIXELS = 3.0, 40


def interactive(window: MainWindow) -> set[QWidget]:
    """What a hand with a mouse can use now, but the buttons of the menu bar, whose keys stand on them."""
    found = {w for kind in KINDS for w in window.findChildren(kind) if w.isVisible() and w.isEnabled()}
    return {w for w in found if w.window() is window and not window.menuBar().isAncestorOf(w) and not inside(w)}


def inside(widget: QWidget) -> bool:
    """Whether a widget is a part of one that takes the keys for it."""
    parent = widget.parentWidget()
    return widget.focusProxy() is not None or isinstance(parent, QComboBox | QLineEdit | QTabBar)


def walk(window: MainWindow, key: KEY = KEY.Key_Tab) -> list[QWidget]:
    """The widgets that the key reaches, from the window itself until it comes round."""
    window.setFocus()
    seen: list[QWidget] = []
    for _ in range(500):
        QTest.keyClick(QApplication.focusWidget(), key)
        now = QApplication.focusWidget()
        assert now is not None
        if seen and now is seen[0]:
            return seen
        assert now not in seen, f"trapped at {now}, {now.toolTip()!r}, within {now.parentWidget()}"
        seen.append(now)
    raise AssertionError("no end")


def luminance(rgb: np.ndarray) -> np.ndarray:
    c = rgb[..., :3].astype(float) / 255.0
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def pixels(window: MainWindow, widget: QWidget) -> np.ndarray:
    image = widget.grab().toImage().convertToFormat(widget.grab().toImage().Format.Format_RGB32)
    rows = np.frombuffer(image.constBits(), dtype=np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return rows[:, : image.width(), 2::-1].copy()


def clearly_changed(before: np.ndarray, after: np.ndarray) -> int:
    """How many pixels changed by at least the contrast that the focus needs."""
    if before.shape != after.shape:
        return 0
    old, new = luminance(before), luminance(after)
    return int(((np.maximum(old, new) + 0.05) / (np.minimum(old, new) + 0.05) >= LEAST_CONTRAST).sum())


@pytest.mark.panels(3)
@pytest.mark.parametrize(
    "page",
    ["tune", *(pytest.param(p, marks=pytest.mark.nightly) for p in ("validate", "diagnostics", "spectrum", "views"))],
)
def test_tab_visits_everything_and_comes_round_both_ways(window, rest, page):
    window.bottom.show_page(page)
    rest(window)
    seen = walk(window)
    missing = interactive(window) - set(seen)
    assert not {f"{type(w).__name__} {w.accessibleName()} {w.toolTip()[:30]}" for w in missing}
    assert walk(window, KEY.Key_Backtab) == seen[::-1]


@pytest.mark.nightly
def test_tab_follows_the_eye(window):
    seen = walk(window)
    rooms = [window.side, window.step_strip, window.grid, window.points, window.bottom]
    order = [next(i for i, room in enumerate(rooms) if room.isAncestorOf(w)) for w in seen]
    assert order == sorted(order)
    panels = [w.id for w in seen if isinstance(w, Panel)]
    assert panels == [p.id for p in window.document.state.panels]
    side = window.side
    wanted = [side.master, *(row.slider for row in side.rows.values()), *(side.params[n].slider for n in ("eta", "t"))]
    assert [w for w in seen if w in wanted] == wanted


@pytest.mark.panels(3)
@pytest.mark.parametrize("choice", ["light", pytest.param("dark", marks=pytest.mark.nightly)])
def test_the_focus_is_always_seen(window, rest, choice):
    if choice != window.settings.theme:
        window.workbench.change_settings(theme=choice)
    rest(window)
    faint = {}
    for page in window.bottom.pages:
        window.bottom.show_page(page)
        rest(window)
        # All around the pages once, with the first of them.
        here = [w for w in interactive(window) if window.bottom.isAncestorOf(w)]
        for widget in walk(window) if page == "spectrum" else here:
            window.setFocus()
            for around in (*window.grid.panels.values(), *window.side.rows.values()):
                (point_at if around.isAncestorOf(widget) else point_away)(around)
            before = pixels(window, widget)
            widget.setFocus(Qt.FocusReason.TabFocusReason)
            if (changed := clearly_changed(before, pixels(window, widget))) < LEAST_PIXELS:
                faint[f"{type(widget).__name__} {widget.accessibleName()[:40]}"] = changed
    assert faint == {}
    assert theme.current().name == choice


def test_the_start_page_by_keys(make_window):
    window = make_window()
    seen = walk(window)
    assert interactive(window) <= set(seen)
    choice = seen[0]
    window.setFocus()
    before = pixels(window, choice)
    choice.setFocus()
    assert clearly_changed(before, pixels(window, choice)) >= LEAST_PIXELS


@pytest.mark.nightly
def test_a_banner_by_keys(window):
    done = []
    banner = window.banners.show_message("info", "Something", "to do.", ("Do it", lambda: done.append(1)))
    QApplication.processEvents()
    assert interactive(window) <= set(walk(window))
    banner.button.setFocus()
    QTest.keyClick(banner.button, KEY.Key_Space)
    assert done == [1]


# The focus never moves by itself ------------------------------------------------------------------------------------


def click_tab(window: MainWindow, index: int) -> None:
    tabs = window.bottom.tabs
    QTest.mouseClick(tabs, LEFT, pos=tabs.tabRect(index).center())


def test_a_click_on_a_tab_frames_it_no_more_than_a_click_elsewhere(window, rest):
    window.docks.arrange()
    page = window.bottom.show_page("tune")
    rest(window)
    tabs = window.bottom.tabs
    for holder in (window.side.rows["plain"].field, page.rows["plain"].name):
        window.bottom.show_page("tune")
        holder.setFocus()
        click_tab(window, 1)
        assert tabs.currentIndex() == 1
        assert not tabs.hasFocus()
        assert QApplication.focusWidget() in (window, window.side.rows["plain"].field)
    tabs.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(tabs, KEY.Key_Right)
    assert tabs.hasFocus()
    assert tabs.currentIndex() == 2
    page = window.bottom.show_page("tune")
    page.rows["plain"].name.setFocus()
    QTest.mouseClick(window.bottom.parts["spectrum"], LEFT)
    assert QApplication.focusWidget() is window


UNMEANT = {
    "another tab": lambda w: click_tab(w, 2),
    "the page folds": lambda w: click_tab(w, w.bottom.tabs.currentIndex()),
    "the page folds by key": lambda w: QTest.keyClick(w, KEY.Key_3, Qt.KeyboardModifier.ControlModifier),
    "results arrive": lambda w: commands.set_param(w.document, "t", 3),
    "a panel closes": lambda w: w.grid.panels["p3"].header.cross.click(),
    "undo": lambda w: (commands.close_panel(w.document, "p3"), w.document.undo()),
    "the theme": lambda w: w.workbench.change_settings(theme="dark"),
    "a dock is folded": lambda w: QTest.keyClick(w, KEY.Key_2, Qt.KeyboardModifier.ControlModifier),
    "the left side is folded": lambda w: QTest.keyClick(w, KEY.Key_1, Qt.KeyboardModifier.ControlModifier),
    "other data": lambda w: show_data(w, small_data(30), 3),
    "presentation": lambda w: (w.behaviour.present(True), w.behaviour.present(False)),
}
HOLDERS = {
    "a page": lambda w: w.bottom.pages["tune"].rows["plain"].name,
    "a field": lambda w: w.side.rows["plain"].field,
    "a legend": lambda w: w.points.legend.classes,
    "a panel": lambda w: w.grid.panels["p2"],
}


def some_and_all() -> Iterator[object]:
    """Each change with one holder in turn, and the rest of the pairs at night."""
    for (i, change), (j, holder) in product(enumerate(UNMEANT), enumerate(HOLDERS)):
        yield pytest.param(change, holder, marks=() if i % len(HOLDERS) == j else pytest.mark.nightly)


@pytest.mark.panels(3)
@pytest.mark.parametrize(("change", "holder"), list(some_and_all()))
def test_no_other_panel_gets_the_focus(window, rest, change, holder):
    window.docks.arrange()  # what the last change has folded is there again
    window.bottom.show_page("tune")
    rest(window)
    window.behaviour.focus_panel(1)
    HOLDERS[holder](window).setFocus()
    UNMEANT[change](window)
    rest(window)
    assert window.editor.focused == "p2"
    now = QApplication.focusWidget()
    elsewhere = [p for id, p in window.grid.panels.items() if id != "p2" and now and (p is now or p.isAncestorOf(now))]
    assert elsewhere == []
    assert now is None or now.isVisible()


def test_a_button_that_goes_hands_the_keys_to_no_panel(window, rest):
    commands.select(window.document, (1, 2))
    window.points.clear.setFocus()
    QTest.keyClick(window.points.clear, KEY.Key_Space)
    assert not window.points.clear.isVisible()
    assert QApplication.focusWidget() is window


def test_del_closes_a_panel_only_where_the_keys_go_to_one(window, rest):
    order = [p.id for p in window.document.state.panels]
    window.behaviour.focus_panel(3)
    for widget in (window.side.params["t"].slider, window.bottom.tabs, window.points.legend.classes, window):
        widget.setFocus()
        QTest.keyClick(widget, KEY.Key_Delete)
    assert [p.id for p in window.document.state.panels] == order
    header = window.grid.panels["p3"].header
    QTest.mouseClick(header, LEFT, pos=QPoint(2, 2))
    QTest.keyClick(QApplication.focusWidget(), KEY.Key_Delete)
    assert [p.id for p in window.document.state.panels] == [id for id in order if id != "p3"]
    assert window.document.undo_label == "Close Kernel sum"
    assert QApplication.focusWidget() is window.grid.panels["p4"]
    window.document.undo()
    QTest.mouseClick(window.grid.panels["p6"].header.deep, LEFT)
    assert window.editor.focused == "p6"
    QTest.keyClick(QApplication.focusWidget(), KEY.Key_Delete)
    assert window.document.undo_label == "Close Multi-view"


@pytest.mark.parametrize("menu", ["File", "Edit", "View", "Data", "Panels", "Help"])
def test_every_menu_opens_by_its_first_letter(window, menu):
    QTest.keyClick(window, KEY[f"Key_{menu[0]}"], Qt.KeyboardModifier.AltModifier)
    popup = QApplication.activePopupWidget()
    assert popup is window.actions_table.menus[menu]
    QTest.keyClick(popup, KEY.Key_Escape)
    QTest.keyClick(window.menuBar(), KEY.Key_Escape)


def test_tooltips_name_the_present_keys_of_their_actions(window, rest):
    header, row = window.grid.panels["p1"].header, window.side.rows["plain"]
    usual = {
        header.cross: "Del", header.maximise: "F", header.about: "I", header.tool: "L", header.title: "F2",
        header.flat: "2", row.unfold: "C",
        window.points.selections.keep: "Ctrl+G", window.docks.points_strip.button: "Ctrl+2",
    }  # fmt: skip
    for widget, key in usual.items():
        assert widget.toolTip().endswith(f"({key})")
        assert widget.accessibleName()
    assert header.flip.toolTip().endswith("(2, 3)")
    actions = window.behaviour.actions
    try:
        actions.set_keys({"Close panel": "Ctrl+W", "Maximise panel": ""})
        assert header.cross.toolTip() == "Close this panel (Ctrl+W)"
        assert header.maximise.toolTip() == "Maximise, or back to all panels"
        window.editor.duplicate_panel("p1")  # panels made later follow as well
        fresh = window.grid.panels[window.document.state.panels[1].id].header
        assert fresh.cross.toolTip() == "Close this panel (Ctrl+W)"
    finally:
        actions.set_keys({})
    assert header.cross.toolTip() == "Close this panel (Del)"
