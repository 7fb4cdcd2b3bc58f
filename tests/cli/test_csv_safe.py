"""Names that spreadsheets take for formulas: told, and escaped where asked, by every command that writes CSV."""

import argparse
import csv
import os
import re
from pathlib import Path

import numpy as np
import pytest

import mvexplorer
from mvexplorer.cli import main
from mvexplorer.cli.flags import command_parser
from mvexplorer.formulas import escaped, is_formula, unescaped
from mvexplorer.state.session.settings import HOME_VARIABLE

IDS = ["=1+1", "+a", "-b", "@c", "'d", "e", *map(str, range(12))]
LABELS = ["=x", "y"]
COMMANDS = {
    "embed": ["embed", "=a.csv", "b.csv", "--method", "multiview", "--out", "out.csv"],
    "diagnose": ["diagnose", "=a.csv", "b.csv", "--method", "multiview", "--sample", "=1+1", "--out", "out"],
    "sweep": ["sweep", "=a.csv", "b.csv", "--method", "multiview", "--grid", "eta=0:1:2", "--out", "out.csv"],
    "run": ["run", "s.mvx.json", "--export", "out"],
    "compare": ["compare", "=a.csv", "b.csv", "--methods", "single,pca", "--labels", "label", "--out", "out.csv"],
}
"""What each writes of data whose names are formulas."""
PREFIXED = ["bandwidth", "=a.csv", "b.csv", "--spectrum", "--method", "kernel-sum", "--out", "out.csv"]
"""Writes names only behind words of its own, which makes them no formulas."""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    t = np.linspace(0.0, 6.0, len(IDS))
    for name, X in (("=a.csv", np.c_[np.cos(t), np.sin(t)]), ("b.csv", np.c_[t, t**2])):
        rows = [f"{id},{LABELS[i % 2]},{x},{y}" for i, (id, (x, y)) in enumerate(zip(IDS, X.tolist(), strict=True))]
        Path(name).write_text("\n".join(["id,label,f0,f1", *rows, ""]))
    return tmp_path


def commands():
    """The parsers of all commands by their names."""
    (found,) = (action for action in command_parser()._actions if isinstance(action, argparse._SubParsersAction))
    return found.choices


def cells(folder):
    """All texts in the CSV files of a command."""
    files = [path for path in folder.rglob("*.csv") if path.name not in ("=a.csv", "b.csv")]
    assert files
    return [cell for path in files for row in csv.reader(path.read_text("utf-8").splitlines()) for cell in row]


def test_every_command_that_writes_csv_has_the_flag():
    of_csv = {
        name for name, parser in commands().items()
        if any(re.search(r"\bCSV\b|\.csv|\bcsv\b", action.help or "") for action in parser._actions)
    }  # fmt: skip
    assert (
        of_csv
        == {*COMMANDS, PREFIXED[0]}
        == {n for n, p in commands().items() if "--csv-safe" in p._option_string_actions}
    )


def test_whatever_writes_csv_can_escape():
    package = Path(mvexplorer.__file__).parent
    no_file = package / "engine" / "core" / "params.py"  # names as the text of one parameter
    texts = [path.read_text("utf-8") for path in package.rglob("*.py") if path != no_file]
    writers = [text for text in texts if re.search(r"csv\.writer\(|\.write_csv\(|def csv\(", text)]
    assert len(writers) == 5
    assert all("from mvexplorer.formulas import" in text for text in writers)


@pytest.mark.parametrize("name", COMMANDS)
def test_names_are_told_and_escaped_where_asked(folder, capsys, name):
    if name == "run":
        saved = ["--out", "a.png", "--save", "s.mvx.json"]
        assert main(["compare", "=a.csv", "b.csv", "--methods", "single,pca", *saved]) == 0
    assert main(COMMANDS[name]) == 0
    told = (
        "in the CSV begin with = + - or @, which spreadsheets take for formulas. --csv-safe puts an apostrophe before"
    )
    assert told in capsys.readouterr().err
    plain = cells(folder)
    formulas = [cell for cell in plain if is_formula(cell)]
    assert formulas
    assert main([*COMMANDS[name], "--csv-safe"]) == 0
    assert told not in capsys.readouterr().err
    safe = cells(folder)
    assert safe == [escaped(cell) for cell in plain]
    assert not any(map(is_formula, safe))


def test_names_behind_words_stay_as_they_are(folder, capsys):
    assert main(PREFIXED) == 0
    plain = cells(folder)
    assert "epsilon:=a" in plain
    assert "spreadsheets" not in capsys.readouterr().err
    assert main([*PREFIXED, "--csv-safe"]) == 0
    assert cells(folder) == plain


def test_coordinates_on_stdout(capsys):
    command = ["embed", "=a.csv", "--method", "pca"]
    assert main([*command, "--csv-safe"]) == 0
    rows = list(csv.reader(capsys.readouterr().out.splitlines()))
    assert [row[0] for row in rows[1:7]] == ["'=1+1", "'+a", "'-b", "'@c", "'d", "e"]
    assert any(row[2].startswith("-") for row in rows)
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert "\n=1+1," in out
    assert "--csv-safe" in err


def test_the_table_of_a_sweep_is_known_again():
    assert main([*COMMANDS["sweep"], "--csv-safe"]) == 0
    whole = Path("out.csv").read_text()
    assert main([*COMMANDS["sweep"], "--csv-safe"]) == 0
    assert Path("out.csv").read_text() == whole


@pytest.mark.parametrize("text", ["=1", "+a", "-a", "@a", "\tb", "\ra", "-1+cmd", "+-1", "-"])
def test_formulas(text):
    assert escaped(text) == f"'{text}"
    assert unescaped(escaped(text)) == text


@pytest.mark.parametrize("value", ["a", "", "'a", "a=1", "-1.5", "+3e-7", "-.5", "7", -1.5, None, "−1"])
def test_no_formulas(value):
    assert escaped(value) is value
    if isinstance(value, str):
        assert unescaped(value) == value
