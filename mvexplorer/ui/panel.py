"""One panel: a method's name, its picture, and underneath what there is to say about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QMimeData, QPointF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QDrag,
    QDragEnterEvent,
    QDropEvent,
    QFocusEvent,
    QMouseEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QMenu,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.compute.scheduler import Progress
from mvexplorer.engine.registry import Method, get_method, methods
from mvexplorer.state.controller import PanelResult, shown_coordinates
from mvexplorer.state.model import CONSENSUS, DocumentState, PanelState, panel_view, panel_views
from mvexplorer.ui import numbers, theme
from mvexplorer.ui.canvas import EmbeddingCanvas

STALE_AFTER_MS = 1000
PROGRESS_AFTER_MS = 300
MIME = "application/x-mvexplorer-panel"


@dataclass(frozen=True)
class PanelActions:
    """What a panel can ask of the window."""

    set_method: Callable[[str, str, str | None], None]
    change: Callable[..., None]
    duplicate: Callable[[str], None]
    close: Callable[[str], None]
    swap: Callable[[str, str], None]
    maximise: Callable[[str], None]
    pin: Callable[[str, str], None]
    unpin: Callable[[str, str], None]
    edit_pin: Callable[[str, str], None]
    retry: Callable[[str], None]
    cancel: Callable[[str], None]
    toggle_tool: Callable[[], None]
    pinnable: Callable[[str], list[tuple[str, str]]]


class Panel(QWidget):
    """Shows one `PanelState` with its `PanelResult`."""

    focused = Signal(str)

    def __init__(self, id: str, actions: PanelActions) -> None:
        super().__init__()
        self.id = id
        self._do = actions
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAcceptDrops(True)
        self._state: PanelState | None = None
        self._document: DocumentState | None = None
        self._result: PanelResult | None = None
        self.canvas = EmbeddingCanvas()
        self.canvas.menu_wanted.connect(lambda position: self.menu().exec(position))
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        column.addWidget(self._make_header())
        column.addWidget(self._make_body(), 1)
        self._progress = QProgressBar()
        self._progress.setTextVisible(False)
        self._progress.setRange(0, 1000)
        self._progress.setFixedHeight(2)
        policy = self._progress.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._progress.setSizePolicy(policy)
        column.addWidget(self._progress)
        column.addWidget(self._make_footer())
        self._progress.hide()
        self._late = QTimer(self, singleShot=True, interval=STALE_AFTER_MS)
        self._late.timeout.connect(self._grow_stale)
        self._soon = QTimer(self, singleShot=True, interval=PROGRESS_AFTER_MS)
        self._soon.timeout.connect(self._show_progress)

    # Construction -------------------------------------------------------------------------------------------

    def _make_header(self) -> QWidget:
        self.header = _Header(self)
        row = QHBoxLayout(self.header)
        row.setContentsMargins(6, 4, 4, 2)
        row.setSpacing(2)
        self.title = _Title()
        self.title.setProperty("role", "title")
        self.title.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.title.clicked.connect(self.choose_method)
        self.title.dragged.connect(self.header.lift)
        self.shown = _tool_button("small", "Which coordinates are drawn")
        self.shown.clicked.connect(lambda: _drop_menu(self.shown, self._view_menu()))
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        row.addWidget(self.title, 1)
        row.addWidget(self.shown)
        self.flat = _tool_button("small", "Two dimensions (2)", "2D")
        self.deep = _tool_button("small", "Three dimensions (3)", "3D")
        for button, dims in ((self.flat, 2), (self.deep, 3)):
            button.setCheckable(True)
            button.clicked.connect(lambda _=False, d=dims: self._do.change(self.id, f"Show in {d}-D", dims=d))
            row.addWidget(button)
        self.tool = _icon_button("lasso", "Drag selects; click to let it navigate instead (L)")
        self.tool.clicked.connect(self._do.toggle_tool)
        self.maximise = _icon_button("maximize-2", "Maximise, or back to all panels (F)")
        self.maximise.clicked.connect(lambda: self._do.maximise(self.id))
        self.more = _icon_button("ellipsis", "Axes, pins, duplicate, close")
        self.more.clicked.connect(lambda: _drop_menu(self.more, self.menu()))
        self.cross = _icon_button("x", "Close this panel (Del)")
        self.cross.clicked.connect(lambda: self._do.close(self.id))
        for button in (self.tool, self.maximise, self.more, self.cross):
            row.addWidget(button)
        return self.header

    def _make_body(self) -> QWidget:
        body = QWidget()
        self._stack = QStackedLayout(body)
        self._stack.setStackingMode(QStackedLayout.StackingMode.StackOne)
        self._stack.addWidget(self.canvas)
        self._skeleton = QLabel()
        self._skeleton.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._skeleton.setWordWrap(True)
        self._skeleton.setMargin(16)
        self._stack.addWidget(self._skeleton)
        return body

    def _make_footer(self) -> QWidget:
        footer = QWidget()
        row = QHBoxLayout(footer)
        row.setContentsMargins(10, 3, 8, 5)
        row.setSpacing(8)
        self._doubt = QToolButton()
        self._doubt.setIcon(theme.icon("triangle-alert", "amber"))
        self._doubt.setFixedSize(18, 18)
        self._doubt.clicked.connect(lambda: self._message.setVisible(not self._message.isVisible()))
        self._nmi, self._knn, self._pins, self._time = QLabel(), QLabel(), QLabel(), QLabel()
        for label in (self._nmi, self._knn, self._pins, self._time):
            label.setProperty("role", "muted")
        self._pins.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row.addWidget(self._doubt)
        row.addWidget(self._nmi)
        row.addWidget(self._knn)
        row.addWidget(self._pins, 1)
        self._again = _icon_button("rotate-ccw", "Compute again")
        self._again.clicked.connect(lambda: self._do.retry(self.id))
        self._stop = _icon_button("circle-x", "Cancel (Ctrl+.)")
        self._stop.clicked.connect(lambda: self._do.cancel(self.id))
        row.addWidget(self._again)
        row.addWidget(self._stop)
        row.addWidget(self._time)
        self._message = QLabel()
        self._message.setWordWrap(True)
        self._message.setContentsMargins(10, 2, 10, 6)
        whole = QWidget()
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._message)
        column.addWidget(footer)
        self._message.hide()
        return whole

    def sizeHint(self) -> QSize:
        return QSize(320, 260)

    # What is shown ------------------------------------------------------------------------------------------

    @property
    def state(self) -> PanelState | None:
        """The state last shown."""
        return self._state

    def show_state(self, state: PanelState, document: DocumentState, navigating: bool) -> None:
        """Header and tools."""
        self._state, self._document = state, document
        method = get_method(state.method)
        self.title.set_words(self.describe(state, document))
        self.title.setToolTip(f"{self.describe(state, document)}: choose the method (F2)")
        self._show_header_buttons()
        self.shown.setText(f"{state.show} ▾")
        self.flat.setChecked(state.dims == 2)
        self.deep.setChecked(state.dims == 3)
        self.tool.setIcon(theme.icon("move" if navigating else "lasso"))
        self.canvas.navigating = navigating
        self._skeleton.setText(
            f"<div style='font-size:15px'><b>{method.title}</b></div><p>{method.formula}</p>"
            f"<p style='color:{theme.current().muted}'>computing …</p>"
        )

    def _show_header_buttons(self) -> None:
        """In a narrow panel the name matters most; what is hidden has a key, and a line in a menu."""
        wide = self.width() >= 340
        self.tool.setVisible(wide)
        self.cross.setVisible(wide)
        self.shown.setVisible(wide and self._state is not None and get_method(self._state.method).per_view)

    @staticmethod
    def describe(state: PanelState, document: DocumentState) -> str:
        """The title: the method, and the views where it does not use them all."""
        method = get_method(state.method)
        if method.max_views == 1:
            return f"{method.title.removesuffix(' view')} · {panel_view(document, state) or 'no view'}"
        used = panel_views(document, state, method)
        if method.max_views is not None and len(used) > method.max_views:
            return f"{method.title} · {' + '.join(used[: method.max_views])}"
        return method.title

    def show_result(self, result: PanelResult, best: frozenset[str], *, glide: bool) -> None:
        """Picture, status, scores and doubts."""
        self._result = result
        if result.result is None:
            failed = result.status == "failed"
            self._skeleton.setVisible(not failed)
            self._stack.setCurrentIndex(1 if not failed else 0)
            self.canvas.show_points(None)
        else:
            self._stack.setCurrentIndex(0)
            was_3d = self.canvas.is_3d
            self.canvas.show_points(result.drawn, result.axis_names, glide=glide)
            if self.canvas.is_3d != was_3d:
                self.canvas.fit()
        self._show_status(result)
        self.show_scores(result, best)
        self._show_message(result)
        self.setAccessibleName(self._spoken(result))

    def _show_status(self, result: PanelResult) -> None:
        computing = result.status == "computing"
        if computing:
            if not self._soon.isActive() and not self._progress.isVisible():
                self._soon.start()
            if not self._late.isActive() and not self.canvas.dimmed:
                self._late.start()
        else:
            self._late.stop()
            self._soon.stop()
            self._progress.hide()
            self.canvas.set_dimmed(result.stale)
        self._stop.setVisible(computing and self._progress.isVisible())
        self._again.setVisible(result.status in ("failed", "cancelled"))
        if result.status == "failed":
            text = "stale" if result.result else "failed"
        elif result.status == "cancelled":
            text = "cancelled, stale" if result.result else "cancelled"
        elif result.result is not None and (not computing or not self.canvas.dimmed):
            text = numbers.duration(result.result.seconds)
        else:
            text = "stale · recomputing" if result.result else "computing"
        self._time.setText(text)
        if result.result is not None:
            products = result.result.products
            self._time.setToolTip(f"Time taken; {products} operator products" if products else "Taken from the cache")

    def show_scores(self, result: PanelResult, best: frozenset[str]) -> None:
        """The score badges; those in `best` are the best of all panels."""
        found = result.scores
        for label, key in ((self._nmi, "nmi"), (self._knn, "knn")):
            label.setVisible(found is not None)
            role = "best" if key in best else "muted"
            if label.property("role") != role:
                label.setProperty("role", role)
                label.style().unpolish(label)
                label.style().polish(label)
        if found is None:
            return
        columns = result.result.embedding.coordinates.shape[1] if result.result else 0
        self._nmi.setText(f"NMI {numbers.score(found.nmi)}")
        self._nmi.setToolTip(
            f"Normalised mutual information of k-means clusters and classes, ten seeds, mean ± s.d., on all "
            f"{columns} coordinates. Bold: best of all panels."
        )
        self._knn.setText(f"k-NN {numbers.score(found.knn)}")
        self._knn.setToolTip(
            f"Share of samples whose five nearest neighbours vote for their class, on all {columns} coordinates. "
            "Bold: best of all panels."
        )

    def _show_message(self, result: PanelResult) -> None:
        doubts = [] if result.result is None else [t for c, t in result.result.embedding.warnings if c != "views"]
        self._doubt.setVisible(bool(doubts) and result.error is None)
        self._doubt.setToolTip("\n".join(doubts))
        self._doubt.setAccessibleName("; ".join(doubts))
        if result.error is not None:
            self._message.setText(f"{result.error.message} {result.error.hint}")
            self._message.setStyleSheet(f"color: {theme.current().red};")
            self._message.show()
        else:
            self._message.setText("\n".join(doubts))
            self._message.setStyleSheet(f"color: {theme.current().amber};")
            if not doubts:
                self._message.hide()
        pins = self._state.pins if self._state else {}
        self._pins.setText("  ".join(f"{pin_symbol(k)} {pin_value(v)} pinned" for k, v in pins.items()))
        self._pins.setToolTip(self._pins.text())

    def _grow_stale(self) -> None:
        if self._result is not None and self._result.status == "computing" and self._result.result is not None:
            self.canvas.set_dimmed(True)
            self._time.setText("stale · recomputing")

    def _show_progress(self) -> None:
        if self._result is not None and self._result.status == "computing":
            self._progress.show()
            self._stop.show()

    def show_task(self, task: Progress) -> None:
        """How far the computation is, or that it waits for others."""
        self._progress.setValue(int(1000 * task.fraction) if task.running else 0)
        if self._result is not None and self._result.status == "computing" and self._result.result is None:
            self._time.setText("computing" if task.running else "queued")

    def _spoken(self, result: PanelResult) -> str:
        """What a screen reader says."""
        if self._state is None or self._document is None:
            return ""
        parts = [self.describe(self._state, self._document), result.status]
        if result.scores is not None:
            parts.append(f"NMI {result.scores.nmi.value:.2f}, k-NN {result.scores.knn.value:.2f}")
        parts.append(f"{len(self._document.selection)} samples selected")
        return ", ".join(parts)

    # Menus --------------------------------------------------------------------------------------------------

    def choose_method(self) -> None:
        """Open the list of methods under the title."""
        _drop_menu(self.title, self._method_menu())

    def _method_menu(self) -> QMenu:
        menu = QMenu(self)
        if self._state is None or self._document is None:
            return menu
        ticked = self._document.ticked
        for method in methods():
            if method.max_views == 1:
                for view in (v.name for v in self._document.views):
                    current = self._state.method == method.id and panel_view(self._document, self._state) == view
                    self._add_method(menu, method, f"{method.title} · {view}", view, current, "")
                menu.addSeparator()
                continue
            reason = "" if len(ticked) >= method.min_views else f"needs {method.min_views} views"
            self._add_method(menu, method, method.title, None, self._state.method == method.id, reason)
        return menu

    def _add_method(self, menu: QMenu, method: Method, text: str, view: str | None, current: bool, reason: str) -> None:
        action = menu.addAction(f"{text}  ({reason})" if reason else text)
        action.setToolTip(method.summary)
        action.setCheckable(True)
        action.setChecked(current)
        action.setEnabled(not reason)
        action.triggered.connect(lambda _=False: self._do.set_method(self.id, method.id, view))

    def _view_menu(self, title: str = "") -> QMenu:
        menu = QMenu(title, self)
        if self._state is None or self._result is None or self._result.result is None:
            return menu
        for name in (CONSENSUS, *self._result.result.embedding.views):
            action = menu.addAction("consensus (all views)" if name == CONSENSUS else f"as seen by {name}")
            action.setCheckable(True)
            action.setChecked(self._state.show == name)
            action.triggered.connect(lambda _=False, n=name: self._do.change(self.id, f"Show {n}", show=n))
        return menu

    def menu(self) -> QMenu:
        """Everything the panel can do."""
        menu = QMenu(self)
        if self._state is None or self._document is None:
            return menu
        if get_method(self._state.method).per_view:
            menu.addMenu(self._view_menu("Coordinates drawn"))
        self._add_axes(menu)
        self._add_pair(menu)
        self._add_pins(menu)
        menu.addSeparator()
        for text, keys, do in (
            ("Fit to points", "", self.canvas.fit),
            ("Maximise", "F", lambda: self._do.maximise(self.id)),
            ("Duplicate", "Ctrl+D", lambda: self._do.duplicate(self.id)),
            ("Compute again", "", lambda: self._do.retry(self.id)),
            ("Close", "Del", lambda: self._do.close(self.id)),
        ):
            action = menu.addAction(f"{text}\t{keys}" if keys else text)
            action.triggered.connect(lambda _=False, d=do: d())
        return menu

    def _add_axes(self, menu: QMenu) -> None:
        if self._result is None or self._result.result is None or self._state is None:
            return
        names = shown_coordinates(self._result.result.embedding, self._state.show)[1]
        for place, word in list(enumerate(("Horizontal axis", "Vertical axis", "Depth axis")))[: self._state.dims]:
            sub = menu.addMenu(word)
            group = QActionGroup(sub)
            for column, name in enumerate(names[:60]):
                action = QAction(name, sub, checkable=True, checked=self._state.axes[place] == column)
                group.addAction(action)
                sub.addAction(action)
                axes = tuple(column if p == place else a for p, a in enumerate(self._state.axes))
                action.triggered.connect(lambda _=False, a=axes: self._do.change(self.id, "Change axes", axes=a))

    def _add_pair(self, menu: QMenu) -> None:
        if self._state is None or self._document is None or get_method(self._state.method).max_views != 2:
            return
        ticked = self._document.ticked
        if len(ticked) < 3:
            return
        sub = menu.addMenu("Pair of views")
        present = panel_views(self._document, self._state, get_method(self._state.method))[:2]
        for i, first in enumerate(ticked):
            for second in ticked[i + 1 :]:
                action = sub.addAction(f"{first} + {second}")
                action.setCheckable(True)
                action.setChecked(set(present) == {first, second})
                pair = (first, second)
                action.triggered.connect(lambda _=False, p=pair: self._do.change(self.id, "Change pair", pair=p))

    def _add_pins(self, menu: QMenu) -> None:
        if self._state is None:
            return
        pins = menu.addMenu("Pin a parameter")
        for name, text in self._do.pinnable(self.id):
            pinned = name in self._state.pins
            action = pins.addAction(f"{text}  (pinned)" if pinned else text)
            action.setCheckable(True)
            action.setChecked(pinned)
            toggle = self._do.unpin if pinned else self._do.pin
            action.triggered.connect(lambda _=False, n=name, t=toggle: t(self.id, n))
        for name in self._state.pins:
            action = menu.addAction(f"Change pinned {pin_symbol(name)} …")
            action.triggered.connect(lambda _=False, n=name: self._do.edit_pin(self.id, n))

    # Focus and drag -----------------------------------------------------------------------------------------

    def set_focused(self, focused: bool) -> None:
        """Draw the accent border of the panel that keys go to."""
        self._set_flag("focused", focused)

    def _set_flag(self, name: str, value: bool) -> None:
        if self.property(name) != value:
            self.setProperty(name, value)
            self.style().unpolish(self)
            self.style().polish(self)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.focused.emit(self.id)
        super().focusInEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus()
        super().mousePressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasFormat(MIME) and event.source() is not self.header:
            self._set_flag("droptarget", True)
            event.acceptProposedAction()

    def dragLeaveEvent(self, event: QEvent) -> None:
        self._set_flag("droptarget", False)

    def dropEvent(self, event: QDropEvent) -> None:
        self._set_flag("droptarget", False)
        other = bytes(event.mimeData().data(MIME).data()).decode()
        copy = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        event.acceptProposedAction()
        # The drop is handled once the drag's own event loop has ended.
        QTimer.singleShot(0, lambda: self._do.duplicate(other) if copy else self._do.swap(other, self.id))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._show_header_buttons()
        super().resizeEvent(event)

    def abandon_gesture(self) -> bool:
        """Esc: drop a lasso under way."""
        return self.canvas.abandon_gesture()


class _Title(QPushButton):
    """A method's name, cut to the room there is."""

    dragged = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._words = ""
        self._press: QPointF | None = None

    def set_words(self, words: str) -> None:
        self._words = words
        self.setAccessibleName(words)
        self._fit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._press = event.position()
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        # The title fills the header: what begins as a press may become the drag of the panel.
        if self.isDown() and self._press is not None:
            travelled = (event.position() - self._press).manhattanLength()
            if travelled >= QApplication.startDragDistance():
                self.setDown(False)
                self._press = None
                self.dragged.emit()
                return
        super().mouseMoveEvent(event)

    def _fit(self) -> None:
        room = max(40, self.width() - 26)
        self.setText(f"{self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, room)} ▾")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


