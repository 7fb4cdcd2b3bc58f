"""One panel: a method's name, its picture, and the notes below it."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QEnterEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QScrollArea,
    QSizePolicy,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.compute.jobs.runner import used_epsilon
from mvexplorer.compute.run.scheduler import Progress
from mvexplorer.engine.methods import get_method
from mvexplorer.state.batches.check_record import OWN
from mvexplorer.state.document.ingredients.words import differences
from mvexplorer.state.document.model import DocumentState, PanelState, panel_params
from mvexplorer.state.document.titles import bare_title, panel_titles
from mvexplorer.state.pictures.bends import signs
from mvexplorer.state.pictures.common_words import common_count, common_sentence
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.panel_result import PanelResult, TooLarge
from mvexplorer.state.pictures.scoring import SCORES
from mvexplorer.ui.cloud.annotations import Annotations
from mvexplorer.ui.cloud.canvas import EmbeddingCanvas
from mvexplorer.ui.panels.compared_views import ComparedViews
from mvexplorer.ui.panels.cures import TRIM_TIP, cures
from mvexplorer.ui.panels.footer import Footer, Rest, ShorteningLabel
from mvexplorer.ui.panels.header import MIME, Header, drop_menu, icon_button, pin_text
from mvexplorer.ui.panels.link import LinkButton
from mvexplorer.ui.panels.menus import PanelMenus
from mvexplorer.ui.panels.method_card import MethodCard
from mvexplorer.ui.panels.note_hand import NoteHand
from mvexplorer.ui.panels.score_badges import BESIDE, ScoreBadges, score_texts
from mvexplorer.ui.panels.too_large import TooLargePage
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.cure_card import CureCard
from mvexplorer.ui.widgets.formula import lowered
from mvexplorer.ui.widgets.plain_text import Label, line, sentence, tip
from mvexplorer.wording import counted

FOOTER_HEIGHT = 26


class Panel(QWidget):
    """Shows one `PanelState` with its `PanelResult`."""

    maximise_wanted = Signal(str)
    tool_toggled = Signal()
    memory_wanted = Signal()
    """The user wants to allow computations more memory."""

    def __init__(self, id: str, editor: Editor, controller: Controller) -> None:
        super().__init__()
        self.id = id
        self._editor = editor
        self._controller = controller
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAcceptDrops(True)
        # All panels have one size, whatever their text.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setMinimumSize(140, 96)
        self.state: PanelState | None = None
        self.result: PanelResult | None = None
        self._drawn: np.ndarray | None = None
        self._has_keys = self._pointed_at = False
        self.canvas = EmbeddingCanvas()
        self.link = LinkButton(self.canvas)
        self.annotations = Annotations()
        self.notes = NoteHand(self, lambda: self.id, self.canvas, self.annotations, editor, controller)
        self.canvas.menu_wanted.connect(lambda position: self.menus.everything().exec(position))
        column = spaced(QVBoxLayout(self), 2, 2, 2, 2, spacing=0)
        column.addWidget(self._make_header())
        column.addWidget(self.compared)
        column.addWidget(self._make_body(), 1)
        self._fraction, self._title = 0.0, ""
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
        self._late = QTimer(self, singleShot=True, interval=1000)  # then a picture that waits is stale
        self._late.timeout.connect(self._grow_stale)
        self._soon = QTimer(self, singleShot=True, interval=300)  # shorter work shows no progress
        self._soon.timeout.connect(self._show_progress)

    # Construction -------------------------------------------------------------------------------------------

    def _make_header(self) -> Header:
        self.header = header = Header(self)
        header.title.clicked.connect(self.choose_method)
        header.shown.clicked.connect(lambda: drop_menu(header.shown, self.menus.shown()))
        for button, dims in ((header.flat, 2), (header.deep, 3)):
            button.clicked.connect(lambda _=False, d=dims: self._editor.set_dims(self.id, d))
        header.flip.clicked.connect(lambda: self.state and self._editor.set_dims(self.id, 5 - self.state.dims))
        header.about.clicked.connect(self.show_card)
        header.tool.clicked.connect(self.tool_toggled)
        header.maximise.clicked.connect(lambda: self.maximise_wanted.emit(self.id))
        header.more.clicked.connect(lambda: drop_menu(header.more, self.menus.everything()))
        header.cross.clicked.connect(lambda: self._editor.close_panel(self.id))
        self.compared = ComparedViews()
        self.compared.of.clicked.connect(lambda: drop_menu(self.compared.of, self.menus.of()))
        self.compared.beyond.clicked.connect(lambda: drop_menu(self.compared.beyond, self.menus.beyond()))
        return header

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

    @cached_property
    def too_large(self) -> TooLargePage:
        """The page shown in place of a picture that needs too much memory; made on demand, as few panels need it."""
        page = TooLargePage(self._editor)
        page.memory_wanted.connect(self.memory_wanted)
        self._stack.addWidget(page)
        return page

    def _make_footer(self) -> QWidget:
        self._message = Label(wraps=True)
        self._message.setMinimumWidth(80)
        self._message.setContentsMargins(10, 2, 10, 6)
        # A long message scrolls: it must not shrink the picture or the panels below.
        self._message_area = QScrollArea()
        self._message_area.setWidget(self._message)
        self._message_area.setWidgetResizable(True)
        self._message_area.setMaximumHeight(72)
        self._message_area.setSizeAdjustPolicy(QScrollArea.SizeAdjustPolicy.AdjustToContents)
        self._message_area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        footer = Footer()
        row = spaced(QHBoxLayout(footer), 10, 2, 8, 4, spacing=8)
        self._footer = footer
        footer.setFixedHeight(theme.px(FOOTER_HEIGHT))  # changing text here must not move the picture
        self.doubt = QToolButton()
        self.doubt.setIcon(theme.icon("triangle-alert", "amber"))
        theme.square(self.doubt, 18, 16)
        self.doubt.clicked.connect(self.show_cures)
        self.scores, self.beside = ScoreBadges([id for id in SCORES if id not in BESIDE]), ScoreBadges(BESIDE)
        self.chance, self.moves = ShorteningLabel(), ShorteningLabel()
        self._pins, self._time = Rest(), Label()
        self._time.setProperty("role", "muted")
        row.addWidget(self.doubt)
        row.addWidget(self.scores)
        row.addWidget(self.beside)
        row.addWidget(self.chance)
        row.addWidget(self.moves)
        self.stands_for = Label(role="muted")
        self.stands_for.setToolTip(
            "Not all pairs of samples: another kernel at the same ε. The panel's menu computes the error."
        )
        self.trimmed = Label(role="muted")
        self.trimmed.setToolTip(f"Trimmed. {TRIM_TIP}")
        row.addWidget(self.stands_for)
        row.addWidget(self.trimmed)
        row.addWidget(self._pins, 1)
        self._again = icon_button("rotate-ccw", "Compute again")
        self._again.clicked.connect(lambda: self._controller.retry(self.id))
        self._stop = icon_button("circle-x", "Cancel", "Cancel all tasks")
        self._stop.clicked.connect(lambda: self._controller.cancel(self.id))
        for button in (self._again, self._stop):
            theme.square(button, 20)
            row.addWidget(button)
        row.addWidget(self._time)
        footer.yielding = (
            *(self._time, self.chance, *(self.beside,) * len(BESIDE)),
            *(self.trimmed, self.moves, self.stands_for, self.chance, *(self.scores,) * len(SCORES)),
        )
        whole = QWidget()
        column = spaced(QVBoxLayout(whole), 0, 0, 0, 0, spacing=0)
        column.addWidget(self._message_area)
        column.addWidget(footer)
        self._message_area.hide()
        return whole

    def sizeHint(self) -> QSize:
        return QSize(320, 260)

    def hasHeightForWidth(self) -> bool:
        return False  # all panels have one size, whatever their text

    def clear(self) -> None:
        """Reset the widget for reuse as another panel."""
        self.hide()
        self.notes.leave()
        self._late.stop()
        self._soon.stop()
        self._progress.hide()
        self._message_area.hide()
        self.state = self.result = self._drawn = None
        self.canvas.clear()

    @property
    def menus(self) -> PanelMenus:
        """The menus of the panel as it is now."""
        editor, controller = self._editor, self._controller
        return PanelMenus(self, self.header, self.canvas, self.link, editor, controller, self.state, self.result)

    @property
    def document(self) -> DocumentState:
        """The present document: menus and cards must not show outdated parameters."""
        return self._editor.state

    # What is shown ------------------------------------------------------------------------------------------

    def show_state(self, state: PanelState, document: DocumentState, navigating: bool) -> None:
        """Update header and tools."""
        titles = panel_titles(document)
        self.state, self._title = state, titles.get(state.id, "")
        kept = len(bare_title(document, state))
        self.header.show_state(state, titles, navigating, kept)
        self.compared.show_state(state, document)
        self.canvas.navigating = navigating

    def _show_skeleton(self, word: str) -> None:
        """Show, before the first result, the method's name, its formula and its status."""
        assert self.state is not None
        method = get_method(self.state.method)
        self._skeleton.setText(
            f"<div style='font-size:15px'><b>{method.title}</b></div><p>{lowered(method.formula)}</p>"
            f"<p style='color:{theme.current().muted}'>{word}</p>"
        )

    def show_result(self, result: PanelResult, best: frozenset[str], *, animate: bool) -> None:
        """Show picture, status, scores and diagnostics."""
        self.result = result
        if result.result is None:
            words = {"failed": "", "cancelled": "cancelled"}
            self._show_skeleton(words.get(result.status, f"computing … {_told(result)}"))
            self._stack.setCurrentIndex(1)
            self._drawn = None
            self.canvas.show_points(None)
        else:
            self._stack.setCurrentIndex(0)
            self._show_points(result, animate)
        if isinstance(result.error, TooLarge):
            self.too_large.show_alternatives(result.error)
            self._stack.setCurrentWidget(self.too_large)
        self.stands_for.setText("" if isinstance(result.error, TooLarge) else result.stand_in)
        self.stands_for.setVisible(bool(self.stands_for.text()))
        self.trimmed.setText(f"{len(result.drawing.edge):,} at the edge")
        self.trimmed.setVisible(bool(self.state and self.state.trim and result.drawing.points is not None))
        self._show_status(result)
        self.show_scores(result, best)
        self._show_message(result)
        self.setAccessibleName(self._spoken(result))

    def _show_points(self, result: PanelResult, animate: bool) -> None:
        drawing = result.drawing
        if drawing.points is self._drawn:
            return
        self._drawn = drawing.points
        self._late.stop()
        self.canvas.set_dimmed(False)  # however old its question: it moved
        was_3d = self.canvas.is_3d
        self.canvas.show_points(drawing.points, drawing.axis_names, drawing.edge, drawing.unplaced, animate=animate)
        if self.canvas.is_3d != was_3d:
            self.canvas.fit()

    def _show_status(self, result: PanelResult) -> None:
        computing = result.status == "computing"
        if computing:
            self.canvas.set_dimmed(self.canvas.dimmed and result.stale)
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
        if isinstance(result.error, TooLarge):
            text = "too large"
        elif result.status == "failed":
            text = "stale" if result.result else "failed"
        elif result.status == "cancelled":
            text = "cancelled, stale" if result.result else "cancelled"
        elif result.result is not None and (not computing or not self.canvas.dimmed):
            # A duration that changes sixty times a second is unreadable and lays out the header each time.
            text = result.draft_text or numbers.duration(result.result.seconds)
        else:
            text = "stale · recomputing" if result.result else "computing"
        self._time.setText(text)
        if result.result is not None:
            products = result.result.products
            self._time.setToolTip(f"Time taken; {products} operator products" if products else "Taken from the cache")
        if computing and _told(result):
            self._time.setToolTip(_told(result))

    def show_scores(self, result: PanelResult, best: frozenset[str]) -> None:
        """Show the score badges; those in `best` are the best of all panels."""
        columns = result.result.embedding.coordinates.shape[1] if result.result else 0
        for badges in (self.scores, self.beside):
            badges.show_scores(result.scores, best, columns)

    def _show_message(self, result: PanelResult) -> None:
        self._show_sign(result)
        if isinstance(result.error, TooLarge):
            self._message_area.hide()
        elif result.error is not None:
            self._say(f"{result.error.message} {result.error.hint}", theme.current().red)
            self._message_area.show()
        else:
            self._say(result.approximation, theme.current().amber)
            self._message_area.setVisible(bool(result.approximation))
        pins = self.state.pins if self.state else {}
        words = "pinned " + ", ".join(pin_text(k, v) for k, v in pins.items()) if pins else ""
        own = next(iter(result.checks.get(OWN, ())), {"short": "", "words": ""})
        facts = {} if result.result is None else result.result.embedding.info
        common = common_count(facts)
        said = ", ".join(filter(None, (common, own["short"], words)))
        short = own["short"] or (f"{len(pins)} pinned" if pins else "")
        self._pins.show_words(*dict.fromkeys((said, ", ".join(filter(None, (common, short))), short or common)))
        self._pins.setToolTip(tip("\n".join(filter(None, (common_sentence(facts), own["words"], words)))))

    def _show_sign(self, result: PanelResult) -> None:
        """Show the amber sign of doubts or, where there is only a hint, a muted one."""
        sentences = [*filter(None, (*signs(self.state, result), result.hint))]
        self.doubt.setIcon(theme.icon(*self._sign_of(result)))
        self.doubt.setVisible(bool(sentences) and result.error is None)
        self.doubt.setToolTip(tip("\n".join(sentences)))
        self.doubt.setAccessibleName("; ".join(sentences))
        error = None if result.error is None else f"{result.error.message} {result.error.hint}"
        self.setAccessibleDescription(error or " ".join(sentence(words) for words in sentences))

    def _sign_of(self, result: PanelResult | None) -> tuple[str, str]:
        """The sign's icon and role."""
        hints = result is not None and result.hint and not signs(self.state, result)
        return ("info", "muted") if hints else ("triangle-alert", "amber")

    def _say(self, text: str, color: str) -> None:
        self._message.setText(sentence(text))
        style = f"color: {color};"
        if self._message.styleSheet() != style:  # setting even the same one makes Qt restyle the widget
            self._message.setStyleSheet(style)

    def _grow_stale(self) -> None:
        if self.result is not None and self.result.status == "computing" and self.result.stale:
            self.canvas.set_dimmed(True)
            self._time.setText("stale · recomputing")

    def _show_progress(self) -> None:
        if self.result is not None and self.result.status == "computing":
            self._progress.setValue(int(1000 * self._fraction))
            self._progress.show()
            self._stop.show()

    def show_task(self, task: Progress) -> None:
        """Show the computation's progress, or that it waits for others."""
        self._fraction = task.fraction if task.running else 0.0
        if self._progress.isVisible():
            self._progress.setValue(int(1000 * self._fraction))
        if self.result is not None and self.result.status == "computing" and self.result.result is None:
            self._time.setText("computing" if task.running else "queued")

    def _spoken(self, result: PanelResult) -> str:
        """The text for screen readers; doubts are the description."""
        if self.state is None:
            return ""
        parts = [self._title, result.status, *_spoken_epsilon(result)]
        if result.scores is not None:
            parts += [text for text, *_ in score_texts(result.scores).values()]
        parts.append(f"{counted(len(self.document.selection), 'sample')} selected")
        return ", ".join(parts)

    def apply_theme(self) -> None:
        """Recolour the icons; the panel is kept, as destroying a pyqtgraph view is not safe."""
        for button in self.findChildren(QToolButton):
            if button.property("icon_name"):
                button.setIcon(theme.icon(button.property("icon_name")))
        self.doubt.setIcon(theme.icon(*self._sign_of(self.result)))
        self._footer.setFixedHeight(theme.px(FOOTER_HEIGHT))
        room_for_time = 1.5  # with type larger than this, the scores need the room of the time taken
        self._time.setVisible(theme.scale() <= room_for_time)
        self.link.apply_theme()

    def show_cures(self) -> None:
        """Open the card of doubts and hints about the picture, and what helps, at the sign."""
        if self.state is not None and self.result is not None:
            offered = cures(self.state, self.result, self._editor, self._controller)
            sentences = "\n".join(filter(None, (*signs(self.state, self.result), self.result.hint)))
            CureCard(self.doubt, sentences, offered, self._sign_of(self.result)[1]).open()

    def choose_method(self) -> None:
        """Open the list of methods under the title."""
        drop_menu(self.header.title, self.menus.methods())

    def show_card(self) -> None:
        """Open the card of the method beside the panel."""
        if self.state is None:
            return
        method = get_method(self.state.method)
        values = panel_params(self.document, self.state, method)
        embedding = None if self.result is None or self.result.result is None else self.result.result.embedding
        warnings = () if embedding is None else tuple(text for _, text in embedding.warnings)
        finding = "" if embedding is None else common_sentence(embedding.info)
        MethodCard(self, method, values, warnings, differences(self.document, self.state), finding).open()

    # Focus and drag -----------------------------------------------------------------------------------------

    def set_focused(self, focused: bool, *, alone: bool) -> None:
        """Draw the accent border of the panel that keys go to, unless it is alone, and show its buttons."""
        self._set_flag("focused", focused and not alone)
        self._has_keys = focused
        self._show_buttons()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._pointed_at = True
        self._show_buttons()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._pointed_at = False
        self._show_buttons()
        super().leaveEvent(event)

    def _show_buttons(self) -> None:
        """Show the buttons of the panel under the pointer and of the one with the keys: six times all are a wall."""
        at_hand = self._pointed_at or self._has_keys
        self.header.show_buttons(at_hand)
        self.link.setVisible(self._pointed_at)

    def _set_flag(self, name: str, value: bool) -> None:
        if self.property(name) != value:
            self.setProperty(name, value)
            self.style().unpolish(self)
            self.style().polish(self)

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
        # Handle the drop after the drag's own event loop has ended.
        if copy:
            QTimer.singleShot(0, lambda: self._editor.duplicate_panel(other))
        else:
            QTimer.singleShot(0, lambda: self._editor.swap_panels(other, self.id))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.header.fit_buttons()
        super().resizeEvent(event)

    def abandon_gesture(self) -> bool:
        """Cancel a lasso in progress (Esc)."""
        return self.canvas.abandon_gesture()


LONG = 2.0
"""A computation of at least so many seconds shows its expected cost."""


def _told(result: PanelResult) -> str:
    """Tell the cost of a long computation; empty for a short one."""
    cost = result.cost
    return "" if cost is None or cost.seconds < LONG else cost.describe(result.budget)


def _spoken_epsilon(result: PanelResult) -> list[str]:
    """The ε of the picture, each with its view where there are several; of many views the first few."""
    if result.result is None:
        return []
    used = list(used_epsilon(result.result.embedding).items())
    if len(used) == 1:
        return [f"ε {numbers.editable(used[0][1])}"]
    few = 3  # views whose ε are spoken
    spoken = [f"ε of {line(view)} {numbers.editable(epsilon)}" for view, epsilon in used[:few]]
    return [*spoken, *([f"and {counted(len(used) - few, 'more view')}"] if len(used) > few else [])]
