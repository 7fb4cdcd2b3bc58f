"""Why this ε: the curves below the panels and in the slider, in the hand."""

from __future__ import annotations

import re
from itertools import count, pairwise
from threading import Event, get_ident

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from windows import PATIENCE_MS, show_data, small_data, state_of, submenus

from mvexplorer.compute.jobs import jobs, runner
from mvexplorer.compute.jobs.runner import Scores
from mvexplorer.engine.bandwidth.curves import DECADES, pair_surface
from mvexplorer.engine.bandwidth.manifold_scaling import manifold_scaling
from mvexplorer.engine.bandwidth.table import get_rule
from mvexplorer.engine.core import preprocessing
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.metrics import Score
from mvexplorer.state.document import commands
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.questions import bandwidth_analyser as analyser
from mvexplorer.state.questions.bandwidth_analyser import Explanation
from mvexplorer.ui.pages.feature_weights import WeightsPanel, open_weights
from mvexplorer.ui.pages.table import PLACES
from mvexplorer.ui.pages.tune.figures_over_epsilon import contours
from mvexplorer.ui.pages.tune.tune import TunePage
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.widgets.plots.bandwidth_plot import GAP, BandwidthPlot, Marker, spread_texts
from mvexplorer.ui.widgets.plots.curve_painting import ends_of
from mvexplorer.ui.widgets.plots.curve_view import HERE
from mvexplorer.ui.widgets.plots.matrix_painting import matrix_ends
from mvexplorer.ui.widgets.plots.plot_axes import AxisWords
from mvexplorer.ui.widgets.plots.slope_curve import SlopeCurve
from mvexplorer.ui.widgets.slider import Scale, Slider

pytestmark = pytest.mark.panels(1)

LEFT, KEY, NONE = Qt.MouseButton.LeftButton, Qt.Key, Qt.KeyboardModifier.NoModifier


FILES = count(1)


def opened_from(source: str, data: MultiView) -> tuple[MultiView, DocumentState]:
    """Data as it would be opened from a file of that name."""
    return data, updated(state_of(data, 3), {"source": (source,)})


def click_page(window, id: str) -> None:
    """Click the place of a page, if another one is open, and the page's button."""
    bottom = window.bottom
    kind = bottom.pages[id]
    if bottom.place.id != kind.place:
        index = [place.id for place in PLACES].index(kind.place)
        QTest.mouseClick(bottom.tabs, LEFT, NONE, bottom.tabs.tabRect(index).center())
    if bottom.folded:
        bottom.fold(False)
    if bottom.current.id != id:
        QTest.mouseClick(bottom.parts[id], LEFT)


@pytest.fixture(autouse=True)
def _unscored(monkeypatch):
    """Scores take longer than all curves together, and no test here looks at one."""
    nothing = Scores(Score(0.5, 0.0), Score(0.5))
    monkeypatch.setattr(jobs, "run_scores", lambda *_: nothing)


@pytest.fixture
def fresh(_unscored, window, rest):
    """The shared window with data it has never explained."""
    commands.open_data(window.document, *opened_from(f"file {next(FILES)}", small_data(48)))
    window.show_opened()
    before = window.settings.tune_plots
    window.workbench.change_settings(tune_plots=("links", "classes", "pair"))
    rest(window)
    assert not any(window.analyser.of(view).curves for view in window.document.data.view_names)
    yield window
    window.workbench.change_settings(tune_plots=before)


@pytest.fixture
def tab(fresh, rest, qtbot) -> TunePage:
    """The tab, open on the view `plain`, everything computed."""
    click_page(fresh, "tune")
    qtbot.waitUntil(lambda: all(known(fresh, v) for v in ("plain", "wavy")), timeout=PATIENCE_MS)
    settle(fresh, rest, qtbot)
    return fresh.bottom.pages["tune"]


def known(window, view: str) -> bool:
    found = window.analyser.of(view)
    return found.curves is not None and not found.stale


def settle(window, rest, qtbot) -> None:
    """Until everything is computed, and the tab has followed the document."""
    rest(window)
    qtbot.waitUntil(lambda: not window.bottom.pages["tune"].soon.isActive(), timeout=PATIENCE_MS)
    rest(window)


def place(window, view: str) -> float:
    """log10(ε / median) of a view, as it is computed with."""
    return float(np.log10(window.controller.effective_epsilon(view) / window.controller.median(view)))


def drag_in_plot(qtbot, plot, path: list[QPointF], release: bool = True) -> None:
    """A real drag over a plot."""
    points = [QPoint(round(p.x()), round(p.y())) for p in path]
    QTest.mouseMove(plot, points[0])
    QTest.mousePress(plot, LEFT, NONE, points[0])
    for point in points[1:]:
        QTest.mouseMove(plot, point)
    if release:
        QTest.mouseRelease(plot, LEFT, NONE, points[-1])


def drawn(plot: BandwidthPlot, name: str) -> tuple[np.ndarray, np.ndarray]:
    """What a curve of a plot shows."""
    return next((series.x, series.y) for series in plot.figure.body.series if series.name.startswith(name))


def _plot(tab: TunePage, name: str) -> BandwidthPlot:
    return tab.rows[tab.view].plot if name == "growth" else getattr(tab, name)


def names(plot: BandwidthPlot) -> list[str]:
    """The curves of a plot."""
    return [series.name for series in plot.figure.body.series]


