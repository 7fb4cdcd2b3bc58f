"""The word equal-volume on the command line: as in a script, swept beside other things, refused in one sentence."""

import csv
import json

import numpy as np
import pytest
from engine import dense

import mvexplorer as mvx
from mvexplorer.cli import main

WORD = ("--set", "view_weights=equal-volume")


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """The command in a folder with three views and classes: its code, and what it printed and complained of."""
    monkeypatch.chdir(tmp_path)
    for name, X in zip("abc", dense.views(40, 3)[0], strict=True):
        np.save(f"{name}.npy", X)
    (tmp_path / "kinds.csv").write_text("\n".join(["kind", *np.repeat(["x", "y"], 20)]))

    def run(command, *arguments):
        code = main([command, "a.npy", "b.npy", "c.npy", "--labels", "kinds.csv", *arguments])
        return code, capsys.readouterr()

    return run


def test_embed_takes_the_word(run, tmp_path):
    code, _ = run("embed", "--method", "kernel-sum", *WORD, "--set", "epsilon=median", "--out", "out.csv")
    rows = list(csv.reader((tmp_path / "out.csv").read_text().splitlines()))
    numbers = np.array([[float(cell) for cell in row[-2:]] for row in rows[1:]])
    data = mvx.load(["a.npy", "b.npy", "c.npy"])
    expected = mvx.embed(data, "kernel-sum", epsilon="median", n_components=2, view_weights="equal-volume")
    assert code == 0
    np.testing.assert_allclose(numbers, expected.coordinates, atol=1e-8)


def test_a_sweep_takes_the_word(run, tmp_path):
    code, _ = run("sweep", "--method", "multiview", *WORD, "--grid", "t=1:2:2", "--score", "knn", "--out", "out.csv")
    assert code == 0
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 3


def test_a_product_refuses_it_in_one_sentence(run):
    code, said = run("embed", "--method", "kernel-product", *WORD, "--out", "out.csv")
    assert code == 2
    assert said.err.startswith("mvexplorer: Kernel product has no equal-volume view weights: it adds up no")
    assert said.err.count("\n") == 1


def test_the_list_of_methods_names_it(capsys):
    assert main(["methods", "--json"]) == 0
    params = {m["id"]: {p["name"]: p["range"] for p in m["params"]} for m in json.loads(capsys.readouterr().out)}
    assert params["kernel-sum"]["view_weights"].endswith("such as 1,2,1, or equal-volume")
    assert params["kernel-product"]["view_weights"].endswith("such as 1,2,1")
