"""One sample and all others: where a walk goes from it, how far they are, and which of them spread from it.

Everything comes from rows: of Pᵗ by t products, of distances from the coordinates; never from a matrix of all pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.api.subsample import Known, subsample_rows
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import is_whole
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.affinities import metric_blocks
from mvexplorer.engine.kernels.distances import ALL
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.methods.diffusion import diffusion_coordinates
from mvexplorer.engine.methods.joint import heat_coordinates
from mvexplorer.engine.pipeline.stages import Memo, Stages, remember_once
from mvexplorer.engine.pipeline.unit_rows import UNIT_ROWS
from mvexplorer.engine.pipeline.view_kernel import as_held
from mvexplorer.engine.pipeline.walk import Walk
from mvexplorer.errors import ParameterError

Indices = npt.NDArray[np.intp]
DistanceKind = Literal["diffusion", "heat", "coordinates"]
MOST_STEPS = 10_000


@dataclass(frozen=True)
class PointDistances:
    """Squared distances from one sample.

    Parameters
    ----------
    sample : int
        Its number.
    kind : "diffusion", "heat" or "coordinates"
        What the coordinates' distances mean by the method.
    squared : array (M,)
        In all coordinates: of per-view coordinates the multi-view distance (22), the sum of `inner`.
    inner : array (B, M)
        Inner-view distances (18), one row for each view with coordinates of its own, else a single row.
    cross : array (B, B)
        The sample's own terms of the cross-view distances (30) between these views.

    Examples
    --------
    >>> near = mvx.distances_from(mvx.embed(mvx.load("helix-a"), "multiview", epsilon=0.36), "7")
    >>> near.sample, near.cross.shape
    (7, (2, 2))
    """

    sample: int
    kind: DistanceKind
    squared: Array
    inner: Array
    cross: Array


def transition_probabilities(
    embedding: Embedding, sample: int | str, t: int = 1, *, task: Task | None = None, memo: Memo | None = None
) -> Array:
    """Compute where the walk is after t steps from one sample: rows of Pᵗ by t products, never cut to r coordinates.

    They are as exact as the kernels: of more than 3,000 samples these are held in single precision, and probabilities
    below 1e-14 are 0.

    Parameters
    ----------
    embedding : Embedding
        Of a method that walks: single view, concatenation, kernel product and sum, multi-view, de Sa, alternating.
    sample : int or str
        Number or id of the sample.
    t : int
        Number of steps.
    task, memo
        How to stop and report, and how to remember kernels.

    Returns
    -------
    array (B, B, M)
        B = L for the multi-view walk and de Sa's: from the sample in one view to all samples in another, each
        [l] sums to 1. B = 1 where there is one kernel. 0 for samples outside the random part that was solved on.

    Raises
    ------
    ParameterError
        The method has no walk, the sample is not there or was only placed, or t is no number of steps.

    References
    ----------
    Lindenbaum, Yeredor, Salhov, Averbuch: Multi-view diffusion maps (2015), (2), (13)-(14), (49) and figure 1.

    Examples
    --------
    >>> embedding = mvx.embed(mvx.load("helix-a"), "multiview", epsilon=0.36)
    >>> p = mvx.transition_probabilities(embedding, 0, t=2)
    >>> p.shape, bool(np.allclose(p.sum(axis=(1, 2)), 1.0))
    ((2, 2, 600), True)
    """
    walk, place, rows = _walk_at(embedding, sample, t, task, memo)
    return _of_all(embedding, rows, walk.rows(place, int(t), task or Task()))


def probabilities_from(
    embedding: Embedding,
    sample: int | str,
    t: int = 1,
    start: str = "",
    *,
    task: Task | None = None,
    memo: Memo | None = None,
) -> Array:
    """Walk t steps from one sample in view `start`: probabilities (B, M), a single row of `transition_probabilities`.

    They are those of all samples in each view that the walk tells apart. Any other name as `start`: as likely in each.
    """
    walk, place, rows = _walk_at(embedding, sample, t, task, memo)
    share = np.full(walk.n_blocks, 1.0 / walk.n_blocks)
    if walk.n_blocks > 1 and start in embedding.views:
        share = np.eye(walk.n_blocks)[embedding.views.index(start)]
    return cast("Array", _of_all(embedding, rows, walk.rows(place, int(t), task or Task(), share[None]))[0])


def _walk_at(
    embedding: Embedding, sample: int | str, t: int, task: Task | None, memo: Memo | None
) -> tuple[Walk, int, Indices]:
    """A method's walk, the sample's place among those that it was solved on, and these."""
    method, solved = get_method(embedding.method), embedding.known
    index = sample_number(embedding.sample_ids, sample)
    if method.walk is None:
        raise ParameterError(
            f"{method.title} is no walk from sample to sample: it has no transition probabilities.",
            "It has distances only; choose a method such as single or multiview for probabilities.",
        )
    if solved is None:
        raise ParameterError("This result was read from a file, without its samples.", "Compute it again.")
    if not (is_whole(t) and 1 <= t <= MOST_STEPS):
        raise ParameterError(f"t = {t} is no number of steps.", f"Give a whole number from 1 to {MOST_STEPS:,}.")
    rows = solved_rows(embedding, solved)
    stages = as_held(solved.stages().with_task(task or Task()).with_memo(memo or remember_once()))
    place = np.searchsorted(rows, index)
    if place == len(rows) or rows[place] != index:
        raise ParameterError(
            f"This sample is none of the {len(rows):,} that were solved on: it was placed afterwards.",
            "Choose one of those, or solve on all samples.",
        )
    return method.walk(stages), int(place), rows


def _of_all(embedding: Embedding, rows: Indices, P: Array) -> Array:
    """Probabilities of all samples: 0 of those that a method was not solved on, or where they are not resolved."""
    out = np.zeros((*P.shape[:2], len(embedding.coordinates)))
    # The least probability that kernels in single precision tell from 0: their affinities are 1e-18 or more.
    resolved = 1e-14
    out[:, :, rows] = P if P.dtype == np.float64 else np.where(resolved > P, 0.0, P)
    return out


def solved_rows(embedding: Embedding, solved: Known) -> Indices:
    """The samples that a method was solved on, ascending: all of them but for a random part."""
    n, part = len(embedding.coordinates), solved.data.n_samples
    return np.arange(n) if part == n else subsample_rows(n, part, embedding.random_state)


def sample_number(ids: Sequence[str], sample: int | str) -> int:
    """The number of a sample that is given by it or by its id; ParameterError where it is not there."""
    if isinstance(sample, str):
        if sample in ids:
            return ids.index(sample)
    elif 0 <= sample < len(ids):
        return int(sample)
    name = f"“{sample}”" if isinstance(sample, str) else f"number {sample}"
    raise ParameterError(f"There is no sample {name}.", f"Give an id, or a number from 0 to {len(ids) - 1:,}.")


def distance_kind(method: str) -> DistanceKind:
    """Name the kind of distances in a method's coordinates."""
    kinds: dict[object, DistanceKind] = {diffusion_coordinates: "diffusion", heat_coordinates: "heat"}
    return kinds.get(get_method(method).coordinates, "coordinates")


