"""Scores against the bandwidth by clicks: watched, stopped, read off, dragged, and written to files."""

from __future__ import annotations

import csv
import json
import os
import sys
from threading import Semaphore
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from windows import PATIENCE_MS, show_data, small_data

from mvexplorer.compute.batch.axes import axes
from mvexplorer.compute.batch.sweep_path import SweepPath
from mvexplorer.compute.jobs import jobs
from mvexplorer.compute.jobs.runner import Scores
from mvexplorer.engine.bandwidth.curves import DECADES
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.metrics import Score
from mvexplorer.state.batches.sweeper import Curve
from mvexplorer.state.document import commands
from mvexplorer.ui.cloud.encoding import KEY as KEY_OF_RECORD
from mvexplorer.ui.pages.tune.sweep_figure import best_of, sweep_figure
from mvexplorer.ui.pages.tune.sweep_section import SweepSection
from mvexplorer.ui.pages.tune.sweep_words import factor_text, legend_text
from mvexplorer.ui.pages.tune.tune import RIGHT
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.formatting import number
from mvexplorer.ui.widgets.export_dialog import ExportDialog
from mvexplorer.ui.widgets.plots.curve_painting import ends_of, spread_heights
from mvexplorer.ui.widgets.plots.plot_axes import log_ticks

pytestmark = pytest.mark.panels(3)

LEFT, KEY, NONE = Qt.MouseButton.LeftButton, Qt.Key, Qt.KeyboardModifier.NoModifier


def quick_scores(coordinates, labels, task) -> Scores:
    """Numbers between 0 and 1 that tell embeddings apart, at once; turning coordinates changes nothing."""
    task.checkpoint()
    spread = float(np.square(coordinates).sum(axis=1).mean()) % 1.0
    return Scores(Score(spread, 0.01), Score(1.0 - spread))


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(jobs, "run_scores", quick_scores)


@pytest.fixture(scope="module")
def data() -> MultiView:
    """In the window from the start of each test, with its quick scores."""
    return small_data(40)


@pytest.fixture
def tab(_quick, window, rest) -> SweepSection:
    """The tab, open, with three panels to sweep and three values for each."""
    window.sweeper.curves.clear()  # those of the last test
    QTest.mouseClick(window.bottom.parts["tune"], LEFT)
    rest(window)
    section = window.bottom.pages["tune"].sweep
    window.bottom.pages["tune"].area.ensureWidgetVisible(section, 0, 0)
    assert section.isVisible()
    section.what.setCurrentIndex(0)
    section.along.list.setCurrentIndex(0)
    section.score.setCurrentIndex(0)
    section.values.show_text(str(3))
    section.resamples.show_text(str(0))
    for field, text in ((section.low, "0.03"), (section.high, "30")):
        field.setText(text)
        field.set_wrong(False)
    return section


@pytest.fixture
def sweep(tab, window, rest, qtbot):
    """Sweeps by a click, and waits for the end."""

    def go() -> SweepSection:
        QTest.mouseClick(tab.run, LEFT)
        qtbot.waitUntil(lambda: not window.sweeper.running, timeout=PATIENCE_MS)
        rest(window)
        return tab

    return go


def lines(tab: SweepSection) -> dict[str, tuple[list[float], list[float]]]:
    """What is drawn: title -> factors and scores."""
    return {series.name: (series.x.tolist(), series.y.tolist()) for series in tab.plot.figure.body.series}


def bands(tab: SweepSection) -> list[bool]:
    """Whether each curve has a band."""
    return [series.band is not None for series in tab.plot.figure.body.series]


def type_into(field, text: str) -> None:
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)
    QTest.keyClick(field, KEY.Key_Return)


# Sweeping -----------------------------------------------------------------------------------------------------


def test_a_sweep_by_one_click(sweep, window):
    tab = sweep()
    shown = lines(tab)
    assert list(shown) == ["Single · plain", "Single · wavy", "Kernel sum"]
    for curve in window.sweeper.curves:
        x, y = shown[curve.title]
        np.testing.assert_allclose(x, [0.03, 0.9487, 30.0], rtol=1e-3)
        assert y == [value for _, value in curve.values("nmi")]
        best = max(curve.scores("nmi").items(), key=lambda point: point[1].value)
        assert curve.title in tab.legend.text()
        places = (f" at × {factor_text(best[0])}", ", as good now")
        assert any(f"{numbers.score(best[1])}{place}" in tab.legend.text() for place in places)
    assert "± s.d. over ten k-means seeds" in tab.legend.text()
    assert tab.run.text() == "Sweep"
    assert not tab.bar.isVisible()
    assert tab.words.text() == "9 computations; click a point to see it, drag the line to move all ε"


