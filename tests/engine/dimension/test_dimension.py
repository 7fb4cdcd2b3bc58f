"""Intrinsic dimension: divergences against quadrature, statistics against naive loops, and sets of known dimension."""

import itertools
import math

import numpy as np
import pytest
from reporting import Reporting
from scipy.integrate import quad
from scipy.optimize import brentq, minimize_scalar
from scipy.special import i0, i0e, i1e
from scipy.stats import kstest

from mvexplorer.datasets import make_noisy_swiss_roll, make_rotated_digit
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.dimension import danco as module
from mvexplorer.engine.dimension.danco import (
    NormsAndAngles,
    angle_divergence,
    calibration,
    concentration,
    danco,
    norm_dimension,
    norm_divergence,
    norms_and_angles,
    uniform_ball,
)
from mvexplorer.engine.dimension.estimates import Part, correlation_dimension, intrinsic_dimension, local_pca_dimension
from mvexplorer.engine.kernels.distances import squared_distances
from mvexplorer.errors import DataError, MissingValuesError, ParameterError


def clean(kind, n_samples, d, seed=0):
    """Points uniform in a cube, in a ball, on a sphere or along a helix, turned into 12 dimensions."""
    rng = np.random.default_rng([n_samples, d, seed])
    normal = rng.standard_normal((n_samples, d + (kind == "sphere")))
    unit = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    if kind == "helix":
        angle = rng.uniform(0, 4 * np.pi, n_samples)
        X = np.column_stack((np.cos(angle), np.sin(angle), 0.3 * angle))
    else:
        X = {
            "cube": rng.random((n_samples, d)),
            "ball": unit[:, :d] * rng.random((n_samples, 1)) ** (1 / d),
            "sphere": unit,
        }[kind]
    turn = np.linalg.qr(rng.standard_normal((12, 12)))[0]
    return np.hstack([X, np.zeros((n_samples, 12 - X.shape[1]))]) @ turn


# --- divergences ------------------------------------------------------------------------------------------------


def norm_density(rho, d, neighbours):
    return neighbours * d * rho ** (d - 1) * (1 - rho**d) ** (neighbours - 1)


@pytest.mark.parametrize("neighbours", [3, 10, 20])
@pytest.mark.parametrize(("first", "second"), [(2, 2), (1, 1.4), (3.7, 2.2), (2.2, 9.9), (12, 1), (0.8, 8), (5, 5.001)])
def test_norm_divergence_is_an_integral(first, second, neighbours):
    def integrand(u):  # u = ρ^first, in which the density is a polynomial
        rho = u ** (1 / first)
        # g(ρ; first) dρ = ℓ (1-u)^(ℓ-1) du
        log_ratio = math.log(first / second) + (first - second) * math.log(rho)
        log_ratio += (neighbours - 1) * (math.log1p(-(rho**first)) - math.log1p(-(rho**second)))
        return neighbours * (1 - u) ** (neighbours - 1) * log_ratio

    total = sum(quad(integrand, a, b, epsabs=1e-11, limit=400)[0] for a, b in itertools.pairwise((0, 1e-6, 0.1, 1)))
    assert norm_divergence(first, second, neighbours) == pytest.approx(total, abs=1e-7)


def test_norm_density_is_the_one_of_the_paper():
    """The substitution above holds, and the density integrates to 1."""
    for d, n in ((1.0, 10), (2.7, 4), (8.0, 10)):
        assert quad(norm_density, 0, 1, args=(d, n))[0] == pytest.approx(1, abs=1e-9)
        half = quad(norm_density, 0, 0.5, args=(d, n))[0]
        assert half == pytest.approx(1 - (1 - 0.5**d) ** n, abs=1e-9)


