"""The families of methods, which head the list of methods."""

from __future__ import annotations

ONE_VIEW = "One view"
FUSED = "Features or kernels fused"
WALKS = "Multi-view walks"
CORRELATION = "Canonical correlation"
LAPLACIANS = "Graph Laplacians of all views"
MEASURE_BASED = "Measure-based"
LINEAR = "Linear"
GIVEN = "Came with the data"
