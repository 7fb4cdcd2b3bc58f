"""Snapshots in the window: cameras and place come back, a kept one is on the disk, and a talk steps through them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from gestures import CONTROL, KEY
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from windows import PATIENCE_MS

from mvexplorer.state.session.settings import last_session_path
from mvexplorer.ui.cloud.picture import Camera

pytestmark = pytest.mark.panels(2)

TURN = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def keep(window, name, factor):
    window.editor.set_scale(factor)
    QTest.keyClick(window, KEY.Key_K)
    window.editor.rename_snapshot(window.workbench.walk.at, name)


@pytest.fixture
def talk(window, rest):
    """Three snapshots of the factors 1 to 3 in a presentation, at the last of them."""
    for factor, name in ((1.0, "one"), (2.0, "two"), (3.0, "three")):
        keep(window, name, factor)
    window.showFullScreen = lambda: None
    QTest.keyClick(window, KEY.Key_F11)
    del window.showFullScreen
    rest(window)
    yield window
    window.behaviour.present(False)  # the size of the type is the program's, not the window's


def factor(window):
    return window.document.state.epsilon_scale


# Staging ----------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_cameras_and_the_place_come_back(window, rest):
    window.editor.set_all_dims(3)
    rest(window)
    window.bottom.show_page("views")
    for panel in window.grid.panels.values():
        panel.canvas.set_camera(Camera(TURN))
    QTest.keyClick(window, KEY.Key_K)
    window.bottom.fold(True)
    QTest.keyClick(window, KEY.Key_K)
    window.bottom.show_page("tune")
    for panel in window.grid.panels.values():
        panel.canvas.set_camera(Camera.default())
    rest(window)
    first, second = window.document.state.snapshots.kept
    assert (first.staging.place, second.staging.place) == ("views", "")
    assert {id: scores.partition(" ")[0] for id, scores in first.staging.scores.items()} == {"p1": "NMI", "p2": "NMI"}
    window.workbench.walk.go(first.name)
    rest(window)
    assert window.bottom.open_page == "views"
    for panel in window.grid.panels.values():
        assert np.allclose(panel.canvas.camera.rotation, TURN)
    window.workbench.walk.go(second.name)
    assert window.bottom.folded


def test_a_page_of_a_later_program_leaves_the_place_as_it_is(window):
    window.bottom.show_page("tune")
    window.bottom.return_to("holograms")
    assert window.bottom.open_page == "tune"


@pytest.mark.nightly
def test_a_snapshot_of_other_data_comes_back_with_its_cameras(make_window, rest, tmp_path):
    window = make_window((900, 640))
    for seed, name in enumerate(("first", "second")):
        values = np.random.default_rng(seed).normal(size=(24, 3))
        np.savetxt(tmp_path / f"{name}.csv", values, delimiter=",", header="a,b,c", comments="")
    window.library.open_source((str(tmp_path / "first.csv"),))
    rest(window)
    window.editor.set_all_dims(3)
    rest(window)
    for panel in window.grid.panels.values():
        panel.canvas.set_camera(Camera(TURN))
    window.workbench.walk.keep()
    window.library.open_source((str(tmp_path / "second.csv"),))
    rest(window)
    assert window.document.state.source[0].endswith("second.csv")
    for panel in window.grid.panels.values():
        panel.canvas.set_camera(Camera.default())
    window.workbench.walk.go("Snapshot 1")
    rest(window)
    assert window.document.state.source[0].endswith("first.csv")
    assert all(np.allclose(panel.canvas.camera.rotation, TURN) for panel in window.grid.panels.values())


def test_a_panel_that_was_shown_alone_is_so_again_and_all_where_all_were(window, rest):
    keep(window, "all", 1.0)
    window.grid.toggle_maximised("p2")
    keep(window, "alone", 2.0)
    window.workbench.walk.go("all")
    rest(window)
    assert window.grid.maximised is None
    assert window.grid.panels["p1"].isVisible()
    window.workbench.walk.go("alone")
    rest(window)
    assert window.grid.maximised == "p2"
    assert not window.grid.panels["p1"].isVisible()
    window.grid.toggle_maximised("p2")


def test_a_kept_state_is_on_the_disk_at_once(make_window, rest, tmp_path):
    path = tmp_path / "data.csv"
    np.savetxt(path, np.random.default_rng(0).normal(size=(24, 3)), delimiter=",", header="a,b,c", comments="")
    window = make_window((900, 640), keep=True)
    window.library.open_source((str(path),))
    rest(window)
    window.autosave._due.setInterval(3_600_000)  # no clock helps, and the hand does not rest
    window._rest.setInterval(3_600_000)
    QTest.keyClick(window, KEY.Key_K)
    window.editor.rename_snapshot("Snapshot 1", "ring")
    window.autosave._worker.wait_idle(PATIENCE_MS / 1000)
    (kept,) = json.loads(last_session_path().read_text("utf-8"))["state"]["snapshots"]["kept"]
    assert kept["name"] == "ring"
    assert kept["staging"]["cameras"]
    assert kept["staging"]["picture"]


def test_snapshots_are_found_by_their_names(window):
    keep(window, "ring", 2.0)
    window.editor.set_scale(1.0)
    QTest.keyClick(window, KEY.Key_K, CONTROL)
    palette = QApplication.activePopupWidget()
    palette.search.setText("go snapshot ring")
    palette._run()
    assert factor(window) == 2.0


# In a talk --------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_digits_go_to_snapshots_and_change_no_dimension(talk):
    dims = [panel.dims for panel in talk.document.state.panels]
    talk.behaviour.focus_panel(0)
    for digit, wanted in ((KEY.Key_2, 2.0), (KEY.Key_3, 3.0), (KEY.Key_1, 1.0), (KEY.Key_9, 1.0)):
        QTest.keyClick(QApplication.focusWidget(), digit)
        assert factor(talk) == wanted
    assert [panel.dims for panel in talk.document.state.panels] == dims


@pytest.mark.nightly
def test_the_page_keys_step_whatever_was_dragged_last(talk):
    slider = talk.strip.sliders["ε ×"]
    slider.setFocus()
    seen = []
    for key in (KEY.Key_PageUp, KEY.Key_PageUp, KEY.Key_PageUp, KEY.Key_PageDown, KEY.Key_PageDown, KEY.Key_PageDown):
        QTest.keyClick(slider, key)
        seen.append(factor(talk))
    assert seen == [2.0, 1.0, 1.0, 2.0, 3.0, 3.0]
    QTest.keyClick(slider, KEY.Key_Right)  # other keys stay the slider's
    assert factor(talk) > 3.0


@pytest.mark.nightly
def test_the_bar_tells_where_the_talk_stands(talk, rest):
    label, slider = talk.strip.snapshot, talk.strip.sliders["ε ×"]
    assert label.accessibleName() == "three  3/3"
    assert label.isVisible()
    before = slider.geometry()
    QTest.keyClick(talk, KEY.Key_PageUp)
    talk.editor.rename_snapshot("two", "two views of one ring that no single view closes")
    assert label.accessibleName().endswith("closes  2/3")
    assert label.text().endswith("2/3")
    rest(talk)
    assert slider.geometry() == before
    for name in talk.document.state.snapshots.names:
        talk.editor.delete_snapshot(name)
    assert not label.isVisible()


@pytest.mark.nightly
def test_after_a_talk_its_keys_are_as_before(talk):
    QTest.keyClick(talk, KEY.Key_Escape)
    before = factor(talk)
    talk.behaviour.focus_panel(0)
    panel = talk.document.state.panels[0].id
    for digit, dims in ((KEY.Key_3, 3), (KEY.Key_2, 2)):
        QTest.keyClick(QApplication.focusWidget(), digit)
        assert talk.document.state.find_panel(panel).dims == dims
    QTest.keyClick(talk, KEY.Key_PageUp)
    assert factor(talk) == before


@pytest.mark.nightly
def test_what_is_typed_in_the_palette_of_a_talk_goes_to_no_snapshot(talk):
    QTest.keyClick(talk, KEY.Key_K, CONTROL)
    palette = QApplication.activePopupWidget()
    QTest.keyClicks(palette.search, "s12")
    QTest.keyClick(palette.search, KEY.Key_PageUp)
    assert palette.search.text() == "s12"
    assert factor(talk) == 3.0
    palette.reject()
