"""All that is offered shows how it is used, and every example does what it says, in docstrings and on pages."""

import doctest
import inspect
import pkgutil
import re
import warnings
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.engine import analysis

DOORS = {"mvx": mvx, "mvx.datasets": mvx.datasets, "mvx.metrics": mvx.metrics}
HOME = Path(__file__).parents[2]
PAGES = [HOME / "README.md", *sorted((HOME / "resources" / "help").glob("*.md"))]
ANALYSIS = [f"analysis.{module.name}" for module in pkgutil.iter_modules(analysis.__path__)]


def offered():
    """Every function and class behind the doors, and what belongs to a class, by the name a script calls it by."""
    for door, module in DOORS.items():
        for name, thing in ((f"{door}.{n}", getattr(module, n)) for n in module.__all__):
            if callable(thing):
                yield name, thing
            if inspect.isclass(thing):
                yield from belonging_to(thing, name)


def belonging_to(cls, name):
    """Its public methods and properties that are written in this package.

    Fields are none, a dataclass writes methods with underscores alone, and scikit-learn tells of those it hands down.
    """
    for base in cls.__mro__:
        for n, value in vars(base).items() if base.__module__.startswith(mvx.__name__) else ():
            kinds = {classmethod: "__func__", staticmethod: "__func__", property: "fget", cached_property: "func"}
            function = getattr(value, kinds.get(type(value), ""), value)
            if inspect.isfunction(function) and not n.startswith("_"):
                yield f"{name}.{n}", function


OFFERED = dict(offered())


def examples(thing, name):
    """The examples in a docstring; those of a class's methods are theirs."""
    finder = doctest.DocTestFinder(recurse=False, exclude_empty=False)
    (test,) = finder.find(thing, name, module=False, globs={"mvx": mvx, "np": np})
    return test


def failures(thing, name):
    """What the examples print where that is not what they say."""
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False)
    said = []
    runner.run(examples(thing, name), out=said.append)
    return "".join(said)


def test_all_that_is_offered_has_an_example():
    lacking = [name for name, thing in OFFERED.items() if not examples(thing, name).examples]
    assert lacking == []


def test_methods_and_properties_are_offered_and_what_others_wrote_is_not():
    wanted = {"mvx.samples", "mvx.MultiView.take", "mvx.MultiView.n_views", "mvx.MultiView.fingerprint"}
    assert wanted | {"mvx.metrics.Score.over_samples", "mvx.MultiViewEmbedding.fit_transform"} <= OFFERED.keys()
    names = {name.rpartition(".")[2] for name in OFFERED}
    assert names.isdisjoint({"get_params", "set_output", "get_metadata_routing", "__init__", "__eq__", "coordinates"})


@pytest.mark.parametrize("name", OFFERED)
def test_examples_do_what_they_say(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # an example may write a file
    assert failures(OFFERED[name], name) == ""


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["kernels.nearest", "spectral.alignment", *ANALYSIS])
def test_examples_of_what_answers_questions_do_too(name):
    module = import_module(f"mvexplorer.engine.{name}")
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.testmod(module, extraglobs={"mvx": mvx, "np": np}, optionflags=flags).failed == 0


def test_no_function_is_hidden_by_the_module_it_lives_in():
    assert [n for n in mvx.__all__ if inspect.ismodule(getattr(mvx, n))] == ["metrics", "datasets", "errors"]


@pytest.fixture
def small(monkeypatch):
    """Every sample of data with a few of its rows, and a window that stays closed."""
    load = mvx.load

    def few(source):
        whole = load(source)
        return whole.take(np.linspace(0, whole.n_samples - 1, 120).astype(int))

    monkeypatch.setattr(mvx, "load", few)
    window = SimpleNamespace(selection=lambda: [0, 1], set=lambda **changes: None)
    monkeypatch.setattr(mvx, "show", lambda data: window)


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

    def wrong():
        """
        >>> 1 + 1
        3
        """

    class Bare:
        method = right

    assert examples(Bare, "Bare").examples == []
    assert failures(right, "right") == ""
    assert "Expected:\n    3\nGot:\n    2" in failures(wrong, "wrong")
