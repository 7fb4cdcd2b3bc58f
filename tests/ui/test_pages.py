"""The pages call the editor, the analyser and the sweeper, all of which only listen here."""

from unittest.mock import ANY, Mock, call, create_autospec

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from mvexplorer.state.bandwidth_analyser import BandwidthAnalyser, Explanation
from mvexplorer.state.settings import Settings
from mvexplorer.state.sweeper import Sweeper
from mvexplorer.state.workbench import Workbench
from mvexplorer.ui.pages.bandwidth import BandwidthPage
from mvexplorer.ui.pages.feature_weights import WeightsPanel
from mvexplorer.ui.pages.sweep import SweepPage

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
    made.sweeper.curves, made.sweeper.problems = [], {}
    made.sweeper.total = made.sweeper.done = 0
    made.sweeper.running = False
    made.sweeper.table.return_value = []
    editor.attempt.side_effect = lambda edit: edit() or True
    return made


@pytest.fixture
def bandwidth(app, qtbot, bench, editor):
    made = BandwidthPage(bench)
    qtbot.addWidget(made)
    made.resize(1200, 300)
    made.show()
    made.refresh()
    editor.reset_mock()
    bench.analyser.reset_mock()
    return made


def test_a_bandwidth_line_dragged_sets_the_epsilon_of_its_view(bandwidth, bench, editor):
    bandwidth.growth.dragged.emit(-1.0, True)
    bandwidth.growth.dragged.emit(0.0, False)
    assert editor.mock_calls == [
        call.set_epsilon("plain", 0.2, interactive=True),  # a tenth of the median 2
        call.set_epsilon("plain", 2.0, interactive=False),
        call.end_drag(),
    ]
    bench.analyser.refine_classes.assert_called_once_with("plain", ANY)


def test_a_rule_clicked_on_a_plot_becomes_the_bandwidth(bandwidth, editor):
    bandwidth.graph.rule_chosen.emit("median")
    assert editor.mock_calls == [call.set_epsilon("plain", "median")]


def test_the_cross_of_the_pair_map_sets_both_bandwidths(bandwidth, editor):
    bandwidth.surface.dragged.emit(-1.0, 0.5, True)
    bandwidth.surface.dragged.emit(-1.0, 0.5, False)
    calls = editor.mock_calls
    assert call.set_epsilon("plain", 0.2, interactive=True) in calls
    assert call.set_epsilon("wavy", pytest.approx(6.325, rel=1e-3), interactive=True) in calls
    assert calls[-1] == call.end_drag()


def test_the_buttons_of_the_bandwidth_page_ask_the_analyser(bandwidth, bench):
    bench.analyser.reset_mock()
    QTest.mouseClick(bandwidth.dimension, LEFT)
    QTest.mouseClick(bandwidth.by_class, LEFT)
    QTest.mouseClick(bandwidth.all_rules, LEFT)
    asked = [c for c in bench.analyser.mock_calls if c[0].startswith("ask_")]
    assert asked == [call.ask_dimension("plain"), call.ask_classes("plain"), call.ask_rules("plain", ANY)]
    assert {"median", "max-min", "class-geometric"} <= set(asked[2].args[1])


def test_the_bandwidth_page_explains_the_view_chosen(bandwidth, bench):
    bench.analyser.reset_mock()
    bandwidth.choice.setCurrentIndex(1)
    assert call.ask("wavy") in bench.analyser.mock_calls


def test_feature_weights_are_applied_and_removed_by_the_editor(app, qtbot, bandwidth, bench, editor):
    panel = WeightsPanel("plain", bench, bandwidth)
    panel.remove.click()
    assert editor.mock_calls == [call.apply_weights("plain", None)]
    panel.close()


@pytest.fixture
def sweep(app, qtbot, bench, editor):
    made = SweepPage(bench)
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
    (factors,) = asked.args
    assert len(factors) == 5
    assert factors[0] < 1 < factors[-1]
    assert asked.kwargs == {"every_method": False, "resamples": 2}


def test_a_running_sweep_is_stopped_by_the_same_button(sweep, bench):
    bench.sweeper.running = True
    sweep.show_sweep()
    assert sweep.run.text() == "Stop"
    QTest.mouseClick(sweep.run, LEFT)
    assert [name for name, *_ in bench.sweeper.mock_calls if name in ("start", "stop")] == ["stop"]


def test_the_line_of_the_sweep_drags_all_bandwidths(sweep, editor):
    sweep.here.sigDragged.emit(sweep.here)
    sweep.here.sigPositionChangeFinished.emit(sweep.here)
    assert editor.mock_calls == [call.set_scale(1.0, interactive=True), call.end_drag()]
