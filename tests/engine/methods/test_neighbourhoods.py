"""Windows, nearest neighbours in all views, bursts, and which of them "auto" takes."""

import numpy as np
import pytest

from mvexplorer import datasets
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.methods.shared import neighbourhoods as nb
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import distances_of
from mvexplorer.errors import ParameterError


def stages(data, task=None, random_state=0, **params):
    data = data if isinstance(data, MultiView) else MultiView(data)
    defaults = {"neighbourhood": "auto", "neighbours": 8, "n_components": 2}
    views = range(data.n_views)
    return Stages(data, views, params={**defaults, **params}, task=task, random_state=random_state)


def members(data, **params):
    s = stages(data, **params)
    kind = nb.kind_of(s)
    return nb.neighbourhoods(s, kind, nb.size_of(s, kind)).members


def clouds(n_samples, n_views=2, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal((n_samples, 3 + k)) for k in range(n_views)]


def test_windows_by_hand():
    found = nb.windows(12, 8)
    assert found[5].tolist() == [2, 3, 4, 5, 6, 7, 8, 9]  # i - 3 .. i + 4
    assert [row[0] for row in found] == [0, 0, 0, 0, 1, 2, 3, 4, 4, 4, 4, 4]
    assert np.all(np.diff(found, axis=1) == 1)
    assert nb.windows(9, 7)[4].tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert nb.windows(5, 5).tolist() == [[0, 1, 2, 3, 4]] * 5


@pytest.mark.parametrize("n_views", [1, 2, 3])
def test_nearest_in_all_views_one_by_one(n_views):
    Xs = clouds(300, n_views)
    found = members(Xs, neighbourhood="knn", neighbours=6)
    for i in range(0, 300, 17):
        order = [np.argsort(((X - X[i]) ** 2).sum(axis=1)) for X in Xs]
        ranks = [{int(j): r for r, j in enumerate(o)} for o in order]
        by_worst = sorted(range(300), key=lambda j: (max(r[j] for r in ranks), sum(r[j] for r in ranks), ranks[0][j]))
        assert set(found[i].tolist()) == set(by_worst[:6])
        assert i in found[i]


def test_nearest_in_one_view_only_is_another_neighbourhood():
    X, Y = clouds(200)
    assert not np.array_equal(members([X, Y], neighbourhood="knn"), members([X, X], neighbourhood="knn"))


def test_numbering_does_not_matter_even_on_a_grid():
    """Every sample of a grid has many equally near ones."""
    grid = np.stack(np.meshgrid(np.arange(9.0), np.arange(7.0)), axis=-1).reshape(-1, 2)
    order = np.random.default_rng(1).permutation(63)
    found, moved = (members([X, 2 * X], neighbourhood="knn", neighbours=7) for X in (grid, grid[order]))
    np.testing.assert_array_equal(order[moved], found[order])


def test_twins_have_the_same_neighbours_in_the_same_order():
    X, Y = (np.vstack([X, X]) for X in clouds(40))
    found = members([X, Y], neighbourhood="knn", neighbours=7)
    np.testing.assert_array_equal(X[found[:40]], X[found[40:]])
    np.testing.assert_array_equal(Y[found[:40]], Y[found[40:]])


def test_auto_takes_what_the_data_have():
    t = np.linspace(0, 20, 300)
    walk = [np.column_stack([np.cos(t), np.sin(t), t / 9]), np.column_stack([t, np.sin(3 * t)])]
    shuffled = [X[np.random.default_rng(2).permutation(300)] for X in walk]
    assert nb.kind_of(stages(walk)) == "window"
    assert nb.kind_of(stages(shuffled)) == "knn"
    assert nb.kind_of(stages([walk[0], shuffled[1]])) == "knn"  # in both views
    assert nb.kind_of(stages(datasets.make_shared_latent(n_samples=30))) == "bursts"
    assert nb.kind_of(stages(datasets.make_rotating_icons())) == "window"
    for kind in ("window", "knn"):
        assert nb.kind_of(stages(datasets.make_shared_latent(n_samples=30), neighbourhood=kind)) == kind


