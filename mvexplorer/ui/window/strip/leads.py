"""Where the steps lead: a page below the panels, the import page, or a command that is there by other ways as well."""

from __future__ import annotations

from mvexplorer.state.bench.next_steps import NextSteps
from mvexplorer.ui.window.behaviour import WindowBehaviour


def lead(behaviour: WindowBehaviour, steps: NextSteps, to: str) -> None:
    """Go where a step leads."""
    editor, docks = behaviour.editor, behaviour.docks
    if to == "import":
        behaviour.library.imports.begin_again()
    elif to == "scale":
        steps.scale_views()
    elif to in ("tune", "validate"):
        editor.page_wanted.emit(to)
    elif to == "name":
        docks.unfold_points()
        docks.points.selections.keep_and_name()
    elif to == "export":
        editor.export_wanted.emit("picture")
