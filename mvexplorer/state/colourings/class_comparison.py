"""Clusters of a panel beside the classes of its samples."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.analysis.clusters import Contingency, contingency
from mvexplorer.engine.core.inputs import labelled
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import DataError
from mvexplorer.state.pictures.colouring import Colouring, label_title, resolve_colouring
from mvexplorer.wording import counted


@dataclass(frozen=True, eq=False)
class ClassComparison:
    """The table of classes and clusters, and which samples each of its cells stands for."""

    found: Contingency
    title: str
    """The name of the label."""
    clusters: Colouring
    rows: npt.NDArray[np.intp]
    """The table's row of each sample (M,), -1 without a label or a cluster."""

    @property
    def words(self) -> str:
        """The accuracy, what it is, and how many samples it leaves out."""
        left = int((self.rows < 0).sum())
        lacking = "a label or a place" if -1 in self.clusters.colours else "a label"
        beside = (
            f" {counted(left, 'sample')} without {lacking} {'is' if left == 1 else 'are'} left out." if left else ""
        )
        return (
            f"Hungarian accuracy {self.found.accuracy:.3f}: this share of the samples lies in the cluster that is "
            f"assigned to its class, each cluster to one class at most.{beside}"
        )

    def samples(self, row: int, cluster: int | None) -> tuple[list[int], str]:
        """The samples of a class, in one cluster or (None) in all, and what they are in words."""
        inside, words = self.rows == row, f"{self.title} {self.found.classes[row]}"
        if cluster is not None:
            inside = inside & (self.clusters.values == cluster)
            words = f"{words} in cluster {cluster + 1} of {self.clusters.title}"
        return np.flatnonzero(inside).tolist(), words


def compare_with_classes(clusters: Colouring, data: MultiView) -> ClassComparison:
    """Compare a colouring by clusters with the label; DataError where there are no classes."""
    if data.labels is None:
        raise DataError("Without a label there are no classes to compare with.", "Use a column as the label.")
    classes = resolve_colouring("labels", data, {})
    if classes is None or not classes.classes:
        raise DataError("The labels are numbers, not classes, so there is no table of them.", "Use another label.")
    has_label, places = labelled(data.labels), np.array(clusters.colours or range(len(clusters.classes)))
    in_cluster = places[clusters.values] >= 0
    codes = np.where(in_cluster, clusters.values, -1)
    table = contingency(np.where(has_label, classes.values, np.nan), codes)
    counted_rows = has_label & in_cluster
    present = np.unique(classes.values[counted_rows])
    rows = np.where(counted_rows, np.searchsorted(present, classes.values), -1)
    named = replace(table, classes=tuple(classes.classes[code] for code in present))
    return ClassComparison(named, label_title(data), clusters, rows)
