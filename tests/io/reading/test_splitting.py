"""Views made of columns by name or pattern, other names for views, and what is proposed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from mvexplorer.engine.core.notices import POSSIBLE_SPLIT
from mvexplorer.errors import DataError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.files import Loaded, read_files
from mvexplorer.io.reading.inspection import inspect_files
from mvexplorer.io.reading.splitting import find_patterns, split_by

pd = pytest.importorskip("pandas")
CANCER = load_breast_cancer(as_frame=True).data.iloc[:40]
ROWS = np.random.default_rng(2).permutation(40)


def offered(loaded: Loaded) -> list[tuple[str, ...]]:
    return [note.subjects for note in loaded.notes if note.code == POSSIBLE_SPLIT]


def test_a_table_is_split_by_what_its_names_share(tmp_path: Path) -> None:
    CANCER.to_csv(tmp_path / "cancer.csv", index=False)
    whole = read_files([tmp_path / "cancer.csv"])
    assert offered(whole) == [("cancer", "mean *", "* error", "worst *")]
    assert whole.data.view_names == ("cancer",), "nothing is split silently"
    found = inspect_files([tmp_path / "cancer.csv"], ReadOptions(split=split_by(offered(whole)[0][1:])))
    data = found.loaded.data
    assert data.view_names == ("mean", "error", "worst")
    for name, X, columns in zip(data.view_names, data.Xs, data.feature_names, strict=True):
        np.testing.assert_array_equal(X, CANCER[list(columns)])
        assert all(name in column for column in columns)
    assert {item.name: item.view for item in found.items}["radius error"] == "error"
    assert offered(found.loaded) == []


def test_views_are_made_across_files_and_what_is_left_stays(tmp_path: Path) -> None:
    ids = [f"p{i}" for i in range(40)]
    first, second = CANCER.iloc[:, :4].assign(who=ids), CANCER.iloc[:, 10:14].assign(patient=ids).iloc[ROWS]
    first.to_csv(tmp_path / "a.csv", index=False)
    second.to_csv(tmp_path / "b.csv", index=False)
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    split = {"round": ["mean radius", "b.csv:radius*"], "rough": ["*texture*"]}
    found = inspect_files(
        files, ReadOptions(split=split, names={"a": "rest", "rough": "surface"}, views=("round", "a"))
    )
    data = found.loaded.data
    assert data.view_names == ("round", "rest")
    np.testing.assert_array_equal(data.Xs[0], CANCER[["mean radius", "radius error"]])
    np.testing.assert_array_equal(data.Xs[1], CANCER[["mean perimeter", "mean area"]])
    views = {item.name: item.view for item in found.items}
    assert views["mean texture"] == views["texture error"] == "surface"
    assert views["mean area"] == "rest"
    assert any("2 columns in b" in note and note.code == "split" for note in found.notes)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"split": {"a": ["raduis"]}}, "no column called “raduis”. Did you mean radius?"),
        ({"roles": {"kimd": "label"}}, "no column or variable called “kimd”. Did you mean kind?"),
        ({"names": {"tabel": "x"}}, "no view called “tabel”. Did you mean table?"),
        ({"split": {"a": ["radius"]}, "names": {"a": "table"}}, "Two views would be called “table”"),
        ({"roles": {"kind": "label", "radius": "label"}}, "“radius” and “kind” of “table.csv” are both given"),
        ({"roles": {"kind": "view"}}, "“kind” of “table.csv” holds text where numbers belong"),
    ],
)
def test_names_that_nothing_has_are_refused(tmp_path: Path, options: dict[str, object], sentence: str) -> None:
    (tmp_path / "table.csv").write_text("radius,area,kind\n1,2,x\n2,5,y\n3,7,x\n5,5,y\n")
    with pytest.raises(DataError) as caught:
        read_files([tmp_path / "table.csv"], **options)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("names", "patterns"),
    [
        (load_iris().feature_names, ("sepal *", "petal *")),
        (["wt_1", "wt_2", "wt_3", "mut_1", "mut_2", "mut_3"], ("wt_*", "mut_*")),
        ([f"{what}_{how}" for how in ("mean", "se", "worst") for what in "abcd"], ("*_mean", "*_se", "*_worst")),
        (["rna.TP53", "rna.MYC", "meth.cg1", "meth.cg2", "meth.cg3"], ("rna.*", "meth.*")),
        (["age", "height", "weight"], ()),
        ([f"gene_{i}" for i in range(50)], ()),
        ([f"f{i}" for i in range(50)], ()),
    ],
)
def test_patterns(names: list[str], patterns: tuple[str, ...]) -> None:
    assert find_patterns(names) == patterns
