"""The pages call the editor, the analyser and the sweeper, all of which only listen here."""

from unittest.mock import ANY, Mock, call, create_autospec

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from mvexplorer.compute.batch.axes import SCALE, axes
from mvexplorer.compute.jobs.runner import Scores
from mvexplorer.engine.methods import methods
from mvexplorer.engine.metrics import Score
from mvexplorer.state.batches.sweeper import Curve, Sweeper
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.commands import new_panel
from mvexplorer.state.questions.bandwidth_analyser import BandwidthAnalyser, Explanation
from mvexplorer.state.session.settings import Settings
from mvexplorer.ui.pages.feature_weights import WeightsPanel
from mvexplorer.ui.pages.tune.sweep_section import SweepSection
from mvexplorer.ui.pages.tune.sweep_words import axis_label
from mvexplorer.ui.pages.tune.tune import TunePage

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def bench(controller, editor):
    """A workbench that computes nothing; the medians are those of the controller."""
    made = Workbench(Settings(), keeps_settings=False)
    made.controller.shutdown()
    made.document, made.controller, made.editor = controller.document, controller, editor
    made.analyser = create_autospec(BandwidthAnalyser, instance=True)
    made.analyser.changed = Mock()
    made.analyser.of.return_value = Explanation()
    made.sweeper = create_autospec(Sweeper, instance=True)
    made.sweeper.changed = Mock()
    made.sweeper.curves, made.sweeper.problems, made.sweeper.titles = [], {}, {}
    made.sweeper.total = made.sweeper.done = 0
    made.sweeper.running = False
    made.sweeper.axes.side_effect = lambda **_: axes(methods(), ("plain", "wavy"))
    made.sweeper.axis = SCALE
    made.sweeper.table.return_value = []
    editor.attempt.side_effect = lambda edit: edit() or True
    return made


@pytest.fixture
def bandwidth(app, qtbot, bench, editor):
    made = TunePage(bench)
    qtbot.addWidget(made)
    made.resize(1200, 300)
    made.show()
    made.refresh()
    editor.reset_mock()
    bench.analyser.reset_mock()
    return made


def test_a_bandwidth_line_dragged_sets_the_epsilon_of_its_view(bandwidth, bench, editor):
    bandwidth.rows["plain"].plot.dragged.emit(-1.0, True)
    bandwidth.rows["plain"].plot.dragged.emit(0.0, False)
    assert editor.mock_calls == [
        call.set_epsilon("plain", 0.2, interactive=True),  # a tenth of the median 2
        call.set_epsilon("plain", 2.0, interactive=False),
        call.end_drag(),
    ]
    bench.analyser.refine_classes.assert_called_once_with("plain", ANY)


def test_a_rule_clicked_on_a_plot_becomes_the_bandwidth(bandwidth, editor):
    bandwidth.graph.rule_chosen.emit("median")
    assert editor.mock_calls == [call.set_rule("plain", "median")]


def test_the_cross_of_the_pair_map_sets_both_bandwidths(bandwidth, editor):
    bandwidth.surface.dragged.emit(-1.0, 0.5, True)
    bandwidth.surface.dragged.emit(-1.0, 0.5, False)
    calls = editor.mock_calls
    both = {"plain": 0.2, "wavy": pytest.approx(6.325, rel=1e-3)}
    assert calls[0] == call.set_epsilons(both, interactive=True)
    assert calls[-1] == call.end_drag()


def test_the_buttons_of_the_bandwidth_page_ask_the_analyser(bandwidth, bench):
    bench.analyser.reset_mock()
    for action in (bandwidth.dimension, bandwidth.by_class, bandwidth.all_rules):
        action.trigger()
    asked = [c for c in bench.analyser.mock_calls if c[0].startswith("ask_")]
    assert asked == [call.ask_dimension("plain"), call.ask_classes("plain"), call.ask_rules("plain", ANY)]
    assert {"median", "max-min", "class-geometric"} <= set(asked[2].args[1])


def test_the_bandwidth_page_explains_the_view_chosen(bandwidth, bench):
    bench.analyser.reset_mock()
    bandwidth.rows["wavy"].name.click()
    assert bandwidth.view == "wavy"
    assert call.ask("plain", "wavy") in bench.analyser.mock_calls


def test_feature_weights_are_applied_and_removed_by_the_editor(app, qtbot, bandwidth, bench, editor):
    panel = WeightsPanel("plain", bench, bandwidth)
    panel.remove.click()
    assert editor.mock_calls == [call.apply_weights("plain", None)]
    panel.close()


@pytest.fixture
def sweep(app, qtbot, bench, editor):
    made = SweepSection(bench)
    qtbot.addWidget(made)
    made.resize(1200, 300)
    made.show()
    editor.reset_mock()
    bench.sweeper.reset_mock()
    return made


