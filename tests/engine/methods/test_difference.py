"""Where two views differ, against plain algebra, and on rolls of which it is known."""

from dataclasses import replace

import dense
import dense_ingredients as plain
import numpy as np
import pytest
from scipy.stats import rankdata

import mvexplorer as mvx
from mvexplorer.engine.analysis.between_views import commutator, differing_share
from mvexplorer.engine.api.estimator import MultiViewEmbedding
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.methods.difference import doubly_stochastic, matched_pair, samples_met
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import kernel_of
from mvexplorer.errors import ComputeError, ParameterError


def median(X):
    return np.median(dense.squared(X)[np.triu_indices(len(X), 1)])


def walk(X, epsilon):
    """The doubly stochastic walk of a view without its diagonal."""
    K = dense.gaussian(X, epsilon)
    np.fill_diagonal(K, 0.0)
    x = plain.scaling(K)
    return x[:, None] * K * x


def reach(W):
    return len(W) / np.square(W).sum()


def stages_of(Xs, epsilon, **params):
    params = {"n_components": 2, "match_reach": True} | params
    return Stages(MultiView(list(Xs)), range(len(Xs)), epsilon, params)


def same_up_to_signs(ours, theirs, atol):
    signs = np.sign((ours * theirs).sum(axis=0))
    np.testing.assert_allclose(ours * signs, theirs, rtol=0, atol=atol)


@pytest.mark.validates("difference")
@pytest.mark.parametrize("n_samples", [60, 300])
def test_it_is_both_ends_of_the_spectrum(n_samples):
    """Against all eigenvalues by LAPACK, without matched reach: those of largest modulus, their vectors times |w|."""
    Xs, epsilon = dense.views(n_samples, 2)
    epsilon = [4 * e for e in epsilon]
    e = mvx.embed(Xs, "difference", epsilon=epsilon, n_components=6, match_reach=False)
    first, second = (walk(X, each) for X, each in zip(Xs, epsilon, strict=True))
    values, vectors = np.linalg.eigh(first - second)
    order = np.argsort(-np.abs(values))[:6]
    np.testing.assert_allclose(e.eigenvalues, values[order], rtol=0, atol=1e-9)
    same_up_to_signs(e.coordinates, np.sqrt(n_samples) * vectors[:, order] * np.abs(values[order]), 1e-5)


@pytest.mark.validates("difference")
def test_the_reach_of_the_second_view_is_that_of_the_first():
    """M / Σ W² of plain walks agree to 2 %, whatever the ε of the second view is."""
    Xs, epsilon = dense.views(200, 2)
    for factor in (0.5, 1.0, 8.0):
        given = (4 * epsilon[0], factor * 4 * epsilon[1])
        e = mvx.embed(Xs, "difference", epsilon=given)
        reaches = [reach(walk(X, each)) for X, each in zip(Xs, (given[0], e.info["matched_epsilon"]), strict=True)]
        assert max(reaches) <= 1.02 * min(reaches) + 1e-9
        pair = matched_pair(stages_of(Xs, given))
        assert samples_met(kernel_of(pair, 0)) == pytest.approx(reaches[0], rel=1e-9)
        assert e.epsilon == given


def test_uneven_reach_is_told_where_it_is_not_matched():
    Xs, epsilon = dense.views(100, 2)
    given = {"epsilon": (4 * epsilon[0], 4 * epsilon[0])}
    twice = [Xs[0], Xs[0] * 0.4]
    e = mvx.embed(twice, "difference", match_reach=False, **given)
    assert "Match the reach" in dict(e.warnings)["uneven-reach"]
    assert np.abs(e.eigenvalues).max() > 0.05
    matched = mvx.embed(twice, "difference", **given)
    assert "uneven-reach" not in dict(matched.warnings)
    assert "of view2 is" in dict(matched.warnings)["matched-reach"]
    assert np.abs(matched.eigenvalues).max() < 0.02, "the same view at another scale differs nowhere"


@pytest.mark.validates("difference")
def test_it_finds_where_each_of_two_rolls_is_torn():
    """Rolls with gaps at u .35 and .65: one end of the spectrum sits at either."""
    data = mvx.load("gap-rolls")
    e = mvx.embed(data, "difference", epsilon="median*0.01", n_components=8)
    u, V = np.asarray(data.latent["u"]), e.decomposition.blocks[0]
    for sign, gap in ((1.0, 0.35), (-1.0, 0.65)):  # the torn view keeps what jumps there, the other joins both sides
        leader = V[:, np.flatnonzero(np.sign(e.eigenvalues) == sign)[0]]
        assert float(leader**2 @ u / (leader @ leader)) == pytest.approx(gap, abs=0.02)
        before, after = (leader[side & (np.abs(u - gap) < 0.05)].mean() for side in (u <= gap, u > gap))
        assert before * after < 0


def area(scores, positive):
    """Area under the ROC curve."""
    ranks, n = rankdata(scores), int(positive.sum())
    return (ranks[positive].sum() - n * (n + 1) / 2) / (n * (~positive).sum())


