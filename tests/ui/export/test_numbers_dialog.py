"""Numbers leave the window: one card asks which, a job writes them, one line tells where they are."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QWidget
from windows import PATIENCE_MS, show_fresh, small_data

from mvexplorer.errors import ComputeError
from mvexplorer.figures import Curves, Figure
from mvexplorer.state.session.settings import NumbersChoice
from mvexplorer.ui.export.numbers_dialog import FORMS, NumbersDialog, Offered
from mvexplorer.ui.pages.figure_files import export_figure_numbers
from mvexplorer.ui.pages.tune.sweep_files import export_scores
from mvexplorer.ui.widgets import dialogs
from mvexplorer.ui.window.exports.selection_export import SelectionCard
from mvexplorer.ui.window.selections import show_contents

OFFERED = Offered("Multi-view", 6, tuple(f"s{i}" for i in range(9)), (3, 5), "cells.h5ad", "")


@pytest.fixture
def card(app, qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)

    def make(offered=OFFERED, **present):
        return NumbersDialog(offered, NumbersChoice(**present), parent)

    return make


def form(dialog, name):
    dialog.form.setCurrentIndex(list(FORMS).index(name))


def test_the_card_begins_as_it_was_left(card):
    dialog = card(form="npz", kinds=("spectrum", "selection"), all_panels=False)
    assert dialog.choice == NumbersChoice(form="npz", kinds=("spectrum", "selection"), all_panels=False)
    assert dialog.sample.text() == "s3"
    assert dialog.kinds["selection"].text() == "Selection (2)"
    assert dialog.panels.currentText() == "Multi-view"


def test_what_will_be_written_is_told_before(card):
    dialog = card(kinds=("coordinates", "scores"))
    assert dialog.told.text() == "7 files with a common prefix. Parameters are saved in a .json file."
    dialog.panels.setCurrentIndex(1)
    dialog.kinds["scores"].setChecked(False)
    assert dialog.told.text().startswith("One table.")
    form(dialog, "obsm")
    assert "cells.h5ad" in dialog.told.text()
    assert not dialog.kinds["scores"].isEnabled()


def test_names_that_are_formulas_are_told_and_can_be_escaped(card):
    dialog = card(replace(OFFERED, formulas=True), kinds=("scores",))
    told = "One table and a .json file. Some names begin with = + - or @: formulas for a spreadsheet."
    assert not dialog.choice.csv_safe
    assert dialog.told.text() == told
    dialog.csv_safe.setChecked(True)
    assert dialog.choice.csv_safe
    assert dialog.told.text() == "One table. Parameters are saved in a .json file."
    assert card(csv_safe=True).csv_safe.isChecked()
    form(dialog, "parquet")
    assert not dialog.csv_safe.isEnabled()


@pytest.mark.parametrize("safe", [pytest.param(False, marks=pytest.mark.nightly), True])
def test_every_table_of_the_window_is_as_chosen(make_window, qtbot, rest, monkeypatch, tmp_path, safe):
    def file(name):
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / name), ""))

    window, data = make_window(), small_data()
    ids, columns = ["=1", *data.sample_ids[1:]], {"+batch": data.columns["batch"]}
    show_fresh(window, data.replace(sample_ids=ids, columns=columns))
    rest(window)
    choice = {"kinds": ("coordinates",), "csv_safe": safe, "all_panels": False}
    export(window, qtbot, monkeypatch, tmp_path / "numbers.csv", "Saved numbers", **choice)
    saved = []
    window.editor.saved.connect(lambda path: saved.append(path.name))
    file("selection.csv")
    window.editor.select((0, 1))
    show_contents(window.workbench, window.behaviour.show_sample, window)
    (dialog,) = [d for d in window.findChildren(QDialog) if hasattr(d, "export")]
    dialog.export.click()
    next(card for card in QApplication.topLevelWidgets() if isinstance(card, SelectionCard)).save.click()
    dialog.close()
    file("figure.csv")
    figure = Figure("A", Curves("x", "y", ()), columns={"=x": np.array(["-a", "b"]), "y": np.array([-1.5, 2.0])})
    export_figure_numbers(window, window.workbench, figure)
    file("sweep.csv")
    sweeper = SimpleNamespace(columns=("=x",), table=lambda: [("@v",), (-1.5,)])
    export_scores(window, SimpleNamespace(sweeper=sweeper, settings=window.settings, editor=window.editor))
    files = [f"{name}.csv" for name in ("selection", "figure", "sweep")]
    qtbot.waitUntil(lambda: set(files) <= set(saved), timeout=PATIENCE_MS)
    begin = {"numbers": ("id", "=1,"), "selection": ("id", "=1,"), "figure": ("=x", "-a,-1.5"), "sweep": ("=x", "@v")}
    mark = "'" if safe else ""
    for name, words in begin.items():
        head, first, *_ = (tmp_path / f"{name}.csv").read_text("utf-8").splitlines()
        assert first.startswith(f"{mark}{words[1]}"), name
        assert head.lstrip('"').startswith(mark + words[0] if words[0] == "=x" else words[0]), name


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda d: d.kinds["coordinates"].setChecked(False), "Tick a kind"),
        (lambda d: (d.kinds["distances"].setChecked(True), d.sample.setText("s77")), "No sample has this name"),
        (lambda d: (d.kinds["coordinates"].setChecked(False), d.kinds["selection"].setChecked(True)), "Nothing is sel"),
        (lambda d: form(d, "obsm"), "This data came from a table."),
    ],
)
def test_what_cannot_be_written_is_told_in_a_sentence(card, change, told):
    dialog = card(replace(OFFERED, selection=(), copied="", refused="This data came from a table."),
                  kinds=("coordinates",))  # fmt: skip
    assert dialog.save.isEnabled()
    change(dialog)
    assert dialog.told.text().startswith(told)
    assert dialog.told.property("role") == "error"
    assert not dialog.save.isEnabled()


def said(window):
    return " ".join(banner.text for banner in window.banners._shown())


def export(window, qtbot, monkeypatch, path, told="", **choice):
    """The whole way: menu, card, file dialog, job; waits until the window says what is told."""
    window.workbench.change_settings(numbers=NumbersChoice(**choice))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    window.actions_table.actions["Export numbers …"].trigger()
    (dialog,) = [d for d in window.findChildren(NumbersDialog) if d.isVisible()]
    dialog.save.click()
    qtbot.waitUntil(lambda: told in said(window), timeout=PATIENCE_MS)


def test_numbers_go_from_the_menu_to_files(window, qtbot, rest, monkeypatch, tmp_path):
    window.editor.select((3, 4))
    rest(window)
    kinds = "coordinates", "distances", "selection"
    export(window, qtbot, monkeypatch, tmp_path / "out.csv", "beginning with “out”", kinds=kinds)
    state = window.document.state
    panel = next(p for p in state.panels if p.method == "multiview")
    found = pl.read_csv(tmp_path / f"out-{panel.id}-multiview.csv")
    wanted = window.controller.result(panel.id).result.embedding.coordinates
    np.testing.assert_array_equal(found.drop("id", "label").to_numpy(), wanted)
    assert pl.read_csv(tmp_path / f"out-{panel.id}-multiview-distances.csv")["distance"][3] == 0.0
    assert pl.read_csv(tmp_path / "out-selection.csv")["id"].to_list() == ["s03", "s04"]
    assert json.loads((tmp_path / "out.json").read_text())["selection"] == [3, 4]
    assert set(window.settings.numbers.kinds) == set(kinds)


def test_files_that_are_there_are_asked_about(window, qtbot, monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(dialogs, "choose", lambda *words: asked.append(words[1:3]))
    (tmp_path / "out-scores.csv").write_text("mine")
    export(window, qtbot, monkeypatch, tmp_path / "out.csv", kinds=("scores", "spectrum"))
    assert asked == [("Replace a file?", "There already: out-scores.csv.")]
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == ["out-scores.csv"]
    assert (tmp_path / "out-scores.csv").read_text() == "mine"


def test_a_folder_that_is_gone_is_told_and_the_next_file_is_written(window, qtbot, monkeypatch, tmp_path):
    export(window, qtbot, monkeypatch, tmp_path / "gone" / "a.npz", "a.npz cannot be written", form="npz")
    export(window, qtbot, monkeypatch, tmp_path / "a.npz", "Saved a.npz.", form="npz")
    assert "cannot be written" not in said(window)


def test_a_panel_without_a_result_is_named(window, qtbot, monkeypatch, tmp_path):
    panel = next(p for p in window.document.state.panels if p.method == "multiview")
    found = window.controller.results[panel.id]
    monkeypatch.setattr(found, "result", None)
    monkeypatch.setattr(found, "error", ComputeError("Too small.", "Enlarge ε."))
    told = "Not written, since there is no result: Multi-view."
    export(window, qtbot, monkeypatch, tmp_path / "a.parquet", told, form="parquet", kinds=("scores",))
    assert "Multi-view" not in pl.read_parquet(tmp_path / "a.parquet")["panel"].to_list()
