"""The seven checks of a panel as lines: what is known of each, how it stands, and what can be run."""

from __future__ import annotations

from collections.abc import Mapping

from mvexplorer.compute.jobs.neighbour_jobs import Kept
from mvexplorer.engine.analysis.agreement import NEIGHBOURS
from mvexplorer.engine.bandwidth.regimes import Regime
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.methods import get_method
from mvexplorer.state.batches.check_rules import (
    KIND_NAMES,
    CheckId,
    CheckLine,
    CheckVerdict,
    common_verdict,
    conclusion,
    coordinates_verdict,
    neighbours_verdict,
    outliers_verdict,
    permutation_verdict,
    pieces_verdict,
    stability_verdict,
)
from mvexplorer.state.batches.check_runs import bands_of, button_words, runs_there, runs_wanted
from mvexplorer.state.batches.check_words import null_outdated, reason_against, shuffles
from mvexplorer.state.batches.checks import Checks, Found
from mvexplorer.state.batches.common_structure import CommonStructure
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.state.pictures.bends import can_have_harmonics
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.drawing import shown_names
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.state.questions.neighbour_table import NeighbourTable
from mvexplorer.state.questions.verdicts import Verdicts
from mvexplorer.wording import counted

EARLIER = "for earlier settings"


class CheckList:
    """Reads what others have computed; it computes nothing itself."""

    def __init__(
        self,
        controller: Controller,
        checks: Checks,
        common: CommonStructure,
        neighbours: NeighbourTable,
        verdicts: Verdicts,
    ) -> None:
        self._controller, self._document = controller, controller.document
        self._checks, self._common, self._neighbours, self._verdicts = checks, common, neighbours, verdicts

    def of(self, panel: str) -> tuple[CheckLine, ...]:
        """The lines about a panel; none without data or panel."""
        shown, data = self._document.state.find_panel(panel), self._document.data
        if shown is None or data is None:
            return ()
        result, answers = self._controller.result(panel), self._checks.of(panel)
        return (
            self._permutation(shown, result, answers, data),
            self._shared(shown, result),
            self._stability(shown, result, answers),
            _coordinates(shown, result),
            self._neighbourhoods(shown, result, data),
            self._outliers(result),
            _pieces(result),
        )

    def conclusion(self, panel: str) -> str:
        """The sentence that concludes about a panel."""
        lines = self.of(panel)
        return conclusion(panel_titles(self._document.state)[panel], lines) if lines else ""

    def regimes(self, result: PanelResult) -> dict[str, Regime]:
        """The verdicts on the views of a picture, as far as they are known."""
        views = () if result.result is None else result.result.embedding.views
        return {view: regime for view in views if (regime := self._verdicts.of(view)) is not None}

    # What is run ------------------------------------------------------------------------------------------------

    def _permutation(self, panel: PanelState, result: PanelResult, answers: Found, data: MultiView) -> CheckLine:
        if why := get_method(panel.method).no_null:
            return CheckLine("permutation", "inapplicable", why)
        choices = self._document.state.checks
        views = () if result.result is None else result.result.embedding.views
        shuffle = choices.shuffle if choices.shuffle in shuffles(data) else "rows"
        bands, stale = bands_of(answers, choices.view, views), null_outdated(answers, shuffle)
        there = runs_there(bands, stale=stale)
        button = button_words(there, runs_wanted(there, choices))
        if "null" in answers.computing:
            return CheckLine("permutation", "running", f"{counted(there, 'run')} so far", button="Stop")
        verdict = permutation_verdict([*bands.values()]) if bands else None
        return _run("permutation", panel, result, answers.problem, verdict, button, stale=stale)

    def _shared(self, panel: PanelState, result: PanelResult) -> CheckLine:
        if get_method(panel.method).max_views == 1 or (
            result.result is not None and len(result.result.embedding.views) == 1
        ):
            return CheckLine("common", "inapplicable", "the picture is made of one view")
        if self._common.running(panel.id):
            return CheckLine("common", "running", "shuffling …", button="Stop")
        present, former = self._common.of(panel.id), self._common.former(panel.id)
        problem = present if isinstance(present, str) else ""
        answer = former if present is None or isinstance(present, str) else present
        verdict = None if answer is None else common_verdict(answer)
        button = "" if answer is not None and answer is present else "Run"
        return _run("common", panel, result, problem, verdict, button, stale=former is not None)

    def _stability(self, panel: PanelState, result: PanelResult, answers: Found) -> CheckLine:
        kind = self._document.state.checks.kind
        name, stability = KIND_NAMES.get(kind, ""), answers.stability.get(kind)
        if kind in answers.computing:
            count = 0 if stability is None else len(stability.ghosts)
            return CheckLine("stability", "running", f"{counted(count, 'picture')} so far", button="Stop", name=name)
        verdict = None if stability is None else stability_verdict(stability)
        button = "Run" if stability is None or answers.outdated else ""
        return _run("stability", panel, result, answers.problem, verdict, button, stale=answers.outdated, name=name)

    def _neighbourhoods(self, panel: PanelState, result: PanelResult, data: MultiView) -> CheckLine:
        id: CheckId = "neighbours"
        used = () if result.result is None else result.result.embedding.views
        views = [view for view in used if view in self._document.state.enabled]
        cells = {view: self._neighbours.of(panel.id, view) for view in views}
        if self._neighbours.running:
            return CheckLine(id, "running", "comparing …", button="Stop")
        problem = next((cell for cell in cells.values() if isinstance(cell, str)), "")
        if problem or not views:
            return CheckLine(id, "inapplicable", problem or "no view to compare with")
        kept = {view: cell for view, cell in cells.items() if isinstance(cell, Kept)}
        if len(kept) == len(views):
            return _answered(id, neighbours_verdict(kept, chance_of(data.n_samples)))
        former = {view: cell for view in views if (cell := self._neighbours.former(panel.id, view)) is not None}
        if len(former) == len(views):
            verdict = neighbours_verdict(former, chance_of(data.n_samples))
            return CheckLine(id, "stale", f"{EARLIER}: {verdict.finding}", button="Run")
        return CheckLine(id, "open", "not run", button="Run")

    # What is known without a run ----------------------------------------------------------------------------------

    def _outliers(self, result: PanelResult) -> CheckLine:
        if result.result is None:
            return _waiting("outliers", result)
        far: Mapping[str, tuple[str, ...]] = {view: regime.facts.names for view, regime in self.regimes(result).items()}
        taken = () if result.in_pieces else result.drawing.taken
        return _at_rest("outliers", result, outliers_verdict(result.result.embedding.warnings, taken, far))


