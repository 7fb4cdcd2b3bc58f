"""The scores in a panel's footer, each with what it means."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QWidget

from mvexplorer.compute.jobs.runner import Scores
from mvexplorer.engine.metrics import Score
from mvexplorer.state.pictures.scoring import SCORES, UNLABELLED, spread_words
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, line, tip


def score_texts(scores: Scores) -> dict[str, tuple[str, str, str]]:
    """Id -> (the score with its name, what it means, what its ± is), of the scores that a footer has room for."""
    name = "" if scores.hidden is None else scores.hidden.variable
    # Where classes are scored as well there is no room for the variable's name, nor for its rank correlation.
    crowded, texts = scores.nmi is not None, {}
    longest = 16  # most characters of a hidden variable's name in a footer
    for id, score in scores.each().items():
        words = SCORES[id].of(line(name, longest))
        short = words.symbol if crowded or id == "spearman" or id in UNLABELLED else words.short
        shown = numbers.score(Score(score.value) if id in UNLABELLED else score)  # the tooltip has the spread
        if not (crowded and id == "spearman"):
            spread = spread_words(id, score)
            if id in UNLABELLED and spread and score.spread is not None:
                spread = spread.replace("±", f"±{numbers.fraction(score.spread)}", 1)
            texts[id] = f"{short} {shown}", SCORES[id].of(name).meaning, spread
    return texts


class ScoreBadges(QWidget):
    """One label per score; the best of all panels is bold."""

    def __init__(self) -> None:
        super().__init__()
        row = spaced(QHBoxLayout(self), 0, 0, 0, 0, spacing=8)
        self._about: dict[str, str] = {}
        self._findings = ""
        self.labels = {id: Label() for id in SCORES}
        for label in self.labels.values():
            label.setProperty("role", "muted")
            label.hide()
            row.addWidget(label)

    def show_scores(self, scores: Scores | None, best: frozenset[str], n_coordinates: int) -> None:
        """Show the scores there are; those in `best` are the best of all panels."""
        texts = {} if scores is None else score_texts(scores)
        for id, label in self.labels.items():
            label.setVisible(id in texts)
            role = "best" if id in best else "muted"
            if label.property("role") != role:
                label.setProperty("role", role)
                label.style().unpolish(label)
                label.style().polish(label)
            if id in texts:
                words, meaning, spread = texts[id]
                where = "" if id in ("spearman", *UNLABELLED) else f", on all {n_coordinates} coordinates"
                label.setText(words)
                best_words = "best of all panels" if id in best else ""
                notes = "; ".join(text for text in (spread, best_words) if text)
                about = f" {notes[0].upper()}{notes[1:]}." if notes else ""
                self._about[id] = f"{meaning}{where}.{about}"
                label.setToolTip(tip(f"{self._about[id]}\n{self._findings}".strip()))

    def add_findings(self, findings: str) -> None:
        """Add the findings of null tests and stability to the tooltips as well: the footer may lack room for them."""
        self._findings = findings
        for id, about in self._about.items():
            self.labels[id].setToolTip(tip(f"{about}\n{findings}".strip()))
