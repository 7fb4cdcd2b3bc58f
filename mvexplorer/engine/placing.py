"""A method solved on a random part of the samples, every other sample placed by the method's own extension."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.kernels import Kernel
from mvexplorer.engine.multiview import Array, MultiView
from mvexplorer.engine.registry import Method
from mvexplorer.engine.spectral import Decomposition
from mvexplorer.engine.stages import Memo, Stages
from mvexplorer.errors import ComputeError, DataError, ParameterError

Indices = npt.NDArray[np.intp]

BLOCK = 1 << 22
"""Affinities of new samples to known ones that are held at a time."""
LEAST_ROWS = 64
"""New samples placed at a time at least."""


def part_rows(n_samples: int, part: int, seed: int) -> Indices:
    """The samples (m,) the method is solved on, ascending."""
    return np.sort(np.random.default_rng(seed).permutation(n_samples)[:part])


def check_part(method: Method, part: int, n_components: int, kernels: tuple[Kernel, ...]) -> None:
    """ParameterError where a random part of this size cannot stand for all samples."""
    if part < n_components + 2:
        raise ParameterError(
            f"A random part of {part} samples is too small for {n_components} coordinates.",
            f"Give at least {n_components + 2} samples.",
        )
    if any(kernel.kind.id == "precomputed" for kernel in kernels):
        raise ParameterError(
            "No random part can be taken of a table of affinities.", "Use all samples, or give features."
        )
    if method.extend is None:
        way = "Choose landmarks or the kernel of nearest neighbours." if method.holds == "products" else ""
        raise ParameterError(
            f"{method.title} cannot place the samples outside a random part: it has no extension to new ones.",
            way or "Use all samples, or choose a method that can.",
        )


def part_of(data: MultiView, rows: Indices, memo: Memo, seed: int) -> MultiView:
    """The data of some samples, remembered: their keys are hashes of the numbers."""
    keys = tuple(data.view_key(i) for i in range(data.n_views))
    return memo(("random-part", keys, len(rows), seed), lambda: data.take(rows))


def place_all(method: Method, stages: Stages, found: Decomposition, data: MultiView, rows: Indices) -> Decomposition:
    """The decomposition of all samples of `data`, from that of the samples in `rows` (m,), which `stages` know."""
    n = data.n_samples
    text = f"Solved on a random part of {len(rows):,} of the {n:,} samples; the others are placed by extension."
    stages.task.warn("random-part", text)

    def compute() -> Decomposition:
        blocks = tuple(np.empty((n, block.shape[1])) for block in found.blocks)
        others = np.setdiff1d(np.arange(n), rows)
        for out, block in zip(blocks, found.blocks, strict=True):
            out[rows] = block
        step = max(LEAST_ROWS, BLOCK // len(rows))
        for start in range(0, len(others), step):
            stages.task.progress(start / len(others))
            some = others[start : start + step]
            for out, block in zip(blocks, _placed(method, stages, found, data, some), strict=True):
                out[some] = block
        info = {**found.info, "random_part": float(len(rows))}
        return replace(found, blocks=tuple(_without_gaps(stages, block) for block in blocks), info=info)

    keys = tuple(data.view_key(i) for i in stages.views)
    settings = method.id, keys, stages.draft, stages.random_state, method.operator_params(stages.params)
    return stages.fused("placed", *settings, compute=compute)


def _placed(method: Method, stages: Stages, found: Decomposition, data: MultiView, some: Indices) -> tuple[Array, ...]:
    assert method.extend is not None  # checked before anything was computed
    try:
        return method.extend(stages, found, [data.Xs[i][some] for i in stages.views])
    except DataError as error:
        raise ComputeError(
            f"Samples outside the random part cannot be placed. {error.message}",
            "Enlarge ε or the part, or choose the kernel of nearest neighbours.",
        ) from None


def _without_gaps(stages: Stages, block: Array) -> Array:
    """Columns whose eigenvalue is too small to be divided by are at 0 outside the part."""
    gaps = ~np.isfinite(block)
    if gaps.any():
        lost = int(gaps.any(axis=0).sum())
        text = f"{lost} coordinate{'s are' if lost > 1 else ' is'} too weak to be extended beyond the random part."
        stages.task.warn("unplaced", text)
        block[gaps] = 0.0
    return block
