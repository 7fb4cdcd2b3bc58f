"""A picture that was laid onto its former one lies the same way when the session is opened again."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from test_library import Desk

from mvexplorer.engine.spectral.alignment import turn_between
from mvexplorer.errors import SessionError
from mvexplorer.state.session.session_file import parse_session
from mvexplorer.state.session.settings import HOME_VARIABLE


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))


@pytest.fixture
def desk():
    made = Desk()
    yield made
    made.library.autosave.stop()
    made.bench.controller.shutdown()


@pytest.fixture
def ring(tmp_path):
    """A ring, whose first two coordinates turn as the samples are weighed otherwise, and come with any sign."""
    angle = np.sort(np.random.default_rng(2).uniform(0.0, 2 * np.pi, 40))
    path = tmp_path / "ring.csv"
    path.write_text("u,v\n" + "\n".join(f"{np.cos(a):.6f},{np.sin(a):.6f}" for a in angle) + "\n")
    return path


@pytest.mark.parametrize(("ending", "dims"), [(".mvx.json", 2), (".mvx.json", 3), (".mvx", 2)])
def test_a_turned_picture_reopens_turned(desk, ring, tmp_path, ending, dims):
    desk.open(ring)
    (panel,) = desk.document.state.panels
    desk.bench.editor.set_dims(panel.id, dims)
    desk.rest()
    found = desk.bench.controller.result
    fresh = found(panel.id).drawing.points
    turn, _ = np.linalg.qr(np.random.default_rng(5).normal(size=(dims, dims)))
    found(panel.id).draw(replace(found(panel.id).drawing, points=fresh @ turn))  # a former picture that lay otherwise
    desk.bench.editor.set_epsilon("ring", 0.2)
    desk.rest()
    turned = found(panel.id).drawing.points
    assert not np.allclose(turned, fresh, atol=0.05)
    names = found(panel.id).drawing.axis_names
    path = tmp_path / f"turned{ending}"
    assert desk.library.write(path, wait=True)
    desk.library.open_source(("helix-a",))
    desk.turn_until(lambda: desk.document.data.n_samples == 600)
    desk.library.open_session(path)
    desk.turn_until(lambda: desk.document.data.n_samples == 40)
    desk.rest()
    assert np.allclose(found(panel.id).drawing.points, turned, atol=1e-6)
    assert found(panel.id).drawing.axis_names == names
    desk.bench.editor.draw_axes(panel.id, (1, 0, 2))
    desk.rest()
    assert found(panel.id).drawing.turn is None  # a turn of these axes is none of others
    assert not any(name.startswith("≈") for name in found(panel.id).drawing.axis_names)


def test_a_session_without_turns_opens_and_one_with_a_strange_turn_does_not(desk, ring, tmp_path):
    desk.open(ring)
    desk.rest()
    path = tmp_path / "plain.mvx.json"
    desk.library.write(path)
    content = json.loads(path.read_text())
    assert content.pop("turns") == {}
    parse_session(json.dumps(content).encode(), "old")
    for strange in ([[2.0, 0.0], [0.0, 1.0]], [[1.0, 0.0]], [[1.0]], [[1e308, 1e308], [1e308, -1e308]]):
        with pytest.raises(SessionError, match="turn is no rotation"):
            parse_session(json.dumps({**content, "turns": {"p1": strange}}).encode(), "strange")


def test_the_turn_between_two_pictures_is_their_rotation():
    Y = np.random.default_rng(0).normal(size=(30, 3))
    Q, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))
    assert np.allclose(turn_between(Y, 3.0 * Y @ Q + 1.0)[0], Q, atol=1e-12)
