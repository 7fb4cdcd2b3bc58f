"""A window that a notebook or script opens: a process of its own, asked over a local socket."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from queue import Empty, Queue
from threading import Lock, Thread
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer import errors
from mvexplorer.children import command
from mvexplorer.engine.api.subsample import Data
from mvexplorer.errors import ComputeError, DataError, MVExplorerError, ParameterError
from mvexplorer.io.writing.package import PACKAGE_SUFFIX
from mvexplorer.private import handed_over_folder, make_own_folder, user_folder
from mvexplorer.state.session.session_file import SUFFIX
from mvexplorer.version import __version__
from mvexplorer.wording import in_words

ANSWER_SECONDS = 30.0
Message = dict[str, Any]


class Channel:
    """JSON objects over a connection: nothing that arrives is ever unpickled."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock, self._closing = Lock(), Lock()

    def send(self, message: Message) -> None:
        """Send one; OSError where the other side is gone."""
        with self._lock:
            self._connection.send_bytes(json.dumps(message).encode())

    def receive(self) -> Message | None:
        """Wait for the next one; None once the other side is gone."""
        try:
            longest = 1 << 28  # bytes of one message: ten million selected samples
            message = json.loads(self._connection.recv_bytes(longest))
        except (OSError, EOFError, ValueError, TypeError):  # TypeError: hung up on this side meanwhile
            return None
        return message if isinstance(message, dict) else None

    def close(self) -> None:
        """Hang up."""
        with self._closing:  # two threads at once would close a file of somebody else
            self._connection.close()


