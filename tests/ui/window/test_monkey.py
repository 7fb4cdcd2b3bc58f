"""A minute of the random hand."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SECONDS = 60


@pytest.mark.nightly  # how far the hand gets in a minute is the machine's doing
@pytest.mark.slow
def test_a_minute_of_the_random_hand(tmp_path):
    command = [sys.executable, str(Path(__file__).parents[1] / "monkey.py"), "--seed", "7", "--seconds", str(SECONDS)]
    found = subprocess.run(
        [*command, "--log", str(tmp_path / "actions.log")], capture_output=True, text=True, timeout=10 * SECONDS,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout[-8000:] + found.stderr[-2000:]
    assert ", 0 faults" in found.stdout
    assert not re.search(r" 0\b", re.search("actions by place: (.+)", found.stdout)[1]), "a page was never played with"
