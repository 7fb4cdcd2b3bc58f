"""Each convention in which multi-view data is published as MAT files, in files made by SciPy and in MATLAB's layout of
HDF5: read rightly, or asked about. The truth is the arrays that a file was made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from matlab_layout import Content, Form, cell

from mvexplorer.errors import DataError, RowsError
from mvexplorer.io.reading.files import Loaded, read_files

LABEL_NAMES = ("Y", "truelabel", "y", "gt", "truth", "label", "labels", "gnd", "y0", "classLabel")
CELL_NAMES = ("X", "data", "fea", "M", "set")
FEW = settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
MANY = settings(max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))


forms = st.builds(
    Form,
    version=st.sampled_from(["5", "5", "7.3", "7.0"]),
    packed=st.booleans(),
    garbage=st.sampled_from([b"", b"", bytes(64), b"no variable here", b"\x01"]),
)


# Truth ------------------------------------------------------------------------------------------------------------


@dataclass
class Truth:
    """Views, samples in rows, and labels: what a file must be read as."""

    views: list[np.ndarray]
    labels: np.ndarray | None
    content: Content = field(default_factory=dict)


@st.composite
def truths(draw: Any, labelled: bool | None = None, most: int = 4) -> Truth:
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    count = draw(st.integers(6, 14))
    widths = draw(st.lists(st.integers(2, 20), min_size=2, max_size=most))
    kinds = draw(
        st.lists(st.sampled_from(["f8", "f8", "f4", "u1", "u2", "i4", "sparse"]), min_size=most, max_size=most)
    )
    views = []
    for width, kind in zip(widths, kinds, strict=False):
        if kind in ("u1", "u2", "i4"):
            views.append(rng.integers(0, 255, (count, width)).astype(kind))
        else:
            view = rng.normal(size=(count, width)) * 10.0 ** rng.integers(-6, 6)
            views.append(np.where(rng.random(view.shape) < 0.5, 0, view) if kind == "sparse" else view.astype(kind))
            views[-1].flat[0] = 1.5
    with_labels = draw(st.booleans()) if labelled is None else labelled
    first = draw(st.sampled_from([0, 1, 1, 1, 7]))
    labels = first + rng.permutation(np.arange(count) % draw(st.integers(2, 4))) if with_labels else None
    return Truth(views, labels)


@st.composite
def stored_labels(draw: Any, labels: np.ndarray, n_views: int) -> Any:
    column = labels.astype(draw(st.sampled_from(["f8", "u1", "i4"])))[:, None]
    form = draw(st.sampled_from(["column", "row", "copies", "one-hot", "equal columns", "words"]))
    if form == "words":
        return cell([f"class {label}" for label in labels])
    one_hot = np.eye(int(labels.max()) + 1)[labels][:, labels.min() :]
    return {
        "column": column,
        "row": column.T,
        "copies": cell([column] * n_views),
        "one-hot": one_hot.astype(draw(st.sampled_from(["f8", "u1"]))),
        "equal columns": np.repeat(column, n_views, axis=1),
    }[form]


def is_sparse(X: np.ndarray) -> bool:
    return X.dtype.kind == "f" and bool((X == 0).mean() > 0.2)


def as_stored(X: np.ndarray, across: bool) -> Any:
    import scipy.sparse

    table = X.T if across else X
    return scipy.sparse.csc_matrix(table) if is_sparse(X) else table


@st.composite
def containers(draw: Any, tables: list[Any]) -> tuple[Content, list[str]]:
    """The variables that hold the views, and what the views will be called."""
    how = draw(st.sampled_from(["cell", "cell", "numbered", "separate"]))
    if how == "cell":
        held = {draw(st.sampled_from(CELL_NAMES)): cell(tables, draw(st.booleans()))}
        return held, [f"view{i + 1}" for i in range(len(tables))]
    if how == "numbered":
        stem = draw(st.sampled_from(["X", "V", "dataV", "msr", "fea"]))
        start = draw(st.sampled_from([1, 8]))
        names = [f"{stem}{i + start}" for i in range(len(tables))]
    else:
        names = ["gist", "hog", "lbp", "sift", "surf"][: len(tables)]
    order = draw(st.permutations(range(len(tables)))) if how == "numbered" else range(len(tables))
    return {names[i]: tables[i] for i in order}, names


def read(folder: Path, content: Content, form: Form, **options: Any) -> Loaded:
    return read_files([form.write(folder / "set.mat", content)], **options)


def read_or_asked(folder: Path, content: Content, form: Form) -> Loaded | DataError:
    try:
        return read(folder, content, form)
    except DataError as error:
        return error


def check_views(loaded: Loaded, views: list[np.ndarray]) -> None:
    assert len(loaded.data.Xs) == len(views)
    for X, truth in zip(loaded.data.Xs, views, strict=True):
        np.testing.assert_array_equal(X, truth.astype(np.float64))


def check_labels(loaded: Loaded, labels: np.ndarray | None) -> None:
    if labels is None:
        assert loaded.data.labels is None
        return
    assert loaded.data.labels is not None
    pairs = set(zip(loaded.data.labels.tolist(), labels.tolist(), strict=True))
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(set(labels.tolist()))


# Conventions ------------------------------------------------------------------------------------------------------


def decided(shapes: list[tuple[int, ...]], count: int, known: bool) -> bool:
    """Whether a person could tell where the samples are, without looking at the numbers."""
    oblong = {shape[0] == count for shape in shapes if shape[0] != shape[1]}
    square = any(shape[0] == shape[1] == count for shape in shapes)
    if known:
        return not square or len(oblong) == 1
    common = set.intersection(*(set(shape) for shape in shapes))
    return len(common) == 1 and (not square or len(oblong) == 1)


@st.composite
def ordinary(draw: Any) -> tuple[Truth, Form, bool]:
    truth = draw(truths())
    across = draw(st.one_of(st.just([False] * 9), st.just([True] * 9), st.lists(st.booleans(), min_size=9, max_size=9)))
    tables = [as_stored(X, turn) for X, turn in zip(truth.views, across, strict=False)]
    held, _ = draw(containers(tables))
    if truth.labels is not None:
        held[draw(st.sampled_from(LABEL_NAMES))] = draw(stored_labels(truth.labels, len(tables)))
    in_struct = draw(st.booleans()) and not set(held) & {"set"}
    truth.content = {"dataset": held} if in_struct else held
    shapes = [table.shape for table in tables]
    return truth, draw(forms), decided(shapes, len(truth.views[0]), truth.labels is not None)


def check_ordinary(folder: Path, case: tuple[Truth, Form, bool]) -> None:
    truth, form, is_decided = case
    loaded = read_or_asked(folder, truth.content, form)
    if isinstance(loaded, DataError):
        assert not is_decided, loaded
        assert loaded.hint
        return
    if any("(square), as in the other views" in note for note in loaded.notes):  # said, not known
        truth.views = [
            X if X.shape[0] != X.shape[1] or np.array_equal(X, found) else X.T
            for X, found in zip(truth.views, loaded.data.Xs, strict=True)
        ]
    check_views(loaded, truth.views)
    check_labels(loaded, truth.labels)


def in_halves(content: Content, style: str, first: int) -> Content:
    """Names with the half behind, before or within."""
    names = {
        "x1_train": lambda name, half: f"{name}_{half}",
        "trainX": lambda name, half: f"{half}{name}",
        "Xtr": lambda name, half: name + {"train": "tr", "test": "te"}[half],
    }[style]
    parts = {"train": slice(None, first), "test": slice(first, None)}
    return {names(name, half): cut(value, rows) for half, rows in parts.items() for name, value in content.items()}


def cut(value: Any, rows: slice) -> Any:
    table, across = value
    return table[:, rows] if across else table[rows]


@st.composite
def halved(draw: Any) -> tuple[Truth, Form, int]:
    truth = draw(truths(labelled=True))
    assert truth.labels is not None
    count = len(truth.labels)
    first = draw(st.integers(3, count - 3))
    across = draw(st.booleans())
    held = {f"x{i + 1}": (X.T if across else X, across) for i, X in enumerate(truth.views)}
    held["gt"] = (truth.labels[:, None].astype(float), False)
    truth.content = in_halves(held, draw(st.sampled_from(["x1_train", "trainX", "Xtr"])), first)
    return truth, draw(forms), first


def check_halves(folder: Path, case: tuple[Truth, Form, int]) -> None:
    truth, form, first = case
    assert truth.labels is not None
    sizes = {first, len(truth.labels) - first}
    for half, rows in ((None, slice(None)), ("train", slice(None, first)), ("test", slice(first, None))):
        try:
            loaded = read(folder, truth.content, form, half=half)
        except DataError:
            assert sizes & {X.shape[1] for X in truth.views}  # as many features as samples
            continue
        check_views(loaded, [X[rows] for X in truth.views])
        check_labels(loaded, truth.labels[rows])
        if half is None:
            assert loaded.data.columns["half"].tolist() == ["train"] * first + ["test"] * (len(truth.labels) - first)
            assert [notice.code for notice in loaded.notes].count("halves") == 1


@st.composite
def masked(draw: Any) -> tuple[Truth, Form, np.ndarray, bool]:
    """Views whose absent samples are rows of zeros or NaN, and a mask or lists of them; or complete ones and a mask."""
    truth = draw(truths(most=3))
    count, n_views = len(truth.views[0]), len(truth.views)
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    truth.views = [X + rng.normal(size=X.shape) for X in truth.views]  # no zeros, no two neighbours equally near
    present = rng.random((count, n_views)) < 0.8
    present[:4] = True
    present[np.arange(4, count), rng.integers(0, n_views, count - 4)] = True
    present[4, 0], present[4, 1] = False, True
    for X, has in zip(truth.views, present.T, strict=True):
        X[~has] = np.nan
    how = draw(st.sampled_from(["zeros", "NaN", "lists", "list of all", "file"]))
    stored = [np.nan_to_num(X) if how == "zeros" else X for X in truth.views]
    if how == "file":
        stored = [np.where(np.isnan(X), 5.0, X) for X in truth.views]
    across = draw(st.booleans())
    held: Content = {"X": cell([X.T if across else X for X in stored])}
    labels = truth.labels if truth.labels is not None else np.arange(count) % 2
    truth.labels = labels
    held["Y"] = labels[:, None].astype(float)
    mask = (present.T if draw(st.booleans()) else present).astype(draw(st.sampled_from(["f8", "u1"])))
    rows = [np.flatnonzero(~has)[:, None] + 1.0 for has in present.T]
    extra: dict[str, Any] = {
        "zeros": {draw(st.sampled_from(["mask", "ind", "W"])): mask}, "NaN": {"index": mask},
        "lists": {"miss": cell(rows)}, "file": {},
        "list of all": {"gone": np.flatnonzero(~present.all(axis=1))[:, None] + 1.0},
    }  # fmt: skip
    truth.content = held | extra[how]
    return truth, draw(forms), mask, how == "file"


def check_masks(folder: Path, case: tuple[Truth, Form, np.ndarray, bool]) -> None:
    truth, form, mask, in_file = case
    assert truth.labels is not None
    paths = [form.write(folder / "set.mat", truth.content)]
    if in_file:
        paths.append(form.write(folder / "gone_mask.mat", {"mask": mask}))
    whole = np.all([~np.isnan(X).all(axis=1) for X in truth.views], axis=0)
    if is_square(mask, truth.views):
        return
    loaded = read_files(paths)
    check_views(loaded, [X[whole] for X in truth.views])
    check_labels(loaded, truth.labels[whole])
    assert any(f"{whole.sum():,} of {len(whole):,} samples are in all views" in note for note in loaded.notes)
    loaded = read_files(paths, samples="union")
    for X, expected in zip(loaded.data.Xs, filled(truth.views), strict=True):
        np.testing.assert_allclose(X, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    assert (loaded.data.columns["filled in"] == "no view").tolist() == whole.tolist()


def is_square(mask: np.ndarray, views: list[np.ndarray]) -> bool:
    return mask.shape[0] == mask.shape[1] or any(X.shape[0] == X.shape[1] for X in views)


def filled(views: list[np.ndarray]) -> list[np.ndarray]:
    """What scikit-learn's imputation by neighbours makes of the z-scored views, in the units of each."""
    from sklearn.impute import KNNImputer
    from sklearn.preprocessing import StandardScaler

    joined = np.hstack(views)
    scaler = StandardScaler().fit(joined)
    imputed = scaler.inverse_transform(KNNImputer(n_neighbors=5).fit_transform(scaler.transform(joined)))
    whole = np.where(np.isnan(joined), imputed, joined)
    return np.split(whole, np.cumsum([X.shape[1] for X in views])[:-1], axis=1)


