"""Changes that a script makes in an open window: the commands of menus and keys, whose errors are the caller's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mvexplorer.engine.analysis.point import sample_number
from mvexplorer.errors import ParameterError
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document import commands


def set_focused(bench: Workbench, *, method: str | None = None, epsilon_scale: object = None, **params: object) -> None:
    """Give the focused panel, or the first, a method, a factor on its ε and parameters of its own: one step of undo."""
    shown = [panel.id for panel in bench.document.state.shown]
    if not shown:
        raise ParameterError("There is no panel to change.", "Add one in the window: Panels > Add panel …")
    panel = bench.editor.focused if bench.editor.focused in shown else shown[0]
    commands.set_panel(bench.document, panel, method, epsilon_scale, params)
    bench.editor.done.emit()


def select_samples(bench: Workbench, samples: Sequence[Any]) -> None:
    """Select samples by their places or ids, or by a mask over all of them: one step of undo."""
    data = bench.document.data
    if data is None:
        raise ParameterError("There is no data to select in.", "Open some in the window.")
    if samples and all(isinstance(each, bool) for each in samples):
        if len(samples) != data.n_samples:
            said = f"The mask has {len(samples):,} entries for {data.n_samples:,} samples."
            raise ParameterError(said, "Give one of the data in the window, or ids.")
        rows = [row for row, chosen in enumerate(samples) if chosen]
    else:
        rows = _places(data.sample_ids, samples)
    commands.select(bench.document, rows, origin="Python")
    bench.editor.done.emit()


def _places(ids: Sequence[str], samples: Sequence[Any]) -> list[int]:
    """The places of samples that are given by them or by their ids."""
    places = {id: row for row, id in reversed([*enumerate(ids)])}
    rows = []
    for sample in samples:
        given = sample if isinstance(sample, int) and not isinstance(sample, bool) else str(sample)
        rows.append(places[given] if isinstance(given, str) and given in places else sample_number(ids, given))
    return rows
