"""A view's metric in a document: edits and undo, sessions, scripts, captions, rings around a kept sample."""

import numpy as np
import pytest
from inline import opened

from mvexplorer.datasets.loading import load_source
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.kernels.affinities import parse_kernel
from mvexplorer.errors import ParameterError
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.export.captions import panel_caption
from mvexplorer.state.export.record import document_record
from mvexplorer.state.export.script.session import session_code
from mvexplorer.state.pictures.near_kept import _telling
from mvexplorer.state.session.session import open_session, save_session

M = 50


@pytest.fixture
def document(tmp_path):
    """Two files of three columns, and panels of their fusions, the first view with the metric correlation."""
    drawn, paths = np.random.default_rng(3), []
    for name in ("a.csv", "b.csv"):
        X = drawn.normal(size=(M, 4)) + 2.0 * (np.arange(M) % 2)[:, None] * np.array([1.0, -1.0, 0.5, 2.0])
        header = ",".join([*(f"{name[0]}{k}" for k in range(4)), "kind"])
        np.savetxt(tmp_path / name, np.c_[X, np.arange(M) % 2], delimiter=",", header=header, comments="")
        paths.append(str(tmp_path / name))
    loaded = load_source(paths, labels="kind")
    made = Document()
    state = commands.initial_state(loaded.data, loaded.sources, loaded.manifest, reading=loaded.options)
    panels = tuple(
        commands.new_panel(m, f"p{i}") for i, m in enumerate(("single", "multiview", "concatenation", "pca"))
    )
    made.reset(state.model_copy(update={"panels": panels}), loaded.data)
    commands.set_kernel(made, "a", "gaussian@correlation")
    commands.pin(made, "p1", "kernel:b", "knn-9@cosine")
    return made


def test_setting_and_undoing_it_is_one_edit():
    made = opened()
    commands.set_kernel(made, "v1", "Laplacian@Cosine")
    assert (made.state.view("v1").kernel, made.undo_label) == ("laplacian@cosine", "Kernel of v1: laplacian@cosine")
    made.undo()
    assert made.state.view("v1").kernel == "gaussian"
    made.redo()
    assert made.state.view("v1").kernel == "laplacian@cosine"
    with pytest.raises(ParameterError, match="There is no metric “l1” of view “v1”"):
        commands.set_kernel(made, "v1", "gaussian@l1")
    with pytest.raises(ParameterError, match="The kernel precomputed of view “v1” cannot have the metric cosine"):
        commands.set_kernel(made, "v1", "precomputed@cosine")


def test_computing_by_another_kernel_keeps_the_metrics():
    made = opened()
    commands.set_kernel(made, "v1", "gaussian@cosine")
    commands.compute_by(made, "knn-12", None)
    assert [view.kernel for view in made.state.views] == ["knn-12@cosine", "knn-12"]
    commands.compute_by(made, "landmarks-20@correlation", None)
    assert {view.kernel for view in made.state.views} == {"landmarks-20@correlation"}
    commands.compute_by(made, "correlation", None)
    assert {view.kernel for view in made.state.views} == {"correlation"}


def test_panels_compute_with_the_metric_of_their_views(document):
    results = compute(document.state, document.data).results
    used = {id: results[id].result.embedding.kernels for id in ("p0", "p1", "p2", "p3")}
    assert used == {
        "p0": ("gaussian@correlation",), "p1": ("gaussian@correlation", "knn-9@cosine"),
        "p2": ("gaussian@correlation", "gaussian"), "p3": ("gaussian",) * len(used["p3"]),
    }  # fmt: skip
    expected = embed(document.data, "multiview", kernel={"b": "knn-9"}, metric="a:correlation,b:cosine",
                     epsilon=results["p1"].result.embedding.epsilon, n_components=12)  # fmt: skip
    np.testing.assert_allclose(results["p1"].result.embedding.eigenvalues, expected.eigenvalues, rtol=0, atol=1e-10)


def test_a_session_brings_it_back(document, tmp_path):
    path = tmp_path / "s.mvx.json"
    save_session(path, document.state, document.data, "1.2.3", {})
    again = open_session(path)
    assert again.state == document.state
    assert again.state.view("a").kernel == "gaussian@correlation"
    assert again.state.panel("p1").pins["kernel:b"] == "knn-9@cosine"


def test_a_script_makes_the_same_arrays(document, tmp_path):
    finished = compute(document.state, document.data)
    text = session_code(document.state, document.data, finished.results, tmp_path / "script.py")
    assert "gaussian@correlation" in text
    assert "knn-9@cosine" in text
    space = {"__file__": str(tmp_path / "script.py"), "__name__": "__main__"}
    exec(compile(text, "script.py", "exec"), space)
    for panel, embedding in zip(document.state.panels, space["panels"].values(), strict=True):
        wanted = finished.results[panel.id].result.embedding
        assert embedding.kernels == wanted.kernels
        np.testing.assert_allclose(embedding.coordinates, wanted.coordinates, rtol=0, atol=1e-10)


def test_captions_and_records_name_it_where_it_has_an_effect(document):
    finished = compute(document.state, document.data)
    record = document_record(finished.state, finished.data, "", finished.results.__getitem__, None)
    captions = {panel["method"]: panel_caption(panel, record) for panel in record["panels"]}
    assert "a (raw, Gaussian kernel, correlation metric, ε = " in captions["single"]
    assert "b (raw, Gaussian on nearest neighbours kernel of 9, cosine metric, ε = " in captions["multiview"]
    assert "a (raw, correlation metric, ε = " in captions["concatenation"]
    assert "metric" not in captions["pca"]
    told = {p["method"]: [v.get("metric") for v in p["views"]] for p in record["panels"]}
    assert told["concatenation"] == ["correlation", None]
    assert told["multiview"] == ["correlation", "cosine"]


class Near:
    """Distances that are known of all views."""

    def __init__(self, *names):
        self.views = dict.fromkeys(names)


def test_a_panel_whose_metric_is_another_rings_nothing_by_that_view():
    made = opened()
    panel = next(p.id for p in made.state.panels if p.method == "multiview")
    telling = lambda: _telling(made.state, made.state.panel(panel), Near("v1", "v2"))  # noqa: E731
    assert telling() == ["v1", "v2"]
    commands.pin(made, panel, "kernel:v1", "gaussian@cosine")
    assert telling() == ["v2"]
    commands.set_kernel(made, "v1", "laplacian-l2@cosine")
    assert telling() == ["v1", "v2"], "the same distances again"
    commands.set_kernel(made, "v1", "gaussian")
    assert telling() == ["v2"]


def test_every_known_text_of_a_kernel_stays_what_it_was():
    for text in ("gaussian", "laplacian", "knn-12", "knn", "landmarks-500", "self-tuning-15", "precomputed"):
        assert parse_kernel(text).text == text
        assert parse_kernel(text).metric == "euclidean"


def test_data_in_memory_has_its_metric_in_a_sweep_of_pictures():
    data = MultiView(np.random.default_rng(0).normal(size=(2, 40, 4)))
    state = commands.initial_state(data, ("memory",), None).with_view("view1", kernel="gaussian@cosine")
    panels = (commands.new_panel("kernel-sum", "p1"),)
    finished = compute(state.model_copy(update={"panels": panels}), data)
    assert finished.results["p1"].result.embedding.kernels == ("gaussian@cosine", "gaussian")
