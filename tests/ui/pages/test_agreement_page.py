"""Where do they differ? The page and the panels, used by mouse and keys."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from windows import PATIENCE_MS, show_fresh, small_data, submenus

import mvexplorer as mvx
from mvexplorer.state.document import commands
from mvexplorer.state.questions.comparer import most_changed
from mvexplorer.state.questions.most_changed import quarter
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plots.pair_matrix import DEEPEST, PairMatrix, ink_on, mixed
from mvexplorer.ui.widgets.plots.share_histogram import ShareHistogram

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def page(window, qtbot, rest):
    """The page in a window of six panels, the third and the sixth compared."""
    found = window.bottom.show_page("agreement")
    window.editor.compare("p3", "p6")
    qtbot.waitUntil(lambda: window.workbench.comparer.agreement is not None, timeout=PATIENCE_MS)
    rest(window)
    return found


def brush(page, first, last):
    """Drag over the bars of the histogram."""
    histogram = page.pair.histogram
    spots = [histogram.bar(place).center().toPoint() for place in (first, last)]
    QTest.mousePress(histogram, LEFT, NONE, spots[0])
    QTest.mouseMove(histogram, spots[1])
    QTest.mouseRelease(histogram, LEFT, NONE, spots[1])


def test_a_click_on_the_matrix_chooses_the_pair(page, window, rest):
    QTest.mouseClick(page.matrix, LEFT, NONE, page.matrix.centre_of(3, 1))
    assert window.document.state.comparison.pair == ("p4", "p2")
    rest(window)
    assert page.matrix.pair == (3, 1)
    assert page.pair.title.accessibleName() == "Kernel product and Single · wavy"
    QTest.mouseClick(page.matrix, LEFT, NONE, page.matrix.centre_of(2, 2))
    assert window.document.state.comparison.pair == ("p4", "p2"), "the diagonal is empty"
    window.document.undo()
    assert window.document.state.comparison.pair == ("p3", "p6")


def test_a_brush_selects_everywhere_and_draws_lines(page, window, rest, qtbot):
    last = window.workbench.comparer.n_neighbours
    values = window.workbench.comparer.values
    brush(page, 1, last)
    rows = np.flatnonzero(values > 0.5 / last)
    assert window.document.state.selection == tuple(rows.tolist())
    assert window.document.state.selections.origin == "disagreement of Kernel sum and Multi-view, .03 to 1.00"
    rest(window)
    grid, lines = window.grid, window.comparing.lines
    assert (grid.panels["p1"].canvas.cloud.look.selected.nonzero()[0] == rows).all()
    assert page.pair.histogram.stretch == (1, last) or page.pair.histogram.stretch[0] >= 1
    assert len(lines.lines) == len(rows) > 0
    assert lines.isVisible()
    line, row = lines.lines[0], int(rows[0])
    for id, end in (("p3", line.p1()), ("p6", line.p2())):
        canvas = grid.panels[id].canvas
        expected = canvas.mapTo(grid, canvas.position_of(row))
        assert abs(end.x() - expected.x()) + abs(end.y() - expected.y()) < 0.1
    before = lines.lines[0].p2()
    grid.panels["p6"].canvas.box.translateBy(x=0.3)
    qtbot.waitUntil(lambda: lines.lines[0].p2() != before, timeout=PATIENCE_MS)  # the lines follow the picture
    page.pair.lines.click()
    rest(window)
    assert not lines.isVisible()
    assert window.document.undo_label == "No lines between panels"
    page.pair.lines.click()
    rest(window)
    window.bottom.show_page("spectrum")
    rest(window)
    assert not lines.isVisible(), "lines belong to the page"


def test_of_many_selected_samples_only_those_that_changed_most_are_joined(window, rest, qtbot):
    show_fresh(window, small_data(150), 3)
    page = window.bottom.show_page("agreement")
    window.editor.compare("p1", "p2")
    qtbot.waitUntil(lambda: window.workbench.comparer.agreement is not None, timeout=PATIENCE_MS)
    window.editor.select(range(150))
    rest(window)
    assert len(window.comparing.lines.lines) == 60
    assert "the 60 of 150 with the highest disagreement" in page.pair.lines.toolTip()


@pytest.mark.nightly
def test_colour_by_it(page, window, rest):
    QTest.mouseClick(page.pair.colour, LEFT)
    rest(window)
    assert window.document.state.colour == "disagreement:p3:p6"
    found = window.styling.colouring
    np.testing.assert_array_equal(found.values, window.workbench.comparer.values)
    assert window.points.sources.currentText() == "disagreement of Kernel sum and Multi-view"
    window.editor.set_epsilon("plain", 0.05)
    rest(window)
    np.testing.assert_array_equal(window.styling.colouring.values, window.workbench.comparer.values)
    assert not np.array_equal(found.values, window.styling.colouring.values)


@pytest.mark.nightly
def test_n_goes_through_the_samples(page, window, rest):
    order = most_changed(window.workbench.comparer.values)
    window.grid.panels["p1"].canvas.box.scaleBy((0.2, 0.2))
    window.behaviour.focus_panel(0)
    for key, place in ((NONE, 0), (NONE, 1), (Qt.KeyboardModifier.ShiftModifier, 0)):
        QTest.keyClick(window, Qt.Key.Key_N, key)
        assert window.document.state.selection == (int(order[place]),)
    assert window.hover.kept == order[0]
    rest(window)
    canvas = window.grid.panels["p1"].canvas
    spot = canvas.position_of(int(order[0]))
    assert abs(spot.x() - canvas.width() / 2) + abs(spot.y() - canvas.height() / 2) < 4, "a part is moved there"
    whole = window.grid.panels["p3"].canvas.frame
    assert (round(whole.across, 6), round(whole.up, 6)) == (0, 0), "a whole picture stays"
    assert len(window.comparing.lines.lines) == 1
    window.grid.fit_all()


def test_one_picture_turns_into_the_other(page, window, rest, qtbot):
    morph = page.morph
    laid = window.workbench.comparer.laid()
    fit = 1 / max(1.0, np.abs([laid.moved, laid.reference]).max())
    for share, expected in (
        (1.0, laid.reference),
        (0.0, laid.moved),
        (0.25, 0.75 * laid.moved + 0.25 * laid.reference),
    ):
        morph.slider.moved.emit(share)
        np.testing.assert_allclose(morph.canvas.cloud.points, fit * expected, atol=1e-5)
    morph.slider.moved.emit(0.97)
    QTest.mouseClick(morph.play, LEFT)
    assert morph.playing
    qtbot.waitUntil(lambda: not morph.playing, timeout=PATIENCE_MS)
    assert morph.share == 1.0
    assert morph.residual.text().startswith("Procrustes residual ")
    morph.how.setCurrentIndex(4)
    morph.how.activated.emit(4)
    rest(window)
    assert window.document.state.comparison.alignment == "selected"
    assert morph.problem.text() == (
        "No sample is too few to align two pictures by. Choose at least three, or align by all samples."
    )
    assert not morph.canvas.isVisible()
    window.editor.select((1, 2, 3, 4))
    rest(window)
    assert morph.canvas.isVisible()


def test_what_separates_the_brushed_samples_is_told(page, window, rest):
    pane = page.separation
    assert pane.words.text().startswith("Select samples")
    assert not pane.table.isVisible()
    window.editor.select(range(16))  # one class of three
    rest(window)
    found = window.workbench.separator.found
    assert pane.words.text() == found.sentence
    assert "selected samples are class a" in found.sentence
    assert pane.table.isVisible()
    assert pane.table.rows_listed()[0] == found.rows[0]
    other = pane.table.place_of(next(row for row in found.rows if row.value == "b"))
    spot = pane.table.visualRect(pane.table.model().index(other, 0)).center()
    QTest.mouseClick(pane.table.viewport(), LEFT, NONE, spot)
    assert window.document.state.selection == tuple(range(16, 32))
    rest(window)


def test_k_is_set_and_refused(page, window, rest):
    field = page.pair.k
    for text, k in (("5", 5), ("0", 5), ("many", 5), ("9", 9)):
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert window.document.state.comparison.k == k
        assert bool(field.property("wrong")) == (text in ("0", "many"))
    rest(window)
    assert window.workbench.comparer.agreement.k == 9


@pytest.mark.nightly
def test_what_cannot_be_compared_is_said_in_place(page, window, rest):
    window.editor.enable_view("wavy", False)
    rest(window)
    state = window.document.state
    assert window.controller.result("p6").status == "failed"
    assert page.matrix.meaning(0, 5).endswith("not compared, a picture is missing")
    window.editor.compare("p1", "p6")
    rest(window)
    assert page.pair.about.accessibleName() == "Multi-view has no picture to compare."
    assert not page.pair.colour.isEnabled()
    for panel in state.panels[1:]:
        commands.close_panel(window.document, panel.id)
    rest(window)
    assert page.nothing.isVisible()
    assert "Two pictures are needed" in page.words.text()
    assert not page.whole.isVisible()


@pytest.mark.nightly
def test_a_panels_menu_compares_it(window, rest):
    menu = window.grid.panels["p2"].menus.everything()
    others = submenus(menu)["Compare with"]
    assert len(others.actions()) == 5
    others.actions()[-1].trigger()
    assert window.document.state.comparison.pair == ("p2", "p6")
    assert window.bottom.current.id == "agreement"
    rest(window)


@pytest.mark.nightly
def test_a_hidden_page_computes_nothing(window, rest):
    window.bottom.show_page("spectrum")
    former = window.workbench.comparer.agreement
    window.editor.set_epsilon("plain", 0.07)
    rest(window)
    assert window.workbench.comparer.agreement is former
    assert not window.workbench.comparer.watched


def test_cells_are_read_by_keys_and_on_every_shade(app, qtbot):
    matrix = PairMatrix("Shares", "share", "none")
    qtbot.addWidget(matrix)
    found = []
    matrix.chosen.connect(lambda *cell: found.append(cell))
    matrix.show_matrix(["A", "B", "C"], np.array([[0, 0.2, 0.3], [0.2, 0, np.nan], [0.3, np.nan, 0]]), (0, 1))
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left):
        QTest.keyClick(matrix, key)
    assert found == [(0, 2), (2, 1), (0, 2)]
    assert matrix.accessibleDescription() == "A and B: .20"
    matrix.resize(400, 100)
    assert matrix.cell_at(QPoint(1, 1)) is None
    for shades in (theme.LIGHT, theme.DARK):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(theme, "_current", shades)
            for share in np.linspace(0, DEEPEST, 21):
                ground = mixed(shades.color("surface"), shades.color("accent"), share)
                assert contrast(ink_on(ground), ground) >= 4.5, (shades.name, share)


def contrast(one, other):
    """WCAG's ratio of two colours."""
    parts = np.array([[c.redF(), c.greenF(), c.blueF()] for c in (one, other)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    dark, light = sorted(linear @ [0.2126, 0.7152, 0.0722])
    return (light + 0.05) / (dark + 0.05)


def test_a_stretch_is_moved_by_keys(app, qtbot):
    histogram = ShareHistogram("Shares")
    qtbot.addWidget(histogram)
    histogram.resize(400, 160)
    values = np.array([0, 0.2, 0.2, 0.4, np.nan, 1.0])
    histogram.show_values(values, 5, np.array([1, 4]))
    found = []
    histogram.brushed.connect(lambda *ends: (found.append(ends), histogram.show_stretch(histogram.ends(*ends))))
    QTest.keyClick(histogram, Qt.Key.Key_Left)
    QTest.keyClick(histogram, Qt.Key.Key_Left)
    QTest.keyClick(histogram, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert found == [(5, 5), (4, 4), (3, 4)]
    low, high = histogram.ends(1, 2)
    assert ((values >= low) & (values <= high)).sum() == 3


def half_shuffled(labels):
    """A ring seen twice, the second time with the samples of its right half in another order."""
    angle = np.linspace(0.0, 2 * np.pi, 48, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    right = np.flatnonzero(ring[:, 0] > 0.0)
    other = ring.copy()
    other[right] = ring[np.random.default_rng(0).permutation(right)]
    return mvx.MultiView(
        {"plain": ring, "other": other}, labels=np.where(ring[:, 0] > 0.0, *labels) if labels else None
    )


@pytest.mark.parametrize("labels", [("right", "left"), pytest.param(None, marks=pytest.mark.nightly)])
def test_before_anything_is_selected_it_names_what_changed_most(page, window, rest, qtbot, labels):
    show_fresh(window, half_shuffled(labels), 3)
    rest(window)
    window.editor.compare("p1", "p2")
    told = page.separation.words
    qtbot.waitUntil(lambda: "changed most" in told.text(), timeout=PATIENCE_MS)
    values, data = window.workbench.comparer.values, window.document.data
    if labels:
        most, least = (f"{values[data.labels == name].mean():.2f}".lstrip("0") for name in labels)
        words = (f"The neighbours of class right changed most (mean disagreement {most}), "
                 f"those of class left least ({least}).")  # fmt: skip
    else:
        chosen = np.isin(np.arange(48), quarter(values))
        assert values[chosen].min() >= values[~chosen].max()
        assert 12 <= chosen.sum() <= 24
        rows = mvx.separation(chosen, data).rows
        high, low = max(rows, key=lambda row: row.effect), min(rows, key=lambda row: row.effect)
        words = f"The quarter of the samples that changed most is higher in {high.name} (d {high.effect:.1f})"
        assert high.name in ("plain 1", "other 1")
        assert (f" and lower in {low.name}" in told.text()) == (low.effect <= -0.2)
    assert told.text().startswith(words)
    assert told.text().endswith("Select samples: here stands what sets them apart from the others.")
    window.editor.select([1, 2])
    rest(window)
    assert "changed most" not in told.text()


def test_equal_classes_are_not_named(page, window, rest):
    """The classes of the ring are alike; what rounding makes of their means is no difference."""
    rest(window)
    assert page.separation.words.text() == "Select samples: here stands what sets them apart from the others."
