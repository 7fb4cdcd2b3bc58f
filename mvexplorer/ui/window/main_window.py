"""The window: it shows the document and hands what the user does to commands. No numbers are made here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QSize, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QInputDialog, QMainWindow, QSplitter, QVBoxLayout, QWidget

from mvexplorer.datasets.catalogue import samples
from mvexplorer.errors import MVExplorerError
from mvexplorer.state import commands
from mvexplorer.state.colouring import Colouring, resolve_colouring
from mvexplorer.state.document import Change
from mvexplorer.state.kept import kept_sessions
from mvexplorer.state.panel_result import PanelResult
from mvexplorer.state.settings import Settings
from mvexplorer.state.workbench import Workbench
from mvexplorer.ui.appearance.dock import AppearanceDock, FoldedStrip
from mvexplorer.ui.cloud.rasteriser import PointStyle
from mvexplorer.ui.controls.dock import ControlsDock
from mvexplorer.ui.pages.dock import HEIGHT, PageDock
from mvexplorer.ui.pages.feature_weights import WeightsPanel
from mvexplorer.ui.panels.grid import PanelGrid
from mvexplorer.ui.panels.panel import Panel
from mvexplorer.ui.runtime.bridge import Bridge, lower_thread_priority
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import point_colours, point_markers
from mvexplorer.ui.widgets.banner import Banners
from mvexplorer.ui.widgets.plain_text import LINE, line
from mvexplorer.ui.window.autosave import Autosave
from mvexplorer.ui.window.behaviour import Hands
from mvexplorer.ui.window.hover import Hover
from mvexplorer.ui.window.menus import build_actions
from mvexplorer.ui.window.opening import Opening
from mvexplorer.ui.window.presentation import PresentationBar
from mvexplorer.ui.window.start_page import StartPage

REST_MS = 350
AUTOSAVE_SECONDS = 10.0
"""An edit is on the disk at the latest so long after it was made."""
MOST_KEPT = 3
"""Earlier sessions that the start page offers to continue."""
LOOK_FIELDS = ("colour", "visible_classes", "selection", "point_size", "opacity")
SHORT_HEIGHT, NARROW_WIDTH = 800, 1400


LEAST = QSize(720, 420)
FRAME = QSize(8, 40)
"""Room for the window manager's frame and title bar, so that a new window fits its screen."""


