"""The part of a sheet that a figure shows: panels with letters, and some of what lies on them, as its caption says."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from mvexplorer.state.export.captions import document_caption
from mvexplorer.ui.cloud.annotations import Annotations
from mvexplorer.ui.cloud.marks import KeptMark, Thumbnails
from mvexplorer.ui.cloud.near_mark import NearMark
from mvexplorer.ui.cloud.overlay import Overlay
from mvexplorer.ui.cloud.spread_overlay import EllipseOverlay, GhostOverlay
from mvexplorer.ui.export.sheet import Sheet

ELLIPSES, DOTS, RING, NEAR, PICTURES, WORDS = "ellipses", "dots", "ring", "neighbours", "pictures", "words"
OVERLAYS = {
    ELLIPSES: "Ellipses of stability",
    DOTS: "Dots of stability",
    RING: "Ring of the kept sample",
    NEAR: "Neighbours of the kept sample",
    PICTURES: "Samples' pictures",
    WORDS: "Notes and class names",
}
"""What may lie on pictures, by its kind."""
OF_STABILITY = frozenset((ELLIPSES, DOTS))
"""Left out of a figure unless asked for: a check of some time ago is no part of what it shows."""


def letter(place: int) -> str:
    """The letter of a panel, by its place from 0; after z come aa, ab and so on."""
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    before, own = divmod(place, len(alphabet))
    return (letter(before - 1) if before else "") + alphabet[own]


def offered_overlays(sheet: Sheet) -> dict[str, str]:
    """The kinds of what lies on the pictures now, and what they are called."""
    there = {_kind(overlay) for overlay in _all(sheet)}
    return {kind: words for kind, words in OVERLAYS.items() if kind in there}


def _all(sheet: Sheet) -> Iterator[Overlay]:
    yield from sheet.overlays
    for tile in sheet.tiles:
        yield from (*tile.overlays, *tile.annotations)


def _kind(overlay: Overlay) -> str:
    """Name the kind of an overlay; empty where it draws nothing, or is not chosen here."""
    if isinstance(overlay, KeptMark):
        return RING if overlay.sample >= 0 else ""
    if isinstance(overlay, Thumbnails):
        return PICTURES if overlay.images is not None else ""
    kinds = {EllipseOverlay: ELLIPSES, GhostOverlay: DOTS, NearMark: NEAR, Annotations: WORDS}
    return next((kind for of, kind in kinds.items() if isinstance(overlay, of)), "")


def figure_sheet(sheet: Sheet, places: Sequence[int], *, letters: bool, overlays: Collection[str]) -> Sheet:
    """The panels at some places of a sheet, in their order, with these kinds of overlays, as record and caption say."""
    left_out = OVERLAYS.keys() - set(overlays)
    tiles = [sheet.tiles[place] for place in places]
    panels = [_panel(sheet.record["panels"][place], left_out) for place in places]
    if letters:
        panels = [{"letter": letter(i)} | panel for i, panel in enumerate(panels)]
    record = sheet.record | {"panels": panels}
    record |= {"ringed": ""} if RING in left_out else {}
    record |= {"thumbnails": False} if PICTURES in left_out else {}
    return replace(
        sheet,
        tiles=tuple(
            replace(tile, overlays=_kept(tile.overlays, left_out), annotations=_kept(tile.annotations, left_out))
            for tile in tiles
        ),
        overlays=_kept(sheet.overlays, left_out),
        record=record | {"caption": document_caption(record)},
    )


def _kept(overlays: Sequence[Overlay], left_out: Collection[str]) -> tuple[Overlay, ...]:
    return tuple(overlay for overlay in overlays if _kind(overlay) not in left_out)


def _panel(panel: dict[str, Any], left_out: Collection[str]) -> dict[str, Any]:
    """A panel's record without what is not drawn."""
    dropped = {name for name, kind in (("near", NEAR), ("notes", WORDS)) if kind in left_out}
    dots = panel.get("overlay", {}).get("drawn") == "ghosts"
    dropped |= {"overlay"} if (DOTS if dots else ELLIPSES) in left_out else set()
    return {name: facts for name, facts in panel.items() if name not in dropped}