class _Header(QWidget):
    """The strip a panel is dragged by."""

    def __init__(self, panel: Panel) -> None:
        super().__init__(panel)
        self._panel = panel
        self._press: QPointF | None = None

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
        mime = QMimeData()
        mime.setData(MIME, self._panel.id.encode())
        drag = QDrag(self)
        drag.setMimeData(mime)
        drag.setPixmap(self._panel.grab().scaledToWidth(160, Qt.TransformationMode.SmoothTransformation))
        drag.exec(Qt.DropAction.MoveAction | Qt.DropAction.CopyAction)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._panel.maximise.click()


def pin_symbol(name: str) -> str:
    """The short form of a pinned parameter's name."""
    if name.startswith("epsilon:"):
        return f"ε {name.removeprefix('epsilon:')}"
    return next(p.symbol or p.name for m in methods() for p in m.params if p.name == name)


def pin_value(value: float | str | None) -> str:
    """A pinned value in the footer."""
    return numbers.number(value) if isinstance(value, float) else "Σ ε" if value is None else str(value)


def _tool_button(role: str, tip: str, text: str = "") -> QToolButton:
    button = QToolButton()
    button.setProperty("role", role)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    button.setText(text)
    return button


def _icon_button(icon: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setIcon(theme.icon(icon))
    button.setIconSize(QSize(14, 14))
    button.setFixedSize(22, 22)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    return button


def _drop_menu(button: QWidget, menu: QMenu) -> None:
    """Open a menu under its button, and free it afterwards."""
    menu.setToolTipsVisible(True)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.popup(button.mapToGlobal(button.rect().bottomLeft()))
