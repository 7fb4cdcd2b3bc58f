"""`mvexplorer diagnose`: every number against an independent formula, and a sentence for whatever is not there."""

import csv
import json
from itertools import permutations

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import roc_auc_score

import mvexplorer as mvx
from mvexplorer.cli.entry import main
from mvexplorer.engine.api.subsample import subsample_rows

N, EPSILON = 60, 3.0
TIMES = np.arange(N) / 10.0


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Two views of a wave, of three classes of which the last lies far off, and a column of times."""
    rng = np.random.default_rng(4)
    wave = np.column_stack([np.cos(3 * np.pi * TIMES), np.sin(3 * np.pi * TIMES)])
    kind = np.repeat(["a", "b", "c"], N // 3)
    wave[kind == "c"] += 40.0
    one, two = (
        wave + 0.05 * rng.normal(size=wave.shape),
        wave @ [[1.0, 0.3], [0.2, 1.0]] + 0.05 * rng.normal(size=wave.shape),
    )
    path = tmp_path_factory.mktemp("waves") / "waves.npz"
    np.savez(path, one=one, two=two, kind=kind, time=TIMES)
    return str(path)


@pytest.fixture(scope="module")
def data(source):
    return mvx.load(source, labels="kind", roles={"time": "colour"})


@pytest.fixture
def ask(source, capsys):
    """Run the command on these samples: its exit code, stdout and stderr."""

    def run(*more, method="kernel-sum"):
        command = ["diagnose", source, "--labels", "kind", "--role", "time=colour", "--method", method]
        code = main([*command, "--set", f"epsilon={EPSILON}", "--set", "n_components=3", *more])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def told(ask):
    def run(*more, method="kernel-sum"):
        code, out, err = ask(*more, "--json", method=method)
        assert code == 0, err
        return json.loads(out)

    return run


def embedding(data, method="kernel-sum", **params):
    return mvx.embed(data, method, epsilon=EPSILON, n_components=3, **params)


def kernels(data):
    each = [np.square(X[:, None] - X[None]).sum(axis=2) for X in data.Xs]
    return [np.exp(-D / (2.0 * EPSILON)) for D in each]


# Numbers against formulas -----------------------------------------------------------------------------------------


def test_it_is_the_embedding_that_embed_computes(told, data):
    found, answer = embedding(data), told("--of", "spectrum")
    assert (answer["method"], answer["views"], answer["epsilon"]) == ("kernel-sum", ["one", "two"], [3.0, 3.0])
    np.testing.assert_allclose(answer["spectrum"]["columns"]["eigenvalue"], found.eigenvalues, atol=1e-12)
    assert [code for code, _ in answer["warnings"]] == [code for code, _ in found.warnings]


def test_the_gap_is_the_largest_step_of_the_spectrum(told):
    answer = told("--of", "spectrum")["spectrum"]
    values = np.array(answer["columns"]["eigenvalue"])
    steps = np.abs(np.diff(values[1:]))
    findings = answer["findings"]
    assert findings["gap"] == pytest.approx(steps.max(), abs=1e-15)
    assert findings["gap_after"] == 1 + np.argmax(steps)
    assert (findings["r"], findings["negative"], findings["trivial"]) == (3, int((values < 0).sum()), True)


def test_the_area_is_that_of_scikit_learn(told, data):
    auc = told("--of", "roc")["roc"]["findings"]["auc"]
    first, second = np.triu_indices(N, 1)
    same = data.labels[first] == data.labels[second]
    expected = {
        name: roc_auc_score(same, -np.linalg.norm(Y[first] - Y[second], axis=1))
        for name, Y in [("one", data.Xs[0]), ("two", data.Xs[1]), ("Kernel sum", embedding(data).coordinates)]
    }
    assert auc == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("component", [1, 2])
def test_frequencies_are_those_of_numpy(told, data, component):
    answer = told("--of", "fourier", "--time", "time", "--component", str(component))["fourier"]
    v = embedding(data).coordinates[:, component - 1]
    energy = np.abs(np.fft.rfft(v - v.mean())[1:]) ** 2
    np.testing.assert_allclose(answer["columns"]["energy"], energy / energy.sum(), atol=1e-8)
    np.testing.assert_allclose(answer["columns"]["frequency"], np.fft.rfftfreq(N, 0.1)[1:], atol=1e-12)
    assert answer["findings"]["peak"] == pytest.approx(np.fft.rfftfreq(N, 0.1)[1 + np.argmax(energy)])
    assert told("--of", "fourier")["fourier"]["columns"]["frequency"][0] == pytest.approx(1.0)  # over all samples


def test_the_graphs_are_those_of_scipy(told, data):
    graphs, (one, two) = told("--of", "graph")["graph"], kernels(data)
    assert list(graphs) == ["Kernel sum", "one", "two"]
    for name, K in [("one", one), ("two", two)]:
        count, pieces = connected_components(K >= 1e-3, directed=False)
        findings, columns = graphs[name]["findings"], graphs[name]["columns"]
        assert findings["components"] == count == 2
        assert findings["sizes"] == sorted(np.bincount(pieces).tolist(), reverse=True)
        np.testing.assert_allclose(columns["degree"], K.sum(axis=1), atol=1e-10)
    own = graphs["Kernel sum"]
    np.testing.assert_allclose(own["columns"]["degree"], (one + two).sum(axis=1), atol=1e-10)
    assert own["findings"]["components"] == 2
    assert list(told("--of", "graph", "--view", "two")["graph"]) == ["two"]


def test_matrices_have_the_order_of_the_samples(told, data):
    one, two = kernels(data)
    np.testing.assert_allclose(told("--of", "kernel")["kernel"]["matrix"], one + two, atol=1e-10)
    P = one / one.sum(axis=1, keepdims=True)
    answer = told("--of", "transition,distances", "--view", "one")
    np.testing.assert_allclose(answer["transition"]["matrix"], P, atol=1e-12)
    X = data.Xs[0]
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.testing.assert_allclose(answer["distances"]["matrix"], D, atol=1e-6)
    Y = embedding(data).coordinates
    D = np.linalg.norm(Y[:, None] - Y[None], axis=2)
    np.testing.assert_allclose(told("--of", "distances")["distances"]["matrix"], D, atol=1e-6)


@pytest.mark.parametrize("how", ["kmeans", "spectral"])
def test_the_accuracy_of_clusters_is_that_of_the_best_assignment(told, data, how):
    answer = told("--of", "clusters", "--clustering", how)["clusters"]
    found = np.array(answer["columns"]["cluster"])
    np.testing.assert_array_equal(found - 1, mvx.clusters(embedding(data).coordinates, 3, how))
    codes = np.unique(data.labels, return_inverse=True)[1]
    best = max(np.mean(np.array(order)[codes] == found) for order in permutations((1, 2, 3)))
    findings = answer["findings"]
    assert findings["hungarian_accuracy"] == pytest.approx(best)
    assert findings["samples_of"]["c"] == [int(((found == k) & (data.labels == "c")).sum()) for k in (1, 2, 3)]
    assert findings["sizes"] == np.bincount(found)[1:].tolist()
    assert told("--of", "clusters", "--clusters", "4")["clusters"]["findings"]["clusters"] == 4


@pytest.mark.parametrize("start", ["", "two"])
def test_a_sample_has_the_neighbours_and_the_walk_of_dense_matrices(told, data, start):
    where = ["--start", start] if start else []
    answer = told("--of", "point", "--sample", "17", "--steps", "3", "--neighbours", "4", *where, method="multiview")
    findings, columns = answer["point"]["findings"], answer["point"]["columns"]
    one, two = kernels(data)
    K = np.block([[np.zeros((N, N)), one @ two], [two @ one, np.zeros((N, N))]])
    P = np.linalg.matrix_power(K / K.sum(axis=1, keepdims=True), 3).reshape(2, N, 2, N)[:, 17].sum(axis=1)
    expected = P[1] if start else P.mean(axis=0)
    np.testing.assert_allclose(columns["probability"], expected, atol=1e-10)
    order = np.argsort(-expected, kind="stable")[:8]
    assert findings["walk_to"] == [str(i) for i in order]
    assert findings["probability"] == pytest.approx(expected[order].tolist())
    for name, X in zip(("one", "two"), data.Xs, strict=True):
        away = np.linalg.norm(X - X[17], axis=1)
        np.testing.assert_allclose(columns[f"distance in {name}"], away, atol=1e-9)
        assert findings["neighbours"][name] == [str(i) for i in np.argsort(away, kind="stable")[1:5]]
        assert findings["within_sigma"][name] == np.sum(away**2 <= EPSILON) - 1
    assert findings["degree"] == pytest.approx({"one": one[17].sum(), "two": two[17].sum()})
    first, second = embedding(data, "multiview").view_coordinates
    apart = np.linalg.norm(first - second, axis=1)
    assert findings["distance_between_views"] == {"one and two": pytest.approx(apart[17], abs=1e-9)}
    assert findings["samples_put_less_far_apart"] == np.mean(apart < apart[17])
    inner = [np.linalg.norm(Y - Y[17], axis=1) for Y in (first, second)]
    np.testing.assert_allclose(columns["distance in Multi-view, two"], inner[1], atol=1e-8)
    np.testing.assert_allclose(columns["distance in Multi-view"], np.hypot(*inner), atol=1e-8)
    Y = np.hstack([first, second])
    assert findings["spread"] == [str(i) for i in mvx.farthest_points(Y, 17, 10)]


# What is printed --------------------------------------------------------------------------------------------------


def test_a_table_has_all_that_is_there_and_no_matrix(ask):
    code, out, err = ask()
    head, *rows = out.splitlines()
    assert code == 0
    assert head.split() == ["of", "number", "value"]
    assert {row.split()[0] for row in rows} == {"spectrum", "fourier", "roc", "graph", "clusters"}
    assert "graph of Kernel sum" in out
    assert any(row.split()[:3] == ["clusters", "hungarian", "accuracy"] for row in rows)
    assert "No " not in err


def test_what_was_not_asked_for_and_is_not_there_is_told(capsys):
    assert main(["diagnose", "helix-a", "--method", "pca"]) == 0
    out, err = capsys.readouterr()
    assert "mvexplorer: No roc: There are no classes to tell apart." in err
    assert "mvexplorer: No graph: PCA uses the features themselves: its views have no kernel." in err
    assert {"spectrum", "fourier", "clusters"} == {row.split()[0] for row in out.splitlines()[1:]}
    assert main(["diagnose", "helix-a", "--method", "pca", "--sample", "3", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["roc"] == {"reason": "There are no classes to tell apart. Open data with labels, or make a column "
                                       "the label."}  # fmt: skip
    assert answer["point"]["findings"]["walk"].startswith("PCA is no walk from sample to sample")
    assert "hungarian_accuracy" not in answer["clusters"]["findings"]


def test_numbers_are_written_as_tables(ask, data, tmp_path):
    folder = tmp_path / "new" / "numbers"
    code, _, err = ask("--out", str(folder), "--of", "graph,point,kernel", "--sample", "5")
    assert code == 0
    assert [line for line in err.splitlines() if line.startswith(str(folder))] == [
        str(folder / f"{name}.csv") for name in ("graph", "point", "kernel")
    ]
    rows = list(csv.DictReader((folder / "point.csv").read_text("utf-8").splitlines()))
    assert [row["id"] for row in rows] == list(data.sample_ids)
    graph = list(csv.DictReader((folder / "graph.csv").read_text("utf-8").splitlines()))
    one, _ = kernels(data)
    np.testing.assert_allclose([float(row["one: degree"]) for row in graph], one.sum(axis=1), rtol=1e-8)
    assert np.loadtxt(folder / "kernel.csv", delimiter=",").shape == (N, N)


def test_a_sample_outside_the_part_that_was_solved_has_no_walk(told):
    inside = subsample_rows(N, 20, 0).tolist()
    outside = next(i for i in range(N) if i not in inside)
    walks = [
        told("--subsample", "20", "--of", "point", "--sample", str(i))["point"]["findings"]
        for i in (outside, inside[0])
    ]
    assert walks[0]["walk"].startswith("This sample is none of the 20 that were solved on")
    assert set(walks[1]["walk_to"]) <= {str(i) for i in inside}


def test_local_cca_has_a_metric(capsys):
    command = ["diagnose", "pendulums", "--method", "local-cca", "--of", "metric", "--json", "--set", "n_components=2"]
    assert main([*command, "--metric", "mean"]) == 0
    found = json.loads(capsys.readouterr().out)["metric"]
    A = np.array(found["matrix"])
    np.testing.assert_allclose(A, A.T, atol=1e-9)
    share = np.linalg.eigvalsh(A)[-1] / np.trace(A)
    assert found["findings"] == {"share_in_one_direction": pytest.approx(share)}


# Wrong use --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--of", "spectrum,what"], "--of names nothing called “what”. Name some of spectrum, fourier, roc,"),
        (["--of", "point"], "--of point is about one sample. Name it: --sample ID."),
        (["--metric", "sample"], "--metric sample is about one sample. Name it: --sample ID."),
        (["--neighbours", "0"], "--neighbours 0 is out of range. Give a number from 1 to 50."),
        (["--steps", "1001"], "--steps 1001 is out of range. Give a number from 1 to 1,000."),
        (["--spread", "1"], "--spread 1 is out of range. Give a number from 2 to 200."),
        (["--time", "when"], "There is no column of numbers called “when”. There are time."),
        (["--view", "three"], "There is no view called “three”. The views are one, two."),
        (["--start", "three"], "There is no view called “three”."),
        (["--component", "4"], "There is no component 4. Give a number from 1 to 3."),
        (["--component", "0"], "There is no component 0. Give a number from 1 to 3."),
        (["--sample", "x1"], "There is no sample “x1”. Give an id, or a number from 0 to 59."),
        (["--sample", "60"], "There is no sample number 60. Give an id, or a number from 0 to 59."),
        (["--sample", "1", "--start", "one", "--of", "point"], "The walk of Kernel sum is on the samples, not on"),
        (["--of", "clusters", "--clusters", "1"], "60 samples cannot make 1 clusters. Ask for 2 to 60."),
        (["--of", "metric"], "Kernel sum has no local metric. Choose Local CCA (local-cca)."),
        (["--out", "/dev/null/x"], "The folder /dev/null/x cannot be made"),
    ],
)
def test_wrong_use_ends_in_one_sentence(ask, more, sentence):
    code, out, err = ask(*more)
    assert (code, out) == (2, "")
    last = err.splitlines()[-1]
    assert last.startswith(f"mvexplorer: {sentence}")


@pytest.mark.parametrize(
    ("source", "more", "sentence"),
    [
        ("helix-a", ["--method", "multiview", "--of", "roc"], "There are no classes to tell apart."),
        ("helix-a", ["--method", "pca", "--of", "graph"], "PCA uses the features themselves: its views have"),
        ("helix-a", ["--method", "alternating", "--of", "kernel"], "Alternating diffusion multiplies two walks"),
        ("helix-a", ["--method", "jade", "--of", "transition", "--view", "zzz"], "There is no view called “zzz”."),
        ("helix-a", ["--method", "single", "--set", "view=view1", "--view", "view2"],
         "single does not use the view “view2”. It uses view1."),
    ],
)  # fmt: skip
def test_what_a_method_or_the_data_lacks_is_told(capsys, source, more, sentence):
    assert main(["diagnose", source, *more]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1].startswith(f"mvexplorer: {sentence}")


def test_without_columns_of_numbers_the_order_is_offered(capsys, tmp_path):
    np.savetxt(tmp_path / "a.csv", np.random.default_rng(0).normal(size=(12, 3)), delimiter=",")
    assert main(["diagnose", str(tmp_path / "a.csv"), "--method", "single", "--time", "t"]) == 2
    assert "Leave --time out for the order of the samples." in capsys.readouterr().err
