"""Jointly smooth functions: against a plain dense implementation, by their invariances, and what they have to find."""

import dense
import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.spatial.distance import pdist
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline

import mvexplorer as mvx
from mvexplorer.cli import main
from mvexplorer.engine.core.shuffles import order_maker
from mvexplorer.engine.methods.jointly_smooth import CANDIDATES
from mvexplorer.errors import ComputeError, DataError, ParameterError
from mvexplorer.experiments.yair2016.pendulums import energy

TORI = mvx.datasets.make_tori()
LATENT = mvx.datasets.make_shared_latent()


def medians(data, factor=1.0):
    """So many times the median squared distance of each view, i < j."""
    return [factor * float(np.median(pdist(X, "sqeuclidean"))) for X in data.Xs]


def joined(data, factor=1.0, d=20, r=12, **more):
    epsilon = medians(data, factor)
    return mvx.embed(data, "jointly-smooth", epsilon=epsilon, n_components=r, n_smooth=d, **more)


def smooth(X, epsilon, d):
    """An orthonormal basis (M, d) of the leading eigenfunctions of one view's walk, with them and their eigenvalues."""
    values, psi = dense.walk(dense.gaussian(X, epsilon))
    W, R = np.linalg.qr(psi[:, :d])
    signs = np.sign(np.diag(R))
    return W * signs, R * signs[:, None], values[:d], psi[:, :d]


def plain(bases):
    """γ and F by the singular values of the bases side by side, the constant left out."""
    F, sigma, _ = np.linalg.svd(np.hstack(bases), full_matrices=False)
    assert sigma[0] == pytest.approx(np.sqrt(len(bases)))  # the constant is in all of them
    assert np.ptp(F[:, 0]) < 1e-9
    return (sigma[1:] ** 2 - 1) / (len(bases) - 1), F[:, 1:]


def band_of(bases, repeats=19, seed=7):
    """The largest γ of so many repeats with the rows of all views but the first in other orders."""
    rng = np.random.default_rng(seed)
    M = len(bases[0])
    return max(plain([bases[0], *(W[rng.permutation(M)] for W in bases[1:])])[0][0] for _ in range(repeats))


def edge(M, n_views, d):
    a = (d - 1) / (M - 1)
    return (min(1 + (n_views - 2) * a + 2 * np.sqrt((n_views - 1) * a * (1 - a)), n_views) - 1) / (n_views - 1)


def angle_score(Y, angles):
    """R² of (cos, sin), each told by the ten nearest in the picture."""
    return np.mean([mvx.metrics.knn_r2(Y, f(angles)).value for f in (np.cos, np.sin)])


def same_columns(first, second, atol):
    signs = np.sign(np.einsum("ij,ij->j", first, second))
    np.testing.assert_allclose(first, second * signs, atol=atol)


# The definition -------------------------------------------------------------------------------------------------------


@pytest.mark.validates("jointly-smooth")
@pytest.mark.parametrize("n_views", [2, 3])
@pytest.mark.parametrize("n_samples", [90, 320])
def test_functions_are_those_of_a_plain_singular_value_decomposition(n_views, n_samples):
    Xs, epsilon = dense.views(n_samples, n_views, 1)
    epsilon = [4 * e for e in epsilon]
    found = mvx.embed(Xs, "jointly-smooth", epsilon=epsilon, n_components=6, n_smooth=9)
    gammas, F = plain([smooth(X, e, 9)[0] for X, e in zip(Xs, epsilon, strict=True)])
    np.testing.assert_allclose(found.eigenvalues, np.append(1, gammas[:6]), atol=1e-9)
    same_columns(found.coordinates, np.sqrt(n_samples) * gammas[:6] * F[:, :6], 1e-6)
    at_zero = mvx.embed(Xs, "jointly-smooth", epsilon=epsilon, n_components=6, n_smooth=9, t=0)
    same_columns(at_zero.coordinates, np.sqrt(n_samples) * F[:, :6], 1e-6)


