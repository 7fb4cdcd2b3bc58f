"""AnnData and MuData, from files of their own libraries and as objects: the same arrays come back."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.decomposition import PCA

import mvexplorer as mvx
from mvexplorer.datasets.loading import load_source
from mvexplorer.errors import DataError, DataWarning, RowsError
from mvexplorer.io.reading.files import Loaded, read_files
from mvexplorer.io.reading.inspection import inspect_files
from mvexplorer.io.reading.questions import offers_of

pytest.importorskip("anndata")
mudata = pytest.importorskip("mudata")
RNG = np.random.default_rng(3)
M = 14
NAMES = [f"cell{i}" for i in range(M)]
TYPES = np.array([["B", "T", "NK"][i % 3] for i in range(M)])
COUNTS = np.where(RNG.random((M, 9)) < 0.6, 0.0, RNG.integers(1, 9, (M, 9)))
PROTEINS = RNG.normal(size=(M, 4))
UMAP = RNG.normal(size=(M, 2))
SCORES = RNG.normal(size=(M, 5))


def cells(sparse: bool = True, rows: slice = slice(None)) -> Any:
    import anndata
    import pandas as pd
    from scipy.sparse import csr_matrix

    obs = pd.DataFrame(
        {"cell_type": pd.Categorical(TYPES), "depth": np.arange(M) * 1.5, "batch": TYPES[::-1].astype(object)},
        index=NAMES,
    )[rows]
    X = COUNTS[rows]
    data = anndata.AnnData(csr_matrix(X) if sparse else X, obs=obs)
    data.var_names = [f"gene{i}" for i in range(9)]
    data.obsm["X_umap"], data.obsm["X_pca"] = UMAP[rows], SCORES[rows]
    data.layers["raw"] = X + 1.0
    return data


def proteins(rows: list[int]) -> Any:
    import anndata
    import pandas as pd

    return anndata.AnnData(PROTEINS[rows], obs=pd.DataFrame(index=[NAMES[i] for i in rows]))


def write(data: Any, path: Path) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data.write(path)
    return path


def both(**modalities: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mudata.MuData(modalities)


def codes(loaded: Loaded) -> list[str]:
    return [notice.code for notice in loaded.notes]


def test_h5ad_comes_back(tmp_path: Path) -> None:
    path = write(cells(sparse=False), tmp_path / "cells.h5ad")
    data = read_files([path]).data
    assert data.view_names == ("X", "X_pca")
    np.testing.assert_array_equal(data.Xs[0], COUNTS)
    np.testing.assert_array_equal(data.Xs[1], SCORES)
    assert data.labels.tolist() == TYPES.tolist()
    assert list(data.sample_ids) == NAMES
    np.testing.assert_array_equal(data.columns["depth"], np.arange(M) * 1.5)
    assert data.columns["batch"].tolist() == TYPES[::-1].tolist()
    np.testing.assert_array_equal(data.coordinates["umap"], UMAP)
    assert data.feature_names[0] == tuple(f"gene{i}" for i in range(9))


def test_roles_and_names_choose(tmp_path: Path) -> None:
    path = write(cells(sparse=False), tmp_path / "cells.h5ad")
    told = read_files([path], roles={"batch": "label", "X_pca": "ignore", "umap": "view", "layers/raw": "view"}).data
    assert (told.view_names, told.coordinates) == (("X", "umap", "layers/raw"), {})
    assert told.labels.tolist() == TYPES[::-1].tolist()
    assert read_files([path], views=["layers/raw"]).data.Xs[0].tolist() == (COUNTS + 1).tolist()
    with pytest.raises(DataError, match="There is no view called “X_pka”") as caught:
        read_files([path], views=["X_pka"])
    assert "X_pca" in caught.value.hint


def test_a_sparse_table_is_never_filled_in_silently(tmp_path: Path) -> None:
    path = write(cells(), tmp_path / "cells.h5ad")
    loaded = read_files([path])
    assert loaded.data.view_names == ("X_pca",)
    assert "sparse" in codes(loaded)
    assert any("9 principal components can take its place" in note for note in loaded.notes)
    assert read_files([path], preprocess=["pca:9", "none"]).data.view_names == ("X", "X_pca")
    loaded = read_files([path], preprocess="pca:4")
    expected = PCA(4, svd_solver="full").fit_transform(COUNTS)
    np.testing.assert_allclose(np.abs(loaded.data.Xs[0]), np.abs(expected), atol=1e-9)
    loaded = read_files([path], views=["X"])
    np.testing.assert_array_equal(loaded.data.Xs[0], COUNTS)
    assert any("zeros of sparse view “X”" in note for note in loaded.notes)
    alone = cells()
    del alone.obsm["X_pca"]
    path = write(alone, tmp_path / "alone.h5ad")
    with pytest.raises(RowsError, match="are sparse: “X”") as caught:
        read_files([path])
    for offer in caught.value.offers:
        assert read_files([path], **dict(offer.options)).data.n_samples == M


def test_h5mu_by_intersection_and_union(tmp_path: Path) -> None:
    from sklearn.impute import KNNImputer
    from sklearn.preprocessing import StandardScaler

    rows = [i for i in range(M) if i not in (2, 7, 11)]
    first = cells(sparse=False)
    del first.obsm["X_pca"]
    path = write(both(rna=first, prot=proteins(rows[::-1])), tmp_path / "two.h5mu")
    loaded = read_files([path])
    assert loaded.data.view_names == ("rna", "prot")
    np.testing.assert_array_equal(loaded.data.Xs[0], COUNTS[rows])
    np.testing.assert_array_equal(loaded.data.Xs[1], PROTEINS[rows])
    np.testing.assert_array_equal(loaded.data.coordinates["rna:umap"], UMAP[rows])
    assert list(loaded.data.sample_ids) == [NAMES[i] for i in rows]
    assert loaded.data.labels.tolist() == TYPES[rows].tolist()
    assert any("11 of 14 samples are in all views" in note for note in loaded.notes)

    united = read_files([path], samples="union").data
    assert (united.columns["filled in"] == "prot").tolist() == [i not in rows for i in range(M)]
    joined = np.hstack([COUNTS, np.where(np.isin(np.arange(M), rows)[:, None], PROTEINS, np.nan)])
    scaler = StandardScaler().fit(joined)
    expected = scaler.inverse_transform(KNNImputer(n_neighbors=5).fit_transform(scaler.transform(joined)))
    np.testing.assert_allclose(united.Xs[1], expected[:, 9:], atol=1e-9)
    alone = read_files([path], views=["rna"]).data
    assert alone.n_samples == M


@pytest.mark.parametrize("sparse", [False, True])
def test_each_modality_is_told_to_lack_what_it_lacks(tmp_path: Path, *, sparse: bool) -> None:
    """Also by a script's warning, unless it has said which samples it wants."""
    rna, late = cells(sparse=sparse), cells(sparse=sparse, rows=slice(8, M))
    del rna.obsm["X_pca"], late.obsm["X_pca"]
    path = write(both(rna=rna, prot=proteins(list(range(3, M))), late=late), tmp_path / "three.h5mu")
    options: dict[str, Any] = {"preprocess": ["pca:2", "none", "pca:2"]} if sparse else {}
    with pytest.warns(
        DataWarning, match=r"6 of 14 samples .* without rna: 0, without prot: 3, without late: 8\."
    ) as caught:
        mvx.load(path, **options)
    ways = 'Impute from the other views (samples="union"), or keep those that all have (samples="intersection").'
    assert [str(one.message).rpartition("late: 8. ")[2] for one in caught] == [ways]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mvx.load(path, samples="intersection", **options).n_samples == 6
        assert mvx.load(path, samples="union", **options).n_samples == M


