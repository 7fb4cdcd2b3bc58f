"""HDF5 files, and MAT files of version 7.3: HDF5 in which matrices are transposed and cells are references.

HDF5 follows links to any other file on the machine, so links out of the file are refused. Groups and cells may contain
each other, so every visit to a node counts towards the limit.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.maps import row_blocks
from mvexplorer.errors import DataError
from mvexplorer.io.base.converted import Room
from mvexplorer.io.base.guards import check_bytes, clean_text, damage_told, damaged_sparse, open_file, read_limit
from mvexplorer.io.base.heaps import check_heaps
from mvexplorer.io.base.mapping import FROM_FILE, can_be_mapped
from mvexplorer.io.base.wire import MANY, Blocks

DAMAGE = ("is damaged or cut off", "Write it again with the program it comes from.")
"""What is said of a damaged file, and what helps."""
_AGAIN = 1000
"""Number of items that a repeated group or cell counts as."""


def read_hdf_variables(room: Room) -> dict[str, Any]:
    """Read all variables, in the form that scipy uses for version 5; ValueError, or what h5py raises, where damaged."""
    import h5py

    check_heaps(path := Path(room.path))
    with h5py.File(path, "r") as file:
        _refuse_omics(file, path)
        reader = _Reader(file, room)
        return reader.fields(file, depth=0)


def read_hdf_arrays(room: Room) -> dict[str, Any]:
    """Read all numbers and texts by their paths in the file, such as ``rna/counts``; None for what is neither."""
    import h5py

    check_heaps(path := Path(room.path))
    with h5py.File(path, "r") as file:
        _refuse_omics(file, path)
        reader = _PlainReader(file, room)
        return dict(_walk(reader.fields(file, depth=0)))


def _refuse_omics(file: Any, path: Path) -> None:
    """Refuse what anndata or mudata wrote under another ending: read as any HDF5, it would lose labels and names."""
    kind, endings = str(file.attrs.get("encoding-type", "")), {"anndata": ".h5ad", "MuData": ".h5mu"}
    if kind in endings:
        advice = f"Rename it to “{path.stem}{endings[kind]}”, then open it."
        raise DataError(f"“{path.name}” is a file of {kind}, whatever its name says.", advice)


def _walk(fields: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in fields.items():
        if isinstance(value, dict):
            yield from _walk(value, f"{above}{name}/")
        else:
            yield above + name, value


def node_inside(group: Any, name: str, budget: Room) -> Any:
    """Return a node of a file, None where there is none; DataError where a link leads to another file."""
    return _Reader(group.file, budget).follow(group, name) if name in group.keys() else None  # noqa: SIM118


def converted_node(group: Any, name: str, budget: Room) -> Any:
    """Convert a table of a file that is too large for the memory to a read-only map."""
    return _Reader(group.file, budget).numbers(node_inside(group, name, budget))


def check_tree(group: Any, name: str, budget: Room) -> None:
    """Refuse what another library must not read, here and below: links out of the file, sizes too large or not true."""
    _Reader(group.file, budget).check(group, name, depth=0)


class _Reader:
    """Reads the nodes of one file."""

    def __init__(self, file: Any, budget: Room) -> None:
        self._file = file
        self._budget = budget
        self._known: dict[int, Any] = {}
        """Address in the file -> array read there; None for groups and cells."""
        self._open: list[int] = []
        """Addresses of the groups around what is read: a link to one of them leads nowhere new."""

    def fields(self, group: Any, depth: int) -> dict[str, Any]:
        """Read the content of a group by name, without MATLAB's own names, which begin with #."""
        nodes = {name: self.follow(group, name) for name in group if not name.startswith("#")}
        with self._inside(group):
            # A name may hold bytes that are not text and cannot be displayed.
            return {
                _legible(name): self.value(node, depth)
                for name, node in nodes.items()
                if node is not None and not self._is_around(node)
            }

    @contextmanager
    def _inside(self, group: Any) -> Iterator[None]:
        import h5py

        self._open.append(h5py.h5o.get_info(group.id).addr)
        yield
        self._open.pop()

    def _is_around(self, node: Any) -> bool:
        import h5py

        return h5py.h5o.get_info(node.id).addr in self._open

    def value(self, node: Any, depth: int) -> Any:
        """Read a node as an array, an object array (cell), a dict (struct) or a sparse matrix."""
        import h5py

        self._budget.count(1, depth)
        place = h5py.h5o.get_info(node.id).addr
        earlier = self._known.get(place)
        if earlier is not None:
            self._budget.take(earlier.nbytes)
            return earlier
        # MATLAB writes a tree. A file that repeats groups or cells may nest the repeats: visits would multiply.
        self._budget.count(_AGAIN * (place in self._known))
        self._known[place] = None
        if isinstance(node, h5py.Group):
            return self._sparse(node) if "MATLAB_sparse" in node.attrs else self.fields(node, depth + 1)
        if isinstance(node, h5py.Dataset) and not node.attrs.get("MATLAB_empty", 0):
            if h5py.check_ref_dtype(node.dtype) is h5py.Reference:
                return self._cell(node, depth)
            self._known[place] = self._array(node)
        else:
            self._known[place] = np.empty((0, 0))
        return self._known[place]

    def check(self, group: Any, name: str, depth: int) -> None:
        """Check a node as if it were read, and all below it."""
        import h5py

        node = self.follow(group, name)
        self._budget.count(1, depth)
        if isinstance(node, h5py.Group) and not self._is_around(node):
            with self._inside(node):
                for below in node:
                    self.check(node, below, depth + 1)
        elif isinstance(node, h5py.Dataset):
            self._check_data(node)

    def _array(self, node: Any) -> Any:
        """Read numbers or text; empty for other types, which a table cannot contain."""
        if node.dtype.kind not in "biufc":
            return np.empty((0, 0))
        array = self.numbers(node).T
        return _text(array) if node.attrs.get("MATLAB_class", b"") == b"char" else array

    def _cell(self, node: Any, depth: int) -> Any:
        self._budget.count(node.size, depth + 1)
        references = self.numbers(node).T
        cell = np.empty(references.shape, dtype=object)
        for index, reference in np.ndenumerate(references):
            cell[index] = self.value(self._file[reference], depth + 1) if reference else np.empty((0, 0))
        return cell

    def follow(self, group: Any, name: str, links: int = 0) -> Any:
        """Return a group's node of that name; soft links are followed step by step, so that none leaves the file."""
        import h5py

        link = group.get(name, getlink=True)
        if isinstance(link, h5py.ExternalLink):
            raise self._outside(f"the file “{link.filename}”")
        if not isinstance(link, h5py.SoftLink):
            return group[name]
        most = 16  # links from one to the next
        if links >= most:
            return None
        node: Any = self._file if link.path.startswith("/") else group
        for part in link.path.split("/"):
            if part not in ("", "."):
                if not isinstance(node, h5py.Group) or node.get(part, getlink=True, default=None) is None:
                    return None
                node = self.follow(node, part, links + 1)
        return node

    def numbers(self, node: Any) -> Any:
        """Read a data set, which must be in this file and decompress to its declared size."""
        start = self._start(node)
        if start is not None and can_be_mapped(node.shape, node.dtype):
            return self._standing(node, start)
        self._refuse_outside(node)
        text = node.attrs.get("MATLAB_class", b"") == b"char"
        if not text and self._budget.is_beyond(node.shape or (), node.dtype):
            self._check_chunks(node)
            return self._budget.keep(node.name, node.shape, node.dtype, partial(_pour, node, self._budget.tick))
        self._check_data(node)
        if start is not None and node.nbytes >= FROM_FILE:
            return self._standing(node, start)
        return np.asarray(node[()])

    def _start(self, node: Any) -> int | None:
        """Return where a data set's numbers begin that stand in the file as in memory; None for others."""
        import h5py

        if node.external or node.is_virtual or node.chunks or node.dtype.kind not in "iuf" or not node.dtype.isnative:
            return None
        start, end = node.id.get_offset(), Path(self._budget.path).stat().st_size
        as_in_memory = h5py.h5t.py_create(node.dtype).equal(node.id.get_type())
        return start if as_in_memory and start is not None and start + node.nbytes <= end else None

    def _standing(self, node: Any, start: int) -> Any:
        with open_file(self._budget.path) as file:
            opened: Any = file
            return np.memmap(opened, node.dtype, "r", start, node.shape)

    def _refuse_outside(self, node: Any) -> None:
        if node.external or node.is_virtual:
            raise self._outside("another file")

    def _check_data(self, node: Any) -> None:
        self._refuse_outside(node)
        size = math.prod(node.shape or (0,)) * max(node.dtype.itemsize, 8)
        self._budget.take(size)
        self._check_chunks(node)

    def _check_chunks(self, node: Any) -> None:
        """Refuse chunks larger than declared: HDF5 decompresses a chunk whole, whatever its size."""
        if node.chunks is None:
            return
        chunk = _bytes_of_chunk(node)
        check_bytes(self._budget.path, chunk)
        if node.compression != "gzip":
            return
        stored: list[Any] = []
        node.id.chunk_iter(stored.append)
        expansion = 1032  # the most of deflate
        for info in stored:
            suspect = info.size * expansion > read_limit() and not info.filter_mask
            if info.size > chunk * 1.01 + 1024 or (suspect and self._unfolded(node, info) > chunk):
                raise ValueError("a chunk is larger than it says")

    def _unfolded(self, node: Any, info: Any) -> int:
        """Count the bytes of a decompressed chunk, up to one above its declared size."""
        _, content = node.id.read_direct_chunk(info.chunk_offset)
        return len(zlib.decompressobj().decompress(content, _bytes_of_chunk(node) + 1))

    def _sparse(self, group: Any) -> Any:
        with IMPORTS:
            from scipy.sparse import csc_array

        parts = {name: self.follow(group, name) for name in ("jc", "ir", "data") if name in group}
        starts = self.numbers(parts["jc"]).astype(np.int64)
        shape = (int(group.attrs["MATLAB_sparse"]), len(starts) - 1)
        try:
            if "data" not in parts:
                return csc_array(shape)
            rows = self.numbers(parts["ir"]).astype(np.int64)
            return csc_array((self.numbers(parts["data"]), rows, starts), shape=shape)
        except DataError:
            raise
        except (ValueError, TypeError):
            raise damaged_sparse(self._budget.path) from None

    def _outside(self, where: str) -> DataError:
        message = f"“{Path(self._budget.path).name}” keeps its numbers in {where}, which is not followed."
        return DataError(message, "Save the views in one file.")


