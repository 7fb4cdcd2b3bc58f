"""NumPy's own files: NPY (one array) and NPZ (several, by name)."""

from __future__ import annotations

import math
import os
import struct
import zipfile
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np

from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.notices import POSSIBLE_IDS
from mvexplorer.engine.core.task import Cancelled
from mvexplorer.errors import DataError
from mvexplorer.io.arrays.archive import CONTENTS, unpack_archive
from mvexplorer.io.base import mapping
from mvexplorer.io.base.converted import Room, pour
from mvexplorer.io.base.guards import (
    MAX_ARRAYS,
    Budget,
    check_count,
    clean_text,
    damaged_sparse,
    fill_in,
    open_file,
)
from mvexplorer.io.base.masks import apply_mask, find_masks, leave_out_masks, mask_alone, take_mask_of_gaps
from mvexplorer.io.base.parts import (
    ID_NAMES,
    MORE_LABEL_NAMES,
    Parts,
    Values,
    are_measurements,
    are_names,
    left_out,
    nearly_all_differ,
    pick_name,
    tidy_labels,
)
from mvexplorer.io.base.roles import FileRequest
from mvexplorer.wording import counted

_MAGIC, _ZIP = b"\x93NUMPY", b"PK"
_HINT = "Save it again with numpy.save or numpy.savez, as arrays of numbers."


def read_npy(path: Path, asked: FileRequest | None = None) -> Parts:
    """Read an NPY file: a table (M, D) is a view, a vector a view of one column, or labels by its name."""
    asked = asked or FileRequest(path)
    with open_file(path) as file:
        if _starts(file).startswith(_ZIP):
            raise DataError(f"The file “{path.name}” is not a single array.", "Give it the ending .npz.")
        array = _mapped(file)
        if array is None:
            array = _array(file, os.fstat(file.fileno()).st_size, asked.room, path.name)
    parts = Parts(path)
    name = path.stem
    asked.offer(name, lambda: array)
    role = asked.role(name)
    if role is not None:
        _take_told({name: array}, parts, asked)
    elif array.ndim == 1 and pick_name([name], MORE_LABEL_NAMES):
        parts.labels, parts.label_name = tidy_labels(array), name
    elif array.ndim == 1 and array.dtype.kind == "U":
        parts.columns[name] = array
    elif masks := find_masks({name: array}, asked, 0):
        mask_alone(parts, masks)
    else:
        parts.views[name] = _as_table(array, name, path)
    return parts


def read_npz(path: Path, asked: FileRequest | None = None) -> Parts:
    """Read an NPZ file: tables (M, D) are views, vectors (M,) are labels, names or columns to colour by."""
    parts = Parts(path)
    asked = asked or FileRequest(path)
    archive = dict(_members(path, parts, asked.room))
    if CONTENTS in archive and not any(asked.role(name) for name in archive):
        unpack_archive(archive, parts, asked)
        return parts
    archive.pop(CONTENTS, None)
    for name, array in archive.items():
        asked.offer(name, partial(np.asarray, array))
    compressed, triplets = ("indices", "indptr"), ("row", "col")
    for keys, read in ((compressed, _compressed), (triplets, _triplets)):
        if set(archive) >= {*keys, "format", "shape", "data"}:
            parts.views[path.stem] = _sparse(archive, read, path)
            parts.note("the sparse matrix was filled in.")
            return parts
    give_roles(archive, parts, asked)
    return parts


