"""One HTML page of a session, which needs nothing else: its panels linked by pointer, lasso and legend.

`make_page` gathers what the page says, `write_page` writes it; the page itself is in `resources/web`. What comes from
files is in the page as JSON only, and its script shows it as text: no name can become markup.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import DataError
from mvexplorer.state.bench.headless import ComputedPanels
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.titles import parameter_line
from mvexplorer.state.export.captions import panel_caption
from mvexplorer.state.export.record import document_record
from mvexplorer.state.pictures.colouring import Colouring, in_one, resolve_colouring
from mvexplorer.state.pictures.panel_result import PanelResult, best_scores
from mvexplorer.state.pictures.scoring import SCORES, spread_words
from mvexplorer.ui.cloud.picture import Camera
from mvexplorer.ui.export.web_images import image_sheet
from mvexplorer.ui.export.web_template import THEMES, filled, source_hash, style_of, template
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style.palettes import (
    PLAIN,
    REST,
    colours_of,
    markers_of,
    scale_colours,
    scale_kind,
    scale_limits,
    scale_places,
)
from mvexplorer.version import __version__
from mvexplorer.wording import one_line
from mvexplorer.writing import writing

Words = dict[str, Any]

ENDING = ".html"
MOST_POINTS = 180_000
"""Most points in all pictures of a page together: more would not follow a lasso."""


@dataclass(frozen=True)
class WebPage:
    """The `words` of a page, and the arrays it shows: points (M, 2 or 3) within -1..1 of every panel."""

    words: Words
    points: tuple[Array | None, ...]
    ids: tuple[str, ...]
    colouring: Colouring | None
    fields: tuple[Colouring, ...]
    """The values on the card of a sample, beside its id."""
    images: npt.NDArray[np.uint8] | None
    selection: tuple[int, ...]
    rows: npt.NDArray[np.intp] | None
    """The samples on the page; None for all."""
    kept: int | None = None
    """The sample with a double ring."""


def make_page(
    state: DocumentState,
    data: MultiView,
    result: Callable[[str], PanelResult],
    title: str,
    colouring: Colouring | None,
    cameras: Mapping[str, Camera],
) -> WebPage:
    """A document as a page; `result` gives a panel's result by its id."""
    colouring = in_one(colouring)
    record, left_out = _drawn_on_pages(document_record(state, data, title, result, colouring), state)
    results = {panel.id: result(panel.id) for panel in state.panels}
    points_of = [shown.drawing.points for shown in results.values()]
    drawn = tuple(Y if Y is not None and len(Y) == data.n_samples else None for Y in points_of)
    rows = _shown_rows(data.n_samples, sum(points is not None for points in drawn), state)
    scores = _scores([*results.values()])
    panels = [
        _panel_words(record, k, results[id], points, cameras.get(id, Camera.default())) | {"scores": scores[k]}
        for k, (id, points) in enumerate(zip(results, drawn, strict=True))
    ]
    words = {
        "title": title,
        "program": f"mvexplorer {__version__}",
        "subtitle": re.sub(" {2,}", " · ", parameter_line(data, state.params)),
        "size": state.point_size,
        "opacity": state.opacity,
        "panels": panels,
        "notes": [*_notes(data, rows), *left_out],
        "visible": list(state.visible_classes),
    }
    fields = {c.title: c for c in (resolve_colouring("labels", data, {}), colouring) if c is not None}
    shown = drawn, data.sample_ids, colouring, tuple(fields.values()), data.images
    return WebPage(words, *shown, state.selection, rows, state.point.sample_of(data))


def page_of(finished: ComputedPanels, title: str) -> WebPage:
    """A session or comparison that was computed without a window, as a page."""
    state, results = finished.state, finished.results
    return make_page(state, finished.data, results.__getitem__, title, finished.colouring, {})


def write_page(page: WebPage, path: str | Path) -> Path:
    """Write a page to a file, which only a whole one replaces; DataError for another ending, or where that fails."""
    path = Path(path)
    if path.suffix.lower() != ENDING:
        raise DataError(f"A web page cannot be written as “{path.suffix}”.", f"End the file's name in {ENDING}.")
    payload = page_html(page).encode()
    with writing(path) as file:
        file.write(payload)
    return path