# What is computed when ----------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_a_hidden_tab_computes_nothing(fresh, rest, monkeypatch):
    asked = []
    for name, kind in analyser.JOBS.items():
        monkeypatch.setattr(kind, "run", lambda *args, n=name: asked.append(n))
    commands.set_epsilon(fresh.document, "plain", 0.3)
    commands.set_kernel(fresh.document, "wavy", "laplacian")
    rest(fresh)
    assert not fresh.bottom.pages["tune"].isVisible()
    assert asked == []


@pytest.mark.nightly
def test_opening_the_tab_computes_the_curves_of_its_two_views(fresh, rest, qtbot):
    page = fresh.bottom.pages["tune"]
    click_page(fresh, "tune")
    assert page.isVisible()
    assert (page.view, page.other.currentText()) == (
        "plain",
        "wavy",
    )
    assert page.words.text() == "computing …"
    qtbot.waitUntil(lambda: known(fresh, "plain") and known(fresh, "wavy"), timeout=PATIENCE_MS)
    rest(fresh)
    growth = fresh.analyser.of("plain").curves.growth
    x, y = drawn(page.rows[page.view].plot, "dimension")
    np.testing.assert_allclose(x, np.log10(growth.epsilon / fresh.controller.median("plain")))
    np.testing.assert_allclose(y, 2 * growth.slope)
    assert np.nanmax(drawn(page.rows[page.view].plot, "log S")[1]) == pytest.approx(y.max(), rel=0.1)
    connectivity = fresh.analyser.of("plain").curves.connectivity
    pieces = connectivity.components(growth.epsilon)
    np.testing.assert_array_equal(drawn(page.graph, "components")[1], pieces)
    assert fresh.analyser.of("plain").classes is None
    assert drawn(page.classes, "ρ_P")[1].max() == pytest.approx(1.0)


@pytest.mark.nightly
def test_a_tab_that_is_folded_away_stops_asking(tab, fresh, rest, qtbot, monkeypatch):
    QTest.mouseClick(fresh.bottom.tabs, LEFT, NONE, fresh.bottom.tabs.tabRect(0).center())
    assert fresh.bottom.folded
    asked = []
    with monkeypatch.context() as patch:
        patch.setattr(analyser.JOBS["curves"], "run", lambda *args: asked.append(args))
        commands.set_preprocess(fresh.document, "plain", "zscore")
        tab.refresh()
        settle(fresh, rest, qtbot)
    assert asked == []
    click_page(fresh, "tune")
    qtbot.waitUntil(lambda: known(fresh, "plain"), timeout=PATIENCE_MS)
    rest(fresh)
    assert fresh.analyser.of("plain").curves.median == fresh.controller.median("plain")
    assert "stale" not in tab.words.text()


@pytest.mark.nightly
def test_curves_follow_the_kernel(tab, fresh, rest, qtbot):
    before = drawn(tab.rows[tab.view].plot, "dimension")[1]
    commands.set_kernel(fresh.document, "plain", "laplacian")
    qtbot.waitUntil(lambda: known(fresh, "plain"), timeout=PATIENCE_MS)
    settle(fresh, rest, qtbot)
    assert not np.allclose(drawn(tab.rows[tab.view].plot, "dimension")[1], before)
    assert "stale" not in tab.words.text()


@pytest.mark.nightly
def test_a_kernel_that_cannot_be_comes_to_rest_with_a_sentence(tab, fresh, rest, qtbot, monkeypatch):
    asked, run = [], analyser.JOBS["curves"].run
    monkeypatch.setattr(analyser.JOBS["curves"], "run", lambda *args: asked.append(args) or run(*args))
    commands.set_kernel(fresh.document, "plain", "precomputed")
    qtbot.waitUntil(lambda: "is no table of affinities" in tab.words.text(), timeout=PATIENCE_MS)
    settle(fresh, rest, qtbot)
    often = len(asked)
    tab.refresh()  # whatever asks anew where the answer is a sentence asks now
    settle(fresh, rest, qtbot)
    assert len(asked) == often
    fresh.document.undo()
    settle(fresh, rest, qtbot)
    assert often <= 3
    assert tab.words.text().startswith("plain at this ε")


def test_the_same_file_with_fewer_samples(tab, fresh, rest, qtbot):
    """Opened anew after it has changed on the disk: one view is explained before the other."""
    (source,) = fresh.document.state.source
    commands.open_data(fresh.document, *opened_from(source, small_data(30)))
    rest(fresh)
    qtbot.waitUntil(lambda: known(fresh, "plain") and known(fresh, "wavy"), timeout=PATIENCE_MS)
    settle(fresh, rest, qtbot)
    assert fresh.analyser.of("plain").curves.growth.row_sums.shape[1] == 30
    assert tab.surface.figure.body.limits == pytest.approx((np.log(30), 3 * np.log(30)))


@pytest.mark.nightly
def test_many_samples_are_explained_coarsely_first(fresh, rest, qtbot, monkeypatch):
    """One view is known finely while the other is known coarsely."""
    monkeypatch.setattr(analyser, "MANY", 30)
    monkeypatch.setattr(runner, "COARSE", 20)
    run, said = analyser.JOBS["curves"].run, []
    shown = {(view, coarse): Event() for view in ("plain", "wavy") for coarse in (True, False)}

    def in_turn(job, cache, task):
        """Of so few samples the fine curves might come first: these wait for what is to be seen before them."""
        for earlier in [("plain", True)] if job.view == 0 else [("plain", False), ("wavy", True)]:
            assert shown[earlier].wait(PATIENCE_MS / 1000)
        return run(job, cache, task)

    def heard(view):
        said.append((view, fresh.analyser.of(view).coarse))
        shown[said[-1]].set()

    monkeypatch.setattr(analyser.JOBS["curves"], "run", in_turn)
    fresh.analyser.changed.connect(heard)
    click_page(fresh, "tune")
    qtbot.waitUntil(lambda: said.count(("plain", False)) and said.count(("wavy", False)), timeout=PATIENCE_MS)
    settle(fresh, rest, qtbot)
    fresh.analyser.changed.disconnect(heard)
    assert said.index(("plain", True)) < said.index(("plain", False))
    assert said.index(("wavy", True)) < said.index(("wavy", False)) == 3
    assert "coarse" not in fresh.bottom.pages["tune"].words.text()
    assert fresh.bottom.pages["tune"].surface.figure.body.limits[0] == pytest.approx(np.log(48))


