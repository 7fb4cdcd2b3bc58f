"""The program on a real X server, used as a new user would: by mouse and keys, from the outside."""

from __future__ import annotations

import os
import sys

import command
import numpy as np
import pytest
from xserver import Hand, Program, missing_tools, poll, running, x_server

pytestmark = [pytest.mark.window, pytest.mark.slow]

REQUIRED = "MVEXPLORER_REQUIRE_WINDOW"


@pytest.fixture(scope="module")
def display():
    """A display with a window manager."""
    missing = missing_tools()
    if missing:
        reason = f"a real window needs {', '.join(missing)}"
        if os.environ.get(REQUIRED):
            pytest.fail(reason)
        pytest.skip(reason)
    with x_server() as name:
        yield name


@pytest.fixture
def started_before(tmp_path):
    """A user who has seen the first start."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "settings.json").write_text('{"started_before": true, "animate": false, "theme": "light"}')
    return tmp_path


@pytest.fixture
def table(tmp_path):
    """A file of two views on a ring."""
    angle = np.linspace(0, 2 * np.pi, 150, endpoint=False)
    rows = np.column_stack([np.cos(angle), np.sin(angle), np.cos(angle), np.sin(angle), 0.5 * np.cos(2 * angle)])
    path = tmp_path / "ring.csv"
    np.savetxt(path, rows, delimiter=",", header="one:x,one:y,two:x,two:y,two:z", comments="")
    return path


def middle(place: list[int]) -> tuple[float, float]:
    """The centre of a widget."""
    return place[0] + place[2] / 2, place[1] + place[3] / 2


def track(place: list[int], fraction: float) -> tuple[float, float]:
    """A position on a slider's track."""
    return place[0] + 9 + fraction * (place[2] - 18), place[1] + 11


def part(picture, place: list[int]):
    """The part of a picture of the screen that a widget covers."""
    x, y, w, h = place
    return picture[y : y + h, x : x + w].astype(int)


@pytest.mark.nightly
def test_the_command_opens_a_window_with_a_title(display, tmp_path):
    variables = command.environment(
        tmp_path, DISPLAY=display, QT_QPA_PLATFORM=None, WAYLAND_DISPLAY=None, PYTHONWARNINGS=None
    )
    words = [sys.executable, "-m", "mvexplorer"]
    with running(words, cwd=tmp_path, env=variables) as process:
        hand = Hand(display)
        poll("the window", lambda: any("elix" in title for title in hand.titles()))
        assert process.poll() is None


def test_the_first_start_shows_a_living_picture(display, tmp_path):
    with Program(display, tmp_path) as program:
        found = program.at_rest("the helix", lambda f: f["n"] == 600)
        assert len(found["banners"]) == 1
        assert len([k for k in found["places"] if k.startswith("canvas:")]) == 6
        before = program.picture("before")
        assert len(np.unique(part(before, found["places"]["canvas:p1"]).reshape(-1, 3), axis=0)) > 30
        slider = found["places"]["slider:view1"]
        program.hand.drag([track(slider, f) for f in (0.4, 0.5, 0.6, 0.7)])
        after = program.at_rest("the drag", lambda f: isinstance(f["epsilon"]["view1"], float))
        assert after["epsilon"]["view1"] != found["epsilon"]["view1"]
        assert after["epsilon"]["view2"] == found["epsilon"]["view2"]
        picture = program.picture("after")
        changed = {
            id: np.abs(
                part(picture, found["places"][f"canvas:{id}"]) - part(before, found["places"][f"canvas:{id}"])
            ).max()
            for id in ("p1", "p2", "p6")
        }
        assert changed["p1"] > 60
        assert changed["p6"] > 60
        assert changed["p2"] < 30  # the other view alone does not move
        assert "Traceback" not in program.errors


