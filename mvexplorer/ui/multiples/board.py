"""The pictures of small multiples in rows and columns, linked with each other."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QPointF, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QScrollArea, QWidget

from mvexplorer.engine.metrics import LOWER_IS_BETTER
from mvexplorer.state.batches.multiples_run import SmallMultiples
from mvexplorer.state.document.multiples_grid import MultiplesGrid
from mvexplorer.ui.cloud.picture import Camera, Viewport
from mvexplorer.ui.cloud.rasteriser import PointStyle
from mvexplorer.ui.multiples.cell import Cell, score_of
from mvexplorer.ui.multiples.flow import columns_that_fit
from mvexplorer.ui.multiples.words import ingredient_scores, meaning, row_words, whole_parts
from mvexplorer.ui.pages.tune.sweep_words import at_text
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, retire, tip


class Board(QScrollArea):
    """A small picture for each row and column; those that fall away are kept for the next grid."""

    hovered = Signal(int, object, QPointF)
    selected = Signal(object, str, str)
    resized = Signal()
    """Pictures with captions have another width: their words may need other room."""
    chosen = Signal(int)
    """A picture is to become a panel: its number, counted along the rows."""

    def __init__(self, multiples: SmallMultiples) -> None:
        super().__init__()
        self.multiples = multiples
        self._shown: MultiplesGrid | None = None
        self._look: PointStyle | None = None
        self._placed, self._wide, self._score = 0, 1, ""
        self._camera = Camera.default()
        self.cells: list[Cell] = []
        self.heads: list[Label] = []
        inside = QWidget()
        self._grid = spaced(QGridLayout(inside), 0, 0, 0, 0, spacing=4)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._builder = QTimer(self, singleShot=True, interval=0)
        self._builder.timeout.connect(self._build)
        multiples.arrived.connect(self._show_cell)

    def show_grid(self, grid: MultiplesGrid | None) -> None:
        """Show another grid; the same pictures at other values stay where they are."""
        former, self._shown = self._shown, grid
        if former is not None and grid is not None and grid.of_ingredients and grid.captions == former.captions:
            self.show_all()
            return
        self._rebuild()

    @property
    def wide(self) -> int:
        """How many pictures stand beside each other."""
        grid = self._shown
        if grid is None or not grid.of_ingredients:
            return max(1, len(grid.columns) if grid is not None else 1)
        small = theme.px(theme.SMALL_PX)
        least = theme.px(148), theme.px(150)  # of a picture with its words
        room = self.viewport().width(), self.viewport().height()
        return columns_that_fit(len(grid.captions), room, least, 4 * small)

    def _rebuild(self) -> None:
        """Put the existing pictures into their places, and build the missing ones one after the other."""
        for head in self.heads:
            self._grid.removeWidget(head)
            retire(head)
        self.heads = []
        for cell in self.cells:
            self._grid.removeWidget(cell)
            cell.clear()
        if self._shown is None:
            return
        self._wide = self.wide
        high = -(-self._shown.size // self._wide)
        for k in range(max(self._grid.columnCount(), self._grid.rowCount(), self._wide + 1, high + 1)):
            self._grid.setColumnStretch(k, 1 if 1 <= k <= self._wide else 0)
            self._grid.setRowStretch(k, 1 if 1 <= k <= high else 0)
        if not self._shown.of_ingredients:
            self._add_heads(self._shown)
        self._placed = 0
        self._build()

    def _add_heads(self, grid: MultiplesGrid) -> None:
        here = self.multiples.centre
        for j, value in enumerate(grid.columns):
            head = Label(at_text(grid.across, value))
            head.setProperty("role", "best" if j == here and value == self.multiples.present(grid.across) else "muted")
            self._head(head, 0, j + 1, Qt.AlignmentFlag.AlignCenter)
        names_width = 112  # pixels of the names left of the rows
        width = theme.px(names_width if grid.down is None else names_width - 32)
        titles = row_words(grid.titles, width, theme.metrics(theme.font(theme.px(theme.BASE_PX))).horizontalAdvance)
        for i, title in enumerate(grid.titles):
            words = titles[i] if grid.down is None else at_text(grid.down, grid.rows[i])
            flat = f"\n{grid.across.symbol} has no effect" if self.multiples.flat(i) else ""
            head = Label(words + flat, wraps=True)
            head.setFixedWidth(width)
            head.setToolTip(tip(title + flat))
            self._head(head, i + 1, 0, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)

    def _head(self, head: Label, row: int, column: int, alignment: Qt.AlignmentFlag) -> None:
        head.setAlignment(alignment)
        self._grid.addWidget(head, row, column)
        self.heads.append(head)

    def _build(self) -> None:
        """Place the next few pictures."""
        if self._shown is None:
            return
        at_once = 4  # pictures built in one turn of the event loop: a few milliseconds each
        total, until = self._shown.size, self._placed + at_once
        while self._placed < total and (self._placed < len(self.cells) or self._placed < until):
            if self._placed == len(self.cells):
                self.cells.append(self._make_cell(self._placed))
            cell, place = self.cells[self._placed], divmod(self._placed, self._wide)
            cell.canvas.cloud.companions = total
            cell.canvas.set_camera(self._camera)
            if self._look is not None:
                cell.canvas.set_look(self._look)
            self._grid.addWidget(cell, place[0] + 1, place[1] + 1)
            cell.setMinimumHeight(theme.px(150 if self._shown.of_ingredients else 52))
            cell.show()
            self._placed += 1
            self._show_cell(*self.place_of(self._placed - 1))
        if self._placed < total:
            self._builder.start()

    def _make_cell(self, number: int) -> Cell:
        cell = Cell()
        canvas = cell.canvas
        if self.cells:
            canvas.set_frame(self.cells[0].canvas.frame)
        canvas.hovered.connect(lambda index, at: self.hovered.emit(index, canvas, at))
        canvas.selected.connect(lambda rows, how: self.selected.emit(rows, how, self.meaning(number)))
        canvas.camera_turned.connect(lambda camera: self.turn(camera, cell))
        canvas.frame_moved.connect(partial(self._frame, cell))
        cell.chosen.connect(lambda: self.chosen.emit(number))
        return cell

    def place_of(self, number: int) -> tuple[int, int]:
        """Row and column of a picture."""
        return divmod(number, max(1, len(self._shown.columns) if self._shown is not None else 1))

    def meaning(self, number: int) -> str:
        """Describe a picture in words."""
        return meaning(self._shown, *self.place_of(number))

    def _show_cell(self, row: int, column: int) -> None:
        grid = self._shown
        if grid is None or grid is not self.multiples.grid:
            return
        number = row * len(grid.columns) + column
        if number < min(self._placed, len(self.cells)):
            result = self.multiples.result(row, column)
            waiting = self.multiples.running
            click = "Click to adopt these ingredients, with Shift in all panels." if grid.of_ingredients else ""
            scores = ingredient_scores(result, self._score)[:1] if grid.of_ingredients else ()
            words = "\n".join((self.meaning(number), *scores))
            self.cells[number].show_result(words, result, waiting=waiting, click=click)

    def show_all(self) -> None:
        """Show all pictures as they are now."""
        for number in range(min(self._placed, len(self.cells))):
            self._show_cell(*self.place_of(number))

    def show_scores(self, chosen: str = "") -> str:
        """Show the chosen scores in the corners, the better of all the deeper; returns the id of the score."""
        grid, m = self._shown, self.multiples
        if grid is None or grid is not m.grid:
            return ""
        wide = len(grid.columns)
        every = {k: score_of(m.result(*divmod(k, wide)), chosen) for k in range(grid.size)}
        ids = [words[0] for words in every.values() if words is not None]
        self._score = id = chosen if chosen in ids else next(iter(ids), "")
        scores = {k: words for k, words in every.items() if words is not None and words[0] == id}
        values = [value for *_, value in scores.values()]
        low, high = min(values, default=0.0), max(values, default=0.0)
        for k, cell in enumerate(self.cells[: grid.size]):
            _, text, value = scores.get(k, ("", m.result(*divmod(k, wide)).draft_text, low))
            share = (value - low) / (high - low) if high > low else 0.0
            share = 1.0 - share if id in LOWER_IS_BETTER and high > low else share
            best = k in scores and id not in LOWER_IS_BETTER and round(low, 2) < round(value, 2) == round(high, 2)
            cell.show_score(text, share if k in scores else 0.0, best=best)
            if grid.of_ingredients:
                words = ingredient_scores(m.result(0, k), id)
                cell.show_words(whole_parts(grid.captions[k]), self._lines, words, present=m.is_present(k))
        if not m.running:
            self._tell_waiting()
        return id

    def _tell_waiting(self) -> None:
        """Say on the pictures that did not come that nobody computes them."""
        for number, cell in enumerate(self.cells[: self._shown.size if self._shown else 0]):
            if cell.words.text() == "…":
                self._show_cell(*self.place_of(number))

    def set_look(self, look: PointStyle | None) -> None:
        """Colours, visibility, selection and size of the points in all pictures."""
        smaller = 0.6  # how large points are beside those of a panel
        self._look = None if look is None else replace(look, size=max(1.0, smaller * look.size))
        if self._look is not None:
            for cell in self.cells:
                cell.canvas.set_look(self._look)

    def mark(self, index: int) -> None:
        """Ring the same sample in every picture."""
        for cell in self.cells:
            cell.canvas.mark(index)

    def turn(self, camera: Camera, turned: Cell | None = None) -> None:
        """See all pictures by this camera, as the one that the user turned."""
        self._camera = camera
        for cell in self.cells:
            if cell is not turned:
                cell.canvas.set_camera(camera)

    def _frame(self, moved: Cell, frame: Viewport) -> None:
        for cell in self.cells:
            if cell is not moved:
                cell.canvas.set_frame(frame)

    def abandon_gesture(self) -> bool:
        """Cancel a lasso in progress."""
        return bool([cell for cell in self.cells if cell.canvas.abandon_gesture()])

    @property
    def _lines(self) -> int:
        """How many lines the longest caption needs."""
        if self._shown is None or not self.cells:
            return 1
        metrics = theme.metrics(theme.font(theme.px(theme.SMALL_PX)))
        room = QRect(0, 0, max(40, self.cells[0].width() - 4), 1000)
        wraps = Qt.TextFlag.TextWordWrap
        high = max(metrics.boundingRect(room, wraps, whole_parts(text)).height() for text in self._shown.captions)
        return max(1, round(high / metrics.lineSpacing()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        grid = self._shown
        if grid is None or not grid.of_ingredients or grid is not self.multiples.grid:
            return
        if self.wide != self._wide:
            self._rebuild()
        self.resized.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._builder.stop()

    @property
    def idle(self) -> bool:
        """True if no picture is about to be built."""
        return not self._builder.isActive()
