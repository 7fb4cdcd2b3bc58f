"""A panel of given coordinates in the document: linked, scored, drawn, saved and scripted like any other."""

import numpy as np
import pytest
from inline import circle_data, controlled, opened

from mvexplorer.engine.methods import get_method
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document import commands
from mvexplorer.state.document.fresh import OPENING_PANELS
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import panel_params, param_sections
from mvexplorer.state.document.titles import offered_panels, panel_title, pinnable
from mvexplorer.state.export.script.session import panel_script
from mvexplorer.state.session.session import open_session, save_session

UMAP = np.random.default_rng(0).normal(size=(40, 2))


def given_data():
    data = circle_data(40, 2)
    labels = np.arange(40) % 2
    return data.replace(
        labels=labels, coordinates={"X_umap": UMAP + 3.0 * labels[:, None], "tsne": np.c_[UMAP, UMAP[:, :1]]}
    )


@pytest.fixture
def document():
    made = opened(given_data(), panels=())
    commands.add_panel(made, "given", "X_umap")
    commands.add_panel(made, "given", "tsne")
    return made


def test_its_title_names_the_picture(document):
    assert [panel_title(document.state, panel) for panel in document.state.panels] == [
        "UMAP as published", "t-SNE as published",
    ]  # fmt: skip
    document.undo()
    assert len(document.state.panels) == 1


@pytest.mark.parametrize(("names", "shown"), [(("X_umap", "tsne"), "X_umap"), (("X_pca", "layout"), "layout")])
def test_data_opens_with_the_picture_that_came_with_it(names, shown):
    data = given_data().replace(coordinates=dict.fromkeys(names, UMAP))
    state = commands.initial_state(data, ("memory",), None)
    assert [panel.view for panel in state.panels if panel.method == "given"] == [shown]
    assert [panel.method for panel in state.panels][:3] == ["single", "single", "given"]
    assert len(state.panels) == OPENING_PANELS
    alone = commands.initial_state(data.replace(Xs=data.Xs[:1], view_names=data.view_names[:1],
        feature_names=data.feature_names[:1], preprocess=data.preprocess[:1]), ("memory",), None)  # fmt: skip
    assert [panel.method for panel in alone.panels] == ["single", "given"]
    without = commands.initial_state(data.replace(coordinates={}), ("memory",), None)
    assert "given" not in [panel.method for panel in without.panels]


def test_it_is_computed_scored_and_drawn(document):
    finished = compute(document.state, document.data)
    first, second = (finished.results[panel.id] for panel in document.state.panels)
    np.testing.assert_array_equal(first.result.embedding.coordinates, document.data.coordinates["X_umap"])
    assert first.drawing.points.shape == (40, 2)
    assert first.drawing.axis_names == ("UMAP 1", "UMAP 2")
    assert first.scores.knn.value > 0.9
    assert second.result.embedding.coordinates.shape == (40, 3)
    assert not first.diagnostics


def test_no_slider_and_no_view_changes_it(document):
    controller = controlled(document)
    controller.wait_idle()
    before = {id: found.result for id, found in controller.results.items()}
    for edit in (
        lambda: commands.set_param(document, "t", 4), lambda: commands.set_epsilon(document, "v1", 3.0),
        lambda: commands.set_scale(document, 2.0), lambda: commands.tick_view(document, "v1", False),
        lambda: commands.tick_view(document, "v2", False), lambda: commands.set_kernel(document, "v1", "knn-5"),
        lambda: commands.compute_by(document, None, 20),
    ):  # fmt: skip
        edit()
        controller.wait_idle()
        assert all(found.status == "ready" for found in controller.results.values())
    after = {id: found.result for id, found in controller.results.items()}
    assert all(after[id] is before[id] for id in before)
    controller.shutdown()


def test_it_offers_no_parameter(document):
    method, panel = get_method("given"), document.state.panels[0]
    assert pinnable(document.state, panel) == {}
    assert param_sections(("given",)) == ()
    assert panel_params(document.state, panel, method) == {"coordinates": "X_umap"}
    assert "coordinates" not in document.state.params


def test_it_is_offered_where_the_data_has_one(document):
    method = get_method("given")
    assert offered_panels(method, document.data) == [("UMAP as published", "X_umap"), ("t-SNE as published", "tsne")]
    assert offered_panels(method, circle_data(40)) == offered_panels(method, None) == []


def test_a_picture_that_is_gone_is_told(document):
    finished = compute(document.state, document.data.replace(coordinates={"tsne": UMAP}))
    first, second = (finished.results[panel.id] for panel in document.state.panels)
    assert "no coordinates called “X_umap”" in str(first.error)
    assert second.error is None


def test_a_session_and_a_script_keep_it(tmp_path, document):
    data = document.data
    np.savez(tmp_path / "d.npz", a=data.Xs[0], b=data.Xs[1], y=data.labels, umap=UMAP)
    from mvexplorer.datasets.loading import load_source

    loaded = load_source(str(tmp_path / "d.npz"), roles={"umap": "coordinates"})
    state = commands.initial_state(loaded.data, loaded.sources, None, reading=loaded.options)
    panel = updated(commands.new_panel("given", "g"), {"view": "umap"})
    state = updated(state, {"panels": (panel,)})
    save_session(tmp_path / "s.mvx.json", state, loaded.data, "1")
    again = open_session(tmp_path / "s.mvx.json")
    assert again.state.panels == (panel,)
    np.testing.assert_array_equal(again.data.coordinates["umap"], UMAP)
    space: dict = {}
    exec(panel_script(again.state, again.data, panel), space)
    np.testing.assert_array_equal(space["given_1"].coordinates, UMAP)
