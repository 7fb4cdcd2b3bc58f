"""The page shown without data: a few big buttons to open some."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.datasets.catalogue import samples
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, line, sentence, tip
from mvexplorer.wording import source_title


class StartChoice(QPushButton):
    """A big button: a title and one line."""

    def __init__(self, icon: str, title: str, about: str, do: Callable[[], None]) -> None:
        super().__init__()
        self.setObjectName("choice")
        self.setAccessibleName(f"{title}: {about}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        row = spaced(QHBoxLayout(self), 16, 12, 16, 12, spacing=12)
        sign = QLabel()
        sign.setPixmap(theme.pixmap(icon, "accent", 20))
        row.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        row.addLayout(words, 1)
        words.setSpacing(4)
        head = Label(line(title), "title")
        self._line = Label(sentence(about), "muted", wraps=True)
        for label in (sign, head, self._line):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        words.addWidget(head)
        words.addWidget(self._line)
        words.addStretch(1)
        self._row = row
        self.setMinimumHeight(72)
        self.clicked.connect(lambda: do())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return opens, as Space does."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def add_button(self, button: QWidget) -> None:
        """Put a small button at the right end."""
        self._row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)


class StartPage(QWidget):
    """Shown in place of the panels while there is no data; files can be dropped anywhere on it.

    `kept` is earlier work that can be continued, each with a one-line description; `recent` were opened before, latest
    first.
    """

    files_wanted = Signal()
    gallery_wanted = Signal()
    source_chosen = Signal(tuple)
    kept_chosen = Signal(Path)
    deletion_wanted = Signal(Path, str)
    """Earlier work is to go for good: its file, and the line about it."""

    def __init__(self, kept: Sequence[tuple[Path, str]], recent: tuple[tuple[str, ...], ...]) -> None:
        super().__init__()
        self._kept: dict[Path, StartChoice] = {}
        outer = spaced(QVBoxLayout(self), 0, 0, 0, 0)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        outer.addWidget(area)
        inner, page = QWidget(), QWidget()
        area.setWidget(inner)
        page.setMaximumWidth(1040)  # longer lines are hard to read
        centre = QHBoxLayout(inner)
        centre.addStretch(1)
        column = spaced(QVBoxLayout(page), 24, 40, 24, 24, spacing=8)
        centre.addWidget(page, 16)
        centre.addStretch(1)
        hero = Label("Multi-view diffusion geometry", "hero")
        lead = QLabel(
            "Load several views of the same samples, drag a bandwidth, and watch every method answer side by side. "
            "Drop files anywhere."
        )
        lead.setWordWrap(True)
        column.addWidget(hero)
        column.addWidget(lead)
        column.addSpacing(8)
        for choice in self._make_choices(kept, recent):
            column.addWidget(choice)
        column.addSpacing(8)
        head = Label("Or a sample", "section")
        column.addWidget(head)
        self._make_samples(column)
        column.addStretch(1)

    def _make_choices(
        self, kept: Sequence[tuple[Path, str]], recent: tuple[tuple[str, ...], ...]
    ) -> Iterator[StartChoice]:
        most_kept = 3  # earlier sessions that are offered; the File menu has the others
        earlier = [self._continuing(*each, latest=not i) for i, each in enumerate(kept[:most_kept])]
        yield from earlier[:1]
        kinds = "CSV, Excel, Parquet, MAT, NPZ, HDF5, AnnData …: one file per view, or all in one."
        yield StartChoice("folder-open", "Open files …", kinds, self.files_wanted.emit)
        about = "Figures and tables of five papers, computed anew: open one, turn it, and see whether its claim holds."
        yield StartChoice("layout-grid", "Gallery of the papers", about, self.gallery_wanted.emit)
        yield from earlier[1:]
        sample_sources = {(sample.id,) for sample in samples()}
        for source in [s for s in recent if s not in sample_sources][:3]:
            do = partial(self.source_chosen.emit, source)
            yield StartChoice("history", source_title(source), "opened before", do)

    def _continuing(self, path: Path, summary: str, *, latest: bool) -> StartChoice:
        title = "Continue last session" if latest else "Continue an earlier session"
        choice = StartChoice("history", title, summary, partial(self.kept_chosen.emit, path))
        choice.add_button(self._delete_button(path, summary))
        self._kept[path] = choice
        return choice

    def _delete_button(self, path: Path, summary: str) -> QToolButton:
        button = QToolButton()
        button.setIcon(theme.icon("x"))
        theme.square(button)
        button.setToolTip("Delete this work")
        button.setAccessibleName(f"Delete this work: {summary}")
        button.clicked.connect(lambda: self.deletion_wanted.emit(path, summary))
        return button

    def take_away(self, path: Path) -> None:
        """Earlier work is gone, and so is its button."""
        if (choice := self._kept.pop(path, None)) is not None:
            choice.hide()
            choice.deleteLater()

    def _make_samples(self, column: QVBoxLayout) -> None:
        grid = QGridLayout()
        column.addLayout(grid)
        grid.setSpacing(8)
        for i, sample in enumerate(samples()):
            do = partial(self.source_chosen.emit, (sample.id,))
            choice = StartChoice("flask-conical", sample.title, sample.look, do)
            choice.setToolTip(tip(sample.summary))
            grid.addWidget(choice, i // 2, i % 2)
