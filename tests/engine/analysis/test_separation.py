"""What sets samples apart: against SciPy, counts and textbook formulas, and where there is little to tell."""

import numpy as np
import pytest
from scipy.stats import fisher_exact, mannwhitneyu

import mvexplorer as mvx
from mvexplorer.engine.analysis.contrasts import ContrastSubject, contrasts_of_numbers

RNG = np.random.default_rng(0)
N = 200
CHOSEN = np.arange(N) < 40
SOUND = RNG.normal(size=(N, 5))
SOUND[CHOSEN, 2] += 2.0
SOUND[:, 4] = 7.0
DIGITS = np.where(CHOSEN & (RNG.uniform(size=N) < 0.8), 9, RNG.integers(0, 9, N))


def data_of(**more):
    return mvx.MultiView({"fou": SOUND, "mor": RNG.normal(size=(N, 2))}, **more)


def rows_of(found, kind):
    return {row.name: row for row in found.rows if row.kind == kind}


def test_classes_and_features_are_told_in_one_sentence():
    found = mvx.separation(CHOSEN, data_of(labels=DIGITS, label_name="digit"))
    nine = rows_of(found, "class")["digit 9"]
    feature = rows_of(found, "feature")["fou 3"]
    share = round(100.0 * np.mean(DIGITS[CHOSEN] == 9))
    assert found.sentence == (
        f"The 40 selected samples are mostly digit 9 ({share} % of the selection, 0 % of the rest) and higher in fou 3 "
        f"(d {feature.effect:.1f}). 3 of 16 comparisons have q ≤ .05."
    )
    assert (nine.value, nine.source, feature.source) == ("9", "labels", "feature:fou:2")
    effects = [abs(row.effect) for row in found.rows]
    assert effects == sorted(effects, reverse=True)
    assert (found.n_chosen, found.n_others) == (40, 160)
    unnamed = mvx.separation(CHOSEN, data_of(labels=DIGITS)).sentence
    assert unnamed.startswith("The 40 selected samples are mostly class 9 (")


def test_effects_are_those_of_the_formulas():
    found = mvx.separation(CHOSEN, data_of(labels=DIGITS))
    x, y = SOUND[CHOSEN, 2], SOUND[~CHOSEN, 2]
    pooled = np.sqrt((39 * x.var(ddof=1) + 159 * y.var(ddof=1)) / 198)
    feature = rows_of(found, "feature")["fou 3"]
    assert feature.effect == pytest.approx((x.mean() - y.mean()) / pooled, abs=1e-12)
    assert feature.words == f"d {feature.effect:.1f}, AUC {mannwhitneyu(x, y).statistic / (40 * 160):.2f}"
    three = rows_of(found, "class")["3"]
    a, b = int(np.sum(DIGITS[CHOSEN] == 3)), int(np.sum(DIGITS[~CHOSEN] == 3))
    odds = np.log((a + 0.5) * (160 - b + 0.5) / ((b + 0.5) * (40 - a + 0.5)))
    assert three.effect == pytest.approx(odds * np.sqrt(3) / np.pi, abs=1e-12)
    assert (three.inside, three.outside) == (a / 40, b / 160)
    has_it = (DIGITS == 3) * 1.0
    assert three.auc == pytest.approx(mannwhitneyu(has_it[CHOSEN], has_it[~CHOSEN]).statistic / 6400, abs=1e-12)


def test_p_is_that_of_scipy_corrected_by_holm():
    found = mvx.separation(CHOSEN, data_of(labels=DIGITS))
    raw = {
        f"fou {j + 1}": mannwhitneyu(SOUND[CHOSEN, j], SOUND[~CHOSEN, j], method="asymptotic").pvalue for j in range(4)
    }
    alone = contrasts_of_numbers(CHOSEN, SOUND[:, :4], [ContrastSubject("feature", name) for name in raw])
    assert {row.name: row.p for row in alone} == pytest.approx(raw, rel=1e-9)
    n = len(found.rows)
    least = min(found.rows, key=lambda row: row.p)
    nine = fisher_exact([[np.sum(DIGITS[CHOSEN] == 9), 0], [np.sum(DIGITS[CHOSEN] != 9), 160]]).pvalue
    assert least.p == pytest.approx(n * min(raw["fou 3"], nine), rel=1e-9)
    assert rows_of(found, "feature")["fou 1"].p == 1.0


