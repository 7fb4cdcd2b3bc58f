"""What it costs that files are decoded in another process: its start, and the numbers that come from there."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from comparison import Comparison, Limit, Prepared

if TYPE_CHECKING:
    from mvexplorer.io.base.wire import Blocks

SHAPE = (13_000, 1_000)
"""Of numbers that take 100 MB."""


def hdf5(path: Path, table: np.ndarray, **how: Any) -> Path:
    import h5py

    with h5py.File(path.with_suffix(".h5"), "w") as file:
        file.create_dataset("X", data=table, **how)
    return path.with_suffix(".h5")


def mat(path: Path, table: np.ndarray, **how: Any) -> Path:
    from scipy.io import savemat

    savemat(path.with_suffix(".mat"), {"X": table}, **how)
    return path.with_suffix(".mat")


def parquet(path: Path, table: np.ndarray) -> Path:
    import polars as pl

    pl.DataFrame(table, schema=[f"f{i}" for i in range(table.shape[1])]).write_parquet(path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


KINDS: dict[str, Callable[[Path, np.ndarray], Path]] = {
    "HDF5": hdf5,
    "HDF5, compressed": partial(hdf5, compression="gzip", compression_opts=1, chunks=(130, SHAPE[1])),
    "MAT": mat,
    "MAT, compressed": partial(mat, do_compression=True),
    "Parquet": parquet,
}


def opened(kind: str, here: bool) -> Prepared:
    """To open 100 MB; `here` in this process, as if its decoder could not crash."""
    from mvexplorer.datasets.loading import load
    from mvexplorer.io.arrays import hdf5 as arrays
    from mvexplorer.io.matlab import matvars as variables
    from mvexplorer.io.tables import columnar

    if here:
        for module in (arrays, variables, columnar):
            vars(module)["in_child"] = in_this_process
    folder = tempfile.TemporaryDirectory()
    path = KINDS[kind](Path(folder.name, "large"), np.random.default_rng(0).normal(size=SHAPE))

    times = 5

    def work(folder: object = folder) -> None:
        """It keeps the folder, which goes with it; memory touched for the first time would count for more."""
        for _ in range(times):
            load(str(path))

    return Prepared(work, pieces=times)


def in_this_process(function: Callable[[Any], Any], room: Any) -> Any:
    """Call a function that decodes a file, and put together what it would hand over in blocks."""
    from mvexplorer.io.base.wire import Blocks

    value = function(room)
    for found in value if isinstance(value, tuple) else (value,):  # variables of a MAT file come with sentences
        for name, blocks in found.items() if isinstance(found, dict) else ():
            if isinstance(blocks, Blocks):
                found[name] = joined(blocks)
    return value


def joined(blocks: Blocks) -> np.ndarray:
    """The array whose numbers come in blocks."""
    array, start = np.empty(blocks.shape, blocks.dtype, blocks.order), 0
    flat = array.reshape(-1, order=blocks.order).view(np.uint8)
    for block in blocks.decode():
        part = block.reshape(-1).view(np.uint8)
        flat[start : start + len(part)] = part
        start += len(part)
    return array


def first_file() -> Mapping[str, float]:
    """The first file of a run, less the next one."""
    from mvexplorer.datasets.loading import load
    from mvexplorer.io.base import decoder

    with tempfile.TemporaryDirectory() as folder:
        path = str(hdf5(Path(folder, "small"), np.random.default_rng(0).normal(size=(50, 5))))
        load(path)
        times = []
        for begin in (decoder.close, lambda: None):
            begin()
            start = perf_counter()
            load(path)
            times.append(perf_counter() - start)
        decoder.close()
    return {"s for the first file": times[0] - times[1]}


def comparisons() -> Iterator[Comparison | Limit]:
    for kind in KINDS:
        ours, rival = partial(opened, kind, here=False), partial(opened, kind, here=True)
        name = f"100 MB of {kind} decoded in another process"
        goal = None if kind == "Parquet" else 1.1  # polars, which is fast, hands over columns
        yield Comparison(name, goal, ours, rival, "the same in this process", pairs=10, at_most=True, wall=True)
    yield Limit("start of the process that decodes files", {"s for the first file": 0.3}, first_file, 5)
