"""One picture, made again with a single thing changed: a view's rows, the samples, noise, the views used, or ε."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.api.plan import Plan
from mvexplorer.engine.api.preparing import EmbedOptions, prepare, solved_on
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.rearranged import of_samples, shuffled
from mvexplorer.engine.pipeline.solve import decompose
from mvexplorer.engine.pipeline.stages import NO_FORMER_STEP, Stages, remember_once
from mvexplorer.engine.pipeline.unit_rows import coordinate_blocks
from mvexplorer.engine.pipeline.view_weights import of_some
from mvexplorer.engine.spectral.eigenpairs import Decomposition
from mvexplorer.engine.spectral.warm_start import WarmStart
from mvexplorer.errors import DataError, ParameterError

Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class RerunPicture:
    """A picture and its spectrum.

    `blocks` are coordinates (m, r): one array per view where each has its own, else a single one. `eigenvalues` (k,)
    are the leading ones, without a trivial 1.
    """

    blocks: tuple[Array, ...]
    eigenvalues: Array

    @classmethod
    def of(cls, embedding: Embedding) -> RerunPicture:
        """That of an embedding."""
        return cls(embedding.view_coordinates or (embedding.coordinates,), embedding.eigenvalues)

    @property
    def coordinates(self) -> Array:
        """All coordinates (m, r) side by side."""
        return np.hstack(self.blocks)

    def as_wide_as(self, other: RerunPicture) -> Array:
        """The coordinates (m, r) that another picture has: with δ there may be fewer, which are NaN, or more."""
        placed = []
        for block, like in zip(self.blocks, other.blocks, strict=True):
            wide = np.full((len(block), like.shape[1]), np.nan)
            count = min(like.shape[1], block.shape[1])
            wide[:, :count] = block[:, :count]
            placed.append(wide)
        return np.hstack(placed)


def check_used(method: Method, view: str, used: tuple[str, ...]) -> None:
    """Raise ParameterError where a method does not use a view."""
    if view not in used:
        names = ", ".join(used) or "none"
        raise ParameterError(f"{method.title} uses no view called “{view}” here.", f"It uses {names}.")


def check_left_out(method: Method, view: str, used: tuple[str, ...]) -> None:
    """Raise ParameterError where a view is the one that a method compares with the others."""
    if method.compares_one_view and view == used[0]:
        raise ParameterError(f"{method.title} of {view} has no picture without it.", "Leave out another view.")


class Rerun:
    """A picture, and the same again with one thing changed. Every ε is frozen as the number that the picture has.

    Where the plan asks for a random part of the samples, that part alone is looked at. What belongs to the real views
    is remembered by the memo: their distances and kernels are evaluated once.
    """

    def __init__(self, plan: Plan, data: MultiView, options: EmbedOptions) -> None:
        self.method = plan.method
        self.data, part = solved_on(plan, data, options)
        self.rows: Rows = np.arange(data.n_samples) if part is None else part
        """The samples looked at, as positions among all."""
        self.n_all = data.n_samples
        self.stages = prepare(plan, self.data, options)
        self._solved = decompose(self.method, self.stages)
        self.whole = self._answer(self._solved, self.stages)

    @property
    def views(self) -> tuple[str, ...]:
        """Names of the views used."""
        return tuple(self.stages.view_name(i) for i in range(self.stages.n_views))

    def whole_of_all(self) -> Array:
        """The picture's coordinates (M, r); NaN where a sample is not looked at."""
        coordinates = self.whole.coordinates
        placed = np.full((self.n_all, coordinates.shape[1]), np.nan)
        placed[self.rows] = coordinates
        return placed

    def check_shuffle(self, view: str) -> int:
        """The position of a view among those used; ParameterError where shuffling it says nothing."""
        check_used(self.method, view, self.views)
        i = self.views.index(view)
        X = self.stages.data.Xs[self.stages.views[i]]
        if self.stages.kernels[i].kind.metric != "none" and not np.any(X[1:] != X[:1]):
            raise DataError(
                f"All samples are the same in view “{view}”: shuffling it changes nothing.", "Choose another view."
            )
        return i

    def shuffled(self, i: int, order: Rows) -> RerunPicture:
        """The picture with the rows of view i in another order; nothing that is known of the view is computed anew."""
        return self._answer_of(self._from_here(shuffled(self.stages, i, order)))

    def part(self, rows: Rows) -> RerunPicture:
        """The picture of some samples."""
        start = WarmStart(tuple(self._basis_of(basis, rows) for basis in self._solved.bases))
        return self._answer_of(of_samples(self.stages, rows).starting_at(start))

    def _basis_of(self, basis: Array, rows: Rows) -> Array:
        """The rows of a basis of samples, or of samples in each view."""
        each = basis.reshape(-1, self.stages.n_samples, basis.shape[1])
        return each[:, rows].reshape(-1, basis.shape[1])

    def noisy(self, share: float, seed: int) -> RerunPicture:
        """The picture with noise on the views as they are preprocessed.

        Its standard deviation is a share of each view's: of the root mean square of its features'.
        """
        stages = self.stages
        if any(kernel.kind.metric == "none" for kernel in stages.kernels):
            raise ParameterError("A table of affinities has no features to add noise to.", "Resample instead.")
        rng, views = np.random.default_rng(seed), [stages.view(i) for i in range(stages.n_views)]
        spreads = [share * float(np.sqrt(X.var(axis=0).mean())) for X in views]
        Xs = [X + spread * rng.standard_normal(X.shape) for X, spread in zip(views, spreads, strict=True)]
        names = [stages.view_name(i) for i in range(stages.n_views)]
        data = MultiView(Xs, view_names=names, bursts=self._prepared_bursts())
        noisy_stages = stages.on(data, remember_once()).seeing(range(stages.n_views))
        return self._answer_of(self._from_here(noisy_stages))

    def _prepared_bursts(self) -> list[Array] | None:
        stages = self.stages
        if stages.data.bursts is None:
            return None
        bursts = [(i, stages.data.bursts[v]) for i, v in enumerate(stages.views)]
        return [stages.prepared(i, b.reshape(-1, b.shape[2])).reshape(*b.shape[:2], -1) for i, b in bursts]

    def without(self, i: int) -> RerunPicture:
        """The picture of the other views; where each view has coordinates of its own, those of view i are NaN."""
        others = [v for v in range(self.stages.n_views) if v != i]
        check_left_out(self.method, self.views[i], self.views)
        if len(others) < self.method.min_views or self.method.max_views == 1:
            raise ParameterError(
                f"{self.method.title} of {len(others) + 1} views cannot leave one out: it needs that many.",
                "Tick another view, or resample instead.",
            )
        fewer = self.stages.among(others).with_params(of_some(self.stages.params, others))
        answer = self._answer_of(fewer.starting_at(NO_FORMER_STEP))
        if len(self.whole.blocks) == 1:
            return answer
        blocks = list(answer.blocks)
        blocks.insert(i, np.full_like(self.whole.blocks[i], np.nan))
        return RerunPicture(tuple(blocks), answer.eigenvalues)

    def scaled(self, factor: float) -> RerunPicture:
        """The picture at so many times every ε; ParameterError where none has an effect."""
        if not self.method.epsilon_matters(self.stages.params) or not any(
            kernel.kind.uses_epsilon for kernel in self.stages.kernels
        ):
            raise ParameterError(f"{self.method.title} has no ε here.", "Resample, or add noise.")
        return self._answer_of(self._from_here(self.stages.scaled(factor)))

    def _from_here(self, stages: Stages) -> Stages:
        """The same computation, whose solver starts from the picture as it is."""
        return stages.starting_at(WarmStart(self._solved.bases))

    def _answer_of(self, stages: Stages) -> RerunPicture:
        stages.task.checkpoint()
        return self._answer(decompose(self.method, stages), stages)

    def _answer(self, decomposition: Decomposition, stages: Stages) -> RerunPicture:
        blocks = coordinate_blocks(self.method, decomposition, stages.params)
        return RerunPicture(blocks, decomposition.eigenvalues[self.method.first_component :])
