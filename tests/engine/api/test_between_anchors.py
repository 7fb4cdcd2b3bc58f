"""Anchors: exact answers on either side of a draft, whose eigenvectors together hold those in between."""

from dataclasses import replace

import numpy as np
import pytest

from mvexplorer.datasets.generators import make_coupled_circles
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.api.preparing import solution_of
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import methods
from mvexplorer.engine.spectral.warm_start import PreviousSolution, start_at

DATA = make_coupled_circles(n_samples=420, random_state=1)
ROOT = np.sqrt(2.0)
GAP = 0.01
"""Subspaces that end at a smaller gap, relative to the eigenvalue, are not determined well enough to be compared."""


def anchor(data, method, epsilon, **params):
    """As they are kept: the vectors wanted and the spare ones, in single precision."""
    found = embed(data, method, epsilon=epsilon, **params)
    return solution_of(found).thinned()


def draft(data, method, epsilon, start, **params):
    task = Task()
    return embed(data, method, epsilon=epsilon, start=start, interactive=True, task=task, **params), task.products


def worst_angle(found, values, vectors, weights):
    """Radians between the leading subspaces of two walks that end at a gap: up to three vectors beside the trivial."""
    worst = 0.0
    for count in range(2, 5):
        if values[count - 1] - values[count] > GAP * abs(values[count - 1]):
            first, second = (np.linalg.qr(np.sqrt(weights)[:, None] * V[:, :count])[0] for V in (found, vectors))
            sines = np.linalg.svd(first - second @ (second.T @ first), compute_uv=False)
            worst = max(worst, float(np.arcsin(min(1.0, sines[0]))))
    return worst


def dense_walk(K):
    """Eigenvalues, right eigenvectors and row sums of D⁻¹K by LAPACK."""
    degrees = K.sum(axis=1)
    values, vectors = np.linalg.eigh(K / np.sqrt(np.outer(degrees, degrees)))
    return values[::-1], (vectors / np.sqrt(degrees)[:, None])[:, ::-1], degrees


def gaussian(X, epsilon):
    return np.exp(-np.square(X[:, None] - X[None]).sum(axis=2) / (2 * epsilon))


# One product ------------------------------------------------------------------------------------------------------

ALL = [(m.id, {}) for m in methods() if m.warm_starts and m.uses_epsilon and m.min_views <= 2]


@pytest.mark.parametrize(("method", "extra"), [*ALL, ("multiview", {"eta": 0.3})], ids=str)
def test_between_two_anchors_a_draft_takes_one_product(method, extra):
    options = {"n_components": 8, **({"n_smooth": 8} if method in ("jointly-smooth", "view-specific") else {}), **extra}
    around = [anchor(DATA, method, e, **options) for e in (0.3, 0.3 * ROOT)]
    found, products = draft(DATA, method, 0.3 * 2**0.3, around, **options)
    exact = embed(DATA, method, epsilon=0.3 * 2**0.3, **options)
    assert products == len(exact.decomposition.bases)  # one of each operator
    assert found.eigenvalues == pytest.approx(exact.eigenvalues, abs=1e-3)
    for ours, theirs in zip(found.decomposition.blocks, exact.decomposition.blocks, strict=True):
        assert worst_angle(ours, exact.eigenvalues, theirs, np.ones(len(ours))) < 0.05


@pytest.mark.parametrize(("ends", "inside"), [((0.2, 0.25), 0.23), ((0.7, 0.75), 0.74)])
def test_anchors_in_eta_evaluate_no_kernel(ends, inside):
    kept, options = {}, {"epsilon": 0.3, "n_components": 8}

    def memo(key, compute):
        return kept[key] if key in kept else kept.setdefault(key, compute())

    around = [anchor(DATA, "multiview", eta=eta, memo=memo, **options) for eta in ends]
    draft(DATA, "multiview", eta=inside - 0.001, memo=memo, start=around, **options)
    task = Task()
    found = embed(DATA, "multiview", eta=inside, memo=memo, start=around, task=task, interactive=True, **options)
    exact = embed(DATA, "multiview", eta=inside, **options)
    assert (task.affinities, task.products) == (0, 1)
    assert found.eigenvalues == pytest.approx(exact.eigenvalues, abs=1e-4)


def test_one_view_s_epsilon_moves_on_a_line_of_its_own():
    around = [anchor(DATA, "multiview", (0.3, e), n_components=8) for e in (0.3, 0.3 * ROOT)]
    on, products = draft(DATA, "multiview", (0.3, 0.36), around, n_components=8)
    _, beside = draft(DATA, "multiview", (0.36, 0.36), around, n_components=8)
    exact = embed(DATA, "multiview", epsilon=(0.3, 0.36), n_components=8)
    assert on.eigenvalues == pytest.approx(exact.eigenvalues, abs=1e-3)
    assert products == 1
    assert beside >= 1  # no anchors there: a warm start as before


