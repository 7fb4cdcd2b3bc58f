"""Named selections: where they came from in words, how they combine, and what cannot be done to them."""

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import ParameterError, SessionError
from mvexplorer.state.colourings.cluster_colouring import CLUSTERS, default_number
from mvexplorer.state.colourings.derived import coloured_now
from mvexplorer.state.colourings.deriving import Ground
from mvexplorer.state.document import commands
from mvexplorer.state.document import selection_commands as named
from mvexplorer.state.document.colour_titles import clusters_of, source_words
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.selections import COLOURS, LONGEST, SIGNS, NamedSelection, Selections, combined
from mvexplorer.state.export.captions import document_caption
from mvexplorer.state.export.record import document_record
from mvexplorer.state.export.result_tables import Numbers, PanelNumbers, arrays, tables
from mvexplorer.state.export.script.findings import keeping
from mvexplorer.state.pictures.colouring import colour_by_selections
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.state.session.session import open_session, save_session


@pytest.fixture
def document():
    made = Document()
    data = MultiView({"one": [[float(i), 1.0] for i in range(20)], "two": [[float(i * i)] for i in range(20)]})
    made.reset(commands.initial_state(data, ("memory",), None), data)
    return made


def keep(document, name, samples, origin="lasso in PCA · one"):
    commands.select(document, samples, "replace", origin)
    named.keep_selection(document, name)


def test_the_origin_follows_what_was_picked(document):
    commands.select(document, range(10), "replace", "lasso in Multi-view 2-D")
    commands.select(document, (1, 2), "subtract", "class 3")
    assert document.state.selections.origin == "lasso in Multi-view 2-D, minus class 3"
    commands.select(document, range(5), "intersect")
    assert document.state.selections.origin.endswith(", within 5 samples picked")
    commands.invert_selection(document)
    commands.invert_selection(document)
    assert document.state.selections.origin.startswith("lasso in Multi-view 2-D, minus")
    commands.select(document, (7,), "add", "x" * 900)
    assert len(document.state.selections.origin) <= LONGEST
    document.undo()
    commands.select(document, ())
    assert document.state.selections.origin == ""
    commands.invert_selection(document)
    assert document.state.selections.origin == "all samples"


def test_every_edit_of_named_selections_is_undone(document):
    keep(document, "left", range(8))
    keep(document, "right", range(5, 12))
    before = document.state
    edits = [
        lambda: named.rename_selection(document, "left", "<b>west</b>"),
        lambda: named.recolour_selection(document, "left", 7),
        lambda: named.move_selection(document, "left", 1),
        lambda: named.delete_selections(document, ("left", "right")),
        lambda: named.keep_groups(document, "2 clusters of PCA", {"cluster 1": (0, 1), "cluster 2": (2, 3)}),
        lambda: named.pick_selection(document, "left"),
        lambda: named.combine_selections(document, ("left", "right"), "union"),
    ]
    for edit in edits:
        edit()
        assert document.state != before
        document.undo()
        assert document.state == before


@pytest.mark.parametrize(
    ("how", "samples"),
    [("union", 12), ("intersection", 3), ("difference", 5), ("symmetric difference", 9)],
)
def test_two_selections_combine(document, how, samples):
    keep(document, "left", range(8))
    keep(document, "right", range(5, 12))
    named.combine_selections(document, ("left", "right"), how)
    made = document.state.selections.named[-1]
    assert len(made.samples) == samples
    assert document.state.selection == made.samples
    assert made.name == made.origin == f"left {SIGNS[how]} right"
    named.combine_selections(document, ("left", "right"), how)
    assert document.state.selections.names[-1] == f"left {SIGNS[how]} right (2)"
    found = {"union": (1, 2, 3), "intersection": (2,), "difference": (1,), "symmetric difference": (1, 3)}
    assert combined((1, 2), (2, 3), how) == found[how]


def test_groups_become_selections_with_colours_that_no_other_has(document):
    keep(document, "left", range(8))
    groups = {"left": (9, 8), "<b>cluster</b> 2": (1, 2), "none": (), "known": tuple(range(8))}
    named.keep_groups(document, "2 clusters of PCA", groups)
    first, second, third = document.state.selections.named
    assert (first.name, second.name, third.name) == ("left", "left (2)", "<b>cluster</b> 2")
    assert (second.samples, third.samples) == ((8, 9), (1, 2))
    assert (first.colour, second.colour, third.colour) == (0, 1, 2)
    assert second.origin == "2 clusters of PCA"
    with pytest.raises(ParameterError, match="2 clusters of PCA are saved already"):
        named.keep_groups(document, "2 clusters of PCA", groups)


def test_what_cannot_be_done_is_said_and_changes_nothing(document):
    with pytest.raises(ParameterError, match="Nothing is selected"):
        named.keep_selection(document)
    keep(document, "left", (1, 2))
    keep(document, "right", (3,))
    before = document.state
    for edit, words in (
        (lambda: named.keep_selection(document, "left"), "already a selection called “left”"),
        (lambda: named.rename_selection(document, "right", "left"), "already a selection"),
        (lambda: named.rename_selection(document, "right", " \n "), "needs a name"),
        (lambda: named.rename_selection(document, "right", "n" * 301), "301 characters"),
        (lambda: named.combine_selections(document, ("left", "right"), "intersection"), "No sample is in left ∩ right"),
        (lambda: named.combine_selections(document, ("left",), "union"), "Two selections"),
    ):
        with pytest.raises(ParameterError, match=words):
            edit()
        assert document.state is before
    named.rename_selection(document, "right", "n" * 300)
    named.keep_selection(document)
    named.keep_selection(document)
    assert document.state.selections.names[-2:] == ("Selection", "Selection (2)")


