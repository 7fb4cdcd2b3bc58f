"""CSV and TSV files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mvexplorer.errors import DataError, MissingValuesError, MixedColumnError
from mvexplorer.io.reading.files import Loaded, read_files
from mvexplorer.io.tables import grid

QUICK = settings(deadline=None, derandomize=True, max_examples=50)
NUMBERS = [[1.5, 2.0], [3.0, -4.25], [5e-3, 6e10]]


def write(folder: Path, text: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def read(folder: Path, text: str | bytes, name: str = "t.csv", **keywords: object) -> Loaded:
    return read_files([write(folder, text, name)], **keywords)  # type: ignore[arg-type]


def ends_well(folder: Path, text: str | bytes) -> bool:
    """Whether reading gives data, or an error that says what happened and what to do."""
    try:
        return read(folder, text).data.n_samples >= 3
    except DataError as error:
        return bool(error.message and error.hint)


def said(loaded: Loaded, words: str) -> bool:
    return any(words in note for note in loaded.notes)


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1.5,2\n3,-4.25\n5e-3,6E+10\n",
        "a\tb\r\n1.5\t2\r\n3\t-4.25\r\n.005\t60000000000\r\n",
        "a;b\n1.5;2\n3;-4.25\n5e-3;6e10",
        "a;b\n1,5;2\n3;-4,25\n0,005;6e10\n",
        "\ufeffa,b\n1.5,2\n3,-4.25\n5e-3,6e10\n",
        '"a","b"\n"1.5","2"\n3,-4.25\n5e-3,6e10\n',
        "a, b\n 1.5 , +2\n3., -4.25\n\n5e-3, 6e10\n\n",
        "1.5,2\n3,-4.25\n5e-3,6e10\n",
        "1.5 2\n3   -4.25\n 5e-3 6e10\n",
        "a b\n1.5 2\n3 -4.25\n5e-3 6e10\n",
        "a,b\r1.5,2\r3,-4.25\r5e-3,6e10",
        "a,b,\n1.5,2,\n3,-4.25,\n5e-3,6e10,\n",
    ],
)
def test_dialects(tmp_path: Path, text: str) -> None:
    loaded = read(tmp_path, text)
    np.testing.assert_array_equal(loaded.data.Xs[0], NUMBERS)
    assert loaded.data.view_names == ("t",)
    assert loaded.sources == (str(tmp_path / "t.csv"),)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "latin-1"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    loaded = read(tmp_path, "größe,art\n1,süß\n2,süß\n4,sauer\n".encode(encoding))
    assert loaded.data.columns["art"].tolist() == ["süß", "süß", "sauer"]
    assert said(loaded, "Latin-1") == (encoding == "latin-1")


def test_without_header_no_sample_is_lost(tmp_path: Path) -> None:
    loaded = read(tmp_path, "5,1,2\n3,4,5\n6,7,8\n")
    assert loaded.data.n_samples == 3
    assert said(loaded, "the first row was taken as a sample")


@pytest.mark.parametrize(
    ("header", "n_samples", "n_columns", "labelled"),
    [
        ("0,1,2,3", 3, 4, False),
        ("0,1,2,0", 3, 3, True),
        ("0,1,2,label", 3, 3, True),
        ("0,1,2,3.5", 3, 3, True),
        ("0,1,3,4", 4, 4, False),
        ("1,2,3,4", 4, 4, False),
        ("0.0,1.0,2.0,3.0", 4, 4, False),
    ],
)
def test_header_of_numbers(tmp_path: Path, header: str, n_samples: int, n_columns: int, labelled: bool) -> None:
    loaded = read(tmp_path, f"{header}\n9,8,7,1\n6,5,5,1\n3,2,1,2\n")
    assert loaded.data.Xs[0].shape == (n_samples, n_columns)
    assert (loaded.data.labels is not None) == labelled
    assert said(loaded, "was taken as a header of column numbers") == (n_samples == 3)


def test_short_run_is_data(tmp_path: Path) -> None:
    assert read(tmp_path, "0,1\n5,6\n7,8\n").data.n_samples == 3


@pytest.mark.parametrize("name", ["label", "Labels", "class", "TARGET", "y"])
def test_label_column(tmp_path: Path, name: str) -> None:
    loaded = read(tmp_path, f"a,{name},b\n1,2.0,3\n4,0,6\n7,2,9\n")
    np.testing.assert_array_equal(loaded.data.labels, [2, 0, 2])
    assert loaded.data.labels is not None
    assert loaded.data.labels.dtype == np.int64
    assert loaded.data.Xs[0].shape == (3, 2)
    assert said(loaded, f"column “{name}” was taken as the label")


def test_text_labels_and_gaps(tmp_path: Path) -> None:
    loaded = read(tmp_path, "a,class\n1,cat\n2,\n3,dog\n")
    assert np.asarray(loaded.data.labels).tolist() == ["cat", "unlabelled", "dog"]
    loaded = read(tmp_path, "a,class\n1,7\n2,\n3,8\n")
    assert np.asarray(loaded.data.labels).tolist() == ["7", "unlabelled", "8"]


def test_coordinates_x_and_y_are_features(tmp_path: Path) -> None:
    rows = "".join(f"{i},{i * 0.37},{-i * 0.1}\n" for i in range(50))
    loaded = read(tmp_path, f"x,y,z\n{rows}")
    assert loaded.data.Xs[0].shape == (50, 3)
    assert loaded.data.labels is None


def test_measurements_are_no_labels(tmp_path: Path) -> None:
    rows = "".join(f"{i},{i * 0.37}\n" for i in range(50))
    loaded = read(tmp_path, f"a,target\n{rows}")
    assert loaded.data.labels is None
    assert loaded.data.Xs[0].shape == (50, 1)
    assert "target" in loaded.data.columns
    assert said(loaded, "“target” is offered for colouring")


def test_the_cells_of_a_wide_table_are_one_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a piece for each column every look at a row would go through all pieces."""
    pieces: list[int] = []
    indexed = grid.long_cells

    def count(cells: pl.Series, n_rows: int) -> grid.Cells:
        pieces.append(cells.n_chunks())
        return indexed(cells, n_rows)

    monkeypatch.setattr(grid, "long_cells", count)
    rows = [[f"gene{i}" for i in range(200)], *([str(i + j) for i in range(200)] for j in range(4))]
    assert read(tmp_path, "\n".join(map(",".join, rows))).data.Xs[0].shape == (4, 200)
    assert pieces == [1]


