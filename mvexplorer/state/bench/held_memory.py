"""The resident memory of a window, by the kinds of its content."""

from __future__ import annotations

import os
from typing import NamedTuple

from mvexplorer.children import resident
from mvexplorer.compute.run.cache import ANCHOR, OUTER, PER_BANDWIDTH
from mvexplorer.compute.run.heap import heap_bytes
from mvexplorer.engine.core.maps import is_map
from mvexplorer.state.bench.workbench import Workbench


class MemoryShare(NamedTuple):
    """The bytes of one kind of content."""

    kind: str
    bytes: int


def memory_by_kind(bench: Workbench, pictures: int = 0) -> tuple[MemoryShare, ...]:
    """The memory that the process holds, by kind; the kinds sum up to its resident bytes.

    `pictures` are the bytes of what is painted on screen.
    """
    cache, heap = bench.controller.cache, heap_bytes()
    stages = cache.bytes_by_stage()

    def of(kinds: frozenset[str]) -> int:
        return sum(size for stage, size in stages.items() if stage in kinds)

    distances = frozenset({"distances", "cross-distances", "landmark-distances"})
    answers = OUTER | {ANCHOR}
    parts = [
        MemoryShare("Kernels and their products", of(PER_BANDWIDTH)),
        MemoryShare("Distances", of(distances)),
        MemoryShare("Embeddings, with those of a drag's steps", of(answers)),
        MemoryShare("Other intermediate results", sum(stages.values()) - of(PER_BANDWIDTH | distances | answers)),
        MemoryShare("Kept for the next drag", cache.buffers.spare),
        MemoryShare("Data, with what undo brings back", _data_bytes(bench)),
        MemoryShare("Pictures on screen", pictures),
        MemoryShare("Code of the program and its libraries", heap.files),
        MemoryShare("Objects of Python, and what libraries manage themselves", heap.others),
        MemoryShare("Freed, and not given back yet", heap.free),
    ]
    rest = resident(os.getpid()) - sum(held.bytes for held in parts)
    return *(held for held in parts if held.bytes > 0), MemoryShare("Everything else", max(0, rest))


def _data_bytes(bench: Workbench) -> int:
    """The bytes of all data, each array once: states around an edit share them, and maps stay in their files."""
    arrays = [
        array
        for data in bench.document.held_data()
        for array in (*data.Xs, *(() if data.images is None else (data.images,)), *(data.bursts or ()))
    ]
    return sum(array.nbytes for array in {id(array): array for array in arrays}.values() if not is_map(array))
