"""Figure 2: the spectrum of the coupled walk after more and more steps."""

from __future__ import annotations

import numpy as np

from mvexplorer.engine.api.embedding import embed
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult, ShownPanel, Source, Turn
from mvexplorer.experiments.figures import curve, plot
from mvexplorer.experiments.repetitions import Run


def measure(run: Run) -> ExperimentResult:
    """Count how many coordinates are left after t steps."""
    data = SOURCE.load()
    values = embed(
        data, "multiview", epsilon="max-min", n_components=run.choose("eigenvalues", 60, 300), task=run.task
    ).eigenvalues
    values = np.maximum(values[1:], 0.0)
    steps = (1, 2, 4, 8, 16)
    small = 0.05  # coordinates whose λᵗ is below this part of the first are gone from the picture
    left = [int((values**t > small * values[0] ** t).sum()) for t in steps]
    index = np.arange(1.0, len(values) + 1)
    return ExperimentResult(
        (
            Bar("coordinates left after 16 steps, as a part of those after one", left[-1] / left[0], at_most=0.5),
            Bar("steps of t at which the number of coordinates rises", float(sum(np.diff(left) > 0)), at_most=0.0),
        ),
        (plot("λᵗ of the coupled walk", "index k", "λᵗ", tuple(curve(f"t = {t}", index, values**t) for t in steps)),),
    )


SOURCE = Source(sample="helix-a")
EXPERIMENT = Experiment(
    id="lindenbaum2015-fig2",
    paper="lindenbaum2015",
    figure="figure 2",
    kind="identity",
    title="More steps leave fewer coordinates",
    caption="The eigenvalues of the coupled walk on the helices, raised to the number of steps. The "
    "paper takes three rolls of 1,200 samples.",
    look_for="Every curve falls below the one before: only the smooth, leading coordinates outlast many steps.",
    source=SOURCE,
    panels=(ShownPanel("multiview"), ShownPanel("multiview", pins={"t": 16})),
    colour="latent:a",
    measure=measure,
    quick_seconds=1.0,
    knob="The page Diagnostics draws λᵗ for several t.",
    turns=(Turn("Page Diagnostics", page="diagnostics"),),
)