def test_a_sparse_modality_is_reduced_on_the_samples_that_stay(tmp_path: Path) -> None:
    rows = [i for i in range(M) if i not in (2, 7, 11)]
    path = write(both(rna=cells(), prot=proteins(rows)), tmp_path / "two.h5mu")
    data = read_files([path], preprocess=["pca:3", "none", "none"], views=["rna", "prot", "rna:X_pca"]).data
    expected = PCA(3, svd_solver="full").fit_transform(COUNTS[rows])
    np.testing.assert_allclose(np.abs(data.Xs[0]), np.abs(expected), atol=1e-9)


@pytest.mark.parametrize("in_file", [True, False])
def test_matrices_between_samples_are_told_not_to_be_read(tmp_path: Path, *, in_file: bool) -> None:
    alone, first = cells(sparse=False), cells(sparse=False)
    for data in (alone, first):
        data.obsp["distances"], data.obsp["connectivities"] = np.eye(M), np.ones((M, M))
    modalities = both(rna=first, prot=proteins(list(range(M))))
    modalities.obsp["wnn"] = np.eye(M)
    for data, names in (
        (alone, "“distances”, “connectivities”"), (modalities, "“wnn”, “rna:distances”, “rna:connectivities”"),
    ):  # fmt: skip
        source = write(data, tmp_path / ("a.h5mu" if data is modalities else "a.h5ad")) if in_file else data
        (note,) = [note for note in load_source(source).notes if "obsp" in note]
        assert sorted(note.partition(": ")[2].partition(" were")[0].split(", ")) == sorted(names.split(", "))
        assert note.endswith(" were left out: matrices between samples, in obsp, are not read.")


