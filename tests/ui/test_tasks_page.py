"""The list of what is being computed."""

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QToolButton
from windows import PATIENCE_MS

from mvexplorer.compute.scheduler import Progress
from mvexplorer.state.settings import Settings
from mvexplorer.state.workbench import Workbench
from mvexplorer.ui.pages.tasks import TasksPage
from mvexplorer.ui.style import theme


def test_a_task_is_a_sentence_with_its_bar_beside_it_on_a_large_screen(app, qtbot, monkeypatch):
    bench = Workbench(Settings(), keeps_settings=False)
    task = Progress("p3", "panel 3, Kernel sum", running=True, fraction=0.4)
    monkeypatch.setattr(bench.controller, "tasks", lambda: (task,))
    page = TasksPage(bench)
    qtbot.addWidget(page)
    page.resize(2560, 300)
    with qtbot.waitExposed(page):
        page.show()
    _, words, bar = page._rows["p3"]
    qtbot.waitUntil(bar.isVisible, timeout=PATIENCE_MS)
    assert words.text() == "Panel 3, Kernel sum"
    assert bar.mapTo(page, QPoint()).x() < 800
    bench.controller.shutdown()


def test_the_crosses_follow_the_theme(app, qtbot, monkeypatch):
    bench = Workbench(Settings(), keeps_settings=False)
    task = Progress("p3", "panel 3, Kernel sum", running=True, fraction=0.4)
    monkeypatch.setattr(bench.controller, "tasks", lambda: (task,))
    page = TasksPage(bench)
    qtbot.addWidget(page)
    with qtbot.waitExposed(page):
        page.show()
    theme.apply_theme(app, "dark")
    page.apply_theme()
    shown = page._rows["p3"][0].findChild(QToolButton).icon().pixmap(16).toImage()
    assert shown == theme.icon("x").pixmap(16).toImage()
    bench.controller.shutdown()


def test_a_page_that_is_left_lists_nothing_until_it_is_seen_again(app, qtbot, monkeypatch):
    """What ended meanwhile must not stand there: a hidden page follows no task."""
    bench = Workbench(Settings(), keeps_settings=False)
    running = [Progress("sweep", "sweep 3 of 9", running=True, fraction=0.4)]
    monkeypatch.setattr(bench.controller, "tasks", lambda: tuple(running))
    page = TasksPage(bench)
    qtbot.addWidget(page)
    with qtbot.waitExposed(page):
        page.show()
    assert set(page._rows) == {"sweep"}
    page.hide()
    running.clear()
    page.refresh()
    assert not page._rows
    running.append(Progress("p1", "panel 1", running=True, fraction=0.1))
    page.show()
    assert set(page._rows) == {"p1"}
    bench.controller.shutdown()