@pytest.mark.validates("difference")
def test_it_finds_where_rolls_touch_themselves():
    """Touching rolls, at .03 medians: the ends, and the share of a step that differs, sit at the two touches."""
    data = mvx.datasets.make_touching_rolls(random_state=0)
    theta, h = (np.asarray(data.latent[name]) for name in ("theta", "h"))
    touch = np.zeros(len(h), dtype=bool)
    for turn, height in ((1.7, 4.0), (3.7, 4.0), (2.3, 16.0), (4.3, 16.0)):
        touch |= 25 * (theta - turn * np.pi) ** 2 + (h - height) ** 2 < 16
    e = mvx.embed(data, "difference", epsilon="median*0.03", n_components=8)
    assert area(np.square(e.coordinates).sum(axis=1), touch) >= 0.95
    epsilon = tuple(0.03 * median(X) for X in data.Xs)
    shares = differing_share(stages_of(data.Xs, epsilon))
    assert area(shares, touch) >= 0.90


@pytest.mark.validates("difference")
def test_share_of_a_step_that_differs():
    """τ is half of Σ |D| over a row, of walks by plain algebra."""
    Xs, epsilon = dense.views(150, 2)
    epsilon = tuple(4 * e for e in epsilon)
    expected = 0.5 * np.abs(walk(Xs[0], epsilon[0]) - walk(Xs[1], epsilon[1])).sum(axis=1)
    shares = differing_share(stages_of(Xs, epsilon, match_reach=False))
    np.testing.assert_allclose(shares, expected, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(differing_share(stages_of([Xs[0], Xs[0].copy()], (epsilon[0],) * 2)), 0.0)


def test_commutator_of_equal_views_is_nothing():
    Xs, epsilon = dense.views(150, 2)
    e = 4 * epsilon[0], 4 * epsilon[1]
    assert commutator(doubly_stochastic(stages_of([Xs[0], Xs[0].copy()], (e[0], e[0]))), 0, 1) <= 1e-12
    first, second = walk(Xs[0], e[0]), walk(Xs[1], e[1])
    expected = np.linalg.norm(first @ second - second @ first) / np.linalg.norm(first @ second)
    assert commutator(doubly_stochastic(stages_of(Xs, e)), 0, 1) == pytest.approx(expected, rel=1e-9)
    assert expected > 0.05


def test_order_of_samples_and_of_views_and_units_do_not_matter():
    Xs, epsilon = dense.views(120, 2)
    given = {"epsilon": [4 * e for e in epsilon], "match_reach": False, "n_components": 4}
    e = mvx.embed(Xs, "difference", **given)
    order = np.random.default_rng(0).permutation(120)
    same_up_to_signs(mvx.embed([X[order] for X in Xs], "difference", **given).coordinates, e.coordinates[order], 1e-7)
    swapped = mvx.embed(Xs[::-1], "difference", **{**given, "epsilon": given["epsilon"][::-1]})
    np.testing.assert_allclose(swapped.eigenvalues, -e.eigenvalues, rtol=0, atol=1e-9)
    same_up_to_signs(swapped.coordinates, e.coordinates, 1e-7)
    scaled = mvx.embed(
        [Xs[0] * 1e3, Xs[1] * 1e-3],
        "difference",
        **{**given, "epsilon": [given["epsilon"][0] * 1e6, given["epsilon"][1] * 1e-6]},
    )
    same_up_to_signs(scaled.coordinates, e.coordinates, 1e-7)


def test_known_samples_of_a_difference_stay_in_place():
    Xs, epsilon = dense.views(120, 2)
    model = MultiViewEmbedding("difference", epsilon=[4 * e for e in epsilon], n_components=3)
    Y = model.fit_transform(Xs)
    np.testing.assert_allclose(model.transform([X[:30] for X in Xs]), Y[:30], rtol=0, atol=1e-8 * np.abs(Y).max())


def test_samples_without_neighbours_are_refused_with_their_number():
    Xs, _ = dense.views(60, 2)
    with pytest.raises(ComputeError, match=r"60 samples have no neighbours.*Enlarge ε") as caught:
        mvx.embed(Xs, "difference", epsilon=1e-9)
    assert "normalisation" not in str(caught.value)


def test_no_shuffle_tests_it_and_that_is_said():
    Xs, _ = dense.views(40, 2)
    with pytest.raises(ParameterError, match="No shuffle tests it"):
        mvx.null_test(Xs, "difference", epsilon="median", n=1)


def test_an_embedding_tells_the_share_of_each_step_that_differs():
    Xs, epsilon = dense.views(120, 2)
    e = mvx.embed(Xs, "difference", epsilon=[4 * e for e in epsilon])
    pair = (4 * epsilon[0], e.info["matched_epsilon"])
    expected = 0.5 * np.abs(walk(Xs[0], pair[0]) - walk(Xs[1], pair[1])).sum(axis=1)
    np.testing.assert_allclose(mvx.difference_of_views(e), expected, rtol=0, atol=1e-9)
    part = mvx.difference_of_views(mvx.embed(Xs, "difference", epsilon="median", subsample=50))
    assert np.isfinite(part).sum() == 50
    with pytest.raises(ParameterError, match="Multi-view does not compare the steps of two views"):
        mvx.difference_of_views(mvx.embed(Xs, "multiview", epsilon=epsilon))
    with pytest.raises(ParameterError, match="read from a file"):
        mvx.difference_of_views(replace(e, known=None))
