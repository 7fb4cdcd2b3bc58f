"""Walks on kernels of landmarks in passes over the samples: as in memory, as dense, from files, on threads, refused."""

import pickle

import dense
import numpy as np
import pytest

from mvexplorer.compute.run.blocks import BlockExecutor
from mvexplorer.engine.analysis.point import transition_probabilities
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core import maps
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.preprocessing import learn_by_blocks, learn_treatment
from mvexplorer.engine.core.task import DEFAULT_MEMORY, Cancelled, Task
from mvexplorer.engine.kernels import block_pass
from mvexplorer.engine.kernels.affinities import parse_kernel
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline import footprint, pass_time, solve, stages, three_passes
from mvexplorer.engine.pipeline.footprint import Size
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.steps_that_stay import STEPS_THAT_STAY
from mvexplorer.engine.pipeline.three_passes import in_passes
from mvexplorer.engine.pipeline.view_kernel import landmarks_of
from mvexplorer.engine.pipeline.view_share import SHARE
from mvexplorer.errors import ComputeError, DataError, ParameterError

EPSILON, M, LANDMARKS = 0.3, 500, 50
TOLD = {"epsilon": EPSILON, "kernel": f"landmarks-{LANDMARKS}", "n_components": 4}
CASES = [
    ("single", 1, {}), ("single", 1, {"alpha": 1.0}), ("kernel-sum", 3, {"alpha": 0.5, "view_weights": [1, 2, 0.5]}),
    ("kernel-product", 2, {"view_weights": [1, 2]}), ("concatenation", 2, {}), ("alternating", 2, {}),
    ("alternating", 2, {"alpha": 1.0}), ("multiview", 2, {"alpha": 1.0}),
    ("multiview", 3, {"eta": 0.3, "view_weights": [1, 2, 1], "alpha": 0.7}), ("multiview", 3, {"eta": 1.0}),
    ("de-sa", 2, {}), ("kernel-sum", 3, {"view_weights": "equal-volume"}),
    ("multiview", 3, {"eta": 0.3, "view_weights": "equal-volume", "alpha": 0.7}),
]  # fmt: skip


def sheet(n, n_views=2, n_features=6):
    """Views of samples on a sheet, bent into `n_features` dimensions."""
    rng = np.random.default_rng(0)
    flat = rng.random((n, 2))
    return [np.cos(flat @ rng.standard_normal((2, n_features)) * 2 + i) for i in range(n_views)]


@pytest.fixture
def passes(monkeypatch):
    """Few samples go in passes, several blocks and spans each."""
    monkeypatch.setattr(block_pass, "PASS_ENTRIES", 64 * LANDMARKS)
    monkeypatch.setattr(three_passes, "SPAN", 200)
    monkeypatch.setattr(solve, "_goes_in_passes", lambda stages: True)


def mapped(tmp_path, Xs, dtype=np.float64):
    """The views as read-only maps of files."""
    for i, X in enumerate(Xs):
        np.save(tmp_path / f"{i}.npy", X.astype(dtype))
    return [np.load(tmp_path / f"{i}.npy", mmap_mode="r") for i in range(len(Xs))]


def agree(first, second, atol=1e-9):
    """The same coordinates, but for the sign of each column."""
    signs = np.sign(np.sum(first * second, axis=0))
    np.testing.assert_allclose(first * signs, second, rtol=0, atol=atol * np.abs(second).max())


@pytest.mark.parametrize(("method", "n_views", "params"), CASES)
def test_as_in_memory(method, n_views, params, passes, monkeypatch):
    Xs = sheet(M, n_views)
    found = embed(Xs, method, **TOLD, **params)
    monkeypatch.setattr(solve, "_goes_in_passes", lambda stages: False)
    monkeypatch.setattr(solve, "ANGLE_WARM", 1e-11)
    expected = embed(Xs, method, **TOLD, **params)
    np.testing.assert_allclose(found.eigenvalues, expected.eigenvalues, rtol=0, atol=1e-12)
    agree(found.coordinates, expected.coordinates)
    info = {name: value for name, value in expected.info.items() if not name.startswith(SHARE)}
    assert found.info.keys() == info.keys()
    for name, value in info.items():  # in memory a random part tells how many steps stay
        assert found.info[name] == pytest.approx(value, rel=0.1 if name == STEPS_THAT_STAY else 1e-9)
    assert [code for code, _ in found.warnings] == [code for code, _ in expected.warnings]
    if method != "de-sa":  # whose coordinates are on the sphere
        agree(found.transform([X[:40] for X in Xs]), expected.transform([X[:40] for X in Xs]))
        np.testing.assert_allclose(found.transform(Xs), found.coordinates, rtol=0, atol=1e-10)


def nystrom_kernels(Xs):
    """K̃ = C W⁻¹ Cᵀ of each view, by numpy's solver."""
    among = landmarks_of(Stages(MultiView(Xs), range(len(Xs)), kernels=[parse_kernel("landmarks-20")] * len(Xs)), 0)
    each = [dense.gaussian(X, EPSILON) for X in Xs]
    return [K[:, among] @ np.linalg.solve(K[np.ix_(among, among)], K[among]) for K in each]


