"""What files leave open is told with the choice that was made, and is settled by an option."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mvexplorer.errors import DataError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.files import read_files
from mvexplorer.io.reading.inspection import inspect_files
from mvexplorer.io.reading.questions import offers_of

M = 24
RNG = np.random.default_rng(8)
X = RNG.normal(size=(M, 4)).round(4)
TEXT = [f"s{i}" for i in range(M)]


def write(path: Path, *columns: object, header: str = "") -> Path:
    rows = [",".join(map(str, row)) for row in zip(*columns, strict=True)]
    path.write_text("\n".join([*([header] if header else []), *rows]) + "\n", encoding="utf-8")
    return path


def similarity(folder: Path) -> list[Path]:
    np.save(folder / "k.npy", X @ X.T)
    return [folder / "k.npy"]


def adjacency(folder: Path) -> list[Path]:
    return [write(folder / "k.csv", *((X @ X.T > 0) * 1), header=",".join(f"n{i}" for i in range(M)))]


def wide(folder: Path) -> list[Path]:
    np.save(folder / "wide.npy", X.T)
    return [folder / "wide.npy"]


def two_ids(folder: Path) -> list[Path]:
    return [write(folder / "t.csv", TEXT, X[:, 0], X[:, 1], TEXT[::-1], header="patient,a,b,barcode")]


def same_columns(folder: Path) -> list[Path]:
    return [write(folder / f"{name}.csv", *(X + i).T, header="a,b,c,d") for i, name in enumerate("pq")]


def shared_numbers(folder: Path) -> list[Path]:
    return [write(folder / f"{n}.csv", X[:, 0], X[:, 1 + i], header=f"time,{n}") for i, n in enumerate("pq")]


def label_last(folder: Path) -> list[Path]:
    return [write(folder / "t.csv", *X.T, np.arange(M) % 3)]


def number_header(folder: Path) -> list[Path]:
    return [write(folder / "t.csv", *X.T, np.arange(M) % 3, header="0,1,2,3,4")]


def repeated_ids(folder: Path) -> list[Path]:
    return [write(folder / "t.csv", [*TEXT[:-1], TEXT[0]], *X.T, header="id,a,b,c,d")]


def ids_called_label(folder: Path) -> list[Path]:
    return [write(folder / "t.csv", [*TEXT[:-1], TEXT[0]], *X.T, header="Label,a,b,c,d")]


def ids_called_label_in_an_archive(folder: Path) -> list[Path]:
    np.savez(folder / "t.npz", X=X, gnd=np.array([*TEXT[:-1], TEXT[0]]))
    return [folder / "t.npz"]


def years_above(folder: Path) -> list[Path]:
    return [write(folder / "t.csv", TEXT, *X.T[:2], header="patient,2001,2002")]


def thousands(folder: Path) -> list[Path]:
    rows = [f"{1 + i}.{37 * i:03d};{900 + i}" for i in range(M)]
    return [write(folder / "t.csv", rows, header="a;b")]


def dates_of_two_meanings(folder: Path) -> list[Path]:
    visits = [f"{1 + i % 6:02d}/{1 + i % 3:02d}/2024" for i in range(M)]
    return [write(folder / "t.csv", TEXT, visits, *X.T[:2], header="patient,visit,a,b")]


CASES: dict[str, tuple[Callable[[Path], list[Path]], str, tuple[str, ...], dict[str, object]]] = {
    "similarity": (similarity, "similarity", ("k",), {"roles": {"k": "view"}}),
    "adjacency": (adjacency, "similarity", ("k",), {"views": ("k",)}),
    "more columns than rows": (wide, "many-features", ("wide",), {"transpose": True}),
    "two ids": (two_ids, "two-ids", ("patient", "barcode"), {"ids": "barcode"}),
    "two tables of the same columns": (same_columns, "same-columns", ("p.csv", "q.csv"), {"join": "position"}),
    "a unique column of fractions": (shared_numbers, "shared-numbers", ("time",), {"ids": "time"}),
    "names that are not unique": (repeated_ids, "repeated-ids", ("id",), {"roles": {"id": "id"}}),
    "ids called a label": (ids_called_label, "possible-ids", ("Label",), {"ids": "Label"}),
    "ids called a label, NPZ": (ids_called_label_in_an_archive, "possible-ids", ("gnd",), {"labels": "gnd"}),
    "label last": (label_last, "numeric-label", ("column 5",), {"labels": "column 5"}),
    "years above columns": (years_above, "header", (), {"header": "first"}),
    "dots before three digits": (thousands, "decimal-sign", ("a",), {"decimal": ","}),
    "dates of two meanings": (dates_of_two_meanings, "dates", ("visit",), {"dates": "month-first"}),
    "headers of numbers": (number_header, "numeric-label", ("4",), {"roles": {"4": "label"}}),
}


@pytest.mark.parametrize("case", CASES)
def test_a_doubt_is_told_and_settled(tmp_path: Path, case: str) -> None:
    make, code, subjects, option = CASES[case]
    files = make(tmp_path)
    found = inspect_files(files)
    assert [(doubt.code, doubt.subjects) for doubt in found.doubts] == [(code, subjects)]
    assert found.error is None
    for offer in offers_of(found.doubts[0]):
        assert inspect_files(files, ReadOptions(**offer.options)).doubts == (), offer.title
    settled = inspect_files(files, ReadOptions(**option))  # type: ignore[arg-type]
    assert (settled.error, settled.doubts) == (None, ())
    if code == "numeric-label":
        np.testing.assert_array_equal(settled.loaded.data.labels, np.arange(M) % 3)
        np.testing.assert_array_equal(settled.loaded.data.Xs[0], X)
    elif case == "dots before three digits":
        assert settled.loaded.data.Xs[0][:3].tolist() == [[1000, 900], [2037, 901], [3074, 902]]
        assert found.loaded.data.Xs[0][1].tolist() == [2.037, 901]
    elif case == "dates of two meanings":
        assert found.loaded.data.columns["visit"][4] == "05/02/2024"
        assert settled.loaded.data.columns["visit"][4] == "2024-05-02"
        day_first = inspect_files(files, ReadOptions(dates="day-first")).loaded.data
        assert day_first.columns["visit"][4] == "2024-02-05"
    elif case == "years above columns":
        assert (settled.loaded.data.n_samples, settled.loaded.data.feature_names) == (M, (("2001", "2002"),))
        assert inspect_files(files, ReadOptions(header="none")).loaded.data.n_samples == M + 1
    elif case == "more columns than rows":
        np.testing.assert_array_equal(settled.loaded.data.Xs[0], X)


@pytest.mark.parametrize(
    "columns",
    [
        (*X.T,),
        (*X.T, *((RNG.random((6, M)) > 0.5) * 1)),
        (*X.T, np.arange(M)),
        (*X.T, RNG.integers(0, 300, M)),
    ],
    ids=["fractions", "bits", "row numbers", "counts"],
)
def test_ordinary_tables_are_not_doubted(tmp_path: Path, columns: tuple[object, ...]) -> None:
    assert not inspect_files([write(tmp_path / "t.csv", *columns)]).doubts


@pytest.mark.parametrize("ending", ["csv", "npz"])
def test_texts_that_all_differ_name_the_samples_whatever_they_are_called(tmp_path: Path, ending: str) -> None:
    if ending == "csv":
        path = write(tmp_path / "t.csv", TEXT, *X.T, header="label,a,b,c,d")
    else:
        np.savez(path := tmp_path / "t.npz", X=X, label=np.array(TEXT))
    found = inspect_files([path])
    assert (found.error, found.doubts, found.loaded.data.labels) == (None, (), None)
    assert list(found.loaded.data.sample_ids) == TEXT
    assert read_files([path], labels="label").data.labels.tolist() == TEXT
    few = write(tmp_path / "few.csv", TEXT[:12], *X[:12].T, header="label,a,b,c,d")
    assert read_files([few]).data.labels is not None  # so few classes may differ by chance


def test_labels_for_some_of_the_samples_are_told(tmp_path: Path) -> None:
    labels = ["" if i % 4 == 0 else "ab"[i % 2] for i in range(M)]
    loaded = read_files([write(tmp_path / "t.csv", *X.T, labels, header="a,b,c,d,label")])
    (note,) = [note for note in loaded.notes if note.code == "some-unlabelled"]
    assert note.startswith("6 of 24 samples have no label")


def labels_of_some(folder: Path) -> dict[str, object]:
    kinds = write(folder / "kinds.csv", list("ab") * 5)
    return {"paths": [write(folder / "t.csv", *X.T)], "labels": str(kinds)}


def no_id_in_common(folder: Path) -> dict[str, object]:
    first = write(folder / "a.csv", TEXT, X[:, 0], header="id,u")
    return {"paths": [first, write(folder / "b.csv", [f"p{i}" for i in range(M)], X[:, 1], header="id,v")]}


def a_repeated_id(folder: Path) -> dict[str, object]:
    twice = [*TEXT[:-1], TEXT[0]]
    first = write(folder / "a.csv", twice, X[:, 0], header="id,u")
    return {"paths": [first, write(folder / "b.csv", TEXT, X[:, 1], header="id,v")]}


def no_features(folder: Path) -> dict[str, object]:
    return {"paths": [write(folder / "names.csv", TEXT, header="id")]}


def an_image(folder: Path) -> dict[str, object]:
    (folder / "t.csv").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    return {"paths": [folder / "t.csv"]}


REFUSED: dict[str, tuple[Callable[[Path], dict[str, object]], str]] = {
    "labels for some": (labels_of_some, "“kinds.csv” has 10 rows for 24 samples"),
    "no id in common": (no_id_in_common, "0 of 24 and 0 of 24 samples are in both files"),
    "a repeated id": (a_repeated_id, "“a.csv” names “s0” twice in column “id”"),
    "only ids": (no_features, "There is no table of numbers in “names.csv”"),
    "wrong ending": (an_image, "“t.csv” is a picture, not a table of text"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_gets_a_sentence_and_what_to_do(tmp_path: Path, case: str) -> None:
    make, sentence = REFUSED[case]
    with pytest.raises(DataError) as caught:
        read_files(**make(tmp_path))  # type: ignore[arg-type]
    assert sentence in caught.value.message
    assert caught.value.hint


def test_a_table_of_one_column_is_a_view(tmp_path: Path) -> None:
    found = inspect_files([write(tmp_path / "t.csv", X[:, 0], header="height")])
    assert found.error is None
    assert (found.views[0].shape, found.doubts) == ((M, 1), ())


def test_joining_is_told_with_counts(tmp_path: Path) -> None:
    first = write(tmp_path / "a.csv", TEXT, X[:, 0], header="id,u")
    second = write(tmp_path / "b.csv", TEXT[4:], X[4:, 1], header="id,v")
    found = inspect_files([first, second])
    assert "20 of 24 and 20 of 20 samples are in both files" in str(found.error)
    joined = inspect_files([first, second], ReadOptions(join="intersect"))
    assert "20 of 24 in a.csv, 20 of 20 in b.csv" in joined.join
    assert joined.join.endswith("20 samples.")
    position = inspect_files(same_columns(tmp_path))
    assert position.join.endswith("paired by position. 24 samples.")


def test_a_column_of_text_that_differs_in_every_row_names_the_samples(tmp_path: Path) -> None:
    """Whatever it is called; of a few rows, or with a gap, it may be anything."""
    table = write(tmp_path / "t.csv", X[:, 0], TEXT, ["ab"[i % 2] for i in range(M)], header="a,fall,befund")
    loaded = read_files([table])
    assert loaded.data.sample_ids == tuple(TEXT)
    assert [note.subjects for note in loaded.notes if note.code == "sample-names"] == [("fall",)]
    assert {item.name: item.role for item in inspect_files([table]).items}["fall"] == "id"
    assert "fall" in read_files([table], roles={"fall": "colour"}).data.columns
    few = write(tmp_path / "few.csv", X[:6, 0], TEXT[:6], header="a,fall")
    holes = write(tmp_path / "holes.csv", X[:, 0], ["", *TEXT[1:]], header="a,fall")
    for path in (few, holes):
        assert "fall" in read_files([path]).data.columns
