"""Selections, points, figures, multiples and checks of what there is not: each says so in whole sentences."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from windows import PATIENCE_MS, show_fresh, small_data

import mvexplorer as mvx
from mvexplorer.errors import DataError
from mvexplorer.state.batches import multiples_run
from mvexplorer.state.document import commands
from mvexplorer.state.document.diagnostics_choices import FIGURES
from mvexplorer.ui.window.clusters import ClustersDialog
from mvexplorer.ui.window.contents import ContentsDialog

LEFT = Qt.MouseButton.LeftButton


def opened(window, rest, action, kind):
    """The dialog that an action of the menus opens."""
    window.actions_table.refresh()
    window.actions_table.actions[action].trigger()
    rest(window)
    return next(dialog for dialog in window.findChildren(kind) if dialog.isVisible())


def whole(label):
    """The text of a label that wraps, and so is not cut."""
    assert label.isVisible()
    assert label.wordWrap()
    assert "…" not in label.text()
    return label.text()


@pytest.fixture
def real(window, rest):
    """The page of checks, its choices as new at the end."""
    made = window.bottom.show_page("validate")
    window.editor.choose_checks(shuffle="rows", runs=10, view="", kind="parts")
    rest(window)
    yield made
    window.bottom.show_page("spectrum")


# Selections -----------------------------------------------------------------------------------------------------


def test_a_selection_of_one_is_told_with_its_doubt_and_makes_no_window(window, rest, qtbot):
    window.editor.select([3])
    dialog = opened(window, rest, "Describe selection …", ContentsDialog)
    qtbot.waitUntil(dialog.separation.table.isVisible, timeout=PATIENCE_MS)
    said = whole(dialog.separation.words)
    assert said.startswith("The selected sample is much like the rest: none of 11 comparisons has q ≤ .05 (the least")
    assert said.endswith("As many samples drawn at random may differ as much.")
    dialog.close()
    window.actions_table.actions["Re-embed selection …"].trigger()
    assert window.banners.texts() == ["One sample is too few for a window of its own. Select at least 10."]


def test_a_selection_of_all_has_nothing_to_be_compared_with(window, rest):
    window.editor.select(range(48))
    dialog = opened(window, rest, "Describe selection …", ContentsDialog)
    assert whole(dialog.separation.words) == "All samples are selected, and there are no others to compare with."
    assert not dialog.separation.table.isVisible()
    dialog.close()
    window.actions_table.actions["Re-embed selection …"].trigger()
    assert window.banners.texts() == ["All samples are selected, and this window shows them. Select some of them."]
    clusters = opened(window, rest, "Clusters and classes …", ClustersDialog)  # of all samples, whatever is selected
    clusters.number.setValue(1)
    assert clusters.number.value() == 2
    clusters.close()
    with pytest.raises(mvx.errors.ParameterError, match="48 samples cannot make 1 clusters"):
        mvx.clusters(np.zeros((48, 2)), 1)


# A point --------------------------------------------------------------------------------------------------------


def test_a_point_without_neighbours_within_epsilon_says_so_and_what_to_do(window, rest, qtbot):
    window.editor.keep_sample(7)
    window.editor.set_epsilon("plain", 1e-7)
    rest(window)

    def lonely():
        return [label for label in window.points.findChildren(QLabel) if label.text() == "none within σ"]

    qtbot.waitUntil(lambda: len(lonely()) == 1, timeout=PATIENCE_MS)
    assert "It stands alone in this view: enlarge ε to join it." in lonely()[0].toolTip()
    assert lonely()[0].property("role") == "amber"
    window.editor.keep_sample(None)


@pytest.mark.nightly
def test_samples_without_pictures_say_that_none_can_be_drawn(window, rest):
    show_fresh(window, small_data().replace(images=None))
    rest(window)
    window.actions_table.refresh()
    action = window.actions_table.actions["Pictures of samples on the map"]
    assert action.isEnabled()
    action.trigger()
    said = "These samples have no pictures. Open data with one for each sample, such as a folder of pictures."
    assert window.banners.texts() == [said]
    assert not window.document.state.point.thumbnails


# Figures --------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_frequencies_without_a_time_are_against_the_order(window, rest):
    """A column of times that the data lost is named; nothing but the order is offered where there is none."""
    bare = small_data(labels=False).replace(columns={}, latent={})
    show_fresh(window, bare)
    page = window.bottom.show_page("diagnostics")
    rest(window)
    item = page.list.item(list(FIGURES).index("fourier"))
    QTest.mouseClick(page.list.viewport(), LEFT, pos=page.list.visualItemRect(item).center())
    rest(window)
    card = page.cards["fourier"]
    assert card.answered
    assert "Peak at" in card.words.text()
    for gone in ("column:clock", "clock"):  # other data, or a session that was written by hand
        window.editor.choose_diagnostics(time=gone)
        rest(window)
        assert not card.answered
        assert whole(card.empty) == "There is no column of times called clock. Choose another one, or the order."
    window.bottom.show_page("spectrum")


# Small multiples ------------------------------------------------------------------------------------------------


@pytest.fixture
def multiples(window, qtbot, rest):
    def show(**changes):
        window.editor.change_multiples("Small multiples", shown=True, **changes)
        m = window.workbench.multiples
        qtbot.waitUntil(lambda: m.grid is not None and (m.asked is not None or not m.missing), timeout=PATIENCE_MS)
        rest(window)
        return window.docks.multiples

    yield show
    window.workbench.multiples.stop()
    window.editor.change_multiples("Close", shown=False)


@pytest.mark.nightly
def test_a_failed_cell_says_why_and_the_rest_goes_on(window, multiples):
    page = multiples(columns="n_components", column_values=(2, 60), rows="panels")  # of 48 samples
    failed = page.board.cells[1]
    wanted = window.workbench.multiples.result(0, 1).error
    assert whole(failed.words) == f"{wanted.message} {wanted.hint}"
    assert "Traceback" not in failed.toolTip()
    assert wanted.message in failed.accessibleName()
    assert all(cell.canvas.cloud.n_points == 48 for cell in page.board.cells[0:12:2])


def test_a_grid_too_large_tells_its_time_before_anything_is_computed(window, multiples, monkeypatch):
    monkeypatch.setattr(multiples_run, "LONG", 0.0)
    page = multiples(column_values=tuple(2.0**k for k in range(-3, 4)), rows="panels", columns="epsilon_scale")
    assert page.gate_words.text().startswith("42 pictures to compute")
    assert whole(page.gate_words)
    assert window.workbench.multiples.missing == 42


# Checks ---------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_few_samples_have_a_null_test_and_a_shuffle_that_they_are_too_few_for_is_refused(window, rest, real):
    show_fresh(window, small_data(20))
    rest(window)
    window.editor.focus(window.document.state.panels[-1].id)
    rest(window)
    real.null.run.click()
    rest(window)
    assert real.null.answered
    assert real.null.strips.strips[0].verdict == "p ≤ .09"
    window.editor.choose_checks(shuffle="circular", runs=19)
    rest(window)
    real.null.run.click()
    rest(window)
    said = "20 samples can be shifted by a tenth or more in 17 ways only. Ask for at most 17 runs, or shuffle rows."
    assert said in (real.null.words if real.null.answered else real.null.empty).text()
    window.editor.choose_checks(shuffle="bursts:batch")
    rest(window)
    real.null.run.click()
    rest(window)
    assert whole(real.null.empty) == (
        "There are 2 bursts, whose orders are too few to tell chance from. At least 5 are needed. "
        "Choose another column, or shuffle rows."
    )
    window.editor.choose_checks(shuffle="rows", runs=10)


def test_names_of_bursts_for_other_samples_are_refused():
    """A column of the window has one name per sample; in Python any names may be given."""
    data = small_data(20)
    with pytest.raises(DataError, match=r"The bursts have shape \(19,\) for 20 samples. Give one name per sample."):
        mvx.null_test(data, "kernel-sum", n=1, shuffle=np.repeat(["a", "b", "c", "d", "e"], 4)[:19])


@pytest.mark.nightly
def test_a_failed_panel_has_no_stability(window, rest, real):
    window.editor.focus(window.document.state.panels[-1].id)
    commands.tick_view(window.document, "plain", False)
    rest(window)
    for row, card in ((2, real.stability), (0, real.null)):
        real.list.setCurrentRow(row)
        assert whole(card.empty) == (
            "This panel has no picture to examine. Multi-view needs at least 2 views and has 1. "
            "Tick another view, or choose a method that takes fewer."
        )
        assert not card.run.isEnabled()
