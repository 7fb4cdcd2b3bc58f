"""Runs the real `mvexplorer` command, in a process of its own or, where that is no part of the claim, in this one."""

import io
import os
import subprocess
import sys
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

import numpy as np

import mvexplorer
from mvexplorer.cli import main

ROOT = Path(mvexplorer.__file__).parents[1]
LIMIT = 120.0
"""Seconds after which a command that hangs fails its test."""


def environment(folder, *before, **changes):
    """The environment of a command: nothing of the user's own is read, Python's warnings are errors."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "MVEXPLORER_", "QT_"))}
    own = {
        "PYTHONPATH": os.pathsep.join([*(str(b) for b in before), str(ROOT)]),
        "PYTHONWARNINGS": "error",
        "PYTHONIOENCODING": "utf-8",
        "MVEXPLORER_HOME": str(folder / ".home"),
        "QT_QPA_PLATFORM": "offscreen",
        "OPENBLAS_NUM_THREADS": "1",
    }
    wanted = {**inherited, **own, **changes}
    return {k: v for k, v in wanted.items() if v is not None}


NO_DISPLAY = {"DISPLAY": None, "WAYLAND_DISPLAY": None, "QT_QPA_PLATFORM": None}


def mvexplorer_in(folder, *arguments, before=(), **changes):
    """The finished `mvexplorer` command, started in `folder`; its output is text."""
    return subprocess.run(
        [sys.executable, "-m", "mvexplorer", *map(str, arguments)],
        cwd=folder, env=environment(folder, *before, **changes), capture_output=True, encoding="utf-8", timeout=LIMIT,
    )  # fmt: skip


def main_in(folder, *arguments, stdout=None, PYTHONIOENCODING="utf-8", **changes):
    """The same in this process, which has started Python and Qt already; it may print to a file of the caller's."""
    said = [io.TextIOWrapper(io.BytesIO(), PYTHONIOENCODING, newline="") for _ in range(2)]
    with (
        patch.dict(os.environ, environment(folder, **changes), clear=True),
        chdir(folder),
        redirect_stdout(stdout or said[0]),
        redirect_stderr(said[1]),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter(changes.get("PYTHONWARNINGS", "error") or "default")
        try:
            code = main([str(word) for word in arguments])
        except SystemExit as end:  # after --help and --version
            code = end.code or 0
        finally:
            let_python_collect()
    for stream in said:
        stream.flush()
    return subprocess.CompletedProcess(arguments, code, *(s.buffer.getvalue().decode(s.encoding) for s in said))


def let_python_collect():
    """End the collection of garbage on the main thread, which the application of a command has begun."""
    app = sys.modules["PySide6.QtCore"].QCoreApplication.instance() if "PySide6.QtCore" in sys.modules else None
    if app is None:
        return
    from mvexplorer.ui.runtime.gc_main_thread import Collector

    for collector in app.findChildren(Collector):
        collector.stop()
        collector.setParent(None)


def python_in(folder, program, *arguments, **changes):
    """A finished Python program given as text."""
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        cwd=folder, env=environment(folder, **changes), capture_output=True, encoding="utf-8", timeout=LIMIT,
    )  # fmt: skip


def write_csv(path, X, names=None):
    """A table with a header and all digits."""
    rows = [",".join(repr(float(v)) for v in row) for row in np.asarray(X)]
    header = ",".join(names or [f"f{i}" for i in range(np.shape(X)[1])])
    path.write_text("\n".join([header, *rows, ""]), "utf-8")
    return path


def two_views(folder, n_samples=40):
    """Two CSV files of the same samples, `x.csv` and `y.csv`; returns their arrays."""
    random = np.random.default_rng(0)
    X, Y = random.normal(size=(n_samples, 3)), random.normal(size=(n_samples, 2))
    write_csv(folder / "x.csv", X)
    write_csv(folder / "y.csv", Y)
    return X, Y
