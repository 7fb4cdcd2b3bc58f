"""Ingredients in a document: chosen for all panels or one, undone, refused in the engine's words, named in titles."""

import numpy as np
import pytest

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import DataError, ParameterError
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.ingredients.edits import as_in_the_paper, choose_ingredient
from mvexplorer.state.document.ingredients.shown import NAMES, choices_of, shown_ingredients
from mvexplorer.state.document.ingredients.words import differences, formula_lines, kernel_words
from mvexplorer.state.document.titles import bare_title, panel_title
from mvexplorer.state.export.captions import panel_caption
from mvexplorer.state.export.record import document_record
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor

WIDE = {"a": 5, "b": 4, "narrow": 2}


@pytest.fixture
def document():
    """Three views, one of two features, and panels of a single view, their sum and de Sa's fusion."""
    drawn = np.random.default_rng(1)
    data = MultiView({name: drawn.normal(size=(40, width)) for name, width in WIDE.items()}, labels=np.arange(40) % 2)
    made = Document()
    state = commands.initial_state(data, ("memory",), None)
    panels = tuple(commands.new_panel(m, f"p{i}") for i, m in enumerate(("single", "kernel-sum", "de-sa")))
    made.reset(state.model_copy(update={"panels": panels}), data)
    return made


def words(document, panel=None):
    own = None if panel is None else document.state.panel(panel)
    return [each.words for each in shown_ingredients(document.state, own)]


PAPER = ["Euclidean", "Gaussian", "loops", "walk", "rows as they are"]


def test_fresh_data_has_the_papers_ingredients(document):
    assert words(document) == PAPER
    assert all(each.as_in_paper and each.used for each in shown_ingredients(document.state))
    assert words(document, "p1") == PAPER
    assert [panel_title(document.state, p) for p in document.state.panels] == [
        "Single · a", "Kernel sum", "de Sa · a + b"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value", "label", "word"),
    [
        ("metric", "cosine", "Metric: cosine", "cosine"),
        ("kernel", "knn-10", "Kernel: 10 neighbours", "10 neighbours"),
        ("self_loops", False, "Leave self-loops out", "without loops"),
        ("normalisation", "doubly-stochastic", "Normalise: doubly stochastic", "doubly stochastic"),
        ("unit_rows", True, "Unit rows", "unit rows"),
    ],
)
def test_a_choice_for_all_panels_is_one_step(document, name, value, label, word):
    before = document.state
    assert choose_ingredient(document, name, value) == ""
    assert document.undo_label == label
    assert words(document)[NAMES.index(name)] == word
    shown = shown_ingredients(document.state)[NAMES.index(name)]
    assert not shown.as_in_paper
    choose_ingredient(document, name, value)
    assert document.position == 1
    document.undo()
    assert document.state == before
    document.redo()
    as_in_the_paper(document)
    assert document.undo_label == "As in the paper"
    assert document.state == before


@pytest.mark.parametrize(("name", "value"), [("metric", "cosine"), ("kernel", "knn-10"), ("self_loops", False)])
def test_a_choice_for_one_panel_is_pinned_there_alone(document, name, value):
    choose_ingredient(document, name, value, "p1")
    assert document.undo_label.endswith(" in Kernel sum")
    assert words(document) == words(document, "p0") == PAPER
    assert words(document, "p1")[NAMES.index(name)] not in PAPER
    pins = document.state.panel("p1").pins
    assert set(pins) == ({name} if name == "self_loops" else {f"kernel:{view}" for view in WIDE})
    first = choices_of(name)[0].value
    choose_ingredient(document, name, first, "p1")
    assert document.state.panel("p1").pins == {}
    choose_ingredient(document, name, value, "gone")
    assert words(document) == PAPER


