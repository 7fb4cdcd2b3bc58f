"""MAT files as MATLAB writes them, with lies in the places where they hurt."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from mutations import WORDS, damage
from sentinel import lead_away

_FORMATS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_NUMERIC = {6: 9, 7: 7, 8: 1, 9: 2, 10: 3, 11: 4, 12: 5, 13: 6, 14: 12, 15: 13}
_NAMES = ("X", "X1", "X2", "Y", "gt", "data", "labels", "ids", "view1", "fea", "", "__globals__", "a" * 40)
M = 6


class Version5:
    """Writes one file; `lie` is the chance that a number of the structure is a wrong one."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.order = rng.choice("<<<>")
        self.lie = rng.choice((0.0, 0.0, 0.02, 0.1))

    def file(self) -> bytes:
        """The whole file."""
        version = b"\x00\x01IM" if self.order == "<" else b"\x01\x00MI"
        content = b"MATLAB 5.0 MAT-file".ljust(116) + bytes(8) + version
        usual = [self.usual(name, width) for name, width in (("X1", 3), ("X2", 4), ("gt", 1))]
        matrices = usual if self.rng.random() < 0.5 else []
        for _ in range(self.rng.randint(0 if usual else 1, 4)):
            matrices.append(self.matrix(0, self.rng.choice(_NAMES)))
        for matrix in matrices:
            if self.rng.random() < 0.4:
                if self.rng.random() < 0.5:
                    matrix = damage(self.rng, matrix)
                if self.rng.random() < 0.03:
                    matrix += bytes(4 * 10**8 // self.rng.choice((1, 1000)))
                packed = zlib.compress(matrix, 1)
                matrix = struct.pack(self.order + "II", 15, self.number(len(packed))) + packed
            content += matrix
        return damage(self.rng, content) if self.rng.random() < 0.4 else content

    def usual(self, name: str, width: int) -> bytes:
        """A table of M rows, as most files hold it."""
        head = self.numbers(6, [6, 0]) + self.numbers(5, [M, width]) + self.element(1, name.encode())
        body = head + self.numbers(9, [self.rng.choice((1, 2)) for _ in range(M * width)])
        return struct.pack(self.order + "II", 14, self.number(len(body))) + body

    def number(self, right: int) -> int:
        """`right`, or a lie."""
        if self.rng.random() >= self.lie:
            return right
        return self.rng.choice((*WORDS, right + 1, right - 1, 2 * right, right + 8)) & 0xFFFFFFFF

    def element(self, kind: int, data: bytes) -> bytes:
        """A data element, in its tag where it is short."""
        kind = kind if self.rng.random() >= self.lie else self.rng.randrange(25)
        if 0 < len(data) <= 4 and self.rng.random() < 0.8:
            return struct.pack(self.order + "I", (self.number(len(data)) & 0xFFFF) << 16 | kind) + data.ljust(4, b"\0")
        return struct.pack(self.order + "II", kind, self.number(len(data))) + data + bytes(-len(data) % 8)

    def numbers(self, kind: int, values: Any) -> bytes:
        """A data element of numbers."""
        return self.element(kind, np.asarray(values).astype(self.order + _FORMATS[kind]).tobytes())

    def matrix(self, depth: int, name: str = "") -> bytes:
        """A variable, a cell or a field."""
        rng = self.rng
        if depth and rng.random() < 0.05:
            return struct.pack(self.order + "II", 14, 0)
        code = (
            rng.choice((1, 2, 2, 3, 4, 5, 16, 17))
            if depth < 4 and rng.random() < 0.5
            else rng.choice((4, 5, *_NUMERIC))
        )
        shape = rng.choice(((M, 3), (M, 1), (1, M), (4, M), (M, M), (1, 1), (0, 0), (2, 2), (M, 2, 2)))
        if depth == 0 and rng.random() < 0.02:
            shape = rng.choice(((1, 200_000_000), (200_000_000, 0), (2**16, 2**16), (2**31 - 1, 2**31 - 1)))
        body = self.content(code, shape, depth)
        flags = (code if rng.random() >= self.lie else rng.randrange(256)) | rng.choice((0, 0, 0, 2, 4, 8, 14)) << 8
        head = self.numbers(6, [flags, rng.choice((0, 5))])
        if code != 17:
            head += self.numbers(5, np.array([self.number(n) for n in shape], dtype=np.uint32))
        body = head + self.element(1, name.encode()) + body
        return struct.pack(self.order + "II", 14, self.number(len(body))) + body

    def content(self, code: int, shape: tuple[int, ...], depth: int) -> bytes:
        """What follows the name, by the class."""
        rng = self.rng
        count = min(int(np.prod(shape, dtype=object)), 200)
        values = np.array([rng.choice((0, 1, 2, rng.gauss(0, 1))) for _ in range(count)])
        if code in _NUMERIC:
            stored = self.numbers(rng.choice((_NUMERIC[code], 2)), np.abs(values))
            return stored * rng.choice((1, 1, 1, 2))
        if code == 4:
            return self.element(rng.choice((4, 16, 17, 1, 2, 18)), rng.randbytes(count) + b"ab" * count)
        if code == 5:
            return self.sparse(shape)
        if code == 1:
            return b"".join(self.matrix(depth + 1) for _ in range(min(count, 8)))
        if code == 16:
            return self.matrix(depth + 1)
        if code == 17:
            return self.element(1, b"MCOS") + self.element(1, b"table") + self.matrix(depth + 1)
        fields = [rng.choice(_NAMES) for _ in range(rng.randrange(4))]
        names = b"".join(name.encode()[:31].ljust(32, b"\0") for name in fields)
        head = self.element(1, b"inline") if code == 3 else b""
        head += self.numbers(5, [self.number(32) & 0x7FFFFFFF]) + self.element(1, names)
        return head + b"".join(self.matrix(depth + 1) for _ in range(min(count, 4) * len(fields)))

    def sparse(self, shape: tuple[int, ...]) -> bytes:
        """Rows, starts of columns, values."""
        rng, n_rows, n_columns = self.rng, shape[0], min(shape[1], 20)
        starts, rows = [0], []
        for _ in range(n_columns):
            rows += sorted(rng.sample(range(n_rows), rng.randint(0, min(n_rows, 3))))
            starts.append(len(rows))
        wrong = [self.number(r) for r in rows], [self.number(s) for s in starts]
        data = self.numbers(rng.choice((9, 9, 2)), [1.5] * len(rows))
        return b"".join(self.numbers(5, np.array(w, dtype=np.uint32)) for w in wrong) + data


def deep(rng: Random, depth: int) -> bytes:
    """A struct in a struct in a struct ..."""
    writer = Version5(rng)
    writer.lie, writer.order = 0.0, "<"
    inner = writer.matrix(9)
    for _ in range(depth):
        head = writer.numbers(6, [2, 0]) + writer.numbers(5, [1, 1]) + writer.element(1, b"")
        inner = head + writer.numbers(5, [8]) + writer.element(1, b"inside\0\0") + inner
        inner = struct.pack("<II", 14, len(inner)) + inner
    return b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM" + inner


def version_4(rng: Random) -> bytes:
    """The format before: a header of five integers, the name, the numbers."""
    content = b""
    for name in (b"X\0", b"gt\0"):
        kind = rng.choice((0, 10, 20, 50, 1, 2))
        rows, columns = rng.choice(((M, 3), (M, 1), (4, 3)))
        if rng.random() < 0.1:
            rows = rng.choice(WORDS) & 0x7FFFFFFF
        size = {0: 8, 1: 4, 2: 4, 5: 1}[kind % 100 // 10]
        content += struct.pack("<5i", kind, rows, columns, rng.choice((0, 0, 1)), len(name)) + name
        content += np.ones(min(rows * columns, 60) * size // 4, "<f4").tobytes()
    return damage(rng, content)


def mat5(rng: Random) -> bytes:
    """A MAT file of version 5 or 4."""
    kind = rng.random()
    if kind < 0.02:
        return deep(rng, rng.choice((20, 99, 101, 1500, 20_000)))
    return version_4(rng) if kind < 0.1 else Version5(rng).file()


def mat73(rng: Random, path: Path) -> bytes:
    """A MAT file of version 7.3, that is HDF5."""
    import h5py

    path.unlink(missing_ok=True)
    with h5py.File(path, "w", userblock_size=rng.choice((0, 512)), libver=rng.choice(("earliest", "latest"))) as file:
        items = file.create_group("#refs#")
        if rng.random() < 0.5:
            for name, width in (("X1", 3), ("X2", 4), ("gt", 1)):
                file[name] = np.array([[float(rng.choice((1, 2))) for _ in range(M)] for _ in range(width)])
        for i in range(rng.randint(1, 4)):
            _node(rng, file, items, rng.choice(_NAMES[:10]) + str(i) * (i > 1), 0)
        if rng.random() < 0.2:
            _entangle(rng, file, items)
    content = path.read_bytes()
    return damage(rng, content, most=6) if rng.random() < 0.6 else content


def _node(rng: Random, file: Any, group: Any, name: str, depth: int) -> Any:
    import h5py

    name = name if name and name not in group else f"n{len(group)}"
    kind = rng.choice(("table", "table", "table", "gzip", "char", "cell", "struct", "sparse", "huge", "text", "link"))
    if kind in ("cell", "struct") and depth > 3:
        kind = "table"
    if kind == "struct":
        node = group.create_group(name)
        for i in range(rng.randrange(3)):
            _node(rng, file, node, f"{rng.choice(_NAMES)}{i}", depth + 1)
    elif kind == "cell":
        node = group.create_dataset(name, (rng.randint(1, 3), 1), dtype=h5py.ref_dtype)
        for i in range(len(node)):
            if rng.random() < 0.9:
                node[i, 0] = _node(rng, file, file["#refs#"], f"c{len(file['#refs#'])}", depth + 1).ref
    elif kind == "sparse":
        node = group.create_group(name)
        node.attrs["MATLAB_sparse"] = rng.choice((M, M, 2, 2**40))
        node.create_dataset("data", data=[5.0, 6.0])
        node.create_dataset("ir", data=np.array([rng.choice((0, 2, 5, 900, 2**50)), 5], dtype=np.uint64))
        node.create_dataset("jc", data=np.array([0, 1, rng.choice((1, 9, 2**40)), 2], dtype=np.uint64))
    elif kind == "char":
        codes = np.array([[rng.choice((65, 97, 0xD800, 0x110000, 2**31))] for _ in range(M)])
        node = group.create_dataset(name, data=codes.astype(rng.choice(("u2", "u4", "i8", "f8"))))
        node.attrs["MATLAB_class"] = np.bytes_("char")
    elif kind == "text":
        node = group.create_dataset(name, data=["a", "b"] * 3)
    elif kind == "huge":
        shape, chunks = (rng.choice((10, 2**20, 2**40)), 2**20), (8, rng.choice((8, 2**20)))
        node = group.create_dataset(name, shape, dtype="f4", chunks=chunks)
    elif kind == "link":
        lead_away(rng, group, name, Path(file.filename).parent)
        node = file["#refs#"]
    else:
        shape = rng.choice(((3, M), (M, 3), (M, M), (1, M), (M,), (2, M, 2), (0, 3)))
        zipped = {"compression": "gzip", "chunks": True} if kind == "gzip" and 0 not in shape else {}
        node = group.create_dataset(name, data=np.ones(shape, rng.choice(("f8", "u1", "i4", "c16", "?"))), **zipped)
        if zipped and rng.random() < 0.1:
            node.id.write_direct_chunk((0,) * node.ndim, zlib.compress(bytes(5 * 10**7), 9))
        if rng.random() < 0.1:
            node.attrs["MATLAB_empty"] = 1
    return node


def _entangle(rng: Random, file: Any, items: Any) -> None:
    """Groups and cells that hold each other, many times over, and numbers that stand elsewhere."""
    import h5py

    kind = rng.choice(("loop", "twice", "cells", "away", "away", "soft"))
    if kind == "loop":
        file["round"] = file
    elif kind == "twice":
        node = file.create_group("g0")
        for i in range(1, 30):
            child = file.create_group(f"g{i}")
            node["a"] = node["b"] = child
            node = child
    elif kind == "cells":
        node = items.create_dataset("last", data=np.ones((M, 3)))
        for i in range(12):
            cell = items.create_dataset(f"level{i}", (20, 1), dtype=h5py.ref_dtype)
            cell[:] = node.ref
            node = cell
        file["cells"] = node
    elif kind == "away":
        lead_away(rng, file, "far", Path(file.filename).parent)
    else:
        file["s1"], file["s2"] = h5py.SoftLink("/s2"), h5py.SoftLink("/s1/x/../s2")
