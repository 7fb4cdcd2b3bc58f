"""A low window with a page open: panels stay high enough to be read, and the views' ε stay in sight."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from windows import OPENING_PANELS, show_data, small_data

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.ui.pages.dock import HEIGHT
from mvexplorer.ui.window.main_window import MainWindow

LOW, HIGH = (1280, 720), (1440, 900)


def many_views(count: int) -> MultiView:
    rings = small_data(40)
    views = [rings.Xs[0] + i for i in range(count)]
    return MultiView(views, view_names=[f"view {i + 1}" for i in range(count)], labels=rings.labels)


@pytest.fixture
def rest(rest, app):
    """Waits until a window has computed and drawn everything, and is laid out: a scroll bar goes a turn later."""

    def wait(window: MainWindow) -> None:
        rest(window)
        app.processEvents()

    return wait


@pytest.fixture
def make_low(make_window, rest):
    """Makes windows of 1280 x 720 with so many views, six panels below a message, and a page."""

    def make(n_views: int = 6, theme: str = "light", page: str = "tune") -> MainWindow:
        window = make_window(LOW, theme=theme)
        QTest.mouseMove(window.windowHandle(), QPoint(700, 300))  # not where a former test has left it, over the views
        show_data(window, many_views(n_views), OPENING_PANELS)
        window.editor.enable_all_views()
        window.banners.show_message("info", "A message with a button.", action=("Use it", lambda: None))
        rest(window)
        window.bottom.show_page(page)
        rest(window)
        assert (window.width(), window.height()) == LOW
        return window

    return make


def place(window: MainWindow, widget) -> QRect:
    return QRect(widget.mapTo(window.docks.side.views.viewport(), QPoint()), widget.size())


def in_sight(window: MainWindow) -> list[str]:
    """The views whose tick, slider, ε and weight, where views are weighed, are in sight, whole, beside each other."""
    side = window.docks.side
    room = side.views.viewport().rect()
    seen = []
    for name, row in side.rows.items():
        parts = [row.check, row.slider, row.field]
        parts += [row.weight.field] if window.document.state.weighing else []
        places = [place(window, part) for part in parts]
        apart = not any(a.intersects(b) for a, b in combinations(places, 2))
        if apart and all(part.isVisible() and room.contains(at) for part, at in zip(parts, places, strict=True)):
            seen.append(name)
    return seen


def panel_heights(window: MainWindow) -> list[int]:
    return [panel.height() for panel in window.grid.panels.values() if panel.isVisible()]


def squeezed(window: MainWindow) -> list[str]:
    """Parts of the left side that are lower than they need to be, or lie over each other."""
    side = window.docks.side
    parts = [side.views, side._shared_rows, side._folds]
    wrong = [f"{part} is {part.height()}" for part in parts if part.height() < part.minimumSizeHint().height()]
    rows = [*side._shared]
    wrong += [f"{row.param.name} is {row.height()}" for row in rows if row.height() < row.sizeHint().height()]
    for above, below in pairwise((*parts, None)):
        if below is not None and above.geometry().bottom() >= below.geometry().top():
            wrong.append(f"{above} lies over {below}")
    inner = side._shared_rows.rect()
    return wrong + [f"{row.param.name} sticks out" for row in rows if not inner.contains(row.geometry())]


@pytest.mark.parametrize(
    ("theme", "weighed"),
    [
        ("light", True),
        *(
            pytest.param(*each, marks=pytest.mark.nightly)
            for each in (("light", False), ("dark", False), ("dark", True))
        ),
    ],
)
def test_panels_can_be_read_and_every_epsilon_is_in_sight(make_low, rest, theme, weighed):
    window = make_low(theme=theme)
    window.editor.weigh_views(weighed)
    rest(window)
    names = list(window.docks.side.rows)
    assert len(names) == 6

    def look():
        assert len(panel_heights(window)) == 6
        assert min(panel_heights(window)) >= 180
        assert in_sight(window) == names
        assert squeezed(window) == []

    look()
    window.bottom.fold(True)
    rest(window)
    assert squeezed(window) == []
    assert not any(row.compact for row in window.docks.side._shared)
    window.bottom.fold(False)
    rest(window)
    look()
    for size in (HIGH, (2560, 1440), LOW):
        window.resize(*size)
        rest(window)
        assert squeezed(window) == []
        assert window.bottom.folded == (size == LOW)
        assert window.bottom.folded or window.bottom.height() >= HEIGHT
    window.bottom.show_page("spectrum")
    rest(window)
    look()


@pytest.mark.nightly
def test_a_weight_beside_its_epsilon_is_dragged_in_the_view_in_use_and_typed_in_all(make_low, rest):
    window = make_low()
    window.editor.weigh_views(True)
    window.editor.set_epsilon("view 3", 0.000123456)
    rest(window)
    side, used, other = window.docks.side, "view 2", "view 3"
    side.begin_epsilon(used)
    rest(window)
    rows = side.rows
    assert [name for name, row in rows.items() if row.weight.slider.isVisible()] == [used]
    assert rows[used].rule.isVisible()
    assert in_sight(window) == list(rows)
    before = {name: row.geometry() for name, row in rows.items()}
    rows[used].weight.slider.moved.emit(4.0)
    rows[used].weight.slider.released.emit()
    rows[other].weight.field.setFocus()
    rows[other].weight.field.selectAll()
    QTest.keyClicks(rows[other].weight.field, "2.5")
    QTest.keyClick(rows[other].weight.field, Qt.Key.Key_Return)
    rest(window)
    weights = {view.name: view.view_weight for view in window.document.state.views}
    assert (weights[used], weights[other]) == (4.0, 2.5)
    assert {name: row.geometry() for name, row in rows.items()} == before
    rows[used].check.name_pressed.emit()
    rest(window)
    assert rows[used].slope.isVisible()
    assert rows[used].slider.width() > 2 * rows[other].slider.width()
    window.editor.weigh_views(False)
    rest(window)
    assert not any(row.weight.field.isVisible() or row.weight.sign.isVisible() for row in rows.values())


@pytest.mark.nightly
def test_what_a_frame_takes_of_a_low_window_hides_no_epsilon(make_low, rest):
    """720 pixels of a screen are some 690 of a window between its title and a task bar."""
    window = make_low()
    window.resize(1280, 690)
    rest(window)
    window.bottom.fold(False)
    rest(window)
    views = window.docks.side.views
    bar = views.verticalScrollBar()
    bar.setValue(0)
    assert in_sight(window) == list(views.rows)[: len(in_sight(window))]
    assert len(in_sight(window)) >= 5
    seen = set(in_sight(window))
    bar.setValue(bar.maximum())
    assert seen | set(in_sight(window)) == set(views.rows)
    assert min(panel_heights(window)) >= 150
    assert squeezed(window) == []


@pytest.mark.parametrize("n_views", [pytest.param(2, marks=pytest.mark.nightly), 3])
def test_of_few_views_all_are_in_sight(make_low, n_views):
    window = make_low(n_views)
    assert len(in_sight(window)) == n_views
    assert any(not row.compact for row in window.docks.side.rows.values())


@pytest.mark.nightly
def test_the_view_in_use_stays_in_sight_where_not_all_are(make_low, rest):
    window = make_low(12)
    side, last = window.docks.side, "view 12"
    window.bottom.fold(True)
    rest(window)
    side.begin_epsilon(last)
    rest(window)
    assert last in in_sight(window)
    window.bottom.fold(False)
    rest(window)
    assert len(in_sight(window)) < 12
    assert last in in_sight(window)
    page = side.views.viewport().height()
    assert side.views.verticalScrollBar().maximum() <= page  # one page scrolled shows the others


@pytest.mark.nightly
def test_the_sliders_of_a_low_window_work_on_one_line(make_low, rest):
    window = make_low()
    side = window.docks.side
    for row in (side._master_row, *side._shared):
        assert row.compact
        assert row.height() == row.sizeHint().height() < 30
        field = side.master_field if row is side._master_row else row.field
        assert row.slider.width() >= 100
        assert row.slider.geometry().right() < field.geometry().left()
        assert field.isVisible()
    side.params["t"].slider.moved.emit(5)
    side.params["t"].slider.released.emit()
    rest(window)
    assert window.document.state.params["t"] == 5
    assert side.params["t"].field.text() == "5"
    for label in side.params["eta"].findChildren(type(side.params["eta"]._symbol)):
        assert len(label.toolTip()) > 20


@pytest.mark.parametrize("page", [pytest.param("spectrum", marks=pytest.mark.nightly), "agreement"])
def test_the_height_that_the_user_chose_stays(make_low, rest, page):
    window = make_low(page=page)
    splitter = window.bottom.parentWidget()
    splitter.moveSplitter(300, 1)
    chosen = window.bottom.height()
    assert chosen > 300
    window.bottom.fold(True)
    window.bottom.fold(False)
    window.resize(1280, 740)
    rest(window)
    assert window.bottom.height() == pytest.approx(chosen, abs=2)
