"""The package imports what is asked of it and no more: each program runs in a process of its own."""

import subprocess
import sys

import pytest

LIBRARIES = {"PIL", "PySide6", "h5py", "polars", "psygnal", "pydantic", "pyqtgraph", "scipy", "sklearn"}
NAMES = "print(*(name.partition('.')[0] for name in set(sys.modules) - before))"
ARRAYS = """
import numpy as np
import mvexplorer as mvx

X = np.random.default_rng(0).random((60, 3))
data = mvx.MultiView({"a": X, "b": X**2}, labels=np.arange(60) % 2, sample_ids=[f"s{i}" for i in range(60)])
"""
COMPUTED = """
embedding = mvx.embed(data, "multiview", kernel="knn-10")
mvx.MultiViewEmbedding().fit_transform(data.Xs)
mvx.metrics.knn_accuracy(embedding.coordinates, data.labels)
mvx.neighbourhood_preservation(embedding.coordinates, data.Xs[0])
"""


def imported(program, folder):
    """The names of the packages that a program imports."""
    whole = f"import sys\nbefore = set(sys.modules)\n{program}\n{NAMES}"
    done = subprocess.run([sys.executable, "-c", whole], cwd=folder, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_the_package_itself_needs_the_standard_library_alone(tmp_path):
    assert imported("import mvexplorer", tmp_path) - sys.stdlib_module_names == {"mvexplorer"}


def test_data_made_from_arrays_needs_numpy_alone(tmp_path):
    of_arrays = imported(ARRAYS, tmp_path)
    assert "numpy" in of_arrays
    assert not of_arrays & LIBRARIES


@pytest.mark.nightly
def test_tables_are_read_by_polars_and_nothing_else_needs_it(tmp_path):
    (tmp_path / "a.csv").write_text("id,x,y\na,1,2\nb,2,3\nc,4,5\n")
    computed = imported(ARRAYS + COMPUTED, tmp_path)
    assert {"scipy", "sklearn"} <= computed
    assert "polars" not in computed
    assert "polars" in imported("import mvexplorer as mvx\nmvx.load('a.csv')", tmp_path)
