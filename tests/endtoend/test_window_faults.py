"""A fault in what Qt calls is told; it does not end the program."""

import pytest
from command import python_in

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
