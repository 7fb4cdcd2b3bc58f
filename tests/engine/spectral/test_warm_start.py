"""Drafts and warm starts: a drag's answers follow closely and cheaply, and come to rest at the cold answer."""

import numpy as np
import pytest

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.datasets.generators import make_coupled_circles
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method, methods
from mvexplorer.engine.spectral.warm_start import PreviousSolution, parameter_point, start_at

DATA = make_coupled_circles(n_samples=420, random_state=1)
CASES = [
    *((m.id, {}) for m in methods() if m.warm_starts and m.min_views <= 2),
    ("multiview", {"eta": 0.3}),
    ("multiview", {"eta": 1.0}),
]


def subspace_angle(A, B):
    """Largest principal angle between the column spaces of A and B, in radians."""
    cosines = np.linalg.svd(np.linalg.qr(A)[0].T @ np.linalg.qr(B)[0], compute_uv=False)
    return float(np.arccos(np.clip(cosines.min(), 0.0, 1.0)))


def options_of(method, extra):
    return {"n_components": 8, **extra}


def largest_difference(found, exact):
    return float(np.abs(found.eigenvalues - exact.eigenvalues).max())


@pytest.mark.parametrize(("method", "extra"), CASES, ids=lambda v: str(v))
def test_a_drag_of_small_steps_stays_close_to_the_exact_answer(method, extra):
    options, drag = options_of(method, extra), []
    for step in range(6):
        epsilon = 0.3 * 1.03**step
        drag.append(embed(DATA, method, epsilon=epsilon, start=drag[-2:], interactive=step > 0, **options))
    exact = embed(DATA, method, epsilon=epsilon, **options)
    assert largest_difference(drag[-1], exact) < 1e-3
    for drafted, true in zip(drag[-1].decomposition.blocks, exact.decomposition.blocks, strict=True):
        assert subspace_angle(drafted[:, :4], true[:, :4]) < 0.04


@pytest.mark.parametrize(("method", "extra"), CASES, ids=lambda v: str(v))
def test_at_rest_a_warm_answer_is_the_cold_one_for_no_more_products(method, extra):
    options, former = options_of(method, extra), []
    for step in range(4):
        warm = Task()
        former.append(embed(DATA, method, epsilon=0.3 * 1.03**step, start=former[-2:], task=warm, **options))
    cold = Task()
    exact = embed(DATA, method, epsilon=0.3 * 1.03**3, task=cold, **options)
    # What views' spaces have in common follows the angle between the views' spaces; eigenvalues follow its square.
    assert largest_difference(former[-1], exact) < (1e-7 if method in ("jointly-smooth", "view-specific") else 1e-11)
    # Alternating diffusion is not symmetric: at rest it is always solved from scratch.
    assert warm.products <= cold.products or method == "alternating"
    for ours, theirs in zip(former[-1].decomposition.blocks, exact.decomposition.blocks, strict=True):
        assert subspace_angle(ours, theirs) < 1e-6


def test_a_draft_is_remembered_as_a_draft_and_the_exact_answer_by_itself():
    remembered = {}

    def memo(key, compute):
        if key not in remembered:
            remembered[key] = compute()
        return remembered[key]

    former = embed(DATA, "multiview", epsilon=0.3, memo=memo)
    ask = {"epsilon": 0.31, "memo": memo, "start": [former]}
    first, again, exact = Task(), Task(), Task()
    draft = embed(DATA, "multiview", interactive=True, task=first, **ask)
    assert first.products == 1
    assert first.affinities == 2
    back = embed(DATA, "multiview", interactive=True, task=again, **ask)
    assert (again.products, again.affinities) == (0, 0)  # a visited place is there at once
    assert np.array_equal(back.coordinates, draft.coordinates)
    final = embed(DATA, "multiview", task=exact, **ask)
    assert exact.products > 1
    assert not np.array_equal(final.eigenvalues, draft.eigenvalues)


