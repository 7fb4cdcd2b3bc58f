"""Where work goes, on the page Tasks: the choice, the question, what is said; nothing connects unasked."""

from threading import Event

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from windows import PATIENCE_MS

from mvexplorer.compute.remote import remote_dask
from mvexplorer.compute.remote.remote import Where, WorkerState
from mvexplorer.errors import ComputeError
from mvexplorer.state.pictures.workplace import Workplace
from mvexplorer.state.session.session import session_content
from mvexplorer.state.session.settings import Settings
from mvexplorer.ui.pages.tasks.where_pane import HERE, LOCAL, OTHER, WherePane

pytestmark = pytest.mark.panels(3)

FAR = "tcp://192.0.2.7:8786"


class Far:
    """Workers that only say how they are."""

    def __init__(self, title):
        self.title, self.threads, self.asked, self.closed = title, 3, 0, Event()

    def look(self):
        self.asked += 1

    def where(self):
        return Where(self.title, True, (
            WorkerState("tcp://10.0.0.2:4711", 2, 300 << 20, 2 << 30, ("Multi-view", "Kernel sum")),
            WorkerState("tcp://10.0.0.1:4711", 1, 100 << 20, 2 << 30),
        ))  # fmt: skip

    def close(self):
        self.closed.set()


@pytest.fixture
def reached(monkeypatch):
    """The connections that were made, and whether they may be."""
    made = []

    def workers_at(where, *, allow_plain_tcp=False):
        made.append((where, allow_plain_tcp))
        if where == "tcp://127.0.0.1:1":
            raise ComputeError(f"No Dask scheduler answers at {where}.", "Check the address.")
        return Far(where)

    monkeypatch.setattr(remote_dask, "workers_at", workers_at)
    return made


@pytest.fixture
def pane(app, qtbot, window):
    """The pane of a page of its own, with workers of its own."""
    workplace = Workplace(window.bridge.post, lambda: None)
    made = WherePane(workplace)
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    made.there = workplace
    yield made
    workplace.shutdown()


def choose(pane, value):
    pane.box.setCurrentIndex(pane.box.findData(value))
    pane.box.activated.emit(pane.box.currentIndex())


def write(pane, address):
    choose(pane, OTHER)
    pane.field.clear()
    QTest.keyClicks(pane.field, address)
    QTest.keyClick(pane.field, Qt.Key.Key_Return)


def settled(qtbot, pane):
    qtbot.waitUntil(lambda: not pane.there.connecting, timeout=PATIENCE_MS)


def test_at_first_all_is_computed_here_and_nobody_is_asked(pane, reached):
    assert [pane.box.itemData(i) for i in range(pane.box.count())] == ["", LOCAL, OTHER]
    assert (pane.box.value, pane.words.text()) == ("", HERE)
    assert not pane._address.isVisible()
    assert reached == []


def test_workers_are_listed_with_what_they_do_and_asked_only_while_that_is_seen(pane, qtbot, reached):
    choose(pane, LOCAL)
    qtbot.waitUntil(lambda: len(pane._rows) == 2, timeout=PATIENCE_MS)
    assert reached == [(LOCAL, False)]
    assert pane.box.value == LOCAL
    assert "2 workers with 3 threads" in pane.words.text()
    assert [(row.name._words, row.memory.text(), row.does._words) for row in pane._rows] == [
        ("Worker tcp://10.0.0.1:4711", "100 MB of 2.00 GB", "Waits for work"),
        ("Worker tcp://10.0.0.2:4711, 2 threads", "300 MB of 2.00 GB", "Multi-view, Kernel sum"),
    ]
    assert pane._often.isActive()
    pane.hide()
    assert not pane._often.isActive()
    far = pane.there.workers
    pane.show()
    choose(pane, "")
    assert (pane.there.workers, pane._rows, pane.words.text()) == (None, [], HERE)
    assert far.closed.wait(10.0)


