"""The bar that plays a slider, by mouse and keys."""

from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from windows import PATIENCE_MS, laid_out, show_fresh, small_data

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def bar(window):
    found = window.behaviour.play_bar
    yield found
    found.leave()
    found.along.list.setCurrentIndex(0)
    found.way.setCurrentIndex(0)
    found.player.way = "once"


@pytest.mark.nightly
def test_p_plays_aligned_steps_and_is_one_step_of_undo(window, bar, qtbot, rest):
    QTest.keyClick(window, Qt.Key.Key_P)
    assert bar.isVisible()
    assert bar.player.playing
    qtbot.waitUntil(lambda: window.document.state.epsilon_scale > 1.2, timeout=PATIENCE_MS)
    assert window.document.undo_label.startswith("Scale all ε by ")
    seen = []
    window.document.changed.connect(seen.append)
    qtbot.waitUntil(lambda: len(seen) > 8)  # far longer than a hand rests in these windows
    window.document.changed.disconnect(seen.append)
    QTest.keyClick(window, Qt.Key.Key_P)
    assert not bar.player.playing
    rest(window)
    assert bar.value.text() == f"× {window.document.state.epsilon_scale:.3g}"
    window.document.undo()
    assert window.document.state.epsilon_scale == 1.0
    rest(window)
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not bar.isVisible()


@pytest.mark.nightly
def test_esc_returns_to_where_the_play_began_and_the_cross_stays(window, bar, qtbot, rest):
    before = window.document.state
    for by_key in (True, False):
        QTest.keyClick(window, Qt.Key.Key_P)
        qtbot.waitUntil(lambda: window.document.state.epsilon_scale > 1.2, timeout=PATIENCE_MS)
        QTest.keyClick(window, Qt.Key.Key_P)
        played = window.document.state
        if by_key:
            QTest.keyClick(window, Qt.Key.Key_Escape)
        else:
            QTest.mouseClick(bar.close_, LEFT)
        assert not bar.isVisible()
        assert window.document.state == (before if by_key else played)
        rest(window)
    QTest.keyClick(window, Qt.Key.Key_P)
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert window.document.state == played


@pytest.mark.nightly
def test_another_edit_and_other_data_stop_it(window, bar, qtbot, rest):
    QTest.keyClick(window, Qt.Key.Key_P)
    window.editor.select((1, 2))
    assert not bar.player.playing
    QTest.mouseClick(bar.play, LEFT)
    assert bar.player.playing
    show_fresh(window, small_data(40))
    assert not bar.isVisible()
    assert not bar.player.playing
    rest(window)


def test_the_slider_scrubs_and_the_fields_choose(window, bar, rest):
    bar.open()
    bar.along.list.setCurrentIndex(bar.along.list.findData("eta"))
    bar.slider.moved.emit(0.5)
    assert window.document.state.params["eta"] == pytest.approx(0.5, abs=0.02)
    assert not bar.player.playing
    values = bar.player.values
    bar.along.low.setFocus()
    bar.along.low.selectAll()
    QTest.keyClicks(bar.along.low, "2")
    QTest.keyClick(bar.along.low, Qt.Key.Key_Return)
    assert bar.along.low.property("wrong"), "beyond what η can be"
    assert bar.player.values == values
    rest(window)


def test_fields_keep_their_spacing_in_a_narrow_window(window, bar, qtbot):
    bar.open()
    before = window.size()
    try:
        window.resize(1000, 650)
        qtbot.waitUntil(lambda: window.width() == 1000, timeout=PATIENCE_MS)
        laid_out()
        fields = bar.along.widgets
        gaps = [after.x() - one.x() - one.width() for one, after in pairwise(fields)]
        assert min(gaps) >= 8, gaps
    finally:
        window.resize(before)


def test_speed_and_way(window, bar, qtbot):
    bar.open()
    usual = bar.duration
    bar.toggle()
    bar.speed.setCurrentText("4 ×")
    bar.speed.activated.emit(4)
    assert bar.duration == max(25, usual // 4)
    bar.way.setCurrentText("Loop")
    bar.way.activated.emit(1)
    assert bar.player.way == "loop"
    bar.speed.setCurrentText("1 ×")
