"""What users read no longer says what is not so: each sentence that was found false is looked for in all of it."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest

from mvexplorer.engine.methods import methods
from mvexplorer.ui.window.actions.menus import HELP

ROOT = Path(__file__).parents[2]
FALSE = {
    "the walk of the kernel product, not of multi-view": (
        r"paths (exist )?only where (the|all|both) views agree|disagree the walk is cut|\bonly a method that hops",
        "A random walk that changes view at every step: paths exist only where the views agree.",
        "The views agree on what is near along some path of short steps; where they disagree the walk is cut.",
        "Each view alone is a line. Only a method that hops between the views joins its ends to a ring.",
    ),
    "directions of principal components, not their spreads": (
        r"(picture is that|is a picture|are the picture) of principal components"
        r"|what is left are the principal components|component is a principal component",
        "At very large ε the picture is that of principal components; at very small ε the graph falls apart.",
        "the kernel is numerically of rank one, and what is left are the principal components.",
        "An |r| near 1 with PC1 says that the component is a principal component, found the long way round.",
    ),
    "rank 2 finds the common icon among two, not among three": (
        r"rank 2 finds the icon( in all of them)?\b",
        "on films of rotating icons, without a ridge, rank 2 finds the icon in all of them, 1 and 3 do not.",
    ),
    "three times the authors' bandwidth of independent coordinates": (
        r"third of the median of d² over|median squared distance divided by this|below \.5 the amber sign",
        "d the distance by the earlier coordinates and ε a third of the median of d² over all pairs.",
        "Below .5 the amber sign of a panel says “ψ₂ is largely a function of ψ₁ (residual .18): a harmonic”.",
    ),
    "the mark of ρ_P does not lie at the spirals' peak": (
        r"three marked bandwidths lie where the curve is high",
        "The three marked bandwidths lie where the curve is high.",
    ),
    "an unsteady picture uses its views": (
        r"(half as much as|nearer to itself than to an) unrelated picture",
        "random parts of the samples do, and less than half as much as unrelated pictures would.",
    ),
}  # fmt: skip
"""What is so -> how the contrary would be said, and sentences that said it."""


@cache
def texts():
    """Where -> text of everything that is shown, on one line, as words wrap anywhere."""
    return {where: re.sub(r"\s+", " ", text) for where, text in read()}


def read():
    for path in (ROOT / "README.md", *sorted((ROOT / "resources/help").glob("*.md"))):
        yield path.name, path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "sample_datasets").glob("*/manifest.json")):
        yield f"sample {path.parent.name}", "\n".join(strings_of(json.loads(path.read_text(encoding="utf-8"))))
    for path in sorted((ROOT / "mvexplorer").rglob("*.py")):
        yield str(path.relative_to(ROOT)), "\n".join(sentences(ast.parse(path.read_text(encoding="utf-8"))))


def strings_of(value):
    """The texts within parsed JSON."""
    each = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value] if isinstance(value, str) else [text for part in each for text in strings_of(part)]


def sentences(tree):
    """The string constants of a module, those in formatted ones joined: cards, captions, messages, docstrings."""
    within = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [part for part in node.values if isinstance(part, ast.Constant)]
            within |= {id(part) for part in parts}
            yield "…".join(str(part.value) for part in parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in within:
            yield node.value


@pytest.mark.parametrize("truth", FALSE)
def test_nothing_says_the_contrary(truth):
    pattern = re.compile(FALSE[truth][0], re.IGNORECASE)
    assert [f"{where}: {found[0]}" for where, text in texts().items() if (found := pattern.search(text))] == []


@pytest.mark.parametrize(("truth", "sentence"), [(truth, each) for truth, (_, *said) in FALSE.items() for each in said])
def test_a_false_sentence_would_be_found(truth, sentence):
    assert re.search(FALSE[truth][0], sentence, re.IGNORECASE)


@pytest.mark.parametrize(("where", "words"), [
    ("README.md", "Which method wins is decided by the bandwidth"),
    ("validation.md", "Does it need this view?"),
    ("sample helix-b", "a link in one view is enough"),
    ("mvexplorer/engine/methods/multiview.py", "a link in one view is enough to join two samples"),
    ("mvexplorer/experiments/lindenbaum2015/fig1.py", "A step through the other view crosses the gap"),
    ("mvexplorer/engine/spectral/diagnostics.py", "the kernel is numerically of rank one"),
])  # fmt: skip
def test_every_kind_of_text_is_read(where, words):
    assert words in texts()[where]


def test_readme_counts_the_methods():
    named, more = 9, {"fourteen": 14}
    (words,) = re.findall(r"where two differ, and (\w+) more, side by side", texts()["README.md"])
    assert named + more[words] == sum(not method.shows_given for method in methods())


@pytest.mark.parametrize("word", ["common", "private", "tear", "commutator"])
def test_help_is_found_by_what_one_looks_for(word):
    assert [page for page, words in HELP if word in words.split()]