@st.composite
def kernels(draw: Any) -> tuple[Truth, Form, bool, bool]:
    """Kernels V x N x N or N x N x V, or one among tables of features; some are not positive semidefinite."""
    truth = draw(truths(labelled=True, most=3))
    assert truth.labels is not None
    truth.views = [X.astype(float) for X in truth.views]
    stack = np.array([X @ X.T for X in truth.views])
    sound, stacked = draw(st.booleans()), draw(st.booleans())
    if not sound:
        stack[0] -= 2.0 * np.diag(np.diag(stack[0])) + np.eye(len(stack[0]))
    if stacked:
        truth.content = {"K": stack if draw(st.booleans()) else np.moveaxis(stack, 0, 2)}
    else:
        truth.content = {"K": stack[0], "other": truth.views[1]}
        truth.views = truth.views[:2]
    truth.content["Y"] = truth.labels[:, None].astype(float)
    return truth, draw(forms), sound, stacked


def check_kernels(folder: Path, case: tuple[Truth, Form, bool, bool]) -> None:
    truth, form, sound, stacked = case
    if {X.shape[0] for X in truth.views} & {X.shape[1] for X in truth.views} or len(truth.views) == len(truth.views[0]):
        return  # square tables are another convention
    with pytest.raises(RowsError, match=r"kernel|similarity") as asked:
        read(folder, truth.content, form)
    offers = {offer.title: dict(offer.options) for offer in asked.value.offers}
    chosen = next(options for title, options in offers.items() if "kernel" in title)
    if not sound:
        with pytest.raises(DataError, match="not positive semidefinite"):
            read(folder, truth.content, form, **chosen)
        return
    loaded = read(folder, truth.content, form, **chosen)
    kernel_views = truth.views if stacked else truth.views[:1]
    for X, made_of in zip(loaded.data.Xs, kernel_views, strict=False):
        squares = ((made_of[:, None] - made_of[None]) ** 2).sum(axis=2)
        found = ((X[:, None] - X[None]) ** 2).sum(axis=2)
        np.testing.assert_allclose(found, squares, atol=1e-7 * np.abs(made_of @ made_of.T).max())
    if not stacked:
        np.testing.assert_array_equal(loaded.data.Xs[1], truth.views[1])
        left = next(options for title, options in offers.items() if "out" in title)
        check_views(read(folder, truth.content, form, **left), truth.views[1:])
    check_labels(loaded, truth.labels)


