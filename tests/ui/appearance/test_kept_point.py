"""The kept sample in the window: its card, its mark, the colours by distance while D is held, and thumbnails."""

from __future__ import annotations

from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
from gestures import LEFT, NONE, canvas
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from windows import PATIENCE_MS, small_data

import mvexplorer as mvx
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import DataError
from mvexplorer.ui.appearance import point_sections
from mvexplorer.ui.appearance.dock import CardArea
from mvexplorer.ui.cloud.marks import without_overlap
from mvexplorer.ui.export.sheet import sheet_of
from mvexplorer.ui.style.palettes import scale_colours
from mvexplorer.ui.widgets.plots.bars import Bars, HorizontalBar
from mvexplorer.ui.widgets.plots.neighbour_strip import Neighbour, NeighbourStrip
from mvexplorer.ui.window.talk.sleepwalk import Sleepwalk

KEPT = 7
ALL = ("neighbours", "walk", "distances", "spread")


@pytest.fixture
def card(window, qtbot):
    """The card of a sample that was clicked, unfolded, once all its answers are there."""
    window.editor.focus("p6")
    QTest.mouseClick(canvas(window).viewport(), LEFT, NONE, canvas(window).position_of(KEPT).toPoint())
    window.editor.focus("p6")
    window.editor.change_point("Unfold all", unfolded=ALL)
    inspector = window.workbench.inspector
    qtbot.waitUntil(lambda: inspector.surroundings is not None and inspector.steps is not None, timeout=PATIENCE_MS)
    yield window.points.point
    window.editor.keep_sample(None)
    window.editor.colour_by("labels")
    window.editor.select(())


def test_neighbours_in_views_and_panels_and_the_way_to_one(window, card, qtbot):
    assert window.document.state.point.kept == KEPT
    assert window.document.undo_label == "Unfold all"
    X = window.document.data.Xs[0]
    nearest = [j for j in np.argsort(np.square(X - X[KEPT]).sum(axis=1), kind="stable") if j != KEPT][:8]
    strip = card.neighbours.rows["view:plain"]
    assert [item.sample for item in strip.items] == nearest
    assert all(item.picture is not None for item in strip.items), "the data has pictures"
    assert {key.partition(":")[0] for key in card.neighbours.rows} == {"view", "panel"}
    lists = [{item.sample for item in row.items} for row in card.neighbours.rows.values()]
    first = strip.items[0]
    count = sum(first.sample in found for found in lists)
    assert first.shared == pytest.approx(count / len(lists))
    assert f"in {count} of {len(lists)} rows" in first.about
    qtbot.waitUntil(lambda: strip.height() >= 20, timeout=PATIENCE_MS)
    window.points.findChild(CardArea).ensureWidgetVisible(strip)
    QTest.mouseMove(strip, strip.place_of(1))
    assert {p.canvas.marked for p in window.grid.panels.values()} == {nearest[1]}
    QTest.mouseClick(strip, LEFT, NONE, strip.place_of(1))
    assert window.document.state.point.kept == nearest[1]
    assert window.grid.kept_mark.sample == nearest[1]
    window.document.undo()
    assert window.grid.kept_mark.sample == KEPT


def test_rows_stay_while_other_neighbours_are_looked_for(window, card, qtbot):
    rows, inspector = dict(card.neighbours.rows), window.workbench.inspector
    before = {key: (row.height(), row.heightForWidth(row.width())) for key, row in rows.items()}
    window.editor.keep_sample(KEPT + 1)
    assert inspector.surroundings is None
    assert dict(card.neighbours.rows) == rows, "the same rows"
    assert not any(row.items for row in rows.values()), "but no neighbours of another sample"
    assert {key: (row.height(), row.heightForWidth(row.width())) for key, row in rows.items()} == before
    strip = rows["view:plain"]
    QTest.mouseClick(strip, LEFT, NONE, QPoint(5, 5))
    assert window.document.state.point.kept == KEPT + 1
    qtbot.waitUntil(lambda: inspector.surroundings is not None, timeout=PATIENCE_MS)
    assert dict(card.neighbours.rows) == rows
    assert all(row.items for row in rows.values())


