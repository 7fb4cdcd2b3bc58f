"""Windows that leave no trace, small data to show in them, and a log that has to stay silent."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import Mock, create_autospec

import pytest
from gestures import point_away
from psygnal import Signal
from PySide6.QtCore import QLoggingCategory
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot
from windows import PATIENCE_MS, show_fresh, small_data

from mvexplorer.compute.jobs.runner import BandwidthSummary
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.fresh import OPENING_PANELS
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.pictures.anchors import Anchors
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.samples.query import TableQuery
from mvexplorer.state.session.settings import HOME_VARIABLE, Settings
from mvexplorer.ui.app import application, no_display_settings
from mvexplorer.ui.cloud.picture import Camera
from mvexplorer.ui.runtime.gc_main_thread import keep_to_main_thread
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets import dialogs
from mvexplorer.ui.window import hover, main_window
from mvexplorer.ui.window.main_window import MainWindow

for wait in (QtBot.waitUntil, QtBot.waitSignal, QtBot.waitExposed, QtBot.waitActive):
    wait.__kwdefaults__["timeout"] = PATIENCE_MS  # a loaded machine takes longer than the usual five seconds


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder, empty."""
    folder = tmp_path / "home"
    monkeypatch.setenv(HOME_VARIABLE, str(folder))
    return folder


@pytest.fixture(autouse=True)
def silent_log(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Warnings in the log fail a test."""
    with caplog.at_level(logging.WARNING):
        yield
    loud = [r for when in ("setup", "call") for r in caplog.get_records(when) if r.levelno >= logging.WARNING]
    assert not [r.getMessage() for r in loud if not r.name.startswith("pytest")]


@pytest.fixture(autouse=True)
def audible_qt() -> None:
    """Qt warns of everything, whatever a command has silenced that ran in this process before."""
    QLoggingCategory.setFilterRules("")


@pytest.fixture(autouse=True)
def no_anchors(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Nothing is made ahead for a hand that never drags; at night it is, as in the program."""
    if request.node.get_closest_marker("nightly") is None:
        monkeypatch.setattr(Anchors, "rest", lambda anchors: None)


@pytest.fixture(scope="package", autouse=True)
def collector(qapp: QApplication) -> Iterator[None]:
    """Garbage is collected on the main thread among windows, and as Python does when a process has done with them."""
    found = keep_to_main_thread(qapp)
    yield
    found.stop()
    found.setParent(None)  # other windows in this process get one of their own
    qapp.clipboard().clear()  # without a display it would be freed after Python's end, with what Python made for it


@pytest.fixture
def app(qapp: QApplication) -> QApplication:
    """The application in its light theme with the bundled font."""
    fresh = theme.current() is not theme.LIGHT or qapp.applicationName() != "mvexplorer"
    return application("light", exported=True) if fresh else qapp


@pytest.fixture
def controller() -> Iterator[Controller]:
    """A controller that was told of no data, and so computes nothing; its document has small data."""
    document = Document()
    made = Controller(document)
    document.data = small_data()
    document.state = commands.initial_state(document.data, ("memory",), None)
    for name in document.data.view_names:
        made.summaries[name] = BandwidthSummary(2.0, {"robust": 0.5, "median": 2.0})
    yield made
    made.shutdown()


@pytest.fixture
def editor(controller: Controller) -> Mock:
    """An editor that only listens: whatever is asked of it succeeds and changes nothing."""
    made = create_autospec(Editor, instance=True)
    made.state, made.focused = controller.document.state, None
    for signal in (name for name, value in vars(Editor).items() if isinstance(value, Signal)):
        setattr(made, signal, Mock())
    made.set_epsilon.return_value = made.set_param.return_value = True
    return made


@pytest.fixture(autouse=True)
def no_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question nobody expects is a failure, not a hanging test."""

    def refuse(*arguments: object, **_: object) -> None:
        raise AssertionError(f"an unexpected question: {arguments[1:3]}")

    monkeypatch.setattr(dialogs, "choose", refuse)


CLOSED: list[MainWindow] = []


def new_window(qtbot, settings: Settings, size: tuple[int, int], keep: bool) -> MainWindow:
    """A window on screen, with the keys."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(main_window, "REST_MS", 30)
        patch.setattr(hover, "CARD_MS", 20)
        made = MainWindow(settings, keep_settings=keep)
    made.resize(*size)
    with qtbot.waitExposed(made):
        made.show()
    activate(qtbot, made)
    return made


def activate(qtbot, window: MainWindow) -> None:
    """Give the keys to a window."""
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow, timeout=PATIENCE_MS)


