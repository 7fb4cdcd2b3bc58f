"""Inputs as plain arrays: masked, imaginary or unordered entries are never lost silently.

Tables with an index (pandas) and data frames of any library are recognised by their attributes, so that none of them is
imported for others.
"""

from __future__ import annotations

import datetime
import warnings
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.errors import DataError, DataWarning
from mvexplorer.wording import readable

Index = list[Hashable]

UNLABELLED = frozenset({"", "nan", "none", "na", "n/a", "<na>", "nat", "?", "unlabelled"})
"""Labels, in lower case, that mean “no label”."""


class EntryTypeError(DataError, TypeError):
    """Entries of a table are neither numbers nor texts; also a `TypeError`, as scikit-learn has it."""


def plain_numbers(X: Any, what: str) -> npt.NDArray[np.float64]:
    """`X` as float64, masked entries as NaN; DataError for text, dates, and imaginary parts that are not 0.

    It is a copy, unless `X` is such an array already, and nobody can write into it.
    """
    X = from_arrow(X)
    array = _as_array(X, what)
    if type(array) is np.ndarray and array.dtype == np.float64 and _in_rows(array) and _sealed(array):
        return array
    if array.dtype.kind in "mM" or any(_temporal(X)):
        raise _odd_entries(X, array, what)
    if np.iscomplexobj(array):
        if np.any(np.imag(array) != 0.0):
            raise DataError(
                f"{what} holds complex numbers with imaginary parts.",
                "Complex data not supported: give both parts as features of their own, or the moduli.",
            )
        array = np.real(array)
    try:
        plain = array
        if array.dtype.kind == "O":  # None, and pandas' NA
            plain = np.where(labelled(array.ravel()).reshape(array.shape), array, np.nan)
        if isinstance(plain, np.ma.MaskedArray):
            return np.ma.filled(plain.astype(np.float64), np.nan).copy(order="C")
        return np.array(plain, dtype=np.float64, order="C")
    except (ValueError, TypeError):
        raise _odd_entries(X, array, what) from None


def _as_array(X: Any, what: str) -> npt.NDArray[Any]:
    """Any array, list or frame as NumPy has it; DataError where that finds no rows, or rows of different lengths."""
    try:
        array = X if isinstance(X, np.ndarray) else np.asarray(X)
    except (ValueError, TypeError):
        said = f"{what} has rows of different lengths."
        raise DataError(said, "Give every sample as many numbers as the others.") from None
    if array.ndim == 0:
        said = f"{what} has no rows: it is of type {type(X).__name__}."
        raise DataError(said, "Give rows of numbers: an array, a data frame, or lists.")
    return array


def _odd_entries(X: Any, array: npt.NDArray[Any], what: str) -> DataError:
    """The error that says which entries of a table are no numbers, and in which columns they are."""
    columns = array.T if array.ndim == 2 else [array.ravel()]
    kinds = [next(filter(None, map(_oddity, column)), "") for column in columns]
    for place, temporal in enumerate(_temporal(X)):
        kinds[place] = DATES if temporal else kinds[place]
    kind = next(filter(None, kinds), "text")
    odd = [place for place, of_column in enumerate(kinds) if of_column == kind]
    where = f", in {columns_words(X, odd)}" if len(kinds) > 1 else ""
    said = f"{what} holds {kind} where numbers belong{where}."
    if kind == "text":
        return DataError(said, "Remove the text columns or replace them by numbers.")
    if kind == DATES:
        return DataError(said, "Remove these columns or replace them by numbers, such as days since the first.")
    return EntryTypeError(said, "Each entry of the argument must be a number or a string that says a number.")


DATES = "dates or times"


def _temporal(X: Any) -> list[bool]:
    """Which columns of a polars frame hold dates or times, of which it makes numbers; empty for others."""
    dtypes = X.dtypes if is_frame(X) and not hasattr(X, "iloc") else []
    return [bool(dtype.is_temporal()) for dtype in dtypes]


def _oddity(entry: Any) -> str:
    """The kind of an entry that is no number; empty for numbers, texts that say one, and missing ones."""
    if isinstance(entry, datetime.date | datetime.time | datetime.timedelta | np.datetime64 | np.timedelta64):
        return DATES
    if hasattr(entry, "to_timestamp"):  # a period of pandas
        return DATES
    try:
        float(entry)
    except (ValueError, TypeError):
        if isinstance(entry, str | bytes):
            return "text" if labelled([entry])[0] else ""
        missing = np.ndim(entry) == 0 and not labelled([entry])[0]
        return "" if missing else f"entries of type {type(entry).__name__}"
    return ""


def columns_words(X: Any, places: Sequence[int]) -> str:
    """Columns of a table by their names, or else their numbers: column “b”, or columns 2, 3."""
    names = _feature_names(X) if is_frame(X) else []
    words = [f"“{readable(str(names[place]))}”" if names else f"{place + 1:,}" for place in places[:5]]
    more = f" and {len(places) - 5:,} more" if len(places) > 5 else ""
    return f"column{'s' if len(places) > 1 else ''} {', '.join(words)}{more}"


