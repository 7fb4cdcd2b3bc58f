"""Unit rows: each sample's coordinates scaled to length 1, view by view, after λᵗ."""

import numpy as np
import pytest
from engine import dense

import mvexplorer as mvx
from mvexplorer.engine.api.between import can_be_prepared
from mvexplorer.engine.api.embedding import coordinates_of, embed
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.core.maps import new_table
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.methods import get_method, methods
from mvexplorer.engine.pipeline.unit_rows import UNIT_ROWS
from mvexplorer.engine.spectral.eigenpairs import Decomposition
from mvexplorer.errors import ParameterError

WITH_COORDINATES = [m.id for m in methods() if not m.shows_given]
PLAIN = {
    "single": dense.single,
    "kernel-sum": dense.kernel_sum,
    "kernel-product": dense.kernel_product,
    "concatenation": dense.concatenation,
    "multiview": dense.multiview,
}


def views_of(method, n_samples=60):
    chosen = get_method(method)
    Xs, epsilon = dense.views(n_samples, max(chosen.min_views, min(3, chosen.max_views or 3)))
    return Xs, tuple(4 * e for e in epsilon)


def plain_unit_rows(Y):
    """Row by row, by a loop."""
    return np.array([row / sum(float(x) ** 2 for x in row) ** 0.5 for row in Y])


def blocks_of_embedding(embedding):
    return embedding.view_coordinates or (embedding.coordinates,)


def centred_at_zero(seed=0, n_samples=25, n_features=3):
    """Samples in pairs that cancel, and a last one in their middle, which has no direction."""
    half = np.random.default_rng(seed).normal(size=(n_samples, n_features))
    return np.vstack([half, -half, np.zeros((1, n_features))])


@pytest.mark.parametrize(
    ("method", "own"),
    [
        (method, own)
        for method in WITH_COORDINATES
        for own in ([{"t": 0}, {"t": 1}] if "t" in [p.name for p in get_method(method).params] else [{}])
    ],
)
def test_rows_of_every_method_are_scaled_block_by_block(method, own):
    Xs, epsilon = views_of(method)
    plain = embed(Xs, method, epsilon=epsilon, n_components=4, **own)
    unit = embed(Xs, method, epsilon=epsilon, n_components=4, unit_rows=True, **own)
    for ours, theirs in zip(blocks_of_embedding(unit), blocks_of_embedding(plain), strict=True):
        np.testing.assert_allclose(ours, plain_unit_rows(theirs), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(unit.coordinates, np.hstack(blocks_of_embedding(unit)))
    np.testing.assert_array_equal(unit.eigenvalues, plain.eigenvalues)
    assert unit.warnings == plain.warnings


@pytest.mark.parametrize("t", [0, 1, 3])
@pytest.mark.parametrize("method", PLAIN)
def test_rows_are_those_of_a_plain_dense_walk(method, t):
    r, (Xs, epsilon) = 5, views_of(method)
    unit = embed(Xs, method, epsilon=epsilon, n_components=r, t=t, unit_rows=True)
    solution = PLAIN[method](Xs, epsilon)
    for ours, values, psi in zip(blocks_of_embedding(unit), solution.values, solution.blocks, strict=True):
        expected = plain_unit_rows(values[1 : r + 1] ** t * psi[:, 1 : r + 1])
        np.testing.assert_allclose(ours @ ours.T, expected @ expected.T, rtol=0, atol=1e-9)


def test_de_sa_has_unit_rows_by_definition():
    Xs, epsilon = views_of("de-sa")
    for r in (1, 4):
        plain, unit = (embed(Xs, "de-sa", epsilon=epsilon, n_components=r, unit_rows=on) for on in (False, True))
        np.testing.assert_array_equal(unit.coordinates, plain.coordinates)
    assert "de Sa has them by definition" in UNIT_ROWS.help


@pytest.mark.parametrize("method", WITH_COORDINATES)
def test_all_methods_that_compute_coordinates_have_the_parameter(method):
    assert [p for p in get_method(method).params if p.name == "unit_rows"] == [UNIT_ROWS]
    assert UNIT_ROWS.default is False
    assert not any(p.name == "unit_rows" for p in get_method("given").params)


@pytest.mark.parametrize("method", ["single", "multiview", "pca"])
def test_a_single_coordinate_is_refused_before_anything_is_computed(method):
    Xs, _ = views_of(method)
    with pytest.raises(ParameterError, match="Unit rows need at least two coordinates") as refused:
        plan(get_method(method), MultiView(Xs), params={"n_components": 1, "unit_rows": True})
    assert "Ask for r of 2 or more" in refused.value.hint


def test_truncation_to_a_single_coordinate_is_refused():
    Xs, epsilon = views_of("single")
    values = embed(Xs, "single", epsilon=epsilon, n_components=3).eigenvalues
    delta = float(values[2] / values[1]) ** 5 * 1.01
    assert embed(Xs, "single", epsilon=epsilon, n_components=3, t=5, delta=delta).coordinates.shape[1] == 1
    with pytest.raises(ParameterError, match="Unit rows need at least two coordinates"):
        embed(Xs, "single", epsilon=epsilon, n_components=3, t=5, delta=delta, unit_rows=True)


def test_a_sample_without_a_direction_is_left_out_and_counted():
    found = embed([centred_at_zero()], "pca", n_components=3, unit_rows=True)
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(found.coordinates).any(axis=1)), [50])
    np.testing.assert_allclose(np.linalg.norm(found.coordinates[:50], axis=1), 1.0)
    (notice,) = [text for code, text in found.warnings if code == "no-direction"]
    assert notice == (
        "1 sample has no direction: all coordinates there are 0, or rounding, and unit rows leave them out."
    )
    assert notice.level == "warning"