class _PlainReader(_Reader):
    """Reads files that MATLAB has not written: arrays as they are, texts, and tables of several kinds of columns."""

    def value(self, node: Any, depth: int) -> Any:
        """Read a node as an array, a dict (group, or table by its columns), or None."""
        import h5py

        self._budget.count(1, depth)
        place = h5py.h5o.get_info(node.id).addr
        self._budget.count(_AGAIN * (place in self._known))
        self._known[place] = None
        if isinstance(node, h5py.Group):
            return self.fields(node, depth + 1)
        if not isinstance(node, h5py.Dataset) or node.shape is None:
            return None
        if h5py.check_string_dtype(node.dtype) is not None:
            return self._strings(node)
        if node.dtype.kind in "biuf":
            return self._in_blocks(node) if self._is_large(node) else self.numbers(node)
        if node.dtype.names and node.ndim == 1 and not any(node.dtype[i].hasobject for i in range(len(node.dtype))):
            table = self.numbers(node)
            return {name: _plain(table[name]) for name in node.dtype.names if table[name].dtype.kind in "biufS"}
        return None

    def _is_large(self, node: Any) -> bool:
        """True if numbers have to be decompressed, and are so many that others wait for them."""
        return bool(
            node.chunks and node.name and node.nbytes >= MANY and not self._budget.is_beyond(node.shape, node.dtype)
        )

    def _in_blocks(self, node: Any) -> Blocks:
        self._check_data(node)
        return Blocks(node.dtype, node.shape, partial(_decoded, self._budget, node.name, node.shape))

    def _strings(self, node: Any) -> Any:
        """Read texts of any length; each may be as long as the file, wherever they are kept together."""
        if node.dtype.kind == "S":
            return _plain(self.numbers(node))
        if node.external or node.is_virtual:
            raise self._outside("another file")
        if node.ndim != 1:
            return None
        self._budget.take(16 * node.size)
        step = max(1, min(10_000, read_limit() // max(1, Path(self._budget.path).stat().st_size)))
        texts: list[str] = []
        for start in range(0, node.size, step):
            block = [_legible(text.decode("utf-8", "replace")) for text in node[start : start + step]]
            self._budget.take(4 * sum(map(len, block)))
            texts += block
        self._budget.take(4 * len(texts) * max(map(len, texts), default=0))
        return np.array(texts, dtype=str)


def _bytes_of_chunk(node: Any) -> int:
    """Return the bytes of a chunk, in which the place of a text of any length takes more than in memory."""
    text = 16  # bytes of its place
    item = max(node.dtype.itemsize, text) if node.dtype.hasobject else node.dtype.itemsize
    return int(math.prod(node.chunks) * item)


def _decoded(budget: Room, name: str, shape: tuple[int, ...]) -> Iterator[Any]:
    """Decode the rows of a data set, a few chunks at a time, each chunk once."""
    import h5py

    few = 1 << 19  # bytes, which fit into the pipe: the next ones are decoded while they are read there
    with damage_told(path := Path(budget.path), *DAMAGE), h5py.File(path, "r") as node:
        for part in name.strip("/").split("/"):
            node = _Reader(node.file, budget).follow(node, part)
        if node.shape != shape:
            raise ValueError("another program has written the file again")
        height = node.chunks[0]
        height *= max(1, few * len(node) // (node.nbytes * height))
        rows = np.empty((min(height, len(node)), *node.shape[1:]), node.dtype)
        for start in range(0, len(node), height):
            block = rows[: len(node) - start]
            node.read_direct(block, np.s_[start : start + len(block)])
            yield block


def _pour(node: Any, tick: Callable[[float], None], table: Any) -> None:
    """Write the numbers of a data set into an array, each chunk once."""
    if node.chunks is not None:
        places = node.iter_chunks()
        count = math.prod(-(-n // step) for n, step in zip(node.shape, node.chunks, strict=True))
    else:
        places = ((rows, slice(None)) for rows in row_blocks(table))
        count = sum(1 for _ in row_blocks(table))
    for done, place in enumerate(places):
        table[place] = node[place]
        tick(done / count)


def _plain(values: Any) -> Any:
    return clean_text(values) if values.dtype.kind == "S" else values


def _legible(name: str) -> str:
    return name.encode("utf-8", "replace").decode()


def _text(codes: Any) -> Any:
    """Read rows of UTF-16 codes as text; invalid codes become “�”."""
    if codes.dtype.kind not in "ui":
        return np.empty((0, 0))
    width = "u2" if codes.dtype.itemsize <= 2 else "u4"
    kind = {"u2": "utf-16-le", "u4": "utf-32-le"}[width]
    rows = np.atleast_2d(codes).astype(f"<{width}")
    return np.array([row.tobytes().decode(kind, "replace") for row in rows])
