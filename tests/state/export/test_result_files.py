"""Numbers in files: each tool reads the very numbers that were written, by the names that it knows."""

from __future__ import annotations

import csv
import json
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import mvexplorer as mvx
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import DataError
from mvexplorer.io.base import decoder
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.omics.omics_writing import annotated_source
from mvexplorer.io.writing.result_files import write_arrays, write_record, write_table
from mvexplorer.state.export.result_files import NumbersJob, obsm_keys
from mvexplorer.state.export.result_tables import (
    KINDS,
    Numbers,
    PanelNumbers,
    arrays,
    distance_columns,
    neighbours,
    points,
    table_names,
    tables,
)

M = 24
IDS = [f"s{i}" for i in range(M - 3)] + ["=cmd()", 'a "quoted", name', "0 07"]


def panel(name: str, method: str, **settings: object) -> PanelNumbers:
    drawn = np.random.default_rng(0)
    data = mvx.MultiView(
        {"fou": drawn.normal(size=(M, 3)), "fac": drawn.normal(size=(M, 2))}, labels=["b", "ä"] * 12, sample_ids=IDS
    )
    found = mvx.embed(data, method, n_components=3, **settings)
    scores = {"title": name, "stale": False, "scores": {"nmi": 0.1 + 0.2, "knn": 1 / 3}, "spreads": {"nmi": 1e-17}}
    return PanelNumbers(name, found, found.coordinates[:, :2], scores)


@pytest.fixture(scope="module")
def numbers() -> Numbers:
    given = panel("p1-single", "single"), panel("p2-multiview", "multiview")
    return Numbers(given, {"program": "mvexplorer 1", "stale": False}, selection=(2, 21), sample=21)


def write_annotated(numbers: Numbers, source: Path, path: Path, reading: ReadOptions | None = None) -> Path:
    (written,) = NumbersJob(numbers, (), "obsm", path, source, reading).run(StageCache(0), Task())
    return written


def table(numbers: Numbers, name: str) -> pl.DataFrame:
    return dict(tables(numbers, KINDS))[name]


# What stands in the tables ----------------------------------------------------------------------------------------


def test_every_table_has_a_name_and_ids_come_first(numbers):
    found = dict(tables(numbers, KINDS))
    each = [f"{p}{end}" for end in ("", "-distances", "-neighbours") for p in ("p1-single", "p2-multiview")]
    assert set(found) == {*each, "scores", "spectrum", "selection"}
    assert table_names(numbers, KINDS) == list(found)
    assert all(frame.columns[0] == "id" for name, frame in found.items() if name[0] == "p")
    assert found["p1-single"].columns == ["id", "label", "psi1", "psi2", "psi3"]
    assert found["p2-multiview"].columns[2:] == [f"{v}_psi{k}" for v in ("fou", "fac") for k in (1, 2, 3)]


def test_scores_stand_in_one_row_per_panel_with_their_spread(numbers):
    found = table(numbers, "scores")
    assert found.columns == ["panel", "method", "views", "epsilon", "eta", "t", "n_components", "stale", "nmi",
                             "nmi_sd", "knn"]  # fmt: skip
    assert found["views"].to_list() == ["fou", "fou,fac"]
    assert found["epsilon"][1].to_list() == list(numbers.panels[1].embedding.epsilon)
    assert found["nmi"].to_list() == [0.1 + 0.2] * 2


def test_the_spectrum_begins_with_the_trivial_eigenvalue(numbers):
    found = table(numbers, "spectrum").filter(panel="p1-single")
    assert found["index"].to_list() == list(range(len(found)))
    np.testing.assert_array_equal(found["eigenvalue"], numbers.panels[0].embedding.eigenvalues)
    assert found["eigenvalue"][0] == pytest.approx(1.0)


def test_the_selection_names_its_samples(numbers):
    found = table(numbers, "selection")
    assert found.rows() == [("s2", "b", 2), ("=cmd()", "ä", 21)]
    with pytest.raises(DataError, match="Nothing is selected"):
        dict(tables(replace(numbers, selection=()), ["selection"]))


