"""All views at once: a row for each, the maps of their pairs, and the lines through all plots."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from windows import PATIENCE_MS, show_data, small_data

from mvexplorer.compute.batch.tuning import OwnScaleJob, TuneStep
from mvexplorer.engine.bandwidth.curves import DECADES
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.metrics import Score
from mvexplorer.errors import ComputeError
from mvexplorer.state.document import commands
from mvexplorer.ui.pages.tune import tune_rows

pytestmark = pytest.mark.panels(1)

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
NAMES = ("plain", "wavy", "third", "fourth")


def several(count: int) -> MultiView:
    """Views of the same samples, each with noise of its own."""
    rng, two = np.random.default_rng(5), small_data(48)
    more = [two.Xs[i % 2] + 0.1 * rng.normal(size=two.Xs[i % 2].shape) for i in range(2, count)]
    names = [*NAMES, *(f"view {i}" for i in range(5, count + 1))][:count]
    return MultiView([*two.Xs, *more], view_names=names, labels=two.labels)


@pytest.fixture
def page(window, rest, qtbot):
    """The page with four views, everything computed."""
    show_data(window, several(4))
    window.editor.enable_all_views()
    rest(window)
    shown = window.bottom.show_page("tune")
    qtbot.waitUntil(lambda: all(window.analyser.of(name).curves for name in NAMES), timeout=PATIENCE_MS)
    rest(window)
    qtbot.waitUntil(lambda: all(window.workbench.view_scores.of(name) for name in NAMES), timeout=PATIENCE_MS)
    rest(window)
    shown.refresh()
    return shown


def place(window, view):
    return float(np.log10(window.controller.effective_epsilon(view) / window.controller.median(view)))


def test_every_ticked_view_has_a_row_and_every_pair_a_map(page, window, rest):
    assert [*page.rows] == [*NAMES]
    assert [[*row.maps] for row in page.rows.values()] == [[], ["plain"], ["plain", "wavy"], ["plain", "wavy", "third"]]
    for name, row in page.rows.items():
        names = [series.name for series in row.plot.figure.body.series]
        assert names[0] == "dimension"
        assert any(each.startswith("trustworthiness") for each in names)
        assert row.plot.here == pytest.approx(place(window, name), abs=1e-6)
        assert row.epsilon.text().startswith("ε ")
        assert row.advice.text().startswith("Recommended: ε ")
        for other, small in row.maps.items():
            assert small.here == pytest.approx((place(window, other), place(window, name)), abs=1e-6)
            assert small.figure.title.startswith(f"Pair {other} (across) and {name} (up)")
    commands.tick_view(window.document, "wavy", False)
    rest(window)
    page.refresh()
    assert [*page.rows] == ["plain", "third", "fourth"]
    assert [*page.rows["fourth"].maps] == ["plain", "third"]


@pytest.mark.nightly
def test_a_drag_in_a_row_moves_that_view_through_all_plots(page, window, rest):
    undo = len(window.document._undo)
    page.rows["third"].plot.dragged.emit(-1.0, True)
    page.rows["third"].plot.dragged.emit(-0.5, False)
    rest(window)
    page.refresh()
    assert place(window, "third") == pytest.approx(-0.5, abs=1e-3)
    assert len(window.document._undo) == undo + 1
    assert page.rows["third"].plot.here == pytest.approx(-0.5, abs=1e-3)
    assert page.rows["third"].maps["plain"].here[1] == pytest.approx(-0.5, abs=1e-3)
    assert page.rows["fourth"].maps["third"].here[0] == pytest.approx(-0.5, abs=1e-3)
    assert page.view == "plain", "a drag does not change which view is explained"


@pytest.mark.nightly
def test_a_map_moves_both_its_views_and_a_click_shows_it_large(page, window, rest, qtbot):
    small = page.rows["fourth"].maps["wavy"]
    undo = len(window.document._undo)
    for across, up in ((-1.0, -0.5), (-1.1, -0.5), (-1.1, -0.4), (-1.2, -0.3)):
        small.dragged.emit(across, up, True)
    small.dragged.emit(-1.2, -0.3, False)
    rest(window)
    assert len(window.document._undo) == undo + 1
    assert place(window, "wavy") == pytest.approx(-1.2, abs=1e-3)
    assert place(window, "fourth") == pytest.approx(-0.3, abs=1e-3)
    before = window.document.state
    QTest.mouseClick(small, LEFT, NONE, QPoint(4, 4))
    rest(window)
    assert window.document.state is before
    assert (page.view, page.second) == ("wavy", "fourth")
    assert page.surface.isVisible()
    assert small.chosen
    assert not page.rows["third"].maps["wavy"].chosen
    np.testing.assert_array_equal(page.surface.figure.body.values, small.figure.body.values)
    page.hide_plot("pair")
    assert not small.chosen


@pytest.mark.nightly
def test_a_rule_in_a_row_is_used_for_its_view(page, window, rest):
    page.rows["wavy"].plot.rule_chosen.emit("median")
    rest(window)
    assert window.document.state.view("wavy").epsilon == "median"
    assert window.document.state.view("plain").epsilon != "median"


def test_all_plots_end_where_the_sliders_do(page, window, rest):
    scale = 2.0
    commands.set_scale(window.document, scale)
    rest(window)
    slider = window.side.rows["plain"].slider
    row = page.rows["plain"].plot
    assert (row.ends[0], row.ends[1]) == pytest.approx((np.log10(slider.scale.low), np.log10(slider.scale.high)))
    page.show_plot("sweep")
    controller = window.controller
    mean = np.mean([place(window, name) for name in NAMES])
    low, high = page.sweep.plot.ends
    mean -= np.log10(scale)  # where the views would be at a factor of 1
    assert (low + mean, high + mean) == pytest.approx(row.ends)
    across = page.sweep.plot.mapTo(page, page.sweep.plot.position_of(controller.document.state.epsilon_scale).toPoint())
    lines = [each.plot.mapTo(page, each.plot.position_of(each.plot.here).toPoint()).x() for each in page.rows.values()]
    assert across.x() == pytest.approx(np.mean(lines), abs=2)


@pytest.mark.nightly
def test_a_kernel_without_an_epsilon_says_so_in_its_row(page, window, rest):
    commands.set_kernel(window.document, "third", "self-tuning")
    rest(window)
    page.refresh()
    row = page.rows["third"]
    assert row.plot.here is None
    assert row.plot.lane.letters == ""
    assert row.epsilon.text() == ""
    assert row.verdict.text() == "Self-tuning: no ε to choose"
    assert not row.maps
    assert [*page.rows["fourth"].maps] == ["plain", "wavy"]
    assert "third" not in [page.other.itemText(i) for i in range(page.other.count())]
    page.explain("third")
    assert "there is no bandwidth to choose" in page.words.text()


@pytest.mark.nightly
def test_of_very_many_views_pairs_are_shown_one_at_a_time(window, rest, monkeypatch):
    monkeypatch.setattr(tune_rows, "MOST", 3)
    show_data(window, several(4))
    window.editor.enable_all_views()
    rest(window)
    page = window.bottom.show_page("tune")
    rest(window)
    assert len(page.rows) == 4
    assert not any(row.maps for row in page.rows.values())
    assert page.chips["pair"].isVisible()


@pytest.mark.nightly
def test_a_plot_that_is_chosen_comes_into_sight(page, window, rest):
    for id in ("links", "sweep"):
        page.hide_plot(id)
    rest(window)
    page.chips["sweep"].click()
    assert page.sweep.mapTo(page.area, QPoint(0, 0)).y() == pytest.approx(0, abs=6)
    page.chips["links"].click()
    above = page.area.viewport().height() - page._plots["links"].height()
    assert -6 <= page.graph.mapTo(page.area, QPoint(0, 0)).y() <= max(above, 6)
    page.hide_plot("links")


@pytest.mark.nightly
def test_a_step_of_tuning_stands_in_its_row_until_all_are_known(page, window, rest):
    before = page.rows["wavy"].advice.toolTip()
    score = Score(0.9, 0.01)
    step = TuneStep("wavy", 2.0, 0.2, score, Score(0.95, 0.01), 0.01, "gain", "trustworthiness")
    tuner = window.workbench.tuner
    tuner.coming = (step,)
    tuner.changed.emit()
    page.refresh()
    assert page.rows["wavy"].advice.toolTip() == "ε 2.00 → 0.200: trustworthiness .900 → .950 ± .01."
    assert page.rows["plain"].advice.toolTip().startswith("Recommended: ε ")
    tuner.coming = ()
    tuner.changed.emit()
    page.refresh()
    assert page.rows["wavy"].advice.toolTip() == before


@pytest.mark.nightly
def test_of_hundreds_of_views_some_have_rows_and_each_can_be_explained(window, rest, qtbot, monkeypatch):
    monkeypatch.setattr(tune_rows, "MOST_ROWS", 3)
    show_data(window, several(5))
    window.editor.enable_all_views()
    rest(window)
    page = window.bottom.show_page("tune")
    rest(window)
    assert [*page.rows] == ["plain", "wavy", "third"]
    assert page._views.more.text() == "3 of 5 ticked views"
    page.show_plot("links")
    page.explain("view 5")
    qtbot.waitUntil(lambda: window.analyser.of("view 5").curves is not None, timeout=PATIENCE_MS)
    rest(window)
    assert page.words.text().startswith("view 5 at this ε")
    assert page._plots["links"].head.text() == "Links: view 5"
    page.hide_plot("links")


@pytest.mark.nightly
def test_the_scores_of_panels_are_computed_by_a_click_alone(page, window, rest, qtbot):
    page.show_plot("own")
    rest(window)
    tuner, before = window.workbench.tuner, window.document.state
    assert "Score each panel over its ε" in page.own.waiting
    assert not tuner.busy
    page.own.run.click()
    qtbot.waitUntil(lambda: not tuner.busy, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: page.own.figure is not None, timeout=PATIENCE_MS)
    assert window.document.state is before
    assert page.own.plot.here == before.epsilon_scale
    assert page.own.plot.ends == pytest.approx(page.sweep.plot.ends)
    assert page.figures()[-1].title.startswith("Score over ε, by trustworthiness")
    assert page.own.words.text() == "By trustworthiness; labels were not used"
    first = 0
    assert "trustworthiness" in page.own._meaning(first, 4)
    scored = page.own.plot.figure.body.series[0]
    page.own.plot.dragged.emit(0.5, True)
    page.own.plot.dragged.emit(0.5, False)
    assert window.document.state.epsilon_scale == pytest.approx(0.5)
    rest(window)
    page.own.refresh()
    assert page.own.plot.here == pytest.approx(0.5)
    np.testing.assert_array_equal(page.own.plot.figure.body.series[0].x, scored.x)
    assert page.own.words.text().endswith("ε has changed: score again.")
    assert "trustworthiness" in page.own._meaning(first, 4)
    assert not any(figure.title.startswith("Score over") for figure in page.figures())
    window.document.undo()
    rest(window)
    page.own.refresh()
    assert page.own.words.text() == "By trustworthiness; labels were not used"
    tuner.choose_by("nmi")
    page.own.refresh()
    assert page.own.words.text().endswith("score again.")
    tuner.choose_by("trustworthiness")
    page.hide_plot("own")


@pytest.mark.nightly
def test_panels_that_cannot_be_scored_say_why(page, window, rest, qtbot, monkeypatch):
    def fails(job, cache, task):
        raise ComputeError("It did not converge.", "Try another ε.")

    monkeypatch.setattr(OwnScaleJob, "run", fails)
    commands.set_scale(window.document, 0.77)
    rest(window)
    page.show_plot("own")
    page.own.run.click()
    qtbot.waitUntil(lambda: not window.workbench.tuner.busy, timeout=PATIENCE_MS)
    page.own.refresh()
    assert "It did not converge. Try another ε." in page.own.waiting
    page.hide_plot("own")


@pytest.mark.nightly
def test_very_few_samples_have_rows_as_well(window, rest, qtbot):
    few = small_data(48).take(np.arange(0, 48, 12))
    show_data(window, few)
    rest(window)
    page = window.bottom.show_page("tune")
    qtbot.waitUntil(lambda: window.analyser.of("plain").curves is not None, timeout=PATIENCE_MS)
    rest(window)
    page.refresh()
    assert [*page.rows] == ["plain", "wavy"]


@pytest.mark.nightly
def test_the_sweep_follows_the_axis_of_the_page(page, window, rest, qtbot):
    page.show_plot("sweep")
    show_data(window, several(2))
    rest(window)
    qtbot.waitUntil(lambda: not page.sweep.soon.isActive() and not page.soon.isActive(), timeout=PATIENCE_MS)
    for epsilon in (0.05, 3.0):
        commands.set_epsilon(window.document, "plain", epsilon)
        rest(window)
        qtbot.waitUntil(lambda: not page.sweep.soon.isActive() and not page.soon.isActive(), timeout=PATIENCE_MS)
        mean = np.mean([place(window, name) for name in ("plain", "wavy")])
        low, high = page.sweep.plot.ends
        assert (low + mean, high + mean) == pytest.approx(DECADES)


@pytest.mark.nightly
def test_all_pairs_are_exported_and_of_many_views_the_one_on_show(page, window, rest, monkeypatch):
    titles = [figure.title for figure in page.figures() if figure.title.startswith("Pair")]
    assert len(titles) == 6
    monkeypatch.setattr(tune_rows, "MOST", 3)
    page.refresh()
    page.show_pair("wavy", "third")
    page.show_plot("pair")
    assert [f.title for f in page.figures() if f.title.startswith("Pair")] == ["Pair wavy and third"]
    page.hide_plot("pair")
