"""Files that another program changed are read again as the document read them; what was chosen in it stays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.datasets.loading import load_source
from mvexplorer.engine.core.maps import files_of
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import DataError, FileChangedError, MVExplorerError, SessionDataError
from mvexplorer.io.reading.files import Loaded
from mvexplorer.state.bench.message import Message
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.fresh import initial_state
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.session.carrying import carried_over
from mvexplorer.state.session.session import OpenedSession, open_session, state_for, treated


@dataclass(frozen=True)
class OpenAgainJob(Job):
    """The files of a document to be read again."""

    state: DocumentState
    data: MultiView
    """As it was read before."""

    def run(self, cache: StageCache, task: Task) -> tuple[DocumentState, MultiView]:
        """Read them. Where their views are others now, they open as new ones do."""
        loaded, data = self._read(task)
        state = self.state.asking_scales
        fresh = initial_state(loaded.data, state.source, loaded.manifest, reading=state.reading, notes=loaded.notes)
        state = updated(state, {"dropped_and_imputed": fresh.dropped_and_imputed})
        if data.view_names != tuple(view.name for view in state.views):
            return fresh, loaded.data
        if data.sample_ids == self.data.sample_ids:
            return state, data
        carried, _ = carried_over(state, self.data, fresh, data)
        point = updated(state.point, {"kept": carried.point.kept})
        return updated(state, {"selection": (), "selections": carried.selections, "point": point}), data

    def _read(self, task: Task) -> tuple[Loaded, MultiView]:
        """The files, and their data as the document uses it, where that fits them still."""
        source = self.state.source[0] if len(self.state.source) == 1 else list(self.state.source)
        how = tuple(view.preprocess for view in self.state.views)
        try:
            loaded = load_source(source, self.state.reading, task=task, preprocess=how)
            return loaded, treated(loaded.data, self.state)
        except (DataError, SessionDataError):
            loaded = load_source(source, self.state.reading, task=task)
            return loaded, loaded.data


@dataclass(frozen=True)
class OpenSnapshotJob(Job):
    """The data of a snapshot to be opened again, after other data was."""

    name: str
    state: DocumentState

    def run(self, cache: StageCache, task: Task) -> tuple[DocumentState, MultiView]:
        """Read it as the snapshot did. SessionDataError where it is gone, or has become other data."""
        state, cause = self.state, f"The data of the snapshot “{self.name}” cannot be opened"
        if not state.source:
            raise SessionDataError(f"{cause}: no file holds it.", "The snapshot stays as it is.")
        source = state.source[0] if len(state.source) == 1 else list(state.source)
        try:
            loaded = load_source(source, state.reading, task=task, preprocess=tuple(v.preprocess for v in state.views))
            data = treated(loaded.data, state)
        except (DataError, SessionDataError) as error:
            advice = "Put it back where it was; the snapshot stays as it is."
            raise SessionDataError(f"{cause}: {error.message}", advice) from None
        rows = tuple(row for row in state.selection if row < data.n_samples)
        kept = state.point.kept if (state.point.kept or 0) < data.n_samples else None
        return updated(state, {"selection": rows, "point": updated(state.point, {"kept": kept})}), data


@dataclass(frozen=True)
class OpenGivenJob(Job):
    """A session that a caller gives: a file with the data it names, or the content of one, for the present data."""

    session: str | Mapping[str, Any]
    present: DocumentState
    data: MultiView

    def run(self, cache: StageCache, task: Task) -> OpenedSession:
        """Read it. SessionError where it cannot be read, or is of other data."""
        if isinstance(self.session, str):
            return open_session(self.session)
        state, cameras, turns = state_for(self.data, self.session)
        data, how = self.data, [view.preprocess for view in state.views]
        if (how, [view.weights for view in state.views]) != (list(data.preprocess), list(data.feature_weights)):
            data = treated(data.replace(preprocess=how), updated(state, {"sonogram": None}))
        here = {name: getattr(self.present, name) for name in ("source", "reading", "sonogram")}
        return OpenedSession(updated(state, here), data, cameras, (), turns=turns)


class ChangedFiles:
    """Tells of a file of the data that another program changed, and offers to open it again.

    `tell` shows a message; `open_made` opens the state and data that a job makes.
    """

    def __init__(
        self, workbench: Workbench, tell: Callable[[Message], object], open_made: Callable[[Job], object]
    ) -> None:
        self._document, self._tell, self._open_made = workbench.document, tell, open_made
        workbench.controller.failed.connect(self._look)

    def _look(self, error: MVExplorerError) -> None:
        """Tell of an error where it is a file of the present data that was changed."""
        data = self._document.data
        if isinstance(error, FileChangedError) and data is not None and error.path in files_of(data.Xs):
            self._tell(Message("error", error.message, error.hint, (("Open again", self._open_again),)))

    def _open_again(self) -> None:
        if self._document.data is not None:
            self._open_made(OpenAgainJob(self._document.state, self._document.data))
