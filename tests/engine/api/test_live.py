"""Moving pictures against the embeddings that they stand for, read from what a page would hold."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from live_reader import largest_angle, picture, read, unlikeness

import mvexplorer as mvx
from mvexplorer.engine.api.live import (
    Certainty,
    LivePanel,
    LivePanels,
    LiveRange,
    MovingPicture,
    as_certain,
    drawn_by_leading,
    moving_picture,
    moving_pictures,
    prepare_range,
)
from mvexplorer.engine.api.preparing import EmbedOptions
from mvexplorer.engine.api.recipes import plan_by
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.stages import remember_once
from mvexplorer.engine.spectral.moving_frames import (
    COARSE,
    FINE,
    MISSED,
    STEPS,
    Stretch,
    common_columns,
    fewest_steps,
    quantised_columns,
    turning_frame,
)
from mvexplorer.engine.spectral.reduced import eigenpairs_of
from mvexplorer.io.writing.live_block import live_block

M = 150
METHODS = ("single", "kernel-sum", "kernel-product", "multiview", "de-sa")
FACTORS = np.exp(np.random.default_rng(0).uniform(np.log(1 / 20), np.log(2.0), 6))


@pytest.fixture(scope="module")
def data():
    whole = mvx.load("helix-a")
    return whole.take(np.arange(0, whole.n_samples, whole.n_samples // M)[:M])


@pytest.fixture(scope="module")
def memo():
    return remember_once()


def about(method, dims=2):
    """A method's parameters and views in these tests."""
    params = {"n_components": dims + 1} if method == "de-sa" else {"n_components": 5, "t": 1}
    return params, ["view1"] if method == "single" else ["view1", "view2"]


def plan_of(data, method, **params):
    given, views = about(method)
    return plan_by(None, get_method(method), data, views, None, "median", {**given, **params}, None, None, None)


def columns_of(data, method, epsilon, dims=2, show="consensus", **params):
    """The coordinates drawn, straight from `embed`."""
    given, views = about(method, dims)
    found = mvx.embed(data, method, views=views, epsilon=epsilon, **{**given, **params})
    first = 1 if method == "de-sa" else 0
    blocks = found.view_coordinates or (found.coordinates,)
    chosen = blocks if show == "consensus" else [blocks[views.index(show)]]
    return np.mean(chosen, axis=0)[:, first : first + dims], found.epsilon


def moving_of(data, method, range_, memo, show="consensus", t=None):
    wanted, epsilon = columns_of(data, method, "median", show=show)
    plan = plan_of(data, method)
    prepared = prepare_range(plan, data, range_, 2, EmbedOptions(Task(), memo))
    assert prepared is not None
    moving = moving_picture(plan, prepared, show, wanted, range_, t=0.0 if method == "de-sa" else t)
    return moving, wanted, epsilon


def block_of(*about, **more):
    moving, wanted, epsilon = moving_of(*about, **more)
    live = LivePanels(about[2], 1.0, {"p": LivePanel(moving)}, {})
    return live_block(live, np.arange(len(wanted))), wanted, epsilon


@pytest.mark.parametrize("method", METHODS)
def test_what_a_page_holds_is_the_embedding_at_any_epsilon(method, data, memo):
    range_ = LiveRange.around(1 / 20, 2.0)
    block, wanted, epsilon = block_of(data, method, range_, memo)
    _, panels = read(block)
    certified = 0
    for factor in FACTORS:
        exact, _ = columns_of(data, method, tuple(factor * e for e in epsilon))
        drawn, sure = picture(panels["p"], range_.step_of(factor), M)
        certified += sure
        if sure:
            assert largest_angle(drawn, exact) <= 0.05
            assert unlikeness(drawn, exact) <= 0.05
    assert certified >= 0.8 * len(FACTORS)
    start, _ = picture(panels["p"], range_.start, M)
    start -= start.mean(axis=0)
    assert np.linalg.norm(start - (wanted - wanted.mean(axis=0))) <= 0.02 * np.linalg.norm(start)  # not turned


@pytest.mark.parametrize("t", [0, 1, 4])
def test_more_steps_shorten_axes_as_the_eigenvalues_say(t, data, memo):
    range_ = LiveRange.around(1 / 4, 2.0)
    block, _, epsilon = block_of(data, "kernel-sum", range_, memo)
    _, panels = read(block)
    exact, _ = columns_of(data, "kernel-sum", tuple(0.5 * e for e in epsilon), t=t)
    moving = moving_of(data, "kernel-sum", range_, memo, t=None)[0]
    drawn = picture(panels["p"], range_.step_of(0.5), M, t)[0]
    np.testing.assert_allclose(moving.at(range_.step_of(0.5), t), drawn, atol=0.02 * np.abs(drawn).max())
    assert unlikeness(picture(panels["p"], range_.step_of(0.5), M, t)[0], exact) <= 0.08


