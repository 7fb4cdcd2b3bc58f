"""Small multiples as one picture: a tile for each, in their rows and columns, and a caption for all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mvexplorer.compute.batch.axes import Axis
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.multiples_grid import MultiplesGrid
from mvexplorer.state.document.point import PointChoices
from mvexplorer.state.document.titles import state_title
from mvexplorer.state.export.captions import document_caption
from mvexplorer.state.pictures.colouring import Colouring, in_one
from mvexplorer.ui.cloud.canvas import EmbeddingCanvas
from mvexplorer.ui.export.sheet import Sheet, make_sheet
from mvexplorer.ui.multiples.words import meaning, neighbour_words
from mvexplorer.ui.pages.tune.sweep_words import at_text, axis_label


def multiples_sheet(workbench: Workbench, colouring: Colouring | None, canvas: EmbeddingCanvas) -> Sheet:
    """The small multiples of a workbench, each seen as `canvas` shows its own."""
    multiples, state, data = workbench.multiples, workbench.document.state, workbench.document.data
    grid = multiples.grid
    assert data is not None
    assert grid is not None
    pictures = {panel.id: (panel, result) for panel, result in multiples.each(drafts=False)}
    panels = tuple(panel for panel, _ in pictures.values())
    shown = state.model_copy(update={"panels": panels, "point": PointChoices()})  # these pictures have no ring
    sheet = make_sheet(
        shown,
        data,
        lambda id: pictures[id][1],
        state_title(state),
        in_one(colouring),
        dict.fromkeys(pictures, canvas.camera),
    )
    pictured, wide = len(panels), len(grid.columns)
    titles = [meaning(grid, *divmod(k, wide)) for k in range(pictured)]
    frame = canvas.frame
    tiles = tuple(replace(t, title=name, details="", frame=frame) for t, name in zip(sheet.tiles, titles, strict=True))
    each = [entry | {"title": name} for entry, name in zip(sheet.record["panels"], titles, strict=True)]
    record = sheet.record | {"panels": each, "multiples": _record(grid)}
    if grid.of_ingredients:
        neighbours = neighbour_words(multiples.neighbours)
        first = document_caption(record | {"panels": each[:1]})
        record["caption"] = f"{_lead_of_ingredients(grid, neighbours)}\n{first}"
        captions = [caption[0].upper() + caption[1:] for caption in grid.captions]
        tiles = tuple(replace(tile, title=title) for tile, title in zip(tiles, captions, strict=True))
        beside = 4  # pictures of the largest grid fill a page then
        return replace(sheet, tiles=tiles, record=record, caption=record["caption"], columns=min(beside, pictured))
    middle = [each[i * wide + multiples.centre] for i in range(len(grid.titles))]
    record["caption"] = f"{_lead(grid)}\n{document_caption(record | {'panels': middle})}"
    return replace(sheet, tiles=tiles, record=record, caption=record["caption"], columns=wide)


def _record(grid: MultiplesGrid) -> dict[str, Any]:
    if grid.of_ingredients:
        return {"rows": list(grid.titles), "ingredients": list(grid.captions)}
    rows = {} if grid.down is None else {grid.down.name: list(grid.rows)}
    return {"columns": {grid.across.name: list(grid.columns)}, "rows": rows or list(grid.titles)}


def _lead(grid: MultiplesGrid) -> str:
    rows = "panels" if grid.down is None else _values(grid.down, grid.rows)
    return (
        f"Small multiples. Columns: {_values(grid.across, grid.columns)}. Rows: {rows}. Each picture is laid onto its "
        "neighbour. Told below: one column."
    )


def _lead_of_ingredients(grid: MultiplesGrid, neighbours: str) -> str:
    notes = "".join(f" {note[0].upper()}{note[1:]}." for note in filter(None, (neighbours, *grid.notes)))
    return (
        f"Ingredients of {grid.titles[0]}, side by side: nearest to the paper first. Each picture is laid onto the one "
        f"before.{notes} Told below: the first one."
    )


def _values(axis: Axis, values: tuple[float, ...]) -> str:
    return f"{axis_label(axis)}, {', '.join(at_text(axis, value) for value in values)}"
