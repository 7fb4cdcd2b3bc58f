"""The memory every method takes at most, measured in a child process, beside what the program says it takes.

OPENBLAS_NUM_THREADS=1 python tests/benchmarks/bench_memory.py [METHOD ...] [--samples M ...] [--least MIB]
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT), str(ROOT / "tests" / "engine")]
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402
from peak import peak_of  # noqa: E402
from views import tori  # noqa: E402

from mvexplorer.compute.run.cache import StageCache  # noqa: E402
from mvexplorer.engine.api.cost import estimate  # noqa: E402
from mvexplorer.engine.api.embedding import embed  # noqa: E402
from mvexplorer.engine.api.plan import check_applicable  # noqa: E402
from mvexplorer.engine.core.multiview import MultiView  # noqa: E402
from mvexplorer.engine.core.params import check_params  # noqa: E402
from mvexplorer.engine.core.task import Task  # noqa: E402
from mvexplorer.engine.kernels.affinities import GAUSSIAN, parse_kernel  # noqa: E402
from mvexplorer.engine.methods import get_method, methods  # noqa: E402
from mvexplorer.engine.pipeline.method import Method  # noqa: E402
from mvexplorer.errors import MVExplorerError  # noqa: E402

MEBIBYTE = 1 << 20
KERNELS = ("gaussian", "knn-64", "landmarks", "precomputed")
OTHERS = ("laplacian", "correlation", "self-tuning")
SETTINGS: dict[str, tuple[dict[str, Any], ...]] = {
    "kernel-cca": ({"centred": True}, {"cholesky_rank": 100}),
    "mgc": ({"density": "mixture"},),
    "diffusion-representation": ({"drawn_by": "mds"}, {"measure_dimensions": 4, "order": 10}),
    "local-cca": ({"local_metric": "older"},),
    "multiview": ({"eta": 0.5},),
    "jade": ({"graph": "kernel"},),
    "laplacian-mean": ({"graph": "kernel"},),
    "squared-mean": ({"graph": "kernel"},),
    "harmonic-mean": ({"graph": "kernel"},),
    "co-regularized": ({"graph": "kernel"},),
    "low-rank": ({"graph": "kernel"},),
}
"""Parameters that change what a method holds, beside its defaults."""


@dataclass(frozen=True)
class Case:
    """One computation."""

    method: str
    samples: int
    features: int
    views: int
    kernel: str
    subsample: int | None = None
    params: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What it is, in a line."""
        more = "".join(f", {k}={v}" for k, v in self.params.items())
        more += f", part {self.subsample}" if self.subsample else ""
        return f"{self.method}: {self.samples:,} x {self.features} x {self.views}, {self.kernel}{more}"


def data_of(case: Case) -> MultiView:
    """Samples of noisy closed curves; for a precomputed kernel their Gaussians."""
    Xs = tori(case.samples, case.features, case.views)
    if case.kernel == "precomputed":
        from mvexplorer.engine.kernels.affinities import gaussian
        from mvexplorer.engine.kernels.distances import squared_distances

        Xs = [gaussian(squared_distances(X), 1.0) for X in Xs]
    return MultiView(Xs)


def used_of(case: Case) -> list[str]:
    """Names of the views the method will use."""
    most = get_method(case.method).max_views or case.views
    return [f"view{i + 1}" for i in range(min(case.views, most))]


def told(case: Case) -> float:
    """Bytes the program says it takes."""
    method, used = get_method(case.method), used_of(case)
    kernel = parse_kernel(case.kernel)
    kernel = (
        kernel
        if method.requires == "kernels" or (method.joint_kernel and kernel.kind.approximates_gaussian)
        else GAUSSIAN
    )
    width = case.samples if case.kernel == "precomputed" else case.features
    params = check_params(method.params, case.params, method.title)
    return estimate(
        method, case.samples, [width] * len(used), [kernel] * len(used), int(params["n_components"] or 1),
        case.subsample, params=params, memory=1 << 40, threads=1,
    ).bytes  # fmt: skip


