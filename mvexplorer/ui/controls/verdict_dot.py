"""The dot beside an ε: what the bandwidth does to its view, with cures a click away."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolButton

from mvexplorer.engine.bandwidth.regimes import Regime
from mvexplorer.engine.bandwidth.table import get_rule
from mvexplorer.state.bench.epsilon_advice import Advice, judged_in_words
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.questions.verdicts import ViewVerdict
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.cure_card import Cure, CureCard
from mvexplorer.ui.widgets.plain_text import tip

ROLES = {"isolated": "amber", "flat": "amber", "wide": "muted", "local": "accent"}
"""The colour of each verdict, on the track as in the dot."""
MEANING = {
    "isolated": "Isolated: more than 5 % of the samples have no neighbours.",
    "flat": "Flat: all affinities are nearly the same beside those of other views.",
    "wide": "Wide: a sample neighbours more than a third of the others.",
    "local": "Local: a sample neighbours those near it.",
}


DECADE = 10.0
"""Times as large as another rule's ε, from which on it is said how far the rules differ."""


class VerdictDot(QToolButton):
    """Filled where the verdict is an alarm, a ring where it is a fact; a click opens the sentence and the cures."""

    opened = Signal()
    """The card is asked for."""

    def __init__(self, view: str, editor: Editor) -> None:
        super().__init__()
        self._view, self._editor = view, editor
        self._verdict = ViewVerdict()
        self._values: dict[str, float] = {}
        self._rule, self._scale, self._alone = "", 1.0, False
        self._advice: Advice | None = None
        theme.square(self, side=21)
        self.setProperty("role", "small")
        self.clicked.connect(self.open)
        self.show_verdict(ViewVerdict(), "", 1.0, None, only_view=False)

    def show_verdict(
        self, verdict: ViewVerdict, rule: str, scale: float, advice: Advice | None, *, only_view: bool
    ) -> None:
        """Show what is known of the view.

        Its ε is by this rule or a number, times the master's `scale`; `only_view`: no other one is in use.
        """
        present = verdict, rule, scale, advice, only_view
        if present == (self._verdict, self._rule, self._scale, self._advice, self._alone) and self.toolTip():
            return
        self._verdict, self._rule, self._scale, self._advice, self._alone = present
        words = self.words or "What this ε does to the view is not known yet."
        self.setToolTip(tip(words))
        self.setAccessibleName(f"Verdict on ε of {self._view}")
        self.setAccessibleDescription(words)
        self.update()

    @property
    def words(self) -> str:
        """The verdict in a sentence, or only its meaning while ε moves; empty where nothing is known."""
        regime, word = self._verdict.regime, self._verdict.word
        if regime is not None:
            return judged_in_words(regime, self._advice)
        return "" if word is None else MEANING[word]

    def show_rules(self, values: Mapping[str, float | str]) -> None:
        """Keep what the rules choose, which is told where they are far apart."""
        self._values = {rule: value for rule, value in values.items() if isinstance(value, float) and value > 0.0}

    @property
    def rules(self) -> str:
        """A sentence where the rules differ by more than a decade; else empty."""
        if len(self._values) < 2:
            return ""
        low, high = min(self._values, key=self._values.__getitem__), max(self._values, key=self._values.__getitem__)
        least, most = self._values[low], self._values[high]
        if most <= DECADE * least:
            return ""
        first, last = (get_rule(rule).title.lower() for rule in (low, high))
        return f"The rules range from {first} ({numbers.number(least)}) to {last} ({numbers.number(most)})."

    def cures(self) -> list[Cure]:
        """The cures: the rule that no single sample moves, another ε, the samples to look at, no view at all."""
        regime, view, editor = self._verdict.regime, self._view, self._editor
        if regime is None:
            return []
        offered, advice = self._recommended(regime), self._advice
        larger = float(f"{3.0 * regime.facts.epsilon / self._scale:.4g}")
        if regime.dominant and (advice is None or larger * self._scale <= advice.high):
            words = "Products then follow the other views as well."
            offered.append((f"Raise ε of {view} × 3", words, lambda: editor.set_epsilon(view, larger)))
        if far := regime.facts.far:
            names, origin = ", ".join(regime.facts.names), f"far from all others in {view}"
            words = "Selects what lies far from all other samples, in every picture."
            offered.append((f"Show {names}", words, lambda: editor.select(far, origin=origin)))
        if regime.alarming and not self._alone:
            offered.append((f"Leave {view} out", "Unticks the view.", lambda: editor.enable_view(view, False)))
        return offered

    def _recommended(self, regime: Regime) -> list[Cure]:
        """The rule or the number that is recommended, where ε ought to be another."""
        view, editor, advice = self._view, self._editor, self._advice
        moves = regime.alarming if advice is None else not (advice.here or advice.tuned)
        rule = "robust" if advice is None else advice.rule
        if not moves or (rule and rule == self._rule):
            return []
        if rule or advice is None:
            words = get_rule(rule).summary
            return [(f"Use {rule} for {view}", words, lambda: editor.set_rule(view, rule))]
        value = advice.value / self._scale
        words = f"{advice.short}. {advice.why}"
        return [(f"Set ε of {view} to {numbers.number(advice.value)}", words, lambda: editor.set_epsilon(view, value))]

    def open(self) -> None:
        """Open the card with the sentence and the cures."""
        self.opened.emit()
        if self.words:
            words = " ".join(filter(None, (self.words, self.rules)))
            role = ROLES.get(self._verdict.word or "", "muted")
            CureCard(self, words, self.cures(), "amber" if role == "amber" else "").open()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        word = self._verdict.word
        if word is None:
            return
        painter, k = QPainter(self), theme.scale()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        color = theme.current().color(ROLES[word])
        alarm = ROLES[word] == "amber"
        painter.setPen(Qt.PenStyle.NoPen if alarm else QPen(color, 1.6 * k))
        painter.setBrush(color if alarm else Qt.BrushStyle.NoBrush)
        radius = (4.5 if alarm else 3.5) * k
        painter.drawEllipse(QPointF(0.5 * self.width(), 0.5 * self.height()), radius, radius)
        painter.end()