@pytest.mark.nightly
def test_another_view_is_explained_on_request(tab, fresh, rest):
    plain = drawn(tab.rows[tab.view].plot, "dimension")[1]
    tab.rows["wavy"].name.click()
    rest(fresh)
    assert [tab.other.itemText(i) for i in range(tab.other.count())] == ["plain"]
    assert not np.allclose(drawn(tab.rows[tab.view].plot, "dimension")[1], plain)
    assert tab.rows[tab.view].plot.here == pytest.approx(place(fresh, "wavy"), abs=1e-6)


@pytest.mark.nightly
def test_one_view_has_no_pair(tab, fresh, rest, qtbot):
    assert tab.surface.isVisible()
    commands.tick_view(fresh.document, "wavy", False)
    settle(fresh, rest, qtbot)
    assert not tab.surface.isVisible()
    assert tab.rows[tab.view].plot.isVisible()
    assert not tab.other.isVisible()


# The line is the slider -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "which", ["growth", *(pytest.param(name, marks=pytest.mark.nightly) for name in ("graph", "classes"))]
)
def test_dragging_the_line_moves_the_views_bandwidth(tab, fresh, rest, qtbot, which):
    plot, median = _plot(tab, which), fresh.controller.median("plain")
    undo, wavy = len(fresh.document._undo), fresh.controller.epsilon("wavy")
    for position in (-1.0, -0.7, -0.5):
        plot.dragged.emit(position, True)
    assert fresh.document.state.view("plain").epsilon == pytest.approx(median * 10**-0.5, rel=1e-3)
    plot.dragged.emit(-0.4, False)
    settle(fresh, rest, qtbot)
    assert fresh.controller.epsilon("plain") == pytest.approx(median * 10**-0.4, rel=1e-3)
    assert fresh.controller.epsilon("wavy") == wavy
    assert len(fresh.document._undo) == undo + 1  # a drag is one step
    for other in (tab.rows[tab.view].plot, tab.graph, tab.classes):
        assert other.here == pytest.approx(-0.4, abs=1e-3)
    assert fresh.side.rows["plain"].slider.value == pytest.approx(10**-0.4, rel=1e-3)
    assert not fresh.controller.result("p1").result.request.interactive
    # And the line follows the slider.
    fresh.side.rows["plain"].slider.moved.emit(0.1)
    settle(fresh, rest, qtbot)
    assert tab.rows[tab.view].plot.here == pytest.approx(-1.0, abs=1e-3)


@pytest.mark.nightly
def test_the_line_under_the_mouse(tab, fresh, rest, qtbot):
    """Real events: the line follows the pointer, and the ε follows the line."""
    plot = tab.rows[tab.view].plot
    start = plot.position_of(plot.here)
    end = plot.position_of(plot.here + 0.8)
    steps = [start + (end - start) * f for f in (0.0, 0.2, 0.4, 0.7, 1.0)]
    told = []
    plot.dragged.connect(lambda position, moving: told.append((position, moving)))
    before = plot.here
    drag_in_plot(qtbot, plot, steps)
    assert [moving for _, moving in told] == [True] * (len(told) - 1) + [False]
    assert len(told) >= 3
    settle(fresh, rest, qtbot)
    assert place(fresh, "plain") == pytest.approx(before + 0.8, abs=0.1)
    assert plot.here == pytest.approx(place(fresh, "plain"), abs=1e-3)
    assert plot.position_of(plot.here).x() == pytest.approx(end.x(), abs=3)


@pytest.mark.nightly
def test_the_line_stands_for_what_is_computed_with(tab, fresh, rest, qtbot):
    """With the master slider at 2, a line dragged to a place is an ε at that place."""
    commands.set_scale(fresh.document, 2.0)
    settle(fresh, rest, qtbot)
    assert tab.rows[tab.view].plot.here == pytest.approx(place(fresh, "plain"), abs=1e-6)
    tab.rows[tab.view].plot.dragged.emit(-0.6, False)
    settle(fresh, rest, qtbot)
    assert place(fresh, "plain") == pytest.approx(-0.6, abs=1e-3)
    assert fresh.document.state.epsilon_scale == 2.0
    commands.set_linked(fresh.document, "plain", False)
    tab.rows[tab.view].plot.dragged.emit(-0.6, False)
    assert place(fresh, "plain") == pytest.approx(-0.6, abs=1e-3)


# Rules ------------------------------------------------------------------------------------------------------------


def test_negative_numbers_of_axes_have_a_minus_sign():
    assert [text for _, text in AxisWords("").ticks(-2.0, 1.0, 4)] == ["−2", "−1", "0", "1"]


def rule_lines(plot: BandwidthPlot) -> dict[str, float]:
    return {plot._markers[number].rule: value for number, value in plot.handles().items() if number != HERE}


