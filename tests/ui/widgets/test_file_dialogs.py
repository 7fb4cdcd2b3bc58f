"""Dialogs for files start where the last one was left."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from mvexplorer.ui.widgets import file_dialogs


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """Where each dialog started; it answers with a file of its own folder."""
    seen = []

    def answer(many):
        def ask(parent, title, start, kinds):
            seen.append(start)
            chosen = str(tmp_path / "there" / "file.csv")
            return ([chosen] if many else chosen), kinds

        return ask

    monkeypatch.setattr(file_dialogs, "_last", Path())
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", answer(True))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", answer(False))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer(False))
    return seen


def test_the_next_dialog_starts_in_the_folder_of_the_last_file(app, asked, tmp_path):
    there, file = str(tmp_path / "there"), str(tmp_path / "there" / "file.csv")
    assert file_dialogs.open_files(None, "Open", "") == (file,)
    assert file_dialogs.save_file(None, "Save", "picture.png", "") == Path(file)
    assert file_dialogs.open_file(None, "Open", "") == file
    assert asked == ["", str(tmp_path / "there" / "picture.png"), there]


@pytest.mark.parametrize(
    ("written", "ending"), [("mine", ".html"), ("mine.htm", ""), ("my.work", ""), (".mine", ""), ("mine.", "")]
)
def test_a_name_without_an_ending_gets_that_of_the_suggested_one(app, monkeypatch, tmp_path, written, ending):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / written), ""))
    assert file_dialogs.save_file(None, "Save", "session 1.2.html", "") == tmp_path / f"{written}{ending}"


def test_a_file_with_a_folder_of_its_own_is_suggested_there(app, asked, tmp_path):
    file_dialogs.open_file(None, "Open", "")
    file_dialogs.save_file(None, "Save", str(tmp_path / "mine.mvx.json"), "")
    assert asked[1] == str(tmp_path / "mine.mvx.json")


def test_a_cancelled_dialog_changes_nothing(app, asked, monkeypatch, tmp_path):
    file_dialogs.open_file(None, "Open", "")
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([], ""))
    assert file_dialogs.open_files(None, "Open", "") == ()
    file_dialogs.open_file(None, "Open", "")
    assert asked[-1] == str(tmp_path / "there")
