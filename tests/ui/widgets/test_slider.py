"""The slider: what its positions mean, and what hand, wheel and keys do to it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from mvexplorer.ui.widgets.slider import Mark, Scale, Slider

KEY, SHIFT = Qt.Key, Qt.KeyboardModifier.ShiftModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def slider(app, qtbot):
    made = Slider(Scale(1e-4, 1e2), 1.0, "Bandwidth")
    qtbot.addWidget(made)
    made.resize(218, 34)
    with qtbot.waitExposed(made):
        made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


def listen(signal) -> list:
    heard: list = []
    signal.connect(lambda *values: heard.append(values[0] if values else None))
    return heard


def spot(slider: Slider, value: float, y: int = 11) -> QPoint:
    room = slider.width() - 2 * slider.PAD
    return QPoint(round(slider.PAD + slider.scale.fraction(value) * room), y)


@pytest.mark.parametrize(
    "scale", [Scale(1e-4, 1e2), Scale(0.0, 1.0, "linear"), Scale(0.0, 64.0, "int"), Scale(1.0, 40.0, "int")]
)
def test_positions_and_values_belong_together(scale):
    assert scale.fraction(scale.low) == pytest.approx(0)
    assert scale.fraction(scale.high) == pytest.approx(1)
    for k in range(11):
        value = scale.value(k / 10)
        if scale.kind == "int":
            assert value == int(value)
        else:
            assert scale.fraction(value) == pytest.approx(k / 10)
    assert scale.value(-1) == pytest.approx(scale.low)
    assert scale.value(2) == pytest.approx(scale.high)


def test_equal_ratios_look_equal_on_a_bandwidth_axis():
    scale = Scale(1e-4, 1e2)
    assert scale.fraction(0.1) - scale.fraction(0.01) == pytest.approx(scale.fraction(100) - scale.fraction(10))
    assert scale.fraction(1e-5) < 0
    assert scale.fraction(1e3) > 1


@pytest.mark.parametrize(
    ("key", "modifiers", "factor"),
    [
        (KEY.Key_Right, None, 1.05), (KEY.Key_Up, None, 1.05), (KEY.Key_Left, None, 1 / 1.05),
        (KEY.Key_Down, None, 1 / 1.05), (KEY.Key_Right, SHIFT, 1.05**0.2), (KEY.Key_Left, SHIFT, 1.05**-0.2),
        (KEY.Key_PageUp, None, 2.0), (KEY.Key_PageDown, None, 0.5),
    ],
)  # fmt: skip
def test_keys(slider, key, modifiers, factor):
    moved, released = listen(slider.moved), listen(slider.released)
    slider.setFocus()
    QTest.keyClick(slider, key, modifiers or Qt.KeyboardModifier.NoModifier)
    assert moved == [pytest.approx(factor, rel=1e-9)]
    assert slider.value == moved[0]
    assert released


def test_shift_moves_by_one_percent():
    assert Scale(1e-4, 1e2).stepped(1.0, 0.2) == pytest.approx(1.01, abs=2e-4)


@pytest.mark.parametrize(
    ("kind", "high", "value", "key", "expected"),
    [
        ("int", 64, 1, KEY.Key_Right, 2), ("int", 64, 1, KEY.Key_PageUp, 2), ("int", 64, 12, KEY.Key_PageUp, 24),
        ("int", 64, 12, KEY.Key_PageDown, 6), ("int", 64, 1, KEY.Key_PageDown, 0), ("int", 64, 0, KEY.Key_PageUp, 1),
        ("int", 64, 0, KEY.Key_Left, 0), ("linear", 1, 0.5, KEY.Key_Right, 0.52),
        ("linear", 1, 0.5, KEY.Key_PageUp, 0.7),
        ("linear", 1, 1.0, KEY.Key_Right, 1.0),
    ],
)  # fmt: skip
def test_keys_on_other_axes(slider, kind, high, value, key, expected):
    slider.set_scale(Scale(0.0, high, kind))
    slider.set_value(float(value))
    slider.setFocus()
    QTest.keyClick(slider, key)
    assert slider.value == pytest.approx(expected)


def test_keys_stop_at_the_ends(slider):
    slider.set_value(90.0)
    slider.setFocus()
    QTest.keyClick(slider, KEY.Key_PageUp)
    assert slider.value == 100.0


def test_alt_arrows_are_left_to_the_window(slider):
    moved = listen(slider.moved)
    slider.setFocus()
    QTest.keyClick(slider, KEY.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert not moved


def test_digits_begin_a_number(slider):
    typed, moved = listen(slider.typed), listen(slider.moved)
    slider.setFocus()
    QTest.keyClick(slider, "3")
    QTest.keyClick(slider, ".")
    assert typed == ["3", "."]
    assert not moved


def wheel(slider: Slider, delta: int, modifiers=Qt.KeyboardModifier.NoModifier) -> bool:
    at = QPointF(100, 11)
    event = QWheelEvent(
        at, slider.mapToGlobal(at), QPoint(), QPoint(0, delta), Qt.MouseButton.NoButton, modifiers,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(slider, event)
    return event.isAccepted()


def test_the_wheel_scrolls_the_page_until_the_slider_has_the_focus(slider):
    moved = listen(slider.moved)
    slider.clearFocus()
    assert not wheel(slider, 120)
    assert not moved
    slider.setFocus()
    assert wheel(slider, 120)
    assert moved == [pytest.approx(1.05)]
    wheel(slider, -120, SHIFT)
    assert moved[-1] == pytest.approx(1.05 * 1.05**-0.2)


def test_dragging_follows_the_hand_and_tells_when_it_lets_go(slider):
    moved, released = listen(slider.moved), listen(slider.released)
    QTest.mousePress(slider, LEFT, pos=spot(slider, 1.0))
    QTest.mouseMove(slider, spot(slider, 10.0))
    QTest.mouseMove(slider, QPoint(5000, 11))
    assert not released
    QTest.mouseRelease(slider, LEFT, pos=QPoint(5000, 11))
    assert moved[-2] == pytest.approx(10.0, rel=0.05)
    assert moved[-1] == pytest.approx(100.0)
    assert len(released) == 1


def test_other_buttons_do_nothing(slider):
    moved = listen(slider.moved)
    QTest.mouseClick(slider, Qt.MouseButton.RightButton, pos=spot(slider, 10.0))
    assert not moved


def test_a_double_click_resets(slider):
    reset = listen(slider.reset)
    QTest.mouseDClick(slider, LEFT, pos=spot(slider, 1.0))
    assert len(reset) == 1


def test_marks_can_be_clicked_and_explain_themselves(slider):
    slider.set_marks((Mark(0.5, "m", "Max-min"), Mark(2.0, "s", "Standard deviation")))
    clicked, moved = listen(slider.mark_clicked), listen(slider.moved)
    QTest.mouseClick(slider, LEFT, pos=spot(slider, 2.0, 26))
    assert clicked == ["s"]
    assert not moved
    assert slider.mark_near(spot(slider, 0.5).x()).text == "Max-min"
    assert slider.mark_near(spot(slider, 50.0).x()) is None
    QTest.mouseClick(slider, LEFT, pos=spot(slider, 2.0, 11))
    assert moved == [pytest.approx(2.0, rel=0.05)]


def test_close_marks_are_drawn_beside_each_other(slider):
    slider.set_marks(tuple(Mark(1.0 + 0.01 * k, letter, "") for k, letter in enumerate("abcd")))
    assert not slider.grab().toImage().isNull()


def test_being_told_a_value_tells_nobody(slider):
    moved = listen(slider.moved)
    slider.set_value(7.0)
    assert not moved
    assert slider.value == 7.0
    assert slider.spoken_value() == "7"


def test_values_beyond_the_axis_stay_on_the_track(slider):
    slider.set_value(1e9)
    assert not slider.grab().toImage().isNull()


def test_ranges_where_steps_are_quick_are_underlined_and_told(slider, qtbot, monkeypatch):
    def line_at(value):
        shown = slider.grab().toImage()
        ratio = shown.devicePixelRatio()
        x, y = round(slider.x_of(value) * ratio), round((slider._track_y() + 4) * ratio)
        return shown.pixelColor(x, y)

    told = []
    monkeypatch.setattr(QToolTip, "showText", lambda place, text, widget: told.append(text))
    slider.setToolTip("Bandwidth")
    bare = line_at(0.1)
    slider.set_quick(((0.05, 0.2), (0.2, 0.4)))
    assert line_at(0.1) != bare
    assert line_at(0.3) != bare
    assert line_at(0.01) == bare
    place = spot(slider, 0.1)
    app = QApplication.instance()
    app.sendEvent(slider, QHelpEvent(QEvent.Type.ToolTip, place, slider.mapToGlobal(place)))
    assert told == [f"Bandwidth\n{Slider.QUICK}"]
    slider.set_quick(())
    assert line_at(0.1) == bare
