"""What holds for every registered method, whatever it computes."""

import pickle
import threading
import time
from itertools import product

import dense
import numpy as np
import pytest
from reporting import Reporting

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.bandwidth.table import bandwidth_rules
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.kernels.affinities import kernel_kinds
from mvexplorer.engine.methods import get_method, methods
from mvexplorer.engine.methods.shared import families
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.errors import ComputeError, DataError, ParameterError

COMPUTING = [m for m in methods() if not m.shows_given]
"""Those that compute something from views; what shows given coordinates has tests of its own, in test_given.py."""
ALL = [m.id for m in COMPUTING]
SOLVERS = [
    *((m, {}) for m in ALL),
    ("multiview", {"eta": 0.3}),
    ("multiview", {"eta": 1.0}),
    ("multiview", {"alpha": 1.0}),
    ("single", {"alpha": 1.0}),
    ("kernel-cca", {"centred": True}),
    ("kernel-cca", {"cholesky_rank": 30}),
    ("alternating", {"symmetric": True}),
]
WALKS = {"single", "concatenation", "kernel-product", "kernel-sum", "multiview", "de-sa", "alternating", "mgc"}
"""Random walks on kernels of bandwidth ε: the trivial eigenvalue is 1, and the others say what is connected."""


NIGHTLY = pytest.mark.nightly
ITERATES_LONG = {"jade", "co-regularized", "tensor-cca"}
"""Methods that iterate for long over 300 samples: these are computed every night."""


def sized(few, many):
    """Every solver with few samples, where LAPACK sees the whole operator, and with many, where it is iterated."""
    found = []
    for (method, params), n in product(SOLVERS, (few, many)):
        long = n == many and method in ITERATES_LONG
        n_samples = min(n, 20) if method == "jade" and not long else n  # a sweep turns every two of the samples
        name = "-".join([method, *(f"{key}={value}" for key, value in params.items()), str(n_samples)])
        found.append(pytest.param(method, params, n_samples, marks=[NIGHTLY] if long else [], id=name))
    return found


def views_of(method, n_samples, seed=0, most=3):
    """As many views as the method can take, at most three, with an ε for each."""
    chosen = get_method(method)
    Xs, epsilon = dense.views(n_samples, max(chosen.min_views, min(most, chosen.max_views or most)), seed)
    # The product of several kernels is narrow: with a wider ε its graph holds together.
    return Xs, tuple(4 * e for e in epsilon) if method == "kernel-product" else epsilon


@pytest.mark.parametrize("chosen", methods(), ids=[m.id for m in methods()])
def test_declaration(chosen: Method):
    texts = (chosen.id, chosen.title, chosen.formula, chosen.summary, chosen.source)
    assert all(texts)
    assert chosen.latex
    assert chosen.family in vars(families).values()
    names = [p.name for p in chosen.params]
    assert len(set(names)) == len(names)
    assert ("n_components" in names) != chosen.shows_given
    for p in chosen.params:
        assert p.help
        assert p.check(p.default) == p.default


@pytest.mark.parametrize("r", [1, pytest.param(2, marks=NIGHTLY), 5])
@pytest.mark.parametrize(("method", "params", "n_samples"), sized(30, 300))
def test_shapes(method, params, r, n_samples):
    Xs, epsilon = views_of(method, n_samples)
    e = embed(Xs, method, epsilon=epsilon, n_components=r, **params)
    chosen = get_method(method)
    if chosen.per_view:
        assert [Y.shape for Y in e.view_coordinates] == [(n_samples, r)] * len(Xs)
        np.testing.assert_array_equal(e.coordinates, np.hstack(e.view_coordinates))
    else:
        assert e.view_coordinates == ()
        assert e.coordinates.shape == (n_samples, r)
    assert e.coordinates.dtype == np.float64
    assert np.isfinite(e.coordinates).all()
    assert np.isfinite(e.eigenvalues).all()
    if method in WALKS:
        assert e.eigenvalues[0] == 1.0
    steps = np.diff(np.abs(e.eigenvalues))
    assert np.all(steps <= 1e-9) or np.all(steps >= -1e-9)
    assert e.views == tuple(f"view{i + 1}" for i in range(len(Xs)))
    assert e.epsilon == epsilon[: len(Xs)]
    assert e.method == method


