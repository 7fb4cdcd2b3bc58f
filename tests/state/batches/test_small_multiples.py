"""Small multiples: the grid of the document, its pictures, and how they lie on each other."""

import numpy as np
import pytest
from inline import Inline, opened

from mvexplorer.compute.jobs import jobs
from mvexplorer.compute.jobs.runner import Scores
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.hidden_scores import ring_order
from mvexplorer.errors import ComputeError, ParameterError
from mvexplorer.state.batches.multiples_run import SmallMultiples
from mvexplorer.state.document import commands
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.multiples_grid import grid_of
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.drawing import turned
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.requests import request_of

FACTORS = (0.5, 1.0, 2.0)


@pytest.fixture(autouse=True)
def _no_scores(monkeypatch):
    monkeypatch.setattr(jobs, "run_scores", lambda *_: Scores())


class Seen:
    """A document with small multiples, and what was refused."""

    def __init__(self):
        self.document = opened()
        self.controller = Controller(self.document, executor=Inline(), background=Inline())
        self.editor = Editor(self.document, self.controller)
        self.multiples = SmallMultiples(self.controller, workers=1)
        self.refused = []
        self.editor.failed.connect(lambda error: self.refused.append(str(error)))

    def show(self, **changes):
        done = self.editor.change_multiples("Small multiples", shown=True, **changes)
        self.multiples.refresh()
        return done


@pytest.fixture
def seen():
    made = Seen()
    yield made
    made.controller.shutdown()


def test_pictures_are_those_of_the_methods_at_the_values(seen):
    state, data = seen.document.state, seen.document.data
    assert seen.show(column_values=FACTORS)
    grid = seen.multiples.grid
    assert grid.columns == FACTORS
    assert len(grid.titles) == len(state.panels)
    for i, panel in enumerate(state.panels):
        for j, factor in enumerate(FACTORS):
            found = seen.multiples.result(i, j).result.embedding
            there = state.model_copy(update={"epsilon_scale": factor})
            asked = request_of(there, data, panel)
            params = {n: v for n, v in dict(asked.params).items() if n != "view_weights"}
            expected = embed(
                data, panel.method, views=list(asked.views) if panel.method != "single" else None,
                epsilon={v: b.given for v, b in zip(asked.views, asked.epsilon, strict=True)}, **params,
            )  # fmt: skip
            np.testing.assert_allclose(np.abs(found.coordinates), np.abs(expected.coordinates), atol=1e-6)


def test_pictures_come_back_with_a_document_that_was_set_aside(seen, monkeypatch):
    seen.show(column_values=FACTORS)
    m, document = seen.multiples, seen.document
    before = [m.result(i, j).result for i in range(len(m.grid.titles)) for j in range(len(FACTORS))]
    assert not m.missing
    other = opened()
    aside = document.set_aside(other.state, other.data)
    assert m.grid is None
    document.bring_back(aside)
    monkeypatch.setattr(m, "_runner", None)  # nothing may be computed
    m._stop_all = lambda: None
    m.refresh()
    assert [m.result(i, j).result for i in range(len(m.grid.titles)) for j in range(len(FACTORS))] == before


def test_each_picture_lies_on_its_neighbour(seen):
    seen.show(columns="eta", column_values=(0.0, 0.1, 0.2, 0.3))
    m = seen.multiples
    assert m.centre == 0, "the document's own η"
    for i in range(len(m.grid.titles)):
        for j in range(1, 4):
            A, B = m.result(i, j - 1).drawing.points, m.result(i, j).drawing.points
            A, B = A - A.mean(axis=0), B - B.mean(axis=0)
            s = np.linalg.svd(B.T @ A, compute_uv=False)
            assert np.sum(A * B) == pytest.approx(s.sum(), rel=1e-6), "no rotation brings it nearer"


def near(a, b):
    return np.abs(a - b).max() < 1e-6


@pytest.mark.parametrize("rows", ["panels", "methods"])
def test_pictures_are_turned_as_the_panels(seen, rows):
    """The picture at the present values is the panel's own, as this is turned."""
    seen.controller.refresh()
    state, m = seen.document.state, seen.multiples
    results = [seen.controller.results[panel.id] for panel in state.shown]
    for result in results:
        result.drawing = flipped(result.drawing)
    seen.show(rows=rows, columns="epsilon_scale", column_values=FACTORS)
    pictures = {(p.method, p.view): m.result(i, 1).drawing.points for i, (_, p, _) in enumerate(m.grid.panels)}
    for panel, result in zip(state.shown, results, strict=True):
        assert near(pictures[panel.method, panel.view], result.drawing.points), panel.method


