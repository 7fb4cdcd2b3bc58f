"""One page of a session, in a real browser: it needs nothing else, its pictures are linked, names do nothing."""

from __future__ import annotations

import re
from statistics import median

import numpy as np
import pytest

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import DataError
from mvexplorer.resources import resource
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document import commands
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.export.record import document_record
from mvexplorer.ui.export.web_images import image_sheet
from mvexplorer.ui.export.web_page import MOST_POINTS, _page_words, make_page, page_html, page_of, write_page

N, PANELS, CLASSES = 5_000, 12, 12
HOSTILE = (
    "</script><script>document.title = 'taken'</script>",
    "<img src=x onerror=\"document.title = 'taken'\">",
    "{{data}} ${document.title} &lt;b&gt; <!--",
    "\u202eright to left\u200f and \u2066on",
    "y" * 10_000,
    "\udcff\x00 \u2028 no text",
)


def pictures(n=N, panels=PANELS, dims=2):
    """Samples in classes, whose pictures came with them, every second one in 3-D if `dims` is 3."""
    drawn = np.random.default_rng(0)
    classes = np.arange(n) % CLASSES
    middles = drawn.normal(size=(panels, CLASSES, 3))
    made = {f"picture {k}": (middles[k][classes] + 0.25 * drawn.normal(size=(n, 3)))[:, : 2 + k % (dims - 1)]
            for k in range(panels)}  # fmt: skip
    return MultiView(
        [drawn.normal(size=(n, 3))], coordinates=made, columns={"kind": [f"kind {c}" for c in classes]},
        sample_ids=[f"cell-{i:05d}" for i in range(n)],
        images=drawn.integers(0, 255, (n, 12, 12), dtype=np.uint8),
    )  # fmt: skip


def document(data, methods=None, **changes):
    """A state with a panel for each picture that came with the data, or for each method."""
    state = commands.initial_state(data, ("memory",), None)
    wanted = [(m, None) for m in methods] if methods else [("given", name) for name in data.coordinates]
    panels = []
    for k, (method, view) in enumerate(wanted):
        dims = data.coordinates[view].shape[1] if view else 2
        panels.append(updated(commands.new_panel(method, f"p{k}"), {"view": view, "dims": dims}))
    return updated(state, {"panels": panels, **changes})


@pytest.fixture(scope="module")
def large():
    data = pictures()
    return compute(document(data, colour="column:kind"), data)


@pytest.fixture(scope="module")
def large_file(large, tmp_path_factory):
    return write_page(page_of(large, "Twelve pictures"), tmp_path_factory.mktemp("page") / "large.html")


@pytest.fixture(scope="module")
def solid():
    data = pictures(600, 2, dims=3)
    return compute(document(data, colour="column:kind"), data)


def spots(tab, rows):
    """Where samples are in each picture, in pixels of the window."""
    return np.array(tab.run("return pictures.map((p) => arguments[0].map((i) => p.spot(i)))", [*map(int, rows)]))


def selected(tab):
    return np.flatnonzero(tab.run("return Array.from(chosen)")).tolist()


def drag(tab, points, shift=False):
    """Press at the first point, go along the others, let go at the last."""
    from selenium.webdriver.common.keys import Keys

    if shift:
        tab.hand().key_down(Keys.SHIFT).perform()
    hand = tab.hand()
    hand.w3c_actions.pointer_action.move_to_location(*map(int, points[0]))
    hand.w3c_actions.pointer_action.pointer_down()
    for point in points[1:]:
        hand.w3c_actions.pointer_action.move_to_location(*map(int, point))
    hand.w3c_actions.pointer_action.pointer_up()
    hand.perform()
    if shift:
        tab.hand().key_up(Keys.SHIFT).perform()
    tab.rest()


def move(tab, spot, click=False):
    hand = tab.hand()
    hand.w3c_actions.pointer_action.move_to_location(*(round(float(v)) for v in spot))
    if click:
        hand.w3c_actions.pointer_action.pointer_down()
        hand.w3c_actions.pointer_action.pointer_up()
    hand.perform()
    tab.rest()


