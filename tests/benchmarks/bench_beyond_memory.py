"""Beyond memory: walks by landmarks on views that stay in their files, in passes over blocks of rows."""

from __future__ import annotations

import os
import re
import tempfile
import threading
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from comparison import Limit, sized
from views import drag, tori

CHUNK = sized(100_000, 500)


def resident() -> float:
    """Gigabytes of memory that no file stands for."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("RssAnon")).split()[1]) * 1024 / 1e9


def write_views(folder: Path, n_samples: int, features: int) -> list[Path]:
    """Two views of float32 as files, written a part at a time."""
    paths = [folder / f"{name}.npy" for name in "ab"]
    shape = n_samples, features
    files = [np.lib.format.open_memmap(path, "w+", np.float32, shape) for path in paths]
    for start in range(0, n_samples, CHUNK):
        stop = min(start + CHUNK, n_samples)
        # The same mixtures of features, other samples.
        for file, X in zip(files, tori(CHUNK, features), strict=True):
            file[start:stop] = np.roll(X, start // CHUNK, axis=0)[: stop - start] + 1e-3 * (start // CHUNK)
    return paths


def measure(n_samples: int, features: int, landmarks: int, method: str) -> Mapping[str, float]:
    from mvexplorer.compute.run.blocks import BlockExecutor
    from mvexplorer.engine.api.embedding import embed
    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.engine.core.task import Task

    with tempfile.TemporaryDirectory() as folder:
        paths = write_views(Path(folder), n_samples, features)
        data = MultiView({path.stem: np.load(path, mmap_mode="r") for path in paths})
        said: list[str] = []
        task = Task(run_all=BlockExecutor(os.cpu_count() or 2).run_all, say=said.append)
        peak, over = [0.0], threading.Event()

        def watch() -> None:
            while not over.wait(0.02):
                peak[0] = max(peak[0], resident())

        watcher = threading.Thread(target=watch)
        watcher.start()
        start, busy = perf_counter(), process_time()
        embed(data, method, kernel=f"landmarks-{landmarks}", epsilon=drag(0) * 3, n_components=10, task=task)
        seconds, busy = perf_counter() - start, process_time() - busy
        over.set()
        watcher.join()
    told = re.search(r"about ([\d.]+) (s|min)", said[-1]) if said else None
    expected = float(told[1]) * (60 if told[2] == "min" else 1) if told else seconds
    return {"s": seconds, "GB": peak[0], "told / taken off by": abs(expected / seconds - 1), "CPU s": busy}


def comparisons() -> Iterator[Limit]:
    bars = {"s": 240.0, "GB": 2.0, "told / taken off by": 0.3}
    for n_samples, method, goals in (
        (1_000_000, "multiview", bars),
        (1_000_000, "kernel-sum", {}),
        (1_000_000, "alternating", {}),
    ):
        name = f"beyond memory, two views, all cores: M {n_samples:,}, D 50, landmarks-500, {method}"
        yield Limit(name, goals, partial(measure, sized(n_samples, 1200), 50, sized(500, 50), method), 1)
