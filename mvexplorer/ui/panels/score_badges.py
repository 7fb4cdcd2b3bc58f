"""The scores in a panel's footer, each with what it means."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QWidget

from mvexplorer.compute.jobs.runner import Scores
from mvexplorer.state.pictures.scoring import ON_ALL, SCORES, shown, spread_words
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, line, tip

SPACING = 8
"""Pixels between two scores."""
BESIDE = ("spearman", "order", "largest_gap", "agreement", "stability")
"""Scores that stand in a footer after the others, and go where there is no room."""


def score_texts(scores: Scores) -> dict[str, tuple[str, str, str]]:
    """Id -> (the score with its name, what it means, what its ± is), of the scores that a footer has room for."""
    name = "" if scores.hidden is None else scores.hidden.variable
    # Where classes are scored as well there is no room for the variable's name, nor for what is drawn of it.
    crowded, texts = scores.nmi is not None, {}
    longest = 16  # most characters of a hidden variable's name in a footer
    for id, score in scores.each().items():
        if (crowded and id in BESIDE) or (id == "spearman" and scores.each().get("order") == score):
            continue
        words = SCORES[id].of(line(name, longest))
        named = {"r2": words.short, "resultant": f"recovers {line(name, longest)}"}
        short = (named if not crowded else {"resultant": "angle"}).get(id, words.symbol)
        spread = spread_words(id, score)
        if id != "nmi" and spread and score.spread is not None:
            spread = spread.replace("±", f"±{numbers.fraction(score.spread)}", 1)
        texts[id] = f"{short} {numbers.score(shown(id, score))}", SCORES[id].of(name).meaning, spread
    return texts


class ScoreBadges(QWidget):
    """One label per score; the best of all panels is bold. `ids` are the scores that are shown, as far as there are.

    Where there is no room the last ones go as a whole, and are told by the tips of the others.
    """

    def __init__(self, ids: Sequence[str]) -> None:
        super().__init__()
        row = spaced(QHBoxLayout(self), 0, 0, 0, 0, spacing=SPACING)
        self._about: dict[str, str] = {}
        self._left_out = 0
        """How many scores there is no room for."""
        self._findings = self._others = ""
        self.labels = {id: Label() for id in ids}
        for label in self.labels.values():
            label.setProperty("role", "muted")
            label.hide()
            row.addWidget(label)

    def show_scores(self, scores: Scores | None, best: frozenset[str], n_coordinates: int) -> None:
        """Show the scores there are; those in `best` are the best of all panels."""
        texts = {} if scores is None else score_texts(scores)
        self._others = ", ".join(words for id, (words, _, _) in texts.items() if id not in self.labels)
        self._about = {}
        for id, label in self.labels.items():
            label.set_role("best" if id in best else "muted")
            if id in texts:
                words, meaning, spread = texts[id]
                where = f", on all {n_coordinates} coordinates" if id in ON_ALL else ""
                label.setText(words)
                best_words = "best of all panels" if id in best else ""
                notes = "; ".join(text for text in (spread, best_words) if text)
                about = f" {notes[0].upper()}{notes[1:]}." if notes else ""
                self._about[id] = f"{meaning}{where}.{about}"
        self.setVisible(bool(self._about))
        self._show_labels()

    def n_steps(self) -> int:
        """As many as there are scores."""
        return len(self._about)

    def step_width(self, step: int) -> int:
        """The width in pixels without the last scores; 0 without any."""
        widths = [self.labels[id].sizeHint().width() for id in [*self._about][: max(0, self.n_steps() - step)]]
        return sum(widths) + SPACING * (len(widths) - 1) if widths else 0

    def show_step(self, step: int) -> None:
        """Leave out the last scores."""
        if step != self._left_out:
            self._left_out = step
            self._show_labels()

    def _show_labels(self) -> None:
        shown = [*self._about][: max(1, len(self._about) - self._left_out)]
        for id, label in self.labels.items():
            label.setVisible(id in shown)
        self._show_tips()

    def add_findings(self, findings: str) -> None:
        """Add the findings of null tests and stability to the tooltips as well: the footer may lack room for them."""
        self._findings = findings
        self._show_tips()

    def _show_tips(self) -> None:
        hidden = ", ".join(self.labels[id].text() for id in self._about if self.labels[id].isHidden())
        others = ", ".join(filter(None, (hidden, self._others)))
        others = f"Also: {others}." if others else ""
        for id, about in self._about.items():
            self.labels[id].setToolTip(tip("\n".join(filter(None, (about, others, self._findings)))))
