"""Methods, their cards and the views' kernels in the window."""

from __future__ import annotations

from html import escape

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QMenu
from windows import show_data, small_data, submenus

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.methods import get_method, methods
from mvexplorer.state.document import commands
from mvexplorer.state.document.titles import pinnable
from mvexplorer.ui.controls.parameter_rows import Section
from mvexplorer.ui.panels.method_card import MethodCard, card_html

LEFT, KEY = Qt.MouseButton.LeftButton, Qt.Key


def texts(menu: QMenu) -> dict[str, object]:
    return {a.text().split("\t")[0]: a for a in menu.actions() if a.text()}


def method_menu(window, panel: str) -> dict[str, object]:
    return texts(window.grid.panels[panel].menus.methods())


def kernel_action(window, view: str, *path: str):
    menu = window.side.rows[view].how.menu()
    for word in path[:-1]:
        menu = submenus(menu)[word]
    return texts(menu)[path[-1]]


# Cards -----------------------------------------------------------------------------------------------------------


def test_one_click_opens_the_card_of_a_method(window, rest, qtbot):
    panel = window.grid.panels["p6"]
    QTest.mouseClick(panel.header.about, LEFT)
    card = QApplication.activePopupWidget()
    assert isinstance(card, MethodCard)
    text = card.page.toPlainText()
    method = get_method("multiview")
    for words in (method.title, method.summary, method.assumes, method.cost, method.source, *method.remarks):
        assert words in " ".join(text.split())
    assert "Within-view weight (η)" in text
    assert card.page.height() > 200
    QTest.keyClick(card.page, KEY.Key_Escape)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)


def test_the_key_i_opens_the_card_of_the_focused_panel(window, rest, qtbot):
    window.behaviour.focus_panel(1)
    QTest.keyClick(window, KEY.Key_I)
    card = QApplication.activePopupWidget()
    assert isinstance(card, MethodCard)
    assert "Single view" in card.accessibleName()
    QTest.keyClick(card, KEY.Key_I)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)


def test_the_card_tells_the_doubts_about_the_picture_at_hand(window, rest):
    commands.set_epsilon(window.document, "plain", 1e-6)
    rest(window)
    panel = window.grid.panels["p1"]
    assert panel.doubt.isVisible()
    QTest.mouseClick(panel.header.about, LEFT)
    card = QApplication.activePopupWidget()
    assert "Doubts about this picture" in card.page.toPlainText()
    assert "unconnected pieces" in card.page.toPlainText()
    card.close()


@pytest.mark.parametrize("method", methods(), ids=lambda m: m.id)
def test_every_card_is_complete(app, method):
    """Nothing left out, nothing that could be markup, every parameter with its range."""
    assert method.assumes, method.id
    assert method.cost, method.id
    assert method.remarks, method.id
    html = card_html(method, {p.name: p.default for p in method.params}, ())
    for param in method.params:
        assert escape(param.label) in html
        assert escape(param.range_text.capitalize()) in html
    assert "None" not in html
    assert "<b></b>" not in html


def test_the_card_is_as_high_as_its_window_allows(window, rest):
    window.resize(1280, 720)
    panel = window.grid.panels["p6"]
    panel.show_card()
    card = QApplication.activePopupWidget()
    screen = card.screen().availableGeometry()
    assert screen.contains(card.geometry())
    card.close()


# Methods that cannot run ------------------------------------------------------------------------------------------


def test_methods_that_cannot_run_are_greyed_with_the_reason(window, rest):
    commands.tick_view(window.document, "wavy", False)
    rest(window)
    found = method_menu(window, "p1")
    assert not found["Multi-view"].isEnabled()
    assert found["Multi-view"].toolTip() == "Multi-view needs at least 2 views and has 1."
    assert found["Single view · plain"].isEnabled()
    commands.tick_view(window.document, "wavy", True)
    rest(window)
    assert method_menu(window, "p1")["Multi-view"].isEnabled()


def test_a_method_with_too_few_views_says_so_before_anything_runs(window, rest):
    commands.set_method(window.document, "p1", "tensor-cca")
    rest(window)
    panel = window.grid.panels["p1"]
    assert panel._message.text().startswith("Tensor CCA needs at least 3 views and has 2. Tick another view")
    assert window.controller.result("p1").request is None


@pytest.mark.nightly
def test_affinities_grey_what_needs_features(window, rest):
    data = small_data()
    K = np.exp(-((data.latent["angle"][:, None] - data.latent["angle"]) ** 2))
    K = np.round(K, 12) + 1e-6 * np.eye(len(K))
    show_data(window, MultiView({"table": K, "plain": data.Xs[0]}, labels=data.labels))
    rest(window)
    kernel_action(window, "table", "Precomputed").trigger()
    rest(window)
    found = method_menu(window, "p6")
    assert not found["Concatenation"].isEnabled()
    assert "needs features, and view “table” is a table of affinities" in found["Concatenation"].toolTip()
    assert found["Kernel sum"].isEnabled()
    assert window.controller.result("p6").status == "ready"


@pytest.mark.nightly
def test_a_table_that_is_no_kernel_says_so_in_the_panel(window, rest):
    kernel_action(window, "plain", "Precomputed").trigger()
    rest(window)
    message = window.grid.panels["p1"]._message.text()
    assert message.startswith("The view “plain” has shape (48, 2) and is no table of affinities")
    QTest.keyClick(window, KEY.Key_Z, Qt.KeyboardModifier.ControlModifier)
    rest(window)
    assert window.controller.result("p1").status == "ready"