def test_colours_are_given_in_turn_and_an_old_state_has_no_selections(document):
    for i in range(COLOURS + 1):
        keep(document, f"s{i}", (i,))
    assert [each.colour for each in document.state.selections.named] == [*range(COLOURS), 0]
    old = document.state.model_dump()
    del old["selections"]
    assert DocumentState.model_validate(old).selections == Selections()
    twice = NamedSelection(name="a", samples=(3, 1, 3))
    assert twice.samples == (1, 3)
    with pytest.raises(ValueError, match="same name"):
        Selections(named=(twice, twice))


def test_points_are_coloured_by_the_last_of_their_selections(document):
    assert colour_by_selections(document.state.selections, 20) is None
    keep(document, "left", range(8))
    keep(document, "in none", range(5, 12))
    named.recolour_selection(document, "left", 6)
    found = colour_by_selections(document.state.selections, 20)
    assert found.classes == ("left", "in none", "in none of them")
    assert found.counts == (5, 7, 8)
    assert found.colours == (6, 1, -1)
    document.state = document.state.model_copy(update={"colour": "selections"})
    assert coloured_now(document.state, document.data, lambda id: PanelResult()).counts == (5, 7, 8)


def test_exports_say_which_samples_each_selection_holds(document):
    keep(document, "left", range(8), "lasso in Multi-view 2-D")
    keep(document, "=1+1<b>", range(5, 12), "class 3")
    embedding = mvx.embed(document.data, "concatenation", epsilon=1.0, n_components=2)
    record = document_record(document.state, document.data, "twenty", lambda id: PanelResult(), None)
    assert [each["origin"] for each in record["selections"]] == ["lasso in Multi-view 2-D", "class 3"]
    assert "7 selected (=1+1<b>)" in document_caption(record)  # by its name, not by how it came about
    kept = tuple((each.name, each.samples) for each in document.state.selections.named)
    panel = PanelNumbers("p1", embedding, embedding.coordinates[:, :2], {"title": "one", "stale": False})
    numbers = Numbers((panel,), record, document.state.selection, 0, kept)
    tables_of = dict(tables(numbers, ("coordinates", "selection")))
    assert np.flatnonzero(tables_of["p1"]["selection:left"].to_numpy()).tolist() == list(range(8))
    assert tables_of["selection"]["selection:left"].to_list() == [True] * 3 + [False] * 4
    found = arrays(numbers, ("coordinates",))
    assert found["selection_names"].tolist() == ["left", "=1+1<b>"]
    assert found["selections"].sum(axis=0).tolist() == [8, 7]
    space = {"np": np, "data": document.data}
    exec("\n".join(keeping(document.state, document.data)[1]), space)
    assert {name: tuple(rows.tolist()) for name, rows in space["selections"].items()} == dict(kept)


def test_a_session_keeps_them_and_refuses_samples_that_are_not_there(document, tmp_path):
    keep(document, "left", range(8))
    keep(document, "<i>right</i>", range(5, 12), "class 3")
    path = tmp_path / "kept.mvx"
    save_session(path, document.state, document.data, "1")
    assert open_session(path).state.selections == document.state.selections
    far = NamedSelection(name="far", samples=(20,))
    broken = document.state.model_copy(update={"selections": Selections(named=(far,))})
    save_session(path, broken, document.data, "1")
    with pytest.raises(SessionError, match="samples that do not exist"):
        open_session(path)


def test_clusters_of_a_panel_are_a_colouring_and_too_many_are_said(document):
    document.state = document.state.model_copy(update={"colour": "clusters:p1:kmeans:3"})
    found = Ground(document.state, document.data, lambda id: PanelResult())
    assert CLUSTERS.ask(found, "p1:kmeans:3") is None  # no picture yet
    for rest in ("p1:kmeans:1", "p1:magic:3", "p1:kmeans:9999", "p1:kmeans:x", "p1"):
        assert clusters_of(rest) is None
    title = source_words("clusters:p1:spectral:4", document.state, document.data)
    assert title == "4 clusters of Single · one (spectral clustering)"
    script = CLUSTERS.script(document.state, "p1:kmeans:3", {"p1": "single"})
    assert script == 'mvx.clusters(single.coordinates, 3, "kmeans", random_state=0)'
    assert default_number(document.data) == 8


def test_what_is_selected_is_called_by_the_name_that_it_gets(document):
    commands.select(document, range(4), origin="lasso in Multi-view 2-D")
    named.keep_selection(document, "left")
    assert document.state.selections.origin == "left"
    named.rename_selection(document, "left", "the bend")
    assert document.state.selections.origin == "the bend"
    commands.select(document, range(3), origin="class 3")
    named.rename_selection(document, "the bend", "left")
    assert document.state.selections.origin == "class 3"  # that is another one
    assert [each.origin for each in document.state.selections.named] == ["lasso in Multi-view 2-D"]


def test_a_selection_takes_no_colour_of_a_class_while_others_are_free(document):
    document.data = document.data.replace(labels=np.array(["a", "b", "c", ""] * 5, dtype=object))
    for k in range(COLOURS):
        keep(document, str(k), (k,))
    colours = [each.colour for each in document.state.selections.named]
    assert colours == [*range(3, COLOURS), 0, 1, 2]
