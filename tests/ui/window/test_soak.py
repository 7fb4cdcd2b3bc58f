"""The window's memory after a few rounds of the same work."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.nightly  # the system decides what is resident
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only there the system tells what is in use")
def test_four_openings_hold_no_more_than_promised():
    command = [sys.executable, str(Path(__file__).parents[1] / "soak.py"), "--openings", "4"]
    found = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    )
    *openings, verdict = map(json.loads, found.stdout.splitlines())
    assert [each["opening"] for each in openings] == [1, 2, 3, 4]
    assert verdict["kept"], found.stdout
    assert found.returncode == 0
