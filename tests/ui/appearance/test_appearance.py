"""The right side: a legend that counts the selection, a grouped choice of colours, and room for both."""

from itertools import pairwise
from time import perf_counter
from unittest.mock import create_autospec

import numpy as np
import pytest
from monkey_files import HOSTILE
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from windows import laid_out

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document import commands
from mvexplorer.state.document.selections import NamedSelection, Selections
from mvexplorer.state.pictures.colouring import Colouring, resolve_colouring
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.ui.appearance.dock import AppearanceDock
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import class_colours

pytestmark = pytest.mark.panels(3)

KEY = Qt.Key
N = 60


def labelled(n_classes=3, n_columns=4, **more):
    drawn = np.random.default_rng(0).normal(size=(N, n_columns))
    return MultiView({"fou": drawn, "pix": drawn}, labels=[f"class {i % n_classes}" for i in range(N)], **more)


@pytest.fixture
def show(app, qtbot):
    """A function that shows data in a right side of its own, coloured and with some samples selected."""
    dock = AppearanceDock(create_autospec(Editor, instance=True))
    dock.setStyleSheet(theme.style_sheet())  # that of the window
    qtbot.addWidget(dock)

    def shown(data, colour="labels", selection=(), panels=None, **state):
        made = commands.initial_state(data, ("memory",), None)
        made = made.model_copy(update={"colour": colour, "selection": tuple(selection), **state})
        dock.show_state(made, data, resolve_colouring(colour, data, {}), panels or {})
        dock.show()
        return dock

    return shown


def written_in(dock):
    """The names of the classes as the legend draws them."""
    return [dock.legend.classes.written(row) for row in range(len(dock.legend.names))]


def counts_in(dock):
    """The counts of the classes as the legend draws them."""
    return [dock.legend.classes.classes.count_text(row) for row in range(len(dock.legend.names))]


def said(dock, row, role=Qt.ItemDataRole.ToolTipRole):
    """What the legend says of a class."""
    classes = dock.legend.classes.classes
    return classes.data(classes.index(row, 0), role)


def test_names_alike_at_both_ends_are_cut_so_that_no_two_read_the_same(show):
    drawn = np.random.default_rng(0).normal(size=(N, 2))
    names = [f"species number {i % 25} with a long name" for i in range(N)]
    dock = show(MultiView({"fou": drawn}, labels=names))
    dock.resize(200, 600)
    written = written_in(dock)
    assert len(set(written)) == 25
    assert all("…" in words for words in written)
    dock.resize(600, 600)
    assert written_in(dock) == list(dock.legend.names)


def ink(widget):
    """The distinct colours in a widget's picture."""
    image = widget.grab().toImage()
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


# Counts -------------------------------------------------------------------------------------------------------


def test_counts_of_classes_follow_the_selection(show):
    dock = show(labelled())
    assert counts_in(dock) == ["20", "20", "20"]
    dock.legend.classes.setCurrentIndex(dock.legend.classes.classes.index(1, 0))
    show(labelled(), selection=(0, 3, 6, 1))
    assert counts_in(dock) == ["3 / 20", "1 / 20", "0 / 20"]
    assert "3 of them selected" in said(dock, 0)
    assert said(dock, 0, Qt.ItemDataRole.AccessibleTextRole) == "Class class 0, 20 samples, 3 of them selected"
    assert dock.legend.classes.currentIndex().row() == 1  # focus stays where it is
    show(labelled())
    assert counts_in(dock)[0] == "20"


def test_a_class_that_colours_no_sample_says_so(show):
    dock = show(labelled())
    covered = Colouring("selections", np.ones(N, dtype=np.int64), ("under", "over"))
    for selection in ((), (0, 1)):
        dock.legend.show_colouring(covered, (), selection)
        assert counts_in(dock)[0] == "none"
        assert "under: no sample has this colour." in said(dock, 0)
        assert said(dock, 0, Qt.ItemDataRole.AccessibleTextRole) == "Class under, no sample has this colour"
    assert counts_in(dock)[1] == f"2 / {N}"


