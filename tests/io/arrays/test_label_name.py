"""What a label is called where it came from is not lost on the way through files of our own."""

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.io.arrays.archive import write_archive
from mvexplorer.state.document.commands import initial_state
from mvexplorer.state.session.session import save_session


@pytest.mark.parametrize("ending", ["npz", "mvx"])
def test_the_name_of_the_label_is_kept(tmp_path, ending):
    X = np.random.default_rng(0).normal(size=(30, 3))
    data = mvx.MultiView([X, X**2], labels=["b", "m"] * 15, label_name="befund")
    path = tmp_path / f"kept.{ending}"
    if ending == "npz":
        write_archive(data, path)
    else:
        save_session(path, initial_state(data, (), None), data, "mvexplorer")
    assert mvx.load(path).label_name == "befund"
    assert mvx.load(path).labels.tolist() == data.labels.tolist()
