"""Lists whose length comes from the data: what they cost is what is in sight."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import sub
from pathlib import Path
from unittest.mock import create_autospec

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QWidget

import mvexplorer
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state import commands
from mvexplorer.state.colouring import Colouring
from mvexplorer.state.editor import Editor
from mvexplorer.ui.appearance.dock import MOST, AppearanceDock
from mvexplorer.ui.appearance.legend_list import LegendList

UI = Path(mvexplorer.__file__).parent / "ui"
FEW, MANY = 1_000, 9_999  # as many digits, so that names are cut alike


@contextmanager
def counted_calls(sources: Path = UI) -> Iterator[list[int]]:
    """Counts the calls of functions of sources, those of the window."""
    calls, folder = [0], str(sources)

    def look(frame, event: str, _: object) -> None:
        calls[0] += event == "call" and frame.f_code.co_filename.startswith(folder)

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


@pytest.mark.parametrize(("n_views", "n_columns"), [(2, 20_000), (400, 20)])
def test_as_many_colourings_are_listed_of_many_features_as_of_few(app, qtbot, n_views, n_columns):
    """Of hundreds of views, too: each is there, and the rest is found by typing."""
    dock = AppearanceDock(create_autospec(Editor, instance=True))
    qtbot.addWidget(dock)
    data = MultiView({f"v{i}": np.zeros((4, n_columns)) for i in range(n_views)})
    state = commands.initial_state(data, ("memory",), None)
    with counted_calls(Path(mvexplorer.__file__).parent) as calls:
        dock.show_state(state, data, None, {})
        dock.sources.showPopup()
    assert dock.sources.count() <= 2 * MOST
    assert dock.sources.popup.list.count() <= 2 * MOST
    assert calls[0] <= 60 * MOST
    dock.sources.popup.search.setText(f"v1 {n_columns}")
    listed = dock.sources.popup.list
    assert f"v1, feature {n_columns}" in [listed.item(row).text() for row in range(listed.count())]
    dock.sources.popup.close()
