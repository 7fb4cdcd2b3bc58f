"""What a bandwidth does to a view, against explicit loops; and what is said of it."""

import dense
import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.engine.api.embedding import as_multiview
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.api.preparing import EmbedOptions, prepare
from mvexplorer.engine.api.regimes import regimes
from mvexplorer.engine.bandwidth.curves import FEW
from mvexplorer.engine.bandwidth.facts import KernelFacts, alarming_facts, view_facts
from mvexplorer.engine.bandwidth.limits import limits
from mvexplorer.engine.bandwidth.regimes import judged
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.kernels.affinities import parse_kernels
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.stages import Stages, remember_once
from mvexplorer.errors import ParameterError


def groups(sizes=(30, 20, 3), apart=1e3, seed=0):
    random = np.random.default_rng(seed)
    return np.vstack([np.array([g * apart, 0.0]) + random.standard_normal((n, 2)) for g, n in enumerate(sizes)])


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "correlation", "laplacian-l2", "knn-7"])
def test_who_stands_alone_is_the_same_without_tables(kernel):
    """Of a view whose kernel no picture holds, neither that nor its distances are made and kept."""
    X = np.column_stack([groups(), np.random.default_rng(5).standard_normal(53)])
    data = MultiView([X, X])
    for epsilon in (0.05, 0.5, 3.0):
        kept = {}
        asked = (data, [0, 1], (epsilon, epsilon))
        kernels = parse_kernels(kernel, data.view_names)
        stages = Stages(*asked, kernels=kernels)
        lean = Stages(*asked, kernels=kernels, memo=lambda key, compute, kept=kept: kept.setdefault(key, compute()))
        by_blocks = [facts.alone for facts in alarming_facts(lean, by_kernel=False)]
        assert by_blocks == [facts.alone for facts in alarming_facts(stages, by_kernel=True)]
        made = {key.stage for key in kept}
        assert "kernel" not in made
        assert "distances" not in made or "distance-quantiles" in made  # of a wide ε all pairs are compared


def facts_of(X, epsilon, kernel="gaussian"):
    data = MultiView([X])
    stages = Stages(data, [0], (epsilon,), kernels=parse_kernels(kernel, data.view_names), memo=remember_once())
    return view_facts(stages, 0)


def by_loops(K):
    """Neighbours, share left alone and larger pieces of a kernel (M, M), one entry after the other."""
    M, neighbours = len(K), []
    for i in range(M):
        steps = [K[i, j] for j in range(M) if j != i]
        whole = sum(steps)
        neighbours.append(1.0 / sum((step / whole) ** 2 for step in steps) if whole > 0.0 else 0.0)
    piece, pieces = [-1] * M, []
    for seed in range(M):
        if piece[seed] >= 0:
            continue
        front, size = [seed], 0
        piece[seed] = len(pieces)
        while front:
            i, size = front.pop(), size + 1
            for j in range(M):
                if j != i and K[i, j] >= 1e-3 and piece[j] < 0:
                    piece[j] = len(pieces)
                    front.append(j)
        pieces.append(size)
    alone = sum(size for size in pieces if size < FEW) / M
    return float(np.median(neighbours)), alone, sum(size >= FEW for size in pieces)


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 4.0, 1e4, 1e7])
def test_facts_are_those_of_plain_loops(epsilon):
    X = groups()
    found, D = facts_of(X, epsilon), dense.squared(X)
    neighbours, alone, pieces = by_loops(np.exp(-D / (2 * epsilon)))
    pairs = D[np.triu_indices(len(X), 1)]
    assert found.neighbours == pytest.approx(neighbours, rel=1e-9)
    assert found.alone == pytest.approx(alone, abs=1e-12)
    assert found.pieces == pieces
    assert found.contrast == pytest.approx(np.subtract(*np.quantile(pairs, [0.95, 0.05])) / (2 * epsilon), rel=1e-10)
    assert found.of_median == pytest.approx(epsilon / np.median(pairs), rel=1e-10)
    assert found.others == len(X) - 1


def test_of_nearest_neighbours_the_contrast_is_that_of_the_gaussian():
    X = groups((40, 30), apart=5.0)
    found, whole = facts_of(X, 2.0, "knn-6"), facts_of(X, 2.0)
    D = dense.squared(X)
    order = np.argsort(D + np.diag(np.full(len(X), -1.0)), axis=1)[:, 1:7]
    kept = np.zeros(D.shape, dtype=bool)
    np.put_along_axis(kept, order, values=True, axis=1)
    K = np.where(kept | kept.T, np.exp(-D / 4.0), 0.0)
    assert found.neighbours == pytest.approx(by_loops(K)[0], rel=1e-9)
    assert found.contrast == whole.contrast
    assert found.neighbours < whole.neighbours


