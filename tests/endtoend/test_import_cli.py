"""The real `mvexplorer import`: from foreign tables to one file to scored panels."""

import json

import numpy as np
from command import main_in, mvexplorer_in
from sklearn.datasets import load_breast_cancer

from mvexplorer.datasets.loading import load


def cancer(folder):
    """The table of 569 tumours as one CSV with column names of its own: three kinds of statistics, and a map."""
    found = load_breast_cancer()
    groups = [found.feature_names[i : i + 10] for i in (0, 10, 20)]
    names = [f"{kind}_{k}" for kind, group in zip(("mean", "error", "worst"), groups, strict=True) for k in range(10)]
    umap = found.data[:, :2] * [1.0, -0.5]
    rows = [",".join(["patient", *names, "map a", "map b", "outcome"])]
    for i, (row, spot) in enumerate(zip(found.data, umap, strict=True)):
        cells = [f"p{i}", *map(repr, row.tolist()), *map(repr, spot.tolist()), found.target_names[found.target[i]]]
        rows.append(",".join(cells))
    (folder / "tumours.csv").write_text("\n".join([*rows, ""]))
    return found


FLAGS = (
    "--labels", "outcome", "--ids", "patient", "--split", "mean=mean_*", "--split", "spread=error_*",
    "--split", "worst=worst_*", "--role", "map a=coordinates", "--role", "map b=coordinates",
    "--preprocess", "zscore",
)  # fmt: skip


def test_one_table_becomes_three_views_and_a_picture(tmp_path):
    found = cancer(tmp_path)
    made = mvexplorer_in(tmp_path, "import", "tumours.csv", *FLAGS, "--json", "--out", "tumours.npz")
    assert made.returncode == 0, made.stderr
    facts = json.loads(made.stdout)
    assert [(view["name"], view["shape"]) for view in facts["views"]] == [
        ("mean", [569, 10]), ("spread", [569, 10]), ("worst", [569, 10]),
    ]  # fmt: skip
    assert (facts["labels"], facts["ids"]) == ("outcome", "patient")
    data = load(tmp_path / "tumours.npz")
    np.testing.assert_array_equal(np.hstack(data.Xs), found.data)
    np.testing.assert_array_equal(data.labels, found.target_names[found.target])
    assert len(data.coordinates) == 1
    done = main_in(tmp_path, "compare", "tumours.npz", "--preprocess", "zscore", "--methods",
                   "multiview,given", "--out", "c.png")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "c.png").stat().st_size > 10_000
    assert any("as published" in line for line in done.stdout.splitlines())


def test_what_all_pairs_would_take_is_told_in_gigabytes(tmp_path):
    np.save(tmp_path / "wide.npy", np.random.default_rng(0).normal(size=(20_000, 2)).astype("f4"))
    told = main_in(tmp_path, "import", "wide.npy")
    assert told.returncode == 0, told.stderr
    assert "all pairs of samples, in every view: 2.98 GB" in told.stdout
    facts = json.loads(main_in(tmp_path, "import", "wide.npy", "--json").stdout)
    assert facts["bytes_of_all_pairs"] == 8 * 20_000**2
    assert (facts["views"][0]["type"], facts["views"][0]["bytes"]) == ("float32", 4 * 20_000 * 2)
