"""One generated file for each convention in which multi-view data is published: its arrays come back, or a question.

Other tests vary each of them; here stands the list, so that none of them is read otherwise one day.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matlab_layout import Content, Form, cell
from PIL import Image
from scipy.io import savemat
from scipy.sparse import csc_matrix

import mvexplorer as mvx
from mvexplorer.errors import DataError, MVExplorerError
from mvexplorer.io.reading.files import Loaded, read_files

RNG = np.random.default_rng(7)
M = 12
A, B, WIDE = RNG.normal(size=(M, 4)), RNG.normal(size=(M, 5)), RNG.normal(size=(M, 30))
BYTES = RNG.integers(0, 255, (M, 4)).astype("u1")
LABELS = np.arange(M) % 3 + 1
Y = LABELS[:, None].astype(float)
COLUMN = {"Y": Y}
THIN = np.where(np.abs(A) > 0.4, A, 0.0)
THIN[0, -1] = THIN[-1, 0] = 2.5
HOLED, OTHER = A.copy(), B.copy()
HOLED[[2, 5]] = OTHER[[7]] = np.nan
WHOLE = np.setdiff1d(np.arange(M), [2, 5, 7])
KERNEL = A @ A.T


@dataclass(frozen=True)
class MatFile:
    """Variables of a MAT file, and what is read of them: views and labels, or the words of a question."""

    content: Content
    views: list[np.ndarray] = field(default_factory=list)
    labels: np.ndarray | None = field(default_factory=lambda: LABELS)
    asks: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    form: Form = field(default_factory=Form)


def triplets(X: np.ndarray) -> np.ndarray:
    rows, columns = np.nonzero(X)
    return np.column_stack([rows + 1.0, columns + 1.0, X[rows, columns]])


AB = {"X": cell([A, B])}
ONE_HOT = np.eye(3)[LABELS - 1]
MAT_FILES = {
    "version 5": MatFile(AB | COLUMN, [A, B]),
    "version 5, compressed": MatFile(AB | COLUMN, [A, B], form=Form(packed=True)),
    "version 7.3": MatFile(AB | COLUMN, [A, B], form=Form("7.3")),
    "version 7.3 that calls itself 7.0": MatFile(AB | COLUMN, [A, B], form=Form("7.0")),
    "garbage behind the last variable": MatFile(AB | COLUMN, [A, B], form=Form(garbage=b"no variable")),
    **{f"a cell called {name}": MatFile({name: cell([A, B])} | COLUMN, [A, B]) for name in ("data", "fea", "M", "set")},
    "an upright cell": MatFile({"X": cell([A, B], True)} | COLUMN, [A, B]),
    **{
        f"numbered variables {stem}8 to {stem}11": MatFile(
            {f"{stem}{i}": X for i, X in ((10, A), (8, B), (11, A + 1), (9, B + 1))} | COLUMN, [B, B + 1, A, A + 1]
        )
        for stem in ("X", "V", "dataV", "msr")
    },
    "separate variables": MatFile({"gist": A, "hog": B} | COLUMN, [A, B]),
    "a struct that holds all": MatFile({"dataset": {"data": cell([A, B]), "label": Y, "note": "lab"}}, [A, B]),
    "train and test, joined": MatFile(
        {"x1_train": A[:7], "x1_test": A[7:], "x2_train": B[:7], "x2_test": B[7:], "gt_train": Y[:7], "gt_test": Y[7:]},
        [A, B],
    ),
    "train and test, one half": MatFile(
        {"x1_train": A[:7], "x1_test": A[7:], "x2_train": B[:7], "x2_test": B[7:], "gt_train": Y[:7], "gt_test": Y[7:]},
        [A[7:], B[7:]], LABELS[7:], options={"half": "test"},
    ),
    "samples in columns": MatFile({"X": cell([A.T, B.T])} | COLUMN, [A, B]),
    "samples in rows here and in columns there": MatFile({"X": cell([A, B.T])} | COLUMN, [A, B]),
    "both sizes shared, samples in rows": MatFile({"X": cell([A, A + 1])} | COLUMN, [A, A + 1]),
    "both sizes shared, samples in columns": MatFile({"X": cell([A.T, A.T + 1])} | COLUMN, [A, A + 1]),
    "both sizes shared, and no labels": MatFile({"X": cell([A, A + 1])}, asks="samples"),
    "more features than samples": MatFile({"X": cell([WIDE.T, A.T])} | COLUMN, [WIDE, A]),
    **{
        f"labels called {name}": MatFile(AB | {name: Y}, [A, B])
        for name in (
            "truelabel", "y", "gt", "truth", "label", "labels", "gnd", "y0", "classLabel"
        )
    },
    "labels in a row": MatFile(AB | {"Y": Y.T}, [A, B]),
    "labels in equal copies, one a view": MatFile(AB | {"Y": cell([Y, Y])}, [A, B]),
    "labels one-hot": MatFile(AB | {"Y": ONE_HOT}, [A, B]),
    "labels in equal columns": MatFile(AB | {"Y": np.repeat(Y, 2, axis=1)}, [A, B]),
    "labels from 0": MatFile(AB | {"Y": Y - 1.0}, [A, B], LABELS - 1),
    "labels from 7": MatFile(AB | {"Y": Y + 6.0}, [A, B], LABELS + 6),
    "no labels": MatFile(AB, [A, B], None),
    **{
        f"whole numbers of type {kind}": MatFile({"X": cell([BYTES.astype(kind), A])} | COLUMN, [BYTES, A])
        for kind in ("u1", "u2", "i4")
    },
    "sparse views": MatFile({"X": cell([csc_matrix(THIN), A])} | COLUMN, [THIN, A]),
    "sparse views, version 7.3": MatFile({"X": cell([csc_matrix(THIN), A])} | COLUMN, [THIN, A], form=Form("7.3")),
    "triplets that stand for a matrix": MatFile({"X": cell([triplets(THIN), A])} | COLUMN, [THIN, A]),
    "missing samples as NaN and a list of rows": MatFile(
        {"X": cell([HOLED, OTHER]), "miss": cell([np.array([[3.0], [6.0]]), np.array([[8.0]])])} | COLUMN,
        [A[WHOLE], B[WHOLE]], LABELS[WHOLE],
    ),
    "missing samples as zeros and a mask": MatFile(
        {
            "X": cell([np.nan_to_num(HOLED), np.nan_to_num(OTHER)]),
            "mask": np.column_stack([~np.isnan(HOLED[:, 0]), ~np.isnan(OTHER[:, 0])]).astype(float),
        } | COLUMN,
        [A[WHOLE], B[WHOLE]], LABELS[WHOLE],
    ),
    "a similarity among the views": MatFile({"X": cell([A, KERNEL])} | COLUMN, asks="similarity"),
    "a similarity taken as a kernel": MatFile(
        {"feats": A, "K": KERNEL} | COLUMN, [A], options={"roles": {"K": "ignore"}}
    ),
    "stacked kernels": MatFile({"K": np.stack([KERNEL, B @ B.T])} | COLUMN, asks="kernel"),
    "scales from 1e-12 to 1e4": MatFile({"X": cell([A * 1e-12, B * 1e4])} | COLUMN, [A * 1e-12, B * 1e4]),
}  # fmt: skip


def check(loaded: Loaded, views: list[np.ndarray], labels: np.ndarray | None) -> None:
    assert len(loaded.data.Xs) == len(views)
    for X, expected in zip(loaded.data.Xs, views, strict=True):
        assert X.dtype == np.float64
        np.testing.assert_array_equal(X, expected.astype(np.float64))
    if labels is None:
        assert loaded.data.labels is None
    else:
        assert loaded.data.labels is not None
        assert loaded.data.labels.tolist() == labels.tolist()


@pytest.mark.parametrize("name", MAT_FILES)
def test_a_mat_file_of_each_convention_is_read_or_asked_about(tmp_path: Path, name: str) -> None:
    case = MAT_FILES[name]
    path = case.form.write(tmp_path / "set.mat", case.content)
    if case.asks:
        with pytest.raises(DataError, match=case.asks) as asked:
            read_files([path], **case.options)
        assert asked.value.hint
        return
    labels = case.labels
    if name == "labels one-hot":
        labels = LABELS - 1  # which are not known to be counted from 1
    check(read_files([path], **case.options), case.views, labels)


def test_a_mask_in_a_file_of_its_own_says_who_is_missing(tmp_path: Path) -> None:
    savemat(tmp_path / "set.mat", {"X": cell([np.nan_to_num(HOLED), np.nan_to_num(OTHER)])} | COLUMN)
    mask = np.column_stack([np.isnan(X[:, 0]) for X in (HOLED, OTHER)])
    savemat(tmp_path / "set_mask.mat", {"mask": (~mask).astype(float)})
    check(read_files([tmp_path / "set.mat", tmp_path / "set_mask.mat"]), [A[WHOLE], B[WHOLE]], LABELS[WHOLE])


def test_the_half_is_a_colouring_where_both_are_read(tmp_path: Path) -> None:
    case = MAT_FILES["train and test, joined"]
    loaded = read_files([case.form.write(tmp_path / "set.mat", case.content)])
    assert loaded.data.columns["half"].tolist() == ["train"] * 7 + ["test"] * 5


def test_repeated_samples_are_told_and_every_rule_gives_an_epsilon(tmp_path: Path) -> None:
    twice = np.vstack([A, A[:6], A[:6]])
    savemat(tmp_path / "set.mat", {"X": cell([twice, np.vstack([B, B[:6], B[:6]])])})
    loaded = read_files([tmp_path / "set.mat"])
    assert any("repeat" in note or "twice" in note or "duplicate" in note for note in loaded.notes)
    for rule in ("max-min", "self-tuning", "robust", "median"):
        assert all(epsilon > 0.0 for epsilon in np.ravel(mvx.select_epsilon(loaded.data, rule)))


# Tables, omics, recordings, pictures --------------------------------------------------------------------------------


def text_of(X: np.ndarray, header: str = "", last: list[str] | None = None) -> str:
    rows = [",".join([*map(repr, x.tolist()), *([last[i]] if last else [])]) for i, x in enumerate(X)]
    return "\n".join([*([header] if header else []), *rows, ""])


KINDS = ["ill", "well", "mixed"] * 4
TABLES: dict[str, tuple[dict[str, str], list[np.ndarray], list[str] | None, dict[str, Any]]] = {
    "CSV without a header": ({"a.csv": text_of(A)}, [A], None, {}),
    "a header of numbers, and the label last": (
        {"a.csv": text_of(A, "0,1,2,3,4", KINDS)}, [A], None, {"labels": "4"},
    ),
    "labels in a file of their own": (
        {"a.csv": text_of(A, "p,q,r,s"), "labels.csv": "\n".join(["label", *(f'"{kind}"' for kind in KINDS), ""])},
        [A], KINDS, {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_each_convention_is_read(tmp_path: Path, name: str) -> None:
    files, views, labels, options = TABLES[name]
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    loaded = read_files([tmp_path / file for file in files], **options)
    expected = KINDS if options else labels
    check(loaded, views, None if expected is None else np.array(expected))


def test_an_id_is_any_column_of_names_and_a_column_of_fractions_is_offered_never_taken(tmp_path: Path) -> None:
    order = RNG.permutation(M)
    ids = [f"p{i:02d}" for i in range(M)]
    (tmp_path / "a.csv").write_text("\n".join(["Kürzel,u", *(f"{ids[i]},{A[i, 0]:.17g}" for i in range(M))]))
    (tmp_path / "b.csv").write_text("\n".join(["who,v", *(f"{ids[i]},{B[i, 0]:.17g}" for i in order)]))
    loaded = read_files([tmp_path / "a.csv", tmp_path / "b.csv"])
    check(loaded, [A[:, :1], B[:, :1]], None)
    assert list(loaded.data.sample_ids) == ids
    times = [f"{0.1 + 1.37 * i:.2f}" for i in range(M)]
    (tmp_path / "a.csv").write_text("\n".join(["time,u", *(f"{times[i]},{A[i, 0]:.17g}" for i in range(M))]))
    (tmp_path / "b.csv").write_text("\n".join(["time,v", *(f"{times[i]},{B[i, 0]:.17g}" for i in order)]))
    with pytest.raises(DataError, match="stands in every file, in another order, and nothing says whether it names"):
        read_files([tmp_path / "a.csv", tmp_path / "b.csv"])


def test_samples_of_one_file_alone_are_left_out_with_counts_or_filled_in(tmp_path: Path) -> None:
    ids = [f"p{i:02d}" for i in range(M)]
    (tmp_path / "a.csv").write_text(
        "\n".join(["id,u,t", *(f"{ids[i]},{A[i, 0]:.17g},{A[i, 1]:.17g}" for i in range(M))])
    )
    (tmp_path / "b.csv").write_text("\n".join(["id,v", *(f"{ids[i]},{B[i, 0]:.17g}" for i in range(3, M))]))
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    with pytest.raises(DataError, match="9 of 12 and 9 of 9 samples are in both files"):
        read_files(files)
    check(read_files(files, join="intersect"), [A[3:, :2], B[3:, :1]], None)
    united = read_files(files, samples="union").data
    assert (united.n_samples, united.columns["filled in"].tolist().count("b")) == (M, 3)


def h5ad(folder: Path) -> tuple[Path, list[np.ndarray]]:
    anndata = pytest.importorskip("anndata")
    made = anndata.AnnData(X=A, obs={"cell_type": KINDS}, obsm={"protein": B})
    made.obs_names = [f"c{i}" for i in range(M)]
    made.write_h5ad(folder / "a.h5ad")
    return folder / "a.h5ad", [A, B]


@pytest.mark.filterwarnings("ignore")
def test_the_second_view_of_an_h5ad_stands_in_obsm(tmp_path: Path) -> None:
    path, views = h5ad(tmp_path)
    assert [X.tolist() for X in read_files([path]).data.Xs] == [X.tolist() for X in views]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("axis", [0, 1])
def test_an_h5mu_keeps_shared_cells_with_a_count_and_is_refused_where_samples_differ(tmp_path: Path, axis: int) -> None:
    anndata, mudata = pytest.importorskip("anndata"), pytest.importorskip("mudata")
    first, second = anndata.AnnData(X=A), anndata.AnnData(X=(B if axis == 0 else A + 1.0)[3:])
    first.obs_names = [f"c{i}" for i in range(M)]
    second.obs_names = first.obs_names[3:] if axis == 0 else [f"d{i}" for i in range(3, M)]
    mudata.MuData({"rna": first, "prot": second}, axis=axis).write(tmp_path / "a.h5mu")
    if axis == 1:
        with pytest.raises(DataError, match="different samples"):
            read_files([tmp_path / "a.h5mu"])
        return
    loaded = read_files([tmp_path / "a.h5mu"])
    assert [X.tolist() for X in loaded.data.Xs] == [A[3:].tolist(), B[3:].tolist()]
    assert any("9 of 12 samples are in all views" in note for note in loaded.notes)


def wav(path: Path, n: int, rate: int) -> Path:
    from scipy.io import wavfile

    wavfile.write(path, rate, np.arange(n, dtype=np.int16)[:, None].repeat(2, axis=1))
    return path


RECORDINGS: dict[str, tuple[Callable[[Path], list[Path]], str]] = {
    "of several rates": (
        lambda f: [wav(f / f"e{i}.wav", 60, 40 if i else 100) for i in range(4)], "sampled at 40 to 100 Hz",
    ),
    "of several lengths": (
        lambda f: [wav(f / f"e{i}.wav", 60 + i, 40) for i in range(4)], "have from 60 to 63 samples",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RECORDINGS)
def test_recordings_that_differ_are_asked_about(tmp_path: Path, name: str) -> None:
    write, words = RECORDINGS[name]
    with pytest.raises(DataError, match=words) as asked:
        read_files(write(tmp_path))
    assert asked.value.hint
    if "lengths" in name:
        assert [X.shape for X in read_files(write(tmp_path), truncate=True).data.Xs] == [(4, 60)] * 2


def test_frames_of_two_cameras_that_differ_in_number_are_told_and_not_cut(tmp_path: Path) -> None:
    for camera, count in (("left", 8), ("right", 10)):
        (tmp_path / camera).mkdir()
        for i in range(count):
            Image.fromarray(RNG.integers(0, 255, (4, 5)).astype("u1")).save(tmp_path / camera / f"frame{i:03d}.png")
    folders = [tmp_path / "left", tmp_path / "right"]
    with pytest.raises(MVExplorerError, match="8 of 8 and 8 of 10") as asked:
        read_files(folders)
    assert asked.value.hint
    assert read_files(folders, join="intersect").data.n_samples == 8
