"""Each mark that points have in the pictures is named below the legend, and no other."""

import pytest
from windows import show_fresh, small_data

from mvexplorer.state.document import commands
from mvexplorer.state.pictures.panel_result import Drawing
from mvexplorer.ui.appearance.marks_key import MarksKey, marks_on_show
from mvexplorer.ui.cloud.rasteriser import RINGED

KEPT = {"kept": 3}


@pytest.mark.parametrize(("chosen", "point", "drawing", "words"), [
    (0, {}, Drawing(), ""),
    (RINGED, {}, Drawing(), "ring: selected"),
    (RINGED + 1, {}, Drawing(), "grey: not selected"),
    (0, KEPT, Drawing(), "double ring: kept sample"),
    (0, {"within": True}, Drawing(), ""),
    (0, {**KEPT, "within": True}, Drawing(), "double ring: kept sample · outline: within σ"),
    (0, {}, Drawing(unplaced=(1,)), "hollow: no coordinates"),
    (0, {}, Drawing(edge=(1,)), "short line: beyond the frame"),
    (1, {}, Drawing(unplaced=(1,)), "ring: selected · hollow: no coordinates"),
])  # fmt: skip
def test_marks_are_named_while_they_are_on_show(app, qtbot, chosen, point, drawing, words):
    state = commands.initial_state(small_data(60), ("memory",), None)
    marked = state.model_copy(update={
        "selection": tuple(range(chosen)), "point": state.point.model_copy(update=point),
    })  # fmt: skip
    key = MarksKey()
    qtbot.addWidget(key)
    key.show_marks(marks_on_show(marked, [Drawing(), drawing]))
    assert " ".join(key.text().split()) == words
    assert key.isHidden() == (not words)
    assert len([row for row in key.toolTip().split("\n") if row]) >= bool(words)


def test_what_a_difference_of_views_is_in_numbers_stands_below_its_scale(window, rest):
    show_fresh(window, small_data())
    rest(window)
    key = window.docks.points.marks
    window.editor.colour_by("difference:0:1")
    rest(window)
    assert key.text() == "colour: share of a step that the views make to different samples"
    assert "0: both views step to the same samples" in key.toolTip()
    window.editor.colour_by("labels")
    rest(window)
    assert key.isHidden()


def test_marks_come_and_go_in_the_window(window, rest):
    show_fresh(window, small_data())
    rest(window)
    key = window.docks.points.marks
    assert key.isHidden()
    window.editor.select((1, 2))
    rest(window)
    assert key.text() == "ring: selected"
    assert "thin ring" in key.toolTip()
    window.editor.select(())
    rest(window)
    assert key.isHidden()
