"""The pictures of README.md and of the help pages: each is shown somewhere, and a command makes it."""

import re

import pytest
from pictures import FOLDER, PICTURES, ROOT

from mvexplorer.cli.entry import _parser

PAGES = (ROOT / "README.md", *FOLDER.glob("*.md"))


def test_each_picture_is_shown_and_made_by_a_command():
    shown = {
        (page.parent / target).resolve()
        for page in PAGES
        for target in re.findall(r"!\[.*?\]\((.*?)\)", page.read_text("utf-8"))
    }
    assert {path.name for path in shown} == set(PICTURES)
    assert {path.name for path in FOLDER.glob("*.png")} == set(PICTURES)
    assert all(path.exists() for path in shown)


@pytest.mark.parametrize("name", PICTURES)
def test_the_command_of_a_picture_is_one_of_the_program(name):
    command, *rest = PICTURES[name]
    assert _parser().parse_args([command, *rest, "--out", name]).command == command
