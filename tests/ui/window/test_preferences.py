"""Preferences: each takes effect at once, and is what the window has when it is opened again."""

import pytest
from PySide6.QtTest import QTest

from mvexplorer.ui.window.actions.preferences import Preferences

pytestmark = pytest.mark.panels(1)


@pytest.fixture
def opened(window):
    window.actions_table.actions["Preferences …"].trigger()
    dialog = window.findChildren(Preferences)[-1]
    assert dialog.isVisible()
    yield dialog
    dialog.reject()


@pytest.mark.nightly
def test_every_preference_takes_effect_at_once(window, opened):
    before = window.settings
    for name, box in opened.boxes.items():
        box.click()
        assert getattr(window.settings, name) is not getattr(before, name)
    opened.theme.setCurrentIndex(opened.theme.findData("dark"))
    assert window.settings.theme == "dark"
    opened.theme.setCurrentIndex(opened.theme.findData("light"))
    assert window.settings.theme == "light"
    opened.type_size.setCurrentIndex(opened.type_size.findData(1.1))
    assert window.settings.zoom == 1.1
    opened.memory.setValue(1024)
    assert window.settings.memory_mebibytes == 1024


def test_a_number_half_typed_is_no_limit(window, opened):
    opened.memory.setValue(2048)
    opened.memory.selectAll()
    QTest.keyClicks(opened.memory, "40")
    assert window.settings.memory_mebibytes == 2048
    QTest.keyClicks(opened.memory, "96")
    assert window.settings.memory_mebibytes == 2048
    opened.memory.interpretText()  # as when the keys go elsewhere
    assert window.settings.memory_mebibytes == 4096


def test_it_opens_as_things_are(window):
    window.workbench.change_settings(theme="dark", animate=False, zoom=0.95, memory_mebibytes=777)
    window.actions_table.actions["Preferences …"].trigger()
    again = window.findChildren(Preferences)[-1]
    assert again.theme.currentData() == "dark"
    assert not again.boxes["animate"].isChecked()
    assert (again.type_size.currentData(), again.type_size.currentText()) == (0.95, "95%")
    assert again.memory.value() == 777
    again.reject()
    window.workbench.change_settings(theme="light")
