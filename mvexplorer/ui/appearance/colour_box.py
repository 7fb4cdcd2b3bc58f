"""The choice of what colours the points: grouped, and found by typing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.state.pictures.colouring import SourceGroup
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import LINE, ShortBox, line, tip
from mvexplorer.ui.widgets.shortening import told_apart

Find = Callable[[str], tuple[SourceGroup, ...]]
"""Returns the sources to offer for a typed text."""

WIDTH = 400
SOURCE = Qt.ItemDataRole.UserRole


class SourceBox(ShortBox):
    """A choice among sources of values; it drops down a list with a search field."""

    FIND, LISTED = "Find a column", "Columns"
    """What the search field and the list are called where they are not seen."""

    def __init__(self, find: Find, name: str) -> None:
        super().__init__()
        self._find = find
        self._places: dict[str, int] = {}
        self.popup: SourcePopup | None = None
        self.setAccessibleName(name)

    def offer(self, sources: Mapping[str, str]) -> None:
        """Offer these sources, source -> title, to the arrow keys and the wheel."""
        self._places = {source: i for i, source in enumerate(sources)}
        self.clear()
        for source, title in sources.items():
            self.addItem(line(title), source)

    def choose(self, source: str, title: str) -> None:
        """Show the source in use, which may be one that only a search found."""
        if source not in self._places and title:
            self._places[source] = self.count()
            self.addItem(line(title), source)
        index = self._places.get(source, 0)
        self.setCurrentIndex(index)
        self.setToolTip(tip(title or self.itemText(index)))

    def showPopup(self) -> None:
        self.popup = SourcePopup(self.window(), self._find, str(self.currentData() or ""))
        self.popup.search.setAccessibleName(self.FIND)
        self.popup.list.setAccessibleName(self.LISTED)
        self.popup.chosen.connect(self._take)
        self.popup.open_below(self)

    def _take(self, source: str, title: str) -> None:
        self.choose(source, title)
        self.activated.emit(self.currentIndex())


class ColourBox(SourceBox):
    """The choice of the points' colouring."""

    FIND, LISTED = "Find what to colour by", "What points can be coloured by"

    def __init__(self, find: Find) -> None:
        super().__init__(find, "Colour points by")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)


class SourcePopup(QFrame):
    """A search field over the grouped sources; Return or a click takes one, Esc none."""

    chosen = Signal(str, str)

    def __init__(self, parent: QWidget, find: Find, present: str) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setObjectName("card")
        self._find, self._present = find, present
        column = spaced(QVBoxLayout(self), 8, 8, 8, 8, spacing=8)
        self.search = QLineEdit()
        self.search.setPlaceholderText("Find a label, column or coordinate")
        self.search.textChanged.connect(self._fill)
        self.search.installEventFilter(self)
        self.list = QListWidget()
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.itemClicked.connect(self._take)
        column.addWidget(self.search)
        column.addWidget(self.list)
        self._fill("")

    def open_below(self, box: QWidget) -> None:
        """Show the list under a widget, inside its screen."""
        screen = box.screen().availableGeometry()
        height = 400
        self.resize(max(WIDTH, box.width()), min(height, screen.height()))
        spot = box.mapToGlobal(QPoint(box.width() - self.width(), box.height() + 2))
        x = min(max(spot.x(), screen.left()), screen.right() - self.width())
        y = min(spot.y(), screen.bottom() - self.height())
        self.move(x, y)
        self.show()
        self.search.setFocus()

    def _fill(self, text: str) -> None:
        self.list.clear()
        room = WIDTH - 56  # pixels of a name, beside margins and the scroll bar
        for group in self._find(text.strip()):
            if group.title:
                self._add_heading(group.title)
            titles = list(group.sources.values())
            for number, (source, title) in enumerate(group.sources.items(), start=1):
                shown = told_apart(title, titles, number, room, self.list.fontMetrics().horizontalAdvance)
                self._add_source(source, title, shown)
            if group.left:
                self._add_heading(f"{group.left:,} more: type part of a name or a number")
        if not self.list.count():
            self._add_heading(f"Nothing is called “{line(text.strip(), 30)}”")
        if self.list.currentRow() < 0:
            self._step(1)

    def _add_source(self, source: str, title: str, shown: str) -> None:
        item = QListWidgetItem(line(shown, 2 * LINE))
        item.setData(SOURCE, (source, title))
        item.setToolTip(tip(title))
        self.list.addItem(item)
        if source == self._present:
            self.list.setCurrentItem(item)

    def _add_heading(self, text: str) -> None:
        item = QListWidgetItem(line(text))
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        item.setFont(theme.font(theme.SMALL_PX, bold=True))
        item.setForeground(theme.current().color("muted"))
        item.setToolTip(tip(text))
        self.list.addItem(item)

    def _step(self, by: int) -> None:
        """Move on by so many entries, past headings."""
        rows = [i for i in range(self.list.count()) if self.list.item(i).data(SOURCE) is not None]
        if rows:
            place = rows.index(self.list.currentRow()) + by if self.list.currentRow() in rows else 0
            self.list.setCurrentRow(rows[min(max(0, place), len(rows) - 1)])

    def _take(self, item: QListWidgetItem | None) -> None:
        source = None if item is None else item.data(SOURCE)
        if source is not None:
            self.close()
            self.chosen.emit(*source)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 10, Qt.Key.Key_PageUp: -10}
            step = steps.get(Qt.Key(event.key()))
            if step is not None:
                self._step(step)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take(self.list.currentItem())
                return True
        return super().eventFilter(watched, event)
