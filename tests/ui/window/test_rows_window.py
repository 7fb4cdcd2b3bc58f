"""Files whose rows are in doubt, in the window: a page with buttons, and names that stay names."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from windows import PATIENCE_MS, show_fresh

from mvexplorer.engine.bandwidth.manifold_scaling import ManifoldScaling
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document import commands
from mvexplorer.ui.pages.feature_weights import WeightsPanel

pytestmark = pytest.mark.panels(3)

M = 24
RNG = np.random.default_rng(11)
X, Y = RNG.normal(size=(M, 2)).round(3), RNG.normal(size=(M, 3)).round(3)
ORDER = RNG.permutation(M)


def table(path, numbers, rows=range(M), **columns):
    lines = [",".join([*columns, *(f"f{j}" for j in range(numbers.shape[1]))])]
    lines += [",".join([*(str(values[i]) for values in columns.values()), *map(str, numbers[i])]) for i in rows]
    path.write_text("\n".join(lines))
    return str(path)


def open_and_wait(window, qtbot, *files):
    window.library.open_source(files)
    qtbot.waitUntil(lambda: bool(window.banners.texts()), timeout=PATIENCE_MS)


def ask_and_wait(window, qtbot, *files):
    """The import page that files in doubt lead to, once it has its questions."""
    window.library.open_source(files)
    qtbot.waitUntil(lambda: window.docks.importing is not None, timeout=PATIENCE_MS)
    page = window.docks.importing
    qtbot.waitUntil(lambda: page.importing.state == "ready", timeout=PATIENCE_MS)
    qtbot.wait(0)  # the cards are shown in their next turn
    return page


def click(window, text):
    buttons = {b.text(): b for banner in window.banners._shown() for b in banner.buttons}
    QTest.mouseClick(buttons[text], Qt.MouseButton.LeftButton)


def settle(page, text, qtbot):
    """Click what settles the doubt, and open what it leads to."""
    buttons = {b.text(): b for row in page.checks.rows for b in row.buttons}
    QTest.mouseClick(buttons[text], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.importing.state == "ready", timeout=PATIENCE_MS)
    QTest.mouseClick(page.bar.open, Qt.MouseButton.LeftButton)


@pytest.mark.parametrize(
    ("button", "paired"), [("Join by time", Y), pytest.param("Pair by position", Y[ORDER], marks=pytest.mark.nightly)]
)
def test_rows_in_doubt_are_decided_by_a_button(window, qtbot, rest, tmp_path, button, paired):
    time = [f"{1.5 * i + 0.25}" for i in range(M)]
    files = table(tmp_path / "x.csv", X, time=time), table(tmp_path / "y.csv", Y, ORDER, time=time)
    before = window.document.state
    page = ask_and_wait(window, qtbot, *files)
    assert window.document.state == before
    assert "in another order" in page.checks.texts[0]
    assert "--" not in page.checks.texts[0]
    assert "=" not in page.checks.texts[0]
    settle(page, button, qtbot)
    qtbot.waitUntil(lambda: window.document.state != before, timeout=PATIENCE_MS)
    rest(window)
    np.testing.assert_array_equal(window.document.data.Xs[1][:, -3:], paired)
    reading = window.document.state.reading
    assert (reading.ids, reading.join) in {("time", None), (None, "position")}


@pytest.mark.nightly
def test_the_shared_samples_are_kept_and_the_page_says_so_before_it_opens(window, qtbot, rest, tmp_path):
    who = [f"p{i}" for i in range(M)]
    files = table(tmp_path / "x.csv", X, range(20), who=who), table(tmp_path / "y.csv", Y, range(4, M), who=who)
    page = ask_and_wait(window, qtbot, *files)
    qtbot.waitUntil(lambda: page.importing.state == "ready", timeout=PATIENCE_MS)
    assert "16 of 20 in x.csv, 16 of 20 in y.csv" in page.checks.texts[0]
    QTest.keyClick(page, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.document.data.n_samples == 16, timeout=PATIENCE_MS)
    rest(window)
    np.testing.assert_array_equal(window.document.data.Xs[1], Y[4:20])
    assert window.document.state.reading.join == "intersect"


def test_a_table_that_looks_turned_is_turned_by_a_button(window, qtbot, rest, tmp_path):
    lines = [",".join(["gene", *(f"P{i}" for i in range(M))])]
    lines += [",".join([f"gene {c}", *map(str, row)]) for c, row in zip("abc", Y.T, strict=True)]
    (tmp_path / "genes.csv").write_text("\n".join(lines))
    page = ask_and_wait(window, qtbot, str(tmp_path / "genes.csv"))
    assert page.importing.inspection.n_samples == 3
    settle(page, "Transpose", qtbot)
    qtbot.waitUntil(lambda: window.document.data.n_samples == M, timeout=PATIENCE_MS)
    rest(window)
    assert window.document.data.feature_names == (("gene a", "gene b", "gene c"),)
    assert window.document.data.sample_ids[:2] == ("P0", "P1")


@pytest.mark.nightly
def test_a_column_is_used_as_the_label_by_a_button(window, qtbot, rest, tmp_path):
    kinds = ["benign", "malignant"] * (M // 2)
    files = table(tmp_path / "x.csv", X, diagnosis=kinds), table(tmp_path / "y.csv", Y)
    open_and_wait(window, qtbot, *files)
    rest(window)
    click(window, "Use “diagnosis” as the label")
    rest(window)
    assert np.asarray(window.document.data.labels).tolist() == kinds
    assert list(window.points.legend.names) == ["benign", "malignant"]
    assert window.document.undo_label == "Use diagnosis as the label"
    window.document.undo()
    rest(window)
    assert window.document.data.labels is None


@pytest.mark.nightly
def test_another_reading_keeps_the_label_and_the_preprocessing_chosen_before(window, qtbot, rest, tmp_path):
    kinds = ["benign", "malignant"] * (M // 2)
    columns = {f"wt_{i}": X[:, i % X.shape[1]] + i for i in range(4)} | {
        f"mt_{i}": Y[:, i % Y.shape[1]] for i in range(4)
    }
    lines = [
        ",".join([*columns, "befund"]),
        *(",".join(map(str, row)) for row in zip(*columns.values(), kinds, strict=True)),
    ]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    open_and_wait(window, qtbot, str(tmp_path / "t.csv"))
    rest(window)
    click(window, "Use “befund” as the label")
    window.editor.set_preprocess("t", "zscore")
    rest(window)
    (split,) = [b.text() for banner in window.banners._shown() for b in banner.buttons if b.text().startswith("Split")]
    click(window, split)
    qtbot.waitUntil(lambda: len(window.document.state.views) == 2, timeout=PATIENCE_MS)
    rest(window)
    assert np.asarray(window.document.data.labels).tolist() == kinds
    assert [view.preprocess for view in window.document.state.views] == ["zscore", "zscore"]


@pytest.mark.nightly
def test_views_to_z_score_are_known_whatever_they_are_called(window, qtbot, rest, tmp_path):
    uneven = np.column_stack([X, 1e6 * X[:, 0]])
    who = [f"p{i}" for i in range(M)]
    salt, black = tmp_path / "salt and pepper.csv", tmp_path / "pepper, black.csv"
    files = table(salt, uneven, who=who), table(black, Y, who=who)
    open_and_wait(window, qtbot, *files)
    rest(window)
    assert window.banners.texts()[0].startswith("The scales of columns differ")
    assert [button.text() for button in window.banners._shown()[0].buttons][1] == "Keep these scales"
    click(window, "z-score salt and pepper")
    assert [v.preprocess for v in window.document.state.views] == ["zscore", "none"]


def test_names_of_features_are_offered_to_colour_by(window, rest):
    data = MultiView({"plain": X, "named": Y}, feature_names=[None, ["<b>mean</b>", "width & length", "x"]])
    show_fresh(window, data, 3)
    rest(window)
    offered = [window.points.sources.itemText(i) for i in range(window.points.sources.count())]
    assert {"plain, feature 2", "named, width & length"} <= set(offered)
    found = window.behaviour._find_in_data("width")
    assert [entry.text for entry in found] == ["Colour by named, width & length"]
    found[0].do()
    assert window.document.state.colour == "feature:named:1"
    assert window.styling.colouring.title == "named, width & length"
    commands.colour_by(window.document, "feature:named:0")
    window.editor.keep_sample(3)
    shown = window.points.card._words.text()
    assert "&lt;b&gt;mean" in shown
    assert "<b>mean" not in shown


def test_names_of_features_are_in_the_table_of_weights(window, rest, monkeypatch):
    names = ["mean", "width", "x"]
    show_fresh(window, MultiView({"plain": X, "named": Y}, feature_names=[None, names]), 3)
    rest(window)
    weights = np.array([0.1, 2.0, 1.0])
    monkeypatch.setattr(window.analyser, "ask_weights", lambda *_: None)
    for view, expected in (("named", ["width", "x", "mean"]), ("plain", ["2", "3", "1"])):
        panel = WeightsPanel(view, window.workbench, window)
        monkeypatch.setattr(panel, "_width", lambda: 3)
        found = ManifoldScaling(weights, 1.0, np.arange(3), 1, weights, weights, M, spread=np.ones(3))
        panel._show(found, "")
        assert [panel.features.cell(row, 0) for row in range(3)] == expected
        panel.done(0)
