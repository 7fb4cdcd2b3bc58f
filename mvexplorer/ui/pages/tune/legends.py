"""The plots of the page by name, what each is for, and the entries of their legends."""

from __future__ import annotations

from mvexplorer.state.session.settings import TunePlot
from mvexplorer.ui.widgets.plots.looks import curve_look
from mvexplorer.ui.widgets.plots.plot_cell import CurveKey

PLOTS: dict[TunePlot, tuple[str, str]] = {
    "links": ("Links", "How many neighbours, pieces and isolated samples there are at each ε."),
    "classes": ("Classes", "How each ε parts the classes."),
    "pair": ("Pair", "How the sum of the product of two kernels grows with both ε."),
    "spectrum": ("Spectrum", "The eigenvalues of the focused panel at each ε."),
    "reach": ("Sample", "Whom the kept sample takes for its neighbours at each ε."),
    "own": ("Scores", "The score of each panel over its ε, with the spread."),
    "sweep": ("Sweep", "Any score of any method along ε or another parameter."),
}
"""Title and purpose of each plot below the rows, from the top."""
FIRST, SECOND, THIRD = (curve_look(place).color for place in range(3))
GREY = "#999999"
GROWTH_WORDS = (
    f"<span style='color:{FIRST}'>●</span> dimension &nbsp;<span style='color:{GREY}'>─</span> log S &nbsp;"
    f"<span style='color:{SECOND}'>■</span> trustworthiness"
)
GROWTH_MEANING = (
    "dimension: 2 d log S / d log ε, the dimension that the kernel sees at an ε, with its numbers on the left\n"
    "log S: the logarithm of the sum of all affinities, drawn to the height of the plot\n"
    "trustworthiness: how well the view's own diffusion map keeps its neighbours, of at most 600 samples, from its "
    "lowest to its highest; the band is the standard error"
)
CLASS_KEYS = {
    "ρ_P": CurveKey(
        FIRST,
        "ρ_P in class",
        "ρ_P: the probability that a step of the random walk stays in its class, on average.",
    ),
    "ρ_Ψ": CurveKey(
        SECOND,
        "ρ_Ψ apart",
        "ρ_Ψ: how far the classes lie apart in the diffusion map for how far each spreads. Class curves computes it.",
    ),
    "Ge": CurveKey(
        THIRD,
        "Ge eigengap",
        "Ge: the gap after as many eigenvalues as there are classes. Class curves computes it.",
    ),
}
GRAPH_KEYS = (
    CurveKey(FIRST, "neighbours", "The mean number of samples within reach of one: affinities of .001 and more."),
    CurveKey(SECOND, "components", "The pieces into which these links join the samples."),
    CurveKey(THIRD, "isolated", "The samples that have no neighbour."),
)
PAIR_KEYS = (CurveKey(GREY, "where growth begins", "Solid along the first ε, dashed along the second.", "─"),)
