"""Pictures that are drawn without Qt: what stands on them is there, and names of users do nothing."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document import commands
from mvexplorer.state.document.frozen import updated
from mvexplorer.ui.export.plain.picture import write_plain

SVG = "{http://www.w3.org/2000/svg}"
SHAPES = {"svg", "title", "desc", "rect", "text", "circle", "polygon"}
HOSTILE = (
    "</text><script>alert(1)</script>",
    "<image href='file:///etc/passwd'/> &lt;b&gt; ]]>",
    "\u202eright to left\u200f",
    "y" * 10_000,
    "\udcff\x00 \u2028\uffff no text",
)


def computed(points, labels=None, **columns):
    """A document with one panel of coordinates that came with the data."""
    n = len(points)
    data = MultiView([points], coordinates={"given": points}, labels=labels, columns=columns)
    state = commands.initial_state(data, ("memory",), None)
    panel = updated(commands.new_panel("given", "p1"), {"view": "given", "dims": points.shape[1]})
    colour = next((f"column:{name}" for name in columns), state.colour)
    assert data.n_samples == n
    return compute(updated(state, {"panels": [panel], "colour": colour}), data)


def written(folder, finished, title="Some data", ending=".svg", theme="light"):
    path = folder / f"plain{ending}"
    write_plain(finished, title, path, theme)
    return path


def drawn(n, dims=2):
    return np.random.default_rng(1).uniform(-1.0, 1.0, (n, dims))


def shapes(path):
    return list(ElementTree.parse(path).getroot().iter())


def test_axes_point_where_a_flat_picture_has_them(tmp_path):
    for dims, arrows in ((2, 1), (3, 0)):
        texts = [each.text or "" for each in shapes(written(tmp_path, computed(drawn(20, dims))))]
        assert sum("→" in text and text.endswith("↑") for text in texts) == arrows


def test_names_of_users_are_text_and_nothing_else(tmp_path):
    kinds = [HOSTILE[i % len(HOSTILE)] for i in range(20)]
    finished = computed(drawn(20), kind=kinds)
    for title in HOSTILE:
        elements = shapes(written(tmp_path, finished, title))
        assert {each.tag.removeprefix(SVG) for each in elements} <= SHAPES
        assert not [a for each in elements for a in each.attrib if a.startswith("on") or a.endswith("href")]
        assert max(len(each.text or "") for each in elements if each.tag == f"{SVG}text") < 400
        with Image.open(written(tmp_path, finished, title, ".png")) as picture:
            assert json.loads(picture.text["mvexplorer"])["samples"] == 20
            assert max(picture.size) < 5_000


def test_points_lie_where_the_coordinates_say(tmp_path):
    corners = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    circles = [each for each in shapes(written(tmp_path, computed(corners))) if each.tag == f"{SVG}circle"]
    x, y = np.array([[float(each.get("cx")), float(each.get("cy"))] for each in circles]).T
    assert x[0] == pytest.approx(x[3])
    assert x[1] == pytest.approx(x[2])
    assert x[1] - x[0] == pytest.approx(y[0] - y[3])
    assert x[1] > x[0]
    assert y[0] > y[3]


def test_the_eleventh_class_is_drawn_in_squares(tmp_path):
    finished = computed(drawn(44), kind=[f"kind {i % 11:02}" for i in range(44)])
    elements = shapes(written(tmp_path, finished))
    assert len([each for each in elements if each.tag == f"{SVG}circle"]) == 40 + 10
    texts = {each.text for each in elements if each.tag == f"{SVG}text"}
    assert {f"kind {k:02} (4)" for k in range(11)} <= texts


def test_numbers_have_a_scale_with_its_ends(tmp_path):
    finished = computed(drawn(30), weight=np.linspace(2.0, 5.0, 30))
    texts = [each.text for each in shapes(written(tmp_path, finished)) if each.tag == f"{SVG}text"]
    place = texts.index("weight")
    assert texts[place + 1 : place + 3] == ["2.00", "5.00"]


def test_nearer_points_of_three_dimensions_are_larger_and_painted_last(tmp_path):
    circles = [each for each in shapes(written(tmp_path, computed(drawn(30, 3)))) if each.tag == f"{SVG}circle"]
    radii = [float(each.get("r")) for each in circles]
    assert radii == sorted(radii)
    assert radii[0] < radii[-1]


def test_both_files_have_one_size_and_each_theme_its_ground(tmp_path):
    finished = computed(drawn(30))
    for theme, ground in (("light", "#f4f5f7"), ("dark", "#15171b")):
        root = ElementTree.parse(written(tmp_path, finished, theme=theme)).getroot()
        assert root.find(f"{SVG}rect").get("fill") == ground
        with Image.open(written(tmp_path, finished, ending=".png", theme=theme)) as picture:
            assert picture.size == (2 * int(root.get("width")), 2 * int(root.get("height")))
            assert "#{:02x}{:02x}{:02x}".format(*picture.getpixel((0, 0))) == ground
