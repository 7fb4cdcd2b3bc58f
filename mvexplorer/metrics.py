"""Scores of an embedding, as scripts import them: ``from mvexplorer.metrics import nmi``.

Against classes: `nmi`, `accuracy`, `spectral_accuracy`, `knn_accuracy`, `silhouette`, `calinski_harabasz`, `roc_auc`;
against a hidden number or angle: `knn_r2`, `first_spearman`, `knn_resultant`, `ring_order`; against the data, without
either: `trustworthiness`, `continuity`. `ring_gap` looks at the picture alone. Each gives a `Score`.
"""

from __future__ import annotations

from mvexplorer.engine.hidden_scores import first_spearman, knn_r2, knn_resultant, ring_angles, ring_gap, ring_order
from mvexplorer.engine.metrics import (
    Score,
    accuracy,
    calinski_harabasz,
    continuity,
    kmeans_labels,
    knn_accuracy,
    nmi,
    roc_auc,
    roc_curve,
    silhouette,
    spectral_accuracy,
    trustworthiness,
)

__all__ = [
    "Score",
    "accuracy",
    "calinski_harabasz",
    "continuity",
    "first_spearman",
    "kmeans_labels",
    "knn_accuracy",
    "knn_r2",
    "knn_resultant",
    "nmi",
    "ring_angles",
    "ring_gap",
    "ring_order",
    "roc_auc",
    "roc_curve",
    "silhouette",
    "spectral_accuracy",
    "trustworthiness",
]