@pytest.mark.nightly
def test_a_page_of_twelve_times_five_thousand_is_small_and_asks_for_nothing(tab, large_file):
    tab.open(large_file)
    assert large_file.stat().st_size < 5_000_000
    assert tab.errors == []
    assert [url for url in tab.requests if not url.startswith("data:")] == [large_file.as_uri()]
    assert tab.run("return pictures.length") == PANELS
    assert tab.text("count").startswith("none of 5,000")
    policy = tab.run("return document.querySelector('meta[http-equiv]').content")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    text = "".join((resource("web", name)).read_text("utf-8") for name in ("page.html", "page.css", "page.js"))
    assert not re.findall(
        r"innerHTML|insertAdjacentHTML|document\.write|eval\(|https?://(?!www\.w3\.org/2000/svg)", text
    )


@pytest.mark.nightly
def test_the_sample_under_the_pointer_is_ringed_in_every_picture(tab, large_file):
    """Rings are drawn around its places, as they follow from the coordinates alone."""
    tab.open(large_file, 2560, 1440)
    i = 4321
    move(tab, spots(tab, [i])[7, 0])
    assert tab.run("return marked") == i
    assert tab.text("card").startswith("cell-04321")
    assert "kind 1" in tab.text("card")
    middles = tab.run(
        """return pictures.map((p) => {
          const { width, height } = p.canvas, found = [0, 0, 0];
          const pixels = new Uint32Array(p.top.context.getImageData(0, 0, width, height).data.buffer);
          pixels.forEach((v, k) => { if (v >>> 24) { found[0] += k % width; found[1] += k / width | 0; found[2]++; } });
          return [found[0] / found[2], found[1] / found[2], width, height];
        })"""
    )
    whole = large_points(large_file)
    for (x, y, width, height), points in zip(middles, whole, strict=True):
        unit = min(width, height) / 2 / 1.12
        wanted = width / 2 + unit * points[i, 0], height / 2 - unit * points[i, 1]
        assert abs(x - wanted[0]) < 1.5
        assert abs(y - wanted[1]) < 1.5
    move(tab, (5, 5))
    assert tab.run("return marked") == -1
    assert tab.run("return document.getElementById('card').hidden")


def large_points(file):
    """The coordinates in a page, read as anybody could."""
    import base64
    import json

    facts = json.loads(re.search(r'id="data">(.*?)</script>', file.read_text("utf-8"), re.DOTALL)[1])
    raw = [np.frombuffer(base64.b64decode(p["points"]), dtype="<u2").reshape(p["dims"], -1) for p in facts["panels"]]
    return [2.0 * points.T / 65_535 - 1.0 for points in raw]


def test_coordinates_are_those_of_the_session_to_sixteen_bits(large, large_file):
    for points, found in zip(large_points(large_file), large.results.values(), strict=True):
        assert np.abs(points - found.drawing.points).max() <= 1.01 / 65_535


def test_a_lasso_selects_in_all_pictures_shift_adds_and_escape_clears(tab, large_file):
    from selenium.webdriver.common.keys import Keys

    tab.open(large_file, 2560, 1440)
    everywhere = spots(tab, range(N))
    box = tab.run("const b = pictures[2].canvas.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]")
    left, top, right, bottom = (round(v) for v in (box[0] + 0.3 * box[2], box[1] + 0.3 * box[3], box[0] + 0.6 * box[2],
                                                   box[1] + 0.7 * box[3]))  # fmt: skip
    corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top + 2)]
    drag(tab, corners)

    def inside(k, grow, bounds):
        (a, b), (c, d) = bounds
        x, y = everywhere[k].T
        return set(np.flatnonzero((x > a - grow) & (x < c + grow) & (y > b - grow) & (y < d + grow)).tolist())

    first, bounds = set(selected(tab)), ((left, top), (right, bottom))
    assert inside(2, -2, bounds) <= first <= inside(2, 2, bounds)
    assert 50 < len(first) < N - 50
    assert tab.text("count") == f"{len(first):,} of 5,000 samples"
    greys = tab.run(
        """return pictures.map((p) => {
          const { width, height } = p.canvas;
          const data = (layer) => new Uint32Array(layer.context.getImageData(0, 0, width, height - 60).data.buffer);
          const colours = new Set(Array.from(data(p.base).filter((v) => v >>> 24 > 250), (v) => v & 0xffffff));
          return [colours.has(paint.rest), colours.size, data(p.top).some((v) => v >>> 24)];
        })"""
    )
    # Grey is the ground of all pictures, whose lowest part holds names; the selected lie on it in every one.
    assert all(has_rest and n < 4 and top for has_rest, n, top in greys), greys
    drag(tab, [(x, y - box[3] * 0.25) for x, y in corners], shift=True)
    assert first < set(selected(tab))
    tab.hand().send_keys(Keys.ESCAPE).perform()
    assert selected(tab) == []
    move(tab, everywhere[5, 99], click=True)
    assert len(selected(tab)) == 1