def give_roles(archive: dict[str, Values], parts: Parts, asked: FileRequest) -> None:
    """Sort named arrays into views, label, names of samples and columns to colour by; take those out of `archive`."""
    settled = ("view", "colour", "coordinates", "ignore")  # roles that leave nothing to find out
    chosen = {name: archive.pop(name) for name in list(archive) if asked.role(name) in settled}
    tables = [name for name, array in archive.items() if array.ndim == 2 and min(array.shape) > 1]
    masks = find_masks(archive, asked, len(tables) - 1)
    for name in masks:
        del archive[name]
    if masks and len(masks) == len(tables):
        mask_alone(parts, masks)
    labels, ids = asked.labels, asked.ids
    vectors = {n: a for n, a in archive.items() if a.ndim == 1 or _is_thin(n, a, labels) or _is_thin(n, a, ids)}
    pictures = next((n for n, a in archive.items() if n.lower() == "images" and a.ndim in (3, 4)), None)
    if pictures is not None:
        _take_images(archive.pop(pictures), pictures, parts)
    for name, array in archive.items():
        if array.ndim >= 2 and name not in vectors:
            parts.views[name] = _as_table(array, name, parts.path)
    flat = {name: a.ravel() for name, a in vectors.items()}
    _take_told(chosen, parts, asked)
    parts.views = {name: parts.views[name] for name, _ in asked.found if name in parts.views}
    _turn(parts, flat, labels)
    flat.pop(apply_mask(masks, flat, parts), None)
    if not parts.lacking:
        take_mask_of_gaps(parts, asked)
    leave_out_masks(parts, asked)
    _take_vectors(flat, parts, labels, ids)
    parts.named.ids = parts.id_name is not None and asked.role(parts.id_name) == "id"


def _take_told(arrays: dict[str, Values], parts: Parts, asked: FileRequest) -> None:
    """Put arrays where their roles say."""
    for name, array in arrays.items():
        role = asked.role(name)
        if role in ("view", "coordinates"):
            parts.views[name] = _as_table(array, name, parts.path)
        elif role != "ignore" and array.size != max(array.shape, default=0):
            raise no_vector(name, array.shape, parts.path)
        elif role == "colour":
            parts.columns[name] = tidy_labels(array)
        elif role == "label":
            parts.labels, parts.label_name = tidy_labels(array), name
        elif role == "id":
            parts.ids, parts.id_name, parts.named.ids = array.ravel().astype(str), name, True
    if ignored := [name for name in arrays if asked.role(name) == "ignore"]:
        parts.note(f"{left_out(ignored)}, as asked.")


def _turn(parts: Parts, vectors: dict[str, Values], labels: str | None) -> None:
    """Transpose the views whose columns, not rows, are as many as the labels."""
    name = labels if labels in vectors else pick_name(list(vectors), MORE_LABEL_NAMES)
    count = None if name is None else len(vectors[name])
    turned = [view for view, X in parts.views.items() if X.shape[1] == count and len(X) != count]
    for view in turned:
        parts.views[view] = parts.views[view].T
    if turned:
        parts.note(f"samples stand in columns and were turned into rows in {', '.join(turned)}.")


def _members(path: Path, parts: Parts, room: Room) -> Iterator[tuple[str, Values]]:
    """Yield the arrays of an archive with their names; skip other members."""
    with open_file(path) as file:
        if _starts(file).startswith(_MAGIC):
            raise DataError(f"The file “{path.name}” is not an archive of arrays.", "Give it the ending .npy.")
        if not _starts(file).startswith(_ZIP):
            raise _unreadable(file, path)
        try:
            with zipfile.ZipFile(file) as archive:
                members = [info for info in archive.infolist() if not info.is_dir()]
                check_count(path, len(members), MAX_ARRAYS, "arrays", "Join the arrays of one view into one table.")
                if any(info.flag_bits & 1 for info in members):
                    hint = "Unpack it with its password, then open the arrays."
                    raise DataError(f"“{path.name}” is protected by a password.", hint)
                for info in members:
                    if (mapped := _mapped_member(file, info)) is not None:
                        yield info.filename.removesuffix(".npy"), mapped
                        continue
                    with archive.open(info) as member:
                        is_array = _starts(member).startswith(_MAGIC)
                        if is_array:
                            array = _array(member, info.file_size, room, info.filename)
                            yield info.filename.removesuffix(".npy"), array
                    if not is_array:
                        parts.note(f"“{info.filename}” is no array and was left out.")
        except (DataError, Cancelled):
            raise
        except Exception as error:  # noqa: BLE001 - a damaged file may raise anything
            raise _damaged(path, error) from None