def test_a_draft_works_in_single_precision_until_eigenvalues_come_near_its_rounding():
    kinds = []

    def memo(key, compute):
        value = compute()
        if key.stage == "kernel":
            kinds.append(value.dtype)
        return value

    former = embed(DATA, "multiview", epsilon=0.3, n_components=4)
    embed(DATA, "multiview", epsilon=0.31, n_components=4, start=[former], interactive=True, memo=memo)
    assert set(kinds) == {np.dtype(np.float32)}
    kinds.clear()
    # At large ε σ_4 is below .05, and B Bᵀ has its square: the draft is computed in double precision throughout.
    former = embed(DATA, "multiview", epsilon=30.0, n_components=4)
    assert former.eigenvalues[-1] < 0.05
    draft = embed(DATA, "multiview", epsilon=31.0, n_components=4, start=[former], interactive=True, memo=memo)
    assert set(kinds) == {np.dtype(np.float64)}
    exact = embed(DATA, "multiview", epsilon=31.0, n_components=4)
    assert draft.eigenvalues == pytest.approx(exact.eigenvalues, rel=1e-3)


def test_another_eta_or_time_evaluates_no_kernel():
    remembered = {}

    def memo(key, compute):
        if key not in remembered:
            remembered[key] = compute()
        return remembered[key]

    first, other, later = Task(), Task(), Task()
    former = embed(DATA, "multiview", epsilon=0.3, eta=0.2, memo=memo, task=first)
    embed(DATA, "multiview", epsilon=0.3, eta=0.3, memo=memo, task=other, start=[former])
    embed(DATA, "multiview", epsilon=0.3, eta=0.3, t=7, memo=memo, task=later)
    assert first.affinities == 2
    assert other.affinities == 0
    assert 0 < other.products < first.products
    assert (later.products, later.affinities) == (0, 0)


def test_one_kernel_per_view_and_bandwidth_serves_all_methods():
    cache, task = StageCache(), Task()
    for method in ("multiview", "kernel-sum", "de-sa", "single", "alternating"):
        embed(DATA, method, epsilon=0.3, task=task, memo=cache.memo(task))
    assert task.affinities == 2


def test_a_start_that_does_not_fit_is_ignored():
    fewer = embed(DATA, "kernel-sum", epsilon=0.3, n_components=2)
    other = embed(make_coupled_circles(n_samples=300), "kernel-sum", epsilon=0.3, n_components=8)
    different = embed(DATA, "single", epsilon=0.3, n_components=8)
    exact = embed(DATA, "kernel-sum", epsilon=0.3, n_components=8)
    for start in (fewer, other, different):
        found = embed(DATA, "kernel-sum", epsilon=0.3, n_components=8, start=[start])
        assert found.eigenvalues == pytest.approx(exact.eigenvalues, abs=1e-12)


# What former answers lack -----------------------------------------------------------------------------------------


