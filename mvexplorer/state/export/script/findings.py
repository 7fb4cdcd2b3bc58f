"""The lines of a script after its panels: their scores, what colours the points, and which are selected."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from mvexplorer.engine.core.classes import ordered_classes
from mvexplorer.engine.core.inputs import labelled
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.colourings.derived import find_kind
from mvexplorer.state.colourings.difference_colouring import difference_panel
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.selection import has_names
from mvexplorer.state.export.script.lines import Call, Code, assignment, expression, literal
from mvexplorer.state.export.script.panels import PanelCode, panel_codes
from mvexplorer.state.pictures.colouring import Colouring, resolve_colouring
from mvexplorer.state.pictures.scoring import SCORES, available_scores, hidden_source, truth, views_to_score

ON_DRAWN = {"order", "largest_gap"}
"""The scores of the coordinates that are drawn."""


def scoring(state: DocumentState, data: MultiView, codes: Sequence[PanelCode]) -> tuple[str, list[str]]:
    """Return the words on what the panels are scored by, and the statements; both empty where there are no scores."""
    words = available_scores(state, data)
    if not words:
        return "", []
    calls = _score_calls(state, data, codes)
    words = {id: words[id] for id in words if id in calls or not calls}
    meanings = [f"{words[id].title}: {words[id].meaning[:1].lower()}{words[id].meaning[1:]}." for id in words]
    each = expression({words[id].short: call for id, call in calls.items()}, 11, 4)
    names = []
    if set(calls) & ON_DRAWN:
        names = [assignment("drawn", {code.title: Code(f"{code.name}_drawn") for code in codes})]
    if not calls:
        views = views_to_score(state, data)
        among = {} if views == data.view_names else {"views": list(views)}
        found = literal(Call("mvx.label_free", (Code("panel"), Code("data")), among))
        names = [assignment("names", {id: words[id].short for id in words})]
        each = f"{{names[id]: score for id, score in {found}.each().items()}}"
    width = max(len(code.title) for code in codes)
    lines = [
        *names,
        "scores = {",
        f"    title: {each}",
        "    for title, panel in panels.items()",
        "}",
        "for title, found in scores.items():",
        '    values = [f"{name} {score.value:.3f}" for name, score in found.items()]',
        f'    print(f"{{title:<{width}}}", *values, sep="   ")',
    ]
    return " ".join(meanings), lines


def _score_calls(state: DocumentState, data: MultiView, codes: Sequence[PanelCode]) -> dict[str, Call]:
    """The function of each score that panels of this data have, by the score's id."""
    labels, hidden = truth(state, data)
    coordinates, drawn = "panel.coordinates", "drawn[title]"
    calls: dict[str, Call] = {}
    if labels is not None:
        against, count = (Code(coordinates), Code("data.labels")), int(np.count_nonzero(labelled(labels)))
        calls["nmi"] = Call("mvx.metrics.nmi", against)
        calls["knn"] = Call("mvx.metrics.knn_accuracy", against, {} if count > 5 else {"n_neighbors": count - 1})
    if hidden is not None:
        against, count = (Code(coordinates), _values(hidden_source(state, data))), int(np.isfinite(hidden.values).sum())
        fewer = {} if count > 10 else {"n_neighbors": count - 1}
        as_drawn = Code(drawn), against[1]
        if hidden.angle:
            calls["resultant"] = Call("mvx.metrics.knn_resultant", against, fewer)
            if not any(code.draws_one for code in codes):
                calls["order"] = Call("mvx.metrics.ring_order", as_drawn)
                calls["largest_gap"] = Call("mvx.metrics.ring_gap", as_drawn[:1])
            return calls
        calls["r2"] = Call("mvx.metrics.knn_r2", against, fewer)
        calls["spearman"] = Call("mvx.metrics.first_spearman", against)
        calls["order"] = Call("mvx.metrics.first_spearman", as_drawn)
    assert all(id in SCORES for id in calls)
    return calls


def _values(source: str) -> Code:
    kind, _, name = source.partition(":")
    return Code(f"data.{'latent' if kind == 'latent' else 'columns'}[{literal(name)}]")


