"""Recipes in a document: one edit of explicit values, pins where a panel departs, scripts, sessions and captions."""

import numpy as np
import pytest
from inline import opened

from mvexplorer.datasets.loading import load_source
from mvexplorer.engine.api.embedding import embed
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.ingredients.recipe_commands import apply_recipe
from mvexplorer.state.export.captions import panel_caption
from mvexplorer.state.export.record import document_record
from mvexplorer.state.export.script.session import session_code
from mvexplorer.state.session.session import open_session, save_session

M = 50
METHODS = ("single", "kernel-sum", "multiview", "de-sa", "laplacian-mean", "pca")


@pytest.fixture
def document(tmp_path):
    """Three files of four, four and two columns, and a panel of each of some methods."""
    drawn, paths = np.random.default_rng(3), []
    for name, width in (("a", 4), ("b", 4), ("c", 2)):
        groups = 2.0 * (np.arange(M) % 2)[:, None] * np.array([1.0, -1.0, 0.5, 2.0])[:width]
        X = drawn.normal(size=(M, width)) + groups
        header = ",".join([*(f"{name}{k}" for k in range(width)), "kind"])
        path = tmp_path / f"{name}.csv"
        np.savetxt(path, np.c_[X, np.arange(M) % 2], delimiter=",", header=header, comments="")
        paths.append(str(path))
    loaded = load_source(paths, labels="kind")
    made = Document()
    state = commands.initial_state(loaded.data, loaded.sources, loaded.manifest, reading=loaded.options)
    panels = tuple(commands.new_panel(method, f"p{i}") for i, method in enumerate(METHODS))
    made.reset(state.model_copy(update={"panels": panels}), loaded.data)
    return made


def pins_of(document):
    return {panel.method: panel.pins for panel in document.state.panels}


def test_a_recipe_for_all_panels_is_one_edit_of_explicit_values(document):
    before = document.state
    said = apply_recipe(document, "neighbours")
    assert said == "View “c” stays Euclidean: the metric correlation needs at least 3 columns."
    assert [v.kernel for v in document.state.views] == ["knn-10@correlation", "knn-10@correlation", "knn-10"]
    shared = {name: document.state.params[name] for name in ("self_loops", "normalisation", "unit_rows", "t")}
    assert shared == {"self_loops": False, "normalisation": "walk", "unit_rows": True, "t": 0}
    kept = {"self_loops": True}
    assert pins_of(document) == {m: kept if m in ("multiview", "de-sa") else {} for m in METHODS}
    assert document.undo_label == "Recipe: Neighbours"
    document.undo()
    assert document.state == before


def test_as_in_the_paper_takes_it_all_back(document):
    before = document.state
    for recipe in ("sphere", "neighbours"):
        apply_recipe(document, recipe)
        assert apply_recipe(document, "paper") == ""
        assert document.state == before
    steps = document.undo_label
    apply_recipe(document, "paper")
    assert document.undo_label == steps, "no edit where nothing changes"


def test_panels_compute_what_the_recipe_says(document):
    for recipe in ("sphere", "neighbours"):
        apply_recipe(document, recipe)
        results = compute(document.state, document.data).results
        for panel in document.state.panels:
            ours = results[panel.id].result.embedding
            given = {"view": "a"} if panel.method == "single" else {}
            wanted = embed(document.data, panel.method, recipe=recipe, n_components=12, epsilon="robust", **given)
            np.testing.assert_allclose(ours.eigenvalues, wanted.eigenvalues, rtol=0, atol=1e-10)
            assert ours.kernels[: len(wanted.kernels)] == wanted.kernels or panel.method == "pca"
            assert {k: v for k, v in ours.params.items() if k != "view"} == {
                k: v for k, v in wanted.params.items() if k != "view"
            } or panel.method in ("laplacian-mean", "pca")


def test_one_panel_alone_gets_pins_where_it_departs(document):
    before = document.state
    apply_recipe(document, "neighbours", "p1")
    assert document.undo_label == "Recipe of Kernel sum: Neighbours"
    assert pins_of(document)["kernel-sum"] == {
        "kernel:a": "knn-10@correlation", "kernel:b": "knn-10@correlation", "kernel:c": "knn-10",
        "self_loops": False, "unit_rows": True, "t": 0,
    }  # fmt: skip
    assert document.state.params == before.params
    apply_recipe(document, "sphere", "p2")
    assert pins_of(document)["multiview"] == {"unit_rows": True, "t": 0}
    apply_recipe(document, "sphere", "p5")
    assert pins_of(document)["pca"] == {"unit_rows": True}
    for id in ("p1", "p2", "p5"):
        apply_recipe(document, "paper", id)
    assert document.state == before


def test_one_panel_as_in_the_paper_beside_others_that_are_not(document):
    apply_recipe(document, "sphere")
    apply_recipe(document, "paper", "p1")
    assert pins_of(document)["kernel-sum"] == {"self_loops": True, "unit_rows": False, "t": 1}
    results = compute(document.state, document.data).results
    wanted = embed(document.data, "kernel-sum", n_components=12)
    np.testing.assert_array_equal(results["p1"].result.embedding.eigenvalues, wanted.eigenvalues)