@pytest.mark.parametrize(
    ("direction_1", "tau_1", "direction_2", "tau_2"),
    [(1, 2, 1, 2), (0.7, 1, 1.6, 5), (1.5, 30, 1.4, 3), (1.2, 3, 1.4, 80), (1.5, 0.2, 0.3, 1), (1, 400, 1.2, 2)],
)
def test_angle_divergence_is_an_integral(direction_1, tau_1, direction_2, tau_2):
    def density(angle, direction, tau):
        return math.exp(tau * (math.cos(angle - direction) - 1)) / (2 * math.pi * i0e(tau))

    def integrand(angle):
        log_ratio = tau_1 * math.cos(angle - direction_1) - tau_2 * math.cos(angle - direction_2)
        return density(angle, direction_1, tau_1) * (log_ratio + math.log(i0(tau_2)) - math.log(i0(tau_1)))

    ends = direction_1 - math.pi, direction_1, direction_1 + math.pi
    total = sum(quad(integrand, a, b, epsabs=1e-11, limit=400)[0] for a, b in itertools.pairwise(ends))
    assert angle_divergence(direction_1, tau_1, direction_2, tau_2) == pytest.approx(total, abs=1e-7)


def test_divergences_stay_finite():
    """Where the unscaled Bessel functions overflow, and where a dimension is at the end of its range."""
    assert 0 < angle_divergence(1.5, 1e6, 1.2, 3.0) < 20
    assert angle_divergence(1.5, 1e6, 1.5, 1e6) == pytest.approx(0, abs=1e-9)
    for ends in ((1e-4, 2.0), (1e4, 2.0), (2.0, 1.0)):
        assert 0 < norm_divergence(*ends, 10) < np.inf


# --- what neighbours look like ------------------------------------------------------------------------------------


def naive_statistics(X, count):
    """Steps 1-6 of the appendix, point by point and pair by pair."""
    ratios, directions, concentrations = [], [], []
    for x in X:
        others = sorted((y - x for y in X if y is not x), key=np.linalg.norm)[: count + 1]
        ratios.append(np.linalg.norm(others[0]) / np.linalg.norm(others[-1]))
        cosines = [v @ w / np.linalg.norm(v) / np.linalg.norm(w) for v, w in itertools.combinations(others[:count], 2)]
        angles = np.arccos(np.clip(cosines, -1, 1))
        mean = np.exp(1j * angles).mean()
        directions.append(np.angle(mean))
        # The maximum of the von Mises likelihood in τ, found numerically.
        value = minimize_scalar(
            lambda tau, mean=mean: tau + math.log(i0e(tau)) - tau * abs(mean),
            bounds=(0, 200), method="bounded", options={"xatol": 1e-9},
        )  # fmt: skip
        concentrations.append(value.x)
    ratios = np.array(ratios)

    def likelihood(d):  # (7.1)
        terms = (d - 1) * np.log(ratios).sum() + (count - 1) * np.log1p(-(ratios**d)).sum()
        return len(X) * math.log(count * d) + terms

    d_ml = minimize_scalar(lambda d: -likelihood(d), bounds=(0.1, 60), method="bounded", options={"xatol": 1e-9}).x
    return d_ml, np.mean(directions), np.mean(concentrations)


@pytest.mark.parametrize("neighbours", [4, 10])
@pytest.mark.parametrize(("kind", "d"), [("cube", 2), ("sphere", 4), ("ball", 7)])
def test_norms_and_angles_against_loops(kind, d, neighbours):
    X = clean(kind, 60, d)
    found = norms_and_angles(X, neighbours, Task())
    np.testing.assert_allclose(found, naive_statistics(list(X), neighbours), rtol=1e-6)


def test_norms_and_angles_in_many_blocks(monkeypatch):
    X = clean("cube", 80, 3)
    expected = norms_and_angles(X, 10, Task())
    monkeypatch.setattr(module, "BLOCK_NUMBERS", 300)
    monkeypatch.setattr(module, "BLOCK_ENTRIES", 300)
    np.testing.assert_allclose(norms_and_angles(X, 10, Task()), expected, rtol=1e-12)