def test_probabilities_are_those_of_the_focused_panel(window, card, qtbot):
    found = window.controller.result("p6").result.embedding
    p = mvx.transition_probabilities(found, KEPT, 1).sum(axis=1).mean(axis=0)
    assert [bar.key for bar in card.walk.bars.bars[:3]] == [str(i) for i in np.argsort(-p, kind="stable")[:3]]
    card.walk.steps.begin("3")
    QTest.keyClick(card.walk.steps, Qt.Key.Key_Return)
    assert window.document.state.point.steps == 3
    assert card.walk.bars.isVisible(), "nothing moves while it is computed"
    assert card.walk.each.isVisible()
    qtbot.waitUntil(lambda: window.workbench.inspector.steps is not None, timeout=PATIENCE_MS)
    p = mvx.transition_probabilities(found, KEPT, 3)
    assert np.allclose(window.workbench.inspector.steps, p.mean(axis=0))
    assert card.walk.start.isVisible()
    card.walk.start.setFocus()
    card.walk.start.choose("wavy")
    card.walk.start.activated.emit(card.walk.start.currentIndex())
    assert window.workbench.inspector.steps is None
    assert (card.walk.start.isVisible(), card.walk.start.name) == (True, "wavy"), "nor does the choice itself"
    qtbot.waitUntil(lambda: window.workbench.inspector.steps is not None, timeout=PATIENCE_MS)
    assert np.allclose(window.workbench.inspector.steps, p[found.views.index("wavy")])
    window.editor.change_point("Walk from any", start="")
    qtbot.waitUntil(lambda: window.workbench.inspector.steps is not None, timeout=PATIENCE_MS)
    card.walk.colour.click()
    qtbot.waitUntil(
        lambda: getattr(window.styling.colouring, "title", "").startswith("probability 3 steps after s07"),
        timeout=PATIENCE_MS,
    )
    card.walk.steps.begin("-1")
    QTest.keyClick(card.walk.steps, Qt.Key.Key_Return)
    assert card.walk.steps.property("wrong")
    assert window.document.state.point.steps == 3
    card.walk.steps.set_wrong(False)


def test_each_picture_has_the_colours_of_its_own_walk(window, card, qtbot):
    card.walk.each.click()
    qtbot.waitUntil(lambda: bool(getattr(window.styling.colouring, "own", None)), timeout=PATIENCE_MS)
    table = scale_colours("continuous", "light").astype(int)

    def expected(id):
        p = mvx.transition_probabilities(window.controller.result(id).result.embedding, KEPT, 1).sum(axis=1)
        return table[np.rint(255 * p.mean(axis=0) / p.mean(axis=0).max()).astype(int)]

    def shown(id):
        return window.grid.panels[id].canvas.cloud.look.rgb.astype(int)

    for id in ("p1", "p2", "p6"):
        assert np.abs(shown(id) - expected(id)).max() <= 12, id  # a place more or less of 256
    assert np.abs(shown("p1") - shown("p6")).max() > 60
    sheet = sheet_of(window.workbench, "", window.styling.colouring, {})
    styles = {panel.id: tile.style for panel, tile in zip(window.document.state.shown, sheet.tiles, strict=True)}
    assert np.array_equal(styles["p1"].rgb, window.grid.panels["p1"].canvas.cloud.look.rgb)
    window.behaviour.sleepwalk.toggle()
    window.behaviour.sleepwalk.toggle()
    assert np.abs(shown("p1") - expected("p1")).max() <= 12, "as before the pointer's colours"
    window.document.undo()
    assert not window.grid.looks


def test_distances_to_the_sample_under_the_pointer(window, card):
    QTest.mouseMove(canvas(window).viewport(), canvas(window).position_of(20).toPoint())
    assert "s20" in card.distances.words.text()
    assert "under the pointer" in card.distances.words.text()
    X = window.document.data.Xs[0]
    bar = card.distances.bars.bars[0]
    assert (bar.name, float(bar.number)) == ("plain", pytest.approx(np.linalg.norm(X[20] - X[KEPT]), rel=1e-2))
    QTest.mouseMove(canvas(window).viewport(), QPoint(2, 2))
    assert "nearest in Multi-view" in card.distances.words.text()
    assert "%" in card.distances.cross.text()


def test_samples_are_spread_by_a_slider(window, card, qtbot):
    card.spreading.slider.moved.emit(6.0)
    qtbot.waitUntil(lambda: len(window.document.state.selection) == 6, timeout=PATIENCE_MS)
    assert KEPT in window.document.state.selection


def test_sections_fold_and_stay_folded(window, card):
    card.distances.head.click()
    assert window.document.state.point.unfolded == ("neighbours", "walk", "spread")
    assert not card.distances.bars.isVisible()
    window.document.undo()
    assert card.distances.head.isChecked()


def test_a_method_without_a_walk_says_so(window, card, rest):
    window.editor.set_method("p6", "pca")
    rest(window)
    window.editor.focus("p6")
    assert "no walk" in card.walk.words.text()
    assert not card.walk.bars.isVisible()
    assert any("Principal" in bar.name or "PCA" in bar.name for bar in card.distances.bars.bars)
    window.document.undo()
    rest(window)


