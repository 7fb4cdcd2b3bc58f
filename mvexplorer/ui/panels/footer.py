"""The strip below a picture, in which no word is cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent

UNBOUNDED = 16777215
"""The maximum width of a widget that has none."""


class Footer(QWidget):
    """A row whose widgets have their full width; where they do not fit, some of them go as a whole."""

    yielding: Sequence[QWidget] = ()
    """What goes where there is no room, the first one first."""

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()
        super().resizeEvent(event)

    def _fit(self) -> None:
        row = self.layout()
        if row is None:
            return
        margins = row.contentsMargins()
        # Not by the layout's items: Qt frees them, and Python would take what comes to their place for them.
        children = self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        each = sorted((w for w in children if row.indexOf(w) >= 0), key=row.indexOf)
        shown = [widget for widget in each if not widget.isHidden()]
        rigid = [w for w in shown if w.sizePolicy().horizontalPolicy() != QSizePolicy.Policy.Ignored]
        lacking = margins.left() + margins.right() + row.spacing() * (len(shown) - 1) - self.width()
        for widget in rigid:
            # What has gone counts as if it were there: it comes back where there is room again.
            most = UNBOUNDED if widget in self.yielding else widget.maximumWidth()
            lacking += min(most, widget.sizeHint().width())
        for widget in self.yielding:
            gone = lacking > 0 and widget in rigid
            lacking -= widget.sizeHint().width() if gone else 0
            widget.setMaximumWidth(0 if gone else UNBOUNDED)
