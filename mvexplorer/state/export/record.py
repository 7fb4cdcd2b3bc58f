"""Records of what a picture shows and how it was computed: for the words around it, and for the file's metadata."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mvexplorer.compute.jobs.request import Request
from mvexplorer.engine.bandwidth.table import parse_bandwidth
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.kernels.affinities import parse_kernel
from mvexplorer.engine.kernels.metrics import EUCLIDEAN
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.steps_that_stay import STEPS_THAT_STAY
from mvexplorer.engine.pipeline.view_weights import weights_in_effect
from mvexplorer.io.base.path_text import path_to_json
from mvexplorer.state.document.colour_titles import colour_meaning
from mvexplorer.state.document.model import DocumentState, PanelState, panel_bandwidth
from mvexplorer.state.document.notes.targets import drawn_notes
from mvexplorer.state.document.titles import panel_title, preprocess_words
from mvexplorer.state.pictures.bends import signs
from mvexplorer.state.pictures.colouring import Colouring
from mvexplorer.state.pictures.common_words import FACTS
from mvexplorer.state.pictures.drawing import TURNED
from mvexplorer.state.pictures.near_kept import NearKept
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.state.pictures.scoring import SCORES, STABILITY, available_scores
from mvexplorer.version import __version__

Record = dict[str, Any]


def origin_record(state: DocumentState, title: str) -> Record:
    """Return the beginning of every record: the program, the data by name and by its files, and how it was treated."""
    whole = "in the whole data, " if state.part_of else ""
    return {
        "program": f"mvexplorer {__version__}",
        "data": title,
        "source": [path_to_json(path) for path in state.source],
        "dropped_and_imputed": [f"{whole}{words}" for words in state.dropped_and_imputed],
        "preprocessing": {view.name: preprocess_words(view.preprocess) for view in state.views},
    }


def document_record(
    state: DocumentState, data: MultiView, title: str, result: Callable[[str], PanelResult], colouring: Colouring | None
) -> Record:
    """A document as plain data for JSON; `result` gives a panel's result by its id."""
    kept = state.point.sample_of(data)
    return {
        **origin_record(state, title),
        "samples": data.n_samples,
        "selected": len(state.selection),
        "selection": list(state.selection),
        "selection_origin": state.selections.origin,
        "selections": [
            {"name": each.name, "origin": each.origin, "samples": list(each.samples)} for each in state.selections.named
        ],
        "ringed": "" if kept is None else data.sample_ids[kept],
        "thumbnails": state.point.thumbnails and data.images is not None,
        "class_names": state.class_names and colouring is not None and bool(colouring.classes),
        "colour": "" if colouring is None else colouring.title,
        "colour_source": state.colour,
        "colour_meaning": "" if colouring is None else colour_meaning(state.colour),
        "seed": state.random_state,
        "subsample": state.subsample,
        "scores": {
            id: {"name": words.title, "meaning": words.meaning}
            for id, words in (available_scores(state, data) | {STABILITY: SCORES[STABILITY]}).items()
            if id != STABILITY or any(result(p.id).shift is not None for p in state.panels)
        },
        "parameters": dict(state.params),
        "panels": [panel_record(state, data, panel, result(panel.id)) for panel in state.panels],
    }


def near_record(data: MultiView, near: NearKept | None) -> Record:
    """How many neighbours of the kept sample are ringed and linked on a picture; empty where that is none."""
    if near is None:
        return {}
    return {"near": {"sample": data.sample_ids[near.sample], "within": len(near.within), "links": len(near.links)}}


