"""Where the steps lead: a page below the panels, the import page, or a command that is there by other ways as well."""

from __future__ import annotations

from mvexplorer.state.bench.next_steps import NextSteps, WorkStep
from mvexplorer.ui.window.behaviour import WindowBehaviour


def lead(behaviour: WindowBehaviour, steps: NextSteps, step: WorkStep) -> None:
    """Go where a step leads; tell how it stands where there is nothing to be done."""
    editor, docks, to = behaviour.editor, behaviour.docks, step.leads
    if to == "import":
        behaviour.library.imports.begin_again()
    elif to == "scale":
        steps.scale_views()
    elif to in ("tune", "validate"):
        editor.page_wanted.emit(to)
    elif to == "name":
        docks.unfold_points()
        if behaviour.document.state.selection:
            docks.points.selections.keep_and_name()
        else:
            editor.noted.emit("Drag round the points of your finding in any panel; then give them a name.")
    elif to == "export":
        editor.export_wanted.emit("picture")
    else:
        editor.noted.emit(step.sentence)