def test_the_laplacian_kernel_has_its_own_profile():
    X = groups((40,))
    found, d = facts_of(X, 2.0, "laplacian-l2"), np.sqrt(dense.squared(X))
    pairs = d[np.triu_indices(len(X), 1)]
    assert found.contrast == pytest.approx(np.subtract(*np.quantile(pairs**2, [0.95, 0.05]) ** 0.5) / 2.0**0.5)
    assert found.neighbours == pytest.approx(by_loops(np.exp(-d / 2.0**0.5))[0], rel=1e-9)


def test_of_kernels_without_epsilon_there_is_no_contrast_and_no_flat_view():
    found = regimes([groups((40,)), groups((40,), seed=1)], [1.0, 1e6], kernel=["gaussian", "self-tuning"])
    assert np.isnan(found[1].facts.contrast)
    assert np.isnan(found[1].facts.epsilon)
    assert found[1].regime in ("wide", "local")
    assert found[1].as_dict()["epsilon"] is None
    assert found[1].as_dict()["facts"]["contrast"] is None


def test_a_stopped_task_stops_it():
    task, data = Task(), MultiView([groups()])
    stages = Stages(data, [0], (1.0,), task=task, memo=remember_once())
    task.cancel()
    with pytest.raises(Cancelled):
        view_facts(stages, 0)


# Verdicts -----------------------------------------------------------------------------------------------------------


def view(name="blood", **changes):
    usual = {
        "epsilon": 1.0,
        "of_median": 1.0,
        "alone": 0.0,
        "pieces": 1,
        "neighbours": 10.0,
        "others": 99,
        "contrast": 2.0,
    }
    return KernelFacts(name, **{**usual, **changes})


def test_isolated_comes_before_flat_and_flat_before_wide():
    genes = view("genes", contrast=2.0)
    everything = {"alone": 0.06, "of_median": 3.0, "contrast": 0.03, "neighbours": 90.0}
    words = []
    for left_out in (
        {},
        {"alone": 0.05},
        {"alone": 0.0, "contrast": 0.3},
        {"alone": 0.0, "contrast": 0.3, "neighbours": 33.0},
    ):
        words.append(judged([view(**{**everything, **left_out}), genes])[0].regime)
    assert words == ["isolated", "flat", "wide", "local"]


def test_each_sentence():
    genes = view("genes", contrast=1.6)

    def said(**changes):
        return judged([view(**changes), genes])[0].sentence

    assert said(alone=0.43) == (
        "Isolated: 43 % of the samples of blood have no neighbours, or only in pieces of fewer than 5."
    )
    assert said(of_median=16.0, contrast=0.032) == (
        "Flat: blood adds little to joined pictures: its affinities differ by 3 %, those of genes by 80 %."
    )
    assert said(of_median=16.0, contrast=0.001) == (
        "Flat: blood adds next to nothing to joined pictures: its affinities differ by less than 1 %, those of genes "
        "by 80 %."
    )
    assert said(neighbours=92.0) == (
        "Wide: a sample of blood neighbours 93 % of the others: single pictures tend to principal components."
    )
    assert said() == "Local: a sample of blood has 10 neighbours."
    assert said(pieces=4) == "Local: a sample of blood has 10 neighbours, in 4 pieces."


def test_alarms_have_a_cure_and_facts_have_none():
    genes = view("genes", contrast=1.6)
    each = [
        judged([view(**changes), genes])[0] for changes in ({"alone": 0.5}, {"of_median": 9.0, "contrast": 0.01}, {})
    ]
    assert [one.alarming for one in each] == [True, True, False]
    assert ["robust" in one.cure for one in each] == [True, True, False]
    assert each[2].as_dict()["cure"] is None


def test_one_view_alone_is_never_flat_and_a_narrow_one_neither():
    assert judged([view(of_median=16.0, contrast=0.001)])[0].regime == "local"
    assert judged([view(of_median=1.9, contrast=0.001), view("genes")])[0].regime == "local"


