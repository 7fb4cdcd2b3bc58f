"""The score of each panel over a factor on its ε, before and after each is given its own."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from mvexplorer.compute.batch.tuning import score_text
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.figures import Figure
from mvexplorer.state.batches.own_epsilon import OwnEpsilon
from mvexplorer.state.batches.own_figure import own_figure
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.model import sharing
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.ui.pages.tune.curve_names import CurveNames
from mvexplorer.ui.pages.tune.pane import Pane
from mvexplorer.ui.pages.tune.shared_axis import ends_of_factor
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import Label, line, tip
from mvexplorer.ui.widgets.plots.bandwidth_plot import BandwidthPlot
from mvexplorer.ui.widgets.plots.looks import curve_look
from mvexplorer.wording import short_factor

TITLE = "Score of each panel over its ε"
NONE = "Score each panel over its ε: what the best factor would gain, and the spread of the score."


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
        """The scores at the present settings."""
        self._shown: dict[str, OwnEpsilon] = {}
        self._of: tuple[MultiView | None, float] = None, 1.0
        """The data of which these are, and the factor on all ε at which they were scored."""
        self.words = Label(role="muted", wraps=True)
        self.run = QPushButton("Score all panels")
        self.run.clicked.connect(lambda: self._tuner.stop() if self._tuner.busy else self._tuner.look())
        self.column.addWidget(self.words)
        self.column.addWidget(self.run, 0, Qt.AlignmentFlag.AlignLeft)
        self.column.addStretch(1)
        self.plot.dragged.connect(self._dragged)
        self._tuner.changed.connect(self.something_changed)

    def refresh(self) -> None:
        """Show the scores of the panels at their present settings; former ones stay, and are said to be former."""
        if not self.isVisible():
            return
        now = self._read()
        data, scale = self._of
        if data is not self._workbench.document.data:
            self._shown = {}
        self.run.setText("Stop" if self._tuner.busy else "Score all panels")
        self.run.setEnabled(bool(self._tuner.score))
        self.words.setText(self._in_words(now=bool(now)))
        self.legend.setText(_legend(self._shown))
        self.legend.setToolTip(tip("\n".join(f"{title}: {one.sentence}" for title, one in self._shown.items())))
        if not self._shown:
            self.show_waiting("scoring …" if self._tuner.busy else self._problems() or NONE)
            return
        figure = self.figure or own_figure(self._shown, scale, ends_of_factor(self._workbench.controller))
        self.plot.show_figure(figure)
        self.plot.show_here(self._editor.state.epsilon_scale)
        self.show_plot()

    def _read(self) -> dict[str, OwnEpsilon]:
        """Read the scores of the present settings, and make the figure of them; former ones stay on show."""
        now, scale = self._own(), self._editor.state.epsilon_scale
        self.figure = None
        if now:
            self._shown, self._of = now, (self._workbench.document.data, scale)
            self.figure = own_figure(now, scale, ends_of_factor(self._workbench.controller))
        return now

    def to_file(self) -> Figure | None:
        """The figure at the present settings; None where nothing is known of them."""
        self._read()
        return self.figure

    def _in_words(self, *, now: bool) -> str:
        """Say by which score, and what has become of it."""
        if not self._shown:
            return ""
        basis = next(iter(self._shown.values())).judge.basis
        told = basis[:1].upper() + basis[1:]
        former = "" if now else "\nε has changed: score again."
        problems = self._problems() if now else ""
        return f"{told}{former}" + (f"\n{problems}" if problems else "")

    def _problems(self) -> str:
        """Say why panels have no score."""
        state, titles = self._editor.state, self._titles()
        problems = {titles[panel.id]: self._tuner.problem(panel) for panel in state.shown}
        return "\n".join(f"{title}: {error}" for title, error in problems.items() if error is not None)

    def _titles(self) -> dict[str, str]:
        return panel_titles(sharing(self._editor.state))

    def _own(self) -> dict[str, OwnEpsilon]:
        """The scores by the score that chooses now of the panels on show, by their titles at the shared ε."""
        titles, each = self._titles(), dict[str, OwnEpsilon]()
        for panel in self._editor.state.shown:
            one = self._tuner.own(panel)
            if one is not None and one.judge.score == self._tuner.score:
                each[titles[panel.id]] = one
        return each

    def _meaning(self, number: int, index: int) -> str:
        title, own = [*self._shown.items()][number]
        tried = own.scale.tried[index]
        torn = ", graph in pieces" if tried.torn else ""
        value = "no picture" if tried.score is None else f"{own.judge.title} {score_text(tried.score)}"
        return f"{title} at ε × {short_factor(tried.place)}: {value}{torn}"

    def _dragged(self, scale: float, moving: bool) -> None:
        """Move all ε with the line."""
        if moving:
            self._editor.set_scale(float(f"{scale:.4g}"), interactive=True)
        else:
            self._editor.end_drag()


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
