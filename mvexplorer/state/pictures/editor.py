"""The commands bound to one document: what widgets, keys and menus call.

An invalid edit leaves the document as it was; a signal carries the error to show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from psygnal import Signal

from mvexplorer.compute.batch.axes import Axis
from mvexplorer.compute.jobs.jobs import SonogramJob
from mvexplorer.compute.run.scheduler import Outcome
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.document import commands, point_commands, selection_commands, snapshot_commands, view_weights
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.experiment_commands import turn
from mvexplorer.state.document.ingredients import recipe_commands
from mvexplorer.state.document.ingredients.edits import as_in_the_paper, choose_ingredient
from mvexplorer.state.document.model import DocumentState, PanelState, panel_kernel, panel_params
from mvexplorer.state.document.multiples import INGREDIENTS
from mvexplorer.state.document.multiples_commands import adopt_ingredients, change_multiples, share_ingredients
from mvexplorer.state.document.notes import note_commands
from mvexplorer.state.document.page_commands import change_comparison, choose_checks, choose_diagnostics
from mvexplorer.state.document.selection import Operation
from mvexplorer.state.document.snapshots import Staging
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.file_job import FileJob
from mvexplorer.state.pictures.rescaling import Rescaling
from mvexplorer.state.pictures.weights_on_show import weights_on_show


class Editor:
    """The commands for one document, one method for each.

    Methods return whether the edit was made. With `interactive` the user is dragging: the steps of one drag are one
    step of undo, and pictures may be drafts until the next edit without it.
    """

    failed = Signal(MVExplorerError)
    """An edit was invalid."""
    done = Signal()
    """An edit was made: a message about an earlier one is out of date."""
    saved = Signal(Path)
    """A picture or table was written to this file."""
    export_wanted = Signal(str)
    """The focused panel's picture or numbers are to be exported."""
    several_saved = Signal(Path, int)
    """Several files were written, and how many; the path says what their names begin with."""
    rescaled = Signal(str)
    """Every ε was multiplied for the sake of a panel: what came of it, in a sentence."""
    kept = Signal(tuple)
    """Selections were saved under these names."""
    noted = Signal(str)
    """An edit left something as it was: what, and why, in a sentence or two."""
    drag_ended = Signal()
    """The drag ended: drafts are to be replaced by exact results."""

    page_wanted = Signal(str)
    """A page below the panels is to be shown: its id."""
    sweep_wanted = Signal(str)
    """The panels are to be swept over a factor on all ε: the id of the score that is shown."""

    focus_changed = Signal(object)
    """Keys go to another panel: its id, or None."""

    def __init__(self, document: Document, controller: Controller) -> None:
        self._document = document
        self._controller = controller
        self._rescaling = Rescaling(document, controller, self.rescaled.emit)

    @property
    def state(self) -> DocumentState:
        """The document's state as it is now."""
        return self._document.state

    @property
    def focused(self) -> str | None:
        """The panel that keys go to."""
        return self._controller.focused

    def attempt(self, edit: Callable[[], object]) -> bool:
        """Do an edit, and announce whether it could be done."""
        try:
            edit()
        except MVExplorerError as error:
            self.failed.emit(error)
            return False
        self.done.emit()
        return True

    def end_drag(self) -> None:
        """The drag of a slider or line ended: the next edit is a separate step of undo."""
        self._document.end_merge()
        self._controller.end_drag()
        self.drag_ended.emit()

    # Views and bandwidths -------------------------------------------------------------------------------------

    def enable_view(self, view: str, enabled: bool) -> bool:
        """Use a view, or leave it out."""
        return self.attempt(lambda: commands.tick_view(self._document, view, enabled))

    def enable_all_views(self) -> bool:
        """Use every view."""
        return self.attempt(lambda: commands.tick_all_views(self._document))

    def set_preprocess(self, view: str, how: str) -> bool:
        """Centre, z-score or leave a view."""
        return self.attempt(lambda: commands.set_preprocess(self._document, view, how))

    def keep_scales(self, views: Sequence[str]) -> bool:
        """Say that the scales of the columns of some views are meant as they are."""
        return self.attempt(lambda: commands.keep_scales(self._document, views))

    def set_kernel(self, view: str, kernel: str) -> bool:
        """Give a view another kernel."""
        return self.attempt(lambda: commands.set_kernel(self._document, view, kernel))

    def set_epsilon(self, view: str, epsilon: float | str, *, interactive: bool = False) -> bool:
        """Give one view's shared ε as a number, as text of one, or as a rule."""
        value = _number_or_text(epsilon)
        return self.attempt(lambda: commands.set_epsilon(self._document, view, value, interactive=interactive))

    def set_epsilons(self, epsilon: Mapping[str, float], *, interactive: bool = False) -> bool:
        """Give several views their shared ε as numbers, as one step."""
        return self.attempt(lambda: commands.set_epsilons(self._document, epsilon, interactive=interactive))

    def set_rule(self, view: str, rule: str) -> bool:
        """Bring the ε that a view is computed with to the rule's value, wherever the master slider stands."""
        factor = self._document.state.factor(view)
        return self.set_epsilon(view, rule if factor == 1.0 else f"{1.0 / factor:.4g}*{rule}")

    def set_linked(self, view: str, linked: bool) -> bool:
        """Let the master slider multiply this view's ε, or not."""
        return self.attempt(lambda: commands.set_linked(self._document, view, linked))

    def weigh_views(self, weighing: bool) -> bool:
        """Offer the weights of the views, or make all of them 1 and take them away."""
        return self.attempt(lambda: view_weights.weigh_views(self._document, weighing))

    def set_view_weight(self, view: str, weight: float, *, interactive: bool = False) -> bool:
        """Change how much one view counts beside the others, which keep the weights they have."""
        state = self._document.state
        weights = weights_on_show(state, self._controller.results).weights if state.equal_volume else {}
        return self.attempt(
            lambda: view_weights.set_view_weight(
                self._document, view, weight, interactive=interactive, in_effect=weights
            )
        )

    def weigh_by_volume(self, on: bool) -> bool:
        """Weigh the views by equal volume in every method that can, or all alike again."""
        return self.attempt(lambda: view_weights.weigh_by_volume(self._document, on))

    def choose_ingredient(self, name: str, value: object, panel: str | None = None) -> bool:
        """Give an ingredient a value in all panels, or pin it to one; tell which views cannot take it."""
        notes: list[str] = []
        done = self.attempt(lambda: notes.append(choose_ingredient(self._document, name, value, panel)))
        for note in filter(None, notes):
            self.noted.emit(note)
        return done

    def take_papers_ingredients(self, panel: str | None = None) -> bool:
        """Give all panels, or one, the metric, kernels, loops and rows of the papers."""
        return self.attempt(lambda: as_in_the_paper(self._document, panel))

    def rescale(self, panel: str, factor: float) -> bool:
        """Multiply every linked view's ε, and tell how trustworthy a panel's picture was before, and is then."""
        return self.attempt(lambda: self._rescaling.multiply(panel, factor))

    def can_rescale(self, panel: str, factor: float) -> bool:
        """Whether a factor on every ε gives a panel another picture."""
        return self._rescaling.helps(panel, factor)

    def type_scale(self, scale: float) -> bool:
        """Multiply every linked view's ε by a number that was typed: it is taken as it is, or refused."""
        return self.attempt(lambda: commands.set_scale(self._document, scale, typed=True))

    def set_scale(self, scale: float, *, interactive: bool = False) -> bool:
        """Multiply every linked view's ε."""
        return self.attempt(lambda: commands.set_scale(self._document, scale, interactive=interactive))

    def set_own_scales(self, scales: Mapping[str, float]) -> bool:
        """Give panels, by id, their own factors on every ε."""
        return self.attempt(lambda: commands.set_own_scales(self._document, scales))

    def set_param(self, name: str, value: object, *, interactive: bool = False) -> bool:
        """Change one shared parameter."""
        return self.attempt(lambda: commands.set_param(self._document, name, value, interactive=interactive))

    def nudge_epsilon(self, view: str | None, steps: float) -> bool:
        """Move the ε of a view, or (None) of all linked views, by steps of 5 %."""
        factor = 1.05**steps
        present = None if view is None else self._controller.epsilon(view)
        if view is not None and present is not None:
            return self.set_epsilon(view, present * factor, interactive=True)
        return self.set_scale(self.state.epsilon_scale * factor, interactive=True)

    def nudge_eta(self, step: float) -> bool:
        """Move the shared η by a step, within 0 and 1."""
        present = float(self.state.params.get("eta") or 0.0)
        return self.set_param("eta", min(1.0, max(0.0, round(present + step, 4))), interactive=True)

    def apply_weights(self, view: str, weights: Sequence[float] | None, epsilon: float | None = None) -> bool:
        """Multiply a view's features by weights (D,) and give it the ε that belongs to them; None takes them away."""
        return self.attempt(lambda: commands.apply_weights(self._document, view, weights, epsilon))

    def compute_by(self, kernel: str | None, subsample: int | None) -> bool:
        """Give all views in use this kernel, and solve on a random part of the samples or (None) on all of them."""
        return self.attempt(lambda: commands.compute_by(self._document, kernel, subsample))

    def apply_recipe(self, recipe: str, panel: str | None = None) -> bool:
        """Give all panels, or one of them, the values of a recipe, and tell what stays as it is."""
        said: list[str] = []
        done = self.attempt(lambda: said.append(recipe_commands.apply_recipe(self._document, recipe, panel)))
        if any(said):
            self.noted.emit(said[0])
        return done

    def use_as_label(self, column: str) -> bool:
        """Make a column the label."""
        return self.attempt(lambda: commands.use_as_label(self._document, column))

    def make_sonograms(self, rate: float, preset: str) -> None:
        """Turn every view of waveforms, of `rate` samples per second, into one of sonograms, in the background."""
        data = self._document.data
        if data is None:
            return

        def arrived(outcome: Outcome) -> None:
            if outcome.error is not None:
                self.failed.emit(outcome.error)
            elif self._document.data is data:
                self.attempt(lambda: commands.use_sonograms(self._document, outcome.value, rate, preset))

        self._controller.background.submit("sonograms", SonogramJob(data, rate, preset), arrived, title="Sonograms")

    # Files ----------------------------------------------------------------------------------------------------

    def write(self, job: FileJob, then: Callable[[], None] = lambda: None, *, here: bool = False) -> None:
        """Have a job write its files on a thread of its own that no edit and no other data stops, or `here` at once.

        Where they are is told, and then `then` is called. An error is told in its place; one of a file that is written
        here is raised.
        """
        path = job.path

        def tell(written: Any) -> None:
            paths = written if isinstance(written, list | tuple) else [written]
            if len(paths) > 1 and path not in paths:
                self.several_saved.emit(path, len(paths))
            else:
                self.saved.emit(paths[0] if len(paths) == 1 else path)
            then()

        def written(outcome: Outcome) -> None:
            if outcome.error is not None:
                self.failed.emit(outcome.error)
            else:
                tell(outcome.value)

        if here:
            tell(job.run(self._controller.cache, Task()))
        else:
            self._controller.writing.submit(f"write {path}", job, written, title=f"Writing {path.name}")

    # Panels ---------------------------------------------------------------------------------------------------

    def add_panel(self, method: str, view: str | None = None) -> str | None:
        """Put a new panel at the end; return its id, or None where there is no room."""
        ids: list[str] = []
        self.attempt(lambda: ids.append(commands.add_panel(self._document, method, view)))
        return ids[0] if ids else None

    def show_at(self, panel: PanelState, axis: Axis, value: float | None) -> bool:
        """Go to a value of an axis (None: stay), and focus a panel like this one, added if none is on show."""
        return self._focus_what(lambda: commands.show_at(self._document, panel, axis, value))

    def _focus_what(self, edit: Callable[[], str]) -> bool:
        """Do an edit of a panel, and focus that panel."""
        ids: list[str] = []
        done = self.attempt(lambda: ids.append(edit()))
        if done:
            self.focus(ids[0])
        return done

    def focus(self, panel: str | None) -> None:
        """Make a panel the one that keys go to. This is no edit."""
        if panel != self.focused:
            self._controller.focused = panel
            self.focus_changed.emit(panel)

    def show_usual_panels(self) -> bool:
        """Show the panels that fresh data opens with."""
        return self.attempt(lambda: commands.show_usual_panels(self._document))

    def duplicate_panel(self, id: str) -> bool:
        """Put a copy of a panel, its pins included, beside it, and focus the copy: it is what one works on next."""
        return self._focus_what(lambda: commands.duplicate_panel(self._document, id))

    def show_without(self, id: str, view: str) -> bool:
        """Put a panel without one of its views beside it."""
        return self.attempt(lambda: commands.show_without(self._document, id, view))

    def close_panel(self, id: str) -> bool:
        """Remove a panel."""
        return self.attempt(lambda: commands.close_panel(self._document, id))

    def swap_panels(self, first: str, second: str) -> bool:
        """Exchange the places of two panels."""
        return self.attempt(lambda: commands.swap_panels(self._document, first, second))

    def bring_in(self, id: str) -> bool:
        """Show a panel of the rest in the place of the focused one, and focus it."""
        shown = [panel.id for panel in self.state.shown]
        done = self.swap_panels(id, self.focused if self.focused in shown else shown[-1])
        self.focus(id)
        return done

    def set_method(self, id: str, method: str, view: str | None = None) -> bool:
        """Change what a panel shows."""
        return self.attempt(lambda: commands.set_method(self._document, id, method, view))

    def change_panel(self, id: str, label: str, **changes: Any) -> bool:
        """Change a panel's view, pair, dimension or axes; `label` is the name of the edit in the menu."""
        return self.attempt(lambda: commands.change_panel(self._document, id, label, **changes))

    def set_dims(self, id: str, dims: int) -> bool:
        """Show a panel in two or three dimensions."""
        return self.change_panel(id, f"Show in {dims}-D", dims=dims)

    def draw_axes(self, id: str, axes: tuple[int, int, int]) -> bool:
        """Draw other coordinates, from the first one on that shows more than a few samples."""
        return self.change_panel(id, "Draw the next axes", axes=axes)

    def trim(self, id: str, trim: bool) -> bool:
        """Draw a panel from the 1st to the 99th percentile of each axis, or whole."""
        return self.change_panel(id, "Trim to 1–99 %" if trim else "Draw all of it", trim=trim)

    def use_rule(self, id: str, views: Sequence[str], rule: str) -> bool:
        """Give the views of a panel their ε by a rule."""
        return self.attempt(lambda: commands.use_rule(self._document, id, views, rule))

    def show_views(self, views: Sequence[str], epsilon: float | str) -> bool:
        """Use these views and no others, all at one ε."""
        return self.attempt(lambda: commands.show_views(self._document, views, epsilon))

    def set_all_dims(self, dims: int) -> bool:
        """Show every panel in two or three dimensions, as one edit."""
        label = f"Show all in {dims}-D"
        return self.attempt(lambda: commands.change_all_panels(self._document, label, dims=dims))

    def pin(self, id: str, name: str) -> bool:
        """Fix a parameter of a panel (or ``epsilon:VIEW``, ``kernel:VIEW``) at its present value."""
        view = name.partition(":")[2]
        if self.state.find_panel(id) is None or (view and self.state.find_view(view) is None):
            return False
        return self.attempt(lambda: commands.pin(self._document, id, name, self._present_value(id, name)))

    def _present_value(self, id: str, name: str) -> Any:
        state = self.state
        panel = state.panel(id)
        what, _, view = name.partition(":")
        if what == "epsilon":
            number = self._controller.effective_epsilon(view)
            return number if number is not None else state.view(view).epsilon
        if what == "kernel":
            return panel_kernel(state, panel, view).text
        if what == view_weights.VIEW_WEIGHTS.name:
            return view_weights.weights_to_pin(state, get_method(panel.method))
        return panel_params(state, panel, get_method(panel.method))[name]

    def set_pin(self, id: str, name: str, value: object, *, interactive: bool = False) -> bool:
        """Fix a parameter of a panel at a value."""
        parsed = _number_or_text(value)
        return self.attempt(lambda: commands.pin(self._document, id, name, parsed, interactive=interactive))

    def set_panel(
        self, id: str, *, method: str | None = None, epsilon_scale: object = None, params: Mapping[str, object]
    ) -> bool:
        """Give a panel a method, a factor on its ε and parameters of its own, as one edit."""
        return self.attempt(lambda: commands.set_panel(self._document, id, method, epsilon_scale, params))

    def unpin(self, id: str, name: str) -> bool:
        """Let a parameter of a panel follow the shared one again."""
        return self.attempt(lambda: commands.unpin(self._document, id, name))

    def choose_checks(self, **changes: Any) -> bool:
        """Change choices of the page *Validate*."""
        return self.attempt(lambda: choose_checks(self._document, **changes))

    def choose_diagnostics(self, **changes: Any) -> bool:
        """Choose what the page “Diagnostics” shows."""
        return self.attempt(lambda: choose_diagnostics(self._document, **changes))

    def turn(self, words: str, epsilon: float | str | None, params: Mapping[str, Any]) -> bool:
        """Turn an experiment's knob; `words` is the name of the edit in the menu."""
        return self.attempt(lambda: turn(self._document, words, epsilon, params))

    def change_multiples(self, label: str, **changes: Any) -> bool:
        """Show other small multiples, or none; `label` is the name of the edit in the menu."""
        return self.attempt(lambda: change_multiples(self._document, label, **changes))

    def show_multiples_of(self, id: str) -> bool:
        """Show a panel at values of two parameters: the factor on all ε, and the first other one that it has."""
        panel = self.state.find_panel(id)
        own = () if panel is None else [p.name for p in get_method(panel.method).params]
        rows = next((name for name in ("eta", "t", "alpha") if name in own), "panels")
        return self.change_multiples("Small multiples of a panel", shown=True, rows=rows, row_values=(), panel=id)

    def show_multiples(self, rows: str, columns: str, values: Sequence[float]) -> bool:
        """Show small multiples of the panels, or of all methods, at these values."""
        label = "Small multiples of a sweep"
        return self.change_multiples(label, shown=True, rows=rows, columns=columns, column_values=values)

    def compare_ingredients(self, id: str) -> bool:
        """Show a panel with each combination of metric, kernel, self-loops and rows."""
        return self.change_multiples("Ingredients side by side", shown=True, rows=INGREDIENTS, panel=id)

    def adopt_ingredients(self, picture: PanelState, label: str, *, everywhere: bool = False) -> bool:
        """Give the ingredients of a small picture to its panel, or to all panels, and focus it."""
        adopt = share_ingredients if everywhere else adopt_ingredients
        return self._focus_what(lambda: adopt(self._document, picture, label))

    def take_multiple(self, picture: PanelState, label: str) -> bool:
        """Make a small picture a panel, and focus it."""
        return self._focus_what(lambda: commands.take_multiple(self._document, picture, label))

    def examine(self, id: str) -> None:
        """Open the page *Validate* for a panel."""
        self.focus(id)
        self.page_wanted.emit("validate")

    # Points ---------------------------------------------------------------------------------------------------

    def select(self, picked: Iterable[int], operation: Operation = "replace", origin: str = "") -> bool:
        """Select samples, alone or combined with those already selected; `origin` says where they came from."""
        return self.attempt(lambda: commands.select(self._document, picked, operation, origin))

    def select_all(self) -> bool:
        """Select every sample."""
        data = self._document.data
        return data is not None and self.select(range(data.n_samples), origin="all samples")

    def invert_selection(self) -> bool:
        """Select exactly the samples that are not selected."""
        return self.attempt(lambda: commands.invert_selection(self._document))

    def keep_selection(self, name: str = "") -> bool:
        """Give the present selection a name."""
        return self._keep(lambda: selection_commands.keep_selection(self._document, name))

    def keep_groups(self, title: str, groups: Mapping[str, tuple[int, ...]]) -> bool:
        """Keep groups of samples, such as clusters, as named selections."""
        return self._keep(lambda: selection_commands.keep_groups(self._document, title, groups))

    def _keep(self, edit: Callable[[], object]) -> bool:
        """Save selections, and tell which."""
        before = len(self.state.selections.named)
        done = self.attempt(edit)
        if done:
            self.kept.emit(self.state.selections.names[before:])
        return done

    def rename_selection(self, name: str, new: str) -> bool:
        """Give a named selection another name."""
        return self.attempt(lambda: selection_commands.rename_selection(self._document, name, new))

    def recolour_selection(self, name: str, colour: int) -> bool:
        """Give a named selection another colour."""
        return self.attempt(lambda: selection_commands.recolour_selection(self._document, name, colour))

    def move_selection(self, name: str, place: int) -> bool:
        """Put a named selection at a place in their order."""
        return self.attempt(lambda: selection_commands.move_selection(self._document, name, place))

    def delete_selections(self, names: Sequence[str]) -> bool:
        """Forget named selections."""
        return self.attempt(lambda: selection_commands.delete_selections(self._document, names))

    def pick_selection(self, name: str, operation: Operation = "replace") -> bool:
        """Select the samples of a named selection."""
        return self.attempt(lambda: selection_commands.pick_selection(self._document, name, operation))

    def combine_selections(self, names: Sequence[str], how: str) -> bool:
        """Keep the union, intersection, difference or symmetric difference of named selections, and select it."""
        return self.attempt(lambda: selection_commands.combine_selections(self._document, names, how))

    # Snapshots ------------------------------------------------------------------------------------------------

    def keep_snapshot(self, name: str = "", note: str = "", staging: Staging | None = None) -> bool:
        """Give the present state, and its staging, a name."""
        return self.attempt(lambda: snapshot_commands.keep_snapshot(self._document, name, note, staging))

    def rename_snapshot(self, name: str, new: str) -> bool:
        """Give a snapshot another name."""
        return self.attempt(lambda: snapshot_commands.rename_snapshot(self._document, name, new))

    def annotate_snapshot(self, name: str, note: str) -> bool:
        """Write a snapshot's note."""
        return self.attempt(lambda: snapshot_commands.annotate_snapshot(self._document, name, note))

    def retake_snapshot(self, name: str, staging: Staging | None = None) -> bool:
        """Put the present state into a snapshot."""
        return self.attempt(lambda: snapshot_commands.retake_snapshot(self._document, name, staging))

    def move_snapshot(self, name: str, place: int) -> bool:
        """Put a snapshot at a place in their order."""
        return self.attempt(lambda: snapshot_commands.move_snapshot(self._document, name, place))

    def delete_snapshot(self, name: str) -> bool:
        """Forget a snapshot."""
        return self.attempt(lambda: snapshot_commands.delete_snapshot(self._document, name))

    def show_snapshot(self, name: str) -> bool:
        """Return to a snapshot of the present data."""
        return self.attempt(lambda: snapshot_commands.show_snapshot(self._document, name))

    # Notes on pictures ----------------------------------------------------------------------------------------

    def add_note(self, panel: str, text: str, place: tuple[float, float], **target: Any) -> bool:
        """Put a text on a panel's picture, with an arrow to a named `selection` or to `samples`."""
        return self.attempt(lambda: note_commands.add_note(self._document, panel, text, place, **target))

    def change_note(self, number: int, text: str) -> bool:
        """Write another text."""
        return self.attempt(lambda: note_commands.change_note(self._document, number, text))

    def move_note(self, number: int, place: tuple[float, float], *, interactive: bool = False) -> bool:
        """Put a note's text elsewhere beside its target."""
        return self.attempt(lambda: note_commands.move_note(self._document, number, place, interactive=interactive))

    def delete_note(self, number: int) -> bool:
        """Take a note away."""
        return self.attempt(lambda: note_commands.delete_note(self._document, number))

    def name_classes(self, on: bool) -> bool:
        """Write the classes' names at their centres on every picture, or not."""
        return self.attempt(lambda: note_commands.name_classes(self._document, on))

    # Colours and points ---------------------------------------------------------------------------------------

    def colour_by(self, source: str) -> bool:
        """Colour all points by another column, feature or coordinate."""
        return self.attempt(lambda: commands.colour_by(self._document, source))

    def compare(self, first: str, second: str) -> bool:
        """Compare two panels, and show the page “Agreement”."""
        titles = panel_titles(self.state)
        label = f"Compare {titles.get(first, '')} and {titles.get(second, '')}"
        done = self.change_comparison(label, pair=(first, second))
        self.page_wanted.emit("agreement")
        return done

    def change_comparison(self, label: str, **changes: Any) -> bool:
        """Compare other panels, or compare them otherwise; `label` is the name of the edit in the menu."""
        return self.attempt(lambda: change_comparison(self._document, label, **changes))

    def keep_sample(self, sample: int | None) -> bool:
        """Keep a sample for a closer look; None lets it go."""
        return self.attempt(lambda: point_commands.keep_sample(self._document, sample))

    def change_point(self, label: str, **changes: Any) -> bool:
        """Ask something else about the kept sample; `label` is the name of the edit in the menu."""
        return self.attempt(lambda: point_commands.change_point(self._document, label, **changes))

    def ring_neighbours(self, on: bool) -> bool:
        """Ring the samples within σ of the kept one in every panel and draw its links, or not."""
        return self.attempt(lambda: point_commands.ring_neighbours(self._document, on))

    def select_spread(self, samples: Sequence[int], count: int, picture: str) -> bool:
        """Select samples that were spread over a picture from the kept one."""
        return self.attempt(lambda: point_commands.select_spread(self._document, samples, count, picture))

    def show_classes(self, classes: Iterable[str]) -> bool:
        """Show only some classes; none means all."""
        return self.attempt(lambda: commands.isolate(self._document, classes))

    def scale_points(self, factor: float) -> bool:
        """Enlarge or shrink the points."""
        return self.style_points(point_size=min(20.0, max(1.0, self.state.point_size * factor)))

    def style_points(self, **changes: float) -> bool:
        """Change the points' size or opacity."""
        return self.attempt(lambda: commands.style_points(self._document, **changes))


def _number_or_text(value: Any) -> Any:
    try:
        return float(value)
    except (TypeError, ValueError):
        return value
