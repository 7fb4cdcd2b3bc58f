"""A picture that another thread has begun is the one that would be painted, or is left alone."""

from __future__ import annotations

import numpy as np
import pytest

from mvexplorer.ui.cloud.picture import Camera
from mvexplorer.ui.cloud.rasteriser import PAINTER, Cloud, PointStyle, View

VIEW = View(-1.2, 1.0, 2.4, 2.0, (200, 240), 1.0)


def look(seed: int) -> PointStyle:
    rgb = np.random.default_rng(seed).integers(0, 256, size=(300, 3)).astype(np.uint8)
    return PointStyle(rgb, np.ones(300, dtype=bool), np.zeros(300, dtype=bool))


def cloud(dims: int, points_seed: int = 0) -> Cloud:
    made = Cloud()
    made.set_look(look(0))
    made.show(np.random.default_rng(points_seed).uniform(-0.9, 0.9, size=(300, dims)))
    return made


@pytest.fixture
def here(monkeypatch) -> list[bool]:
    """Whether each picture was painted on this thread."""
    from threading import current_thread, main_thread

    painted, paint = list[bool](), Cloud._paint

    def noted(self, *given):
        painted.append(current_thread() is main_thread())
        return paint(self, *given)

    monkeypatch.setattr(Cloud, "_paint", noted)
    return painted


@pytest.mark.parametrize("dims", [2, 3])
def test_it_is_the_same_picture_and_painted_once(dims, here):
    expected = cloud(dims).picture(VIEW, moving=True)
    begun = cloud(dims)
    begun.begin(VIEW)
    found = begun.picture(VIEW, moving=True)
    assert here == [True, False]
    assert np.array_equal(found.colours, expected.colours)
    assert begun.picture(VIEW, moving=False) is found
    assert here == [True, False]


@pytest.mark.parametrize(
    "change",
    [
        lambda made: made.set_look(look(1)),
        lambda made: made.show(np.random.default_rng(5).uniform(-0.9, 0.9, size=(300, 3))),
        lambda made: (setattr(made, "camera", Camera.default().turned(0.5, 0.0)), made.changed()),
    ],
)
def test_what_changed_since_is_painted_anew(change):
    begun, expected = cloud(3), cloud(3)
    begun.begin(VIEW)
    change(begun)
    change(expected)
    assert np.array_equal(begun.picture(VIEW, moving=True).colours, expected.picture(VIEW, moving=True).colours)


def test_another_view_is_painted_for_itself():
    begun, wide = cloud(2), View(-2.0, 1.0, 4.0, 2.0, (200, 400), 1.0)
    begun.begin(VIEW)
    assert np.array_equal(begun.picture(wide, moving=True).colours, cloud(2).picture(wide, moving=True).colours)


def test_of_many_points_a_few_are_painted_ahead_and_all_at_rest(here):
    def many() -> Cloud:
        made = Cloud()
        made.companions = 50
        rgb = np.zeros((9000, 3), dtype=np.uint8)
        made.set_look(PointStyle(rgb, np.ones(9000, dtype=bool), np.zeros(9000, dtype=bool)))
        made.show(np.random.default_rng(0).uniform(-0.9, 0.9, size=(9000, 2)))
        return made

    expected, begun = many(), many()
    begun.begin(VIEW)
    assert np.array_equal(begun.picture(VIEW, moving=True).colours, expected.picture(VIEW, moving=True).colours)
    assert not begun.exact
    begun.begin(VIEW)
    assert np.array_equal(begun.picture(VIEW, moving=False).colours, expected.picture(VIEW, moving=False).colours)
    assert begun.exact


def test_its_thread_ends_and_comes_back_where_it_is_needed():
    from threading import enumerate as all_threads

    def painting() -> list[str]:
        return [thread.name for thread in all_threads() if thread.name.startswith("paint")]

    PAINTER.stop()
    first, begun = cloud(2), cloud(2)
    first.begin(VIEW)
    assert not painting()
    first.picture(VIEW, moving=True)
    assert painting()
    begun.begin(VIEW)
    PAINTER.stop()
    assert not painting()
    assert np.array_equal(begun.picture(VIEW, moving=True).colours, cloud(2).picture(VIEW, moving=True).colours)
    again = cloud(2)
    again.begin(VIEW)
    assert again.picture(VIEW, moving=True) is not None
    PAINTER.stop()
    assert not painting()


def test_all_begin_when_the_first_is_asked_for_but_those_that_changed_again(here):
    clouds = [cloud(2, seed) for seed in range(3)]
    for each in clouds:
        each.begin(VIEW)
    clouds[2].show(np.zeros((300, 2)))
    assert not here
    clouds[0].picture(VIEW, moving=True)
    clouds[1].picture(VIEW, moving=True)
    PAINTER.stop()
    assert here == [False, False]


def test_what_goes_wrong_on_the_thread_is_told_where_the_picture_is_asked_for(monkeypatch):
    begun = cloud(2)
    begun.begin(VIEW)
    monkeypatch.setattr("mvexplorer.ui.cloud.rasteriser.splat", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        begun.picture(VIEW, moving=True)


def test_points_under_way_and_no_points_begin_nothing(here):
    gliding, empty = cloud(2), Cloud()
    gliding.animate_to(np.zeros((300, 2)))
    gliding.begin(VIEW)
    empty.begin(VIEW)
    assert not here