def test_a_click_beside_all_points_lets_the_sample_go(window, card):
    QTest.mouseClick(canvas(window).viewport(), LEFT, NONE, QPoint(2, 2))
    assert window.document.state.point.kept is None
    assert window.grid.kept_mark.sample == -1
    assert not card.isVisible()


def test_while_d_is_held_each_panel_has_its_own_distances(window):
    before = {id: panel.canvas.cloud.look for id, panel in window.grid.panels.items()}
    panel = window.grid.panels["p1"]
    panel.setFocus()
    QTest.mouseMove(canvas(window).viewport(), canvas(window).position_of(20).toPoint())
    QTest.keyPress(panel, Qt.Key.Key_D)
    walk = window.behaviour.sleepwalk
    assert walk.on
    assert walk.hint.isVisible()
    table = scale_colours("continuous", "light")
    for id, each in window.grid.panels.items():
        Y = window.controller.result(id).result.embedding.coordinates
        distances = np.linalg.norm(Y - Y[20], axis=1)
        shown = table[(distances * 255 / distances.max()).astype(int)].astype(int)
        assert np.abs(each.canvas.cloud.look.rgb.astype(int) - shown).max() <= 12  # a place more or less of 256
    first = panel.canvas.cloud.look.rgb
    QTest.mouseMove(canvas(window).viewport(), canvas(window).position_of(30).toPoint())
    assert not np.array_equal(panel.canvas.cloud.look.rgb, first)
    QTest.keyRelease(panel, Qt.Key.Key_D)
    assert {id: each.canvas.cloud.look for id, each in window.grid.panels.items()} == before
    assert not walk.hint.isVisible()
    assert window.document.state.colour == "labels"


def test_d_walks_while_a_list_or_a_button_has_the_focus(window):
    window.editor.select((1, 2, 3))
    window.editor.keep_selection()
    window.activateWindow()
    for widget in (window.points.selections.list, window.points.selections.keep):
        widget.setFocus()
        QTest.keyPress(widget, Qt.Key.Key_D)
        assert window.behaviour.sleepwalk.on, widget
        QTest.keyRelease(widget, Qt.Key.Key_D)
        assert not window.behaviour.sleepwalk.on, widget
    QTest.keyPress(window.side.master_field, Qt.Key.Key_D)
    assert not window.behaviour.sleepwalk.on, "a letter that is typed"
    QTest.keyRelease(window.side.master_field, Qt.Key.Key_D)
    for _ in range(2):
        window.document.undo()


def test_the_menu_does_it_without_a_key_and_escape_ends_it(window):
    window.actions_table.actions["Colour by distance from the pointer"].trigger()
    assert window.behaviour.sleepwalk.on
    QTest.keyClick(window, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert window.behaviour.sleepwalk.on
    window.behaviour.escape()
    assert not window.behaviour.sleepwalk.on


def test_the_hint_is_whole_each_time(app, qtbot):
    grid = QWidget()
    qtbot.addWidget(grid)
    grid.resize(500, 300)
    grid.hovered, grid.panels, grid.look = Mock(), {}, None
    walk = Sleepwalk(Mock(), grid)
    for _ in range(3):
        walk.toggle()
        assert walk.hint.wordWrap()
        assert walk.hint.height() >= walk.hint.heightForWidth(walk.hint.width())
        walk.toggle()


def test_pictures_of_samples_on_the_map(window, qtbot):
    window.actions_table.refresh()
    action = window.actions_table.actions["Pictures of samples on the map"]
    plain = canvas(window).grab().toImage()
    action.trigger()
    assert window.document.state.point.thumbnails
    assert window.document.undo_label == "Show pictures of samples"
    assert canvas(window).grab().toImage() != plain
    window.document.undo()
    assert window.grid.thumbnails.images is None
    data = small_data().replace(images=None)
    assert data.images is None


def test_no_two_pictures_overlap_and_zooming_shows_more():
    places = np.random.default_rng(0).uniform(0, 400, (3000, 2))
    found = without_overlap(places, 30.0, (400, 400))
    chosen = places[found]
    apart = np.abs(chosen[:, None] - chosen[None]).max(axis=2)[~np.eye(len(chosen), dtype=bool)]
    assert apart.min() >= 30.0
    assert 60 < len(found) <= 14**2
    inside = (places < 100).all(axis=1)
    zoomed = without_overlap(places * 4, 30.0, (400, 400))
    assert sum(inside[i] for i in zoomed) > 3 * sum(inside[i] for i in found)


def test_the_usual_eight_pictures_stand_in_one_line(window, card, qtbot):
    strip = card.neighbours.rows["view:plain"]
    assert len(strip.items) == 8
    assert len({strip.place_of(i).y() for i in range(8)}) == 1


def test_strips_and_bars_by_keys(app, qtbot):
    strip, bars = NeighbourStrip("Neighbours"), Bars("Bars", 0.4)
    strip.show_items([Neighbour(3, "<b>x</b>", "a"), Neighbour(5, "y" * 300, "b", 0.5)])
    bars.show_bars([HorizontalBar("", "others", ".2", 0.0), HorizontalBar("4", "d", ".8", 1.0)])
    for widget in (strip, bars):
        qtbot.addWidget(widget)
        widget.resize(120, 60)
        widget.show()
    with qtbot.waitSignal(strip.chosen) as chosen:
        for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Return):
            QTest.keyClick(strip, key)
    assert chosen.args == [5]
    with qtbot.waitSignal(bars.chosen) as picked:
        for key in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Down, Qt.Key.Key_Return):
            QTest.keyClick(bars, key)
    assert picked.args == ["4"]
    assert strip.heightForWidth(60) > strip.heightForWidth(200)


