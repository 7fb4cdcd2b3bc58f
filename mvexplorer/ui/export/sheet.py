"""The panels as one picture: what stands on it, in words and points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any

from mvexplorer.compute.jobs.runner import Scores
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.state.bench.headless import ComputedPanels
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.model import DocumentState, PanelState
from mvexplorer.state.document.titles import parameter_line
from mvexplorer.state.export.captions import document_caption
from mvexplorer.state.export.record import document_record, near_record
from mvexplorer.state.pictures.colouring import Colouring, in_panel
from mvexplorer.state.pictures.near_kept import NearKept, near_kept
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.ui.cloud.annotations import Annotations, written_on
from mvexplorer.ui.cloud.look import point_style
from mvexplorer.ui.cloud.marks import KeptMark, Thumbnails
from mvexplorer.ui.cloud.near_mark import NearMark
from mvexplorer.ui.cloud.overlay import Overlay
from mvexplorer.ui.cloud.picture import Camera, Viewport
from mvexplorer.ui.cloud.rasteriser import PointStyle
from mvexplorer.ui.cloud.spread_overlay import spread_overlay
from mvexplorer.ui.panels.header import pin_text
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.widgets.plain_text import line
from mvexplorer.wording import with_arrows

WHOLE = Viewport()


@dataclass(frozen=True)
class Tile:
    """One embedding in a picture: points (M, 2 or 3) within -1..1, and the texts around it."""

    title: str
    points: Array | None
    axis_names: tuple[str, ...]
    details: str
    warnings: tuple[str, ...] = ()
    scores: Scores | None = None
    problem: str = ""
    camera: Camera | None = None
    edge: tuple[int, ...] = ()
    """The samples that lie on the edge of a trimmed drawing."""
    unplaced: tuple[int, ...] = field(default=(), kw_only=True)
    """The samples without coordinates, which stand on the rim."""
    frame: Viewport = WHOLE
    overlays: tuple[Overlay, ...] = ()
    """The overlays on this picture in the window: ellipses, or other answers' dots; the kept sample's neighbours."""
    style: PointStyle | None = None
    """How its points look, where that is not the sheet's way."""
    annotations: tuple[Overlay, ...] = ()
    """Notes and class names, above all else."""

    @property
    def axis_words(self) -> list[str]:
        """The names of its axes, with the ways in which those of a flat picture point."""
        return with_arrows([*map(line, self.axis_names)], 0 if self.points is None else self.points.shape[1])


@dataclass(frozen=True)
class Sheet:
    """A whole picture; `record` is written into the file."""

    title: str
    subtitle: str
    tiles: tuple[Tile, ...]
    colouring: Colouring | None
    style: PointStyle
    selection: tuple[int, ...] = ()
    record: dict[str, Any] = field(default_factory=dict)
    caption: str = ""
    """Words below the picture."""
    columns: int = 0
    """Tiles beside each other; 0 for about as many as there are rows."""
    overlays: tuple[Overlay, ...] = ()
    """The overlays on all pictures: the kept sample's ring, and samples' pictures."""


def sheet_of(
    workbench: Workbench,
    title: str,
    colouring: Colouring | None,
    cameras: Mapping[str, Camera],
    frames: Mapping[str, Viewport] = MappingProxyType({}),
) -> Sheet:
    """The panels of a workbench as a sheet, each as its camera sees it and as far as its frame shows it."""
    state, data = workbench.document.state, workbench.document.data
    assert data is not None
    state = state.model_copy(update={"panels": state.shown})
    sheet = make_sheet(state, data, workbench.controller.result, title, colouring, cameras)
    near = near_kept(workbench.controller, workbench.inspector.surroundings)
    tiles = tuple(
        replace(tile, frame=frames.get(panel.id, WHOLE), overlays=(*_spread(workbench, panel), *_near(near, panel)))
        for tile, panel in zip(sheet.tiles, state.panels, strict=True)
    )
    panels = [
        facts | near_record(data, near.get(panel.id))
        for facts, panel in zip(sheet.record["panels"], state.panels, strict=True)
    ]
    record = sheet.record | {"panels": panels}
    return replace(sheet, tiles=tiles, record=record | {"caption": document_caption(record)})


def _near(near: Mapping[str, NearKept], panel: PanelState) -> tuple[Overlay, ...]:
    """Return the overlay of the kept sample's neighbours in a panel, if any."""
    return (NearMark(partial(near.get, panel.id)),) if panel.id in near else ()


def _spread(workbench: Workbench, panel: PanelState) -> tuple[Overlay, ...]:
    """Return the overlay of what stability found of a panel, if any."""
    stability, how = workbench.checks.drawn(panel.id), workbench.document.state.checks.overlay
    overlay = spread_overlay(panel, workbench.controller.result(panel.id), stability, how)
    return () if overlay is None else (overlay,)


