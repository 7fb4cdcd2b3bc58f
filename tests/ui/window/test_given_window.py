"""A published picture in the window: offered only where there is one, linked with the others, told what it lacks."""

import numpy as np
from gestures import CONTROL, KEY, canvas, circle, drag, texts
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from windows import show_fresh, small_data

from mvexplorer.engine.methods import get_method
from mvexplorer.ui.panels.method_card import card_html


def with_pictures():
    data = small_data()
    return data.replace(coordinates={"X_umap": data.Xs[0] * [1.0, 3.0], "layout": data.Xs[1]})


def offered(window):
    window.behaviour.actions.actions["Add panel …"].trigger()
    return QApplication.activePopupWidget()


def titles(window):
    picker = offered(window)
    picker.close()
    return [picker.list.item(row).text() for row in range(picker.list.count())]


def test_a_picture_that_came_with_the_data_is_a_panel_like_any_other(window, rest):
    assert "Single view" in titles(window)
    assert not [title for title in titles(window) if "published" in title or "Given" in title]
    show_fresh(window, with_pictures())
    before = len(window.document.state.panels)
    picker = offered(window)
    QTest.keyClicks(picker.search, "UMAP as")
    QTest.keyClick(picker.search, KEY.Key_Return)
    window.activateWindow()  # a window manager does so
    rest(window)
    id = window.document.state.panels[-1].id
    found = window.controller.result(id)
    assert window.grid.panels[id].header.title.text().startswith("UMAP as published")
    assert found.drawing.axis_names == ("UMAP 1", "UMAP 2")
    assert set(found.scores.each()) >= {"nmi", "knn"}
    target = canvas(window, id)
    QTest.mouseMove(target.viewport(), target.position_of(20).toPoint())
    assert {panel.canvas.marked for panel in window.grid.panels.values()} == {20}
    drag(target.viewport(), circle(target.position_of(5), 12, 60))
    assert 5 in window.document.state.selection
    assert np.array_equal(np.flatnonzero(canvas(window).cloud.look.selected), window.document.state.selection)
    window.editor.set_method(id, "given", "layout")
    window.editor.set_dims(id, 3)
    rest(window)
    assert window.controller.result(id).drawing.points.shape == (48, 3)
    for _ in range(4):
        QTest.keyClick(window, KEY.Key_Z, CONTROL)
    assert len(window.document.state.panels) == before


def test_data_opens_with_its_own_picture_linked_and_scored(window, rest):
    show_fresh(window, with_pictures())
    rest(window)
    own = next(p.id for p in window.document.state.panels if p.method == "given")
    assert window.grid.panels[own].header.title.text().startswith("UMAP as published")
    assert set(window.controller.result(own).scores.each()) >= {"nmi", "knn"}
    target = canvas(window, own)
    QTest.mouseMove(target.viewport(), target.position_of(20).toPoint())
    assert {panel.canvas.marked for panel in window.grid.panels.values()} == {20}


def test_its_card_and_the_methods_of_a_panel(window, rest):
    show_fresh(window, with_pictures())
    texts(window.grid.panels["p1"].menus.methods())["layout as published"].trigger()
    rest(window)
    panel = window.document.state.panel("p1")
    assert (panel.method, panel.view) == ("given", "layout")
    now = window.grid.panels["p1"].menus.methods().actions()
    assert [action.text() for action in now if action.isChecked()] == ["layout as published"]
    assert window.grid.panels["p1"].menus.everything().actions()
    card = card_html(get_method("given"), {"coordinates": "layout"}, ())
    assert "It has no spectrum, places no new samples" in card
    assert "No view: coordinates that came with the data" in card
    spectrum = window.bottom.show_page("spectrum")
    spectrum.refresh()
    assert set(spectrum._keys) == {p.id for p in window.document.state.panels if p.method != "given"}
