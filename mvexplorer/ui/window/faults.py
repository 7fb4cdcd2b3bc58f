"""Faults of the program, shown in the window: a banner, the details, and a report to copy."""

from __future__ import annotations

import logging
from collections.abc import Callable

from PySide6.QtCore import QMessageLogContext, QtMsgType
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from mvexplorer.failures import Fault
from mvexplorer.ui.widgets.banner import Banners

qt_log = logging.getLogger("mvexplorer.qt")
LEVELS = {
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}
"""Qt's messages that are kept; debugging and information are not."""


class FaultTeller:
    """Shows faults in one window; the newest replaces the former one.

    `context` returns what a report adds to the fault: the document's state, as JSON.
    """

    def __init__(self, banners: Banners, context: Callable[[], str]) -> None:
        self._banners = banners
        self._context = context

    def show_fault(self, fault: Fault) -> None:
        """Show a fault of this run; the program goes on."""
        self._show(
            f"Something went wrong in mvexplorer ({fault.summary}).", "Your data are safe: go on, and report it.", fault
        )

    def show_former_crash(self, details: str) -> None:
        """Show that the former run crashed, with what the interpreter wrote about it."""
        fault = Fault("The program crashed", details)
        self._show("The program crashed the last time.", "What it was doing is kept: please report it.", fault)

    def _show(self, text: str, hint: str, fault: Fault) -> None:
        self._banners.show_message(
            "error",
            text,
            hint,
            ("Copy report", lambda: copy(self._report(fault))),
            [("Details …", lambda: ReportDialog(self._report(fault), self._banners.window()).open())],
            lasting=True,
            cause="fault",
        )

    def _report(self, fault: Fault) -> str:
        return fault.report(self._context())


class ReportDialog(QDialog):
    """The whole report, to read and to copy."""

    def __init__(self, report: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Error report")
        self.resize(760, 480)
        column = QVBoxLayout(self)
        self.text = QPlainTextEdit(report)
        self.text.setReadOnly(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setAccessibleName("Error report")
        column.addWidget(self.text)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.copy = buttons.addButton("Copy report", QDialogButtonBox.ButtonRole.ActionRole)
        self.copy.clicked.connect(lambda: copy(report))
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)


def copy(text: str) -> None:
    """Put text on the clipboard."""
    QGuiApplication.clipboard().setText(text)


def keep_qt_message(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
    """Write Qt's messages to the fault log, and to stderr as before; for `qInstallMessageHandler`."""
    if kind in LEVELS:
        qt_log.log(LEVELS[kind], "%s", text)
