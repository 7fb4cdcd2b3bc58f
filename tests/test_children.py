"""Processes that the program starts run nothing that lies in the folder where the user works."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mvexplorer.children import command
from mvexplorer.state.bench import remote_window
from mvexplorer.ui.runtime import platform_check


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose files are called as modules are; whichever of them is run leaves a mark. Returns the mark."""
    mark = tmp_path / "was-run"
    for name in ("rich", "json", "random", "socket", "numpy", "PySide6", "mvexplorer"):
        (tmp_path / f"{name}.py").write_text(f"open({str(mark)!r}, 'w'); raise SystemExit(9)\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MVEXPLORER_HOME", str(tmp_path / "home"))
    for name in ("QT_QPA_PLATFORM", "MVEXPLORER_WINDOW"):
        monkeypatch.setenv(name, "offscreen")
    return mark


def test_a_child_does_not_look_into_the_working_folder(trap: Path) -> None:
    done = subprocess.run(command("mvexplorer.ui.runtime.platform_trial"), env={"QT_QPA_PLATFORM": "offscreen"})
    assert done.returncode == 0
    assert not trap.exists()


def test_a_display_is_tried_without_the_working_folder(trap: Path) -> None:
    assert platform_check._starts_as_another_process("offscreen")
    assert not trap.exists()


@pytest.mark.nightly
def test_the_window_of_another_process_starts_without_the_working_folder(trap: Path) -> None:
    window = remote_window.show("circles")
    assert window.is_open
    window.close()
    assert not trap.exists()


ON_WORKERS = """
import os
from mvexplorer.compute.remote.remote_dask import workers_at
if __name__ == "__main__":
    before = dict(os.environ)
    with workers_at("local:1") as workers:
        assert workers.processes == 1
        assert dict(os.environ) == before
"""


@pytest.mark.nightly
def test_workers_on_this_computer_do_not_look_into_the_working_folder(
    trap: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    # A script of its own: this process may run with -P, which its children inherit.
    script = tmp_path_factory.mktemp("scripts") / "script.py"
    script.write_text(ON_WORKERS, "utf-8")
    known = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    home = str(Path(remote_window.__file__).parents[3])
    subprocess.run([sys.executable, str(script)], env={**known, "PYTHONPATH": home}, check=True)
    assert not trap.exists()


def test_a_child_finds_this_program_where_it_was_not_installed(tmp_path: Path) -> None:
    program = command("mvexplorer.ui.runtime.platform_trial")[-1].replace("main()", "print(sys.path[-1]) or 0")
    said = subprocess.run([*command("x")[:-1], program], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert Path(said.stdout.strip()) == Path(remote_window.__file__).parents[3]
