"""Every figure that a page draws can be exported as PNG, SVG, PDF, CSV and JSON by one entry of the menu."""

import csv
import json
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QPushButton

from mvexplorer.state.document import commands
from mvexplorer.state.document.diagnostics_choices import FIGURES
from mvexplorer.ui.cloud.encoding import KEY as KEY_OF_RECORD
from mvexplorer.ui.export.figure_dialog import FigureDialog
from mvexplorer.ui.pages import table
from mvexplorer.ui.widgets import saving
from mvexplorer.ui.widgets.export_dialog import FORMATS, NUMBERS
from mvexplorer.ui.window.exports.figure_export import save_figure

pytestmark = pytest.mark.panels(3)

DRAWN = {
    "spectrum": ["Eigenvalues of the panels"],
    "tune": [
        "Slope of log S of plain",
        "Slope of log S of wavy",
        "Pair plain and wavy",
        "Graph of plain",
        "Class curves of plain",
        ": NMI against the bandwidth",
    ],
    "agreement": ["Disagreement of every two panels", "Disagreement of", "→"],
    "validate": [
        "Permutation test",
        "Eigenvalues beside those",
        "Shared structure of the views",
        "Redundant coordinates",
        "Kept neighbours of panels and views",
        "Outliers of the views",
        "Pieces of the views",
    ],
    "views": ["What each view adds to", "Component correlations", "Commutators"],
    "diagnostics": ["Spectrum λᵗ of", "Transition matrix of"],
}


@pytest.fixture
def shown(window, rest):
    """The shared window, in which a page has computed all it can."""
    window.editor.focus(window.document.state.panels[-1].id)
    before = window.settings.tune_plots
    window.workbench.change_settings(tune_plots=("links", "classes", "pair", "sweep"))

    def show(id):
        page = window.bottom.show_page(id)
        rest(window)
        page.compute_all()
        rest(window)
        return window, page

    yield show
    window.workbench.change_settings(tune_plots=before)


def check_file(path):
    """The file holds a picture in which something is drawn, or numbers."""
    if path.suffix == ".png":
        image = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB32)
        pixels = np.array(image.constBits()).reshape(image.height(), image.width(), 4)[70:]
        assert len(np.unique(pixels.reshape(-1, 4), axis=0)) > 5
    elif path.suffix == ".svg":
        assert len(list(ElementTree.parse(path).getroot().iter())) > 15
    elif path.suffix == ".pdf":
        assert path.read_bytes().startswith(b"%PDF")
        assert path.stat().st_size > 2000
    elif path.suffix == ".json":
        contents = json.loads(path.read_text("utf-8"))
        assert contents.get("columns") or contents.get("matrix")
    else:
        assert len(list(csv.reader(path.read_text("utf-8").splitlines()))) > 1


LONG = {"tune", "validate"}
"""Pages of most figures."""


@pytest.mark.parametrize(
    "id", [pytest.param(page.id, marks=pytest.mark.nightly) if page.id in LONG else page.id for page in table.PAGES]
)
def test_every_figure_of_every_page_goes_to_every_kind_of_file(shown, qtbot, tmp_path, monkeypatch, id):
    window, page = shown(id)
    figures = page.figures()
    for figure, title in zip(figures, DRAWN[id], strict=True):
        assert title in figure.title
    check_files(window, figures, qtbot, tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "id",
    [
        id if id in ("kernel", "roc") else pytest.param(id, marks=pytest.mark.nightly)
        for id in FIGURES if id not in ("spectrum", "metric")
    ],
)  # fmt: skip
def test_so_does_each_figure_of_the_diagnostics(shown, rest, qtbot, tmp_path, monkeypatch, id):
    window, page = shown("diagnostics")
    window.editor.choose_diagnostics(figure=id)
    rest(window)
    check_files(window, page.figures()[:1], qtbot, tmp_path, monkeypatch)


