"""What is promised about hostile files, kills and privacy is shown by tests that exist."""

import ast
import re

import pytest
from validation import ROOT

PAGE = ROOT / ".github" / "SECURITY.md"
PROMISES = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ") and "| Test |" not in line]


@pytest.mark.parametrize("promise", PROMISES, ids=lambda line: line.split("|")[1].strip())
def test_every_promise_has_its_tests(promise):
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", promise.rpartition(" | ")[2])
    assert named
    for path, name in named:
        tree = ast.parse((ROOT / "tests" / path).read_text("utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_the_readme_links_to_it():
    assert "(.github/SECURITY.md)" in (ROOT / "README.md").read_text("utf-8")