def test_a_sample_may_lack_a_direction_in_one_view_alone():
    Xs = [centred_at_zero(0), centred_at_zero(1)]
    Xs[1][[3, -1]] = Xs[1][[-1, 3]]
    Xs[1][[28, -1]] = Xs[1][[-1, 28]]
    found = embed(Xs, "cca", n_components=3, unit_rows=True)
    lost = [set(np.flatnonzero(np.isnan(Y).all(axis=1))) for Y in found.view_coordinates]
    assert len(lost[0]) == len(lost[1]) == 1
    assert lost[0] != lost[1]
    told = dict(found.warnings)["no-direction"]
    assert told.startswith("2 samples have no direction in a view")


def test_lengths_out_of_the_range_of_squares_are_still_lengths():
    rows = np.array([[3e-200, 4e-200], [6e-200, 8e-200], [0.0, 0.0]])
    made = coordinates_of(get_method("pca"), Decomposition(np.ones(2), (rows,)), {"n_components": 2, "unit_rows": True})
    np.testing.assert_allclose(made[0], [[0.6, 0.8], [0.6, 0.8], [np.nan, np.nan]])
    made = coordinates_of(
        get_method("pca"),
        Decomposition(np.ones(2), (rows[:2] * 1e200 * 1e180,)),
        {"n_components": 2, "unit_rows": True},
    )
    np.testing.assert_allclose(made[0], [[0.6, 0.8], [0.6, 0.8]])


def test_a_row_is_rounding_beside_the_longest():
    rows = np.array([[1.0, 1.0], [1e-11, 0.0], [1e-13, 0.0]])
    made = coordinates_of(get_method("pca"), Decomposition(np.ones(2), (rows,)), {"n_components": 2, "unit_rows": True})
    np.testing.assert_array_equal(np.isnan(made[0]).any(axis=1), [False, False, True])


def test_a_row_in_a_file_is_rounding_beside_the_longest_of_all_blocks(monkeypatch):
    monkeypatch.setattr("mvexplorer.engine.core.maps.BLOCK_BYTES", 16)
    table = new_table((3, 2), on_disk=True)
    table[:] = [[1e-13, 0.0], [0.0, 1e-3], [3.0, 4.0]]
    settings = {"n_components": 2, "unit_rows": True}
    made, _ = coordinates_of(get_method("pca"), Decomposition(np.ones(2), (table,)), settings)
    np.testing.assert_allclose(made, [[np.nan, np.nan], [0.0, 1.0], [0.6, 0.8]])


@pytest.mark.parametrize("method", ["single", "kernel-sum", "multiview", "alternating", "pca", "cca", "de-sa"])
def test_known_samples_are_placed_where_they_are(method):
    Xs, epsilon = views_of(method)
    unit = embed(Xs, method, epsilon=epsilon, n_components=3, unit_rows=True)
    for rows in (slice(0, 7), slice(4, 5)):
        placed = unit.transform([X[rows] for X in Xs])
        np.testing.assert_allclose(placed, unit.coordinates[rows], rtol=0, atol=1e-6)


def test_a_new_sample_alone_has_no_direction_where_it_has_none_among_others():
    X = centred_at_zero()
    unit = embed([X], "pca", n_components=3, unit_rows=True)
    assert np.isnan(unit.transform([X[-1:]])).all()
    np.testing.assert_allclose(unit.transform([X[:1]]), unit.coordinates[:1], atol=1e-10)


def test_samples_placed_from_a_random_part_are_scaled():
    Xs, epsilon = views_of("kernel-sum", 200)
    plain, unit = (
        embed(Xs, "kernel-sum", epsilon=epsilon, n_components=3, subsample=80, unit_rows=on) for on in (False, True)
    )
    np.testing.assert_allclose(unit.coordinates, plain_unit_rows(plain.coordinates), atol=1e-12)


