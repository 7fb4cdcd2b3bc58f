"""Exported pictures: everything the window says stands on them, and in the file."""

import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QFontMetricsF, QImage, QImageReader
from windows import show_fresh, small_data

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import DataError
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document import commands
from mvexplorer.state.export.figure_target import TARGETS
from mvexplorer.state.export.record import epsilon_rule
from mvexplorer.state.pictures.colouring import resolve_colouring
from mvexplorer.ui.cloud.encoding import KEY
from mvexplorer.ui.cloud.picture import Viewport
from mvexplorer.ui.export.figure_layout import FigureLayout
from mvexplorer.ui.export.render import _large, _subtitle, _title, sheet_size, write_picture
from mvexplorer.ui.export.sheet import _details, make_sheet
from mvexplorer.ui.style.palettes import class_colours
from mvexplorer.ui.widgets.export_dialog import ExportDialog

N, CLASSES = 75, 25
LONG = "a class <b>of</b> " + "y" * 200


def many_classes(n_classes=CLASSES):
    drawn = np.random.default_rng(0)
    classes = np.arange(N) % n_classes
    views = {name: drawn.normal(size=(N, 3)) + classes[:, None] for name in ("plain", "scaled")}
    views["plain"][0] += 1e3  # one sample takes a coordinate
    names = [LONG if c == 1 else f"class {c}" for c in classes]
    return MultiView(views, labels=names, preprocess=["none", "zscore"])


@pytest.fixture(scope="module")
def finished():
    """A computed document with an outlier, a pin and a selection."""
    data = many_classes()
    state = commands.initial_state(data, ("memory",), None)
    panels = tuple(commands.new_panel(m, f"p{i}") for i, m in enumerate(("single", "multiview")))
    pinned = panels[1].model_copy(update={"pins": {"eta": 0.3, "epsilon:scaled": 2.5}})
    views = (state.views[0].model_copy(update={"epsilon": "median/9"}), *state.views[1:])
    state = state.model_copy(
        update={"panels": (panels[0], pinned), "views": views, "selection": (0, 1, 26), "epsilon_scale": 2.0}
    )
    return compute(state, data)


def sheet(finished, **changes):
    state = finished.state.model_copy(update=changes)
    colouring = resolve_colouring(state.colour, finished.data, {})
    return make_sheet(state, finished.data, finished.results.__getitem__, "My data", colouring, {})


def words(path):
    """The text of an SVG without spaces: wrapped lines are pieces of their own."""
    root = ElementTree.parse(path).getroot()
    lines = ("".join(node.itertext()) for node in root.iter() if node.tag.endswith("text"))
    return "".join("".join(lines).split())


def test_everything_that_decides_the_picture_stands_on_it(app, finished, tmp_path):
    write_picture(sheet(finished), tmp_path / "a.svg")
    found = words(tmp_path / "a.svg")
    epsilon = finished.results["p0"].result.embedding.epsilon[0]
    told = (
        "My data", "3 selected", f"gaussian kernel, raw: plain ε {epsilon:.3g} (median/9 × 2)", "t 1 r 12",
        "η 0.300 pinned", "gaussian kernel, z-scored: scaled ε 2.50 (set by hand, pinned)",
        "class 0 (1 of 3)", LONG[-10:],
        *({*finished.data.labels} - {LONG}),
    )  # fmt: skip
    assert [text for text in told if "".join(text.split()) not in found] == []
    assert "".join(LONG.split()) not in found


def test_no_view_is_left_out_above_a_small_picture(app, finished, tmp_path):
    views = [f"measurements_of_campaign_{i} ({i})" for i in range(6)] + ["x" * 200]
    subtitle = f"750 samples   views {', '.join(views)}   η 0   t 1   r 12"
    given = replace(sheet(finished), subtitle=subtitle, tiles=sheet(finished).tiles[:1])
    write_picture(given, tmp_path / "a.svg")
    found = words(tmp_path / "a.svg")
    assert all("".join(text.split()) in found for text in (*views[:-1], "η 0 t 1 r 12"))
    assert _subtitle(given)[1].right() <= sheet_size(given).width()
    assert sheet_size(given).height() - sheet_size(replace(given, subtitle="")).height() > 2 * 12


@pytest.mark.parametrize("names", [[f"patients_{what}.csv" for what in ("cell_shape", "largest_cells", "variation")],
                                   ["y" * 90, "z" * 90, "W" * 90], ["<b>&amp;</b>" * 9, "a\nb" * 30]])  # fmt: skip
