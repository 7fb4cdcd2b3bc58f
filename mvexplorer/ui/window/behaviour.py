"""The window's menu and key actions: focus, folding, presentation, palette and modeless dialogs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QApplication, QMainWindow

from mvexplorer.datasets.catalogue import samples
from mvexplorer.engine.methods import methods
from mvexplorer.state.bench.importing import Importing
from mvexplorer.state.bench.library import Library
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.ingredients.shown import NAMES as INGREDIENTS
from mvexplorer.state.document.ingredients.shown import choices_of
from mvexplorer.state.document.model import PanelState, panel_view
from mvexplorer.state.document.notes.targets import absence
from mvexplorer.state.document.selection import find_samples
from mvexplorer.state.document.titles import offered_panels
from mvexplorer.state.pictures.colouring import find_features
from mvexplorer.state.session.settings import FORMER_ACTIONS
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets import dialogs
from mvexplorer.ui.widgets.action_table import ActionTable
from mvexplorer.ui.widgets.banner import Banners
from mvexplorer.ui.widgets.command_palette import CommandPalette
from mvexplorer.ui.widgets.plain_text import line
from mvexplorer.ui.widgets.searched_list import PaletteEntry
from mvexplorer.ui.window.actions.shortcuts import ShortcutsDialog
from mvexplorer.ui.window.exports.scene import Scene
from mvexplorer.ui.window.help_page import show_page
from mvexplorer.ui.window.hover import Hover
from mvexplorer.ui.window.layout import WindowLayout
from mvexplorer.ui.window.samples import SamplesOnShow
from mvexplorer.ui.window.styling import PointStyling
from mvexplorer.ui.window.talk.play_bar import PlayBar
from mvexplorer.ui.window.talk.presentation import talk_scale
from mvexplorer.ui.window.talk.sleepwalk import Sleepwalk
from mvexplorer.ui.window.talk.talk_keys import TalkKeys
from mvexplorer.ui.window.teaching.on_show import LessonsOnShow
from mvexplorer.ui.window.two.on_show import TwoSnapshots


class WindowBehaviour:
    """The window's actions beyond editing its document."""

    actions: ActionTable
    """The window's actions, which the palette offers; set when the menus are built."""
    restyle: Callable[[], None]
    """Draws the window anew in the present theme and size of type."""

    def __init__(
        self,
        window: QMainWindow,
        workbench: Workbench,
        library: Library,
        docks: WindowLayout,
        banners: Banners,
        styling: PointStyling,
        hover: Hover,
        lessons: LessonsOnShow,
        samples: SamplesOnShow,
    ) -> None:
        self.window, self.workbench, self.library = window, workbench, library
        self.docks, self._styling, self._hover, self.lessons = docks, styling, hover, lessons
        self.samples = samples
        lessons.help_wanted.connect(lambda: self.show_help("lessons"))
        self.document, self.editor = workbench.document, workbench.editor
        self._grid, self._side, self._strip = docks.grid, docks.side, docks.strip
        self._before = window.windowState()
        self.scene = Scene(
            window, workbench, library, docks.grid, styling, banners, self.focused_panel, lambda: docks.bottom.current
        )
        self.sleepwalk = Sleepwalk(workbench, docks.grid)
        self.sleepwalk.listen(window)
        self.two = TwoSnapshots(workbench, library, docks.grid, docks.messages)
        self.talk_keys = TalkKeys(window, workbench.walk, self.two)
        self.play_bar = PlayBar(workbench)
        docks.above.addWidget(self.play_bar)
        self._talk = 1.0
        """Factor on the type of this presentation."""
        self.found_before: list[str] = []
        """The entries chosen in the palette, the latest first."""

    def has_data(self) -> bool:
        """True if there is anything to save, select or export."""
        return self.document.data is not None and not self._covered

    @property
    def _covered(self) -> bool:
        """True if a page has the whole window."""
        return self.library.imports.present is not None or self.docks.covered

    def may_save(self) -> bool:
        """True if what is on show is the user's own: a lesson has a document that goes with it."""
        return self.has_data() and not self.lessons.running

    def has_panels(self) -> bool:
        """True if there is anything computed to save."""
        return self.has_data() and bool(self.document.state.panels)

    def has_panel(self) -> bool:
        """True if keys go to a panel."""
        return self.focused_panel() is not None

    def history(self) -> Document | Importing:
        """The history of undo and redo: the choices of the import page while it is there, else the document."""
        return self.library.imports.present or self.document

    # Focus --------------------------------------------------------------------------------------------------

    def focused_panel(self) -> PanelState | None:
        """The panel keys go to."""
        if self._covered or self.docks.table_shown or self.document.state.multiples.shown:
            return None
        return next((p for p in self._panels_on_show() if p.id == self.editor.focused), None)

    def _panels_on_show(self) -> list[PanelState]:
        """The document's panels already on screen: new data is shown in several steps."""
        return [p for p in self.document.state.panels if p.id in self._grid.panels]

    def focus_panel(self, position: int) -> None:
        """Focus the panel at a position."""
        panels = self._panels_on_show()
        if position < len(panels):
            self._grid.panels[panels[position].id].setFocus()
            self.editor.focus(panels[position].id)

    def add_panel(self, method: str, view: str | None = None) -> None:
        """Add a panel and focus it."""
        id = self.editor.add_panel(method, view)
        if id is not None:
            self.editor.focus(id)

    def add_note(self) -> None:
        """Have a note written on the focused panel, about what is selected or the kept sample."""
        panel = self.focused_panel()
        if panel is not None:
            self.editor.attempt(self._grid.panels[panel.id].notes.begin)

    def take_note(self, number: int) -> None:
        """Let keys go to a note; one that is not drawn says why."""
        state, data = self.document.state, self.document.data
        note = state.notes[number]
        missing = "" if data is None else absence(state, note, data.n_samples)
        if missing:
            self.editor.noted.emit(f"This note is not drawn: {missing}. It stays; Ctrl+K deletes it, or undo helps.")
            return
        if self._grid.maximised not in (None, note.panel):
            self._grid.toggle_maximised(note.panel)
        self._grid.panels[note.panel].notes.take(number)

    def _note_entries(self) -> list[PaletteEntry]:
        """The notes by their texts: those that are not drawn say so."""
        state, data, also = self.document.state, self.document.data, "annotation label arrow text edit move remove"
        missing = [absence(state, note, 0 if data is None else data.n_samples) for note in state.notes]
        entries = []
        for number, (note, why) in enumerate(zip(state.notes, missing, strict=True)):
            text = line(note.text, 40) + (f" (not drawn: {why})" if why else "")
            entries += [
                PaletteEntry(f"Note: {text}", "", partial(self.take_note, number), also),
                PaletteEntry(f"Delete note: {text}", "", partial(self.editor.delete_note, number), also),
            ]
        return entries

    def close_panel(self, id: str) -> None:
        """Close a panel; if it had the keys, the panel in its place gets them."""
        panel, widget = self._grid.panels[id], QApplication.focusWidget()
        had_keys = widget is not None and panel.isAncestorOf(widget)
        self.editor.close_panel(id)
        if had_keys and self.editor.focused is not None:
            self._grid.panels[self.editor.focused].setFocus()

    def nudge_epsilon(self, steps: float) -> None:
        """Move the ε of the view whose slider has the focus, else of all linked views, in steps of 5 %."""
        focused = next((name for name, row in self._side.rows.items() if row.slider.hasFocus()), None)
        self.editor.nudge_epsilon(focused, steps)

    def unfold_slider(self) -> None:
        """Unfold the focused slider, else that of the focused panel's first view; or fold it again."""
        rows, state = self._side.rows.items(), self.document.state
        view = next((name for name, r in rows if r.slider.hasFocus() or r.field.hasFocus()), None)
        if view is None:
            panel = self.focused_panel()
            view = panel_view(state, panel) if panel is not None else next(iter(state.enabled), None)
        row = self._side.views.look_at(view or "")
        if row is not None:
            row.unfold.toggle()

    def toggle_link(self, dims: int) -> None:
        """Link the cameras of all panels of `dims` dimensions, or unlink them."""
        settings = self.workbench.settings
        if dims == 2:
            self.workbench.change_settings(link_zoom=not settings.link_zoom)
        else:
            self.workbench.change_settings(link_cameras=not settings.link_cameras)

    def prepare(self, prepares: bool) -> None:
        """Prepare drags while the hand rests, from now on, or do not."""
        self.workbench.change_settings(prepare=prepares)
        self.workbench.anchors.rest()

    # What is on screen --------------------------------------------------------------------------------------

    def escape(self) -> None:
        """Undo the innermost thing: what lies over all, a drag, a maximised panel, the presentation, what is picked."""
        if self.docks.bottom.status.shut() or self._leave_page() or self.two.leave() or self.lessons.give_back_keys():
            return
        if any(panel.abandon_gesture() for panel in self._grid.panels.values()):
            return
        if self.play_bar.isVisible():
            self.play_bar.give_up()
            return
        small = self.docks.multiples
        if small is not None and small.isVisible() and not self._strip.isVisible():
            if not small.board.abandon_gesture():
                small.leave()
            return
        if self.sleepwalk.on:
            self.sleepwalk.stop()
            return
        if self._strip.isVisible():
            self.present(False)
        elif self._grid.maximised:
            self._grid.toggle_maximised(self._grid.maximised)
        elif self.document.state.selection:
            self.editor.select(())
        else:
            self.editor.keep_sample(None)

    def _leave_page(self) -> bool:
        """Close the import page, the gallery or the table of samples, if one is open."""
        if self.library.imports.present is not None:
            self.library.imports.leave()
            return True
        if self.docks.table_shown and not self.docks.covered:
            self.samples.leave()
            return True
        return self.docks.uncover()

    def present(self, on: bool | None = None) -> None:
        """Show only panels and a slim strip, full screen; or go back."""
        on = not self._strip.isVisible() if on is None else on
        self.two.leave()
        self._strip.setVisible(on)
        self.talk_keys.listen(on)
        self.window.menuBar().setVisible(not on)
        self.docks.arrange()
        self._talk = 1.0
        if on:
            self._before = self.window.windowState()
            self.window.showFullScreen()
        else:
            self.window.setWindowState(self._before)
        self.fit_type()

    def fit_type(self) -> None:
        """Size type and points for the window: in a presentation, for the last row of a hall."""
        scale = self.workbench.settings.zoom
        if self._strip.isVisible():
            scale = self._talk * talk_scale(self.window.height())
        if abs(scale - theme.scale()) > 0.01:
            theme.set_type_scale(scale)
            self.restyle()
            self.two.overlay.apply_theme()
        if self._strip.isVisible():
            self._strip.show_state(self.document.state)
            self._strip.show_colouring(self._styling.colouring)

    def zoom(self, factor: float | None) -> None:
        """Make type and points larger or smaller; None: as usual. While presenting, for this presentation only."""
        if self._strip.isVisible():
            self._talk = 1.0 if factor is None else min(max(self._talk * factor, 0.5), 2.5)
        else:
            present = self.workbench.settings.zoom
            self.workbench.change_settings(zoom=1.0 if factor is None else min(max(present * factor, 0.8), 1.5))
        self.fit_type()

    def cancel_all(self) -> None:
        """Stop everything that is being computed."""
        controller = self.workbench.controller
        for task in controller.tasks():
            controller.cancel(task.slot)

    # The palette --------------------------------------------------------------------------------------------

    def find_anything(self) -> None:
        """Open the command palette."""
        from mvexplorer.teaching.catalogue import all_lessons  # the first window does not wait for it

        former = {present: name for name, present in FORMER_ACTIONS.items()}
        entries = [
            PaletteEntry(
                a.text.replace("…", "").strip(),
                self.actions.keys_of(a.text).split("|")[0],
                a.do,
                f"{a.words} {former.get(a.text, '')}",
            )
            for a in self.actions.table
            if a.do is not None and self.actions.actions[a.text].isEnabled()
        ]
        also = "method compare algorithm"
        entries += [
            PaletteEntry(f"Add panel: {title}", "", partial(self.add_panel, method.id, view), also)
            for method in methods()
            for title, view in offered_panels(method, self.document.data)
        ]
        open_source = self.library.open_source
        entries += [
            PaletteEntry(f"Open sample: {s.title} ({s.id})", "", partial(open_source, (s.id,))) for s in samples()
        ]
        side = self._side
        entries += [
            PaletteEntry(f"Set {r.param.label}", "", partial(side.begin_param, n))
            for n, r in side.params.items()
            if r.isEnabled()
        ]
        also = "ingredients metric kernel self-loops steps that stay lazy unit rows normalise paper default"
        entries += [
            PaletteEntry(choice.label, "", partial(side.ingredients.choose, choice), also)
            for name in INGREDIENTS
            for choice in (choices_of(name, self.document.data.n_samples) if self.document.data is not None else ())
        ]
        walk, also = self.workbench.walk, "snapshot state return back"
        entries += [PaletteEntry(f"Go to snapshot: {name}", "", partial(walk.go, name), also) for name in walk.names]
        entries += self._note_entries()
        also, begin = "learn teach course tutorial exercise", self.lessons.begin
        entries += [PaletteEntry(f"Lesson: {each.title}", "", partial(begin, each.id), also) for each in all_lessons()]
        names = [view.name for view in self.document.state.views]
        entries += [PaletteEntry(f"Set bandwidth ε of {n}", "", partial(side.begin_epsilon, n), "sigma") for n in names]
        palette = CommandPalette(entries, self._find_in_data, self.window, self.found_before)
        palette.move(self.window.mapToGlobal(self.window.rect().center()) - palette.rect().center())
        palette.show()
        palette.search.setFocus()

    def _find_in_data(self, text: str) -> list[PaletteEntry]:
        """Points by their id, and features by view and number ("fou 12") or by name."""
        data = self.document.data
        if data is None:
            return []
        most_features, most_samples = 20, 10
        features = find_features(data, text, most_features).items()
        entries = [
            PaletteEntry(f"Colour by {title}", "", partial(self.editor.colour_by, source)) for source, title in features
        ]
        indices = find_samples(data.sample_ids, text, most_samples)
        return entries + [
            PaletteEntry(f"Point {data.sample_ids[i]}", "", partial(self._go_to_point, i)) for i in indices
        ]

    def _go_to_point(self, index: int) -> None:
        data = self.document.data
        self.editor.select((index,), origin="" if data is None else f"sample {data.sample_ids[index]}")
        self._hover.pin(index)

    def show_sample(self, index: int) -> None:
        """Ring a sample in every panel, and keep its card."""
        self._grid.mark(index)
        self._hover.pin(index)

    # Dialogs ------------------------------------------------------------------------------------------------

    def set_memory_limit(self) -> None:
        """Ask how much memory computations may take."""
        text = "The most megabytes for the matrices of a computation and for results kept for the next one."
        present = self.workbench.settings.memory_mebibytes
        value = dialogs.enter_number(self.window, "Memory limit", text, present, "Set limit", (64, 1 << 20))
        if value is not None:
            self.workbench.change_settings(memory_mebibytes=int(value))

    def make_sonograms(self, preset: str) -> None:
        """Turn every view of waveforms into one of sonograms, in the background."""
        title, text = "Waveforms to sonograms", "Samples per second of the recordings."
        rate = dialogs.enter_number(self.window, title, text, 40.0, "Make sonograms", (1e-6, 1e9))
        if rate is not None:
            self.editor.make_sonograms(rate, preset)

    def edit_shortcuts(self) -> None:
        """Show the keys of all actions, to be changed."""
        ShortcutsDialog(self.actions, self.workbench, self.window).open()

    def show_help(self, page: str) -> None:
        """Open a help page."""
        show_page(self.window, page, self.lessons.begin)
