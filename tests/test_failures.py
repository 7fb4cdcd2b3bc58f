"""Faults of the program: each exception that nobody caught is logged and handed on, and a crash is told once."""

import logging
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from mvexplorer.failures import FailureListener, Fault, fault_of, former_crash

ROOT = Path(__file__).parents[1]


@pytest.fixture
def heard(tmp_path):
    """A listener on an empty folder, and the faults it has handed on."""
    faults: list[Fault] = []
    hooks = sys.excepthook, threading.excepthook, sys.unraisablehook
    # What pytest itself would print of a fault made on purpose is nothing to see.
    sys.excepthook = threading.excepthook = sys.unraisablehook = lambda *_: None
    listener = FailureListener(tmp_path / "home", faults.append)
    yield listener, faults
    listener.close()
    sys.excepthook, threading.excepthook, sys.unraisablehook = hooks


def raised(text="no such thing"):
    try:
        raise ValueError(text)
    except ValueError as error:
        return error


def test_an_exception_on_the_main_thread_is_logged_and_handed_on(heard):
    listener, faults = heard
    error = raised()
    sys.excepthook(type(error), error, error.__traceback__)
    assert [f.summary for f in faults] == ["ValueError: no such thing"]
    assert "in raised" in faults[0].details
    assert "ValueError: no such thing" in listener.log_path.read_text("utf-8")


def test_an_exception_in_a_thread_is_heard(heard):
    _, faults = heard
    thread = threading.Thread(target=lambda: 1 // 0)
    thread.start()
    thread.join()
    assert [f.summary.split(":")[0] for f in faults] == ["ZeroDivisionError"]


def test_an_exception_in_a_finaliser_is_heard(heard):
    _, faults = heard

    class Faulty:
        def __del__(self):
            raise RuntimeError("too late")

    Faulty()
    assert [f.summary for f in faults] == ["RuntimeError: too late"]


def test_a_listener_of_a_signal_is_named_by_what_went_wrong_in_it(heard):
    from psygnal import Signal

    class Source:
        changed = Signal()

    def listen():
        raise ValueError("in a listener")

    listener, faults = heard
    source = Source()
    source.changed.connect(listen)
    try:
        source.changed.emit()
    except Exception as error:
        listener.hear(error)
    assert [f.summary for f in faults] == ["ValueError: in a listener"]


def test_leaving_the_program_is_no_fault(heard):
    listener, faults = heard
    for error in (KeyboardInterrupt(), SystemExit(2)):
        listener.hear(error)
    assert not faults


def test_a_fault_while_telling_of_one_goes_no_further(heard, caplog):
    listener, faults = heard

    def refuse(fault):
        faults.append(fault)
        listener.hear(raised("while telling"))
        raise RuntimeError("cannot show it")

    listener.on_fault = refuse
    listener.hear(raised("first"))
    assert [f.summary for f in faults] == ["ValueError: first"]
    assert "ValueError: while telling" in caplog.text
    assert "an error could not be shown" in caplog.text


def test_the_same_fault_again_and_again_is_told_now_and_then(heard):
    listener, faults = heard
    error = raised()
    for _ in range(250):
        listener.hear(error)
    assert len(faults) == 3
    assert "(100 times)" in listener.log_path.read_text("utf-8")


def test_what_others_log_with_an_exception_is_handed_on_and_logged_once(heard, capsys):
    listener, faults = heard
    try:
        raise ValueError("in a job")
    except ValueError:
        logging.getLogger("mvexplorer.test").exception("a computation failed")
    assert [f.summary for f in faults] == ["ValueError: in a job"]
    assert listener.log_path.read_text("utf-8").count("Traceback") == 1


def test_a_warning_is_logged_but_is_no_fault(heard):
    listener, faults = heard
    logging.getLogger("mvexplorer.test").warning("odd")
    assert not faults
    assert "WARNING mvexplorer.test: odd" in listener.log_path.read_text("utf-8")


def test_a_report_names_versions_and_what_was_asked():
    report = fault_of(raised()).report("the request")
    assert report.startswith("ValueError: no such thing")
    for part in ("Python 3.", "numpy", "the request", "Traceback"):
        assert part in report


def test_a_deep_recursion_makes_a_short_report():
    def deeper():
        deeper()

    with pytest.raises(RecursionError) as found:
        deeper()
    assert len(fault_of(found.value).details.splitlines()) < 150


def test_the_log_turns_over(heard, monkeypatch):
    listener, _ = heard
    for _ in range(3):
        logging.getLogger("mvexplorer.test").warning("x" * (400 << 10))
    sizes = sorted(path.stat().st_size for path in listener.log_path.parent.glob("mvexplorer.log*"))
    assert len(sizes) == 3
    assert max(sizes) <= 512 << 10


def test_a_folder_that_cannot_be_written_is_said_and_faults_are_still_heard(tmp_path, monkeypatch):
    (tmp_path / "home").write_text("a file where a folder belongs")
    faults: list[Fault] = []
    listener = FailureListener(tmp_path / "home", faults.append)
    try:
        assert "The error log cannot be written to" in listener.problem
        listener.hear(raised())
    finally:
        listener.close()
    assert len(faults) == 1


def crash(home):
    """The number of a process that crashed in C code, leaving its record."""
    program = (
        "import sys; from pathlib import Path; from mvexplorer.failures import FailureListener; import os;"
        "FailureListener(Path(sys.argv[1])); print(os.getpid(), flush=True); os.abort()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(home)], capture_output=True, encoding="utf-8", timeout=60, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode != 0
    return int(done.stdout)


def test_a_crash_is_told_once_at_the_next_start(tmp_path):
    crash(tmp_path)
    assert "Fatal Python error: Aborted" in former_crash(tmp_path)
    assert former_crash(tmp_path) == ""


def test_a_clean_end_leaves_no_record(tmp_path):
    FailureListener(tmp_path).close()
    assert not list(tmp_path.glob("crash-*"))


def test_the_record_of_a_program_still_running_stays(tmp_path):
    record = tmp_path / f"crash-{os.getpid()}.txt"
    record.write_text("Fatal Python error: not yet")
    assert former_crash(tmp_path) == ""
    assert record.exists()
