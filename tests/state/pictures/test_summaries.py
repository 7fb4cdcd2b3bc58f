"""What is known of each view: the median, and where every rule puts ε."""

import numpy as np
import pytest
from inline import Inline, Later, circle_data, opened, pair_distances

from mvexplorer.engine.api.embedding import select_epsilon
from mvexplorer.engine.bandwidth.manifold_scaling import manifold_scaling
from mvexplorer.engine.bandwidth.table import bandwidth_rules
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document import commands


def test_the_rules_of_every_view_are_known(make):
    document = opened(seen := circle_data(n_views=3))
    controller = make(document, executor=Inline(), background=Inline())
    arrived = []
    controller.summary_changed.connect(arrived.append)
    commands.tick_view(document, "v3", False)
    assert set(arrived) == {"v1", "v2"}
    controller.on_idle()
    assert set(arrived) == {"v1", "v2", "v3"}
    for i, view in enumerate(seen.view_names):
        facts = controller.summaries[view]
        assert controller.median(view) == facts.median == pytest.approx(np.median(pair_distances(seen.Xs[i])))
        for rule in bandwidth_rules():
            if not rule.slow:
                assert facts.rules[rule.id] == select_epsilon(seen, rule.id)[i]
    enabled = select_epsilon(seen, "multiview", views=["v1", "v2"])
    assert tuple(controller.summaries[v].rules["multiview"] for v in ("v1", "v2")) == enabled
    assert "multiview" not in controller.summaries["v3"].rules


def test_pictures_and_scores_come_before_slow_rules_and_other_views(make):
    document = opened(circle_data(n_views=3))
    panels, asked = Later(), Later()
    controller = make(document, executor=panels, background=asked)
    waiting = lambda: [task.slot for task in controller.background.tasks()]  # noqa: E731
    commands.tick_view(document, "v3", False)
    assert waiting() == ["summary:v1", "summary:v2"]
    asked.run_all()
    controller.on_idle()
    assert waiting() == []  # no picture is there yet
    panels.run_all()
    controller.on_idle()
    scores = [f"score:{panel.id}" for panel in document.state.panels]
    first = [*scores, "rules:v1", "rules:v2", "summary:v3"]
    assert waiting()[: len(first)] == first
    assert {slot.partition(":")[0] for slot in waiting()[len(first) :]} == {"independence"}
    asked.run_all()
    controller.on_idle()
    assert waiting() == []


def test_a_rule_that_a_panel_has_of_its_own_is_known_too(make):
    document = opened(circle_data())
    controller = make(document, executor=Inline(), background=Inline())
    rule = "class-spectral(class_dimension=1)"
    pins = {"epsilon:v2": rule}
    commands.change_panel(document, document.state.panels[0].id, "Rule", method="single", view="v2", pins=pins)
    assert rule not in controller.summaries["v1"].rules
    (drawn,) = controller.result(document.state.panels[0].id).result.embedding.epsilon
    assert controller.summaries["v2"].rules[rule] == pytest.approx(drawn)


def test_a_slow_rule_in_use_is_asked_at_once(make):
    document = opened(circle_data())
    asked = Later()
    controller = make(document, executor=Later(), background=asked)
    document.reset(document.state.with_view("v2", epsilon="log-sum"), circle_data(seed=4))
    assert [task.slot for task in controller.background.tasks()] == ["summary:v1", "summary:v2", "rules:v2"]
    asked.run_all()
    assert controller.epsilon("v2") == select_epsilon(document.data, "log-sum")[1]


def test_the_quick_rules_never_replace_an_answer_asked_for_after_them(make):
    """Two workers take both questions about a view, and the one with less to do may still end last."""
    document = opened(circle_data())
    workers = Later()
    controller = make(document, executor=Later(), background=workers)
    document.reset(document.state.with_view("v2", epsilon="manifold(dimension=2)"), circle_data(seed=4))
    assert [task.slot for task in controller.background.tasks()] == ["summary:v1", "summary:v2", "rules:v2"]
    while workers.waiting:
        workers.waiting.pop()()
    expected = manifold_scaling(document.data.Xs[1], dimension=2).epsilon
    assert controller.epsilon("v2") == pytest.approx(expected, rel=1e-9)


def test_the_number_behind_a_rule(document, make):
    later = Later()
    controller = make(document, executor=Inline(), background=later)
    document.reset(document.state, circle_data(seed=4))
    assert controller.epsilon("v1") is None
    assert controller.median("v1") is None
    later.run_all()
    rule = select_epsilon(document.data)[0]
    assert controller.epsilon("v1") == rule
    commands.set_epsilon(document, "v1", "robust/4")
    assert controller.epsilon("v1") == rule / 4
    commands.set_epsilon(document, "v1", 0.5)
    assert controller.epsilon("v1") == 0.5


def test_a_rule_that_has_no_value_says_why(make):
    data = circle_data(n_views=1)
    document = opened(MultiView([data.Xs[0], np.ones((len(data), 1))], view_names=["v1", "v2"]))
    controller = make(document, executor=Inline(), background=Inline())
    document.reset(document.state, document.data.replace())
    assert "the same point" in controller.summaries["v2"].rules["median"]
    assert controller.epsilon("v2") is None
    assert controller.epsilon("v1") is not None
