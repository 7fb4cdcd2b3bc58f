"""Algorithm 4 written out, the films of rotating icons, and what the method cannot do."""

import numpy as np
import pytest
from test_cca import naive_half, related
from test_local_cca import assert_same_embedding, naive_diffusion, naive_windows

from mvexplorer.datasets.motion import make_rotating_icons
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.methods import get_method, tensor_cca
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.errors import DataError, ParameterError


def metric(Xs, **params):
    defaults = {p.name: p.default for p in get_method("tensor-cca").params}
    s = Stages(MultiView(Xs), range(len(Xs)), params={**defaults, **params})
    return tensor_cca._metric(s, tensor_cca._settings(s))[0]


def three_views(n_samples, seed=0):
    rng = np.random.default_rng(seed)
    z = np.cumsum(rng.exponential(size=n_samples))
    out = []
    for d in (3, 4, 10):
        own = np.cumsum(rng.standard_normal((n_samples, 2)), axis=0)
        out.append(np.column_stack([z, own]) @ rng.standard_normal((3, d)) + 0.1 * rng.standard_normal((n_samples, d)))
    return out


def direction_by_search(views, rank, ridge, starts=20):
    """p of view 1 from the tensor itself, entry by entry, by alternating least squares from many random starts."""
    halves = [naive_half(X, rank, ridge) for X in views]
    z = [(X - X.mean(axis=0)) @ h for X, h in zip(views, halves, strict=True)]
    T = np.mean([np.multiply.outer(np.multiply.outer(a, b), c) for a, b, c in zip(*z, strict=True)], axis=0)
    rng = np.random.default_rng(0)
    drawn = [[rng.standard_normal(q) for q in T.shape] for _ in range(starts)]
    u, v, w = (np.array(each) for each in zip(*drawn, strict=True))  # a row for each start
    for _ in range(500):
        u = np.einsum("abc,sb,sc->sa", T, v, w)
        u /= np.linalg.norm(u, axis=1, keepdims=True)
        v = np.einsum("abc,sa,sc->sb", T, u, w)
        v /= np.linalg.norm(v, axis=1, keepdims=True)
        w = np.einsum("abc,sa,sb->sc", T, u, v)
        rho = np.linalg.norm(w, axis=1, keepdims=True)
        w /= rho
    return halves[0] @ u[np.argmax(rho)]


@pytest.mark.validates("tensor-cca")
@pytest.mark.parametrize(("size", "rank", "ridge"), [(8, 2, 0.01), (20, None, 0.0)])
def test_algorithm_4_written_out(size, rank, ridge):
    Xs = three_views(40)
    params = {"neighbourhood": "window", "neighbours": size, "cca_rank": rank, "ridge": ridge}
    D = np.empty((40, 40))
    for i, near in enumerate(naive_windows(40, size)):
        D[i] = ((Xs[0][i] - Xs[0]) @ direction_by_search([X[near] for X in Xs], rank, ridge)) ** 2
    found = metric(Xs, **params)
    # Power iterations from three starts may end in another maximum than the best of twenty.
    same = np.abs(found - D).max(axis=1) <= 1e-4 * D.max(axis=1)
    assert same.mean() >= 0.9
    e = embed(Xs, "tensor-cca", n_components=3, **params)
    assert_same_embedding(e, *naive_diffusion(found, symmetric=False))


def test_bursts_follow_a_skewed_variable_and_not_a_symmetric_one():
    rng = np.random.default_rng(1)
    z, own = rng.uniform(0, 1, 200), rng.uniform(0, 4, (3, 200))
    mixing = [rng.standard_normal((2, 4)) for _ in range(3)]
    scores = {}
    for name, draw in (("skewed", rng.exponential), ("symmetric", rng.standard_normal)):
        jitter = 0.1 * draw(size=(200, 60))
        bursts = [
            np.stack([z[:, None] + jitter, o[:, None] + 0.1 * rng.standard_normal((200, 60))], axis=-1) @ A
            for o, A in zip(own, mixing, strict=True)
        ]
        Xs = [np.column_stack([z, o]) @ A for o, A in zip(own, mixing, strict=True)]
        e = embed(MultiView(Xs, bursts=bursts), "tensor-cca", ridge=0.0)
        scores[name] = abs(np.corrcoef(e.coordinates[:, 0], z)[0, 1])
    assert scores["skewed"] >= 0.9
    assert scores["symmetric"] <= 0.7


