"""A session holds any number of panels: all are saved, opened and computed; the window's own edits stop at twelve."""

import numpy as np
import pytest

from mvexplorer.datasets.loading import load_source
from mvexplorer.errors import ParameterError
from mvexplorer.state.bench.headless import run_session
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import MAX_PANELS
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.session.session import open_session, save_session

MANY = MAX_PANELS + 5


@pytest.fixture
def opened(tmp_path):
    np.savez(tmp_path / "d.npz", **{n: np.random.default_rng(1).normal(size=(20, 3)) for n in ("a", "b")})
    loaded = load_source(str(tmp_path / "d.npz"))
    state = commands.initial_state(loaded.data, loaded.sources, None)
    panels = [updated(commands.new_panel("kernel-sum", f"p{i + 1}"), {"pins": {"t": i + 1}}) for i in range(MANY)]
    state = state.model_copy(update={"panels": tuple(panels)})
    save_session(tmp_path / "s.mvx.json", state, loaded.data, "1")
    return open_session(tmp_path / "s.mvx.json")


def test_all_panels_are_saved_opened_and_computed(opened, tmp_path):
    assert [p.pins["t"] for p in opened.state.panels] == list(range(1, MANY + 1))
    assert len(opened.state.shown) == MAX_PANELS
    assert [p.id for p in opened.state.rest] == [f"p{i}" for i in range(MAX_PANELS + 1, MANY + 1)]
    finished = run_session(tmp_path / "s.mvx.json")
    assert finished.failed == []
    assert len(finished.rows) == MANY
    assert len(set(panel_titles(opened.state).values())) == MANY


def test_a_window_computes_those_of_the_rest_once_they_are_brought_in(opened):
    document = Document()
    controller = Controller(document)
    controller.all_panels = False
    try:
        document.reset(opened.state, opened.data)
        assert controller.wait_idle(60)
        computed = {id for id, found in controller.results.items() if found.result is not None}
        assert computed == {f"p{i}" for i in range(1, MAX_PANELS + 1)}
        commands.swap_panels(document, "p15", "p3")
        assert controller.wait_idle(60)
        assert controller.result("p15").status == "ready"
        assert [p.id for p in document.state.shown][:4] == ["p1", "p2", "p15", "p4"]
        assert "p3" in controller.hidden
    finally:
        controller.shutdown()


def test_what_has_to_be_closed_before_one_is_added(opened):
    document = Document()
    document.reset(opened.state, opened.data)
    with pytest.raises(ParameterError, match=r"already 17 panels\. Close 6 of them first"):
        commands.add_panel(document, "multiview")
    commands.close_panel(document, "p1")
    assert [p.id for p in document.state.shown] == [f"p{i}" for i in range(2, MAX_PANELS + 2)]
