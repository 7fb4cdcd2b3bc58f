"""Redundant coordinates: which tell something new, and which are harmonics of those before."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtWidgets import QPushButton

from mvexplorer.engine.analysis.independence import Independence
from mvexplorer.figures import Curves, Figure, Series
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.pictures.bends import harmonic_words
from mvexplorer.state.pictures.drawing import shown_names
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.ui.pages.check_card import CheckCard
from mvexplorer.ui.widgets.plain_text import caption
from mvexplorer.ui.widgets.plots.residual_bars import ResidualBars
from mvexplorer.wording import listed


class CoordinatesCard(CheckCard):
    """All r_k as bars, and the click to the next independent axis."""

    def __init__(self, editor: Editor) -> None:
        self._editor, self._axes = editor, (0, 1, 2)
        self._panel = ""
        self.bars = ResidualBars("How much of each coordinate the earlier ones leave untold")
        self.draw = QPushButton("Draw independent axes")
        about = (
            "r of a coordinate: the residual, the part of it that the earlier ones do not tell, by local linear "
            "regression. Small means that it is a harmonic of them, and shows nothing new."
        )
        super().__init__("", about, (self.draw,), self.bars, 224)
        self.draw.clicked.connect(lambda: editor.draw_axes(self._panel, self._axes))

    def apply_theme(self) -> None:
        """Use the current theme's colours."""
        self.bars.update()

    def show_panel(self, panel: PanelState, result: PanelResult) -> None:
        """Show the residuals of a panel, as soon as they are known."""
        self._panel, independence = panel.id, result.independence
        if independence is None or result.result is None:
            self.draw.setEnabled(False)
            self.show_empty(
                "Which coordinates tell something new: told of random walks, with the scores, once the picture "
                "is at rest."
            )
            return
        full = shown_names(result.result.embedding, panel.show)[: len(independence.residuals)]
        names = [name.removeprefix("mean ") for name in full]
        drawn = panel.axes[: panel.dims]
        self.bars.show_bars(names, [float(r) for r in independence.residuals], independence.harmonics, drawn)
        following = independence.next_axis(drawn[0])
        self._axes = (drawn[0], drawn[0] if following is None else following, panel.axes[2])
        grouped = bool(set(independence.bends) - set(independence.harmonics))
        self.draw.setEnabled(following is not None and following != drawn[1] and not grouped)
        # A late coordinate can be drawn that was not looked at.
        known = all(axis < len(names) for axis in self._axes[:2])
        words = f"Draw {names[self._axes[0]]} and {names[self._axes[1]]}" if known else "Draw independent axes"
        self.draw.setText(caption(words))
        self.show_answer(_words(names, independence, grouped=grouped), outdated=result.stale)

    def figures(self) -> tuple[Figure, ...]:
        """The bars."""
        values = np.array(self.bars.values)
        bars = Series("r", np.arange(1.0, len(values) + 1.0), np.nan_to_num(values), "bars")
        columns = {"coordinate": np.array(self.bars.names), "r": values}
        body = Curves("coordinate", "r", (bars,), whole=True)
        return (Figure("Redundant coordinates", body, self.words.toolTip(), columns),)


def _words(names: Sequence[str], answer: Independence, *, grouped: bool) -> str:
    """Name the coordinates that are harmonics, with the residual where it is one: bars have those of several."""
    harmonics = answer.harmonics
    if len(harmonics) == 1:
        return f"{harmonic_words(names, harmonics[0], float(answer.residuals[harmonics[0]]))}."
    if harmonics:
        return f"{listed([names[k] for k in harmonics])} are largely functions of the earlier ones: harmonics."
    if grouped:
        return (
            "Samples lie in separate groups: a coordinate that is level in each follows from any other one, which says "
            "nothing of a shape."
        )
    return "No coordinate is a harmonic of the earlier ones."
