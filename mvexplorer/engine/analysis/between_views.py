"""How far two views' walks differ, sample by sample and as a whole."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.kernels.distances import BLOCK_ROWS
from mvexplorer.engine.kernels.neighbours import Indices
from mvexplorer.engine.kernels.operators import KernelMatrix, LowRankOperator, ThreadedOperator, as_array
from mvexplorer.engine.methods.difference import matched_walks
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import kernel_of

FEW_SAMPLES = 2000
"""Samples up to which the products of two walks are formed; of more, random vectors tell their size."""


def differing_share(stages: Stages) -> Array:
    """The share τ (M,) of each sample's step that the walks of two views, of equal reach, make to different samples."""
    (_, walks), n = matched_walks(stages), stages.n_samples
    shares = np.empty(n)
    for start in range(0, n, BLOCK_ROWS):
        stages.task.checkpoint()
        rows = np.arange(start, min(n, start + BLOCK_ROWS))
        first, second = (_rows(W, rows) for W in walks)
        shares[rows] = 0.5 * np.abs(first - second).sum(axis=1)
    return np.minimum(shares, 1.0)


def _rows(W: KernelMatrix, rows: Indices) -> Array:
    """Some rows (n, M) of a symmetric walk: what it makes of their unit vectors."""
    if hasattr(W, "indptr"):
        return cast("Array", cast("Any", W)[rows].toarray())
    if isinstance(W, np.ndarray):
        return np.asarray(W[rows])
    units = np.zeros((W.shape[0], len(rows)))
    units[rows, np.arange(len(rows))] = 1.0
    return np.asarray(W @ units).T


def commutator(stages: Stages, i: int, j: int) -> float:
    """The size of W_i W_j - W_j W_i beside that of W_i W_j, for the stages' kernels: 0 with one common eigenbasis."""
    first, second = (kernel_of(stages, view) for view in (i, j))
    if stages.n_samples <= FEW_SAMPLES:
        one, other = (
            W @ np.eye(stages.n_samples) if isinstance(W, LowRankOperator) else as_array(W) for W in (first, second)
        )
        product = one @ other
        return _relative(product - product.T, product)
    V = np.random.default_rng(0).standard_normal((stages.n_samples, 30))
    a, b = (ThreadedOperator(W, stages.task) for W in (first, second))
    forth = a @ (b @ V)
    return _relative(forth - b @ (a @ V), forth)


def _relative(differing: Array, whole: Array) -> float:
    size = float(np.linalg.norm(whole))
    return float(np.linalg.norm(differing)) / size if size > 0.0 else 0.0
