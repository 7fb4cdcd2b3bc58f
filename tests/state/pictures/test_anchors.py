"""Anchors are made while the hand rests, outwards along what was dragged last, for the panels on show."""

from itertools import pairwise

import numpy as np
import pytest
from inline import CountingCache, Later, circle_data, controlled, opened

from mvexplorer.compute.jobs import runner
from mvexplorer.compute.jobs.runner import anchor_key
from mvexplorer.engine.api.preparing import solution_of
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.pipeline.stages import StageKey
from mvexplorer.engine.spectral.davidson import Stalled
from mvexplorer.engine.spectral.reduced import Interval
from mvexplorer.engine.spectral.warm_start import PreviousSolution, anchors_around
from mvexplorer.errors import ComputeError
from mvexplorer.state.document import commands
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.pictures import anchors
from mvexplorer.state.pictures.anchors import Anchors

PANELS = (PanelState(id="p1", method="multiview"), PanelState(id="p2", method="kernel-sum"))
SAMPLES = 90
TWO_OCTAVES_CUT = [2.0 ** (n / 2) for n in (-6, -5, -4, -3, -2, 0, 2, 4, 6)]
"""Where these panels have anchors: at small ε an octave is too long."""


class Noting(CountingCache):
    """Notes the anchors in the order in which they are made."""

    def __init__(self):
        super().__init__()
        self.anchors = []

    def _store(self, key, value):
        super()._store(key, value)
        if key.stage == "anchor":
            self.anchors.append((key.subject[0], key.settings[0][0].factor))


class Resting:
    """A document with some panels, computed, and anchors whose jobs run one by one."""

    def __init__(self, panels=PANELS, executor=None, **changes):
        self.document = opened(circle_data(), panels=panels, **changes)
        self.controller = controlled(self.document, executor, Noting())
        self.jobs = Later()
        self.anchors = Anchors(self.controller, executor=self.jobs)
        self.cache = self.controller.cache

    def made(self):
        """(method, factor on the first view's ε) of the anchors, in the order in which they were made."""
        return list(self.cache.anchors)

    def factors(self, method="multiview"):
        return [factor for name, factor in self.made() if name == method]


@pytest.fixture
def resting():
    return Resting()


def test_anchors_go_outwards_from_the_present_position_one_job_at_a_time(resting):
    resting.anchors.rest()
    assert len(resting.jobs.waiting) == 1
    for _ in range(6 + 2 + 2 + 2 + 1):  # two octaves are prepared, a step of each panel is rehearsed, a further octave
        resting.jobs.run_one()
    root = 2**0.5
    assert resting.factors() == pytest.approx([1.0, 2.0, 0.5, 4.0])
    assert [method for method, _ in resting.made()[:4]] == ["multiview", "kernel-sum"] * 2
    ends = [0.5, 1 / root, 1.0, root, 2.0, 2.0 * root, 4.0]
    assert np.allclose(resting.anchors.reach, list(pairwise(ends)))
    resting.jobs.run_all()
    assert sorted(resting.factors("kernel-sum")) == pytest.approx(TWO_OCTAVES_CUT)
    assert not resting.jobs.waiting


def test_an_octave_is_cut_for_a_panel_that_is_not_certified_there_and_so_are_those_beyond(resting, monkeypatch):
    certified = Interval.certified
    monkeypatch.setattr(Interval, "certified", lambda i, drawn: certified(i, drawn) and len(i.basis) == SAMPLES)
    resting.anchors.rest()
    resting.jobs.run_all()
    assert sorted(resting.factors("kernel-sum")) == pytest.approx(TWO_OCTAVES_CUT)
    assert sorted(resting.factors()) == pytest.approx([2 ** (n / 2) for n in range(-6, 7)])
    settings = [
        key.settings for key in resting.cache._entries if key.stage == "prepared" and key.subject[-1][0] == "multiview"
    ]
    lengths = sorted(round(float(abs(np.subtract(*ends)).max()) / np.log(2.0), 3) for ends in settings)
    assert lengths == [0.5] * 12 + [1.0] * 2  # the nearest octave to each side was tried
    assert len(resting.anchors.reach) == 12


def test_without_bases_anchors_are_half_an_octave_apart(resting):
    resting.anchors.with_bases = False
    resting.anchors.rest()
    resting.jobs.run_all()
    assert sorted(resting.factors()) == pytest.approx([2 ** (n / 2) for n in range(-6, 7)])
    assert resting.anchors.with_bases is False
    assert len(resting.anchors.reach) == 12