@pytest.mark.parametrize(("method", "params", "n_samples"), sized(40, 300))
def test_deterministic(method, params, n_samples):
    Xs, epsilon = views_of(method, n_samples)
    first, second = (embed(Xs, method, epsilon=epsilon, **params) for _ in range(2))
    np.testing.assert_array_equal(first.coordinates, second.coordinates)
    np.testing.assert_array_equal(first.eigenvalues, second.eigenvalues)


@pytest.mark.parametrize(("method", "params", "n_samples"), sized(50, 300))
def test_equivariant_under_permuting_samples(method, params, n_samples):
    Xs, epsilon = views_of(method, n_samples)
    order = np.random.default_rng(1).permutation(n_samples)
    e = embed(Xs, method, epsilon=epsilon, **params)
    moved = embed([X[order] for X in Xs], method, epsilon=epsilon, **params)
    np.testing.assert_allclose(moved.coordinates, e.coordinates[order], rtol=0, atol=1e-7 * np.abs(e.coordinates).max())


@pytest.mark.parametrize("method", ALL)
def test_forms_of_input(method):
    Xs, epsilon = views_of(method, 20)
    Xs = [np.round(64 * X) / 64 for X in Xs]  # exact in float32 as well
    expected = embed(Xs, method, epsilon=epsilon).coordinates
    names = [f"view{i + 1}" for i in range(len(Xs))]
    for given in (
        [X.tolist() for X in Xs],
        [X.astype(np.float32) for X in Xs],
        [np.asfortranarray(X) for X in Xs],
        dict(zip(names, Xs, strict=True)),
        MultiView(Xs),
    ):
        np.testing.assert_array_equal(embed(given, method, epsilon=epsilon).coordinates, expected)


@pytest.mark.parametrize(("method", "params"), SOLVERS)
def test_data_are_left_alone(method, params):
    Xs, epsilon = views_of(method, 40)
    before = [X.copy() for X in Xs]
    kept = {}

    def memo(key, compute):
        return kept[key] if key in kept else kept.setdefault(key, compute())

    first = embed(Xs, method, epsilon=epsilon, memo=memo, **params).coordinates
    second = embed(Xs, method, epsilon=epsilon, memo=memo, **params).coordinates  # from what is remembered
    np.testing.assert_array_equal(first, second)
    for X, b in zip(Xs, before, strict=True):
        np.testing.assert_array_equal(X, b)


# --- leaving the process -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("declared", [*methods(), *bandwidth_rules(), *kernel_kinds()], ids=lambda d: d.id)
def test_what_is_declared_survives_pickle(declared):
    assert pickle.loads(pickle.dumps(declared)) == declared


@pytest.mark.parametrize("method", ALL)
def test_a_decomposition_survives_pickle(method):
    Xs, epsilon = views_of(method, 40)
    found = embed(Xs, method, epsilon=epsilon).decomposition
    back = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(back.eigenvalues, found.eigenvalues)
    for theirs, ours in zip(back.blocks, found.blocks, strict=True):
        np.testing.assert_array_equal(theirs, ours)
    assert (back.info, back.warnings) == (found.info, found.warnings)


# --- stopping ---------------------------------------------------------------------------------------------------


AT_ONCE = {"pca", "cca", "diffusion-representation"}
"""Methods without an iteration to stop: a few small dense calls."""


class CancelAfter(Task):
    """Cancels itself once `limit` operator applications are done."""

    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def checkpoint(self):
        if self.products >= self.limit:
            self.cancel()
        super().checkpoint()


