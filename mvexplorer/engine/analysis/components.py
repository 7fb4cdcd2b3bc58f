"""Correlations of a picture's components with features, principal components, latents and columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.pipeline.stages import Memo
from mvexplorer.errors import DataError, MVExplorerError, ParameterError

How: TypeAlias = Literal["spearman", "pearson"]
GroupKind: TypeAlias = Literal["feature", "pc", "latent", "column"]
PCS = 10
"""Principal components of each view, where it has as many features."""


@dataclass(frozen=True)
class Match:
    """One thing that a component goes along with.

    `view` is that of a feature or principal component, else empty; `index` its number in its group, from 0; `r` the
    correlation with its sign.
    """

    kind: GroupKind
    view: str
    index: int
    name: str
    r: float


@dataclass(frozen=True, eq=False)
class CorrelationGroup:
    """Correlations `r` (C, F) of the components with one view's features or principal components, latents or columns.

    NaN where one of the two is constant. `names` are those of the F things.
    """

    kind: GroupKind
    view: str
    names: tuple[str, ...]
    r: Array

    def best(self, component: int) -> Match | None:
        """Return the match with the largest ``|r|``; None where all are constant."""
        row = np.abs(self.r[component])
        if not np.isfinite(row).any():
            return None
        index = int(np.nanargmax(row))
        return Match(self.kind, self.view, index, self.names[index], float(self.r[component, index]))


@dataclass(frozen=True, eq=False)
class ComponentCorrelations:
    """Correlations of each of C components; computed by `component_correlations`.

    `groups` are the features and the principal components of each view, then latents and columns. `notes` say what was
    left out, and why.
    """

    components: tuple[str, ...]
    how: How
    groups: tuple[CorrelationGroup, ...]
    notes: tuple[str, ...] = ()

    def strongest(self, component: int) -> Match | None:
        """Return the match with the largest ``|r|`` of all groups: is ψ1 just PC1?"""
        matches = [match for group in self.groups if (match := group.best(component)) is not None]
        return max(matches, key=lambda match: abs(match.r), default=None)


def component_correlations(
    picture: Embedding | npt.ArrayLike,
    data: MultiView,
    *,
    how: How = "spearman",
    views: Sequence[str] | None = None,
    n_pcs: int = PCS,
    task: Task | None = None,
    memo: Memo | None = None,
) -> ComponentCorrelations:
    """Correlations of a picture's components with each view's features and principal components, latents and columns.

    Parameters
    ----------
    picture : Embedding or array (M, C)
        Of an embedding with coordinates for every view their mean over the views is taken, as it is drawn.
    data : MultiView
        The samples it was made of.
    how : "spearman" or "pearson"
        Of ranks, which finds every relation that only rises or only falls; or of the values.
    views : sequence of str, optional
        Whose features are taken, default all; also those that the picture does not use.
    n_pcs : int
        Principal components of each view, as preprocessed, where it has as many.
    task, memo
        How to stop and report, and how to remember principal components.

    Returns
    -------
    ComponentCorrelations
        With `groups`, each with `r` (C, F), and `strongest(component)`.

    Raises
    ------
    DataError, ParameterError
        The picture has other samples than the data, or there is no such measure or view.

    References
    ----------
    C. Spearman, "The proof and measurement of association between two things" (1904), with mean ranks of ties.

    Examples
    --------
    >>> data = mvx.load("helix-a")
    >>> correlations = mvx.component_correlations(mvx.embed(data, "pca", views=["view1"], n_components=2), data)
    >>> match = correlations.strongest(0)
    >>> match.kind, match.view, match.name, round(abs(match.r), 6)
    ('pc', 'view1', 'PC1', 1.0)
    """
    if how not in ("spearman", "pearson"):
        raise ParameterError(f"There is no correlation called “{how}”.", "Give spearman or pearson.")
    task, names = task or Task(), tuple(views or data.view_names)
    components, Y = components_of(picture)
    if len(Y) != data.n_samples:
        message = f"The picture has {len(Y):,} samples and the data {data.n_samples:,}."
        raise DataError(message, "Give the data that the picture was made of.")
    groups: list[CorrelationGroup] = []
    notes: list[str] = []
    for place, name in enumerate(names):
        task.progress(place / len(names))
        index = data.view_index(name)
        titles = tuple(data.feature_title(index, k) for k in range(data.width(index)))
        X = data.Xs[index]
        groups.append(CorrelationGroup("feature", name, titles, correlations(Y, X, how, task)))
        pcs = _principal(data, name, n_pcs, task, memo, notes)
        if pcs is not None:
            titles = tuple(f"PC{k + 1}" for k in range(pcs.shape[1]))
            groups.append(CorrelationGroup("pc", name, titles, correlations(Y, pcs, how, task)))
    kinds_of_samples: tuple[GroupKind, ...] = ("latent", "column")
    groups += [group for kind in kinds_of_samples if (group := _of_samples(kind, data, Y, how, task)) is not None]
    constant = {g.view: int(np.isnan(g.r).all(axis=0).sum()) for g in groups if g.kind == "feature"}
    notes += [f"Constant features of {name}, left out: {count:,}." for name, count in constant.items() if count]
    return ComponentCorrelations(components, how, tuple(groups), tuple(notes))


def components_of(picture: Embedding | npt.ArrayLike) -> tuple[tuple[str, ...], Array]:
    """The names of a picture's components, and the components (M, C)."""
    if not isinstance(picture, Embedding):
        Y = np.asarray(picture, dtype=np.float64)
        if Y.ndim != 2:
            raise DataError("Coordinates are a table of samples and axes.", "Give an array of shape (M, r).")
        return tuple(f"component {k + 1}" for k in range(Y.shape[1])), Y
    blocks = picture.view_coordinates
    if blocks and len({block.shape[1] for block in blocks}) == 1:
        short = [name.rpartition("_")[2] for name in picture.column_names[: blocks[0].shape[1]]]
        return tuple(f"mean {name}" for name in short), np.mean(blocks, axis=0)
    return picture.column_names, picture.coordinates


