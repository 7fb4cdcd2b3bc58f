"""Permutation test: does a score, and a spectrum, stand out from those with a view's rows in another order?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from mvexplorer.engine.analysis.null_band import NullBand
from mvexplorer.engine.methods import get_method
from mvexplorer.figures import Curves, Figure, Series, StripRow
from mvexplorer.state.batches.check_runs import ENOUGH, bands_of, button_words, runs_there, runs_wanted
from mvexplorer.state.batches.check_words import empty_words, null_outdated, strip_about, told_first, verdict
from mvexplorer.state.batches.checks import Checks, Found
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.ui.pages.check_card import CheckCard, ChoiceBox, scrolled
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plots.figure_view import FigureView
from mvexplorer.ui.widgets.plots.strip_plot import StripPlot


class NullCard(CheckCard):
    """Bands beside score and spectrum, that tighten as runs come."""

    def __init__(self, editor: Editor, checks: Checks) -> None:
        self._editor, self._checks = editor, checks
        self._panel, self._explained, self._found = "", "", checks.of("")
        self.view = ChoiceBox("View that is shuffled", {"": "All views in turn"}, 160)
        self.shuffle = ChoiceBox("How it is shuffled", {"rows": "All rows"}, 132)
        self.run = QPushButton()
        self.strips = StripPlot("Score beside those of shuffled data")
        self.spectrum = FigureView()
        body = QWidget()
        row = spaced(QHBoxLayout(body), 0, 0, 0, 0, spacing=8)
        row.addWidget(scrolled(self.strips), 3)
        row.addWidget(self.spectrum, 2)
        about = (
            "The rows of one view are put into another order, and the picture is recomputed: what is left of the "
            "score then is chance. The line is the real score, each dot one shuffle."
        )
        super().__init__("", about, (self.view, self.shuffle, self.run), body, 320)
        self.view.activated.connect(lambda _: editor.choose_checks(view=self.view.value))
        self.shuffle.activated.connect(lambda _: editor.choose_checks(shuffle=self.shuffle.value))
        self.run.clicked.connect(self.click)
        self.strips.chosen.connect(self._choose_row)

    def apply_theme(self) -> None:
        """Use the current theme's colours."""
        self.strips.update()
        self.spectrum.apply_theme()

    # What is shown ------------------------------------------------------------------------------------------

    def show_panel(self, panel: PanelState, result: PanelResult, reason: str, bursts: Mapping[str, str]) -> None:
        """Show a panel's answers; `reason` says why it cannot be tested, `bursts` how it could be shuffled."""
        if panel.id != self._panel:
            self._panel, self._explained = panel.id, ""
        choices, self._found = self._editor.state.checks, self._checks.of(panel.id)
        method = get_method(panel.method)
        one_view, reason = method.max_views == 1, method.no_null or reason
        views = () if result.result is None or one_view else result.result.embedding.views
        self.view.offer({"": "Labels"} if one_view else {"": "All views in turn", **{view: view for view in views}})
        self.view.show_value(choices.view)
        self.view.setEnabled(not one_view and not reason)
        self.shuffle.offer({"rows": "All rows", **bursts})
        self.shuffle.show_value(choices.shuffle)
        self.shuffle.setEnabled(not one_view and not reason)
        self._show_button(reason)
        self._show_found(self._found, reason or self._found.problem, one_view=one_view)

    @property
    def _running(self) -> bool:
        """True if a permutation test runs; stability does not count."""
        return "null" in self._found.computing

    def _bands(self) -> dict[str, NullBand]:
        """The bands of the views that are chosen, in the order of the views."""
        return bands_of(self._found, self.view.value, [self.view.itemData(i) for i in range(1, self.view.count())])

    def _show_found(self, checks: Found, problem: str, *, one_view: bool) -> None:
        by_view = self._bands()
        bands = list(by_view.values())
        if not bands:
            running = f"Shuffling … {checks.done} of {checks.total} runs." if self._running else ""
            self.show_empty(problem or running or empty_words(one_view=one_view))
            return
        band = by_view[self._explained if self._explained in by_view else told_first(by_view)]
        self.strips.show_strips([_strip(each) for each in bands], bands.index(band), _axis(band))
        self._show_spectrum(band)
        progress = f"{band.n} runs so far. " if self._running else ""
        self.show_answer(progress + (problem or band.words), outdated=self._outdated)

    def _show_spectrum(self, band: NullBand) -> None:
        """Draw the eigenvalues of one view's test with the range of the shuffled ones."""
        self.spectrum.setVisible(bool(len(band.eigenvalues)) and bool(band.view))
        self.spectrum.show_figure(_spectrum(band))

    def figures(self) -> tuple[Figure, ...]:
        """The strips, and the eigenvalues of the test that is explained."""
        strips = Figure("Permutation test", self.strips.body, self.words.toolTip())
        spectrum = None if self.spectrum.isHidden() else self.spectrum.figure
        return (strips,) if spectrum is None else (strips, spectrum)

    def _choose_row(self, row: int) -> None:
        self._explained = list(self._bands())[row]
        self._show_found(self._found, self._found.problem, one_view=not self.view.isEnabled())

    # Running ------------------------------------------------------------------------------------------------

    @property
    def _outdated(self) -> bool:
        return null_outdated(self._found, self.shuffle.value)

    @property
    def runs(self) -> int:
        """The number of runs that every chosen view has, for the present settings."""
        return runs_there(self._bands(), stale=self._outdated)

    @property
    def _wanted(self) -> int:
        """The number of runs that a click asks for."""
        return runs_wanted(self.runs, self._editor.state.checks)

    def _show_button(self, reason: str) -> None:
        wanted, runs = self._wanted, self.runs
        words = button_words(runs, wanted) or f"{runs} runs"
        more = f" ({wanted} in all)" if runs and wanted else ""
        self.run.setText("Stop" if self._running else f"{words}{more}")
        self.run.setEnabled(self._running or (not reason and wanted > 0))
        self.run.setToolTip(
            "Stop; what is found so far stays"
            if self._running
            else "Ten shuffles say how wide chance is; nineteen let p reach .05"
        )

    @property
    def lacks(self) -> bool:
        """Whether there are too few runs for p to reach .05, and more can be run."""
        return self.run.isEnabled() and not self._running and self.runs < ENOUGH

    def ask(self) -> None:
        """Run as many as let p reach .05, unless those are there or are running."""
        if self.lacks:
            self._start(max(self._wanted, ENOUGH))

    def click(self) -> None:
        """Run the runs that the button names, or stop."""
        if self._running:
            self._checks.stop(self._panel)
            return
        wanted = self._wanted
        if wanted != self._editor.state.checks.runs:
            self._editor.choose_checks(runs=wanted)
        self._start(wanted)

    def _start(self, n: int) -> None:
        view, shuffle = self.view.value or None, self.shuffle.value
        self._editor.attempt(lambda: self._checks.null_test(self._panel, view, n, shuffle))


