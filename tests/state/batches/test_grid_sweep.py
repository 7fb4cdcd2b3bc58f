"""`mvx.sweep`: every cell of a grid is what `embed` and the scores say, in any number of threads."""

import numpy as np
import pytest
from inline import circle_data

import mvexplorer as mvx
from mvexplorer.compute.batch import sweep_path
from mvexplorer.compute.jobs import runner
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import ComputeError, ParameterError

DATA = circle_data(n_samples=48)


@pytest.fixture
def computed(monkeypatch):
    """The requests computed so far."""
    found, run = [], sweep_path.run_request

    def counting(request, cache, task):
        found.append(request)
        return run(request, cache, task)

    monkeypatch.setattr(sweep_path, "run_request", counting)
    return found


def test_every_cell_is_that_embedding_scored():
    grid = {"epsilon_scale": (0.5, 2.0), "n_components": (2, 3)}
    found = mvx.sweep(DATA, ["multiview", "pca"], grid, eta=0.25, epsilon="median")
    assert found.columns == [
        "epsilon_scale", "n_components", "method", "views", "epsilon", "resample", "nmi", "nmi_sd", "knn", "resultant",
        "order", "largest_gap",
    ]  # fmt: skip
    order = [(scale, r) for _ in range(2) for scale in (0.5, 2.0) for r in (2, 3)]
    assert [row[:2] for row in found.iter_rows()] == order
    for scale, r, method, views, epsilon, resample, nmi, spread, knn, *hidden in found.iter_rows():
        own = {"eta": 0.25} if method == "multiview" else {}
        alone = mvx.embed(DATA, method, epsilon=f"{scale}*median", n_components=r, **own)
        scores = runner.run_scores(alone.coordinates, DATA.labels, Task())
        assert (nmi, spread, knn) == pytest.approx((scores.nmi.value, scores.nmi.spread, scores.knn.value), abs=1e-9)
        angle, drawn = DATA.latent["angle"], np.mean(alone.view_coordinates or [alone.coordinates], axis=0)
        resultant = mvx.metrics.knn_resultant(alone.coordinates, angle).value
        ring = mvx.metrics.ring_order(drawn, angle).value, mvx.metrics.ring_gap(drawn).value
        assert hidden == pytest.approx([resultant, *ring])
        assert (views, resample) == (",".join(alone.views), 0)
        assert epsilon == pytest.approx([] if method == "pca" else list(alone.epsilon))


def test_what_does_not_depend_on_the_grid_is_computed_once(computed):
    found = mvx.sweep(DATA, ["kernel-sum", "multiview"], {"eta": (0.0, 0.5, 1.0)}, scores=["knn"])
    assert [request.method for request in computed].count("kernel-sum") == 1
    assert found.filter(found["method"] == "kernel-sum")["knn"].n_unique() == 1
    assert found.height == 6


def test_the_epsilon_of_one_view_is_a_number():
    found = mvx.sweep(DATA, "kernel-sum", {"epsilon:v2": (0.3, 3.0)}, scores="knn")
    (first, other) = mvx.select_epsilon(DATA, "robust")
    assert found["epsilon"].to_list() == [[pytest.approx(first), 0.3], [pytest.approx(first), 3.0]]
    assert other not in (0.3, 3.0)


def test_resamplings_are_those_of_the_window():
    found = mvx.sweep(DATA, "single", {"epsilon_scale": [1.0]}, resamples=2, scores=("knn",))
    assert found["resample"].to_list() == [0, 1, 2]
    for resample, knn in zip((1, 2), found["knn"][1:], strict=True):
        kept = np.sort(np.random.default_rng(resample - 1).permutation(48)[: int(0.8 * 48)])
        part = DATA.take(kept)
        alone = mvx.embed(part, "single", epsilon="robust")
        assert knn == mvx.metrics.knn_accuracy(alone.coordinates, part.labels).value


@pytest.mark.nightly
def test_the_table_is_the_same_in_any_number_of_threads(computed):
    """At this size answers start from their neighbours' vectors, always of the same ones."""
    data, grid = circle_data(n_samples=300), {"epsilon_scale": np.geomspace(0.3, 3.0, 7)}
    one, three = (
        mvx.sweep(data, ["single", "kernel-sum", "multiview"], grid, scores=["knn", "resultant"], n_jobs=n)
        for n in (1, 3)
    )  # fmt: skip
    assert one.equals(three)
    assert sum(len(request.start) for request in computed) > 20


