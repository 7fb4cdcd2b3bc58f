"""`mvexplorer experiments run --out`: pictures and a page, in a folder that nothing else lives in; what goes wrong."""

import io
import json
import os
import sys
from dataclasses import replace

import pytest
from browser import browser as start_browser
from browser import need_browser

from mvexplorer.cli import main
from mvexplorer.errors import DataError
from mvexplorer.experiments import table
from mvexplorer.experiments.experiment import Bar, ExperimentResult, Source
from mvexplorer.experiments.figures import tabled
from mvexplorer.experiments.lindenbaum2015.fig1 import EXPERIMENT
from mvexplorer.experiments.results_folder import open_results

HOSTILE = "<script>document.title = 'taken'</script> & <b>"
PICTURE = tabled(HOSTILE, ("a",), (("1",),))
REACHED, MISSED = Bar("one", 0.9, at_least=0.5, null=(0.1, 0.3)), Bar("two", float("nan"), at_least=0.5)


def good(run):
    return ExperimentResult((REACHED,), (PICTURE,))


def half(run):
    return ExperimentResult((REACHED, MISSED), (PICTURE, PICTURE))


def missing(run):
    return ExperimentResult((Bar("one", float(Source(sample="gone").load().n_samples), at_least=0.5),))


GOOD = replace(EXPERIMENT, id="lindenbaum2015-good", measure=good)
HALF = replace(EXPERIMENT, id="yair2016-half", paper="yair2016", title=HOSTILE, why="It is torn.", measure=half)
WITHOUT_DATA = replace(EXPERIMENT, id="yair2016-gone", paper="yair2016", why="It is torn.", measure=missing)


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch):
    monkeypatch.setattr(os, "environ", dict(os.environ))


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run small experiments in a folder of their own: exit code, and what is on stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(table, "EXPERIMENTS", (GOOD, WITHOUT_DATA, HALF))

    def call(*arguments):
        code = main(["experiments", "run", *arguments])
        return code, *capsys.readouterr()

    return call


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_pictures_and_a_page_are_written_and_written_anew(run, tmp_path):
    code, _, err = run(GOOD.id, HALF.id, "--out", "out")
    out = tmp_path / "out"
    assert (code, err) == (0, "out/index.html\n")
    pictures = [f"pictures/{name}{dark}.png" for name in (f"{GOOD.id}-1", f"{HALF.id}-1", f"{HALF.id}-2")
                for dark in ("-dark", "")]  # fmt: skip
    assert files(out) == ["experiments.json", "index.html", *pictures]
    told = json.loads((out / "experiments.json").read_text("utf-8"))
    assert told["form"] == "quick"
    assert [row["verdict"] for row in told["experiments"]] == ["reproduces", "in part"]
    (out / "pictures" / "mine.png").write_bytes(b"mine")
    assert run(GOOD.id, "--out", "out")[0] == 0
    assert files(out) == ["experiments.json", "index.html", *pictures[:2], "pictures/mine.png"]


def test_a_folder_with_other_files_is_refused_and_stays(run, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("mine")
    code, out, err = run(GOOD.id, "--out", "out")
    assert (code, out) == (2, "")
    assert err == "mvexplorer: The folder out holds other files. Choose a new folder, or an empty one.\n"
    assert files(tmp_path) == ["out/thesis.txt"]


def test_a_folder_that_leads_elsewhere_is_not_emptied(tmp_path):
    open_results(tmp_path / "out")
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "a-1.png").write_bytes(b"mine")
    (tmp_path / "out" / "pictures").rmdir()
    (tmp_path / "out" / "pictures").symlink_to(tmp_path / "else")
    with pytest.raises(DataError, match="holds other files"):
        open_results(tmp_path / "out")
    assert (tmp_path / "else" / "a-1.png").exists()


def test_a_file_in_the_way_is_refused(run, tmp_path):
    (tmp_path / "out").write_text("mine")
    code, out, err = run(GOOD.id, "--out", "out")
    assert (code, out) == (2, "")
    assert err.startswith("mvexplorer: The folder out cannot be made: file exists.")
    assert (tmp_path / "out").read_text() == "mine"


