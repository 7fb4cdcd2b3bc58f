"""Our own figures of ingredients: a part of the table in every change, and what their bars tell apart."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score

from mvexplorer.experiments.own.ingredients import (
    COLUMNS,
    METHODS,
    RULES,
    Trial,
    asked_of,
    rival_score,
    scored_row,
)
from mvexplorer.experiments.own.uci import COORDINATES, every_so_many
from mvexplorer.experiments.repetitions import Run
from mvexplorer.experiments.running import run_experiment
from mvexplorer.experiments.table import find_experiment
from mvexplorer.figures import Table


@pytest.fixture(scope="module")
def trial():
    data = every_so_many(500)
    return Trial("UCI digits, six views", data, data.view_names, COORDINATES)


def plain_product(trial, *, loops):
    """NMI of the kernel product at a third of each median, by dense algebra."""
    exponent = 0.0
    for X in trial.data.Xs:
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        squares = np.square(Z).sum(axis=1)
        d2 = squares[:, None] + squares - 2.0 * Z @ Z.T
        exponent = exponent - d2 / (2.0 * np.median(d2[np.triu_indices(len(Z), 1)]) / 3.0)
    K = np.exp(exponent) - (0.0 if loops else np.eye(len(exponent)))
    root = np.sqrt(K.sum(axis=1))
    values, vectors = np.linalg.eigh(K / np.outer(root, root))
    top = np.argsort(-values)[1 : COORDINATES + 1]
    return clusters_score(vectors[:, top] / root[:, None] * values[top], trial)


def clusters_score(Y, trial):
    clusters = [KMeans(10, n_init=5, random_state=seed).fit_predict(Y) for seed in (0, 1)]
    return np.mean([normalized_mutual_info_score(trial.data.labels, each) for each in clusters])


def test_the_table_of_every_fourth_digit_against_dense_algebra(trial):
    row = dict(zip(COLUMNS, scored_row(Run(), trial, "median/3", "kernel-product"), strict=True))
    assert row["as in the paper"] == pytest.approx(plain_product(trial, loops=True), abs=0.05)
    assert row["without loops"] == pytest.approx(plain_product(trial, loops=False), abs=0.05)
    assert row["without loops"] > row["as in the paper"] + 0.1
    assert row["both"] > 0.87
    assert np.isnan(row["equal volume"])  # a product adds up nothing
    assert row["the same of 10 neighbours"] < row["as in the paper"] - 0.05


def test_joined_views_by_k_means_and_by_spectral_clustering(trial):
    X = np.hstack([(X - X.mean(axis=0)) / X.std(axis=0) for X in trial.data.Xs])
    k_means, spectral = (rival_score(Run(), trial, which) for which in range(2))
    assert k_means == pytest.approx(clusters_score(X, trial), abs=1e-9)
    assert 0.8 < spectral < 0.9


def test_each_method_is_asked_for_what_it_has():
    neighbours = COLUMNS["the same of 10 neighbours"]
    assert asked_of("kernel-sum", neighbours)["self_loops"] is False
    assert asked_of("multiview", neighbours)["self_loops"] is True  # which loses without them
    assert asked_of("laplacian-mean", COLUMNS["both"]) == {"graph": "kernel", "unit_rows": True, "self_loops": False}
    assert asked_of("kernel-sum", COLUMNS["as in the paper"]) == {}
    assert (len(METHODS), len(COLUMNS), RULES[0]) == (5, 8, "median/3")


@pytest.mark.nightly
@pytest.mark.parametrize("id", ["own-drowned-views", "own-who-stays"])
def test_all_2000_digits_say_the_same(id):
    outcome = run_experiment(find_experiment(id), full=True).outcome
    assert [bar.what for bar in outcome.bars if not bar.holds] == []


@pytest.mark.nightly
def test_the_whole_table_of_all_2000_digits():
    outcome = run_experiment(find_experiment("own-ingredients"), full=True).outcome
    assert [bar.what for bar in outcome.bars if not bar.holds] == []
    assert len([figure for figure in outcome.figures if isinstance(figure.body, Table)]) == 3 * len(RULES) + 1