def flipped(drawing):
    """A drawing as a user's session may have it: upside down, and its axes exchanged."""
    return turned(drawing, -drawing.points[:, ::-1])


def test_rows_of_values_begin_as_their_panel_and_each_lies_on_the_one_above(seen):
    seen.controller.refresh()
    panel = next(p for p in seen.document.state.panels if p.method == "multiview")
    result = seen.controller.results[panel.id]
    result.drawing = flipped(result.drawing)
    seen.show(rows="t", row_values=(1, 2), columns="eta", column_values=(0.0, 0.5), panel=panel.id)
    first, second = (seen.multiples.result(i, 0).drawing.points for i in range(2))
    assert near(first, result.drawing.points)
    A, B = first - first.mean(axis=0), second - second.mean(axis=0)
    assert np.sum(A * B) == pytest.approx(np.linalg.svd(B.T @ A, compute_uv=False).sum(), rel=1e-6)


def test_of_two_parameters_the_pictures_next_to_the_present_one_come_first(seen):
    panel, came = next(p for p in seen.document.state.panels if p.method == "multiview"), as_they_come(seen)
    seen.show(rows="t", row_values=(1, 2, 3), columns="eta", column_values=(0.0, 0.3, 0.6), panel=panel.id)
    grid = seen.multiples.grid
    assert [seen.multiples.present(axis) for axis in (grid.across, grid.down)] == [0.0, 1.0]
    assert len(came) == grid.size
    distances = [i + j for i, j in came]
    assert distances == sorted(distances)


def as_they_come(seen):
    """The places of pictures, in the order in which they are there."""
    came = []

    def arrived(*place):
        if seen.multiples.result(*place).status == "ready" and place not in came:
            came.append(place)

    seen.multiples.arrived.connect(arrived)
    return came


def test_ingredients_come_in_the_order_in_which_they_are_read(seen):
    came = as_they_come(seen)
    seen.editor.compare_ingredients(seen.document.state.panels[0].id)
    seen.multiples.refresh()
    columns = [column for _, column in came]
    assert len(columns) > 3
    assert columns == sorted(columns)


def test_rows_can_lie_on_given_pictures(seen):
    rng = np.random.default_rng(0)
    given = [rng.normal(size=(seen.document.data.n_samples, 2)) for _ in seen.document.state.panels]
    chosen = seen.document.state.multiples.model_copy(update={"column_values": FACTORS})
    seen.multiples.ask(seen.document.state.model_copy(update={"multiples": chosen}), onto=given)
    for i, A in enumerate(given):
        B = seen.multiples.result(i, 1).drawing.points
        A, B = A - A.mean(axis=0), B - B.mean(axis=0)
        s = np.linalg.svd(B.T @ A, compute_uv=False)
        assert np.sum(A * B) == pytest.approx(s.sum(), rel=1e-6)


def test_two_parameters_of_one_panel(seen):
    panel = next(p for p in seen.document.state.panels if p.method == "multiview")
    assert seen.show(rows="eta", row_values=(0.0, 0.5), columns="t", column_values=(1, 2), panel=panel.id)
    m = seen.multiples
    assert [[p.pins for p in row] for row in m.grid.panels] == [
        [{"eta": eta, "t": t} for t in (1, 2)] for eta in (0.0, 0.5)
    ]
    params = m.result(1, 1).result.embedding.params
    assert (params["eta"], params["t"]) == (0.5, 2)
    assert set(m.grid.titles) == {"Multi-view"}


def test_a_parameter_that_a_method_lacks_is_computed_once(seen):
    seen.show(columns="eta", column_values=(0.0, 0.3, 0.6))
    m, panels = seen.multiples, seen.document.state.panels
    flat = [m.flat(i) for i in range(len(panels))]
    assert flat == [p.method not in ("multiview", "desa") for p in panels] or any(flat)
    i = flat.index(True)
    assert m.result(i, 0).result is m.result(i, 2).result
    assert "eta" not in m.panel(i, 1).pins


def test_the_nearest_to_the_present_come_first(seen):
    came = []
    seen.multiples.arrived.connect(lambda i, j: came.append((i, j)))
    seen.editor.set_scale(2.0)
    seen.show(column_values=(0.25, 0.5, 1.0, 2.0))
    assert next(iter(came))[1] == 3
    order = [j for i, j in dict.fromkeys(came) if i == 0]
    assert order == [3, 2, 1, 0]