@pytest.mark.nightly
def test_the_legend_wears_the_theme_chosen_after_the_sweep(sweep, window):
    tab = sweep()
    for choice, colours in (("dark", theme.DARK), ("light", theme.LIGHT)):
        window.workbench.change_settings(theme=choice)
        assert f"color:{colours.muted};" in tab.legend.text()


@pytest.mark.nightly
def test_a_page_that_is_opened_offers_what_there_is_to_sweep(window, rest):
    page = window.bottom.pages["tune"].sweep
    show_data(window, small_data(40))  # η and t are offered for the multi-view picture among six
    rest(window)
    assert not page.isVisible()
    QTest.mouseClick(window.bottom.parts["tune"], LEFT)
    rest(window)
    offered = {page.along.list.itemData(i) for i in range(page.along.list.count())}
    assert {"epsilon_scale", "epsilon:plain", "epsilon:wavy", "eta", "t", "n_components"} <= offered


@pytest.mark.nightly
def test_the_range_and_number_of_factors(tab, sweep, window):
    type_into(tab.low, "0.5")
    type_into(tab.high, "2")
    tab.values.show_text(str(5))
    sweep()
    np.testing.assert_allclose(lines(tab)["Kernel sum"][0], np.geomspace(0.5, 2, 5), rtol=1e-3)


@pytest.mark.nightly
def test_a_range_that_is_none_is_marked(tab, sweep):
    for low, high in (("5", "0.5"), ("0", "3"), ("-1", "3"), ("x", "3"), ("nan", "3")):
        tab.low.setText(low)
        tab.high.setText(high)
        sweep()
        assert tab.low.property("wrong") is True, (low, high)
        tab.low.setText("0.5")
        tab.high.setText("2")
        sweep()
        assert tab.low.property("wrong") is not True, (low, high)


def test_the_other_score(sweep, window):
    tab = sweep()
    tab.score.setCurrentText("k-NN accuracy")
    assert lines(tab)["Kernel sum"][1] == [value for _, value in window.sweeper.curves[2].values("knn")]
    assert tab.plot.figure.body.y_label == "k-NN accuracy (all r coordinates)"


@pytest.mark.nightly
def test_all_methods(tab, sweep, window):
    tab.what.setCurrentText("All methods")
    tab.values.show_text(str(3))
    sweep()
    found = window.sweeper
    assert len(found.curves) > 12
    assert set(lines(tab)) == {curve.title for curve in found.curves}
    assert "without a score" in tab.words.text()
    assert "Tensor CCA needs at least 3 views and has 2" in tab.words.toolTip()


def test_a_method_without_bandwidth_is_a_level_line(tab, sweep, window):
    commands.set_method(window.document, "p3", "pca")
    sweep()
    x, y = lines(tab)["PCA"]
    assert np.log10(x) == pytest.approx(ends_of(tab.plot.figure.body).x)
    assert y == [window.sweeper.curves[2].values("nmi")[0][1]] * 2
    row = next(line for line in tab.legend.text().split("<br>") if "PCA" in line)
    assert "at ×" not in row


@pytest.mark.nightly
def test_resamplings_are_drawn_as_bands(tab, sweep, window):
    assert not any(bands(tab))
    tab.resamples.show_text(str(2))
    sweep()
    assert window.sweeper.total == 3 * 3 * 3
    assert bands(tab) == [True] * 3
    for curve, drawn in zip(window.sweeper.curves, tab.plot.figure.body.series, strict=True):
        np.testing.assert_array_equal(drawn.band, curve.band("nmi"))
    tab.resamples.show_text(str(0))
    sweep()
    assert not any(bands(tab))


@pytest.mark.nightly
def test_two_panels_of_one_method_are_two_curves(tab, sweep, window):
    """At two diffusion times, side by side."""
    copy = commands.duplicate_panel(window.document, "p3")
    commands.pin(window.document, copy, "t", 16)
    sweep()
    assert len(window.sweeper.curves) == 4
    assert len(tab.plot.figure.body.series) == 4
    assert tab.legend.text().count(" at × ") + tab.legend.text().count(", as good now") == 4


