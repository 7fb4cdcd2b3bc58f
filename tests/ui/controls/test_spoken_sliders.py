"""What a screen reader is told of a slider is its value as it stands beside it, in the same unit."""

import pytest
from gestures import KEY
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest

from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.widgets.slider import Scale, Slider

pytestmark = pytest.mark.panels(3)


def spoken(slider: Slider) -> tuple[str, str]:
    """Name and description, as the system's screen reader gets them."""
    told = QAccessible.queryAccessibleInterface(slider)
    return told.text(QAccessible.Text.Name), told.text(QAccessible.Text.Description)


def test_a_slider_of_bandwidth_tells_epsilon_and_not_its_place_on_the_track(window, rest):
    row = window.side.rows["plain"]
    epsilon = window.controller.effective_epsilon("plain")
    assert row.slider.value == pytest.approx(epsilon / window.controller.median("plain"))
    assert spoken(row.slider) == (
        "Bandwidth ε of plain", f"{numbers.editable(epsilon)}, σ {numbers.number(epsilon**0.5)}"
    )  # fmt: skip
    assert spoken(row.slider)[1].startswith(f"{row.field.text()}, ")
    row.slider.setFocus()
    QTest.keyClick(row.slider, KEY.Key_PageUp)
    rest(window)
    assert window.controller.effective_epsilon("plain") == pytest.approx(2 * epsilon, rel=1e-3)
    assert spoken(row.slider)[1].startswith(f"{row.field.text()}, ")
    window.editor.set_scale(0.1)
    rest(window)
    assert float(spoken(row.slider)[1].split(",")[0]) == pytest.approx(0.2 * epsilon, rel=1e-3)
    assert spoken(window.side.master) == ("All ε: factor on every linked bandwidth", "0.1")


def test_a_slider_tells_its_value_before_it_was_moved_and_none_while_there_is_none(app, qtbot):
    slider = Slider(Scale(0.0, 1.0, "linear"), 0.25, "Within-view weight")
    qtbot.addWidget(slider)
    assert spoken(slider) == ("Within-view weight", "0.25")
    slider.set_known(False)
    assert spoken(slider)[1] == "not computed yet"
    slider.set_known(True)
    assert spoken(slider)[1] == "0.25"


def test_where_a_play_stands_is_told_in_the_unit_of_what_is_played(window, rest):
    bar = window.behaviour.play_bar
    bar.open()
    bar.slider.setFocus()
    QTest.keyClick(bar.slider, KEY.Key_PageUp)
    assert bar.value.text()
    assert spoken(bar.slider) == ("Where the play stands", bar.value.text())
    bar.leave()
    rest(window)


def test_every_slider_of_the_window_has_a_name_and_a_value(window, rest):
    window.behaviour.present(True)
    rest(window)
    assert spoken(window.strip.sliders["η"])[0] == "η, within-view weight"
    sliders = window.findChildren(Slider)
    assert len(sliders) > 10
    assert [slider for slider in sliders if not all(spoken(slider))] == []
    window.behaviour.present(False)
