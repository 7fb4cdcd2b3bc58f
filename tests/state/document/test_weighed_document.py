"""View weights in the document: commands and undo, sessions old and new, pins, scripts, captions, drags."""

import json

import numpy as np
import pytest
from engine import dense

import mvexplorer as mvx
from mvexplorer.compute.batch.axes import axes
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import ParameterError
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document import commands
from mvexplorer.state.document.axis import at_value, present_value
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.model import DocumentState, default_params, param_sections
from mvexplorer.state.document.titles import panel_title
from mvexplorer.state.document.view_weights import (
    set_view_weight,
    weigh_by_volume,
    weigh_views,
    weights_to_pin,
    without_weights,
)
from mvexplorer.state.export.captions import panel_caption
from mvexplorer.state.export.record import document_record
from mvexplorer.state.export.script.panels import panel_codes
from mvexplorer.state.pictures.anchors import moved
from mvexplorer.state.pictures.requests import request_of
from mvexplorer.state.pictures.weights_on_show import weights_on_show
from mvexplorer.wording import number


def data_of(names=("fou", "fac", "mor")):
    Xs, _ = dense.views(30, len(names))
    return MultiView(Xs, view_names=names)


def document_of(data, *methods):
    document = Document()
    panels = tuple(commands.new_panel(method, f"p{i}") for i, method in enumerate(methods))
    state = commands.initial_state(data, ("memory",), None).model_copy(update={"panels": panels})
    document.reset(state, data)
    return document


@pytest.fixture
def document():
    return document_of(data_of(), "kernel-sum", "multiview", "de-sa")


def asked(document, place=0):
    state = document.state
    return request_of(state, document.data, state.panels[place]).plan.params.get("view_weights")


def test_a_weight_is_an_edit_of_its_view(document):
    assert asked(document) is None
    set_view_weight(document, "fou", 2.0, interactive=True)
    set_view_weight(document, "fou", 2.5, interactive=True)
    document.end_merge()
    assert (asked(document), asked(document, 1), asked(document, 2)) == ("2.5,1.0,1.0", "2.5,1.0,1.0", None)
    assert document.state.weighing
    commands.tick_view(document, "mor", False)
    assert asked(document) == "2.5,1.0"
    weigh_views(document, False)
    assert asked(document) is None
    document.undo()
    document.undo()
    document.undo()
    assert (asked(document), document.state.weighing) == (None, False)


@pytest.mark.parametrize("weight", [0.0, -1.0, float("nan"), float("inf")])
def test_wrong_weights_change_nothing(document, weight):
    before = document.state
    with pytest.raises(ParameterError, match=r"The weight of fou cannot be .* Give a number above 0, or untick"):
        set_view_weight(document, "fou", weight)
    assert document.state is before


def test_sessions_keep_weights_and_old_ones_open(document):
    set_view_weight(document, "mor", 0.5)
    text = document.state.model_dump_json()
    assert DocumentState.model_validate_json(text) == document.state
    old = json.loads(text)
    for view in old["views"]:
        del view["view_weight"]
    del old["weighing"]
    old["views"][1]["enabled"] = False
    old["params"]["view_weights"] = "3,0"
    opened = DocumentState.model_validate(old)
    assert [v.view_weight for v in opened.views] == [3.0, 1.0, 0.0]
    assert opened.weighing
    assert "view_weights" not in opened.params
    old["params"]["view_weights"] = None
    assert not DocumentState.model_validate(old).weighing
    for hostile in ({"views": 5}, {"params": {**old["params"], "view_weights": "__import__('os')"}}):
        with pytest.raises(ValueError, match=r"tuple|cannot be"):
            DocumentState.model_validate({**old, "params": {**old["params"], "view_weights": "1,2"}, **hostile})


def test_a_panel_keeps_weights_of_its_own(document):
    set_view_weight(document, "fou", 2.0)
    panel = document.state.panels[0]
    commands.pin(document, panel.id, "view_weights", weights_to_pin(document.state))
    set_view_weight(document, "fou", 9.0)
    commands.tick_view(document, "fac", False)
    assert (asked(document), asked(document, 1)) == ("2.0,1.0", "9.0,1.0")
    odd = document_of(data_of(("a:b", "c,d", "e")), "kernel-sum")
    set_view_weight(odd, "c,d", 4.0)
    commands.pin(odd, odd.state.panels[0].id, "view_weights", weights_to_pin(odd.state))
    assert asked(odd) == "1.0,4.0,1.0"


