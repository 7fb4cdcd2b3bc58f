"""Own work outlives the opening of something else: it can be continued at the next start."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from windows import submenus

from mvexplorer.state.session.kept import KEPT, kept_work
from mvexplorer.state.session.kept_picture import picture_path
from mvexplorer.state.session.settings import last_session_path
from mvexplorer.ui.widgets import dialogs
from mvexplorer.ui.window.start.tile import StartTile

pytestmark = pytest.mark.panels(3)


@pytest.fixture
def files(tmp_path):
    """Three tables of one's own."""
    paths = [tmp_path / f"{name}.csv" for name in ("mine", "other", "third")]
    for seed, path in enumerate(paths):
        values = np.random.default_rng(seed).normal(size=(24, 3))
        np.savetxt(path, values, delimiter=",", header="a,b,c", comments="")
    return [(str(path),) for path in paths]


@pytest.fixture
def start(make_window, rest, monkeypatch):
    """Opens windows that keep their work; a question at their end is answered by “Discard changes”."""
    monkeypatch.setattr(dialogs, "choose", lambda *_: 1)
    return lambda: make_window((900, 640), keep=True)


def name_a_selection(window, rest, name="odd ones", samples=(1, 3, 5)):
    window.editor.select(samples)
    window.editor.keep_selection(name)
    rest(window)


def offered(window) -> list[StartTile]:
    """The tiles that continue earlier work, the user's own first."""
    return [*window.start.work.tiles, *window.start.seen.tiles]


def heads(tiles) -> list[str]:
    """The first words of some tiles."""
    return [tile.words.head for tile in tiles]


def selections(window) -> dict[str, tuple[int, ...]]:
    return {each.name: each.samples for each in window.document.state.selections.named}


@pytest.mark.nightly
def test_a_named_selection_outlives_another_file_and_the_end(start, rest, files):
    window = start()
    window.library.open_source(files[0])
    rest(window)
    window.editor.select((1, 3, 5))
    window.editor.keep_selection("odd ones")
    window.library.open_source(files[1])  # before the hand has rested
    rest(window)
    assert not selections(window)
    window.close()
    again = start()
    pictures = [tile.picture.images() for tile in offered(again)]
    assert [len(images) for images in pictures] == [1, 1]
    assert pictures[0] != pictures[1]
    assert heads(again.start.work.tiles) == ["mine.csv"]
    assert heads(again.start.seen.tiles) == ["other.csv"]  # it was looked at only
    QTest.mouseClick(offered(again)[0], Qt.MouseButton.LeftButton)
    rest(again)
    assert again.document.state.source == files[0]
    assert selections(again) == {"odd ones": (1, 3, 5)}


@pytest.mark.nightly
def test_work_that_was_continued_outlives_another_file(start, rest, files):
    window = start()
    window.library.open_source(files[0])
    rest(window)
    name_a_selection(window, rest)
    window.close()
    window = start()
    QTest.mouseClick(offered(window)[0], Qt.MouseButton.LeftButton)
    rest(window)
    assert not window.document.dirty
    window.library.open_source(files[1])
    rest(window)
    window.close()
    window = start()
    assert len(offered(window)) == 2
    QTest.mouseClick(offered(window)[0], Qt.MouseButton.LeftButton)
    rest(window)
    assert selections(window) == {"odd ones": (1, 3, 5)}


@pytest.mark.nightly
def test_what_nothing_was_done_with_is_not_set_aside_and_nothing_twice(start, rest, files):
    window = start()
    for source in files:
        window.library.open_source(source)
        rest(window)
    assert len(kept_work(KEPT)) == 1
    name_a_selection(window, rest)
    for _ in range(3):
        window.library.open_source(files[0])
        rest(window)
        window.document.undo()
        rest(window)
    assert selections(window) == {"odd ones": (1, 3, 5)}
    window.close()
    assert [work.about.title for work in kept_work(KEPT)] == ["third.csv"]


def test_what_is_in_a_file_of_the_users_is_not_set_aside(start, rest, files, tmp_path):
    window = start()
    window.library.open_source(files[0])
    rest(window)
    name_a_selection(window, rest)
    assert window.library.write(tmp_path / "work.mvx.json")
    window.library.open_source(files[1])
    rest(window)
    assert len(kept_work(KEPT)) == 1


def test_earlier_work_is_continued_from_the_menu_too(start, rest, files):
    window = start()
    window.library.open_source(files[0])
    rest(window)
    name_a_selection(window, rest)
    window.library.open_source(files[1])
    rest(window)
    menu = window.actions_table.menus["File"]
    menu.aboutToShow.emit()
    earlier = submenus(menu)["Continue earlier work"]
    (entry,) = earlier.actions()
    assert entry.text().startswith("mine")
    entry.trigger()
    rest(window)
    assert selections(window) == {"odd ones": (1, 3, 5)}


def test_earlier_work_goes_only_by_an_explicit_choice(start, rest, files, monkeypatch):
    window = start()
    window.library.open_source(files[0])
    rest(window)
    name_a_selection(window, rest)
    window.close()
    window = start()
    (choice,) = window.start.work.tiles
    assert "selection odd ones" in choice.accessibleName()
    assert picture_path(last_session_path()).is_file()
    asked = []
    monkeypatch.setattr(dialogs, "choose", lambda *given: asked.append(given[2]) or len(asked) - 1)
    delete = choice.findChild(QToolButton, "delete")
    QTest.mouseClick(delete, Qt.MouseButton.LeftButton)  # Keep
    assert offered(window) == [choice]
    assert len(kept_work(9)) == 1
    QTest.mouseClick(delete, Qt.MouseButton.LeftButton)  # Delete
    assert "it is in no other file" in asked[1]
    assert choice.isHidden()
    assert window.start.work.tiles == []
    assert kept_work(9) == []
    assert not picture_path(last_session_path()).exists()


@pytest.mark.parametrize(
    "key",
    [
        Qt.Key.Key_Return,
        *(pytest.param(key, marks=pytest.mark.nightly) for key in (Qt.Key.Key_Enter, Qt.Key.Key_Space)),
    ],
)
def test_return_opens_what_is_in_focus_on_the_start_page(start, rest, files, key):
    window = start()
    window.library.open_source(files[0])
    rest(window)
    window.close()
    window = start()
    QTest.keyClick(offered(window)[0], key)
    rest(window)
    assert window.document.state.source == files[0]
