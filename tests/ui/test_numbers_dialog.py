"""Numbers leave the window: one card asks which, a job writes them, one line tells where they are."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from PySide6.QtWidgets import QFileDialog, QWidget

from mvexplorer.errors import ComputeError
from mvexplorer.state.settings import NumbersChoice
from mvexplorer.ui.export.numbers_dialog import FORMS, NumbersDialog, Offered
from mvexplorer.ui.widgets import dialogs

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
    assert dialog.told.text() == "7 tables whose names begin alike. How all was made stands in a .json beside."
    dialog.panels.setCurrentIndex(1)
    dialog.kinds["scores"].setChecked(False)
    assert dialog.told.text().startswith("One table.")
    form(dialog, "obsm")
    assert "cells.h5ad" in dialog.told.text()
    assert not dialog.kinds["scores"].isEnabled()


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
    qtbot.waitUntil(lambda: told in said(window), timeout=20_000)


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
