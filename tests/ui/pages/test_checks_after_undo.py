"""What was found of one picture is never laid onto another: views unticked, ticked again, taken back."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from windows import PATIENCE_MS, show_fresh, small_data

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.ui.cloud.spread_overlay import EllipseOverlay


def spread_of(window, id: str) -> list[EllipseOverlay]:
    return [overlay for overlay in window.grid.panels[id].canvas.overlays if isinstance(overlay, EllipseOverlay)]


@pytest.mark.parametrize(
    "kind", ["views", *(pytest.param(kind, marks=pytest.mark.nightly) for kind in ("parts", "noise"))]
)
def test_stability_survives_a_view_that_is_unticked_and_taken_back(window, rest, qtbot, kind):
    plain, wavy = small_data().Xs
    show_fresh(window, MultiView({"plain": plain, "wavy": wavy, "third": wavy[:, ::-1] ** 3}))
    rest(window)
    checks, id = window.workbench.checks, window.document.state.panels[-1].id
    assert window.document.state.panel(id).method == "multiview"
    checks.stability(id, kind)
    window.editor.choose_checks(kind=kind, overlay="ellipses")
    qtbot.waitUntil(lambda: not checks.of(id).running, timeout=PATIENCE_MS)
    rest(window)
    assert spread_of(window, id)
    record = window.controller.result(id).checks
    assert record["stability"]
    before = window.document.state
    tick = window.side.rows["wavy"].check
    QTest.mouseClick(tick, Qt.MouseButton.LeftButton, pos=QPoint(8, tick.height() // 2))
    rest(window)
    assert not spread_of(window, id)
    window.setFocus()
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert window.document.state == before
    assert not spread_of(window, id)  # the picture is still that of two views
    assert not window.controller.result(id).checks
    rest(window)
    assert spread_of(window, id)  # and now it is the former one
    assert window.controller.result(id).checks == record
