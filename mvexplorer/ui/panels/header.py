"""The top of a panel: its title, its buttons, and the text of pinned parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QMimeData, QPointF, Qt, Signal
from PySide6.QtGui import QDrag, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QMenu, QPushButton, QSizePolicy, QToolButton, QWidget

from mvexplorer.engine.methods import get_method, methods
from mvexplorer.state.document.model import PanelState, Scalar
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import show_in_place
from mvexplorer.ui.widgets.keyed_tip import keyed_tip
from mvexplorer.ui.widgets.plain_text import LINE, caption, line, tip
from mvexplorer.ui.widgets.shortening import shortened, with_fewer_words

MIME = "application/x-mvexplorer-panel"
ARROW = " ▾"
"""Follows the words of what opens a menu."""


class Title(QPushButton):
    """A method's name, cut to the available width so that no other panel's reads the same."""

    dragged = Signal()
    PADDING = 16
    """Pixels on both sides of the words and the arrow."""

    def __init__(self) -> None:
        super().__init__()
        self._words = ""
        self._others: tuple[str, ...] = ()
        self._number = 1
        self._kept = LINE * 4
        self._press: QPointF | None = None

    def set_words(self, words: str, others: Sequence[str] = (), number: int = 1, kept: int = LINE * 4) -> None:
        """Show the title of the panel with this number; `others` are those of the other panels.

        Words after the first `kept` characters are the first to go where there is no room.
        """
        self._words, *rest = (line(title, 4 * LINE) for title in (words, *others))
        self._others, self._number, self._kept = tuple(rest), number, kept
        self.setAccessibleName(self._words)
        self._fit()

    @property
    def full_width(self) -> int:
        """Pixels in which nothing has to be cut but words at the end, of which the first is to be read."""
        comma = self._words.find(", ", self._kept)
        words = self._words if comma < 0 else f"{self._words[:comma]} …"
        return self.fontMetrics().horizontalAdvance(words) + self._beside

    @property
    def _beside(self) -> int:
        """Pixels beside the words: the button's padding, and the arrow, which grows with the type."""
        return self.PADDING + self.fontMetrics().horizontalAdvance(ARROW)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._press = event.position()
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        # The title fills the header: a press on it may become a drag of the panel.
        if self._press is None:
            return
        if self.isDown():
            travelled = (event.position() - self._press).manhattanLength()
            if travelled >= QApplication.startDragDistance():
                self.setDown(False)
                self._press = None
                self.dragged.emit()
                return
        super().mouseMoveEvent(event)

    def _fit(self) -> None:
        room = max(40, self.width() - self._beside)
        width = self.fontMetrics().horizontalAdvance
        shown = with_fewer_words(self._words, self._kept, self._others, room, width)
        shown = shown or shortened(self._words, self._others, self._number, room, width)
        self.setText(f"{shown.replace('&', '&&')}{ARROW}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


class Header(QWidget):
    """The strip with a panel's title and buttons, by which the panel is dragged."""

    def __init__(self, panel: QWidget) -> None:
        super().__init__(panel)
        self._panel = panel
        self._state: PanelState | None = None
        self._press: QPointF | None = None
        self.neighbours: Sequence[Header] = (self,)
        """The headers of the panels in the same row, this one among them."""
        self._wanted = self._taken = 0
        """Steps of hiding that the title asks for, and those taken."""
        self._hiding = False
        self.at_hand = True
        """Whether the buttons of the present step are on show, or only their room is kept."""
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(6, 4, 4, 2)
        row.setSpacing(2)
        self.title = Title()
        self.title.setProperty("role", "title")
        self.title.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.title.dragged.connect(self.lift)
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.shown = tool_button("small", "Which coordinates are drawn")
        row.addWidget(self.title, 1)
        row.addWidget(self.shown)
        self.flat = tool_button("small", "Two dimensions", "2D", "Two dimensions")
        self.deep = tool_button("small", "Three dimensions", "3D", "Three dimensions")
        for button in (self.flat, self.deep):
            button.setCheckable(True)
            row.addWidget(button)
        both = ("Two dimensions", "Three dimensions")
        self.flip = tool_button("small", "Two or three dimensions", "", *both)
        row.addWidget(self.flip)
        self.about = icon_button("info", "About this method: formula, assumptions, cost, citation", "About the method")
        self.tool = icon_button("lasso", "Drag selects; click to let it navigate instead", "Navigate tool")
        self.maximise = icon_button("maximize-2", "Maximise, or back to all panels", "Maximise panel")
        self.more = icon_button("ellipsis", "Axes, pins, duplicate, close")
        self.cross = icon_button("x", "Close this panel", "Close panel")
        for button in (self.about, self.tool, self.maximise, self.more, self.cross):
            row.addWidget(button)

    def show_state(self, state: PanelState, titles: Mapping[str, str], navigating: bool, kept: int = 4 * LINE) -> None:
        """Show title, coordinates drawn, dimensions, and what dragging does; `titles` are those of all panels.

        The first `kept` characters of the panel's own title stay where there is little room.
        """
        self._state = state
        title, number, method = titles[state.id], list(titles).index(state.id) + 1, get_method(state.method)
        others = [other for id, other in titles.items() if id != state.id]
        if method.compares_one_view:  # chips below name the views
            others = [other for other in others if not other.startswith(method.title)]
            self.title.set_words(f"{method.title}{title[kept:]}", others, number, len(method.title))
            self.title.setAccessibleName(line(title, 4 * LINE))
        else:
            self.title.set_words(title, others, number, kept)
        keyed_tip(self.title, f"{titles[state.id]}: choose the method", "Choose method")
        self.shown.setText(f"{caption(state.show, 16)} ▾")
        self.shown.setToolTip(tip(f"Which coordinates are drawn: {state.show}"))
        self.flat.setChecked(state.dims == 2)
        self.deep.setChecked(state.dims == 3)
        self.flip.setText(f"{state.dims}D")
        self.tool.setIcon(theme.icon("move" if navigating else "lasso"))
        self.fit_buttons()

    def show_buttons(self, at_hand: bool) -> None:
        """Show the buttons of a panel that is at hand; of the others only what tells the picture stays."""
        if at_hand != self.at_hand:
            self.at_hand = at_hand
            self._hide(self._taken)

    def fit_buttons(self) -> None:
        """Hide buttons one after the other until the title has room, and alike in the panels beside this one.

        Each button has a key and a menu entry.
        """
        self._wanted = self._steps_wanted()
        # Steps of hiding that the panels of a row take together: icons and dimensions, not what only some of them have.
        shared = 5
        for header in self.neighbours:
            # Asked anew for each: hiding a button may lay out the other panels, which then ask for more or less.
            steps = max(header._wanted, min(shared, max(each._wanted for each in self.neighbours)))
            if header is self or steps != header._taken:
                header._hide(steps)

    @property
    def _steps(self) -> tuple[tuple[QWidget, ...], ...]:
        """The buttons that each step hides."""
        dims = (self.flat, self.deep)
        return (self.about,), (self.maximise,), (self.cross,), (self.tool,), dims, (self.shown,), (self.flip,)

    def _left(self, steps: int) -> set[QWidget]:
        """Return the buttons left after `steps`; one button stands for those of the dimensions once they are gone."""
        gone = [button for step in self._steps[:steps] for button in step]
        left = {button for step in self._steps for button in step if button not in gone} | {self.more}
        views = self._state is not None and get_method(self._state.method).per_view
        return left - ({self.flip} if self.flat in left else set()) - (set() if views else {self.shown})

    def _steps_wanted(self) -> int:
        last = len(self._steps) - 1
        enough = 120  # pixels of title for which the last button stays
        for steps in range(last + 1):
            room = self._room_beside(self._left(steps))
            if room >= self.title.full_width or (steps == last and room >= enough):
                return steps
        return last + 1

    def _hide(self, steps: int) -> None:
        """Show only the buttons left after `steps`.

        Hiding a button may lay out the row, which then asks for other steps. They are taken afterwards: a button that
        is hidden while Qt is showing it stays visible, and counts as hidden.
        """
        self._taken = steps
        if self._hiding:
            return
        self._hiding = True
        most_turns = 4  # times that buttons are hidden anew because hiding them changed what there is room for
        for _ in range(most_turns):
            steps = self._taken
            left = self._left(steps)
            for button in (button for step in self._steps for button in step):
                show_in_place(button, possible=button in left, at_hand=self.at_hand or button is self.shown)
            show_in_place(self.more, possible=True, at_hand=self.at_hand)
            if self._taken == steps:
                break
        self._hiding = False
        self._row.invalidate()  # Qt keeps the room of a button that was hidden while the panel was resized
        self._row.activate()

    def _room_beside(self, buttons: Iterable[QWidget]) -> int:
        """Pixels left for the title in the panel's width."""
        margins = self._row.contentsMargins()
        frame = 4  # pixels of the panel's border, left and right together
        room = self._panel.width() - frame - margins.left() - margins.right()
        return room - sum(max(b.sizeHint().width(), b.minimumWidth()) + self._row.spacing() for b in buttons)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._press = event.position()
        self._panel.setFocus()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._press is None:
            return
        if (event.position() - self._press).manhattanLength() < QApplication.startDragDistance():
            return
        self.lift()

    def lift(self) -> None:
        """Start dragging the panel."""
        self._press = None
        if self._state is None:
            return
        mime = QMimeData()
        mime.setData(MIME, self._state.id.encode())
        drag = QDrag(self)
        drag.setMimeData(mime)
        drag.setPixmap(self._panel.grab().scaledToWidth(160, Qt.TransformationMode.SmoothTransformation))
        drag.exec(Qt.DropAction.MoveAction | Qt.DropAction.CopyAction)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.maximise.click()


def pin_text(name: str, value: Scalar) -> str:
    """A pinned parameter in the footer: its symbol, or its name where it has none, and its value."""
    kind, colon, view = name.partition(":")
    if colon:
        return f"{'ε' if kind == 'epsilon' else 'kernel'} {line(view, 24)} {_number(value)}"
    param = next(p for m in methods() for p in m.params if p.name == name)
    return f"{param.symbol or param.title.lower()} {param.empty if value is None else _number(value)}"


def _number(value: Scalar) -> str:
    return numbers.number(value) if isinstance(value, float) else str(value).lower()


def tool_button(role: str, tip: str, text: str = "", *actions: str) -> QToolButton:
    """A button with words; its tooltip names the keys of these actions."""
    button = QToolButton()
    button.setProperty("role", role)
    keyed_tip(button, tip, *actions)
    button.setText(text)
    return button


def icon_button(icon: str, tip: str, *actions: str) -> QToolButton:
    """A button with an icon; its tooltip names the keys of these actions."""
    button = QToolButton()
    button.setProperty("icon_name", icon)
    button.setIcon(theme.icon(icon))
    theme.square(button)
    keyed_tip(button, tip, *actions)
    return button


def drop_menu(button: QWidget, menu: QMenu) -> None:
    """Open a menu under its button, and free it afterwards."""
    menu.setToolTipsVisible(True)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.popup(button.mapToGlobal(button.rect().bottomLeft()))
    present = next((action for action in menu.actions() if action.isChecked()), None)
    if present is not None:
        menu.setActiveAction(present)  # the arrow keys start at the present choice
