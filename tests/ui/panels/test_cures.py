"""Where a few samples take the picture, the amber sign offers what helps; and a trimmed drawing says so everywhere."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from windows import show_fresh, small_data

import mvexplorer as mvx
from mvexplorer.datasets.catalogue import find_sample
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.spectral.diagnostics import taken_by_few
from mvexplorer.io.reading.files import Loaded
from mvexplorer.state.document import commands
from mvexplorer.state.document.model import PanelState
from mvexplorer.ui.export.render import write_picture
from mvexplorer.ui.export.sheet import sheet_of
from mvexplorer.ui.widgets.banner import Banner
from mvexplorer.ui.widgets.cure_card import CureCard
from mvexplorer.wording import fraction

LEFT = Qt.MouseButton.LeftButton


def spoilt_data() -> MultiView:
    """A ring of 300 samples seen twice, three of them far away from all others."""
    angle = np.linspace(0.0, 2 * np.pi, 300, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle), 0.1 * np.cos(5 * angle)])
    ring[[5, 77, 200]] = 1e4 * np.eye(3)
    return MultiView({"a": ring, "b": ring * 1.5}, sample_ids=[f"s{i:03d}" for i in range(300)])


@pytest.fixture
def spoilt(window, rest):
    show_fresh(window, spoilt_data())
    rest(window)  # three samples are pieces of their own
    return window


@pytest.fixture
def in_pieces(spoilt, rest):
    for name in ("a", "b"):
        commands.set_epsilon(spoilt.document, name, 0.02)
    rest(spoilt)
    return spoilt


def open_card(window, id="p1") -> CureCard:
    QTest.mouseClick(window.grid.panels[id].doubt, LEFT)
    card = QApplication.activePopupWidget()
    assert isinstance(card, CureCard)
    return card


def press(window, rest, words: str, id="p1") -> None:
    card = open_card(window, id)
    QTest.mouseClick(next(b for b in card.buttons if words in b.text()), LEFT)
    rest(window)


def drawn_by_few(window, id="p1") -> bool:
    return bool(taken_by_few(window.controller.result(id).drawing.points).any())


@pytest.mark.nightly
def test_the_next_axes_are_drawn_in_one_step_of_undo(spoilt, rest):
    assert drawn_by_few(spoilt)
    before = spoilt.document.state.panel("p1").axes
    press(spoilt, rest, "next axes")
    assert spoilt.document.state.panel("p1").axes != before
    assert not drawn_by_few(spoilt)
    spoilt.document.undo()
    assert spoilt.document.state.panel("p1").axes == before


@pytest.mark.nightly
def test_another_epsilon_is_a_rule_for_the_panels_views(spoilt, rest):
    commands.set_scale(spoilt.document, 0.5)
    commands.pin(spoilt.document, "p4", "epsilon:a", 1e7)
    rest(spoilt)
    state = spoilt.document.state
    press(spoilt, rest, "Another ε", "p4")
    after = spoilt.document.state
    assert after.panel("p4").pins["epsilon:a"] == "median"
    assert [v.epsilon for v in after.views] == ["robust", "median"]
    assert after.epsilon_scale == 1.0
    spoilt.document.undo()
    assert spoilt.document.state == state


@pytest.mark.nightly
def test_a_larger_epsilon_for_all_is_told_with_the_trustworthiness_before_and_after(spoilt, rest):
    before, state = spoilt.controller.result("p4").result.embedding, spoilt.document.state
    press(spoilt, rest, "Scale all ε by 3", "p4")
    after = spoilt.controller.result("p4").result.embedding
    assert spoilt.document.state.epsilon_scale == 3.0
    was, now = (mvx.label_free(each, spoilt.document.data).trustworthiness.value for each in (before, after))
    (told,) = (banner.text for banner in spoilt.banners.findChildren(Banner) if "trustworthiness" in banner.text)
    assert told == (
        "All ε scaled by 3: the trustworthiness of panel 4, Kernel product changed from "
        f"{fraction(was)} to {fraction(now)}. Undo takes it back."
    )
    spoilt.banners.show_message("warning", "A doubt.", more=[("Help", int)])
    assert spoilt.banners.texts()[0] == told
    spoilt.document.undo()
    assert spoilt.document.state == state


@pytest.mark.nightly
def test_trimming_shows_what_is_inside_and_says_how_many_are_at_the_edge(spoilt, rest, tmp_path):
    for name in ("a", "b"):
        commands.set_epsilon(spoilt.document, name, "max-min")  # which joins the three: the axes bear them
    rest(spoilt)
    press(spoilt, rest, "Trim")
    panel, found = spoilt.grid.panels["p1"], spoilt.controller.result("p1")
    assert spoilt.document.state.panel("p1").trim
    assert not drawn_by_few(spoilt)
    assert {5, 77, 200} <= set(found.drawing.edge)
    assert panel.trimmed.isVisible()
    assert panel.trimmed.text() == f"{len(found.drawing.edge)} at the edge"
    sheet = sheet_of(spoilt.workbench, "A sheet", None, {})
    assert sheet.tiles[0].edge == found.drawing.edge
    assert f"{len(found.drawing.edge)} at the edge" in sheet.tiles[0].details
    for ending in ("png", "svg"):
        write_picture(sheet, tmp_path / f"sheet.{ending}")
    assert all("Trim" not in button.text() for button in open_card(spoilt).buttons)
    QApplication.activePopupWidget().close()
    spoilt.document.undo()
    rest(spoilt)
    assert not panel.trimmed.isVisible()
    assert drawn_by_few(spoilt)


@pytest.mark.nightly
def test_no_picture_is_made_of_rounding(in_pieces, rest):
    """Where the graph is in pieces, a coordinate is constant within each: there is nothing inside to trim to."""
    found = in_pieces.controller.result("p1")
    card = open_card(in_pieces)
    assert [b.text().split(":")[0] for b in card.buttons] == ["Draw the next axes", "Scale all ε by 3", "Another ε"]
    card.close()
    in_pieces.editor.trim("p1", True)
    rest(in_pieces)
    assert set(found.drawing.edge) <= {5, 77, 200}
    assert np.ptp(found.drawing.points, axis=0).max() == 0.0
    press(in_pieces, rest, "next axes")
    assert not drawn_by_few(in_pieces)


def test_trimming_is_an_action_of_the_window_that_shows_its_state(spoilt, rest):
    spoilt.behaviour.focus_panel(1)
    action = spoilt.actions_table.actions["Trim to 1–99 %"]
    for on in (True, False):
        action.trigger()
        assert spoilt.document.state.panel("p2").trim is on
        spoilt.actions_table.refresh()
        assert action.isChecked() is on
    assert not spoilt.document.state.panel("p1").trim
    rest(spoilt)


@pytest.mark.nightly
def test_trimming_is_in_the_menu_and_in_the_session(spoilt, rest):
    action = next(a for a in spoilt.grid.panels["p2"].menus.everything().actions() if a.text().startswith("Trim"))
    action.trigger()
    state = spoilt.document.state
    assert state.panel("p2").trim
    assert type(state).model_validate_json(state.model_dump_json()) == state
    assert not PanelState(id="p1", method="single").trim  # sessions from before open as they were


@pytest.mark.nightly
def test_ticks_stand_where_samples_lie_on_the_edge(spoilt, rest):
    for name in ("a", "b"):
        commands.set_epsilon(spoilt.document, name, "max-min")
    rest(spoilt)
    canvas = spoilt.grid.panels["p1"].canvas
    before = canvas.grab().toImage()
    spoilt.editor.trim("p1", True)
    rest(spoilt)
    found = spoilt.controller.result("p1")
    canvas.show_points(found.drawing.points, (), (), animate=False)
    plain = canvas.grab().toImage()
    canvas.show_points(found.drawing.points, (), found.drawing.edge, animate=False)
    assert canvas.grab().toImage() != plain != before


def test_a_sound_picture_has_no_cure(window, rest):
    show_fresh(window, small_data())
    window.editor.choose_ingredient("self_loops", False)  # else many steps stay, which a muted sign tells
    rest(window)
    assert not window.controller.result("p1").spoilt
    assert not window.grid.panels["p1"].doubt.isVisible()


@pytest.fixture
def staying(window, rest):
    show_fresh(window, small_data())
    for name in window.document.data.view_names:
        commands.set_epsilon(window.document, name, "median/300")
    rest(window)
    return window


def of_one_kernel(window) -> str:
    """The panel of the kernel product, which has no doubt but steps that stay."""
    id = next(p.id for p in window.document.state.panels if p.method == "kernel-product")
    assert window.controller.result(id).hint.endswith(" % of the steps stay where they are.")
    return id


@pytest.mark.nightly
def test_steps_that_stay_are_a_muted_sign_with_two_ways_out(staying, rest):
    id, before = of_one_kernel(staying), staying.document.state
    sign = staying.grid.panels[id].doubt
    assert sign.isVisible()
    assert staying.controller.result(id).hint in sign.toolTip()
    card = open_card(staying, id)
    assert card.words.property("role") == "muted"
    assert [b.text() for b in card.buttons] == ["Leave self-loops out", "Ingredients side by side"]
    card.close()
    press(staying, rest, "self-loops", id)
    assert staying.document.state.panel(id).pins == {"self_loops": False}
    assert not staying.controller.result(id).hint
    staying.document.undo()
    rest(staying)
    assert staying.document.state == before
    assert staying.controller.result(id).hint


def test_walks_between_views_have_no_such_sign(staying):
    found = next(staying.controller.result(p.id) for p in staying.document.state.panels if p.method == "multiview")
    assert found.result.embedding.info["steps_that_stay"] > 0.0
    assert not found.hint


@pytest.mark.nightly
def test_doubts_come_before_the_hint(spoilt, rest):
    for name in ("a", "b"):
        commands.set_epsilon(spoilt.document, name, 0.0003)
    rest(spoilt)
    assert spoilt.controller.result("p1").hint
    card = open_card(spoilt)
    assert card.words.property("role") == "amber"
    assert card.words.text().endswith(" % of the steps stay where they are.")
    words = [button.text() for button in card.buttons]
    assert words.index("Leave self-loops out") == len(words) - 2
    card.close()


def test_coordinates_of_a_few_samples_are_found():
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(400, 4))
    Y[:, 1] *= 1e-3
    Y[7, 1] = 1.0
    Y[:, 2] = 0.0
    Y[:3, 2] = (1.0, -1.0, 1.0)
    assert taken_by_few(Y).tolist() == [False, True, True, False]
    assert not taken_by_few(np.where(np.arange(400) < 60, 1.0, 0.0)[:, None]).any()  # a class apart is a finding
    assert not taken_by_few(np.zeros((400, 2))).any()
    assert not taken_by_few(Y[:40]).any()  # of a few samples a few are much


@pytest.mark.nightly
def test_a_sample_offers_its_other_look_in_one_step_of_undo(window, rest):
    digits = find_sample("uci-digits")
    rng = np.random.default_rng(0)
    small = MultiView({name: rng.normal(size=(40, 3)) for name in digits.view_names}, labels=["a", "b"] * 20)
    window.library._put_data(Loaded(small, manifest=digits), ("uci-digits",))
    rest(window)
    opened = window.document.state
    assert opened.enabled == ("fou", "fac")
    assert {v.epsilon for v in opened.views} == {"median"}
    banner = next(b for b in window.banners._shown() if digits.open.also.words in b.text)
    button = next(b for b in banner.findChildren(QPushButton) if b.text() == digits.open.also.button)
    QTest.mouseClick(button, LEFT)
    rest(window)
    assert window.document.state.enabled == digits.view_names
    assert {v.epsilon for v in window.document.state.views} == {"median/9"}
    window.document.undo()
    assert window.document.state == opened


def strip_data() -> MultiView:
    """A noisy strip three times as long as wide."""
    g = np.random.default_rng(0)
    strip = np.column_stack([g.uniform(0.0, 3.0, 400), g.uniform(0.0, 1.0, 400), np.zeros(400)])
    return MultiView({"a": strip + 0.1 * g.normal(size=strip.shape)})


def test_a_bend_of_the_first_coordinate_is_told_and_one_click_draws_the_short_side(window, rest):
    show_fresh(window, strip_data())
    assert window.document.state.panel("p1").method == "single"
    commands.set_param(window.document, "n_components", 8)
    commands.set_epsilon(window.document, "a", "median/10")
    rest(window)
    panel = window.grid.panels["p1"]
    assert panel.doubt.isVisible()
    assert "ψ₂ is largely a function of ψ₁ (residual ." in panel.doubt.accessibleName()
    exported = sheet_of(window.workbench, "A sheet", None, {})
    assert any("ψ₂ is largely a function of ψ₁ (residual ." in words for words in exported.tiles[0].warnings)
    assert "ψ₂ is largely a function of ψ₁" in exported.record["caption"]
    press(window, rest, "Draw ψ₁, ")
    axes = window.document.state.panel("p1").axes
    assert axes[0] == 0 < 1 < axes[1]
    assert not panel.doubt.isVisible()
    short = strip_data().Xs[0][:, 1]
    assert abs(np.corrcoef(window.controller.result("p1").drawing.points[:, 1], short)[0, 1]) > 0.6


@pytest.mark.nightly
def test_a_view_of_hermits_offers_an_epsilon_for_it_alone(window, rest):
    g = np.random.default_rng(0)
    strip = g.uniform(size=(150, 2)) * [3.0, 1.0]
    show_fresh(window, MultiView({"A": 1e4 * np.arange(150.0)[:, None], "B": strip}))
    for view, epsilon in (("A", 1.0), ("B", 0.1)):
        commands.set_epsilon(window.document, view, epsilon)
    rest(window)
    id = next(p.id for p in window.document.state.panels if p.method == "multiview")
    panel, words = window.grid.panels[id], "Every sample of A neighbours only itself: at this ε A adds nothing."
    assert panel.doubt.isVisible()
    assert words in panel.doubt.accessibleName()
    exported = sheet_of(window.workbench, "A sheet", None, {})
    assert words in exported.record["caption"]
    assert any(words in told for tile in exported.tiles for told in tile.warnings)
    press(window, rest, "Another ε: median", id)
    assert [view.epsilon for view in window.document.state.views] == ["median", 0.1]
    assert words not in panel.doubt.accessibleName()
