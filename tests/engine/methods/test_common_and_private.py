"""What is common, what is private and where views differ: what must not matter to these methods, and their edges."""

import dense
import dense_ingredients as plain
import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import rankdata

import mvexplorer as mvx
from mvexplorer.engine.analysis import between_views
from mvexplorer.engine.analysis.between_views import commutator, differing_share
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.shuffles import circular_shifts, order_maker, shifts_apart
from mvexplorer.engine.methods import difference
from mvexplorer.engine.methods.difference import doubly_stochastic
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.errors import ComputeError, DataError, ParameterError

FOUR = {
    "jointly-smooth": {"n_smooth": 8},
    "view-specific": {"n_smooth": 8},
    "difference": {},
    "alternating": {"symmetric": True},
}
"""The methods, with few smooth functions."""
EVERY = pytest.mark.parametrize(("method", "given"), FOUR.items(), ids=[*FOUR])


def medians(data, factor=1.0):
    return [factor * float(np.median(pdist(X, "sqeuclidean"))) for X in data.Xs]


def independent(seed=5):
    """One torus, and a view that knows nothing of it, each with an ε."""
    torus = mvx.datasets.make_tori().Xs[0]
    data = MultiView([torus, np.random.default_rng(seed).standard_normal((600, 3))])
    return data, medians(data, 0.3)


def two_views(n_samples=120, seed=0):
    Xs, epsilon = dense.views(n_samples, 2, seed)
    return Xs, [4 * e for e in epsilon]


def walk(X, epsilon, *, loops=False):
    """The doubly stochastic walk of a view, by plain algebra."""
    K = dense.gaussian(X, epsilon)
    if not loops:
        np.fill_diagonal(K, 0.0)
    x = plain.scaling(K)
    return x[:, None] * K * x


def smooth(X, epsilon, d):
    """An orthonormal basis (M, d) of the leading eigenfunctions of one view's walk."""
    return np.linalg.qr(dense.walk(dense.gaussian(X, epsilon))[1][:, :d])[0]


def gammas(bases):
    """All γ but the constant's, by singular values."""
    sigma = np.linalg.svd(np.hstack(bases), compute_uv=False)
    return (sigma[1:] ** 2 - 1) / (len(bases) - 1)


def reach(W):
    return len(W) / np.square(W).sum()


def stages_of(Xs, epsilon, **params):
    return Stages(MultiView(list(Xs)), range(len(Xs)), epsilon, {"n_components": 2, "match_reach": True} | params)


def area(scores, positive):
    """Area under the ROC curve."""
    ranks, n = rankdata(scores), int(positive.sum())
    return (ranks[positive].sum() - n * (n + 1) / 2) / (n * (~positive).sum())


def explained(Y, target):
    """R² of some columns by the mean over ten nearest neighbours, the sample itself left out."""
    near = np.argsort(dense.squared(Y) + np.diag(np.full(len(Y), np.inf)), axis=1)[:, :10]
    missed = target - target[near].mean(axis=1)
    return 1 - np.square(missed).sum() / np.square(target - target.mean(axis=0)).sum()


def circle(angle):
    return np.column_stack([np.cos(angle), np.sin(angle)])


def same_up_to_signs(ours, theirs, atol=1e-6):
    signs = np.sign((ours * theirs).sum(axis=0))
    np.testing.assert_allclose(ours * signs, theirs, rtol=0, atol=atol)


# What does not matter -------------------------------------------------------------------------------------------------


@EVERY
def test_the_order_of_samples_does_not_matter(method, given):
    Xs, epsilon = two_views()
    e = mvx.embed(Xs, method, epsilon=epsilon, n_components=3, **given)
    order = np.random.default_rng(1).permutation(len(Xs[0]))
    moved = mvx.embed([X[order] for X in Xs], method, epsilon=epsilon, n_components=3, **given)
    np.testing.assert_allclose(moved.eigenvalues, e.eigenvalues, rtol=0, atol=1e-8)
    same_up_to_signs(moved.coordinates, e.coordinates[order])


