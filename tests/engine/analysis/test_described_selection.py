"""A selection described: effects, p and false discovery rates are SciPy's, and chance is rarely called a difference."""

from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import false_discovery_control, mannwhitneyu, ttest_ind

import mvexplorer as mvx


def planted(seed: int, n: int = 600, features: int = 200) -> tuple[np.ndarray, mvx.MultiView]:
    """A table in which 60 samples are shifted by one standard deviation in 5 features."""
    rng = np.random.default_rng(seed)
    X, chosen = rng.normal(size=(n, features)), np.zeros(n, bool)
    chosen[rng.choice(n, 60, replace=False)] = True
    X[np.ix_(chosen, range(5))] += 1.0
    half = features // 2
    return chosen, mvx.MultiView({"left": X[:, :half], "right": X[:, half:]})


def features_of(found) -> dict[tuple[str, str], object]:
    return {(row.view, row.feature): row for row in found.rows}


def check_row(row, x: np.ndarray, y: np.ndarray) -> None:
    test = mannwhitneyu(x, y, method="asymptotic")
    d = ttest_ind(x, y).statistic * np.sqrt(1 / len(x) + 1 / len(y))
    expected = (d, test.statistic / (len(x) * len(y)), test.pvalue, x.mean(), y.mean())
    assert (row.effect, row.auc, row.p_raw, row.inside, row.outside) == pytest.approx(expected, abs=1e-12)


def check_against_scipy(chosen: np.ndarray, others: np.ndarray, data: mvx.MultiView, found) -> None:
    rows = features_of(found)
    for view, X in zip(data.view_names, data.Xs, strict=True):
        for j in range(X.shape[1]):
            check_row(rows[view, str(j + 1)], X[chosen, j], X[others, j])
    p, q = zip(*((row.p_raw, row.q) for row in found.rows), strict=True)
    np.testing.assert_allclose(q, false_discovery_control(p), rtol=0, atol=1e-12)
    assert all(row.q <= row.p + 1e-15 for row in found.rows)  # Holm's is never the smaller one


def test_gaps_in_columns_are_left_out_of_effects_and_p():
    chosen, data = planted(4)
    weight = np.random.default_rng(5).normal(size=600) + chosen
    weight[::7], weight[3] = np.nan, np.inf
    found = mvx.separation(chosen, data.replace(columns={"weight": weight}))
    known = np.isfinite(weight)
    row = next(row for row in found.rows if row.kind == "column")
    check_row(row, weight[chosen & known], weight[~chosen & known])


def test_effects_p_and_rates_are_those_of_scipy_ties_included():
    chosen, data = planted(3)
    data = data.replace(Xs=[data.Xs[0], np.round(data.Xs[1], 1)])  # ties
    check_against_scipy(chosen, ~chosen, data, mvx.separation(chosen, data))
    second = ~chosen & (np.arange(600) % 3 == 0)
    check_against_scipy(chosen, second, data, mvx.separation(chosen, data, against=second))


def lead(seed: int) -> set[tuple[str, str]]:
    chosen, data = planted(seed)
    return {(row.view, row.feature) for row in mvx.separation(chosen, data).rows[:5]}


FIVE = {("left", str(j)) for j in range(1, 6)}


def test_what_was_planted_leads():
    assert lead(0) == FIVE
    chosen, data = planted(0)
    sentence = mvx.separation(chosen, data).sentence
    assert sentence.startswith("The 60 selected samples are higher in left ")
    assert " of 200 comparisons have q ≤ .05." in sentence


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(20))
def test_what_was_planted_leads_in_every_seed(seed):
    assert lead(seed) == FIVE


@pytest.mark.nightly
def test_shuffled_selections_are_rarely_called_different():
    _, data = planted(0)
    rng, claims = np.random.default_rng(1), 0
    for _ in range(200):
        chosen = np.zeros(600, bool)
        chosen[rng.choice(600, 60, replace=False)] = True
        claims += "much like the rest" not in mvx.separation(chosen, data).sentence
    assert claims <= 18  # nominal: 10


def test_samples_of_both_selections_are_left_out_and_told():
    chosen, data = planted(1)
    labels = np.where(np.arange(600) % 2 == 0, "even", "odd").astype(object)
    labelled = data.replace(labels=labels)
    first = int(np.flatnonzero(chosen)[0])
    second = ~chosen
    second[first] = True
    found = mvx.separation(chosen, labelled, against=second)
    assert (found.n_chosen, found.n_others, found.n_both) == (59, 540, 1)
    assert found.sentence.endswith("1 sample of both selections is left out.")
    even = next(row for row in found.rows if row.value == "even")
    assert even.words.endswith(" % of the other selection")
    alone = chosen.copy()
    alone[first] = False
    assert found.rows == mvx.separation(alone, labelled, against=~chosen).rows


@pytest.mark.parametrize(
    ("against", "says"),
    [
        (np.zeros(600, bool), "The second selection holds no sample"),
        (np.arange(4), "one truth value for each sample"),
    ],
)
def test_second_selections_that_compare_nothing_are_told(against, says):
    chosen, data = planted(1)
    with pytest.raises(mvx.errors.DataError, match=says):
        mvx.separation(chosen, data, against=against)


