"""Starts the program as `python -m mvexplorer` does, and edits it without end: edited_window.py LOG SEED.

The log begins with the work that the window offers to continue. Then comes what keys and clicks made of the document:
when, of which data, and whether there is something to lose. Whoever started this ends it.
"""

from __future__ import annotations

import json
import random
import sys
import time
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest

from mvexplorer.cli import main
from mvexplorer.state.session.session_file import parse_session
from mvexplorer.ui.window.main_window import MainWindow

if TYPE_CHECKING:
    from mvexplorer.state.document.model import DocumentState

KEYS = (Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
SAMPLES = ("circles", "blobs")


def digest(state: DocumentState) -> str:
    """What tells one document from another."""
    return sha256(state.model_dump_json().encode()).hexdigest()[:16]


def edits_without_end(window: MainWindow, log: Path, choose: random.Random) -> None:
    """Report what is offered, then edit at random moments."""
    report = log.open("a", encoding="utf-8")
    others = list(SAMPLES)

    def say(**what: Any) -> None:
        print(json.dumps(what), file=report, flush=True)

    def edited(_: object) -> None:
        state = window.document.state
        say(at=time.monotonic(), source=state.source, digest=digest(state), dirty=window.document.dirty)

    def edit() -> None:
        pace.start(choose.choice((0, 20, 60, 150, 400, 2500)))
        panels, rows = list(window.grid.panels.values()), list(window.side.rows.values())
        kind = choose.random()
        if window.document.data is None or not (panels and rows):
            return
        if kind < 0.03 and others:
            window.library.open_source((others.pop(),))
        elif kind < 0.15:
            choose.choice(panels).header.deep.click()
        elif kind < 0.25:
            QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        else:
            slider = choose.choice([window.side.master, *(row.slider for row in rows)])
            QTest.keyClick(slider, choose.choice(KEYS))

    found = [parse_session(work.path.read_bytes(), work.path.name)[0].state for work in window.library.kept]
    say(offered=[[state.source, digest(state)] for state in found])
    window.document.changed.connect(edited)
    pace = QTimer(window, singleShot=True)
    pace.timeout.connect(edit)
    pace.start(0)


if __name__ == "__main__":
    show = MainWindow.show

    def edited_show(window: MainWindow) -> None:
        show(window)
        edits_without_end(window, Path(sys.argv[1]), random.Random(int(sys.argv[2])))

    MainWindow.show = edited_show
    sys.exit(main(["helix-a"]))
