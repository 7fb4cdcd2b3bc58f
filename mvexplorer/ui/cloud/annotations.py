"""Writing on a picture, in the window as in files: class names at their centres, and notes with arrows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.notes.targets import DrawnNote, drawn_notes
from mvexplorer.state.pictures.colouring import Colouring, in_panel
from mvexplorer.ui.cloud.arrays import Rows
from mvexplorer.ui.cloud.centres import Centres
from mvexplorer.ui.cloud.class_names import (
    ClassGroup,
    PlacedName,
    class_groups,
    draw_names,
    name_sizes,
    room_for_names,
)
from mvexplorer.ui.cloud.note_boxes import (
    HEAD,
    NoteBox,
    clear_of_target,
    draw_arrow,
    draw_text,
    kept_inside,
    note_lines,
    note_size,
)
from mvexplorer.ui.cloud.overlay import Canvas, on_canvas
from mvexplorer.ui.cloud.picture import point_radius
from mvexplorer.ui.style import theme


@dataclass(frozen=True, eq=False)
class Written:
    """The notes of a picture, and the colouring whose classes are named on it, if any."""

    notes: tuple[DrawnNote, ...] = ()
    colouring: Colouring | None = None

    @property
    def is_empty(self) -> bool:
        """True if nothing is written."""
        return not self.notes and self.colouring is None


def written_on(state: DocumentState, data: MultiView, colouring: Colouring | None, panel: str) -> Written:
    """The notes of a panel, and its colouring where the document names classes."""
    named = in_panel(colouring, panel) if state.class_names else None
    return Written(drawn_notes(state, panel, data.n_samples), named)


class Annotations:
    """The overlay of notes and class names; `wanted` tells which when it is painted."""

    def __init__(self, wanted: Callable[[], Written | None] = lambda: None) -> None:
        self.wanted = wanted
        self._centres = Centres()
        self._grouped: tuple[Colouring | None, tuple[ClassGroup, ...]] = (None, ())
        self.at_hand = -1
        """The number of the note that keys go to; -1 for none."""

    def paint(self, painter: QPainter, canvas: Canvas) -> None:
        """Draw arrows, class names and texts, the later ones above."""
        boxes = self.note_boxes(canvas)
        for box in boxes:
            draw_arrow(painter, box)
        taken = [area for box in boxes for area in (box.rect, _about(box.target))]
        placed, colouring = self.class_names(canvas, taken), self._grouped[0]
        if colouring is not None:
            draw_names(painter, placed, colouring)
        for box in boxes:
            draw_text(painter, box, at_hand=box.number == self.at_hand)

    def target(self, canvas: Canvas, rows: Rows) -> QPointF | None:
        """Where the centre of samples lies; None where none is visible or it is out of sight."""
        look, n = canvas.cloud.look, canvas.cloud.n_points
        if look is None or len(look.visible) != n or not len(rows) or rows.max() >= n:
            return None
        centre = self._centres.of(canvas.cloud, rows)
        if centre < 0:
            return None
        place = canvas.positions_of(np.array([centre]))
        return QPointF(*place[0].tolist()) if on_canvas(place, canvas)[0] else None

    def note_boxes(self, canvas: Canvas) -> list[NoteBox]:
        """The notes as they stand on the picture."""
        wanted, look = self.wanted(), canvas.cloud.look
        if wanted is None or look is None:
            return []
        radius = point_radius(look.size, canvas.cloud.n_points)
        targets = ((each, self.target(canvas, each.rows)) for each in wanted.notes)
        return [_box(each, target, radius, canvas) for each, target in targets if target is not None]

    def class_names(self, canvas: Canvas, taken: Sequence[QRectF] = ()) -> list[PlacedName]:
        """The classes' names where there is room for them."""
        wanted, look, n = self.wanted(), canvas.cloud.look, canvas.cloud.n_points
        colouring = None if wanted is None else wanted.colouring
        if colouring is not self._grouped[0]:
            self._grouped = colouring, class_groups(colouring)
        if colouring is None or look is None or not len(look.visible) == n == len(colouring.values):
            return []
        centred = [(each, self._centres.of(canvas.cloud, each.rows)) for each in self._grouped[1]]
        centred = [(each, centre) for each, centre in centred if centre >= 0]
        places = canvas.positions_of(np.array([centre for _, centre in centred], dtype=np.intp))
        seen = on_canvas(places, canvas)
        groups = [each for (each, _), there in zip(centred, seen.tolist(), strict=True) if there]
        room = QRectF(0, 0, canvas.width(), canvas.height()).adjusted(1, 1, -1, -1)
        sizes = name_sizes([each.name for each in groups])
        rects = room_for_names(sizes, places[seen], room, [*taken, *canvas.reserved()])
        named = zip(groups, rects, strict=True)
        return [PlacedName(each.name, each.code, rect) for each, rect in named if rect is not None]


def _about(target: QPointF) -> QRectF:
    """Where an arrow's head lies."""
    reach = theme.px(HEAD)
    return QRectF(target.x() - reach, target.y() - reach, 2 * reach, 2 * reach)


def _box(drawn: DrawnNote, target: QPointF, radius: float, canvas: Canvas) -> NoteBox:
    lines = note_lines(drawn.note.text)
    across, down = drawn.note.place
    away, size = QPointF(across * canvas.width(), down * canvas.height()), note_size(lines)
    centre = target + clear_of_target(away, size, radius)
    return NoteBox(drawn.number, lines, kept_inside(centre, size, canvas), target, radius)
