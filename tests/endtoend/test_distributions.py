"""The two distributions: the same files, fewer requirements; each in clean environments, and both in one."""

import email
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import core_commands
import numpy as np
import pytest
from clean_environments import CHECKOUT, CleanEnvironment, core_wheel, finished, whole_wheel
from packaging.requirements import Requirement

from mvexplorer.ui.runtime.platform_check import NO_QT

OF_THE_WINDOW = {"pyside6-essentials", "pyqtgraph"}
pytestmark = [pytest.mark.nightly, pytest.mark.skipif(not CHECKOUT, reason="a wheel is built from a checkout")]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """The wheels of both, by name."""
    folder = tmp_path_factory.mktemp("wheels")
    return {"mvexplorer": whole_wheel(folder), "mvexplorer-core": core_wheel(folder)}


@pytest.fixture(scope="module")
def complete(wheels, tmp_path_factory):
    """A clean environment for each, with all that it requires, from the index."""
    made = {}
    for name, wheel in wheels.items():
        made[name] = CleanEnvironment(tmp_path_factory.mktemp(name) / "env")
        made[name].pip("install", "--quiet", wheel, patience=580)
    return made


def contents(wheel):
    """The files of a wheel beside what it says of itself, and that."""
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    about = {name.partition("/")[2]: text for name, text in files.items() if ".dist-info/" in name}
    return {name: text for name, text in files.items() if ".dist-info/" not in name}, about


def required(about, extra=""):
    """The requirements of a distribution, or of one of its extras."""
    lines = email.message_from_bytes(about["METADATA"]).get_all("Requires-Dist")
    needed = [each for each in map(Requirement, lines) if f"extra == '{extra}'" in str(each).replace('"', "'")]
    return {each.name for each in (needed if extra else [r for r in map(Requirement, lines) if "extra" not in str(r)])}


