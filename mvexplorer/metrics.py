"""Scores of an embedding, as scripts import them: ``from mvexplorer.metrics import nmi``."""

from __future__ import annotations

from mvexplorer.engine.metrics import (
    Score,
    accuracy,
    calinski_harabasz,
    continuity,
    first_spearman,
    kmeans_labels,
    knn_accuracy,
    knn_r2,
    knn_resultant,
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
    "roc_auc",
    "roc_curve",
    "silhouette",
    "spectral_accuracy",
    "trustworthiness",
]
