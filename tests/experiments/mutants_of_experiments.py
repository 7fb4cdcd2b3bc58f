"""Three mistakes in the functions that each experiment's number rests on, of which one at least costs it a bar.

An experiment whose bars hold whatever is computed shows nothing. `python tests/experiments/mutants_of_experiments.py
[ID ...]` tries them and prints the bars that each of them costs.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parent / "quality")]

from mutation import Mutant, mutated  # noqa: E402

from mvexplorer.errors import MVExplorerError  # noqa: E402
from mvexplorer.experiments.experiment import Experiment  # noqa: E402
from mvexplorer.experiments.running import run_experiment  # noqa: E402
from mvexplorer.experiments.table import EXPERIMENTS  # noqa: E402


def mistake(function: str, old: str, new: str) -> Mutant:
    """A mutant that no test is named for."""
    return Mutant(function, function, old, new)


# Kernels and walks
WIDE = mistake("gaussian_affinity", "-2.0 * check_epsilon", "-2000.0 * check_epsilon")
NARROW = mistake("gaussian_affinity", "-2.0 * check_epsilon", "-0.02 * check_epsilon")
ONE_VIEW = mistake("_solve_two_views", "(first @ (second @ (scale_columns * V)))", "(first @ (scale_columns * V))")
OPPOSITE = mistake("_solve_two_views", "right = backward(solved", "right = -backward(solved")
RAISED = mistake("_solve_two_views", "np.minimum(values, 1.0)", "np.minimum(values + 0.01, 1.0)")
OWN_BLOCK = mistake("_block_product", "across * (total - u)", "across * u")
LAST = mistake("diffusion_coordinates", "psi[:, 1 : len(weights) + 1]", "psi[:, : -len(weights) - 1 : -1]")
TRIVIAL = mistake("diffusion_coordinates", "psi[:, 1 : len(weights) + 1]", "psi[:, : len(weights)] ** 0")
LATE = mistake("diffusion_weights", "values[1:] ** t", "values[1:] ** (500 * t)")
# Scores
ANGLE = mistake("ring_angles", "np.arctan2(Y[:, 1], Y[:, 0])", "np.arctan2(Y[:, 1], 0.0 * Y[:, 0])")
WORST_PLACE = mistake("best_place", "sign * one.score.value", "-sign * one.score.value")
WORST_PAIRING = mistake("accuracy", "linear_sum_assignment(-counts)", "linear_sum_assignment(counts)")
NO_NMI = mistake("_mutual_information", "rows + columns - joint", "0.0 * joint")
FEWEST_VOTES = mistake("knn_accuracy", "votes.argmax(axis=1)", "votes.argmin(axis=1)")
UNRANKED = mistake("rank_correlation", "spearman(x, y)", "spearman(x, np.roll(y, len(y) // 4))")
# Bandwidths
NO_ORDER = mistake("learn_scaling", "np.argsort(-scores", "np.argsort(scores")
UNSCALED = mistake("learn_scaling", "spread(size / deviation, 0.0)", "spread(1.0 / deviation, 0.0)")
NARROW_START = mistake("log_sum_range", "(unit * math.exp(t) for t in", "(1e-3 * unit * math.exp(t) for t in")
NO_SPREAD = mistake("class_separation", "whole / np.sum(within)", "np.sum(within) / whole")
NO_GAP = mistake(
    "scan_classes", "values[n_classes - 1] - values[n_classes]", "values[n_classes] - values[n_classes - 1]"
)
# Local CCA
LAST_DIRECTION = mistake("metric_factors", "turn[..., : settings.directions]", "turn[..., -settings.directions :]")
UNWEIGHED = mistake("metric_factors", "* rho[:, None, : settings.directions]", "* (1.0 - rho[:, None, :1])")
FAR_REACH = mistake("diffuse", "0.5 * width", "5000.0 * width")
SHORT_REACH = mistake("diffuse", "0.5 * width", "0.0005 * width")
MODULI = mistake("lengths", "np.square(along)", "np.abs(along)")
ONE_END = mistake("metric_distances_from", "along -= along[np.arange(c), :, rows][:, :, None]", "along -= 0.0")
# Ingredients
UNEVEN = mistake("equal_volume", "min(volumes) / np.array(volumes)", "np.array(volumes) / min(volumes)")
LOOPS_BACK = mistake("_array_without_loops", "np.fill_diagonal(out, 0.0)", "np.fill_diagonal(out, 1.0)")
ALWAYS_STAY = mistake("stays_in_kernel", "/ totals[rows]", "/ (0.0 * totals[rows] + 1.0)")
ANY_LENGTH = mistake("_scaled", "np.where(has_direction, lengths, np.nan)", "np.where(has_direction, 1.0, np.nan)")
# Graphs
FIRST_GRAPH = mistake("weighted_mean", "total = total + A", "total = total + 0.0 * A")
COLD = mistake("heat_distances", "-0.5 * t * values", "0.5 * t * values")
LARGEST = mistake("solve", "np.argsort(values, kind=\"stable\")[: stages.n_vectors]",
                  "np.argsort(-values, kind=\"stable\")[: stages.n_vectors]")  # fmt: skip
NOT_INVERTED = mistake("solve_harmonic", "lambda V: -alpha * (S @ V)", "lambda V: alpha * (S @ V)")
FAR_ONES = mistake("roc_auc", "len(apart) * len(alike) - np.searchsorted", "0 * len(alike) + np.searchsorted")
NEAREST = mistake("farthest_points", "np.argmax(away)", 'np.argsort(away, kind="stable")[len(spread)]')
# Measures
BLURRED = mistake("stationary_density", "0.5 * epsilon", "2.0 * epsilon")
TAYLOR = mistake("taylor_features", "c / np.sqrt(i)", "c / i")
INVERSE = mistake("_whitened_centres", "_inverse_root(2.0 * spreads[0])", "_inverse_root(0.5 * spreads[0])")
LAGRANGE = mistake("remainders", "return lagrange, gammainc(order + 1, norms)",
                   "return lagrange * 0.0, 0.0 * gammainc(order + 1, norms)")  # fmt: skip

LINDENBAUM = {
    "fig1": (WIDE, NARROW, mistake("mass_across", "P[left][:, right]", "P[right][:, right]")),
    "fig2": (NARROW, ONE_VIEW, mistake("measure", "values**t > small * values[0] ** t", "values > small * values[0]")),
    "fig3": (
        mistake("gaussian_affinity", "-2.0 * check_epsilon(epsilon)", "-2e12 * check_epsilon(epsilon)"),
        mistake("exponentials", "np.exp(out, out=out)", "np.exp(0.0 * out, out=out)"),
        mistake("measure", "np.log(sums[0] @ sums[1].T)", "np.log(1.0 + sums[0] @ sums[1].T)"),
    ),
    "fig5": (RAISED, OPPOSITE, NARROW),
    "eq49": (OWN_BLOCK, WIDE, mistake("_block_product", "+ eta * u)", "+ eta * total)")),
    "fig7": (OPPOSITE, ONE_VIEW, WIDE),
    "fig9": (ONE_VIEW, WIDE, ANGLE),
    "fig12": (ONE_VIEW, WIDE, ANGLE),
    "fig16": (ANGLE, WIDE, ONE_VIEW),
    "fig19": (WIDE, ANGLE, ONE_VIEW),
    "eq24": (WIDE, mistake("max_min_rule", "float(nearest.max())", "float(nearest.min())"), ANGLE),
    "fig22": (WORST_PAIRING, WIDE, mistake("_first_plateau", "slope >= 0.5", "slope >= 0.005")),
    "fig23": (WORST_PAIRING, WIDE, ONE_VIEW),
    "fig24": (NO_NMI, OWN_BLOCK, WIDE),
    "table1": (NO_NMI, ONE_VIEW, NARROW),
    "fig26": (NO_NMI, OWN_BLOCK, WIDE),
    "table3": (FEWEST_VOTES, OWN_BLOCK, WIDE),
}
YAIR = {
    "fig2": (MODULI, mistake("inverse_jacobian", "0.5 / np.sqrt", "2.0 / np.sqrt"), ONE_END),
    "fig6": (LAST_DIRECTION, FAR_REACH, LAST),
    "fig8": (LAST_DIRECTION, UNWEIGHED, LAST),
    "fig10": (FAR_REACH, SHORT_REACH, LAST),
    "fig12": (FAR_REACH, SHORT_REACH, LAST),
    "shared": (LAST_DIRECTION, UNWEIGHED, UNRANKED),
}
BANDWIDTH = {
    "fig4.3": (UNSCALED, NO_ORDER, NARROW_START),
    "fig4.5": (UNSCALED, LAST, WIDE),
    "fig4.7": (NO_SPREAD, NO_GAP, LAST),
    "fig4.8": (NO_GAP, WIDE, NARROW),
    "fig4.10": (WIDE, LAST, NARROW),
    "fig4.11-0.02": (NO_SPREAD, NO_GAP, FEWEST_VOTES),
    "fig4.11-0.04": (NO_SPREAD, NO_GAP, FEWEST_VOTES),
    "fig4.12": (NO_SPREAD, NO_GAP, FEWEST_VOTES),
    "fig5.4": (UNSCALED, NO_ORDER, LAST),
    "fig5.5": (NO_SPREAD, NO_GAP, FEWEST_VOTES),
}
SALHOV = {
    "fig6.1": (
        BLURRED,
        mistake("log_terms", "-0.5 * np.square(whiten", "-1.0 * np.square(whiten"),
        mistake("maximise", "(shares.T @ X) / counts[:, None]", "(shares.T @ X) / len(X)"),
    ),
    "fig6.2": (TAYLOR, INVERSE, BLURRED),
    "fig6.3": (LAGRANGE, TAYLOR, INVERSE),
}
EYNARD = {
    "fig2": (FIRST_GRAPH, LARGEST, UNRANKED),
    "fig3": (COLD, FIRST_GRAPH, LARGEST),
    "table1-blobs": (LARGEST, NOT_INVERTED, WORST_PAIRING),
    "table1-circles": (NOT_INVERTED, WORST_PAIRING, LARGEST),
    "fig7": (NEAREST, COLD, LARGEST),
    "fig8": (FAR_ONES, LARGEST, COLD),
}
OURS = {
    "whose-epsilon": (WIDE, ONE_VIEW, WORST_PLACE),
    "drowned-views": (UNEVEN, NO_NMI, WIDE),
    "who-stays": (LOOPS_BACK, ALWAYS_STAY, WIDE),
    "ingredients": (LOOPS_BACK, ANY_LENGTH, NO_NMI),
    "where-is-the-tear": (
        mistake("solve", "first @ V - second @ V", "first @ V + second @ V"),
        mistake("_search_reach", "off < 0.0", "off > 0.0"),
        mistake("samples_met", "W.shape[0] / squares", "squares / W.shape[0]"),
    ),
    "what-fac-knows": (
        mistake("functions_of", "solved.blocks[0][:, :count]", "solved.blocks[0][:, :2]"),
        mistake("_areas_of", "memo).coordinates[:, 0]", "memo).coordinates[:, 1]"),
        mistake("solve", "taken, _ = _span([f.basis for f in others])", "taken = others[0].basis[:, :1]"),
    ),
    "does-not-melt": (
        mistake("common_functions", "squares[::-1], turns[:, ::-1]", "squares[::1], turns[:, ::1]"),
        mistake("functions_of", "solved.blocks[0][:, :count]", "solved.blocks[0][:, : max(2, count // 9)]"),
        mistake("common_functions", "side_by_side @ (turns[:, kept]", "side_by_side @ (turns[:, kept] ** 2"),
    ),
}
PAPERS = {
    "own": OURS,
    "lindenbaum2015": LINDENBAUM, "yair2016": YAIR, "bandwidth": BANDWIDTH, "salhov2015": SALHOV, "eynard2012": EYNARD,
}  # fmt: skip
MISTAKES: dict[str, tuple[Mutant, ...]] = {
    f"{paper}-{figure}": mistakes for paper, figures in PAPERS.items() for figure, mistakes in figures.items()
}
"""For each experiment, by its id."""


def bars_held(experiment: Experiment) -> list[str]:
    """The bars that the quick run of an experiment meets, by their words."""
    return [bar.what for bar in run_experiment(experiment).outcome.bars if bar.holds]


def bars_lost(experiment: Experiment, mutant: Mutant, held: list[str]) -> list[str]:
    """Those of some bars that it misses with a mistake; none where it cannot be computed any more."""
    try:
        with mutated(mutant.function, mutant.old, mutant.new):
            left = bars_held(experiment)
    except (MVExplorerError, ArithmeticError, ValueError):
        return []
    return [what for what in held if what not in left]


def main() -> None:
    """The command."""
    for experiment in EXPERIMENTS:
        if sys.argv[1:] and experiment.id not in sys.argv[1:]:
            continue
        held = bars_held(experiment)
        print(f"{experiment.id}: {len(held)} held", flush=True)
        for mutant in MISTAKES[experiment.id] if held else ():
            lost = bars_lost(experiment, mutant, held)
            print(f"    {len(lost)} lost: {mutant.function}: {mutant.old} -> {mutant.new}", flush=True)


if __name__ == "__main__":
    main()
