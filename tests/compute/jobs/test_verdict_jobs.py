"""Jobs that judge bandwidths: of very many samples, too."""

import numpy as np

from mvexplorer.compute.jobs.verdict_jobs import LimitsJob
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.bandwidth import limits
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.affinities import parse_kernel
from mvexplorer.engine.kernels.distances import MANY_SAMPLES


def test_of_very_many_samples_those_left_alone_are_looked_for_among_all(monkeypatch):
    """A random part would lie further apart than all samples do."""
    n, seen = MANY_SAMPLES + 1000, set[int]()
    X = np.random.default_rng(0).standard_normal((n, 2))
    share_alone = limits.share_alone

    def heard(stages, i, epsilon):
        seen.add(stages.n_samples)
        return share_alone(stages, i, epsilon)

    monkeypatch.setattr(limits, "share_alone", heard)
    found = LimitsJob(MultiView({"a": X}), {0: parse_kernel("gaussian")}, 0).run(StageCache(), Task())
    assert seen == {n}
    assert 0.0 < found.isolated_below < found.wide_above < found.median