@pytest.mark.nightly
def test_rules_stand_where_their_values_are(tab, fresh):
    facts = fresh.controller.summaries["plain"]
    numbers = {rule: value for rule, value in facts.rules.items() if isinstance(value, float)}
    assert {"max-min", "median", "std", "self-tuning", "multiview"} <= set(numbers)
    for plot in (tab.rows[tab.view].plot, tab.graph, tab.classes):
        shown = rule_lines(plot)
        assert shown == pytest.approx({r: np.log10(v / facts.median) for r, v in numbers.items()}, abs=1e-9)
    line = next(marker for marker in tab.rows[tab.view].plot._markers if marker.rule == "median")
    assert sorted(tab.rows[tab.view].plot.lane.letters) == sorted("".join(get_rule(rule).letter for rule in numbers))
    assert "Click to use it" in line.text
    assert tab.rows[tab.view].plot.meaning(tab.rows[tab.view].plot.position_of(line.position)) == line.text


@pytest.mark.nightly
def test_a_click_on_a_rules_line_uses_the_rule(tab, fresh, rest, qtbot):
    assert fresh.document.state.view("plain").epsilon == "robust"
    spot = tab.graph.position_of(rule_lines(tab.graph)["median"])
    QTest.mouseClick(tab.graph, LEFT, NONE, QPoint(round(spot.x()), round(spot.y())))
    qtbot.waitUntil(lambda: fresh.document.state.view("plain").epsilon == "median", timeout=PATIENCE_MS)
    settle(fresh, rest, qtbot)
    assert tab.rows[tab.view].plot.here == pytest.approx(0.0, abs=1e-9)
    assert fresh.side.rows["plain"].rule.text().startswith("median")
    fresh.document.undo()
    assert fresh.document.state.view("plain").epsilon == "robust"


@pytest.mark.nightly
def test_a_click_between_two_lines_uses_one_of_them(tab, qtbot):
    """Lines a pixel apart: one click is one choice."""
    tab.rows[tab.view].plot.show_markers([Marker(1.2, "a", "", "median"), Marker(1.202, "b", "", "std")])
    chosen = []
    tab.rows[tab.view].plot.rule_chosen.connect(chosen.append)
    spot = tab.rows[tab.view].plot.position_of(1.2)
    QTest.mouseClick(tab.rows[tab.view].plot, LEFT, NONE, QPoint(round(spot.x()), round(spot.y())))
    assert len(chosen) == 1


@pytest.mark.nightly
def test_letters_stand_in_a_lane_where_no_curve_and_no_other_letter_is(tab):
    """Nine rules within a third of a decade, as on real data."""
    letters = "lP1GtsΨ½m"
    places = np.linspace(-1.4, -1.1, 9)
    tab.rows[tab.view].plot.show_markers(
        [Marker(x, c, f"about {c}", "std") for x, c in zip(places, letters, strict=True)]
    )
    lane = tab.rows[tab.view].plot.lane
    assert lane.geometry().bottom() <= tab.rows[tab.view].plot.plot.top() + 1
    assert lane.letters == letters
    half = [0.5 * width for width in lane._widths()]
    for i in range(8):
        assert lane.middles[i] + half[i] < lane.middles[i + 1] - half[i + 1]
    tab.rows[tab.view].plot.resize(
        tab.rows[tab.view].plot.width() + 60, tab.rows[tab.view].plot.height()
    )  # the letters go with the axis
    QApplication.processEvents()
    assert lane.middles[4] == pytest.approx(tab.rows[tab.view].plot.position_of(places[4]).x(), abs=12)
    chosen = []
    tab.rows[tab.view].plot.rule_chosen.connect(chosen.append)
    QTest.mouseClick(lane, LEFT, NONE, QPoint(round(lane.middles[0]), 8))
    assert chosen == ["std"]
    assert [lane.letter_at(x) for x in lane.middles] == list(range(9))
    assert lane.letter_at(lane.middles[0] - 30) is None


@pytest.mark.nightly
def test_a_letter_is_clicked_for_its_rule(tab, fresh, rest, qtbot):
    index = [tab.graph._markers[i].rule for i in tab.graph._order].index("median")
    QTest.mouseClick(tab.graph.lane, LEFT, NONE, QPoint(round(tab.graph.lane.middles[index]), 8))
    qtbot.waitUntil(lambda: fresh.document.state.view("plain").epsilon == "median", timeout=PATIENCE_MS)
    assert "median" in tab.graph.lane._letters[index][2].lower()


@pytest.mark.parametrize(
    ("places", "widths"),
    [([], []), ([50.0], [8.0]), ([10.0] * 6, [8.0] * 6), ([1.0, 2.0, 99.0, 100.0], [8.0, 20.0, 8.0, 6.0]),
     ([20.0, 24.0, 45.0, 46.0, 70.0], [9.0, 9.0, 9.0, 9.0, 9.0])],
)  # fmt: skip
def test_letters_are_moved_apart_as_little_as_needed(places, widths):
    middles = spread_texts(places, widths, 0.0, 100.0)
    edges = [(m - w / 2, m + w / 2) for m, w in zip(middles, widths, strict=True)]
    assert all(left[1] + GAP <= right[0] + 1e-9 for left, right in pairwise(edges))
    assert all(low >= 0.0 - 1e-9 and high <= 100.0 + 1e-9 for low, high in edges)
    if len(places) == 1:
        assert middles == places


