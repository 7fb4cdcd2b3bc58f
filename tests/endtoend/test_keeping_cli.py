"""What the command writes is whole or not there, and any name of a file will do."""

import json
import os
import sys

import pytest
from command import environment, main_in, mvexplorer_in, python_in, two_views, write_csv

LIMITED = """
import sys; sys.dont_write_bytecode = True  # or the limit cuts it off
import json, resource
from mvexplorer.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
for words in json.loads(sys.argv[1]):
    print(words[-1], main(words))
"""


@pytest.fixture
def files(tmp_path):
    two_views(tmp_path)
    return tmp_path


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="no such limit")
def test_a_file_that_does_not_fit_costs_nothing(files):
    commands = [
        ("embed", "x.csv", "--method", "pca", "--out", "old.csv"),
        ("compare", "x.csv", "--methods", "pca", "--out", "old.png"),
        ("compare", "x.csv", "--methods", "pca", "--out", "old.svg"),
    ]
    old = [files / command[-1] for command in commands]
    for path in old:
        path.write_text("before")
    done = python_in(files, LIMITED, json.dumps(commands))
    assert done.stdout.splitlines() == [f"{path.name} 2" for path in old]
    assert done.stderr.splitlines() == [
        f"mvexplorer: {path.name} cannot be written: the file would be larger than the system allows. "
        "Choose a folder on another disk."
        for path in old
    ]
    assert [path.read_text() for path in old] == ["before"] * 3
    assert {p.name for p in files.iterdir()} - {".home"} == {"x.csv", "y.csv", *(path.name for path in old)}


def test_a_place_that_cannot_be_written_is_refused_before_the_work(files):
    (files / "folder.csv").mkdir()
    done = mvexplorer_in(files, "embed", "x.csv", "--method", "pca", "--out", "folder.csv", "--views", "no such view")
    assert done.returncode == 2
    assert done.stderr.startswith("mvexplorer: folder.csv cannot be written: is a directory.")


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
@pytest.mark.parametrize("name", [b"\xff\xfe-data.csv", b'a\n"b".csv', b"n" * 246 + b".csv"])
def test_a_file_of_any_name(files, name):
    source = os.fsdecode(name)
    (files / "x.csv").rename(files / source)
    process = mvexplorer_in if name.startswith(b"\xff") else main_in
    outs = {os.fsdecode(b"\xfe-out.csv"): process, "out\n.npz": main_in, "m" * 242 + ".parquet": main_in}
    for out, command in outs.items():
        done = command(files, "embed", f"./{source}", "y.csv", "--method", "pca", "--out", f"./{out}")
        assert done.returncode == 0, done.stderr
        assert (files / out).stat().st_size > 0
        assert len(done.stderr.splitlines()) == 1
    table = (files / os.fsdecode(b"\xfe-out.csv")).read_text("utf-8")
    assert table.startswith("id,")
    done = main_in(files, "bandwidth", f"./{source}", "--rule", "median", "--json")
    assert done.returncode == 0
    (view,) = json.loads(done.stdout)
    assert view == {b"\xff": "\\xff\\xfe-data", b"a": 'a\n"b"', b"n": "n" * 246}[name[:1]]
    picture = os.fsdecode(b"\xfd.png")
    assert process(files, "compare", f"./{source}", "--methods", "pca", "--out", picture).returncode == 0
    assert (files / picture).read_bytes().startswith(b"\x89PNG")


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_name_in_an_error_is_one_line_of_text(files):
    for name in (b"none\n\xff.csv", b"\xff\r\x1b[31m.csv"):
        done = mvexplorer_in(files, "embed", os.fsdecode(name), "--method", "pca")
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
        assert "\\xff" in done.stderr
        assert "\x1b" not in done.stderr


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="no signals")
def test_the_window_starts_where_nothing_can_be_kept(files):
    write_csv(files / "home", [[0.0]])  # a file where the user's folder should be
    program = """
import sys
from PySide6.QtCore import QTimer
from mvexplorer.ui import app
begin = app.begin
def look(window, *more):
    begin(window, *more)
    def say():
        if window.document.data is not None and window.at_rest():
            print(window.banners.texts())
            window.discard()
        else:
            QTimer.singleShot(50, say)
    say()
app.begin = look
sys.exit(app.run(("x.csv",), None))
"""
    assert "MVEXPLORER_HOME" in environment(files)
    done = python_in(files, program, MVEXPLORER_HOME=str(files / "home"), PYTHONWARNINGS="default")
    assert done.returncode == 0, done.stderr
    assert "preferences" in done.stdout
    assert "Traceback" not in done.stderr
