"""A presentation can be read from the last row, and leaves nothing behind."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QSizeF, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from windows import PATIENCE_MS, show_fresh

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.pictures.colouring import Colouring
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import class_colours
from mvexplorer.ui.widgets.colour_key import lay_in_columns
from mvexplorer.ui.window.talk.presentation import EDGE, READABLE, ColourKey, talk_scale

KEY, CONTROL = Qt.Key, Qt.KeyboardModifier.ControlModifier
SIZES = [(1280, 720), *(pytest.param(size, marks=pytest.mark.nightly) for size in ((1440, 900), (2560, 1440)))]


def capital(widget) -> float:
    return QFontMetricsF(widget.font()).capHeight()


def present(window, size, qtbot):
    window.showFullScreen = lambda: window.resize(*size)  # as on a screen of that size
    QTest.keyClick(window, KEY.Key_F11)
    del window.showFullScreen
    qtbot.waitUntil(lambda: abs(theme.scale() - talk_scale(size[1])) < 0.02, timeout=PATIENCE_MS)


@pytest.mark.nightly
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_titles_scores_and_parameters_can_be_read_from_the_last_row(window, qtbot, rest, size):
    panel = next(iter(window.grid.panels.values()))
    before = capital(panel.header.title), window.styleSheet(), panel.canvas.cloud.look.size
    present(window, size, qtbot)
    rest(window)
    least = size[1] * READABLE
    for widget in (panel.header.title, window.strip.title, *window.strip._labels.values()):
        assert capital(widget) >= least - 0.5
    assert capital(panel.scores.labels["nmi"]) >= 0.8 * least
    assert panel.scores.labels["nmi"].isVisible()
    assert panel.scores.labels["nmi"].width() >= panel.scores.labels["nmi"].sizeHint().width()
    assert panel._footer.height() >= QFontMetricsF(panel.scores.labels["nmi"].font()).height()
    assert panel.canvas.cloud.look.size == pytest.approx(before[2] * talk_scale(size[1]), rel=0.02)
    QTest.keyClick(window, KEY.Key_Escape)
    assert (capital(panel.header.title), window.styleSheet(), panel.canvas.cloud.look.size) == before
    assert not window.document.dirty


@pytest.mark.nightly
def test_the_arrow_of_a_title_is_whole_at_every_width(window, app, qtbot):
    present(window, (2560, 1440), qtbot)
    panel = window.grid.panels["p1"]
    title = panel.header.title
    for width in range(300, 800, 9):
        panel.setFixedWidth(width)
        app.processEvents()
        assert title.text().endswith("▾")
        assert title.fontMetrics().horizontalAdvance(title.text()) + 12 <= title.width()
    panel.setMinimumWidth(140)
    panel.setMaximumWidth(16777215)
    QTest.keyClick(window, KEY.Key_F11)


def test_the_data_and_the_colours_are_named(window, qtbot):
    present(window, (1440, 900), qtbot)
    key = window.strip.key
    assert key.isVisible()
    assert [entry.text for entry in key.entries(QSizeF())[0]] == ["a", "b", "c"]
    assert not window.strip.side_key.isVisible()
    picture = key.grab().toImage()
    assert len({picture.pixel(x, theme.px(11)) for x in range(picture.width())}) > 20
    assert window.strip.title.text()
    window.editor.colour_by("latent:angle")
    assert "angle" in key.accessibleName()
    QTest.keyClick(window, KEY.Key_F11)
    assert not window.strip.isVisible()


def many_classes(n: int) -> MultiView:
    rng = np.random.default_rng(0)
    names = np.array([f"species {i} of the genus Quercus" if i % 3 else f"class {i}" for i in range(n)])
    return MultiView({"a": rng.normal(size=(2 * n, 2)), "b": rng.normal(size=(2 * n, 2))}, labels=np.tile(names, 2))


@pytest.mark.nightly
@pytest.mark.parametrize("size", [(1280, 720), (1440, 900), (2560, 1440)], ids=str)
def test_25_classes_take_a_quarter_of_a_presentation_and_none_is_lost(window, qtbot, rest, size):
    show_fresh(window, many_classes(25))
    rest(window)
    present(window, size, qtbot)
    rest(window)
    key = window.strip.side_key
    assert key.isVisible()
    assert not window.strip.key.isVisible()
    assert key.width() <= size[0] / 4 + 1
    assert window.strip.height() <= size[1] / 8
    assert key.mapTo(window, key.rect().topRight()).x() <= size[0]
    entries, wide = key.entries(QSizeF(key.width() - 2 * EDGE, key.height() - 2 * EDGE))
    assert {entry.place for entry in entries} == set(range(25))
    assert len({entry.text for entry in entries}) == 25
    assert wide <= key.width() - 2 * EDGE
    assert max(entry.y for entry in entries) + theme.px(theme.BASE_PX) / 2 <= key.height() - 2 * EDGE
    QTest.keyClick(window, KEY.Key_F11)
    assert not key.isVisible()


def test_classes_for_which_no_column_is_left_are_counted(app):
    names = [f"class {k}" for k in range(40)]
    entries, _ = lay_in_columns(names, QSizeF(328, 300), theme.font(25))
    assert entries[-1].text == f"+ {40 - (len(entries) - 1)} more"
    assert [entry.place for entry in entries[:-1]] == list(range(len(entries) - 1))


@pytest.mark.nightly
def test_keys_scale_type_and_points_for_the_talk_only(window, qtbot):
    present(window, (1440, 900), qtbot)
    usual = theme.scale()
    QTest.keyClick(window, KEY.Key_Plus, CONTROL)
    assert theme.scale() == pytest.approx(1.1 * usual, rel=0.01)
    QTest.keyClick(window, KEY.Key_0, CONTROL)
    assert theme.scale() == pytest.approx(usual, rel=0.01)
    QTest.keyClick(window, KEY.Key_Minus, CONTROL)
    QTest.keyClick(window, KEY.Key_F11)
    assert theme.scale() == 1.0
    assert window.settings.zoom == 1.0


@pytest.mark.nightly
def test_keys_scale_type_and_points_of_the_window_for_good(window):
    title = next(iter(window.grid.panels.values())).header.title
    before = capital(title)
    for _ in range(3):
        QTest.keyClick(window, KEY.Key_Plus, CONTROL)
    assert capital(title) >= 1.25 * before
    assert window.settings.zoom == pytest.approx(1.331)
    QTest.keyClick(window, KEY.Key_0, CONTROL)
    assert capital(title) == before
    assert not window.document.dirty


@pytest.mark.parametrize("name", ["light", "dark"])
def test_the_key_has_the_colours_that_the_points_have_in_its_theme(app, qtbot, name):
    theme.apply_theme(app, name)
    try:
        key = ColourKey()
        qtbot.addWidget(key)
        key.resize(600, 60)
        key.show()
        key.show_colouring(Colouring("label", np.arange(10), tuple("abcdefghij")))
        picture = key.grab().toImage()
        seen = {picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(picture.height())}
        wanted = {"#{:02x}{:02x}{:02x}".format(*rgb) for rgb in class_colours(10, name).tolist()}
        assert wanted <= seen
    finally:
        theme.apply_theme(app, "light")


@pytest.mark.nightly
def test_icons_sliders_and_boxes_grow_with_the_type(window, qtbot, rest):
    panel = window.grid.panels["p1"]
    row, warning = window.side.rows["plain"], window.banners.show_message("warning", "A word.", "")
    buttons = [panel.header.more, panel.doubt, panel.link, row.link, row.unfold, panel._again]
    before = [(b.width(), b.iconSize().width()) for b in buttons]
    slider, knob = row.slider, knob_height(row.slider)
    for _ in range(4):
        QTest.keyClick(window, KEY.Key_Plus, CONTROL)
    rest(window)
    assert [(b.width(), b.iconSize().width()) for b in buttons] == [
        (theme.px(wide), theme.px(sign)) for wide, sign in before
    ]
    assert knob_height(slider) >= 1.35 * knob
    assert slider.height() >= slider.sizeHint().height()
    assert row.field.width() >= QFontMetricsF(row.field.font()).horizontalAdvance(row.field.text()) + 12
    signs = [label.pixmap().width() for label in window.banners.findChildren(QLabel) if not label.pixmap().isNull()]
    assert theme.px(16) in signs
    QTest.keyClick(window, KEY.Key_0, CONTROL)
    assert [(b.width(), b.iconSize().width()) for b in buttons] == before
    warning.dismiss()


def knob_height(slider) -> int:
    """Pixels from the top of the handle to its bottom."""
    picture, x = slider.grab().toImage(), round(slider.x_of(slider.value))
    rows = [y for y in range(picture.height()) if picture.pixelColor(x, y).name() == theme.current().accent]
    return max(rows) - min(rows)
