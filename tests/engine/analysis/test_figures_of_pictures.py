"""Images, spectra in time, ROC curves and graphs against dense formulas, numpy's transform and scikit-learn."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import roc_auc_score

import mvexplorer as mvx
from mvexplorer.engine.analysis import diagnostics
from mvexplorer.engine.analysis.diagnostics import SquaredDistances, largest_gap, powers
from mvexplorer.errors import DataError

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("sparse", [False, True])
def test_an_image_has_every_entry_in_the_order_wanted(sparse):
    K, order = RNG.random((30, 30)), RNG.permutation(30)
    found = mvx.matrix_image(csr_array(K) if sparse else K, order)
    np.testing.assert_allclose(found.values, K[np.ix_(order, order)], atol=1e-14)
    assert found.size == 1


def test_cells_of_a_large_matrix_are_means(monkeypatch):
    monkeypatch.setattr(diagnostics, "MOST_CELLS", 24)
    K, order = RNG.random((2 * 47, 2 * 47)), RNG.permutation(47)
    found = mvx.matrix_image(K, order, n_blocks=2)
    assert (found.size, len(found.edges) - 1) == (4, 12)
    blocks = [K[np.ix_(order + 47 * a, order + 47 * b)] for a in range(2) for b in range(2)]
    cells = [np.array_split(np.arange(47), found.edges[1:-1])] * 2
    dense = [[[B[np.ix_(r, c)].mean() for c in cells[1]] for r in cells[0]] for B in blocks]
    expected = np.block([[np.array(dense[0]), np.array(dense[1])], [np.array(dense[2]), np.array(dense[3])]])
    np.testing.assert_allclose(found.values, expected, atol=1e-12)


def test_distances_need_no_matrix_of_all_pairs():
    Y = RNG.normal(3.0, 1.0, (25, 4))
    expected = np.square(Y[:, None] - Y[None]).sum(axis=2)
    np.testing.assert_allclose(mvx.matrix_image(SquaredDistances(Y)).values, expected, atol=1e-12)


@pytest.mark.parametrize("most", [1500, 7])
def test_distances_of_samples_without_a_place_are_missing_and_do_not_spoil_the_others(most, monkeypatch):
    monkeypatch.setattr(diagnostics, "MOST_CELLS", most)
    Y, order = RNG.normal(3.0, 1.0, (25, 4)), RNG.permutation(25)
    Y[order[[3, 9, 12, 13, 14, 15]]] = np.nan
    Y[:, 3] = np.nan  # a coordinate that no sample has
    D = np.square(Y[order, None, :3] - Y[None, order, :3]).sum(axis=2)
    found = mvx.matrix_image(SquaredDistances(Y), order)
    cells = np.split(np.arange(25), found.edges[1:-1])
    blocks = [[D[np.ix_(r, c)] for c in cells] for r in cells]
    expected = [[B[np.isfinite(B)].mean() if np.isfinite(B).any() else np.nan for B in row] for row in blocks]
    np.testing.assert_allclose(found.values, expected, atol=1e-12)
    assert 0.0 < np.isnan(found.values).mean() < 0.6


def test_an_order_that_leaves_samples_out_is_refused():
    with pytest.raises(DataError, match="each sample once"):
        mvx.matrix_image(np.eye(3), [0, 0, 1])


@pytest.mark.parametrize("n", [64, 65])
def test_a_spectrum_is_that_of_numpy_whatever_order_the_samples_have(n):
    v, order = RNG.normal(size=n), RNG.permutation(n)
    expected = np.abs(np.fft.rfft(v - v.mean())[1:]) ** 2
    times = 3.0 + 0.25 * np.arange(n)
    found = mvx.component_spectrum(v[order], times[order])
    np.testing.assert_allclose(found.energy, expected / expected.sum(), atol=1e-12)
    np.testing.assert_allclose(found.frequencies, np.fft.rfftfreq(n, 0.25)[1:], atol=1e-12)
    np.testing.assert_allclose(mvx.component_spectrum(v).energy, found.energy, atol=1e-12)
    assert found.how == "fft"


def test_uneven_times_keep_their_frequency_and_are_told():
    times = np.sort(RNG.uniform(0.0, 10.0, 200))
    found = mvx.component_spectrum(np.cos(2 * np.pi * 1.3 * times), times)
    assert found.how == "lomb-scargle"
    assert abs(found.peak - 1.3) < 0.06
    gaps = mvx.component_spectrum(np.where(np.arange(80) == 7, np.nan, np.arange(80.0)), np.arange(80.0))
    assert (gaps.how, gaps.n_used) == ("lomb-scargle", 79)


def test_many_samples_at_uneven_times_are_interpolated_first(monkeypatch):
    monkeypatch.setattr(diagnostics, "MOST_UNEVEN", 150)
    times = np.sort(RNG.uniform(0.0, 10.0, 200))
    found = mvx.component_spectrum(np.cos(2 * np.pi * 1.3 * times), times)
    assert found.how == "resampled"
    assert abs(found.peak - 1.3) < 0.06


@pytest.mark.parametrize(
    ("values", "times", "words"),
    [
        (np.ones(20), None, "same at all samples"), (np.arange(3.0), None, "too few"),
        (np.arange(9.0), np.ones(9), "same time"), (np.full(9, np.nan), None, "0 samples"),
    ],
)  # fmt: skip
def test_a_spectrum_that_there_is_not_is_refused_in_words(values, times, words):
    with pytest.raises(DataError, match=words):
        mvx.component_spectrum(values, times)


def test_a_roc_curve_is_that_of_scikit_learn():
    Y, labels = RNG.normal(size=(40, 3)), np.repeat(["a", "b", "c", ""], 10)
    Y[:10] += 2.0
    found = mvx.roc_of_distances(Y, labels)
    i, j = np.triu_indices(30, 1)
    same, apart = labels[i] == labels[j], np.square(Y[i] - Y[j]).sum(axis=1)
    assert abs(found.auc - roc_auc_score(same, -apart)) < 1e-12
    assert (found.pairs, found.sampled) == (435, False)
    D = np.linalg.norm(Y[:30, None] - Y[None, :30], axis=2)
    assert abs(found.auc - mvx.metrics.roc_auc(D, labels[:30]).value) < 1e-12
    assert (found.false[-1], found.true[-1]) == (1.0, 1.0)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [1e200, 1e-200])
def test_neither_spectra_nor_roc_curves_depend_on_units(unit):
    Y = np.random.default_rng(0).normal(size=(40, 2))
    ours, plain = mvx.component_spectrum(unit * Y[:, 0]), mvx.component_spectrum(Y[:, 0])
    np.testing.assert_allclose(ours.energy, plain.energy, rtol=1e-9)
    classes = np.arange(40) % 3
    assert mvx.roc_of_distances(unit * Y, classes).auc == pytest.approx(mvx.roc_of_distances(Y, classes).auc)


def test_of_many_pairs_a_part_is_drawn_and_told():
    labels = np.repeat([0, 1], 60)
    Y = RNG.normal(size=(120, 2)) + labels[:, None]
    found, whole = mvx.roc_of_distances(Y, labels, most=3000), mvx.roc_of_distances(Y, labels)
    assert (found.pairs, found.sampled) == (3000, True)
    assert abs(found.auc - whole.auc) < 0.03


def test_no_sample_is_a_pair_with_itself():
    """Where a class's samples are never near each other, no pair that is drawn is of one class at distance 0."""
    Y, labels = np.repeat(np.arange(30.0), 2)[:, None], np.tile([0, 1], 30)
    found = mvx.roc_of_distances(Y, labels, most=1500)
    assert (found.pairs, found.sampled) == (1500, True)
    # The nearest pairs are of two classes: the curve begins along the axis of false positives.
    assert found.false[found.true == 0.0].max() > 0.0
    first, second, _ = diagnostics._pairs(60, 1500, 0)
    assert not np.any(first == second)
    assert set(((second - first) % 60).tolist()) == set(range(1, 60))


