"""One picture turning into another: a small picture with a slider from the first to the second."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from mvexplorer.engine.spectral.alignment import Aligned
from mvexplorer.errors import DataError
from mvexplorer.figures import Figure, PointCloud
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.comparison import ALIGNMENTS
from mvexplorer.ui.cloud.canvas import EmbeddingCanvas
from mvexplorer.ui.cloud.look import point_style
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, Name, sentence, tip
from mvexplorer.ui.widgets.slider import Scale, Slider

FRAME_MS = 16
RESIDUAL = (
    "Root mean square distance between the aligned pictures as drawn, relative to the root mean square radius of the "
    "second: 0 is a perfect fit, 1 no better than the centre of the second."
)


class Morph(QWidget):
    """The pair of the comparer, the first picture laid upon the second as the document says."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench, self._comparer = workbench, workbench.comparer
        self._laid: Aligned | None = None
        self.share = 0.0
        """0 shows the first picture, 1 the second."""
        column = spaced(QVBoxLayout(self), 0, 0, 0, 0, spacing=4)
        self.title = Name(role="section")
        column.addWidget(self.title)
        self.residual = Name(role="muted")
        column.addWidget(self.residual)
        self.canvas = EmbeddingCanvas()
        self.canvas.setAccessibleName("From the first picture to the second")
        self.canvas.selected.connect(self._select)
        column.addWidget(self.canvas, 1)
        self.problem = Label(role="muted", wraps=True)
        self.problem.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.addWidget(self.problem, 1)
        self._make_scrub(column)
        self._make_alignment(column)
        self._clock = QTimer(self, interval=FRAME_MS)
        self._clock.timeout.connect(self._advance)

    def _make_scrub(self, column: QVBoxLayout) -> None:
        row = QHBoxLayout()
        column.addLayout(row)
        row.setSpacing(8)
        self.play = QToolButton()
        self.play.setText("▶")
        self.play.setToolTip("Turn the first picture into the second")
        self.play.setAccessibleName("Play")
        self.play.clicked.connect(self.toggle)
        self.slider = Slider(Scale(0.0, 1.0, "linear"), 0.0, "From the first picture to the second")
        self.slider.tell_by(lambda share: f"{100 * share:.0f} %")
        self.slider.moved.connect(self._scrub)
        self.slider.reset.connect(lambda: self._scrub(0.0))
        row.addWidget(self.play)
        row.addWidget(self.slider, 1)

    def _make_alignment(self, column: QVBoxLayout) -> None:
        row = QHBoxLayout()
        column.addLayout(row)
        row.setSpacing(8)
        self.how = QComboBox()
        self.how.setAccessibleName("Alignment of the first picture with the second")
        for how, words in ALIGNMENTS.items():
            self.how.addItem(words, how)
        self.how.activated.connect(self._align)
        self.how.setMinimumContentsLength(8)
        self.how.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        row.addWidget(Label("Align"))
        row.addWidget(self.how, 1)

    def sizeHint(self) -> QSize:
        return QSize(280, 200)

    # What is shown ------------------------------------------------------------------------------------------

    def show_pair(self) -> None:
        """Lay the first picture upon the second again, and show them as the panels look."""
        state, data = self._workbench.document.state, self._workbench.document.data
        self.how.setCurrentIndex(list(ALIGNMENTS).index(state.comparison.alignment))
        titles = self._comparer.titles
        self.title.set_words(" → ".join(titles[id] for id in self._comparer.pair or ()))
        try:
            self._laid = self._comparer.laid()
            said = f"Procrustes residual {numbers.fraction(self._laid.residual)}"
        except DataError as error:
            self._laid, said = None, ""
            self.problem.setText(sentence(f"{error.message} {error.hint}"))
        self.residual.set_words(said)
        self.residual.setToolTip(tip(RESIDUAL))
        self.canvas.setVisible(self._laid is not None)
        self.problem.setVisible(self._laid is None)
        for widget in (self.play, self.slider):
            widget.setEnabled(self._laid is not None)
        if data is not None and self._laid is not None:
            self.canvas.set_look(point_style(state, self._workbench.derived.resolve(state.colour), data.n_samples))
        self._show()

    def _show(self) -> None:
        """Draw what lies between the two pictures."""
        if self._laid is None:
            self._stop()
            self.canvas.show_points(None)
            return
        was_3d = self.canvas.is_3d
        both = np.abs(np.nan_to_num([self._laid.moved, self._laid.reference]))
        fit = 1.0 / max(1.0, float(both.max(initial=0.0)))  # neither end leaves the frame
        between = (1.0 - self.share) * self._laid.moved + self.share * self._laid.reference
        self.canvas.show_points(fit * between)
        if self.canvas.is_3d != was_3d:
            self.canvas.fit()

    def figure(self) -> Figure | None:
        """The cloud between the two pictures, for a file; None where they cannot be laid upon each other."""
        if self._laid is None:
            return None
        between = (1.0 - self.share) * self._laid.moved + self.share * self._laid.reference
        words = f"{100 * self.share:.0f} % of the way, {self.residual.accessibleName()}"
        return Figure(self.title.accessibleName(), PointCloud(between), words)

    def apply_theme(self) -> None:
        """Draw the points in the theme's colours."""
        self.play.setFont(theme.font(theme.px(theme.SMALL_PX)))

    # Moving -------------------------------------------------------------------------------------------------

    def _scrub(self, share: float) -> None:
        self._stop()
        self._go_to(share)

    def _go_to(self, share: float) -> None:
        self.share = min(max(share, 0.0), 1.0)
        self.slider.set_value(self.share)
        self._show()

    def toggle(self) -> None:
        """Play from here, from the beginning where this is the end; or stop."""
        if self._clock.isActive():
            self._stop()
            return
        if self.share >= 1.0:
            self._go_to(0.0)
        self._clock.start()
        self.play.setText("❚❚")

    @property
    def playing(self) -> bool:
        """True if the picture moves by itself."""
        return self._clock.isActive()

    def _advance(self) -> None:
        lasts_ms = 1600  # milliseconds from one picture to the other
        self._go_to(self.share + FRAME_MS / lasts_ms)
        if self.share >= 1.0:
            self._stop()

    def _stop(self) -> None:
        self._clock.stop()
        self.play.setText("▶")

    def hideEvent(self, event: QHideEvent) -> None:
        self._stop()
        super().hideEvent(event)

    # Commands -----------------------------------------------------------------------------------------------

    def _align(self, place: int) -> None:
        how = str(self.how.itemData(place))
        self._workbench.editor.change_comparison(f"Align: {self.how.itemText(place)}", alignment=how)

    def _select(self, indices: object, operation: str) -> None:
        rows = [int(i) for i in indices]  # type: ignore[attr-defined] # an array of rows
        origin = f"lasso in {self.title.accessibleName()}"
        self._workbench.editor.select(rows, operation, origin=origin)  # type: ignore[arg-type]
