"""Number fields take any text and mark what is wrong; rows keep slider and field together."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from mvexplorer.engine.core.params import DIFFUSION_TIME, N_COMPONENTS, Param
from mvexplorer.engine.methods import get_method
from mvexplorer.ui.controls.parameter_rows import ParamRow
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.widgets.fields import NumberField
from mvexplorer.wording import as_typed

ETA = next(p for p in get_method("multiview").params if p.name == "eta")


@pytest.fixture
def field(app, qtbot):
    made = NumberField("Bandwidth")
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    made.show_text("0.36")
    made.setFocus()
    return made


def listen(signal) -> list:
    heard: list = []
    signal.connect(lambda *values: heard.append(values if len(values) > 1 else values[0]))
    return heard


def test_return_enters_once(field):
    entered = listen(field.entered)
    field.selectAll()
    QTest.keyClicks(field, "2*median")
    QTest.keyClick(field, Qt.Key.Key_Return)
    QTest.keyClick(field, Qt.Key.Key_Return)
    field.clearFocus()
    assert entered == ["2*median"]


def test_leaving_the_field_enters(field):
    entered = listen(field.entered)
    field.selectAll()
    QTest.keyClicks(field, "5")
    field.clearFocus()
    assert entered == ["5"]


def test_leaving_it_untouched_enters_nothing(field):
    entered = listen(field.entered)
    field.clearFocus()
    assert not entered


def test_esc_puts_the_old_text_back(field):
    entered = listen(field.entered)
    QTest.keyClicks(field, "99")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    field.clearFocus()
    assert field.text() == "0.36"
    assert not entered


def test_what_is_being_typed_is_not_overwritten(field):
    QTest.keyClicks(field, "7")
    field.show_text("1.25")
    assert "7" in field.text()
    QTest.keyClick(field, Qt.Key.Key_Return)
    field.show_text("1.25")
    assert field.text() == "1.25"


def test_wrong_is_marked_until_a_good_value_is_shown(field):
    field.set_wrong(True)
    assert field.property("wrong") is True
    field.show_text("1")
    assert field.property("wrong") is False


def test_a_number_begun_elsewhere_goes_on_here(field):
    entered = listen(field.entered)
    field.begin("4")
    QTest.keyClicks(field, "2")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert entered == ["42"]


def row(qtbot, param: Param, high: float = float("inf")) -> ParamRow:
    made = ParamRow(param, high)
    qtbot.addWidget(made)
    made.resize(260, 60)
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_a_row_sends_whole_numbers_for_whole_parameters(app, qtbot):
    made = row(qtbot, N_COMPONENTS, 40)
    moved = listen(made.moved)
    made.slider.moved.emit(11.6)
    made.field.entered.emit("7")
    made.slider.reset.emit()
    assert moved == [("n_components", 12, True), ("n_components", "7", False), ("n_components", 2, False)]


def test_a_row_shows_its_value_in_both(app, qtbot):
    made = row(qtbot, ETA)
    made.show_value(0.3, float("inf"))
    assert (made.field.text(), made.slider.value) == ("0.3", 0.3)
    assert made.field.accessibleName() == made.slider.accessibleName() == ETA.label


def test_a_value_beyond_the_slider_widens_it(app, qtbot):
    made = row(qtbot, DIFFUSION_TIME, 64)
    made.show_value(500, 64)
    assert made.slider.scale.high == 500
    made.show_value(3, 64)
    assert made.slider.scale.high == 64


@pytest.mark.parametrize(
    ("method", "name", "shown"), [("concatenation", "joint_epsilon", "Σ ε"), ("kernel-cca", "cholesky_rank", "auto")]
)
def test_a_value_decided_by_the_data_is_written_as_such(app, qtbot, method, name, shown):
    param = next(p for p in get_method(method).params if p.name == name)
    made = row(qtbot, param)
    made.show_value(None, float("inf"))
    assert (made.field.text(), made.field.placeholderText()) == ("", shown)
    assert made.slider is None
    moved = listen(made.moved)
    for typed in ("", shown):
        made.field.entered.emit(typed)
        assert moved[-1] == (name, None, False)
    made.field.entered.emit("3")
    assert moved[-1] == (name, "3", False)


def test_a_flag_is_a_tick_and_a_choice_a_list(app, qtbot):
    params = {p.name: p for p in get_method("kernel-cca").params}
    tick = row(qtbot, params["centred"])
    moved = listen(tick.moved)
    tick.show_value(True, float("inf"))
    assert moved == []  # showing is not editing
    box = tick.findChild(QCheckBox)
    assert box.isChecked()
    box.click()
    assert moved == [("centred", False, False)]


def test_a_digit_on_the_slider_goes_into_the_field(app, qtbot):
    made = row(qtbot, DIFFUSION_TIME, 64)
    moved = listen(made.moved)
    made.slider.typed.emit("8")
    assert made.field.text() == "8"
    QTest.keyClick(made.field, Qt.Key.Key_Return)
    assert moved == [("t", "8", False)]


def test_ctrl_e_is_the_windows_also_while_a_number_is_edited(app, qtbot):
    around = QWidget()
    qtbot.addWidget(around)
    field = NumberField("Number")
    QVBoxLayout(around).addWidget(field)
    export = QShortcut(QKeySequence("Ctrl+E"), around)
    with qtbot.waitExposed(around):
        around.show()
    around.activateWindow()
    field.setFocus()
    with qtbot.waitSignal(export.activated):
        QTest.keyClick(field, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.36, "0.36"), (1.23456, "1.235"), (1000.0, "1000"), (10000.0, "10000"), (99990.0, "99990"),
        (1e5, "1.00·10⁵"), (123456.0, "1.23·10⁵"), (1e-4, "0.0001"), (1e-5, "1.00·10⁻⁵"), (0.0, "0"),
    ],
)  # fmt: skip
def test_a_number_in_a_field_reads_as_beside_it_and_can_be_typed_again(value, text):
    assert numbers.editable(value) == text
    if "·" in text:
        assert numbers.number(value) == text
    assert float(as_typed(text)) == pytest.approx(value, rel=1e-2)


def test_a_power_of_ten_that_stays_in_a_field_is_read_as_one(app, qtbot):
    field = NumberField("ε")
    qtbot.addWidget(field)
    field.show_text(numbers.editable(2.5e-6))
    field.setModified(True)
    with qtbot.waitSignal(field.entered) as entered:
        field.returnPressed.emit()
    assert float(entered.args[0]) == 2.5e-6