def measured(case: Case, data: MultiView) -> float:
    """Bytes it took."""

    def work() -> object:
        cache, task = StageCache(1 << 40), Task(memory=1 << 40)
        kept = embed(
            data, case.method, epsilon=0.3, kernel=case.kernel, subsample=case.subsample, task=task,
            memo=cache.memo(task), **case.params,
        )  # fmt: skip
        return kept, cache

    return peak_of(work)


def legal(case: Case) -> bool:
    """Whether the method can run on these views, and the kernel makes a difference."""
    method, used = get_method(case.method), used_of(case)
    kernel = parse_kernel(case.kernel)
    if case.views < method.min_views or check_applicable(method, used, [kernel] * len(used)) is not None:
        return False
    return (
        method.requires == "kernels"
        or kernel == GAUSSIAN
        or (method.joint_kernel and kernel.kind.approximates_gaussian)
    )


def cases(chosen: list[Method], sizes: list[int]) -> Iterator[Case]:
    """Every method by size, features, views, kernel and setting."""
    for method in chosen:
        for n in sizes:
            for features, views in ((10, 2), (200, 2), (10, 4)):
                for kernel in KERNELS if features == 10 else ("gaussian", "knn-64"):
                    yield Case(method.id, n, features, views, kernel)
            for kernel in OTHERS:
                yield Case(method.id, n, 10, 2, kernel)
            for params in SETTINGS.get(method.id, ()):
                yield Case(method.id, n, 10, 2, "gaussian", params=params)
            if method.extend is not None:
                for kernel in ("gaussian", "knn-64"):
                    yield Case(method.id, 4 * n, 10, 2, kernel, subsample=n)


def usual(chosen: list[Method], n: int) -> Iterator[Case]:
    """Every method once, with its defaults."""
    for method in chosen:
        yield Case(method.id, n, 10, max(2, method.min_views), "gaussian")


def warm() -> None:
    """Have everything imported that a child would import."""
    rng = np.random.default_rng(0)
    data = MultiView([rng.standard_normal((60, 4)) for _ in range(4)])
    for method in (m for m in methods() if not m.shows_given):
        for kernel in KERNELS[:2]:
            try:
                embed(data, method.id, kernel=kernel.replace("64", "8"), epsilon=1.0)
            except MVExplorerError:
                continue


def main() -> None:
    """Print one line per case: megabytes measured and told, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("methods", nargs="*")
    parser.add_argument("--samples", nargs="+", type=int, default=[1000, 2000, 4000])
    parser.add_argument("--least", type=float, default=50.0, help="estimates below so many MiB are not judged")
    parser.add_argument("--usual", action="store_true", help="each method with its defaults only")
    given = parser.parse_args()
    warm()
    chosen = [get_method(id) for id in given.methods] or [m for m in methods() if not m.shows_given]
    worst, failed = 1.0, 0
    told_of = (
        (case for n in given.samples for case in usual(chosen, n)) if given.usual else cases(chosen, given.samples)
    )
    for case in filter(legal, told_of):
        data = data_of(case)
        try:
            size, need = measured(case, data), told(case)
        except Exception as problem:
            print(f"{case.name:75} {problem}", flush=True)
            failed += 1
            continue
        ratio = size / need
        judged = max(size, need) >= given.least * MEBIBYTE
        worst = max(worst, ratio, 1.0 / ratio) if judged else worst
        mark = "" if not judged else "  !!" if not 1 / 1.5 <= ratio <= 1.5 else ""
        print(f"{case.name:75} {size / MEBIBYTE:8.0f} {need / MEBIBYTE:8.0f} {ratio:6.2f}{mark}", flush=True)
    print(f"worst ratio: {worst:.2f}")
    if failed:
        raise SystemExit(f"{failed} of these could not be measured.")


if __name__ == "__main__":
    main()
