"""Pages in which ε moves, from the command line: what is written, and what is refused before anything is computed."""

import re

import numpy as np
import pytest
from live_reader import read

from mvexplorer.cli import comparing, main
from mvexplorer.engine.core.task import Task


def test_a_live_page_is_written(tmp_path, capsys):
    rng = np.random.default_rng(0)
    angle = np.linspace(0.0, 6.0, 60)
    for name in ("left", "right"):
        X = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.02 * rng.standard_normal((60, 2))
        np.savetxt(tmp_path / f"{name}.csv", X, delimiter=",", header="a,b", comments="")
    files = [str(tmp_path / f"{name}.csv") for name in ("left", "right")]
    out = tmp_path / "page.html"
    assert (
        main(["compare", *files, "--methods", "kernel-sum,alternating", "--out", str(out), "--live", "--live-3d"]) == 0
    )
    header, panels = read(re.search(r'id="live-data">(.*?)</script>', out.read_text("utf-8"))[1])
    assert header["M"] == 60
    assert [*panels] == ["p1", "p2"]
    assert "stops" in panels["p2"]
    assert panels["p1"]["solid"]["frames"].shape[2] == panels["p2"]["solid"]["points"].shape[2] == 3
    assert header["etas"] == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["helix-a", "--out", "a.png", "--live"], "--live is of web pages. End the name after --out in .html"),
        (["helix-a", "--out", "a.html", "--live-eta"], "--live-eta needs --live. Add --live, or leave"),
        (
            ["big.csv", "--out", "a.html", "--live"],
            "ε can be moved on pages of at most 5,000 samples; these are 5,001.",
        ),
    ],
)
def test_refusals_are_one_sentence_and_leave_nothing(arguments, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    np.savetxt("big.csv", np.random.default_rng(0).normal(size=(5_001, 2)), delimiter=",", header="a,b", comments="")
    assert main(["compare", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error
    assert [path.name for path in tmp_path.iterdir()] == ["big.csv"]


def test_ctrl_c_while_pictures_over_epsilon_are_made_leaves_the_file_as_it_was(tmp_path, monkeypatch, capsys):
    reached = []

    def interrupt(share):
        reached.append(share)
        if share > 0.1:
            raise KeyboardInterrupt  # as the signal does, which workers of tests ignore

    np.savetxt(tmp_path / "x.csv", np.random.default_rng(0).normal(size=(40, 3)), delimiter=",")
    out = tmp_path / "page.html"
    out.write_text("what was there")
    command = [
        "compare",
        *[str(tmp_path / "x.csv")] * 2,
        "--methods",
        "multiview",
        "--out",
        str(out),
        "--live",
        "--live-eta",
    ]
    monkeypatch.setattr(comparing, "computing_task", lambda: Task(interrupt))
    assert main(command) == 130
    assert 0.1 < reached[-1] < 1.0
    assert capsys.readouterr().err.endswith("mvexplorer: Interrupted.\n")
    assert out.read_text() == "what was there"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.html", "x.csv"]