@EVERY
def test_the_units_of_views_do_not_matter(method, given):
    Xs, epsilon = two_views()
    e = mvx.embed(Xs, method, epsilon=epsilon, n_components=3, **given)
    times = (1e3, 1e-2)
    scaled = [s**2 * each for s, each in zip(times, epsilon, strict=True)]
    larger = mvx.embed([s * X for s, X in zip(times, Xs, strict=True)], method, epsilon=scaled, n_components=3, **given)
    np.testing.assert_allclose(larger.eigenvalues, e.eigenvalues, rtol=0, atol=1e-8)
    same_up_to_signs(larger.coordinates, e.coordinates)


@pytest.mark.parametrize("method", ["jointly-smooth", "alternating"])
def test_which_view_is_the_first_does_not_matter_to_what_is_common(method):
    Xs, epsilon = two_views()
    e, turned = (
        mvx.embed(Xs[::step], method, epsilon=epsilon[::step], n_components=3, **FOUR[method]) for step in (1, -1)
    )
    np.testing.assert_allclose(turned.eigenvalues, e.eigenvalues, rtol=0, atol=1e-8)
    same_up_to_signs(turned.coordinates, e.coordinates)


# A view twice, and a view that knows nothing --------------------------------------------------------------------------


def test_a_view_beyond_its_own_copy_has_what_its_leading_functions_leave():
    """Its eigenvalues are those of its walk beside its own functions: below the next one, at most by little."""
    Xs, epsilon = two_views(200)
    e = mvx.embed([Xs[0], Xs[0].copy()], "view-specific", epsilon=epsilon[0], n_smooth=8, n_components=3)
    W, Q = walk(Xs[0], epsilon[0], loops=True), smooth(Xs[0], epsilon[0], 8)
    rest = np.eye(200) - Q @ Q.T
    np.testing.assert_allclose(e.eigenvalues, np.linalg.eigvalsh(rest @ W @ rest)[::-1][:3], rtol=0, atol=1e-8)
    assert e.eigenvalues[0] == pytest.approx(np.linalg.eigvalsh(W)[::-1][8], abs=0.05)
    assert e.info["own_value"] == pytest.approx(np.linalg.eigvalsh(W)[::-1][8], abs=1e-9)


def test_between_a_view_and_its_copy_there_is_no_difference():
    Xs, epsilon = two_views()
    e = mvx.embed([Xs[0], Xs[0].copy()], "difference", epsilon=epsilon[0], n_components=3)
    assert np.abs(e.eigenvalues).max(initial=0.0) <= 1e-12
    assert np.abs(e.coordinates).max(initial=0.0) <= 1e-9
    assert "matched-reach" not in dict(e.warnings)


def test_both_orders_of_a_view_and_its_copy_are_two_steps_in_it():
    Xs, epsilon = two_views()
    e = mvx.embed([Xs[0], Xs[0].copy()], "alternating", epsilon=epsilon[0], n_components=4, symmetric=True)
    squares = np.sort(np.linalg.eigvalsh(walk(Xs[0], epsilon[0])) ** 2)[::-1]
    np.testing.assert_allclose(e.eigenvalues, squares[:5], rtol=0, atol=1e-9)


def test_beyond_an_independent_view_all_that_a_view_knows_is_its_own():
    data, epsilon = independent()
    e = mvx.embed(data, "view-specific", epsilon=epsilon, n_components=4)
    own = np.linalg.eigvalsh(walk(data.Xs[0], epsilon[0], loops=True))[::-1]
    assert np.all(e.eigenvalues <= own[1:5] + 1e-9)
    np.testing.assert_allclose(e.eigenvalues, own[1:5], rtol=0, atol=0.03)
    truth = mvx.datasets.make_tori().latent
    assert min(explained(e.coordinates, circle(truth[angle])) for angle in "ze") >= 0.9
    assert "nothing-specific" not in dict(e.warnings)


def test_with_an_independent_view_next_to_nothing_survives_both_orders():
    data, epsilon = independent()
    alone = mvx.embed(data, "alternating", epsilon=epsilon, symmetric=True).eigenvalues[1]
    tori = mvx.datasets.make_tori()
    common = mvx.embed(tori, "alternating", epsilon=medians(tori, 0.3), symmetric=True).eigenvalues[1]
    assert alone <= 0.02 < 0.1 < common


