"""Bad input on the command line: one sentence that says what happened and what to do, exit code 2, no traceback."""

import json
import os
import shutil
import sys

import numpy as np
import pytest
from command import main_in, mvexplorer_in, two_views, write_csv

from mvexplorer.datasets.loading import load_source
from mvexplorer.state.document import commands
from mvexplorer.state.session.session import save_session

BINARY = bytes(range(256)) * 20


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with a good pair of files, `x.csv` and `y.csv`, and one file for everything that can be wrong."""
    folder = tmp_path_factory.mktemp("files")
    X, Y = two_views(folder, 60)
    write_csv(folder / "short.csv", Y[:50])
    write_csv(folder / "two.csv", X[:2])
    gaps = X.copy()
    gaps[3, 1], gaps[7, 0] = np.nan, np.inf
    write_csv(folder / "gaps.csv", gaps)
    write_csv(folder / "flat.csv", np.ones((60, 2)))
    write_csv(folder / "tiny.csv", 1e-16 * Y)
    write_csv(folder / "constant.csv", np.column_stack([X, np.full(60, 5.0)]))
    write_csv(folder / "columns.csv", X[:, [0, 1, 1]])
    rows = X.copy()
    rows[10:20] = rows[0]
    write_csv(folder / "rows.csv", rows)
    lines = (folder / "x.csv").read_text().splitlines()
    (folder / "text.csv").write_text("\n".join([*lines[:5], "abc,1,2", *lines[6:]]))
    (folder / "words.csv").write_text("a,b\nfoo,bar\nbaz,qux\n")
    (folder / "ragged.csv").write_text("\n".join([*lines[:9], "1,2", *lines[10:]]))
    (folder / "empty.csv").write_bytes(b"")
    (folder / "header.csv").write_text("a,b,c\n")
    for ending in ("csv", "npy", "npz", "mat"):
        (folder / f"garbage.{ending}").write_bytes(BINARY)
    (folder / "table.docx").write_bytes(b"PK\x03\x04")
    (folder / "folder").mkdir()
    np.savez(folder / "objects.npz", a=np.array([{}, {}, {}], dtype=object))
    _sessions(folder)
    return folder


def _sessions(folder):
    loaded = load_source([str(folder / "x.csv"), str(folder / "y.csv")])
    state = commands.initial_state(loaded.data, loaded.sources, None, False)
    save_session(folder / "good.mvx.json", state, loaded.data, "1")
    text = (folder / "good.mvx.json").read_text("utf-8")
    (folder / "broken.mvx.json").write_text(text[:400], "utf-8")
    (folder / "no.mvx.json").write_text("[]")
    for name, change in (("gone", {"source": ["./gone.csv"]}), ("magic", {"magic": 1})):
        content = json.loads(text)
        content["state"].update(change)
        (folder / f"{name}.mvx.json").write_text(json.dumps(content))
    (folder / "newer.mvx.json").write_text(json.dumps({**json.loads(text), "format": 9}))
    (folder / "changed.mvx.json").write_text(json.dumps({**json.loads(text), "fingerprint": "other"}))
    (folder / "others.mvx.json").write_text(json.dumps({**json.loads(text), "n_samples": 61}))


def sentence(files, *arguments, command=main_in):
    """What a command that is refused says, its one line checked for form."""
    done = command(files, *arguments)
    assert done.returncode == 2, (done.returncode, done.stderr)
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("mvexplorer: ")
    said = lines[0].removeprefix("mvexplorer: ")
    assert len(said.rstrip(".").split(". ")) >= 2 or ": mvexplorer" in said, f"no hint: {said}"
    return said


ONE, TWO = ("embed", "x.csv", "--method", "single"), ("embed", "x.csv", "y.csv", "--method", "multiview")


def embed(*sources, method="single"):
    return ("embed", *sources, "--method", method)


AS_PROCESSES = {"missing file", "different row counts", "unknown flag", "screenshot of bad data"}
"""Refusals of the command in a process of its own; opening a window is one of them."""
DATA = {
    "different row counts": (embed("x.csv", "short.csv", method="multiview"), "x has 60, short has 50"),
    "one view": (embed("x.csv", method="multiview"), "Multi-view needs at least 2 views and has 1"),
    "one view left": (("embed", "helix-a", "--method", "de-sa", "--views", "view1"), "needs at least 2 views"),
    "one view compared": (("compare", "x.csv", "--methods", "de-sa", "--out", "p.png"), "needs at least 2 views"),
    "missing and infinite": (embed("gaps.csv"), "2 of 60 rows hold missing or infinite values, in gaps (2)."),
    "text among numbers": (embed("text.csv"), "“abc” on line 6"),
    "only words": (embed("words.csv"), "There is no table of numbers"),
    "ragged lines": (embed("ragged.csv"), "Line 10 of “ragged.csv” has 2 fields where the others have 3"),
    "empty file": (embed("empty.csv"), "The file “empty.csv” is empty."),
    "only a header": (embed("header.csv"), "but no rows"),
    "binary table": (embed("garbage.csv"), "is not a table of text"),
    "binary npy": (embed("garbage.npy"), "The file “garbage.npy” is damaged."),
    "binary npz": (embed("garbage.npz"), "The file “garbage.npz” is damaged."),
    "binary mat": (embed("garbage.mat"), "is not a MAT file or is damaged"),
    "Python objects": (embed("objects.npz"), "holds Python objects instead of numbers"),
    "unknown kind": (embed("table.docx"), "Files of kind “.docx” cannot be read"),
    "missing file": (embed("none.csv"), "There is no sample or file called “none.csv”."),
    "one of two missing": (embed("x.csv", "none.csv"), "There is no sample or file called “none.csv”."),
    "folder": (embed("folder"), "The folder “folder” holds no pictures, recordings or tables."),
    "name too long": (embed("x" * 300 + ".csv"), "There is no sample or file"),
    "nobody's home": (embed("~nobody-at-all/x.csv"), "There is no sample or file"),
    "two samples": (embed("two.csv"), "The data has 2 samples. At least 3"),
    "one point": (embed("flat.csv"), "All samples of view “flat” are the same point"),
    "unknown sample": (embed("helix-c"), "Did you mean the sample helix-a or helix-b?"),
    "sample and file": (embed("helix-a", "x.csv"), "cannot be joined with files"),
    "unknown view": (("embed", "helix-a", "--method", "single", "--views", "view9"), "The views are view1, view2."),
    "unknown labels": ((*ONE, "--labels", "magic"), "no column or file called “magic”"),
    "labels too long a name": ((*ONE, "--labels", "x" * 300), "no column or file called"),
    "labels of others": ((*ONE, "--labels", "short.csv"), "several columns"),
    "unknown preprocessing": ((*ONE, "--preprocess", "whiten"), "Use one of none, centre, zscore"),
    "preprocessing for others": ((*TWO, "--preprocess", "none,none,none"), "for 2 views"),
}  # fmt: skip


@pytest.mark.parametrize("name", DATA)
def test_data(files, name):
    arguments, expected = DATA[name]
    assert expected in sentence(files, *arguments, command=mvexplorer_in if name in AS_PROCESSES else main_in)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's")
def test_an_unreadable_file(files):
    # Even root cannot read this one, whatever its permissions.
    if not (files / "unreadable.csv").is_symlink():
        os.symlink("/proc/self/mem", files / "unreadable.csv")
    assert "The file “unreadable.csv” cannot be read: " in sentence(files, *embed("unreadable.csv"))


def test_missing_values_can_be_dropped_and_the_hint_says_how(files):
    assert "with --drop-missing" in sentence(files, *embed("gaps.csv", "y.csv", method="multiview"))
    assert "with --drop-missing" in sentence(files, "compare", "gaps.csv", "--out", "p.png")


SETTINGS = {
    "epsilon=0": "The bandwidth ε is 0",
    "epsilon=-1": "The bandwidth ε is -1",
    "epsilon=nan": "The bandwidth ε is nan",
    "epsilon=inf": "The bandwidth ε is inf",
    "epsilon=true": "The bandwidth ε is 'true', not a number",
    "epsilon=": "no bandwidth rule called “”",
    "epsilon=magic": "Rules: ",
    "epsilon=0*median": "cannot be read",
    "epsilon=-2*median": "cannot be read",
    "epsilon=median/0": "cannot be read",
    "epsilon=__import__('os')": "no bandwidth rule called",
    "epsilon=x:1": "No bandwidth is given for view y",
    "epsilon=x:1,y:-1": "The bandwidth ε is -1",
    "eta=1.01": "Give a number from 0 to 1.",
    "eta=-0.1": "Give a number from 0 to 1.",
    "eta=nan": "Give a number from 0 to 1.",
    "eta=much": "not a number",
    "t=1.5": "Give a whole number",
    "t=-1": "Give a whole number",
    "delta=1": "Give a number from 0 to 0.999.",
    "n_components=0": "Give a whole number of at least 1.",
    "n_components=60": "r = 60 coordinates are too many for 60 samples. Ask for at most 58.",
    "n_components=1e30": "coordinates are too many",
    "magic=1": "No method has a parameter called magic.",
    "multiview.magic=1": "multiview has no parameter called magic.",
    "single.magic=1": "single has no parameter called magic.",
    "magic.t=1": "There is no method called “magic”.",
    "eta": "--set eta has no value. Write --set name=value.",
    "multiview.epsilon=0": "The bandwidth ε is 0",
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_parameters(files, setting):
    done = main_in(files, *TWO, "--set", setting)
    assert (done.returncode, done.stdout) == (2, "")
    (said,) = done.stderr.splitlines()
    assert said.startswith("mvexplorer: ")
    assert SETTINGS[setting] in said


WRONG_USE = {
    "unknown method": (embed("x.csv", method="magic"), "Methods: single, "),
    "unknown methods": (("compare", "helix-a", "--methods", "single,magic", "--out", "p.png"), "called “magic”"),
    "mistyped command": (("embd", "x.csv"), "There is no command called “embd”. Did you mean: mvexplorer embed"),
    "unknown command": (("frobnicate",), "There is no sample or file called “frobnicate”."),
    "unknown flag": ((*ONE, "--magic"), "Unrecognized arguments: --magic. See: mvexplorer"),
    "unknown flag of the window": (("--magic",), "Unrecognized arguments: --magic. See: mvexplorer --help"),
    "no method": (("embed", "x.csv"), "required: --method"),
    "error of nothing": ((*ONE, "--error"), "Nothing stands for all pairs of samples here: there is no error to tell."),
    "part of nothing": ((*TWO, "--subsample", "0"), "A random part of 0 samples is too small for 2 coordinates."),
    "part below nothing": ((*TWO, "--subsample", "-5"), "Give at least 4 samples."),
    "no source": (("embed", "--method", "single"), "required: SOURCE"),
    "no picture": (("compare", "helix-a"), "required: --out"),
    "seed": ((*ONE, "--random-state", "lucky"), "--random-state"),
    "no such folder": ((*ONE, "--out", "none/a.csv"), "Create it, or choose another."),
    "no such folder for a picture": (("compare", "x.csv", "--out", "none/a.png"), "There is no folder"),
    "no such folder for a screenshot": (("screenshot", "x.csv", "--out", "none/a.png"), "There is no folder"),
    "a file for a folder": ((*ONE, "--out", "x.csv/a.csv"), "There is no folder"),
    "table's ending": ((*ONE, "--out", "a.xlsx"), "in .csv, .npz or .parquet."),
    "picture's ending": (("compare", "helix-a", "--out", "a.jpg"), "in .png, .svg, .pdf, .html, .csv or .json."),
    "screenshot's ending": (("screenshot", "helix-a", "--out", "a.svg"), "End the file's name in .png."),
    "window's size": (("screenshot", "helix-a", "--out", "a.png", "--size", "big"), "Write it as 1440x900."),
    "no size": (("screenshot", "helix-a", "--out", "a.png", "--size", "0x0"), "Give sides of 200 to 8192 pixels."),
    "huge": (("screenshot", "helix-a", "--out", "a.png", "--size", "90000x90000"), "Give sides of 200 to"),
    "theme": (("compare", "helix-a", "--out", "a.png", "--theme", "pink"), "invalid choice"),
    "screenshot of bad data": (("screenshot", "x.csv", "short.csv", "--out", "a.png"), "x has 60, short has 50"),
    "window with bad data": (("x.csv", "short.csv"), "x has 60, short has 50"),
    "failed methods": (
        ("compare", "x.csv", "--out", "a.png", "--set", "n_components=60"),
        "60 coordinates are too many for 60 samples",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG_USE)
def test_wrong_use(files, name):
    arguments, expected = WRONG_USE[name]
    assert expected in sentence(files, *arguments, command=mvexplorer_in if name in AS_PROCESSES else main_in)


SESSIONS = {
    "none": "cannot be read: no such file or directory.",
    "broken": "is broken: it is not complete JSON.",
    "no": "is not a session file.",
    "gone": "The data of this session cannot be opened: There is no sample or file",
    "changed": "The data has changed since the session was saved",
    "others": "The session was made for 61 samples of x, y; its data now has 60 of x, y.",
    "newer": "has format 9, this program reads format 1.",
    "magic": "is broken at state.magic",
}


@pytest.mark.parametrize("name", SESSIONS)
def test_sessions(files, name):
    assert SESSIONS[name] in sentence(files, "run", f"{name}.mvx.json")


@pytest.mark.parametrize(
    "command",
    [("run", "broken.mvx.json", "--export", "out"), ("broken.mvx.json",), ("--session", "broken.mvx.json"),
     pytest.param(("screenshot", "broken.mvx.json", "--out", "s.png"), marks=pytest.mark.nightly)],
)  # fmt: skip
def test_a_broken_session_wherever_it_may_be_given(files, command):
    process = mvexplorer_in if command[0] == "screenshot" else main_in
    assert SESSIONS["broken"] in sentence(files, *command, command=process)
    assert not (files / "out").exists()


def test_an_export_folder_that_is_a_file(files):
    assert "x.csv cannot be made" in sentence(files, "run", "good.mvx.json", "--export", "x.csv")


def test_nothing_is_written_when_something_is_wrong(files, tmp_path):
    shutil.copy(files / "gaps.csv", tmp_path)
    (tmp_path / "a.csv").write_text("what was there before")
    sentence(tmp_path, *embed("gaps.csv"), "--out", "a.csv")
    assert (tmp_path / "a.csv").read_text() == "what was there before"
    sentence(tmp_path, "compare", "gaps.csv", "--out", "a.png")
    assert {p.name for p in tmp_path.iterdir()} - {".home"} == {"a.csv", "gaps.csv"}


WORKING = {
    "constant columns": (embed("constant.csv", "y.csv", method="multiview"), "Constant columns"),
    "duplicated columns": (embed("columns.csv", "y.csv", method="multiview"), "Columns that repeat another one"),
    "duplicate rows": (embed("rows.csv", "y.csv", method="multiview"), "Samples that repeat another one"),
    "tiny view": (embed("x.csv", "tiny.csv", method="multiview"), "View tiny is 1e16 times smaller than x"),
    "disconnected graph": ((*TWO, "--set", "epsilon=1e-6"), "unconnected pieces at this ε"),
    "dropped rows": ((*embed("gaps.csv", "y.csv", method="multiview"), "--drop-missing"),
                     "2 of 60 samples lack a number and were dropped in all views."),
}  # fmt: skip


@pytest.mark.parametrize("name", WORKING)
def test_what_is_odd_works_with_a_word_on_it(files, name):
    arguments, expected = WORKING[name]
    done = main_in(files, *arguments)
    assert done.returncode == 0, done.stderr
    assert any(line.startswith("mvexplorer: ") and expected in line for line in done.stderr.splitlines())
    rows = [line.split(",") for line in done.stdout.splitlines()]
    assert len(rows) == (59 if name == "dropped rows" else 61)
    assert np.isfinite(np.array([row[1:] for row in rows[1:]], dtype=float)).all()


def test_a_picture_says_it_too(files):
    done = main_in(files, "compare", "constant.csv", "--methods", "single", "--out", "odd.png")
    assert done.returncode == 0
    assert "Constant columns" in done.stderr
