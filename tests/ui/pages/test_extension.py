"""What is added in a file and a row: a page, an analysis, an export and a method, found wherever their like are."""

from __future__ import annotations

import importlib.util
import json
import sys
from types import ModuleType

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QLabel
from windows import show_data, small_data

from mvexplorer import embed, load
from mvexplorer.cli import main
from mvexplorer.engine import methods as joined
from mvexplorer.engine.core.catalogue import Catalogue
from mvexplorer.errors import ParameterError
from mvexplorer.state.document import commands
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.state.questions import diagnosis
from mvexplorer.state.session.session import save_session
from mvexplorer.ui.offscreen import screenshot
from mvexplorer.ui.pages import table
from mvexplorer.ui.widgets import saving
from mvexplorer.ui.window.exports import table as exports

PAGE = '''
from PySide6.QtWidgets import QLabel


class NotesPage(QLabel):
    """Counts the samples."""

    id, title, place = "notes", "Notes", "compare"

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

    def figures(self):
        return ()


PAGES = (NotesPage,)
'''
ANALYSIS = """
from dataclasses import dataclass

import numpy as np

from mvexplorer.compute.run.scheduler import Job
from mvexplorer.state.pictures.answers import Question
from mvexplorer.state.questions.diagnosis import Subject
from mvexplorer.figures import Curves, Figure


@dataclass(frozen=True, eq=False)
class WidthJob(Job):
    coordinates: np.ndarray

    def run(self, cache, task):
        return np.ptp(self.coordinates, axis=0)


def width_question(shown):
    def figure(widths):
        body, columns = Curves("axis", "width", ()), {"axis": np.arange(1, len(widths) + 1), "width": widths}
        return Figure(f"Widths of {shown.title}", body, "", columns, {"widest": float(widths.max())})

    job = WidthJob(shown.result.embedding.coordinates)
    return Question("width", (shown.result,), job, "Widths", slot="width", make=figure)


WIDTH = Subject(lambda diagnosis: {"": diagnosis.answer(width_question(diagnosis.shown))})
"""
ANALYSIS_PAGE = """
from PySide6.QtWidgets import QLabel
from width_analysis import width_question

from mvexplorer.state.pictures.answers import Answers


class WidthPage(QLabel):
    id, title, place = "width", "Width", "inside"

    def __init__(self, workbench):
        super().__init__()
        self.diagnostics, self.answers = workbench.diagnostics, Answers(workbench.controller)
        self.answers.changed.connect(lambda key: self.show_answer())
        workbench.controller.panel_changed.connect(lambda panel: self.show_answer())

    def show_answer(self):
        shown = self.diagnostics.shown
        if not self.isVisible() or shown is None:
            return
        question = width_question(shown)
        self.answers.ask(question)
        if self.answers.freshness("width", question.basis) == "current":
            self.setText(f"{self.answers.of('width').value.findings['widest']:.6g}")

    def showEvent(self, event):
        self.show_answer()

    def follow(self, change):
        self.show_answer()

    def apply_theme(self):
        pass

    def compute_all(self):
        pass

    def figures(self):
        return ()


PAGES = (WidthPage,)
"""
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