def test_a_long_heading_takes_the_lines_that_it_needs_on_a_narrow_page(app, finished, tmp_path, names):
    given = replace(sheet(finished), title=", ".join(names), tiles=sheet(finished).tiles[:1])
    write_picture(given, tmp_path / "a.svg")
    box, below, page = _title(given)[1], _subtitle(given)[1], sheet_size(given)
    assert box.right() <= page.width() - 24
    assert box.bottom() <= below.top()
    drawn = {}
    for node in ElementTree.parse(tmp_path / "a.svg").getroot().iter():
        if node.tag.endswith("text") and node.get("font-size") == "21":
            drawn["".join(node.itertext())] = node
    metrics = QFontMetricsF(_large())
    assert len(drawn) > 1
    assert max(map(metrics.horizontalAdvance, drawn)) <= page.width() - 2 * 24
    if "patients" in names[0]:
        assert "".join("".join(drawn).split()) == ",".join(names)


@pytest.mark.parametrize(
    ("given", "told"),
    [("0.1111111111111111*median", "median/9"), ("median/9", "median/9"), ("2*max-min", "2 × max-min"),
     ("max-min", "max-min"), (3.5, "set by hand"), ("manifold(dimension=2)", "manifold d̂ = 2")],
)  # fmt: skip
def test_a_rule_reads_as_one_would_write_it(finished, given, told):
    panel = finished.state.panels[0].model_copy(update={"pins": {"epsilon:plain": given}})
    assert epsilon_rule(finished.state, panel, "plain") == told


def test_the_axes_say_which_of_them_is_across(app, finished, tmp_path):
    tile = replace(sheet(finished).tiles[1], axis_names=("mean u₁", "mean u₂"))
    for dims, expected in ((2, "meanu₁→meanu₂↑"), (3, "meanu₁meanu₂")):
        points = np.resize(tile.points[:, :2], (N, dims))
        given = replace(sheet(finished), tiles=(replace(tile, points=points),))
        write_picture(given, tmp_path / "a.svg")
        assert expected in words(tmp_path / "a.svg")
        FigureLayout(given, TARGETS["page"]).write(tmp_path / "b.svg")
        assert expected in words(tmp_path / "b.svg")


def test_warnings_stand_below_the_picture_they_are_about(app, finished, tmp_path):
    doubts = finished.results["p0"].diagnostics
    assert doubts
    write_picture(sheet(finished), tmp_path / "a.svg")
    assert "".join(f"⚠ {doubts[0][:30]}".split()) in words(tmp_path / "a.svg")


def test_a_zoomed_picture_is_exported_as_it_is_seen_and_says_so(app, finished, tmp_path):
    """Part of a picture is as large as in the window, and stands for no more than it shows."""
    whole = replace(sheet(finished, selection=()), colouring=None)
    whole = replace(whole, style=replace(whole.style, markers=None))
    near = whole.tiles[1].points[:, :2]
    part = replace(whole.tiles[1], points=near, frame=Viewport(float(near[9, 0] / 1.1), float(near[9, 1] / 1.1), 0.2))
    circles = []
    for tile in (whole.tiles[1], part):
        write_picture(replace(whole, tiles=(tile,)), tmp_path / "a.svg")
        circles.append((tmp_path / "a.svg").read_text("utf-8").count("<circle"))
        assert ("samplesinsight" in words(tmp_path / "a.svg")) == (tile is part)
    shown = int((np.abs(near - near[9]) <= 0.22 * np.array([386 / 294, 1.0])).all(axis=1).sum())
    assert 0 < shown < len(near)
    assert f"zoomed:{shown}of{len(near)}samples" in words(tmp_path / "a.svg")
    assert circles[0] - circles[1] == len(near) - shown


@pytest.mark.nightly
def test_the_export_takes_the_zoom_of_each_panel(window, rest):
    show_fresh(window, small_data())
    rest(window)
    canvas = window.grid.panels[window.document.state.panels[0].id].canvas
    window.behaviour.workbench.change_settings(link_zoom=False)
    assert all(tile.frame.is_whole for tile in window.behaviour.scene.sheet().tiles)
    canvas._zoom(0.25, QPointF(10.0, 10.0))
    first, *others = window.behaviour.scene.sheet().tiles
    assert first.frame == canvas.frame
    assert first.frame.size == pytest.approx(0.25, rel=0.01)
    assert all(tile.frame.is_whole for tile in others)


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_what_is_selected_is_drawn_as_in_the_window(app, finished, tmp_path, ending):
    """Points that are not selected fade."""
    pure = {tuple(rgb) for rgb in class_colours(10, "light").tolist()}
    counts = []
    for selection in ((), (2, 3, 4)):
        path = tmp_path / f"a.{ending}"
        write_picture(sheet(finished, selection=selection, point_size=12.0, opacity=1.0), path, 1.0)
        image = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB888)
        rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
        pixels = rows[110:370, : 3 * image.width()].reshape(-1, 3).tolist()  # the pictures, without the legend
        counts.append(sum(tuple(pixel) in pure for pixel in pixels))
    assert 0 < counts[1] < counts[0] / 3


