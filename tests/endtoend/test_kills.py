"""Windows that are killed amid edits; `kills.py` kills as many as one likes."""

import os

import kills
import pytest


@pytest.mark.nightly  # what a kill hits is the machine's doing
@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_nothing_is_torn_lost_or_left_by_killed_windows(capsys):
    code = kills.main(["--kills", "5", "--seed", "1"])
    said = capsys.readouterr().out
    assert code == 0, said
    assert "0 torn, 0 lost, 0 scratch files" in said
