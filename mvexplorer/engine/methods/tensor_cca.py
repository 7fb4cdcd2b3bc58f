"""Tensor CCA: local CCA for three views and more, by the third (or higher) moments around every sample."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.kernels.distances import check_size
from mvexplorer.engine.methods.diffusion import diffusion_coordinates
from mvexplorer.engine.methods.linear import RIDGE
from mvexplorer.engine.methods.local_cca import (
    CCA_RANK,
    SCALE,
    SOURCE,
    Metric,
    MetricSettings,
    diffuse,
    held,
    remembered,
    summary_of,
)
from mvexplorer.engine.methods.shared.cca import (
    FORCED,
    Whitened,
    check_squares,
    directions,
    metric_distances_from,
    principal,
    tensor_turns,
    whiten,
)
from mvexplorer.engine.methods.shared.families import CORRELATION
from mvexplorer.engine.methods.shared.neighbourhoods import (
    AROUND_SAMPLES,
    SUBSET,
    check_subset,
    kind_of,
    neighbourhoods,
    optional_count,
    parts,
    size_of,
    subset_rows,
)
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.spectral.eigenpairs import Decomposition


def solve(stages: Stages) -> Decomposition:
    """Diffusion map on the local metric p pᵗ of view 1; Algorithm 4."""
    settings = _settings(stages)
    D, facts = remembered(stages, "tensor-metric", settings, lambda: _metric(stages, settings))
    decomposition = diffuse(stages, D, float(facts[0]), symmetric=False)
    diagnostics = decomposition.warnings
    if facts[2] > 0.5:
        n_features = max(stages.view(i).shape[1] for i in range(stages.n_views))
        text = (
            f"With {settings.size} samples in {n_features} dimensions the other views fit anything the first one "
            "does: they have no effect. Enlarge the neighbourhoods, lower the local rank, or raise the ridge."
        )
        diagnostics = (*diagnostics, ("full-rank", text))
    info = {"neighbours": float(settings.size), "common_moment": float(facts[1])}
    return replace(decomposition, info=info, warnings=diagnostics)


def _settings(stages: Stages) -> MetricSettings:
    check_size(stages.n_samples)
    for i in range(stages.n_views):
        check_squares(stages.view(i))
    kind = kind_of(stages)
    size, subset = size_of(stages, kind), optional_count(stages, "subset")
    if subset is not None:
        check_subset(stages, subset)
    ridge = float(cast("float", stages.params["ridge"]))
    return MetricSettings(kind, size, "tensor", 1, optional_count(stages, "cca_rank"), ridge, False, subset)


def _metric(stages: Stages, settings: MetricSettings) -> Metric:
    """D_ij = (p_iᵗ (x_i - x_j))² at the samples, p_i the first view's direction of Algorithm 3; step 2 of Algorithm 4.

    The facts are the median of D, the median of the moments ρ, and the share of neighbourhoods that fit anything.
    """
    near, rows = neighbourhoods(stages, settings.kind, settings.size), subset_rows(stages, settings.subset)
    X = stages.view(0) - stages.view(0).mean(axis=0)
    D, facts = np.empty((len(rows), len(X))), []
    for part in parts(stages, len(rows), _work(stages, settings)):
        views = [
            whiten(principal(near.samples(stages, i, rows[part])), settings.rank, settings.ridge)
            for i in range(stages.n_views)
        ]
        turns, rho = tensor_turns(views, stages.task)
        D[part] = metric_distances_from(X, rows[part], directions(views[0], turns[0]))
        facts.append([rho, _fit_anything(views[1:], settings.size)])
    return D, summary_of(D, facts)


def _fit_anything(others: list[Whitened], size: int) -> Array:
    """Whether the other views span all n - 1 dimensions, and the ridge shortens them little."""
    unshortened = [np.square(v.samples).sum(axis=(-2, -1)) >= FORCED * (size - 1) for v in others]
    return np.asarray(np.all(unshortened, axis=0), dtype=np.float64)


def _work(stages: Stages, settings: MetricSettings) -> float:
    """Operations per metric: products, two eigenproblems per view, and power iterations by the hundred."""
    n, widths = settings.size, [stages.view(i).shape[1] for i in range(stages.n_views)]
    inner = min(n, max(widths))
    return float(inner * (2 * n * sum(widths) + len(widths) * (50 * inner**2 + 200 * n)))


METHODS = (
    Method(
        id="tensor-cca",
        title="Tensor CCA",
        formula="p = argmax E[⟨p¹, x¹⟩ ⋯ ⟨pᴸ, xᴸ⟩],   D_ij = (p_iᵗ(x_i − x_j))²,   W = exp(−D / σ),   WᵗW",
        latex=(
            r"p = \mathrm{argmax} \; \mathbb{E} [ \langle p^1, x^1 \rangle \cdots \langle p^L, x^L \rangle ]",
            r"D_{ij} = \left( p_i^{\mathsf T} (x_i - x_j) \right)^2",
            r"W_{ij} = \exp(-D_{ij} / \sigma), \qquad W^{\mathsf T} W",
        ),
        summary="Local CCA for three views or more: around every sample the direction that all views share.",
        family=CORRELATION,
        source=f"{SOURCE}, Algorithms 3 and 4",
        params=(
            *AROUND_SAMPLES,
            RIDGE,
            CCA_RANK,
            SUBSET,
            SCALE,
        ),
        solve=solve,
        coordinates=diffusion_coordinates,
        min_views=3,
        footprint=held,
        requires="features",
        uses_epsilon=False,
        warm_starts=True,
        assumes="The views share one variable, whose distribution around every sample is skewed.",
        cost="One small eigenproblem per sample and view, and some hundred power iterations on each neighbourhood.",
        remarks=(
            "It maximises a third moment (with L views the L-th): it finds a skewed common variable and misses a "
            "symmetric one, whose third moment is 0; then noise decides.",
            "It finds a single direction per neighbourhood, so only one common variable.",
            "What it finds hangs on the local rank and the ridge. Films of two turning icons, one of them in all, "
            "without a ridge: rank 2 finds that one (.99 of the energy at its frequency), ranks 1 and 3 do not (.06, "
            ".07), all directions do (.95). With three icons a film rank 2 has .05, all directions .96, and .06 with "
            "the ridge .01.",
            "The metric lives in the first view. The bandwidth ε has no effect here; the scale σ does.",
        ),
    ),
)
