"""What a computation will need, told before it starts, and what else is open where that is too much.

The times are rough: counted operations over the speeds of one core, measured once on a plain machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mvexplorer.engine.distances import LARGE
from mvexplorer.engine.kernels import Kernel, parse_kernel
from mvexplorer.engine.landmarks import KEPT_SHARE
from mvexplorer.engine.neighbours import LINK_BYTES, uses_tree
from mvexplorer.engine.registry import Method
from mvexplorer.engine.task import DEFAULT_MEMORY
from mvexplorer.errors import DataError

PRODUCT = 4e10
"""Operations per second of a product of matrices in double precision."""
READ = 1e10
"""Bytes per second that a product with a few vectors reads."""
AFFINITY = 1e8
"""Distances turned into affinities and stored, per second."""
SCAN = 1e9
"""Candidates for a neighbour looked at, per second."""
VISIT = 1e6
"""Neighbours found in a tree, per second."""
STEPS = 250
"""Vectors that a decomposition multiplies a kernel by."""
VECTORS = 15
"""Vectors an eigensolver holds, per view and eigenvector carried along."""
CARRIED = 12
"""Those carried along beyond the ones asked for."""
PART = 4000
POOLED = ("gaussian", "correlation", "landmarks")
"""Kernels of which a product takes one matrix, whatever the number of views."""
ALTERNATIVES = {"knn-64": "64 nearest neighbours (knn-64)", "landmarks-1000": "1,000 landmarks (landmarks-1000)"}


@dataclass(frozen=True)
class Estimate:
    """What a computation needs: bytes, and seconds on two cores."""

    bytes: float
    seconds: float

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(self.bytes + other.bytes, self.seconds + other.seconds)

    def describe(self, budget: int = DEFAULT_MEMORY) -> str:
        """In words, as in “needs 3.1 GB of 4 GB; about 20 s”."""
        return f"needs {_size(self.bytes)} of {_size(budget)}; about {_time(self.seconds)}"


@dataclass(frozen=True)
class Choice:
    """Another way: a kernel for all views, or a random part of the samples, and what it needs."""

    text: str
    estimate: Estimate
    kernel: str | None = None
    part: int | None = None

    @property
    def cost(self) -> str:
        """What it needs, as in “0.4 GB, about 3 s”."""
        return f"{_size(self.estimate.bytes)}, about {_time(self.estimate.seconds)}"


def estimate(
    method: Method, n_samples: int, n_features: Sequence[int], kernels: Sequence[Kernel], n_components: int = 10,
    part: int | None = None,
) -> Estimate:  # fmt: skip
    """What `method` needs for so many samples of views with so many features, with one kernel for each view.

    `part` is the number of samples it is solved on, where the others are placed afterwards.
    """
    if part is not None and part < n_samples:
        features = sum(n_features)
        pairs = float((n_samples - part) * part)
        placing = Estimate(64e6, pairs * (2 * features / PRODUCT + len(n_features) / AFFINITY))
        return estimate(method, part, n_features, kernels, n_components) + placing
    single = all(kernel.kind.sparse for kernel in kernels)  # solved vector by vector
    vectors = (4 if single else VECTORS) * (n_components + CARRIED) * len(n_features)
    held = Estimate(8.0 * n_samples * (2 * sum(n_features) + vectors), 0.1)
    if method.holds == "features":
        return held + Estimate(0.0, sum(2.0 * n_samples * d * d / PRODUCT for d in n_features))
    if method.holds == "matrices":
        matrices = 2 * len(n_features) + 2
        pairs = float(n_samples) ** 2
        return held + Estimate(8.0 * matrices * pairs, pairs * (2 * sum(n_features) + 10.0 * n_samples) / PRODUCT)
    if method.pools and all(kernel.kind.id in POOLED for kernel in kernels):
        return held + _of_kernel(kernels[0], n_samples, sum(n_features), len(n_features))
    each = [_of_kernel(kernel, n_samples, d, 1) for kernel, d in zip(kernels, n_features, strict=True)]
    return sum(each if not method.pools else [*each, each[0]], held)


def _of_kernel(kernel: Kernel, n: int, d: int, n_views: int) -> Estimate:
    """One kernel of n samples with d features altogether, and the products with it."""
    pairs = float(n) ** 2
    if kernel.kind.id == "knn":
        links = 2.0 * n * (kernel.neighbours or 1)
        found = links / VISIT if uses_tree(n, d) else pairs * (d / PRODUCT + 1.0 / SCAN)
        return Estimate(LINK_BYTES * links, 0.5 * found + STEPS * 12 * links / READ)
    if kernel.landmarks:
        m = kernel.landmarks
        table = 8.0 * n * m
        size = table * (1 + n_views) if table <= KEPT_SHARE * DEFAULT_MEMORY else table / 2
        work = (2.0 * n * m * (d + m) + 10.0 * m**3) / PRODUCT + n * m / AFFINITY
        return Estimate(size + 24.0 * m * m, 0.7 * work + STEPS * 4 * n * m / PRODUCT)
    if kernel.kind.id == "precomputed":
        return Estimate(16.0 * pairs, (n**3 / 3.0 + STEPS * 2 * pairs) / PRODUCT)
    size = 8.0 * (1 + n_views) * pairs if n <= LARGE else 4.0 * pairs
    return Estimate(size, 0.5 * pairs * (d / PRODUCT + 0.5 * n_views / AFFINITY) + STEPS * 2 * pairs / PRODUCT)


def choices(
    method: Method, n_samples: int, n_features: Sequence[int], kernels: Sequence[Kernel], n_components: int = 10
) -> tuple[Choice, ...]:
    """What is open to this method besides all pairs: other kernels, or a random part; each with its estimate."""
    if any(kernel.kind.id == "precomputed" for kernel in kernels):
        return ()
    found = []
    for text, words in ALTERNATIVES.items() if method.holds == "products" else ():
        kernel = parse_kernel(text)
        if (kernel.count or 0) < n_samples:
            need = estimate(method, n_samples, n_features, [kernel] * len(n_features), n_components)
            found.append(Choice(words, need, kernel=text))
    if method.extend is not None and n_samples > PART:
        need = estimate(method, n_samples, n_features, kernels, n_components, PART)
        found.append(Choice(f"a random part of {PART:,} samples", need, part=PART))
    return tuple(found)


def check_memory(
    method: Method, n_samples: int, n_features: Sequence[int], kernels: Sequence[Kernel], n_components: int,
    budget: int,
) -> None:  # fmt: skip
    """DataError, with what else is open, where the computation would not fit the budget."""
    need = estimate(method, n_samples, n_features, kernels, n_components)
    if need.bytes <= budget:
        return
    others = [c for c in choices(method, n_samples, n_features, kernels, n_components) if c.estimate.bytes <= budget]
    told = [f"{c.text}: {c.cost}" for c in others]
    hint = f"Choose {' or '.join([', '.join(told[:-1]), told[-1]] if len(told) > 1 else told)}" if told else ""
    raise DataError(
        f"{method.title} of {n_samples:,} samples {need.describe(budget)}: it does not fit.",
        f"{hint}, or allow more memory." if hint else "Take fewer samples, or allow more memory.",
    )


def _size(n_bytes: float) -> str:
    unit, name = (2.0**30, "GB") if n_bytes >= 2**30 / 10 else (2.0**20, "MB")
    return f"{n_bytes / unit:.2g} {name}" if n_bytes < 10 * unit else f"{n_bytes / unit:.0f} {name}"


def _time(seconds: float) -> str:
    if seconds < 1.0:
        return "1 s"
    if seconds < 90.0:
        return f"{seconds:.2g} s"
    return f"{seconds / 60:.0f} min"
