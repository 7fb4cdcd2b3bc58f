"""Opening and saving without a window: what is told, asked, remembered and kept."""

import numpy as np
import pytest
from desk import Desk

from mvexplorer.io.base.options import ReadOptions
from mvexplorer.state.session.kept import kept_work
from mvexplorer.state.session.kept_picture import picture_path
from mvexplorer.state.session.session import open_session
from mvexplorer.state.session.session_file import holds_own_work
from mvexplorer.state.session.settings import HOME_VARIABLE, last_session_path, read_settings


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))


@pytest.fixture
def make():
    made = []

    def new(**options):
        made.append(Desk(**options))
        return made[-1]

    yield new
    for desk in made:
        desk.close()


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "ring.csv"
    angle = np.linspace(0.0, 2 * np.pi, 24, endpoint=False)
    rows = [f"{np.cos(a):.6f},{np.sin(a):.6f},{'ab'[i % 2]},{'cde'[i % 3]}" for i, a in enumerate(angle)]
    path.write_text("u,v,kind,site\n" + "\n".join(rows) + "\n")
    return path


def test_a_file_is_opened_remembered_and_asked_about(make, table):
    desk = make()
    assert desk.library.title == ""
    desk.open(table)
    assert desk.document.data.n_samples == 24
    assert desk.opened == [{}]
    assert desk.library.title == "ring.csv"
    assert desk.document.undo_label is None
    assert read_settings()[0].recent == desk.library.recent == ((str(table),),)
    (message,) = [m for m in desk.told if m.offers]
    assert [words for words, _ in message.offers] == ["Use “kind” as the label", "Use “site” as the label"]
    message.offers[0][1]()
    assert desk.document.data.labels is not None
    assert desk.library.title == "ring.csv*"


def test_an_order_of_dates_chosen_in_a_message_is_told_and_undone_by_its_name(make, tmp_path):
    rows = [f"{1 + k % 6:02d}/{1 + k % 3:02d}/2024,{k},{k * k % 7}" for k in range(18)]
    (tmp_path / "visits.csv").write_text("\n".join(["visit,a,b", *rows]), "utf-8")
    desk = make()
    desk.open(tmp_path / "visits.csv")
    (choose,) = [do for m in desk.told for words, do in m.offers if words == "Month first"]
    desk.told.clear()
    choose()
    desk.turn_until(lambda: desk.document.state.reading.dates == "month-first")
    told = desk.told[0]
    assert told.text == "“visit” reads the month first: 04/01/2024 is 2024-04-01."
    assert told.first
    assert desk.document.undo_label == "Month first"
    ((words, undo),) = told.offers
    assert words == "Undo"
    undo()
    assert desk.document.state.reading.dates is None


def test_how_a_file_is_read_is_kept_whoever_chose_it(make, table, tmp_path):
    other = tmp_path / "more.csv"
    other.write_text("w\n" + "\n".join(str(i * i % 11) for i in range(24)) + "\n")
    desk, files = make(), (str(table), str(other))
    desk.library.imports.answers = True  # as in a window

    def last(*order):
        return desk.library.imports.last_reading(order)

    desk.open(*files)
    assert last(*files) is None
    desk.bench.editor.use_as_label("kind")  # the offer's button
    desk.bench.editor.set_preprocess("more", "zscore")
    assert last(*files).reading == ReadOptions(labels="kind", preprocess=("none", "zscore"))
    session = tmp_path / "a.mvx.json"
    assert desk.library.write(session)
    desk.document.undo()
    desk.document.undo()
    assert last(*files) is None
    desk.library.open_session(session)
    desk.turn_until(lambda: desk.document.data.labels is not None)
    assert last(*files).reading.labels == "kind"
    assert last("a\0b") is None
    again = make()
    again.bench.settings, again.library.imports.answers = read_settings()[0], True
    again.open(*reversed(files))
    assert again.document.data.labels is not None
    assert again.document.data.view_names == ("ring", "more")
    assert again.document.data.preprocess == ("none", "zscore")
    assert "Read as last time." in [message.text for message in again.told]
    again.library.open_source(files, ReadOptions(labels="site"))  # as a flag says
    again.turn_until(lambda: again.document.state.reading.labels == "site")
    assert read_settings()[0].reading_of(files).reading.labels == "site"


def opened_by_page(desk, *files, **roles):
    """Open files by the import page, with these roles given to their columns."""
    desk.open(*files)
    desk.library.imports.begin_again()
    desk.rest()
    page = desk.library.imports.present
    for name, role in roles.items():
        page.set_role([item for item in page.items if item.name == name], role)
        desk.rest()
    page.open()
    return desk.document.state


