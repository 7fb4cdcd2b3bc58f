"""What is said of coordinates that are bends of earlier ones."""

import numpy as np
import pytest

from mvexplorer.compute.jobs.independence_jobs import IndependenceJob
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.jobs.runner import Result
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.analysis.independence import ROWS, Independence, independence
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method
from mvexplorer.state.document.commands import new_panel
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.pictures import bends
from mvexplorer.state.pictures.panel_result import PanelResult


def test_nothing_is_said_of_a_picture_that_has_gone():
    panel = new_panel("multiview", "p1")
    known = Independence(np.array([1.0, 0.05, 0.9]), (1,))
    gone = PanelResult(status="computing", independence=known)
    assert bends.bend_words(panel, gone) == ""
    assert bends.independent_axes(panel, gone) is None


@pytest.mark.parametrize("show", ["consensus", "b"])
def test_of_many_samples_the_window_joins_those_that_are_looked_at(show):
    """All columns of all views of a million samples took more than a second, on the window's own thread."""
    line = np.linspace(0.0, 1.0, ROWS + 500)[:, None]
    data = MultiView({"a": line, "b": line**2})
    found = embed(data, "multiview", kernel="landmarks-50", epsilon=0.05, n_components=3)
    result = Result(Request(data, plan(get_method("multiview"), data)), found, 0.0, 0)
    panel = updated(new_panel("multiview", "p1"), {"show": show})
    handed = bends._told_by_each_other(panel, PanelResult(status="ready", result=result))
    assert len(handed) == ROWS
    blocks = found.view_coordinates
    whole = independence(np.mean(blocks, axis=0) if show == "consensus" else blocks[1])
    np.testing.assert_array_equal(IndependenceJob(handed).run(StageCache(), Task()).residuals, whole.residuals)
