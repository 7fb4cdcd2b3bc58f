"""The one extension point: a method is declared here once, and everything else follows from the declaration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import Param, Value
from mvexplorer.engine.pipeline.footprint import (
    PeakMemory,
    Size,
    features_only,
    goes_in_passes,
    kernels_and_products,
    matrices,
    passes,
)
from mvexplorer.engine.pipeline.landmark_form import LandmarkForm
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.walk import Walk
from mvexplorer.engine.spectral.eigenpairs import Decomposition
from mvexplorer.engine.spectral.reduced import Pencil

Solve = Callable[["Stages"], Decomposition]
Coordinates = Callable[[Decomposition, Mapping[str, Value]], tuple[Array, ...]]
Walking = Callable[["Stages"], Walk]
Extend = Callable[["Stages", Decomposition, Sequence[Array]], tuple[Array, ...]]


@dataclass(frozen=True)
class Method:
    """A method of multi-view dimensionality reduction, declared.

    `id` is stable. `formula` is one line of symbols, `latex` the same for the method card, a line each; where empty,
    `formula` is shown. `source` is the paper with its equations. `max_views` is None for any number.

    `solve` computes the decomposition from kernels that the stages provide; `coordinates` one array (M, r) per block,
    cheap: everything that does not need a new decomposition; `extend` right eigenvectors at new points, one array (n,
    k) per block. `per_view` tells that the blocks are the views' own embeddings of the samples.

    `requires` tells what it needs of a view: "kernels", the affinities of its samples by whatever kernel, or "features"
    themselves. `memory_class` tells what its memory grows with: tables of "features"; "products" with kernels, which
    need not be held as matrices; or "matrices" of all pairs; `footprint` the memory it holds where that does not say it
    well enough. `joint_kernel` tells that it makes one kernel from the distances in all views.

    `epsilon_if` is the (name, value) of the parameter without which the bandwidth has no effect. `keeps_units` tells
    that the coordinates are in the data's units; if not, and ε has no effect, views may be rescaled first.
    `warm_starts` tells that `solve` can start from the vectors of a former step while a slider moves, and stop early.
    `first_component` is 1 where the trivial vector is left out, 0 where there is none or it is kept. `keeps_trivial`
    tells that column 0 is kept although it is nearly constant: a panel opens on the columns after it. `has_unit_rows`
    tells that the rows of its coordinates have length 1 by definition; `signs_name_views` that coordinates of
    eigenvalues above 0 are kept by a step in the first view, those below by one in the second.

    `family` heads the methods of its kind where they are listed; empty for none of those there are. `assumes` and
    `cost` are one sentence each for the method card: when it can work, and what it costs; `remarks` are needed to trust
    or distrust the picture, `misleads` are the ways in which it deceives. `shows_given` tells that it computes nothing,
    and shows coordinates that came with the data. `short` is the method's name before the name of a view; empty for its
    title.

    `walk` is the random walk on the samples whose eigenvectors the method shows, where it is one; `landmark_form` that
    walk where all kernels are those of landmarks: then it is solved for any number of samples. `extends_by_any_view`
    tells that new samples may lack views: `extend` then gets NaN there. `pencil` is the
    symmetric pencil of which it shows the leading eigenvectors, where there is one, or None at settings without;
    `pencil_if` is the (name, value) of the parameter without which it never has one.
    `no_null` says why no shuffle of a view's rows tests what it shows, where none does.
    """

    id: str
    title: str
    formula: str
    summary: str
    source: str
    params: tuple[Param, ...]
    solve: Solve
    coordinates: Coordinates
    min_views: int = 1
    max_views: int | None = None
    extend: Extend | None = None
    per_view: bool = False
    requires: Literal["kernels", "features"] = "kernels"
    memory_class: Literal["features", "products", "matrices"] = "matrices"
    joint_kernel: bool = False
    footprint: Callable[[Size], PeakMemory] | None = None
    uses_epsilon: bool = True
    epsilon_if: tuple[str, Value] | None = None
    keeps_units: bool = False
    warm_starts: bool = False
    first_component: int = 1
    keeps_trivial: bool = False
    has_unit_rows: bool = False
    signs_name_views: bool = False
    family: str = ""
    assumes: str = ""
    cost: str = ""
    remarks: tuple[str, ...] = ()
    misleads: tuple[str, ...] = ()
    short: str = ""
    latex: tuple[str, ...] = ()
    shows_given: bool = False
    extends_by_any_view: bool = False
    no_null: str = ""
    walk: Walking | None = None
    pencil: Callable[[Stages], Pencil | None] | None = None
    pencil_if: tuple[str, Value] | None = None
    landmark_form: Callable[[Stages], LandmarkForm] | None = None

    @property
    def compares_one_view(self) -> bool:
        """True if it compares one of its views, which comes first, with the others."""
        return any(param.kind == "views" for param in self.params)

    def held(self, size: Size) -> PeakMemory:
        """The memory it holds for data of this size."""
        if self.goes_in_passes(size):
            return passes(size)
        usual = {"features": features_only, "products": kernels_and_products, "matrices": matrices}
        return (self.footprint or usual[self.memory_class])(size)

    def goes_in_passes(self, size: Size) -> bool:
        """True if data of this size is read in passes over blocks of rows."""
        return self.landmark_form is not None and goes_in_passes(size)

    def epsilon_matters(self, values: Mapping[str, Value]) -> bool:
        """True if the bandwidth has any effect at these parameter values."""
        return self.uses_epsilon and (self.epsilon_if is None or values.get(self.epsilon_if[0]) == self.epsilon_if[1])

    def has_pencil(self, values: Mapping[str, Value]) -> bool:
        """True if it may have a symmetric pencil at these parameter values."""
        return self.pencil is not None and (
            self.pencil_if is None or values.get(self.pencil_if[0]) == self.pencil_if[1]
        )

    def operator_params(self, values: Mapping[str, Value]) -> tuple[tuple[str, Value], ...]:
        """The values a decomposition depends on, as a key."""
        return tuple((p.name, values[p.name]) for p in self.params if p.affects == "operator")
