"""What one view knows and others do not, against plain algebra, and on data of which it is known."""

from functools import cache
from itertools import combinations

import dense
import dense_ingredients as plain
import numpy as np
import pytest
from scipy.stats import rankdata

import mvexplorer as mvx
from mvexplorer.engine.api.estimator import MultiViewEmbedding
from mvexplorer.errors import DataError, ParameterError


def median(X):
    return np.median(dense.squared(X)[np.triu_indices(len(X), 1)])


def basis_of(X, epsilon, d):
    """An orthonormal basis (M, d) of the leading eigenfunctions of a view's walk."""
    return np.linalg.qr(dense.walk(dense.gaussian(X, epsilon))[1][:, :d])[0]


def doubly_stochastic(X, epsilon):
    K = dense.gaussian(X, epsilon)
    x = plain.scaling(K)
    return x[:, None] * K * x


def private(Xs, epsilon, d):
    """All eigenvalues, descending, and vectors of (I - Π) W (I - Π): the first view's, beyond the others."""
    span = np.hstack([basis_of(X, e, d) for X, e in zip(Xs[1:], epsilon[1:], strict=True)])
    left, lengths, _ = np.linalg.svd(span, full_matrices=False)
    Q = left[:, lengths > 1e-8]
    rest = np.eye(len(Q)) - Q @ Q.T
    values, vectors = np.linalg.eigh(rest @ doubly_stochastic(Xs[0], epsilon[0]) @ rest)
    return values[::-1], vectors[:, ::-1], Q


def explained(Y, angle):
    """R² of (cos, sin) by the mean over ten nearest neighbours, the sample itself left out."""
    target = np.column_stack([np.cos(angle), np.sin(angle)])
    near = np.argsort(dense.squared(Y) + np.diag(np.full(len(Y), np.inf)), axis=1)[:, :10]
    missed = target - target[near].mean(axis=1)
    return 1 - np.square(missed).sum() / np.square(target - target.mean(axis=0)).sum()


@cache
def tori(n_samples=600):
    data = mvx.datasets.make_tori(n_samples=n_samples, random_state=0)
    return data, tuple(0.3 * median(X) for X in data.Xs)


def same_up_to_signs(ours, theirs, atol):
    signs = np.sign((ours * theirs).sum(axis=0))
    np.testing.assert_allclose(ours * signs, theirs, rtol=0, atol=atol)


@pytest.mark.validates("view-specific")
@pytest.mark.parametrize("n_views", [2, 3])
@pytest.mark.parametrize("n_samples", [60, 300])
def test_it_is_the_walk_beside_the_others_functions(n_samples, n_views):
    """Against dense projections and LAPACK: eigenvalues and coordinates, t 1."""
    Xs, epsilon = dense.views(n_samples, n_views)
    values, vectors, _ = private(Xs, epsilon, 8)
    e = mvx.embed(Xs, "view-specific", epsilon=epsilon, n_smooth=8, n_components=4)
    np.testing.assert_allclose(e.eigenvalues, values[:4], rtol=0, atol=1e-9)
    same_up_to_signs(e.coordinates, np.sqrt(n_samples) * vectors[:, :4] * values[:4], 1e-5)
    own = np.linalg.eigvalsh(doubly_stochastic(Xs[0], epsilon[0]))[::-1]
    assert e.info["own_value"] == pytest.approx(own[8], abs=1e-9)


@pytest.mark.validates("view-specific")
def test_own_angle_of_a_torus_without_the_common_one():
    """Two tori that share an angle: the own one is found, the common one is gone, and so is all that is known."""
    data, epsilon = tori()
    e = mvx.embed(data, "view-specific", epsilon=epsilon)
    assert explained(e.coordinates, data.latent["e"]) >= 0.93
    assert explained(e.coordinates, data.latent["z"]) <= 0.15
    _, _, Q = private(data.Xs, epsilon, 20)
    v = e.decomposition.blocks[0] / np.sqrt(len(Q))
    assert np.abs(Q.T @ v).max() <= 1e-8  # the bases come from two solvers
    own = e.decomposition.bases[1]
    mine = np.linalg.qr(np.column_stack([np.ones(len(own)), own[:, :19]]))[0]
    assert np.abs(mine.T @ v).max() <= 1e-10


