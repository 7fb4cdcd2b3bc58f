"""The button that lets a score choose: what it offers, when, and what the window then says."""

import pytest
from windows import PATIENCE_MS, show_data, small_data

from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.session.settings import Settings
from mvexplorer.ui.pages.tune.tune_button import IN_TURN, OWN, SHARE, TuneButton

pytestmark = pytest.mark.panels(1)


def offered(button):
    """The entries of the menu as it opens: their words, and whether they can be chosen."""
    button._offered.aboutToShow.emit()
    return {action.text(): action for action in button._offered.actions() if not action.isSeparator()}


@pytest.fixture
def button(app, qtbot):
    workbench = Workbench(Settings(), keeps_settings=False)
    made = TuneButton(workbench)
    qtbot.addWidget(made)
    yield made
    workbench.controller.shutdown()


def test_without_data_nothing_can_be_tuned(button):
    actions = offered(button)
    assert [*actions] == [IN_TURN, OWN, SHARE]
    assert not any(action.isEnabled() for action in actions.values())
    assert button.text() == "Tune"


@pytest.mark.nightly
def test_tuning_from_the_page_is_told_and_undone(window, rest, qtbot):
    show_data(window, small_data(48))
    rest(window)
    window.bottom.show_page("tune")
    button = window.bottom.pages["tune"].tune
    actions = offered(button)
    assert [*actions][:4] == [IN_TURN, OWN, SHARE, "By trustworthiness"]
    assert not actions[SHARE].isEnabled()
    assert actions["By trustworthiness"].isChecked()
    assert not any("gap" in words for words in actions)
    actions["By k-NN accuracy"].trigger()
    assert offered(button)["By k-NN accuracy"].isChecked()
    before = window.document.state
    actions = offered(button)
    actions[OWN].trigger()
    if window.workbench.tuner.busy:
        assert button.text() == "Tuning …"
        assert [*offered(button)] == ["Stop tuning"]
    qtbot.waitUntil(lambda: not window.workbench.tuner.busy, timeout=PATIENCE_MS)
    assert button.text() == "Tune"
    said = [text for text in window.banners.texts() if "own ε" in text]
    assert len(said) == 1
    assert "by k-NN accuracy; labels were used" in said[0]
    if window.document.state.panels != before.panels:
        assert offered(button)[SHARE].isEnabled()
        window.document.undo()
    assert window.document.state.panels == before.panels
    window.workbench.tuner.choose_by("trustworthiness")


def test_a_footer_tells_the_scores_at_the_shared_epsilon(window, rest, qtbot):
    show_data(window, small_data(48), 3)
    rest(window)
    panel = window.document.state.panels[-1]
    result = window.controller.result(panel.id)
    result.checks = {"own epsilon": ({"short": "shared ε: NMI .50, k-NN .90", "words": "At its own ε, × .10 by NMI."},)}
    shown = window.grid.panels[panel.id]
    shown.show_result(result, frozenset(), animate=False)
    assert shown._pins.wordings[0] == "shared ε: NMI .50, k-NN .90"
    assert shown._pins.toolTip() == "At its own ε, × .10 by NMI."
    result.checks = {}
    shown.show_result(result, frozenset(), animate=False)
    assert shown._pins.toolTip() == ""
