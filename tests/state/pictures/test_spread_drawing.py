"""Ghosts lie where the drawing would put them, whatever axes, turn and scale it has; ellipses tell their spread."""

import numpy as np
import pytest
from inline import controlled, opened

from mvexplorer.state.document import commands
from mvexplorer.state.pictures.spread_drawing import MOST_ELLIPSES, MOST_GHOSTS, drawn_ghosts, ellipses, thinned

WAYS = [{}, {"dims": 3}, {"axes": (2, 0, 1)}, {"show": "v2"}, {"trim": True}]


@pytest.fixture(scope="module")
def shown():
    """A multi-view panel that has been turned onto a former picture."""
    document = opened(panels=(commands.new_panel("multiview", "p1"),))
    controller = controlled(document)
    commands.set_scale(document, 3.0)
    return document, controller


@pytest.mark.parametrize("changes", WAYS, ids=str)
def test_the_same_coordinates_lie_on_the_points_drawn(shown, changes):
    document, controller = shown
    commands.change_panel(document, "p1", "Change", **changes)
    found, panel = controller.result("p1"), document.state.panel("p1")
    rows = np.arange(0, 90, 2)
    ghosts = drawn_ghosts(panel, found, [(rows, found.result.embedding.coordinates[rows])])
    inside = ~np.isin(rows, found.drawing.edge)
    np.testing.assert_allclose(ghosts[0][1][inside], found.drawing.points[rows][inside], atol=1e-8)
    document.undo()


def test_an_ellipse_is_the_root_of_the_mean_squared_displacement():
    random = np.random.default_rng(0)
    drawn = random.normal(size=(400, 2))
    moved = random.normal(size=(10, 400, 2)) * [0.3, 0.1]
    rows = np.arange(1, 400)  # the first sample is in no picture but one
    ghosts = [(rows, drawn[rows] + moved[i, rows]) for i in range(9)] + [(np.arange(400), drawn + moved[9])]
    found = ellipses(ghosts, drawn)
    assert len(found.rows) == MOST_ELLIPSES < 399
    assert 0 not in found.rows
    for row, root in zip(found.rows[:5], found.roots[:5], strict=True):
        expected = sum(np.outer(d, d) for d in moved[:, row]) / 10
        np.testing.assert_allclose(root @ root.T, expected, atol=1e-12)
    left_out = np.setdiff1d(rows, found.rows)
    size = np.sqrt((moved**2).sum(axis=2).mean(axis=0))
    assert size[left_out].max() <= size[found.rows].min()  # the largest are drawn


def test_so_many_ghosts_as_do_not_hide_the_picture_are_drawn():
    rows = np.arange(1500)
    found = thinned([(rows, np.zeros((1500, 2)))] * 10)
    assert len(found.points) <= MOST_GHOSTS
    assert np.array_equal(np.unique(found.rows), rows[::4])
    assert thinned([]) is None


def test_a_ghost_that_lacks_a_view_lies_where_the_others_put_it_and_nowhere_in_the_lacking_one(shown):
    document, controller = shown
    found, rows = controller.result("p1"), np.arange(90)
    coordinates = found.result.embedding.coordinates.copy()
    coordinates[:, :4] = np.nan  # of the first view
    ((_, points),) = drawn_ghosts(document.state.panel("p1"), found, [(rows, coordinates)])
    assert points.shape == (90, 2)
    assert np.abs(points - found.drawing.points).max() < 0.5
    commands.change_panel(document, "p1", "Change", show="v1")
    ((there, _),) = drawn_ghosts(document.state.panel("p1"), found, [(rows, coordinates)])
    assert not len(there)
    document.undo()
