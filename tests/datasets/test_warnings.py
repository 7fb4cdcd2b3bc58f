"""What a script is told of doubtful data, and where a name or an annotated table is given for data."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mvexplorer as mvx
from mvexplorer.datasets.loading import load_source
from mvexplorer.errors import DataError, DataWarning

RNG = np.random.default_rng(16)
M = 20
A, B = (pd.DataFrame(RNG.normal(size=(M, 3)), columns=list(names)) for names in ("abc", "pqr"))


def test_load_warns_of_what_files_leave_open_with_the_argument_that_settles_it(tmp_path: Path) -> None:
    A.to_csv(tmp_path / "a.csv", index=False)
    B.set_axis([f"P{i}" for i in range(M)]).to_csv(tmp_path / "b.csv")
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    with pytest.warns(DataWarning, match=r"a\.csv does not name its samples") as caught:
        data = mvx.load(paths)
    assert [Path(told.filename).name for told in caught] == ["test_warnings.py"]
    assert str(caught[0].message).endswith('Pair by position (join="position").')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(mvx.load(paths, join="position").Xs[1], data.Xs[1])
        assert any(note.code == "by-position" for note in load_source(paths).notes)


def test_a_draw_with_replacement_is_paired_by_position_and_told() -> None:
    rows = RNG.integers(0, M, M)
    with pytest.warns(DataWarning, match=r"ids stand for several samples, for example “\d+”.* by position") as caught:
        data = mvx.MultiView([A.iloc[rows], B.iloc[rows]])
    assert [Path(told.filename).name for told in caught] == ["test_warnings.py"]
    np.testing.assert_array_equal(data.Xs[1], B.iloc[rows])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data.replace(labels=rows).take([0, 0, 1, 2])
    with pytest.warns(DataWarning, match="One id stands for several samples, for example “x”"):
        mvx.MultiView([A.to_numpy()[:4]], sample_ids=["x", "x", "y", "z"])
    with pytest.raises(DataError, match="several times, in different orders"):
        mvx.MultiView([A.iloc[rows], B.iloc[rows[::-1]]])
    with pytest.warns(DataWarning, match="stand for several samples"):
        mvx.load([A.iloc[rows], B.iloc[rows]])


@pytest.mark.parametrize("take", [mvx.embed, mvx.MultiView, mvx.MultiViewEmbedding().fit])
def test_a_name_is_no_data(take: object, tmp_path: Path) -> None:
    for name in ("uci-digits", Path("a.csv")):
        with pytest.raises(DataError, match=f"“{name}” is a name, not data") as caught:
            take(name)  # type: ignore[operator]
        assert caught.value.hint == f'Load it first: mvx.load("{name}").'
    with pytest.raises(DataError, match="is a name, not data") as caught:
        take(["a.csv", "b.csv"])  # type: ignore[operator]
    assert caught.value.hint == "Load the files first: mvx.load(['a.csv', 'b.csv'])."


def test_annotated_tables_among_views_are_what_load_takes() -> None:
    anndata = pytest.importorskip("anndata")
    ids = [f"s{i}" for i in range(M)]
    held = anndata.AnnData(A.to_numpy(), obs=pd.DataFrame(index=ids))
    for views in ({"rna": held}, [held, B.to_numpy()]):
        with pytest.raises(DataError, match=r"View “\w+” is an AnnData, which holds several tables") as caught:
            mvx.MultiView(views)
        assert caught.value.hint.endswith("mvx.load takes a mapping of AnnData objects.")
    np.testing.assert_array_equal(mvx.load({"rna": held}).Xs[0], A)
