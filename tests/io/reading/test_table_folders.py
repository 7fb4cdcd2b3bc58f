"""Folders of tables: the same columns are one table, whose label is the folder; other columns are other views."""

from __future__ import annotations

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.datasets.loading import load_source
from mvexplorer.errors import DataError
from mvexplorer.io.arrays.folders import holds_recordings, holds_tables
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.inspection import inspect_files

RNG = np.random.default_rng(4)


def table(path, heads, n=6, first=0):
    """A table of `heads`, of which the first names the samples; returns its numbers."""
    path.parent.mkdir(parents=True, exist_ok=True)
    X = RNG.normal(size=(n, len(heads) - 1)).round(3)
    rows = [",".join([f"{path.parent.name}{first + i}", *map(str, row)]) for i, row in enumerate(X)]
    path.write_text("\n".join([",".join(heads), *rows]))
    return X


@pytest.fixture
def classes(tmp_path):
    """Two folders with two tables each, and all their numbers."""
    own = [
        table(tmp_path / "data" / f"class_{kind}" / f"t{j}.csv", ["id", "u", "v"], first=6 * j)
        for kind in "ab"
        for j in range(2)
    ]
    return tmp_path / "data", np.concatenate(own)


@pytest.mark.parametrize("given", ["one folder", "two folders"])
def test_tables_of_the_same_columns_are_one_with_their_folder_as_the_label(classes, given):
    folder, X = classes
    data = mvx.load(folder if given == "one folder" else [folder / "class_a", folder / "class_b"])
    assert data.view_names == ("data",)
    np.testing.assert_array_equal(data.Xs[0], X)
    assert (data.label_name, list(data.labels)) == ("folder", ["class_a"] * 12 + ["class_b"] * 12)
    assert data.sample_ids[11:13] == ("class_a11", "class_b0")
    assert list(data.columns["file"]) == (["t0"] * 6 + ["t1"] * 6) * 2
    assert data.feature_names == (("u", "v"),)


def test_the_folder_opens_again_as_a_session_names_it(classes):
    folder, _ = classes
    loaded = load_source(str(folder))
    assert loaded.sources == (str(folder.resolve()),)
    assert load_source(list(loaded.sources), loaded.options).data.fingerprint == loaded.data.fingerprint
    assert any("rows of 4 tables with the same columns" in str(note) for note in loaded.notes)


def test_folder_and_file_are_columns_with_roles(classes):
    folder, _ = classes
    look = inspect_files([folder], ReadOptions(roles={"folder": "colour", "file": "label"}))
    assert {item.name: item.role for item in look.items} == {
        "id": "id", "u": "view", "v": "view", "folder": "colour", "file": "label",
    }  # fmt: skip
    assert sorted(set(look.loaded.data.columns["folder"])) == ["class_a", "class_b"]


def test_a_label_of_the_tables_comes_before_the_folder(tmp_path):
    for kind in "ab":
        (tmp_path / kind).mkdir()
        (tmp_path / kind / "t.csv").write_text("u,label\n" + "".join(f"{i / 7},{'xy'[i % 2]}\n" for i in range(6)))
    data = mvx.load(tmp_path)
    assert (data.label_name, sorted(set(data.columns["folder"]))) == ("label", ["a", "b"])
    assert data.view_names == ("t",)  # as all its files are called


def test_tables_of_other_columns_are_read_as_if_the_files_were_given(tmp_path):
    table(tmp_path / "rna.csv", ["who", "g1", "g2"])
    table(tmp_path / "protein.csv", ["who", "p1", "p2", "p3"])
    (tmp_path / "readme.md").write_text("no table")
    data = mvx.load(tmp_path)
    given = mvx.load([tmp_path / "protein.csv", tmp_path / "rna.csv"])
    assert (data.view_names, data.fingerprint) == (given.view_names, given.fingerprint)
    assert any("1 other file is no table" in str(note) for note in load_source(str(tmp_path)).notes)


def test_classes_may_have_several_views(tmp_path):
    for kind in "ab":
        table(tmp_path / kind / "rna.csv", ["who", "g1", "g2"])
        table(tmp_path / kind / "protein.csv", ["who", "p1"])
    data = mvx.load(tmp_path)
    assert (data.view_names, data.n_samples, set(data.labels)) == (("protein", "rna"), 12, {"a", "b"})


def test_columns_called_folder_and_tables_without_header_are_no_obstacle(tmp_path):
    for kind in "ab":
        (tmp_path / kind).mkdir()
        (tmp_path / kind / "t.csv").write_text("u,folder\n" + "".join(f"{i / 7},{i % 3}.5\n" for i in range(6)))
    assert mvx.load(tmp_path).label_name == "folder-2"
    for kind in "ab":
        (tmp_path / kind / "t.csv").write_text("".join(f"{i / 7},{i % 3}.5\n" for i in range(6)))
    data = mvx.load(tmp_path)
    assert (data.Xs[0].shape, data.label_name, data.Xs[0][6, 0]) == ((12, 2), "folder", 0.0)


def test_a_bad_cell_is_told_with_the_column(tmp_path):
    for kind in "ab":
        table(tmp_path / kind / "t.csv", ["who", "g1", "g2"])
    with (tmp_path / "b" / "t.csv").open("a") as file:
        file.write("\nb9,1,oops")
    with pytest.raises(DataError, match=r"“g2” of “t\.csv” holds text where numbers belong: “oops” in row 14"):
        mvx.load(tmp_path)


def test_pictures_beside_tables_stay_pictures(tmp_path):
    image = pytest.importorskip("PIL.Image")
    for j in range(4):
        image.new("L", (4, 4), 40 * j).save(tmp_path / f"p{j}.png")
    table(tmp_path / "labels.csv", ["id", "u"])
    assert (holds_tables(tmp_path), holds_recordings(tmp_path)) == (False, False)
    assert mvx.load(tmp_path).view_names == ("pixels",)


def test_texts_are_no_tables_in_a_folder(tmp_path):
    (tmp_path / "notes.txt").write_text("1 2\n3 4\n")
    with pytest.raises(DataError, match="holds no pictures, recordings or tables"):
        mvx.load(tmp_path)
