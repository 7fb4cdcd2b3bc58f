"""Displays that do not answer, platforms that do not exist: one sentence before Qt aborts the process."""

import os
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest
from command import NO_DISPLAY, environment, mvexplorer_in, two_views
from xserver import missing_tools, poll, running

from mvexplorer.errors import MVExplorerError
from mvexplorer.ui.runtime import platform_check as platform

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays are named so on Linux")

SOCKETS = "/tmp/.X11-unix"
PAINTED = """
import sys
from PySide6.QtCore import QTimer
from mvexplorer.cli import main
from mvexplorer.ui.window.main_window import MainWindow

show = MainWindow.show

def show_and_leave(window):
    from PySide6.QtWidgets import QApplication
    show(window)
    print("shown on", QApplication.platformName(), flush=True)
    QTimer.singleShot(0, lambda: QApplication.exit(0))

MainWindow.show = show_and_leave
sys.exit(main(["helix-a"]))
"""


@contextmanager
def listening(path, reply=None):
    """A socket that takes connections, and answers what comes or says nothing at all."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()

        def answer():
            connection, _ = server.accept()
            with connection:
                if connection.recv(100):
                    connection.sendall(reply)

        thread = threading.Thread(target=answer if reply else lambda: None, daemon=True)
        thread.start()
        try:
            yield
        finally:
            os.unlink(path)


@contextmanager
def bare_x_server():
    """A display without any client: it resets itself whenever its last one goes."""
    if "Xvfb" in missing_tools():
        pytest.skip("needs Xvfb")
    reader, writer = os.pipe()
    with running(["Xvfb", "-displayfd", str(writer), "-nolisten", "tcp"], pass_fds=[writer], stderr=subprocess.DEVNULL):
        os.close(writer)
        with os.fdopen(reader) as numbers:
            yield f":{numbers.readline().strip()}"


def free_number():
    """The number of an X display that nobody uses."""
    return next(n for n in range(4000, 5000) if not os.path.exists(f"{SOCKETS}/X{n}"))


def refused(folder, *arguments, **changes):
    """The one line of a window that cannot open."""
    done = mvexplorer_in(folder, *arguments, **{**NO_DISPLAY, **changes})
    assert done.returncode == 2, (done.returncode, done.stderr)
    (line,) = done.stderr.splitlines()
    assert done.stdout == ""
    return line


@pytest.fixture
def problem(monkeypatch):
    """What the window would say, asked in this process."""

    def ask(**changes):
        for name, value in {**NO_DISPLAY, **changes}.items():
            monkeypatch.delenv(name, raising=False) if value is None else monkeypatch.setenv(name, value)
        with pytest.raises(MVExplorerError) as raised:
            platform.use_platform()
        return str(raised.value)

    return ask


@pytest.mark.parametrize(
    ("name", "reason"),
    [(":4242", "nothing answers there"), (":4242.0", "nothing answers there"), ("localhost:4242", "nothing answers"),
     ("nonsense", "this is no name of a display"), ("/nowhere:0", "nothing answers there")],
)  # fmt: skip
def test_a_dead_x_display_is_one_sentence(tmp_path, problem, name, reason):
    sentence = f"The display DISPLAY={name} cannot be used: {reason}"
    said = problem(DISPLAY=name)
    assert said.startswith(sentence)
    assert "Correct DISPLAY, or unset it" in said
    if name in (":4242", "nonsense"):
        assert refused(tmp_path, DISPLAY=name) == f"mvexplorer: {said}"


@pytest.mark.parametrize("name", ["nonsense", "nonsense;also:x=1", "xcb"])
def test_a_platform_that_cannot_start_is_one_sentence(tmp_path, problem, name):
    said = problem(QT_QPA_PLATFORM=name, DISPLAY=":4242")
    assert "The display DISPLAY=:4242" in said if name == "xcb" else "Qt has no platform “" in said
    if name == "nonsense;also:x=1":
        assert refused(tmp_path, "helix-a", QT_QPA_PLATFORM=name, DISPLAY=":4242") == f"mvexplorer: {said}"


@pytest.mark.parametrize("asked", ["eglfs", "linuxfb:fb=/dev/null", "nonsense;linuxfb:fb=/dev/null", "vkkhrdisplay"])
def test_a_platform_that_only_qt_knows_is_tried_in_another_process(tmp_path, problem, asked):
    # eglfs needs a graphics card's console, which no test machine lends; linuxfb starts without a screen; vkkhrdisplay
    # starts and never shows a window that is painted as ours are.
    name = asked.rpartition(";")[2].partition(":")[0]
    sentence = f"Qt's platform “{name}” does not start here"
    assert sentence in problem(QT_QPA_PLATFORM=asked, DISPLAY=":4242")
    if name == "eglfs":
        assert sentence in refused(tmp_path, QT_QPA_PLATFORM=asked, DISPLAY=":4242")


def test_a_platform_without_a_screen_gives_way_to_the_next(tmp_path):
    asked = "linuxfb:fb=/dev/null;offscreen"
    done = mvexplorer_in(tmp_path, "doctor", **{**NO_DISPLAY, "QT_QPA_PLATFORM": asked})
    assert "Qt platform: offscreen; no display" in done.stdout


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["eglfs", "nonsense", "linuxfb", "vkkhrdisplay"])
def test_commands_that_paint_need_no_platform_of_the_users(tmp_path, name):
    two_views(tmp_path)
    done = mvexplorer_in(tmp_path, "screenshot", "x.csv", "--out", "a.png", QT_QPA_PLATFORM=name)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "a.png").stat().st_size > 0


def test_the_next_platform_of_a_list_is_taken(tmp_path):
    done = mvexplorer_in(
        tmp_path, "doctor", **{**NO_DISPLAY, "QT_QPA_PLATFORM": "nonsense;xcb;offscreen", "DISPLAY": ":4242"}
    )
    assert "Qt platform: offscreen; no display" in done.stdout


def test_a_display_that_never_answers_is_waited_for_only_so_long(monkeypatch):
    monkeypatch.setattr(platform, "PATIENCE", 0.2)
    number = free_number()
    os.makedirs(SOCKETS, exist_ok=True)
    with listening(f"{SOCKETS}/X{number}"):
        assert platform.x_problem(f":{number}") == "nothing came back within 0.2 s"


def test_what_the_library_says_of_a_refusal_is_part_of_the_sentence(tmp_path, capfd, monkeypatch):
    number = free_number()
    os.makedirs(SOCKETS, exist_ok=True)
    reason = b"No protocol specified\n"
    words = -(-len(reason) // 4)
    reply = bytes([0, len(reason)]) + b"".join(n.to_bytes(2, sys.byteorder) for n in (11, 0, words))
    with listening(f"{SOCKETS}/X{number}", reply + reason.ljust(4 * words, b"\0")):
        assert platform.x_problem(f":{number}") == "No protocol specified"
    assert capfd.readouterr().err == ""


def test_wayland_displays(tmp_path, monkeypatch):
    monkeypatch.setattr(platform, "PATIENCE", 0.2)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert platform.wayland_problem("wayland-9") == "nothing answers there"
    assert platform.wayland_problem("x" * 300) == "nothing answers there"
    with listening(tmp_path / "silent"):
        assert platform.wayland_problem("silent") == "nothing came back within 0.2 s"
    with listening(tmp_path / "good", b"\x02\0\0\0\0\0\x0c\0\0\0\0\0"):
        assert platform.wayland_problem(str(tmp_path / "good")) == ""
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert "XDG_RUNTIME_DIR" in platform.wayland_problem("wayland-0")


def test_a_dead_wayland_display_is_one_sentence(tmp_path):
    line = refused(tmp_path, WAYLAND_DISPLAY="wayland-9", XDG_RUNTIME_DIR=str(tmp_path))
    # A machine without a desktop may lack Wayland's libraries as well.
    assert "WAYLAND_DISPLAY=wayland-9 cannot be used: nothing answers there" in line or "libwayland" in line


@pytest.mark.parametrize("alive", ["xcb", "wayland"])
def test_of_two_displays_the_one_that_answers_is_taken(monkeypatch, alive):
    monkeypatch.delenv("QT_QPA_PLATFORM")
    monkeypatch.setenv("DISPLAY", ":4242")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-9")
    monkeypatch.setattr(platform, "_platform_problem", lambda name: "" if name == alive else "dead")
    assert platform.inspect_platform() == platform.Verdict(alive)
    monkeypatch.setattr(platform, "_platform_problem", lambda name: "")
    assert platform.inspect_platform() == platform.Verdict()
    monkeypatch.setattr(platform, "_platform_problem", lambda name: f"{name} is dead")
    assert platform.inspect_platform() == platform.Verdict(problem="xcb is dead", has_display=False)


@pytest.mark.nightly
def test_the_window_opens_on_a_server_that_has_no_other_client(tmp_path):
    with bare_x_server() as name:
        variables = environment(
            tmp_path, DISPLAY=name, WAYLAND_DISPLAY="wayland-9", XDG_RUNTIME_DIR=str(tmp_path), QT_QPA_PLATFORM=None,
            PYTHONWARNINGS=None,
        )  # fmt: skip
        poll("the server", lambda: platform.x_problem(name) == "")
        done = subprocess.run(
            [sys.executable, "-c", PAINTED], env=variables, cwd=tmp_path, capture_output=True, text=True, timeout=60,
            check=False,
        )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "shown on xcb\n"), done.stderr


def test_commands_without_a_window_ask_no_display(tmp_path):
    two_views(tmp_path)
    done = mvexplorer_in(
        tmp_path, "compare", "x.csv", "--methods", "pca", "--out", "a.png", **{**NO_DISPLAY, "DISPLAY": ":4242"}
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.nightly
def test_the_window_keeps_pythons_own_import(tmp_path):
    """PySide's own reads the source of every module that comes later."""
    code = (
        "import builtins; own = builtins.__import__\n"
        "from mvexplorer.ui.runtime.platform_check import use_platform\n"
        "use_platform()\n"
        "import mvexplorer.ui.app\n"
        "assert builtins.__import__ is own"
    )
    subprocess.run([sys.executable, "-c", code], env=environment(tmp_path, QT_QPA_PLATFORM="offscreen"), check=True)
