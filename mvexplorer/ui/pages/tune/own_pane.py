"""The score of each panel over a factor on its ε, before and after each is given its own."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from mvexplorer.figures import Figure
from mvexplorer.state.batches.own_epsilon import OwnEpsilon
from mvexplorer.state.batches.own_figure import own_figure
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.titles import panel_title
from mvexplorer.ui.pages.tune.curve_names import CurveNames
from mvexplorer.ui.pages.tune.pane import Pane
from mvexplorer.ui.pages.tune.shared_axis import ends_of_factor
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import Label, line, tip
from mvexplorer.ui.widgets.plots.bandwidth_plot import BandwidthPlot
from mvexplorer.ui.widgets.plots.looks import curve_look
from mvexplorer.wording import short_factor

TITLE = "Score of each panel over its ε"
NONE = "Score each panel along its ε: what the best factor would gain, beside the spread of the score."


class OwnPane(Pane):
    """Curves of the panels that were scored at their present settings; nothing is computed without a click."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench, self._tuner, self._editor = workbench, workbench.tuner, workbench.editor
        self.plot = BandwidthPlot("Scores of the panels over a factor on ε", self._meaning)
        names = CurveNames()
        self.legend = names.legend
        about = "The score that chooses under Tune, along the factor on a panel's ε; the band is its spread."
        super().__init__(self.plot, TITLE, about, (), milliseconds=20, right=names)
        self.figure: Figure | None = None
        self.words = Label(role="muted", wraps=True)
        self.run = QPushButton("Score all panels")
        self.run.clicked.connect(lambda: self._tuner.stop() if self._tuner.busy else self._tuner.look())
        self.column.addWidget(self.words)
        self.column.addWidget(self.run, 0, Qt.AlignmentFlag.AlignLeft)
        self.column.addStretch(1)
        self.plot.dragged.connect(self._dragged)
        self._tuner.changed.connect(self.something_changed)

    def refresh(self) -> None:
        """Show what is known of the panels at their present settings."""
        if not self.isVisible():
            return
        own = self._own()
        self.run.setText("Stop" if self._tuner.busy else "Score all panels")
        self.run.setEnabled(bool(self._tuner.score))
        self.words.setText("" if not own else next(iter(own.values())).judge.basis.capitalize())
        self.legend.setText(_legend(own))
        self.legend.setToolTip(tip("\n".join(f"{title}: {one.sentence}" for title, one in own.items())))
        self.figure = own_figure(own, ends_of_factor(self._workbench.controller)) if own else None
        if self.figure is None:
            self.show_waiting("scoring …" if self._tuner.busy else NONE)
            return
        self.plot.show_figure(self.figure)
        self.plot.show_here(1.0)
        self.show_plot()

    def _own(self) -> dict[str, OwnEpsilon]:
        """The scores known of the panels on show, by their titles at the shared ε."""
        state = self._workbench.document.state
        each = {}
        for panel in state.shown:
            if (one := self._tuner.own(panel)) is not None:
                each[panel_title(state, panel.model_copy(update={"epsilon_scale": 1.0}))] = one
        return each

    def _meaning(self, number: int, index: int) -> str:
        if self.figure is None:
            return ""
        title, own = [*self._own().items()][number]
        tried = own.scale.tried[index]
        torn = ", torn there" if tried.torn else ""
        value = "no picture" if tried.score is None else f"{own.judge.title} {tried.score.value:.3f}"
        return f"{title} at ε × {short_factor(tried.place)}: {value}{torn}"

    def _dragged(self, factor: float, moving: bool) -> None:
        """Move all ε with the line, which stands at the shared ones."""
        if moving:
            return
        self._editor.set_scale(float(f"{self._editor.state.epsilon_scale * factor:.4g}"))


def _legend(own: dict[str, OwnEpsilon]) -> str:
    """A line a panel: its best factor that gains more than the spread, and its score at the shared ε."""
    small = f"color:{theme.current().muted}; font-size:{theme.px(theme.SMALL_PX)}px"
    lines = []
    for place, (title, one) in enumerate(own.items()):
        look, scale = curve_look(place), one.scale
        stays = scale.factor == 1.0
        words = "stays" if stays else f"best at ε × {short_factor(scale.factor)}"
        glyph = f"<span style='color:{look.color}'>{look.glyph}</span>"
        lines.append(f"{glyph} {escape(line(title, 28))} <span style='{small}'>{escape(words)}</span>")
    return "<br>".join(lines)