def test_distances_are_those_of_the_diffusion_map(numbers):
    """Of all coordinates these are the distances of the rows of Pᵗ, weighted by the stationary distribution."""
    drawn = np.random.default_rng(0).normal(size=(M, 3))
    found = mvx.embed(mvx.MultiView([drawn]), "single", n_components=M - 2, t=2, epsilon=1.0)
    K = np.exp(-((drawn[:, None] - drawn[None]) ** 2).sum(-1) / 2)
    degree = K.sum(1)
    walk = np.linalg.matrix_power(K / degree[:, None], 2)
    wanted = np.sqrt((((walk - walk[4]) ** 2) / (degree / degree.sum())).sum(1))
    ratio = distance_columns(found, 4)["distance"][1:4] / wanted[1:4]
    np.testing.assert_allclose(distance_columns(found, 4)["distance"], wanted * ratio[0], atol=1e-6)
    assert distance_columns(found, 4)["distance"][4] == 0.0


def test_distances_of_several_views_stand_beside_that_of_all(numbers):
    found = table(numbers, "p2-multiview-distances")
    assert found.columns == ["id", "label", "distance", "fou_distance", "fac_distance"]
    squared = found["fou_distance"] ** 2 + found["fac_distance"] ** 2
    np.testing.assert_allclose(found["distance"], squared.sqrt())
    assert found.filter(id="=cmd()")["distance"].to_list() == [0.0]


def test_neighbours_are_the_nearest_others(numbers):
    Y = numbers.panels[1].embedding.coordinates
    near, apart = neighbours(Y)
    every = np.linalg.norm(Y[:, None] - Y[None], axis=2)
    np.fill_diagonal(every, np.inf)
    np.testing.assert_allclose(apart, np.sort(every, axis=1)[:, :15])
    np.testing.assert_allclose(np.take_along_axis(every, near, 1), apart)
    found = table(numbers, "p2-multiview-neighbours")
    assert found.filter(id="s3")["neighbour"].to_list() == [IDS[j] for j in near[3]]
    assert found.filter(id="s3")["rank"].to_list() == [*range(1, 16)]
    assert neighbours(Y[:4])[0].shape == (4, 3)


