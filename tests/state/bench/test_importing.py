"""What is chosen on the import page, without a window: options, offers, undo, and when files are opened."""

from types import SimpleNamespace

import pytest
from looked_into import FILES, Reader, data, found, item

from mvexplorer.engine.core.notices import (
    ABSENT,
    HALVES,
    POSSIBLE_LABEL,
    POSSIBLY_TURNED,
    SAME_COLUMNS,
    UNEVEN_SCALES,
    Notice,
)
from mvexplorer.errors import DataError, MissingValuesError, MixedColumnError, Offer, RowsError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.files import Loaded
from mvexplorer.io.reading.inspection import ViewReport
from mvexplorer.state.bench.import_desk import ImportDesk
from mvexplorer.state.bench.import_preview import remarks, sample_table
from mvexplorer.state.bench.importing import Importing
from mvexplorer.state.document.document import Document
from mvexplorer.state.session.settings import Settings


@pytest.fixture
def reader():
    return Reader()


@pytest.fixture
def opened():
    return []


@pytest.fixture
def make(reader, opened):
    def made(inspection=None, options=None):
        return Importing(reader, FILES, options or ReadOptions(), opened.append, inspection)

    return made


def named(importing, *names):
    return [i for i in importing.items if i.name in names]


def test_every_choice_is_read_with_options_of_its_own(make, reader):
    importing = make()
    assert (importing.state, importing.fraction, reader.asked) == ("reading", 0.25, {})
    reader.answer(found())
    assert (importing.state, importing.views) == ("ready", ("genes", "clinic"))
    importing.set_role(named(importing, "site", "age"), "ignore")
    assert reader.asked == {"roles": {"age": "ignore", "site": "ignore"}}
    assert importing.undo_label == "Make 2 columns ignored"
    importing.choose("Joined", join="intersect")
    assert reader.asked == {"roles": {"age": "ignore", "site": "ignore"}, "join": "intersect"}


def test_there_is_one_label_and_one_id_in_each_file(make, reader):
    importing = make(found(), ReadOptions(labels="kind", ids="who"))
    importing.set_role(named(importing, "site"), "label")
    assert reader.asked["roles"] == {"kind": "colour", "site": "label"}
    assert "labels" not in reader.asked
    importing.set_role(named(importing, "wt_a"), "id")
    assert reader.asked["roles"] == {
        "genes.csv:who": "colour", "kind": "colour", "site": "label", "wt_a": "id",
    }  # fmt: skip
    assert "ids" not in reader.asked


def test_columns_are_moved_to_a_view_that_may_be_new(make, reader):
    importing = make(found())
    importing.set_view(named(importing, "mu_a", "site"), "mutant")
    assert reader.asked["split"] == {"genes": ("wt_a", "wt_b"), "mutant": ("mu_a", "site"), "clinic": ("age",)}
    assert reader.asked["roles"] == {"mu_a": "view", "site": "view"}


def test_a_variable_and_a_view_get_names(make, reader):
    arrays = (item("X1", view="X1", kind="array"), item("X2", view="X2", kind="array"))
    importing = make(found(items=arrays))
    importing.set_view([arrays[0]], "colour")
    assert reader.asked["names"] == {"X1": "colour"}
    importing.rename_view("colour", "hue")
    assert reader.asked["names"] == {"X1": "hue"}
    importing.rename_view("hue", "  ")
    assert reader.asked["names"] == {"X1": "hue"}


def test_a_split_view_is_renamed_where_it_stands(make, reader):
    importing = make(found(), ReadOptions(split={"genes": ("wt_*",)}))
    importing.rename_view("genes", "wild type")
    assert reader.asked == {"split": {"wild type": ("wt_*",)}}


