"""Differences between chosen samples and others: classes, features and columns, with the size of each effect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.analysis.contrasts import (
    Contrast,
    ContrastSubject,
    contrast_of_categories,
    contrast_of_dates,
    contrasts_of_numbers,
    is_categorical,
)
from mvexplorer.engine.core.dates import moments_of
from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.inputs import labelled
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import DataError
from mvexplorer.wording import counted, fraction, one_line

LEVEL = 0.05
"""The false discovery rate up to which a difference is claimed."""
MEANING = (
    "d: difference of the means in standard deviations (Cohen's d); of a class its log odds ratio in the same unit. "
    "AUC: how often a sample of the selection has the larger value, .5 by chance. q: false discovery rate (Benjamini "
    "and Hochberg); p (corrected): Holm."
)
"""The measures of a difference, each in a few words."""
CIRCULAR = (
    "The selection was made in a picture, which is itself made of the features: their p and q are smaller than they "
    "ought to be. Believe the effects, and confirm them on other samples."
)
"""Said where the selection is no random draw with respect to what is compared."""
LEAST = 0.5
"""Effects below this d are called little: half a standard deviation."""
_NESTED = {
    "first": " The selection lies in the other one, and is compared with the rest of that.",
    "second": " The other selection lies in this one, and is compared with the rest of it.",
}
AT_ONCE = 1 << 20
"""Numbers of a view that are ranked at a time."""


@dataclass(frozen=True)
class Separation:
    """The differences between chosen samples and others; computed by `separation`.

    `rows` come with the largest effect first, in standard deviations for classes and numbers alike; `sentence` tells
    the most telling of those whose `q` is at most .05. `n_both` samples were on both sides, and are left out.
    """

    rows: tuple[Contrast, ...]
    sentence: str
    n_chosen: int
    n_others: int
    n_both: int = 0


@dataclass(frozen=True)
class _Sides:
    """The samples compared: `rows` of all, and which of these are chosen; the word for the others."""

    rows: slice | npt.NDArray[np.intp]
    chosen: npt.NDArray[np.bool_]
    others: str
    n_both: int
    nested: str = ""
    """The side that lies in the other one, if any: first or second."""


def filled_in_words(captions: Iterable[str]) -> str:
    """Tell that filled-in values are compared like measured ones; empty where captions of the data name none."""
    imputed = [words for words in captions if " imputed from " in words]
    return f"Values that were filled in count like measured ones: {'; '.join(imputed)}." if imputed else ""


def separation(
    selected: npt.ArrayLike,
    data: MultiView,
    *,
    against: npt.ArrayLike | None = None,
    against_name: str = "",
    coordinates: Array | None = None,
    task: Task | None = None,
) -> Separation:
    """Compare the selected samples with all others, or with a second selection.

    Every class, every feature of every view, every column and hidden variable is compared between the two. Sizes of
    effects are told first; p only says how often a random draw of as many samples differs so much. Samples that were
    chosen in a picture of these very features are no random draw.

    Parameters
    ----------
    selected : array (M,) of bool
        The chosen samples.
    data : MultiView
        Labels, features as given, columns and hidden variables. Missing labels and values are left out. A column of
        dates, or of texts that are all dates, is one row: earlier or later.
    against : array (M,) of bool, optional
        The samples to compare with, by default all that are not chosen. Samples of both are left out; where one
        selection lies in the other, it is compared with the rest of the larger one.
    against_name : str, optional
        The name of these samples, for the sentence.
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
        A selection is not one truth value per sample, or there is nothing on one side.

    Notes
    -----
    Numbers: the difference of the means in pooled standard deviations (J. Cohen, 1988), beside it the area under the
    ROC curve and the p of the Wilcoxon–Mann–Whitney test. Classes: shares on both sides, the log odds ratio (with
    Haldane's 1/2 added to each count) times √3/π, which is in the same units (S. Chinn, 2000), and the p of Fisher's
    exact test. `p` is corrected for how many there are (S. Holm, 1979), `p_raw` is not; `q` is the false discovery rate
    (Y. Benjamini, Y. Hochberg, 1995), and `sentence` claims only what has q ≤ .05.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(40, 2))
    >>> data = mvx.MultiView({"sound": X}, labels=["high" if x > 0 else "low" for x in X[:, 0]])
    >>> print(mvx.separation(X[:, 0] > 0, data).sentence.partition("; ")[0])
    All 21 selected samples are class high (100 % of the selection, 0 % of the rest)
    """
    sides = _sides(selected, against, data.n_samples)
    chosen = sides.chosen
    rows = [row for part in _parts(sides, data, coordinates, task or Task()) for row in part]
    rows.sort(key=lambda row: -abs(row.effect))
    n, corrected = int(chosen.sum()), tuple(_with_rates(_holm(rows)))
    all_labelled = data.labels is not None and bool(labelled(data.labels[sides.rows][chosen]).all())
    sentence = _sentence(corrected, n, all_labelled, sides.others)
    if against is not None:
        name = f"“{one_line(against_name)}”" if against_name else "the other selection"
        which = "other " if sides.nested == "first" else ""
        other = f"{which}{counted(len(chosen) - n, 'sample')} of {name}"
        sentence = f"Compared with the {other}, {sentence[:1].lower()}{sentence[1:]}"
        sentence += _NESTED.get(sides.nested, "")
    if sides.n_both:
        were = "is" if sides.n_both == 1 else "are"
        sentence += f" {counted(sides.n_both, 'sample')} of both selections {were} left out."
    return Separation(corrected, sentence, n, len(chosen) - n, sides.n_both)


def _sides(selected: npt.ArrayLike, against: npt.ArrayLike | None, n_samples: int) -> _Sides:
    chosen = _truth_values(selected, n_samples)
    if not chosen.any():
        raise DataError("No sample is selected.", "Select some of the samples.")
    if against is None:
        if chosen.all():
            raise DataError(
                "All samples are selected: there is no rest to compare with.", "Select some of the samples."
            )
        return _Sides(slice(None), chosen, "rest", 0)
    others = _truth_values(against, n_samples)
    if not others.any():
        raise DataError("The second selection holds no sample.", "Compare with another one, or with the rest.")
    first, second = two_groups(chosen, others)
    if not first.any() or not second.any():
        raise DataError(
            "Both selections hold the same samples, so there are no two groups to compare.",
            "Compare with another one, or with the rest.",
        )
    rows = np.flatnonzero(first | second)
    left_out = int((chosen | others).sum()) - len(rows)
    nested = "first" if not (chosen & ~others).any() else "second" if not (others & ~chosen).any() else ""
    return _Sides(rows, first[rows], "other selection", left_out, nested)


def two_groups(
    chosen: npt.NDArray[np.bool_], others: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """The samples (M,) of each side that are compared: of two nested selections the smaller one stays whole."""
    first, second = chosen & ~others, others & ~chosen
    return (first if first.any() else chosen & second.any()), (second if second.any() else others & first.any())


def _truth_values(selected: npt.ArrayLike, n_samples: int) -> npt.NDArray[np.bool_]:
    chosen = np.asarray(selected)
    if chosen.dtype != bool or chosen.shape != (n_samples,):
        raise DataError("A selection is one truth value for each sample.", f"Give {n_samples:,} of them.")
    return chosen


def _parts(sides: _Sides, data: MultiView, Y: Array | None, task: Task) -> Iterator[list[Contrast]]:
    rows, chosen = sides.rows, sides.chosen
    if data.labels is not None:
        yield _of_column(sides, data.labels, ContrastSubject("class", data.label_name or "", "labels"))
    for name, values in data.columns.items():
        yield _of_column(sides, values, ContrastSubject("column", name, f"column:{name}"))
    for name, values in data.latent.items():
        yield _of_column(sides, values, ContrastSubject("hidden variable", name, f"latent:{name}"))
    for i, X in enumerate(data.Xs):
        width = max(1, AT_ONCE // len(X))
        for start in range(0, X.shape[1], width):
            task.checkpoint()
            part = np.asarray(X[:, start : start + width])[rows]
            yield contrasts_of_numbers(chosen, part, [_feature(data, i, start + j) for j in range(part.shape[1])])
    if Y is not None:
        about = [ContrastSubject("coordinate", str(k + 1)) for k in range(Y.shape[1])]
        yield contrasts_of_numbers(chosen, Y[rows], about)


def _feature(data: MultiView, view: int, feature: int) -> ContrastSubject:
    owner, title = data.view_names[view], data.feature_title(view, feature).removeprefix("feature ")
    return ContrastSubject("feature", f"{owner} {title}", f"feature:{owner}:{feature}", owner)


def _of_column(sides: _Sides, values: npt.NDArray[Any], about: ContrastSubject) -> list[Contrast]:
    part = values[sides.rows]
    if about.kind != "class" and (moments := moments_of(values)) is not None:
        return contrast_of_dates(sides.chosen, moments[sides.rows], about)
    if is_categorical(values, labels=about.kind == "class"):
        return contrast_of_categories(sides.chosen, part, about, sides.others)
    if values.dtype.kind not in "biuf":
        return []  # text that names nearly every sample
    return contrasts_of_numbers(sides.chosen, part.astype(np.float64)[:, None], [about])


def _holm(rows: list[Contrast]) -> list[Contrast]:
    """The rows with their p corrected by the step-down rule of Holm, and beside it as it was."""
    order = np.argsort([row.p for row in rows], kind="stable")
    largest, corrected = 0.0, dict.fromkeys(range(len(rows)), 1.0)
    for place, i in enumerate(order.tolist()):
        largest = max(largest, min(1.0, (len(rows) - place) * rows[i].p))
        corrected[i] = largest
    return [replace(row, p=corrected[i], p_raw=row.p) for i, row in enumerate(rows)]


def _with_rates(rows: list[Contrast]) -> list[Contrast]:
    """The rows with their false discovery rates, by the step-up rule of Benjamini and Hochberg."""
    with IMPORTS:
        from scipy.stats import false_discovery_control

    rates = false_discovery_control([row.p_raw for row in rows]).tolist() if rows else []
    return [replace(row, q=q) for row, q in zip(rows, rates, strict=True)]


# In words ---------------------------------------------------------------------------------------------------------


def _sentence(rows: tuple[Contrast, ...], n: int, all_labelled: bool, others: str) -> str:
    """The class that leads and the number that differs most, among what has a small false discovery rate."""
    subject = "The selected sample is" if n == 1 else f"The {counted(n, 'selected sample')} are"
    if not rows:
        return f"{subject} like the {others}: nothing varies between the two that could be compared."
    sure = [row for row in rows if row.q <= LEVEL and row.kind != "coordinate"]
    if not sure:
        least = min(row.q for row in rows)
        return (
            f"{subject} much like the {others}: none of {counted(len(rows), 'comparison')} has q ≤ {fraction(LEVEL)} "
            f"(the least is {fraction(least)}). As many samples drawn at random may differ as much."
        )
    have = f"{len(sure):,} of {counted(len(rows), 'comparison')} {'has' if len(sure) == 1 else 'have'}"
    end = f" {have} q ≤ {fraction(LEVEL)}."
    leading, number = _leading_class(sure), _leading_number(sure)
    telling = [row for row in (leading, number) if row is not None]
    if not telling:
        return f"{subject} {_in_words(sure[0])}.{end}"
    if n > 1 and all_labelled and leading is not None and leading.inside == 1.0:
        said = f"All {counted(n, 'selected sample')} are {_class_name(leading)} ({leading.words})"
        return said + (f".{end}" if number is None else f"; on average they are {_in_words(number)}.{end}")
    return f"{subject} {' and '.join(map(_in_words, telling))}.{end}"


def _leading_class(rows: list[Contrast]) -> Contrast | None:
    """The class that they hold most of or, where they hold more of none, the one that they lack most."""
    classes = [row for row in rows if row.kind == "class" and abs(row.effect) >= LEAST]
    more = [row for row in classes if row.effect > 0.0]
    return max(more or classes, key=lambda row: (row.inside >= 0.5, abs(row.effect)), default=None)


def _leading_number(rows: list[Contrast]) -> Contrast | None:
    return next((row for row in rows if not row.value and abs(row.effect) >= LEAST), None)


def _class_name(row: Contrast) -> str:
    return row.name if row.name != row.value else f"class {row.name}"


def _in_words(row: Contrast) -> str:
    little = "a little " if abs(row.effect) < LEAST else ""
    if row.value:
        more = "mostly" if row.inside >= 0.5 and not little else "more often"
        often = more if row.effect > 0.0 else "less often"
        return f"{little}{often} {_class_name(row)} ({row.words})"
    if row.dated:
        means = row.words.partition(", ")[0]
        return f"{little}{'later' if row.effect > 0.0 else 'earlier'} in {row.name} ({means})"
    return f"{little}{'higher' if row.effect > 0.0 else 'lower'} in {row.name} (d {row.effect:.1f})".replace("-", "−")