@pytest.fixture
def make_window(app: QApplication, qtbot) -> Iterator[Callable[..., MainWindow]]:
    """Makes windows that rest quickly, and throws them away at the end."""
    made: list[MainWindow] = []

    def make(size: tuple[int, int] = (1440, 900), *, keep: bool = False, **changes: object) -> MainWindow:
        made.append(new_window(qtbot, updated(no_display_settings(), changes), size, keep))
        return made[-1]

    yield make
    for window in made:
        window.discard()
    # Closed, not destroyed: a pyqtgraph view that is destroyed early corrupts memory now and then.
    CLOSED.extend(made)


@pytest.fixture
def rest(qtbot) -> Callable[[MainWindow], None]:
    """Waits until a window has computed, scored and drawn everything."""

    def wait(window: MainWindow) -> None:
        # The first turn of the event loop starts what an edit has just asked for.
        qtbot.wait(0)
        qtbot.waitUntil(window.at_rest, timeout=PATIENCE_MS)

    return wait


@pytest.fixture(scope="session")
def data() -> MultiView:
    """The data of the shared window, one object, so that its results are kept between tests."""
    return small_data()


@pytest.fixture(scope="session")
def shared() -> Iterator[list[MainWindow]]:
    """The one window most tests use: building one is most of what a test costs."""
    kept: list[MainWindow] = []
    yield kept
    for window in kept:
        window.discard()


@pytest.fixture
def window(
    app: QApplication,
    qtbot,
    shared: list[MainWindow],
    data: MultiView,
    rest: Callable[[MainWindow], None],
    request: pytest.FixtureRequest,
) -> Iterator[MainWindow]:
    """A window at rest with the small data in six panels, or in the first so many that `panels` asks for."""
    if not shared:
        shared.append(new_window(qtbot, no_display_settings(), (1440, 900), False))
    window = shared[0]
    asked = request.node.get_closest_marker("panels")
    make_as_new(window, data, *(asked.args if asked else ()))
    activate(qtbot, window)
    rest(window)
    yield window
    if not window.isVisible():
        CLOSED.append(shared.pop())


def make_as_new(window: MainWindow, data: MultiView, panels: int = OPENING_PANELS) -> None:
    """Take back whatever the last test did."""
    while (popup := QApplication.activePopupWidget()) is not None:
        popup.close()
    window.library.imports.leave()
    if window.behaviour.play_bar.isVisible():
        window.behaviour.play_bar.leave()
    window.behaviour.sleepwalk.stop()
    for dialog in window.findChildren(QDialog):
        dialog.close()
    if window.strip.isVisible():
        window.behaviour.present(False)
    if window.grid.maximised is not None:
        window.grid.toggle_maximised(window.grid.maximised)
    window.samples.close_both()
    window.samples.table._show(TableQuery())
    window.grid.navigating = window.grid.rectangular = False
    window.resize(1440, 900)
    window.docks.show_side = window.docks.show_points = True
    window.bottom.show_page("spectrum")
    window.bottom.status.shut()
    fresh = dict(no_display_settings())
    if theme.current() is theme.LIGHT and window.settings.theme == "light":
        del fresh["theme"]  # a style sheet costs more than the rest of a test
    window.workbench.change_settings(**fresh)
    window.behaviour.fit_type()
    window.banners.clear()
    window.library.session_path = None
    window.behaviour.found_before.clear()
    window.steps._written = None  # the same data may have been exported in the same state
    show_fresh(window, data, panels)
    window.editor.focus(window.document.state.panels[0].id)
    window.bottom.pages["tune"].explain("plain")
    window.bottom.pages["spectrum"].log.setChecked(False)
    for panel in window.grid.panels.values():
        panel.canvas.set_camera(Camera.default())
        point_away(panel)
    window.setFocus()
