"""MAT files of version 7.3: HDF5 in which matrices are transposed and cells are references."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


def read_hdf_variables(path: Path) -> dict[str, Any]:
    """All variables, in the form scipy gives those of version 5."""
    import h5py

    with h5py.File(path, "r") as file:
        return {name: _value(file, node) for name, node in file.items() if not name.startswith("#")}


def _value(file: Any, node: Any) -> Any:
    import h5py

    if isinstance(node, h5py.Group):
        if "MATLAB_sparse" in node.attrs:
            return _sparse(node)
        return {name: _value(file, part) for name, part in node.items()}
    if node.attrs.get("MATLAB_empty", 0):
        return np.empty((0, 0))
    array = node[()]
    kind = node.attrs.get("MATLAB_class", b"")
    if h5py.check_ref_dtype(node.dtype) is not None:
        cell = np.empty(array.T.shape, dtype=object)
        for index, reference in np.ndenumerate(array.T):
            cell[index] = _value(file, file[reference])
        return cell
    if kind == b"char":
        # Each row of the text is a column of codes.
        return np.array(["".join(chr(code) for code in row) for row in np.atleast_2d(array.T)])
    return np.asarray(array).T


def _sparse(group: Any) -> Any:
    from scipy.sparse import csc_array

    starts = group["jc"][()].astype(np.int64)
    shape = (int(group.attrs["MATLAB_sparse"]), len(starts) - 1)
    if "data" not in group:
        return csc_array(shape)
    return csc_array((group["data"][()], group["ir"][()].astype(np.int64), starts), shape=shape)
