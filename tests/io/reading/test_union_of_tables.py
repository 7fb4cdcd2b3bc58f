"""Samples that some tables lack, joined by their names: kept and filled in, or left out, whichever is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import mvexplorer as mvx
from mvexplorer.errors import DataError, RowsError
from mvexplorer.io.base.union import _distances
from mvexplorer.io.reading.files import read_files
from mvexplorer.io.reading.questions import offers_of

RNG = np.random.default_rng(14)
M = 24
WHO = [f"P{i:02d}" for i in range(M)]
LATENT = RNG.normal(size=(M, 1))
A = pd.DataFrame(LATENT * [1.0, 2.0, -1.0] + 0.01 * RNG.normal(size=(M, 3)), columns=list("abc"), index=WHO)
B = pd.DataFrame(LATENT * [3.0, 1.0] + 0.01 * RNG.normal(size=(M, 2)), columns=list("pq"), index=WHO)
FIRST, SECOND = [*range(20)], [*RNG.permutation(np.arange(4, M))]


def written(folder: Path, *frames: pd.DataFrame) -> list[Path]:
    paths = [folder / f"{'ab'[i]}.csv" for i in range(len(frames))]
    for frame, path in zip(frames, paths, strict=True):
        frame.rename_axis(frame.index.name or "who").to_csv(path)
    return paths


@pytest.mark.parametrize("kept", ["files", "memory"])
def test_a_union_of_tables_is_filled_in_as_that_of_modalities(tmp_path: Path, kept: str) -> None:
    kinds = [str(i % 2) for i in range(M)]
    first, second = (
        A.iloc[FIRST].assign(label=[kinds[i] for i in FIRST]),
        B.iloc[SECOND].assign(site=[f"in {i}" for i in SECOND]),
    )
    given: Any = written(tmp_path, first, second) if kept == "files" else {"a": first, "b": second}
    data = mvx.load(given, samples="union")
    ids = [*WHO[:20], *(WHO[i] for i in SECOND if i >= 20)]
    assert data.sample_ids == tuple(ids)
    rows = [WHO.index(name) for name in ids]
    np.testing.assert_allclose(data.Xs[0][:20], A.iloc[:20])
    np.testing.assert_allclose(data.Xs[1][4:], B.iloc[rows[4:]])
    # The mean of the 5 samples of the other view that are nearest, which the shared latent number makes a close one.
    nearest = [np.argsort(abs(A["a"].to_numpy()[rows[4:20]] - A["a"].iloc[row]))[:5] + 4 for row in range(4)]
    np.testing.assert_allclose(data.Xs[1][:4], [data.Xs[1][own].mean(axis=0) for own in nearest], atol=0.5)
    assert data.columns["filled in"].tolist() == ["b"] * 4 + ["no view"] * 16 + ["a"] * 4
    assert data.labels.tolist() == [*kinds[:20], *["unlabelled"] * 4]
    assert data.columns["site"].tolist() == ["unlabelled"] * 4 + [f"in {i}" for i in rows[4:]]


def test_it_is_told_with_counts_and_offered(tmp_path: Path) -> None:
    paths = written(tmp_path, A.iloc[FIRST], B.iloc[SECOND])
    with pytest.raises(RowsError, match="16 of 20 and 16 of 20 samples are in both files") as caught:
        read_files(paths)
    assert [(offer.title, dict(offer.options)) for offer in caught.value.offers] == [
        ("Keep the 16 shared samples", {"join": "intersect"}),
        ("Keep all 24, filled in from the other views", {"samples": "union"}),
    ]
    [told] = [note for note in read_files(paths, samples="union").notes if note.code == "absent"]
    assert told.level == "warning"
    assert "of 24 samples, without a: 4, without b: 4" in told
    loaded = read_files(paths, samples="intersection")
    assert loaded.data.n_samples == 16
    [left_out] = [note for note in loaded.notes if note.code == "absent"]
    assert [dict(offer.options) for offer in offers_of(left_out)] == [{"samples": "union"}]
    assert read_files(paths, join="intersect", samples="union").data.n_samples == M


def test_what_two_files_say_of_a_sample_is_put_together(tmp_path: Path) -> None:
    kinds, sites = [i % 3 for i in range(M)], [f"site {i % 4}" for i in range(M)]
    a, b = (frame.assign(label=kinds, site=sites) for frame in (A, B))
    paths = written(tmp_path, a.iloc[FIRST], b.iloc[SECOND])
    data = read_files(paths, samples="union").data
    rows = [WHO.index(name) for name in data.sample_ids]
    assert data.labels.tolist() == [kinds[i] for i in rows]
    assert data.columns["site"].tolist() == [sites[i] for i in rows]
    assert "site-2" not in data.columns
    paths = written(tmp_path, a.iloc[FIRST], b.assign(label=[(i + 1) % 3 for i in range(M)]).iloc[SECOND])
    with pytest.raises(DataError, match=r"The labels in “b\.csv” differ"):
        read_files(paths, samples="union")


def test_samples_that_only_a_file_of_labels_names_are_not_added(tmp_path: Path) -> None:
    clinic = pd.DataFrame({"kind": ["x", "y"] * 16}, index=[*WHO, *(f"Q{i}" for i in range(8))])
    paths = [*written(tmp_path, A.iloc[FIRST], B.iloc[SECOND]), tmp_path / "clinic.csv"]
    clinic.iloc[2:].rename_axis("who").to_csv(paths[2])
    data = read_files(paths, samples="union").data
    assert data.n_samples == M
    assert data.labels.tolist()[:4] == ["unlabelled", "unlabelled", "x", "y"]


def test_a_picture_of_some_of_the_samples_is_left_out_and_told(tmp_path: Path) -> None:
    paths = [*written(tmp_path, A.iloc[FIRST], B.iloc[SECOND]), tmp_path / "umap.csv"]
    A.iloc[:20, :2].set_axis(["umap1", "umap2"], axis=1).rename_axis("who").to_csv(paths[2])
    loaded = read_files(paths, samples="union")
    assert (loaded.data.n_samples, loaded.data.coordinates) == (M, {})
    assert any("Given coordinates that some samples lack were left out: umap." in note for note in loaded.notes)


def test_no_sample_in_common_cannot_be_filled_in(tmp_path: Path) -> None:
    paths = written(tmp_path, A.iloc[:12].rename_axis("id"), B.iloc[12:].rename_axis("id"))
    with pytest.raises(DataError, match="shares no view with those from which it would be filled in"):
        read_files(paths, samples="union")


def test_samples_are_as_far_apart_as_the_mean_over_features_that_both_have() -> None:
    """A sample known by one feature is no nearer than one known by ten: squared z-scores are averaged, not summed."""
    scores = [RNG.normal(size=(6, 1)), RNG.normal(size=(6, 9))]
    present = np.array([[1, 1], [1, 1], [1, 0], [0, 1], [1, 1], [1, 0]], dtype=bool)
    rows, donors = np.array([0, 2]), np.array([1, 3, 4, 5])
    found = _distances(scores, present, rows, donors)
    for a, i in enumerate(rows):
        for b, j in enumerate(donors):
            both = [(Z[i] - Z[j]) ** 2 for Z, has in zip(scores, present.T, strict=True) if has[i] and has[j]]
            assert found[a, b] == pytest.approx(np.mean(np.concatenate(both)) if both else np.inf)
