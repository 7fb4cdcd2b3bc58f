"""`mvexplorer bandwidth --spectrum`: the numbers of `mvx.spectrum`, as a table, JSON, CSV and pictures."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two views of a ring, `a.npy` and `b.npy`."""
    made = tmp_path_factory.mktemp("spectrum")
    t = np.linspace(0.0, 2.0 * np.pi, 40, endpoint=False)
    np.save(made / "a.npy", np.c_[np.cos(t), np.sin(t)])
    np.save(made / "b.npy", np.c_[np.cos(t), 2.0 * np.sin(t), 0.2 * np.cos(3 * t)])
    return made


@pytest.fixture
def run(folder, monkeypatch, capsys):
    """The command in this process: what it printed and complained of."""
    monkeypatch.chdir(folder)

    def run(*arguments, code=0):
        assert main(["bandwidth", *arguments]) == code
        return capsys.readouterr()

    return run


def test_json_has_an_entry_for_each_place(run):
    found = json.loads(run("a.npy", "b.npy", "--spectrum", "--json", "--set", "n_components=3").out)
    expected = mvx.spectrum(mvx.load(["a.npy", "b.npy"]), "multiview", n_components=3)
    assert list(found) == ["method", "parameter", "values", "epsilon", "eigenvalues", "certified"]
    assert (found["method"], found["parameter"]) == ("multiview", "epsilon_scale")
    for name in ("values", "epsilon", "eigenvalues", "certified"):
        assert len(found[name]) == 200
        np.testing.assert_allclose(found[name], getattr(expected, name), atol=1e-6)
    assert found["eigenvalues"][0][0] == 1.0


def test_eta_settings_and_methods(run):
    settings = ["--set", "n_components=2", "--set", "epsilon=median", "--set", "multiview.alpha=1"]
    found = json.loads(run("a.npy", "b.npy", "--spectrum", "--parameter", "eta", *settings, "--json").out)
    assert (found["parameter"], len(found["values"])) == ("eta", 101)
    data = mvx.load(["a.npy", "b.npy"])
    assert found["epsilon"][50] == pytest.approx(mvx.select_epsilon(data, "median"))
    exact = mvx.embed(data, "multiview", epsilon="median", n_components=2, eta=0.5, alpha=1)
    assert found["eigenvalues"][50] == pytest.approx(exact.eigenvalues, abs=1e-3)
    assert json.loads(run("a.npy", "--spectrum", "--json").out)["method"] == "single"
    one = json.loads(run("a.npy", "b.npy", "--spectrum", "--method", "kernel-sum", "--json").out)
    assert one["method"] == "kernel-sum"


def test_an_epsilon_without_effect_is_null(run):
    kernels = "kernel=a:gaussian,b:self-tuning"
    found = json.loads(run("a.npy", "b.npy", "--spectrum", "--method", "kernel-sum", "--set", kernels, "--json").out)
    assert found["epsilon"][0][0] > 0
    assert found["epsilon"][0][1] is None


def test_a_short_table(run):
    lines = run("a.npy", "b.npy", "--spectrum", "--set", "n_components=3").out.splitlines()
    assert lines[0].split("  ")[0] == "ε ×"
    assert all(name in lines[0] for name in ("ε a", "ε b", "λ1", "λ3", "largest gap", "certified"))
    assert "λ4" not in lines[0]
    assert len(lines) == 14
    assert lines[1].startswith("0.125")
    assert lines[-1].startswith("8.00")
    assert " after λ" in lines[-1]
    assert all(line.endswith(("yes", "no")) for line in lines[1:])
    lone = run("a.npy", "b.npy", "--spectrum", "--parameter", "eta", "--set", "n_components=1").out.splitlines()
    assert lone[0].startswith("η")
    assert lone[1].split()[-2:] == ["–", "yes"]


def test_a_table_of_all_values_in_a_file(run):
    said = run("a.npy", "b.npy", "--spectrum", "--set", "n_components=2", "--out", "found.csv", "--csv-safe")
    assert said.err == "found.csv: 200 values, 3 eigenvalues\n"
    assert said.out.startswith("ε ×")
    head, *rows = csv.reader(Path("found.csv").read_text("utf-8").splitlines())
    frame = mvx.spectrum(mvx.load(["a.npy", "b.npy"]), "multiview", n_components=2).to_frame()
    assert head == frame.columns
    np.testing.assert_allclose([[float(cell) for cell in row[:-1]] for row in rows], frame.to_numpy()[:, :-1], 1e-6)
    assert {row[-1] for row in rows} <= {"True", "False"}


@pytest.mark.parametrize(("ending", "first"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_a_picture(run, ending, first):
    said = run("a.npy", "b.npy", "--spectrum", "--set", "n_components=2", "--out", f"found.{ending}", "--json")
    assert json.loads(said.out)["method"] == "multiview"
    assert Path(f"found.{ending}").read_bytes().startswith(first)
    if ending == "svg":
        assert "Eigenvalues of Multi-view over ε" in Path("found.svg").read_text("utf-8")


def test_a_setting_of_another_method_is_told(run):
    said = run("a.npy", "--spectrum", "--set", "eta=0.5", "--set", "n_components=2")
    assert "single has no parameter called eta: it was not used." in said.err


REFUSED = {
    "a method without it": (("a.npy", "--method", "single"), "--method is of --spectrum and --tune. Leave it out"),
    "a parameter without it": (("a.npy", "--parameter", "eta"), "--parameter is of --spectrum."),
    "a file without it": (("a.npy", "--out", "a.csv"), "--out is of --spectrum."),
    "a rule": (("a.npy", "--spectrum", "--rule", "median"), "--rule is not of --spectrum. Name the rule that chooses"),
    "an ending": (("none.npy", "--spectrum", "--out", "a.txt"), "Spectra cannot be written as “a.txt”."),
    "a folder": (("none.npy", "--spectrum", "--out", "no/a.csv"), "There is no folder"),
    "a method there is not": (("none.npy", "--spectrum", "--method", "best"), "There is no method called “best”."),
    "a setting there is not": (
        ("none.npy", "--spectrum", "--method", "single", "--set", "best=1"), "No method has a parameter called best.",
    ),
    "a parameter there is not": (("a.npy", "--spectrum", "--parameter", "t"), "--parameter"),
    "η without": (("a.npy", "--spectrum", "--parameter", "eta"), "Single view has no parameter η."),
    "η given": (
        ("a.npy", "b.npy", "--spectrum", "--parameter", "eta", "--set", "eta=0"), "A spectrum over η has no single η.",
    ),
    "no effect": (("a.npy", "--spectrum", "--method", "pca"), "The bandwidth ε has no effect on PCA here."),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(run, name):
    arguments, sentence = REFUSED[name]
    said = run(*arguments, code=2)
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert sentence in said.err
