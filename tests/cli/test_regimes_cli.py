"""`mvexplorer bandwidth --regimes`: the verdicts of `mvx.regimes`, as a table and as JSON."""

import json

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.cli import main


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """The command in this process, in a folder with two views: what it printed and complained of."""
    random = np.random.default_rng(0)
    np.save(tmp_path / "a.npy", random.standard_normal((60, 3)))
    np.save(tmp_path / "b.npy", random.standard_normal((60, 2)))
    monkeypatch.chdir(tmp_path)

    def run(*arguments, code=0):
        assert main(["bandwidth", "a.npy", "b.npy", "--regimes", *arguments]) == code
        return capsys.readouterr()

    return run


def test_json_has_a_record_for_each_view(run):
    found = json.loads(run("--json", "--set", "epsilon=a:1e-9,b:median").out)
    expected = mvx.regimes(mvx.load(["a.npy", "b.npy"]), {"a": 1e-9, "b": "median"})
    assert found == {one.view: one.as_dict() for one in expected}
    assert list(found["a"]) == ["epsilon", "regime", "facts", "sentence", "cure"]
    assert found["a"]["regime"] == "isolated"
    assert "robust" in found["a"]["cure"]
    assert found["b"]["cure"] is None


def test_a_table_says_it_in_words(run):
    lines = run("--set", "epsilon=a:1e6,b:median/9").out.splitlines()
    assert lines[0].split() == ["view", "ε", "regime"]
    assert "flat" in lines[1]
    assert "Flat: a adds next to nothing to joined pictures" in lines[1]
    assert "local" in lines[2]


def test_it_begins_with_the_epsilon_of_the_data_and_knows_kernels_and_rules(run):
    plain = json.loads(run("--json").out)
    assert plain["a"]["epsilon"] == pytest.approx(mvx.select_epsilon(mvx.load("a.npy"), "robust")[0])
    settings = ["--set", "epsilon=max-min", "--set", "rule.C=2", "--set", "kernel=b:knn-7"]
    other = json.loads(run("--json", *settings).out)
    assert other["a"]["epsilon"] == pytest.approx(2.0 * mvx.select_epsilon(mvx.load("a.npy"), "max-min")[0])
    assert other["b"]["facts"]["neighbours"] < plain["b"]["facts"]["neighbours"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--rule", "median"], "--rule is not of --regimes. Name the rule that chooses ε: --set epsilon=median."),
        (["--method", "single"], "--method is of --spectrum and --tune. Leave it out, or add what it is of."),
        (["--set", "eta=1"], "--regimes does not know --set eta=1."),
        (["--set", "epsilon"], "--regimes does not know --set epsilon."),
        (["--set", "epsilon=-1"], "The bandwidth ε"),
    ],
)
def test_what_it_does_not_know_is_refused(run, arguments, sentence):
    assert sentence in " ".join(run(*arguments, code=2).err.split())


def test_it_is_instead_of_the_spectrum(run):
    assert "not allowed with argument --regimes" in run("--spectrum", code=2).err
