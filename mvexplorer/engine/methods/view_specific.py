"""View-specific functions: the walk of one view among the functions that are orthogonal to those of other views.

Nothing is prepared between anchors, as for a walk: what is taken out turns with the other views' ε, and no small matrix
on a fixed basis holds that. Drags start from the vectors of all views at the anchors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import DIFFUSION_TIME, N_COMPONENTS, Param, Value
from mvexplorer.engine.kernels.operators import ThreadedOperator
from mvexplorer.engine.methods.diffusion import divide_by_values
from mvexplorer.engine.methods.jointly_smooth import held_with_bases, smooth_count
from mvexplorer.engine.methods.shared.families import SHARED_BY_VIEWS
from mvexplorer.engine.methods.shared.smooth import (
    N_SMOOTH,
    kept_functions,
    notices_of_functions,
    smooth_functions,
)
from mvexplorer.engine.pipeline.footprint import PeakMemory, Size
from mvexplorer.engine.pipeline.ingredients import DOUBLY_STOCHASTIC, NORMALISATION, SELF_LOOPS
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.scaling_notices import notices_of_views
from mvexplorer.engine.pipeline.solve import search_of
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import cross_kernel, kernel_of
from mvexplorer.engine.spectral.diagnostics import Diagnostics
from mvexplorer.engine.spectral.eigenpairs import (
    Decomposition,
    Search,
    diffusion_decomposition,
    eigenpairs_beside,
    fix_signs,
)
from mvexplorer.errors import ParameterError
from mvexplorer.wording import listed, number

OF = Param("of", "", None, "The view whose own part is drawn; by default the first of the views in use.", kind="view")
BEYOND = Param(
    "beyond",
    "",
    None,
    "The views whose smooth functions are taken out, with commas between their names; by default all others in use.",
    kind="views",
    empty="all others",
)
NOTHING_SPECIFIC = "nothing-specific"
OWN_VALUE = "own_value"
"""The eigenvalue of the view alone with which the first one is to be compared."""


def _doubly_stochastic(stages: Stages) -> Stages:
    """The same computation with doubly stochastic kernels that keep their loops: positive semidefinite ones."""
    return stages.with_params({**stages.params, NORMALISATION.name: DOUBLY_STOCHASTIC, SELF_LOOPS.name: True})


def solve(stages: Stages) -> Decomposition:
    """Eigenpairs of (I - Π) W (I - Π): Π projects on the other views' smooth functions, W is the view's own walk."""
    count = smooth_count(stages)
    others = [smooth_functions(stages, i, count) for i in range(1, stages.n_views)]
    taken, _ = _span([f.basis for f in others])
    r = stages.n_vectors - 1
    if r > stages.n_samples - taken.shape[1]:
        _refuse(stages, r, taken.shape[1], count)
    scaled = _doubly_stochastic(stages)
    W = ThreadedOperator(kernel_of(scaled, 0), stages.task)
    taken = taken.astype(stages.precision, copy=False)

    def apply(V: Array) -> Array:
        inside = W @ (V - taken @ (taken.T @ V))
        return np.asarray(inside - taken @ (taken.T @ inside))

    search = replace(search_of(stages), k=r)
    values, vectors, basis = eigenpairs_beside(apply, taken, search, stages.task)
    info, notices = {"n_smooth": float(count)}, Diagnostics()
    if not stages.interactive and stages.precision == "float64":
        own = _own_value(scaled, count)
        info[OWN_VALUE] = own
        about_others = notices_of_functions(stages.among(range(1, stages.n_views)), others)
        notices = (*_notices(stages, float(values[0]), own), *about_others, *notices_of_views(scaled, [0]))
    return Decomposition(
        values,
        (fix_signs(vectors) * np.sqrt(stages.n_samples),),
        info,
        notices,
        bases=(basis, *(f.carried for f in others)),
        walks=(values, *(np.append(f.values, f.next_value) for f in others)),
    )


def _span(bases: Sequence[Array]) -> tuple[Array, list[Array]]:
    """An orthonormal basis (M, p) of what some orthonormal ones (M, d) span together, and its coefficients (d, p)."""
    if len(bases) == 1:
        return bases[0], [np.eye(bases[0].shape[1])]
    left, lengths, right = np.linalg.svd(np.hstack(bases), full_matrices=False)
    in_common = 1e-8  # A singular value as small as this: the direction is that of another view.
    kept = lengths > in_common
    coefficients = right[kept].T / lengths[kept]
    return left[:, kept], np.split(coefficients, np.cumsum([basis.shape[1] for basis in bases])[:-1])


def _refuse(stages: Stages, r: int, taken: int, count: int) -> None:
    left = stages.n_samples - taken
    raise ParameterError(
        f"r = {r} coordinates are too many: {count} smooth functions of each other view leave {left} of "
        f"{stages.n_samples} samples.",
        f"Ask for at most {left}, or for fewer smooth functions (n_smooth).",
    )


def _own_value(scaled: Stages, count: int) -> float:
    """The eigenvalue of the view alone that as many functions as are taken out leave as the largest, at least."""

    def compute() -> float:
        k = min(count + 1, scaled.n_samples)
        search = Search(k, sparse=any(kernel.kind.sparse for kernel in scaled.kernels))
        W, ones = ThreadedOperator(kernel_of(scaled, 0), scaled.task), np.ones(scaled.n_samples)
        return float(diffusion_decomposition(W.__matmul__, ones, search, scaled.task).eigenvalues[k - 1])

    return scaled.of_kernel(0, "own value", count, compute=compute)


def _notices(stages: Stages, first: float, own: float) -> Diagnostics:
    no_larger = 0.05
    if first - own > no_larger:
        return ()
    name, others = stages.view_name(0), listed([stages.view_name(i) for i in range(1, stages.n_views)])
    text = (
        f"λ₁ {number(first, 2)} is hardly larger than what {name} alone has left after as many functions "
        f"({number(own, 2)}): {name} knows next to nothing beyond {others}, and what is drawn is its fine detail "
        "or noise."
    )
    return ((NOTHING_SPECIFIC, text),)


def _coordinates(decomposition: Decomposition, params: Mapping[str, Value]) -> tuple[Array, ...]:
    """Coordinates λᵗv (M, r), the first vector included: nothing of it is trivial."""
    r, t = int(cast("int", params["n_components"])), int(cast("int", params["t"]))
    return (decomposition.blocks[0][:, :r] * decomposition.eigenvalues[:r] ** t,)


def _extend(stages: Stages, decomposition: Decomposition, new_Xs: Sequence[Array]) -> tuple[Array, ...]:
    """One step of the view's walk from the new sample, less the part that other views' functions have in it."""
    V, count = decomposition.blocks[0], int(decomposition.info[N_SMOOTH.name])
    others = [kept_functions(decomposition, i, count) for i in range(1, stages.n_views)]
    taken, coefficients = _span([f.basis for f in others])
    scaled = _doubly_stochastic(stages)
    inside = taken.T @ (ThreadedOperator(kernel_of(scaled, 0), stages.task) @ V)
    step = np.asarray(cross_kernel(scaled, 0, new_Xs[0]) @ V, dtype=np.float64)
    for i, (functions, turn) in enumerate(zip(others, coefficients, strict=True), start=1):
        step -= functions.at_new(stages, i, turn @ inside, new_Xs[i])
    return (divide_by_values(step, decomposition.eigenvalues),)


def _held(size: Size) -> PeakMemory:
    return held_with_bases(size) + PeakMemory(size.matrix)  # the view's own kernel, doubly stochastic


METHODS = (
    Method(
        id="view-specific",
        title="View-specific",
        formula="(I − Π) W (I − Π) v = λv,   Π = projection on the others' smooth functions",
        latex=(
            r"(I - \Pi) \, W^{\mathrm{of}} \, (I - \Pi) \, v = \lambda v, \qquad"
            r" \Pi = Q Q^{\mathsf T}, \quad \mathrm{span}\, Q = \mathrm{span} \{ W^l : l \in \mathrm{beyond} \}",
        ),
        summary="What one view knows and others do not: why this view at all.",
        family=SHARED_BY_VIEWS,
        source="Relative, with an ideal filter, of Yoffe, Moscovich, Jaffe: Spectral extraction of unique latent "
        "variables (2024)",
        params=(N_COMPONENTS, DIFFUSION_TIME, OF, BEYOND, N_SMOOTH),
        solve=solve,
        coordinates=_coordinates,
        memory_class="products",
        footprint=_held,
        extend=_extend,
        min_views=2,
        first_component=0,
        warm_starts=True,
        no_null="No shuffle tests that nothing is specific: what a view knows in another order is specific, too.",
        assumes="What the other views know is smooth in them, and among the first d eigenfunctions of each.",
        cost="The view's kernel, and d eigenvectors of each other view, as in pictures of the views alone.",
        remarks=(
            "Compare λ₁ with the eigenvalue that the view alone has left after as many functions: no larger, and "
            "nothing specific is left. No shuffle tests this: rows in another order are specific, too.",
        ),
        misleads=(
            "Noise of a view is specific, too: it comes with small λ, structure with large.",
            "Too small a d, or too small an ε of the other views, leaves what is common in; too large a d takes out "
            "what is the view's own.",
            "A function of both a common and an own variable is specific.",
        ),
    ),
)