class RemoteWindow:
    """A window that runs as a process of its own: it tells what is selected and shown in it, and can be driven.

    Made by `mvexplorer.show`. Whatever is changed from here is one step of undo in the window. Once the window is
    closed, it tells what was there at the end.

    Examples
    --------
    >>> window.is_open
    True
    """

    def __init__(self, process: subprocess.Popen[bytes], channel: Channel) -> None:
        self._process, self._channel = process, channel
        self._answers: Queue[Message | None] = Queue()
        self._last: Message | None = None
        self._asking = Lock()
        self._number = 0
        Thread(target=self._listen, name="window answers", daemon=True).start()

    def _listen(self) -> None:
        """Take what the window says, so that it never waits for us when it closes."""
        while (message := self._channel.receive()) is not None:
            if message.get("of") == "end":
                self._last = message
                self._answers.put(None)
            else:
                self._answers.put(message)
        self._answers.put(None)

    @property
    def is_open(self) -> bool:
        """Whether the window is still there.

        Examples
        --------
        >>> window.is_open
        True
        """
        return self._process.poll() is None

    def selection(self) -> npt.NDArray[np.intp]:
        """Return the places (n,) of the selected samples in the data, ascending; empty where none is selected.

        Returns
        -------
        array of int (n,)
            Rows of the data.

        Raises
        ------
        ComputeError
            The window ended without saying what was selected, or does not answer.

        Examples
        --------
        >>> window.select([4, 2])
        >>> window.selection().tolist()
        [2, 4]
        """
        return np.sort(np.array(self._tell()["selection"], dtype=np.intp))

    @property
    def session(self) -> dict[str, Any]:
        """The window's session, as a file holds it: `show(data, session=...)` or `open` opens it again.

        Examples
        --------
        >>> sorted(view["name"] for view in window.session["state"]["views"])
        ['view1', 'view2']
        """
        return dict(self._tell()["session"])

    def set(
        self,
        *,
        epsilon_scale: float | None = None,
        eta: float | None = None,
        t: int | None = None,
        method: str | None = None,
    ) -> None:
        """Change the focused panel, as one step of undo; returns once the document has changed.

        Parameters
        ----------
        epsilon_scale : float, optional
            The panel's own factor on every ε, beside the one of all panels.
        eta : float, optional
            The η of this panel alone.
        t : int, optional
            The diffusion time of this panel alone.
        method : str, optional
            What the panel shows: a method's id.

        Raises
        ------
        ParameterError
            The window refuses a value, in its own words; nothing is changed then.
        ComputeError
            The window is closed, or does not answer.

        Examples
        --------
        >>> window.set(method="multiview", epsilon_scale=2, eta=0.1)
        >>> window.set(t=4)
        """
        given = {"epsilon_scale": epsilon_scale, "eta": eta, "t": t, "method": method}
        values = {name: _plain(value) for name, value in given.items() if value is not None}
        if not values:
            raise ParameterError("Nothing is to be set.", "Give epsilon_scale, eta, t or method.")
        self._ask({"do": "set", "values": values})

    def select(self, samples: Iterable[int] | Iterable[str] | str) -> None:
        """Select samples in all panels instead of those selected, as one step of undo.

        Parameters
        ----------
        samples : sequence of int or str, mask (M,), or str
            Places in the data, the samples' ids, or a truth value for each sample; empty for none.

        Raises
        ------
        ParameterError
            There is no such sample; nothing is changed then.
        ComputeError
            The window is closed, or does not answer.

        Examples
        --------
        >>> window.select([0, 1, 2])
        >>> window.select(data.Xs[0][:, 0] > 0)
        >>> window.select([])
        """
        given = [samples] if isinstance(samples, str) else list(samples)
        self._ask({"do": "select", "samples": [_plain(value) for value in given]})

    def open(self, session: str | os.PathLike[str] | Mapping[str, Any]) -> None:
        """Open a session in the window, as one step of undo; returns once it is in place.

        Parameters
        ----------
        session : path or mapping
            A session's file, or what `session` said: it is taken for the data that the window shows.

        Raises
        ------
        SessionError
            It cannot be read, or is of other data.
        ComputeError
            The window is closed, or opened something else meanwhile.

        Examples
        --------
        >>> before = window.session
        >>> window.set(epsilon_scale=0.5)
        >>> window.open(before)
        """
        from mvexplorer.state.session.session import text_of

        wanted = json.loads(text_of(session)[0]) if isinstance(session, Mapping) else _place(session)
        self._ask({"do": "open", "session": wanted}, None)

    def screenshot(self, path: str | os.PathLike[str], timeout: float = 120.0) -> None:
        """Write what the window shows as PNG, once its panels are computed and drawn.

        Parameters
        ----------
        path : path
            The file; its name ends in .png, and what is there is replaced.
        timeout : float
            Seconds to wait for the panels at the most.

        Raises
        ------
        DataError
            The file cannot be written.
        ComputeError
            The panels are still being computed, or the window is closed.

        Examples
        --------
        >>> window.screenshot("window.png")
        """
        if not isinstance(timeout, int | float) or not 0.0 < timeout < float("inf"):
            raise ParameterError(f"No window waits {timeout} seconds.", "Give a number above 0, such as timeout=120.")
        wanted = {"do": "screenshot", "path": _place(path), "timeout": float(timeout)}
        self._ask(wanted, timeout + ANSWER_SECONDS)

    def close(self) -> None:
        """Close the window without a question; selection and session can still be asked for.

        Examples
        --------
        >>> window.close()
        >>> window.is_open
        False
        """
        with suppress(OSError):
            self._channel.send({"do": "close"})
        self.wait(ANSWER_SECONDS)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the window is closed.

        Parameters
        ----------
        seconds : float, optional
            Seconds to wait at the most; None for as long as it takes.

        Returns
        -------
        bool
            Whether it is closed.

        Examples
        --------
        >>> window.wait(0.1)
        False
        """
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return not self.is_open

    def _tell(self) -> Message:
        """Ask what the window shows, or return what it showed when it was closed."""
        with self._asking:
            if self._last is None:
                answer = self._answer_to({"do": "tell"}, ANSWER_SECONDS)
                if answer is not None:
                    return answer
            if self._last is None:
                raise ComputeError("The window ended without saying what was in it.", "Open it again by mvx.show.")
            return self._last

    def _ask(self, message: Message, seconds: float | None = ANSWER_SECONDS) -> None:
        """Have the window do something; what it refuses is raised as the error that it is there."""
        with self._asking:
            answer = None if self._last is not None else self._answer_to(message, seconds)
        if answer is None:
            hint = "Open it again by mvx.show(data, session=window.session)."
            raise ComputeError("The window is closed: nothing can be changed in it any more.", hint)
        if "error" in answer:
            raise _error_of(answer)

    def _answer_to(self, message: Message, seconds: float | None) -> Message | None:
        """Ask something, and wait so long for the answer; None once the window is closed."""
        self._number += 1
        with suppress(OSError):
            self._channel.send({**message, "number": self._number})
        while True:
            try:
                answer = self._answers.get(timeout=seconds)
            except Empty:
                raise ComputeError("The window does not answer.", "Wait until it has finished, or close it.") from None
            if answer is None:
                self._answers.put(None)  # whoever asks next hears of it as well
            if answer is None or answer["of"] == self._number:  # an older one came too late
                return answer

    def __repr__(self) -> str:
        return f"<mvexplorer window, {'open' if self.is_open else 'closed'}>"


def show(data: Data | str | os.PathLike[str] | None = None, session: Any = None, wait: bool = False) -> RemoteWindow:
    """Open the window on data, as a process of its own.

    Parameters
    ----------
    data : MultiView, list of arrays (M, D_l), mapping name -> array, str or path
        What `embed` takes, or what `load` takes: a sample's name or a path. It may be left out where `session` is a
        file.
    session : path or mapping, optional
        A session to continue: a file, or what `session` of another window said. Of other data than `data`, it has to
        have the same views and number of samples.
    wait : bool
        Return only once the window is closed.

    Returns
    -------
    RemoteWindow
        Tells the selection and the session, changes them, takes pictures of the window, and closes it.

    Raises
    ------
    MVExplorerError
        There is no display, or data and session do not fit.

    Notes
    -----
    Arrays are handed over in a file of the user's own folder, where it stays while work in progress needs it, and of
    the others the latest three; in the window, *Save with data* gives them a place. The two processes talk over a local
    socket that only this user can open, and both prove that they know a token made for this window; nothing is
    unpickled.

    Examples
    --------
    >>> window = mvx.show(mvx.load("helix-a"))  # doctest: +SKIP
    >>> window.set(method="multiview", epsilon_scale=2)  # doctest: +SKIP
    >>> data.labels[window.selection()]  # doctest: +SKIP
    """
    window = _start(_handed_over(data, session))
    if wait:
        window.wait()
    return window


def _handed_over(data: Any, session: Any) -> dict[str, str]:
    """Name what the window is to open: a source, a session's file, or a session that is written for it."""
    from mvexplorer.datasets.loading import load_source, sample_name
    from mvexplorer.engine.core.multiview import MultiView

    data = sample_name(data) or data if isinstance(data, MultiView) else data
    if session is None and isinstance(data, (str, os.PathLike)):
        return {"source": _place(data)}
    if data is None:
        if not isinstance(session, (str, os.PathLike)):
            raise DataError("There is nothing to show.", "Give data, or the file of a session.")
        return {"session": _place(session)}
    from mvexplorer.engine.api.embedding import as_multiview
    from mvexplorer.state.document.commands import initial_state
    from mvexplorer.state.session.session import save_session, state_for, with_data_beside

    name = _place(data) if isinstance(data, (str, os.PathLike)) else None
    shown = as_multiview(data if name is None else load_source(name).data)
    state, cameras, turns = (initial_state(shown, (), None), {}, {}) if session is None else state_for(shown, session)
    path = _next_file()
    if name is not None:  # it stays where it is, and keeps its name
        path, state = path.with_name(path.name + ".json"), with_data_beside(state, (name,))
    save_session(path, state, shown, __version__, cameras, turns=turns)
    return {"session": str(path)}


