"""Bandwidth rules against formulas written out, and the little language in which ε is given."""

import dense
import numpy as np
import pytest

from mvexplorer.compute.run.blocks import BlockExecutor
from mvexplorer.engine.api.embedding import embed, select_epsilon
from mvexplorer.engine.bandwidth.manifold_scaling import manifold_scaling
from mvexplorer.engine.bandwidth.rules.growth import row_sum_curve
from mvexplorer.engine.bandwidth.table import Bandwidth, bandwidth_rules, get_rule, parse_bandwidth, parse_epsilon
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.dimension.log_sum import log_sum_range
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.errors import DataError, ParameterError

RULES = [rule.id for rule in bandwidth_rules() if not rule.needs_labels and rule.id != "manifold"]
"""Rules of the distances alone: those of classes have their own tests, and feature weights absorb every unit."""


def median(X):
    return np.median(dense.squared(X)[np.triu_indices(len(X), 1)])


def std(X):
    return X.var(axis=0).sum()


def max_min(X, C=1.0):
    D = dense.squared(X)
    return C * max(min(D[i, j] for j in range(len(X)) if D[i, j] > 0) for i in range(len(X)))


def self_tuning(X, r=7):
    return np.median([np.sort(row)[r] for row in dense.squared(X)]) / 2


def algorithm_1(X, others):
    """S^lm = Σ_ij (K^l K^m)_ij with the products formed; the first plateau of its slope; the largest over m."""

    def kernels(Y):
        sigma = np.logspace(-3, 1.5, 61) * np.sqrt(median(Y))
        return sigma, [dense.gaussian(Y, s**2) for s in sigma]

    sigma, Ks = kernels(X)
    found = []
    for Y in others:
        low = kernels(Y)[1][0]
        S = np.array([(K @ low).sum() for K in Ks])
        slope = np.gradient(np.log(S), np.log(sigma))
        bend = np.gradient(slope, np.log(sigma))
        good = [s for s, a, b in zip(sigma, slope, bend, strict=True) if a >= 0.5 and abs(b) <= 0.25 * a]
        found.append(good[0] if good else sigma[slope >= 0.9 * slope.max()][0])
    return max(found) ** 2


def test_letters_tell_rules_apart():
    letters = [rule.letter for rule in bandwidth_rules()]
    assert len(set(letters)) == len(letters)


@pytest.mark.validates("rule:max-min", "rule:median", "rule:std", "rule:self-tuning")
@pytest.mark.parametrize("n_samples", [10, 61, 300])
@pytest.mark.parametrize(
    ("rule", "formula"), [("median", median), ("std", std), ("max-min", max_min), ("self-tuning", self_tuning)]
)
def test_rule_against_formula(rule, formula, n_samples):
    Xs, _ = dense.views(n_samples, 3)
    np.testing.assert_allclose(select_epsilon(Xs, rule), [formula(X) for X in Xs], rtol=1e-10)


@pytest.mark.parametrize("far", [1.0, 1e6])
def test_row_sums_of_algorithm_1_in_single_precision_on_several_threads(far):
    pool = BlockExecutor(3)
    X = np.random.default_rng(0).standard_normal((300, 4))
    X[0] *= far
    sigma, sums = row_sum_curve(Stages(MultiView([X]), (0,), task=Task(run_all=pool.run_all)), 0)
    pool.shutdown()
    _, alone = row_sum_curve(Stages(MultiView([X]), (0,)), 0)
    D = dense.squared(X)
    expected = np.array([np.exp(-D / (2 * s**2)).sum(axis=1) for s in sigma])
    np.testing.assert_allclose(sums, expected, rtol=1e-5)
    np.testing.assert_array_equal(sums, alone)


@pytest.mark.validates("rule:multiview")
@pytest.mark.parametrize("n_samples", [30, 120])
@pytest.mark.parametrize("n_views", [2, 3])
def test_algorithm_1_against_formula(n_views, n_samples):
    Xs, _ = dense.views(n_samples, n_views)
    expected = [algorithm_1(X, [Y for Y in Xs if Y is not X]) for X in Xs]
    np.testing.assert_allclose(select_epsilon(Xs, "multiview"), expected, rtol=1e-10)


@pytest.mark.validates("rule:max-min")
def test_max_min_by_hand():
    """Points 0, 1, 3, 7: the loneliest is 7, at 4 from its neighbour. Duplicates are not neighbours."""
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    assert select_epsilon([X], "max-min") == (16.0,)
    assert select_epsilon([np.vstack([X, X, X])], "max-min") == (16.0,)
    assert select_epsilon([X], "max-min", C=1.5) == (24.0,)