def test_where_views_have_variables_of_their_own_they_differ_everywhere():
    """A difference tells nothing there: no sample stands out, as those at touches do."""
    latent, rolls = mvx.datasets.make_shared_latent(), mvx.datasets.make_touching_rolls(random_state=0)
    everywhere = differing_share(stages_of(latent.Xs, medians(latent, 0.1)))
    assert np.median(everywhere) == pytest.approx(0.7, abs=0.05)
    assert everywhere.min() >= 0.5
    touches = differing_share(stages_of(rolls.Xs, medians(rolls, 0.03)))
    assert np.mean(touches) == pytest.approx(0.06, abs=0.01)
    assert touches.max() >= 5 * np.median(touches)


# The band ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_views", [2, 3, 5])
def test_the_line_is_what_free_subspaces_have_in_common(n_views):
    """Against the largest γ of random spans, the constant in all of them."""
    M, d = 900, 60
    spans = np.random.default_rng(n_views).standard_normal((n_views, M, d - 1))
    bases = [np.column_stack([np.full(M, M**-0.5), np.linalg.qr(X - X.mean(axis=0))[0]]) for X in spans]
    data = MultiView([*np.random.default_rng(0).standard_normal((n_views, M, 3))])
    draft = mvx.embed(data, "jointly-smooth", epsilon=1.0, n_smooth=d, interactive=True)
    assert draft.info["common_band"] == pytest.approx(gammas(bases)[0], abs=0.03)


def wandering(n_views, n_samples=240):
    """Views of slow smooth curves, in time, of periods that have nothing to do with each other."""
    t, Xs = np.arange(n_samples) / n_samples, []
    for v in range(n_views):
        k = np.sqrt(np.arange(2, 8) * (v + 2.0))
        phase = np.random.default_rng(v).uniform(0, 2 * np.pi, (2, 6))
        Xs.append(np.stack([(np.cos(2 * np.pi * np.outer(t, k) + p) / k).sum(axis=1) for p in phase], axis=1))
    return MultiView(Xs)


@pytest.mark.parametrize("n_views", [2, 3])
def test_the_band_of_samples_in_time_is_that_of_views_shifted_against_each_other(n_views):
    data = wandering(n_views)
    epsilon = medians(data, 0.1)
    e = mvx.embed(data, "jointly-smooth", epsilon=epsilon, n_smooth=8, n_components=3)
    assert e.info["common_band_by_shifts"] == 1
    bases = [smooth(X, s, 8) for X, s in zip(data.Xs, epsilon, strict=True)]
    bands = []
    for number in range(19):
        shifts = shifts_apart(240, n_views - 1, number, 0)
        bands.append(gammas([bases[0], *(np.roll(W, s, axis=0) for W, s in zip(bases[1:], shifts, strict=True))])[0])
    assert e.info["common_band"] == pytest.approx(max(bands), abs=1e-7)


@pytest.mark.parametrize("n_views", [3, 5])
def test_walks_that_know_nothing_of_each_other_have_next_to_nothing_in_common(n_views):
    """Each is smooth in time, at other samples than the others: shuffled rows would call a dozen functions common."""
    steps = np.random.default_rng(3).standard_normal((n_views, 400, 2))
    data = MultiView([*np.cumsum(steps, axis=1)])
    e = mvx.embed(data, "jointly-smooth", epsilon=medians(data, 0.3), n_components=12)
    assert e.info["common_band_by_shifts"] == 1
    assert e.info["common_functions"] <= 1


@pytest.mark.parametrize(("n_samples", "count"), [(240, 1), (240, 4), (57, 2), (30, 5)])
def test_every_two_views_are_shifted_by_a_tenth_or_more(n_samples, count):
    seen = set()
    for number in range(19):
        shifts = [0, *shifts_apart(n_samples, count, number, 3)]
        for i, one in enumerate(shifts):
            for other in shifts[:i]:
                apart = abs(one - other)
                assert min(apart, n_samples - apart) >= n_samples / 10
        seen.add(tuple(shifts))
    assert len(seen) == 19
    first = order_maker("circular", n_samples, np.arange(n_samples), 4)
    assert all(shifts_apart(n_samples, count, n, 3)[0] == first(n).tolist().index(0) for n in range(19))


def test_of_more_views_than_tenths_shifts_are_as_far_apart_as_they_can_be():
    shifts = shifts_apart(300, 14, 0, 0)
    assert len(set(shifts)) == 14
    assert set(shifts) <= set(circular_shifts(300).tolist())


