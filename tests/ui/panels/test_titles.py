"""The titles of panels: buttons give way first, and two panels never read the same."""

from itertools import pairwise
from unittest.mock import create_autospec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.model import DocumentState, PanelState, ViewState
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.ui.panels.panel import Panel
from mvexplorer.ui.widgets.shortening import (
    common_ends,
    shortened,
    told_apart,
    told_by_ends,
    told_in_two,
    with_fewer_words,
)

UGLY = (
    "bc_worst_measurements", "bc_worst_errors", "bc_mean_measurements", "bc_mean_errors", "bc_se_measurements_of_all",
    "bc_se_measurements_of_none", "a_x_tail_that_is_shared_by_all", "a_y_tail_that_is_shared_by_all", "ε", "W" * 40,
    "W" * 39 + "V", "W" * 20 + "i" + "W" * 19,
)  # fmt: skip


def state_of(names, methods=("single",)) -> DocumentState:
    panels = [
        PanelState(id=f"p{i}", method=methods[i % len(methods)], view=name) for i, name in enumerate(names, start=1)
    ]
    return DocumentState(views=tuple(ViewState(name=n) for n in dict.fromkeys(names)), panels=tuple(panels))


def wide(text: str) -> float:
    """Seven pixels a letter, as in the window's type; a narrow one less."""
    return sum(3.0 if letter in "iltj.·| " else 7.0 for letter in text)


def shown(titles: list[str], rooms: list[float]) -> list[str]:
    return [
        shortened(title, [t for j, t in enumerate(titles) if j != i], i + 1, room, wide)
        for i, (title, room) in enumerate(zip(titles, rooms, strict=True))
    ]


names = st.text(alphabet="abi_W· …", min_size=1, max_size=30)


@pytest.mark.nightly
@settings(max_examples=300)
@given(st.lists(names, min_size=2, max_size=12, unique=True), st.data())
def test_no_two_titles_are_cut_to_the_same_text(found, data):
    titles = list(panel_titles(state_of(found)).values())
    rooms = data.draw(st.lists(st.floats(60, 300), min_size=len(titles), max_size=len(titles)))
    texts = shown(titles, rooms)
    assert len(set(texts)) == len(texts), texts
    for text, room in zip(texts, rooms, strict=True):
        assert wide(text) <= room


def test_the_middle_of_the_views_name_goes_first():
    titles = [f"Single · {name}" for name in UGLY[:2]]
    assert shown(titles, [300.0, 300.0]) == titles
    assert shown(titles, [130.0, 130.0]) == ["Single · bc…asurements", "Single · bc…rst_errors"]
    first, second = shown(titles, [70.0, 70.0])
    assert first.startswith("Singl")
    assert first.endswith("ents")
    assert second.endswith("ors")


def copies(method: str, *changes: dict) -> list[str]:
    """Titles of panels of one method, each changed in its own way."""
    views = (ViewState(name="fou"), ViewState(name="fac"))
    fresh = [PanelState(id=f"p{i}", method=method) for i in range(len(changes))]
    panels = [panel.model_copy(update=change) for panel, change in zip(fresh, changes, strict=True)]
    return list(panel_titles(DocumentState(views=views, panels=tuple(panels))).values())


def test_copies_of_a_panel_say_what_sets_them_apart():
    rules = [{"pins": {"epsilon:fou": rule}} for rule in ("max-min", "median", "0.5*median", 0.3456)]
    assert copies("single", {}, *rules) == [
        "Single · fou",
        "Single · fou · max-min",
        "Single · fou · median",
        "Single · fou · median × .50",
        "Single · fou · ε 0.346",
    ]
    times = [{"pins": {"t": t, "eta": 0.3}} for t in (1, 8, None)]
    assert copies("multiview", *times[:2]) == ["Multi-view · t 1", "Multi-view · t 8"]
    assert copies("multiview", {}, times[0]) == ["Multi-view", "Multi-view · t 1"]
    pins = {"epsilon:fac": "median", "epsilon:fou": "median"}
    assert copies("multiview", {}, {"pins": pins}, {"pins": {**pins, "epsilon:fac": "max-min"}}) == [
        "Multi-view",
        "Multi-view · median in fou, median in fac",
        "Multi-view · median in fou, max-min in fac",
    ]


def test_copies_that_are_drawn_otherwise_say_so_and_only_equal_ones_are_numbered():
    changes = {"show": "fou"}, {"dims": 3}, {"axes": (2, 3, 4)}, {}, {}
    assert copies("multiview", {}, *changes) == [
        "Multi-view",
        "Multi-view · coordinates of fou",
        "Multi-view · 3-D",
        "Multi-view · axes 3, 4",
        "Multi-view (2)",
        "Multi-view (3)",
    ]
    assert copies("multiview", {"pins": {"t": 8}, "dims": 3}, {}) == ["Multi-view · t 8", "Multi-view"]