@pytest.mark.validates("jointly-smooth")
def test_of_two_views_it_is_their_canonical_correlation():
    """F = (W¹Q + W²R)(2(I + Γ))^-½, where W¹ᵀW² = QΓRᵀ."""
    found = joined(TORI, 0.3)
    bases = [smooth(X, e, 20)[0] for X, e in zip(TORI.Xs, medians(TORI, 0.3), strict=True)]
    Q, gammas, Rt = np.linalg.svd(bases[0].T @ bases[1])
    F = (bases[0] @ Q + bases[1] @ Rt.T) / np.sqrt(2 * (1 + gammas))
    np.testing.assert_allclose(found.eigenvalues, gammas[:13], atol=1e-6)
    np.testing.assert_allclose(np.ptp(F[:, 0]), 0, atol=1e-6)
    kept = found.coordinates / found.eigenvalues[1:] / np.sqrt(TORI.n_samples)
    same_columns(kept, F[:, 1:13], 1e-5)


@pytest.mark.validates("jointly-smooth")
def test_density_normalisation_acts_on_the_walks_of_the_views():
    Xs, epsilon = dense.views(120, 2, 3)
    epsilon = [4 * e for e in epsilon]
    found = mvx.embed(Xs, "jointly-smooth", epsilon=epsilon, n_components=3, n_smooth=8, alpha=1.0)

    def basis(X, e):
        K = dense.gaussian(X, e)
        q = K.sum(axis=1)
        W, _ = np.linalg.qr(dense.walk(K / np.outer(q, q))[1][:, :8])
        return W

    gammas, _ = plain([basis(X, e) for X, e in zip(Xs, epsilon, strict=True)])
    np.testing.assert_allclose(found.eigenvalues[1:], gammas[:3], atol=1e-9)


# Invariances ----------------------------------------------------------------------------------------------------------


def test_the_order_of_views_and_of_samples_and_their_units_do_not_matter():
    found = joined(TORI, 0.3)
    turned = mvx.embed(TORI.Xs[::-1], "jointly-smooth", epsilon=medians(TORI, 0.3)[::-1], n_components=12)
    np.testing.assert_allclose(turned.eigenvalues, found.eigenvalues, atol=1e-9)
    same_columns(turned.coordinates, found.coordinates, 1e-6)
    order = np.random.default_rng(0).permutation(TORI.n_samples)
    moved = mvx.embed(TORI.take(order), "jointly-smooth", epsilon=medians(TORI, 0.3), n_components=12)
    same_columns(moved.coordinates, found.coordinates[order], 1e-7)
    Xs, epsilon = [1000 * TORI.Xs[0], TORI.Xs[1] / 30], medians(TORI, 0.3)
    scaled = mvx.embed(Xs, "jointly-smooth", epsilon=[1e6 * epsilon[0], epsilon[1] / 900], n_components=12)
    np.testing.assert_allclose(scaled.eigenvalues, found.eigenvalues, atol=1e-8)
    same_columns(scaled.coordinates, found.coordinates, 1e-8 * np.abs(found.coordinates).max() * 100)


def test_a_view_twice_has_everything_in_common():
    found = mvx.embed([TORI.Xs[0]] * 2, "jointly-smooth", epsilon=medians(TORI, 0.3)[0], n_components=12)
    assert found.eigenvalues.min() >= 1 - 1e-10
    few = mvx.embed([TORI.Xs[0]] * 2, "jointly-smooth", epsilon=0.5, n_components=12, n_smooth=5)
    assert few.coordinates.shape == (600, 4)  # the others are in no view's span
    np.testing.assert_allclose(few.coordinates.T @ few.coordinates, 600 * np.eye(4), atol=1e-7)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_of_an_independent_view_nothing_is_common(seed):
    other = np.random.default_rng([seed, 5]).standard_normal((600, 3))
    data = mvx.MultiView([TORI.Xs[0], other])
    found = joined(data, 0.3, random_state=seed)
    assert found.eigenvalues[1] <= found.info["common_band"] + 0.02
    assert found.info["common_functions"] <= 1


def test_of_three_views_what_two_share_has_half():
    other = np.random.default_rng(5).standard_normal((600, 3))
    found = joined(mvx.MultiView([*TORI.Xs, other]), 0.3)
    np.testing.assert_allclose(found.eigenvalues[1:4], 0.5, atol=0.06)
    assert angle_score(found.coordinates[:, :2], TORI.latent["z"]) >= 0.7


# The band -------------------------------------------------------------------------------------------------------------


