"""The figures of the page “Diagnostics”, made of their numbers: axes, curves, marks and words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.analysis.diagnostics import ComponentSpectrum, MatrixImage, Roc, SpectrumFacts
from mvexplorer.engine.analysis.graph_facts import GraphFacts
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.pipeline.steps_that_stay import STEPS_THAT_STAY, words_on_stays
from mvexplorer.figures import Curves, Figure, LabelledLine, Matrix, Series
from mvexplorer.state.pictures.colouring import Colouring
from mvexplorer.state.pictures.drawing import subscript
from mvexplorer.wording import counted, fraction, number, superscript


def eigenvalue_figure(
    title: str,
    values: Array,
    weights: Mapping[int, Array],
    kind: str,
    facts: SpectrumFacts,
    stays: float | None = None,
) -> Figure:
    """Eigenvalues after several times, with the largest gap, what is drawn, what is negative, how many steps stay."""
    k, first, r = np.arange(len(values), dtype=np.float64), int(facts.trivial), facts.r
    shown = slice(first, None)  # a trivial 1 would flatten all others
    series = [Series(_power(kind, t), k[shown], w[shown], "points", i) for i, (t, w) in enumerate(weights.items())]
    if facts.mirrored:
        series.append(Series("−σ", k[shown], -values[shown], "points", 0, faint=True))
    marks = [LabelledLine(first + r - 0.5, f"r = {r}")]
    words = [f"{counted(r, 'coordinate')}{', the trivial eigenvalue 1 left out' if first else ''}"]
    if facts.gap is not None and facts.gap_after is not None:
        size = number(facts.gap)
        marks.append(LabelledLine(facts.gap_after + 0.5, f"gap {size}", 2))
        words.append(f"largest gap {size} after λ{subscript(facts.gap_after)}")
    negative = facts.negative
    if facts.mirrored:
        words.append("two views at η = 0 have the spectrum ±σ, the negative half drawn faint")
    elif negative:
        words.append(
            f"{counted(negative, 'eigenvalue')} below 0, odd t turn {'its' if negative == 1 else 'their'} sign"
        )
    columns: dict[str, npt.NDArray[Any]] = {"k": np.arange(len(values)), "eigenvalue": values}
    columns |= {_power(kind, t): w for t, w in weights.items() if kind != "coordinates"}
    powers = {"coordinates": "eigenvalue", "heat": "exp(−tλ)"}.get(kind, "λᵗ")
    body = Curves("index k", powers, tuple(series), tuple(marks), whole=True)
    findings = asdict(facts)
    if stays is not None:
        words.append(words_on_stays(stays))
        findings[STEPS_THAT_STAY] = stays
    shown_as = "" if kind == "coordinates" else f" {powers}"
    return Figure(f"Spectrum{shown_as} of {title}", body, "; ".join(words), columns, findings)


def _power(kind: str, t: int) -> str:
    if kind == "coordinates":
        return "λ"
    return f"exp(−{t if t > 1 else ''}λ)" if kind == "heat" else "λ" if t == 1 else f"λ{superscript(t)}"


# Matrices ---------------------------------------------------------------------------------------------------------


def matrix_figure(
    kind: str, subject: str, views: Sequence[str], by: Colouring | None, n_samples: int, image: MatrixImage
) -> Figure:
    """A matrix of samples; distances are roots of mean squares."""
    values = np.sqrt(np.maximum(image.values, 0.0)) if kind == "distances" else image.values
    bounds, names = _parts(image, views, by)
    words = [f"samples ordered by {by.title}" if by is not None else "samples as they are ordered in the data"]
    if image.n_blocks > 1:
        words.append(f"a block for each two of {', '.join(views)}")
    if image.size > 1:
        mean = "root of the mean square" if kind == "distances" else "mean"
        words.append(f"each cell is the {mean} over {image.size} × {image.size} samples")
    if len(image.order) < n_samples:
        words.append(f"the {len(image.order):,} samples that were solved on")
    scales = {"kernel": "affinity", "transition": "probability", "distances": "distance"}
    body, findings = Matrix(values, scales[kind], bounds, names), _shape_of(image)
    titles = {"kernel": "Kernel", "transition": "Transition matrix", "distances": "Distances"}
    return Figure(f"{titles[kind]} of {subject}", body, "; ".join(words), findings=findings)


def _shape_of(image: MatrixImage) -> dict[str, int]:
    """How many samples and blocks the rows of an image stand for."""
    return {"samples": len(image.order), "blocks": image.n_blocks, "samples_per_cell": image.size}


def _parts(
    image: MatrixImage, views: Sequence[str], by: Colouring | None
) -> tuple[tuple[float, ...], tuple[tuple[float, str], ...]]:
    """Where blocks or classes begin, and their names, by shares of the rows."""
    blocks = image.n_blocks
    if blocks > 1:
        return tuple(b / blocks for b in range(1, blocks)), tuple(((b + 0.5) / blocks, v) for b, v in enumerate(views))
    if by is None or not by.classes:
        return (), ()
    counts = np.bincount(by.values[by.values >= 0], minlength=len(by.classes))
    if counts.sum() != len(image.order):  # a part of the samples
        return (), ()
    ends = [0, *accumulate(counts.tolist())]
    total = max(1, ends[-1])
    names = [((a + b) / 2 / total, name) for a, b, name in zip(ends, ends[1:], by.classes, strict=False) if b > a]
    most = 16
    return tuple(end / total for end in ends[1:-1]), tuple(names if len(names) <= most else ())


def metric_figure(
    at: str, title: str, view: str, sample: str, by: Colouring | None, answer: tuple[MatrixImage, float]
) -> Figure:
    """Local CCA's distances, or its metric over the features of the first view."""
    image, share = answer
    if at == "pairs":
        pairs = matrix_figure("distances", title, (), by, len(image.order), image)
        assert isinstance(pairs.body, Matrix)
        body = Matrix(pairs.body.values, "√D", pairs.body.bounds, pairs.body.names)
        return Figure(f"Metric D of {title}", body, f"√D from row to column; {pairs.words}", findings=pairs.findings)
    where = f"at {sample}" if at == "sample" else "in the mean over the samples"
    words = f"A = P Λ Pᵗ {where}, features of {view} by features; {fraction(share)} of it lies in one direction"
    return Figure(f"Metric A of {title}", Matrix(image.values, "A"), words, findings={"share_in_one_direction": share})


