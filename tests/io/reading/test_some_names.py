"""Files of which only some name their samples, or that hold other numbers of them: told, asked, never turned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import mvexplorer as mvx
from mvexplorer.errors import RowsError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.files import read_files
from mvexplorer.io.reading.inspection import inspect_files
from mvexplorer.io.reading.questions import offers_of

RNG = np.random.default_rng(13)
M = 36
A = pd.DataFrame(RNG.normal(size=(M, 4)), columns=list("abcd"))
B = pd.DataFrame(RNG.normal(size=(M, 4)), columns=list("pqrs"))
ORDER = RNG.permutation(M)
WHO = [f"P{i}" for i in range(M)]


def doubts(paths: list[Path], **options: Any) -> list[Any]:
    found = inspect_files(paths, ReadOptions(**options))
    assert found.loaded is not None, found.error
    return [note for note in found.doubts if note.code == "by-position"]


@pytest.mark.parametrize("suffix", ["csv", "parquet", "npy"])
def test_position_is_doubted_where_one_file_alone_names_its_samples(tmp_path: Path, suffix: str) -> None:
    first, second = tmp_path / f"a.{suffix}", tmp_path / "b.csv"
    if suffix == "npy":
        np.save(first, A.to_numpy())
    else:
        A.to_csv(first, index=False) if suffix == "csv" else A.to_parquet(first, index=False)
    B.set_axis(WHO).iloc[ORDER].to_csv(second)
    [doubt] = doubts([first, second])
    assert f"a.{suffix} does not name its samples; its rows were paired with those of b.csv by position" in doubt
    assert "the samples' names are those of the first column of b.csv" in doubt
    assert [dict(offer.options) for offer in offers_of(doubt)] == [{"join": "position"}]
    assert not doubts([first, second], join="position")


def test_names_that_count_the_rows_agree_with_position_and_that_is_said(tmp_path: Path) -> None:
    A.to_csv(tmp_path / "a.csv", index=False)
    B.to_csv(tmp_path / "b.csv")
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    assert not doubts(paths)
    assert any("by which the first column of b.csv numbers them" in note for note in read_files(paths).notes)


@pytest.mark.parametrize("kept", ["parquet", "memory", "arrow"])
@pytest.mark.parametrize("rows", [slice(None, None, -1), ORDER], ids=["reversed", "shuffled"])
def test_an_index_of_pandas_is_kept_however_it_is_stored(tmp_path: Path, kept: str, rows: Any) -> None:
    second = B.iloc[rows]
    if kept == "parquet":
        A.to_parquet(tmp_path / "a.parquet")
        second.to_parquet(tmp_path / "b.parquet")
        given: list[Any] = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    else:
        given = [A, second] if kept == "memory" else [pa.Table.from_pandas(A), pa.Table.from_pandas(second)]
    data = mvx.load(given)
    np.testing.assert_array_equal(data.Xs[0], A)
    np.testing.assert_array_equal(data.Xs[1], B)
    assert data.sample_ids == tuple(map(str, range(M)))


def test_a_named_index_in_parquet_names_the_samples(tmp_path: Path) -> None:
    A.set_axis(pd.Index(RNG.permutation(900)[:M], name="visit")).to_parquet(tmp_path / "a.parquet")
    data = read_files([tmp_path / "a.parquet"]).data
    assert data.feature_names == (("a", "b", "c", "d"),)
    damaged = A.to_parquet().replace(b'"index_columns": [{', b'"index_columns": [[')
    (tmp_path / "b.parquet").write_bytes(damaged)
    np.testing.assert_array_equal(read_files([tmp_path / "b.parquet"]).data.Xs[0], A)


def test_an_index_that_contradicts_a_column_id_is_asked_about() -> None:
    first = A.assign(id=WHO).set_axis(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"))
    second = B.assign(id=WHO).set_axis(first.index[ORDER])
    with pytest.raises(RowsError, match=r"pair the rows of .* in different ways") as caught:
        mvx.load([first, second])
    assert [dict(offer.options) for offer in caught.value.offers[:2]] == [{"ids": "id"}, {"ids": "index"}]
    np.testing.assert_array_equal(mvx.load([first, second], ids="id").Xs[1], B)
    assert mvx.load(first).sample_ids == tuple(WHO)


IDS = {"text": WHO, "id": list(range(M)), "numbers": [int(i) for i in RNG.permutation(900)[:M]]}


@pytest.mark.parametrize("names", [("id", "id"), ("patient", "patient"), ("patient", "who")])
@pytest.mark.parametrize("ids", IDS.values(), ids=IDS)
def test_few_of_the_samples_keep_those_in_both(tmp_path: Path, ids: list[Any], names: tuple[str, str]) -> None:
    few = ORDER[:9]  # as many columns as the first: these had been taken for the samples of both
    A.assign(**{names[0]: ids}).to_csv(tmp_path / "a.csv", index=False)
    B.assign(**{names[1]: ids}).iloc[few].to_csv(tmp_path / "b.csv", index=False)
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    with pytest.raises(RowsError, match="9 of 36 and 9 of 9 samples are in both files") as caught:
        read_files(paths)
    assert [dict(offer.options) for offer in caught.value.offers] == [{"join": "intersect"}, {"samples": "union"}]
    assert caught.value.offers[0].title == "Keep the 9 shared samples"
    kept = sorted(few)
    np.testing.assert_array_equal(np.hstack(read_files(paths, join="intersect").data.Xs), np.hstack([A, B])[kept])


def test_tables_of_other_features_are_not_turned_to_fit_in_number(tmp_path: Path) -> None:
    A.to_csv(tmp_path / "a.csv", index=False)
    B.iloc[:20].to_csv(tmp_path / "b.csv", index=False)
    with pytest.raises(mvx.errors.DataError, match="different numbers of rows: a has 36, b has 20"):
        read_files([tmp_path / "a.csv", tmp_path / "b.csv"])