def test_a_method_that_fails_somewhere_has_no_row_there(monkeypatch):
    run = sweep_path.run_request

    def sometimes(request, cache, task):
        if dict(request.params)["t"] == 2:
            raise ComputeError("It did not converge.", "Enlarge ε.")
        return run(request, cache, task)

    monkeypatch.setattr(sweep_path, "run_request", sometimes)
    with pytest.warns(UserWarning, match="Single view failed in 1 computation, which has no row: It did not converge"):
        found = mvx.sweep(DATA, "single", {"t": [1, 2, 3]}, scores=["knn"])
    assert found["t"].to_list() == [1, 3]
    with pytest.raises(ComputeError, match="It did not converge"):
        mvx.sweep(DATA, "single", {"t": [2]}, scores=["knn"])


BAD = [
    (("single", {"gamma": [1.0]}), {}, "nothing to sweep called gamma. Names of a grid: epsilon_scale, epsilon:v1"),
    (("single", {}), {}, "The grid is empty"),
    (("single", {"t": []}), {}, "The grid has no values of t"),
    (("multiview", {"eta": [0.5, 1.5]}), {}, r"Within-view weight \(η\) cannot be 1.5. Give numbers from 0 to 1"),
    (("single", {"t": [1.5]}), {}, r"Diffusion time \(t\) cannot be 1.5. Give whole numbers from 0 to 1024"),
    (("single", {"epsilon_scale": [0.0]}), {}, "Factor on all ε cannot be 0. Give numbers above 0"),
    (("single", {"epsilon:v9": [1.0]}), {}, "There is nothing to sweep called epsilon:v9"),
    (("singel", {"t": [1]}), {}, "There is no method called “singel”"),
    (([], {"t": [1]}), {}, "There is no method to sweep"),
    (("single", {"t": [1]}), {"eta": 0.5}, "No method of this sweep has a parameter called eta"),
    (("single", {"t": [1]}), {"scores": ["mni"]}, "There is no score called mni. Scores: nmi, knn.*Did you mean nmi"),
    (("single", {"t": [1]}), {"scores": ["r2"]}, "This data cannot be scored by r2. It has nmi, knn, resultant"),
    (("single", {"t": [1]}), {"resamples": -1}, "There cannot be -1 resamplings"),
    (("single", {"t": [1]}), {"n_jobs": 0}, "0 cells cannot be computed at a time"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "more", "sentence"), BAD)
def test_bad_input_is_one_sentence(asked, more, sentence):
    with pytest.raises(ParameterError, match=sentence):
        mvx.sweep(DATA, *asked, **more)


def test_without_classes_and_latents_the_views_are_scored_by():
    bare = circle_data(labels=False).replace(latent={})
    found = mvx.sweep(bare, "kernel-sum", {"t": [1]})
    assert found.columns[-4:] == ["trustworthiness", "neighbours_kept", "agreement", "gap"]
    assert found["agreement"][0] is None
    usual = mvx.embed(bare, "kernel-sum")
    kept = [mvx.neighbourhood_preservation(usual.coordinates, X).mean() for X in bare.Xs]
    assert found["neighbours_kept"][0] == pytest.approx(np.mean(kept), abs=1e-12)
    moduli = np.abs(usual.eigenvalues)
    assert found["gap"][0] == pytest.approx((moduli[1:-1] - moduli[2:]).max(), abs=1e-9)


def test_how_far_samples_move_with_epsilon_is_told_where_it_is_asked_for():
    found = mvx.sweep(DATA, ["multiview", "pca"], {"epsilon_scale": [0.5, 1.0]}, epsilon="median", scores="stability")
    by_cell = {(method, scale): told for scale, method, *_, told in found.iter_rows()}
    assert by_cell["pca", 0.5] is None
    for scale in (0.5, 1.0):
        alone = mvx.stability(DATA, "multiview", epsilon=f"{scale}*median", scale_epsilon=True, score="none")
        assert by_cell["multiview", scale] == pytest.approx(alone.number, rel=1e-4)


def test_classes_do_not_keep_from_other_scores():
    found = mvx.sweep(circle_data(), "single", {"t": [1]}, scores=["trustworthiness", "nmi"])
    assert found.columns[-3:] == ["trustworthiness", "nmi", "nmi_sd"]
    assert 0.5 < found["trustworthiness"][0] <= 1.0
