"""Where output goes: full, closed and left pipes, any encoding, no working folder, no home, and Ctrl+C."""

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest
from command import LIMIT, NO_DISPLAY, environment, main_in, mvexplorer_in, two_views

from mvexplorer.cli import main
from mvexplorer.datasets.loading import load_source
from mvexplorer.state.document import commands
from mvexplorer.state.session.session import save_session
from mvexplorer.state.session.settings import Settings, read_settings, write_settings

pytestmark = pytest.mark.skipif(os.name != "posix", reason="streams are closed so by a shell")

EMBED = ("embed", "helix-a", "--method", "pca")
C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": None}
PRINTING = [
    ("methods",), ("methods", "--json"), ("rules",), ("samples", "--json"), EMBED, ("doctor",),
    ("bandwidth", "helix-a", "--rule", "median"), ("bandwidth", "helix-a", "--rule", "median", "--json"),
    ("compare", "x.csv", "--methods", "pca", "--out", "a.png"), ("run", "work.mvx.json"), ("--help",), ("--version",),
]  # fmt: skip
WAYS = [PRINTING[4], *(pytest.param(PRINTING[i], marks=pytest.mark.nightly) for i in (0, 1, 10))]
"""Coordinates, a table, JSON and help: each is printed by other code. Where nothing is to be seen but a process,
one of them gates and the others run at night."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a session of two small views."""
    folder = tmp_path_factory.mktemp("streams")
    two_views(folder)
    loaded = load_source([str(folder / "x.csv"), str(folder / "y.csv")])
    save_session(
        folder / "work.mvx.json", commands.initial_state(loaded.data, loaded.sources, None, False), loaded.data, "1"
    )
    return folder


def shell(folder, redirections, *arguments, **changes):
    """A finished command whose streams a shell redirected."""
    line = f'exec "$@" {redirections}'
    return subprocess.run(
        ["sh", "-c", line, "sh", sys.executable, "-m", "mvexplorer", *arguments],
        cwd=folder, env=environment(folder, **changes), capture_output=True, encoding="utf-8", timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", WAYS, ids=" ".join)
def test_a_full_output_is_one_sentence(folder, arguments):
    is_refused_in_one_sentence(shell(folder, ">/dev/full", *arguments))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
def test_every_command_says_that_its_output_is_full(folder, arguments):
    with open("/dev/full", "w", encoding="utf-8") as full:
        is_refused_in_one_sentence(main_in(folder, *arguments, stdout=full))


def is_refused_in_one_sentence(done):
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1] == (
        "mvexplorer: Standard output cannot be written: no space left on device. Send it elsewhere."
    )
    assert all(line.startswith("mvexplorer: ") for line in done.stderr.splitlines())


@pytest.mark.parametrize("arguments", WAYS, ids=" ".join)
def test_a_closed_output_is_one_sentence(folder, arguments):
    done = shell(folder, ">&-", *arguments)
    assert done.returncode == 2, done.stderr
    assert "mvexplorer: Standard output is closed" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_what_prints_nothing_needs_no_output(folder):
    done = shell(folder, ">&- <&-", *EMBED, "--out", "b.csv")
    assert done.returncode == 0, done.stderr
    assert (folder / "b.csv").read_text().startswith("id,")