def test_captions_and_scripts_say_weights(document):
    set_view_weight(document, "fou", 2.0)
    set_view_weight(document, "mor", 0.5)
    state, data = document.state, document.data
    found = compute(state, data)
    record = document_record(state, data, "Data", found.results.__getitem__, None)
    told = [panel_caption(panel, record) for panel in record["panels"]]
    assert "fou (raw, weight 2.00, Gaussian kernel" in told[0]
    assert "weight" not in told[2]
    lines = "".join(panel_codes(state, data, found.results, state.panels)[0].lines({}))
    assert 'view_weights={"fou": 2, "mor": 0.5}' in lines
    weighed = found.results[state.panels[0].id].result.embedding.coordinates
    plain = compute(DocumentState.model_validate(dict(state) | {"views": [
        v.model_copy(update={"view_weight": 1.0}) for v in state.views]}), data)  # fmt: skip
    assert np.abs(weighed - plain.results[state.panels[0].id].result.embedding.coordinates).max() > 1e-6


def test_who_takes_no_weights(document):
    assert without_weights(document.state) == ["de Sa"]
    assert "view_weights" not in default_params()
    named = [p.name for s in param_sections(("jade", "kernel-sum", "multiview")) for p in s.params]
    assert "view_weights" not in named


def test_a_panel_without_a_view(document):
    set_view_weight(document, "mor", 4.0)
    id = commands.show_without(document, "p1", "fac")
    state = document.state
    panel = state.panel(id)
    assert [p.id for p in state.panels] == ["p0", "p1", id, "p2"]
    made = request_of(state, document.data, panel).plan
    assert (made.method.id, made.views, made.params["view_weights"]) == ("multiview", ("fou", "mor"), "1.0,4.0")
    assert panel_title(state, panel) == "Multi-view without fac"
    again = commands.show_without(document, id, "fou")
    assert panel_title(document.state, document.state.panel(again)) == "Single · mor"
    found = compute(document.state, document.data)
    lines = "".join(panel_codes(document.state, document.data, found.results, document.state.panels)[2].lines({}))
    assert 'views=["fou", "mor"]' in lines
    assert 'view_weights={"mor": 4}' in lines
    assert DocumentState.model_validate_json(document.state.model_dump_json()) == document.state
    commands.set_method(document, id, "kernel-sum")
    assert document.state.panel(id).left_out == ()


def test_a_weight_is_swept(document):
    data, given = data_of(), {"epsilon": "median", "n_components": 2}
    data = data.replace(labels=np.arange(30) % 3)
    found = mvx.sweep(data, ["kernel-sum", "de-sa"], {"view_weight:mor": [0.5, 2]}, scores=["knn"], n_jobs=1,
                      view_weights={"fou": 3}, **given)  # fmt: skip
    for weight, method, score in found.select("view_weight:mor", "method", "knn").iter_rows():
        options = {"view_weights": {"fou": 3, "mor": weight}} if method == "kernel-sum" else {}
        plain = mvx.embed(data, method, **given, **options)
        assert score == pytest.approx(mvx.metrics.knn_accuracy(plain.coordinates, data.labels).value)
    with pytest.raises(ParameterError, match="One view's weight is swept, and the others are given by their places"):
        mvx.sweep(data, "kernel-sum", {"view_weight:mor": [1, 2]}, view_weights="1,2,3", **given)
    axis = axes([get_method("kernel-sum")], document.state.enabled)["view_weight:mor"]
    assert present_value(document.state, axis) == 1.0
    there = at_value(document.state, axis, 4.0)
    assert there.view("mor").view_weight == 4.0
    assert "view_weight:mor" not in axes([get_method("de-sa")], document.state.enabled)