@pytest.mark.validates("jointly-smooth")
@pytest.mark.parametrize("factor", [0.05, 0.3])
def test_the_angle_that_tori_share_is_above_the_band_and_their_own_are_not(factor):
    found = joined(TORI, factor)
    count = int(found.info["common_functions"])
    assert count >= 2
    assert count == np.sum(found.eigenvalues[1:] > found.info["common_band"])
    assert joined(TORI, factor, r=1).info["common_functions"] == count  # however many are drawn
    common = found.coordinates[:, :count]
    assert angle_score(common, TORI.latent["z"]) >= 0.98
    assert max(angle_score(common, TORI.latent[own]) for own in "eh") <= 0.1
    assert found.info["common_band"] == pytest.approx(edge(600, 2, 20), abs=0.06)
    bases = [smooth(X, e, 20)[0] for X, e in zip(TORI.Xs, medians(TORI, factor), strict=True)]
    assert found.info["common_band"] == pytest.approx(band_of(bases), abs=0.04)
    order = order_maker("rows", 600, np.arange(600), 1)
    largest = [plain([bases[0], bases[1][order(number)]])[0][0] for number in range(19)]
    assert found.info["common_band"] == pytest.approx(max(largest), abs=1e-8)


def test_while_a_slider_moves_the_line_of_free_subspaces_stands_for_the_band():
    draft = joined(TORI, 0.3, interactive=True)
    assert draft.info["common_band"] == pytest.approx(edge(600, 2, 20))
    assert draft.info["common_functions"] == joined(TORI, 0.3).info["common_functions"]


def test_functions_on_single_samples_make_chance_find_more_and_say_so():
    Xs = [np.random.default_rng(seed).standard_normal((300, 8)) for seed in (0, 1)]
    Xs = [np.vstack([X, 30 * X[:12]]) for X in Xs]  # a dozen far out, each on its own
    data = mvx.MultiView([Xs[0], Xs[1][np.random.default_rng(2).permutation(312)]])
    found = joined(data, 1.0, d=10)
    assert found.info["common_band"] >= 1.4 * edge(312, 2, 10)
    assert "ε is too small" in dict(found.warnings)["single-samples"]
    assert "single-samples" not in dict(joined(TORI, 1.0).warnings)


def test_nothing_in_common_is_said():
    other = np.random.default_rng(11).standard_normal((600, 3))
    found = joined(mvx.MultiView([TORI.Xs[0], other]), 1.0, d=8)
    assert found.info["common_functions"] == 0
    assert "beyond chance" in dict(found.warnings)["nothing-common"]
    assert "nothing-common" not in dict(joined(TORI, 0.3).warnings)


def test_samples_in_time_are_shifted_and_not_shuffled():
    """Two walks that know nothing of each other: in time both are smooth, which shuffled rows would call common."""
    steps = np.random.default_rng(3).standard_normal((2, 400, 2))
    data = mvx.MultiView(list(np.cumsum(steps, axis=1)))
    found = joined(data, 0.3)
    bases = [smooth(X, e, 20)[0] for X, e in zip(data.Xs, medians(data, 0.3), strict=True)]
    by_rows = band_of(bases)
    assert found.info["common_band"] > by_rows + 0.2
    assert found.info["common_functions"] <= 1 < np.sum(found.eigenvalues[1:] > by_rows)
    told = dict(found.warnings)["shifted"]
    assert told.level == "info"
    assert "of periodic samples no shift tells anything" in told
    assert "shifted" not in dict(joined(TORI, 0.3).warnings)


def test_of_one_closed_curve_in_time_no_shift_tells_anything_and_no_small_bandwidth_is_blamed():
    found = mvx.embed(mvx.load("helix-a"), "jointly-smooth", epsilon=0.36)
    assert found.eigenvalues[1] > 0.99
    assert [code for code, notice in found.warnings if notice.level == "warning"] == []
    assert mvx.metrics.ring_order(found.coordinates, mvx.load("helix-a").latent["a"]).value > 0.99


# How many smooth functions --------------------------------------------------------------------------------------------


@pytest.mark.validates("jointly-smooth")
def test_auto_takes_the_number_with_most_beyond_chance():
    found = joined(LATENT, 0.3, d="auto")
    assert found.info["n_smooth"] == 40
    same = joined(LATENT, 0.3, d=40)
    np.testing.assert_allclose(found.eigenvalues, same.eigenvalues, atol=1e-9)
    bases = [smooth(X, e, 80)[0] for X, e in zip(LATENT.Xs, medians(LATENT, 0.3), strict=True)]

    def excess(d):
        within = [W[:, :d] for W in bases]
        return np.maximum(plain(within)[0] - band_of(within, 5), 0).sum()

    assert max(CANDIDATES, key=excess) in (30, 40, 60)


