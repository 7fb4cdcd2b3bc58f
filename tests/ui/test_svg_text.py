"""The words of an SVG stay in their places where its reader has other fonts than ours."""

from xml.etree import ElementTree

from PySide6.QtCore import QSize

from mvexplorer.ui.cloud.encoding import svg
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
