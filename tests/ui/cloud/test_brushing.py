"""What one brush over linked panels costs, however many samples there are: pictures, and nothing twice."""

from __future__ import annotations

import numpy as np
from gestures import canvas, circle, drag

from mvexplorer.engine.core import inputs
from mvexplorer.engine.core.inputs import UNLABELLED, labelled
from mvexplorer.state.pictures import colouring, drawing
from mvexplorer.ui.cloud import rasteriser


def counted(monkeypatch, module, name: str) -> list[object]:
    """The calls of a function from now on."""
    calls, work = [], getattr(module, name)

    def noted(*arguments, **options):
        calls.append(arguments)
        return work(*arguments, **options)

    monkeypatch.setattr(module, name, noted)
    return calls


def test_a_brush_paints_each_panel_once_and_looks_at_no_label(window, monkeypatch, qtbot):
    target = canvas(window)
    qtbot.waitUntil(lambda: not any(p.canvas.moving for p in window.grid.panels.values()))
    splats = counted(monkeypatch, rasteriser, "splat")
    looks = counted(monkeypatch, colouring, "colouring_of")
    names = counted(monkeypatch, inputs, "labelled")
    joined = counted(monkeypatch, drawing, "drawn_columns")
    path = circle(target.position_of(3), 25.0)
    drag(target.viewport(), path, release=False)
    target.viewport().repaint()
    assert not splats, "the picture under a lasso stays"
    drag(target.viewport(), path)
    chosen = window.document.state.selection
    assert 0 < len(chosen) < 48
    for panel in window.grid.panels.values():
        panel.canvas.viewport().repaint()
        panel.canvas.viewport().repaint()
    assert len(splats) == 2 * len(window.grid.panels), "one layer for the selected, one for the others"
    assert not looks
    assert not names
    assert not joined, "what is drawn is known by its names"


def test_the_colouring_is_the_same_one_until_its_numbers_change(window, rest):
    derived, document = window.workbench.derived, window.document
    first = derived.resolve("labels")
    window.editor.select((1, 2, 3))
    assert derived.resolve("labels") is first
    assert derived.resolve("column:batch") is not first
    drawn = derived.resolve("coordinate:p1:0")
    assert derived.resolve("coordinate:p1:0") is drawn
    assert np.array_equal(drawn.values, window.controller.coordinates()["p1"][:, 0])
    window.editor.set_epsilon(document.data.view_names[0], 0.9)
    rest(window)
    assert np.array_equal(derived.resolve("coordinate:p1:0").values, window.controller.coordinates()["p1"][:, 0])
    assert not np.array_equal(derived.resolve("coordinate:p1:0").values, drawn.values)


def test_names_for_no_label_are_found_among_few_and_many():
    given = np.array(["a", " NaN ", "b", "", "n/a", "none of them", "?", "A"])
    expected = [str(name).strip().lower() not in UNLABELLED for name in given]
    assert labelled(given).tolist() == expected == labelled(given.astype(object)).tolist()
    assert labelled(np.array(["x", "y"])).tolist() == [True, True]
