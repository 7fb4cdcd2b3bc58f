"""The system's refusals in words."""

import errno
import os

import pytest

from mvexplorer.wording import counted, reason


def test_one_is_no_plural():
    told = [counted(*pair) for pair in ((1, "panel"), (2000, "sample"), (0, "class"))]
    assert told == ["1 panel", "2,000 samples", "0 classes"]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "the disk is full"),
        (OSError(errno.EFBIG, os.strerror(errno.EFBIG)), "the file would be larger than the system allows"),
        (OSError(errno.EFBIG, "it has 9 bytes, where 3 are the most"), "it has 9 bytes, where 3 are the most"),
        (OSError(errno.EINVAL, "it is a pipe, which may have no end"), "it is a pipe, which may have no end"),
        (OSError(errno.EIO, "Input/output error"), "input/output error"),
        (OSError("It rained"), "it rained"),
        (OSError(), "unknown reason"),
    ],
)
def test_why_the_system_refused(error, words):
    """What the program itself found wrong is told as it is, though the code means something else to the system."""
    assert reason(error) == words
