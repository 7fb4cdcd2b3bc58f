"""NPY and NPZ files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mvexplorer.errors import DataError
from mvexplorer.io.reading.files import read_files

QUICK = settings(deadline=None, derandomize=True, max_examples=50)
TABLE = np.arange(12.0).reshape(4, 3) ** 2


def save(folder: Path, name: str = "d.npz", **content: Any) -> Path:
    path = folder / name
    np.savez(path, **content)
    return path


def test_npy(tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", TABLE.astype(np.uint8))
    loaded = read_files([tmp_path / "one.npy"])
    assert loaded.data.view_names == ("one",)
    np.testing.assert_array_equal(loaded.data.Xs[0], TABLE)


def test_npy_vector_is_one_column(tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", np.arange(5))
    assert read_files([tmp_path / "one.npy"]).data.Xs[0].shape == (5, 1)


def test_npz_views_labels_ids_columns(tmp_path: Path) -> None:
    path = save(
        tmp_path,
        audio=TABLE,
        video=TABLE[:, :2].astype(np.float32),
        label=np.array([[1.0], [0.0], [1.0], [0.0]]),
        id=np.array(["p", "q", "r", "s"]),
        age=np.array([30, 40, 50, 60]),
        names=np.array(["u", "v"]),
        scale=np.float64(3),
        images=np.zeros((4, 5, 5), dtype=np.uint8),
    )
    loaded = read_files([path])
    data = loaded.data
    assert data.view_names == ("audio", "video")
    np.testing.assert_array_equal(data.labels, [1, 0, 1, 0])
    assert data.sample_ids == ("p", "q", "r", "s")
    np.testing.assert_array_equal(data.columns["age"], [30, 40, 50, 60])
    assert set(data.columns) == {"age"}
    assert data.images is not None
    assert any("array “names” has 2 values for 4 samples" in note for note in loaded.notes)


def test_npz_named_label_and_views(tmp_path: Path) -> None:
    path = save(tmp_path, a=TABLE, b=TABLE + 1, y=np.arange(4), kind=np.array([0, 0, 1, 1]))
    data = read_files([path], labels="kind", views=["b"]).data
    assert data.view_names == ("b",)
    np.testing.assert_array_equal(data.labels, [0, 0, 1, 1])
    np.testing.assert_array_equal(data.columns["y"], [0, 1, 2, 3])


def test_npz_sparse_matrix(tmp_path: Path) -> None:
    from scipy import sparse

    sparse.save_npz(tmp_path / "s.npz", sparse.csr_array(TABLE))
    np.testing.assert_array_equal(read_files([tmp_path / "s.npz"]).data.Xs[0], TABLE)


def test_different_row_counts(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="different numbers of rows: a has 4, b has 3"):
        read_files([save(tmp_path, a=TABLE, b=TABLE[:3])])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"a": np.array([["x", "y"]] * 3)}, "Array “a” of “d.npz” holds text where numbers belong."),
        ({"a": TABLE * 1j}, "holds complex numbers where numbers belong"),
        ({"a": np.zeros((2, 3, 4))}, "Array “a” of “d.npz” has 3 dimensions"),
        ({"a": np.zeros((3, 2), dtype=[("x", float)])}, "holds records where numbers belong"),
        ({"a": np.array([[1, "x"]] * 3, dtype=object)}, "holds Python objects instead of numbers"),
        ({"labels": np.arange(4)}, "There is no table of numbers in “d.npz”"),
        ({"a": TABLE[:2]}, "The data has 2 samples"),
        ({}, "There is no table of numbers"),
    ],
)
def test_bad_npz(tmp_path: Path, content: dict[str, Any], sentence: str) -> None:
    with pytest.raises(DataError, match=sentence) as caught:
        read_files([save(tmp_path, **content)])
    assert caught.value.hint


@pytest.mark.parametrize("name", ["d.npy", "d.npz"])
@pytest.mark.parametrize("content", [b"hello", b"PK\x03\x04 broken", b"\x93NUMPY\x01\x00broken", b"\x00" * 64])
def test_damaged_files(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=f"The file “{name}” "):
        read_files([tmp_path / name])


def test_an_archive_with_a_password_is_called_so(tmp_path: Path) -> None:
    np.savez(tmp_path / "p.npz", X=np.eye(4))
    content = bytearray((tmp_path / "p.npz").read_bytes())
    for mark, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        content[content.find(mark) + flags] |= 1
    (tmp_path / "p.npz").write_bytes(content)
    with pytest.raises(DataError, match=r"“p.npz” is protected by a password. Unpack it"):
        read_files([tmp_path / "p.npz"])


def test_cut_off_archive(tmp_path: Path) -> None:
    path = save(tmp_path, a=TABLE)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DataError, match="is damaged"):
        read_files([path])


def test_wrong_kind_of_numpy_file(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.save(buffer, TABLE)
    (tmp_path / "d.npz").write_bytes(buffer.getvalue())
    with pytest.raises(DataError, match="is not an archive"):
        read_files([tmp_path / "d.npz"])
    save(tmp_path, "e.npz", a=TABLE).rename(tmp_path / "e.npy")
    with pytest.raises(DataError, match="is not a single array"):
        read_files([tmp_path / "e.npy"])


def test_missing_numbers_are_dropped_in_all_views(tmp_path: Path) -> None:
    a, b = TABLE.copy(), np.ones((4, 2)) * np.arange(4)[:, None]
    a[1, 2] = np.nan
    b = np.vstack([b, [9, 9]])
    a = np.vstack([a, [1, np.inf, 1]])
    loaded = read_files([save(tmp_path, a=a, b=b, label=np.arange(5))], drop_missing=True)
    np.testing.assert_array_equal(loaded.data.Xs[1][:, 0], [0, 2, 3])
    np.testing.assert_array_equal(loaded.data.labels, [0, 2, 3])
    assert any("2 of 5 samples lack a number" in note for note in loaded.notes)


@QUICK
@given(
    table=arrays(
        st.sampled_from([np.float64, np.float32, np.int16, np.uint8]),
        st.tuples(st.integers(3, 8), st.integers(2, 6)),
        elements=st.integers(0, 200),
    ),
    labels=st.lists(st.integers(0, 3), min_size=8, max_size=8),
)
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, table: np.ndarray, labels: list[int]) -> None:
    path = save(tmp_path_factory.mktemp("npz"), v=table, labels=np.array(labels[: len(table)]))
    data = read_files([path]).data
    np.testing.assert_array_equal(data.Xs[0], table.astype(float))
    np.testing.assert_array_equal(data.labels, labels[: len(table)])


def test_two_columns_are_turned_where_that_is_asked_for(tmp_path: Path) -> None:
    np.save(tmp_path / "thin.npy", np.arange(20.0).reshape(10, 2))
    with pytest.raises(DataError, match="The data has 2 samples"):
        read_files([tmp_path / "thin.npy"], transpose=True)
    assert read_files([tmp_path / "thin.npy"], transpose=False).data.n_samples == 10
    np.save(tmp_path / "wide.npy", np.arange(20.0).reshape(2, 10))
    assert read_files([tmp_path / "wide.npy"], transpose=True).data.n_samples == 10