@pytest.mark.parametrize(("method", "kind"), [("multiview", "diffusion"), ("jade", "heat"), ("pca", "coordinates")])
def test_distances_along_a_walk_are_not_those_of_unit_rows(method, kind):
    Xs, epsilon = views_of(method)
    plain, unit = (embed(Xs, method, epsilon=epsilon, n_components=3, unit_rows=on) for on in (False, True))
    first, second = (mvx.distances_from(each, 4) for each in (plain, unit))
    assert first.kind == second.kind == kind
    if kind == "coordinates":
        np.testing.assert_allclose(second.squared, np.square(unit.coordinates - unit.coordinates[4]).sum(axis=1))
    else:
        np.testing.assert_array_equal(first.squared, second.squared)
        np.testing.assert_array_equal(first.cross, second.cross)


def test_a_long_walk_is_told_by_what_is_drawn():
    """A sample without a direction is no sign that all have vanished."""
    X = centred_at_zero(n_samples=60)
    found = embed([X], "single", epsilon=20.0, n_components=3, t=1, unit_rows=True)
    assert "vanished" not in dict(found.warnings)


def test_drafts_that_would_lack_coordinates_are_not_prepared():
    data = MultiView(views_of("multiview")[0])
    for r, on, able in ((24, True, True), (25, True, False), (25, False, True)):
        asked = plan(get_method("multiview"), data, params={"n_components": r, "unit_rows": on})
        assert can_be_prepared(asked) is able


def test_scores_leave_samples_without_a_place_out():
    Y = np.random.default_rng(0).normal(size=(60, 3))
    classes, angle = np.arange(60) % 3, np.linspace(0.0, 6.0, 60)
    Y[:, 0] += 3.0 * classes
    torn, kept = Y.copy(), np.delete(np.arange(60), [5, 9])
    torn[[5, 9]] = np.nan
    for score in (mvx.metrics.nmi, mvx.metrics.accuracy, mvx.metrics.knn_accuracy, mvx.metrics.silhouette):
        assert score(torn, classes) == score(Y[kept], classes[kept])
    for score in (mvx.metrics.knn_r2, mvx.metrics.knn_resultant, mvx.metrics.first_spearman, mvx.metrics.ring_order):
        assert score(torn, angle) == score(Y[kept], angle[kept])
    X = np.random.default_rng(1).normal(size=(60, 4))
    assert mvx.metrics.trustworthiness(torn, X) == mvx.metrics.trustworthiness(Y[kept], X[kept])
    assert mvx.metrics.continuity(torn, X) == mvx.metrics.continuity(Y[kept], X[kept])


def test_label_free_scores_leave_samples_without_a_place_out():
    X = centred_at_zero(n_samples=40)
    unit = embed([X], "pca", n_components=3, unit_rows=True)
    found = mvx.label_free(unit, [X])
    kept = embed([X[:-1]], "pca", n_components=3, unit_rows=True)
    expected = mvx.label_free(kept, [X[:-1]])
    assert found.trustworthiness.value == pytest.approx(expected.trustworthiness.value, abs=1e-12)
    assert found.neighbours_kept.value == pytest.approx(expected.neighbours_kept.value, abs=1e-12)


def test_an_estimator_has_the_parameter():
    Xs, epsilon = views_of("single")
    model = mvx.MultiViewEmbedding("single", epsilon=epsilon[0], n_components=3, unit_rows=True)
    expected = embed(Xs[:1], "single", epsilon=epsilon[0], n_components=3, unit_rows=True)
    np.testing.assert_array_equal(model.fit_transform(Xs[0]), expected.coordinates)
    np.testing.assert_allclose(np.linalg.norm(model.transform(Xs[0][:4]), axis=1), 1.0)


def test_a_sweep_goes_over_rows_as_they_are_and_unit_rows():
    Xs, epsilon = views_of("single")
    data = MultiView(Xs[:1], labels=np.arange(60) % 3)
    swept = mvx.sweep(data, "single", {"unit_rows": [True, "false"]}, scores=["knn"], epsilon=epsilon[0])
    assert swept["unit_rows"].to_list() == [True, False]
    for on, knn in zip(swept["unit_rows"], swept["knn"], strict=True):
        alone = embed(data, "single", epsilon=epsilon[0], unit_rows=on)
        assert knn == mvx.metrics.knn_accuracy(alone.coordinates, data.labels).value


def test_a_sweep_refuses_what_is_no_choice():
    data = MultiView(views_of("single")[0], labels=np.arange(60) % 3)
    with pytest.raises(ParameterError, match="Unit rows cannot be 'maybe'"):
        mvx.sweep(data, "single", {"unit_rows": ["maybe"]}, scores=["knn"])
