"""Environments of their own, into which wheels of this checkout are installed."""

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import mvexplorer

ROOT = Path(mvexplorer.__file__).parents[1]
CHECKOUT = (ROOT / "pyproject.toml").is_file()


def finished(*command, folder, patience=300, code=0, **environment):
    """What a command printed: nothing of the user's own is read, but where pip finds packages."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "MVEXPLORER_"))}
    done = subprocess.run(
        [str(c) for c in command],
        cwd=folder, env={**inherited, "PYTHONIOENCODING": "utf-8", **environment}, capture_output=True,
        encoding="utf-8", timeout=patience, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def whole_wheel(folder):
    """Build the wheel of `mvexplorer` into a folder."""
    finished(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", folder, ROOT, folder=folder)
    (path,) = folder.glob("mvexplorer-*.whl")
    return path


def core_wheel(folder):
    """Build the wheel of `mvexplorer-core` into a folder, as CONTRIBUTING says."""
    return Path(finished(sys.executable, ROOT / ".ci" / "core.py", "--out", folder, folder=folder).strip())


class CleanEnvironment:
    """An environment that holds pip at most, at `home`."""

    def __init__(self, home, *, with_pip=False):
        venv.create(home, with_pip=with_pip, symlinks=os.name != "nt")
        self.home, self.scripts = home, home / ("Scripts" if os.name == "nt" else "bin")
        self._ending = ".exe" if os.name == "nt" else ""
        self.python = self.scripts / f"python{self._ending}"
        place = "import sysconfig; print(sysconfig.get_path('purelib'))"
        self.packages = Path(finished(self.python, "-c", place, folder=home).strip())

    def script(self, name="mvexplorer"):
        """A command that was installed."""
        return self.scripts / f"{name}{self._ending}"

    def pip(self, *arguments, **options):
        """Run this interpreter's pip on the environment."""
        command = (sys.executable, "-m", "pip", "--python", self.python, "--disable-pip-version-check")
        return finished(*command, *arguments, folder=self.home, **options)

    def install_alone(self, wheel):
        """Install a wheel without what it requires: the running interpreter's libraries stand in for that."""
        self.pip("install", "--quiet", "--no-index", "--no-deps", wheel)
        # Folders named in a .pth file come after the environment's own, and .pth files in them are not followed:
        # an editable install of the checkout stays out of sight.
        libraries = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
        (self.packages / "running.pth").write_text("\n".join(sorted(libraries)) + "\n", "utf-8")