def block_operator(kernels, eta):
    """K̂ of (13) and (49), formed."""
    L = len(kernels)
    across = (1 - eta) / (L - 1)
    return np.block(
        [[(eta if a == b else across) * A @ B for b, B in enumerate(kernels)] for a, A in enumerate(kernels)]
    )


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_the_share_of_steps_that_stay_is_that_of_the_dense_walk(alpha, passes):
    Xs = sheet(200, 1, n_features=12)
    found = embed(Xs, "single", alpha=alpha, **TOLD | {"kernel": "landmarks-20"})
    (K,) = nystrom_kernels(Xs)
    A = K / np.outer(K.sum(axis=1), K.sum(axis=1)) ** alpha
    assert found.info[STEPS_THAT_STAY] == pytest.approx(np.mean(np.diag(A) / A.sum(axis=1)), rel=1e-9)


@pytest.mark.parametrize("eta", [0.0, 0.3])
def test_as_the_dense_operator_of_all_views(eta, passes):
    Xs = sheet(200, 3, n_features=12)
    found = embed(Xs, "multiview", eta=eta, **TOLD | {"kernel": "landmarks-20"})
    values, psi = dense.walk(block_operator(nystrom_kernels(Xs), eta))
    np.testing.assert_allclose(found.eigenvalues, values[:5], rtol=0, atol=1e-9)
    agree(np.vstack(found.decomposition.blocks)[:, 1:], psi[:, 1:5], 1e-7)