def test_concentration_solves_its_equation():
    """I1(τ)/I0(τ) = R over the whole range; parallel directions have the largest concentration that is not rounding."""
    R = np.concatenate([np.geomspace(1e-6, 0.1, 30), np.linspace(0.1, 0.99, 200), 1 - np.geomspace(1e-6, 1e-2, 30)])
    tau = concentration(R)
    np.testing.assert_allclose(i1e(tau) / i0e(tau), R, rtol=1e-9)
    assert np.all(np.diff(concentration(np.sort(R))) >= 0)
    assert concentration(1.0) == pytest.approx(1e6, rel=1e-3)
    assert 0 <= concentration(0.0) < 1e-10


def test_norm_dimension_at_the_ends_of_its_range():
    assert norm_dimension(np.full(50, -1e-15), 10) == 1e4  # all neighbours at one distance
    x = brentq(lambda x: 1 / x - 1 + 9 / math.expm1(x), 0.1, 20, xtol=1e-14)  # the derivative of (7.1), x = -d log ρ
    assert norm_dimension(np.full(50, -700.0), 10) == pytest.approx(x / 700, rel=1e-9)
    assert norm_dimension(np.full(50, -1e6), 10) == 1e-4


def test_uniform_ball():
    """|x|^d is uniform, and in three dimensions so is every coordinate of the direction."""
    for d in (1, 3, 8):
        X = uniform_ball(4000, d, 5)
        assert X.shape == (4000, d)
        assert kstest(np.linalg.norm(X, axis=1) ** d, "uniform").pvalue > 1e-3
        assert np.all(np.abs(X.mean(axis=0)) < 5 / np.sqrt(4000))
    X = uniform_ball(4000, 3, 5)
    for cosine in (X / np.linalg.norm(X, axis=1, keepdims=True)).T:
        assert kstest(cosine, "uniform", args=(-1, 2)).pvalue > 1e-3


# --- DANCo --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("d", [1, 2, 3, 4, 5])
@pytest.mark.parametrize(("kind", "n_samples"), [("cube", 300), ("ball", 300), ("sphere", 500), ("cube", 1000)])
def test_danco_is_exact_on_clean_sets(kind, n_samples, d, seed):
    """Spheres of five dimensions need 500 samples: with 300 one in four is taken for six."""
    found = danco(clean(kind, n_samples, d, seed))
    assert found.dimension == d
    assert len(found.divergences) == 10
    assert found.divergences[d - 1] == found.divergences.min()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_danco_on_spheres_of_300_samples(d, seed):
    assert danco(clean("sphere", 300, d, seed)).dimension == d


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("d", [5, 6, 7, 8])
@pytest.mark.parametrize(("kind", "n_samples"), [("cube", 300), ("ball", 500), ("sphere", 300), ("sphere", 1000)])
def test_danco_is_one_off_at_most(kind, n_samples, d, seed):
    assert abs(danco(clean(kind, n_samples, d, seed)).dimension - d) <= 1


@pytest.mark.parametrize("n_samples", [300, 1000])
def test_danco_on_curved_sets(n_samples):
    assert danco(clean("helix", n_samples, 1)).dimension == 1
    roll = make_noisy_swiss_roll(n_samples=n_samples, noise=0).Xs[0]
    assert danco(roll).dimension == 2


def test_danco_of_a_straight_line():
    """Collinear neighbours have no spread of directions at the ends of the line."""
    for place in (np.linspace(0, 1, 300), np.random.default_rng(0).random(300)):
        assert danco(np.outer(place, [1.0, 2.0, 3.0])).dimension == 1


