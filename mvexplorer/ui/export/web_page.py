"""One HTML page of a session, which needs nothing else: its panels linked by pointer, lasso and legend.

`make_page` gathers what the page says, `with_snapshots` adds more states, `write_page` writes it; the page itself is in
`resources/web`. What comes from files is in the page as JSON only, and its script shows it as text: no name can become
markup.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.api.live import LivePanels
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import DataError
from mvexplorer.io.writing.live_block import live_block
from mvexplorer.state.bench.headless import ComputedPanels
from mvexplorer.state.bench.snapshot_panels import SnapshotPanels
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.selections import NamedSelection
from mvexplorer.state.document.titles import parameter_line
from mvexplorer.state.export.captions import panel_caption
from mvexplorer.state.export.record import document_record
from mvexplorer.state.pictures.colouring import Colouring, in_one, resolve_colouring
from mvexplorer.state.pictures.panel_result import PanelResult, best_scores
from mvexplorer.state.pictures.scoring import SCORES, spread_words
from mvexplorer.ui.cloud.picture import Camera
from mvexplorer.ui.export.web_colours import (
    Maker,
    encoded,
    field_words,
    menu_of,
    own_colourings,
    palette_words,
    rest_colours,
    same_colours,
    selection_colour,
)
from mvexplorer.ui.export.web_ids import Unnamed
from mvexplorer.ui.export.web_images import image_sheet
from mvexplorer.ui.export.web_notes import noted_samples, placed_notes
from mvexplorer.ui.export.web_template import filled, script_of, source_hash, style_of, template
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.version import __version__
from mvexplorer.wording import counted, one_line
from mvexplorer.writing import writing

Words = dict[str, Any]

ENDING = ".html"
MOST_POINTS = 180_000
"""Most points in all pictures of a page together: more would not follow a lasso."""


@dataclass(frozen=True)
class PageScene:
    """One state on a page: the `words` of it, and what it shows: points (M, 2 or 3) within -1..1 of each panel."""

    words: Words
    points: tuple[Array | None, ...]
    colouring: Colouring | None
    selection: tuple[int, ...]
    kept: int | None
    """The sample with a double ring."""


@dataclass(frozen=True)
class PageContent:
    """The things beside the panels that the user wants on a page."""

    colourings: bool = True
    """Whether a menu offers further colourings."""
    selections: bool = True
    """Whether the named selections are listed."""
    ids: bool = True
    """Whether the samples' ids are in the file."""


WHOLE = PageContent()


