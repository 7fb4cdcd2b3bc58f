"""An inspection on the import page: the first samples as they will be, and remarks about views."""

from __future__ import annotations

from dataclasses import dataclass

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.core.maps import is_map
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.preprocessing import learn_treatment
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import FileChangedError
from mvexplorer.io.reading.inspection import Inspection, ViewReport
from mvexplorer.wording import number

ROWS = 8


@dataclass(frozen=True)
class Prepared:
    """The first samples of a view, and its scale, once it is preprocessed."""

    first: Array
    scale: float


@dataclass(frozen=True)
class PrepareJob(Job):
    """Data to be preprocessed as far as the import page shows it."""

    data: MultiView

    def run(self, cache: StageCache, task: Task) -> dict[str, Prepared]:
        """Preprocess the views that are to be preprocessed; one that stays in its file is not read for this."""
        from mvexplorer.io.reading.quality import scale_of, spread_rows

        prepared, data = {}, self.data
        for name, X, how in zip(data.view_names, data.Xs, data.preprocess, strict=True):
            task.checkpoint()
            if how != "none" and not is_map(X):
                treatment = learn_treatment(how, X)
                prepared[name] = Prepared(treatment.apply(X[:ROWS]), scale_of(treatment.apply(X[spread_rows(len(X))])))
        return prepared


@dataclass(frozen=True)
class SampleTable:
    """The first samples as texts: heads of the columns, and rows."""

    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def sample_table(inspection: Inspection | None, prepared: tuple[MultiView, dict[str, Prepared]] | None) -> SampleTable:
    """The first samples: their ids, labels, and first features in each view, of `prepared` data where that is there.

    Nothing where the files do not lead to samples yet.
    """
    loaded = inspection.loaded.data if inspection is not None and inspection.loaded is not None else None
    if inspection is None or loaded is None:
        return SampleTable()
    try:
        return _first_samples(inspection, *(prepared or (loaded, {})))
    except FileChangedError as error:
        return SampleTable((str(error),))


def _first_samples(inspection: Inspection, data: MultiView, views: dict[str, Prepared]) -> SampleTable:
    n = min(ROWS, data.n_samples)
    columns = [("id", [str(name) for name in data.sample_ids[:n]])]
    if data.labels is not None:
        columns.append((inspection.label or "label", [str(label) for label in data.labels[:n]]))
    most = 8
    for index, name in enumerate(data.view_names[:most]):
        columns += _features(data, index, views[name].first[:n] if name in views else None, n)
    return SampleTable(tuple(head for head, _ in columns), tuple(zip(*(cells for _, cells in columns), strict=True)))


def _features(data: MultiView, index: int, prepared: Array | None, n: int) -> list[tuple[str, list[str]]]:
    X, title = (data.Xs[index], data.feature_title) if prepared is None else (prepared, data.prepared_title)
    named = data.feature_names[index] is not None or title(index, 0).startswith("PC")
    most = 3
    heads = [title(index, j) if named else str(j + 1) for j in range(min(most, X.shape[1]))]
    return [
        (f"{data.view_names[index]} · {head}", [_number(value) for value in X[:n, j].tolist()])
        for j, head in enumerate(heads)
    ]


def _number(value: float) -> str:
    short = f"{value:.4g}"
    return number(value, 4) if "e" in short else short.replace("-", "−")


def remarks(view: ViewReport) -> tuple[str, ...]:
    """The oddities of a view, in a few words each."""
    words = []
    if view.n_missing:
        words.append(f"{view.n_missing:,} missing")
    if view.n_constant:
        words.append(f"{view.n_constant:,} constant")
    if view.n_duplicates:
        words.append(f"{view.n_duplicates:,} duplicates")
    return tuple(words)