@pytest.mark.parametrize("method", ["multiview", "de-sa"])
def test_a_single_view_of_several_is_drawn_by_its_own_rows(method, data, memo):
    range_ = LiveRange.around(1 / 4, 2.0)
    block, _, epsilon = block_of(data, method, range_, memo, show="view2")
    _, panels = read(block)
    exact, _ = columns_of(data, method, tuple(0.7 * e for e in epsilon), show="view2")
    assert unlikeness(picture(panels["p"], range_.step_of(0.7), M)[0], exact) <= 0.03


def test_made_twice_it_has_the_same_bytes(data):
    range_ = LiveRange.around(1 / 4, 2.0)
    first, second = (block_of(data, "multiview", range_, remember_once())[0] for _ in range(2))
    assert first == second


def test_the_session_lies_on_a_step_of_the_range():
    for low, high in ((1 / 30, 2.0), (0.5, 2.0), (0.013, 91.0)):
        range_ = LiveRange.around(low, high)
        assert range_.factor_at(range_.start) == pytest.approx(1.0, abs=1e-12)
        assert range_.step_of(1.0) == pytest.approx(range_.start, abs=1e-9)
        assert range_.high / range_.low == pytest.approx(high / low)
        assert abs(np.log(range_.low / low)) <= 0.5 * np.log(high / low) / STEPS


def test_what_more_than_the_leading_vectors_decide_is_not_made(data, memo):
    options = EmbedOptions(Task(), memo)
    range_ = LiveRange.around(0.5, 2.0)
    assert prepare_range(plan_of(data, "alternating"), data, range_, 2, options) is None
    assert not drawn_by_leading(plan_of(data, "de-sa", n_components=6), 2)
    assert drawn_by_leading(plan_of(data, "de-sa"), 2)
    assert not drawn_by_leading(plan_of(data, "kernel-sum", unit_rows=True), 2)
    assert not drawn_by_leading(plan_of(data, "kernel-sum", delta=0.1), 2)
    assert not drawn_by_leading(plan_of(data, "kernel-sum", n_components=2), 3)


def test_a_regular_rings_frame_turns_slowly_though_its_vectors_come_in_pairs():
    angle = 2.0 * np.pi * np.arange(120) / 120
    ring = mvx.MultiView([np.column_stack([np.cos(angle), np.sin(angle)])])
    plan = plan_by(
        None, get_method("single"), ring, None, None, "median", {"n_components": 5, "t": 1}, None, None, None
    )
    range_ = LiveRange.around(1 / 30, 2.0)
    prepared = prepare_range(plan, ring, range_, 2, EmbedOptions(Task(), remember_once()))
    stretches = [Stretch(range_.step_of(a), range_.step_of(b), x.interval, x.interval.basis) for a, b, x in prepared]
    columns, _ = common_columns(stretches, 3)
    towards = np.column_stack([np.cos(angle), np.sin(angle)])
    turning = turning_frame(stretches, columns, range_.start, towards)
    moves = np.linalg.norm(np.diff(turning.frames, axis=0), axis=(1, 2)) / turning.size
    assert moves.max() <= 0.02
    by_signs = [s.eigenpairs(step, 2)[1] for s in stretches[:1] for step in np.linspace(s.first, s.last, 200)]
    units = [Z / np.linalg.norm(Z, axis=0) for Z in by_signs]
    jumps = [min(np.abs(a[:, 0] - b[:, 0]).max(), np.abs(a[:, 0] + b[:, 0]).max()) for a, b in pairwise(units)]
    assert max(jumps) > 0.04  # what the frame is for: twice what it may move; by how much more depends on LAPACK


@pytest.mark.nightly
def test_lines_between_the_steps_kept_miss_no_frame_by_more_than_they_may(data, memo):
    plan = plan_of(data, "multiview")
    range_ = LiveRange.around(1 / 20, 2.0)
    prepared = prepare_range(plan, data, range_, 2, EmbedOptions(Task(), memo))
    half = [0.5 * sum(np.split(x.interval.basis.astype(float), 2)) for _, _, x in prepared]
    stretches = [
        Stretch(range_.step_of(a), range_.step_of(b), x.interval, P)
        for (a, b, x), P in zip(prepared, half, strict=True)
    ]
    columns, shares = common_columns(stretches, 3)
    np.testing.assert_allclose(columns.T @ columns, np.eye(columns.shape[1]), atol=1e-6)
    assert (np.diff(shares) <= 1e-9).all()
    turning = turning_frame(stretches, columns, range_.start, columns_of(data, "multiview", "median")[0])
    steps = fewest_steps(turning)
    assert steps[0] == 0
    assert steps[-1] == STEPS
    assert 9 <= len(steps) <= 120
    for a, b in pairwise(steps):
        for step in range(a + 1, b):
            if step not in turning.beyond:
                h = (step - a) / (b - a)
                missed = turning.frames[step] - (1 - h) * turning.frames[a] - h * turning.frames[b]
                assert np.linalg.norm(missed, axis=0).max() <= MISSED * turning.size


