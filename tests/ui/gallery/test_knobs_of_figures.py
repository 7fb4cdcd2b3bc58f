"""What the buttons under *Try this* bring on show: sweeps that run, curves with the bandwidths of the panels."""

import numpy as np
import pytest
from PySide6.QtWidgets import QPushButton
from windows import PATIENCE_MS

from mvexplorer.compute.batch.axes import SCALE
from mvexplorer.engine.core.task import Task
from mvexplorer.experiments.opening import document_of
from mvexplorer.experiments.table import EXPERIMENTS, find_experiment
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.pictures.scoring import available_scores
from mvexplorer.ui.pages.table import check_page

RULES = ("class-geometric(class_dimension=2)", "class-spectral(class_dimension=2)", "class-probabilistic")


def test_every_knob_opens_a_page_that_there_is_and_sweeps_a_score_that_its_data_has():
    for experiment in EXPERIMENTS:
        for turn in experiment.turns:
            if turn.page:
                check_page(turn.page)
            if turn.sweep:
                assert turn.sweep in available_scores(*document_of(experiment, Task()))


def press(window, id, words):
    """Press a button beside a figure, on other data: that of the figure takes long."""
    if window.gallery.beside is None:
        window.gallery._make_beside()
    beside = window.gallery.beside
    beside._show_experiment(find_experiment(id))
    (button,) = [each for each in beside.knobs.findChildren(QPushButton) if each.text() == words]
    button.click()


@pytest.mark.nightly
@pytest.mark.panels(2)
def test_the_knob_of_figure_23_sweeps_nmi_over_both_bandwidths(window, rest, qtbot):
    """Whatever was chosen in the form before: another score, another axis, all methods."""
    sweep, sweeper = window.bottom.show_page("sweep").sweep, window.workbench.sweeper
    sweep.what.setCurrentIndex(1)
    sweep.along.list.setCurrentIndex(1)
    sweep.score.setCurrentIndex(sweep.score.count() - 1)
    press(window, "lindenbaum2015-fig23", "Sweep NMI over both ε")
    qtbot.waitUntil(lambda: sweeper.total > 0 and not sweeper.running, timeout=PATIENCE_MS)
    rest(window)
    assert sweep.isVisible()
    assert sweeper.axis == SCALE
    assert [curve.method for curve in sweeper.curves] == [panel.method for panel in window.document.state.panels]
    assert sweep.score.currentText() == "NMI"
    (figure,) = sweep.figures()
    drawn = {each.name: each.y for each in figure.body.series}
    np.testing.assert_allclose([*drawn.values()], [[v for _, v in c.values("nmi")] for c in sweeper.curves])


@pytest.mark.panels(3)
def test_the_knob_of_figure_4_11_marks_the_bandwidths_of_the_panels_on_the_curves(window, rest, qtbot):
    panels = [
        updated(panel, {"method": "single", "view": "wavy", "pins": {"epsilon:wavy": rule}})
        for panel, rule in zip(window.document.state.panels, RULES, strict=True)
    ]
    for panel in panels:
        window.editor.change_panel(panel.id, "Rule", method="single", view="wavy", pins=panel.pins)
    rest(window)
    tune = window.bottom.show_page("tune")
    tune.explain("wavy")
    press(window, "bandwidth-fig4.11-0.02", "Criteria over ε")
    qtbot.waitUntil(lambda: len(tune.classes.figure.body.series) == 3, timeout=PATIENCE_MS)
    rest(window)
    assert tune.classes.isVisible()
    median = window.controller.median("wavy")
    marks = {marker.rule: (marker.letter, marker.position) for marker in tune.classes._markers}
    for panel, rule, letter in zip(panels, RULES, "ΨGP", strict=True):
        (epsilon,) = window.controller.result(panel.id).result.embedding.epsilon
        assert marks[rule] == (letter, pytest.approx(np.log10(epsilon / median)))
