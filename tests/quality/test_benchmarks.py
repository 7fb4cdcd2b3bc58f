"""Every row of the benchmarks can start: each side runs once in its smallest form, which measures nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"
MODULES = sorted(path.stem for path in FOLDER.glob("bench_*.py"))
COMMANDS = {"bench_memory": ("--usual", "--samples", "100")}
"""Modules that offer no rows, but are commands of their own."""
PATIENCE = 300.0


def run(tmp_path: Path, *command: str) -> str:
    """What a command in this folder prints."""
    variables = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL", "NUMEXPR", "NUMBA")}
    environment = {
        **os.environ, **variables, "QT_QPA_PLATFORM": "offscreen", "MVEXPLORER_HOME": str(tmp_path),
        "PYTHONPATH": os.pathsep.join([str(FOLDER), str(FOLDER.parents[1])]),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, *command], cwd=FOLDER, env=environment, capture_output=True, text=True, timeout=PATIENCE,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.nightly
@pytest.mark.parametrize("module", [name for name in MODULES if name not in COMMANDS])
def test_every_row_starts(module: str, tmp_path: Path) -> None:
    sides = [json.loads(line) for line in run(tmp_path, "smallest.py", module).splitlines() if line.startswith("{")]
    assert sides
    assert {f"{side['row']}: {side['side']}": side["problem"] for side in sides if side["problem"]} == {}
    assert not [side["row"] for side in sides if side["absent"] and side["side"] != "rival"]


@pytest.mark.nightly
@pytest.mark.parametrize("module", COMMANDS)
def test_every_command_starts(module: str, tmp_path: Path) -> None:
    assert "worst ratio" in run(tmp_path, f"{module}.py", *COMMANDS[module])
