"""Smooth functions of one view: the leading eigenfunctions of its walk, whose span other views can be compared with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.notices import PIECES
from mvexplorer.engine.core.params import Param
from mvexplorer.engine.methods import single
from mvexplorer.engine.methods.diffusion import alpha_of, averaged, positive
from mvexplorer.engine.pipeline.solve import decompose
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import cross_kernel, kernel_of
from mvexplorer.engine.spectral.diagnostics import DISCONNECTED, Diagnostics
from mvexplorer.engine.spectral.eigenpairs import Decomposition
from mvexplorer.engine.spectral.warm_start import WarmStart
from mvexplorer.errors import ParameterError

N_SMOOTH = Param(
    "n_smooth",
    "d",
    20,
    "How many smooth functions stand for each view: its leading eigenfunctions, the constant among them. Too few, and "
    "what views share is not among them; too many, and chance alone finds something in common.",
    kind="int",
    low=2,
    high=200,
    choices=("auto",),
    title="Smooth functions",
    source="Dietrich, Yair, Mulayoff, Talmon, Kevrekidis: Spectral discovery of jointly smooth features (2022)",
)
(SINGLE,) = single.METHODS


@dataclass(frozen=True, eq=False)
class SmoothFunctions:
    """The leading eigenfunctions of one view's walk, and an orthonormal basis of their span.

    `values` (d,) are eigenvalues, 1 first, and `next_value` the one after them; `psi` (M, d) right eigenvectors;
    `basis` (M, d) their orthonormal form, the constant first, with psi = basis @ `turn`. `carried` (M, m) is where the
    next step of a drag starts.
    """

    values: Array
    next_value: float
    psi: Array
    basis: Array
    turn: Array
    carried: Array
    warnings: Diagnostics

    @property
    def varying(self) -> Array:
        """The basis (M, d - 1) without the constant, to which it is orthogonal."""
        return self.basis[:, 1:]

    def at_new(self, stages: Stages, i: int, coefficients: Array, new: Array) -> Array:
        """Functions of the span, basis @ `coefficients` (d, k), at new samples (n, D) of view i: (n, k), raw.

        Each eigenfunction follows from the walk's own step there, divided by its eigenvalue; those whose eigenvalue is
        rounding say nothing there, and count as 0. NaN for a function of which they are a part that would be missed.
        """
        rounding, missed = 1e-8, 1e-3
        usable = np.abs(self.values) > rounding
        parts = np.linalg.solve(self.turn, coefficients)
        inverse = np.where(usable, 1.0 / np.where(usable, self.values, 1.0), 0.0)
        functions = self.psi @ (inverse[:, None] * parts)
        lost = np.linalg.norm(self.psi[:, ~usable] @ parts[~usable], axis=0)
        functions[:, lost > missed * np.linalg.norm(coefficients, axis=0)] = np.nan
        alpha = alpha_of(stages)
        density = positive(kernel_of(stages, i).sum(axis=1)) ** -alpha if alpha else np.ones(len(functions))
        return averaged(stages, cross_kernel(stages, i, new), density[:, None] * functions, density)


def smooth_functions(stages: Stages, i: int, count: int) -> SmoothFunctions:
    """The first `count` eigenfunctions of view i's walk, where they are exact those that a picture of it alone has."""
    bases = stages.start.bases
    start = replace(stages.start, bases=bases[i : i + 1]) if i < len(bases) else WarmStart()
    params = {p.name: p.default for p in SINGLE.params} | {"view": stages.view_name(i), "n_components": count}
    params |= {"alpha": alpha_of(stages)}
    alone = stages.among((i,)).with_params(params).starting_at(start)
    draft = stages.interactive or stages.precision == "float32"
    return functions_of(SINGLE.solve(alone) if draft else decompose(SINGLE, alone), count)


def functions_of(solved: Decomposition, count: int) -> SmoothFunctions:
    """The first `count` eigenfunctions of a walk that was solved for one more."""
    psi = solved.blocks[0][:, :count]
    basis, turn = np.linalg.qr(psi)
    signs = np.where(np.diag(turn) < 0.0, -1.0, 1.0)
    values = solved.eigenvalues
    return SmoothFunctions(
        values[:count],
        float(values[count]) if len(values) > count else 0.0,
        psi,
        basis * signs,
        turn * signs[:, None],
        solved.bases[0],
        solved.warnings,
    )


def kept_functions(decomposition: Decomposition, i: int, count: int) -> SmoothFunctions:
    """The same functions again from what a decomposition that was made of them holds."""
    basis = decomposition.bases[i]
    psi = np.column_stack([np.ones(len(basis)), basis[:, : count - 1]])
    return functions_of(Decomposition(decomposition.walks[i], (psi.astype(np.float64),), bases=(basis,)), count)


def most_functions(stages: Stages) -> int:
    """The largest number of smooth functions per view: beyond it views have something in common by arithmetic."""
    n_samples = stages.n_samples
    return min(int(N_SMOOTH.high), (n_samples - 1) // 2, n_samples // stages.n_views)


def checked_count(stages: Stages, given: int) -> int:
    """The number of smooth functions asked for, of few samples fewer; ParameterError where there are too many."""
    most = most_functions(stages)
    if most < N_SMOOTH.low:
        least = max(2 * stages.n_views, 5)
        raise ParameterError(
            f"{stages.n_samples} samples are too few to find what {stages.n_views} views have in common.",
            f"Give at least {least} samples, or fewer views.",
        )
    if given <= most:
        return given
    if given == cast("int", N_SMOOTH.default):
        return most
    raise ParameterError(
        f"{given} smooth functions per view are too many for {stages.n_samples} samples in {stages.n_views} views: "
        "so many have something in common whatever the views are.",
        f"Give at most {most}.",
    )


def notices_of_functions(stages: Stages, each: list[SmoothFunctions]) -> Diagnostics:
    """Tell of spans that end within equal eigenvalues, and of views in pieces."""
    equal = 1e-3
    cut = [
        stages.view_name(i)
        for i, f in enumerate(each)
        if f.values[-1] - f.next_value < equal * abs(f.values[-1]) and abs(f.values[-1]) > equal
    ]
    notices: Diagnostics = ()
    if cut:
        count = len(each[0].values)
        text = (
            f"{', '.join(cut)}: the {count}th and the next eigenvalue are nearly equal, so that {count} functions "
            f"cut apart what belongs together: n_smooth {count - 1} or {count + 1} may give another picture."
        )
        notices = (("multiplet", text),)
    for code in (DISCONNECTED, PIECES):
        apart = [stages.view_name(i) for i, f in enumerate(each) if code in dict(f.warnings)]
        if apart:
            text = (
                f"{', '.join(apart)} in pieces at this ε: what tells the pieces apart is a smooth function, and common "
                "where other views have the same pieces. A larger ε joins them."
            )
            notices = (*notices, (code, text))
    return notices
