"""Each view's ε in turn by a score, against loops over `mvx.embed`; what can choose, and what cannot."""

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.compute.batch.tuning import FACTORS, TuneStep, at, score_text
from mvexplorer.compute.jobs.request import Request
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.bandwidth.table import Bandwidth
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.metrics import Score
from mvexplorer.errors import MVExplorerError, ParameterError
from mvexplorer.state.batches.tuning import judge_of, scores_to_choose_by
from mvexplorer.state.document.model import DocumentState


@pytest.fixture(scope="module")
def data():
    """A curve seen twice, once beside noise, with classes along it."""
    rng = np.random.default_rng(3)
    s = np.linspace(0.0, 1.0, 90)
    curve = np.c_[np.cos(5 * s), np.sin(5 * s), 2 * s] + 0.05 * rng.normal(size=(90, 3))
    noisy = np.c_[curve @ rng.normal(size=(3, 4)), rng.normal(size=(90, 4))]
    return mvx.MultiView([curve, noisy], view_names=("clean", "noisy"), labels=np.digitize(s, [0.3, 0.6]).astype(str))


def by_hand(data, method, epsilon, **params):
    """The ε that coordinate descent over `mvx.embed` and `mvx.label_free` comes to, and the scores on the way."""
    here, trail = list(epsilon), []

    def judged(at):
        try:
            made = mvx.embed(data, method, epsilon=at, **params)
        except MVExplorerError:
            return None
        if np.sum(made.eigenvalues > 0.999) > 1:
            return None
        return mvx.label_free(made, data).trustworthiness

    for i, X in enumerate(data.Xs):
        apart = np.sum((X[:, None] - X[None]) ** 2, axis=2)[np.triu_indices(len(X), 1)]
        start, best, at_best = judged(here), None, here[i]
        for exponent in np.arange(-1.5, 0.51, 0.25):
            there = float(f"{np.median(apart) * 10**exponent:.4g}")
            score = judged([*here[:i], there, *here[i + 1 :]])
            if score is not None and (best is None or score.value > best.value):
                best, at_best = score, there
        gains = start is None or best.value - start.value > max(start.spread, best.spread, 0.01)
        if best is not None and gains:
            here[i] = at_best
        trail.append((start, best if gains else start))
    return here, trail


STARTS = ("kernel-sum", 40.0), ("multiview", 40.0), ("kernel-product", 6.0), ("kernel-product", 0.02)


@pytest.mark.parametrize(("method", "start"), STARTS)
def test_tuning_is_a_descent_along_one_view_after_another(data, method, start):
    steps = mvx.tune(data, method, epsilon=[start, start], n_components=4)
    expected, trail = by_hand(data, method, [start, start], n_components=4)
    assert [step.view for step in steps] == ["clean", "noisy"]
    np.testing.assert_allclose([step.epsilon for step in steps], expected, rtol=1e-12)
    for step, (before, after) in zip(steps, trail, strict=True):
        if before is not None:
            assert step.before.value == pytest.approx(before.value, abs=1e-9)
            assert step.after.value >= step.before.value
        else:
            assert step.why == ("nowhere" if after is None else "torn")
        assert (step.after is None) == (after is None)
        if after is not None:
            assert step.after.value == pytest.approx(after.value, abs=1e-9)


def test_what_is_tuned_is_what_embedding_gives(data):
    steps = mvx.tune(data, "kernel-sum", n_components=3)
    tuned = mvx.embed(data, "kernel-sum", epsilon=[step.epsilon for step in steps], n_components=3)
    assert mvx.label_free(tuned, data).trustworthiness.value == pytest.approx(steps[-1].after.value, abs=1e-9)


def test_each_step_tries_nine_places_and_its_own(data):
    (step,) = mvx.tune(data, "single", views=["noisy"], epsilon=1.0, n_components=2)
    places = [one.place for one in step.tried]
    assert len(places) == len(FACTORS) + 1
    assert places == sorted(places)
    assert 1.0 in places
    assert step.former == 1.0


def test_labels_choose_only_where_they_are_named(data):
    assert judge_of(DocumentState(), data).basis == "by trustworthiness; labels were not used"
    assert judge_of(DocumentState(), data, "nmi").basis == "by NMI; labels were used"
    by_labels = mvx.tune(data, "kernel-sum", score="knn", n_components=3)
    assert by_labels[0].title == "k-NN accuracy"
    of_latent = mvx.load("helix-a")
    assert judge_of(DocumentState(), of_latent, "resultant").basis.endswith("the latent was used")


def test_shifts_are_best_where_they_are_least(data):
    (step,) = mvx.tune(data, "single", views=["clean"], epsilon=0.02, score="stability", n_components=2)
    scores = {one.place: one.score.value for one in step.tried if one.admissible}
    if step.why == "gain":
        assert step.after.value == min(scores.values())
    else:
        assert step.why in ("torn", "within")