def test_two_label_columns(tmp_path: Path) -> None:
    loaded = read(tmp_path, "target,a,label\n1,2,x\n1,3,y\n2,4,x\n")
    assert np.asarray(loaded.data.labels).tolist() == ["x", "y", "x"]
    np.testing.assert_array_equal(loaded.data.columns["target"], [1, 1, 2])
    assert loaded.data.Xs[0].shape == (3, 1)


@pytest.mark.parametrize("header", ["id,a,b", "Sample,a,b", ",a,b", '"","a","b"', "a,b"])
def test_names_of_samples(tmp_path: Path, header: str) -> None:
    # The last header is R's, which has no name for the row names.
    loaded = read(tmp_path, f"{header}\np1,1,2\np2,3,4\np3,5,6\n")
    assert loaded.data.sample_ids == ("p1", "p2", "p3")
    assert loaded.data.Xs[0].shape == (3, 2)


def test_text_columns_colour(tmp_path: Path) -> None:
    loaded = read(tmp_path, "a,site,b\n1,north,2\n3,,4\n5,south,6\n")
    assert loaded.data.columns["site"].tolist() == ["north", "unlabelled", "south"]
    assert loaded.data.Xs[0].shape == (3, 2)
    assert said(loaded, "“site” holds text")


def test_text_column_without_header(tmp_path: Path) -> None:
    loaded = read(tmp_path, "north,1,2\nsouth,3,4\nnorth,5,7\n")
    assert loaded.data.columns["column 1"].tolist() == ["north", "south", "north"]
    assert loaded.data.n_samples == 3


def test_views_in_the_header(tmp_path: Path) -> None:
    text = "id,rna:g1,protein:p1,rna:g2,age,label\n1,2,3,4,50,0\n2,3,4,5,60,1\n3,4,5,7,70,1\n"
    loaded = read(tmp_path, text)
    assert loaded.data.view_names == ("rna", "protein")
    np.testing.assert_array_equal(loaded.data.Xs[0], [[2, 4], [3, 5], [4, 7]])
    np.testing.assert_array_equal(loaded.data.columns["age"], [50, 60, 70])
    assert said(loaded, "“age” belongs to no view")


def test_quoted_fields(tmp_path: Path) -> None:
    loaded = read(tmp_path, 'note,a\n"one, two",1\n"say ""hi""",2\n"over\nlines",3\n')
    assert loaded.data.columns["note"].tolist() == ["one, two", 'say "hi"', "over lines"]


