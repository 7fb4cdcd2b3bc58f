"""Which classes, or else which features, two pictures disagree about most and least, before anything is selected."""

from __future__ import annotations

import numpy as np

from mvexplorer.engine.analysis.separation import LEVEL, Separation
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.state.pictures.answers import Answers
from mvexplorer.state.pictures.colouring import resolve_colouring
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.questions.comparer import Comparer
from mvexplorer.state.questions.separator import separation_question
from mvexplorer.wording import fraction, one_line


class MostChanged:
    """Tells what the disagreement of the comparer's pair is about; a job compares the features."""

    def __init__(self, controller: Controller, comparer: Comparer) -> None:
        self._document, self._comparer = controller.document, comparer
        self._answers = Answers(controller, stopped=("The comparison was stopped.", ""))
        self.changed = self._answers.changed

    def words(self) -> str:
        """Say what is known of the pair and what to do next; compare the features where classes say nothing."""
        data, values = self._document.data, self._comparer.values
        hint = "Select samples: here stands what sets them apart from the others."
        if data is None or values is None or len(values) != data.n_samples:
            return hint
        words = class_words(data, values) or self._feature_words(data, values)
        return f"{words} {hint}" if words else hint

    def _feature_words(self, data: MultiView, values: Array) -> str:
        rows = quarter(values)
        if not 0 < len(rows) < data.n_samples:
            return ""
        question = separation_question(
            data, tuple(rows.tolist()), "What changed most between two panels", "most changed"
        )
        self._answers.ask(question)
        answer = self._answers.current("", question.basis)
        return "" if answer is None or answer.value is None else feature_words(answer.value)


def quarter(values: Array) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Return the rows of the quarter of the samples that disagree most by `values` (M,), ties included."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return np.empty(0, dtype=np.intp)
    part = 0.25
    edge = max(float(np.quantile(finite, 1.0 - part)), float(np.nextafter(finite.min(), np.inf)))
    return np.flatnonzero(values >= edge)


def class_words(data: MultiView, values: Array) -> str:
    """The classes whose samples disagree (M,) most and least on average; empty without two classes that differ."""
    label = None if data.labels is None else resolve_colouring("labels", data, {})
    if label is None or not label.classes:
        return ""
    usable = np.isfinite(values) & (label.values < len(label.classes))
    codes, n = label.values[usable], len(label.classes)
    counts, sums = np.bincount(codes, minlength=n), np.bincount(codes, values[usable], minlength=n)
    fewest = 3  # samples of a class whose mean is shown
    counted = [k for k in range(n) if counts[k] >= fewest and label.classes[k] != "unlabelled"]
    means = {k: float(sums[k] / counts[k]) for k in counted}
    most, least = (pick(means, key=means.__getitem__, default=0) for pick in (max, min))
    if not means or fraction(means[most]) == fraction(means[least]):
        return ""
    title = "class" if label.title == "label" else one_line(label.title)
    return (
        f"The neighbours of {title} {one_line(label.classes[most])} changed most (mean disagreement "
        f"{fraction(means[most])}), those of {title} {one_line(label.classes[least])} least ({fraction(means[least])})."
    )


def feature_words(separation: Separation) -> str:
    """The numbers that are highest and lowest in the samples that changed most; empty where none differs."""
    least = 0.2  # the smallest effect, in standard deviations, that is mentioned
    numbers = [row for row in separation.rows if not row.value and abs(row.effect) >= least and row.q <= LEVEL]
    high = max((row for row in numbers if row.effect > 0.0), key=lambda row: row.effect, default=None)
    low = min((row for row in numbers if row.effect < 0.0), key=lambda row: row.effect, default=None)
    parts = [
        f"{word} in {one_line(row.name)} (d {row.effect:.1f})".replace("-", "−")
        for word, row in (("higher", high), ("lower", low))
        if row is not None
    ]
    return f"The quarter of the samples that changed most is {' and '.join(parts)}." if parts else ""
