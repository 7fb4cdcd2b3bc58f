"""Multi-view diffusion geometry: every method side by side, while the bandwidth moves.

    import mvexplorer as mvx
    data = mvx.load("uci-digits")
    mvx.embed(data, "multiview", epsilon="median/9", n_components=12)

The names below are imported on first use, so that the command line and the window start without scipy.
"""

from __future__ import annotations

from importlib import import_module

from mvexplorer.version import __version__ as __version__

TYPE_CHECKING = False
"""Checkers of types take it for true. `typing` has one as well, and is nine tenths of what this import would take."""
if TYPE_CHECKING:
    from typing import Any

    from mvexplorer import datasets as datasets
    from mvexplorer import errors as errors
    from mvexplorer import metrics as metrics
    from mvexplorer.compute.batch.null_testing import null_test as null_test
    from mvexplorer.compute.batch.stability_testing import stability as stability
    from mvexplorer.datasets.catalogue import samples as samples
    from mvexplorer.datasets.loading import load as load
    from mvexplorer.engine.analysis.agreement import agreement as agreement
    from mvexplorer.engine.analysis.between_views import difference_of_views as difference_of_views
    from mvexplorer.engine.analysis.clusters import clusters as clusters
    from mvexplorer.engine.analysis.clusters import contingency as contingency
    from mvexplorer.engine.analysis.components import component_correlations as component_correlations
    from mvexplorer.engine.analysis.diagnostics import component_spectrum as component_spectrum
    from mvexplorer.engine.analysis.diagnostics import matrix_image as matrix_image
    from mvexplorer.engine.analysis.diagnostics import roc_of_distances as roc_of_distances
    from mvexplorer.engine.analysis.diagnostics import spectrum_facts as spectrum_facts
    from mvexplorer.engine.analysis.graph_facts import degrees_and_components as degrees_and_components
    from mvexplorer.engine.analysis.independence import independence as independence
    from mvexplorer.engine.analysis.label_free import label_free as label_free
    from mvexplorer.engine.analysis.neighbourhood import neighbour_graph as neighbour_graph
    from mvexplorer.engine.analysis.neighbourhood import neighbourhood_preservation as neighbourhood_preservation
    from mvexplorer.engine.analysis.panel_matrices import graph_of as graph_of
    from mvexplorer.engine.analysis.panel_matrices import matrix_of as matrix_of
    from mvexplorer.engine.analysis.point import PointDistances as PointDistances
    from mvexplorer.engine.analysis.point import distances_from as distances_from
    from mvexplorer.engine.analysis.point import farthest_points as farthest_points
    from mvexplorer.engine.analysis.point import transition_probabilities as transition_probabilities
    from mvexplorer.engine.analysis.separation import separation as separation
    from mvexplorer.engine.analysis.views import leave_one_view_out as leave_one_view_out
    from mvexplorer.engine.api.embedding import embed as embed
    from mvexplorer.engine.api.embedding import select_epsilon as select_epsilon
    from mvexplorer.engine.api.estimator import MultiViewEmbedding as MultiViewEmbedding
    from mvexplorer.engine.api.recipes import recipes as recipes
    from mvexplorer.engine.api.regimes import regimes as regimes
    from mvexplorer.engine.api.result import Embedding as Embedding
    from mvexplorer.engine.api.spectrum import spectrum as spectrum
    from mvexplorer.engine.bandwidth.table import bandwidth_rules as bandwidth_rules
    from mvexplorer.engine.core.multiview import MultiView as MultiView
    from mvexplorer.engine.dimension.estimates import intrinsic_dimension as intrinsic_dimension
    from mvexplorer.engine.methods import methods as methods
    from mvexplorer.engine.sonograms import sonogram as sonogram
    from mvexplorer.engine.sonograms import waveform_views as waveform_views
    from mvexplorer.io.reading.waveforms import read_waveforms as read_waveforms
    from mvexplorer.state.batches.grid_sweep import sweep as sweep
    from mvexplorer.state.batches.tuning import tune as tune
    from mvexplorer.state.bench.remote_window import show as show
    from mvexplorer.teaching.catalogue import lessons as lessons

_HOME = {
    "load": "datasets.loading",
    "samples": "datasets.catalogue",
    "methods": "engine.methods",
    "recipes": "engine.api.recipes",
    "bandwidth_rules": "engine.bandwidth.table",
    "MultiView": "engine.core.multiview",
    "embed": "engine.api.embedding",
    "Embedding": "engine.api.result",
    "select_epsilon": "engine.api.embedding",
    "MultiViewEmbedding": "engine.api.estimator",
    "spectrum": "engine.api.spectrum",
    "regimes": "engine.api.regimes",
    "sweep": "state.batches.grid_sweep",
    "tune": "state.batches.tuning",
    "show": "state.bench.remote_window",
    "agreement": "engine.analysis.agreement",
    "clusters": "engine.analysis.clusters",
    "contingency": "engine.analysis.clusters",
    "independence": "engine.analysis.independence",
    "null_test": "compute.batch.null_testing",
    "label_free": "engine.analysis.label_free",
    "neighbour_graph": "engine.analysis.neighbourhood",
    "neighbourhood_preservation": "engine.analysis.neighbourhood",
    "separation": "engine.analysis.separation",
    "leave_one_view_out": "engine.analysis.views",
    "component_correlations": "engine.analysis.components",
    "stability": "compute.batch.stability_testing",
    "matrix_image": "engine.analysis.diagnostics",
    "component_spectrum": "engine.analysis.diagnostics",
    "roc_of_distances": "engine.analysis.diagnostics",
    "spectrum_facts": "engine.analysis.diagnostics",
    "degrees_and_components": "engine.analysis.graph_facts",
    "matrix_of": "engine.analysis.panel_matrices",
    "graph_of": "engine.analysis.panel_matrices",
    "intrinsic_dimension": "engine.dimension.estimates",
    "transition_probabilities": "engine.analysis.point",
    "distances_from": "engine.analysis.point",
    "PointDistances": "engine.analysis.point",
    "farthest_points": "engine.analysis.point",
    "difference_of_views": "engine.analysis.between_views",
    "lessons": "teaching.catalogue",
    "sonogram": "engine.sonograms",
    "waveform_views": "engine.sonograms",
    "read_waveforms": "io.reading.waveforms",
    "metrics": "metrics",
    "datasets": "datasets",
    "errors": "errors",
}

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'mvexplorer' has no attribute {name!r}")
    module = import_module(f"mvexplorer.{_HOME[name]}")
    whole_modules = {"metrics", "datasets", "errors"}
    return module if name in whole_modules else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
