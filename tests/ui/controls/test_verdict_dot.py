"""The dot beside an ε, the coloured track and the words of an alarm, with cures that are one edit each."""

from unittest.mock import call

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from windows import show_fresh

from mvexplorer.engine.bandwidth.table import bandwidth_rules
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.metrics import Score
from mvexplorer.state.document import commands
from mvexplorer.ui.widgets.cure_card import CureCard

LEFT = Qt.MouseButton.LeftButton


def patients() -> MultiView:
    """Two tables of the same patients; one patient's first table was typed in other units."""
    random = np.random.default_rng(3)
    group = np.repeat([0, 1, 2], 40)
    master = np.column_stack([2.0 * group, np.zeros((120, 2))]) + random.standard_normal((120, 3))
    master[17] = [250.0, 3.0, 900.0]
    angle = 2.1 * group
    blood = np.column_stack([3 * np.cos(angle), 3 * np.sin(angle)]) + random.standard_normal((120, 2))
    return MultiView({"master": master, "blood": blood}, sample_ids=[f"P-{i + 1:04d}" for i in range(120)])


@pytest.fixture
def opened(window, rest):
    show_fresh(window, patients())
    rest(window)
    return window


def judge(window, rest) -> None:
    window.workbench.verdicts.ask()
    rest(window)


def card_of(row) -> CureCard:
    QTest.mouseClick(row.dot, LEFT)
    card = QApplication.activePopupWidget()
    assert isinstance(card, CureCard)
    return card


@pytest.mark.nightly
def test_own_data_opens_by_robust_without_an_alarm_and_names_the_sample(opened, rest):
    judge(opened, rest)
    assert [view.epsilon for view in opened.document.state.views] == ["robust", "robust"]
    row = opened.side.rows["master"]
    assert row.verdict.isHidden()
    assert "P-0018 lies far from all others: max-min follows one sample." in row.dot.words
    assert row.dot.accessibleDescription() == row.dot.words
    roles = [role for *_, role in row.slider._stretches]
    assert roles[0] == "amber"
    assert "accent" in roles


@pytest.mark.nightly
def test_the_dot_speaks_the_verdict(opened, rest):
    dot = opened.side.rows["master"].dot
    judge(opened, rest)
    assert dot.accessibleName() == "Verdict on ε of master"
    assert dot.accessibleDescription() == dot.words
    assert "P-0018 lies far from all others" in dot.accessibleDescription()


@pytest.mark.nightly
def test_an_alarm_stands_where_sigma_does_and_robust_cures_it(opened, rest):
    commands.set_epsilon(opened.document, "master", "max-min")
    judge(opened, rest)
    row = opened.side.rows["master"]
    assert row.verdict.isVisible()
    assert row.verdict.accessibleName() == "Flat: adds little"
    assert row._sigma.isHidden()
    QTest.mouseClick(row.verdict, LEFT)
    card = QApplication.activePopupWidget()
    assert card.words.text().startswith("Flat: master adds next to nothing to joined pictures: ")
    assert " to max-min (" in card.words.text().partition("The rules range from ")[2]
    texts = [button.text() for button in card.buttons]
    assert texts == ["Use robust for master", "Show P-0018", "Leave master out"]
    QTest.mouseClick(card.buttons[0], LEFT)
    judge(opened, rest)
    assert opened.document.state.view("master").epsilon == "robust"
    assert row.verdict.isHidden()
    assert row._sigma.isVisible()
    opened.document.undo()
    assert opened.document.state.view("master").epsilon == "max-min"


@pytest.mark.nightly
def test_the_sample_is_selected_and_the_view_left_out(opened, rest):
    commands.set_epsilon(opened.document, "master", "max-min")
    judge(opened, rest)
    row = opened.side.rows["master"]
    QTest.mouseClick(card_of(row).buttons[1], LEFT)
    assert opened.document.state.selection == (17,)
    QTest.mouseClick(card_of(row).buttons[2], LEFT)
    assert opened.document.state.enabled == ("blood",)


def test_a_panel_names_the_view_that_adds_nothing(opened, rest):
    commands.set_epsilon(opened.document, "master", "max-min")
    rest(opened)
    panel = next(p for p in opened.document.state.panels if p.method == "kernel-sum")
    shown = opened.grid.panels[panel.id]
    assert shown.doubt.isVisible()
    assert "Flat: master adds next to nothing to joined pictures" in shown.doubt.toolTip()
    QTest.mouseClick(shown.doubt, LEFT)
    card = QApplication.activePopupWidget()
    texts = [button.text() for button in card.buttons]
    assert texts == ["Use robust for master", "Leave master out"]
    QTest.mouseClick(card.buttons[0], LEFT)
    assert opened.document.state.view("master").epsilon == "robust"


@pytest.mark.nightly
def test_while_epsilon_moves_the_dot_follows_by_the_track(opened, rest):
    judge(opened, rest)
    row = opened.side.rows["blood"]
    row.slider.moved.emit(2e-4)
    opened.side.show_state(opened.document.state)
    assert row.dot.words == "Isolated: more than 5 % of the samples have no neighbours."
    assert row.dot.cures() == []