@pytest.mark.parametrize(
    "form", ["TCGA-OR-A5J{}-01A-11R-A29S-07", "{}_S1_L001_R1_001_of_the_run", "patient_of_the_second_cohort_{}"]
)
def test_ids_with_one_beginning_and_one_end_are_shown_by_what_differs(app, qtbot, form):
    strip = NeighbourStrip("Neighbours")
    qtbot.addWidget(strip)
    strip.resize(220, 120)
    strip.show_items([Neighbour(i, form.format(i), "") for i in range(1, 9)])
    words = strip.words()
    assert len(set(words)) == 8
    assert all(str(i) in text for i, text in enumerate(words, start=1))
    wide = strip.fontMetrics().horizontalAdvance
    assert all(wide(text) <= 62 for text in words)
    bars = Bars("Bars", 0.4)
    qtbot.addWidget(bars)
    bars.show_bars(
        [*(HorizontalBar(str(i), form.format(i), "", 1) for i in range(1, 9)), HorizontalBar("", "5 others", "", 0)]
    )
    assert len(set(bars.words(88))) == 9
    assert bars.words(88)[-1] == "5 others"
    assert not bars.grab().toImage().isNull()
    assert not strip.grab().toImage().isNull()


def test_a_strip_finds_places_once_for_each_width(app, qtbot, monkeypatch):
    strip, found, find = NeighbourStrip("Neighbours"), [], NeighbourStrip._find_places
    qtbot.addWidget(strip)
    monkeypatch.setattr(NeighbourStrip, "_find_places", lambda strip, width: found.append(width) or find(strip, width))
    strip.show_items([Neighbour(i, f"s{i}", "") for i in range(8)])
    heights = [strip.heightForWidth(width) for width in (200, 300, 200, 300)]
    assert found == [200, 300]
    font = strip.font()
    font.setPixelSize(40)
    strip.setFont(font)
    assert strip.heightForWidth(200) > heights[0]
    strip.show_items([Neighbour(1, "s1", "")])
    assert strip.heightForWidth(200) < heights[0]


def test_the_likeliest_samples_are_found_without_sorting_all(monkeypatch):
    """With a million samples the card of the kept one froze the window at every edit."""
    p = np.round(np.random.default_rng(0).random((2, 4000)), 2)  # many are alike: the first of them come first
    p /= p.sum()
    expected = [str(row) for row in np.argsort(-p.sum(axis=0), kind="stable")[: point_sections.SHOWN]]
    sizes, sort = [], np.argsort
    monkeypatch.setattr(np, "argsort", lambda values, **how: sizes.append(len(values)) or sort(values, **how))
    data = MultiView({"a": np.zeros((4000, 1)), "b": np.zeros((4000, 1))})
    about = SimpleNamespace(sample=0, data=data, words=str)
    bars = point_sections._probability_bars(about, p, ("a", "b"))
    assert [bar.key for bar in bars[:-1]] == expected
    assert max(sizes) < 400


def test_the_card_says_why_there_are_no_neighbours(card, window, monkeypatch):
    section = card.sections["neighbours"]
    assert section.words.isHidden()
    lost = DataError("There is no room.", "Allow more memory.")
    monkeypatch.setattr(type(window.workbench.inspector), "lost", lost)
    window.kept.show()
    assert section.words.text() == "There is no room. Allow more memory."
    assert not section.words.isHidden()