@pytest.mark.nightly
def test_all_plots_lie_over_one_another_and_their_legends_say_what_is_meant(tab):
    cells = [cell for cell in (*tab.rows.values(), *tab._plots.values()) if cell.isVisible()]
    assert len(cells) == 2 + 3
    assert all(not cell.waiting for cell in cells)
    plots = [*(row.plot for row in tab.rows.values()), tab.graph, tab.classes]
    sides = {(plot.mapTo(tab, plot.plot.topLeft().toPoint()).x(), round(plot.plot.width())) for plot in plots}
    assert len(sides) == 1
    assert {ends_of(plot.figure.body).x for plot in plots} == {DECADES}
    left = tab.surface.mapTo(tab, tab.surface.position_of(DECADES[0], 0.0).toPoint()).x()
    assert left == pytest.approx(sides.pop()[0], abs=8)  # half a step of ε
    keys = tab._plots["classes"].keys
    for name, words in (
        ("ρ_P within-class transition probability", "stays within its class"),
        ("ρ_Ψ class separation", "between classes"),
        ("Ge eigengap", "gap"),
    ):
        assert words in keys[name].toolTip()


@pytest.mark.nightly
def test_until_there_is_a_curve_the_plots_say_what_is_computed(tab, fresh, monkeypatch):
    monkeypatch.setattr(fresh.analyser, "ask", lambda *views: None)
    monkeypatch.setattr(fresh.analyser, "of", lambda view: Explanation())
    tab.refresh()
    assert [row.waiting for row in tab.rows.values()] == ["computing log S …"] * 2
    assert [tab._plots[id].waiting for id in ("links", "classes", "pair")] == [
        "computing links …",
        "computing class curves …",
        "computing log S of both views …",
    ]


@pytest.mark.parametrize("position", [pytest.param(-400.0, marks=pytest.mark.nightly), 400.0])
def test_a_line_dragged_beyond_all_numbers_stops_before(tab, fresh, rest, qtbot, position):
    tab.rows[tab.view].plot.dragged.emit(position, True)
    settle(fresh, rest, qtbot)
    expected = fresh.controller.median("plain") * 10.0 ** (position / 4)
    assert fresh.document.state.view("plain").epsilon == pytest.approx(expected, rel=1e-3)


@pytest.mark.nightly
def test_a_rules_line_can_be_dragged_away_from_its_rule(tab, fresh, rest, qtbot):
    place_of_rule = rule_lines(tab.rows[tab.view].plot)["median"]
    start = tab.rows[tab.view].plot.position_of(place_of_rule)
    steps = [start + QPointF(dx, 0) for dx in (0, 8, 20, 35)]
    drag_in_plot(qtbot, tab.rows[tab.view].plot, steps)
    settle(fresh, rest, qtbot)
    assert place(fresh, "plain") > place_of_rule + 0.1
    assert isinstance(fresh.document.state.view("plain").epsilon, float)
    assert rule_lines(tab.rows[tab.view].plot)["median"] == pytest.approx(place_of_rule)


@pytest.mark.nightly
def test_all_rules_on_request(tab, fresh, rest, qtbot):
    assert "class-probabilistic" not in rule_lines(tab.rows[tab.view].plot)
    tab.all_rules.trigger()
    settle(fresh, rest, qtbot)
    rules = fresh.controller.summaries["plain"].rules
    assert {"class-probabilistic", "class-spectral", "class-geometric", "log-sum"} <= set(rules)
    assert "class-probabilistic" in rule_lines(tab.rows[tab.view].plot)
    assert "P" in [mark.letter for mark in fresh.side.rows["plain"].slider._marks]


# The pair -----------------------------------------------------------------------------------------------------------


def test_the_crossing_is_a_handle_for_both_bandwidths(tab, fresh, rest, qtbot):
    """Where the lines cross both are grabbed; the handle stands there whatever moves them."""
    before = place(fresh, "plain"), place(fresh, "wavy")
    assert tab.surface.here == pytest.approx(before, abs=1e-6)
    steps = ((0.0, 0.0), (0.1, -0.2), (0.4, -0.5))
    drag_in_plot(qtbot, tab.surface, [tab.surface.position_of(before[0] + x, before[1] + y) for x, y in steps])
    settle(fresh, rest, qtbot)
    pixel = 6.0 / min(tab.surface.plot.width(), tab.surface.plot.height())
    assert place(fresh, "plain") == pytest.approx(before[0] + 0.4, abs=pixel)
    assert place(fresh, "wavy") == pytest.approx(before[1] - 0.5, abs=pixel)
    commands.set_epsilon(fresh.document, "plain", "median")
    settle(fresh, rest, qtbot)
    assert tab.surface.here[0] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.nightly
def test_the_cross_hair_moves_both_bandwidths(tab, fresh, rest, qtbot):
    tab.surface.dragged.emit(-0.5, -1.5, True)
    tab.surface.dragged.emit(-0.6, -1.2, False)
    settle(fresh, rest, qtbot)
    assert place(fresh, "plain") == pytest.approx(-0.6, abs=1e-3)
    assert place(fresh, "wavy") == pytest.approx(-1.2, abs=1e-3)
    assert tab.surface.here == pytest.approx((-0.6, -1.2), abs=1e-3)
    assert tab.rows[tab.view].plot.here == pytest.approx(-0.6, abs=1e-3)


@pytest.mark.parametrize(
    ("line", "view", "other"),
    [("across", "plain", "wavy"), pytest.param("up", "wavy", "plain", marks=pytest.mark.nightly)],
)
def test_one_line_of_the_cross_hair_under_the_mouse(tab, fresh, rest, qtbot, line, view, other):
    moved, still = place(fresh, view), fresh.controller.epsilon(other)
    x, y = tab.surface.here
    along = [(d, -0.9) if line == "across" else (-0.9, d) for d in (0.0, 0.15, 0.4, 0.7)]
    drag_in_plot(qtbot, tab.surface, [tab.surface.position_of(x + dx, y + dy) for dx, dy in along])
    settle(fresh, rest, qtbot)
    assert place(fresh, view) == pytest.approx(moved + 0.7, abs=0.15)
    assert fresh.controller.epsilon(other) == still


