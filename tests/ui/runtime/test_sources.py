"""The lines of the modules that are imported do not stay in memory."""

import inspect
import subprocess
import sys

import pytest

from mvexplorer.ui.runtime.sources import uses_pyside

IMPORTS = """
import linecache
from mvexplorer.ui.app import HEAVY, application
application("light", exported=True)
for name in HEAVY.modules:
    __import__(name)
print(sum(len(entry[2]) for entry in linecache.cache.values() if len(entry) > 2))
"""


@pytest.mark.nightly
def test_no_lines_of_imported_modules_are_kept() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 10_000


def test_modules_that_use_pyside_are_told_as_pyside_does() -> None:
    def by_source(module) -> bool:
        try:
            return "PySide6" in inspect.getsource(module)
        except (TypeError, OSError):
            return False

    ours = [module for name, module in sys.modules.items() if name.startswith(("mvexplorer.", "pyqtgraph.", "json"))]
    verdicts = [uses_pyside(module) for module in ours]
    assert verdicts == [by_source(module) for module in ours]
    assert {True, False} == set(verdicts)
    assert not uses_pyside(sys)
