"""An open window driven by another Python: the same commands, each one step of undo, and the window's own sentences."""

from threading import Thread

import numpy as np
import pytest
from PySide6.QtGui import QImage

from mvexplorer.errors import ComputeError, DataError, ParameterError, SessionError
from mvexplorer.state.bench.remote_window import Host, RemoteWindow, channel_to
from mvexplorer.state.session.session import save_session
from mvexplorer.ui.remote import Remote

TOKEN = "only we know it"


class Process:
    """The window's process, which is this one."""

    def poll(self):
        return None

    def wait(self, seconds=None):
        return None


@pytest.fixture
def remote(window):
    """What answers for the window at its end of the socket."""
    remote = Remote({"token": TOKEN}, -1)
    remote._window = window
    remote._host = Host(TOKEN, remote._answer)
    yield remote
    remote._host.close()


@pytest.fixture
def driver(remote):
    """What `mvx.show` returns."""
    return RemoteWindow(Process(), channel_to(remote._host.address, TOKEN))


@pytest.fixture
def call(qtbot):
    """Calls a function on another thread, as another process would, while the window goes on; returns or raises."""

    def call(function, *arguments, **named):
        answer = []

        def run():
            try:
                answer.append((function(*arguments, **named), None))
            except Exception as error:
                answer.append((None, error))

        thread = Thread(target=run)
        thread.start()
        qtbot.waitUntil(lambda: bool(answer))
        thread.join()
        value, error = answer[0]
        if error is not None:
            raise error
        return value

    return call


def undone(window, before, steps=1):
    """Whether so many steps of undo lead back."""
    window.document.go_to(window.document.position - steps)
    return window.document.state == before


@pytest.mark.panels(2)
def test_set_changes_the_focused_panel_in_one_step(window, driver, call):
    first, second = window.document.state.panels
    window.editor.focus(second.id)
    before, position = window.document.state, window.document.position
    assert call(driver.set, epsilon_scale=np.float64(2.0), eta=0.25, t=np.int64(3), method="multiview") is None
    changed = window.document.state.panel(second.id)
    assert (changed.method, changed.epsilon_scale) == ("multiview", 2.0)
    assert {name: changed.pins[name] for name in ("eta", "t")} == {"eta": 0.25, "t": 3}
    assert window.document.state.panel(first.id) == first
    assert window.document.position == position + 1
    assert window.document.undo_label == "Show Multi-view, Scale ε of a panel by 2, Pin η to 0.25, Pin t to 3"
    assert undone(window, before)
    call(driver.set, t=2)
    call(driver.set, t=4)
    assert window.document.position == position + 2  # not one drag
    assert undone(window, before, 2)


@pytest.mark.panels(1)
def test_select_takes_places_ids_and_a_mask(window, driver, call):
    before, labels = window.document.state, window.document.data.labels
    for given in ([3, 1], ["s01", "s03"], np.array([1, 3]), np.isin(np.arange(48), [1, 3]), ("s03", "s01", 3)):
        call(driver.select, given)
        assert window.document.state.selection == (1, 3)
        assert call(driver.selection).tolist() == [1, 3]
        assert window.document.state.selections.origin == "Python"
        assert undone(window, before)
    call(driver.select, labels == "b")
    assert len(call(driver.selection)) == 16
    call(driver.select, [])
    assert undone(window, before, 2)


@pytest.mark.panels(1)
def test_open_takes_a_file_and_what_session_said_and_undo_leads_back(window, driver, call, rest, tmp_path):
    before, data = window.document.state, window.document.data
    told = call(lambda: driver.session)
    call(driver.set, epsilon_scale=3.0)
    call(driver.open, told)
    assert window.document.state == before
    window.document.undo()
    assert window.document.state.panels[0].epsilon_scale == 3.0
    assert undone(window, before)
    path = tmp_path / "mine.mvx"
    save_session(path, before.model_copy(update={"selection": (5,)}), data, "1")
    call(driver.open, path)
    assert window.document.state.selection == (5,)
    assert window.library.session_path is None  # undo leads to other data than the file's
    rest(window)
    assert undone(window, before)
    assert window.document.data is data


@pytest.mark.panels(2)
def test_a_screenshot_waits_until_the_panels_are_there(window, driver, call, tmp_path):
    call(driver.set, epsilon_scale=1.5)
    call(driver.screenshot, tmp_path / "one.png")
    assert all(result.status == "ready" for result in window.controller.results.values())
    picture = QImage(str(tmp_path / "one.png"))
    assert picture.size() == window.grab().toImage().size()
    window._rest.start(10**6)  # never still
    with pytest.raises(ComputeError, match=r"still being computed after 0.1 s: no screenshot"):
        call(driver.screenshot, tmp_path / "two.png", timeout=0.1)
    assert not (tmp_path / "two.png").exists()
    window._rest.start(0)