def test_the_scale_marks_the_selected_values(show):
    dock = show(labelled(), "feature:fou:1")
    bar = dock.legend.scale
    before = bar.grab().toImage()
    values = labelled().Xs[0][:, 1]
    show(labelled(), "feature:fou:1", selection=(4, 5))
    low, high = sorted(values[[4, 5]])
    assert dock.legend.scale is bar
    assert bar.selected_text == f"{low:.3g} – {high:.3g}".replace("-", "−")
    assert bar.selected_text in bar.accessibleName()
    assert bar.grab().toImage() != before
    show(labelled(), "feature:fou:1")
    assert bar.grab().toImage() == before


@pytest.mark.parametrize("name", ["light", "dark"])
def test_the_scale_is_outlined_where_its_ends_are_as_pale_as_the_ground(show, app, name):
    try:
        theme.apply_theme(app, name)
        bar = show(labelled(), "feature:fou:1").legend.scale
        image = bar.grab().toImage()
        edges = {image.pixelColor(x, 7).name() for x in (0, image.width() - 1)}
        assert edges == {theme.current().muted}
    finally:
        theme.apply_theme(app, "light")


def test_missing_values_are_not_in_the_range(show):
    latent = np.where(np.arange(N) < 3, np.nan, np.linspace(0.5, 9.5, N))
    dock = show(labelled(latent={"depth": latent}), "latent:depth", selection=(0, 1))
    assert dock.legend.scale.selected_text == ""


def test_the_legend_has_the_colours_of_its_theme(show, app):
    try:
        for name in ("light", "dark"):
            theme.apply_theme(app, name)
            dock = show(labelled(3))
            first = "#{:02x}{:02x}{:02x}".format(*class_colours(3, name)[0])
            assert first in ink(dock.legend.classes)
    finally:
        theme.apply_theme(app, "light")


# Room ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [3, 10, 25])
def test_a_pinned_card_leaves_the_legend_its_room(show, qtbot, n_classes):
    columns = {f"a column with a long name {i}": [f"{'value ' * 9}{k}" for k in range(N)] for i in range(5)}
    pictures = np.zeros((N, 8, 8), dtype=np.uint8)
    data = labelled(n_classes, columns=columns, images=pictures)
    dock = show(data, selection=(1, 2))
    dock.resize(220, 430)  # at 1280 x 720 with a page below the panels
    dock.show_card(3, None)
    laid_out()
    assert dock.legend.classes.viewport().height() >= 20 * min(6, n_classes)
    assert dock.card.visibleRegion().boundingRect().height() >= 40
    assert dock.clear.mapTo(dock, QPoint(0, dock.clear.height())).y() < dock.height()
    dock.resize(220, 1130)
    laid_out()
    assert dock.legend.height() >= 20 * n_classes
    assert dock.card.visibleRegion().boundingRect().height() == dock.card.height()


@pytest.mark.parametrize("kept", [0, 4, 12])
def test_nothing_overlaps_where_the_side_is_low(show, kept):
    named = tuple(NamedSelection(name=f"part {i}", samples=(i, i + 1)) for i in range(kept))
    dock = show(labelled(10, images=np.zeros((N, 8, 8), dtype=np.uint8)), selections=Selections(named=named))
    side = QWidget()  # gives it the room that there is, as the window does
    dock.setParent(side)
    side.show()
    dock.show()
    for height in (390, 900, 390):
        dock.resize(220, height)
        dock.show_card(3, None)
        laid_out()
        parts = sorted((w for w in dock.children() if isinstance(w, QWidget) and w.isVisible()), key=QWidget.y)
        gaps = [below.y() - above.geometry().bottom() for above, below in pairwise(parts)]
        assert min(gaps) > 0, (height, gaps)
        assert parts[-1].geometry().bottom() < height
        assert dock.point_size.isVisible() == (height == 900 or not kept)
        rows = dock.selections.list.height() // 24
        assert rows == min(kept, 8 if height == 900 else 4), "more names where there is room"
    dock.setParent(None)


# Choosing -----------------------------------------------------------------------------------------------------


def listed(popup):
    return [popup.list.item(i).text() for i in range(popup.list.count())]


