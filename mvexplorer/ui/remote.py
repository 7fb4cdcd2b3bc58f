"""The window of `mvexplorer.show`: another Python process starts it, and asks it for its state."""

from __future__ import annotations

import json
import os
import sys
from threading import Event
from typing import Any

from mvexplorer.errors import ComputeError, MVExplorerError
from mvexplorer.private import handed_over
from mvexplorer.state.bench.remote_window import ANSWER_SECONDS, Host, Message
from mvexplorer.state.pictures.drawing import turns_of
from mvexplorer.state.session.session import session_content
from mvexplorer.ui.app import begin, run_window
from mvexplorer.ui.runtime.platform_check import use_platform
from mvexplorer.ui.window.main_window import MainWindow
from mvexplorer.version import __version__


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
        try:
            if not use_platform():
                raise MVExplorerError(
                    "There is no display for a window.",
                    "Start Python where there is one, or use mvx.embed, or mvexplorer compare on a command line.",
                )
        except MVExplorerError as error:
            self._say_error(error)
            return 2
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
        self._say({"error": error.message, "hint": error.hint, "kind": type(error).__name__})

    def _say(self, message: Message) -> None:
        with os.fdopen(self._said, "w") as pipe:
            pipe.write(json.dumps(message) + "\n")

    def _answer(self, message: Message) -> Message | None:
        """Have the main thread look, and wait for its answer; runs on a thread of its own."""
        assert self._window is not None
        window, state, done = self._window, dict[str, Any](), Event()

        def look() -> None:
            state.update(self._state())
            done.set()

        if message.get("do") == "close":
            window.bridge.post(window.discard)
            return None
        window.bridge.post(look)
        return {"of": message.get("number"), **state} if done.wait(ANSWER_SECONDS) else None

    def _state(self) -> Message:
        assert self._window is not None
        document = self._window.document
        if document.data is None:
            return {"selection": [], "session": {}}
        cameras, turns = self._window.library.cameras(), turns_of(self._window.controller.results)
        content = session_content(document.state, document.data, __version__, cameras, turns)
        return {"selection": list(document.state.selection), "session": content.model_dump(mode="json")}


def main() -> int:
    """Run the window of another process, which says on standard input what to open."""
    opened = json.loads(sys.stdin.buffer.read())
    said = os.dup(1)  # what else is printed does not get into it
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return Remote(opened, said).run()
