"""A panel's footer cuts no word where it is narrow: what matters least goes as a whole."""

from __future__ import annotations

from dataclasses import replace

import pytest
from checked import null_band, stability
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QHBoxLayout, QWidget
from windows import laid_out, show_data, small_data

from mvexplorer.compute.jobs.runner import HiddenScores, Scores
from mvexplorer.engine.metrics import Score
from mvexplorer.state.batches.check_words import findings, null_footer
from mvexplorer.state.batches.checks import Found
from mvexplorer.state.pictures.scoring import SCORES
from mvexplorer.ui.panels.footer import Footer, Rest
from mvexplorer.ui.panels.score_badges import BESIDE, ScoreBadges
from mvexplorer.ui.widgets.plain_text import Label


@pytest.fixture
def at_width(window):
    """Give a panel a width; it is free again afterwards, for the next test has the same window."""
    changed = []

    def give(panel, width) -> None:
        changed.append(panel)
        panel.setFixedWidth(width)
        laid_out()

    yield give
    for panel in changed:
        panel.setMinimumWidth(140)
        panel.setMaximumWidth(16777215)


@pytest.mark.parametrize(
    ("width", "told"),
    [
        pytest.param(200, (), marks=pytest.mark.nightly),
        (260, ("trimmed",)),
        pytest.param(700, ("trimmed", "_time"), marks=pytest.mark.nightly),
    ],
)
def test_a_narrow_footer_cuts_no_word(window, rest, at_width, width, told):
    show_data(window, small_data(48))
    window.editor.trim("p1", True)
    window.editor.choose_ingredient("self_loops", False)  # no sign that many steps stay
    rest(window)
    panel = window.grid.panels["p1"]
    panel.trimmed.setText("117 at the edge")
    panel._time.setText("694 ms")
    panel.scores.show_scores(Scores(Score(0.95, 0.01), Score(0.99)), frozenset({"nmi", "knn"}), 12)
    at_width(panel, width)
    seen = [label for label in panel._footer.findChildren(Label) if label.isVisible() and label.width() > 0]
    words = [label for label in seen if label is not panel._pins]
    assert {label.text() for label in words} >= {"NMI .95 ±.01", "k-NN .99"}
    assert [(label.text(), label.sizeHint().width() - label.width()) for label in words if
            label.width() < label.sizeHint().width()] == []  # fmt: skip
    assert [name for name in ("trimmed", "_time") if getattr(panel, name) in words] == list(told)


def test_where_there_is_no_room_for_all_scores_the_last_ones_go_and_come_back(window, rest, at_width):
    show_data(window, small_data(48, labels=False).replace(latent={}))
    rest(window)
    panel = window.grid.panels["p1"]
    whole = [label for label in panel.scores.labels.values() if not label.isHidden()]
    assert len(whole) > 2
    at_width(panel, 165)
    seen = [label for label in whole if label.isVisible() and label.width() > 0]
    assert 0 < len(seen) < len(whole)
    assert seen == whole[: len(seen)]
    assert all(label.width() >= label.sizeHint().width() for label in seen)
    assert all(label.text() in whole[0].toolTip() for label in whole[len(seen) :])
    at_width(panel, 600)
    assert all(label.isVisible() and label.width() >= label.sizeHint().width() for label in whole)


def test_pins_are_told_in_whole_words(app, qtbot):
    pins = Rest()
    qtbot.addWidget(pins)
    pins.show_words("pinned ε:left 0.25, r 12", "2 pinned")
    pins.show()
    for width, text in ((400, "pinned ε:left 0.25, r 12"), (120, "2 pinned"), (20, "")):
        pins.resize(width, 20)
        laid_out()
        assert pins.text() == text


def test_a_view_that_harms_is_told_in_the_footer():
    harmful = {name: null_band(name, 0.7, 0.9, 19) for name in ("wavy", "noise")}
    alone = Found({"plain": null_band("plain", 0.7, 0.7), "wavy": harmful["wavy"]})
    assert null_footer(alone)[0] == ("(wavy lowers the score)", "(wavy lowers it)")
    assert null_footer(Found(harmful))[0] == ("(2 views lower the score)", "(2 views lower it)")
    assert "wavy lowers this score: it is below all 19 with wavy shuffled." in findings(alone)


