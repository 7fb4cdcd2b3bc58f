"""A page's own choices, in a real browser: colourings, named selections, snapshots, and a page without ids."""

from __future__ import annotations

import base64
import json
import re

import numpy as np
import pytest

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.bench.snapshot_panels import SnapshotPanels
from mvexplorer.state.document import commands
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.selections import NamedSelection, Selections
from mvexplorer.state.document.snapshots import Snapshot, Staging
from mvexplorer.ui.export.web_colours import MOST_COLOURINGS
from mvexplorer.ui.export.web_ids import INSTEAD, Unnamed
from mvexplorer.ui.export.web_page import PageContent, page_html, page_of, with_snapshots, write_page

N, IDS = 120, tuple(f"patient-{i:04d}" for i in range(120))
HOSTILE = (
    "</script><script>document.title = 'taken'</script>",
    "<img src=x onerror=\"document.title = 'taken'\">",
    "{{data}} ${document.title} &lt;b&gt; <!--",
    "\u202eright to left\u200f and \u2066on",
)


def cohort(**changes):
    """Samples with ids, a label, columns and two pictures, the second one in 3-D."""
    drawn = np.random.default_rng(0)
    kinds = np.arange(N) % 3
    given = {
        "labels": [f"kind {k}" for k in kinds],
        "columns": {"age": drawn.normal(50, 9, N), "ward": np.array([f"ward {i % 2}" for i in range(N)])},
        "sample_ids": IDS,
    }
    coordinates = {"flat": drawn.normal(size=(N, 2)) + kinds[:, None], "solid": drawn.normal(size=(N, 3))}
    return MultiView([drawn.normal(size=(N, 3))], coordinates=coordinates, **(given | changes))


def state_of(data, **changes):
    state = commands.initial_state(data, ("memory",), None)
    panels = [
        updated(commands.new_panel("given", f"p{k}"), {"view": name, "dims": data.coordinates[name].shape[1]})
        for k, name in enumerate(data.coordinates)
    ]
    return updated(state, {"panels": panels, "colour": "labels", **changes})


def selections(*names):
    named = [NamedSelection(name=name, samples=range(10 * k, 10 * k + 7), colour=k) for k, name in enumerate(names)]
    return Selections(named=tuple(named))


