"""The choices of the page *Validate* belong to the document: they are undone, saved, and checked."""

import pytest

from mvexplorer.errors import MVExplorerError
from mvexplorer.state.document.check_choices import CheckChoices
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.page_commands import CHECK_LABELS, choose_checks


def test_a_choice_is_one_named_step_of_undo():
    document = Document()
    choose_checks(document, runs=19)
    choose_checks(document, runs=19)
    assert (document.state.checks.runs, document.steps) == (19, ("Number of shuffles",))
    document.undo()
    assert document.state.checks == CheckChoices()


def test_every_choice_has_a_name_for_the_history():
    assert set(CHECK_LABELS) == set(CheckChoices.model_fields)


def test_choices_come_back_with_a_session_and_older_ones_have_the_usual_ones():
    state = DocumentState(checks=CheckChoices(view="mor", shuffle="bursts:event", overlay="ghosts"))
    assert DocumentState.model_validate_json(state.model_dump_json()) == state
    assert DocumentState.model_validate({}).checks == CheckChoices()


@pytest.mark.parametrize("changes", [{"runs": 0}, {"shuffle": "words"}, {"overlay": "smoke"}])
def test_a_choice_that_there_is_not_leaves_the_document_alone(changes):
    document = Document()
    with pytest.raises((MVExplorerError, ValueError)):
        choose_checks(document, **changes)
    assert document.steps == ()
