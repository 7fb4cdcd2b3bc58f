"""Local CCA against its algorithms written out in loops, on closed forms, and at the bars of the paper's data."""

import tracemalloc

import numpy as np
import pytest
from scipy.stats import spearmanr
from test_cca import naive_metric, related

from mvexplorer import datasets
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.methods import get_method, local_cca
from mvexplorer.engine.methods.shared.neighbourhoods import subset_rows
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.errors import DataError, ParameterError


def stages(data, views=(0, 1), **params):
    data = data if isinstance(data, MultiView) else MultiView(data)
    defaults = {p.name: p.default for p in get_method("local-cca").params}
    return Stages(data, views, params={**defaults, **params})


def metric(data, views=(0, 1), **params):
    """The matrix D of the method's own metric."""
    s = stages(data, views, **params)
    settings = local_cca.metric_settings(s)
    return (local_cca.middle_metric if settings.middle else local_cca.local_metric)(s, settings)[0]


def energy(v):
    """Share of the spectrum near the coupled pendulums' 1 and 1.6 Hz: bins 5 ± 1 and 8 ± 1."""
    power = np.abs(np.fft.rfft(v - v.mean())) ** 2
    return power[[4, 5, 6, 7, 8, 9]].sum() / power.sum()


def rank_correlation(e, z):
    return abs(spearmanr(e.coordinates[:, 0], z)[0])


# --- the algorithms, written out -------------------------------------------------------------------------------


def smooth_views(n_samples, dx=4, dy=5, seed=0):
    """A walk in three variables, two of them seen in both views, curved."""
    rng = np.random.default_rng(seed)
    z = np.cumsum(rng.standard_normal((n_samples, 3)), axis=0) / 5
    X = np.column_stack([z, z[:, 0] * z[:, 2]]) @ rng.standard_normal((4, dx))
    Y = np.column_stack([z[:, :2], rng.standard_normal((n_samples, 3)) / 5]) @ rng.standard_normal((5, dy))
    return [X + 0.02 * rng.standard_normal(X.shape), Y + 0.02 * rng.standard_normal(Y.shape)]


def naive_metrics(Xs, neighbours, kept, rank, ridge):
    return [naive_metric(Xs[0][near], Xs[1][near], kept, rank, ridge)[0] for near in neighbours]