@pytest.mark.nightly
def test_auto_finds_what_suits_pendulums_and_digits():
    assert joined(mvx.datasets.make_pendulums(), 0.3, d="auto").info["n_smooth"] in (60, 80)
    assert joined(mvx.datasets.make_noisy_digits(), 1.0, d="auto").info["n_smooth"] == 10


def test_too_many_functions_for_the_samples_are_refused_and_the_usual_number_is_lowered():
    few = TORI.take(range(30))
    with pytest.raises(ParameterError, match=r"25 smooth functions per view are too many for 30 samples.*at most 14"):
        mvx.embed(few, "jointly-smooth", n_smooth=25)
    found = mvx.embed(few, "jointly-smooth")
    assert found.info["n_smooth"] == 14
    assert "14 smooth functions each, not 20" in dict(found.warnings)["n-smooth"]
    for wrong in (1, 201, 2.5, "most"):
        with pytest.raises(ParameterError, match="whole number from 2 to 200, or auto"):
            mvx.embed(TORI, "jointly-smooth", n_smooth=wrong)


def test_a_number_that_cuts_equal_eigenvalues_apart_is_told():
    """A ring of samples at equal distances: every eigenvalue but the first comes twice."""
    angle = 2 * np.pi * np.arange(120) / 120
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    cut, whole = (mvx.embed([ring, ring], "jointly-smooth", epsilon=0.1, n_smooth=d) for d in (4, 5))
    assert "n_smooth 3 or 5" in dict(cut.warnings)["multiplet"]
    assert "multiplet" not in dict(whole.warnings)


def test_pieces_that_views_share_are_common_and_told():
    piece = np.repeat([0.0, 100.0], 100)
    Xs = [np.column_stack([np.random.default_rng(s).standard_normal((200, 2)), piece]) for s in (0, 1)]
    found = mvx.embed(Xs, "jointly-smooth", epsilon=1.0, n_smooth=10)
    assert found.eigenvalues[1] == pytest.approx(1)
    assert "view1, view2" in dict(found.warnings)["pieces"]
    first = found.coordinates[:, 0]
    assert np.ptp(first[:100]) < 1e-6 < abs(first[0] - first[-1])


def test_a_search_finds_how_many_functions_tell_the_shared_angle():
    """Every score against one computed by `embed` and `transform` alone, fold by fold."""
    data = TORI.take(range(240))
    X, y, folds = np.hstack(data.Xs), np.cos(data.latent["z"]), KFold(3)
    model = mvx.MultiViewEmbedding("jointly-smooth", view_sizes=[4, 4], epsilon=1.2, n_components=2)
    choices = [{"n_smooth": d} for d in (3, 20)]
    pipeline = make_pipeline(model, KNeighborsRegressor(5))
    search = GridSearchCV(pipeline, {"multiviewembedding__method_params": choices}, cv=folds).fit(X, y)
    assert search.best_params_["multiviewembedding__method_params"] == {"n_smooth": 20}
    for given, score in zip(choices, search.cv_results_["mean_test_score"], strict=True):
        scores = []
        for known, new in folds.split(X):
            e = mvx.embed(data.take(known), "jointly-smooth", epsilon=1.2, n_components=2, **given)
            fitted = KNeighborsRegressor(5).fit(e.coordinates, y[known])
            scores.append(fitted.score(e.transform(data.take(new)), y[new]))
        assert score == pytest.approx(np.mean(scores), abs=1e-9)


def test_the_command_line_takes_numbers_and_auto_and_refuses_others(capsys):
    assert main(["embed", "tori", "--method", "jointly-smooth", "--set", "n_smooth=auto"]) == 0
    auto = capsys.readouterr().out.splitlines()
    assert main(["embed", "tori", "--method", "jointly-smooth", "--set", "n_smooth=10"]) == 0
    ten = capsys.readouterr().out.splitlines()
    assert len(auto) == len(ten) == 601
    assert auto != ten
    assert main(["embed", "tori", "--method", "jointly-smooth", "--set", "n_smooth=many"]) == 2
    assert "Give a whole number from 2 to 200, or auto." in capsys.readouterr().err


# New samples ----------------------------------------------------------------------------------------------------------