def test_the_curve_is_the_divergence_from_every_ball():
    """Statistics by naive loops, divergences summed by hand; τ = 1 for the line."""
    X = clean("ball", 60, 2)[:, :3] * 7 + 1e3
    found = danco(X, neighbours=5, highest=8, random_state=3)
    measured = naive_statistics(list(X), 5)
    curve = []
    for d in (1, 2, 3):
        ball = list(naive_statistics(list(uniform_ball(60, d, 3)), 5)) if d > 1 else list(found.expected[0])
        if d == 1:
            ball[2] = 1.0
        curve.append(norm_divergence(measured[0], ball[0], 5) + angle_divergence(*measured[1:], *ball[1:]))
    np.testing.assert_allclose(found.divergences, curve, rtol=1e-5)
    np.testing.assert_allclose(found.measured, measured, rtol=1e-5)
    line = naive_statistics(list(uniform_ball(60, 1, 3)), 5)
    np.testing.assert_allclose(found.expected[0][:2], line[:2], rtol=1e-6)
    assert found.expected[0].concentration == 1.0


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # its own, where all neighbours of a point lie on one side
def test_against_scikit_dimension():
    import skdim

    for kind, d in (("cube", 3), ("sphere", 4)):
        X = clean(kind, 300, d)
        assert skdim.id.DANCo(k=10, D=6, fractal=False, random_state=0).fit(X).dimension_ == danco(X).dimension
        likelihood = skdim.id.DANCo(k=10, D=30, ver="MIND_MLk").fit(X).dimension_
        assert danco(X).measured.dimension == pytest.approx(likelihood, rel=1e-4)


def test_balls_are_drawn_once(monkeypatch):
    """The second call draws nothing; another number of samples, of neighbours, or another seed does."""
    drawn = []
    monkeypatch.setattr(module, "uniform_ball", lambda *args: drawn.append(args) or uniform_ball(*args))
    monkeypatch.setattr(module, "_known", {})
    X = clean("cube", 150, 3)
    first = danco(X)
    assert len(drawn) == 10
    second = danco(2 * X + 1)
    assert len(drawn) == 10
    assert second.dimension == first.dimension
    danco(X, highest=4)
    danco(X[:, :4])
    assert len(drawn) == 10
    danco(X, highest=12)
    assert len(drawn) == 12
    for more, arguments in enumerate(({"random_state": 1}, {"neighbours": 8}), start=1):
        danco(X, highest=10, **arguments)
        assert len(drawn) == 12 + 10 * more
    danco(X[:149])
    assert len(drawn) == 42


def test_what_balls_look_like_depends_on_the_seed_only():
    first, again = calibration(90, 10, 3, 5, Task()), norms_and_angles(uniform_ball(90, 3, 5), 10, Task())
    assert first == again
    assert calibration(90, 10, 3, 6, Task()) != first
    assert isinstance(first, NormsAndAngles)


@pytest.mark.parametrize("factor", [1.0, 3.0, 1e-200, 1e200])
def test_danco_ignores_order_unit_and_position(factor):
    X = clean("sphere", 200, 3)
    expected = danco(X)
    moved = X[np.random.default_rng(0).permutation(200)] * factor
    np.testing.assert_allclose(danco(moved).divergences, expected.divergences, rtol=1e-8)
    np.testing.assert_allclose(danco((X + 1e3) * factor).divergences, expected.divergences, rtol=1e-6)
    assert danco(X).divergences.tolist() == expected.divergences.tolist()


def test_danco_of_numbers_too_large_to_be_added():
    X = clean("sphere", 200, 3)
    np.testing.assert_allclose(danco(1e308 * X).divergences, danco(X).divergences, rtol=1e-8)


def test_danco_leaves_repeated_samples_out():
    X = clean("cube", 120, 2)
    assert danco(np.vstack([X, X, X[:50]])).divergences.tolist() == danco(X).divergences.tolist()


def test_danco_takes_lists_and_few_features():
    assert danco(np.random.default_rng(0).random(50).tolist()).dimension == 1
    plane = np.random.default_rng(0).random((60, 2)).astype(np.float32)
    assert len(danco(plane).divergences) == 2
    with_constants = np.hstack([plane, np.ones((60, 3))])
    assert danco(with_constants).dimension == 2


# --- the others ---------------------------------------------------------------------------------------------------


def naive_local_pca(X, k, threshold):
    counts = []
    for x in X:
        order = np.argsort(np.linalg.norm(X - x, axis=1))[: k + 1]
        variances = np.linalg.eigvalsh(np.cov(X[order].T))
        counts.append((variances > threshold * variances.max()).sum())
    return np.median(counts)


