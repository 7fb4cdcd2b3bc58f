"""Arrays and JSON documents as members of one zip file, which is read within limits and never unfolded to the disk."""

from __future__ import annotations

import math
import stat
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, Any

import numpy as np
import numpy.typing as npt
from pydantic_core import from_json, to_json

from mvexplorer.errors import DataError
from mvexplorer.io.base.guards import MAX_ARRAYS, MAX_DOCUMENT, check_bytes, check_count, open_file, unreadable
from mvexplorer.writing import AnyPath, replacing

BLOCK = 1 << 20
"""Bytes written between two looks at whether writing is still wanted."""
_PLAIN = "biufcmM"
"""Kinds of numbers that are kept as they are; text is kept as JSON."""
_AGAIN = "Get a whole copy of it, or save it again."


class Writing:
    """A zip file that is being written; `tick` is told which part of `total` bytes is done, and may raise to stop."""

    def __init__(self, archive: zipfile.ZipFile, total: int, tick: Callable[[float], None]) -> None:
        self._archive, self._total, self._tick, self._done = archive, max(1, total), tick, 0

    def add_document(self, name: str, content: bytes) -> str:
        """Add a JSON document; return its name."""
        self._archive.writestr(name, content)
        return name

    def add(self, stem: str, values: npt.NDArray[Any]) -> str:
        """Add an array, numbers as NPY, text and mixed objects as JSON; return the name of its member."""
        if values.dtype.kind not in _PLAIN:
            return self._add_texts(stem, values)
        rows = max(1, BLOCK // max(1, values.itemsize * math.prod(values.shape[1:])))
        with self._archive.open(f"{stem}.npy", "w", force_zip64=True) as member:
            np.lib.format.write_array_header_1_0(member, _head(values))
            for start in range(0, len(values), rows):
                block = np.ascontiguousarray(values[start : start + rows])
                member.write(block.tobytes())
                self._done += block.nbytes
                self._tick(min(1.0, self._done / self._total))
        return f"{stem}.npy"

    def _add_texts(self, stem: str, values: npt.NDArray[Any]) -> str:
        if values.dtype.kind == "S":
            values = np.char.decode(values, "utf-8", "replace")
        plain = [v if v is None or isinstance(v, str | bool | int | float) else str(v) for v in values.tolist()]
        content = {"mixed": values.dtype.kind == "O", "values": plain}
        return self.add_document(f"{stem}.json", to_json(content, inf_nan_mode="constants"))


@contextmanager
def write_container(path: AnyPath, total: int, tick: Callable[[float], None]) -> Iterator[Writing]:
    """Open a zip file to be filled, which takes the place of `path` once complete; OSError leaves what was there."""
    with replacing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        yield Writing(archive, total, tick)


def _head(values: npt.NDArray[Any]) -> dict[str, Any]:
    return {"descr": np.lib.format.dtype_to_descr(values.dtype), "fortran_order": False, "shape": values.shape}


class Container:
    """A zip file of arrays and documents, whose members were checked before any is read."""

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        self._path, self._archive = path, archive
        self._members = {info.filename: info for info in _checked(path, archive.infolist())}
        self._taken = set[str]()

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def document(self, name: str) -> bytes:
        """Return a JSON document, not yet parsed; DataError where there is none, or it is too large."""
        with self._open(name) as (member, size):
            if size > MAX_DOCUMENT:
                message = f"“{name}” of “{self._path.name}” has {size:,} bytes, where {MAX_DOCUMENT:,} are the most."
                raise DataError(message, _AGAIN)
            return member.read()

    def array(self, name: str, most: float = math.inf) -> npt.NDArray[Any]:
        """Read an array of numbers, text, or objects that are either or None; refuse more than `most` numbers."""
        if name in self._taken:  # or a small file could fill the memory by naming one member a million times
            raise self.damaged(f"it uses “{name}” twice")
        self._taken.add(name)
        if name.endswith(".json"):
            return self._texts(name)
        with self._open(name) as (member, size):
            version = np.lib.format.read_magic(member)
            if version != (1, 0):
                raise self.damaged(f"“{name}” is no array as this program writes it")
            shape, fortran, dtype = np.lib.format.read_array_header_1_0(member)
            if dtype.hasobject:
                raise self.damaged(f"“{name}” holds Python objects, which are never opened")
            count = math.prod(shape)
            if dtype.kind not in _PLAIN or fortran or count * dtype.itemsize != size - member.tell():
                raise self.damaged(f"“{name}” does not hold the numbers that its head tells of")
            if count > most:
                raise self.damaged(f"“{name}” holds {count:,} numbers, where {most:,} are the most")
            return _unfolded(member, count * dtype.itemsize).view(dtype).reshape(shape)

    def _texts(self, name: str) -> npt.NDArray[Any]:
        try:
            content = from_json(self.document(name), allow_inf_nan=True)
            values, mixed = content["values"], content["mixed"]
            texts = all(isinstance(value, str) for value in values)
        except (ValueError, TypeError, KeyError):
            raise self.damaged(f"“{name}” is no list of texts") from None
        if not isinstance(values, list) or not (mixed or texts):
            raise self.damaged(f"“{name}” is no list of texts")
        return np.array(values, dtype=object) if mixed else np.array(values, dtype=str)

    @contextmanager
    def _open(self, name: str) -> Iterator[tuple[IO[bytes], int]]:
        info = self._members.get(name)
        if info is None:
            raise self.damaged(f"it lacks “{name}”")
        try:
            with self._archive.open(info) as member:
                yield member, info.file_size
        except DataError:
            raise
        except OSError as error:
            raise unreadable(self._path, error) from None
        except Exception:  # noqa: BLE001 - a damaged file may raise anything
            raise self.damaged(f"“{name}” cannot be unfolded to what was put into it") from None

    def damaged(self, why: str) -> DataError:
        """Make the error for a file that is not what it claims to be; `why` has no full stop."""
        return DataError(f"“{self._path.name}” is damaged: {why}.", _AGAIN)


def _unfolded(member: IO[bytes], size: int) -> npt.NDArray[np.uint8]:
    """Read the next bytes of a member, which are in memory only once."""
    content = np.empty(size, dtype=np.uint8)
    for start in range(0, size, BLOCK):
        block = member.read(min(BLOCK, size - start))
        content[start : start + len(block)] = np.frombuffer(block, dtype=np.uint8)
        if len(block) < min(BLOCK, size - start):
            raise EOFError
    member.read(1)  # compares the checksum
    content.flags.writeable = False
    return content


@contextmanager
def read_container(path: Path) -> Iterator[Container]:
    """Open a zip file for reading; DataError where its members cannot be trusted."""
    with open_file(path) as file:
        try:
            archive = zipfile.ZipFile(file)
        except Exception:  # noqa: BLE001 - a damaged file may raise anything
            raise DataError(f"“{path.name}” breaks off, or is no session with data.", _AGAIN) from None
        with archive:
            yield Container(path, archive)


def _checked(path: Path, members: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """Return the members; refuse those that are too many, repeated, not plain, or too large when unfolded."""
    check_count(path, len(members), MAX_ARRAYS, "members", _AGAIN)
    for info in members:
        if fault := _fault(info):
            raise DataError(f"“{path.name}” was not opened: its member “{info.filename}” {fault}.", _AGAIN)
    [(name, count)] = Counter(info.filename for info in members).most_common(1) or [("", 0)]
    if count > 1:
        raise DataError(f"“{path.name}” was not opened: it has {count} members “{name}”.", _AGAIN)
    check_bytes(path, sum(info.file_size for info in members))
    return members


def _fault(info: zipfile.ZipInfo) -> str:
    """Say why a member is not opened; empty for a plain one."""
    name = info.orig_filename
    windows = PureWindowsPath(name)
    climbs = ".." in PurePosixPath(name).parts or ".." in windows.parts
    if climbs or name.startswith("/") or windows.drive or windows.root or "\0" in name:
        return "has a name that leads out of it"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "is a link"
    if info.flag_bits & 1:
        return "is encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "is packed in a way that this program never uses"
    return ""
