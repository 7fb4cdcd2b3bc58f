"""The four places below the panels: their pages, their sentences, and what the status line opens over the window."""

from __future__ import annotations

import numpy as np
import pytest
from gestures import CONTROL, KEY, LEFT, NONE
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from windows import PATIENCE_MS

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.bench import place_words
from mvexplorer.state.bench.epsilon_advice import advised
from mvexplorer.state.document import commands
from mvexplorer.ui.pages import table

FORMER = ("spectrum", "tune", "bandwidth", "sweep", "agreement", "real", "views", "diagnostics")


def test_there_are_four_places_and_every_page_is_in_one(window):
    tabs = window.bottom.tabs
    assert [tabs.tabText(i) for i in range(tabs.count())] == ["Tune", "Compare", "Validate", "Inside"]
    assert {page.place for page in table.PAGES} == {place.id for place in table.PLACES}


@pytest.mark.parametrize("id", [*FORMER, *table.OVER, *(place.id for place in table.PLACES)])
def test_every_former_page_and_every_place_is_opened_by_its_name(window, id):
    table.check_page(id)
    page = window.bottom.show_page(id)
    assert page.isVisible()
    window.bottom.status.shut()


def test_the_pages_of_a_place_are_opened_by_their_buttons_and_the_place_keeps_the_last(window, rest):
    bottom = window.bottom
    bottom.show_page("spectrum")
    assert [id for id, part in bottom.parts.items() if part.isVisible()] == ["spectrum", "tune"]
    QTest.mouseClick(bottom.parts["tune"], LEFT)
    assert bottom.current.id == "tune"
    assert bottom.parts["tune"].isChecked()
    QTest.mouseClick(bottom.tabs, LEFT, NONE, bottom.tabs.tabRect(3).center())
    assert bottom.current.id == "diagnostics"
    assert not any(part.isVisible() for part in bottom.parts.values())  # there is nothing to choose
    QTest.mouseClick(bottom.tabs, LEFT, NONE, bottom.tabs.tabRect(0).center())
    assert bottom.current.id == "tune"
    QTest.mouseClick(bottom.parts["tune"], LEFT)
    assert bottom.folded  # as by a second click on the tab
    assert bottom.parts["tune"].isChecked()
    QTest.mouseClick(bottom.parts["spectrum"], LEFT)
    assert not bottom.folded
    assert bottom.current.id == "spectrum"
    rest(window)


def test_each_place_begins_with_a_sentence_about_the_focused_panel(window, rest, qtbot):
    panel = window.document.state.panels[-1]
    window.editor.focus(panel.id)
    for place in table.PLACES:
        window.bottom.show_page(place.id)
        rest(window)
        qtbot.waitUntil(lambda: "Multi-view" in window.bottom.sentence.accessibleName(), timeout=PATIENCE_MS)
        assert window.bottom.sentence.accessibleName().endswith((".", "…"))
    first = window.document.state.panels[0]
    window.editor.focus(first.id)
    qtbot.waitUntil(lambda: "Single" in window.bottom.sentence.accessibleName(), timeout=PATIENCE_MS)


@pytest.mark.nightly
def test_the_sentence_on_bandwidths_names_the_view_in_doubt_and_its_cure(window, rest, qtbot):
    bench = window.workbench
    window.bottom.show_page("tune")
    window.editor.focus(window.document.state.panels[-1].id)
    rest(window)
    qtbot.waitUntil(lambda: "at its ε." in place_words.on_bandwidths(bench), timeout=PATIENCE_MS)
    commands.set_epsilon(window.document, "plain", 1e-9)
    rest(window)
    qtbot.waitUntil(lambda: "plain" in place_words.on_bandwidths(bench), timeout=PATIENCE_MS)
    regime = bench.verdicts.of("plain")
    assert regime.regime == "isolated"
    assert (
        place_words.on_bandwidths(bench)
        == f"Multi-view: plain is isolated. {advised(regime, bench.advice.now()['plain'])}"
    )
    window.document.undo()


def test_the_sentence_on_agreement_names_the_nearest_and_the_farthest_panel(window, rest, qtbot):
    bench = window.workbench
    window.bottom.show_page("compare")
    window.editor.focus("p6")
    rest(window)
    qtbot.waitUntil(lambda: " agrees most with " in place_words.on_agreement(bench), timeout=PATIENCE_MS)
    agreement = bench.comparer.agreement
    means = {id: np.nanmean(agreement.disagreement("p6", id)) for id in agreement.names if id != "p6"}
    near, far = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    words, titles = place_words.on_agreement(bench), bench.comparer.titles
    assert f"agrees most with {titles[near]} ({100 * means[near]:.0f} %" in words
    assert f"least with {titles[far]} ({100 * means[far]:.0f} %" in words