@pytest.mark.nightly
def test_a_file_is_opened_lassoed_undone_saved_and_reopened(display, started_before, table):
    folder = started_before
    with Program(display, folder, table) as program:
        found = program.at_rest("the file", lambda f: f["n"] == 150)
        assert found["views"] == ["one", "two"]
        assert "ring.csv" in found["title"]
        hand = program.hand
        # Into three dimensions, and round it.
        hand.click(*middle(found["places"]["3d:p1"]))
        flat = program.at_rest("three dimensions", lambda f: f["dims"]["p1"] == 3)
        x, y = middle(flat["places"]["canvas:p1"])
        hand.drag([(x, y), (x + 20, y + 5), (x + 60, y + 20), (x + 90, y + 30)], button=3)
        turned = program.at_rest("the turn", lambda f: f["cameras"]["p1"] != flat["cameras"]["p1"])
        assert turned["cameras"]["p2"] == turned["cameras"]["p1"]
        # A lasso around some points.
        spots = np.array(turned["points"]["p1"])
        corner, size = np.array(turned["places"]["canvas:p1"][:2]), np.array(turned["places"]["canvas:p1"][2:])
        centre, radius = spots[30], 45.0
        loop = [(centre[0] + radius * np.cos(a), centre[1] + radius * np.sin(a)) for a in np.linspace(0, 6.2, 24)]
        loop = [tuple(np.clip(p, corner + 2, corner + size - 3)) for p in loop]
        hand.drag(loop)
        chosen = program.at_rest("the lasso", lambda f: f["selection"])["selection"]
        away = np.linalg.norm(spots - centre, axis=1)
        assert set(np.flatnonzero(away < radius - 4)) <= set(chosen) <= set(np.flatnonzero(away < radius + 4))
        # A drag of the bandwidth, taken back by key.
        slider = turned["places"]["master"]
        hand.drag([track(slider, f) for f in (0.5, 0.55, 0.6)])
        program.at_rest("the drag", lambda f: f["scale"] > 1.5)
        hand.key("ctrl+z")
        back = program.at_rest("undo", lambda f: f["scale"] == 1.0)
        assert back["selection"] == chosen
        # Saved through the dialog.
        hand.key("ctrl+s")
        program.until("the dialog", lambda f: any("Dialog" in d[0] for d in f["dialogs"]))
        hand.key("ctrl+a")
        hand.type(str(folder / "mine"))
        hand.key("Return")
        poll("the session file", (folder / "mine.mvx.json").is_file)
        saved = program.at_rest("the saved state", lambda f: not f["dirty"])
        assert saved["title"].endswith("· mine")
        hand.key("ctrl+q")
        assert program.ended() == 0
        assert "Traceback" not in program.errors
    with Program(display, folder, folder / "mine.mvx.json") as program:
        again = program.at_rest("the session", lambda f: f["n"] == 150)
        assert again["selection"] == chosen
        assert again["dims"]["p1"] == 3
        assert np.allclose(again["cameras"]["p1"], saved["cameras"]["p1"], atol=1e-5)
        assert again["epsilon"] == saved["epsilon"]
        # Changed and closed: the question comes, and Escape keeps the window.
        program.hand.click(*middle(again["places"]["title:p1"]))
        program.hand.key("Escape")
        program.hand.key("alt+Right")
        program.at_rest("a change", lambda f: f["dirty"])
        program.hand.key("ctrl+q")
        program.until("the question", lambda f: any("Choice" in d[0] for d in f["dialogs"]))
        program.hand.key("Escape")
        program.until("the window again", lambda f: not f["dialogs"])
        program.hand.key("ctrl+q")
        asked = program.until("the question", lambda f: len(f["buttons"]) == 3)
        away = next(place for text, place in asked["buttons"].items() if "iscard" in text or "ithout" in text)
        program.hand.click(*middle(away))
        assert program.ended() == 0


@pytest.mark.nightly
def test_a_bad_file_is_a_message_and_not_a_dialog(display, started_before):
    bad = started_before / "bad.csv"
    bad.write_text("")
    with Program(display, started_before, bad) as program:
        found = program.until("the message", lambda f: f["banners"])
        assert "bad.csv" in found["banners"][0]
        assert not found["dialogs"]
        assert found["start"]
        program.hand.key("ctrl+q")
        assert program.ended() == 0
