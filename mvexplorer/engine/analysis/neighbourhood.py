"""Whether a picture keeps the neighbourhoods of a view; no classes are needed to tell."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mvexplorer.engine import metrics
from mvexplorer.engine.analysis.agreement import NEIGHBOURS, agreement
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task


def neighbourhood_preservation(
    Y: npt.ArrayLike, X: npt.ArrayLike, k: int = NEIGHBOURS, *, task: Task | None = None
) -> Array:
    """The part of each sample's neighbours in a view that are its neighbours in a picture.

    Parameters
    ----------
    Y : array (M, r)
        Coordinates; all of them count.
    X : array (M, D)
        The view's features, preprocessed as for the picture.
    k : int
        Number of neighbours.
    task : Task, optional
        Can stop it.

    Returns
    -------
    array (M,)
        ``|N_k^Y(i) ∩ N_k^X(i)| / k``: 1 where all are kept, about k / M by chance; NaN where a coordinate is.

    Raises
    ------
    DataError
        The numbers of samples differ, or there are no more than k.

    Notes
    -----
    One minus the disagreement of the picture and the view (see `mvexplorer.agreement`), after J. Venna and others,
    "Information retrieval perspective to nonlinear dimensionality reduction" (2010).

    Examples
    --------
    >>> u = np.linspace(0.0, 6.0, 100)
    >>> ring = np.column_stack([np.cos(u), np.sin(u)])
    >>> round(float(mvx.neighbourhood_preservation(ring[:, :1], ring, 4).mean()), 2)
    0.52
    """
    kept: Array = 1.0 - agreement([Y, X], k, task=task).disagreement(0, 1)
    return kept


def trustworthiness(Y: npt.ArrayLike, X: npt.ArrayLike, k: int = NEIGHBOURS, *, task: Task | None = None) -> float:
    """Measure how far neighbours in a picture Y (M, r) are neighbours in a view X (M, D): 1 where no sample intrudes.

    1 - 2 / (M k (2M - 3k - 1)) Σ_i Σ_j max(0, r_X(i, j) - k) over the k neighbours j of i in Y, r_X the place of j in
    the order of i's neighbours in X. About 1/2 where Y has nothing to do with X. Samples with a NaN are left out;
    DataError where there are not twice as many samples as neighbours.

    Notes
    -----
    J. Venna, S. Kaski, "Neighborhood preservation in nonlinear projection methods: an experimental study" (2001).

    Examples
    --------
    >>> from mvexplorer.engine.analysis.neighbourhood import trustworthiness
    >>> u = np.linspace(0.0, 6.0, 100)
    >>> ring = np.column_stack([np.cos(u), np.sin(u)])
    >>> round(trustworthiness(ring[:, :1], ring), 2)  # folded: the far side is near
    0.75
    """
    return metrics.trustworthiness(*_placed(Y, X), n_neighbors=k, task=task).value


def continuity(Y: npt.ArrayLike, X: npt.ArrayLike, k: int = NEIGHBOURS, *, task: Task | None = None) -> float:
    """Measure how far neighbours in a view X (M, D) are neighbours in a picture Y (M, r): 1 where none is torn away.

    `trustworthiness` with the roles of Y and X exchanged. Samples with a NaN are left out; DataError where there are
    not twice as many samples as neighbours.

    Notes
    -----
    J. Venna, S. Kaski, "Neighborhood preservation in nonlinear projection methods: an experimental study" (2001).

    Examples
    --------
    >>> from mvexplorer.engine.analysis.neighbourhood import continuity
    >>> u = np.linspace(0.0, 6.28, 100)
    >>> round(continuity(u[:, None], np.column_stack([np.cos(u), np.sin(u)])), 2)  # cut open: its ends are far apart
    0.95
    """
    return metrics.continuity(*_placed(Y, X), n_neighbors=k, task=task).value


def _placed(Y: npt.ArrayLike, X: npt.ArrayLike) -> tuple[Array, Array]:
    first, second = np.asarray(Y, dtype=np.float64), np.asarray(X, dtype=np.float64)
    rows = np.isfinite(first).all(axis=1) & np.isfinite(second).all(axis=1)
    return first[rows], second[rows]
