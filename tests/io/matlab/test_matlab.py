"""MAT files in the conventions in which multi-view data is published."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.table_in_file import place_in_file
from mvexplorer.errors import DataError, RowsError
from mvexplorer.io.base.converted import Room
from mvexplorer.io.base.guards import READ_LIMIT
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.base.parts import Values
from mvexplorer.io.base.wire import Blocks
from mvexplorer.io.matlab.matlab import read_mat
from mvexplorer.io.matlab.matvars import decode_variables, read_variables
from mvexplorer.io.reading.files import Loaded, read_files
from mvexplorer.io.reading.inspection import inspect_files
from mvexplorer.io.reading.questions import offers_of

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(10, 4)), RNG.normal(size=(10, 6))
Y = np.arange(10) % 3 + 1


def cell(*items: Any) -> np.ndarray:
    array = np.empty((1, len(items)), dtype=object)
    for i, item in enumerate(items):
        array[0, i] = item
    return array


def read(folder: Path, content: dict[str, Any], **keywords: Any) -> Loaded:
    from scipy.io import savemat

    path = folder / "set.mat"
    savemat(path, content)
    return read_files([path], **keywords)


def check(data: MultiView, *expected: np.ndarray) -> None:
    assert len(data.Xs) == len(expected)
    for X, E in zip(data.Xs, expected, strict=True):
        np.testing.assert_allclose(X, E)


@pytest.mark.parametrize("name", ["X", "data", "fea", "set", "whatever"])
@pytest.mark.parametrize("upright", [False, True])
def test_views_in_a_cell(tmp_path: Path, name: str, upright: bool) -> None:
    views = cell(A, B).T if upright else cell(A, B)
    loaded = read(tmp_path, {name: views, "Y": Y[:, None]})
    check(loaded.data, A, B)
    assert loaded.data.view_names == ("view1", "view2")
    np.testing.assert_array_equal(loaded.data.labels, Y)
    assert any(f"2 tables in the cell “{name}”" in note for note in loaded.notes)


def test_samples_in_columns_even_of_one_view_alone(tmp_path: Path) -> None:
    loaded = read(tmp_path, {"X": cell(A.T, B), "gt": Y[None]})
    check(loaded.data, A, B)
    assert any("turned into rows in view1." in note for note in loaded.notes)


def test_wide_view_is_turned_by_the_labels(tmp_path: Path) -> None:
    wide = RNG.normal(size=(10, 40))
    check(read(tmp_path, {"X": cell(wide.T, A.T), "truth": Y}).data, wide, A)


def test_no_labels_but_a_shared_side(tmp_path: Path) -> None:
    check(read(tmp_path, {"X": cell(A.T, B.T)}).data, A, B)
    check(read(tmp_path, {"X": cell(A, B)}).data, A, B)


def test_undecidable_orientation_is_asked(tmp_path: Path) -> None:
    for content in ({"X": cell(A, A + 1)}, {"X10": A, "X1": A + 1}):
        with pytest.raises(RowsError, match="decides whether rows or columns are the samples") as caught:
            read(tmp_path, content)
        rows, columns = caught.value.offers
        found = [read(tmp_path, content, **offer.options).data for offer in (rows, columns)]
        assert [X.shape for X in found[0].Xs + found[1].Xs] == [A.shape] * 2 + [A.T.shape] * 2
    assert found[0].view_names == ("X1", "X10")


def test_a_table_of_labels_is_offered_column_by_column(tmp_path: Path) -> None:
    kinds = np.column_stack([Y % 2, Y, (Y + np.arange(10)) % 3])
    content = {"X1": A, "X2": B, "Y": kinds}
    loaded = read(tmp_path, content)
    (doubt,) = [note for note in loaded.notes if note.code == "numeric-label"]
    assert list(loaded.data.columns) == ["Y-1", "Y-2", "Y-3"]
    again = read(tmp_path, content, **offers_of(doubt)[1].options)
    np.testing.assert_array_equal(again.data.labels, Y)
    assert list(again.data.columns) == ["Y-1", "Y-3"]
    assert read(tmp_path, content, roles={"Y": "view"}).data.view_names == ("X1", "X2", "Y")
    targets = read(tmp_path, {**content, "Y": kinds + 0.25 * RNG.random(kinds.shape)})
    assert list(targets.data.columns) == ["Y-1", "Y-2", "Y-3"]


def test_what_is_left_out_is_told(tmp_path: Path) -> None:
    other = RNG.normal(size=(10, 3))
    loaded = read(tmp_path, {"X1": A, "X2": B, "gnd": Y, "other": other, "odd": other[:7]})
    (note,) = [note for note in loaded.notes if note.code == "left-out"]
    assert "“other” (10 x 3), “odd” (7 x 3) were left out." in note
    (offer,) = offers_of(note)
    again = read(tmp_path, {"X1": A, "X2": B, "gnd": Y, "other": other}, **offer.options)
    assert again.data.view_names == ("X1", "X2", "other")


def test_labels_of_one_half_are_those_of_its_samples(tmp_path: Path) -> None:
    halves = {"x1_train": A, "x1_test": A[:4] + 1, "x2_train": B, "x2_test": B[:4]}
    for name in ("gt_train", "y_train"):
        loaded = read(tmp_path, {**halves, name: Y})
        assert loaded.data.labels.tolist() == [*map(str, Y), *["unlabelled"] * 4]
        assert any("it is that of the training half" in note for note in loaded.notes)


def test_a_stack_of_tables_is_asked_about(tmp_path: Path) -> None:
    stack = np.stack([A, A + 1, A + 2], axis=2)
    for content in ({"X": stack, "Y": Y}, {"X": np.moveaxis(stack, 2, 0), "Y": Y}):
        with pytest.raises(RowsError, match="three dimensions, where a view has two: “X”") as caught:
            read(tmp_path, content)
        (offer,) = caught.value.offers
        assert offer.title == f"Take the 3 tables in “X”, {A.shape[0]} x {A.shape[1]} each, as views"
        check(read(tmp_path, content, **offer.options).data, A, A + 1, A + 2)


def test_no_shared_side_is_asked(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="do not share their samples") as caught:
        read(tmp_path, {"X": cell(A, RNG.normal(size=(9, 7)))})
    assert "views=" in caught.value.hint


def test_numbered_variables_in_numeric_order(tmp_path: Path) -> None:
    views = {f"X{i}": RNG.normal(size=(10, i + 1)) for i in (10, 9, 1)}
    loaded = read(tmp_path, {**views, "gnd": Y, "other": RNG.normal(size=(10, 3))})
    assert loaded.data.view_names == ("X1", "X9", "X10")


def test_separate_variables(tmp_path: Path) -> None:
    loaded = read(tmp_path, {"gist": A, "hog": B.T, "truelabel": cell(Y[:, None], Y[:, None])})
    assert loaded.data.view_names == ("gist", "hog")
    check(loaded.data, A, B)


def test_struct_of_all(tmp_path: Path) -> None:
    loaded = read(tmp_path, {"set": {"data": cell(A, B), "label": Y[:, None], "name": "x"}})
    check(loaded.data, A, B)
    np.testing.assert_array_equal(loaded.data.labels, Y)


def test_single_view_takes_rows(tmp_path: Path) -> None:
    loaded = read(tmp_path, {"M": A})
    check(loaded.data, A)
    assert any("rows were taken as samples" in note for note in loaded.notes)


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (np.eye(3)[Y - 1], Y - 1),
        (np.eye(3)[Y - 1].T, Y - 1),
        (np.column_stack([Y, Y]), Y),
        ((Y - 1).astype(np.uint8), Y - 1),
        (cell(*[f"c{k}" for k in Y]), [f"c{k}" for k in Y]),
        (np.array([f"c{k}" for k in Y]), [f"c{k}" for k in Y]),
    ],
)
def test_shapes_of_labels(tmp_path: Path, stored: np.ndarray, expected: Any) -> None:
    data = read(tmp_path, {"X": cell(A, B), "labels": stored}).data
    np.testing.assert_array_equal(data.labels, expected)


def test_small_integers_and_sparse_views(tmp_path: Path) -> None:
    from scipy import sparse

    small = np.array(RNG.integers(0, 9, (10, 4)), dtype=np.uint8)
    thin = np.where(B > 0.5, B, 0)
    check(read(tmp_path, {"X": cell(small, sparse.csc_matrix(thin)), "Y": Y}).data, small, thin)


@pytest.mark.parametrize("version", ["4", "5"])
def test_a_sparse_matrix_is_read_from_each_version_of_the_format(tmp_path: Path, version: str) -> None:
    from scipy import io, sparse

    thin = np.where(B > 0.5, B, 0)
    io.savemat(tmp_path / "set.mat", {"X": sparse.csc_matrix(thin)}, format=version)
    check(read_files([tmp_path / "set.mat"]).data, thin)


def test_similarity_is_asked_about(tmp_path: Path) -> None:
    content = {"a": A, "w": A @ A.T, "Y": Y}
    with pytest.raises(DataError, match=r"“w” in “set.mat” looks like a similarity") as caught:
        read(tmp_path, content)
    assert "views=" in caught.value.hint
    check(read(tmp_path, content, views=["a"]).data, A)
    check(read(tmp_path, content, views=["a", "w"]).data, A, A @ A.T)


def test_views_and_labels_by_name(tmp_path: Path) -> None:
    content = {"P": cell(A, B), "Q": cell(B, A), "kind": Y}
    with pytest.raises(DataError, match="several cells could hold the views") as caught:
        read(tmp_path, content)
    assert "P, Q" in caught.value.hint
    loaded = read(tmp_path, content, views=["Q"], labels="kind")
    check(loaded.data, B, A)
    np.testing.assert_array_equal(loaded.data.labels, Y)
    content = {"X": cell(A, B), "Y": Y}
    check(read(tmp_path, content, views=["view2"]).data, B)


def test_labels_from_a_file_decide(tmp_path: Path) -> None:
    (tmp_path / "classes.csv").write_text("\n".join(map(str, Y)))
    with pytest.raises(DataError, match="decides whether"):
        read(tmp_path, {"X": cell(A.T, A.T + 1)})
    loaded = read(tmp_path, {"X": cell(A.T, A.T + 1)}, labels=str(tmp_path / "classes.csv"))
    check(loaded.data, A, A + 1)
    np.testing.assert_array_equal(loaded.data.labels, Y)


def test_vectors_become_columns(tmp_path: Path) -> None:
    data = read(tmp_path, {"X": cell(A, B), "Y": Y, "age": np.arange(10.0), "id": np.arange(10) + 100}).data
    np.testing.assert_array_equal(data.columns["age"], np.arange(10))
    assert data.sample_ids[0] == "100"


def test_missing_values_are_dropped(tmp_path: Path) -> None:
    holed = A.copy()
    holed[4] = np.nan
    loaded = read(tmp_path, {"X": cell(holed, B), "Y": Y}, drop_missing=True)
    assert loaded.data.n_samples == 9


@pytest.mark.parametrize(
    ("content", "keywords", "sentence"),
    [
        ({}, {}, "holds no variables"),
        ({"note": "hello"}, {}, "no table that could be a view was found"),
        ({"X": cell(A, B), "Y": A}, {"labels": "Y"}, "Variable “Y” of “set.mat” is no vector of labels"),
        ({"X": cell(A, B), "t": "text"}, {"views": ["t"]}, "the variable “t” is no table of numbers"),
        ({"X": cell(A, B), "Y": Y}, {"views": ["Z"]}, "There is no view called “Z”"),
        ({"X": cell(A, B), "Y": Y}, {"labels": "Z"}, "no column or file called “Z”"),
        ({"X": cell(A, B[:8]), "Y": Y}, {}, "different numbers of rows"),
    ],
)
def test_bad_mat(tmp_path: Path, content: dict[str, Any], keywords: dict[str, Any], sentence: str) -> None:
    with pytest.raises(DataError, match=sentence) as caught:
        read(tmp_path, content, **keywords)
    assert caught.value.hint


@pytest.mark.parametrize(
    "content",
    [b"MATLAB 5.0 MAT-file", b"garbage " * 40, b"MATLAB 7.3 MAT-file" + b"\x00" * 600, b"\x00" * 200],
)
def test_damaged_mat(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "set.mat").write_bytes(content)
    sentence = r"The file “set.mat” (is not a MAT file or is damaged|holds no variables)"
    with pytest.raises(DataError, match=sentence):
        read_files([tmp_path / "set.mat"])


@pytest.mark.parametrize("garbage", [b"\x00" * 64, b"something that is no variable", b"\x01"])
def test_garbage_after_the_last_variable(tmp_path: Path, garbage: bytes) -> None:
    from scipy.io import savemat

    path = tmp_path / "set.mat"
    savemat(path, {"X1": A, "X2": B, "gt": Y})
    path.write_bytes(path.read_bytes() + garbage)
    loaded = read_files([path])
    check(loaded.data, A, B)
    assert any("what follows the last variable cannot be read" in note for note in loaded.notes)


def test_version_7_3(tmp_path: Path) -> None:
    import h5py

    path = tmp_path / "new.mat"
    ref = h5py.special_dtype(ref=h5py.Reference)
    with h5py.File(path, "w", userblock_size=512) as file:
        items = file.create_group("#refs#")
        holder = file.create_dataset("X", (3, 1), dtype=ref)
        for i, X in enumerate((A, B)):
            holder[i, 0] = items.create_dataset(f"v{i}", data=X.T).ref
        thin = items.create_group("sparse")
        thin.attrs["MATLAB_sparse"] = 10
        thin.create_dataset("data", data=[5.0, 6.0])
        thin.create_dataset("ir", data=[2, 9])
        thin.create_dataset("jc", data=[0, 1, 1, 2])
        holder[2, 0] = thin.ref
        holder.attrs["MATLAB_class"] = np.bytes_("cell")
        holder.attrs["H5PATH"] = np.bytes_("/")
        info = file.create_group("info")
        info.create_dataset("Y", data=Y[None].astype(float))
        text = info.create_dataset("site", data=np.array([[ord(c)] for c in "lab"], dtype=np.uint16))
        text.attrs["MATLAB_class"] = np.bytes_("char")
    with path.open("r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file".ljust(512))
    sparse = np.zeros((10, 3))
    sparse[2, 0], sparse[9, 2] = 5, 6
    data = read_files([path]).data
    check(data, A, B, sparse)
    np.testing.assert_array_equal(data.labels, Y)


def test_several_masks_are_asked_about(tmp_path: Path) -> None:
    from scipy.io import savemat

    present = np.ones((10, 2))
    present[3, 0] = 0
    savemat(tmp_path / "set.mat", {"X": cell(A, B), "Y": Y})
    savemat(tmp_path / "set_folds.mat", {"folds": cell(present, present[::-1])})
    with pytest.raises(DataError, match=r"“set_folds.mat” holds 2 masks"):
        read_files([tmp_path / "set.mat", tmp_path / "set_folds.mat"])
    savemat(tmp_path / "set_folds.mat", {"mask": present[:8]})
    with pytest.raises(DataError, match=r"is 8 x 2 for 10 samples and 2 views"):
        read_files([tmp_path / "set.mat", tmp_path / "set_folds.mat"])


def test_samples_that_no_view_shares_are_refused(tmp_path: Path) -> None:
    holed = A.copy()
    holed[:5] = np.nan
    other = B.copy()
    other[5:] = np.nan
    with pytest.raises(DataError, match="No sample is in all views") as caught:
        read(tmp_path, {"X": cell(holed, other), "Y": Y}, samples="intersection")
    assert 'samples="union"' in caught.value.hint
    with pytest.raises(DataError, match="shares no view with those"):
        read(tmp_path, {"X": cell(holed, other), "Y": Y}, samples="union")


def test_a_half_that_there_is_not(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not hold a training and a test half"):
        read(tmp_path, {"X": cell(A, B), "Y": Y}, half="test")


def test_views_of_one_half_by_their_names(tmp_path: Path) -> None:
    content = {
        "x1_train": A[:6],
        "x1_test": A[6:],
        "x2_train": B[:6],
        "x2_test": B[6:],
        "gt_train": Y[:6],
        "gt_test": Y[6:],
    }
    loaded = read(tmp_path, content, views=["x1_test", "x2_test"])
    check(loaded.data, A[6:], B[6:])
    assert loaded.data.view_names == ("x1_test", "x2_test")
    np.testing.assert_array_equal(loaded.data.labels, Y[6:])


def test_a_kernel_that_is_no_kernel(tmp_path: Path) -> None:
    content = {"K": A @ A.T, "other": A, "Y": Y}
    content["K"][0, 1] += 1
    with pytest.raises(DataError, match=r"“K” in “set.mat” is no kernel: it is not symmetric"):
        read(tmp_path, content, roles={"K": "kernel"})
    with pytest.raises(DataError, match="All samples are the same in the kernel"):
        read(tmp_path, {**content, "K": np.ones((10, 10))}, roles={"K": "kernel"})


def test_one_square_view_is_asked_about(tmp_path: Path) -> None:
    square = RNG.normal(size=(10, 10))
    with pytest.raises(RowsError, match="with as many features as samples") as caught:
        read(tmp_path, {"X": square, "Y": Y})
    ways = [dict(offer.options) for offer in caught.value.offers]
    check(read(tmp_path, {"X": square, "Y": Y}, **ways[0]).data, square)
    check(read(tmp_path, {"X": square, "Y": Y}, **ways[1]).data, square.T)


def test_triplets_without_a_number_of_samples_are_asked_about(tmp_path: Path) -> None:
    rows, columns = np.nonzero(A > 0)
    table = np.column_stack([rows + 1.0, columns + 1.0, A[rows, columns]])
    with pytest.raises(DataError, match="looks like a sparse matrix") as caught:
        read(tmp_path, {"A": table})
    assert "labels=" in caught.value.hint
    check(read(tmp_path, {"A": table}, views=["A"]).data, table)


def test_halves_are_shown_as_what_they_become(tmp_path: Path) -> None:
    from scipy.io import savemat

    savemat(tmp_path / "set.mat", {"x1_train": A[:6], "x1_test": A[6:], "x2_train": B[:6], "x2_test": B[6:],
                                   "gt_train": Y[:6], "gt_test": Y[6:]})  # fmt: skip
    roles = {item.name: item.role for item in inspect_files([tmp_path / "set.mat"]).items}
    assert {roles[f"x{i}_{half}"] for i in (1, 2) for half in ("train", "test")} == {"view"}
    assert roles["gt_train"] == roles["gt_test"] == "label"
    found = inspect_files([tmp_path / "set.mat"], ReadOptions(half="train"))
    assert {item.name: item.role for item in found.items}["x1_test"] == "ignore"


def test_a_kernel_of_another_format(tmp_path: Path) -> None:
    np.savez(tmp_path / "set.npz", K=B @ B.T, other=A, labels=Y)
    loaded = read_files([tmp_path / "set.npz"], roles={"K": "kernel"})
    X = loaded.data.Xs[loaded.data.view_index("K")]
    assert X.shape == (10, 6)
    centred = B - B.mean(axis=0)
    np.testing.assert_allclose(X @ X.T, centred @ centred.T, atol=1e-9)


def test_halves_and_gaps_can_be_settled_by_their_offers(tmp_path: Path) -> None:
    halves = {"x1_train": A[:6], "x1_test": A[6:], "gt_train": Y[:6], "gt_test": Y[6:]}
    told = next(note for note in read(tmp_path, halves).notes if note.code == "halves")
    counts = [read(tmp_path, halves, **dict(offer.options)).data.n_samples for offer in offers_of(told)]
    assert counts == [10, 6, 4]  # the test half is square
    across = {name: value.T if value.ndim == 2 else value for name, value in halves.items()}
    loaded = read(tmp_path, across)
    check(loaded.data, A)
    assert any("turned into rows in x1." in note for note in loaded.notes)
    holed = A.copy()
    holed[3] = np.nan
    gaps = {"X": cell(holed, B), "missing": np.array([[4.0]]), "Y": Y}
    told = next(note for note in read(tmp_path, gaps).notes if note.code == "absent")
    assert [read(tmp_path, gaps, **dict(offer.options)).data.n_samples for offer in offers_of(told)] == [10]


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4"])
@pytest.mark.parametrize("name", ["X", "a_long_name"])
def test_a_table_that_needs_no_decoder_is_the_same(tmp_path: Path, dtype: str, name: str) -> None:
    table = np.random.default_rng(0).normal(scale=9, size=(700, 500)).astype(dtype)
    from scipy.io import savemat

    savemat(tmp_path / "a.mat", {name: table, "Y": np.arange(700) % 3})
    variables, _ = decode_variables(Room(tmp_path / "a.mat"))
    assert (place_in_file(variables[name]) is not None) == (dtype != "i4")
    assert variables[name].dtype == dtype
    np.testing.assert_array_equal(read_mat(tmp_path / "a.mat").views[name], table)
    content = (tmp_path / "a.mat").read_bytes()
    (tmp_path / "cut.mat").write_bytes(content[: len(content) // 2])
    with pytest.raises(DataError, match="damaged"):
        read_mat(tmp_path / "cut.mat")


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A compressed table of 18 MB between two small variables."""
    from scipy.io import savemat

    table = np.random.default_rng(0).integers(0, 50, (2300, 1000)).astype(float)
    savemat(tmp_path / "large.mat", {"A": np.eye(3), "X": table, "Y": np.arange(2300) % 3}, do_compression=True)
    return tmp_path / "large.mat"


