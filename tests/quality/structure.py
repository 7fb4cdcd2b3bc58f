"""How the package is built, in numbers: `python tests/quality/structure.py [ROOT] [--list]` prints them.

Everything is read from the sources (nothing is imported), except that the last row pickles what should survive it.
`test_structure.py` holds the bars.

An import counts wherever it is written, in a function or for typing as well. That importing `a.b.c` runs the `__init__`
of `a` and `a.b` first is not counted: an `__init__` that joins its modules' tables stands above them, and nobody who
reads a module meets that import in it. A module that itself imports from such an `__init__` above it is counted.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import ceil
from pathlib import Path

from signs import ATTRIBUTE, CLASS, FUNCTION, MODULE, NAME, PARAMETER, SIGNS

PACKAGE = "mvexplorer"
QT = {"PySide6", "shiboken6", "pyqtgraph"}
ABOVE_QT = {"ui", "cli", "__main__"}
"""Rooms that may reach Qt; everything else is below them."""
DOCUMENTED = (PACKAGE, f"{PACKAGE}.datasets", f"{PACKAGE}.metrics")
"""The doors for scripts: what they import from other modules has its sections, everything else has none."""
RETURNED = {(f"{PACKAGE}.state.bench.remote_window", "RemoteWindow")}
"""What scripts get from these doors without importing it: its methods have their sections as well."""
CALLED_BY_NAME = {"main", "solve", "measure", "live"}
"""Functions that a table calls by one name, each in a module of its own."""
VAGUE = {"found", "known", "asked", "told", "made"}
"""Names of variables that do not say what they hold."""
REPEAT = 6
"""Lines from which on what stands twice is a repeat."""
FULL = 24
"""Modules that a folder holds at the most."""
CONSTANTS = 18
Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One file of the package: its dotted name, its place below the root, and what it says."""

    name: str
    path: str
    text: str
    tree: ast.Module

    def within(self, room: str) -> bool:
        """Whether it is in a room such as `engine.api`."""
        return f"{self.name}.".startswith(f"{PACKAGE}.{room}.")


@dataclass(frozen=True)
class Function:
    """A function or method, with the dotted name it has in its module."""

    module: Module
    name: str
    node: Definition
    public: bool

    @property
    def place(self) -> str:
        """File, line and name, for people."""
        return f"{self.module.path}:{self.node.lineno} {self.name}"

    @property
    def length(self) -> int:
        """Lines from `def` to the end, the docstring among them."""
        return (self.node.end_lineno or 0) - self.node.lineno + 1

    @property
    def code(self) -> int:
        """The same without the docstring."""
        first = self.node.body[0]
        docstring = ast.get_docstring(self.node) is not None
        return self.length - ((first.end_lineno or 0) - first.lineno + 1 if docstring else 0)

    @property
    def arguments(self) -> list[ast.arg]:
        """The parameters, without `self` and `cls`."""
        given = self.node.args
        starred = [a for a in (given.vararg, given.kwarg) if a is not None]
        plain = [*given.posonlyargs, *given.args, *given.kwonlyargs, *starred]
        return [a for a in plain if a.arg not in ("self", "cls")]

    @property
    def decorators(self) -> set[str]:
        """The last names of the decorators."""
        called = (d.func if isinstance(d, ast.Call) else d for d in self.node.decorator_list)
        return {ast.unparse(d).rpartition(".")[2] for d in called}

    @property
    def is_attribute(self) -> bool:
        """Whether it is read like an attribute."""
        return not self.decorators.isdisjoint({"property", "cached_property", "setter"})


@dataclass(frozen=True)
class Measure:
    """A number with its bar, and the places that spoil it; without a bar it is only told."""

    value: float
    bar: float | None
    spoilers: tuple[str, ...] = ()

    @property
    def met(self) -> bool:
        """Whether the bar is held."""
        return self.bar is None or self.value <= self.bar


class Tree:
    """The package below a root, parsed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.modules = {m.name: m for m in map(self._module, sorted((root / PACKAGE).rglob("*.py")))}
        self.functions = [f for m in self.modules.values() for f in functions_of(m, m.tree, "", public=True)]

    def _module(self, path: Path) -> Module:
        place = path.relative_to(self.root)
        name = ".".join(place.with_suffix("").parts).removesuffix(".__init__")
        text = path.read_text("utf-8")
        return Module(name, place.as_posix(), text, ast.parse(text))


def functions_of(module: Module, node: ast.AST, prefix: str, *, public: bool) -> Iterator[Function]:
    """All functions below a node, nested ones as well; those in functions are not public."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | Definition):
            name, open_ = f"{prefix}{child.name}", public and not child.name.startswith("_")
            if isinstance(child, Definition):
                yield Function(module, name, child, open_)
                open_ = False
            yield from functions_of(module, child, f"{name}.", public=open_)
        else:
            yield from functions_of(module, child, prefix, public=public)


