"""A sweep as a file: its figure with everything it depends on, and its scores as a table."""

from __future__ import annotations

import csv
import io
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from mvexplorer.errors import DataError
from mvexplorer.state.titles import data_title, parameter_line
from mvexplorer.ui.cloud.encoding import write_painted
from mvexplorer.ui.style import theme
from mvexplorer.writing import writing

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

    from mvexplorer.state.document import Document
    from mvexplorer.state.sweeper import Sweeper

HEAD = 46
"""Height of title and parameters above the figure, in pixels."""


def export_scores(parent: QWidget, sweeper: Sweeper) -> None:
    """Ask for a file and write every score of the sweep there."""
    path = _ask(parent, "Export scores", "sweep.csv", "Tables (*.csv)")
    if path is None:
        return
    if path.suffix.lower() != ".csv":
        raise DataError(f"Scores cannot be written as “{path.suffix}”.", "End the file's name in .csv.")
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(sweeper.columns)
    rows.writerows(sweeper.table())
    with writing(path) as file:
        file.write(text.getvalue().encode())


def export_figure(figure: QWidget, score: str, document: Document) -> None:
    """Ask for a file and write the figure there, under the score's name and what the data was computed with."""
    path = _ask(figure, "Export figure", "sweep.png", "Pictures (*.png *.svg)")
    if path is None:
        return
    size = figure.size() + QSize(0, HEAD)
    write_painted(path, "Figures", "Sweep", size, partial(_paint, figure, score, document, size))


def _ask(parent: QWidget, title: str, name: str, kinds: str) -> Path | None:
    file, _ = QFileDialog.getSaveFileName(parent.window(), title, name, kinds)
    if not file:
        return None
    return Path(file if "." in file.rpartition("/")[2] else f"{file}.{name.rpartition('.')[2]}")


def _paint(figure: QWidget, score: str, document: Document, size: QSize, painter: QPainter) -> None:
    t, data, state = theme.current(), document.data, document.state
    painter.fillRect(0, 0, size.width(), size.height(), t.color("surface"))
    painter.setPen(t.color("text"))
    painter.setFont(theme.font(14))
    painter.drawText(12, 20, f"{data_title(state.source)}: {score} against the bandwidth")
    painter.setPen(t.color("muted"))
    painter.setFont(theme.font(theme.SMALL_PX))
    views = ", ".join(f"{v.name} ε {v.epsilon}" for v in state.views if v.enabled)
    line = f"{parameter_line(data, state.params)}   {views}" if data is not None else views
    painter.drawText(12, 26, size.width() - 24, 18, Qt.AlignmentFlag.AlignVCenter, line)
    painter.translate(0, HEAD)
    figure.render(painter, QPoint())