@pytest.mark.parametrize(
    ("roles", "colour"),
    [
        ({}, "labels"),
        ({"site": "colour"}, "column:site"),
        ({"w": "colour"}, "column:w"),
        ({"class": "colour"}, "column:class"),  # it is no label any more
        ({"site": "label"}, "labels"),  # for which the column class becomes a colouring unasked
        ({"site": "label", "w": "colour"}, "column:w"),
        ({"site": "id"}, "labels"),
        ({"w": "ignore"}, "labels"),
    ],
)
def test_a_column_that_is_given_for_colouring_colours_the_data_that_open(make, tmp_path, roles, colour):
    path, desk = tmp_path / "ring.csv", make()
    rows = [f"S{i:02d},{i * i % 7},{i % 5},{i * i % 11},{'ab'[i % 2]},{'cde'[i % 3]}{i}" for i in range(24)]
    path.write_text("id,u,v,w,class,site\n" + "\n".join(rows) + "\n")
    desk.library.imports.answers = True
    assert opened_by_page(desk, path, **roles).colour == colour


def test_a_column_that_two_files_have_colours_by_the_right_one_or_none(make, tmp_path):
    for name, first in (("one", "abc"), ("two", "xyz")):
        rows = [f"S{i:02d},{i * i % 7},{i % 5},{first[i % 3]}" for i in range(24)]
        (tmp_path / f"{name}.csv").write_text("id,u,v,batch\n" + "\n".join(rows) + "\n")
    desk, files = make(), (tmp_path / "one.csv", tmp_path / "two.csv")
    desk.library.imports.answers = True
    assert opened_by_page(desk, *files, batch="colour").colour == ""  # both were given


def test_files_that_open_at_once_are_told_with_what_was_decided(make, table, tmp_path):
    desk, other = make(), tmp_path / "more.csv"
    other.write_text("w,x\n" + "\n".join(f"{i * i % 11},{i % 4}" for i in range(24)) + "\n")
    desk.library.imports.answers = True
    desk.open(table, other)
    message = desk.told[0]
    told = "Opened 24 samples in 2 views: ring (2 columns) and more (2 columns)."
    assert message.text.startswith(f"{told} No column names the samples in every file, so the rows were paired by")
    assert (message.level, message.of_data) == ("info", True)
    words, leads = message.offers[0]
    assert words == "Change how this was read"
    leads()
    assert desk.library.imports.present is not None
    desk.rest()


def test_ids_label_and_many_views_are_told_in_few_words(make, tmp_path):
    desk, paths = make(), []
    for k in range(5):
        rows = [f"P{i:02d},{i * (k + 2) % 7},{i % 5},{i * i % 11}" for i in range(24)]
        lines = [f"patient,u{k},v{k},w{k}", *rows]
        if k == 0:
            lines = [f"{line},{word}" for line, word in zip(lines, ["class", *"ab" * 12], strict=True)]
        paths.append(tmp_path / f"t{k}.csv")
        paths[-1].write_text("\n".join(lines) + "\n")
    desk.library.imports.answers = True
    desk.open(*paths)
    shown = "t0 (3 columns), t1 (3 columns), t2 (3 columns) and 2 more"
    assert desk.told[0].text.startswith(
        f"Opened 24 samples in 5 views, joined by “patient”: {shown}; labelled by “class”."
    )
    desk.open(paths[1])
    last = [message.text for message in desk.told if message.text.startswith("Opened")][-1]
    assert last.startswith("Opened 24 samples in 1 view, named by “patient”: t1 (3 columns).")


def test_a_header_that_names_the_samples_is_told_in_whole(make, tmp_path):
    desk, drawn = make(), np.random.default_rng(0).normal(size=(24, 9)).round(3)
    ids = [f"P{i:02d}" for i in range(24)]
    lines = ["gene," + ",".join(ids), *(f"g{j}," + ",".join(map(str, column)) for j, column in enumerate(drawn.T))]
    (tmp_path / "turned.csv").write_text("\n".join(lines) + "\n")
    lines = ["patient,u,v", *(f"{name},{a},{b}" for name, (a, b) in zip(ids, drawn[:, :2], strict=True))]
    (tmp_path / "plain.csv").write_text("\n".join(lines) + "\n")
    desk.library.imports.answers = True
    desk.open(tmp_path / "plain.csv", tmp_path / "turned.csv")
    if desk.library.imports.present is not None:
        desk.library.imports.present.open()
    text = desk.told[0].text
    assert text.startswith("Opened 24 samples in 2 views: plain (2 columns) and turned (9 columns). ")
    assert "the header of turned.csv were taken as the samples' names" in text


