"""Rows of several files: paired by the samples' names, whatever these are called; what is in doubt is asked."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from mvexplorer.datasets.loading import load
from mvexplorer.errors import DataError, ParameterError, RowsError
from mvexplorer.io.reading.files import Loaded, read_files

RNG = np.random.default_rng(5)
M = 30
X, Y, Z = (RNG.normal(size=(M, d)).round(3) for d in (3, 2, 4))
WHO = [f"P{i:03d}" for i in RNG.permutation(900)[:M]]
ORDER = [RNG.permutation(M) for _ in range(2)]


def table(path: Path, numbers: np.ndarray, rows: Sequence[int] = range(M), **columns: Sequence[object]) -> Path:
    """A CSV file of these rows: the columns, then features called after the file."""
    header = [*columns, *(f"{path.stem}{j}" for j in range(numbers.shape[1]))]
    lines = [[*(str(values[i]) for values in columns.values()), *map(str, numbers[i])] for i in rows]
    path.write_text("\n".join(",".join(line) for line in [header, *lines]) + "\n", encoding="utf-8")
    return path


def shuffled(folder: Path, keys: Sequence[object] = WHO, names: Sequence[str] = ("patient_id",) * 3) -> list[Path]:
    """Three files of the same samples, the second and the third in orders of their own."""
    return [
        table(folder / "a.csv", X, **{names[0]: keys}),
        table(folder / "b.csv", Y, ORDER[0], **{names[1]: keys}),
        table(folder / "c.csv", Z, ORDER[1], **{names[2]: keys}),
    ]


def assert_paired(loaded: Loaded, rows: Sequence[int] = range(M)) -> None:
    for found, numbers in zip(loaded.data.Xs, (X, Y, Z), strict=False):
        np.testing.assert_array_equal(found, numbers[list(rows)])


def offers(error: RowsError) -> list[dict[str, object]]:
    return [dict(offer.options) for offer in error.offers]


# Names that decide ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keys", [WHO, [1000 + 7 * i for i in range(M)]], ids=["text", "whole numbers"])
@pytest.mark.parametrize("names", [("patient_id",) * 3, ("patient", "Kürzel", "who")], ids=["one name", "three names"])
def test_a_column_of_the_same_values_names_the_samples(tmp_path, keys, names):
    loaded = read_files(shuffled(tmp_path, keys, names))
    assert_paired(loaded)
    assert loaded.data.sample_ids == tuple(map(str, keys))
    assert not loaded.data.columns
    [named] = [note for note in loaded.notes if "taken as the samples' names" in note]
    assert named.subjects == tuple(dict.fromkeys(names))
    assert any(note.startswith("b.csv, c.csv: the rows were put into the order of a.csv") for note in loaded.notes)
    assert not any("offered for colouring" in note for note in loaded.notes)


def test_names_in_the_same_order_are_no_feature_either(tmp_path):
    numbers = [5 * i for i in range(M)]
    paths = [table(tmp_path / "a.csv", X, nr=numbers), table(tmp_path / "b.csv", Y, nr=numbers)]
    loaded = read_files(paths)
    assert_paired(loaded)
    assert loaded.data.sample_ids == tuple(map(str, numbers))


def test_numbers_are_compared_as_numbers(tmp_path):
    a = table(tmp_path / "a.csv", X, nr=[100 + i for i in range(M)])
    b = table(tmp_path / "b.csv", Y, ORDER[0], nr=[f"{100 + i}.0" for i in range(M)])
    assert_paired(read_files([a, b]))


def test_long_numbers_are_names_to_the_last_digit(tmp_path):
    keys = [f"{9_007_199_254_740_993 + i}" for i in range(M)]
    loaded = read_files(shuffled(tmp_path, keys))
    assert_paired(loaded)
    assert loaded.data.sample_ids == tuple(keys)


def test_text_is_preferred_and_the_other_names_are_no_features(tmp_path):
    numbers = [500 + 3 * i for i in range(M)]
    a = table(tmp_path / "a.csv", X, row=numbers, who=WHO)
    b = table(tmp_path / "b.csv", Y, ORDER[0], row=numbers, who=WHO)
    loaded = read_files([a, b])
    assert_paired(loaded)
    assert loaded.data.sample_ids == tuple(WHO)


def test_two_columns_that_contradict_each_other_are_asked_about(tmp_path):
    a = table(tmp_path / "a.csv", X, sample=list(range(M)), who=WHO)
    b = tmp_path / "b.csv"
    table(b, Y[ORDER[0]], sample=list(range(M)), who=[WHO[i] for i in ORDER[0]])
    with pytest.raises(RowsError, match=r"“sample” .*“who”|“who” .*“sample”") as caught:
        read_files([a, b])
    assert {"ids": "who"} in offers(caught.value)
    assert_paired(read_files([a, b], ids="who"))
    np.testing.assert_array_equal(read_files([a, b], ids="sample").data.Xs[1], Y[ORDER[0]])


@pytest.mark.parametrize("name", ["", "Unnamed: 0", "count"])
def test_row_numbers_written_after_a_shuffle_do_not_outdo_names(tmp_path, name):
    a = table(tmp_path / "a.csv", X, **{name: list(range(M)), "who": WHO})
    b = tmp_path / "b.csv"
    table(b, Y[ORDER[0]], **{name: list(range(M)), "who": [WHO[i] for i in ORDER[0]]})
    loaded = read_files([a, b])
    assert_paired(loaded)
    assert loaded.data.sample_ids == tuple(WHO)


def test_ranks_are_not_names(tmp_path):
    # Two features that are permutations of 1 .. M by their nature: joining by them would be as wrong as can be.
    a = table(tmp_path / "a.csv", X, rank=[int(i) + 1 for i in ORDER[0]])
    b = table(tmp_path / "b.csv", Y, place=[int(i) + 1 for i in ORDER[1]])
    with pytest.raises(RowsError) as caught:
        read_files([a, b])
    assert offers(caught.value)[-1] == {"join": "position"}
    np.testing.assert_array_equal(read_files([a, b], join="position").data.Xs[1][:, 1:], Y)
    every = {f"r{j}": [int(i) + 1 for i in RNG.permutation(M)] for j in range(3)}
    more = [table(tmp_path / "c.csv", X, **every), table(tmp_path / "d.csv", Y, **every)]
    assert read_files(more).data.Xs[0].shape == (M, 6)


def test_names_of_arrays_and_tables(tmp_path):
    a = table(tmp_path / "a.csv", X, patient=WHO)
    np.savez(tmp_path / "b.npz", Y=Y[ORDER[0]], who=np.array(WHO)[ORDER[0]])
    loaded = read_files([a, tmp_path / "b.npz"])
    assert_paired(loaded)
    assert loaded.data.sample_ids == tuple(WHO)


# What is in doubt ---------------------------------------------------------------------------------------------


def test_fractions_in_another_order_are_offered_not_taken(tmp_path):
    time = (np.arange(M) * 0.731).round(3).tolist()
    a, b = table(tmp_path / "a.csv", X, time=time), table(tmp_path / "b.csv", Y, ORDER[0], seconds=time)
    with pytest.raises(RowsError, match=r"“time” .* in another order") as caught:
        read_files([a, b])
    assert offers(caught.value) == [{"ids": "time"}, {"join": "position"}]
    assert [offer.title for offer in caught.value.offers] == ["Join by time", "Pair by position"]
    assert "--ids time" in caught.value.in_shell
    assert 'join="position"' in caught.value.hint
    assert_paired(read_files([a, b], ids="time"))
    by_position = read_files([a, b], join="position")
    np.testing.assert_array_equal(by_position.data.Xs[1][:, 1:], Y[ORDER[0]])
    assert any("by position, as asked" in note for note in by_position.notes)


def test_fractions_in_the_same_order_are_features(tmp_path):
    time = (np.arange(M) * 0.731).round(3).tolist()
    loaded = read_files([table(tmp_path / "a.csv", X, time=time), table(tmp_path / "b.csv", Y, time=time)])
    assert [len(X.T) for X in loaded.data.Xs] == [4, 3]


def test_partly_shared_names_are_counted_and_the_intersection_is_offered(tmp_path):
    a = table(tmp_path / "a.csv", X, range(28), patient_id=WHO)
    b = table(tmp_path / "b.csv", Y, [i for i in ORDER[0] if i >= 3], patient=WHO)
    with pytest.raises(RowsError, match="25 of 28 and 25 of 27 samples are in both files") as caught:
        read_files([a, b])
    assert offers(caught.value) == [{"join": "intersect"}, {"samples": "union"}]
    loaded = read_files([a, b], join="intersect")
    assert_paired(loaded, range(3, 28))
    assert loaded.data.sample_ids == tuple(WHO[3:28])
    assert any("25 of 28 in a.csv, 25 of 27 in b.csv" in note for note in loaded.notes)


def test_partly_shared_names_of_equal_number_are_not_paired_by_position(tmp_path):
    nr = [10_000 + 13 * i for i in range(M)]
    a = table(tmp_path / "a.csv", X, range(27), patient_no=nr)
    b = table(tmp_path / "b.csv", Y, range(3, 30), PatientNo=nr)
    with pytest.raises(RowsError, match="24 of 27 and 24 of 27") as caught:
        read_files([a, b])
    assert offers(caught.value) == [{"join": "intersect"}, {"samples": "union"}]


def test_names_that_differ_in_their_form_are_offered(tmp_path):
    a = table(tmp_path / "a.csv", X, who=[f"P{i:03d}" for i in range(M)])
    b = table(tmp_path / "b.csv", Y, ORDER[0], who=[f"p-{i}" for i in range(M)])
    with pytest.raises(RowsError, match="“P000” and “p-0”") as caught:
        read_files([a, b])
    assert offers(caught.value) == [{"join": "id"}, {"join": "position"}]
    assert_paired(read_files([a, b], join="id"))


@pytest.mark.parametrize(
    ("name", "says", "ways"),
    [("P7", "names “P7” twice", ["first", "drop"]), ("", "a row without a name", ["drop"])],
)
def test_names_that_do_not_tell_samples_apart(tmp_path, name, says, ways):
    who = [f"P{i}" for i in range(M)]
    a = table(tmp_path / "a.csv", X, who=who)
    b = table(tmp_path / "b.csv", Y, ORDER[0], who=[name if i == 9 else w for i, w in enumerate(who)])
    with pytest.raises(RowsError, match=says) as caught:
        read_files([a, b])
    assert offers(caught.value) == [{"repeated": way} for way in ways]


def test_a_file_without_names_is_paired_by_position_and_that_is_said(tmp_path):
    paths = [*shuffled(tmp_path)[:2], tmp_path / "plain.npy"]
    np.save(paths[2], Z)
    loaded = read_files(paths)
    assert_paired(loaded)
    assert any("plain.npy does not name its samples" in note for note in loaded.notes)


def test_files_without_any_names_are_paired_by_position(tmp_path):
    loaded = read_files([table(tmp_path / "a.csv", X), table(tmp_path / "b.csv", Y)])
    assert_paired(loaded)
    assert not any("position" in note for note in loaded.notes)


def test_joining_by_names_that_are_not_there(tmp_path):
    with pytest.raises(RowsError, match="No column names the same samples"):
        read_files([table(tmp_path / "a.csv", X), table(tmp_path / "b.csv", Y)], join="id")


def test_an_unknown_way_of_joining_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="cannot be joined by “left”"):
        load([str(table(tmp_path / "a.csv", X))], join="left")  # type: ignore[arg-type]


def test_the_error_survives_pickle(tmp_path):
    a, b = table(tmp_path / "a.csv", X, range(28), who=WHO), table(tmp_path / "b.csv", Y, range(3, 30), who=WHO)
    with pytest.raises(RowsError) as caught:
        read_files([a, b])
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.offers) == (str(caught.value), caught.value.offers)


# Labels -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("header", ["patient_id,diagnosis", "nr;grade"])
def test_labels_in_a_file_of_their_own_follow_the_names(tmp_path, header):
    paths = shuffled(tmp_path)
    kinds = ["MBX"[i % 3] for i in range(M)]
    separator = ";" if ";" in header else ","
    more = [f"Q{i}{separator}M" for i in range(5)]  # samples that the data lacks
    lines = [header, *(f"{WHO[i]}{separator}{kinds[i]}" for i in RNG.permutation(M)), *more]
    (tmp_path / "clinic.csv").write_text("\n".join(lines))
    for loaded in (
        read_files(paths, labels=str(tmp_path / "clinic.csv")),
        read_files([*paths, tmp_path / "clinic.csv"]),
    ):
        assert np.asarray(loaded.data.labels).tolist() == kinds
        assert_paired(loaded)


def test_labels_for_only_some_of_the_samples(tmp_path):
    paths = shuffled(tmp_path)
    lines = ["patient_id,diagnosis", *(f"{WHO[i]},{'MB'[i % 2]}" for i in range(20))]
    (tmp_path / "clinic.csv").write_text("\n".join(lines))
    with pytest.raises(RowsError, match="20 of 30, 20 of 30, 20 of 30 and 20 of 2") as caught:
        read_files([*paths, tmp_path / "clinic.csv"])
    assert offers(caught.value)[0] == {"join": "intersect"}
    loaded = read_files([*paths, tmp_path / "clinic.csv"], join="intersect")
    assert_paired(loaded, range(20))
    assert np.asarray(loaded.data.labels).tolist() == ["MB"[i % 2] for i in range(20)]


def test_a_column_of_few_values_is_offered_as_the_label(tmp_path):
    kinds = ["benign" if i % 3 else "malignant" for i in range(M)]
    loaded = read_files([table(tmp_path / "a.csv", X, diagnosis=kinds, remark=WHO)])
    found = [note for note in loaded.notes if note.code == "possible-label"]
    assert [note.subjects for note in found] == [("diagnosis",)]
    labelled = read_files([tmp_path / "a.csv"], labels="diagnosis")
    assert np.asarray(labelled.data.labels).tolist() == kinds
    assert not any(note.code == "possible-label" for note in labelled.notes)


# Which side the samples are on --------------------------------------------------------------------------------


def transposed(
    path: Path, numbers: np.ndarray, header: Sequence[object] | None, features: Sequence[str] | None = None
) -> Path:
    """A CSV file with one column per sample."""
    lines = [
        [*([feature] if features else []), *map(str, row)]
        for feature, row in zip(features or numbers.T, numbers.T, strict=True)
    ]
    if header is not None:
        lines.insert(0, [*(["feature"] if features else []), *map(str, header)])
    path.write_text("\n".join(",".join(line) for line in lines) + "\n")
    return path


NAMES = [f"length of {c}" for c in "abcd"]


@pytest.mark.parametrize("header", [WHO, [70_000 + 3 * i for i in range(M)], None], ids=["text", "numbers", "none"])
@pytest.mark.parametrize("features", [NAMES, None], ids=["named", "nameless"])
def test_a_table_with_samples_in_columns_is_turned(tmp_path, header, features):
    a = table(tmp_path / "a.csv", X, **({"patient": header} if header else {}))
    order = ORDER[0] if header else np.arange(M)
    z = transposed(tmp_path / "z.csv", Z[order], [header[i] for i in order] if header else None, features)
    loaded = read_files([a, z])
    np.testing.assert_array_equal(loaded.data.Xs[0], X)
    np.testing.assert_array_equal(loaded.data.Xs[1], Z)
    assert any(note.startswith("z.csv: columns were taken as the samples") for note in loaded.notes)
    assert loaded.data.feature_names[1] == (tuple(NAMES) if features else None)
    if header:
        assert loaded.data.sample_ids == tuple(map(str, header))
    if header is WHO and features:
        assert any("the header of z.csv were taken as the samples' names" in note for note in loaded.notes)


def test_a_turned_table_may_hold_a_row_of_text(tmp_path):
    kinds = ["MB"[i % 2] for i in range(M)]
    z = transposed(tmp_path / "z.csv", Z, WHO, NAMES)
    z.write_text(z.read_text() + ",".join(["diagnosis", *kinds]) + "\n")
    loaded = read_files([table(tmp_path / "a.csv", X), z])
    assert loaded.data.columns["diagnosis"].tolist() == kinds
    np.testing.assert_array_equal(loaded.data.Xs[1], Z)


def test_the_number_of_labels_turns_a_lone_table(tmp_path):
    z = transposed(tmp_path / "z.csv", Z, WHO, NAMES)
    (tmp_path / "labels.csv").write_text("\n".join(["kind", *("MB"[i % 2] for i in range(M))]))
    for loaded in (read_files([z], labels=str(tmp_path / "labels.csv")), read_files([z, tmp_path / "labels.csv"])):
        np.testing.assert_array_equal(loaded.data.Xs[0], Z)
        assert np.asarray(loaded.data.labels).tolist() == ["MB"[i % 2] for i in range(M)]


def test_arrays_are_turned_as_well(tmp_path):
    np.save(tmp_path / "y.npy", Y.T)
    np.savez(tmp_path / "w.npz", Z=Z.T, y=np.arange(M) % 3)
    loaded = read_files([table(tmp_path / "a.csv", X), tmp_path / "y.npy", tmp_path / "w.npz"])
    assert_paired(loaded)
    np.testing.assert_array_equal(loaded.data.labels, np.arange(M) % 3)


def test_where_nothing_decides_it_is_asked(tmp_path):
    tall, wide = RNG.normal(size=(12, 5)), RNG.normal(size=(5, 12))
    np.save(tmp_path / "tall.npy", tall)
    np.save(tmp_path / "wide.npy", wide)
    paths = [tmp_path / "tall.npy", tmp_path / "wide.npy"]
    with pytest.raises(RowsError, match="Nothing decides") as caught:
        read_files(paths)
    assert offers(caught.value) == [{"transpose": ("tall.npy",)}, {"transpose": ("wide.npy",)}]
    assert read_files(paths, transpose="wide.npy").data.n_samples == 12
    assert read_files(paths, transpose="tall").data.n_samples == 5
    with pytest.raises(DataError, match="different numbers of rows"):
        read_files(paths, transpose=False)


def test_a_lone_table_that_looks_turned_is_said_to(tmp_path):
    z = transposed(tmp_path / "z.csv", Z, WHO, NAMES)
    loaded = read_files([z])
    assert loaded.data.n_samples == 4
    assert [note.subjects for note in loaded.notes if note.code == "possibly-turned"] == [("z.csv",)]
    turned = read_files([z], transpose=("z.csv",))
    np.testing.assert_array_equal(turned.data.Xs[0], Z)
    assert turned.data.sample_ids == tuple(WHO)
    with pytest.raises(DataError, match=r"no table called “y.csv” to turn"):
        read_files([z], transpose=("y.csv",))


def test_an_ordinary_table_is_not_said_to_be_turned(tmp_path):
    wide = RNG.normal(size=(12, 100))
    loaded = read_files([table(tmp_path / "gene.csv", wide, range(12), sample=WHO)])
    assert not any(note.code == "possibly-turned" for note in loaded.notes)


# Names of features --------------------------------------------------------------------------------------------


def test_names_of_features_are_kept(tmp_path):
    a = table(tmp_path / "a.csv", X, label=[i % 3 for i in range(M)], patient_id=WHO)
    b = table(tmp_path / "b.csv", Y, **{"rna:x": [0.5] * M})
    data = read_files([a]).data
    assert data.feature_names == (("a0", "a1", "a2"),)
    assert data.take([3, 1, 2]).feature_names == data.feature_names
    assert data.replace(preprocess="zscore").feature_names == data.feature_names
    assert data.replace(Xs=[X[:, :2]]).feature_names == (None,)
    assert data.view_key(0) == data.replace(feature_names=None).view_key(0)
    assert data.fingerprint == data.replace(feature_names=None).fingerprint
    assert read_files([b]).data.feature_names == (("rna:x", "b0", "b1"),)
    assert (data.feature_title(0, 1), data.replace(feature_names=None).feature_title(0, 1)) == ("a1", "feature 2")
    with pytest.raises(DataError, match="3 features but 1 feature names"):
        data.replace(feature_names=[["x"]])


def test_columns_without_a_header_have_no_names(tmp_path):
    (tmp_path / "a.csv").write_text("\n".join(",".join(map(str, row)) for row in X))
    assert read_files([tmp_path / "a.csv"]).data.feature_names == (None,)


def test_leading_zeros_of_names_stay_in_any_column(tmp_path):
    codes = [f"00{i}" for i in range(100, 100 + M)]
    first = table(tmp_path / "a.csv", X, code=codes)
    loaded = read_files([first, table(tmp_path / "b.csv", Y, ORDER[0], code=codes)])
    assert_paired(loaded)
    assert loaded.data.sample_ids == tuple(codes)


@pytest.mark.parametrize("names", [[f"p{i}" for i in range(6)], [str(7 * i + 3) for i in range(6)]])
def test_a_table_that_names_its_samples_is_not_turned_to_fit_in_number(tmp_path, names):
    first = table(tmp_path / "a.csv", X[:6], range(6), id=names)
    wide = RNG.normal(size=(6, 6)).round(3)
    paths = [first, table(tmp_path / "b.csv", wide, range(2, 6), id=names)]
    with pytest.raises(RowsError, match="4 of 6 and 4 of 4 samples are in both files"):
        read_files(paths)
    assert read_files(paths, join="intersect").data.sample_ids == tuple(names[2:])
