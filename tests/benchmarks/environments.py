"""Where the rivals live: virtual environments in a cache folder, made on first use."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

from comparison import OWN

COMMON = ("threadpoolctl",)
REQUIREMENTS: dict[str, tuple[tuple[str, ...], ...]] = {
    # Each tuple is one call of pip.
    "rivals": (("numpy", "scipy", "scikit-learn", "pyriemann", "numba", "pydiffmap"),),
    # datafold holds numpy, scipy and scikit-learn back, and mvlearn does not know a later scikit-learn either; its own
    # requirements (a matplotlib of 2020) no longer build.
    "older rivals": (("datafold", "seaborn"), ("--no-deps", "mvlearn")),
    "opengl": (("PyOpenGL",),),
}
ABOVE_OURS = {"opengl"}
"""Environments that see our own packages as well."""
INSTALL_SECONDS = 900.0


class Environments:
    """Interpreters by the name of their environment; what could not be made is told, not skipped."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._problems: dict[str, str] = {}

    def python(self, name: str) -> Path:
        """The interpreter of an environment; RuntimeError says why there is none."""
        if name == OWN:
            return Path(sys.executable)
        home = self._folder / name
        if name not in self._problems and not (home / "complete").exists():
            self._problems[name] = self._make(home, REQUIREMENTS[name], name in ABOVE_OURS)
        if self._problems.get(name):
            raise RuntimeError(self._problems[name])
        return _interpreter(home)

    def _make(self, home: Path, requirements: tuple[tuple[str, ...], ...], above_ours: bool) -> str:
        """Install; returns what went wrong with what."""
        print(f"installing rivals into {home} ...", file=sys.stderr, flush=True)
        wrong = _run([sys.executable, "-m", "venv", "--clear", str(home)])
        for packages in (COMMON, *requirements):
            wrong = wrong or _run([str(_interpreter(home)), "-m", "pip", "install", "-q", *packages])
        if not wrong and above_ours:
            theirs = _interpreter(home).parents[1] / Path(sysconfig.get_path("purelib")).relative_to(sys.prefix)
            (theirs / "ours.pth").write_text(sysconfig.get_path("purelib"))
        if not wrong:
            (home / "complete").touch()
        return wrong


def _interpreter(home: Path) -> Path:
    return home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"{command[-1]} took longer than {INSTALL_SECONDS:.0f} s to install"
    if done.returncode == 0:
        return ""
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or done.stderr.splitlines()
    return f"{command[-1]} cannot be installed: {errors[-1] if errors else 'no reason given'}"
