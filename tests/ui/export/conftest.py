"""What tests of web pages have in common."""

from collections.abc import Iterator

import pytest
from browser import Browser, browser, need_browser


@pytest.fixture(scope="package")
def tab() -> Iterator[Browser]:
    """One browser for all of them: a page that is opened begins anew."""
    need_browser()
    with browser() as there:
        yield there