def _in_rows(array: npt.NDArray[Any]) -> bool:
    """True if numbers stand row after row, if need be with other columns of a larger table between the rows."""
    return array.flags.c_contiguous or (
        array.ndim == 2 and array.strides[1] == 8 and array.strides[0] >= array.shape[1] * 8
    )


def _sealed(array: npt.NDArray[Any]) -> bool:
    """True if neither an array nor those whose memory it shares can be written to."""
    while not array.flags.writeable:
        if array.flags.owndata:
            return True
        if not isinstance(array.base, np.ndarray):
            return False  # memory of others, which they may change
        array = array.base
    return False


def from_arrow(X: Any) -> Any:
    """A frame of polars where another one hands over a stream of Arrow, which NumPy cannot read; else as it is."""
    if not is_frame(X) or not hasattr(X, "__arrow_c_stream__") or hasattr(X, "iloc"):  # pandas reads itself
        return X
    import polars as pl

    return pl.DataFrame(X)


def is_frame(X: Any) -> bool:
    """True if `X` is a data frame: of pandas, polars, Arrow, or anything that hands over a stream of Arrow."""
    if hasattr(X, "__arrow_c_stream__"):
        return not hasattr(X, "dtype") and getattr(X, "ndim", 2) == 2
    return hasattr(X, "to_numpy") and hasattr(X, "columns") and getattr(X, "ndim", 0) == 2


def feature_names_of(Xs: Sequence[Any]) -> list[tuple[str, ...] | None] | None:
    """Read the names of data frames' columns, per view; None where no view is one."""
    names_of_views = [tuple(str(name) for name in _feature_names(X)) or None if is_frame(X) else None for X in Xs]
    return names_of_views if any(names_of_views) else None


def column_names(X: Any) -> list[Any]:
    """The names of a data frame's columns, whatever they are; none where it keeps them to itself."""
    names = getattr(X, "column_names", None)  # Arrow's, whose columns are the values
    if names is None:
        names = getattr(X, "columns", None)
    return [] if names is None else list(names)


def _feature_names(X: Any) -> list[Any]:
    """The names of a data frame's columns where they are no mere numbers: pandas counts the columns of an array."""
    given = column_names(X)
    return given if any(isinstance(name, str) for name in given) else []


def checked_feature_names(
    given: Sequence[Sequence[str] | None] | None, Xs: Sequence[npt.NDArray[Any]], views: Sequence[str]
) -> tuple[tuple[str, ...] | None, ...]:
    """Names of the features per view, None for views whose features have none; DataError for too few."""
    if given is None:
        return (None,) * len(Xs)
    if len(given) != len(Xs):
        raise DataError(f"There are feature names for {len(given)} of {len(Xs)} views.", "Give one list per view.")
    checked = tuple(None if names is None else tuple(readable(str(name)) for name in names) for names in given)
    for names, X, view in zip(checked, Xs, views, strict=True):
        if names is not None and len(names) != X.shape[1]:
            raise DataError(
                f"View “{view}” has {X.shape[1]} features but {len(names)} feature names.",
                "Give one name per feature, in the order of the columns.",
            )
    return checked


def check_features(fitted: Sequence[str] | None, given: Sequence[str] | None, view: str) -> None:
    """Raise DataError where new samples name other features than the known ones, or name them in another order."""
    if fitted is None or given is None or tuple(fitted) == tuple(given):
        return
    lost = [name for name in fitted if name not in set(given)]
    new = [name for name in given if name not in set(fitted)]
    what = [f"{words} {_listed(names)}" for words, names in (("lack", lost), ("have besides", new)) if names]
    raise DataError(
        f"The features of view “{view}” are not those it was fitted on: the new samples {' and '.join(what)}."
        if what
        else f"The features of view “{view}” stand in another order than those it was fitted on.",
        f"Give the columns {_listed(fitted)}, in this order.",
    )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 5:,} more" if len(names) > 5 else ""
    return ", ".join(f"“{name}”" for name in names[:5]) + more


