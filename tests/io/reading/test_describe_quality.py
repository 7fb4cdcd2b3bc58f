"""What is said about odd data that is not refused."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from sklearn.datasets import load_digits

import mvexplorer as mvx
from mvexplorer.datasets.catalogue import samples
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.io.reading.quality import describe_quality, uneven_views

X = np.random.default_rng(0).normal(size=(30, 4))


def changed(change: Callable[[Array], None]) -> Array:
    copy = X.copy()
    change(copy)
    return copy


def constant(A: Array) -> None:
    A[:, 2] = 7


def copied(A: Array) -> None:
    A[:, 3] = A[:, 1]


def repeated(A: Array) -> None:
    A[5:8] = A[4]


def zeroed(A: Array) -> None:
    A[9] = 0


def stretched(A: Array) -> None:
    A[:, 0] *= 1e5


def counts(seed=0, n=120, columns=30):
    random = np.random.default_rng(seed)
    return random.poisson(np.exp(1.5 * random.standard_normal((n, columns)))).astype(float)


def test_raw_counts_are_told_and_pixels_are_not():
    raw = counts()
    raw[3] *= 30
    (note,) = describe_quality(MultiView({"genes": raw, "clean": np.random.default_rng(1).standard_normal((120, 6))}))
    assert (note.code, note.subjects, note.level) == ("raw-counts", ("genes",), "warning")
    assert note == "Raw counts, of which a few are very large, in genes: consider log(1 + x)."
    pixels = np.random.default_rng(2).integers(0, 256, (120, 30)).astype(float)
    for X in (pixels, raw + 0.5, -raw, raw[:, :4], np.log1p(raw)):
        assert "raw-counts" not in [each.code for each in describe_quality(MultiView({"genes": X}))]
    prepared = MultiView({"genes": raw}, preprocess="log1p")
    assert "raw-counts" not in [each.code for each in describe_quality(prepared)]


def negative_binomial(dispersion: float, genes: int = 50, n: int = 200) -> Array:
    """Counts of genes that are expressed more or less, with the variance μ + dispersion μ²."""
    random = np.random.default_rng(3)
    means = np.exp(random.normal(2.0, 1.5, size=genes))
    return random.poisson(means * random.gamma(1 / dispersion, dispersion, size=(n, genes))).astype(float)


@pytest.mark.parametrize("dispersion", [0.1, 0.3, 1.0, 3.0])
def test_negative_binomial_counts_get_the_logarithm(dispersion: float) -> None:
    for table in (negative_binomial(dispersion), negative_binomial(dispersion, n=40)):
        (note,) = describe_quality(MultiView({"cells": table}))[-1:]
        assert (note.code, note.subjects) == ("raw-counts", ("cells",))


@pytest.mark.parametrize("mean", [1, 20])
def test_so_do_counts_whose_columns_have_one_mean(mean: int) -> None:
    table = np.random.default_rng(4).negative_binomial(0.5, 0.5 / (0.5 + mean), size=(200, 50))
    assert codes(table) == ["raw-counts"]


def codes(X: Array) -> list[str]:
    notes = describe_quality(MultiView({"view": X.astype(float)}))
    return [note.code for note in notes if note.level == "warning"]


def test_what_has_an_upper_end_or_a_narrow_range_is_no_count() -> None:
    random, n = np.random.default_rng(5), 300
    dark = np.minimum(random.exponential(40.0, size=(n, 64)), 255).astype(int)  # pictures, a little overexposed
    strokes = random.integers(0, 256, size=(n, 64)) * (random.random((n, 64)) < 0.05)
    grades, yes = random.integers(1, 6, size=(n, 20)), random.random((n, 50)) < 0.05
    seldom = random.poisson(0.5, size=(n, 50))
    seldom_even = random.integers(0, 5000, size=(n, 50)) * (random.random((n, 50)) < 0.1)  # none of them far out
    units = np.round(random.normal(loc=[50] * 29 + [7000], scale=[10] * 29 + [900], size=(n, 30)).clip(0))
    measured = np.round(random.normal(loc=[55, 170, 75, 90, 7000, 120], scale=[12, 10, 12, 20, 900, 20], size=(n, 6)))
    flat = random.poisson(100, size=(n, 50))
    for X in (load_digits().data, dark, strokes, seldom_even, grades, yes, seldom, flat, units, measured):
        assert "raw-counts" not in codes(np.asarray(X))


@pytest.mark.parametrize("sample", [sample.id for sample in samples()])
def test_no_sample_holds_counts_or_has_a_column_that_decides(sample: str) -> None:
    data = mvx.load(sample)
    for X in data.Xs:
        assert not {"raw-counts", "dominant-column"} & set(codes(X))


def test_a_column_that_makes_nearly_all_distances_is_named() -> None:
    tall = X * [1, 30, 1, 1]
    view = MultiView({"body": tall, "clean": X}, feature_names=[("age", "steps", "a", "b"), None])
    (note,) = describe_quality(view)
    assert (note.code, note.subjects, note.level) == ("dominant-column", ("body",), "warning")
    assert re.fullmatch(
        r"Column “steps” makes more than 99 % of the squared distances of body: consider z-scores\.", note
    )
    assert uneven_views(view)["body"].code == "dominant-column"
    for harmless in (X * [1, 2, 1, 1], tall[:, :2]):  # a plane may be long
        assert codes(harmless) == []
    for how in ("zscore", "unit", "log1p"):
        positive = MultiView({"body": np.abs(tall)}, preprocess=how)
        assert describe_quality(positive) == ()
    assert len(describe_quality(MultiView({"body": tall}, preprocess="centre"))) == 1


def test_columns_that_decide_several_views_are_named_in_one_sentence() -> None:
    (note,) = describe_quality(MultiView({"one": X * [9, 1, 1, 1], "two": X * [1, 1, 1, 9]}))
    told = r"Column “feature 1” makes 9\d % of .* of one, “feature 4” makes 9\d % of .* of two: consider z-scores\."
    assert re.fullmatch(told, note)


def test_plain_data_is_silent() -> None:
    assert describe_quality(MultiView([X, X + 1])) == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (constant, r"Constant columns.*: b 1\."),
        (copied, r"Columns that repeat another one.*: b 1\."),
        (repeated, r"Samples that repeat another one.*: b 3\."),
        (zeroed, r"Samples whose numbers are all zero: b 1\."),
        (stretched, r"The scales of columns differ more than 1000-fold in b: consider z-scores\."),
    ],
)
def test_each_oddity_is_said_once(change: Callable[[Array], None], words: str) -> None:
    notes = describe_quality(MultiView({"a": X, "b": changed(change)}))
    assert len(notes) == 1
    assert re.fullmatch(words, notes[0])


def test_z_scored_views_need_no_advice() -> None:
    assert describe_quality(MultiView([changed(stretched)], preprocess="zscore")) == ()


def test_views_of_uneven_columns_are_told_by_their_names() -> None:
    """A name may hold the words that join names in a sentence."""
    names = ("salt and pepper", "oil, vinegar")
    (uneven,) = describe_quality(MultiView({name: changed(stretched) for name in names}))
    assert (uneven.code, uneven.subjects, uneven.level) == ("uneven-scales", names, "warning")


def test_views_of_unlike_scale() -> None:
    notes = describe_quality(MultiView({"big": X, "small": X * 1e-16}))
    assert len(notes) == 1
    assert notes[0].startswith("View small is 1e16 times smaller than big")


def test_extreme_numbers_do_not_overflow() -> None:
    huge = X / np.abs(X).max() * 1.7e308
    notes = describe_quality(MultiView({"huge": huge, "tiny": X * 5e-324, "flat": np.ones((30, 2))}))
    assert any("flat 2" in note for note in notes)


def test_negative_zero_is_zero() -> None:
    A = np.array([[0.0, 1], [-0.0, 1], [2, 3], [4, 6]])
    assert any("repeat another one" in note for note in describe_quality(MultiView([A])))


@pytest.mark.timing
def test_is_quick() -> None:
    import time

    data = MultiView([np.random.default_rng(0).normal(size=(2000, 650))])
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        describe_quality(data)
        best = min(best, time.perf_counter() - start)
    assert best < 0.15
