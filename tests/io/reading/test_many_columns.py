"""Tables of very many columns or classes: what is done for each alone is little."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from counted import counted_calls

from mvexplorer.engine.analysis.scored import scorable
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.files import read_files
from mvexplorer.state.pictures.colouring import resolve_colouring

MOST_CALLS = 40
"""Of Python functions per column, those of polars included."""
FEW, MANY = 1_000, 3_000


def write_table(path: Path, n_columns: int, *, text: bool) -> Path:
    """A table of six samples, its numbers as text or typed."""
    X = np.random.default_rng(0).standard_normal((6, n_columns)).round(6)
    frame = pl.DataFrame(X, schema=[f"gene{i}" for i in range(n_columns)])
    frame.write_csv(path) if text else frame.write_parquet(path)
    return path


def calls_to_read(path: Path, options: ReadOptions) -> int:
    """How many Python functions are called while a file is read."""
    with counted_calls() as calls:
        loaded = read_files([str(path)], options)
    assert loaded.data.Xs[0].shape[0] == 6
    return calls[0]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("told", [False, True])
def test_a_column_takes_few_calls(tmp_path, ending, told):
    calls = []
    for n in (FEW, MANY):
        path = write_table(tmp_path / f"wide{n}.{ending}", n, text=ending == "csv")
        roles = {f"gene{i}": "view" for i in range(n)} if told else {}
        calls_to_read(path, ReadOptions(roles=roles))  # what is imported by the first
        calls.append(calls_to_read(path, ReadOptions(roles=roles)))
    assert (calls[1] - calls[0]) / (MANY - FEW) <= MOST_CALLS


def test_classes_of_a_file_are_found_while_it_is_read(tmp_path):
    """Their order takes long where they are very many, and nobody waits for a frame here."""
    rows = [f"{i},{i * i % 7},name {i * 37 % MANY}" for i in range(MANY)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,kind", *rows]))
    data = read_files([str(tmp_path / "t.csv")], ReadOptions(labels="kind")).data
    with counted_calls() as calls:
        found = resolve_colouring("labels", data, {})
        scored = scorable(data.labels)
    assert found.classes == tuple(f"name {i}" for i in range(MANY))
    assert not scored
    assert calls[0] < 20
