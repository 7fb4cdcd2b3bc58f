"""Which command the arguments ask for, and how it ends: 0 done, 2 wrong use or bad input, 130 interrupted."""

import json
import os
import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest

from mvexplorer.cli import lists
from mvexplorer.cli.entry import COMMANDS, main
from mvexplorer.cli.flags import command_parser
from mvexplorer.cli.output import ReaderGone
from mvexplorer.errors import DataError, ParameterError


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch):
    """What `main` sets for its process does not stay."""
    monkeypatch.setattr(os, "environ", dict(os.environ))


@pytest.fixture
def failing(monkeypatch):
    """Make the command that lists methods end in an error."""

    def make(error):
        def fail(options):
            raise error

        monkeypatch.setattr(lists, "list_methods", fail)

    return make


def test_a_list_as_json(capsys):
    assert main(["rules", "--json"]) == 0
    assert "max-min" in {rule["id"] for rule in json.loads(capsys.readouterr().out)}


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (DataError("There is no file.", "Check the name."), 2, "mvexplorer: There is no file. Check the name.\n"),
        (ParameterError("Two\nlines."), 2, "mvexplorer: Two lines.\n"),
        (MemoryError(), 2, "mvexplorer: The computation ran out of memory. Use fewer samples or views.\n"),
        (KeyboardInterrupt(), 130, "mvexplorer: Interrupted.\n"),
        (ReaderGone(), 0, ""),
    ],
)
def test_exit_codes_and_one_line_on_stderr(failing, capsys, error, code, words):
    failing(error)
    assert main(["methods"]) == code
    assert capsys.readouterr() == ("", words)


def test_a_fault_of_the_program_is_not_hidden(failing):
    failing(RuntimeError("boom"))
    with pytest.raises(RuntimeError):
        main(["methods"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["embed", "circles"], "required: --method"),
        (["embed", "circles", "--method", "single", "--subsample", "many"], "invalid int value"),
        (["screenshot", "circles"], "required: --out"),
        (["embed", "circles", "--method", "single", "--memory", "0"], "--memory 0 leaves no memory"),
        (["embed", "circles", "--method", "single", "--out", "a.txt"], "Coordinates cannot be written as “a.txt”"),
        (["bandwidth", "circles", "--set", "eta=1"], "The bandwidth rules do not know --set eta=1"),
        (["screenshot", "circles", "--out", "a.png", "--size", "wide"], "--size wide cannot be read"),
        (["screenshot", "circles", "--out", "a.png", "--size", "9x9"], "No window is 9x9 pixels large"),
        (["metods"], "There is no command called “metods”. Did you mean: mvexplorer methods"),
    ],
)
def test_wrong_use_is_told_before_anything_is_computed(capsys, arguments, words):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("arguments", [["embed", "circles", "--method", "single"], ["lessons", "export", "--out", "a"]])
def test_a_folder_that_is_gone(arguments, monkeypatch, capsys):
    def gone():
        raise FileNotFoundError(2, os.strerror(2))

    monkeypatch.setattr(os, "getcwd", gone)
    assert main(arguments) == 2
    expected = "The folder this was started in cannot be used: no such file or directory. Change to another one."
    assert capsys.readouterr().err == f"mvexplorer: {expected}\n"


def test_every_command_is_known_to_the_parser():
    (actions,) = (a.choices for a in command_parser()._actions if a.choices)
    assert set(actions) == set(COMMANDS)


def test_every_command_names_a_function_that_is_there():
    parsers, functions = [command_parser()], []
    while parsers:
        parser = parsers.pop()
        functions += [parser.get_default("run")] if parser.get_default("run") else []
        parsers += [
            each for action in parser._actions if isinstance(action.choices, dict) for each in action.choices.values()
        ]
    assert len(functions) == len(COMMANDS) + 4  # `experiments run`, `lessons ID`, `lessons check`, `lessons export`
    for module, _, function in (name.partition(".") for name in functions):
        assert callable(getattr(import_module(f"mvexplorer.cli.{module}"), function))


def test_the_commands_that_pages_name_can_be_given():
    home, found = Path(__file__).parents[2], []
    for page in (home / "README.md", *(home / "resources" / "help").glob("*.md")):
        text = page.read_text("utf-8")
        lines = [*re.findall(r"^mvexplorer (.+?)(?: {2,}.*)?$", text, re.M), *re.findall(r"`mvexplorer ([^`]+)`", text)]
        each = [shlex.split(line) for line in lines if not re.search(r"[|\\]", line)]
        found += [words for words in each if words[0] in COMMANDS and len(words) > 1]
    assert {words[0] for words in found} >= {"embed", "diagnose", "compare", "sweep", "import", "run", "script"}
    for words in found:
        command_parser().parse_args(words)


def test_results_of_one_embedding(capsys):
    assert main(["embed", "circles", "--method", "single", "--set", "n_components=1", "--set", "eta=0.5"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == "id,label,psi1"
    assert "single has no parameter called eta: it was not used." in err
