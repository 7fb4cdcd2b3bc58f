"""Null tests: shuffled views are the known ones rearranged, p is counted by hand, and known answers come out."""

from threading import get_ident

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.compute.batch.null_testing import _Bands, null_test
from mvexplorer.compute.batch.stability_testing import stability
from mvexplorer.engine.analysis.null_band import Real, ShuffledRun, band_of, p_value
from mvexplorer.engine.analysis.null_test import NullRuns
from mvexplorer.engine.analysis.rerun import Rerun
from mvexplorer.engine.analysis.scored import measure_of
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.api.preparing import EmbedOptions
from mvexplorer.engine.core.shuffles import order_maker
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.kernels.operators import as_array
from mvexplorer.engine.methods import get_method, methods
from mvexplorer.engine.pipeline import view_kernel
from mvexplorer.engine.pipeline.rearranged import of_samples, shuffled
from mvexplorer.engine.pipeline.stages import Stages, remember_once
from mvexplorer.engine.pipeline.view_kernel import kernel_of
from mvexplorer.errors import DataError, ParameterError

M = 60


def three_views(n=M, seed=0):
    """Three views of a circle, the second in other units and z-scored."""
    rng = np.random.default_rng(seed)
    angle = np.sort(rng.uniform(0.0, 2.0 * np.pi, n))
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    Xs = [ring + 0.05 * rng.normal(size=ring.shape), 40.0 * ring @ rng.normal(size=(2, 5)), ring[:, :1] ** 3]
    labels = np.repeat(["a", "b", "c"], -(-n // 3))[:n]
    return mvx.MultiView(Xs, view_names=("one", "two", "three"), labels=labels, preprocess=["none", "zscore", "none"],
                         latent={"angle": angle})  # fmt: skip


def rerun(data, method, *, views=None, kernel="gaussian", epsilon="median", **params):
    made = plan(get_method(method), data, views, kernel, epsilon, params)
    return Rerun(made, data, EmbedOptions(Task(), remember_once()))


def explicit(data, again, i, order):
    """The same stages from data in which the rows are shuffled, computed from nothing."""
    stages = again.stages
    Xs = [X[order] if v == i else X for v, X in enumerate(data.Xs)]
    return Stages(data.replace(Xs=Xs), stages.views, stages.epsilon, stages.params, kernels=stages.kernels)


def test_p_counts_the_real_score_among_chance():
    assert p_value(0.5, np.array([0.1, 0.5, 0.7, 0.2])) == 3 / 5
    assert p_value(2.0, np.zeros(19)) == 0.05
    assert p_value(0.0, np.zeros(9)) == 1.0


def runs_of(scores, far=0.9):
    return [ShuffledRun("mor", i, score, np.array([0.5, 0.2]), far) for i, score in enumerate(scores)]


@pytest.mark.parametrize(
    ("real", "far", "words"),
    [
        (0.15, 0.9, "Without mor's pairing the score is as high (p = .50)."),
        (0.15, 0.1, "Without mor's pairing the score is as high (p = .50). This picture does not use mor."),
        (
            0.15,
            0.34,
            "Without mor's pairing the score is as high (p = .50). "
            "Shuffling mor changes no more than resampling does (.34 of the neighbours).",
        ),
        (0.95, 0.1, "This score is above all 9 with mor shuffled (p ≤ .10, the smallest possible with 9 runs)."),
        (None, 0.1, "This picture does not use mor."),
        (None, 0.34, "Shuffling mor changes no more than resampling does (.34 of the neighbours)."),
        (None, 0.9, "Shuffling mor changes .90 of the neighbours, resampling .40."),
    ],
)
def test_words_say_no_more_than_the_runs(real, far, words):
    scores = [None] * 9 if real is None else [0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.2]
    band = band_of("mor", "NMI", Real(real, np.array([0.9, 0.5, 0.1]), 0.4), runs_of(scores, far))
    assert band.words == words
    assert band.unused == ("does not use" in words)
    assert band.shuffled_eigenvalues.shape == (9, 3)
    assert np.isnan(band.shuffled_eigenvalues[:, 2]).all()


def test_a_score_reached_by_one_run_of_many_is_above_its_band():
    real = Real(0.5, np.array([1.0]), 0.1)
    band = band_of("mor", "NMI", real, runs_of([0.6] + [0.1] * 38))
    assert (band.within, band.words) == (False, "This score is above 38 of 39 with mor shuffled (p = .05).")
    assert band_of("mor", "NMI", real, runs_of([0.6, 0.7] + [0.1] * 37)).within


@pytest.mark.parametrize(("resampled", "far", "unused"), [
    (0.85, 0.82, False), (0.85, 0.11, False), (0.85, 0.1, True), (0.08, 0.09, False), (np.nan, 0.0, False),
])  # fmt: skip
def test_only_a_picture_that_stays_is_said_to_leave_a_view_out(resampled, far, unused):
    real = Real(0.2, np.array([1.0]), resampled)
    assert band_of("mor", "NMI", real, runs_of([0.1, 0.9], far=far)).unused == unused


def test_a_view_that_harms_is_told_as_such_from_nineteen_runs_on():
    real = Real(0.2, np.array([1.0]), 0.1)
    band = band_of("mor", "NMI", real, runs_of([0.3] * 19, far=0.05))
    assert (band.lowers, band.within, band.unused, band.useless, band.p) == (True, False, False, True, 1.0)
    assert band.words == "mor lowers this score: it is below all 19 with mor shuffled."
    for scores in ([0.3] * 18, [0.3] * 19 + [0.2]):
        band = band_of("mor", "NMI", real, runs_of(scores))
        assert (band.lowers, band.within) == (False, True)
        assert band.words == "Without mor's pairing the score is as high (p = 1.00)."
    labels = [ShuffledRun("", i, 0.3, np.array([0.5])) for i in range(19)]
    band = band_of("", "NMI", real, labels)
    assert (band.lowers, band.words) == (False, "This score is no better than chance labels (p = 1.00).")


def test_an_unsteady_picture_uses_its_views():
    """Local CCA of two identical views: random parts of the samples move as many neighbours as shuffling does."""
    g = np.random.default_rng(0)
    X = np.column_stack([g.uniform(size=80), g.uniform(size=80)])
    band = null_test({"a": X, "b": X.copy()}, "local-cca", view="b", n=9, score="none").views[0]
    assert 0.1 < np.median(band.disagreement) <= band.resampled
    assert not band.unused
    assert band.words.startswith("Shuffling b changes no more than resampling does (.")


def test_a_few_runs_below_the_score_cannot_tell():
    real = Real(0.9, np.array([1.0]), 0.1)
    words = (
        "With mor shuffled no run reaches this score, but 3 of them cannot tell "
        "(p ≤ .25, the smallest possible with 3 runs)."
    )
    assert band_of("mor", "NMI", real, runs_of([0.1] * 3)).words == words
    assert (
        band_of("mor", "NMI", real, runs_of([0.1] * 9)).words
        == "This score is above all 9 with mor shuffled (p ≤ .10, the smallest possible with 9 runs)."
    )


@pytest.mark.parametrize("n_samples", [5, 9, 14, 20])
def test_of_few_samples_not_all_others_count_as_neighbours(n_samples):
    z = np.linspace(0.0, 1.0, n_samples)[:, None]
    found = null_test([np.hstack([z, z**2]), np.hstack([1.0 - z, z**3])], "kernel-sum", n=2, epsilon=0.1)
    assert not any(band.unused for band in found.views)
    assert max(band.disagreement.max() for band in found.views) > 0.1


# The orders -------------------------------------------------------------------------------------------------------


def test_samples_in_time_are_shifted_by_a_tenth_at_least():
    order = order_maker("circular", 50, np.arange(50), 3)
    shifts = [int(np.flatnonzero(order(i) == 0)[0]) for i in range(41)]
    assert sorted(shifts) == list(range(5, 46))
    with pytest.raises(ParameterError, match="41 ways only"):
        order(41)


def test_whole_bursts_change_places():
    names = np.repeat(list("abcdef"), 4)
    order = order_maker(names, 24, np.arange(24), 0)(1)
    assert sorted(order) == list(range(24))
    blocks = order.reshape(6, 4)
    assert (np.diff(blocks, axis=1) == 1).all()
    assert (blocks[:, 0] % 4 == 0).all()
    assert not np.array_equal(order, np.arange(24))


@pytest.mark.parametrize(
    ("bursts", "match"),
    [
        (np.repeat(["a", "b", "c"], 8), "3 bursts, whose orders are too few"),
        (["a"] * 7, "shape .7,. for 24 samples"),
        (["", *"abcdefghijklmnopqrstuvw"], "1 of 24 samples has no burst"),
    ],
)
def test_bursts_that_do_not_fit_are_refused(bursts, match):
    with pytest.raises(DataError, match=match):
        order_maker(bursts, 24, np.arange(24), 0)


# What is known is rearranged --------------------------------------------------------------------------------------

KERNELS = ("gaussian", "laplacian", "laplacian-l2", "correlation", "self-tuning", "knn-8")


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("i", [0, 1])
def test_a_shuffled_view_has_the_kernel_of_shuffled_rows(kernel, i):
    rng = np.random.default_rng(3)
    data = mvx.MultiView([rng.normal(size=(M, 5)), rng.normal(size=(M, 70)) * 30.0], preprocess=["none", "zscore"])
    again = rerun(data, "kernel-sum", kernel=kernel)
    order = rng.permutation(M)
    seen, made = shuffled(again.stages, i, order), explicit(data, again, i, order)
    for v in range(2):
        assert np.abs(as_array(kernel_of(seen, v)) - as_array(kernel_of(made, v))).max() < 1e-10


def test_a_shuffled_table_of_affinities_is_shuffled_on_both_sides():
    X = three_views().Xs[1]
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / 2000.0)
    kernels, order = ["precomputed", "gaussian"], np.random.default_rng(5).permutation(M)
    data = mvx.MultiView([K, X])
    again = rerun(data, "multiview", kernel=kernels)
    found = again.shuffled(0, order)
    data = data.replace(Xs=[K[np.ix_(order, order)], X])
    made = mvx.embed(data, "multiview", epsilon=[1.0, again.stages.epsilon[1]], kernel=kernels)
    assert np.abs(found.coordinates - made.coordinates).max() < 1e-7


def test_landmarks_go_along_with_the_rows():
    again = rerun(three_views(200), "kernel-sum", kernel="landmarks-50", epsilon=1.0)
    order = np.random.default_rng(5).permutation(200)
    real, seen = kernel_of(again.stages, 0), kernel_of(shuffled(again.stages, 0, order), 0)
    assert np.abs(seen.toarray() - real.toarray()[np.ix_(order, order)]).max() < 1e-10


MANY_VIEWS = [m.id for m in methods() if m.max_views != 1 and not m.shows_given]
FEW = {"tensor-cca": {"n_components": 1}}


@pytest.mark.parametrize("method", MANY_VIEWS)
def test_a_run_is_the_picture_of_shuffled_rows(method):
    data, few = three_views(), FEW.get(method, {})
    again = rerun(data, method, **few)
    order = np.random.default_rng(2).permutation(M)
    found = again.shuffled(1, order)
    epsilon = again.stages.epsilon if np.isfinite(again.stages.epsilon).all() else "max-min"
    data = data.replace(Xs=[X[order] if i == 1 else X for i, X in enumerate(data.Xs)])
    made = mvx.embed(data, method, views=again.views, epsilon=epsilon, **few)
    A, B = (np.abs(Y) for Y in (found.coordinates, made.coordinates))
    # How common functions are follows the angle between the views' spaces; eigenvalues follow its square.
    near = 1e-5 if method == "jointly-smooth" else 1e-6
    assert found.eigenvalues[:2] == pytest.approx(made.eigenvalues[again.method.first_component :][:2], abs=near)
    assert np.abs(A - B).max() < 1e-4 * B.max()


@pytest.mark.parametrize("method", ["kernel-sum", "kernel-product", "concatenation", "multiview", "jade"])
@pytest.mark.parametrize("kernel", ["gaussian", "self-tuning", "knn-8"])
def test_runs_evaluate_no_distance_and_no_kernel(method, kernel, monkeypatch):
    if (method, kernel) == ("concatenation", "knn-8"):
        pytest.skip("the neighbours of concatenated samples are others for every order")
    counted = []

    def counting(name, original):
        def called(*values, **named):
            if get_ident() == own:  # a window of another test may still be computing
                counted.append(name)
            return original(*values, **named)

        return called

    own = get_ident()
    for name in ("metric_distances", "metric_blocks", "graph_of_samples", "graph_of_distances"):
        monkeypatch.setattr(view_kernel, name, counting(name, getattr(view_kernel, name)))
    again = rerun(three_views(30), method, kernel=kernel)
    assert counted
    runs = NullRuns(again, None)
    runs.run("two", 0)  # what the factors of a joint kernel need
    before = again.stages.task.affinities
    counted.clear()
    for number in range(1, 4):
        runs.run("two", number)
    assert counted == []
    assert again.stages.task.affinities == before


def test_a_part_has_the_entries_of_the_whole_and_its_preprocessing():
    again = rerun(three_views(), "kernel-sum", views=["one", "two"])
    rows = np.arange(0, M, 2)
    seen = of_samples(again.stages, rows)
    for i in range(2):
        assert np.array_equal(seen.view(i), again.stages.view(i)[rows])
        assert np.array_equal(kernel_of(seen, i), kernel_of(again.stages, i)[np.ix_(rows, rows)])


# Bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"n": 0}, "A permutation test of 0 runs says nothing"),
        ({"n": 2.5}, "A permutation test of 2.5 runs says nothing"),
        ({"view": "four"}, "uses no view called “four” here. It uses one, two, three"),
        ({"view": "three", "views": ["one", "two"]}, "uses no view called “three” here"),
        ({"score": "beauty"}, "cannot be scored by “beauty”"),
        ({"shuffle": "upwards"}, "no shuffle called “upwards”"),
    ],
)
def test_what_cannot_be_asked_is_said(given, match):
    with pytest.raises(ParameterError, match=match):
        null_test(three_views(), "kernel-sum", **{"n": 1, **given})


