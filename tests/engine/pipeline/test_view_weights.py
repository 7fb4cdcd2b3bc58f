"""View weights against dense formulas, written down anew: each method, its limits, what it refuses."""

import numpy as np
import pytest
from engine import dense

from mvexplorer.engine.analysis.point import transition_probabilities
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.api.estimator import MultiViewEmbedding
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.methods import methods
from mvexplorer.engine.pipeline.stages import remember_once
from mvexplorer.engine.spectral.warm_start import parameter_point
from mvexplorer.errors import DataError, ParameterError

WEIGHTS = (2.0, 0.5, 1.1)
FUSED = ("kernel-sum", "kernel-product", "concatenation")
WEIGHED = (*FUSED, "multiview")
MEAN_1 = np.array(WEIGHTS) / np.mean(WEIGHTS)


def kernels(Xs, epsilon, others=None):
    others = Xs if others is None else others
    return [dense.gaussian(Y, e, X) for X, Y, e in zip(Xs, others, epsilon, strict=True)]


def fused(method, Xs, epsilon, w, others=None):
    """The one kernel (n, M) of a method, from new samples `others` to the known ones."""
    each = kernels(Xs, epsilon, others)
    if method == "kernel-sum":
        return sum(wl * K for wl, K in zip(w, each, strict=True))
    if method == "kernel-product":
        return np.prod([K**wl for wl, K in zip(w, each, strict=True)], axis=0)
    sides = [np.hstack([np.sqrt(wl) * X for wl, X in zip(w, of, strict=True)]) for of in (Xs, others or Xs)]
    return dense.gaussian(sides[1], float(np.dot(w, epsilon)), sides[0])


def multiview(Xs, epsilon, w, eta):
    n_views, each = len(Xs), kernels(Xs, epsilon)
    blocks = [
        [
            w[i] * w[j] * (eta if i == j else (1 - eta) / (n_views - 1)) * each[i] @ each[j]
            for j in range(n_views)
        ]
        for i in range(n_views)
    ]  # fmt: skip
    return np.block(blocks)


def same_up_to_sign(found, expected):
    expected = expected * np.sign((found * expected).sum(axis=0))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8 * np.abs(expected).max())


@pytest.mark.validates("kernel-sum", "kernel-product", "concatenation")
@pytest.mark.parametrize("method", FUSED)
def test_one_kernel_of_weighed_views(method):
    Xs, epsilon = dense.views(70, 3)
    e = embed(Xs, method, epsilon=epsilon, n_components=3, view_weights=WEIGHTS)
    values, psi = dense.walk(fused(method, Xs, epsilon, MEAN_1))
    np.testing.assert_allclose(e.eigenvalues, values[:4], rtol=0, atol=1e-10)
    same_up_to_sign(e.coordinates, values[1:4] * psi[:, 1:4])
    new = [X[:5] + 0.1 for X in Xs]
    rows = fused(method, Xs, epsilon, MEAN_1, new)
    placed = rows @ psi[:, 1:4] / rows.sum(axis=1)[:, None]
    same_up_to_sign(e.transform(new), placed * np.sign((e.coordinates * psi[:, 1:4]).sum(axis=0)))
    np.testing.assert_allclose(e.transform(Xs), e.coordinates, atol=1e-8)


@pytest.mark.validates("multiview")
@pytest.mark.parametrize("eta", [0.0, 0.3])
def test_blocks_of_weighed_views(eta):
    Xs, epsilon = dense.views(50, 3)
    e = embed(Xs, "multiview", epsilon=epsilon, n_components=3, eta=eta, view_weights=WEIGHTS)
    values, psi = dense.walk(multiview(Xs, epsilon, MEAN_1, eta))
    np.testing.assert_allclose(e.eigenvalues, values[:4], rtol=0, atol=1e-10)
    blocks = np.vstack(e.view_coordinates)
    same_up_to_sign(blocks, values[1:4] * psi[:, 1:4])
    np.testing.assert_allclose(e.transform(Xs), e.coordinates, atol=1e-8)


@pytest.mark.parametrize("method", WEIGHED)
def test_the_walk_is_that_of_weighed_views(method):
    Xs, epsilon = dense.views(30, 3)
    e = embed(Xs, method, epsilon=epsilon, eta=0.3, view_weights=WEIGHTS) if method == "multiview" else embed(
        Xs, method, epsilon=epsilon, view_weights=WEIGHTS)  # fmt: skip
    K = multiview(Xs, epsilon, MEAN_1, 0.3) if method == "multiview" else fused(method, Xs, epsilon, MEAN_1)
    P = K / K.sum(axis=1)[:, None]
    found = transition_probabilities(e, 4, t=2)
    rows = (P @ P)[4::30].reshape(found.shape)
    np.testing.assert_allclose(found, rows, atol=1e-10)