# Curves -----------------------------------------------------------------------------------------------------------


def time_figure(
    title: str,
    time: str,
    marks: tuple[float, ...],
    answer: tuple[ComponentSpectrum, Mapping[str, ComponentSpectrum]],
) -> Figure:
    """A component's energy over frequencies, with the given ones marked, else those of the hidden variables."""
    spectrum, others = answer
    f, energy = spectrum.frequencies, spectrum.energy
    marked = [LabelledLine(mark, number(mark)) for mark in marks] or _of_others(others)
    words = [f"peak at {number(spectrum.peak)} with {fraction(spectrum.near(spectrum.peak))} of the energy"]
    words += [f"{fraction(spectrum.near(mark.x))} near {mark.words}" for mark in marked[:6]]
    if spectrum.how != "fft":
        ways = {"lomb-scargle": "periodogram of Lomb and Scargle", "resampled": "interpolated to even ones first"}
        words.append(f"{time or 'the order'} has uneven steps: {ways[spectrum.how]}")
    top = float(f[np.searchsorted(np.cumsum(energy), 0.98)])
    shown = f <= 1.25 * max([top, *(mark.x for mark in marked)])
    body = Curves(
        f"frequency, cycles per unit of {time}" if time else "frequency, cycles over all samples",
        "share of energy",
        (Series("energy", f[shown], energy[shown]),),
        tuple(mark for mark in marked if mark.x <= f[-1]),
    )
    facts = {
        "peak": spectrum.peak,
        "energy_near_peak": spectrum.near(spectrum.peak),
        "transform": spectrum.how,
        "samples": spectrum.n_used,
        "energy_near": {mark.words: spectrum.near(mark.x) for mark in marked},
    }
    return Figure(f"Frequencies of {title}", body, "; ".join(words), {"frequency": f, "energy": energy}, facts)


