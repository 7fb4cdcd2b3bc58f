"""Brings one sample into the middle of a picture that shows a part only."""

from __future__ import annotations

from mvexplorer.ui.cloud.canvas import EmbeddingCanvas


def centre_on(canvas: EmbeddingCanvas, index: int) -> None:
    """Move the sample into the picture's middle; a picture that shows the whole cloud stays."""
    frame = canvas.frame
    nearly_all = 0.98  # a picture that shows so much of its cloud is left where it is: the sample is in sight
    whole = frame.size >= nearly_all and abs(frame.across) + abs(frame.up) < 2 * (1 - nearly_all)
    if whole or not 0 <= index < canvas.cloud.n_points or not canvas.width() or not canvas.height():
        return
    at, rect = canvas.position_of(index), canvas.box.viewRect()
    across = (at.x() / canvas.width() - 0.5) * rect.width()
    up = (0.5 - at.y() / canvas.height()) * rect.height()
    canvas.box.translateBy(x=across, y=up)
