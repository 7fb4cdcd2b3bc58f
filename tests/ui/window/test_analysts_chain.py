"""An analyst's hour by mouse and keys alone: three tables that do not fit, to a finding that is tested and exported."""

from __future__ import annotations

import json
import runpy

import numpy as np
import polars as pl
import pytest
from hand import Hand
from patients import GENES, KINDS, PATIENTS, SCANNED, VOXELS, diagnoses, patient, write_patients
from PySide6.QtCore import QPoint
from scipy.spatial import ConvexHull

from mvexplorer.engine.api.result import Embedding

MOST = 30
"""Actions: clicks, drags, key chords and filled fields."""
NAME = "Blue arc"


@pytest.mark.nightly
def test_from_three_tables_to_an_exported_finding(make_window, qtbot, rest, tmp_path):
    files = write_patients(tmp_path)
    window = make_window()
    hand = Hand(window)
    read_by_hand(hand, window, qtbot, rest, files)
    assert_paired(window)
    panel = window.grid.panels[window.document.state.panels[-1].id]
    hand.click(panel.canvas.viewport(), QPoint(12, 12), "the picture of Multi-view")
    go_to(hand, window, rest, "Validate")
    hand.click(window.bottom.current.list.rows["permutation"].button)
    rest(window)
    bands = window.workbench.checks.of(panel.id).null
    assert set(bands) == {"patients", "expr", "scan"}
    assert bands["expr"].p < 0.1  # the least that ten runs can tell
    go_to(hand, window, rest, "Compare")
    compare_most_different(hand, window, rest)
    hand.drag(panel.canvas.viewport(), around(window, panel), "a lasso")
    rest(window)
    hand.press("Describe")
    rest(window)
    hand.fill(NAME)
    rest(window)
    (named,) = window.document.state.selections.named
    assert (named.name, [window.document.data.labels[row] for row in named.samples]) == (NAME, [KINDS[0]] * 133)
    export_by_hand(hand, window, rest)
    assert_exported(window, panel, named, tmp_path)
    assert len(hand.actions) <= MOST, hand.actions


def read_by_hand(hand, window, qtbot, rest, files):
    """Open the files on the import page: missing values filled in, a view z-scored, the diagnosis as the label."""

    def read():
        qtbot.waitUntil(lambda: (now := window.library.imports.present) is not None and now.state == "ready")
        rest(window)

    hand.drop(files)
    read()
    hand.press("Fill in from nearest samples")
    read()
    hand.press("z-score patients")
    hand.press("Use “Diagnose” as the label")
    read()
    hand.key("Return")
    qtbot.waitUntil(lambda: window.document.data is not None)
    rest(window)


def assert_paired(window):
    data, kinds = window.document.data, diagnoses()
    row_of = {patient(i): i for i in range(PATIENTS)}
    rows = [row_of[id] for id in data.sample_ids]
    assert [X.shape for X in data.Xs] == [(SCANNED, 5), (SCANNED, GENES), (SCANNED, VOXELS)]
    assert list(data.labels) == [kinds[row] for row in rows]
    assert all(np.isfinite(X).all() for X in data.Xs)
    assert [view.preprocess for view in window.document.state.views] == ["zscore", "none", "none"]


def go_to(hand, window, rest, title):
    """Click on the tab of a place."""
    tabs = window.bottom.tabs
    (index,) = [i for i in range(tabs.count()) if tabs.tabText(i) == title]
    hand.click(tabs, tabs.tabRect(index).center(), title)
    rest(window)


def compare_most_different(hand, window, rest):
    """Click on the darkest cell."""
    matrix, agreement = window.bottom.current.matrix, window.workbench.comparer.agreement
    i, j = np.unravel_index(np.nanargmax(np.triu(agreement.matrix, 1)), agreement.matrix.shape)
    hand.click(matrix, matrix.centre_of(int(i), int(j)), "the pair that differs most")
    rest(window)
    assert window.workbench.comparer.pair == (agreement.names[i], agreement.names[j])


def around(window, panel):
    """A lasso around the samples of the first class in a panel, ten pixels off the outermost."""
    places = panel.canvas.positions_of(np.flatnonzero(window.document.data.labels == KINDS[0]))
    hull = places[ConvexHull(places).vertices]
    away = hull - hull.mean(axis=0)
    ring = hull + 10 * away / np.linalg.norm(away, axis=1, keepdims=True)
    return [*map(tuple, ring), tuple(ring[0])]


def export_by_hand(hand, window, rest):
    """Write the selection, a picture, a web page and a script; but for the picture Return takes the name proposed."""
    hand.will_answer()
    hand.press("Export samples …")
    rest(window)
    hand.key("Escape")
    hand.key("Ctrl+E")
    hand.choose("Format", "PDF, vectors")
    hand.will_answer("finding.pdf")
    hand.press("Save …")
    rest(window)
    for entry in ("Web page …", "Python script …"):
        hand.will_answer()
        hand.menu(window.menuBar(), "File", "Export", entry)
        if entry == "Web page …":
            hand.press("Save …")
        rest(window)


def assert_exported(window, panel, named, folder):
    data, shown = window.document.data, window.controller.result(panel.id).result.embedding
    table = pl.read_csv(folder / f"{NAME}.csv")
    assert table["id"].to_list() == [data.sample_ids[row] for row in named.samples]
    assert set(table["selection"]) == {NAME}
    assert set(table["Diagnose"]) == {KINDS[0]}
    made = json.loads((folder / f"{NAME}.json").read_text("utf-8"))
    np.testing.assert_array_equal(table[made["coordinates"]].to_numpy(), shown.coordinates[list(named.samples)])
    assert (folder / "finding.pdf").read_bytes().startswith(b"%PDF")
    assert "<html" in (folder / "session.html").read_text("utf-8")
    made_again = runpy.run_path(str(folder / "session.py"))
    coordinates = [value.coordinates for value in made_again.values() if isinstance(value, Embedding)]
    assert any(Y.shape == shown.coordinates.shape and np.allclose(Y, shown.coordinates, atol=1e-8) for Y in coordinates)
