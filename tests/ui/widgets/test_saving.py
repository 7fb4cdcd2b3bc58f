"""What is exported: the file that is asked for, what may be replaced beside it, and how its end is told."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtWidgets import QWidget

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.errors import DataError
from mvexplorer.state.document.document import Document
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.file_job import WriteJob
from mvexplorer.ui.widgets import dialogs, saving
from mvexplorer.ui.widgets.saving import FileQuestion, pictures, save_as, save_by_job

QUESTION = FileQuestion("Export counts", "counts.txt", "Texts (*.txt)")


@pytest.fixture
def desk(app, tmp_path, monkeypatch):
    """An editor that tells what it is told, and answers to the dialogs."""
    controller = Controller(Document(), cache=StageCache(0))
    told = SimpleNamespace(
        editor=Editor(controller.document, controller), parent=QWidget(), saved=[], failed=[], asked=[]
    )
    told.editor.saved.connect(lambda path: told.saved.append(path.name))
    told.editor.failed.connect(lambda error: told.failed.append(str(error)))
    told.answer, told.name, told.controller = 0, "counts.txt", controller
    monkeypatch.setattr(
        saving, "save_file", lambda parent, title, name, kinds: tmp_path / told.name if told.name else None
    )
    monkeypatch.setattr(dialogs, "choose", lambda parent, *words: told.asked.append(words) or told.answer)
    yield told
    controller.shutdown()


def write(path: Path) -> None:
    path.write_text("1 2 3", "utf-8")


def fail(path: Path) -> None:
    raise DataError(f"{path.name} cannot be written.", "Choose another folder.")


@pytest.mark.parametrize("here", [False, True])
def test_a_file_is_written_and_told(desk, tmp_path, here):
    desk.editor.attempt(lambda: save_as(desk.parent, desk.editor, QUESTION, write, here=here))
    assert desk.controller.writing.wait_idle(60)
    assert (desk.saved, desk.failed, desk.asked) == (["counts.txt"], [], [])
    assert (tmp_path / "counts.txt").read_text("utf-8") == "1 2 3"


@pytest.mark.parametrize("here", [False, True])
def test_what_fails_is_told_in_its_place(desk, here):
    done = []
    job = lambda path: WriteJob(path, lambda: fail(path))  # noqa: E731
    desk.editor.attempt(lambda: save_by_job(desk.parent, desk.editor, QUESTION, job, lambda: done.append(1), here=here))
    assert desk.controller.writing.wait_idle(60)
    assert (desk.saved, desk.failed, done) == ([], ["counts.txt cannot be written. Choose another folder."], [])


def test_after_cancel_nothing_is_written(desk, tmp_path):
    desk.name = ""
    save_as(desk.parent, desk.editor, QUESTION, write)
    assert (desk.saved, desk.failed, list(tmp_path.iterdir())) == ([], [], [])


@pytest.mark.parametrize(("answer", "saved"), [(None, []), (0, ["counts.txt"])])
def test_files_beside_it_are_asked_about_where_they_are_there(desk, tmp_path, answer, saved):
    desk.answer = answer
    names = [tmp_path / f"{i}.txt" for i in range(7)]
    for path in names[:6]:
        path.touch()
    save_by_job(desk.parent, desk.editor, QUESTION, lambda path: WriteJob(path, lambda: write(path), tuple(names)))
    assert desk.controller.writing.wait_idle(60)
    assert desk.saved == saved
    ((title, text, answers),) = desk.asked
    assert (title, answers) == ("Replace 6 files?", ["Replace"])
    assert text == "There already: 0.txt, 1.txt, 2.txt, 3.txt and 2 more."


def test_a_picture_is_asked_for_by_its_form():
    assert pictures("Export figure", "sweep", ".pdf") == ("Export figure", "sweep.pdf", "Pictures (*.pdf)")
