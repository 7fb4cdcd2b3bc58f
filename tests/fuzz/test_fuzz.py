"""The first cases of the fuzz command: all readers, none of them unclean."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).with_name("run.py")


def fuzz(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(RUN), *arguments], capture_output=True, text=True, check=False)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the cases run in forked children")
@pytest.mark.parametrize("cases", [60, pytest.param(1500, marks=pytest.mark.nightly)])
def test_damaged_files_are_read_or_refused_cleanly(cases: int) -> None:
    done = fuzz("--cases", str(cases))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("0 unclean\n")
    counts = [int(n.replace(",", "")) for n in re.findall(r"([\d,]+) cases", done.stdout)]
    assert sum(counts) >= cases
    assert len(counts) == 19


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the cases run in forked children")
@pytest.mark.parametrize("cases", [3, pytest.param(18, marks=pytest.mark.nightly)])
def test_damaged_files_are_refused_by_the_command_line_in_one_line(cases: int) -> None:
    done = fuzz("--cases", "0", "--cli", str(cases))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{cases} cases" in done.stdout
    assert done.stdout.endswith("0 unclean\n")


@pytest.mark.nightly
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the cases run in forked children")
def test_a_case_can_be_repeated() -> None:
    first, second = (fuzz("--reader", "csv", "--case", "3", "--seed", "5").stdout for _ in range(2))
    assert first == second
    kept = Path(re.search(r"kept as (.+)", first)[1])
    assert kept.stat().st_size > 0
    kept.unlink()