class MainWindow(QMainWindow):
    """Everything on screen.

    Parameters
    ----------
    settings : Settings
        The user's preferences; changes are written back.
    keep_settings : bool
        False for windows that must leave no trace (screenshots, tests).
    """

    def __init__(self, settings: Settings, *, keep_settings: bool = True) -> None:
        super().__init__()
        self.bridge = Bridge(self)
        self.workbench = Workbench(
            settings, self.bridge.post, keeps_settings=keep_settings, begin=lower_thread_priority
        )
        self.document, self.controller = self.workbench.document, self.workbench.controller
        self.analyser, self.sweeper = self.workbench.analyser, self.workbench.sweeper
        self.opening = Opening(self)
        self.autosave = Autosave(self, AUTOSAVE_SECONDS)
        self.hands = Hands(self)
        self._colouring: Colouring | None = None
        self._closing = False
        self._best: dict[str, frozenset[str]] = {}
        self._build()
        self._connect()
        self._rest = self._single_shot(REST_MS, self._on_idle)
        self._pieces: list[Callable[[], None]] = []
        self._next_piece = self._single_shot(0, self._show_piece)
        self._tasks_soon = self._single_shot(60, self._show_tasks)
        self.actions_table = build_actions(self)
        self.setAcceptDrops(True)
        room = self.screen().availableGeometry()
        self.resize(min(1440, room.width() - FRAME.width()), min(900, room.height() - FRAME.height()))
        self._refresh_all()

    def _single_shot(self, interval: int, do: Callable[[], None]) -> QTimer:
        timer = QTimer(self, singleShot=True, interval=interval)
        timer.timeout.connect(do)
        return timer

    # Construction -------------------------------------------------------------------------------------------

    def _build(self) -> None:
        whole = QWidget()
        whole.setObjectName("window")
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.strip = PresentationBar(self.document, self.hands.attempt, self.schedule_idle)
        self.strip.hide()
        column.addWidget(self.strip)
        self.side = ControlsDock(self.controller, self.hands.side_actions())
        self.points = AppearanceDock(self.hands.point_actions())
        self.grid = PanelGrid(self.hands.panel_actions())
        self.grid.linked = self.settings.link_cameras
        self.banners = Banners()
        self.bottom = PageDock(self.workbench)
        self.start: StartPage | None = None
        self._centre = QWidget()
        self._centre_column = QVBoxLayout(self._centre)
        self._centre_column.setContentsMargins(0, 0, 0, 0)
        self._centre_column.setSpacing(0)
        self._centre_column.addWidget(self.banners)
        self._centre_column.addWidget(self.grid, 1)
        self._upper = QSplitter(Qt.Orientation.Horizontal)
        for widget in (self.side, self._centre, self.points):
            self._upper.addWidget(widget)
        self._upper.setStretchFactor(1, 1)
        self._upper.setSizes([292, 900, 224])
        self._upper.setChildrenCollapsible(False)
        self.side.setMinimumWidth(260)
        self.side.setMaximumWidth(420)
        self.points.setMinimumWidth(190)
        self.points.setMaximumWidth(360)
        upper = QWidget()
        upper_row = QHBoxLayout(upper)
        upper_row.setContentsMargins(0, 0, 0, 0)
        upper_row.setSpacing(0)
        tip = "Points: colours, selection, sample (Ctrl+2)"
        self.points_strip = FoldedStrip("palette", tip, self.hands.toggle_points)
        upper_row.addWidget(self._upper, 1)
        upper_row.addWidget(self.points_strip)
        self._whole = QSplitter(Qt.Orientation.Vertical)
        self._whole.addWidget(upper)
        self._whole.addWidget(self.bottom)
        self._whole.setStretchFactor(0, 1)
        self._whole.setSizes([700, HEIGHT])
        self._whole.setChildrenCollapsible(False)
        column.addWidget(self._whole, 1)
        # Stated, it holds whatever is inside: no page, message or name can make the window grow for good.
        whole.setMinimumSize(LEAST)
        self.setCentralWidget(whole)
        self.hover = Hover(self, whole)

    def _connect(self) -> None:
        self.document.changed.connect(self._document_changed)
        self.controller.panel_changed.connect(self._panel_changed)
        self.controller.summary_changed.connect(self._summary_changed)
        self.controller.tasks_changed.connect(self._tasks_changed)
        self.analyser.changed.connect(self._explained)
        self.grid.hovered.connect(self.hover.move)
        self.grid.picked.connect(self.hover.keep)
        self.grid.selected.connect(lambda found, op: commands.select(self.document, found.tolist(), op))
        self.grid.hidden_changed.connect(self._hide)
        self.workbench.editor.drag_ended.connect(self._drag_ended)
        self.workbench.settings_failed.connect(self._settings_failed)
        QApplication.instance().styleHints().colorSchemeChanged.connect(self._system_theme_changed)

    # Following the document ---------------------------------------------------------------------------------

    def _document_changed(self, change: Change) -> None:
        if self._closing:
            return
        state = self.document.state
        self._show_title()
        if change.samples_changed:
            self._forget_samples()
        if change.data_changed:
            # Other data is shown piece by piece, so that the window answers in between.
            self._pieces = [self._show_side, self._show_grid, self._show_look, self.show_docks]
            self._next_piece.start()
        else:
            self._show_side()
            if change.before.panels != state.panels or change.before.enabled != state.enabled:
                self._show_grid()
            if any(getattr(change.before, f) != getattr(state, f) for f in LOOK_FIELDS):
                self._show_look()
        if self.strip.isVisible():
            self.strip.show_state(state)
        if not change.interactive:
            self.actions_table.refresh()
        self._rest.start()
        self.autosave.edited()

    def _forget_samples(self) -> None:
        """What speaks of samples by their index, or lists views that are gone, goes before anything new is drawn."""
        self._colouring = None
        self.hover.forget()
        for dialog in self.findChildren(WeightsPanel):
            dialog.close()
        popup = QApplication.activePopupWidget()
        if popup is not None:
            popup.close()

    def _show_piece(self) -> None:
        if self._pieces:
            self._pieces.pop(0)()
            self._next_piece.start()

    def when_shown(self, do: Callable[[], None]) -> None:
        """Do something once the present data is on screen."""
        self._pieces.append(do)
        self._next_piece.start()

    def _show_side(self) -> None:
        self.side.show_state(self.document.state)

    def _show_grid(self) -> None:
        self.grid.show_state(self.document.state)
        for panel in self.document.state.panels:
            self._show_panel(panel.id, self._best_of(panel.id), animate=False)

    def _refresh_all(self) -> None:
        self._show_side()
        self._show_grid()
        self._show_look()
        self.show_docks()
        self._show_title()
        self._show_tasks()

    def _show_title(self) -> None:
        state = self.document.state
        star = "*" if self.document.dirty and self.document.data is not None else ""
        session = self.opening.session_name
        parts = [self.opening.data_title] if state.source else []
        parts += [session + star] if session else []
        tail = " · ".join(parts) + ("" if session else star)
        self.setWindowTitle(f"mvexplorer — {line(tail, 2 * LINE)}" if tail else "mvexplorer")

    def show_docks(self) -> None:
        """What surrounds the panels: everything, or a start page while there is no data."""
        empty = self.document.data is None
        if empty and self.start is None:
            self.start = StartPage(
                samples(), kept_sessions(MOST_KEPT) if self.keeps_settings else [], self.settings.recent,
                self.opening.choose_files, self.opening.open_dropped, self.opening.continue_last,
            )  # fmt: skip
            self._centre_column.addWidget(self.start, 1)
        elif not empty and self.start is not None:
            self._centre_column.removeWidget(self.start)
            self.start.hide()
            self.start.deleteLater()
            self.start = None
        self.grid.setVisible(not empty)
        presenting = self.strip.isVisible()
        self.side.setVisible(not empty and not presenting and self.show_side)
        self.points.setVisible(not empty and not presenting and self.show_points)
        self.points_strip.setVisible(not empty and not presenting and not self.show_points)
        self.bottom.setVisible(not empty and not presenting)

    show_side = True
    show_points = True

    def _show_look(self) -> None:
        state, data = self.document.state, self.document.data
        if data is None:
            return
        self._colouring = resolve_colouring(state.colour, data, self.controller.coordinates())
        visible = np.ones(data.n_samples, dtype=bool)
        if self._colouring is not None and self._colouring.classes and state.visible_classes:
            codes = [i for i, name in enumerate(self._colouring.classes) if name in state.visible_classes]
            visible = np.isin(self._colouring.values, codes)
        chosen = np.zeros(data.n_samples, dtype=bool)
        chosen[list(state.selection)] = True
        rgb = point_colours(self._colouring, data.n_samples, theme.current().name)
        markers = point_markers(self._colouring)
        self.grid.set_look(PointStyle(rgb, visible, chosen, state.point_size, state.opacity, markers))
        self._offer_coordinates()
        self.points.show_card(self.hover.kept, self._colouring)

    # Following the controller -------------------------------------------------------------------------------

    def _panel_changed(self, id: str) -> None:
        if self._closing:
            return
        best = {panel: self._best_of(panel) for panel in self.grid.panels}
        former, self._best = self._best, best
        self._show_panel(id, best.get(id, frozenset()), animate=self.settings.animate)
        for other in best:
            if other != id and best[other] != former.get(other):
                self.grid.show_scores(other, self.controller.result(other), best[other])
        if self.document.state.colour.startswith(f"coordinate:{id}:"):
            self._show_look()
        if self.controller.result(id).status == "ready" and self.controller.result(id).scores is None:
            self._rest.start()

    def _show_panel(self, id: str, best: frozenset[str], *, animate: bool) -> None:
        self.grid.show_result(id, self.controller.result(id), best, animate=animate)
        self._show_true_weight(self.controller.result(id))

    def _show_true_weight(self, found: PanelResult) -> None:
        """η is the probability of staying in a view only where the views' row sums agree: say what it really is."""
        if found.result is None or "eta" not in found.result.embedding.params:
            return
        eta = float(found.result.embedding.params["eta"] or 0.0)
        true = found.result.embedding.info.get("within_view_probability", eta)
        words = f"At η {numbers.number(eta)} a step stays in its view with probability {numbers.number(true)}."
        self.side.show_note(words if abs(true - eta) >= 0.005 else "")

    def _best_of(self, id: str) -> frozenset[str]:
        """The scores in which this panel is the best of all."""
        scores = {p: r.scores for p, r in self.controller.results.items() if r.scores is not None}
        if id not in scores or len(scores) < 2:
            return frozenset()
        best = set()
        for key in ("nmi", "knn"):
            values = {p: round(getattr(s, key).value, 2) for p, s in scores.items()}
            if values[id] >= max(values.values()):
                best.add(key)
        return frozenset(best)

    def _summary_changed(self, view: str) -> None:
        if not self._closing:
            self.side.show_summary(view)

    def _explained(self, view: str) -> None:
        if not self._closing and view in self.side.rows:
            found = self.analyser.of(view)
            self.side.rows[view].show_curves(None if found.stale else found.curves)
            if found.stale and self.side.rows[view].unfold.isChecked():
                self.analyser.ask(view)

    def _tasks_changed(self) -> None:
        if not self._closing and not self._tasks_soon.isActive():
            self._tasks_soon.start()

    def _show_tasks(self) -> None:
        for task in self.controller.tasks():
            if task.slot in self.grid.panels:
                self.grid.panels[task.slot].show_task(task)

    def schedule_idle(self) -> None:
        """The hand let go of a slider."""
        self.workbench.editor.end_drag()

    def _drag_ended(self) -> None:
        self.actions_table.refresh()
        self._rest.start()

    def _on_idle(self) -> None:
        self.document.end_merge()
        self.actions_table.refresh()
        self.controller.on_idle()
        self._offer_coordinates()
        self.autosave.keep()

    def _offer_coordinates(self) -> None:
        state = self.document.state
        titles = {p.id: Panel.describe(p, state) for p in state.panels if self.controller.result(p.id).result}
        self.points.show_state(state, self.document.data, self._colouring, titles)

    def show_error(self, error: MVExplorerError, action: tuple[str, Callable[[], None]] | None = None) -> None:
        """Show what went wrong and what to do."""
        self.banners.show_message("error", error.message, error.hint, action)

    def fit_all(self) -> None:
        """Every cloud in view."""
        for panel in self.grid.panels.values():
            panel.canvas.fit()

    def show_saved(self) -> None:
        """The session was saved, maybe under another name."""
        self._show_title()
        self.actions_table.refresh()

    def show_opened(self) -> None:
        """Other data or another session is in place."""
        self._show_title()
        self.when_shown(self.fit_all)

    def discard(self) -> None:
        """Close without asking or keeping anything."""
        self.document.mark_saved()
        self.workbench.keeps_settings = False
        self.close()

    @property
    def keeps_settings(self) -> bool:
        """Whether this window leaves traces on disk."""
        return self.workbench.keeps_settings

    def at_rest(self) -> bool:
        """Whether everything on screen is computed, scored and still."""
        timers = (self._rest, self._tasks_soon, self._next_piece)
        moving = any(p.canvas.moving for p in self.grid.panels.values())
        busy = not (self.controller.idle and self.autosave.idle and self.bottom.idle and self.bridge.empty)
        return not moving and not busy and not any(t.isActive() for t in timers)

    @property
    def colouring(self) -> Colouring | None:
        """What the points are coloured by."""
        return self._colouring

    # Settings -----------------------------------------------------------------------------------------------

    @property
    def settings(self) -> Settings:
        """The user's preferences."""
        return self.workbench.settings

    def change_settings(self, **changes: Any) -> None:
        """Change preferences, act on them, and keep them."""
        self.workbench.change_settings(**changes)
        self.grid.linked = self.settings.link_cameras
        if "theme" in changes:
            self.apply_theme()

    def edit_settings(self, edit: Callable[[Settings], Settings]) -> None:
        """Change preferences and keep them, beside what other windows have changed."""
        self.workbench.edit_settings(edit)

    def _settings_failed(self, problem: str) -> None:
        self.banners.show_message("warning", problem, lasting=True)

    def apply_theme(self) -> None:
        """Use the chosen theme everywhere."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme.apply_theme(app, self.settings.theme)
        self.grid.apply_theme()
        self._show_grid()
        self.bottom.apply_theme()
        self.points_strip.apply_theme()
        self.side.show_state(self.document.state)
        self._show_look()

    def _hide(self, panels: frozenset[str]) -> None:
        """What cannot be seen is not computed: panels behind a maximised one, and all of a minimised window's."""
        self.controller.hide(self.grid.panels if self.isMinimized() else panels)

    def _system_theme_changed(self) -> None:
        if self.settings.theme == "system":
            self.apply_theme()

    def set_memory_limit(self) -> None:
        """Ask how much memory computations may take."""
        value, ok = QInputDialog.getInt(
            self, "Memory limit", "Matrices of a computation, and results kept for the next one, may take up to (MB):",
            self.settings.memory_mebibytes, 64, 1 << 20, 256,
        )  # fmt: skip
        if ok:
            self.change_settings(memory_mebibytes=value)

    # Window events ------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            for panel in self.grid.panels.values():
                panel.canvas.set_space(True)
            return
        super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            for panel in self.grid.panels.values():
                panel.canvas.set_space(False)
            return
        super().keyReleaseEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange:
            self._hide(self.grid.hidden)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self.opening.look_at_file()

    def resizeEvent(self, event: QResizeEvent) -> None:
        old, new = event.oldSize(), event.size()
        if not old.isValid() or (old.height() < SHORT_HEIGHT) != (new.height() < SHORT_HEIGHT):
            self.bottom.fold(new.height() < SHORT_HEIGHT)
        if not old.isValid() or (old.width() < NARROW_WIDTH) != (new.width() < NARROW_WIDTH):
            self.show_points = new.width() >= NARROW_WIDTH
            self.show_docks()
        super().resizeEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        files = tuple(url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile())
        event.acceptProposedAction()
        self.opening.open_dropped(files)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.opening.may_close():
            event.ignore()
            return
        self._closing = True
        for timer in (self._rest, self._tasks_soon, self._next_piece):
            timer.stop()
        self.bottom.stop()
        self.autosave.stop()
        self.controller.shutdown()
        event.accept()
