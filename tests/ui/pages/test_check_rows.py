"""The check list of the place Validate: its rows as runs come, Run all, the keys, what is spoken, and what is kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from checked import null_band, stability
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from windows import PATIENCE_MS, show_fresh, small_data

from mvexplorer.state.batches.check_rules import RULES, CheckLine
from mvexplorer.state.batches.checks import Found
from mvexplorer.state.bench.place_words import on_checks
from mvexplorer.ui.pages.table import check_page
from mvexplorer.ui.pages.validate.check_rows import CheckRow, CheckSign
from mvexplorer.ui.style import theme

pytestmark = pytest.mark.panels(3)
KEY = Qt.Key


@pytest.fixture
def page(window, rest):
    """The place about the last panel, its first row selected."""
    made = window.bottom.show_page("validate")
    window.editor.choose_checks(shuffle="rows", runs=10, view="", kind="parts")
    window.editor.focus(window.document.state.panels[-1].id)
    rest(window)
    made.list.setCurrentRow(0)
    made.list.setFocus()
    rest(window)
    yield made
    window.workbench.checks._series.clear()
    window.workbench.common._answers.clear()
    made.list.setCurrentRow(0)


@pytest.fixture
def found(window, rest, monkeypatch, page):
    """Has the window's checks answer as if they had found something."""

    def tell(answers: Found) -> None:
        monkeypatch.setattr(window.workbench.checks, "of", lambda panel: answers)
        window.workbench.checks.changed.emit(page.panel.value)
        rest(window)

    return tell


def shown(page, id):
    """A row: how its sign stands, its result, and its button; a dash where nothing is to run."""
    row = page.list.rows[id]
    assert row.button.isVisible() != row.nothing.isVisible()
    return row.sign._standing, row.result.text(), row.button.text() if row.button.isVisible() else "–"


# Rows -----------------------------------------------------------------------------------------------------------


def test_the_former_id_opens_the_place(window, rest):
    check_page("real")
    assert window.bottom.show_page("real") is window.bottom.pages["validate"]
    assert window.bottom.tabs.tabText(window.bottom.tabs.currentIndex()) == "Validate"


def test_a_permutation_test_goes_from_not_run_to_running_to_doubtful_to_passed_to_past(page, found):
    bands = {"plain": null_band("plain", 0.7, 0.3), "wavy": null_band("wavy", 0.7, 0.3)}
    enough = {view: null_band(view, 0.7, 0.3, 19) for view in bands}
    assert shown(page, "permutation") == ("open", "not run", "Run 10")
    for answers, row in (
        (Found(done=0, total=21, computing=frozenset({"null"})), ("running", "0 runs so far", "Stop")),
        (Found(bands), ("doubtful", "p ≤ .09 (10 runs; smallest possible)", "Run 9 more")),
        (Found(enough), ("passed", "p ≤ .05 (19 runs; smallest possible)", "Run 30 more")),
    ):
        found(answers)
        assert shown(page, "permutation") == row
    found(Found(enough, outdated=True))
    standing, result, button = shown(page, "permutation")
    assert (standing, button) == ("stale", "Run 10")
    assert result.startswith("for earlier settings: p ≤")


def test_stability_goes_from_not_run_to_running_to_passed_to_past(page, found):
    assert shown(page, "stability") == ("open", "not run", "Run")
    found(Found(computing=frozenset({"parts"}), total=10))
    assert shown(page, "stability") == ("running", "0 pictures so far", "Stop")
    steady = stability(np.zeros((48, 3)))
    found(Found(stability={"parts": steady}))
    assert shown(page, "stability") == ("passed", "median displacement 6 % of the radius", "–")
    found(Found(stability={"parts": replace(steady, number=0.4)}))
    assert shown(page, "stability")[0] == "doubtful"
    found(Found(stability={"parts": steady}, outdated=True))
    assert (shown(page, "stability")[0], shown(page, "stability")[2]) == ("stale", "Run")


