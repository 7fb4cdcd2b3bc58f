"""The slope of log S, drawn on a bandwidth slider's own axis."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from mvexplorer.compute.jobs.runner import ViewCurves
from mvexplorer.ui.runtime.spoken import Spoken
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.slider import Slider

HEIGHT = 64


class SlopeCurve(Spoken, QWidget):
    """Twice d log S / d log ε, the dimension seen at each bandwidth, exactly above the slider's track."""

    def __init__(self, slider: Slider) -> None:
        super().__init__()
        self._slider = slider
        self._curves: ViewCurves | None = None
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip("Slope of log S: intrinsic dimension seen at each ε. Peaks are scales with structure.")

    def sizeHint(self) -> QSize:
        return QSize(160, HEIGHT)

    def show_curves(self, curves: ViewCurves | None) -> None:
        """Draw a view's curve; nothing while it is being computed."""
        self._curves = curves
        self.setAccessibleName(
            "Slope of log S, being computed"
            if curves is None
            else f"Intrinsic dimension seen at each ε, at most {2 * curves.growth.slope.max():.1f}"
        )
        self.update()

    def dimension_here(self) -> float | None:
        """The dimension at the slider's handle."""
        if self._curves is None:
            return None
        x = np.log10(self._curves.growth.epsilon / self._curves.median)
        return 2.0 * float(np.interp(np.log10(self._slider.value), x, self._curves.growth.slope))

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(theme.SMALL_PX))
        painter.setPen(t.color("muted"))
        if self._curves is None:
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, "computing …")
            painter.end()
            return
        dimension = 2.0 * self._curves.growth.slope
        top = max(1.0, float(dimension.max()))
        base, room = HEIGHT - 4.0, HEIGHT - 20.0
        points = [
            QPointF(self._slider.x_of(float(e)), base - room * float(d) / top)
            for e, d in zip(self._curves.growth.epsilon / self._curves.median, dimension, strict=True)
        ]
        area = QPolygonF([QPointF(points[0].x(), base), *points, QPointF(points[-1].x(), base)])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(t.color("accent", 34))
        painter.drawPolygon(area)
        painter.setPen(QPen(t.color("accent"), 1.6))
        painter.drawPolyline(QPolygonF(points))
        here = self._slider.x_of(self._slider.value)
        painter.setPen(QPen(t.color("muted"), 1.0, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(here, 2), QPointF(here, HEIGHT))
        painter.setPen(t.color("text"))
        words = f"dimension {self.dimension_here():.1f}"
        left = here + 80 > self.width()
        side = Qt.AlignmentFlag.AlignRight if left else Qt.AlignmentFlag.AlignLeft
        spot = self.rect().adjusted(0 if left else int(here) + 4, 0, int(here) - 4 - self.width() if left else 0, 0)
        painter.drawText(spot, side | Qt.AlignmentFlag.AlignTop, words)
        painter.end()
