"""Findings of null tests and stability as plain data beside a panel's result, for exports and captions."""

from __future__ import annotations

from typing import Any

from mvexplorer.state.batches.check_words import moved_words
from mvexplorer.state.batches.checks import Checks, Found
from mvexplorer.state.pictures.controller import Controller

Record = dict[str, Any]


class CheckRecords:
    """Keeps each panel's result in step with its checks."""

    def __init__(self, checks: Checks, controller: Controller) -> None:
        self._checks, self._controller = checks, controller
        checks.changed.connect(self._keep)

    def _keep(self, panel: str) -> None:
        if panel in self._controller.results:
            answers, result = self._checks.of(panel), self._controller.result(panel)
            stability = answers.stability.get("parts") if answers.present else None
            if result.keep_checks(check_record(answers), None if stability is None else stability.spread):
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
