"""All that goes out of the window stands in one menu, and is found by the same words as before."""

from windows import submenus


def test_what_is_exported_stands_in_a_menu_of_its_own(window):
    table = window.actions_table
    export = submenus(table.menus["File"])["Export"]
    assert "Picture …" in [a.text() for a in export.actions()]
    assert table.actions["Export picture …"].text() == "Picture …"
    assert table.actions["Export picture …"].shortcut().toString() == "Ctrl+E"
    texts = [a.text() for a in table.menus["File"].actions()]
    assert texts.index("Save session as …") < texts.index("Export") < texts.index("Quit")
