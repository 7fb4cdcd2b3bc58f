"""A lesson's page in a real browser: its bar fails where a step begins, is met by the solution, and tells why."""

from __future__ import annotations

import re

import numpy as np
import pytest

from mvexplorer.engine.core.task import Task
from mvexplorer.resources import resource
from mvexplorer.teaching.acts import after
from mvexplorer.teaching.catalogue import all_lessons, find_lesson
from mvexplorer.teaching.offers import step_offers
from mvexplorer.teaching.paging import paged
from mvexplorer.teaching.reading import read_lesson
from mvexplorer.teaching.staging import open_source, start_of, step_source
from mvexplorer.ui.export.lesson_page import INDEX, index_html, lesson_html, write_index, write_lesson
from mvexplorer.ui.style.roles import DARK, LIGHT

HOSTILE = "</script><script>document.title = 'taken'</script><img src=x onerror=\"document.title = 'taken'\">"
SMALL = f"""+++
id = "small"
title = '''A ring {HOSTILE}'''
minutes = 5
idea = '''Remember {HOSTILE}'''
sample = "make_circles(n_samples=60)"
+++

## What you see

Two circles {HOSTILE}

```toml
set = {{ methods = ["single:VIEW"], epsilon = "median/100", colour = "labels" }}
```

## Predict

Will *they* join?

## Do

Do *this*.

```toml
point = "epsilon_scale"
ask = '''Make a step longer {HOSTILE}'''
check = {{ bar = "pieces", of = "single:VIEW", at_most = 1 }}
solution = [{{ set = "epsilon_scale", to = 11.0 }}]
wrong = [
  {{ do = [{{ set = "epsilon_scale", to = 0.5 }}], reason = '''Too short {HOSTILE}''' }},
  {{ do = [{{ set = "t", to = 3 }}], reason = "The pieces stay." }},
]
```

## Why

It holds together.
"""
NOT_SMALL = {"uneven-views", "more-views"}
"""Lessons on two thousand samples, whose pages are larger."""


@pytest.fixture(autouse=True)
def quick_scores():
    """All runs of k-means: the bars of lessons are for their mean."""


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    path = tmp_path_factory.mktemp("lesson") / "small.md"
    view = open_source(("make_circles(n_samples=60)",), Task()).data.view_names[0]
    path.write_text(SMALL.replace("VIEW", view), "utf-8")
    lesson = read_lesson(path)
    return write_lesson(paged(lesson), path.parent), lesson


def opened(tab, file, **about):
    tab.open(file, **about)
    tab.wait_for("const end = arguments[0], look = () => window.live || !$('live-problem').hidden ? end() "
                 ": setTimeout(look, 10); look()")  # fmt: skip
    tab.rest()


def act(tab, offer, factor):
    """Choose what is offered at a place, and drag ε to a factor."""
    tab.run(
        "const offers = document.querySelectorAll('#lesson-offers input'), [offer, factor] = arguments;"
        "if (offers.length) offers[offer].click();"
        "const value = (Math.log(factor) - live.lo) / (live.hi - live.lo) * KEYS;"
        "live.slider.value = value; live.slider.dispatchEvent(new Event('input'));"
        "live.slider.dispatchEvent(new Event('change'))",
        offer,
        factor,
    )
    tab.rest()


