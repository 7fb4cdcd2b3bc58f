"""Small multiples in the window: chosen, linked, promoted, exported, left; by mouse and keys."""

import json
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QPushButton
from windows import PATIENCE_MS

from mvexplorer.compute.jobs import jobs
from mvexplorer.compute.jobs.runner import Scores
from mvexplorer.engine.metrics import Score
from mvexplorer.state.colourings.walk_colouring import own_walks
from mvexplorer.state.pictures.colouring import in_one
from mvexplorer.ui.cloud.encoding import write_painted
from mvexplorer.ui.export.multiples_figure import MultiplesLayout
from mvexplorer.ui.widgets.export_dialog import ExportDialog
from mvexplorer.wording import fraction

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def open_page(window, qtbot, rest, monkeypatch):
    """Shows small multiples and waits for them; the panels are back at the end."""
    monkeypatch.setattr(
        jobs, "run_scores", lambda Y, *_: Scores(*(Score(float(f(np.abs(Y)))) for f in (np.ptp, np.mean)))
    )
    window.workbench.multiples._known.clear()  # an earlier test's, of pictures alike

    def show(**changes):
        window.editor.change_multiples("Small multiples", shown=True, **changes)
        m = window.workbench.multiples
        qtbot.waitUntil(lambda: m.grid is not None and (m.asked is not None or not m.missing), timeout=PATIENCE_MS)
        rest(window)
        return window.docks.multiples

    yield show
    window.workbench.multiples.stop()
    window.editor.change_multiples("Close", shown=False)


def small(open_page):
    """Three factors on the six panels."""
    return open_page(column_values=(0.5, 1.0, 2.0), columns="epsilon_scale", rows="panels")


@pytest.mark.nightly
def test_key_m_shows_them_in_the_panels_place_and_escape_goes_back(window, open_page, rest):
    QTest.keyClick(window, Qt.Key.Key_M)
    page = open_page()
    assert page.isVisible()
    assert not window.grid.isVisible()
    assert window.points.isVisible()
    assert len([cell for cell in page.board.cells if cell.isVisible()]) == 42
    QTest.keyClick(window, Qt.Key.Key_Escape)
    rest(window)
    assert window.grid.isVisible()
    assert not page.isVisible()
    window.document.undo()
    rest(window)
    assert page.isVisible(), "closing is a step of undo"


@pytest.mark.nightly
def test_pictures_are_linked(window, open_page, rest):
    page = small(open_page)
    cells = page.board.cells[:18]
    spot = cells[4].canvas.position_of(7).toPoint()
    QTest.mouseMove(cells[4].canvas.viewport(), spot)
    (marked,) = {cell.canvas.marked for cell in cells}
    away = cells[4].canvas.position_of(marked) - cells[4].canvas.position_of(7)
    assert max(abs(away.x()), abs(away.y())) < 2.0  # another one may lie at the same place
    window.editor.select((1, 2, 3))
    rest(window)
    assert all(cell.canvas.cloud.look.selected.nonzero()[0].tolist() == [1, 2, 3] for cell in cells)
    cells[0].canvas.box.scaleBy((0.5, 0.5))
    cells[0].canvas._tell_frame()
    assert cells[17].canvas.frame.size == pytest.approx(cells[0].canvas.frame.size, rel=0.2)
    window.editor.colour_by("columns:batch")
    rest(window)
    assert cells[0].canvas.cloud.look.rgb is cells[17].canvas.cloud.look.rgb


def test_a_lasso_in_a_picture_selects(window, open_page, rest):
    cell = small(open_page).board.cells[2]
    view, wide, high = cell.canvas.viewport(), cell.canvas.width(), cell.canvas.height()
    corners = [QPoint(1, 1), QPoint(wide - 2, 1), QPoint(wide - 2, high - 2), QPoint(1, high - 2)]
    QTest.mousePress(view, LEFT, NONE, corners[0])
    for corner in (*corners[1:], corners[0]):
        QTest.mouseMove(view, corner)
    QTest.mouseRelease(view, LEFT, NONE, corners[0])
    rest(window)
    assert len(window.document.state.selection) > 40
    assert "× 2" in window.document.state.selections.origin
    assert window.document.state.multiples.shown


