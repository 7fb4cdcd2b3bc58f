"""The window stays small: few menu entries, four tabs, few controls at once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BARS = {"entries": 90, "tabs": 4, "controls": 55}


def test_the_window_shows_no_more_at_once_than_it_may():
    script = Path(__file__).with_name("window_counts.py")
    answer = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, timeout=120)
    counts = json.loads(answer.stdout)
    assert counts["tabs"] == ["Tune", "Compare", "Validate", "Inside"]
    assert len(counts["controls"]) > 30  # the window was there
    over = {name: each for name, each in counts.items() if len(each) > BARS[name]}
    assert over == {}
