"""Notices: a sentence for people, that programs need not read."""

import pickle

import numpy as np

import mvexplorer as mvx
from mvexplorer.engine.core.notices import Notice, notices_of
from mvexplorer.engine.core.task import Task


def test_a_notice_is_its_sentence_and_survives_pickle_with_what_programs_look_at():
    notice = Notice("uneven-scales", "The scales differ.", ("fou and fac", "zer"), "warning")
    back = pickle.loads(pickle.dumps(notice))
    assert notice == back == "The scales differ."
    assert (back.code, back.subjects, back.level) == ("uneven-scales", ("fou and fac", "zer"), "warning")


def test_a_task_keeps_the_latest_notice_about_each_subject():
    task = Task()
    with task.overheard() as heard:
        task.warn("flat-view", "Nothing varies in a.", "a")
        task.warn("flat-view", "Nothing varies in b.", "b")
        task.warn("flat-view", "Still nothing in a.", "a")
    assert task.warnings == (("flat-view:a", "Still nothing in a."), ("flat-view:b", "Nothing varies in b."))
    assert [n.subjects for n in heard.values()] == [("a",), ("b",)]
    again = Task()
    for notice in heard.values():
        again.tell(notice)
    assert again.warnings == task.warnings


def test_pairs_become_notices_and_those_that_are_stay():
    mine = Notice("flat-view", "Nothing varies.", ("a",), "warning")
    (first, second) = notices_of([("rough", "old"), (mine.key, mine), ("rough", "A draft.")])
    assert (first, first[1].code, first[1].level) == (("rough", "A draft."), "rough", "info")
    assert second[1] is mine


def test_what_embedding_tells_reads_as_pairs_and_says_what_it_is_about():
    X = np.random.default_rng(0).normal(size=(30, 3))
    found = mvx.embed({"salt and pepper": X, "flat": 0 * X, "more": X**2}, "kernel-cca", epsilon=1.0)
    pairs = dict(found.warnings)
    assert pairs["views"].level == "info"
    flat = pairs["flat-view:flat"]
    assert (flat.code, flat.subjects, flat.level) == ("flat-view", ("flat",), "warning")
    assert all(isinstance(key, str) and str(text) for key, text in found.warnings)
