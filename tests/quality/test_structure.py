"""The package stays as it is meant to be built; `structure.py` says how each number is measured."""

from pathlib import Path
from textwrap import dedent

import pickles
import pytest
import structure
from signs import FUNCTION, MODULE, SIGNS, Sign

import mvexplorer

ROOT = Path(mvexplorer.__file__).parents[1]


@pytest.fixture(scope="module")
def package():
    return structure.Tree(ROOT)


def test_bars(package):
    """All in one: each process that has some of them reads the whole package first."""
    each = {
        name: measure(package)
        for name, measure in structure.MEASURES.items()
        if measure is not structure.lost_by_pickle
    }
    missed = {name: found for name, found in each.items() if not found.met}
    told = (f"{name}: {m.value:g} > {m.bar:g}\n" + "\n".join(m.spoilers) for name, m in missed.items())
    assert not missed, "\n\n".join(told)


def test_pickle_brings_everything_back():
    assert list(pickles.lost()) == []


# The measures themselves ------------------------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path):
    """A package made of the files given, as path=text with dots for slashes."""

    def make(**files):
        (tmp_path / "mvexplorer").mkdir()
        for name, text in {"__init__": "", **files}.items():
            path = tmp_path / "mvexplorer" / f"{name.replace('.', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text), "utf-8")
        return structure.Tree(tmp_path)

    return make


def ends(measure):
    """The spoilers without their folders."""
    return [spoiler.rpartition("/")[2] for spoiler in measure.spoilers]


def test_a_cycle_is_found_through_typing_and_functions(tree):
    found = structure.cycles(
        tree(**{
            "a": "if TYPE_CHECKING:\n    from mvexplorer.rooms.b import B",
            "rooms.__init__": "",
            "rooms.b": "def f():\n    from . import c",
            "rooms.c": "import mvexplorer.a",
            "rooms.d": "from mvexplorer import a",
        })
    )  # fmt: skip
    assert found.value == 3
    assert found.spoilers == (
        "mvexplorer.a -> mvexplorer.rooms.b",
        "mvexplorer.rooms.b -> mvexplorer.rooms.c",
        "mvexplorer.rooms.c -> mvexplorer.a",
    )


def test_an_init_that_joins_tables_makes_no_cycle_unless_it_is_imported_from(tree):
    joined = {
        "rooms.__init__": "from mvexplorer.rooms import a, b\nTABLE = a.TABLE + b.TABLE",
        "rooms.a": "from mvexplorer.rooms.b import TABLE",
    }
    assert structure.cycles(tree(**joined, **{"rooms.b": "TABLE = ()"})).value == 0


def test_importing_from_the_init_above_is_a_cycle(tree):
    found = structure.cycles(
        tree(**{"rooms.__init__": "from mvexplorer.rooms import a", "rooms.a": "from mvexplorer.rooms import TABLE"})
    )
    assert found.value == 2


def test_qt_is_reached_by_a_detour(tree):
    found = structure.modules_that_reach_qt(
        tree(**{
            "ui.__init__": "", "ui.a": "import pyqtgraph", "state": "def f():\n    import mvexplorer.compute",
            "compute": "from mvexplorer.ui import a", "io": "import numpy", "cli": "import mvexplorer.ui.a",
        })
    )  # fmt: skip
    assert found.spoilers == ("mvexplorer.compute", "mvexplorer.state")


def test_lengths_leave_docstrings_out_where_they_say_so(tree):
    made = tree(a='def f():\n    """One\n\n    two\n    """\n    return 1\n')
    (function,) = made.functions
    assert (function.length, function.code) == (6, 2)
    assert structure.percentile(list(range(1, 101)), 0.95) == 95


def test_an_annotation_that_lacks_is_seen_in_nested_functions_and_stars(tree):
    found = structure.untyped(
        tree(
            a="""
            class A:
                def __init__(self, x: int) -> None:
                    def inner(y: int): ...
                def good(self) -> None: ...
            def stars(*a, **b: int) -> None: ...
        """
        )
    )
    assert [s.partition(" ")[2] for s in found.spoilers] == ["A.__init__.inner", "stars"]


DOCUMENTED = '''
    def f(a: int, *b: int) -> int:
        """F.

        Parameters
        ----------
        {}

        Returns
        -------
        int
        """
'''


