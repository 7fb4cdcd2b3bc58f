"""More panels than a window shows: a button lists the rest, and its menu brings one in."""

from __future__ import annotations

from gestures import LEFT
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from windows import PATIENCE_MS

from mvexplorer.state.document import commands
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import MAX_PANELS
from mvexplorer.ui.panels.rest import RestOfPanels


def test_a_panel_of_the_rest_is_brought_in_by_the_button(window, rest, qtbot):
    state = window.document.state
    more = [updated(commands.new_panel("kernel-sum", f"q{i}"), {"pins": {"t": i + 1}}) for i in range(MAX_PANELS)]
    assert not window.grid.rest.isVisible()
    window.document.apply("More", state.model_copy(update={"panels": (*state.panels, *more)}))
    rest(window)
    shown = [p.id for p in window.document.state.shown]
    assert set(window.grid.panels) == set(shown)
    button = window.grid.rest
    assert button.isVisible()
    assert button.text() == "6 more panels ▾"
    bottom = max(p.geometry().bottom() for p in window.grid.panels.values())
    assert bottom < button.geometry().top() <= window.grid.rect().bottom()
    window.behaviour.focus_panel(2)
    QTest.mouseClick(button, LEFT)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is button.list, timeout=PATIENCE_MS)
    texts = [a.text() for a in button.list.actions()]
    assert len(texts) == 7
    assert texts[0] == "In place of “Kernel sum”"
    assert texts[-1] == "Kernel sum · t 12"
    button.list.actions()[-1].trigger()
    button.list.close()
    rest(window)
    assert [p.id for p in window.document.state.shown] == [*shown[:2], "q11", *shown[3:]]
    assert window.editor.focused == "q11"
    assert window.controller.result("q11").status == "ready"
    assert window.grid.panels["q11"].isVisible()
    window.document.undo()
    rest(window)
    assert set(window.grid.panels) == set(shown)
    window.document.undo()
    rest(window)
    assert not button.isVisible()
    assert not button.list.menuAction().isVisible()


def test_pictures_shrink_with_their_panels(window, rest, qtbot):
    state = window.document.state
    more = [commands.new_panel("kernel-sum", f"q{i}") for i in range(MAX_PANELS - len(state.panels))]
    window.document.apply("More", state.model_copy(update={"panels": (*state.panels, *more)}))
    window.resize(1280, 640)  # in 720, the page leaves three rows of panels more than these heights
    rest(window)
    window.bottom.show_page("spectrum")
    panels = window.grid.panels.values()
    qtbot.waitUntil(lambda: all(panel.height() < 120 for panel in panels), timeout=PATIENCE_MS)
    for panel in panels:
        assert panel.canvas.isVisible()
        assert panel.canvas.height() < 60
        assert panel.canvas.parentWidget().rect().contains(panel.canvas.geometry())


def test_the_list_of_a_document_without_panels_is_empty(app, qtbot):
    button = RestOfPanels(object())
    qtbot.addWidget(button)
    button.list.aboutToShow.emit()
    assert button.list.isEmpty()
