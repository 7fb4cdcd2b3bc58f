"""Some of the samples as a document of its own, which remembers what they are a part of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import ParameterError
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import DocumentState, Scalar
from mvexplorer.state.document.notes.targets import notes_within
from mvexplorer.state.document.selections import Selections, elided
from mvexplorer.state.document.snapshots import Snapshots
from mvexplorer.state.pictures.colouring import whole_classes
from mvexplorer.state.session.session import session_content
from mvexplorer.version import __version__


def part_words(rows: Sequence[int], data: MultiView, title: str, origin: str) -> str:
    """Describe the samples in `rows` as a part: “213 of 2,000 samples of UCI digits: lasso in Multi-view 2-D”."""
    return elided(f"{len(rows):,} of {data.n_samples:,} samples of {title}{f': {origin}' if origin else ''}")


def check_selected(rows: Sequence[int], data: MultiView) -> None:
    """Refuse samples that make no document of their own: too few, or all."""
    least = 10  # samples that a window needs
    if len(rows) < least:
        one = "One sample is too few for a window of its own."
        several = one if len(rows) == 1 else f"{len(rows)} samples are too few for a window of their own."
        said = several if rows else "Nothing is selected."
        raise ParameterError(said, f"Select at least {least}.")
    if len(rows) >= data.n_samples:
        raise ParameterError("All samples are selected, and this window shows them.", "Select some of them.")


def part_state(state: DocumentState, data: MultiView, rows: Sequence[int], words: str) -> DocumentState:
    """The state that shows the samples in `rows` (ascending) alone: the same views, methods and parameters.

    `state` is that of all samples, `data` holds only those in `rows`, and `words` say what they are a part of.
    """
    places = {row: place for place, row in enumerate(rows)}
    named = []
    for each in state.selections.named:
        inside = tuple(places[row] for row in each.samples if row in places)
        named += [updated(each, {"samples": inside})] if inside else []
    most = data.n_samples - 2
    panels = tuple(updated(p, {"pins": _fitting(p.pins, most)}) for p in state.panels)
    return updated(
        state,
        {
            "source": (),
            "part_of": words,
            "panels": panels,
            "params": _fitting(state.params, most),
            "selection": (),
            "selections": Selections(named=tuple(named)),
            "snapshots": Snapshots(),
            "notes": notes_within(state.notes, places),
            "visible_classes": (),
            "subsample": state.subsample if (state.subsample or 0) < data.n_samples else None,
        },
    )


def _fitting(params: dict[str, Scalar], most: int) -> dict[str, Scalar]:
    """The parameters with no more coordinates than there can be."""
    count = params.get("n_components")
    return {**params, "n_components": most} if isinstance(count, int) and count > most else params


@dataclass(frozen=True, eq=False)
class TakePartJob(Job):
    """Samples taken out of others, and the session in which they are to be shown."""

    state: DocumentState
    data: MultiView
    rows: tuple[int, ...]
    words: str

    def run(self, cache: StageCache, task: Task) -> tuple[MultiView, dict[str, Any]]:
        """Take the samples; return their data and session as `mvx.show` takes them."""
        part = self.data.take(list(self.rows))
        task.checkpoint()
        whole = {**whole_classes(self.data), **self.state.whole_classes}
        state = updated(part_state(self.state, part, self.rows, self.words), {"whole_classes": whole})
        return part, session_content(state, part, __version__, {}).model_dump(mode="json")