def colouring(state: DocumentState, data: MultiView, codes: Sequence[PanelCode]) -> tuple[str, list[str]]:
    """Return the words on what colours the points, and the statements; both empty where all have one colour."""
    kind, _, rest = state.colour.partition(":")
    owner, _, index = rest.rpartition(":")
    variables = {code.panel.id: code.name for code in codes if not code.problem}
    if kind == "coordinate" and owner in variables and index.isdigit():
        title = next(code.title for code in codes if code.panel.id == owner)
        words = f"The points are coloured by coordinate {int(index) + 1} of {title}."
        return words, [f"colour = {variables[owner]}.coordinates[:, {int(index)}]"]
    derived, of = find_kind(state.colour)
    if derived is not None:
        values = _difference(state, data, of) if kind == "difference" else Code(derived.script(state, of, variables))
        title = derived.title(state, data, of)
        words = f"The points are coloured by {title}{'' if values else ', which is not computed here'}."
        return words, [assignment("colour", values)] if values else []
    coloured = resolve_colouring(state.colour, data, {})
    if coloured is None:
        return "", []
    if kind == "labels":
        array = Code("data.labels")
    elif kind == "feature":
        array = Code(f"data.Xs[{data.view_index(owner)}][:, {int(index)}]")
    else:
        array = _values(state.colour)
    lines = [assignment("colour", array), *_visible(state, data, coloured)]
    picked = " Only some classes are shown." if len(lines) > 1 else ""
    return f"The points are coloured by {coloured.title}.{picked}", lines


def _difference(state: DocumentState, data: MultiView, rest: str) -> Call | None:
    """The call that computes where two views differ, which no panel has to show; None where it is not computed."""
    panel = difference_panel(data, rest)
    code = None if panel is None else panel_codes(state, data, {}, [panel])[0]
    if code is None or code.problem or state.subsample is not None:
        return None
    return Call("mvx.difference_of_views", (Call("mvx.embed", (Code("data"), code.panel.method), code.options),))


def _visible(state: DocumentState, data: MultiView, coloured: Colouring) -> list[str]:
    """The statement that tells which samples' classes are picked in the legend; none where all are."""
    shown = set(state.visible_classes) & set(coloured.classes)
    if not shown or len(shown) == len(coloured.classes):
        return []
    values = _array(state.colour, data)
    classes = [_plain(name) for name in ordered_classes(values[labelled(values)])[0]]
    picked = [value for value, name in zip(classes, coloured.classes, strict=False) if name in shown]
    if len(coloured.classes) == len(classes) or coloured.classes[-1] not in shown:
        return [assignment("visible", Call("np.isin", (Code("colour"), picked)))]
    hidden = [value for value in classes if value not in picked]
    return [assignment("visible", Code(f"~{literal(Call('np.isin', (Code('colour'), hidden)))}"))]


def _array(source: str, data: MultiView) -> Any:
    kind, _, name = source.partition(":")
    return data.labels if kind == "labels" else (data.latent if kind == "latent" else data.columns)[name]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def selecting(state: DocumentState, data: MultiView, coloured: bool) -> tuple[str, list[str]]:
    """The selection in words, and the statements: by the samples' names where they have some."""
    if not state.selection:
        return "", []
    count = len(state.selection)
    words = f"The selection: {count:,} of {data.n_samples:,} samples."
    ids = [data.sample_ids[i] for i in state.selection]
    if has_names(data):
        lines = [assignment("names", ids), "selection = np.flatnonzero(np.isin(data.sample_ids, names))"]
    else:
        lines = [assignment("selection", _indices(state.selection))]
    resolved = resolve_colouring(state.colour, data, {}) if coloured else None
    if resolved is not None and resolved.classes:
        words += " Printed: how many of each class."
        lines += [
            "classes, counts = np.unique(colour[selection], return_counts=True)",
            'print("selected:", dict(zip(classes.tolist(), counts.tolist(), strict=True)))',
        ]
    return words, lines


def keeping(state: DocumentState, data: MultiView) -> tuple[str, list[str]]:
    """The named selections in words, and the statements: by the samples' names where they have some."""
    named = state.selections.named
    if not named:
        return "", []
    words = "The named selections: " + "; ".join(f"{s.name}{f' ({s.origin})' if s.origin else ''}" for s in named) + "."
    if not has_names(data):
        return words, [assignment("selections", {each.name: _indices(each.samples) for each in named})]
    return words, [
        assignment("members", {each.name: [data.sample_ids[i] for i in each.samples] for each in named}),
        "selections = {name: np.flatnonzero(np.isin(data.sample_ids, ids)) for name, ids in members.items()}",
    ]


def _indices(selection: Sequence[int]) -> Any:
    """Sorted indices as an array; runs of them as ranges."""
    runs: list[Code | int] = []
    shortest = 4  # as many successive samples are written as a range
    for _, run in groupby(enumerate(selection), key=lambda pair: pair[1] - pair[0]):
        members = [index for _, index in run]
        runs += [Code(f"{members[0]}:{members[-1] + 1}")] if len(members) >= shortest else members
    if 2 * len(runs) > len(selection):
        return Call("np.array", (list(selection),))
    return Code(f"np.r_{expression(runs, 18)}")
