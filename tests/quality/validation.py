"""Which tests hold which method or bandwidth rule to something independent of it.

A test says so itself: ``@pytest.mark.validates("jade", "rule:median")``. `python tests/quality/validation.py` writes
the table of them that contributors read; `test_validation_table.py` holds it up to date and complete.
"""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLE = ROOT / ".github" / "VALIDATION.md"
HEAD = """# What holds the mathematics

Every method and every bandwidth rule is compared in the tests with something that does not come from its own code: a
closed form, a published number, a plain dense formula, another library. `python tests/quality/validation.py` writes
this table from the tests, which name what they validate by `@pytest.mark.validates`.

What ingredients of a walk change is measured beside k-means and scikit-learn's spectral clustering of the joined views:
`mvexplorer experiments run own-ingredients --out DIR`, with `--full` on all UCI digits. What is common to views, what
one knows alone and where two tear is held to data whose truth is known, and to what mistakes in these methods cost, by
`mvexplorer experiments run own-does-not-melt own-what-fac-knows own-where-is-the-tear --out DIR`.

"""


@cache
def validations(root: Path = ROOT) -> dict[str, list[tuple[str, str]]]:
    """Id of a method, or `rule:ID`, -> (file and name of the test, what the test says of itself)."""
    found: dict[str, list[tuple[str, str]]] = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if not isinstance(node, ast.FunctionDef):
                continue
            name = f"{path.relative_to(root).as_posix()}::{node.name}"
            words = node.name.removeprefix("test_").replace("_", " ").capitalize()
            said = ": ".join(filter(None, [words, (ast.get_docstring(node) or "").partition("\n")[0]]))
            for id in marked(node):
                found.setdefault(id, []).append((name, said))
    return found


def marked(node: ast.FunctionDef) -> list[str]:
    """What a test says it validates."""
    calls = [d for d in node.decorator_list if isinstance(d, ast.Call)]
    return [
        argument.value
        for call in calls if ast.unparse(call.func).endswith("mark.validates")
        for argument in call.args if isinstance(argument, ast.Constant)
    ]  # fmt: skip


def table(titles: dict[str, str]) -> str:
    """The page: a section for each id, in the order of `titles` (id -> what it is called)."""
    found = validations()
    sections = []
    for id, title in titles.items():
        rows = [f"* {said} (`{name}`)" for name, said in found.get(id, [])]
        sections.append(f"## {title} (`{id}`)\n\n" + "\n".join(rows) + "\n")
    return HEAD + "\n".join(sections)


def titles() -> dict[str, str]:
    """Everything that needs validation."""
    from mvexplorer.engine.bandwidth.table import bandwidth_rules
    from mvexplorer.engine.methods import methods

    return {m.id: m.title for m in methods()} | {f"rule:{r.id}": f"Rule: {r.title}" for r in bandwidth_rules()}


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    TABLE.write_text(table(titles()), "utf-8")
