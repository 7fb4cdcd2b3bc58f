"""Preprocessing in the document: undone, saved, refused with the document untouched."""

import numpy as np
import pytest
from inline import opened

from mvexplorer.datasets.loading import load_source
from mvexplorer.errors import DataError, SessionError
from mvexplorer.state.document import commands
from mvexplorer.state.document.titles import preprocess_words
from mvexplorer.state.session.session import open_session, save_session


@pytest.fixture
def document():
    return opened()


def test_principal_components_are_undone_with_the_weights_that_they_drop(document):
    features = document.data.Xs[0].shape[1]
    commands.apply_weights(document, "v1", [2.0] * features)
    commands.set_preprocess(document, "v1", "unit")
    assert document.data.feature_weights[0] is not None
    commands.set_preprocess(document, "v1", "pca:1")
    assert (document.state.view("v1").weights, document.data.feature_weights[0]) == (None, None)
    assert document.data.width(0) == 1
    document.undo()
    assert document.state.view("v1").weights == (2.0,) * features
    assert document.data.preprocess[0] == "unit"


@pytest.mark.parametrize("how", ["pca:99", "log1p", "scale", "pca:0"])
def test_what_a_view_does_not_admit_changes_nothing(document, how):
    state, data = document.state, document.data
    with pytest.raises(DataError):
        commands.set_preprocess(document, "v1", how)
    assert (document.state, document.data) == (state, data)


@pytest.mark.parametrize("how", ["unit", "log1p", "pca:2"])
def test_a_session_keeps_it(tmp_path, how):
    path = tmp_path / "data.npz"
    np.savez(path, a=np.random.default_rng(0).random((12, 4)), b=np.random.default_rng(1).random((12, 3)))
    loaded = load_source(str(path), preprocess=(how, "none"))
    state = commands.initial_state(loaded.data, loaded.sources, None, reading=loaded.options)
    save_session(tmp_path / "s.mvx.json", state, loaded.data, "1")
    again = open_session(tmp_path / "s.mvx.json")
    assert again.data.preprocess == (how, "none")
    assert again.state.view("a").preprocess == how
    if how != "unit":
        # The data has changed and admits it no more: what is drawn must not differ from what the state says.
        np.savez(path, a=np.full((12, 1), -1.0), b=np.zeros((12, 3)))
        with pytest.raises(SessionError, match="View “a” h"):
            open_session(tmp_path / "s.mvx.json", accept_changed=True)


def test_words():
    assert [preprocess_words(how) for how in ("none", "unit", "log1p", "pca:20")] == [
        "raw", "unit range", "log(1 + x)", "PCA to 20",
    ]  # fmt: skip