# Imports ----------------------------------------------------------------------------------------------------------


def imported_names(module: Module) -> Iterator[str]:
    """Dotted names of all that is imported, anywhere in the module."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = module.name.split(".") if module.path.endswith("__init__.py") else module.name.split(".")[:-1]
            above = parts[: len(parts) - node.level + 1] if node.level else []
            yield from (".".join([*above, *filter(None, [node.module]), alias.name]) for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            yield from (a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str))


@cache
def import_graph(tree: Tree) -> dict[str, set[str]]:
    """Which modules of the package each module imports, and which libraries."""
    graph: dict[str, set[str]] = {}
    for name, module in tree.modules.items():
        graph[name] = set()
        for target in imported_names(module):
            library = target.partition(".")[0]
            while library == PACKAGE and target not in tree.modules:
                target = target.rpartition(".")[0]
            graph[name].add(target if library == PACKAGE else library)
        graph[name].discard(name)
    return graph


def reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    """What `start` imports, directly or not; itself where it stands in a cycle."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        fresh = graph.get(waiting.pop(), set()) - found
        found |= fresh
        waiting.extend(fresh)
    return found


def cycles(tree: Tree) -> Measure:
    """Modules that import each other, however far around."""
    graph = import_graph(tree)
    reach = {name: reachable(graph, name) for name in graph}
    rings = {tuple(sorted(m for m in reach[name] if name in reach.get(m, ()))) for name in graph if name in reach[name]}
    links = [f"{a} -> {b}" for ring in sorted(rings) for a in ring for b in ring if b in graph[a]]
    return Measure(sum(map(len, rings)), 0, tuple(links))


def modules_that_reach_qt(tree: Tree) -> Measure:
    """Modules below the window that import Qt, or something that does."""
    graph = import_graph(tree)
    below = [name for name in graph if not name.split(".")[1:2] or name.split(".")[1] not in ABOVE_QT]
    return _count(name for name in below if not QT.isdisjoint(reachable(graph, name)))


# Sizes and types --------------------------------------------------------------------------------------------------


def percentile(values: list[int], share: float) -> int:
    """The smallest value that is not exceeded by this share of them."""
    return sorted(values)[ceil(share * len(values)) - 1]


def file_lengths(tree: Tree) -> dict[str, int]:
    """Lines of every file."""
    return {m.path: len(m.text.splitlines()) for m in tree.modules.values()}


def long_files(tree: Tree) -> Measure:
    """The longest file."""
    lengths = file_lengths(tree)
    spoilers = tuple(f"{path}: {n} lines" for path, n in lengths.items() if n > 600)
    return Measure(max(lengths.values()), 600, spoilers)


def full_folders(tree: Tree) -> Measure:
    """The most modules that stand in one folder, its `__init__` left out."""
    folders = Counter(str(Path(m.path).parent) for m in tree.modules.values() if not m.path.endswith("__init__.py"))
    return Measure(max(folders.values(), default=0), FULL, tuple(f"{f}: {n}" for f, n in folders.items() if n > FULL))


@cache
def docstrings(module: Module) -> list[ast.Expr]:
    """The docstrings of a module and of all that is defined in it."""
    defined = (node for node in ast.walk(module.tree) if isinstance(node, ast.Module | ast.ClassDef | Definition))
    firsts = [node.body[0] for node in defined if ast.get_docstring(node, clean=False)]
    return [first for first in firsts if isinstance(first, ast.Expr)]


@cache
def docstring_lines(module: Module) -> set[int]:
    """The numbers of the lines on which docstrings stand."""
    return {n for d in docstrings(module) for n in range(d.lineno, (d.end_lineno or 0) + 1)}


def code_lines(module: Module) -> list[tuple[int, str]]:
    """Number and text of the lines that are neither blank nor a comment nor a docstring."""
    left_out = docstring_lines(module)
    lines = enumerate(map(str.strip, module.text.splitlines()), 1)
    return [(n, line) for n, line in lines if line and not line.startswith("#") and n not in left_out]


def lines_of_code(tree: Tree) -> int:
    """Lines that are neither blank nor a comment nor a docstring."""
    return sum(len(code_lines(m)) for m in tree.modules.values())


