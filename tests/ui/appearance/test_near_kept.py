"""The kept sample's neighbours in every panel: rings within σ and links, against loops over the data's distances."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QCheckBox
from windows import PATIENCE_MS

from mvexplorer.state.document import commands
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.near_kept import MOST_LINKS, near_kept
from mvexplorer.ui.export.sheet import sheet_of
from mvexplorer.ui.export.web_page import make_page
from mvexplorer.ui.style import theme

KEPT = 7
ACTION = "Neighbours within σ"


@pytest.fixture
def near(window, qtbot):
    """A window whose kept sample's neighbours are ringed, once its distances are known."""
    window.editor.keep_sample(KEPT)
    window.editor.ring_neighbours(True)
    qtbot.waitUntil(lambda: bool(window.grid.near), timeout=PATIENCE_MS)
    yield window
    window.editor.ring_neighbours(False)
    window.editor.keep_sample(None)


def squared(window, view):
    """Squared distances from the kept sample, one after the other."""
    data = window.document.data
    X = data.Xs[data.view_index(view)]
    return [float(sum((a - b) ** 2 for a, b in zip(x, X[KEPT], strict=True))) for x in X]


def within(window, each):
    """The others within σ in any view, by a loop over each view's ε."""
    rows = {view: squared(window, view) for view in each}
    n = window.document.data.n_samples
    return [i for i in range(n) if i != KEPT and any(rows[view][i] <= epsilon for view, epsilon in each.items())]


def takes(window, view, epsilon):
    """The nearest others that take 95 % of a step by a Gaussian kernel, by a loop."""
    order = sorted((d2, i) for i, d2 in enumerate(squared(window, view)) if i != KEPT)
    whole, taken, rows = sum(np.exp(-d2 / (2 * epsilon)) for d2, _ in order), 0.0, set()
    for d2, i in order:
        if taken >= 0.95 * whole * (1 - 1e-12):
            break
        taken += np.exp(-d2 / (2 * epsilon))
        rows.add(i)
    return rows


def ringed(window, id):
    return window.grid.near[id].within.tolist()


def test_rings_are_the_samples_within_sigma_and_move_with_epsilon(near):
    editor, before = near.editor, None
    for plain, wavy in ((0.05, 0.3), (0.4, 0.02)):
        editor.set_epsilon("plain", plain)
        editor.set_epsilon("wavy", wavy)
        assert ringed(near, "p1") == within(near, {"plain": plain})
        assert ringed(near, "p2") == within(near, {"wavy": wavy})
        assert ringed(near, "p6") == within(near, {"plain": plain, "wavy": wavy})
        assert ringed(near, "p1") != before
        before = ringed(near, "p1")
    commands.set_epsilon(near.document, "plain", 1.7, interactive=True)
    assert ringed(near, "p1") == within(near, {"plain": 1.7}), "at once, under the hand"
    near.document.end_merge()


@pytest.mark.nightly
def test_a_panel_rings_at_its_own_epsilon(near):
    near.editor.set_epsilon("plain", 0.2)
    near.editor.set_epsilon("wavy", 0.02)
    commands.set_own_scales(near.document, {"p1": 4.0, "p6": 0.5})
    commands.pin(near.document, "p5", "epsilon:wavy", 0.9)
    assert ringed(near, "p1") == within(near, {"plain": 0.8})
    assert ringed(near, "p6") == within(near, {"plain": 0.1, "wavy": 0.01})
    assert ringed(near, "p5") == within(near, {"plain": 0.2, "wavy": 0.9})
    assert len({tuple(ringed(near, id)) for id in ("p1", "p2", "p5", "p6")}) == 4
    commands.set_scale(near.document, 2.0)
    assert ringed(near, "p1") == within(near, {"plain": 1.6})
    assert ringed(near, "p5") == within(near, {"plain": 0.4, "wavy": 0.9}), "a pin follows no factor"


@pytest.mark.nightly
def test_links_go_to_the_nearest_that_take_nearly_all_of_a_step(near):
    for plain, wavy in ((0.05, 0.3), (2.0, 0.02)):
        near.editor.set_epsilon("plain", plain)
        near.editor.set_epsilon("wavy", wavy)
        each = takes(near, "plain", plain), takes(near, "wavy", wavy)
        assert each[0] != each[1]
        assert set(near.grid.near["p1"].links.tolist()) == each[0]
        assert set(near.grid.near["p2"].links.tolist()) == each[1]
        assert set(near.grid.near["p6"].links.tolist()) == each[0] | each[1]
        assert max(len(one.links) for one in near.grid.near.values()) <= MOST_LINKS


def pixels(window, id):
    """A panel's picture (height, width, 3), as it is painted now."""
    image = window.grid.panels[id].canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return rows[:, : image.width(), 2::-1].astype(int)


@pytest.mark.nightly
def test_rings_and_links_are_painted_where_the_samples_are(near, rest):
    near.editor.set_epsilon("plain", 0.05)
    rest(near)
    painted, canvas = pixels(near, "p1"), near.grid.panels["p1"].canvas
    near.editor.ring_neighbours(False)
    changed = np.abs(pixels(near, "p1") - painted).sum(axis=2) > 0
    down, across = np.nonzero(changed)
    near.document.undo()
    rows = within(near, {"plain": 0.05})
    linked = takes(near, "plain", 0.05) | {KEPT}
    for x, y in canvas.positions_of(np.array(rows)).tolist():
        away = np.hypot(across + 0.5 - x, down + 0.5 - y)
        assert ((away > 4) & (away < 9)).any()
    around = canvas.positions_of(np.array(sorted({*rows, *linked})))
    assert across.min() > around[:, 0].min() - 12
    assert across.max() < around[:, 0].max() + 12, "nothing else changes"
    accent = np.array(theme.current().color("accent").getRgb()[:3])
    assert (np.abs(painted[changed] - accent).sum(axis=1) < 30).any()


