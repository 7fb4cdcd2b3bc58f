"""Every method and every bandwidth rule is held to something independent, and the page about it is up to date."""

import ast

import pytest
import validation


@pytest.mark.parametrize("id", validation.titles())
def test_it_is_validated(id):
    assert validation.validations().get(id), f'No test is marked @pytest.mark.validates("{id}").'


def test_only_what_exists_is_validated():
    assert set(validation.validations()) <= set(validation.titles())


def test_the_page_is_up_to_date():
    assert validation.TABLE.read_text("utf-8") == validation.table(validation.titles()), (
        "Run: python tests/quality/validation.py"
    )


def test_marks_are_read_from_the_source():
    (test,) = ast.parse('@pytest.mark.validates("a", "rule:b")\n@pytest.mark.slow\ndef test_it(): ...').body
    assert validation.marked(test) == ["a", "rule:b"]
