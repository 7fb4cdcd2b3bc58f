"""HDF5 files, written by h5py: groups, texts, tables of columns, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from mvexplorer.errors import DataError
from mvexplorer.io.arrays.hdf5 import decode_arrays
from mvexplorer.io.base.converted import Room
from mvexplorer.io.base.guards import READ_LIMIT
from mvexplorer.io.base.wire import Blocks
from mvexplorer.io.reading.files import Loaded, read_files

M = 8
X = np.random.default_rng(0).normal(size=(M, 3))
NAMES = [f"s{i}" for i in range(M)]


def save(folder: Path, name: str = "d.h5", **content: Any) -> Path:
    with h5py.File(folder / name, "w") as file:
        for key, value in content.items():
            file[key.replace("__", "/")] = value
    return folder / name


def refusal(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        read_files([path])
    assert caught.value.hint
    assert "\n" not in str(caught.value)
    return str(caught.value)


def said(loaded: Loaded) -> str:
    return " ".join(map(str, loaded.notes))


def test_tables_are_views_and_vectors_belong_to_the_samples(tmp_path: Path) -> None:
    path = save(tmp_path, rna=X, size=(10 * X).astype("u2"), label=[i % 2 for i in range(M)], ids=NAMES, age=X[:, 0])
    data = read_files([path]).data
    assert data.view_names == ("rna", "size")
    np.testing.assert_array_equal(data.Xs[0], X)
    np.testing.assert_array_equal(data.Xs[1], (10 * X).astype("u2"))
    assert data.labels is not None
    assert data.labels.tolist() == [0, 1] * (M // 2)
    assert data.sample_ids == tuple(NAMES)
    np.testing.assert_array_equal(data.columns["age"], X[:, 0])


def test_numbered_tables_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    path = save(tmp_path, X1=X, X10=X + 1, X2=X + 2, label=np.arange(M) % 2)
    assert read_files([path]).data.view_names == ("X1", "X2", "X10")


def test_groups_are_flattened(tmp_path: Path) -> None:
    path = save(tmp_path, a__X=X, b__X=-X, meta__label=np.array(["x", "y"] * (M // 2), dtype="S1"))
    data = read_files([path]).data
    assert data.view_names == ("a/X", "b/X")
    assert data.labels is not None
    assert data.labels.tolist() == ["x", "y"] * (M // 2)


def test_samples_in_columns_are_turned_where_the_labels_say_so(tmp_path: Path) -> None:
    np.testing.assert_array_equal(read_files([save(tmp_path, X=X.T, y=np.arange(M))]).data.Xs[0], X)


def test_a_table_of_columns_of_several_kinds(tmp_path: Path) -> None:
    table = np.zeros(M, dtype=[("id", "S3"), ("width", "f8"), ("label", "i4")])
    table["id"], table["width"], table["label"] = NAMES, X[:, 0], np.arange(M) % 2
    data = read_files([save(tmp_path, cells=table, rna=X)]).data
    assert data.sample_ids == tuple(NAMES)
    np.testing.assert_array_equal(data.columns["width"], X[:, 0])


def test_what_is_neither_table_nor_vector_is_told(tmp_path: Path) -> None:
    path = save(tmp_path, X=X, version=3, cube=np.zeros((2, 2, 2)), empty=np.zeros((0, 3)), z=[1j] * M)
    with h5py.File(path, "a") as file:
        file["where"] = file["X"].ref
    loaded = read_files([path])
    assert loaded.data.view_names == ("X",)
    for name in ("version", "cube", "empty", "z", "where"):
        assert f"“{name}”" in said(loaded)


def test_a_file_of_matlab_is_read_as_one(tmp_path: Path) -> None:
    path = tmp_path / "m.h5"
    with h5py.File(path, "w", userblock_size=512) as file:
        file["X"] = X.T
        file["X"].attrs["MATLAB_class"] = np.bytes_("double")
    with path.open("r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file".ljust(128))
    np.testing.assert_array_equal(read_files([path]).data.Xs[0], X)


def test_links_to_other_files_are_not_followed(tmp_path: Path) -> None:
    other = save(tmp_path, "secret.h5", X=X)
    path = save(tmp_path, X=X)
    with h5py.File(path, "a") as file:
        file["more"] = h5py.ExternalLink(str(other), "/X")
    assert "which is not followed" in refusal(path)
    raw = save(tmp_path, "raw.h5", y=np.arange(M))
    with h5py.File(raw, "a") as file:
        file.create_dataset("X", (M, 3), "f8", external=[(str(other), 0, M * 24)])
    assert "which is not followed" in refusal(raw)


def test_a_group_within_itself_ends(tmp_path: Path) -> None:
    path = save(tmp_path, g__X=X, more=X)
    plain = read_files([path]).data
    with h5py.File(path, "a") as file:
        file["g/again"] = file["g"]
        file["g/all"] = h5py.SoftLink("/")
    again = read_files([path]).data
    assert (again.view_names, again.n_views) == (plain.view_names, 2)


def test_texts_that_unfold_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(READ_LIMIT, "0.01")
    path = save(tmp_path, X=X)
    with h5py.File(path, "a") as file:
        file.create_dataset("t", (100_000,), h5py.string_dtype(), chunks=(1000,), compression="gzip")
        file["t"][0] = "long " * 10_000
    assert "where 0.01 GB are the most" in refusal(path)


def test_damaged_files_and_other_kinds(tmp_path: Path) -> None:
    path = save(tmp_path, X=X)
    path.write_bytes(path.read_bytes()[:-200])
    assert "is damaged or cut off" in refusal(path)
    (tmp_path / "t.hdf5").write_text("a,b\n1,2\n")
    assert "is no HDF5 file" in refusal(tmp_path / "t.hdf5")


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A compressed table of 18 MB in a group, whose last chunks are cut by its edge."""
    table = np.random.default_rng(0).integers(0, 50, (2300, 1000)).astype(float)
    with h5py.File(tmp_path / "large.h5", "w") as file:
        file.create_dataset("rna/counts", data=table, compression="gzip", compression_opts=1, chunks=(130, 300))
    return tmp_path / "large.h5"


def test_a_large_table_is_decoded_in_blocks(large: Path) -> None:
    blocks = decode_arrays(Room(large))["rna/counts"]
    assert isinstance(blocks, Blocks)
    assert len([block.nbytes for block in blocks.decode() if block.nbytes < 1 << 23]) > 3
    with h5py.File(large) as file:
        np.testing.assert_array_equal(read_files([large]).data.Xs[0], file["rna/counts"][()])


def test_a_large_table_that_was_written_again_meanwhile_is_told(large: Path) -> None:
    """Fewer rows than were said would leave the reader waiting for the others."""
    blocks = decode_arrays(Room(large))["rna/counts"]
    with h5py.File(large, "w") as file:
        file.create_dataset("rna/counts", data=np.zeros((1000, 1000)), chunks=(130, 300))
    with pytest.raises(DataError, match="is damaged or cut off"):
        list(blocks.decode())


def test_damage_amid_a_large_table_is_told(large: Path) -> None:
    with h5py.File(large) as file:
        counts = file["rna/counts"]
        place = counts.id.get_chunk_info(counts.id.get_num_chunks() // 2)
    content = bytearray(large.read_bytes())
    content[place.byte_offset + 100 : place.byte_offset + 200] = bytes(100)
    large.write_bytes(content)
    assert "is damaged or cut off (OSError)" in refusal(large)
