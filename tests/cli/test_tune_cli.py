"""`mvexplorer bandwidth --tune`: the steps of `mvx.tune`, as a table or JSON; what it refuses."""

import json

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two views of an open curve, `a.csv` with classes and `b.npy`."""
    made = tmp_path_factory.mktemp("tune")
    rng, s = np.random.default_rng(1), np.linspace(0.0, 1.0, 60)
    np.save(made / "a.npy", np.c_[np.cos(5 * s), np.sin(5 * s)] + 0.02 * rng.normal(size=(60, 2)))
    np.save(made / "b.npy", np.c_[s, s**2, 0.3 * rng.normal(size=60)])
    return made


@pytest.fixture
def run(folder, monkeypatch, capsys):
    """The command in this process: what it printed and complained of."""
    monkeypatch.chdir(folder)

    def run(*arguments, code=0):
        assert main(["bandwidth", *arguments]) == code
        return capsys.readouterr()

    return run


def test_json_tells_each_step(run):
    found = run("a.npy", "b.npy", "--tune", "--method", "kernel-sum", "--json", "--set", "n_components=3")
    told = json.loads(found.out)
    assert list(told) == ["method", "score", "steps", "epsilon"]
    assert (told["method"], told["score"]) == ("kernel-sum", "trustworthiness")
    steps = mvx.tune(mvx.load(["a.npy", "b.npy"]), "kernel-sum", n_components=3)
    assert told["epsilon"] == [step.epsilon for step in steps]
    for one, step in zip(told["steps"], steps, strict=True):
        assert list(one) == ["view", "epsilon", "before", "after", "spread"]
        assert (one["view"], one["epsilon"], one["after"]) == (step.view, step.epsilon, step.after.value)
    assert "Chosen by trustworthiness; labels were not used." in found.err


def test_a_table_has_a_sentence_for_each_view(run):
    found = run("a.npy", "b.npy", "--tune", "--score", "stability")
    lines = found.out.splitlines()
    assert lines[0].split() == ["view", "ε", "before", "ε"]
    assert [line.split()[0] for line in lines[-2:]] == ["a", "b"]
    assert "shift with ε" in found.out
    assert "Chosen by shift with ε; labels were not used." in found.err


def test_a_start_without_an_admissible_place_is_told(run, folder):
    np.save(folder / "far.npy", np.r_[np.zeros((20, 1)), np.ones((20, 1)) * 1e6] + np.arange(40)[:, None] * 1e-3)
    found = run("far.npy", "--tune", "--json", "--set", "epsilon=0.01")
    (step,) = json.loads(found.out)["steps"]
    if step["after"] is None:
        assert "stays at ε" in found.err
    else:
        assert "of the others this is best" in found.err


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--score", "knn"], "--score is of --tune."),
        (["--spectrum", "--score", "knn"], "--score is of --tune."),
        (["--regimes", "--score", "knn"], "--score is of --tune."),
        (["--tune", "--rule", "median"], "--rule is not of --tune."),
        (["--tune", "--parameter", "eta"], "--parameter is of --spectrum."),
        (["--tune", "--out", "a.csv"], "--out is of --spectrum."),
        (["--tune", "--score", "gap"], "No ε of this data can be chosen by gap."),
        (["--tune", "--score", "nmi"], "No ε of this data can be chosen by nmi."),
        (["--tune", "--method", "cca"], "has no ε of single views to tune."),
        (["--tune", "--method", "none-such"], "none-such"),
    ],
)
def test_what_makes_no_sense_is_refused(run, flags, sentence):
    found = run("a.npy", "b.npy", *flags, code=2)
    assert sentence in found.err
    assert not found.out


def test_one_way_at_a_time(run):
    assert "--spectrum: not allowed with argument --tune" in run("a.npy", "--tune", "--spectrum", code=2).err
