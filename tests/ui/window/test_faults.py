"""Faults of the program in the window: a banner, the details, a report to copy; the program goes on."""

from __future__ import annotations

import json
import sys

import pytest
from doubles import FunctionJob
from PySide6.QtCore import Qt, qInstallMessageHandler, qWarning
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit

from mvexplorer.compute.run.scheduler import Outcome
from mvexplorer.failures import FailureListener
from mvexplorer.ui.app import tell_faults
from mvexplorer.ui.window import faults
from mvexplorer.ui.window.faults import ReportDialog

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def silent_log():
    """Here faults are meant to be logged."""


@pytest.fixture(autouse=True)
def no_banners(window):
    """What is told here stays when other data is opened."""
    yield
    for banner in window.banners._shown():
        banner.dismiss()


@pytest.fixture
def heard(window, home, monkeypatch):
    """The listener of a window that tells what it hears."""
    monkeypatch.setattr(sys, "excepthook", lambda *_: None)
    listener = FailureListener(home)
    tell_faults(window, listener)
    yield listener
    listener.close()


def raise_in_slot():
    raise ValueError("of a slot")


def buttons(window):
    (banner,) = window.banners._shown()
    return {button.text(): button for button in banner.buttons}


def test_an_exception_is_told_and_the_program_goes_on(window, heard, qtbot):
    try:
        raise_in_slot()
    except ValueError as error:
        sys.excepthook(ValueError, error, error.__traceback__)
    qtbot.waitUntil(lambda: bool(window.banners.texts()))
    (text,) = window.banners.texts()
    assert text.startswith("Something went wrong in mvexplorer (ValueError: of a slot).")
    QTest.mouseClick(buttons(window)["Copy report"], LEFT)
    report = QGuiApplication.clipboard().text()
    assert "in raise_in_slot" in report
    assert "numpy" in report
    assert '"epsilon_scale": 1.0' in report


def test_the_details_can_be_read_and_copied(window, heard, qtbot):
    heard.hear(ValueError("odd"))
    qtbot.waitUntil(lambda: bool(window.banners.texts()))
    QTest.mouseClick(buttons(window)["Details …"], LEFT)
    (dialog,) = window.findChildren(ReportDialog)
    shown = dialog.findChild(QPlainTextEdit).toPlainText()
    assert shown.startswith("ValueError: odd")
    QTest.mouseClick(dialog.copy, LEFT)
    assert QGuiApplication.clipboard().text() == shown
    state = shown[shown.index("{") : shown.rindex("}") + 1]
    assert json.loads(state)["epsilon_scale"] == 1.0
    dialog.reject()


def test_a_job_that_fails_is_told(window, heard, qtbot):
    arrived: list[Outcome] = []
    window.controller.background.submit("odd", FunctionJob(lambda task: 1 // 0), arrived.append, title="Odd")
    qtbot.waitUntil(lambda: bool(arrived) and bool(window.banners.texts()))
    assert "ZeroDivisionError" in window.banners.texts()[0]
    assert "Traceback" in heard.log_path.read_text("utf-8")


def test_the_newest_fault_takes_the_place_of_the_former(window, heard, qtbot):
    for text in ("first", "second"):
        heard.hear(ValueError(text))
    qtbot.waitUntil(lambda: any("second" in text for text in window.banners.texts()))
    assert len(window.banners.texts()) == 1


def test_a_crash_of_the_former_run_is_offered(window, home, qtbot):
    listener = FailureListener(home)
    tell_faults(window, listener, "Fatal Python error: Aborted")
    listener.close()
    assert window.banners.texts()[0].startswith("The program crashed the last time.")
    QTest.mouseClick(buttons(window)["Copy report"], LEFT)
    assert "Fatal Python error: Aborted" in QGuiApplication.clipboard().text()


def test_qts_messages_are_kept(window, heard):
    former = qInstallMessageHandler(faults.keep_qt_message)
    try:
        qWarning("a warning of Qt")
    finally:
        qInstallMessageHandler(former)
    assert "WARNING mvexplorer.qt: a warning of Qt" in heard.log_path.read_text("utf-8")
