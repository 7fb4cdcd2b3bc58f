"""How many calls of the package stand between a command and the mathematics, and how many modules each command enters.

python tests/quality/frames.py
"""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import FrameType

import numpy as np

import mvexplorer
from mvexplorer.cli import main

PACKAGE = str(Path(mvexplorer.__file__).parent)


def own(frame: FrameType | None) -> list[FrameType]:
    """The frames of the package on the stack, the innermost first."""
    frames = []
    while frame is not None:
        if frame.f_code.co_filename.startswith(PACKAGE):
            frames.append(frame)
        frame = frame.f_back
    return frames


@contextmanager
def watched(called: Callable[[FrameType], None]) -> Iterator[None]:
    """Tell of each call of a function of the package, on any thread."""

    def profile(frame: FrameType, event: str, _about: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            called(frame)

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


def frames_at(arguments: list[str], wanted: Callable[[list[FrameType]], bool]) -> tuple[int, int]:
    """The most frames on the stack at a call that is wanted, and the number of modules entered."""
    deepest, modules = 0, set[str]()

    def called(frame: FrameType) -> None:
        nonlocal deepest
        modules.add(frame.f_code.co_filename)
        if frame.f_code.co_name in ("solve", "__init__"):
            stack = own(frame)
            if wanted(stack):
                deepest = max(deepest, len(stack))

    with watched(called), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        if main(arguments) != 0:
            raise SystemExit(f"mvexplorer {' '.join(arguments)} failed")
    return deepest, len(modules)


def solves_in_null_test(stack: list[FrameType]) -> bool:
    """Whether a method's `solve` is entered within a run of a null test."""
    return stack[0].f_code.co_name == "solve" and any("null_test" in f.f_code.co_filename for f in stack)


def makes_data(stack: list[FrameType]) -> bool:
    """Whether `MultiView.__init__` is entered."""
    return stack[0].f_code.co_qualname == "MultiView.__init__"


def measured() -> dict[str, tuple[int, int]]:
    """Frames and modules of both commands."""
    with tempfile.TemporaryDirectory() as folder:
        random, files = np.random.default_rng(0), [f"{folder}/x.csv", f"{folder}/y.csv"]
        for file in files:
            np.savetxt(file, random.normal(size=(40, 3)), delimiter=",")
        made = ["embed", *files, "--method", "multiview", "--out", f"{folder}/a.csv"]
        return {
            "embed --null-test, at solve": frames_at([*made, "--null-test"], solves_in_null_test),
            "embed of two tables, at MultiView": frames_at(made, makes_data),
        }


if __name__ == "__main__":
    for name, (frames, modules) in measured().items():
        print(f"{name}: {frames} frames of the package, {modules} modules entered")