def test_a_sweep_takes_the_range_and_the_count_of_the_form(sweep, bench):
    sweep.values.setText("5")
    sweep.resamples.setText("2")
    QTest.mouseClick(sweep.run, LEFT)
    asked = bench.sweeper.start.call_args
    bench.sweeper.start.assert_called_once()
    factors, axis = asked.args
    assert (len(factors), axis) == (5, "epsilon_scale")
    assert factors[0] < 1 < factors[-1]
    assert asked.kwargs == {"every_method": False, "resamples": 2, "stability": False}


def test_a_running_sweep_is_stopped_by_the_same_button(sweep, bench):
    bench.sweeper.running = True
    sweep.show_sweep()
    assert sweep.run.text() == "Stop"
    QTest.mouseClick(sweep.run, LEFT)
    assert [name for name, *_ in bench.sweeper.mock_calls if name in ("start", "stop")] == ["stop"]


def choose(sweep, axis):
    sweep.along.list.setCurrentIndex(sweep.along.list.findData(axis))


@pytest.mark.parametrize(
    ("axis", "ends", "count", "values"),
    [("eta", ("0", "1"), "13", np.linspace(0.0, 1.0, 13)),
     ("t", ("1", "16"), "13", (1, 2, 3, 4, 5, 6, 8, 10, 13, 16)),
     ("epsilon:plain", None, "13", None),
     ("gamma", ("0.0001", "1"), "13", np.geomspace(1e-4, 1.0, 13))],
)  # fmt: skip
def test_each_axis_comes_with_its_own_range(sweep, bench, axis, ends, count, values):
    choose(sweep, axis)
    if ends is None:  # around the ε of the view
        present = bench.controller.effective_epsilon("plain")
        values = np.geomspace(present / 30, present * 30, 13)
    else:
        assert (sweep.low.text(), sweep.high.text()) == ends
    assert sweep.values.text() == count
    assert sweep.plot.figure.body.x_label == axis_label(sweep.along.axis)
    QTest.mouseClick(sweep.run, LEFT)
    asked, name = bench.sweeper.start.call_args.args
    assert name == axis
    np.testing.assert_allclose(asked, values, rtol=2e-3, atol=1e-4)
    assert all(isinstance(value, int) for value in asked) == (axis == "t")


@pytest.mark.parametrize(
    ("axis", "low", "high"), [("eta", "0", "1.5"), ("eta", "-1", "1"), ("t", "0", "4"), ("eta", "0.5", "0.5")]
)
def test_ends_beyond_what_the_parameter_allows_are_marked(sweep, bench, axis, low, high):
    choose(sweep, axis)
    sweep.low.setText(low)
    sweep.high.setText(high)
    QTest.mouseClick(sweep.run, LEFT)
    assert sweep.low.property("wrong") is True
    asked, _ = bench.sweeper.start.call_args.args
    assert (asked[0], asked[-1]) == sweep.along.axis.span


def test_the_line_is_where_the_document_stands_on_the_axis_and_drags_it(sweep, bench, editor):
    for axis, drag, expected in (
        ("eta", 0.25, call.set_param("eta", 0.25, interactive=True)),
        ("t", 7.8, call.set_param("t", 8, interactive=True)),
        ("epsilon:plain", 0.1, call.set_epsilon("plain", 0.1, interactive=True)),
    ):
        choose(sweep, axis)
        editor.reset_mock()
        sweep.plot.dragged.emit(drag, True)
        assert editor.mock_calls == [expected]
    choose(sweep, "gamma")
    assert sweep.plot.here == pytest.approx(0.01)
    choose(sweep, "cholesky_rank")  # decided from the data: nowhere on the axis
    assert sweep.plot.here is None


def test_a_click_on_a_point_goes_there_on_its_axis(sweep, bench, editor):
    eta = axes(methods(), ())["eta"]
    panels = [new_panel("multiview", "p6"), new_panel("kernel-sum", "p3")]
    curves = [Curve("Multi-view", panels[0], {(e, 0): Scores(Score(e)) for e in (0.0, 0.5)}, views=("plain", "wavy"))]
    curves.append(Curve("Kernel sum", panels[1], {(0.0, 0): Scores(Score(0.3))}, flat=True))
    bench.sweeper.curves, bench.sweeper.axis, bench.sweeper.values = curves, eta, (0.0, 0.5)
    bench.sweeper.titles = {"nmi": "NMI"}
    sweep.show_sweep()
    assert "at η = 0.5" in sweep.legend.text()
    assert "Multi-view at η = 0.5" in sweep._meaning(0, 1)
    assert "within-view weight (η) has no effect" in sweep._meaning(1, 0)
    assert sweep.plot.figure.body.series[1].x.tolist() == [0.0, 0.5]
    sweep._choose(0, 1)
    sweep._choose(1, 0)
    assert editor.mock_calls == [call.show_at(panels[0], eta, 0.5), call.show_at(panels[1], eta, None)]


def test_the_line_of_the_sweep_drags_all_bandwidths(sweep, editor):
    sweep.plot.dragged.emit(1.0, True)
    sweep.plot.dragged.emit(1.0, False)
    assert editor.mock_calls == [call.set_scale(1.0, interactive=True), call.end_drag()]
