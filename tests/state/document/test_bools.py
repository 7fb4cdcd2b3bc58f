"""True is no number: wherever one is taken, Python's and numpy's truth values are refused in a sentence."""

from __future__ import annotations

import json

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.errors import MVExplorerError, ParameterError
from mvexplorer.state.document.fresh import initial_state
from mvexplorer.state.document.model import DocumentState, PanelState, ViewState
from mvexplorer.state.session.session import open_session, save_session

TRUE = [True, np.bool_(True), np.array(True)]
EPSILON = [*TRUE, [True, 1.0], (1.0, np.bool_(True)), np.array([True, True]), {"a": 1.0, "b": True}, "true"]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    return mvx.MultiView({name: rng.normal(size=(30, 2)) for name in "ab"}, labels=np.repeat([0, 1], 15))


@pytest.fixture(scope="module")
def picture(data):
    return mvx.embed(data, "kernel-sum", epsilon=1.0)


@pytest.mark.parametrize("epsilon", EPSILON, ids=repr)
def test_no_epsilon_is_true(data, epsilon):
    for asks in (
        lambda: mvx.embed(data, "multiview", epsilon=epsilon),
        lambda: mvx.MultiViewEmbedding("multiview", epsilon=epsilon).fit(data),
        lambda: mvx.sweep(data, ["kernel-sum"], {"t": [1]}, epsilon=epsilon),
        lambda: mvx.null_test(data, "multiview", n=1, epsilon=epsilon),
    ):
        with pytest.raises(
            ParameterError, match=r"The bandwidth ε.* is .*[Tt]rue.*, not a number\. Give a number above 0"
        ):
            asks()


@pytest.mark.parametrize("rule", [True, np.bool_(False), 2])
def test_no_rule_is_true(data, rule):
    with pytest.raises(ParameterError, match=f"There is no bandwidth rule called “{rule}”. Rules: max-min"):
        mvx.select_epsilon(data, rule)


@pytest.mark.parametrize("value", TRUE, ids=repr)
def test_no_number_is_true(data, picture, value):
    for asks in (
        lambda: mvx.embed(data, "multiview", n_components=value),
        lambda: mvx.embed(data, "multiview", t=value),
        lambda: mvx.embed(data, "multiview", eta=value),
        lambda: mvx.embed(data, "multiview", subsample=value),
        lambda: mvx.select_epsilon(data, "max-min", C=value),
        lambda: mvx.sweep(data, ["kernel-sum"], {"epsilon_scale": [value]}),
        lambda: mvx.sweep(data, ["kernel-sum"], {"t": [1, value]}),
        lambda: mvx.null_test(data, "multiview", n=value),
        lambda: mvx.stability(data, "multiview", n=value),
        lambda: mvx.stability(data, "multiview", n=1, noise=value),
        lambda: mvx.agreement([picture, picture], value),
        lambda: mvx.transition_probabilities(picture, 0, value),
        lambda: mvx.independence(picture.coordinates, n_max=value),
        lambda: mvx.datasets.make_coupled_circles(variance=value),
        lambda: mvx.datasets.make_helix_a(n_samples=value),
    ):  # fmt: skip
        with pytest.raises(MVExplorerError, match=r"[Tt]rue|none"):
            asks()


@pytest.mark.parametrize("value", TRUE[:2], ids=repr)
def test_no_weight_and_no_kernel_is_true(data, value):
    with pytest.raises(ParameterError, match=r"View weights .* cannot be 'True,2.0'"):
        mvx.embed(data, "kernel-sum", view_weights=[value, 2.0])
    with pytest.raises(ParameterError, match="There is no kernel “True”"):
        mvx.embed(data, "multiview", kernel=value)


def test_flags_are_true_as_ever(data):
    assert mvx.embed(data, "kernel-cca", centred=True, epsilon=1.0).params["centred"] is True


@pytest.mark.parametrize("given", [1, 1.0, np.int64(1), np.float32(1.0), "1"], ids=repr)
def test_every_kind_of_number_is_taken(data, given):
    assert mvx.embed(data, "kernel-sum", epsilon=given, t=given).epsilon == (1.0, 1.0)


@pytest.mark.parametrize(
    "asks",
    [
        lambda: ViewState(name="a", epsilon=True),
        lambda: ViewState(name="a", view_weight=True),
        lambda: PanelState(id="p1", method="single", pins={"epsilon:a": True}),
        lambda: PanelState(id="p1", method="single", pins={"t": True}),
        lambda: DocumentState(epsilon_scale=True),
        lambda: DocumentState(random_state=True),
        lambda: DocumentState(subsample=True),
        lambda: DocumentState(params={"eta": True}),
    ],
)
def test_no_number_of_the_document_is_true(asks):
    with pytest.raises(ParameterError, match="is True, not a number"):
        asks()


@pytest.mark.parametrize("place", ["view", "document", "params"])
def test_a_session_that_says_true_for_a_number_is_refused(tmp_path, place):
    path, sample = tmp_path / "a.mvx.json", mvx.load("circles")
    save_session(path, initial_state(sample, ("circles",), None), sample, "1")
    text = json.loads(path.read_text(encoding="utf-8"))
    state = text["state"]
    where, name = {
        "view": (state["views"][0], "epsilon"),
        "document": (state, "epsilon_scale"),
        "params": (state["params"], "eta"),
    }[place]
    assert name in where
    where[name] = True
    path.write_text(json.dumps(text), encoding="utf-8")
    with pytest.raises(MVExplorerError, match="is True, not a number"):
        open_session(path)