# Kernels ----------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_a_views_metric_stays_where_its_kernel_is_chosen_from_the_menu(window, rest):
    window.editor.set_kernel("plain", "gaussian@cosine")
    rest(window)
    row = window.side.rows["plain"]
    assert row.how.text() == "Gaussian, cosine ▾"
    assert window.controller.result("p1").status == "ready"
    assert kernel_action(window, "plain", "Gaussian").isChecked()
    kernel_action(window, "plain", "Laplacian (L2)").trigger()
    assert window.document.state.view("plain").kernel == "laplacian-l2@cosine"
    kernel_action(window, "plain", "Correlation").trigger()
    assert window.document.state.view("plain").kernel == "correlation"


@pytest.mark.nightly
def test_a_views_kernel_from_its_menu(window, rest):
    before = window.controller.summaries["plain"].median
    kernel_action(window, "plain", "Laplacian (L1)").trigger()
    assert window.document.state.view("plain").kernel == "laplacian"
    rest(window)
    row = window.side.rows["plain"]
    assert row.how.text() == "Laplacian ▾"
    assert row.slider.isVisible()
    assert window.controller.summaries["plain"].median != before  # the axis counts in the kernel's own distance
    assert window.controller.result("p1").result.request.kernels[0].text == "laplacian"
    assert kernel_action(window, "plain", "Laplacian (L1)").isChecked()
    QTest.keyClick(window, KEY.Key_Z, Qt.KeyboardModifier.ControlModifier)
    rest(window)
    assert window.controller.summaries["plain"].median == before


@pytest.mark.nightly
def test_a_kernel_with_neighbours_has_no_slider_where_it_has_no_bandwidth(window, rest):
    kernel_action(window, "plain", "Self-tuning", "7 neighbours").trigger()
    rest(window)
    row = window.side.rows["plain"]
    assert not row.slider.isVisible()
    assert row._without.text() == "Self-tuning: no bandwidth to choose"
    request = window.controller.result("p1").request
    commands.set_epsilon(window.document, "plain", 0.3)
    assert window.controller.result("p1").request == request  # nothing to compute anew
    kernel_action(window, "plain", "Gaussian on nearest neighbours", "10 neighbours").trigger()
    rest(window)
    assert window.document.state.view("plain").kernel == "knn-10"
    assert row.slider.isVisible()


@pytest.mark.nightly
def test_the_same_method_with_two_kernels_by_a_pin(window, rest):
    names = pinnable(window.document.state, window.document.state.panel("p1"))
    assert names["kernel:plain"] == "Kernel of plain"
    commands.pin(window.document, "p1", "kernel:plain", "self-tuning-5")
    rest(window)
    assert window.controller.result("p1").result.request.kernels[0].text == "self-tuning-5"
    assert "kernel plain self-tuning-5" in window.grid.panels["p1"]._pins.wordings[0]
    assert window.controller.result("p3").result.request.kernels[0].text == "gaussian"


# The form of the parameters ------------------------------------------------------------------------------------------


def test_parameters_stand_under_the_methods_they_serve(window, rest):
    commands.set_method(window.document, "p1", "kernel-cca")
    rest(window)
    sections = window.side.findChildren(Section)
    (section,) = (s for s in sections if s.head.text() == "Kernel CCA")
    row = window.side.params["gamma"]
    if not section.head.isChecked():
        assert not row.isVisible()
        section.head.click()
    assert row.isVisible()
    section.head.click()
    assert not row.isVisible()
    row.take_focus()
    assert row.isVisible()
    assert row.field.hasFocus()


@pytest.mark.nightly
def test_a_flag_and_a_choice_change_the_document(window, rest):
    commands.set_method(window.document, "p1", "kernel-cca")
    commands.set_method(window.document, "p2", "jade")
    rest(window)
    window.side.params["centred"].take_focus()
    window.side.params["centred"].findChild(QCheckBox).click()
    assert window.document.state.params["centred"] is True
    box = window.side.params["graph"].findChild(QComboBox)
    box.textActivated.emit("kernel")
    assert window.document.state.params["graph"] == "kernel"
    rest(window)
    assert window.controller.result("p1").status == window.controller.result("p2").status == "ready"


def test_epsilon_does_not_disturb_methods_without_it(window, rest):
    commands.set_method(window.document, "p1", "pca")
    rest(window)
    request = window.controller.result("p1").request
    commands.set_epsilon(window.document, "plain", 0.7)
    assert window.controller.result("p1").request == request
    assert window.controller.result("p1").status == "ready"
    assert window.controller.result("p3").request.epsilon[0].factor == 0.7
    offered = pinnable(window.document.state, window.document.state.panel("p1"))
    assert not any(name.startswith("epsilon:") for name in offered)


@pytest.mark.nightly
def test_ten_methods_side_by_side(window, rest):
    ten = ["kernel-cca", "alternating", "local-cca", "jade"]
    for method in ten:
        window.behaviour.add_panel(method)
    rest(window)
    assert len(window.document.state.panels) == 10
    assert {window.controller.result(p.id).status for p in window.document.state.panels} == {"ready"}
    panels = list(window.grid.panels.values())
    assert all(p.isVisible() and p.canvas.width() > 150 for p in panels)