@pytest.mark.parametrize(
    ("width", "chance", "moves"),
    [
        (700, "wavy adds nothing (within chance)", True),
        (335, "wavy adds nothing", True),
        (285, "wavy adds nothing", False),
        (170, "", False),
    ],
)
def test_what_checks_found_shortens_before_it_goes(window, rest, at_width, monkeypatch, width, chance, moves):
    id = "p6"
    bands = {"plain": null_band("plain", 0.7, 0.3), "wavy": null_band("wavy", 0.7, 0.7)}
    rest(window)
    known = stability(window.controller.result(id).result.embedding.coordinates)
    found = {id: Found(bands, {"parts": known})}
    monkeypatch.setattr(window.workbench.checks, "of", lambda panel: found.get(panel, Found()))
    window.workbench.checks.changed.emit(id)
    panel = window.grid.panels[id]
    panel.scores.show_scores(Scores(Score(0.95, 0.01), Score(0.99)), frozenset(), 12)
    at_width(panel, width)
    seen = [words.text() if words.width() > 0 else "" for words in (panel.chance, panel.moves)]
    assert seen == [chance, "moves 6 %" if moves else ""]
    told = panel.scores.labels["nmi"].toolTip().splitlines()[-1]
    assert told == "Without wavy's pairing the score is as high (p = .55). Median displacement 6 % of the radius."
    found[id] = replace(found[id], outdated=True)
    window.workbench.checks.changed.emit(id)
    assert "chance" not in panel.scores.labels["nmi"].toolTip()
    assert panel.chance.isHidden()


def test_what_went_before_something_wider_comes_back(app, qtbot):
    footer = Footer()
    qtbot.addWidget(footer)
    row = QHBoxLayout(footer)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(0)
    short, long = QWidget(), QWidget()
    for widget, width in ((short, 50), (long, 200)):
        widget.sizeHint = lambda width=width: QSize(width, 10)
        row.addWidget(widget)
    footer.yielding = (short, long)
    for room, shown in ((300, [True, True]), (220, [False, True]), (120, [True, False]), (30, [False, False])):
        footer.resize(room, 20)
        footer._fit()
        assert [widget.maximumWidth() > 0 for widget in (short, long)] == shown


def test_what_a_score_is_takes_two_short_sentences(app, qtbot):
    """What it is of stands with what it is; the ± has a sentence of its own."""
    badges = ScoreBadges(["nmi", "knn"])
    qtbot.addWidget(badges)
    badges.show_scores(Scores(Score(0.95, 0.01), Score(0.99)), frozenset({"nmi"}), 12)
    first, second = badges.labels["nmi"].toolTip().rstrip(".").split(". ")
    assert first.endswith("on all 12 coordinates")
    assert second.startswith("±")
    assert max(map(len, (first, second))) < 100


def test_scores_beside_the_others_are_told_by_them_as_well(app, qtbot):
    """They go where there is no room: a tooltip that stays has their numbers."""
    badges = [ScoreBadges([id for id in SCORES if id not in BESIDE]), ScoreBadges(BESIDE)]
    ring = HiddenScores("a", resultant=Score(0.99, 0.004), order=Score(0.5, 0.1), largest_gap=Score(2.36, 0.2))
    for each in badges:
        qtbot.addWidget(each)
        each.show_scores(Scores(hidden=ring), frozenset(), 12)
        each.add_findings("It moves.")
    first, second = badges
    assert first.labels["resultant"].text() == "recovers a .99"
    assert [second.labels[id].text() for id in ("order", "largest_gap")] == ["order .50", "open 2.36"]
    tip = first.labels["resultant"].toolTip()
    assert "on all 12 coordinates. ±.00: standard error over the samples, taken as independent." in tip.replace(
        "\n", " "
    )
    assert tip.endswith("Also: order .50, open 2.36.\nIt moves.")
    assert "on the first two axes" in second.labels["order"].toolTip()
    curve = HiddenScores("u", r2=Score(0.9, 0.01), spearman=Score(0.8, 0.01), order=Score(0.8, 0.01))
    second.show_scores(Scores(hidden=curve), frozenset(), 12)
    assert second.labels["spearman"].isHidden()
    second.show_scores(Scores(Score(0.9, 0.1), Score(0.9), hidden=curve), frozenset(), 12)
    assert second.isHidden()
