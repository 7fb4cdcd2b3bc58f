"""Every row of the benchmarks can start, in its smallest form; two checkouts are compared row by row, in turns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import against
import pytest
from against import changes_of, chosen, first_places, order, table_line, verdict_line
from comparison import CONTROL, Comparison, Limit

FOLDER = Path(__file__).parents[1] / "benchmarks"
MODULES = sorted(path.stem for path in FOLDER.glob("bench_*.py"))
COMMANDS = {"bench_memory": ("--usual", "--samples", "100")}
"""Modules that offer no rows, but are commands of their own."""
PATIENCE = 300.0


def run(tmp_path: Path, *command: str, code: int = 0, **more: str) -> str:
    """What a command in this folder prints, with `more` environment variables: its errors if it ends with a code."""
    variables = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL", "NUMEXPR", "NUMBA")}
    environment = {
        **os.environ, **variables, "QT_QPA_PLATFORM": "offscreen", "MVEXPLORER_HOME": str(tmp_path), **more,
        "PYTHONPATH": os.pathsep.join([str(FOLDER), str(FOLDER.parents[1])]),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, *command], cwd=FOLDER, env=environment, capture_output=True, text=True, timeout=PATIENCE,
        check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr[-2000:]
    return done.stderr if code else done.stdout


@pytest.mark.nightly
@pytest.mark.parametrize("module", [name for name in MODULES if name not in COMMANDS])
def test_every_row_starts(module: str, tmp_path: Path) -> None:
    sides = [json.loads(line) for line in run(tmp_path, "smallest.py", module).splitlines() if line.startswith("{")]
    assert sides
    assert {f"{side['row']}: {side['side']}": side["problem"] for side in sides if side["problem"]} == {}
    assert not [side["row"] for side in sides if side["absent"] and side["side"] != "rival"]


@pytest.mark.nightly
@pytest.mark.parametrize("module", COMMANDS)
def test_every_command_starts(module: str, tmp_path: Path) -> None:
    assert "worst ratio" in run(tmp_path, f"{module}.py", *COMMANDS[module])


# Against another checkout -----------------------------------------------------------------------------------------


def comparison(name: str, rival_name: str = "somebody's") -> Comparison:
    return Comparison(name, None, lambda: None, lambda: None, rival_name)


def test_rows_of_two_checkouts_are_matched_by_name_and_side_not_by_position() -> None:
    here = [("cold", "ours", "bench_cold", 0), ("open", "measure", "bench_open", 0), ("warm", "ours", "bench_warm", 0)]
    there = [("warm", "ours", "bench_warm", 0), ("warm", "ours", "bench_warm", 1), ("cold", "measure", "bench_all", 7)]
    places = first_places(here), first_places(there)
    assert [place["warm", "ours"] for place in places] == [("bench_warm", 0)] * 2
    assert against.key(comparison("cold")) in places[0]
    assert against.key(comparison("cold")) not in places[1]
    assert places[1][against.key(Limit("cold", {}, dict))] == ("bench_all", 7)


def test_names_pick_rows_that_contain_them_once_each_and_otherwise_the_usual_ones() -> None:
    usual = against.USUAL[0]
    rows = [comparison("a warm step", "one"), comparison("a warm step", "two"), comparison(usual), comparison("cold")]
    assert chosen(rows, ["warm step", "cold"]) == [rows[0], rows[3]]
    assert chosen(rows, []) == [rows[2]]


@pytest.mark.nightly
def test_the_usual_rows_are_there_and_measure_this_program(tmp_path: Path) -> None:
    program, rows = json.loads(run(tmp_path, "-c", against.LISTING).splitlines()[-1])
    assert Path(program).resolve() == FOLDER.parents[1] / "mvexplorer" / "__init__.py"
    assert set(against.USUAL) <= {name for name, *_ in rows}


def test_neither_checkout_is_always_first() -> None:
    assert [order(number)[0] for number in range(4)] == ["here", "there", "here", "there"]
    assert all(set(order(number)) == {"here", "there"} for number in range(4))


def test_the_ratio_is_the_median_of_the_rounds_not_the_ratio_of_medians() -> None:
    rounds = [{"here": {"s": here}, "there": {"s": there}} for here, there in ((1.0, 1.0), (4.0, 2.0), (3.0, 12.0))]
    (change,) = changes_of(rounds)
    assert (change.here, change.there, change.ratio) == (3.0, 2.0, 1.0)


@pytest.mark.parametrize(
    ("unit", "ratio", "holds"),
    [
        ("s to rest", 1.10, True), ("s of CPU", 1.11, False), ("ms to the first picture", 0.2, True),
        ("ms to the first picture", 1.2, False), ("pictures/s in the focused one", 0.85, True),
        ("pictures/s", 3.0, True), ("pictures/s in the slowest panel", 0.84, False), ("GB resident", 9.0, None),
    ],
)  # fmt: skip
def test_times_may_not_grow_and_pictures_may_not_get_fewer(unit: str, ratio: float, holds: bool | None) -> None:
    (change,) = changes_of([{"here": {unit: ratio}, "there": {unit: 1.0}}])
    assert change.holds is holds


def test_a_number_beside_its_control_is_shown_and_not_judged() -> None:
    gap = "ms longest gap"
    here, there = {gap: 40.0, gap + CONTROL: 20.0, "s to rest": 1.0}, {gap: 20.0, gap + CONTROL: 10.0, "s to rest": 1.0}
    assert [change.holds for change in changes_of([{"here": here, "there": there}])] == [None, None, True]


def test_zeros_are_equal_and_a_unit_of_one_side_is_left_out() -> None:
    here, there = {"panels": 0.0, "s": 1.0, "new": 1.0}, {"panels": 0.0, "s": 0.0, "old": 1.0}
    changes = changes_of([{"here": here, "there": there}])
    assert [(change.unit, change.ratio) for change in changes] == [("panels", 1.0), ("s", float("inf"))]


def test_lines_say_what_holds() -> None:
    here = {"s to rest": 2.5, "s to pictures": 1.0, "GB": 1.0}
    changes = changes_of([{"here": here, "there": {**here, "s to rest": 2.0, "GB": 2.0}}])
    assert [table_line("open", change) for change in changes] == [
        "| open | s to rest | 2.5 | 2 | 1.25 | **worse** |",
        "| open | s to pictures | 1 | 1 | 1.00 | holds |",
        "| open | GB | 1 | 2 | 0.50 |  |",
    ]
    assert verdict_line("open", changes) == "* open: does not hold (s to rest 1.25)"
    assert verdict_line("open", changes[1:]) == "* open: holds"
    assert verdict_line("open", changes[2:]) == "* open: nothing in it is judged"


OTHER_RUN = """
from types import SimpleNamespace
def all_rows():
    yield "bench_elsewhere", 3, SimpleNamespace(name="one view, cold, M 120")
