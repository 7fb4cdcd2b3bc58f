"""Where pictures differ: neighbours against explicit sets, alignments against known motions."""

import pickle
import time

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.engine.analysis.agreement import agreement, disagreement, displacement
from mvexplorer.engine.kernels.nearest import nearest
from mvexplorer.engine.spectral.alignment import align, lay_onto

RNG = np.random.default_rng(0)
PICTURES = {
    "few features": RNG.normal(size=(50, 2)),
    "many features": RNG.normal(size=(50, 9)),
    "ties": RNG.integers(0, 3, size=(50, 2)).astype(float),
    "ties of many features": RNG.integers(0, 2, size=(50, 7)).astype(float),
    "one place": np.zeros((50, 2)),
    "twins": np.repeat(RNG.normal(size=(5, 3)), 10, axis=0),
}


def sorted_others(X, i):
    """All other samples, the nearest first; of samples equally far, the lower number."""
    squared = ((X - X[i]) ** 2).sum(axis=1)
    return sorted((j for j in range(len(X)) if j != i), key=lambda j: (round(squared[j], 9), j))


@pytest.mark.parametrize("name", PICTURES)
def test_neighbours_are_those_of_a_sort(name):
    X = PICTURES[name]
    for k in (1, 15, 49):
        assert nearest(X, k).tolist() == [sorted_others(X, i)[:k] for i in range(len(X))]


def test_rounding_does_not_choose_among_twins():
    twins = np.repeat(RNG.normal(size=(3, 2)), 20, axis=0)
    shaken = twins + 1e-13 * RNG.normal(size=twins.shape)
    assert np.array_equal(nearest(twins, 10), nearest(shaken, 10))


def test_disagreement_is_that_of_explicit_sets():
    first, second = PICTURES["few features"], PICTURES["many features"]
    sets = [[set(sorted_others(X, i)[:7]) for i in range(50)] for X in (first, second)]
    wanted = [1.0 - len(a & b) / 7 for a, b in zip(*sets, strict=True)]
    np.testing.assert_allclose(disagreement(first, second, 7), wanted, atol=1e-14)


def test_the_matrix_is_the_mean_of_what_each_pair_disagrees_about():
    found = agreement(PICTURES, 7)
    assert found.names == tuple(PICTURES)
    assert np.array_equal(found.matrix, found.matrix.T)
    assert not found.matrix.diagonal().any()
    assert found.matrix[0, 1] == pytest.approx(found.disagreement("few features", 1).mean(), abs=1e-14)
    rotation = np.linalg.qr(RNG.normal(size=(2, 2)))[0]
    assert not disagreement(PICTURES["few features"], 3.0 * PICTURES["few features"] @ rotation + 5.0, 7).any()
    again = pickle.loads(pickle.dumps(found))
    assert np.array_equal(again.disagreement(2, 3), found.disagreement(2, 3))


def test_what_has_nothing_in_common_disagrees_as_by_chance():
    found = agreement([RNG.normal(size=(800, 2)), RNG.normal(size=(800, 3))], 15)
    assert found.by_chance == pytest.approx(1.0 - 15 / 799)
    assert found.matrix[0, 1] == pytest.approx(found.by_chance, abs=0.005)


def test_failed_pictures_and_samples_without_a_place_are_left_out():
    Y = RNG.normal(size=(30, 2))
    holed = Y.copy()
    holed[4] = np.nan
    found = agreement([Y, None, holed, np.full((30, 3), np.nan)], 5)
    assert np.isnan(found.matrix[0, [1, 3]]).all()
    assert found.matrix[0, 2] == 0.0
    differs = found.disagreement(0, 2)
    assert np.isnan(differs[4])
    assert np.isfinite(np.delete(differs, 4)).all()
    assert np.isnan(found.disagreement(0, 1)).all()


def test_embeddings_of_different_samples_are_compared_on_those_they_share():
    data = mvx.load("helix-a")
    whole = mvx.embed(data, "kernel-sum", epsilon=0.36)
    part = mvx.embed(data.take(np.arange(99, -1, -1)), "kernel-sum", epsilon=0.36)
    found = mvx.agreement([whole, part], 10)
    assert found.n_samples == 100
    assert found.names == ("kernel-sum", "kernel-sum (2)")
    order = [part.sample_ids.index(id) for id in whole.sample_ids[:100]]
    assert found.matrix[0, 1] == disagreement(whole.coordinates[:100], part.coordinates[order], 10).mean()


