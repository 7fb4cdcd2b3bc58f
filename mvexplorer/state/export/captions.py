"""Pictures in sentences: the caption of a panel, and of all panels together, made from their records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mvexplorer.engine.core.params import Param, Value
from mvexplorer.engine.kernels.affinities import parse_kernel
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.unit_rows import UNIT_ROWS
from mvexplorer.engine.pipeline.view_weights import EQUAL_VOLUME, NAME
from mvexplorer.state.document.ingredients.words import walk_differences
from mvexplorer.state.document.model import ALWAYS, INGREDIENT_NAMES
from mvexplorer.state.pictures.common_words import common_sentence
from mvexplorer.state.pictures.drawing import TURNED
from mvexplorer.state.pictures.near_kept import MOST_LINKS
from mvexplorer.wording import counted, listed, number, one_line

Record = Mapping[str, Any]


def panel_caption(panel: Record, document: Record) -> str:
    """A panel's caption, a line of plain text: what decides its picture, its scores, the data and the program.

    Both records are as `state.export.record` makes them; `panel` is one of the document's. What has no effect on
    the picture is left out.
    """
    sentences = [
        _picture(panel),
        *_cautions(panel),
        *_scores(panel, document),
        *_checks(panel),
        _data(document, [panel]),
    ]
    return " ".join(f"{sentence}." for sentence in sentences)


def document_caption(document: Record) -> str:
    """One caption for all panels: each by its title, then what they share; lines end where a panel's words end."""
    panels = document["panels"]
    each = [". ".join((_entitled(panel), *_cautions(panel), *_checks(panel))) + "." for panel in panels]
    meanings = "; ".join(f"{words['name']}: {_lower(words['meaning'])}" for words in document["scores"].values())
    shared = [_data(document, panels), *([meanings] if meanings and any("scores" in p for p in panels) else [])]
    return "\n".join([*each, " ".join(f"{sentence}." for sentence in shared)])


def _entitled(panel: Record) -> str:
    """The picture in words, after the panel's title where that says more than the method's."""
    title, picture = one_line(panel["title"]), _picture(panel)
    values = ", ".join(_score(name, value, panel) for name, value in panel.get("scores", {}).items())
    whole = picture if picture.startswith(title) else f"{title}: {picture}"
    lettered = f"({panel['letter']}) {whole}" if "letter" in panel else whole
    return f"{lettered} ({values})" if values else lettered


def _picture(panel: Record) -> str:
    """The method, its views with kernel, preprocessing and bandwidth, and its parameters."""
    method = get_method(panel["method"])
    if "error" in panel:
        return f"{one_line(panel['title'])}: no result ({one_line(panel['error']).rstrip('.')})"
    if method.shows_given:
        return one_line(panel["title"])
    words = f"{method.title} of {listed(_views(panel['views']))}" if panel["views"] else method.title
    if method.compares_one_view:
        of, beyond = (listed(_views(views)) for views in (panel["views"][:1], panel["views"][1:]))
        words = f"{method.title} of {of} beyond {beyond}"
    params = [_param(p, panel["parameters"][p.name]) for p in _telling(panel)]
    params += walk_differences(panel["parameters"])
    params += ["unit rows"] if panel["parameters"].get(UNIT_ROWS.name) and not method.has_unit_rows else []
    if "joint_epsilon" in panel:
        params.append(f"joint ε = {number(panel['joint_epsilon'])}")
    if panel["parameters"].get(NAME) == EQUAL_VOLUME:
        params.append("equal-volume view weights")
    return f"{words}, with {', '.join(params)}" if params else words


def _telling(panel: Record) -> list[Param]:
    """The parameters that a caption names: those always in sight, and those that are not at their defaults."""
    values, declared = panel["parameters"], get_method(panel["method"]).params
    own = ("joint_epsilon", *INGREDIENT_NAMES)  # which have words of their own
    by_name = {p.name: p for p in declared if p.name in values and p.name not in own and not (p.of_panel or p.of_views)}
    rest = [p for name, p in by_name.items() if name not in ALWAYS and values[name] != p.default]
    return [*(by_name[name] for name in ALWAYS if name in by_name), *rest]


def _param(param: Param, value: Value) -> str:
    name = param.symbol or (param.title or param.name.replace("_", " ")).lower()
    if isinstance(value, bool):
        return f"{name}: {'yes' if value else 'no'}"
    return f"{name} = {number(value) if isinstance(value, float) else value}"


def _views(views: Iterable[Record]) -> list[str]:
    """The views, those of the same kernel, preprocessing and rule together."""
    groups: dict[tuple[str, ...], list[Record]] = {}
    for view in views:
        groups.setdefault((*_treatment(view), view.get("rule", "")), []).append(view)
    words = []
    for (*how, rule), alike in groups.items():
        epsilon = listed([number(view["epsilon"]) for view in alike if "epsilon" in view])
        origin = "" if not rule else f" {rule}" if rule == "set by hand" else f" by {rule}"
        details = [*how, *([f"ε = {epsilon}{origin}"] if epsilon else [])]
        words.append(f"{listed([one_line(view['name']) for view in alike])} ({', '.join(details)})")
    return words