def test_a_failed_picture_says_why_and_the_rest_goes_on(seen, monkeypatch):
    from mvexplorer.compute.batch import sweep_path

    usual = sweep_path.run_request

    def failing(request, cache, task):
        if request.method == "multiview" and dict(request.params)["t"] == 2:
            raise ComputeError("It fell over.", "Push.")
        return usual(request, cache, task)

    monkeypatch.setattr(sweep_path, "run_request", failing)
    seen.show(columns="t", column_values=(1, 2, 3))
    m = seen.multiples
    row = [p.method for p in seen.document.state.panels].index("multiview")
    assert str(m.result(row, 1).error) == "It fell over. Push."
    assert all(m.result(row, j).drawing.points is not None for j in (0, 2))
    assert m.missing == 0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"columns": "eta", "rows": "eta"}, "Rows and columns are both"),
        ({"columns": "eta", "column_values": (0.5, 1.5)}, "cannot be 1.5"),
        ({"column_values": tuple(0.1 * k for k in range(1, 130))}, "are too many"),
        ({"rows": "nonsense"}, "No panel on show has nonsense"),
    ],
)
def test_a_grid_that_cannot_be_made_is_refused(seen, changes, words):
    assert not seen.show(**changes)
    assert words in seen.refused[0]
    assert not seen.document.state.multiples.shown


def test_a_grid_of_one(seen):
    assert seen.show(column_values=(1.0,), rows="t", row_values=(1,))
    assert seen.multiples.grid.size == 1
    assert seen.multiples.result(0, 0).drawing.points is not None


def test_a_long_grid_tells_its_time_first(seen, monkeypatch):
    from mvexplorer.state.batches import multiples_run

    monkeypatch.setattr(multiples_run, "LONG", 0.0)
    seen.show(column_values=FACTORS)
    m = seen.multiples
    assert m.asked.seconds > 0.0
    assert m.missing == m.total
    m.go_on(agreed=True)
    assert m.missing == 0
    assert m.asked is None


def test_a_picture_becomes_a_panel_with_its_pins_and_undo_takes_it_back(seen):
    seen.show(column_values=FACTORS)
    before = seen.document.state
    picture = seen.multiples.panel(0, 2)
    assert seen.editor.take_multiple(picture, "Show it")
    panel = seen.document.state.panels[-1]
    assert panel.pins == picture.pins
    assert panel.pins["epsilon:" + panel.view if panel.view else next(iter(panel.pins))] == "2.0*robust"
    assert not seen.document.state.multiples.shown
    assert seen.editor.focused == panel.id
    seen.document.undo()
    assert seen.document.state == before


def test_a_thirteenth_panel_is_refused(seen):
    while len(seen.document.state.panels) < 12:
        commands.add_panel(seen.document, "multiview")
    seen.show(column_values=(1.0,))
    assert not seen.editor.take_multiple(seen.multiples.panel(0, 0), "Show it")
    assert "already 12 panels" in seen.refused[0]
    assert seen.document.state.multiples.shown


def test_it_is_saved_and_known_answers_are_kept(seen):
    seen.show(column_values=FACTORS, rows="panels")
    state = seen.document.state
    assert DocumentState.model_validate_json(state.model_dump_json()).multiples == state.multiples
    kept = seen.multiples.result(0, 1).result
    seen.show(column_values=(0.5, 1.0, 2.0, 4.0))
    assert seen.multiples.result(0, 1).result is kept
    assert seen.multiples.result(0, 3).result is not None
    seen.document.reset(DocumentState(), None)
    assert seen.multiples.grid is None


def test_grid_without_panels():
    with pytest.raises(ParameterError, match="No panel is open"):
        grid_of(DocumentState())


def test_what_is_drawn_is_scored_on_the_axes_of_each_picture_and_another_variable_is_not_told(seen):
    data = seen.document.data
    angle = data.latent["angle"]
    seen.show(column_values=(1.0,))
    commands.change_panel(seen.document, "p6", "Axes", axes=(0, 2, 1))
    seen.multiples.refresh()
    found = seen.multiples.result(5, 0)
    drawn = np.mean(found.result.embedding.view_coordinates, axis=0)[:, [0, 2]]
    assert found.scores.hidden.order == ring_order(drawn, angle)
    commands.colour_by(seen.document, "column:mass")
    seen.multiples.refresh()
    assert seen.multiples.result(5, 0).scores.hidden is None
