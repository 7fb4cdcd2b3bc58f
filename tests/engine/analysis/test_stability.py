"""Stability: parts, noise and dropped views against the same done by hand, and its one number."""

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.engine.analysis.rerun import RerunPicture
from mvexplorer.engine.analysis.stability import Ghost, moves_with_epsilon, stability_of
from mvexplorer.errors import ParameterError


def two_views(n=80, seed=0):
    rng = np.random.default_rng(seed)
    angle = np.sort(rng.uniform(0.0, 2.0 * np.pi, n))
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    Xs = [ring + 0.02 * rng.normal(size=ring.shape), 3.0 * ring @ rng.normal(size=(2, 4)), ring**3]
    return mvx.MultiView(Xs, view_names=("one", "two", "three"), latent={"angle": angle})


def laid(moving, reference):
    """Orthogonal Procrustes by hand."""
    A, B = moving - moving.mean(axis=0), reference - reference.mean(axis=0)
    U, _, Vt = np.linalg.svd(A.T @ B)
    return A @ U @ Vt + reference.mean(axis=0)


@pytest.mark.parametrize("method", ["kernel-sum", "multiview", "jade"])
def test_random_parts_are_those_computed_by_hand(method):
    n_samples = 40 if method == "jade" else 80
    data = two_views(n_samples)
    found = mvx.stability(data, method, n=3, epsilon=0.5)
    whole = mvx.embed(data, method, epsilon=0.5).coordinates
    squared, count = np.zeros(n_samples), np.zeros(n_samples)
    for ghost in found.ghosts:
        assert len(ghost.rows) == 0.8 * n_samples
        part = laid(mvx.embed(data.take(ghost.rows), method, epsilon=0.5).coordinates, whole[ghost.rows])
        assert np.abs(part - ghost.coordinates).max() < 1e-4 * np.abs(whole).max()
        squared[ghost.rows] += ((part - whole[ghost.rows]) ** 2).sum(axis=1)
        count[ghost.rows] += 1
    radius = np.sqrt((whole - whole.mean(axis=0)).var(axis=0).sum())
    with np.errstate(invalid="ignore"):
        spread = np.sqrt(squared / count)
    assert found.number == pytest.approx(np.nanmedian(spread) / radius, rel=1e-3)
    assert found.spread == pytest.approx(spread, rel=1e-2, abs=1e-4 * radius, nan_ok=True)
    assert found.scores.shape == (3,)


@pytest.mark.parametrize("method", ["kernel-sum", "multiview"])
def test_pictures_at_other_epsilon_are_those_computed_by_hand(method):
    data = two_views()
    found = mvx.stability(data, method, scale_epsilon=True, epsilon=0.5)
    assert [ghost.title for ghost in found.ghosts] == ["ε x 0.7", "ε x 1.3"]
    whole, squared = mvx.embed(data, method, epsilon=0.5).coordinates, np.zeros(80)
    for ghost, epsilon in zip(found.ghosts, (0.35, 0.65), strict=True):
        there = laid(mvx.embed(data, method, epsilon=epsilon).coordinates, whole)
        assert np.abs(there - ghost.coordinates).max() < 1e-4 * np.abs(whole).max()
        squared += ((there - whole) ** 2).sum(axis=1)
    radius = np.sqrt((whole - whole.mean(axis=0)).var(axis=0).sum())
    assert found.number == pytest.approx(np.median(np.sqrt(squared / 2)) / radius, rel=1e-3)
    here, *others = (RerunPicture.of(mvx.embed(data, method, epsilon=epsilon)) for epsilon in (0.5, 0.35, 0.65))
    score = moves_with_epsilon(here, others)
    assert score.value == pytest.approx(found.number, rel=1e-4)
    assert 0.0 < score.spread < score.value
    with pytest.raises(ParameterError, match="PCA has no ε here"):
        mvx.stability(data, "pca", scale_epsilon=True)


def test_views_are_left_out_in_turn():
    data = two_views()
    found = mvx.stability(data, "multiview", drop_views=True, epsilon=0.5)
    assert [ghost.title for ghost in found.ghosts] == ["without one", "without two", "without three"]
    without = mvx.embed(data, "multiview", views=["two", "three"], epsilon=0.5).coordinates
    ghost = found.ghosts[0].coordinates
    assert np.isnan(ghost[:, :2]).all()
    whole = mvx.embed(data, "multiview", epsilon=0.5).coordinates[:, 2:]
    assert np.abs(laid(without, whole) - ghost[:, 2:]).max() < 1e-5
    with pytest.raises(ParameterError, match="2 views cannot leave one out"):
        mvx.stability(data, "multiview", drop_views=True, views=["one", "two"])


def test_a_view_left_out_takes_its_weight_along():
    found = mvx.stability(two_views(), "kernel-sum", drop_views=True, epsilon=0.5, view_weights=[5.0, 1.0, 2.0])
    alone = mvx.embed(two_views(), "kernel-sum", views=["one", "three"], epsilon=0.5, view_weights=[5.0, 2.0])
    ghost = found.ghosts[1].coordinates
    assert np.abs(laid(alone.coordinates, ghost) - ghost).max() < 1e-5