@pytest.mark.parametrize(("near", "kind"), [(49, "knn"), (50, "window")])
def test_half_of_the_samples_decide_about_time(near, kind):
    """101 samples: `near` of the 100 steps lead to a neighbour, the others across the whole plane."""
    place = np.zeros(101)
    for i in range(100):
        place[i + 1] = place[i] + (1.0 if i < near else 1e4 * (i % 2 - 0.5) + i)
    assert nb.kind_of(stages([place, place**3 / 1e8 + place])) == kind


def test_how_many_are_nearer_than_the_next():
    X = clouds(30)[0]
    X[11] = X[10]  # one that stays in place
    distances = ((X[:, None] - X[None]) ** 2).sum(axis=-1)
    expected = [sum(distances[i, j] < distances[i, i + 1] for j in range(30) if j != i) for i in range(29)]
    assert nb._closer_than_next(distances, Task()).tolist() == expected


def test_few_samples_are_not_ordered_by_chance():
    """Among 12 samples any other is one of the 10 nearest."""
    kinds = [nb.kind_of(stages(clouds(12, seed=seed))) for seed in range(20)]
    assert kinds.count("window") <= 1


def test_bursts_are_preprocessed_as_the_view_is():
    data = datasets.make_shared_latent(n_samples=20).replace(preprocess=("zscore", "none"))
    s = stages(data)
    near = nb.neighbourhoods(s, "bursts", nb.size_of(s, "bursts"))
    assert near.size == 40
    rows = np.array([3, 17])
    X = data.Xs[0]
    np.testing.assert_allclose(near.samples(s, 0, rows), (data.bursts[0][rows] - X.mean(axis=0)) / X.std(axis=0))
    np.testing.assert_array_equal(near.samples(s, 1, rows), data.bursts[1][rows])
    swapped = Stages(data, (1, 0), params=s.params)
    np.testing.assert_array_equal(near.samples(swapped, 0, rows), data.bursts[1][rows])


def test_a_subset_does_not_depend_on_the_numbering():
    Xs = clouds(50)
    order = np.random.default_rng(3).permutation(50)
    rows = nb.subset_rows(stages(Xs), 20)
    moved = nb.subset_rows(stages([X[order] for X in Xs]), 20)
    assert len(set(rows.tolist())) == 20
    np.testing.assert_array_equal(order[moved], rows)
    assert not np.array_equal(nb.subset_rows(stages(Xs, random_state=1), 20), rows)
    assert nb.subset_rows(stages(Xs), None).tolist() == list(range(50))


def test_the_default_gives_way_to_few_samples():
    task = Task()
    s = stages(clouds(5), task)
    assert nb.size_of(s, "knn") == 5
    assert (
        dict(task.warnings)["neighbourhood"] == "The data have only 5 samples: every neighbourhood holds all of them."
    )
    assert nb.neighbourhoods(s, "knn", 5).members.shape == (5, 5)
    calm = Task()
    assert nb.size_of(stages(clouds(8), calm), "knn") == 8
    assert not calm.warnings


def test_errors():
    with pytest.raises(ParameterError, match=r"of 9 samples is larger than the data, which have 8\. Give at most 8\."):
        nb.size_of(stages(clouds(8), neighbours=9), "knn")
    with pytest.raises(ParameterError, match=r"The data hold no bursts.* Choose windows or nearest"):
        nb.kind_of(stages(clouds(8), neighbourhood="bursts"))
    data = datasets.make_shared_latent(n_samples=10)
    short = data.replace(bursts=[b[:, :2] for b in data.bursts])
    with pytest.raises(ParameterError, match=r"The bursts hold 2 repetitions of every sample.* At least 3 are needed"):
        nb.size_of(stages(short), "bursts")
    with pytest.raises(
        ParameterError, match=r"A subset of 9 is larger than the data, which have 8 samples\. Give at most"
    ):
        nb.check_subset(stages(clouds(8)), 9)
    with pytest.raises(
        ParameterError, match=r"A subset of 2 samples is too small for r = 2 coordinates\. Give at least 3"
    ):
        nb.check_subset(stages(clouds(8)), 2)


def test_the_search_can_be_stopped():
    task = Task()
    s = stages(clouds(600), task, neighbourhood="knn")
    for i in range(2):
        distances_of(s, i)
    seen = []
    task._on_progress = lambda fraction: (seen.append(fraction), task.cancel())
    with pytest.raises(Cancelled):
        nb.neighbourhoods(s, "knn", 8)
    assert len(seen) == 1