def test_requests_are_made_as_they_are_needed_and_once(resting, monkeypatch):
    """Those of all stops and panels at once kept the window from responding."""
    asked = []
    made = anchors.request_of
    monkeypatch.setattr(anchors, "request_of", lambda *about: asked.append(about) or made(*about))
    resting.anchors.rest()
    assert len(asked) <= 2 * len(PANELS)
    resting.jobs.run_all()
    assert len(asked) == (9 + 1) * len(PANELS)  # at nine stops, and for a rehearsal
    commands.set_scale(resting.document, 1.5)
    resting.anchors.rest()
    resting.jobs.run_all()
    assert len(asked) == (10 + 2) * len(PANELS)  # one stop further out, and another rehearsal
    assert len(resting.anchors.reach) == 14


def test_the_panel_in_focus_comes_first(resting):
    resting.controller.focused = "p2"
    resting.anchors.rest()
    resting.jobs.run_one()
    assert resting.made() == [("kernel-sum", 1.0)]


def test_none_are_made_while_something_else_is_computed():
    panels = Later()
    resting = Resting(executor=panels)
    resting.anchors.rest()
    assert not resting.jobs.waiting
    panels.run_all()  # the pictures are there
    assert len(resting.jobs.waiting) == 1


def test_a_moving_hand_and_any_other_change_stop_them_at_once(resting):
    resting.anchors.rest()
    resting.jobs.run_one()
    for change in (
        lambda: commands.set_scale(resting.document, 1.1, interactive=True),
        lambda: commands.set_param(resting.document, "t", 3),
    ):
        resting.anchors.rest()
        change()
        before = resting.made()
        resting.jobs.run_all()
        assert resting.made() == before


def test_a_return_finds_the_same_anchors(resting):
    resting.anchors.rest()
    resting.jobs.run_all()
    before = resting.made()
    commands.set_scale(resting.document, 1.1)
    resting.anchors.rest()
    resting.jobs.run_all()
    assert sorted(resting.made()) == sorted(before)
    commands.set_scale(resting.document, 3.0)
    resting.anchors.rest()
    resting.jobs.run_all()
    assert sorted(set(resting.factors()) - {f for m, f in before if m == "multiview"}) == pytest.approx(
        [2 ** (n / 2) for n in (8, 10)]
    )


@pytest.mark.parametrize("along", ["epsilon:v2", "eta"])
def test_anchors_follow_what_was_dragged_last(resting, along):
    if along == "eta":
        commands.set_param(resting.document, "eta", 0.31, interactive=True)
    else:
        commands.set_epsilon(resting.document, "v2", 0.5, interactive=True)
    commands.set_param(resting.document, "t", 2)
    assert resting.anchors.along == along
    resting.anchors.rest()
    resting.jobs.run_one()
    resting.jobs.run_all()
    values = sorted({value for pair in resting.anchors.reach for value in pair})
    if along == "eta":
        assert values == pytest.approx([0.002, *np.arange(0.05, 0.99, 0.05), 0.998])
        assert {method for method, _ in resting.made()} == {"multiview"}  # η moves nothing else
    else:
        assert values == pytest.approx([2 ** (n / 2) for n in range(-8, 5)])
        assert set(resting.factors()) == {1.0}  # the other view stays where it is


def test_a_hand_that_takes_another_slider_has_anchors_within_its_rest(resting):
    """η after ε: those around the present η come first, and the next steps of η start between them."""
    commands.set_scale(resting.document, 1.1, interactive=True)
    resting.anchors.rest()
    resting.jobs.run_all()
    before = resting.made()
    commands.set_param(resting.document, "eta", 0.31, interactive=True)
    assert resting.anchors.along == "eta"
    assert not resting.anchors.reach
    resting.anchors.rest()
    for _ in range(3):  # two anchors, and what is prepared between them
        resting.jobs.run_one()
    assert np.allclose(resting.anchors.reach, [(0.3, 0.35), (0.35, 0.4)])
    assert len(resting.made()) == len(before) + 2
    shown = solution_of(resting.controller.result("p1").result.embedding)
    known = resting.cache.alike(anchor_key(resting.controller.request_for(PANELS[0])))
    low, high = anchors_around(shown.position, known)
    assert sorted((low.position[-1], high.position[-1])) == pytest.approx([0.3, 0.4])


