"""One table (M, D) as scikit-learn's transformers take it: what cannot be embedded is told in a sentence."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from mvexplorer.engine.core.inputs import column_names, columns_words, from_arrow, is_frame, plain_numbers
from mvexplorer.engine.core.multiview import MIN_SAMPLES, Array
from mvexplorer.engine.core.preprocessing import is_sparse
from mvexplorer.errors import DataError, MissingValuesError
from mvexplorer.wording import counted, readable


def table_numbers(estimator: Any, given: Any, *, fitting: bool) -> Array:
    """The numbers (M, D) of a table; the estimator keeps its columns' names and number, or compares them with those.

    The sentences hold the words by which scikit-learn's checks of estimators recognise a refusal.
    """
    if is_sparse(given):
        said = "The table is sparse, and distances between its rows need all its numbers."
        hint = "Fill its zeros in by X.toarray(), or reduce it before, as by sklearn.decomposition.TruncatedSVD."
        raise DataError(said, hint)
    table = from_arrow(given)
    if is_frame(table):
        _check_names(column_names(table))
    X = plain_numbers(table, "The table")
    _check_shape(X.shape, MIN_SAMPLES if fitting else 1)
    _check_finite(table, X)
    validate_data(estimator, table if is_frame(table) else X, reset=fitting, skip_check_array=True)
    X.flags.writeable = False  # so that the views that are cut from it need no copies
    return X


def _check_names(names: list[Any]) -> None:
    """Columns are told apart by their names, and all names are texts, or none is."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        said = f"Several columns of the table are called “{readable(str(twice[0]))}”."
        raise DataError(said, "Give every column a name of its own, or leave it out.")
    other = [name for name in names if not isinstance(name, str)]
    if 0 < len(other) < len(names):
        said = f"Some columns' names are texts, and others are not, such as {readable(repr(other[0]))}."
        raise DataError(said, "Make texts of all: X.columns = X.columns.astype(str).")


def _check_shape(shape: tuple[int, ...], least: int) -> None:
    """A table has two dimensions, a column at least, and as many rows as are needed."""
    if len(shape) == 1:
        hint = "Reshape your data: X.reshape(-1, 1) for one feature, X.reshape(1, -1) for one sample."
        raise DataError("The table is a vector, whose numbers may be samples or features.", hint)
    if len(shape) != 2:
        raise DataError(f"The table has shape {shape}.", "Give one row per sample, one column per feature.")
    if shape[1] == 0:
        said = f"The table has 0 feature(s) (shape={shape}) while a minimum of 1 is required."
        raise DataError(said, "Give it a column of numbers.")
    if shape[0] < least:
        hint = "Give one." if least == 1 else f"At least {least} are needed to place one among the others."
        raise DataError(f"The table has {counted(shape[0], 'sample')}.", hint)


def _check_finite(table: Any, X: Array) -> None:
    """No number is missing or infinite."""
    bad = ~np.isfinite(X)
    if not bad.any():
        return
    rows, columns = (np.flatnonzero(bad.any(axis=axis)).tolist() for axis in (1, 0))
    raise MissingValuesError(
        f"{len(rows):,} of {len(X):,} rows of the table hold missing or infinite values (NaN, inf), in "
        f"{columns_words(table, columns)}.",
        "Drop these rows, or fill them in before, as by sklearn.impute.SimpleImputer.",
        rows,
    )
