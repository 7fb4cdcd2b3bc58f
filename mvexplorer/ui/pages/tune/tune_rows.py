"""The rows of all ticked views over one axis, with the maps of their pairs, and the axis below them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from mvexplorer.compute.jobs.runner import ViewCurves
from mvexplorer.engine.bandwidth.regimes import Regime
from mvexplorer.figures import Figure, LabelledLine
from mvexplorer.state.bench.epsilon_advice import Advice
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.model import panel_kernel
from mvexplorer.state.questions.verdicts import ViewVerdict
from mvexplorer.ui.controls.verdict_dot import ROLES
from mvexplorer.ui.pages.tune.figures_over_epsilon import (
    AXIS,
    coarse_map,
    growth_figure,
    marked,
    pair_figure,
    row_figure,
    rule_markers,
)
from mvexplorer.ui.pages.tune.legends import GROWTH_MEANING, GROWTH_WORDS
from mvexplorer.ui.pages.tune.tune_row import HIGHEST, LOWEST, TuneRow
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, retire, tip
from mvexplorer.ui.widgets.plots.bandwidth_plot import AxisStrip, BandwidthPlot, Marker, axis_position
from mvexplorer.ui.widgets.plots.pair_surface import PairMap, PairSurface
from mvexplorer.ui.widgets.plots.plot_cell import Beside

MOST_ROWS = 16
"""Rows beyond which no more are made: of hundreds of views nobody looks at all."""
MOST = 8
"""Views beyond which pairs are shown one at a time: maps of more could not be told apart."""


class TuneRows(QWidget):
    """Shows each view's curve and maps as far as they are known; what the hand does is told."""

    chosen = Signal(str)
    rule_chosen = Signal(str, str)
    """A view, and the rule that was clicked."""
    dragged = Signal(str, float, bool)
    """A view, where its line is on the axis, and whether the hand is still moving."""
    pair_chosen = Signal(str, str)
    pair_dragged = Signal(str, str, float, float, bool)
    """The views across and up, where their lines are, and whether the hand is still moving."""

    def __init__(self, workbench: Workbench, parent: QWidget) -> None:
        super().__init__(parent)
        self._workbench, self._controller, self._analyser = workbench, workbench.controller, workbench.analyser
        self._scores = workbench.view_scores
        self.rows: dict[str, TuneRow] = {}
        """The rows by the views' names."""
        self._paired: tuple[str, ...] = ()
        """The views that have maps: those with an ε."""
        self.drawn = Drawn()
        column = spaced(QVBoxLayout(self), 0, 0, 0, 0, spacing=2)
        self._box = spaced(QVBoxLayout(), 0, 0, 0, 0, spacing=2)
        column.addLayout(self._box)
        self._strip = AxisStrip(AXIS)
        self._axis = Beside(self._strip)
        self._axis.show_plot()
        about = QLabel(GROWTH_WORDS)
        about.setToolTip(tip(GROWTH_MEANING))
        about.setProperty("role", "muted")
        self._axis.column.addWidget(about)
        self.more = Label(role="muted")
        self._axis.column.addWidget(self.more)
        self._axis.column.addStretch(1)
        column.addWidget(self._axis)

    def align(self, left: int, right: int, height: int) -> None:
        """Give all plots one place, and the rows the height that there is for them."""
        for each in (*self.rows.values(), self._axis):
            each.align(left, right)
        room = height // max(1, len(self.rows))
        for row in self.rows.values():
            row.setFixedHeight(theme.px(min(max(room, LOWEST), HIGHEST)))

    def apply_theme(self) -> None:
        """Use the current theme's colours."""
        self._strip.apply_theme()
        for row in self.rows.values():
            row.apply_theme()

    # The rows -----------------------------------------------------------------------------------------------

    def make(self, names: list[str]) -> bool:
        """Make a row for each of the first of these views; False where they are there."""
        paired = tuple(name for name in names if self.has_epsilon(name)) if len(names) <= MOST else ()
        self.more.setText("" if len(names) <= MOST_ROWS else f"{MOST_ROWS} of {len(names)} ticked views")
        names = names[:MOST_ROWS]
        if ([*self.rows], self._paired) == (names, paired):
            return False
        for row in self.rows.values():
            self._box.removeWidget(row)
            retire(row)
        self.rows, self.drawn, self._paired = {}, Drawn(), paired
        for name in names:
            above = paired[: paired.index(name)] if name in paired else ()
            self.rows[name] = row = TuneRow(name, above, len(paired) if name in paired else 0)
            row.chosen.connect(lambda name=name: self.chosen.emit(name))
            row.plot.dragged.connect(lambda at, moving, name=name: self.dragged.emit(name, at, moving))
            row.plot.rule_chosen.connect(lambda rule, name=name: self.rule_chosen.emit(name, rule))
            for other, small in row.maps.items():
                self._connect_map(small, other, name)
            self._box.addWidget(row)
        return True

    def _connect_map(self, small: PairMap, across: str, up: str) -> None:
        small.dragged.connect(lambda a, b, moving: self.pair_dragged.emit(across, up, a, b, moving))
        small.clicked.connect(lambda: self.pair_chosen.emit(across, up))

    def of(self, names: list[str]) -> bool:
        """Whether the rows are those of these views."""
        return bool(self.rows) and [*self.rows] == names[:MOST_ROWS]

    def show_curves(self) -> None:
        """Show the views' curves and maps, as far as they are known, and ask for what is missing."""
        for view, row in self.rows.items():
            self._show_row(view, row)

    def _show_row(self, view: str, row: TuneRow) -> None:
        facts, scored = self._analyser.of(view), self._scores.of(view)
        if facts.stale:
            self._analyser.ask(view)
        if facts.problem or facts.curves is None:
            row.show_waiting(facts.problem or "computing log S …")
            for small in row.maps.values():
                self._clear(small)
            return
        if not facts.coarse and not facts.stale:
            self._scores.ask(view)
        if self.drawn.is_new(row, (facts.curves, scored)):  # a drag moves only the marker
            row.plot.show_figure(row_figure(growth_figure(view, facts.curves, scored)))
        row.show_plot()
        for other, small in row.maps.items():
            pair = self.pair_of(other, view)
            if pair is None:
                self._clear(small)
            elif self.drawn.is_new(small, pair):
                title = f"Pair {other} (across) and {view} (up): click to see it large"
                small.show_figure(Figure(title, coarse_map(*pair)))

    def _clear(self, small: PairMap) -> None:
        if small.figure is not None:
            small.clear()
            self.drawn.forget(small)

    def pair_of(self, first: str, second: str) -> tuple[ViewCurves, ViewCurves] | None:
        """Return the curves of two views of the same samples; None until both are known."""
        facts = [self._analyser.of(view) for view in (first, second)]
        one, other = (each.curves for each in facts)
        if one is None or other is None or any(each.problem for each in facts):
            return None
        same = one.growth.row_sums.shape[1] == other.growth.row_sums.shape[1]
        return (one, other) if same else None  # else one is still of a subsample or of former samples

    def frame(self, pair: set[str]) -> None:
        """Frame the map of the pair that is shown large; of none where it is not."""
        for name, row in self.rows.items():
            for other, small in row.maps.items():
                small.choose({name, other} == pair)

    # Where ε is ---------------------------------------------------------------------------------------------

    def show_here(
        self, verdicts: Mapping[str, ViewVerdict], explained: str, others: Sequence[BandwidthPlot] = ()
    ) -> None:
        """Show the lines at ε, the rules and the verdicts in all rows; those of a view in other plots as well."""
        here, advice = {view: self.here(view) for view in self.rows}, self._workbench.advice.now(verdicts)
        for view, row in self.rows.items():
            verdict, markers = verdicts.get(view, ViewVerdict()), self.markers(view)
            stretches = [(log10(a), log10(b), ROLES[word]) for a, b, word in verdict.track]
            for plot in (row.plot, *(others if view == explained else ())):
                plot.show_here(here[view])
                plot.show_markers(markers)
                plot.show_stretches(stretches)
            for other, small in row.maps.items():
                cross(small, here[other], here[view])
            row.name.setChecked(view == explained)
            self._tell(view, row, verdict, advice.get(view))

    def _tell(self, view: str, row: TuneRow, verdict: ViewVerdict, advice: Advice | None) -> None:
        """Tell a view's ε, its verdict, and what is recommended."""
        epsilon, regime = self._epsilon(view), verdict.regime
        if not self.has_epsilon(view):
            kind = panel_kernel(self._workbench.document.state, None, view).kind
            row.show_words("", f"{kind.title}: no ε to choose", "", "", "", alarming=False)
            return
        words = "" if advice is None else advice.short
        step = next((step for step in self._workbench.tuner.coming if step.view == view), None)
        row.show_words(
            "" if epsilon is None else f"ε {numbers.number(epsilon)}",
            (verdict.word or "").capitalize() if regime is None else _in_short(regime),
            "" if regime is None else regime.sentence,
            words if step is None else step.sentence.removeprefix(view).lstrip(": "),
            "" if advice is None or step is not None else f"{words}. {advice.why}",
            alarming=regime is not None and regime.alarming,
        )

    def markers(self, view: str) -> list[Marker]:
        """Return the values of a view's rules that are known, from left to right."""
        median = self._controller.median(view) or 1.0
        if not self.has_epsilon(view):
            return []
        return rule_markers(self._controller, view, lambda value: axis_position(value, median), "Click to use it.")

    def here(self, view: str) -> float | None:
        """Return where a view's ε is on the axis; None until that is known, and where its kernel has none."""
        epsilon, median = self._epsilon(view), self._controller.median(view) if view else None
        return None if epsilon is None or median is None else axis_position(epsilon, median)

    def _epsilon(self, view: str) -> float | None:
        return self._controller.effective_epsilon(view) if view and self.has_epsilon(view) else None

    def has_epsilon(self, view: str) -> bool:
        """Whether a view's kernel has an ε."""
        return panel_kernel(self._workbench.document.state, None, view).kind.uses_epsilon

    # Files --------------------------------------------------------------------------------------------------

    def figures(self) -> list[Figure]:
        """All rows and all pairs that are known, for files."""
        each = list[Figure]()
        for view in self.rows:
            curves = self._analyser.of(view).curves
            if curves is not None:
                each.append(marked(growth_figure(view, curves, self._scores.of(view)), self.marks(view)))
        for second, row in self.rows.items():
            for first in row.maps:
                pair = self.pair_of(first, second)
                each += [] if pair is None else [pair_figure((first, second), *pair)]
        return each

    def has_map(self, first: str, second: str) -> bool:
        """Whether a pair has a map, whichever of the two lies across."""
        return any({first, second} == {name, other} for name, row in self.rows.items() for other in row.maps)

    def marks(self, view: str) -> list[LabelledLine]:
        """Return the rules of a view and its ε as lines."""
        here = self.here(view)
        marks = [LabelledLine(marker.position, marker.letter, None) for marker in self.markers(view)]
        return marks if here is None else [*marks, LabelledLine(here, "ε", 0)]


