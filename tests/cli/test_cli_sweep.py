"""`mvexplorer sweep`: the table of the window and of scripts, as a file; what cannot be read is told in a sentence."""

import csv
import os

import numpy as np
import polars as pl
import pytest

import mvexplorer as mvx
from mvexplorer.cli import main
from mvexplorer.compute.batch import sweep_path
from mvexplorer.compute.batch.sweep_table import csv_text
from mvexplorer.state.batches.sweeper import Sweeper
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.pictures.controller import Controller

SAMPLE = "circles"


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch):
    monkeypatch.setattr(os, "environ", dict(os.environ))


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """A command in a folder of its own: exit code and what is on stderr."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        code = main(["sweep", *arguments])
        return code, capsys.readouterr().err

    return call


def of_window(axis, values, epsilon, **params):
    """The window's CSV for three panels of the sample."""
    data, document = mvx.load(SAMPLE), Document()
    state = commands.initial_state(data, (SAMPLE,), None, False)
    panels = tuple(commands.new_panel(m, f"p{i}") for i, m in enumerate(("kernel-sum", "multiview", "pca"), start=1))
    state = state.model_copy(update={"panels": panels, "params": {**state.params, **params}})
    for view in data.view_names:
        state = state.with_view(view, epsilon=epsilon)
    controller = Controller(document)
    sweeper = Sweeper(controller)
    document.reset(state, data)
    sweeper.start(values, axis, resamples=1)
    assert controller.wait_idle(60.0)
    controller.shutdown()
    assert (sweeper.running, sweeper.problems) == (False, {})
    return csv_text(sweeper.columns, sweeper.table())


def cells(text):
    """Header and rows, numbers as such."""

    def plain(value):
        try:
            return [float(part) for part in value.split(",")]
        except ValueError:
            return value

    head, *rows = csv.reader(text.splitlines())
    return head, [[plain(value) for value in row] for row in rows]


@pytest.mark.parametrize(
    ("axis", "span", "values"),
    [("epsilon_scale", "0.5:2:3:log", (0.5, 1.0, 2.0)),
     pytest.param("t", "1:4:9:log", (1, 2, 3, 4), marks=pytest.mark.nightly),
     pytest.param("eta", "0:1:3", (0.0, 0.5, 1.0), marks=pytest.mark.nightly),
     pytest.param("epsilon:view2", "1:3:2", (1.0, 3.0), marks=pytest.mark.nightly)],
)  # fmt: skip
def test_window_script_and_command_line_give_the_same_table(run, tmp_path, axis, span, values):
    given = ("--set", "epsilon=median", "--set", "n_components=3", "--resamples", "1", "--out", "a.csv")
    code, said = run(SAMPLE, "--method", "kernel-sum,multiview,pca", "--grid", f"{axis}={span}", *given)
    assert (code, said) == (0, f"a.csv: {len(values) * 3 * 2} rows, 11 columns\n")
    ours = cells((tmp_path / "a.csv").read_text("utf-8"))
    window = cells(of_window(axis, values, "median", n_components=3))
    frame = mvx.sweep(
        mvx.load(SAMPLE),
        ["kernel-sum", "multiview", "pca"],
        {axis: values},
        epsilon="median",
        n_components=3,
        resamples=1,
    )
    script = cells(csv_text(frame.columns, frame.rows()))
    for other in (window, script):
        assert other[0] == ours[0]
        assert len(other[1]) == len(ours[1])
        for one, same in zip(ours[1], other[1], strict=True):
            assert one == [pytest.approx(value, abs=1e-9) if isinstance(value, list) else value for value in same]


def test_a_product_grid_as_parquet(run, tmp_path):
    grids = ("--grid", "eta=0:0.5:2", "--grid", "epsilon_scale=0.5:2:3:log")
    code, _ = run(SAMPLE, "--method", "multiview", *grids, "--score", "knn", "--out", "b.parquet")
    found = pl.read_parquet(tmp_path / "b.parquet")
    assert code == 0
    assert found.columns == ["eta", "epsilon_scale", "method", "views", "epsilon", "resample", "knn"]
    assert found.select("eta", "epsilon_scale").rows() == [(e, f) for e in (0.0, 0.5) for f in (0.5, 1.0, 2.0)]
    assert found["epsilon"].dtype == pl.List(pl.Float64)


def test_settings_of_one_method_and_views(run, tmp_path):
    code, said = run(
        SAMPLE, "--method", "single,multiview", "--grid", "t=1:2:2", "--set", "multiview.epsilon=2",
        "--set", "single.view=view2", "--set", "eta=0.5", "--score", "knn", "--out", "c.csv",
    )  # fmt: skip
    assert (code, said) == (0, "c.csv: 4 rows, 6 columns\n")
    rows = list(csv.DictReader((tmp_path / "c.csv").read_text().splitlines()))
    assert [row["views"] for row in rows] == ["view2", "view2", "view1,view2", "view1,view2"]
    assert rows[2]["epsilon"] == "2.0,2.0"
    assert rows[0]["epsilon"] != "2.0"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_is_true_or_false_is_swept_by_words_and_taken_up_again(run, tmp_path, ending):
    arguments = SAMPLE, "--method", "kernel-sum", "--score", "knn", "--out", f"d.{ending}"
    code, said = run(*arguments, "--grid", "unit_rows=true,false")
    assert (code, said) == (0, f"d.{ending}: 2 rows, 6 columns\n")
    assert run(*arguments, "--grid", "unit_rows=true,false") == (code, said)
    found = pl.read_parquet(tmp_path / "d.parquet") if ending == "parquet" else pl.read_csv(tmp_path / "d.csv")
    assert [str(value).lower() for value in found["unit_rows"]] == ["true", "false"]
    code, said = run(*arguments, "--grid", "unit_rows=true")
    assert code == 2
    assert "it has a row of kernel-sum at unit_rows False" in said


