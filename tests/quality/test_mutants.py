"""Every mutant is found once wherever its function has moved, and its tests are ones that a pull request runs."""

import numpy as np
import pytest
from mutants_table import MUTANTS
from mutation import (
    LEFT_OUT,
    PACKAGE,
    ROOT,
    Mutant,
    NotFound,
    all_tests,
    functions,
    mutated,
    mutated_text,
    node_of,
    place_of,
)

from mvexplorer.engine.kernels.affinities import gaussian
from mvexplorer.experiments.experiment import Bar
from mvexplorer.ui.widgets.slider import Scale

ROOMS = {"engine": 25, "compute": 8, "io": 10, "state": 10, "ui": 8}
"""Rooms of the package, and the fewest mutants in each."""


@pytest.mark.nightly
def test_every_mutant_is_found_once_and_compiles():
    for mutant in MUTANTS:
        path, changed = mutated_text(mutant)
        assert "\n" not in mutant.old + mutant.new
        assert changed != path.read_text("utf-8")


def test_every_mutant_has_a_name_of_its_own():
    names = [mutant.name for mutant in MUTANTS]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_has_mutants(room):
    inside = [mutant for mutant in MUTANTS if place_of(mutant).path.is_relative_to(ROOT / PACKAGE / room)]
    assert len(inside) >= ROOMS[room]


def test_every_mutant_names_tests_that_a_pull_request_runs():
    for mutant in MUTANTS:
        assert mutant.tests, mutant.name
        for name in mutant.tests:
            node_of(name)


# How they are found -----------------------------------------------------------------------------------------------


@pytest.fixture
def house(tmp_path):
    """A package of two files with a function of one name, and two files of tests."""
    files = {
        "mvexplorer/a.py": "class A:\n    def f(self):\n        return 1 + 1\n\n\ndef g():\n    return 3\n",
        "mvexplorer/room/b.py": "def g():\n    return 4 + 4\n",
        "tests/test_a.py": "import pytest\n\ndef test_one(): ...\n\n@pytest.mark.nightly\ndef test_late(): ...\n"
        "\ndef test_twice(): ...\n\nclass TestOf:\n    def test_inside(self): ...\n",
        "tests/room/test_b.py": "import pytest\n\npytestmark = [pytest.mark.timing]\n\ndef test_twice(): ...\n\n"
        "def test_of_time(): ...\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    yield tmp_path
    for cached in (functions, all_tests):
        cached.cache_clear()


def test_a_function_is_searched_in_the_whole_package_by_its_text(house):
    path, text = mutated_text(Mutant("m", "g", "4 + 4", "4 - 4"), house)
    assert (path, text) == (house / "mvexplorer/room/b.py", "def g():\n    return 4 - 4\n")
    path, text = mutated_text(Mutant("m", "A.f", "1 + 1", "0"), house)
    assert text.startswith("class A:\n    def f(self):\n        return 0\n")


@pytest.mark.parametrize(("function", "old"), [("h", "4"), ("g", "5"), ("g", "4"), ("g", "return")])
def test_a_text_that_stands_nowhere_or_twice_is_refused(house, function, old):
    with pytest.raises(NotFound, match="m: "):
        mutated_text(Mutant("m", function, old, "6"), house)


def test_a_mutant_that_does_not_compile_is_refused(house):
    with pytest.raises(SyntaxError):
        mutated_text(Mutant("m", "g", "4 + 4", "4 +"), house)


def test_tests_are_found_by_name(house):
    assert node_of("test_one", house) == "tests/test_a.py::test_one"
    assert node_of("test_one[a-1]", house) == "tests/test_a.py::test_one[a-1]"
    assert node_of("test_inside", house) == "tests/test_a.py::TestOf::test_inside"


@pytest.mark.parametrize(
    ("name", "words"),
    [("test_none", "0 tests"), ("test_twice", "2 tests"), ("test_late", "nightly"), ("test_of_time", "timing")],
)
def test_tests_that_are_not_there_or_run_late_are_refused(house, name, words):
    with pytest.raises(NotFound, match=words):
        node_of(name, house)


def test_marks_that_leave_a_test_out_are_known(request):
    known = {line.partition(":")[0].partition("(")[0] for line in request.config.getini("markers")}
    assert known >= LEFT_OUT


# In this process --------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_a_function_is_another_one_within_the_block_and_the_same_after_it():
    D = np.array([[0.0, 2.0], [2.0, 0.0]])
    plain = gaussian(D, 1.0)
    with mutated("gaussian_affinity", "-2.0 * check_epsilon(epsilon)", "-1.0 * check_epsilon(epsilon)"):
        np.testing.assert_allclose(gaussian(D, 1.0)[0, 1], np.exp(-2.0))
    np.testing.assert_array_equal(gaussian(D, 1.0), plain)


@pytest.mark.nightly
def test_methods_and_properties_are_changed_as_well():
    bar, scale = Bar("anything", 0.4, at_least=0.5), Scale(1.0, 10.0)
    with mutated("Bar.holds", "low <= self.value", "self.value <= high"):
        assert bar.holds
    assert not bar.holds
    with mutated("Scale.leapt", "value * 2.0**octaves", "value * 4.0**octaves"):
        assert scale.leapt(2.0, 1) == 8.0
    assert scale.leapt(2.0, 1) == 4.0


def test_the_function_comes_back_after_an_error():
    with (
        pytest.raises(ZeroDivisionError),
        mutated("gaussian_affinity", "-2.0 * check_epsilon(epsilon)", "-1.0 * check_epsilon(epsilon)"),
    ):
        raise ZeroDivisionError
    np.testing.assert_allclose(gaussian(np.array([[0.0, 2.0]]), 1.0)[0, 1], np.exp(-1.0))