def test_every_p_is_corrected_by_its_own_place_among_them():
    """Holm: the k-th smallest of n times n - k + 1, and never less than one before it."""
    X = np.random.default_rng(1).normal(size=(N, 6))
    X[CHOSEN] += [0.6, 0.5, 0.45, 0.4, 0.0, 0.0]
    rows = rows_of(mvx.separation(CHOSEN, mvx.MultiView({"x": X})), "feature")
    raw = [mannwhitneyu(X[CHOSEN, j], X[~CHOSEN, j], method="asymptotic").pvalue for j in range(6)]
    steps = [(6 - place) * p for place, p in enumerate(sorted(raw))]
    expected = {p: min(1.0, max(steps[: place + 1])) for place, p in enumerate(sorted(raw))}
    assert [rows[f"x {j + 1}"].p for j in range(6)] == pytest.approx([expected[p] for p in raw], rel=1e-9)
    assert sum(p < 0.9 for p in expected.values()) >= 4  # or their places would make no difference


def test_what_says_nothing_has_no_row():
    texts = np.array([f"name {i}" for i in range(N)])
    site = np.where(CHOSEN, "north", "south").astype(object)
    site[:3] = ""
    holed = SOUND[:, 2].copy()
    holed[::2] = np.nan
    found = mvx.separation(
        CHOSEN,
        data_of(labels=["one"] * N, columns={"note": texts, "site": site, "weight": holed}),
        coordinates=SOUND[:, :1],
    )
    assert rows_of(found, "class") == {}
    assert set(rows_of(found, "column")) == {"site north", "site south", "weight"}
    assert rows_of(found, "column")["site north"].words == "100 % of the selection, 0 % of the rest"
    assert "fou 5" not in rows_of(found, "feature")
    assert set(rows_of(found, "coordinate")) == {"1"}
    x, y = holed[CHOSEN & np.isfinite(holed)], holed[~CHOSEN & np.isfinite(holed)]
    assert rows_of(found, "column")["weight"].inside == pytest.approx(x.mean())
    assert rows_of(found, "column")["weight"].outside == pytest.approx(y.mean())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [1e200, 1e-200])
def test_effects_do_not_depend_on_units(unit):
    x = np.random.default_rng(0).normal(size=(40, 1))
    chosen = x[:, 0] + np.arange(40) / 20 > 1.0
    about = [ContrastSubject("feature", "x")]
    (ours,), (plain,) = contrasts_of_numbers(chosen, unit * x, about), contrasts_of_numbers(chosen, x, about)
    assert ours.effect == pytest.approx(plain.effect)
    assert ours.inside == pytest.approx(unit * plain.inside)


def test_missing_labels_are_left_out():
    labels = DIGITS.astype(float)
    labels[CHOSEN & (DIGITS != 9)] = np.nan
    found = mvx.separation(CHOSEN, data_of(labels=labels))
    assert found.sentence.startswith("The 40 selected samples are mostly class 9 (")
    nine = rows_of(found, "class")["9"]
    assert nine.words == "100 % of the selection, 0 % of the rest"
    labels[CHOSEN] = np.nan
    assert rows_of(mvx.separation(CHOSEN, data_of(labels=labels)), "class") == {}


def test_a_selection_of_one_class_is_told_as_all():
    nines = mvx.separation(DIGITS == 9, data_of(labels=DIGITS))
    first, _, second = nines.sentence.partition("; ")
    assert first == f"All {nines.n_chosen} selected samples are class 9 (100 % of the selection, 0 % of the rest)"
    assert second.startswith("on average they are ")


