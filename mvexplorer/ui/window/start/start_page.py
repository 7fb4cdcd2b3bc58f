"""The page shown without data: files to open, the user's own work, what was seen lately, and samples."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QScrollArea, QToolButton, QVBoxLayout, QWidget

from mvexplorer.datasets.catalogue import is_built_in, samples
from mvexplorer.io.reading.manifest import Manifest
from mvexplorer.resources import resource
from mvexplorer.state.session.kept import KeptWork
from mvexplorer.state.session.kept_picture import picture_path
from mvexplorer.state.session.session_file import SessionSummary
from mvexplorer.teaching.catalogue import all_lessons
from mvexplorer.teaching.lesson import Lesson
from mvexplorer.ui.lessons.words import length_words
from mvexplorer.ui.panels.header import drop_menu
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, add_action, sentence
from mvexplorer.ui.window.start.tile import (
    ACTION,
    GALLERY,
    LESSON,
    SAMPLE,
    SEEN,
    WORK,
    StartTile,
    TilePicture,
    TileWords,
)
from mvexplorer.ui.window.start.tile_grid import GAP, TileGrid
from mvexplorer.wording import counted, source_title

WIDEST = 1680
"""Of the page: in a wider window it stands in the middle."""
SEEN_MOST = 8
FEW_ROWS, HIGH = 2, 1000
"""Rows of samples in a window less high than this; a higher one has room for all."""
IN_GALLERY = ("lindenbaum2015-fig7", "bandwidth-fig4.7", "eynard2012-fig3")
"""Whose pictures stand for the gallery."""


class StartPage(QWidget):
    """Shown in place of the panels while there is no data; files can be dropped anywhere on it.

    `kept` is earlier work that can be continued; `recent` were opened before. Both are ordered, the latest first.
    """

    files_wanted = Signal()
    gallery_wanted = Signal()
    lessons_wanted = Signal()
    lesson_chosen = Signal(str)
    source_chosen = Signal(tuple)
    kept_chosen = Signal(Path)
    deletion_wanted = Signal(Path, str)
    """Earlier work is to go for good: its file, and a line about it."""

    def __init__(
        self,
        kept: Sequence[KeptWork],
        recent: tuple[tuple[str, ...], ...],
        done: Collection[str] = (),
        left: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__()
        self._kept, self._recent, self._done, self._left = list(kept), recent, done, left or {}
        self._of_file: dict[Path, StartTile] = {}
        self.entries, self.work, self.seen = TileGrid(across=2), TileGrid(), TileGrid()
        self.samples, self.lessons = TileGrid(FEW_ROWS), TileGrid(rows=1)
        self._more = QPushButton(f"Show all {len(samples())} samples")
        self._more.setAutoDefault(True)  # for Return
        self._more.clicked.connect(self._show_more)
        self._unfolded = False
        self.samples.arranged.connect(self._fold)
        outer = spaced(QVBoxLayout(self), 0, 0, 0, 0)
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        outer.addWidget(self.area)
        inner, page = QWidget(), QWidget()
        self.area.setWidget(inner)
        page.setMaximumWidth(WIDEST)
        centre = spaced(QHBoxLayout(inner), 0, 0, 0, 0)
        centre.addStretch(1)
        centre.addWidget(page, 1000)
        centre.addStretch(1)
        self._fill(spaced(QVBoxLayout(page), 24, 24, 24, 24, spacing=GAP))

    def _fill(self, column: QVBoxLayout) -> None:
        column.addStretch(1)
        column.addWidget(Label("Multi-view diffusion geometry", "hero"))
        lead = (
            "Load several views of the same samples, drag a bandwidth, and watch every method answer side by side. "
            "Drop files anywhere."
        )
        column.addWidget(Label(lead, wraps=True))
        column.addSpacing(GAP)
        column.addWidget(self.entries)
        self._work_head = Label("Your work: it stays here until you delete it", "section")
        self._seen_head = Label("Seen lately", "section")
        parts = (
            (self._work_head, self.work),
            (self._seen_head, self.seen),
            (self._lessons_head(), self.lessons),
            (Label("Samples by what they show", "section"), self.samples),
        )
        for head, grid in parts:
            head.setContentsMargins(0, 2 * GAP, 0, 0)
            column.addWidget(head)
            column.addWidget(grid)
        column.addWidget(self._more, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(4)
        self.entries.show_tiles(self._connected(self._make_entries()))
        self._show_kept()
        self.lessons.show_tiles(self._connected(map(self._of_lesson, self._lessons_in_turn())))
        self.samples.show_tiles(self._connected(map(self._of_sample, samples())))

    def _lessons_head(self) -> QWidget:
        whole, every = QWidget(), QPushButton(f"All {len(all_lessons())} lessons")
        row = spaced(QHBoxLayout(whole), 0, 0, 0, 0, spacing=GAP)
        every.setProperty("role", "line")
        every.setAutoDefault(True)  # for Return
        every.clicked.connect(self.lessons_wanted)
        row.addWidget(Label("Lessons: one idea in a few minutes", "section"))
        row.addWidget(every)
        row.addStretch(1)
        return whole

    def _connected(self, tiles: Iterator[StartTile]) -> list[StartTile]:
        all_tiles = list(tiles)
        for tile in all_tiles:
            tile.stepped.connect(partial(self._step, tile))
        return all_tiles

    # What can be opened -------------------------------------------------------------------------------------

    def _make_entries(self) -> Iterator[StartTile]:
        kinds = "CSV, Excel, Parquet, MAT, NPZ, HDF5, AnnData …: one file per view, or all in one."
        words = TileWords("Open files …", ((kinds,),), f"Open files …: {kinds}")
        yield StartTile(ACTION, words, TilePicture("folder-open"), self.files_wanted.emit)
        about = "Figures and tables of five papers, recomputed: open one, turn it, and see whether its claim holds."
        words = TileWords("Gallery of the papers", ((about,),), f"Gallery of the papers: {about}")
        picture = TilePicture("layout-grid", gallery=IN_GALLERY)
        yield StartTile(GALLERY, words, picture, self.gallery_wanted.emit)

    def _of_sample(self, sample: Manifest) -> StartTile:
        name = " · ".join((*sample.title.split(": ")[:-1], counted(len(sample.views), "view")))
        about = f"{sample.title}\n{sample.look}\n\n{sample.summary}"
        words = TileWords(sample.shows, ((name,),), f"{sample.shows}. {sample.title}: {sample.look}", about)
        picture = TilePicture("flask-conical", resource("samples", f"{sample.id}.png"))
        return StartTile(SAMPLE, words, picture, partial(self.source_chosen.emit, (sample.id,)))

    def _lessons_in_turn(self) -> list[Lesson]:
        """The lessons from the first that is not done: those before it come last, marked."""
        return sorted(all_lessons(), key=lambda lesson: lesson.id in self._done)

    def _of_lesson(self, lesson: Lesson) -> StartTile:
        left = min(self._left.get(lesson.id, 0), len(lesson.steps) - 1)
        length = length_words(lesson, left, self._done)
        words = TileWords(lesson.title, ((lesson.idea,), (length,)), f"Lesson: {lesson.title}, {length}. {lesson.idea}")
        sign = TilePicture("circle-check" if lesson.id in self._done else "circle")
        return StartTile(LESSON, words, sign, partial(self.lesson_chosen.emit, lesson.id))

    # Earlier work -------------------------------------------------------------------------------------------

    def _show_kept(self) -> None:
        own = _by_data(work for work in self._kept if work.about.own_work)
        seen = [pieces[0] for pieces in _by_data(work for work in self._kept if not work.about.own_work)]
        shown = {(sample.id,) for sample in samples()} | {work.about.source for work in self._kept}
        before = [source for source in self._recent if source not in shown]
        tiles = (*map(self._of_seen, seen), *map(self._of_recent, before))
        self.work.show_tiles(self._connected(map(self._of_work, own)))
        self.seen.show_tiles(self._connected(iter(tiles[:SEEN_MOST])))
        for head, grid in ((self._work_head, self.work), (self._seen_head, self.seen)):
            head.setVisible(bool(grid.tiles))
            grid.setVisible(bool(grid.tiles))

    def _of_work(self, pieces: Sequence[KeptWork]) -> StartTile:
        """The tile of all own work on the same data: it continues the latest, and lists the others."""
        latest, *earlier = pieces
        about, names = latest.about, latest.about.selections
        whole = f"{'Selection' if len(names) == 1 else 'Selections'} {', '.join(names)}"
        selections = ((whole, counted(len(names), "selection")),) if names else ()
        size = f"{counted(about.panels, 'panel')} · {latest.age}"
        spoken = f"Continue {about.title}: {latest.line.removeprefix(f'{about.title}, ')}"
        words = TileWords(_head(about), (*selections, (size,)), spoken, f"Continue {latest.line}")
        tile = StartTile(WORK, words, TilePicture("history", picture_path(latest.path)), self._continuing(latest))
        self._add_delete(tile, latest)
        if earlier:
            others = QToolButton()
            others.setText(f"{len(earlier)} earlier ▾")
            others.setObjectName("link")  # it has a ground: the picture is below
            others.setProperty("role", "small")
            others.setAccessibleName(f"{len(earlier)} earlier: other work on {about.title}")
            others.setToolTip("Other work on the same data")
            others.clicked.connect(lambda: self._list(others, earlier))
            tile.add_button(others)
        return tile

    def _of_seen(self, work: KeptWork) -> StartTile:
        about = work.about
        spoken = f"Seen lately, {about.title}: {counted(about.panels, 'panel')} · {work.age}"
        words = TileWords(_head(about), ((work.age,),), spoken)
        tile = StartTile(SEEN, words, TilePicture("history", picture_path(work.path)), self._continuing(work))
        self._add_delete(tile, work)
        return tile

    def _of_recent(self, source: tuple[str, ...]) -> StartTile:
        title = source_title(source)
        words = TileWords(title, (("opened earlier",),), f"{title}: opened earlier", "\n".join(source))
        return StartTile(SEEN, words, TilePicture("history"), partial(self.source_chosen.emit, source))

    def _continuing(self, work: KeptWork) -> partial[None]:
        return partial(self.kept_chosen.emit, work.path)

    def _list(self, button: QToolButton, works: Sequence[KeptWork]) -> None:
        menu = QMenu(button)
        for work in works:
            action = add_action(menu, work.line.removeprefix(f"{work.about.title}, "))
            action.triggered.connect(self._continuing(work))
        drop_menu(button, menu)

    def _add_delete(self, tile: StartTile, work: KeptWork) -> None:
        button = QToolButton()
        self._of_file[work.path] = tile
        button.setObjectName("delete")
        button.setIcon(theme.icon("x"))
        theme.square(button)
        button.setToolTip("Delete this work (Del)")
        button.setAccessibleName(sentence(f"Delete this work: {work.line}"))
        button.clicked.connect(tile.delete_wanted)
        tile.delete_wanted.connect(lambda: self.deletion_wanted.emit(work.path, work.line))
        tile.add_button(button)

    def take_away(self, path: Path) -> None:
        """Earlier work is gone: what else there is on its data takes its place, and the next tile has the keys."""
        place = self.tiles.index(self._of_file[path]) if path in self._of_file else 0
        self._kept = [work for work in self._kept if work.path != path]
        self._show_kept()
        self._focus(self.tiles[min(place, len(self.tiles) - 1)])

    def apply_theme(self) -> None:
        """Draw the icons in the theme's colours; tiles are painted in them anyway."""
        for button in self.findChildren(QToolButton, "delete"):
            button.setIcon(theme.icon("x"))

    # Keys and room ------------------------------------------------------------------------------------------

    @property
    def tiles(self) -> list[StartTile]:
        """The tiles that are shown, as they are read."""
        grids = (self.entries, self.work, self.seen, self.lessons, self.samples)
        return [tile for grid in grids for tile in grid.tiles if tile.isVisibleTo(self)]

    def _step(self, tile: StartTile, by: QPoint) -> None:
        """Give the keys to the tile before or after one, or to the nearest of the row above or below."""
        tiles = self.tiles
        middles = {each: each.mapTo(self, each.rect().center()) for each in tiles}
        if by.x():
            place = tiles.index(tile) + by.x()
            target = tiles[min(max(place, 0), len(tiles) - 1)]
        else:
            here = middles[tile]
            ahead = [each for each in tiles if (middles[each].y() - here.y()) * by.y() > tile.height() // 4]
            if not ahead:
                return
            target = min(ahead, key=lambda e: (abs(middles[e].y() - here.y()), abs(middles[e].x() - here.x())))
        self._focus(target)

    def _focus(self, tile: StartTile) -> None:
        tile.setFocus(Qt.FocusReason.OtherFocusReason)
        self.area.ensureWidgetVisible(tile, 0, GAP)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        first, *_ = (*self.work.tiles, *self.entries.tiles)
        self._focus(first)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def _fold(self) -> None:
        self.samples.show_rows(None if self._unfolded or self.height() >= HIGH else FEW_ROWS)
        self._more.setVisible(not self.samples.shows_all)

    def _show_more(self) -> None:
        seen = sum(tile.isVisibleTo(self) for tile in self.samples.tiles)
        self._unfolded = True
        self._fold()
        self._focus(self.samples.tiles[seen])


def _head(about: SessionSummary) -> str:
    """The title of data in few words: a sample's name is before its colon."""
    return about.title.partition(": ")[0] if all(map(is_built_in, about.source)) else about.title


def _by_data(works: Iterator[KeptWork]) -> list[list[KeptWork]]:
    """Pieces of work on the same data together, the latest first."""
    groups: dict[str, list[KeptWork]] = {}
    for work in works:
        groups.setdefault(work.about.data, []).append(work)
    return list(groups.values())
