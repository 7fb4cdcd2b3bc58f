"""Other data, and whatever else changes the document, with anything on screen: nothing raises, everything follows."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication
from windows import PATIENCE_MS, menus_in, small_data

from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document import commands
from mvexplorer.state.document.model import DocumentState
from mvexplorer.ui.controls.view_row import ViewRow
from mvexplorer.ui.export.sheet import sheet_of
from mvexplorer.ui.pages import table as page_table
from mvexplorer.ui.pages.feature_weights import WeightsPanel, open_weights
from mvexplorer.ui.panels.panel import Panel
from mvexplorer.ui.window.main_window import MainWindow

PAGES = tuple(page.id for page in page_table.PAGES)
BOXES = ("Quit", "Open files …", "Import …", "Open folders …", "Open session …", "Save session",
         "Save session as …", "Save with data …", "Export picture …", "Export numbers …", "Export web page …",
         "Export script …", "Export notebook …",
         "Memory limit …", "Waveforms to sonograms, 12 bands …", "Waveforms to sonograms, 512 frequencies …",
         "About mvexplorer", "Mouse and keys", "Which ε, and why?", "Your own data", "Export and sharing",
         "Where do they differ?",
         "Presentation", "Gallery of the papers")  # fmt: skip
"""Actions that ask something first, or that leave the window."""


def other(views: tuple[str, ...], n: int = 30) -> MultiView:
    drawn = np.random.default_rng(0).normal(size=(len(views), n, 3))
    return MultiView(dict(zip(views, drawn, strict=True)), labels=["x", "y", "z"] * (n // 3))


def few_panels(data: MultiView, source: str) -> DocumentState:
    state = commands.initial_state(data, (source,), None, False)
    return state.model_copy(update={"panels": (state.panels[0], *state.panels[-1:])})


def open_other(window, data: MultiView) -> None:
    commands.open_data(window.document, data, few_panels(data, "other.csv"))
    window.document.mark_saved()


def reset(window) -> None:
    data = other(("one", "two"))
    window.document.reset(few_panels(data, "other.csv"), data)


def close_all(window) -> None:
    for panel in window.document.state.panels:
        commands.close_panel(window.document, panel.id)


CHANGES = {
    "other views": lambda w: open_other(w, other(("one", "two"))),
    "fewer views": lambda w: open_other(w, other(("wavy",))),
    "more views": lambda w: open_other(w, other(("wavy", "a", "b", "c"))),
    "fewer samples": lambda w: open_other(w, small_data(12)),
    "other features": lambda w: open_other(w, other(("plain", "wavy"), 48)),
    "session": reset,
    "all panels closed": close_all,
    "a view left out": lambda w: commands.tick_view(w.document, "plain", False),
    "no view left": lambda w: [commands.tick_view(w.document, v, False) for v in ("plain", "wavy")],
    "preprocessing": lambda w: commands.set_preprocess(w.document, "plain", "zscore"),
}


def follows(window) -> None:
    """Title, rows, panels and pages are those of the document."""
    state = window.document.state
    names = [v.name for v in state.views]
    assert window.library.data_title in window.windowTitle()
    assert list(window.side.rows) == names
    assert (list(window.grid.panels) and set(window.grid.panels) == {p.id for p in state.panels}) or not state.panels
    for panel in state.panels:
        assert window.grid.panels[panel.id].header.title.accessibleName()
    assert window.points.count.text().split()[2].rstrip(":") == str(window.document.data.n_samples)
    if window.bottom.pages["tune"].isVisible():
        assert window.bottom.pages["tune"].view in names
        assert window.bottom.pages["tune"].second in ("", *names)


@pytest.fixture
def everything(window, rest):
    """The window with all that remembers names and indices: slope curves, weights, a kept card, one panel alone."""
    for row in window.side.rows.values():
        row.unfold.setChecked(True)
    open_weights(window.workbench, "plain", window)
    window.editor.keep_sample(47)
    commands.colour_by(window.document, "column:batch")
    rest(window)
    window.hover.move(47, next(iter(window.grid.panels.values())).canvas, QPointF(5, 5))
    yield window
    for row in window.side.rows.values():
        row.unfold.setChecked(False)


@pytest.fixture
def shown(qtbot):
    """Waits until a change is on screen; whatever is still being computed arrives among the next ones."""

    def wait(window) -> None:
        timers = (window._next_piece, window.bottom.pages["tune"].soon)
        qtbot.waitUntil(lambda: not any(timer.isActive() for timer in timers), timeout=PATIENCE_MS)
        follows(window)

    return wait


def some_changes(page: str) -> list[str]:
    """One of the changes, two with some pages: with all pages there is each of them."""
    return list(CHANGES)[PAGES.index(page) :: len(PAGES)]


def test_the_changes_of_all_pages_are_all_changes():
    assert {name for page in PAGES for name in some_changes(page)} == set(CHANGES)


@pytest.mark.panels(3)
@pytest.mark.parametrize("page", PAGES)
def test_changes_with_every_page(everything, rest, shown, page):
    make_changes(everything, rest, shown, page, some_changes(page))


@pytest.mark.nightly
@pytest.mark.panels(3)
@pytest.mark.parametrize("page", PAGES)
def test_every_change_with_every_page(everything, rest, shown, page):
    make_changes(everything, rest, shown, page, list(CHANGES))


def make_changes(window, rest, shown, page: str, names: list[str]) -> None:
    """Each change with its undo and redo while a page is open."""
    window.bottom.show_page(page)
    shown(window)
    for name in names:
        CHANGES[name](window)
        window.behaviour.focus_panel(1)
        shown(window)
        while window.document.undo_label is not None:
            window.document.undo()
        shown(window)
        while window.document.redo_label is not None:
            window.document.redo()
        shown(window)
        data = small_data()
        window.document.reset(few_panels(data, "memory"), data)
        shown(window)
    rest(window)
    follows(window)


@pytest.fixture
def built(monkeypatch):
    """Names the rows and panels that are built, and the ends of the turns in which they are."""
    log: list[str] = []
    for made in (ViewRow, Panel):
        init = made.__init__
        monkeypatch.setattr(made, "__init__", lambda self, *a, i=init, n=made.__name__: (log.append(n), i(self, *a))[1])
    show = MainWindow._show_piece
    monkeypatch.setattr(MainWindow, "_show_piece", lambda self: (show(self), log.append("|"))[0])
    return log


@pytest.mark.parametrize("edited", [False, True])
def test_new_data_build_one_row_or_panel_a_turn(make_window, built, rest, edited):
    """All of them in one turn kept the window from responding for a tenth of a second and more."""
    window, data = make_window(), other(("a", "b", "c", "d", "e"))
    window.document.reset(commands.initial_state(data, ("memory",), None, False), data)
    if edited:  # by a hand, before they are on show
        commands.tick_view(window.document, "a", False)
        assert not built
    rest(window)
    turns = "".join(built).split("|")
    assert max(turns, key=len) in ("ViewRow", "Panel")
    assert (turns.count("ViewRow"), turns.count("Panel")) == (5, len(window.document.state.panels))
    follows(window)
    assert [row.check.isChecked() for row in window.side.rows.values()] == [not edited, True, True, True, True]
    assert all(row.isVisible() for row in window.side.rows.values())


@pytest.mark.nightly
def test_hands_on_what_has_just_gone(everything, rest):
    """Between the change and the pieces that show it, every action, and everything on the old rows and panels."""
    window = everything
    rows, panels = list(window.side.rows.values()), list(window.grid.panels.values())
    open_other(window, other(("one", "two", "three"), 12))
    assert len(sheet_of(window.workbench, "", None, window.grid.cameras()).tiles) == 2
    for act in window.actions_table.table:
        if act.text not in BOXES and (act.enabled is None or act.enabled()):
            act.do()
    for row in rows:
        row.slider.moved.emit(2.0)
        row.slider.released.emit()
        row.rule.click()
        row.link.click()
        row.check.click()
        row.unfold.click()
    for panel in panels:
        for menu in (panel.menus.everything(), panel.menus.methods(), panel.menus.shown()):
            opening = [inner.menuAction() for inner in menus_in(menu)]
            for action in menu.actions():
                if action not in opening and action.isEnabled():
                    action.trigger()
        panel.canvas.picked.emit(47)
        panel.canvas.hovered.emit(47, QPointF(5, 5))
        panel.canvas.selected.emit(np.arange(48), "add")
    while (popup := QApplication.activePopupWidget()) is not None:
        popup.close()
    rest(window)
    while window.document.data.n_samples != 12:
        window.document.undo()
    follows(window)
    rest(window)


def test_menus_cards_and_weights_of_former_samples_close(everything, rest):
    window = everything
    rest(window)
    assert [d for d in window.findChildren(WeightsPanel) if d.isVisible()]
    window.behaviour.find_anything()
    palette = QApplication.activePopupWidget()
    open_other(window, other(("one", "two")))
    assert not palette.isVisible()
    assert not [d for d in window.findChildren(WeightsPanel) if d.isVisible()]
    assert window.hover.kept == -1
    assert not window.hover.card.isVisible()
    rest(window)


@pytest.mark.nightly
def test_weights_whose_features_changed_are_not_shown(everything, rest, monkeypatch):
    """The same view by name, with other features."""
    window = everything
    rest(window)
    panel = next(d for d in window.findChildren(WeightsPanel) if d.isVisible())
    found = window.analyser.of("plain")
    assert panel.apply.isEnabled()
    data = window.document.data
    wide = data.replace(Xs=[np.hstack([X, X]) for X in data.Xs])
    window.document.apply("Widen", window.document.state, data=wide)
    monkeypatch.setattr(window.analyser, "of", lambda view: found)
    window.analyser.changed.emit("plain")
    assert not panel.apply.isEnabled()
    assert "learn again" in panel.words.text()
    panel.close()


# Opening comes first -------------------------------------------------------------------------------------------


class Gate(Job):
    """A job that cannot be stopped, like a call into LAPACK."""

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()

    def run(self, cache, task) -> None:
        self.begun.set()
        self.go_on.wait(60)


@pytest.mark.nightly
def test_opening_waits_for_nothing_and_supersedes_everything(window, rest, qtbot):
    gates = [Gate() for _ in range(12)]
    try:
        for i, gate in enumerate(gates):
            scheduler = window.controller.background if i == 0 else window.controller.scheduler
            scheduler.submit(f"stuck{i}", gate, lambda outcome: pytest.fail("superseded work was shown"))
        assert gates[0].begun.wait(20)
        assert gates[1].begun.wait(20)
        window.library.open_source(("circles",))
        qtbot.waitUntil(lambda: window.document.state.source == ("circles",), timeout=PATIENCE_MS)
        rest(window)
        follows(window)
        assert all(window.controller.result(p.id).status == "ready" for p in window.document.state.panels)
        assert window.controller.summaries
        assert not any(task.slot.startswith("stuck") for task in window.controller.tasks())
        assert sum(gate.begun.is_set() for gate in gates) < len(gates)
    finally:
        for gate in gates:
            gate.go_on.set()


def test_an_opening_that_hangs_is_superseded_by_the_next(window, rest, qtbot, monkeypatch):
    gate = Gate()
    try:
        window.controller.open(gate, lambda outcome: pytest.fail("superseded data was shown"))
        assert gate.begun.wait(20)
        window.library.open_source(("circles",))
        qtbot.waitUntil(lambda: window.document.state.source == ("circles",), timeout=PATIENCE_MS)
        rest(window)
        follows(window)
    finally:
        gate.go_on.set()
