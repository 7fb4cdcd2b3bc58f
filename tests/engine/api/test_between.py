"""Answers between two exact ones, by every method that has a symmetric pencil and with every kind of kernel."""

import numpy as np
import pytest

from mvexplorer.engine.api.between import (
    MOST_COMPONENTS,
    Projection,
    can_be_prepared,
    fixed_of,
    plan_between,
    position_of,
)
from mvexplorer.engine.api.embedding import carry_out
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.api.preparing import EmbedOptions, prepare, solution_of
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.methods import get_method, methods
from mvexplorer.engine.pipeline.stages import remember_once
from mvexplorer.engine.pipeline.steps_that_stay import STEPS_THAT_STAY
from mvexplorer.engine.spectral.davidson import SPARE

R, ROOT = 6, 2.0**0.5
WITH_PENCIL = tuple(m.id for m in methods() if m.has_pencil({p.name: p.default for p in m.params}))


@pytest.fixture(scope="module")
def data():
    """Two noisy curves of one parameter in three views."""
    rng = np.random.default_rng(0)
    t = np.sort(rng.uniform(0.0, 2.0 * np.pi, 320))
    first = np.column_stack([np.cos(t), np.sin(t), 0.5 * np.cos(2.0 * t), np.zeros((320, 2))])
    second = np.column_stack([1.5 * np.cos(t), np.sin(t), 0.3 * np.sin(3.0 * t), np.zeros((320, 2))])
    third = np.column_stack([np.cos(t), 1.4 * np.sin(t), np.zeros((320, 3))])
    return MultiView([X + 0.2 * rng.standard_normal(X.shape) for X in (first, second, third)])


def ends_of(data, method, n_views=None, scale=0.4, kernel="gaussian", moves=None, **params):
    """The plans at both ends of a way, ε by a factor √2, or the values `moves` of a parameter."""
    count = n_views or min(2, get_method(method).max_views or 2)
    views = data.view_names[:count]
    each = []
    for end, factor in enumerate((1.0, ROOT)):
        moving = {} if moves is None else {moves[0]: moves[1][end]}
        epsilon = [f"{scale * (factor if moves is None else 1.0)}*median"] * count
        values = {"n_components": R, **params, **moving}
        each.append(plan(get_method(method), data, views, kernel, epsilon, values))
    return tuple(each)


def prepared(data, ends, task=None):
    memo = remember_once()
    solved = [carry_out(end, data, EmbedOptions(Task(), memo)) for end in ends]
    carried = int(ends[0].params["n_components"]) + SPARE
    anchors = tuple(solution_of(answer).thinned(carried) for answer in solved)
    work = Projection(*ends, data, anchors)
    while (part := work.next_fraction) is not None:
        work.compute(part, EmbedOptions(task or Task(), remember_once(), interactive=True))
    return work.result()


def exact(data, given):
    return carry_out(given, data, EmbedOptions(Task(), remember_once()))


def all_rows(answer):
    return np.vstack(answer.decomposition.blocks)


def angle_of(found, true, count):
    """The largest angle between the leading spaces, the trivial vector included, up to the next gap behind `count`."""
    values = true.eigenvalues
    end = next((j for j in range(count, R) if values[j] - values[j + 1] > 0.01 * values[j]), R)
    planes = [np.linalg.qr(all_rows(e)[:, : end + 1])[0] for e in (found, true)]
    return float(np.linalg.norm(planes[0] - planes[1] @ (planes[1].T @ planes[0]), 2))


def hold(data, ends, between, parts=(0.0, 0.31, 0.5, 0.88, 1.0)):
    for part in parts:
        there = plan_between(*ends, part)
        assert between.fraction_at(position_of(there)) == pytest.approx(part, abs=1e-9)
        found, true = between.answer(there, part), exact(data, there)
        assert np.allclose(found.eigenvalues, true.eigenvalues, atol=1e-3)
        assert angle_of(found, true, 2) <= 0.05
        assert found.epsilon == pytest.approx(true.epsilon)
        assert found.coordinates.shape == true.coordinates.shape
        assert (found.views, found.params, found.kernels) == (true.views, true.params, true.kernels)
        told = {name: value for name, value in true.info.items() if name != STEPS_THAT_STAY}  # of exact answers only
        assert {n: pytest.approx(v, abs=1e-4, rel=1e-4) for n, v in told.items()} == dict(found.info)


