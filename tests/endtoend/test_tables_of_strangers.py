"""Tables that nothing here was made for, as a clinic would send them: from files to a described selection, by command.

scikit-learn's wine, breast cancer and diabetes, with columns renamed, rows shuffled, dates and decimal commas added,
split into two and three views.
"""

from __future__ import annotations

import csv
import json
import os

import numpy as np
import pytest
from scipy.stats import false_discovery_control, mannwhitneyu
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

from mvexplorer.cli import main
from mvexplorer.datasets.loading import load
from mvexplorer.state.session.settings import HOME_VARIABLE

STRANGERS = {"wine": (load_wine, 2), "cancer": (load_breast_cancer, 3), "diabetes": (load_diabetes, 2)}
"""Name -> where it comes from, and how many files it is split into."""


@pytest.fixture(params=STRANGERS)
def stranger(request, tmp_path, monkeypatch):
    """The files of one, its numbers by file, and the group of each sample."""
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    source, n_files = STRANGERS[request.param]
    X, y = source(return_X_y=True)
    X = np.round(X, 4)
    groups = np.array(
        ["high" if value > np.median(y) else "low" for value in y] if len(set(y)) > 9 else [f"type {k}" for k in y]
    )
    rng, files = np.random.default_rng(5), []
    parts = np.array_split(np.arange(X.shape[1]), n_files)
    for place, columns in enumerate(parts):
        heads = ["Patient", *(f"Laborwert {c + 1}" for c in columns), *(["Besuch", "Gruppe"] if place == 0 else [])]
        with open(f"{request.param} {place + 1}.csv", "w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, delimiter=";")
            rows.writerow(heads)
            for i in rng.permutation(len(X)):
                about = [f"{1 + i % 28:02d}.{1 + i % 12:02d}.2023", groups[i]] if place == 0 else []
                values = [f"{value:.4f}".replace(".", ",") for value in X[i, columns]]
                rows.writerow([f"Klinik-Nord-{i:05d}", *values, *about])
        files.append(f"{request.param} {place + 1}.csv")
    return files, [X[:, columns] for columns in parts], groups


def test_files_of_strangers_are_read_described_and_exported(stranger, capsys):
    files, views, groups = stranger
    assert main(["import", *files, "--labels", "Gruppe", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [card["state"] for card in facts["checks"] if card["name"] in ("pairing", "label", "missing")] == [
        "fine"
    ] * 3
    assert {item["type"] for item in facts["items"] if item["name"] == "Besuch"} == {"date"}
    data = load(files, labels="Gruppe")
    order = [int(name.rpartition("-")[2]) for name in data.sample_ids]
    for X, expected in zip(data.Xs, views, strict=True):
        np.testing.assert_array_equal(X, expected[order])
    first = sorted(set(groups.tolist()))[0]
    assert main(["diagnose", *files, "--selection", f"Gruppe={first}", "--out", "group.csv", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    chosen = groups == first
    for row in rows:
        if row["view"] is not None:
            place = files.index(f"{row['view']}.csv")
            x = views[place][:, data.feature_names[place].index(row["feature"])]
            test = mannwhitneyu(x[chosen], x[~chosen], method="asymptotic")
            assert (row["auc"], row["p"]) == pytest.approx(
                (test.statistic / chosen.sum() / (~chosen).sum(), test.pvalue), abs=1e-12
            )
    assert [row["q"] for row in rows] == pytest.approx(false_discovery_control([row["p"] for row in rows]), abs=1e-12)
    assert [row["feature"] for row in rows if row["kind"] == "column"] == ["Besuch"]  # one row, of dates
    with open("group.csv", encoding="utf-8", newline="") as file:
        assert [float(row["q"]) for row in csv.DictReader(file)] == [row["q"] for row in rows]