def test_the_legend_hides_a_class_and_shows_one_alone(tab, large_file):
    tab.open(large_file)
    rows = tab.driver.find_elements("css selector", ".entry")
    assert [row.text.split("\n")[0] for row in rows] == [f"kind {c}" for c in sorted(range(CLASSES), key=int)]
    ink = "return pictures[0].base.context.getImageData(0, 0, 400, 200).data.filter((v) => v).length"
    before = tab.run(ink)
    rows[3].click()
    tab.rest()
    assert tab.run(ink) < before
    assert rows[3].get_attribute("aria-pressed") == "false"
    tab.run("select(new Uint8Array(M).fill(1))")
    i = next(i for i in range(N) if i % CLASSES == 3)
    hit = tab.run("const p = pictures[0]; p.place(); return p.sampleAt(p.x[arguments[0]], p.y[arguments[0]])", i)
    assert hit % CLASSES != 3  # what is hidden is not pointed at
    tab.hand().double_click(rows[4]).perform()
    assert tab.run("return Array.from(on)") == [int(c == 4) for c in range(CLASSES)]
    tab.driver.find_element("id", "show-all").click()
    assert tab.run("return Array.from(on)") == [1] * CLASSES


def test_the_ids_of_the_selected_samples_are_copied(tab, large_file):
    tab.open(large_file)
    tab.run("const now = none(); for (const i of [3, 17, 4000]) now[i] = 1; select(now)")
    tab.run("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    tab.driver.find_element("id", "copy").click()
    tab.rest()
    assert tab.run("return window.copied") == "cell-00003\ncell-00017\ncell-04000"
    assert tab.text("count") == "3 ids copied"


def test_a_picture_zooms_at_the_pointer_and_a_solid_one_turns(tab, solid, tmp_path):
    tab.open(write_page(page_of(solid, "In three dimensions"), tmp_path / "a.html"))
    assert tab.run("return pictures.map((p) => p.dims)") == [2, 3]
    before = spots(tab, [7])
    tab.run(
        """const [x, y] = arguments[0], at = { clientX: x, clientY: y, deltaY: -400, bubbles: true, cancelable: true };
           pictures[0].canvas.dispatchEvent(new WheelEvent('wheel', at));""",
        before[0, 0].tolist(),
    )
    assert tab.run("return pictures[0].zoom") > 1.5
    assert np.abs(spots(tab, [7])[0] - before[0]).max() < 2.0
    x, y = before[1, 0]
    drag(tab, [(x, y), (x + 30, y), (x + 90, y + 20)])
    rotation = np.array(tab.run("return pictures[1].rotation")).reshape(3, 3)
    assert np.allclose(rotation @ rotation.T, np.eye(3))
    assert np.abs(rotation - solid_camera()).max() > 0.2
    assert selected(tab) == []
    lasso = next(b for b in tab.driver.find_elements("css selector", ".head button") if b.text == "Lasso")
    lasso.click()
    box = tab.run("const b = pictures[1].canvas.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]")
    a, b, c, d = box[0] + 4, box[1] + 4, box[2] - 4, box[3] - 4
    drag(tab, [(a, b), (c, b), (c, d), (a, d)])
    assert len(selected(tab)) > 500


def solid_camera():
    from mvexplorer.ui.cloud.picture import Camera

    return Camera.default().rotation


def test_a_reader_without_a_mouse_goes_from_sample_to_sample(tab, solid, tmp_path):
    from selenium.webdriver.common.keys import Keys

    tab.open(write_page(page_of(solid, "Keys"), tmp_path / "a.html"))
    tab.run("pictures[0].canvas.focus()")
    tab.hand().send_keys(Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ARROW_LEFT).perform()
    i = tab.run("return marked")
    assert i >= 0
    assert tab.text("card").startswith(f"cell-{i:05d}")
    tab.hand().send_keys(Keys.ENTER).perform()
    assert selected(tab) == [i]
    missing = tab.run(
        "return [...document.querySelectorAll('button')].filter((b) => !b.textContent.trim()).length"
    )  # fmt: skip
    assert missing == 0


def hostile_data(n=72):
    drawn = np.random.default_rng(0)
    kinds = np.arange(n) % len(HOSTILE)
    views = {f"{name[:300]}{k}": drawn.normal(size=(n, 3)) + 8 * kinds[:, None] for k, name in enumerate(HOSTILE[:2])}
    views["plain"] = np.vstack([np.full((1, 3), 1e3), drawn.normal(size=(n - 1, 3))])
    return MultiView(
        views, labels=[HOSTILE[k] for k in kinds], sample_ids=[f"{HOSTILE[k]}{i}" for i, k in enumerate(kinds)],
        images=drawn.integers(0, 255, (n, 6, 4, 3), dtype=np.uint8),
    )  # fmt: skip


@pytest.fixture(scope="module")
def hostile():
    data = hostile_data()
    state = document(data, ("single", "multiview", "given", "pca"), colour="labels", selection=(1, 2))
    panels = [*state.panels]
    panels[0] = updated(panels[0], {"view": "plain"})  # one sample takes a coordinate: a warning
    panels[3] = updated(panels[3], {"pins": {"n_components": 3}})
    return compute(updated(state, {"panels": panels}), data)


@pytest.mark.parametrize(
    "source", ["distance:p1:3:distance", "disagreement:p0:p1", "spread:p0", "clusters:p0:kmeans:3"]
)
def test_a_derived_colouring_is_on_the_page(source):
    import base64

    from mvexplorer.state.colourings.derived import coloured_now

    data = MultiView([np.random.default_rng(k).normal(size=(40, 3)) for k in range(2)])
    state = updated(document(data, ["single", "multiview"], colour=source), {"point": {"kept": 3}})
    finished = compute(state, data)
    wanted = coloured_now(state, data, finished.results.__getitem__)
    told = _page_words(page_of(finished, "Derived"))
    field = next(f for f in told["fields"] if f["title"] == wanted.title)
    values = np.frombuffer(base64.b64decode(field["values"]), "<u2" if wanted.classes else "<f4")
    np.testing.assert_allclose(values, wanted.values, rtol=1e-6)
    assert told["colours"][told["colour"]]["title"] == wanted.title
    assert told["ringed"] == 3


def test_the_kept_sample_has_its_ring_on_the_page(tab, tmp_path):
    """Two circles in the theme's accent around its place, in every picture."""
    data = pictures(200, 2)
    finished = compute(updated(document(data), {"point": {"kept": 17}}), data)
    tab.open(write_page(page_of(finished, "Kept"), tmp_path / "kept.html"))
    found = tab.run(
        """return pictures.map((p) => {
          p.place();
          const at = [Math.round(p.x[17]), Math.round(p.y[17])], r = Math.round(8 * p.ratio);
          const read = (dx) => Array.from(p.top.context.getImageData(at[0] + dx, at[1], 1, 1).data);
          return [read(r), read(-r), read(3 * r)];
        })"""
    )
    for right, left, away in found:
        assert right[3] > 200
        assert left[3] > 200
        assert right[2] > right[0], "blue, as the accent is"
        assert away[3] == 0


def test_names_from_files_do_nothing_and_harm_nothing(tab, hostile, tmp_path):
    for title in HOSTILE:
        tab.open(write_page(page_of(hostile, title), tmp_path / "a.html"))
        assert tab.errors == []
        assert tab.run("return document.title") != "taken"
        assert tab.run("return document.images.length + document.scripts.length") == 2
        assert len(tab.text("title")) <= 220
        assert len(tab.requests) == 1 + 1  # itself, and the samples' pictures, which it holds
    for i in range(len(HOSTILE)):
        tab.run("mark(arguments[0], [300, 300])", i)
        assert tab.run("return document.images.length") == 0
    assert tab.run("return document.documentElement.scrollWidth <= innerWidth")
    names = tab.run("return [...document.querySelectorAll('.entry .name')].map((e) => e.textContent)")
    assert len(names) == len(HOSTILE)
    assert any(name.startswith("</script>") for name in names)
    assert not any(set(name) & set("\u202e\u200f\u2066\u2028\x00") for name in names)


def test_every_score_warning_parameter_and_caption_of_the_record_is_on_the_page(tab, hostile, tmp_path):
    record = document_record(hostile.state, hostile.data, "My data", hostile.results.__getitem__, None)
    tab.open(write_page(page_of(hostile, "My data"), tmp_path / "a.html"))
    tab.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    shown = [tab.run("return document.querySelectorAll('.panel')[arguments[0]].innerText", k) for k in range(4)]
    assert any(panel["warnings"] for panel in record["panels"])
    assert any("error" in panel for panel in record["panels"])
    for text, panel in zip(shown, record["panels"], strict=True):
        words = " ".join(text.split())
        for warning in panel["warnings"]:
            assert " ".join(warning.split()) in words
        if "error" in panel:
            assert " ".join(panel["error"].split()) in words
        for value in panel.get("scores", {}).values():
            assert f"{value:.2f}".removeprefix("0") in words
        assert "mvexplorer" in words  # the caption ends with the program
        assert ("Diffusion time" in words) == ("t" in panel.get("parameters", {}))


def test_the_page_follows_the_readers_theme_and_his_button(tab, solid, tmp_path):
    file = write_page(page_of(solid, "Themes"), tmp_path / "a.html")
    ground = "return getComputedStyle(document.body).backgroundColor"
    tab.open(file, scheme="dark")
    assert tab.run(ground) == "rgb(21, 23, 27)"
    tab.driver.find_element("id", "theme").click()
    assert tab.run(ground) == "rgb(244, 245, 247)"
    tab.open(file, scheme="light")
    assert tab.run(ground) == "rgb(244, 245, 247)"


@pytest.mark.parametrize(("width", "columns"), [(390, 1), (1280, 3), (2560, 4)])
def test_the_page_is_as_wide_as_the_window(tab, large_file, width, columns):
    tab.open(large_file, width, 900)
    assert tab.run("return document.documentElement.scrollWidth") <= width
    lefts = tab.run("return [...document.querySelectorAll('.panel')].map((p) => p.getBoundingClientRect().left)")
    assert len(set(lefts)) == columns


def test_pictures_out_of_sight_are_drawn_when_they_come_into_sight(tab, large_file):
    tab.open(large_file, 1280, 700)
    ink = """const { base, width, height } = pictures[11];
             return base.context.getImageData(0, 0, width, height).data.some((v) => v);"""
    assert not tab.run(ink)
    tab.run("document.querySelector('footer').scrollIntoView()")
    tab.rest()
    tab.rest()
    assert tab.run(ink)


def test_a_finger_selects_sideways_scrolls_up_and_down_and_taps(tab, solid, tmp_path):
    tab.open(write_page(page_of(solid, "A phone"), tmp_path / "a.html"), 390, 600)
    tab.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        left, top, width, height = tab.run(
            "const b = pictures[0].canvas.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]"
        )
        corners = ((0.1, 0.1), (0.3, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9))
        tab.touch(*((left + a * width, top + b * height) for a, b in corners))
        assert len(selected(tab)) > 300
        assert tab.run("return scrollY") == 0
        tab.touch(*((left + 0.5 * width, top + b * height) for b in (0.9, 0.7, 0.5, 0.3, 0.1)))
        tab.rest()
        assert tab.run("return scrollY") > 50
        assert len(selected(tab)) > 300
        tab.run("pictures[0].canvas.scrollIntoView({ block: 'center' })")  # what is at the foot lies over its edge
        tab.touch(spots(tab, [5])[0, 0].tolist())
        (i,) = selected(tab)
        assert tab.text("card").startswith(f"cell-{i:05d}")
    finally:
        tab.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


def test_printed_pages_are_light_with_every_caption_open(tab, solid, tmp_path):
    tab.open(write_page(page_of(solid, "Paper"), tmp_path / "a.html"), scheme="dark")
    tab.run("dispatchEvent(new Event('beforeprint'))")
    assert tab.run("return theme") == "light"
    assert tab.run("return [...document.querySelectorAll('.panel details')].every((d) => d.open)")
    tab.run("dispatchEvent(new Event('afterprint'))")
    assert tab.run("return theme") == "dark"
    assert not tab.run("return document.querySelector('.panel details').open")


BRUSH = """
const done = arguments[0], picture = pictures[5], box = picture.canvas.getBoundingClientRect(), work = [], times = [];
new PerformanceObserver((list) => work.push(...list.getEntriesByName("frame").map((e) => e.duration)))
  .observe({ entryTypes: ["measure"] });
const send = (type, k) => {
  const angle = 2 * Math.PI * k / 120, reach = 0.3 * box.height, x = box.left + box.width / 2;
  picture.canvas.dispatchEvent(new PointerEvent(type, {
    clientX: x + reach * Math.cos(angle), clientY: box.top + box.height / 2 + reach * Math.sin(angle),
    pointerId: 1, button: 0, bubbles: true }));
};
send("pointerdown", 0);
let k = 0;
const step = (now) => {
  times.push(now);
  if (++k < 120) { send("pointermove", k); requestAnimationFrame(step); return; }
  send("pointerup", k);
  setTimeout(() => done({ work, times, count }), 300);
};
requestAnimationFrame(step);
"""


@pytest.mark.timing
@pytest.mark.parametrize(("size", "ratio"), [((1280, 900), 1), ((2560, 1440), 1), ((1440, 900), 2)])
def test_a_lasso_over_twelve_times_five_thousand_points_follows_the_hand(tab, large_file, size, ratio):
    """The page's own work leaves most of a frame of 1/30 s free; what the browser does beside it is not its own."""
    tab.open(large_file, *size, ratio=ratio)
    found = tab.wait_for(BRUSH)
    frames = np.diff(found["times"])
    print(f"{size} x {ratio}: {median(found['work']):.1f} ms of work per frame, {1e3 / median(frames):.0f} frames/s, "
          f"{found['count']} selected")  # fmt: skip
    assert found["count"] > 300
    assert len(found["work"]) > 60
    assert median(found["work"]) <= 20.0


# Without a browser -----------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_of_very_many_samples_the_page_shows_a_random_part_and_says_so():
    n = 1_000_000
    drawn = np.random.default_rng(0).normal(size=(n, 2))
    data = MultiView([drawn], coordinates={"a": drawn, "b": drawn}, columns={"kind": np.repeat(["x", "y"], n // 2)})
    state = document(data, colour="column:kind", selection=(0, 5))
    results = compute(updated(state, {"colour": ""}), data).results
    from mvexplorer.state.pictures.colouring import resolve_colouring

    page = make_page(state, data, results.__getitem__, "Many", resolve_colouring(state.colour, data, {}), {})
    assert len(page.rows) * 2 <= MOST_POINTS
    html = page_html(page)
    assert "drawn at random" in html
    assert "of the 1,000,000 samples" in html
    assert len(html) < 5_000_000


def test_pictures_that_do_not_fit_are_made_smaller_or_left_out_and_that_is_said():
    images = np.random.default_rng(0).integers(0, 255, (200, 100, 50, 3), dtype=np.uint8)
    rows = np.arange(0, 200, 2)
    sheet, problem = image_sheet(images, rows, 10_000_000)
    assert (sheet["width"], sheet["height"], sheet["columns"], problem) == (32, 64, 10, "")
    smaller, _ = image_sheet(images, rows, 100_000)
    assert smaller["width"] < 32
    none, problem = image_sheet(images, rows, 50)
    assert none is None
    assert "left out" in problem
    assert image_sheet(None, rows, 300) == (None, "")


def test_a_tile_of_the_sheet_is_the_samples_picture():
    import base64
    from io import BytesIO

    from PIL import Image

    images = np.random.default_rng(0).integers(0, 255, (7, 5, 4), dtype=np.uint8)
    sheet, _ = image_sheet(images, np.array([6, 2, 3, 1]), 100_000)
    whole = np.asarray(Image.open(BytesIO(base64.b64decode(sheet["src"].partition(",")[2]))))
    assert np.array_equal(whole[5:10, 0:4], images[3])


@pytest.mark.nightly
def test_a_page_is_not_written_where_it_cannot_be(solid, tmp_path):
    page = page_of(solid, "Nowhere")
    kept = tmp_path / "kept.html"
    kept.write_text("before")
    kept.chmod(0o444)
    folder = tmp_path / "folder.html"
    folder.mkdir()
    for path, words in ((tmp_path / "a.pdf", "End the file's name in .html"), (folder, "is a directory"),
                        (tmp_path / "none" / "a.html", "cannot be written")):  # fmt: skip
        with pytest.raises(DataError, match=words):
            write_page(page, path)
    assert kept.read_text() == "before"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder.html", "kept.html"]