@pytest.mark.nightly
def test_without_classes_and_features_the_window_says_so(tab, window, rest):
    show_data(window, small_data(40, labels=False).replace(latent={}), 3)
    rest(window)
    assert [tab.score.itemText(i) for i in range(tab.score.count())][:1] == ["trustworthiness"]
    for view in window.document.state.enabled:
        commands.set_kernel(window.document, view, "precomputed")
    QTest.mouseClick(tab.run, LEFT)
    assert any("There is nothing to score against" in text for text in window.banners.texts())
    assert not window.sweeper.running
    assert tab.run.text() == "Sweep"


@pytest.mark.nightly
def test_rules_and_verdicts_stand_on_the_axis_of_epsilon(tab, window, rest):
    window.workbench.verdicts.ask()
    rest(window)
    tab.along.list.setCurrentIndex(tab.along.list.findData("epsilon:plain"))
    tab.show_sweep()
    low, high = (window.controller.median("plain") * 10.0**end for end in DECADES)
    epsilon = window.controller.summaries["plain"].rules
    shown = {marker.rule: marker.position for marker in tab.plot._markers}
    assert shown == {
        rule: value for rule, value in epsilon.items() if isinstance(value, float) and low <= value <= high
    }
    assert {role for *_, role in tab.plot._stretches} <= {"amber", "muted", "accent"}
    assert tab.plot._stretches
    tab.plot.rule_chosen.emit("median")
    assert window.document.state.view("plain").epsilon == "median"
    tab.along.list.setCurrentIndex(0)
    commands.set_scale(window.document, 2.0)
    rest(window)
    tab.show_sweep()
    here = {name: window.controller.effective_epsilon(name) for name in window.document.state.enabled}
    known = {name: window.controller.summaries[name].rules for name in here}
    (std,) = (marker for marker in tab.plot._markers if marker.rule == "std")
    factors = [2.0 * rules["std"] / here[name] for name, rules in known.items()]
    assert std.position == pytest.approx(float(np.exp(np.mean(np.log(factors)))))
    assert tab.plot._stretches
    tab.plot.rule_chosen.emit("std")
    assert window.document.state.epsilon_scale == pytest.approx(std.position)
    tab.along.list.setCurrentIndex(tab.along.list.findData("t"))
    tab.show_sweep()
    assert (tab.plot._markers, tab.plot._stretches) == ((), ())


# Watching and stopping ------------------------------------------------------------------------------------------


@pytest.fixture
def gate(monkeypatch):
    """Scores that wait until they are let through, one by one."""
    let_through, run = Semaphore(0), SweepPath.run

    def waiting(job, cache, task) -> Scores:
        assert let_through.acquire(timeout=30.0)
        return run(job, cache, task)

    monkeypatch.setattr(SweepPath, "run", waiting)
    yield let_through
    for _ in range(100):
        let_through.release()


def test_it_can_be_watched_and_stopped(tab, window, gate, qtbot, rest, monkeypatch):
    monkeypatch.setattr(window.sweeper._runner, "at_a_time", 1)
    QTest.mouseClick(tab.run, LEFT)
    assert tab.run.text() == "Stop"
    assert tab.bar.isVisible()
    assert tab.words.text() == "0 of 9 computed"
    gate.release()
    qtbot.waitUntil(lambda: window.sweeper.done == 1, timeout=PATIENCE_MS)
    gate.release()
    qtbot.waitUntil(lambda: window.sweeper.done == 2, timeout=PATIENCE_MS)
    assert tab.words.text() == "2 of 9 computed"
    assert tab.bar.value() == 2
    assert [len(lines(tab)[title][0]) for title in lines(tab)] == [1, 1, 0]  # what is known is shown
    qtbot.waitUntil(lambda: window.bottom.status.tasks.text() == "Tasks 1", timeout=PATIENCE_MS)
    assert not window.bottom.status.popover("tasks").content.rows  # nothing is listed until it is looked at
    tasks = window.bottom.show_page("tasks")
    qtbot.waitUntil(
        lambda: "Sweep 3 of 9" in " ".join(row.words.text() for row in tasks.rows.values()), timeout=PATIENCE_MS
    )
    QTest.mouseClick(tab.run, LEFT)
    assert tab.run.text() == "Sweep"
    assert not tab.bar.isVisible()
    gate.release()
    rest(window)
    assert window.sweeper.done == 2
    assert len(window.sweeper.table()) == 2