@pytest.mark.nightly
def test_a_click_on_the_cross_hair_or_beside_it_changes_nothing(tab, fresh):
    before = fresh.document.state
    for at in (tab.surface.position_of(*tab.surface.here), tab.surface.plot.topLeft() + QPointF(3, 3)):
        QTest.mouseClick(tab.surface, LEFT, NONE, QPoint(round(at.x()), round(at.y())))
    assert fresh.document.state is before


@pytest.mark.nightly
def test_the_cross_hair_stops_at_the_ends_of_the_axes(tab, qtbot):
    heard = []
    tab.surface.dragged.connect(lambda *values: heard.append(values))
    drag_in_plot(qtbot, tab.surface, [tab.surface.position_of(*tab.surface.here), QPointF(-900, 900)])
    ends = matrix_ends(tab.surface.figure.body)
    assert heard[-1] == pytest.approx((ends.x[0], ends.y[0], False))
    assert ends.x == pytest.approx(DECADES, abs=0.1)


@pytest.mark.nightly
def test_the_surface_is_log_s_of_the_pair(tab, fresh):
    first, second = (fresh.analyser.of(v).curves for v in ("plain", "wavy"))
    body = tab.surface.figure.body
    x, y = (np.log10(each.growth.epsilon / each.median) for each in (first, second))
    inside = np.ix_(y >= DECADES[0], x >= DECADES[0])
    np.testing.assert_allclose(body.values, pair_surface(first.growth, second.growth).T[inside])
    np.testing.assert_allclose(body.x, x[x >= DECADES[0]])
    np.testing.assert_allclose(body.y, y[y >= DECADES[0]])
    np.testing.assert_allclose(tab.rows["wavy"].maps["plain"].figure.body.values, body.values)
    assert tab.surface.meaning(tab.surface.position_of(body.x[3], body.y[5])).endswith(
        f"log S {numbers.number(float(body.values[5, 3]), 4)}"
    )


def test_contours_of_the_pair_lie_where_log_s_begins_to_grow():
    """Along each bandwidth the slope d log S / d log σ is 1/2 there, of a surface whose slope is known."""
    x, y = np.linspace(-4.0, 2.0, 61), np.linspace(-4.0, 2.0, 41)
    slope = np.add.outer(0.1 * y, 0.25 * x)
    (line,) = contours(slope, x, y, dashed=True)
    assert line.dashed
    np.testing.assert_allclose(0.1 * line.y + 0.25 * line.x, 0.5, atol=1e-12)


def test_contours_are_where_the_paper_says(tab, fresh):
    """By differences of log S in log σ, taken anew at every place of a line along the first bandwidth."""
    first = fresh.analyser.of("plain").curves
    body = tab.surface.figure.body
    log_sigma = 0.5 * np.log(first.median * 10.0**body.x)
    solid = [line for line in body.contours if not line.dashed]
    assert solid
    for line in solid:
        for x, y in zip(line.x, line.y, strict=True):
            rows = [np.interp(y, body.y, column) for column in body.values.T]
            slope = np.interp(x, body.x, np.gradient(rows, log_sigma))
            assert slope == pytest.approx(0.5, abs=0.02)


# Classes ------------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_class_curves_on_request(tab, fresh, rest, qtbot):
    assert tab.by_class.isEnabled()
    assert names(tab.classes) == ["ρ_P within-class transition probability"]
    keys = tab._plots["classes"].keys
    assert [
        keys[name].isVisible()
        for name in ("ρ_P within-class transition probability", "ρ_Ψ class separation", "Ge eigengap")
    ] == [True, False, False]
    tab.by_class.trigger()
    qtbot.waitUntil(lambda: fresh.analyser.of("plain").classes is not None, timeout=PATIENCE_MS)
    settle(fresh, rest, qtbot)
    assert all(key.isVisible() for key in keys.values())
    found = fresh.analyser.of("plain").classes
    x, y = drawn(tab.classes, "Ge")
    np.testing.assert_allclose(x, np.log10(found.epsilon / fresh.controller.median("plain")))
    assert np.nanmax(y) == pytest.approx(1.0)
    assert names(tab.classes) == ["ρ_P within-class transition probability", "ρ_Ψ class separation", "Ge eigengap"]
    # They are gone where they are no longer true.
    commands.set_kernel(fresh.document, "plain", "laplacian")
    qtbot.waitUntil(lambda: known(fresh, "plain"), timeout=PATIENCE_MS)
    settle(fresh, rest, qtbot)
    assert names(tab.classes) == ["ρ_P within-class transition probability"]


@pytest.mark.parametrize(
    ("labels", "reason"),
    [pytest.param(np.zeros(48, dtype=int), "All labelled samples are of the class “0”", marks=pytest.mark.nightly),
     (np.linspace(0.0, 1.0, 48), "has a single sample")],
)  # fmt: skip
def test_labels_that_are_no_classes_grey_the_class_curves(tab, fresh, rest, qtbot, labels, reason):
    """Nor does the curve of the data before stay."""
    assert tab.by_class.isEnabled()
    show_data(fresh, small_data(48).replace(labels=labels), 3)
    rest(fresh)
    qtbot.waitUntil(lambda: known(fresh, "plain"), timeout=PATIENCE_MS)
    settle(fresh, rest, qtbot)
    assert tab.by_class.isVisible()
    assert not tab.by_class.isEnabled()
    assert reason in tab.by_class.toolTip()
    assert names(tab.classes) == []


