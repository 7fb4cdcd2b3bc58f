"""From a method and its stages to a decomposition, remembered; drafts apart from exact answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.spectral.eigenpairs import Decomposition

RESOLVED_IN_FLOAT32 = 0.05
"""Eigenvalues (of B, two views: the operator solved is B Bᵀ) below this need double precision."""
SINGLE_RANGE = 1e-30, 1e30
"""Median squared distances that single precision has room around."""


def decompose(method: Method, stages: Stages) -> Decomposition:
    """The method's decomposition, remembered under everything it depends on; drafts apart from exact ones."""
    key = (method.id, stages.inputs_key(), stages.random_state, method.operator_params(stages.params))
    if stages.interactive and method.warm_starts:
        return stages.memo(("draft", *key), lambda: _drafted(method, stages))
    exact = stages.memo(("decomposition", *key), lambda: method.solve(stages))
    if method.warm_starts:  # a drag that starts here, or of what needs no solving, finds it
        stages.memo(("draft", *key), lambda: exact)
    return exact


def _drafted(method: Method, stages: Stages) -> Decomposition:
    """A draft with its doubts, and with the number of drafts since one looked for what former ones lack."""
    with stages.task.overheard() as heard:
        found = _draft(method, stages)
    return replace(found, warnings=(*found.warnings, *heard.items()), unsearched=stages.start.unsearched_next)


def _draft(method: Method, stages: Stages) -> Decomposition:
    """In single precision, unless the data is beyond its range or eigenvalues come too near its rounding."""
    low, high = SINGLE_RANGE
    able = method.epsilon_matters(stages.params) and stages.start.smallest >= RESOLVED_IN_FLOAT32
    if able and all(low < stages.median(i) < high for i in range(len(stages.views))):
        found = method.solve(stages.in_float32())
        if np.abs(found.eigenvalues).min() >= RESOLVED_IN_FLOAT32:
            return found
    return method.solve(stages)
