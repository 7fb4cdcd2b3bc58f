"""The lines of a sweep: one method on the same samples, at each value of an axis."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from mvexplorer.compute.batch.sweep_path import coarse_to_fine, resampled_rows
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.jobs.runner import Hidden
from mvexplorer.engine.core.multiview import MultiView


@dataclass(frozen=True, eq=False)
class SweepLine:
    """One method on the same samples, at each value of an axis in turn: one request a value.

    `title` is its name in the task list; `resample` the number of the random part of the samples, 0 for all of them;
    `hidden` the variable of these samples that is scored.
    """

    title: str
    requests: tuple[Request, ...]
    resample: int = 0
    hidden: Hidden | None = None
    turns: tuple[int, ...] = ()
    """When the turn of each value is among those of all lines; empty: from coarse to fine."""
    whole: SweepLine | None = None
    """The same on all samples, where these are a random part."""
    views: tuple[str, ...] = ()
    """The views by whose neighbours the pictures are scored."""
    metrics: tuple[tuple[str, str], ...] = ()
    """By which metric samples are neighbours in a view, where that is not the Euclidean."""
    stability: bool = False
    """Whether it is told how far samples move with ε."""

    @property
    def order(self) -> list[int]:
        """The places of the values, in the order in which they begin."""
        count, turns = len(self.requests), self.turns
        return sorted(range(count), key=lambda place: turns[place]) if turns else coarse_to_fine(count)

    @cached_property
    def firsts(self) -> tuple[int, ...]:
        """For each value the first one that asks for the same: where the axis has no effect that is 0 for all."""
        seen: dict[Request, int] = {}
        return tuple(seen.setdefault(request, place) for place, request in enumerate(self.requests))

    @property
    def flat(self) -> bool:
        """True if one computation is enough for all values."""
        return len(self.firsts) > 1 and not any(self.firsts)

    def resampled(self, resample: int) -> SweepLine:
        """The same on a random part of the samples."""
        data = self.requests[0].data
        kept = resampled_rows(data.n_samples, resample)
        part: MultiView = data.take(kept)
        requests = tuple(request.on(part) for request in self.requests)
        hidden = self.hidden and self.hidden.take(kept)
        return replace(self, requests=requests, resample=resample, hidden=hidden, whole=self)
