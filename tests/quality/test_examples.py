"""Everything in `mvx.__all__` shows how it is used, and every example does what it says, in docstrings and on pages."""

import doctest
import inspect
import pkgutil
import re
import warnings
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.engine import analysis

CALLED = [n for n in mvx.__all__ if callable(getattr(mvx, n))]
MODULES = [n for n in mvx.__all__ if inspect.ismodule(getattr(mvx, n))]
HOME = Path(__file__).parents[2]
PAGES = [HOME / "README.md", *sorted((HOME / "resources" / "help").glob("*.md"))]
ANALYSIS = [f"analysis.{module.name}" for module in pkgutil.iter_modules(analysis.__path__)]


def examples(thing, name):
    """The docstrings below a function, a class, or a module's public names that hold examples."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    things = [(name, thing)]
    if inspect.ismodule(thing):
        public = getattr(thing, "__all__", None) or [n for n in vars(thing) if not n.startswith("_")]
        inside = ((f"{name}.{n}", getattr(thing, n)) for n in public)
        things = [(n, t) for n, t in inside if getattr(t, "__module__", "").startswith(mvx.__name__)]
    found = (test for n, t in things for test in finder.find(t, n, module=False, globs={"mvx": mvx, "np": np}))
    return [test for test in found if test.examples]


def failures(thing, name):
    """What the examples print where that is not what they say."""
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False)
    said = []
    for test in examples(thing, name):
        runner.run(test, out=said.append, clear_globs=False)
    return "".join(said)


@pytest.mark.parametrize("name", CALLED)
def test_has_an_example(name):
    assert examples(getattr(mvx, name), name), f"mvx.{name} has no example in its docstring"


@pytest.mark.parametrize("name", [*CALLED, *MODULES])
def test_examples_do_what_they_say(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # an example may write a file
    assert failures(getattr(mvx, name), name) == ""


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["kernels.nearest", "spectral.alignment", *ANALYSIS])
def test_examples_of_what_answers_questions_do_too(name):
    module = import_module(f"mvexplorer.engine.{name}")
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.testmod(module, extraglobs={"mvx": mvx, "np": np}, optionflags=flags).failed == 0


def test_no_function_is_hidden_by_the_module_it_lives_in():
    assert MODULES == ["metrics", "datasets", "errors"]


@pytest.fixture
def small(monkeypatch):
    """Every sample of data with a few of its rows, and a window that stays closed."""
    load = mvx.load

    def few(source):
        whole = load(source)
        return whole.take(np.linspace(0, whole.n_samples - 1, 120).astype(int))

    monkeypatch.setattr(mvx, "load", few)
    monkeypatch.setattr(mvx, "show", lambda data: SimpleNamespace(selection=lambda: [0, 1]))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_the_pages_say_of_python_is_so(page, small):
    text = page.read_text("utf-8")
    named = set(re.findall(r"\bmvx\.([A-Za-z_]+)", text)) - {"json"}  # an ending of files
    assert named <= set(mvx.__all__)
    given = {"mvx": mvx, "data": mvx.load("uci-digits"), "K": np.eye(4), "order": np.arange(4)}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            exec(block, dict(given))


def test_a_wrong_example_fails_and_a_right_one_does_not():
    def right():
        """
        >>> mvx.__name__, np.pi
        ('mvexplorer', 3.14...)
        """

    class Wrong:
        def method(self):
            """
            >>> 1 + 1
            3
            """

    def bare():
        """No example."""

    assert examples(bare, "bare") == []
    assert failures(right, "right") == ""
    assert "Expected:\n    3\nGot:\n    2" in failures(Wrong, "Wrong")