def drive(tab, lesson):
    """Do every step of an open page, right and wrong, through its own controls."""
    for number, step in enumerate(lesson.steps):
        assert tab.text("lesson-kind") == step.kind
        assert tab.text("lesson-prose") == step.prose.replace("*", "")
        if step.check is not None:
            data = open_source(step_source(lesson, number), Task())
            start = start_of(lesson, number, data)
            offers = step_offers(step, start, data.data)
            ends = [(after(start, data.data, acts), acts) for acts in (step.solution, *(w.acts for w in step.wrong))]
            places = [next(k for k, offer in enumerate(offers) if offer.is_for(*end)) for end in ends]
            assert not tab.run("return $('lesson-check').classList.contains('met')")
            assert tab.text("lesson-verdict") == ""
            for (state, _), place, wrong in zip(ends[1:], places[1:], step.wrong, strict=True):
                act(tab, place, state.epsilon_scale)
                assert tab.text("lesson-verdict") == wrong.reason
                assert not tab.run("return $('lesson-next').classList.contains('ready')")
                tab.driver.find_element("id", "lesson-again").click()
                tab.rest()
                assert tab.text("lesson-verdict") == ""
            act(tab, places[0], ends[0][0].epsilon_scale)
            assert tab.text("lesson-verdict").startswith("✓ Reached.")
        if number + 1 < len(lesson.steps):
            assert tab.run("return $('lesson-idea').hidden")
            tab.driver.find_element("id", "lesson-next").click()
            tab.rest()
    assert tab.text("lesson-idea") == lesson.idea
    assert tab.run("return $('lesson-next').disabled")


def test_a_page_is_done_right_and_wrong_asks_for_nothing_and_its_words_are_inert(tab, small):
    file, lesson = small
    opened(tab, file)
    drive(tab, lesson)
    assert tab.driver.title != "taken"
    assert "In the program: mvexplorer lessons small" in tab.text("lesson-notes")
    assert tab.run("return document.querySelectorAll('img').length") == 0
    assert [url for url in tab.requests if not url.startswith("data:")] == [file.as_uri()]
    assert tab.errors == []
    policy = tab.run("return document.querySelector('meta[http-equiv]').content")
    assert policy.count("sha256-") == 4
    assert "unsafe" not in policy
    text = resource("web", "lesson.js").read_text("utf-8")
    assert not re.findall(r"innerHTML|insertAdjacentHTML|document\.write|eval\(|https?://|Worker|import\(", text)


def test_a_solved_step_is_left_as_it_is_and_another_as_its_solution_leaves_it(tab, small):
    file, _ = small
    opened(tab, file)
    factor = "return live.factorAt(live.step)"
    for _ in range(3):
        tab.run("$('lesson-next').click()")
    tab.rest()
    assert tab.run(factor) == pytest.approx(11.0, rel=1e-3)
    tab.run("$('lesson-back').click()")
    tab.rest()
    assert tab.run(factor) == pytest.approx(1.0, rel=1e-3)
    act(tab, 0, 14.0)
    tab.run("$('lesson-next').click()")
    tab.rest()
    assert tab.run(factor) == pytest.approx(14.0, rel=1e-2)
    assert tab.driver.current_url.endswith("#step=4")
    assert tab.errors == []


def test_keys_alone_do_a_step_and_the_address_leads_to_it(tab, small):
    from selenium.webdriver.common.keys import Keys

    file, _ = small
    opened(tab, file)
    tab.driver.find_element("id", "lesson-next").send_keys(Keys.ENTER, Keys.ENTER)
    tab.driver.find_element("id", "live-epsilon").send_keys(*[Keys.PAGE_UP] * 5)
    tab.rest()
    assert tab.text("lesson-verdict").startswith("✓ Reached.")
    tab.driver.find_element("css selector", "#lesson-offers input:checked").send_keys(Keys.ARROW_DOWN)
    tab.rest()
    assert tab.run("return scenes.indexOf(scene)") != 0
    tab.run("location.hash = '#step=4'")
    tab.wait_for("setTimeout(arguments[0], 0)")
    assert tab.text("lesson-kind") == "Why"
    tab.driver.find_element("css selector", "body").send_keys("1")  # no way round the lesson, as there is to snapshots
    assert tab.text("lesson-kind") == "Why"