def page_html(page: WebPage) -> str:
    """The whole page as text."""
    style, script = style_of("page.css"), template("page.js")
    # Within a script element only "<" could end the data; in JSON it occurs in texts only.
    content = json.dumps(_page_words(page), separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    parts = {
        "title": escape(one_line(page.words["title"])),
        "program": escape(page.words["program"]),
        "data": content,
        "style": style,
        "style_hash": source_hash(style),
        "script": script,
        "script_hash": source_hash(script),
    }
    return filled(template("page.html"), parts)


# What the page says ----------------------------------------------------------------------------------------------


def _drawn_on_pages(record: Words, state: DocumentState) -> tuple[Words, list[str]]:
    """The record of what a page draws, and what it leaves out in words."""
    drawn = {panel["overlay"]["drawn"] for panel in record["panels"] if "overlay" in panel}
    left = [{"ghosts": "the dots of other answers"}.get(each, each) for each in sorted(drawn)]
    left += ["samples' pictures on the map (they stand in the card)"] if record["thumbnails"] else []
    left += ["the rings of neighbours within σ"] if state.point.within and record["ringed"] else []
    panels = [{name: value for name, value in panel.items() if name != "overlay"} for panel in record["panels"]]
    words = [f"Left out here: {' and '.join(left)}."] if left else []
    return record | {"panels": panels, "thumbnails": False}, words


def _shown_rows(n_samples: int, n_panels: int, state: DocumentState) -> npt.NDArray[np.intp] | None:
    """The samples on the page, the kept one among them; None for all."""
    most_samples = 50_000
    most = min(most_samples, MOST_POINTS // max(1, n_panels))
    if n_samples <= most:
        return None
    rows = np.random.default_rng(state.random_state).choice(n_samples, most, replace=False)
    kept = state.point.kept
    if kept is not None and kept < n_samples and kept not in rows:
        rows[-1] = kept
    return np.sort(rows)


def _notes(data: MultiView, rows: npt.NDArray[np.intp] | None) -> list[str]:
    if rows is None:
        return []
    return [
        f"The page shows {len(rows):,} of the {data.n_samples:,} samples, drawn at random; scores and warnings are of "
        "the whole."
    ]


def _panel_words(record: Words, place: int, result: PanelResult, points: Array | None, camera: Camera) -> Words:
    facts = record["panels"][place]
    stale = ("Stale: computed for former settings.",) if facts["stale"] else ()
    problem = facts.get("error", "") or ("" if points is not None else "not computed")
    return {
        "title": facts["title"],
        "problem": problem,
        "dims": 0 if points is None else points.shape[1],
        "axes": list(result.drawing.axis_names),
        "hollow": list(result.drawing.unplaced),
        "camera": camera.rotation.ravel().tolist(),
        "warnings": [*stale, *facts["warnings"]],
        "caption": panel_caption(facts, record),
        "facts": [] if "error" in facts else _parameters(facts, result),
    }


def _scores(results: list[PanelResult]) -> list[list[Words]]:
    """The scores of every panel: in short, what they mean, and whether they are the best of all panels."""
    best = best_scores({k: r.scores for k, r in enumerate(results) if r.scores is not None})
    answer: list[list[Words]] = [[] for _ in results]
    for k, scores in ((k, r.scores) for k, r in enumerate(results) if r.scores is not None):
        for id, score in scores.each().items():
            words = SCORES[id].of("" if scores.hidden is None else scores.hidden.variable)
            notes = (words.meaning, spread_words(id, score), "best of all panels" if id in best[k] else "")
            about = " ".join(f"{note[0].upper()}{note[1:]}." for note in notes if note)
            answer[k].append({"text": f"{words.short} {numbers.score(score)}", "about": about, "best": id in best[k]})
    return answer


def _parameters(facts: Words, result: PanelResult) -> list[tuple[str, str]]:
    """All parameters of a panel and all that decided its views, as names and values."""
    pinned, entries = set(facts["pinned"]), []
    for param in get_method(facts["method"]).params:
        if param.name in facts["parameters"] and not param.of_panel:
            value = facts["parameters"][param.name]
            text = numbers.number(value) if isinstance(value, float) else str(value)
            entries.append((param.label, f"{text}, pinned" if param.name in pinned else text))
    if "joint_epsilon" in facts:
        entries.append(("Joint ε", numbers.number(facts["joint_epsilon"])))
    for view in facts["views"]:
        how = [f"{view['kernel']} kernel"] if "kernel" in view else []
        how += [view["preprocessing"], *(["feature weights"] if view.get("weighted") else [])]
        how += [f"ε {numbers.number(view['epsilon'])} ({view['rule']})"] if "epsilon" in view else []
        how += ["pinned"] if pinned & {f"epsilon:{view['name']}", f"kernel:{view['name']}"} else []
        entries.append((f"View {view['name']}", ", ".join(how)))
    if result.drawing.edge:
        entries.append(("Trimmed", f"{len(result.drawing.edge):,} samples lie on the edge"))
    return entries


# What the page shows ---------------------------------------------------------------------------------------------


def _page_words(page: WebPage) -> Words:
    """All that the page's script reads, arrays as base64."""
    rows = np.arange(len(page.ids)) if page.rows is None else page.rows
    panels = [
        words if points is None else words | {"points": _quantised(points[rows]), "hollow": _among(rows, words)}
        for words, points in zip(page.words["panels"], page.points, strict=True)
    ]
    most_bytes = 2_400_000  # most bytes of the samples' pictures, before they are written as text
    sheet, problem = image_sheet(page.images, rows, most_bytes)
    longest = 1_000  # most characters of an id
    ids = [page.ids[i][:longest] for i in rows]
    numbered = all(id == str(i) for i, id in zip(rows.tolist(), ids, strict=True))
    place = {row: i for i, row in enumerate(rows.tolist())}
    return page.words | {
        "panels": panels,
        "shown": len(rows),
        "sheet": sheet,
        "ids": None if numbered else ids,
        "rows": rows.tolist() if numbered and page.rows is not None else None,
        "selection": [place[i] for i in page.selection if i in place],
        "ringed": -1 if page.kept is None else place[page.kept],
        "colour": _colour_words(page.colouring, rows, page.words["visible"]),
        "fields": [_field(colouring, rows) for colouring in page.fields],
        "notes": [*page.words["notes"], *([problem] if problem else [])],
    }


def _among(rows: npt.NDArray[np.intp], words: Words) -> list[int]:
    """The places among `rows` of a panel's samples without coordinates."""
    return np.flatnonzero(np.isin(rows, words["hollow"])).tolist()


def _quantised(points: Array) -> str:
    """Coordinates within -1..1 in 16 bits each, one coordinate after the other."""
    across = 65_535  # steps of a coordinate from one side of a picture to the other
    steps = np.rint((np.clip(np.nan_to_num(points), -1.0, 1.0) + 1.0) / 2.0 * across)
    return _encoded(steps.T, "<u2")


def _encoded(values: npt.ArrayLike, kind: str) -> str:
    return b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode()


def _field(colouring: Colouring, rows: npt.NDArray[np.intp]) -> Words:
    """A value of every sample, or its class."""
    if not colouring.classes:
        return {"title": colouring.title, "values": _encoded(colouring.values[rows], "<f4")}
    classes, codes = _classes(colouring, rows)
    return {"title": colouring.title, "classes": classes, "values": _encoded(codes, "<u2")}


def _classes(colouring: Colouring, rows: npt.NDArray[np.intp]) -> tuple[list[str], npt.NDArray[np.intp]]:
    """The classes that these samples have, in their order, and the samples' places among them."""
    present, codes = np.unique(colouring.values[rows], return_inverse=True)
    return [colouring.classes[k] for k in present.tolist()], codes


def _colour_words(colouring: Colouring | None, rows: npt.NDArray[np.intp], visible: list[str]) -> Words:
    """The colour of every sample as a place in a palette, and what the legend says."""
    rest = {theme.name: _hex(REST[theme.name]) for theme in THEMES}
    words: Words = {"title": "", "classes": [], "counts": [], "hidden": [], "forms": [0], "rest": rest}
    if colouring is None:
        palettes = {theme.name: [_hex(PLAIN[theme.name])] for theme in THEMES}
        return words | {"palettes": palettes, "codes": _encoded(np.zeros(len(rows)), "<u2")}
    words["title"] = colouring.title
    if not colouring.classes:
        kind = scale_kind(colouring)
        palettes = {theme.name: [*map(_hex, scale_colours(kind, theme.name).tolist())] for theme in THEMES}
        ends = ["0", "2π"] if colouring.cyclic else [numbers.number(end) for end in scale_limits(colouring)]
        return words | {"palettes": palettes, "ends": ends, "codes": _encoded(scale_places(colouring)[rows], "<u2")}
    classes, codes = _classes(colouring, rows)
    places = np.unique(colouring.values[rows])
    return words | {
        "palettes": {t.name: [*map(_hex, colours_of(colouring, t.name)[places].tolist())] for t in THEMES},
        "forms": markers_of(colouring)[places].tolist(),
        "classes": classes,
        "counts": np.bincount(codes, minlength=len(classes)).tolist(),
        "hidden": [k for k, name in enumerate(classes) if visible and name not in visible],
        "codes": _encoded(codes, "<u2"),
    }


def _hex(rgb: tuple[int, int, int] | list[int]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*rgb)