@pytest.mark.nightly
def test_without_labels_there_is_no_plot_of_classes(fresh, rest, qtbot):
    show_data(fresh, small_data(48, labels=False), 3)
    rest(fresh)
    click_page(fresh, "tune")
    qtbot.waitUntil(lambda: known(fresh, "plain"), timeout=PATIENCE_MS)
    rest(fresh)
    assert not fresh.bottom.pages["tune"].classes.isVisible()
    assert not fresh.bottom.pages["tune"].by_class.isVisible()
    assert fresh.bottom.pages["tune"].words.text().startswith("plain at this ε")


# Words --------------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_words_say_pieces_and_dimension(tab, fresh, rest, qtbot):
    curves = fresh.analyser.of("plain").curves

    def words(epsilon: float) -> str:
        commands.set_epsilon(fresh.document, "plain", epsilon)
        settle(fresh, rest, qtbot)
        return tab.words.text()

    step = 4 * np.sin(np.pi / 48) ** 2  # between neighbours on the ring
    apart = words(0.01 * step)
    assert "graph in 48 pieces, 100 % of the samples isolated" in apart
    together = words(0.3)
    assert "graph in one piece" in together
    assert "isolated" not in together
    said = float(re.search(r"dimension ([\d.]+)", together)[1])
    slope = np.interp(np.log(0.3), np.log(curves.growth.epsilon), curves.growth.slope)
    assert said == pytest.approx(2 * slope, abs=0.06)
    assert 0.8 < said < 1.5  # a ring
    assert together.count("neighbour") == 1  # one number goes by that name, the verdict's


@pytest.mark.nightly
def test_words_say_how_many_steps_of_the_focused_picture_stay(tab, fresh, rest, qtbot):
    fresh.editor.set_method("p2", "kernel-product")
    fresh.editor.focus("p2")
    shares = []
    for epsilon in (0.01, 0.5):
        commands.set_epsilon(fresh.document, "plain", epsilon)
        settle(fresh, rest, qtbot)
        shares.append(fresh.controller.result("p2").result.embedding.info["steps_that_stay"])
        assert f"Kernel product: {100 * shares[-1]:.0f} % of the steps stay where they are" in tab.words.text()
    assert shares[0] > 2 * shares[1]
    fresh.editor.focus("p3")
    assert "Kernel product" not in tab.words.text()


@pytest.mark.nightly
def test_words_beyond_the_axis_speak_of_the_bandwidth_itself(fresh, rest, qtbot):
    """An ε that lies left of the plot still is the one that is spoken of."""
    X = np.repeat(10.0 * np.eye(24), 2, axis=0)
    X[1::2] += 1e-3
    show_data(fresh, MultiView({"plain": X, "wavy": small_data(48).Xs[0]}), 3)
    click_page(fresh, "tune")
    qtbot.waitUntil(lambda: known(fresh, "plain") and known(fresh, "wavy"), timeout=PATIENCE_MS)
    commands.set_epsilon(fresh.document, "plain", 1e-9)
    settle(fresh, rest, qtbot)
    assert "48 pieces, 100 % of the samples isolated" in fresh.bottom.pages["tune"].words.text()


# The slider unfolded ------------------------------------------------------------------------------------------------


def test_c_unfolds_the_slider_into_its_slope_curve(fresh, rest, qtbot):
    row = fresh.side.rows["plain"]
    assert not row.slope.isVisible()
    fresh.behaviour.focus_panel(0)  # of the view plain
    QTest.keyClick(fresh, KEY.Key_C)
    assert row.slope.isVisible()
    assert not fresh.side.rows["wavy"].slope.isVisible()
    qtbot.waitUntil(lambda: known(fresh, "plain"), timeout=PATIENCE_MS)
    rest(fresh)
    assert row.slope.height() == 64
    assert "at most" in row.slope.accessibleName()
    curves = fresh.analyser.of("plain").curves
    at = np.interp(np.log(fresh.controller.epsilon("plain")), np.log(curves.growth.epsilon), curves.growth.slope)
    assert row.slope.dimension_here() == pytest.approx(2 * at, abs=1e-6)
    QTest.keyClick(fresh, KEY.Key_C)
    assert not row.slope.isVisible()
    # The slider that has the keys comes before the panel.
    fresh.side.rows["wavy"].slider.setFocus()
    QTest.keyClick(fresh.side.rows["wavy"].slider, KEY.Key_C)
    assert fresh.side.rows["wavy"].slope.isVisible()
    QTest.mouseClick(fresh.side.rows["wavy"].unfold, LEFT)
    assert not fresh.side.rows["wavy"].slope.isVisible()


@pytest.fixture
def unfolded(fresh, rest, qtbot) -> tuple[SlopeCurve, Slider]:
    row = fresh.side.rows["plain"]
    row.unfold.setChecked(True)
    qtbot.waitUntil(lambda: known(fresh, "plain"), timeout=PATIENCE_MS)
    rest(fresh)
    yield row.slope, row.slider
    row.unfold.setChecked(False)


def crest(slope: SlopeCurve) -> float:
    """Horizontal position, in the window, of the highest point drawn."""
    image = slope.grab().toImage()
    ratio = image.devicePixelRatio()
    width, height = image.width(), image.height()
    full = np.array([[image.pixelColor(x, y).saturation() for x in range(width)] for y in range(height)])
    line = full > 100  # the accent colour at full strength
    top = np.flatnonzero(line.any(axis=1))[0]
    return slope.mapTo(slope.window(), QPoint(0, 0)).x() + float(np.flatnonzero(line[top]).mean()) / ratio