@pytest.mark.parametrize(("labels", "words"), [(["a"] * 6, "of one class"), (list("abcdef"), "same class")])
def test_classes_that_cannot_be_told_apart_are_refused_in_words(labels, words):
    with pytest.raises(DataError, match=words):
        mvx.roc_of_distances(np.eye(6), labels)


@pytest.mark.parametrize("sparse", [False, True])
def test_components_are_those_of_scipy_largest_first(sparse):
    K = np.where(RNG.random((60, 60)) < 0.015, 0.5, 0.0)
    K = np.maximum(K, K.T) + np.eye(60)
    expected = connected_components(csr_array(K), directed=False)
    found = mvx.degrees_and_components(csr_array(K) if sparse else K)
    assert found.sizes.tolist() == sorted(np.bincount(expected[1]).tolist(), reverse=True)
    for number, size in enumerate(found.sizes):
        members = np.flatnonzero(found.component == number)
        assert len(members) == size
        assert len(set(expected[1][members])) == 1
    np.testing.assert_allclose(found.degrees, K.sum(axis=1))


def test_weights_after_a_time_and_the_largest_gap():
    values = np.array([1.0, 0.9, 0.3, -0.2])
    assert powers(values, (1, 2))[2].tolist() == pytest.approx((values**2).tolist())
    assert powers(values, (3,), "heat")[3].tolist() == pytest.approx(np.exp(-3 * values).tolist())
    assert largest_gap(values) == 1
    assert largest_gap(values[:1]) == -1