WRONG = {
    "method": (lambda d: d.set(method="magic"), ParameterError, "magic"),
    "eta": (lambda d: d.set(method="multiview", eta=1.5, t=2), ParameterError, "η. cannot be 1.5"),
    "text": (lambda d: d.set(t="many"), ParameterError, "is 'many', not a number"),
    "no value": (lambda d: d.set(t=[1]), ParameterError, "is '.1.', not a number"),
    "factor": (lambda d: d.set(epsilon_scale=0), ParameterError, "own factor on ε cannot be 0"),
    "nan": (lambda d: d.set(epsilon_scale=float("nan")), ParameterError, "own factor on ε cannot be"),
    "other's": (lambda d: d.set(method="kernel-sum", eta=0.5), ParameterError, "has no parameter called eta"),
    "no ε": (lambda d: d.set(method="pca", epsilon_scale=2), ParameterError, "PCA has no ε here"),
    "nothing": (lambda d: d.set(), ParameterError, "Nothing is to be set"),
    "place": (lambda d: d.select([48]), ParameterError, "There is no sample number 48"),
    "below 0": (lambda d: d.select([-1]), ParameterError, "There is no sample number -1"),
    "half": (lambda d: d.select([1.5]), ParameterError, "There is no sample “1.5”"),
    "id": (lambda d: d.select("gone"), ParameterError, "There is no sample “gone”"),
    "mask": (lambda d: d.select([True, False]), ParameterError, "The mask has 2 entries for 48 samples"),
    "path": (lambda d: d.open("gone.mvx.json"), SessionError, "cannot be read"),
    "mapping": (lambda d: d.open({"a": 1}), SessionError, "is not a session"),
    "no JSON": (lambda d: d.open({"format": object()}), SessionError, "JSON cannot hold"),
    "ending": (lambda d: d.screenshot("a.jpg"), DataError, "cannot be written as “.jpg”"),
    "folder": (lambda d: d.screenshot("/gone/there/a.png"), DataError, "cannot be written"),
    "time": (lambda d: d.screenshot("a.png", timeout=0), ParameterError, "No window waits 0 seconds"),
    "time as text": (lambda d: d.screenshot("a.png", timeout="long"), ParameterError, "No window waits long seconds"),
}  # fmt: skip


@pytest.mark.panels(1)
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_value_is_the_windows_sentence_and_changes_nothing(window, driver, call, name):
    wrong, kind, words = WRONG[name]
    before, position = window.document.state, window.document.position
    with pytest.raises(kind, match=words) as raised:
        call(wrong, driver)
    assert type(raised.value) is kind
    assert raised.value.hint
    assert (window.document.state, window.document.position) == (before, position)
    assert call(driver.selection).tolist() == list(before.selection)  # it still answers


@pytest.mark.panels(1)
def test_an_opening_that_is_stopped_in_the_window_is_told(window, driver, call, rest, tmp_path):
    path = tmp_path / "mine.mvx"
    save_session(path, window.document.state, window.document.data, "1")
    answer = []

    def given_up():
        try:
            driver.open(path)
        except ComputeError as error:
            answer.append(error.message)

    open_given = window.library.open_given
    window.library.open_given = lambda job, then: (open_given(job, then), window.controller.cancel("open"))
    try:
        call(given_up)
    finally:
        del window.library.open_given
    assert answer == ["The session was not opened: the window was told to stop, or to open something else."]
    rest(window)


@pytest.mark.panels(1)
def test_a_wrong_token_a_second_caller_and_a_closed_window_are_a_sentence_each(window, remote, call):
    with pytest.raises(ComputeError, match="does not know this token") as raised:
        call(channel_to, remote._host.address, "a guess")
    assert "mvx.show" in raised.value.hint
    driver = RemoteWindow(Process(), channel_to(remote._host.address, TOKEN))
    call(driver.select, [2])
    with pytest.raises(ComputeError, match="Another Python drives this window"):
        call(channel_to, remote._host.address, TOKEN)
    remote._host.tell({"of": "end", **remote._state()})
    remote._host.close()
    calls = (driver.set, {"t": 2}), (driver.select, {"samples": []}), (driver.open, {"session": "a.mvx"}), (
        driver.screenshot, {"path": "a.png"})  # fmt: skip
    for function, named in calls:
        with pytest.raises(ComputeError, match="The window is closed: nothing can be changed") as raised:
            call(function, **named)
        assert "session=window.session" in raised.value.hint
    assert driver.selection().tolist() == [2]