def test_run_all_runs_what_was_not_run_and_is_off_once_all_is_answered(window, rest, qtbot, page):
    assert page.run_all.isEnabled()
    assert on_checks(window.workbench) == "Kernel sum: 3 of 7 checks pass; 4 not run."
    page.run_all.click()
    QApplication.processEvents()
    bench, checks, id = window.workbench, window.workbench.checks, page.panel.value
    assert checks.of(id).computing == {"null", "parts"}
    assert bench.common.running(id)
    qtbot.waitUntil(
        lambda: not (checks.of(id).running or bench.common.running(id) or bench.neighbours.running), timeout=PATIENCE_MS
    )
    rest(window)
    assert {band.n for band in checks.of(id).null.values()} == {19}  # as many as let p reach .05
    assert {shown(page, name)[0] for name in RULES} <= {"passed", "doubtful", "inapplicable"}
    assert not page.run_all.isEnabled()
    assert page.run_all.toolTip() == "All that can be run has been run"
    assert window.document.state.checks.runs == 10  # nobody chose another number
    assert "not run" not in on_checks(window.workbench)
    window.editor.set_scale(1.4)
    rest(window)
    assert page.run_all.isEnabled()
    assert "for earlier settings" in on_checks(window.workbench)
    window.document.undo()
    rest(window)


def test_a_rows_button_runs_its_check_and_stops_it(window, rest, qtbot, page):
    id = page.panel.value
    button = page.list.rows["stability"].button
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert page.selected == "stability"
    assert "parts" in window.workbench.checks.of(id).computing
    page.refresh()
    assert button.text() == "Stop"
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not window.workbench.checks.of(id).running
    rest(window)


@pytest.mark.nightly
def test_shared_structure_is_run_by_its_row_and_is_a_table_of_pairs(window, rest, qtbot, page):
    bench, id = window.workbench, page.panel.value
    assert shown(page, "common") == ("open", "not run", "Run")
    QTest.mouseClick(page.list.rows["common"].button, Qt.MouseButton.LeftButton)
    assert (page.selected, page.common.answered) == ("common", False)
    assert bench.common.running(id)
    qtbot.waitUntil(lambda: not bench.common.running(id), timeout=PATIENCE_MS)
    rest(window)
    standing, result, button = shown(page, "common")
    assert (standing, button, page.common.run.isEnabled()) == ("passed", "–", False)
    assert result.startswith("p ≤ .005 (199 shuffles), CKA .")
    assert page.common.answered
    (figure,) = page.common.figures()
    assert figure.body.head == ("Views", "CKA", "p")
    assert [(row[0], row[2]) for row in figure.body.rows] == [("plain – wavy", ".005")]
    window.editor.set_scale(1.4)
    rest(window)
    assert shown(page, "common")[::2] == ("stale", "Run")
    assert page.common.words.text().startswith("For earlier settings. ")
    page.common.run.click()
    page.common.run.click()  # it is Stop now
    assert not bench.common.running(id)
    window.document.undo()
    rest(window)
    assert shown(page, "common")[0] == "passed"


# The detail -----------------------------------------------------------------------------------------------------


def test_a_click_or_the_arrows_choose_the_detail_and_return_goes_into_it(window, rest, page):
    places = list(page.cards)
    item = page.list.item(places.index("neighbours"))
    QTest.mouseClick(page.list.viewport(), Qt.MouseButton.LeftButton, pos=page.list.visualItemRect(item).center())
    assert page.detail.currentWidget() is page.neighbours
    assert page.neighbours.isVisible()
    assert not page.null.isVisible()
    page.list.setFocus()
    QTest.keyClick(page.list, KEY.Key_Up)
    assert page.detail.currentWidget() is page.coordinates
    QTest.keyClick(page.list, KEY.Key_Home)
    assert page.detail.currentWidget() is page.null
    QTest.keyClick(page.list, KEY.Key_Return)
    assert page.null.isAncestorOf(QApplication.focusWidget())
    page.list.setFocus()


