"""Lists whose length comes from the data: what they cost is what is in sight."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import sub
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QWidget

import mvexplorer
from mvexplorer.state.colouring import Colouring
from mvexplorer.ui.appearance.legend_list import LegendList

UI = str(Path(mvexplorer.__file__).parent / "ui")
FEW, MANY = 1_000, 9_999  # as many digits, so that names are cut alike


@contextmanager
def counted_calls() -> Iterator[list[int]]:
    """Counts the calls of functions of the window's sources."""
    calls = [0]

    def look(frame, event: str, _: object) -> None:
        calls[0] += event == "call" and frame.f_code.co_filename.startswith(UI)

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        yield calls
    finally:
        sys.setprofile(before)


def cost(widget: QWidget, act: Callable[[], object]) -> tuple[int, int]:
    """How many widgets are in a widget once something was done and drawn, and how many calls that took."""
    with counted_calls() as calls:
        act()
        QApplication.processEvents()
        widget.grab()
    return len(widget.findChildren(QWidget)), calls[0]


@pytest.fixture
def legend(app, qtbot) -> LegendList:
    legend = LegendList()
    qtbot.addWidget(legend)
    legend.resize(190, 300)
    legend.show_colouring(Colouring("two classes", np.arange(2), ("a", "b")), (), ())
    legend.show()
    QApplication.processEvents()
    return legend


def test_a_legend_costs_as_much_for_many_classes_as_for_few(legend):
    costs = []
    for n in (FEW, MANY):
        names = tuple(f"a species with a very long name, number {k:05}" for k in range(n))
        colouring = Colouring(f"{n} classes", np.arange(n), names)
        costs += [
            cost(legend, lambda c=colouring: legend.show_colouring(c, (), ())),
            cost(legend, lambda c=colouring: legend.show_colouring(c, (), (1, 2, 3))),
            cost(legend, lambda c=colouring: legend.show_colouring(c, c.classes[3:], (1, 2, 3))),
            cost(legend, legend.classes.scrollToBottom),
        ]
        assert legend.classes.written(n - 1).startswith(f"{n} a")
    grown = [each for each in zip(costs[:4], costs[4:], strict=True) if max(map(sub, each[1], each[0])) > 0]
    assert not grown