def test_noise_is_a_share_of_the_spread_of_each_view():
    """Of the root of its features' mean variance, in whatever units the view is."""
    data = two_views()
    Xs = [100.0 * data.Xs[0], 0.01 * data.Xs[1]]
    epsilon = [5000.0, 5e-4]
    (ghost,) = mvx.stability(Xs, "kernel-sum", noise=0.1, n=1, epsilon=epsilon).ghosts
    rng = np.random.default_rng(0)
    noisy = [X + 0.1 * np.sqrt(np.mean(X.std(axis=0) ** 2)) * rng.standard_normal(X.shape) for X in Xs]
    by_hand = mvx.embed(noisy, "kernel-sum", epsilon=epsilon).coordinates
    assert np.abs(laid(by_hand, ghost.coordinates) - ghost.coordinates).max() < 1e-5 * np.abs(by_hand).max()


def test_more_noise_moves_samples_farther():
    few, much = (
        mvx.stability(two_views(), "kernel-sum", noise=share, n=3, epsilon=0.5).number for share in (0.01, 1.0)
    )
    assert few < 0.1 * much


@pytest.mark.parametrize("kind", [{}, {"noise": 0.5}])
@pytest.mark.parametrize("method", ["kernel-sum", "multiview"])
@pytest.mark.parametrize("given", [{"delta": 0.3, "n_components": 30}, {"n_components": 77}])
def test_pictures_of_fewer_or_more_coordinates_are_laid_onto_the_whole(given, method, kind):
    found = mvx.stability(two_views(), method, n=2, **given, **kind)
    assert found.number > 0.0
    assert np.isfinite(found.spread[found.ghosts[0].rows]).all()
    assert len({ghost.coordinates.shape[1] for ghost in found.ghosts}) == 1


def test_ellipses_are_the_covariances_of_the_places():
    rng = np.random.default_rng(0)
    whole = rng.normal(size=(5, 3))
    places = rng.normal(size=(6, 5, 3))
    found = stability_of(whole, "parts", [Ghost(str(i), np.arange(5), Y) for i, Y in enumerate(places)])
    for i in range(5):
        assert found.ellipses[i] == pytest.approx(np.cov(places[:, i, :2].T, bias=True), abs=1e-12)


def test_affinities_take_no_noise_but_parts_do():
    X = two_views().Xs[1]
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
    data = mvx.MultiView([K, X])
    kernel = ["precomputed", "gaussian"]
    assert mvx.stability(data, "kernel-sum", n=2, kernel=kernel, epsilon=1.0).number < 1.0
    with pytest.raises(ParameterError, match="no features to add noise to"):
        mvx.stability(data, "kernel-sum", noise=0.1, kernel=kernel, epsilon=1.0)


@pytest.mark.parametrize("kernel", ["knn-8", "landmarks-50", "self-tuning"])
def test_neighbours_and_landmarks_of_a_part_are_its_own(kernel):
    data = two_views(120)
    found = mvx.stability(data, "kernel-sum", n=1, kernel=kernel, epsilon=0.5).ghosts[0]
    part = mvx.embed(data.take(found.rows), "kernel-sum", kernel=kernel, epsilon=0.5).coordinates
    assert np.abs(laid(part, found.coordinates) - found.coordinates).max() < 1e-4 * np.abs(part).max()


def test_of_a_random_part_the_other_samples_have_no_spread():
    found = mvx.stability(two_views(), "kernel-sum", n=2, subsample=50, epsilon=0.5)
    assert np.count_nonzero(np.isfinite(found.spread)) <= 50
    assert found.number > 0.0


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"n": 0}, "0 recomputed pictures say nothing"),
        ({"n": 2.5}, "2.5 recomputed pictures say nothing"),
        ({"kept": 1.2}, "1.2 of the samples is no part"),
        ({"noise": -1.0}, "Noise of -1 times the spread is none"),
    ],
)
def test_what_cannot_be_asked_is_said(given, match):
    with pytest.raises(ParameterError, match=match):
        mvx.stability(two_views(), "kernel-sum", **given)


def test_one_bandwidth_for_all_views_is_scaled_as_well():
    data = two_views()
    found = mvx.stability(data, "concatenation", scale_epsilon=True, joint_epsilon=0.5)
    whole, *others = (mvx.embed(data, "concatenation", joint_epsilon=e).coordinates for e in (0.5, 0.35, 0.65))
    squared = sum(np.square(laid(other, whole) - whole).sum(axis=1) for other in others)
    radius = np.sqrt((whole - whole.mean(axis=0)).var(axis=0).sum())
    assert found.number == pytest.approx(np.median(np.sqrt(squared / 2)) / radius, rel=1e-3)
    swept = mvx.sweep(data, "concatenation", {"t": [1]}, scores="stability", joint_epsilon=0.5)
    assert swept["stability"][0] == pytest.approx(found.number, rel=1e-4)


def test_only_one_thing_is_changed_and_a_picture_of_one_point_does_not_move():
    with pytest.raises(ParameterError, match="Only one thing is changed at a time"):
        mvx.stability(two_views(), "kernel-sum", scale_epsilon=True, noise=0.1)
    point = RerunPicture((np.zeros((20, 2)),), np.ones(2))
    assert moves_with_epsilon(point, [point, point]) is None
