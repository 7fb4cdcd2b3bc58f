"""Several files, labels of their own, and paths that cannot be read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mvexplorer.errors import DataError, MissingValuesError
from mvexplorer.io.reading.files import read_files
from mvexplorer.io.reading.inspection import inspect_files


def write(folder: Path, **files: str) -> list[Path]:
    paths = []
    for name, text in files.items():
        paths.append(folder / f"{name}.csv")
        paths[-1].write_text(text, encoding="utf-8")
    return paths


def test_one_view_per_file(tmp_path: Path) -> None:
    paths = write(tmp_path, a="x,z\n1,2\n3,4\n5,6\n", b="w\n1\n4\n9\n")
    np.save(tmp_path / "c.npy", np.eye(3))
    loaded = read_files([*paths, str(tmp_path / "c.npy")], preprocess=["none", "centre", "zscore"])
    assert loaded.data.view_names == ("a", "b", "c")
    assert [X.shape for X in loaded.data.Xs] == [(3, 2), (3, 1), (3, 3)]
    assert loaded.data.preprocess == ("none", "centre", "zscore")
    assert loaded.sources == tuple(str(tmp_path / name) for name in ("a.csv", "b.csv", "c.npy"))


def test_files_of_one_name_and_files_of_several_views(tmp_path: Path) -> None:
    for folder in ("left", "right"):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder, v="1\n2\n3\n")
    np.savez(tmp_path / "n.npz", p=np.eye(3), q=np.eye(3))
    paths = [tmp_path / "left" / "v.csv", tmp_path / "right" / "v.csv", tmp_path / "n.npz"]
    assert read_files(paths).data.view_names == ("v", "v-2", "n.p", "n.q")


def test_choosing_views(tmp_path: Path) -> None:
    paths = write(tmp_path, a="1,2\n3,4\n5,7\n", b="1\n2\n3\n", c="7\n8\n10\n")
    assert read_files(paths, views=["c", "a"]).data.view_names == ("c", "a")
    with pytest.raises(DataError, match="There is no view called “d”") as caught:
        read_files(paths, views=["d"])
    assert "a, b, c" in caught.value.hint


def test_different_row_counts(tmp_path: Path) -> None:
    paths = write(tmp_path, a="1\n2\n3\n", b="1\n2\n3\n4\n")
    with pytest.raises(DataError, match="different numbers of rows: a has 3, b has 4"):
        read_files(paths)
    with pytest.raises(DataError, match="different numbers of rows"):
        read_files(paths, drop_missing=True)


def test_rows_follow_the_names_of_the_first_file(tmp_path: Path) -> None:
    paths = write(tmp_path, a="id,x\nr,1\ns,2\nt,3\n", b="id,w,label\nt,30,7\nr,10,5\ns,20,6\n")
    loaded = read_files(paths)
    np.testing.assert_array_equal(loaded.data.Xs[1].ravel(), [10, 20, 30])
    np.testing.assert_array_equal(loaded.data.labels, [5, 6, 7])
    assert any("b.csv: the rows were put into the order of a.csv" in note for note in loaded.notes)


def test_files_of_other_samples(tmp_path: Path) -> None:
    paths = write(tmp_path, a="id,x\nr,1\ns,2\nt,3\n", b="id,w\nr,30\ns,10\nz,20\n")
    with pytest.raises(DataError, match=r"“b.csv” names other samples than “a.csv”, for example “t”"):
        read_files(paths)


def test_labels_must_agree(tmp_path: Path) -> None:
    same = write(tmp_path, a="x,label\n1,0\n2,1\n3,1\n", b="w,label\n1,0\n2,1\n4,1\n")
    loaded = read_files(same)
    np.testing.assert_array_equal(loaded.data.labels, [0, 1, 1])
    assert sum("was taken as the label" in note for note in loaded.notes) == 1
    other = write(tmp_path, a="x,label\n1,0\n2,1\n3,1\n", b="w,label\n1,1\n2,0\n4,1\n")
    with pytest.raises(DataError, match=r"The labels in “b.csv” differ"):
        read_files(other)


@pytest.mark.parametrize("text", ["0\n1\n1\n", "label\n0\n1\n1\n", "id,label\na,0\nb,1\nc,1\n"])
def test_labels_in_a_file_of_their_own(tmp_path: Path, text: str) -> None:
    paths = write(tmp_path, a="1,2\n3,4\n5,7\n", kinds=text)
    data = read_files(paths[:1], labels=str(paths[1])).data
    np.testing.assert_array_equal(data.labels, [0, 1, 1])


@pytest.mark.parametrize("name", ["labels", "gt", "Class"])
def test_a_file_called_labels_among_the_views(tmp_path: Path, name: str) -> None:
    paths = write(tmp_path, a="1,2\n3,4\n5,7\n", **{name: "0\n1\n1\n"})
    loaded = read_files(paths)
    assert loaded.data.view_names == ("a",)
    np.testing.assert_array_equal(loaded.data.labels, [0, 1, 1])


@pytest.mark.parametrize("text", ["cat\ndog\ncat\n", "species\ncat\ndog\ncat\n", '"cat"\n"dog"\n"cat"\n'])
def test_text_alone_is_the_label(tmp_path: Path, text: str) -> None:
    paths = write(tmp_path, a="1,2\n3,4\n5,7\n", kinds=text)
    for data in (read_files(paths).data, read_files(paths[:1], labels=str(paths[1])).data):
        assert np.asarray(data.labels).tolist() == ["cat", "dog", "cat"]


def test_labels_and_ids_from_numpy(tmp_path: Path) -> None:
    paths = write(tmp_path, a="1,2\n3,4\n5,7\n")
    np.save(tmp_path / "kinds.npy", np.array([4, 4, 5]))
    np.save(tmp_path / "who.npy", np.array(["u", "v", "w"]))
    data = read_files(paths, labels=str(tmp_path / "kinds.npy"), ids=str(tmp_path / "who.npy")).data
    np.testing.assert_array_equal(data.labels, [4, 4, 5])
    assert data.sample_ids == ("u", "v", "w")


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ("1\n2\n", "“l.csv” has 2 rows for 3 samples."),
        ("1,2\n3,4\n5,6\n", "The file “l.csv” has several columns."),
    ],
)
def test_bad_label_files(tmp_path: Path, labels: str, sentence: str) -> None:
    paths = write(tmp_path, a="1,2\n3,4\n5,7\n", l=labels)
    with pytest.raises(DataError, match=sentence):
        read_files(paths[:1], labels=str(paths[1]))


def test_unknown_label(tmp_path: Path) -> None:
    paths = write(tmp_path, a="x,place,class\n1,p,0\n3,q,1\n5,p,0\n")
    with pytest.raises(DataError, match="There is no column or file called “kind” to label the samples by"):
        read_files(paths, labels="kind")
    with pytest.raises(DataError) as caught:
        read_files(paths, ids="kind")
    assert "class, place" in caught.value.hint


def test_rows_missing_in_one_view_go_in_all(tmp_path: Path) -> None:
    paths = write(tmp_path, a="x\n1\n\n2\n3\n4\n", b="w,v\n1,2\n3,\n5,inf\n7,8\n")
    with pytest.raises(MissingValuesError, match="2 of 4 rows hold missing or infinite values, in b") as caught:
        read_files(paths)
    assert caught.value.rows == (1, 2)
    with pytest.raises(DataError, match="The data has 2 samples"):
        read_files(paths, drop_missing=True)


def test_dropping_nothing_says_nothing(tmp_path: Path) -> None:
    loaded = read_files(write(tmp_path, a="x\n1\n2\n3\n"), drop_missing=True)
    assert not any("dropped" in note for note in loaded.notes)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("gone.csv", "There is no file “.*gone.csv”."),
        ("folder", "The folder “folder” holds no pictures, recordings or tables."),
        ("empty.npy", "The file “empty.npy” is empty."),
        ("empty.mat", "The file “empty.mat” is empty."),
        ("book.docx", "Files of kind “.docx” cannot be read, so “book.docx” was not opened."),
        ("cells.loom", "“cells.loom” is a loom file, which is not read."),
        ("cells.zarr", "“cells.zarr” is a zarr store, which is not read."),
        ("cells.zarr.zip", "“cells.zarr.zip” is a packed zarr store, which is not read."),
        ("third", "“third” is a zarr store, which is not read."),
        ("README", "Files without an ending cannot be read, so “README” was not opened."),
    ],
)
def test_unusable_paths(tmp_path: Path, name: str, sentence: str) -> None:
    (tmp_path / "folder").mkdir()
    for empty in ("empty.npy", "empty.mat"):
        (tmp_path / empty).touch()
    for store, inside in (("cells.zarr", ".zgroup"), ("third", "zarr.json")):
        (tmp_path / store).mkdir()
        (tmp_path / store / inside).write_text("{}")
    for wrong in ("book.docx", "README", "cells.loom", "cells.zarr.zip"):
        (tmp_path / wrong).write_text("1,2\n")
    with pytest.raises(DataError, match=sentence) as caught:
        read_files([tmp_path / name])
    assert caught.value.hint
    assert str(inspect_files([tmp_path / name]).error) == str(caught.value)


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The tests may run as a user who may read everything.
    [path] = write(tmp_path, a="1\n2\n3\n")

    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(DataError, match=r"The file “a.csv” cannot be read: permission denied."):
        read_files([path])


def test_no_file_at_all() -> None:
    with pytest.raises(DataError, match="No file was given"):
        read_files([])


def test_one_view_and_oddities_are_no_reason_to_refuse(tmp_path: Path) -> None:
    paths = write(tmp_path, a="x,z\n1,5\n1,5\n3,5\n")
    loaded = read_files(paths)
    assert loaded.data.n_views == 1
    assert any("Constant columns" in note for note in loaded.notes)
    assert any("Samples that repeat another one" in note for note in loaded.notes)