def test_of_a_duplicate_view_its_own_next_eigenvalue_is_left_and_that_is_told():
    data, epsilon = tori()
    twice = mvx.MultiView({"one": data.Xs[0], "other": data.Xs[0].copy()})
    e = mvx.embed(twice, "view-specific", epsilon=epsilon[0])
    assert e.eigenvalues[0] == pytest.approx(e.info["own_value"], abs=0.05)
    assert "one knows next to nothing beyond other" in dict(e.warnings)["nothing-specific"]
    assert "nothing-specific" not in dict(mvx.embed(data, "view-specific", epsilon=epsilon).warnings)


def separation(first, second):
    """Area under the ROC curve between two groups of numbers, in whichever direction."""
    ranks = rankdata(np.concatenate([first, second]))
    area = (ranks[: len(first)].sum() - len(first) * (len(first) + 1) / 2) / (len(first) * len(second))
    return max(area, 1 - area)


def separations(e, labels):
    v, digits = e.coordinates[:, 0], np.asarray(labels).astype(int)
    return {(a, b): separation(v[digits == a], v[digits == b]) for a, b in combinations(range(10), 2)}


@pytest.mark.validates("view-specific")
@pytest.mark.parametrize(
    ("every", "epsilon"),
    [
        (4, "median*0.3"),
        pytest.param(1, "median", marks=pytest.mark.nightly),
        pytest.param(1, "median/9", marks=pytest.mark.nightly),
    ],
)
def test_profiles_know_a_six_from_a_nine_which_fourier_coefficients_do_not(every, epsilon):
    """UCI digits: Fourier coefficients are blind to rotations, and the first function beyond them tells 6 from 9."""
    data = mvx.load("uci-digits").take(np.arange(0, 2000, every))
    given = {"epsilon": epsilon, "n_components": 2}
    found = separations(mvx.embed(data, "view-specific", of="fac", beyond="fou", **given), data.labels)
    assert found[6, 9] >= 0.98
    assert max(found.values()) <= found[6, 9] + 0.005
    for of in ("mor", "zer"):  # rotation invariant, too
        others = separations(mvx.embed(data, "view-specific", of=of, beyond="fou", **given), data.labels)
        assert others[6, 9] <= 0.62


# Which views ------------------------------------------------------------------------------------------------------


def three():
    Xs, epsilon = dense.views(60, 3)
    return mvx.MultiView({"a": Xs[0], "b": Xs[1], "c,d": Xs[2]}), dict(zip(("a", "b", "c,d"), epsilon, strict=True))


@pytest.mark.parametrize(
    ("given", "views"),
    [
        ({}, ("a", "b", "c,d")),
        ({"of": "b"}, ("b", "a", "c,d")),
        ({"of": "b", "beyond": "c,d"}, ("b", "c,d")),
        ({"of": "b", "beyond": ["c,d", "a"]}, ("b", "c,d", "a")),
        ({"beyond": 'b,"c,d"'}, ("a", "b", "c,d")),
        ({"of": "c,d", "beyond": ("b",)}, ("c,d", "b")),
        ({"of": "c,d", "views": ["a", "b"]}, ("c,d", "a", "b")),
    ],
)
def test_of_and_beyond_name_the_views(given, views):
    data, epsilon = three()
    e = mvx.embed(data, "view-specific", epsilon=epsilon, n_smooth=6, **given)
    assert e.views == views
    assert e.epsilon == tuple(epsilon[view] for view in views)
    assert not {"views"} & set(dict(e.warnings))
    expected = mvx.embed([data.Xs[data.view_index(v)] for v in views], "view-specific", epsilon=e.epsilon, n_smooth=6)
    np.testing.assert_array_equal(e.coordinates, expected.coordinates)
    again = mvx.embed(data, "view-specific", epsilon=epsilon, **e.params)
    assert again.views == views


def test_a_view_beyond_itself_is_refused():
    data, _ = three()
    for given in ({"beyond": "a"}, {"of": "b", "beyond": "a,b"}):
        with pytest.raises(ParameterError, match="knows nothing beyond itself"):
            mvx.embed(data, "view-specific", **given)
    with pytest.raises(DataError, match="no view called “x”"):
        mvx.embed(data, "view-specific", beyond="x")
    for nothing in ([], " , "):
        with pytest.raises(ParameterError, match="Beyond has no name in it"):
            mvx.embed(data, "view-specific", beyond=nothing)
    with pytest.raises(ParameterError, match="View-specific needs at least 2 views and has 1"):
        mvx.embed(data, "view-specific", views=["a"])