@pytest.mark.nightly
def test_a_large_compressed_table_is_decoded_in_blocks(large: Path) -> None:
    from scipy.io import loadmat

    variables, _ = decode_variables(Room(large))
    blocks = variables["X"]
    assert isinstance(blocks, Blocks)
    sizes = [block.nbytes for block in blocks.decode()]
    assert max(sizes) < 1 << 21 < 1 << 24 < sum(sizes)
    expected = loadmat(large)["X"]
    content = b"".join(block.tobytes() for block in blocks.decode())
    np.testing.assert_array_equal(np.frombuffer(content).reshape(blocks.shape, order=blocks.order), expected)
    np.testing.assert_array_equal(read_mat(large).views["X"], expected)


@pytest.mark.nightly
def test_a_large_table_that_was_written_again_meanwhile_is_told(large: Path) -> None:
    from scipy.io import savemat

    variables, _ = decode_variables(Room(large))
    savemat(large, {"A": A, "X": np.zeros((1000, 1000))}, do_compression=True)
    with pytest.raises(DataError, match="damaged"):
        list(variables["X"].decode())


@pytest.mark.parametrize("damage", ["flipped", "cut off"])
def test_damage_amid_a_large_table_is_told(large: Path, damage: str) -> None:
    content = bytearray(large.read_bytes())
    middle = len(content) // 2
    if damage == "flipped":
        content[middle : middle + 100] = bytes(100)
    large.write_bytes(content[:middle] if damage == "cut off" else content)
    with pytest.raises(DataError, match=r"“large\.mat” is not a MAT file or is damaged"):
        read_files([large])


