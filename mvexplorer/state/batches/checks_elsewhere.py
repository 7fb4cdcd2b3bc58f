"""Runs of null tests and of stability on other processes and machines, all side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mvexplorer.compute.jobs.analysis_jobs import NullJob, StabilityJob
from mvexplorer.engine.analysis.stability import Stability, stability_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mvexplorer.engine.analysis.stability import Kind
    from mvexplorer.state.pictures.elsewhere import Elsewhere

    CheckJob = NullJob | StabilityJob


class ChecksElsewhere:
    """Some runs of one panel; `slot` and `title` are those of their row in the task list.

    Jobs of stability are numbered, and join the runs in `earlier`. `came` is called with a job and its answer (of
    stability that of all runs so far) or its error; `lost` with this object, where the workers are gone.
    """

    def __init__(
        self,
        elsewhere: Elsewhere,
        slot: str,
        title: str,
        jobs: Sequence[CheckJob],
        earlier: Mapping[Kind, Stability],
        came: Callable[[CheckJob, Any], None],
        lost: Callable[[ChecksElsewhere], None],
    ) -> None:
        self._jobs, self._came = tuple(jobs), came
        self.left = dict(enumerate(jobs))
        """The jobs that have not ended, by their place."""
        self._ghosts = {kind: dict(enumerate(each.ghosts)) for kind, each in earlier.items()}
        self.run = elsewhere.run(slot, title, jobs, self._take, lambda: lost(self), through=self._together)
        self._tell()

    def drop(self, alike: Callable[[CheckJob], bool]) -> None:
        """Wait no longer for some of the jobs."""
        self.left = {place: job for place, job in self.left.items() if not alike(job)}
        if not self.left:
            self.run.cancel()

    def _take(self, place: int, answer: Any) -> None:
        job = self.left.pop(place, None)
        if job is not None:
            self._tell()
            self._came(job, answer)

    def _tell(self) -> None:
        self.run.tell(len(self._jobs) - len(self.left), len(self._jobs))

    def _together(self, place: int, answer: Any) -> Any:
        """Join a run of stability to those that came before it."""
        job = self._jobs[place]
        if not (isinstance(job, StabilityJob) and isinstance(answer, Stability)):
            return answer
        ghosts = self._ghosts.setdefault(job.kind, {})
        ghosts[job.number or 0] = answer.ghosts[-1]
        return stability_of(job.shown, job.kind, [ghosts[n] for n in sorted(ghosts)], answer.score_name)
