"""A table in a file is indexed as an array is, and refuses to be read once its file is not the same any more."""

import os

import numpy as np
import pytest

from mvexplorer.engine.core import table_in_file
from mvexplorer.engine.core.table_in_file import TableInFile
from mvexplorer.errors import DataError, FileChangedError

ARRAY = np.random.default_rng(0).normal(size=(50, 7))
CHANGED = r"“a.npy” was changed by another program\. Open it again\."


def table_of(path, array):
    np.save(path, array)
    found = TableInFile.of(np.load(path, mmap_mode="r"))
    assert found is not None
    return found


INDICES = [
    slice(None), slice(3, 9), slice(None, None, -2), slice(9, 3), 3, -1, [1, 5, 5, 2], [], np.arange(50) % 3 == 0,
    (slice(None), 2), (slice(2, 40), [1, 3]), (slice(1, 5), slice(0, 2)), (4, 2), ([3, 1], 2),
]  # fmt: skip


@pytest.mark.parametrize("at_once", [0, 1 << 22])
@pytest.mark.parametrize("system", ["reads at a place", "knows a cursor"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_table_is_indexed_as_an_array_is(tmp_path, monkeypatch, order, system, at_once):
    for name in ("_GAP", "_BAND", "_BAND_OF_COLUMNS"):
        monkeypatch.setattr(table_in_file, name, at_once or 8 * 7 * 3)
    if system == "knows a cursor":
        monkeypatch.delattr(os, "preadv", raising=False)
    array = np.asarray(ARRAY, order=order)
    table = table_of(tmp_path / "a.npy", array)
    for index in INDICES:
        np.testing.assert_array_equal(table[index], array[index], str(index), strict=True)
    for index in INDICES[:3]:
        np.testing.assert_array_equal(table.T[index], array.T[index], str(index))
    np.testing.assert_array_equal(np.asarray(table), array)
    np.testing.assert_array_equal(np.asarray(table, np.float32), array.astype(np.float32))
    assert (table.shape, table.size, table.nbytes, len(table)) == (array.shape, array.size, array.nbytes, 50)


@pytest.mark.parametrize("index", [50, ([1, 2], [1, 2]), np.ix_([1], [2])])
def test_what_an_array_would_read_otherwise_is_refused(tmp_path, index):
    with pytest.raises(IndexError):
        table_of(tmp_path / "a.npy", ARRAY)[index]


def test_a_part_of_a_map_is_a_table(tmp_path):
    np.save(tmp_path / "a.npy", ARRAY)
    rows = TableInFile.of(np.load(tmp_path / "a.npy", mmap_mode="r")[4:9])
    assert rows is not None
    np.testing.assert_array_equal(rows, ARRAY[4:9])
    assert TableInFile.of(np.load(tmp_path / "a.npy", mmap_mode="r")[::2]) is None


def cut_off(path):
    os.truncate(path, 1000)


def save_again(path):
    np.save(path, ARRAY + 1.0)


def replace(path):
    np.save(path.with_name("b.npy"), ARRAY)
    path.with_name("b.npy").replace(path)


def touch(path):
    os.utime(path, ns=(1, 1))


@pytest.mark.parametrize("change", [cut_off, save_again, replace, touch])
def test_a_file_that_is_not_the_same_is_refused(tmp_path, change):
    table = table_of(tmp_path / "a.npy", ARRAY)
    os.utime(tmp_path / "a.npy", ns=(5, 5))
    table = TableInFile.of(np.load(tmp_path / "a.npy", mmap_mode="r"))
    change(tmp_path / "a.npy")
    for index in INDICES:
        with pytest.raises(FileChangedError, match=CHANGED) as caught:
            table[index]
        assert caught.value.path == str(tmp_path / "a.npy")
    with pytest.raises(FileChangedError, match=CHANGED):
        table.check_unchanged()


def test_a_file_that_is_moved_is_still_read(tmp_path):
    table = table_of(tmp_path / "a.npy", ARRAY)
    (tmp_path / "a.npy").rename(tmp_path / "b.npy")
    np.testing.assert_array_equal(table[:], ARRAY)
    (tmp_path / "b.npy").unlink()
    np.testing.assert_array_equal(table[:], ARRAY)


def test_what_the_system_refuses_to_read_is_a_sentence(tmp_path):
    table = table_of(tmp_path / "a.npy", ARRAY)
    folder = os.open(tmp_path, os.O_RDONLY)
    os.dup2(folder, table._descriptor)
    os.close(folder)
    with pytest.raises(DataError, match=r"“a.npy” cannot be read: .*directory\. Open it again\."):
        table[:]
