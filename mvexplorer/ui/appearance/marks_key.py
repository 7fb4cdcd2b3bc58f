"""The key to the marks that points have now, in a few words below the legend."""

from __future__ import annotations

from collections.abc import Iterable

from mvexplorer.state.document.colour_titles import colour_meaning
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.panel_result import Drawing
from mvexplorer.ui.cloud.rasteriser import RINGED
from mvexplorer.ui.widgets.plain_text import Label, tip


class MarksKey(Label):
    """Names the marks, each explained in the tooltip; hidden while there are none."""

    def __init__(self) -> None:
        super().__init__(role="muted", wraps=True)
        self.hide()

    def show_marks(self, marks: Iterable[tuple[str, str]]) -> None:
        """Show these marks: what each is called, and what it tells."""
        marks = list(marks)
        self.setText("  ·  ".join(words for words, _ in marks))
        self.setToolTip(tip("\n".join(about for _, about in marks)))
        self.setVisible(bool(marks))


def marks_on_show(state: DocumentState, drawings: Iterable[Drawing]) -> list[tuple[str, str]]:
    """The marks that points have now, beside their colours."""
    drawings = list(drawings)
    marks = []
    if meaning := colour_meaning(state.colour):
        about = "0: both views step to the same samples; 1: to none that is the same. Their reach is matched first."
        marks.append((f"colour: {meaning}", about))
    if state.selection:
        few = len(state.selection) <= RINGED
        about = f"{'Samples with a thin ring' if few else 'Samples in colour'} are selected; the others are grey."
        marks.append((f"{'ring' if few else 'grey'}: {'' if few else 'not '}selected", about))
    if state.point.kept is not None:
        marks.append(("double ring: kept sample", "The sample with a double ring is the one whose card is kept below."))
        if state.point.within:
            about = "Samples within an outline lie within σ of the kept sample; lines are the likely steps from it."
            marks.append(("outline: within σ", about))
    if any(drawing.unplaced for drawing in drawings):
        about = "A hollow point is a sample without coordinates in that picture; it stands on the rim."
        marks.append(("hollow: no coordinates", about))
    if any(drawing.edge for drawing in drawings):
        about = "A point with a short line outwards lies beyond the frame, which leaves out the outermost samples."
        marks.append(("short line: beyond the frame", about))
    return marks
