"""The plots of the page by name, what each is for, and the entries of their legends."""

from __future__ import annotations

from mvexplorer.engine.bandwidth.table import bandwidth_rules
from mvexplorer.state.session.settings import TunePlot
from mvexplorer.ui.widgets.plots.looks import curve_look
from mvexplorer.ui.widgets.plots.plot_cell import CurveKey

PLOTS: dict[TunePlot, tuple[str, str]] = {
    "links": ("Links", "Mean degree, connected components and isolated samples at each ε."),
    "classes": ("Classes", "Within-class transition probability and other class criteria at each ε."),
    "pair": ("Pair", "log S of the product of two kernels over both ε."),
    "spectrum": ("Spectrum", "The eigenvalues of the focused panel at each ε."),
    "reach": ("Sample", "The neighbours of the kept sample at each ε."),
    "own": ("Scores", "The score of each panel over its ε, with its spread."),
    "sweep": ("Sweep", "Any score of any method along ε or another parameter."),
}
"""Title and purpose of each plot below the rows, from the top."""
FIRST, SECOND, THIRD = (curve_look(place).color for place in range(3))
GREY = "#999999"
GROWTH_WORDS = (
    f"<span style='color:{FIRST}'>●</span> dimension &nbsp;<span style='color:{GREY}'>─</span> log S &nbsp;"
    f"<span style='color:{SECOND}'>■</span> trustworthiness<br>letters: ε by each rule"
)
GROWTH_MEANING = (
    "dimension: intrinsic dimension seen at ε, twice the slope of log S over log ε; the scale is on the left\n"
    "log S: the logarithm of the sum of all affinities, scaled to the height of the plot\n"
    "trustworthiness: that of the view's own diffusion map, of at most 600 samples, from its lowest to its highest; "
    "the band is the standard error\n"
    + "\n".join(f"{rule.letter}: ε by the rule {rule.title}" for rule in bandwidth_rules())
)
CLASS_KEYS = {
    "ρ_P": CurveKey(
        FIRST,
        "ρ_P within-class transition probability",
        "ρ_P: the mean probability that a step of the random walk stays within its class.",
    ),
    "ρ_Ψ": CurveKey(
        SECOND,
        "ρ_Ψ class separation",
        "ρ_Ψ: distance between classes in the diffusion map over their spread. Compute > Class curves adds it.",
    ),
    "Ge": CurveKey(
        THIRD,
        "Ge eigengap",
        "Ge: the gap after as many eigenvalues as there are classes. Compute > Class curves adds it.",
    ),
}
GRAPH_KEYS = (
    CurveKey(FIRST, "mean degree", "The sum of a sample's affinities to all others, on the mean over the samples."),
    CurveKey(SECOND, "components", "The connected components of the graph of links."),
    CurveKey(THIRD, "isolated", "The samples that have no link."),
)
PAIR_KEYS = (CurveKey(GREY, "start of linear growth", "Solid along the first ε, dashed along the second.", "─"),)
