"""Results out without a window: tables, pictures and sessions of the real command, read by the tools they are for."""

import json

import numpy as np
import polars as pl
import pytest
from command import main_in, mvexplorer_in, two_views

import mvexplorer as mvx
from mvexplorer.cli import main
from mvexplorer.state.session.session import open_session


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A comparison of three methods, kept as a session, which was then computed and exported."""
    place = tmp_path_factory.mktemp("results")
    X, _ = two_views(place)
    names = [f"s{i}" for i in range(len(X))]
    rows = [[n, "ab"[i % 2], *map(repr, map(float, x))] for i, (n, x) in enumerate(zip(names, X, strict=True))]
    head = ["id", "label", *(f"f{i}" for i in range(X.shape[1]))]
    (place / "x.csv").write_text("\n".join(",".join(row) for row in [head, *rows]) + "\n")
    (place / "sub").mkdir()
    made = mvexplorer_in(place, "compare", "x.csv", "y.csv", "--methods", "single,multiview,pca", "--set",
                         "multiview.eta=0.25", "--out", "a.pdf", "--save", "sub/kept.mvx.json", "--json")  # fmt: skip
    assert made.returncode == 0, made.stderr
    (place / "compared.json").write_text(made.stdout)
    done = main_in(place, "run", "sub/kept.mvx.json", "--export", "out/put", "--tables", "parquet")
    assert done.returncode == 0, done.stderr
    (place / "paths.txt").write_text(done.stderr)
    return place


@pytest.mark.nightly
def test_a_comparison_tells_its_facts_as_json(folder):
    found = json.loads((folder / "compared.json").read_text())
    assert [panel["method"] for panel in found["panels"]] == ["single", "single", "multiview", "pca"]
    assert set(found["panels"][2]) == {"id", "method", "views", "epsilon", "scores"}
    assert set(found["panels"][2]["scores"]) == {"nmi", "knn"}
    assert found["panels"][3]["epsilon"] == [None] * len(found["panels"][3]["views"])
    assert found["agreement"] is None
    assert (folder / "a.pdf").read_bytes().startswith(b"%PDF")


def test_a_comparison_kept_with_its_data_needs_no_other_file(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    kept = tmp_path / "kept.mvx"
    assert (
        main(["compare", "x.csv", "y.csv", "--methods", "pca", "--out", str(tmp_path / "a.png"), "--save", str(kept)])
        == 0
    )
    opened = open_session(kept)
    assert opened.data.fingerprint == mvx.load(["x.csv", "y.csv"], join="position").fingerprint
    assert [picture.embedding.method for picture in opened.pictures.values()] == ["pca"]


def test_a_kept_comparison_holds_every_panel_with_its_settings(folder):
    opened = open_session(folder / "sub" / "kept.mvx.json")
    assert [p.method for p in opened.state.panels] == ["single", "single", "multiview", "pca"]
    assert opened.state.panels[2].pins["eta"] == 0.25


def test_an_export_holds_every_panel_scores_spectrum_pictures_and_how_they_were_made(folder):
    out = folder / "out" / "put"
    names = ["p1-single-x", "p2-single-y", "p3-multiview", "p4-pca", "scores", "spectrum"]
    assert {p.name for p in out.iterdir()} == {
        *(f"{name}.parquet" for name in names), "record.json", "comparison.png", "comparison.svg", "session.html",
        "session.py",
    }  # fmt: skip
    assert {line.rpartition("/")[2] for line in (folder / "paths.txt").read_text().split()} >= {
        p.name for p in out.iterdir()
    }
    wanted = mvx.embed(
        mvx.load([str(folder / "x.csv"), str(folder / "y.csv")], join="position"),
        "multiview",
        eta=0.25,
        n_components=12,
    )
    found = pl.read_parquet(out / "p3-multiview.parquet")
    assert found.columns == ["id", "label", *(f"{v}_psi{k}" for v in "xy" for k in range(1, 13))]
    np.testing.assert_allclose(found.drop("id", "label").to_numpy(), wanted.coordinates, atol=1e-8)
    compared = json.loads((folder / "compared.json").read_text())["panels"]
    scores = pl.read_parquet(out / "scores.parquet")
    assert scores["knn"].to_list() == [panel["scores"]["knn"] for panel in compared]
    record = json.loads((out / "record.json").read_text("utf-8"))
    assert "Multi-view of x and y (raw, Gaussian kernel" in record["caption"]
    assert "η = 0.250" in record["panels"][2]["caption"]


@pytest.mark.parametrize("ending", [".csv", ".npz", ".parquet"])
def test_one_embedding_has_ids_labels_and_all_coordinates_in_every_form(folder, monkeypatch, capsys, ending):
    monkeypatch.chdir(folder)
    arguments = ["embed", "x.csv", "y.csv", "--method", "multiview", "--set", "n_components=3", "--json"]
    assert main([*arguments, "--out", f"one{ending}"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {"method", "views", "epsilon", "eigenvalues", "warnings", "null"}
    wanted = mvx.embed(mvx.load(["x.csv", "y.csv"], join="position"), "multiview", n_components=3)
    assert told["epsilon"] == list(wanted.epsilon)
    names = ["x_psi1", "x_psi2", "x_psi3", "y_psi1", "y_psi2", "y_psi3"]
    if ending == ".npz":
        with np.load(f"one{ending}") as found:
            ids, labels, Y = found["id"].tolist(), found["label"].tolist(), found["coordinates"]
            assert found["column_names"].tolist() == names
            np.testing.assert_allclose(found["eigenvalues"], wanted.eigenvalues, atol=1e-9)
    else:
        table = pl.read_csv(f"one{ending}") if ending == ".csv" else pl.read_parquet(f"one{ending}")
        assert table.columns == ["id", "label", *names]
        ids, labels, Y = table["id"].to_list(), table["label"].to_list(), table.select(names).to_numpy()
    assert ids == list(wanted.sample_ids)
    assert labels == wanted.labels.tolist()
    np.testing.assert_allclose(np.abs(Y), np.abs(wanted.coordinates), atol=1e-8)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["compare", "x.csv", "y.csv", "--out", "b.png", "--save", "b.json"], "Sessions cannot be written as"),
        (["compare", "x.csv", "y.csv", "--out", "b.gif"], "in .png, .svg, .pdf, .html, .csv or .json"),
        (["compare", "x.csv", "y.csv", "--out", "b.png", "--save", "none/b.mvx.json"], "There is no folder"),
        (["run", "sub/kept.mvx.json", "--export", "x.csv"], "The folder x.csv cannot be made"),
        (["run", "sub/kept.mvx.json", "--export", "out", "--tables", "xlsx"], "invalid choice"),
    ],
)
def test_what_cannot_be_written_is_one_sentence(folder, monkeypatch, capsys, arguments, told):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    before = {p: p.stat().st_mtime_ns for p in folder.iterdir() if p.is_file()}
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert told in said.err
    assert len(said.err.strip().splitlines()) == 1
    assert {p: p.stat().st_mtime_ns for p in folder.iterdir() if p.is_file()} == before