def _treatment(view: Record) -> list[str]:
    details = [view["preprocessing"], *(["feature weights"] if view.get("weighted") else [])]
    details += [f"weight {number(view['weight'])}"] if view.get("weight", 1.0) != 1.0 else []
    if "kernel" in view:
        kernel = parse_kernel(view["kernel"])
        details.append(f"{kernel.kind.title} kernel" + (f" of {kernel.count}" if kernel.count else ""))
    if "metric" in view:
        details.append(f"{view['metric']} metric")
    return details


def _cautions(panel: Record) -> list[str]:
    """Cautions that a reader needs before trusting the picture."""
    cautions = ["Stale: computed for former settings"] if panel["stale"] else []
    cautions += ["A draft"] if panel.get("draft") else []
    turned = f"{TURNED}: the picture is turned to match the one before, so that each axis mixes coordinates"
    cautions += [turned] if "turned" in panel else []
    return cautions + [one_line(text).rstrip(".") for text in panel["warnings"]]


def _checks(panel: Record) -> list[str]:
    """Functions in common, the findings of null tests and stability, and what is drawn or written on the picture."""
    findings = [test for tests in panel.get("checks", {}).values() for test in tests]
    said = [*filter(None, [common_sentence(panel)])]
    said += [one_line(test["words"]).rstrip(".") for test in findings if test["words"]]
    said += [_overlay(panel["overlay"])] if "overlay" in panel else []
    said += [_near(panel["near"])] if "near" in panel else []
    notes = "; ".join(f"“{one_line(text)}”" for text in panel.get("notes", ()))
    return [*said, f"Notes: {notes}"] if notes else said


def _near(near: Record) -> str:
    """A sentence that explains the rings and lines of a kept sample."""
    ringed = f"Rings: {counted(near['within'], 'sample')} within σ of {one_line(near['sample'])}"
    return f"{ringed}; lines: to the nearest that take 95 % of its step, at most {MOST_LINKS}"


def _overlay(overlay: Record) -> str:
    """A sentence that explains the ellipses or dots on a picture."""
    anew = {
        "parts": "with a random 80 % of the samples",
        "noise": "with noise",
        "views": "without one view",
        "epsilon": "at .7 and 1.3 times every ε",
    }
    runs = f"{counted(overlay['runs'], 'picture')} recomputed {anew[overlay['kind']]}"
    if overlay["drawn"] == "ghosts":
        return f"Faint dots: where {runs} put samples"
    return f"Ellipses: one standard deviation of a sample over {runs}"


def _scores(panel: Record, document: Record) -> list[str]:
    meanings = document["scores"]
    return [
        f"{_score(id, value, panel)}: {_lower(meanings[id]['meaning'])}" if id in meanings else _score(id, value, panel)
        for id, value in panel.get("scores", {}).items()
    ]


def _score(id: str, value: float, panel: Record) -> str:
    spread = panel.get("spreads", {}).get(id)
    return f"{panel['score_names'][id]} {value:.2f}" + (f" ± {spread:.2f}" if spread is not None else "")


def _data(document: Record, panels: Iterable[Record]) -> str:
    """The data, how many samples, which of them were dropped or imputed, the seed, and the program."""
    facts = [f"{one_line(document['data'])}: {document['samples']:,} samples"]
    meaning = f" ({document['colour_meaning']})" if document.get("colour_meaning") else ""
    facts += [f"coloured by {one_line(document['colour'])}{meaning}"] if document["colour"] else []
    facts += [_selected(document)] if document["selected"] else []
    facts += [f"double ring: {one_line(document['ringed'])}"] if document.get("ringed") else []
    facts += ["class names at their centres"] if document.get("class_names") else []
    facts += ["with pictures of samples where there is room"] if document.get("thumbnails") else []
    solved = sorted({p["subsample"] for p in panels if "subsample" in p})
    facts += [f"solved on {number:,} drawn at random" for number in solved]
    seeds = sorted({p["seed"] for p in panels if "seed" in p})
    facts += [f"seed {listed([*map(str, seeds)])}"] if seeds else []
    return "; ".join([", ".join(facts), *map(one_line, document["dropped_and_imputed"]), document["program"]])


def _selected(document: Record) -> str:
    """How many samples are selected, and where they came from."""
    origin = one_line(document.get("selection_origin", ""))
    return f"{document['selected']:,} selected{f' ({origin})' if origin else ''}"


def _lower(sentence: str) -> str:
    """A sentence as a part of another: names such as R² keep their capital."""
    return sentence[:1].lower() + sentence[1:] if sentence[1:2].islower() else sentence
