"""The gallery of the papers: found, searched, reached by keys, and one figure opened from it."""

import time
from threading import Event

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from shiboken6 import isValid
from windows import PATIENCE_MS

from mvexplorer.datasets import catalogue
from mvexplorer.experiments import opening
from mvexplorer.experiments.experiment import GROUPS
from mvexplorer.experiments.table import EXPERIMENTS
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.resources import resource
from mvexplorer.ui.gallery.experiment_card import FOLDER, PICTURE, experiment_thumbnail
from mvexplorer.ui.gallery.page import GalleryPage
from mvexplorer.ui.widgets.command_palette import CommandPalette

LARGEST = 400_000
"""Bytes of all pictures together."""


@pytest.fixture
def page(app, qtbot):
    made = GalleryPage({"lindenbaum2015-fig24": "in part"})
    qtbot.addWidget(made)
    made.resize(1280, 700)
    made.show()
    return made


def test_every_experiment_has_a_small_picture_for_either_theme():
    files = list(resource(FOLDER).glob("*.png"))
    assert {file.stem for file in files} == {e.id + ending for e in EXPERIMENTS for ending in ("", "-dark")}
    assert sum(file.stat().st_size for file in files) < LARGEST
    assert not experiment_thumbnail(EXPERIMENTS[0].id, PICTURE, 1.0).isNull()


def test_all_are_there_and_can_be_filtered_and_searched(page):
    assert len(page.shown) == len(EXPERIMENTS)
    for group in GROUPS:
        page.papers.choose(group)
        assert {card.experiment.group for card in page.shown} == {group}
    page.papers.choose("")
    page.search.setText("handwritten FIGURE 24")
    assert [card.experiment.id for card in page.shown] == ["lindenbaum2015-fig24"]
    page.search.setText("cauliflower")
    assert page.shown == []
    assert page.nothing.isVisible()


def test_cards_stay_apart_at_every_width(page):
    for width in (720, 1280, 2560):
        page.resize(width, 700)
        QTest.qWait(0)
        assert page.width() == width
        places = {(card.x(), card.y()) for card in page.shown if card.experiment.paper == "lindenbaum2015"}
        assert len(places) == 17
        assert max(card.geometry().right() for card in page.shown) < width - 24


def test_a_verdict_is_said_in_words_once_it_is_known(page):
    assert page.cards["lindenbaum2015-fig24"].found.text() == "✓✗ Reproduces in part"
    assert "Reproduces in part" in page.cards["lindenbaum2015-fig24"].accessibleName()
    assert page.cards["lindenbaum2015-fig1"].found.isHidden()


def test_what_no_paper_claims_is_marked(page):
    assert "Figure 2 · identity" in page.cards["lindenbaum2015-fig2"].accessibleName()
    assert "Equation (24) · our own" in page.cards["lindenbaum2015-eq24"].accessibleName()
    page.search.setText("identity")
    assert {"lindenbaum2015-fig2", "lindenbaum2015-fig3"} <= {card.experiment.id for card in page.shown}
    page.search.setText("")
    page.papers.choose("ours")
    assert [card.experiment.id for card in page.shown] == [
        "yair2016-shared", "own-whose-epsilon", "own-drowned-views", "own-who-stays", "own-ingredients",
        "own-does-not-melt", "own-where-is-the-tear", "own-what-fac-knows",
    ]  # fmt: skip


def test_arrows_go_from_card_to_card_and_return_opens(page, qtbot):
    first = page.shown[0]
    first.setFocus()
    for key, place in ((Qt.Key.Key_Right, 1), (Qt.Key.Key_Down, 6), (Qt.Key.Key_Left, 5), (Qt.Key.Key_Up, 0)):
        QTest.keyClick(page.window().focusWidget(), key)
        assert page.window().focusWidget() is page.shown[place]
    with qtbot.waitSignal(page.chosen) as asked:
        QTest.keyClick(first, Qt.Key.Key_Return)
    assert asked.args == [first.experiment.id]


# In a window -------------------------------------------------------------------------------------------------


def test_the_start_page_leads_to_the_gallery_and_back(make_window, rest, qtbot):
    window = make_window((1280, 720))
    rest(window)
    window.start.gallery_wanted.emit()
    assert window.docks.gallery.isVisible()
    assert window.start is None
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert window.docks.gallery is None
    qtbot.waitUntil(window.start.isVisible)