def decoupling():
    """A long line, whose many slow eigenvectors come first, and far away two groups that part as ε shrinks."""
    random = np.random.default_rng(0)
    line = np.column_stack([np.arange(300.0), 0.1 * random.standard_normal(300)])
    groups = np.array([1e3, 0.0]) + 12.0 * (np.arange(120) // 60)[:, None] * np.array([0, 1])
    return [np.vstack([line, groups + 0.3 * random.standard_normal((120, 2))])]


@pytest.mark.parametrize("method", ["single", "multiview"])
def test_an_eigenvector_that_decouples_during_a_drag_is_found(method):
    """No former answer has any of it, nor can residuals lead there: against the dense spectrum of D⁻¹K or D⁻¹K K."""
    n_views, path = 1 if method == "single" else 2, 60.0 * 0.75 ** np.arange(9)
    views = decoupling() * n_views
    drag = [embed(views, method, epsilon=path[0], n_components=4)]
    for epsilon in path[1:]:
        drag.append(embed(views, method, epsilon=epsilon, n_components=4, start=drag[-2:], interactive=True))
    K = np.exp(-np.square(views[0][:, None] - views[0][None]).sum(axis=2) / (2 * path[-1]))
    K = K if method == "single" else K @ K
    spectrum = np.sort(np.linalg.eigvals(K / K.sum(axis=1, keepdims=True)).real)[::-1]
    assert drag[-1].eigenvalues == pytest.approx(spectrum[:5], abs=2e-3)


def test_drafts_look_for_something_new_now_and_then():
    drag, products = [embed(DATA, "single", epsilon=0.3, n_components=4)], []
    for step in range(1, 5):
        task = Task()
        epsilon = 0.3 * 1.01**step
        drag.append(
            embed(DATA, "single", epsilon=epsilon, n_components=4, start=drag[-2:], interactive=True, task=task)
        )
        products.append(task.products)
    assert [e.decomposition.unsearched for e in drag] == [0, 1, 0, 1, 0]
    assert products[0] < products[1]
    assert products[2] < products[3]


def test_a_rough_draft_is_told_each_time_it_is_shown():
    """At a tiny ε eigenvalues crowd at 1; the exact answer is not rough."""
    kept = {}

    def memo(key, compute):
        return kept[key] if key in kept else kept.setdefault(key, compute())

    former = embed(DATA, "single", epsilon=0.3, n_components=6)
    for _ in range(2):
        draft = embed(DATA, "single", epsilon=0.002, n_components=6, start=[former], interactive=True, memo=memo)
        assert "rough" in dict(draft.warnings)
    assert "rough" not in dict(embed(DATA, "single", epsilon=0.002, n_components=6, memo=memo).warnings)


# Where the next step starts -------------------------------------------------------------------------------------


def turning(position):
    """An orthonormal basis (40, 3) that turns steadily with `position`."""
    angle = 0.1 * position
    basis = np.zeros((40, 3))
    basis[0, 0], basis[3, 0] = np.cos(angle), np.sin(angle)
    basis[1, 1], basis[4, 1] = np.cos(2 * angle), np.sin(2 * angle)
    basis[2, 2] = 1.0
    return basis


@pytest.mark.parametrize("position", [2.0, 1.5, 0.5, 2.4])
def test_the_start_is_extrapolated_whatever_way_the_bases_are_turned(position):
    random = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    ends = (turning(0.0) @ random, turning(1.0))
    steps = [PreviousSolution(np.array([float(i)]), (end,)) for i, end in enumerate(ends)]
    (found,) = start_at(np.array([position]), steps).bases
    assert subspace_angle(found, turning(position)) < 0.3 * subspace_angle(turning(1.0), turning(position))


def test_no_trend_is_followed_off_its_line_or_far_along_it():
    steps = [PreviousSolution(np.array([at, 0.0]), (turning(at),)) for at in (0.0, 1.0)]
    for position in ([1.0, 1.0], [9.0, 0.0], [-5.0, 0.0]):
        (found,) = start_at(np.array(position), steps).bases
        assert np.array_equal(found, turning(1.0))
    standing = [PreviousSolution(np.array([1.0, 0.0]), (turning(0.0),)), steps[1]]
    assert np.array_equal(start_at(np.array([2.0, 0.0]), standing).bases[0], turning(1.0))
    assert start_at(np.array([1.0]), []).bases == ()


def test_positions_count_bandwidths_in_factors_and_eta_as_it_is():
    multiview = get_method("multiview")
    here = parameter_point([1.0, 2.0], multiview.params, {"eta": 0.3, "alpha": 0.0, "delta": 0.0, "t": 1})
    there = parameter_point([2.0, 4.0], multiview.params, {"eta": 0.8, "alpha": 0.0, "delta": 0.0, "t": 9})
    assert sorted(np.round(there - here, 12)) == sorted([0.0, 0.0, round(np.log(2), 12), round(np.log(2), 12), 0.5])


@pytest.mark.parametrize("scale", [1e-60, 1e60])
def test_data_beyond_the_range_of_single_precision_is_drafted_in_double(scale):
    """No warning (they are errors here), and the same answer in other units."""
    data = DATA.replace(Xs=[scale * X for X in DATA.Xs])
    former = embed(data, "multiview", epsilon=0.3 * scale**2, n_components=4)
    found = embed(data, "multiview", epsilon=0.31 * scale**2, n_components=4, start=(former,), interactive=True)
    exact = embed(DATA, "multiview", epsilon=0.31, n_components=4)
    assert largest_difference(found, exact) < 1e-3
