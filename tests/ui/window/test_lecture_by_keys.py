"""A lecture by keys alone: five snapshots are kept, named and shown; two are compared; the hall sees no panel jump."""

from __future__ import annotations

import pytest
from gestures import ALT, CONTROL, KEY
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from windows import PATIENCE_MS

from mvexplorer.ui.style import theme
from mvexplorer.ui.window.talk.presentation import talk_scale

SIZES = [(1280, 720), pytest.param((2560, 1440), marks=pytest.mark.nightly)]
NAMES = ("Both views", "A little more", "Still a ring", "Almost a disc", "The end")


def press(key, modifiers=None):
    """A key goes wherever the keys are: to what is open over the window, else to what has the focus."""
    popup = QApplication.activePopupWidget()
    target = popup.focusWidget() or popup if popup else QApplication.focusWidget() or QApplication.activeWindow()
    QTest.keyClick(target, key, *([] if modifiers is None else [modifiers]))


def write(words):
    QTest.keyClicks(QApplication.focusWidget(), words)


@pytest.fixture
def window(make_window, rest, qtbot):
    """A window in which a sample was opened by its name."""
    window = make_window((1280, 720))
    window.setFocus()
    press(KEY.Key_K, CONTROL)
    QApplication.activePopupWidget().search.setText("open sample circles")
    press(KEY.Key_Return)
    qtbot.waitUntil(lambda: window.document.data is not None, timeout=PATIENCE_MS)
    rest(window)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow, timeout=PATIENCE_MS)
    yield window
    if window.strip.isVisible():
        window.behaviour.present(False)


def keep_five(window, rest):
    """Keep a state, and four with a larger ε each; name them, and give the second a note."""
    panel = window.document.state.panels[0].id
    window.grid.panels[panel].setFocus()
    for i in range(5):
        for _ in range(3 if i else 0):
            press(KEY.Key_Right, ALT)
        rest(window)
        press(KEY.Key_K)
    press(KEY.Key_S)
    press(KEY.Key_Home)
    for i, name in enumerate(NAMES):
        press(KEY.Key_F2)
        field = QApplication.focusWidget()
        assert isinstance(field, QLineEdit)
        field.selectAll()
        write(name)
        press(KEY.Key_Return)
        QApplication.processEvents()
        if i == 1:
            press(KEY.Key_Tab)
            write("Look at the gap on the right.")
            press(KEY.Key_Return)
            window.bottom.status.popover("snapshots").content.list.setFocus()
        press(KEY.Key_Right)
    press(KEY.Key_Escape)


def factor(window):
    return window.document.state.epsilon_scale


def places(window):
    return {id: panel.geometry() for id, panel in window.grid.panels.items()}


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.nightly
def test_a_lecture_needs_no_mouse(window, rest, qtbot, size):
    keep_five(window, rest)
    kept = window.document.state.snapshots.kept
    assert tuple(each.name for each in kept) == NAMES
    assert [each.note for each in kept] == ["", "Look at the gap on the right.", "", "", ""]
    factors = [each.state["epsilon_scale"] for each in kept]
    assert factors == sorted(set(factors))

    window.showFullScreen = lambda: window.resize(*size)  # as on a screen of that size
    press(KEY.Key_F11)
    del window.showFullScreen
    qtbot.waitUntil(lambda: abs(theme.scale() - talk_scale(size[1])) < 0.02, timeout=PATIENCE_MS)
    rest(window)
    assert window.strip.isVisible()
    dims = [panel.dims for panel in window.document.state.panels]
    seen = places(window)

    digits = ((KEY.Key_2, 1), (KEY.Key_3, 2), (KEY.Key_9, 2), (KEY.Key_1, 0), (KEY.Key_5, 4))
    clicker = [(KEY.Key_PageUp, 3), (KEY.Key_PageUp, 2), *[(KEY.Key_PageDown, at) for at in (3, 4, 4)]]
    for key, at in (*digits, *clicker):
        press(key)
        assert factor(window) == factors[at]
        assert window.workbench.walk.at == NAMES[at]
        assert window.strip.snapshot.accessibleName() == f"{NAMES[at]}  {at + 1}/5"
        assert [panel.dims for panel in window.document.state.panels] == dims
    rest(window)
    assert places(window) == seen

    two = window.behaviour.two
    press(KEY.Key_W)
    qtbot.waitUntil(lambda: bool(two.overlay.pairs), timeout=PATIENCE_MS)
    assert two.overlay.accessibleName() == "Wipe between Almost a disc and The end: 50 %"
    for key, share in ((KEY.Key_Right, 0.55), (KEY.Key_End, 1.0), (KEY.Key_Left, 0.95), (KEY.Key_Home, 0.0)):
        press(key)
        assert two.overlay.share == pytest.approx(share)
    state = window.document.state
    assert factor(window) == factors[4]
    assert places(window) == seen
    bar, lower = two.overlay.bar, window.docks.messages
    assert two.overlay.rect().contains(bar.geometry())
    corner = bar.mapTo(window, bar.rect().topLeft())
    if lower.isVisible():
        assert corner.y() + bar.height() <= lower.mapTo(window, lower.rect().topLeft()).y()

    press(KEY.Key_M)  # from the one to the other
    assert (two.overlay.how, two.overlay.share) == ("morph", 0.0)
    press(KEY.Key_Space)
    qtbot.waitUntil(lambda: two.overlay.share == 1.0, timeout=PATIENCE_MS)
    press(KEY.Key_M)
    assert not two.active
    press(KEY.Key_W)
    qtbot.waitUntil(lambda: bool(two.overlay.pairs), timeout=PATIENCE_MS)
    press(KEY.Key_Escape)  # leaves the wipe, not the talk
    assert not two.active
    assert window.strip.isVisible()
    assert window.document.state is state

    press(KEY.Key_W)
    press(KEY.Key_2)  # the talk goes on while A is still computed
    rest(window)
    assert not two.active
    assert factor(window) == factors[1]
    assert [panel.dims for panel in window.document.state.panels] == dims

    press(KEY.Key_Escape)
    assert not window.strip.isVisible()
    assert abs(theme.scale() - 1.0) < 0.01
    press(KEY.Key_W)
    assert not two.active  # the keys of a talk end with it