@pytest.mark.parametrize("method", WEIGHED)
def test_all_alike_is_as_without(method):
    Xs, epsilon = dense.views(40, 3)
    plain = embed(Xs, method, epsilon=epsilon, n_components=3)
    for alike in ("1,1,1", (2, 2, 2), {"view2": 1}, "", None):
        found = embed(Xs, method, epsilon=epsilon, n_components=3, view_weights=alike)
        np.testing.assert_array_equal(found.coordinates, plain.coordinates)
        assert found.params == plain.params
    other = embed(Xs, method, epsilon=epsilon, n_components=3, view_weights=(3, 1, 1))
    assert np.abs(other.coordinates - plain.coordinates).max() > 1e-6


@pytest.mark.parametrize("method", WEIGHED)
def test_the_order_of_views_does_not_matter(method):
    Xs, epsilon = dense.views(40, 3)
    one = embed(Xs, method, epsilon=epsilon, n_components=2, view_weights=WEIGHTS)
    other = embed(Xs[::-1], method, epsilon=epsilon[::-1], n_components=2, view_weights=WEIGHTS[::-1])
    np.testing.assert_allclose(one.eigenvalues, other.eigenvalues, atol=1e-12)
    blocks = np.hstack(other.view_coordinates[::-1]) if one.view_coordinates else other.coordinates
    same_up_to_sign(one.coordinates, blocks)


@pytest.mark.parametrize("method", WEIGHED)
def test_a_view_of_no_weight_is_as_left_out(method):
    """Weights have mean 1: those of the others grow to L/(L-1), which is an exponent in the product."""
    Xs, epsilon = dense.views(40, 3)
    little = embed(Xs, method, epsilon=epsilon, n_components=2, view_weights=(1, 1, 1e-12))
    scale = 2 / 3 if method == "kernel-product" else 1.0
    without = embed(Xs[:2], method, epsilon=scale * np.array(epsilon[:2]), n_components=2)
    np.testing.assert_allclose(little.eigenvalues, without.eigenvalues, atol=1e-6)
    found = np.hstack(little.view_coordinates[:2]) if method == "multiview" else little.coordinates
    width = found.shape[1]  # ψ_0 = 1 over all views: that of L views is √(L/(L-1)) times as long
    scaled = without.coordinates[:, :width]
    np.testing.assert_allclose(found / np.linalg.norm(found), scaled / np.linalg.norm(scaled), atol=1e-5)


@pytest.mark.parametrize("kernel", ["knn-40", "landmarks-25", "laplacian", "self-tuning"])
@pytest.mark.parametrize("method", WEIGHED)
def test_other_kernels_place_what_they_know(method, kernel):
    """Weighed operators of sparse and landmark kernels: new samples that are known ones land where those are."""
    if method == "concatenation" and kernel in ("laplacian", "self-tuning"):
        kernel = "gaussian"
    Xs, epsilon = dense.views(60, 3)
    given = {"epsilon": 20 * np.array(epsilon), "n_components": 2, "kernel": kernel}
    e = embed(Xs, method, view_weights=WEIGHTS, **given)
    plain = embed(Xs, method, **given)
    assert np.abs(e.eigenvalues - plain.eigenvalues).max() > 1e-5
    if kernel != "knn-40":
        np.testing.assert_allclose(e.transform(Xs), e.coordinates, atol=1e-6)
    again = embed(Xs, method, view_weights=[3 * w for w in WEIGHTS], **given)
    np.testing.assert_allclose(again.coordinates, e.coordinates, atol=1e-8)


@pytest.mark.parametrize("method", ["kernel-sum", "multiview"])
def test_a_step_of_weights_evaluates_no_kernel(method):
    Xs, epsilon = dense.views(40, 3)
    made, remember = [], remember_once()

    def memo(key, compute):
        return remember(key, lambda: made.append(key.stage) or compute())

    data = MultiView(Xs)
    embed(data, method, epsilon=epsilon, memo=memo, view_weights=(2, 1, 1))
    assert made.count("kernel") == 3
    made.clear()
    embed(data, method, epsilon=epsilon, memo=memo, view_weights=(3, 1, 1))
    assert not {"view", "distances", "kernel"} & set(made)


