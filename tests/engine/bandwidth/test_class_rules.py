"""Rules that look at classes: their three criteria against dense, naive ones, their bars, and labels that do not do."""

import dense
import numpy as np
import pytest

from mvexplorer.datasets.catalogue import open_sample
from mvexplorer.engine.api.embedding import embed, select_epsilon
from mvexplorer.engine.bandwidth.curves import growth
from mvexplorer.engine.bandwidth.rules.classes import class_codes, class_scan
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.dimension.log_sum import log_sum_range
from mvexplorer.engine.kernels.distances import squared_distances
from mvexplorer.engine.pipeline.stages import Stages, remember_once
from mvexplorer.engine.pipeline.view_kernel import distances_of, median_of
from mvexplorer.errors import DataError, ParameterError

pytestmark = pytest.mark.filterwarnings("ignore:.* has no peak")

GEOMETRIC, SPECTRAL, PROBABILISTIC = RULES = ("class-geometric", "class-spectral", "class-probabilistic")
SCAN = {"low": 1e-3, "high": 3.0, "class_dimension": None}
each_rule = pytest.mark.parametrize("rule", RULES)


def blobs(sizes=(30, 25, 20), spread=0.6, seed=0):
    """Round classes around the corners of a square, of different size."""
    rng = np.random.default_rng(seed)
    corners = 3.0 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
    X = np.vstack([corners[c] + spread * rng.standard_normal((n, 3)) for c, n in enumerate(sizes)])
    return MultiView([X], labels=np.repeat(["ape", "bee", "cat", "dog"][: len(sizes)], sizes))


def stages_of(data):
    return Stages(data, (0,), memo=remember_once())


# --- naive forms of the three criteria ------------------------------------------------------------------------------


def separation(X, classes, epsilon, d):
    """ρ_Ψ: (3.15)-(3.17) on λψ, the whole spectrum solved; NaN where more eigenvalues are 1 than there are classes."""
    names = sorted(set(classes))
    values, psi = dense.walk(dense.gaussian(X, epsilon))
    if (values > 1 - 1e-6).sum() > len(names):
        return np.nan
    Y = psi[:, 1 : d + 1] * values[1 : d + 1]
    whole = sum(((y - Y.mean(axis=0)) ** 2).sum() for y in Y) / len(Y)
    within = 0.0
    for c in names:
        own = [y for y, k in zip(Y, classes, strict=True) if k == c]
        within += sum(((y - np.mean(own, axis=0)) ** 2).sum() for y in own) / len(own)
    return whole / within


def eigengap(X, classes, epsilon):
    """Ge: (3.31), eigenvalues counted from 0."""
    n = len(set(classes))
    values, _ = dense.walk(dense.gaussian(X, epsilon))
    return np.nan if (values > 1 - 1e-6).sum() > n else values[n - 1] - values[n]


def staying(X, classes, epsilon):
    """ρ_P: (3.34)-(3.36)."""
    P = dense.gaussian(X, epsilon)
    P /= P.sum(axis=1, keepdims=True)
    np.fill_diagonal(P, 0.0)
    return np.sum(P[np.equal.outer(classes, classes)]) / len(X)


@pytest.mark.validates("rule:class-geometric", "rule:class-spectral")
@pytest.mark.parametrize("dimension", [None, 1, 4])
def test_variances_and_eigengap_at_every_bandwidth(dimension):
    data = blobs()
    stages = stages_of(data)
    found = class_scan(stages, 0, {**SCAN, "class_dimension": dimension})
    X, names = data.Xs[0], data.labels.tolist()
    np.testing.assert_allclose(found.epsilon / median_of(stages, 0), np.geomspace(1e-3, 3.0, len(found.epsilon)))
    assert len(found.epsilon) >= 11
    expected = [separation(X, names, e, dimension or 2) for e in found.epsilon]
    np.testing.assert_allclose(found.geometric, expected, rtol=1e-6)
    np.testing.assert_allclose(found.spectral, [eigengap(X, names, e) for e in found.epsilon], atol=1e-9)
    assert 0 < np.isnan(expected).sum() < 6  # the graph falls apart within the range, and is whole in most of it


CRITERIA = {GEOMETRIC: lambda *of: separation(*of, 2), SPECTRAL: eigengap, PROBABILISTIC: staying}


@pytest.mark.validates("rule:class-probabilistic")
@each_rule
@pytest.mark.parametrize("seed", range(3))
def test_each_rule_finds_the_largest_value(rule, seed):
    data = blobs(seed=seed)
    X, names = data.Xs[0], data.labels.tolist()
    grid = median_of(stages_of(data), 0) * np.geomspace(1e-3, 3.0, 12)
    values = [CRITERIA[rule](X, names, e) for e in grid]
    best = int(np.nanargmax(values))
    (chosen,) = select_epsilon(data, rule)
    assert CRITERIA[rule](X, names, chosen) >= 0.95 * values[best]
    assert grid[best - 1] < chosen < grid[best + 1]