# Spectra ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "eta", "trivial", "mirrored"),
    [("kernel-sum", None, True, False), ("multiview", 0.0, True, True), ("multiview", 0.3, True, False),
     ("jade", None, False, False)],
)  # fmt: skip
def test_facts_of_a_spectrum(method, eta, trivial, mirrored):
    data = mvx.MultiView([RNG.normal(size=(40, 3)), RNG.normal(size=(40, 2))])
    given = {} if eta is None else {"eta": eta}
    found = mvx.embed(data, method, epsilon=3.0, n_components=5, **given)
    facts = mvx.spectrum_facts(found)
    steps = np.abs(np.diff(found.eigenvalues[int(trivial) :]))
    assert facts.gap == pytest.approx(steps.max(), abs=1e-15)
    assert abs(found.eigenvalues[facts.gap_after] - found.eigenvalues[facts.gap_after + 1]) == facts.gap
    assert (facts.r, facts.trivial, facts.mirrored) == (5, trivial, mirrored)
    assert facts.negative == sum(value < 0.0 for value in found.eigenvalues)


def test_negative_eigenvalues_are_counted_and_one_alone_has_no_gap():
    data = mvx.MultiView([RNG.normal(size=(40, 3)), RNG.normal(size=(40, 2))])
    found = mvx.embed(data, "kernel-sum", epsilon=3.0, n_components=3)
    assert mvx.spectrum_facts(replace(found, eigenvalues=np.array([1.0, 0.5, -0.2, -0.9]))).negative == 2
    assert mvx.spectrum_facts(replace(found, eigenvalues=np.array([1.0, 0.5]))).gap is None
    assert mvx.spectrum_facts(replace(found, eigenvalues=np.array([1.0, 0.5, 0.5]))).gap_after is None


def test_a_picture_without_eigenvalues_has_no_spectrum():
    data = mvx.MultiView([RNG.normal(size=(9, 3))], coordinates={"umap": RNG.normal(size=(9, 2))})
    with pytest.raises(DataError, match=r"has no eigenvalues\. Choose another method\."):
        mvx.spectrum_facts(mvx.embed(data, "given"))