def test_nothing_unless_it_is_wanted_and_a_sample_is_kept(near, qtbot):
    state, document = near.document.state, near.document
    assert (state.point.within, document.undo_label) == (True, "Ring neighbours within σ")
    document.undo()
    assert not document.state.point.within
    assert not near.grid.near
    document.redo()
    assert near.grid.near
    near.editor.keep_sample(None)
    assert not near.grid.near
    assert near.document.state.point.within, "the choice is of every sample that is kept"
    near.editor.keep_sample(KEPT + 3)
    assert not near.grid.near, "no rings around the former one"
    qtbot.waitUntil(lambda: bool(near.grid.near), timeout=PATIENCE_MS)
    assert {one.sample for one in near.grid.near.values()} == {KEPT + 3}


def test_only_what_has_changed_is_painted_anew(near, rest):
    rest(near)
    near.grid.grab()
    marks = [mark for mark, canvas in near.grid._near_marks if canvas.isVisible()]
    assert len(marks) == 6
    assert not any(mark.outdated for mark in marks)
    commands.set_own_scales(near.document, {"p1": 1.0001})
    assert not any(mark.outdated for mark in marks), "the same samples are near"
    commands.set_own_scales(near.document, {"p1": 40.0})
    assert sum(mark.outdated for mark in marks) == 1


def test_the_card_and_the_menu_offer_it(near):
    box = near.points.point.neighbours.within
    assert isinstance(box, QCheckBox)
    assert (box.text(), box.isChecked()) == (ACTION, True)
    box.click()
    assert not near.document.state.point.within
    assert near.document.undo_label == "Ring no neighbours"
    near.actions_table.refresh()
    action = near.actions_table.actions[ACTION]
    assert action.isCheckable()
    assert not action.isChecked()
    action.trigger()
    assert near.document.state.point.within
    assert box.isChecked()


@pytest.mark.nightly
def test_other_kernels_ring_nothing_and_the_card_says_why(near, rest):
    words = near.points.point.neighbours.unringed
    assert words.isHidden()
    near.editor.set_kernel("plain", "knn-9")
    rest(near)
    assert "p1" not in near.grid.near
    assert ringed(near, "p6") == ringed(near, "p2"), "the other view still tells"
    assert words.text().startswith("plain: nothing is ringed. ")
    assert words.text().endswith("the affinities are no function of the distance alone.")
    near.editor.ring_neighbours(False)
    assert words.isHidden()
    near.editor.ring_neighbours(True)
    commands.pin(near.document, "p2", "kernel:wavy", "self-tuning")
    assert "p2" not in near.grid.near


@pytest.mark.nightly
def test_hidden_classes_are_not_ringed(near, rest):
    near.editor.set_epsilon("plain", 0.1)
    near.editor.show_classes(["a"])
    rest(near)
    of_a = pixels(near, "p1")
    near.editor.show_classes(["b"])
    rest(near)
    of_b = pixels(near, "p1")
    near.editor.ring_neighbours(False)
    assert np.array_equal(pixels(near, "p1"), of_b), "all neighbours are in the class that is hidden"
    near.editor.show_classes(["a"])
    rest(near)
    assert not np.array_equal(pixels(near, "p1"), of_a)
    near.editor.show_classes([])


def test_a_session_carries_it(near):
    state = near.document.state
    assert DocumentState.model_validate_json(state.model_dump_json()).point.within
    former = state.model_dump()
    del former["point"]["within"]
    assert not DocumentState.model_validate(former).point.within, "sessions of before have no rings"


@pytest.mark.nightly
def test_rings_that_move_wait_for_the_pictures_that_move_with_them(near, rest):
    rest(near)
    near.grid.grab()
    soon = near.grid._near_soon
    commands.set_scale(near.document, 4.0, interactive=True)
    assert soon.isActive()
    assert ringed(near, "p1") == within(near, {"plain": near.controller.effective_epsilon("plain")})
    near.document.end_merge()
    rest(near)
    assert not any(mark.outdated for mark, canvas in near.grid._near_marks if canvas.isVisible())


@pytest.mark.nightly
def test_files_have_it_and_say_so(near, rest):
    near.editor.set_epsilon("plain", 0.05)
    rest(near)
    sheet = sheet_of(near.workbench, "", near.styling.colouring, {})
    assert all([overlay.near() is not None for overlay in tile.overlays] == [True] for tile in sheet.tiles)
    sentence = "Rings: 2 samples within σ of s07; lines: to the nearest that take 95 % of its step, at most 200."
    assert len(within(near, {"plain": 0.05})) == 2
    assert sentence in sheet.record["caption"]
    state, result = near.document.state, near.controller.result
    page = make_page(state, near.document.data, result, "Small", near.styling.colouring, near.grid.cameras())
    assert page.words["notes"] == ["Left out here: the rings of neighbours within σ."]
    near.editor.ring_neighbours(False)
    sheet = sheet_of(near.workbench, "", near.styling.colouring, {})
    assert not any(tile.overlays for tile in sheet.tiles)
    assert "Rings" not in sheet.record["caption"]
    assert not near_kept(near.controller, near.workbench.inspector.surroundings)