def no_vector(name: str, shape: tuple[int, ...], path: Path) -> DataError:
    """Make the error for a table whose role is label, names or colouring."""
    size = " x ".join(map(str, shape)) or "one number"
    message = f"“{name}” of “{path.name}” ({size}) does not have one value per sample."
    return DataError(message, "Use it as a view, or leave it out.")


def _starts(file: IO[bytes]) -> bytes:
    start = file.read(8)
    file.seek(0)
    return start


def _mapped(file: IO[bytes], start: int = 0) -> Values | None:
    """The table that begins at a byte of a file as a memory map where it is large; None where it is no such table."""
    try:
        file.seek(start)
        shape, fortran, dtype = _header(file)
        return mapping.map_table(file, dtype, file.tell(), shape, "F" if fortran else "C")
    except Exception:  # noqa: BLE001 - a damaged file may raise anything; what reading it says of that is said
        return None
    finally:
        file.seek(0)


def _mapped_member(file: IO[bytes], info: zipfile.ZipInfo) -> Values | None:
    """A large table of an archive as a memory map, where it was stored as it is."""
    if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1 or info.file_size < mapping.MAP_FROM // 2:
        return None
    file.seek(info.header_offset)
    name, extra = struct.unpack("<26xHH", file.read(30))  # the header before the member, ended by two texts
    return _mapped(file, info.header_offset + 30 + name + extra)


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, order and kind of the numbers that follow."""
    version = np.lib.format.read_magic(file)
    # Version 3 differs from version 2 only in the encoding of field names.
    first = np.lib.format.read_array_header_1_0
    return first(file) if version == (1, 0) else np.lib.format.read_array_header_2_0(file)


def _array(file: IO[bytes], size: int, room: Room, name: str) -> Values:
    """Read the array in `file`; raise if `size` is less than its header claims. Invalid text is cleaned."""
    path = Path(room.path)
    if not _starts(file).startswith(_MAGIC):
        raise _unreadable(file, path)
    try:
        shape, fortran, dtype = _header(file)
        count = math.prod(shape)
        if dtype.hasobject:
            raise _objects(path)
        if count * max(dtype.itemsize, 1) > size - file.tell():
            raise DataError(f"The file “{path.name}” is damaged: it ends before its numbers do.", _HINT)
        if room.is_beyond(shape, dtype):
            return room.keep(name, shape, dtype, partial(pour, file, dtype, room.tick), by_column=fortran)
        # Tables become float64; byte strings become text of 4 bytes a character.
        room.take(count * (4 * dtype.itemsize if dtype.kind == "S" else max(dtype.itemsize, 8 * (len(shape) < 3))))
        file.seek(0)
        array: Values = np.lib.format.read_array(file, allow_pickle=False)
        return clean_text(array) if array.dtype.kind in "SU" else array
    except (DataError, Cancelled):
        raise
    except Exception as error:  # noqa: BLE001 - a damaged file may raise anything
        # These exceptions have no common base class; after any of them the file is unusable.
        raise _damaged(path, error) from None


def _unreadable(file: IO[bytes], path: Path) -> DataError:
    pickle = b"\x80"
    if _starts(file).startswith(pickle):
        return _objects(path)
    return DataError(f"The file “{path.name}” is damaged.", _HINT)


def _objects(path: Path) -> DataError:
    return DataError(f"The file “{path.name}” holds Python objects instead of numbers.", _HINT)


def _damaged(path: Path, error: Exception) -> DataError:
    return DataError(f"The file “{path.name}” is damaged ({type(error).__name__}).", _HINT)


def _take_images(array: Values, name: str, parts: Parts) -> None:
    """Store pictures of the samples; values must be those of 8-bit pictures."""
    fault = ""
    if array.dtype.kind not in "biuf":
        fault = "holds no numbers"
    elif array.size == 0 or (array.ndim == 4 and array.shape[3] not in (3, 4)):
        fault = f"has the shape {array.shape}, which pictures have not,"
    elif not (array.min() >= 0 and array.max() <= 255):
        fault = "holds numbers outside 0 to 255"
    if fault:
        parts.note(f"array “{name}” {fault} and was left out.")
    else:
        parts.images = array


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
    if array.size == 0:
        raise DataError(f"Array “{name}” of “{path.name}” is empty, shape {array.shape}.", "Leave it out.")
    return array[:, None] if array.ndim == 1 else array


def _sparse(archive: dict[str, Values], read: Any, path: Path) -> Values:
    """The matrix that `scipy.sparse.save_npz` wrote, as a dense array."""
    try:
        matrix = read(archive, str(archive["format"].item()))
    except (ValueError, TypeError, KeyError, IndexError, OverflowError):
        raise damaged_sparse(path) from None
    return fill_in(matrix, Budget(path))


def _compressed(archive: dict[str, Values], kind: str) -> Any:
    with IMPORTS:
        from scipy import sparse

    form = {"csr": sparse.csr_array, "csc": sparse.csc_array, "bsr": sparse.bsr_array}[kind]
    return form((archive["data"], archive["indices"], archive["indptr"]), shape=_shape(archive))


def _triplets(archive: dict[str, Values], kind: str) -> Any:
    with IMPORTS:
        from scipy import sparse

    form = {"coo": sparse.coo_array}[kind]
    return form((archive["data"], (archive["row"], archive["col"])), shape=_shape(archive))


def _shape(archive: dict[str, Values]) -> tuple[int, int]:
    rows, columns = (int(n) for n in archive["shape"])
    return rows, columns


def _is_thin(name: str, array: Values, wanted: str | None) -> bool:
    """True if a 2-D array of one row or column is a vector of labels or names."""
    is_usual = pick_name([name], (*MORE_LABEL_NAMES, *ID_NAMES)) is not None
    return array.ndim == 2 and 1 in array.shape and (is_usual or name == wanted or array.dtype.kind == "U")


def _take_vectors(vectors: dict[str, Values], parts: Parts, labels: str | None, ids: str | None) -> None:
    usual = Counter(len(X) for X in parts.views.values()).most_common(1)
    n_samples = usual[0][0] if usual else None
    vectors = {n: v.astype(str) if v.dtype.kind in "Mm" else v for n, v in vectors.items()}
    for name in [name for name, values in vectors.items() if values.dtype.kind not in "biufU"]:
        del vectors[name]
        parts.note(f"array “{name}” holds neither real numbers nor text and was left out.")
    fitting = {n: v for n, v in vectors.items() if n_samples is None or len(v) == n_samples}
    for name in sorted(set(vectors) - set(fitting)):
        count = len(vectors[name])
        parts.note(f"array “{name}” has {counted(count, 'value')} for {n_samples} samples and was left out.")
    parts.label_name = labels if labels in fitting else None
    if labels is None:
        classes = [n for n, v in fitting.items() if not are_measurements(v) and not are_names(v)]
        parts.label_name = pick_name(classes, MORE_LABEL_NAMES)
    parts.id_name = ids if ids in fitting else (None if ids else pick_name(list(fitting), ID_NAMES))
    for name, values in fitting.items():
        if name == parts.label_name:
            parts.labels = tidy_labels(values)
            parts.note(f"array “{name}” was taken as the label.")
        elif name == parts.id_name:
            parts.ids = values
        else:
            parts.columns[name] = tidy_labels(values) if values.dtype.kind in "Ub" else values
            if labels is None and pick_name([name], MORE_LABEL_NAMES) and are_names(values):
                parts.note(nearly_all_differ(name), POSSIBLE_IDS, (name,))
