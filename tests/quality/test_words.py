"""Riddles that users met are gone from all that is shown: the field's terms stand in their place."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest

from mvexplorer.state.session.settings import FORMER_ACTIONS

ROOT = Path(__file__).parents[2]
RIDDLES = {
    "View weights": (r"(?i)\bweigh(s|ed)?\b", "Weigh the views", "Not weighed: de Sa"),
    "Select all views": (r"(?i)^use all( views)?$", "use all", "Use all views"),
    "Scale all ε by": (r"(?i)\ball ε ×", "All ε × 3"),
    "Slope of log S": (
        r"^Growth (of\b|of …)|\*\*Growth\b|(?i:the dimension at each)",
        "Growth of …",
        "the dimension at each ε",
    ),
    "Within-class transition probability": (r"\bparts the classes|ρ_P in class", "How each ε parts the classes."),
    "Colour by disagreement": (r"\bColour by it\b", "Colour by it"),
    "Fraction of nearest neighbours not shared": (
        r"neighbours that differ\b",
        "share of a sample's … neighbours that differ",
    ),
    "Procrustes residual": (r"^residual …", "residual …"),
    "Of the selection, of the rest": (
        r" % v |\bchosen samples? (is|are)\b",
        "100 % v 0 %",
        "The 133 chosen samples are mostly",
    ),
    "Describe selection": (r"^What is selected …|^What is in it", "What is selected …", "What is in it …"),
    "Save selection": (r"^Keep selection\b", "Keep selection"),
    "Re-embed selection": (r"(?i)\bembed only (the|these)\b", "Embed only these"),
    "Without rna: 0": (r"\blacking: ", "were kept; lacking: …"),
    "Missing values: ask first": (r"^refuse$|Missing numbers", "refuse", "Missing numbers"),
    "Join rows: automatically": (r"^as the files? says?$", "as the files say", "as the file says"),
    "Preprocessing": (r"^Prepared$|\*Prepared\*", "Prepared"),
    "Impute from the other views": (r"(?i)fill them in from the other", "Fill them in from the other views"),
    "Assign a role": (r"(?i)\bsay what each column is", "Say what each column is."),
    "Transpose": (r"(?i)^turn rows and columns", "Turn rows and columns"),
    "Kept the samples present in all files": (
        r"(?i)only the samples that all files",
        "Only the samples that all files name",
    ),
    "Format": (
        r"^Form$|\.json(`| file)? beside|names begin alike|(?i:how all was made)",
        "Form",
        "and a .json beside. Some",
    ),
    "Caption as separate .txt": (r"(?i)caption beside|text beside it", "Caption beside, as a text file"),
    "Recomputed": (r"(?i)\banew\b", "computed anew", "Open the data anew."),
    "Follow the system": (r"\bof the system$", "Theme of the system"),
    "Default": (r"(?i)\busual (type|keys|panels|ones$)", "Usual type and points", "Show the usual ones"),
    "k-NN recovery": (r"(?i)\bresultant of\b|R̄", "Resultant of {}"),
    "Try this": (r"(?i)\bturn the knob|σ a third of it", "Turn the knob", "σ a third of it"),
    "Something went wrong": (
        r"(?i)\bfault of the program|\blog of faults|^report of a fault",
        "This is a fault of the program",
    ),
    "Export and sharing": (r"(?i)\btake it with you\b", "Take it with you"),
    "View contributions": (r"(?i)what does a view add\?", "What does a view add?"),
    "Inside the method": (r"(?i)how did this picture come about", "How did this picture come about?"),
    "Validate this panel": (r"^Examine: ", "Examine: is it real?"),
    "Navigate tool": (r"^Lasso or navigate|^Rectangle or lasso", "Lasso or navigate", "Rectangle or lasso"),
    "Compute on: this computer": (r"^Where$|^This computer$|\*Where\*", "Where", "This computer"),
    "Validation": (r"(?i)^(page: )?is it real\?|\*Is it real\?\*", "Is it real?", "see *Is it real?*"),
    "Permutation test": (r"^Null test\b", "Null test: is it more than chance?"),
    "Add nothing, within chance": (r"\(\d views within\)|adds nothing to this score beyond chance", "(2 views within)"),
    "Stability under resampling": (r"(?i)\bdoes it stay\?", "Stability: does it stay?"),
    "Redundant coordinates": (r"(?i)\bwhich are new\?|bend of the earlier", "Coordinates: which are new?"),
    "Neighbourhood preservation": (r"(?i)neighbours: what is kept", "Neighbours: what is kept?"),
    "Opened earlier": (r"(?i)\bopened before\b", "opened before"),
    "A harmonic": (r"\bis a bend of\b", "ψ₂ is a bend of ψ₁ (r .06)."),
    "Component correlations": (r"\b(go|goes) along with\b", "What the components go along with"),
}
"""The words of the window -> a pattern of those that they replaced, and texts that these stood in."""


@cache
def texts():
    """Where -> what is shown there, each text on one line; former names of actions are only looked for."""
    on_one_line = ((where, [re.sub(r"\s+", " ", text) for text in each]) for where, each in read())
    return {where: [text for text in each if text not in FORMER_ACTIONS] for where, each in on_one_line}


def read():
    for path in (ROOT / "README.md", *sorted(ROOT.glob("resources/[hl]e*/*.md"))):
        yield path.name, [path.read_text(encoding="utf-8")]
    for path in sorted((ROOT / "sample_datasets").glob("*/manifest.json")):
        yield f"sample {path.parent.name}", strings_of(json.loads(path.read_text(encoding="utf-8")))
    for path in sorted((ROOT / "mvexplorer").rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), shown_in(ast.parse(path.read_text(encoding="utf-8")))


def strings_of(value):
    """The texts within parsed JSON."""
    each = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value] if isinstance(value, str) else [text for part in each for text in strings_of(part)]


def shown_in(tree):
    """The string constants of a module but for its docstrings; what is formatted into them is an ellipsis."""
    aside = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            aside |= {id(part) for part in node.values}
            found.append("".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in aside:
            found.append(node.value)
    return found


@pytest.mark.parametrize("words", RIDDLES)
def test_no_riddle_is_shown(words):
    pattern = re.compile(RIDDLES[words][0])
    assert [f"{where}: {text[:80]}" for where, each in texts().items() for text in each if pattern.search(text)] == []


@pytest.mark.parametrize(("words", "riddle"), [(words, each) for words, (_, *said) in RIDDLES.items() for each in said])
def test_a_riddle_would_be_found(words, riddle):
    assert re.search(RIDDLES[words][0], riddle)


def test_what_is_shown_is_read_and_nothing_else():
    tree = ast.parse('"""Weigh."""\nX = "Use all"\n"""Anew."""\ndef f(x):\n    return f"All ε × {x}"\n')
    assert shown_in(tree) == ["Use all", "All ε × …"]
    assert "View weights" in texts()["mvexplorer/ui/controls/dock.py"]
    assert "View weights" in texts()["README.md"][0]
    assert not {"Weigh the views"} & {text for each in texts().values() for text in each}
