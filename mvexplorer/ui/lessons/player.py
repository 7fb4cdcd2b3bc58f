"""Plays the solution of a step: moves its sliders before the learner's eyes, as a hand would."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.teaching.acts import on_the_way
from mvexplorer.teaching.run import LessonRun

FRAMES, FRAME_MS = 45, 33
"""Steps of a move, and the time between two of them: together a second and a half."""


class SolutionPlayer(QTimer):
    """One move at a time; whoever else changes the document meanwhile takes over."""

    def __init__(self, parent: QWidget, workbench: Workbench, run: LessonRun) -> None:
        super().__init__(parent)
        self.setInterval(FRAME_MS)
        self._workbench, self._run = workbench, run
        self._frame, self._moves = 0, False
        self.timeout.connect(self._step)
        workbench.document.changed.connect(lambda _: None if self._moves else self.stop())

    def play(self) -> None:
        """Do what the step asks for: at once where it moves no slider, or where nothing is to be animated."""
        step, state = self._run.step, self._workbench.document.state
        if step is None:
            return
        glides = any(on_the_way(state, act, 0.5) is not None for act in step.solution)
        if glides and self._workbench.settings.animate:
            self._frame = 0
            self.start()
        else:
            self._move(1.0)

    def _step(self) -> None:
        self._frame += 1
        share = self._frame / FRAMES
        if share >= 1.0:
            self.stop()
        self._move(min(1.0, share * share * (3.0 - 2.0 * share)))  # a hand starts and ends slowly

    def _move(self, share: float) -> None:
        self._moves = True
        try:
            self._run.show_me(share)
        finally:
            self._moves = False