def test_whole_bursts_are_shuffled_where_a_null_test_is_told_of_them():
    """Bursts that wander: rows in any order call common what only lies in one burst, whole bursts do not."""
    rng = np.random.default_rng(2)
    bursts = np.repeat(np.arange(24), 10)
    Xs = [rng.standard_normal((24, 2))[bursts] + 0.1 * rng.standard_normal((240, 2)) for _ in range(2)]
    given = {"epsilon": "median*0.1", "n_smooth": 15, "n_components": 2, "n": 9, "view": "view2"}
    found = {
        name: mvx.null_test(Xs, "jointly-smooth", shuffle=shuffle, **given).views[0]
        for name, shuffle in (("rows", "rows"), ("bursts", bursts))
    }
    by_chance = {name: band.shuffled_eigenvalues[:, 0].max() for name, band in found.items()}
    first = found["rows"].eigenvalues[0]
    assert by_chance["rows"] + 0.1 < first <= by_chance["bursts"]


@pytest.mark.parametrize(("rule", "told"), [("median", False), ("median/9", True)])
def test_every_fourth_digit_has_functions_on_single_samples_at_a_ninth_of_the_median(rule, told):
    data = mvx.load("uci-digits").take(range(0, 2000, 4))
    e = mvx.embed(data, "jointly-smooth", epsilon=rule, n_components=12, n_smooth=10)
    assert e.info["common_band"] == pytest.approx(0.22 if told else 0.135, abs=0.02)
    assert ("single-samples" in dict(e.warnings)) == told


@pytest.mark.parametrize("kernel", ["knn-12", "laplacian"])
def test_other_kernels_are_taken_as_they_are(kernel):
    """Of a graph of neighbours, too: what is common and what is private, by plain algebra."""
    Xs, epsilon = dense.views(150, 2)
    epsilon = [40 * e for e in epsilon]
    kernels = [plain.kernel(kernel, X, s) for X, s in zip(Xs, epsilon, strict=True)]
    bases = [np.linalg.qr(dense.walk(K)[1][:, :8])[0] for K in kernels]
    given = {"epsilon": epsilon, "n_components": 3, "n_smooth": 8, "kernel": kernel}
    common = mvx.embed(Xs, "jointly-smooth", **given)
    np.testing.assert_allclose(common.eigenvalues[1:], gammas(bases)[:3], rtol=0, atol=1e-8)
    x, Q = plain.scaling(kernels[0]), bases[1]
    rest = np.eye(150) - Q @ Q.T
    own = np.linalg.eigvalsh(rest @ (x[:, None] * kernels[0] * x) @ rest)[::-1]
    np.testing.assert_allclose(mvx.embed(Xs, "view-specific", **given).eigenvalues, own[:3], rtol=0, atol=1e-8)


@pytest.mark.nightly
def test_all_digits_have_functions_on_single_samples_at_a_ninth_of_the_median():
    e = mvx.embed(mvx.load("uci-digits"), "jointly-smooth", epsilon="median/9", n_components=12)
    assert e.info["common_band"] == pytest.approx(0.19, abs=0.03)
    assert "single-samples" in dict(e.warnings)


@pytest.mark.nightly
def test_pendulums_have_many_functions_in_common_beyond_shuffles_and_hardly_one_beyond_shifts():
    """What merely runs in time is common to both; a null test by shifts tells it."""
    data = mvx.datasets.make_pendulums()
    given = {"epsilon": medians(data, 0.3), "n_components": 12, "n": 19, "view": "right"}
    above = {}
    for shuffle in ("rows", "circular"):
        (band,) = mvx.null_test(data, "jointly-smooth", shuffle=shuffle, **given).views
        above[shuffle] = int(np.sum(band.eigenvalues > np.nanmax(band.shuffled_eigenvalues[:, 0])))
    assert above["rows"] >= 7
    assert above["circular"] <= 1


# How many smooth functions ----------------------------------------------------------------------------------------


