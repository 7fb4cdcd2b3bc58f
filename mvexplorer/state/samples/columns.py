"""All that is known of each sample, as columns: read when they are first needed, as numbers, dates or texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.dates import Dates, iso_texts, present_texts, read_dates
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.state.pictures.colouring import Colouring, label_title
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.state.pictures.weights_on_show import weights_on_show
from mvexplorer.wording import number

if TYPE_CHECKING:
    import polars as pl

Kind = Literal["number", "date", "text"]
WEIGHTS = "View weights"
"""The group of what is the same for all samples."""
FEW_FEATURES = 200
"""Features of all views up to which each is a column; of more only those that were asked for are."""
IDS = "id"
"""The source of the samples' names; all others are those of colourings, or of weights."""


def number_words(value: float) -> str:
    """A number with its significant digits, up to six, and no zeros behind them."""
    return f"{value:.6g}".replace("-", "−") if value == 0.0 or 1e-4 <= abs(value) < 1e6 else number(value, 4)


@dataclass(frozen=True, eq=False)
class SampleColumn:
    """One value for each sample. `basis` is what the values come from: columns of one basis are the same."""

    source: str
    title: str
    group: str
    basis: tuple[object, ...]
    read: Callable[[], npt.NDArray[Any] | list[str]] = field(repr=False)

    @property
    def is_coordinate(self) -> bool:
        """Whether it is computed by a panel, and shown only when it is wanted."""
        return self.source.startswith("coordinate:")

    @cached_property
    def values(self) -> npt.NDArray[Any] | list[str]:
        """The values (M,) as they are kept."""
        return self.read()

    @cached_property
    def dates(self) -> Dates | None:
        """The values as dates, where all of them are."""
        values = self.values
        if isinstance(values, np.ndarray) and values.dtype.kind == "M":
            moments = values.astype("datetime64[ms]")
            return Dates(moments, bool((moments != moments.astype("datetime64[D]")).any()))
        return None if self._texts is None or self.source == IDS else read_dates(self._texts)

    @cached_property
    def _texts(self) -> pl.Series | None:
        values = self.values
        if isinstance(values, np.ndarray) and values.dtype.kind in "biufM":
            return None
        if isinstance(values, np.ndarray) and values.dtype.kind != "U":
            values = ["" if value is None or value != value else str(value) for value in values.tolist()]
        return present_texts(values)

    @property
    def names(self) -> tuple[str, ...]:
        """The different texts of a column of texts, or all ids."""
        if self.source == IDS:
            return tuple(self.values)
        return () if self.kind != "text" else tuple(self.series.drop_nulls().unique(maintain_order=True).to_list())

    @property
    def kind(self) -> Kind:
        """Whether numbers, moments or texts are compared."""
        return "date" if self.dates is not None else "number" if self._texts is None else "text"

    @cached_property
    def series(self) -> pl.Series:
        """The values (M,) as numbers, moments or texts; null where one is missing."""
        import polars as pl

        if self.dates is not None:
            return pl.Series(self.dates.moments)
        if self._texts is not None:
            return self._texts
        return pl.Series(np.asarray(self.values).astype(np.float64), nan_to_null=True)

    def told(self, samples: npt.NDArray[np.intp]) -> list[str]:
        """The values of samples as they are shown; empty where one is missing."""
        values = self.written(samples)
        if self.kind != "number" or np.asarray(self.values).dtype.kind in "biu":
            return list(map(str, values))
        return ["" if value == "" else number_words(value) for value in values]

    def written(self, samples: npt.NDArray[np.intp]) -> list[Any]:
        """The values of samples with all their digits; empty text where one is missing."""
        if self.dates is not None:
            return iso_texts(Dates(self.dates.moments[samples], self.dates.timed))
        if self._texts is not None:
            return ["" if text is None else text for text in self._texts.gather(samples).to_list()]
        return ["" if value != value else value for value in np.asarray(self.values)[samples].tolist()]