def test_what_cannot_be_compared_is_told():
    Y = RNG.normal(size=(10, 2))
    with pytest.raises(mvx.errors.DataError, match="The pictures have 9 to 10 samples"):
        agreement([Y, Y[:9]], 3)
    with pytest.raises(mvx.errors.DataError, match="15 neighbours cannot be found among 10 samples"):
        agreement([Y, Y])
    with pytest.raises(mvx.errors.DataError, match="Give an array of shape"):
        agreement([Y[:, 0]], 3)


@pytest.mark.timing
def test_a_pair_of_5000_samples_takes_less_than_a_second():
    pair = RNG.normal(size=(2, 5000, 10))
    start = time.thread_time()
    disagreement(*pair)
    assert time.thread_time() - start < 1.0  # a fifth of it, alone on the machine


# Alignments -------------------------------------------------------------------------------------------------------

SHAPE = RNG.normal(size=(40, 3)) * [3.0, 2.0, 1.0]
ROTATION = np.linalg.qr(RNG.normal(size=(3, 3)))[0]


@pytest.mark.parametrize(
    ("how", "moved"),
    [
        ("none", SHAPE),
        ("sign", SHAPE * [1.0, -1.0, -1.0]),
        ("rigid", SHAPE @ ROTATION + [5.0, 6.0, 7.0]),
        ("similarity", 4.0 * SHAPE @ ROTATION + 2.0),
    ],
)
def test_an_alignment_undoes_its_own_motions(how, moved):
    found = lay_onto(moved, SHAPE, how)
    assert found.residual == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(displacement(moved, SHAPE, how), 0.0, atol=1e-12)
    if how != "none":
        weaker = {"sign": "none", "rigid": "sign", "similarity": "rigid"}[how]
        assert lay_onto(moved, SHAPE, weaker).residual > 0.1


def test_the_chosen_samples_align_and_the_others_show_how_far_they_moved():
    moved = SHAPE @ ROTATION
    moved[20:] += 50.0
    found = lay_onto(moved, SHAPE, "rigid", rows=np.arange(20))
    assert found.residual == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(found.displacement[20:], 50.0 * np.sqrt(3.0), atol=1e-6)


def test_chosen_samples_on_a_line_leave_the_rest_to_the_others():
    line = np.concatenate([np.arange(4.0)[:, None] * [1.0, 0.0, 0.0], SHAPE])
    found = lay_onto(line @ ROTATION, line, "rigid", rows=np.arange(4))
    np.testing.assert_allclose(found.moved, line, atol=1e-9)


def test_pictures_of_different_widths_are_aligned_with_zeros():
    flat = SHAPE[:, :2]
    np.testing.assert_allclose(displacement(flat, np.pad(flat, ((0, 0), (0, 1))), "sign"), 0.0, atol=1e-14)
    assert lay_onto(SHAPE, flat, "rigid").moved.shape == (40, 3)


def test_samples_without_a_place_are_not_aligned_by():
    moved = SHAPE @ ROTATION
    moved[3] = np.nan
    values = displacement(moved, SHAPE, "rigid")
    assert np.isnan(values[3])
    np.testing.assert_allclose(np.delete(values, 3), 0.0, atol=1e-12)


@pytest.mark.parametrize(("rows", "says"), [([], "No sample is"), ([1], "One sample is"), ([1, 2], "Two samples are")])
def test_too_few_samples_to_align_by_are_told(rows, says):
    with pytest.raises(mvx.errors.DataError, match=f"{says} too few to align two pictures by. Choose at least three"):
        lay_onto(SHAPE, SHAPE, "rigid", rows=np.array(rows, dtype=int))


def test_the_alignment_of_drawings_is_the_same_one():
    np.testing.assert_allclose(
        align(SHAPE, 2.0 * SHAPE @ ROTATION), lay_onto(SHAPE, 2.0 * SHAPE @ ROTATION, "similarity").moved
    )
    with pytest.raises(mvx.errors.DataError, match="Align pictures of the same samples"):
        lay_onto(SHAPE, SHAPE[:9])
