"""How far two views' walks differ, sample by sample and as a whole."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from mvexplorer.engine.analysis.point import solved_rows
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.distances import BLOCK_ROWS
from mvexplorer.engine.kernels.neighbours import Indices
from mvexplorer.engine.kernels.operators import KernelMatrix, LowRankOperator, ThreadedOperator, as_array
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.methods.difference import matched_walks
from mvexplorer.engine.pipeline.stages import Memo, Stages, remember_once
from mvexplorer.engine.pipeline.view_kernel import kernel_of
from mvexplorer.errors import ParameterError

FEW_SAMPLES = 2000
"""Samples up to which the products of two walks are formed; of more, random vectors tell their size."""


def difference_of_views(embedding: Embedding, *, task: Task | None = None, memo: Memo | None = None) -> Array:
    """Compute which share of each sample's step the walks of two views make to different samples.

    Parameters
    ----------
    embedding : Embedding
        Of the method *difference*.
    task, memo
        How to stop and report, and how to remember kernels.

    Returns
    -------
    array (M,)
        ``½ Σ_j |W¹_ij - W²_ij|``: 0 where both views step to the same samples, 1 where they share none. NaN for samples
        outside the random part that was solved on.

    Raises
    ------
    ParameterError
        The embedding is of another method, or was read from a file.

    Examples
    --------
    >>> found = mvx.embed(mvx.load("gap-rolls"), "difference", epsilon="median*0.01", n_components=2)
    >>> share = mvx.difference_of_views(found)
    >>> share.shape, bool(share.min() >= 0.0 and share.max() <= 1.0)
    ((600,), True)
    """
    solved = embedding.known
    if embedding.method != "difference":
        raise ParameterError(
            f"{get_method(embedding.method).title} does not compare the steps of two views.",
            "Give an embedding by the method difference.",
        )
    if solved is None:
        raise ParameterError("This result was read from a file, without its samples.", "Compute it again.")
    shares = np.full(len(embedding.coordinates), np.nan)
    stages = solved.stages().with_task(task or Task()).with_memo(memo or remember_once())
    shares[solved_rows(embedding, solved)] = differing_share(stages)
    return shares


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