@st.composite
def triplets(draw: Any) -> tuple[Truth, Form]:
    """(row, column, value), from 1, for views whose last row or column may be empty."""
    truth = draw(truths(labelled=True, most=3))
    assert truth.labels is not None
    across = draw(st.booleans())
    tables = []
    for i, X in enumerate(truth.views):
        thin = np.where(X.astype(float) > np.median(X), X.astype(float), 0.0)
        thin[0, -1] = 2.5  # all its features
        if draw(st.booleans()):
            thin[-1] = 0
        truth.views[i] = thin
        rows, columns = np.nonzero(thin)
        places = (columns, rows) if across else (rows, columns)
        tables.append(np.column_stack([places[0] + 1.0, places[1] + 1.0, thin[rows, columns]]))
    held, _ = draw(containers(tables[: draw(st.integers(1, len(tables)))]))
    truth.views = truth.views[
        : len(next(iter(held.values())).ravel()) if len(held) == 1 and "X" in held else len(tables)
    ]
    truth.content = held
    truth.content[draw(st.sampled_from(LABEL_NAMES))] = truth.labels[:, None].astype(float)
    return truth, draw(forms)


def check_triplets(folder: Path, case: tuple[Truth, Form]) -> None:
    truth, form = case
    assert truth.labels is not None
    count = len(truth.labels)
    tables = [t for v in truth.content.values() for t in (v.ravel() if v.dtype == object else [v]) if t.shape[1] == 3]
    widths = [X.shape[1] for X in truth.views]
    if any(len(t) in (count, 3) or len(t) < 4 for t in tables) or count in widths:
        return  # as many entries as samples: features; as many features as samples and the last sample empty: rows?
    if any(len(np.unique(side)) == len(side) for table in tables for side in table[:, :2].T):
        return  # an entry of each row or of each column alone: such a table is not taken for triplets
    loaded = read_or_asked(folder, truth.content, form)
    if isinstance(loaded, DataError):
        assert min(widths) < count, loaded
        assert any(not X[-1].any() for X in truth.views), loaded
        return
    check_labels(loaded, truth.labels)
    for X, Z in zip(loaded.data.Xs, truth.views, strict=False):
        np.testing.assert_array_equal(X, Z)


CONVENTIONS: dict[str, tuple[Any, Any]] = {
    "ordinary": (ordinary(), check_ordinary),
    "halves": (halved(), check_halves),
    "masks": (masked(), check_masks),
    "kernels": (kernels(), check_kernels),
    "triplets": (triplets(), check_triplets),
}


@pytest.mark.parametrize("name", CONVENTIONS)
@FEW
@given(data=st.data())
def test_convention(tmp_path_factory: pytest.TempPathFactory, name: str, data: Any) -> None:
    strategy, check = CONVENTIONS[name]
    check(tmp_path_factory.mktemp("mat"), data.draw(strategy))


@pytest.mark.nightly
@pytest.mark.parametrize("name", CONVENTIONS)
@MANY
@given(data=st.data())
def test_convention_a_thousand_times(tmp_path_factory: pytest.TempPathFactory, name: str, data: Any) -> None:
    strategy, check = CONVENTIONS[name]
    check(tmp_path_factory.mktemp("mat"), data.draw(strategy))
