"""What is said about odd data that is not refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.io.reading.quality import describe_quality

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


def test_plain_data_is_silent() -> None:
    assert describe_quality(MultiView([X, X + 1])) == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (constant, r"Constant columns.*: b 1\."),
        (copied, r"Columns that repeat another one.*: b 1\."),
        (repeated, r"Samples that repeat another one.*: b 3\."),
        (zeroed, r"Samples whose numbers are all zero: b 1\."),
        (stretched, r"The scales of columns differ by more than 1000 in b: consider z-scores\."),
    ],
)
def test_each_oddity_is_said_once(change: Callable[[Array], None], words: str) -> None:
    import re

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
