"""Where PySide6 and pyqtgraph are missing, all commands but those of the window work, and these say what they need."""

import csv
import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import core_commands
import numpy as np
import pytest
from command import environment
from PIL import Image

from mvexplorer.ui.runtime.platform_check import NO_QT

SENTENCE = "The window needs PySide6 and pyqtgraph: python -m pip install PySide6-Essentials pyqtgraph"
SAMPLES = 40


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """The folder in which all commands were run in one process without Qt, and what came of each."""
    folder = tmp_path_factory.mktemp("core")
    drawn = np.random.default_rng(4)
    for name in ("a", "b"):
        rows = [f"s{i},{'xy'[i % 2]},{a:.6f},{b:.6f}" for i, (a, b) in enumerate(drawn.normal(size=(SAMPLES, 2)))]
        (folder / f"{name}.csv").write_text("\n".join(["id,kind,u,v", *rows]))
    child = subprocess.run(
        [sys.executable, core_commands.__file__, str(folder), "--blocked"],
        env=environment(folder), capture_output=True, encoding="utf-8", timeout=250, check=False,
    )  # fmt: skip
    assert child.returncode == 0, child.stderr
    return folder, json.loads(child.stdout)


def test_no_module_of_qt_is_loaded(done):
    assert not set(core_commands.WINDOW) & set(done[1]["loaded"])


@pytest.mark.parametrize("name", [name for name in core_commands.COMMANDS if name != "doctor"])
def test_each_command_works(done, name):
    told = done[1]["results"][name]
    assert told["code"] == 0, told["err"]


@pytest.mark.parametrize("name", [name for name in core_commands.REFUSED if name not in ("pdf", "figure")])
def test_what_needs_the_window_says_how_to_install_it(done, name):
    assert NO_QT == SENTENCE
    told = done[1]["results"][name]
    assert (told["code"], told["out"], told["err"]) == (2, "", f"mvexplorer: {SENTENCE}\n")


def test_a_window_asked_for_in_python_is_refused_by_that_sentence_alone(tmp_path):
    # The window is a process of its own, which has to lack Qt as well.
    there = f"import sys; sys.path.append({str(Path(core_commands.__file__).parent)!r})"
    blocked = f"{there}; from core_commands import Blocked; sys.meta_path.insert(0, Blocked())"
    (tmp_path / "sitecustomize.py").write_text(blocked, "utf-8")
    child = subprocess.run(
        [sys.executable, "-c", core_commands.SHOW],
        env=environment(tmp_path, tmp_path), capture_output=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip
    assert (child.returncode, child.stdout, child.stderr) == (0, f"{SENTENCE}\n", "")


@pytest.mark.parametrize(("name", "what"), [("pdf", "A PDF"), ("figure", "A figure for print")])
def test_print_is_refused_in_one_sentence_that_names_the_ways(done, name, what):
    told = done[1]["results"][name]
    assert told["code"] == 2
    assert told["err"] == (
        f"mvexplorer: {what} is painted by the window, which is not installed. Write the picture as .png or .svg "
        "without --figure, or install the window: python -m pip install PySide6-Essentials pyqtgraph\n"
    )


def test_the_table_has_a_row_a_sample_with_each_panels_coordinates(done):
    head, *rows = csv.reader((done[0] / "c.csv").read_text("utf-8").splitlines())
    assert head[:2] == ["id", "label"]
    assert {name.partition(":")[0] for name in head[2:]} == {"p1-single-a", "p2-single-b", "p3-multiview"}
    assert [row[:2] for row in rows] == [[f"s{i}", "xy"[i % 2]] for i in range(SAMPLES)]
    assert np.isfinite(np.array([row[2:] for row in rows], dtype=float)).all()


def test_the_file_of_facts_is_what_json_prints(done):
    facts = json.loads((done[0] / "c.json").read_text("utf-8"))
    assert facts == json.loads(done[1]["results"]["facts"]["out"])
    assert [panel["method"] for panel in facts["panels"]] == ["single", "single", "multiview"]
    assert len(facts["agreement"]["matrix"]) == 3


def test_the_page_is_whole(done):
    page = (done[0] / "c.html").read_text("utf-8")
    assert page.rstrip().endswith("</html>")
    assert '"title":"Multi-view"' in page


def test_the_png_holds_its_record_and_points_of_both_classes(done):
    with Image.open(done[0] / "c.png") as picture:
        record = json.loads(picture.text["mvexplorer"])
        colours = {colour for _, colour in picture.convert("RGB").getcolors(1 << 20)}
    assert [panel["title"] for panel in record["panels"]] == ["Single · a", "Single · b", "Multi-view"]
    assert record["caption"].startswith("Single · a: Single view of a")
    assert {(0x1F, 0x73, 0xDC), (0xCF, 0x82, 0x19)} <= colours


def test_the_svg_has_titles_scores_legend_caption_and_a_disc_a_sample_and_panel(done):
    root = ElementTree.parse(done[0] / "c.svg").getroot()
    space = "{http://www.w3.org/2000/svg}"
    words = [each.text for each in root.iter(f"{space}text")]
    assert {"Single · a", "Single · b", "Multi-view", "kind", "x (20)", "y (20)"} <= set(words)
    assert any(word.startswith("NMI .") for word in words)
    assert any(word.startswith("a.csv, b.csv: 40 samples") for word in words)
    assert len(list(root.iter(f"{space}circle"))) == 3 * SAMPLES + 2
    assert json.loads(root.find(f"{space}desc").text)["samples"] == SAMPLES


def test_experiments_are_written_with_a_word_about_their_pictures(done):
    told = done[1]["results"]["experiment"]
    assert f"The pictures are left out. {SENTENCE}" in told["err"]
    page = (done[0] / "figures" / "index.html").read_text("utf-8")
    assert "The pictures are left out: Qt, which paints them, is not installed." in page
    assert "<img" not in page


def test_the_script_names_every_panel(done):
    assert Path(done[0] / "c.py").read_text("utf-8").count("mvx.embed(") == 3