def test_the_range_scanned_is_a_parameter():
    data = blobs()
    unit = median_of(stages_of(data), 0)
    (chosen,) = select_epsilon(data, SPECTRAL, low=1.0, high=10.0)
    assert unit <= chosen * (1 + 1e-9)
    assert chosen <= 10 * unit * (1 + 1e-9)
    assert chosen != select_epsilon(data, SPECTRAL)[0]


@each_rule
def test_unit_order_and_names_do_not_matter(rule):
    data = blobs()
    (once,) = select_epsilon(data, rule)
    assert select_epsilon(data.replace(Xs=[3 * data.Xs[0]]), rule)[0] == pytest.approx(9 * once, rel=1e-7)
    order = np.random.default_rng(0).permutation(data.n_samples)
    renamed = np.array([{"ape": 7, "bee": 1, "cat": 3}[name] for name in data.labels])
    shuffled = data.replace(labels=renamed).take(order)
    assert select_epsilon(shuffled, rule)[0] == pytest.approx(once, rel=1e-6)


@each_rule
def test_other_labels_ask_another_question(rule):
    """The same view with other labels, in a program that remembers."""
    data, memo = blobs(), remember_once()
    other = data.replace(labels=np.arange(data.n_samples) % 2)
    first, second = (select_epsilon(d, rule, memo=memo)[0] for d in (data, other))
    assert first == select_epsilon(data, rule)[0]
    assert second == select_epsilon(other, rule)[0]


# --- the bars ---------------------------------------------------------------------------------------------------


def gaussian_pair(sigma, seed):
    """Two centres N(0, σ_M² I_6), a hundred points of s.d. 1 around each."""
    rng = np.random.default_rng(seed)
    centres = sigma * rng.standard_normal((2, 6))
    X = np.vstack([centre + rng.standard_normal((100, 6)) for centre in centres])
    return MultiView([X], labels=np.repeat([0, 1], 100))


def digits(per_class):
    """Zernike, morphological, profile and Karhunen-Loève features of UCI digits, z-scored and joined."""
    data = open_sample("uci-digits")
    X = np.hstack([data.Xs[data.view_index(v)] for v in ("zer", "mor", "fac", "kar")])
    rows = np.concatenate([np.flatnonzero(data.labels == c)[:per_class] for c in np.unique(data.labels)])
    return MultiView([(X[rows] - X[rows].mean(axis=0)) / X[rows].std(axis=0)], labels=data.labels[rows])


def voted(Y, labels, neighbours):
    """Leave-one-out accuracy of the vote of the nearest neighbours, the first among equal classes."""
    D = squared_distances(Y)
    np.fill_diagonal(D, np.inf)
    classes = np.unique(labels)
    nearest = labels[np.argsort(D, axis=1, kind="stable")[:, :neighbours]]
    votes = (nearest[:, :, None] == classes).sum(axis=1)
    return np.mean(classes[votes.argmax(axis=1)] == labels)


def against_the_best(data, d, low, high, neighbours=1):
    """Rule -> its ε, and its accuracy on λψ over the best on 11 log-spaced ε from `low` to `high` times ε_0."""
    memo = remember_once()
    start = log_sum_range(distances_of(Stages(data, (0,), memo=memo), 0)).epsilon_0

    def accuracy(epsilon):
        found = embed(data, "single", epsilon=float(epsilon), n_components=d, t=1, memo=memo)
        return voted(found.coordinates, data.labels, neighbours)

    best = max(accuracy(e) for e in start * np.geomspace(low, high, 11))
    own = {rule: {} if rule == PROBABILISTIC else {"class_dimension": d} for rule in RULES}
    epsilon = {rule: select_epsilon(data, rule, memo=memo, **own[rule])[0] for rule in RULES}
    return epsilon, {rule: accuracy(e) / best for rule, e in epsilon.items()}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("sigma", [2, 3, 5])
def test_gaussian_pair(sigma, seed):
    epsilon, accuracy = against_the_best(gaussian_pair(sigma, seed), 1, 0.2, 200)
    assert min(accuracy.values()) >= 0.95
    assert 1 / 3 <= epsilon[SPECTRAL] / epsilon[PROBABILISTIC] <= 3


@pytest.mark.parametrize("per_class", [30, pytest.param(200, marks=[pytest.mark.nightly, pytest.mark.slow])])
def test_digits(per_class):
    _, accuracy = against_the_best(digits(per_class), 4, 0.35, 8)
    assert min(accuracy.values()) >= 0.80


# --- labels that do not do ----------------------------------------------------------------------------------------