def test_the_file_holds_how_it_was_made(app, finished, tmp_path):
    write_picture(sheet(finished), tmp_path / "a.png")
    reader = QImageReader(str(tmp_path / "a.png"))
    assert reader.text("Software").startswith("mvexplorer ")
    assert reader.text("Description") == "My data"
    record = json.loads(reader.text(KEY))
    assert record["selection"] == [0, 1, 26]
    first, second = record["panels"]
    assert first["method"] == "single"
    assert first["warnings"]
    assert first["views"][0] | {"epsilon": 0} == {
        "name": "plain", "preprocessing": "raw", "kernel": "gaussian", "epsilon": 0, "rule": "median/9 × 2",
    }  # fmt: skip
    assert second["parameters"]["eta"] == 0.3
    assert second["pinned"] == ["epsilon:scaled", "eta"]
    assert second["views"][1]["epsilon"] == 2.5
    write_picture(sheet(finished), tmp_path / "a.svg")
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    assert json.loads(next(node.text for node in root if node.tag.endswith("desc"))) == record


def test_any_reader_of_png_finds_the_facts(app, finished, tmp_path):
    images = pytest.importorskip("PIL.Image")
    write_picture(sheet(finished), tmp_path / "a.png")
    with images.open(tmp_path / "a.png") as image:
        assert json.loads(image.text[KEY])["samples"] == N


def test_a_pdf_is_one_page_with_the_facts_attached(app, finished, tmp_path):
    write_picture(sheet(finished), tmp_path / "a.pdf")
    content = (tmp_path / "a.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    assert b"/Count 1" in content
    assert b"mvexplorer.json" in content or b"/EmbeddedFile" in content


def test_a_picture_has_one_width_in_every_format(app, finished, tmp_path):
    pypdf, images = pytest.importorskip("pypdf"), pytest.importorskip("PIL.Image")
    for ending in (".png", ".svg", ".pdf"):
        write_picture(sheet(finished), tmp_path / f"a{ending}")
    page = pypdf.PdfReader(tmp_path / "a.pdf").pages[0].mediabox
    with images.open(tmp_path / "a.png") as image:
        wide, high = (25.4 * n / dpi for n, dpi in zip(image.size, image.info["dpi"], strict=True))
    assert [25.4 / 72 * float(side) for side in (page.width, page.height)] == pytest.approx([wide, high], abs=0.4)
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    assert [float(root.get(side).removesuffix("mm")) for side in ("width", "height")] == pytest.approx(
        [wide, high], abs=0.4
    )


def test_another_ending_is_refused_in_a_sentence(app, finished, tmp_path):
    with pytest.raises(DataError, match=r"Pictures cannot be written as “\.gif”"):
        write_picture(sheet(finished), tmp_path / "a.gif")
    assert list(tmp_path.iterdir()) == []


def test_vectors_need_no_resolution(app, qtbot):
    from PySide6.QtWidgets import QWidget

    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = ExportDialog(QSize(1200, 800), 300.0, parent)
    assert dialog.pixels.text() == "3,750 × 2,500 pixels"
    dialog.dpi.setText("1200")
    dialog.width_cm.setText("100")
    assert dialog.pixels.text() == "At most 16,000 pixels a side"
    assert not dialog.save.isEnabled()
    dialog.format.setCurrentIndex(1)
    assert not dialog.dpi.isEnabled()
    assert not dialog.width_cm.isEnabled()  # they stay, and so the buttons stay where they are
    assert dialog.save.isEnabled()


def test_a_bandwidth_without_effect_is_not_said_to_be_pinned():
    views = [{"name": "plain", "preprocessing": "raw"}, {"name": "scaled", "preprocessing": "raw"}]
    known = {"parameters": {"n_components": 3}, "pinned": ["epsilon:plain", "epsilon:scaled"], "views": views}
    assert _details(known, []) == ["r 3", "raw: plain, scaled"]
