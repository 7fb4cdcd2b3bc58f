"""`mvexplorer script`: a session as a file of Python; what cannot be written is told in a sentence."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

from mvexplorer.cli import main
from mvexplorer.datasets.loading import load_source
from mvexplorer.engine.api.result import Embedding
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document import commands
from mvexplorer.state.session.session import save_session

DATA, SESSION = "t.csv", "s.mvx.json"


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch):
    monkeypatch.setattr(os, "environ", dict(os.environ))


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """`script` in a folder that holds a session and its data: the exit code, and what is on stderr."""
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(40, 3))
    np.savetxt(DATA, X, delimiter=",", header="a,b,c", comments="")
    save(loaded())

    def call(*arguments):
        code = main(["script", *arguments])
        return code, capsys.readouterr().err

    return call


def loaded():
    return load_source(DATA)


def save(found, **changes):
    state = commands.initial_state(found.data, found.sources, None, reading=found.options)
    state = state.model_copy(update=changes)
    save_session(SESSION, state, found.data, "1")
    return state


def test_a_colouring_that_cannot_be_computed_is_told_and_the_rest_is_written(run, tmp_path, capsys):
    np.savetxt(DATA, np.random.default_rng(0).normal(size=(8, 3)), delimiter=",", header="a,b,c", comments="")
    save(loaded(), colour="clusters:p1:kmeans:9")
    assert main(["run", SESSION, "--export", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().err
    assert "The points are grey" in told
    assert "8 samples cannot make 9 clusters. Ask for 2 to 8." in told
    assert (tmp_path / "out" / "comparison.png").stat().st_size > 1000
    assert "8 samples cannot make 9 clusters. Ask for 2 to 8." in run(SESSION, "--out", "s.py")[1]


def test_a_script_makes_the_same_coordinates(run):
    code, told = run(SESSION, "--out", "s.py")
    assert (code, told) == (0, "s.py\n")
    space = {"__file__": os.path.abspath("s.py")}
    exec(compile(Path("s.py").read_text("utf-8"), "s.py", "exec"), space)
    found = loaded()
    state = commands.initial_state(found.data, found.sources, None)
    expected = compute(state, found.data).results["p1"].result.embedding
    (made,) = (value for value in space.values() if isinstance(value, Embedding))
    np.testing.assert_allclose(made.coordinates, expected.coordinates, rtol=0, atol=1e-10)


@pytest.mark.parametrize("flags", [(), ("--notebook",)])
def test_an_ending_or_a_flag_makes_a_notebook(run, flags):
    assert run(SESSION, *flags, "--out", "s.ipynb")[0] == 0
    assert json.loads(Path("s.ipynb").read_text("utf-8"))["nbformat"] == 4


def test_what_is_left_out_is_told(run):
    found = loaded()
    state = save(found)
    panels = (*state.panels, commands.new_panel("multiview", "p9"))
    save(found, panels=panels)
    code, told = run(SESSION, "--out", "s.py")
    assert code == 0
    assert told == (
        "mvexplorer: Left out, as a comment says: p9: Multi-view needs at least 2 views and has 1. "
        "Tick another view, or choose a method that takes fewer.\ns.py\n"
    )


def newer():
    text = Path(SESSION).read_text("utf-8")
    Path(SESSION).write_text(re.sub('"format": *[0-9]+', '"format": 99', text), "utf-8")


def changed():
    rows = Path(DATA).read_text("utf-8").splitlines()
    Path(DATA).write_text("\n".join([*rows[:-1], "1,2,3\n"]), "utf-8")


BAD = {
    "no ending": (None, ("--out", "s.txt"), "“s.txt”. End the file's name in .py or .ipynb."),
    "no notebook": (None, ("--notebook", "--out", "s.py"), "Notebooks cannot be written as “s.py”."),
    "no folder": (None, ("--out", "none/s.py"), "There is no folder"),
    "no session": (lambda: os.remove(SESSION), ("--out", "s.py"), "s.mvx.json cannot be read: no such file"),
    "a newer one": (newer, ("--out", "s.py"), "format 99"),
    "data gone": (lambda: os.remove(DATA), ("--out", "s.py"), "t.csv"),
    "data changed": (changed, ("--out", "s.py"), "Restore the data, or add --accept-changed-data."),
    "no session file": (lambda: Path(SESSION).write_text(""), ("--out", "s.py"), "s.mvx.json"),
    "folder": (lambda: os.mkdir("s.py"), ("--out", "s.py"), "s.py cannot be written"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_written_is_one_sentence(run, case):
    damage, arguments, words = BAD[case]
    if damage is not None:
        damage()
    code, told = run(SESSION, *arguments)
    assert code == 2
    assert words in told
    assert told.count("\n") == 1
    assert not os.path.isfile("s.py")


def test_a_protected_file_stays(run, monkeypatch):
    Path("s.py").write_text("former")
    monkeypatch.setattr("mvexplorer.writing.os.access", lambda *_: False)  # also where the tests run as root
    code, told = run(SESSION, "--out", "s.py")
    assert (code, told.count("\n")) == (2, 1)
    assert "s.py cannot be written: permission denied. Choose a folder and a file that you may write to." in told
    assert Path("s.py").read_text() == "former"


def test_data_that_moved_is_found_by_its_place(run):
    os.rename(DATA, "other.csv")
    assert "--data PATH" in run(SESSION, "--out", "s.py")[1]
    assert run(SESSION, "--out", "s.py", "--data", "other.csv")[0] == 0
    assert 'folder / "other.csv"' in Path("s.py").read_text("utf-8")


def test_changed_data_can_be_accepted_and_a_file_is_replaced(run):
    Path("s.py").write_text("former")
    changed()
    assert run(SESSION, "--accept-changed-data", "--out", "s.py") == (0, "s.py\n")
    assert "former" not in Path("s.py").read_text("utf-8")