def test_the_sentence_on_the_inside_counts_views_samples_and_coordinates(window):
    window.editor.focus("p6")
    data = window.document.data
    assert isinstance(data, MultiView)
    words = place_words.on_origin(window.workbench)
    assert words.startswith(f"Multi-view: 12 coordinates per view of {data.n_samples} samples from plain and wavy")
    values = np.real(window.controller.result("p6").result.embedding.eigenvalues)
    after = 1 + int(np.argmax(values[1:-1] - values[2:]))  # the trivial one is left out
    assert f"largest gap after λ{'₀₁₂₃₄₅₆₇₈₉'[after] if after < 10 else ''}" in words


def test_without_a_panel_every_place_says_what_to_do(window):
    for panel in window.document.state.panels:
        commands.close_panel(window.document, panel.id)
    assert {place.words(window.workbench) for place in table.PLACES} == {"No panel is open: add one."}


# Over the window ------------------------------------------------------------------------------------------------------


def test_undo_stands_beside_its_history_and_names_the_step(window):
    status = window.bottom.status
    assert not status.undo.isEnabled()
    commands.set_param(window.document, "t", 3)
    assert status.undo.isEnabled()
    assert status.undo.toolTip() == "Undo: t to 3 (Ctrl+Z)"
    QTest.mouseClick(status.undo, LEFT)
    assert window.document.state.params["t"] == 1
    assert not status.undo.isEnabled()


def test_history_tasks_and_snapshots_lie_over_the_window_and_move_nothing(window, app, rest):
    before = {id: panel.geometry() for id, panel in window.grid.panels.items()}
    status = window.bottom.status
    for id, button in (("history", status.steps), ("tasks", status.tasks), ("snapshots", status.kept)):
        button.setVisible(True)  # that of the tasks comes with them
        QTest.mouseClick(button, LEFT)
        app.processEvents()
        popover = status.popover(id)
        assert popover.isVisible()
        assert window.rect().contains(popover.geometry())
        assert {id: panel.geometry() for id, panel in window.grid.panels.items()} == before
        QTest.mouseClick(button, LEFT)
        assert not popover.isVisible()


def test_a_step_in_the_history_is_gone_to(window, qtbot):
    commands.set_param(window.document, "t", 2)
    commands.set_param(window.document, "eta", 0.5)
    steps = window.bottom.show_page("history").steps
    QTest.mouseClick(steps.viewport(), LEFT, pos=steps.visualItemRect(steps.item(1)).center())
    assert (window.document.state.params["t"], window.document.state.params["eta"]) == (2, 0.0)
    assert steps.isVisible()  # the next step may be looked at, too
    commands.select(window.document, (1, 2))
    qtbot.waitUntil(lambda: steps.count() == 3, timeout=PATIENCE_MS)


@pytest.mark.parametrize("way", ["esc within", "esc elsewhere", "a click elsewhere", "the key once more"])
def test_it_closes_by_esc_and_by_a_click_elsewhere(window, way):
    commands.select(window.document, (1, 2))
    holder = window.side.params["t"].field
    holder.setFocus()
    steps = window.bottom.show_page("history")
    popover = window.bottom.status.popover("history")
    assert popover.isAncestorOf(QApplication.focusWidget())
    if way == "esc within":
        QTest.keyClick(QApplication.focusWidget(), KEY.Key_Escape)
        assert QApplication.focusWidget() is holder
    elif way == "esc elsewhere":
        window.setFocus()
        QTest.keyClick(window, KEY.Key_Escape)
    elif way == "a click elsewhere":
        QTest.mouseClick(window.grid.panels["p1"].canvas.viewport(), LEFT, pos=QPoint(3, 60))
    else:
        QTest.mouseClick(window.bottom.status.steps, LEFT)
    assert not steps.isVisible()
    assert window.document.state.selection == (1, 2)  # Esc has closed what lay above, and nothing else


def test_each_is_found_by_their_names(window):
    for words, id in (("history", "history"), ("tasks", "tasks"), ("snapshots", "snapshots")):
        QTest.keyClick(window, KEY.Key_K, CONTROL)
        palette = QApplication.activePopupWidget()
        palette.search.setText(words)
        palette._run()
        assert window.bottom.status.popover(id).isVisible()
        window.bottom.status.shut()