def test_as_the_dense_product_of_two_walks(passes):
    Xs = sheet(200, 2, n_features=12)
    found = embed(Xs, "alternating", **TOLD | {"kernel": "landmarks-20"})
    P, Q = (K / K.sum(axis=1, keepdims=True) for K in nystrom_kernels(Xs))
    values, vectors = np.linalg.eig(P @ Q)
    order = np.argsort(-np.abs(values))[:5]
    np.testing.assert_allclose(found.eigenvalues, values[order].real, rtol=0, atol=1e-9)
    psi = vectors[:, order].real
    agree(found.decomposition.blocks[0], psi / np.sqrt(np.mean(psi**2, axis=0)), 1e-7)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_from_files_that_are_read_by_blocks(dtype, passes, tmp_path, monkeypatch):
    """No view is taken into memory, not to choose ε either; coordinates that are large are on the disk, too."""
    Xs = [X.astype(dtype).astype(float) for X in sheet(M)]
    monkeypatch.setattr(stages, "MANY_SAMPLES", 100)
    told = TOLD | {"epsilon": "max-min", "preprocess": "zscore"}
    how = told.pop("preprocess")
    expected = embed(MultiView(Xs, preprocess=how), "multiview", **told)
    monkeypatch.setenv("MVEXPLORER_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(stages, "whole", lambda X, *a: X if not maps.is_map(X) else pytest.fail("a file was read"))
    monkeypatch.setattr(maps, "ON_DISK", 1)
    found = embed(MultiView(mapped(tmp_path, Xs, dtype), preprocess=how), "multiview", **told)
    np.testing.assert_allclose(found.epsilon, expected.epsilon, rtol=1e-12)
    agree(found.coordinates, expected.coordinates)
    agree(found.transform([X[:9] for X in Xs]), found.coordinates[:9])
    block = found.decomposition.blocks[0]
    assert isinstance(block, np.memmap)
    assert isinstance(found.coordinates.base, np.memmap) or isinstance(found.coordinates, np.memmap)
    assert [Y.shape for Y in found.view_coordinates] == [(M, 4)] * 2
    assert not list((tmp_path / "home" / "converted").iterdir())  # it goes with the coordinates


@pytest.mark.parametrize("how", ["none", "centre", "zscore", "unit", "log1p", "pca:3"])
def test_what_is_learnt_of_a_file(how, tmp_path, monkeypatch):
    monkeypatch.setattr(maps, "BLOCK_BYTES", 2000)
    X = np.abs(sheet(300, 1)[0] * [1, 30, 1e-3, 5, 2, 0] + [0, 1e4, 0, 0, 0, 7])
    (file,) = mapped(tmp_path, [X])
    found, expected = (f(how, A).apply(X) for f, A in ((learn_by_blocks, file), (learn_treatment, X)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_threads_and_processes_find_the_same_digits(passes):
    """A pass is plain data: what carries it out may be anywhere."""
    data, method = MultiView(sheet(M)), get_method("multiview")
    kernels = [parse_kernel(f"landmarks-{LANDMARKS}")] * 2
    made = Stages(data, (0, 1), (EPSILON, EPSILON), {"n_components": 4, "eta": 0.3}, kernels=kernels)
    seen = []

    def elsewhere(step, tables, spans):
        for span in spans:
            sent, found = pickle.dumps((step, [X[span] for X in tables])), None
            again, rows = pickle.loads(sent)
            found = again.over(rows, slice(0, len(rows[0])))
            seen.append(len(sent))
            yield pickle.loads(pickle.dumps(found))

    form = method.landmark_form(made)
    alone, there = in_passes(made, form), in_passes(made, form, elsewhere)
    executor = BlockExecutor(2)
    shared = in_passes(made.with_task(Task(run_all=executor.run_all)), form)
    executor.shutdown()
    for other in (there, shared):
        np.testing.assert_array_equal(other.eigenvalues, alone.eigenvalues)
        np.testing.assert_array_equal(other.blocks[1], alone.blocks[1])
    assert len(seen) == 3 * 3


def test_no_array_is_larger_than_a_block_and_the_vectors(passes, monkeypatch):
    largest = []
    real = block_pass.squared_blocks

    def watched(X, Y):
        largest.append(len(X))
        return real(X, Y)

    monkeypatch.setattr(block_pass, "squared_blocks", watched)
    embed(sheet(2000), "multiview", **TOLD)
    assert max(largest) <= max(64, LANDMARKS)


def test_a_pass_stops_between_two_blocks(passes):
    task, seen = Task(), []
    real = block_pass.BlockPass.of

    def counted(self, rows):
        seen.append(1)
        if len(seen) == 5:
            task.cancel()
        return real(self, rows)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_pass.BlockPass, "of", counted)
        with pytest.raises(Cancelled):
            embed(sheet(M), "multiview", task=task, **TOLD)
    assert len(seen) == 5


def test_the_time_is_told_before_all_blocks_are_read(passes, monkeypatch):
    """What a few blocks of every pass take, for all samples: by a clock that each block moves by a second."""
    monkeypatch.setattr(pass_time, "MANY_BLOCKS", 5)
    monkeypatch.setattr(pass_time, "perf_counter", lambda: clock[0])
    clock, real, told = [0.0], block_pass.BlockPass.of, []

    def ticking(self, rows):
        clock[0] += len(rows[0]) / 64
        return real(self, rows)

    monkeypatch.setattr(block_pass.BlockPass, "of", ticking)
    embed(sheet(64 * 40), "multiview", task=Task(say=lambda text: told.append((text, clock[0]))), **TOLD)
    ((text, at),) = told
    expected = (clock[0] - at) / 60
    assert text.startswith("2,560 samples are read 3 times, 32 at a time, with 100 affinities to landmarks each: about")
    assert float(text.split("about ")[1].split()[0]) == pytest.approx(expected, abs=0.5)


def test_samples_out_of_reach_are_counted(passes):
    X = np.vstack([sheet(300, 1)[0], np.full((1, 6), 500.0), np.full((1, 6), -900.0)])
    with pytest.raises(ComputeError, match=r"2 of 302 samples are out of reach of all 50 landmarks.*Enlarge ε"):
        embed([X, X], "multiview", **TOLD)


def test_new_samples_out_of_reach(passes):
    found = embed(sheet(M), "multiview", **TOLD)
    with pytest.raises(DataError, match="1 new sample is too far from all known ones"):
        found.transform([np.full((1, 6), 1e4)] * 2)


def test_too_few_landmarks(passes):
    with pytest.raises(ParameterError, match=r"4 coordinates are too many for 3 landmarks.*Take more landmarks"):
        embed(sheet(M), "multiview", **TOLD | {"kernel": "landmarks-3"})


@pytest.mark.parametrize(("kernel", "kept", "expected"), [
    ("landmarks-40", 50, 0), ("landmarks-60", 50, 1), ("gaussian", 50, 0),
])  # fmt: skip
def test_many_samples_go_in_passes_by_themselves(kernel, kept, expected, monkeypatch):
    """Where the affinities to all landmarks would take more than a part of the memory; little of it suffices then."""
    seen = []
    real = solve.in_passes
    monkeypatch.setattr(solve, "in_passes", lambda *a: seen.append(1) or real(*a))
    monkeypatch.setattr(footprint, "KEPT_SHARE", 8 * M * kept / DEFAULT_MEMORY)
    embed(sheet(M), "multiview", **TOLD | {"kernel": kernel})
    assert len(seen) == expected


def test_a_million_samples_are_told_to_fit():
    """A gigabyte suffices for a million samples, where the table of their affinities takes four."""
    size = Size(1_000_000, (50, 50), (parse_kernel("landmarks-500"),) * 2, {"n_components": 10, "eta": 0.0}, threads=2)
    assert get_method("multiview").held(size).total < 1e9


def test_what_needs_the_table_of_affinities_says_so(passes):
    """Where the walk itself is asked for, and not only its coordinates."""
    found = embed(sheet(M), "multiview", **TOLD)
    with pytest.raises(DataError, match=r"of 500 samples to 50 landmarks take .* may hold .*Take fewer landmarks"):
        transition_probabilities(found, 0, task=Task(memory=8 * M * LANDMARKS - 1))
