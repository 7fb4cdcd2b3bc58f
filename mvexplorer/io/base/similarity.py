"""Precomputed kernels between samples as views: the coordinates whose distances are those that the kernel induces.

Every method of the engine starts from distances between samples, z-scores and weights features, and places new samples
by them; a bare kernel would be an exception in each. A kernel that is positive semidefinite *is* a matrix of inner
products, so that classical scaling finds features with exactly its distances d²(i, j) = K(i, i) + K(j, j) - 2 K(i, j),
and nothing else has to know. A kernel that is not has no such distances, and is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.errors import DataError
from mvexplorer.io.base.missing import power_near
from mvexplorer.io.base.parts import Parts, Values
from mvexplorer.io.base.roles import FileRequest

Array = npt.NDArray[np.float64]


def is_similarity(table: Values) -> bool:
    """True if a table (n, d) looks like a similarity or distance of samples: square, symmetric, over 2 x 2."""
    if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) <= 2:
        return False
    tolerance = 1e-8 * np.nanmax(np.abs(table), initial=0.0)
    with np.errstate(over="ignore"):  # two of the largest numbers may differ by more
        return bool(np.allclose(table, table.T, rtol=0.0, atol=tolerance, equal_nan=True))


def kernel_stack(value: Any) -> list[Array]:
    """List the symmetric kernels (N, N) of a stack V x N x N (or N x N x V); [] for any other value."""
    if not isinstance(value, np.ndarray) or value.ndim != 3 or value.dtype.kind not in "biuf" or not value.size:
        return []
    for stack in (value, np.moveaxis(value, 2, 0)):
        if all(is_similarity(table) for table in stack):
            return [table.astype(np.float64) for table in stack]
    return []


def take_kernels(part: Parts, asked: FileRequest) -> None:
    """Replace the square tables that were given as kernels by their coordinates, in place."""
    if "kernel" not in asked.roles.values():
        return
    columns = [name for own in part.features.values() for name in own if asked.role(name) == "kernel"]
    if columns:
        raise DataError(
            f"“{columns[0]}” is one column of “{part.path.name}”, where a kernel is a whole table.",
            f'Give the table the role: roles={{"{part.path.stem}": "kernel"}}.',
        )
    for name, table in list(part.views.items()):
        if name in part.variables.kernels or asked.role(part.variables.sources.get(name, name)) != "kernel":
            continue
        if table.ndim != 2 or table.shape[0] != table.shape[1]:
            raise DataError(
                f"“{name}” in “{part.path.name}” is {' x '.join(map(str, table.shape))}, so that it is no kernel.",
                "Give one number for each pair of samples, or leave out the role.",
            )
        part.views[name] = coordinates_of_kernel(np.asarray(table, dtype=np.float64), name, part.path)
        part.features.pop(name, None)
        part.note(f"kernel “{name}” became features whose distances are exactly those that it induces.")


def coordinates_of_kernel(kernel: Array, name: str, path: Path) -> Array:
    """Compute features (N, R) whose inner products are those of the centred kernel, by classical scaling.

    The kernel (N, N) is symmetric, its double-centred form J K J, J = I - 11'/N, positive semidefinite: else it has no
    distances (DataError). R < N is its rank; the widest feature is the first, each feature's largest number positive.
    """
    unit = power_near(np.abs(kernel).max())
    kernel = kernel / unit
    values, vectors = _eigenpairs(kernel, name, path)
    largest = float(np.abs(values).max(initial=0.0))
    # The kernel's own size counts as well: a constant one leaves only rounding.
    rounding = 1e-9  # of the largest eigenvalue
    floor = rounding * max(largest, float(np.abs(kernel).max()))
    if values[0] < -floor * np.sqrt(len(kernel)):
        raise DataError(
            f"“{name}” in “{path.name}” is not positive semidefinite (an eigenvalue is {values[0] / largest:.2g} of "
            "the largest), so that no distances between samples follow from it.",
            "Give a positive semidefinite kernel, or the features it was computed from.",
        )
    kept = values > floor
    if not kept.any():
        raise DataError(
            f"All samples are the same in the kernel “{name}” of “{path.name}”.", "Leave it out, or save it again."
        )
    scaled = (vectors[:, kept] * np.sqrt(values[kept]))[:, ::-1] * np.sqrt(unit)
    signs = np.sign(scaled[np.abs(scaled).argmax(axis=0), np.arange(scaled.shape[1])])
    return np.ascontiguousarray(scaled * signs)


def _eigenpairs(kernel: Array, name: str, path: Path) -> tuple[Array, Array]:
    """Return the eigenvalues, rising, and eigenvectors of the centred kernel."""
    if not is_similarity(kernel) or not np.isfinite(kernel).all():
        raise DataError(
            f"“{name}” in “{path.name}” is no kernel: it is not symmetric, or holds missing numbers.",
            "Give one finite number for each pair of samples, the same in both orders.",
        )
    middle = kernel.mean(axis=0)
    pairs = np.linalg.eigh(kernel - middle - middle[:, None] + middle.mean())
    return pairs.eigenvalues, pairs.eigenvectors
