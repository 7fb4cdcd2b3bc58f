"""The snapshots as cards with pictures: a model under a view, never a widget for a card."""

from __future__ import annotations

from base64 import b64decode
from functools import lru_cache, partial
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QBuffer,
    QByteArray,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QDragMoveEvent,
    QDropEvent,
    QFont,
    QImage,
    QImageReader,
    QKeyEvent,
    QPainter,
    QPainterPath,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QListView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from mvexplorer.errors import ParameterError
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.selections import LONGEST
from mvexplorer.state.document.snapshot_commands import state_of
from mvexplorer.state.document.snapshots import Snapshot
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import line, sentence, tip

Index = QModelIndex | QPersistentModelIndex
SIDES = QSize(200, 125)
"""Most pixels of a picture for one theme; in its file the dark one stands to the right of the light one."""
SHOWN = QSize(160, 100)
"""The picture's place on its card."""
EDGE = 8
CARD = QSize(SHOWN.width() + 2 * EDGE, SHOWN.height() + 2 * EDGE + 42)
LETTERS = {Qt.Key.Key_A: "A", Qt.Key.Key_B: "B"}
OWN_KEYS = (Qt.Key.Key_F2, Qt.Key.Key_Delete, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, *LETTERS)


@lru_cache(maxsize=256)
def snapshot_image(text: str, dark: bool) -> QImage:
    """The picture of a snapshot for a light or a dark window; a null image where there is none that can be read."""
    try:
        content = QByteArray(b64decode(text, validate=True))
    except ValueError:
        return QImage()
    buffer = QBuffer(content)
    reader = QImageReader(buffer, b"PNG")
    size = reader.size()
    if size.width() > 2 * SIDES.width() or size.height() > SIDES.height():
        return QImage()
    half = size.width() // 2
    return reader.read().copy(QRect(half if dark else 0, 0, half, size.height()))


