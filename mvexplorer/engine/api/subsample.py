"""Place new samples by a method's extension; solve a method on a random part, and place the others likewise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.annotated import is_annotated, views_of
from mvexplorer.engine.core.inputs import aligned, check_features, feature_names_of, plain_numbers
from mvexplorer.engine.core.maps import new_table
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.notices import DRAFT_OF_PART
from mvexplorer.engine.core.params import Value
from mvexplorer.engine.kernels.affinities import Kernel
from mvexplorer.engine.kernels.sampling import random_rows
from mvexplorer.engine.pipeline.ingredients import SELF_LOOPS
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.solve import extend, fits_float32
from mvexplorer.engine.pipeline.stages import Memo, StageKey, Stages
from mvexplorer.engine.pipeline.unit_rows import coordinate_blocks, longest_rows
from mvexplorer.engine.spectral.eigenpairs import Decomposition
from mvexplorer.errors import ComputeError, DataError, FileChangedError, ParameterError
from mvexplorer.wording import counted

Indices = npt.NDArray[np.intp]
Data = MultiView | Sequence[npt.ArrayLike] | Mapping[str, npt.ArrayLike]

BLOCK_ENTRIES = 1 << 22
"""Affinities of new samples to known ones that are held at a time."""
LEAST_ROWS = 64
"""Least number of new samples placed at a time."""


def subsample_rows(n_samples: int, subsample: int, seed: int) -> Indices:
    """Draw the samples (subsample,) that a method is solved on, as ascending positions; a seed gives the same ones."""
    return random_rows(n_samples, subsample, seed)


def check_subsample(method: Method, subsample: int, n_components: int, kernels: tuple[Kernel, ...]) -> None:
    """Refuse a random part that cannot represent all samples, or by which the others cannot be placed."""
    if subsample < n_components + 2:
        raise ParameterError(
            f"A random part of {subsample} samples is too small for {n_components} coordinates.",
            f"Give at least {n_components + 2} samples.",
        )
    if any(kernel.kind.id == "precomputed" for kernel in kernels):
        raise ParameterError(
            "No random part can be taken of a table of affinities.", "Use all samples, or give features."
        )
    if method.extend is None:
        raise ParameterError(
            f"{method.title} cannot place the samples outside a random part: it has no extension to new ones.",
            "Use all samples, or choose a method that can.",
        )


def subsample_of(data: MultiView, rows: Indices, memo: Memo, seed: int) -> MultiView:
    """Take the samples in `rows` (m,) of the data, remembered because their keys are hashes of the numbers."""
    keys = tuple(data.view_key(i) for i in range(data.n_views))
    return memo(StageKey("random-part", keys, settings=(len(rows), seed)), lambda: data.take(rows))


def extend_to_all(
    method: Method, stages: Stages, decomposition: Decomposition, data: MultiView, rows: Indices
) -> Decomposition:
    """Extend the decomposition of a part, the samples in `rows` (m,), to all samples.

    Its blocks (M, k) are those of the part as they are, and all others placed by extension.
    """
    n = data.n_samples
    dragged = stages.interactive and fits_float32(method, stages)
    stages = stages.in_float32() if dragged else stages

    def compute() -> Decomposition:
        blocks = tuple(new_table((n, block.shape[1])) for block in decomposition.blocks)
        others = np.setdiff1d(np.arange(n), rows)
        for out, block in zip(blocks, decomposition.blocks, strict=True):
            out[rows] = block
        dragged_entries = 1 << 24  # Affinities held at a time while a slider moves, in single precision.
        step = max(LEAST_ROWS, (dragged_entries if dragged else BLOCK_ENTRIES) // len(rows))
        for start in range(0, len(others), step):
            stages.task.progress(start / len(others))
            some = others[start : start + step]
            here = stages.placing(data, start) if dragged else stages
            for out, block in zip(blocks, _placed(method, here, decomposition, data, some), strict=True):
                out[some] = block
        info = {**decomposition.info, "random_part": float(len(rows))}
        return replace(decomposition, blocks=tuple(_without_gaps(stages, block) for block in blocks), info=info)

    keys = tuple(data.view_key(i) for i in stages.views)
    settings = method.id, keys, stages.interactive, stages.random_state, method.operator_params(stages.params)
    placed = stages.fused("placed", *settings, compute=compute)
    text = f"Solved on a random part of {len(rows):,} of the {n:,} samples; the others are placed by extension."
    stages.task.warn(DRAFT_OF_PART if stages.interactive else "random-part", text)
    return placed


def _placed(
    method: Method, stages: Stages, decomposition: Decomposition, data: MultiView, some: Indices
) -> tuple[Array, ...]:
    try:
        return extend(method, stages, decomposition, [data.Xs[i][some] for i in stages.views])
    except FileChangedError:
        raise
    except DataError as error:
        raise ComputeError(
            f"Samples outside the random part cannot be placed. {error.message}",
            "Enlarge ε or the part, or choose the kernel of nearest neighbours.",
        ) from None


def _without_gaps(stages: Stages, block: Array) -> Array:
    """The block with 0 in place of entries whose eigenvalue is too small to divide by, and a warning about them."""
    gaps = ~np.isfinite(block)
    if not stages.form.loops:  # samples without neighbours stay NaN, in the trivial vector too
        gaps &= np.isfinite(block[:, :1])
    if gaps.any():
        lost = int(gaps.any(axis=0).sum())
        text = f"{lost} coordinate{'s are' if lost > 1 else ' is'} too weak to be extended beyond the random part."
        stages.task.warn("unplaced", text)
        block[gaps] = 0.0
    return block


# New samples ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Known:
    """The means to place new samples: the samples a method was solved on, its settings, and its solution."""

    data: MultiView
    views: tuple[int, ...]
    epsilon: tuple[float, ...]
    kernels: tuple[Kernel, ...]
    params: Mapping[str, Value]
    random_state: int
    solved: Decomposition

    @classmethod
    def of(cls, stages: Stages, solved: Decomposition) -> Known:
        """Keep the part of the stages that placing new samples needs, by references to the same arrays."""
        return cls(
            stages.data, stages.views, stages.epsilon, stages.kernels, stages.params, stages.random_state, solved
        )

    def stages(self) -> Stages:
        """Begin a computation on the known samples, with a task and a memo of its own."""
        return Stages(
            self.data, self.views, self.epsilon, self.params, kernels=self.kernels, random_state=self.random_state
        )


def place(method: Method, reference: Known, new_Xs: Data) -> Array:
    """Place new samples (n, D_l) by the method's extension: (n, r), or (n, L·r) where every view has its own.

    `new_Xs` has all views of the data, or those used.
    """
    stages, solved = reference.stages(), reference.solved
    blocks = extend(method, stages, solved, _new_views(stages, new_Xs, some=method.extends_by_any_view))
    placed = Decomposition(solved.eigenvalues, blocks, block_eigenvalues=solved.block_eigenvalues)
    # Without self-loops samples without neighbours are NaN in the trivial vector, too.
    there = [slice(None) if stages.form.loops else np.isfinite(psi[:, 0]) for psi in blocks]
    of_vectors = method.coordinates(placed, stages.params)
    _check_placed(method, [Y[rows] for Y, rows in zip(of_vectors, there, strict=True)])
    coordinates = coordinate_blocks(method, placed, stages.params, longest_rows(method, solved, stages.params))
    return joined_blocks(coordinates, stages.params)


def joined_blocks(blocks: Sequence[Array], params: Mapping[str, Value]) -> Array:
    """The blocks (M, r) of all views as one table; NaN all over for a sample without neighbours in one of them."""
    # Columns that lie in one piece are joined column by column.
    by_columns = blocks[0].strides[0] == blocks[0].itemsize
    table: Array = np.concatenate([Y.T for Y in blocks]).T if by_columns else np.hstack(blocks)
    if params.get(SELF_LOOPS.name) is False:
        table[np.isnan(table).any(axis=1)] = np.nan
    return table


def _new_views(stages: Stages, new_Xs: Data, *, some: bool = False) -> list[Array]:
    """The views used (n, D_l) of new samples, checked against the known ones.

    With `some` a sample may lack views, in whole tables or in rows of NaN: it is NaN there.
    """
    names = [stages.view_name(i) for i in range(stages.n_views)]
    given, features = _by_name(stages, new_Xs, names)
    missing = [name for name in names if name not in given]
    if missing and (not some or len(missing) == len(names)):
        raise DataError(f"The new samples lack view {', '.join(missing)}.", f"Give {', '.join(names)}.")
    widths = {name: stages.data.Xs[i].shape[1] for i, name in zip(stages.views, names, strict=True)}
    for i, name in zip(stages.views, names, strict=True):
        check_features(stages.data.feature_names[i], features.get(name), name)
    there = [name for name in names if name in given]
    tables, _ = aligned([given[name] for name in there], there)
    arrays = {name: plain_numbers(X, f"View “{name}”") for X, name in zip(tables, there, strict=True)}
    for name, X in arrays.items():
        _check_new_view(X, name, widths[name], some=some)
    if len({len(X) for X in arrays.values()}) > 1:
        rows = ", ".join(f"{name} has {len(X)}" for name, X in arrays.items())
        raise DataError(f"The new views have different numbers of rows: {rows}.", "Give the same samples in each.")
    n_new = len(arrays[there[0]])
    each = [arrays[name] if name in arrays else np.full((n_new, widths[name]), np.nan) for name in names]
    without = int(np.count_nonzero(np.all([np.isnan(X).all(axis=1) for X in each], axis=0))) if some else 0
    if without:
        have = "has" if without == 1 else "have"
        raise DataError(f"{counted(without, 'new sample')} {have} no view.", "Give at least one view of each sample.")
    return each


def _by_name(stages: Stages, new_Xs: Data, names: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """New samples' views, given in any form, and the names of their features, each by the view's name."""
    features: Sequence[Sequence[str] | None] | None = None
    if is_annotated(new_Xs):
        annotated = views_of(new_Xs)
        new_Xs, features = annotated["Xs"], annotated["feature_names"]
    if isinstance(new_Xs, MultiView):
        features = new_Xs.feature_names
        new_Xs = dict(zip(new_Xs.view_names, new_Xs.Xs, strict=True))
    elif not isinstance(new_Xs, Mapping):
        everything = stages.data.view_names
        given = everything if len(new_Xs) == len(everything) else names
        if len(new_Xs) != len(given):
            said = f"{counted(len(new_Xs), 'view')} {'is' if len(new_Xs) == 1 else 'are'} given."
            raise DataError(said, f"Give {len(names)}, in the order {', '.join(names)}.")
        new_Xs = dict(zip(given, new_Xs, strict=True))
    by_name = {str(name): X for name, X in new_Xs.items()}  # names are text, as MultiView makes them
    each = features or feature_names_of(list(by_name.values())) or [None] * len(by_name)
    return by_name, dict(zip(by_name, each, strict=True))


def _check_new_view(X: Array, name: str, width: int, *, some: bool) -> None:
    X.shape = (len(X), 1) if X.ndim == 1 and width == 1 else X.shape
    fits = X.ndim == 2 and X.shape[1] == width
    if not fits or not np.isfinite(X[~np.isnan(X).all(axis=1)] if some else X).all():
        raise DataError(
            f"The new samples of view “{name}” have shape {X.shape}, or hold missing values.",
            f"Give a table of finite numbers with {width} columns.",
        )


def _check_placed(method: Method, blocks: Sequence[Array]) -> None:
    """Raise ComputeError where a coordinate of new samples would be rounding divided by rounding."""
    lost = ~np.all([np.isfinite(Y).all(axis=0) for Y in blocks], axis=0)
    if not lost.any():
        return
    columns = np.flatnonzero(lost) + 1
    which = f"coordinate {columns[0]}" if len(columns) == 1 else f"coordinates {columns[0]} to {columns[-1]}"
    raise ComputeError(
        f"{method.title} cannot place new samples in {which}: the eigenvalues to divide by are rounding.",
        f"Ask for n_components={columns[0] - 1}, or lower ε."
        if columns[0] > 1
        else "Lower ε, or leave out views in which nothing differs.",
    )
