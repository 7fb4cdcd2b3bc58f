"""Notes by hand: each is written in its place, dragged, changed by a double click or by keys, and deleted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMenu, QWidget

from mvexplorer.errors import ParameterError
from mvexplorer.state.document.notes.note import LONGEST_TEXT, Note
from mvexplorer.state.document.notes.targets import target_of, target_rows, target_words
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.ui.cloud.annotations import Annotations
from mvexplorer.ui.cloud.arrays import Rows
from mvexplorer.ui.cloud.canvas import DRAG_START, EmbeddingCanvas
from mvexplorer.ui.cloud.note_boxes import NoteBox, free_place, kept_inside, note_lines, note_size, offset_of
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.fields import Field

KEY = Qt.Key
MOVES = {KEY.Key_Left: (-1, 0), KEY.Key_Right: (1, 0), KEY.Key_Up: (0, -1), KEY.Key_Down: (0, 1)}
EDITS, DELETES = (KEY.Key_Return, KEY.Key_Enter, KEY.Key_F2), (KEY.Key_Delete, KEY.Key_Backspace)
OWN = (*MOVES, *EDITS, *DELETES, KEY.Key_Escape, KEY.Key_Menu)
TIP = "Drag it, double-click to change it; with the keys: arrows, Return, Del"


class NoteField(Field):
    """A note as it is written: Return keeps it, and so does going elsewhere; Esc leaves it as it was."""

    kept = Signal(str)
    closed = Signal()

    def __init__(self, parent: QWidget, text: str, target: str) -> None:
        super().__init__(parent)
        self.setObjectName("note")
        self.setAccessibleName(f"Note on {target}: Return keeps it, Esc leaves it")
        self.setPlaceholderText(f"Note on {target}")
        self.setMaxLength(LONGEST_TEXT)
        self.setText(text)
        self.selectAll()
        self._open = True
        self.returnPressed.connect(self.finish)

    def finish(self, *, keeps: bool = True) -> None:
        """Close it, and keep what was typed unless that is nothing."""
        if not self._open:
            return
        self._open = False
        if keeps and self.isModified() and self.text().strip():
            self.kept.emit(self.text())
        self.closed.emit()
        self.hide()
        self.deleteLater()

    def event(self, event: QEvent) -> bool:
        first = event.type() == QEvent.Type.ShortcutOverride
        if first and isinstance(event, QKeyEvent) and event.key() == KEY.Key_Escape:
            event.accept()  # else it were the window's
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == KEY.Key_Escape:
            self.finish(keeps=False)
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:  # the field's own menu
            self.finish()


class NoteHand(QObject):
    """Takes the mouse where it is on a note of a panel, and the keys while a note is at hand."""

    def __init__(
        self,
        panel: QWidget,
        id: Callable[[], str],
        canvas: EmbeddingCanvas,
        annotations: Annotations,
        editor: Editor,
        controller: Controller,
    ) -> None:
        super().__init__(panel)
        self._panel, self._id, self._canvas, self._annotations = panel, id, canvas, annotations
        self._editor, self._controller = editor, controller
        self._pressed: tuple[NoteBox, QPointF] | None = None
        """The note that the mouse is on, as it was when the left button went down, and where that was."""
        self._moved = self._over = False
        self.field: NoteField | None = None
        """The field in which a note is being written."""
        panel.installEventFilter(self)
        canvas.viewport().installEventFilter(self)

    # Writing --------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Have a note written that points at what is selected, else at the kept sample; ParameterError without any."""
        state, data = self._editor.state, self._controller.document.data
        target = target_of(state, state.point.sample_of(data))
        rows = target_rows(state, Note(text="-", panel=self._id(), **target), 0 if data is None else data.n_samples)
        if not len(rows):
            advice = "Select samples, or click one, and add the note then."
            raise ParameterError("There is nothing for a note to point at.", advice)
        if self._annotations.target(self._canvas, rows) is None:
            advice = "Fit the picture (Ctrl+9) and show all classes, or choose another panel."
            raise ParameterError("The samples of the note are not in sight in this panel.", advice)
        size = QSizeF(self._field_width(), theme.px(28))
        rect = self._free(size, rows)
        if rect is not None:
            self._write("", rect[0], target_words(target, data), lambda text: self._add(text, rows, target))

    def _add(self, text: str, rows: Rows, target: dict[str, object]) -> None:
        free = self._free(note_size(note_lines(text)), rows)
        if free is not None:
            self._editor.add_note(self._id(), text, offset_of(*free, self._canvas), **target)

    def _free(self, size: QSizeF, rows: Rows) -> tuple[QRectF, QPointF] | None:
        """A place for a text, and its target."""
        target, look = self._annotations.target(self._canvas, rows), self._canvas.cloud.look
        if target is None or look is None:
            return None
        places = self._canvas.positions_of(np.flatnonzero(look.visible))
        taken = [box.rect for box in self._annotations.note_boxes(self._canvas)]
        return free_place(size, target, places, taken, self._canvas), target

    def edit(self, number: int) -> None:
        """Have a note's text changed."""
        box = self._find(number)
        if box is not None:
            note, data = self._editor.state.notes[number], self._controller.document.data
            size = QSizeF(max(box.rect.width(), self._field_width()), theme.px(28))
            rect = kept_inside(box.rect.center(), size, self._canvas)
            words = target_words({"selection": note.selection, "samples": note.samples}, data)
            self._write(note.text, rect, words, partial(self._editor.change_note, number))

    def _field_width(self) -> float:
        wide = 210  # pixels, as far as the picture is as wide
        return min(float(theme.px(wide)), float(self._canvas.width()) - 8.0)

    def _write(self, text: str, rect: QRectF, words: str, keep: Callable[[str], object]) -> None:
        self.leave()
        before = self._controller.document.data
        self.field = field = NoteField(self._canvas.viewport(), text, words)
        field.setGeometry(rect.toRect())

        def close() -> None:
            self.field = None
            if field.hasFocus():
                self._panel.setFocus()

        field.kept.connect(lambda typed: keep(typed) if self._controller.document.data is before else None)
        field.closed.connect(close)
        field.show()
        field.setFocus()

    def leave(self) -> None:
        """Write no note, and have none at hand."""
        if self.field is not None:
            self.field.finish(keeps=False)
        self._pressed = None
        self._let_go()

    # The note at hand -----------------------------------------------------------------------------------------

    def take(self, number: int) -> None:
        """Let keys go to a note."""
        self._panel.setFocus()
        self._annotations.at_hand = number
        self._canvas.viewport().update()

    def _let_go(self) -> None:
        if self._annotations.at_hand >= 0:
            self._annotations.at_hand = -1
            self._canvas.viewport().update()

    def delete(self, number: int) -> None:
        """Take a note away."""
        self._let_go()
        self._editor.delete_note(number)

    def menu(self, number: int) -> QMenu:
        """The edits of a note."""
        menu = QMenu(self._panel)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Edit\tReturn").triggered.connect(lambda: self.edit(number))
        menu.addAction("Delete\tDel").triggered.connect(lambda: self.delete(number))
        return menu

    def _find(self, number: int) -> NoteBox | None:
        """A note as it stands on the picture, if it does."""
        boxes = self._annotations.note_boxes(self._canvas)
        return next((box for box in boxes if box.number == number), None)

    def _at(self, position: QPointF) -> NoteBox | None:
        """The uppermost note at a place."""
        boxes = reversed(self._annotations.note_boxes(self._canvas))
        return next((box for box in boxes if box.rect.contains(position)), None)

    # Mouse and keys -------------------------------------------------------------------------------------------

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._panel:
            if isinstance(event, QFocusEvent) and event.type() == QEvent.Type.FocusOut:
                kept = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
                if event.reason() not in kept:
                    self._let_go()
            return isinstance(event, QKeyEvent) and self._key(event)
        if not isinstance(event, QMouseEvent):
            return False
        kinds = {
            QEvent.Type.MouseButtonPress: self._press,
            QEvent.Type.MouseMove: self._move,
            QEvent.Type.MouseButtonRelease: self._release,
            QEvent.Type.MouseButtonDblClick: self._double,
        }
        return event.type() in kinds and kinds[event.type()](event)

    def _key(self, event: QKeyEvent) -> bool:
        """Take a key that goes to the note at hand."""
        number = self._annotations.at_hand
        if number < 0 or event.key() not in OWN:
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # Del would close the panel
        elif event.type() == QEvent.Type.KeyPress:
            self._act(number, Qt.Key(event.key()), small=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        return True

    def _act(self, number: int, key: Qt.Key, *, small: bool) -> None:
        box = self._find(number)
        if box is None or key == KEY.Key_Escape:
            self._let_go()
        elif key in EDITS:
            self.edit(number)
        elif key in DELETES:
            self.delete(number)
        elif key == KEY.Key_Menu:
            self.menu(number).popup(self._canvas.viewport().mapToGlobal(box.rect.center().toPoint()))
        else:
            step = 0.005 if small else 0.02  # of the picture's width or height
            across, down = offset_of(box.rect, box.target, self._canvas)
            self._editor.move_note(number, (across + step * MOVES[key][0], down + step * MOVES[key][1]))

    def _press(self, event: QMouseEvent) -> bool:
        box = self._at(event.position())
        if box is None:
            self._let_go()
            return False
        self.take(box.number)
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._moved = (box, event.position()), False
        return True

    def _move(self, event: QMouseEvent) -> bool:
        if self._pressed is None:
            return self._hover(event)
        box, start = self._pressed
        way = event.position() - start
        self._moved = self._moved or way.manhattanLength() > DRAG_START
        if self._moved:
            rect = kept_inside(box.rect.center() + way, box.rect.size(), self._canvas)
            place = offset_of(rect, box.target, self._canvas)
            self._editor.move_note(box.number, place, interactive=True)
        return True

    def _hover(self, event: QMouseEvent) -> bool:
        """Show that a note can be dragged; what lies under it is not pointed at."""
        over = event.buttons() == Qt.MouseButton.NoButton and self._at(event.position()) is not None
        if over != self._over:
            self._over = over
            viewport = self._canvas.viewport()
            if over:
                viewport.setCursor(Qt.CursorShape.OpenHandCursor)
                viewport.setToolTip(TIP)
                self._canvas.hovered.emit(-1, QPointF())
            else:
                viewport.unsetCursor()
        return over

    def _release(self, event: QMouseEvent) -> bool:
        if self._pressed is not None and event.button() == Qt.MouseButton.LeftButton:
            self._pressed = None
            if self._moved:
                self._editor.end_drag()
            return True
        box = self._at(event.position())
        if box is None or event.button() != Qt.MouseButton.RightButton or self._annotations.at_hand != box.number:
            return False
        self.menu(box.number).popup(event.globalPosition().toPoint())
        return True

    def _double(self, event: QMouseEvent) -> bool:
        box = self._at(event.position())
        if box is None:
            return False
        self._pressed = None
        self.edit(box.number)
        return True