def chance_of(n_samples: int) -> float:
    """The share of nearest neighbours that a picture keeps which has nothing to do with a view."""
    return min(NEIGHBOURS, (n_samples - 1) // 2) / (n_samples - 1)


def _coordinates(panel: PanelState, result: PanelResult) -> CheckLine:
    independence = result.independence
    if result.result is None:
        return _waiting("coordinates", result)
    embedding = result.result.embedding
    if independence is None:
        if can_have_harmonics(panel, result):
            return CheckLine("coordinates", "open", "told once the picture is at rest")
        words = f"{get_method(embedding.method).title} has no coordinates of a walk, or too few samples"
        return CheckLine("coordinates", "inapplicable", words)
    names = [name.removeprefix("mean ") for name in shown_names(embedding, panel.show)]
    verdict = coordinates_verdict(names, independence, panel.axes[: panel.dims])
    if verdict is None:
        return CheckLine("coordinates", "inapplicable", "samples lie in separate groups, which have no shape to bend")
    return _at_rest("coordinates", result, verdict)


def _pieces(result: PanelResult) -> CheckLine:
    if result.result is None:
        return _waiting("pieces", result)
    verdict = pieces_verdict(result.result.embedding)
    if verdict is None:
        title = get_method(result.result.embedding.method).title
        return CheckLine("pieces", "inapplicable", f"{title} has no graph of the samples")
    return _at_rest("pieces", result, verdict)


def _run(
    id: CheckId,
    panel: PanelState,
    result: PanelResult,
    problem: str,
    verdict: CheckVerdict | None,
    button: str,
    *,
    stale: bool,
    name: str = "",
) -> CheckLine:
    """The line of a check that is not running now."""
    if reason := reason_against(panel, result):
        given = get_method(panel.method).shows_given
        return CheckLine(id, "inapplicable" if given else "open", reason, name=name)
    if verdict is None:
        return CheckLine(id, "open", problem or "not run", button=button, name=name)
    if stale:
        return CheckLine(id, "stale", f"{EARLIER}: {verdict.finding}", button=button, name=name)
    return CheckLine(id, "passed" if verdict.passed else "doubtful", verdict.finding, verdict.concern, button, name)


def _answered(id: CheckId, verdict: CheckVerdict) -> CheckLine:
    return CheckLine(id, "passed" if verdict.passed else "doubtful", verdict.finding, verdict.concern)


def _at_rest(id: CheckId, result: PanelResult, verdict: CheckVerdict) -> CheckLine:
    """The line of what is read off a picture: stale while another one is on its way."""
    return CheckLine(id, "stale", f"{EARLIER}: {verdict.finding}") if result.stale else _answered(id, verdict)


def _waiting(id: CheckId, result: PanelResult) -> CheckLine:
    return CheckLine(id, "open", "no picture" if result.status == "failed" else "told once the picture is there")
