"""Shared structure of the views of a panel's picture, computed on request.

Lives on the document's thread; needs no labels. An answer is kept until it is asked for again, so that it fits once
more where the user comes back to its settings.
"""

from __future__ import annotations

from mvexplorer.compute.jobs.common_job import CommonJob
from mvexplorer.compute.jobs.request import Request
from mvexplorer.engine.analysis.common import InCommon
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.batches.check_words import shuffles
from mvexplorer.state.batches.checks import order_of
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.titles import numbered_title
from mvexplorer.state.pictures.answers import Answers, Question
from mvexplorer.state.pictures.controller import Controller


class CommonStructure:
    """The views of each panel's picture, pair by pair; shuffled in the way chosen for permutation tests."""

    def __init__(self, controller: Controller) -> None:
        self._controller, self._document = controller, controller.document
        self._answers = Answers(controller)
        self._requests: dict[str, Request] = {}
        self.changed = self._answers.changed
        controller.panel_changed.connect(self._panel_changed)
        controller.document.changed.connect(self._document_changed)

    def of(self, panel: str) -> InCommon | str | None:
        """How far the views of a panel's picture agree, a sentence if that failed, or None if it is not known."""
        answer = self._answers.current(panel, (self._request(panel), self._shuffle))
        return None if answer is None else answer.value if answer.error is None else str(answer.error)

    def former(self, panel: str) -> InCommon | None:
        """How far they agreed at other settings, where that is all that is known."""
        answer = self._answers.of(panel)
        return None if answer is None or self.of(panel) is not None else answer.value

    def running(self, panel: str) -> bool:
        """Whether a panel's answer is on its way."""
        return self._answers.waits(panel)

    def ask(self, panel: str) -> None:
        """Compute a panel's answer where it is lacking."""
        request, shuffle, data = self._request(panel), self._shuffle, self._document.data
        shown = self._document.state.find_panel(panel)
        if request is None or data is None or shown is None or len(request.plan.views) == 1:
            return
        self._requests[panel] = request
        job = CommonJob(request, order_of(shuffle, data))
        title = f"Shared structure of {numbered_title(self._document.state, shown)}"
        cost = job.cost(self._controller.scheduler.memory)
        self._answers.ask(Question(panel, (request, shuffle), job, title, cost, f"common:{panel}"))
        self.changed.emit(panel)

    def stop(self, panel: str) -> None:
        """Stop computing a panel's answer."""
        self._answers.stop(panel)

    @property
    def _shuffle(self) -> str:
        chosen, data = self._document.state.checks.shuffle, self._document.data
        return chosen if data is not None and chosen in shuffles(data) else "rows"

    def _request(self, panel: str) -> Request | None:
        """The panel's present request: that which is or was answered, where they are equal."""
        shown, answer = self._document.state.find_panel(panel), self._answers.of(panel)
        earlier = (self._requests.get(panel), None if answer is None else answer.basis[0])
        try:
            request = None if shown is None else self._controller.request_for(shown)
        except MVExplorerError:
            return None
        return next((former for former in earlier if former == request), request)

    def _panel_changed(self, panel: str) -> None:
        """Compute no longer what is about former settings."""
        if self._answers.waits(panel) and self._request(panel) is not self._requests.get(panel):
            self._answers.drop_job(panel)
            self.changed.emit(panel)

    def _document_changed(self, change: Change) -> None:
        if change.data_changed:
            self._requests.clear()
