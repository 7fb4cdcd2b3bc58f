"""The curves of a view over ε, without a window."""

import numpy as np
import pytest

from mvexplorer.compute.batch.tuning import OwnScale
from mvexplorer.compute.jobs.runner import run_curves
from mvexplorer.engine.analysis.choosing import Tried
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.metrics import Score
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.ui.pages.tune.figures_over_epsilon import growth_figure


@pytest.fixture(scope="module")
def curves():
    data = MultiView([np.random.default_rng(0).normal(size=(40, 3))])
    return run_curves(Stages(data, (0,), (1.0,)), 0)


@pytest.mark.parametrize("torn", [True, False])
def test_a_view_whose_picture_is_torn_at_every_epsilon_has_no_curve_of_scores(torn, curves):
    tried = tuple(Tried(place, Score(0.6 + place / 10, 0.01), torn=torn) for place in (0.5, 1.0, 2.0))
    figure = growth_figure("one", curves, OwnScale(1.0, Score(0.7), Score(0.7), 0.01, "within", tried))
    assert [series.name for series in figure.body.series if "trustworthiness" in series.name] == (
        [] if torn else ["trustworthiness, scaled to the plot"]
    )
    assert np.isnan(figure.columns["trustworthiness"]).all() == torn
