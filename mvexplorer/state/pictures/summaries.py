"""The facts of each view that the bandwidth sliders show: the unit of their axis, and where the rules lie on it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from mvexplorer.compute.jobs.cost import cost_of_rules
from mvexplorer.compute.jobs.jobs import RulesJob
from mvexplorer.compute.jobs.runner import BandwidthSummary
from mvexplorer.compute.run.scheduler import Outcome, Scheduler
from mvexplorer.engine.bandwidth.table import bandwidth_rules, parse_bandwidth
from mvexplorer.engine.kernels.affinities import Kernel
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.model import ViewState, panel_kernel

AT_ONCE = 32
"""Most jobs handed to the scheduler at a time: there can be hundreds of views, and the window is deaf meanwhile."""


@dataclass(frozen=True)
class _Asked:
    """Rules asked for of one view."""

    view: str
    others: dict[int, Kernel]
    """The kernels of the ticked views, with which some rules compare it."""
    rules: tuple[str, ...]
    slot: str


class Summaries:
    """Asks for the rules of every view: the quick ones of ticked views at once, all others when there is time.

    `background` runs the rules; `changed` is called with the name of a view of which more is known.
    """

    def __init__(self, document: Document, background: Scheduler, changed: Callable[[str], None]) -> None:
        self._document, self._background, self._changed = document, background, changed
        self.known: dict[str, BandwidthSummary] = {}
        self._generations: dict[str, int] = {}
        """The generation of the answer that is known of each view."""
        self._now: deque[_Asked] = deque()
        """Questions whose answers are needed now, handed over as jobs end."""
        self._later: list[_Asked] = []

    def lacks(self, view: ViewState) -> bool:
        """Whether a view's ε comes from a rule, with or without parameters, not evaluated yet."""
        rule = parse_bandwidth(view.epsilon).rule_text
        return rule is not None and view.name in self.known and rule not in self.known[view.name].rules

    def _rules_in_use(self, view: ViewState) -> set[str]:
        """The rules by which the document, and panels of their own, have this view's ε."""
        pinned = (panel.pins.get(f"epsilon:{view.name}") for panel in self._document.state.panels)
        rules = (parse_bandwidth(given).rule_text for given in (view.epsilon, *pinned) if given is not None)
        return {rule for rule in rules if rule is not None}

    def ask(self) -> None:
        """Ask for what is needed now, and note what `ask_rest` will ask for."""
        data, state = self._document.data, self._document.state
        if data is None:
            return
        quick = tuple(r.id for r in bandwidth_rules() if not r.slow)
        rules = [r for r in bandwidth_rules() if r.unasked and (len(state.enabled) > 1 or not r.compares_views)]
        many = 3000  # beyond this Algorithm 1's 61 kernel evaluations run only on request
        unasked = {r.id for r in rules} if data.n_samples <= many else set()
        kernels = {data.view_index(name): panel_kernel(state, None, name) for name in state.enabled}
        now: list[_Asked] = []
        slow_ones: list[_Asked] = []
        unticked: list[_Asked] = []
        for view in state.views:
            self._background.cancel(f"rules:{view.name}")
            summary, slow = f"summary:{view.name}", f"rules:{view.name}"
            (now if view.enabled else unticked).append(_Asked(view.name, kernels, quick, summary))
            if not view.enabled:
                continue
            # Of the slow rules: those in use and, on small data, those that take about a second.
            used = self._rules_in_use(view).difference(quick)
            if used:
                now.append(_Asked(view.name, kernels, (*quick, *sorted(unasked | used)), slow))
            elif unasked:
                slow_ones.append(_Asked(view.name, kernels, (*quick, *sorted(unasked)), slow))
        self._now, self._later = deque(now), [*slow_ones, *unticked]
        self._go_on()

    def ask_rest(self) -> None:
        """Ask for the slow rules, and for the views that are not ticked: pictures and scores are there."""
        self._now.extend(self._later)
        self._later = []
        self._go_on()

    def _go_on(self) -> None:
        """Hand over what is needed, as far as there is room."""
        slots = ("summary:", "rules:")
        under_way = sum(task.slot.startswith(slots) for task in self._background.tasks())
        for _ in range(AT_ONCE - under_way):
            try:
                question = self._now.popleft()
            except IndexError:  # not tested beforehand: an answer that comes at once hands over the next itself
                return
            self._submit(question)

    def _submit(self, question: _Asked) -> None:
        view, rules = question.view, question.rules
        data, state = self._document.data, self._document.state
        if data is None or view not in data.view_names:
            return
        index = data.view_index(view)
        kernels = question.others | {index: panel_kernel(state, None, view)}

        def arrived(outcome: Outcome) -> None:
            now = self._document.state.find_view(view)
            same = self._document.data is data and now is not None and now.kernel == state.view(view).kernel
            # Two workers may finish in either order: the quick rules, asked for first, never replace those of all.
            newer = outcome.generation > self._generations.get(view, 0)
            if same and newer and isinstance(outcome.value, BandwidthSummary):
                self.known[view], self._generations[view] = outcome.value, outcome.generation
                self._changed(view)
            self._go_on()

        cost = cost_of_rules(data, kernels, index, rules)
        job = RulesJob(data, kernels, index, rules)
        self._background.submit(question.slot, job, arrived, title=f"Bandwidth rules of {view}", cost=cost)