@pytest.mark.nightly
def test_a_click_promotes_and_undo_takes_it_back(window, open_page, rest):
    page = small(open_page)
    number = 5 * 3 + 2
    picture = page.multiples.panel(5, 2)
    canvas = page.board.cells[number].canvas
    QTest.mouseClick(canvas.viewport(), LEFT, NONE, QPoint(canvas.width() // 2, canvas.height() - 6))
    rest(window)
    panel = window.document.state.panels[-1]
    assert (panel.method, panel.pins) == (picture.method, picture.pins)
    assert window.editor.focused == panel.id
    assert window.grid.panels[panel.id].isVisible()
    assert window.document.undo_label.startswith("Show Multi-view, × 2")
    window.document.undo()
    rest(window)
    assert page.isVisible()
    assert len(window.document.state.panels) == 6


@pytest.mark.nightly
def test_the_score_in_the_corners_is_chosen_and_that_with_epsilon_is_computed_for_it(window, open_page, rest):
    page = small(open_page)
    rest(window)
    page._show_scores()
    ids = [page.score.itemData(i) for i in range(page.score.count())]
    assert (ids[:2], ids[-1]) == (["nmi", "knn"], "stability")
    page.score.setCurrentIndex(1)
    page.score.activated.emit(1)
    rest(window)
    page._show_scores()
    found = page.multiples.result(0, 0).scores
    assert page.board.cells[0].score.text() == fraction(found.knn.value)
    assert "k-NN accuracy in the corners" in page.words.text()
    assert found.stability is None
    page.score.setCurrentIndex(len(ids) - 1)
    page.score.activated.emit(len(ids) - 1)
    rest(window)
    page._show_scores()
    found = [result.scores.stability for _, result in page.multiples.each()]
    assert all(score is not None for score in found)
    assert page.board.cells[0].score.text() == fraction(found[0].value)
    assert "font-weight: 600" not in page.board.cells[0].score.styleSheet()
    window.document.undo()
    rest(window)
    page._show_scores()
    assert page.score.currentData() == "knn"
    assert page.board.cells[0].score.text() == fraction(page.multiples.result(0, 0).scores.knn.value)


@pytest.mark.nightly
def test_the_form_is_the_document(window, open_page, rest, qtbot):
    page = small(open_page)
    choices = page.choices
    page._show_scores()
    assert page.words.text() == page.words.accessibleName(), "nothing is cut"
    assert [f.text() for f in (choices.columns.low, choices.columns.high, choices.columns.values)] == ["0.5", "2", "3"]

    def type_in(field, text):
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key.Key_Return)

    type_in(choices.columns.values, "2")
    assert window.document.state.multiples.column_values == (0.5, 2.0)
    type_in(choices.columns.low, "3")  # beyond the other end
    assert choices.columns.low.property("wrong")
    assert window.document.state.multiples.column_values == (0.5, 2.0)
    type_in(choices.columns.low, "1")
    assert window.document.state.multiples.column_values == (1.0, 2.0)
    assert not choices.rows.list.isVisible()
    wide = window.side.width()
    choices.kind.setCurrentIndex(2)
    choices.kind.activated.emit(2)
    rest(window)
    qtbot.waitUntil(lambda: page.multiples.grid.down is not None, timeout=PATIENCE_MS)
    assert choices.rows.list.isVisible()
    assert window.side.width() == wide, "a longer form makes no side narrower"
    assert page.multiples.grid.down.name == "eta"
    rest(window)
    choices.rows.list.setCurrentIndex(choices.rows.list.findData("epsilon_scale"))
    assert "both" in " ".join(window.banners.texts())
    window.document.undo()
    rest(window)


def test_a_failed_picture_is_marked(window, open_page):
    page = open_page(columns="n_components", column_values=(2, 60), rows="panels")  # of 48 samples
    cell = page.board.cells[1]
    assert "60" in cell.words.text()
    assert cell.words.isVisible()
    assert page.board.cells[0].canvas.cloud.n_points == 48
    assert "without a picture" in page.words.accessibleName()


@pytest.mark.nightly
def test_time_is_told_first_with_ways_out(window, open_page, monkeypatch, rest, qtbot):
    from mvexplorer.state.batches import multiples_run

    monkeypatch.setattr(multiples_run, "LONG", 0.0)
    page = open_page(column_values=tuple(2.0**k for k in range(-3, 4)), rows="panels", columns="epsilon_scale")
    assert page.gate.isVisible()
    assert page.gate_words.text().startswith("42 pictures to compute")
    fewer = next(button for button in page.offers if button.text() == "5 columns")
    fewer.click()
    rest(window)
    qtbot.waitUntil(lambda: page.multiples.total == 30, timeout=PATIENCE_MS)
    assert window.document.state.multiples.column_values == (0.125, 0.5, 1.0, 2.0, 8.0)
    next(button for button in page.offers if button.text() == "Compute all").click()
    qtbot.waitUntil(lambda: not page.multiples.missing, timeout=PATIENCE_MS)
    rest(window)
    assert not page.gate.isVisible()


@pytest.mark.nightly
def test_it_is_written_as_one_figure(window, open_page, monkeypatch, tmp_path):
    page = small(open_page)
    path = tmp_path / "grid.png"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    QTest.mouseClick(page.figure, LEFT)
    (dialog,) = window.findChildren(ExportDialog)
    dialog.dpi.setText("50")
    next(b for b in dialog.findChildren(QPushButton) if b.text() == "Save …").click()
    image = QImage(str(path))
    record = json.loads(image.text("mvexplorer"))
    assert record["multiples"]["columns"] == {"epsilon_scale": [0.5, 1.0, 2.0]}
    assert len(record["panels"]) == 18
    assert record["panels"][17]["title"] == "Multi-view, × 2"
    assert record["caption"].startswith("Small multiples. Columns: factor on all ε, × 0.5, × 1, × 2.")
    assert image.width() == int(window.multiples._figure()[1].size.width() * 50 / 96)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "none" / "grid.png"), ""))
    window.editor.attempt(lambda: window.multiples._write(".png", 0.5, 50.0))
    assert "cannot be written" in " ".join(window.banners.texts())


