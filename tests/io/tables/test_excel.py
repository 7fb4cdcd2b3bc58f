"""Workbooks, written by openpyxl: sheets, titles, merged cells, and what is refused."""

from __future__ import annotations

import datetime
import io
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mvexplorer.datasets.loading import load_source
from mvexplorer.errors import DataError
from mvexplorer.io.base.guards import READ_LIMIT
from mvexplorer.io.base.parts import Parts
from mvexplorer.io.tables.excel import read_workbook
from mvexplorer.io.tables.tables import interpret, read_table

openpyxl = pytest.importorskip("openpyxl")
pytest.importorskip("fastexcel")

M = 7
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
X = np.random.default_rng(0).normal(size=(M, 3)) * [1e-9, 1, 1e9]
NAMES = ["a", "b", "c"]


def rows(values: Any = X, names: list[str] = NAMES) -> list[list[Any]]:
    return [["id", *names], *([f"s{i}", *map(float, row)] for i, row in enumerate(values))]


def book(path: Path, **sheets: list[list[Any]]) -> Path:
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, table in sheets.items():
        sheet = made.create_sheet(name)
        for row in table:
            sheet.append(row)
    made.save(path)
    return path


def edited(path: Path, edit: Any) -> Path:
    """The workbook after `edit` of its first sheet."""
    made = openpyxl.load_workbook(path)
    edit(made.worksheets[0])
    made.save(path)
    return path


def read(path: Path, sheet: str | None = None) -> list[Parts]:
    return [interpret(grid) for grid in read_workbook(path, sheet)]


def refusal(path: Path, sheet: str | None = None) -> str:
    with pytest.raises(DataError) as caught:
        read_workbook(path, sheet)
    assert caught.value.hint
    assert "\n" not in str(caught.value)
    return str(caught.value)


def holds_all(found: Parts, view: str) -> None:
    np.testing.assert_allclose(found.views[view], X, rtol=1e-15)  # openpyxl writes 16 digits
    assert found.ids is not None
    assert found.ids.tolist() == [f"s{i}" for i in range(M)]
    assert found.features[view] == tuple(NAMES)


def test_numbers_keep_all_their_digits(tmp_path: Path) -> None:
    [found] = read(book(tmp_path / "t.xlsx", Sheet1=rows()))
    holds_all(found, "t")


def test_numbers_of_pandas_and_polars(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=NAMES, index=[f"s{i}" for i in range(M)])
    frame.to_excel(tmp_path / "p.xlsx")
    [found] = read(tmp_path / "p.xlsx")
    holds_all(found, "p")