@pytest.mark.parametrize("id", WITH_PENCIL)
def test_the_pencil_of_a_method_is_the_walk_whose_eigenvectors_it_shows(data, id):
    """Declared once, and what exact answers solve."""
    given = ends_of(data, id)[0]
    stages = prepare(given, data, EmbedOptions(Task(), remember_once()))
    pencil, answer = given.method.pencil(stages), exact(data, given)
    psi = all_rows(answer)
    residual = pencil.apply(psi) - pencil.degrees[:, None] * psi * answer.eigenvalues
    assert np.abs(residual).max() <= 1e-6 * np.abs(pencil.degrees[:, None] * psi).max()
    assert np.allclose(pencil.apply(np.ones((len(psi), 1)))[:, 0], pencil.degrees)
    assert pencil.n_blocks == len(answer.decomposition.blocks)


@pytest.mark.parametrize("id", WITH_PENCIL)
def test_answers_between_are_those_of_the_method(data, id):
    ends = ends_of(data, id)
    between = prepared(data, ends)
    assert between.interval.certified(2)
    hold(data, ends, between)


@pytest.mark.parametrize(
    ("id", "n_views", "params"),
    [
        ("multiview", 3, {}),
        ("multiview", 3, {"eta": 0.3}),
        ("multiview", 2, {"eta": 0.3, "alpha": 1.0}),
        ("multiview", 3, {"view_weights": "3,1,1"}),
        ("single", 1, {"alpha": 1.0}),
        ("kernel-sum", 3, {"view_weights": "1,2,1", "alpha": 0.5}),
        ("kernel-product", 2, {"view_weights": "1,2"}),
        ("kernel-sum", 3, {"view_weights": "equal-volume"}),
        ("multiview", 3, {"view_weights": "equal-volume", "eta": 0.3}),
        ("mgc", 1, {"density": "mixture"}),
        ("alternating", 2, {"symmetric": True}),
    ],
)
def test_views_weights_and_normalisations(data, id, n_views, params):
    ends = ends_of(data, id, n_views, scale=0.8, **params)
    hold(data, ends, prepared(data, ends), parts=(0.2, 0.7))


@pytest.mark.parametrize(
    ("id", "moves", "params"),
    [
        ("multiview", ("eta", (0.3, 0.35)), {}),
        ("multiview", ("eta", (0.002, 0.05)), {}),
        ("multiview", ("eta", (0.95, 0.998)), {}),
        ("multiview", ("eta", (0.3, 0.35)), {"alpha": 1.0}),
        ("multiview", ("view_weights", (None, "1.4,1,1")), {"eta": 0.1}),
        ("kernel-sum", ("view_weights", ("2,1,1", "3,1,1")), {}),
    ],
)
def test_other_sliders_than_the_bandwidth(data, id, moves, params):
    ends = ends_of(data, id, 3, moves=moves, **params)
    between = prepared(data, ends)
    hold(data, ends, between, parts=(0.0, 0.4, 1.0))
    linear = moves[0] == "eta" and "alpha" not in params
    assert len(between.interval.places) == (3 if linear else 5)  # where A and D are linear three are exact


@pytest.mark.parametrize("id", ["kernel-sum", "multiview"])
def test_weights_by_volume_follow_one_view_s_bandwidth(data, id):
    """The weights at each place are those of the kernels there."""
    each = [
        plan(get_method(id), data, None, "gaussian", [f"{first}*median", "0.8*median", "0.8*median"],
             {"n_components": R, "view_weights": "equal-volume"})
        for first in (0.1, 0.1 * ROOT)
    ]  # fmt: skip
    between = prepared(data, each)
    hold(data, each, between, parts=(0.2, 0.7))
    weights = between.info["view_weight:view1"]
    assert weights[0] > 1.1 * weights[-1] > 1.1
    assert len(between.interval.places) == 5