@pytest.mark.parametrize("method", ["kernel-sum", "multiview", "alternating"])
def test_anchors_that_tell_nothing_are_noticed(method):
    """By residuals: the draft goes on as from any other warm start."""

    def misled(epsilon):
        told = anchor(DATA, method, epsilon, n_components=5)
        noise = np.random.default_rng(0).standard_normal(told.bases[0].shape)
        return replace(told, bases=tuple(basis + 0.5 * noise for basis in told.bases))

    found, products = draft(DATA, method, 0.35, [misled(0.3), misled(0.3 * ROOT)], n_components=5)
    exact = embed(DATA, method, epsilon=0.35, n_components=5)
    assert products > 1
    for ours, theirs in zip(found.decomposition.blocks, exact.decomposition.blocks, strict=True):
        assert worst_angle(ours, exact.eigenvalues, theirs, np.ones(len(ours))) < 0.05


def test_between_anchors_single_precision_resolves_smaller_eigenvalues():
    """Of B Bᵀ, which has their squares."""
    kinds, epsilon = [], 3.0

    def memo(key, compute):
        value = compute()
        if key.stage == "kernel":
            kinds.append(value.dtype)
        return value

    around = [anchor(DATA, "multiview", e, n_components=6) for e in (epsilon, ROOT * epsilon)]
    found, _ = draft(DATA, "multiview", 1.2 * epsilon, around, n_components=6, memo=memo)
    exact = embed(DATA, "multiview", epsilon=1.2 * epsilon, n_components=6)
    assert set(kinds) == {np.dtype(np.float32)}
    assert 0.002 < exact.eigenvalues[-1] < 0.05
    assert found.eigenvalues == pytest.approx(exact.eigenvalues, abs=1e-3)


# Traps ------------------------------------------------------------------------------------------------------------


def line_and_groups():
    """A long line, whose many slow eigenvectors come first, and far away two groups that part as ε shrinks."""
    random = np.random.default_rng(0)
    line = np.column_stack([np.arange(300.0), 0.1 * random.standard_normal(300)])
    groups = np.array([1e3, 0.0]) + 12.0 * (np.arange(120) // 60)[:, None] * np.array([0, 1])
    return np.vstack([line, groups + 0.3 * random.standard_normal((120, 2))])


def pieces():
    """Four groups far apart, two of them alike: eigenvalue 1 comes four times, others twice."""
    group, other = (np.random.default_rng(seed).standard_normal((100, 2)) for seed in (1, 2))
    apart = 1e3 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    return np.vstack([X + place for X, place in zip([group, group, other, 2.0 * other], apart, strict=True)])


def check_against_dense(X, epsilon, found, power):
    K = gaussian(X, epsilon)
    values, vectors, degrees = dense_walk(K if power == 1 else K @ K)
    count = found.eigenvalues.size
    assert found.eigenvalues == pytest.approx(values[:count], abs=1e-3)
    assert worst_angle(found.decomposition.blocks[0], values, vectors, degrees) < 0.05


TRAPS = {"an eigenvector decouples, and passes others": (line_and_groups, 60.0), "a graph in pieces": (pieces, 4.0)}


@pytest.mark.parametrize("trap", TRAPS)
@pytest.mark.parametrize("method", ["single", "multiview"])
def test_no_eigenvector_is_lost_between_anchors(trap, method):
    """At a step between each two of nine anchors, over four octaves of ε: against all of D⁻¹K or D⁻¹KK by LAPACK."""
    make, highest = TRAPS[trap]
    X, power = make(), 1 if method == "single" else 2
    grid = highest * 2.0 ** (-0.5 * np.arange(9))
    anchors = [anchor([X] * power, method, e, n_components=4) for e in grid]
    once = 0
    for epsilon in np.random.default_rng(3).uniform(grid[1:], grid[:-1]):
        found, products = draft([X] * power, method, epsilon, anchors, n_components=4)
        once += products == 1
        check_against_dense(X, epsilon, found, power)
    assert once >= 6


# Which anchors ----------------------------------------------------------------------------------------------------


def at(*position, exact=True, rows=9):
    return PreviousSolution(np.array(position), (np.eye(rows, 2),), exact=exact)


def test_the_nearest_two_exact_answers_on_a_line_through_the_step_are_its_anchors():
    low, high, far = at(0.0, 1.0), at(0.3, 1.3), at(-0.3, 0.7)
    start = start_at(np.array([0.1, 1.1]), [far, low, high, at(0.11, 1.11, exact=False)])
    assert start.anchored
    assert start.bases[0].shape == (9, 4)


@pytest.mark.parametrize(
    "steps",
    [
        [at(0.0, 0.0), at(0.3, 0.3, exact=False)],  # a draft is no anchor
        [at(0.0, 0.0), at(0.05, 0.05)],  # not between them
        [at(0.0, 0.0), at(0.3, 0.0)],  # not on their line
        [at(-0.3, -0.3), at(0.3, 0.3)],  # too far apart
        [at(0.0, 0.0), at(0.3, 0.3, rows=18)],  # of another operator
        [at(0.0, 0.0), at(0.3, 0.3), at(0.1, 0.1, exact=False)],  # the step itself is there, as a draft
    ],
)
def test_others_are_not(steps):
    assert not start_at(np.array([0.1, 0.1]), steps).anchored