# Round trips by the tools they are for ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["p2-multiview", "scores", "selection", "p1-single-neighbours"])
def test_csv_is_read_by_python_polars_and_pandas_to_the_last_digit(numbers, tmp_path, name):
    pd = pytest.importorskip("pandas")
    frame = table(numbers, name)
    path = write_table(frame, tmp_path / "a.csv", {})
    with path.open(newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    assert head == frame.columns
    again, other = pl.read_csv(path), pd.read_csv(path, float_precision="round_trip")
    for i, column in enumerate(frame):
        if column.dtype == pl.Float64:
            assert [float(row[i]) if row[i] else None for row in rows] == column.to_list()
            assert again[column.name].to_list() == column.to_list()
            np.testing.assert_array_equal(other[column.name], column.to_numpy())
        elif column.dtype == pl.String:
            assert [row[i] for row in rows] == again[column.name].to_list() == list(other[column.name])
            assert again[column.name].to_list() == column.to_list()


def test_a_name_that_looks_like_a_formula_stays_as_it_is(numbers, tmp_path):
    path = write_table(table(numbers, "p1-single"), tmp_path / "a.csv", {})
    assert [line for line in path.read_text("utf-8").splitlines() if line.startswith("=cmd(),ä,")]


def test_parquet_is_read_by_polars_pandas_and_arrow_and_holds_the_record(numbers, tmp_path):
    pd, parquet = pytest.importorskip("pandas"), pytest.importorskip("pyarrow.parquet")
    for name, frame in tables(numbers, KINDS):
        path = write_table(frame, tmp_path / f"{name}.parquet", {"caption": "Multi-view of ä"})
        assert pl.read_parquet(path).equals(frame)
        assert list(pd.read_parquet(path).columns) == frame.columns
        assert json.loads(parquet.read_metadata(path).metadata[b"mvexplorer"])["caption"] == "Multi-view of ä"


def test_npz_is_read_by_numpy_without_pickle(numbers, tmp_path):
    write_arrays(arrays(numbers, KINDS), tmp_path / "a.npz", numbers.record)
    with np.load(tmp_path / "a.npz", allow_pickle=False) as found:
        assert found["id"].tolist() == IDS
        np.testing.assert_array_equal(found["p2-multiview/coordinates"], numbers.panels[1].embedding.coordinates)
        assert found["selection"].tolist() == [2, 21]
        assert found["scores/nmi"].tolist() == [0.1 + 0.2] * 2
        assert found["p1-single/neighbours"].shape == (M, 15)
        assert json.loads(str(found["meta"]))["program"] == "mvexplorer 1"
    one = replace(numbers, panels=numbers.panels[:1])
    write_arrays(arrays(one, ["coordinates", "spectrum"]), tmp_path / "b.npz", {})
    with np.load(tmp_path / "b.npz", allow_pickle=False) as found:
        assert set(found) == {"id", "label", "meta", "coordinates", "column_names", "eigenvalues"}


def test_points_are_as_embedding_atlas_and_jupyter_scatter_take_them(numbers, tmp_path):
    """A struct of zero-based rows and distances, the nearest first, in the column that --neighbors names."""
    pd = pytest.importorskip("pandas")
    given = numbers.panels[1]
    path = write_table(points(numbers, given), tmp_path / "a.parquet", {})
    found = pd.read_parquet(path)
    assert list(found.columns) == ["x", "y", "label", "id", "selected", "neighbors"]
    np.testing.assert_array_equal(found[["x", "y"]].to_numpy(), given.shown)
    near, apart = neighbours(given.embedding.coordinates)
    for row in (0, M - 1):
        cell = found["neighbors"][row]
        assert set(cell) == {"ids", "distances"}
        assert list(cell["ids"]) == near[row].tolist()
        np.testing.assert_array_equal(cell["distances"], apart[row])
        assert sorted(cell["distances"]) == list(cell["distances"])
    assert found["id"][found["selected"]].tolist() == ["s2", "=cmd()"]


@pytest.mark.parametrize("write", [write_table, write_arrays, write_record])
@pytest.mark.parametrize("place", ["missing", "folder", "protected", "full"])
def test_a_file_that_cannot_be_written_is_told_and_nothing_is_left(numbers, tmp_path, monkeypatch, write, place):
    path = tmp_path / ("missing/a.csv" if place == "missing" else "a.csv")
    if place == "folder":
        path.mkdir()
    elif place == "protected":
        path.write_text("mine")
        monkeypatch.setattr("os.access", lambda *args: False)
    elif place == "full":
        monkeypatch.setattr("os.fsync", full)
    before = sorted(tmp_path.iterdir())
    arguments = {
        write_table: (table(numbers, "p1-single"), path, {}), write_arrays: (arrays(numbers, KINDS), path, {}),
        write_record: ({}, path),
    }  # fmt: skip
    with pytest.raises(DataError, match=r"a\.csv cannot be written: ") as refused:
        write(*arguments[write])
    assert refused.value.hint
    assert sorted(tmp_path.iterdir()) == before
    assert place != "protected" or path.read_text() == "mine"


def full(_descriptor: int) -> None:
    raise OSError(28, "No space left on device")


# AnnData and MuData -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cells(tmp_path_factory) -> Path:
    """Thirty cells in another order, six of them with no embedding."""
    anndata, pd = pytest.importorskip("anndata"), pytest.importorskip("pandas")
    names = [*IDS[::-1], *(f"left{i}" for i in range(6))]
    obs = pd.DataFrame({"depth": np.arange(30.0), "other_name": [f"n{i}" for i in range(30)]}, index=names)
    data = anndata.AnnData(np.arange(120.0).reshape(30, 4), obs=obs)
    data.obsm["X_umap"], data.uns["mine"] = np.ones((30, 2)), {"kept": 3}
    path = tmp_path_factory.mktemp("cells") / "cells.h5ad"
    data.write_h5ad(path)
    return path


def test_obsm_of_a_copy_gets_the_coordinates_and_the_rest_stays(numbers, cells, tmp_path):
    anndata = pytest.importorskip("anndata")
    before = cells.read_bytes()
    found = anndata.read_h5ad(write_annotated(numbers, cells, tmp_path / "b.h5ad"))
    assert cells.read_bytes() == before
    assert set(found.obsm) == {"X_umap", "X_mvx_single_fou", "X_mvx_multiview"}
    for name, row in zip(IDS, numbers.panels[1].embedding.coordinates, strict=True):
        np.testing.assert_array_equal(found[name].obsm["X_mvx_multiview"][0], row)
    assert np.isnan(found[[f"left{i}" for i in range(6)]].obsm["X_mvx_multiview"]).all()
    assert found.uns["mine"] == {"kept": 3}
    told = found.uns["mvexplorer"]["X_mvx_multiview"]
    assert list(told["columns"]) == list(numbers.panels[1].embedding.column_names)
    assert json.loads(told["record"])["title"] == "p2-multiview"
    assert json.loads(found.uns["mvexplorer"]["record"])["program"] == "mvexplorer 1"
    np.testing.assert_array_equal(found.X, np.arange(120.0).reshape(30, 4))
    assert mvx.load(tmp_path / "b.h5ad").view_names == mvx.load(cells).view_names


def test_a_second_export_replaces_its_own_and_takes_the_files_place_when_told(numbers, cells, tmp_path):
    anndata = pytest.importorskip("anndata")
    path = tmp_path / "c.h5ad"
    path.write_bytes(cells.read_bytes())
    for given in (numbers.panels, numbers.panels[1:]):
        write_annotated(replace(numbers, panels=given), path, path)
    assert set(anndata.read_h5ad(path).obsm) == {"X_umap", "X_mvx_single_fou", "X_mvx_multiview"}
    assert list(obsm_keys(numbers.panels * 2)) == [
        "X_mvx_single_fou", "X_mvx_multiview", "X_mvx_single_fou_2", "X_mvx_multiview_2",
    ]  # fmt: skip


def test_samples_named_by_a_column_of_obs_are_found(numbers, cells, tmp_path):
    anndata = pytest.importorskip("anndata")
    renamed = [replace(p, embedding=replace(p.embedding, sample_ids=tuple(f"n{29 - i}" for i in range(M))))
               for p in numbers.panels]  # fmt: skip
    found = anndata.read_h5ad(write_annotated(replace(numbers, panels=tuple(renamed)), cells, tmp_path / "b.h5ad"))
    Y = numbers.panels[0].embedding.coordinates
    np.testing.assert_array_equal(found.obsm["X_mvx_single_fou"][29], Y[0])
    assert np.isnan(found.obsm["X_mvx_single_fou"][:6]).all()


@pytest.mark.parametrize("told", [{"ids": "cell"}, {"roles": {"cell": "id"}}, {}, {"ids": "/names.csv"}, None])
def test_rows_are_those_of_the_names_that_were_read(numbers, tmp_path, told):
    anndata, pd = pytest.importorskip("anndata"), pytest.importorskip("pandas")
    source, target = tmp_path / "a.h5ad", tmp_path / "b.h5ad"
    anndata.AnnData(np.ones((M, 2)), obs=pd.DataFrame({"cell": [*IDS[5:], *IDS[:5]]}, index=IDS)).write_h5ad(source)
    reading = None if told is None else ReadOptions(**told)
    if reading is None or reading.ids == "/names.csv":
        with pytest.raises(DataError, match=r"“cell” and “obs_names” of “a\.h5ad” hold the same names") as refused:
            write_annotated(numbers, source, target, reading)
        assert "import page" in refused.value.hint
        return
    found = anndata.read_h5ad(write_annotated(numbers, source, target, reading))
    names = list(found.obs["cell"] if told else found.obs_names)
    rows = [names.index(id) for id in IDS]
    np.testing.assert_array_equal(found.obsm["X_mvx_multiview"][rows], numbers.panels[1].embedding.coordinates)


def test_mudata_gets_them_for_all_its_samples(numbers, tmp_path):
    mudata, anndata, pd = (pytest.importorskip(name) for name in ("mudata", "anndata", "pandas"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rna = anndata.AnnData(np.ones((M, 3)), obs=pd.DataFrame(index=IDS))
        adt = anndata.AnnData(np.ones((M + 1, 2)), obs=pd.DataFrame(index=[*IDS[::-1], "more"]))
        mudata.MuData({"rna": rna, "adt": adt}).write(tmp_path / "a.h5mu")
        found = mudata.read_h5mu(write_annotated(numbers, tmp_path / "a.h5mu", tmp_path / "b.h5mu"))
    assert found.obsm["X_mvx_multiview"].shape == (M + 1, 6)
    place = list(found.obs_names).index("=cmd()")
    np.testing.assert_array_equal(found.obsm["X_mvx_multiview"][place], numbers.panels[1].embedding.coordinates[21])
    assert np.isnan(found.obsm["X_mvx_multiview"][list(found.obs_names).index("more")]).all()


def test_a_source_that_is_none_or_of_others_is_told(numbers, cells, tmp_path):
    for source in (["a.csv"], ["a.h5ad", "b.h5ad"], ["uci-digits"], []):
        with pytest.raises(DataError, match=r"did not come from one \.h5ad or \.h5mu file") as refused:
            annotated_source(source)
        assert "CSV" in refused.value.hint
    assert annotated_source([str(cells)]) == cells
    target = tmp_path / "b.h5ad"
    with pytest.raises(DataError, match=r"cells\.h5ad” cannot be written as “\.h5mu”"):
        write_annotated(numbers, cells, tmp_path / "b.h5mu")
    with pytest.raises(DataError, match=r"There is no file “.*gone\.h5ad”"):
        write_annotated(numbers, tmp_path / "gone.h5ad", target)
    torn = tmp_path / "torn.h5ad"
    torn.write_bytes(cells.read_bytes()[:3000])
    with pytest.raises(DataError, match=r"torn\.h5ad” is damaged"):
        write_annotated(numbers, torn, target)
    strange = replace(numbers.panels[0].embedding, sample_ids=tuple(f"x{i}" for i in range(M)))
    with pytest.raises(DataError, match="does not hold the samples of these panels"):
        write_annotated(replace(numbers, panels=(replace(numbers.panels[0], embedding=strange),)), cells, target)
    assert [p.name for p in tmp_path.iterdir()] == ["torn.h5ad"]


def test_a_copy_may_go_to_the_working_folder(numbers, cells, tmp_path, monkeypatch):
    anndata = pytest.importorskip("anndata")
    monkeypatch.chdir(tmp_path)
    found = anndata.read_h5ad(write_annotated(numbers, cells, Path("b.h5ad")))
    assert "X_mvx_multiview" in found.obsm


def test_a_full_disk_leaves_no_half_copy(numbers, cells, tmp_path, monkeypatch):
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(DataError, match="the disk is full"):
        write_annotated(numbers, cells, tmp_path / "b.h5ad")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.nightly
def test_a_disk_that_fills_up_meanwhile_leaves_no_half_copy(numbers, cells, tmp_path):
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (cells.stat().st_size + 64, hard))
    decoder.close()  # the process that is started next has the limit, too
    try:
        with pytest.raises(DataError, match=r"b\.h5ad cannot be written: "):
            write_annotated(numbers, cells, tmp_path / "b.h5ad")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        decoder.close()
    assert list(tmp_path.iterdir()) == []


def test_a_link_to_another_file_is_not_followed(numbers, cells, tmp_path):
    h5py = pytest.importorskip("h5py")
    source, other = tmp_path / "a.h5ad", tmp_path / "other.h5"
    source.write_bytes(cells.read_bytes())
    with h5py.File(other, "w") as file:
        file.create_group("obsm")
    with h5py.File(source, "r+") as file:
        del file["uns"]
        file["uns"] = h5py.ExternalLink(str(other), "obsm")
    before = other.read_bytes()
    with pytest.raises(DataError, match="which is not followed"):
        write_annotated(numbers, source, tmp_path / "b.h5ad")
    assert other.read_bytes() == before
    assert not (tmp_path / "b.h5ad").exists()
