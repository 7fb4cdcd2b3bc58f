"""Lint, format, types and import contracts hold."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mvexplorer

ROOT = Path(mvexplorer.__file__).parents[1]
CHECKOUT = (ROOT / "pyproject.toml").is_file()
TOOLS = {
    "ruff check": ["-m", "ruff", "check", "--no-cache", "."],
    "ruff format": ["-m", "ruff", "format", "--check", "--no-cache", "."],
    "mypy": ["-m", "mypy"],
    "import-linter": ["-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache"],
}


@pytest.mark.skipif(not CHECKOUT, reason="an installed package has no settings of these tools")
@pytest.mark.parametrize("name", TOOLS)
def test_tool(name):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, *TOOLS[name]],
        cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