def test_hidden_panels_and_methods_without_drafts_make_none():
    panels = (*PANELS, PanelState(id="p3", method="pca"))
    resting = Resting(panels)
    resting.controller.hide(["p1"])
    resting.anchors.rest()
    resting.jobs.run_all()
    assert {method for method, _ in resting.made()} == {"kernel-sum"}


def test_panels_alike_share_their_anchors():
    resting = Resting((PANELS[0], PanelState(id="p2", method="multiview", dims=3)))
    resting.anchors.rest()
    resting.jobs.run_all()
    assert len(resting.made()) == 13  # of three axes no octave is certified whole


def test_an_anchor_keeps_no_more_than_a_start_needs(resting):
    kernels = {key for key in resting.cache._entries if key.stage == "kernel"}
    resting.anchors.rest()
    resting.jobs.run_all()
    anchor = resting.cache.find(anchor_key(resting.controller.request_for(PANELS[0])))
    assert isinstance(anchor, PreviousSolution)
    assert anchor.exact
    assert [basis.shape for basis in anchor.bases] == [(180, 4)]  # of both views; LAPACK gives no spare ones
    assert anchor.bases[0].dtype == np.float32
    assert kernels <= set(resting.cache._entries)  # those on show are still there


def test_the_first_step_of_a_drag_is_rehearsed_once_the_nearest_anchors_are_there(resting):
    drafts, shown = resting.cache.count("draft"), [r.result for r in resting.controller.results.values()]
    resting.anchors.rest()
    for _ in range(6 + 2):
        resting.jobs.run_one()
    assert resting.cache.count("draft") == drafts
    for _ in range(2):
        resting.jobs.run_one()
    assert resting.cache.count("draft") == drafts + 2
    resting.jobs.run_all()
    assert resting.cache.count("draft") == drafts + 2
    assert all(r.result is before for r, before in zip(resting.controller.results.values(), shown, strict=True))


def test_drafts_between_anchors_are_told_of_them(resting, monkeypatch):
    seen, working = [], runner.carry_out

    def carrying_out(plan, data, options):
        seen.append(options.start)
        return working(plan, data, options)

    monkeypatch.setattr(runner, "carry_out", carrying_out)
    resting.anchors.with_bases = False
    resting.anchors.rest()
    resting.jobs.run_all()
    seen.clear()
    commands.set_scale(resting.document, 1.1, interactive=True)
    assert [sum(isinstance(s, PreviousSolution) for s in start) for start in seen] == [13, 13]


def test_the_reach_is_told_only_as_long_as_it_holds(resting):
    told = []
    resting.anchors.changed.connect(lambda: told.append(bool(resting.anchors.reach)))
    resting.anchors.rest()
    resting.jobs.run_all()
    assert told[-1]
    commands.set_scale(resting.document, 1.5, interactive=True)  # along them
    assert resting.anchors.reach
    commands.set_param(resting.document, "n_components", 5)
    assert not resting.anchors.reach
    assert told[-1] is False


def test_where_there_is_no_answer_none_is_tried_twice_and_the_reach_ends(resting, monkeypatch):
    tried, working = [], runner.carry_out

    def carrying_out(plan, data, options):
        factor = plan.epsilon[0].factor
        if factor < 0.4 and not options.task.patient:
            tried.append(factor)
            raise Stalled if plan.method.id == "multiview" else ComputeError("nearly all samples are isolated", "")
        return working(plan, data, options)

    monkeypatch.setattr(runner, "carry_out", carrying_out)
    for _ in range(2):
        resting.anchors.rest()
        resting.jobs.run_all()
    assert len(tried) == 2 * len(set(tried)) == 8  # two panels, once each
    assert resting.anchors.reach[0] == (0.5, 2.0**-0.5)
    commands.set_scale(resting.document, 0.3, interactive=True)
    assert all(result.status == "ready" for result in resting.controller.results.values())


def test_anchors_take_a_part_of_the_cache_and_go_least_recently_used_first():
    cache = CountingCache()
    cache.limit = 80_000

    def keep(number):
        key = StageKey("anchor", "panel", "float32", (number,))
        cache.memo(Task())(key, lambda: PreviousSolution(np.zeros(1), (np.zeros((100, 5)),)))
        return key

    keys = [keep(number) for number in range(2)]
    assert len(cache.alike(keys[0])) == 2
    cache.memo(Task())(keys[0], lambda: None)  # used again
    last = keep(2)
    assert [key in cache for key in (*keys, last)] == [True, False, True]