def test_pins_of_what_a_recipe_decides_give_way_and_others_stay(document):
    commands.pin(document, "p1", "t", 3)
    commands.pin(document, "p1", "alpha", 1.0)
    commands.pin(document, "p1", "kernel:a", "laplacian")
    apply_recipe(document, "sphere")
    assert pins_of(document)["kernel-sum"] == {"alpha": 1.0}


def test_an_epsilon_in_the_unit_of_another_metric_gives_way_to_the_rule(document):
    commands.set_epsilon(document, "a", "median/9")
    commands.set_epsilon(document, "a", 2.5)
    commands.set_epsilon(document, "c", 1.5)
    commands.pin(document, "p1", "epsilon:b", 4.0)
    commands.pin(document, "p2", "epsilon:b", "median")
    said = apply_recipe(document, "neighbours")
    assert said.endswith("ε of a is chosen by median/9, since distances have another unit.")
    assert [v.epsilon for v in document.state.views] == ["median/9", "robust", 1.5]
    assert "epsilon:b" not in pins_of(document)["kernel-sum"]
    assert pins_of(document)["multiview"] == {"epsilon:b": "median", "self_loops": True}


def test_an_epsilon_of_one_panel_gives_way_too(document):
    commands.set_epsilon(document, "a", 2.5)
    commands.pin(document, "p1", "epsilon:b", 4.0)
    said = apply_recipe(document, "neighbours", "p1")
    assert said.endswith("ε of a and b is chosen by robust, since distances have another unit.")
    pins = pins_of(document)["kernel-sum"]
    assert (pins["epsilon:a"], "epsilon:b" in pins, "epsilon:c" in pins) == ("robust", False, False)
    assert document.state.view("a").epsilon == 2.5


def test_landmarks_and_given_affinities_stay_and_landmarks_keep_their_loops(document):
    commands.set_kernel(document, "a", "landmarks-20")
    commands.set_kernel(document, "b", "precomputed")
    assert apply_recipe(document, "sphere") == "View “a” by landmarks: self-loops are kept."
    assert [v.kernel for v in document.state.views] == ["landmarks-20", "precomputed", "gaussian"]
    assert pins_of(document)["kernel-sum"] == {"self_loops": True}
    assert apply_recipe(document, "neighbours").startswith("View “b” keeps the distances of its own kernel.")
    assert [v.kernel for v in document.state.views] == ["knn-10@correlation", "precomputed", "knn-10"]


def test_views_that_are_not_ticked_stay_unless_a_panel_shows_them(document):
    commands.tick_view(document, "b", False)
    apply_recipe(document, "neighbours")
    assert document.state.view("b").kernel == "gaussian"
    document.undo()
    commands.change_panel(document, "p0", "Show b", view="b")
    apply_recipe(document, "neighbours")
    assert document.state.view("b").kernel == "knn-10@correlation"


def test_a_panel_that_is_gone_or_no_data_is_no_edit(document):
    before = document.state
    assert apply_recipe(document, "sphere", "p99") == ""
    assert document.state == before
    assert apply_recipe(Document(), "sphere") == ""


def test_a_session_brings_the_values_back(document, tmp_path):
    apply_recipe(document, "neighbours")
    path = tmp_path / "s.mvx.json"
    save_session(path, document.state, document.data, "1.2.3", {})
    assert open_session(path).state == document.state
    assert "recipe" not in path.read_text("utf-8")


@pytest.mark.parametrize("recipe", ["sphere", "neighbours"])
def test_a_script_makes_the_same_arrays(document, tmp_path, recipe):
    apply_recipe(document, recipe)
    finished = compute(document.state, document.data)
    text = session_code(document.state, document.data, finished.results, tmp_path / "script.py")
    assert "recipe" not in text
    space = {"__file__": str(tmp_path / "script.py"), "__name__": "__main__"}
    exec(compile(text, "script.py", "exec"), space)
    for panel, embedding in zip(document.state.panels, space["panels"].values(), strict=True):
        wanted = finished.results[panel.id].result.embedding
        assert embedding.kernels == wanted.kernels
        np.testing.assert_allclose(embedding.coordinates, wanted.coordinates, rtol=0, atol=1e-10)


def test_captions_name_the_values(document):
    apply_recipe(document, "neighbours")
    finished = compute(document.state, document.data)
    record = document_record(finished.state, finished.data, "", finished.results.__getitem__, None)
    captions = {panel["method"]: panel_caption(panel, record) for panel in record["panels"]}
    assert "kernel of 10, correlation metric" in captions["kernel-sum"]
    assert "unit rows" in captions["kernel-sum"]
    assert "t = 0" in captions["kernel-sum"]
    print(captions)


def test_small_data_takes_every_recipe():
    made = opened()
    for recipe in ("sphere", "neighbours", "paper"):
        apply_recipe(made, recipe)
        results = compute(made.state, made.data).results
        assert all(results[p.id].error is None for p in made.state.panels)


def test_a_method_without_the_view_it_had_is_left_alone(document):
    gone = updated(document.state.panel("p0"), {"view": "gone"})
    document.reset(document.state.with_panel("p0", view=gone.view), document.data)
    apply_recipe(document, "sphere", "p0")
    assert pins_of(document)["single"] == {"self_loops": False, "unit_rows": True, "t": 0}
