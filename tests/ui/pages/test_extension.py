"""What is added in one file and one row: a page, an export and a method, found wherever their like are."""

from __future__ import annotations

import importlib.util
import json
from types import ModuleType

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QLabel
from windows import show_data, small_data

from mvexplorer import load
from mvexplorer.cli import main
from mvexplorer.engine import methods as joined
from mvexplorer.engine.core.catalogue import Catalogue
from mvexplorer.errors import ParameterError
from mvexplorer.state.document import commands
from mvexplorer.state.session.session import save_session
from mvexplorer.ui.offscreen import screenshot
from mvexplorer.ui.pages import table
from mvexplorer.ui.widgets import saving
from mvexplorer.ui.window.exports import table as exports

PAGE = '''
from PySide6.QtWidgets import QLabel


class NotesPage(QLabel):
    """Counts the samples."""

    id, title = "notes", "Notes"

    def __init__(self, workbench):
        super().__init__()
        self.document, self.calls = workbench.document, []

    def follow(self, change):
        self.calls.append("follow")
        self.setText(f"{self.document.data.n_samples} samples")
        self.setWindowTitle(f"Notes {self.document.data.n_samples}")

    def apply_theme(self):
        self.calls.append("theme")

    def compute_all(self):
        self.calls.append("all")


PAGES = (NotesPage,)
'''
EXPORT = """
from functools import partial

from mvexplorer.ui.widgets.saving import FileQuestion, save_as
from mvexplorer.ui.window.exports.exporter import Exporter


def write(n_samples, path):
    path.write_text(f"{n_samples} samples\\n", "utf-8")


def ask(scene):
    question = FileQuestion("Export count", "count.txt", "Texts (*.txt)")
    save_as(scene.window, scene.workbench.editor, question, partial(write, scene.workbench.document.data.n_samples))


def into(finished, folder, how):
    write(finished.data.n_samples, path := folder / "count.txt")
    return [path]


EXPORTS = (Exporter("count", "Count", ask, "tally size", into),)
"""
METHOD = """
import numpy as np

from mvexplorer.engine.core.params import N_COMPONENTS, Param
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.spectral.eigenpairs import Decomposition

STRETCH = Param("stretch", "s", 2.0, "Factor on every coordinate.", low=0.5, high=8.0, title="Stretch")


def solve(stages):
    return Decomposition(np.ones(2), (stages.params["stretch"] * stages.view(0)[:, :2],))


METHODS = (
    Method(
        "stretched", "Stretched features", "s x", "The first view, larger.", "A test", (STRETCH, N_COMPONENTS), solve,
        lambda found, params: found.blocks, requires="features", memory_class="features", uses_epsilon=False,
        keeps_units=True, first_component=0, assumes="Nothing.", cost="Nothing.",
    ),
)
"""


def written(folder, name: str, text: str) -> ModuleType:
    """A module of its own, as its author would write it."""
    path = folder / f"{name}.py"
    path.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# A page -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def notes(tmp_path, monkeypatch):
    """One more row in the table of pages."""
    (page,) = written(tmp_path, "notes_page", PAGE).PAGES
    monkeypatch.setattr(table, "PAGES", (*table.PAGES, page))
    return page


def test_a_new_page_has_its_tab_and_follows_document_and_theme(notes, make_window, rest):
    window = make_window()
    show_data(window, small_data(48))
    rest(window)
    page = window.bottom.pages["notes"]
    assert isinstance(page, notes)
    assert window.bottom.tabs.tabText(window.bottom.tabs.count() - 1) == "Notes"
    assert page.calls == []  # nobody looks at it
    assert window.bottom.show_page("notes") is page
    assert page.isVisible()
    show_data(window, small_data(36))
    assert page.text() == "36 samples"
    assert window.bottom.tabs.tabText(window.bottom.tabs.count() - 1) == "Notes 36"
    window.workbench.change_settings(theme="dark")
    assert page.calls == ["follow", "theme"]
    window.workbench.change_settings(theme="light")


def test_a_new_page_is_in_the_menu_and_in_the_palette(notes, make_window, rest):
    window = make_window()
    show_data(window, small_data(48))
    rest(window)
    page = window.bottom.pages["notes"]
    action = window.actions_table.actions["Page: Notes"]
    assert action in window.actions_table.menus["View/Page"].actions()
    assert action.text() == "Notes"
    action.trigger()
    assert page.isVisible()
    window.bottom.show_page("tasks")
    window.behaviour.find_anything()
    palette = QApplication.activePopupWidget()
    palette.search.setText("notes")
    assert palette.list.item(0).text() == "Page: Notes"
    palette._run()
    assert page.isVisible()