def test_a_folder_that_may_not_be_written_is_refused(run, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    code, out, err = run(GOOD.id, "--out", "out")
    assert (code, out) == (2, "")
    assert err.startswith("mvexplorer: The folder out cannot be made: permission denied.")
    assert not files(tmp_path)


def test_an_unknown_id_is_told_before_the_folder_is_touched(run, tmp_path):
    code, _, err = run("lindenbaum2015-goood", "--out", "out")
    assert code == 2
    assert "Do you mean lindenbaum2015-good?" in err
    assert not (tmp_path / "out").exists()


def test_an_experiment_without_its_data_is_marked_and_the_rest_goes_on(run, tmp_path):
    code, out, err = run("--out", "out")
    assert code == 2
    assert err.startswith(
        "out/index.html\nmvexplorer: 1 experiment of 3 gave no result: There is no sample called “gone”."
    )
    assert "yair2016-gone: not computed. There is no sample called “gone”." in out
    assert "yair2016-half: in part" in out
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert "3 figures and tables. The papers’ claims: 1 reproduces, 1 in part, 1 not computed." in page
    assert page.count("There is no sample called “gone”.") == 1
    code, out, _ = run("--json")
    assert code == 2
    rows = json.loads(out)
    assert [row["verdict"] for row in rows] == ["reproduces", None, "in part"]
    assert rows[2]["bars"][1]["value"] is None


def test_what_no_paper_claims_is_marked_and_counted_apart(run, tmp_path, monkeypatch):
    identity = replace(GOOD, id="lindenbaum2015-same", kind="identity")
    own = replace(HALF, paper=None, figure="a test of ours", kind="ours")
    monkeypatch.setattr(table, "EXPERIMENTS", (GOOD, identity, own))
    code, out, _ = run("--out", "out")
    assert code == 0
    assert "lindenbaum2015-same: reproduces (identity, " in out
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    counts = "The papers’ claims: 1 reproduces. Our own: 1 in part. Identities: 1 reproduces."
    assert f"3 figures and tables. {counts}" in page
    assert page.count("figure\N{NO-BREAK SPACE}1 · identity<") == 1  # in the overview
    assert page.count("Our own, a\N{NO-BREAK SPACE}test of ours<") == 1
    assert page.count('data-paper="ours"') == 2


def test_a_claim_has_its_paper():
    with pytest.raises(ValueError, match="claims what no paper says"):
        replace(GOOD, paper=None)


def test_an_interrupted_run_keeps_its_page_and_goes_on(run, tmp_path, monkeypatch):
    computed, stop = [], [2]

    def cell(number):
        if number in stop:
            raise KeyboardInterrupt
        computed.append(number)
        return float(number)

    def slow(run):
        return ExperimentResult((Bar("sum", sum(run.each("cells", range(4), cell)), at_least=6.0),), (PICTURE,))

    monkeypatch.setattr(table, "EXPERIMENTS", (GOOD, replace(HALF, measure=slow)))
    code, out, err = run("--full", "--out", "out")
    assert (code, err) == (130, "mvexplorer: Interrupted.\n")
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert "2 figures and tables. The papers’ claims: 1 reproduces, 1 not computed." in page
    assert "The run had not come to it." in page
    stop.clear()
    code, out, _ = run("--full", "--out", "out")
    assert code == 0
    assert "yair2016-half: reproduces" in out
    assert computed == [0, 1, 2, 3]


def test_a_terminal_shows_how_far_it_is(run, monkeypatch, capsys):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    assert run(GOOD.id, HALF.id)[0] == 0
    assert "\r  0 %  2 of 2, yair2016-half" in sys.stderr.getvalue()
    assert sys.stderr.getvalue().endswith("\r\033[K")


@pytest.fixture
def tab():
    need_browser()
    with start_browser() as found:
        yield found


@pytest.mark.nightly
def test_the_page_in_a_browser(run, tmp_path, tab):
    assert run("--out", "out")[0] == 2
    tab.open(tmp_path / "out" / "index.html")
    assert (tab.errors, tab.run("return document.title")) == ([], "The papers as a gallery")
    assert all(address.startswith(("file:", "data:")) for address in tab.requests)
    assert "<script>" in tab.run("return document.querySelector('#yair2016-half h2').textContent")
    assert "✗ missed" in tab.run("return document.querySelector('#yair2016-half').textContent")
    assert "0.100 to 0.300" in tab.run("return document.querySelector('#yair2016-half').textContent")
    assert "It is torn." in tab.run("return document.querySelector('#yair2016-half').textContent")
    assert "It is torn." not in tab.run("return document.querySelector('#yair2016-gone').textContent")
    images = "return [...document.images].map((image) => [image.currentSrc.split('/').pop(), image.naturalWidth])"
    light = tab.run(images)
    assert {width for _, width in light} == {1280}
    assert not any("dark" in name for name, _ in light)
    tab.prefer("dark")
    tab.rest()
    assert all("dark" in name for name, _ in tab.run(images))
    assert tab.run("return getComputedStyle(document.body).backgroundColor") == "rgb(21, 23, 27)"
    shown = "return [...document.querySelectorAll('article')].filter((a) => !a.hidden).map((a) => a.id)"
    press = "document.querySelector(`#filter [data-value='${arguments[0]}']`).click()"
    tab.run(press, "yair2016")
    assert tab.run(shown) == [WITHOUT_DATA.id, HALF.id]
    assert tab.text("count") == "2 of 3 shown"
    tab.run(press, "in part")
    assert tab.run(shown) == [HALF.id]
    tab.run(press, "lindenbaum2015")
    assert tab.run(shown) == []
    tab.run("document.querySelectorAll('#filter [data-value=\"\"]').forEach((all) => all.click())")
    assert len(tab.run(shown)) == 3
    assert tab.errors == []
