"""Samples without coordinates: hollow on the rim, on screen, in pictures of every kind and on web pages."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.ingredients.edits import choose_ingredient
from mvexplorer.ui.cloud.canvas import EmbeddingCanvas
from mvexplorer.ui.cloud.look import point_style
from mvexplorer.ui.export.render import write_picture
from mvexplorer.ui.export.sheet import computed_sheet
from mvexplorer.ui.export.web_page import page_of
from mvexplorer.ui.style import theme

M, ALONE = 40, (38, 39)


@pytest.fixture(scope="module")
def finished():
    """A cloud of samples, and two so far from all others that they have no neighbours."""
    X = np.random.default_rng(0).normal(size=(M, 3))
    X[list(ALONE)] = [[400.0, 0.0, 0.0], [0.0, 900.0, 0.0]]
    data, document = MultiView([X], labels=np.arange(M) % 2), Document()
    state = commands.initial_state(data, ("memory",), None)
    panels = (commands.new_panel("single", "p1"),)
    document.reset(state.model_copy(update={"panels": panels}), data)
    commands.set_epsilon(document, data.view_names[0], 2.0)
    choose_ingredient(document, "self_loops", False)
    return compute(document.state, data)


def test_they_stand_clear_of_the_others_and_are_counted(finished):
    answer = finished.results["p1"]
    drawing = answer.drawing
    assert drawing.unplaced == ALONE
    assert (drawing.points[list(ALONE), 1] == -1.0).all()
    assert np.delete(drawing.points, ALONE, axis=0)[:, 1].min() > -0.9
    assert any("2 samples have no neighbours" in text for text in answer.diagnostics)
    assert np.isnan(answer.result.embedding.coordinates[list(ALONE)]).all()


def test_they_are_hollow_on_screen_and_found_under_the_pointer(app, qtbot, finished):
    drawing, canvas = finished.results["p1"].drawing, EmbeddingCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(300, 300)
    style = point_style(finished.state.model_copy(update={"point_size": 14.0}), finished.colouring, M)
    canvas.show_points(drawing.points, drawing.axis_names, drawing.edge, drawing.unplaced)
    canvas.cloud.set_look(style)
    canvas.show()
    image = canvas.grab().toImage()
    surface = theme.current().surface
    for row in range(M):
        at = canvas.position_of(row)
        assert (image.pixelColor(at.toPoint()).name() == surface) == (row in ALONE), row
    for row in ALONE:
        assert canvas.point_at(canvas.position_of(row)) == row
        rim = canvas.position_of(row) + QPointF(6.2, 0.0)
        assert image.pixelColor(rim.toPoint()).name() != surface


def test_they_are_hollow_in_pictures(app, tmp_path, finished):
    hollow = computed_sheet(finished, "Two alone")
    (tile,) = hollow.tiles
    assert (tile.unplaced, tile.edge) == (ALONE, ())
    full = replace(hollow, tiles=(replace(tile, unplaced=()),))
    shapes = []
    for name, sheet in (("hollow", hollow), ("full", full)):
        path = tmp_path / f"{name}.svg"
        write_picture(sheet, path)
        shapes.append(len(re.findall("<(?:circle|ellipse)", path.read_text("utf-8"))))
    assert shapes[0] == shapes[1] + len(ALONE)


def test_web_pages_are_told_of_them(finished):
    page = page_of(finished, "Two alone")
    assert page.words["panels"][0]["hollow"] == list(ALONE)
    assert json.dumps(page.words["panels"][0]["hollow"])
