"""The wheel holds everything the program needs, and works where it is installed; so does the checkout."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from clean_environments import CHECKOUT, ROOT, CleanEnvironment, finished, whole_wheel
from PySide6.QtGui import QColor, QImage

import mvexplorer
from mvexplorer.resources import resource, sample_folder
from mvexplorer.ui.runtime.platform_check import LIBRARIES

SAMPLES = [p.name for p in sample_folder().iterdir() if p.is_dir()]
needs_checkout = pytest.mark.skipif(not CHECKOUT, reason="a wheel is built from a checkout")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return whole_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The `mvexplorer` script of a bare environment that sees the running one's libraries, but not the checkout."""
    environment = CleanEnvironment(tmp_path_factory.mktemp("installed") / "env")
    environment.install_alone(wheel)
    return environment.script()


@needs_checkout
def test_the_wheel_holds_resources_samples_and_licences(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for sample in SAMPLES:
        assert {f"mvexplorer/_sample_datasets/{sample}/{n}" for n in ("manifest.json", "LICENCE.txt")} <= names
    assert "mvexplorer/_sample_datasets/uci-digits/data.npz" in names
    used = [p for p in resource().rglob("*") if p.is_file()]
    assert {f"mvexplorer/_resources/{p.relative_to(resource()).as_posix()}" for p in used} <= names
    assert any(n.endswith("licenses/LICENSE") for n in names)
    assert "mvexplorer/py.typed" in names
    assert not [n for n in names if n.startswith(("tests/", "resources/", "sample_datasets/"))]
    assert not [n for n in names if "__pycache__" in n]
    entry_points = next(n for n in names if n.endswith("entry_points.txt"))
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read(entry_points).decode()
    assert "mvexplorer = mvexplorer.cli:main" in text
    assert "mvexplorer-window = mvexplorer.cli:window" in text


@pytest.mark.nightly
@needs_checkout
def test_the_installed_program_works_from_its_own_files(installed, tmp_path):
    report = finished(installed, "doctor", folder=tmp_path, QT_QPA_PLATFORM="offscreen")
    assert "Everything needed is here." in report
    inside = str(installed.parents[1].resolve())
    places = {line.partition(": ")[0]: line.partition(": ")[2] for line in report.splitlines()}
    for name in ("Font", "Samples"):
        assert str(Path(places[name]).resolve()).startswith(inside), places[name]
    printed = finished(installed, "embed", "helix-a", "--method", "multiview", folder=tmp_path)
    assert len(printed.splitlines()) == 601
    assert len(finished(installed, "samples", folder=tmp_path).splitlines()) == len(SAMPLES)


@pytest.mark.nightly
@needs_checkout
def test_the_installed_program_opens_a_sample_in_its_window(installed, tmp_path):
    printed = finished(installed, "screenshot", "helix-a", "--out", "window.png", "--size", "1000x700", folder=tmp_path)
    assert printed == ""
    picture = QImage(str(tmp_path / "window.png"))
    assert (picture.width(), picture.height()) == (1000, 700)
    # The points are coloured along the curve: hundreds of hues, where an empty window has its accent.
    seen = {picture.pixel(x, y) for x in range(0, 1000, 3) for y in range(0, 700, 3)}
    assert len([c for c in map(QColor, seen) if c.saturation() > 100]) > 300


@pytest.mark.nightly
@needs_checkout
def test_the_installed_package_is_imported_from_its_own_files_with_its_types(installed, tmp_path):
    python = installed.with_name(f"python{installed.suffix}")
    shown = "mvx.__file__, mvx.embed(mvx.load('helix-a'), 'single').coordinates.shape, sep='\\n'"
    code = f"import mvexplorer as mvx; print({shown})"
    place, shape = finished(python, "-c", code, folder=tmp_path).splitlines()
    assert installed.parents[1].resolve() in Path(place).resolve().parents
    assert Path(place).with_name("py.typed").is_file()
    assert shape == "(600, 2)"


@needs_checkout
def test_the_checkout_uses_the_files_beside_the_package():
    assert resource("fonts", "Inter-Regular.otf").is_file()
    assert resource() == ROOT / "resources"
    assert sample_folder() == ROOT / "sample_datasets"
    assert (sample_folder() / "helix-a" / "manifest.json").is_file()


@needs_checkout
def test_versions_agree():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == mvexplorer.__version__
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"## [{mvexplorer.__version__}]" in changes or "## [Unreleased]" in changes


@needs_checkout
def test_the_readme_prints_the_words_with_which_this_suite_is_run():
    text = (ROOT / "README.md").read_text("utf-8")
    fence = re.search(r"^<!-- ci:test -->\s*\n```\w*\n(.*?)\n```$", text, re.MULTILINE | re.DOTALL)
    assert fence is not None
    install = "python3 -m venv .venv && .venv/bin/python -m pip install -q -e '.[test]'"
    python = ".venv/bin/python -m pytest"
    assert fence[1] == f"{install} && {python} -n auto --dist worksteal -m 'not serial' && {python} -m serial"
    assert f"{install.replace('[test]', '').replace(chr(39), '')} && .venv/bin/mvexplorer" in text


@needs_checkout
@pytest.mark.skipif(shutil.which("bash") is None or os.name == "nt", reason="the script is for bash")
def test_the_script_runs_what_the_readme_prints(tmp_path):
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci")
    (tmp_path / "bin").mkdir()
    apt = tmp_path / "bin" / "apt-get"
    apt.write_text('#!/bin/sh\necho "$@" >> apt.log\n')
    apt.chmod(0o755)
    path = os.pathsep.join([str(apt.parent), str(Path(sys.executable).parent), os.environ["PATH"]])

    def run(readme):
        (tmp_path / "README.md").write_text(readme, "utf-8")
        return subprocess.run(
            [tmp_path / ".ci" / "run"], env={**os.environ, "PATH": path}, capture_output=True, encoding="utf-8",
            timeout=60, check=False,
        )  # fmt: skip

    fence = "<!-- ci:test -->\n```\n{}\n```\nmore\n```\necho never\n```\n"
    done = run(fence.format('echo "one  $PWD" && true'))
    assert (done.returncode, done.stdout, done.stderr) == (0, f"one  {tmp_path}\n", "")
    assert run(fence.format("echo one && exit 5")).returncode == 5
    assert run(fence.format("false && echo never")).returncode != 0
    lost = run("```\necho never\n```\n")
    assert (lost.returncode, lost.stdout) == (1, "")
    assert "no fenced block" in lost.stderr
    (tmp_path / ".venv").mkdir()
    done = run(fence.format("pwd && ls -A"))
    assert str(tmp_path) not in done.stdout
    assert ".venv" not in done.stdout
    installed = (tmp_path / "apt.log").exists()
    assert installed == (os.getuid() == 0)
    if installed:
        assert "xvfb openbox xdotool" in (tmp_path / "apt.log").read_text()
        assert set(LIBRARIES.split()) <= set((tmp_path / "apt.log").read_text().split())