def test_a_pin_that_the_method_does_not_take_and_a_shared_value_are_no_difference():
    assert copies("single", {"pins": {"eta": 0.3}}, {}) == ["Single · fou", "Single · fou (2)"]


def test_copies_of_a_panel_are_numbered():
    state = state_of(["fou", "fac", "fou", "fou"])
    assert list(panel_titles(state).values()) == [
        "Single · fou",
        "Single · fac",
        "Single · fou (2)",
        "Single · fou (3)",
    ]
    clash = state_of(["fou", "fou", "fou (2)"])
    assert len(set(panel_titles(clash).values())) == 3


@pytest.fixture
def panels(app, qtbot):
    """Twelve panels of views with ugly names, two of them copies, computing nothing."""
    document = Document()
    controller = Controller(document)
    views = {name: np.zeros((4, 1)) + np.arange(4)[:, None] for name in UGLY[:10]}
    document.data = MultiView(views)
    document.state = commands.initial_state(document.data, ("memory",), None)
    methods = [("single", n) for n in UGLY[:9]] + [("de-sa", None), ("multiview", None), ("multiview", None)]
    document.state = document.state.model_copy(
        update={"panels": tuple(PanelState(id=f"p{i}", method=m, view=v) for i, (m, v) in enumerate(methods))}
    )
    editor = create_autospec(Editor, instance=True)
    editor.state = document.state
    made = []
    for state in document.state.panels:
        panel = Panel(state.id, editor, controller)
        qtbot.addWidget(panel)
        panel.show_state(state, document.state, navigating=False)
        panel.show()
        made.append(panel)
    yield made
    controller.shutdown()


@pytest.mark.parametrize("width", [150, 460, *(pytest.param(w, marks=pytest.mark.nightly) for w in (180, 230, 300))])
def test_twelve_panels_read_differently_at_any_width(app, panels, width):
    for panel in panels:
        panel.resize(width, 200)
    app.processEvents()
    texts = [panel.header.title.text() for panel in panels]
    assert len(set(texts)) == 12, texts
    for panel in panels:
        title = panel.header.title
        assert title.fontMetrics().horizontalAdvance(title.text()) <= title.width() - 8
        full = panel_titles(panel.document)[panel.id]
        assert full in title.toolTip()
        assert title.accessibleName() == full


def test_buttons_give_way_before_words_and_are_in_the_menu(app, panels):
    panel = panels[1]  # Single · bc_worst_errors
    header = panel.header
    seen = []
    for width in range(520, 148, -6):
        panel.resize(width, 200)
        app.processEvents()
        icons = (header.about, header.maximise, header.cross, header.tool)
        seen.append((sum(b.isVisible() for b in icons), header.flat.isVisible(), "…" in header.title.text()))
        assert header.more.isVisible()
        assert header.flat.isVisible() == header.deep.isVisible()
        assert not (header.flip.isVisible() and header.flat.isVisible())
        assert header.flip.isVisible() or header.flat.isVisible() or "…" in header.title.text()
    assert all(before[0] >= after[0] for before, after in pairwise(seen))
    assert seen[0] == (4, True, False)
    assert seen[-1] == (0, False, True)
    assert not any(cut and (icons or both) for icons, both, cut in seen)  # words go last
    texts = [action.text().split("\t")[0] for action in panel.menus.everything().actions()]
    assert any(text.startswith("About ") for text in texts)
    assert {"Navigate tool", "Maximise", "Close", "Two dimensions", "Three dimensions"} <= set(texts)


def test_the_panels_of_a_row_hide_their_buttons_alike(window, rest):
    panels = [window.grid.panels[panel.id] for panel in window.document.state.panels]
    rows = [panels[:3], panels[3:]]
    uneven = False
    for panel in panels:
        panel.header.show_buttons(True)  # as below the pointer
    for width in range(1440, 900, -60):
        window.resize(width, 900)
        rest(window)
        for row in rows:
            icons = [(p.header.about, p.header.maximise, p.header.cross, p.header.tool, p.header.flat) for p in row]
            assert len({tuple(b.isVisible() for b in each) for each in icons}) == 1
            uneven = uneven or len({panel.header._wanted for panel in row}) > 1
            assert not any("…" in p.header.title.text() and p.header.tool.isVisible() for p in row)
    assert uneven  # each for itself would have shown others