def naive_windows(n_samples, size):
    first = [min(max(i - (size - 1) // 2, 0), n_samples - size) for i in range(n_samples)]
    return [list(range(f, f + size)) for f in first]


def naive_diffusion(D, symmetric, scale=1.0):
    """All eigenvalues and right eigenvectors, ψ_0 = 1, of Ω⁻¹W or Ω⁻¹WᵗW."""
    W = np.exp(-D / (scale * np.median(D)))
    W = W if symmetric else W.T @ W
    omega = W.sum(axis=1)
    values, vectors = np.linalg.eigh(W / np.sqrt(np.outer(omega, omega)))
    order = np.argsort(-values)
    return values[order], vectors[:, order] / np.sqrt(omega)[:, None] * np.sqrt(omega.sum())


def assert_same_embedding(e, values, psi, t=1):
    r = len(e.eigenvalues) - 1
    np.testing.assert_allclose(e.eigenvalues, values[: r + 1], rtol=0, atol=1e-7)
    expected = psi[:, 1 : r + 1] * values[1 : r + 1] ** t
    signs = np.sign((e.coordinates * expected).sum(axis=0))
    np.testing.assert_allclose(e.coordinates, signs * expected, rtol=0, atol=1e-5 * np.abs(expected).max())


@pytest.mark.validates("local-cca")
@pytest.mark.parametrize("n_samples", [40, 300])
@pytest.mark.parametrize(("kept", "rank", "ridge", "scale"), [(1, None, 0.01, 1.0), (2, 3, 0.0, 0.3)])
@pytest.mark.parametrize("kind", ["local-cca", "older"])
def test_algorithm_2_written_out(n_samples, kept, rank, ridge, scale, kind):
    X, Y = smooth_views(n_samples)
    A = naive_metrics([X, Y], naive_windows(n_samples, 8), kept, rank, ridge)
    older = kind == "older"
    D = np.empty((n_samples, n_samples))
    for i in range(n_samples):
        for j in range(n_samples):
            d = X[i] - X[j]
            D[i, j] = d @ (0.5 * (A[i] + A[j]) if older else A[i]) @ d
    params = {"directions": kept, "cca_rank": rank, "ridge": ridge, "local_metric": kind, "neighbourhood": "window"}
    np.testing.assert_allclose(metric([X, Y], **params), D, rtol=0, atol=1e-9 * D.max())
    e = embed([X, Y], "local-cca", scale=scale, n_components=3, t=2, **params)
    assert_same_embedding(e, *naive_diffusion(D, symmetric=older, scale=scale), t=2)


def test_algorithm_2_on_a_subset():
    Xs = smooth_views(60)
    rows = subset_rows(stages(Xs), 25)
    near = naive_windows(60, 8)
    A = naive_metrics(Xs, [near[i] for i in rows], 1, None, 0.01)
    D = np.array([[(Xs[0][i] - x) @ A_i @ (Xs[0][i] - x) for x in Xs[0]] for i, A_i in zip(rows, A, strict=True)])
    e = embed(Xs, "local-cca", subset=25, neighbourhood="window")
    assert_same_embedding(e, *naive_diffusion(D, symmetric=False))


def test_algorithm_1_written_out():
    X, Y = smooth_views(25)
    D = np.zeros((25, 25))
    for i in range(25):
        for j in range(25):
            ranks = []
            for V in (X, Y):
                far = ((V - 0.5 * (V[i] + V[j])) ** 2).sum(axis=1)
                ranks.append([int((far < f * (1 - 1e-9)).sum()) for f in far])
            key = [(max(a, b), a + b, a, *x, *y) for a, b, x, y in zip(*ranks, X, Y, strict=True)]
            best = sorted(range(25), key=key.__getitem__)
            if i != j:
                d = X[i] - X[j]
                D[i, j] = d @ naive_metric(X[best[:8]], Y[best[:8]], 1, None, 0.01)[0] @ d
    found = metric([X, Y], middle_points=True)
    np.testing.assert_allclose(found, D, rtol=0, atol=1e-9 * D.max())
    e = embed([X, Y], "local-cca", middle_points=True, n_components=3)
    assert_same_embedding(e, *naive_diffusion(D, symmetric=True))


def test_the_trivial_vector_is_constant():
    e = embed(smooth_views(50), "local-cca", n_components=3)
    np.testing.assert_array_equal(e.decomposition.blocks[0][:, 0], 1.0)
    assert e.eigenvalues[0] == 1.0
    assert e.eigenvalues[-1] >= 0


# --- closed forms ------------------------------------------------------------------------------------------------


def test_mahalanobis_of_a_linear_map():
    """Proposition 4: x = Jz + c, so that D_ij = (z_i - z_j)ᵗ cov(z)⁻¹ (z_i - z_j) whatever J, on each neighbourhood."""
    rng = np.random.default_rng(5)
    z = rng.standard_normal((80, 2)) * [1.0, 3.0]
    X = z @ rng.standard_normal((2, 6)) + 5.0
    D = metric([X, rng.standard_normal((80, 3))], local_metric="mahalanobis", ridge=0.0, neighbourhood="window")
    for i, near in enumerate(naive_windows(80, 8)):
        inverse = np.linalg.inv(np.cov(z[near].T))
        expected = [(z[i] - v) @ inverse @ (z[i] - v) for v in z]
        np.testing.assert_allclose(D[i], expected, rtol=1e-7, atol=1e-9)


def test_linear_views_give_the_distances_of_what_they_share():
    """Proposition 1: noise-free linear views of (z, own), with all samples as one neighbourhood."""
    rng = np.random.default_rng(6)
    z, e, h = rng.standard_normal((3, 400, 1))
    # Uncorrelated in the sample, too, so that the canonical directions are exact.
    parts = np.linalg.qr(np.hstack([np.ones((400, 1)), z, e, h]))[0][:, 1:] * np.sqrt(399)
    X, Y = parts[:, :2] @ rng.standard_normal((2, 4)), parts[:, [0, 2]] @ rng.standard_normal((2, 5))
    D = metric([X, Y], neighbourhood="window", neighbours=400, ridge=0.0)
    np.testing.assert_allclose(D, (parts[:, :1] - parts[:, 0]) ** 2, atol=1e-10)


# --- pendulums -----------------------------------------------------------------------------------------------------

WINDOW = {"neighbourhood": "window", "neighbours": 8, "ridge": 0.01, "directions": 1}


@pytest.mark.validates("local-cca")
@pytest.mark.parametrize("seed", range(3))
def test_coupled_pendulums_beside_others(seed):
    data = datasets.make_pendulums(random_state=seed)
    for params in (WINDOW, {}):
        found = embed(data, "local-cca", **params)
        assert energy(found.coordinates[:, 0]) >= 0.80
        assert found.warnings == ()
    for epsilon in ("median", "max-min"):
        assert energy(embed(data, "single", epsilon=epsilon).coordinates[:, 0]) <= 0.30
    for untruncated in ({"ridge": 0.0, "directions": 1}, {"ridge": 0.0, "directions": 7}, {"directions": 7}):
        full = embed(data, "local-cca", **{**WINDOW, **untruncated})
        assert energy(full.coordinates[:, 0]) <= 0.30
        text = dict(full.warnings)["full-rank"]
        assert text.startswith("With 8 samples in 200 dimensions every canonical correlation is 1")
    ranked = embed(data, "local-cca", **{**WINDOW, "ridge": 0.0, "cca_rank": 2})
    assert "full-rank" not in dict(ranked.warnings)


def test_a_ridge_that_holds_nothing_back_is_told_of():
    """Unrelated noise in many dimensions: all directions are alike, and the default ridge shortens none of them."""
    rng = np.random.default_rng(4)
    Xs = [rng.standard_normal((100, 50)) for _ in range(2)]
    found = embed(Xs, "local-cca")
    assert "full-rank" in dict(found.warnings)
    assert found.info["canonical_correlation"] > 0.95
    for calm in ({"ridge": 0.5}, {"cca_rank": 2}, {"neighbours": 60}, {"local_metric": "mahalanobis"}):
        assert "full-rank" not in dict(embed(Xs, "local-cca", **calm).warnings)


def test_the_metric_lives_in_the_first_view():
    """In view 2 the same settings follow that film's own pendulum."""
    data = datasets.make_pendulums()
    swapped = embed(data, "local-cca", views=("right", "left"), **WINDOW)
    assert energy(swapped.coordinates[:, 0]) <= 0.30
    D = metric(data, (1, 0), **WINDOW)
    near = naive_windows(400, 8)[50]
    A = naive_metric(data.Xs[1][near], data.Xs[0][near], 1, None, 0.01)[0]
    d = data.Xs[1][50] - data.Xs[1][90]
    assert D[50, 90] == pytest.approx(d @ A @ d, rel=1e-6)


# --- a shared variable, with bursts --------------------------------------------------------------------------------


def test_bursts_one_by_one():
    data = datasets.make_shared_latent(n_samples=30).replace(preprocess=("zscore", "none"))
    scale = data.Xs[0].std(axis=0)
    D = metric(data)
    for i in range(30):
        A = naive_metric(data.bursts[0][i] / scale, data.bursts[1][i], 1, None, 0.01)[0]
        d = (data.Xs[0][i] - data.Xs[0]) / scale
        np.testing.assert_allclose(D[i], np.einsum("ja,ab,jb->j", d, A, d), rtol=1e-7, atol=1e-9)


# --- behaviour -----------------------------------------------------------------------------------------------------

VARIANTS = [
    {"middle_points": True},
    {"local_metric": "older"},
    {"local_metric": "mahalanobis"},
    {"subset": 30},
    {"neighbourhood": "window"},
    {"directions": 2, "cca_rank": 2, "ridge": 0.0},
]


@pytest.mark.parametrize("params", VARIANTS, ids=str)
def test_awkward_data_in_every_variant(params):
    X, Y = related(60, 4, 5)
    base = embed([X, Y], "local-cca", **params)
    if "neighbourhood" not in params:
        order = np.random.default_rng(7).permutation(60)
        moved = embed([X[order], Y[order]], "local-cca", **params).coordinates
        np.testing.assert_allclose(moved, base.coordinates[order], atol=1e-7 * np.abs(base.coordinates).max())
        twins = embed([np.vstack([X, X]), np.vstack([Y, Y])], "local-cca", **params).coordinates
        np.testing.assert_allclose(twins[:60], twins[60:], atol=1e-6 * np.abs(twins).max())
    for bad in ([np.ones_like(X), Y], [X, np.ones_like(Y)], [np.repeat(X[:2], 30, axis=0), Y]):
        e = embed(bad, "local-cca", **params)
        assert np.isfinite(e.coordinates).all()
    assert "nothing-common" in dict(embed([np.ones_like(X), Y], "local-cca", **params).warnings)
    small = {name: value for name, value in params.items() if name != "subset"}
    for n_samples in (3, 4, 5):
        tiny = embed([X[:n_samples], Y[:n_samples]], "local-cca", n_components=n_samples - 2, **small)
        assert np.isfinite(tiny.coordinates).all()


def test_the_scale_moves_without_a_new_metric(monkeypatch):
    known, count = {}, []

    def memo(key, compute):
        if key not in known:
            known[key] = compute()
        return known[key]

    inside = local_cca.metric_factors
    monkeypatch.setattr(local_cca, "metric_factors", lambda *a: (count.append(1), inside(*a))[1])
    Xs = smooth_views(300)
    wide = embed(Xs, "local-cca", memo=memo)
    done = len(count)
    narrow = embed(Xs, "local-cca", memo=memo, scale=0.1)
    assert len(count) == done
    assert narrow.eigenvalues[1] > wide.eigenvalues[1]
    for other in ({"ridge": 0.1}, {"cca_rank": 2}, {"neighbours": 9}, {"local_metric": "mahalanobis"}, {"subset": 50}):
        before = len(count)
        embed(Xs, "local-cca", memo=memo, **other)
        assert len(count) > before
    before = len(count)
    embed(Xs, "local-cca", memo=memo, subset=50, random_state=1)
    assert len(count) > before


@pytest.mark.parametrize("kind", ["local-cca", "older"])
def test_drafts_follow_the_scale(kind):
    Xs = smooth_views(400)
    former = embed(Xs, "local-cca", scale=0.3, n_components=4, local_metric=kind)
    task = Task()
    options = {"scale": 0.31, "n_components": 4, "local_metric": kind}
    draft = embed(Xs, "local-cca", start=[former], interactive=True, task=task, **options)
    exact = embed(Xs, "local-cca", **options)
    assert task.products <= 2
    np.testing.assert_allclose(draft.eigenvalues, exact.eigenvalues, atol=1e-4)
    assert not np.array_equal(draft.eigenvalues, former.eigenvalues)


def test_narrow_kernels_fall_apart_aloud():
    rng = np.random.default_rng(8)
    far = np.repeat([0.0, 1.0], 30)[:, None]
    Xs = [0.01 * rng.standard_normal((60, 3)) + 1e3 * far for _ in range(2)]
    text = dict(embed(Xs, "local-cca", scale=1e-3, neighbourhood="knn").warnings)["pieces"]
    assert "30 and 30 samples" in text
    assert "a larger σ joins them" in text
    assert "ε" not in text


def test_memory_stays_far_below_one_matrix_per_sample():
    rng = np.random.default_rng(9)
    Xs = [np.cumsum(rng.standard_normal((500, 400)), axis=0) for _ in range(2)]
    data = MultiView(Xs)
    data.view_key(0), data.view_key(1)
    tracemalloc.start()
    embed(data, "local-cca", neighbourhood="window")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6  # one d x d matrix per sample takes 640 MB


@pytest.mark.parametrize("params", [{}, {"middle_points": True}, {"neighbourhood": "knn"}], ids=str)
def test_the_metric_can_be_stopped(params):
    """Between two chunks, a few milliseconds apart."""
    Xs = [np.cumsum(X, axis=0) for X in related(100 if "middle_points" in params else 400, 60, 60)]
    seen = []
    task = Task(seen.append)
    embed(Xs, "local-cca", task=task, **params)
    assert len(seen) > 4
    stopped = Task(lambda fraction: stopped.cancel())
    with pytest.raises(Cancelled):
        embed(Xs, "local-cca", task=stopped, **params)


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"directions": 4}, r"4 common directions are more than there are: 3\. Give at most 3"),
        ({"directions": 3, "cca_rank": 2}, r"3 common directions are more than there are: 2\."),
        ({"directions": 3, "neighbours": 3}, r"3 common directions are more than there are: 2\."),
        ({"neighbours": 21}, r"A neighbourhood of 21 samples is larger than the data, which have 20\. Give at most 20"),
        ({"neighbourhood": "bursts"}, "The data hold no bursts"),
        ({"subset": 21}, "A subset of 21 is larger than the data"),
        ({"subset": 2}, "too small for r = 2 coordinates"),
        ({"subset": 9, "local_metric": "older"}, r"need every sample, not a subset\. Leave the subset empty"),
        ({"subset": 9, "middle_points": True}, "need every sample, not a subset"),
        ({"local_metric": "older", "middle_points": True}, r"has no middle points\. Choose either"),
        ({"neighbourhood": "window", "middle_points": True}, r"no neighbourhood of the kind window\. Choose knn"),
        ({"subset": 3, "scale": 1e-3}, r"too far from all of the subset at this scale\. Enlarge the scale σ"),
    ],
    ids=str,
)
def test_errors(params, match):
    X, Y = related(20, 3, 5)
    X[0] += 1e6  # nobody's neighbour
    with pytest.raises(ParameterError, match=match):
        embed([X, Y], "local-cca", **params)


def test_errors_of_size():
    with pytest.raises(ParameterError, match=r"Middle points of 2,001 samples are 2,001,000\. Keep at most 2,000"):
        embed(related(2001, 3, 3), "local-cca", middle_points=True)
    with pytest.raises(DataError, match="too large to be squared"):
        embed([1e200 * X for X in related(20, 3, 3)], "local-cca", neighbourhood="window")
