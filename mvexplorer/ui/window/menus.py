"""The table of the window's actions: what each is called, which key does it, and when it applies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QMenu, QMessageBox, QToolButton, QWidget

from mvexplorer import __version__
from mvexplorer.datasets.catalogue import samples
from mvexplorer.engine.methods import methods
from mvexplorer.state import commands
from mvexplorer.state.model import MAX_PANELS
from mvexplorer.ui.pages.bandwidth import BandwidthPage
from mvexplorer.ui.pages.feature_weights import open_weights
from mvexplorer.ui.widgets.action_table import Act, ActionTable
from mvexplorer.ui.widgets.plain_text import add_action
from mvexplorer.wording import source_title

if TYPE_CHECKING:
    from mvexplorer.ui.window.main_window import MainWindow


def build_actions(window: MainWindow) -> ActionTable:
    """The menus of the window."""
    table = ActionTable(
        window, [*_file(window), *_edit(window), *_view(window), *_data(window), *_panels(window), *_help(window)]
    )
    recent = table.menus["File"].addMenu("Open recent")
    sample_menu = table.menus["File"].addMenu("Open sample")
    first = table.actions["Save session"]
    table.menus["File"].insertMenu(first, recent)
    table.menus["File"].insertMenu(first, sample_menu)
    for sample in samples():
        action = sample_menu.addAction(sample.title)
        action.setToolTip(sample.summary)
        action.triggered.connect(lambda _=False, i=sample.id: window.opening.open_source((i,)))

    def list_recent() -> None:
        recent.clear()
        for source in window.settings.recent:
            action = add_action(recent, source_title(source))
            action.triggered.connect(lambda _=False, s=source: window.opening.open_dropped(s))
        recent.setEnabled(bool(window.settings.recent))

    table.menus["File"].aboutToShow.connect(list_recent)
    add = table.menus["Panels"].addMenu("Add panel")
    table.menus["Panels"].insertMenu(table.actions["Duplicate panel"], add)
    for method in methods():
        action = add.addAction(method.title)
        action.setToolTip(method.summary)
        action.triggered.connect(lambda _=False, i=method.id: window.hands.add_panel(i))
    add.aboutToShow.connect(lambda: add.setEnabled(len(window.document.state.panels) < MAX_PANELS))
    corner = _corner(window, add)
    window.menuBar().setCornerWidget(corner)
    corner.show()
    return table


def _corner(window: MainWindow, add: QMenu) -> QWidget:
    """What a first look should find without opening a menu: another panel, and everything else."""
    corner = QWidget(window.menuBar())
    row = QHBoxLayout(corner)
    row.setContentsMargins(0, 0, 8, 0)
    panel, find = QToolButton(), QToolButton()
    panel.setText("Add panel ▾")
    panel.setToolTip("Show another method")
    panel.clicked.connect(lambda: add.popup(panel.mapToGlobal(panel.rect().bottomLeft())))
    find.setText("Find anything  Ctrl+K")
    find.setToolTip("Find any action, method, parameter, sample or point (Ctrl+K)")
    find.clicked.connect(window.hands.find_anything)
    for button in (panel, find):
        button.setProperty("role", "small")
        button.setAccessibleName(button.toolTip())
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keyboard has the menu, and Ctrl+K
        row.addWidget(button)
    return corner


def _has_data(window: MainWindow) -> bool:
    return window.document.data is not None


def _file(w: MainWindow) -> list[Act]:
    return [
        Act("File", "Open files …", "Ctrl+O", w.opening.choose_files),
        Act("File", "Open session …", "Ctrl+Shift+O", w.opening.choose_session),
        Act("File", "Save session", "Ctrl+S", w.opening.save, enabled=lambda: _has_data(w)),
        Act("File", "Save session as …", "Ctrl+Shift+S", w.opening.save_as, enabled=lambda: _has_data(w)),
        Act("File"),
        Act("File", "Export picture …", "Ctrl+E", w.hands.export_picture, enabled=lambda: _has_data(w)),
        Act("File"),
        Act("File", "Quit", "Ctrl+Q", w.close),
    ]


def _edit(w: MainWindow) -> list[Act]:
    d = w.document
    return [
        Act("Edit", "Undo", "Ctrl+Z", d.undo, enabled=lambda: d.undo_label is not None,
            label=lambda: f"Undo: {d.undo_label}" if d.undo_label else "Undo"),
        Act("Edit", "Redo", "Ctrl+Shift+Z|Ctrl+Y", d.redo, enabled=lambda: d.redo_label is not None,
            label=lambda: f"Redo: {d.redo_label}" if d.redo_label else "Redo"),
        Act("Edit"),
        Act("Edit", "Select all", "Ctrl+A", w.hands.select_all, enabled=lambda: _has_data(w)),
        Act("Edit", "Invert selection", "Ctrl+I", lambda: commands.invert_selection(d), enabled=lambda: _has_data(w)),
        Act("Edit", "Back, or clear selection", "Esc", w.hands.escape),
        Act("Edit"),
        Act("Edit", "Find anything …", "Ctrl+K", w.hands.find_anything),
    ]  # fmt: skip


def _view(w: MainWindow) -> list[Act]:
    s = w.change_settings
    return [
        Act("View", "Views and parameters", "Ctrl+1", w.hands.toggle_side, lambda: w.show_side),
        Act("View", "Points", "Ctrl+2", w.hands.toggle_points, lambda: w.show_points),
        Act("View", "Spectrum and tasks", "Ctrl+3", lambda: w.bottom.fold(not w.bottom.folded),
            lambda: not w.bottom.folded),
        *(Act("View", f"Page: {page.title}", "", lambda id=id: w.bottom.show_page(id), enabled=lambda: _has_data(w))
          for id, page in w.bottom.pages.items()),
        Act("View", "Slope curve of a bandwidth", "C", w.hands.unfold_slider, enabled=lambda: _has_data(w)),
        Act("View", "Presentation", "F11", w.hands.present, lambda: w.strip.isVisible()),
        Act("View"),
        Act("View", "Fit all to points", "Ctrl+0", w.fit_all),
        Act("View", "Lasso or navigate", "L", w.hands.toggle_tool),
        Act("View", "Rectangle or lasso", "R", w.hands.toggle_rectangle),
        Act("View", "Larger points", "Ctrl++|Ctrl+=", lambda: w.hands.scale_points(1.25)),
        Act("View", "Smaller points", "Ctrl+-", lambda: w.hands.scale_points(0.8)),
        Act("View"),
        Act("View", "Align embeddings while they move", "", lambda: s(align=not w.settings.align),
            lambda: w.settings.align),
        Act("View", "Animate", "", lambda: s(animate=not w.settings.animate), lambda: w.settings.animate),
        Act("View", "Link 3-D cameras", "", lambda: s(link_cameras=not w.settings.link_cameras),
            lambda: w.settings.link_cameras),
        Act("View", "Memory limit …", "", w.set_memory_limit),
        Act("View"),
        Act("View", "Theme of the system", "", lambda: s(theme="system"), lambda: w.settings.theme == "system"),
        Act("View", "Light theme", "", lambda: s(theme="light"), lambda: w.settings.theme == "light"),
        Act("View", "Dark theme", "", lambda: s(theme="dark"), lambda: w.settings.theme == "dark"),
    ]  # fmt: skip


def _data(w: MainWindow) -> list[Act]:
    waves = lambda: _has_data(w) and w.document.state.sonogram is None  # noqa: E731
    page = w.bottom.findChild(BandwidthPage)
    view = lambda: (page and page.view) or next(iter(w.document.state.enabled), "")  # noqa: E731
    return [
        Act("Data", "Feature weights …", "", lambda: open_weights(w.workbench, view(), w),
            enabled=lambda: _has_data(w) and bool(view())),
        Act("Data"),
        Act("Data", "Waveforms to sonograms, 12 bands …", "", lambda: w.hands.make_sonograms("seismic-events"),
            enabled=waves),
        Act("Data", "Waveforms to sonograms, 512 frequencies …", "",
            lambda: w.hands.make_sonograms("seismic-manifold"), enabled=waves),
    ]  # fmt: skip


def _panels(w: MainWindow) -> list[Act]:
    on = lambda do: lambda: (p := w.hands.focused_panel()) is not None and do(p)  # noqa: E731 - a table, not a program
    some = lambda: w.hands.focused_panel() is not None  # noqa: E731
    acts = [
        Act("Panels", "Duplicate panel", "Ctrl+D", on(lambda p: w.hands.duplicate(p.id)), enabled=some),
        Act("Panels", "Close panel", "Del", on(lambda p: commands.close_panel(w.document, p.id)), enabled=some),
        Act("Panels", "Maximise panel", "F", on(lambda p: w.grid.toggle_maximised(p.id)), enabled=some),
        Act("Panels", "Choose method", "F2", on(lambda p: w.grid.panels[p.id].choose_method()), enabled=some),
        Act("Panels", "About the method", "I", on(lambda p: w.grid.panels[p.id].show_card()), enabled=some),
        Act("Panels", "Two dimensions", "2", on(lambda p: w.hands.set_dims(p.id, 2)), enabled=some),
        Act("Panels", "Three dimensions", "3", on(lambda p: w.hands.set_dims(p.id, 3)), enabled=some),
        Act("Panels", "All panels in 2-D", "Ctrl+Shift+2", lambda: w.hands.set_all_dims(2), enabled=some),
        Act("Panels", "All panels in 3-D", "Ctrl+Shift+3", lambda: w.hands.set_all_dims(3), enabled=some),
        Act("Panels"),
        Act("Panels", "Cancel all tasks", "Ctrl+.", w.hands.cancel_all),
        Act("Panels"),
        Act("Panels", "Smaller ε", "Alt+Left", lambda: w.hands.nudge_epsilon(-1)),
        Act("Panels", "Larger ε", "Alt+Right", lambda: w.hands.nudge_epsilon(1)),
        Act("Panels", "Smaller η", "Alt+Down|[", lambda: w.hands.nudge_eta(-0.02)),
        Act("Panels", "Larger η", "Alt+Up|]", lambda: w.hands.nudge_eta(0.02)),
        Act("Panels"),
    ]
    for i in range(9):  # as many as there are digits
        acts.append(Act("Panels", f"Focus panel {i + 1}", f"Alt+{i + 1}", lambda i=i: w.hands.focus_panel(i)))
    return acts


def _help(w: MainWindow) -> list[Act]:
    return [
        Act("Help", "Mouse and keys", "F1", lambda: w.hands.show_help("gestures")),
        Act("Help", "Which ε, and why?", "", lambda: w.hands.show_help("bandwidth")),
        Act("Help", "About mvexplorer", "", lambda: QMessageBox.about(
            w, "About mvexplorer", f"<b>mvexplorer {__version__}</b><p>Multi-view diffusion geometry: every method "
            "side by side, while the bandwidth moves.</p><p>BSD-3-Clause. Icons: Lucide (ISC). Type: Inter (OFL).")),
    ]  # fmt: skip
