"""Data of very many parts: how long the window is deaf while it opens them, and what reading them takes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from bench_drag import GAP
from comparison import CONTROL, Limit
from live_window import Ticker, control_gap, new_window, open_data, settle, turn_for, turn_until

if TYPE_CHECKING:
    from mvexplorer.engine.core.multiview import MultiView

CLASSES, VIEWS, COLUMNS, IDS, LETTERS = 100_000, 500, 100_000, 2_000, 20_000
FEW = 300
"""Samples where what is many is something else."""
FRAMES_MS = 100.0
SECONDS = 15.0
"""How long is looked on after the opening: pictures of 100,000 samples or 500 views may still be computed then."""
READING = "s to read"


def random_numbers(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).standard_normal(shape).round(6)


def small() -> MultiView:
    from mvexplorer.engine.core.multiview import MultiView

    return MultiView({"first": random_numbers(FEW, 3), "second": random_numbers(FEW, 4)})


def many_classes() -> MultiView:
    """As a file is read whose label holds ids, and was told to be the label."""
    import mvexplorer as mvx

    return mvx.load(str(write_ids(Path(tempfile.mkdtemp()) / "ids.csv")), labels="label")


def many_views() -> MultiView:
    from mvexplorer.engine.core.multiview import MultiView

    return MultiView({f"view {i}": X for i, X in enumerate(random_numbers(VIEWS, FEW, 3))})


def many_columns() -> MultiView:
    from mvexplorer.engine.core.multiview import MultiView

    return MultiView({"first": random_numbers(FEW, COLUMNS), "second": random_numbers(FEW, 3)})


def long_ids() -> MultiView:
    from mvexplorer.engine.core.multiview import MultiView

    ids = [f"{i}{'x' * LETTERS}{i}" for i in range(IDS)]
    return MultiView({"first": random_numbers(IDS, 3), "second": random_numbers(IDS, 4)}, sample_ids=ids)


def longest_turn(make: Callable[[], MultiView]) -> Mapping[str, float]:
    """While data is opened, computed for a while, and some samples are selected."""
    data, window = make(), new_window()
    open_data(window, small())  # panels and pages, which are built once
    settle(window)
    control = control_gap()
    with Ticker() as ticker:
        open_data(window, data)
        start = perf_counter()
        turn_until(lambda: perf_counter() - start > 1.0 and (window.at_rest() or perf_counter() - start > SECONDS))
        window.editor.select(range(5), "replace", "a lasso")
        turn_for(1.0)
    return {GAP: ticker.longest, GAP + CONTROL: control}


def write_ids(path: Path) -> Path:
    rows = (",".join(map(str, row)) for row in random_numbers(CLASSES, 6))
    lines = (f"sample_{7919 * i % CLASSES},{row}" for i, row in enumerate(rows))
    path.write_text("\n".join(["label,a,b,c,d,e,f", *lines]), "utf-8")
    return path


def write_wide(path: Path) -> Path:
    import polars as pl

    frame = pl.DataFrame(random_numbers(6, COLUMNS), schema=[f"gene{i}" for i in range(COLUMNS)])
    frame.write_csv(path) if path.suffix == ".csv" else frame.write_parquet(path)
    return path


def seconds_to_read(name: str, write: Callable[[Path], Path], **options: str) -> Mapping[str, float]:
    """Of a second reading: the first imports the reader."""
    import mvexplorer as mvx

    path = write(Path(tempfile.mkdtemp()) / name)
    mvx.load(str(path), **options)
    start = perf_counter()
    mvx.load(str(path), **options)
    return {READING: perf_counter() - start}


def comparisons() -> Iterator[Limit]:
    for name, make in {
        f"{CLASSES:,} classes": many_classes, f"{VIEWS} views": many_views, f"{COLUMNS:,} columns": many_columns,
        f"{IDS:,} ids of {LETTERS:,} letters": long_ids,
    }.items():  # fmt: skip
        yield Limit(f"longest turn: {name}", {GAP: FRAMES_MS}, partial(longest_turn, make), 2)
    for name in ("wide.csv", "wide.parquet"):
        title = f"reading 6 x {COLUMNS:,} numbers, {name.partition('.')[2]}"
        yield Limit(title, {READING: 3.0}, partial(seconds_to_read, name, write_wide), 2)
    ids = partial(seconds_to_read, "ids.csv", write_ids, labels="label")
    yield Limit(f"reading {CLASSES:,} different labels, csv", {READING: 3.0}, ids, 2)