ASK = (SAMPLE, "--method", "multiview", "--out", "x.csv")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [((*ASK, "--grid", "gamma=0:1:3"), "There is nothing to sweep called gamma. Names of a grid: epsilon_scale, "
      "epsilon:view1, epsilon:view2, n_components, t, delta, alpha, eta, self_loops, normalisation, unit_rows, "
      "view_weight:view1, view_weight:view2, kernel, metric."),
     ((*ASK, "--grid", "eta=0-1"), "--grid eta=0-1 cannot be read. Write it as name=from:to:count, or "
      "name=from:to:count:log."),
     ((*ASK, "--grid", "eta=0:1:x"), "--grid eta=0:1:x cannot be read."),
     ((*ASK, "--grid", "eta"), "--grid eta has no values."),
     ((*ASK, "--grid", "eta=0:1:5:log"), "--grid eta=0:1:5:log has no logarithmic steps: 0 has no logarithm."),
     ((*ASK, "--grid", "eta=0:1:0"), "--grid eta=0:1:0 asks for 0 values. Ask for 1 to 1000."),
     ((*ASK, "--grid", "eta=0:1:100000"), "asks for 100000 values."),
     ((*ASK, "--grid", "eta=0:2:3"), "Within-view weight (η) cannot be 2. Give numbers from 0 to 1."),
     ((*ASK, "--grid", "unit_rows=true,perhaps"), "Unit rows cannot be 'perhaps'. Give true or false."),
     ((*ASK, "--grid", "t=1:2.5:3"), "Diffusion time (t) cannot be 2.5."),
     ((*ASK, "--grid", "epsilon_scale=nan:2:3"), "Factor on all ε cannot be nan."),
     ((*ASK, "--grid", "eta=0:1:2", "--grid", "eta=0:1:3"), "--grid eta is given twice. Give each name once."),
     ((*ASK, "--grid", "eta=0:1:2", "--score", "mni"), "There is no score called mni. Scores: nmi, knn"),
     ((*ASK, "--grid", "eta=0:1:2", "--set", "etta=1"), "No method has a parameter called etta."),
     ((*ASK, "--grid", "eta=0:1:2", "--resamples", "-1"), "There cannot be -1 resamplings."),
     ((SAMPLE, "--method", "a", "--out", "x.csv", "--grid", "eta=0:1:2"), "There is no method called “a”."),
     ((SAMPLE, "--method", "multiview", "--grid", "t=1:2:2", "--out", "x.txt"), "Scores cannot be written as “x.txt”. "
      "End the file's name in .csv or .parquet."),
     ((SAMPLE, "--method", "multiview", "--out", "x.csv"), "The following arguments are required: --grid."),
     ((SAMPLE, "--method", "tensor-cca", "--out", "x.csv", "--grid", "t=1:2:2"), "Tensor CCA needs at least 3")],
)  # fmt: skip
def test_bad_input_is_one_sentence_and_exit_code_2(run, tmp_path, arguments, sentence):
    code, said = run(*arguments)
    assert code == 2
    assert said.startswith(f"mvexplorer: {sentence}") or sentence in said
    assert said.count("\n") == 1
    assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_keeps_the_rows_so_far(run, tmp_path, monkeypatch):
    from mvexplorer.state.batches import grid_sweep

    heard = []

    def interrupted(self, number, piece, arrived=grid_sweep.GridSweep._arrived):
        arrived(self, number, piece)
        heard.append(piece)
        if len(heard) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(grid_sweep.GridSweep, "_arrived", interrupted)
    code, said = run(SAMPLE, "--method", "multiview", "--grid", "eta=0:1:7", "--score", "knn", "--out", "d.csv")
    assert code == 130
    told = "The 3 rows so far were written to d.csv: the same command goes on from there."
    assert said == f"mvexplorer: {told}\nmvexplorer: Interrupted.\n"
    assert len((tmp_path / "d.csv").read_text().splitlines()) == 1 + 3


def test_a_cell_that_fails_is_told(run, tmp_path, monkeypatch):
    compute = sweep_path.run_request

    def sometimes(request, cache, task):
        if dict(request.params)["eta"] == 0.5:
            raise mvx.errors.ComputeError("It did not converge.", "Enlarge ε.")
        return compute(request, cache, task)

    monkeypatch.setattr(sweep_path, "run_request", sometimes)
    code, said = run(SAMPLE, "--method", "multiview", "--grid", "eta=0:1:3", "--score", "knn", "--out", "e.csv")
    assert code == 0
    assert "Multi-view failed in 1 computation, which has no row: It did not converge. Enlarge ε." in said
    rows = list(csv.DictReader((tmp_path / "e.csv").read_text().splitlines()))
    assert [float(row["eta"]) for row in rows] == [0.0, 1.0]
    assert np.isfinite([float(row["knn"]) for row in rows]).all()
