"""One view of a picture of several: its weight, the score without it, what changes, and the picture without it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QIcon, QImage, QPixmap
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from mvexplorer.compute.jobs.runner import Scores
from mvexplorer.compute.jobs.view_jobs import LeftOut
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.spectral.alignment import fit_to_unit
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.scoring import SCORES, shown
from mvexplorer.state.questions.view_additions import Additions
from mvexplorer.ui.cloud.picture import Colours, splat
from mvexplorer.ui.controls.weight_line import WeightLine
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, Name, tip

HEADS = ("View", "Weight ω", "{} without", "Neighbours changed", "Picture without it")
NAME, WEIGHT, SCORE, CHANGE, PICTURE = range(5)
THUMBNAIL = QSize(88, 56)


class ViewPart(QWidget):
    """A row of the table of views."""

    HEIGHT = 64
    """In pixels."""

    wanted = Signal(str)
    """The picture without this view is to be opened as a panel."""

    def __init__(self, view: str, editor: Editor) -> None:
        super().__init__()
        self.view = view
        self.name, self.score, self.change = Name(), Label(), Label()
        self.name.set_words(view)
        self.name.setStyleSheet("Name { font-weight: 600; }")
        self.weight = WeightLine(view, editor, bare=True)
        self.picture = QToolButton()
        self.picture.setIconSize(THUMBNAIL)
        self.picture.setFixedHeight(THUMBNAIL.height() + 8)
        self.picture.setAccessibleName(f"Open the picture without {view}")
        self.picture.clicked.connect(lambda: self.wanted.emit(view))
        in_columns(self, (self.name, self.weight, self.score, self.change, self.picture))

    def show_weight(self, weight: float, weighed: bool) -> None:
        """Show the weight that the view has in the document, if the method takes one."""
        self.weight.show_weight(weight)
        self.weight.setEnabled(weighed)

    def show_found(self, additions: Additions, rgb: Colours) -> None:
        """Show what is known without this view."""
        without, problem = additions.without.get(self.view), additions.problems.get(self.view, "")
        score, change = without_words(additions, self.view)
        self.score.setText(score)
        self.change.setText(change)
        self.score.setToolTip(tip(problem or "The score without this view, and how far it is from that of the whole"))
        meaning = "Mean fraction of a sample's nearest neighbours that change without this view"
        self.change.setToolTip(tip(problem or meaning))
        self.picture.setEnabled(without is not None)
        self.picture.setToolTip(tip(problem or f"The picture without {self.view}: click to open it as a panel"))
        self.picture.setIcon(
            QIcon() if without is None else QIcon(thumbnail(without.drawn, rgb, self.picture.devicePixelRatioF()))
        )


def without_words(additions: Additions, view: str) -> tuple[str, str]:
    """The score without a view, and the share of neighbours that change."""
    without = additions.without.get(view)
    change = "…" if view in additions.waiting else "–" if without is None else change_in_percent(without.change)
    return score_words(without, additions.scores), change


def score_words(without: LeftOut | None, whole: Scores | None) -> str:
    """The first score without a view, and its difference to that of the whole: ``.76 (−.08)``."""
    scores = {} if without is None else without.scores.each()
    if not scores:
        return "–" if without is not None else ""
    id, score = next(iter(scores.items()))
    reference = {} if whole is None else whole.each()
    text = numbers.score(shown(id, score))
    if id not in reference:
        return text
    difference = f"{score.value - reference[id].value:+.2f}".replace("-", "−").replace("0.", ".", 1)
    return f"{text} ({difference})"


def score_name(additions: Additions) -> str:
    """The symbol of the score that is shown."""
    each = [additions.scores] if additions.scores is not None else [one.scores for one in additions.without.values()]
    ids = [id for scores in each for id in scores.each()]
    return SCORES[ids[0]].symbol if ids else "Score"


def change_in_percent(share: float) -> str:
    """A share in per cent."""
    return f"{100.0 * share:.0f} %" if share == share else "–"


def thumbnail(points: Array, rgb: Colours, ratio: float) -> QPixmap:
    """A small picture of points (M, 2)."""
    width, height = round(THUMBNAIL.width() * ratio), round(THUMBNAIL.height() * ratio)
    unit = fit_to_unit(points)
    margin = 5  # pixels around the points of a thumbnail
    half = np.array([width, height]) / 2 - margin * ratio
    size = float((half / np.maximum(np.abs(unit).max(axis=0), half / half.max())).min())
    xy = np.column_stack([width / 2 + size * unit[:, 0], height / 2 - size * unit[:, 1]]).astype(np.float32)
    dot = 1.1  # radius of its points
    painted = np.ascontiguousarray(splat(xy, rgb, 0.9, dot * ratio, (height, width)).bgra)
    form = QImage.Format.Format_ARGB32_Premultiplied
    pixmap = QPixmap.fromImage(QImage(painted.data, width, height, 4 * width, form).copy())
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


class ViewHeads(QWidget):
    """The heads of the columns."""

    def __init__(self) -> None:
        super().__init__()
        heads = [Label(text) for text in HEADS]
        self.score = heads[SCORE]
        for each in heads:
            each.setProperty("role", "muted")
            each.setFixedHeight(theme.px(20))
        in_columns(self, heads)


def in_columns(row: QWidget, parts: Sequence[QWidget]) -> None:
    """Lay out the parts of a row in the columns that all rows share."""
    row.setMaximumWidth(theme.px(820))
    line = spaced(QHBoxLayout(row), 0, 0, 8, 0, spacing=10)
    widths = (104, 136, 102, 112, 98)  # of the columns, in pixels; that of the weights takes what is left as well
    for column, (part, width) in enumerate(zip(parts, widths, strict=True)):
        if column == WEIGHT:
            part.setMinimumWidth(theme.px(width))
            line.addWidget(part, 1)
        else:
            part.setFixedWidth(theme.px(width))
            line.addWidget(part)
