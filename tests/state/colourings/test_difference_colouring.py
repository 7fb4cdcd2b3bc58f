"""Colouring of every panel by where two views differ."""

import numpy as np
import pytest
from inline import Later, PanelsFirst, opened

from mvexplorer.engine.analysis.between_views import differing_share
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.state.colourings.derived import Derived, coloured_now, derived_groups
from mvexplorer.state.document import commands
from mvexplorer.state.document.colour_titles import source_words
from mvexplorer.state.pictures.controller import Controller

SOURCE = "difference:0:1"


@pytest.fixture
def bench():
    document, later = opened(), PanelsFirst()
    controller = Controller(document, executor=later, background=Later())
    derived = Derived(controller)
    document.reset(document.state, document.data.replace())
    later.run_all()
    yield document, later, derived
    controller.shutdown()


def test_it_is_offered_for_every_two_views_and_is_the_share_of_steps_that_differ(bench):
    document, later, derived = bench
    first, second = document.data.view_names[:2]
    titles = {source: title for group in derived_groups(derived.ground) for source, title in group.sources.items()}
    assert titles[SOURCE] == f"difference of {first} and {second}"
    assert derived.colouring(SOURCE) is None
    later.run_all()
    found = derived.colouring(SOURCE)
    assert found.title == titles[SOURCE]
    at_once = coloured_now(
        document.state.model_copy(update={"colour": SOURCE}), document.data, derived.ground.result_of
    )
    np.testing.assert_array_equal(found.values, at_once.values)
    epsilon = [derived.ground.result_of("p6").result.embedding.epsilon[i] for i in range(2)]
    params = {"n_components": 12, "match_reach": True}
    expected = differing_share(Stages(document.data, (0, 1), epsilon, params))
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-9)
    assert 0.0 < found.values.max() <= 1.0


def test_it_is_computed_anew_where_an_epsilon_changes_and_only_there(bench):
    document, later, derived = bench
    derived.colouring(SOURCE)
    later.run_all()
    before = derived.colouring(SOURCE)
    commands.set_param(document, "t", 3)
    later.run_all()
    assert derived.colouring(SOURCE).values is before.values
    commands.set_epsilon(document, document.data.view_names[0], 0.3)
    later.run_all()
    derived.colouring(SOURCE)
    later.run_all()
    assert not np.array_equal(derived.colouring(SOURCE).values, before.values)


@pytest.mark.parametrize(
    "source", ["difference:0:0", "difference:0:9", "difference:0", "difference:a:b", "difference:"]
)
def test_what_names_no_two_views_colours_nothing(bench, source):
    document, later, derived = bench
    assert derived.colouring(source) is None
    assert not later.waiting
    assert source_words(source, document.state, document.data) == "difference of two views"