def test_files_and_views_are_turned_and_back(make, reader):
    importing = make(found())
    importing.turn_view("clinic")
    assert reader.asked == {"transpose": ("clinic.csv",)}
    importing.turn(FILES[0])
    assert reader.asked == {"transpose": ("clinic.csv", "genes.csv")}
    importing.turn(FILES[1])
    importing.turn(FILES[0])
    assert reader.asked == {"transpose": False}


def test_files_of_one_name_are_told_apart_by_their_folders(reader, opened):
    files = ("/a/x.csv", "/b/x.csv")
    both = tuple(item("u", file=f) for f in files)
    importing = Importing(reader, files, ReadOptions(), opened.append, found(files=files, items=both))
    importing.set_role([both[1]], "ignore")
    assert reader.asked == {"roles": {"/b/x.csv:u": "ignore"}}


def test_preparing_a_view_reads_nothing_and_opens_with_it(make, reader, opened):
    uneven = Notice(UNEVEN_SCALES, "Scales differ.", ("genes",))
    importing = make(found(loaded=Loaded(data(), (uneven,), FILES)))
    importing.set_preprocess("genes", "zscore")
    assert reader.jobs == []
    assert importing.options.preprocess == ("zscore", "none")
    importing.open()
    (loaded,) = opened
    assert loaded.data.preprocess == ("zscore", "none")
    assert loaded.options.preprocess == ("zscore", "none")
    assert loaded.notes == ()


def test_preparation_of_last_time_belongs_to_views_by_name(make, reader):
    importing = make(None, ReadOptions(preprocess=("none", "centre")))
    prepared = [
        ViewReport(n, (4, 3), "float64", p, 1.0, 0, 0, 0, 96) for n, p in (("genes", "none"), ("clinic", "centre"))
    ]
    reader.answer(found(views=tuple(prepared)))
    importing.choose("Turned round", views=("clinic", "genes"))
    assert reader.asked == {"views": ("clinic", "genes")}
    reader.answer(found(views=tuple(reversed(prepared))))
    assert importing.options.preprocess == ("centre", "none")


def test_preparation_of_views_that_are_gone_is_forgotten(make, reader):
    importing = make(None, ReadOptions(preprocess=("none", "centre")))
    reader.answer(found(views=(), loaded=None, error=DataError("Preprocessing is not known for 3 views.")))
    assert reader.asked == {}
    reader.answer(found())
    assert importing.can_open


def test_choices_are_undone_and_made_again(make, reader):
    importing = make(found())
    importing.set_preprocess("genes", "centre")
    importing.set_role(named(importing, "age"), "colour")
    importing.undo()
    assert reader.asked == {}
    importing.undo()
    assert (importing.preprocess_of("genes"), importing.undo_label) == ("none", None)
    importing.redo()
    importing.redo()
    assert reader.asked == {"roles": {"age": "colour"}}
    assert importing.redo_label is None


def test_open_waits_for_what_is_being_read(make, reader, opened):
    importing = make()
    importing.open()
    assert (opened, importing.opens_soon) == ([], True)
    reader.answer(found())
    assert len(opened) == 1


def test_what_cannot_be_read_is_not_opened(make, reader, opened):
    importing = make()
    importing.open()
    reader.answer(error=DataError("It is broken."))
    assert (importing.state, importing.can_open, opened) == ("stopped", False, [])
    importing.read()
    reader.answer(found(error=DataError("They do not fit."), loaded=None))
    importing.open()
    assert (importing.can_open, opened) == (False, [])


def test_reading_is_stopped_and_the_last_look_stays(make, reader):
    importing = make(found())
    importing.choose("Joined", join="id")
    importing.stop()
    assert (importing.state, reader.cancelled, importing.can_open) == ("stopped", ["open"], True)


def card(importing, name):
    return next(card for card in importing.checks if card.name == name)


