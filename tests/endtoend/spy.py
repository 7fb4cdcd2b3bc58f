"""Starts the program as `python -m mvexplorer` does, and lets it report where things are: spy.py REPORT [SOURCE...]."""

from __future__ import annotations

import itertools
import json
import os
import sys
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import QApplication, QPushButton, QToolButton, QWidget

from mvexplorer.cli import main
from mvexplorer.ui.window.main_window import MainWindow


def place(widget: QWidget) -> list[int]:
    """Left, top, width and height on the screen."""
    corner = widget.mapToGlobal(QPoint(0, 0))
    return [corner.x(), corner.y(), widget.width(), widget.height()]


def points(window: MainWindow, id: str) -> list[list[float]]:
    """Where the samples of a panel are on the screen, if they are few: asking for very many slows the program down."""
    canvas = window.grid.panels[id].canvas
    data = window.document.data
    if data is None or data.n_samples > 200 or canvas.cloud.look is None or canvas.cloud.n_points != data.n_samples:
        return []
    corner = canvas.mapToGlobal(QPoint(0, 0))
    spots = [canvas.position_of(i) for i in range(data.n_samples)]
    return [[corner.x() + p.x(), corner.y() + p.y()] for p in spots]


def facts(window: MainWindow) -> dict[str, Any]:
    """What a user could see."""
    state = window.document.state
    dialogs = [w for w in QApplication.topLevelWidgets() if w.isVisible() and w is not window]
    return {
        "title": window.windowTitle(), "rest": window.at_rest(), "active": window.isActiveWindow(),
        "n": 0 if window.document.data is None else window.document.data.n_samples,
        "views": [v.name for v in state.views], "epsilon": {v.name: v.epsilon for v in state.views},
        "scale": state.epsilon_scale, "params": state.params, "selection": list(state.selection),
        "dims": {p.id: p.dims for p in state.panels}, "dirty": window.document.dirty,
        "banners": window.banners.texts(), "start": window.start is not None,
        "dialogs": [[type(w).__name__, w.windowTitle()] for w in dialogs],
        "buttons": {b.text(): place(b) for w in dialogs for b in w.findChildren(QPushButton) if b.isVisible()},
        "offers": {b.text(): place(b) for b in window.banners.findChildren(QPushButton) if b.isVisible()},
        "more": [place(b) for b in window.banners.findChildren(QToolButton) if b.isVisible() and "more" in b.text()],
        "scored": {id: bool(found.scores and found.scores.nmi) for id, found in window.controller.results.items()},
        "colour": window.points.sources.currentText(),
        "cameras": {id: c.rotation.round(6).tolist() for id, c in window.grid.cameras().items()},
        "places": {
            "window": place(window), "master": place(window.side.master),
            **{f"slider:{n}": place(r.slider) for n, r in window.side.rows.items()},
            **{f"field:{n}": place(r.field) for n, r in window.side.rows.items()},
            **{f"canvas:{id}": place(p.canvas) for id, p in window.grid.panels.items()},
            **{f"title:{id}": place(p.header.title) for id, p in window.grid.panels.items()},
            **{f"3d:{id}": place(p.header.deep) for id, p in window.grid.panels.items()},
        },
        "points": {id: points(window, id) for id in list(window.grid.panels)[:1]},
    }  # fmt: skip


def watch(window: MainWindow, report: Path) -> None:
    """Write the report ten times a second."""
    numbers = itertools.count()

    def write() -> None:
        scratch = report.with_suffix(".part")
        scratch.write_text(json.dumps({"number": next(numbers), **facts(window)}), "utf-8")
        os.replace(scratch, report)

    timer = QTimer(window, interval=100)
    timer.timeout.connect(write)
    timer.start()


if __name__ == "__main__":
    show = MainWindow.show

    def watched_show(window: MainWindow) -> None:
        show(window)
        watch(window, Path(sys.argv[1]))

    MainWindow.show = watched_show
    sys.exit(main(sys.argv[2:]))