def check_files(window, figures, qtbot, tmp_path, monkeypatch):
    """Each figure is written in each form."""
    saved = []
    window.editor.saved.connect(lambda path: saved.append(path.name))
    for number, figure in enumerate(figures):
        for ending in (*FORMATS.values(), *NUMBERS.values()):
            name = f"{number}{ending}"
            monkeypatch.setattr(saving, "save_file", lambda *_, name=name: tmp_path / name)
            save_figure(window.behaviour.scene, figure, (ending, 1.0, 96.0))
            qtbot.waitUntil(lambda name=name: name in saved)
            check_file(tmp_path / name)


def test_their_numbers_are_those_of_the_engine(shown):
    window, page = shown("tune")
    growth, _, pair, graph, classes, _ = page.figures()
    squared = ((window.document.data.Xs[0][:, None] - window.document.data.Xs[0][None]) ** 2).sum(axis=2)
    epsilon, n = growth.columns["epsilon"], len(squared)
    log_sum = np.array([np.log(np.exp(-squared / (2.0 * e)).sum()) for e in epsilon])
    np.testing.assert_allclose(growth.columns["log_sum"], log_sum, rtol=1e-3)
    slope = np.gradient(log_sum, np.log(epsilon))
    np.testing.assert_allclose(growth.columns["dimension"][2:-2], 2.0 * slope[2:-2], rtol=0.05, atol=0.02)
    assert (graph.columns["components"][0], graph.columns["components"][-1]) == (n, 1)
    assert all(np.nanmax(series.y) == pytest.approx(1.0) for series in classes.body.series)
    assert pair.body.values.shape == (len(pair.body.y), len(pair.body.x))
    page = window.bottom.show_page("spectrum")
    page.refresh()
    (spectra,) = page.figures()
    results = [window.controller.result(panel.id).result for panel in window.document.state.panels]
    for values in (result.embedding.eigenvalues for result in results):
        assert any(len(s.y) == len(values) and np.allclose(s.y, values, atol=1e-6) for s in spectra.body.series)


@pytest.mark.parametrize("id", ["tune", "diagnostics"])
def test_the_record_in_a_file_tells_what_the_figure_was_made_with(shown, qtbot, tmp_path, monkeypatch, id):
    """Whether the menu wrote it or the page's own button."""
    window, page = shown(id)
    monkeypatch.setattr(saving, "save_file", lambda *_: tmp_path / "a.png")
    save_figure(window.behaviour.scene, page.figures()[-1 if id == "tune" else 0], (".png", 1.0, 96.0))
    record = json.loads(QImage(str(tmp_path / "a.png")).text(KEY_OF_RECORD))
    state = window.document.state
    assert record["source"] == list(state.source)
    if id == "tune":
        assert record["score"] == "nmi"
        assert record["curves"] == {c.title: [list(v) for v in c.values("nmi")] for c in window.sweeper.curves}
    else:
        assert record["choices"] == state.diagnostics.model_dump(mode="json")


@pytest.mark.nightly
def test_the_menu_asks_which_figure_and_in_which_form(shown, qtbot, tmp_path, monkeypatch):
    window, page = shown("tune")
    monkeypatch.setattr(saving, "save_file", lambda parent, title, name, kinds: tmp_path / name)
    window.actions_table.actions["Export figure …"].trigger()
    (dialog,) = window.findChildren(FigureDialog)
    assert dialog.accessibleName() == "Export figure"
    assert [dialog.figure.itemText(i) for i in range(dialog.figure.count())] == [
        figure.title for figure in page.figures()
    ]
    dialog.figure.setCurrentIndex(3)
    dialog.format.setCurrentText("CSV, numbers")
    assert dialog.pixels.text() == "All its numbers"
    next(button for button in dialog.findChildren(QPushButton) if button.text() == "Save …").click()
    qtbot.waitUntil(lambda: "Saved graph-of-plain.csv." in window.banners.texts())
    head = (tmp_path / "graph-of-plain.csv").read_text("utf-8").splitlines()[0]
    assert head == '"epsilon","mean degree","components","isolated"'


def test_a_page_without_a_figure_says_so(window):
    for panel in window.document.state.panels[2:]:
        commands.close_panel(window.document, panel.id)  # what is left is of one view
    window.bottom.show_page("views")
    window.actions_table.actions["Export figure …"].trigger()
    assert window.banners.texts() == [
        "This page draws no figure now. Open a page that does, or wait until it is computed."
    ]