def with_two(page, data, names=("young", "old"), note="Look at the left.\nThen at the right."):
    """The page with two snapshots: one by age with a selection and another camera, one that cannot be shown."""
    state = state_of(data, colour="column:age", selection=(4, 5, 6), point_size=9.0)
    camera = ((0.0, 1.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    kept = [Snapshot(name=name, note=note, state={}, staging=Staging(cameras={"p1": camera})) for name in names]
    return with_snapshots(
        page,
        [SnapshotPanels(1, kept[0], compute(state, data)), SnapshotPanels(2, kept[1], problem="Its data is gone.")],
    )


@pytest.fixture(scope="module")
def plain():
    data = cohort()
    return page_of(compute(state_of(data, selections=selections("left", "right")), data), "Cohort")


@pytest.fixture(scope="module")
def file(plain, tmp_path_factory):
    return write_page(with_two(plain, cohort()), tmp_path_factory.mktemp("page") / "cohort.html")


def read(html):
    """The data in a page, as anybody could read it."""
    return json.loads(re.search(r'id="data">(.*?)</script>', html, re.DOTALL)[1])


def numbers(text, kind):
    return np.frombuffer(base64.b64decode(text), kind)


def choose(tab, place):
    """Choose a colouring by keys, as a reader without a mouse does."""
    from selenium.webdriver.common.keys import Keys

    menu = tab.driver.find_element("id", "colours")
    menu.send_keys(Keys.HOME, *[Keys.ARROW_DOWN] * place)
    tab.rest()


# What is in the file ---------------------------------------------------------------------------------------------


def test_the_file_holds_each_colouring_of_the_data_with_its_values(plain):
    data, words = cohort(), read(page_html(plain))
    offered = {words["colours"][k]["title"]: words["colours"][k] for k in words["menu"]}
    assert [*offered] == ["label", "selections", "age", "ward"]
    np.testing.assert_allclose(numbers(offered["age"]["values"], "<f4"), data.columns["age"], rtol=1e-6)
    wards = np.array(offered["ward"]["classes"])[numbers(offered["ward"]["codes"], "<u2")]
    assert wards.tolist() == data.columns["ward"].tolist()
    assert words["colour"] == 0


def test_a_page_of_this_colouring_alone_has_no_other(plain):
    data = cohort()
    finished = compute(state_of(data, selections=selections("left")), data)
    words = read(page_html(page_of(finished, "One", PageContent(colourings=False, selections=False))))
    assert [each["title"] for each in words["colours"]] == ["label"]
    assert words["named"] == []


def test_more_colourings_than_fit_are_counted_in_the_notes():
    many = {f"column {k}": np.random.default_rng(k).normal(size=N) for k in range(30)}
    data = cohort(columns=many)
    words = read(page_html(page_of(compute(state_of(data), data), "Many")))
    assert len(words["menu"]) == MOST_COLOURINGS
    assert words["notes"] == ["Left out here: 19 further colourings, for the page’s size."]


def test_a_column_with_another_value_for_every_sample_is_no_colouring():
    data = cohort(columns={"code": np.array([f"c{i}" for i in range(N)])})
    words = read(page_html(page_of(compute(state_of(data), data), "Codes")))
    assert [each["title"] for each in words["colours"]] == ["label"]


def test_snapshots_share_the_colourings_and_have_their_own_panels(plain):
    words = read(page_html(with_two(plain, cohort())))
    first, gone = words["snapshots"]
    assert (first["name"], first["note"]) == ("young", "Look at the left.\nThen at the right.")
    assert words["colours"][first["colour"]]["title"] == "age"
    assert len(words["colours"]) == len(words["menu"])
    assert first["selection"] == [4, 5, 6]
    assert first["panels"][1]["camera"] == [0, 1, 0, -1, 0, 0, 0, 0, 1]
    assert "coloured by age" in first["panels"][0]["caption"]
    assert (gone["panels"], gone["problem"]) == ([], "Its data is gone.")


def test_a_snapshot_of_other_samples_says_so(plain):
    other = cohort(sample_ids=tuple(f"guest-{i}" for i in range(N)))
    (told,) = with_snapshots(
        plain, [SnapshotPanels(1, Snapshot(name="other", state={}), compute(state_of(other), other))]
    ).snapshots
    assert told.words["problem"] == "Its pictures are not on this page: they show other samples."
    assert told.points == ()


def test_pictures_of_all_snapshots_together_decide_how_many_samples_are_drawn(monkeypatch, plain):
    monkeypatch.setattr("mvexplorer.ui.export.web_page.MOST_POINTS", 2 * N)
    assert len(plain.rows) == N
    words = read(page_html(with_two(plain, cohort())))
    assert words["shown"] == N // 2
    assert all(f"shows {N // 2} of the {N} samples" in scene["notes"][-1] for scene in (words, *words["snapshots"]))


# Without ids -----------------------------------------------------------------------------------------------------


def test_a_page_without_ids_holds_none_anywhere():
    data = cohort(columns={"code": np.array(IDS), "group": np.array([IDS[i // 2] for i in range(N)])})
    near = Selections(
        named=(NamedSelection(name=f"near {IDS[3]}", samples=(3, 4), origin=f"2 spread from {IDS[3]}"),),
        origin=f"lasso beside {IDS[4]}",
    )
    state = state_of(data, selections=near, selection=(3, 4), point={"kept": 17}, colour="column:group")
    for content in (PageContent(), PageContent(ids=False)):
        page = page_of(compute(state, data), f"About {IDS[9]}", content)
        html = page_html(with_two(page, data, (f"what {IDS[7]} does", "b"), f"See {IDS[8]}."))
        inside = [id for id in IDS if id in html]
        assert (inside == []) == (not content.ids), inside
    words = read(html)
    assert words["nameless"]
    assert words["named"][0]["name"] == f"near {INSTEAD}"
    assert words["snapshots"][0]["note"] == f"See {INSTEAD}."
    assert f"double ring: {INSTEAD}" in words["panels"][0]["caption"]
    assert words["notes"] == ["The samples’ ids are left out, and colourings that name samples."]
    titles = {each["title"]: each["classes"] for each in words["colours"]}
    assert titles.keys() == {"", "label", "selections"}
    assert titles["selections"] == [f"near {INSTEAD}", "in none"]
    assert f"<title>About {INSTEAD}</title>" in html


def test_ids_that_are_numbers_leave_the_numbers_in_sentences():
    unnamed = Unnamed([str(i) for i in range(N)])
    assert unnamed.text("100 samples, seed 0") == "100 samples, seed 0"
    data = cohort(sample_ids=tuple(str(1000 + i) for i in range(N)), columns={"code": np.arange(1000, 1000 + N)})
    words = read(page_html(page_of(compute(state_of(data), data), "Numbers", PageContent(ids=False))))
    assert words["ids"] is None
    assert [each["title"] for each in words["colours"]] == ["label"]


@pytest.mark.parametrize(
    ("ids", "before", "after"),
    [
        (("s07", "s0"), "s07 and s0 and s070", f"{INSTEAD} and s0 and s070"),
        (("ab", "a b", "abc"), "a b, abc; ab", f"{INSTEAD}, {INSTEAD}; ab"),
        (("x" * 60,), f"near {'x' * 40} in PCA", f"near {INSTEAD} in PCA"),
        (("<b>&",), "<b>&<b>&", INSTEAD * 2),
    ],
)
def test_an_id_is_found_as_a_word_of_its_own(ids, before, after):
    assert Unnamed(ids).text(before) == after


# In the browser --------------------------------------------------------------------------------------------------


def test_another_colouring_colours_points_legend_and_card(tab, file):
    tab.open(file)
    assert tab.driver.find_element("id", "colours").text.split("\n") == ["label", "selections", "age", "ward"]
    ink = "const p = pictures[0]; return [...new Set(new Uint32Array(p.base.image.data.buffer))].length"
    before = tab.run(ink)
    choose(tab, 2)
    assert tab.run("return colouring.title") == "age"
    assert tab.run(ink) > before + 10
    assert len(tab.driver.find_elements("css selector", "#scale")) == 1
    tab.run("mark(7, [300, 300])")
    assert f"age {cohort().columns['age'][7]:.3g}" in " ".join(tab.text("card").split())
    choose(tab, 3)
    names = [each.text for each in tab.driver.find_elements("css selector", ".entry .name")]
    assert names == ["ward 0", "ward 1"]
    tab.driver.find_elements("css selector", ".entry")[0].click()
    assert tab.run("return pictures[0].sampleAt(...[0, 1].map(() => -99))") == -1
    assert tab.run("return Array.from({ length: M }, (_, i) => isOn(i)).filter(Boolean).length") == N // 2
    assert tab.errors == []


def test_a_named_selection_is_selected_by_a_press_and_released_by_another(tab, file):
    from selenium.webdriver.common.keys import Keys

    tab.open(file)
    left, right = tab.driver.find_elements("css selector", ".chip")
    assert [each.text.split("\n") for each in (left, right)] == [["left", "7"], ["right", "7"]]
    left.click()
    assert tab.text("count") == f"7 of {N} samples"
    assert left.get_attribute("aria-pressed") == "true"
    tab.hand().key_down(Keys.SHIFT).click(right).key_up(Keys.SHIFT).perform()
    assert np.flatnonzero(tab.run("return Array.from(chosen)")).tolist() == [*range(7), *range(10, 17)]
    assert left.get_attribute("aria-pressed") == right.get_attribute("aria-pressed") == "false"
    right.click()
    right.click()
    assert tab.text("count").startswith("none of")
    tab.run("const now = none(); for (let i = 10; i < 17; i++) now[i] = 1; select(now)")
    assert right.get_attribute("aria-pressed") == "true", "the same samples by a lasso"


def test_keys_go_from_snapshot_to_snapshot(tab, file):
    from selenium.webdriver.common.keys import Keys

    tab.open(file)

    def press(key):
        tab.hand().send_keys(key).perform()
        tab.rest()
        pressed = tab.run("return tabs.findIndex((each) => each.getAttribute('aria-pressed') === 'true')")
        return pressed, tab.run("return pictures.length")

    assert [press(key) for key in "12"] == [(1, 2), (2, 0)]
    assert tab.text("panels") == "Its data is gone."
    assert [press(key) for key in "19"] == [(1, 2), (1, 2)]
    assert tab.text("note") == "Look at the left.\nThen at the right."
    assert tab.run("return colouring.title") == "age"
    assert tab.text("count") == f"3 of {N} samples"
    assert tab.run("return pictures[1].rotation") == [0, 1, 0, -1, 0, 0, 0, 0, 1]
    assert tab.run("return pictures.every((p) => p.base.image.data.some((v) => v))")
    down, up = Keys.PAGE_DOWN, Keys.PAGE_UP
    assert [press(key) for key in (down, down, up, up, up)] == [(2, 0), (2, 0), (1, 2), (0, 2), (0, 2)]
    assert tab.run("return document.getElementById('note').hidden")
    assert tab.text("count").startswith("none of")
    assert tab.run("return scrollY") == 0
    assert tab.errors == []


def test_what_the_reader_selected_stays_from_snapshot_to_snapshot(tab, file):
    tab.open(file)
    tab.driver.find_elements("css selector", ".chip")[0].click()
    tab.driver.find_elements("css selector", ".tab")[1].click()
    assert tab.text("count") == f"7 of {N} samples"
    tab.driver.find_element("id", "clear").click()
    tab.driver.find_elements("css selector", ".tab")[0].click()
    tab.driver.find_elements("css selector", ".tab")[1].click()
    assert tab.text("count") == f"3 of {N} samples"


def test_hostile_names_of_columns_selections_and_snapshots_do_nothing(tab, tmp_path):
    data = cohort(columns={name[:60]: np.random.default_rng(k).normal(size=N) for k, name in enumerate(HOSTILE)})
    state = state_of(data, selections=selections(*HOSTILE))
    for names in (HOSTILE[:2], HOSTILE[2:]):
        page = with_two(page_of(compute(state, data), "Hostile"), data, names, "\n".join(HOSTILE))
        tab.open(write_page(page, tmp_path / "a.html"))
        for key in "12":
            tab.hand().send_keys(key).perform()
        for place in range(len(HOSTILE) + 2):
            tab.run("takeColour(facts.menu[arguments[0]]); mark(3, [200, 200])", place)
        for chip in tab.driver.find_elements("css selector", ".chip"):
            chip.click()
        assert tab.errors == []
        assert tab.run("return document.title") == "Hostile"
        assert tab.run("return document.images.length + document.scripts.length") == 2
        assert len(tab.requests) == 1
        for select in (".chip .name", ".tab .name", "#colours option"):
            shown = tab.run(f"return [...document.querySelectorAll('{select}')].map((e) => e.textContent)")
            assert not any(set(name) & set("\u202e\u200f\u2066") for name in shown)
            assert any("<" in name or "{{" in name for name in shown)


def test_without_ids_the_card_names_no_sample_and_nothing_copies_them(tab, tmp_path):
    data = cohort()
    page = page_of(compute(state_of(data), data), "Nameless", PageContent(ids=False))
    tab.open(write_page(page, tmp_path / "a.html"))
    tab.run("mark(5, [200, 200])")
    assert " ".join(tab.text("card").split()) == "label kind 2"
    assert not tab.driver.find_element("id", "copy").is_displayed()
    assert tab.text("notes") == "The samples’ ids are left out."


@pytest.mark.parametrize("width", [360, 1280])
def test_menu_chips_and_snapshots_fit_any_window(tab, file, width):
    tab.open(file, width, 720)
    assert tab.run("return document.documentElement.scrollWidth") <= width
    for select in ("#colours", ".chip", ".tab"):
        for element in tab.driver.find_elements("css selector", select):
            assert element.is_displayed()
            assert element.rect["x"] + element.rect["width"] <= width
