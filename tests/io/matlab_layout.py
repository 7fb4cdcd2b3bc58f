"""MAT files of any version, made by SciPy, or by h5py in the layout of MATLAB."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Content = dict[str, Any]


def cell(items: list[Any], upright: bool = False) -> np.ndarray:
    array = np.empty((len(items), 1) if upright else (1, len(items)), dtype=object)
    for i, item in enumerate(items):
        array.ravel()[i] = item
    return array


class Version73:
    """Writes variables as MATLAB does: transposed, cells as references, text as codes, structs as groups."""

    def __init__(self, path: Path, content: Content, header: bytes) -> None:
        import h5py

        self.reference = h5py.special_dtype(ref=h5py.Reference)
        with h5py.File(path, "w", userblock_size=512) as self.file:
            self.refs = self.file.create_group("#refs#")
            for name, value in content.items():
                self.put(self.file, name, value)
        with path.open("r+b") as raw:
            raw.write(header.ljust(512))

    def put(self, group: Any, name: str, value: Any) -> Any:
        import scipy.sparse

        kind = "double"
        if isinstance(value, dict):
            node, kind = group.create_group(name), "struct"
            for key, item in value.items():
                self.put(node, key, item)
        elif scipy.sparse.issparse(value):
            node, matrix = group.create_group(name), value.tocsc()
            node.attrs["MATLAB_sparse"] = np.uint64(matrix.shape[0])
            parts = {
                "data": matrix.data.astype(float),
                "ir": matrix.indices.astype("u8"),
                "jc": matrix.indptr.astype("u8"),
            }
            for key, part in parts.items():
                if len(part):
                    node.create_dataset(key, data=part)
        elif isinstance(value, str):
            kind = "char"
            node = group.create_dataset(name, data=np.array([[ord(letter)] for letter in value], dtype=np.uint16))
        elif value.dtype == object:
            kind = "cell"
            node = group.create_dataset(name, value.T.shape, dtype=self.reference)
            for index, item in np.ndenumerate(value.T):
                node[index] = self.put(self.refs, f"r{len(self.refs)}", item).ref
        else:
            kind = {"f": "double", "b": "logical"}.get(value.dtype.kind, str(value.dtype))
            node = group.create_dataset(name, data=np.atleast_2d(value).T)
        node.attrs["MATLAB_class"] = np.bytes_(kind)
        return node


@dataclass(frozen=True)
class Form:
    """How a file is written."""

    version: str = "5"
    packed: bool = False
    garbage: bytes = b""

    def write(self, path: Path, content: Content) -> Path:
        from scipy.io import savemat

        if self.version == "5":
            savemat(path, content, do_compression=self.packed)
            path.write_bytes(path.read_bytes() + self.garbage)
        else:
            words = {
                "7.3": b"MATLAB 7.3 MAT-file, Platform: GLNXA64",
                "7.0": b"MATLAB 7.0 MAT-file ... HDF5 schema 0.05 .",
            }
            Version73(path, content, words[self.version])
        return path
