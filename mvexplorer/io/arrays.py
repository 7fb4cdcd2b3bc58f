"""NumPy's own files: NPY (one array) and NPZ (several, by name)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from mvexplorer.errors import DataError
from mvexplorer.io.parts import (
    ID_NAMES,
    MORE_LABEL_NAMES,
    Parts,
    Values,
    are_measurements,
    pick_name,
    tidy_labels,
)

_SPARSE = {"indices", "indptr", "format", "shape", "data"}


def read_npy(path: Path) -> Parts:
    """Read an NPY file: a table (M, D) is a view, a vector a view of one column, or labels by its name."""
    array = _load(path)
    if not isinstance(array, np.ndarray):
        raise DataError(f"The file “{path.name}” is not a single array.", "Give it the ending .npz.")
    parts = Parts(path)
    name = path.stem
    if array.ndim == 1 and pick_name([name], MORE_LABEL_NAMES):
        parts.labels, parts.label_name = tidy_labels(array), name
    elif array.ndim == 1 and array.dtype.kind in "SU":
        parts.columns[name] = array.astype(str)
    else:
        parts.views[name] = _as_table(array, name, path)
    return parts


def read_npz(path: Path, *, labels: str | None = None, ids: str | None = None) -> Parts:
    """Read an NPZ file: tables (M, D) are views, vectors (M,) are labels, names or columns to colour by.

    Parameters
    ----------
    path : Path
        The file.
    labels, ids : str, optional
        Name of the array that holds the class / the sample's name, instead of the usual names.
    """
    archive = _load(path)
    if isinstance(archive, np.ndarray):
        raise DataError(f"The file “{path.name}” is not an archive of arrays.", "Give it the ending .npy.")
    parts = Parts(path)
    if set(archive) >= _SPARSE:
        parts.views[path.stem] = _sparse(archive)
        parts.note("the sparse matrix was filled in.")
        return parts
    vectors = {n: a for n, a in archive.items() if a.ndim == 1 or _is_thin(n, a, labels)}
    parts.images = next((a for n, a in archive.items() if n.lower() == "images" and a.ndim in (3, 4)), None)
    for name, array in archive.items():
        if array.ndim >= 2 and name not in vectors and array is not parts.images:
            parts.views[name] = _as_table(array, name, path)
    flat = {name: a.ravel() for name, a in vectors.items()}
    _turn(parts, flat, labels)
    _take_vectors(flat, parts, labels, ids)
    return parts


def _turn(parts: Parts, vectors: dict[str, Values], labels: str | None) -> None:
    """Put the samples into rows, where the number of labels says that they stand in columns."""
    name = labels if labels in vectors else pick_name(list(vectors), MORE_LABEL_NAMES)
    count = None if name is None else len(vectors[name])
    turned = [view for view, X in parts.views.items() if X.shape[1] == count and len(X) != count]
    for view in turned:
        parts.views[view] = parts.views[view].T
    if turned:
        parts.note(f"samples stand in columns and were turned into rows in {', '.join(turned)}.")


def _load(path: Path) -> Values | dict[str, Values]:
    hint = "Save it again with numpy.save or numpy.savez, as arrays of numbers."
    try:
        # Opened here, since numpy leaves the file open when an archive turns out to be damaged.
        with path.open("rb") as file:
            loaded = np.load(file, allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                return loaded
            with loaded:
                return {name: loaded[name] for name in loaded.files}
    except ValueError as error:
        # Whatever is neither an array nor an archive numpy takes for a pickle.
        objects = "allow_pickle" in str(error) and _starts_with(path, (b"\x93NUMPY", b"PK", b"\x80"))
        what = "holds Python objects instead of numbers" if objects else "is damaged"
        raise DataError(f"The file “{path.name}” {what}.", hint) from None
    except Exception as error:
        # Zip and format faults have no common ancestor; whatever it is, the file cannot be used.
        raise DataError(f"The file “{path.name}” is damaged ({type(error).__name__}).", hint) from None


def _starts_with(path: Path, marks: tuple[bytes, ...]) -> bool:
    with path.open("rb") as file:
        return file.read(8).startswith(marks)


def _as_table(array: Values, name: str, path: Path) -> Values:
    if array.dtype.kind not in "biuf":
        kind = {"c": "complex numbers", "V": "records"}.get(array.dtype.kind, "text")
        raise DataError(
            f"Array “{name}” of “{path.name}” holds {kind} where numbers belong.",
            "Save a table of numbers: one row per sample.",
        )
    if array.ndim not in (1, 2):
        raise DataError(
            f"Array “{name}” of “{path.name}” has {array.ndim} dimensions, shape {array.shape}.",
            "Save a table with one row per sample, one array per view.",
        )
    return array.reshape(len(array), -1) if array.ndim == 1 else array


def _sparse(archive: dict[str, Values]) -> Values:
    from scipy import sparse

    kind = archive["format"].item()
    kind = kind.decode() if isinstance(kind, bytes) else str(kind)
    form = {"csr": sparse.csr_array, "csc": sparse.csc_array, "bsr": sparse.bsr_array}[kind]
    parts = (archive["data"], archive["indices"], archive["indptr"])
    return np.asarray(form(parts, shape=tuple(archive["shape"])).toarray())


def _is_thin(name: str, array: Values, wanted: str | None) -> bool:
    """Whether a 2-D array of one row or column is a vector of labels or names."""
    known = pick_name([name], (*MORE_LABEL_NAMES, *ID_NAMES)) is not None
    return array.ndim == 2 and 1 in array.shape and (known or name == wanted or array.dtype.kind in "SU")


def _take_vectors(vectors: dict[str, Values], parts: Parts, labels: str | None, ids: str | None) -> None:
    usual = Counter(len(X) for X in parts.views.values()).most_common(1)
    n_samples = usual[0][0] if usual else None
    fitting = {n: v for n, v in vectors.items() if n_samples is None or len(v) == n_samples}
    for name in sorted(set(vectors) - set(fitting)):
        count = len(vectors[name])
        parts.note(f"array “{name}” has {count} values for {n_samples} samples and was left out.")
    parts.label_name = labels if labels in fitting else None
    if labels is None:
        classes = [n for n, v in fitting.items() if not are_measurements(v)]
        parts.label_name = pick_name(classes, MORE_LABEL_NAMES)
    parts.id_name = ids if ids in fitting else (None if ids else pick_name(list(fitting), ID_NAMES))
    for name, values in fitting.items():
        if name == parts.label_name:
            parts.labels = tidy_labels(values)
            parts.note(f"array “{name}” was taken as the label.")
        elif name == parts.id_name:
            parts.ids = values
        else:
            parts.columns[name] = tidy_labels(values) if values.dtype.kind in "OSUb" else values
