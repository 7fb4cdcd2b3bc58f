"""Parquet and Arrow files, written by pandas, polars and pyarrow, read as the same table of text is."""

from __future__ import annotations

import datetime
import struct
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from mvexplorer.errors import DataError
from mvexplorer.io.base.guards import READ_LIMIT
from mvexplorer.io.base.parts import Parts
from mvexplorer.io.tables.columnar import read_columnar
from mvexplorer.io.tables.grid import read_grid
from mvexplorer.io.tables.tables import interpret

M = 8
RNG = np.random.default_rng(0)
X = RNG.normal(size=(M, 3)) * [1e-9, 1, 1e9]
MIXED = pl.DataFrame(
    {
        "id": [f"s{i}" for i in range(M)],
        "a": X[:, 0],
        "b": X[:, 1].astype("f4"),
        "c": [1, 2, 3, 4, 5, 6, 7, 8],
        "label": ["u", "v"] * (M // 2),
        "flag": [True, False] * (M // 2),
        "day": [datetime.date(2024, 1, i + 1) for i in range(M)],
    }
)


def write(frame: pl.DataFrame, path: Path) -> Path:
    writers = {
        ".csv": frame.write_csv,
        ".parquet": frame.write_parquet,
        ".feather": frame.write_ipc,
        ".arrows": frame.write_ipc_stream,
    }
    writers[path.suffix](path)
    return path


def read(path: Path) -> Parts:
    return interpret(read_columnar(path))


def refusal(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        read_columnar(path)
    assert caught.value.hint
    assert "\n" not in str(caught.value)
    return str(caught.value)


def same(first: Parts, second: Parts) -> None:
    assert list(first.views) == list(second.views)
    for name, values in first.views.items():
        np.testing.assert_allclose(values, second.views[name], rtol=1e-6)
    assert first.features == second.features
    for name in ("ids", "labels"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert list(first.columns) == list(second.columns)
    for name, values in first.columns.items():
        np.testing.assert_array_equal(values, second.columns[name])


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".arrows"])
def test_a_table_reads_alike_from_every_format(tmp_path: Path, suffix: str) -> None:
    text = interpret(read_grid(write(MIXED, tmp_path / "t.csv")))
    same(text, read(write(MIXED, tmp_path / f"t{suffix}")))
    np.testing.assert_array_equal(text.views["t"][:, 0], X[:, 0])


def test_numbers_are_those_of_pandas_and_its_index_names_the_samples(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=[f"p{i}" for i in range(M)])
    frame["kind"] = pd.Categorical(["x", "y"] * (M // 2))
    frame.to_parquet(tmp_path / "p.parquet")
    found = read(tmp_path / "p.parquet")
    np.testing.assert_array_equal(found.views["p"], X)
    assert found.ids is not None
    assert found.ids.tolist() == frame.index.tolist()
    assert found.columns["kind"].tolist() == ["x", "y"] * (M // 2)


def test_numbers_are_those_of_pyarrow(tmp_path: Path) -> None:
    pa, feather = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.feather")
    money = pa.array([Decimal("1.25")] * M, pa.decimal128(9, 2))
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), 3)
    coded = pa.array(["a", "b"] * (M // 2)).dictionary_encode()
    table = pa.table({"x": pa.array(X[:, 0]), "money": money, "vectors": vectors, "group": coded})
    for name, compression in (("l.feather", "lz4"), ("z.feather", "zstd"), ("u.feather", "uncompressed")):
        feather.write_feather(table, tmp_path / name, compression=compression)
        found = read(tmp_path / name)
        np.testing.assert_array_equal(found.views["vectors"], X)
        np.testing.assert_array_equal(found.columns["money"], np.full(M, 1.25))
        assert found.columns["group"].tolist() == ["a", "b"] * (M // 2)


def test_a_header_of_words_over_words_is_no_sample(tmp_path: Path) -> None:
    found = read(write(pl.DataFrame({"sex": ["f", "m", "f"], "site": ["a", "b", "a"]}), tmp_path / "t.parquet"))
    assert {name: len(values) for name, values in found.columns.items()} == {"sex": 3, "site": 3}


def test_numbered_columns_lose_no_sample(tmp_path: Path) -> None:
    found = read(write(pl.DataFrame({str(i): X[:, i] for i in range(3)}), tmp_path / "t.parquet"))
    np.testing.assert_array_equal(found.views["t"], X)


def test_text_that_reads_as_a_number_stays_text(tmp_path: Path) -> None:
    frame = pl.DataFrame({"code": [f"{i:03}" for i in range(M)], "a": X[:, 0]})
    assert read(write(frame, tmp_path / "t.parquet")).columns["code"].tolist() == [f"{i:03}" for i in range(M)]


def test_whole_numbers_beyond_doubles_are_kept_exactly(tmp_path: Path) -> None:
    numbers = [2**60 + i for i in range(M)]
    found = read(write(pl.DataFrame({"id": numbers, "a": X[:, 0]}), tmp_path / "t.parquet"))
    assert found.ids is not None
    assert found.ids.tolist() == [str(n) for n in numbers]


def test_missing_numbers_are_missing(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1.0, None, 3.0], "b": [float("nan"), float("inf"), 1], "c": pl.Series([None, 2, 3])})
    found = read(write(frame, tmp_path / "t.parquet")).views["t"]
    np.testing.assert_array_equal(np.isnan(found), [[0, 1, 1], [1, 1, 0], [0, 0, 0]])


def test_lists_and_structs_are_views_and_other_kinds_are_told(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "scan": pl.Series(X.tolist()),
            "pose": [{"x": float(i), "y": -float(i)} for i in range(M)],
            "ragged": [[1.0] * (1 + i % 2) for i in range(M)],
            "raw": [b"\0"] * M,
        }
    )
    found = read(write(frame, tmp_path / "t.parquet"))
    assert list(found.views) == ["scan", "pose"]
    np.testing.assert_array_equal(found.views["scan"], X)
    assert found.features["pose"] == ("x", "y")
    assert "“ragged”, “raw” hold lists of unequal length, or bytes, and were left out." in map(str, found.notes)


def test_times_are_text(tmp_path: Path) -> None:
    start = datetime.datetime(2024, 1, 1, 12)
    frame = pl.DataFrame(
        {"at": [start] * 3, "clock": [start.time()] * 3, "took": [datetime.timedelta(minutes=1)] * 3, "a": [1, 2, 4]}
    )
    found = read(write(frame, tmp_path / "t.parquet"))
    assert found.columns["at"][0].startswith("2024-01-01 12:00")
    assert list(found.columns) == ["at", "clock", "took"]


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".arrows"])
def test_a_file_cut_off_is_refused(tmp_path: Path, suffix: str) -> None:
    path = write(MIXED, tmp_path / f"t{suffix}")
    path.write_bytes(path.read_bytes()[:-40])
    assert "is damaged or cut off" in refusal(path)


def test_other_kinds_are_refused_by_their_content(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(b"a,b\n1,2\n")
    assert "is neither a Parquet nor an Arrow file" in refusal(path)
    path.write_bytes(b"PARE" + bytes(20) + b"PARE")
    assert "is encrypted" in refusal(path)
    path.write_bytes(b"FEA1" + bytes(20) + b"FEA1")
    assert "is a Feather file of version 1" in refusal(path)


def test_a_table_without_rows_is_refused(tmp_path: Path) -> None:
    assert "has no rows" in refusal(write(MIXED.clear(), tmp_path / "t.parquet"))
    path = write(pl.DataFrame({"raw": [b"\0"] * 3}), tmp_path / "u.parquet")
    assert "has no columns of numbers or text" in refusal(path)


def test_a_few_bytes_that_unfold_to_gigabytes_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(READ_LIMIT, "0.02")
    path = write(pl.DataFrame({"a": np.zeros(2_000_000)}), tmp_path / "t.parquet")
    assert path.stat().st_size < 20_000
    assert "where 0.02 GB are the most" in refusal(path)
    words = write(pl.DataFrame({"a": ["x" * 100_000] * 1000, "b": [1.0] * 1000}), tmp_path / "w.parquet")
    assert words.stat().st_size < 1_000_000
    assert "where 0.02 GB are the most" in refusal(words)


@pytest.mark.nightly
def test_the_formats_need_no_other_package(tmp_path: Path) -> None:
    paths = [str(write(MIXED, tmp_path / f"t{suffix}")) for suffix in (".parquet", ".feather", ".arrows")]
    program = (
        "import sys\n"
        "for name in ('pyarrow', 'pandas', 'fastexcel'): sys.modules[name] = None\n"
        "from pathlib import Path\n"
        "from mvexplorer.io.tables.columnar import read_columnar\n"
        "from mvexplorer.io.tables.tables import interpret\n"
        "for name in sys.argv[1:]: assert interpret(read_columnar(Path(name))).views\n"
    )
    subprocess.run([sys.executable, "-c", program, *paths], check=True, timeout=120)


@pytest.mark.parametrize("suffix", [".feather", ".arrows"])
def test_a_compressed_buffer_that_claims_too_much_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t{suffix}"
    numbers = np.zeros(5000)
    write = pl.DataFrame.write_ipc if suffix == ".feather" else pl.DataFrame.write_ipc_stream
    write(pl.DataFrame({"a": numbers}), path, compression="zstd")
    content = path.read_bytes()
    claimed = struct.pack("<q", numbers.nbytes)
    assert content.count(claimed + b"\x28\xb5\x2f\xfd") == 1
    path.write_bytes(content.replace(claimed + b"\x28\xb5\x2f\xfd", struct.pack("<q", 2**50) + b"\x28\xb5\x2f\xfd"))
    assert "GB are the most" in refusal(path)


@pytest.mark.nightly
def test_a_page_that_claims_less_than_no_values_ends_the_decoder_alone(tmp_path: Path) -> None:
    """polars takes the claim for the largest number there is, finds no memory for it, and ends its process."""
    path = tmp_path / "t.parquet"
    frame = pl.DataFrame({"a": [0.5, None, 1.5, 2.5, 0.1, 0.2]})
    frame.write_parquet(path, compression="uncompressed", statistics=False)
    content = path.read_bytes()
    six, minus_one = b"\x2c\x15\x0c", b"\x2c\x15\x01"  # a page's header of so many values, as Thrift writes it
    assert content.count(six) == 1
    path.write_bytes(content.replace(six, minus_one))
    assert "decoder crashed" in refusal(path) or "damaged" in refusal(path)
    good = write(MIXED, tmp_path / "good.parquet")
    assert read(good).views
