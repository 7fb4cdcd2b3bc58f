"""The pane “Spectrum over ε” of the page Tune: what it shows, and the line that drags the slider."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from windows import PATIENCE_MS, show_fresh, small_data

from mvexplorer.engine.spectral.reduced import Interval
from mvexplorer.state.document import commands
from mvexplorer.ui.pages.figure_files import write_figure
from mvexplorer.ui.pages.tune.spectrum_pane import SpectrumPane
from mvexplorer.ui.widgets.plots.looks import curve_look

pytestmark = pytest.mark.panels(2)

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture(autouse=True)
def no_anchors() -> None:
    """Here the hand rests."""


@pytest.fixture
def opened(window, rest, request) -> Iterator[SpectrumPane]:
    """The pane, of a multi-view and a kernel sum panel, before anything is prepared."""
    methods = getattr(request, "param", ("multiview", "kernel-sum"))
    show_fresh(window, small_data(40), 2)
    window.workbench.anchors.along = "epsilon_scale"
    for panel, method in zip(window.document.state.panels, methods, strict=True):
        commands.set_method(window.document, panel.id, method)
    commands.set_param(window.document, "n_components", 4)
    rest(window)
    page = window.bottom.show_page("tune")
    page.show_plot("spectrum")
    window.editor.focus(window.document.state.panels[0].id)
    rest(window)
    yield page.spectrum
    page.show_plot("spectrum")


@pytest.fixture
def pane(opened, window, rest, qtbot) -> SpectrumPane:
    """The pane with everything prepared."""
    prepare(opened, window, rest, qtbot)
    return opened


def prepare(pane, window, rest, qtbot) -> None:
    rest(window)
    window.workbench.anchors.rest()
    qtbot.waitUntil(lambda: not window.workbench.anchors._resting, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: not pane.soon.isActive(), timeout=PATIENCE_MS)


def drag(plot, start: float, end: float) -> None:
    """A real drag of the line at one value to another."""
    first, last = plot.position_of(start), plot.position_of(end)
    spots = [QPoint(round(first.x() + part * (last.x() - first.x())), round(first.y())) for part in (0, 0.3, 0.7, 1)]
    QTest.mousePress(plot, LEFT, NONE, spots[0])
    for spot in spots[1:]:
        QTest.mouseMove(plot, spot)
    QTest.mouseRelease(plot, LEFT, NONE, spots[-1])


@pytest.mark.nightly
def test_it_is_drawn_once_intervals_are_made(opened, window, rest, qtbot):
    prepare(opened, window, rest, qtbot)
    assert opened.waiting == ""
    assert opened.head.accessibleName() == "Spectrum over ε: Multi-view"
    names = [series.name for series in opened.plot.figure.body.series[:4]]
    assert names == ["λ₁", "λ₂", "λ₃", "λ₄"]
    assert opened.plot.over.values[[0, -1]] == pytest.approx([1 / 8, 8])


def test_before_that_it_says_what_it_waits_for(opened, window, monkeypatch):
    monkeypatch.setattr(window.workbench.anchors, "between", lambda panel: ())
    opened.refresh()
    assert opened.waiting == "Being computed while the hand rests."
    assert opened.to_file() is None
    monkeypatch.setattr(window.workbench.anchors, "enabled", False)
    opened.refresh()
    assert opened.waiting == ("Nothing is computed: tick “Prepare drags while the hand rests” in Edit > Preferences.")


def test_it_follows_the_focus(pane, window, qtbot):
    before = pane.plot.over
    window.editor.focus(window.document.state.panels[1].id)
    qtbot.waitUntil(lambda: pane.plot.over is not before, timeout=PATIENCE_MS)
    assert (before.method, pane.plot.over.method) == ("multiview", "kernel-sum")
    assert pane.head.accessibleName() == "Spectrum over ε: Kernel sum"


@pytest.mark.nightly
@pytest.mark.parametrize("opened", [("difference", "kernel-sum")], indirect=True)
def test_a_method_without_a_walk_has_a_sentence_in_its_place(pane):
    assert pane.waiting.startswith("Difference has no symmetric walk: focus a panel of another method")
    assert pane.to_file() is None


@pytest.mark.parametrize("opened", [("jointly-smooth", "kernel-sum")], indirect=True)
def test_what_chance_has_in_common_lies_behind_the_curves(pane):
    assert not pane.keys["chance"].isHidden()
    (strip,) = [series for series in pane.plot.figure.body.series if series.name == "chance"]
    np.testing.assert_array_equal(strip.y, pane.plot.over.chance)
    assert "Chance alone: up to" in pane.plot.meaning(pane.plot.plot.center() + QPointF(20, 20))


@pytest.mark.nightly
def test_it_is_dashed_where_nothing_is_certified(pane, monkeypatch):
    assert pane.keys["uncertain"].isHidden() == bool(pane.plot.over.certified.all())
    pane._spectrum._pieces.clear()
    monkeypatch.setattr(Interval, "values_certified", lambda interval, count: False)
    pane.refresh()
    curves = pane.plot.figure.body.series
    drawn = [series for series in curves if np.isfinite(series.y).any()]
    assert [series.look for series in drawn] == [12, 13, 14, 15]
    assert not pane.keys["uncertain"].isHidden()
    assert "Approximate" in pane.plot.meaning(pane.plot.plot.center() + QPointF(20, 20))


@pytest.mark.nightly
def test_the_entry_of_the_gap_has_the_colour_of_its_shade(pane):
    (look,) = (series.look for series in pane.plot.figure.body.series if series.band is not None)
    assert curve_look(look).color in pane._glyphs["largest gap"].styleSheet()
    assert not pane.keys["largest gap"].isHidden()


def test_the_line_drags_all_bandwidths_and_one_undo_returns(pane, window, rest):
    assert pane.plot.here == 1.0
    drag(pane.plot, 1.0, 2.0)
    assert window.document.state.epsilon_scale == pytest.approx(2.0, rel=0.05)
    rest(window)
    assert pane.plot.here == window.document.state.epsilon_scale
    window.document.undo()
    assert window.document.state.epsilon_scale == 1.0


@pytest.mark.parametrize("along", [pytest.param("eta", marks=pytest.mark.nightly), "epsilon:plain"])
def test_the_line_drags_the_slider_that_was_dragged_last(pane, window, rest, qtbot, along):
    if along == "eta":
        commands.set_param(window.document, "eta", 0.3, interactive=True)
    else:
        commands.set_scale(window.document, 2.0)
        commands.set_epsilon(window.document, "plain", 0.5, interactive=True)
    window.editor.end_drag()
    prepare(pane, window, rest, qtbot)
    here = pane.plot.here
    assert here == pytest.approx(0.3 if along == "eta" else 1.0)
    drag(pane.plot, here, 0.5)
    state = window.document.state
    assert (state.params["eta"] if along == "eta" else float(state.view("plain").epsilon)) == pytest.approx(
        0.5 if along == "eta" else 0.25, abs=0.01
    )
    assert pane.plot.figure.body.x_label == ("η" if along == "eta" else "ε of plain")
    window.document.undo()
    rest(window)
    assert pane.plot.here == pytest.approx(here)


@pytest.mark.nightly
def test_letters_of_rules_stand_at_their_bandwidths(pane, window, rest, qtbot):
    letters = {marker.letter: marker.position for marker in pane._markers()}
    controller = window.controller
    rules = controller.summaries["plain"].rules
    assert pane.plot.over.parameter == "epsilon_scale"
    assert letters["t"] == pytest.approx(rules["self-tuning"] / controller.effective_epsilon("plain"))
    assert pane.plot.lane.letters == "".join(marker.letter for marker in pane._markers())
    pane.plot.rule_chosen.emit("self-tuning")
    rest(window)
    assert controller.effective_epsilon("plain") == pytest.approx(rules["self-tuning"])
    commands.set_scale(window.document, 1.0)
    near = 1.5 * controller.summaries["wavy"].rules["self-tuning"]
    commands.set_epsilon(window.document, "wavy", near, interactive=True)
    window.editor.end_drag()
    prepare(pane, window, rest, qtbot)
    letters = {marker.letter: marker.position for marker in pane._markers()}
    assert letters["t"] == controller.summaries["wavy"].rules["self-tuning"]
    pane.plot.rule_chosen.emit("self-tuning")
    assert window.document.state.view("wavy").epsilon.endswith("self-tuning")


@pytest.mark.nightly
def test_the_tooltip_tells_the_eigenvalues_there(pane):
    over = pane.plot.over
    row = 40
    told = pane.plot.meaning(QPointF(pane.plot.position_of(over.values[row]).x(), pane.plot.plot.top() + 9))
    assert told.startswith("factor on all ε")
    assert all(f"λ{sign} " in told for sign in "₁₂₃₄")
    assert "Largest gap" in told


@pytest.mark.nightly
def test_a_chip_shows_and_hides_it(pane, window):
    page = window.bottom.pages["tune"]
    assert (pane.isVisible(), page.chips["spectrum"].isChecked()) == (True, True)
    page.chips["spectrum"].click()
    assert (pane.isVisible(), page.chips["spectrum"].isChecked()) == (False, False)
    assert not any(figure.title.startswith("Eigenvalues") for figure in page.figures())
    page.chips["spectrum"].click()
    assert pane.isVisible()
    assert any(figure.title.startswith("Eigenvalues") for figure in page.figures())


@pytest.mark.nightly
def test_the_choice_of_the_pane_is_kept_for_the_next_window(pane, window, make_window, rest):
    page = window.bottom.pages["tune"]
    page.show_plot("links")
    page.hide_plot("sweep")
    assert window.settings.tune_plots == ("links", "spectrum")
    after = make_window(**window.settings.model_dump(include={"tune_plots"}))
    show_fresh(after, small_data(40), 2)
    rest(after)
    after.bottom.show_page("tune")
    rest(after)
    other = after.bottom.pages["tune"]
    shown = {id: plot.isVisible() for id, plot in other._plots.items()}
    assert [id for id, visible in shown.items() if visible] == ["links", "spectrum"]
    page.show_plot("sweep")
    page.hide_plot("links")
    assert window.settings.tune_plots == ("spectrum", "sweep")


@pytest.mark.nightly
def test_its_figure_is_written_with_the_others(pane, window, tmp_path):
    figures = window.bottom.pages["tune"].figures()
    (figure,) = (each for each in figures if each.title == "Eigenvalues of Multi-view over ε")
    marks = [mark.words for mark in figure.body.marks]
    assert "ε" in marks
    assert "t" in marks
    for ending in ("png", "svg"):
        write_figure(figure, tmp_path / f"figure.{ending}", {})
        assert (tmp_path / f"figure.{ending}").stat().st_size > 2000
    head, *rows = csv.reader(figure.csv().splitlines())
    assert head[:3] == ["epsilon_scale", "epsilon:plain", "epsilon:wavy"]
    assert len(rows) == len(pane.plot.over.values)