def test_a_press_on_a_rows_name_selects_it(page):
    row = page.list.rows["pieces"]
    QTest.mouseClick(row.name, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    assert page.selected == "pieces"
    assert page.detail.currentWidget() is page.pieces


@pytest.mark.nightly
def test_the_selected_row_is_remembered(window, page, make_window, rest):
    page.list.setCurrentRow(5)
    assert window.settings.check == "outliers"
    other = make_window(check="outliers")
    show_fresh(other, small_data(), 1)
    rest(other)
    page = other.bottom.show_page("validate")
    rest(other)
    assert (page.selected, page.detail.currentWidget()) == ("outliers", page.outliers)


def test_every_row_is_spoken_with_its_standing_its_result_and_its_rule(page, found):
    found(Found({"plain": null_band("plain", 0.7, 0.3, 19)}))
    row = page.list.rows["permutation"]
    spoken = page.list.item(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.startswith("Permutation test: passed. p ≤ .05 (19 runs; smallest possible). Passes where p ≤ .05")
    assert row.button.accessibleName() == "Run 30 more: Permutation test"
    for place, (id, (name, rule)) in enumerate(RULES.items()):
        words = page.list.item(place).data(Qt.ItemDataRole.AccessibleTextRole)
        assert words.startswith(f"{name}: ")
        assert words.endswith(rule)
        assert rule in page.list.rows[id].toolTip()
    assert page.list.accessibleName() == "Checks of this panel"


@pytest.mark.nightly
def test_all_rows_and_the_detail_fit_into_the_lowest_window(make_window, rest, qtbot):
    window = make_window((1280, 720))
    show_fresh(window, small_data())
    rest(window)
    page = window.bottom.show_page("validate")
    rest(window)
    qtbot.waitUntil(lambda: page.list.width() < page.width() // 2, timeout=PATIENCE_MS)  # Qt lays it out soon
    assert 200 < page.height() < 240
    bar = page.list.verticalScrollBar()
    assert bar.maximum() == 0
    for row in page.list.rows.values():
        last = row.button if row.button.isVisible() else row.nothing
        assert page.list.rect().contains(last.mapTo(page.list, last.rect().bottomRight()))
    for row, card in enumerate(page.cards.values()):
        page.list.setCurrentRow(row)
        qtbot.wait(0)
        assert card.height() <= page.detail.height() <= page.height()
        assert page.rect().contains(card.words.mapTo(page, card.words.rect().bottomRight()))


# Signs ----------------------------------------------------------------------------------------------------------


def test_no_two_standings_have_one_form(app, qtbot):
    """Without any colour: in shades of grey."""
    pictures = set()
    for standing in ("passed", "doubtful", "running", "open", "stale", "inapplicable"):
        sign = CheckSign()
        qtbot.addWidget(sign)
        sign.resize(theme.px(16), theme.px(16))
        sign.show_standing(standing, 0.4)
        image = sign.grab().toImage().convertToFormat(sign.grab().toImage().Format.Format_Grayscale8)
        ink = np.array(image.constBits()).reshape(image.height(), image.bytesPerLine())[:, : image.width()] < 200
        pictures.add(ink.tobytes())
    assert len(pictures) == 6


def test_a_long_result_is_cut_and_whole_in_the_tip(app, qtbot):
    row = CheckRow("coordinates")
    qtbot.addWidget(row)
    row.resize(400, 26)
    row.show()
    words = "ψ₃ is largely a function of ψ₁, ψ₂ (residual .04): a harmonic"
    row.show_line(CheckLine("coordinates", "doubtful", words), 0.0)
    assert row.result.text().endswith("…")
    assert words in row.toolTip()
    row.resize(900, 26)
    assert row.result.text() == words
