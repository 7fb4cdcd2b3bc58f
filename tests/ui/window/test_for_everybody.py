"""Names, help and keys for everybody; settings that are broken; memory."""

from __future__ import annotations

from gestures import KEY
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QTextBrowser,
    QToolButton,
)

from mvexplorer.state.session.settings import Settings, read_settings
from mvexplorer.ui.widgets.class_list import ClassList
from mvexplorer.ui.widgets.slider import Slider


def test_everything_one_can_use_has_a_name(window):
    nameless = []
    for kind in (QAbstractButton, QLineEdit, QComboBox, Slider, ClassList, QAbstractSlider):
        for widget in window.findChildren(kind):
            if widget.focusPolicy() == Qt.FocusPolicy.NoFocus or not widget.isVisible():
                continue
            interface = QAccessible.queryAccessibleInterface(widget)
            if not interface.text(QAccessible.Text.Name).strip():
                nameless.append(f"{type(widget).__name__} {widget.toolTip()!r} in {type(widget.parent()).__name__}")
    assert nameless == []


def test_every_tool_says_what_it_does(window):
    silent = [b.accessibleName() for b in window.findChildren(QToolButton) if b.isVisible() and not b.toolTip()]
    assert silent == []


def test_tab_reaches_every_panel_and_field(window):
    seen = set()
    window.side.master.setFocus()
    for _ in range(400):
        focused = QApplication.focusWidget()
        if focused is None or id(focused) in seen:
            break
        seen.add(id(focused))
        QTest.keyClick(focused, KEY.Key_Tab)
    assert {id(p) for p in window.grid.panels.values()} <= seen
    assert {id(r.field) for r in window.side.rows.values()} <= seen
    assert {id(r.slider) for r in window.side.params.values() if r.slider and r.isVisible()} <= seen


def test_help_is_there(window):
    QTest.keyClick(window, KEY.Key_F1)
    dialog = next(d for d in window.findChildren(QDialog) if d.isVisible())
    assert "asso" in dialog.findChild(QTextBrowser).toPlainText()
    dialog.close()


def test_a_broken_settings_file_is_set_aside(home):
    home.mkdir()
    (home / "settings.json").write_text("{broken")
    settings, problem = read_settings()
    assert settings == Settings()
    assert "kept as" in problem
    assert (home / "settings.broken.json").read_text() == "{broken"


def test_the_memory_limit_is_shown_and_adjustable(window, monkeypatch, rest):
    monkeypatch.setattr("mvexplorer.ui.widgets.dialogs.enter_number", lambda *a, **k: 64)
    window.behaviour.set_memory_limit()
    assert window.controller.cache.limit == window.controller.scheduler.memory == 64 << 20
    assert "64 MB" in window.bottom.show_page("tasks").memory.text()