def _of_others(others: Mapping[str, ComponentSpectrum]) -> list[LabelledLine]:
    """The strong frequencies of the hidden variables; variables that share one are named together."""
    by_frequency: dict[float, list[str]] = {}
    strong = 0.2  # a hidden variable's frequency is marked where it has this share of its energy
    for name, spectrum in others.items():
        peaks = np.flatnonzero(spectrum.energy >= strong)
        for peak in peaks[:3]:
            by_frequency.setdefault(round(float(spectrum.frequencies[peak]), 9), []).append(name)
    sets = list(dict.fromkeys(tuple(names) for names in by_frequency.values()))
    return [
        LabelledLine(f, f"{', '.join(names)} {number(f)}", 1 + sets.index(tuple(names)))
        for f, names in sorted(by_frequency.items())
    ]


def roc_figure(title: str, views: Sequence[str], curves: Mapping[str, Roc]) -> Figure:
    """The curves of all views and panels, the best first."""
    most = 12
    best = sorted(curves.items(), key=lambda item: -item[1].auc)[:most]
    series = tuple(
        Series(f"{name}  {fraction(roc.auc)}", roc.false, roc.true, "line", i, faint=name in views)
        for i, (name, roc) in enumerate(best)
    )
    first = best[0][1]
    pairs = f"{first.pairs:,} random pairs" if first.sampled else f"all {first.pairs:,} pairs"
    own = f"; {title} {fraction(curves[title].auc)}" if title in curves and title != best[0][0] else ""
    words = f"area under the curve: {best[0][0]} {fraction(first.auc)}{own}; {pairs} of samples; views thin"
    columns: dict[str, Array] = {}
    for name, roc in curves.items():
        columns |= {f"{name}: false": roc.false, f"{name}: true": roc.true}
    columns |= {f"{name}: AUC": np.array([roc.auc]) for name, roc in curves.items()}
    body = Curves("false positive rate", "true positive rate", series, diagonal=True)
    facts = {"auc": {name: roc.auc for name, roc in curves.items()}, "pairs": first.pairs, "sampled": first.sampled}
    return Figure("ROC of distances against classes", body, words, columns, facts)


def graph_figure(subject: str, views: Sequence[str], eigenvalues: Array, graph: GraphFacts | Array) -> Figure:
    """How many samples have which degree, and how the graph hangs together."""
    facts = graph if isinstance(graph, GraphFacts) else None
    each = {"degree": facts.degrees} if facts is not None else dict(zip(views, np.asarray(graph), strict=False))
    if len(each) == 1 or facts is not None:
        each = {"degree": next(iter(each.values()))}
    every = np.concatenate([*each.values()])
    n_bars = 32
    low, high = float(every.min()), float(every.max())
    alike = high - low <= 1e-9 * abs(high)  # but for rounding: between those there is no room for bars
    edges = np.histogram_bin_edges(every, n_bars, (low - 0.5, high + 0.5) if alike else None)
    centres = 0.5 * (edges[1:] + edges[:-1])
    bars = tuple(
        Series(name, centres, np.histogram(d, edges)[0].astype(np.float64), "bars", i)
        for i, (name, d) in enumerate(each.items())
    )
    words = [f"degrees Σⱼ Kᵢⱼ from {number(low)} to {number(high)}"]
    columns: dict[str, npt.NDArray[Any]] = dict(each)
    findings: dict[str, Any] = {"lowest_degree": low, "highest_degree": high}
    if facts is not None:
        words.insert(0, _pieces(facts))
        columns |= {"component": facts.component}
        findings |= {"components": len(facts.sizes), "sizes": facts.sizes.tolist()}
    else:
        rounding = 1e-6  # eigenvalues within this of 1 stand for connected components
        ones = max(1, int((eigenvalues > 1.0 - rounding).sum()))
        words.insert(0, f"{counted(ones, 'eigenvalue')} of 1: {counted(ones, 'connected component')}")
        findings |= {"components": ones}
    body = Curves("degree", "samples", bars)
    return Figure(f"Degrees of {subject}", body, "; ".join(words), columns, findings)


def _pieces(facts: GraphFacts) -> str:
    """How many components there are, and how large."""
    count, alone = len(facts.sizes), int((facts.sizes == 1).sum())
    if count == 1:
        return f"one connected component of {counted(len(facts.degrees), 'sample')}"
    sizes = ", ".join(f"{size:,}" for size in facts.sizes[:5]) + (" …" if count > 5 else "")
    lonely = f", {counted(alone, 'sample')} alone" if alone else ""
    return f"{counted(count, 'connected component')} of {sizes} samples{lonely}"