def svg_words(path):
    root = ElementTree.parse(path).getroot()
    return ["".join(node.itertext()) for node in root.iter() if node.tag.endswith("text")]


@pytest.mark.nightly
def test_six_times_seven_say_everything_once(window, open_page, monkeypatch, tmp_path):
    """Axis title, values, names of rows, legend and caption are whole, in every kind of file."""
    open_page()
    sheet, figure = window.multiples._figure()
    assert (len(sheet.tiles), len(figure.columns), len(figure.rows)) == (42, 7, 6)
    assert figure.size.width() < 1600, "it fits a page"
    for ending in (".svg", ".pdf", ".png"):
        monkeypatch.setattr(
            QFileDialog, "getSaveFileName", lambda *_, ending=ending: (str(tmp_path / f"grid{ending}"), "")
        )
        window.multiples._write(ending, 1.0, 96.0)
    renderer = QSvgRenderer(str(tmp_path / "grid.svg"))
    assert renderer.isValid()
    assert renderer.viewBox().size() == figure.size == QImage(str(tmp_path / "grid.png")).size()
    written = svg_words(tmp_path / "grid.svg")
    together = "".join("".join(written).split())
    for words in ("factor on all ε", *figure.columns, *figure.rows, *sheet.caption.splitlines()):
        assert "".join(words.split()) in together, words
    assert together.count("factoronallε") == 2, "above the columns, and in the caption"
    pypdf = pytest.importorskip("pypdf")
    (leaf,) = pypdf.PdfReader(tmp_path / "grid.pdf").pages
    inches = [float(side) / 72 for side in (leaf.mediabox.width, leaf.mediabox.height)]
    assert inches == pytest.approx([side / 96 for side in figure.size.toTuple()], abs=0.01)
    read = "".join(leaf.extract_text().split())
    assert all("".join(words.split()) in read for words in (*figure.columns, "Kernelsum", "Smallmultiples."))


