"""Tables and arrays that are pictures already: told, or named so; never a view of features by mistake."""

import numpy as np
import pytest

from mvexplorer.errors import DataError
from mvexplorer.io.reading.files import read_files
from mvexplorer.io.reading.inspection import inspect_files

RNG = np.random.default_rng(0)


def table(path, names, X, ids=True):
    rows = [",".join(([f"s{i}"] if ids else []) + [repr(float(v)) for v in row]) for i, row in enumerate(X)]
    path.write_text("\n".join([",".join((["id"] if ids else []) + names), *rows, ""]))
    return path


@pytest.fixture
def view(tmp_path):
    return table(tmp_path / "a.csv", ["f", "g", "h"], RNG.normal(size=(30, 3)))


@pytest.mark.parametrize(("file", "names", "name"), [
    ("b.csv", ["umap1", "umap2"], "umap"), ("b.csv", ["UMAP_1", "UMAP_2", "UMAP_3"], "UMAP"),
    ("b.csv", ["tsne-1", "tsne-2"], "tsne"), ("my_coords.csv", ["x", "y"], "my_coords"),
    ("umap.csv", ["X", "Y", "Z"], "umap"),
])  # fmt: skip
def test_named_like_a_picture(tmp_path, view, file, names, name):
    Y = RNG.normal(size=(30, len(names)))
    loaded = read_files([view, table(tmp_path / file, names, Y)])
    assert loaded.data.view_names == ("a",)
    assert list(loaded.data.coordinates) == [name]
    np.testing.assert_array_equal(loaded.data.coordinates[name], Y)
    assert any("as coordinates that are given" in note for note in loaded.notes)
    kept = read_files([view, tmp_path / file], roles=dict.fromkeys(names, "view"))
    assert kept.data.n_views == 2
    assert not kept.data.coordinates


@pytest.mark.parametrize(("file", "names"), [
    ("b.csv", ["x", "y", "z"]), ("b.csv", ["umap1", "tsne2"]), ("b.csv", ["umap1", "other"]), ("umap.csv", ["u", "v"]),
])  # fmt: skip
def test_sensors_stay_views(tmp_path, view, file, names):
    data = read_files([view, table(tmp_path / file, names, RNG.normal(size=(30, len(names))))]).data
    assert data.n_views == 2
    assert not data.coordinates


def test_a_picture_alone_is_a_view(tmp_path):
    data = read_files([table(tmp_path / "b.csv", ["umap1", "umap2"], RNG.normal(size=(30, 2)))]).data
    assert (data.view_names, dict(data.coordinates)) == (("b",), {})


def test_rows_follow_the_names_of_the_samples(tmp_path, view):
    path = table(tmp_path / "b.csv", ["umap1", "umap2"], RNG.normal(size=(30, 2)))
    head, *rows = path.read_text().splitlines()
    path.write_text("\n".join([head, *reversed(rows), ""]))
    found = read_files([view, path]).data.coordinates["umap"]
    np.testing.assert_array_equal(found, [[float(v) for v in row.split(",")[1:]] for row in rows])


def test_columns_of_one_table_by_their_role(tmp_path):
    X = RNG.normal(size=(30, 5))
    path = table(tmp_path / "a.csv", ["f", "east", "g", "north", "h"], X)
    data = read_files([path], roles={"east": "coordinates", "north": "coordinates"}).data
    np.testing.assert_array_equal(data.Xs[0], X[:, [0, 2, 4]])
    np.testing.assert_array_equal(data.coordinates["a-coordinates"], X[:, [1, 3]])
    roles = {item.name: item.role for item in inspect_files([path], data_roles()).items}
    assert (roles["east"], roles["f"]) == ("coordinates", "view")


def data_roles():
    from mvexplorer.io.base.options import ReadOptions

    return ReadOptions(roles={"east": "coordinates", "north": "coordinates"})


def test_arrays_by_their_role(tmp_path):
    path = tmp_path / "a.npz"
    Y = RNG.normal(size=(30, 2))
    np.savez(path, first=RNG.normal(size=(30, 3)), X_umap=Y)
    data = read_files([path], roles={"X_umap": "coordinates"}).data
    assert data.view_names == ("first",)
    np.testing.assert_array_equal(data.coordinates["umap"], Y)


def test_samples_that_are_dropped_leave_the_picture_too(tmp_path):
    path = tmp_path / "a.npz"
    X, Y = RNG.normal(size=(30, 3)), RNG.normal(size=(30, 2))
    X[4, 1] = np.nan
    np.savez(path, first=X, map=Y)
    data = read_files([path], roles={"map": "coordinates"}, missing="drop").data
    np.testing.assert_array_equal(data.coordinates["map"], np.delete(Y, 4, axis=0))


@pytest.mark.parametrize(("roles", "words"), [
    ({"first": "coordinates"}, "Coordinates “first” of “a.npz” have shape"),
    ({"map": "coordinates", "first": "ignore"}, "All that the files hold was given as coordinates"),
])  # fmt: skip
def test_refused(tmp_path, roles, words):
    np.savez(tmp_path / "a.npz", first=RNG.normal(size=(30, 4)), map=RNG.normal(size=(30, 2)))
    with pytest.raises(DataError, match=words):
        read_files([tmp_path / "a.npz"], roles=roles)