def test_a_view_of_equal_rows_cannot_be_shuffled():
    data = three_views()
    data = data.replace(Xs=[*data.Xs[:2], np.ones((M, 1))])
    with pytest.raises(DataError, match="All samples are the same in view “three”"):
        null_test(data, "kernel-sum", view="three", n=1, epsilon=1.0)


def test_labels_of_some_samples_are_enough_and_one_class_is_none():
    data = three_views()
    some = np.where(np.arange(M) % 4, data.labels, "")
    assert null_test(data.replace(labels=some), "kernel-sum", view="one", n=1).score == "nmi"
    lone = data.replace(labels=["a"] * M, latent={})
    (band,) = null_test(lone, "kernel-sum", view="one", n=1).views
    assert (band.real, band.p, len(band.shuffled)) == (None, None, 0)
    assert band.words
    with pytest.raises(ParameterError, match="score nmi needs labels"):
        null_test(lone, "kernel-sum", score="nmi", n=1)


def test_an_angle_is_one_where_some_samples_have_none():
    angle = np.where(np.arange(M) % 4 == 1, np.nan, three_views().latent["angle"])
    found = null_test(three_views().replace(labels=None, latent={"angle": angle}), "kernel-sum", n=1, epsilon=1.0)
    assert (found.score, found.views[0].score_name) == ("resultant", "k-NN recovery of angle")
    assert found.views[0].real > 0.8