def test_named_label_and_id(tmp_path: Path) -> None:
    text = "key,group,a,b\nk1,x,1,2\nk2,y,3,4\nk3,x,5,6\n"
    loaded = read(tmp_path, text, labels="group", ids="key")
    assert np.asarray(loaded.data.labels).tolist() == ["x", "y", "x"]
    assert loaded.data.sample_ids == ("k1", "k2", "k3")
    assert loaded.data.columns == {}


def test_labels_asked_for_win(tmp_path: Path) -> None:
    loaded = read(tmp_path, "label,group,a\n0,1,1\n0,2,2\n1,2,3\n", labels="group")
    np.testing.assert_array_equal(loaded.data.labels, [1, 2, 2])
    assert loaded.data.Xs[0].shape == (3, 1)


@pytest.mark.parametrize("cell", ["", "NA", "nan", "NaN", "null", "?", "inf", "-Inf"])
def test_missing_values(tmp_path: Path, cell: str) -> None:
    text = f"a,b,label\n1,2,0\n3,{cell},1\n5,6,0\n7,8,1\n"
    with pytest.raises(MissingValuesError, match="1 of 4 rows hold missing or infinite values") as caught:
        read(tmp_path, text)
    assert caught.value.rows == (1,)
    loaded = read(tmp_path, text, drop_missing=True)
    np.testing.assert_array_equal(loaded.data.Xs[0], [[1, 2], [5, 6], [7, 8]])
    np.testing.assert_array_equal(loaded.data.labels, [0, 0, 1])
    assert loaded.data.sample_ids == ("0", "2", "3")
    assert said(loaded, "1 of 4 samples lack a number and were dropped in all views")


def test_empty_column_is_left_out(tmp_path: Path) -> None:
    loaded = read(tmp_path, "a,b,c\n1,,2\n3,,4\n5,,6\n")
    assert loaded.data.Xs[0].shape == (3, 2)
    assert said(loaded, "column “b” is empty")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The file “t.csv” is empty."),
        ("\n \n", "The file “t.csv” is empty."),
        ("a,b,label\n", "header but no rows"),
        ('a,b\n1,"2\n3,4\n5,6\n', "A quotation mark on line 2 of “t.csv” is not closed."),
        ('a,b\n1,"2\n' + "3,4\n" * 500, "A quotation mark on line 2 of “t.csv” is not closed."),
        ('a,b\n1,2""3\n3,4\n5,6\n', "holds text where numbers belong: “2.*3” on line 2"),
        ("a,b\n1,2\n".encode("utf-16")[:-1] + b"\x00\x00", "The file “t.csv” is not a table of text."),
        ("label,a\n", "has a header but no rows"),
        ("a,b\n1,2\n3,4,5\n6,7\n", "Line 3 of “t.csv” has 3 fields where the others have 2."),
        ("a,b\n1,2\n\n3\n6,7\n", "Line 4 of “t.csv” has 1 field where the others have 2."),
        ("a,b\n1,2\n3,oops\n\n5,6\n7,8\n", "Column “b” of “t.csv” holds text where numbers belong: “oops” on line 3"),
        ("1,2\n3,4\n5,oops\n7,8\n", "Column “column 2” of “t.csv” holds text .* on line 3"),
        ("oops,2.5\n3,4\n5,6\n7,8\n", "Column “column 1” .* “oops” on line 1"),
        ("cat,dog\nhen,cow\nox,ass\n", "There is no table of numbers in “t.csv”"),
        ("a,b\n1,2\n3,4\n", "The data has 2 samples."),
        (b"\x00\x01\x02\xff\xfe" * 50, "The file “t.csv” is not a table of text."),
        (b"PK\x03\x04\x14\x00\x00\x00", "The file “t.csv” is not a table of text."),
    ],
)
def test_bad_tables(tmp_path: Path, text: str | bytes, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence) as caught:
        read(tmp_path, text)
    assert caught.value.hint
    assert "\n" not in str(caught.value)


