"""What a web page is to hold is asked before its file, in plain words, and remembered but for ids."""

import json
import re
from pathlib import Path

import pytest
from live_reader import read
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from windows import PATIENCE_MS, small_data

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document import commands
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.session.settings import PageChoice
from mvexplorer.ui.export.web_dialog import PageOffer, WebPageDialog
from mvexplorer.ui.widgets import saving
from mvexplorer.ui.window.exports.table import find_export


@pytest.fixture
def dialog_of(qtbot):
    """Makes the card over a widget that stays."""
    parent = QWidget()
    qtbot.addWidget(parent)

    def make(offer, **present):
        return WebPageDialog(offer, PageChoice(**present), parent)

    return make


@pytest.fixture
def written(window, monkeypatch, qtbot, tmp_path):
    """Exports, after `answer` has answered the card; returns the page's words and its text."""
    monkeypatch.setattr(saving, "save_file", lambda *_: tmp_path / "page.html")

    def write(answer=lambda card: None):
        saved = []
        window.workbench.editor.saved.connect(saved.append)
        find_export("web page").ask(window.behaviour.scene)
        card = window.findChild(WebPageDialog)
        answer(card)
        QTest.keyClick(card, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: bool(saved), timeout=PATIENCE_MS)
        window.workbench.editor.saved.disconnect(saved.append)
        text = (tmp_path / "page.html").read_text("utf-8")
        return json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1]), text

    return write


def shown_rows(card):
    return [
        name for name in ("ids", "colourings", "selections", "snapshots", "live") if not getattr(card, name).isHidden()
    ]


def test_the_card_asks_only_for_what_is_there(dialog_of):
    ids = ("patient-0134", *("p" * k for k in range(1, 399)))
    card = dialog_of(PageOffer(ids, True, 2, 3, True))
    assert shown_rows(card) == ["ids", "colourings", "selections", "snapshots", "live"]
    assert not card.live.isChecked()
    assert card.told.text() == "“patient-0134” and 398 more can be read by everybody who has the file."
    card.ids.setCurrentIndex(1)
    assert "will not be in the file" in card.told.text()
    assert card.selections.text() == "With the 2 named selections"
    assert card.snapshots.isChecked()
    assert shown_rows(dialog_of(PageOffer(snapshots=1))) == ["snapshots"]
    assert not PageOffer().asks


def test_what_goes_with_a_live_epsilon_is_asked_only_with_it_and_its_size_told_before(dialog_of):
    offer = PageOffer(live=True, eta=True, larger=lambda solid, eta: 300_000 + 200_000 * solid + 1_000_000 * eta)
    card, chosen = dialog_of(offer), []
    of_live = card.live_eta, card.live_3d, card.larger
    assert all(one.isHidden() for one in of_live)
    card.live.click()
    assert not any(one.isHidden() for one in of_live)
    assert card.larger.text() == "Up to about 0.3 MB more in the file."
    card.live_eta.click()
    card.live_3d.click()
    assert card.larger.text() == "Up to about 1.5 MB more in the file."
    card.chosen.connect(lambda choice, _: chosen.append(choice))
    card.save.click()
    assert chosen == [PageChoice(live=True, live_eta=True, live_3d=True)]
    without = dialog_of(PageOffer(live=True), live=True, live_eta=True)
    assert without.live_eta.isHidden()


def test_ids_are_left_out_where_the_user_says_so_and_that_is_asked_again(window, written):
    words, text = written()
    assert words["ids"][7] == "s07"
    words, text = written(lambda card: card.ids.setCurrentIndex(1))
    assert words["ids"] is None
    assert "s07" not in text
    assert written()[0]["ids"] is not None


def test_what_was_chosen_is_remembered(window, written):
    commands.select(window.document, (1, 2))
    window.editor.keep_selection("first two")
    words, _ = written()
    assert [each["name"] for each in words["named"]] == ["first two"]
    assert len(words["menu"]) > 1

    def answer(card):
        card.colourings.setCurrentIndex(1)
        card.selections.setChecked(False)

    words, _ = written(answer)
    assert (words["named"], len(words["menu"])) == ([], 1)
    assert window.workbench.settings.page == PageChoice(all_colourings=False, selections=False)
    assert written()[0]["named"] == []
    window.workbench.change_settings(page=PageChoice())


def test_snapshots_are_computed_and_written(window, written, rest):
    window.workbench.walk.keep()
    window.editor.set_scale(4.0)
    rest(window)
    before = window.document.state
    words, _ = written()
    (snapshot,) = words["snapshots"]
    assert snapshot["name"] == "Snapshot 1"
    assert len(snapshot["panels"]) == len(before.panels)
    pairs = zip(snapshot["panels"], words["panels"], strict=True)
    assert any(there["points"] != here["points"] for there, here in pairs)
    assert window.document.state is before
    assert written(lambda card: card.snapshots.setChecked(False))[0]["snapshots"] == []
    window.workbench.change_settings(page=PageChoice())


def test_colourings_that_are_computed_are_in_the_menu(window, written, rest):
    source = "clusters:p1:kmeans:3"
    window.editor.colour_by(source)
    rest(window)
    window.editor.colour_by("")
    rest(window)
    words, _ = written()
    titles = [words["colours"][k]["title"] for k in words["menu"]]
    assert titles[0] == ""
    assert any(title.startswith("3 clusters of") for title in titles)


def test_the_spread_of_a_panel_is_in_the_menu_once_it_is_known(window, written, qtbot):
    checks = window.workbench.checks
    window.editor.focus("p1")
    checks.stability("p1", "parts", 3)
    qtbot.waitUntil(lambda: not checks.of("p1").running, timeout=PATIENCE_MS)
    assert window.controller.result("p1").spread is not None
    words, _ = written()
    assert any(words["colours"][k]["title"].startswith("spread of") for k in words["menu"])


def test_where_there_is_nothing_to_ask_the_file_is_asked_for_at_once(make_window, monkeypatch, qtbot, tmp_path):
    window = make_window()
    data = small_data()
    given = MultiView(list(data.Xs), coordinates={"map": data.Xs[0][:, :2]})
    state = commands.initial_state(given, ("memory",), None)
    panel = updated(commands.new_panel("given", "p1"), {"view": "map"})
    window.document.reset(updated(state, {"panels": (panel,)}), given)
    asked = []
    monkeypatch.setattr(saving, "save_file", lambda _, __, name, ___: asked.append(Path(name).name))
    find_export("web page").ask(window.behaviour.scene)
    assert asked == ["session.html"]
    assert window.findChild(WebPageDialog) is None


@pytest.mark.nightly
def test_a_page_whose_reader_can_move_epsilon_is_made_in_the_background(window, written):
    words, text = written(lambda card: card.live.setChecked(True))
    assert 'id="live-data"' in text
    assert window.workbench.settings.page == PageChoice(live=True)
    _, panels = read(re.search(r'id="live-data">(.*?)</script>', text)[1])
    assert [*panels] == [panel["id"] for panel in words["panels"]]
    window.workbench.change_settings(page=PageChoice())
    assert 'id="live-data"' not in written(lambda card: card.live.setChecked(False))[1]
