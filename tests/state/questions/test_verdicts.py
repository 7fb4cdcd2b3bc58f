"""Verdicts on the views in use: asked for at rest, in words while a hand moves, in sentences once they are known."""

from itertools import pairwise

import numpy as np
import pytest
from inline import CountingCache, Inline, Later, circle_data, opened

import mvexplorer as mvx
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document import commands
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.questions import verdicts
from mvexplorer.state.questions.verdicts import Verdicts, ViewVerdict


class Judging:
    """A document with a controller and verdicts."""

    def __init__(self, document=None, background=None):
        self.document = document or opened(circle_data())
        self.controller = Controller(
            self.document, executor=Inline(), background=background or Inline(), cache=CountingCache()
        )
        self.verdicts = Verdicts(self.controller)
        self.heard = []
        self.verdicts.changed.connect(self.heard.append)
        self.document.reset(self.document.state, self.document.data.replace())


@pytest.fixture
def judging():
    made = Judging()
    yield made
    made.controller.shutdown()


def test_nothing_is_judged_before_it_is_asked_for(judging):
    assert judging.verdicts.now() == {"v1": ViewVerdict(), "v2": ViewVerdict()}
    judging.verdicts.ask()
    assert {"", "v1", "v2"} == set(judging.heard)


def test_they_are_those_of_the_public_function(judging):
    commands.set_epsilon(judging.document, "v1", 1e-7)
    commands.set_scale(judging.document, 2.0)
    judging.verdicts.ask()
    epsilon = {"v1": 2e-7, "v2": 2.0 * judging.controller.epsilon("v2")}
    expected = mvx.regimes(judging.document.data, epsilon)
    assert [judging.verdicts.of(name) for name in ("v1", "v2")] == list(expected)
    assert [one.word for one in judging.verdicts.now().values()] == ["isolated", expected[1].regime]


def test_while_a_hand_moves_the_word_follows_and_the_sentence_waits(judging):
    judging.verdicts.ask()
    at_rest = judging.verdicts.now()["v1"]
    assert at_rest.regime is not None
    commands.set_epsilon(judging.document, "v1", 1e-7, interactive=True)
    moving = judging.verdicts.now()["v1"]
    assert (moving.word, moving.regime) == ("isolated", None)
    assert moving.track == at_rest.track  # what lies where does not depend on the view's own ε
    judging.verdicts.ask()
    assert judging.verdicts.now()["v1"].regime.regime == "isolated"


def test_the_track_ends_flat_where_another_view_tells_more(judging):
    commands.set_epsilon(judging.document, "v2", "median/30")
    judging.verdicts.ask()
    words = [word for *_, word in judging.verdicts.now()["v1"].track]
    assert words[0] == "isolated"
    assert words[-1] == "flat"
    commands.tick_view(judging.document, "v2", False)
    assert "flat" not in [word for *_, word in judging.verdicts.now()["v1"].track]
    assert "v2" not in judging.verdicts.now()


def test_along_a_factor_on_all_epsilon_the_gravest_verdict_is_that_of_the_public_function(judging):
    assert judging.verdicts.along_all(0.01, 100.0) == ()
    commands.set_scale(judging.document, 2.0)
    judging.verdicts.ask()
    track = judging.verdicts.along_all(1e-4, 100.0)
    assert (track[0][0], track[-1][1]) == pytest.approx((1e-4, 100.0))
    assert all(before[1] == after[0] and before[2] != after[2] for before, after in pairwise(track))
    graver = ("isolated", "flat")
    for low, high, word in track:
        factor = (low * high) ** 0.5
        epsilon = {name: factor * judging.controller.epsilon(name) for name in ("v1", "v2")}
        words = {one.regime for one in mvx.regimes(judging.document.data, epsilon)}
        assert word == next((w for w in graver if w in words), "wide" if words == {"wide"} else "local")
    assert {word for *_, word in track} >= {"isolated", "local", "wide"}


def test_along_a_factor_a_view_that_is_not_linked_stays(judging):
    commands.set_epsilon(judging.document, "v1", 1e-7)
    commands.set_linked(judging.document, "v1", False)
    judging.verdicts.ask()
    assert judging.verdicts.along_all(0.01, 100.0) == ((0.01, pytest.approx(100.0), "isolated"),)


def test_a_kernel_of_its_own_is_judged_anew_and_one_without_epsilon_has_no_track(judging):
    judging.verdicts.ask()
    commands.set_kernel(judging.document, "v1", "self-tuning")
    assert judging.verdicts.now()["v1"].track == ()
    judging.verdicts.ask()
    assert judging.verdicts.now()["v1"].track == ()
    assert judging.verdicts.now()["v1"].regime.regime in ("local", "wide")


def test_the_same_is_asked_once():
    later = Later()
    judging = Judging(background=later)
    later.run_all()
    judging.verdicts.ask()
    judging.verdicts.ask()
    later.run_all()
    assert sorted(judging.heard) == ["", "v1", "v2"]
    judging.verdicts.ask()
    later.run_all()
    assert len(judging.heard) == 3
    judging.controller.shutdown()


def test_a_view_of_one_point_has_none_and_the_others_have():
    data = circle_data(n_views=1)
    document = opened(MultiView([data.Xs[0], np.ones((len(data), 1))], view_names=["v1", "v2"]))
    judging = Judging(document)
    judging.verdicts.ask()
    assert judging.verdicts.now()["v1"].track
    assert judging.verdicts.now()["v1"].regime is not None
    assert judging.verdicts.now()["v2"] == ViewVerdict()
    judging.controller.shutdown()


def test_very_many_views_are_not_judged(judging, monkeypatch):
    monkeypatch.setattr(verdicts, "MOST", 1)
    judging.verdicts.ask()
    assert judging.heard == []
    assert judging.verdicts.now() == {"v1": ViewVerdict(), "v2": ViewVerdict()}
