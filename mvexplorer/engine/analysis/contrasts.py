"""How far one class or one number differs between chosen samples and the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.classes import ordered_classes
from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.inputs import labelled
from mvexplorer.engine.core.multiview import Array
from mvexplorer.wording import readable


@dataclass(frozen=True)
class Contrast:
    """One class, feature or column, among chosen samples and among the others.

    `kind` is ``class``, ``feature``, ``column``, ``hidden variable`` or ``coordinate``. `effect` is in standard
    deviations, above 0 where the chosen samples have more of it; `p` how often a random draw of as many samples differs
    so much; `words` the effect in words, such as “81 % of the selection, 8 % of the rest”. `source` is ``labels``,
    ``column:NAME``, ``latent:NAME`` or ``feature:VIEW:NUMBER``, empty for coordinates; `value` the class, empty for
    numbers. `inside` and `outside` are its share, or the mean, among the chosen samples and the others. `view` is the
    owner of a feature, `auc` the area under the ROC curve, of a class that of having it. In a `Separation`, `p` is
    corrected for the number of rows (Holm), `p_raw` is not, and `q` is the false discovery rate (Benjamini, Hochberg).
    Dates are numbers that are `dated`: `inside` and `outside` are then the years of their means, such as 2023.5.
    """

    kind: str
    name: str
    effect: float
    p: float
    words: str
    source: str = ""
    value: str = ""
    inside: float = float("nan")
    outside: float = float("nan")
    view: str = ""
    auc: float = float("nan")
    p_raw: float = float("nan")
    q: float = float("nan")
    dated: bool = False

    @property
    def feature(self) -> str:
        """The name without that of its view."""
        return self.name.removeprefix(f"{self.view} ") if self.view else self.name


class ContrastSubject(NamedTuple):
    """The subject of values: `kind`, `name`, `source` and `view` of a `Contrast`."""

    kind: str
    name: str
    source: str = ""
    view: str = ""


def is_categorical(values: npt.NDArray[Any], *, labels: bool) -> bool:
    """True if values (M,) are few classes: any text or truth values, and labels that are whole numbers."""
    present = values[labelled(values)]
    most_categories = 100  # A column with more different values names samples rather than classes.
    if values.dtype.kind in "iuf":
        whole = bool(np.all(np.isfinite(present)) and np.all(np.mod(present, 1) == 0))
        return labels and whole and len(np.unique(present)) <= most_categories
    different = len(set(present.tolist()))  # which may be of several types, without an order
    return different <= min(most_categories, max(2, len(present) // 2))


def contrast_of_categories(
    chosen: npt.NDArray[np.bool_], values: npt.NDArray[Any], about: ContrastSubject, others: str = "rest"
) -> list[Contrast]:
    """One row for each class; none where there is only one class, or no chosen or no other sample has a label.

    `others` is the word for those that are not chosen.
    """
    with IMPORTS:
        from scipy.stats import fisher_exact

    has_label = labelled(values)
    names, codes = ordered_classes(values[has_label])
    inside = np.bincount(codes[chosen[has_label]], minlength=len(names))
    outside = np.bincount(codes[~chosen[has_label]], minlength=len(names))
    if len(names) < 2 or not inside.sum() or not outside.sum():
        return []
    contrasts = []
    logit = np.sqrt(3.0) / np.pi  # Turns a log odds ratio into standard deviations.
    for value, a, b in zip(names, inside.tolist(), outside.tolist(), strict=True):
        c, d = int(inside.sum()) - a, int(outside.sum()) - b
        odds = np.log((a + 0.5) * (d + 0.5) / ((b + 0.5) * (c + 0.5)))
        p = min(1.0, float(fisher_exact([[a, b], [c, d]]).pvalue))
        shares = a / (a + c), b / (b + d)
        text = _plain(value)
        title = f"{about.name} {text}" if about.name else text
        words = f"{100.0 * shares[0]:.0f} % of the selection, {100.0 * shares[1]:.0f} % of the {others}"
        area = 0.5 + 0.5 * (shares[0] - shares[1])
        effect = float(logit * odds)
        contrasts.append(Contrast(about.kind, title, effect, p, words, about.source, text, *shares, auc=area))
    return contrasts


def contrasts_of_numbers(chosen: npt.NDArray[np.bool_], X: Array, about: Sequence[ContrastSubject]) -> list[Contrast]:
    """One row for each column of X (M, n); none for those that do not vary, or are known on one side only."""
    finite = np.isfinite(X)
    if not finite.all():
        X = np.where(finite, X, np.nan)  # ranked last and left out of sums, so that all columns are compared at once
    both = np.flatnonzero(finite[chosen].any(axis=0) & finite[~chosen].any(axis=0))
    X = X[:, both]
    flat = 1e-12  # A column whose range is below this part of its largest number is the same for all samples.
    largest = np.nanmax(np.abs(X), axis=0, initial=0.0)
    varies = np.nanmax(X, axis=0) - np.nanmin(X, axis=0) > flat * largest
    X, largest = X[:, varies], largest[varies]
    means, d = _standardised(chosen, X / largest)
    areas, p = _rank_sums(chosen, X)
    contrasts = []
    for i, j in enumerate(both[varies].tolist()):
        kind, name, source, view = about[j]
        words = f"d {d[i]:.1f}, AUC {areas[i]:.2f}".replace("-", "−")
        inside, outside = (means[:, i] * largest[i]).tolist()
        effect, chance, area = float(d[i]), float(p[i]), float(areas[i])
        contrasts.append(Contrast(kind, name, effect, chance, words, source, "", inside, outside, view, area))
    return contrasts


def contrast_of_dates(
    chosen: npt.NDArray[np.bool_], moments: npt.NDArray[np.datetime64], about: ContrastSubject
) -> list[Contrast]:
    """One row for a column of moments (M,), told as the mean dates of both sides; none where it does not vary."""
    rows = []
    for row in contrasts_of_numbers(chosen, years_of(moments)[:, None], [about]):
        first, second = (_day_of(year) for year in (row.inside, row.outside))
        words = f"mean {first} against {second}, {row.words}"
        rows.append(replace(row, words=words, dated=True))
    return rows


_YEAR = 365.2425
"""Days of a mean year of the calendar."""


def years_of(moments: npt.NDArray[np.datetime64]) -> Array:
    """Moments (M,) in years, as evenly as days pass: 2023.5 is the middle of 2023. NaN where one is missing."""
    milliseconds, day = moments.astype("datetime64[ms]"), 86_400_000.0
    return np.where(np.isnat(moments), np.nan, 1970.0 + milliseconds.astype(np.int64) / (day * _YEAR))


def _day_of(year: float) -> str:
    return str(np.datetime64(round((year - 1970.0) * _YEAR), "D"))


def _standardised(chosen: npt.NDArray[np.bool_], X: Array) -> tuple[Array, Array]:
    """The means (2, n) of both sides, and their difference (n,) in pooled standard deviations; NaN is left out."""
    first, second, whole = X[chosen], X[~chosen], np.nanstd(X, axis=0)
    means = np.stack([np.nanmean(first, axis=0), np.nanmean(second, axis=0)])
    freedom = np.maximum(1, np.isfinite(X).sum(axis=0) - 2)
    squares = np.nansum(np.square(first - means[0]), axis=0) + np.nansum(np.square(second - means[1]), axis=0)
    # Part of the s.d. of all samples that a spread within both sides is taken for at least: d stays finite.
    floor = 0.01
    pooled = np.maximum(np.sqrt(squares / freedom), floor * whole)
    return means, cast("Array", (means[0] - means[1]) / pooled)


def _rank_sums(chosen: npt.NDArray[np.bool_], X: Array) -> tuple[Array, Array]:
    """The area under the ROC curve (n,), and p (n,) of the rank sums by their normal limit, ties counted."""
    with IMPORTS:
        from scipy.special import ndtr
        from scipy.stats import rankdata

    ranks = rankdata(X, axis=0, nan_policy="omit")
    finite = np.isfinite(X)
    n, m = finite[chosen].sum(axis=0), finite[~chosen].sum(axis=0)
    above = np.nansum(ranks[chosen], axis=0) - n * (n + 1) / 2.0
    spread = np.nansum(np.square(ranks - (n + m + 1) / 2.0), axis=0)
    variance = n * m * spread / ((n + m) * (n + m - 1.0))
    z = (np.abs(above - n * m / 2.0) - 0.5).clip(min=0.0) / np.sqrt(variance)
    return above / (n * m), 2.0 * ndtr(-z)


def _plain(value: Any) -> str:
    """A class in words: whole numbers without their point."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return readable(str(value))