def correlations(Y: Array, X: npt.ArrayLike, how: How = "spearman", task: Task | None = None) -> Array:
    """Correlate every component Y (M, C) with every feature X (M, F), a block of features at a time.

    The result is (C, F), NaN where a component or feature is constant. Samples with a NaN in Y are left out; X is all
    numbers.
    """
    table = X if isinstance(X, np.ndarray) else np.asarray(X)
    rows = np.flatnonzero(np.isfinite(Y).all(axis=1))
    r = np.full((Y.shape[1], table.shape[1]), np.nan)
    fewest = 3  # Samples with a number that a correlation needs.
    if len(rows) < fewest:
        return r
    prepare = _standard(how)
    left = prepare(Y[rows])
    features_at_once = 256  # Columns that are ranked at a time: memory stays small beside the view.
    for start in range(0, table.shape[1], features_at_once):
        if task is not None:
            task.checkpoint()
        block = slice(start, start + features_at_once)
        r[:, block] = np.clip(left.T @ prepare(np.asarray(table[:, block], dtype=np.float64)[rows]), -1.0, 1.0)
    return r


def _standard(how: How) -> Callable[[Array], Array]:
    """Columns as values or ranks, of mean 0 and length 1; NaN where they are constant."""
    with IMPORTS:
        from scipy.stats import rankdata

    def prepare(columns: Array) -> Array:
        flat = np.ptp(columns, axis=0) == 0.0
        scale = np.maximum(np.abs(columns).max(axis=0), np.finfo(float).tiny)
        values = rankdata(columns, axis=0) if how == "spearman" else columns / scale
        values = values - values.mean(axis=0)
        lengths = np.where(flat, np.nan, np.linalg.norm(values, axis=0))
        with np.errstate(divide="ignore", invalid="ignore"):
            out: Array = values / lengths
        return out

    return prepare


def _principal(data: MultiView, view: str, count: int, task: Task, memo: Memo | None, notes: list[str]) -> Array | None:
    """The leading principal components (M, n) of a view as preprocessed; None, with a note, where it has none."""
    most = min(count, data.width(data.view_index(view)), data.n_samples - 2)
    if most < 1:
        return None
    try:
        return embed(data, "pca", views=[view], n_components=most, task=task, memo=memo).coordinates
    except MVExplorerError as error:
        notes.append(f"No principal components of {view}: {error}")
        return None


def _of_samples(kind: GroupKind, data: MultiView, Y: Array, how: How, task: Task) -> CorrelationGroup | None:
    """The components against latents or columns that are numbers, each on the samples that have one."""
    given = data.latent if kind == "latent" else data.columns
    numeric = {name: np.asarray(v, dtype=np.float64) for name, v in given.items() if v.dtype.kind in "fiu"}
    if not numeric:
        return None
    blocks = []
    for values in numeric.values():
        present = np.isfinite(values)
        blocks.append(correlations(Y[present], values[present][:, None], how, task))
    return CorrelationGroup(kind, "", tuple(numeric), np.hstack(blocks))