def distances_from(embedding: Embedding, sample: int | str, t: int | None = None) -> PointDistances:
    """Squared distances from one sample to all, in the coordinates that were computed.

    Of a diffusion method they are diffusion distances Σ_k λ_k^2t (ψ_k[i] - ψ_k[j])², cut after its r coordinates; of
    the Laplacians' heat distances Σ_k e^-tλ_k (v_k[i] - v_k[j])²; of any other method distances in its picture. Of two
    views at η = 0 the coordinates hold the positive half of the spectrum ±σ; the other half would double the inner-view
    distances. Unit rows do not change the distances of a walk.

    Parameters
    ----------
    embedding : Embedding
        Whose coordinates.
    sample : int or str
        Number or id of the sample.
    t : int, optional
        Another diffusion time than that of the embedding.

    Returns
    -------
    PointDistances
        `squared` in all coordinates (22), `inner` view by view (18), `cross` between the views at the sample (30).

    Raises
    ------
    ParameterError
        The sample is not there, or t is given and the method has no diffusion time.

    References
    ----------
    Lindenbaum, Yeredor, Salhov, Averbuch: Multi-view diffusion maps (2015), (3), (18), (22), (30) and (55); Eynard,
    Glashoff, Bronstein, Bronstein: Multimodal diffusion geometry (2012), (2).

    Examples
    --------
    >>> embedding = mvx.embed(mvx.load("helix-a"), "multiview", epsilon=0.36, n_components=3)
    >>> near = mvx.distances_from(embedding, 0)
    >>> near.kind, near.inner.shape, bool(np.allclose(near.inner.sum(axis=0), near.squared))
    ('diffusion', (2, 600), True)
    """
    index, kind = sample_number(embedding.sample_ids, sample), distance_kind(embedding.method)
    blocks = embedding.view_coordinates or (embedding.coordinates,)
    if t is not None and (kind != "diffusion" or embedding.decomposition is None):
        title = get_method(embedding.method).title
        raise ParameterError(f"{title} has no diffusion time to change here.", "Leave t out.")
    if embedding.params.get(UNIT_ROWS.name) and kind != "coordinates" and embedding.decomposition is None:
        kind = "coordinates"  # of a result from a file, whose rows were scaled
    elif embedding.decomposition is not None and kind != "coordinates":
        blocks = _along_the_walk(embedding, t)
    inner = np.stack([squared_from(Y, index) for Y in blocks])
    own = np.stack([Y[index] for Y in blocks]) if len({Y.shape[1] for Y in blocks}) == 1 else np.zeros((len(blocks), 0))
    cross = np.square(own[:, None] - own[None]).sum(axis=2)
    return PointDistances(index, kind, inner.sum(axis=0), inner, cross)


