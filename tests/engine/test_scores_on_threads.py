"""Scores are computed on threads while others still import libraries."""

import sys
from threading import Event, Thread

import numpy as np
import pytest
import sklearn.cluster  # noqa: F401 - no import while the clock runs

from mvexplorer.engine import metrics

SLOW = """
from builtins import going_on
going_on.wait(30)
class DataFrame: pass
class Series: pass
"""


@pytest.mark.parametrize(
    "score",
    [metrics.nmi, metrics.knn_accuracy, metrics.silhouette, metrics.calinski_harabasz, metrics.trustworthiness],
)
def test_scores_wait_for_polars_which_another_thread_still_imports(score, tmp_path, monkeypatch):
    going_on = Event()
    (tmp_path / "polars.py").write_text(SLOW, "utf-8")
    monkeypatch.setattr("builtins.going_on", going_on, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "polars", raising=False)
    Y = np.random.default_rng(0).normal(size=(30, 2))
    known = Y if score is metrics.trustworthiness else np.arange(30) % 2
    found: list[object] = []

    def compute() -> None:
        try:
            found.append(score(Y, known).value)
        except AttributeError as error:
            found.append(error)

    importing, scoring = Thread(target=__import__, args=("polars",)), Thread(target=compute)
    importing.start()
    while "polars" not in sys.modules:
        assert importing.is_alive()
    scoring.start()
    scoring.join(0.3)
    going_on.set()
    scoring.join(30)
    importing.join(30)
    assert [type(value) for value in found] == [float]
