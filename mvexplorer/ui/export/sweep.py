"""A sweep as a file: its figure with everything it depends on, and its scores as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QFileDialog

from mvexplorer.errors import DataError, MVExplorerError
from mvexplorer.ui.export.render import parameter_line, png, svg
from mvexplorer.ui.style import theme
from mvexplorer.writing import writing

if TYPE_CHECKING:
    from mvexplorer.ui.window.main_window import MainWindow

Write = Callable[["MainWindow", Path], None]

HEAD = 46
"""Height of title and parameters above the figure, in pixels."""


def export_sweep_table(window: MainWindow) -> None:
    """Ask for a file and write every score of the sweep there."""
    _ask(window, "Export scores", "sweep.csv", "Tables (*.csv)", _write_table)


def export_sweep_figure(window: MainWindow) -> None:
    """Ask for a file and write the figure there."""
    _ask(window, "Export figure", "sweep.png", "Pictures (*.png *.svg)", _write_figure)


def _ask(window: MainWindow, title: str, name: str, kinds: str, write: Write) -> None:
    file, _ = QFileDialog.getSaveFileName(window, title, name, kinds)
    if not file:
        return
    try:
        write(window, Path(file if "." in file.rpartition("/")[2] else f"{file}.{name.rpartition('.')[2]}"))
    except MVExplorerError as error:
        window.show_error(error)


def _write_table(window: MainWindow, path: Path) -> None:
    if path.suffix.lower() != ".csv":
        raise DataError(f"Scores cannot be written as “{path.suffix}”.", "End the file's name in .csv.")
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(("title", "method", "factor", "resample", "nmi", "nmi_sd", "knn"))
    rows.writerows(window.sweeper.table())
    with writing(path) as file:
        file.write(text.getvalue().encode())


def _write_figure(window: MainWindow, path: Path) -> None:
    size = window.sweep.figure.size() + QSize(0, HEAD)
    if path.suffix.lower() == ".svg":
        with writing(path) as file:
            file.write(svg("Sweep", size, lambda painter: _paint(window, painter, size)))
        return
    if path.suffix.lower() != ".png":
        raise DataError(f"Figures cannot be written as “{path.suffix}”.", "End the file's name in .png or .svg.")
    image = QImage(size * 2.0, QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(2.0)
    painter = QPainter(image)
    try:
        _paint(window, painter, size)
    finally:
        painter.end()  # an image must not go while it is painted on
    with writing(path) as file:
        file.write(png(image))


def _paint(window: MainWindow, painter: QPainter, size: QSize) -> None:
    t, data = theme.current(), window.document.data
    painter.fillRect(0, 0, size.width(), size.height(), t.color("surface"))
    painter.setPen(t.color("text"))
    painter.setFont(theme.font(14))
    painter.drawText(12, 20, f"{window.opening.data_title}: {window.sweep.score.currentText()} against the bandwidth")
    painter.setPen(t.color("muted"))
    painter.setFont(theme.font(theme.SMALL_PX))
    views = ", ".join(f"{v.name} ε {v.epsilon}" for v in window.document.state.views if v.enabled)
    line = f"{parameter_line(data, window.document.state.params)}   {views}" if data is not None else views
    painter.drawText(12, 26, size.width() - 24, 18, Qt.AlignmentFlag.AlignVCenter, line)
    painter.translate(0, HEAD)
    window.sweep.figure.render(painter, QPoint())
