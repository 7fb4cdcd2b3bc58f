"""Promises of versions and systems are what the workflow tests; the list of developers holds versions alone."""

import re
import tomllib

import pytest
from lowest_versions import ROOT, declared
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PINS, WORKFLOW = ROOT / ".github" / "constraints.txt", ROOT / ".github" / "workflows" / "ci.yml"
pytestmark = pytest.mark.skipif(not PINS.is_file(), reason="only a checkout has them")


def pinned():
    """The version of each package of the list."""
    pins = [Requirement(line) for line in PINS.read_text("utf-8").splitlines()]
    return {canonicalize_name(pin.name): str(pin.specifier).removeprefix("==") for pin in pins}


def test_the_list_of_developers_has_names_and_versions_alone():
    lines = PINS.read_text("utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []
    assert len(pinned()) == len(lines)


def test_it_pins_every_requirement_at_a_version_that_is_admitted():
    refused = [r for r in declared() if not r.specifier.contains(pinned().get(canonicalize_name(r.name), "0"))]
    assert refused == []


def test_the_workflow_runs_on_the_promised_systems_with_the_first_and_the_last_python():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    classifiers, workflow = project["classifiers"], WORKFLOW.read_text("utf-8")
    pythons = [c.rpartition(" ")[2] for c in classifiers if re.fullmatch(r"Programming Language :: .* 3\.\d+", c)]
    assert project["requires-python"] == f">={pythons[0]}"
    matrices = re.findall(r"python: (\[.*\])", workflow)
    assert matrices == [f'["{pythons[0]}", "{pythons[-1]}"]'] * 2
    systems = {c.split(" :: ")[-1] for c in classifiers if c.startswith("Operating System")}
    assert systems == {"Linux", "MacOS", "Windows"}
    assert all(f"{name}-latest" in workflow for name in ("ubuntu", "macos", "windows"))