def test_refusals_are_answered_by_a_proposal_that_can_be_changed(make, reader):
    offers = (Offer("Join by who", {"ids": "who"}), Offer("Pair by position", {"join": "position"}))
    refused = found(error=RowsError("In another order.", offers), loaded=None)
    importing = make(refused)
    assert (reader.asked, importing.can_open, importing.undo_label) == ({"ids": "who"}, True, None)
    reader.answer(found())
    (remark,) = card(importing, "pairing").remarks
    assert (card(importing, "pairing").state, remark.text, remark.chosen) == (
        "proposal", "In another order. Proposed and applied: join by who.", offers[0],
    )  # fmt: skip
    importing.take(offers[1])
    assert reader.asked == {"join": "position"}
    reader.answer(found())
    assert card(importing, "pairing").state == "fine"  # the user's own choice
    assert card(importing, "pairing").remarks[0].chosen == offers[1]
    assert card(importing, "pairing").remarks[0].text == "In another order."
    importing.undo()
    assert reader.asked == {"ids": "who"}
    reader.answer(found())
    assert card(importing, "pairing").state == "proposal"


def test_gaps_are_left_out_or_filled_in_and_the_card_says_so(make, reader):
    importing = make(found(error=MissingValuesError("Gaps.", rows=(0, 3)), loaded=None))
    assert reader.asked == {"missing": "median"}  # two of four samples are too many to leave out
    reader.answer(found(notes=(Notice("filled", "Missing values were filled in."),)))
    (remark,) = card(importing, "missing").remarks
    assert [offer.title for offer in remark.offers] == [
        "Leave them out", "Fill in medians", "Fill in from nearest samples",
    ]  # fmt: skip
    assert (card(importing, "missing").state, remark.chosen) == ("proposal", remark.offers[1])
    importing.take(remark.offers[0])
    assert reader.asked == {"missing": "drop"}


def test_a_column_with_a_word_in_it_becomes_a_colouring_and_can_be_left_out(make, reader):
    importing = make(found(error=MixedColumnError("“age” holds “n/a?”.", "", ["age"]), loaded=None))
    assert reader.asked == {"roles": {"age": "colour"}}
    reader.answer(found())
    (remark,) = card(importing, "files").remarks
    assert (card(importing, "files").state, remark.text) == (
        "proposal", "“age” holds “n/a?”. Proposed and applied: use “age” for colouring.",
    )  # fmt: skip
    importing.take(remark.offers[1])
    assert reader.asked == {"roles": {"age": "ignore"}}


def test_doubts_come_with_what_settles_them(make, reader):
    turned, label = Notice(POSSIBLY_TURNED, "?", ("genes.csv",)), Notice(POSSIBLE_LABEL, "?", ("site",))
    importing = make(found(doubts=(turned,), notes=(label,)))
    assert [offer.options for offer in importing.offers_for(turned)] == [{"transpose": ("genes.csv",)}]
    same, halves = Notice(SAME_COLUMNS, "?", ("a.csv", "b.csv")), Notice(HALVES, "?")
    assert [offer.options for offer in importing.offers_for(same)] == [{"join": "position"}]
    assert [offer.options["half"] for offer in importing.offers_for(halves)] == ["both", "train", "test"]
    assert [remark.text for remark in card(importing, "pairing").remarks] == ["?"]
    importing.take(importing.offers_for(label)[0])
    assert reader.asked == {"labels": "site"}


def test_a_proposal_never_goes_against_what_the_user_chose(make, reader):
    offers = (Offer("Pair by position", {"join": "position"}),)
    importing = make(found())
    importing.choose("Join by id", join="id")
    reader.answer(found(error=RowsError("Other names.", offers), loaded=None))
    assert (reader.asked, importing.can_open) == ({"join": "id"}, False)
    assert (card(importing, "pairing").state, card(importing, "pairing").blocks) == ("decide", False)


def test_files_are_added_and_left_out(make, reader):
    importing = make(found())
    importing.add_files(("/data/clinic.csv", "/data/more.npy"))
    assert reader.jobs[-1][0].files == (*FILES, "/data/more.npy")
    importing.remove_file(FILES[0])
    assert importing.files == (FILES[1], "/data/more.npy")
    assert importing.title == "clinic.csv, more.npy"


