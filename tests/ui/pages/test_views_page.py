"""The page Views in a window: what each view adds, computed on request, and what can be clicked."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from windows import PATIENCE_MS, show_data

from mvexplorer.engine.analysis.components import Match
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document import commands
from mvexplorer.state.document.view_weights import set_view_weight
from mvexplorer.state.pictures.drawing import component_words
from mvexplorer.ui.pages.views.commutator_pane import MEANING, words_of
from mvexplorer.ui.pages.views.component_table import OTHER, STRONGEST, r_words, source_of
from mvexplorer.ui.pages.views.view_parts import change_in_percent

pytestmark = pytest.mark.panels(3)

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def page(window, rest):
    made = window.bottom.show_page("views")
    yield made
    made.table.show_found(None)
    window.bottom.show_page("spectrum")


def computed(window, page, rest, panel):
    window.editor.focus(panel)
    page.refresh()
    QTest.mouseClick(page.run, LEFT)
    rest(window)
    page.refresh()


def test_every_view_has_a_row(window, page, rest, qtbot):
    assert not page.split.isVisible()
    assert page.nothing.text().startswith("Each view is left out in turn")
    several = next(p for p in window.document.state.panels if p.method == "kernel-sum")
    computed(window, page, rest, several.id)
    assert list(page.parts) == ["plain", "wavy"]
    part = page.parts["plain"]
    assert part.change.text().endswith(" %")
    assert "(" in part.score.text()
    assert not part.picture.icon().isNull()
    assert page._heads.score.text() == "NMI without"
    assert page.run.text() == "Compute again"
    # The weight is that of the left side.
    part.weight.slider.moved.emit(4.0)
    part.weight.slider.released.emit()
    rest(window)
    page.refresh()
    assert window.document.state.view("plain").view_weight == 4.0
    assert part.weight.field.text() == "4"
    assert page.state.text() == "Of an earlier picture of this panel"
    QTest.mouseClick(part.picture, LEFT)
    added = window.document.state.panels
    place = [p.id for p in added].index(several.id)
    assert (added[place + 1].method, added[place + 1].view) == ("single", "wavy")


@pytest.mark.panels(6)
def test_components_colour_by_what_they_go_along_with(window, page, rest, qtbot):
    several = next(p for p in window.document.state.panels if p.method == "multiview")
    computed(window, page, rest, several.id)
    table = page.table
    assert table.texts.cell(0, 0) == "mean ψ₁"
    assert table.texts.heads[OTHER + 1 :] == ("Best of plain", "Best of wavy")
    index = table.texts.index(0, OTHER + 1)
    match = table.texts.found_at(0, OTHER + 1)
    table.scrollTo(index)
    QTest.mouseClick(table.viewport(), LEFT, pos=table.visualRect(index).center())
    qtbot.waitUntil(lambda: window.document.state.colour == f"feature:plain:{match.index}", timeout=PATIENCE_MS)
    assert "Spearman's rank correlation" in table.texts.about(0, STRONGEST)


def test_a_single_view_is_no_subject(window, page, rest):
    window.editor.focus(next(p.id for p in window.document.state.panels if p.method == "single"))
    page.refresh()
    assert "Single" not in page.about.accessibleName()
    set_view_weight(window.document, "plain", 2.0)
    window.document.undo()


def test_two_views_have_one_commutator_beside_them(window, page, rest):
    computed(window, page, rest, next(p.id for p in window.document.state.panels if p.method == "kernel-sum"))
    apart = window.workbench.additions.of(page.panel).commutators
    assert page.apart.number.text() == words_of(apart[0, 1])
    assert not page.apart.area.isVisible()
    assert page.apart.words.text() == MEANING
    assert "0 with one common eigenbasis" in page.apart.accessibleDescription()


def test_more_views_have_a_matrix_of_commutators_that_can_be_read(window, page, rest, app):
    """Six views at 1280 x 720, with names that are longer than their room."""
    window.resize(1280, 720)
    names = [f"{'a' * 30} {letter} {'z' * 30}" for letter in "ABCDEF"]
    draw = np.random.default_rng(0).normal
    show_data(window, MultiView({name: draw(size=(40, 3)) for name in names}), panels=3)
    window.editor.enable_all_views()
    commands.set_method(window.document, "p1", "kernel-sum")
    rest(window)
    computed(window, page, rest, "p1")
    matrix, apart = page.apart.matrix, window.workbench.additions.of("p1").commutators
    assert not page.apart.number.isVisible()
    assert matrix.meaning(1, 2) == f"{names[1]} and {names[2]}: {words_of(apart[1, 2])}"
    assert np.array_equal(matrix.figure().body.values, apart)
    app.processEvents()
    assert page.apart.area.viewport().rect().contains(matrix.rect().translated(matrix.pos())), "nothing has to scroll"
    assert page.apart.words.geometry().bottom() < page.apart.height()
    commands.set_epsilon(window.document, names[0], 1e-6)
    rest(window)
    QTest.mouseClick(page.run, LEFT)
    rest(window)
    page.refresh()
    assert not page.apart.area.isVisible()
    assert page.apart.words.text() == window.workbench.additions.of("p1").commutator_problem
    assert "neighbour" in page.apart.words.text()


def test_a_commutator_has_two_digits():
    assert [words_of(v) for v in (0.0, 0.0001, 0.0042, 0.04, 0.157, 1.0, 1.234)] == [
        ".00", "<.001", ".004", ".040", ".16", "1.00", "1.23"
    ]  # fmt: skip


def test_words():
    assert [component_words(name) for name in ("psi1", "mean psi12", "u3")] == ["ψ₁", "mean ψ₁₂", "u3"]
    assert [r_words(r) for r in (0.5, -0.07, 1.0, -1.0)] == ["+.50", "−.07", "+1.00", "−1.00"]
    assert [change_in_percent(0.456), change_in_percent(float("nan"))] == ["46 %", "–"]
    assert source_of(Match("pc", "fou", 0, "PC1", 1.0)) == ""
    assert source_of(Match("latent", "", 0, "theta", 1.0)) == "latent:theta"
