"""The window and sessions on a machine without a display."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import monotonic

from PySide6.QtCore import QEventLoop, QTimer

from mvexplorer.errors import DataError, MVExplorerError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.state.bench.headless import ComputedPanels, run_session
from mvexplorer.state.bench.held_memory import MemoryShare
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.session.session import is_session
from mvexplorer.ui.app import FIRST_SAMPLE, application, no_display_settings
from mvexplorer.ui.cloud.encoding import png
from mvexplorer.ui.export.render import write_picture
from mvexplorer.ui.export.sheet import computed_sheet
from mvexplorer.ui.pages.table import OVER, check_page
from mvexplorer.ui.pages.tasks.memory_label import memory_of_window, with_sum
from mvexplorer.ui.runtime.interrupt import interrupts_wait, run_loop
from mvexplorer.ui.window.exports import table
from mvexplorer.ui.window.exports.exporter import Tables
from mvexplorer.ui.window.main_window import MainWindow
from mvexplorer.wording import in_words, source_title
from mvexplorer.writing import writing


def screenshot(
    sources: tuple[str, ...],
    out: str,
    size: tuple[int, int],
    theme: str,
    tab: str | None = None,
    reading: ReadOptions | None = None,
    data: str | None = None,
) -> None:
    """Open a sample, files or a session in the real window, with a page below, and write a screenshot.

    `tab` is the id of that page, which computes all it can; None for a new window's page. `data` is where a session's
    data is, if that moved. MVExplorerError for an unknown page, and for whatever the window would show in a banner.
    """
    if tab is not None:
        check_page(tab)
    problems: list[MVExplorerError] = []
    with interrupts_wait():
        application(theme, exported=True)
        window = MainWindow(updated(no_display_settings(), {"theme": theme}), keep_settings=False)
        window.resize(*size)
        window.show()
        window.library.imports.answers = False
        window.library.refused.connect(lambda error: problems.append(error))
        if len(sources) == 1 and is_session(sources[0]):
            window.library.open_session(Path(sources[0]), data=None if data is None else Path(data))
        else:
            window.library.open_source(sources, reading)
    try:
        wait_until_idle(window)
        if not problems and tab is not None:
            window.bottom.show_page(tab)
            if tab not in OVER:
                window.bottom.current.compute_all()
            wait_until_idle(window)
        if problems:
            raise problems[0]
        grab_window(window, out)
    finally:
        window.discard()


def export_session(finished: ComputedPanels, folder: Path, how: Tables) -> list[Path]:
    """Write all that can be made of a finished session into a folder; returns the paths."""
    with in_words(DataError, f"The folder {folder} cannot be made"):
        folder.mkdir(parents=True, exist_ok=True)
    application("light", exported=True)
    numbers_first = sorted(table.EXPORTS, key=lambda each: not each.of_panels)  # a picture that fails loses none
    return [path for each in numbers_first if each.into is not None for path in each.into(finished, folder, how)]


def picture_of_session(session: str, out: Path, data: str | None = None) -> None:
    """The comparison picture of a session; `data` is where its data is, if that moved."""
    finished = run_session(session, data=data, say=lambda text: None)
    with interrupts_wait():
        application("light", exported=True)
        write_picture(computed_sheet(finished, source_title(finished.state.source)), out)


def memory_after_drag(sample: str = FIRST_SAMPLE) -> tuple[MemoryShare, ...]:
    """Measure the memory of a window, by kind and in all, after a sample was opened and one of its ε dragged."""
    with interrupts_wait():
        application(exported=True)
        window = MainWindow(no_display_settings(), keep_settings=False)
        window.show()
        window.library.open_source((sample,))
    try:
        wait_until_idle(window)
        _drag(window)
        wait_until_idle(window)
        return with_sum(memory_of_window(window, window.workbench))
    finally:
        window.discard()


def _drag(window: MainWindow) -> None:
    """Move the first view's ε from the median to its double, as fast as a hand."""
    view = window.document.state.views[0].name
    median = window.controller.summaries[view].median
    drag_steps = 40
    steps = iter(range(drag_steps))
    loop, timer = QEventLoop(), QTimer(interval=50)

    def move() -> None:
        step = next(steps, None)
        if step is None:
            loop.quit()
        else:
            window.editor.set_epsilon(view, median * 2.0 ** (step / drag_steps), interactive=True)

    timer.timeout.connect(move)
    timer.start()
    run_loop(loop.exec, loop.quit)
    timer.stop()
    window.editor.end_drag()


def wait_until_idle(window: MainWindow, timeout: float = 120.0) -> None:
    """Run the window's event loop until everything on screen is computed, scored and still."""
    loop = QEventLoop()
    timer = when_idle(window, lambda still: loop.quit(), timeout)
    run_loop(loop.exec, loop.quit)
    timer.stop()


def when_idle(window: MainWindow, then: Callable[[bool], object], timeout: float) -> QTimer:
    """Call `then` once everything on screen is computed, scored and still, or with False after so many seconds."""
    timer, deadline, calm = QTimer(window, interval=20), monotonic() + timeout, 0

    def look() -> None:
        nonlocal calm
        calm = calm + 1 if window.at_rest() else 0
        if calm >= 4 or monotonic() > deadline:
            timer.stop()
            timer.deleteLater()
            then(calm >= 4)

    timer.timeout.connect(look)
    timer.start()
    return timer


def grab_window(window: MainWindow, path: str | Path) -> None:
    """Write what the window shows as PNG."""
    path = checked_png(path)
    with writing(path) as file:
        file.write(png(window.grab().toImage()))


def checked_png(path: str | Path) -> Path:
    """The path of a screenshot, if it ends as one."""
    if Path(path).suffix.lower() != ".png":
        raise DataError(f"Screenshots cannot be written as “{Path(path).suffix}”.", "End the file's name in .png.")
    return Path(path)