@pytest.mark.parametrize("how", ["its cross in the task list", "cancel all", "other data"])
def test_a_sweep_that_is_cut_short_can_be_started_again(tab, window, gate, qtbot, rest, how):
    QTest.mouseClick(tab.run, LEFT)
    gate.release()
    qtbot.waitUntil(lambda: window.sweeper.done == 1, timeout=PATIENCE_MS)
    if how == "its cross in the task list":
        window.controller.cancel("sweep")
    elif how == "cancel all":
        QTest.keyClick(window, KEY.Key_Period, Qt.KeyboardModifier.ControlModifier)
    else:
        commands.set_preprocess(window.document, "plain", "zscore")
    for _ in range(20):
        gate.release()
    rest(window)
    assert not window.sweeper.running
    assert tab.run.text() == "Sweep"
    QTest.mouseClick(tab.run, LEFT)
    qtbot.waitUntil(lambda: not window.sweeper.running, timeout=PATIENCE_MS)
    assert window.sweeper.done == 9


# Reading it off ---------------------------------------------------------------------------------------------------


def spot_of(tab: SweepSection, title: str, index: int) -> QPoint:
    """The place of a curve's point in the plot."""
    number = [curve.title for curve in tab._sweeper.curves].index(title)
    return QPointF(*tab.plot.places(number)[index]).toPoint()


@pytest.mark.nightly
def test_the_axes_span_what_is_swept_and_what_is_found(tab, sweep, window):
    state, controller = window.document.state, window.controller
    places = [
        np.log10(controller.effective_epsilon(name) / controller.median(name) / state.epsilon_scale)
        for name in state.enabled
    ]
    span = tuple(end - np.mean(places) for end in DECADES)  # the factors where the page's axis ends
    assert ends_of(tab.plot.figure.body).x == pytest.approx(span)
    sweep()
    tab.plot.show_here(1e15)
    tab.show_sweep()
    (low, high), (bottom, top) = (getattr(ends_of(tab.plot.figure.body), side) for side in "xy")
    assert (low, high) == pytest.approx(span)
    tab.along.list.setCurrentIndex(tab.along.list.findData("t"))
    found = [value for curve in window.sweeper.curves for _, value in curve.values("nmi")]
    assert min(found) - 0.15 < bottom <= min(found)
    assert max(found) <= top < max(found) + 0.15
    assert tab.plot.figure.body.x_label == "factor on all ε"
    assert tab.plot.figure.body.y_label == "NMI (all r coordinates)"


def test_the_legend_never_cuts_two_names_to_one(tab):
    long = "Single · <b>measurements of the " + "{} channel" + "_final" * 6
    panel = commands.new_panel("single", "p1")
    curves = [
        Curve(long.format(side), panel, {(1.0, 0): Scores(Score(0.5 + i / 9, 0.1))}) for i, side in enumerate("lr")
    ]
    first, second, note = legend_text(curves, "nmi").split("<br>")
    for i, (row, curve) in enumerate(zip((first, second), curves, strict=True), start=1):
        assert f"{i} Single" in row
        assert curve.title not in row
        assert "<b>measurements" not in row
    assert ("<b>" in first, "<b>" in second) == (False, True)  # the winner
    assert "ten k-means seeds" in note


def test_a_best_that_is_hardly_better_than_now_is_no_reason_to_move(tab):
    scores = {0.01: 0.954, 1.0: 0.950, 30.0: 0.900}
    points = {(factor, 0): Scores(nmi=Score(value, 0.001)) for factor, value in scores.items()}
    curve = Curve("Single", commands.new_panel("single", "p1"), points)
    assert ", as good now" in legend_text([curve], "nmi", present=0.8)
    assert " at × 0.01" in legend_text([curve], "nmi", present=25.0)
    assert " at × 0.01" in legend_text([curve], "nmi", present=100.0)  # nothing was swept there


def test_the_legend_has_room_for_the_epsilon_of_a_view_with_a_long_name(tab):
    state = commands.initial_state(small_data(40), ("memory",), None, False)
    axis = axes([get_method("multiview")], tuple(f"{v.name}_measured_at_the_left_ankle" for v in state.views))
    along = next(found for found in axis.values() if found.view is not None)
    curve = Curve(
        "Single · left_ankle_first", commands.new_panel("single", "p1"), {(0.0123, 0): Scores(Score(0.88, 0.03))}
    )
    text = QTextDocument()
    text.setDefaultFont(tab.legend.font())
    text.setHtml(legend_text([curve], "nmi", along).split("<br>")[0])
    assert "= 0.0123" in text.toPlainText()
    assert text.idealWidth() <= RIGHT[0]


