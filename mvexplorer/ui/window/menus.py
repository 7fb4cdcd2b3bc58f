"""The table of the window's actions: what each is called, which key does it, and when it applies."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QMenu, QMessageBox, QToolButton, QWidget

from mvexplorer import __version__
from mvexplorer.datasets.catalogue import samples
from mvexplorer.engine.methods import methods
from mvexplorer.state.library import Library
from mvexplorer.state.model import MAX_PANELS, PanelState
from mvexplorer.state.workbench import Workbench
from mvexplorer.ui.pages.bandwidth import BandwidthPage
from mvexplorer.ui.pages.feature_weights import open_weights
from mvexplorer.ui.widgets.action_table import Act, ActionTable
from mvexplorer.ui.widgets.plain_text import add_action
from mvexplorer.ui.window.behaviour import WindowBehaviour
from mvexplorer.ui.window.layout import WindowLayout
from mvexplorer.ui.window.opening import Opening
from mvexplorer.wording import source_title


class WindowMenus:
    """Builds the menus of a window.

    Parameters
    ----------
    window : QMainWindow
        What gets the menus.
    workbench, library, opening, docks, behaviour
        What they call.
    """

    def __init__(
        self,
        window: QMainWindow,
        workbench: Workbench,
        library: Library,
        opening: Opening,
        docks: WindowLayout,
        behaviour: WindowBehaviour,
    ) -> None:
        self._window, self._workbench, self._library = window, workbench, library
        self._document, self._editor = workbench.document, workbench.editor
        self._opening, self._docks, self._behaviour = opening, docks, behaviour

    def build(self) -> ActionTable:
        """The menus of the window."""
        acts = [*self._file(), *self._edit(), *self._view(), *self._data(), *self._panels(), *self._help()]
        table = ActionTable(self._window, acts)
        recent = table.menus["File"].addMenu("Open recent")
        sample_menu = table.menus["File"].addMenu("Open sample")
        first = table.actions["Save session"]
        table.menus["File"].insertMenu(first, recent)
        table.menus["File"].insertMenu(first, sample_menu)
        for sample in samples():
            action = sample_menu.addAction(sample.title)
            action.setToolTip(sample.summary)
            action.triggered.connect(lambda _=False, i=sample.id: self._library.open_source((i,)))
        table.menus["File"].aboutToShow.connect(partial(self._list_recent, recent))
        add = table.menus["Panels"].addMenu("Add panel")
        table.menus["Panels"].insertMenu(table.actions["Duplicate panel"], add)
        for method in methods():
            action = add.addAction(method.title)
            action.setToolTip(method.summary)
            action.triggered.connect(lambda _=False, i=method.id: self._behaviour.add_panel(i))
        add.aboutToShow.connect(lambda: add.setEnabled(len(self._document.state.panels) < MAX_PANELS))
        corner = self._corner(add)
        self._window.menuBar().setCornerWidget(corner)
        corner.show()
        return table

    def _list_recent(self, menu: QMenu) -> None:
        menu.clear()
        for source in self._library.recent:
            action = add_action(menu, source_title(source))
            action.triggered.connect(lambda _=False, s=source: self._library.open_files(s))
        menu.setEnabled(bool(self._library.recent))

    def _corner(self, add: QMenu) -> QWidget:
        """What a first look should find without opening a menu: another panel, and everything else."""
        corner = QWidget(self._window.menuBar())
        row = QHBoxLayout(corner)
        row.setContentsMargins(0, 0, 8, 0)
        panel, find = QToolButton(), QToolButton()
        panel.setText("Add panel ▾")
        panel.setToolTip("Show another method")
        panel.clicked.connect(lambda: add.popup(panel.mapToGlobal(panel.rect().bottomLeft())))
        find.setText("Find anything  Ctrl+K")
        find.setToolTip("Find any action, method, parameter, sample or point (Ctrl+K)")
        find.clicked.connect(self._behaviour.find_anything)
        for button in (panel, find):
            button.setProperty("role", "small")
            button.setAccessibleName(button.toolTip())
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keyboard has the menu, and Ctrl+K
            row.addWidget(button)
        return corner

    # The tables ---------------------------------------------------------------------------------------------

    def _has_data(self) -> bool:
        return self._document.data is not None

    def _file(self) -> list[Act]:
        o, library, some = self._opening, self._library, self._has_data
        return [
            Act("File", "Open files …", "Ctrl+O", o.choose_files),
            Act("File", "Open session …", "Ctrl+Shift+O", o.choose_session),
            Act("File", "Save session", "Ctrl+S", library.save, enabled=some),
            Act("File", "Save session as …", "Ctrl+Shift+S", library.save_as, enabled=some),
            Act("File"),
            Act("File", "Export picture …", "Ctrl+E", self._behaviour.export_picture, enabled=some),
            Act("File"),
            Act("File", "Quit", "Ctrl+Q", self._window.close),
        ]

    def _edit(self) -> list[Act]:
        d, e, b, some = self._document, self._editor, self._behaviour, self._has_data
        return [
            Act("Edit", "Undo", "Ctrl+Z", d.undo, enabled=lambda: d.undo_label is not None,
                label=lambda: f"Undo: {d.undo_label}" if d.undo_label else "Undo"),
            Act("Edit", "Redo", "Ctrl+Shift+Z|Ctrl+Y", d.redo, enabled=lambda: d.redo_label is not None,
                label=lambda: f"Redo: {d.redo_label}" if d.redo_label else "Redo"),
            Act("Edit"),
            Act("Edit", "Select all", "Ctrl+A", e.select_all, enabled=some),
            Act("Edit", "Invert selection", "Ctrl+I", e.invert_selection, enabled=some),
            Act("Edit", "Back, or clear selection", "Esc", b.escape),
            Act("Edit"),
            Act("Edit", "Find anything …", "Ctrl+K", b.find_anything),
        ]  # fmt: skip

    def _view(self) -> list[Act]:
        e, b, w, docks = self._editor, self._behaviour, self._workbench, self._docks
        s = w.change_settings
        return [
            Act("View", "Views and parameters", "Ctrl+1", docks.toggle_side, lambda: docks.show_side),
            Act("View", "Points", "Ctrl+2", docks.toggle_points, lambda: docks.show_points),
            Act("View", "Spectrum and tasks", "Ctrl+3", lambda: docks.bottom.fold(not docks.bottom.folded),
                lambda: not docks.bottom.folded),
            *(Act("View", f"Page: {page.title}", "", partial(docks.bottom.show_page, id), enabled=self._has_data)
              for id, page in docks.bottom.pages.items()),
            Act("View", "Slope curve of a bandwidth", "C", b.unfold_slider, enabled=self._has_data),
            Act("View", "Presentation", "F11", b.present, docks.strip.isVisible),
            Act("View"),
            Act("View", "Fit all to points", "Ctrl+0", docks.grid.fit_all),
            Act("View", "Lasso or navigate", "L", docks.grid.toggle_tool),
            Act("View", "Rectangle or lasso", "R", docks.grid.toggle_rectangle),
            Act("View", "Larger points", "Ctrl++|Ctrl+=", lambda: e.scale_points(1.25)),
            Act("View", "Smaller points", "Ctrl+-", lambda: e.scale_points(0.8)),
            Act("View"),
            Act("View", "Align embeddings while they move", "", lambda: s(align=not w.settings.align),
                lambda: w.settings.align),
            Act("View", "Animate", "", lambda: s(animate=not w.settings.animate), lambda: w.settings.animate),
            Act("View", "Link 3-D cameras", "", lambda: s(link_cameras=not w.settings.link_cameras),
                lambda: w.settings.link_cameras),
            Act("View", "Memory limit …", "", b.set_memory_limit),
            Act("View"),
            Act("View", "Theme of the system", "", lambda: s(theme="system"), lambda: w.settings.theme == "system"),
            Act("View", "Light theme", "", lambda: s(theme="light"), lambda: w.settings.theme == "light"),
            Act("View", "Dark theme", "", lambda: s(theme="dark"), lambda: w.settings.theme == "dark"),
        ]  # fmt: skip

    def _data(self) -> list[Act]:
        b, d, page = self._behaviour, self._document, self._docks.bottom.findChild(BandwidthPage)

        def waves() -> bool:
            return self._has_data() and d.state.sonogram is None

        def view() -> str:
            return (page and page.view) or next(iter(d.state.enabled), "")

        return [
            Act("Data", "Feature weights …", "", lambda: open_weights(self._workbench, view(), self._window),
                enabled=lambda: self._has_data() and bool(view())),
            Act("Data"),
            Act("Data", "Waveforms to sonograms, 12 bands …", "", lambda: b.make_sonograms("seismic-events"),
                enabled=waves),
            Act("Data", "Waveforms to sonograms, 512 frequencies …", "",
                lambda: b.make_sonograms("seismic-manifold"), enabled=waves),
        ]  # fmt: skip

    def _panels(self) -> list[Act]:
        e, b, grid = self._editor, self._behaviour, self._docks.grid

        def on(do: Callable[[PanelState], object]) -> Callable[[], object]:
            return lambda: (p := b.focused_panel()) is not None and do(p)

        def some() -> bool:
            return b.focused_panel() is not None

        acts = [
            Act("Panels", "Duplicate panel", "Ctrl+D", on(lambda p: e.duplicate_panel(p.id)), enabled=some),
            Act("Panels", "Close panel", "Del", on(lambda p: e.close_panel(p.id)), enabled=some),
            Act("Panels", "Maximise panel", "F", on(lambda p: grid.toggle_maximised(p.id)), enabled=some),
            Act("Panels", "Choose method", "F2", on(lambda p: grid.panels[p.id].choose_method()), enabled=some),
            Act("Panels", "About the method", "I", on(lambda p: grid.panels[p.id].show_card()), enabled=some),
            Act("Panels", "Two dimensions", "2", on(lambda p: e.set_dims(p.id, 2)), enabled=some),
            Act("Panels", "Three dimensions", "3", on(lambda p: e.set_dims(p.id, 3)), enabled=some),
            Act("Panels", "All panels in 2-D", "Ctrl+Shift+2", lambda: e.set_all_dims(2), enabled=some),
            Act("Panels", "All panels in 3-D", "Ctrl+Shift+3", lambda: e.set_all_dims(3), enabled=some),
            Act("Panels"),
            Act("Panels", "Cancel all tasks", "Ctrl+.", b.cancel_all),
            Act("Panels"),
            Act("Panels", "Smaller ε", "Alt+Left", lambda: b.nudge_epsilon(-1)),
            Act("Panels", "Larger ε", "Alt+Right", lambda: b.nudge_epsilon(1)),
            Act("Panels", "Smaller η", "Alt+Down|[", lambda: e.nudge_eta(-0.02)),
            Act("Panels", "Larger η", "Alt+Up|]", lambda: e.nudge_eta(0.02)),
            Act("Panels"),
        ]
        for i in range(9):  # as many as there are digits
            acts.append(Act("Panels", f"Focus panel {i + 1}", f"Alt+{i + 1}", partial(b.focus_panel, i)))
        return acts

    def _help(self) -> list[Act]:
        return [
            Act("Help", "Mouse and keys", "F1", lambda: self._behaviour.show_help("gestures")),
            Act("Help", "Which ε, and why?", "", lambda: self._behaviour.show_help("bandwidth")),
            Act("Help", "About mvexplorer", "", lambda: QMessageBox.about(
                self._window, "About mvexplorer", f"<b>mvexplorer {__version__}</b><p>Multi-view diffusion geometry: "
                "every method side by side, while the bandwidth moves.</p><p>BSD-3-Clause. Icons: Lucide (ISC). "
                "Type: Inter (OFL).")),
        ]  # fmt: skip
