"""The columns of an embedding that a picture can draw: one view's coordinates, or those of all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import Array

CONSENSUS = "consensus"
"""Shows all views together, where each has coordinates of its own."""


def shown_columns(embedding: Embedding, show: str) -> Array:
    """All columns (M, n) that can be drawn: of the view named `show`, or of all."""
    blocks = embedding.view_coordinates
    if blocks and show in embedding.views:
        return blocks[embedding.views.index(show)]
    if blocks and show == CONSENSUS:
        return np.hstack([np.mean(blocks, axis=0), *blocks] if has_mean(blocks) else blocks)
    return embedding.coordinates


def drawn_columns(embedding: Embedding, show: str, axes: Sequence[int]) -> Array:
    """Some of the columns that can be drawn, alone and each in one piece; the last one where there are fewer.

    Of very many samples it takes long to join all columns, or to sum up one that lies between others.
    """
    blocks = embedding.view_coordinates
    if not blocks or show != CONSENSUS or not has_mean(blocks):
        columns = shown_columns(embedding, show)
        return np.asfortranarray(columns[:, [min(a, columns.shape[1] - 1) for a in axes]])
    r = blocks[0].shape[1]
    placed = [min(a, r * (len(blocks) + 1) - 1) for a in axes]
    return np.stack(
        [np.mean([Y[:, a] for Y in blocks], axis=0) if a < r else blocks[a // r - 1][:, a % r] for a in placed]
    ).T


def has_mean(blocks: Sequence[Array]) -> bool:
    """Whether the views' blocks are rows of the same eigenvectors, so that their mean is one picture of all views."""
    r = blocks[0].shape[1]
    return r > 1 and all(block.shape[1] == r for block in blocks)
