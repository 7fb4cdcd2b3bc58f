"""The window: it shows the document and passes user actions to commands. It computes nothing itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QEvent, QSize, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QMainWindow

from mvexplorer.errors import MVExplorerError
from mvexplorer.state.bench.importing import SLOT, Importing
from mvexplorer.state.bench.library import Library
from mvexplorer.state.bench.next_steps import NextSteps
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.ingredients.words import decides_differences
from mvexplorer.state.document.snapshots import Rotation
from mvexplorer.state.session.settings import Settings
from mvexplorer.ui.appearance.dock import AppearanceDock
from mvexplorer.ui.controls.dock import ControlsDock
from mvexplorer.ui.pages.dock import PageDock
from mvexplorer.ui.pages.feature_weights import WeightsPanel
from mvexplorer.ui.panels.grid import PanelGrid
from mvexplorer.ui.runtime.bridge import Bridge, lower_thread_priority
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.banner import Banners
from mvexplorer.ui.widgets.plain_text import LINE, line
from mvexplorer.ui.window.actions.menus import build_menus, show_keys
from mvexplorer.ui.window.behaviour import WindowBehaviour
from mvexplorer.ui.window.checks_on_show import ChecksOnShow
from mvexplorer.ui.window.comparing import Comparing
from mvexplorer.ui.window.exports.table import find_export
from mvexplorer.ui.window.gallery import GalleryOnShow
from mvexplorer.ui.window.hover import Hover
from mvexplorer.ui.window.layout import WindowLayout
from mvexplorer.ui.window.memory_at_rest import MemoryAtRest
from mvexplorer.ui.window.messages import Messages
from mvexplorer.ui.window.multiples import MultiplesOnShow
from mvexplorer.ui.window.opening import OpenDialogs
from mvexplorer.ui.window.point import PointOnShow
from mvexplorer.ui.window.results import ResultsOnShow
from mvexplorer.ui.window.samples import SamplesOnShow
from mvexplorer.ui.window.selections import SelectionOnShow
from mvexplorer.ui.window.staging import StagingOnShow
from mvexplorer.ui.window.start.reading_line import ReadingLine
from mvexplorer.ui.window.start.start_page import StartPage
from mvexplorer.ui.window.start.work_picture import work_picture
from mvexplorer.ui.window.strip.leads import lead
from mvexplorer.ui.window.strip.step_strip import StepStrip
from mvexplorer.ui.window.styling import PointStyling
from mvexplorer.ui.window.tab_order import move_focus
from mvexplorer.ui.window.talk.presentation import PresentationBar
from mvexplorer.ui.window.teaching.on_show import LessonsOnShow

REST_MS = 350
AUTOSAVE_SECONDS = 2.0
"""Most seconds between an edit and its autosave."""
USUAL, SHARE = QSize(1440, 900), 0.8
"""Size of the first window, and the share of a large screen's width and height that it takes instead."""
FRAME = QSize(8, 40)
"""Room for the window manager's frame and title bar, so that a new window fits its screen."""


def first_size(screen: QSize) -> QSize:
    """Size a new window for the free part of a screen: the usual size, more on a large screen, less on a small one."""
    return (screen * SHARE).expandedTo(USUAL).boundedTo(screen - FRAME)


