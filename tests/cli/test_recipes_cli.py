"""`--recipe` wherever `--set` is accepted: the numbers of `mvx`, and the list of recipes with what was measured."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import mvexplorer as mvx
from mvexplorer.cli import main
from mvexplorer.cli.flags import command_parser
from mvexplorer.cli.inputs import opening_epsilon
from mvexplorer.datasets.loading import load_source
from mvexplorer.engine.api.recipe_table import MEASURED_ON

FILES = ["a.npy", "b.npy"]
EMBED = ["embed", "--method", "kernel-sum"]


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """A command in this process, in a folder with a view of four columns and one of two: what it printed."""
    random = np.random.default_rng(0)
    groups = 2.0 * (np.arange(50) % 2)[:, None] * np.array([1.0, -1.0, 0.5, 2.0])
    np.save(tmp_path / "a.npy", random.standard_normal((50, 4)) + groups)
    np.save(tmp_path / "b.npy", random.standard_normal((50, 2)) + groups[:, :2])
    monkeypatch.chdir(tmp_path)

    def call(command, *arguments, code=0, files=FILES):
        assert main([command, *files, *arguments]) == code
        return capsys.readouterr()

    return call


def test_the_flag_offers_every_recipe():
    options = command_parser().parse_args([*EMBED, "a.npy"])
    assert options.recipe is None
    for recipe in mvx.recipes():
        assert command_parser().parse_args([*EMBED, "--recipe", recipe.id, "a.npy"]).recipe == recipe.id


def test_an_embedding_is_that_of_the_call_and_says_what_stays(run):
    said = run("embed", "--method", "kernel-sum", "--json", "--out", "o.npz", "--recipe", "neighbours")
    expected = mvx.embed(mvx.load(FILES), "kernel-sum", recipe="neighbours")
    np.testing.assert_allclose(json.loads(said.out)["eigenvalues"], expected.eigenvalues)
    assert "View “b” stays Euclidean: the metric correlation needs at least 3 columns." in said.err


def test_a_setting_wins(run):
    told = json.loads(run("embed", "--method", "kernel-sum", "--json", "--out", "o.npz", "--recipe", "sphere",
                          "--set", "kernel=laplacian", "--set", "kernel-sum.self_loops=true").out)  # fmt: skip
    expected = mvx.embed(mvx.load(FILES), "kernel-sum", kernel="laplacian", unit_rows=True, t=0)
    np.testing.assert_allclose(told["eigenvalues"], expected.eigenvalues)


def test_an_unknown_recipe_is_refused(run):
    said = run("embed", "--method", "kernel-sum", "--recipe", "sauce", code=2)
    assert "Argument --recipe: invalid choice: 'sauce'" in said.err


def test_sweeps_tunings_spectra_rules_and_diagnoses_take_it(run):
    data = mvx.load(FILES)
    given = {"recipe": "neighbours"}
    with pytest.warns(UserWarning, match="stays Euclidean"):
        frame = mvx.sweep(data, "kernel-sum", {"n_components": [2, 3]}, scores=["trustworthiness"], **given)
    said = run("sweep", "--method", "kernel-sum", "--grid", "n_components=2:3:2", "--score", "trustworthiness",
               "--recipe", "neighbours", "--out", "s.csv")  # fmt: skip
    assert "stays Euclidean" in said.err
    written = pl.read_csv("s.csv")["trustworthiness"].to_list()
    np.testing.assert_allclose(written, frame["trustworthiness"].to_list())

    told = json.loads(run("bandwidth", "--tune", "--method", "kernel-sum", "--json", "--recipe", "neighbours").out)
    assert told["epsilon"] == [step.given for step in mvx.tune(data, "kernel-sum", **given)]

    told = json.loads(run("bandwidth", "--spectrum", "--method", "kernel-sum", "--json", "--recipe", "sphere").out)
    expected = mvx.spectrum(data, "kernel-sum", recipe="sphere")
    np.testing.assert_allclose(told["eigenvalues"], expected.eigenvalues, atol=1e-12)

    metric = {"a": "correlation"}
    told = json.loads(run("bandwidth", "--rule", "median", "--json", "--recipe", "neighbours").out)
    median = mvx.select_epsilon(data, "median", metric=metric)
    assert [told[name]["median"]["epsilon"] for name in ("a", "b")] == list(median)
    told = json.loads(run("bandwidth", "--regimes", "--json", "--recipe", "neighbours", "--set", "epsilon=median").out)
    assert [told[name]["epsilon"] for name in ("a", "b")] == list(median)

    plain = run("diagnose", "--method", "kernel-sum", "--of", "spectrum", "--json")
    named = run("diagnose", "--method", "kernel-sum", "--of", "spectrum", "--json", "--recipe", "neighbours")
    assert plain.out != named.out
    assert "stays Euclidean" in named.err


def test_a_null_test_and_an_error_against_all_pairs_are_of_the_recipe(run):
    told = json.loads(run("embed", "--method", "kernel-sum", "--json", "--out", "o.npz", "--recipe", "neighbours",
                          "--error", "--null-test").out)  # fmt: skip
    assert len(told["null"]) == 2


def test_a_comparison_has_explicit_values_as_pins(run):
    said = run("compare", "--methods", "kernel-sum,multiview,pca", "--out", "o.html", "--save", "o.mvx.json",
               "--recipe", "neighbours")  # fmt: skip
    assert said.err.count("stays Euclidean") == 1
    panels = json.loads(Path("o.mvx.json").read_text("utf-8"))["state"]["panels"]
    pins = {p["method"]: {k: v for k, v in p["pins"].items() if not k.startswith("epsilon:")} for p in panels}
    kernels = {"kernel:a": "knn-10@correlation", "kernel:b": "knn-10"}
    assert pins == {
        "kernel-sum": {**kernels, "self_loops": False, "unit_rows": True, "t": 0},
        "multiview": {**kernels, "unit_rows": True, "t": 0},
        "pca": {"unit_rows": True},
    }


def test_a_sample_s_epsilon_gives_way_where_its_unit_is_another():
    loaded = load_source("helix-a")
    usual = opening_epsilon(loaded)
    assert any(not isinstance(epsilon, str) for epsilon in usual.values())
    assert opening_epsilon(loaded, "sphere") == usual
    assert set(opening_epsilon(loaded, "neighbours").values()) == {"robust"}


def test_the_list_tells_what_each_is_for_and_what_was_measured(capsys):
    assert main(["recipes"]) == 0
    printed = capsys.readouterr().out
    assert MEASURED_ON in printed
    assert main(["recipes", "--json"]) == 0
    facts = {each["id"]: each for each in json.loads(capsys.readouterr().out)}
    assert set(facts) == {recipe.id for recipe in mvx.recipes()}
    for recipe in mvx.recipes():
        assert recipe.for_what in printed
        assert facts[recipe.id]["misleads"] == recipe.misleads
        assert facts[recipe.id]["measured"]["kernel sum"]
    assert facts["neighbours"]["kernel"] == "knn-10"
    assert facts["sphere"]["params"]["self_loops"] is False
