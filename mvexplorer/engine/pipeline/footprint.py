"""The bytes that each stage of a computation holds, from which methods put their own estimates together.

Everything is counted from what the code holds: matrices of all pairs, tables, blocks of rows, LAPACK's workspaces.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mvexplorer.engine.core.maps import ON_DISK
from mvexplorer.engine.core.params import Value
from mvexplorer.engine.core.task import DEFAULT_MEMORY
from mvexplorer.engine.kernels.affinities import FILL_ENTRIES, Kernel
from mvexplorer.engine.kernels.block_pass import PASS_ENTRIES
from mvexplorer.engine.kernels.distances import BLOCK_ROWS, FEW_FEATURES, FLOAT32_SAMPLES, MANY_SAMPLES, TILE_COLUMNS
from mvexplorer.engine.kernels.landmarks import KEPT_SHARE
from mvexplorer.engine.kernels.metrics import EUCLIDEAN
from mvexplorer.engine.kernels.neighbours import LINK_BYTES, uses_tree
from mvexplorer.engine.pipeline.ingredients import form_of

NUMBER = 8.0
"""Bytes of a number in double precision."""
EIGH = 4.0
"""Matrices that `numpy.linalg.eigh` takes beside its argument: a copy, two of workspace, and the vectors."""
CHECKED = 3.5
"""The same for the check of a precomputed kernel."""
VECTORS = 15
"""Vectors that an eigensolver holds for each vector carried: the space, its images, Ritz vectors and residuals."""
TILE = BLOCK_ROWS * TILE_COLUMNS
"""Entries of a block of a symmetric matrix of all pairs."""
IN_BOTH = 1.5
"""A matrix in double precision, and again in single."""
IN_ROWS = 3.5
"""Blocks of rows held at once where distances are sorted or selected within rows."""
IN_BLOCKS = 3.0
"""Blocks held at once where distances or kernels are made from features."""


@dataclass(frozen=True)
class PeakMemory:
    """The bytes held at the worst moment of a computation.

    `shared` are those of distances and kernels that the cache keeps: other computations may have made them already, or
    use them again. `own` are those of the computation alone, from some point on to its end. `passing` come on top of
    both, for a moment; of several such moments the worst counts.
    """

    shared: float = 0.0
    own: float = 0.0
    passing: float = 0.0

    def __add__(self, other: PeakMemory) -> PeakMemory:
        return PeakMemory(self.shared + other.shared, self.own + other.own, max(self.passing, other.passing))

    @property
    def total(self) -> float:
        """All of it together."""
        return self.shared + self.own + self.passing


NONE = PeakMemory()


@dataclass(frozen=True)
class Size:
    """The quantities that the memory of a computation depends on.

    `n` counts the samples; `features` and `kernels` are those of each view used; `params` have defaults filled in.
    `memory` is the bytes allowed: landmarks are kept in double precision where that is little of it. Each of `threads`
    has blocks of rows of its own.
    """

    n: int
    features: Sequence[int]
    kernels: Sequence[Kernel]
    params: Mapping[str, Value] = field(default_factory=dict)
    memory: float = DEFAULT_MEMORY
    threads: int = os.cpu_count() or 1

    @property
    def views(self) -> range:
        """Positions of the views."""
        return range(len(self.features))

    @property
    def r(self) -> int:
        """Coordinates asked for."""
        return int(self.params.get("n_components") or 10)

    @property
    def matrix(self) -> float:
        """A matrix of all pairs in double precision."""
        return NUMBER * self.n**2

    @property
    def table(self) -> float:
        """All features of all views."""
        return NUMBER * self.n * sum(self.features)

    def vectors(self, count: float) -> float:
        """Bytes of `count` numbers for each sample."""
        return NUMBER * self.n * count

    def blocks(self, entries: float) -> float:
        """Bytes of blocks of `entries` numbers, on all threads."""
        return NUMBER * entries * self.threads


# Stages -----------------------------------------------------------------------------------------------------------


def _rows_of_metrics(size: Size, views: Sequence[int]) -> PeakMemory:
    """The samples of some views as their metrics see them, beside the features."""
    moved = [i for i in views if size.kernels[i].metric != EUCLIDEAN]
    return PeakMemory(size.vectors(sum(size.features[i] for i in moved)))


def distances(size: Size, i: int) -> PeakMemory:
    """All squared distances within view i."""
    if size.kernels[i].kind.metric == "none":
        return PeakMemory(size.matrix, 0.0, CHECKED * size.matrix)
    held = size.matrix if size.n <= FLOAT32_SAMPLES else 0.5 * size.matrix
    return PeakMemory(held, 0.0, size.blocks(IN_BLOCKS * TILE) + size.vectors(2 * size.features[i]))


def in_rows(size: Size) -> PeakMemory:
    """Neighbours looked for in the rows of a matrix of distances."""
    return PeakMemory(passing=NUMBER * IN_ROWS * min(BLOCK_ROWS, size.n) * size.n)


def kernel(size: Size, i: int) -> PeakMemory:
    """The kernel of view i, with the distances it is made of where these are kept."""
    given = size.kernels[i]
    if given.kind.id == "precomputed":
        return PeakMemory(passing=CHECKED * size.matrix)
    if given.landmarks:
        return _landmarks(size, given, 1) + _rows_of_metrics(size, (i,))
    if given.kind.id == "knn":
        entries = PeakMemory(8.0 * _links(size, given))
        return graph(size, i) + entries + _in_form(size, given) + _rows_of_metrics(size, (i,))
    scales = graph(size, i) if given.neighbours is not None and size.n > MANY_SAMPLES else NONE
    if given.neighbours is not None and size.n <= MANY_SAMPLES:
        scales = in_rows(size)
    return _dense(size, (i,)) + scales + _rows_of_metrics(size, (i,))


def _in_form(size: Size, given: Kernel) -> PeakMemory:
    """The bytes that a kernel in another form takes beside itself; an array is changed in place."""
    form = form_of(size.params, rough=False)
    if given.kind.id == "knn":  # links of its own without the loops, and the whole kernel again, to tell who stays
        links = _links(size, given)
        return NONE if form.plain else PeakMemory(0.0 if form.loops else 4.0 * links, 12.0 * links)
    kept = NUMBER * size.n * given.landmarks
    return PeakMemory(kept if kept <= KEPT_SHARE * size.memory else 0.5 * kept) if form.scaled else NONE


def _dense(size: Size, views: Sequence[int]) -> PeakMemory:
    """One kernel of all pairs from the distances in some views."""
    passing = PeakMemory(passing=size.blocks(IN_BLOCKS * TILE * len(views)))
    many = [i for i in views if size.features[i] > FEW_FEATURES and size.n <= MANY_SAMPLES]
    copies = IN_BOTH if size.n <= FLOAT32_SAMPLES else 0.5
    turned = PeakMemory(passing=size.vectors(2 * sum(size.features[i] for i in views)))
    return sum((distances(size, i) for i in many), PeakMemory(copies * size.matrix)) + passing + turned


def graph(size: Size, i: int) -> PeakMemory:
    """The graph of the nearest neighbours of view i."""
    links = _links(size, size.kernels[i])
    return PeakMemory(12.0 * links, 0.0, LINK_BYTES * links) + _searched(size, size.features[i])


def joint_graph(size: Size) -> PeakMemory:
    """The graph of the nearest neighbours of all features side by side."""
    links = _links(size, size.kernels[0])
    return (
        PeakMemory(12.0 * links, 0.0, LINK_BYTES * links + size.table)
        + _searched(size, sum(size.features))
        + _rows_of_metrics(size, size.views)
    )


def _searched(size: Size, features: int) -> PeakMemory:
    """Neighbours searched in the features."""
    if uses_tree(size.n, features):
        return PeakMemory(passing=size.vectors(3 * features))
    block = max(16 * size.n, 1 << 22 if features > 128 else 1 << 21)
    return PeakMemory(passing=size.blocks(block) + size.vectors(4 * features))


def _links(size: Size, kernel: Kernel) -> float:
    """About how many links between neighbours there are, in both directions."""
    return 1.5 * size.n * min(size.n, (kernel.neighbours or 1) + 1)


def _landmarks(size: Size, kernel: Kernel, n_views: int) -> PeakMemory:
    """The Nyström kernel of the distances to landmarks in some views."""
    m = kernel.landmarks
    table, square = NUMBER * size.n * m, NUMBER * m * m
    solved = (2.0 + EIGH) * square
    form = _in_form(size, kernel)
    if table <= KEPT_SHARE * size.memory:
        held = (n_views + 1) * table + square
        return PeakMemory(held, 0.0, max(size.blocks(2 * FILL_ENTRIES), solved - table)) + form
    return PeakMemory(0.5 * table + square, 0.0, solved + size.blocks((2 + n_views) * FILL_ENTRIES)) + form


def goes_in_passes(size: Size) -> bool:
    """True if all kernels are those of landmarks, and the samples too many to hold their affinities to these."""
    most = KEPT_SHARE * size.memory
    landmarks = [kernel.landmarks for kernel in size.kernels]
    return all(landmarks) and any(NUMBER * size.n * m > most for m in landmarks)


def passes(size: Size) -> PeakMemory:
    """Blocks of affinities, sums of the size of the landmarks, and the vectors where they are not on the disk."""
    m, n_views = sum(kernel.landmarks for kernel in size.kernels), len(size.features)
    vectors = size.vectors(size.r + 1)
    kept = 3.0 * n_views * vectors if vectors < ON_DISK else 0.0
    sums = (2.0 * size.threads + 2.0 + EIGH) * NUMBER * m * m
    in_passes = 5.0  # Blocks of affinities to landmarks held at once, and of features.
    return PeakMemory(own=kept, passing=sums + size.blocks(in_passes * PASS_ENTRIES))


def joint_dense(size: Size) -> PeakMemory:
    """One kernel of all pairs from the distances in all views."""
    return _dense(size, size.views) + _rows_of_metrics(size, size.views)


def joint_landmarks(size: Size) -> PeakMemory:
    """One Nyström kernel from the distances in all views, which share their landmarks."""
    return _landmarks(size, size.kernels[0], len(size.features)) + _rows_of_metrics(size, size.views)


def kernels(size: Size) -> PeakMemory:
    """The kernels of all views."""
    return sum((kernel(size, i) for i in size.views), NONE)


# Solvers ----------------------------------------------------------------------------------------------------------


def solver(size: Size, spans: int = 1) -> PeakMemory:
    """The space of an eigensolver for vectors of `spans` numbers for each sample."""
    single_vectors = 4  # VECTORS of an eigensolver of sparse kernels, which works vector by vector.
    each = single_vectors if all(kernel.kind.sparse for kernel in size.kernels) else VECTORS
    carried = 12  # Vectors that it carries beyond those asked for.
    return PeakMemory(own=size.vectors(each * (size.r + carried) * spans))


def kernels_and_products(size: Size) -> PeakMemory:
    """Default for methods that multiply by the kernels of their views."""
    return kernels(size) + solver(size)


def features_only(size: Size) -> PeakMemory:
    """Default for methods that hold tables of features only: centred, and turned."""
    return PeakMemory(own=size.vectors(4 * size.r), passing=3.0 * size.table)


def matrices(size: Size) -> PeakMemory:
    """Default for all others: the kernels, one more matrix for each view, and an eigenproblem of that size."""
    return kernels(size) + PeakMemory(own=len(size.features) * size.matrix, passing=(1.0 + EIGH) * size.matrix)
