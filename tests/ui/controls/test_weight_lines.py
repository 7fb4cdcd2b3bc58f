"""The sliders of the views' weights: off until wanted, live, and what each asks of the editor."""

from unittest.mock import call

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from windows import advice_of

from mvexplorer.state.document import commands
from mvexplorer.state.document.view_weights import set_view_weight, weigh_by_volume, weigh_views
from mvexplorer.state.pictures.weights_on_show import WeightsOnShow
from mvexplorer.ui.controls.dock import ControlsDock


@pytest.fixture
def dock(app, qtbot, controller, editor):
    made = ControlsDock(controller, editor, advice_of(controller, editor))
    qtbot.addWidget(made)
    made.resize(290, 700)
    made.show_state(controller.document.state)
    made.show()
    return made


def lines(dock):
    return {name: line for name, line in dock.views.weights.items() if line.isVisible()}


def test_weights_are_off_until_wanted(dock, controller, editor):
    assert not lines(dock)
    assert not dock.unweighed.isVisible()
    dock.weigh.click()
    assert editor.mock_calls == [call.weigh_views(True)]
    document = controller.document
    weigh_views(document, True)
    dock.show_state(document.state)
    assert list(lines(dock)) == list(document.state.enabled)
    assert dock.unweighed.accessibleName() == "de Sa has no view weights"
    first, second = document.state.enabled[:2]
    tops = [w.mapTo(dock, QPoint()).y() for w in (dock.rows[first].slider, lines(dock)[first], dock.rows[second])]
    assert tops == sorted(set(tops))
    commands.tick_view(document, second, False)
    dock.show_state(document.state)
    assert second not in lines(dock)
    weigh_views(document, False)
    dock.show_state(document.state)
    assert not lines(dock)


def test_weights_by_equal_volume_are_shown_as_they_are_in_effect(dock, controller, editor):
    document = controller.document
    weigh_views(document, True)
    dock.show_state(document.state)
    assert dock.volume.isVisible()
    assert not dock.volume.isChecked()
    first, second = document.state.enabled[:2]
    assert not lines(dock)[first].share.isVisible()
    dock.volume.click()
    assert editor.mock_calls[-1] == call.weigh_by_volume(True)
    weigh_by_volume(document, True)
    dock.show_state(document.state)
    dock.show_weights(WeightsOnShow("Kernel sum", {first: 0.41234, second: 1.58766}, {first: 0.456, second: 0.544}))
    assert [lines(dock)[name].field.text() for name in (first, second)] == ["0.412", "1.59"]
    assert [lines(dock)[name].share.text() for name in (first, second)] == ["46 %", "54 %"]
    assert "45.6 % of a step in Kernel sum" in lines(dock)[first].share.toolTip()
    assert dock.volume.isChecked()
    assert dock.unweighed.accessibleName() == "Kernel product and de Sa have no equal-volume view weights"
    assert "all views count equally" in dock.unweighed.toolTip()
    weigh_by_volume(document, False)
    dock.show_state(document.state)
    assert lines(dock)[first].field.text() == "1"
    weigh_views(document, False)
    dock.show_state(document.state)
    assert not dock.volume.isVisible()


def test_a_weight_dragged_typed_and_put_back(dock, controller, editor):
    view = controller.document.state.enabled[0]
    set_view_weight(controller.document, view, 2.5)
    dock.show_state(controller.document.state)
    line = lines(dock)[view]
    assert line.field.text() == "2.5"
    assert line.slider.value == pytest.approx(2.5)
    line.slider.moved.emit(4.0)
    line.slider.moved.emit(1.01)
    line.slider.released.emit()
    QTest.mouseDClick(line.slider, Qt.MouseButton.LeftButton)
    editor.set_view_weight.return_value = False
    line.field.entered.emit("-3")
    assert [c for c in editor.mock_calls if "view_weight" in str(c) or "end_drag" in str(c)] == [
        call.set_view_weight(view, 4.0, interactive=True), call.set_view_weight(view, 1.0, interactive=True),
        call.end_drag(), *(c for c in editor.mock_calls[3:-2]), call.set_view_weight(view, 1.0),
        call.set_view_weight(view, -3.0),
    ]  # fmt: skip
    assert line.field.property("wrong")
