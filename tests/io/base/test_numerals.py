"""Numbers as people write them are read where a whole column fits, and it is told how."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from mvexplorer.errors import DataError
from mvexplorer.io.reading.files import Loaded, read_files
from mvexplorer.io.reading.inspection import inspect_files

M = 12


def written(path: Path, *columns: list[str], separator: str = ",") -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = zip(*columns, strict=True)
        csv.writer(file, delimiter=separator).writerows([[f"f{'abcdef'[j]}" for j in range(len(columns))], *rows])
    return path


def read(path: Path, **options: object) -> tuple[Loaded, str]:
    loaded = read_files([path], **options)
    return loaded, " ".join(loaded.notes)


FORMS: dict[str, tuple[str, list[str], list[float], str]] = {
    "thousands": (",", ["12.25", "1,234.50"], [12.25, 1234.5], "thousands in “fa”: “1,234.50” is 1234.50"),
    "German": (";", ["12,25", "1.234,50"], [12.25, 1234.5], "dots were taken as separators of thousands in “fa”"),
    "Swiss": (";", ["12.25", "1'234.50"], [12.25, 1234.5], ""),
    "per cent": (",", ["12.5%", "-3%"], [12.5, -3], "percent signs were left out in “fa”: “-3%” is -3."),
    "per cent apart": (",", ["12.5 %", "3 %"], [12.5, 3], "percent signs were left out"),
    "money": (",", ["$5", "$0.5"], [5, 0.5], "signs of currencies were left out in “fa”: “$0.5” is 0.5"),
    "thousands of money": ("\t", ["-€5.00", "-€1,200.00"], [-5, -1200], "“-€1,200.00” is -1200.00"),
    "tabs and commas": ("\t", ["1,25", "0,5"], [1.25, 0.5], "commas were taken as decimal points"),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_column_that_fits_is_read_and_told(tmp_path: Path, form: str) -> None:
    separator, cells, values, said = FORMS[form]
    rest = [f"{i}" for i in range(M)]
    path = written(tmp_path / "t.csv", cells * (M // 2), rest, separator=separator)
    loaded, notes = read(path)
    np.testing.assert_allclose(loaded.data.Xs[0], np.stack([values * (M // 2), np.arange(M)], axis=1))
    assert said in notes
    assert not inspect_files([path]).doubts


def test_a_table_of_nothing_else_is_a_table(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", *([f"{i + j}%" for i in range(M)] for j in range(2)))
    assert read(path)[0].data.feature_names == (("fa", "fb"),)


def test_a_stray_text_is_told_by_its_line(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", [*(f"{i}%" for i in range(M - 1)), "high"], ["1"] * M)
    with pytest.raises(DataError, match=r"“fa” of “t.csv” holds text where numbers belong: “high” on line 13"):
        read(path)
    text = written(tmp_path / "w.csv", *[["high", "low"] * (M // 2)] * 2)
    with pytest.raises(DataError, match=r"no table of numbers in “w.csv”: “column 1” holds text, such as “fa”."):
        read(text)


def test_columns_that_do_not_fit_stay_text(tmp_path: Path) -> None:
    """Some numbers with a percent sign and some without, or two currencies, are not the same."""
    mixed = [f"{i}%" if i % 2 else f"{i}%o" for i in range(M)]
    money = [f"${i}" if i % 2 else f"€{i}" for i in range(M)]
    names = [f"Smith, {i}" for i in range(M)]
    path = written(tmp_path / "t.csv", [f"{i}.5" for i in range(M)], mixed, money, names)
    data = read(path)[0].data
    assert data.Xs[0].shape == (M, 1)
    assert data.columns["fb"].tolist() == mixed
    assert data.columns["fc"].tolist() == money


def test_what_decides_is_anywhere_in_the_file(tmp_path: Path) -> None:
    """1.234 alone is in doubt between semicolons; beside 0.5 it has a point, beside 0,5 a separator of thousands."""
    dotted = [f"1.{234 + i}" for i in range(M)]
    point = written(tmp_path / "p.csv", dotted, ["0.5"] * M, separator=";")
    comma = written(tmp_path / "c.csv", dotted, ["0,5"] * M, separator=";")
    plain = written(tmp_path / "e.csv", dotted, ["7"] * M)
    open_ = written(tmp_path / "o.csv", dotted, ["7"] * M, separator=";")
    quoted = written(tmp_path / "q.csv", [cell.replace(".", ",") for cell in dotted], ["7"] * M)
    found = [inspect_files([path]) for path in (point, comma, plain, open_, quoted)]
    assert [one.loaded.data.Xs[0][0, 0] for one in found] == [1.234, 1234, 1.234, 1.234, 1234]
    assert [[doubt.code for doubt in one.doubts] for one in found] == [[], [], [], ["decimal-sign"], ["decimal-sign"]]


def test_a_large_table_is_read_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mvexplorer.io.tables.plain.FROM", 1)  # as if it were large
    n = 200
    rows = [f"{1 + i % 800}.{i % 1000:03d}" for i in range(n)]
    open_ = written(tmp_path / "o.csv", rows, [f"{i % 900}" for i in range(n)], ["12"] * n, separator=";")
    short = written(
        tmp_path / "s.csv", [*rows[:-1], "0.5"], [f"{i % 900}" for i in range(n)], ["12"] * n, separator=";"
    )
    found = [inspect_files([file]) for file in (open_, short)]
    assert [[doubt.code for doubt in one.doubts] for one in found] == [["decimal-sign"], []]
    assert read_files([open_], decimal=",").data.Xs[0][1].tolist() == [2001, 1, 12]
    path = written(tmp_path / "t.csv", [f"{i % 90}%" for i in range(n)], [f"{i % 70}.123456789012" for i in range(n)])
    loaded, notes = read(path)
    assert loaded.data.Xs[0].shape == (n, 2)
    assert loaded.data.Xs[0][:3, 0].tolist() == [0, 1, 2]
    assert "percent signs were left out" in notes
