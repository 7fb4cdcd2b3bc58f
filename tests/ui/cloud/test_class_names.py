"""Names of classes on pictures: each at a sample of its class, none on another, all of them legible."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QColor

from mvexplorer.state.document.selections import NamedSelection, Selections
from mvexplorer.state.pictures.colouring import Colouring, colour_by_selections
from mvexplorer.ui.cloud.centres import medoid
from mvexplorer.ui.cloud.class_names import LONGEST_NAME, SHIFTS, class_groups, legible, room_for_names
from mvexplorer.ui.cloud.note_boxes import ACROSS, HEAD, clear_of_target, note_lines
from mvexplorer.ui.style.palettes import CLASSES
from mvexplorer.ui.style.theme import DARK, LIGHT

ROOM = QRectF(0, 0, 300, 200)


def shared(first: QRectF, second: QRectF) -> float:
    """The area that two rectangles have in common, from their edges."""
    wide = min(first.right(), second.right()) - max(first.left(), second.left())
    high = min(first.bottom(), second.bottom()) - max(first.top(), second.top())
    return max(0.0, wide) * max(0.0, high)


@pytest.mark.parametrize("seed", range(6))
def test_no_name_lies_on_another_or_outside(seed):
    random = np.random.default_rng(seed)
    centres = random.uniform((80, 60), (220, 140), size=(40, 2))
    sizes = [QSizeF(w, 16) for w in random.uniform(12, 90, 40)]
    note = QRectF(100, 80, 60, 30)
    placed = room_for_names(sizes, centres, ROOM, [note])
    rects = [rect for rect in placed if rect is not None]
    assert 8 < len(rects) < 40, "there is room for some of them only"
    assert all(ROOM.contains(rect) for rect in rects)
    for i, rect in enumerate(rects):
        assert shared(rect, note) == 0.0
        assert all(shared(rect, other) == 0.0 for other in rects[:i])
    reach = np.abs(SHIFTS).max(axis=0)
    for rect, size, centre in zip(placed, sizes, centres, strict=True):
        if rect is not None:
            away = rect.center() - QPointF(*centre)
            assert abs(away.x()) <= reach[0] * (size.width() + 1) + 1e-6
            assert abs(away.y()) <= reach[1] * (size.height() + 1) + 1e-6


def test_the_first_name_stands_at_its_centre_and_the_next_beside_it():
    first, second = room_for_names([QSizeF(20, 10)] * 2, np.full((2, 2), 50.0), ROOM)
    assert first.center() == QPointF(50, 50)
    assert second.center() == QPointF(50, 39)


def test_a_name_without_room_is_left_out():
    assert room_for_names([QSizeF(400, 10)], np.full((1, 2), 50.0), ROOM) == [None]
    assert room_for_names([QSizeF(20, 10)], np.full((1, 2), 50.0), ROOM, [ROOM]) == [None]


def test_the_centre_of_a_ring_lies_on_it():
    angle = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    points = np.vstack([ring, [[9.0, 9.0]]])
    assert np.linalg.norm(points[medoid(points)]) == pytest.approx(1.0)
    few = np.array([[0.0], [1.0], [2.0], [50.0]])
    exact = np.abs(few - few.T).sum(axis=1).argmin()
    assert medoid(few) == exact


def test_larger_classes_come_first_and_the_rest_of_selections_has_no_name():
    colouring = Colouring("label", np.array([1, 1, 1, 0, 2, 2]), ("a", "b", "c", "none"))
    assert [(each.name, each.rows.tolist()) for each in class_groups(colouring)] == [
        ("b", [0, 1, 2]), ("c", [4, 5]), ("a", [3]),
    ]  # fmt: skip
    selections = Selections(named=(NamedSelection(name="mine", samples=(1, 2)),))
    assert [each.name for each in class_groups(colour_by_selections(selections, 9))] == ["mine"]
    assert class_groups(Colouring("number", np.arange(3.0))) == ()
    assert class_groups(None) == ()


def test_long_names_are_cut_and_told_apart():
    names = ("x" * 400 + "a", "x" * 400 + "b" + "\u202e", "y\nz")
    groups = class_groups(Colouring("label", np.array([0, 1, 2]), names))
    written = {each.name for each in groups}
    assert len(written) == 3
    assert all(len(name) <= LONGEST_NAME + 4 and "\n" not in name and "\u202e" not in name for name in written)


def luminance(colour: QColor) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour.getRgbF()[:3]]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_names_in_class_colours_can_be_read(theme):
    for colour in map(QColor, CLASSES[theme.name]):
        written = legible(colour.name(), theme.surface, theme.text)
        low, high = sorted((luminance(written), luminance(theme.color("surface"))))
        assert (high + 0.05) / (low + 0.05) >= 4.5
        assert written.hslHueF() == pytest.approx(colour.hslHueF(), abs=0.12) or colour.hslSaturationF() < 0.3


def test_notes_wrap_and_hostile_ones_stay_on_their_lines(app):
    lines = note_lines("Here the two views disagree about what is near " + "w" * 90 + "\u202e\x07")
    assert all(len(each) <= ACROSS for each in lines)
    assert not {"\u202e", "\x07", "\n"} & set("".join(lines))
    assert note_lines("\u202e") != ()


def test_a_text_keeps_its_arrow_when_its_type_grows(app):
    for away in (QPointF(0, 0), QPointF(10, 3), QPointF(-300, 0)):
        centre = clear_of_target(away, QSizeF(200, 80), 3.0)
        rect = QRectF(centre.x() - 100, centre.y() - 40, 200, 80)
        assert not rect.adjusted(-HEAD, -HEAD, HEAD, HEAD).contains(QPointF(0, 0))
    assert clear_of_target(QPointF(-300, 0), QSizeF(200, 80), 3.0) == QPointF(-300, 0)
