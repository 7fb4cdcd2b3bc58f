"""What is said of samples without neighbours and slow scalings: of ε only where there is one, and the views truly."""

import dense
import numpy as np
import pytest

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.pipeline import scaling_notices
from mvexplorer.engine.pipeline.scaling_notices import SLOW_SCALING, TAKEN_STEP
from mvexplorer.errors import ComputeError

SCALED = {"normalisation": "doubly-stochastic"}
ALONE = 5


def affinities(n=40, joined=0.0):
    """Affinities of samples, one of which has only this one to another."""
    K = np.exp(-dense.squared(dense.views(n, 1)[0][0]))
    K[ALONE] = K[:, ALONE] = 0.0
    K[ALONE, ALONE], K[ALONE, 7], K[7, ALONE] = 1.0, joined, joined
    return K


def told(Xs, id="single", **params):
    """Notices by their codes."""
    return {getattr(notice, "code", code): notice for code, notice in embed(Xs, id, n_components=2, **params).warnings}


def test_an_affinity_that_is_given_has_no_epsilon():
    words = told([affinities()], kernel="precomputed", self_loops=False)["no-neighbours"]
    assert words == "1 sample has no neighbours: it is left out. Choose another kernel, or keep the self-loops."
    text = (
        r"^1 sample has no n.* doubly stochastic\. Choose another kernel, keep the self-loops \(self_loops=true\), or"
    )
    with pytest.raises(ComputeError, match=text):
        told([affinities()], kernel="precomputed", **SCALED)


def test_too_few_given_affinities_are_refused_without_epsilon():
    text = (
        r"^Only 39 samples have neighbours; r = 38 coordinates need 40\. Choose another kernel, or keep the self-loops"
    )
    with pytest.raises(ComputeError, match=text):
        embed([affinities()], "single", kernel="precomputed", n_components=38, self_loops=False)


@pytest.mark.parametrize("kernel", ["gaussian", "self-tuning"])
def test_an_outlier_that_takes_a_step_is_cured_by_epsilon_where_there_is_one(kernel):
    Xs, epsilon = dense.views(60, 1)
    near = int(np.argmax(Xs[0][:, 0]))
    Xs[0][[ALONE, 9]] = Xs[0][near] + [[60.0] + [0.0] * (Xs[0].shape[1] - 1), [60.5] + [0.0] * (Xs[0].shape[1] - 1)]
    given = {"epsilon": 3000 * epsilon[0]} if kernel == "gaussian" else {}
    words = told(Xs, kernel=kernel, **given, **SCALED)[TAKEN_STEP]
    cure = "Enlarge ε." if kernel == "gaussian" else "Choose another kernel."
    assert words.endswith(f"an outlier has taken it. {cure}")


@pytest.mark.parametrize("kernel", ["gaussian", "self-tuning"])
def test_a_slow_scaling_is_laid_to_epsilon_where_there_is_one(kernel, monkeypatch):
    monkeypatch.setattr(scaling_notices, "SLOW", 2)
    Xs, epsilon = dense.views(60, 1)
    given = {"epsilon": 4 * epsilon[0]} if kernel == "gaussian" else {}
    words = told(Xs, kernel=kernel, **given, **SCALED)[SLOW_SCALING]
    begin = "ε of view1 is small here: the kernel took " if kernel == "gaussian" else "The kernel of view1 took "
    assert words.startswith(begin)
    assert words.endswith(" products to become doubly stochastic.")


def test_samples_missing_in_different_views_are_counted_in_each():
    Xs, epsilon = dense.views(60, 3)
    for i, X in enumerate(Xs):
        for k in (ALONE, 9) if i == 0 else (ALONE,):
            X[k] += 1e3 * (1 + k) * np.abs(X).max()
    epsilon = [4 * e for e in epsilon]
    words = told(Xs, "multiview", epsilon=epsilon, self_loops=False)["no-neighbours"]
    where = "in some view (view1 2, view2 1, view3 1) at this ε"
    assert words == f"2 samples have no neighbours {where}: they are left out. Enlarge ε, or keep the self-loops."


def test_a_view_without_any_edge_says_nothing_of_the_first_coordinate():
    """All samples of the second view are far from each other."""
    X = dense.views(40, 1)[0][0]
    far = 1e3 * np.arange(40.0)[:, None]
    given = {"graph": "kernel", "epsilon": (30.0, 1.0), "self_loops": False}
    assert "joint-first" not in told([X, far], "laplacian-mean", **given)
    two, three = (
        told([X, X[::-1] ** 2, *more], "laplacian-mean", **given | {"epsilon": (0.01,) * 2 + (1.0,) * len(more)})
        for more in ([], [far])
    )
    assert two["joint-first"] == three["joint-first"]
