"""The figures of the page “Diagnostics”: from the document through the workers to numbers and words."""

import csv
import json

import numpy as np
import pytest
from inline import Inline

import mvexplorer as mvx
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import MVExplorerError
from mvexplorer.figures import Curves, Figure
from mvexplorer.io.reading.files import Loaded
from mvexplorer.state.colourings.class_comparison import compare_with_classes
from mvexplorer.state.colourings.derived import Derived
from mvexplorer.state.document import commands
from mvexplorer.state.document.diagnostics_choices import FIGURES, DiagnosticsChoices
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.page_commands import DIAGNOSTICS_LABELS, choose_diagnostics
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.questions.diagnosis import Diagnosis, DiagnosisChoices
from mvexplorer.state.questions.diagnostics import Diagnostics

N = 40
TIMES = np.arange(N) / 8.0
RNG = np.random.default_rng(3)
X = np.column_stack([np.cos(2 * np.pi * TIMES), np.sin(2 * np.pi * TIMES), 0.1 * RNG.normal(size=N)])


def data(**changes):
    given = {
        "labels": np.repeat(["b", "a"], N // 2), "latent": {"wave": X[:, 0]},
        "columns": {"time": TIMES, "uneven": np.sort(RNG.random(N))},
    }  # fmt: skip
    return MultiView({"one": X, "two": X[:, :2] + 0.05}, **(given | changes))


class Bench:
    def __init__(self, shown):
        self.document = Document()
        self.controller = Controller(self.document, executor=Inline(), background=Inline())
        self.editor = Editor(self.document, self.controller)
        self.derived = Derived(self.controller)
        self.figures = Diagnostics(self.controller, self.editor, self.derived)
        commands.open_data(self.document, shown, commands.initial_state(shown, ("memory",), None))

    def show(self, method):
        state = self.document.state
        panel = next((p for p in state.panels if p.method == method), None)
        if panel is None:
            self.editor.set_method(state.panels[0].id, method)
        self.editor.focus(state.panels[0].id if panel is None else panel.id)

    def of(self, id):
        found = self.figures.figure(id)
        return self.figures.figure(id) if found is None else found


@pytest.fixture
def bench():
    made = Bench(data())
    yield made
    made.controller.shutdown()


def test_every_figure_of_a_walk_on_two_views_is_there(bench):
    bench.show("multiview")
    found = {id: bench.of(id) for id in FIGURES if id != "metric"}
    assert all(figure is not None and figure.csv() for figure in found.values())
    assert "±σ" in found["spectrum"].words
    assert found["kernel"].body.names == ((0.25, "one"), (0.75, "two"))
    rows = found["transition"].body.values.sum(axis=1)
    np.testing.assert_allclose(rows, 1.0, atol=1e-9)
    assert "connected component" in found["graph"].words


@pytest.mark.parametrize("id", ["spectrum", "kernel", "roc", "graph"])
def test_a_figure_is_the_same_numbers_as_json(bench, id):
    bench.show("multiview")
    figure = bench.of(id)
    told = json.loads(figure.json())
    assert (told["title"], told["words"]) == (figure.title, figure.words)
    if id == "kernel":
        np.testing.assert_array_equal(told["matrix"], figure.body.values)
        return
    assert list(told["columns"]) == list(figure.columns)
    for name, column in figure.columns.items():
        wanted = [None if isinstance(v, float) and v != v else v for v in np.asarray(column).tolist()]
        assert told["columns"][name] == wanted
    assert [mark["at"] for mark in told["marks"]] == [mark.x for mark in figure.body.marks]


def test_what_is_no_number_is_null_in_json():
    figure = Figure("A", Curves("x", "y", ()), columns={"x": np.array([1.0, np.nan, np.inf])})
    assert json.loads(figure.json())["columns"] == {"x": [1.0, None, None]}


def test_a_trivial_eigenvalue_is_not_drawn_and_the_gap_is_among_the_others(bench):
    bench.show("kernel-sum")
    figure = bench.of("spectrum")
    values = bench.controller.result(bench.figures.panel.id).result.embedding.eigenvalues
    assert figure.body.series[0].x[0] == 1.0
    np.testing.assert_array_equal(figure.body.series[1].y, values[1:] ** 2)
    np.testing.assert_array_equal(figure.columns["eigenvalue"], values)
    gaps = values[1:-1] - values[2:]
    assert [mark.x for mark in figure.body.marks] == [len(values) - 0.5, 1.5 + np.argmax(gaps)]


def test_samples_stand_by_class_with_a_line_between(bench):
    bench.show("kernel-sum")
    figure = bench.of("kernel")
    assert figure.body.bounds == (0.5,)
    assert [name for _, name in figure.body.names] == ["a", "b"]
    assert figure.words == "samples ordered by label"
    bench.editor.choose_diagnostics(order="")
    embedding = bench.controller.result(bench.figures.panel.id).result.embedding
    K = sum(
        np.exp(-np.square(Y[:, None] - Y[None]).sum(axis=2) / (2 * e))
        for Y, e in zip(bench.document.data.Xs, embedding.epsilon, strict=True)
    )
    np.testing.assert_allclose(bench.of("kernel").body.values, K, atol=1e-9)


def test_frequencies_are_marked_where_hidden_variables_have_theirs(bench):
    bench.show("single")
    bench.editor.choose_diagnostics(time="column:time")
    figure = bench.of("fourier")
    assert [(mark.x, mark.words) for mark in figure.body.marks] == [(1.0, "wave 1.00")]
    assert figure.words.startswith("peak at 1.00")
    bench.editor.choose_diagnostics(marks=(0.5, 2.0))
    assert [mark.x for mark in bench.of("fourier").body.marks] == [0.5, 2.0]
    bench.editor.choose_diagnostics(time="column:uneven", marks=())
    assert "Lomb and Scargle" in bench.of("fourier").words


def test_the_roc_of_a_panel_is_that_of_its_distances(bench):
    bench.show("single")
    figure = bench.of("roc")
    panel = bench.figures.panel
    Y = bench.controller.result(panel.id).result.embedding.coordinates
    D = np.linalg.norm(Y[:, None] - Y[None], axis=2)
    expected = mvx.metrics.roc_auc(D, bench.document.data.labels).value
    aucs = {name.removesuffix(": AUC"): column[0] for name, column in figure.columns.items() if name.endswith("AUC")}
    assert aucs["Single · one"] == pytest.approx(expected, abs=1e-12)
    assert {"one", "two"} < set(aucs)


def test_the_metric_is_shown_where_there_is_one(bench):
    bench.show("multiview")
    bench.of("metric")
    assert "no local metric" in bench.figures.problem("metric")
    bench.show("local-cca")
    assert "√D" in bench.of("metric").words
    bench.editor.choose_diagnostics(metric="sample")
    bench.of("metric")
    assert bench.figures.problem("metric").startswith("No sample is kept")
    bench.editor.keep_sample(5)
    assert bench.of("metric").body.values.shape == (3, 3)
    bench.editor.choose_diagnostics(metric="mean")
    assert "in the mean" in bench.of("metric").words


@pytest.mark.parametrize(
    ("changes", "method", "id", "choices", "words"),
    [
        ({}, "pca", "transition", {}, "no kernel"),
        ({"labels": None}, "single", "roc", {}, "no classes"),
        ({"labels": np.repeat("a", N)}, "single", "roc", {}, "classes"),
        ({}, "cca", "kernel", {}, "no kernel"), ({}, "alternating", "graph", {}, "no kernel of its own"),
        ({}, "single", "fourier", {"time": "column:gone"}, "no column of times"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said_in_the_figures_place(changes, method, id, choices, words):
    bench = Bench(data(**changes))
    bench.show(method)
    if choices:
        bench.editor.choose_diagnostics(**choices)
    assert bench.of(id) is None
    assert words in bench.figures.problem(id)
    bench.controller.shutdown()


def test_without_data_and_with_a_failed_panel_the_place_says_so(bench):
    empty = Diagnostics(bench.controller, bench.editor, bench.derived)
    bench.show("multiview")
    bench.editor.set_epsilon("one", 1e-300)
    panel = bench.figures.panel
    if bench.controller.result(panel.id).status == "failed":
        assert "has no picture" in empty.problem("spectrum")
    bench.document.reset(DocumentState(), None)
    assert empty.problem("roc").startswith("Open data")


# Choices ------------------------------------------------------------------------------------------------------


def test_a_figure_takes_the_place_of_another_which_goes_beside_it():
    document = Document()
    choose_diagnostics(document, figure="roc")
    assert (document.state.diagnostics.figure, document.state.diagnostics.beside) == ("roc", "spectrum")
    assert document.steps == (DIAGNOSTICS_LABELS["figure"],)
    document.undo()
    assert document.state.diagnostics == DiagnosticsChoices()
    assert set(DIAGNOSTICS_LABELS) == set(DiagnosticsChoices.model_fields)


def test_choices_come_back_with_a_session():
    state = DocumentState(diagnostics=DiagnosticsChoices(figure="fourier", marks=(1.6, 1.0), times=(4, 1)))
    assert DocumentState.model_validate_json(state.model_dump_json()) == state
    assert (state.diagnostics.marks, state.diagnostics.times) == ((1.0, 1.6), (1, 4))
    assert DocumentState.model_validate({}).diagnostics == DiagnosticsChoices()


@pytest.mark.parametrize("changes", [{"times": ()}, {"times": (0,)}, {"marks": (-1.0,)}, {"figure": "smoke"}])
def test_a_choice_that_there_is_not_is_refused(changes):
    document = Document()
    with pytest.raises((MVExplorerError, ValueError)):
        choose_diagnostics(document, **changes)
    assert document.steps == ()


def test_what_the_words_say_is_there_in_full_precision(bench):
    bench.show("kernel-sum")
    embedding = bench.controller.result(bench.figures.panel.id).result.embedding
    spectrum = bench.of("spectrum")
    gap = mvx.spectrum_facts(embedding)
    assert spectrum.findings == {
        "r": gap.r, "trivial": True, "gap": gap.gap, "gap_after": gap.gap_after, "negative": gap.negative,
        "mirrored": False, "steps_that_stay": embedding.info["steps_that_stay"],
    }  # fmt: skip
    assert f"; {100 * embedding.info['steps_that_stay']:.0f} % of the steps stay where they are" in spectrum.words
    degrees = sum(mvx.graph_of(embedding, view).degrees for view in ("one", "two"))
    facts = bench.of("graph").findings
    assert facts == pytest.approx({"lowest_degree": degrees.min(), "highest_degree": degrees.max(), "components": 1})
    bench.editor.choose_diagnostics(view="one", time="column:time")
    assert json.loads(bench.of("graph").json())["findings"]["sizes"] == [N]
    roc = mvx.roc_of_distances(embedding.coordinates, bench.document.data.labels)
    assert bench.of("roc").findings["auc"]["Kernel sum"] == roc.auc
    assert bench.of("roc").findings["pairs"] == N * (N - 1) // 2
    wave = mvx.component_spectrum(embedding.coordinates[:, 0], TIMES)
    facts = bench.of("fourier").findings
    assert (facts["peak"], facts["energy_near_peak"], facts["samples"]) == (wave.peak, wave.near(wave.peak), N)
    assert facts["energy_near"] == {"wave 1.00": wave.near(1.0)}
    assert bench.of("kernel").findings == {"samples": N, "blocks": 1, "samples_per_cell": 1}


# Without a window -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["kernel-sum", "multiview"])
@pytest.mark.parametrize("view", ["", "two"])
def test_without_a_window_all_is_as_the_page_says(bench, method, view):
    bench.show(method)
    bench.editor.choose_diagnostics(time="column:time", order="", view=view)
    panel = bench.figures.panel
    result = bench.controller.result(panel.id).result
    shown = bench.document.data
    alone = Diagnosis(
        Loaded(shown), result, DiagnosisChoices(bench.document.state.diagnostics), StageCache(), Task()
    )  # fmt: skip
    for id in ("spectrum", "kernel", "transition", "fourier"):
        (found,) = alone.of(id).values()
        assert found.json() == bench.of(id).json()
    assert bench.of("graph").json() in [found.json() for found in alone.of("graph").values()]
    area = alone.of("roc")[""].findings["auc"]
    assert area == {name: value for name, value in bench.of("roc").findings["auc"].items() if name in area}
    assert len(area) == 3


@pytest.mark.parametrize("how", ["kmeans", "spectral"])
def test_clusters_without_a_window_are_those_of_the_colouring_and_its_table(bench, how):
    bench.show("kernel-sum")
    panel, data = bench.figures.panel, bench.document.data
    colouring = bench.derived.resolve(f"clusters:{panel.id}:{how}:3")
    colouring = colouring or bench.derived.resolve(f"clusters:{panel.id}:{how}:3")
    result = bench.controller.result(panel.id).result
    found = Diagnosis(Loaded(data), result, DiagnosisChoices(n_clusters=3, how=how), StageCache(), Task()).of(
        "clusters"
    )[""]
    np.testing.assert_array_equal(found.columns["cluster"] - 1, colouring.values)
    table = compare_with_classes(colouring, data).found
    assert found.findings["hungarian_accuracy"] == table.accuracy
    assert found.findings["samples_of"] == dict(zip(table.classes, table.table.tolist(), strict=True))


def test_text_in_a_table_of_numbers_is_quoted_where_it_must_be():
    columns = {"id": np.array(["a,b", 'say "x"', "plain"]), "x": np.arange(3)}
    rows = Figure("A", Curves("x", "y", ()), columns=columns).csv()
    assert list(csv.reader(rows.splitlines())) == [["id", "x"], ["a,b", "0"], ['say "x"', "1"], ["plain", "2"]]


def test_findings_that_are_no_numbers_are_null_in_json():
    figure = Figure("A", Curves("x", "y", ()), findings={"x": float("nan"), "y": {"z": float("inf"), "w": 1.5}})
    assert json.loads(figure.json())["findings"] == {"x": None, "y": {"z": None, "w": 1.5}}
