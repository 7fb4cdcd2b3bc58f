"""Promises about time within tests of something else: what gates a change runs the same test without its clock."""

import pytest

timed = pytest.mark.parametrize(
    "timed", [pytest.param(False, id="untimed"), pytest.param(True, marks=pytest.mark.timing, id="timed")]
)