@pytest.mark.parametrize(("k", "threshold"), [(5, 0.2), (12, 0.05), (30, 0.01), (30, 0.5)])
@pytest.mark.parametrize("kind", ["cube", "sphere"])
def test_local_pca_against_loops(kind, k, threshold):
    X = clean(kind, 90, 4)
    assert local_pca_dimension(X, neighbours=k, threshold=threshold) == naive_local_pca(X, k, threshold)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("kind", ["cube", "ball"])
def test_local_pca_of_clean_sets(kind, d):
    assert local_pca_dimension(clean(kind, 500, d)) == d


def test_correlation_dimension_by_hand():
    """Distances 1, 2, 4: three pairs, the radius 4, and -1 / mean(log 1/4, log 2/4, log 1)."""
    r = np.array([1.0, 2.0, 4.0])
    D = np.zeros((3, 3))
    D[np.triu_indices(3, 1)] = r**2
    D += D.T
    assert correlation_dimension(D) == pytest.approx(3 / (math.log(4) + math.log(2)), rel=1e-12)


def test_correlation_dimension_against_loops():
    X = clean("cube", 70, 3)
    pairs = sorted(np.linalg.norm(a - b) for a, b in itertools.combinations(X, 2))[: 6 * 70 // 2]
    expected = -1 / np.mean([math.log(r / pairs[-1]) for r in pairs])
    assert correlation_dimension(squared_distances(X), neighbours=6) == pytest.approx(expected, rel=1e-9)
    twice = squared_distances(np.vstack([X, X]))
    assert 1 < correlation_dimension(twice) < 5


@pytest.mark.parametrize("d", [1, 2, 3])
def test_correlation_dimension_of_clean_sets(d):
    values = [correlation_dimension(squared_distances(clean("sphere", 1000, d, seed))) for seed in range(3)]
    assert np.mean(values) == pytest.approx(d, rel=0.05)


# --- all together -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_samples", [300, 1000])
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("kind", ["cube", "ball", "sphere"])
def test_one_number_on_clean_data(kind, d, n_samples):
    found = intrinsic_dimension(clean(kind, n_samples, d))
    assert (found.lowest, found.dimension, found.highest) == (d, d, d)
    assert found.text == f"The data have {d} dimension{'s' if d > 1 else ''}."
    assert found.by_scale[0] == (n_samples, d)
    assert [n for n, _ in found.by_scale] == [n_samples >> k for k in range(3) if n_samples >> k >= 100]
    assert 0.8 * d < found.correlation < 1.2 * d
    assert 0.5 * d < found.log_sum < 1.3 * d
    assert found.local_pca == d
    assert found.danco.dimension == d


@pytest.mark.parametrize("seed", range(3))
def test_a_range_on_noisy_data(seed):
    """A roll under ten columns of noise has neither 2 nor 12 dimensions, and a ring in noise not one number."""
    roll = intrinsic_dimension(make_noisy_swiss_roll(random_state=seed).Xs[0])
    assert roll.highest - roll.lowest >= 2
    assert f"{roll.lowest} to {roll.highest} dimensions" in roll.text
    assert roll.lowest <= roll.dimension <= roll.highest
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, 600)
    ring = np.column_stack((np.cos(angle), np.sin(angle), np.zeros((600, 3)))) + 0.01 * rng.standard_normal((600, 5))
    found = intrinsic_dimension(ring, random_state=seed)
    assert found.lowest == 1
    assert found.highest >= 2


def test_a_range_on_noisy_pictures():
    found = intrinsic_dimension(make_rotated_digit().Xs[0])
    assert found.lowest < found.highest
    assert found.highest >= 10


# --- bad input, and the task --------------------------------------------------------------------------------------