def test_the_legend_keeps_what_tells_names_apart():
    views = ("mean", "standard_error", "worst")
    curves = [
        Curve(f"Single · bc_{v}_measurements", commands.new_panel("single", v), {(1.0, 0): Scores(Score(0.5, 0.1))})
        for v in views
    ]
    for row, view in zip(legend_text(curves, "nmi").split("<br>"), views, strict=False):
        assert f" Single · bc_{view[0]}…" in row


def test_factors_are_told_in_plain_numbers():
    assert [text for _, text in log_ticks(np.log10(1 / 30), np.log10(30), 8)] == ["0.1", "0.3", "1", "3", "10", "30"]
    assert [factor_text(f) for f in (1 / 30, 0.1, 0.25, 1.0, 30.0, 1e-7)] == [
        "1/30",
        "0.1",
        "0.25",
        "1",
        "30",
        "1.00·10⁻⁷",
    ]


def test_fields_always_show_a_number(tab, window):
    tab.low.setFocus()
    tab.low.selectAll()
    QTest.keyClick(tab.low, KEY.Key_Delete)
    assert tab.low.text() == ""
    tab.high.setFocus()
    assert tab.low.text() == "1/30"
    assert not tab.low.property("wrong")
    assert all(field.text() for field in (tab.low, tab.high, tab.values, tab.resamples))


@pytest.mark.nightly
def test_a_click_on_a_point_shows_that_embedding(sweep, window, rest):
    tab = sweep()
    before = window.document.state
    QTest.mouseClick(tab.plot, LEFT, NONE, spot_of(tab, "Kernel sum", 2))
    rest(window)
    title = window.sweeper.curves[2].title
    assert title == "Kernel sum"
    assert window.document.state.epsilon_scale == pytest.approx(30.0)
    assert window.editor.focused == "p3"
    assert window.document.undo_label == "Show Kernel sum at 30 ε"
    assert window.controller.result("p3").scores.nmi.value == window.sweeper.curves[2].values("nmi")[2][1]
    window.document.undo()
    assert window.document.state == before


@pytest.mark.nightly
def test_a_swept_method_that_is_not_on_show_is_added(tab, sweep, window, rest):
    tab.what.setCurrentText("All methods")
    sweep()
    before = window.document.state
    QTest.mouseClick(tab.plot, LEFT, NONE, spot_of(tab, "Concatenation", 0))
    rest(window)
    state = window.document.state
    # Curves may coincide at a point: the one found is on show, and focused.
    shown = {p.id: p.method for p in state.panels}
    assert len(shown) == len(before.panels) + (window.editor.focused not in {p.id for p in before.panels})
    assert window.editor.focused in shown
    assert state.epsilon_scale == pytest.approx(0.03)
    window.document.undo()
    assert window.document.state == before


def test_hovering_a_point_says_what_it_is(sweep, window):
    tab = sweep()
    curve = window.sweeper.curves[2]
    spot = QPointF(spot_of(tab, "Kernel sum", 2))
    assert tab.plot.point_at(spot) == (2, 2)
    assert tab.plot.point_at(spot + QPointF(0.0, 40.0)) in (None, (0, 2), (1, 2))
    words = tab.plot.meaning(spot)
    epsilon = ", ".join(numbers.number(e) for e in curve.epsilon[curve.values("nmi")[2][0], 0].values())
    for part in ("Kernel sum at 30 × ε", f"ε {epsilon}", f"NMI {numbers.score(curve.scores('nmi')[30.0])}",
                 "standard deviation over ten k-means seeds", "Click to show"):  # fmt: skip
        assert part in words
    assert "resamplings" not in words


@pytest.mark.nightly
def test_where_there_are_no_classes_a_latent_is_swept(tab, sweep, window, rest):
    data = small_data(40, labels=False)
    show_data(window, data.replace(latent={"u <b>": np.arange(40.0)}), 3)
    rest(window)
    assert [tab.score.itemText(i) for i in range(tab.score.count())] == [
        "R² of u <b>",
        "|Spearman| of u <b>",
        "order of u <b> as drawn",
        "shift with ε",
    ]
    sweep()
    assert all(len(curve.values("r2")) == 3 for curve in window.sweeper.curves)
    assert tab.plot.figure.body.y_label == "R² of u <b> (all r coordinates)"
    assert window.grid.panels["p3"].scores.labels["r2"].text().startswith("R² of u <b> ")
    assert "ten nearest neighbours" in window.grid.panels["p3"].scores.labels["r2"].toolTip()
    assert "± s.d." not in tab.legend.text()
    tab.score.setCurrentIndex(1)
    assert tab.plot.figure.body.y_label == "|Spearman| of u <b> (first coordinate)"
    tab.score.setCurrentIndex(2)
    assert tab.plot.figure.body.y_label == "order of u <b> as drawn"
    assert "standard error over the samples" in tab.legend.text()


