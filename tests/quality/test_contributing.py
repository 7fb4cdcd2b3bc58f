"""What CONTRIBUTING and the workflow say is true of this checkout."""

import re
from pathlib import Path

import pytest

import mvexplorer

ROOT = Path(mvexplorer.__file__).parents[1]
GUIDE = ROOT / ".github" / "CONTRIBUTING.md"
ROOMS = ("engine", "state", "compute", "io", "ui")
pytestmark = pytest.mark.skipif(not GUIDE.is_file(), reason="an installed package has no guide")


def named_paths(text):
    """Everything in backquotes that looks like a path of the checkout."""
    words = [word for quoted in re.findall(r"`([^`\n]+)`", text) for word in quoted.split()]
    return sorted({w for w in words if re.fullmatch(r"[\w.]+(/[\w.]+)*(/|\.py|\.md|\.toml)|tests(/\w+)*", w)})


def missing(text):
    places = (ROOT, ROOT / "mvexplorer")
    return [path for path in named_paths(text) if not any((place / path).exists() for place in places)]


def test_every_place_in_the_guide_exists():
    assert missing(GUIDE.read_text("utf-8")) == []


def test_a_place_that_does_not_exist_is_seen():
    text = "`state/document/document.py` `ui/nowhere/` `python tests/nothing.py --list` `no path` `tests/io`"
    assert named_paths(text) == ["state/document/document.py", "tests/io", "tests/nothing.py", "ui/nowhere/"]
    assert missing(text) == ["tests/nothing.py", "ui/nowhere/"]


def test_every_room_is_on_the_map():
    package = ROOT / "mvexplorer"
    found = [
        *package.glob("*/__init__.py"),
        *(path for room in ROOMS for path in package.glob(f"{room}/*/__init__.py")),
    ]
    on_the_map = [path for path in named_paths(GUIDE.read_text("utf-8")) if path.endswith("/")]
    rooms = [f"/{path.parent.name}/" for path in found]
    assert [room for room in rooms if not any(path.endswith(room) for path in on_the_map)] == []


def test_the_workflow_runs_what_the_readme_prints():
    workflow, readme = (path.read_text("utf-8") for path in (ROOT / ".github/workflows/ci.yml", ROOT / "README.md"))
    assert workflow.count("bash .ci/run\n") == 2
    windows = [line for line in readme.splitlines() if line.startswith("py ") and line.endswith("-m pytest -m serial")]
    assert len(windows) == 1
    assert f"run: {windows[0]}\n" in workflow