ESTIMATES = [danco, local_pca_dimension, intrinsic_dimension]


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_too_few_different_samples(estimate):
    rng = np.random.default_rng(0)
    for X in (rng.random((8, 3)), np.repeat(rng.random((8, 3)), 20, axis=0), np.ones((50, 3)), np.zeros((50, 3))):
        with pytest.raises(DataError, match=r"the number of different samples is [18]\. "):
            estimate(X)


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_missing_values_and_text(estimate):
    X = clean("cube", 60, 2)
    X[3, 1] = np.nan
    with pytest.raises(MissingValuesError):
        estimate(X)
    with pytest.raises(DataError, match="holds text"):
        estimate([["a", "b"]] * 50)


def test_parameters_are_checked():
    X = clean("cube", 60, 2)
    for arguments in ({"neighbours": 2}, {"neighbours": 21}, {"neighbours": 4.5}, {"highest": 0}, {"random_state": -1}):
        with pytest.raises(ParameterError, match=r"cannot be.*Give a whole number from"):
            danco(X, **arguments)
    for arguments in ({"neighbours": 1}, {"threshold": 0.0}, {"threshold": 2.0}):
        with pytest.raises(ParameterError, match=r"cannot be"):
            local_pca_dimension(X, **arguments)
    with pytest.raises(ParameterError, match=r"cannot be"):
        correlation_dimension(squared_distances(X), neighbours=0)
    with pytest.raises(ParameterError, match=r"cannot be"):
        intrinsic_dimension(X, random_state=-1)


def test_samples_all_at_one_distance():
    """One-hot codes: no two samples are nearer than others."""
    assert danco(np.eye(40)).dimension == 10
    with pytest.raises(DataError, match=r"No two samples are nearer.*Give more samples"):
        correlation_dimension(squared_distances(np.eye(40)))
    with pytest.raises(DataError, match="No two samples are nearer"):
        correlation_dimension(np.zeros((10, 10)))


def test_samples_nearly_at_one_place():
    """Pairs far closer than the rest, down to where squares vanish, are kept or left out without a warning."""
    X = clean("cube", 100, 2)
    for gap in (1e-9, 1e-30, 1e-160, 1e-300):
        assert danco(np.vstack([X, X[:30] + gap])).dimension in (1, 2, 3)
        twins = np.zeros((60, 2))
        twins[:30, 0], twins[30:, 0] = np.arange(30), np.arange(30)
        twins[30:, 1] = gap
        assert danco(twins).dimension in (1, 2)


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_progress_and_cancelling(estimate):
    X, reporting = clean("cube", 400, 3), Reporting()
    estimate(X, task=reporting)
    assert reporting.reported == sorted(reporting.reported)
    assert reporting.reported
    assert max(reporting.reported) <= 1.0 + 1e-12
    task = Task(lambda fraction: task.cancel() if fraction > 0.3 else None)
    with pytest.raises(Cancelled):
        estimate(X[:399], task=task)


def test_the_same_question_is_answered_at_once(monkeypatch):
    """A second call compares nothing: what was asked before is known, and only that."""
    X, asked = clean("cube", 150, 2), []
    real = module.compared_with_balls
    monkeypatch.setattr(module, "compared_with_balls", lambda *given: asked.append(1) or real(*given))
    monkeypatch.setattr(module, "_ANSWERS", {})
    monkeypatch.setattr(module, "REMEMBERED", 2)
    first = danco(X)
    assert danco(X) is first
    assert danco(X[::-1]) is first
    assert len(asked) == 1
    assert danco(X, neighbours=8) is not first
    assert danco(X[:149]) is not first
    assert len(module._ANSWERS) == 2
    danco(X)
    assert len(asked) == 4  # only so many answers are kept


def test_a_part_of_a_task():
    seen, whole = [], Task()
    whole = Task(seen.append)
    part = Part(whole, 0.5, 0.7)
    part.progress(0.0)
    part.progress(0.5)
    part.progress(2.0)
    assert seen == pytest.approx([0.5, 0.6, 0.7])
    part.warn("code", "A sentence.")
    assert whole.warnings == (("code", "A sentence."),)
    whole.cancel()
    for check in (part.checkpoint, lambda: part.progress(1.0), Part(part, 0.0, 1.0).checkpoint):
        with pytest.raises(Cancelled):
            check()
