"""The stages of a computation on samples in another order, or on some of them, as far as those of all are known.

A view whose rows are shuffled has the same distances, kernel and neighbours, seen through a permutation; a part of the
samples has those of its rows. So they are looked up and rearranged, and nothing is evaluated anew. The rest, what is
made of several views above all, is computed as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.kernels.affinities import Kernel
from mvexplorer.engine.kernels.landmarks import LandmarkKernel
from mvexplorer.engine.kernels.operators import Float32Kernel, as_array
from mvexplorer.engine.pipeline.ingredients import DOUBLY_STOCHASTIC, NORMALISATION, PLAIN, SELF_LOOPS, WALK, KernelForm
from mvexplorer.engine.pipeline.stages import Memo, StageKey, Stages, T, remember_once
from mvexplorer.engine.pipeline.view_kernel import distances_of, kernel_of, landmark_kernel_of, magnitude_of

Rows = npt.NDArray[np.intp]

KNOWN: dict[str, Callable[[Stages, int], Any]] = {
    "view": lambda stages, i: stages.view(i),
    "points": lambda stages, i: stages.points(i),
    "treatment": lambda stages, i: stages.treatment(i),
    "magnitude": magnitude_of,
    "distances": distances_of,
    "kernel": kernel_of,
    "landmarks": landmark_kernel_of,
}
"""How the results of these stages of a view are asked for."""
OF_ORDER = frozenset(
    {"neighbours", "neighbour-distance", "graph", "kernel-graph", "regularised", "product", "concatenation"}
)
"""Further stages of a view whose results go along with any permutation of all its samples."""


def shuffled(stages: Stages, i: int, order: Rows) -> Stages:
    """Prepare the same computation with the rows of view i in another order, and those of the other views as they are.

    `order` (M,) is the sample whose row each sample gets; every ε is a number. The memo of `stages` keeps what belongs
    to the views as they are; the result has one of its own for what the shuffled view is part of.
    """
    data, index = stages.data, stages.views[i]
    Xs = list(data.Xs)
    Xs[index] = _of_rows(stages, i, order)
    bursts = data.bursts and [b[order] if v == index else b for v, b in enumerate(data.bursts)]
    return _seen(stages, data.replace(Xs=Xs, bursts=bursts), {i: order}, fewer=False, apart=i)


def of_samples(stages: Stages, rows: Rows) -> Stages:
    """Prepare the same computation on samples, ascending `rows` (m,), preprocessed and weighted by all, at equal ε."""
    data = stages.data.take(rows)
    Xs = list(data.Xs)
    for i, index in enumerate(stages.views):
        Xs[index] = _of_rows(stages, i, rows)
    return _seen(stages, data.replace(Xs=Xs), dict.fromkeys(range(stages.n_views), rows), fewer=True)


def kernel_among(stages: Stages, i: int, rows: Rows) -> Array:
    """The affinities (m, m) in double precision that some samples `rows` (m,) have in the kernel of view i of all."""
    K: Any = landmark_kernel_of(stages, i) if stages.kernels[i].landmarks else kernel_of(stages, i)
    some = _rearranged(K, rows)
    return np.asarray(as_array(some.kernel if isinstance(some, LandmarkKernel) else some), dtype=np.float64)


def _of_rows(stages: Stages, i: int, rows: Rows) -> Array:
    X = stages.data.Xs[stages.views[i]]
    affinities = stages.kernels[i].kind.metric == "none"
    return cast("Array", np.asarray(X)[np.ix_(rows, rows)] if affinities else np.asarray(X[rows]))


def _seen(
    stages: Stages, data: MultiView, rows: Mapping[int, Rows], *, fewer: bool, apart: int | None = None
) -> Stages:
    seen = stages.on(data, remember_once(), apart)
    return seen.with_memo(_memo(stages, seen, rows, fewer=fewer))


def _memo(real: Stages, new: Stages, rows: Mapping[int, Rows], *, fewer: bool) -> Memo:
    """Make a memo that rearranges what is known of the real views; what is not concerned comes from their memo."""
    here, views = new.memo, {new.view_key(i): i for i in rows}
    metrics = {real.distance_key(i)[1] for i in range(real.n_views)}

    def remember(key: StageKey, compute: Callable[[], T]) -> T:
        subject = key.subject if isinstance(key.subject, tuple) else (key.subject,)
        concerned = [views[name] for name in subject if name in views]
        if not concerned:
            return real.memo(key, compute)
        alone = len(concerned) == 1 and all(name in views or name in metrics for name in subject)
        if not alone:
            return here(key, compute)
        (i,) = concerned
        if key.stage in KNOWN and not (fewer and _needs_others(key)):
            return here(key, lambda: cast("T", _looked_up(real, key, i, rows[i])))
        if key.stage in OF_ORDER and not fewer:
            return here(key, lambda: _carried(real, key, i, rows[i], compute))
        return here(key, compute)

    return remember


def _looked_up(real: Stages, key: StageKey, i: int, rows: Rows) -> Any:
    """The result of a stage of view i as it is, rearranged."""
    real = _at_epsilon_of(key, real, i)
    real = _in_form(real, next((part for part in key.settings if isinstance(part, KernelForm)), PLAIN))
    result = KNOWN[key.stage](real.in_float32() if key.precision == "float32" else real.in_float64(), i)
    square = key.stage not in ("view", "points") or real.kernels[i].kind.metric == "none"
    fixed = ("treatment", "magnitude")  # numbers about the view as a whole
    return result if key.stage in fixed else _rearranged(result, rows, square=square)


def _at_epsilon_of(key: StageKey, real: Stages, i: int) -> Stages:
    """The same computation where view i has the ε of the result asked for, which a method may have moved."""
    if not key.settings or not isinstance(key.settings[0], Kernel) or key.settings[1] in (None, real.epsilon[i]):
        return real
    epsilon = cast("float", key.settings[1])
    return real.at(tuple(epsilon if j == i else own for j, own in enumerate(real.epsilon)))


def _in_form(real: Stages, form: KernelForm) -> Stages:
    """The same computation with its kernels in the form asked for: one on the way to its own, or that of a method."""
    if (form.scaled, form.loops) == (real.form.scaled, real.form.loops):
        return real
    if form.plain:
        return real.plain()
    how = DOUBLY_STOCHASTIC if form.scaled else WALK
    return real.with_params({**real.params, NORMALISATION.name: how, SELF_LOOPS.name: form.loops})


def _carried(real: Stages, key: StageKey, i: int, order: Rows, compute: Callable[[], T]) -> T:
    """Compute the same where only `compute` knows how: of the shuffled view, put back in order to be kept."""
    name = real.view_key(i)
    subject = name if isinstance(key.subject, str) else (name, *cast("tuple[Any, ...]", key.subject)[1:])
    back = np.argsort(order)
    result = real.memo(key._replace(subject=subject), lambda: cast("T", _rearranged(compute(), back)))
    return cast("T", _rearranged(result, order))


def _needs_others(key: StageKey) -> bool:
    """True if an entry of a kernel depends on more samples than its own two: on neighbours, landmarks or row sums."""
    kernel = key.settings[0] if key.settings else None
    if any(isinstance(part, KernelForm) and part.scaled for part in key.settings):
        return True
    return isinstance(kernel, Kernel) and (kernel.neighbours is not None or kernel.landmarks > 0)


def _rearranged(value: Any, rows: Rows, *, square: bool = True) -> Any:
    """A result by samples, or by pairs of samples where it is square, of these rows.

    A landmark kernel keeps its landmarks, which are other rows then.
    """
    if isinstance(value, LandmarkKernel):
        factor = value.kernel.left[rows]
        return replace(value, kernel=replace(value.kernel, left=factor, right=factor))
    if isinstance(value, Float32Kernel):
        return replace(value, stored=_rearranged(value.stored, rows))
    if isinstance(value, tuple):
        parts = [_rearranged(each, rows) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    shape = getattr(value, "shape", ())
    if not shape:
        return value
    both = square and len(shape) == 2 and shape[0] == shape[1]
    if not both:
        return value[rows]
    return value.take(rows, axis=0).take(rows, axis=1) if isinstance(value, np.ndarray) else value[rows][:, rows]