@pytest.mark.nightly
def test_a_score_that_nobody_chose_is_not_kept_for_other_data(tab, window, rest):
    labelled, unlabelled = small_data(40), small_data(40, labels=False)
    shown = []
    for data in (unlabelled, labelled):
        show_data(window, data, 3)
        rest(window)
        shown.append(tab.score.currentText())
    assert shown == ["k-NN recovery of angle", "NMI"]
    tab.score.setCurrentText("k-NN accuracy")
    for data in (unlabelled, labelled):
        show_data(window, data, 3)
        rest(window)
        shown.append(tab.score.currentText())
    assert shown[2:] == ["k-NN recovery of angle", "k-NN accuracy"]


@pytest.mark.nightly
def test_how_far_samples_move_with_epsilon_is_swept_once_it_is_chosen(tab, sweep, window):
    sweep()
    tab.score.setCurrentIndex(tab.score.count() - 1)
    assert tab.words.text().startswith("This score takes two more pictures at each value: press Sweep")
    assert not any(curve.values("stability") for curve in window.sweeper.curves)
    sweep()
    assert tab.plot.figure.body.y_label == "shift with ε (all r coordinates)"
    assert [len(curve.values("stability")) for curve in window.sweeper.curves] == [
        0 if curve.method == "pca" else 1 if curve.flat else 3 for curve in window.sweeper.curves
    ]
    assert "<b>" not in tab.legend.text()
    assert "computations" in tab.words.text()


# The line ---------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_the_line_is_the_master_slider(tab, window, rest):
    tab.plot.dragged.emit(10**0.5, True)
    assert window.document.state.epsilon_scale == pytest.approx(10**0.5)
    tab.plot.dragged.emit(10**0.5, False)
    rest(window)
    assert window.side.master.value == pytest.approx(10**0.5)
    window.side.master.moved.emit(0.1)
    rest(window)
    assert tab.plot.here == pytest.approx(0.1)
    window.document.undo()
    assert tab.plot.here == pytest.approx(10**0.5)


@pytest.mark.nightly
def test_the_line_under_the_mouse(sweep, window, rest, qtbot):
    tab = sweep()
    target = tab.plot

    def spot(x: float) -> QPoint:
        return QPoint(round(target._across(10.0**x)), target.height() // 2)

    QTest.mouseMove(target, spot(0.0))
    QTest.mousePress(target, LEFT, NONE, spot(0.0))
    for x in (0.1, 0.4, 0.8):
        qtbot.wait(0)
        QTest.mouseMove(target, spot(x))
    QTest.mouseRelease(target, LEFT, NONE, spot(0.8))
    rest(window)
    assert np.log10(window.document.state.epsilon_scale) == pytest.approx(0.8, abs=0.05)
    assert tab.plot.here == pytest.approx(window.document.state.epsilon_scale)
    label = window.document.undo_label
    assert label.startswith("Scale all ε by ")
    assert float(label.removeprefix("Scale all ε by ")) == pytest.approx(window.document.state.epsilon_scale, rel=0.01)


@pytest.mark.nightly
def test_the_curve_at_the_line_is_the_score_of_the_panel(sweep, window, rest):
    """Also where the master slider did not stand at 1 when the sweep started."""
    commands.set_scale(window.document, 5.0)
    rest(window)
    tab = sweep()
    factor, score = lines(tab)["Kernel sum"][0][2], lines(tab)["Kernel sum"][1][2]
    commands.set_scale(window.document, factor)
    rest(window)
    assert tab.plot.here == pytest.approx(factor)
    assert window.controller.result("p3").scores.nmi.value == pytest.approx(score, rel=1e-5)


# Files ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def save_as(monkeypatch):
    """What the next file dialog answers."""

    def answer(path) -> None:
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(path) if path else "", ""))

    return answer


