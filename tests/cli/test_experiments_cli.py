"""`mvexplorer experiments`: lists, runs, and says what reproduces."""

import json

from mvexplorer.cli import main
from mvexplorer.experiments.experiment import PAPERS

LIST = {"id", "title", "paper", "figure", "kind", "quick_seconds"}


def test_list(capsys):
    assert main(["experiments", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert all(set(row) == LIST for row in found)
    marked = {row["id"]: (row["kind"], row["paper"]) for row in found if row["kind"] != "claim"}
    assert marked.items() >= {
        "lindenbaum2015-fig2": ("identity", "lindenbaum2015"), "lindenbaum2015-fig3": ("identity", "lindenbaum2015"),
        "lindenbaum2015-eq24": ("ours", "lindenbaum2015"), "yair2016-shared": ("ours", None),
        "own-whose-epsilon": ("ours", None),
    }.items()  # fmt: skip
    assert all(row["paper"] in PAPERS for row in found if row["kind"] == "claim")
    assert main(["experiments"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.split()[:2] == ["lindenbaum2015-fig2", "identity"] for line in lines)


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
    assert main(["experiments", "run", "lindenbaum2015-eq24"]) == 0
    assert capsys.readouterr().out.startswith("lindenbaum2015-eq24: does not (our own, ")


def test_an_unknown_id_is_refused_with_the_nearest(capsys):
    assert main(["experiments", "run", "lindenbaum-fig1"]) == 2
    assert "Do you mean lindenbaum2015-fig1?" in capsys.readouterr().err