def test_sections_of_what_scripts_get_are_read_name_by_name(tree):
    package = tree(**{
        "__init__": "from mvexplorer.io.good import f as f\nfrom mvexplorer.io.half import f as other",
        "datasets": "def g():\n    from mvexplorer.io.bare import g",
        "io.good": DOCUMENTED.format("a, *b : int\n            As many as you like."),
        "io.half": DOCUMENTED.format("a : int\n            b : not at the margin"),
        "io.bare": "def g(x: int) -> int: ...\ndef _private(x: int) -> int: ...\ndef nothing() -> None: ...",
        "io.inside": DOCUMENTED.format("a, *b : int"),
        "state": "def g(x: int) -> int: ...",
    })  # fmt: skip
    assert ends(structure.without_parameters(package)) == ["bare.py:1 g: x", "half.py:2 f: b"]
    assert ends(structure.without_returns(package)) == ["bare.py:1 g"]
    assert ends(structure.sections_inside(package)) == ["inside.py:2 f"]


def test_docstrings_are_told_from_other_strings(tree):
    package = tree(**{"io.a": '"""What is here."""\nA = 1\n"""What it is."""\ndef f() -> str:\n    return "What"'})
    assert ends(structure.questions_in_docstrings(package)) == ["a.py:1"]
    assert structure.docstrings_of_io(package).value == 20.0
    assert next(line for _, line in structure.code_lines(package.modules["mvexplorer.io.a"])) == "A = 1"


def test_a_repeat_is_as_long_as_it_is(tree):
    lines = "\n".join(f"x{i} = {i}" for i in range(8))
    package = tree(
        a=f"import os\n{lines}\ny = 1", b=f"# a comment\n\n{lines}\nz = 2", c="\n".join(lines.split("\n")[:5])
    )
    assert ends(structure.repeats_in_code(package)) == ["b.py:3"]
    assert structure.repeats_in_docstrings(package).value == 0


def test_constants_and_vague_names_are_counted(tree):
    package = tree(
        a="""
        MOST, _LEAST = 3, 1
        made = 4
        class Box:
            MARGIN = -8
            word = "a"
            size: int = 5
        def f(told: int) -> None:
            found = told
            if (asked := found):
                found += asked
        """
    )
    assert structure.constants(package).value == round(3000 / 10, 1)
    names = sorted(spoiler.split()[-1] for spoiler in structure.vague_names(package).spoilers)
    assert names == ["asked", "found", "found", "made"]


def test_a_name_that_two_modules_bind_is_found(tree):
    package = tree(
        **{
            "a": "class Same: ...\ndef same() -> None: ...\ndef main() -> None: ...\nclass _Own: ...",
            "rooms.b": "class Same: ...\ndef main() -> None: ...\nclass C:\n    def same(self) -> None: ...",
        }
    )
    assert structure.bound_twice(package, structure.ast.ClassDef, 0).value == 1
    assert structure.bound_twice(package, structure.Definition, 0).value == 0
    assert structure.full_folders(package).value == 1


def test_old_names_are_told_from_names_that_stay(tree):
    found = structure.old_names(
        tree(**{
            "ui.help": "class Start: ...",
            "engine.a": "class Param:\n    help: str\ndef embed(start: int, given: int) -> None:\n    draft = 1",
            "state": "class View:\n    ticked: bool\n    def f(self) -> None:\n        self.part: int = 1",
            "io": "def merge(part: int) -> None: ...",
        })
    )  # fmt: skip
    assert ends(found) == [
        "state.py:2 attribute ticked -> enabled",
        "state.py:4 attribute part -> subsample",
        "help.py:1 module help -> help_page",
        "help.py:1 class Start -> WarmStart",
    ]


def test_no_new_name_is_an_old_one():
    assert len({(s.old, s.kind, s.where) for s in SIGNS}) == len(SIGNS)
    for sign in SIGNS:
        for new in sign.new.split(", "):
            place = f"mvexplorer.{sign.where.partition(' ')[0]}"
            assert not any(other.forbids(sign.kind, new.rpartition(".")[2], place) for other in SIGNS), sign
    assert Sign("*doubts", "x", FUNCTION).forbids(FUNCTION, "_graph_doubts", "mvexplorer.engine")
    assert not Sign("side", "x", MODULE, "ui").forbids(MODULE, "side", "mvexplorer.engine")


def test_a_job_that_is_a_closure_is_seen(tree):
    found = structure.closures_submitted(
        tree(
            state="""
            def f(scheduler: Any, pool: Any, done: Any) -> None:
                def job(task: Any) -> None: ...
                scheduler.submit("a", job, done)
                scheduler.submit("b", lambda task: 1, done, title="B")
                scheduler.submit("c", EmbedJob(1), lambda outcome: None)
                pool.submit(job, 1)
        """
        )
    )
    assert found.value == 2


def test_what_comes_back_changed_is_lost():
    class Local(Exception):
        pass

    assert "pickle" in pickles.problem(Local())
    assert pickles.problem(pickles.data()) == ""
    assert not pickles.same(pickles.data(), pickles.data().take(range(3)))
