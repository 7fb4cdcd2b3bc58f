"""Tables that the estimator cannot embed: a sentence each that says what is wrong, where, and what to do."""

import re
from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import mvexplorer as mvx
from mvexplorer.errors import DataError, MissingValuesError

X = np.random.default_rng(0).normal(size=(6, 3))
NAMES = ["a", "b", "c"]
DAYS = [datetime(2020, 1, day) for day in range(1, 7)]
FRAMES = {
    "pandas": lambda columns: pd.DataFrame(columns),
    "polars": lambda columns: pl.DataFrame(columns),
    "arrow": lambda columns: pl.DataFrame(columns).to_arrow(),
}
COLUMNS = {
    "missing": ([1.0, None, 2.0, None, 3.0, 4.0], "2 of 6 rows of the table hold missing or infinite values", "Impute"),
    "infinite": ([1.0, np.inf, 2.0, 3.0, 4.0, 5.0], "1 of 6 rows of the table hold missing or infinite", "Drop these"),
    "text": (list("xyxyxy"), "The table holds text where numbers belong", "Remove the text columns"),
    "dates": (DAYS, "The table holds dates or times where numbers belong", "such as days since the first"),
    "durations": ([timedelta(day) for day in range(6)], "holds dates or times", "such as days since the first"),
    "lists": ([[1, 2]] * 6, "holds entries of type (list|ndarray)", "must be a number or a string that says a number"),
}


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("kind", FRAMES)
def test_a_column_that_holds_no_numbers_is_named_in_fit_and_in_transform(kind, column):
    values, said, hint = COLUMNS[column]
    frame = FRAMES[kind]({"a": X[:, 0], "b": values, "c": X[:, 2]})
    fitted = mvx.MultiViewEmbedding(epsilon=1.0).fit(FRAMES[kind](dict(zip(NAMES, X.T, strict=True))))
    for call in (mvx.MultiViewEmbedding(epsilon=1.0).fit, fitted.transform):
        with pytest.raises(DataError, match=rf"{said}.*, in column “b”\.") as caught:
            call(frame)
        assert hint in caught.value.hint


OTHERS = [
    (pd.DataFrame(X, columns=["a", "b", "b"]), "Several columns of the table are called “b”", "name of its own"),
    (pd.DataFrame(X, columns=["a", 1, "c"]), "Some columns' names are texts, and others are not, such as 1", "astype"),
    (pl.DataFrame({"n": [1, 2] * 3, "day": DAYS}), "The table holds dates or times .*, in column “day”", "days since"),
    (pd.DataFrame({"day": DAYS}), "The table holds dates or times where numbers belong", "days since"),
    (np.array(DAYS, dtype="datetime64[s]")[:, None], "The table holds dates or times", "days since"),
    (pd.DataFrame({"n": pd.array([1, None] * 3, dtype="Int64")}), "3 of 6 rows .* in column “n”", "Drop"),
    (np.ma.masked_greater(X, X.max() - 1e-9), "1 of 6 rows", "Drop"),
    (sparse.csr_array(X), "The table is sparse", r"X\.toarray\(\).*TruncatedSVD"),
    (sparse.coo_matrix(X), "The table is sparse", r"X\.toarray\(\)"),
    (X + 1j, "complex numbers with imaginary parts", "both parts as features"),
    (pd.DataFrame(X[:0], columns=NAMES), "The table has 0 samples", "At least 3 are needed"),
    (pl.DataFrame(X[:2], schema=NAMES), "The table has 2 samples", "At least 3 are needed"),
    (pd.DataFrame(index=range(6)), r"The table has 0 feature\(s\) \(shape=\(6, 0\)\)", "Give it a column"),
    (pl.DataFrame(), r"The table has 0 feature\(s\)", "Give it a column"),
    (pl.Series(X[:, 0]), "The table is a vector", r"X\.reshape\(-1, 1\)"),
    (np.ones((2, 2, 2, 2)), r"The table has shape \(2, 2, 2, 2\)", "one row per sample"),
    ([[1.0, 2.0], [3.0], [4.0, 5.0]], "The table has rows of different lengths", "as many numbers"),
    (pl.DataFrame(X, schema=NAMES).lazy(), "The table has no rows: it is of type LazyFrame", "a data frame"),
    (None, "The table has no rows: it is of type NoneType", "an array"),
]


@pytest.mark.parametrize(("table", "said", "hint"), OTHERS)
def test_a_table_that_is_none_is_refused_in_words_of_our_own(table, said, hint):
    with pytest.raises(DataError, match=said) as caught:
        mvx.MultiViewEmbedding().fit(table)
    assert str(caught.value).count("\n") == 0
    assert re.search(hint, caught.value.hint)


def test_rows_that_lack_numbers_are_numbered_and_new_samples_need_one_row():
    table = X.copy()
    table[[1, 4], 2] = np.nan
    with pytest.raises(MissingValuesError, match="in column 3") as caught:
        mvx.MultiViewEmbedding().fit(table)
    assert caught.value.rows == (1, 4)
    fitted = mvx.MultiViewEmbedding(epsilon=1.0).fit(X)
    assert fitted.transform(X[:1]).shape == (1, 2)
    with pytest.raises(DataError, match=r"The table has 0 samples\. Give one\."):
        fitted.transform(X[:0])


@pytest.mark.parametrize("name", ["\x1b[31mred", "two\nlines", "\ud800"])
def test_a_hostile_name_of_a_column_stays_on_one_line_that_can_be_written(name):
    for frame in (pd.DataFrame(X, columns=["a", name, name]), pd.DataFrame({"a": X[:, 0], name: list("xyxyxy")})):
        with pytest.raises(DataError) as caught:
            mvx.MultiViewEmbedding().fit(frame)
        assert "\n" not in str(caught.value)
        assert "\x1b" not in str(caught.value)
        str(caught.value).encode()


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_of_numbers_are_taken_with_the_names_of_their_columns(kind):
    columns = {"a": X[:, 0], "b": [True, False] * 3, "c": ["1", "2"] * 3}
    fitted = mvx.MultiViewEmbedding(epsilon=1.0).fit(FRAMES[kind](columns))
    assert fitted.feature_names_in_.tolist() == NAMES
    plain = np.c_[X[:, 0], [1, 0] * 3, [1, 2] * 3]
    np.testing.assert_array_equal(fitted.coordinates_, mvx.embed([plain], "single", epsilon=1.0).coordinates)