def _spectrum(band: NullBand) -> Figure:
    """The eigenvalues with the range from the least to the largest of the shuffled ones."""
    table = np.where(np.isfinite(band.shuffled_eigenvalues), band.shuffled_eigenvalues, band.eigenvalues)
    low, high = (table.min(axis=0), table.max(axis=0)) if len(table) else (band.eigenvalues, band.eigenvalues)
    k = np.arange(1.0, len(band.eigenvalues) + 1.0)
    series = Series("eigenvalues", k, band.eigenvalues, "points", band=np.column_stack([k, low, high]))
    words = f"the band is their range with {band.view} shuffled"
    body = Curves("index k of the eigenvalue λ", "λ", (series,), whole=True)
    return Figure(f"Eigenvalues beside those with {band.view} shuffled", body, words)


def _strip(band: NullBand) -> StripRow:
    """The row of a view: its score or, where nothing is scored, how far the picture moves."""
    name = band.view or "labels"
    if band.real is None:
        return StripRow(name, band.resampled, tuple(band.disagreement.tolist()), verdict(band), strip_about(band))
    return StripRow(name, band.real, tuple(band.shuffled.tolist()), verdict(band), strip_about(band))


def _axis(band: NullBand) -> tuple[str, str]:
    """The title of the strips' scale, and the name of their lines."""
    if band.real is None:
        return "fraction of nearest neighbours changed (dots: by a shuffle)", "resampling"
    return f"{band.score_name} (dots: shuffled)", "observed"
