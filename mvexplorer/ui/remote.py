"""The window of `mvexplorer.show`: another Python process starts it, and asks it for its state."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from threading import Thread

from mvexplorer.errors import ComputeError, MVExplorerError
from mvexplorer.private import handed_over
from mvexplorer.state.bench import driven
from mvexplorer.state.bench.importing import SLOT
from mvexplorer.state.bench.remote_window import Host, Message, error_message
from mvexplorer.state.bench.reopening import OpenGivenJob
from mvexplorer.state.pictures.drawing import turns_of
from mvexplorer.state.session.session import session_content
from mvexplorer.ui.app import begin, run_window
from mvexplorer.ui.offscreen import checked_png, grab_window, when_idle
from mvexplorer.ui.window.main_window import MainWindow
from mvexplorer.version import __version__


class Answered:
    """The answer to one question: the first one counts."""

    def __init__(self, number: object, tell: Callable[[Message], object]) -> None:
        self._number, self._tell, self.given = number, tell, False

    def done(self, content: Message | None = None) -> None:
        """It is done; `content` is what was asked."""
        self._give({"of": self._number, **(content or {})})

    def refused(self, error: MVExplorerError) -> None:
        """It cannot be done."""
        self._give(error_message(self._number, error))

    def _give(self, message: Message) -> None:
        if not self.given:
            self.given = True
            self._tell(message)


def _set(window: MainWindow, message: Message, answered: Answered) -> None:
    """Change the focused panel."""
    driven.set_focused(window.workbench, **message["values"])
    answered.done()


def _select(window: MainWindow, message: Message, answered: Answered) -> None:
    """Select samples."""
    driven.select_samples(window.workbench, message["samples"])
    answered.done()


def _open(window: MainWindow, message: Message, answered: Answered) -> None:
    """Open a session, and answer once it is in place, cannot be opened, or is given up for something else."""
    library, cancelled = window.library, window.controller.cancelled
    said = "The session was not opened: the window was told to stop, or to open something else."
    given_up = ComputeError(said, "Open it again.")

    def other(*_: object) -> None:
        window.bridge.post(partial(over, given_up))  # after `then`, where it is this session that is in place

    def over(error: MVExplorerError | None = None) -> None:
        if not answered.given:
            library.refused.disconnect(over)
            library.opened.disconnect(other)
            cancelled.disconnect(stopped)
            answered.done() if error is None else answered.refused(error)

    def stopped(slot: str) -> None:
        if slot == SLOT:
            over(given_up)

    assert window.document.data is not None
    library.refused.connect(over)
    library.opened.connect(other)
    cancelled.connect(stopped)
    library.open_given(OpenGivenJob(message["session"], window.document.state, window.document.data), over)


def _screenshot(window: MainWindow, message: Message, answered: Answered) -> None:
    """Write a picture of the window once it is still."""
    path, seconds = checked_png(message["path"]), message["timeout"]

    def write(still: bool) -> None:
        try:
            if not still:
                said = f"The panels are still being computed after {seconds:g} s: no screenshot was taken."
                raise ComputeError(said, "Wait longer, by timeout=600 for example.")
            grab_window(window, path)
        except MVExplorerError as error:
            answered.refused(error)
        else:
            answered.done()

    when_idle(window, write, seconds)


DRIVEN: dict[str, Callable[[MainWindow, Message, Answered], object]] = {
    "set": _set,
    "select": _select,
    "open": _open,
    "screenshot": _screenshot,
}
"""What a caller may have the window do."""


class Remote:
    """The window on one side, and who started it on the other.

    `opened` has the token, and a source or a session; `said` is the file descriptor that the caller reads one line
    from.
    """

    def __init__(self, opened: Message, said: int) -> None:
        self._opened = opened
        self._said = said
        self._window: MainWindow | None = None
        self._host: Host | None = None

    def run(self) -> int:
        """Open the window and stay until it closes; returns the exit code."""
        code = run_window(lambda settings: "your data", self._begin)
        if self._host is not None:
            self._host.tell({"of": "end", **self._state()})
        return code

    def _begin(self, window: MainWindow) -> None:
        self._window = window
        window.library.opened.connect(self._ready)
        window.library.refused.connect(self._refuse)
        session, source = self._opened.get("session"), self._opened.get("source")
        try:
            begin(window, () if source is None else (source,), session)
        except Exception as fault:  # who waits has to hear of it
            self._refuse(ComputeError(f"Something went wrong in mvexplorer: {fault}", "Please report it."))
            raise

    def _ready(self, cameras: object) -> None:
        """Answer the caller's questions from now on: the data is there."""
        assert self._window is not None
        self._forget()
        library = self._window.library
        if library.session_path is not None and handed_over((str(library.session_path),)):
            library.session_path = None  # no file of the user's
            self._window.document.mark_saved()
        self._host = Host(self._opened["token"], self._answer)
        self._say({"address": self._host.address})

    def _refuse(self, error: MVExplorerError) -> None:
        assert self._window is not None
        self._forget()
        self._say_error(error)
        self._window.discard()

    def _forget(self) -> None:
        """Refuse the caller's questions about other data: only the first is the caller's."""
        assert self._window is not None
        self._window.library.opened.disconnect(self._ready)
        self._window.library.refused.disconnect(self._refuse)

    def _say_error(self, error: MVExplorerError) -> None:
        self._say(error_message(None, error))

    def _say(self, message: Message) -> None:
        with os.fdopen(self._said, "w") as pipe:
            pipe.write(json.dumps(message) + "\n")

    def _answer(self, message: Message) -> None:
        """Have the main thread do what is asked, between its events; runs on a thread of its own."""
        assert self._window is not None
        self._window.bridge.post(partial(self._do, message))

    def _do(self, message: Message) -> None:
        """Do what is asked, and answer as soon as it is done."""
        assert self._window is not None
        answered = Answered(message.get("number"), self._tell)
        if message.get("do") == "close":
            self._window.discard()
            return
        try:
            if message.get("do") == "tell":
                answered.done(self._state())
            else:
                DRIVEN[message["do"]](self._window, message, answered)
        except MVExplorerError as error:
            answered.refused(error)

    def _tell(self, message: Message) -> None:
        """Answer on a thread of its own: a caller that does not listen must not make the window wait."""
        assert self._host is not None
        Thread(target=self._host.tell, args=(message,), name="notebook answer", daemon=True).start()

    def _state(self) -> Message:
        assert self._window is not None
        document = self._window.document
        if document.data is None:
            return {"selection": [], "session": {}}
        cameras, turns = self._window.library.cameras(), turns_of(self._window.controller.results)
        content = session_content(document.state, document.data, __version__, cameras, turns)
        return {"selection": list(document.state.selection), "session": content.model_dump(mode="json")}
