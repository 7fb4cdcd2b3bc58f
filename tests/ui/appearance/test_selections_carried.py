"""Named selections and the kept sample find their samples in other data by id, and nothing by chance."""

from __future__ import annotations

import numpy as np
import pytest
from windows import PATIENCE_MS

from mvexplorer.engine.core.multiview import MultiView, known_ids
from mvexplorer.state.document.commands import initial_state
from mvexplorer.state.session.carrying import carried_over

pytestmark = pytest.mark.panels(3)

ANGLE = np.linspace(0.0, 6.0, 20, endpoint=False)


def table(path, ids, shift=0.0):
    """A file of a ring whose samples have names; `ids` None for none."""
    rows = zip(ids or [""] * len(ANGLE), np.cos(ANGLE + shift), np.sin(ANGLE + shift), strict=True)
    lines = [",".join(filter(None, (name, f"{x:.6f}", f"{y:.6f}"))) for name, x, y in rows]
    path.write_text("\n".join([("id,u,v" if ids else "u,v"), *lines]) + "\n")
    return str(path)


@pytest.fixture
def opened(window, qtbot, rest):
    """Opens a file in the window as the menu does."""

    def open_file(*files):
        before = window.document.data
        window.library.open_files(files)
        qtbot.waitUntil(lambda: window.document.data is not before, timeout=PATIENCE_MS)
        rest(window)

    return open_file


def select_and_keep(window, **named):
    for name, samples in named.items():
        window.editor.select(samples, origin=name)
        assert window.editor.keep_selection(name)


def test_selections_and_the_kept_sample_are_found_by_id(window, opened, tmp_path):
    first = [f"t{i:02d}" for i in range(20)]
    opened(table(tmp_path / "day1.csv", first))
    select_and_keep(window, early=[0, 1], late=[18, 19], mixed=[1, 19])
    window.editor.recolour_selection("late", 5)
    window.editor.keep_sample(19)
    opened(table(tmp_path / "day2.csv", [f"t{i:02d}" for i in range(35, 15, -1)], 0.3))
    state = window.document.state
    assert {s.name: s.samples for s in state.selections.named} == {"late": (16, 17), "mixed": (16,)}
    assert (state.selections.find("late").colour, state.point.kept, state.selection) == (5, 16, ())
    line = ("2 of 3 selections carried over by id; early has no sample here; mixed keeps 1 of 2 samples; "
            "the kept sample t19 is here too.")  # fmt: skip
    assert line in window.banners.texts()
    window.document.undo()
    assert len(window.document.state.selections.named) == 3
    assert line not in window.banners.texts()


def test_rows_without_ids_are_no_samples_of_other_data(window, opened, tmp_path):
    one, other = table(tmp_path / "one.csv", None), table(tmp_path / "other.csv", None, 0.3)
    opened(one)
    select_and_keep(window, early=[0, 1])
    window.editor.keep_sample(3)
    opened(one)  # the same data again
    state = window.document.state
    assert (state.selections.find("early").samples, state.point.kept) == ((0, 1), 3)
    assert "Carried over: 1 selection and the kept sample; the data is the same." in window.banners.texts()
    opened(other)
    assert (window.document.state.selections.named, window.document.state.point.kept) == ((), None)
    (line,) = [text for text in window.banners.texts() if "carried over" in text]
    assert line == ("Not carried over: 1 selection and the kept sample. No ids tell which samples are the same. "
                    "Undo brings them back.")  # fmt: skip
    window.document.undo()
    assert window.document.state.selections.names == ("early",)


@pytest.mark.parametrize("ids", [None, known_ids(["same"] * 20)], ids=["numbers", "no two apart"])
def test_ids_that_tell_nothing_carry_nothing(ids):
    named = MultiView({"ring": np.column_stack([ANGLE, ANGLE])}, sample_ids=[f"s{i}" for i in range(20)])
    blind = named.replace(sample_ids=ids, Xs=[named.Xs[0] + 1.0])
    state = initial_state(named, ("a",), None)
    state = state.model_copy(update={"point": state.point.model_copy(update={"kept": 2})})
    after, words = carried_over(state, named, initial_state(blind, ("b",), None), blind)
    assert after.point.kept is None
    assert words.startswith("Not carried over: the kept sample.")
