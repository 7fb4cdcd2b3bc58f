"""The pictures of README.md and of the help pages: each is shown somewhere, and a command or the window makes it."""

import re

import pytest
from pictures import CLUSTER, FOLDER, GALLERY, IMPORTED, PICTURES, ROOT, WEB_PAGE

from mvexplorer.cli.flags import command_parser

PAGES = (ROOT / "README.md", *FOLDER.glob("*.md"))


def test_each_picture_is_shown_and_made():
    shown = {
        (page.parent / target).resolve()
        for page in PAGES
        for target in re.findall(r"!\[.*?\]\((.*?)\)", page.read_text("utf-8"))
    }
    made = {*PICTURES, *IMPORTED, *GALLERY, WEB_PAGE, CLUSTER}
    assert {path.name for path in shown} == made
    assert {path.name for path in FOLDER.glob("*.png")} == made
    assert all(path.exists() for path in shown)


@pytest.mark.parametrize("name", PICTURES)
def test_the_command_of_a_picture_is_one_of_the_program(name):
    command, *rest = PICTURES[name]
    assert command_parser().parse_args([command, *rest, "--out", name]).command == command