# What does not matter ---------------------------------------------------------------------------------------------


def test_order_of_the_other_views_units_and_a_duplicate_do_not_matter():
    Xs, epsilon = dense.views(120, 3)
    expected = mvx.embed(Xs, "view-specific", epsilon=epsilon, n_smooth=8)
    turned = mvx.embed([Xs[0], Xs[2], Xs[1]], "view-specific", epsilon=[epsilon[i] for i in (0, 2, 1)], n_smooth=8)
    same_up_to_signs(turned.coordinates, expected.coordinates, 1e-6)
    larger = mvx.embed(
        [X * s for X, s in zip(Xs, (3.0, 1e3, 1e-3), strict=True)],
        "view-specific",
        epsilon=[e * s**2 for e, s in zip(epsilon, (3.0, 1e3, 1e-3), strict=True)],
        n_smooth=8,
    )
    same_up_to_signs(larger.coordinates, expected.coordinates, 1e-7)
    twice = mvx.embed([*Xs, Xs[1].copy()], "view-specific", epsilon=[*epsilon, epsilon[1]], n_smooth=8)
    same_up_to_signs(twice.coordinates, expected.coordinates, 1e-6)


def test_known_samples_of_one_view_beyond_others_stay_in_place():
    Xs, epsilon = dense.views(200, 3)
    model = MultiViewEmbedding("view-specific", epsilon=list(epsilon), n_components=2, method_params={"n_smooth": 8})
    Y = model.fit_transform(Xs)
    np.testing.assert_allclose(model.transform([X[:40] for X in Xs]), Y[:40], rtol=0, atol=1e-9 * np.abs(Y).max())


def test_new_samples_are_placed_by_their_own_angle():
    data, _ = tori(500)
    model = MultiViewEmbedding("view-specific", epsilon="median*0.3", n_components=2)
    seen, unseen = (data.take(rows) for rows in (np.arange(400), np.arange(400, 500)))
    Y = model.fit_transform(seen)
    target = np.column_stack([np.cos(seen.latent["e"]), np.sin(seen.latent["e"])])
    way = np.linalg.lstsq(Y, target, rcond=None)[0]
    told = model.transform(unseen) @ way
    angle = np.arctan2(told[:, 1], told[:, 0])
    missed = np.abs(np.angle(np.exp(1j * (angle - unseen.latent["e"]))))
    assert np.median(missed) <= 0.25


# Edges ------------------------------------------------------------------------------------------------------------


def test_more_coordinates_than_the_others_leave_are_refused():
    Xs, epsilon = dense.views(40, 2)
    with pytest.raises(ParameterError, match=r"r = 25 .*: 19 smooth functions .* leave 21 of 40 samples.*at most 21"):
        mvx.embed(Xs, "view-specific", epsilon=epsilon, n_components=25)


def test_auto_takes_as_many_functions_as_jointly_smooth_functions_are_found_with():
    data, epsilon = tori()
    ours = mvx.embed(data, "view-specific", epsilon=epsilon, n_smooth="auto")
    theirs = mvx.embed(data, "jointly-smooth", epsilon=epsilon, n_smooth="auto")
    assert ours.info["n_smooth"] == theirs.info["n_smooth"] > 2


def test_no_shuffle_tests_it_and_that_is_said():
    Xs, epsilon = dense.views(40, 2)
    with pytest.raises(ParameterError, match="No shuffle tests that nothing is specific"):
        mvx.null_test(Xs, "view-specific", epsilon=epsilon, n=1)


def test_each_of_the_others_can_be_left_out():
    data, epsilon = three()
    given = {"epsilon": epsilon, "n_smooth": 6, "of": "b"}
    found = mvx.stability(data, "view-specific", drop_views=True, **given)
    assert [ghost.title for ghost in found.ghosts] == ["without a", "without c,d"]
    added = mvx.leave_one_view_out(data, "view-specific", **given)
    problems = {each.view: each.problem for each in added.without}
    assert problems["a"] == problems["c,d"] == ""
    assert problems["b"].startswith("View-specific of b has no picture without it.")