def _place(source: str | os.PathLike[str]) -> str:
    """A sample's name, or a path that does not depend on the working folder."""
    from mvexplorer.datasets.catalogue import is_built_in
    from mvexplorer.io.base.path_text import full_path

    name = os.fspath(source)
    if "\0" in name:
        raise DataError("The path to show holds a null character, which no file's name can have.", "Check the path.")
    return name if is_built_in(name) else os.path.abspath(full_path(name))


def _next_file() -> Path:
    """Name a new file for data handed over; of those before it keep the latest few and those that open work needs."""
    folder = handed_over_folder()
    with in_words(ComputeError, f"The data cannot be handed to the window in {folder}"):
        make_own_folder(folder)
        there = sorted(folder.glob(f"*{PACKAGE_SUFFIX}*"), key=lambda path: path.stat().st_mtime)
        needed = b"".join(kept.read_bytes() for kept in user_folder().glob(f"last*{SUFFIX}"))
        most = 3  # besides those that open windows or unsaved work need
        for path in there[: max(0, len(there) - most + 1)]:
            if path.name.encode() not in needed:
                path.unlink()
    return folder / f"from-python-{secrets.token_hex(4)}{PACKAGE_SUFFIX}"


def _start(opened: Mapping[str, str]) -> RemoteWindow:
    """Start the process, and return once it shows what it was given."""
    token = secrets.token_hex(32)
    process = subprocess.Popen(
        command("mvexplorer.ui.remote_start"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # an interrupted cell does not end it
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin as handed, suppress(BrokenPipeError):
        handed.write(json.dumps({"token": token, **opened}).encode())
    with process.stdout as heard:
        line = heard.readline()  # nothing where the process ended
    said: Message = json.loads(line or "{}")
    if "address" not in said:
        process.wait()
        raise _error_of({"error": "The window did not open.", "hint": "Run: mvexplorer doctor", **said})
    return RemoteWindow(process, channel_to(said["address"], token))


def channel_to(address: str, token: str) -> Channel:
    """A channel to the window at an address; ComputeError where the token is wrong, it is driven already, or closed."""
    try:
        channel = Channel(Client(address, authkey=token.encode()))
    except AuthenticationError:
        hint = "Only the Python that opened a window can drive it: open one of your own by mvx.show."
        raise ComputeError("The window does not know this token.", hint) from None
    except (OSError, EOFError):
        welcome = None
    else:
        welcome = channel.receive()
    if welcome is None:
        raise ComputeError("The window is closed: nobody answers there any more.", "Open one by mvx.show.")
    if "error" in welcome:
        raise _error_of(welcome)
    return channel


def error_message(number: object, error: MVExplorerError) -> Message:
    """The answer that what was asked is refused; `_error_of` makes the error of it again."""
    return {"of": number, "error": error.message, "hint": error.hint, "kind": type(error).__name__}


def _error_of(said: Message) -> MVExplorerError:
    """The error that the window told of, of its kind, or of the next kind that takes nothing but words."""
    kind = getattr(errors, said.get("kind", ""), ComputeError)
    if not (isinstance(kind, type) and issubclass(kind, MVExplorerError)):
        kind = ComputeError
    plain = next(base for base in kind.__mro__ if "__init__" not in vars(base) or base is MVExplorerError)
    error: MVExplorerError = plain(said["error"], said.get("hint", ""))
    return error


def _plain(value: object) -> bool | int | float | str:
    """A value as JSON can say it; any other as text, which the window refuses in its own words."""
    plain = value.item() if isinstance(value, np.generic) else value
    return plain if isinstance(plain, bool | int | float | str) else str(plain)


class Host:
    """The window's side: answers the first caller that knows the token, and tells any other that there is one.

    `answer` gets each question on a thread of its own, and returns the answer, or None.
    """

    def __init__(self, token: str, answer: Callable[[Message], Message | None]) -> None:
        self._listener = Listener(authkey=token.encode())
        self._answer = answer
        self._channel: Channel | None = None
        self._closed = False
        self.address = str(self._listener.address)
        Thread(target=self._welcome, name="notebook door", daemon=True).start()

    def _welcome(self) -> None:
        """Let the first caller in: the door stays open, so that others hear why they are sent away."""
        while not self._closed:
            with suppress(AuthenticationError, EOFError, OSError):
                channel = Channel(self._listener.accept())
                if self._channel is None:
                    channel.send({"of": "begin"})
                    self._channel = channel
                    Thread(target=self._serve, args=(channel,), name="notebook", daemon=True).start()
                else:
                    said = "Another Python drives this window, which listens to one alone."
                    channel.send(error_message("begin", ComputeError(said, "Open one of your own by mvx.show.")))
                    channel.close()

    def _serve(self, channel: Channel) -> None:
        while (question := channel.receive()) is not None:
            if (answer := self._answer(question)) is not None:
                self.tell(answer)
        channel.close()  # a message that cannot be understood ends it as well

    def tell(self, message: Message) -> None:
        """Say something; nothing happens where nobody listens any more."""
        if self._channel is not None:
            with suppress(OSError):
                self._channel.send(message)

    def close(self) -> None:
        """Hang up, and let nobody in any more: whoever calls knows then that this is over."""
        self._closed = True
        with suppress(OSError):
            Client(self.address).close()  # who waits at the door sees that it is closed
        self._listener.close()
        if self._channel is not None:
            self._channel.close()
