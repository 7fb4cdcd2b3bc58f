"""What new users stumbled over, and must not again."""

import json

import pytest
from windows import show_fresh, small_data

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document import commands
from mvexplorer.state.session.settings import last_session_path
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.window import main_window


@pytest.fixture
def kept(make_window, rest):
    """A window that keeps its settings and autosaves, on a folder of its own."""
    window, small = make_window(keep=True), small_data()
    show_fresh(window, MultiView({"view1": small.Xs[0], "view2": small.Xs[1]}, labels=small.labels))
    rest(window)
    return window


@pytest.fixture
def opened(make_window, rest):
    """The same with a sample of the library."""
    window = make_window(keep=True)
    window.library.open_source(("circles",))
    rest(window)
    return window


@pytest.mark.nightly
def test_opening_from_an_empty_window_is_not_undone_to_an_empty_window(opened, rest):
    kept = opened
    assert kept.document.undo_label is None
    assert not kept.document.dirty
    kept.library.open_source(("helix-b",))
    rest(kept)
    assert kept.document.undo_label == "Open data"
    assert not kept.document.dirty


@pytest.mark.nightly
def test_a_complaint_about_a_field_passes_with_the_next_good_value(kept, rest):
    row, before = kept.side.rows["view1"], kept.banners.texts()
    row.field.entered.emit("abc")
    assert len(kept.banners.texts()) == len(before) + 1
    row.field.entered.emit("-3")
    assert len(kept.banners.texts()) == len(before) + 1
    assert "ε of view “view1” is -3" in kept.banners.texts()[0]
    row.field.entered.emit("0.5")
    assert kept.banners.texts() == before


@pytest.mark.nightly
def test_the_slider_shows_the_bandwidth_in_use(kept, rest):
    row = kept.side.rows["view1"]
    commands.set_epsilon(kept.document, "view1", 0.36)
    commands.set_scale(kept.document, 0.5)
    assert row.field.text() == "0.18"
    row.field.entered.emit("0.2")
    rest(kept)
    assert kept.document.state.view("view1").epsilon == pytest.approx(0.4)
    assert kept.controller.result("p1").result.embedding.epsilon == pytest.approx((0.2,))


def test_work_is_kept_while_it_goes_on(kept, rest, monkeypatch):
    monkeypatch.setattr(main_window, "AUTOSAVE_SECONDS", 0.0)
    commands.set_param(kept.document, "eta", 0.25)
    rest(kept)
    assert json.loads(last_session_path().read_text("utf-8"))["state"]["params"]["eta"] == 0.25


@pytest.mark.nightly
def test_a_saved_session_is_among_the_recent(opened, rest, tmp_path):
    kept, path = opened, tmp_path / "mine.mvx.json"
    kept.library.session_path = path
    assert kept.library.save()
    assert kept.settings.recent[0] == (str(path),)
    commands.set_param(kept.document, "t", 3)
    kept.document.mark_saved()
    kept.library.open_files(kept.settings.recent[0])
    rest(kept)
    assert kept.document.state.params["t"] == 1


@pytest.mark.nightly
def test_without_panels_the_window_offers_the_usual_ones(kept, rest, qtbot):
    for panel in kept.document.state.panels:
        commands.close_panel(kept.document, panel.id)
    offer = kept.grid._nothing
    assert offer.isVisible()
    offer.click()
    rest(kept)
    assert len(kept.document.state.panels) == 6
    assert not offer.isVisible()


@pytest.mark.nightly
def test_a_failed_panel_shows_no_old_scores_and_no_old_curve(kept, rest):
    assert kept.controller.result("p6").scores is not None
    commands.tick_view(kept.document, "view2", False)
    rest(kept)
    assert kept.controller.result("p6").scores is None
    assert "p6" not in kept.bottom.pages["spectrum"]._keys


def test_any_feature_can_be_found_to_colour_by(kept):
    (entry,) = [e for e in kept.behaviour._find_in_data("view2 3") if e.text.startswith("Colour")]
    entry.do()
    assert kept.document.state.colour == "feature:view2:2"
    assert kept.styling.colouring.title == "view2, feature 3"
    assert not [e for e in kept.behaviour._find_in_data("view2 4") if e.text.startswith("Colour")]


@pytest.mark.nightly
def test_closing_a_panel_hands_the_keys_to_its_neighbour(kept, rest):
    kept.editor.focus("p3")
    commands.close_panel(kept.document, "p3")
    assert kept.editor.focused == "p4"


@pytest.mark.parametrize(
    ("value", "text"), [(9.996, "10.0"), (0.9999, "1.00"), (-2.5, "−2.50"), (123456.0, "1.23·10⁵"), (0.0, "0")]
)
def test_three_digits(value, text):
    assert numbers.number(value) == text


@pytest.mark.nightly
def test_the_true_probability_of_staying_in_a_view_is_told(kept, rest):
    commands.set_epsilon(kept.document, "view1", 5.0)
    commands.set_param(kept.document, "eta", 0.3)
    rest(kept)
    true = kept.controller.result("p6").result.embedding.info["within_view_probability"]
    assert abs(true - 0.3) > 0.005
    assert f"with probability {numbers.number(true)}" in kept.side.params["eta"]._words.toolTip()
    commands.set_param(kept.document, "eta", 0.0)
    rest(kept)
    assert "probability" not in kept.side.params["eta"]._words.toolTip()
