"""`mvexplorer compare --figure`: a figure for print, of the panels that are named, and refusals in a sentence."""

import json

import numpy as np
import pytest
from figure_facts import pdf_words, size_in_mm, svg_type

from mvexplorer.cli import main

CHOSEN = ["compare", "a.npy", "b.npy", "--methods", "single,multiview,pca", "--out"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two views of 60 samples."""
    made = tmp_path_factory.mktemp("figure")
    drawn = np.random.default_rng(2)
    for name in ("a", "b"):
        np.save(made / f"{name}.npy", drawn.normal(size=(60, 3)))
    return made


@pytest.fixture
def run(folder, monkeypatch, capsys):
    """The command in this process: what it printed and complained of."""
    monkeypatch.chdir(folder)

    def run(*arguments, code=0):
        assert main([*arguments]) == code
        return capsys.readouterr()

    return run


def test_a_figure_of_some_panels_is_written(run, folder):
    told = run(*CHOSEN, "f.pdf", "--figure", "page", "--letters", "--panels", "p4,p1", "--json")
    assert [panel["id"] for panel in json.loads(told.out)["panels"]] == ["p1", "p2", "p3", "p4"]
    assert size_in_mm(folder / "f.pdf")[0] == pytest.approx(178.0, abs=0.1)
    words = "".join(pdf_words(folder / "f.pdf").split())
    assert "aPCA" in words
    assert "bSingle·a" in words
    assert "Multi-view" not in words


def test_letters_and_type_size_are_those_asked_for(run, folder):
    run(*CHOSEN, "f.svg", "--figure", "column", "--type-size", "10")
    assert size_in_mm(folder / "f.svg")[0] == pytest.approx(85.0, abs=0.1)
    runs = svg_type(folder / "f.svg")
    assert max(size for _, size in runs) == pytest.approx(10.0, abs=0.05)
    texts = "".join("".join(text for text, _ in runs).split())
    assert "Single·aψ" in texts or texts.startswith("Single·a")


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--letters"], "--letters needs --figure. Add --figure column, page, slide, or leave it out."),
        (["--panels", "p1"], "--panels needs --figure."),
        (["--type-size", "8"], "--type-size needs --figure."),
        (["--figure", "slide", "--type-size", "8"], "Type of 8 pt suits no figure for slide 16:9. Give 10 to 40 pt."),
        (["--figure", "page", "--panels", "p1,p7"], "There is no panel “p7”; there are p1, p2, p3, p4."),
        (["--figure", "page", "--panels", ","], "No panel is named; there are p1, p2, p3, p4."),
        (["--figure", "page", "--theme", "dark"], "A figure is printed on white. Leave --figure or --theme dark out."),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(run, folder, flags, said):
    told = run(*CHOSEN, "none.pdf", *flags, code=2)
    assert said in told.err
    assert len(told.err.splitlines()) == 1
    assert told.out == ""
    assert not (folder / "none.pdf").exists()


def test_a_figure_is_no_web_page(run):
    told = run(*CHOSEN, "none.html", "--figure", "page", code=2)
    assert "A figure is no web page. Leave --figure out, or end --out in .png, .svg or .pdf." in told.err