def test_colourings_are_grouped_and_found_by_typing(show, qtbot):
    dock = show(labelled(n_columns=300, latent={"angle": np.arange(N)}), panels={"p1": "Kernel sum"})
    QTest.keyClick(dock.sources, KEY.Key_Space)
    popup = dock.sources.popup
    shown = listed(popup)
    headings = [popup.list.item(i).text() for i in range(len(shown)) if not popup.list.item(i).flags()]
    assert headings == [
        "Labels", "Hidden variables", "Coordinates of Kernel sum", "Columns of fou",
        "250 more: type part of a name or a number", "Columns of pix",
        "250 more: type part of a name or a number",
    ]  # fmt: skip
    assert popup.list.currentItem().text() == "label"
    QTest.keyClicks(popup.search, "pix 123")
    assert listed(popup) == ["Columns of pix", "pix, feature 123"]
    QTest.keyClick(popup.search, KEY.Key_Return)
    assert dock._editor.colour_by.call_args.args == ("feature:pix:122",)
    assert dock.sources.currentText() == "pix, feature 123"


def test_long_names_of_features_are_cut_to_what_tells_them_apart(show):
    names = [[f"reflectance_band_{i}_mean_of_the_growing_season_at_noon" for i in range(6)]]
    dock = show(MultiView({"bands": np.zeros((N, 6))}, feature_names=names))
    dock.sources.showPopup()
    popup = dock.sources.popup
    shown = [text for text in listed(popup) if "band_" in text]
    assert len(shown) == 6
    metrics, room = popup.list.fontMetrics(), popup.list.viewport().width() - 12
    drawn = {metrics.elidedText(text, popup.list.textElideMode(), room) for text in shown}
    assert len(drawn) == 6
    assert all(f"band_{i}_" in text for i, text in enumerate(sorted(drawn)))


def test_arrow_keys_pass_over_headings_and_esc_takes_nothing(show):
    dock = show(labelled(latent={"angle": np.arange(N)}))
    dock.sources.showPopup()
    popup = dock.sources.popup
    QTest.keyClick(popup.search, KEY.Key_Down)
    assert popup.list.currentItem().text() == "angle (true)"
    QTest.keyClicks(popup.search, "no such thing")
    assert listed(popup) == ["Nothing is called “no such thing”"]
    QTest.keyClick(popup.search, KEY.Key_Return)
    QTest.keyClick(popup.search, KEY.Key_Escape)
    assert not dock._editor.colour_by.called


def test_what_a_search_found_is_shown_as_chosen(show):
    dock = show(labelled(n_columns=400), "feature:pix:399")
    assert dock.sources.currentData() == "feature:pix:399"
    assert dock.sources.currentText() == "pix, feature 400"


@pytest.mark.timing
def test_hundreds_of_columns_are_searched_within_a_few_frames(show):
    dock = show(MultiView({f"v{i}": np.zeros((N, 700)) for i in range(6)}))
    dock.sources.showPopup()
    taken = []
    for text in ("f", "fe", "v3 7", "v3 70"):
        begun = perf_counter()
        dock.sources.popup.search.setText(text)
        taken.append(perf_counter() - begun)
    assert min(taken) < 0.1


def test_names_stay_names(show):
    long = "<b>x</b> & " + "y" * 400
    columns = {name: [f"{name}{i % 3}" for i in range(N)] for name in (*HOSTILE, long)}
    dock = show(labelled(columns=columns), f"column:{long}")
    dock.sources.showPopup()
    for text in listed(dock.sources.popup):
        assert len(text) <= 120
        assert "\n" not in text
    assert dock.minimumSizeHint().width() <= 220
    assert dock.sources.popup.list.item(1).toolTip()
    assert "<b>" not in said(dock, 0).replace("&lt;", "")
    assert long[-20:] in said(dock, 0)


def test_legend_and_words_grow_with_the_type(show):
    """At the largest type a row holds its words, and the line about the selection wraps."""
    usual = show(labelled()).legend.classes.rowHeight(0)
    theme.set_type_scale(1.46)
    try:
        dock = show(labelled())
        dock.setStyleSheet(theme.style_sheet())
        dock.resize(190, 600)
        height = dock.legend.classes.rowHeight(0)
        assert height > 1.4 * usual
        assert height >= theme.metrics(theme.font(theme.px(theme.BASE_PX))).height()
        assert dock.count.wordWrap()
        assert dock.legend.maximumHeight() >= 3 * height
    finally:
        theme.set_type_scale(1.0)
