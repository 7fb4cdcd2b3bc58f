"""Missing numbers are refused with ways out, and filled in as scikit-learn does it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.preprocessing import StandardScaler

from mvexplorer.errors import DataError, MissingValuesError
from mvexplorer.io.reading.files import read_files

M = 30
RNG = np.random.default_rng(11)


@pytest.fixture
def holed(tmp_path: Path) -> tuple[Path, np.ndarray]:
    """A view whose features differ a thousandfold in scale, with gaps in four samples, beside a whole one."""
    X = RNG.normal(size=(M, 4)) * [1, 1000, 1, 0] + [0, 50, 3, 2]
    for i, j in ((0, 0), (0, 1), (7, 2), (8, 1), (20, 3)):
        X[i, j] = np.nan
    np.savez(tmp_path / "holed.npz", a=X, b=RNG.normal(size=(M, 2)), label=np.arange(M) % 2)
    return tmp_path / "holed.npz", X


@pytest.mark.parametrize("how", ["median", "knn"])
def test_gaps_are_filled_in(holed: tuple[Path, np.ndarray], how: str) -> None:
    path, X = holed
    loaded = read_files([path], missing=how)
    if how == "median":
        expected = SimpleImputer(strategy="median").fit_transform(X)
    else:
        scaler = StandardScaler().fit(X)
        expected = scaler.inverse_transform(KNNImputer(n_neighbors=5).fit_transform(scaler.transform(X)))
    np.testing.assert_allclose(loaded.data.Xs[0], expected, rtol=1e-12)
    np.testing.assert_array_equal(loaded.data.Xs[0][~np.isnan(X)], X[~np.isnan(X)])
    (note,) = [note for note in loaded.notes if note.code == "filled"]
    assert "4 of 30 samples" in note
    assert "5 in a" in note
    assert len(loaded.data.labels) == M


def test_the_refusal_offers_every_way(holed: tuple[Path, np.ndarray]) -> None:
    path, _ = holed
    with pytest.raises(MissingValuesError, match="4 of 30 rows") as caught:
        read_files([path])
    assert [offer.title for offer in caught.value.offers] == [
        "Drop 4 rows", "Fill in medians", "Fill in from nearest samples",
    ]  # fmt: skip
    assert 'missing="median"' in caught.value.hint
    for offer, n_samples in zip(caught.value.offers, (26, 30, 30), strict=True):
        assert read_files([path], **offer.options).data.n_samples == n_samples


def test_a_feature_without_any_number_cannot_be_filled_in(tmp_path: Path) -> None:
    X = RNG.normal(size=(M, 3))
    X[:, 1] = np.nan
    np.save(tmp_path / "void.npy", X)
    with pytest.raises(DataError, match="Feature 2 of view “void” has no number at all") as caught:
        read_files([tmp_path / "void.npy"], missing="knn")
    assert caught.value.hint


def test_infinite_numbers_are_gaps(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,inf\n2,3\n4,5\n6,9\n")
    np.testing.assert_array_equal(read_files([tmp_path / "t.csv"], missing="median").data.Xs[0][:, 1], [5, 3, 5, 9])
