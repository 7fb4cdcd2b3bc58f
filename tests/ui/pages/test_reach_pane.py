"""One sample's neighbours on the page Tune: its distances with the kernel over them, moving with ε."""

import numpy as np
import pytest
from windows import show_data, small_data

from mvexplorer.state.document import commands, point_commands
from mvexplorer.ui.pages.tune.reach_pane import NONE

pytestmark = pytest.mark.panels(1)


@pytest.fixture
def page(window, rest):
    """The page with that plot; `plain` is explained."""
    show_data(window, small_data(48))
    rest(window)
    shown = window.bottom.show_page("tune")
    shown.show_plot("reach")
    rest(window)
    yield shown
    shown.hide_plot("reach")


@pytest.mark.nightly
def test_a_kept_samples_step_is_told_and_follows_the_hand(page, window, rest, qtbot):
    pane, data = page.reach, window.document.data
    assert pane.isVisible()
    assert pane.waiting == NONE
    assert not any("Neighbours of" in figure.title for figure in page.figures())
    point_commands.keep_sample(window.document, 5)
    rest(window)
    qtbot.waitUntil(lambda: pane.figure is not None)
    view = page.view
    X = window.controller.result(window.document.state.panels[0].id).result.request.data
    assert X is data
    for epsilon in (0.05, 2.0):
        window.editor.set_epsilon(view, epsilon)
        rest(window)
        pane.refresh()
        squared = np.sum((data.Xs[data.view_index(view)] - data.Xs[data.view_index(view)][5]) ** 2, axis=1)
        others = np.sort(np.delete(squared, 5))
        share = np.cumsum(np.exp(-others / (2 * epsilon)))
        takes = int(np.count_nonzero(share < 0.95 * share[-1])) + 1
        assert pane.head.text().startswith(f"{data.sample_ids[5]}: 95 % of a step to {takes} of 47")
        assert pane.plot.here == pytest.approx(np.log10(epsilon / window.controller.median(view)))
    (figure,) = [figure for figure in page.figures() if "Neighbours of" in figure.title]
    assert [*figure.columns] == ["sample", "squared distance", "affinity"]
    assert len(figure.columns["affinity"]) == 48
    assert figure.columns["sample"][0] == 5


def test_every_ticked_view_is_told_in_the_tooltip(page, window, rest, qtbot):
    point_commands.keep_sample(window.document, 5)
    rest(window)
    qtbot.waitUntil(lambda: page.reach.figure is not None)
    qtbot.waitUntil(lambda: not page.reach.late.isActive())
    lines = page.reach.head.toolTip().splitlines()
    assert [line.split(":")[0] for line in lines] == [f"s05 in {view}" for view in window.document.state.enabled]


def test_a_kernel_of_neighbours_says_why_there_is_no_curve(page, window, rest, qtbot):
    point_commands.keep_sample(window.document, 5)
    rest(window)
    commands.set_kernel(window.document, page.view, "knn-9")
    rest(window)
    page.reach.refresh()
    assert "no function of the distance alone" in page.reach.waiting
