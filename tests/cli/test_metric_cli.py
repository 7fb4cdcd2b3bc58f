"""`--set metric=…` wherever `--set kernel=…` is understood: the numbers of `mvx`, and what cannot be meant."""

import json

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.cli import main
from mvexplorer.cli.inputs import settings_of
from mvexplorer.state.bench.comparing import method_pins

FILES = ["a.npy", "b.npy"]
EMBED = ["embed", "--method", "kernel-sum"]


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """A command in this process, in a folder with two views: what it printed and complained of."""
    random = np.random.default_rng(0)
    np.save(tmp_path / "a.npy", random.standard_normal((50, 4)))
    np.save(tmp_path / "b.npy", random.standard_normal((50, 3)))
    monkeypatch.chdir(tmp_path)

    def call(command, *arguments, code=0):
        assert main([command, *FILES, *arguments]) == code
        return capsys.readouterr()

    return call


def test_it_is_a_setting_of_every_method():
    given = ["metric=cosine", "pca.metric=correlation", "kernel=knn"]
    assert settings_of(given, "multiview") == {"metric": "cosine", "kernel": "knn"}
    assert settings_of(given, "pca") == {"metric": "correlation", "kernel": "knn"}


def test_an_embedding_is_that_of_the_call(run):
    told = json.loads(run("embed", "--method", "kernel-sum", "--json", "--out", "o.npz", "--set", "epsilon=median",
                          "--set", "metric=a:correlation").out)  # fmt: skip
    expected = mvx.embed(mvx.load(FILES), "kernel-sum", epsilon="median", metric={"a": "correlation"})
    np.testing.assert_allclose(told["epsilon"], expected.epsilon)
    np.testing.assert_allclose(told["eigenvalues"], expected.eigenvalues)


def test_bandwidths_and_regimes_are_in_its_units(run):
    told = json.loads(run("bandwidth", "--rule", "median", "--json", "--set", "metric=cosine").out)
    expected = mvx.select_epsilon(mvx.load(FILES), "median", metric="cosine")
    assert [told[name]["median"]["epsilon"] for name in ("a", "b")] == list(expected)
    told = json.loads(run("bandwidth", "--regimes", "--json", "--set", "metric=cosine", "--set", "epsilon=median").out)
    assert [told[name]["epsilon"] for name in ("a", "b")] == list(expected)


def test_a_diagnosis_is_that_of_the_metric(run):
    arguments = "--method", "kernel-sum", "--of", "kernel", "--json", "--set", "epsilon=1"
    plain, cosine = (
        json.loads(run("diagnose", *arguments, "--set", f"metric={metric}").out) for metric in ("euclidean", "cosine")
    )
    assert plain != cosine


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([*EMBED, "--set", "metric=l1"], "There is no metric “l1”. Metrics: euclidean, correlation, cosine."),
        ([*EMBED, "--set", "metric=c:cosine"], "A metric is given for view “c”. The views are a, b."),
        ([*EMBED, "--set", "kernel=gaussian@cosine", "--set", "metric=correlation"], "View “a” is given two metrics"),
        (["bandwidth", "--set", "eta=1"], "Only --set kernel=…, --set metric=… and --set rule.NAME=… matter here."),
        (["bandwidth", "--regimes", "--set", "eta=1"], "Only --set epsilon=…, --set kernel=…, --set metric=… and"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant(run, arguments, sentence):
    assert sentence in run(*arguments, code=2).err


def test_compared_pictures_have_it_pinned():
    data = mvx.MultiView({"a": np.eye(4), "b": np.eye(4)})
    pins = method_pins("kernel-sum", {"metric": "b:cosine", "kernel": "a:knn-2"}, data, "median")
    assert (pins["kernel:a"], pins["kernel:b"]) == ("knn-2", "gaussian@cosine")
    assert "kernel:a" not in method_pins("kernel-sum", {"metric": "b:cosine"}, data, "median")
