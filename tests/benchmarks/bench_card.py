"""One sample in a window with six panels: from a click on it to its whole card; colours by distance while D is held."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count
from statistics import median
from time import perf_counter
from typing import Any

from comparison import CONTROL, Limit, sized
from live_window import Ticker, control_gap, new_window, open_data, settle, turn_until
from views import tori

M, VIEWS, EPSILON, CLICKS = sized(5000, 200), 3, 0.08, sized(15, 2)
FEW, SIZE = sized(2000, 100), (2560, 1440)
SECTIONS = "neighbours", "walk", "distances", "spread"


class Card:
    """A window whose card is unfolded and tells the multi-view walk; `click` returns once all of it is painted."""

    def __init__(self, t: int) -> None:
        from PySide6.QtCore import QEvent, QObject

        from mvexplorer.engine.core.multiview import MultiView

        self.window = window = new_window()
        window.resize(*SIZE)
        window.bottom.fold(True)  # what is painted last is in sight
        data = MultiView({f"view {i}": X for i, X in enumerate(tori(M, n_views=VIEWS))})
        open_data(window, data, epsilon=EPSILON)
        settle(window)
        panels = window.document.state.panels
        window.editor.focus(next(panel.id for panel in panels if panel.method == "multiview"))
        window.editor.change_point("Unfold all", unfolded=SECTIONS, steps=t)
        self.samples, self.painted = count(7, 37), False
        card = self

        class Painted(QObject):
            def eventFilter(self, watched: Any, event: Any) -> bool:
                card.painted = card.painted or (event.type() == QEvent.Type.Paint and card.told())
                return False

        self.filter = Painted()
        # What is told of the walk, and of the distances: a section that is out of sight is painted with the others.
        window.points.point.walk.bars.installEventFilter(self.filter)
        self.click()
        settle(window)

    def told(self) -> bool:
        """Whether the card has all its answers."""
        inspector = self.window.workbench.inspector
        near = inspector.surroundings
        return near is not None and near.sample == inspector.kept and inspector.steps is not None

    def click(self) -> None:
        """Keep another sample, as a click on it does, and wait."""
        self.painted = False
        self.window.editor.keep_sample(next(self.samples) % M)
        turn_until(lambda: self.painted)


def from_click_to_card(t: int) -> dict[str, float]:
    card, times, gaps = Card(t), [], []
    for _ in range(CLICKS):
        with Ticker() as ticker:
            start = perf_counter()
            card.click()
            times.append(perf_counter() - start)
        gaps.append(ticker.longest)
    return {"ms": 1e3 * median(times), "ms gap": median(gaps), "ms gap" + CONTROL: control_gap()}


def pictures_while_d_is_held() -> dict[str, float]:
    """How many pictures a second follow the pointer from sample to sample, all six panels painted each time."""
    from PySide6.QtWidgets import QApplication

    from mvexplorer.engine.core.multiview import MultiView

    window, application = new_window(), QApplication.instance()
    assert application is not None
    window.resize(*SIZE)
    open_data(window, MultiView({"first": tori(FEW)[0], "second": tori(FEW)[1]}))
    settle(window)
    window.behaviour.sleepwalk.toggle()
    canvas, times = next(iter(window.grid.panels.values())).canvas, []
    for sample in range(0, FEW, 20):
        start = perf_counter()
        canvas.hovered.emit(sample, canvas.position_of(sample))
        application.processEvents()
        times.append(perf_counter() - start)
    return {"pictures/s": 1.0 / median(times)}


def comparisons() -> Iterator[Limit]:
    name = f"colours by distance from the pointer, 6 panels, M {FEW}, {SIZE[0]} x {SIZE[1]}"
    yield Limit(name, {}, pictures_while_d_is_held, at_least={"pictures/s": 20.0})
    for t in (1, 3, 5):
        yield Limit(
            f"card of a sample complete after the click, 6 panels, M {M}, {VIEWS} views, t {t}",
            {"ms": 100.0, "ms gap": 33.0},
            partial(from_click_to_card, t),
        )
