"""A named selection is on the disk as soon as the program says so: it outlives a sudden end."""

import json
import os
import subprocess
import sys
from pathlib import Path

import command
import numpy as np
import pytest

WINDOW = Path(__file__).parent / "naming_window.py"


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
@pytest.mark.parametrize("kills", [1, pytest.param(50, marks=pytest.mark.nightly)])
def test_a_window_that_is_killed_has_kept_the_selections_that_were_named(tmp_path, kills):
    home, table = tmp_path / "home", tmp_path / "mine.csv"
    home.mkdir()
    (home / "settings.json").write_text(json.dumps({"started_before": True, "animate": False}), "utf-8")
    values = np.random.default_rng(0).normal(size=(24, 3))
    np.savetxt(table, values, delimiter=",", header="a,b,c", comments="")
    variables = command.environment(tmp_path, MVEXPLORER_HOME=str(home), MVEXPLORER_WINDOW="offscreen")
    for number in range(kills + 1):
        words = [sys.executable, str(WINDOW), str(table), f"find {number}"]
        with (tmp_path / "errors.txt").open("wb") as errors:
            process = subprocess.Popen(words, cwd=tmp_path, env=variables, stdout=subprocess.PIPE, stderr=errors)
        try:
            assert process.stdout is not None
            names = process.stdout.readline()
            assert names, (tmp_path / "errors.txt").read_text("utf-8", "replace")
            assert json.loads(names) == [f"find {n}" for n in range(number)]
            assert process.stdout.readline() == b"kept\n"
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