def _marks(state: DocumentState, data: MultiView) -> tuple[Overlay, ...]:
    """List the overlays of all pictures, in the order of painting."""
    pictures, ring = Thumbnails(), KeptMark()
    pictures.use(data.images if state.point.thumbnails else None)
    kept = state.point.sample_of(data)
    ring.sample = -1 if kept is None else kept
    return pictures, ring


def _written(state: DocumentState, data: MultiView, colouring: Colouring | None, panel: str) -> tuple[Overlay, ...]:
    """Return the overlay of a panel's notes and class names, if any."""
    words = written_on(state, data, colouring, panel)
    return () if words.is_empty else (Annotations(lambda: words),)


def make_sheet(
    state: DocumentState,
    data: MultiView,
    result: Callable[[str], PanelResult],
    title: str,
    colouring: Colouring | None,
    cameras: Mapping[str, Camera],
) -> Sheet:
    """The panels of a document as a sheet; `result` gives a panel's result by its id."""
    record = document_record(state, data, title, result, colouring)
    record["caption"] = document_caption(record)
    tiles = []
    longest = 140  # most characters of a warning on a picture
    for panel, facts in zip(state.panels, record["panels"], strict=True):
        answer = result(panel.id)
        drawing = answer.drawing
        pins = [f"{pin_text(k, v)} pinned" for k, v in panel.pins.items() if ":" not in k]
        pins += [f"trimmed, {len(drawing.edge):,} at the edge"] if panel.trim else []
        doubts = (*(("stale: computed for former settings",) if facts["stale"] else ()), *facts["warnings"])
        tiles.append(
            Tile(
                facts["title"],
                drawing.points,
                drawing.axis_names,
                "\n".join(_details(facts, pins)),
                tuple(line(doubt, longest) for doubt in doubts),
                answer.scores,
                facts.get("error", ""),
                cameras.get(panel.id),
                drawing.edge,
                unplaced=drawing.unplaced,
                style=_own_style(state, data, colouring, panel.id),
                annotations=_written(state, data, colouring, panel.id),
            )
        )
    subtitle = parameter_line(data, state.params)
    if state.selection:
        origin = state.selections.origin
        subtitle += f"   {len(state.selection):,} selected{f': {line(origin)}' if origin else ''}"
    style = _point_style(state, data, colouring)
    return Sheet(title, subtitle, tuple(tiles), colouring, style, state.selection, record, overlays=_marks(state, data))


def computed_sheet(finished: ComputedPanels, title: str) -> Sheet:
    """A session or comparison that was computed without a window, as a picture."""
    state, data = finished.state, finished.data
    return make_sheet(state, data, finished.results.__getitem__, title, finished.colouring, {})


def _point_style(state: DocumentState, data: MultiView, colouring: Colouring | None) -> PointStyle:
    """Return the points' look in the window at the usual type."""
    return replace(point_style(state, colouring, data.n_samples), size=state.point_size)


def _own_style(state: DocumentState, data: MultiView, colouring: Colouring | None, panel: str) -> PointStyle | None:
    has_own = colouring is not None and panel in colouring.own
    return _point_style(state, data, in_panel(colouring, panel)) if has_own else None


def _details(facts: dict[str, Any], pins: list[str]) -> list[str]:
    """Describe how a panel was computed: parameters and pins, then kernel, preprocessing and bandwidth of its views."""
    symbols = {"eta": "η", "t": "t", "n_components": "r"}
    given = {name: v for name, v in facts.get("parameters", {}).items() if name not in facts["pinned"]}
    params = [f"{symbol} {given[name]:.3g}" for name, symbol in symbols.items() if name in given]
    if "joint_epsilon" in facts:
        params.append(f"joint ε {numbers.number(facts['joint_epsilon'])}")
    lines = ["   ".join((*params, *pins))]
    groups: dict[tuple[str, str], list[str]] = {}
    for view in facts.get("views", ()):
        kernel = f"{view['kernel']} kernel, " if "kernel" in view else ""
        rule = view.get("rule", "")
        if rule and f"epsilon:{view['name']}" in facts["pinned"]:
            rule += ", pinned"
        epsilon = f" ε {numbers.number(view['epsilon'])}" if "epsilon" in view else ""
        groups.setdefault((f"{kernel}{view['preprocessing']}", rule), []).append(f"{line(view['name'], 24)}{epsilon}")
    return lines + [
        f"{how}: {', '.join(views)}" + (f" ({rule})" if rule else "") for (how, rule), views in groups.items()
    ]