def test_views_weighed_by_volume_are_one_step_of_undo():
    document = document_of(data_of(), "kernel-sum", "kernel-product", "de-sa", "laplacian-mean", "jade")
    set_view_weight(document, "fou", 3.0)
    weigh_by_volume(document, True)
    words = ["equal-volume", None, None, "equal-volume", None]
    assert [asked(document, place) for place in range(5)] == words
    assert without_weights(document.state) == ["Kernel product", "de Sa", "Joint diagonalisation"]
    assert {v.view_weight for v in document.state.views} == {1.0}
    assert DocumentState.model_validate_json(document.state.model_dump_json()) == document.state
    document.undo()
    assert asked(document) == "3.0,1.0,1.0"
    document.redo()
    set_view_weight(document, "fac", 2.0, in_effect={"fou": 0.51234, "fac": 1.2, "mor": 1.28766})
    assert (asked(document), document.state.equal_volume) == ("0.512,2.0,1.29", False)
    document.undo()
    weigh_by_volume(document, False)
    assert (asked(document), document.state.weighing) == (None, True)
    weigh_by_volume(document, True)
    weigh_views(document, False)
    assert (asked(document), document.state.equal_volume) == (None, False)


def test_sessions_from_before_know_no_volume(document):
    old = json.loads(document.state.model_dump_json())
    del old["equal_volume"]
    assert DocumentState.model_validate(old) == document.state


def test_a_panel_keeps_the_word(document):
    weigh_by_volume(document, True)
    state = document.state
    assert weights_to_pin(state, get_method("multiview")) == "equal-volume"
    assert weights_to_pin(state, get_method("kernel-product")) == "fou:1,fac:1,mor:1"
    commands.pin(document, "p0", "view_weights", "equal-volume")
    weigh_by_volume(document, False)
    assert (asked(document), asked(document, 1)) == ("equal-volume", None)
    assert DocumentState.model_validate_json(document.state.model_dump_json()) == document.state
    commands.set_method(document, "p0", "kernel-product")
    with pytest.raises(ParameterError, match="Kernel product has no equal-volume view weights"):
        asked(document)


def test_a_sweep_of_one_weight_leaves_equal_volume(document):
    weigh_by_volume(document, True)
    axis = axes([get_method("kernel-sum")], document.state.enabled)["view_weight:mor"]
    for there in (at_value(document.state, axis, 4.0), moved(document.state, "weight:mor", 4.0)):
        assert there.view_weights(there.enabled, ("equal-volume",)) == "1,1,4"
    data, given = document.data.replace(labels=np.arange(30) % 3), {"epsilon": "median", "n_components": 2}
    found = mvx.sweep(data, "kernel-sum", {"t": [1, 2]}, scores=["knn"], n_jobs=1, view_weights="equal-volume", **given)
    plain = mvx.embed(data, "kernel-sum", t=2, view_weights="equal-volume", **given)
    assert found["knn"][1] == pytest.approx(mvx.metrics.knn_accuracy(plain.coordinates, data.labels).value)
    with pytest.raises(ParameterError, match=r"One view's weight is swept, and the views have equal-volume weights. "):
        mvx.sweep(data, "kernel-sum", {"view_weight:mor": [1, 2]}, view_weights="equal-volume", **given)


def test_captions_scripts_and_the_window_say_the_weights_in_effect(document):
    weigh_by_volume(document, True)
    state, data = document.state, document.data
    found = compute(state, data)
    embedding = found.results["p0"].result.embedding
    expected = mvx.embed(data, "kernel-sum", epsilon=embedding.epsilon, n_components=12, view_weights="equal-volume")
    np.testing.assert_allclose(embedding.eigenvalues, expected.eigenvalues, atol=1e-12)
    told = weights_on_show(state, found.results)
    assert told.title == "Kernel sum"
    assert told.weights == {name: expected.info[f"view_weight:{name}"] for name in ("fou", "fac", "mor")}
    assert sum(told.shares.values()) == pytest.approx(1.0)
    record = document_record(state, data, "Data", found.results.__getitem__, None)
    caption = panel_caption(record["panels"][0], record)
    assert f"weight {number(told.weights['fou'])}" in caption
    assert "equal-volume view weights" in caption
    assert "equal volume" not in panel_caption(record["panels"][2], record)
    lines = "".join(panel_codes(state, data, found.results, state.panels)[0].lines({}))
    assert 'view_weights="equal-volume"' in lines
    assert weights_on_show(state, {}).title == ""