FORTY = np.arange(40)
REFUSED = {
    "no labels": (None, r"The data has no labels, so no class rule applies\. .*column of classes"),
    "one class": (["x"] * 40, r"All labelled samples are of the class “x”: there is nothing to keep apart\. Choose"),
    "all missing": ([""] * 20 + ["nan"] * 20, r"All labels are missing: there is nothing to keep apart\. Choose"),
    "a class of one": (["x"] * 39 + ["y"], r"The class “y” has a single sample: .*\. Merge it"),
    "one class and gaps": (["x"] * 20 + ["?"] * 20, "All labelled samples are of the class “x”"),
    "numbers": (np.linspace(0.0, 1.0, 40), "The class “0.0” has a single sample"),
}


@each_rule
@pytest.mark.parametrize("case", REFUSED)
def test_labels_that_are_no_classes(rule, case):
    labels, sentence = REFUSED[case]
    data = MultiView([np.random.default_rng(0).standard_normal((40, 2))], labels=labels)
    with pytest.raises(DataError, match=sentence):
        select_epsilon(data, rule)


@each_rule
def test_more_values_than_classes_can_have(rule):
    X = np.random.default_rng(0).standard_normal((202, 2))
    with pytest.raises(DataError, match=r"The labels take 101 different values: numbers rather than classes\. Choose"):
        select_epsilon(MultiView([X], labels=np.arange(202) // 2), rule)
    hundred = MultiView([X[:200]], labels=np.arange(200) // 2)
    assert class_codes(hundred).max() == 99


@pytest.mark.parametrize("labels", [["a", "", "b", "a", "NaN", "b"], ["a", " ", " b", "a ", "?", "b"],
                                    [1.0, np.nan, 2.0, 1.0, np.nan, 2.0]])  # fmt: skip
def test_missing_labels_are_no_class(labels):
    codes = class_codes(MultiView([np.arange(12.0).reshape(6, 2)], labels=labels))
    np.testing.assert_array_equal(codes, [0, -1, 1, 0, -1, 1])


@pytest.mark.parametrize("rule", [GEOMETRIC, SPECTRAL])
def test_samples_without_a_label_are_left_out(rule):
    """The spectral criteria are those of the labelled samples; only the unit of the range is that of all."""
    data = blobs()
    far = MultiView([np.vstack([data.Xs[0], data.Xs[0][::3] + 0.1])], labels=[*data.labels, *[""] * 25])
    ratio = median_of(stages_of(data), 0) / median_of(stages_of(far), 0)
    alone = class_scan(stages_of(data), 0, SCAN)
    among = class_scan(stages_of(far), 0, {**SCAN, "low": 1e-3 * ratio, "high": 3.0 * ratio})
    np.testing.assert_allclose(among.epsilon, alone.epsilon, rtol=1e-12)
    np.testing.assert_allclose(among.geometric, alone.geometric, rtol=1e-6)
    np.testing.assert_allclose(among.spectral, alone.spectral, atol=1e-9)
    assert select_epsilon(far, rule, low=1e-3 * ratio, high=3.0 * ratio)[0] == pytest.approx(
        select_epsilon(data, rule)[0], rel=1e-5
    )


def test_unlabelled_samples_lie_in_the_way_of_the_walk():
    """ρ_P counts steps to samples of the same class among all steps."""
    data = blobs()
    gaps = data.labels.copy()
    gaps[::4] = ""
    (chosen,) = select_epsilon(data.replace(labels=gaps), PROBABILISTIC)
    classes = np.where(gaps == "", np.arange(len(gaps)).astype(str), gaps)  # each a class of its own
    curve = growth(stages_of(data), 0)
    values = [staying(data.Xs[0], classes, e) for e in curve.epsilon]
    assert abs(np.log2(chosen / curve.epsilon[np.argmax(values)])) <= 0.25


# --- odd data -----------------------------------------------------------------------------------------------------


@each_rule
@pytest.mark.parametrize("value", [0.0, 1e9])
def test_all_samples_at_one_point(rule, value):
    data = MultiView([np.full((20, 2), value)], view_names=["flat"], labels=np.arange(20) // 10)
    with pytest.raises(DataError, match=r"All samples of view “flat” are the same point.*Leave the view out"):
        select_epsilon(data, rule)


@each_rule
def test_a_constant_feature_changes_nothing(rule):
    data = blobs()
    more = data.replace(Xs=[np.column_stack([data.Xs[0], np.full(data.n_samples, 5.0)])])
    assert select_epsilon(more, rule)[0] == pytest.approx(select_epsilon(data, rule)[0], rel=1e-6)


@each_rule
def test_duplicates(rule):
    data = blobs()
    (epsilon,) = select_epsilon(data.take(np.repeat(np.arange(data.n_samples), 2)), rule)
    assert 0 < epsilon < np.inf


@each_rule
def test_few_samples(rule):
    data = MultiView([[[0.0, 0.0], [0.3, 0.0], [5.0, 0.0], [5.2, 0.1]]], labels=["a", "a", "b", "b"])
    (epsilon,) = select_epsilon(data, rule)
    assert 0 < epsilon < np.inf


@pytest.mark.parametrize("rule", [GEOMETRIC, SPECTRAL])
def test_a_graph_in_pieces_everywhere_says_so(rule):
    with pytest.raises(DataError, match=r"undefined at every bandwidth tried in view “view1”.*Scan larger bandwidths"):
        select_epsilon(blobs(), rule, low=1e-7, high=1e-6)


@pytest.mark.parametrize(("name", "value"), [("low", 0), ("high", -1), ("class_dimension", 0)])
def test_parameters_are_checked(name, value):
    with pytest.raises(ParameterError, match="Give"):
        select_epsilon(blobs(), GEOMETRIC, **{name: value})


@each_rule
def test_a_rule_can_be_cancelled(rule):
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        select_epsilon(blobs(), rule, task=task)
    halfway = Task(lambda fraction: fraction > 0 and halfway.cancel())
    if rule != PROBABILISTIC:
        with pytest.raises(Cancelled):
            select_epsilon(blobs(), rule, task=halfway)


# --- the ends of the scan, and between its values -----------------------------------------------------------------


def dense_and_wide(seed):
    """A dense class, which decides the median, and two wide ones far away."""
    rng, classes = np.random.default_rng(seed), np.repeat([0, 1, 2], [80, 10, 10])
    spread = np.where(classes == 0, 0.3, 1.0)[:, None]
    X = spread * rng.standard_normal((100, 2)) + 6.0 * np.array([[0, 0], [1, 0], [0, 1]])[classes]
    return MultiView([X], labels=classes.astype(str))


@pytest.mark.parametrize("seed", range(3))
def test_where_the_best_lies_at_the_end_of_the_scan_it_goes_on(seed):
    data, told = dense_and_wide(seed), Task()
    X, names, unit = data.Xs[0], data.labels.tolist(), median_of(stages_of(data), 0)
    grid = unit * np.geomspace(1.0, 100.0, 40)
    values = [eigengap(X, names, e) for e in grid]
    assert grid[int(np.argmax(values))] > 4 * unit  # the scan as such ends at 3
    (chosen,) = select_epsilon(data, SPECTRAL, task=told)
    assert eigengap(X, names, chosen) >= 0.999 * max(values)
    assert not told.warnings


@pytest.mark.parametrize("seed", [0, 1, 3])
@pytest.mark.parametrize("rule", [GEOMETRIC, SPECTRAL])
def test_the_best_is_found_between_the_values_of_the_scan(rule, seed):
    data = blobs(seed=seed)
    X, names, unit = data.Xs[0], data.labels.tolist(), median_of(stages_of(data), 0)
    best = np.nanmax([CRITERIA[rule](X, names, e) for e in unit * np.geomspace(1e-3, 3.0, 150)])
    (chosen,) = select_epsilon(data, rule)
    assert CRITERIA[rule](X, names, chosen) >= 0.999 * best


def test_a_best_that_is_none_is_told():
    """A criterion that rises to the end; one that is undefined beyond the best; an end that the user has set."""
    rng, classes, told = np.random.default_rng(1), np.arange(60) % 2, Task()
    line = rng.standard_normal((60, 3)) + 2.0 * classes[:, None] * np.array([1, 0, 0])  # best seen by its components
    rising = MultiView([line], labels=classes.astype(str))
    (epsilon,) = select_epsilon(rising, GEOMETRIC, low=1.0, task=told)
    unit = median_of(stages_of(rising), 0)
    assert epsilon == pytest.approx(100 * unit)
    values = [separation(rising.Xs[0], rising.labels.tolist(), k * unit, 1) for k in (3, 10, 30, 100)]
    assert values == sorted(values)
    assert "has no peak: it still rises at the largest ε tried" in dict(told.warnings)["class-end:view1"]
    below = Task()
    select_epsilon(blobs(seed=2), GEOMETRIC, task=below)
    assert "the graph falls into more pieces than there are classes" in dict(below.warnings)["class-end:view1"]
    set_by_hand = Task()
    data = dense_and_wide(0)
    (epsilon,) = select_epsilon(data, SPECTRAL, high=2.0, task=set_by_hand)
    assert epsilon == pytest.approx(2.0 * median_of(stages_of(data), 0))
    assert "class-end:view1" in dict(set_by_hand.warnings)
    with pytest.warns(UserWarning, match="has no peak"):
        select_epsilon(data, SPECTRAL, high=2.0)
