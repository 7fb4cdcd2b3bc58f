"""Parameters of bandwidth rules: given in every way there is, checked, and what a rule's number means is told."""

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.engine.bandwidth.manifold_scaling import manifold_scaling
from mvexplorer.engine.bandwidth.survey import evaluate_rules
from mvexplorer.engine.bandwidth.table import Bandwidth, parse_bandwidth, parse_epsilon
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import ParameterError

ROLL = mvx.datasets.make_noisy_swiss_roll(n_samples=200, random_state=0)
KNOWN = manifold_scaling(ROLL.Xs[0], dimension=2)


def single(epsilon, **more):
    return mvx.embed(ROLL, "single", epsilon=epsilon, **more)


@pytest.mark.parametrize("epsilon", ["manifold", "manifold(dimension=2)", {"roll": " manifold( dimension = 2 )"}])
def test_a_known_dimension_reaches_the_rule_that_weighs_features(epsilon):
    """Against the scaling itself: weights and ε of d̂ = 2, and the plain diffusion map of the weighted samples."""
    found = single(epsilon, rule_params={"dimension": 2})
    assert found.epsilon == pytest.approx((KNOWN.epsilon,), rel=1e-12)
    expected = mvx.embed([KNOWN.scale(ROLL.Xs[0])], "single", epsilon=KNOWN.epsilon)
    np.testing.assert_allclose(found.coordinates, expected.coordinates, rtol=0, atol=1e-9)
    assert not any(code.startswith("dimension") for code, _ in found.warnings)


def test_the_estimator_hands_rule_parameters_on():
    fitted = mvx.MultiViewEmbedding("single", epsilon="manifold", rule_params={"dimension": 2}).fit(ROLL)
    assert fitted.embedding_.epsilon == pytest.approx((KNOWN.epsilon,), rel=1e-12)


@pytest.mark.parametrize("given", [{"dimension": 2}, {"rule_params": {"dimension": 2}}])
def test_select_epsilon_says_that_its_number_belongs_to_the_weighted_view(given):
    with pytest.warns(UserWarning, match=r"view “roll” belongs to the view with the feature weights"):
        assert mvx.select_epsilon(ROLL, "manifold", **given) == pytest.approx((KNOWN.epsilon,), rel=1e-12)
    task = Task()
    mvx.select_epsilon(ROLL, "manifold", task=task, **given)  # who has a task is told there
    assert [code for code, _ in task.warnings] == ["reweighted:roll"]
    with pytest.warns(UserWarning, match="feature weights that std chooses"):
        assert mvx.select_epsilon(ROLL, "std", scaling="features") == (1.0,)


def test_an_estimated_dimension_is_told_with_its_range_each_time_it_is_used():
    kept = {}

    def memo(key, compute):
        return kept[key] if key in kept else kept.setdefault(key, compute())

    for _ in range(2):  # computed, then remembered
        told = dict(single("manifold", memo=memo).warnings)
        assert "d̂ = 7 (5 to 7; DANCo finds 7 on 200, 5 on 100 samples)" in told["dimension:roll"]
        assert "the dimension of the noise" in told["dimension:roll"]
        assert "reweighted:roll" in told


def test_other_rules_take_their_parameters_too():
    plain, wide = single("max-min"), single("max-min", rule_params={"C": 3})
    assert wide.epsilon[0] == pytest.approx(3 * plain.epsilon[0], rel=1e-12)
    assert single("2*max-min(C=1.5)").epsilon == pytest.approx(wide.epsilon, rel=1e-12)
    scaled = single("std(scaling=features)")
    X = ROLL.Xs[0] / ROLL.Xs[0].std(axis=0)
    assert scaled.epsilon == (1.0,)
    expected = mvx.embed([X], "single", epsilon=1.0).coordinates
    np.testing.assert_allclose(scaled.coordinates, expected, rtol=0, atol=1e-9)


def test_each_rule_takes_what_it_has_and_what_none_uses_is_told():
    data = mvx.MultiView({"a": ROLL.Xs[0], "b": ROLL.Xs[0][:, :4]})
    mixed = mvx.embed(data, "kernel-sum", epsilon="a:max-min,b:self-tuning(r=5)", rule_params={"C": 2.0, "r": 9})
    assert mixed.epsilon[0] == pytest.approx(2.0 * mvx.select_epsilon(data, "max-min")[0], rel=1e-12)
    assert mixed.epsilon[1] == pytest.approx(mvx.select_epsilon(data, "self-tuning", r=5)[1], rel=1e-12)
    told = dict(mvx.embed(data, "kernel-sum", epsilon="median", rule_params={"dimension": 2}).warnings)
    assert told["rule-params"] == "No rule in use has a parameter called dimension: it has no effect."


@pytest.mark.parametrize("ask", [
    lambda: single("manifold", rule_params={"dimesion": 2}),
    lambda: single(0.5, rule_params={"dimesion": 2}),
    lambda: single("manifold(dimesion=2)"),
    lambda: mvx.select_epsilon(ROLL, "manifold", dimesion=2),
    lambda: evaluate_rules(ROLL, ["median"], rule_params={"dimesion": 2}),
])  # fmt: skip
def test_an_unknown_name_is_refused_with_the_nearest_one(ask):
    with pytest.raises(ParameterError, match=r"parameter called dimesion\. .*Did you mean dimension\?"):
        ask()


@pytest.mark.parametrize(
    "text", ["manifold(2)", "manifold()", "manifold(dimension=)", "manifold(dimension=2", "median)("]
)
def test_brackets_that_cannot_be_read_are_refused(text):
    with pytest.raises(ParameterError, match=r"cannot be read|no bandwidth rule called"):
        parse_bandwidth(text)


def test_values_are_checked_when_they_are_given():
    with pytest.raises(ParameterError, match=r"\(d̂\) cannot be 0. Give a whole number of at least 1"):
        parse_bandwidth("manifold(dimension=0)")
    with pytest.raises(ParameterError, match=r"\(d̂\) cannot be 0"):
        single("manifold", rule_params={"dimension": 0})


def test_what_is_parsed_can_be_written_and_parsed_again():
    for text in ("manifold(dimension=2)", "0.5*class-spectral(low=0.01,high=2.0)", "max-min", "2.0*median"):
        assert parse_bandwidth(text).given == text
    assert parse_bandwidth("manifold(dimension=2)/4") == Bandwidth(0.25, "manifold", (("dimension", 2),))
    pair = parse_epsilon("a:class-spectral(low=.01,high=2),b:3", ("a", "b"))
    assert [b.given for b in pair] == ["class-spectral(low=0.01,high=2.0)", 3.0]
    assert parse_bandwidth("manifold(dimension=2)").words == "manifold d̂ = 2"


def test_what_all_rules_find_comes_with_notes():
    found = evaluate_rules(ROLL, ["median", "manifold"], rule_params={"dimension": 2})["roll"]
    assert set(found["median"].as_dict()) == {"epsilon", "sigma", "of_median"}
    assert found["manifold"].epsilon == pytest.approx(KNOWN.epsilon, rel=1e-12)
    assert "belongs to the view with the feature weights" in found["manifold"].note
    estimated = evaluate_rules(ROLL, ["manifold"])["roll"]["manifold"]
    assert "is an estimate: d̂ = " in estimated.note
