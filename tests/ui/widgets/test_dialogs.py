"""Questions and fields wear the window's theme, have verbs on their buttons, and Esc changes nothing."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt, QTimer, QUrl, Slot
from PySide6.QtGui import QColor, QDesktopServices, QImage, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QTextBrowser

import mvexplorer.ui
from mvexplorer.resources import resource
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets import dialogs
from mvexplorer.ui.window import help_page
from mvexplorer.ui.window.actions.menus import HELP

CHOOSE = dialogs.choose  # before a test forbids questions
FOLDER = Path(mvexplorer.ui.__file__).parent
RAW = {"QMessageBox", "QInputDialog", "QErrorMessage", "QProgressDialog", "QColorDialog", "QFontDialog"}
OWN = {
    "widgets/dialogs.py": {"Dialog", "Choice", "EntryDialog"},
    "widgets/searched_list.py": {"SearchedList"},
    "pages/feature_weights.py": {"WeightsPanel"},
    "window/actions/shortcuts.py": {"ShortcutsDialog"},
    "window/actions/preferences.py": {"Preferences"},
    "window/clusters.py": {"ClustersDialog"},
    "window/contents.py": {"ContentsDialog"},
    "window/exports/selection_export.py": {"SelectionCard"},
    "window/faults.py": {"ReportDialog"},
    "widgets/export_dialog.py": {"ExportCard", "ExportDialog"},
    "export/numbers_dialog.py": {"NumbersDialog"},
    "export/web_dialog.py": {"WebPageDialog"},
}
"""Every class of dialogs."""


def names_and_dialogs(file: Path) -> tuple[set[str], set[str]]:
    tree = ast.parse(file.read_text("utf-8"))
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    bases = {"QDialog", "Dialog", "ExportCard"}
    found = {
        c.name
        for c in ast.walk(tree)
        if isinstance(c, ast.ClassDef) and any(isinstance(b, ast.Name) and b.id in bases for b in c.bases)
    }
    return names, found


@pytest.mark.nightly
def test_no_box_of_the_toolkit_is_used_and_every_dialog_is_known():
    known = {}
    for file in sorted(FOLDER.rglob("*.py")):
        names, found = names_and_dialogs(file)
        assert not names & RAW, f"{file.name} uses {names & RAW}: ask with ui/widgets/dialogs.py"
        if found:
            known[file.relative_to(FOLDER).as_posix()] = found
    assert known == OWN


def during(do):
    """Do something with the dialog that opens next."""
    seen = []

    def act() -> None:
        dialog = QApplication.activeModalWidget()
        if dialog is None:
            QTimer.singleShot(1, act)
            return
        seen.append(dialog)
        do(dialog)

    QTimer.singleShot(0, act)
    return seen


@pytest.mark.parametrize("name", ["light", "dark"])
def test_a_question_wears_the_theme_and_esc_changes_nothing(window, name):
    window.workbench.change_settings(theme=name)
    seen = []

    def look(dialog) -> None:
        picture = dialog.grab().toImage()
        seen.append(picture.pixelColor(3, 3))
        (primary,) = [b for b in dialog.findChildren(dialogs.QPushButton) if b.isDefault()]
        seen.append(primary.grab().toImage().pixelColor(6, primary.height() // 2))
        seen.append(sorted(b.text() for b in dialog.findChildren(dialogs.QPushButton)))
        QTest.keyClick(dialog, Qt.Key.Key_Escape)

    during(look)
    assert CHOOSE(window, "Save the session before you close?", "It has changes.", ("Save", "Discard changes")) is None
    t = theme.current()
    assert seen == [QColor(t.surface), QColor(t.accent), ["Cancel", "Discard changes", "Save"]]


@pytest.mark.nightly
def test_return_takes_the_first_choice(window):
    during(lambda dialog: QTest.keyClick(dialog, Qt.Key.Key_Return))
    assert CHOOSE(window, "Save?", "", ("Save", "Discard changes")) == 0


def test_a_wrong_number_is_told_in_place_and_the_field_stays_open(window):
    def play(dialog) -> None:
        dialog.field.setText("12")
        QTest.keyClick(dialog.field, Qt.Key.Key_Return)
        assert dialog.isVisible()
        assert dialog.problem.text() == "Give a number from 64 to 4096."
        dialog.field.setText("512")
        QTest.keyClick(dialog.field, Qt.Key.Key_Return)

    during(play)
    assert dialogs.enter_number(window, "Memory limit", "", 256, "Set limit", (64, 4096)) == 512


def test_the_window_asks_with_its_own_boxes(window, monkeypatch):
    monkeypatch.setattr(dialogs, "choose", CHOOSE)
    seen = during(lambda dialog: dialog.reject())
    assert window.library.ask_save("open other data") is None
    assert isinstance(seen[0], dialogs.Choice)
    seen = during(lambda dialog: dialog.reject())
    window.behaviour.set_memory_limit()
    assert isinstance(seen[0], dialogs.EntryDialog)


def test_a_help_page_leaves_its_button_on_a_small_screen(window, monkeypatch):
    monkeypatch.setitem(help_page.SIZES, "bandwidth", (5000, 5000))
    help_page.show_page(window, "bandwidth")
    (dialog,) = (d for d in window.findChildren(QDialog) if d.windowTitle() == help_page.PAGES["bandwidth"])
    free = window.screen().availableGeometry()
    assert dialog.height() <= free.height() - help_page.FRAME
    assert dialog.width() <= free.width()
    dialog.reject()


def test_every_page_of_help_is_in_the_menu_or_opens_from_the_list_of_lessons():
    files = {path.stem for path in resource("help").glob("*.md")}
    assert set(help_page.PAGES) == files
    assert tuple(help_page.PAGES) == ("gestures", "lessons", *(name for name, _ in HELP))


class Browser(QObject):
    """Takes the place of the user's."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def open(self, url: QUrl) -> None:
        self.opened.append(url.toString())


def test_a_link_of_a_help_page_opens_in_the_browser(window):
    browser = Browser()
    QDesktopServices.setUrlHandler("https", browser, "open")
    help_page.show_page(window, "cluster")
    (dialog,) = (d for d in window.findChildren(QDialog) if d.windowTitle() == help_page.PAGES["cluster"])
    page = dialog.findChild(QTextBrowser)
    before = page.toPlainText()
    page.setFocus()
    QTest.keyClick(page, Qt.Key.Key_Tab)
    QTest.keyClick(page, Qt.Key.Key_Return)
    QDesktopServices.unsetUrlHandler("https")
    assert browser.opened == ["https://distributed.dask.org"]
    assert page.toPlainText() == before
    dialog.reject()


def test_no_page_of_help_scrolls_sideways(window):
    for name, title in help_page.PAGES.items():
        help_page.show_page(window, name)
        (dialog,) = (d for d in window.findChildren(QDialog) if d.windowTitle() == title and d.isVisible())
        QApplication.processEvents()
        page = dialog.findChild(QTextBrowser)
        assert page.horizontalScrollBar().maximum() == 0
        assert page.verticalScrollBar().maximum() > 0  # it has its words
        for picture in help_page.PICTURE.findall(page.toMarkdown()):
            shown = page.document().resource(QTextDocument.ResourceType.ImageResource, QUrl(picture))
            assert isinstance(shown, QImage)
            assert 0.8 * page.viewport().width() <= shown.width() <= page.viewport().width()
        dialog.reject()
    assert page.document().size().height() > 1000  # the last one's, with pictures of that size