def test_all_columns_with_a_text_among_their_numbers_are_told_and_settled_at_once(tmp_path: Path) -> None:
    rows = [["oops" if i == 3 and j % 2 else str(i * j) for j in range(70)] for i in range(8)]
    text = "\n".join(",".join(row) for row in [[f"v{j}" for j in range(70)], *rows])
    with pytest.raises(MixedColumnError) as caught:
        read(tmp_path, text)
    assert caught.value.message == (
        "Column “v1” of “t.csv” holds text where numbers belong: “oops” on line 5. So do 34 more columns."
    )
    colour, ignore = caught.value.offers
    assert (colour.title, ignore.title) == ("Use all 35 columns for colouring", "Leave out all 35 columns")
    names = [f"v{j}" for j in range(0, 70, 2)]
    assert [read(tmp_path, text, **offer.options).data.feature_names for offer in (colour, ignore)] == [
        (tuple(names),)
    ] * 2
    with pytest.raises(MixedColumnError, match=r"on line 3\. So does 1 more column\. Correct them,"):
        read(tmp_path, "a,b,c\n1,2,3\nx,y,4\n5,6,7\n5,6,7\n")


def test_every_row_incomplete(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Every sample lacks a number"):
        read(tmp_path, "a,b\n1,\n,2\n3,\n", drop_missing=True)


@QUICK
@given(
    table=arrays(
        np.float64,
        st.tuples(st.integers(3, 8), st.integers(1, 6)),
        elements=st.floats(allow_nan=False, allow_infinity=False),
    ),
    separator=st.sampled_from(["\t", ";", ","]),
    header=st.booleans(),
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_numbers_survive(
    tmp_path_factory: pytest.TempPathFactory,
    table: np.ndarray,
    separator: str,
    header: bool,
    newline: str,
) -> None:
    # Without a header, a first row that counts 0, 1, 2 would rightly be taken for one; repr writes "0.0".
    lines = [separator.join(f"f{i}" for i in range(table.shape[1]))] if header else []
    lines += [separator.join(repr(float(v)) for v in row) for row in table]
    folder = tmp_path_factory.mktemp("table")
    loaded = read(folder, newline.join(lines) + newline)
    np.testing.assert_array_equal(loaded.data.Xs[0], table)


@QUICK
@given(content=st.binary(min_size=1, max_size=300))
def test_any_bytes_end_in_data_or_a_sentence(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    assert ends_well(tmp_path_factory.mktemp("bytes"), content)


@QUICK
@given(
    rows=st.lists(
        st.lists(st.sampled_from(["1", "2.5", "x", "", '"', '"a,b"', "NA", "label", "a:b", "0"]), max_size=4),
        max_size=6,
    )
)
def test_any_table_ends_in_data_or_a_sentence(tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]]) -> None:
    text = "\n".join(",".join(row) for row in rows)
    assert ends_well(tmp_path_factory.mktemp("rows"), text)


@pytest.mark.parametrize("header", ["a;b", "a;b;label", None])
def test_semicolons_with_decimal_commas(tmp_path, header):
    labelled = header is not None and header.endswith("label")
    rows = ["1,5;2,5", "2,5;3,25", "-4,5;1"]
    lines = ([header] if header else []) + [f"{row};x{i}" if labelled else row for i, row in enumerate(rows)]
    loaded = read(tmp_path, "\n".join(lines) + "\n")
    assert loaded.data.Xs[0].tolist() == [[1.5, 2.5], [2.5, 3.25], [-4.5, 1.0]]
    assert any("decimal points" in note for note in loaded.notes)


def test_semicolons_divide_though_every_number_has_a_comma(tmp_path: Path) -> None:
    loaded = read(tmp_path, "1,5;2,5\n2,5;3,25\n-4,5;1,0\n")
    assert loaded.data.Xs[0].tolist() == [[1.5, 2.5], [2.5, 3.25], [-4.5, 1.0]]


def test_gaps_turn_with_their_table(tmp_path: Path) -> None:
    text = "gene,a,b,c,d\nx,1.5,NA,3,4\ny,4,5.5,6,1\nz,7,8,9.5,3\n"
    loaded = read(tmp_path, text, transpose=True, missing="median")
    np.testing.assert_array_equal(loaded.data.Xs[0], [[1.5, 4, 7], [3, 5.5, 8], [3, 6, 9.5], [4, 1, 3]])
    assert loaded.data.sample_ids == ("a", "b", "c", "d")


def test_one_column_of_decimal_commas(tmp_path: Path) -> None:
    loaded = read(tmp_path, "height\n0,5\n-1,25\n3,0\n")
    np.testing.assert_array_equal(loaded.data.Xs[0].ravel(), [0.5, -1.25, 3.0])
    assert said(loaded, "commas were taken as decimal points")
