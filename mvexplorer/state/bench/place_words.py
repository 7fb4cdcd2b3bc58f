"""The sentences with which the four places begin: what is known of the focused panel, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

import numpy as np

from mvexplorer.engine.analysis.diagnostics import spectrum_facts
from mvexplorer.engine.bandwidth.regimes import Word
from mvexplorer.engine.pipeline.steps_that_stay import STEPS_THAT_STAY, words_on_stays
from mvexplorer.state.bench.epsilon_advice import Advice, advised, recommended_elsewhere
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.state.pictures.drawing import subscript
from mvexplorer.wording import counted, in_percent, listed

NOTHING = "No panel is open: add one."


def on_bandwidths(bench: Workbench) -> str:
    """Name the views of the focused panel by the verdicts on their ε, and where it ought to be; a doubt comes first."""
    panel = bench.diagnostics.panel
    if panel is None:
        return NOTHING
    result, verdicts = bench.controller.result(panel.id).result, bench.verdicts.now()
    of_panel = tuple(verdicts) if result is None else result.embedding.views
    views = {view: verdicts[view] for view in of_panel if view in verdicts}
    title, advice = _title(bench, panel), bench.advice.now(views)
    for view, verdict in views.items():
        if verdict.regime is not None and verdict.regime.alarming:
            return f"{title}: {view} is {verdict.word}. {advised(verdict.regime, advice.get(view))}"
    by_word = {word: [view for view, verdict in views.items() if verdict.word == word] for word in get_args(Word)}
    if not views or sum(map(len, by_word.values())) < len(views):
        return f"{title}: the bandwidths are being judged …"
    if len(views) > 1 and any(len(named) == len(views) for named in by_word.values()):
        (word,) = (word for word, named in by_word.items() if named)
        return f"{title}: every view is {word} at its ε.{_elsewhere(advice)}"
    parts = [f"{listed(named)} {'is' if len(named) == 1 else 'are'} {word}" for word, named in by_word.items() if named]
    return f"{title}: {'; '.join(parts)} at {'its' if len(views) == 1 else 'their'} ε.{_elsewhere(advice)}"


def on_agreement(bench: Workbench) -> str:
    """Name the panels that share most and fewest of the neighbours of the focused one."""
    panel, comparer = bench.diagnostics.panel, bench.comparer
    if panel is None:
        return NOTHING
    title, agreement = _title(bench, panel), comparer.agreement
    if comparer.problem:
        return comparer.problem
    if agreement is None or comparer.stale or panel.id not in agreement.names:
        return f"{title}: not compared with the other panels yet."
    shares = dict(zip(agreement.names, agreement.matrix[agreement.names.index(panel.id)], strict=True))
    others = {id: share for id, share in shares.items() if id != panel.id and np.isfinite(share)}
    if not others:
        return f"{title}: no other panel shows a picture."
    near, far, titles = min(others, key=others.__getitem__), max(others, key=others.__getitem__), comparer.titles
    words = f"{title} agrees most with {titles[near]} ({in_percent(others[near])} of neighbours differ)"
    return f"{words}, least with {titles[far]} ({in_percent(others[far])})." if far != near else f"{words}."


def on_checks(bench: Workbench) -> str:
    """Tell what the checks of the focused panel found."""
    panel = bench.diagnostics.panel
    if panel is None:
        return NOTHING
    title, words = _title(bench, panel), bench.check_list.conclusion(panel.id)
    return words if words.startswith(title) else f"{title}: {words[:1].lower()}{words[1:]}"


def on_origin(bench: Workbench) -> str:
    """Tell what the picture of the focused panel is made of: views, samples, coordinates, the gap of its spectrum."""
    panel = bench.diagnostics.panel
    if panel is None:
        return NOTHING
    shown, title = bench.controller.result(panel.id), _title(bench, panel)
    if shown.error is not None:
        return f"{title}: {shown.error.message}"
    if shown.result is None:
        return f"{title}: being computed …"
    embedding = shown.result.embedding
    views = listed(embedding.views) if len(embedding.views) <= 3 else counted(len(embedding.views), "view")
    rows, columns = (embedding.view_coordinates or (embedding.coordinates,))[0].shape
    each = " per view" if embedding.view_coordinates else ""
    after = spectrum_facts(embedding).gap_after if len(embedding.eigenvalues) else None
    gap = "" if after is None else f", largest gap after λ{subscript(after)}"
    stays = embedding.info.get(STEPS_THAT_STAY)
    share = "" if stays is None else f"; {words_on_stays(stays)}"
    return f"{title}: {counted(columns, 'coordinate')}{each} of {counted(rows, 'sample')} from {views}{gap}{share}."


def _elsewhere(advice: Mapping[str, Advice]) -> str:
    """The recommended ε of the first view that has another one; tell as well where every ε is as recommended."""
    words = recommended_elsewhere(advice)
    if not words and advice and all(one.best is not None for one in advice.values()):
        words = "No need to move it." if len(advice) == 1 else "No need to move them."
    return f" {words}" if words else ""


def _title(bench: Workbench, panel: PanelState) -> str:
    return panel_titles(bench.document.state)[panel.id]