def test_views_that_fit_anything_are_told_of():
    rng = np.random.default_rng(2)
    Xs = [np.cumsum(rng.standard_normal((50, d)), axis=0) for d in (3, 9, 12)]
    text = dict(embed(Xs, "tensor-cca", ridge=0.0, neighbourhood="window").warnings)["full-rank"]
    assert text.startswith("With 8 samples in 12 dimensions the other views fit anything")
    for calm in ({"ridge": 0.1}, {"ridge": 0.0, "cca_rank": 2}, {"ridge": 0.0, "neighbours": 20}):
        assert "full-rank" not in dict(embed(Xs, "tensor-cca", neighbourhood="window", **calm).warnings)
    assert "full-rank" not in dict(embed([Xs[2], Xs[0], Xs[1]], "tensor-cca", ridge=0.0).warnings)


@pytest.mark.parametrize("params", [{}, {"subset": 30}, {"cca_rank": 2, "ridge": 0.0}], ids=str)
def test_awkward_data(params):
    Xs = [*related(60, 4, 5), related(60, 3, 3, seed=1)[0]]
    base = embed(Xs, "tensor-cca", **params)
    order = np.random.default_rng(7).permutation(60)
    moved = embed([X[order] for X in Xs], "tensor-cca", **params).coordinates
    np.testing.assert_allclose(moved, base.coordinates[order], atol=1e-7 * np.abs(base.coordinates).max())
    twins = embed([np.vstack([X, X]) for X in Xs], "tensor-cca", **params).coordinates
    np.testing.assert_allclose(twins[:60], twins[60:], atol=1e-6 * np.abs(twins).max())
    for k in range(3):
        flat = [np.ones_like(X) if i == k else X for i, X in enumerate(Xs)]
        assert np.isfinite(embed(flat, "tensor-cca", **params).coordinates).all()


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"neighbours": 21}, r"A neighbourhood of 21 samples is larger than the data, which have 20"),
        ({"neighbourhood": "bursts"}, "The data hold no bursts"),
        ({"subset": 21}, "A subset of 21 is larger than the data"),
        ({"subset": 2}, "too small for r = 2 coordinates"),
        ({"views": ["view1", "view2"]}, "Tensor CCA needs at least 3 views and has 2"),
    ],
    ids=str,
)
def test_errors(params, match):
    with pytest.raises(ParameterError, match=match):
        embed(three_views(20), "tensor-cca", **params)


def test_numbers_too_large():
    with pytest.raises(DataError, match="too large to be squared"):
        embed([1e200 * X for X in three_views(20)], "tensor-cca", neighbourhood="window")


@pytest.mark.parametrize(
    ("setting", "ridge", "rank", "energy"),
    [(1, 0.0, 1, 0.06), (1, 0.0, 2, 0.99), (1, 0.0, 3, 0.07), (1, 0.0, None, 0.95),
     (2, 0.0, 2, 0.05), (2, 0.0, None, 0.96), (2, 0.01, None, 0.06)],
)  # fmt: skip
def test_the_card_tells_what_each_rank_finds_of_turning_icons(setting, ridge, rank, energy):
    v = embed(
        make_rotating_icons(setting=setting), "tensor-cca", neighbourhood="window", neighbours=7, ridge=ridge,
        cca_rank=rank,
    ).coordinates[:, 0]  # fmt: skip
    power = np.abs(np.fft.rfft(v - v.mean())) ** 2
    assert power[4:7].sum() / power.sum() == pytest.approx(energy, abs=0.03)
    told = " ".join(get_method("tensor-cca").remarks)
    assert f"{energy:.2f}".lstrip("0") in told
