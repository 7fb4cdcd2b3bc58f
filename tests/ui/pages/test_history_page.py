"""The history page: every step by its name, the present one marked, and a way to each of them."""

from __future__ import annotations

from unittest.mock import Mock

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from mvexplorer.state.document import commands
from mvexplorer.ui.pages.history import HistoryList
from mvexplorer.ui.style import theme

pytestmark = pytest.mark.panels(3)

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def page(app, qtbot, controller):
    document = controller.document
    made = HistoryList(Mock(document=document))
    qtbot.addWidget(made)
    made.resize(900, 240)
    made.show()
    commands.set_param(document, "eta", 0.2)
    commands.set_param(document, "t", 3)
    commands.select(document, [0, 1, 2])
    commands.colour_by(document, "")
    qtbot.waitUntil(lambda: made.steps.count() == 5)
    return made


def texts(page: HistoryList) -> list[str]:
    return [page.steps.item(row).text() for row in range(page.steps.count())]


def test_steps_are_named_and_gone_to_by_a_click_and_by_arrows(page, controller, qtbot):
    document, seen = controller.document, []
    assert texts(page) == ["As opened", "η to 0.2", "t to 3", "Select 3 samples", "Colour by nothing"]
    assert page.steps.currentRow() == 4
    document.changed.connect(seen.append)
    QTest.mouseClick(page.steps.viewport(), LEFT, pos=page.steps.visualItemRect(page.steps.item(1)).center())
    assert (document.position, document.state.params["eta"], document.state.params["t"]) == (1, 0.2, 1)
    assert len(seen) == 1
    qtbot.waitUntil(lambda: page.steps.item(2).foreground().color() == QColor(theme.current().muted))
    assert page.steps.item(1).foreground().color() == QColor(theme.current().text)
    QTest.keyClick(page.steps, Qt.Key.Key_Down)
    assert (document.position, document.state.params["t"]) == (2, 3)
    QTest.keyClick(page.steps, Qt.Key.Key_Home)
    assert document.position == 0
    qtbot.waitUntil(lambda: not page.soon.isActive())
    commands.set_param(document, "t", 5)
    qtbot.waitUntil(lambda: texts(page) == ["As opened", "t to 5"])
    document.undo()
    qtbot.waitUntil(lambda: page.steps.currentRow() == 0)


def test_a_drag_is_one_row_with_its_last_value(page, controller, qtbot):
    for value in (0.3, 0.4, 0.5):
        commands.set_param(controller.document, "eta", value, interactive=True)
    qtbot.waitUntil(lambda: texts(page)[-1] == "η to 0.5")
    assert page.steps.count() == 6
