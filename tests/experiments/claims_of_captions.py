"""What captions and hints of the papers' figures claim, each beside the same computed from what is drawn.

A claim is a quotation of the figure's words and a test of its drawings. `PAPERS` are quotations that only tell of a
paper, of a run in full, or of what is given.
"""

from __future__ import annotations

import numpy as np
from drawn_figures import (
    Claim,
    alone_at_4_epsilon,
    along,
    apart,
    crosses,
    energy_at,
    falling,
    groups,
    height_at,
    helix,
    line_and_point,
    lowest,
    mixed_pairs,
    near_diagonal,
    nearer,
    sizes,
    turns_energy,
)

from mvexplorer.datasets.generators import GAP_ROLL_CUTS
from mvexplorer.engine.analysis.between_views import differing_share
from mvexplorer.engine.api.embedding import embed, select_epsilon
from mvexplorer.engine.hidden_scores import ring_gap, ring_order
from mvexplorer.engine.metrics import nmi
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.experiments.measures import CLOSED, classes_of, leading
from mvexplorer.wording import fraction

MULTIVIEW, SUM, PRODUCT = "Multi-view", "Kernel sum", "Kernel product"
CLEAN, JOINED = "UCI digits, six views", "NMI of the joined views, by scikit-learn"
CLEAN_TABLE, NOISY = f"NMI, {CLEAN}, ε by median/3", "NMI, Noisy digits 2 and 3, ε by median/3"
ALGORITHM, MAX_MIN = "Bandwidth by Algorithm 1", "Bandwidth by max-min"


def means(drawn, title):
    return {name: float(y.mean()) for name, y in drawn.heights(drawn.titled(title)).items()}


def wins(drawn, title, name):
    """Whether a map is best on the mean, and the title says so."""
    scores = means(drawn, title)
    return max(scores, key=scores.get) == name and drawn.titled(title) == f"{title}: {name} is best"


def in_medians(drawn, rule):
    """The ε of each view by a rule, in medians."""
    return np.array(select_epsilon(drawn.data, rule)) / np.array(select_epsilon(drawn.data, "median"))


def apart_by_first(drawn, title):
    """Whether the first axis of a picture tells a 6 from a 9."""
    points, digits = np.asarray(drawn.bodies[title].points), np.asarray(drawn.bodies[title].colour).astype(int)
    larger = np.mean(points[digits == 6, 0][:, None] > points[digits == 9, 0])
    return max(larger, 1 - larger) > 0.9


def specific_share(drawn, rule):
    """The first eigenvalue of fac beyond fou, whose ε is by this rule."""
    data = drawn.data.take(range(0, 2000, 4))
    epsilon = {"fac": "median*0.3", "fou": rule}
    return embed(data, "view-specific", of="fac", beyond="fou", epsilon=epsilon, n_components=2).eigenvalues[0]


def differing(drawn, rule):
    """The share of each sample's step that the two rolls make to different samples, their ε by this rule."""
    epsilon = embed(drawn.data, "difference", epsilon=rule, n_components=2).epsilon
    return differing_share(Stages(drawn.data, (0, 1), epsilon, {"match_reach": True}))


def at_the_gaps(drawn, shares):
    """The mean share at the two gaps."""
    return shares[np.abs(drawn.data.latent["u"][:, None] - GAP_ROLL_CUTS).min(axis=1) < 0.02].mean()


def multiview_at(drawn, rule):
    e = embed(drawn.data, "multiview", epsilon=rule, n_components=12)
    return nmi(leading(e, 12), classes_of(drawn.data), seeds=3).value


def nmi_of(drawn, method, column):
    """NMI of a method with an ingredient on the six views of the digits."""
    return drawn.rows(CLEAN_TABLE)[method][drawn.bodies[CLEAN_TABLE].head.index(column) - 1]


def best_gain(drawn):
    """The method that gains most by one of the ingredients, and how much."""
    gains = {name: np.nanmax(row) - row[0] for name, row in drawn.rows(CLEAN_TABLE).items()}
    return max(gains.items(), key=lambda gain: gain[1])


def best_alone(scores):
    return max(value for name, value in scores.items() if name.endswith("alone"))


def marked_high(least):
    """Whether the curve at the three bandwidths is that part of its best value."""

    def check(drawn):
        (title,) = [title for title in drawn.bodies if title.startswith("Accuracy over")]
        x, y = next(iter(drawn.curves(title).values()))
        marks = drawn.marks(title)
        return min(height_at(x, y, marks[rule]) for rule in ("ε_Ψ", "ε_Ge", "ε_P")) >= least * y.max()

    return check