def test_sheets_are_files_of_their_own_and_one_can_be_named(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", genes=rows(), methyl=rows(-X))
    first, second = read(path)
    holds_all(first, "genes")
    assert list(second.views) == ["methyl"]
    assert f"each sheet of “{path.name}” was taken as a file of its own." in map(str, first.notes)
    [alone] = read(path, "methyl")
    np.testing.assert_array_equal(alone.views["methyl"], second.views["methyl"])
    assert "There is no sheet called “rna”" in refusal(path, "rna")


def test_hidden_empty_and_explaining_sheets_are_left_out(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", data=rows(), secret=rows(), nothing=[], about=[["Made in May"], ["by us"]])
    made = openpyxl.load_workbook(path)
    made["secret"].sheet_state = "hidden"
    made.save(path)
    [found] = read(path)
    holds_all(found, "t")
    said = " ".join(map(str, found.notes))
    assert "the sheet “secret” is hidden" in said
    assert "“about” holds text about something else" in said
    assert len(read(path, "secret")) == 1


def test_a_sheet_of_labels_is_kept(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", data=rows(), label=[["kind"], *(["ab"[i % 2]] for i in range(M))])
    assert [list(part.columns) for part in read(path)] == [[], ["column 1"]]


def test_empty_rows_and_columns_and_a_title_stand_outside_the_table(tmp_path: Path) -> None:
    table = [[None, None, *row] for row in rows()]
    path = book(tmp_path / "t.xlsx", data=[[], ["", "", "Table 1. What we saw"], [], *table])

    def merge(sheet: Any) -> None:
        sheet.merge_cells("C2:F2")
        sheet.row_dimensions[2].hidden = True

    [found] = read(edited(path, merge))
    holds_all(found, "t")
    assert "“Table 1. What we saw” above the table was taken as its title, not as a sample." in map(str, found.notes)


def test_groups_of_columns_under_merged_headings_are_views(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", data=[[None, "rna", None, "size"], *rows()])

    def merge(sheet: Any) -> None:
        sheet.insert_cols(1, 2)  # the table begins in column C
        sheet.merge_cells("D1:E1")

    [found] = read(edited(path, merge))
    np.testing.assert_allclose(found.views["rna"], X[:, :2], rtol=1e-15)
    np.testing.assert_allclose(found.columns["c"], X[:, 2], rtol=1e-15)


def test_merged_cells_in_the_table_are_refused(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", data=rows())
    message = refusal(edited(path, lambda sheet: sheet.merge_cells("B4:B6")))
    assert message.startswith("The sheet “data” of “t.xlsx” merges the cells B4:B6")


def test_stray_text_is_told_by_its_row(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", data=rows())
    with pytest.raises(DataError, match="“see note” in row 5"):
        read(edited(path, lambda sheet: sheet.cell(5, 3, "see note")))


def test_errors_dates_and_truth_values(tmp_path: Path) -> None:
    table = [["x", "day", "ok"], *([float(i), datetime.date(2024, 1, i + 1), i % 2 == 0] for i in range(M))]
    path = book(tmp_path / "t.xlsx", data=table)
    [found] = read(edited(path, lambda sheet: sheet.cell(4, 1, "#DIV/0!")))
    assert np.isnan(found.views["t"][:, 0]).tolist() == [i == 2 for i in range(M)]
    assert found.columns["day"][0].startswith("2024-01-01")
    assert found.columns["ok"][:2].tolist() == ["true", "false"]


def test_a_workbook_with_a_password_is_told(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    path.write_bytes(OLE + bytes(600) + "EncryptedPackage".encode("utf-16-le") + bytes(99))
    assert refusal(path).startswith("“t.xlsx” is protected by a password.")


def test_other_kinds_and_damaged_workbooks_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    path.write_bytes(b"a,b\n1,2\n")
    assert "is no Excel workbook" in refusal(path)
    whole = book(tmp_path / "w.xlsx", data=rows()).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert "is damaged or cut off" in refusal(path)
    (tmp_path / "t.xls").write_bytes(OLE + bytes(2000))
    assert "is damaged or cut off" in refusal(tmp_path / "t.xls")


def repacked(path: Path, change: Any) -> Path:
    """The workbook with the XML of its first sheet changed."""
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, change(content) if name == "xl/worksheets/sheet1.xml" else content)
    return path


@pytest.mark.parametrize(
    "change",
    [
        lambda xml: xml.replace(b'r="B3"', b'r="XFD1048576"'),
        lambda xml: xml.replace(b"</sheetData>", b"</sheetData>" + b" " * 30_000_000),
        lambda xml: b'<!DOCTYPE a [<!ENTITY b "c">]>' + xml.partition(b"?>")[2],
    ],
)
def test_bombs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    monkeypatch.setenv(READ_LIMIT, "0.05")
    path = repacked(book(tmp_path / "t.xlsx", data=rows()), change)
    assert path.stat().st_size < 100_000
    refusal(path)


def test_without_the_library_one_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = book(tmp_path / "t.xlsx", data=rows())
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    assert refusal(path) == (
        "Reading “t.xlsx” needs fastexcel, which is not installed. Install it with: python -m pip install fastexcel"
    )


def test_a_workbook_is_opened_like_any_file(tmp_path: Path) -> None:
    head, *below = rows(-X)
    path = book(tmp_path / "t.xlsx", genes=rows(), methyl=[head, *below[::-1]], label=[[i % 2] for i in range(M)])
    loaded = load_source(path)
    assert loaded.data.view_names == ("genes", "methyl")
    np.testing.assert_array_equal(loaded.data.Xs[0], -loaded.data.Xs[1])
    assert loaded.data.labels is not None
    one = load_source(f"{path}:genes", roles={"b": "colour"})
    assert one.data.view_names == ("genes",)
    assert one.data.Xs[0].shape == (M, 2)
    assert load_source(one.sources[0]).data.Xs[0].shape == (M, 3)


def test_names_that_lie_about_the_kind_are_told(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", data=rows()).rename(tmp_path / "t.csv")
    with pytest.raises(DataError, match=r"“t.csv” is an Excel workbook, not a table of text. Rename it to “t.xlsx”"):
        load_source(path)
    (tmp_path / "u.csv").write_bytes(b"PAR1" + bytes(30))
    with pytest.raises(DataError, match=r"“u.csv” is a Parquet file"):
        load_source(tmp_path / "u.csv")


def test_a_row_of_totals_is_no_sample(tmp_path: Path) -> None:
    """Where its numbers are sums or means; also where they are formulas. Otherwise it may be one that is called so."""
    sums = ["Total", *X.sum(axis=0).tolist()]
    formulas = ["Sum", *(f"=SUM({c}2:{c}8)" for c in "BCD")]
    for name, last in {"sums": sums, "formulas": formulas}.items():
        [found] = read(book(tmp_path / f"{name}.xlsx", t=[*rows(), last]))
        holds_all(found, name)
        assert f"the last row, “{last[0]}”, sums up the others and was left out." in found.notes
    [found] = read(book(tmp_path / "called.xlsx", t=[*rows(), ["Total", 1.0, 2.0, 3.0]]))
    assert len(found.views["called"]) == M + 1
    assert any("was taken as a sample; delete it" in note for note in found.notes)
    table = [["id", *NAMES], *(["s", *row] for row in np.round(X, 3).tolist())]
    means = ["average", *np.round(X, 3).mean(axis=0).tolist()]
    text = "\n".join(",".join(map(str, row)) for row in [*table, means])
    (tmp_path / "t.csv").write_text(text)
    assert len(read_table(tmp_path / "t.csv").views["t"]) == M


def test_formulas_without_values_are_refused(tmp_path: Path) -> None:
    table = [[*row, f"=B{i + 1}*2" if i else "twice"] for i, row in enumerate(rows())]
    assert "holds formulas without their values, such as E2" in refusal(book(tmp_path / "t.xlsx", t=table))
