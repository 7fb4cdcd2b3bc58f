"""A notebook, run by Jupyter's own client, drives a window on a real X server through every call, each undone."""

import numpy as np
import pytest
from xserver import missing_tools, x_server

import mvexplorer as mvx
from mvexplorer.state.document.commands import initial_state
from mvexplorer.state.session.session import save_session

pytestmark = [pytest.mark.window, pytest.mark.slow, pytest.mark.nightly]

BEGIN = """
import json, subprocess
import numpy as np
import mvexplorer as mvx
from mvexplorer.errors import ComputeError, DataError, ParameterError, SessionError
from mvexplorer.state.bench import remote_window

starts, begin = [], remote_window.channel_to

def channel_to(address, token):  # so that the test knows where the window listens
    starts.append((address, token))
    return begin(address, token)

remote_window.channel_to = channel_to
data = mvx.load(["one.csv", "two.csv"], labels="kind")
window = mvx.show(data)
window.screenshot("first.png")
first = window.session["state"]

def refused(kind, words, call, *given, **named):
    try:
        call(*given, **named)
    except kind as error:
        assert type(error) is kind and words in str(error), error
    else:
        raise AssertionError(words)

def undone(state):
    subprocess.run(["xdotool", "key", "ctrl+z"], check=True)
    for _ in range(2000):
        if window.session["state"] == state:
            return
    raise AssertionError("undo does not lead back")
"""
SET = """
window.set(method="multiview", epsilon_scale=2, eta=0.1, t=3)
panel = window.session["state"]["panels"][0]
assert (panel["method"], panel["epsilon_scale"], panel["pins"]["eta"], panel["pins"]["t"]) == ("multiview", 2, 0.1, 3)
window.screenshot("changed.png")
undone(first)
window.screenshot("again.png")
"""
SELECT = """
window.select(data.labels == "1")
assert np.array_equal(window.selection(), np.flatnonzero(data.labels == "1"))
undone(first)
window.select([5, 0])
assert window.selection().tolist() == [0, 5]
undone(first)
"""
OPEN = """
window.open("other.mvx")
assert window.selection().tolist() == [7]
assert [view["name"] for view in window.session["state"]["views"]] == ["left", "right"]
undone(first)
"""
WRONG = """
refused(ParameterError, "cannot be 7", window.set, eta=7, method="multiview")
refused(ParameterError, "magic", window.set, method="magic")
refused(ParameterError, "There is no sample “gone”", window.select, ["gone"])
refused(SessionError, "cannot be read", window.open, "gone.mvx.json")
refused(DataError, "cannot be written", window.screenshot, "a.jpg")
(address, token), = starts
refused(ComputeError, "Another Python drives this window", begin, address, token)
refused(ComputeError, "does not know this token", begin, address, "a guess")
assert window.session["state"] == first
window.close()
refused(ComputeError, "The window is closed", window.set, t=2)
refused(ComputeError, "The window is closed", window.screenshot, "a.png")
refused(ComputeError, "The window is closed: nobody answers", begin, address, token)
assert window.session["state"] == first
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    drawn = np.random.default_rng(0)
    for name in ("one", "two"):
        X = drawn.normal(size=(40, 3)) + 5.0 * (np.arange(40) % 2)[:, None]
        np.savetxt(tmp_path / f"{name}.csv", np.c_[X, np.arange(40) % 2], delimiter=",", header="a,b,c,kind",
                   comments="")  # fmt: skip
    data = mvx.MultiView({"left": drawn.normal(size=(30, 3)), "right": drawn.normal(size=(30, 2))})
    state = initial_state(data, (), None).model_copy(update={"selection": (7,)})
    save_session(tmp_path / "other.mvx", state, data, "1")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "settings.json").write_text('{"started_before": true, "animate": false, "theme": "light"}')
    monkeypatch.setenv("MVEXPLORER_HOME", str(tmp_path / "home"))
    return tmp_path


def test_a_notebook_drives_the_window_through_every_call_and_each_is_undone(folder, monkeypatch):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    if missing := missing_tools():
        pytest.skip(f"a real window needs {', '.join(missing)}")
    cells = [nbformat.v4.new_code_cell(text) for text in (BEGIN, SET, SELECT, OPEN, WRONG)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbformat.write(notebook, folder / "drive.ipynb")
    with x_server() as display:
        for name, value in {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
        monkeypatch.delenv("MVEXPLORER_WINDOW", raising=False)
        notebook = nbformat.read(folder / "drive.ipynb", as_version=nbformat.NO_CONVERT)
        nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    pictures = [(folder / f"{name}.png").read_bytes() for name in ("first", "changed", "again")]
    assert pictures[0] != pictures[1]
