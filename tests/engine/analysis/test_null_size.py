"""The size of null tests: without anything to find, they find something as often as they say."""

import numpy as np
import pytest

import mvexplorer as mvx

RUNS, SAMPLES = 400, 100


def p_of(seed, *, joined):
    """The p of a seeded picture whose view, or whose variable, has nothing to do with the rest."""
    random = np.random.default_rng(seed)
    X, noise, y = (
        random.standard_normal((SAMPLES, 3)),
        random.standard_normal((SAMPLES, 3)),
        random.standard_normal(SAMPLES),
    )
    if joined:  # y is in the first view, and the second one is noise
        data = mvx.MultiView({"a": np.column_stack([y, X]), "b": noise}, latent={"y": y})
        found = mvx.null_test(data, "kernel-sum", view="b", random_state=seed, epsilon="median", n_components=3)
    else:
        data = mvx.MultiView({"a": X}, latent={"y": y})
        found = mvx.null_test(data, "single", random_state=seed, epsilon="median", n_components=3)
    return found.views[0].p


@pytest.mark.nightly
@pytest.mark.parametrize("joined", [False, True])
def test_of_four_hundred_runs_without_a_finding_about_one_in_twenty_has_one(joined):
    found = np.mean([p_of(seed, joined=joined) <= 0.05 + 1e-12 for seed in range(RUNS)])
    assert 0.025 <= found <= 0.075
