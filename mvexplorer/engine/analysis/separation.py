"""Differences between chosen samples and the others: classes, features and columns, with the size of each effect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.analysis.contrasts import (
    Contrast,
    ContrastSubject,
    contrast_of_categories,
    contrasts_of_numbers,
    is_categorical,
)
from mvexplorer.engine.core.inputs import labelled
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import DataError
from mvexplorer.wording import counted

LEAST = 0.5
"""Effects below this d are called little: half a standard deviation."""
AT_ONCE = 1 << 20
"""Numbers of a view that are ranked at a time."""


@dataclass(frozen=True)
class Separation:
    """The differences between chosen samples and the others; computed by `separation`.

    `rows` come with the largest effect first, in standard deviations for classes and numbers alike; `sentence` tells
    the most telling of them.
    """

    rows: tuple[Contrast, ...]
    sentence: str
    n_chosen: int
    n_others: int


def separation(
    selected: npt.ArrayLike, data: MultiView, *, coordinates: Array | None = None, task: Task | None = None
) -> Separation:
    """Compare the selected samples with all others.

    Every class, every feature of every view, every column and hidden variable is compared between the two. Sizes of
    effects are told first; p only says how often a random draw of as many samples differs so much. Samples that were
    chosen in a picture of these very features are no random draw.

    Parameters
    ----------
    selected : array (M,) of bool
        The chosen samples.
    data : MultiView
        Labels, features as given, columns and hidden variables. Missing labels and values are left out.
    coordinates : array (M, r), optional
        Coordinates of a picture, to be compared as well.
    task : Task, optional
        Can stop it.

    Returns
    -------
    Separation
        With `rows` and `sentence`. What is the same for all samples has no row.

    Raises
    ------
    DataError
        The selection is not one truth value per sample, or chooses none or all of them.

    Notes
    -----
    Numbers: standardised mean difference with Hedges' correction (L. V. Hedges, 1981), beside it the area under the
    ROC curve and the p of the Wilcoxon–Mann–Whitney test. Classes: shares on both sides, the log odds ratio (with
    Haldane's 1/2 added to each count) times √3/π, which is in the same units (S. Chinn, 2000), and the p of Fisher's
    exact test. All p are corrected for how many there are (S. Holm, 1979).

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(40, 2))
    >>> data = mvx.MultiView({"sound": X}, labels=["high" if x > 0 else "low" for x in X[:, 0]])
    >>> print(mvx.separation(X[:, 0] > 0, data).sentence.partition("; ")[0])
    All 21 selected samples are class high (100 % of the selection, 0 % of the rest)
    """
    chosen = np.asarray(selected)
    if chosen.dtype != bool or chosen.shape != (data.n_samples,):
        raise DataError("A selection is one truth value for each sample.", f"Give {data.n_samples:,} of them.")
    n = int(chosen.sum())
    if n in (0, len(chosen)):
        which = "No sample is selected." if n == 0 else "All samples are selected: there is no rest to compare with."
        raise DataError(which, "Select some of the samples.")
    rows = [row for part in _parts(chosen, data, coordinates, task or Task()) for row in part]
    rows.sort(key=lambda row: -abs(row.effect))
    corrected = tuple(_holm(rows))
    all_labelled = data.labels is not None and bool(labelled(data.labels[chosen]).all())
    return Separation(corrected, _sentence(corrected, n, all_labelled), n, len(chosen) - n)


def _parts(chosen: npt.NDArray[np.bool_], data: MultiView, Y: Array | None, task: Task) -> Iterator[list[Contrast]]:
    if data.labels is not None:
        yield _of_column(chosen, data.labels, ContrastSubject("class", data.label_name or "", "labels"))
    for name, values in data.columns.items():
        yield _of_column(chosen, values, ContrastSubject("column", name, f"column:{name}"))
    for name, values in data.latent.items():
        yield _of_column(chosen, values, ContrastSubject("hidden variable", name, f"latent:{name}"))
    for i, X in enumerate(data.Xs):
        width = max(1, AT_ONCE // len(X))
        for start in range(0, X.shape[1], width):
            task.checkpoint()
            part = np.asarray(X[:, start : start + width])
            yield contrasts_of_numbers(chosen, part, [_feature(data, i, start + j) for j in range(part.shape[1])])
    if Y is not None:
        yield contrasts_of_numbers(chosen, Y, [ContrastSubject("coordinate", str(k + 1)) for k in range(Y.shape[1])])


def _feature(data: MultiView, view: int, feature: int) -> ContrastSubject:
    owner, title = data.view_names[view], data.feature_title(view, feature).removeprefix("feature ")
    return ContrastSubject("feature", f"{owner} {title}", f"feature:{owner}:{feature}")


def _of_column(chosen: npt.NDArray[np.bool_], values: npt.NDArray[Any], about: ContrastSubject) -> list[Contrast]:
    if is_categorical(values, labels=about.kind == "class"):
        return contrast_of_categories(chosen, values, about)
    if values.dtype.kind not in "biuf":
        return []  # text that names nearly every sample
    return contrasts_of_numbers(chosen, values.astype(np.float64)[:, None], [about])


def _holm(rows: list[Contrast]) -> list[Contrast]:
    """The rows with their p corrected by the step-down rule of Holm."""
    order = np.argsort([row.p for row in rows], kind="stable")
    largest, corrected = 0.0, dict.fromkeys(range(len(rows)), 1.0)
    for place, i in enumerate(order.tolist()):
        largest = max(largest, min(1.0, (len(rows) - place) * rows[i].p))
        corrected[i] = largest
    return [replace(row, p=corrected[i]) for i, row in enumerate(rows)]


# In words ---------------------------------------------------------------------------------------------------------


def _sentence(rows: tuple[Contrast, ...], n: int, all_labelled: bool) -> str:
    """The class that leads and the number that differs most, as far as they differ."""
    leading, number = _leading_class(rows), _leading_number(rows)
    telling = [row for row in (leading, number) if row is not None]
    subject = "The selected sample is" if n == 1 else f"The {counted(n, 'selected sample')} are"
    if not telling:
        return f"{subject} much like the rest: nothing differs by more than d {LEAST}."
    if n > 1 and all_labelled and leading is not None and leading.inside == 1.0:
        said = f"All {counted(n, 'selected sample')} are {_class_name(leading)} ({leading.words})"
        said += "." if number is None else f"; on average they are {_in_words(number)}."
    else:
        said = f"{subject} {' and '.join(map(_in_words, telling))}."
    few = 5  # With fewer selected samples than this any of them may be an accident.
    level = 0.05
    if n < few or max(row.p for row in telling) > level:
        said += " As many samples drawn at random may differ as much."
    return said


def _leading_class(rows: tuple[Contrast, ...]) -> Contrast | None:
    """The class that they hold most of or, where they hold more of none, the one that they lack most."""
    classes = [row for row in rows if row.kind == "class" and abs(row.effect) >= LEAST]
    more = [row for row in classes if row.effect > 0.0]
    return max(more or classes, key=lambda row: (row.inside >= 0.5, abs(row.effect)), default=None)


def _leading_number(rows: tuple[Contrast, ...]) -> Contrast | None:
    numbers = [row for row in rows if not row.value and row.kind != "coordinate" and abs(row.effect) >= LEAST]
    return numbers[0] if numbers else None


def _class_name(row: Contrast) -> str:
    return row.name if row.name != row.value else f"class {row.name}"


def _in_words(row: Contrast) -> str:
    if row.value:
        often = "mostly" if row.inside >= 0.5 else "more often" if row.effect > 0.0 else "less often"
        return f"{often} {_class_name(row)} ({row.words})"
    return f"{'higher' if row.effect > 0.0 else 'lower'} in {row.name} (d {row.effect:.1f})".replace("-", "−")
