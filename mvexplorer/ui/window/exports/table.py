"""The kinds of files that a session can be written to, in the menu's order."""

from __future__ import annotations

from mvexplorer.ui.window.exports.exporter import Exporter
from mvexplorer.ui.window.exports.figure_export import FIGURE
from mvexplorer.ui.window.exports.numbers_export import NUMBERS
from mvexplorer.ui.window.exports.picture_export import PICTURE
from mvexplorer.ui.window.exports.script_export import NOTEBOOK, SCRIPT
from mvexplorer.ui.window.exports.selection_export import SELECTION
from mvexplorer.ui.window.exports.web_export import WEB_PAGE

EXPORTS: tuple[Exporter, ...] = (PICTURE, NUMBERS, SELECTION, FIGURE, WEB_PAGE, SCRIPT, NOTEBOOK)


def find_export(name: str) -> Exporter:
    """The row of that name."""
    return next(each for each in EXPORTS if each.name == name)
