"""`mvexplorer sweep` goes on where it stopped, and leaves alone what belongs to another sweep."""

import os
import re
from contextlib import contextmanager

import polars as pl
import pytest

from mvexplorer.cli import main, sweeping
from mvexplorer.state.batches.grid_sweep import GridSweep

GRID = ("--grid", "eta=0:1:5")


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch):
    monkeypatch.setattr(os, "environ", dict(os.environ))


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """The command in a folder of its own: exit code and what is on stderr."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments, source="circles", method="multiview", out="a.csv"):
        code = main(["sweep", source, "--method", method, "--score", "knn", "--out", out, *arguments])
        return code, capsys.readouterr().err

    return call


@contextmanager
def counted(stop_after=None):
    """The cells that arrive meanwhile; Ctrl+C is pressed after so many."""
    seen, arrived = [], GridSweep._arrived

    def counting(self, number, piece):
        if (number, piece[0]) not in seen:
            seen.append((number, piece[0]))
        arrived(self, number, piece)
        if len(seen) == stop_after:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GridSweep, "_arrived", counting)
        yield seen


def interrupted(run, *arguments, cells=3, **more):
    with counted(cells):
        assert run(*arguments, **more)[0] == 130


def table(path):
    return pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path)


@pytest.mark.parametrize("out", ["a.csv", "a.parquet"])
def test_an_interrupted_sweep_goes_on_where_it_stopped(run, tmp_path, out):
    interrupted(run, *GRID, out=out)
    assert sorted(os.listdir()) == [out, f"{out}.unfinished"]
    assert len(table(tmp_path / out)) == 3
    with counted() as cells:
        code, said = run(*GRID, out=out)
    assert (code, len(cells)) == (0, 2)
    there = f"mvexplorer: {out} has 3 rows already: the sweep goes on from there.\n"
    assert said == f"{there}{out}: 5 rows, 6 columns\n"
    assert run(*GRID, out=f"whole-{out}")[0] == 0
    assert table(tmp_path / out).equals(table(tmp_path / f"whole-{out}"))
    assert sorted(os.listdir()) == sorted([out, f"whole-{out}"])


def test_random_parts_and_several_methods_go_on(run, tmp_path):
    given = ("--grid", "epsilon_scale=0.5:2:2:log", "--grid", "eta=0:1:2", "--resamples", "1")
    methods = "multiview,kernel-sum"
    interrupted(run, *given, method=methods, cells=4)
    with counted() as cells:
        assert run(*given, method=methods)[0] == 0
    assert 0 < len(cells) < 16 - 3
    assert run(*given, method=methods, out="whole.csv")[0] == 0
    found, whole = table(tmp_path / "a.csv"), table(tmp_path / "whole.csv")
    assert found.drop("epsilon", "knn").equals(whole.drop("epsilon", "knn"))
    assert found["knn"].to_list() == pytest.approx(whole["knn"].to_list(), abs=1e-10)


@pytest.mark.parametrize(
    ("what", "arguments", "more"),
    [("another grid", ("--grid", "eta=0:1:4"), {}), ("other settings", (*GRID, "--set", "epsilon=2"), {}),
     ("other settings", (*GRID, "--random-state", "1"), {}), ("other data", (*GRID, "--preprocess", "zscore"), {}),
     ("other settings", GRID, {"method": "multiview,kernel-sum"}), ("other scores", (*GRID, "--score", "nmi,knn"), {})],
)  # fmt: skip
def test_an_unfinished_table_of_another_sweep_is_refused(run, tmp_path, what, arguments, more):
    interrupted(run, *GRID)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    code, said = run(*arguments, **more)
    assert code == 2
    assert said == (
        f"mvexplorer: “a.csv” is the unfinished table of a sweep with {what}. Finish it by its own command, choose "
        "another name, or delete it and “a.csv.unfinished”.\n"
    )
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("eta,method,views,epsilon,resample,knn\n0.25,multiview,a,1.0,0,0.5\n", "it has a row of multiview at eta 0.25."),
     ("eta,method,views,epsilon,resample,knn\n0.0,jade,a,1.0,0,0.5\n", "it has a row of jade at eta 0."),
     ("t,method,views,epsilon,resample,knn\n", "its columns are t, method, views, epsilon, resample, knn."),
     ("my notes\n", "its columns are my notes."), ("", "it cannot be read as a table of a sweep."),
     ("eta,method,views,epsilon,resample,knn\n0.0,jade\n", "it cannot be read as a table of a sweep."),
     ("eta,method,views,epsilon,resample,knn\nx,jade,a,1,0,1\n", "it cannot be read as a table of a sweep.")],
)  # fmt: skip
def test_a_file_of_something_else_is_left_alone(run, tmp_path, text, sentence):
    (tmp_path / "a.csv").write_text(text)
    code, said = run("--grid", "eta=0:1:3")
    assert (code, said) == (
        2, f"mvexplorer: “a.csv” belongs to something else: {sentence} Choose another name, or delete it.\n"
    )  # fmt: skip
    assert (tmp_path / "a.csv").read_text() == text
    assert os.listdir() == ["a.csv"]


def test_a_finished_table_of_the_same_grid_is_made_anew(run, tmp_path):
    assert run(*GRID)[0] == 0
    first = (tmp_path / "a.csv").read_text()
    with counted() as cells:
        assert run(*GRID)[0] == 0
    assert len(cells) == 5
    assert (tmp_path / "a.csv").read_text() == first


def test_rows_are_kept_while_a_sweep_runs(run, tmp_path, monkeypatch):
    """Nothing but the table on the disk is left of a computer that was switched off."""
    monkeypatch.setattr(sweeping, "EVERY", 0.0)
    monkeypatch.setattr(sweeping, "SHARE", 1e9)

    class SwitchedOff(BaseException):
        pass

    def off(self, number, found):
        raise SwitchedOff

    monkeypatch.setattr(GridSweep, "_ended", off)
    with pytest.raises(SwitchedOff):
        run(*GRID)
    assert len(table(tmp_path / "a.csv")) == 5
    monkeypatch.undo()
    os.chdir(tmp_path)
    with counted() as cells:
        assert run(*GRID)[0] == 0
    assert cells == []


def test_the_time_of_a_huge_grid_is_told_first(run, monkeypatch):
    def stop(self, processes):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(GridSweep, "_jobs", stop)
    code, said = run("--grid", "eta=0:1:1000", "--grid", "epsilon_scale=0.1:10:1000:log", "--grid", "alpha=0:1:10")
    assert code == 130
    assert re.match(r"mvexplorer: 10,000,000 cells: about [\d,]+ (h|days) on this computer\. Ctrl\+C keeps", said)
    assert os.listdir() == []