def test_a_panel_can_be_as_in_the_paper_where_the_others_are_not(document):
    for name, value in (("metric", "cosine"), ("self_loops", False), ("unit_rows", True)):
        choose_ingredient(document, name, value)
    as_in_the_paper(document, "p1")
    assert document.undo_label == "As in the paper in Kernel sum · cosine, without loops, unit rows, r 12"
    assert words(document, "p1") == PAPER
    assert words(document, "p0") == ["cosine", "Gaussian", "without loops", "walk", "unit rows"]
    assert panel_title(document.state, document.state.panel("p1")) == "Kernel sum"
    as_in_the_paper(document)
    assert words(document) == words(document, "p1") == PAPER
    assert document.state.panel("p1").pins == {}


def test_views_that_cannot_take_a_metric_keep_theirs_and_are_named(document):
    said = choose_ingredient(document, "metric", "correlation")
    assert said == ("narrow keeps its metric. View “narrow” has 2 features: the metric correlation needs at least 3.")
    assert [v.kernel for v in document.state.views] == ["gaussian@correlation", "gaussian@correlation", "gaussian"]
    assert words(document)[0] == "mixed"
    assert panel_title(document.state, document.state.panel("p1")) == "Kernel sum · correlation in a and b"
    commands.set_kernel(document, "a", "precomputed")
    said = choose_ingredient(document, "metric", "cosine")
    assert said.startswith("a keeps its metric. The kernel precomputed of view “a” cannot have the metric cosine")
    said = choose_ingredient(document, "kernel", "knn-30")
    assert said.startswith("a keeps its kernel. View “a” is a table of affinities")
    assert [v.kernel for v in document.state.views] == ["precomputed", "knn@cosine", "knn@cosine"]
    as_in_the_paper(document)
    assert [v.kernel for v in document.state.views] == ["precomputed", "gaussian", "gaussian"]


def test_what_no_view_can_take_is_refused_and_nothing_is_lost(document):
    for view in ("a", "b"):
        commands.tick_view(document, view, False)
    before, steps = document.state, document.position
    with pytest.raises(DataError, match="“narrow” has 2 features: the metric correlation needs at least 3"):
        choose_ingredient(document, "metric", "correlation")
    with pytest.raises(ParameterError, match="There is no metric “l1”"):
        choose_ingredient(document, "metric", "l1")
    commands.set_kernel(document, "narrow", "precomputed")
    with pytest.raises(ParameterError, match="View “narrow” is a table of affinities"):
        choose_ingredient(document, "kernel", "knn-10")
    document.undo()
    assert (document.state, document.position) == (before, steps)


def test_ingredients_that_do_not_go_together_are_refused(document):
    choose_ingredient(document, "kernel", "landmarks-20")
    state = document.state
    with pytest.raises(ParameterError, match="by landmarks keeps its self-loops"):
        choose_ingredient(document, "self_loops", False)
    as_in_the_paper(document)
    choose_ingredient(document, "self_loops", False)
    with pytest.raises(ParameterError, match="by landmarks keeps its self-loops"):
        choose_ingredient(document, "kernel", "landmarks-20")
    as_in_the_paper(document)
    commands.set_param(document, "alpha", 1.0)
    with pytest.raises(ParameterError, match="α has no meaning where the kernel is doubly stochastic"):
        choose_ingredient(document, "normalisation", "doubly-stochastic")
    commands.set_param(document, "alpha", 0.0)
    commands.set_param(document, "n_components", 1)
    with pytest.raises(ParameterError, match="Unit rows need at least two coordinates"):
        choose_ingredient(document, "unit_rows", True)
    assert document.state.params["unit_rows"] is False
    assert state.params["self_loops"] is None


def test_loops_follow_the_normalisation_until_they_are_chosen(document):
    choose_ingredient(document, "normalisation", "doubly-stochastic")
    assert words(document)[2:4] == ["without loops", "doubly stochastic"]
    assert document.state.params["self_loops"] is None
    assert differences(document.state, document.state.panel("p1")) == ("doubly stochastic",)
    choose_ingredient(document, "self_loops", True)
    assert words(document)[2:4] == ["loops", "doubly stochastic"]
    assert differences(document.state, document.state.panel("p1")) == ("doubly stochastic", "loops kept")
    choose_ingredient(document, "self_loops", False)
    assert document.state.params["self_loops"] is None
    choose_ingredient(document, "normalisation", "walk")
    assert words(document) == PAPER