def test_rows_of_values_name_their_panel_and_failed_pictures_say_why(window, open_page, tmp_path):
    open_page(rows="eta", row_values=(0.0, 0.5), columns="t", column_values=(1.0, 3.0), panel="p6")
    sheet, figure = window.multiples._figure()
    assert figure.down == ("Multi-view", "within-view weight (η)")
    assert (figure.rows, figure.columns, figure.across) == (
        ["η = 0", "η = 0.5"],
        ["t = 1", "t = 3"],
        "diffusion time (t)",
    )
    broken = replace(sheet.tiles[1], points=None, problem="Too few samples.")
    doubtful = replace(sheet.tiles[2], warnings=("The graph falls apart.",))
    odd = replace(sheet, tiles=(sheet.tiles[0], broken, doubtful, replace(doubtful, warnings=doubtful.warnings)))
    whole = MultiplesLayout(odd, window.workbench.multiples.grid)
    write_painted(tmp_path / "odd.svg", "Figures", "", whole.size, partial(whole.paint, True, 1.0))
    written = "".join("".join(svg_words(tmp_path / "odd.svg")).split())
    assert "Toofewsamples." in written
    assert written.count("⚠1") == 3, "at two pictures, and where it is told"
    assert written.count("Thegraphfallsapart.") == 1


def test_the_score_in_the_corners_is_named_with_its_variable(window, open_page, monkeypatch):
    page = small(open_page)
    scored = SimpleNamespace(error=None, scores=SimpleNamespace(hidden=SimpleNamespace(variable="angle")))
    monkeypatch.setattr(page.board, "show_scores", lambda _: "r2")
    monkeypatch.setattr(page.multiples, "each", lambda: [(None, scored)])
    page._show_scores()
    monkeypatch.undo()
    assert page.words.accessibleName().endswith("R² of angle in the corners")


@pytest.mark.nightly
def test_they_say_whose_walk_they_show(window, open_page, rest):
    window.editor.colour_by(own_walks("p6", 3, 1, ""))
    page = small(open_page)
    rest(window)
    shown = in_one(window.styling.colouring).title
    assert shown == "relative probability 1 step after s03 in Multi-view"
    assert page.words.accessibleName().endswith(f" · coloured by {shown}")
    assert page.words.width() == page.board.width(), "the words have the whole line once all is computed"
    sheet, _ = window.multiples._figure()
    assert sheet.record["colour"] == shown
    assert shown in sheet.caption
    window.editor.colour_by("labels")
    rest(window)
    assert "coloured" not in page.words.accessibleName()


@pytest.mark.nightly
def test_a_sweep_opens_them_at_its_values(window, open_page, rest):
    sweep = window.bottom.show_page("sweep").sweep
    rest(window)
    sweep.low.setText("1/4")
    sweep.high.setText("4")
    sweep.values.setText("3")
    QTest.mouseClick(sweep.small, LEFT)
    page = open_page()
    assert page.isVisible()
    assert window.document.state.multiples.column_values == (0.25, 1.0, 4.0)


@pytest.mark.nightly
def test_a_panels_menu_shows_it_by_two_parameters(window, open_page):
    menu = window.grid.panels["p6"].menus.everything()
    next(a for a in menu.actions() if a.text().startswith("Small multiples")).trigger()
    page = open_page()
    grid = page.multiples.grid
    assert (grid.down.name, grid.across.name, grid.titles[0]) == ("eta", "epsilon_scale", "Multi-view")
    assert page.choices.panel.currentText() == "Multi-view"


