"""Unit rows in the document: titles, captions, sessions old and new, scripts, pins, and the drawing."""

import json

import numpy as np
import pytest
from engine import dense
from scripted import embeddings, run_text

import mvexplorer as mvx
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.model import DocumentState, default_params
from mvexplorer.state.document.titles import panel_title
from mvexplorer.state.export.captions import panel_caption
from mvexplorer.state.export.record import document_record
from mvexplorer.state.export.script.session import panel_script
from mvexplorer.state.pictures.drawing import RIM, draw
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.state.pictures.requests import request_of


def document_of(data, *methods, source=("memory",)):
    document = Document()
    panels = tuple(commands.new_panel(method, f"p{i}") for i, method in enumerate(methods))
    state = commands.initial_state(data, source, None).model_copy(update={"panels": panels})
    document.reset(state, data)
    return document


@pytest.fixture
def document():
    return document_of(MultiView(dense.views(40, 2)[0], view_names=("fou", "fac")), "kernel-sum", "de-sa", "single")


def titles_of(document):
    return [panel_title(document.state, panel) for panel in document.state.panels]


def test_titles_say_unit_rows_and_how_many_coordinates_count(document):
    assert titles_of(document) == ["Kernel sum", "de Sa", "Single · fou"]
    commands.set_param(document, "unit_rows", True)
    assert titles_of(document) == ["Kernel sum · unit rows, r 12", "de Sa", "Single · fou · unit rows, r 12"]
    commands.set_param(document, "n_components", 5)
    commands.pin(document, "p0", "n_components", 3)
    assert titles_of(document) == ["Kernel sum · unit rows, r 3", "de Sa", "Single · fou · unit rows, r 5"]
    commands.pin(document, "p2", "unit_rows", False)
    assert titles_of(document)[2] == "Single · fou"
    assert request_of(document.state, document.data, document.state.panels[2]).plan.params["unit_rows"] is False


def test_a_step_of_undo_says_on_or_off(document):
    commands.set_param(document, "unit_rows", True)
    assert document.undo_label == "Unit rows on"
    commands.set_param(document, "eta", 0.5)
    commands.set_param(document, "unit_rows", False)
    assert document.undo_label == "Unit rows off"


def test_sessions_keep_unit_rows_and_old_ones_open(document):
    commands.set_param(document, "unit_rows", True)
    assert DocumentState.model_validate_json(document.state.model_dump_json()) == document.state
    old = json.loads(document.state.model_dump_json())
    del old["params"]["unit_rows"]
    opened = DocumentState.model_validate(old)
    assert request_of(opened, document.data, opened.panels[0]).plan.params["unit_rows"] is False
    assert panel_title(opened, opened.panels[0]) == "Kernel sum"
    assert default_params()["unit_rows"] is False


def test_captions_name_unit_rows_where_they_are_on(document):
    commands.pin(document, "p0", "unit_rows", True)
    state, data = document.state, document.data
    found = compute(state, data)
    record = document_record(state, data, "Data", found.results.__getitem__, None)
    told = [panel_caption(panel, record) for panel in record["panels"]]
    assert "t = 1, r = 12, unit rows." in told[0]
    assert "unit rows" not in told[2]


def test_a_script_gives_the_same_arrays():
    data = mvx.load("helix-a")
    document = document_of(data, "multiview", source=("helix-a",))
    commands.set_param(document, "unit_rows", True)
    script = panel_script(document.state, document.data, document.state.panels[0])
    assert "unit_rows=True" in script
    (found,) = embeddings(run_text(script))
    shown = compute(document.state, data).results["p0"].result.embedding
    np.testing.assert_allclose(found.coordinates, shown.coordinates, rtol=0, atol=1e-10)
    np.testing.assert_allclose(np.linalg.norm(found.view_coordinates[1], axis=1), 1.0)


def symmetric(angle=0.3):
    """Samples in pairs that cancel, and two in their middle; turned by an angle."""
    half = np.random.default_rng(0).normal(size=(30, 3)) * (3.0, 2.0, 1.0)
    turn = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    return MultiView([np.vstack([half, -half, np.zeros((2, 3))]) @ turn], labels=np.arange(62) % 3)


def test_samples_without_a_direction_stand_on_the_rim_and_turn_no_picture():
    data = symmetric()
    document = document_of(data, "pca")
    commands.set_param(document, "n_components", 3)
    commands.set_param(document, "unit_rows", True)
    finished = compute(document.state, data)
    answer, panel = finished.results["p0"], document.state.panels[0]
    points, unplaced = answer.drawing.points, answer.drawing.unplaced
    assert unplaced == (60, 61)
    assert np.isfinite(points).all()
    assert (points[60:, 1:] == -1.0).all()
    assert points[60, 0] != points[61, 0]
    coordinates = answer.result.embedding.coordinates[:60, : panel.dims]
    middle = 0.5 * (coordinates.min(axis=0) + coordinates.max(axis=0))
    half = 0.5 * np.ptp(coordinates, axis=0).max()
    clear = np.array([0.0, *[RIM] * (panel.dims - 1)])
    np.testing.assert_allclose(points[:60], (1.0 - RIM) * (coordinates - middle) / half + clear, atol=1e-12)
    assert points[:60, 1].min() >= -1.0 + 2 * RIM - 1e-12
    again = PanelResult(result=answer.result, drawing=answer.drawing)
    former = (points - clear)[:, ::-1] + clear
    again.drawing = type(answer.drawing)(former, answer.drawing.axes, (), unplaced=unplaced)
    assert draw(panel, again, how="similarity")
    np.testing.assert_allclose(again.drawing.points[:60], former[:60], atol=1e-9)
    np.testing.assert_allclose(again.drawing.points[60:, 1:], -1.0)
    assert answer.scores.nmi is not None
    assert any(code == "no-direction" for code, _ in answer.result.embedding.warnings)


def test_a_trimmed_drawing_leaves_the_rim_alone():
    data = symmetric()
    document = document_of(data, "pca")
    commands.set_param(document, "n_components", 3)
    commands.set_param(document, "unit_rows", True)
    panels = (document.state.panels[0].model_copy(update={"trim": True}),)
    drawing = compute(document.state.model_copy(update={"panels": panels}), data).results["p0"].drawing
    assert drawing.unplaced == (60, 61)
    assert drawing.edge
    assert not {60, 61} & set(drawing.edge)