def checked_names(given: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """Names of `count` views, ``view1`` and so on where none are given; DataError for too few or equal ones."""
    given = given if given is not None else [f"view{i + 1}" for i in range(count)]
    # File names become view names: characters that cannot be encoded would break every table and picture later.
    names = tuple(readable(name) if isinstance(name, str) else str(name) for name in given)
    if len(names) != count:
        raise DataError(f"There are {count} views but {len(names)} view names.", "Give one name per view.")
    if len(set(names)) != len(names):
        raise DataError("Two views have the same name.", "Give every view a name of its own.")
    return names


# Indices of tables ------------------------------------------------------------------------------------------------


def index_of(X: Any) -> Index | None:
    """The row names of a table that has them, such as a pandas one."""
    index = getattr(X, "index", None)
    if index is None or callable(index) or not hasattr(X, "to_numpy"):
        return None
    return list(index)


def aligned(Xs: Sequence[Any], names: Sequence[str]) -> tuple[list[Any], Index | None]:
    """Put the rows of tables in the order of the first index, and return that index; None where no table has any.

    Tables without an index are taken to be in that order already. DataError where indices have different names, or
    repeated ones.
    """
    reference, first, out = None, "", []
    for X, name in zip(Xs, names, strict=True):
        index = index_of(X)
        if index is not None and reference is None:
            reference, first = index, f"view “{name}”"
        out.append(X if index is None or reference is None else in_order(X, reference, f"view “{name}”", first))
    return out, reference


def in_order(X: Any, reference: Index, what: str, other: str) -> Any:
    """The values of `X` with its rows in the order of `reference`; as given where it has no index."""
    index = index_of(X)
    if index is None:
        return X
    values = X.to_numpy()
    if index == reference:
        return values
    here, there = set(index), set(reference)
    if here != there:
        raise DataError(
            f"The indices of {other} and {what} differ: {len(here & there)} names are in both, {len(there - here)} "
            f"only in the one, {len(here - there)} only in the other.",
            "Keep the samples they share, or drop the indices with reset_index(drop=True) to pair rows by position.",
        )
    if len(here) < len(index) or len(there) < len(reference):
        raise DataError(
            f"The indices of {other} and {what} hold some names several times, in different orders.",
            "Make the names unique, or drop the indices with reset_index(drop=True) to pair rows by position.",
        )
    place = {name: row for row, name in enumerate(index)}
    return values[[place[name] for name in reference]]


def tell_repeated(ids: Sequence[str]) -> None:
    """DataWarning where ids stand for several samples, to whoever made a `MultiView` of them."""
    repeated = [name for name, count in Counter(ids).items() if count > 1]
    if repeated:
        which = f"{len(repeated):,} ids stand" if len(repeated) > 1 else "One id stands"
        text = (
            f"{which} for several samples, for example “{repeated[0]}”: the rows of all views were paired by position."
        )
        warnings.warn(f"{text} Give every sample an id of its own if these are not the same.", DataWarning, 4)


# Labels -----------------------------------------------------------------------------------------------------------


def labelled(labels: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Which samples (M,) have a label: NaN, None, empty text and the usual words for it mean that they have none."""
    values = np.asarray(labels)
    if values.dtype.kind == "f":
        return np.asarray(~np.isnan(values), dtype=bool)
    if values.dtype.kind in "biu":
        return np.ones(len(values), dtype=bool)
    if values.dtype.kind == "U":  # looked at once each: there are few names of many samples
        each = values.tolist()
        none = {name for name in set(each) if name.strip().lower() in UNLABELLED}
        return np.array([name not in none for name in each]) if none else np.ones(len(values), dtype=bool)
    return np.array([str(value).strip().lower() not in UNLABELLED for value in values], dtype=bool)


def plain_labels(labels: Any) -> npt.NDArray[Any]:
    """Labels as an array of one type: where some are missing, numbers with NaN, or text with empty text."""
    if isinstance(labels, np.ma.MaskedArray):
        mask, labels = np.ma.getmaskarray(labels), labels.data.astype(object)
        labels[mask] = None
    if hasattr(labels, "to_numpy"):
        labels = labels.to_numpy()
    values = np.array(labels)
    if values.dtype.kind != "O":
        return values
    flat = values.ravel()
    has_label = labelled(flat)
    if all(isinstance(value, int | float | np.number) for value in flat[has_label]):
        plain = np.array([float(v) if k else np.nan for v, k in zip(flat, has_label, strict=True)])
        whole = has_label.all() and all(isinstance(value, int | np.integer) for value in flat)
        return (plain.astype(np.int64) if whole else plain).reshape(values.shape)
    return np.array([str(v) if k else "" for v, k in zip(flat, has_label, strict=True)]).reshape(values.shape)


def plain_columns(columns: Mapping[str, Any] | None, index: Index | None, what: str) -> dict[str, Any]:
    """Columns of the samples in the order of the views' index."""
    given = columns or {}
    return {readable(str(name)): per_sample(values, index, f"{what} “{name}”") for name, values in given.items()}


def per_sample(values: Any, index: Index | None, what: str) -> Any:
    """One value per sample, in the order of the views' index."""
    return values if index is None else in_order(values, index, f"the {what}", "the views")


def checked_values(values: npt.ArrayLike, n_samples: int, what: str) -> npt.NDArray[Any]:
    """One value per sample as a read-only array (M,); DataError for more or fewer."""
    array = _readable(np.array(values))
    if array.ndim == 2 and 1 in array.shape:
        array = array.ravel()
    if array.shape != (n_samples,):
        raise DataError(
            f"The {what} have shape {array.shape} for {n_samples} samples.", "Give exactly one value per sample."
        )
    array.flags.writeable = False
    return array


def _readable(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Values whose texts can be encoded: one that cannot would break every table and picture later."""
    if values.dtype.kind == "O":
        texts = [readable(value) if isinstance(value, str) else value for value in values.ravel()]
        return np.fromiter(texts, dtype=object, count=len(texts)).reshape(values.shape)
    if values.dtype.kind == "U":
        codes = np.frombuffer(values.astype(values.dtype.newbyteorder("=")).tobytes(), dtype=np.uint32)
        if ((codes >= 0xD800) & (codes < 0xE000)).any():
            return np.array([readable(value) for value in values.ravel().tolist()]).reshape(values.shape)
    return values
