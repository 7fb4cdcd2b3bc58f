"""Verdicts about a bandwidth, in a word and a sentence: it leaves its view isolated, flat, wide or local.

A view is isolated where samples have no neighbours, flat where its affinities hardly differ beside those of other
views, wide where a sample neighbours a third of the others. Facts of its own kernel decide, never a picture.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from scipy import sparse

from mvexplorer.engine.bandwidth.curves import FEW, LINK, MOST_ALONE
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.distances import BLOCK_ROWS, off_diagonal
from mvexplorer.engine.kernels.operators import Matrix
from mvexplorer.engine.pipeline.stages import StageKey, Stages
from mvexplorer.engine.pipeline.view_kernel import distances_of, median_of, table_of
from mvexplorer.wording import finite_or_none, number

Word: TypeAlias = Literal["isolated", "flat", "wide", "local"]

HARDLY = 0.1
"""Contrast, as a part of the largest one beside it, below which a view of a wide ε adds little to joined pictures."""
NOTHING = 0.02
"""The same below which it adds next to nothing."""
BROAD = 2.0
"""Medians of the squared distance from which on an ε is wide enough for a flat view."""
MANY = 1 / 3
"""Share of the others that are a sample's neighbours, from which on a view is wide."""
DOMINANT = 10.0
"""Times the usual contrast of the others from which on products follow one view alone."""


@dataclass(frozen=True)
class KernelFacts:
    """Facts about the kernel of a view at one ε.

    `epsilon` is in squared data units and `of_median` its share of the median, NaN where ε has no effect. `alone` is
    the share of samples in pieces of fewer than FEW, joined by affinities of LINK and more, and `pieces` counts the
    larger ones. `neighbours` is the median over the samples of 1 / Σ_j p_ij², p the step that does not stay, among
    `others`. `contrast` is the .95 less the .05 quantile of -log K_ij over all pairs; of neighbours and landmarks that
    of the Gaussian behind them.
    """

    view: str
    epsilon: float
    of_median: float
    alone: float
    pieces: int
    neighbours: float
    others: int
    contrast: float


@dataclass(frozen=True)
class Regime:
    """The verdict about one view: `regime` in a word, why in a `sentence`, and what to do, empty where nothing is.

    `dominant` tells how many times the contrast of the others its own is, where products follow it alone; else 0.
    """

    view: str
    regime: Word
    facts: KernelFacts
    sentence: str
    cure: str = ""
    dominant: float = 0.0

    @property
    def alarming(self) -> bool:
        """Whether it ought to be cured; else it is a fact."""
        return self.regime in ("isolated", "flat")

    def as_dict(self) -> dict[str, Any]:
        """For JSON: NaN is null, and so is the cure where there is none."""
        facts = self.facts
        values = facts.alone, facts.pieces, facts.neighbours, facts.others, facts.contrast, facts.of_median
        names = "alone", "pieces", "neighbours", "others", "contrast", "of_median"
        return {
            "epsilon": finite_or_none([facts.epsilon])[0],
            "regime": self.regime,
            "facts": dict(zip(names, finite_or_none(values), strict=True)) | {"dominant": self.dominant or None},
            "sentence": self.sentence,
            "cure": self.cure or None,
        }


def judged(views: Sequence[KernelFacts]) -> tuple[Regime, ...]:
    """The verdicts about views that are used together."""
    found = tuple(_judged(facts, views) for facts in views)
    return tuple(_with_dominance(one, [other for other in found if other is not one]) for one in found)


def _judged(facts: KernelFacts, beside: Sequence[KernelFacts]) -> Regime:
    if facts.alone > MOST_ALONE:
        text = (
            f"Isolated: {_share(facts.alone)} of the samples of {facts.view} have no neighbours, or only "
            f"in pieces of fewer than {FEW}."
        )
        return Regime(facts.view, "isolated", facts, text, "Enlarge its ε, or choose it by the rule robust.")
    strongest = max(beside, key=lambda other: np.nan_to_num(other.contrast))
    part = facts.contrast / strongest.contrast if strongest.contrast > 0.0 else np.nan
    if len(beside) > 1 and facts.of_median > BROAD and part < HARDLY:
        little = "next to nothing" if part < NOTHING else "little"
        text = (
            f"Flat: {facts.view} adds {little} to joined pictures: its affinities differ by {_share(_differ(facts))}, "
            f"those of {strongest.view} by {_share(_differ(strongest))}."
        )
        return Regime(facts.view, "flat", facts, text, "Choose its ε by the rule robust, or leave the view out.")
    many = facts.neighbours > MANY * facts.others
    text = (
        f"Wide: a sample of {facts.view} neighbours {_share(facts.neighbours / facts.others)} of the others: single "
        "pictures tend to principal components; a smaller ε shows finer structure."
        if many
        else f"Local: a sample of {facts.view} has {number(facts.neighbours, 2)} neighbours{_in_pieces(facts)}."
    )
    return Regime(facts.view, "wide" if many else "local", facts, text)


