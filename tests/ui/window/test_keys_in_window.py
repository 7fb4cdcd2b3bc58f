"""Keys, and the palette that finds everything."""

from __future__ import annotations

import pytest
from gestures import ALT, CONTROL, KEY
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from windows import PATIENCE_MS

from mvexplorer.state.document import commands
from mvexplorer.ui.widgets.command_palette import KEYS, CommandPalette
from mvexplorer.ui.window.main_window import MainWindow

# Keys ----------------------------------------------------------------------------------------------------------


def test_esc_undoes_the_innermost_first(window):
    commands.select(window.document, range(5))
    window.behaviour.focus_panel(0)
    QTest.keyClick(window, KEY.Key_F)
    field = window.side.rows["plain"].field
    before = field.text()
    field.setFocus()
    QTest.keyClicks(field, "9")
    QTest.keyClick(field, KEY.Key_Escape)
    assert field.text() == before
    assert window.grid.maximised == "p1"
    window.grid.panels["p1"].setFocus()
    QTest.keyClick(window, KEY.Key_Escape)
    assert window.grid.maximised is None
    assert len(window.document.state.selection) == 5
    window.editor.keep_sample(3)
    QTest.keyClick(window, KEY.Key_Escape)
    assert window.document.state.selection == ()
    assert window.document.state.point.kept == 3
    QTest.keyClick(window, KEY.Key_Escape)
    assert window.document.state.point.kept is None


def test_alt_arrows_and_brackets_move_the_parameters(window):
    d = window.document
    window.behaviour.focus_panel(0)
    QTest.keyClick(window, KEY.Key_Right, ALT)
    assert d.state.epsilon_scale == pytest.approx(1.05)
    QTest.keyClick(window, KEY.Key_Left, ALT)
    assert d.state.epsilon_scale == pytest.approx(1.0)
    QTest.keyClick(window, KEY.Key_Up, ALT)
    assert d.state.params["eta"] == pytest.approx(0.02)
    QTest.keyClick(window, KEY.Key_BracketRight)
    assert d.state.params["eta"] == pytest.approx(0.04)
    QTest.keyClick(window, KEY.Key_BracketLeft)
    QTest.keyClick(window, KEY.Key_Down, ALT)
    assert d.state.params["eta"] == 0
    present = window.controller.epsilon("plain")
    window.side.rows["plain"].slider.setFocus()
    QTest.keyClick(window.side.rows["plain"].slider, KEY.Key_Right, ALT)
    assert d.state.view("plain").epsilon == pytest.approx(1.05 * present)
    assert d.state.view("wavy").epsilon == "robust"


def test_alt_digits_focus_panels(window):
    for i in range(6):
        QTest.keyClick(window, KEY(KEY.Key_1 + i), ALT)
        assert window.behaviour.focused_panel() is window.document.state.panels[i]
        assert window.grid.panels[f"p{i + 1}"].property("focused") is True
    QTest.keyClick(window, KEY.Key_9, ALT)
    assert window.editor.focused == "p6"


def test_every_action_has_a_text_and_a_shortcut_of_its_own(window):
    table = window.actions_table
    keys = [k.toString() for a in table.actions.values() for k in a.shortcuts()]
    assert len(keys) == len(set(keys))
    assert all(keys)
    assert all(a.text() for a in table.actions.values())
    standard = {
        "Undo": QKeySequence.StandardKey.Undo,
        "Select all": QKeySequence.StandardKey.SelectAll,
        "Save session": QKeySequence.StandardKey.Save,
        "Open files …": QKeySequence.StandardKey.Open,
    }
    for name, key in standard.items():
        assert set(QKeySequence.keyBindings(key)) & set(table.actions[name].shortcuts())
    for menu in table.menus.values():
        mnemonics = [a.text() for a in menu.actions() if a.text()]
        assert len(mnemonics) == len(set(mnemonics))


# Finding anything ----------------------------------------------------------------------------------------------


def palette(window: MainWindow, text: str) -> CommandPalette:
    QTest.keyClick(window, KEY.Key_K, CONTROL)
    made = next(c for c in window.findChildren(CommandPalette) if c.isVisible())
    QTest.keyClicks(made.search, text)
    return made


def test_ctrl_k_finds_and_does_actions(window):
    found = palette(window, "sel all")
    assert [e.text for e in found._found] == ["Select all"]
    QTest.keyClick(found.search, KEY.Key_Return)
    assert len(window.document.state.selection) == 48


def test_ctrl_k_shows_shortcuts(window):
    found = palette(window, "duplicate")
    assert found.list.item(0).data(KEYS) == "Ctrl+D"
    found.reject()


@pytest.mark.parametrize(
    ("typed", "check"),
    [
        ("add concat", lambda w: w.document.state.panels[-1].method == "concatenation"),
        ("set diffusion", lambda w: w.side.params["t"].field.hasFocus()),
        ("bandwidth wavy", lambda w: w.side.rows["wavy"].field.hasFocus()),
        ("s13", lambda w: w.document.state.selection == (13,) and "s13" in w.points.card._words.text()),
        ("invert", lambda w: len(w.document.state.selection) == 48),
    ],
)
def test_ctrl_k_finds_methods_parameters_and_points(window, qtbot, typed, check):
    found = palette(window, typed)
    assert found._found
    QTest.keyClick(found.search, KEY.Key_Return)
    qtbot.waitUntil(lambda: check(window), timeout=PATIENCE_MS)


def test_ctrl_k_opens_samples(window, qtbot, rest):
    found = palette(window, "open sample coupled")
    QTest.keyClick(found.search, KEY.Key_Down)
    QTest.keyClick(found.search, KEY.Key_Up)
    QTest.keyClick(found.search, KEY.Key_Return)
    qtbot.waitUntil(lambda: window.document.state.source == ("coupled-circles",), timeout=PATIENCE_MS)


@pytest.mark.nightly
def test_ctrl_k_finds_nothing_quietly(window):
    found = palette(window, "no such thing at all")
    QTest.keyClick(found.search, KEY.Key_Return)
    assert found.isVisible()
    QTest.keyClick(found.search, KEY.Key_Escape)
    assert not found.isVisible()
