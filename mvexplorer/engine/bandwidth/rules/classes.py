"""Rules that look at known classes: at which bandwidth does a diffusion map keep them together and apart?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.bandwidth.curves import growth
from mvexplorer.engine.bandwidth.rule import Rule
from mvexplorer.engine.bandwidth.rules.spread import SELECTION, require_spread
from mvexplorer.engine.core.inputs import labelled
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.params import Param, Value
from mvexplorer.engine.kernels.affinities import gaussian
from mvexplorer.engine.pipeline.stages import StageKey, Stages
from mvexplorer.engine.pipeline.view_kernel import distances_of, median_of
from mvexplorer.engine.spectral.eigenpairs import ANGLE_WARM, Search, diffusion_decomposition
from mvexplorer.errors import DataError

Codes = npt.NDArray[np.int64]

CONNECTED = 1e-6
"""Eigenvalues closer to 1 than this belong to pieces of the graph; with more than N_C, pieces cannot be classes."""


def class_codes(data: MultiView) -> Codes:
    """Number the class of each sample (M,), -1 where its label is missing.

    DataError where there are no labels, fewer than two classes, too many, or one with a single sample.
    """
    if data.labels is None:
        raise DataError("The data has no labels, so no class rule applies.", "Name the column of classes, or load it.")
    names = [str(label).strip() for label in data.labels]
    missing = ~labelled(data.labels)
    distinct, codes = np.unique(np.where(missing, "", names), return_inverse=True)
    codes = np.where(missing, -1, codes - int(missing.any()))
    classes = [str(name) for name in distinct if name]
    if len(classes) < 2:
        message = "All labels are missing" if not classes else f"All labelled samples are of the class “{classes[0]}”"
        raise DataError(f"{message}: there is nothing to keep apart.", "Choose another column of classes.")
    most_classes = 100
    if len(classes) > most_classes:
        raise DataError(
            f"The labels take {len(classes)} different values: numbers rather than classes.",
            "Choose a column with fewer classes.",
        )
    counts = np.bincount(codes[codes >= 0], minlength=len(classes))
    if counts.min() < 2:
        alone = classes[int(np.argmin(counts))]
        raise DataError(
            f"The class “{alone}” has a single sample: its spread is undefined.",
            "Merge it with another class, or drop the sample.",
        )
    return codes


@dataclass(frozen=True, eq=False)
class ClassScan:
    """The two spectral criteria at bandwidths (G,): ρ_Ψ (3.17), and the eigengap Ge (3.31); NaN where undefined."""

    epsilon: Array
    geometric: Array
    spectral: Array

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return 3 * self.epsilon.nbytes

    def joined(self, other: ClassScan) -> ClassScan:
        """Both scans as one, ascending in ε."""
        epsilon = np.concatenate([self.epsilon, other.epsilon])
        order = np.argsort(epsilon, kind="stable")
        return ClassScan(
            epsilon[order],
            np.concatenate([self.geometric, other.geometric])[order],
            np.concatenate([self.spectral, other.spectral])[order],
        )


def class_scan(stages: Stages, i: int, params: Mapping[str, Value]) -> ClassScan:
    """Eigenvectors at a dozen bandwidths between two multiples of the median, remembered."""
    low, high = (float(cast("float", params[name])) for name in ("low", "high"))
    n_values = 12  # Number of bandwidths at which eigenvectors are computed first.
    return _scan(stages, i, params, np.geomspace(low, high, n_values) * median_of(stages, i), "class-scan")


def _scan(
    stages: Stages, i: int, params: Mapping[str, Value], epsilon: Array, name: str = "class-scan-more"
) -> ClassScan:
    """The scan at these bandwidths, remembered under `name`."""
    codes, d = class_codes(stages.data), params["class_dimension"]
    key = StageKey(name, stages.distance_key(i), settings=(codes.tobytes(), epsilon.tobytes(), d))
    dimension = None if d is None else int(cast("int", d))
    return stages.memo(key, lambda: scan_classes(stages, i, codes, epsilon, dimension))


def scan_classes(stages: Stages, i: int, codes: Codes, epsilon: Array, dimension: int | None = None) -> ClassScan:
    """Compute ρ_Ψ and Ge of the labelled samples of view i at each ε (G,), in the view's squared units, in any order.

    `dimension` counts the coordinates of the embedding that is judged, by default one fewer than there are classes. NaN
    at bandwidths where the graph lies in more pieces than there are classes.
    """
    kept = np.flatnonzero(codes >= 0)
    D = distances_of(stages, i)
    D = D if len(kept) == len(D) else D[np.ix_(kept, kept)]
    own, n_classes = codes[kept], int(codes.max()) + 1
    d = min(dimension or n_classes - 1, len(kept) - 2)
    k = min(max(d + 1, n_classes + 1), len(kept))
    geometric, spectral = np.full(len(epsilon), np.nan), np.full(len(epsilon), np.nan)
    start = None
    # From the broadest kernel down: once the graph lies in too many pieces, it does at every smaller ε.
    for step, g in enumerate(np.argsort(epsilon)[::-1]):
        stages.task.progress(step / len(epsilon))
        K = gaussian(D, float(epsilon[g]), stages.task)
        degrees = K.sum(axis=1)
        if pieces(K, degrees) > n_classes:
            break
        decomposition = diffusion_decomposition(K, degrees, Search(k, start, ANGLE_WARM), stages.task)
        values, start = decomposition.eigenvalues, decomposition.bases[0]
        if np.count_nonzero(values > 1.0 - CONNECTED) > n_classes:
            break
        geometric[g] = class_separation(decomposition.blocks[0][:, 1 : d + 1] * values[1 : d + 1], own)
        spectral[g] = values[n_classes - 1] - values[n_classes] if len(values) > n_classes else np.nan
    return ClassScan(np.asarray(epsilon), geometric, spectral)


def pieces(K: Array, degrees: Array) -> int:
    """At least how many eigenvalues of the walk on K (M, M) with these row sums are 1 but for `CONNECTED`.

    Those of the block of the loneliest samples lie below its own (Cauchy's interlacing), and cost next to nothing.
    """
    # Samples with the smallest row sums, among which pieces of the graph are looked for before eigenvectors are.
    lonely = 256
    alone = np.argsort(degrees)[:lonely]
    scale = 1.0 / np.sqrt(degrees[alone])
    values = np.linalg.eigvalsh(scale[:, None] * K[np.ix_(alone, alone)] * scale)
    return int(np.count_nonzero(values > 1.0 - CONNECTED))


def class_separation(Y: Array, classes: Codes) -> float:
    """ρ_Ψ: mean squared distance to the centre, over the sum of those within each class (n, d); (3.15)-(3.17)."""
    whole = np.square(Y - Y.mean(axis=0)).sum(axis=1).mean()
    within = [np.square(Y[classes == c] - Y[classes == c].mean(axis=0)).sum(axis=1).mean() for c in np.unique(classes)]
    return float(whole / np.sum(within)) if np.sum(within) > 0.0 else float("nan")


Criterion = Callable[[ClassScan], Array]


def _optimum(stages: Stages, i: int, params: Mapping[str, Value], criterion: Criterion, what: str) -> float:
    """ε where a criterion is largest: a dozen values, more beyond an end where it still rises, more around the best."""
    require_spread(stages, i)
    scan = class_scan(stages, i, params)
    if not np.isfinite(criterion(scan)).any():
        raise _undefined(stages, i, what)
    beyond = _beyond(scan.epsilon, criterion(scan), params, median_of(stages, i))
    if len(beyond):
        scan = scan.joined(_scan(stages, i, params, beyond))
    for parts in (3, 2):  # into which the intervals beside the best are cut, one round after the other
        around = _around(scan.epsilon, criterion(scan), parts)
        if len(around):
            scan = scan.joined(_scan(stages, i, params, around))
    _tell_end(stages, i, scan.epsilon, criterion(scan), what)
    return _best(stages, i, scan.epsilon, criterion(scan), what)


def _beyond(epsilon: Array, values: Array, params: Mapping[str, Value], median: float) -> Array:
    """Further bandwidths where the best lies at an end, unless the user has set that end."""
    top = int(np.nanargmax(values))
    # Where the best ε lies at an end of the scan, `beyond` more are tried, as far as `farthest` in units of the median.
    farthest, beyond = (1e-5, 100.0), 5
    if top == len(values) - 1 and params["high"] == HIGH.default:
        return np.geomspace(epsilon[-1], farthest[1] * median, beyond + 1)[1:]
    if top == 0 and params["low"] == LOW.default:
        return np.geomspace(farthest[0] * median, epsilon[0], beyond + 1)[:-1]
    return np.empty(0)


def _around(epsilon: Array, values: Array, parts: int) -> Array:
    """Bandwidths that cut the intervals on both sides of the best into `parts`, where the criterion is defined."""
    top = int(np.nanargmax(values))
    sides = [(j, j + 1) for j in (top - 1, top) if 0 <= j < len(values) - 1 and np.isfinite(values[j : j + 2]).all()]
    cuts = [np.geomspace(epsilon[a], epsilon[b], parts + 1)[1:-1] for a, b in sides]
    return np.concatenate([*cuts, np.empty(0)])


def _tell_end(stages: Stages, i: int, epsilon: Array, values: Array, what: str) -> None:
    """Warn where ε may be the best only because nothing beyond it was tried or is defined."""
    top, name = int(np.nanargmax(values)), stages.view_name(i)
    if 0 < top < len(values) - 1 and np.isfinite(values[top - 1]):
        return
    if top == len(values) - 1:
        why = "it still rises at the largest ε tried"
    elif top == 0:
        why = "it still rises at the smallest ε tried"
    else:
        why = "at smaller ε, where it may be higher still, the graph falls into more pieces than there are classes"
    text = f"{what} of view “{name}” has no peak: {why}. Take this ε for a bound, and look at the class curves."
    stages.task.warn("class-end", text, name)


def _undefined(stages: Stages, i: int, what: str) -> DataError:
    return DataError(
        f"{what} is undefined at every bandwidth tried in view “{stages.view_name(i)}”: its graph lies in pieces.",
        "Scan larger bandwidths.",
    )


def _best(stages: Stages, i: int, epsilon: Array, values: Array, what: str) -> float:
    """ε at the largest value, between the grid's points by the parabola through it and its neighbours."""
    if not np.isfinite(values).any():
        raise _undefined(stages, i, what)
    top = int(np.nanargmax(values))
    x = np.log(epsilon)
    if 0 < top < len(x) - 1 and np.isfinite(values[top - 1 : top + 2]).all():
        # Newton's form: the points need not be evenly spaced.
        first, second = np.diff(values[top - 1 : top + 2]) / np.diff(x[top - 1 : top + 2])
        bend = (second - first) / (x[top + 1] - x[top - 1])
        if bend < 0.0:
            return float(np.exp(0.5 * (x[top - 1] + x[top]) - 0.5 * first / bend))
    return float(epsilon[top])


def geometric_rule(stages: Stages, i: int, params: Mapping[str, Value]) -> float:
    """ε that maximises ρ_Ψ, between-class over within-class variance of the embedding; (3.18)."""
    return _optimum(stages, i, params, lambda scan: scan.geometric, "The ratio of variances")


def spectral_rule(stages: Stages, i: int, params: Mapping[str, Value]) -> float:
    """ε that maximises the generalised eigengap λ_(N_C - 1) - λ_N_C, counted from 0; (3.31)."""
    return _optimum(stages, i, params, lambda scan: scan.spectral, "The eigengap")


def probabilistic_rule(stages: Stages, i: int, params: Mapping[str, Value]) -> float:
    """ε that maximises ρ_P, the probability of a step to another sample of the same class; (3.34)-(3.37)."""
    require_spread(stages, i)
    curve = growth(stages, i, class_codes(stages.data))
    return _best(stages, i, curve.epsilon, curve.within_probability, "The probability")


LOW = Param(
    "low",
    "",
    1e-3,
    "Smallest bandwidth tried, in units of the median squared distance.",
    low=1e-8,
    high=1e8,
    log=True,
    title="From",
)
HIGH = Param(
    "high",
    "",
    3.0,
    "Largest bandwidth tried, in units of the median squared distance.",
    low=1e-8,
    high=1e8,
    log=True,
    title="To",
)
DIMENSION = Param(
    "class_dimension",
    "d",
    None,
    "Coordinates of the embedding that is judged.",
    kind="int",
    low=1,
    title="Dimension",
    empty="classes − 1",
    source="(2.5)",
)

RULES = (
    Rule(
        "class-geometric",
        "Classes: variances ρ_Ψ",
        "Ψ",
        "Where the classes' means lie farthest apart in the embedding, for how far each spreads.",
        f"{SELECTION}, (3.15)-(3.18)",
        geometric_rule,
        (LOW, HIGH, DIMENSION),
        cost="A kernel and its first eigenvectors at some twenty bandwidths.",
        remark="Unbounded where the graph lies in pieces: only bandwidths with no more pieces than classes count.",
        needs_labels=True,
        matrices=2.0,
        solves=True,
        slow=True,
    ),
    Rule(
        "class-spectral",
        "Classes: eigengap Ge",
        "G",
        "Where the eigenvalue after the last class is farthest below it.",
        f"{SELECTION}, (3.31)",
        spectral_rule,
        (LOW, HIGH, DIMENSION),
        cost="A kernel and its first eigenvectors at some twenty bandwidths; twelve are shared with ρ_Ψ.",
        remark="Uses only the number of classes; it takes the strongest structure for the classes.",
        needs_labels=True,
        matrices=2.0,
        solves=True,
        slow=True,
    ),
    Rule(
        "class-probabilistic",
        "Classes: probability ρ_P",
        "P",
        "Where a step of the walk most probably leads to another sample of the same class.",
        f"{SELECTION}, (3.34)-(3.37)",
        probabilistic_rule,
        (),
        cost="One pass over the distances, no eigenvectors.",
        remark="Labels of nearest neighbours decide: with overlapping classes it is drawn to small bandwidths.",
        needs_labels=True,
        slow=True,
    ),
)
