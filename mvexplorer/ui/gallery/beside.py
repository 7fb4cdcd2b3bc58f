"""The column beside an open experiment: what it is, what to look for, its bars now and by a run, and its knob."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.experiments.desk import ExperimentDesk
from mvexplorer.experiments.experiment import PAPERS, Bar, Experiment, Turn
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.teaching.catalogue import find_lesson
from mvexplorer.ui.gallery.words import (
    bar_words,
    figure_words,
    found_words,
    live_words,
    reason_words,
    run_words,
    verdict_words,
)
from mvexplorer.ui.pages.page import Soon
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, caption, retire, tip
from mvexplorer.wording import number

WIDTH = 304
LESSON_OF = {
    "lindenbaum2015": "joining-views",
    "yair2016": "local-cca",
    "bandwidth": "rules",
    "eynard2012": "jade",
}
"""The lesson that teaches what a paper's figures are about."""


class ExperimentBeside(QWidget):
    """A column of words between the panels and the right side; its foot runs the experiment."""

    left = Signal()
    """The column is to be hidden."""
    lesson_wanted = Signal(str)
    """The id of the lesson that teaches what the figure is about."""

    def __init__(self, workbench: Workbench, desk: ExperimentDesk) -> None:
        super().__init__()
        self.setObjectName("points")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Experiment")
        self.setFixedWidth(theme.px(WIDTH))
        self._editor, self._controller, self._desk = workbench.editor, workbench.controller, desk
        self._shown: Experiment | None = None
        column = spaced(QVBoxLayout(self), 0, 8, 0, 8, spacing=8)
        self._make_head(column)
        column.addWidget(self._make_words(), 1)
        column.addWidget(_hairline())
        self._make_foot(column)
        self.soon = Soon(self, milliseconds=60, do=self.refresh)
        desk.changed.connect(self.refresh)
        for signal in (self._controller.panel_changed, self._controller.tasks_changed):
            signal.connect(self.soon.ask)
        self.refresh()

    # Construction -------------------------------------------------------------------------------------------

    def _make_head(self, column: QVBoxLayout) -> None:
        row = QHBoxLayout()
        column.addLayout(row)
        row.setContentsMargins(16, 0, 8, 0)
        self.place, self.cross = _muted(), QToolButton()
        theme.square(self.cross)
        self.cross.setToolTip("Hide this pane; View > Experiment shows it again")
        self.cross.setAccessibleName("Hide this pane")
        self.cross.clicked.connect(self.left)
        row.addWidget(self.place, 1)
        row.addWidget(self.cross, 0, Qt.AlignmentFlag.AlignTop)

    def _make_words(self) -> QScrollArea:
        inner, area = QWidget(), QScrollArea()
        self.area = area
        column = spaced(QVBoxLayout(inner), 16, 0, 16, 0, spacing=8)
        self.title, self.caption, self.look, self.stands = _wrapped("headline"), _wrapped(), _wrapped(), _muted()
        self.lesson = QPushButton()
        self.lesson.setProperty("role", "line")
        self.lesson.clicked.connect(self._want_lesson)
        self.live_head, self.live_words, self.live = _section("In the panels now"), _muted(), BarRows()
        self.knob_head, self.knob, self.knobs = _section("Try this"), _wrapped(), QWidget()
        self.verdict, self.said, self.why, self.bars = _wrapped("title"), _muted(), _wrapped(), BarRows()
        self._turns = spaced(QGridLayout(self.knobs), 0, 0, 0, 0, spacing=8)
        for part in (
            self.title, self.caption, self.stands, _section("What to look for"), self.look, self.lesson,
            self.live_head, self.live_words, self.live, self.knob_head, self.knob, self.knobs,
            _section("Does it reproduce?"), self.verdict, self.said, self.bars, self.why,
        ):  # fmt: skip
            column.addWidget(part)
        column.addStretch(1)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(inner)
        return area

    def _make_foot(self, column: QVBoxLayout) -> None:
        row = QHBoxLayout()
        column.addLayout(row)
        row.setContentsMargins(16, 0, 16, 0)
        row.setSpacing(8)
        self.run, self.bar, self.run_words, self.sum = QPushButton("Run"), QProgressBar(), _muted(), _wrapped("best")
        self.run.clicked.connect(self._run_or_stop)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Run")
        row.addWidget(self.run)
        for part in (self.bar, self.run_words, self.sum):
            row.addWidget(part, 1)

    # What is shown ------------------------------------------------------------------------------------------

    def apply_theme(self) -> None:
        """Use the current theme's colours and size of type."""
        self.setFixedWidth(theme.px(WIDTH))
        self.cross.setIcon(theme.icon("x"))

    def refresh(self) -> None:
        """Show the document's experiment as far as it is known."""
        experiment = self._desk.experiment
        if experiment is not self._shown or experiment is None:
            self._show_experiment(experiment)
        if experiment is None:
            return
        if self.isVisible():
            self._desk.measure()
        self._show_now(experiment)
        self._show_run(experiment)

    def _show_experiment(self, experiment: Experiment | None) -> None:
        self._shown = experiment
        self.run.setEnabled(experiment is not None)
        for button in self.knobs.findChildren(QPushButton):
            self._turns.removeWidget(button)
            retire(button)
        unknown = (
            "This version of mvexplorer does not know the figure that this session shows. Update mvexplorer to see it."
        )
        self.title.setText(unknown if experiment is None else experiment.title)
        if experiment is None:
            return
        paper = [PAPERS[experiment.paper]] if experiment.paper else []
        self.place.setText(" · ".join([figure_words(experiment), *paper]))
        self.caption.setText(experiment.caption)
        self.look.setText(experiment.look_for)
        self.stands.setText(f"Stands for {experiment.stands_for}." if experiment.stands_for else "")
        self.stands.setVisible(bool(experiment.stands_for))
        self.lesson.setVisible(experiment.group in LESSON_OF)
        if experiment.group in LESSON_OF:
            self.lesson.setText(f"Lesson: {find_lesson(LESSON_OF[experiment.group]).topic}")
        self.knob.setText(experiment.knob)
        for part in (self.knob_head, self.knob):
            part.setVisible(bool(experiment.knob))
        self.knobs.setVisible(bool(experiment.turns))
        longest = max((len(turn.words) for turn in experiment.turns), default=0)
        letters = {3: 8, 2: 16}  # buttons in a row -> the most letters that they can have
        across = next((n for n, most in letters.items() if longest <= most), 1)
        for place, turn in enumerate(experiment.turns):
            self._add_turn(turn, *divmod(place, across))

    def _add_turn(self, turn: Turn, row: int, column: int) -> None:
        button = QPushButton(caption(turn.words))
        button.setToolTip(tip(f"Show the panels so: {turn.words}"))
        button.clicked.connect(partial(self._turn, turn))
        self._turns.addWidget(button, row, column)

    def _show_now(self, experiment: Experiment) -> None:
        words = live_words(experiment, self._desk.now, self._desk.unmeasured, self._desk.pictures() is not None)
        self.live_words.setText(words)
        self.live_words.setVisible(bool(words))
        self.live.show_bars(self._desk.now)

    def _show_run(self, experiment: Experiment) -> None:
        outcome, running = self._desk.found.get(experiment.id), self._desk.running == experiment.id
        said = run_words(outcome is not None, running, self._desk.said.get(experiment.id, ""))
        for label, words in (
            (self.verdict, found_words(outcome)),
            (self.said, said),
            (self.why, reason_words(experiment, outcome)),
        ):
            label.setText(words)
            label.setVisible(bool(words))
        if self.bars.show_bars(outcome.bars if outcome is not None else ()) and outcome is not None:
            QTimer.singleShot(0, self, lambda: self.area.ensureWidgetVisible(self.bars))
        fraction = self._desk.fraction
        self.run.setText("Stop" if running else "Run again" if outcome is not None else "Run")
        self.run.setToolTip("Stop the run" if running else "Recompute the whole figure in its quick form")
        self.bar.setVisible(running)
        self.bar.setRange(0, 100 if fraction > 0 else 0)  # moves to and fro until it is known
        self.bar.setValue(round(100 * fraction))
        self.run_words.setVisible(not running and outcome is None)
        self.sum.setVisible(not running and outcome is not None)
        self.sum.setText("" if outcome is None else verdict_words(outcome.verdict))
        self.run_words.setText(f"about {max(1, round(experiment.quick_seconds))} s")

    # What is done -------------------------------------------------------------------------------------------

    def _run_or_stop(self) -> None:
        if self._shown is not None and self._desk.running == self._shown.id:
            self._desk.stop()
        else:
            self._desk.run()

    def _want_lesson(self) -> None:
        if self._shown is not None:
            self.lesson_wanted.emit(LESSON_OF[self._shown.group])

    def _turn(self, turn: Turn) -> None:
        if turn.page:
            self._editor.page_wanted.emit(turn.page)
        if turn.sweep:
            self._editor.sweep_wanted.emit(turn.sweep)
        if turn.epsilon is not None or turn.params:
            self._editor.turn(turn.words, turn.epsilon, turn.params)