def test_spans_that_together_are_larger_than_the_samples_are_refused():
    """With L d > M there are coincidences whatever the views are."""
    Xs, epsilon = dense.views(33, 3)
    most = mvx.embed(Xs, "jointly-smooth", epsilon=epsilon, n_smooth=11, n_components=2)
    assert most.info["n_smooth"] == 11
    for method in ("jointly-smooth", "view-specific"):
        with pytest.raises(ParameterError, match=r"12 smooth functions .* 33 samples in 3 views.*at most 11"):
            mvx.embed(Xs, method, epsilon=epsilon, n_smooth=12, n_components=2)


def ring(n=120):
    return circle(2 * np.pi * np.arange(n) / n)


@pytest.mark.parametrize("method", ["jointly-smooth", "view-specific"])
def test_a_number_that_cuts_equal_eigenvalues_apart_names_the_views_and_both_ways_out(method):
    other = np.random.default_rng(0).standard_normal((120, 2))
    e = mvx.embed([other, ring()], method, epsilon=0.1, n_smooth=4)
    told = dict(e.warnings).get("multiplet", "")
    assert told.startswith("view2: the 4th and the next eigenvalue are nearly equal")
    assert "n_smooth 3 or 5 may give another picture" in told
    assert "multiplet" not in dict(mvx.embed([other, ring()], method, epsilon=0.1, n_smooth=5).warnings)


@pytest.mark.parametrize("method", ["jointly-smooth", "view-specific"])
def test_a_view_in_pieces_is_told_by_its_name(method):
    rng = np.random.default_rng(0)
    torn = np.column_stack([rng.standard_normal((200, 2)), np.repeat([0.0, 100.0], 100)])
    e = mvx.embed([rng.standard_normal((200, 2)), torn], method, epsilon=1.0, n_smooth=10)
    assert dict(e.warnings)["pieces"].startswith("view2 in pieces at this ε")


def test_auto_is_the_number_with_the_largest_excess_over_five_shuffles():
    data = mvx.datasets.make_noisy_digits().take(range(0, 360, 2))
    epsilon = medians(data)
    e = mvx.embed(data, "jointly-smooth", epsilon=epsilon, n_smooth="auto", n_components=2)
    order = order_maker("rows", 180, np.arange(180), 1)
    wide = [smooth(X, s, 80) for X, s in zip(data.Xs, epsilon, strict=True)]

    def excess(d):
        first, second = (W[:, :d] for W in wide)
        band = max(gammas([first, second[order(number)]])[0] for number in range(5))
        return np.maximum(gammas([first, second]) - band, 0).sum()

    assert e.info["n_smooth"] == max((5, 10, 15, 20, 30, 40, 60, 80), key=excess)


def test_too_few_smooth_functions_miss_what_pendulums_share():
    from mvexplorer.experiments.yair2016.pendulums import energy

    data = mvx.datasets.make_pendulums()
    few, enough = (
        energy(
            mvx.embed(data, "jointly-smooth", epsilon=medians(data, 0.3), n_smooth=d, n_components=1).coordinates[:, 0]
        )
        for d in (10, 20)
    )
    assert few <= 0.1 < 0.9 <= enough


# Coordinates and new samples --------------------------------------------------------------------------------------


@pytest.mark.parametrize("t", [0, 1, 3])
def test_what_is_specific_is_drawn_times_its_eigenvalues(t):
    Xs, epsilon = dense.views(90, 2)
    given = {"epsilon": epsilon, "n_smooth": 8, "n_components": 3}
    e = mvx.embed(Xs, "view-specific", t=t, **given)
    v = mvx.embed(Xs, "view-specific", t=0, **given).coordinates
    np.testing.assert_allclose(np.linalg.norm(v, axis=0), np.sqrt(90), rtol=1e-9)
    np.testing.assert_allclose(e.coordinates, v * e.eigenvalues**t, rtol=0, atol=1e-9)


def test_of_three_views_too_known_samples_stay_in_place_with_all_or_some_of_them():
    """A function's share μ of the views' spans is (1 + (L-1) γ) / L; with fewer views the mean is over these."""
    Xs, epsilon = dense.views(150, 3)
    e = mvx.embed(Xs, "jointly-smooth", epsilon=epsilon, n_smooth=8, n_components=3, t=0)
    np.testing.assert_allclose(e.transform(Xs), e.coordinates, rtol=0, atol=1e-9)
    mu = (1 + 2 * e.eigenvalues[1:]) / 3
    own = [W @ (W.T @ e.coordinates) / mu for W in (smooth(X, s, 8) for X, s in zip(Xs, epsilon, strict=True))]
    two = e.transform({"view1": Xs[0], "view3": Xs[2]})
    np.testing.assert_allclose(two, (own[0] + own[2]) / 2, rtol=0, atol=1e-6)
    np.testing.assert_allclose(e.transform({"view2": Xs[1]}), own[1], rtol=0, atol=1e-6)