@pytest.mark.nightly
def test_a_figure_opens_as_a_document_and_undo_brings_the_former_data_back(window, rest, qtbot):
    before = window.document.state
    window.actions_table.actions["Gallery of the papers"].trigger()
    assert not window.grid.isVisible()
    window.docks.gallery.cards["lindenbaum2015-fig16"].click()
    qtbot.waitUntil(lambda: window.document.state.experiment == "lindenbaum2015-fig16")
    rest(window)
    assert window.docks.gallery is None
    assert window.grid.isVisible()
    assert [p.view for p in window.document.state.panels] == ["camera1", "camera2", None, None]
    assert window.document.state.colour == "latent:a"
    assert "Toy train, case removed" in window.windowTitle()
    window.document.undo()
    assert window.document.state == before
    rest(window)


def test_while_the_gallery_is_there_nothing_acts_on_what_it_hides(window, rest):
    actions = window.actions_table.actions
    window.gallery.show()
    before, looks = window.document.state, (window.grid.navigating, window.grid.rectangular, window.docks.show_side)
    assert not actions["Save session"].isEnabled()
    assert not actions["Small multiples …"].isEnabled()
    window.docks.gallery.shown[0].setFocus()
    for key in (Qt.Key.Key_L, Qt.Key.Key_R, Qt.Key.Key_C, Qt.Key.Key_F, Qt.Key.Key_BracketRight, Qt.Key.Key_Delete):
        QTest.keyClick(window.focusWidget(), key)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_2):
        QTest.keyClick(window.focusWidget(), key, Qt.KeyboardModifier.AltModifier)
    for key in (Qt.Key.Key_1, Qt.Key.Key_9):
        QTest.keyClick(window.focusWidget(), key, Qt.KeyboardModifier.ControlModifier)
    assert window.document.state == before
    assert (window.grid.navigating, window.grid.rectangular, window.docks.show_side) == looks
    window.gallery.leave()
    assert window.docks.gallery is None
    assert actions["Save session"].isEnabled()


@pytest.mark.nightly
def test_the_gallery_found_once_more_is_searched_and_return_opens_the_first_figure(window, rest, qtbot):
    before = window.document.state
    for _ in range(2):
        QTest.keyClick(window.focusWidget() or window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
        palette = next(each for each in window.findChildren(CommandPalette) if each.isVisible())
        QTest.keyClicks(palette.search, "gallery of the papers")
        QTest.keyClick(palette.search, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda p=palette: not isValid(p), timeout=PATIENCE_MS)
        window.activateWindow()  # a window manager does so
        qtbot.waitUntil(window.isActiveWindow, timeout=PATIENCE_MS)
    gallery = window.docks.gallery
    assert window.focusWidget() is gallery.search
    QTest.keyClick(gallery.search, Qt.Key.Key_Return)  # nothing is searched for: nothing is meant
    looks = window.grid.navigating, window.grid.rectangular
    QTest.keyClicks(window.focusWidget(), "figure 16 lrl case")
    assert (window.grid.navigating, window.grid.rectangular, window.document.state) == (*looks, before)
    assert gallery.shown == []
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Return)
    for _ in "lrl case":
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Backspace)
    first = gallery.shown[0].experiment.id
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.document.state.experiment == first, timeout=PATIENCE_MS)
    rest(window)
    window.document.undo()
    rest(window)


def test_opening_a_figure_is_stopped_and_nothing_changes(window, rest, monkeypatch, qtbot):
    """The line above the messages offers to stop what takes long."""
    begun = Event()

    def document_of(experiment, task):
        begun.set()
        while True:
            task.checkpoint()
            time.sleep(0.002)

    monkeypatch.setattr(opening, "document_of", document_of)
    before = window.document.state
    window.gallery.show()
    window.docks.gallery.cards["lindenbaum2015-fig1"].click()
    assert begun.wait(60)
    qtbot.waitUntil(window.reading.stop.isVisible, timeout=PATIENCE_MS)
    window.reading.stop.click()
    rest(window)
    assert window.document.state == before
    assert window.docks.gallery.isVisible()
    window.gallery.leave()


def test_the_import_page_takes_the_galleries_place(window, rest, tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("x,y\n" + "\n".join(f"{i},{i * i}" for i in range(12)))
    window.gallery.show()
    window.library.imports.begin((str(file),), ReadOptions())
    rest(window)
    assert window.docks.gallery is None
    assert window.docks.importing.isVisible()
    window.library.imports.leave()


def test_a_missing_data_set_is_said_and_nothing_changes(window, rest, monkeypatch):
    monkeypatch.setattr(catalogue, "sample_folder", lambda: resource("help"))
    before = window.document.state
    window.gallery.show()
    window.docks.gallery.cards["lindenbaum2015-fig24"].click()
    rest(window)
    assert window.document.state == before
    assert any("cannot be read" in text for text in window.banners.texts())
    assert window.docks.gallery.isVisible()
    window.gallery.leave()
    window.banners.clear()