def save_figure(tab: SweepSection) -> None:
    """Take the figure as its dialog offers it."""
    QTest.mouseClick(tab.picture, LEFT)
    dialog = next(d for d in tab.window().findChildren(ExportDialog) if d.isVisible())
    QTest.mouseClick(dialog.save, LEFT)


def test_nothing_to_export_before_there_is_a_score(tab, sweep, window):
    window.sweeper.curves.clear()
    tab.show_sweep()
    assert not tab.table.isEnabled()
    assert not tab.picture.isEnabled()
    sweep()
    assert tab.table.isEnabled()
    assert tab.picture.isEnabled()


@pytest.mark.parametrize("name", ["scores.csv", "scores", "UPPER.CSV"])
def test_scores_as_a_table(tab, sweep, window, save_as, tmp_path, qtbot, name):
    tab.resamples.show_text(str(1))
    sweep()
    save_as(tmp_path / name)
    QTest.mouseClick(tab.table, LEFT)
    path = tmp_path / (name if "." in name else f"{name}.csv")
    qtbot.waitUntil(lambda: f"Saved {path.name}." in window.banners.texts())
    rows = list(csv.DictReader(path.read_text("utf-8").splitlines()))
    assert len(rows) == 3 * 3 * 2
    for row, known in zip(rows, window.sweeper.table(), strict=True):
        computed = ["epsilon_scale", "method", "views", "epsilon", "resample"]
        assert list(row) == [*computed, "nmi", "nmi_sd", "knn", "resultant", "order", "largest_gap"]
        factor, method, views, epsilon, resample, *scores = known
        assert (row["method"], row["views"], int(row["resample"])) == (method, views, resample)
        assert float(row["epsilon_scale"]) == factor
        assert tuple(float(e) for e in row["epsilon"].split(",")) == epsilon
        assert [float(row[name]) if row[name] else None for name in list(row)[5:]] == scores
    assert window.banners.texts() == [f"Saved {path.name}."]
    whole = [row for row in rows if row["views"].startswith("plain") and row["resample"] == "0"]
    given = [float(row["epsilon"].partition(",")[0]) / float(row["epsilon_scale"]) for row in whole]
    assert given == pytest.approx([given[0]] * len(given))
    assert {row["views"] for row in rows} == {"plain", "wavy", "plain,wavy"}


