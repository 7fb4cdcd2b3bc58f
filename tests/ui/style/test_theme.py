"""Both themes can be read, the bundled font has the field's letters, and every icon asked for is there."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import QComboBox, QRadioButton, QWidget

import mvexplorer.ui
from mvexplorer.resources import resource
from mvexplorer.ui.app import application
from mvexplorer.ui.style import theme

SOURCES = sorted(Path(mvexplorer.ui.__file__).parent.rglob("*.py"))


def luminance(colour: str) -> float:
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(a: str, b: str) -> float:
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("t", [theme.LIGHT, theme.DARK], ids=lambda t: t.name)
@pytest.mark.parametrize(
    ("ink", "paper"),
    [
        *[(ink, paper) for ink in ("text", "muted") for paper in ("window", "surface", "raised", "soft")],
        ("accent", "surface"), ("accent", "soft"), ("on_accent", "accent"), ("amber", "surface"), ("amber", "soft"),
        ("green", "surface"), ("green", "soft"),
        ("amber", "amber_soft"), ("text", "amber_soft"), ("red", "surface"), ("red", "red_soft"), ("text", "red_soft"),
    ],
)  # fmt: skip
def test_words_can_be_read(t, ink, paper):
    assert contrast(getattr(t, ink), getattr(t, paper)) >= 4.5


@pytest.mark.parametrize("t", [theme.LIGHT, theme.DARK], ids=lambda t: t.name)
def test_lines_are_there_but_quiet(t):
    assert 1.15 <= contrast(t.hairline, t.surface) <= 2.5


def drawn(letter: str, weight: bool) -> bytes:
    image = QImage(40, 40, QImage.Format.Format_Grayscale8)
    image.fill(255)
    painter = QPainter(image)
    painter.setFont(theme.font(24, bold=weight, family=theme.bundled_family()))
    painter.setPen(Qt.GlobalColor.black)
    painter.drawText(image.rect(), Qt.AlignmentFlag.AlignCenter, letter)
    painter.end()
    return bytes(image.constBits())


@pytest.mark.parametrize("bold", [False, True])
def test_the_letters_of_the_field_are_drawn_and_differ(app, bold):
    letters = "εησ±−ψδλ×·ₖ₁²⁻"
    pictures = [drawn(letter, bold) for letter in letters]
    assert len(set(pictures)) == len(letters)
    assert all(min(picture) < 128 for picture in pictures)
    # A letter that the font lacks is drawn as a box, like any other it lacks.
    assert drawn("\ue123", bold) not in pictures


def test_figures_are_equally_wide(app):
    metrics = QFontMetricsF(theme.font())
    assert len({round(metrics.horizontalAdvance(digit * 4), 3) for digit in "0123456789"}) == 1


def test_every_icon_named_in_the_code_exists():
    asked = set()
    for source in SOURCES:
        asked |= set(
            re.findall(r"""(?:\b_?icon(?:_button)?|pixmap|Choice)\(\s*"([a-z0-9-]+)\"""", source.read_text("utf-8"))
        )
        asked |= set(
            re.findall(r"""theme\.icon\("[a-z0-9-]+" if \w+ else "([a-z0-9-]+)\"""", source.read_text("utf-8"))
        )
    assert {"x", "lasso", "move", "history", "maximize-2"} - {"move", "history"} <= asked
    missing = [name for name in asked if not resource("icons", f"{name}.svg").is_file()]
    assert not missing


@pytest.mark.parametrize("choice", ["light", "dark"])
def test_icons_take_the_colour_of_the_theme(app, choice):
    application(choice, exported=True)
    image = theme.pixmap("x", "text", 32).toImage()
    solid = [
        image.pixelColor(x, y) for x in range(32) for y in range(32) if image.pixelColor(x, y).alpha() > 250
    ]  # fmt: skip
    assert solid
    assert all(abs(c.red() - theme.current().color("text").red()) <= 3 for c in solid)


def test_icons_stay_crisp_on_fine_screens(app):
    assert {size.width() for size in theme.icon("x").availableSizes()} >= {16, 32}


def test_icons_and_fonts_come_with_their_licences():
    assert {p.name for p in resource("licences").iterdir()} >= {"inter-font-OFL.txt", "lucide-icons.txt"}


def test_all_choices_of_a_list_are_in_sight(app, qtbot):
    around = QWidget()
    qtbot.addWidget(around)
    around.setStyleSheet(theme.style_sheet())
    box = QComboBox(around)
    box.addItems(["Panels on show", "All methods"])
    around.resize(300, 300)
    with qtbot.waitExposed(around):
        around.show()
    box.showPopup()
    seen = box.view().viewport().rect()
    places = [box.view().visualRect(box.model().index(row, 0)) for row in range(box.count())]
    assert all(seen.contains(place) for place in places)
    assert min(place.height() for place in places) >= 20
    box.hidePopup()


@pytest.mark.parametrize("choice", ["light", "dark"])
def test_the_chosen_way_and_the_others_are_seen_in_both_themes(app, qtbot, choice):
    application(choice, exported=True)
    around = QWidget()
    qtbot.addWidget(around)
    around.setStyleSheet(theme.style_sheet())
    ways = [QRadioButton("Day first", around), QRadioButton("Month first", around)]
    ways[0].setChecked(True)
    for place, way in enumerate(ways):
        way.move(8, 8 + 40 * place)
    around.resize(300, 120)
    with qtbot.waitExposed(around):
        around.show()
    colours = []
    for way in ways:
        row = way.grab().toImage()
        high = row.height() // 2
        colours.append([row.pixelColor(x, high).name() for x in range(20)])
    now = theme.current()
    assert now.color("accent").name() in colours[0]
    assert now.color("muted").name() in colours[1]
    assert now.color("accent").name() not in colours[1]