@pytest.mark.nightly
def test_names_of_rows_are_whole_or_cut_so_that_they_differ(window, open_page, data, rest):
    from windows import show_fresh

    names = ["morphological_characters_of_digits", "morphological_characters_of_letters"]
    show_fresh(window, data.replace(view_names=names))
    rest(window)
    heads = [head for head in small(open_page).board.heads if not head.text().startswith("×")]
    views = [head.text().splitlines()[-1] for head in heads[:2]]
    assert len(set(views)) == 2
    for head, name in zip(heads, names, strict=False):
        assert name in head.toolTip()
    for head in heads:
        assert max(head.fontMetrics().horizontalAdvance(word) for word in head.text().split()) <= head.width()
        assert head.heightForWidth(head.width()) <= head.height()
    show_fresh(window, data)


def test_data_may_go_while_they_are_computed(window, open_page, data, rest):
    from windows import show_fresh

    window.editor.change_multiples("Small multiples", shown=True)
    window.workbench.multiples.refresh()
    show_fresh(window, data)
    rest(window)
    assert not window.document.state.multiples.shown
    assert window.grid.isVisible()
    assert not window.workbench.multiples.running


@pytest.fixture
def open_ingredients(window, open_page, qtbot, rest):
    """Shows the ingredients of the kernel sum."""

    def show():
        panel = next(p for p in window.document.state.panels if p.method == "kernel-sum")
        window.editor.focus(panel.id)
        window.actions_table.actions["Ingredients side by side"].trigger()
        m = window.workbench.multiples
        qtbot.waitUntil(lambda: m.grid is not None and m.grid.of_ingredients and not m.missing, timeout=PATIENCE_MS)
        rest(window)
        window.docks.multiples._show_scores()
        return window.docks.multiples, panel.id

    yield show
    window.editor.change_multiples("Panels again", rows="panels")


