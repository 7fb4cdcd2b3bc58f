"""The page Views in a window: what each view adds, computed on request, and what can be clicked."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from windows import PATIENCE_MS

from mvexplorer.engine.analysis.components import Match
from mvexplorer.state.document.view_weights import set_view_weight
from mvexplorer.state.pictures.drawing import component_words
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


def test_words():
    assert [component_words(name) for name in ("psi1", "mean psi12", "u3")] == ["ψ₁", "mean ψ₁₂", "u3"]
    assert [r_words(r) for r in (0.5, -0.07, 1.0, -1.0)] == ["+.50", "−.07", "+1.00", "−1.00"]
    assert [change_in_percent(0.456), change_in_percent(float("nan"))] == ["46 %", "–"]
    assert source_of(Match("pc", "fou", 0, "PC1", 1.0)) == ""
    assert source_of(Match("latent", "", 0, "theta", 1.0)) == "latent:theta"
