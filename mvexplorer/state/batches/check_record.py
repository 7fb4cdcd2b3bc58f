"""Findings of null tests and stability as plain data beside a panel's result, for exports and captions."""

from __future__ import annotations

from typing import Any

from mvexplorer.state.batches.check_words import moved_words
from mvexplorer.state.batches.checks import Checks, Found
from mvexplorer.state.batches.tuner import Tuner
from mvexplorer.state.document.document import Change
from mvexplorer.state.pictures.controller import Controller

Record = dict[str, Any]
OWN = "own epsilon"


class CheckRecords:
    """Keeps each panel's result in step with its checks, and with why it has an ε of its own."""

    def __init__(self, checks: Checks, tuner: Tuner, controller: Controller) -> None:
        self._checks, self._tuner, self._controller = checks, tuner, controller
        checks.changed.connect(self._keep)
        tuner.changed.connect(self._keep_all)
        controller.document.changed.connect(self._document_changed)
        controller.panel_changed.connect(self._panel_changed)

    def _keep_all(self) -> None:
        for panel in [*self._controller.results]:
            self._keep(panel)

    def _document_changed(self, change: Change) -> None:
        before, after = change.before, change.after
        same = before.panels is after.panels and before.views is after.views and before.params is after.params
        if not change.interactive and not (same and before.epsilon_scale == after.epsilon_scale):
            for panel in [*self._controller.results]:
                self._panel_changed(panel)

    def _panel_changed(self, panel: str) -> None:
        """Follow the picture of a panel that has, or had, an ε of its own, once it rests."""
        result = self._controller.results.get(panel)
        if result is None or result.result is None or result.status != "ready":
            return
        moving = result.result.prepared or result.result.request.interactive
        if moving:
            return
        if OWN in result.checks or self._own_epsilon(panel):
            self._keep(panel)

    def _own_epsilon(self, id: str) -> Record:
        panel = self._controller.document.state.find_panel(id)
        own = None if panel is None else self._tuner.own(panel)
        if panel is None or own is None or own.scale.factor != panel.epsilon_scale:
            return {}
        return {OWN: [own.as_check()]}

    def _keep(self, panel: str) -> None:
        if panel in self._controller.results:
            answers, result = self._checks.of(panel), self._controller.result(panel)
            stability = answers.stability.get("parts") if answers.present else None
            record = {**check_record(answers), **self._own_epsilon(panel)}
            if result.keep_checks(record, None if stability is None else stability.spread):
                self._controller.panel_changed.emit(panel)


def check_record(answers: Found) -> Record:
    """The findings for the present picture; empty where there are none."""
    if not answers.present:
        return {}
    null = [
        {
            "view": band.view or None,
            "score": band.score_name,
            "real": band.real,
            "shuffled": band.shuffled.tolist(),
            "p": band.p,
            "words": band.words,
            **({"shuffle": answers.shuffle} if band.view else {}),
        }
        for band in answers.null.values()
    ]
    stability = [
        {
            "kind": test.kind,
            "number": test.number,
            "runs": len(test.ghosts),
            "score": test.score_name,
            "scores": [float(value) for value in test.scores],
            "words": moved_words(test),
        }
        for test in answers.stability.values()
    ]
    return {name: tests for name, tests in (("null", null), ("stability", stability)) if tests}
