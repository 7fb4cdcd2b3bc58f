"""The recipes in the window: their actions, and a page about what each is for and what was measured."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from mvexplorer.engine.api.recipe_table import MEASURED_ON, METHODS_MEASURED, REMARK, TABLE, MeasuredRow
from mvexplorer.engine.api.recipes import Recipe, recipes
from mvexplorer.engine.kernels.affinities import parse_kernel
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.action_table import Act
from mvexplorer.ui.window.behaviour import WindowBehaviour
from mvexplorer.ui.window.help_page import FRAME

MENU = "Panels/Recipe"
ABOUT = "About recipes …"
WORDS = "ingredients metric correlation kernel neighbours self-loops unit rows sphere paper defaults clusters"


def recipe_acts(b: WindowBehaviour) -> list[Act]:
    """The actions that give all panels, or the focused one, a recipe's values."""

    def of_focused(recipe: str) -> None:
        if (panel := b.focused_panel()) is not None:
            b.editor.apply_recipe(recipe, panel.id)

    def act(recipe: Recipe, text: str, label: str, do: Callable[[str], object], able: Callable[[], bool]) -> Act:
        title = partial(str, f"{label}{recipe.title}")
        do_it, name = partial(do, recipe.id), f"{text}: {recipe.title}"
        return Act(MENU, name, "", do_it, enabled=able, label=title, words=WORDS, about=recipe.for_what)

    every = [act(recipe, "Recipe", "", b.editor.apply_recipe, b.has_panels) for recipe in recipes()]
    one = [act(recipe, "Recipe of this panel", "This panel: ", of_focused, b.has_panel) for recipe in recipes()]
    about = Act(MENU, ABOUT, "", lambda: show_recipes(b.window), words=f"help table measured {WORDS}")
    return [*every, Act(MENU), *one, Act(MENU), about]


def show_recipes(parent: QWidget) -> None:
    """Open the page about recipes without blocking the window."""
    dialog = QDialog(parent)
    dialog.setObjectName("recipes")
    dialog.setWindowTitle("Recipes")
    free = parent.screen().availableGeometry()
    dialog.resize(QSize(780, 880).boundedTo(QSize(free.width(), free.height() - FRAME)))
    column = QVBoxLayout(dialog)
    page = QTextBrowser()
    page.setAccessibleName("About recipes")
    page.setFrameShape(QTextBrowser.Shape.NoFrame)
    page.setHtml(recipes_html())
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.rejected.connect(dialog.reject)
    column.addWidget(page)
    column.addWidget(buttons)
    dialog.open()


def recipes_html() -> str:
    """Each recipe's purpose and how it misleads, and the table of what was measured, as rich text."""
    muted = theme.current().muted
    parts = [
        "<h2 style='margin:0 0 4px 0'>Recipes</h2>",
        f"<p style='margin:0 0 8px 0; color:{muted}'>Names for values of metric, kernel, self-loops, unit rows and t. "
        "Each sets them for all panels, or for one; scripts, sessions and captions carry the values.</p>",
        *map(_about, recipes()),
        "<h3 style='margin:16px 0 4px 0'>What was measured</h3>",
        f"<p style='margin:0 0 12px 0; color:{muted}'>{escape(MEASURED_ON)} {escape(REMARK)}</p>",
        _table(),
    ]
    return "".join(parts)


def _about(recipe: Recipe) -> str:
    muted = theme.current().muted
    return (
        f"<h3 style='margin:12px 0 2px 0'>{escape(recipe.title)}</h3>"
        f"<p style='margin:0 0 4px 0; color:{muted}'>{escape(values_words(recipe))}</p>"
        f"<p style='margin:0 0 4px 0'>{escape(recipe.for_what)}</p>"
        f"<p style='margin:0'><b>How it misleads.</b> {escape(recipe.misleads)}</p>"
    )


def values_words(recipe: Recipe) -> str:
    """The recipe's values in one line."""
    loops = "left out" if recipe.params.get("self_loops") is False else "kept"
    rows = "unit rows" if recipe.params.get("unit_rows") else "rows as they are"
    kernel = parse_kernel(recipe.kernel)
    kernel_words = kernel.kind.title if kernel.count is None else f"{kernel.count} nearest neighbours"
    return f"{recipe.metric.capitalize()} · {kernel_words} · self-loops {loops} · {rows} · t {recipe.params['t']}"


def _table() -> str:
    """The scores as a table, the recipes' own rows bold."""
    muted = theme.current().muted
    heads = "".join(f"<th align='right'>&nbsp;&nbsp;{name}</th>" for name in METHODS_MEASURED)
    rows = "".join(map(_row, TABLE))
    style = "cellspacing='0' cellpadding='4' width='100%' style='margin-top:8px'"
    return f"<table {style}><tr style='color:{muted}'><th align='left'>NMI</th>{heads}</tr>{rows}</table>"


def _row(row: MeasuredRow) -> str:
    bold = ("<b>", "</b>") if row.recipe else ("", "")
    title = (
        f"{recipes()[row.recipe].title}: {row.ingredients}"
        if row.recipe
        else row.ingredients[:1].upper() + row.ingredients[1:]
    )
    cells = "".join(f"<td align='right'>{escape(score) or '–'}</td>" for score in row.scores)
    return f"<tr><td>{bold[0]}{escape(title)}{bold[1]}</td>{cells}</tr>"