def test_chance_is_called_chance():
    few = np.isin(np.arange(N), [3, 70, 120])
    assert "drawn at random" in mvx.separation(few, data_of()).sentence
    one = mvx.separation(np.arange(N) == 5, data_of())
    assert one.sentence.startswith("The selected sample is")
    assert all(np.isfinite([row.effect, row.p]).all() for row in one.rows)
    noise = mvx.separation(RNG.uniform(size=N) < 0.5, mvx.MultiView({"noise": RNG.normal(size=(N, 2))}))
    assert "are much like the rest: none of 2 comparisons has q ≤ .05 (the least is" in noise.sentence


def test_a_feature_that_is_a_copy_of_the_choice_has_a_finite_effect():
    found = mvx.separation(CHOSEN, mvx.MultiView({"copy": CHOSEN[:, None] * 1.0}))
    assert 10.0 < found.rows[0].effect < np.inf


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        (np.zeros(N, bool), "No sample is selected"),
        (np.ones(N, bool), "All samples are selected"),
        (np.arange(3), "one truth value for each sample"),
    ],
)
def test_choices_that_compare_nothing_are_told(chosen, says):
    with pytest.raises(mvx.errors.DataError, match=says):
        mvx.separation(chosen, data_of())


def test_a_class_that_they_lack_is_named_where_they_hold_more_of_none():
    labels = np.arange(N) % 10
    chosen = (labels != 8) & (np.arange(N) % 3 == 0)
    found = mvx.separation(chosen, mvx.MultiView({"noise": RNG.normal(size=(N, 1))}, labels=labels))
    assert "less often class 8 (0 % of the selection" in found.sentence


@pytest.mark.filterwarnings("error")
def test_columns_without_a_number_on_one_side_or_at_all_have_no_row():
    one_side = np.where(CHOSEN, 1.0 * np.arange(N), np.nan)
    odd = {
        "none": np.full(N, np.nan), "one side": one_side, "infinite": np.full(N, np.inf), "blank": [""] * N,
        "nothing": [None] * N, "no date": np.full(N, np.datetime64("NaT", "D")), "one truth": np.ones(N, bool),
    }  # fmt: skip
    assert rows_of(mvx.separation(CHOSEN, data_of(columns=odd)), "column") == {}
    flat = mvx.separation(CHOSEN, mvx.MultiView({"x": np.ones((N, 2))}, columns=odd))
    assert flat.sentence == (
        "The 40 selected samples are like the rest: nothing varies between the two that could be compared."
    )


def test_a_column_of_classes_that_leads_is_told_by_how_much():
    where = np.where(CHOSEN, "north", np.where(np.arange(N) % 2, "north", "south"))
    noise = {"noise": np.random.default_rng(3).normal(size=(N, 2))}
    found = mvx.separation(CHOSEN, mvx.MultiView(noise, columns={"site": where}))
    assert found.sentence.startswith("The 40 selected samples are mostly site north (100 % of the selection, 50 % of")
    others = mvx.separation(~CHOSEN, mvx.MultiView(noise, columns={"site": where}))
    assert others.sentence.startswith(
        "The 160 selected samples are less often site north (50 % of the selection, 100 %"
    )
    towns = [f"town {k}" for k in range(10)]
    sites = ["north"] * 1200 + towns * 80 + ["north"] * 1040 + towns * 96
    often = mvx.separation(np.arange(4000) < 2000, mvx.MultiView({"x": np.ones((4000, 1))}, columns={"site": sites}))
    assert " are a little more often site north (60 % of the selection, 52 % of the rest)." in often.sentence
    few = np.where(np.arange(2000) % 10 < 6, "north", "south")
    few[:1000][np.arange(1000) % 20 == 0] = "south"
    little = mvx.separation(np.arange(2000) < 1000, mvx.MultiView({"x": np.ones((2000, 1))}, columns={"site": few}))
    assert " are a little more often site south (45 % of the selection, 40 % of the rest)." in little.sentence