"""
OTHER_SIDE = """
import json, sys
assert sys.argv[1:] == ["bench_elsewhere", "3", "ours"]
print(json.dumps({"wall": 0.0, "cpu": 1e9, "libraries": ""}))
"""


@pytest.fixture
def other(tmp_path: Path) -> Callable[..., Path]:
    """Makes a checkout with one row, and a program unless told otherwise."""

    def make(*, program: bool = True) -> Path:
        benchmarks = tmp_path / "other" / "tests" / "benchmarks"
        benchmarks.mkdir(parents=True)
        (benchmarks / "run.py").write_text(OTHER_RUN, "utf-8")
        (benchmarks / "side.py").write_text(OTHER_SIDE, "utf-8")
        if program:
            (tmp_path / "other" / "mvexplorer").mkdir()
            (tmp_path / "other" / "mvexplorer" / "__init__.py").touch()
        return tmp_path / "other"

    return make


@pytest.mark.nightly
def test_both_checkouts_are_measured(tmp_path: Path, other: Callable[..., Path]) -> None:
    arguments = ("--against", str(other()), "--pairs", "1", "one view, cold", "t step")
    *table, empty, cold, step = run(tmp_path, "run.py", *arguments, MVEXPLORER_BENCHMARK_SMALL="1").splitlines()
    (cells,) = (line.split(" | ") for line in table[2:])
    assert (cells[:2], cells[3], empty) == (["| one view, cold, M 120", "s of CPU"], "1e+09", "")
    assert cold == "* one view, cold, M 120: holds"
    assert step == "* t step, no solve: not measured, the other checkout has no such row"


def test_a_folder_that_is_no_other_checkout_is_refused_in_a_sentence(
    tmp_path: Path, other: Callable[..., Path]
) -> None:
    root = FOLDER.parents[1]
    for folder, sentence in (
        (tmp_path, f"{tmp_path} is no checkout of mvexplorer: it has no tests/benchmarks/run.py.\n"),
        (root, f"{root} is this checkout itself: name another one.\n"),
    ):
        assert run(tmp_path, "run.py", "--against", str(folder), code=2) == sentence
    refusal = run(tmp_path, "run.py", "--against", str(other(program=False)), code=2)
    assert refusal.count("\n") == 1
    assert refusal.startswith(f"The rows of {tmp_path / 'other'} ")