@pytest.mark.validates("jointly-smooth")
def test_new_samples_are_placed_by_the_views_they_have():
    """f = (1/μ) mean of ψ*(x) R⁻¹ Wᵀ F over those views, ψ* the walk's own step divided by λ."""
    data = mvx.datasets.make_tori(n_samples=760)
    known, new = data.take(range(600)), data.take(range(600, 760))
    found = joined(known, 0.3, r=4, t=0)
    epsilon = medians(known, 0.3)
    F = found.coordinates
    each = []
    for X, Y, e in zip(known.Xs, new.Xs, epsilon, strict=True):
        W, R, values, psi = smooth(X, e, 20)
        rows = dense.gaussian(Y, e, X)
        star = rows @ psi / rows.sum(axis=1, keepdims=True) / values
        each.append(star @ np.linalg.inv(R) @ W.T @ F)
    share = (1 + found.eigenvalues[1:]) / 2
    np.testing.assert_allclose(found.transform(new), sum(each) / 2 / share, atol=1e-6)
    for i, name in enumerate(("view1", "view2")):
        alone = found.transform({name: new.Xs[i]})
        np.testing.assert_allclose(alone, each[i] / share, atol=1e-6)
    for given in (new, {"view1": new.Xs[0]}, {"view2": new.Xs[1]}):
        near = cKDTree(F[:, :2]).query(found.transform(given)[:, :2])[1]
        apart = np.angle(np.exp(1j * (known.latent["z"][near] - new.latent["z"])))
        assert np.abs(apart).max() <= 0.25


def test_known_samples_stay_in_place_and_rows_of_nan_are_views_that_a_sample_lacks():
    found = joined(TORI, 0.05, r=6)
    np.testing.assert_allclose(found.transform(TORI), found.coordinates, atol=1e-12)
    Xs = [X[:30].copy() for X in TORI.Xs]
    Xs[0][:10], Xs[1][10:20] = np.nan, np.nan
    placed = found.transform(Xs)
    np.testing.assert_allclose(placed[:10], found.transform({"view2": TORI.Xs[1][:10]}), atol=1e-12)
    np.testing.assert_allclose(placed[10:20], found.transform({"view1": TORI.Xs[0][10:20]}), atol=1e-12)
    np.testing.assert_allclose(placed[20:], found.coordinates[20:30], atol=1e-12)


def test_samples_without_a_view_or_with_holes_in_one_are_refused():
    found = joined(TORI, 0.3, r=2)
    Xs = [X[:3].copy() for X in TORI.Xs]
    Xs[0][1, 2] = np.nan
    with pytest.raises(DataError, match="or hold missing values"):
        found.transform(Xs)
    Xs[0][1], Xs[1][1] = np.nan, np.nan
    with pytest.raises(DataError, match="1 new sample has no view"):
        found.transform(Xs)
    with pytest.raises(DataError, match="lack view view1, view2"):
        found.transform({"view3": TORI.Xs[0]})
    with pytest.raises(DataError, match="The new samples lack view view2"):
        mvx.embed(TORI, "multiview").transform({"view1": TORI.Xs[0]})


def test_functions_of_vanishing_eigenvalues_are_not_placed():
    found = joined(TORI, 300.0)
    with pytest.raises(ComputeError, match="the eigenvalues to divide by are rounding"):
        found.transform(TORI)


# What it has to find --------------------------------------------------------------------------------------------------


@pytest.mark.validates("jointly-smooth")
@pytest.mark.parametrize("factor", [0.03, 0.3, 1.0])
def test_the_first_function_of_two_sheets_is_their_common_variable_at_any_bandwidth(factor):
    found = joined(LATENT, factor)
    assert mvx.metrics.knn_r2(found.coordinates[:, :1], LATENT.latent["z"]).value >= 0.98


@pytest.mark.validates("jointly-smooth")
def test_the_coupled_pendulums_are_found_where_every_diffusion_misses_them():
    data = mvx.datasets.make_pendulums()
    assert energy(joined(data, 0.3).coordinates[:, 0]) >= 0.9
    epsilon = medians(data, 0.3)
    assert energy(mvx.embed(data, "multiview", epsilon=epsilon, n_components=2).view_coordinates[0][:, 0]) <= 0.1


def scored(data):
    found = mvx.embed(data, "jointly-smooth", epsilon="median", n_components=12, n_smooth=10)
    return mvx.metrics.nmi(found.coordinates, data.labels, seeds=2, n_init=5).value


def test_every_fourth_digit_is_told_apart():
    data = mvx.load("uci-digits")
    assert scored(data.take(range(0, 2000, 4))) >= 0.86


@pytest.mark.nightly
def test_all_digits_are_told_apart():
    assert scored(mvx.load("uci-digits")) >= 0.86
