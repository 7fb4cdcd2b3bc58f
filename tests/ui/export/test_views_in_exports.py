"""Pictures of what views share and do not, in every file that leaves the program: names of views are words in them."""

from __future__ import annotations

import ast
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtGui import QImage
from scripted import document_of, embeddings, run_text

from mvexplorer.engine.methods import get_method
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document import commands
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.export.script.session import panel_script, session_code
from mvexplorer.ui.export.plain.picture import write_plain
from mvexplorer.ui.export.render import write_picture
from mvexplorer.ui.export.sheet import computed_sheet
from mvexplorer.ui.export.web_page import page_html, page_of
from mvexplorer.ui.panels.method_card import card_html

VIEWS = (
    "</text></script><script>document.title = 'taken'</script>",
    "<img src=x onerror=\"document.title = 'taken'\">, one",
    'two\nlines, "quoted" and {{data}} %s',
    "z" * 200,
)
HARMLESS = tuple("abcd")
METHODS = ("jointly-smooth", "view-specific", "view-specific", "difference", "alternating")


def document_with(folder, names):
    """Rings of which each file sees another third coordinate, in panels of every method, by views of these names."""
    draw, files = np.random.default_rng(0), []
    angle = draw.uniform(0.0, 2 * np.pi, 80)
    for stem in HARMLESS:
        files.append(str(folder / f"{stem}.csv"))
        X = np.column_stack([np.cos(angle), np.sin(angle), draw.normal(size=80)]) + draw.normal(size=3)
        np.savetxt(files[-1], X, delimiter=",", header=f"x{stem},y{stem},z{stem}", comments="")
    document = document_of(files, names=dict(zip(HARMLESS, names, strict=True)))
    panels = [commands.new_panel(method, f"p{i}") for i, method in enumerate(METHODS)]
    panels[1] = updated(panels[1], {"view": names[1]})
    panels[2] = updated(panels[2], {"view": names[2], "left_out": (names[0],)})
    panels[3] = updated(panels[3], {"pair": (names[1], names[0])})
    state = document.state
    views = tuple(updated(view, {"enabled": True}) for view in state.views)
    params = {**state.params, "n_smooth": 6, "symmetric": True}
    document.apply("Show", lambda s: updated(s, {"panels": panels, "views": views, "params": params}))
    commands.colour_by(document, "difference:1:0")
    return document


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    return document_with(tmp_path_factory.mktemp("named"), VIEWS)


@pytest.fixture(scope="module")
def finished(named):
    made = compute(named.state, named.data)
    assert not [shown.error for shown in made.results.values() if shown.error is not None]
    return made


def test_a_web_page_of_them_has_no_element_that_a_name_asks_for(app, finished, tmp_path):
    plain = document_with(tmp_path, HARMLESS)
    html, harmless = (page_html(page_of(f, "Rings")) for f in (finished, compute(plain.state, plain.data)))
    for element in ("<script", "</script>", "<img", "<text"):
        assert html.lower().count(element) == harmless.lower().count(element)
    assert "common function" in html
    data = json.loads(re.search(r'id="data">(.*?)</script>', html, re.DOTALL)[1])
    assert any(VIEWS[1][:20] in field["title"] and "difference of" in field["title"] for field in data["fields"])


def test_pictures_of_them_hold_names_as_words_and_in_their_record(app, finished, tmp_path):
    sheet = computed_sheet(finished, "Rings")
    assert "common function" in sheet.record["caption"]
    assert "(share of a step that the views make to different samples)" in sheet.record["caption"]
    assert len(sheet.record["caption"].splitlines()) == len(METHODS) + 1, "a name's end of line ends no panel's words"
    for ending in (".svg", ".png", ".pdf"):
        write_picture(sheet, tmp_path / f"a{ending}")
    write_plain(finished, "Rings", tmp_path / "plain.svg", "light")
    for name in ("a.svg", "plain.svg"):
        elements = list(ElementTree.parse(tmp_path / name).getroot().iter())
        assert not [e.tag for e in elements if e.tag.rpartition("}")[2] in ("script", "img", "foreignObject", "a")]
        assert not [a for e in elements for a in e.attrib if a.startswith("on")]
        record = json.loads(next(e.text for e in elements if e.tag.endswith("desc")))
        assert record["panels"][0]["views"][2]["name"] == VIEWS[2]
        assert (
            record["panels"][0]["common_functions"] == finished.results["p0"].result.embedding.info["common_functions"]
        )
    assert json.loads(QImage(str(tmp_path / "a.png")).text("mvexplorer"))["panels"][3]["method"] == "difference"
    assert b"/JavaScript" not in (tmp_path / "a.pdf").read_bytes()


def test_axes_of_a_difference_name_the_view_on_one_line(finished):
    shown = finished.results["p3"]
    for name, value in zip(shown.drawing.axis_names, shown.result.embedding.eigenvalues, strict=False):
        assert name.endswith(f" (+ {VIEWS[1]})" if value > 0 else f" (− {VIEWS[0]})")


def test_notices_about_them_are_text_on_a_card(finished):
    for panel in finished.state.panels:
        warnings = [text for _, text in finished.results[panel.id].result.embedding.warnings]
        html = card_html(get_method(panel.method), dict(finished.results[panel.id].result.embedding.params), warnings)
        assert not re.search(r"<(script|/script|img src=x)", html)
    assert any(VIEWS[0] in text for text in warnings_of(finished)), "one of them names a view"


def warnings_of(finished):
    embeddings = (shown.result.embedding for shown in finished.results.values())
    return [text for embedding in embeddings for _, text in embedding.warnings]


def test_scripts_of_them_compute_the_same(named, finished, tmp_path):
    for panel in named.state.panels:
        ast.parse(panel_script(named.state, named.data, panel))
    path = tmp_path / "rings.py"
    found = embeddings(run_text(session_code(named.state, named.data, finished.results, path), path))
    for panel, embedding in zip(named.state.panels, found, strict=True):
        wanted = finished.results[panel.id].result.embedding
        assert embedding.views == wanted.views
        np.testing.assert_allclose(embedding.coordinates, wanted.coordinates, rtol=0, atol=1e-10)
