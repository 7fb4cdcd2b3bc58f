"""Findings of null tests and stability as plain data beside a panel's result, for exports and captions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mvexplorer.state.check_words import moved_words

if TYPE_CHECKING:
    from mvexplorer.state.checks import Checks, Found
    from mvexplorer.state.controller import Controller

    Record = dict[str, Any]


class CheckRecords:
    """Keeps each panel's result in step with its checks."""

    def __init__(self, checks: Checks, controller: Controller) -> None:
        self._checks, self._controller = checks, controller
        checks.changed.connect(self._keep)

    def _keep(self, panel: str) -> None:
        if panel in self._controller.results:
            found, result = self._checks.of(panel), self._controller.result(panel)
            known = found.stability.get("parts") if found.present else None
            former, result.checks = result.spread, check_record(found)
            result.spread = None if known is None else known.spread
            if result.spread is not former:
                self._controller.panel_changed.emit(panel)


def check_record(found: Found) -> Record:
    """The findings for the present picture; empty where there are none."""
    if not found.present:
        return {}
    null = [
        {
            "view": band.view or None, "score": band.score_name, "real": band.real, "shuffled": band.shuffled.tolist(),
            "p": band.p, "words": band.words, **({"shuffle": found.shuffle} if band.view else {}),
        }
        for band in found.null.values()
    ]  # fmt: skip
    stability = [
        {"kind": known.kind, "number": known.number, "runs": len(known.ghosts), "score": known.score_name,
         "scores": [float(value) for value in known.scores], "words": moved_words(known)}
        for known in found.stability.values()
    ]  # fmt: skip
    return {name: told for name, told in (("null", null), ("stability", stability)) if told}
