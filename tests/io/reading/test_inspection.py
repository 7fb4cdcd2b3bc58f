"""What is told about files before they are opened, whatever stands in the way."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.errors import DataError, MissingValuesError, RowsError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.inspection import Inspection, inspect_files

pd = pytest.importorskip("pandas")
M = 12
RNG = np.random.default_rng(5)


def table(folder: Path, name: str = "petals.csv", **more: object) -> str:
    columns = {
        "sample": [f"s{i}" for i in range(M)],
        "width": np.arange(M) / 4,
        "length": RNG.normal(size=M),
        "stage": [1, 2] * (M // 2),
        "kind": ["x", "y", "z"] * (M // 3),
    }
    pd.DataFrame({**columns, **more}).to_csv(folder / name, index=False)
    return str(folder / name)


def roles(found: Inspection) -> dict[str, str]:
    return {item.name: item.role for item in found.items}


def test_a_table_is_told_column_by_column(tmp_path: Path) -> None:
    found = inspect_files([table(tmp_path)])
    assert found.error is None
    assert roles(found) == {"sample": "id", "width": "view", "length": "view", "stage": "view", "kind": "colour"}
    width = found.items[1]
    assert (width.kind, width.view, width.shape, width.preview[:3]) == ("column", "petals", (M,), ("0", "0.25", "0.5"))
    assert width.spark == tuple(np.arange(M) / 4)
    assert (found.items[4].kind, found.items[4].spark) == ("text", ())
    assert "offered for colouring" in found.items[4].why
    assert (found.ids, found.label, found.n_samples) == ("sample", None, M)
    (view,) = found.views
    assert (view.name, view.shape, view.n_constant, view.n_duplicates) == ("petals", (M, 3), 0, 0)
    distances = ((found.loaded.data.Xs[0][:, None] - found.loaded.data.Xs[0]) ** 2).sum(axis=2)
    assert view.median_scale == pytest.approx(np.median(distances[np.triu_indices(M, 1)]))
    assert [(doubt.code, doubt.subjects) for doubt in found.doubts] == [("numeric-label", ("stage",))]
    assert not inspect_files([table(tmp_path)], ReadOptions(roles={"stage": "view"})).doubts


def test_roles_are_what_the_columns_become(tmp_path: Path) -> None:
    given = {"stage": "label", "kind": "id", "sample": "colour", "length": "ignore"}
    found = inspect_files([table(tmp_path, kind=[f"k{i}" for i in range(M)])], ReadOptions(roles=given))
    assert roles(found) == {**given, "width": "view"}
    data = found.loaded.data
    assert data.Xs[0].shape == (M, 1)
    assert data.labels.tolist() == [1, 2] * (M // 2)
    assert data.sample_ids[:2] == ("k0", "k1")
    assert list(data.columns) == ["sample"]
    assert all(item.why == "as asked" for item in found.items if item.name in given)


def test_arrays_are_told_by_name(tmp_path: Path) -> None:
    arrays = {"sound": RNG.normal(size=(M, 4)), "noise": RNG.normal(size=(M, 2)), "label": np.arange(M) % 3}
    np.savez(tmp_path / "a.npz", age=np.arange(M) * 1.5, **arrays)
    savemat(tmp_path / "b.mat", {**arrays, "age": np.arange(M)[:, None] * 1.5})
    for name in ("a.npz", "b.mat"):
        found = inspect_files([tmp_path / name])
        assert roles(found) == {"sound": "view", "noise": "view", "label": "label", "age": "colour"}, name
        sound = next(item for item in found.items if item.name == "sound")
        assert (sound.kind, sound.shape, sound.view) == ("array", (M, 4), "sound")
        told = {"noise": "ignore", "age": "label", "label": "colour"}
        other = inspect_files([tmp_path / name], ReadOptions(roles=told))
        assert (other.loaded.data.view_names, roles(other)) == (("sound",), {"sound": "view", **told}), name
        np.testing.assert_allclose(other.loaded.data.labels, np.arange(M) * 1.5)
        assert other.loaded.data.columns["label"].tolist() == [0, 1, 2] * (M // 3)


def test_what_cannot_be_opened_is_told_all_the_same(tmp_path: Path) -> None:
    holed = table(tmp_path, "holed.csv", width=[np.nan, *range(1, M)])
    found = inspect_files([holed])
    assert isinstance(found.error, MissingValuesError)
    assert (found.loaded, found.items[1].n_missing, found.views[0].n_missing) == (None, 1, 1)
    other = table(tmp_path, "other.csv", sample=[f"s{i}" for i in range(4, 4 + M)])
    found = inspect_files([table(tmp_path), other])
    assert isinstance(found.error, RowsError)
    assert {Path(item.file).name for item in found.items} == {"petals.csv", "other.csv"}
    (tmp_path / "broken.npz").write_bytes(b"PK\3\4 nothing")
    found = inspect_files([tmp_path / "broken.npz", other])
    assert isinstance(found.error, DataError)
    assert roles(found)["sample"] == "id"
    assert pickle.loads(pickle.dumps(found)).error.message == found.error.message


def test_text_among_numbers_is_settled_by_a_role(tmp_path: Path) -> None:
    file = table(tmp_path, width=["high", *range(1, M)])
    found = inspect_files([file])
    assert "holds text where numbers belong" in str(found.error)
    assert roles(found) == {"sample": "id", "width": "view", "length": "view", "stage": "view", "kind": "colour"}
    assert "“high” on line 2" in found.items[1].why
    again = inspect_files([file], ReadOptions(roles={"width": "colour"}))
    assert again.loaded.data.columns["width"][0] == "high"


def test_looking_at_large_views_tells_how_far_it_is_and_can_be_stopped(tmp_path):
    for name in "abcd":
        np.save(tmp_path / f"{name}.npy", np.random.default_rng(ord(name)).normal(size=(20, 3)))
    files, told = [tmp_path / f"{name}.npy" for name in "abcd"], []
    inspect_files(files, task=Task(told.append))
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert len([fraction for fraction in told if fraction > 0.5]) == 4
    half = Task(lambda fraction: half.cancel() if fraction > 0.7 else None)
    with pytest.raises(Cancelled):
        inspect_files(files, task=half)


def test_days_are_called_dates_and_other_texts_are_not(tmp_path):
    rows = "\n".join(f"p{i},{i}.5,2021-0{i + 1}-07,2021-{i}" for i in range(6))
    (tmp_path / "days.csv").write_text(f"id,x,admitted,code\n{rows}\n")
    types = {each.name: each.dtype for each in inspect_files([tmp_path / "days.csv"]).items}
    assert types == {"id": "text", "x": "float64", "admitted": "date", "code": "text"}
