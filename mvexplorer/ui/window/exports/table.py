"""The kinds of files that a session can be written to, in the menu's order."""

from __future__ import annotations

from mvexplorer.ui.window.exports.exporter import Exporter
from mvexplorer.ui.window.exports.figure_export import FIGURE
from mvexplorer.ui.window.exports.numbers_export import NUMBERS
from mvexplorer.ui.window.exports.picture_export import PICTURE
from mvexplorer.ui.window.exports.script_export import NOTEBOOK, SCRIPT
from mvexplorer.ui.window.exports.selection_export import SELECTION
from mvexplorer.ui.window.exports.snapshot_export import CONTACT_SHEET, FIGURES
from mvexplorer.ui.window.exports.web_export import WEB_PAGE

EXPORTS: tuple[Exporter, ...] = (PICTURE, NUMBERS, SELECTION, FIGURE, WEB_PAGE, SCRIPT, NOTEBOOK)
OF_SNAPSHOTS: tuple[Exporter, ...] = (CONTACT_SHEET, FIGURES)
"""Those of all snapshots, which stand in the snapshots' pane and in the palette, not in the menu."""


def find_export(name: str) -> Exporter:
    """The row of that name."""
    return next(each for each in (*EXPORTS, *OF_SNAPSHOTS) if each.name == name)