def test_titles_say_what_is_not_as_in_the_paper(document):
    for name, value in (("metric", "cosine"), ("kernel", "knn-10"), ("self_loops", False), ("unit_rows", True)):
        choose_ingredient(document, name, value)
    titles = [panel_title(document.state, panel) for panel in document.state.panels]
    every = "cosine, 10 neighbours, without loops"
    assert titles == [
        f"Single · a · {every}, unit rows, r 12", f"Kernel sum · {every}, unit rows, r 12", f"de Sa · a + b · {every}"
    ]  # fmt: skip
    assert bare_title(document.state, document.state.panels[1]) == "Kernel sum"
    commands.set_kernel(document, "b", "laplacian")
    commands.set_kernel(document, "a", "gaussian")
    assert "mixed kernels" in panel_title(document.state, document.state.panels[1])


def test_methods_of_features_have_no_metric_and_no_kernel(document):
    choose_ingredient(document, "metric", "cosine")
    state = document.state.model_copy(update={"panels": (commands.new_panel("pca", "p9"),)})
    assert panel_title(state, state.panels[0]) == "PCA"
    used = {each.name: each.used for each in shown_ingredients(state)}
    assert used == {"metric": False, "kernel": False, "self_loops": False, "normalisation": False, "unit_rows": True}


def test_kernels_in_words():
    from mvexplorer.engine.kernels.affinities import parse_kernel

    texts = ("gaussian", "knn-10", "knn-1", "self-tuning", "self-tuning-15", "laplacian", "laplacian-l2", "landmarks")
    assert [kernel_words(parse_kernel(text)) for text in (*texts, "correlation", "precomputed")] == [
        "Gaussian", "10 neighbours", "1 neighbour", "self-tuning", "self-tuning by 15", "Laplacian", "Laplacian L2",
        "1,000 landmarks", "correlation kernel", "precomputed",
    ]  # fmt: skip
    assert "landmarks" not in [choice.value for choice in choices_of("kernel", 100)]
    assert "landmarks" in [choice.value for choice in choices_of("kernel", 100_000)]
    assert choices_of("kernel", present="knn-64")[-1].words == "64 neighbours"


def test_captions_and_cards_have_the_words_and_formulas(document):
    for name, value in (("metric", "cosine"), ("self_loops", False), ("unit_rows", True)):
        choose_ingredient(document, name, value)
    commands.set_scale(document, 100.0)
    state, data = document.state, document.data
    found = compute(state, data)
    record = document_record(state, data, "Data", found.results.__getitem__, None)
    told = [panel_caption(panel, record) for panel in record["panels"]]
    assert "t = 1, r = 12, without loops, unit rows." in told[1]
    assert "cosine metric" in told[1]
    assert all("yes" not in text and "steps that stay:" not in text for text in told)
    method = get_method(state.panels[1].method)
    lines = formula_lines(method, differences(state, state.panels[1]))
    assert list(lines) == [*formula_lines(method), "without-loops", "unit-rows"]
    assert lines["unit-rows"] == r"\psi_i \, / \, \| \psi_i \|"


def test_the_editor_tells_which_views_keep_theirs(document):
    controller = Controller(document)
    editor, notes, errors = Editor(document, controller), [], []
    editor.noted.connect(notes.append)
    editor.failed.connect(errors.append)
    assert editor.choose_ingredient("metric", "cosine")
    assert not notes
    assert editor.choose_ingredient("metric", "correlation")
    assert len(notes) == 1
    assert not editor.choose_ingredient("metric", "l1")
    assert errors[0].message == "There is no metric “l1”."
    assert editor.take_papers_ingredients()
    assert words(document) == PAPER
    controller.shutdown()