def sample_columns_of(
    state: DocumentState,
    data: MultiView,
    results: Mapping[str, PanelResult],
    scores: Iterable[SampleColumn] = (),
    asked: Iterable[str] = (),
) -> tuple[SampleColumn, ...]:
    """The columns of the table of samples: what came with them, the `scores` that were computed of each, what was
    measured (of very many features those whose sources were `asked` for), and last what is the same for all and what
    the panels compute.
    """
    columns = [SampleColumn(IDS, "id", "", (data.sample_ids,), lambda: list(data.sample_ids))]
    if data.labels is not None:
        columns.append(_plain("labels", label_title(data), "Label", data.labels))
    columns += [_plain(f"column:{name}", name, "Columns of the samples", each) for name, each in data.columns.items()]
    columns += [
        _plain(f"latent:{name}", f"{name} (true)", "Hidden variables", each) for name, each in data.latent.items()
    ]
    columns += [*scores, *_features(data, asked)]
    return (*columns, *_weights(state, data, results), *_coordinates(state, data, results))


def _features(data: MultiView, asked: Iterable[str]) -> Iterable[SampleColumn]:
    """The features, view by view."""
    widths = [X.shape[1] for X in data.Xs]
    if sum(widths) <= FEW_FEATURES:
        places = [(view, k) for view, width in enumerate(widths) for k in range(width)]
    else:
        owned = [source.removeprefix("feature:").rpartition(":") for source in asked]
        places = [(data.view_index(owner), int(k)) for owner, _, k in owned if owner in data.view_names]
        places = sorted((view, k) for view, k in places if k < widths[view])
    for view, k in places:
        name, X = data.view_names[view], data.Xs[view]
        title, read = f"{data.feature_title(view, k)}, {name}", partial(_column_of, X, k)
        yield SampleColumn(f"feature:{name}:{k}", title, f"Columns of {name}", (X, k), read)


def _plain(source: str, title: str, group: str, values: npt.NDArray[Any]) -> SampleColumn:
    return SampleColumn(source, title, group, (values,), lambda: values)


def score_column(source: str, title: str, basis: tuple[object, ...], make: Callable[[], Colouring]) -> SampleColumn:
    """A column of a derived colouring: its numbers, or the names of its classes."""
    return SampleColumn(source, title, "Scores", basis, lambda: _classes_or_numbers(make()))


def _classes_or_numbers(colouring: Colouring) -> npt.NDArray[Any]:
    if not colouring.classes:
        return colouring.values
    names: npt.NDArray[Any] = np.array(colouring.classes, dtype=object)[colouring.values]
    return names


def _weights(state: DocumentState, data: MultiView, results: Mapping[str, PanelResult]) -> Iterable[SampleColumn]:
    """How much each view counts, which is the same for all samples: beside them where views are weighed."""
    shown = weights_on_show(state, results)
    own = {view.name: view.view_weight for view in state.views if view.enabled} if state.weighing else {}
    for words, group in (("weight", own | dict(shown.weights)), ("share of a step", shown.shares)):
        for view, value in group.items():
            values = partial(np.full, data.n_samples, value)
            yield SampleColumn(f"{words}:{view}", f"{words} of {view}", WEIGHTS, (words, view, value), values)


def _coordinates(state: DocumentState, data: MultiView, results: Mapping[str, PanelResult]) -> Iterable[SampleColumn]:
    titles = panel_titles(state)
    for panel in state.panels:
        result = results.get(panel.id)
        embedding = None if result is None or result.result is None else result.result.embedding
        if embedding is None or len(embedding.coordinates) != data.n_samples:
            continue
        title = titles.get(panel.id, panel.id)
        for place, name in enumerate(embedding.column_names):
            read = partial(_column_of, embedding.coordinates, place)
            source, basis = f"coordinate:{panel.id}:{place}", (embedding.coordinates,)
            yield SampleColumn(source, f"{name}, {title}", f"Coordinates of {title}", basis, read)


def _column_of(Y: npt.NDArray[Any], place: int) -> npt.NDArray[Any]:
    return np.ascontiguousarray(Y[:, place])
