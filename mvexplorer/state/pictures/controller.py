"""Computes what the document shows: submits a request per panel and keeps the latest result of each.

Lives on the document's thread. The window listens to its signals; the command line waits for it to be idle.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from time import monotonic

import numpy as np
from psygnal import Signal

from mvexplorer.compute.jobs.cost import cost_of_approximation, cost_of_draft, cost_of_scores
from mvexplorer.compute.jobs.jobs import ApproximationJob, EmbedJob
from mvexplorer.compute.jobs.prepared import AnswersBetween
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.jobs.runner import Result
from mvexplorer.compute.run.blocks import BlockExecutor
from mvexplorer.compute.run.buffers import KEPT_AT_REST
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job, Outcome, Post, Progress, Scheduler, call_directly
from mvexplorer.engine.api.cost import Estimate
from mvexplorer.engine.bandwidth.table import Bandwidth, parse_bandwidth
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.spectral.alignment import Alignment
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.document.document import Change, Document
from mvexplorer.state.document.model import DocumentState, PanelState, changed_views, panel_bandwidth, panel_subject
from mvexplorer.state.document.titles import numbered_title
from mvexplorer.state.pictures.bends import COST_OF_BENDS, independence_job
from mvexplorer.state.pictures.drawing import axes_of, draw, leading_drawn
from mvexplorer.state.pictures.panel_result import PanelResult, PanelResults, Picture, Turn, answers, approximation_text
from mvexplorer.state.pictures.requests import Requests, affordable, approximates_gaussian, rules_depend_on, warmed
from mvexplorer.state.pictures.scoring import drawn_by, joined, missing_scores, truth, views_to_score
from mvexplorer.state.pictures.summaries import Summaries
from mvexplorer.state.pictures.workplace import Workplace

CLOSING = 5.0
"""Seconds allowed for workers to stop when the window closes."""


class Controller:
    """Keeps one result per panel in step with the document.

    Workers `post` closures to the document's thread; `begin` is called first on theirs. `executor` computes embeddings,
    `background` scores and bandwidth rules.
    """

    panel_changed = Signal(str)
    summary_changed = Signal(str)
    tasks_changed = Signal()
    cancelled = Signal(str)
    """A slot whose work the user stopped: it sends no result."""
    failed = Signal(MVExplorerError)

    def __init__(
        self,
        document: Document,
        post: Post = call_directly,
        executor: Executor | None = None,
        background: Executor | None = None,
        cache: StageCache | None = None,
        begin: Callable[[], None] | None = None,
    ) -> None:
        self.document = document
        self.cache = StageCache() if cache is None else cache  # an empty cache is falsy
        self._make_schedulers(post, executor, background, begin)
        self.workplace = Workplace(post, self._tasks_moved)
        self.results = PanelResults()
        self._requests = Requests()
        self.prepared = AnswersBetween(self.cache)
        """Answers that are there at once, where they lie between anchors."""
        self._rules = Summaries(document, self.background, self.summary_changed.emit)
        self.summaries = self._rules.known
        self.align = True
        self.upright = False
        """Whether pictures at rest lie on their own axes, which the words of a lesson are about."""
        self.focused: str | None = None
        """The panel that keys go to, whose answer is computed before the others'; the `Editor` sets it."""
        self.previews = False
        """Whether somebody is watching: then a first picture of many samples is a draft, until the exact one comes."""
        self.all_panels = True
        """Whether to compute the panels that a window lists only, too."""
        self._hidden: frozenset[str] = frozenset()
        self.saved: Mapping[str, Picture] = {}
        """The pictures of the session that is about to be shown, by panel."""
        self.turns: Mapping[str, Turn] = {}
        """How the session's pictures were turned, until they are drawn."""
        self._held = False
        self._step_began = 0.0
        self._dragging = False
        document.changed.connect(self._document_changed)

    def _make_schedulers(
        self, post: Post, executor: Executor | None, background: Executor | None, begin: Callable[[], None] | None
    ) -> None:
        workers = max(2, min(4, os.cpu_count() or 2))
        self.rows = BlockExecutor(os.cpu_count() or 2, begin)
        run_all = self.rows.run_all
        embed = partial(ThreadPoolExecutor, workers, "embed", begin)
        rules = partial(ThreadPoolExecutor, workers, "rules", begin)
        reader = partial(ThreadPoolExecutor, 1, "open")  # at normal priority: the user waits for it
        renew = (None if executor else embed), (None if background else rules)
        tell, fail = self._tasks_moved, self.failed.emit
        self.scheduler = Scheduler(executor or embed(), post, tell, run_all, renew[0], self.cache, fail)
        self.background = Scheduler(background or rules(), post, tell, run_all, renew[1], self.cache, fail)
        self.reading = Scheduler(reader(), post, self._tasks_moved, renew=reader)
        """Opens files, on a thread of its own: opening never waits for a computation."""
        self.writing = Scheduler(ThreadPoolExecutor(1, "write"), post, self._tasks_moved)
        """Writes files, on a thread of its own: no edit and no other data stops it."""

    # Queries by the window -------------------------------------------------------------------------------

    def result(self, panel: str) -> PanelResult:
        """The panel's result, empty where nothing was computed yet; of one that is gone nothing is kept."""
        there = panel in self.results or self.document.state.find_panel(panel) is not None
        return self.results.of(panel) if there else PanelResult()

    def tasks(self) -> tuple[Progress, ...]:
        """All running and waiting tasks."""
        return tuple(task for scheduler in self._schedulers for task in scheduler.tasks())

    @property
    def hidden(self) -> frozenset[str]:
        """The panels that compute nothing until they are seen."""
        listed = () if self.all_panels else self.document.state.rest
        return self._hidden | {panel.id for panel in listed}

    @property
    def _schedulers(self) -> tuple[Scheduler | Workplace, ...]:
        return self.scheduler, self.background, self.reading, self.writing, self.workplace

    @property
    def idle(self) -> bool:
        """Whether nothing is computed or opened."""
        return all(scheduler.idle for scheduler in self._schedulers)

    def open(self, job: Job, done: Callable[[Outcome], None]) -> None:
        """Open something now, and cancel what is still being opened."""
        self.reading.abandon()
        self.reading.submit("open", job, done, title="Opening")

    def epsilon(self, view: str) -> float | None:
        """A view's shared ε as a number, before the master slider; None until its rule is evaluated."""
        view_state = self.document.state.find_view(view)
        return None if view_state is None else self._number(parse_bandwidth(view_state.epsilon), view)

    def effective_epsilon(self, view: str) -> float | None:
        """The ε a view is computed with, the master slider included; None until its rule is evaluated."""
        state, epsilon = self.document.state, self.epsilon(view)
        return None if epsilon is None else epsilon * state.factor(view)

    def epsilon_in(self, panel: PanelState, view: str) -> float | None:
        """The ε of a view in a panel, own factor and pin included; None until its rule is evaluated."""
        bandwidth = panel_bandwidth(self.document.state, panel, view)
        epsilon, shown = self._number(bandwidth, view), self.result(panel.id).result
        if epsilon is not None or shown is None:
            return epsilon
        # A pinned rule that is nobody's shared one: what its picture was computed with.
        used = zip(shown.request.views, shown.request.epsilon, shown.embedding.epsilon, strict=False)
        return next((float(e) for name, given, e in used if name == view and given == bandwidth), None)

    def median(self, view: str) -> float | None:
        """Median squared distance of a view, once known."""
        return self.summaries[view].median if view in self.summaries else None

    def _number(self, bandwidth: Bandwidth, view: str) -> float | None:
        if bandwidth.rule_text is None:
            return bandwidth.factor
        value = self.summaries[view].rules.get(bandwidth.rule_text) if view in self.summaries else None
        return bandwidth.factor * value if isinstance(value, float) else None

    def coordinates(self) -> dict[str, Array]:
        """Each panel's computed coordinates (M, r), for colouring by them."""
        return {id: r.result.embedding.coordinates for id, r in self.results.items() if r.result is not None}

    # Commands by the window ------------------------------------------------------------------------------

    def hide(self, panels: Iterable[str]) -> None:
        """Hide panels: hidden ones compute nothing, and catch up when shown again."""
        self._hidden = frozenset(panels)
        for id in self.hidden & set(self.results):
            if self.results[id].status == "computing":
                self.scheduler.cancel(id)
                self.results[id].ask_again()  # when the panel is seen again
        self.refresh()

    def cancel(self, slot: str) -> None:
        """Stop one task and keep its panel's last picture."""
        for scheduler in self._schedulers:
            scheduler.cancel(slot)
        self.cancelled.emit(slot)
        if slot in self.results and self.results[slot].cancel():
            self.panel_changed.emit(slot)

    def retry(self, panel: str) -> None:
        """Recompute a panel that failed or was cancelled."""
        self.result(panel).ask_again()
        self.refresh()

    def end_drag(self) -> None:
        """The drag ended: stop steps under way and compute its last position."""
        self.scheduler.release()
        self.refresh()

    def on_idle(self) -> None:
        """No edit is under way: replace drafts by exact results, then ask for scores, then for what is less urgent."""
        self.cache.buffers.release(KEPT_AT_REST)
        self.refresh()
        self._ask_scores()
        if not any(r.status == "computing" and r.request is not None for r in self.results.values()):
            self._rules.ask_rest()
        self._ask_independence()

    def shutdown(self) -> None:
        """Stop all work; no result arrives afterwards."""
        self.document.changed.disconnect(self._document_changed)
        for scheduler in self._schedulers:
            scheduler.cancel_all()
        end = monotonic() + CLOSING
        for scheduler in self._schedulers:
            scheduler.shutdown(max(0.0, end - monotonic()))
        self.rows.shutdown()

    def wait_idle(self, timeout: float | None = None) -> bool:
        """Block until all requests are computed; False on a time-out."""
        return self.scheduler.wait_idle(timeout) and self.background.wait_idle(timeout)

    # Following the document -------------------------------------------------------------------------------

    def _document_changed(self, change: Change) -> None:
        if change.data_changed:
            self._data_changed(change)
        asks = change.data_changed or self._rules_changed(change)
        self._forget_closed(change.after)
        with self.scheduler.together():
            self.refresh(interactive=change.interactive)
        if asks:
            self._rules.ask()
        if change.before.colour != change.after.colour:
            self._ask_scores()

    def _rules_changed(self, change: Change) -> bool:
        """True if rules have to be evaluated again, or more of them."""
        if rules_depend_on(change.before) != rules_depend_on(change.after):
            for before, after in zip(change.before.views, change.after.views, strict=True):
                if before.kernel != after.kernel:
                    self.summaries.pop(after.name, None)
            return True
        return any(self._rules.lacks(view) for view in changed_views(change.before, change.after))

    def _data_changed(self, change: Change) -> None:
        for scheduler in (self.scheduler, self.background):
            if change.samples_changed:
                scheduler.abandon()
            else:
                scheduler.cancel_all()
        self.summaries.clear()
        self._requests = Requests()  # the former ones hold the former data
        self.prepared.forget()
        self.cache.buffers.release()
        if change.kept_in is not None:
            change.kept_in[self] = self.results.settled()
        if change.samples_changed:
            self.results.clear()
        if change.brought is not None:
            self.results.update(change.brought.get(self, {}))
            for panel in [*self.results]:
                self.panel_changed.emit(panel)
        self._show_saved(change.after)

    def _show_saved(self, state: DocumentState) -> None:
        """Show the pictures that were saved with the session; computing them replaces them."""
        pictures, self.saved, turns, self.turns = self.saved, {}, self.turns, {}
        for panel in state.panels:
            if panel.id in turns:
                self.result(panel.id).restore_turn(axes_of(panel), np.array(turns[panel.id]))
            picture = pictures.get(panel.id)
            if picture is not None and answers(picture.embedding, panel):
                with suppress(MVExplorerError):
                    request, result = self.request_for(panel), self.result(panel.id)
                    shown = Result(request, picture.embedding, picture.seconds, 0)
                    result.restore(shown, panel_subject(state, panel), picture.scores)
                    draw(panel, result, self._laid(interactive=False))
                    self.panel_changed.emit(panel.id)

    def _forget_closed(self, state: DocumentState) -> None:
        for id in set(self.results) - {p.id for p in state.panels}:
            self.cancel(id)
            self._stop_scoring(id)
            self.results.close(id)

    def refresh(self, *, interactive: bool = False) -> None:
        """Request the results that visible panels lack.

        During a drag (`interactive`) all panels take their steps together, so that they show the same ε and share its
        kernels. The next step begins when the last panel has finished.
        """
        # What is prepared costs no more than a frame, and waits for nobody.
        drawn = {panel.id for panel in self.document.state.panels if interactive and self._draw_prepared(panel)}
        self._held = interactive and self._step_under_way()
        if self._held:
            return
        self._step_began = monotonic()
        begins, self._dragging = interactive and not self._dragging, interactive
        hidden = self.hidden
        # The panel in focus first, then those that take longest, so that no worker waits for one that began last.
        panels = sorted(self.document.state.panels, key=lambda p: (p.id != self.focused, -self.result(p.id).seconds))
        for panel in (p for p in panels if p.id not in drawn):
            if begins and self._step_under_way():
                self._held = True  # a drag begins in the panel in focus; the others follow when that has its picture
                return
            if panel.id not in hidden:
                self._refresh_panel(panel, interactive)
            else:
                self.result(panel.id).show_only(panel_subject(self.document.state, panel))

    def _step_under_way(self) -> bool:
        """Whether drafts are being computed that others still wait for (for half a second at most)."""
        longest = 0.5  # seconds for which panels wait for each other during a drag
        if monotonic() - self._step_began > longest:
            return False
        results = (self.results[p.id] for p in self.document.state.panels if p.id in self.results)
        return any(r.status == "computing" and r.request is not None and r.request.interactive for r in results)

    def _refresh_panel(self, panel: PanelState, interactive: bool) -> None:
        result, subject = self.result(panel.id), panel_subject(self.document.state, panel)
        bare = result.show_only(subject)
        first = result.result is None
        if first and interactive and result.status == "computing":
            result.ask_again()  # when the first picture is there: a drag never restarts that
            return
        try:
            request = self.request_for(panel)
            preview = first and self.previews
            request = warmed(request, result.former, interactive=interactive, preview=preview)
            cost = affordable(request, self.scheduler.memory)
        except MVExplorerError as error:
            self.scheduler.cancel(panel.id)
            result.refuse(error)
            self.panel_changed.emit(panel.id)
            self.failed.emit(error)
            return
        if result.answers(request):
            self._redraw(panel, result, interactive)
            return
        news = result.begin(request, cost, self.scheduler.memory) or bare
        self._stop_scoring(panel.id)
        self.scheduler.submit(
            panel.id,
            EmbedJob(request),
            lambda outcome: self._finished(panel.id, subject, request, outcome, preview),
            title=numbered_title(self.document.state, panel),
            interactive=interactive,
            cost=cost_of_draft(request, self.scheduler.memory, cost) if request.interactive else cost,
        )
        if news:  # a drag refreshes sixty times a second: announce once
            self.panel_changed.emit(panel.id)

    def _draw_prepared(self, panel: PanelState) -> bool:
        """Draw a step of a drag at once, where it is prepared. False where it has to be computed."""
        result, subject = self.result(panel.id), panel_subject(self.document.state, panel)
        if panel.id in self.hidden or result.result is None or result.subject != subject:
            return False
        try:
            request = self.request_for(panel)
        except MVExplorerError:
            return False
        if result.answers(replace(request, interactive=True)):
            return result.status == "ready"
        answer = self.prepared.answer(request, leading_drawn(panel, request.plan))
        if answer is None:
            return False
        self.scheduler.cancel(panel.id)
        self._stop_scoring(panel.id)
        result.step(answer, subject)
        draw(panel, result, self._laid(interactive=True))
        self.panel_changed.emit(panel.id)
        return True

    def approximates(self, panel: str) -> bool:
        """Whether the panel's picture approximates that of dense kernels, so that the error can be measured."""
        result = self.result(panel).result
        return result is not None and approximates_gaussian(result.request)

    def ask_approximation(self, panel: str) -> None:
        """Compare the panel's picture with that of dense kernels, on a random part of the samples."""
        result, shown = self.result(panel).result, self.document.state.find_panel(panel)
        if shown is None or result is None or not approximates_gaussian(result.request):
            return

        def keep(current: PanelResult, outcome: Outcome) -> bool:
            current.keep_approximation(approximation_text(outcome))
            return True

        cost = cost_of_approximation(result.request, self.scheduler.memory)
        self._ask_about(shown, f"error:{panel}", "Error", ApproximationJob(result.request), cost, keep)

    def set_memory(self, limit: int) -> None:
        """Set the bytes that a computation's matrices and cached results may take."""
        self.cache.limit = limit
        self.cache.ledger.set_limit(limit)
        self.refresh()

    def request_for(self, panel: PanelState) -> Request:
        """A panel's frozen request; if there is none, raises an error for the user."""
        return self._requests.of(self.document.state, self.document.data, panel)

    def _finished(self, id: str, subject: tuple[str, ...], request: Request, outcome: Outcome, preview: bool) -> None:
        panel = self.document.state.find_panel(id)
        if panel is None or subject != panel_subject(self.document.state, panel):
            return
        result = self.result(id)
        current = result.request == request
        if outcome.error is not None:
            if current:
                result.fail(outcome.error)
                self.panel_changed.emit(id)
            return
        result.arrive(outcome.value, subject, current=current)
        draw(panel, result, self._laid(request.interactive))
        if id not in self.hidden and ((current and preview and request.interactive) or result.request is None):
            self._refresh_panel(panel, interactive=not current)
        self.panel_changed.emit(id)
        if self._held and not self._step_under_way():
            self.refresh(interactive=True)

    def _redraw(self, panel: PanelState, result: PanelResult, interactive: bool) -> None:
        """Draw the same embedding, maybe with other axes."""
        if result.result is not None and draw(panel, result, self._laid(interactive)):
            self.panel_changed.emit(panel.id)

    def _laid(self, interactive: bool) -> Alignment:
        """How a picture is laid onto the one before it."""
        if self.upright and not interactive:
            return "sign"
        return "similarity" if self.align else "none"

    # Scores -----------------------------------------------------------------------------------------------

    def _ask_scores(self) -> None:
        """Compute the scores that panels lack; those of a variable that is no longer asked for are dropped."""
        state, data = self.document.state, self.document.data
        if data is None:
            return
        (labels, variable), views = truth(state, data), views_to_score(state, data)
        for panel in state.panels:
            result, hidden = self.result(panel.id), drawn_by(panel, variable)
            if result.drop_hidden(hidden) | result.drop_free(views):
                self.panel_changed.emit(panel.id)
            if result.status != "ready" or result.result is None:
                continue
            if job := missing_scores(result.scores, result.result.embedding, data, (labels, hidden), views):
                cost = cost_of_scores(*job.embedding.coordinates.shape)
                self._ask_about(panel, f"score:{panel.id}", "Scores", job, cost, _keep_scores)

    def _stop_scoring(self, id: str) -> None:
        for slot in ("score", "nearby"):
            self.background.cancel(f"{slot}:{id}")

    def ask_nearby(self) -> None:
        """Tell how far samples move with ε, where pictures are scored by nothing else than their views."""
        state, data = self.document.state, self.document.data
        if data is None or any(each is not None for each in truth(state, data)):
            return
        for panel in state.panels:
            result = self.result(panel.id)
            if result.status == "ready" and (job := result.ask_nearby()) is not None:
                cost = job.request.plan.cost(self.scheduler.memory)
                self._ask_about(panel, f"nearby:{panel.id}", "Other ε", job, cost, _keep_shift)

    def _ask_independence(self) -> None:
        """Find which coordinates of the pictures at rest are bends of earlier ones."""
        for panel in self.document.state.panels:
            result = self.result(panel.id)
            if job := independence_job(panel, result):
                keep, slot = partial(_keep_bends, result.independence_key), f"independence:{panel.id}"
                self._ask_about(panel, slot, "Independent coordinates", job, COST_OF_BENDS, keep)

    def _ask_about(
        self,
        panel: PanelState,
        slot: str,
        what: str,
        job: Job,
        cost: Estimate,
        keep: Callable[[PanelResult, Outcome], bool],
    ) -> None:
        """Compute something of a panel's picture; keep the answer, and tell of it, while the panel has that picture."""
        result, title = self.result(panel.id).result, f"{what} of {numbered_title(self.document.state, panel)}"

        def arrived(outcome: Outcome) -> None:
            current = self.results.get(panel.id)
            if current is not None and current.result is result and keep(current, outcome):
                self.panel_changed.emit(panel.id)

        self.background.submit(slot, job, arrived, title=title, cost=cost)

    def _tasks_moved(self) -> None:
        self.tasks_changed.emit()


def _keep_scores(result: PanelResult, outcome: Outcome) -> bool:
    if outcome.error is None:
        result.keep_scores(joined(result.scores, outcome.value))
    return outcome.error is None


def _keep_shift(result: PanelResult, outcome: Outcome) -> bool:
    if outcome.error is None:
        result.keep_shift(outcome.value)
    return outcome.error is None


def _keep_bends(key: tuple[object, ...], result: PanelResult, outcome: Outcome) -> bool:
    """Keep them, unless the panel shows other coordinates of the picture meanwhile."""
    known = outcome.error is None and result.independence_key == key
    if known:
        result.keep_bends(key, outcome.value)
    return known
