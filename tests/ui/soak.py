"""What the window's memory does over hundreds of openings: the same work again and again, and what it holds after each.

    python tests/ui/soak.py [--openings 100] [--samples helix-a ...] [--every 1]

Each opening drags ε, shows every page and the small multiples, and looks at files on the import page, while computing
may take 256 MiB. Prints the resident memory beside the first window's, a line of JSON for each opening, and ends with
exit code 1 where that is more than promised: over all, or in the second half of the openings.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
from gestures import drag
from PySide6.QtWidgets import QApplication

from mvexplorer.children import resident
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.state.session.settings import HOME_VARIABLE, Settings
from mvexplorer.ui.app import application
from mvexplorer.ui.offscreen import wait_until_idle
from mvexplorer.ui.window.main_window import MainWindow

LIMIT = 256
"""MiB that computing may take."""
OVER_ALL, SECOND_HALF = 500_000_000, 25_000_000
"""Bytes beside the first window's, and between the opening in the middle and the last one."""
STEPS = 8


def held() -> int:
    """Resident bytes of this process."""
    return resident(os.getpid())


def rest(window: MainWindow) -> None:
    """Wait until nothing is left to do, not even what is done when nobody works."""
    wait_until_idle(window)
    while window.memory.waits or not window.at_rest():
        QApplication.processEvents()
        time.sleep(0.02)


def turn(window: MainWindow, sample: str, files: tuple[str, ...]) -> None:
    """One opening, and what a person does with it."""
    window.library.open_source((sample,))
    wait_until_idle(window)
    row = next(iter(window.side.rows.values()))
    slider, y = row.slider, row.slider.height() / 2
    places = np.concatenate([np.linspace(0.4, 0.6, STEPS), np.linspace(0.6, 0.4, STEPS)]) * slider.width()
    drag(slider, [(x, y) for x in places], release=False)
    QApplication.processEvents()
    drag(slider, [(x, y) for x in places])
    wait_until_idle(window)
    for page in window.bottom.pages:
        window.bottom.show_page(page)
        wait_until_idle(window)
    window.editor.change_multiples("Small multiples", shown=True)
    wait_until_idle(window)
    window.editor.change_multiples("Close", shown=False)
    window.library.imports.begin(files, ReadOptions())
    wait_until_idle(window)
    window.library.imports.leave()
    rest(window)


def write_files(folder: Path) -> tuple[str, ...]:
    """Two tables for the import page."""
    rng = np.random.default_rng(0)
    for name in ("a", "b"):
        np.savetxt(folder / f"{name}.csv", rng.normal(size=(200, 12)), delimiter=",")
    return str(folder / "a.csv"), str(folder / "b.csv")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--openings", type=int, default=100)
    parser.add_argument("--samples", nargs="+", default=["helix-a"], metavar="ID", help="opened in turn")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="tell of each N-th opening")
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="soak-"))
    os.environ[HOME_VARIABLE] = str(folder / "home")
    files = write_files(folder)
    application("light", exported=True)
    window = MainWindow(Settings(started_before=True, memory_mebibytes=LIMIT), keep_settings=False)
    window.library.ask_save = lambda what: False
    window.show()
    rest(window)
    first, begin, sizes = held(), time.monotonic(), []
    for number in range(1, asked.openings + 1):
        turn(window, asked.samples[number % len(asked.samples)], files)
        sizes.append(held() - first)
        if number % asked.every == 0:
            line = {"opening": number, "MB": sizes[-1] // 10**6, "seconds": round(time.monotonic() - begin, 1)}
            print(json.dumps(line), flush=True)
    over_all, second_half = sizes[-1], sizes[-1] - sizes[len(sizes) // 2 - 1]
    kept = over_all <= OVER_ALL and second_half <= SECOND_HALF
    print(json.dumps({"first window MB": first // 10**6, "over all MB": over_all // 10**6,
                      "second half MB": second_half // 10**6, "kept": kept}))  # fmt: skip
    window.discard()
    return 0 if kept else 1


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # Qt's own teardown is not what is tried here
