"""The start page: what its tiles show, say and open, and how the hands get to them."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from gestures import KEY, LEFT
from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QToolButton, QWidget
from windows import small_data

from mvexplorer.datasets.catalogue import samples
from mvexplorer.resources import resource
from mvexplorer.state.session.kept import kept_path, kept_work
from mvexplorer.state.session.kept_picture import picture_path
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import CLASSES, class_colours, in_other_theme, scale_colours
from mvexplorer.ui.window.start import tile as tile_module
from mvexplorer.ui.window.start.start_page import IN_GALLERY, SEEN_MOST, StartPage
from mvexplorer.ui.window.start.tile import SEEN, WORK, StartTile, TilePicture, TileWords, wrapped
from mvexplorer.ui.window.start.work_picture import SIDES, read_picture, work_picture
from mvexplorer.ui.window.tab_order import reading_order

LONG = "patients_2024_visit3_normalised_batch_corrected_without_outliers_and_with_all_controls_final_final_v2.csv"
NAMES = (LONG, "数据集_基因表达_第三批.csv", "بيانات المرضى.csv", "a & <b>c.csv", "x.csv")


def keep(number: int, *source: str, own: bool = True, named: tuple[str, ...] = (), picture: bytes = b"") -> Path:
    """A kept file, the later the larger its number, with or without a picture."""
    path = kept_path(number)
    path.parent.mkdir(exist_ok=True)
    state = {"source": source, "panels": [{}], "selections": {"named": [{"name": name} for name in named]}}
    path.write_text(json.dumps({"state": state, "own_work": own}))
    os.utime(path, (number, number))
    if picture:
        picture_path(path).write_bytes(picture)
    return path


@pytest.fixture
def make_page(app, qtbot):
    """Makes start pages of the present kept work."""

    def make(recent: tuple[tuple[str, ...], ...] = (), size: tuple[int, int] = (1280, 692)) -> StartPage:
        page = StartPage(kept_work(99), recent)
        qtbot.addWidget(page)
        page.resize(*size)
        with qtbot.waitExposed(page):
            page.show()
        page.activateWindow()
        qtbot.waitUntil(page.isActiveWindow)
        return page

    return make


def heads(tiles: list[StartTile]) -> list[str]:
    return [tile.words.head for tile in tiles]


def spoken(tiles: list[StartTile]) -> list[str]:
    return [tile.accessibleName() for tile in tiles]


# What is offered --------------------------------------------------------------------------------------------------


def test_without_earlier_work_files_come_first_and_samples_by_what_they_show(make_page):
    page = make_page()
    assert heads(page.entries.tiles) == ["Open files …", "Gallery of the papers"]
    assert not page.work.isVisible()
    assert not page.seen.isVisible()
    assert heads(page.samples.tiles) == [sample.shows for sample in samples()]
    assert page.samples.tiles[1].accessibleName() == (
        "Handwritten digits in six views. UCI handwritten digits: six feature sets: Fourier features alone confuse 6 "
        "with 9."
    )
    assert page.focusWidget() is page.entries.tiles[0]


def test_own_work_is_one_tile_for_each_data_set_the_latest_first(make_page, qtbot):
    keep(1, "/data/mine.csv", named=("odd ones",))
    keep(2, "/data/other.csv")
    keep(3, "/data/mine.csv", named=("odd ones", "even ones"))
    page = make_page()
    assert heads(page.work.tiles) == ["mine.csv", "other.csv"]
    mine, other = page.work.tiles
    assert mine.accessibleName().startswith("Continue mine.csv: 1 panel, selections odd ones and even ones · ")
    assert mine.words.lines[0] == ("Selections odd ones, even ones", "2 selections")
    assert page.focusWidget() is mine
    assert other.findChild(QToolButton, "link") is None
    mine.findChild(QToolButton, "link").click()
    (menu,) = mine.findChildren(QMenu)
    (entry,) = menu.actions()
    assert entry.text().startswith("1 panel, selection odd ones · ")
    with qtbot.waitSignal(page.kept_chosen) as asked:
        entry.trigger()
    menu.close()
    assert asked.args == [kept_path(1)]


def test_what_goes_leaves_its_place_to_other_work_on_the_same_data_and_its_keys_to_the_next(make_page):
    for number, name in enumerate(("mine.csv", "other.csv", "mine.csv"), start=1):
        keep(number, name)
    page = make_page()
    page.take_away(kept_path(3))
    assert heads(page.work.tiles) == ["other.csv", "mine.csv"]
    assert page.focusWidget() is page.work.tiles[0]
    page.take_away(kept_path(1))
    assert page.focusWidget() is page.lessons.tiles[0]
    page.take_away(kept_path(2))
    assert not page.work.isVisible()
    assert page.focusWidget().isVisible()


def test_what_was_seen_lately_is_below_own_work_and_nothing_is_there_twice(make_page):
    keep(1, "mine.csv")
    keep(2, "helix-a", own=False)
    keep(3, "helix-a", own=False)
    keep(4, "/data/seen.csv", own=False)
    recent = (("/data/seen.csv",), ("helix-a",), *((f"/data/{i}.csv",) for i in range(20)))
    page = make_page(recent)
    assert heads(page.work.tiles) == ["mine.csv"]
    assert heads(page.seen.tiles) == ["seen.csv", "Helix A", *(f"{i}.csv" for i in range(SEEN_MOST - 2))]
    assert spoken(page.seen.tiles)[1].startswith("Seen lately, Helix A: a ring that no single view closes: 1 panel · ")
    assert spoken(page.seen.tiles)[2] == "0.csv: opened earlier"
    assert page.work.mapTo(page, QPoint()).y() < page.seen.mapTo(page, QPoint()).y()


def test_samples_beyond_two_rows_come_when_asked_for_or_where_there_is_room(make_page, qtbot):
    page = make_page()
    shown = [tile for tile in page.samples.tiles if tile.isVisible()]
    assert len(shown) == 10
    assert page._more.text() == f"Show all {len(samples())} samples"
    page._more.setFocus()
    QTest.keyClick(page._more, KEY.Key_Return)
    assert all(tile.isVisible() for tile in page.samples.tiles)
    assert not page._more.isVisible()
    assert page.focusWidget() is page.samples.tiles[10]
    high = make_page(size=(2560, 1400))
    assert all(tile.isVisible() for tile in high.samples.tiles)
    assert not high._more.isVisible()


# How it is opened -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", [KEY.Key_Return, KEY.Key_Enter, KEY.Key_Space, LEFT])
def test_every_kind_of_tile_opens_by_return_space_and_click(make_page, qtbot, by):
    keep(1, "mine.csv")
    keep(2, "helix-b", own=False)
    page = make_page((("/data/before.csv",),))
    opened = []
    page.files_wanted.connect(partial(opened.append, "files"))
    page.gallery_wanted.connect(partial(opened.append, "gallery"))
    page.kept_chosen.connect(opened.append)
    page.source_chosen.connect(opened.append)
    for tile in (*page.entries.tiles, *page.work.tiles, *page.seen.tiles, page.samples.tiles[0]):
        if by is LEFT:
            QTest.mouseClick(tile, LEFT)
        else:
            tile.setFocus()
            QTest.keyClick(tile, by)
    assert opened == ["files", "gallery", kept_path(1), kept_path(2), ("/data/before.csv",), ("helix-a",)]


def test_delete_asks_for_what_can_be_deleted_and_for_nothing_else(make_page):
    keep(1, "mine.csv")
    page = make_page()
    asked = []
    page.deletion_wanted.connect(lambda *what: asked.append(what))
    for tile in (*page.entries.tiles, *page.work.tiles, page.samples.tiles[0]):
        QTest.keyClick(tile, KEY.Key_Delete)
    ((path, line),) = asked
    assert path == kept_path(1)
    assert line.startswith("mine.csv, 1 panel · ")
    (button,) = page.findChildren(QToolButton, "delete")
    assert button.accessibleName() == f"Delete this work: {line}"
    button.click()
    assert asked == 2 * [(path, line)]


def test_tab_and_arrows_reach_every_tile(make_page):
    for number, name in enumerate(NAMES, start=1):
        keep(number, name)
    page = make_page((("/data/before.csv",),))
    tiles = page.tiles
    assert len(tiles) == 2 + len(NAMES) + 1 + 4 + 10
    assert [widget for widget in reading_order(page) if isinstance(widget, StartTile)] == tiles
    tiles[0].setFocus()
    for tile in tiles:
        assert page.focusWidget() is tile
        assert not tile.visibleRegion().isEmpty()  # it is scrolled to
        QTest.keyClick(tile, KEY.Key_Right)
    assert page.focusWidget() is tiles[-1]
    page.work.tiles[1].setFocus()
    for key, target in (
        (KEY.Key_Down, page.seen.tiles[0]),
        (KEY.Key_Down, page.lessons.tiles[0]),
        (KEY.Key_Down, page.samples.tiles[0]),
        (KEY.Key_Down, page.samples.tiles[5]),
        (KEY.Key_Left, page.samples.tiles[4]),
        (KEY.Key_Up, page.lessons.tiles[3]),
    ):
        QTest.keyClick(page.focusWidget(), key)
        assert page.focusWidget() is target


# What is drawn ----------------------------------------------------------------------------------------------------


def test_names_are_whole_where_two_lines_hold_them_and_lose_their_middle_where_not(app):
    font, width = theme.font(13, bold=True), 200
    for name in NAMES:
        lines = wrapped(name, font, width, 2)
        assert 1 <= len(lines) <= 2
        assert max(map(theme.metrics(font).horizontalAdvance, lines)) <= width
        assert "\u200b" not in "".join(lines)
        assert ("".join(lines) == name) == (name != LONG), lines
    assert wrapped(LONG, font, width, 2)[0].startswith("patients_2024")
    assert wrapped(LONG, font, width, 2)[-1].endswith("final_v2.csv")
    assert wrapped("batch_corrected_final_v2_expression.csv", font, width, 2)[0].endswith("_")  # between words


@pytest.mark.parametrize("content", [b"", b"no picture", "cut", "other size"])
def test_work_without_a_whole_picture_has_a_glyph(app, qtbot, tmp_path, content):
    path, whole = tmp_path / "a.png", resource("samples", "blobs.png")
    if content == "cut":
        path.write_bytes(whole.read_bytes()[:400])
    elif content == "other size":
        QImage(SIDES, QImage.Format.Format_RGB32).save(str(path))
    elif content:
        path.write_bytes(content)
    pictures = [TilePicture("history", path), TilePicture("history")]
    assert [picture.images() for picture in pictures] == [[], []]
    drawn = []
    for picture in pictures:
        tile = StartTile(WORK, TileWords("A", (("1 panel",),), "A"), picture, lambda: None)
        qtbot.addWidget(tile)
        tile.resize(tile.sizeHint())
        drawn.append(tile.grab().toImage())
    assert drawn[0] == drawn[1]
    blank = drawn[0].pixelColor(8, 20)
    middle = QPoint(drawn[0].width() // 2, theme.px(50))
    around = {drawn[0].pixelColor(middle.x() + dx, middle.y() + dy).name() for dx in range(-12, 13) for dy in (-9, 0)}
    assert around - {blank.name()}


def test_every_sample_and_the_gallery_have_their_pictures_and_they_are_small(app):
    paths = [resource("samples", f"{sample.id}.png") for sample in samples()]
    assert all(len(TilePicture("x", path).images()) == 1 for path in paths)
    assert len(TilePicture("x", gallery=IN_GALLERY).images()) == 3
    assert sum(path.stat().st_size for path in paths) < 300_000
    assert len({sample.shows for sample in samples()}) == len(samples())


def test_a_tile_says_the_first_words_that_have_room(app, qtbot):
    words = TileWords("A", (("Selections " + ", ".join(20 * ["odd ones"]), "20 selections"),), "A")
    drawn = []
    for each in (words, TileWords("A", (("20 selections",),), "A")):
        tile = StartTile(SEEN, each, TilePicture("history"), lambda: None)
        qtbot.addWidget(tile)
        tile.resize(tile.sizeHint())
        drawn.append(tile.grab().toImage())
    assert drawn[0] == drawn[1]


@pytest.mark.panels(3)
def test_a_picture_of_work_has_a_cell_for_each_panel_and_colours_for_either_theme(window, rest, tmp_path):
    taken = work_picture(window.grid)
    assert [panel.cell[:2] for panel in taken.panels] == [(0, 0), (164, 0), (0, 104)]
    n = small_data().n_samples
    assert [len(panel.xy) for panel in taken.panels] == 3 * [n]
    for panel in taken.panels:
        assert (panel.xy >= 0).all()
        assert (panel.xy <= panel.cell[2:]).all()
    path = tmp_path / "a.png"
    path.write_bytes(taken.png())
    for dark, name in ((False, "light"), (True, "dark")):
        image = read_picture(str(path), dark)
        assert image.size() == SIDES
        seen = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
        assert set(CLASSES[name][:3]) & seen
    window.grid.toggle_maximised("p2")
    (alone,) = work_picture(window.grid).panels
    assert alone.cell == (0, 0, SIDES.width(), SIDES.height())
    window.grid.toggle_maximised("p2")


@pytest.mark.nightly
def test_nothing_is_taken_before_the_first_picture(make_window, rest):
    window = make_window()
    assert work_picture(window.grid) is None
    window.library.open_source(("circles",))
    rest(window)
    assert work_picture(window.grid) is not None


def test_tiles_grow_with_the_type_and_icons_follow_the_theme(make_window, rest, qtbot):
    keep(1, "mine.csv")
    window = make_window((1280, 720), keep=True)
    (tile,) = window.start.work.tiles
    former, icon = tile.size(), tile.corner[0].icon().cacheKey()
    window.behaviour.zoom(1.5)
    qtbot.waitUntil(lambda: tile.height() > former.height())
    assert tile.height() == tile.sizeHint().height() <= window.start.work.height()
    window.behaviour.zoom(None)
    qtbot.waitUntil(lambda: tile.size() == former)
    window.workbench.change_settings(theme="dark")
    assert tile.corner[0].icon().cacheKey() != icon
    window.workbench.change_settings(theme="light")


@pytest.mark.parametrize("kind", ["classes", "continuous", "cyclic", "diverging"])
def test_colours_of_points_are_known_in_the_other_theme(kind):
    table = class_colours if kind == "classes" else scale_colours
    light, dark = (table(10 if kind == "classes" else kind, name).astype(int) for name in ("light", "dark"))
    assert light.shape == dark.shape
    step = 0 if kind == "classes" else 8  # neighbours on a scale may be one colour in one theme
    assert abs(in_other_theme(light.astype(np.uint8), "light").astype(int) - dark).max() <= step
    assert abs(in_other_theme(dark.astype(np.uint8), "dark").astype(int) - light).max() <= step
    strange = np.array([[1, 2, 3], light[0]], np.uint8)
    assert in_other_theme(strange, "light").tolist() == [[1, 2, 3], dark[0].tolist()]


# Many snapshots ---------------------------------------------------------------------------------------------------


def test_two_hundred_snapshots_in_kept_work_are_one_tile_with_one_picture(make_page, window, monkeypatch):
    read = []
    monkeypatch.setattr(tile_module, "read_picture", lambda path, dark: read.append(path) or read_picture(path, dark))
    path, counts = keep(1, "a.csv", picture=work_picture(window.grid).png()), []
    picture = "A" * 20_000  # as long as the text of a snapshot's own
    for n in (0, 200):
        content = json.loads(path.read_text())
        state = {"source": ["a.csv"], "panels": [{}]}
        kept = [{"name": f"s{i}", "state": state, "staging": {"picture": picture}} for i in range(n)]
        content["state"]["snapshots"] = {"kept": kept}
        path.write_text(json.dumps(content))
        read.clear()
        page = make_page()
        page.grab()
        counts.append((len(page.findChildren(QWidget)), len(page.findChildren(StartTile)), len(read)))
        page.close()
    assert counts[0] == counts[1]
    assert read.count(str(picture_path(path))) == 1
