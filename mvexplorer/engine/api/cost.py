"""Estimates of what a computation will need, made before it starts, and the alternatives where that is too much.

The times are rough: counted operations over the speeds of one core, measured once on a plain machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mvexplorer.engine.api.subsample import BLOCK_ENTRIES, LEAST_ROWS
from mvexplorer.engine.core.params import Value, check_params
from mvexplorer.engine.core.task import DEFAULT_MEMORY
from mvexplorer.engine.kernels.affinities import Kernel, parse_kernel
from mvexplorer.engine.kernels.distances import MANY_SAMPLES
from mvexplorer.engine.kernels.neighbours import uses_tree
from mvexplorer.engine.pipeline.footprint import EIGH, NUMBER, VECTORS, PeakMemory, Size, distances
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.spectral.eigenpairs import DENSE_LIMIT
from mvexplorer.errors import DataError
from mvexplorer.wording import seconds_in_words

PRODUCT = 4e10
"""Operations per second of a product of matrices in double precision."""
AFFINITY = 1e8
"""Distances turned into affinities and stored, per second."""


@dataclass(frozen=True)
class Estimate:
    """The needs of a computation: bytes, and seconds on two cores.

    `shared` is the part of `bytes` for distances and kernels, which may be cached already. `beside`, not counted in
    `bytes`, is for bandwidth rules, whose ε is known in most cases.
    """

    bytes: float
    seconds: float = 0.0
    shared: float = 0.0
    beside: float = 0.0

    def describe(self, budget: int = DEFAULT_MEMORY) -> str:
        """Return the estimate in words, with the bytes allowed: “needs 3.1 GB of 4 GB; about 20 s”."""
        return f"needs {_size(self.bytes)} of {_size(budget)}; {self.time}"

    @property
    def time(self) -> str:
        """The time in words, such as “about 20 s”."""
        return f"about {seconds_in_words(self.seconds)}"


NOTHING = Estimate(0.0)
"""The estimate of a computation whose arrays are small for any data."""


@dataclass(frozen=True)
class Alternative:
    """An alternative, a kernel for all views or a random part of the samples, and its estimate."""

    title: str
    estimate: Estimate
    kernel: str | None = None
    subsample: int | None = None

    @property
    def text(self) -> str:
        """The title, with the kernel's name in files and commands."""
        return self.title if self.kernel is None else f"{self.title} ({self.kernel})"

    @property
    def cost(self) -> str:
        """The estimate as text, such as “0.4 GB, about 3 s”."""
        return f"{_size(self.estimate.bytes)}, about {seconds_in_words(self.estimate.seconds)}"


def estimate(
    method: Method,
    n_samples: int,
    n_features: Sequence[int],
    kernels: Sequence[Kernel],
    n_components: int = 10,
    subsample: int | None = None,
    *,
    params: Mapping[str, Value] | None = None,
    memory: float = DEFAULT_MEMORY,
    rules: Sequence[int] = (),
    threads: int | None = None,
) -> Estimate:
    """Estimate the bytes and seconds of a method.

    `n_features` and `kernels` are those of each view used; `params` those that are not at their default. The method is
    solved on `subsample` samples, and the others are placed afterwards. `memory` is the bytes allowed, `rules` are
    positions of the views whose ε a rule has to choose first, `threads` work on rows, by default all there are.
    """
    counted = {"n_components": n_components} if any(p.name == "n_components" for p in method.params) else {}
    values = check_params(method.params, {**(params or {}), **counted}, method.title)
    size = Size(min(n_samples, subsample or n_samples), n_features, kernels, values, memory)
    size = size if threads is None else replace(size, threads=threads)
    held = method.held(size)
    total = held.total
    if size.n < n_samples:
        total = max(total, held.shared + held.own + _placing(method, size, n_samples))
    return Estimate(total, _seconds(method, size, n_samples), held.shared, _by_rules(size, rules))


def _by_rules(size: Size, views: Sequence[int]) -> float:
    """Bytes of bandwidth rules beyond the kernels' distances: distances within the views, or in a random part."""
    apart = [i for i in views if size.n > MANY_SAMPLES or size.kernels[i].kind.approximates_gaussian]
    return estimate_on_distances(size, apart).bytes if apart else 0.0


def estimate_on_distances(size: Size, views: Sequence[int], matrices: float = 1.0, solves: bool = False) -> Estimate:
    """Estimate the bytes of rules and curves, on a random part at most: distances within views, and further matrices.

    `matrices` counts those of all pairs held beside the distances; `solves` tells that eigenvectors are computed. There
    are no seconds.
    """
    part = replace(size, n=min(size.n, MANY_SAMPLES))
    held = sum((distances(part, i) for i in views), PeakMemory())
    dense = (1.0 + EIGH) * part.matrix if solves and part.n <= DENSE_LIMIT else 0.0
    table = 0.0 if part.n == size.n else part.table
    passing = matrices * part.matrix + dense + part.vectors(2 * VECTORS if solves else 0)
    return Estimate(held.shared + table + max(held.passing, passing), shared=held.shared)