def test_rows_of_length_one_are_certified_as_they_are_drawn(memo):
    """Where one sample is far from all others, it outweighs them in the vectors, and not in what is drawn of these."""
    rng = np.random.default_rng(0)
    clouds = [np.vstack([rng.standard_normal((99, 4)), np.full((1, 4), 6.0)]) for _ in range(2)]
    data, range_ = mvx.MultiView(clouds), LiveRange.around(1 / 30, 2.0)
    block, _, epsilon = block_of(data, "de-sa", range_, memo)
    _, panels = read(block)
    worst = {True: 0.0, False: 0.0}
    for step in range(0, STEPS + 1, 64):
        drawn, sure = picture(panels["p"], step, 100)
        exact, _ = columns_of(data, "de-sa", tuple(range_.factor_at(step) * e for e in epsilon))
        worst[sure] = max(worst[sure], largest_angle(drawn, exact))
    assert worst[True] <= 0.06
    assert worst[False] > 0.1


def test_axes_of_a_graph_in_many_pieces_are_certified_nowhere():
    """Rounding decides which of as many vectors with λ = 1 are drawn, so that no picture is right or wrong."""
    rng = np.random.default_rng(0)
    pieces = mvx.MultiView([np.repeat(50.0 * rng.standard_normal((20, 3)), 5, axis=0) + rng.standard_normal((100, 3))])
    given = {"n_components": 8, "t": 1}
    plan = plan_by(None, get_method("single"), pieces, None, None, "median", given, None, None, None)
    range_ = LiveRange.around(1e-3, 2.0)
    prepared = prepare_range(plan, pieces, range_, 2, EmbedOptions(Task(), remember_once()))
    towards = mvx.embed(pieces, "single", epsilon="median", **given).coordinates[:, :2]
    parts = moving_picture(plan, prepared, "consensus", towards, range_).parts
    whole = [prepared[k][2].interval.at(0.5) for k in range(len(parts))]
    in_pieces = [eigenpairs_of(pencil, 4)[0][3] < 1e-7 for pencil in whole]
    assert any(in_pieces)
    assert not any(part.certified for part, apart in zip(parts, in_pieces, strict=True) if apart)
    assert any(part.certified for part in parts)


@pytest.mark.parametrize(("shared", "fineness"), [(False, COARSE), (True, FINE)])
def test_numbers_are_coarse_where_that_costs_no_certificate(shared, fineness, data, memo):
    range_ = LiveRange.around(1 / 20, 2.0)
    wanted, _ = columns_of(data, "kernel-sum", "median")
    plan = plan_of(data, "kernel-sum")
    prepared = prepare_range(plan, data, range_, 2, EmbedOptions(Task(), memo))
    (moving,) = moving_pictures(plan, prepared, "consensus", [wanted], range_, shared=shared)
    assert moving.fineness == fineness
    assert all(part.certified and part.seen <= 0.03 for part in moving.parts)
    units = quantised_columns(moving.columns, moving.shares, fineness)[1]
    assert np.median(units * moving.shares * np.sqrt(len(moving.columns))) == pytest.approx(fineness, rel=1e-3)


def test_numbers_stay_fine_where_coarse_ones_would_blur_the_axes():
    wrong = Certainty(9.0, 20.0, 1.0, False, 1.0)
    fine = MovingPicture(*[np.zeros(1)] * 5, parts=(Certainty(0.0, 9.0, 0.04, True, 0.02), wrong))
    near = replace(fine, parts=(Certainty(0.0, 9.0, 0.04, True, 0.031), wrong))
    lost = replace(fine, parts=(Certainty(0.0, 9.0, 0.06, False, 0.02), wrong))
    good = replace(fine, parts=(Certainty(0.0, 9.0, 0.04, True, 0.029), wrong))
    assert [as_certain(each, fine) for each in (near, lost, good)] == [False, False, True]


def test_columns_that_count_little_have_coarse_numbers():
    rng = np.random.default_rng(0)
    columns = np.linalg.qr(rng.standard_normal((400, 3)))[0]
    shares = np.array([0.9, 0.3, 0.02])
    whole, units = quantised_columns(columns, shares)
    assert (np.abs(columns - whole * units) <= 0.5 * units + 1e-12).all()
    np.testing.assert_allclose(units * shares * np.sqrt(400), FINE, rtol=1e-3)
    assert np.abs(whole).max(axis=0)[0] > 20 * np.abs(whole).max(axis=0)[2]
