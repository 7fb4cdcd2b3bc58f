"""What the user can do, by menu, key, slider or mouse: every gesture becomes a command on the document."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QInputDialog

from mvexplorer.compute.jobs import SonogramJob
from mvexplorer.compute.scheduler import Outcome
from mvexplorer.datasets.catalogue import samples
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.methods import get_method, methods
from mvexplorer.errors import MVExplorerError
from mvexplorer.state import commands
from mvexplorer.state.colouring import find_features
from mvexplorer.state.controller import Controller
from mvexplorer.state.document import Document
from mvexplorer.state.model import PanelState, panel_kernel, panel_params, panel_view, panel_views
from mvexplorer.ui.appearance.dock import PointActions
from mvexplorer.ui.controls.dock import SideActions
from mvexplorer.ui.panels.panel_actions import PanelActions
from mvexplorer.ui.widgets.banner import Banner
from mvexplorer.ui.widgets.command_palette import CommandPalette, Entry
from mvexplorer.ui.widgets.plain_text import line, tip

if TYPE_CHECKING:
    from mvexplorer.ui.controls.dock import ControlsDock
    from mvexplorer.ui.panels.grid import PanelGrid
    from mvexplorer.ui.window.main_window import MainWindow

FOUND_FEATURES = 20
"""Features that the palette lists, of those whose names fit."""


class Hands:
    """The user's hands on one window. What is wrong with an edit becomes a message; the document stays as it was."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._before = window.windowState()
        self._complaint: Banner | None = None
        """The message about the last edit that failed: gone with the next one that does not."""
        window.workbench.editor.failed.connect(self._complain)
        window.workbench.editor.done.connect(self._forget_complaint)

    @property
    def _document(self) -> Document:
        return self._window.document

    @property
    def _controller(self) -> Controller:
        return self._window.controller

    @property
    def _grid(self) -> PanelGrid:
        return self._window.grid

    @property
    def _side(self) -> ControlsDock:
        return self._window.side

    def side_actions(self) -> SideActions:
        """What the left side asks for."""
        d = self._document
        return SideActions(
            tick=lambda view, on: commands.tick_view(d, view, on),
            tick_all=lambda: commands.tick_all_views(d),
            preprocess=lambda view, how: commands.set_preprocess(d, view, how),
            kernel=lambda view, kernel: self.attempt(lambda: commands.set_kernel(d, view, kernel)),
            epsilon=lambda view, e, drag: self.attempt(
                lambda: commands.set_epsilon(d, view, _number_or_text(e), interactive=drag)
            ),
            explain=self._window.analyser.ask,
            linked=lambda view, on: commands.set_linked(d, view, on),
            scale=lambda s, drag: self.attempt(lambda: commands.set_scale(d, s, interactive=drag)),
            param=lambda name, v, drag: self.attempt(lambda: commands.set_param(d, name, v, interactive=drag)),
            rest=self._window.schedule_idle,
        )

    def point_actions(self) -> PointActions:
        """What the right side asks for."""
        d = self._document
        return PointActions(
            colour=lambda source: commands.colour_by(d, source),
            isolate=lambda classes: commands.isolate(d, classes),
            style=lambda name, value: commands.style_points(d, **{name: value}),
            rest=self._window.schedule_idle,
            invert=lambda: commands.invert_selection(d),
            clear=lambda: commands.select(d, ()),
        )

    def panel_actions(self) -> PanelActions:
        """What a panel asks for."""
        d = self._document
        return PanelActions(
            document=lambda: d.state,
            set_method=lambda id, m, view: commands.set_method(d, id, m, view),
            change=lambda id, label, **changes: commands.change_panel(d, id, label, **changes),
            duplicate=lambda id: self.attempt(lambda: commands.duplicate_panel(d, id)),
            close=lambda id: commands.close_panel(d, id),
            swap=lambda a, b: commands.swap_panels(d, a, b),
            maximise=lambda id: self._grid.toggle_maximised(id),
            pin=self._pin,
            unpin=lambda id, name: commands.unpin(d, id, name),
            edit_pin=self._edit_pin,
            retry=self._controller.retry,
            cancel=self._controller.cancel,
            toggle_tool=self.toggle_tool,
            usual=lambda: commands.show_usual_panels(d),
            compute_by=lambda kernel, subsample: commands.compute_by(d, kernel, subsample),
            allow_memory=self._window.set_memory_limit,
            approximates=self._controller.approximates,
            compare_with_dense=self._controller.ask_approximation,
            pinnable=self._pinnable,
        )

    def attempt(self, edit: Callable[[], Any]) -> bool:
        """Do an edit; what is wrong with it becomes a message, and the document stays as it was."""
        return self._window.workbench.editor.attempt(edit)

    def _complain(self, error: MVExplorerError) -> None:
        self._forget_complaint()
        self._complaint = self._window.banners.show_message("error", error.message, error.hint)

    def _forget_complaint(self) -> None:
        self._window.banners.forget(self._complaint)
        self._complaint = None

    def _pinnable(self, id: str) -> list[tuple[str, str]]:
        panel = self._document.state.find_panel(id)
        if panel is None:
            return []
        method = get_method(panel.method)
        found = [(p.name, p.label) for p in method.params if p.kind != "view"]
        own = [panel_view(self._document.state, panel)] if method.max_views == 1 else panel_views(
            self._document.state, panel, method
        )[: method.max_views]  # fmt: skip
        views = [v for v in own if v]
        if method.uses_epsilon:
            found += [(f"epsilon:{v}", f"Bandwidth ε of {v}") for v in views]
        if method.requires == "kernels":
            found += [(f"kernel:{v}", f"Kernel of {v}") for v in views]
        return found

    def _pin(self, id: str, name: str) -> None:
        state = self._document.state
        panel = state.find_panel(id)
        if panel is None:
            return
        if name.startswith("epsilon:"):
            view = name.removeprefix("epsilon:")
            number = self._controller.effective_epsilon(view)
            value: Any = number if number is not None else state.view(view).epsilon
        elif name.startswith("kernel:"):
            value = panel_kernel(state, panel, name.removeprefix("kernel:")).text
        else:
            value = panel_params(state, panel, get_method(panel.method))[name]
        self.attempt(lambda: commands.pin(self._document, id, name, value))

    def _edit_pin(self, id: str, name: str) -> None:
        panel = self._document.state.find_panel(id)
        if panel is None or name not in panel.pins:
            return
        asked = tip(line(f"Value of {name.replace(':', ' of ', 1)}:"))
        text, ok = QInputDialog.getText(self._window, "Pinned parameter", asked, text=str(panel.pins[name]))
        if ok:
            self.attempt(lambda: commands.pin(self._document, id, name, _number_or_text(text)))

    def focused_panel(self) -> PanelState | None:
        """The panel keys go to."""
        return next((p for p in self._panels_on_show() if p.id == self._grid.focused), None)

    def _panels_on_show(self) -> list[PanelState]:
        """The document's panels as far as they are on screen: other data is shown piece by piece."""
        return [p for p in self._document.state.panels if p.id in self._grid.panels]

    def unfold_slider(self) -> None:
        """Unfold the slider that has the keys, else that of the focused panel's first view, or fold it again."""
        rows = self._side.rows
        row = next((r for r in rows.values() if r.slider.hasFocus() or r.field.hasFocus()), None)
        if row is None:
            panel, enabled = self.focused_panel(), self._document.state.enabled
            view = panel_view(self._document.state, panel) if panel is not None else next(iter(enabled), None)
            row = rows.get(view or "")
        if row is not None:
            row.unfold.toggle()

    def make_sonograms(self, preset: str) -> None:
        """Turn every view of waveforms into one of sonograms, in the background."""
        data = self._document.data
        rate, ok = QInputDialog.getDouble(
            self._window, "Waveforms to sonograms", "Samples per second:", 40.0, 1e-6, 1e9, 3
        )
        if data is None or not ok:
            return

        def arrived(outcome: Outcome) -> None:
            if outcome.error is not None:
                self._window.show_error(outcome.error)
            elif self._document.data is data:
                self.attempt(lambda: commands.use_sonograms(self._document, outcome.value, rate, preset))

        self._controller.background.submit("sonograms", SonogramJob(data, rate, preset), arrived, title="Sonograms")

    def toggle_tool(self) -> None:
        """Left drag selects, or navigates."""
        self._grid.navigating = not self._grid.navigating
        self._grid.show_state(self._document.state)

    def add_panel(self, method: str) -> None:
        """Add a panel and focus it."""

        def edit() -> None:
            self._grid.focus(commands.add_panel(self._document, method))

        self.attempt(edit)

    def nudge_epsilon(self, steps: float) -> None:
        """Alt+arrows: ε of the view whose slider has the focus, else of all linked views."""
        factor = 1.05**steps
        focused = next((name for name, row in self._side.rows.items() if row.slider.hasFocus()), None)
        present = self._controller.epsilon(focused) if focused is not None else None
        if focused is not None and present is not None:
            self.attempt(lambda: commands.set_epsilon(self._document, focused, present * factor, interactive=True))
            return
        scale = self._document.state.epsilon_scale * factor
        self.attempt(lambda: commands.set_scale(self._document, scale, interactive=True))

    def nudge_eta(self, step: float) -> None:
        """Alt+up and down, [ and ]: η by a step."""
        present = self._document.state.params.get("eta") or 0.0
        value = min(1.0, max(0.0, round(float(present) + step, 4)))
        self.attempt(lambda: commands.set_param(self._document, "eta", value, interactive=True))

    def escape(self) -> None:
        """Undo the innermost thing: a drag, a maximised panel or the presentation, then the selection."""
        if any(panel.abandon_gesture() for panel in self._grid.panels.values()):
            return
        if self._window.strip.isVisible():
            self.present(False)
        elif self._grid.maximised:
            self._grid.toggle_maximised(self._grid.maximised)
        elif self._document.state.selection:
            commands.select(self._document, ())

    def present(self, on: bool | None = None) -> None:
        """Panels and one slim strip, full screen; or back."""
        on = not self._window.strip.isVisible() if on is None else on
        self._window.strip.setVisible(on)
        self._window.menuBar().setVisible(not on)
        self._window.show_docks()
        self._window.strip.show_state(self._document.state)
        if on:
            self._before = self._window.windowState()
            self._window.showFullScreen()
        else:
            self._window.setWindowState(self._before)

    def find_anything(self) -> None:
        """Open the command palette."""
        entries = [
            Entry(a.text.replace("…", "").strip(), a.keys.split("|")[0], a.do)
            for a in self._window.actions_table.table
            if a.do is not None and self._window.actions_table.actions[a.text].isEnabled()
        ]
        entries += [Entry(f"Add panel: {m.title}", "", lambda i=m.id: self.add_panel(i)) for m in methods()]
        entries += [
            Entry(f"Open sample: {s.title} ({s.id})", "", lambda i=s.id: self._window.opening.open_source((i,)))
            for s in samples()
        ]
        side = self._side
        entries += [
            Entry(f"Set {row.param.label}", "", lambda n=n: side.begin_param(n)) for n, row in side.params.items()
        ]
        entries += [Entry(f"Set bandwidth ε of {n}", "", lambda n=n: side.begin_epsilon(n)) for n in side.rows]
        palette = CommandPalette(entries, self._find_in_data, self._window)
        palette.move(self._window.mapToGlobal(self._window.rect().center()) - palette.rect().center())
        palette.show()
        palette.search.setFocus()

    def _find_in_data(self, text: str) -> list[Entry]:
        """Points by their id, and features by view and number ("fou 12") or by name."""
        data = self._document.data
        if data is None:
            return []
        features = [
            Entry(f"Colour by {title}", "", lambda source=source: commands.colour_by(self._document, source))
            for source, title in find_features(data, text, FOUND_FEATURES).items()
        ]
        return [*features, *self._find_points(data, text)]

    def _find_points(self, data: MultiView, text: str) -> list[Entry]:
        found = [i for i, id in enumerate(data.sample_ids) if id.casefold() == text.casefold()]
        found += [i for i, id in enumerate(data.sample_ids) if text.casefold() in id.casefold() and i not in found]
        return [Entry(f"Point {data.sample_ids[i]}", "", lambda i=i: self._go_to_point(i)) for i in found[:10]]

    def _go_to_point(self, index: int) -> None:
        commands.select(self._document, (index,))
        self._window.hover.keep(index)

    def select_all(self) -> None:
        """Select every sample."""
        if self._document.data is not None:
            commands.select(self._document, range(self._document.data.n_samples))

    def duplicate(self, id: str) -> None:
        """Put a copy of a panel beside it."""
        self.attempt(lambda: commands.duplicate_panel(self._document, id))

    def set_dims(self, id: str, dims: int) -> None:
        """Show a panel in two or three dimensions."""
        commands.change_panel(self._document, id, f"Show in {dims}-D", dims=dims)

    def set_all_dims(self, dims: int) -> None:
        """Show every panel in two or three dimensions, as one edit."""
        commands.change_all_panels(self._document, f"Show all in {dims}-D", dims=dims)

    def focus_panel(self, position: int) -> None:
        """Give the keys to the panel at a position."""
        panels = self._panels_on_show()
        if position < len(panels):
            self._grid.panels[panels[position].id].setFocus()
            self._grid.focus(panels[position].id)

    def cancel_all(self) -> None:
        """Stop everything that is being computed."""
        for task in self._controller.tasks():
            self._controller.cancel(task.slot)

    def toggle_rectangle(self) -> None:
        """Select by rectangle, or by lasso."""
        self._grid.rectangular = not self._grid.rectangular
        self._grid.show_state(self._document.state)

    def scale_points(self, factor: float) -> None:
        """Enlarge or shrink the points."""
        size = min(20.0, max(1.0, self._document.state.point_size * factor))
        commands.style_points(self._document, point_size=size)

    def toggle_side(self) -> None:
        """Show or hide the left side."""
        self._window.show_side = not self._window.show_side
        self._window.show_docks()

    def toggle_points(self) -> None:
        """Show or hide the right side."""
        self._window.show_points = not self._window.show_points
        self._window.show_docks()

    def export_picture(self) -> None:
        """Save the panels as a picture, with their parameters underneath."""
        from mvexplorer.ui.export.render import export_panels

        export_panels(self._window)

    def show_help(self, page: str) -> None:
        """A help page."""
        from mvexplorer.ui.window.help_page import show_page

        show_page(self._window, page)


def _number_or_text(value: Any) -> Any:
    try:
        return float(value)
    except (TypeError, ValueError):
        return value
