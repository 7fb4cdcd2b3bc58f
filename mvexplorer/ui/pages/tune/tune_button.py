"""The button that lets a score choose: each view's ε in turn, each panel's own, or one for all again."""

from __future__ import annotations

from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.ui.widgets.plain_text import add_action, caption, tip

IN_TURN, OWN, SHARE = "Tune each view in turn", "Each panel at its own ε", "Share one ε"
ABOUT = (
    "Choose ε by a score of the picture: the best of nine places, where that gains more than the spread and .01. "
    "A modest guide, and never by labels unless a score of them is chosen."
)


class TuneButton(QPushButton):
    """Opens a menu of ways to choose, and of scores; while something is being chosen it offers to stop."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__("Tune", parent)
        self._tuner = workbench.tuner
        self.setToolTip(ABOUT)
        self._offered = QMenu(self)
        self._offered.aboutToShow.connect(self._fill)
        self.setMenu(self._offered)
        self._tuner.changed.connect(self._show)

    def _show(self) -> None:
        self.setText("Tuning …" if self._tuner.busy else "Tune")
        self.setToolTip(tip("\n".join((ABOUT, *(step.sentence for step in self._tuner.steps)))))

    def _fill(self) -> None:
        """Offer what can be done, and the scores that can choose."""
        menu, tuner = self._offered, self._tuner
        menu.clear()
        if tuner.busy:
            add_action(menu, "Stop tuning").triggered.connect(tuner.stop)
            return
        in_turn, own, share = (add_action(menu, words) for words in (IN_TURN, OWN, SHARE))
        in_turn.setEnabled(tuner.panel is not None and bool(tuner.score))
        own.setEnabled(tuner.panel is not None and bool(tuner.score))
        share.setEnabled(tuner.differs)
        in_turn.triggered.connect(tuner.tune)
        own.triggered.connect(tuner.give_own)
        share.triggered.connect(tuner.share)
        menu.addSeparator()
        group = QActionGroup(menu)
        for id, title in tuner.scores.items():
            action = add_action(menu, caption(f"By {title}"))
            action.setCheckable(True)
            action.setChecked(id == tuner.score)
            group.addAction(action)
            action.triggered.connect(lambda _, id=id: tuner.choose_by(id))
