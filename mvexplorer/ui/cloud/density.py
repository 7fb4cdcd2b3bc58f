"""The words for a picture of counts: its scale, and the count at the pixel under the pointer."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QLinearGradient, QPainter

from mvexplorer.ui.cloud.counts import DENSE, FAINTEST
from mvexplorer.ui.cloud.drawing import GROUND
from mvexplorer.ui.cloud.picture import Raster
from mvexplorer.ui.style import theme


def scale_words(picture: Raster) -> tuple[str, str]:
    """Return the words before and behind the scale of a picture of very many points."""
    if picture.counts is None:
        return "", "each dot is a sample" if any(len(layer.pixels) for layer in picture.layers) else "no sample here"
    return "1", f"{picture.largest_count:,} samples per pixel"


def count_tip(picture: Raster, x: float, y: float) -> str:
    """Tell the number of samples at pixel (x, y), where there are several; a single one can be pointed at."""
    count = picture.count_at(x, y)
    return f"{count:,} samples at this pixel: zoom in to tell them apart." if count > 1 else ""


def draw_scale(painter: QPainter, picture: Raster, n_points: int, width: int) -> None:
    """Say in the upper right corner what the picture shows of very many points: counts per pixel, or samples."""
    if n_points < DENSE:
        return
    painter.setFont(theme.font(theme.px(theme.SMALL_PX)))
    metrics, (before, behind) = QFontMetricsF(painter.font()), scale_words(picture)
    bar = 56.0 * theme.scale() if before else 0.0
    gap, pad = 6.0, 8.0
    lead = metrics.horizontalAdvance(before) + gap if before else 0.0
    wide = lead + bar + (gap if before else 0.0) + metrics.horizontalAdvance(behind)
    ground = QRectF(width - pad - wide - 4.0, pad / 2, wide + 8.0, metrics.height() + 2.0)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.current().color("surface", GROUND))
    painter.drawRoundedRect(ground, 3.0, 3.0)
    left, base, tall = ground.left() + 4.0, ground.top() + 1.0 + metrics.ascent(), 6.0 * theme.scale()
    if before:
        ramp = QRectF(left + lead, ground.center().y() - tall / 2, bar, tall)
        painter.fillRect(ramp, _ramp(ramp))
    painter.setPen(theme.current().color("muted"))
    painter.drawText(QPointF(left, base), before)
    painter.drawText(QPointF(ground.right() - 4.0 - metrics.horizontalAdvance(behind), base), behind)


def _ramp(bar: QRectF) -> QLinearGradient:
    """From the faintest to opaque: equal steps are equal ratios of counts."""
    ramp, colour = QLinearGradient(bar.topLeft(), bar.topRight()), theme.current().color("text")
    for place, opacity in ((0.0, FAINTEST), (1.0, 1.0)):
        colour.setAlphaF(opacity)
        ramp.setColorAt(place, colour)
    return ramp
