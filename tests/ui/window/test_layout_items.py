"""No item of a layout is ever seen by Python."""

import shiboken6
from PySide6.QtWidgets import QWidgetItem
from windows import show_data, small_data

from mvexplorer.ui.pages.feature_weights import open_weights
from mvexplorer.ui.widgets.dialogs import Choice


def items() -> list[QWidgetItem]:
    return [one for one in shiboken6.getAllValidWrappers() if isinstance(one, QWidgetItem)]


def test_layouts_are_filled_after_they_are_nested(make_window, rest):
    """Nesting a layout that has items already makes Python objects of these.

    Qt frees the items when their row is rebuilt or their dialog closes; the objects stay, and what Qt puts in their
    place, a menu for example, is then taken for an item of a layout.
    """
    before = items()
    window = make_window()
    show_data(window, small_data(), 3)
    for page in (*window.bottom.pages, "history", "tasks"):
        window.bottom.show_page(page)
    open_weights(window.workbench, "plain", window)
    dialog = Choice(window, "Save the changes?", "They are lost otherwise.", ["Save", "Discard"])
    rest(window)
    seen = [one.widget() for one in items() if one not in before]
    assert not seen, [f"{type(w.parentWidget()).__name__} > {type(w).__name__}" for w in seen]
    dialog.close()
