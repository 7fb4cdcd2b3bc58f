"""A fault in what Qt calls is told; it does not end the program."""

import pytest
from command import main_in, python_in, two_views

PROGRAM = """
import sys
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from mvexplorer.ui.app import application, no_display_settings
from mvexplorer.ui.cloud.canvas import EmbeddingCanvas, PointsItem
from mvexplorer.ui.window.main_window import MainWindow

app = application("light")
window = MainWindow(no_display_settings(), keep_settings=False)
window.resize(800, 600)
told = []
sys.excepthook = lambda kind, error, trace: told.append(kind.__name__)
EmbeddingCanvas.paint_points = lambda self, painter: [][0]
window.show()
canvas = EmbeddingCanvas()
canvas.resize(200, 200)
canvas.show()
try:
    canvas.grab()
    app.processEvents()
except IndexError as error:
    told.append(type(error).__name__)
print("alive", set(told))
window.discard()
"""


@pytest.mark.serial
def test_an_exception_while_painting_does_not_end_the_program(tmp_path):
    done = python_in(tmp_path, PROGRAM)
    assert done.returncode == 0, done.stderr
    assert "alive {'IndexError'}" in done.stdout or "IndexError" in done.stderr


RUNNING = """
import os, sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from mvexplorer.ui import app

def odd():
    raise ValueError("of a slot")

def report(window):
    print(window.banners.texts(), flush=True)
    window.discard()
    if sys.argv[1] == "fault":
        os.abort()
    QApplication.quit()

def started(window, *opened):
    begin(window, *opened)
    if sys.argv[1] == "fault":
        QTimer.singleShot(0, odd)
    QTimer.singleShot(800, lambda: report(window))

begin, app.begin = app.begin, started
app.run(("x.csv",), None)
"""


@pytest.mark.serial
def test_the_running_program_tells_a_fault_of_a_slot_and_the_crash_of_the_run_before(tmp_path):
    two_views(tmp_path)
    first = python_in(tmp_path, RUNNING, "fault", MVEXPLORER_WINDOW="offscreen")
    assert "Something went wrong in mvexplorer (ValueError: of a slot)." in first.stdout
    assert "ValueError: of a slot" in first.stderr
    (log,) = tmp_path.rglob("mvexplorer.log")
    assert "in odd" in log.read_text("utf-8")
    assert "crashed" not in first.stdout
    assert first.returncode != 0
    second = python_in(tmp_path, RUNNING, "", MVEXPLORER_WINDOW="offscreen")
    assert "The program crashed the last time." in second.stdout
    assert "fault of the program" not in second.stdout
    assert list(log.parent.glob("crash-*")) == []


FAULTY = """
import sys
from mvexplorer.cli import entry, lists
lists.list_methods = lambda options: 1 // 0
sys.exit(entry.main(["methods"]))
"""


def test_a_fault_of_a_command_is_printed_and_kept(tmp_path):
    done = python_in(tmp_path, FAULTY)
    assert done.returncode == 1
    assert "Something went wrong in mvexplorer; please report it. It is kept in" in done.stderr
    assert "ZeroDivisionError" in done.stderr
    (log,) = tmp_path.rglob("mvexplorer.log")
    assert "ZeroDivisionError" in log.read_text("utf-8")


def test_the_doctor_says_where_faults_are_kept(tmp_path):
    assert "Error log: " in main_in(tmp_path, "doctor").stdout
