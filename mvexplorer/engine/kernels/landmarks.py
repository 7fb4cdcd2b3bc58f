"""The Nyström kernel: affinities between all samples, approximated through those to a few landmarks.

K̃ = C W⁺ Cᵀ, C (M, m) the affinities of the samples to the landmarks, W (m, m) those of the landmarks: Williams, Seeger:
Using the Nyström method to speed up kernel machines (2001). It is another kernel than K, of rank m at most.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.affinities import FILL_ENTRIES
from mvexplorer.engine.kernels.distances import Rows
from mvexplorer.engine.kernels.operators import LowRankOperator
from mvexplorer.errors import ComputeError, DataError
from mvexplorer.wording import size

ToLandmarks: TypeAlias = Callable[[Rows], Array]
"""Affinities (n, m), freshly made, of some of the samples to all landmarks."""

REACH = 1e-6
"""A sample with a smaller row sum is out of reach of all landmarks; the full kernel's row sums are at least 1."""
NUMBER = 8
"""Bytes of a number in double precision."""
KEPT_SHARE = 1 / 16
"""The table of samples by landmarks is kept in double precision if it takes no more than this part of the memory."""


def fits(n_entries: int, task: Task) -> bool:
    """True if `n_entries` numbers may be kept in double precision."""
    return NUMBER * n_entries <= KEPT_SHARE * task.memory


@dataclass(frozen=True, eq=False)
class LandmarkKernel:
    """K̃ as a product, and the root (m, r) of W⁺ for placing new samples.

    Where C fits in double precision it is used as it is; else K̃ = F Fᵀ, F = C W^-1/2, accurate in single too.
    """

    kernel: LowRankOperator
    root: Array

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.kernel.nbytes + self.root.nbytes

    def rows(self, affinities: Array) -> LowRankOperator:
        """The kernel's rows (n, M) at new samples, from their affinities (n, m) to the landmarks."""
        if self.kernel.root is not None:
            return LowRankOperator(affinities, self.kernel.right, root=self.root)
        return LowRankOperator(affinities @ self.root, self.kernel.right, self.kernel.dtype)

    def in_float32(self) -> LandmarkKernel:
        """The same kernel, applied in single precision."""
        return LandmarkKernel(self.kernel.in_float32(), self.root)


def landmark_kernel(affinities: ToLandmarks, landmarks: npt.NDArray[np.intp], n: int, task: Task) -> LandmarkKernel:
    """Make the Nyström kernel of n samples; ComputeError where some lie out of reach of all landmarks.

    DataError where their affinities exceed the memory: only passes over blocks of rows do without them.
    """
    if (needed := NUMBER * n * len(landmarks)) > task.memory:
        raise DataError(
            f"The affinities of {n:,} samples to {len(landmarks):,} landmarks take {size(needed)}, "
            f"where computing may hold {size(task.memory)}.",
            "Take fewer landmarks or fewer samples, or allow more memory.",
        )
    task.affinities += 1
    root = root_of(affinities(landmarks))
    task.checkpoint()
    held = fits(n * len(landmarks), task)
    factor = np.empty((n, len(landmarks)) if held else (n, root.shape[1]), dtype=np.float64 if held else np.float32)

    def fill(rows: slice) -> None:
        factor[rows] = affinities(rows) if held else affinities(rows) @ root

    task.map_blocks(n, max(16, FILL_ENTRIES // len(landmarks)), fill)
    kernel = LowRankOperator(cast("Array", factor), cast("Array", factor), root=root if held else None)
    check_reach(int(np.count_nonzero(~(kernel.sum(axis=1) > REACH))), n, len(landmarks))
    return LandmarkKernel(kernel, root)


def root_of(W: Array) -> Array:
    """The root (m, r) of W⁺, W (m, m) the affinities among landmarks."""
    values, vectors = np.linalg.eigh(0.5 * (W + W.T))
    # Eigenvalues of W below this part of the largest are rounding: they are left out, because they would be divided by.
    cut = 1e-10
    kept = values > cut * values[-1]
    return cast("Array", vectors[:, kept] / np.sqrt(values[kept]))


def check_reach(lost: int, n: int, count: int) -> None:
    """Raise ComputeError where some of n samples are out of reach of all landmarks."""
    if lost:
        raise ComputeError(
            f"{lost:,} of {n:,} samples are out of reach of all {count:,} landmarks at this ε: nothing is "
            "known of their affinities.",
            "Enlarge ε, take more landmarks, or choose the kernel of nearest neighbours.",
        )
