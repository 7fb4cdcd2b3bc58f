"""The families of methods, which head the list of methods."""

from __future__ import annotations

ONE_VIEW = "One view"
FUSED = "Features or kernels fused"
WALKS = "Multi-view walks"
CORRELATION = "Canonical correlation"
LAPLACIANS = "Graph Laplacians of all views"
SHARED_BY_VIEWS = "What views share, and what one has alone"
MEASURE_BASED = "Measure-based"
LINEAR = "Linear"
GIVEN = "Came with the data"
