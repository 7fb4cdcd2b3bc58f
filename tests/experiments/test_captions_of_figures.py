"""What captions say is what is drawn: each claim in words is computed from the drawings of a quick run."""

import re

import pytest
from claims_of_captions import CLAIMS, PAPERS
from drawn_figures import Drawn
from quick_runs import LONG, finished

from mvexplorer.experiments.table import EXPERIMENTS
from mvexplorer.ui.pages.table import PAGES

NUMBER = re.compile(r"(?<![\w.])\.?\d(?:[\d,.]*\d)?")


def words(experiment):
    """All that stands beside a figure."""
    return " ".join((experiment.caption, experiment.look_for, experiment.knob, experiment.why))


@pytest.mark.parametrize(
    "experiment",
    [pytest.param(e, marks=pytest.mark.nightly) if e.id in LONG else e for e in EXPERIMENTS],
    ids=lambda e: e.id,
)
def test_a_caption_claims_what_is_drawn(experiment):
    drawn = Drawn(experiment, finished(experiment.id).outcome)
    assert [said for said, holds in CLAIMS[experiment.id] if not holds(drawn)] == []


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.id)
def test_every_number_and_every_hint_is_among_the_claims_that_are_tested(experiment):
    text, quoted = words(experiment), [said for said, _ in CLAIMS[experiment.id]]
    assert [said for said in quoted if said not in text] == []
    covered = [range(match.start(), match.end()) for said in (*quoted, *PAPERS) for match in _all(said, text)]
    untested = [match[0] for match in NUMBER.finditer(text) if not any(match.start() in each for each in covered)]
    assert untested == []
    sentences = re.split(r"(?<=\.) ", experiment.look_for)
    told = [sentence for sentence in sentences if not re.match("(The|In the) (text|paper) ", sentence)]
    assert [sentence for sentence in told if not any(said.rstrip(".") in sentence for said in quoted)] == []


def _all(said, text):
    return re.finditer(re.escape(said), text)


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.id)
def test_a_knob_names_pages_as_they_are_named(experiment):
    named = re.findall(r"[Pp]age ([A-Z]\w+)", " ".join((experiment.knob, *(turn.words for turn in experiment.turns))))
    assert set(named) <= {page.title for page in PAGES}