def test_without_live_pictures_a_page_still_teaches(tab, small, tmp_path):
    file, _ = small
    path = tmp_path / "page.html"
    text = file.read_text("utf-8")
    path.write_text(re.sub(r'(id="live-data">)[^<]*', r"\1AAAA", text), "utf-8")
    opened(tab, path)
    assert "ε cannot be moved here" in tab.text("live-problem")
    tab.run("column.go(2, false)")
    assert tab.text("lesson-kind") == "Do"
    assert tab.text("lesson-value") != "–"


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (360, "dark"), (2560, "dark")])
def test_it_fits_narrow_and_wide_windows_in_either_scheme(width, scheme, tab, small):
    opened(tab, small[0], width=width, scheme=scheme)
    tab.run("column.go(2, false)")
    tab.rest()
    assert tab.run("return document.documentElement.scrollWidth") <= width
    heights = tab.run("return [...document.querySelectorAll('#lesson-buttons button')].map((one) => one.offsetHeight)")
    assert min(heights) >= (44 if width == 360 else 28)
    ground, letters = tab.run(
        "const { backgroundColor, color } = getComputedStyle($('lesson')); return [backgroundColor, color]"
    )
    theme = {"light": LIGHT, "dark": DARK}[scheme]
    hexes = ["#" + "".join(f"{int(v):02x}" for v in re.findall(r"\d+", each)[:3]) for each in (ground, letters)]
    assert hexes == [theme.surface.lower(), theme.text.lower()]


def test_a_finger_on_a_narrow_screen_does_the_step_and_sees_the_bar_move(tab, small):
    tab.by_finger(True)
    try:
        opened(tab, small[0], width=360, height=740)
        tab.run("column.go(2, false)")
        tab.rest()
        small_ones = tab.run(
            "return [...document.querySelectorAll('#live input, #live button, #lesson button, #lesson label')]"
            ".filter((one) => one.offsetHeight && one.offsetHeight < 44).map((one) => one.id || one.textContent)"
        )
        assert small_ones == []
        before = tab.text("lesson-value")
        x, y, wide = tab.run("const r = live.slider.getBoundingClientRect(); return [r.x, r.y + r.height / 2, r.width]")
        from_x = x + 10 + (wide - 20) * tab.run("return Number(live.slider.value)") / 1000
        tab.touch((from_x, y), (from_x + 20, y), (x + 0.97 * wide, y))
        assert tab.text("lesson-value") != before
        assert tab.text("lesson-verdict").startswith("✓ Reached.")
        bar = tab.run("const r = $('lesson-check').getBoundingClientRect(); return [r.top, r.bottom, innerHeight]")
        assert 0 <= bar[0] < bar[1] <= bar[2]  # in sight
    finally:
        tab.by_finger(False)


def test_with_reduced_motion_steps_change_at_once(tab, small):
    opened(tab, small[0])
    glides = (
        "const seen = [], far = (n) => { for (const p of live.pictures) p.points = p.points.map(() => n); };"
        "for (const number of [2, 3, 2, 3]) { column.go(number, false); far(1); live.show(); "
        "seen.push(live.pictures.some((p) => p.gliding)); } return seen.some(Boolean)"
    )
    assert tab.run(glides)
    tab.feature("prefers-reduced-motion", "reduce")
    assert not tab.run(glides)


def test_the_list_leads_to_the_pages_that_are_there(tmp_path):
    first, *others = all_lessons()
    (tmp_path / f"{first.id}.html").write_text("a page", "utf-8")
    text = write_index(tmp_path).read_text("utf-8")
    assert re.findall(r'<a href="([^"]*)"', text) == [f"{first.id}.html"]
    assert text.count("not in this folder") == len(others)
    assert all(lesson.idea.split(":")[0] in text for lesson in all_lessons())
    assert "<script" not in text
    assert INDEX == "index.html"
    assert "{{" not in index_html(all_lessons(), set())


@pytest.mark.nightly
@pytest.mark.parametrize("id", [lesson.id for lesson in all_lessons()])
def test_every_lesson_is_a_small_page_on_which_it_can_be_done(id, tab, tmp_path):
    lesson = find_lesson(id)
    whole = paged(lesson)
    file = write_lesson(whole, tmp_path)
    assert id in NOT_SMALL or len(file.read_bytes()) <= 400_000
    assert lesson_html(whole) == file.read_text("utf-8")
    opened(tab, file)
    drive(tab, lesson)
    assert tab.errors == []
    assert np.isfinite(tab.run("return Array.from(pictures[0].points)")).all()
