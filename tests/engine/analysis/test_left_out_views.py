"""What a view adds: pictures without it against plain calls, and correlations against pairwise ones."""

import numpy as np
import pytest
from engine import dense
from scipy.stats import pearsonr, spearmanr

import mvexplorer as mvx
from mvexplorer.engine.analysis.agreement import disagreement
from mvexplorer.engine.analysis.components import components_of, correlations
from mvexplorer.engine.analysis.views import plan_without
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.stages import remember_once
from mvexplorer.errors import DataError, ParameterError


@pytest.fixture(scope="module")
def data():
    Xs, _ = dense.views(60, 3)
    return MultiView(Xs, view_names=["fou", "fac", "mor"], labels=np.arange(60) % 3, latent={"z": Xs[0][:, 0]},
                     columns={"age": np.arange(60.0), "name": ["x", "y"] * 30})  # fmt: skip


@pytest.mark.parametrize("method", ["kernel-sum", "multiview", "laplacian-mean"])
def test_a_picture_without_a_view_is_that_of_the_others(data, method):
    weights = {"fou": 2, "mor": 3}
    found = mvx.leave_one_view_out(data, method, epsilon="median", n_components=3, view_weights=weights)
    assert found.score_name == "NMI"
    epsilon = dict(zip(data.view_names, found.whole.epsilon, strict=True))
    for each in found.without:
        rest = [v for v in data.view_names if v != each.view]
        plain = mvx.embed(
            data, method, views=rest, epsilon=[epsilon[v] for v in rest], n_components=3,
            view_weights=[weights.get(v, 1) for v in rest],
        )  # fmt: skip
        np.testing.assert_allclose(each.embedding.coordinates, plain.coordinates, atol=1e-12)
        apart = disagreement(found.whole.coordinates, plain.coordinates)
        np.testing.assert_array_equal(each.disagreement, apart)
        assert each.change == pytest.approx(apart.mean())
        assert each.score == pytest.approx(mvx.metrics.nmi(plain.coordinates, data.labels).value)


def test_no_kernel_is_evaluated_anew(data):
    made, remember = [], remember_once()

    def memo(key, compute):
        return remember(key, lambda: made.append(key.stage) or compute())

    mvx.leave_one_view_out(data, "multiview", epsilon="median", memo=memo, score=lambda Y: 0.0)
    assert made.count("kernel") == 3


def test_of_two_views_the_other_one_is_left(data):
    found = mvx.leave_one_view_out(data, "multiview", views=["fou", "fac"], epsilon="median", t=2)
    for each, rest in zip(found.without, ("fac", "fou"), strict=True):
        alone = mvx.embed(data, "single", view=rest, epsilon="median", t=2)
        np.testing.assert_allclose(np.abs(each.embedding.coordinates), np.abs(alone.coordinates), atol=1e-10)
    cca = mvx.leave_one_view_out(data, "cca", views=["fou", "fac"], score=lambda Y: 1.0)
    assert all(each.embedding is None and "one view is left, and" in each.problem for each in cca.without)
    assert np.isnan(cca.without[0].change)


def test_what_cannot_be_left_out(data):
    with pytest.raises(ParameterError, match="shows one view: there is none to leave out"):
        mvx.leave_one_view_out(data, "single", view="fou", epsilon="median")
    made = plan(get_method("co-regularized"), data, ("fou", "fac"), "gaussian", "median", {})
    with pytest.raises(ParameterError, match="Without fou one view is left"):
        plan_without(made, data, "fou", (1.0, 1.0))


@pytest.mark.parametrize(("how", "reference"), [("spearman", spearmanr), ("pearson", pearsonr)])
def test_correlations_are_those_of_each_pair(how, reference):
    rng = np.random.default_rng(3)
    Y, X = rng.normal(size=(40, 3)), np.round(rng.normal(size=(40, 300)), 1)
    X[:, 7] = 2.5
    Y[5] = np.nan
    known = np.delete(np.arange(40), 5)
    found = correlations(Y, X, how)
    assert np.isnan(found[:, 7]).all()
    for c in range(3):
        for f in (0, 1, 255, 256, 299):
            assert found[c, f] == pytest.approx(reference(Y[known, c], X[known, f])[0], abs=1e-10)


def test_what_components_go_along_with(data):
    picture = mvx.embed(data, "kernel-sum", epsilon="median", n_components=3)
    found = mvx.component_correlations(picture, data, n_pcs=2)
    assert found.components == ("psi1", "psi2", "psi3")
    kinds = [(g.kind, g.view) for g in found.groups]
    assert kinds == [*((k, v) for v in data.view_names for k in ("feature", "pc")), ("latent", ""), ("column", "")]
    assert found.groups[-1].names == ("age",)
    match = found.strongest(0)
    each = [abs(g.r[0, i]) for g in found.groups for i in range(len(g.names))]
    assert abs(match.r) == max(each)
    pcs = mvx.embed(data, "pca", views=["fou"], n_components=2).coordinates
    r = spearmanr(picture.coordinates[:, 0], pcs[:, 0])[0]
    assert found.groups[1].r[0, 0] == pytest.approx(r, abs=1e-10)


def test_is_psi1_just_pc1():
    """A line with little noise across: the first coordinate of its diffusion map is its first principal component."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.linspace(0, 9, 80), 0.01 * rng.normal(size=80)]) @ np.array([[0.8, 0.6], [-0.6, 0.8]])
    data = MultiView([X, 3.0 * X + 0.01 * rng.normal(size=X.shape)])
    found = mvx.component_correlations(mvx.embed(data, "multiview", epsilon="median"), data)
    assert found.components == ("mean psi1", "mean psi2")
    pc = next(g for g in found.groups if g.kind == "pc").best(0)
    assert (pc.name, round(abs(pc.r), 3)) == ("PC1", 1.0)


def test_odd_input(data):
    with pytest.raises(DataError, match="The picture has 5 samples and the data 60"):
        mvx.component_correlations(np.zeros((5, 2)), data)
    with pytest.raises(DataError, match="a table of samples and axes"):
        components_of(np.zeros(5))
    with pytest.raises(ParameterError, match="no correlation called “kendall”"):
        mvx.component_correlations(np.zeros((60, 2)), data, how="kendall")
    with pytest.raises(DataError, match="no view called"):
        mvx.component_correlations(np.zeros((60, 2)), data, views=["nobody"])
    flat = mvx.component_correlations(np.ones((60, 2)), data)
    assert flat.strongest(0) is None
    constant = MultiView([np.column_stack([data.Xs[0], np.ones(60)]), np.ones((60, 2))], columns={
        "gap": np.where(np.arange(60) % 2, np.nan, np.arange(60.0))})  # fmt: skip
    found = mvx.component_correlations(np.arange(60.0)[:, None], constant)
    assert found.groups[-1].best(0).r == pytest.approx(1.0)
    assert "Constant features of view1, left out: 1." in " ".join(found.notes)
    nothing = mvx.component_correlations(np.full((60, 1), np.nan), data)
    assert nothing.strongest(0) is None