def test_a_dominant_view_is_raised_threefold(qtbot, app):
    from unittest.mock import create_autospec

    from mvexplorer.engine.bandwidth.facts import KernelFacts
    from mvexplorer.engine.bandwidth.regimes import Regime
    from mvexplorer.state.pictures.editor import Editor
    from mvexplorer.state.questions.verdicts import ViewVerdict
    from mvexplorer.ui.controls.verdict_dot import VerdictDot

    editor = create_autospec(Editor, instance=True)
    dot = VerdictDot("mor", editor)
    qtbot.addWidget(dot)
    facts = KernelFacts("mor", 2.0, 0.5, 0.0, 1, 10.0, 99, 80.0)
    regime = Regime("mor", "local", facts, "Products follow mor alone.", dominant=40.0)
    dot.show_verdict(ViewVerdict("local", (), regime), "median", 4.0, None, only_view=False)
    ((words, _, do),) = dot.cures()
    assert words == "Raise ε of mor × 3"
    do()
    assert editor.mock_calls == [call.set_epsilon("mor", 1.5)]  # times the master's 4 it is 6


def test_rules_that_agree_are_not_told_of(qtbot, app):
    from unittest.mock import create_autospec

    from mvexplorer.state.pictures.editor import Editor
    from mvexplorer.ui.controls.verdict_dot import VerdictDot

    dot = VerdictDot("a", create_autospec(Editor, instance=True))
    qtbot.addWidget(dot)
    dot.show_rules({"median": 2.0, "max-min": 15.0, "manifold": "needs more samples"})
    assert dot.rules == ""
    dot.show_rules({"median": 2.0, "log-sum": 0.1})
    assert dot.rules == "The rules range from log-sum (0.100) to median (2.00)."


OF_LABELS = [rule.title.lower() for rule in bandwidth_rules() if rule.needs_labels]


def entries_of(menu) -> list[str]:
    return [action.text() for action in menu.actions() if not action.isSeparator()]


@pytest.mark.nightly
def test_the_menu_of_rules_recommends_one_and_offers_no_rule_of_labels_without_labels(opened, rest):
    judge(opened, rest)
    row = opened.side.rows["blood"]
    QTest.mouseClick(row.rule, LEFT)
    menu = QApplication.activePopupWidget()
    rest(opened)  # its own picture is scored meanwhile, and the open menu follows
    advice = opened.workbench.advice.now()["blood"]
    assert advice.best is not None
    assert entries_of(menu)[0] == f"Recommended: ε {advice.range}"
    marked = [each.partition("\t")[0] for each in entries_of(menu) if "(recommended)" in each]
    assert marked == [f"Use {advice.rule} (recommended)"] == ["Use robust (recommended)"]
    assert not any(title in each for title in OF_LABELS for each in entries_of(menu))
    assert not any("not computed yet" in each for each in entries_of(menu))
    menu.close()


@pytest.mark.nightly
def test_rules_of_labels_are_offered_where_there_are_labels(window, rest):
    from windows import small_data

    show_fresh(window, small_data())
    rest(window)
    QTest.mouseClick(window.side.rows["plain"].rule, LEFT)
    menu = QApplication.activePopupWidget()
    assert [any(title in each for each in entries_of(menu)) for title in OF_LABELS] == [True, True, True]
    menu.close()


def test_an_epsilon_out_of_the_range_is_set_to_a_number_amid_it_where_no_rule_is_clear(qtbot, app):
    from unittest.mock import create_autospec

    from mvexplorer.engine.bandwidth.facts import KernelFacts
    from mvexplorer.engine.bandwidth.regimes import Regime
    from mvexplorer.state.bench.epsilon_advice import Advice
    from mvexplorer.state.pictures.editor import Editor
    from mvexplorer.state.questions.verdicts import ViewVerdict
    from mvexplorer.ui.controls.verdict_dot import VerdictDot

    editor = create_autospec(Editor, instance=True)
    dot = VerdictDot("blood", editor)
    qtbot.addWidget(dot)
    facts = KernelFacts("blood", 90.0, 9.0, 0.0, 1, 80.0, 99, 1.0)
    verdict = ViewVerdict("wide", (), Regime("blood", "wide", facts, "Wide: a sample neighbours many."))
    dot.show_verdict(verdict, "median", 2.0, Advice(4.0, 25.0, False, Score(0.9)), only_view=False)
    assert dot.words == "Wide: a sample neighbours many. Recommended: ε 4.00 to 25.0."
    ((words, _, do),) = dot.cures()
    assert words == "Set ε of blood to 10.0"
    do()
    assert editor.mock_calls == [call.set_epsilon("blood", 5.0)]  # times the master's 2
    dot.show_verdict(verdict, "median", 2.0, Advice(4.0, 95.0, True), only_view=False)
    assert dot.cures() == []
