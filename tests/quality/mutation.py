"""One-line mistakes in the package: where they are found, and how the tests that must see them are run.

A mutant names a function by its qualified name and a piece of its source, not a file: it survives a move of either.
"""

from __future__ import annotations

import ast
import functools
import inspect
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from time import perf_counter
from types import CodeType, FunctionType
from typing import Any

ROOT = Path(__file__).parents[2]
PACKAGE = "mvexplorer"
LEFT_OUT = {"nightly", "timing", "window"}
"""Marks of tests that a pull request does not run, or that may fail by a busy machine or for want of a screen."""
ASSERTION = ("assert", "AssertionError", "Failed: ")
"""How the message of a failure begins if a test compared something, or said itself that it failed."""
CRASH = "Exceptions caught in Qt event loop"
"""Stands in the message of pytest-qt where a slot raised."""
TIMEOUT = 600.0
"""Seconds after which the tests of a mutant are broken off."""
Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Mutant:
    """`old` becomes `new` in a function or method such as `Slider.set_value`, and one of `tests` fails.

    `tests` are names of test functions anywhere in the tests, with the case in brackets where one is meant.
    """

    name: str
    function: str
    old: str
    new: str
    tests: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant: the tests that saw it, or in words why none counts, and the seconds that it took."""

    seen_by: tuple[str, ...]
    why: str
    seconds: float


class NotFound(LookupError):
    """A mutant's text, or a test, stands nowhere or in several places."""


# Where they are ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Source:
    """A function's text, and where it stands."""

    path: Path
    start: int
    text: str


def definitions(body: list[ast.stmt], owner: str = "") -> Iterator[tuple[str, Definition]]:
    """Functions of a module and methods of its classes, by qualified name; what is inside a function is its own."""
    for node in body:
        if isinstance(node, Definition):
            yield owner + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from definitions(node.body, f"{owner}{node.name}.")


@functools.cache
def functions(root: Path) -> dict[str, list[Source]]:
    """All functions of the package below a root by qualified name; several modules may use a name."""
    named: dict[str, list[Source]] = {}
    for path in sorted((root / PACKAGE).rglob("*.py")):
        text = path.read_text("utf-8")
        lines = text.splitlines(keepends=True)
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line))
        for name, node in definitions(ast.parse(text).body):
            start, end = starts[node.lineno - 1], starts[node.end_lineno or 0]
            named.setdefault(name, []).append(Source(path, start, text[start:end]))
    return named


def place_of(mutant: Mutant, root: Path = ROOT) -> Source:
    """The function that a mutant changes: the only one of its name that holds the text, and holds it once."""
    counts = [(each, each.text.count(mutant.old)) for each in functions(root).get(mutant.function, [])]
    if not counts:
        raise NotFound(f"{mutant.name}: there is no function {mutant.function}")
    times = sum(count for _, count in counts)
    if times != 1:
        raise NotFound(f"{mutant.name}: “{mutant.old}” stands {times} times in {mutant.function}")
    return next(each for each, count in counts if count)


def mutated_text(mutant: Mutant, root: Path = ROOT) -> tuple[Path, str]:
    """The file that a mutant changes, and its text thereafter."""
    place = place_of(mutant, root)
    text = place.path.read_text("utf-8")
    end = place.start + len(place.text)
    changed = text[: place.start] + place.text.replace(mutant.old, mutant.new) + text[end:]
    compile(changed, str(place.path), "exec")
    return place.path, changed


# Their tests ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Test:
    """A test function: its pytest node, and the marks that it, its class or its file has."""

    __test__ = False
    node: str
    marks: frozenset[str]


def marks_in(nodes: list[ast.expr]) -> Iterator[str]:
    """Names of the marks in expressions such as `pytest.mark.slow` and lists of them."""
    for node in (each for given in nodes for each in ast.walk(given)):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value).endswith("mark"):
            yield node.attr


@functools.cache
def all_tests(root: Path) -> dict[str, list[Test]]:
    """All test functions below a root by name."""
    named: dict[str, list[Test]] = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        body = ast.parse(path.read_text("utf-8")).body
        assigned = [n.value for n in body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "pytestmark"]
        classes = {n.name: n.decorator_list for n in body if isinstance(n, ast.ClassDef)}
        for name, node in definitions(body):
            owner, _, short = name.rpartition(".")
            if short.startswith("test_"):
                marks = frozenset(marks_in([*assigned, *classes.get(owner, []), *node.decorator_list]))
                place = f"{path.relative_to(root).as_posix()}::{name.replace('.', '::')}"
                named.setdefault(short, []).append(Test(place, marks))
    return named


