"""A low window with a page open: panels stay high enough to be read, and the views' ε stay in sight."""

import pytest
from PySide6.QtCore import QPoint
from windows import OPENING_PANELS, show_data, small_data

from mvexplorer.engine.core.multiview import MultiView

NAMES = ("fou", "fac", "kar", "pix", "zer", "mor")


def six_views():
    X = small_data(40)
    return MultiView([X.Xs[0] + i for i in range(6)], view_names=NAMES, labels=X.labels)


@pytest.fixture
def low(make_window, rest):
    """A window of 1280 x 720 with six views, six panels and the page Bandwidth."""
    window = make_window()
    window.resize(1280, 720)
    window.show()
    show_data(window, six_views(), OPENING_PANELS)
    rest(window)
    window.bottom.show_page("bandwidth")
    rest(window)
    return window


def test_panels_are_at_least_180_pixels_high(low):
    heights = [panel.height() for panel in low.docks.grid.panels.values()]
    assert len(heights) == 6
    assert min(heights) >= 180


def test_most_rows_of_the_views_are_in_sight_and_the_focused_one_is(low):
    views = low.docks.side.views
    room = views.viewport().rect()

    def seen(row):
        return room.contains(QPoint(room.center().x(), row.mapTo(views.viewport(), row.rect().center()).y()))

    shown = [name for name, row in views.rows.items() if seen(row)]
    assert len(shown) >= 5
    last = views.look_at("mor")
    low.docks.side.begin_epsilon("mor")
    assert seen(last) or views.verticalScrollBar().maximum() > 0
    assert all(row.compact for row in low.docks.side._shared)


def test_a_row_takes_one_line_and_two_again(low, rest):
    row = low.docks.side.params["t"]
    one = row.sizeHint().height()
    low.resize(1280, 1000)
    rest(low)
    assert not row.compact
    assert row.sizeHint().height() > one
    assert row.slider.isVisible()
    low.resize(1280, 720)  # folds the page away
    low.bottom.fold(False)
    rest(low)
    assert row.compact
    row.slider.setFocus()
    assert row.field.isVisible()


def test_the_height_that_the_user_chose_stays(low, rest):
    splitter = low.centralWidget()._whole
    splitter.moveSplitter(300, 1)
    splitter.splitterMoved.emit(300, 1)
    chosen = low.bottom.height()
    low.resize(1280, 740)
    rest(low)
    assert low.bottom.height() == pytest.approx(chosen, abs=2)