@pytest.mark.parametrize(
    ("score", "sentence"),
    [
        ("gap", "No ε of this data can be chosen by gap."),
        ("resultant", "No ε of this data can be chosen by resultant."),
        ("trust", "There is no score"),
    ],
)
def test_scores_that_cannot_choose_are_refused(data, score, sentence):
    with pytest.raises(ParameterError, match=sentence):
        mvx.tune(data, score=score)
    assert "gap" not in scores_to_choose_by(DocumentState(), data)


@pytest.mark.parametrize("method", ["cca", "pca"])
def test_methods_without_an_epsilon_of_views_are_refused(data, method):
    with pytest.raises(ParameterError, match="has no ε of single views to tune"):
        mvx.tune(data, method)


def test_a_rule_that_weighs_features_keeps_its_weights(data):
    planned = plan(get_method("single"), data, epsilon="manifold(dimension=1)", params={"view": "noisy"})
    there = at(Request(data, planned), 0, 2.0, 3.0)
    assert there.epsilon[0] == Bandwidth(1.5, "manifold", (("dimension", 1),))
    assert at(Request(data, planned), 0, 2.0, 2.0).epsilon == planned.epsilon


def test_tuning_stops_when_told(data):
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        mvx.tune(data, task=task)


BEST = "of the others this is best (trust .900)"


@pytest.mark.parametrize(
    ("why", "before", "after", "spread", "expected"),
    [
        ("gain", 0.9, 0.934, 0.004, ": ε 2.00 → 1.00: trust .900 → .934 ± .004."),
        ("within", 0.9, 0.9, 0.04, " stays at ε 2.00, as good as the best tried (trust .900 ± .04): no need to move."),
        ("within", 0.9, 0.9, None, " stays at ε 2.00: the spread of its trust is not known (trust .900)."),
        (
            "torn",
            0.95,
            0.9,
            0.01,
            f": ε 2.00 → 1.00: before, an eigenvalue exceeded .999 as in a graph in pieces (.950); {BEST}.",
        ),
        ("torn", None, 0.9, 0.01, f": ε 2.00 → 1.00: before, there was no picture; {BEST}."),
        (
            "nowhere",
            None,
            None,
            None,
            " stays at ε 2.00: at every ε tried the graph is in pieces, or there is no picture.",
        ),
    ],
)
def test_each_step_says_what_it_did(why, before, after, spread, expected):
    scores = (None if value is None else Score(value) for value in (before, after))
    assert TuneStep("a", 2.0, 1.0, *scores, spread, why, "trust").sentence == f"a{expected}"


@pytest.mark.parametrize(
    ("value", "spread", "expected"),
    [
        (10.5, 0.25, "10.500 ± .2"),
        (-0.25, None, "−.250"),
        (-10.25, 3.0, "−10.250 ± 3"),
        (0.9, 0.0, ".900"),
        (1.0, 0.004, "1.000 ± .004"),
    ],
)
def test_scores_are_written_without_a_leading_zero(value, spread, expected):
    assert score_text(Score(value), spread) == expected


def test_a_score_that_a_method_lacks_is_refused(data):
    with pytest.raises(ParameterError, match="Kernel sum has no agreement of the views' coordinates"):
        mvx.tune(data, "kernel-sum", score="agreement")


def test_why_there_is_no_picture_at_all_is_told(data):
    with pytest.raises(ParameterError, match="asks for 1000 landmarks among 90 samples"):
        mvx.tune(data, "kernel-sum", kernel="landmarks-1000", epsilon=1.0)


def test_what_embed_takes_is_given_with_the_weights_of_a_rule(data):
    chosen = {"epsilon": "std", "rule_params": {"scaling": "features"}, "n_components": 3}
    steps = mvx.tune(data, "kernel-sum", **chosen)
    again = mvx.embed(data, "kernel-sum", **{**chosen, "epsilon": [step.given for step in steps]})
    assert mvx.label_free(again, data).trustworthiness.value == pytest.approx(steps[-1].after.value, abs=1e-9)
    assert all("std" in str(step.given) for step in steps)
    plain = mvx.tune(data, "kernel-sum", epsilon="median", n_components=3)
    assert [step.given for step in plain] == [step.epsilon for step in plain]


def test_tables_of_affinities_do_not_judge(data):
    K = np.exp(-np.square(data.Xs[0][:, None] - data.Xs[0][None]).sum(axis=2))
    both = mvx.MultiView([K, data.Xs[1]], view_names=("table", "noisy"))
    (step,) = mvx.tune(both, "kernel-sum", kernel=["precomputed", "gaussian"], n_components=3)
    made = mvx.embed(
        both, "kernel-sum", kernel=["precomputed", "gaussian"], epsilon=[np.nan, step.epsilon], n_components=3
    )
    alone = mvx.label_free(made, both, views=["noisy"])
    assert step.after.value == pytest.approx(alone.trustworthiness.value, abs=1e-9)