def unformatted(tree: Tree) -> Measure:
    """Lines that the formatter leaves alone."""
    places = [m.path for m in tree.modules.values() for _ in range(m.text.count("# fmt: skip"))]
    return Measure(len(places), 40, tuple(places))


def constants(tree: Tree) -> Measure:
    """Names in capitals at a module's top, and numbers that are attributes of a class, per 1,000 lines of code."""
    per_file = {m.path: len(list(_constants_in(m.tree))) for m in tree.modules.values()}
    share = 1000 * sum(per_file.values()) / max(1, lines_of_code(tree))
    worst = sorted(per_file, key=lambda path: -per_file[path])[:20]
    return Measure(round(share, 1), CONSTANTS, tuple(f"{path}: {per_file[path]}" for path in worst))


def _constants_in(module: ast.Module) -> Iterator[str]:
    for node in module.body:
        yield from (name for name in _assigned(node) if name.isupper())
        for inner in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(inner, ast.Assign) and isinstance(inner.value, ast.Constant | ast.UnaryOp):
                value = inner.value.operand if isinstance(inner.value, ast.UnaryOp) else inner.value
                if isinstance(value, ast.Constant) and type(value.value) in (int, float):
                    yield from _assigned(inner)


def _assigned(node: ast.AST) -> Iterator[str]:
    """The plain names that a statement or an expression binds, not what stands within it."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
        targets = [node.target]
    for target in targets:
        yield from (name.id for name in ast.walk(target) if isinstance(name, ast.Name) and _is_stored(name))


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


# What stands twice ------------------------------------------------------------------------------------------------


def repeats_in_code(tree: Tree) -> Measure:
    """Runs of six and more lines of code, imports left out, that stand in several places, each as long as it is."""
    return Measure(len(runs := _repeats(_without_imports(m) for m in tree.modules.values())), 6, tuple(runs))


def repeats_in_docstrings(tree: Tree) -> Measure:
    """The same of the lines of docstrings."""
    texts = []
    for module in tree.modules.values():
        inside, lines = docstring_lines(module), enumerate(map(str.strip, module.text.splitlines()), 1)
        texts.append([(f"{module.path}:{n}", line) for n, line in lines if n in inside and line])
    return Measure(len(runs := _repeats(texts)), 20, tuple(runs))


def _without_imports(module: Module) -> list[tuple[str, str]]:
    """Place and text of each line of code that imports nothing."""
    imports = {
        n for node in ast.walk(module.tree) if isinstance(node, ast.Import | ast.ImportFrom)
        for n in range(node.lineno, (node.end_lineno or 0) + 1)
    }  # fmt: skip
    return [(f"{module.path}:{n}", line) for n, line in code_lines(module) if n not in imports]


def _repeats(texts: Iterable[list[tuple[str, str]]]) -> list[str]:
    """The runs of lines that stand in several places and are not part of a longer one that stands in as many."""
    at: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    places = []
    for i, text in enumerate(texts):
        places.append([place for place, _ in text])
        for j in range(len(text) - REPEAT + 1):
            at.setdefault(tuple(line for _, line in text[j : j + REPEAT]), []).append((i, j))
    windows = {frozenset(where) for where in at.values() if len(where) > 1}
    firsts = [w for w in windows if frozenset((i, j - 1) for i, j in w) not in windows]
    return sorted(" ~ ".join(sorted(places[i][j] for i, j in w)) for w in firsts)


def long_functions(tree: Tree) -> Measure:
    """The longest function, its docstring left out: sections and examples make no function long."""
    spoilers = tuple(f"{f.place}: {f.code} lines" for f in tree.functions if f.code > 60)
    return Measure(max(f.code for f in tree.functions), 60, spoilers)


def untyped(tree: Tree) -> Measure:
    """Functions that lack the annotation of a parameter or of what they return."""
    return _count(
        f.place for f in tree.functions if f.node.returns is None or any(a.annotation is None for a in f.arguments)
    )


# Documentation ----------------------------------------------------------------------------------------------------


def section(function: Function, title: str) -> list[str] | None:
    """The lines of a numpydoc section that begin at the margin; None where there is no such section."""
    lines = (ast.get_docstring(function.node) or "").splitlines()
    rules = [i for i, (a, b) in enumerate(pairwise(lines)) if a.strip() and b and set(b) == {"-"}]
    for begin, end in pairwise([*rules, len(lines)]):
        if lines[begin] == title:
            return [line for line in lines[begin + 2 : end] if line.strip() and not line[0].isspace()]
    return None


def untold(function: Function) -> list[str]:
    """The parameters that the section about them does not name; all where there is no section."""
    heads = (line.partition(" :")[0] for line in section(function, "Parameters") or [])
    told = {name.strip().lstrip("*") for head in heads for name in head.split(",")}
    return [a.arg for a in function.arguments if a.arg not in told]


def exported(tree: Tree) -> list[Function]:
    """The functions, and public methods of classes, that a script gets through the doors; properties are left out."""
    offered = {
        (node.module, alias.name)
        for door in DOCUMENTED if door in tree.modules
        for node in ast.walk(tree.modules[door].tree) if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }  # fmt: skip
    offered |= RETURNED
    return [f for f in tree.functions if f.public and (f.module.name, f.name.partition(".")[0]) in offered
            and not f.is_attribute and "overload" not in f.decorators]  # fmt: skip


def without_parameters(tree: Tree) -> Measure:
    """Exported functions whose parameters are not told."""
    lacking = ((f, untold(f)) for f in exported(tree))
    return _count(f"{f.place}: {', '.join(names)}" for f, names in lacking if names)


def without_returns(tree: Tree) -> Measure:
    """Exported functions that do not tell what they return."""
    functions = (f for f in exported(tree) if f.node.returns and ast.unparse(f.node.returns) != "None")
    return _count(f.place for f in functions if section(f, "Returns") is None and section(f, "Yields") is None)


def sections_inside(tree: Tree) -> Measure:
    """Functions below the doors that say in sections what their one sentence and their types say."""
    outside = {id(f.node) for f in exported(tree)}
    titles = ("Parameters", "Returns", "Yields")
    return _count(f.place for f in tree.functions if id(f.node) not in outside and any(section(f, t) for t in titles))


def docstrings_of_io(tree: Tree) -> Measure:
    """Lines of docstrings in a hundred lines of `io`."""
    rooms = [m for m in tree.modules.values() if m.within("io")]
    lines = sum(len(m.text.splitlines()) for m in rooms)
    return Measure(round(100 * sum(len(docstring_lines(m)) for m in rooms) / max(1, lines), 1), 17)


def questions_in_docstrings(tree: Tree) -> Measure:
    """Docstrings that begin with "What"."""
    places = ((m, d) for m in tree.modules.values() for d in docstrings(m))
    return _count(f"{m.path}:{d.lineno}" for m, d in places if ast.literal_eval(d.value).lstrip().startswith("What "))


def _count(spoilers: Iterator[str]) -> Measure:
    found = tuple(spoilers)
    return Measure(len(found), 0, found)


# Names ------------------------------------------------------------------------------------------------------------


def definitions(module: Module) -> Iterator[tuple[str, str, str, int]]:
    """Kind, name, dotted place and line of everything that the module defines, and of itself."""
    above, _, own = module.name.rpartition(".")
    yield MODULE, own, above, 1
    yield from _defined(module.tree, module.name, NAME)


def _defined(node: ast.AST, place: str, kind: str) -> Iterator[tuple[str, str, str, int]]:
    """What stands below a node; `kind` is what a plain name bound here is, "" for a local variable."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield CLASS, child.name, place, child.lineno
            yield from _defined(child, f"{place}.{child.name}", ATTRIBUTE)
        elif isinstance(child, Definition):
            function = Function(_NOWHERE, child.name, child, public=False)
            yield ATTRIBUTE if function.is_attribute else FUNCTION, child.name, place, child.lineno
            inside = f"{place}.{child.name}"
            yield from ((PARAMETER, a.arg, inside, a.lineno) for a in function.arguments)
            yield from _defined(child, inside, "")
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store) and kind:
            yield kind, child.id, place, child.lineno
        else:
            if isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Store):
                yield ATTRIBUTE, child.attr, place, child.lineno
            yield from _defined(child, place, kind)