class Drawn:
    """Of what each plot was drawn last."""

    def __init__(self) -> None:
        self._of: dict[object, tuple[object, ...]] = {}

    def is_new(self, plot: object, drawn: tuple[object, ...]) -> bool:
        """Whether a plot was drawn of something else; it counts as drawn of this now."""
        if self.shows(plot, drawn):
            return False
        self._of[plot] = drawn
        return True

    def forget(self, plot: object) -> None:
        """Let a plot be drawn of nothing."""
        self._of.pop(plot, None)

    def shows(self, plot: object, drawn: tuple[object, ...]) -> bool:
        """Whether a plot was drawn of identical objects, or equal names."""
        before = self._of.get(plot, ())
        equal = (a is b or (isinstance(a, str) and a == b) for a, b in zip(drawn, before, strict=False))
        return len(drawn) == len(before) and all(equal)


def cross(surface: PairSurface, across: float | None, up: float | None) -> None:
    """Move the lines of a pair to both ε; without one of them there are none."""
    surface.show_here(None if across is None or up is None else (across, up))


def _in_short(regime: Regime) -> str:
    """A verdict in a few words, and how many neighbours a sample has."""
    facts = regime.facts
    n = facts.neighbours
    return f"{regime.short} · {f'{n:,.0f}' if n >= 100 else numbers.number(n)} neighbours of {facts.others:,}"
