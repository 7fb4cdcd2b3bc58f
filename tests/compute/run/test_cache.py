"""The cache of stages: bounded in bytes, least recently used out first, each result computed once."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from mvexplorer.compute.run.cache import LATEST, StageCache
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.pipeline.stages import StageKey

WAIT = 20.0
"""Seconds after which a test that hangs fails."""


def array(kilobytes):
    return np.zeros(kilobytes * 128)


def named(name):
    return StageKey(str(name), "view")


def put(cache, name, kilobytes=1):
    return cache.memo(Task())(named(name), lambda: array(kilobytes))


def must_not_run():
    raise AssertionError("computed twice")


def test_remembers():
    cache = StageCache()
    first = put(cache, "a")
    assert cache.memo(Task())(named("a"), must_not_run) is first
    assert named("a") in cache
    assert len(cache) == 1
    assert cache.bytes == 1024


def test_bytes_stay_within_the_limit():
    cache = StageCache(limit=10 * 1024)
    for i in range(50):
        put(cache, i, 1 + i % 4)
        assert cache.bytes <= cache.limit
    assert cache.bytes == sum(cache.memo(Task())(named(k), must_not_run).nbytes for k in range(50) if named(k) in cache)


def test_least_recently_used_goes_first():
    cache = StageCache(limit=3 * 1024)
    for key in "abc":
        put(cache, key)
    cache.memo(Task())(named("a"), must_not_run)
    put(cache, "d")
    assert [key for key in "abcd" if named(key) in cache] == ["a", "c", "d"]
    put(cache, "e")
    assert [key for key in "abcde" if named(key) in cache] == ["a", "d", "e"]


def test_large_results_make_room_before_small_ones():
    """A drag over kernels: the decompositions visited before stay, and of the kernels the last ones used."""
    cache = StageCache(limit=200 * 1024)
    for i in range(20):
        put(cache, f"small {i}")
    for i in range(10):
        put(cache, f"large {i}", 50)
        if i:
            cache.memo(Task())(named("large 0"), must_not_run)
    assert all(named(f"small {i}") in cache for i in range(20))
    assert [i for i in range(10) if named(f"large {i}") in cache] == [0, 8, 9]


@pytest.mark.parametrize(("stage", "kept"), [("placed", 4), ("draft", 8)])
def test_what_each_step_of_a_drag_leaves_takes_a_part_of_the_memory(stage, kept):
    """Else the answers of five hundred steps displace the distances, which each step needs."""
    cache = StageCache(limit=64 * 1024)
    put(cache, "distances", 40)
    keys = [StageKey(stage, "view", settings=(step,)) for step in range(50)]
    for key in keys:
        cache.memo(Task())(key, lambda: array(1))
    assert named("distances") in cache
    assert [key for key in keys if key in cache] == keys[-kept:]


def test_memory_lent_and_given_back_counts():
    cache, task = StageCache(limit=100 * 1024), Task()
    remember = cache.memo(task)
    lent = task.empty((60 * 128,), np.float64)
    del lent
    assert cache.buffers.spare == 60 * 1024
    remember(named("a"), lambda: array(30))
    assert cache.buffers.spare == 60 * 1024
    remember(named("b"), lambda: array(30))
    assert cache.buffers.spare == 0


def test_too_large_to_be_kept():
    cache = StageCache(limit=2 * 1024)
    put(cache, "small")
    assert put(cache, "large", 3).nbytes == 3 * 1024
    assert named("large") not in cache
    assert named("small") in cache


def test_lowering_the_limit_and_clearing():
    cache = StageCache()
    for i in range(8):
        put(cache, i)
    cache.limit = 3 * 1024
    assert cache.limit == 3 * 1024
    assert [i for i in range(8) if named(i) in cache] == [5, 6, 7]
    cache.clear()
    assert (len(cache), cache.bytes) == (0, 0)
    put(cache, 1)
    assert cache.bytes == 1024


def test_single_flight():
    """Two workers want the same result: one computes, the other gets that very object."""
    cache, entered, go_on = StageCache(), threading.Event(), threading.Event()
    count = []

    def compute():
        count.append(1)
        entered.set()
        assert go_on.wait(WAIT)
        return array(1)

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(cache.memo(Task()), named("a"), compute)
        assert entered.wait(WAIT)
        second = pool.submit(cache.memo(Task()), named("a"), compute)
        go_on.set()
        assert first.result(WAIT) is second.result(WAIT)
    assert len(count) == 1


@pytest.mark.parametrize("failure", [Cancelled, ValueError])
def test_takeover(failure):
    """Where the one that computes is cancelled or fails, one that waits computes in its place."""
    cache, entered, go_on = StageCache(), threading.Event(), threading.Event()

    def broken():
        entered.set()
        assert go_on.wait(WAIT)
        raise failure

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(cache.memo(Task()), named("a"), broken)
        assert entered.wait(WAIT)
        second = pool.submit(cache.memo(Task()), named("a"), lambda: array(2))
        go_on.set()
        with pytest.raises(failure):
            first.result(WAIT)
        assert second.result(WAIT).nbytes == 2048
    assert cache.bytes == 2048


def test_waiting_can_be_cancelled():
    cache, entered, go_on, task = StageCache(), threading.Event(), threading.Event(), Task()

    def compute():
        entered.set()
        assert go_on.wait(WAIT)
        return array(1)

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(cache.memo(Task()), named("a"), compute)
        assert entered.wait(WAIT)
        second = pool.submit(cache.memo(task), named("a"), must_not_run)
        task.cancel()
        with pytest.raises(Cancelled):
            second.result(WAIT)
        go_on.set()
        first.result(WAIT)
    assert named("a") in cache


def test_half_results_are_never_stored():
    cache = StageCache()

    def broken():
        raise Cancelled

    with pytest.raises(Cancelled):
        cache.memo(Task())(named("a"), broken)
    assert named("a") not in cache
    assert cache.bytes == 0
    put(cache, "a")
    assert named("a") in cache


class CancelAtFirstProduct(Task):
    def checkpoint(self):
        if self.products > 0:
            self.cancel()
        super().checkpoint()


def test_a_cancelled_embedding_leaves_its_finished_stages():
    """The kernels of a stopped computation serve the next one; its decomposition is not there."""
    rng = np.random.default_rng(0)
    Xs = [rng.standard_normal((300, 3)) for _ in range(2)]
    cache, task = StageCache(), CancelAtFirstProduct()
    with pytest.raises(Cancelled):
        embed(Xs, epsilon=1.0, task=task, memo=cache.memo(task))
    stages = len(cache)
    assert stages == 4  # view and kernel of both views: of few features no distances are kept
    fresh = Task()
    embed(Xs, epsilon=1.0, task=fresh, memo=cache.memo(fresh))
    # For rest, for drags, and for de Sa, which has it in common; and who is left alone in each view, what ε is typical.
    # And the walk's row sums, by which it is told how many steps stay.
    assert len(cache) == stages + 3 + 4 + 1


@pytest.mark.nightly
def test_five_hundred_moves_of_a_slider():
    rng = np.random.default_rng(0)
    Xs = [rng.standard_normal((60, 3)) for _ in range(2)]
    cache = StageCache(limit=20 * 60 * 60 * 8)
    for move in range(500):
        task = Task()
        embed(Xs, "kernel-product", epsilon=[1.0, 1.0 + move / 100], task=task, memo=cache.memo(task))
        assert cache.bytes <= cache.limit


DATA = MultiView(
    {"a": np.random.default_rng(0).standard_normal((60, 3)), "b": np.random.default_rng(1).standard_normal((60, 2))},
    labels=np.arange(60) % 3,
)
VARIED = {
    "data": ("single", {}, {"data": DATA.replace(preprocess=["zscore", "none"])}),
    "views": ("single", {"views": ["b"]}, {"views": ["a"]}),
    "order of views": ("alternating", {}, {"views": ["b", "a"]}),
    "epsilon": ("single", {}, {"epsilon": 2.0}),
    "epsilon of each view": ("kernel-product", {"epsilon": [1.0, 2.0]}, {"epsilon": [2.0, 1.0]}),
    "epsilon of a sum": ("kernel-sum", {"epsilon": [1.0, 2.0]}, {"epsilon": [2.0, 1.0]}),
    "kind": ("single", {}, {"kernel": "laplacian-l2"}),
    "metric": ("single", {"kernel": "laplacian-l2"}, {"kernel": "laplacian"}),
    "metric of a rule": ("single", {"epsilon": "median"}, {"epsilon": "median", "kernel": "laplacian"}),
    "rule": ("single", {"epsilon": "median"}, {"epsilon": "max-min"}),
    "setting of a rule": ("single", {"epsilon": "class-geometric(class_dimension=2)"},
                          {"epsilon": "class-geometric(class_dimension=1)"}),
    "labels of a rule": ("single", {"epsilon": "class-probabilistic"},
                         {"epsilon": "class-probabilistic", "data": DATA.replace(labels=DATA.Xs[0][:, 0] > 0.0)}),
    "neighbours": ("single", {"kernel": "knn-6"}, {"kernel": "knn-12"}),
    "scales": ("single", {"kernel": "self-tuning-4"}, {"kernel": "self-tuning-9"}),
    "joint neighbours": ("concatenation", {"kernel": "knn-6"}, {"kernel": "knn-12"}),
    "joint epsilon": ("concatenation", {"joint_epsilon": 1.0}, {"joint_epsilon": 3.0}),
    "landmarks": ("single", {"kernel": "landmarks-20"}, {"kernel": "landmarks-40"}),
    "random landmarks": ("single", {"kernel": "landmarks-20"}, {"kernel": "landmarks-20", "random_state": 1}),
    "joint random landmarks": ("kernel-product", {"kernel": "landmarks-20", "epsilon": 40.0},
                               {"kernel": "landmarks-20", "epsilon": 40.0, "random_state": 1}),
    "weights of a sum": ("kernel-sum", {}, {"view_weights": "1,4"}),
    "weights of a product": ("kernel-product", {}, {"view_weights": "1,4"}),
    "eta": ("multiview", {"eta": 0.2}, {"eta": 0.7}),
    "alpha": ("multiview", {}, {"alpha": 1.0}),
    "gamma": ("kernel-cca", {}, {"gamma": 1.0}),
    "centred": ("kernel-cca", {}, {"centred": True}),
    "rank": ("kernel-cca", {"cholesky_rank": 10}, {"cholesky_rank": 20}),
    "positive part": ("kernel-cca", {"kernel": "knn-9"}, {"kernel": "knn-9", "centred": True}),
    "graph": ("laplacian-mean", {"graph_neighbours": 6}, {"graph_neighbours": 12}),
    "edges": ("laplacian-mean", {}, {"edge_weights": "gaussian"}),
    "kernel graph": ("laplacian-mean", {"graph": "kernel"}, {"graph": "kernel", "epsilon": 2.0}),
    "inverses": ("harmonic-mean", {}, {"harmonic_alpha": 1.0}),
    "neighbourhoods": ("local-cca", {"neighbours": 8}, {"neighbours": 14}),
    "ridge": ("local-cca", {}, {"ridge": 1.0}),
    "random part": ("single", {"subsample": 40}, {"subsample": 50}),
    "another random part": ("single", {"subsample": 40}, {"subsample": 40, "random_state": 1}),
}  # fmt: skip
"""What stages depend on: a method, and two settings that differ in one thing."""


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("what", VARIED)
def test_nothing_made_at_other_settings_is_taken(what):
    method, before, after = VARIED[what]

    def pictured(settings, cache):
        given = {"epsilon": 1.0, "n_components": 3, "data": DATA, **settings}
        data, task = given.pop("data"), Task()
        return embed(data, method, task=task, memo=cache.memo(task), **given).coordinates

    cache = StageCache()
    former, ours, theirs = pictured(before, cache), pictured(after, cache), pictured(after, StageCache())
    size = np.abs(theirs).max()
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-7 * size)
    assert np.abs(former - theirs).max() > 1e-3 * size  # or it would make no difference what is taken


FORMS = [
    {},
    {"self_loops": False},
    {"normalisation": "doubly-stochastic"},
    {"normalisation": "doubly-stochastic", "self_loops": True},
]


def test_kernels_in_all_forms_side_by_side_are_made_once_at_every_bandwidth():
    rng = np.random.default_rng(2)
    data, cache, task = MultiView([rng.standard_normal((80, 3)) for _ in range(3)]), StageCache(), Task()
    for step, epsilon in enumerate((2.0, 2.2, 2.4), start=1):
        for form in FORMS:
            for method in ("kernel-sum", "multiview"):
                embed(data, method, epsilon=epsilon, memo=cache.memo(task), task=task, **form)
        assert cache.made["kernel"] == 12 * step


def test_of_each_form_the_latest_kernels_are_kept():
    rng = np.random.default_rng(2)
    data, cache, task = MultiView([rng.standard_normal((80, 3))]), StageCache(), Task()
    for epsilon in (2.0, 2.2, 2.4, 2.6):
        for form in FORMS:
            embed(data, "single", epsilon=epsilon, memo=cache.memo(task), task=task, **form)
    assert cache.bytes_by_stage()["kernel"] == len(FORMS) * LATEST * 8 * 80 * 80