_NOWHERE = Module("", "", "", ast.Module([], []))


def old_names(tree: Tree) -> Measure:
    """Things that still have a name that was given up."""
    return _count(
        f"{module.path}:{line} {kind} {name} -> {sign.new}"
        for module in tree.modules.values()
        for kind, name, place, line in definitions(module)
        for sign in SIGNS if sign.forbids(kind, name, place)
    )  # fmt: skip


def bound_twice(tree: Tree, kind: type | tuple[type, ...], bar: int | None) -> Measure:
    """Public names of classes, or of functions, at the top of more than one module."""
    places: dict[str, list[str]] = {}
    for module in tree.modules.values():
        for node in module.tree.body:
            if isinstance(node, kind) and not node.name.startswith("_") and node.name not in CALLED_BY_NAME:
                places.setdefault(node.name, []).append(module.path)
    twice = {name: paths for name, paths in places.items() if len(set(paths)) > 1}
    return Measure(len(twice), bar, tuple(f"{name}: {', '.join(paths)}" for name, paths in sorted(twice.items())))


def vague_names(tree: Tree) -> Measure:
    """Assignments to variables that do not say what they hold."""
    places = [
        f"{m.path}:{node.lineno} {name}" for m in tree.modules.values() for node in ast.walk(m.tree)
        if isinstance(node, ast.stmt | ast.NamedExpr) for name in _assigned(node) if name in VAGUE
    ]  # fmt: skip
    return Measure(len(places), 80, tuple(places))