@pytest.mark.nightly
def test_the_figure_is_in_one_tone_with_the_winner_marked(sweep, save_as, tmp_path, window):
    tab = sweep()
    save_as(tmp_path / "sweep.png")
    save_figure(tab)
    image = QImage(str(tmp_path / "sweep.png"))
    colours = [image.pixelColor(x, y) for x in range(140, 1400, 2) for y in range(140, image.height() - 120, 2)]
    hues = {c.hslHue() // 30 for c in colours if c.hslSaturation() > 120 and c.lightness() < 200}
    accent = QColor(theme.current().accent)
    assert hues == {accent.hslHue() // 30}
    assert accent.name() in {c.name() for c in colours}
    record = json.loads(image.text(KEY_OF_RECORD))
    assert set(record["curves"]) == {c.title for c in window.sweeper.curves}
    assert record["score"] == "nmi"
    assert window.banners.texts() == ["Saved sweep.png."]


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_the_figures_record_names_the_source_as_sessions_do(sweep, save_as, tmp_path, window):
    tab = sweep()
    save_as(tmp_path / "sweep.png")
    window.document.state = window.document.state.model_copy(update={"source": (os.fsdecode(b"\xe9.csv"),)})
    save_figure(tab)
    record = json.loads(QImage(str(tmp_path / "sweep.png")).text(KEY_OF_RECORD))
    assert record["source"] == ["file-name-bytes:%E9.csv"]


def test_the_figure_has_the_size_that_was_asked_for(sweep, save_as, tmp_path):
    tab = sweep()
    save_as(tmp_path / "sweep.png")
    QTest.mouseClick(tab.picture, LEFT)
    dialog = next(d for d in tab.window().findChildren(ExportDialog) if d.isVisible())
    dialog.width_cm.setText("12.7")
    dialog.dpi.setText("300")
    QTest.mouseClick(dialog.save, LEFT)
    image = QImage(str(tmp_path / "sweep.png"))
    assert image.width() == 1500
    assert image.dotsPerMeterX() == pytest.approx(300 / 0.0254, abs=1)


def test_the_winner_is_named_with_its_score_and_names_stand_apart(sweep, window):
    sweep()
    curve, factor, best = best_of(window.sweeper.curves, "nmi")
    figure = sweep_figure("", "", ("NMI", "nmi"), window.sweeper.curves, window.sweeper.axis)
    (name,) = [series.name for series in figure.body.series if series.best]
    assert name == f"{curve.title}  {number(best, 2)} at × {factor:g}"
    assert best == max(s for c in window.sweeper.curves for _, s in c.values("nmi"))
    assert dict(curve.values("nmi"))[factor] == best
    assert figure.body.limits == (0.0, 1.0)
    heights = spread_heights([10.0, 11.0, 12.0, 300.0, 399.0, 400.0], 15.0, 10.0, 400.0)
    assert np.diff(heights).min() >= 15.0
    assert (heights[0], heights[-1]) == (10.0, 400.0)
    assert heights[3] == 300.0


def test_scores_below_0_stay_in_the_figure(sweep, window):
    sweep()
    low = SimpleNamespace(
        values=lambda score: [(0.5, -0.23), (1.0, 0.5)], band=lambda score: [], title="low", flat=False
    )
    figure = sweep_figure("", "", ("R²", "r2"), [low], window.sweeper.axis)
    assert figure.body.limits == (-0.3, 1.0)


def test_the_figure_as_svg_says_what_it_depends_on(sweep, save_as, tmp_path):
    tab = sweep()
    save_as(tmp_path / "sweep.svg")
    save_figure(tab)
    root = ElementTree.parse(tmp_path / "sweep.svg").getroot()
    words = " ".join(" ".join("".join(node.itertext()) for node in root.iter() if node.tag.endswith("text")).split())
    for text in (
        "NMI against the bandwidth",
        "40 samples",
        "plain",
        "ε robust",
        "r 12",
        "Factor on all bandwidths ε",
        "at ×",
    ):
        assert text in words
    assert len(list(root.iter())) > 30
    assert "Incomplete" not in words


def test_the_figure_of_a_stopped_sweep_says_so(sweep, save_as, tmp_path, window, monkeypatch):
    tab = sweep()
    monkeypatch.setattr(type(window.sweeper), "total", property(lambda s: s.done + 3))  # as stopping leaves it
    save_as(tmp_path / "sweep.svg")
    save_figure(tab)
    words = (tmp_path / "sweep.svg").read_text("utf-8")
    assert f"Incomplete: {window.sweeper.done} of {window.sweeper.total} points" in words


def test_the_figure_of_a_running_sweep_says_so_far(sweep, save_as, tmp_path, window, monkeypatch):
    tab = sweep()
    monkeypatch.setattr(type(window.sweeper), "total", property(lambda s: s.done + 3))
    monkeypatch.setattr(type(window.sweeper), "running", property(lambda _: True))
    save_as(tmp_path / "sweep.svg")
    save_figure(tab)
    words = (tmp_path / "sweep.svg").read_text("utf-8")
    assert f"So far: {window.sweeper.done} of {window.sweeper.total} points" in words
    assert "Incomplete" not in words


@pytest.mark.parametrize(
    ("button", "name", "sentence"),
    [("table", "scores.xlsx", "Scores cannot be written as “.xlsx”. End the file's name in .csv."),
     ("picture", "sweep.gif", "Figures cannot be written as “.gif”. End the file's name in .png, .svg or .pdf."),
     ("table", "nowhere/scores.csv", "scores.csv cannot be written: no such file or directory"),
     ("picture", "nowhere/sweep.svg", "sweep.svg cannot be written: no such file or directory")],
)  # fmt: skip
def test_what_cannot_be_written_is_told(sweep, save_as, tmp_path, window, qtbot, button, name, sentence):
    tab = sweep()
    save_as(tmp_path / name)
    if button == "picture":
        save_figure(tab)
    else:
        QTest.mouseClick(tab.table, LEFT)
    qtbot.waitUntil(lambda: len(window.banners.texts()) == 1)
    assert sentence in window.banners.texts()[0]
    assert list(tmp_path.rglob("*.*")) == []


def test_a_dialog_that_is_left_writes_nothing(sweep, save_as, tmp_path, monkeypatch):
    tab = sweep()
    monkeypatch.chdir(tmp_path)
    save_as("")
    QTest.mouseClick(tab.table, LEFT)
    save_figure(tab)
    assert list(tmp_path.rglob("*.csv")) == list(tmp_path.rglob("*.png")) == []
