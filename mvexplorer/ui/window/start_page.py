"""No data yet: what one can do about that, in a few big choices."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from mvexplorer.io.manifest import Manifest
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import Label, line, sentence
from mvexplorer.wording import source_title


class StartChoice(QPushButton):
    """A big button: a title and one line."""

    def __init__(self, icon: str, title: str, about: str, do: Callable[[], None]) -> None:
        super().__init__()
        self.setObjectName("choice")
        self.setAccessibleName(f"{title}: {about}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 14, 10)
        row.setSpacing(12)
        sign = QLabel()
        sign.setPixmap(theme.pixmap(icon, "accent", 20))
        words = QVBoxLayout()
        words.setSpacing(2)
        head = Label(line(title))
        head.setProperty("role", "title")
        self._line = Label(sentence(about))
        self._line.setProperty("role", "muted")
        self._line.setWordWrap(True)
        for label in (sign, head, self._line):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        words.addWidget(head)
        words.addWidget(self._line)
        row.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        self.setMinimumHeight(66)
        self.clicked.connect(lambda: do())


class StartPage(QWidget):
    """Shown in place of the panels while there is no data; files can be dropped anywhere on it."""

    def __init__(
        self,
        samples: tuple[Manifest, ...],
        kept: Sequence[tuple[Path, str]],
        recent: tuple[tuple[str, ...], ...],
        open_files: Callable[[], None],
        open_source: Callable[[tuple[str, ...]], None],
        continue_last: Callable[[Path], None],
    ) -> None:
        super().__init__()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        area = QScrollArea()
        area.setWidgetResizable(True)
        outer.addWidget(area)
        inner = QWidget()
        area.setWidget(inner)
        centre = QHBoxLayout(inner)
        centre.addStretch(1)
        column = QVBoxLayout()
        column.setContentsMargins(24, 40, 24, 24)
        column.setSpacing(10)
        centre.addLayout(column, 4)
        centre.addStretch(1)
        hero = QLabel("Multi-view diffusion geometry")
        hero.setProperty("role", "hero")
        lead = QLabel(
            "Load several views of the same samples, drag a bandwidth, and watch every method answer side by side. "
            "Drop files anywhere."
        )
        lead.setWordWrap(True)
        column.addWidget(hero)
        column.addWidget(lead)
        column.addSpacing(10)
        for i, (path, summary) in enumerate(kept):
            title = "Continue an earlier session" if i else "Continue last session"
            column.addWidget(StartChoice("history", title, summary, lambda p=path: continue_last(p)))
        column.addWidget(
            StartChoice(
                "folder-open",
                "Open files …",
                "CSV, TSV, NPY, NPZ or MAT: one file per view, or all in one.",
                open_files,
            )
        )
        known = {(sample.id,) for sample in samples}
        for source in [s for s in recent if s not in known][:3]:
            names = source_title(source)
            column.addWidget(StartChoice("history", names, "opened before", lambda s=source: open_source(s)))
        column.addSpacing(8)
        head = QLabel("Or a sample")
        head.setProperty("role", "section")
        column.addWidget(head)
        grid = QGridLayout()
        grid.setSpacing(10)
        for i, sample in enumerate(samples):
            choice = StartChoice(
                "flask-conical", sample.title, first_sentence(sample.summary), lambda s=sample.id: open_source((s,))
            )
            grid.addWidget(choice, i // 2, i % 2)
        column.addLayout(grid)
        column.addStretch(1)


def first_sentence(text: str) -> str:
    """The first sentence of a summary, cut where it would not fit its card."""
    head, dot, _ = text.partition(". ")
    return textwrap.shorten(head + ("." if dot else ""), 92, placeholder=" …")
