"""How long passes over many samples take, told beforehand by what a few of their blocks take."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from time import perf_counter

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.block_pass import BlockPass
from mvexplorer.wording import seconds_in_words

MANY_BLOCKS = 100
"""From so many blocks on it is measured."""
LONG = 3.0
"""Seconds that are worth telling beforehand."""


def tell_time(passes: Sequence[BlockPass], tables: Sequence[Array], task: Task) -> None:
    """Say how long passes over all rows of the tables will take, on the threads lent to a task, where that is long."""
    n, size, width = len(tables[0]), passes[0].rows_at_once, passes[0].width
    if n < MANY_BLOCKS * size:
        return
    _seconds(max(passes, key=lambda step: len(step.pairs)), tables, task)  # warms up
    seconds = sum(_seconds(step, tables, task) for step in passes)
    if seconds >= LONG:
        task.say(
            f"{n:,} samples are read {len(passes)} times, {size:,} at a time, with {width:,} affinities to landmarks "
            f"each: about {seconds_in_words(seconds)}."
        )


def _seconds(step: BlockPass, tables: Sequence[Array], task: Task) -> float:
    """The seconds that one pass takes, by a few blocks for each thread, from all over the tables."""
    threads, n = os.cpu_count() or 1, len(tables[0])
    at_once = 8  # Blocks that a thread measures in a row: of the first one the memory is new, which takes longer.
    rows = min(at_once * step.rows_at_once, n // threads)
    start = perf_counter()
    task.map_blocks(threads, 1, partial(_try, step, tables, n // threads, rows))
    return (perf_counter() - start) / (threads * rows) * n


def _try(step: BlockPass, tables: Sequence[Array], apart: int, rows: int, which: slice) -> None:
    step.over(tables, slice(which.start * apart, which.start * apart + rows))
