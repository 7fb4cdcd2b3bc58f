"""What data and settings are called in titles, captions and footers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mvexplorer.datasets.catalogue import find_sample
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.wording import source_title


def data_title(source: Sequence[str]) -> str:
    """What data from a sample, or from these files, is called."""
    if len(source) == 1 and (sample := find_sample(source[0])) is not None:
        return sample.title
    return source_title(source[:3]) + (" …" if len(source) > 3 else "")


def parameter_line(data: MultiView, params: Mapping[str, object]) -> str:
    """Samples, views and shared parameters in one line."""
    views = ", ".join(f"{n} ({X.shape[1]})" for n, X in zip(data.view_names, data.Xs, strict=True))
    shown = f"η {params.get('eta') or 0:g}   t {params.get('t')}   r {params.get('n_components')}"
    return f"{data.n_samples:,} samples   views {views}   {shown}"