def _along_the_walk(embedding: Embedding, t: int | None) -> tuple[Array, ...]:
    """The blocks (M, r) whose distances are those of the walk after t steps: unit rows, if any, are not scaled."""
    if t is None and not embedding.params.get(UNIT_ROWS.name):
        return embedding.view_coordinates or (embedding.coordinates,)
    assert embedding.decomposition is not None
    params = embedding.params if t is None else {**embedding.params, "t": t}
    return get_method(embedding.method).coordinates(embedding.decomposition, params)


def squared_from(Y: Array, sample: int) -> Array:
    """Squared distances (M,) of the rows of Y (M, r) from one of them."""
    difference = Y - Y[sample]
    return cast("Array", np.einsum("ij,ij->i", difference, difference))


def cross_view_terms(blocks: Sequence[Array], *, aligned: bool = False) -> Array:
    """Sum each sample's terms (M,) of the cross-view distances (30) over all pairs of views, each a block (M, r).

    `aligned` gives those of (55): the sign of each component is turned round where it runs against that of the other
    view. The eigenvectors of single views have signs of their own, and (55) is about those that agree. Those of one
    walk belong together.
    """
    total = np.zeros(len(blocks[0]))
    for A, B in combinations(blocks, 2):
        signs = np.where((A * B).sum(axis=0) < 0.0, -1.0, 1.0) if aligned else 1.0
        total += np.square(A - B * signs).sum(axis=1)
    return total


def view_distances(stages: Stages, i: int, sample: int) -> Array:
    """The squared distances (M,) that the kernel of view i is a function of, from one sample."""
    X, metric = stages.points(i), stages.kernels[i].kind.metric
    if metric == "none":  # of affinities: K_ii + K_jj - 2 K_ij
        own = np.diag(X)
        return cast("Array", np.maximum(own + own[sample] - 2.0 * X[sample], 0.0))
    squared: Array = metric_blocks(metric, X[[sample]], X)(ALL, ALL)[0]
    squared[sample] = 0.0
    return squared


def nearest_to(squared: Array, sample: int, k: int) -> Indices:
    """The k samples nearest to one, itself left out; of equal distances the lower numbers first."""
    order = np.argsort(squared, kind="stable")
    return cast("Indices", order[order != sample][:k])


def farthest_points(coordinates: npt.ArrayLike, start: int = 0, k: int = 10) -> Indices:
    """Samples that spread over a picture: each next one is the farthest from all before it.

    Parameters
    ----------
    coordinates : array (M, r)
        A picture's coordinates, such as `Embedding.coordinates`.
    start : int
        The first sample.
    k : int
        How many; the first of many are the same as those of fewer.

    Returns
    -------
    array (k,)
        Numbers of samples, `start` first; fewer where the others coincide with them, or have no coordinates.

    Raises
    ------
    ParameterError
        There is no such sample, or k is below 1.

    References
    ----------
    Eynard, Glashoff, Bronstein, Bronstein: Multimodal diffusion geometry by joint diagonalization of Laplacians (2012).

    Examples
    --------
    >>> mvx.farthest_points([[0.0], [1.0], [9.0], [5.0]], start=0, k=3).tolist()
    [0, 2, 3]
    """
    Y = np.asarray(coordinates, dtype=np.float64)
    if not 0 <= start < len(Y):
        raise ParameterError(f"There is no sample number {start}.", f"Give a number from 0 to {len(Y) - 1:,}.")
    if k < 1:
        raise ParameterError(f"{k} samples cannot be spread.", "Give at least 1.")
    # Samples without coordinates are not spread.
    spread, away = [start], np.nan_to_num(squared_from(Y, start), posinf=np.inf)
    while len(spread) < min(k, len(Y)):
        far = int(np.argmax(away))
        if away[far] <= 0.0:
            break
        spread.append(far)
        np.fmin(away, squared_from(Y, far), out=away)
    return np.array(spread, dtype=np.intp)