# Jobs and pickles -------------------------------------------------------------------------------------------------


def closures_submitted(tree: Tree) -> Measure:
    """Calls `submit(slot, job, done)` whose job is a lambda or a function of the moment: none can leave the process."""
    return _count(spoiler for f in tree.functions for spoiler in _closures_in(f))


def _closures_in(function: Function) -> Iterator[str]:
    inside = list(ast.walk(function.node))
    local = {n.name for n in inside if isinstance(n, Definition) and n is not function.node}
    local |= {
        t.id for n in inside if isinstance(n, ast.Assign) and isinstance(n.value, ast.Lambda)
        for t in n.targets if isinstance(t, ast.Name)
    }  # fmt: skip
    for call in inside:
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "submit":
            job = call.args[1] if len(call.args) >= 3 else None
            if isinstance(job, ast.Lambda) or (isinstance(job, ast.Name) and job.id in local):
                yield f"{function.module.path}:{call.lineno} {function.name}"


def lost_by_pickle(tree: Tree) -> Measure:
    """Public classes and errors of which an example does not come back from pickle as it was."""
    from pickles import lost

    return _count(iter(lost()))


MEASURES: dict[str, Callable[[Tree], Measure]] = {
    "modules in import cycles": cycles,
    "modules below ui/ that reach Qt": modules_that_reach_qt,
    "lines of a file, p95": lambda tree: Measure(percentile(list(file_lengths(tree).values()), 0.95), 400),
    "lines of a file, longest": long_files,
    "lines of a function, p95": lambda tree: Measure(percentile([f.length for f in tree.functions], 0.95), 26),
    "lines of a function without docstring, p95": lambda tree: Measure(
        percentile([f.code for f in tree.functions], 0.95), 22
    ),
    "lines of a function without docstring, longest": long_functions,
    "functions not fully typed": untyped,
    "exported functions whose Parameters are untold": without_parameters,
    "exported functions whose Returns are untold": without_returns,
    "other functions with sections": sections_inside,
    "docstrings that begin with What": questions_in_docstrings,
    "docstrings in 100 lines of io": docstrings_of_io,
    "repeats in docstrings": repeats_in_docstrings,
    "repeats in code": repeats_in_code,
    "lines that are not formatted": unformatted,
    "constants in 1,000 lines of code": constants,
    "modules in a folder, most": full_folders,
    "names of public classes bound twice": lambda tree: bound_twice(tree, ast.ClassDef, 0),
    "names of public functions bound twice": lambda tree: bound_twice(tree, Definition, 10),
    "assignments to found, known, asked, told, made": vague_names,
    "definitions with an old name": old_names,
    "closures submitted to the scheduler": closures_submitted,
    "public classes and errors that pickle loses": lost_by_pickle,
}

TOLD: dict[str, Callable[[Tree], Measure]] = {
    "lines of the package": lambda tree: Measure(sum(file_lengths(tree).values()), None),
    "lines of code": lambda tree: Measure(lines_of_code(tree), None),
    "files": lambda tree: Measure(len(tree.modules), None),
    "functions": lambda tree: Measure(len(tree.functions), None),
    "lines of a function, longest": lambda tree: Measure(max(f.length for f in tree.functions), None),
}
"""Worth knowing, but no bar."""


def main() -> int:
    """Print the table; 1 where a bar is not held."""
    parser = argparse.ArgumentParser(description="Measure how the package is built.")
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).parents[2], help="a checkout")
    parser.add_argument("--list", action="store_true", help="also list what spoils each number")
    options = parser.parse_args()
    sys.path.insert(0, str(options.root.resolve()))
    tree, held = Tree(options.root.resolve()), True
    for name, measure in {**TOLD, **MEASURES}.items():
        found = measure(tree)
        held = held and found.met
        bar = "" if found.bar is None else f"{found.bar:>8g}  {'held' if found.met else 'NOT HELD'}"
        print(f"{name:<66}{found.value:>8g}{bar}")
        for spoiler in found.spoilers if options.list else ():
            print(f"    {spoiler}")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