def spirals():
    one, two = "one dimension, ours", "two dimensions"

    def in_one(drawn):
        x, y = drawn.curves("Accuracy over ε")[one]
        return np.ptp(y) > 0.3 and height_at(x, y, drawn.marks("Accuracy over ε")["ε_Ge"]) < 0.7

    return (
        ("Four classes of 100 samples", sizes(400)),
        ("All three marks lie where the curve is high", marked_high(0.98)),
        ("in two dimensions it is high at every ε", lambda d: d.heights("Accuracy over ε")[two].min() > 0.98),
        ("In one dimension ε does matter, but there the eigengap chooses one at which classes mix", in_one),
    )


def icons(missed):
    fewer = "Energy at the common icon's turns, where the local CCA keeps fewer directions"
    return (
        ("One peak at five turns, the mushroom's", lambda d: turns_energy(d, 5) > 0.8),
        ("none at the other icons'", lambda d: max(turns_energy(d, k) for k in (3, 8, 12)) < 0.1),
        ("with few directions it often misses the mushroom",
         lambda d: (d.heights(fewer)["energy"][:-1] < 0.6).sum() >= missed),
    )  # fmt: skip


CLAIMS: dict[str, tuple[Claim, ...]] = {
    "lindenbaum2015-fig1": (
        ("Two rolls of 600 samples", sizes(600)),
        ("In a view alone no step crosses its tear",
         lambda d: max(crosses(f"View {i + 1}, one step in it alone", i)(d) for i in (0, 1)) < 1e-6),
        ("through both views about one in eight does",
         lambda d: all(7 < 1 / crosses(f"View {i + 1}, one step through both", i)(d) < 10 for i in (0, 1))),
        ("one step in two thousand crosses", lambda d: 1750 < np.mean(alone_at_4_epsilon(d)) < 2250),
    ),
    "lindenbaum2015-fig2": (
        ("Every curve falls below the one before", lambda d: all(
            (after <= before).all() for before, after in zip(
                [*d.heights("λᵗ of the coupled walk").values()], [*d.heights("λᵗ of the coupled walk").values()][1:],
                strict=False))),
        ("only the smooth, leading coordinates outlast many steps", lambda d: falling(
            d.heights("λᵗ of the coupled walk")["t = 16"]) and d.bar("coordinates left") < 0.5),
    ),
    "lindenbaum2015-fig3": (
        ("Four flat corners at the powers 1, 2, 2 and 3", lambda d: all(
            np.ptp(S) < 1e-3 and abs(S.mean() - power) < 1e-3
            for rows, columns, power in ((0, 0, 1), (0, -2, 2), (-2, 0, 2), (-2, -2, 3))
            for S in [d.bodies["log S / log M"].values[rows:rows + 2 or None, columns:columns + 2 or None]])),
        ("between them S grows", lambda d: all(
            (np.diff(y) > -1e-9).all() for y in d.heights("At the smallest and the largest σ₂").values())),
    ),
    "lindenbaum2015-fig5": (
        ("Six Gaussian clusters of 100 samples in nine dimensions",
         lambda d: (np.unique(d.data.labels, return_counts=True)[1] == 100).sum() == 6 and d.data.Xs[0].shape[1] == 9),
        ("once with all of them in the second view, and once with three",
         lambda d: [*d.bodies] == ["6 clusters in both views", "6 clusters, and 3 in the second view"]),
        ("All eigenvalues but the first, which is 1 in each",
         lambda d: all(y[0] < 1 - 1e-3 for title in d.bodies for y in d.heights(title).values())),
        ("The curve of multi-view lies below all others, from the first eigenvalue on",
         lambda d: all(lowest(MULTIVIEW, d.heights(title)) for title in d.bodies)),
        ("falls fastest", lambda d: all(min(lines, key=lambda name: lines[name][5] / lines[name][0]) == MULTIVIEW
                                        for lines in map(d.heights, d.bodies))),
    ),
    "lindenbaum2015-fig7": (
        ("A roll of 1,000 samples", sizes(1000)),
        ("The coupled distance is smaller at every noise, here by a factor of 1.6 to 1.7", lambda d: all(
            1.55 < a / b < 1.75 for a, b in zip(*d.heights("Distance between the two images of a sample").values(),
                                                strict=True))),
    ),
    "lindenbaum2015-fig9": helix(".38", ".67"),
    "lindenbaum2015-fig12": helix(".14", ".65"),
    "lindenbaum2015-fig16": (
        ("A bow from each camera alone", lambda d: all(
            ring_gap(d.points(f"Camera {i} alone")).value > 1.2 for i in (1, 2))),
        ("a closed ring from both", lambda d: all(
            ring_gap(d.points(f"Multi-view, camera {i}")).value <= CLOSED for i in (1, 2))),
        ("The kernel product is a line and a point.", line_and_point),
    ),
    "lindenbaum2015-fig19": (
        ("Both coupled maps are rings in the order of the lap", lambda d: all(
            ring_order(Y[clean], d.data.latent["a"][clean]).value > 0.95 and ring_gap(Y).value <= CLOSED
            for clean in [d.data.columns["frame"] == "clean"]
            for Y in (d.points("Multi-view, camera 1"), d.points("Multi-view, camera 2")))),
        ("all clean frames are one dot", lambda d: all(
            np.ptp(d.points(title)[d.data.columns["frame"] == "clean"], axis=0).max()
            < 0.02 * np.ptp(d.points(title), axis=0).max()
            for title in ("Camera 1 alone", "Camera 2 alone", PRODUCT))),
    ),
    "lindenbaum2015-eq24": (
        ("ten noise frames", lambda d: set(np.unique(d.data.columns["frame"], return_counts=True)[1]) == {10, 200}),
        ("Whether a few outliers change the bandwidth", lambda d: d.bar("σ with noise frames") > 2),
        ("ten frames of noise make σ nearly sixty times as wide",
         lambda d: all(55 < noisy / clean < 62 for clean, noisy in d.rows("σ by the rule max-min").values())),
    ),
    "lindenbaum2015-eq49": (
        ("At small η the ring stays closed", lambda d: d.heights("Largest gap of the ring")["(49)"][1] <= CLOSED),
        ("With growing η a gap opens", lambda d: falling(-d.heights("Largest gap of the ring")["(49)"])),
        ("until at .99 each view has its own open curve", lambda d:
         min(ring_gap(d.points(title)).value for title in ("View 1 at η = 0.99", "View 1 alone")) > 1.2
         and d.heights("Nearness to the other maps")["each view alone"][-1] > 0.98),
        ("Beyond .99 a coordinate comes in between that only tells one view from the other", lambda d: max(
            abs(np.corrcoef(column, np.repeat([1.0, -1.0], d.data.n_samples))[0, 1])
            for column in np.vstack(embed(d.data, "multiview", epsilon=0.36, eta=0.999).view_coordinates).T) > 0.99),
    ),
    "lindenbaum2015-fig22": (
        ("With Algorithm 1 multi-view is above each view while the noise is small", lambda d: all(
            d.heights(ALGORITHM)[MULTIVIEW][0] > d.heights(ALGORITHM)[f"view {i} alone"][0] for i in (1, 2))),
        ("concatenation, the kernel product of joined views, keeps the circles apart for longer",
         lambda d: d.heights(ALGORITHM)["Concatenation"][-1] > 0.2 + d.heights(ALGORITHM)[MULTIVIEW][-1]),
        ("With max-min every map is at chance from variance .1 on, at .06 all but concatenation", lambda d: all(
            max(y[2:]) < 0.6 and (y[1] > 0.85) == (name == "Concatenation") for name, y in d.heights(MAX_MIN).items())
         and [*d.curves(MAX_MIN)[MULTIVIEW][0][1:3]] == [0.06, 0.1]),
        ("from variance .1 on that is so wide that multi-view and the single views are at chance", lambda d: all(
            max(d.heights(MAX_MIN)[name][2:]) < 0.65 for name in (MULTIVIEW, "view 1 alone", "view 2 alone"))),
        ("multi-view is better than each view, as the text says", lambda d: max(
            means(d, ALGORITHM)[f"view {i} alone"] for i in (1, 2)) < means(d, ALGORITHM)[MULTIVIEW]),
    ),
    "lindenbaum2015-fig23": (
        ("noise of s.d. .16", lambda d: d.experiment.source.keywords["variance"] == 0.16**2),
        ("Each map is right on a part of the grid, and at chance elsewhere", lambda d: all(
            (body.values >= 0.95).mean() > 0.05 and (body.values < 0.65).mean() > 0.2 for body in d.bodies.values())),
    ),
    "lindenbaum2015-fig24": (
        ("2,000 digits", sizes(2000)),
        ("At the ε of Algorithm 1, at most .09 of the median squared distance of a view",
         lambda d: fraction(in_medians(d, "multiview").max()) == ".09"),
        ("multi-view finds the digits best", lambda d: wins(d, ALGORITHM, MULTIVIEW)),
        ("at those of max-min, .4 to 1.5 of it, the kernel sum does", lambda d: wins(d, MAX_MIN, SUM) and (
            lambda ratios: (round(ratios.min(), 1), round(ratios.max(), 1)))(in_medians(d, "max-min")) == (0.4, 1.5)),
        ("at a third of the median distance multi-view is better still",
         lambda d: multiview_at(d, "median/9") > multiview_at(d, "multiview")),
    ),
    "lindenbaum2015-fig26": (
        ("by max-min the kernel product adds little, and multi-view takes away", lambda d: (
            lambda m, best: 0.0 < m[PRODUCT] - best < 0.05 and m[MULTIVIEW] < best - 0.05)(
            means(d, MAX_MIN), best_alone(means(d, MAX_MIN)))),
        ("by Algorithm 1 no fusion adds", lambda d: max(
            means(d, ALGORITHM)[name] for name in (MULTIVIEW, SUM, PRODUCT)) < best_alone(means(d, ALGORITHM))),
    ),
    "lindenbaum2015-table1": (
        ("Multi-view, kernel sum and kernel product are right more often than either view", lambda d: min(
            d.rows("Noisy digits 2 and 3")[name][1] for name in (MULTIVIEW, SUM, PRODUCT)) > max(
            d.rows("Noisy digits 2 and 3")[f"View {i} alone"][1] for i in (1, 2))),
        ("nearly alike", lambda d: np.ptp(
            [d.rows("Noisy digits 2 and 3")[name][1] for name in (MULTIVIEW, SUM, PRODUCT)]) < 2.0),
        ("kernel CCA is right less often than either", lambda d: d.rows("Noisy digits 2 and 3")["Kernel CCA"][1] < min(
            d.rows("Noisy digits 2 and 3")[f"View {i} alone"][1] for i in (1, 2))),
        ("360 small digits", sizes(360)),
    ),
    "lindenbaum2015-table3": (
        ("108 synthetic events", lambda d: d.data.n_samples == 108),
        ("Each channel tells most events apart", lambda d: min(min(v) for v in d.rows("Accuracy in %").values()) > 90),
        ("the maps of all three a few more", lambda d: all(
            ours > channel for r in (0, 1)
            for channel in [max(v[r] for name, v in d.rows("Accuracy in %").items() if name.startswith("Channel"))]
            for ours in [d.rows("Accuracy in %")[name][r] for name in (SUM, PRODUCT, MULTIVIEW)])),
    ),
    "yair2016-fig2": (
        ("Near pairs are right either way",
         lambda d: max(near_diagonal(d, title, 0, 0.25) for title in [*d.bodies][:2]) < 0.05),
        ("far ones stay near the diagonal only with the middle point",
         lambda d: near_diagonal(d, "Metric at the middle point", 1, 9) < 0.1
         and near_diagonal(d, "Metric at the two samples", 1, 9) > 0.3),
    ),
    "yair2016-fig6": (
        ("400 frames", sizes(400)),
        ("Both frequencies of the coupled system, 1 and 1.6 Hz, from local CCA and from one film alone", lambda d: all(
            energy_at(d, title, [hertz]) > 0.4
            for title in ("Local CCA", "Diffusion map of the left film") for hertz in (1.0, 1.6))),
        ("mostly other ones from kernel CCA and alternating diffusion", lambda d: all(
            energy_at(d, title, (1.0, 1.6)) < 0.5 for title in ("Kernel CCA", "Alternating diffusion"))),
    ),
    "yair2016-fig8": (
        ("Only local CCA keeps to the coupled frequencies", lambda d: energy_at(d, "Local CCA", (1.0, 1.6)) > 0.8),
        ("a diffusion map of one film follows its own pendulum",
         lambda d: energy_at(d, "Diffusion map of the left film", [0.2]) > 0.8),
        ("kernel CCA and alternating diffusion mostly others", lambda d: all(
            energy_at(d, title, (1.0, 1.6)) < 0.5 for title in ("Kernel CCA", "Alternating diffusion"))),
        ("with 8 samples a neighbourhood, every canonical correlation is then 1, and the second film has no effect",
         lambda d: energy_at(d, "Ours: local CCA, every direction", [0.2]) > 0.8),
    ),
    "yair2016-fig10": icons(3),
    "yair2016-fig12": icons(5),
    "yair2016-shared": (
        ("The colours, the shared variable, run along the first axis of local CCA, and of no other picture", lambda d: {
            title for title in d.bodies if along(d, title) > 0.8} == {"Local CCA"}),
    ),
    "own-whose-epsilon": (
        ("at nine factors", lambda d: len(next(iter(d.curves("Known classes over a factor on ε").values()))[0]) == 9),
        ("The curves of NMI have their summits at different factors", lambda d: len({
            int(y.argmax()) for y in d.heights("Known classes over a factor on ε").values()}) == 3),
        ("at the median, where kernel sum and product are near their best, multi-view is far from its own", lambda d: [
            bool(y.max() - y[6] > 0.1) for y in d.heights("Known classes over a factor on ε").values()
        ] == [False, False, True]),
    ),
    "own-drowned-views": (
        ("As in the paper nearly half of all steps are taken by mor", lambda d:
         40 < d.rows("NMI, and each view’s share in a step")["as in the paper"][-1] < 50),
        ("By equal volume each view takes a sixth, and the digits come apart", lambda d: all(
            14 < share < 19 for share in d.rows("NMI, and each view’s share in a step")["by equal volume"][1:])
         and d.rows("NMI, and each view’s share in a step")["by equal volume"][0] > 0.85),
        ("Leaving self-loops out changes nothing", lambda d: abs(np.subtract(*(
            d.rows("NMI, and each view’s share in a step")[form][0] for form in ("as in the paper",
                                                                                 "without self-loops")))) < 0.02),
    ),
    "own-who-stays": (
        ("At a ninth of the median nearly every step stays", lambda d:
         d.heights("Steps that stay over ε")["kernel product"][0] > 0.9),
        ("Without self-loops the same kernel finds the digits",
         lambda d: d.heights("Known classes over ε")["without self-loops"][0] > 0.8),
        ("At the median hardly a step stays, and both pictures are alike", lambda d:
         d.heights("Steps that stay over ε")["kernel product"][2] < 0.1
         and abs(np.subtract(*(y[2] for y in d.heights("Known classes over ε").values()))) < 0.1),
        ("the share of steps that stay falls, and with it what leaving self-loops out gains", lambda d: falling(
            d.heights("Steps that stay over ε")["kernel product"]) and falling(np.subtract(
                *(d.heights("Known classes over ε")[name] for name in ("without self-loops", "self-loops kept"))))),
    ),
    "own-does-not-melt": (
        ("four methods", lambda d: len(d.heights("The shared variable over ε")) == 4),
        ("At a thirtieth of the median all methods find the shared variable",
         lambda d: min(y[0] for y in d.heights("The shared variable over ε").values()) > 0.95),
        ("As ε grows the others follow the views’ own variables, while the first jointly smooth function stays what it "
         "was", lambda d: [bool(y.min() > 0.98) for y in d.heights("The shared variable over ε").values()]
         == [True, False, False, False] and max(y[-1] for y in [*d.heights("The shared variable over ε").values()][1:])
         < 0.6),
        ("one picture stands still where the others melt", lambda d: [
            np.ptp(y) < 0.01 for y in d.heights("The shared variable over ε").values()] == [True, False, False, False]),
    ),
    "own-where-is-the-tear": (
        ("the two ends of the spectrum", lambda d: len(d.heights("Where the leaders sit")) == 2),
        ("One end sits at the gap of the first roll, which the second one joins, the other at the gap of the second",
         lambda d: np.allclose([np.argmax(y) / len(y) for y in d.heights("Where the leaders sit").values()],
                               (0.35, 0.65), atol=0.06)),
        ("Steps differ at the gaps, and hardly elsewhere", lambda d: {6, 7, 12, 13} == set(
            np.flatnonzero(d.heights("Where steps differ")["both rolls"] > 0.05))),
        ("the torn places light up while steps are short", lambda d: (
            lambda short, long: short > 10 * np.median(differing(d, "median*0.01")) and long < 2 * np.median(
                differing(d, "median")))(*(at_the_gaps(d, differing(d, f"median*{k}")) for k in (0.01, 1)))),
    ),
    "own-what-fac-knows": (
        ("Fourier features cannot tell a 6 from a 9", lambda d: not apart_by_first(d, "fou alone")),
        ("The first thing that fac knows beyond them is just that, and no other two digits are told apart better",
         lambda d: apart_by_first(d, "fac beyond fou")
         and np.argmax(d.bodies["Area under the ROC curve of two digits"].values) == 69),
        ("Fou’s functions tell nothing of it, but about half of fac’s own first function",
         lambda d: d.bar("fac’s first function beyond fou by the nearest") < 0.1
         and 0.4 < d.bar("the same of fac’s first function alone") < 0.6),
        ("where it is small, fou knows less, and more of fac is specific",
         lambda d: np.greater(*(specific_share(d, rule) for rule in ("median*0.1", "median*0.3")))),
    ),
    "own-ingredients": (
        ("On six clean views the product gains most: without self-loops and with unit rows it is as good as the best "
         "method", lambda d: best_gain(d)[0] == PRODUCT and nmi_of(d, PRODUCT, "both") > max(
             np.nanmax(row) for row in d.rows(CLEAN_TABLE).values()) - 0.03),
        ("Multi-view gains by unit rows and not without self-loops", lambda d: (
            nmi_of(d, MULTIVIEW, "unit rows") - nmi_of(d, MULTIVIEW, "as in the paper") > 0.05
            and nmi_of(d, MULTIVIEW, "without loops") - nmi_of(d, MULTIVIEW, "as in the paper") < 0.02)),
        ("10 neighbours tear the product into pieces", lambda d: nmi_of(
            d, PRODUCT, "the same of 10 neighbours") < nmi_of(d, PRODUCT, "both, correlation") - 0.05),
        ("Spectral clustering stays behind on every fourth digit", lambda d: d.rows(JOINED)[CLEAN][1] < nmi_of(
            d, PRODUCT, "both")),
        ("On two noisy views little helps, and k-means of the views side by side beats nearly all", lambda d: np.mean(
            [value < d.rows(JOINED)["Noisy digits 2 and 3"][0] for row in d.rows(NOISY).values()
             for value in row if np.isfinite(value)]) > 0.8),
    ),
    "bandwidth-fig4.3": (
        ("A roll of 1,000 samples", sizes(1000, title="The clean roll")),
        ("The rule that weights features finds the order of the clean roll again",
         lambda d: along(d, "Map by manifold") > 0.95),
        ("of the others only log-sum does, in some draws", lambda d: along(d, "Map by log-sum") > 0.8 and max(
            along(d, f"Map by {name}", k) for name in ("max-min", "self-tuning", "std") for k in (0, 1)) < 0.5),
    ),
    "bandwidth-fig4.5": (
        ("One digit 6 at 320 angles", sizes(320)),
        ("its 50 leading principal components", lambda d: d.experiment.source.preprocess == "pca:50"),
        ("A round ring under little noise, where the radius hardly varies",
         lambda d: d.heights("Radius of the ring")["manifold"][0] < 0.01
         and ring_gap(d.points("The turning digit, noise variance 0.1")).value <= CLOSED),
        ("at some level of noise it breaks", lambda d: d.heights("Radius of the ring")["manifold"][-1] > 0.1),
    ),
    "bandwidth-fig4.7": (
        ("Two Gaussian classes of 100 samples",
         lambda d: [*np.unique(d.data.labels, return_counts=True)[1]] == [100, 100]),
        ("Whether the three curves rise and fall together", lambda d: d.bar("ρ_P and ρ_Ψ") < 0.8),
        ("Only the spectral and the probabilistic criterion rise and fall together", lambda d:
         d.bar("ρ_P and Ge") > 0.8 > max(d.bar("ρ_P and ρ_Ψ"), d.bar("Ge and ρ_Ψ"))),
        ("The geometric one is highest at small ε", lambda d:
         np.nanargmax(d.heights("Criteria over ε, each from 0 to 1")["ρ_Ψ"])
         == np.isfinite(d.heights("Criteria over ε, each from 0 to 1")["ρ_Ψ"]).argmax()),
    ),
    "bandwidth-fig4.8": (
        ("Whether the curve is flat around the bandwidth of the eigengap", lambda d: d.bar("change of the norm") > 0.2),
        ("The curve is flat only where they are all 0, or all 1", lambda d: [
            bool(rise < 0.75 * rises.max()) for rises in [np.diff(d.heights("Coupling of the classes")["‖W‖"])]
            for rise in (rises[0], rises[30], rises[-1])] == [True, False, True]),
    ),
    "bandwidth-fig4.10": (
        ("Four classes of 100 samples along a spiral", sizes(400)),
        ("At ε_Ψ the samples are drawn into a few tight groups",
         lambda d: all(groups(d.points(f"Map at ε_Ψ, gap {gap}")) <= 8 for gap in ("0.02", "0.04"))),
        ("at ε_Ge they lie along the spiral, as in the data", lambda d: all(
            groups(d.points(f"Map at ε_Ge, gap {gap}")) > 40 and apart(d, f"Map at ε_Ge, gap {gap}") < 0.2
            for gap in ("0.02", "0.04"))),
    ),
    "bandwidth-fig4.11-0.02": spirals(),
    "bandwidth-fig4.11-0.04": spirals(),
    "bandwidth-fig4.12": (
        ("30 of each digit", lambda d: (np.unique(d.data.labels, return_counts=True)[1] >= 30).all()),
        ("Whether the three marks lie at the peak of the curve", lambda d: not marked_high(0.97)(d)),
        ("The accuracy is best at smaller ones than any of them chooses", lambda d: (
            lambda x, y: x[y.argmax()] < min(d.marks("Accuracy over ε")[rule] for rule in ("ε_Ψ", "ε_Ge", "ε_P"))
        )(*d.curves("Accuracy over ε")["nearest neighbours"])),
    ),
    "bandwidth-fig5.4": (
        ("62 synthetic explosions", sizes(62, title="Explosions by manifold, Z to the power 0.1")),
        ("The spoilt channel has half the weight that it has without the rule, where the noise is louder than the "
         "features", lambda d: all(0.4 < ratio < 0.6 for ratio in d.heights(
             "Part of Z in the variance, weighted over unweighted")["ratio"][1:])),
        ("yet the correlation is not best under the rule that weights features", lambda d: all(
            max(lines, key=lambda name: lines[name][k]) != "manifold"
            for lines in [d.heights("Correlation with the delay of the S wave")] for k in range(3))),
        ("wide bandwidths, which average, tell the delay better", lambda d: np.mean(
            d.heights("Correlation with the delay of the S wave")["max-min"]) > np.mean(
            d.heights("Correlation with the delay of the S wave")["log-sum"]) + 0.2),
    ),
    "bandwidth-fig5.5": (
        ("46 earthquakes and 62 explosions", lambda d: [*np.unique(d.data.labels, return_counts=True)[1]] == [46, 62]),
        ("The three marks lie where the curve is high, if not at its peak",
         lambda d: marked_high(0.95)(d) and not marked_high(1.0)(d)),
        ("in the worst of the draws the bandwidth that it chooses reaches 85 % of the best accuracy",
         lambda d: round(100 * d.bar("ε_Ge")) in (84, 85, 86)),
        ("The geometric criterion stays near the best", lambda d: d.bar("ε_Ψ") > 0.95),
    ),
    "salhov2015-fig6.1": (
        ("2,000 samples of two squares", sizes(2000)),
        ("An error of a few per cent, at the edges of the squares", lambda d: d.bar("largest error") < 0.035 and (
            lambda error: min(abs(np.array(error) % 1 - 0.5)) >= 0.0)(np.unravel_index(
                d.bodies["Error"].values.argmax(), d.bodies["Error"].values.shape))),
    ),
    "salhov2015-fig6.2": (
        ("Mean errors fall at every step, until only rounding is left", lambda d: all(
            (np.diff(y)[y[1:] > 1e-28] < 0).all()
            for title in ("Error, order 3", "Error, ε = 1") for y in [d.heights(title)["mean"]])),
        ("The median rises at one step of ε",
         lambda d: (np.diff(d.heights("Error, order 3")["median"]) > 0).sum() == 1),
    ),
    "salhov2015-fig6.3": (
        ("makes the bound 100 to 1,000,000 times what the samples' own smallest density makes it", lambda d: (
            lambda ratio: 1.5 < ratio.min() < 2.5 and 5.5 < ratio.max() < 6.5)(
            (d.bodies["log₁₀ of the bound"].values - d.bodies[
                "log₁₀ of the bound with the samples' own smallest density"].values)[:, 0])),
        ("Both fall with ε and with the order", lambda d: all(
            d.bar(words) == 0 for words in ("the worst error rises", "the bound rises"))),
        ("the bound lies above the error, also where it is tightest", lambda d: d.bar("largest error over") <= 1
         and (d.bodies["log₁₀ of the bound"].values >= d.bodies["log₁₀ of the worst error"].values)[
             d.bodies["log₁₀ of the worst error"].values > -20].all()),
    ),
    "eynard2012-fig2": (
        ("Whether the joint picture is the flat sheet", lambda d: along(d, "Flattened, joint") < 0.9),
    ),
    "eynard2012-fig3": (
        ("By that measure the other side of a touch is two to five times as far jointly as in the view alone",
         lambda d: all(2.0 < d.bar(f"touch of view {i}") < 5.5 for i in (1, 2))),
        ("in view 2: from one sample at its touch the other side is among the nearest seventh alone, and farther than "
         "half of all samples jointly",
         lambda d: nearer(d, 1, "alone") < 1 / 7 and nearer(d, 1, "jointly") > 0.5),
    ),
    "eynard2012-table1-blobs": (
        ("Six Gaussian clusters", lambda d: len(np.unique(d.data.labels)) == 6),
        ("Each view mixes one pair", lambda d: mixed_pairs(d, "Clusters of view 1 alone") == 1),
        ("The harmonic mean of both mixes none, JADE and the arithmetic mean a few samples", lambda d: mixed_pairs(
            d, "Clusters by the harmonic mean") == 0 and all(
            95 < d.rows("Accuracy in %, 5 data sets")[name][0] < 99 < d.rows("Accuracy in %, 5 data sets")[
                "Harmonic mean"][0] for name in ("JADE", "Arithmetic mean"))),
    ),
    "eynard2012-table1-circles": (
        ("Four noisy rings", lambda d: len(np.unique(d.data.labels)) == 4),
        ("The harmonic mean tells all rings apart",
         lambda d: d.rows("Accuracy in %, 3 data sets")["Harmonic mean"][0] > 99
         and mixed_pairs(d, "Clusters by the harmonic mean") == 0),
        ("JADE and the arithmetic mean keep both touches", lambda d: mixed_pairs(d, "Clusters by JADE") >= 1 and max(
            d.rows("Accuracy in %, 3 data sets")[name][0] for name in ("JADE", "Arithmetic mean")) < 80),
    ),
    "eynard2012-fig7": (
        ("by the joint distance sooner than by either view's", lambda d: all(
            (d.heights("Farthest point sampling")["joint"][2:] >= y[2:]).all()
            for y in d.heights("Farthest point sampling").values())),
        ("After ten samples it has met 8.6 of them on the mean over starts",
         lambda d: round(float(d.heights("Farthest point sampling")["joint"][9]), 1) == 8.6),
        ("from the start whose pictures are drawn all ten",
         lambda d: len(set(d.bodies["The first ten farthest samples, joint distance"].names)) == 10),
    ),
    "eynard2012-fig8": (
        ("50 of each digit", lambda d: d.bodies["Distances, joint"].values.shape == (500, 500)),
        ("The joint curve lies above both others", lambda d: all(
            (np.interp(grid, *curves["joint"]) >= np.interp(grid, *line)).all()
            for curves in [d.curves("ROC of distances, t = 5")] for grid in [np.linspace(0.01, 0.95, 50)]
            for line in curves.values())),
        ("Change the time of JADE from 5 to 50: the advantage is one of short times", lambda d: [
            bool(lines["joint"][k] > max(y[k] for name, y in lines.items() if name != "joint"))
            for lines in [d.heights("Area under the ROC over the time, ours")] for k in (2, 5)] == [True, False]),
    ),
}  # fmt: skip

PAPERS = (
    "The paper takes three rolls of 1,200 samples.",
    "The helices of figure 8 with the generalised kernel",
    "goes to the other with weight 1 - η",
    "beside the coupled one (η = 0)",
    "In full 10 data sets of each noise, the paper has 200.",
    "In full the mean of 2 data sets, the paper has 20.",
    "Algorithm 1",
    "instead of 40,000 large ones",
    "and ridge 0:",
    "in full all 2,000",
    "on 12 coordinates",
    "in full 2,000",
    "in full all 200",
    "in full 352",
    "in full of 3,000",
    "for the pairs of 150 samples",
    "of any pair of 150 samples",
    "the bound (5.18)",
    "The paper's ν_min of .001",
    "far below 1, and those grow fast",
    "heat diffusion distance after a time of 1,000, from 100 eigenvectors",
    "with the estimate instead of 2",
    "(t 0)",
    "of 10 neighbours",
    "noisy digits on 2;",
    "is level on all 2,000, and ahead on fou and fac alone",
)
"""Words with numbers that are given, or those of a paper or a run in full."""