@pytest.mark.parametrize("n_samples", [300, pytest.param(1500, marks=NIGHTLY)])
@pytest.mark.parametrize(
    ("method", "params"), [pytest.param(*each, marks=NIGHTLY if each[0] == "jade" else ()) for each in SOLVERS]
)
def test_cancellation(method, params, n_samples):
    Xs, epsilon = views_of(method, n_samples)
    kept = {}

    def memo(key, compute):
        if key.stage == "decomposition":
            return compute()
        return kept[key] if key in kept else kept.setdefault(key, compute())

    early = Task()
    early.cancel()
    with pytest.raises(Cancelled):
        embed(Xs, method, epsilon=epsilon, task=early, **params)
    assert early.products == 0
    complete = Task()
    embed(Xs, method, epsilon=epsilon, task=complete, memo=memo, **params)
    if method in AT_ONCE:
        return
    assert complete.products > 2
    task = CancelAfter(complete.products // 2)
    with pytest.raises(Cancelled):
        embed(Xs, method, epsilon=epsilon, task=task, memo=memo, **params)
    assert task.products <= complete.products // 2 + 1


@pytest.mark.parametrize("method", ALL)
def test_progress_runs_from_0_to_1(method):
    Xs, epsilon = views_of(method, 60 if method == "jade" else 300)
    task = Reporting()
    embed(Xs, method, epsilon=epsilon, task=task)
    assert task.reported
    assert all(0.0 <= f <= 1.0 + 1e-12 for f in task.reported)


def longest_gap(work):
    """Longest pause in seconds of a thread that ticks while `work` runs on another one."""
    done = threading.Event()
    worker = threading.Thread(target=lambda: (work(), done.set()))
    worker.start()
    gap, last = 0.0, time.perf_counter()
    while not done.wait(0.001):
        now = time.perf_counter()
        gap, last = max(gap, now - last), now
    worker.join()
    return gap


@pytest.mark.timing
@pytest.mark.parametrize(("method", "params"), SOLVERS)
def test_other_threads_go_on(method, params):
    """No method holds the interpreter for long: neither iterating (M 1000) nor with LAPACK (r > M / 3)."""
    Xs, epsilon = views_of(method, 1000)
    few, few_epsilon = views_of(method, 240)
    embed(few, method, epsilon=few_epsilon, **params)  # imports

    def work():
        embed(Xs, method, epsilon=epsilon, **params)
        embed(few, method, epsilon=few_epsilon, n_components=100, **params)

    best = control = float("inf")
    for _ in range(3):
        best = min(best, longest_gap(work))
        control = min(control, longest_gap(lambda: threading.Event().wait(0.3)))
        if best <= 0.05:
            return
    assert best <= max(0.05, 3 * control)


ONE_CALL = {"kernel-cca", "harmonic-mean", "squared-mean"}
"""Methods that may be inside a single LAPACK call of seconds, which cannot be stopped."""


@pytest.mark.timing
@pytest.mark.slow
@pytest.mark.parametrize("method", ALL)
def test_stops_soon_after_a_cancel(method):
    """Wherever it is, within a tenth of a second at M 2000."""
    Xs, epsilon = views_of(method, 2000)
    start = time.perf_counter()
    embed(Xs, method, epsilon=epsilon)
    whole = time.perf_counter() - start

    def latency(moment):
        task, ended = Task(), []

        def work():
            try:
                embed(Xs, method, epsilon=epsilon, task=task)
            except Cancelled:
                ended.append(time.perf_counter())

        worker = threading.Thread(target=work)
        worker.start()
        time.sleep(moment * whole)
        asked = time.perf_counter()
        task.cancel()
        worker.join()
        return ended[0] - asked if ended else 0.0

    bar = 5.0 if method in ONE_CALL else 0.1
    for moment in (0.2, 0.5, 0.8):
        assert any(latency(moment) <= bar for _ in range(3)), moment


# --- awkward data -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_samples", [3, 4, 5])
@pytest.mark.parametrize(("method", "params"), SOLVERS)
def test_tiny(method, params, n_samples):
    if (method == "difference" or params.get("symmetric")) and n_samples == 3:
        pytest.skip("of three samples one has no neighbours, for which there is no doubly stochastic kernel")
    if method == "view-specific":
        pytest.skip("other views' smooth functions leave too little of so few samples, which it says")
    if params.get("cholesky_rank", 0) > n_samples:
        params = {"cholesky_rank": n_samples}
    Xs, epsilon = views_of(method, n_samples, most=2 if method == "jointly-smooth" else 3)
    if method == "jointly-smooth" and n_samples < 5:  # two functions of each view, the constant among them
        with pytest.raises(ParameterError, match=f"{n_samples} samples are too few.*Give at least 5 samples"):
            embed(Xs, method, epsilon=epsilon, n_components=1)
        return
    e = embed(Xs, method, epsilon=tuple(20 * x for x in epsilon), n_components=1, **params)
    assert np.isfinite(e.coordinates).all()
    most = n_samples - (2 if get_method(method).first_component == 1 else 1)
    e = embed(Xs, method, epsilon=epsilon, n_components=most, **params)
    assert np.isfinite(e.coordinates).all()


@pytest.mark.parametrize("method", ALL)
def test_two_samples_are_too_few(method):
    Xs, _ = views_of(method, 2)
    with pytest.raises(DataError, match=r"The data has 2 samples. At least 3"):
        embed(Xs, method)


@pytest.mark.parametrize("epsilon", ["median", 0.5, *(pytest.param(e, marks=NIGHTLY) for e in ("max-min", "std"))])
@pytest.mark.parametrize(("method", "params", "n_samples"), sized(30, 280))
def test_duplicate_points(method, params, n_samples, epsilon):
    """Twins lie at the same place."""
    params = {**params, "n_smooth": 4} if method == "view-specific" else params  # more would leave nothing of 15
    if "symmetric" in params and n_samples == 30 and epsilon == 0.5:
        pytest.skip("twins that neighbour only each other change places at every step that does not stay")
    Xs, _ = views_of(method, n_samples // 2)
    e = embed([np.vstack([X, X]) for X in Xs], method, epsilon=epsilon, **params)
    first, second = np.split(e.coordinates, 2)
    np.testing.assert_allclose(first, second, rtol=0, atol=1e-6 * np.abs(e.coordinates).max())


@pytest.mark.parametrize(("method", "params", "n_samples"), sized(30, 300))
def test_constant_columns(method, params, n_samples):
    Xs, epsilon = views_of(method, n_samples)
    expected = embed(Xs, method, epsilon=epsilon, **params).coordinates
    for constant in (1.0, 1e6):
        padded = [np.column_stack([X, np.full(n_samples, constant)]) for X in Xs]
        e = embed(padded, method, epsilon=epsilon, **params)
        np.testing.assert_allclose(e.coordinates, expected, rtol=0, atol=1e-7 * np.abs(expected).max())
    scored = MultiView([np.column_stack([X, np.ones(n_samples)]) for X in Xs], preprocess="zscore")
    assert np.isfinite(embed(scored, method, epsilon="max-min", **params).coordinates).all()


@pytest.mark.parametrize(("method", "params", "n_samples"), sized(30, 300))
def test_constant_view(method, params, n_samples):
    """A view whose samples are all the same point: every method still answers, and rules say why they cannot."""
    Xs, epsilon = views_of(method, n_samples)
    Xs = [np.ones_like(Xs[0]), *Xs[1:]]
    assert np.isfinite(embed(Xs, method, epsilon=epsilon, **params).coordinates).all()
    chosen = get_method(method)
    if chosen.epsilon_matters({p.name: p.default for p in chosen.params}):
        with pytest.raises(DataError, match="All samples of view “view1” are the same point"):
            embed(Xs, method, **params)


@pytest.mark.parametrize("shrink", [1e-16, pytest.param(1e16, marks=NIGHTLY)])
@pytest.mark.parametrize(("method", "params"), SOLVERS)
def test_scales_of_views_do_not_matter(method, params, shrink):
    """ε follows each view's units, so that a view 1e16 times smaller counts as much as the others."""
    if method in ("concatenation", "pca"):
        pytest.skip("the views' features side by side: scales are meant to matter")
    Xs, epsilon = views_of(method, 40)
    expected = embed(Xs, method, epsilon=epsilon, **params).coordinates
    scaled = embed([Xs[0] * shrink, *Xs[1:]], method, epsilon=(epsilon[0] * shrink**2, *epsilon[1:]), **params)
    np.testing.assert_allclose(scaled.coordinates, expected, rtol=0, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize("shrink", [1e-16, pytest.param(1e16, marks=NIGHTLY)])
@pytest.mark.parametrize("method", ALL)
def test_scales_of_views_at_one_epsilon(method, shrink):
    Xs, _ = views_of(method, 40)
    e = embed([Xs[0] * shrink, *Xs[1:]], method, epsilon=1.0)
    assert np.isfinite(e.coordinates).all()


@pytest.mark.parametrize("epsilon", [5e-324, 1e30, *(pytest.param(e, marks=NIGHTLY) for e in (1e-300, 1e-30, 1e300))])
@pytest.mark.parametrize(("method", "params", "n_samples"), sized(30, 300))
def test_extreme_bandwidths(method, params, n_samples, epsilon):
    """All alone, or all the same: an answer of finite numbers and a warning where there is no geometry."""
    Xs, _ = views_of(method, n_samples)
    if (method == "difference" or "symmetric" in params) and epsilon < 1:
        # no doubly stochastic kernel without self-loops
        with pytest.raises(ComputeError, match=f"{n_samples} samples have no neighbours.* Enlarge ε"):
            embed([1e5 * X for X in Xs], method, epsilon=epsilon, **params)
        return
    e = embed([1e5 * X for X in Xs], method, epsilon=epsilon, **params)
    assert np.isfinite(e.coordinates).all()
    if method not in WALKS:
        return
    if epsilon < 1:
        assert "disconnected" in dict(e.warnings)
        np.testing.assert_allclose(e.eigenvalues, 1.0, atol=1e-9)
    elif params.get("eta") != 1.0:
        level = (n_samples - 1) ** -2 if "symmetric" in params else 0.0  # steps that never stay, twice
        np.testing.assert_allclose(e.eigenvalues[1:], level, atol=1e-9)


@pytest.mark.parametrize("n_samples", [60, 400])
@pytest.mark.parametrize(("method", "params"), [s for s in SOLVERS if s[0] in WALKS])
def test_disconnected_graph(method, params, n_samples):
    Xs, _ = views_of(method, n_samples)
    piece = np.arange(n_samples) % 3
    far = [np.column_stack([X / np.abs(X).max(), 1e3 * piece]) for X in Xs]
    e = embed(far, method, epsilon=1.0, **params)
    assert "3 unconnected pieces" in dict(e.warnings)["disconnected"]  # at least: no further eigenvalue is known
    more = embed(far, method, epsilon=1.0, **{**params, "n_components": 5})
    sizes = " and ".join([f"{n_samples // 3 + (n_samples % 3 > 0)}, {n_samples // 3}", str(n_samples // 3)])
    assert dict(more.warnings)["pieces"].startswith(f"In pieces of {sizes} samples")
    together = embed(Xs, method, epsilon="median", **params)
    assert not {"disconnected", "pieces"} & set(dict(together.warnings))


# --- wrong use ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ALL)
class TestParameterErrors:
    def fails(self, method, match, **params):
        Xs, _ = views_of(method, 20)
        with pytest.raises(ParameterError, match=match) as caught:
            embed(Xs, method, **params)
        assert caught.value.hint

    @pytest.mark.parametrize("epsilon", [0, -1.0, float("nan"), float("inf"), "0", "-2"])
    def test_epsilon(self, method, epsilon):
        self.fails(method, r"The bandwidth ε is .* Give a number above 0", epsilon=epsilon)

    @pytest.mark.parametrize("epsilon", ["nonsense", "2*nonsense", "median/0", "-1*median", "median*median", ""])
    def test_epsilon_text(self, method, epsilon):
        self.fails(method, "cannot be read|no bandwidth rule called", epsilon=epsilon)

    @pytest.mark.parametrize("r", [0, -1, 1.5, float("nan"), float("inf"), "many"])
    def test_components(self, method, r):
        self.fails(method, r"\(r\) .* Give a whole number of at least 1", n_components=r)

    def test_too_many_components(self, method):
        limit = 18 if get_method(method).first_component == 1 else 19
        Xs, _ = views_of(method, 20)
        if method != "view-specific":  # it has fewer: what other views know is left out
            embed(Xs, method, epsilon="median", n_components=limit)
        for r in (limit + 1, 20, 10**6):
            message = f"r = {r} coordinates are too many for 20 samples. Ask for at most {limit}"
            self.fails(method, message, n_components=r)

    @pytest.mark.parametrize("name", ["t", "delta", "eta"])
    def test_ranges(self, method, name):
        declared = {p.name: p for p in get_method(method).params}
        if name not in declared:
            self.fails(method, f"has no parameter called {name}. Its parameters: n_|Its parameters: view", **{name: 0})
            return
        for bad in (-1, float("nan"), declared[name].high + 1, None, "x"):
            self.fails(method, r"Give a (whole )?number from 0 to", **{name: bad})

    def test_every_range(self, method):
        for p in get_method(method).params:
            text = {"choice": "one of", "flag": "true or false", "weights": "one number "}
            wrong = [x for x in (p.low - 1, p.high + 1) if np.isfinite(x)] if p.kind in ("float", "int") else ["wrong"]
            for bad in wrong if p.kind not in ("view", "views") else ():
                self.fails(method, f"Give {text.get(p.kind, 'a ')}", **{p.name: bad})

    def test_unknown_parameter(self, method):
        self.fails(method, "has no parameter called nonsense", nonsense=1.0)

    def test_unknown_view(self, method):
        Xs, _ = views_of(method, 20)
        with pytest.raises(DataError, match=r"There is no view called “x”. The views are view1"):
            embed(Xs, method, views=["x", "view1"])

    def test_too_few_views(self, method):
        chosen = get_method(method)
        Xs, _ = views_of(method, 20)
        if chosen.min_views > 1:
            least = chosen.min_views
            with pytest.raises(ParameterError, match=f"{chosen.title} needs at least {least} views and has 1"):
                embed(Xs[:1], method)
            with pytest.raises(ParameterError, match=f"needs at least {least} views and has 1"):
                embed(Xs, method, views=["view1"])


def test_unknown_method():
    with pytest.raises(ParameterError, match=r"no method called “magic”. Methods: single"):
        embed(dense.views(20, 2)[0], "magic")


@pytest.mark.parametrize("chosen", [m for m in COMPUTING if m.max_views is not None], ids=lambda m: m.id)
def test_surplus_views_are_left_out_aloud(chosen):
    Xs, epsilon = dense.views(40, 6)
    most = chosen.max_views
    e = embed(Xs, chosen.id, epsilon=epsilon)
    names = tuple(f"view{i + 1}" for i in range(most))
    assert e.views == names
    assert e.epsilon == epsilon[:most]
    assert dict(e.warnings)["views"] == f"{chosen.title} uses {' + '.join(names)} of the 6 views."
    expected = embed(Xs[:most], chosen.id, epsilon=epsilon[:most])
    np.testing.assert_array_equal(e.coordinates, expected.coordinates)
    assert "views" not in dict(expected.warnings)
    others = tuple(reversed(names)) if most > 1 else ("view4",)
    assert embed(Xs, chosen.id, views=others, epsilon="median").views == others


def test_all_views_are_used_where_a_method_takes_them():
    Xs, epsilon = dense.views(40, 6)
    for chosen in methods():
        if chosen.max_views is None:
            e = embed(Xs, chosen.id, epsilon=epsilon)
            assert e.views == tuple(f"view{i + 1}" for i in range(6))
            assert "views" not in dict(e.warnings)


def test_single_takes_any_view_by_name():
    Xs, epsilon = dense.views(40, 3)
    for i in range(3):
        e = embed(Xs, "single", epsilon=epsilon, view=f"view{i + 1}")
        expected = embed([Xs[i]], "single", epsilon=epsilon[i])
        np.testing.assert_array_equal(e.coordinates, expected.coordinates)
        assert e.views == (f"view{i + 1}",)
        assert e.epsilon == (epsilon[i],)
    with pytest.raises(DataError, match="no view called “view9”"):
        embed(Xs, "single", view="view9")
