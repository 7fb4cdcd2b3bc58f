"""What a screen reader is told of a slider is its value as it stands beside it, in the same unit."""

import pytest
from gestures import KEY
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest

from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.widgets.plots.explained import Explained
from mvexplorer.ui.widgets.plots.figure_view import FigureView
from mvexplorer.ui.widgets.slider import Scale, Slider

pytestmark = pytest.mark.panels(3)


def spoken(slider: Slider) -> tuple[str, str]:
    """Name and value, as the system's screen reader gets them."""
    voice = QAccessible.queryAccessibleInterface(slider)
    assert voice.role() == QAccessible.Role.Slider
    return voice.text(QAccessible.Text.Name), voice.text(QAccessible.Text.Value)


def number(slider: Slider):
    """What a screen reader reads and sets of a slider that has a value."""
    return QAccessible.queryAccessibleInterface(slider).valueInterface()


def test_a_slider_of_bandwidth_tells_epsilon_and_not_its_place_on_the_track(window, rest):
    row = window.side.rows["plain"]
    epsilon, median = window.controller.effective_epsilon("plain"), window.controller.median("plain")
    assert row.slider.value == pytest.approx(epsilon / median)
    times = f"{numbers.number(epsilon / median)} × median"
    assert spoken(row.slider) == (
        "Bandwidth ε of plain",
        f"{numbers.editable(epsilon)}, σ {numbers.number(epsilon**0.5)}, {times}",
    )
    assert number(row.slider).currentValue() == pytest.approx(epsilon)
    assert number(row.slider).minimumValue() == pytest.approx(median * row.slider.scale.low)
    assert spoken(row.slider)[1].startswith(f"{row.field.text()}, ")
    row.slider.setFocus()
    QTest.keyClick(row.slider, KEY.Key_PageUp)
    rest(window)
    assert window.controller.effective_epsilon("plain") == pytest.approx(2 * epsilon, rel=1e-3)
    assert spoken(row.slider)[1].startswith(f"{row.field.text()}, ")
    window.editor.set_scale(0.1)
    rest(window)
    assert float(spoken(row.slider)[1].split(",")[0]) == pytest.approx(0.2 * epsilon, rel=1e-3)
    assert spoken(window.side.master) == ("Scale all ε by: factor on every linked bandwidth", "0.1")


def test_a_slider_tells_its_value_before_it_was_moved_and_none_while_there_is_none(app, qtbot):
    slider = Slider(Scale(0.0, 1.0, "linear"), 0.25, "Within-view weight")
    qtbot.addWidget(slider)
    assert spoken(slider) == ("Within-view weight", "0.25")
    slider.set_known(False)
    assert spoken(slider)[1] == "not computed yet"
    assert number(slider) is None
    slider.set_known(True)
    assert spoken(slider)[1] == "0.25"


def test_a_reader_sets_epsilon_in_its_own_unit(window, rest):
    slider, epsilon = window.side.rows["plain"].slider, window.controller.effective_epsilon("plain")
    number(slider).setCurrentValue(3 * epsilon)
    assert window.controller.effective_epsilon("plain") == pytest.approx(3 * epsilon, rel=1e-3)
    rest(window)
    assert spoken(slider)[1].startswith(f"{window.side.rows['plain'].field.text()}, ")
    assert window.document.undo_label.startswith("ε of plain")
    number(slider).setCurrentValue(1e300)
    assert number(slider).currentValue() == pytest.approx(number(slider).maximumValue(), rel=1e-3)
    rest(window)


def test_a_reader_may_ask_for_what_there_is_not(app, qtbot):
    slider, plot = Slider(Scale(0.0, 1.0, "linear"), 0.25, "Opacity"), FigureView()
    for widget in (slider, plot):
        qtbot.addWidget(widget)
        voice = QAccessible.queryAccessibleInterface(widget)
        assert voice.actionInterface() is not None
        assert voice.textInterface() is None
        assert voice.selectionInterface() is None
        assert (voice.valueInterface() is None) == (widget is plot)


def test_plots_are_charts_and_tell_their_titles(window, rest):
    window.bottom.show_page("tune")
    rest(window)
    plots = window.bottom.findChildren(Explained)
    assert len(plots) > 2
    for plot in plots:
        voice = QAccessible.queryAccessibleInterface(plot)
        assert voice.role() == QAccessible.Role.Chart
        assert voice.text(QAccessible.Text.Name)


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
