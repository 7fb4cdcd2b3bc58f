"""A figure as a picture file, with its title and words, and its numbers as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from mvexplorer.figures import Curves, Figure, write_numbers
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.titles import state_title
from mvexplorer.state.export.record import origin_record
from mvexplorer.ui.cloud.encoding import write_painted
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import line
from mvexplorer.ui.widgets.plots.figure_painting import paint_figure
from mvexplorer.ui.widgets.saving import FileQuestion, pictures, save_as

SIZE = QSize(760, 480)
KINDS = {".csv": "Tables (*.csv);;JSON (*.json)", ".json": "JSON (*.json);;Tables (*.csv)"}


PaintBody = Callable[[Figure, QRectF, QPainter], None]


def size_of(figure: Figure) -> QSize:
    """The size of a figure in units: each curve that is named where it ends has room."""
    if not isinstance(figure.body, Curves) or not figure.body.named:
        return SIZE
    label = 15  # height that each name needs
    return QSize(1040, max(560, 120 + label * len(figure.body.series)))


def paint_whole(figure: Figure, size: QSize, painter: QPainter, paint_body: PaintBody = paint_figure) -> None:
    """Paint a figure with its title and words over an area of a size."""
    t = theme.current()
    painter.fillRect(QRectF(0, 0, size.width(), size.height()), t.color("surface"))
    painter.setPen(t.color("text"))
    painter.setFont(theme.font(15, bold=True, family=theme.bundled_family()))
    head, edge = 64, 16  # room for title and words above the picture, and around it
    painter.drawText(QPointF(edge, 28), line(figure.title, 100))
    painter.setPen(t.color("muted"))
    painter.setFont(theme.font(11, family=theme.bundled_family()))
    words = painter.fontMetrics().elidedText(figure.sentence, Qt.TextElideMode.ElideRight, size.width() - 2 * edge)
    painter.drawText(QPointF(edge, 48), words)
    paint_body(figure, QRectF(edge, head, size.width() - 2 * edge, size.height() - head - edge), painter)


def write_figure(
    figure: Figure,
    path: Path,
    record: Mapping[str, Any],
    scale: float = 2.0,
    dpi: float | None = None,
    paint_body: PaintBody = paint_figure,
) -> None:
    """Write a figure with its title and words as a picture, by the ending; `record` goes with it."""
    size = size_of(figure)
    whole = {**record, "figure": figure.title, "words": figure.words, **figure.record}
    paint = partial(paint_whole, figure, size, paint_body=paint_body)
    write_painted(path, "Figures", figure.title, size, paint, scale, whole, dpi)


def export_figure_picture(
    parent: QWidget,
    bench: Workbench,
    figure: Figure,
    form: tuple[str, float, float],
    paint_body: PaintBody = paint_figure,
) -> None:
    """Ask for a file and write the figure there; its form is as `ExportDialog` gives it: ending, scale and dpi."""
    (ending, scale, dpi), state = form, bench.document.state
    record = origin_record(state, state_title(state))

    def write(path: Path) -> None:
        write_figure(figure, path, record, scale, dpi, paint_body)

    save_as(parent, bench.editor, pictures("Export figure", _name(figure), ending), write, here=True)


def export_figure_numbers(parent: QWidget, bench: Workbench, figure: Figure, ending: str = ".csv") -> None:
    """Ask for a file and have the figure's numbers written there, on a thread of their own."""
    question = FileQuestion("Export the figure's numbers", f"{_name(figure)}{ending}", KINDS[ending])
    write = partial(write_numbers, figure, csv_safe=bench.settings.numbers.csv_safe)
    save_as(parent, bench.editor, question, write)


def _name(figure: Figure) -> str:
    """A file's name from the figure's title."""
    return "-".join("".join(c if c.isalnum() else " " for c in figure.title.lower()).split())[:60] or "figure"
