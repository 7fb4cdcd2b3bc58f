"""Sweeps over kernels and metrics: each cell as `embed` has it, alone or beside numbers, from a call or a command."""

import numpy as np
import polars as pl
import pytest

import mvexplorer as mvx
from mvexplorer.cli import main
from mvexplorer.errors import ParameterError

RNG = np.random.default_rng(2)
LABELS = np.arange(60) % 3
XS = [RNG.standard_normal((60, 5)) + 2.0 * RNG.standard_normal((3, 5))[LABELS] for _ in range(2)]
DATA = mvx.MultiView(XS, labels=LABELS)


def expected(method, kernel, metric, scale=1.0):
    medians = mvx.select_epsilon(DATA, "median", kernel=kernel, metric=metric)
    epsilon = [scale * value for value in medians]
    embedding = mvx.embed(DATA, method, kernel=kernel, metric=metric, epsilon=epsilon, n_components=3)
    return epsilon, mvx.metrics.knn_accuracy(embedding.coordinates, LABELS, n_neighbors=5).value


@pytest.mark.parametrize("scales", [None, [0.5, 1.0, 2.0]])
def test_every_cell_is_as_it_is_alone(scales):
    grid = {"metric": ["euclidean", "cosine"], "kernel": ["gaussian", "KNN-10"]}
    grid |= {} if scales is None else {"epsilon_scale": scales}
    table = mvx.sweep(
        DATA, ["kernel-sum", "multiview"], grid, scores=["knn"], epsilon="median", n_components=3, n_jobs=2
    )
    assert table.columns[: len(grid)] == list(grid)
    assert len(table) == 2 * 4 * len(scales or [1])
    for row in table.iter_rows(named=True):
        epsilon, score = expected(row["method"], row["kernel"], row["metric"], row.get("epsilon_scale", 1.0))
        np.testing.assert_allclose(row["epsilon"], epsilon, rtol=1e-12)
        assert row["knn"] == pytest.approx(score)
    first = table.filter(pl.col("method") == "kernel-sum")
    assert first["metric"].unique(maintain_order=True).to_list() == ["euclidean", "cosine"]
    assert first["kernel"].unique(maintain_order=True).to_list() == ["gaussian", "knn-10"]


@pytest.mark.parametrize(
    ("grid", "given", "sentence"),
    [
        ({"metric": ["cosine", "l1"]}, {}, "There is no metric “l1”."),
        ({"kernel": ["gauss"]}, {}, "There is no kernel “gauss”."),
        ({"metric": ["cosine", "correlation"], "kernel": ["gaussian", "precomputed"]}, {}, "The kernel precomputed of"),
        ({"metric": ["euclidean", "correlation"]}, {"kernel": "gaussian@cosine"}, "View “view1” is given two metrics"),
        ({"metric": []}, {}, "The grid has no values of metric."),
        ({"metrics": ["cosine"]}, {}, "There is nothing to sweep called metrics."),
    ],
)  # fmt: skip
def test_words_that_cannot_be_meant_are_refused_before_anything_is_computed(grid, given, sentence):
    with pytest.raises(ParameterError) as refused:
        mvx.sweep(DATA, "kernel-sum", grid, **given)
    assert str(refused.value).startswith(sentence)
    if "metrics" in grid:
        assert refused.value.hint.endswith("Did you mean metric?")


def test_the_command_writes_the_same_table_and_goes_on_from_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    np.savez(tmp_path / "data.npz", view1=XS[0], view2=XS[1], labels=LABELS)
    command = ["sweep", "data.npz", "--method", "kernel-sum", "--score", "knn", "--out", "o.csv",
               "--grid", "metric=euclidean,correlation", "--grid", "epsilon_scale=0.5:2:3:log",
               "--set", "epsilon=median", "--set", "n_components=3"]  # fmt: skip
    assert main(command) == 0
    table = pl.read_csv("o.csv")
    assert table["metric"].to_list() == ["euclidean"] * 3 + ["correlation"] * 3
    for row in table.iter_rows(named=True):
        assert row["knn"] == pytest.approx(expected("kernel-sum", "gaussian", row["metric"], row["epsilon_scale"])[1])
    assert main(command) == 0, "a finished table of the same grid is written again"
    capsys.readouterr()
    assert main([*command[:-4], "--grid", "kernel=gaussian,knn"]) == 2
    assert "belongs to something else" in capsys.readouterr().err
    command[9] = "metric=cosine"
    assert main(command) == 2
    assert "it has a row of kernel-sum at metric euclidean, epsilon_scale 0.5" in capsys.readouterr().err
    command[9] = "metric=l1"
    assert main(command) == 2
    assert "There is no metric “l1”" in capsys.readouterr().err
