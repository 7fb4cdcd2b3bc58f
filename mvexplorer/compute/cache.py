"""Intermediate results, remembered up to a number of bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Event, Lock
from typing import Any, TypeVar

from mvexplorer.compute.buffers import Buffers
from mvexplorer.engine.stages import PER_BANDWIDTH, Memo, nbytes
from mvexplorer.engine.task import Task

T = TypeVar("T")

DEFAULT_LIMIT = 1 << 30
"""1 GiB: six views of 2,000 samples with room for a drag's visited kernels."""


LARGE_PART = 64
"""A result is large from this part of the limit on: 16 MB, a kernel of 1,500 samples."""


LATEST = 3
"""Kernels of one view kept: exponentials are cheaper than the memory they are written to."""


class StageCache:
    """Store of stage results, shared by all workers; full, it forgets large ones first, and of those the oldest used.

    So a drag over large kernels leaves the small results, decompositions, that answer a walk through its steps.
    A result wanted by several workers at once is computed by one of them; the others wait, and take over
    should it be cancelled. Half results are never stored.
    """

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        self._limit = limit
        self._lock = Lock()
        self._entries: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._computing: dict[Hashable, Event] = {}
        self._bytes = 0
        self.buffers = Buffers()
        """Memory for what a drag makes at every step."""

    @property
    def limit(self) -> int:
        """Largest number of bytes kept; lowering it drops the results not used for longest."""
        return self._limit

    @limit.setter
    def limit(self, limit: int) -> None:
        with self._lock:
            self._limit = limit
            self._evict()

    @property
    def bytes(self) -> int:
        """Bytes kept at present; never more than `limit`."""
        return self._bytes

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._entries.clear()
            self._bytes = 0

    def make_room(self, size: int) -> None:
        """Forget as much as it takes for something of `size` bytes to fit beside what stays."""
        with self._lock:
            self._evict(max(0, self._limit - size))

    def memo(self, task: Task) -> Memo:
        """The cache as seen by one computation: waiting for another worker's result can be cancelled.

        The computation's large matrices then find room beside what is kept, and use what is free.
        """
        task.make_room, task.empty = self.make_room, self.buffers.empty

        def remember(key: Hashable, compute: Callable[[], T]) -> T:
            return self._get(key, compute, task)

        return remember

    def _get(self, key: Hashable, compute: Callable[[], T], task: Task) -> T:
        while True:
            with self._lock:
                if key in self._entries:
                    self._entries.move_to_end(key)
                    value: T = self._entries[key][0]
                    return value
                other = self._computing.get(key)
                if other is None:
                    mine = self._computing[key] = Event()
                    break
            while not other.wait(0.02):
                task.checkpoint()
        try:
            task.checkpoint()
            computed = compute()
            self._store(key, computed)
            return computed
        finally:
            with self._lock:
                del self._computing[key]
            mine.set()

    def _store(self, key: Hashable, value: Any) -> None:
        size = nbytes(value)
        with self._lock:
            if size > self._limit:
                return
            self._entries[key] = (value, size)
            self._bytes += size
            self._drop_former(key)
            self._evict()

    def _drop_former(self, key: Hashable) -> None:
        """Of a matrix that every ε has its own of, keep the latest: those of a drag's former steps serve nobody."""
        if not isinstance(key, tuple) or key[0] not in PER_BANDWIDTH:
            return
        alike = [k for k in self._entries if isinstance(k, tuple) and k[:3] == key[:3]]
        for former in alike[:-LATEST]:
            self._bytes -= self._entries.pop(former)[1]

    def _evict(self, limit: int | None = None) -> None:
        while self._bytes > (self._limit if limit is None else limit):
            large = (key for key, (_, size) in self._entries.items() if size * LARGE_PART >= self._limit)
            _, size = self._entries.pop(next(large, next(iter(self._entries))))
            self._bytes -= size
