"""The page of small multiples: a form, and below it a small picture for each row and column."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from mvexplorer.engine.api.cost import Alternative
from mvexplorer.state.batches.multiples_run import SmallMultiples
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.multiples_grid import MultiplesGrid, few_of
from mvexplorer.state.pictures.colouring import Colouring, in_one
from mvexplorer.state.pictures.scoring import SCORES, STABILITY, available_scores
from mvexplorer.ui.cloud.rasteriser import PointStyle
from mvexplorer.ui.multiples.board import Board
from mvexplorer.ui.multiples.rows import RowsAndColumns
from mvexplorer.ui.multiples.words import neighbour_words
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, Name, line, retire, tip

LONGEST = 24
"""Most characters of a score's title."""
MANY = 1000
"""Samples from which an approximation is offered."""


class MultiplesPage(QWidget):
    """Stands in the panels' place; its pictures are linked with each other and with the right side."""

    figure_wanted = Signal()

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench, self._editor = workbench, workbench.editor
        self.multiples: SmallMultiples = workbench.multiples
        self._shown: MultiplesGrid | None = None
        self._walk = ""
        """Whose walk colours all pictures, where the panels have each their own."""
        self.board = Board(self.multiples)
        self.board.chosen.connect(self._choose)
        self.setAccessibleName("Small multiples")
        column = spaced(QVBoxLayout(self), 8, 8, 8, 8, spacing=8)
        self._make_top(column)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(3)
        row = QHBoxLayout()  # a line of its own: beside the buttons the words lost their middle
        column.addLayout(row)
        row.setSpacing(8)
        row.addWidget(self.words, 2)
        row.addWidget(self.bar, 1)
        self.about = Label(role="muted", wraps=True)
        column.addWidget(self.about)
        column.addWidget(self._make_gate())
        column.addWidget(self.board, 1)
        self._soon = QTimer(self, singleShot=True, interval=60)
        self._soon.timeout.connect(self._show_scores)
        self.board.resized.connect(self._soon.start)
        self._drafts = QTimer(self, singleShot=True, interval=0)  # between two portions the window answers
        self._drafts.timeout.connect(self._draft)
        self.multiples.changed.connect(self.show_multiples)
        self.multiples.arrived.connect(lambda *_: self._soon.start())

    # Construction -------------------------------------------------------------------------------------------

    def _make_top(self, column: QVBoxLayout) -> None:
        self.choices = RowsAndColumns(self._editor, self.multiples.present)
        self.words = Name(role="muted")
        self.stop, self.figure, self.back = QPushButton("Stop"), QPushButton("Figure …"), QPushButton("Panels")
        self.stop.clicked.connect(self._stop_or_go_on)
        self.figure.clicked.connect(self.figure_wanted)
        self.figure.setToolTip("Write all pictures as one figure, with a caption: PNG, SVG or PDF; once one is there")
        self.figure.setEnabled(False)
        self.back.clicked.connect(self.leave)
        self.back.setToolTip("Back to the panels (Esc)")
        row, grid = QHBoxLayout(), QGridLayout()
        column.addLayout(grid)
        self.choices.fill(grid)
        grid.addLayout(row, 0, 3)
        row.setSpacing(8)
        row.addStretch(1)
        for button in (self.stop, self.figure, self.back):
            row.addWidget(button)
        self.score = QComboBox()
        self.score.setAccessibleName("Score in the corners")
        self.score.setToolTip("The score in the corners. Shift with ε takes two more pictures for each one.")
        self.score.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.score.setMinimumContentsLength(7)  # fewest characters of a choice in sight
        self.score.activated.connect(lambda _: self._choose_score())
        row.insertWidget(0, self.score)
        self.target = QComboBox()
        self.target.setAccessibleName("What a click changes")
        self.target.setToolTip("What a click on a picture gives its ingredients to; with Shift always all panels")
        for words, everywhere in (("A click changes this panel", False), ("A click changes all panels", True)):
            self.target.addItem(words, everywhere)
        self.choices.add(self.target)

    def _make_gate(self) -> QWidget:
        """Make the words and buttons shown where there is no grid, or before one that takes long."""
        self.gate = QWidget()
        column = spaced(QVBoxLayout(self.gate), 16, 16, 16, 16, spacing=8)
        self.gate_words = Label(wraps=True)
        self.gate_words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.addWidget(self.gate_words)
        self._offers = spaced(QHBoxLayout(), spacing=8)
        self.offers: list[QPushButton] = []
        middle = QHBoxLayout()
        column.addLayout(middle)
        middle.addStretch(1)
        middle.addLayout(self._offers)
        middle.addStretch(1)
        return self.gate

    def apply_theme(self) -> None:
        """Use the current theme's colours."""
        self.show_multiples()
        self.board.show_all()

    # What is shown ------------------------------------------------------------------------------------------

    def show_multiples(self) -> None:
        """Show the grid as far as it is computed."""
        m = self.multiples
        if not self._editor.state.multiples.shown:
            return
        if m.grid is not self._shown:
            self._shown = m.grid
            self.choices.show_grid(m.grid)
            self.target.setVisible(m.grid is not None and m.grid.of_ingredients)
            self._tell_about()
            self.board.show_grid(m.grid)
            self._drafts.start()
        done = m.total - m.missing
        self.bar.setRange(0, max(1, m.total))
        self.bar.setValue(done)
        self.bar.setVisible(m.running)
        self.stop.setText("Stop" if m.running else "Go on")
        self.stop.setVisible(m.running or (m.missing > 0 and m.asked is None))
        self.figure.setEnabled(m.drawn)
        self._show_gate()
        self._soon.start()

    def _tell_about(self) -> None:
        """Say in which order ingredients stand, by whose neighbours they are scored, and what is left out."""
        grid = self.multiples.grid
        shown = grid is not None and grid.of_ingredients
        neighbours = neighbour_words(self.multiples.neighbours) if shown else ""
        parts = [
            "Nearest to the paper first, this panel in bold",
            neighbours,
            *(grid.notes if grid is not None else ()),
        ]
        self.about.setText(" · ".join(filter(None, parts)) if shown else "")
        self.about.setVisible(shown)

    def _draft(self) -> None:
        if self.multiples.draft():
            self._drafts.start()

    def show_look(self, look: PointStyle | None, colouring: Colouring | None) -> None:
        """Show the points as the panels do; where panels differ in their colours, all pictures have those of one."""
        one = in_one(colouring)
        self._walk = "" if one is None or one is colouring else one.title
        self.board.set_look(look)
        self._soon.start()

    def _show_gate(self) -> None:
        m = self.multiples
        for button in self.offers:
            self._offers.removeWidget(button)
            retire(button)
        self.offers = []
        self.gate.setVisible(m.problem is not None or m.asked is not None)
        if m.problem is not None:
            self.gate_words.setText(f"{m.problem.message} {m.problem.hint}")
        elif m.asked is not None:
            cost = Alternative("", m.asked).cost
            self.gate_words.setText(f"{m.missing} pictures to compute and {m.total} to keep: {cost}.")
            self._make_offers()

    def _make_offers(self) -> None:
        data, grid, editor = self._workbench.document.data, self.multiples.grid, self._editor
        n = 0 if data is None else data.n_samples
        offers: list[tuple[str, Callable[[], object]]] = [("Compute all", partial(self.multiples.go_on, agreed=True))]
        few = 5
        if grid is not None and len(grid.columns) > few and not grid.of_ingredients:
            values = few_of(grid.columns, few)
            fewer = partial(editor.change_multiples, "Fewer columns", column_values=values)
            offers.append((f"{len(values)} columns", fewer))
        if n > MANY:
            offers.append(("All panels by 64 nearest neighbours", partial(editor.compute_by, "knn-64", None)))
        many_more = 4000  # samples from which a random part of them is offered
        if n > many_more:
            offers.append(("All panels by a part of 4,000", partial(editor.compute_by, "gaussian", many_more)))
        for text, do in offers:
            button = QPushButton(text)
            button.clicked.connect(lambda _=False, d=do: d())
            self._offers.addWidget(button)
            self.offers.append(button)

    def _show_scores(self) -> None:
        state, data = self._editor.state, self._workbench.document.data
        words = {} if data is None else available_scores(state, data)
        self._offer_scores({id: each.title for id, each in words.items()})
        id = self.board.show_scores(state.multiples.score)
        scored = (result.scores for _, result in self.multiples.each() if result.scores is not None)
        variable = next((scores.hidden.variable for scores in scored if scores.hidden is not None), "")
        self._say(SCORES[id].of(variable).title if id else "")

    def _offer_scores(self, titles: dict[str, str]) -> None:
        """Offer the scores that pictures have, and how far samples move with ε."""
        titles = {**titles, STABILITY: SCORES[STABILITY].title}
        chosen = self._editor.state.multiples.score
        if [self.score.itemData(i) for i in range(self.score.count())] != [*titles]:
            self.score.clear()
            for id, title in titles.items():
                self.score.addItem(line(title, LONGEST), id)
                self.score.setItemData(self.score.count() - 1, tip(SCORES[id].meaning), Qt.ItemDataRole.ToolTipRole)
        self.score.setCurrentIndex(max(0, self.score.findData(chosen)))

    def _choose_score(self) -> None:
        id = str(self.score.currentData())
        self._editor.change_multiples(f"Corners show {self.score.currentText()}", score=id)
        self._soon.start()

    def _say(self, score: str) -> None:
        m = self.multiples
        failed = sum(result.error is not None for _, result in m.each())
        adopts = m.grid is not None and m.grid.of_ingredients
        click = "Click one to adopt it" if adopts else "Click one to make it a panel"
        words = [f"{m.total - m.missing} of {m.total} computed" if m.missing else click]
        words += [f"{failed} without a picture"] if failed else []
        words += [f"{score} in the corners"] if score else []
        words += [f"coloured by {self._walk}"] if self._walk else []
        self.words.set_words(" · ".join(words))

    # Doing --------------------------------------------------------------------------------------------------

    def _choose(self, number: int) -> None:
        panel = self.multiples.panel(*self.board.place_of(number))
        if panel is None or self.multiples.result(*self.board.place_of(number)).drawing.points is None:
            return
        if self._shown is None or not self._shown.of_ingredients:
            self._editor.take_multiple(panel, f"Show {self.board.meaning(number)}")
            return
        shift = bool(QGuiApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier)
        everywhere = shift or bool(self.target.currentData())
        where = "all panels" if everywhere else self._shown.titles[0]
        label = f"{where[0].upper()}{where[1:]}: {self._shown.captions[number]}"
        self._editor.adopt_ingredients(panel, label, everywhere=everywhere)

    def _stop_or_go_on(self) -> None:
        if self.multiples.running:
            self.multiples.stop()
        else:
            self.multiples.go_on(agreed=True)
        self.board.show_all()

    def leave(self) -> None:
        """Go back to the panels."""
        self._editor.change_multiples("Close small multiples", shown=False)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)  # no form makes the sides narrower

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._soon.stop()

    @property
    def idle(self) -> bool:
        """True if no change on show is due."""
        return self.board.idle and not self._soon.isActive()