def test_files_that_the_page_was_asked_about_open_without_these_words(make, table):
    desk = make()
    desk.library.imports.answers = True
    desk.open(table)
    assert any(message.text.startswith("Opened 24 samples") for message in desk.told)
    desk.told.clear()
    desk.library.imports.begin_again()
    desk.rest()
    desk.library.imports.present.open()
    assert not any(message.text.startswith("Opened") for message in desk.told)


def test_missing_numbers_are_refused_with_an_offer(make, tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("u,v\n" + "\n".join(["1,nan", *(f"{i},{i * i % 7}" for i in range(20))]) + "\n")
    desk = make(keeps=False)
    desk.open(path)
    assert desk.document.data is None
    assert len(desk.refused) == 1
    (words, drop), *others = desk.told[-1].offers
    assert words == "Drop 1 row"
    assert [words for words, _ in others] == ["Fill in medians", "Fill in from nearest samples"]
    drop()
    desk.turn_until(lambda: desk.opened)
    assert desk.document.data.n_samples == 20
    others[0][1]()
    desk.turn_until(lambda: desk.document.data.n_samples == 21)
    assert desk.document.data.Xs[0][0].tolist() == [1, 2]  # the median of 0, 1, 4, 2, 2, 4, 1, which recur
    assert desk.document.state.reading.missing == "median"


def test_a_session_stands_alone(make, table, tmp_path):
    desk = make(keeps=False)
    desk.library.open_files((str(tmp_path / "a.mvx.json"), str(table)))
    assert desk.told[-1].text == "A session cannot be opened together with other files."


def test_saving_asks_where_and_the_session_comes_back_with_its_cameras(make, table, tmp_path):
    desk, path = make(), tmp_path / "mine.mvx.json"
    assert not desk.library.save()  # nobody said where
    desk.library.ask_path = lambda start: path
    assert not desk.library.save()  # there is nothing to save
    assert desk.told[-1].text == "There is nothing to save."
    desk.open(table)
    desk.bench.editor.set_param("t", 5)
    turned = ((0.0, 1.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    desk.library.cameras = lambda: {"p1": turned}
    assert desk.library.save()
    assert desk.library.title == "ring.csv · mine"
    again = make()
    again.open(path)
    assert again.opened == [{"p1": turned}]
    assert again.document.state.params["t"] == 5
    assert again.library.session_path == path
    assert read_settings()[0].recent[0] == (str(path),)


@pytest.mark.parametrize(("answer", "goes", "saves"), [(True, True, True), (False, True, False), (None, False, False)])
def test_unsaved_work_goes_only_when_it_may(make, table, tmp_path, answer, goes, saves):
    desk, path, asked = make(keeps=False), tmp_path / "mine.mvx.json", []
    desk.open(table)
    assert desk.library.may_lose("close")
    desk.bench.editor.set_param("t", 5)
    desk.library.ask_save = lambda what: asked.append(what) or answer
    desk.library.ask_path = lambda start: path
    assert desk.library.may_close() is goes
    assert asked == ["close"]
    assert path.exists() is saves


def test_what_others_wrote_is_not_replaced_unasked(make, table, tmp_path):
    desk, path = make(keeps=False), tmp_path / "mine.mvx.json"
    desk.open(table)
    assert desk.library.write(path)
    theirs = path.read_text().replace('"t":', '"t" :')
    path.write_text(theirs)
    assert not desk.library.save()
    assert path.read_text() == theirs
    desk.library.look_at_file()
    first, second = desk.file[-2:]
    assert first is second  # one message, not two
    assert "changed by another window or program" in first.text
    dict(first.offers)["Replace it by mine"]()
    assert desk.file[-1] is None
    assert path.read_text() != theirs
    path.unlink()
    desk.library.look_at_file()
    assert "no longer where it was" in desk.file[-1].text


def test_data_that_changed_is_told_and_can_be_opened_anyway(make, table, tmp_path):
    desk, path = make(keeps=False), tmp_path / "mine.mvx.json"
    desk.open(table)
    assert desk.library.write(path)
    table.write_text(table.read_text().replace("1.000000", "1.500000", 1))
    again = make(keeps=False)
    again.open(path)
    assert again.document.data is None
    dict(again.told[-1].offers)["Open anyway"]()
    again.turn_until(lambda: again.opened)
    assert again.document.data.n_samples == 24


def test_work_is_kept_in_time_and_can_be_continued(make, table):
    desk = make()
    desk.open(table)
    assert desk.clock.running
    desk.library.autosave.keep()  # the clock ran out
    assert not desk.clock.running
    desk.rest()
    desk.bench.editor.set_param("t", 7)
    assert desk.clock.running
    desk.library.autosave.finish()
    desk.library.autosave.stop()
    assert open_session(last_session_path()).state.params["t"] == 7
    next_one = make()
    assert next_one.library.kept == kept_work(1)
    next_one.library.continue_last()
    next_one.turn_until(lambda: next_one.opened)
    assert next_one.document.state.params["t"] == 7
    assert next_one.library.session_path is None
    next_one.rest()
    next_one.bench.editor.set_param("t", 8)
    next_one.library.autosave.finish()
    assert len(kept_work(8)) == 1  # in the same file


def test_selections_with_names_are_kept_at_once(make, table):
    desk, kept = make(), []
    desk.library.autosave.kept.connect(kept.append)
    desk.open(table)
    desk.rest()
    edits = (
        lambda: desk.bench.editor.keep_selection("odd ones"),
        lambda: desk.bench.editor.rename_selection("odd ones", "strange ones"),
        lambda: desk.bench.editor.delete_selections(("strange ones",)),
    )
    desk.bench.editor.select((1, 3, 5))
    for edit, names in zip(edits, (("odd ones",), ("strange ones",), ()), strict=True):
        edit()
        assert not desk.clock.running  # it does not wait
        desk.turn_until(lambda: kept and kept[-1] is desk.document.state)
        assert open_session(last_session_path()).state.selections.names == names


class Painted:
    """A picture of data with this title, as a window would take it."""

    def __init__(self, title):
        self.title = title

    def png(self):
        return self.title.encode()


def test_a_picture_is_painted_when_the_hand_rests_and_is_never_of_other_data(make, table):
    desk, taken, picture = make(), [], picture_path(last_session_path())
    autosave = desk.library.autosave

    def take():
        taken.append(desk.library.data_title)
        return Painted(taken[-1])

    autosave.picture = take
    desk.open(table)
    desk.bench.editor.set_param("t", 7)
    autosave.keep()  # in the middle of a drag
    desk.rest()
    assert taken == []
    assert not picture.exists()
    autosave.rest()
    desk.rest()
    title = desk.library.data_title
    assert picture.read_bytes() == title.encode()
    desk.bench.editor.set_param("t", 8)
    autosave.keep()
    desk.rest()
    assert picture.read_bytes() == title.encode()  # of the same data: better than none
    desk.open("helix-b")
    desk.rest()
    assert [path.read_bytes() for path in picture.parent.glob("last-*.png")] == [title.encode()]  # set aside with it
    autosave.picture = lambda: None  # its panels are not there yet
    autosave.rest()
    desk.rest()
    assert not picture.exists()
    autosave.picture = take
    autosave.finish()
    assert picture.read_bytes() == desk.library.data_title.encode()


def marked_as_own(make, *steps):
    """Whether what a desk keeps after some steps counts as the user's own work."""
    desk = make()
    for step in steps:
        step(desk)
        desk.rest()
    desk.library.autosave.finish()
    own = holds_own_work(last_session_path())
    desk.library.autosave.stop()
    return own


def test_edits_of_own_data_and_named_selections_are_own_work(make, table):
    def open_own(desk):
        desk.open(table)

    def open_sample(desk):
        desk.open("helix-a")

    def edit(desk):
        desk.bench.editor.set_param("t", 7)

    def name(desk):
        desk.bench.editor.select((1, 3, 5))
        desk.bench.editor.keep_selection("odd ones")

    def go_on(desk):
        desk.library.continue_last()
        desk.turn_until(lambda: desk.opened)

    assert not marked_as_own(make, open_own)
    assert not marked_as_own(make, go_on)  # it was looked at again
    assert marked_as_own(make, open_own, edit)
    assert marked_as_own(make, go_on)
    assert not marked_as_own(make, open_sample, edit)
    assert marked_as_own(make, open_sample, name)


def test_nothing_is_kept_of_a_workbench_that_leaves_no_trace(make, table, tmp_path):
    desk = make(keeps=False)
    desk.open(table)
    assert not desk.clock.running
    desk.library.autosave.keep()
    desk.rest()
    assert not (tmp_path / "home").exists()


def test_a_disk_that_refuses_is_told_once_and_passes(make, table, tmp_path):
    (tmp_path / "home").write_text("a file where the folder should be")
    desk, told = make(), []
    desk.library.autosave.failed.connect(lambda error: told.append(error.message))
    desk.library.autosave.recovered.connect(lambda: told.append("recovered"))
    desk.open(table)
    for value in (2, 3):
        desk.bench.editor.set_param("t", value)
        desk.library.autosave.keep()
        desk.rest()
        assert desk.clock.running  # it is tried again by itself
    assert len(told) == 1
    (tmp_path / "home").unlink()
    (tmp_path / "home").mkdir()
    desk.library.autosave.keep()
    desk.rest()
    assert told[1:] == ["recovered"]