def test_a_view_that_products_follow_alone_is_told_unless_others_are_flat():
    mor = view("mor", contrast=80.0)
    one = judged([mor, view("fou", contrast=2.0), view("fac", contrast=2.0)])[0]
    assert one.dominant == pytest.approx(40.0)
    assert one.cure == "A larger ε of it evens that out."
    assert "Products follow mor alone: its affinities vary 40 times as much" in one.sentence
    assert one.as_dict()["facts"]["dominant"] == pytest.approx(40.0)
    assert judged([view("mor", contrast=20.0), view("fou")])[0].dominant == 0.0  # ten times is not more than ten
    flat = judged([mor, view("fou", contrast=1.0, of_median=5.0)])
    assert [each.regime for each in flat] == ["local", "flat"]
    assert flat[0].dominant == 0.0


def test_views_are_judged_beside_those_named():
    data = MultiView({"a": groups((50,)), "b": 40.0 * groups((50,), seed=2)})
    found = mvx.regimes(data, {"a": 1e4, "b": "median/9"})
    assert [(one.view, one.regime) for one in found] == [("a", "flat"), ("b", "local")]
    assert mvx.regimes(data, 1e4, views=["a"])[0].regime == "wide"
    with pytest.raises(ParameterError, match="bandwidths for"):
        mvx.regimes(data, [1.0])


def test_feature_weights_of_a_rule_belong_to_the_view_that_is_judged():
    random = np.random.default_rng(0)
    X = np.column_stack([random.standard_normal(60), 1e4 * random.standard_normal(60)])
    (found,) = mvx.regimes([X], "std", rule_params={"scaling": "features"})
    weighted = facts_of(X / X.std(axis=0), 1.0)
    assert found.facts.epsilon == 1.0
    assert found.facts.contrast == pytest.approx(weighted.contrast, rel=1e-9)
    assert found.facts.neighbours == pytest.approx(weighted.neighbours, rel=1e-9)


def test_of_many_samples_a_part_is_judged(monkeypatch):
    monkeypatch.setattr("mvexplorer.engine.pipeline.stages.MANY_SAMPLES", 40)
    task = Task()
    found = mvx.regimes([groups((90,))], 1.0, task=task)
    assert found[0].facts.others == 39
    assert any("random part" in text for _, text in task.warnings)


def test_landmarks_out_of_reach_are_isolated_and_no_error():
    X = np.random.default_rng(0).standard_normal((150, 12))
    found = mvx.regimes([X, X[:, :3]], [1e-3, 5.0], kernel=["landmarks-50", "gaussian"])
    assert [one.regime for one in found] == ["isolated", "wide"]


@pytest.mark.nightly
def test_beyond_5000_samples_twins_are_neighbours_and_the_part_is_not_judged_by_itself():
    X = np.repeat(np.random.default_rng(0).integers(0, 9, (620, 4)).astype(float), 10, axis=0)
    assert mvx.regimes([X], 0.05)[0].facts.alone == 0.0
    cloud = np.random.default_rng(1).standard_normal((20_000, 2))
    regime = mvx.regimes([cloud], 2e-4)[0]
    stages = Stages(MultiView([cloud]), [0], (2e-4,), memo=remember_once())
    assert regime.regime == "local"
    assert limits(stages, 0).isolated_below < 2e-4


def test_four_samples_in_one_piece_are_not_alone():
    X = np.random.default_rng(0).standard_normal((4, 2))
    assert mvx.regimes([X], 10.0)[0].facts.alone == 0.0
    assert mvx.regimes([X], 1e-6)[0].regime == "isolated"


@pytest.mark.parametrize("kernel", ["gaussian", "self-tuning"])
def test_who_is_left_alone_is_told_alike_of_kernels_in_any_form(kernel):
    rng = np.random.default_rng(5)
    Xs = [np.vstack([rng.normal(size=(60, 2)), 40.0 + rng.normal(size=(3, 2))]) for _ in range(2)]
    shares = []
    for params in ({}, {"self_loops": False}, {"normalisation": "doubly-stochastic", "self_loops": True}):
        data = as_multiview(Xs)
        made = plan(get_method("kernel-sum"), data, None, kernel, (1.0, 2.0), params)
        stages = prepare(made, data, EmbedOptions(Task(), remember_once()))
        shares.append([facts.alone for facts in alarming_facts(stages, by_kernel=True)])
    assert shares[0] == shares[1] == shares[2]
    assert max(shares[0]) > 0.0