@pytest.mark.parametrize("method", ["view-specific", "difference"])
def test_the_largest_number_of_a_coordinate_is_positive_whatever_its_sign(method):
    Xs, epsilon = two_views()
    Y = mvx.embed(Xs, method, epsilon=epsilon, n_components=6, **FOUR[method]).coordinates
    assert (Y[np.abs(Y).argmax(axis=0), range(6)] > 0).all()


@pytest.mark.parametrize("method", ["view-specific", "difference", "alternating"])
def test_new_samples_need_every_view(method):
    Xs, epsilon = two_views()
    e = mvx.embed(Xs, method, epsilon=epsilon, n_components=2, **FOUR[method])
    with pytest.raises(DataError, match="The new samples lack view view2"):
        e.transform({"view1": Xs[0]})


def test_a_new_sample_of_a_difference_follows_from_a_step_in_either_view():
    """(W¹v - W²v) / w, with a new sample's own factor 1 / Σ k x."""
    Xs, epsilon = two_views(160)
    known, new = [X[:120] for X in Xs], [X[120:] for X in Xs]
    e = mvx.embed(known, "difference", epsilon=epsilon, n_components=3, match_reach=False)
    v = e.coordinates / np.abs(e.eigenvalues)
    steps = []
    for X, Y, s in zip(known, new, epsilon, strict=True):
        K = dense.gaussian(X, s)
        np.fill_diagonal(K, 0.0)
        rows = dense.gaussian(Y, s, X) * plain.scaling(K)
        steps.append(rows @ v / rows.sum(axis=1, keepdims=True))
    expected = (steps[0] - steps[1]) / e.eigenvalues * np.abs(e.eigenvalues)
    np.testing.assert_allclose(e.transform(new), expected, rtol=0, atol=1e-7)


# Reach, and where views differ ------------------------------------------------------------------------------------


def test_one_view_at_twice_the_bandwidth_seems_another_until_reaches_are_matched():
    X = mvx.datasets.make_touching_rolls(random_state=0).Xs[0]
    (epsilon,) = medians(MultiView([X]), 0.03)
    at_twice = (epsilon, 2 * epsilon)
    assert differing_share(stages_of([X, X], at_twice, match_reach=False)).mean() == pytest.approx(0.25, abs=0.03)
    assert differing_share(stages_of([X, X], at_twice)).mean() <= 0.01


def test_few_kernels_are_made_to_match_the_reach(monkeypatch):
    X, counted = mvx.datasets.make_touching_rolls(random_state=0).Xs[0], []
    (epsilon,) = medians(MultiView([X]), 0.03)
    monkeypatch.setattr(difference, "samples_met", lambda W, real=difference.samples_met: counted.append(0) or real(W))
    difference.matched_pair(stages_of([X, X], (epsilon, 2 * epsilon)))
    assert len(counted) <= 1 + 7


@pytest.mark.parametrize(("ratio", "told"), [(1.27, False), (1.33, True)])
def test_uneven_reach_is_told_from_a_ratio_of_1_3_on(ratio, told):
    Xs, epsilon = two_views(80)
    W = walk(Xs[0], epsilon[0])
    low, high = 0.3, 3.0  # the second view is the first one: its reach grows with ε
    for _ in range(40):
        factor = np.sqrt(low * high)
        low, high = (factor, high) if reach(walk(Xs[0], factor * epsilon[0])) < ratio * reach(W) else (low, factor)
    e = mvx.embed([Xs[0], Xs[0].copy()], "difference", epsilon=(epsilon[0], factor * epsilon[0]), match_reach=False)
    assert ("uneven-reach" in dict(e.warnings)) == told


