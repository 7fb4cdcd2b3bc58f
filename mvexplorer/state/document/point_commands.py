"""The edits of the kept sample and its card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mvexplorer.errors import DataError
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import DocumentState
from mvexplorer.wording import one_line


def keep_sample(document: Document, sample: int | None) -> None:
    """Keep a sample for a closer look; None lets it go."""
    data = document.data
    there = sample if data is not None and sample is not None and 0 <= sample < data.n_samples else None
    label = "Keep no sample" if there is None or data is None else f"Keep {one_line(data.sample_ids[there])[:40]}"
    document.apply(label, lambda s: updated(s, {"point": updated(s.point, {"kept": there})}))


def change_point(document: Document, label: str, *, merge: str | None = None, **changes: Any) -> None:
    """Ask something else about the kept sample, or see its card otherwise; `label` names the edit."""
    if changes.get("thumbnails") and (document.data is None or document.data.images is None):
        raise DataError(
            "These samples have no pictures.", "Open data with one for each sample, such as a folder of pictures."
        )
    document.apply(label, lambda s: updated(s, {"point": updated(s.point, changes)}), merge=merge)


def ring_neighbours(document: Document, on: bool) -> None:
    """Ring the samples within σ of the kept one in every panel and draw its links, or not."""
    label = "Ring neighbours within σ" if on else "Ring no neighbours"
    document.apply(label, lambda s: updated(s, {"point": updated(s.point, {"within": on})}))


def select_spread(document: Document, samples: Sequence[int], count: int, picture: str) -> None:
    """Select samples that were spread over a picture from the kept one, of which `count` were wished."""
    kept, data = document.state.point.sample_of(document.data), document.data
    if kept is None or data is None:
        return
    origin = f"{len(samples)} spread from {one_line(data.sample_ids[kept])[:40]} in {picture}"

    def spread(state: DocumentState) -> DocumentState:
        selections, point = updated(state.selections, {"origin": origin}), updated(state.point, {"spread": count})
        return state.model_copy(update={"selection": tuple(sorted(samples)), "selections": selections, "point": point})

    document.apply(f"Select {origin}", spread, merge="spread")