def test_a_single_view_is_compared_with_chance_labels():
    (band,) = null_test(three_views(), "single", score="knn", n=9, views=["one"]).views
    assert (band.view, band.p) == ("", 0.1)
    assert band.words == "This score is above all 9 with labels shuffled (p ≤ .10, the smallest possible with 9 runs)."
    data = three_views().replace(labels=np.random.default_rng(0).permutation(np.repeat(["a", "b"], M // 2)))
    (band,) = null_test(data, "single", score="knn", n=9, views=["one"]).views
    assert "no better than chance labels" in band.words
    with pytest.raises(DataError, match="nothing to score it against"):
        null_test(three_views(), "single", score="none", n=1)


def test_chance_labels_are_those_of_the_labelled_samples_among_themselves():
    data = three_views()
    labels = np.where(np.arange(M) % 4, data.labels, "")
    (band,) = null_test(data.replace(labels=labels), "single", score="knn", n=5, views=["one"], epsilon=0.5).views
    coordinates = mvx.embed(data, "single", views=["one"], epsilon=0.5).coordinates
    scores = []
    for number in range(5):
        by_chance = labels.copy()
        given = by_chance[labels != ""]
        by_chance[labels != ""] = given[np.random.default_rng([0, number]).permutation(len(given))]
        scores.append(measure_of(data.replace(labels=by_chance), "knn").of(coordinates, Task()))
    np.testing.assert_allclose(band.shuffled, scores, rtol=0, atol=1e-12)
    assert len(set(scores)) > 1


def test_a_random_part_is_looked_at_alone():
    found = null_test(three_views(120), "kernel-sum", view="two", n=2, subsample=80, score="knn", epsilon=1.0)
    assert 0.0 < found.views[0].real <= 1.0


def test_runs_are_told_as_they_come_and_the_same_seed_gives_the_same():
    heard = []
    found = null_test(three_views(), "kernel-sum", n=3, score="knn", on_run=heard.append)
    assert [(band.view, band.n) for band in heard[:4]] == [("one", 1), ("two", 1), ("three", 1), ("one", 2)]
    again = null_test(three_views(), "kernel-sum", n=3, score="knn")
    assert found.as_list() == again.as_list()
    assert set(found.as_list()[0]) == {"view", "score", "real", "shuffled", "p"}


def test_a_task_that_is_stopped_ends_the_runs():
    task, heard = Task(), []

    def hear(band):
        heard.append(band)
        task.cancel()

    with pytest.raises(Cancelled):
        null_test(three_views(), "kernel-sum", n=500, on_run=hear, task=task)
    assert len(heard) == 1
    stopped = Task()
    stopped.cancel()
    with pytest.raises(Cancelled):
        stability(three_views(), "kernel-sum", n=500, task=stopped)


# Known answers ----------------------------------------------------------------------------------------------------


def test_a_band_has_the_runs_in_their_order():
    runs = [ShuffledRun("one", i, float(i), np.array([0.1 * i]), 0.1 * i) for i in range(4)]
    bands = _Bands("kernel-sum", None, ("one",), 4, None, Task())
    for each in (Real(None, np.array([0.9]), 0.3), *runs):
        bands.take(each)
    (band,) = bands.all().views
    assert band.shuffled_eigenvalues[:, 0].tolist() == pytest.approx([0.0, 0.1, 0.2, 0.3])
    assert band.disagreement.tolist() == pytest.approx([0.0, 0.1, 0.2, 0.3])


def helix_with_noise(seed, n_samples=600):
    helix = mvx.datasets.make_helix_a(n_samples=n_samples, random_state=seed)
    noise = np.random.default_rng(100 + seed).normal(size=(n_samples, 3)) * np.std(helix.Xs[0])
    names = ("one", "two", "noise")
    return mvx.MultiView([*helix.Xs, noise], view_names=names, latent={"a": helix.latent["a"]})


def bands(data, method, **given):
    return {band.view: band for band in null_test(data, method, **given).views}


@pytest.mark.parametrize("method", ["kernel-sum", "multiview"])
def test_noise_adds_nothing_to_helix_a(method):
    found = bands(helix_with_noise(0, 300), method, epsilon="median/20", n=9)
    assert found["noise"].within
    assert found["one"].p == found["two"].p == 0.1


@pytest.mark.nightly
@pytest.mark.parametrize("method", ["kernel-sum", "multiview"])
def test_noise_adds_nothing_to_helix_a_in_three_seeds(method):
    found = [bands(helix_with_noise(seed), method, epsilon="median/20", n=19, random_state=seed) for seed in range(3)]
    assert sum(each["noise"].within for each in found) >= 2
    assert all(each[view].p == 0.05 for each in found for view in ("one", "two"))


def digits_with_one_shuffled(seed, names, n_samples):
    """UCI digits, three views, the second of which belongs to other samples."""
    rng, data = np.random.default_rng(seed), mvx.load("uci-digits")
    data = data.take(np.sort(rng.permutation(data.n_samples)[:n_samples]))
    Xs = [np.array(data.Xs[data.view_index(name)]) for name in names]
    Xs[1] = Xs[1][rng.permutation(n_samples)]
    return mvx.MultiView(Xs, view_names=names, labels=data.labels, preprocess="zscore")


def test_the_view_shuffled_beforehand_is_named():
    data = digits_with_one_shuffled(0, ("fac", "pix", "zer"), 150)
    found = bands(data, "kernel-sum", epsilon="median", n_components=8, n=9)
    assert [view for view, band in found.items() if band.within] == ["pix"]


@pytest.mark.nightly
@pytest.mark.parametrize("method", ["kernel-sum", "multiview"])
def test_the_view_shuffled_beforehand_is_named_in_two_of_three_seeds(method):
    """One score of chance in ten lies above or below all of 19 others; here one lies below."""
    found = []
    for seed in range(3):
        data = digits_with_one_shuffled(seed, ("fou", "fac", "kar"), 600)
        found.append(bands(data, method, epsilon="median", n_components=12, n=19, random_state=seed))
    assert sum(each["fac"].within for each in found) >= 2
    assert all(each["fac"].p > 0.05 for each in found)
    assert all(each[view].p == 0.05 for each in found for view in ("fou", "kar"))
