"""Panels: their number, order, methods and dimensions."""

from __future__ import annotations

import pytest
from gestures import (
    CONTROL,
    KEY,
    LEFT,
    NONE,
    SHIFT,
    canvas,
    close_popups,
    drag,
    drop,
    point_at,
    point_away,
    requests,
    texts,
)
from PySide6.QtCore import QMimeData
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolButton
from windows import PATIENCE_MS, show_data, small_data, submenus

from mvexplorer.state.document import commands
from mvexplorer.state.document.model import MAX_PANELS
from mvexplorer.ui.export.numbers_dialog import NumbersDialog
from mvexplorer.ui.export.picture_dialog import PictureDialog
from mvexplorer.ui.window.main_window import MainWindow


def order(window: MainWindow) -> list[str]:
    return [p.id for p in window.document.state.panels]


@pytest.mark.nightly
def test_maximise_hides_the_others_and_stops_their_work(window, rest):
    window.behaviour.focus_panel(5)
    QTest.keyClick(window, KEY.Key_F)
    assert [id for id, p in window.grid.panels.items() if p.isVisible()] == ["p6"]
    before = requests(window)
    commands.set_param(window.document, "t", 3)
    rest(window)
    after = requests(window)
    assert after["p6"] != before["p6"]
    assert all(after[id] == before[id] for id in before if id != "p6")
    QTest.mouseClick(window.grid.panels["p6"].header.maximise, LEFT)
    rest(window)
    assert all(p.isVisible() for p in window.grid.panels.values())
    assert all(dict(r.params).get("t", 3) == 3 for r in requests(window).values())


@pytest.mark.nightly
def test_a_panel_speaks_its_epsilon_and_its_doubts(window, rest):
    commands.set_epsilon(window.document, "plain", 0.5)
    commands.set_epsilon(window.document, "wavy", 0.25)
    rest(window)
    single, both = (window.grid.panels[id] for id in ("p1", "p3"))
    assert ", ε 0.5, " in single.accessibleName()
    assert ", ε of plain 0.5, ε of wavy 0.25, " in both.accessibleName()
    assert single.accessibleDescription() == ""
    commands.set_epsilon(window.document, "plain", 1e-5)
    rest(window)
    assert ", ε 1.00·10⁻⁵, " in single.accessibleName()
    doubts = single.accessibleDescription()
    assert doubts
    assert single.doubt.toolTip().split("\n")[0] in doubts


def test_a_panel_has_its_keys_as_soon_as_it_is_in_focus(window):
    window.editor.focus(None)
    maximise = window.actions_table.actions["Maximise panel"]
    assert not maximise.isEnabled()
    window.behaviour.focus_panel(5)
    assert maximise.isEnabled()


def test_one_panel_too_many_is_answered_by_the_list_with_a_sentence(window, rest):
    while len(window.document.state.panels) < MAX_PANELS:
        window.editor.duplicate_panel("p1")
    rest(window)
    QTest.mouseClick(next(b for b in window.findChildren(QToolButton) if b.text().startswith("Add panel")), LEFT)
    add = QApplication.activePopupWidget()
    QTest.keyClick(add.search, KEY.Key_Return)
    assert QApplication.activePopupWidget() is None
    assert "already 12 panels" in window.banners.texts()[0]


@pytest.mark.nightly
def test_duplicate_close_and_the_limit(window, rest):
    window.behaviour.focus_panel(1)
    QTest.keyClick(window, KEY.Key_D, CONTROL)
    assert len(order(window)) == 7
    copy = window.document.state.panels[2]
    assert (copy.method, copy.view) == ("single", "wavy")
    assert window.editor.focused == copy.id
    assert window.focusWidget() is window.grid.panels[copy.id]
    rest(window)
    QTest.keyClick(window, KEY.Key_Delete)
    assert order(window) == [f"p{i}" for i in range(1, 7)]
    QTest.keyClick(window, KEY.Key_Z, CONTROL)
    window.behaviour.focus_panel(1)
    for _ in range(5):
        QTest.keyClick(window, KEY.Key_D, CONTROL)
    assert len(order(window)) == 12
    assert not window.banners.texts()
    QTest.keyClick(window, KEY.Key_D, CONTROL)
    assert len(order(window)) == 12
    assert "already 12 panels" in window.banners.texts()[0]
    window.behaviour.focus_panel(0)
    QTest.keyClick(window, KEY.Key_Delete)
    assert order(window)[0] == "p2"
    assert "p1" not in window.grid.panels
    while order(window):
        window.grid.panels[order(window)[0]].header.cross.click()
    rest(window)
    assert window.behaviour.focused_panel() is None
    QTest.keyClick(window, KEY.Key_Delete)
    window.behaviour.add_panel("multiview")
    rest(window)
    assert window.controller.result(order(window)[0]).status == "ready"


def panel_mime(id: str) -> QMimeData:
    mime = QMimeData()
    mime.setData("application/x-mvexplorer-panel", id.encode())
    return mime


@pytest.mark.parametrize(("modifiers", "expected"), [(NONE, ["p3", "p2", "p1"]), (CONTROL, ["p1", "p7", "p2"])])
def test_dropping_a_panel_on_another_swaps_or_copies(window, qtbot, modifiers, expected):
    mime = panel_mime("p1")
    assert drop(window.grid.panels["p3"], mime, modifiers)
    qtbot.waitUntil(lambda: order(window)[:3] == expected, timeout=PATIENCE_MS)
    assert window.document.undo_label == ("Swap panels" if modifiers == NONE else "Duplicate panel")


