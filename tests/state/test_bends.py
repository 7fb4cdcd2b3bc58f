"""What is said of coordinates that are bends of earlier ones."""

import numpy as np

from mvexplorer.engine.analysis.independence import Independence
from mvexplorer.state import bends
from mvexplorer.state.commands import new_panel
from mvexplorer.state.panel_result import PanelResult


def test_nothing_is_said_of_a_picture_that_has_gone():
    panel = new_panel("multiview", "p1")
    known = Independence(np.array([1.0, 0.05, 0.9]), (1,))
    gone = PanelResult(status="computing", independence=known)
    assert bends.bend_words(panel, gone) == ""
    assert bends.independent_axes(panel, gone) is None
