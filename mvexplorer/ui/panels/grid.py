"""The panels in rows and columns, and the hover, camera and look that they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil, sqrt

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, Qt, QTimer, Signal
from PySide6.QtWidgets import QAbstractButton, QApplication, QGridLayout, QPushButton, QWidget

from mvexplorer.engine.core.multiview import Array
from mvexplorer.state.document.model import MAX_PANELS, DocumentState
from mvexplorer.state.document.snapshots import Rotation
from mvexplorer.state.document.titles import panel_title
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.near_kept import NearKept
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.ui.cloud.annotations import Written
from mvexplorer.ui.cloud.canvas import EmbeddingCanvas
from mvexplorer.ui.cloud.marks import KeptMark, Thumbnails
from mvexplorer.ui.cloud.near_mark import NearMark
from mvexplorer.ui.cloud.picture import Camera, Viewport
from mvexplorer.ui.cloud.rasteriser import PointStyle
from mvexplorer.ui.panels.panel import Panel
from mvexplorer.ui.panels.rest import RestOfPanels
from mvexplorer.ui.style.layouts import spaced

NEAR_MS = 30
"""Delay after which rings that move alone are painted: most pictures that move with them are there by then."""


class PanelGrid(QWidget):
    """Up to twelve panels, columns = ceil(sqrt(n)), rows filled left to right; one of them may be maximised.

    Below them a button lists the rest.
    """

    hovered = Signal(int, object, QPointF)
    picked = Signal(int)
    selected = Signal(object, str, str)
    """Samples were picked in a panel: their rows, how they are combined with those selected, and where in words."""
    hidden_changed = Signal(object)
    link_toggled = Signal(int)
    """The user links or unlinks the cameras of all panels of so many dimensions."""
    memory_wanted = Signal()
    """The user wants to allow computations more memory."""
    look_changed = Signal()
    """The points look otherwise: see `look`."""

    def __init__(self, editor: Editor, controller: Controller) -> None:
        super().__init__()
        self._editor = editor
        self._controller = controller
        self.panels: dict[str, Panel] = {}
        self.linked = {2: False, 3: True}
        self.navigating = False
        self.rectangular = False
        self.maximised: str | None = None
        editor.focus_changed.connect(self._show_focus)
        self._order: tuple[str, ...] = ()
        self.look: PointStyle | None = None
        """How the points look in all panels but those with an own look."""
        self.looks: Mapping[str, PointStyle] = {}
        self._spare: list[Panel] = []
        self.thumbnails, self.kept_mark = Thumbnails(), KeptMark()
        self.written: Callable[[str], Written | None] = lambda id: None
        """Tells what is written onto the picture of a panel."""
        self.near: Mapping[str, NearKept] = {}
        """Who is ringed and linked as near the kept sample, by panel."""
        self._near_marks: list[tuple[NearMark, EmbeddingCanvas]] = []
        self._near_soon = QTimer(self, singleShot=True, interval=NEAR_MS)
        self._near_soon.timeout.connect(self._repaint_near)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._focus_moved)
        self._builder = QTimer(self, singleShot=True, interval=0)
        self._builder.timeout.connect(self.prepare)
        self._nothing = QPushButton("No panel is open. Show the default panels")
        self._nothing.clicked.connect(editor.show_usual_panels)
        self._nothing.hide()
        self.rest = RestOfPanels(editor)
        self._grid = spaced(QGridLayout(self), 8, 8, 8, 8, spacing=8)
        self._grid.addWidget(self._nothing, 0, 0, Qt.AlignmentFlag.AlignCenter)

    def show_state(self, state: DocumentState) -> None:
        """Show the panels of the state."""
        order = tuple(p.id for p in state.shown)
        for id in set(self.panels) - set(order):
            self._remove(id)
        for panel in state.shown:
            if panel.id not in self.panels:
                self._add(panel.id)
            self.panels[panel.id].show_state(panel, state, self.navigating)
            self.panels[panel.id].canvas.rectangular = self.rectangular
            self.panels[panel.id].link.show_link(panel.dims, self.linked)
        if self.maximised not in order:
            self.maximised = None
        focused = self._editor.focused
        if focused not in order:
            # The panel that took the closed one's place gets the focus.
            place = self._order.index(focused) if focused in self._order else 0
            self._editor.focus(order[min(place, len(order) - 1)] if order else None)
        self._nothing.setVisible(not order)
        self.rest.show_state(state)
        if order != self._order:
            self._order = order
            self._show_focus(self._editor.focused)
            self.arrange()

    def prepare(self) -> None:
        """Build some panels ahead, one per idle moment: opening data then only fills them."""
        prepared = 6
        if len(self._spare) + len(self.panels) < prepared:
            self._prepare_one()
            self._builder.start()

    def steps_to(self, state: DocumentState) -> list[Callable[[], None]]:
        """List steps to take before `show_state` shows more panels: build them, one a turn of the event loop."""
        return [self._prepare_one] * (len(state.shown) - len(self.panels) - len(self._spare))

    def _prepare_one(self) -> None:
        panel = self._make()
        for widget in (panel, *panel.findChildren(QWidget)):
            widget.ensurePolished()  # styling is most of the cost of first showing a panel
        self._spare.append(panel)

    def _make(self) -> Panel:
        panel = Panel("", self._editor, self._controller)
        panel.setParent(self)  # without a parent it would open as a window and take the focus
        panel.hide()
        canvas = panel.canvas
        near = NearMark(lambda: self.near.get(panel.id))
        self._near_marks.append((near, canvas))
        panel.annotations.wanted = lambda: self.written(panel.id)
        canvas.overlays += near, self.thumbnails, self.kept_mark
        canvas.words.append(panel.annotations)
        canvas.hovered.connect(lambda index, at: self.hovered.emit(index, canvas, at))
        canvas.picked.connect(self.picked)
        canvas.selected.connect(lambda rows, how: self.selected.emit(rows, how, self._outlined(panel.id)))
        canvas.camera_turned.connect(lambda camera: self._turned(panel.id, camera))
        canvas.frame_moved.connect(lambda frame: self._framed(panel.id, frame))
        panel.link.clicked.connect(lambda: self.link_toggled.emit(panel.link.dims))
        panel.maximise_wanted.connect(self.toggle_maximised)
        panel.tool_toggled.connect(self.toggle_tool)
        panel.memory_wanted.connect(self.memory_wanted)
        for button in panel.findChildren(QAbstractButton):
            if button is not panel.header.cross:  # closing a panel is no reason to leave another
                button.pressed.connect(lambda b=button: b.hasFocus() or panel.setFocus())
        canvas.picked.connect(lambda _: panel.setFocus())
        canvas.selected.connect(lambda *_: panel.setFocus())
        return panel

    def _outlined(self, id: str) -> str:
        """Tell where samples were picked, in words."""
        state = self._editor.state
        panel, tool = state.find_panel(id), "rectangle" if self.rectangular else "lasso"
        return f"{tool} in {panel_title(state, panel)} {panel.dims}-D" if panel is not None else tool

    def _add(self, id: str) -> None:
        panel = self._spare.pop() if self._spare else self._make()
        panel.id = id
        if self.look is not None:
            panel.canvas.set_look(self.looks.get(id, self.look))
        twin = next((p.canvas for p in self.panels.values()), None)
        if twin is not None and self.linked[3]:
            panel.canvas.set_camera(twin.camera)
        flat = next((p.canvas for p in self.panels.values() if not p.canvas.is_3d), None)
        if flat is not None and self.linked[2]:
            panel.canvas.set_frame(flat.frame)
        self.panels[id] = panel

    def _remove(self, id: str) -> None:
        """Keep the panel for reuse: pyqtgraph leaks memory when a view is destroyed."""
        panel = self.panels.pop(id)
        self._grid.removeWidget(panel)
        panel.header.neighbours = (panel.header,)
        panel.clear()
        self._spare.append(panel)

    def arrange(self) -> None:
        """Put the visible panels in their cells."""
        visible = self._visible
        columns = ceil(sqrt(len(visible))) if visible else 1
        for i in range(MAX_PANELS):
            self._grid.setColumnStretch(i, 1 if i < columns else 0)
            self._grid.setRowStretch(i, 1 if i < ceil(len(visible) / columns) else 0)
        for id, panel in self.panels.items():
            self._grid.removeWidget(panel)
            panel.header.neighbours = (panel.header,)
            panel.setVisible(id in visible)
            panel.canvas.cloud.companions = max(1, len(visible))
        self._grid.removeWidget(self.rest)
        self._grid.addWidget(self.rest, MAX_PANELS, 0, 1, columns, Qt.AlignmentFlag.AlignRight)
        for i, id in enumerate(visible):
            self._grid.addWidget(self.panels[id], i // columns, i % columns)
            row = visible[i - i % columns :][:columns]
            self.panels[id].header.neighbours = [self.panels[each].header for each in row]
            self.panels[id].header.fit_buttons()
        self.hidden_changed.emit(self.hidden)

    @property
    def _visible(self) -> list[str]:
        return [self.maximised] if self.maximised else list(self._order)

    @property
    def hidden(self) -> frozenset[str]:
        """The panels behind a maximised one."""
        return frozenset(self.panels) - frozenset(self._visible)

    def show_result(self, id: str, result: PanelResult, best: frozenset[str], *, animate: bool) -> None:
        """Show the result of a panel's computation."""
        if id in self.panels:
            self.panels[id].show_result(result, best, animate=animate)

    def show_scores(self, id: str, result: PanelResult, best: frozenset[str]) -> None:
        """Update score badges alone, when another panel's scores changed the best."""
        if id in self.panels:
            self.panels[id].show_scores(result, best)

    def set_look(self, look: PointStyle, own: Mapping[str, PointStyle] | None = None) -> None:
        """Set colour, visibility, selection and size of the points in all panels; some may have an `own` look."""
        self.look, self.looks = look, own or {}
        for id, panel in self.panels.items():
            panel.canvas.set_look(self.looks.get(id, look))
        self.look_changed.emit()

    def fit_all(self) -> None:
        """Fit every cloud into view."""
        for panel in self.panels.values():
            panel.canvas.fit()

    def mark(self, index: int) -> None:
        """Ring the same sample in every panel."""
        for panel in self.panels.values():
            panel.canvas.mark(index)

    def keep(self, sample: int) -> None:
        """Mark the kept sample in every panel; -1 for none."""
        if sample != self.kept_mark.sample:
            self.kept_mark.sample = sample
            self.repaint_pictures()

    def show_near(self, near: Mapping[str, NearKept], *, moving: bool) -> None:
        """Ring and link the neighbours of the kept sample, by panel; those `moving` wait for their pictures."""
        self.near = near
        if not moving:
            self._repaint_near()
        elif not self._near_soon.isActive():
            self._near_soon.start()

    def _repaint_near(self) -> None:
        for mark, canvas in self._near_marks:
            if mark.outdated:
                canvas.viewport().update()

    def show_thumbnails(self, images: npt.NDArray[np.uint8] | None) -> None:
        """Draw the samples' own pictures where there is room, or None."""
        if self.thumbnails.use(images):
            self.repaint_pictures()

    def repaint_pictures(self) -> None:
        """Paint what lies on the pictures anew."""
        for panel in self.panels.values():
            panel.canvas.viewport().update()

    def _show_focus(self, id: str | None) -> None:
        """Mark the panel that keys go to, and take the keys from another one."""
        for name, panel in self.panels.items():
            panel.set_focused(name == id, alone=len(self.panels) == 1)
        keys = QApplication.focusWidget()
        if id in self.panels and any(n != id and p.isAncestorOf(keys) for n, p in self.panels.items() if keys):
            self.panels[id].setFocus()  # the keys were in another panel

    def _focus_moved(self, _: QWidget | None, now: QWidget | None) -> None:
        """Keys that go to a part of a panel go to that panel."""
        id = next((id for id, panel in self.panels.items() if now is not None and panel.isAncestorOf(now)), None)
        if id is not None:
            self._editor.focus(id)

    def toggle_maximised(self, id: str) -> None:
        """Show one panel alone, or all again."""
        self.maximised = None if self.maximised == id or id not in self.panels else id
        self._editor.focus(id)
        self.arrange()

    def show_alone(self, id: str) -> None:
        """Show one panel alone, or all where there is no such panel."""
        self.maximised = id if id in self.panels else None
        self.arrange()

    def toggle_tool(self) -> None:
        """Switch the left drag between selecting and navigating."""
        self.navigating = not self.navigating
        self.show_state(self._editor.state)

    def toggle_rectangle(self) -> None:
        """Switch between rectangle and lasso."""
        self.rectangular = not self.rectangular
        self.show_state(self._editor.state)

    def cameras(self) -> dict[str, Camera]:
        """Each panel's camera."""
        return {id: panel.canvas.camera for id, panel in self.panels.items()}

    def frames(self) -> dict[str, Viewport]:
        """The part of its picture that each panel shows."""
        return {id: panel.canvas.frame for id, panel in self.panels.items()}

    def rotations(self) -> dict[str, Rotation]:
        """The rotation of each panel's camera, in the form sessions store."""
        return {id: _rows(camera.rotation) for id, camera in self.cameras().items()}

    def turn_cameras(self, rotations: Mapping[str, Rotation]) -> None:
        """Turn the cameras of the panels that exist."""
        for id in rotations.keys() & self.panels.keys():
            self.panels[id].canvas.set_camera(Camera(np.array(rotations[id])))

    def _turned(self, id: str, camera: Camera) -> None:
        if self.linked[3]:
            for other, panel in self.panels.items():
                if other != id:
                    panel.canvas.set_camera(camera)

    def _framed(self, id: str, frame: Viewport) -> None:
        if self.linked[2]:
            for other, panel in self.panels.items():
                if other != id:
                    panel.canvas.set_frame(frame)

    def link(self, *, zoom: bool, cameras: bool) -> None:
        """Link or unlink the zoom of 2-D panels or the cameras of 3-D panels; zoom takes that of the focused panel."""
        newly = zoom and not self.linked[2]
        self.linked = {2: zoom, 3: cameras}
        for panel in self.panels.values():
            panel.link.show_link(panel.link.dims, self.linked)
        focused = self._editor.focused
        if newly and focused in self.panels and not self.panels[focused].canvas.is_3d:
            self._framed(focused, self.panels[focused].canvas.frame)

    def apply_theme(self) -> None:
        """Use the current theme in every panel, spare ones included."""
        for panel in (*self.panels.values(), *self._spare):
            panel.apply_theme()


def _rows(rotation: Array) -> Rotation:
    first, second, third = ((float(x), float(y), float(z)) for x, y, z in rotation)
    return first, second, third
