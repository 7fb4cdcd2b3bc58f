"""`mvexplorer lessons`: lists, and says by name which lesson does not hold."""

import json
from dataclasses import replace

import pytest

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


def test_an_id_alone_opens_that_lesson_and_without_a_display_tells_its_line(capsys):
    assert main(["lessons", "jade"]) == 0
    assert capsys.readouterr().out == "jade  5 min  JADE: one basis for all views\n"
    assert main(["lessons", "jad"]) == 2
    assert "Do you mean jade?" in capsys.readouterr().err
    assert main(["lessons", "jade", "--out", "pages"]) == 2
    assert "Unrecognized arguments: --out pages" in capsys.readouterr().err


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
        "largest gap of panel 3 is 0.134, asked for at most 0.01\n"
    )


def test_an_unknown_lesson_is_refused_with_the_nearest(capsys):
    assert main(["lessons", "check", "joining-view"]) == 2
    assert "Do you mean joining-views?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["bandwith", "--out", "pages"], "Do you mean bandwidth?"),
        (["bandwidth", "--out", "file.txt"], "The folder file.txt cannot be made"),
        (["bandwidth"], "required: --out"),
    ],
)
def test_pages_that_cannot_be_written_are_refused_before_anything_is_computed(
    arguments, said, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file.txt").write_text("mine")
    assert main(["lessons", "export", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["file.txt"]


@pytest.mark.nightly
def test_a_lesson_is_written_beside_a_list_and_takes_the_place_of_a_former_file(tmp_path, capsys):
    page = tmp_path / "pages" / "bandwidth.html"
    page.parent.mkdir()
    page.write_text("a former page")
    assert main(["lessons", "export", "bandwidth", "bandwidth", "--out", str(page.parent)]) == 0
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{page}: ")
    assert last == f"{page.parent / 'index.html'}: the list"
    assert "A bandwidth: too small, right, too large" in page.read_text("utf-8")
    assert sorted(path.name for path in page.parent.iterdir()) == ["bandwidth.html", "index.html"]