def _hairline() -> QWidget:
    hairline = QWidget()
    hairline.setObjectName("hairline")
    hairline.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    hairline.setFixedHeight(1)
    return hairline


def _wrapped(role: str = "") -> Label:
    label = Label(wraps=True)
    if role:
        label.setProperty("role", role)
    return label


def _muted() -> Label:
    return _wrapped("muted")


def _section(text: str) -> Label:
    label = _wrapped("section")
    label.setText(text)
    label.setContentsMargins(0, 8, 0, 0)
    return label


class BarRow(QWidget):
    """One bar; signs and words say whether it holds, not colours alone.

    One grid without another in it: for what is in a nested layout PySide keeps objects that outlive it.
    """

    def __init__(self, bar: Bar) -> None:
        super().__init__()
        self.text = bar_words(bar)
        self.setToolTip(tip(self.text))
        self.setAccessibleName(self.text)
        grid = spaced(QGridLayout(self), 0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(1, 1)
        sign, what = Label("✓" if bar.holds else "✗"), Label(f"{bar.what[:1].upper()}{bar.what[1:]}")
        value, target = Label(number(bar.value)), Label(bar.asked)
        sign.setProperty("role", "best" if bar.holds else "error")
        what.setWordWrap(True)
        what.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        value.setProperty("role", "title")
        target.setProperty("role", "muted")
        top, right = Qt.AlignmentFlag.AlignTop, Qt.AlignmentFlag.AlignRight
        grid.addWidget(sign, 0, 0, top)
        grid.addWidget(what, 0, 1, 2, 1, top)
        grid.addWidget(value, 0, 2, top | right)
        grid.addWidget(target, 1, 2, top | right)


class BarRows(QWidget):
    """A row for each bar; nothing while there is none."""

    def __init__(self) -> None:
        super().__init__()
        self._column = spaced(QVBoxLayout(self), 0, 0, 0, 0, spacing=8)
        self._shown: tuple[Bar, ...] = ()
        self._rows: list[BarRow] = []
        self.hide()

    @property
    def texts(self) -> list[str]:
        """The words of the rows."""
        return [row.text for row in self._rows]

    def show_bars(self, bars: Sequence[Bar]) -> bool:
        """Show these bars; True if they differ from the former ones."""
        if tuple(bars) == self._shown:
            return False
        for row in self._rows:
            self._column.removeWidget(row)
            retire(row)
        self._shown, self._rows = tuple(bars), [BarRow(bar) for bar in bars]
        for row in self._rows:
            self._column.addWidget(row)
        self.setVisible(bool(bars))
        return True