def test_median_where_most_pairs_coincide():
    X = np.array([[0.0]] * 8 + [[3.0], [3.0]])
    assert select_epsilon([X], "median") == (9.0,)


@pytest.mark.parametrize("rule", RULES)
def test_scale_equivariance(rule):
    """ε(3X) = 9 ε(X), in every view."""
    Xs, _ = dense.views(80, 3)
    once, thrice = select_epsilon(Xs, rule), select_epsilon([3 * X for X in Xs], rule)
    np.testing.assert_allclose(thrice, 9 * np.array(once), rtol=1e-9)


@pytest.mark.parametrize("rule", RULES)
def test_rotation_and_order_do_not_matter(rule):
    Xs, _ = dense.views(60, 2)
    order = np.random.default_rng(0).permutation(60)
    rotated = [X[order] @ np.linalg.qr(np.random.default_rng(1).standard_normal((X.shape[1],) * 2))[0] + 5 for X in Xs]
    np.testing.assert_allclose(select_epsilon(rotated, rule), select_epsilon(Xs, rule), rtol=1e-9)


@pytest.mark.parametrize("rule", RULES)
def test_duplicates(rule):
    Xs, _ = dense.views(40, 2)
    epsilon = select_epsilon([np.repeat(X, 3, axis=0) for X in Xs], rule)
    assert all(0 < e < np.inf for e in epsilon)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("constant", [0.0, 1e9])
def test_constant_view(rule, constant):
    Xs, _ = dense.views(40, 2)
    data = MultiView([Xs[0], np.full((40, 2), constant)], view_names=["a", "flat"])
    with pytest.raises(DataError, match=r"All samples of view “flat” are the same point.*Leave the view out"):
        select_epsilon(data, rule)


def test_a_spread_too_small_to_be_squared():
    with pytest.raises(DataError, match=r"too small to be squared.*z-score it"):
        select_epsilon([1e-200 * np.arange(10.0)[:, None]], "max-min")


def test_rules_see_the_preprocessed_view():
    Xs, _ = dense.views(50, 1)
    X = Xs[0] * [1, 100] + 7
    data = MultiView([X], preprocess="zscore")
    np.testing.assert_allclose(select_epsilon(data, "std"), [2.0], rtol=1e-12)
    np.testing.assert_allclose(select_epsilon(data, "median"), [median((X - X.mean(0)) / X.std(0))], rtol=1e-10)


def test_views_are_chosen_by_name():
    Xs, _ = dense.views(40, 3)
    assert select_epsilon(Xs, "std", views=["view3", "view1"]) == pytest.approx((std(Xs[2]), std(Xs[0])))


def test_algorithm_1_needs_two_views():
    Xs, _ = dense.views(40, 1)
    with pytest.raises(ParameterError, match="compares two views"):
        select_epsilon(Xs, "multiview")


def test_algorithm_1_looks_at_all_views_offered():
    """A single view's ε comes from its comparison with the others, also where the method uses it alone."""
    Xs, _ = dense.views(60, 3)
    expected = select_epsilon(Xs, "multiview")
    for i in range(3):
        assert embed(Xs, "single", view=f"view{i + 1}", epsilon="multiview").epsilon == (expected[i],)


@pytest.mark.parametrize(("C", "hint"), [(0, "number from"), (-1, "number from"), (float("nan"), "number from")])
def test_rule_parameters_are_checked(C, hint):
    Xs, _ = dense.views(40, 1)
    with pytest.raises(ParameterError, match=hint):
        select_epsilon(Xs, "max-min", C=C)
    with pytest.raises(ParameterError, match=r"The rule median has no parameter called C. Its parameters: none"):
        select_epsilon(Xs, "median", C=1)


def test_unknown_rule():
    expected = r"no bandwidth rule called “best”. Rules: max-min, robust, median, std, self-tuning, log-sum, multiview"
    with pytest.raises(ParameterError, match=expected):
        get_rule("best")


