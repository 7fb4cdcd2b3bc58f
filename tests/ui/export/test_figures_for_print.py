"""Figures for papers and slides: their size in every format, their type, their panels, letters and colours."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from figure_facts import pdf_type, pdf_words, size_in_mm, svg_type
from PySide6.QtGui import QImage
from windows import small_data, state_of

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import DataError, ParameterError
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document import commands
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.notes.note import Note
from mvexplorer.state.export.figure_target import TARGETS, panel_places
from mvexplorer.ui.cloud.marks import KeptMark
from mvexplorer.ui.export.figure_layout import FigureLayout
from mvexplorer.ui.export.figure_sheet import RING, WORDS, figure_sheet, letter, offered_overlays
from mvexplorer.ui.export.render import write_picture
from mvexplorer.ui.export.sheet import computed_sheet
from mvexplorer.ui.style import theme

N = 90
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def computed():
    """Three panels of two views with ten classes, one of them with a hostile name, and a kept sample."""
    drawn = np.random.default_rng(3)
    classes = np.arange(N) % 10
    views = {name: drawn.normal(size=(N, 4)) + 2 * classes[:, None] for name in ("plain", "scaled")}
    data = MultiView(views, labels=[HOSTILE if c == 3 else f"class {c}" for c in classes])
    state = commands.initial_state(data, ("memory",), None)
    panels = tuple(commands.new_panel(m, f"p{i}") for i, m in enumerate(("single", "multiview", "pca"), 1))
    state = state.model_copy(update={"panels": panels})
    return compute(state.model_copy(update={"point": state.point.model_copy(update={"kept": 7})}), data)


def figure(computed, target="column", places=(0, 1, 2), type_size=None, caption=False, letters=True, overlays=()):
    with theme.worn(theme.PRINT):
        sheet = figure_sheet(computed_sheet(computed, "My data"), places, letters=letters, overlays=overlays)
    sheet = replace(sheet, caption=sheet.record["caption"] if caption else "")
    return FigureLayout(sheet, TARGETS[target], type_size, letters=letters)


@pytest.mark.parametrize(("target", "wide"), [("column", 85.0), ("page", 178.0), ("slide", 338.67)])
def test_a_figure_has_one_size_in_every_format(app, computed, tmp_path, target, wide):
    laid, sizes = figure(computed, target, caption=target != "slide"), []
    for ending in (".png", ".svg", ".pdf"):
        laid.write(tmp_path / f"a{ending}")
        sizes.append(size_in_mm(tmp_path / f"a{ending}"))
    assert [across for across, _ in sizes] == pytest.approx([wide] * 3, abs=0.1)
    assert [down for _, down in sizes] == pytest.approx([sizes[1][1]] * 3, abs=0.1)
    if target == "slide":
        assert sizes[0][1] == pytest.approx(190.5, abs=0.1)


@pytest.mark.parametrize("dpi", [300.0, 600.0, 72.0])
def test_a_png_has_the_resolution_asked_for_and_the_size_at_any(app, computed, tmp_path, dpi):
    figure(computed).write(tmp_path / "a.png", dpi)
    assert QImage(str(tmp_path / "a.png")).width() == round(85 / 25.4 * dpi)
    assert size_in_mm(tmp_path / "a.png")[0] == pytest.approx(85.0, abs=0.1)


@pytest.mark.parametrize(("target", "type_size"), [("column", None), ("column", 6.0), ("page", 14.0), ("slide", 10.0)])
def test_no_type_is_smaller_than_six_points_and_titles_have_the_size_asked_for(
    app, computed, tmp_path, target, type_size
):
    laid = figure(computed, target, type_size=type_size, caption=target != "slide", overlays=(RING,))
    titled = type_size or TARGETS[target].type_size
    for ending in (".svg", ".pdf"):
        laid.write(tmp_path / f"a{ending}")
    runs = svg_type(tmp_path / "a.svg")
    assert {round(size, 1) for text, size in runs if text.strip() in ("a", "b", "c")} == {titled}
    assert min(size for _, size in runs) >= 5.99
    printed = pdf_type(tmp_path / "a.pdf")
    assert min(printed) >= 5.99
    assert max(printed) == pytest.approx(titled, abs=0.05)


def test_text_stays_text(app, computed, tmp_path):
    laid = figure(computed, "page", caption=True)
    for ending in (".svg", ".pdf"):
        laid.write(tmp_path / f"a{ending}")
    in_svg = "".join(text for text, _ in svg_type(tmp_path / "a.svg"))
    for words in ("".join(in_svg.split()), "".join(pdf_words(tmp_path / "a.pdf").split())):
        assert all(
            "".join(told.split()) in words for told in ("Multi-view", "PCA", "class 9", "(b) Multi-view", "k-NN")
        )


def test_only_the_panels_asked_for_are_there_with_letters_in_their_order(app, computed, tmp_path):
    laid = figure(computed, places=(2, 0), caption=True)
    laid.write(tmp_path / "a.svg")
    runs = [text.strip() for text, _ in svg_type(tmp_path / "a.svg")]
    words = "".join("".join(runs).split())
    assert [text for text in runs if text in ("a", "b", "c")] == ["a", "b"]
    assert words.index("aPCA") < words.index("bSingle·plain")
    assert "Multi-view" not in words
    assert [panel["method"] for panel in laid.sheet.record["panels"]] == ["pca", "single"]
    caption = laid.sheet.record["caption"]
    assert caption.startswith("(a) PCA")
    assert "\n(b) Single" in caption
    assert "Multi-view" not in caption
    figure(computed, places=(2, 0), letters=False).write(tmp_path / "b.svg")
    assert not {"a", "b"} & {text.strip() for text, _ in svg_type(tmp_path / "b.svg")}


def test_a_legend_stands_there_once_and_nothing_else_of_the_sheet(app, computed, tmp_path):
    figure(computed).write(tmp_path / "a.svg")
    words = "".join("".join(text for text, _ in svg_type(tmp_path / "a.svg")).split())
    assert words.count("class9") == 1
    assert "Mydata" not in words
    assert "kernel" not in words
    write_picture(computed_sheet(computed, "My data"), tmp_path / "sheet.svg")
    sheet = "".join("".join(text for text, _ in svg_type(tmp_path / "sheet.svg")).split())
    assert "Mydata" in sheet
    assert "kernel" in sheet


def test_the_ground_is_white_whatever_the_window_wears(app, computed, tmp_path):
    theme.apply_theme(app, "dark")
    try:
        figure(computed).write(tmp_path / "a.png", 150.0)
        assert theme.current() is theme.DARK
    finally:
        theme.apply_theme(app, "light")
    image = QImage(str(tmp_path / "a.png"))
    assert image.pixelColor(1, 1).name() == "#ffffff"
    figure(computed).write(tmp_path / "b.png", 150.0)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_what_lies_on_pictures_is_there_where_it_is_chosen_and_told(app, computed):
    with theme.worn(theme.PRINT):
        sheet = computed_sheet(computed, "My data")
    assert offered_overlays(sheet) == {RING: "Ring of the kept sample"}
    ringed, bare = (figure_sheet(sheet, [0], letters=False, overlays=kinds) for kinds in ((RING,), ()))
    assert "double ring" in ringed.record["caption"]
    assert "double ring" not in bare.record["caption"]
    assert [any(isinstance(o, KeptMark) for o in s.overlays) for s in (ringed, bare)] == [True, False]


def test_names_are_words_and_nothing_else(app, computed, tmp_path):
    laid = figure(computed, "page", caption=True)
    laid.write(tmp_path / "a.svg")
    assert "<script" not in (tmp_path / "a.svg").read_text("utf-8")
    assert HOSTILE in "".join(text for text, _ in svg_type(tmp_path / "a.svg"))


def test_a_panel_without_a_picture_says_why(app, computed, tmp_path):
    laid = figure(computed)
    tiles = (replace(laid.sheet.tiles[0], points=None, scores=None, problem="not computed"), *laid.sheet.tiles[1:])
    FigureLayout(replace(laid.sheet, tiles=tiles), TARGETS["column"]).write(tmp_path / "a.svg")
    assert "not computed" in " ".join(text for text, _ in svg_type(tmp_path / "a.svg"))


def test_panels_that_do_not_fit_on_a_slide_are_refused_in_a_sentence(app, computed):
    with pytest.raises(DataError, match=r"30 panels do not fit on a slide in type of 30 pt\. Show fewer panels"):
        figure(computed, "slide", places=(0, 1, 2) * 10, type_size=30.0)
    assert figure(computed, "column", places=(0, 1, 2) * 10).size.height() > 0


def test_a_size_of_type_that_suits_no_print_is_refused_in_a_sentence(app, computed):
    with pytest.raises(ParameterError, match=r"Type of 5 pt suits no figure .* Give 6 to 14 pt\."):
        figure(computed, type_size=5.0)


def test_an_unknown_panel_is_refused_with_those_that_there_are():
    with pytest.raises(DataError, match=r"^There is no panel “p9”; there are p1, p2\.$"):
        panel_places(("p1", "p9"), ("p1", "p2"))
    assert panel_places(("p2", "p1", "p2"), ("p1", "p2")) == [1, 0]


def test_letters_go_on_after_z():
    assert [letter(i) for i in (0, 2, 25, 26, 51, 52)] == ["a", "c", "z", "aa", "az", "ba"]


def test_notes_and_class_names_are_words_of_the_figure_where_they_are_chosen(app, tmp_path):
    data = small_data()
    notes = [Note(text="closes", panel="p1", samples=(3,))]
    finished = compute(updated(state_of(data, 2), {"notes": notes, "class_names": True}), data)
    with theme.worn(theme.PRINT):
        sheet = computed_sheet(finished, "My data")
    assert offered_overlays(sheet) == {WORDS: "Notes and class names"}
    for kinds in ((WORDS,), ()):
        drawn = figure_sheet(sheet, [0, 1], letters=False, overlays=kinds)
        FigureLayout(drawn, TARGETS["column"]).write(tmp_path / "a.svg")
        words = svg_type(tmp_path / "a.svg")
        assert any(text == "closes" for text, _ in words) == bool(kinds)
        assert ("closes" in drawn.record["caption"]) == bool(kinds)
        assert min(size for _, size in words) >= 6.0 - 1e-6