@pytest.mark.nightly
def test_a_new_page_is_in_screenshots(notes, app, tmp_path, monkeypatch):
    made = []
    build = notes.__init__
    monkeypatch.setattr(notes, "__init__", lambda self, workbench: (build(self, workbench), made.append(self))[0])
    screenshot(("helix-a",), str(tmp_path / "a.png"), (900, 700), "light", "notes")
    assert (tmp_path / "a.png").stat().st_size > 0
    assert made[0].calls.count("all") == 1
    assert isinstance(made[0], QLabel)


def test_a_page_that_there_is_none_of_is_refused_with_the_names_of_all(app, tmp_path):
    with pytest.raises(ParameterError) as caught:
        screenshot(("helix-a",), str(tmp_path / "a.png"), (900, 700), "light", "notes")
    assert caught.value.hint == f"Pages: {', '.join(page.id for page in table.PAGES)}."


# An export --------------------------------------------------------------------------------------------------------


@pytest.fixture
def counted(tmp_path, monkeypatch):
    """One more row in the table of exports."""
    (export,) = written(tmp_path, "count_export", EXPORT).EXPORTS
    monkeypatch.setattr(exports, "EXPORTS", (*exports.EXPORTS, export))


def test_a_new_export_is_in_the_menu_and_in_the_palette(counted, make_window, rest, qtbot, tmp_path, monkeypatch):
    window = make_window()
    action = window.actions_table.actions["Export count …"]
    assert action in window.actions_table.menus["File/Export"].actions()
    assert (action.text(), action.isEnabled()) == ("Count …", False)
    show_data(window, small_data(48))
    rest(window)
    monkeypatch.setattr(saving, "save_file", lambda parent, title, name, kinds: tmp_path / name)
    window.behaviour.find_anything()
    palette = QApplication.activePopupWidget()
    palette.search.setText("tally")
    assert palette.list.item(0).text() == "Export count"
    palette._run()
    qtbot.waitUntil(lambda: window.banners.texts() == ["Saved count.txt."])
    assert (tmp_path / "count.txt").read_text("utf-8") == "48 samples\n"


def test_a_new_export_is_written_by_run_export(counted, app, capsys, tmp_path):
    data = load("helix-a")
    state = commands.initial_state(data, ("helix-a",), None)
    state = state.model_copy(update={"panels": state.panels[:1]})
    save_session(tmp_path / "a.mvx.json", state, data, "a test")
    assert main(["run", str(tmp_path / "a.mvx.json"), "--export", str(tmp_path / "all")]) == 0
    assert str(tmp_path / "all" / "count.txt") in capsys.readouterr().err
    assert (tmp_path / "all" / "count.txt").read_text("utf-8") == f"{data.n_samples} samples\n"


# A method ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def stretched(tmp_path, monkeypatch):
    """One more family in the table of methods."""
    family = written(tmp_path, "stretched_method", METHOD)
    monkeypatch.setattr(joined, "METHODS", Catalogue((*joined.METHODS, *family.METHODS), "method"))


def test_a_new_method_has_a_panel_with_its_form_and_survives_a_session(stretched, make_window, rest, tmp_path):
    window = make_window()
    window.library.open_source(("helix-a",))
    rest(window)
    add = window.actions_table.menus["Panels"].actions()
    assert "Add panel" in [action.text() for action in add]
    panel = window.grid.panels[window.document.state.panels[0].id]
    assert "Stretched features" in [action.text() for action in panel.menus.methods().actions()]
    window.behaviour.add_panel("stretched")
    rest(window)
    id = window.document.state.panels[-1].id
    assert window.side.params["stretch"].isVisible()
    commands.set_param(window.document, "stretch", 3.0)
    rest(window)
    found = window.controller.result(id).result.embedding
    np.testing.assert_allclose(found.coordinates, 3.0 * window.document.data.Xs[0][:, :2])
    window.library.session_path = tmp_path / "kept.mvx.json"
    window.library.save()
    commands.set_param(window.document, "stretch", 1.0)
    window.document.mark_saved()
    window.library.open_session(tmp_path / "kept.mvx.json")
    rest(window)
    assert window.document.state.panels[-1].method == "stretched"
    assert window.document.state.params["stretch"] == 3.0
    np.testing.assert_allclose(window.controller.result(id).result.embedding.coordinates, found.coordinates)


def test_a_new_method_is_on_the_command_line(stretched, capsys):
    assert main(["methods", "--json"]) == 0
    last = json.loads(capsys.readouterr().out)[-1]
    assert (last["id"], [p["name"] for p in last["params"]]) == ("stretched", ["stretch", "n_components"])
    assert main(["embed", "helix-a", "--method", "stretched", "--set", "stretch=4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    first = np.array(lines[1].split(",")[1:3], dtype=float)
    np.testing.assert_allclose(first, 4.0 * load("helix-a").Xs[0][0, :2], rtol=1e-6)