class SnapshotModel(QAbstractListModel):
    """An item per snapshot, in their order."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._document, self._editor, self._walk = workbench.document, workbench.editor, workbench.walk
        self.kept: tuple[Snapshot, ...] = ()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.kept)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.ItemIsDropEnabled
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsDragEnabled

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not 0 <= index.row() < len(self.kept):
            return None
        each, place = self.kept[index.row()], index.row() + 1
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{place}  {line(each.name)}"
        if role == Qt.ItemDataRole.EditRole:
            return each.name
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(self.about(each))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            marked = "".join(f", marked {a}" for a, name in self._walk.marks.items() if name == each.name)
            return f"Snapshot {place} of {len(self.kept)}{marked}: {line(each.name)}. {sentence(each.note)}".rstrip()
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        name = str(value).strip()
        if role != Qt.ItemDataRole.EditRole or not name or name == self.kept[index.row()].name:
            return False
        return self._editor.rename_snapshot(self.kept[index.row()].name, name)

    def about(self, snapshot: Snapshot) -> str:
        """Tell the name, the note and the scores; or why the snapshot cannot be shown."""
        lines = [snapshot.name, snapshot.note]
        try:
            titles = panel_titles(state_of(snapshot, self._document.state))
            scores = snapshot.staging.scores
            lines += [f"{title}: {scores[id]}" for id, title in titles.items() if id in scores]
        except ParameterError as error:
            lines += [error.message, error.hint]
        return "\n".join(filter(None, lines))

    def show(self, kept: tuple[Snapshot, ...]) -> None:
        """Show these."""
        if len(kept) == len(self.kept):
            self.kept = kept
            if kept:
                self.dataChanged.emit(self.index(0), self.index(len(kept) - 1))
            return
        self.beginResetModel()
        self.kept = kept
        self.endResetModel()


class CardPainter(QStyledItemDelegate):
    """Paints a card: the picture, number and name below it, and the first words of the note."""

    def __init__(self, view: SnapshotList) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(theme.px(CARD.width()), theme.px(CARD.height()))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        colours, model = theme.current(), self._view.snapshots
        snapshot = model.kept[index.row()]
        present = snapshot.name == self._view.at
        picture, name, note = _parts(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.setPen(Qt.PenStyle.NoPen)
        if option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            chosen = bool(option.state & QStyle.StateFlag.State_Selected)
            if chosen and self._view.hasFocus():
                painter.setPen(QPen(colours.color("accent"), 1))
            painter.setBrush(colours.color("soft" if chosen else "window"))
            painter.drawRoundedRect(option.rect.adjusted(1, 1, -1, -1), 6, 6)
        ground = QPainterPath()
        ground.addRoundedRect(picture, 4, 4)
        painter.setBrush(colours.color("surface"))
        painter.setPen(QPen(colours.color("accent" if present else "hairline"), 2 if present else 1))
        painter.drawPath(ground)
        image = snapshot_image(snapshot.staging.picture, colours.name == "dark")
        if not image.isNull():
            inside = picture.adjusted(3, 3, -3, -3)
            drawn = QRect(QPoint(), image.size().scaled(inside.size(), Qt.AspectRatioMode.KeepAspectRatio))
            drawn.moveCenter(inside.center())
            painter.drawImage(drawn, image)
        self._paint_mark(painter, picture, next((a for a, b in self._view.marks.items() if b == snapshot.name), ""))
        self._write(painter, name, str(index.data()), theme.font(theme.px(theme.BASE_PX), bold=present), "text")
        self._write(painter, note, line(snapshot.note, 200), theme.font(theme.px(theme.SMALL_PX)), "muted")
        painter.restore()

    def _paint_mark(self, painter: QPainter, picture: QRect, letter: str) -> None:
        if letter:
            side = theme.px(20)
            box = QRect(picture.left() + 4, picture.top() + 4, side, side)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.current().color("accent"))
            painter.drawRoundedRect(box, 4, 4)
            painter.setPen(theme.current().color("on_accent"))
            painter.setFont(theme.font(theme.px(theme.BASE_PX), bold=True))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, letter)

    def _write(self, painter: QPainter, where: QRect, text: str, font: QFont, role: str) -> None:
        painter.setFont(font)
        painter.setPen(theme.current().color(role))
        cut = Qt.TextElideMode.ElideRight if role == "muted" else Qt.TextElideMode.ElideMiddle
        short = painter.fontMetrics().elidedText(text, cut, where.width())
        painter.drawText(where, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, short)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        field = QLineEdit(parent)
        field.setMaxLength(LONGEST)
        field.setAccessibleName("Name of the snapshot")
        return field

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        _, name, note = _parts(option.rect)
        editor.setGeometry(name.united(note).adjusted(-2, 0, 2, 0))


def _parts(card: QRect) -> tuple[QRect, QRect, QRect]:
    """The places of the picture, the name and the note on a card."""
    edge, wide = theme.px(EDGE), theme.px(SHOWN.width())
    picture = QRect(card.left() + edge, card.top() + edge, wide, theme.px(SHOWN.height()))
    name = QRect(picture.left(), picture.bottom() + theme.px(5), wide, theme.px(20))
    return picture, name, QRect(picture.left(), name.bottom() + 1, wide, theme.px(16))


class SnapshotList(QListView):
    """A click or Return goes to a snapshot, F2 renames it, Del deletes it, a drag moves it."""

    at_hand = Signal(str)
    """The keys go to another card: the snapshot's name, or nothing."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._editor, self._walk = workbench.editor, workbench.walk
        self.snapshots = SnapshotModel(workbench)
        self.at = ""
        """The name of the snapshot where the user stands."""
        self.setModel(self.snapshots)
        self.setItemDelegate(CardPainter(self))
        self.setObjectName("snapshots")
        self.setAccessibleName("Snapshots")
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)  # Qt's own moves would take rows away
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._open_menu)
        self.clicked.connect(lambda index: self._walk.go(self.snapshots.kept[index.row()].name))

    @property
    def marks(self) -> dict[str, str]:
        """The snapshots marked A and B."""
        return self._walk.marks

    @property
    def chosen(self) -> Snapshot | None:
        """The snapshot that keys go to."""
        row = self.currentIndex().row()
        return self.snapshots.kept[row] if 0 <= row < len(self.snapshots.kept) else None

    def show_kept(self, kept: tuple[Snapshot, ...], at: str) -> None:
        """Show these; the keys stay at their card, unless the user stands at another one now."""
        former, names = self.chosen, [each.name for each in kept]
        follow = at if at != self.at or former is None else former.name
        row = self.currentIndex().row()
        self.at = at
        self.snapshots.show(kept)
        row = names.index(follow) if follow in names else min(max(row, 0), len(names) - 1)
        self.setCurrentIndex(self.snapshots.index(row))
        self.viewport().update()

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        self.at_hand.emit(self.chosen.name if self.chosen else "")

    # Mouse and keys -------------------------------------------------------------------------------------------

    def _open_menu(self, at: QPoint) -> None:
        if (index := self.indexAt(at)).isValid():
            self.setCurrentIndex(index)
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.viewport().mapToGlobal(at))

    def menu(self) -> QMenu:
        """Make the menu of the card that keys go to."""
        menu, row = QMenu(self), self.currentIndex().row()
        if self.chosen is None:
            return menu
        name, last = self.chosen.name, len(self.snapshots.kept) - 1
        menu.addAction("Go there\tReturn").triggered.connect(partial(self._walk.go, name))
        menu.addAction("Rename\tF2").triggered.connect(lambda: self.edit(self.currentIndex()))
        menu.addAction("Replace by the present state").triggered.connect(partial(self._walk.retake, name))
        menu.addSeparator()
        for letter in ("A", "B"):
            mark = menu.addAction(f"Mark {letter}\t{letter}")
            mark.setCheckable(True)
            mark.setChecked(self._walk.marks.get(letter) == name)
            mark.triggered.connect(partial(self._walk.mark, letter, name))
        menu.addSeparator()
        for words, place, end in (("Move back", row - 1, -1), ("Move on", row + 1, last + 1)):
            move = menu.addAction(words)
            move.setEnabled(place != end)
            move.triggered.connect(partial(self._editor.move_snapshot, name, place))
        menu.addSeparator()
        menu.addAction("Delete\tDel").triggered.connect(partial(self._editor.delete_snapshot, name))
        return menu

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        super().dragMoveEvent(event)
        event.setAccepted(event.source() is self)

    def dropEvent(self, event: QDropEvent) -> None:
        """Move the card that was dragged to where it was let go."""
        event.setDropAction(Qt.DropAction.IgnoreAction)  # the order is the document's
        event.accept()
        if event.source() is self and self.chosen is not None:
            before, beside = self.currentIndex().row(), self.place_at(event.position().toPoint())
            self._editor.move_snapshot(self.chosen.name, beside - (before < beside))

    def place_at(self, at: QPoint) -> int:
        """Return before which card something let go there comes."""
        index = self.indexAt(at)
        if not index.isValid():
            return len(self.snapshots.kept)
        return index.row() + (at.x() > self.visualRect(index).center().x())

    def event(self, event: QEvent) -> bool:
        # These keys are this list's, not shortcuts of the window.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in OWN_KEYS:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        typing = self.state() == QAbstractItemView.State.EditingState
        if typing or self.chosen is None or event.key() not in OWN_KEYS:
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_F2:
            self.edit(self.currentIndex())
        elif event.key() == Qt.Key.Key_Delete:
            self._editor.delete_snapshot(self.chosen.name)
        elif event.key() in LETTERS:
            self._walk.mark(LETTERS[Qt.Key(event.key())], self.chosen.name)
        elif event.key() == Qt.Key.Key_Space:
            self._walk.mark_next(self.chosen.name)
        else:
            self._walk.go(self.chosen.name)
