"""Notes and class names on a web page: in the program's places, none on another, and hostile ones are only text."""

from __future__ import annotations

import numpy as np
import pytest
from monkey_files import HOSTILE
from PySide6.QtCore import QRectF
from test_web_page import HOSTILE as SCRIPTS
from test_web_page import document, pictures

from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.notes.note import LONGEST_TEXT, Note
from mvexplorer.ui.export.web_notes import placed_notes
from mvexplorer.ui.export.web_page import page_html, page_of, write_page

TEXTS = [text.replace("\udcff", "")[:LONGEST_TEXT] for text in (*SCRIPTS, *HOSTILE)]


@pytest.fixture(scope="module")
def noted():
    """Two pictures of 600 samples in twelve classes, with a note on each, and one on a sample that is not there."""
    data = pictures(600, 2, dims=3)
    notes = [
        Note(text="This class stands apart", panel="p0", samples=tuple(range(0, 600, 12)), place=(0.2, -0.3)),
        Note(text="one sample", panel="p1", samples=(17,), place=(0.0, 0.25)),
        Note(text="nowhere", panel="p1", samples=(7000,)),
    ]
    state = document(data, colour="column:kind")
    return compute(updated(state, {"notes": notes, "class_names": True}), data)


def areas(tab, k):
    """The grounds of the notes and of the class names of a picture."""
    tab.run("drawFrame()")
    return tab.run(
        """const p = pictures[arguments[0]], c = p.top.context, boxes = p.panel.annotations.map((n) => p.noteBox(c, n));
        const names = p.placeNames(c, p.centres(), boxes.map((b) => b.area));
        const about = boxes.map((b) => [b.lines, b.area, [b.x, b.y]]);
        return [about, names.map((n) => [n.text, n.area]), [p.width, p.height]]""",
        k,
    )


def test_a_note_points_at_its_samples_and_no_name_lies_on_another(tab, noted, tmp_path):
    tab.open(write_page(page_of(noted, "Noted"), tmp_path / "a.html"))
    assert tab.errors == []
    for k, (text, rows) in enumerate((("This class stands apart", range(0, 600, 12)), ("one sample", (17,)))):
        (box,), names, size = areas(tab, k)
        assert " ".join(box[0]) == text
        spots = tab.run("return arguments[1].map((i) => [pictures[arguments[0]].x[i], pictures[arguments[0]].y[i]])",
                        k, [*rows])  # fmt: skip
        assert box[2] in spots
        rects = [QRectF(a[0], a[1], a[2] - a[0], a[3] - a[1]) for a in (box[1], *(area for _, area in names))]
        assert all(QRectF(0, 0, *size).contains(rect) for rect in rects)
        assert not any(a.intersects(b) for i, a in enumerate(rects) for b in rects[:i])
        assert len(names) > 4
        assert {name for name, _ in names} <= {f"kind {c}" for c in range(12)}
    assert tab.run("return pictures[1].panel.annotations.length") == 1


def test_names_follow_the_legend(tab, noted, tmp_path):
    tab.open(write_page(page_of(noted, "Noted"), tmp_path / "a.html"))
    before = tab.run("return pictures[0].centres().length")
    assert before == 12
    tab.run("on[3] = 0")
    assert tab.run("return pictures[0].centres().map((c) => c.code)").count(3) == 0


def test_a_part_of_the_samples_keeps_the_notes_that_point_into_it():
    points = np.arange(20.0).reshape(10, 2)
    notes = [
        {"text": "a", "place": [0, 0], "at": np.array([1, 4, 9])},
        {"text": "b", "place": [0, 0], "at": np.array([2])},
    ]
    assert [(each["text"], each["at"]) for each in placed_notes(notes, points, np.array([3, 4, 9]))] == [("a", 1)]


@pytest.mark.nightly
def test_hostile_notes_are_only_text(tab, noted, tmp_path):
    state = noted.state
    notes = [Note(text=text, panel="p0", samples=(i,)) for i, text in enumerate(TEXTS)]
    page = page_of(compute(updated(state, {"notes": notes}), noted.data), "Noted")
    assert page_html(page).count("</script>") == page_html(page_of(noted, "Noted")).count("</script>")
    tab.open(write_page(page, tmp_path / "a.html"))
    assert tab.errors == []
    assert tab.run("return document.title") != "taken"
    assert tab.run("return document.images.length") == 0
    lines = [words for box in areas(tab, 0)[0] for words in box[0]]
    assert all(len(words) <= 28 and not set(words) & {"\u202e", "\n", "\x00"} for words in lines)
    assert len(areas(tab, 0)[0]) == len(TEXTS)
