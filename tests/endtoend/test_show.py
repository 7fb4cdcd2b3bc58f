"""`mvexplorer.show`: a window as a process of its own, asked over a local socket that only its caller can use."""

import doctest
import os
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client
from threading import Event, Thread

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer import errors
from mvexplorer.errors import ComputeError, DataError, SessionError
from mvexplorer.private import handed_over_folder
from mvexplorer.state.bench import remote_window
from mvexplorer.state.bench.remote_window import Channel, Host, RemoteWindow, channel_to
from mvexplorer.state.document.commands import initial_state
from mvexplorer.state.session.session import open_session, session_content


@pytest.fixture(autouse=True)
def offscreen(tmp_path, monkeypatch):
    monkeypatch.setenv("MVEXPLORER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setenv("MVEXPLORER_WINDOW", "offscreen")


def views(n=40):
    rng = np.random.default_rng(1)
    return {"left": rng.normal(size=(n, 3)), "right": rng.normal(size=(n, 2))}


def whole(window):
    """The session once all panels are there: they come one after another."""
    for _ in range(100_000):
        told = window.session
        if len(told["cameras"]) == len(told["state"]["panels"]):
            return told
    raise AssertionError("some panels never come")


@pytest.mark.nightly
def test_a_window_shows_arrays_tells_its_session_and_is_continued():
    window = mvx.show(views())
    try:
        assert window.is_open
        assert window.selection().tolist() == []
        told = whole(window)
    finally:
        window.close()
    assert not window.is_open
    assert [view["name"] for view in told["state"]["views"]] == ["left", "right"]
    assert window.session == told  # what was there at the end
    told["state"]["selection"] = [3, 1, 2]
    again = mvx.show(views(), session=told)
    try:
        assert again.selection().tolist() == [1, 2, 3]
        assert again.selection().dtype == np.intp
        assert len(list(handed_over_folder().iterdir())) == 2
    finally:
        again.close()


def test_a_session_of_other_data_is_refused_before_a_window_opens():
    data = mvx.MultiView(views())
    told = session_content(initial_state(data, (), None), data, "mvexplorer", {}).model_dump(mode="json")
    with pytest.raises(SessionError, match="made for 40 samples of left, right"):
        mvx.show(views(41), session=told)
    with pytest.raises(SessionError, match="cannot be read"):
        mvx.show(views(), session="gone.mvx.json")
    with pytest.raises(DataError, match="nothing to show"):
        mvx.show()


@pytest.mark.nightly
def test_the_examples_of_a_window_do_what_they_say(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # one writes a picture
    names = sorted(vars(RemoteWindow), key="close".__eq__)  # the last one
    public = [RemoteWindow, *(vars(RemoteWindow)[name] for name in names if not name.startswith("_"))]
    data = mvx.load("helix-a")
    window = mvx.show(data)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    try:
        for each in public:
            given = {"mvx": mvx, "data": data, "window": window}
            (test,) = doctest.DocTestFinder(recurse=False).find(each, "window", module=False, globs=given)
            assert test.examples
            runner.run(test)
    finally:
        window.close()
    assert runner.summarize().failed == 0
    assert (tmp_path / "window.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.nightly
def test_what_the_window_cannot_open_and_a_missing_display_are_one_sentence(monkeypatch, tmp_path):
    with pytest.raises(DataError, match="There is no sample or file"):
        mvx.show(tmp_path / "gone.csv")
    monkeypatch.delenv("MVEXPLORER_WINDOW")
    with pytest.raises(errors.MVExplorerError, match="no display") as raised:
        mvx.show("helix-a")
    assert "mvx.embed" in raised.value.hint


def test_only_who_knows_the_token_is_answered_and_nothing_is_unpickled():
    host = Host("secret", lambda asked: {"of": asked["number"], "selection": [7], "session": {}})
    with pytest.raises((AuthenticationError, OSError, EOFError)):
        Client(host.address, authkey=b"guess")
    channel = channel_to(host.address, "secret")
    channel.send({"do": "tell", "number": 4})
    assert channel.receive() == {"of": 4, "selection": [7], "session": {}}
    channel._connection.send({"do": "tell", "number": 5})  # a pickle, which is no JSON
    assert channel.receive() is None


def test_a_wrong_token_a_second_caller_and_a_closed_window_are_told_apart():
    host = Host("secret", lambda asked: {"of": asked["number"]})
    said = {}

    def refused(token):
        with pytest.raises(ComputeError) as caught:
            channel_to(host.address, token)
        said[str(caught.value)] = token

    refused("a guess")
    first = channel_to(host.address, "secret")
    refused("secret")
    first.send({"do": "tell", "number": 1})
    assert first.receive() == {"of": 1}  # who called first is still heard
    first.close()
    with pytest.raises(ComputeError, match="Another Python drives this window"):
        channel_to(host.address, "secret")
    host.close()
    refused("secret")
    host.close()
    assert list(said) == [
        "The window does not know this token. Only the Python that opened a window can drive it: open one of your own "
        "by mvx.show.",
        "Another Python drives this window, which listens to one alone. Open one of your own by mvx.show.",
        "The window is closed: nobody answers there any more. Open one by mvx.show.",
    ]


class Ended:
    def poll(self):
        return 0


def test_answers_that_come_late_or_never_are_told(monkeypatch):
    monkeypatch.setattr(remote_window, "ANSWER_SECONDS", 0.2)
    host = Host("secret", lambda asked: None)
    window = RemoteWindow(Ended(), channel_to(host.address, "secret"))
    with pytest.raises(ComputeError, match="does not answer"):
        window.selection()
    host.tell({"of": 1, "selection": [1], "session": {}})  # to the question before
    host.tell({"of": 2, "selection": [2], "session": {}})
    assert window.selection().tolist() == [2]
    host.tell({"of": "end", "selection": [9], "session": {}})
    host.close()
    assert window.selection().tolist() == [9]


def test_two_threads_may_hang_up_at_once():
    class Slow:
        closing = most = 0

        def close(self):
            self.closing += 1
            self.most = max(self.most, self.closing)
            Event().wait(0.05)
            self.closing -= 1

    connection = Slow()
    channel = Channel(connection)
    threads = [Thread(target=channel.close) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert connection.most == 1


def test_a_sample_keeps_its_name():
    data = mvx.load("helix-a")
    assert remote_window._handed_over(data, None) == {"source": "helix-a"}
    told = open_session(remote_window._handed_over(data.replace(labels=None), None)["session"])
    assert told.state.source != ("helix-a",)  # other data than the sample
    state = initial_state(data, ("helix-a",), None).model_copy(update={"selection": (1, 2)})
    content = session_content(state, data, "mvexplorer", {}).model_dump(mode="json")
    for shown in (data, "helix-a"):
        again = open_session(remote_window._handed_over(shown, content)["session"])
        assert (again.state.source, again.state.selection) == (("helix-a",), (1, 2))
    assert remote_window._handed_over(mvx.load("helix-a", preprocess="zscore"), None).keys() == {"session"}


def test_only_the_latest_data_is_kept():
    folder = handed_over_folder()
    folder.mkdir(parents=True)
    for i in range(5):
        path = folder / f"from-python-{i}.mvx"
        path.write_bytes(b"")
        os.utime(path, (i, i))
    assert remote_window._next_file().parent == folder
    assert sorted(path.name for path in folder.iterdir()) == ["from-python-3.mvx", "from-python-4.mvx"]