def test_the_one_button_of_a_narrow_panel_turns_its_dimensions(app, panels):
    panel = panels[1]
    panel.resize(235, 200)
    app.processEvents()
    assert panel.header.flip.isVisible()
    assert panel.header.flip.text() == "2D"
    panel.header.flip.click()
    panel._editor.set_dims.assert_called_once_with(panel.id, 3)


def test_names_alike_at_both_ends_show_their_middle():
    names = [f"species number {i} with a long name" for i in range(25)]
    found = [told_apart(name, names, i, 126.0, wide) for i, name in enumerate(names, start=1)]
    assert len(set(found)) == 25
    assert all(wide(words) <= 126.0 and f" {i} " in words for i, words in enumerate(found))
    assert told_apart("short", ["short", "shorter"], 1, 126.0, wide) == "short"
    assert told_apart("W" * 40, ["W" * 40, "W" * 41], 3, 70.0, wide).startswith("3 ")


def test_what_all_names_have_in_common_goes_first():
    ids = [f"feature_0000{number}" for number in (100017, 100018, 200017)]
    assert [told_apart(name, ids, i, 90.0, wide) for i, name in enumerate(ids, start=1)] == [
        "…_0000100017",
        "…_0000100018",
        "…_0000200017",
    ]
    assert told_apart(ids[2], ids, 3, 70.0, wide) == "…000200017"
    around = [f"sample_{who}_expression" for who in ("alpha", "beta")]
    assert told_apart(around[0], around, 1, 90.0, wide) == "sample_alpha_…"
    assert told_apart(around[0], around, 1, 70.0, wide) == "…e_alpha_…"
    many = [f"feature_{number:010d}" for number in range(100_000, 100_500)]
    texts = [told_apart(name, many, i, 60.0, wide) for i, name in enumerate(many, start=1)]
    assert len(set(texts)) == 500
    assert texts[17] == "…0100017"
    assert all(wide(words) <= 60.0 for words in texts)


def test_a_name_among_a_million_is_told_by_the_ends_of_all():
    names = [f"run_{number:07d}_left" for number in range(2000)]
    ends = common_ends(names)
    assert ends == (len("run_000"), len("_left"))
    assert told_by_ends("run_0000017_left", ends, 18, 200.0, wide) == "run_0000017_left"
    assert told_by_ends("run_0000017_left", ends, 18, 66.0, wide) == "…000017_l…"
    assert told_by_ends("run_0000017_left", (4, 0), 18, 50.0, wide).startswith("18 ")


def test_an_owner_and_a_name_are_each_told_from_their_like():
    pairs = [(f"all_{view}", f"{name}_of_cells") for view in ("near", "far") for name in ("size", "form")]
    cut = [told_in_two(pair, pairs, 90.0, wide) for pair in pairs]
    assert len({*cut}) == 4
    assert all(wide(owner) + wide(name) <= 90.0 for owner, name in cut)
    assert told_in_two(pairs[0], pairs, 900.0, wide) == pairs[0]
    assert told_in_two(("all_near", "size_of_cells"), pairs, 112.0, wide)[1] == "size_of_cells"  # as long as both tell


def test_steps_asked_for_while_buttons_are_hidden_are_the_ones_taken(window, rest):
    """Hiding a button may lay out the row, which then asks for other steps: half of each would be shown."""
    rest(window)
    header = next(iter(window.grid.panels.values())).header
    at_hand, header.at_hand = header.at_hand, True  # wherever keys and pointer are: else no button is visible
    before, first = header._taken, header._steps[0][0]
    show, asked = first.setVisible, [0]

    def show_and_ask(visible: bool) -> None:
        show(visible)
        if asked:
            header._hide(asked.pop())

    first.setVisible = show_and_ask
    try:
        header._hide(6)
        assert not header.flip.isVisible() or not header.flat.isVisible()
        assert header._taken == 0
        assert {b for step in header._steps for b in step if b.isVisible()} == header._left(0) - {header.more}
    finally:
        first.setVisible, header.at_hand = show, at_hand
        header._hide(before)


def test_what_differs_from_the_paper_goes_first_where_there_is_no_room():
    bare, words = "Kernel sum", "correlation, without loops, unit rows, r 12"
    title, others = f"{bare} · {words}", ["Single · fou", "de Sa"]
    fitted = [with_fewer_words(title, len(bare), others, room, wide) for room in (1000, 240, 170, 90, 40)]
    assert fitted == ["", f"{bare} · correlation, without loops …", f"{bare} · correlation …", f"{bare} …", ""]
    assert with_fewer_words(title, len(bare), [bare], 90, wide) == ""
    assert with_fewer_words(title, len(bare), [bare], 170, wide) == f"{bare} · correlation …"
    assert with_fewer_words(title, len(title), others, 90, wide) == ""
