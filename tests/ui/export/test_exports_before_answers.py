"""What is exported before its first answer is refused in a sentence, or written as far as it is known."""

from pathlib import Path
from threading import Event

import pytest
from PySide6.QtWidgets import QDialog, QPushButton
from windows import show_fresh, small_data

from mvexplorer.compute.jobs import jobs
from mvexplorer.errors import ParameterError
from mvexplorer.ui.widgets import export_dialog, saving

pytestmark = pytest.mark.panels(3)


@pytest.fixture
def answers(monkeypatch):
    """Lets computations go on once it is set."""
    real, go_on = jobs.run_request, Event()

    def run(request, cache, task):
        while not go_on.wait(0.005):
            task.checkpoint()
        return real(request, cache, task)

    monkeypatch.setattr(jobs, "run_request", run)
    yield go_on
    go_on.set()


@pytest.fixture
def new(make_window, answers, monkeypatch, tmp_path):
    """A window that was given data, and no answer; files go where they are suggested, in a folder of the test's."""
    monkeypatch.setattr(saving, "save_file", lambda _, title, name, kinds: tmp_path / Path(name).name)
    window = make_window()
    show_fresh(window, small_data(), 3)
    return window


def save(window):
    """Press Save in the dialog that is open, if one is."""
    for dialog in window.findChildren(QDialog):
        for button in dialog.findChildren(QPushButton):
            if dialog.isVisible() and button.text() == "Save …":
                button.click()


@pytest.mark.parametrize("what", ["picture", "numbers", "web page", "script", "notebook"])
def test_every_export_of_the_menu(new, qtbot, tmp_path, what):
    new.actions_table.actions[f"Export {what} …"].trigger()
    save(new)
    qtbot.waitUntil(lambda: bool(new.banners.texts()))
    said = " ".join(new.banners.texts())
    assert ("Saved" in said) == any(path.is_file() for path in tmp_path.iterdir())
    assert ("There are no coordinates to save" in said) == (what == "numbers")
    assert ("no script can load it" in said) == (what in ("script", "notebook"))


@pytest.mark.nightly
def test_small_multiples_before_the_first_grid(new, answers, rest, tmp_path):
    new.editor.change_multiples("Small multiples", shown=True)
    page, wanted = new.docks.multiples, "No small multiple is there to export. Wait for the first picture."
    assert not page.figure.isEnabled()
    assert page.figure.toolTip().endswith("once one is there")
    new.multiples.export()
    assert new.banners.texts() == [wanted]
    answers.set()
    rest(new)
    assert page.figure.isEnabled()
    new.editor.change_multiples("Close", shown=False)
    rest(new)
    new.banners.clear()
    new.editor.change_multiples("Small multiples", shown=True)  # the grid comes a moment later
    page.figure.click()
    new.editor.attempt(lambda: new.multiples._write(".png", 1.0, 96.0))
    assert new.banners.texts() == [wanted]
    assert not list(tmp_path.glob("*.png"))
    new.editor.change_multiples("Close", shown=False)


def test_small_multiples_that_there_are_none_of_say_why(new):
    new.editor.change_multiples("Small multiples", shown=True)
    new.workbench.multiples.problem = ParameterError("Rows and columns are both η.", "Choose others.")
    new.multiples.export()
    assert new.banners.texts() == ["Rows and columns are both η. Choose others."]
    new.editor.change_multiples("Close", shown=False)


def test_a_sweep_before_its_first_score(new, tmp_path):
    page = new.bottom.show_page("sweep").sweep
    assert not page.table.isEnabled()
    assert not page.picture.isEnabled()
    page._export_scores()
    page._write_figure(".png", 1.0, export_dialog.UNIT_DPI)
    assert new.banners.texts() == ["The sweep has no score to export. Sweep, and wait for the first one."]
    assert not list(tmp_path.glob("sweep*"))


def test_figures_of_a_panel_before_they_are_there(new, qtbot):
    page = new.bottom.show_page("diagnostics")
    qtbot.waitUntil(lambda: bool(page.cards))
    buttons = [button for button in page.findChildren(QPushButton) if button.text() == "Export"]
    assert buttons
    assert not any(button.isEnabled() for button in buttons)