def test_the_first_samples_are_shown_as_they_will_be():
    table = sample_table(found(), None)
    assert table.heads == ("id", "kind", "genes · wt_a", "genes · wt_b", "genes · mu_a", "clinic · age")
    assert table.rows[1] == ("q", "b", "5.196", "8", "11.18", "5.196")
    assert sample_table(found(loaded=None), None).rows == ()
    assert remarks(ViewReport("a", (4, 2), "int64", "none", 1.0, 1, 6, 20, 8)) == (
        "20 missing", "1 constant", "6 duplicates",
    )  # fmt: skip


def test_the_page_comes_where_there_is_more_than_one_way(reader):
    desk = ImportDesk(SimpleNamespace(controller=reader, document=Document()), print)
    doubt = Notice(POSSIBLY_TURNED, "?", ("genes.csv",))
    one, two = (tuple(Offer(f"Way {i}", {"join": "position"}) for i in range(n)) for n in (1, 2))
    nothing = {"loaded": None}
    assert [
        desk.comes_first(found()),
        desk.comes_first(found(doubts=(doubt,))),
        desk.comes_first(found(error=RowsError("?", one), **nothing)),
        desk.comes_first(found(error=RowsError("?", two), **nothing)),
        desk.comes_first(found(error=MissingValuesError("?", rows=(1,)), **nothing)),
        desk.comes_first(found(error=DataError("They do not fit."), **nothing)),
        desk.comes_first(found(error=DataError("There is only text."), views=(), **nothing)),
    ] == [False, True, False, True, False, True, False]


def test_how_files_were_read_is_kept_until_they_are_read_as_they_say():
    told = ReadOptions(roles={"kind": "label"}, split={"wt": ("wt_*",)}, missing="knn")
    settings = Settings().with_reading(FILES, told)
    again = Settings.model_validate_json(settings.model_dump_json())
    assert [(kept.source, kept.reading) for kept in again.readings] == [(FILES, told)]
    assert again.with_reading(FILES, ReadOptions()).readings == ()
    many = again
    for i in range(40):
        many = many.with_reading((f"/data/{i}.csv",), told)
    assert len(many.readings) == 24
    assert many.readings[0].source == ("/data/39.csv",)


def test_samples_that_all_files_share_are_kept_unasked_and_told_with_the_other_way(make, reader):
    ways = (Offer("Keep the 3 shared samples", {"join": "intersect"}), Offer("Keep all 4", {"samples": "union"}))
    importing = make()
    reader.answer(found(error=RowsError("Others.", ways), loaded=None))
    assert (reader.asked, importing.undo_label) == ({"join": "intersect"}, None)
    kept = Notice(ABSENT, "Kept the samples present in all files.")
    reader.answer(found(notes=(kept,)))
    (remark,) = card(importing, "pairing").remarks
    assert (remark.text, remark.offers, remark.chosen) == (str(kept), ways, ways[0])
    importing.take(ways[1])
    assert reader.asked == {"samples": "union"}
    reader.answer(found())
    assert card(importing, "pairing").remarks[0].chosen == ways[1]


def test_what_a_file_proposes_for_its_scales_is_asked_until_it_is_done(make, reader):
    uneven = Notice(UNEVEN_SCALES, "Scales differ.", ("genes",), "warning")
    importing = make(found(notes=(uneven,)))
    (remark,) = card(importing, "scales").remarks
    assert card(importing, "scales").state == "decide"
    importing.take(remark.offers[0])
    assert (remark.offers[0].title, importing.undo_label) == ("z-score genes", "z-score genes")
    assert (importing.preprocess_of("genes"), reader.jobs) == ("zscore", [])
    assert card(importing, "scales").state == "fine"
    importing.undo()
    assert card(importing, "scales").remarks == (remark,)
