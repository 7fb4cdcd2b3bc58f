"""Ingredients of a walk besides its kernels: whether its steps may stay, and how its kernels are normalised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mvexplorer.engine.core.params import Param, Value
from mvexplorer.engine.kernels.affinities import Kernel
from mvexplorer.errors import ParameterError

WALK, DOUBLY_STOCHASTIC = "walk", "doubly-stochastic"

SELF_LOOPS = Param(
    "self_loops",
    "",
    None,
    "Whether a step may stay at its sample: the papers keep it; without, walks at small ε look farther, and samples "
    "without neighbours are left out. By default kept, and left out where a kernel is doubly stochastic.",
    kind="flag",
    title="Steps that stay",
    source="Ng, Jordan, Weiss: On spectral clustering (2002)",
)
NORMALISATION = Param(
    "normalisation",
    "",
    WALK,
    "walk divides each row of a kernel by its sum; doubly-stochastic scales rows and columns until all sums are 1, "
    "which takes noise that differs from sample to sample out, and with it real differences of density.",
    kind="choice",
    choices=(WALK, DOUBLY_STOCHASTIC),
    title="Normalisation",
    source="Landa, Coifman, Kluger: Doubly stochastic normalization of the Gaussian kernel (2021)",
)
SYMMETRIC = Param(
    "symmetric",
    "",
    False,
    "Take the mean of both orders, first one view and first the other, of doubly stochastic kernels: real eigenvalues, "
    "no view is first, and often stronger where a view only weakly depends on what is common.",
    kind="flag",
    title="Symmetric",
    source="Shnitzer, Ben-Chen, Guibas, Talmon, Wu: Recovering hidden components in multimodal data with composite "
    "diffusion operators (2019)",
)
INGREDIENTS = (SELF_LOOPS, NORMALISATION)


@dataclass(frozen=True)
class KernelForm:
    """The form in which a method takes its kernels.

    `loops` tells that a step may stay at its sample, `scaled` that kernels are doubly stochastic, `rough` that they
    need be so only as far as the eye can tell.
    """

    loops: bool = True
    scaled: bool = False
    rough: bool = False

    @property
    def plain(self) -> bool:
        """True if kernels are taken as they are."""
        return self.loops and not self.scaled

    @property
    def key(self) -> tuple[KernelForm, ...]:
        """Nothing where kernels are taken as they are, so that all methods share them."""
        return () if self.plain else (self,)


PLAIN = KernelForm()


def form_of(params: Mapping[str, Value], *, rough: bool) -> KernelForm:
    """The form that a method's parameters ask for."""
    scaled = params.get(NORMALISATION.name) == DOUBLY_STOCHASTIC
    return KernelForm(_loops(params), scaled, rough and scaled)


def _loops(params: Mapping[str, Value]) -> bool:
    given = params.get(SELF_LOOPS.name)
    return params.get(NORMALISATION.name) != DOUBLY_STOCHASTIC if given is None else bool(given)


def resolved(params: dict[str, Value], title: str, kernels: Sequence[Kernel]) -> dict[str, Value]:
    """The parameters with self-loops decided, None where they are as in the papers, and what a symmetric walk needs.

    ParameterError where ingredients do not go together.
    """
    if SELF_LOOPS.name not in params or params.get("graph") == "knn":
        return params
    if params.get(SYMMETRIC.name):
        params = {**params, NORMALISATION.name: DOUBLY_STOCHASTIC}
    given, scaled = params[SELF_LOOPS.name], params[NORMALISATION.name] == DOUBLY_STOCHASTIC
    by_landmarks = any(kernel.landmarks for kernel in kernels)
    if by_landmarks and given is False:
        raise ParameterError(
            f"{title} by landmarks keeps its self-loops: what a sample has with itself cannot be told apart.",
            "Leave self_loops out, or choose the Gaussian or nearest neighbours.",
        )
    if scaled and params.get("alpha"):
        raise ParameterError(
            "α has no meaning where the kernel is doubly stochastic: all samples count equally.",
            "Set α to 0, or take normalisation=walk.",
        )
    loops = by_landmarks or _loops(params)
    return {**params, SELF_LOOPS.name: None if loops and not scaled else loops}


def as_in_the_papers(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters without the ingredients, so that kernels are taken as they are."""
    names = {param.name for param in INGREDIENTS}
    return {name: value for name, value in params.items() if name not in names}


def before_scaling(params: Mapping[str, Value]) -> dict[str, Value]:
    """The parameters at which kernels are those that are made doubly stochastic."""
    return {**params, SELF_LOOPS.name: _loops(params), NORMALISATION.name: WALK}
