"""Workers import scipy and scikit-learn one at a time: two at once may lock each other out."""

import ast
from pathlib import Path

import pytest

ROOMS = ("engine", "compute", "datasets", "io", "state")
PACKAGE = Path(__file__).parents[2] / "mvexplorer"
FILES = sorted(path for room in ROOMS for path in (PACKAGE / room).rglob("*.py"))


def unlocked(text: str) -> list[str]:
    """Imports of these libraries in functions that do not hold the lock."""
    tree, found = ast.parse(text), []
    held = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.With) and any(ast.unparse(item.context_expr) == "IMPORTS" for item in node.items)
        for inner in ast.walk(node)
    }
    for function in (n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))):
        for node in ast.walk(function):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else names
            if node not in held and any(name.partition(".")[0] in ("scipy", "sklearn") for name in names):
                found.append(ast.unparse(node))
    return found


def test_every_import_by_a_worker_holds_the_lock():
    assert {path.name: found for path in FILES if (found := unlocked(path.read_text("utf-8")))} == {}


@pytest.mark.parametrize("code", ["from scipy.spatial import cKDTree", "import sklearn.cluster"])
def test_one_without_the_lock_is_seen(code):
    assert unlocked(f"def f():\n    {code}\n") == [code]
    assert unlocked(f"def f():\n    with IMPORTS:\n        {code}\n") == []