def size_of_folder(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def two_views(folder):
    drawn = np.random.default_rng(4)
    for name in ("a", "b"):
        rows = [f"s{i},{'xy'[i % 2]},{a:.6f},{b:.6f}" for i, (a, b) in enumerate(drawn.normal(size=(40, 2)))]
        (folder / f"{name}.csv").write_text("\n".join(["id,kind,u,v", *rows]))
    return folder


def test_they_hold_the_same_files_and_differ_in_requirements_alone(wheels):
    (whole, about), (core, about_core) = (contents(wheels[name]) for name in ("mvexplorer", "mvexplorer-core"))
    assert whole == core
    assert about["entry_points.txt"] == about_core["entry_points.txt"]
    assert required(about) - required(about_core) == OF_THE_WINDOW
    assert required(about_core) < required(about)
    assert required(about_core, "window") == OF_THE_WINDOW
    told, told_core = (email.message_from_bytes(each["METADATA"]) for each in (about, about_core))
    assert {name for name in told if told.get_all(name) != told_core.get_all(name)} == {
        "Name", "Requires-Dist", "Provides-Extra"
    }  # fmt: skip


def test_core_is_smaller_by_qt(complete):
    core = complete["mvexplorer-core"].packages
    assert not [path.name for path in core.iterdir() if re.match("(?i)pyside6|shiboken6|pyqtgraph", path.name)]
    saved = size_of_folder(complete["mvexplorer"].packages) - size_of_folder(core)
    assert saved >= 230e6


@pytest.fixture(scope="module")
def results(complete, tmp_path_factory):
    """What came of each command of core, where nothing else is installed."""
    folder = two_views(tmp_path_factory.mktemp("commands"))
    python = complete["mvexplorer-core"].python
    printed = finished(python, core_commands.__file__, folder, folder=folder, MVEXPLORER_HOME=str(folder / "home"))
    return json.loads(printed)["results"]


@pytest.mark.parametrize("name", core_commands.COMMANDS)
def test_each_command_runs_in_core(results, name):
    assert results[name]["code"] == 0, results[name]["out"] + results[name]["err"]


@pytest.mark.parametrize("name", core_commands.REFUSED)
def test_what_needs_the_window_is_refused_in_core(results, name):
    assert results[name]["code"] == 2
    assert "python -m pip install PySide6-Essentials pyqtgraph\n" in results[name]["err"]


def test_a_window_asked_for_in_python_is_refused_in_core_by_the_same_sentence(complete, tmp_path):
    python = complete["mvexplorer-core"].python
    home = {"MVEXPLORER_HOME": str(tmp_path / "home"), "QT_QPA_PLATFORM": "offscreen"}
    assert finished(python, "-c", core_commands.SHOW, folder=tmp_path, **home) == f"{NO_QT}\n"


def test_doctor_finds_core_healthy(results):
    assert f"\nNo window, as mvexplorer-core leaves it. {NO_QT}\n" in results["doctor"]["out"]
    assert results["doctor"]["out"].endswith("Everything needed is here.\n")


def test_the_whole_paints_as_the_window_does(complete, tmp_path):
    two_views(tmp_path)
    script = complete["mvexplorer"].script()
    offscreen = {"QT_QPA_PLATFORM": "offscreen", "MVEXPLORER_HOME": str(tmp_path / "home")}
    assert "Everything needed is here." in finished(script, "doctor", folder=tmp_path, **offscreen)
    finished(script, *core_commands.COMPARE, "--out", "c.pdf", folder=tmp_path, **offscreen)
    assert (tmp_path / "c.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("name", ["mvexplorer", "mvexplorer-core"])
def test_each_wheel_is_installed_runs_and_is_uninstalled_without_a_trace(wheels, tmp_path, name):
    environment = CleanEnvironment(tmp_path / "env")
    environment.install_alone(wheels[name])
    before = {"running.pth"}
    assert "multiview" in finished(environment.script(), "methods", folder=tmp_path)
    environment.pip("uninstall", "--quiet", "--yes", name)
    assert {path.name for path in environment.packages.iterdir()} - {"__pycache__"} == before
    assert not environment.script().exists()


def test_doctor_says_that_both_are_installed_and_its_command_mends_it(wheels, tmp_path):
    environment = CleanEnvironment(tmp_path / "env", with_pip=True)
    for wheel in wheels.values():
        environment.install_alone(wheel)
    surroundings = {
        "PATH": os.pathsep.join([str(environment.scripts), os.environ["PATH"]]), "QT_QPA_PLATFORM": "offscreen",
        "PIP_NO_INDEX": "1",
    }  # fmt: skip
    told = finished(environment.script(), "doctor", folder=tmp_path, code=2, **surroundings)
    sentence = "mvexplorer and mvexplorer-core are both installed here, and hold the same files: removing one spoils "
    assert f"\n{sentence}the other. Mend it with: python -m pip uninstall -y mvexplorer-core && " in told
    command = re.search(r"Mend it with: (.*)", told)[1]
    subprocess.run(command, shell=True, cwd=tmp_path, env={**os.environ, **surroundings}, check=True, timeout=300)
    told = finished(environment.script(), "doctor", folder=tmp_path, **surroundings)
    assert told.endswith("Everything needed is here.\n")
    assert not list(environment.packages.glob("mvexplorer_core*"))


@pytest.mark.parametrize("python", ["3.11", "3.14"])
def test_core_can_be_installed_on_an_older_arm_machine_from_binaries_alone(wheels, tmp_path, python):
    extras = "cluster,excel,omics"
    (tmp_path / "core.in").write_text(f"mvexplorer-core[{extras}] @ {wheels['mvexplorer-core'].as_uri()}\n")
    resolver = shutil.which("uv", path=str(Path(sys.executable).parent)) or "uv"
    resolved = finished(
        resolver, "pip", "compile", "--python-platform", "aarch64-manylinux_2_28", "--python-version", python,
        "--only-binary", ":all:", "core.in", folder=tmp_path,
    )  # fmt: skip
    assert "scipy==" in resolved
    assert "pyside6" not in resolved.lower()
