"""Lessons in the window: their list in place of the panels, and the column that teaches one beside them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from mvexplorer.state.bench.library import Library
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.session.settings import Settings
from mvexplorer.ui.pages.page import Soon
from mvexplorer.ui.window.layout import WindowLayout
from mvexplorer.ui.window.teaching.look import WindowLook

if TYPE_CHECKING:
    from mvexplorer.teaching.lesson import Lesson, LessonStep
    from mvexplorer.teaching.run import LessonRun
    from mvexplorer.ui.lessons.column import LessonColumn
    from mvexplorer.ui.lessons.outline import Outline
    from mvexplorer.ui.lessons.player import SolutionPlayer

PAGE_OF = {"permutation": "validate", "agreement": "agreement"}
"""The pages of controls and readings that stand below the panels."""
LOW = 800
"""A window lower than this has no room for a page below the panels, but where a step is about it."""


class LessonsOnShow(QObject):
    """Shows the list, begins what is chosen there, and gives back what was shown before.

    Lessons, and the widgets that show them, are imported when they are first needed: the first window does not wait.
    """

    changed = Signal()
    """The list came or went, or a lesson began or ended."""
    help_wanted = Signal()
    column: LessonColumn | None = None
    _outline: Outline
    _player: SolutionPlayer

    def __init__(
        self,
        workbench: Workbench,
        library: Library,
        docks: WindowLayout,
        when_shown: Callable[[Callable[[], None]], None],
    ) -> None:
        super().__init__(docks)
        self._workbench, self._library, self._docks, self._when_shown = workbench, library, docks, when_shown
        self._look: WindowLook | None = None
        self._staged: LessonStep | None = None
        self._finished: Lesson | None = None
        self._soon = Soon(docks, milliseconds=60, do=self._refresh)
        library.give_way = self.leave
        library.opened.connect(lambda _: self.leave_list())
        library.imports.changed.connect(lambda importing: self.leave_list() if importing is not None else None)

    @cached_property
    def run(self) -> LessonRun:
        """The lesson that runs, if any."""
        from mvexplorer.teaching.run import LessonRun

        run = LessonRun(self._workbench)
        run.changed.connect(self._soon.ask)
        run.make_room = self._keep_own
        return run

    @property
    def settings(self) -> Settings:
        """The user's preferences, which keep how far each lesson has come."""
        return self._workbench.settings

    @property
    def title(self) -> str:
        """The title of the lesson that runs; empty where none does."""
        lesson = self.run.lesson if self.running else None
        return "" if lesson is None else f"Lesson: {lesson.title}"

    @property
    def running(self) -> bool:
        """Whether a lesson is on show, in place of the user's document."""
        return self._look is not None

    @property
    def playing(self) -> bool:
        """Whether *Show me* moves a slider: one drag, however long it rests."""
        return self.running and self._player.isActive()

    @property
    def idle(self) -> bool:
        """True if nothing is being read, played or shown anew."""
        return not self.running or not (self._soon.isActive() or self.run.opening or self.playing)

    # The list -----------------------------------------------------------------------------------------------

    def show_list(self) -> None:
        """Show the list, its keys at the next lesson that is not done; a lesson that runs ends."""
        from mvexplorer.teaching.catalogue import all_lessons
        from mvexplorer.ui.lessons.list_page import LessonList

        self._library.imports.leave()
        self._docks.uncover()
        self.leave()
        page = LessonList(all_lessons(), self._workbench.settings, self._finished)
        page.chosen.connect(self.begin)
        page.left.connect(self.leave_list)
        page.help_wanted.connect(self.help_wanted)
        self._docks.show_lessons(page)
        page.take_keys()
        self.changed.emit()

    def leave_list(self) -> None:
        """Take the list away."""
        if self._docks.lessons is not None:
            self._docks.show_lessons(None)
            self.changed.emit()

    # A lesson -----------------------------------------------------------------------------------------------

    def begin(self, id: str) -> None:
        """Begin a lesson where it was left, in place of what is on show."""
        from mvexplorer.teaching.catalogue import find_lesson

        lesson = find_lesson(id)
        self._library.imports.leave()
        self._docks.uncover()
        column = self._made_column()
        self._player.stop()
        if not self.running:
            self._look = WindowLook.of(self._docks, self._workbench.editor)
            self._docks.bottom.fold(True)  # curves that no step speaks of would be read as its own
        if self._workbench.document.data is None:
            self._docks.show_opening(lesson.title)
        self.run.begin(lesson)
        self._refresh()
        self._docks.show_lesson = True
        column.fit(self._docks.width())
        self._docks.make_room()
        column.take_keys()
        self.changed.emit()

    def _keep_own(self) -> None:
        """Keep the user's document on the disk as it is at last; nothing that a lesson shows is kept."""
        self._library.autosave.keep()
        self._library.autosave.paused = True
        grid = self._docks.grid
        if grid.maximised is not None:
            grid.toggle_maximised(grid.maximised)

    def leave(self) -> None:
        """End the lesson that runs, and give back document, history, cameras and places as they were."""
        look, self._look = self._look, None
        if look is None:
            return
        self._player.stop()
        self._outline.surround(None)
        self._staged = None
        self._docks.show_lesson = False
        self.run.leave()
        self._library.autosave.paused = False
        self._library.autosave.edited()
        self._docks.opening = ""
        look.put_back(self._docks, self._workbench.editor, self._when_shown)
        self._docks.arrange()
        self.changed.emit()

    def finish(self) -> None:
        """Count the lesson that runs among those that are done, and show the list."""
        lesson = self.run.lesson
        if lesson is not None:
            done = self._workbench.settings.lessons_done
            steps = {**self._workbench.settings.lesson_steps, lesson.id: 0}
            marked = done if lesson.id in done else (*done, lesson.id)
            self._workbench.change_settings(lessons_done=marked, lesson_steps=steps)
            self._finished = lesson
        self.show_list()

    def forward(self) -> None:
        """Show the next step; after the last one, the lesson is done."""
        lesson = self.run.lesson
        if lesson is None:
            return
        self._player.stop()
        if self.run.place == len(lesson.steps) - 1:
            self.finish()
        else:
            self.run.next()
            self._refresh()

    def backward(self) -> None:
        """Show the step before."""
        self._player.stop()
        self.run.back()
        self._refresh()

    def try_again(self) -> None:
        """Bring back where the step began."""
        self._player.stop()
        self.run.try_again()

    def show_me(self) -> None:
        """Do what the step asks for, visibly."""
        if self.running:
            self._player.play()

    # Keys and theme -----------------------------------------------------------------------------------------

    def take_keys(self) -> None:
        """Let keys go to the column."""
        if self.running and self.column is not None:
            self.column.take_keys()

    def give_back_keys(self) -> bool:
        """Let keys go to the panels again; False if the column has none."""
        if not self.running or self.column is None or not self.column.has_keys:
            return False
        panels = self._docks.grid.panels
        focused = panels.get(self._workbench.editor.focused or "") or next(iter(panels.values()), None)
        (focused or self._docks).setFocus()
        return True

    def apply_theme(self) -> None:
        """Use the current theme's colours and size of type."""
        if self._docks.lessons is not None:
            self._docks.lessons.apply_theme()
        if self.column is not None:
            self.column.apply_theme()
            self.column.fit(self._docks.width())
            self.point()

    def fit(self) -> None:
        """Take the window's share of the width."""
        if self.column is not None:
            self.column.fit(self._docks.width())

    # Following the run --------------------------------------------------------------------------------------

    def _made_column(self) -> LessonColumn:
        from mvexplorer.ui.lessons.column import LessonColumn
        from mvexplorer.ui.lessons.outline import Outline
        from mvexplorer.ui.lessons.player import SolutionPlayer

        if self.column is None:
            column = self.column = LessonColumn(self.run)
            column.forward.connect(self.forward)
            column.backward.connect(self.backward)
            column.again.connect(self.try_again)
            column.shown_how.connect(self.show_me)
            column.left.connect(self.leave)
            column.apply_theme()
            self._outline, self._player = Outline(column), SolutionPlayer(column, self._workbench, self.run)
            self._docks.add_lesson(column)
        return self.column

    def _refresh(self) -> None:
        if not self.running or self.column is None:
            return
        self.column.refresh()
        step = self.run.step
        if step is not self._staged and not self.run.opening:
            self._staged = step
            self._open_place()
        self.point()

    def _open_place(self) -> None:
        """Open the page that the step is about, where there is room."""
        lesson, step = self.run.lesson, self.run.step
        if lesson is None or step is None:
            return
        page = PAGE_OF.get(step.point, "")
        if not page and self._docks.height() >= LOW:
            page = step.stage.place or ""
        if page:
            self._docks.bottom.show_page(page)

    def point(self) -> None:
        """Draw the outline around the control that the step points to."""
        from mvexplorer.ui.window.teaching.targets import control_pointed_at

        step = self.run.step if self.running else None
        if step is not None and not self.run.opening:
            self._outline.surround(control_pointed_at(step, self._workbench.document.state, self._docks))