def press(page, caption, modifier=NONE):
    canvas = page.board.cells[page.multiples.grid.captions.index(caption)].canvas
    QTest.mouseClick(canvas.viewport(), LEFT, modifier, QPoint(canvas.width() // 2, canvas.height() - 6))


def test_ingredients_stand_side_by_side_with_their_scores(window, open_ingredients):
    page, _ = open_ingredients()
    grid = page.multiples.grid
    cells = page.board.cells[: grid.size]
    assert len(cells) == 24
    assert all(cell.isVisible() for cell in cells)
    assert [cell.caption.text().replace("\u00a0", " ") for cell in cells] == [*grid.captions]
    assert all("trust " in cell.details.text() and "stay" in cell.details.text() for cell in cells)
    assert "would stay" in cells[grid.captions.index("without loops")].details.text()
    assert " · trust " in cells[0].toolTip(), "all scores where there is room"
    assert "font-weight: 600" in cells[0].caption.styleSheet(), "the panel is as in the paper"
    assert "font-weight: 600" not in cells[1].caption.styleSheet()
    assert page.about.text().startswith("Nearest to the paper first, this panel in bold")
    assert "trust: neighbours by Euclidean distance of plain, wavy" in page.about.text()
    assert "plain stays Euclidean: fewer than 3 features" in page.about.text()
    assert not page.choices.columns.list.isVisible()
    assert page.choices.kind.currentText() == "Ingredients"
    lines = {cell.y() for cell in cells}
    assert len(lines) > 1, "they wrap like words"
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not window.document.state.multiples.shown


@pytest.mark.nightly
def test_a_click_adopts_ingredients_and_shift_does_for_all_panels(window, open_ingredients, rest):
    page, id = open_ingredients()
    before = window.document.state
    press(page, "without loops · unit rows")
    rest(window)
    state = window.document.state
    assert (state.panel(id).pins["self_loops"], state.panel(id).pins["unit_rows"]) == (False, True)
    assert not state.multiples.shown
    assert window.grid.panels[id].isVisible()
    assert window.document.undo_label == "Kernel sum: without loops · unit rows"
    window.document.undo()
    rest(window)
    assert window.document.state == before
    press(page, "unit rows", Qt.KeyboardModifier.ShiftModifier)
    rest(window)
    assert window.document.state.params["unit_rows"] is True
    assert window.document.undo_label == "All panels: unit rows"
    window.document.undo()
    rest(window)
    page.target.setCurrentIndex(1)
    press(page, "unit rows")
    rest(window)
    assert window.document.state.params["unit_rows"] is True
    window.document.undo()
    page.target.setCurrentIndex(0)


@pytest.mark.nightly
def test_a_drag_of_epsilon_moves_all_pictures_with_other_ingredients(window, open_ingredients, rest, qtbot):
    page, _ = open_ingredients()
    m = page.multiples
    number = m.grid.captions.index("without loops")
    cell = page.board.cells[number]
    before = m.result(0, number).drawing.points
    window.editor.set_scale(1.6, interactive=True)
    qtbot.waitUntil(lambda: m.result(0, number).drawing.points is not before, timeout=PATIENCE_MS)
    assert cell is page.board.cells[number], "the pictures stay where they are"
    assert cell.canvas.cloud.n_points == 48
    window.editor.set_scale(1.7, interactive=True)
    rest(window)
    qtbot.waitUntil(lambda: not m.missing, timeout=PATIENCE_MS)
    rest(window)
    assert m.result(0, number).status == "ready"
    assert m.result(0, number).result.request.epsilon[0].factor == pytest.approx(1.7)
    window.document.undo()
    rest(window)


@pytest.mark.nightly
def test_ingredients_are_written_as_one_figure(window, open_ingredients, tmp_path):
    page, _ = open_ingredients()
    sheet, figure = window.multiples._figure()
    assert len(sheet.tiles) == 24
    assert [tile.title for tile in sheet.tiles[:2]] == ["As in the paper", "Correlation"]
    assert sheet.record["multiples"]["ingredients"] == [*page.multiples.grid.captions]
    assert sheet.caption.startswith("Ingredients of Kernel sum, side by side: nearest to the paper first.")
    assert "neighbours by Euclidean distance of plain, wavy" in sheet.caption
    write_painted(tmp_path / "all.png", "Figures", "", figure.size, partial(figure.paint, False, 0.25), 0.25)
    assert QImage(str(tmp_path / "all.png")).width() > 300


@pytest.mark.parametrize("columns", [3, 9])
def test_a_score_in_the_corner_covers_no_points(window, open_page, rest, columns):
    page = open_page(column_values=tuple(np.linspace(0.5, 2.0, columns)), columns="epsilon_scale", rows="panels")
    rest(window)
    scored = [cell for cell in page.board.cells if cell.isVisible() and cell.score.isVisible()]
    assert len(scored) == page.multiples.grid.size
    for cell in scored:
        canvas = cell.canvas
        places = [canvas.viewport().mapTo(cell, canvas.position_of(k).toPoint()) for k in range(canvas.cloud.n_points)]
        assert not [place for place in places if cell.score.geometry().adjusted(-1, -1, 1, 1).contains(place)]


@pytest.mark.nightly
def test_pictures_in_3d_are_seen_as_their_panels_are(window, open_page, rest):
    panel = window.document.state.shown[0].id
    window.editor.set_dims(panel, 3)
    rest(window)
    camera = window.grid.panels[panel].canvas.camera.turned(1.2, 0.3)
    window.grid.turn_cameras({panel: camera.rotation})
    page = small(open_page)
    assert page.board.cells[0].canvas.is_3d
    for cell in page.board.cells[:3]:
        np.testing.assert_allclose(cell.canvas.camera.rotation, camera.rotation)
    window.document.undo()
