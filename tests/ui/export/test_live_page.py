"""A page in which ε moves, in a real browser: its pictures are the embeddings there, and nothing is asked for."""

from __future__ import annotations

import re

import numpy as np
import pytest
from live_counts import OFFLINE, angles, counts
from live_reader import largest_angle, picture, read

import mvexplorer as mvx
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.core.task import Task
from mvexplorer.io.writing.live_block import live_block
from mvexplorer.resources import resource
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.bench.snapshot_panels import SnapshotPanels
from mvexplorer.state.document import commands
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.snapshots import Snapshot, Staging
from mvexplorer.state.export import live_panels
from mvexplorer.state.export.live_panels import LivePanelsJob
from mvexplorer.ui.export.web_page import page_html, page_of, with_live, with_snapshots, write_page
from mvexplorer.ui.style.roles import DARK, LIGHT

M, UNSEEN = 120, 50
NO_GLIDE = (
    "const end = arguments[0], look = () => live.pictures.some((p) => p.gliding) ? requestAnimationFrame(look) "
    ": end(); look()"
)
POINTS = "return Array.from(pictures[arguments[0]].points)"


@pytest.fixture(scope="module")
def finished():
    whole = mvx.load("helix-a")
    data = whole.take(np.arange(0, whole.n_samples, whole.n_samples // M)[:M])
    state = commands.initial_state(data, ("memory",), None)
    panels = [commands.new_panel(m, f"p{k}") for k, m in enumerate(("multiview", "kernel-sum", "alternating"))]
    panels[1] = updated(panels[1], {"dims": 3})
    return compute(updated(state, {"panels": panels}), data)


@pytest.fixture(scope="module")
def live(finished):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(live_panels, "ETAS", (0.0, 0.3))
        job = LivePanelsJob(finished.state, finished.data, finished.results, solid=True, eta=True)
        return job.run(StageCache(), Task())


@pytest.fixture(scope="module")
def page(finished, live):
    return with_live(page_of(finished, "A live page"), live)


@pytest.fixture(scope="module")
def file(page, tmp_path_factory):
    return write_page(page, tmp_path_factory.mktemp("live") / "page.html")


def opened(tab, file, **about):
    tab.open(file, **about)
    tab.wait_for("const end = arguments[0], look = () => window.live || !$('live-problem').hidden ? end() "
                 ": setTimeout(look, 10); look()")  # fmt: skip
    tab.rest()


def points(tab, k):
    """The points (M, d) that a panel shows."""
    flat = np.array(tab.run(POINTS, k))
    return flat.reshape(-1, M).T


def move_to(tab, value):
    tab.run(
        "live.slider.value = arguments[0]; live.slider.dispatchEvent(new Event('input')); "
        "live.slider.dispatchEvent(new Event('change'))",
        int(value),
    )
    tab.rest()
    tab.wait_for(NO_GLIDE)
    return tab.run("return live.factorAt(live.step)")


def test_it_opens_from_a_file_with_nothing_asked_for_and_shows_the_session(tab, finished, file):
    opened(tab, file)
    assert tab.errors == []
    assert [url for url in tab.requests if not url.startswith("data:")] == [file.as_uri()]
    assert tab.text("live-words").startswith("ε as in the session")
    for k, result in enumerate(finished.results.values()):
        np.testing.assert_allclose(points(tab, k), result.drawing.points, atol=1e-4)
    policy = tab.run("return document.querySelector('meta[http-equiv]').content")
    assert policy.count("sha256-") == 3
    assert "unsafe" not in policy
    text = "".join(resource("web", name).read_text("utf-8") for name in ("live.html", "live.js"))
    assert not re.findall(r"innerHTML|insertAdjacentHTML|document\.write|eval\(|https?://|Worker|import\(", text)


@pytest.mark.nightly
def test_at_any_epsilon_it_shows_what_the_engine_computes_there(tab, finished, live, file):
    """The page's own numbers at seeded ε against `embed`, and in between against another reader of its block."""
    opened(tab, file)
    _, panels = read(live_block(live, np.arange(M)))
    embedding = finished.results["p0"].result.embedding
    values = np.random.default_rng(5).integers(0, 1001, UNSEEN)
    certified = 0
    for n, value in enumerate(values.tolist()):
        factor = move_to(tab, value)
        step = live.range_.step_of(factor)
        for k, id in enumerate(("p0", "p1")):
            wanted, sure = picture(panels[id], step, M)
            assert largest_angle(points(tab, k), wanted) <= 2e-3
            unsure = tab.run("return pictures[arguments[0]].box.parentElement.classList.contains('unsure')", k)
            assert unsure != sure
        if n % 5 == 0 and picture(panels["p0"], step, M)[1]:
            exact = mvx.embed(
                finished.data, "multiview", epsilon=tuple(factor * e for e in embedding.epsilon), n_components=4
            )
            assert largest_angle(points(tab, 0), np.mean(exact.view_coordinates, axis=0)[:, :2]) <= 0.05
            certified += 1
    assert certified >= 6
    assert tab.errors == []


def test_without_a_network_panels_stay_together_and_certified_axes_are_those_of_the_engine(tab, finished, live, file):
    """The row of the benchmark in its smallest form: nothing is asked for, no frame has pictures of two ε."""
    try:
        found = counts(tab, file, [*range(0, 1001, 40)])
        assert (found["requests"], found["errors"], found["frames in which panels part"]) == (0, 0, 0)
        values = np.random.default_rng(7).integers(0, 1001, UNSEEN).tolist()
        sure = [angle for certified, angle in angles(tab, finished, live, values) if certified]
    finally:
        tab.driver.execute_cdp_cmd("Network.emulateNetworkConditions", OFFLINE | {"offline": False})
        tab.prefer("light")
    assert len(sure) >= 1.5 * UNSEEN  # of two panels that move
    assert np.quantile(sure, 0.99) <= 0.05
    assert max(sure) <= 0.1


def test_keys_buttons_and_the_address_lead_to_the_same_picture(tab, file):
    from selenium.webdriver.common.keys import Keys

    opened(tab, file)
    slider = tab.driver.find_element("id", "live-epsilon")
    before = tab.run("return Number(live.slider.value)")
    slider.send_keys(Keys.ARROW_RIGHT * 3, Keys.PAGE_UP)
    tab.rest()
    assert tab.run("return Number(live.slider.value)") == before + 3 + 125
    words = tab.run("return live.slider.getAttribute('aria-valuetext')")
    assert words.startswith("ε × ")
    assert words in tab.text("live-aloud")
    moved = points(tab, 0)
    assert np.abs(moved - points(tab, 1)[:, :2]).max() > 0.01
    address = tab.run("return location.hash")
    assert re.fullmatch(r"#e=[\d.]+&t=1&eta=0", address)
    tab.run("live.time.value = 4; live.time.dispatchEvent(new Event('input'))")
    tab.rest()
    assert np.abs(points(tab, 0) - moved).max() > 1e-3
    tab.run("$('live-back').click()")
    tab.rest()
    assert tab.text("live-words").startswith("ε as in the session")
    tab.driver.get("about:blank")
    tab.driver.get(f"{file.as_uri()}{address}")
    tab.wait_for("const end = arguments[0], look = () => window.live ? end() : setTimeout(look, 10); look()")
    tab.rest()
    assert np.abs(points(tab, 0) - moved).max() < 0.02  # the address has three digits


def set_eta(tab, k):
    tab.run("live.within.value = arguments[0]; live.within.dispatchEvent(new Event('input')); "
            "live.within.dispatchEvent(new Event('change'))", k)  # fmt: skip
    tab.rest()


def test_at_a_stop_of_eta_panels_show_the_embedding_there_and_others_say_that_they_stay(tab, finished, live, file):
    opened(tab, file)
    before = points(tab, 0), points(tab, 1)
    set_eta(tab, 1)
    tab.wait_for(NO_GLIDE)
    assert "η 0.3" in tab.text("live-words")
    epsilon = finished.results["p0"].result.embedding.epsilon
    exact = mvx.embed(finished.data, "multiview", epsilon=epsilon, eta=0.3, n_components=4)
    assert largest_angle(points(tab, 0), np.mean(exact.view_coordinates, axis=0)[:, :2]) <= 0.05
    assert np.abs(points(tab, 0) - before[0]).max() > 0.01
    np.testing.assert_allclose(points(tab, 1), before[1], atol=1e-6)
    assert "η does not move this panel" in tab.run("return pictures[1].told.textContent")
    assert tab.run("return location.hash").endswith("&eta=0.3")
    tab.run("$('live-back').click()")
    tab.rest()
    tab.wait_for(NO_GLIDE)
    np.testing.assert_allclose(points(tab, 0), before[0], atol=1e-6)


def test_in_3_d_each_panel_has_a_third_coordinate_and_a_drag_turns_it(tab, live, file):
    opened(tab, file)
    tab.run("$('live-solid').click()")
    tab.rest()
    assert tab.run("return pictures.map((p) => p.dims)") == [3, 3, 3]
    assert tab.run("return pictures[0].axes.at(-1)").endswith("ψ₃")
    wanted = live.panels["p0"].solid.at(live.range_.start, live.t)
    assert largest_angle(points(tab, 0), wanted) <= 0.02
    canvas = tab.driver.find_elements("css selector", ".picture")[0]
    before = tab.run("return pictures[0].x[7]")
    tab.hand().move_to_element(canvas).click_and_hold().move_by_offset(60, 20).release().perform()
    tab.rest()
    assert abs(tab.run("return pictures[0].x[7]") - before) > 1.0
    tab.run("$('live-solid').click()")
    tab.rest()
    assert tab.run("return pictures.map((p) => p.dims)") == [2, 3, 2]
    assert tab.run("return Array.from(document.querySelectorAll('.head button.small:not([hidden])')).map("
                   "(b) => b.textContent).filter((text) => text === 'Lasso').length") == 1  # fmt: skip
    assert tab.errors == []


def test_by_touch_the_slider_follows_a_finger(tab, file):
    opened(tab, file, width=360, height=740)
    x, y, wide, high = tab.run(
        "const r = live.slider.getBoundingClientRect(); return [r.x, r.y + r.height / 2, r.width, r.height]"
    )
    assert high >= 44
    before, at_start = points(tab, 0), tab.run("return Number(live.slider.value)")
    from_x = x + 10 + (wide - 20) * at_start / 1000
    tab.touch((from_x, y), (from_x + 40, y), (x + 0.9 * wide, y))
    tab.wait_for(NO_GLIDE)
    assert tab.run("return Number(live.slider.value)") > 800
    assert np.abs(points(tab, 0) - before).max() > 0.05
    assert tab.run("return scrollY") == 0


def test_on_a_tablet_all_controls_are_as_large_as_a_finger_and_pictures_let_the_page_scroll(tab, file):
    tab.by_finger(True)
    try:
        opened(tab, file, width=1024, height=768)
        heights = tab.run(
            "return [...document.querySelectorAll('#live input, button')].filter((one) => one.offsetHeight)"
            ".map((one) => [one.id || one.textContent, one.className, one.offsetHeight])"
        )
        assert {id for id, _, _ in heights} >= {"live-epsilon", "live-time", "live-solid", "live-back", "fit", "clear"}
        in_rows = {"small", "entry", "link"}  # of a panel's head and of the legend, whose rows are near each other
        assert [one for one in heights if one[2] < (24 if one[1] in in_rows else 44)] == []
        action = "return getComputedStyle(arguments[0]).touchAction"
        assert tab.run(action, tab.driver.find_element("id", "live-epsilon")) == "none"
        assert tab.run(action, tab.driver.find_element("css selector", ".picture canvas:last-child")) == "pan-y"
    finally:
        tab.by_finger(False)


def test_with_reduced_motion_no_picture_glides(tab, file):
    opened(tab, file)
    glides = (
        "const seen = []; for (const value of [0, 1000, 0, 1000]) { live.slider.value = value; "
        "live.slider.dispatchEvent(new Event('input')); live.show(); "
        "seen.push(live.pictures.some((p) => p.gliding)); } return seen.some(Boolean)"
    )
    assert tab.run(glides)
    tab.feature("prefers-reduced-motion", "reduce")
    assert not tab.run(glides)


def test_the_key_names_what_the_tracks_show(tab, live, file):
    opened(tab, file)
    parts = [part for id in ("p0", "p1") for part in live.panels[id].picture.parts]
    there = {"certified", "only at these ε"}
    there |= {"not certified" if part.angle <= 0.3 else "may be far off" for part in parts if not part.certified}
    key = "return Array.from($('live-key').children).filter((e) => !e.hidden).map((e) => e.textContent)"
    assert set(tab.run(key)) == there
    assert tab.run("return document.documentElement.style.getPropertyValue('--bar')") != ""


@pytest.mark.parametrize(("far", "words"), [([7], "1 sample"), ([7, 30], "2 samples"), ([*range(0, 120, 5)], "")])
def test_a_coordinate_that_few_samples_hold_is_told(far, words, tab, file):
    opened(tab, file)
    told = tab.run(
        "const points = Float32Array.from({ length: 2 * M }, (_, i) => Math.sin(i)), [far] = arguments;"
        "for (const i of far) points[M + i] = 300 + 300 * (i % 2); return live.heldWords(pictures[0], points)",
        far,
    )
    assert told == ([f"mean ψ₂ is held by {words}"] if words else [])


def test_a_panel_with_stops_says_so_and_shows_the_nearest(tab, live, file):
    opened(tab, file)
    factor = move_to(tab, 40)
    stops = live.panels["p2"].picture
    nearest = np.argmin(np.abs(np.array(stops.steps) - live.range_.step_of(factor)))
    np.testing.assert_allclose(points(tab, 2), stops.points[nearest], atol=1e-4)
    told = tab.run("return pictures[2].told.textContent")
    assert f"nearest of {len(stops.steps)} computed ε" in told


def test_every_event_of_a_drag_is_one_frame_and_no_axis_turns_over(tab, file):
    opened(tab, file)
    move_to(tab, 0)
    worst = tab.wait_for(
        """const end = arguments[0];
        let value = 0, worst = 0, before = null;
        const next = () => {
          live.slider.value = value++;
          live.slider.dispatchEvent(new Event("input"));
          live.show();
          const { points } = pictures[0].live.at(live.step, 1, false);
          if (before) for (let c = 0; c < 2; c++) {
            let [dot, a, b] = [0, 0, 0];
            for (let i = c * M; i < (c + 1) * M; i++) {
              dot += points[i] * before[i]; a += points[i] ** 2; b += before[i] ** 2;
            }
            worst = Math.max(worst, 1 - dot / Math.sqrt(a * b));
          }
          before = points;
          if (value <= 1000) setTimeout(next, 0); else end(worst);
        };
        next();"""
    )
    assert worst <= 0.1


@pytest.mark.parametrize("damage", ["version", "bytes", "samples"])
def test_a_block_that_cannot_be_read_leaves_the_pictures_with_a_sentence(damage, tab, finished, live, page, tmp_path):
    whole = live_block(live, np.arange(M))
    block = {
        "version": whole[:200],
        "bytes": whole[:-40] + "A" * 40,
        "samples": live_block(live, np.arange(M - 1)),
    }[damage]
    path = tmp_path / "page.html"
    path.write_text(page_html(page).replace(whole, block), "utf-8")
    opened(tab, path)
    assert "ε cannot be moved here" in tab.text("live-problem")
    assert tab.run("return $('live').hidden")
    np.testing.assert_allclose(points(tab, 0), finished.results["p0"].drawing.points, atol=1e-4)


def test_in_a_snapshot_the_page_says_where_epsilon_can_be_moved(tab, finished, page, tmp_path):
    state = updated(finished.state, {"point_size": 9.0})
    kept = Snapshot(name="larger", state={}, staging=Staging())
    shown = with_snapshots(page, [SnapshotPanels(1, kept, compute(state, finished.data))])
    opened(tab, write_page(shown, tmp_path / "page.html"))
    move_to(tab, 300)
    moved = points(tab, 0)
    tab.run("show(scenes[1])")
    tab.rest()
    assert tab.text("live-words") == "ε can be moved in “As exported”."
    assert tab.run("return live.slider.disabled")
    np.testing.assert_allclose(points(tab, 0), finished.results["p0"].drawing.points, atol=1e-4)
    tab.run("show(scenes[0])")
    tab.rest()
    assert not tab.run("return live.slider.disabled")
    np.testing.assert_allclose(points(tab, 0), moved, atol=1e-6)
    assert tab.errors == []


def test_names_from_files_do_nothing_on_a_live_page(tab, tmp_path):
    """Views, classes, samples, the title and the name of a score: all are words, also while ε moves."""
    angle = np.linspace(0.0, 2.0 * np.pi, 60, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle), 0.1 * np.cos(3.0 * angle)])
    hostile = "</script><script>document.title = 'taken'</script>", "<img src=x onerror=\"document.title = 'taken'\">"
    data = mvx.MultiView(
        {hostile[0]: ring, hostile[1]: ring[:, ::-1] ** 2},
        columns={hostile[1]: np.sin(angle)},
        labels=[hostile[k % 2] for k in range(60)],
        sample_ids=[f"{hostile[0]} {k}" for k in range(60)],
    )
    state = commands.initial_state(data, (hostile[0],), None)
    panels = [updated(commands.new_panel(m, f"p{k}"), {}) for k, m in enumerate(("multiview", "alternating"))]
    state = updated(state, {"panels": panels, "colour": f"column:{hostile[1]}"})
    finished = compute(state, data)
    job = LivePanelsJob(finished.state, finished.data, finished.results, solid=True)
    page = with_live(page_of(finished, hostile[0]), job.run(StageCache(), Task()))
    opened(tab, write_page(page, tmp_path / "page.html"))
    tab.run("live.slider.value = 100; live.slider.dispatchEvent(new Event('input')); live.show()")
    tab.run("$('live-solid').click()")
    tab.rest()
    assert tab.driver.title != "taken"
    assert tab.errors == []
    assert "<img src=x" in tab.run("return pictures[0].told.textContent")


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (360, "dark"), (2560, "dark")])
def test_it_fits_narrow_and_wide_windows_in_either_scheme(width, scheme, tab, file):
    opened(tab, file, width=width, scheme=scheme)
    wide, bar = tab.run("return [document.documentElement.scrollWidth, $('live').getBoundingClientRect().height]")
    assert wide <= width
    assert 30 <= bar <= 190
    pixels = tab.run(
        "const { width, height } = $('live-tracks'), context = $('live-tracks').getContext('2d');"
        "return Array.from(context.getImageData(0, 0, width, height).data)"
    )
    colours = {tuple(pixel) for pixel in np.reshape(pixels, (-1, 4)).tolist()}
    accent = {"light": LIGHT, "dark": DARK}[scheme].accent
    assert (*bytes.fromhex(accent[1:]), 255) in colours


@pytest.mark.nightly
def test_a_page_without_a_live_block_is_as_it_was(finished):
    text = page_html(page_of(finished, "Still"))
    assert "live-epsilon" not in text.replace("#live-epsilon", "")
    assert text.count("<script") == 2
    assert "{{" not in text
