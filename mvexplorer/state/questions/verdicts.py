"""Verdicts on each view's ε, in a word while it moves and in a sentence at rest.

Lives on the document's thread, beside the controller, whose background workers and cache it uses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from psygnal import Signal

from mvexplorer.compute.jobs.cost import cost_of_curves
from mvexplorer.compute.jobs.verdict_jobs import LimitsJob, RegimesJob
from mvexplorer.engine.bandwidth.curves import DECADES
from mvexplorer.engine.bandwidth.limits import Limits
from mvexplorer.engine.bandwidth.regimes import Regime, Word
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.kernels.affinities import Kernel
from mvexplorer.state.document.model import panel_kernel
from mvexplorer.state.pictures.answers import Answers, Question
from mvexplorer.state.pictures.controller import Controller

MOST = 32
"""Views in use beyond which none is judged: it would take longer than anybody looks."""
ALL = ""
"""The key of the verdicts about all views in use."""


@dataclass(frozen=True)
class ViewVerdict:
    """The verdict on one view, as far as it is known: the `word` follows a hand, the `regime` is there at rest.

    `track` has the words along the view's slider, in medians of its squared distance.
    """

    word: Word | None = None
    track: tuple[tuple[float, float, Word], ...] = ()
    regime: Regime | None = None


class Verdicts:
    """Judges the views in use once the hand rests: `ask` is called then."""

    changed = Signal(str)
    """More is known of a view, or of all where it is empty."""

    def __init__(self, controller: Controller) -> None:
        self._controller, self._document = controller, controller.document
        self._answers = Answers(controller)
        self._answers.changed.connect(lambda key: self.changed.emit(str(key)))

    def ask(self) -> None:
        """Judge the views in use, and find where along their sliders the verdicts change, unless that is known."""
        data, kernels = self._document.data, self._kernels()
        if data is None or len(kernels) > MOST:
            return
        by_index = {data.view_index(name): kernel for name, kernel in kernels.items()}
        for name, kernel in kernels.items():
            if kernel.kind.uses_epsilon:
                index = data.view_index(name)
                job, cost = LimitsJob(data, by_index, index), cost_of_curves(data, by_index, index)
                title, slot = f"Verdicts along ε of {name}", f"limits:{name}"
                self._answers.ask(Question(name, (data, kernel.text), job, title, cost, slot))
        epsilon, basis = self._epsilon(kernels), self._basis_of_all()
        if epsilon:  # a view whose rule has no value has no ε
            texts = {name: kernels[name].text for name in epsilon}
            job_of_all = RegimesJob(data, epsilon, texts, self._document.state.random_state)
            cost = max((cost_of_curves(data, by_index, i) for i in by_index), key=lambda one: one.bytes)
            self._answers.ask(Question(ALL, basis, job_of_all, "Verdicts on bandwidths", cost, "verdicts"))

    def of(self, view: str) -> Regime | None:
        """The verdict about a view; None until it is known of the present bandwidths."""
        return self._found().get(view)

    def now(self) -> dict[str, ViewVerdict]:
        """The verdicts on the views in use, by name; cheap enough for every step of a drag."""
        data, kernels = self._document.data, self._kernels()
        epsilon, found = self._epsilon(kernels), self._found()
        known = {name: limits for name in kernels if (limits := self._limits(name, data, kernels)) is not None}
        contrasts = [(limits.contrast(epsilon[name]), name) for name, limits in known.items() if name in epsilon]
        largest = sorted(contrasts, reverse=True)[:2]
        verdicts = {}
        for name in kernels:
            regime, limits = found.get(name), known.get(name)
            word, track = None if regime is None else regime.regime, tuple[tuple[float, float, Word], ...]()
            if limits is not None:
                strongest = max((contrast for contrast, other in largest if other != name), default=0.0)
                low, high = (limits.median * 10.0**decade for decade in DECADES)
                ranges = limits.ranges(strongest, low, high)
                track = tuple((a / limits.median, b / limits.median, each) for a, b, each in ranges)
                if word is None and name in epsilon:
                    word = limits.word(epsilon[name], limits.flat_above(strongest))
            verdicts[name] = ViewVerdict(word, track, regime)
        return verdicts

    def along_all(self, low: float, high: float) -> tuple[tuple[float, float, Word], ...]:
        """The gravest verdict on the views in use from one factor on all ε to another; empty until all are known.

        Wide is grave where every view is: joined pictures live on the others.
        """
        data, kernels, state = self._document.data, self._kernels(), self._document.state
        known = {name: self._limits(name, data, kernels) for name, k in kernels.items() if k.kind.uses_epsilon}
        each = {name: limits for name, limits in known.items() if limits is not None}
        epsilon = self._epsilon(kernels)
        if not each or len(each) < len(known) or not each.keys() <= epsilon.keys():
            return ()
        linked = {view.name for view in state.views if view.linked}
        here, steps, found = state.epsilon_scale, 96, list[tuple[float, float, Word]]()
        ends = np.geomspace(low, high, steps + 1).tolist()
        for a, b in pairwise(ends):
            factor = (a * b) ** 0.5 / here
            there = {name: epsilon[name] * (factor if name in linked else 1.0) for name in each}
            word = _gravest(each, there)
            before = found.pop() if found and found[-1][2] == word else (a, b, word)
            found.append((before[0], b, word))
        return tuple(found)

    def _found(self) -> dict[str, Regime]:
        answer = self._answers.current(ALL, self._basis_of_all())
        return {} if answer is None or answer.value is None else {regime.view: regime for regime in answer.value}

    def _limits(self, view: str, data: MultiView | None, kernels: dict[str, Kernel]) -> Limits | None:
        answer = self._answers.current(view, (data, kernels[view].text))
        return None if answer is None else answer.value

    def _kernels(self) -> dict[str, Kernel]:
        data, state = self._document.data, self._document.state
        present = () if data is None else data.view_names
        return {name: panel_kernel(state, None, name) for name in state.enabled if name in present}

    def _epsilon(self, kernels: dict[str, Kernel]) -> dict[str, float]:
        """The ε of the views in use, of those of which it is known; 1 where it has no effect."""
        each = {
            name: self._controller.effective_epsilon(name) if kernel.kind.uses_epsilon else 1.0
            for name, kernel in kernels.items()
        }
        return {name: epsilon for name, epsilon in each.items() if epsilon is not None}

    def _basis_of_all(self) -> tuple[Any, ...]:
        kernels = self._kernels()
        texts = {name: kernel.text for name, kernel in kernels.items()}
        return self._document.data, self._epsilon(kernels), texts, self._document.state.random_state


def _gravest(each: Mapping[str, Limits], epsilon: Mapping[str, float]) -> Word:
    """The gravest verdict on views at these ε; wide only where all are."""
    contrasts = {name: limits.contrast(epsilon[name]) for name, limits in each.items()}
    words = set[Word]()
    for name, limits in each.items():
        strongest = max((contrast for other, contrast in contrasts.items() if other != name), default=0.0)
        words.add(limits.word(epsilon[name], limits.flat_above(strongest)))
    if words == {"wide"}:
        return "wide"
    return next((word for word in ("isolated", "flat") if word in words), "local")