@pytest.mark.parametrize(
    ("given", "factor", "rule"),
    [
        (2, 2.0, None),
        (0.25, 0.25, None),
        (np.float32(0.5), 0.5, None),
        ("1.5", 1.5, None),
        (" 1e-3 ", 1e-3, None),
        ("median", 1.0, "median"),
        ("2*median", 2.0, "median"),
        ("median*2", 2.0, "median"),
        ("0.5 × max-min", 0.5, "max-min"),
        ("median/9", 1 / 9, "median"),
        ("std / 4", 0.25, "std"),
        (Bandwidth(3.0, "std"), 3.0, "std"),
    ],
)
def test_parse_bandwidth(given, factor, rule):
    assert parse_bandwidth(given) == Bandwidth(pytest.approx(factor), rule)


@pytest.mark.parametrize(
    "given",
    [0, -1, float("nan"), float("inf"), None, [1, 2], "0", "-3", "nan", "inf", "", "*", "/", "*median", "median*",
     "median/", "median/0", "median/inf", "0*median", "-1*median", "nan*median", "mean", "2*mean", "__import__('os')",
     "median/9/2", "median**2", "2+2"],
)  # fmt: skip
def test_parse_bandwidth_refuses(given):
    with pytest.raises(ParameterError) as caught:
        parse_bandwidth(given)
    assert caught.value.message
    assert caught.value.hint


def test_parse_epsilon():
    names = ("fou", "fac")
    one = Bandwidth(1.2)
    assert parse_epsilon(1.2, names) == (one, one)
    assert parse_epsilon("median/9", names) == (Bandwidth(1 / 9, "median"),) * 2
    for both in ([1.2, "median"], (1.2, "median"), {"fac": "median", "fou": 1.2}, "fou:1.2,fac:median"):
        assert parse_epsilon(both, names) == (one, Bandwidth(1.0, "median"))
    assert parse_epsilon(" fac : median , fou : 1.2", names) == (one, Bandwidth(1.0, "median"))
    assert parse_epsilon(np.array([1.2, 2.0]), names) == (one, Bandwidth(2.0))


def test_parse_epsilon_refuses():
    names = ("fou", "fac")
    with pytest.raises(ParameterError, match=r"There are 3 bandwidths for 2 views. Give one for each of fou, fac"):
        parse_epsilon([1, 2, 3], names)
    with pytest.raises(ParameterError, match="No bandwidth is given for view fac"):
        parse_epsilon("fou:1", names)
    with pytest.raises(ParameterError, match="no bandwidth rule called “x”"):
        parse_epsilon({"fou": 1, "fac": "x"}, names)
    with pytest.raises(ParameterError, match=r"is 1000000000.*, not a number"):
        parse_epsilon({"fou": 1, "fac": 10**400}, names)


def test_epsilon_of_an_embedding():
    Xs, _ = dense.views(40, 2)
    medians = np.array(select_epsilon(Xs, "median"))
    assert embed(Xs, epsilon="median/9").epsilon == pytest.approx(tuple(medians / 9))
    assert embed(Xs, epsilon=[0.5, "2*median"]).epsilon == pytest.approx((0.5, 2 * medians[1]))
    assert embed(Xs, epsilon="view2:1,view1:3").epsilon == (3.0, 1.0)
    assert embed(Xs, "single", view="view2", epsilon=[0.5, 7]).epsilon == (7.0,)
    with pytest.raises(ParameterError, match="The bandwidth ε of view “view1” is"):
        embed(Xs, epsilon=[Bandwidth(float("inf")), 1])


def test_the_first_plateau_is_steep_enough_and_straight():
    from mvexplorer.engine.bandwidth.rules.growth import _first_plateau

    x = np.linspace(-3.0, 3.0, 61)
    # Flat, then straight at slope .3 (too shallow), then straight at slope 1: the third piece is meant.
    log_s = np.where(x < -1, 0.0, np.where(x < 1, 0.3 * (x + 1), 0.6 + (x - 1)))
    found = np.log(_first_plateau(np.exp(x), np.exp(log_s)))
    assert 1.0 <= found <= 1.3
    # Nothing straight: where the slope comes within a tenth of the steepest.
    log_s = np.exp(2.0 * x)
    slope = np.gradient(log_s, x)
    expected = x[np.argmax(slope >= 0.9 * slope.max())]
    assert np.log(_first_plateau(np.exp(x), np.exp(log_s))) == pytest.approx(expected)


