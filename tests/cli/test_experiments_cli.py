"""`mvexplorer experiments`: lists, runs, and says what reproduces."""

import json

from mvexplorer.cli import main

LIST = {"id", "title", "paper", "figure", "quick_seconds"}


def test_list(capsys):
    assert main(["experiments", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert all(set(row) == LIST for row in found)
    assert main(["experiments"]) == 0
    assert "lindenbaum2015-fig1 " in capsys.readouterr().out


def test_run(capsys):
    assert main(["experiments", "run", "lindenbaum2015-fig1", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert LIST | {"verdict", "value", "bar", "seconds"} <= set(row)
    assert row["verdict"] == "reproduces"
    assert row["value"] > 0.1
    assert main(["experiments", "run", "lindenbaum2015-fig1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("lindenbaum2015-fig1: reproduces (")
    assert "(≥ 0.01)" in out


def test_an_unknown_id_is_refused_with_the_nearest(capsys):
    assert main(["experiments", "run", "lindenbaum-fig1"]) == 2
    assert "Do you mean lindenbaum2015-fig1?" in capsys.readouterr().err
