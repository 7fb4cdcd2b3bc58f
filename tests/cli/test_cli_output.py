"""What a command says, and where: results on stdout, notes on stderr."""

import io
import json
from io import StringIO
from types import SimpleNamespace

import pytest

from mvexplorer.cli import loading, output
from mvexplorer.engine.core.notices import Notice


def test_cells_stand_in_columns(capsys):
    output.print_table([("view", "ε"), ("a long name", "1")])
    assert capsys.readouterr().out == "view         ε\na long name  1\n"


@pytest.mark.parametrize(("encoding", "plain"), [("utf-8", False), ("ascii", True)])
def test_json_fits_every_encoding(monkeypatch, encoding, plain):
    stdout = io.TextIOWrapper(io.BytesIO(), encoding)
    monkeypatch.setattr("sys.stdout", stdout)
    output.print_json({"ε": 1})
    output.finish()
    written = stdout.buffer.getvalue().decode(encoding)
    assert json.loads(written) == {"ε": 1}
    assert written.isascii() == plain


def test_notes_stay_on_one_line_and_name_the_flag_that_answers_them(capsys):
    asked = Notice("possibly-turned", "Are the samples in columns?", ("a b.csv", "c.csv"))
    loading.say_notes(SimpleNamespace(manifest=None, notes=(Notice("assumed", "One\nline."), asked)))
    out, err = capsys.readouterr()
    assert out == ""
    assert err == ("mvexplorer: One line.\nmvexplorer: Are the samples in columns? (--transpose 'a b.csv,c.csv')\n")


def test_samples_need_no_notes(capsys):
    loading.say_notes(SimpleNamespace(manifest=object(), notes=(Notice("assumed", "Nothing."),)))
    assert capsys.readouterr().err == ""


def test_a_closed_stdout_is_an_error_and_a_closed_stderr_is_none(monkeypatch):
    monkeypatch.setattr("sys.stdout", None)
    monkeypatch.setattr("sys.stderr", None)
    with pytest.raises(output.OutputError, match="Standard output is closed"):
        output.say("result")
    output.note("lost")
    output.finish()
    with output.progress_line() as bar:
        assert bar is None


def test_progress_is_shown_on_a_terminal_and_cleared_even_after_an_error(monkeypatch):
    terminal = StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stderr", terminal)

    def half():
        with output.progress_line("of it") as bar:
            bar(0.5)
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        half()
    assert terminal.getvalue() == "\r 50 %  of it\r\033[K"
