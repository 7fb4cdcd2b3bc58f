"""Figure 3: the sum S(σ₁, σ₂) over the coupled kernel, and its four corners."""

from __future__ import annotations

import numpy as np

from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import kernel_of
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult, ShownPanel, Source, Turn
from mvexplorer.experiments.figures import curve, heat_map, plot
from mvexplorer.experiments.repetitions import Run


def measure(run: Run) -> ExperimentResult:
    """Measure how far log S / log M is from 1, 2, 2 and 3 at the corners; S between them as a map."""
    data = SOURCE.load()
    scales, M = [float(X.std()) for X in data.Xs], data.n_samples
    powers = np.logspace(-5, 5, run.choose("values of each σ", 21, 41))
    sums = [np.array([_sums(run, data, view, scale * p) for p in powers]) for view, scale in enumerate(scales)]
    S = np.log(sums[0] @ sums[1].T) / np.log(M)  # S(σ₁, σ₂) = d₁ · d₂, without the product of the kernels
    ends = {1: 0, 0: -1}
    # whether either bandwidth is tiny -> the power of the number of samples that S comes to
    corners = {(1, 1): 1, (1, 0): 2, (0, 1): 2, (0, 0): 3}
    off = max(abs(float(S[ends[low], ends[high]]) - power) for (low, high), power in corners.items())
    return ExperimentResult(
        (Bar("largest distance of log S / log M from 1, 2, 2 and 3", off, at_most=1e-6),),
        (
            heat_map("log S / log M", S, "log₁₀ of σ₂ over the spread", "log₁₀ of σ₁ over the spread",
                 np.log10(powers), np.log10(powers)),
            plot("At the smallest and the largest σ₂", "σ₁ over the spread", "log S / log M",
                   (curve("smallest σ₂", powers, S[:, 0]), curve("largest σ₂", powers, S[:, -1])), log_across=True),
        ),
    )  # fmt: skip


def _sums(run: Run, data: MultiView, view: int, sigma: float) -> Array:
    stages = Stages(data, (view,), (sigma**2,), task=run.task)
    return np.asarray(kernel_of(stages, 0).sum(axis=0))


SOURCE = Source(generator="make_rotated_rolls")
EXPERIMENT = Experiment(
    id="lindenbaum2015-fig3",
    paper="lindenbaum2015",
    figure="figure 3",
    kind="identity",
    title="The sum of the coupled kernel over both bandwidths",
    caption="Two rotated noisy rolls; S is the sum of all entries of K¹K², as a power of the number of samples.",
    look_for="Four flat corners at the powers 1, 2, 2 and 3; between them S grows linearly, and that is where both "
    "bandwidths are useful.",
    source=SOURCE,
    panels=(ShownPanel("single", "roll", 3), ShownPanel("single", "rotated", 3), ShownPanel("multiview", dims=3)),
    colour="latent:theta",
    measure=measure,
    quick_seconds=2.0,
    knob="The page Bandwidth draws log S of each view over its ε.",
    turns=(Turn("Page Bandwidth", page="tune"),),
)