@pytest.mark.parametrize("method", WEIGHED)
def test_a_dragged_weight_starts_from_the_step_before(method):
    """Steps at other weights lie elsewhere: no anchors, but a start, from which the answer is the same."""
    Xs, epsilon = dense.views(60, 3)
    given = {"epsilon": epsilon, "n_components": 3}
    steps = [embed(Xs, method, view_weights=(w, 1, 1), **given) for w in (1, 1.1)]
    draft = embed(Xs, method, view_weights=(1.2, 1, 1), start=steps, interactive=True, **given)
    exact = embed(Xs, method, view_weights=(1.2, 1, 1), **given)
    np.testing.assert_allclose(draft.eigenvalues, exact.eigenvalues, atol=1e-3)
    params = next(m for m in methods() if m.id == method).params
    place = {w: parameter_point(epsilon, params, {"view_weights": w}) for w in ("2,1,1", "4,2,2", "1,2,1")}
    np.testing.assert_allclose(place["2,1,1"], place["4,2,2"], atol=1e-12)
    assert np.abs(place["2,1,1"] - place["1,2,1"]).max() > 0.3


@pytest.mark.parametrize(("eta", "words"), [(0.0, "two views at η = 0"), (1.0, "at η = 1")])
def test_where_weights_cancel_it_is_said(eta, words):
    Xs, epsilon = dense.views(40, 2)
    plain = embed(Xs, "multiview", epsilon=epsilon, eta=eta)
    found = embed(Xs, "multiview", epsilon=epsilon, eta=eta, view_weights=(5, 1))
    np.testing.assert_array_equal(found.coordinates, plain.coordinates)
    assert words in dict(found.warnings)["weights"]
    assert "weights" not in dict(plain.warnings)


def test_forms_of_weights():
    Xs, _ = dense.views(30, 3)
    data = MultiView(Xs, view_names=["fou", "a, b:c", "mor"])
    given = {"epsilon": 1.0, "n_components": 2}
    texts = ["2,3,1", (2, 3, 1), np.array([2.0, 3.0, 1.0]), {"fou": 2, "a, b:c": 3}]
    found = [embed(data, "kernel-sum", view_weights=w, **given).coordinates for w in texts]
    assert all(np.array_equal(Y, found[0]) for Y in found[1:])
    named = embed(data, "kernel-sum", view_weights="fou:2, mor:3", **given)
    assert named.params["view_weights"] == "2.0,1.0,3.0"
    part = embed(data, "kernel-sum", views=["mor", "fou"], view_weights={"fou": 2, "a, b:c": 9}, **given)
    assert part.params["view_weights"] == "1.0,2.0"
    model = MultiViewEmbedding("kernel-sum", epsilon=1.0, view_weights={"view1": 2, "view2": 3})
    np.testing.assert_array_equal(model.fit_transform(Xs), found[0])


@pytest.mark.parametrize("method", WEIGHED)
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("1,0,1", r"View weights \(ω\) cannot be '1,0,1'. Give one number above 0 per view"),
        ((1, -2, 1), "cannot be '1,-2,1'. Give one number above 0"),
        ((1, float("nan"), 1), "cannot be '1,nan,1'"),
        ((1, float("inf"), 1), "cannot be '1,inf,1'"),
        ("1,2", r"are 2 numbers for 3 views. Give 3 numbers separated by commas"),
        ("view1:two", "cannot be 'two,1.0,1.0'"),
        ("__import__('os')", "Give one number above 0"),
        (5, "are 1 numbers for 3 views"),
        ([[1, 2, 3]], "Give one number above 0"),
    ],
)
def test_wrong_weights(method, weights, message):
    Xs, _ = dense.views(20, 3)
    with pytest.raises(ParameterError, match=message):
        embed(Xs, method, epsilon=1.0, view_weights=weights)


def test_weights_of_nothing():
    Xs, _ = dense.views(20, 3)
    with pytest.raises(DataError, match="There is no view called “nobody”"):
        embed(Xs, "kernel-sum", epsilon=1.0, view_weights={"nobody": 2})
    with pytest.raises(ParameterError, match=r"needs at least 2 views and has 1|are 2 numbers for 1 views"):
        embed(Xs[:1], "kernel-sum", epsilon=1.0, view_weights=(1, 2))
    for method in methods():
        if "view_weights" not in {p.name for p in method.params} and not method.shows_given:
            with pytest.raises(ParameterError, match=f"{method.title} has no view weights: all its views count"):
                embed(Xs[: method.max_views], method.id, view_weights=(1, 2))


def test_a_constant_view_weighs_without_trouble():
    Xs, epsilon = dense.views(30, 2)
    flat = [*Xs, np.ones((30, 2))]
    found = embed(flat, "kernel-sum", epsilon=(*epsilon, 1.0), view_weights=(1, 1, 5))
    assert np.all(np.isfinite(found.coordinates))
