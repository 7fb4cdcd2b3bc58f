"""Runs the quick tests with the lowest version of every requirement that pyproject.toml admits.

    .venv/bin/python tests/quality/lowest_versions.py [arguments for pytest]

Makes an environment for that in a scratch folder, with plain pip, and takes about as long as they do.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
EXTRAS = ("test", "seismic", "excel", "omics", "cluster")
ESTIMATOR = "tests/engine/api/test_estimator.py"
LEFT_OUT = (
    # Types are checked against the newest numpy's, which differ from the lowest one's.
    "--ignore=tests/endtoend/test_quality.py",
    # By itself: it imports the checks of scikit-learn, and those of 1.6 ask for scipy in its array mode.
    f"--ignore={ESTIMATOR}",
)
QUICK = (
    ("-q", *LEFT_OUT, "-n", "auto", "--dist", "worksteal", "-m", "not slow and not serial"),
    ("-q", *LEFT_OUT, "-m", "not slow and serial"),
    ("-q", ESTIMATOR),
)


def declared() -> list[Requirement]:
    """All requirements of the program, of its extras and of its build."""
    content = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    project = content["project"]
    extras = [line for name in EXTRAS for line in project["optional-dependencies"][name]]
    found = [Requirement(line) for line in (*content["build-system"]["requires"], *project["dependencies"], *extras)]
    return [requirement for requirement in found if requirement.name != project["name"]]  # extras within extras


def lowest(requirement: Requirement) -> str:
    """The version a requirement says it begins with."""
    (bound,) = [s.version for s in requirement.specifier if s.operator in (">=", "==", "~=")]
    return bound


def constraints() -> str:
    """Lines for pip that pin every requirement to its lowest version."""
    return "".join(f"{r.name}=={lowest(r)}\n" for r in declared())


def main(arguments: list[str]) -> int:
    """Install and test; returns pytest's exit code."""
    with tempfile.TemporaryDirectory(prefix="lowest-versions-") as scratch:
        folder = Path(scratch)
        (folder / "constraints.txt").write_text(constraints(), "utf-8")
        venv.create(folder / "env", with_pip=True, symlinks=os.name != "nt")
        python = folder / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        # Through the environment the constraints also hold where pip builds the program.
        environment = {**os.environ, "PIP_CONSTRAINT": str(folder / "constraints.txt")}
        program = f"{ROOT}[{','.join(EXTRAS)}]"
        subprocess.run([python, "-m", "pip", "install", "-q", "-e", program], env=environment, check=True)
        runs = [tuple(arguments)] if arguments else QUICK
        return max(tested(python, run) for run in runs)


def tested(python: Path, run: tuple[str, ...]) -> int:
    """Run pytest; returns its exit code."""
    array_mode = {"SCIPY_ARRAY_API": "1"} if ESTIMATOR in run else {}
    command = [python, "-m", "pytest", *run]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **array_mode}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
