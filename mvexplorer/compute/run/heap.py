"""Settings of the C library about freed memory, which it otherwise keeps for as long as it likes.

They are those of glibc; elsewhere nothing happens, and nothing is known.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from contextlib import suppress
from typing import NamedTuple

_ABSENT = OSError, AttributeError, TypeError


class _Counts(ctypes.Structure):
    """The struct mallinfo2."""

    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost",
    )]  # fmt: skip


class Heap(NamedTuple):
    """Resident bytes of this process, by who manages them; 0 where the system does not tell."""

    files: int = 0
    """Bytes of files that are mapped, such as libraries."""
    others: int = 0
    """Neither of files nor of the C library's: Python's own objects, threads' stacks, other allocators."""
    free: int = 0
    """Freed, and kept by the C library."""


def heap_bytes() -> Heap:
    """The bytes as the system and the C library count them; the heap is the one that all threads share."""
    with suppress(*_ABSENT):
        count = ctypes.CDLL(None).mallinfo2
        count.restype = _Counts
        counts = count()
        sizes = _resident_mappings()
        heap = sizes.pop("[heap]", 0)
        files = sum(size for name, size in sizes.items() if name.startswith("/"))
        others = sum(sizes.values()) - files - counts.hblkhd
        return Heap(files, max(0, others), max(0, heap - counts.uordblks))
    return Heap()


def _resident_mappings() -> Counter[str]:
    """Resident bytes by what is mapped: a file, the heap, or nothing with a name."""
    sizes: Counter[str] = Counter()
    name = ""
    with open("/proc/self/smaps", encoding="utf-8", errors="replace") as mappings:
        for line in mappings:
            head, *values = line.split(maxsplit=5)
            if head == "Rss:":
                sizes[name] += 1024 * int(values[0])
            elif "-" in head and not head.endswith(":"):
                name = values[4].strip() if len(values) > 4 else ""
    return sizes


def share_one_heap() -> None:
    """Have the threads to come share the first one's heap.

    Else each has heaps of its own, of up to 64 MB: what is free in one is of no use to the others, and what is free at
    its end is never given back, 100 MB after some pictures of 1000 samples. Python's threads hardly ever allocate at
    the same time.
    """
    arena_max = -8  # in glibc's malloc.h
    with suppress(*_ABSENT):
        ctypes.CDLL(None).mallopt(arena_max, 1)


def give_back() -> None:
    """Give freed memory back to the system, also what lies below memory that is in use."""
    with suppress(*_ABSENT):
        ctypes.CDLL(None).malloc_trim(0)


def keep_freed_memory() -> None:
    """Make glibc keep up to 64 MB of freed memory, and not fetch new pages for each matrix.

    Dask's nanny sets ``MALLOC_TRIM_THRESHOLD_``, which gives every block above 128 kB back at once: a sweep's fresh
    pages then cost a third of its time.
    """
    trim_threshold, top_pad, mmap_threshold = -1, -2, -3  # in glibc's malloc.h
    with suppress(*_ABSENT):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(mmap_threshold, 32 << 20)
        mallopt(trim_threshold, 64 << 20)
        mallopt(top_pad, 64 << 20)  # else a thread's empty heap is given back whatever the threshold
