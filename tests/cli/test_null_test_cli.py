"""`embed --null-test`: lines for a reader, a list for a program."""

import json
import warnings

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.cli.computing import tell_null_test
from mvexplorer.cli.entry import main
from mvexplorer.engine.analysis.null_band import Real, ShuffledRun, band_of
from mvexplorer.engine.analysis.null_test import NullTest


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    angle = np.sort(rng.uniform(0.0, 2.0 * np.pi, 40))
    for name in ("a", "b"):
        np.savetxt(tmp_path / f"{name}.csv", np.column_stack([np.cos(angle), np.sin(angle)]), delimiter=",")
    return [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]


def test_json_has_the_promised_names(files, capsys):
    assert main(["embed", *files, "--method", "kernel-sum", "--null-test", "--json"]) == 0
    null = json.loads(capsys.readouterr().out)["null"]
    assert [each["view"] for each in null] == ["a", "b"]
    assert all(list(each) == ["view", "score", "real", "shuffled", "p"] for each in null)


def test_a_line_says_that_a_view_harms(capsys):
    runs = [ShuffledRun("mor", i, 0.5 + 0.01 * i, np.array([0.5])) for i in range(19)]
    tell_null_test(NullTest("kernel-sum", "nmi", (band_of("mor", "NMI", Real(0.4, np.array([0.8])), runs),)))
    assert capsys.readouterr().err == (
        "mor: NMI 0.400, shuffled 0.500 to 0.680 in 19 runs. "
        "mor lowers this score: it is below all 19 with mor shuffled.\n"
    )


def test_lines_say_what_each_view_adds(tmp_path, capsys):
    out = str(tmp_path / "circles.csv")
    assert main(["embed", "circles", "--method", "kernel-sum", "--null-test", "--out", out]) == 0
    told = capsys.readouterr().err.splitlines()
    assert "view1: NMI " in told[-2]
    assert (
        "in 19 runs. This score is above all 19 with view2 shuffled (p ≤ .05, the smallest possible with 19 runs)."
        in told[-1]
    )


@pytest.mark.parametrize(
    ("more", "sentence"),
    [([], "One embedding is computed here: --cluster is for its permutation test, and for landmarks beyond memory. "),
     (["--null-test"], "tcp://10.1.2.3:8786 is neither encrypted nor on this computer. Whoever can reach")],
)  # fmt: skip
def test_a_cluster_is_refused_before_anything_is_computed(capsys, monkeypatch, more, sentence):
    monkeypatch.setattr("mvexplorer.cli.computing.load_named", lambda options: pytest.fail("reads the data"))
    assert main(["embed", "circles", "--method", "kernel-sum", "--cluster", "tcp://10.1.2.3:8786", *more]) == 2
    assert capsys.readouterr().err.startswith(f"mvexplorer: {sentence}")


def test_a_lost_cluster_is_told_in_a_sentence(capsys, monkeypatch):
    test = mvx.null_test

    def lost(data, method, **given):
        warnings.warn("The scheduler does not answer any more.", UserWarning, stacklevel=2)
        return test(data, method, n=1, score="none", epsilon=1.0)

    monkeypatch.setattr("mvexplorer.cli.computing.null_test", lost)
    command = ["embed", "circles", "--method", "kernel-sum", "--null-test", "--cluster", "local:1", "--json"]
    assert main(command) == 0
    assert capsys.readouterr().err == "mvexplorer: The scheduler does not answer any more.\n"
