"""The card of a method: its formula as it is printed, and a place beside the panel that it explains."""

import re
import shutil
from html import escape

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from mvexplorer.engine.methods import methods
from mvexplorer.resources import resource
from mvexplorer.state.document.ingredients.words import FORMULAS, formula_lines
from mvexplorer.ui.panels.method_card import TEXT_WIDTH, MethodCard, card_html, card_position
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.formula import lowered, typeset

METHODS = [chosen for chosen in methods() if chosen.latex]
SCREEN = QRect(0, 0, 1280, 720)
CARD = QSize(460, 500)
LETTERS = {
    "ψ": r"\psi", "λ": r"\lambda", "Λ": r"\Lambda", "ρ": r"\rho", "γ": r"\gamma", "ω": r"\omega", "α": r"\alpha",
    "ε": r"\varepsilon", "Σ": (r"\sum", r"\Sigma"), "∫": r"\int", "⟨": r"\langle", "σ": r"\sigma", "≈": r"\approx",
}  # fmt: skip


def ink(image: QImage) -> np.ndarray:
    """How opaque each pixel is, as an array (height, width)."""
    plain = image.convertToFormat(QImage.Format.Format_Alpha8)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return rows[:, : plain.width()].copy()


def drawing(name):
    return resource("formulas", f"{name}.svg")


@pytest.mark.parametrize("chosen", METHODS, ids=lambda chosen: chosen.id)
def test_a_formula_is_typeset_at_a_readable_size(app, chosen):
    for name in formula_lines(chosen):
        image = typeset(drawing(name), "#1a1f26", TEXT_WIDTH, 2.0)
        wide, high = image.deviceIndependentSize().toTuple()
        assert 60 < wide <= TEXT_WIDTH
        assert 14 < high < 80  # a parenthesis that grows without end would be higher
        drawn = ink(image) > 128
        assert 0.02 < drawn.mean() < 0.5
        # Nothing is drawn across the edges of the image: no glyph is cut.
        assert not any(edge.any() for edge in (drawn[0], drawn[-1], drawn[:, 0], drawn[:, -1]))


@pytest.mark.parametrize("chosen", METHODS, ids=lambda chosen: chosen.id)
def test_the_typeset_formula_has_the_letters_of_the_plain_one(chosen):
    latex = " ".join(chosen.latex)
    for letter, names in LETTERS.items():
        if letter in chosen.formula:
            # A sum over the views may be written out in the plain one, never the other way round.
            assert any(name in latex for name in ([names] if isinstance(names, str) else names)), letter


def test_a_formula_that_is_too_wide_is_made_smaller(app):
    wide, narrow = (typeset(drawing("multiview-1"), "#000000", widest, 1.0) for widest in (10_000, 100))
    assert narrow.width() == 100
    assert narrow.height() == pytest.approx(wide.height() * 100 / wide.width(), abs=1)


@pytest.fixture
def panel(app, qtbot):
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(300, 300)
    made.show()
    yield made
    made.close()


@pytest.mark.parametrize("choice", ["light", "dark"])
def test_the_card_shows_the_formula_in_the_colour_of_the_text(app, panel, choice):
    theme.apply_theme(app, choice)
    chosen = next(m for m in METHODS if m.id == "multiview")
    card = MethodCard(panel, chosen, {}, ())
    card.open()
    assert chosen.formula not in card.page.toPlainText()
    assert card.page.toPlainText().count("\N{OBJECT REPLACEMENT CHARACTER}") == len(chosen.latex)
    picture = card.page.grab().toImage()
    colours = {picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(20, 160)}
    assert theme.current().text in colours
    card.close()
    theme.apply_theme(app, "light")


def test_where_the_drawing_of_a_formula_is_missing_its_plain_line_is_shown(panel, tmp_path, monkeypatch):
    chosen = next(m for m in METHODS if m.id == "multiview")
    for name in list(formula_lines(chosen))[:-1]:
        shutil.copy(drawing(name), tmp_path)
    monkeypatch.setattr("mvexplorer.ui.panels.method_card.resource", lambda *parts: tmp_path / parts[-1])
    card = MethodCard(panel, chosen, {}, (), ("without loops",))
    words = card.page.toPlainText()
    assert "\N{OBJECT REPLACEMENT CHARACTER}" not in words
    assert "K̂ = [Kˡ Kᵐ]l≠m" in words
    assert "Not as in the paper: without loops." in words


@pytest.mark.parametrize(
    "panel",
    [QRect(300, 40, 300, 310), QRect(620, 40, 300, 310), QRect(930, 360, 340, 310)],
    ids=["left", "middle", "right"],
)
def test_a_card_does_not_cover_the_panel_that_it_explains(panel):
    card = QRect(card_position(panel, CARD, SCREEN), CARD)
    assert not card.intersects(panel)
    assert SCREEN.contains(card)


def test_the_card_of_a_panel_that_fills_the_screen_lies_in_its_corner():
    assert card_position(SCREEN, CARD, SCREEN) == QPoint(1280 - 460, 0)


def test_the_formula_of_a_picture_that_is_computed_has_no_signs_of_a_program():
    assert lowered("K_ij = exp(−|x_i − x_j|² / 2ε)") == ("K<sub>ij</sub> = exp(−|x<sub>i</sub> − x<sub>j</sub>|² / 2ε)")
    assert lowered("K̂ = [Kˡ Kᵐ]_{l≠m} < 1") == "K̂ = [Kˡ Kᵐ]<sub>l≠m</sub> &lt; 1"
    for method in methods():
        assert not re.search(r"[_^{}]", lowered(method.formula)), method.id


def test_a_card_says_whether_the_ingredients_are_the_papers(app):
    multiview = next(chosen for chosen in methods() if chosen.id == "multiview")
    assert "As in the paper." in card_html(multiview, {}, ())
    differing = ("correlation", "without loops", "unit rows, r 12")
    told = card_html(multiview, {}, (), differing)
    assert "Not as in the paper: correlation, without loops, unit rows, r 12." in told
    n_lines = len(multiview.latex)
    assert f"formula:{n_lines + 1}'" in told
    assert f"formula:{n_lines + 2}'" not in told
    for name in formula_lines(multiview, tuple(FORMULAS)):
        assert 0.02 < (ink(typeset(drawing(name), "#1a1f26", TEXT_WIDTH, 2.0)) > 128).mean() < 0.5


@pytest.mark.parametrize("id", ["jointly-smooth", "view-specific", "difference", "alternating"])
def test_cards_of_what_views_share_and_do_not_say_how_they_mislead(app, id):
    chosen = next(method for method in methods() if method.id == id)
    told = card_html(chosen, {}, ())
    assert "How it misleads" in told
    assert all(escape(sentence) in told for sentence in chosen.misleads)
    assert "This picture" not in told
    assert "<p style='margin:0'>3 &lt; 4.</p>" in card_html(chosen, {}, (), (), "3 < 4")
