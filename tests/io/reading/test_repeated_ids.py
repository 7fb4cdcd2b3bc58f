"""Ids that stand for several rows, or are missing: never paired in silence, and not a dead end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mvexplorer.datasets.loading import load, load_source
from mvexplorer.errors import ParameterError, RowsError
from mvexplorer.io.reading.files import read_files
from mvexplorer.io.reading.inspection import inspect_files

RNG = np.random.default_rng(11)
M = 30
WHO = [f"P{i:02d}" for i in range(M)]
A = pd.DataFrame(RNG.normal(size=(M, 3)), columns=list("abc"), index=pd.Index(WHO, name="who"))
B = pd.DataFrame(RNG.normal(size=(M, 2)), columns=list("pq"), index=pd.Index(WHO, name="who"))
ORDER = RNG.permutation(M)


def written(folder: Path, first: pd.DataFrame, second: pd.DataFrame) -> list[Path]:
    paths = [folder / "a.csv", folder / "b.csv"]
    for frame, path in zip((first, second), paths, strict=True):
        frame.to_csv(path)
    return paths


def again(frame: pd.DataFrame, *rows: int) -> pd.DataFrame:
    """The rows, some of which are measured a second time."""
    return pd.concat([frame, frame.iloc[list(rows)] + 1.0])


def offers(paths: list[Path], **options: Any) -> dict[str, dict[str, object]]:
    with pytest.raises(RowsError) as caught:
        read_files(paths, **options)
    return {offer.title: dict(offer.options) for offer in caught.value.offers}


def test_repeats_of_a_shuffled_file_are_left_out_not_paired_by_position(tmp_path: Path) -> None:
    assert ORDER[0] not in (4, 5)
    paths = written(tmp_path, again(A, 4, 5), again(B.iloc[ORDER], 0, 0))
    found = offers(paths)
    assert found == {
        "Keep the first of each repeated id": {"repeated": "first"},
        "Leave out 10 rows whose id is repeated": {"repeated": "drop"},
    }
    first = read_files(paths, repeated="first")
    np.testing.assert_array_equal(np.hstack(first.data.Xs), np.hstack([A, B]))
    assert first.data.sample_ids == tuple(WHO)
    [a, b] = [note for note in first.notes if note.code == "repeats-left-out"]
    assert a == "a.csv: 2 of 32 rows were left out because their ids are repeated (“P04”, “P05”); the first of each " \
                "was kept."  # fmt: skip
    assert "b.csv: 2 of 32 rows" in b
    dropped = read_files(paths, repeated="drop").data
    kept = [i for i in range(M) if i not in (4, 5, ORDER[0])]
    np.testing.assert_array_equal(np.hstack(dropped.Xs), np.hstack([A, B])[kept])


def test_position_is_offered_where_the_other_ids_agree_and_says_so(tmp_path: Path) -> None:
    second = B.rename(index={"P07": "P03"})
    paths = written(tmp_path, A, second)
    found = offers(paths)
    assert found["Pair by position: the other ids stand in the same order"] == {"join": "position"}
    np.testing.assert_array_equal(np.hstack(read_files(paths, join="position").data.Xs), np.hstack([A, B]))
    assert {"join": "position"} not in offers(written(tmp_path, A, second.iloc[ORDER])).values()


def test_rows_without_an_id_are_left_out(tmp_path: Path) -> None:
    paths = written(tmp_path, A, B.rename(index={"P07": "", "P09": ""}).iloc[ORDER])
    with pytest.raises(RowsError, match=r"“b.csv” has 2 rows without a name in column “who”"):
        read_files(paths)
    assert offers(paths) == {"Leave out 2 rows without an id": {"repeated": "drop"}}
    kept = [i for i in range(M) if i not in (7, 9)]
    loaded = read_files(paths, repeated="drop", join="intersect")
    np.testing.assert_array_equal(np.hstack(loaded.data.Xs), np.hstack([A, B])[kept])
    assert any("b.csv: 2 of 30 rows were left out because they have no id." in note for note in loaded.notes)


def test_many_repeats_are_counted_and_the_first_are_quoted(tmp_path: Path) -> None:
    paths = written(tmp_path, A, again(B.iloc[ORDER], *range(5)))
    first = ", ".join(f"“{WHO[i]}”" for i in ORDER[:3])
    with pytest.raises(RowsError) as caught:
        read_files(paths)
    assert f"“b.csv” names 5 samples several times in column “who”, in 10 rows ({first} …)" in str(caught.value)


def test_a_lone_file_and_the_command_line(tmp_path: Path) -> None:
    path, _ = written(tmp_path, again(A, 4).rename_axis("id"), B)
    [asked] = [note for note in inspect_files([path]).doubts if note.code == "repeated-ids"]
    assert load([path], repeated="first").sample_ids == tuple(WHO)
    assert load_source([path], repeated="drop").data.n_samples == M - 1
    from mvexplorer.cli.reading import flags_of

    assert "--repeated first" in flags_of(asked)
    with pytest.raises(ParameterError, match="Rows that share an id cannot be treated by “mean”"):
        load([path], repeated="mean")  # type: ignore[arg-type]
