"""Program start: the application object, the first window, and the sample of the very first start."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import QTimer, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from mvexplorer.compute.jobs.jobs import ImportJob
from mvexplorer.compute.run.heap import share_one_heap
from mvexplorer.failures import FailureListener, former_crash
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.state.document.titles import data_title
from mvexplorer.state.session.session import is_session
from mvexplorer.state.session.settings import Settings, log_folder, read_settings
from mvexplorer.ui.runtime.gc_main_thread import keep_to_main_thread
from mvexplorer.ui.runtime.interrupt import interrupts_wait, run_loop
from mvexplorer.ui.runtime.overrides import make_exceptions_whole
from mvexplorer.ui.runtime.sources import keep_no_sources
from mvexplorer.ui.runtime.spoken import let_widgets_speak
from mvexplorer.ui.style import theme
from mvexplorer.ui.window.faults import FaultTeller, keep_qt_message
from mvexplorer.ui.window.main_window import MainWindow
from mvexplorer.ui.window.messages import PREFERENCES
from mvexplorer.wording import file_title

# scikit-learn asks polars whether an array is a table of its, and fails while another thread is importing polars.
HEAVY = ImportJob(("scipy.sparse.linalg", "sklearn.cluster", "sklearn.metrics", "sklearn.neighbors", "polars"))
"""Slow imports that the first scores and pictures need."""
FIRST_SAMPLE = "helix-a"


def application(choice: str = "system", *, exported: bool = False) -> QApplication:
    """The one QApplication; `exported` pictures and displays without a window system use the bundled font."""
    make_exceptions_whole()
    keep_no_sources()
    let_widgets_speak()
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])
    app.setApplicationName("mvexplorer")
    app.setDesktopFileName("mvexplorer")
    if app.style().name() != "fusion":  # a style that is set again restyles every widget
        app.setStyle("Fusion")
    offscreen = app.platformName() in ("offscreen", "minimal")
    family = theme.bundled_family() if exported or offscreen else ""
    app.setFont(theme.font(family=family))
    theme.apply_theme(app, choice)
    keep_to_main_thread(app)
    _keep_freed_memory()
    share_one_heap()
    return app


def _keep_freed_memory() -> None:
    """Make glibc keep up to 64 MB of freed memory: fetching new pages is half the time of painting a frame.

    Its limit follows the largest block freed so far (mallopt(3), M_MMAP_THRESHOLD): freeing one block, never
    written to, is enough. Elsewhere nothing happens.
    """
    np.empty(31 << 20, dtype=np.uint8)


def run(
    sources: tuple[str, ...], session: str | None, reading: ReadOptions | None = None, data: str | None = None
) -> int:
    """Open the window on sources or a session, and stay until it closes.

    `data` is where a session's data is, if that moved.
    """
    return run_window(
        lambda settings: first_title(settings, sources, session),
        lambda window: begin(window, sources, session, reading, data),
    )


def run_lessons(id: str = "") -> int:
    """Open the window in a lesson, or on the list of all, and stay until it closes."""
    return run_window(lambda settings: "", lambda window: begin_lessons(window, id))


def begin_lessons(window: MainWindow, id: str = "") -> None:
    """Begin a lesson in a window that is new, or show the list of all."""
    window.workbench.change_settings(started_before=True)
    begin(window, (), None)
    if id:
        window.lessons.begin(id)
    else:
        window.lessons.show_list()


def run_window(title: Callable[[Settings], str], begin: Callable[[MainWindow], object]) -> int:
    """Open the window and stay until it closes; returns the exit code.

    `title` returns what the window is going to show, for the first look; `begin` is called with the window once it is
    there.
    """
    # Make workers release the interpreter lock sooner, so that the window responds within a frame.
    sys.setswitchinterval(0.001)
    crash = former_crash(log_folder())
    listener = FailureListener(log_folder())
    qInstallMessageHandler(keep_qt_message)
    settings, problem = read_settings()
    with interrupts_wait():
        app = application(settings.theme)
        window = MainWindow(settings, opening=title(settings))
        window.show()
        if problem:
            window.banners.show_message("warning", problem, lasting=True, cause=PREFERENCES)
        tell_faults(window, listener, crash)
    QTimer.singleShot(0, lambda: begin(window))
    try:
        return run_loop(app.exec, lambda: app.exit(130))
    except KeyboardInterrupt:
        # Close without asking; nothing is lost: the next start offers to continue.
        window.library.autosave.finish()
        window.discard()
        raise
    finally:
        qInstallMessageHandler(None)
        listener.close()


def tell_faults(window: MainWindow, listener: FailureListener, crash: str = "") -> FaultTeller:
    """Show faults of any thread, and the crash of a former run, in a window."""
    teller = FaultTeller(window.banners, lambda: window.document.state.model_dump_json(indent=1))
    listener.on_fault = lambda fault: window.bridge.post(lambda: teller.show_fault(fault))
    if crash:
        teller.show_former_crash(crash)
    return teller


def first_title(settings: Settings, sources: tuple[str, ...], session: str | None) -> str:
    """Return the title of the data that a window opens at its start; empty where it starts with the start page."""
    if session is not None:
        return file_title(Path(session))
    return data_title(sources or (() if settings.started_before else (FIRST_SAMPLE,)))


def begin(
    window: MainWindow,
    sources: tuple[str, ...],
    session: str | None,
    reading: ReadOptions | None = None,
    data: str | None = None,
) -> None:
    """Open the sources or session; without any, on the very first start, an introductory sample."""
    if session is not None or (len(sources) == 1 and is_session(sources[0])):
        window.library.open_session(Path(session or sources[0]), data=None if data is None else Path(data))
    elif sources:
        window.library.open_source(sources, reading)
    elif not window.settings.started_before:
        window.library.open_source((FIRST_SAMPLE,))
    window.workbench.change_settings(started_before=True)
    prepare_after_ms = 30  # after the window's first picture, which does not wait for what it hides
    QTimer.singleShot(prepare_after_ms, window, window.docks.prepare)
    # A worker imports heavy libraries in the first idle moment, so that the first score need not wait.
    app = QApplication.instance()
    assert app is not None
    spare = keep_to_main_thread(app).freeze_startup_objects
    window.controller.background.submit("warm-up", HEAVY, lambda outcome: spare(), title="Getting ready")


def no_display_settings() -> Settings:
    """Preferences of a window without a display."""
    return Settings(theme="light", animate=False, started_before=True)
