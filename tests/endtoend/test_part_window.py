"""Some samples in a window of their own, which knows what they are a part of, also when its session is opened again."""

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import ParameterError
from mvexplorer.state.document.commands import initial_state
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.selections import NamedSelection, Selections
from mvexplorer.state.session.part import TakePartJob, check_selected, part_state, part_words
from mvexplorer.state.session.session import open_session, save_session


@pytest.fixture(autouse=True)
def offscreen(tmp_path, monkeypatch):
    monkeypatch.setenv("MVEXPLORER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setenv("MVEXPLORER_WINDOW", "offscreen")


@pytest.fixture
def data():
    random = np.random.default_rng(1)
    views = {"left": random.normal(size=(40, 3)), "right": random.normal(size=(40, 2))}
    return mvx.MultiView(views, labels=["a", "b"] * 20, sample_ids=[f"s{i:02d}" for i in range(40)],
                         images=np.zeros((40, 2, 2), dtype=np.uint8))  # fmt: skip


ROWS = tuple(range(3, 16))
WORDS = "13 of 40 samples of two views: lasso in Multi-view 2-D"


def asked(data):
    kept = Selections(named=(NamedSelection(name="some", samples=(0, 3, 5)), NamedSelection(name="none", samples=(1,))))
    state = initial_state(data, ("two.csv",), None)
    pinned = updated(state.panels[0], {"pins": {"n_components": 12}})
    changes = {"selections": kept, "selection": ROWS, "panels": (pinned, *state.panels[1:]), "subsample": 13}
    return updated(state, changes)


def test_the_part_has_the_same_views_methods_and_names(data, tmp_path):
    state, part = asked(data), data.take(list(ROWS))
    made = part_state(state, part, ROWS, WORDS)
    assert made.views == state.views
    assert [p.method for p in made.panels] == [p.method for p in state.panels]
    assert made.params["n_components"] == made.panels[0].pins["n_components"] == 11
    assert made.selections.named == (NamedSelection(name="some", samples=(0, 2)),)
    assert made.subsample is None
    path = tmp_path / "part.mvx"
    save_session(path, made, part, "1")
    again = open_session(path)
    assert again.state.part_of == WORDS
    assert again.data.sample_ids == tuple(f"s{i:02d}" for i in ROWS)
    assert again.data.images.shape == (13, 2, 2)
    assert any(WORDS in note for note in again.notes)


@pytest.mark.nightly
def test_it_opens_in_a_window_of_its_own(data):
    part, session = TakePartJob(asked(data), data, ROWS, WORDS).run(StageCache(), Task())
    window = mvx.show(part, session=session)
    try:
        told = window.session["state"]
        assert told["part_of"] == WORDS
        assert window.session["n_samples"] == 13
    finally:
        window.close()


def test_too_few_and_all_are_refused(data):
    for rows, words in (((), "Nothing is selected"), (range(9), "9 samples are too few"), (range(40), "All samples")):
        with pytest.raises(ParameterError, match=words):
            check_selected(rows, data)
    assert part_words(ROWS, data, "two views", "lasso in Multi-view 2-D") == WORDS