def _with_dominance(one: Regime, others: Sequence[Regime]) -> Regime:
    contrasts = [other.facts.contrast for other in others if np.isfinite(other.facts.contrast)]
    flat = any(other.regime == "flat" for other in others)
    if one.alarming or flat or not contrasts:
        return one
    usual = float(np.median(contrasts))
    times = one.facts.contrast / usual if usual > 0.0 else 0.0
    if not times > DOMINANT:
        return one
    text = (
        f"{one.sentence} Products follow {one.view} alone: its affinities vary {number(times, 2)} times as much as "
        "those of the others; a larger ε of it evens that out."
    )
    return replace(one, sentence=text, dominant=times)


def _differ(facts: KernelFacts) -> float:
    """By which share the affinities of near pairs and of far ones differ."""
    return float(-np.expm1(-facts.contrast))


def _in_pieces(facts: KernelFacts) -> str:
    return f", in {facts.pieces} pieces" if facts.pieces > 1 else ""


def _share(value: float) -> str:
    """A share of a whole in words: neither 0 nor 100 % where it is not."""
    percent = 100.0 * value
    if 0.0 < percent < 1.0:
        return "less than 1 %"
    return "more than 99 %" if 99.0 < percent < 100.0 else f"{percent:.0f} %"


# Facts ------------------------------------------------------------------------------------------------------------


def view_facts(stages: Stages, i: int) -> KernelFacts:
    """The facts of the i-th view in use; of many samples by a random part of them."""
    stages = stages.subsample()
    K, kind = table_of(stages, i), stages.kernels[i].kind
    sizes = np.bincount(_pieces(K, stages.task))
    epsilon = stages.epsilon[i] if kind.uses_epsilon else np.nan
    return KernelFacts(
        stages.view_name(i),
        float(epsilon),
        float(epsilon / median_of(stages, i)) if kind.uses_epsilon else np.nan,
        float(sizes[sizes < FEW].sum() / sizes.sum()),
        int(np.count_nonzero(sizes >= FEW)),
        float(np.median(_effective_neighbours(K, stages.task))),
        stages.n_samples - 1,
        _contrast(stages, i),
    )


def _rows_of_others(K: Matrix, task: Task) -> Iterator[tuple[slice, Array]]:
    """Some rows of K (M, M) at a time, dense, each sample's affinity to itself left out."""
    for start in range(0, K.shape[0], BLOCK_ROWS):
        task.checkpoint()
        rows = slice(start, min(start + BLOCK_ROWS, K.shape[0]))
        some = cast("Any", K)[rows]
        block = some.toarray() if sparse.issparse(K) else np.array(some, dtype=np.float64)
        block[np.arange(len(block)), np.arange(rows.start, rows.stop)] = 0.0
        yield rows, block


def _effective_neighbours(K: Matrix, task: Task) -> Array:
    """1 / Σ_j p_ij² (M,), p the step that does not stay; 0 for samples without any affinity to another."""
    out = np.zeros(K.shape[0])
    for rows, block in _rows_of_others(K, task):
        largest = block.max(axis=1, keepdims=True)
        steps = np.divide(block, largest, out=np.zeros_like(block), where=largest > 0.0)  # the least are squared, too
        sums, squares = steps.sum(axis=1), np.square(steps).sum(axis=1)
        out[rows] = np.divide(np.square(sums), squares, out=np.zeros(len(block)), where=squares > 0.0)
    return out


def _pieces(K: Matrix, task: Task) -> npt.NDArray[np.intp]:
    """The piece (M,) of each sample in the graph of affinities of LINK and more."""
    if sparse.issparse(K):
        linked = cast("Any", K) >= LINK
        return np.asarray(sparse.csgraph.connected_components(linked, directed=False)[1])
    joined = np.empty(K.shape, dtype=bool)
    for rows, block in _rows_of_others(K, task):
        joined[rows] = block >= LINK
    pieces, count = np.full(len(joined), -1), 0
    for seed in range(len(joined)):
        front = np.array([seed]) if pieces[seed] < 0 else np.array([], dtype=np.intp)
        count += len(front)
        while len(front):
            pieces[front] = count - 1
            front = np.flatnonzero(joined[front].any(axis=0) & (pieces < 0))
    return pieces


def _contrast(stages: Stages, i: int) -> float:
    kind = stages.kernels[i].kind
    if not kind.uses_epsilon:
        return float("nan")
    low, high = _spread(stages, i)
    width = stages.epsilon[i]
    if kind.id.startswith("laplacian"):
        return float((np.sqrt(high) - np.sqrt(low)) / np.sqrt(width))
    return (high - low) / (2.0 * width)


def _spread(stages: Stages, i: int) -> tuple[float, float]:
    """The .05 and the .95 quantile of the squared distances of all pairs of view i, remembered."""

    def compute() -> tuple[float, float]:
        low, high = np.quantile(off_diagonal(distances_of(stages, i)), [0.05, 0.95])
        return float(low), float(high)

    return stages.memo(StageKey("distance-quantiles", stages.distance_key(i)), compute)
