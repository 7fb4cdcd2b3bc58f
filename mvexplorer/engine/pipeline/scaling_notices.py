"""When to distrust a doubly stochastic kernel: a slow scaling, and a sample that takes another's steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from mvexplorer.engine.core.notices import Notice, doubt
from mvexplorer.engine.kernels.distances import BLOCK_ROWS
from mvexplorer.engine.kernels.operators import Float32Kernel, KernelMatrix, LowRankOperator
from mvexplorer.engine.pipeline.isolated import enlarge, with_epsilon
from mvexplorer.engine.pipeline.joint_kernel import scaling_of_joint
from mvexplorer.engine.pipeline.scaling import SLOW, Scaling
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import kernel_of, scaling_of_view
from mvexplorer.engine.pipeline.view_weights import by_volume
from mvexplorer.engine.spectral.diagnostics import Diagnostics

SLOW_SCALING, TAKEN_STEP = "slow-scaling", "taken-step"
TAKEN = 0.5
"""Share of a sample's step from which on another one has taken it."""


_OF_VOLUME = (("weights", "Doubly stochastic kernels have equal volume already: all view weights are equal."),)


class LikelyStep(NamedTuple):
    """The likeliest step of a walk: from one sample to another, with its probability."""

    sample: int
    to: int
    share: float


def notices_of_views(stages: Stages, views: Sequence[int]) -> Diagnostics:
    """The notices about the kernels of some of the views used. Drafts go without: the exact answer follows."""
    if not stages.form.scaled or stages.interactive or stages.precision == "float32":
        return ()
    each: list[Diagnostics] = []
    for i in views:
        W = kernel_of(stages, i)  # before its scaling, which is found on the way to it
        named = stages.view_name(i), with_epsilon(stages, [i])
        each.append(_notices(stages, W, scaling_of_view(stages, i), *named))
    return (*(notice for notices in each for notice in notices), *(_OF_VOLUME if by_volume(stages) else ()))


def notices_of_joint(
    stages: Stages, name: str, kernel: Callable[[Stages], KernelMatrix], *settings: float
) -> Diagnostics:
    """The same about the finished kernel of several views, remembered under `name`."""
    if not stages.form.scaled or stages.interactive or stages.precision == "float32":
        return ()
    W = kernel(stages)
    return _notices(stages, W, scaling_of_joint(stages, name, kernel, *settings), "", with_epsilon(stages))


def _notices(stages: Stages, W: KernelMatrix, scaling: Scaling, view: str, has_epsilon: bool) -> Diagnostics:
    where, subjects = (f" of {view}", (view,)) if view else ("", ())
    notices: list[Notice] = []
    if scaling.products >= SLOW:
        took = f"took {scaling.products} products to become doubly stochastic"
        text = f"ε{where} is small here: the kernel {took}." if has_epsilon else f"The kernel{where} {took}."
        notices.append(doubt(SLOW_SCALING, text, subjects))
    step = likeliest_step(W)
    if step is not None and step.share > TAKEN:
        ids = stages.data.sample_ids
        one, other = ids[step.sample], ids[step.to]
        inside = f" in {view}" if view else ""
        most = f"{100.0 * step.share:.0f} % of its step"
        text = f"Sample {one} spends {most}{inside} on sample {other}: an outlier has taken it. {enlarge(has_epsilon)}."
        notices.append(doubt(TAKEN_STEP, text, subjects))
    return tuple((notice.key, notice) for notice in notices)


def likeliest_step(W: KernelMatrix) -> LikelyStep | None:
    """The largest entry off the diagonal of a walk (M, M); None where its entries are not held."""
    if isinstance(W, LowRankOperator):
        return None
    stored: Any = W.stored if isinstance(W, Float32Kernel) else W
    best = LikelyStep(0, 0, 0.0)
    for start in range(0, stored.shape[0], BLOCK_ROWS):
        part = stored[start : start + BLOCK_ROWS]
        block = np.array(part if isinstance(part, np.ndarray) else part.toarray(), dtype=np.float64)
        block[np.arange(len(block)), start + np.arange(len(block))] = 0.0
        i, j = np.unravel_index(int(block.argmax()), block.shape)
        if block[i, j] > best.share:
            best = LikelyStep(start + int(i), int(j), float(block[i, j]))
    return best