def _placing(method: Method, size: Size, n_samples: int) -> float:
    """Bytes of all samples' coordinates, and of blocks of affinities to the known samples."""
    coordinates = NUMBER * n_samples * (size.r + 1) * len(size.features) * 3.0
    if method.memory_class == "features":
        return coordinates
    block = NUMBER * size.n * min(n_samples - size.n, max(LEAST_ROWS, BLOCK_ENTRIES // size.n))
    return coordinates + block * (len(size.features) + 1.5)


def _seconds(method: Method, size: Size, n_samples: int) -> float:
    """Seconds on two cores."""
    n, features, count = size.n, sum(size.features), len(size.features)
    placing = (n_samples - n) * n * (2 * features / PRODUCT + count / AFFINITY)
    if method.memory_class == "features":
        return 0.1 + placing + sum(2.0 * n * d * d / PRODUCT for d in size.features)
    if method.memory_class == "matrices":
        return 0.1 + placing + float(n) ** 2 * (2 * features + 10.0 * n) / PRODUCT
    if method.goes_in_passes(size):
        return 0.1 + placing + _seconds_of_passes(size, joint=method.joint_kernel)
    # Kernels whose product over the views takes one matrix, however many views there are.
    joint_kernels = ("gaussian", "correlation", "landmarks")
    if method.joint_kernel and all(kernel.kind.id in joint_kernels for kernel in size.kernels):
        return 0.1 + placing + _seconds_of_kernel(size.kernels[0], n, features, count)
    each = [_seconds_of_kernel(kernel, n, d, 1) for kernel, d in zip(size.kernels, size.features, strict=True)]
    return 0.1 + placing + sum(each) + (each[0] if method.joint_kernel else 0.0)


def _seconds_of_passes(size: Size, *, joint: bool) -> float:
    """Three times the affinities to all landmarks, twice their products, and problems of the size of the landmarks."""
    each = [(kernel.landmarks, d) for kernel, d in zip(size.kernels, size.features, strict=True)]
    width = each[0][0] if joint else sum(m for m, _ in each)
    affinities = 3.0 * sum(m * (2.0 * d / PRODUCT + 1.0 / AFFINITY) for m, d in each)
    return 0.4 * (size.n * (affinities + width**2 / PRODUCT) + 10.0 * width**3 / PRODUCT)


def _seconds_of_kernel(kernel: Kernel, n: int, d: int, n_views: int) -> float:
    """Estimate the seconds of one kernel of n samples with d features altogether, and of the products with it."""
    pairs = float(n) ** 2
    steps = 250  # Vectors that a decomposition multiplies a kernel by.
    if kernel.kind.id == "knn":
        links = 2.0 * n * (kernel.neighbours or 1)
        scan = 1e9  # Candidates for a neighbour looked at, per second.
        visit = 1e6  # Neighbours found in a tree, per second.
        search = links / visit if uses_tree(n, d) else pairs * (d / PRODUCT + 1.0 / scan)
        read = 1e10  # Bytes per second that a product with a few vectors reads.
        return 0.5 * search + steps * 12 * links / read
    if kernel.landmarks:
        m = kernel.landmarks
        work = (2.0 * n * m * (d + m) + 10.0 * m**3) / PRODUCT + n * m / AFFINITY
        return 0.7 * work + steps * 4 * n * m / PRODUCT
    if kernel.kind.id == "precomputed":
        return (n**3 / 3.0 + steps * 2 * pairs) / PRODUCT
    return 0.5 * pairs * (d / PRODUCT + 0.5 * n_views / AFFINITY) + steps * 2 * pairs / PRODUCT


def alternatives(
    method: Method,
    n_samples: int,
    n_features: Sequence[int],
    kernels: Sequence[Kernel],
    n_components: int = 10,
    **options: Any,
) -> tuple[Alternative, ...]:
    """List a method's alternatives to all pairs: other kernels, or a random part, whether or not they fit."""
    if any(kernel.kind.id == "precomputed" for kernel in kernels):
        return ()
    choices = []
    kernels_instead = {"knn-64": "64 nearest neighbours", "landmarks-1000": "1,000 landmarks"}
    for text, words in kernels_instead.items() if method.memory_class == "products" else ():
        kernel = parse_kernel(text)
        if (kernel.count or 0) < n_samples:
            cost = estimate(method, n_samples, n_features, [kernel] * len(n_features), n_components, **options)
            choices.append(Alternative(words, cost, kernel=text))
    part = 4000
    if method.extend is not None and n_samples > part:
        cost = estimate(method, n_samples, n_features, kernels, n_components, part, **options)
        choices.append(Alternative(f"a random part of {part:,} samples", cost, subsample=part))
    return tuple(choices)


def check_memory(
    method: Method,
    n_samples: int,
    n_features: Sequence[int],
    kernels: Sequence[Kernel],
    params: Mapping[str, Value],
    budget: int,
) -> None:
    """Refuse a computation that does not fit, by a DataError that names the alternatives."""
    about = method, n_samples, n_features, kernels, int(params.get("n_components") or 1)
    cost = estimate(*about, params=params, memory=budget)
    if cost.bytes <= budget:
        return
    others = alternatives(*about, params=params, memory=budget)
    fits = [f"{c.text}: {c.cost}" for c in others if c.estimate.bytes <= budget]
    hint = f"Choose {' or '.join([', '.join(fits[:-1]), fits[-1]] if len(fits) > 1 else fits)}" if fits else ""
    raise DataError(
        f"{method.title} of {n_samples:,} samples {cost.describe(budget)}: it does not fit.",
        f"{hint}, or allow more memory." if hint else "Take fewer samples, or allow more memory.",
    )


def _size(n_bytes: float) -> str:
    unit, name = (2.0**30, "GB") if n_bytes >= 2**30 / 10 else (2.0**20, "MB")
    return f"{n_bytes / unit:.2g} {name}" if n_bytes < 10 * unit else f"{n_bytes / unit:.0f} {name}"
