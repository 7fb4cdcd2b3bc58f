"""Undo and redo, by key and by menu."""

from __future__ import annotations

from gestures import CONTROL, KEY, SHIFT, canvas, drag
from PySide6.QtTest import QTest
from windows import show_data, small_data

from mvexplorer.state.document import commands


def test_undo_and_redo_by_key_name_what_they_do(window, rest):
    table = window.actions_table
    assert not table.actions["Redo"].isEnabled()
    slider = window.side.params["t"].slider
    drag(slider, [(20, 11), (60, 11), (90, 11), (140, 11)])
    moved = window.document.state.params["t"]
    rest(window)
    assert moved > 1
    assert table.actions["Undo"].isEnabled()
    assert table.actions["Undo"].text() == f"Undo: t to {moved}"
    QTest.keyClick(window, KEY.Key_Z, CONTROL)
    assert window.document.state.params["t"] == 1  # the whole drag is one step
    assert table.actions["Redo"].text() == f"Redo: t to {moved}"
    QTest.keyClick(window, KEY.Key_Z, CONTROL | SHIFT)
    assert window.document.state.params["t"] == moved
    QTest.keyClick(window, KEY.Key_Z, CONTROL)
    QTest.keyClick(window, KEY.Key_Y, CONTROL)
    assert window.document.state.params["t"] == moved


def test_undo_covers_panels_selection_colour_and_data(window, rest):
    start = window.document.state
    data = window.document.data
    window.behaviour.add_panel("concatenation")
    window.editor.select_all()
    commands.colour_by(window.document, "latent:angle")
    show_data(window, small_data(30))
    rest(window)
    assert window.document.data.n_samples == 30
    for _ in range(4):
        QTest.keyClick(window, KEY.Key_Z, CONTROL)
    assert window.document.state == start
    assert window.document.undo_label is None
    assert window.document.data is data
    rest(window)
    assert set(window.grid.panels) == {p.id for p in start.panels}
    panels = window.document.state.panels
    assert all(window.controller.result(panel.id).status == "ready" for panel in panels)
    assert canvas(window).position_of(47) is not None


def test_drags_with_a_rest_between_them_are_two_steps(window, rest):
    slider = window.side.params["t"].slider
    drag(slider, [(20, 11), (90, 11)])
    rest(window)
    first = window.document.state.params["t"]
    drag(slider, [(90, 11), (160, 11)])
    assert window.document.state.params["t"] > first
    window.document.undo()
    assert window.document.state.params["t"] == first