def panel_record(state: DocumentState, data: MultiView, panel: PanelState, shown: PanelResult) -> Record:
    """One panel: its method and parameters, the kernel, preprocessing and bandwidth of its views, scores, warnings."""
    record: Record = {
        "title": panel_title(state, panel),
        "method": panel.method,
        "pinned": sorted(panel.pins),
        "stale": shown.stale,
        "warnings": list(signs(panel, shown)),
        "notes": [each.note.text for each in drawn_notes(state, panel.id, data.n_samples)],
    }
    if shown.result is None:
        return record | {"error": str(shown.error) if shown.error else "not computed"}
    embedding = shown.result.embedding
    record["parameters"] = {name: value for name, value in embedding.params.items() if value is not None}
    record["views"] = [view_record(state, data, panel, shown, i) for i in range(len(embedding.views))]
    if not get_method(panel.method).shows_given:
        record["seed"] = embedding.random_state
    if shown.result.solved_on_part:
        record["subsample"] = shown.result.solved_on_part
    if shown.draft_text:
        record["draft"] = shown.draft_text
    if any(name.startswith(TURNED) for name in shown.drawing.axis_names):
        record["turned"] = True
    if (joint := embedding.info.get("joint_epsilon")) is not None:
        record["joint_epsilon"] = float(joint)
    if (stays := embedding.info.get(STEPS_THAT_STAY)) is not None:
        record[STEPS_THAT_STAY] = float(stays)
    record |= {name: float(embedding.info[name]) for name in FACTS if name in embedding.info}
    if shown.checks:
        record["checks"] = dict(shown.checks)
    drawn = [check for check in shown.checks.get("stability", ()) if check["kind"] == state.checks.kind]
    if drawn and state.checks.overlay != "off":
        record["overlay"] = {"drawn": state.checks.overlay, "kind": drawn[0]["kind"], "runs": drawn[0]["runs"]}
    return record | _scores_record(state, data, shown)


def _scores_record(state: DocumentState, data: MultiView, shown: PanelResult) -> Record:
    """Scores by id, their spreads where they have one, and what they are called."""
    scores = {} if shown.scores is None else shown.scores.each()
    if not scores:
        return {}
    names = {id: words.title for id, words in available_scores(state, data).items()}
    return {
        "scores": {id: score.value for id, score in scores.items()},
        "spreads": {id: score.spread for id, score in scores.items() if score.spread is not None},
        "score_names": {id: names.get(id, SCORES[id].title) for id in scores},
    }


def view_record(state: DocumentState, data: MultiView, panel: PanelState, shown: PanelResult, i: int) -> Record:
    """The kernel, metric, preprocessing, bandwidth and bandwidth rule of the i-th view of a panel's embedding."""
    assert shown.result is not None
    embedding, used = shown.result.embedding, shown.result.request.data
    name, epsilon = embedding.views[i], embedding.epsilon[i]
    place = used.view_index(name)
    record: Record = {"name": name, "preprocessing": preprocess_words(used.preprocess[place])}
    if used.feature_weights[place] is not None:
        record["weighted"] = True
    if weights := weights_in_effect(embedding.params, embedding.info, embedding.views):
        record["weight"] = weights[i]
    if embedding.kernels and get_method(panel.method).requires == "kernels":
        record["kernel"] = embedding.kernels[i]
    if embedding.kernels and (metric := parse_kernel(embedding.kernels[i]).metric) != EUCLIDEAN:
        record["metric"] = metric
    if get_method(panel.method).epsilon_matters(embedding.params) and np.isfinite(epsilon):
        record |= {"epsilon": float(epsilon), "rule": _rule_used(state, panel, shown.result.request, name)}
    return record


def _rule_used(state: DocumentState, panel: PanelState, request: Request, name: str) -> str:
    """How the bandwidth of a picture was given, even where another one has been asked for since."""
    used = request.epsilon[request.views.index(name)]
    present = state.find_view(name) is not None and panel_bandwidth(state, panel, name) == used
    return epsilon_rule(state, panel, name) if present else _rule_words(used.given)


def epsilon_rule(state: DocumentState, panel: PanelState, name: str) -> str:
    """How a view's bandwidth was given: a rule and the factor on it, or a number; empty for an unknown view."""
    pinned = panel.pins.get(f"epsilon:{name}")
    view = next((v for v in state.views if v.name == name), None)
    given = pinned if pinned is not None else view.epsilon if view is not None else ""
    words = _rule_words(given) if given != "" else ""
    factors = state.factor(name) if pinned is None and view is not None else 1.0, panel.epsilon_scale
    return "".join([words, *(f" × {factor:.3g}" for factor in factors if factor != 1.0)])


def _rule_words(given: float | str) -> str:
    """A bandwidth as one would write it: ``median/9`` rather than ``0.1111*median``."""
    bandwidth = parse_bandwidth(given)
    if bandwidth.rule is None:
        return "set by hand"
    parts = 1.0 / bandwidth.factor
    if abs(parts - round(parts)) < 1e-9 * parts:
        return bandwidth.words if round(parts) == 1 else f"{bandwidth.words}/{round(parts)}"
    return f"{bandwidth.factor:.3g} × {bandwidth.words}"