def variable(table: Values, name: bytes = b"X", tag: int = 14, behind: bytes = b"") -> bytes:
    """A variable of version 5, compressed, whose content may be followed by bytes that are nobody's."""

    def element(kind: int, content: bytes) -> bytes:
        return struct.pack("<II", kind, len(content)) + content + bytes(-len(content) % 8)

    content = element(6, struct.pack("<II", 6, 0)) + element(5, struct.pack("<ii", *table.shape)) + element(1, name)
    content += element(9, table.tobytes(order="F")) + behind
    return zlib.compress(struct.pack("<II", tag, len(content)) + content, 1)


def mat_file(path: Path, *variables: bytes, version: int = 0x0100) -> Path:
    head = b"MATLAB 5.0".ljust(116) + bytes(8) + struct.pack("<H", version) + b"IM"
    path.write_bytes(head + b"".join(struct.pack("<II", 15, len(v)) + v for v in variables))
    return path


LARGE = np.arange(2048.0 * 1024).reshape(2048, 1024)


@pytest.mark.parametrize("after", [0, 100])
@pytest.mark.parametrize("damage", ["no sum", "wrong bytes behind", "tag", "version"])
def test_what_is_wrong_behind_or_before_the_numbers_of_a_large_table_is_told(
    tmp_path: Path, damage: str, after: int
) -> None:
    """Also where other arrays follow, and the next file is read as ever."""
    whole = variable(LARGE, behind=bytes(3 << 20) if "bytes" in damage else b"", tag=9 if damage == "tag" else 14)
    cut = {"no sum": whole[:-4], "wrong bytes behind": whole[:-2] + bytes(2)}.get(damage, whole)
    small = [variable(np.arange(float(after))[:, None], b"Y")] if after else []
    path = mat_file(tmp_path / "a.mat", cut, *small, version=0x0300 if damage == "version" else 0x0100)
    with pytest.raises(DataError, match=r"“a\.mat” is not a MAT file or is damaged"):
        read_variables(Room(path))
    variables, _ = read_variables(Room(mat_file(tmp_path / "b.mat", variable(LARGE), *small)))
    np.testing.assert_array_equal(variables["X"], LARGE)


def test_names_of_large_tables_are_those_that_scipy_reads(tmp_path: Path) -> None:
    from scipy.io import loadmat

    tables = [variable(LARGE + i, name) for i, name in enumerate((b"\xe4", b"\xf6", b"__x"))]
    path = mat_file(tmp_path / "a.mat", *tables)
    variables, _ = read_variables(Room(path))
    expected = {name: value for name, value in loadmat(path).items() if not name.startswith("__")}
    assert list(variables) == list(expected) == ["ä", "ö"]
    for name, value in expected.items():
        np.testing.assert_array_equal(variables[name], value)


def test_what_follows_a_large_table_counts_as_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(READ_LIMIT, "0.02")
    path = mat_file(tmp_path / "a.mat", variable(LARGE, behind=bytes(40 << 20)))
    with pytest.raises(DataError, match=r"0\.02"):
        read_variables(Room(path))