def test_of_two_nested_selections_the_smaller_is_compared_with_the_rest_of_the_larger():
    chosen, data = planted(1)
    larger = chosen | (np.arange(600) % 3 == 0)
    rest = larger & ~chosen
    inner, outer = mvx.separation(chosen, data, against=larger), mvx.separation(larger, data, against=chosen)
    assert inner.rows == mvx.separation(chosen, data, against=rest).rows
    assert outer.rows == mvx.separation(rest, data, against=chosen).rows
    assert (inner.n_chosen, inner.n_others, inner.n_both) == (60, int(rest.sum()), 0)
    assert inner.sentence.startswith(f"Compared with the other {rest.sum()} samples of the other selection, the 60 ")
    assert inner.sentence.endswith(" The selection lies in the other one, and is compared with the rest of that.")
    assert outer.sentence.endswith(" The other selection lies in this one, and is compared with the rest of it.")
    with pytest.raises(mvx.errors.DataError, match="Both selections hold the same samples"):
        mvx.separation(chosen, data, against=chosen)


def test_a_small_but_sure_difference_is_called_little():
    rng = np.random.default_rng(2)
    chosen = np.arange(4000) < 2000
    x = rng.normal(size=(4000, 1)) + 0.3 * chosen[:, None]
    sentence = mvx.separation(chosen, mvx.MultiView({"x": x})).sentence
    assert sentence.startswith("The 2,000 selected samples are a little higher in x 1 (d 0.")
    assert sentence.endswith(" 1 of 1 comparison has q ≤ .05.")


def test_what_cannot_be_compared_is_told():
    sentence = mvx.separation(np.arange(9) < 3, mvx.MultiView({"x": np.ones((9, 2))})).sentence
    assert sentence.endswith("like the rest: nothing varies between the two that could be compared.")


DAYS = [datetime(2024, 1, 1) + timedelta(days=i) for i in range(40)]
ELSEWHERE = [pd.Timestamp(day, tz="UTC").tz_convert("Pacific/Auckland") for day in DAYS]
DATES = {
    "numpy": np.array(DAYS, dtype="datetime64[D]"),
    "numpy, to the nanosecond": np.array(DAYS, dtype="datetime64[ns]"),
    "pandas": pd.Series(DAYS),
    "pandas with a time zone": pd.Series(ELSEWHERE),
    "polars": pl.Series(DAYS),
    "polars, days": pl.Series([day.date() for day in DAYS]),
    "Python": DAYS,
    "Python, days": [day.date() for day in DAYS],
    "ISO": [str(day.date()) for day in DAYS],
    "day first": [day.strftime("%d/%m/%Y") for day in DAYS],
    "texts of pandas": pd.Series([str(day.date()) for day in DAYS], dtype="string"),
    "categories of pandas": pd.Series([str(day.date()) for day in DAYS]).astype("category"),
}


@pytest.mark.parametrize("where", ["columns", "latent"])
@pytest.mark.parametrize("form", DATES)
def test_dates_are_earlier_or_later_in_whatever_form_they_come(form, where):
    chosen, days = np.arange(40) >= 30, np.arange(40.0)
    data = mvx.MultiView({"x": np.random.default_rng(0).normal(size=(40, 1))}, **{where: {"visit": DATES[form]}})
    (row,) = (row for row in mvx.separation(chosen, data).rows if row.kind in ("column", "hidden variable"))
    (usual,) = (
        row for row in mvx.separation(chosen, data.replace(**{where: {"visit": DATES["numpy"]}})).rows if row.dated
    )
    assert (row.words, row.inside) == (usual.words, usual.inside)
    test = mannwhitneyu(days[chosen], days[~chosen], method="asymptotic")
    assert (row.dated, row.auc, row.value) == (True, 1.0, "")
    assert row.p_raw == pytest.approx(test.pvalue, abs=1e-12)
    assert row.words.startswith("mean 2024-02-0")  # the mean of 31 January to 9 February
    assert " against 2024-01-1" in row.words  # of 1 to 30 January
    assert row.effect == pytest.approx(
        ttest_ind(days[chosen], days[~chosen]).statistic * np.sqrt(1 / 10 + 1 / 30), abs=1e-8
    )


def test_dates_that_are_missing_are_left_out_and_labels_of_dates_stay_classes():
    chosen = np.arange(40) >= 30
    gaps = {
        "texts": ["" if i % 4 == 0 else str(day.date()) for i, day in enumerate(DAYS)],
        "Python": [None if i % 4 == 0 else day for i, day in enumerate(DAYS)],
        "pandas": pd.Series([pd.NaT if i % 4 == 0 else day for i, day in enumerate(DAYS)]),
        "mixed": [day if i % 2 else f"no date {i}" for i, day in enumerate(DAYS)],
    }
    labels = ["2024-01-01" if i % 2 else "2024-02-01" for i in range(40)]
    data = mvx.MultiView({"x": np.arange(40.0)[:, None]}, labels=labels, columns=gaps)
    rows = mvx.separation(chosen, data).rows
    dated = {row.name: row for row in rows if row.dated}
    assert set(dated) == {"texts", "Python", "pandas"}
    assert len({(row.p_raw, row.words) for row in dated.values()}) == 1
    assert {row.value for row in rows if row.kind == "class"} == set(labels)
    assert not [row for row in rows if row.name.startswith("mixed")]  # it names nearly every sample


def test_a_column_of_texts_and_numbers_is_one_of_classes():
    mixed = np.array(["high", 3.5] * 20, dtype=object)
    rows = mvx.separation(
        np.arange(40) % 4 == 0, mvx.MultiView({"x": np.eye(40)[:, :1]}, columns={"mixed": mixed})
    ).rows
    assert {row.value for row in rows if row.kind == "column"} == {"high", "3.5"}
