"""Views larger than the memory stay in their files: what opening them takes, and that they compute as others do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import mvexplorer as mvx
from mvexplorer.engine.core import maps
from mvexplorer.engine.core.maps import is_map
from mvexplorer.errors import DataError, MissingValuesError
from mvexplorer.io.base import mapping
from mvexplorer.io.reading.files import read_files
from mvexplorer.io.reading.inspection import inspect_files
from mvexplorer.io.reading.quality import repeated
from mvexplorer.io.tables import plain
from mvexplorer.state.bench.import_preview import SampleTable, sample_table

X = np.random.default_rng(0).normal(size=(60, 5)).astype("f4")


@pytest.fixture
def everything_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Maps of a few rows at a time, for the smallest of files."""
    monkeypatch.setattr(mapping, "MAP_FROM", 0)
    monkeypatch.setattr(maps, "BLOCK_BYTES", 8 * 5 * 7)


@pytest.mark.usefixtures("everything_large")
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_map_is_the_same_data(tmp_path: Path, order: str, dtype: str) -> None:
    table = np.asarray(X, dtype=dtype, order=order)  # type: ignore[call-overload]
    table[7] = table[3]
    table[:, 4] = table[:, 1]
    np.save(tmp_path / "a.npy", table)
    loaded = read_files([tmp_path / "a.npy"])
    mapped, plain = loaded.data, mvx.MultiView({"a": table})
    assert is_map(mapped.Xs[0])
    assert not is_map(plain.Xs[0])
    np.testing.assert_array_equal(mapped.Xs[0], plain.Xs[0])
    if dtype == "f8":
        assert mapped.fingerprint == plain.fingerprint
        assert mapped.view_key(0) == plain.view_key(0)
    assert loaded.notes == mvx_notes(plain)
    for how in ("none", "zscore", "pca:2"):
        ours, theirs = (mvx.embed(d.replace(preprocess=how), "single", n_components=2) for d in (mapped, plain))
        np.testing.assert_allclose(np.abs(ours.coordinates), np.abs(theirs.coordinates), atol=1e-9)


@pytest.mark.usefixtures("everything_large")
def test_a_file_that_is_changed_before_it_is_opened_has_no_first_samples(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", X)
    found = inspect_files([tmp_path / "a.npy"])
    assert sample_table(found, None).rows[0][0] == "0"
    os.utime(tmp_path / "a.npy", ns=(5, 5))
    assert sample_table(found, None) == SampleTable(("“a.npy” was changed by another program. Open it again.",))


def mvx_notes(data: mvx.MultiView) -> tuple[str, ...]:
    from mvexplorer.io.reading.quality import describe_quality

    return describe_quality(data)


@pytest.mark.usefixtures("everything_large")
def test_missing_numbers_of_a_map_are_told_by_their_rows(tmp_path: Path) -> None:
    table = X.copy()
    table[[5, 40], 2] = np.nan, np.inf
    np.save(tmp_path / "a.npy", table)
    with pytest.raises(MissingValuesError) as caught:
        read_files([tmp_path / "a.npy"])
    assert list(caught.value.rows) == [5, 40]
    assert read_files([tmp_path / "a.npy"], missing="drop").data.n_samples == 58
    assert inspect_files([tmp_path / "a.npy"]).views[0].n_missing == 2


@pytest.mark.usefixtures("everything_large")
def test_a_file_that_ends_early_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", X)
    (tmp_path / "a.npy").write_bytes((tmp_path / "a.npy").read_bytes()[:-4])
    with pytest.raises(DataError, match="ends before its numbers do"):
        read_files([tmp_path / "a.npy"])


def test_too_large_to_compute_with_is_a_sentence(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", X)
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    assert maps.whole(mapped, "a", 8 * X.size).dtype == np.float64
    with pytest.raises(DataError, match=r"View “a” takes .* in double precision"):
        maps.whole(mapped, "a", 8 * X.size - 1)


def test_repeats_are_counted_by_value() -> None:
    table = np.repeat(np.arange(12.0).reshape(4, 3), [1, 2, 3, 1], axis=0)
    assert repeated(table) == 3
    assert repeated(np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0]])) == 1
    many = np.random.default_rng(0).integers(0, 2, size=(4000, 12)).astype(float)
    assert repeated(many) == len(many) - len(np.unique(many, axis=0))


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".arrow"])
def test_the_numbers_of_a_table_are_held_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    monkeypatch.setattr(plain, "FROM", 0)
    frame = pl.DataFrame(X, schema=list("abcde")).with_columns(pl.Series("id", [f"s{i}" for i in range(60)]))
    frame = frame.select("id", *"abcde")
    write = {".csv": frame.write_csv, ".parquet": frame.write_parquet, ".arrow": frame.write_ipc}[ending]
    write(tmp_path / f"t{ending}")
    data = read_files([tmp_path / f"t{ending}"]).data
    np.testing.assert_allclose(data.Xs[0], X, rtol=1e-6)
    assert data.Xs[0].base is not None  # some columns of the table that was read
    assert not data.Xs[0].flags.writeable
    assert data.fingerprint == mvx.MultiView({"t": data.Xs[0].copy()}).fingerprint
    ours, theirs = (mvx.embed(d, "single", n_components=2) for d in (data, mvx.MultiView({"t": data.Xs[0].copy()})))
    np.testing.assert_allclose(np.abs(ours.coordinates), np.abs(theirs.coordinates), atol=1e-9)


WITHIN = """
import os, sys
import numpy as np
from mvexplorer.io.reading.inspection import inspect_files
from mvexplorer.io.reading.files import read_files
from pathlib import Path

def held(what):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(what)) * 1024

before = held("RssAnon")
loaded = read_files([sys.argv[1]])
loaded.data.fingerprint, loaded.data.view_key(0)
after_reading = held("RssAnon")
found = inspect_files([sys.argv[1]])
assert found.loaded is not None and found.views[0].shape == loaded.data.Xs[0].shape
print(before, after_reading, held("RssAnon"))
"""


@pytest.mark.nightly
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def test_a_large_file_is_opened_without_its_numbers_in_memory(tmp_path: Path) -> None:
    shape = (40_000, 1000)
    array = np.lib.format.open_memmap(tmp_path / "big.npy", "w+", np.float32, shape)
    array[:, 0] = np.arange(shape[0])
    array[::7, 1:] = 1.5
    del array
    done = subprocess.run(
        [sys.executable, "-c", WITHIN, str(tmp_path / "big.npy")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    before, read, inspected = (int(n) / 2**20 for n in done.stdout.split())
    assert read - before < 100, f"{before:.0f} MB before, {read:.0f} MB after reading 160 MB"
    assert inspected - before < 100
