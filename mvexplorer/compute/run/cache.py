"""Intermediate results, remembered up to a number of bytes."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Mapping
from threading import Event
from typing import Any, TypeVar

from mvexplorer.compute.run.buffers import Buffers
from mvexplorer.compute.run.ledger import Claim, Ledger
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.pipeline.ingredients import KernelForm
from mvexplorer.engine.pipeline.stages import Memo, StageKey, nbytes

T = TypeVar("T")

DEFAULT_LIMIT = 1 << 30
"""1 GiB: enough for six views of 2,000 samples and the kernels that a drag visits."""
OUTER = frozenset({"decomposition", "draft", "anchored draft", "placed"})
"""Stages with small results. Their large inputs may be cached, so starting one evicts nothing."""
PER_BANDWIDTH = frozenset({"kernel", "cross-kernel", "product", "concatenation", "sum", "squared-kernel"})
"""Stages whose results are large and differ for every ε."""
ANCHOR = "anchor"
"""The stage of the exact answers between which the steps of a drag are quick."""
PREPARED = "prepared"
"""The stage of what is prepared between them: steps there need no kernel."""
PARTS = {ANCHOR: 8, PREPARED: 5, "draft": 8, "anchored draft": 16, "placed": 16}
"""Results of these stages, of which a drag leaves one at each of its steps, take at most limit / PARTS bytes together:
those not used for longest are dropped, so that they do not displace the distances."""
LATEST = 2
"""Kernels kept per view and form: recomputing their exponentials costs less than the memory to keep more."""


def _form(key: StageKey) -> list[Hashable]:
    """The form in which a kernel is taken: pictures with and without self-loops are shown side by side."""
    return [setting for setting in key.settings if isinstance(setting, KernelForm)]


class StageCache:
    """Store of stage results, shared by all workers; if full, it evicts large ones first, least recently used first.

    So a drag over large kernels keeps the small decompositions, which answer a later return to one of its steps. If
    several workers want the same result, one computes it and the others wait; if it is cancelled, another takes over.
    Incomplete results are never stored. At most `limit` bytes are kept; the ledger is shared with the running jobs,
    whose needs come first.
    """

    def __init__(self, limit: int = DEFAULT_LIMIT, ledger: Ledger | None = None) -> None:
        self._limit = limit
        self.ledger = Ledger() if ledger is None else ledger
        self.ledger.keeper = self
        self._lock = self.ledger.lock
        self._entries: OrderedDict[StageKey, tuple[Any, int]] = OrderedDict()
        self._families: dict[Hashable, dict[StageKey, None]] = {}
        """The keys of the results kept, by their family: a drag looks for those alike at each of its steps."""
        self._computing: dict[StageKey, Event] = {}
        self._bytes = 0
        self.made: Counter[str] = Counter()
        """How often each stage was computed, found results not counted."""
        self.buffers = Buffers()
        """Memory reused for the arrays of every step of a drag."""

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

    def bytes_by_stage(self) -> Counter[str]:
        """Bytes kept at present of each stage's results."""
        with self._lock:
            by_stage: Counter[str] = Counter()
            for key, (_, size) in self._entries.items():
                by_stage[key.stage] += size
            return by_stage

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: StageKey) -> bool:
        return key in self._entries

    def find(self, key: StageKey) -> Any | None:
        """The result under `key`, if there is one."""
        with self._lock:
            return self._entries[key][0] if key in self._entries else None

    def alike(self, key: StageKey) -> tuple[Any, ...]:
        """The results of this stage that differ from the one under `key` in its settings alone."""
        with self._lock:
            keys = tuple(self._families.get(key.family, ()))
            for other in keys:
                self._entries.move_to_end(other)
            return tuple(self._entries[other][0] for other in keys)

    def clear(self) -> None:
        """Evict everything."""
        with self._lock:
            self._entries.clear()
            self._families.clear()
            self._bytes = 0

    def shrink(self, room: float) -> None:
        """Evict results that no running job uses, and spare buffers, until these take at most `room` bytes."""
        with self._lock:
            if self._bytes + self.buffers.nbytes <= room:
                return
            used = self.ledger.used()
            unused = {key: size for key, (_, size) in self._entries.items() if key not in used}
            left = sum(unused.values())
            for key in self._in_turn(unused):
                if left <= room:
                    break
                left -= unused[key]
                self._forget(key)
            if left + self.buffers.spare > room:
                self.buffers.release()

    def memo(self, task: Task) -> Memo:
        """The cache for one task: a wait for another worker's result can be cancelled.

        Before the task makes a large result, unused results are evicted.
        """
        claim = self.ledger.claim_of(task)

        def empty(shape: tuple[int, ...], dtype: Any) -> Any:
            self.ledger.computes(task)
            return self.buffers.empty(shape, dtype)

        def remember(key: StageKey, compute: Callable[[], T]) -> T:
            return self._get(key, compute, task, claim)

        task.empty = empty
        remember.alike = self.alike  # type: ignore[attr-defined]
        return remember

    def _get(self, key: StageKey, compute: Callable[[], T], task: Task, claim: Claim | None) -> T:
        while True:
            with self._lock:
                if claim is not None:
                    claim.used.add(key)
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
            if key.stage not in OUTER:
                self.ledger.computes(task)
            computed = compute()
            self.made[key.stage] += 1
            self._store(key, computed)
            return computed
        finally:
            with self._lock:
                del self._computing[key]
            mine.set()

    def _store(self, key: StageKey, value: Any) -> None:
        size = nbytes(value)
        with self._lock:
            if size > self._limit:
                return
            self._entries[key] = (value, size)
            self._families.setdefault(key.family, {})[key] = None
            self._bytes += size
            self._drop_former(key)
            self._evict()
        self.shrink(self.ledger.room)

    def _drop_former(self, key: StageKey) -> None:
        """Keep the latest of the matrices that depend on ε: those of a drag's earlier steps are not used again."""
        if key.stage in PARTS:
            self._keep_part(key.stage)
        if key.stage not in PER_BANDWIDTH:
            return
        form = _form(key)
        alike = [other for other in self._families[key.family] if _form(other) == form]
        one_part = 16  # of kernels that take more than limit / one_part the latest alone is kept
        kept = 1 if self._entries[key][1] * one_part > self._limit else LATEST
        for former in alike[:-kept]:
            self._forget(former)

    def _keep_part(self, stage: str) -> None:
        sizes = {key: size for key, (_, size) in self._entries.items() if key.stage == stage}
        total = sum(sizes.values())
        for key, size in sizes.items():
            if total * PARTS[stage] <= self._limit:
                break
            total -= size
            self._forget(key)

    def _evict(self) -> None:
        if self._bytes > self._limit:
            for key in self._in_turn({key: size for key, (_, size) in self._entries.items()}):
                self._forget(key)
                if self._bytes <= self._limit:
                    break
        if self._bytes + self.buffers.spare > self._limit:
            self.buffers.release(self._limit - self._bytes)

    def _in_turn(self, sizes: Mapping[StageKey, int]) -> list[StageKey]:
        """The order of eviction: large results first, least recently used first."""
        large_part = 64  # limit / large_part bytes are large: 16 MB, a kernel of 1,500 samples
        return sorted(sizes, key=lambda key: sizes[key] * large_part < self._limit)

    def _forget(self, key: StageKey) -> None:
        self._bytes -= self._entries.pop(key)[1]
        alike = self._families[key.family]
        del alike[key]
        if not alike:
            del self._families[key.family]