def test_a_panel_can_be_lifted_by_its_title(window, monkeypatch):
    panel = window.grid.panels["p2"]
    lifted, menus = [], []
    monkeypatch.setattr(
        "mvexplorer.ui.panels.header.QDrag.exec", lambda self, *a: lifted.append(self.mimeData().formats())
    )
    monkeypatch.setattr(panel, "choose_method", lambda: menus.append(1))
    drag(panel.header.title, [(20, 8), (30, 10), (60, 14)])
    assert lifted == [["application/x-mvexplorer-panel"]]
    assert not menus
    assert panel.header.title.height() >= 0.6 * panel.header.height()


def test_the_method_menu_offers_every_method_and_view(window, rest):
    window.behaviour.focus_panel(0)
    QTest.keyClick(window, KEY.Key_F2)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    found = texts(menu)
    assert found["Single view · plain"].isChecked() if "Single view · plain" in found else True
    found["Multi-view"].trigger()
    close_popups()
    assert window.document.state.panel("p1").method == "multiview"
    rest(window)
    assert window.grid.panels["p1"].header.title.text().startswith("Multi-view")


def test_a_panel_exports_its_own_picture_and_numbers(window, rest):
    window.editor.focus("p1")
    entries = texts(submenus(window.grid.panels["p6"].menus.everything())["Export"])
    for words, kind in (("Picture …", PictureDialog), ("Numbers …", NumbersDialog)):
        entries[words].trigger()
        assert window.behaviour.focused_panel().id == "p6"
        [dialog] = [each for each in window.findChildren(kind) if each.isVisible()]
        dialog.reject()
        rest(window)


def test_axes_and_views_from_the_panel_menu(window, rest):
    panel = window.grid.panels["p1"]
    window.editor.set_dims("p1", 3)
    rest(window)
    menus = submenus(panel.menus.everything())
    assert {"Horizontal axis", "Vertical axis", "Depth axis", "Pin a parameter"} <= set(menus)
    menus["Vertical axis"].actions()[4].trigger()
    assert window.document.state.panel("p1").axes == (0, 4, 2)
    rest(window)
    assert panel.canvas.axis_names[1].endswith("₅")
    show = submenus(window.grid.panels["p6"].menus.everything())["Coordinates drawn"]
    texts(show)["as seen by wavy"].trigger()
    assert window.document.state.panel("p6").show == "wavy"
    rest(window)
    assert window.grid.panels["p6"].canvas.axis_names == ("ψ₁", "ψ₂")


@pytest.mark.nightly
def test_two_view_methods_choose_their_pair(make_window, rest):
    window = make_window()
    data = small_data()
    third = data.replace(Xs=[*data.Xs, data.Xs[0] * 3], view_names=("a", "b", "c"), preprocess=None)
    show_data(window, third)
    rest(window)
    desa = next(p.id for p in window.document.state.panels if p.method == "de-sa")
    panel = window.grid.panels[desa]
    assert panel.header.title.text().startswith("de Sa · a + b")
    pair = submenus(panel.menus.everything())["Pair of views"]
    texts(pair)["b + c"].trigger()
    assert panel.header.title.text().startswith("de Sa · b + c")
    rest(window)
    assert window.controller.result(desa).result.embedding.views == ("b", "c")


def test_two_and_three_dimensions_by_key_and_button(window, rest):
    window.behaviour.focus_panel(2)
    QTest.keyClick(window, KEY.Key_3)
    rest(window)
    assert canvas(window, "p3").is_3d
    assert not canvas(window, "p1").is_3d
    QTest.mouseClick(window.grid.panels["p3"].header.flat, LEFT)
    rest(window)
    assert not canvas(window, "p3").is_3d
    QTest.keyClick(window, KEY.Key_3, CONTROL | SHIFT)
    rest(window)
    assert all(p.canvas.is_3d for p in window.grid.panels.values())
    window.document.undo()
    assert {p.dims for p in window.document.state.panels} == {2}


# Buttons at hand ------------------------------------------------------------------------------------------------------


def buttons_of(panel) -> list[str]:
    header = panel.header
    named = {"2D": header.flat, "3D": header.deep, "tool": header.tool, "menu": header.more, "close": header.cross}
    named["link"] = panel.link
    return [name for name, button in named.items() if button.isVisible()]


def test_only_the_panel_with_the_keys_and_the_one_below_the_pointer_show_their_buttons(window, rest):
    panels = window.grid.panels
    window.editor.focus("p2")
    rest(window)
    assert buttons_of(panels["p2"]) == ["2D", "3D", "tool", "menu", "close"]
    assert all(buttons_of(panel) == [] for id, panel in panels.items() if id != "p2")
    point_at(panels["p3"])
    assert buttons_of(panels["p3"]) == ["2D", "3D", "tool", "menu", "close", "link"]
    point_away(panels["p3"])
    assert buttons_of(panels["p3"]) == []


def test_no_title_and_no_picture_moves_while_the_pointer_comes_and_goes(window, rest, app):
    panel = window.grid.panels["p3"]
    window.editor.focus("p2")
    rest(window)
    before = (
        panel.header.title.geometry(),
        panel.header.title.text(),
        panel.header.more.geometry(),
        panel.canvas.geometry(),
    )
    for move in (point_at, point_away):
        move(panel)
        app.processEvents()
        now = (
            panel.header.title.geometry(),
            panel.header.title.text(),
            panel.header.more.geometry(),
            panel.canvas.geometry(),
        )
        assert now == before