@pytest.mark.parametrize("kernel", ["knn-10", "self-tuning"])
def test_a_reach_that_no_bandwidth_gives_is_told_with_another_cure(kernel, monkeypatch):
    """A graph of ten neighbours never meets three hundred, and not for want of trying."""
    data, counted = mvx.datasets.make_tori(), []
    monkeypatch.setattr(difference, "samples_met", lambda W, real=difference.samples_met: counted.append(0) or real(W))
    e = mvx.embed(data, "difference", epsilon=medians(data, 0.3), kernel={"view2": kernel}, n_components=2)
    told = dict(e.warnings)
    assert "No ε of view2 evens that: give both views one kernel" in told["uneven-reach"]
    assert "matched-reach" not in told
    assert e.info["matched_epsilon"] <= 100 * e.epsilon[1]
    assert len(counted) <= 12


def test_a_sample_far_from_all_others_stands_in_the_way_of_an_even_reach_and_of_both_orders():
    Xs, epsilon = two_views(60)
    far = Xs[1].copy()
    far[0] += 1e4 * np.abs(far).max()
    e = mvx.embed([Xs[0], far], "difference", epsilon=epsilon, n_components=2)
    assert "leave out samples far from all others" in dict(e.warnings).get("uneven-reach", "")
    with pytest.raises(ComputeError, match=r"1 sample has no neighbours.*self-loops, or leave symmetric off") as caught:
        mvx.embed([Xs[0], far], "alternating", epsilon=epsilon, symmetric=True)
    assert "normalisation" not in str(caught.value)


def test_a_plateau_of_the_reach_between_clusters_is_crossed():
    """Clusters of ten, far apart: a step meets nine over a wide range of ε, and all of them beyond."""
    rng = np.random.default_rng(0)
    near = np.repeat(100 * rng.standard_normal((12, 2)), 10, axis=0) + rng.standard_normal((120, 2))
    wide = rng.standard_normal((120, 2))
    epsilon = (10.0, 1.0)
    e = mvx.embed([wide, near], "difference", epsilon=epsilon, n_components=2)
    reaches = [reach(walk(X, s)) for X, s in zip([wide, near], (10.0, e.info["matched_epsilon"]), strict=True)]
    assert reaches[0] > 60
    assert max(reaches) <= 1.02 * min(reaches) + 1e-6


def test_random_vectors_tell_the_commutator_of_many_samples(monkeypatch):
    Xs, epsilon = two_views(150)
    walks = doubly_stochastic(stages_of(Xs, epsilon))
    exact = commutator(walks, 0, 1)
    monkeypatch.setattr(between_views, "FEW_SAMPLES", 100)
    assert commutator(walks, 0, 1) == pytest.approx(exact, rel=0.2)
    assert commutator(doubly_stochastic(stages_of([Xs[0], Xs[0]], (epsilon[0],) * 2)), 0, 1) <= 1e-12


def test_the_share_that_differs_finds_touches_better_than_neighbours_that_change():
    data = mvx.datasets.make_touching_rolls(random_state=0)
    theta, h = (np.asarray(data.latent[name]) for name in ("theta", "h"))
    touch = np.zeros(len(h), dtype=bool)
    for turn, height in ((1.7, 4.0), (3.7, 4.0), (2.3, 16.0), (4.3, 16.0)):
        touch |= 25 * (theta - turn * np.pi) ** 2 + (h - height) ** 2 < 16
    shares = differing_share(stages_of(data.Xs, medians(data, 0.03)))
    disagreement = mvx.agreement(list(data.Xs), k=15).disagreement(0, 1)
    assert area(shares, touch) >= 0.9
    assert area(disagreement, touch) <= area(shares, touch) - 0.05


# Symmetric alternating --------------------------------------------------------------------------------------------


@pytest.mark.validates("alternating")
def test_noisy_digits_are_told_apart_by_both_orders_where_one_order_fails():
    data = mvx.datasets.make_noisy_digits()
    three = np.asarray(data.labels) == 3
    one, both = (
        mvx.embed(data, "alternating", epsilon=medians(data, 0.1), symmetric=on, n_components=2).coordinates[:, 0]
        for on in (False, True)
    )
    assert abs(np.corrcoef(both, three)[0, 1]) >= 0.75
    assert abs(np.corrcoef(one, three)[0, 1]) <= 0.1