@pytest.mark.parametrize(
    "errors", ["2>/dev/full", *(pytest.param(errors, marks=pytest.mark.nightly) for errors in ("<&- 2>&-", "2>&-"))]
)
def test_notes_that_nobody_can_read_change_nothing_else(folder, errors):
    if "full" in errors and not os.path.exists("/dev/full"):
        pytest.skip("needs a device that is always full")
    arguments = ("embed", "helix-a", "--method", "single")
    wanted = main_in(folder, *arguments)
    assert "uses view1" in wanted.stderr
    done = shell(folder, errors, *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (0, wanted.stdout, "")
    assert shell(folder, errors, "embed", "nowhere.csv", "--method", "pca").returncode == 2
    assert shell(folder, errors, "bandwidth", "helix-a", "--rule", "median").returncode == 0


def test_no_file_takes_the_place_of_a_closed_stream(folder):
    """What a library writes on a closed stream would otherwise land in whatever file was opened next."""
    program = (
        "import os, sys\n"
        "from mvexplorer.cli import main\n"
        "main(['embed', 'helix-a', '--method', 'pca', '--out', 'c.csv'])\n"
        "with open('result', 'w') as file:\n"
        "    os.write(2, b'a warning of a C library')\n"
        "    file.write('result')\n"
    )
    subprocess.run(
        ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", sys.executable, "-c", program],
        cwd=folder, env=environment(folder), check=True, timeout=60,
    )  # fmt: skip
    assert (folder / "result").read_text() == "result"


@pytest.mark.parametrize("arguments", WAYS, ids=" ".join)
def test_a_reader_that_leaves_is_no_error(folder, arguments):
    done = shell(folder, "| head -n 1", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    with subprocess.Popen(
        [sys.executable, "-m", "mvexplorer", *arguments],
        cwd=folder, env=environment(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


@pytest.mark.parametrize(
    "arguments", [*WAYS, pytest.param(("doctor",), marks=pytest.mark.nightly), PRINTING[8]], ids=" ".join
)
def test_everything_can_be_said_in_the_c_locale(folder, arguments):
    is_plain(arguments, mvexplorer_in(folder, *arguments, **C_LOCALE))


@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
def test_every_command_prints_in_ascii(folder, arguments):
    is_plain(arguments, main_in(folder, *arguments, PYTHONIOENCODING="ascii"))


def is_plain(arguments, done):
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    if "--json" in arguments:
        assert json.loads(done.stdout)


@pytest.mark.nightly
def test_coordinates_are_the_same_in_every_locale(folder):
    X, _ = two_views(folder)
    rows = [f"é{i}," + ",".join(map(repr, map(float, row))) for i, row in enumerate(X)]
    (folder / "named.csv").write_text("\n".join(["id,a,b,c", *rows, ""]), "utf-8")
    arguments = ("embed", "named.csv", "--method", "pca", "--ids", "id")
    wanted = mvexplorer_in(folder, *arguments)
    assert "\né1," in wanted.stdout
    assert mvexplorer_in(folder, *arguments, **C_LOCALE).stdout == wanted.stdout
    main_in(folder, *arguments, "--out", "d.csv")
    assert [line for line in (folder / "d.csv").read_text("utf-8").splitlines() if line[0] != "#"] == (
        wanted.stdout.splitlines()
    )


@pytest.mark.nightly
def test_doctor_tells_display_locale_and_encoding(folder):
    done = mvexplorer_in(folder, "doctor", **{**NO_DISPLAY, "DISPLAY": ":4242"})
    assert "\nDisplay: DISPLAY=:4242\n" in done.stdout
    assert "\nLocale: " in done.stdout
    assert "; standard output: utf-8; file names: " in done.stdout
    if sys.platform.startswith("linux"):
        assert done.returncode == 2
        assert "\nThe display DISPLAY=:4242 cannot be used: nothing answers there." in done.stdout
    assert "\nDisplay: none is named\n" in mvexplorer_in(folder, "doctor", **NO_DISPLAY).stdout


# Where it is started ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("methods",), 0), (("--version",), 0), (EMBED, 2), (("compare", "helix-a", "--out", "a.png"), 2), ((), 2)],
)
def test_a_working_folder_that_is_gone(tmp_path, arguments, code):
    line = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", line, "sh", sys.executable, "-m", "mvexplorer", *arguments],
        cwd=tmp_path, env=environment(tmp_path, **NO_DISPLAY), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    sentence = "mvexplorer: The folder this was started in cannot be used: no such file or directory. Change to"
    assert done.stderr.startswith(sentence) if code else done.stderr == ""
    assert len(done.stderr.splitlines()) <= 1


HOMES = {
    "home is a device": {"HOME": "/dev/null"},
    "no folder": {"MVEXPLORER_HOME": "/dev/null/x"},
    "too long": {"MVEXPLORER_HOME": "x" * 5000},
    "no text": {"MVEXPLORER_HOME": "\udcff"},
}


@pytest.mark.parametrize("name", HOMES)
def test_preferences_may_lie_anywhere(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    for variable in ("XDG_CONFIG_HOME", "MVEXPLORER_HOME"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in HOMES[name].items():
        monkeypatch.setenv(variable, value)
    assert read_settings()[0] == Settings()
    assert ("cannot be kept" in write_settings(Settings())) == (name != "no text")


@pytest.mark.nightly
@pytest.mark.parametrize("home", ["home is a device", "no folder", "too long", "no text"])
def test_a_window_starts_wherever_preferences_may_lie(tmp_path, home):
    two_views(tmp_path)
    changes = {"MVEXPLORER_HOME": None, "XDG_CONFIG_HOME": None, **HOMES[home], "MVEXPLORER_WINDOW": "offscreen"}
    with started(tmp_path, "x.csv", **changes) as process:
        interrupt(process)
        assert process.wait(60) == 130
        assert process.stderr.read().decode().splitlines()[-1] == "mvexplorer: Interrupted."


def test_a_user_without_any_home_leaves_no_folder_behind(tmp_path, monkeypatch):
    """Where nobody knows a home, “~” stays as it is: a folder of that name is not what anybody wants."""
    import pwd

    def unknown(number):
        raise KeyError(number)

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "XDG_CONFIG_HOME", "MVEXPLORER_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert read_settings()[0] == Settings()
    assert "cannot be kept" in write_settings(Settings())
    assert list(tmp_path.iterdir()) == []


# Ctrl+C -----------------------------------------------------------------------------------------------------

BUSY = """
import sys
from PySide6.QtCore import QTimer
from mvexplorer.cli import main
from mvexplorer.ui.window.main_window import MainWindow

show = MainWindow.show

def show_and_tell(window):
    show(window)
    timer = QTimer(window, interval=10)

    def look():
        if window.document.data is not None:
            timer.stop()
            print("shown", flush=True)

    timer.timeout.connect(look)
    timer.start()

MainWindow.show = show_and_tell
sys.exit(main(sys.argv[1:]))
"""


@contextmanager
def started(folder, *arguments, **changes):
    """The window's program, running its event loop."""
    variables = environment(folder, **changes, QT_LOGGING_RULES="default.warning=false", PYTHONWARNINGS=None)
    with subprocess.Popen(
        [sys.executable, "-c", BUSY, *arguments], cwd=folder, env=variables, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        patience = threading.Timer(LIMIT, process.kill)
        patience.start()
        try:
            yield process
        finally:
            patience.cancel()
            process.kill()


def interrupt(process):
    """Ctrl+C once there is data in the window."""
    assert process.stdout.readline() == b"shown\n", process.stderr.read().decode()
    process.send_signal(signal.SIGINT)


@pytest.mark.nightly
def test_ctrl_c_closes_the_window_and_keeps_what_it_showed(tmp_path):
    (tmp_path / ".home").mkdir()
    (tmp_path / ".home" / "settings.json").write_text('{"started_before": true, "animate": false}')
    two_views(tmp_path)
    with started(tmp_path, "x.csv", MVEXPLORER_WINDOW="offscreen") as process:
        interrupt(process)
        assert process.wait(60) == 130
        assert process.stderr.read() == b"mvexplorer: Interrupted.\n"
    assert "x.csv" in (tmp_path / ".home" / "last.mvx.json").read_text("utf-8")


@pytest.mark.nightly
def test_ctrl_c_ends_a_screenshot(tmp_path):
    with started(tmp_path, "screenshot", "uci-digits", "--out", "a.png") as process:
        interrupt(process)
        assert process.wait(60) == 130
        assert process.stderr.read() == b"mvexplorer: Interrupted.\n"
    assert not (tmp_path / "a.png").exists()


def test_ctrl_c_ends_a_computation(tmp_path, monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("mvexplorer.cli.computing.embed", interrupted)
    assert main(list(EMBED)) == 130
    assert capsys.readouterr().err == "mvexplorer: Interrupted.\n"


def test_ctrl_c_while_a_library_is_made_ready_waits_for_it():
    """Shiboken makes its enumerations when they are first used, and drops what is raised meanwhile."""
    from mvexplorer.ui.runtime.interrupt import interrupts_wait

    before, reached = signal.getsignal(signal.SIGINT), []

    def work():
        with interrupts_wait():
            os.kill(os.getpid(), signal.SIGINT)
            reached.append("the end")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert reached == ["the end"]
    assert signal.getsignal(signal.SIGINT) is before
