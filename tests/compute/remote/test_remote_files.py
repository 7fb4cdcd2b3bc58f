"""Views in files on their way to a worker: the file's name travels, and it must be the same file there."""

import copy
import os
import pickle

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.compute.remote.remote_files import DataInFiles, whole_data, without_maps
from mvexplorer.engine.core.maps import is_map
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import ComputeError, DataError, FileChangedError
from mvexplorer.io.base import mapping
from mvexplorer.io.base.converted import taken


@pytest.fixture
def data(tmp_path):
    rng = np.random.default_rng(0)
    for name, order in (("rows", "C"), ("columns", "F")):
        np.save(tmp_path / f"{name}.npy", np.asarray(rng.normal(size=(3000, 5)), np.float32, order=order))
    maps = {name: np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in ("rows", "columns")}
    return MultiView(maps | {"small": rng.normal(size=(3000, 2))}, labels=np.arange(3000) % 3)


def test_names_travel_in_place_of_numbers(data):
    sent = pickle.dumps(without_maps(data, 0))
    assert len(sent) < 3000 * (2 * 8 + 40)
    there = whole_data(pickle.loads(sent))
    assert there.fingerprint == data.fingerprint
    assert [is_map(X) for X in there.Xs] == [True, True, False]
    for X, given in zip(there.Xs, data.Xs, strict=True):
        np.testing.assert_array_equal(X, given)
    assert there.replace(labels=None).Xs is there.Xs, "they are not looked through again"


def test_a_pickle_names_files_and_does_not_read_them(data):
    found = mvx.embed(data, "multiview", views=["rows", "columns"], kernel="landmarks-20", epsilon=9.0)
    samples = 3000 * (2 * 8 + 40)
    for there in (data, found):
        assert len(pickle.dumps(there)) < samples + 8 * found.coordinates.size * 3
    there = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(there.transform(data.take(range(9))), found.transform(data.take(range(9))))
    assert copy.copy(data).Xs[0].path == data.Xs[0].path


def test_a_file_in_the_place_of_another_is_not_taken_for_it(data, tmp_path):
    np.save(tmp_path / "new.npy", np.ones((3000, 5), np.float32))
    (tmp_path / "new.npy").replace(tmp_path / "rows.npy")
    with pytest.raises(FileChangedError, match=r"“rows.npy” was changed by another program\. Open it again\."):
        pickle.dumps(data)


def test_a_file_without_a_name_travels_as_its_numbers(data, tmp_path):
    fingerprint = data.fingerprint
    (tmp_path / "rows.npy").unlink()
    there = pickle.loads(pickle.dumps(data))
    assert isinstance(there.Xs[0], np.ndarray)
    assert there.fingerprint == fingerprint


def test_files_that_were_loaded_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(mapping, "MAP_FROM", 0)
    np.save(tmp_path / "one.npy", np.random.default_rng(0).normal(size=(3000, 50)))
    loaded = mvx.load(tmp_path / "one.npy")
    assert len(pickle.dumps(loaded)) < loaded.Xs[0].nbytes / 4


def test_data_in_memory_is_sent_as_it_is(data):
    inside = MultiView([np.array(X) for X in data.Xs])
    assert without_maps(inside, 0) is inside


def test_a_part_of_a_file_is_read_where_it_fits(data):
    part = data.take(np.arange(1000)).replace(Xs=[taken(X, np.arange(1000)) for X in data.Xs])
    sent = without_maps(part, 100_000)
    assert isinstance(sent, DataInFiles)
    assert whole_data(sent).fingerprint == part.fingerprint
    with pytest.raises(ComputeError, match=r"are no files of their own cannot be sent .* save the views as NPY"):
        without_maps(part, 1000)


@pytest.mark.parametrize("change", ["gone", "longer", "later"])
def test_another_file_is_told(data, tmp_path, change):
    sent, path = without_maps(data, 0), tmp_path / "rows.npy"
    if change == "gone":
        path.unlink()
    elif change == "longer":
        with path.open("ab") as file:
            file.write(b"more")
    else:
        os.utime(path, ns=(1, 1))
    with pytest.raises(DataError, match=r"rows\.npy cannot be read: .* use processes of this computer"):
        whole_data(sent)
