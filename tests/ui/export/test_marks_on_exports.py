"""What lies on the pictures in the window lies on them in files: ring, samples' pictures, ellipses; captions say so."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from windows import PATIENCE_MS

from mvexplorer.state.session.settings import PictureChoice
from mvexplorer.ui.cloud.encoding import painted_image
from mvexplorer.ui.cloud.picture import Viewport
from mvexplorer.ui.cloud.spread_overlay import EllipseOverlay, GhostOverlay
from mvexplorer.ui.export.paper import Paper
from mvexplorer.ui.export.render import paint_points, write_picture
from mvexplorer.ui.export.web_page import _page_words, make_page
from mvexplorer.ui.style import theme
from mvexplorer.ui.window.exports.picture_export import picture_of

KEPT, BODY = 7, QRectF(0, 0, 388, 294)


@pytest.fixture
def marked(window, rest):
    """A window with a kept sample."""
    window.editor.keep_sample(KEPT)
    rest(window)
    yield window
    window.editor.change_point("Hide pictures", thumbnails=False)
    window.editor.keep_sample(None)
    rest(window)


def pixels(sheet, k=0):
    """A tile's picture as numbers (height, width, 3)."""
    image = painted_image(
        BODY.size().toSize(), 1.0, lambda p: paint_points(p, BODY, sheet.tiles[k], sheet, False, 1.0), 96
    )
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return rows[:, : image.width(), 2::-1].astype(int)


def caption(window, what="sheet"):
    return picture_of(window.behaviour.scene, PictureChoice(what=what)).sheet.record["caption"]


def test_the_kept_sample_is_ringed_in_every_tile(marked, rest, tmp_path):
    with_ring = marked.behaviour.scene.sheet()
    assert "double ring: s07" in caption(marked)
    write_picture(with_ring, tmp_path / "ring.svg")
    marked.editor.keep_sample(None)
    rest(marked)
    without = marked.behaviour.scene.sheet()
    assert "double ring" not in caption(marked)
    accent = np.array(theme.current().color("accent").getRgb()[:3])
    for k, tile in enumerate(with_ring.tiles):
        changed = pixels(with_ring, k) - pixels(without, k)
        rows, columns = np.nonzero(np.abs(changed).sum(axis=2))
        x, y = Paper(tile, with_ring.style, BODY, 6).positions_of(np.array([KEPT]))[0]
        away = np.hypot(columns + 0.5 - x, rows + 0.5 - y)
        assert len(away) > 40
        assert away.min() > 4.0
        assert away.max() < 12.0, "nothing else changes"
        assert (np.abs(pixels(with_ring, k) - accent).sum(axis=2) < 30).any()
    root = ElementTree.parse(tmp_path / "ring.svg").getroot()
    rings = [n for n in root.iter() if n.tag.endswith("circle") and n.get("r") == f"{theme.px(8)}"]
    assert len(rings) == 2 * len(with_ring.tiles)


def test_pictures_of_samples_are_on_it(marked, rest):
    before = pixels(marked.behaviour.scene.sheet())
    marked.editor.change_point("Show pictures", thumbnails=True)
    rest(marked)
    sheet = marked.behaviour.scene.sheet()
    changed = np.abs(pixels(sheet) - before).sum(axis=2) > 0
    assert changed.sum() > 3 * 26 * 26
    assert "with pictures of samples where there is room" in caption(marked)
    told = _page_words(page(marked))
    assert told["ringed"] == KEPT
    assert told["notes"] == ["Left out here: samples' pictures on the map (they stand in the card)."]
    assert all(
        "ring: s07" in panel["caption"] and "pictures of samples" not in panel["caption"] for panel in told["panels"]
    )


def test_what_is_out_of_sight_of_a_zoomed_picture_is_not_drawn_beside_it(marked, rest, tmp_path):
    marked.grid.panels["p1"].canvas.set_frame(Viewport(3.0, 3.0, 0.2))
    sheet = marked.behaviour.scene.sheet()
    one = replace(sheet, tiles=sheet.tiles[:1])
    write_picture(one, tmp_path / "away.svg")
    marked.grid.panels["p1"].canvas.fit()
    assert f'r="{theme.px(8)}"' not in (tmp_path / "away.svg").read_text()


def page(window):
    state, colouring = window.document.state, window.styling.colouring
    return make_page(state, window.document.data, window.controller.result, "Small", colouring, window.grid.cameras())


def test_ellipses_and_dots_are_on_it_and_told(window, rest, qtbot):
    checks = window.workbench.checks
    plain = pixels(window.behaviour.scene.sheet())  # an earlier test may have left an answer that ellipses draw
    window.editor.choose_checks(overlay="ellipses")
    window.editor.focus("p1")
    checks.stability("p1", "parts", 3)
    qtbot.waitUntil(lambda: not checks.of("p1").running, timeout=PATIENCE_MS)
    rest(window)
    overlays = [tile.overlays for tile in window.behaviour.scene.sheet().tiles]
    assert [len(each) for each in overlays] == [1, 0, 0, 0, 0, 0]
    assert isinstance(overlays[0][0], EllipseOverlay)
    assert np.abs(pixels(window.behaviour.scene.sheet()) - plain).any()
    said = "Ellipses: one standard deviation of a sample over 3 pictures recomputed with a random 80 % of the samples."
    assert said in caption(window)
    assert said in caption(window, "panel")
    assert page(window).words["notes"] == ["Left out here: ellipses."]
    assert not re.search("Ellipses", str(_page_words(page(window))["panels"]))
    window.editor.choose_checks(overlay="ghosts")
    rest(window)
    assert isinstance(window.behaviour.scene.sheet().tiles[0].overlays[0], GhostOverlay)
    assert "Faint dots: where 3 pictures recomputed" in caption(window)
    window.editor.choose_checks(overlay="off")
    rest(window)
    assert not window.behaviour.scene.sheet().tiles[0].overlays
    assert "recomputed" not in caption(window)


@pytest.mark.nightly
def test_ellipses_of_a_former_picture_are_neither_in_the_window_nor_in_a_file(window, rest, qtbot):
    checks, scene = window.workbench.checks, window.behaviour.scene
    window.editor.focus("p1")
    checks.stability("p1", "parts", 3)
    qtbot.waitUntil(lambda: not checks.of("p1").running, timeout=PATIENCE_MS)
    window.editor.choose_checks(overlay="ellipses")
    rest(window)

    def laid() -> tuple[int, int, bool]:
        """Ellipses in the window and in the file, and whether the caption speaks of them."""
        lain = (window.grid.panels["p1"].canvas.overlays, scene.sheet().tiles[0].overlays)
        counts = (sum(isinstance(overlay, EllipseOverlay) for overlay in overlays) for overlays in lain)
        return (*counts, "Ellipses" in caption(window, "panel"))

    assert laid() == (1, 1, True)
    epsilon = window.controller.effective_epsilon("plain")
    window.editor.set_epsilon("plain", 2 * epsilon, interactive=True)
    assert laid() == (0, 0, False)  # in the drag, before another picture is there
    window.editor.end_drag()
    rest(window)
    assert laid() == (0, 0, False)
    window.document.undo()
    rest(window)
    assert laid() == (1, 1, True)
    window.editor.set_dims("p1", 3)  # the same picture, drawn otherwise
    rest(window)
    assert laid() == (1, 1, True)
    ellipses = scene.sheet().tiles[0].overlays[0].ellipses
    assert ellipses.centres.shape[1] == 3
    np.testing.assert_allclose(ellipses.centres, window.controller.result("p1").drawing.points[ellipses.rows])
    window.document.undo()
    rest(window)