def test_an_address_that_is_not_safe_is_asked_about_and_says_why(pane, qtbot, reached):
    write(pane, FAR)
    qtbot.waitUntil(pane.question.isVisible, timeout=PATIENCE_MS)
    assert pane.words.text().startswith(f"{FAR} is neither encrypted nor on this computer. Whoever can reach that")
    assert (reached, pane.there.workers) == ([], None)
    pane.stay.click()
    assert not pane.question.isVisible()
    assert pane.field.text() == FAR  # to be mended
    pane.connect_button.click()
    qtbot.waitUntil(pane.question.isVisible, timeout=PATIENCE_MS)
    pane.agree.click()
    qtbot.waitUntil(lambda: pane.there.workers is not None, timeout=PATIENCE_MS)
    assert reached == [(FAR, True)]
    assert (pane.box.value, pane.question.isVisible(), pane._address.isVisible()) == (FAR, False, False)
    choose(pane, "")
    choose(pane, FAR)  # agreed once is not agreed for ever
    qtbot.waitUntil(pane.question.isVisible, timeout=PATIENCE_MS)
    assert len(reached) == 1


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "tcp://localhost:8786", "tls://192.0.2.7:8786"])
def test_loopback_and_tls_need_no_question(pane, qtbot, reached, address):
    write(pane, address)
    qtbot.waitUntil(lambda: pane.there.workers is not None, timeout=PATIENCE_MS)
    assert reached == [(address, False)]
    assert pane.box.value == address
    assert pane.there.recent == (address,)


@pytest.mark.parametrize(
    ("address", "sentence"),
    [("tcp://127.0.0.1:1", "No Dask scheduler answers at tcp://127.0.0.1:1."),
     ("nowhere", "“nowhere” is no cluster."), ("tcp://", "“tcp://” is no address of a scheduler."),
     ("local:0", "0 processes compute nothing."), (__file__, f"“{__file__}” is no scheduler file.")],
)  # fmt: skip
def test_what_is_no_cluster_is_told_and_all_stays_here(pane, qtbot, reached, address, sentence):
    write(pane, address)
    settled(qtbot, pane)
    assert pane.words.text().startswith(sentence)
    assert pane.words.property("role") == "error"
    assert (pane.there.workers, pane.field.text(), pane._address.isVisible()) == (None, address, True)
    choose(pane, "")
    assert (pane.words.text(), pane.words.property("role")) == (HERE, "muted")


def test_a_wrong_address_leaves_the_workers_that_there_are(pane, qtbot, reached):
    write(pane, "tcp://127.0.0.1:8786")
    qtbot.waitUntil(lambda: pane.there.workers is not None, timeout=PATIENCE_MS)
    far = pane.there.workers
    write(pane, "tcp://127.0.0.1:1")
    settled(qtbot, pane)
    assert (pane.there.workers, pane.there.choice) == (far, "tcp://127.0.0.1:8786")


def test_who_chooses_again_meanwhile_gets_the_last_choice(pane, qtbot, monkeypatch):
    made, go = {}, Event()

    def slowly(where, **_):
        made[where] = Far(where)
        if where == LOCAL:
            assert go.wait(30.0)
        return made[where]

    monkeypatch.setattr(remote_dask, "workers_at", slowly)
    choose(pane, LOCAL)
    assert pane.words.text() == "Starting processes …"
    write(pane, "tcp://127.0.0.1:8786")
    qtbot.waitUntil(lambda: pane.there.workers is not None, timeout=PATIENCE_MS)
    go.set()
    qtbot.waitUntil(made[LOCAL].closed.is_set, timeout=PATIENCE_MS)
    assert pane.there.workers is made["tcp://127.0.0.1:8786"]


def test_lost_workers_are_told_in_the_window_and_the_pane(window, qtbot, reached):
    there = window.controller.workplace
    there._take(Far("2 processes"), LOCAL)
    pane = window.bottom.show_page("tasks").where
    there._gone(there.workers, "2 processes are gone: the work goes on on this computer.")
    assert window.banners.texts() == ["2 processes are gone: the work goes on on this computer."]
    assert pane.words.text() == "2 processes are gone: the work goes on on this computer."
    choose(pane, "")
    assert pane.words.text() == HERE
    window.banners.withdraw("workers")


def test_the_choice_is_of_this_sitting(window, make_window, rest, reached, monkeypatch):
    there = window.controller.workplace
    there._take(Far(FAR), FAR)
    try:
        told = session_content(window.document.state, window.document.data, "", {}).model_dump_json()
        assert FAR not in told
        assert "elsewhere" not in told
        assert not [name for name in Settings.model_fields if "cluster" in name or "where" in name]
    finally:
        there.choose("")
    for name in ("DASK_SCHEDULER_ADDRESS", "DASK_DISTRIBUTED__SCHEDULER__ADDRESS", "MVEXPLORER_CLUSTER"):
        monkeypatch.setenv(name, FAR)
    other = make_window()
    other.bottom.show_page("tasks")
    rest(other)
    assert other.controller.workplace.workers is None
    assert reached == []