@pytest.mark.parametrize("scale", [None, Scale(1e-4, 1e8)], ids=["usual track", "wider track"])
def test_the_slope_curve_lies_on_the_sliders_own_axis(unfolded, fresh, scale):
    slope, slider = unfolded
    assert slope.width() == slider.width()
    assert slope.mapTo(fresh, QPoint(0, 0)).x() == slider.mapTo(fresh, QPoint(0, 0)).x()
    if scale is not None:
        slider.set_scale(scale)
    curves = fresh.analyser.of("plain").curves
    peak = curves.growth.epsilon[np.argmax(curves.growth.slope)] / curves.median
    expected = slider.mapTo(fresh, QPoint(0, 0)).x() + slider.x_of(peak)
    assert crest(slope) == pytest.approx(expected, abs=1.5)


@pytest.mark.nightly
def test_the_slope_curve_follows_the_slider_and_the_kernel(unfolded, fresh, rest, qtbot):
    slope, slider = unfolded
    before = slope.dimension_here()
    slider.moved.emit(20.0)
    rest(fresh)
    assert slope.dimension_here() < 0.2 < before
    commands.set_kernel(fresh.document, "plain", "laplacian")
    qtbot.waitUntil(lambda: known(fresh, "plain"), timeout=PATIENCE_MS)
    rest(fresh)
    assert slope._curves is fresh.analyser.of("plain").curves


def test_the_slope_curve_is_that_of_the_data_on_show(unfolded, fresh, rest, qtbot):
    """Other data whose views have the same names: no curve of the former data stays."""
    slope, _ = unfolded
    former = slope._curves
    commands.open_data(fresh.document, *opened_from("elsewhere", small_data(30)))
    fresh.show_opened()
    rest(fresh)
    assert fresh.side.rows["plain"].slope is slope
    assert slope._curves is not former
    if slope._curves is not None:
        assert slope._curves.growth.row_sums.shape[1] == 30


# Look ---------------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_plots_are_drawn_in_both_themes(tab, fresh, rest, qtbot):
    light = tab.grab().toImage()
    fresh.workbench.change_settings(theme="dark")
    settle(fresh, rest, qtbot)
    dark = tab.grab().toImage()
    fresh.workbench.change_settings(theme="light")
    corner = QPoint(3, 3)
    assert light.pixelColor(corner).lightness() > 200 > 60 > dark.pixelColor(corner).lightness()


@pytest.mark.nightly
def test_everything_in_the_tab_has_a_name(tab):
    for widget in (tab.rows[tab.view].plot, tab.graph, tab.classes, tab.surface, tab.rows["plain"].name, tab.other):
        assert isinstance(widget, QWidget)
        assert widget.accessibleName()


# --- the dimension of a rule --------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_a_known_dimension_is_chosen_where_the_rule_is(fresh, qtbot):
    """Beside the rule, up to ten; the session's text keeps it, and the slider stands at its ε."""
    window, name = fresh, fresh.document.state.views[0].name
    row = window.side.rows[name]
    row._choose_rule()
    menu = QApplication.activePopupWidget()
    (choices,) = [own for title, own in submenus(menu).items() if "manifold" in title]
    assert choices.title() == "Use manifold scaling with d̂ …"
    choices.actions()[1].trigger()
    menu.close()
    window.controller.wait_idle(30)
    qtbot.waitUntil(lambda: window.controller.epsilon(name) is not None, timeout=PATIENCE_MS)
    assert window.document.state.view(name).epsilon == "manifold(dimension=2)"
    assert row.rule.text().startswith("manifold d̂ = 2")
    expected = manifold_scaling(window.document.data.Xs[0], dimension=2).epsilon
    assert window.controller.epsilon(name) == pytest.approx(expected, rel=1e-9)


def test_the_panel_of_weights_says_that_its_dimension_is_an_estimate(fresh, qtbot):
    name = fresh.document.state.views[0].name
    open_weights(fresh.workbench, name, fresh)
    (panel,) = fresh.findChildren(WeightsPanel)
    qtbot.waitUntil(panel.apply.isEnabled, timeout=PATIENCE_MS)
    assert "Estimated: d̂ = " in panel.words.text()
    assert "the dimension of the noise" in panel.words.text()
    panel.dimension.setText("2")
    panel.learn.click()
    qtbot.waitUntil(panel.apply.isEnabled, timeout=PATIENCE_MS)
    assert panel.words.text().startswith("Dimension 2,")
    assert "Estimated" not in panel.words.text()
    panel.close()


def test_the_weights_of_components_are_shown_without_computing_them_here(window, rest, monkeypatch):
    """Principal components took seconds on the main thread where there are many samples."""
    here, threads = get_ident(), []
    window.editor.set_preprocess("wavy", "pca:2")
    monkeypatch.setattr(preprocessing, "_principal_components", _noting(preprocessing._principal_components, threads))
    open_weights(window.workbench, "wavy", window)
    rest(window)
    found = window.analyser.of("wavy").scaling
    (panel,) = window.findChildren(WeightsPanel)
    assert panel.features.n_rows() == len(found.weights) == 2
    spread = preprocessing.preprocess_view(window.document.data.Xs[1], "pca:2").std(axis=0)
    np.testing.assert_allclose(found.spread, spread)
    shown = {panel.features.cell(row, 1) for row in range(2)}
    assert shown == {numbers.number(float(value)) for value in found.weights * spread}
    panel.close()
    assert threads.count(here) == 1  # the line above


def _noting(function, threads):
    def noted(*arguments):
        threads.append(get_ident())
        return function(*arguments)

    return noted