COMPARING = """
import numpy as np

from mvexplorer.engine.core.params import N_COMPONENTS, Param
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.spectral.eigenpairs import Decomposition

ONE = Param("one", "", None, "The view to be compared.", kind="view")
OTHERS = Param("others", "", None, "The views it is compared with.", kind="views", empty="all others")


def solve(stages):
    rest = np.mean([stages.view(i)[:, :2] for i in range(1, stages.n_views)], axis=0)
    return Decomposition(np.ones(2), (stages.view(0)[:, :2] - rest,))


METHODS = (
    Method(
        "contrast", "Contrast", "x - y", "A view less others' mean.", "A test", (ONE, OTHERS, N_COMPONENTS), solve,
        lambda found, params: found.blocks, requires="features", memory_class="features", uses_epsilon=False,
        min_views=2, keeps_units=True, first_component=0, assumes="Nothing.", cost="Nothing.",
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


@pytest.mark.nightly
def test_a_new_page_has_its_tab_and_follows_document_and_theme(notes, make_window, rest):
    window = make_window()
    show_data(window, small_data(48))
    rest(window)
    page = window.bottom.pages["notes"]
    assert isinstance(page, notes)
    assert window.bottom.parts["notes"].text() == "Notes"
    assert page.calls == []  # nobody looks at it
    assert window.bottom.show_page("notes") is page
    assert page.isVisible()
    assert window.bottom.place.id == "compare"
    assert [id for id, part in window.bottom.parts.items() if part.isVisible()] == ["agreement", "views", "notes"]
    show_data(window, small_data(36))
    assert page.text() == "36 samples"
    assert window.bottom.parts["notes"].text() == "Notes 36"
    window.workbench.change_settings(theme="dark")
    assert page.calls == ["follow", "theme"]
    window.workbench.change_settings(theme="light")


@pytest.mark.nightly
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
    window.bottom.show_page("spectrum")
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
    assert all(page.id in caught.value.hint for page in (*table.PLACES, *table.PAGES))


# A page with an analysis ------------------------------------------------------------------------------------------


@pytest.fixture
def width(tmp_path, monkeypatch):
    """One more row in the table of pages, and one in that of subjects."""
    analysis = written(tmp_path, "width_analysis", ANALYSIS)
    monkeypatch.setitem(sys.modules, "width_analysis", analysis)
    monkeypatch.setattr(table, "PAGES", (*table.PAGES, *written(tmp_path, "width_page", ANALYSIS_PAGE).PAGES))
    monkeypatch.setitem(diagnosis.SUBJECTS, "width", analysis.WIDTH)  # whoever has imported the table before


def test_a_new_analysis_is_computed_in_the_background_and_again_for_another_picture(width, make_window, rest, qtbot):
    window = make_window()
    show_data(window, small_data(48))
    rest(window)
    page = window.bottom.show_page("width")

    def widest():
        panel = window.workbench.diagnostics.panel
        return f"{np.ptp(window.controller.result(panel.id).result.embedding.coordinates, axis=0).max():.6g}"

    qtbot.waitUntil(lambda: page.text() == widest())
    former = page.text()
    commands.set_scale(window.document, 2.0)
    rest(window)
    qtbot.waitUntil(lambda: page.text() == widest())
    assert page.text() != former


def test_a_new_analysis_is_among_the_answers_of_diagnose(width, capsys):
    assert main(["diagnose", "helix-a", "--method", "multiview", "--of", "width,spectrum", "--json"]) == 0
    answers = json.loads(capsys.readouterr().out)
    embedding = embed(load("helix-a"), "multiview", epsilon=answers["epsilon"])
    assert answers["width"]["findings"]["widest"] == pytest.approx(np.ptp(embedding.coordinates, axis=0).max())
    assert list(answers)[-2:] == ["width", "spectrum"]


# An export --------------------------------------------------------------------------------------------------------


@pytest.fixture
def counted(tmp_path, monkeypatch):
    """One more row in the table of exports."""
    (export,) = written(tmp_path, "count_export", EXPORT).EXPORTS
    monkeypatch.setattr(exports, "EXPORTS", (*exports.EXPORTS, export))


@pytest.mark.nightly
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


@pytest.mark.nightly
def test_a_new_method_has_a_panel_with_its_form_and_survives_a_session(stretched, make_window, rest, tmp_path):
    window = make_window()
    window.library.open_source(("helix-a",))
    rest(window)
    add = window.actions_table.menus["Panels"].actions()
    next(action for action in add if action.text() == "Add panel …").trigger()
    offered = QApplication.activePopupWidget().list
    shown = [offered.item(row).text() for row in range(offered.count())]
    assert shown[-2:] == ["Others", "Stretched features"]
    QApplication.activePopupWidget().close()
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


# A method that compares one view with others ----------------------------------------------------------------------


@pytest.fixture
def contrast(tmp_path, monkeypatch):
    """One more family in the table of methods, whose parameters name views."""
    family = written(tmp_path, "contrast_method", COMPARING)
    monkeypatch.setattr(joined, "METHODS", Catalogue((*joined.METHODS, *family.METHODS), "method"))


@pytest.mark.nightly
def test_a_new_method_that_names_views_has_its_chip_and_survives_a_session(contrast, make_window, rest, tmp_path):
    window = make_window()
    window.library.open_source(("circles",))
    rest(window)
    names, Xs = window.document.data.view_names, window.document.data.Xs
    window.behaviour.add_panel("contrast")
    rest(window)
    id = window.document.state.panels[-1].id
    everything = window.grid.panels[id].menus.everything()
    menus = [entry.menu() for entry in everything.actions() if entry.text().startswith(("Of", "Beyond"))]
    entries = [action for menu in menus for action in menu.actions() if action.isCheckable()]
    assert [(action.text(), action.isChecked()) for action in entries] == [
        (names[0], True), *((name, False) for name in names[1:]),  # the one
        *((name, True) for name in names[1:]),  # the others
    ]  # fmt: skip
    entries[1].trigger()
    rest(window)
    assert panel_titles(window.document.state)[id] == f"Contrast · {names[1]} beyond {names[0]}"
    found = window.controller.result(id).result.embedding
    np.testing.assert_allclose(found.coordinates, Xs[1][:, :2] - Xs[0][:, :2])
    window.library.session_path = tmp_path / "kept.mvx.json"
    window.library.save()
    commands.close_panel(window.document, id)
    window.document.mark_saved()
    window.library.open_session(tmp_path / "kept.mvx.json")
    rest(window)
    assert panel_titles(window.document.state)[id] == f"Contrast · {names[1]} beyond {names[0]}"
    np.testing.assert_allclose(window.controller.result(id).result.embedding.coordinates, found.coordinates)


def test_a_new_method_that_names_views_is_on_the_command_line(contrast, capsys):
    (first, second), Xs = load("helix-a").view_names, load("helix-a").Xs
    assert main(["embed", "helix-a", "--method", "contrast", "--set", f"one={second}", "--set", f"others={first}"]) == 0
    row = np.array(capsys.readouterr().out.splitlines()[1].split(",")[1:3], dtype=float)
    np.testing.assert_allclose(row, Xs[1][0, :2] - Xs[0][0, :2], rtol=1e-6)
    assert main(["embed", "helix-a", "--method", "contrast", "--set", f"others={first}"]) == 2
    assert f"View “{first}” knows nothing beyond itself." in capsys.readouterr().err
