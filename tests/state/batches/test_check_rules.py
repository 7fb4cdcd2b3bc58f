"""Each check's rule, on numbers that are known, and the sentence that concludes."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

import mvexplorer as mvx
from mvexplorer.compute.jobs.neighbour_jobs import Kept
from mvexplorer.engine.analysis.common import InCommon, PairInCommon
from mvexplorer.engine.analysis.independence import Independence
from mvexplorer.engine.analysis.null_band import NullBand, Real, ShuffledRun, band_of
from mvexplorer.state.batches.check_rules import (
    RULES,
    CheckLine,
    common_verdict,
    conclusion,
    coordinates_verdict,
    neighbours_verdict,
    outliers_verdict,
    permutation_verdict,
    pieces_verdict,
    stability_verdict,
)


def band(view: str, real: float | None, reached: int, n: int, changed: float = 0.9) -> NullBand:
    """A band of n runs of which so many reach the real score; their pictures change so many of the neighbours."""
    scores = [None] * n if real is None else [real + 0.1] * reached + [real - 0.1] * (n - reached)
    runs = [ShuffledRun(view, i, score, np.array([0.5]), changed) for i, score in enumerate(scores)]
    return band_of(view, "NMI", Real(real, np.array([0.8]), 0.4), runs)


@pytest.mark.parametrize(
    ("bands", "passed", "result", "concern"),
    [
        ([band("a", 0.7, 0, 19)], True, "p ≤ .05 (19 runs; smallest possible)", ""),
        ([band("a", 0.7, 1, 99)], True, "p = .02 (99 runs)", ""),
        ([band("a", 0.7, 0, 7)], False, "p ≤ .12 (7 runs; smallest possible)",
         "the permutation test has too few runs to tell (p ≤ .12)"),
        ([band("a", 0.7, 4, 19)], False, "p = .25 (19 runs)",
         "the permutation test finds no more than chance (p = .25)"),
        ([band("a", 0.7, 0, 19), band("b", 0.7, 4, 19)], False, "b adds nothing (within chance, p = .25 (19 runs))",
         "b adds no more than chance"),
        ([band("a", 0.7, 0, 19), band("b", 0.7, 4, 19), band("c", 0.7, 9, 19)], False,
         "2 views add nothing (within chance, p = .50 (19 runs))", "2 views add no more than chance"),
        ([band("a", 0.7, 0, 19), band("b", 0.7, 19, 19)], False, "b lowers the score", "b lowers the score"),
        ([band("a", None, 0, 9, 0.5)], True, "each view is used; whether views share anything: Shared structure", ""),
        ([band("a", None, 0, 9, 0.3)], False, "shuffling a changes no more than resampling does",
         "shuffling a changes no more than resampling does"),
    ],
)  # fmt: skip
def test_a_permutation_test_passes_where_p_is_at_most_a_twentieth_for_every_view(bands, passed, result, concern):
    verdict = permutation_verdict(bands)
    assert (verdict.passed, verdict.finding, verdict.concern) == (passed, result, concern)


@pytest.mark.parametrize(
    ("ps", "passed", "finding"),
    [
        ((0.005,), True, "p ≤ .005 (199 shuffles), CKA .30"),
        ((0.03,), True, "p = .03 (199 shuffles), CKA .30"),
        ((0.45,), False, "a and b share nothing beyond chance (p = .45): are their rows paired rightly?"),
        ((0.005, 0.4, 0.2), False,
         "c shares nothing with the other views beyond chance (p = .4): are its rows paired rightly?"),
        ((0.005, 0.4, 0.02), True, "p = .04 (199 shuffles), CKA .30"),
        ((0.03, 0.4, 0.2), False,
         "a, b and c share nothing with any other view beyond chance "
         "(p ≥ .06): are their rows paired rightly?"),
    ],
)  # fmt: skip
def test_views_share_where_each_has_another_that_agrees_more_than_shuffled(ps, passed, finding):
    """Of three views each could be the lucky one of two others, so that its p counts twice."""
    names = [("a", "b"), ("a", "c"), ("b", "c")][: len(ps)]
    pairs = tuple(PairInCommon(views, 0.3, p) for views, p in zip(names, ps, strict=True))
    verdict = common_verdict(InCommon(("a", "b", "c")[: len(ps) // 2 + 2], pairs, 199))
    assert (verdict.passed, verdict.finding) == (passed, finding)
    assert verdict.concern == ("" if passed else finding.split(":")[0])


def test_few_shuffles_cannot_tell_whether_views_share():
    verdict = common_verdict(InCommon(("a", "b"), (PairInCommon(("a", "b"), 0.9, 0.1),), 9))
    assert verdict.finding == "too few shuffles to tell whether views share anything (9)"


@pytest.mark.parametrize(("number", "passed"), [(0.08, True), (0.2, True), (0.21, False), (float("nan"), False)])
def test_a_picture_is_stable_up_to_a_fifth_of_its_radius(number, passed):
    assert stability_verdict(SimpleNamespace(number=number)).passed is passed


def test_a_drawn_harmonic_is_doubtful_and_one_that_is_not_drawn_is_not():
    names, found = ("ψ₁", "ψ₂", "ψ₃"), Independence(np.array([1.0, 0.9, 0.04]), 90)
    assert coordinates_verdict(names, found, (0, 1)).passed
    verdict = coordinates_verdict(names, found, (0, 2))
    assert verdict.finding == "ψ₃ is largely a function of ψ₁, ψ₂ (residual .04): a harmonic"
    assert (verdict.passed, verdict.concern) == (False, "ψ₃ is a harmonic")
    both = coordinates_verdict(names, Independence(np.array([1.0, 0.1, 0.04]), 90), (0, 1, 2))
    assert both.finding == "ψ₂ is largely a function of ψ₁ (residual .10): a harmonic; so is ψ₃"
    assert coordinates_verdict(names, Independence(np.array([1.0, 0.1, 0.04]), 90, (1,)), (0, 1)) is None


def test_neighbours_are_kept_where_every_view_is_a_tenth_beyond_chance():
    a, b, c = (Kept(share, 1.0, 1.0) for share in (0.66, 0.7, 0.12))
    assert neighbours_verdict({"a": a, "b": b}, 0.025).finding == "66–70 % kept (2 % by chance)"
    lost = neighbours_verdict({"a": a, "c": c}, 0.05)
    assert (lost.passed, lost.finding) == (False, "c: 12 % kept (5 % by chance)")
    assert neighbours_verdict({"c": c}, 0.01).passed


def test_a_sample_far_from_all_others_is_an_outlier_by_its_distances():
    """Four medians of the squared distance, counted here over all pairs."""
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 3))
    X[11] = 9.0
    squared = cdist(X, X, "sqeuclidean")
    nearest = np.where(np.eye(80, dtype=bool), np.inf, squared).min(axis=1)
    far = np.flatnonzero(nearest > 4.0 * np.median(squared[np.triu_indices(80, 1)]))
    assert far.tolist() == [11]
    told = {regime.view: regime.facts.names for regime in mvx.regimes({"x": X})}
    verdict = outliers_verdict((), (), told)
    assert (verdict.passed, verdict.finding) == (False, "far from all others in x: 11")
    assert outliers_verdict((), (), {"x": ()}).passed
    assert outliers_verdict((), ("ψ₂",), {}).finding == "ψ₂ only sets a few samples apart"
    assert not outliers_verdict((("outlier", "The first coordinate only sets one sample apart."),), (), {}).passed


@pytest.mark.parametrize(("sizes", "passed"), [((40, 30, 20), True), ((40, 30, 3), False), ((90,), True)])
def test_pieces_are_the_components_of_the_graph(sizes, passed):
    random = np.random.default_rng(1)
    centres = np.repeat([[0.0, 0.0], [40.0, 0.0], [0.0, 40.0]][: len(sizes)], sizes, axis=0)
    X = centres + 0.3 * random.normal(size=centres.shape)
    picture = mvx.embed([X], "single", epsilon=1.0, n_components=5)
    affinities = np.exp(-cdist(X, X, "sqeuclidean") / 2.0)
    _, members = connected_components(affinities > 1e-3)
    assert sorted(np.bincount(members).tolist(), reverse=True) == list(sizes)
    verdict = pieces_verdict(picture)
    assert verdict.passed is passed
    if len(sizes) == 1:
        assert verdict.finding == "one piece"
    else:
        assert f"n pieces of {sizes[0]}, {sizes[1]} and {sizes[2]} samples" in verdict.finding


def test_a_saturated_kernel_is_doubtful_and_a_picture_without_a_graph_has_no_pieces():
    X = np.random.default_rng(2).normal(size=(60, 3))
    flat = pieces_verdict(mvx.embed([X], "single", epsilon=1e5))
    assert (flat.passed, flat.concern) == (False, "affinities are nearly all alike")
    assert "look nearly alike" in flat.finding
    one_flat = pieces_verdict(mvx.embed({"a": X, "b": X[:, ::-1] ** 3}, "kernel-product", epsilon=(1.0, 1e6)))
    assert (one_flat.passed, one_flat.finding[:8]) == (False, "Flat: b ")
    assert pieces_verdict(mvx.embed([X], "pca")) is None


def lines(**standings: str) -> list[CheckLine]:
    return [CheckLine(id, standings.get(id, "passed"), "", f"{id} is in doubt") for id in RULES]


@pytest.mark.parametrize(
    ("standings", "said"),
    [
        ({}, "M: all 7 checks pass."),
        ({"pieces": "inapplicable"}, "M: all 6 checks pass."),
        (dict.fromkeys(RULES, "open"), "Nothing has been checked yet."),
        (dict.fromkeys(RULES, "stale"), "Nothing has been checked yet."),
        ({"permutation": "open", "stability": "stale", "neighbours": "running"},
         "M: 4 of 7 checks pass; 1 running; 1 for earlier settings; 1 not run."),
        ({"permutation": "doubtful", "stability": "open"},
         "M: 5 of 7 checks pass; permutation is in doubt; 1 not run."),
        ({"permutation": "doubtful", "stability": "doubtful", "outliers": "doubtful"},
         "M: 4 of 7 checks pass; permutation is in doubt; stability is in doubt; 1 more in doubt."),
    ],
)  # fmt: skip
def test_the_sentence_counts_what_passes_and_names_the_first_doubts(standings, said):
    assert conclusion("M", lines(**standings)) == said
