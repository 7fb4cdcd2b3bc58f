"""Every experiment opens as a document: its panels, pins and colours are of its data, and it survives a session."""

import pytest

from mvexplorer import __version__, load
from mvexplorer.datasets.calls import call_text, is_call
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import DataError
from mvexplorer.experiments.opening import document_of
from mvexplorer.experiments.table import EXPERIMENTS, find_experiment
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.colourings.derived import find_kind
from mvexplorer.state.pictures.requests import request_of
from mvexplorer.state.session.session import open_session, save_session
from mvexplorer.wording import source_title


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.id)
def test_what_a_document_names_is_in_its_data(experiment):
    state, data = document_of(experiment, Task())
    assert state.experiment == experiment.id
    assert {p.view for p in state.panels} <= {None, *data.view_names}
    assert {name.partition(":")[2] for p in state.panels for name in p.pins if ":" in name} <= set(data.view_names)
    assert set(experiment.views) <= set(data.view_names)
    known = {"", *(f"latent:{name}" for name in data.latent)} | ({"labels"} if data.labels is not None else set())
    kind, _ = find_kind(state.colour)
    assert state.colour in known or kind is not None
    if kind is not None:
        assert compute(state, data).colouring is not None
    for panel in state.panels:
        request_of(state, data, panel)


@pytest.mark.parametrize("id", ["lindenbaum2015-fig1", "yair2016-fig6", "lindenbaum2015-table3", "eynard2012-fig8"])
def test_a_saved_experiment_opens_again(id, tmp_path):
    """From a sample, from a generator with keywords of its own, and from waveforms that became sonograms."""
    state, data = document_of(find_experiment(id), Task())
    save_session(tmp_path / "a.mvx.json", state, data, __version__)
    opened = open_session(tmp_path / "a.mvx.json")
    assert opened.state == state
    assert opened.data.fingerprint == data.fingerprint


def test_generated_data_is_a_source_like_any_other():
    text = call_text("make_gaussian_mixture", {"clusters": (6, 3), "n_samples": 60})
    assert is_call(text)
    assert load(text).n_samples == 60
    assert source_title((text,)) == "Gaussian mixture, 6 and 3 clusters, 60 samples"


@pytest.mark.parametrize(("text", "said"), [
    ("make_tea()", "There is no generator called make_tea"),
    ("make_helix_a(turns=3)", "make_helix_a takes no keyword turns"),
    ("make_helix_a(n_samples=50001)", "50001 is no number of samples up to 50,000"),
    ("make_helix_a(n_samples=10**4)", "is no generator with its keywords"),
    ("make_helix_a(__import__('os').getcwd())", "is no generator with its keywords"),
    ("make_helix_a(n_samples=" + "(" * 300 + ")", "is no generator with its keywords"),
    ("make_toy_train(case='fog')", "There is no case"),
    ("make_helix_a(n_samples='many')", "many is no number of samples"),
    ("make_gaussian_mixture(clusters=6)", "cannot be made"),
])  # fmt: skip
def test_a_wrong_call_is_refused_and_nothing_is_executed(text, said):
    with pytest.raises(DataError, match=said.replace("(", r"\(").replace(")", r"\)")):
        load(text)
