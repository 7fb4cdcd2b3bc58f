"""Panels, their menus and their grid call the editor: what each gesture asks for, with an editor that only listens."""

from unittest.mock import call

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from windows import submenus

from mvexplorer.compute.jobs.runner import Result
from mvexplorer.engine.api.cost import NOTHING, Alternative
from mvexplorer.engine.api.embedding import embed
from mvexplorer.state.document import commands
from mvexplorer.state.pictures.panel_result import PanelResult, TooLarge
from mvexplorer.state.pictures.requests import request_of
from mvexplorer.ui.panels.grid import PanelGrid
from mvexplorer.ui.panels.header import MIME

LEFT = Qt.MouseButton.LeftButton
KERNEL = "gaussian"


@pytest.fixture
def grid(app, qtbot, controller, editor):
    made = PanelGrid(editor, controller)
    qtbot.addWidget(made)
    made.resize(1200, 800)
    made.show_state(controller.document.state)
    made.show()
    editor.reset_mock()
    return made


def follow(grid, editor, controller):
    """Show what a command has made of the document."""
    editor.state = controller.document.state
    grid.show_state(controller.document.state)


def edits(editor):
    """What was asked of the editor, apart from which panel has the focus."""
    return [asked for asked in editor.mock_calls if asked[0] != "focus"]


def panel_of(grid, method):
    return next(p for p in grid.panels.values() if p.state.method == method)


def actions(menu):
    return {a.text().split("\t")[0]: a for a in menu.actions()}


def computed(controller, method):
    """The panel's result as if it had been computed."""
    document = controller.document
    embedding = embed(document.data, method, epsilon=0.5, n_components=4)
    request = request_of(document.state, document.data, next(p for p in document.state.panels if p.method == method))
    return PanelResult(status="ready", request=request, result=Result(request, embedding, 0.1, 3))


def test_the_buttons_of_a_header(grid, editor):
    panel = panel_of(grid, "multiview")
    QTest.mouseClick(panel.header.deep, LEFT)
    QTest.mouseClick(panel.header.flat, LEFT)
    panel.header.cross.click()
    assert edits(editor) == [call.set_dims(panel.id, 3), call.set_dims(panel.id, 2), call.close_panel(panel.id)]


def test_the_menu_of_methods(grid, editor):
    panel = panel_of(grid, "multiview")
    menu = panel.menus.methods()
    assert actions(menu)["Multi-view"].isChecked()
    assert not actions(menu)["Tensor CCA"].isEnabled()  # of two views
    actions(menu)["Single view · wavy"].trigger()
    actions(menu)["de Sa"].trigger()
    assert edits(editor) == [
        call.set_method(panel.id, "single", "wavy"), call.set_method(panel.id, "de-sa", None),
    ]  # fmt: skip


def test_the_menu_of_a_panel(grid, editor):
    panel = panel_of(grid, "kernel-sum")
    menu = panel.menus.everything()
    actions(menu)["Duplicate"].trigger()
    actions(menu)["Close"].trigger()
    actions(submenus(menu)["Pin a parameter"])["Diffusion time (t)"].trigger()
    actions(submenus(menu)["All panels by"])["1,000 landmarks"].trigger()
    assert edits(editor) == [
        call.duplicate_panel(panel.id), call.close_panel(panel.id), call.pin(panel.id, "t"),
        call.compute_by("landmarks-1000", None),
    ]  # fmt: skip


def test_a_pin_is_taken_back_where_it_was_set(grid, editor, controller):
    panel = panel_of(grid, "kernel-sum")
    commands.pin(controller.document, panel.id, "t", 3)
    follow(grid, editor, controller)
    pins = submenus(panel.menus.everything())["Pin a parameter"]
    next(a for a in pins.actions() if a.isChecked()).trigger()
    assert edits(editor) == [call.unpin(panel.id, "t")]


def test_axes_are_chosen_from_those_computed(grid, editor, controller):
    panel = panel_of(grid, "kernel-sum")
    panel.result = computed(controller, "kernel-sum")
    menu = submenus(panel.menus.everything())["Vertical axis"]
    assert len(menu.actions()) == 4
    menu.actions()[3].trigger()
    assert edits(editor) == [call.change_panel(panel.id, "Change axes", axes=(0, 3, 2))]


def test_whose_coordinates_are_drawn(grid, editor, controller):
    panel = panel_of(grid, "multiview")
    panel.result = computed(controller, "multiview")
    actions(panel.menus.shown())["as seen by wavy"].trigger()
    assert edits(editor) == [call.change_panel(panel.id, "Show wavy", show="wavy")]


def test_the_ways_out_of_too_large_data(grid, editor, qtbot):
    panel = panel_of(grid, "multiview")
    ways = (Alternative("64 nearest neighbours", NOTHING, "knn-64"), Alternative("a part", NOTHING, None, 4000))
    panel.show_result(PanelResult(status="failed", error=TooLarge("Too large.", ways)), frozenset(), animate=False)
    assert panel._stack.currentWidget() is panel.too_large
    for button in panel.too_large.buttons[:2]:
        button.click()
    assert edits(editor) == [call.compute_by("knn-64", None), call.compute_by(None, 4000)]
    with qtbot.waitSignal(grid.memory_wanted):
        panel.too_large.buttons[2].click()


@pytest.mark.parametrize(("modifier", "what"), [("NoModifier", "swap_panels"), ("ControlModifier", "duplicate_panel")])
def test_a_header_dropped_on_another_panel(grid, editor, qtbot, modifier, what):
    first, second = list(grid.panels.values())[:2]
    data = QMimeData()
    data.setData(MIME, first.id.encode())
    second.dropEvent(
        QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, LEFT, getattr(Qt.KeyboardModifier, modifier))
    )
    asked = (first.id, second.id) if what == "swap_panels" else (first.id,)
    qtbot.waitUntil(lambda: edits(editor) == [getattr(call, what)(*asked)])


def test_no_panel_left_offers_the_usual_ones(grid, editor, controller):
    for id in list(grid.panels):
        commands.close_panel(controller.document, id)
    follow(grid, editor, controller)
    QTest.mouseClick(grid._nothing, LEFT)
    assert [name for name, *_ in edits(editor)] == ["show_usual_panels"]


def test_a_panel_is_copied_as_python(grid, editor, controller):
    editor.attempt.side_effect = lambda edit: edit() or True
    controller.document.state = controller.document.state.model_copy(update={"source": ("helix-a",)})
    follow(grid, editor, controller)
    panel = panel_of(grid, "multiview")
    actions(panel.menus.everything())["Copy as Python"].trigger()
    assert "mvx.embed(" in QGuiApplication.clipboard().text()
    assert '"multiview"' in QGuiApplication.clipboard().text()


def test_the_list_of_methods_opens_at_the_present_one(grid):
    panel = panel_of(grid, "kernel-sum")
    panel.choose_method()
    menu = QApplication.activePopupWidget()
    assert menu.activeAction().text() == "Kernel sum"
    menu.close()
