"""Views whose own walk stays where it is: what their kernels join no sample by, they add to no picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from mvexplorer.engine.core.notices import doubt
from mvexplorer.engine.kernels.operators import Float32Kernel, Matrix
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import kernel_of, landmarks_of
from mvexplorer.engine.spectral.diagnostics import Diagnostics
from mvexplorer.wording import listed

ALONE = "view-alone"


def staying_views(method: Method, stages: Stages) -> Diagnostics:
    """The warning about views in which every sample neighbours only itself, for methods that add up or chain walks.

    A product of kernels isolates every sample then, and says that it is in pieces. A picture of one view may still show
    its shape, by ever so small affinities. Without self-loops no step stays.
    """
    if stages.n_views < 2 or method.walk is None or method.joint_kernel or not stages.form.loops:
        return ()
    stays = 0.99  # The mean probability to stay from which on a view's samples count as neighbours of themselves only.
    alone = [i for i in range(stages.n_views) if probability_to_stay(stages, i) >= stays]
    if not alone:
        return ()
    names = tuple(stages.view_name(i) for i in alone)
    text = f"Every sample of {listed(names)} neighbours only itself: {_consequence(stages, alone)}"
    return ((ALONE, doubt(ALONE, text, names)),)


def _consequence(stages: Stages, alone: Sequence[int]) -> str:
    one, scaled = len(alone) == 1, all(stages.kernels[i].kind.uses_epsilon for i in alone)
    where = ("at this ε " if one else "at these ε ") if scaled else ""
    cure = f"Enlarge {'its' if one else 'their'} ε" if scaled else "Choose another kernel"
    if len(alone) == stages.n_views:  # what little joins the samples may still show a shape
        return f"{where}hardly a step leaves its sample. {cure}."
    adds, it = ("adds", "it") if one else ("add", "them")
    names = listed([stages.view_name(i) for i in alone])
    return f"{where}{names} {adds} nothing. {cure}, or leave {it} out."


def probability_to_stay(stages: Stages, i: int) -> float:
    """The mean over the samples of p_ii in the walk of view i."""
    K, count = kernel_of(stages, i), stages.kernels[i].landmarks
    if count:  # no other sample stays: it is known by its affinities to landmarks, of which each has 1 to itself
        return float((1.0 / K.sum(axis=1)[landmarks_of(stages, i)]).sum() / stages.n_samples)
    stored = K.stored if isinstance(K, Float32Kernel) else cast("Matrix", K)
    return float(np.mean(stored.diagonal() / K.sum(axis=1)))
