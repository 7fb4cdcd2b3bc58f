"""An SVG has the size that was asked for, and its words stay in their places where its reader has other fonts."""

from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage

from mvexplorer.ui.cloud.encoding import svg, write_painted
from mvexplorer.ui.style import theme


def test_runs_of_a_line_follow_each_other_in_any_font(app):
    def paint(painter):
        painter.setFont(theme.font(20, bold=True, family=theme.bundled_family()))
        painter.drawText(10, 40, "ε of <error> & σ, ψ₁")

    root = ElementTree.fromstring(svg("a", QSize(400, 80), paint))
    runs = [node for node in root.iter() if node.tag.endswith("text")]
    assert "".join("".join(run.itertext()) for run in runs).split() == ["ε", "of", "<error>", "&", "σ,", "ψ₁"]
    ends = [float(run.get("x")) + float(run.get("textLength")) for run in runs]
    assert len(runs) > 1
    assert all(abs(end - float(run.get("x"))) < 0.5 for end, run in zip(ends, runs[1:], strict=False))
    assert all(run.get("lengthAdjust") == "spacingAndGlyphs" for run in runs)
    assert all(run.get("font-family").endswith("sans-serif") for run in runs)


def test_an_svg_is_as_large_as_the_png_of_the_same_figure(app, tmp_path):
    size, inches = QSize(761, 483), {}
    for ending in (".svg", ".png"):
        write_painted(tmp_path / f"a{ending}", "Figures", "a", size, lambda painter: painter.drawLine(0, 0, 9, 9))
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    assert root.get("viewBox") == "0 0 761 483"
    inches["svg"] = [float(root.get(side).removesuffix("mm")) / 25.4 for side in ("width", "height")]
    image = QImage(str(tmp_path / "a.png"))
    inches["png"] = [image.width() / image.dotsPerMeterX() / 0.0254, image.height() / image.dotsPerMeterY() / 0.0254]
    assert inches["svg"] == pytest.approx(inches["png"], rel=1e-3)
    # A pixel of the web is 1/96 inch: a browser shows one unit as one pixel.
    assert [96 * side for side in inches["svg"]] == pytest.approx([761, 483], abs=0.01)