def node_of(name: str, root: Path = ROOT) -> str:
    """The pytest node of a test that a pull request runs, by its name, which must be the only one."""
    short, bracket, case = name.partition("[")
    same = all_tests(root).get(short, [])
    if len(same) != 1:
        raise NotFound(f"{len(same)} tests are called {short}")
    if late := same[0].marks & LEFT_OUT:
        raise NotFound(f"{short} is marked {', '.join(sorted(late))}: it may not run, or not tell")
    return same[0].node + bracket + case


# How they are tried -----------------------------------------------------------------------------------------------


def copy_sources(target: Path) -> None:
    """A copy of package and tests, of which mutants are made by links: they compile what they change and no more."""
    for folder in (PACKAGE, "tests"):
        shutil.copytree(ROOT / folder, target / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", target)
    for folder in ("resources", "sample_datasets"):
        (target / folder).symlink_to(ROOT / folder, target_is_directory=True)
    # By their hashes: a mutant may have the size of the file and be written in the same second.
    compiling = [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", str(target / PACKAGE)]
    subprocess.run(compiling, check=True)


def copy_mutated(base: Path, target: Path, mutant: Mutant) -> None:
    """A copy of a copy, of links, with one file changed."""
    shutil.copytree(base, target, symlinks=True, copy_function=os.link)
    path, text = mutated_text(mutant, base)
    changed = target / path.relative_to(base)
    changed.unlink()
    changed.write_text(text, "utf-8")


def run_tests(root: Path, nodes: Iterable[str], *, first_only: bool = True) -> Verdict:
    """Run tests in a copy, by their nodes."""
    report = root.with_suffix(".xml")  # beside the copy, whose files may be links to those of another one
    command = [
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}",
        *(["-x"] if first_only else []), *dict.fromkeys(nodes),
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    start = perf_counter()
    try:
        done = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, encoding="utf-8", timeout=TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        return Verdict((), "its tests did not end", perf_counter() - start)
    seconds = perf_counter() - start
    if done.returncode == 0:
        return Verdict((), "", seconds)
    if done.returncode != 1:
        return Verdict((), f"pytest ended with {done.returncode}: {done.stdout[-1500:]}{done.stderr[-500:]}", seconds)
    failures = [(case, fault) for case in ET.parse(report).iter("testcase") for fault in case.iter("failure")]
    seen = tuple(case.get("name", "") for case, fault in failures if is_comparison(fault.get("message", "")))
    return Verdict(seen, "" if seen else f"no assertion failed: {_last_words(failures, done.stdout)}", seconds)


def is_comparison(message: str) -> bool:
    """Whether a failure's message tells that a test's comparison failed, and not that something crashed."""
    return message.startswith(ASSERTION) and CRASH not in message


def _last_words(failures: list[tuple[ET.Element, ET.Element]], output: str) -> str:
    return failures[0][1].get("message", "").partition("\n")[0] if failures else output[-1500:]


# In this process --------------------------------------------------------------------------------------------------


@contextmanager
def mutated(function: str, old: str, new: str) -> Iterator[None]:
    """Within the block, a function of the imported package has `new` where its source has `old`.

    Its code is compiled anew and swapped, so that everybody who holds the function runs the other one.
    """
    path, text = mutated_text(Mutant(function, function, old, new))
    module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
    target = plain_function(functools.reduce(inspect.getattr_static, function.split("."), module))
    original = target.__code__
    forget_answers()
    target.__code__ = code_of(compile(text, str(path), "exec"), function)
    try:
        yield
    finally:
        target.__code__ = original
        forget_answers()


def plain_function(thing: Any) -> FunctionType:
    """What stands inside decorators, properties and class methods."""
    while not isinstance(thing, FunctionType) or hasattr(thing, "__wrapped__"):
        inner = (getattr(thing, name, None) for name in ("__wrapped__", "__func__", "fget", "func"))
        thing = next((each for each in inner if each is not None), None)
        if thing is None:
            raise TypeError("there is no function in it")
    return thing


def code_of(code: CodeType, qualified_name: str) -> CodeType:
    """The code of a function of this qualified name within a module's."""
    waiting = [code]
    while waiting:
        inner = [each for each in waiting.pop().co_consts if isinstance(each, CodeType)]
        for each in inner:
            if each.co_qualname == qualified_name:
                return each
        waiting += inner
    raise NotFound(qualified_name)


def forget_answers() -> None:
    """Empty what functions of the package remember of earlier calls: it may come from the other code."""
    modules = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == PACKAGE]
    for module in modules:
        for thing in list(vars(module).values()):
            clear: Callable[[], None] | None = getattr(thing, "cache_clear", None)
            if clear is not None and not isinstance(thing, type):
                clear()
