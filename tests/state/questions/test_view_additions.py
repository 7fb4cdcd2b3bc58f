"""What each view adds to a panel: asked for, arriving one by one, out of date, stopped, refused."""

import numpy as np
import pytest
from inline import Inline, Later, opened

import mvexplorer as mvx
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document import commands
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.questions.view_additions import COMMUTATORS, COMPONENTS, ViewAdditions

SINGLE, SUM, MULTIVIEW = "p1", "p3", "p6"


class Bench:
    """A document whose panels are computed at once, and what is in the background when told."""

    def __init__(self):
        self.document = opened()
        self.later = Later()
        self.controller = Controller(self.document, executor=Inline(), background=self.later)
        self.additions = ViewAdditions(self.controller)
        self.told = []
        self.additions.changed.connect(self.told.append)
        self.document.reset(self.document.state, self.document.data.replace())
        self.later.run_all()


@pytest.fixture
def bench():
    made = Bench()
    yield made
    made.controller.shutdown()


def test_each_view_is_left_out_in_turn(bench):
    bench.additions.ask(SUM)
    found = bench.additions.of(SUM)
    assert found.waiting == {"v1", "v2", COMPONENTS, COMMUTATORS}
    assert (found.running, found.without) == (True, {})
    bench.later.run_all()
    found = bench.additions.of(SUM)
    assert (found.running, list(found.without), found.problems) == (False, ["v1", "v2"], {})
    assert set(bench.told) == {SUM}
    assert found.commutators.shape == (2, 2)
    assert found.commutators[0, 1] == found.commutators[1, 0] > 0.0 == found.commutators.trace()
    result = bench.controller.result(SUM).result
    epsilon = dict(zip(("v1", "v2"), result.embedding.epsilon, strict=True))
    plain = mvx.leave_one_view_out(
        bench.document.data, "kernel-sum", epsilon=epsilon, n_components=result.embedding.params["n_components"]
    )
    for mine, theirs in zip(found.without.values(), plain.without, strict=True):
        np.testing.assert_allclose(mine.disagreement, theirs.disagreement, atol=1e-12)
        assert mine.scores.nmi.value == pytest.approx(theirs.score)
        assert mine.drawn.shape == (bench.document.data.n_samples, 2)
    assert found.correlations.components[0] == "psi1"
    assert found.scores is None
    bench.controller.on_idle()
    bench.later.run_all()
    assert bench.additions.of(SUM).scores.nmi is not None


def test_another_picture_makes_it_out_of_date(bench):
    bench.additions.ask(MULTIVIEW)
    bench.later.run_all()
    commands.set_param(bench.document, "eta", 0.3)
    found = bench.additions.of(MULTIVIEW)
    assert found.outdated
    assert len(found.without) == 2, "what there is stays, and is marked"
    bench.additions.ask(MULTIVIEW)
    bench.later.run_all()
    assert not bench.additions.of(MULTIVIEW).outdated
    bench.document.reset(bench.document.state, bench.document.data.replace())
    assert bench.additions.of(MULTIVIEW).result is None


def test_it_can_be_stopped(bench):
    bench.additions.ask(SUM)
    bench.additions.stop(SUM)
    bench.later.run_all()
    found = bench.additions.of(SUM)
    assert not found.running
    assert set(found.problems.values()) == {"Stopped."}


def test_what_cannot_be_asked_is_refused_in_a_sentence(bench):
    for panel, words in ((SINGLE, "Single view shows one view. Click a panel"), ("gone", "Click a panel of several")):
        assert words in bench.additions.obstacle(panel)
        bench.additions.ask(panel)
        assert not bench.additions.of(panel).running
    commands.tick_view(bench.document, "v2", False)
    assert bench.additions.obstacle(SUM).startswith("This panel has no picture. Kernel sum needs at least 2 views")


def test_a_constant_view_adds_nothing_and_breaks_nothing():
    made = Bench()
    try:
        data = made.document.data
        flat = MultiView([*data.Xs, np.ones((data.n_samples, 2))], view_names=["v1", "v2", "flat"], labels=data.labels)
        made.document.reset(commands.initial_state(flat, ("memory",), None), flat)
        made.later.run_all()
        made.additions.ask(SUM)
        made.later.run_all()
        found = made.additions.of(SUM)
        assert "flat" in found.without or "flat" in found.problems or "flat" in made.additions.obstacle(SUM)
        assert not found.running
    finally:
        made.controller.shutdown()
