"""Whose own part a panel draws, and beyond which views: two chips below its title."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from mvexplorer.engine.methods import get_method
from mvexplorer.state.document.model import DocumentState, PanelState, panel_views
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import LINE, Label, NameButton, line, tip
from mvexplorer.wording import listed


class ComparedViews(QWidget):
    """A row of its own, so that names have room beside the narrowest title; hidden for methods that compare nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._row = row = spaced(QHBoxLayout(self), 10, 0, 8, 0, spacing=0)
        self.of, self.beyond = NameButton(), NameButton()
        self._words = Label("of", role="muted"), Label("beyond", role="muted")
        for words, chip in zip(self._words, (self.of, self.beyond), strict=True):
            chip.setProperty("role", "small")
            chip.setStyleSheet("NameButton { padding: 0px 2px; }")
            row.addWidget(words)
            row.addWidget(chip)
        row.addStretch(1)
        self.hide()

    def show_state(self, state: PanelState, document: DocumentState) -> None:
        """Show the views that a panel compares."""
        method = get_method(state.method)
        views = panel_views(document, state, method) if method.compares_one_view else ()
        if views:
            self._show(views[0], views[1:], tuple(view.name for view in document.views))
        self.setVisible(bool(views))

    def _show(self, of: str, beyond: Sequence[str], names: tuple[str, ...]) -> None:
        for chip in (self.of, self.beyond):
            chip.set_among(names)
        self.of.set_words(of)
        self.of.setAccessibleName(line(f"Of {of}", 4 * LINE))
        self.of.setToolTip(tip(f"The view whose own part is drawn: {of}"))
        most_named = 2
        counted = f"{len(beyond)} others" if beyond else "no other view"
        self.beyond.set_words(" + ".join(beyond) if 0 < len(beyond) <= most_named else counted)
        whole = listed(beyond) if beyond else counted
        self.beyond.setAccessibleName(line(f"Beyond {whole}", 4 * LINE))
        self.beyond.setToolTip(tip(f"The views whose smooth functions are taken out: {whole}"))
        self._share_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()

    def _share_room(self) -> None:
        """Give each chip what it needs, or half the room and what the other one leaves: Qt would starve the shorter."""
        margins, (of, beyond) = self._row.contentsMargins(), (c.sizeHint().width() for c in (self.of, self.beyond))
        room = self.width() - margins.left() - margins.right() - sum(w.sizeHint().width() for w in self._words)
        self.of.setFixedWidth(min(of, max(room // 2, room - beyond)))
        self.beyond.setFixedWidth(min(beyond, max(room // 2, room - of)))
