"""`mvexplorer lessons`: lists, and says by name which lesson does not hold."""

import json
from dataclasses import replace

import mvexplorer as mvx
from mvexplorer.cli import main
from mvexplorer.cli import teaching as command
from mvexplorer.teaching.catalogue import find_lesson


def test_lessons_are_listed(capsys):
    assert main(["lessons", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows == list(mvx.lessons())
    assert all(set(row) == {"id", "title", "minutes", "steps"} for row in rows)
    assert main(["lessons"]) == 0
    assert capsys.readouterr().out.splitlines()[0].split()[:3] == ["bandwidth", "6", "min"]


def test_a_lesson_is_checked(capsys):
    assert main(["lessons", "check", "joining-views", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {
            "id": "joining-views",
            "start_fails": True,
            "wrong_fail": True,
            "solution_passes": True,
            "claims_hold": True,
        }
    ]
    assert main(["lessons", "check", "joining-views"]) == 0
    assert capsys.readouterr().out == "joining-views: holds\n"


def test_what_does_not_hold_is_named_with_lesson_and_step(capsys, monkeypatch):
    lesson = find_lesson("joining-views")
    steps = list(lesson.steps)
    steps[2] = replace(steps[2], check=replace(steps[2].check, at_most=0.01))
    monkeypatch.setattr(command, "find_lesson", lambda id: replace(lesson, steps=tuple(steps)))
    assert main(["lessons", "check", "joining-views"]) == 1
    assert capsys.readouterr().out == (
        "joining-views, step 3: its solution does not solve it: "
        "largest gap of panel 2 is 0.134, asked for at most 0.01\n"
    )


def test_an_unknown_lesson_is_refused_with_the_nearest(capsys):
    assert main(["lessons", "check", "joining-view"]) == 2
    assert "Do you mean joining-views?" in capsys.readouterr().err