def test_disjoint_samples_are_refused(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = mudata.MuData({"a": cells(rows=slice(6)), "b": cells(rows=slice(6, M))}, axis=1)
    with pytest.raises(DataError, match="different samples, with features in common"):
        read_files([write(data, tmp_path / "two.h5mu")])


def test_links_out_of_the_file_and_damage_are_refused(tmp_path: Path) -> None:
    import h5py

    path = write(cells(sparse=False), tmp_path / "cells.h5ad")
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["secret"] = PROTEINS
    with h5py.File(path, "r+") as file:
        del file["obsm/X_pca"]
        file["obsm/X_pca"] = h5py.ExternalLink("other.h5", "secret")
    with pytest.raises(DataError, match=r"which is not followed"):
        read_files([path])
    with h5py.File(path, "r+") as file:
        del file["obsm/X_pca"], file["obs"]
        file["obs"] = np.zeros(3, dtype=[("index", "S3")])
    with pytest.raises(DataError, match=r"was written by an anndata before 0\.7"):
        read_files([path])
    content = write(cells(sparse=False), path).read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(DataError, match="is damaged"):
        read_files([path])


def test_wrong_indices_of_a_sparse_table_are_refused(tmp_path: Path) -> None:
    import h5py

    path = write(cells(), tmp_path / "cells.h5ad")
    with h5py.File(path, "r+") as file:
        file["X/indices"][0] = 10**6
    for options in ({"views": ["X"]}, {"preprocess": "pca:2"}):
        with pytest.raises(DataError, match=r"sparse matrix of “cells.h5ad” is damaged"):
            read_files([path], **options)


@pytest.mark.parametrize("name", ["X", "obsm/X_pca", "layers/raw"])
@pytest.mark.parametrize("rows", [0, 1, M + 1])
def test_a_table_of_other_length_than_the_samples_is_refused(tmp_path: Path, name: str, rows: int) -> None:
    import h5py

    path = write(cells(sparse=False), tmp_path / "cells.h5ad")
    with h5py.File(path, "r+") as file:
        about = dict(file[name].attrs)
        del file[name]
        file[name] = np.ones((rows, 9))
        file[name].attrs.update(about)
    title = name.removeprefix("obsm/")
    with pytest.raises(DataError, match=rf"“{title}” has {rows} rows for {M} samples\."):
        read_files([path])


def test_without_the_library_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(cells(), tmp_path / "cells.h5ad")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(DataError, match="needs the package anndata") as caught:
        read_files([path])
    assert "pip install 'mvexplorer[omics]'" in caught.value.hint


def test_inspection_lists_tables_columns_and_coordinates(tmp_path: Path) -> None:
    found = inspect_files([write(cells(), tmp_path / "cells.h5ad")])
    roles = {item.name: item.role for item in found.items}
    assert roles["X_pca"] == "view"
    assert (roles["cell_type"], roles["depth"], roles["umap"]) == ("label", "colour", "coordinates")
    assert (roles["X"], roles["layers/raw"]) == ("ignore", "ignore")
    assert next(item.shape for item in found.items if item.name == "X") == (M, 9)
    assert found.loaded is not None
    alone = cells()
    del alone.obsm["X_pca"]
    found = inspect_files([write(alone, tmp_path / "alone.h5ad")])
    assert isinstance(found.error, RowsError)
    assert "X" in [item.name for item in found.items]


def test_few_columns_are_a_view_where_nothing_else_is(tmp_path: Path) -> None:
    """Unless they are called as pictures are; beside other views they are told to be coordinates, with the way out."""
    import anndata

    alone = anndata.AnnData(obsm={"latent": SCORES[:, :3], "X_umap": UMAP})
    loaded = read_files([write(alone, tmp_path / "alone.h5ad")])
    assert (loaded.data.view_names, list(loaded.data.coordinates)) == (("latent",), ["umap"])
    del alone.obsm["latent"]
    found = inspect_files([write(alone, tmp_path / "umap.h5ad")])
    assert isinstance(found.error, RowsError)
    assert [offer.options for offer in found.error.offers] == [{"roles": {"umap": "view"}}]
    beside = anndata.AnnData(SCORES, obsm={"latent": UMAP, "X_umap": UMAP})
    loaded = read_files([write(beside, tmp_path / "beside.h5ad")])
    (note,) = [note for note in loaded.notes if note.code == "given"]
    assert "“latent” of obsm has few columns" in note
    (offer,) = offers_of(note)
    again = read_files([tmp_path / "beside.h5ad"], **offer.options)
    assert (again.data.view_names, list(again.data.coordinates)) == (("X", "latent"), ["umap"])


def test_the_number_of_components_that_is_offered_can_be_had(tmp_path: Path) -> None:
    path = write(cells(), tmp_path / "cells.h5ad")
    (note,) = [note for note in read_files([path]).notes if note.code == "sparse"]
    (offer,) = offers_of(note)
    assert read_files([path], **offer.options).data.view_names == ("X", "X_pca")


@pytest.mark.parametrize("seed", range(4))
def test_raw_counts_open_with_no_view_isolated_or_flat(tmp_path: Path, seed: int) -> None:
    """Cells of very unlike depth, and proteins of other units: by max-min the counts were flat."""
    import anndata
    import pandas as pd

    random, n = np.random.default_rng(seed), 240
    kinds, depth = np.repeat([0, 1, 2], n // 3), random.lognormal(0.0, 1.2, (n, 1))
    rate = np.exp(random.normal(0.0, 1.0, 60))[None, :] * np.where(np.arange(60) % 3 == kinds[:, None], 6.0, 1.0)
    counts, proteins = random.poisson(depth * rate).astype(float), random.normal(size=(n, 12)) + 2.0 * kinds[:, None]
    names = pd.DataFrame(index=[f"cell{i}" for i in range(n)])
    parts = {"rna": anndata.AnnData(counts, obs=names), "prot": anndata.AnnData(100.0 * proteins, obs=names)}
    path = write(both(**parts), tmp_path / "cells.h5mu")
    loaded = read_files([path])
    assert "raw-counts" in [note.code for note in loaded.notes]
    for one in mvx.regimes(loaded.data):
        assert one.regime not in ("isolated", "flat"), one.sentence
    warned = mvx.embed(loaded.data, "kernel-sum").warnings
    assert not [text for _, text in warned if text.level == "warning"]