def test_a_plateau_counts_from_slope_one_half_on():
    """Algorithm 1 takes the first straight piece of slope ≥ .5: none of .45 before it, no steeper one after it."""
    from mvexplorer.engine.bandwidth.rules.growth import _first_plateau

    x = np.linspace(-3.0, 3.0, 61)
    for first, second, start in ((0.45, 0.55, 1.0), (0.55, 1.0, -1.0)):
        log_s = np.where(x < -1, 0.0, np.where(x < 1, first * (x + 1), 2 * first + second * (x - 1)))
        assert start <= np.log(_first_plateau(np.exp(x), np.exp(log_s))) <= start + 0.3


# --- rules that weigh features ----------------------------------------------------------------------------------------


@pytest.mark.validates("rule:log-sum")
@pytest.mark.filterwarnings("ignore:This ε of view")
def test_rules_with_engines_of_their_own():
    Xs, _ = dense.views(120, 2)
    expected = [log_sum_range(dense.squared(X)).epsilon_0 for X in Xs]
    np.testing.assert_allclose(select_epsilon(Xs, "log-sum"), expected, rtol=1e-9)
    found = manifold_scaling(Xs[1], dimension=2)
    assert select_epsilon(Xs, "manifold", dimension=2)[1] == pytest.approx(found.epsilon)


def test_a_rule_with_weights_embeds_the_weighted_view():
    X = np.hstack([dense.views(90, 1)[0][0], 3.0 * np.random.default_rng(0).standard_normal((90, 3))])
    learnt = manifold_scaling(X)
    expected = embed([X * learnt.weights], "single", epsilon=learnt.epsilon)
    found = embed([X], "single", epsilon="manifold")
    np.testing.assert_allclose(found.coordinates, expected.coordinates, atol=1e-9)
    assert found.epsilon == pytest.approx((learnt.epsilon,))
    np.testing.assert_allclose(found.transform([X]), found.coordinates, atol=1e-7)
    half = embed([X], "single", epsilon="0.5*manifold")
    assert half.epsilon[0] == pytest.approx(0.5 * learnt.epsilon)


def test_weights_of_features_are_part_of_the_data():
    X = dense.views(60, 3)[0][2]
    weights = [1.0, 0.0, 2.0, 0.5][: X.shape[1]]
    data = MultiView([X, X], feature_weights=[None, weights])
    assert data.view_key(0) != data.view_key(1)
    np.testing.assert_array_equal(data.take([3, 5, 8]).feature_weights[1], weights)
    scored = MultiView([X], preprocess="zscore", feature_weights=[weights])
    expected = embed([(X - X.mean(axis=0)) / X.std(axis=0) * weights], "single", epsilon=0.5).coordinates
    np.testing.assert_allclose(embed(scored, "single", epsilon=0.5).coordinates, expected, atol=1e-9)


@pytest.mark.parametrize("weights", [[1.0], [-1.0, 1.0], [0.0, 0.0], [np.nan, 1.0]])
def test_weights_that_do_not_fit(weights):
    with pytest.raises(DataError, match=r"The feature weights of view “view1” do not fit its 2 features. Give one"):
        MultiView([np.eye(3)[:, :2]], feature_weights=[weights])


@pytest.mark.filterwarnings("ignore:This ε of view")
def test_the_per_feature_form_of_the_standard_deviation():
    Xs, _ = dense.views(50, 2)
    assert select_epsilon(Xs, "std", scaling="features") == (1.0, 1.0)
    rule = get_rule("std")
    X = np.column_stack([Xs[0], np.ones(50)])
    weights, epsilon = rule.weigh(Stages(MultiView([X]), (0,)), 0, {"scaling": "features"})
    np.testing.assert_allclose(weights, [*(1 / Xs[0].std(axis=0)), 0.0])
    assert epsilon == 1.0


def test_feature_weights_need_euclidean_distances():
    with pytest.raises(DataError, match=r"Feature weights need Euclidean distances, which the kernel of view “view1”"):
        select_epsilon(dense.views(40, 1)[0], "manifold", kernel="laplacian")


def test_a_neighbour_that_is_not_there():
    with pytest.raises(ParameterError, match=r"There is no neighbour number 40 among 40 samples. Give r of at most 39"):
        select_epsilon(dense.views(40, 1)[0], "self-tuning", r=40)


def test_no_rules_letter_can_be_taken_for_anothers():
    letters = [rule.letter for rule in bandwidth_rules()]
    assert len(set(letters)) == len(letters)
    for alike in ("lI1|i!", "O0oQ", "S5s", "B8", "Z2z", "g9q", "PpρΡ", "ΨψY"):
        assert sum(letter in alike for letter in letters) <= 1, alike
