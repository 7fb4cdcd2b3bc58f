"""How far a picture depends on the very samples it was made of, on noise in them, or on one of the views."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from mvexplorer.engine.core.multiview import Array

Kind: TypeAlias = Literal["parts", "noise", "views"]
"""What is changed: the samples are a random part, noise is added to the views, or one view is left out."""


@dataclass(frozen=True, eq=False)
class Ghost:
    """One picture made anew, laid onto the whole.

    Parameters
    ----------
    title : str
        What was changed: ``part 3``, ``noise 1``, ``without mor``.
    rows : array (m,)
        Its samples, ascending.
    coordinates : array (m, r)
        Where they lie; NaN in coordinates that it lacks.
    score : float or None
        The score of this picture, where there is something to score against.
    """

    title: str
    rows: npt.NDArray[np.intp]
    coordinates: Array
    score: float | None = None


@dataclass(frozen=True, eq=False)
class Stability:
    """How far samples move when a picture is made anew.

    Parameters
    ----------
    kind : Kind
    number : float
        Median spread of the samples over the rms radius of the picture.
    spread : array (M,)
        Each sample's root mean square distance from its place; NaN for samples that no picture has.
    ellipses : array (M, 2, 2)
        Covariance of each sample's places on the first two axes, about their mean.
    ghosts : tuple of Ghost
    score_name : str
        What is scored; empty where nothing is.
    scores : array (n,)
        The scores of the ghosts: their spread is that over resamplings, not that over k-means seeds.
    """

    kind: Kind
    number: float
    spread: Array
    ellipses: Array
    ghosts: tuple[Ghost, ...]
    score_name: str
    scores: Array
