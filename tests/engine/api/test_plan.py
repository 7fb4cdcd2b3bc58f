"""What is asked for is worked out once, for scripts, window and command line alike."""

import pickle

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.engine.api.cost import estimate
from mvexplorer.engine.api.plan import NO_EFFECT, plan
from mvexplorer.engine.bandwidth.table import Bandwidth
from mvexplorer.engine.kernels.affinities import GAUSSIAN, parse_kernel
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import DataError, ParameterError
from mvexplorer.state.document.commands import new_panel
from mvexplorer.state.document.model import DocumentState, ViewState
from mvexplorer.state.pictures.requests import request_of

RNG = np.random.default_rng(0)
DATA = mvx.MultiView({name: RNG.normal(size=(40, d)) for name, d in (("a", 2), ("b", 3), ("c", 4))})
KNN = parse_kernel("knn-8")


def made(method, **given):
    return plan(get_method(method), DATA, **given)


def test_a_plan_holds_what_follows():
    found = made(
        "multiview", epsilon={"a": 1.0, "b": "median/2", "c": 3.0}, kernels={"b": "knn-8"}, params={"eta": 0.5}
    )
    assert (found.views, found.n_features) == (("a", "b", "c"), (2, 3, 4))
    assert found.kernels == (GAUSSIAN, KNN, GAUSSIAN)
    assert found.epsilon == (Bandwidth(1.0), Bandwidth(0.5, "median"), Bandwidth(3.0))
    assert (found.params["eta"], found.params["t"], found.subsample, found.notices) == (0.5, 1, None, ())
    assert found.approximates
    method = get_method("multiview")
    expected = estimate(method, 40, (2, 3, 4), found.kernels, 2, params=found.params, memory=1e9, rules=[1])
    assert found.cost(1e9) == expected


def test_views_left_out_are_told_and_their_bandwidth_makes_no_difference():
    found = made("de-sa", epsilon=2.0)
    assert (found.offered, found.views) == (("a", "b", "c"), ("a", "b"))
    assert [(n.code, n.subjects, str(n)) for n in found.notices] == [
        ("views", ("a", "b"), "de Sa uses a + b of the 3 views.")
    ]
    assert found.epsilon == (Bandwidth(2.0), Bandwidth(2.0), NO_EFFECT)
    assert mvx.embed(DATA, "de-sa", epsilon=2.0).warnings[0] == ("views", str(found.notices[0]))


@pytest.mark.parametrize("epsilon", [1.0, "max-min"])
@pytest.mark.parametrize(("method", "kernel"), [("pca", "gaussian"), ("cca", "knn-8"), ("kernel-sum", "self-tuning")])
def test_no_effect_is_one_thing_everywhere(method, kernel, epsilon):
    found = made(method, epsilon=epsilon, kernels=kernel)
    assert set(found.epsilon) == {NO_EFFECT}
    assert pickle.loads(pickle.dumps(found.epsilon)) == found.epsilon
    shown = mvx.embed(DATA, method, epsilon=epsilon, kernel=kernel).epsilon
    assert all(e == epsilon or (np.isnan(e) and isinstance(epsilon, str)) for e in shown)


def test_one_view_is_alone_unless_its_rule_compares():
    alone = made("single", params={"view": "c"}, epsilon=["median", 2.0, 3.0])
    assert (alone.offered, alone.epsilon) == (("c",), (Bandwidth(3.0),))
    compared = made("single", params={"view": "c"}, epsilon="multiview")
    assert compared.offered == ("c", "a", "b")
    assert compared.epsilon == (Bandwidth(1.0, "multiview"), NO_EFFECT, NO_EFFECT)


def test_one_view_that_nobody_chose_is_told():
    found = made("single")
    assert (found.views, [str(n) for n in found.notices]) == (("a",), ["Single view uses a of the 3 views."])
    assert made("single", params={"view": "a"}).notices == ()


def test_features_leave_only_joint_kernels():
    assert set(made("pca", kernels="knn-8").kernels) == {GAUSSIAN}
    assert set(made("concatenation", kernels="knn-8").kernels) == {KNN}


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"views": ("a", "x")}, DataError, "no view called “x”"),
        ({"params": {"n_components": 39}}, ParameterError, "39 coordinates are too many for 40 samples"),
        ({"params": {"n_components": 5}, "subsample": 6}, ParameterError, "random part of 6 samples is too small"),
        ({"epsilon": [1.0, 2.0]}, ParameterError, "2 bandwidths for 3 views"),
        ({"rule_params": {"dimenson": 1}}, ParameterError, "Did you mean dimension"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_computed(given, error, said):
    with pytest.raises(error, match=said):
        made("multiview", **given)


def test_a_part_that_is_no_part_is_all():
    assert made("multiview", subsample=40).subsample is None
    assert made("multiview", subsample=39).subsample == 39


@pytest.mark.parametrize("method", [m.id for m in mvx.methods() if not m.shows_given])
def test_the_windows_request_is_its_own_plan(method):
    """A request asked again of the same data is the same."""
    views = tuple(ViewState(name=name, epsilon="multiview" if name == "b" else 2.0) for name in DATA.view_names)
    request = request_of(DocumentState(views=views), DATA, new_panel(method, "p"))
    again = request.on(DATA)
    assert again.plan == request.plan
    assert again == request
    assert hash(again) == hash(request)
