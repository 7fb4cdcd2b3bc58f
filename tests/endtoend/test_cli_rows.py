"""Rows in doubt on the command line: one sentence with the flag that decides, and what the flag does."""

from __future__ import annotations

import numpy as np
import pytest

from mvexplorer.cli import main

M = 24
RNG = np.random.default_rng(2)
X, Y = RNG.normal(size=(M, 2)).round(3), RNG.normal(size=(M, 3)).round(3)
ORDER = RNG.permutation(M)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """A command in a folder with files in doubt: exit code, what is on stdout and on stderr."""
    monkeypatch.chdir(tmp_path)
    time = [f"{1.5 * i + 0.25}" for i in range(M)]
    kinds = ["benign", "malignant"] * (M // 2)
    write(tmp_path / "x.csv", X, range(M), time=time, diagnosis=kinds)
    write(tmp_path / "y.csv", Y, ORDER, time=time)
    genes = [",".join(["gene", *(f"P{i}" for i in range(M))])]
    genes += [",".join([f"g{j}", *map(str, column)]) for j, column in enumerate(Y.T)]
    (tmp_path / "genes.csv").write_text("\n".join(genes))

    def call(*arguments):
        code = main(list(arguments))
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


def write(path, numbers, rows, **columns):
    lines = [",".join([*columns, *(f"f{j}" for j in range(numbers.shape[1]))])]
    lines += [",".join([*(values[i] for values in columns.values()), *map(str, numbers[i])]) for i in rows]
    path.write_text("\n".join(lines))


def embed(*sources):
    method = "single" if len(sources) == 1 else "concatenation"
    return ("embed", *sources, "--method", method, "--set", "n_components=2")


def test_the_sentence_names_the_flags(run):
    code, out, err = run(*embed("x.csv", "y.csv"))
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert "“time”" in err
    assert "(--ids time)" in err
    assert "(--join position)" in err


def test_the_flags_decide(run):
    code, joined, err = run(*embed("x.csv", "y.csv"), "--ids", "time")
    assert code == 0, err
    assert "y.csv: the rows were put into the order of x.csv" in err
    code, paired, err = run(*embed("x.csv", "y.csv"), "--join", "position")
    assert code == 0, err
    assert "paired by position, as asked" in err
    assert joined != paired


def test_notes_name_the_flag_that_answers_them(run):
    _, out, err = run(*embed("x.csv"))
    assert "Column “diagnosis” holds 2 classes and could be the label. (--labels diagnosis)" in err
    assert out.startswith("id,psi1")
    assert run(*embed("x.csv"), "--labels", "diagnosis")[1].startswith("id,label,psi1")
    # Three samples are too few for the method, which is why this is only read.
    code, _, err = run("bandwidth", "genes.csv", "--rule", "max-min")
    assert "(--transpose genes.csv)" in err, (code, err)
    code, out, err = run(*embed("genes.csv"), "--transpose", "all")
    assert code == 0, err
    assert [line.split(",")[0] for line in out.splitlines()[:3]] == ["id", "P0", "P1"]
    assert run(*embed("genes.csv"), "--transpose", "genes.csv")[1] == out


def test_wrong_flags_are_refused(run):
    code, _, err = run(*embed("x.csv"), "--join", "left")
    assert code == 2
    assert "'left'" in err or "“left”" in err
    code, _, err = run(*embed("x.csv"), "--transpose", "z.csv")
    assert code == 2
    assert "no table called “z.csv” to turn" in err
