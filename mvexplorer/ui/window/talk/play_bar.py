"""The bar that plays a slider: what is played, from where to where, how fast, and where it stands."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.ui.pages.tune.sweep_axis import AxisChoice
from mvexplorer.ui.pages.tune.sweep_words import at_text
from mvexplorer.ui.panels.header import icon_button
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label
from mvexplorer.ui.widgets.slider import Scale, Slider

SPEEDS = {"¼ ×": 0.25, "½ ×": 0.5, "1 ×": 1.0, "2 ×": 2.0, "4 ×": 4.0}


class PlayBar(QWidget):
    """Stands above the panels while a play is open."""

    export_wanted = Signal()

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench, self.player = workbench, workbench.player
        counts, usual = (2, 240), 48  # fewest, most and usual number of values
        self.along = AxisChoice(self.player.present, counts, usual)
        self.along.list.setAccessibleName("What is played")
        self.along.list.setToolTip("The slider that moves; all else stays as it is")
        column = spaced(QVBoxLayout(self), 12, 8, 12, 0, spacing=4)
        self._make_transport(column)
        self._make_choices(column)
        self._clock = QTimer(self)
        self._clock.timeout.connect(self.player.step)
        self.along.changed.connect(self._choose)
        for field in self.along.widgets:
            if hasattr(field, "entered"):
                field.entered.connect(lambda _: self._choose())
        self.player.changed.connect(self.show_player)
        workbench.document.changed.connect(self._follow)
        self.hide()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())  # the sides keep their width

    def _make_transport(self, column: QVBoxLayout) -> None:
        row = QHBoxLayout()
        column.addLayout(row)
        row.setSpacing(8)
        self.play = QToolButton()
        self.play.setFixedWidth(theme.px(28))
        self.play.clicked.connect(self.toggle)
        self.slider = Slider(Scale(0.0, 1.0, "linear"), 0.0, "Where the play stands")
        self.slider.tell_by(self._in_words)
        self.slider.moved.connect(self._scrub)
        self.slider.released.connect(self._workbench.editor.end_drag)
        self.value = Label()
        self.value.setMinimumWidth(theme.px(72))
        self.value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.close_ = icon_button("x", "Stop playing here; Esc returns to where the play began")
        self.close_.clicked.connect(self.leave)
        row.addWidget(self.play)
        row.addWidget(self.slider, 1)
        row.addWidget(self.value)
        row.addWidget(self.close_)

    def _make_choices(self, column: QVBoxLayout) -> None:
        row = QHBoxLayout()
        column.addLayout(row)
        row.setSpacing(8)
        self.speed, self.way = QComboBox(), QComboBox()
        self.speed.addItems(list(SPEEDS))
        self.speed.setCurrentText("1 ×")
        self.speed.setAccessibleName("Speed")
        self.speed.activated.connect(lambda _: self._time())
        ways = {"Once": "once", "Loop": "loop", "Back and forth": "to and fro"}
        self.way.addItems(list(ways))
        self.way.setAccessibleName("Once, in a loop, or back and forth")
        self.way.activated.connect(lambda _: setattr(self.player, "way", ways[self.way.currentText()]))
        self.export = QPushButton("Export …")
        self.export.setToolTip("Write what is played as an animated GIF or as numbered PNG")
        self.export.clicked.connect(self.export_wanted)
        for box in (self.along.list, self.way):  # these give room before the fields lose their spacing
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            box.setMinimumContentsLength(7)  # fewest characters of a choice in sight
        row.addWidget(self.along.list)
        ends = QHBoxLayout()
        row.addLayout(ends, 1)
        self.along.fill(ends)
        for widget in (self.speed, self.way, self.export):
            row.addWidget(widget)

    # What is shown ------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Show the bar with its last settings."""
        self.along.blockSignals(True)
        self.along.offer(self._workbench.sweeper.axes())
        self.along.blockSignals(False)
        self.show()
        if not self.player.values or self.player.axis != self.along.axis:
            self._choose()
        self.show_player()

    def leave(self) -> None:
        """Stop where the play stands, and hide the bar."""
        self.player.stop()
        self.player.keep()
        self.hide()

    def give_up(self) -> None:
        """Return to where the play began, and hide the bar."""
        self.player.go_back()
        self.leave()

    def show_player(self) -> None:
        """Show where the play stands."""
        player = self.player
        self.play.setText("❚❚" if player.playing else "▶")
        words = "Pause" if player.playing else "Play"
        self.play.setToolTip(f"{words} (P)")
        self.play.setAccessibleName(words)
        last = max(1, len(player.values) - 1)
        self.slider.set_value(max(0, player.place) / last)
        self.slider.tell_by(self._in_words)
        self._time()
        self.value.setText(self._in_words(self.slider.value))
        if player.playing and not self._clock.isActive():
            self._clock.start()
        elif not player.playing:
            self._clock.stop()

    def _in_words(self, share: float) -> str:
        values = self.player.values
        return at_text(self.player.axis, values[round(share * (len(values) - 1))]) if values else "nothing to play"

    def _time(self) -> None:
        speed = SPEEDS[self.speed.currentText()]
        quickest_ms = 25  # the least time of one step
        self._clock.setInterval(max(quickest_ms, int(self.step_ms / speed)))

    @property
    def duration(self) -> int:
        """Milliseconds of one step at the chosen speed."""
        return self._clock.interval()

    @property
    def step_ms(self) -> float:
        """Milliseconds of one step at usual speed."""
        pass_ms = 6000  # how long one pass takes at usual speed
        return min(1000.0, pass_ms / max(1, len(self.player.values)))

    def _follow(self, change: Change) -> None:
        if change.data_changed:
            self.leave()

    # Doing --------------------------------------------------------------------------------------------------

    def toggle(self) -> None:
        """Play, or pause; where the bar is hidden, show it first."""
        if self.isHidden():
            self.open()
        if self.player.playing:
            self.player.stop()
        else:
            self.player.start()

    def _scrub(self, share: float) -> None:
        self.player.stop()
        self.player.scrub(round(share * (len(self.player.values) - 1)))

    def _choose(self) -> None:
        """Play between the values in the fields, where they make sense."""
        values = self.along.chosen_values()
        self.along.ends()
        if values is not None and not self.along.low.property("wrong"):
            self.player.choose(self.along.axis, values)