@dataclass(frozen=True)
class WebPage(PageScene):
    """The state that a page opens with, and all that it has in common with the snapshots on it."""

    ids: tuple[str, ...]
    fields: tuple[Colouring, ...] = ()
    """The values on the card of a sample, beside its id."""
    images: npt.NDArray[np.uint8] | None = None
    random_state: int = 0
    menu: tuple[Colouring, ...] = ()
    """The colourings that can be chosen beside the present one."""
    named: tuple[NamedSelection, ...] = ()
    snapshots: tuple[PageScene, ...] = ()
    nameless: bool = False
    """Whether no id of a sample may be in the file."""
    live: LivePanels | None = None
    """The panels at other ε, on a page whose reader can move it."""

    @property
    def rows(self) -> npt.NDArray[np.intp]:
        """The samples on the page, the kept one among them."""
        scenes = (self, *self.snapshots)
        n_pictures = sum(points is not None for scene in scenes for points in scene.points)
        most_samples, n_samples = 50_000, len(self.ids)
        most = min(most_samples, MOST_POINTS // max(1, n_pictures))
        if n_samples <= most:
            return np.arange(n_samples)
        rows = np.random.default_rng(self.random_state).choice(n_samples, most, replace=False)
        if self.kept is not None and self.kept not in rows:
            rows[-1] = self.kept
        return np.sort(rows)


def make_page(
    state: DocumentState,
    data: MultiView,
    result: Callable[[str], PanelResult],
    title: str,
    colouring: Colouring | None,
    cameras: Mapping[str, Camera],
    content: PageContent = WHOLE,
) -> WebPage:
    """A document as a page with its present colouring; `result` gives a panel's result by its id."""
    scene = _scene(state, data, result, title, colouring, cameras)
    words = scene.words | {"title": title, "program": f"mvexplorer {__version__}"}
    fields = {c.title: c for c in (resolve_colouring("labels", data, {}), scene.colouring) if c is not None}
    return WebPage(
        *(words, scene.points, scene.colouring, scene.selection, scene.kept, data.sample_ids),
        fields=tuple(fields.values()),
        images=data.images,
        random_state=state.random_state,
        named=state.selections.named if content.selections else (),
        nameless=not content.ids,
    )


def with_menu(page: WebPage, colourings: Sequence[Maker]) -> WebPage:
    """The page with these colourings to choose from, as far as they fit: they are made here, which can take seconds."""
    menu, left = menu_of(page.colouring, colourings, len(page.rows))
    notes = [f"Left out here: {counted(left, 'further colouring')}, for the page’s size."] if left else []
    return replace(page, menu=tuple(menu), words=page.words | {"notes": [*page.words["notes"], *notes]})


def with_snapshots(page: WebPage, snapshots: Iterable[SnapshotPanels]) -> WebPage:
    """The page with snapshots: each with its panels, or the reason why there are none."""
    return replace(page, snapshots=tuple(_snapshot_scene(page, each) for each in snapshots))


def with_live(page: WebPage, live: LivePanels) -> WebPage:
    """The page with its panels at other ε; it says which of them stay as they are."""
    titles = {panel["id"]: panel["title"] for panel in page.words["panels"]}
    notes = [f"{titles[id]} cannot follow ε: {why}" for id, why in live.left_out.items()]
    third = {id: panel.third for id, panel in live.panels.items()}
    panels = [panel | {"third": third.get(panel["id"], "")} for panel in page.words["panels"]]
    return replace(page, live=live, words=page.words | {"panels": panels, "notes": [*page.words["notes"], *notes]})


def page_of(finished: ComputedPanels, title: str, content: PageContent = WHOLE) -> WebPage:
    """A session or comparison that was computed without a window, as a page."""
    state, data = finished.state, finished.data
    page = make_page(state, data, finished.results.__getitem__, title, finished.colouring, {}, content)
    return with_menu(page, own_colourings(state, data, content.selections) if content.colourings else ())


def write_page(page: WebPage, path: str | Path) -> Path:
    """Write a page to a file, which only a whole one replaces; DataError for another ending, or where that fails."""
    path = Path(path)
    if path.suffix.lower() != ENDING:
        raise DataError(f"A web page cannot be written as “{path.suffix}”.", f"End the file's name in {ENDING}.")
    payload = page_html(page).encode()
    with writing(path) as file:
        file.write(payload)
    return path


def page_html(page: WebPage, lesson: Words | None = None) -> str:
    """The whole page as text; a `lesson` stands beside the panels, and leads from one state to the next."""
    beside = lesson is not None
    style = "\n".join(style_of(name) for name in ("page.css", *(["lesson.css"] if beside else [])))
    own = [*(["live.js"] if page.live else []), *(["lesson.js"] if beside else [])]
    script, more = script_of("page.js"), [script_of(name) for name in own]
    # Within a script element only "<" could end the data; in JSON it occurs in texts only.
    words = _page_words(page) | ({"lesson": lesson, "menu": []} if beside else {})
    content = json.dumps(words, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    block = live_block(page.live, page.rows) if page.live else ""
    parts = {
        "title": escape(one_line(words["title"])),
        "program": escape(words["program"]),
        "data": content,
        "style": style,
        "style_hash": source_hash(style),
        "script": script,
        "script_hash": source_hash(script),
        "live_bar": template("live.html") if page.live else "",
        "lesson": template("lesson.html") if beside else "",
        "more_hashes": "".join(f" '{source_hash(each)}'" for each in more),
        "more": "".join([_live_data(block), *(f"<script>{each}</script>\n" for each in more)]),
    }
    return filled(template("page.html"), parts)


def _live_data(block: str) -> str:
    """The element with the pictures at other ε."""
    return f'<script type="text/plain" id="live-data">{block}</script>\n' if block else ""


# What the page says ----------------------------------------------------------------------------------------------


def _scene(
    state: DocumentState,
    data: MultiView,
    result: Callable[[str], PanelResult],
    title: str,
    colouring: Colouring | None,
    cameras: Mapping[str, Camera],
) -> PageScene:
    colouring = in_one(colouring)
    record, left_out = _drawn_on_pages(document_record(state, data, title, result, colouring), state)
    results = {panel.id: result(panel.id) for panel in state.panels}
    points_of = [shown.drawing.points for shown in results.values()]
    drawn = tuple(Y if Y is not None and len(Y) == data.n_samples else None for Y in points_of)
    scores = _scores([*results.values()])
    panels = [
        _panel_words(record, k, results[id], points, cameras.get(id, Camera.default()))
        | {"id": id, "scores": scores[k], "annotations": noted_samples(state, id, data.n_samples)}
        for k, (id, points) in enumerate(zip(results, drawn, strict=True))
    ]
    words = {
        "subtitle": re.sub(" {2,}", " · ", parameter_line(data, state.params)),
        "size": state.point_size,
        "opacity": state.opacity,
        "panels": panels,
        "notes": left_out,
        "visible": list(state.visible_classes),
        "class_names": state.class_names,
    }
    return PageScene(words, drawn, colouring, state.selection, state.point.sample_of(data))


def _snapshot_scene(page: WebPage, one: SnapshotPanels) -> PageScene:
    """A snapshot with its panels, or with the reason why it has none."""
    snapshot, panels, problem = one.snapshot, one.panels, one.problem
    named = {"name": snapshot.name, "note": snapshot.note}
    if panels is not None and panels.data.sample_ids != page.ids:
        panels, problem = None, "Its pictures are not on this page: they show other samples."
    if panels is None:
        as_present = {name: page.words[name] for name in ("size", "opacity")}
        nothing = {"subtitle": "", "problem": problem, "panels": [], "notes": [], "visible": []}
        return PageScene(as_present | nothing | named, (), page.colouring, (), None)
    cameras = {id: Camera(np.array(turned)) for id, turned in snapshot.staging.cameras.items()}
    title, result = page.words["title"], panels.results.__getitem__
    scene = _scene(panels.state, panels.data, result, title, panels.colouring, cameras)
    return replace(scene, words=scene.words | named)


def _drawn_on_pages(record: Words, state: DocumentState) -> tuple[Words, list[str]]:
    """The record of what a page draws, and what it leaves out in words."""
    drawn = {panel["overlay"]["drawn"] for panel in record["panels"] if "overlay" in panel}
    left = [{"ghosts": "the dots of other answers"}.get(each, each) for each in sorted(drawn)]
    left += ["samples' pictures on the map (they stand in the card)"] if record["thumbnails"] else []
    left += ["the rings of neighbours within σ"] if state.point.within and record["ringed"] else []
    panels = [{name: value for name, value in panel.items() if name != "overlay"} for panel in record["panels"]]
    words = [f"Left out here: {' and '.join(left)}."] if left else []
    return record | {"panels": panels, "thumbnails": False}, words


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


def _without_ids(page: WebPage) -> WebPage:
    """The page as it is where nothing on it may name a sample."""
    unnamed = Unnamed(page.ids)

    def clean(scene: Any) -> Any:
        colouring = unnamed.colouring(scene.colouring)
        return replace(scene, words=unnamed.everywhere(scene.words), colouring=colouring)

    def kept(colourings: Iterable[Colouring]) -> tuple[Colouring, ...]:
        return tuple(each for each in map(unnamed.colouring, colourings) if each is not None)

    cleaned: WebPage = clean(page)
    words = ["The samples’ ids are left out."]
    if len(kept(page.menu)) < len(page.menu) or (cleaned.colouring is None) != (page.colouring is None):
        words = ["The samples’ ids are left out, and colourings that name samples."]
    return replace(
        cleaned,
        words=cleaned.words | {"notes": [*cleaned.words["notes"], *words]},
        fields=kept(page.fields),
        menu=kept(page.menu),
        snapshots=tuple(map(clean, page.snapshots)),
        named=tuple(each.model_copy(update=_texts(each, unnamed)) for each in page.named),
    )


def _texts(each: NamedSelection, unnamed: Unnamed) -> dict[str, str]:
    return {"name": unnamed.text(each.name), "origin": unnamed.text(each.origin)}


def _page_words(page: WebPage) -> Words:
    """All that the page's script reads, arrays as base64: whatever else is known does not come into the file."""
    rows = page.rows
    page = _without_ids(page) if page.nameless else page
    most_bytes = 2_400_000  # most bytes of the samples' pictures, before they are written as text
    sheet, problem = image_sheet(page.images, rows, most_bytes)
    notes = [*_sample_notes(page, rows), *([problem] if problem else [])]
    scenes = [page, *page.snapshots]
    colours: list[Colouring | None] = []
    for colouring in (page.colouring, *page.menu, *(scene.colouring for scene in page.snapshots)):
        if _place_among(colours, colouring) is None:
            colours.append(colouring)
    present, *snapshots = [
        _scene_words(scene, rows, notes) | {"colour": _place_among(colours, scene.colouring)} for scene in scenes
    ]
    longest = 1_000  # most characters of an id
    ids = [page.ids[i][:longest] for i in rows]
    numbered = all(id == str(i) for i, id in zip(rows.tolist(), ids, strict=True))
    return present | {
        "shown": len(rows),
        "sheet": sheet,
        "nameless": page.nameless,
        "ids": None if numbered or page.nameless else ids,
        "rows": rows.tolist() if numbered and not page.nameless and len(rows) < len(page.ids) else None,
        "colours": [palette_words(colouring, rows) for colouring in colours],
        "menu": list(range(1 + len(page.menu))),
        "rest": rest_colours(),
        "fields": [field_words(colouring, rows) for colouring in page.fields],
        "named": [_named_words(each, rows) for each in page.named],
        "snapshots": snapshots,
    }


def _place_among(colours: list[Colouring | None], colouring: Colouring | None) -> int | None:
    return next((k for k, each in enumerate(colours) if same_colours(each, colouring)), None)


def _sample_notes(page: WebPage, rows: npt.NDArray[np.intp]) -> list[str]:
    if len(rows) == len(page.ids):
        return []
    return [
        f"The page shows {len(rows):,} of the {len(page.ids):,} samples, drawn at random; scores and warnings are of "
        "the whole."
    ]


def _scene_words(scene: PageScene, rows: npt.NDArray[np.intp], notes: list[str]) -> Words:
    """One state as the script reads it."""
    panels = [
        words | {"annotations": []}
        if points is None
        else words
        | {
            "points": _quantised(points[rows]),
            "hollow": _places(words["hollow"], rows),
            "annotations": placed_notes(words["annotations"], points, rows),
        }
        for words, points in zip(scene.words["panels"], scene.points, strict=True)
    ]
    return scene.words | {
        "panels": panels,
        "selection": _places(scene.selection, rows),
        "ringed": next(iter(_places(() if scene.kept is None else (scene.kept,), rows)), -1),
        "notes": [*scene.words["notes"], *notes],
    }


def _named_words(each: NamedSelection, rows: npt.NDArray[np.intp]) -> Words:
    """A named selection as the script reads it."""
    samples = encoded(_places(each.samples, rows), "<u4")
    return {"name": each.name, "about": each.origin, "colour": selection_colour(each.colour), "samples": samples}


def _places(samples: Sequence[int], rows: npt.NDArray[np.intp]) -> list[int]:
    """The places among `rows` of those of the samples that are there."""
    return np.flatnonzero(np.isin(rows, samples)).tolist()


def _quantised(points: Array) -> str:
    """Coordinates within -1..1 in 16 bits each, one coordinate after the other."""
    across = 65_535  # steps of a coordinate from one side of a picture to the other
    steps = np.rint((np.clip(np.nan_to_num(points), -1.0, 1.0) + 1.0) / 2.0 * across)
    return encoded(steps.T, "<u2")
