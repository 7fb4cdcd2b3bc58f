"""A change of theme restyles each widget a few times, however deep it lies, and reaches everything on screen."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtGui import QColor, QFont, QHelpEvent
from PySide6.QtWidgets import QApplication, QDialog, QToolTip, QWidget
from windows import show_data, small_data

from mvexplorer.ui.panels.too_large import TooLargePage
from mvexplorer.ui.style import theme


class Polishes(QObject):
    """Counts how often each widget is told of a new style."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[int] = Counter()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.StyleChange and isinstance(watched, QWidget):
            self.counts[id(watched)] += 1
        return False


@pytest.mark.nightly
def test_a_theme_change_restyles_no_widget_once_per_widget_around_it(window):
    """One widget lies up to ten deep: a style sheet of the application restyled it as often."""
    watch = Polishes()
    QApplication.instance().installEventFilter(watch)
    window.workbench.change_settings(theme="dark")
    QApplication.instance().removeEventFilter(watch)
    widgets = len(window.findChildren(QWidget))
    assert widgets > 300
    assert sum(watch.counts.values()) <= 3 * widgets


@pytest.mark.nightly
def test_icons_are_drawn_once_in_each_theme(window, monkeypatch):
    for name in ("dark", "light"):
        window.workbench.change_settings(theme=name)
    drawn = []
    pixmap = theme.pixmap
    monkeypatch.setattr(theme, "pixmap", lambda *about: drawn.append(about) or pixmap(*about))
    for name, colour in (("dark", theme.DARK), ("light", theme.LIGHT)):
        window.workbench.change_settings(theme=name)
        icon = window.grid.panels["p1"].header.cross.icon().pixmap(16).toImage()
        shown = max((icon.pixelColor(x, y) for x in range(16) for y in range(16)), key=lambda c: c.alpha())
        assert shown.name() == colour.muted
    assert not drawn


def test_what_few_panels_need_is_not_there_to_be_restyled(make_window, rest):
    fresh = make_window()
    show_data(fresh, small_data())
    rest(fresh)
    assert len(fresh.grid.panels) == 6
    assert not fresh.findChildren(TooLargePage)


def test_dialogs_and_menus_wear_the_theme_of_their_window(window):
    window.workbench.change_settings(theme="dark")
    dialog = QDialog(window)
    dialog.show()
    assert dialog.grab().toImage().pixelColor(4, 4) == QColor(theme.DARK.surface)
    menu = window.actions_table.menus["View"]
    menu.popup(window.mapToGlobal(window.rect().topLeft()))
    assert menu.grab().toImage().pixelColor(menu.width() // 2, 3) == QColor(theme.DARK.raised)
    menu.close()
    dialog.close()


def test_tooltips_do_not_inherit_the_look_of_what_they_explain(window, rest):
    rest(window)
    styled = [w for w in window.findChildren(QWidget) if w.styleSheet() and w.toolTip() and w.isVisible()]
    assert styled
    for widget in styled:
        QApplication.sendEvent(widget, QHelpEvent(QEvent.Type.ToolTip, QPoint(2, 2), widget.mapToGlobal(QPoint(2, 2))))
        (shown,) = (w for w in QApplication.topLevelWidgets() if w.inherits("QTipLabel") and w.isVisible())
        assert not shown.font().bold(), widget.toolTip()
        assert shown.font().weight() < QFont.Weight.DemiBold, widget.toolTip()
        assert shown.palette().windowText().color() == theme.current().color("text"), widget.toolTip()
    QToolTip.hideText()