def test_one_view_s_bandwidth_alone(data):
    views = data.view_names
    ends = tuple(
        plan(get_method("multiview"), data, views, "gaussian", ["median/2", e, "median/2"], {"n_components": R})
        for e in ("median/2", f"{ROOT / 2}*median")
    )
    hold(data, ends, prepared(data, ends), parts=(0.3, 0.9))


WAYS = {
    "gaussian": "prepared",
    "laplacian": "prepared",
    "laplacian-l2": "prepared",
    "correlation": "prepared",
    "knn-40": "prepared",  # the edges do not depend on ε
    "landmarks-120": "prepared",  # the landmarks do not either
    "self-tuning-9": "stands still",
    "precomputed": "stands still",
}
"""What a drag of ε does with each kind of kernel."""


@pytest.mark.parametrize("kernel", WAYS)
@pytest.mark.parametrize("id", ["single", "kernel-sum", "multiview"])
def test_every_kind_of_kernel_says_which_way_it_goes(data, id, kernel):
    given = data
    if kernel == "precomputed":
        kernels = [np.exp(-np.square(X[:, None] - X).sum(axis=2)) for X in data.Xs]
        given = MultiView(kernels, view_names=data.view_names)
    ends = ends_of(given, id, scale=1.0, kernel=kernel)
    if WAYS[kernel] == "stands still":
        assert np.array_equal(position_of(ends[0]), position_of(ends[1]))
        return
    assert can_be_prepared(ends[0])
    hold(given, ends, prepared(given, ends), parts=(0.3, 0.8))


def test_kernels_of_different_kinds_in_one_walk(data):
    ends = ends_of(data, "multiview", 3, scale=1.0, kernel=["gaussian", "laplacian-l2", "knn-60"])
    hold(data, ends, prepared(data, ends), parts=(0.3, 0.8))


def test_methods_without_a_symmetric_pencil_and_random_parts_go_today_s_way(data):
    for id in ("alternating", "kcca", "jade", "local-cca"):
        assert id not in WITH_PENCIL
    assert not can_be_prepared(plan(get_method("alternating"), data, data.view_names[:2]))
    assert not can_be_prepared(plan(get_method("single"), data, data.view_names[:1], subsample=100))
    assert can_be_prepared(plan(get_method("single"), data, data.view_names[:1]))


def test_where_views_decouple_there_is_nothing_to_prepare(data):
    ends = ends_of(data, "multiview", moves=("eta", (1.0, 1.0)))
    ends = (ends[0], plan_between(*ends_of(data, "multiview", eta=1.0), 1.0))
    assert prepared(data, ends) is None


def test_of_many_coordinates_the_leading_ones_are_prepared(data):
    ends = ends_of(data, "single", n_components=MOST_COMPONENTS + 6)
    between = prepared(data, ends)
    assert between.interval.count == MOST_COMPONENTS
    there = plan_between(*ends, 0.4)
    found, true = between.answer(there, 0.4), exact(data, there)
    assert angle_of(found, true, 2) <= 0.05
    assert np.allclose(found.eigenvalues[:5], true.eigenvalues[:5], atol=1e-3)


def test_a_place_beside_the_way_is_not_on_it(data):
    ends = ends_of(data, "multiview", 3)
    between = prepared(data, ends)
    for elsewhere in (
        plan_between(*ends_of(data, "multiview", 3, scale=0.4 * ROOT), 0.5),
        plan_between(*ends_of(data, "multiview", 3, eta=0.1), 0.5),
        plan(get_method("multiview"), data, epsilon=["0.5*median", "0.4*median", "0.5*median"]),
    ):
        assert between.fraction_at(position_of(elsewhere)) is None
    assert fixed_of(ends[0]) == fixed_of(ends[1])
    assert fixed_of(ends[0]) != fixed_of(ends_of(data, "multiview", 3, n_components=4)[0])


def test_preparing_stops_where_it_is_told_to(data):
    ends, task = ends_of(data, "multiview"), Task()
    memo = remember_once()
    anchors = tuple(solution_of(carry_out(end, data, EmbedOptions(Task(), memo))).thinned(R + SPARE) for end in ends)
    work = Projection(*ends, data, anchors)
    task.cancel()
    with pytest.raises(Cancelled):
        work.compute(work.next_fraction, EmbedOptions(task, memo, interactive=True))