class MainWindow(QMainWindow):
    """Everything on screen; changed preferences are written back to `settings`, unless `keep_settings` is False.

    Windows that must leave no trace (screenshots, tests) set it so. `opening` is the title of what is opened next, so
    that no start page flashes up before it.
    """

    def __init__(self, settings: Settings, *, keep_settings: bool = True, opening: str = "") -> None:
        super().__init__()
        self.bridge = Bridge(self)
        self.workbench = bench = Workbench(
            settings, self.bridge.post, keeps_settings=keep_settings, begin=lower_thread_priority
        )
        self.document, self.controller, self.editor = bench.document, bench.controller, bench.editor
        self.analyser, self.sweeper = bench.analyser, bench.sweeper
        half = self._single_shot(int(500 * AUTOSAVE_SECONDS), lambda: self.autosave.keep())
        self.library = Library(bench, half)
        self.autosave = self.library.autosave
        self.steps = NextSteps(bench, self.library)
        self.memory = MemoryAtRest(self, bench)
        self._closing = False
        self._shortcuts = settings.shortcuts
        self._themed = (settings.theme, theme.current())
        """The theme setting and the theme of the last drawing."""
        self._build()
        self.setStyleSheet(theme.style_sheet())
        self._connect()
        self._rest = self._single_shot(REST_MS, self._on_idle)
        self._pieces: list[Callable[[], object]] = []
        self._next_piece = self._single_shot(0, self._show_piece)
        # While a slider moves, the numbers beside it are shown anew after so long: faster they are unreadable.
        side_ms = 33
        self._side_soon = self._single_shot(side_ms, self._show_side)
        self._tasks_soon = self._single_shot(60, self._show_tasks)
        self._type_soon = self._single_shot(0, lambda: self.behaviour.fit_type())
        self.messages = Messages(bench, self.library, self.banners)
        self.selection_words = SelectionOnShow(bench, self.docks, self.banners)
        self.opening = OpenDialogs(self, self.library, self.gallery, self.lessons)
        self.docks.make_start_page = self.opening.start_page
        self.behaviour = WindowBehaviour(
            self,
            bench,
            self.library,
            self.docks,
            self.banners,
            self.styling,
            self.hover,
            self.lessons,
            self.samples,
        )
        self.behaviour.restyle = self.apply_theme
        self.actions_table = self.behaviour.actions = build_menus(self.behaviour, self.opening)
        self.setAcceptDrops(True)
        self.resize(first_size(self.screen().availableGeometry().size()))
        self.docks.opening = opening
        self._refresh_all()
        self.behaviour.fit_type()

    def _single_shot(self, interval: int, do: Callable[[], None]) -> QTimer:
        timer = QTimer(self, singleShot=True, interval=interval)
        timer.timeout.connect(do)
        return timer

    # Construction -------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.strip = PresentationBar(self.editor)
        self.side = ControlsDock(self.controller, self.editor, self.workbench.advice)
        self.points = AppearanceDock(self.editor)
        self.grid = PanelGrid(self.editor, self.controller)
        self.grid.link(zoom=self.settings.link_zoom, cameras=self.settings.link_cameras)
        self.reading = ReadingLine(self.controller)
        self.banners = Banners()
        self.bottom = PageDock(self.workbench)
        self.step_strip = StepStrip(self.steps, self.reading)
        self.docks = WindowLayout(
            self.document, self.strip, self.side, self.step_strip, self.banners, self.grid, self.points, self.bottom
        )
        self.setCentralWidget(self.docks)
        self.results = ResultsOnShow(self.workbench, self.grid, self.side)
        self.checks_on_show = ChecksOnShow(self.workbench, self.grid)
        self.styling = PointStyling(self.workbench, self.grid, self.points)
        self.hover = Hover(self.docks, self.workbench, self.grid, self.styling)
        self.hover.unfold = self.docks.unfold_points
        self.comparing = Comparing(self.workbench, self.docks)
        self.multiples = MultiplesOnShow(self.workbench, self.docks, self.styling, self.hover)
        self.samples = SamplesOnShow(self.workbench, self.docks, self.hover)
        self.gallery = GalleryOnShow(self.workbench, self.library, self.docks)
        self.lessons = LessonsOnShow(self.workbench, self.library, self.docks, self.when_shown)
        self.staging = StagingOnShow(self.workbench, self.library, self.docks, self.when_shown)
        self.kept = PointOnShow(self.workbench, self.grid, self.points.point, self.styling)

    def _connect(self) -> None:
        self.document.changed.connect(self._document_changed)
        self.editor.drag_ended.connect(self._drag_ended)
        self.editor.focus_changed.connect(lambda _: self.actions_table.refresh())
        self.editor.focus_changed.connect(lambda _: self.side.ingredients.follow_focus())
        self.editor.page_wanted.connect(self.bottom.show_page)
        self.workbench.settings_changed.connect(self._settings_changed)
        self.library.cameras = self.grid.rotations
        self.autosave.picture = lambda: None if self._pieces else work_picture(self.grid)
        self.library.opening.connect(self.docks.show_opening)
        self.library.refused.connect(lambda _: self.docks.show_opening(""))
        self.controller.cancelled.connect(lambda slot: self.docks.show_opening("") if slot == SLOT else None)
        self.library.opened.connect(self._opened)
        self.library.imports.changed.connect(self._import_changed)
        self.library.saved.connect(self._saved)
        self.controller.panel_changed.connect(self._panel_changed)
        self.workbench.derived.changed.connect(self._derived_changed)
        self.controller.summary_changed.connect(self._summary_changed)
        self.controller.tasks_changed.connect(self._tasks_changed)
        self.analyser.changed.connect(self._explained)
        self.workbench.anchors.changed.connect(self._show_quick)
        self.workbench.verdicts.changed.connect(lambda _: self._show_verdicts())
        self.workbench.advice.changed.connect(lambda _: self._show_verdicts())
        self.side.curves_wanted.connect(self.analyser.ask)
        self.step_strip.chosen.connect(lambda step: lead(self.behaviour, self.steps, step))
        self.step_strip.scales_kept.connect(self.steps.keep_scales)
        self.gallery.changed.connect(self._covered)
        self.lessons.changed.connect(self._covered)
        self.gallery.lesson_wanted.connect(self.lessons.begin)
        self.editor.export_wanted.connect(self._export)
        self.grid.memory_wanted.connect(lambda: self.behaviour.set_memory_limit())
        self.grid.link_toggled.connect(lambda dims: self.behaviour.toggle_link(dims))
        self.grid.hovered.connect(self.hover.move)
        self.grid.picked.connect(self.hover.pin)
        self.grid.selected.connect(lambda rows, *how: self.editor.select(rows, *how))
        self.grid.hidden_changed.connect(self._hide)
        QApplication.styleHints().colorSchemeChanged.connect(self._system_theme_changed)

    def _covered(self) -> None:
        """A page came or went that has the whole window, or a lesson."""
        self.messages.cover(self.docks.covered)
        self._show_title()
        self.actions_table.refresh()

    def _export(self, what: str) -> None:
        def ask() -> None:
            if self.document.data is None:  # undo has closed it, and the panel's menu is still open
                raise MVExplorerError("There is no picture to export.", "Open data first.")
            find_export(what).ask(self.behaviour.scene)

        self.editor.attempt(ask)

    # Following the document ---------------------------------------------------------------------------------

    def _document_changed(self, change: Change) -> None:
        if self._closing:
            return
        state = self.document.state
        self._show_title()
        if change.samples_changed:
            self._forget_samples()
        if change.data_changed:
            # New data is shown in several steps, so that the window responds in between.
            ahead = [*self.side.steps_to(state), *self.grid.steps_to(state)]
            panels = [self._show_grid, self.checks_on_show.show_all]
            self._pieces = [*ahead, self._show_side, *panels, self._show_look, *self.docks.steps()]
            self._next_piece.start()
        else:
            if not change.interactive:
                self._update(self._show_side)
            elif not self._side_soon.isActive():
                self._side_soon.start()
            titled = decides_differences(change.before) != decides_differences(state)
            if titled or change.before.panels != state.panels or change.before.enabled != state.enabled:
                self._update(self._show_grid)
            look_fields = (
                *("colour", "visible_classes", "selection", "selections", "point_size", "opacity", "class_names"),
            )
            if any(getattr(change.before, f) != getattr(state, f) for f in look_fields):
                self._update(self._show_look)
        if self.strip.isVisible():
            self.strip.show_state(state)
        if not change.interactive:
            self.actions_table.refresh()
        self._rest.start()
        self.autosave.edited(change.before)

    def _forget_samples(self) -> None:
        """Drop whatever refers to former samples or views, before anything new is drawn."""
        self.styling.colouring = None
        self.hover.leave()
        for dialog in self.findChildren(WeightsPanel):
            dialog.close()
        popup = QApplication.activePopupWidget()
        if popup is not None:
            popup.close()

    def _update(self, show: Callable[[], None]) -> None:
        """Show a part anew, unless it is scheduled anyway."""
        if show not in self._pieces:
            show()

    def _show_piece(self) -> None:
        if self._pieces:
            self._pieces.pop(0)()
            self._next_piece.start()

    def when_shown(self, do: Callable[[], None]) -> None:
        """Call `do` once the present data is on screen."""
        self._pieces.append(do)
        self._next_piece.start()

    def _show_side(self) -> None:
        self.side.show_state(self.document.state)

    def _show_grid(self) -> None:
        self.results.show_all()

    def _refresh_all(self) -> None:
        self._show_side()
        self._show_grid()
        self._show_look()
        self.docks.arrange()
        self._show_title()
        self._show_tasks()

    def _show_title(self) -> None:
        title = self.lessons.title or self.library.title
        self.setWindowTitle(f"mvexplorer — {line(title, 2 * LINE)}" if title else "mvexplorer")

    @property
    def start(self) -> StartPage | None:
        """The start page, while there is no data."""
        return self.docks.start

    def _show_look(self) -> None:
        self.styling.show()
        if self.strip.isVisible():
            self.strip.show_colouring(self.styling.colouring)
        self.kept.show()

    # Following the controller -------------------------------------------------------------------------------

    def _panel_changed(self, id: str) -> None:
        if self._closing:
            return
        self.results.show(id)
        if self.document.state.colour.startswith(f"coordinate:{id}:"):
            self._show_look()
        result = self.controller.result(id)
        if result.status == "ready" and result.scores is None:
            self._rest.start()  # scores and rules wait for the last picture

    def _derived_changed(self, source: str) -> None:
        if not self._closing and source == self.document.state.colour:
            self._update(self._show_look)

    def _summary_changed(self, view: str) -> None:
        if not self._closing:
            self.side.show_summary(view)

    def _explained(self, view: str) -> None:
        if not self._closing and view in self.side.rows:
            explanation = self.analyser.of(view)
            self.side.rows[view].show_curves(None if explanation.stale else explanation.curves)
            if explanation.stale and self.side.rows[view].unfold.isChecked():
                self.analyser.ask(view)

    def _show_verdicts(self) -> None:
        if not self._closing:
            self.side.show_verdicts()

    def _show_quick(self) -> None:
        if not self._closing:
            anchors = self.workbench.anchors
            self.side.show_quick(anchors.along, anchors.reach)
            self.strip.show_quick(anchors.along, anchors.reach)

    def _tasks_changed(self) -> None:
        if not self._closing and not self._tasks_soon.isActive():
            self._tasks_soon.start()

    def _show_tasks(self) -> None:
        for task in self.controller.tasks():
            if task.slot in self.grid.panels:
                self.grid.panels[task.slot].show_task(task)

    def _drag_ended(self) -> None:
        self.actions_table.refresh()
        self._rest.start()

    def _on_idle(self) -> None:
        held = QApplication.mouseButtons() != Qt.MouseButton.NoButton  # a hand that rests still holds its slider
        if not (held or self.workbench.player.playing or self.lessons.playing):
            self.document.end_merge()
        self.actions_table.refresh()
        self.controller.on_idle()
        self.workbench.verdicts.ask()
        self.steps.ask()
        self.workbench.anchors.rest()
        self.styling.show_legend()
        self.autosave.rest()

    # Following the library ----------------------------------------------------------------------------------

    def _saved(self) -> None:
        self._show_title()
        self.actions_table.refresh()

    def _opened(self, cameras: Mapping[str, Rotation]) -> None:
        self.banners.clear()
        self.when_shown(partial(self.grid.turn_cameras, cameras))
        self.show_opened()

    def _import_changed(self, importing: Importing | None) -> None:
        """Show the import page, or take it away."""
        if self._closing:
            return
        if importing is not None and self.strip.isVisible():
            self.behaviour.present(False)
        self.docks.show_import(self.opening.import_page(importing) if importing is not None else None)
        self.actions_table.refresh()
        if importing is not None:
            importing.changed.connect(self.actions_table.refresh)

    def show_opened(self) -> None:
        """Show newly opened data or another session."""
        self._show_title()
        self.when_shown(self.grid.fit_all)

    def discard(self) -> None:
        """Close without asking or saving."""
        self.workbench.keeps_settings = False
        self.lessons.leave()
        self.document.mark_saved()
        self.close()

    def at_rest(self) -> bool:
        """True if everything on screen is computed, scored and still."""
        if any(timer.isActive() for timer in (self._rest, self._tasks_soon, self._next_piece)):
            return False
        if not (self.controller.idle and self.autosave.idle and self.bridge.empty):
            return False
        if any(panel.canvas.moving for panel in self.grid.panels.values()):
            return False
        parts = self.multiples, self.samples, self.gallery, self.lessons, self.bottom
        return all(part.idle for part in parts)

    # Settings -----------------------------------------------------------------------------------------------

    @property
    def settings(self) -> Settings:
        """The user's preferences."""
        return self.workbench.settings

    def _settings_changed(self, settings: Settings) -> None:
        self.grid.link(zoom=settings.link_zoom, cameras=settings.link_cameras)
        self._show_tasks()
        if settings.shortcuts != self._shortcuts:
            self._shortcuts = settings.shortcuts
            show_keys(self, self.actions_table, settings)
        if (settings.theme, theme.current()) != self._themed:
            self.apply_theme()

    def apply_theme(self) -> None:
        """Use the chosen theme everywhere."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme.apply_theme(app, self.settings.theme)
        self.setStyleSheet(theme.style_sheet())
        self._themed = (self.settings.theme, theme.current())
        theme.fit_squares(self)
        self.banners.apply_theme()
        self.step_strip.apply_theme()
        self.grid.apply_theme()
        self._show_grid()
        self.bottom.apply_theme()
        self.docks.points_strip.apply_theme()
        self.lessons.apply_theme()
        self.samples.apply_theme()
        for page in (self.start, self.docks.importing, self.docks.multiples, self.docks.gallery, self.gallery.beside):
            if page is not None:
                page.apply_theme()
        self.side.show_state(self.document.state)
        self._show_look()

    def _hide(self, panels: frozenset[str]) -> None:
        """Suspend the computation of hidden panels: those behind a maximised one, and all of a minimised window."""
        self.controller.hide(self.grid.panels if self.isMinimized() else panels)

    def _system_theme_changed(self) -> None:
        if self.settings.theme == "system":
            self.apply_theme()

    # Window events ------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._hold_space(event, True):
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if not (self._hold_space(event, False) or self.behaviour.sleepwalk.let_go(event)):
            super().keyReleaseEvent(event)

    def _hold_space(self, event: QKeyEvent, down: bool) -> bool:
        """Let dragging navigate while the space bar is down."""
        if event.key() != Qt.Key.Key_Space or event.isAutoRepeat():
            return False
        for panel in self.grid.panels.values():
            panel.canvas.set_space(down)
        return True

    def focusNextPrevChild(self, forward: bool) -> bool:
        move_focus(self, forward)
        return True

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange:
            self._hide(self.grid.hidden)
            if self.isMinimized():
                self.workbench.anchors.stop()
            else:
                self._rest.start()
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self.library.look_at_file()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.docks.fit(event.oldSize(), event.size())
        self.lessons.fit()
        if self.strip.isVisible():
            self._type_soon.start()
        super().resizeEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.opening.drop(tuple(url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()))

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.library.may_close():
            event.ignore()
            return
        self._closing = True
        for timer in (self._rest, self._tasks_soon, self._next_piece, self.memory):
            timer.stop()
        self.bottom.stop()
        self.autosave.stop()
        self.workbench.anchors.shutdown()
        self.controller.shutdown()
        event.accept()
