"""The parts that the stages of one computation share: data, settings, and the memo that remembers their results.

The stages are view -> distances -> kernel -> decomposition, each remembered under what it depends on. They know nothing
of threads or caches: `memo` is whatever the caller wants to happen between "I need this" and "compute it". A cache
makes a slider move cost one kernel instead of everything.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import copy
from threading import Lock
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.maps import check_unchanged, is_map, row_blocks, whole
from mvexplorer.engine.core.multiview import Array, MultiView, Precision
from mvexplorer.engine.core.params import Value
from mvexplorer.engine.core.preprocessing import Treatment, learn_by_blocks, learn_treatment
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.affinities import GAUSSIAN, Kernel, check_epsilon
from mvexplorer.engine.kernels.distances import MANY_SAMPLES
from mvexplorer.engine.kernels.metrics import EUCLIDEAN, measured
from mvexplorer.engine.kernels.sampling import random_rows
from mvexplorer.engine.pipeline.ingredients import KernelForm, as_in_the_papers, before_scaling, form_of
from mvexplorer.engine.spectral.eigenpairs import Decomposition
from mvexplorer.engine.spectral.warm_start import WarmStart

T = TypeVar("T")

NO_FORMER_STEP = WarmStart()


class StageKey(NamedTuple):
    """The key under which a memo remembers the result of one stage: all that it depends on.

    A named tuple, because tuples are built, compared and hashed at the speed of C, many times in every slider step.
    `stage` is "view", "distances", "kernel", "decomposition" ...; `subject` the view it was computed from, or all of
    them, by keys that change exactly when the data does; `settings` everything else: kernels, ε, parameters, seeds.
    """

    stage: str
    subject: Hashable
    precision: Precision = "float64"
    settings: tuple[Hashable, ...] = ()

    @property
    def family(self) -> tuple[str, Hashable, Precision]:
        """The part that the same stage's results at other settings have in common: at other ε above all."""
        return self.stage, self.subject, self.precision


class Memo(Protocol):
    """Returns the value stored under `key`, or computes (and maybe stores) it."""

    def __call__(self, key: StageKey, compute: Callable[[], T]) -> T: ...


def compute_always(key: StageKey, compute: Callable[[], T]) -> T:
    """The memo that remembers nothing."""
    return compute()


def remember_once() -> Memo:
    """A memo that remembers everything, for the life of one call; a second thread waits for what a first computes."""
    results: dict[StageKey, Any] = {}
    guards: dict[StageKey, Lock] = {}

    def remember(key: StageKey, compute: Callable[[], T]) -> T:
        if key not in results:
            with guards.setdefault(key, Lock()):
                if key not in results:
                    results[key] = compute()
        value: T = results[key]
        return value

    return remember


JOINT_EPSILON = "joint_epsilon"
"""The parameter that gives all views together one ε, in place of their own."""


class Stages:
    """The data, settings and memo of one computation on some views.

    `views` are positions among those of the data; everywhere else a position (`i`) counts the views used. `epsilon` is
    in squared units of each view used; empty where nothing asks for kernels. `params` are checked, with defaults filled
    in. `random_state` is the seed of landmarks, and of methods that draw random numbers. `task` stops the computation,
    receives its progress and warnings, and lends it threads. `interactive` tells that a slider is moving, so that an
    answer without visible error suffices. `precision` is that in which distances and kernels are held: single takes
    half the time, and is enough while a slider moves.
    """

    def __init__(
        self,
        data: MultiView,
        views: Sequence[int],
        epsilon: Sequence[float] = (),
        params: Mapping[str, Value] | None = None,
        *,
        kernels: Sequence[Kernel] = (),
        random_state: int = 0,
        task: Task | None = None,
        memo: Memo = compute_always,
        start: WarmStart = NO_FORMER_STEP,
        interactive: bool = False,
        precision: Precision = "float64",
    ) -> None:
        self.data = data
        self.views = tuple(views)
        check_unchanged(data.Xs[i] for i in self.views)
        self.epsilon = tuple(epsilon)
        self.kernels = tuple(kernels) or (GAUSSIAN,) * len(self.views)
        self.random_state = random_state
        self.params = dict(params or {})
        self.task = task or Task()
        self.memo = memo
        self.start = start
        self.interactive = interactive
        self.precision: Precision = precision
        self.placed: tuple[MultiView, int] | None = None
        """The data of which samples are placed, and the first of them, where that is repeated at every step."""
        self.twins: npt.NDArray[np.intp] | None = None
        """For each sample that is placed the known one that it is, -1 for none; None where that does not matter."""
        self.apart: int | None = None
        """The view whose rows were shuffled: a joint kernel is made of its factors, which are known."""

    @property
    def n_samples(self) -> int:
        """Number M of samples."""
        return self.data.n_samples

    @property
    def n_views(self) -> int:
        """Number L of views used."""
        return len(self.views)

    @property
    def n_vectors(self) -> int:
        """Number of eigenvectors to compute: r and the trivial one."""
        return int(self.params["n_components"] or 1) + 1

    @property
    def rounds_kernels(self) -> bool:
        """True if kernels are those of double precision, rounded: where both are needed, that is the quicker way."""
        return self.precision == "float32" and not self.interactive

    @property
    def form(self) -> KernelForm:
        """The form in which kernels are taken."""
        return form_of(self.params, rough=self.interactive)

    def plain(self) -> Stages:
        """The same computation, whose kernels are taken as they are."""
        return self if self.form.plain else self.with_params(as_in_the_papers(self.params))

    def unscaled(self) -> Stages:
        """The same computation, whose kernels are those that a doubly stochastic one is made of."""
        return self.with_params(before_scaling(self.params))

    def forgetting(self, stage: str) -> Stages:
        """The same computation, which remembers no result of this stage: it is changed in place, or used only once."""

        def memo(key: StageKey, compute: Callable[[], T]) -> T:
            return compute() if key.stage == stage else self.memo(key, compute)

        return self.with_memo(memo)

    def with_task(self, task: Task) -> Stages:
        """The same computation, reporting to another task."""
        return self._with(task=task)

    def on(self, data: MultiView, memo: Memo, apart: int | None = None) -> Stages:
        """The same computation on other data with these views; that view's rows may be in an order of their own."""
        return self._with(data=data, memo=memo, apart=apart)

    def among(self, views: Sequence[int]) -> Stages:
        """The same computation on some of the views used, by their positions among these."""
        each = {name: tuple(getattr(self, name)[i] for i in views) for name in ("views", "epsilon", "kernels")}
        return self._with(**each, apart=None)

    def with_memo(self, memo: Memo) -> Stages:
        """The same computation, remembering elsewhere."""
        return self._with(memo=memo)

    def in_float64(self) -> Stages:
        """The same computation, in double precision."""
        return self._with(precision="float64")

    def in_float32(self) -> Stages:
        """The same computation, in single precision."""
        return self._with(precision="float32")

    def placing(self, data: MultiView, first: int) -> Stages:
        """The same computation, about to place the same samples of `data`, from `first` on, as at former steps."""
        return self._with(placed=(data, first))

    def with_twins(self, twins: npt.NDArray[np.intp]) -> Stages:
        """The same computation, about to place samples of which these (n,) are known."""
        return self._with(twins=twins)

    def starting_from(self, solution: Decomposition) -> Stages:
        """The same computation, started from its answer in single precision."""
        return self.starting_at(WarmStart(solution.bases, searched=True))

    def with_params(self, params: Mapping[str, Value]) -> Stages:
        """The same computation by a method with these parameters."""
        return self._with(params=dict(params))

    def scaled(self, factor: float) -> Stages:
        """The same computation, every ε of which is so many times as large."""
        params = scaled_params(self.params, factor)
        return self._with(epsilon=tuple(factor * epsilon for epsilon in self.epsilon), params=dict(params))

    def at(self, epsilon: Sequence[float]) -> Stages:
        """The same computation at these numbers."""
        return self._with(epsilon=tuple(epsilon))

    def starting_at(self, start: WarmStart) -> Stages:
        """The same computation, whose eigensolvers start there."""
        return self._with(start=start)

    def seeing(self, views: Sequence[int]) -> Stages:
        """The same computation, whose views have these positions among those of the data."""
        return self._with(views=tuple(views))

    def _with(self, **changes: object) -> Stages:
        changed = copy(self)
        vars(changed).update(changes)
        return changed

    # The data --------------------------------------------------------------------------------------------------------

    def view_name(self, i: int) -> str:
        """Name of view i."""
        return self.data.view_names[self.views[i]]

    def view(self, i: int) -> Array:
        """View i, preprocessed, (M, D_i)."""
        return self.memo(StageKey("view", self.view_key(i)), lambda: self.prepared(i, self._raw(i)))

    def rows(self, i: int, some: slice | npt.NDArray[np.intp]) -> Array:
        """Some rows of view i, preprocessed; of one that stays in its file no others are read."""
        raw = self.data.Xs[self.views[i]]
        return self.prepared(i, raw[some]) if is_map(raw) else self.view(i)[some]

    def prepared(self, i: int, new: Array) -> Array:
        """Raw samples (n, D_i) of view i, preprocessed and weighted as the known ones."""
        index = self.views[i]
        weights = self.data.feature_weights[index]
        X = self.treatment(i).apply(np.asarray(new, dtype=np.float64))
        return X if weights is None else X * weights

    def points(self, i: int) -> Array:
        """View i as its metric sees it, (M, D_i): what its kernel and the rules take distances of."""
        metric = self.kernels[i].metric
        if metric == EUCLIDEAN:
            return self.view(i)
        key = StageKey("points", self.view_key(i), settings=(metric,))
        return self.memo(key, lambda: measured(self.view(i), metric, self.view_name(i), self.data.sample_ids))

    def point_rows(self, i: int, some: slice | npt.NDArray[np.intp]) -> Array:
        """Some rows of view i as its metric sees them; of one that stays in its file no others are read."""
        metric = self.kernels[i].metric
        if metric == EUCLIDEAN or not is_map(self.data.Xs[self.views[i]]):
            return self.rows(i, some) if metric == EUCLIDEAN else self.points(i)[some]
        ids = self.data.sample_ids[some] if isinstance(some, slice) else [self.data.sample_ids[j] for j in some]
        return measured(self.rows(i, some), metric, self.view_name(i), ids)

    def points_of(self, i: int, new: Array) -> Array:
        """Raw samples (n, D_i) of view i, prepared as the known ones, and as its metric sees them."""
        return measured(self.prepared(i, new), self.kernels[i].metric, self.view_name(i))

    def check_directions(self, i: int) -> None:
        """Refuse a view some of whose samples its metric cannot compare; one in a file is read once for this."""
        metric, raw = self.kernels[i].metric, self.data.Xs[self.views[i]]
        if metric == EUCLIDEAN:
            return
        if not is_map(raw):
            self.points(i)
            return

        def read() -> bool:
            for rows in row_blocks(raw):
                self.task.checkpoint()
                self.point_rows(i, rows)
            return True

        self.memo(StageKey("directions", self.view_key(i), settings=(metric,)), read)

    def treatment(self, i: int) -> Treatment:
        """The preprocessing of view i, whose constants are learnt once."""
        how, raw = self.data.preprocess[self.views[i]], self.data.Xs[self.views[i]]
        if how in ("none", "log1p"):
            return learn_treatment(how, raw)
        learn = learn_by_blocks if is_map(raw) else learn_treatment
        return self.memo(StageKey("treatment", self.view_key(i)), lambda: learn(how, raw))

    def _raw(self, i: int) -> Array:
        """View i as given, (M, D_i), in memory."""
        return whole(self.data.Xs[self.views[i]], self.view_name(i), self.task.memory)

    def subsample(self) -> Stages:
        """The same computation; with many samples, on a random part that suffices to choose an ε.

        Its views are preprocessed and weighted by all samples.
        """
        if self.n_samples <= MANY_SAMPLES:
            return self
        text = f"Bandwidth rules look at a random part of {MANY_SAMPLES:,} of the {self.n_samples:,} samples."
        self.task.warn("part", text)
        keys = tuple(self.distance_key(i) for i in range(self.n_views))
        data = self.memo(StageKey("part", keys, settings=(_label_key(self.data),)), self._subsampled_data)
        return self._with(data=data, views=tuple(range(self.n_views)))

    def _subsampled_data(self) -> MultiView:
        rows = random_rows(self.n_samples, MANY_SAMPLES, 0)
        for i in range(self.n_views):
            self.check_directions(i)

        def of_view(i: int) -> Array:
            return self.view(i)[np.ix_(rows, rows)] if self.kernels[i].kind.metric == "none" else self.rows(i, rows)

        names = [self.view_name(i) for i in range(self.n_views)]
        labels = None if self.data.labels is None else self.data.labels[rows]
        return MultiView([of_view(i) for i in range(self.n_views)], view_names=names, labels=labels)

    # Keys, and what is remembered under them -------------------------------------------------------------------------

    def view_key(self, i: int) -> str:
        """Short text that changes exactly when view i does."""
        return self.data.view_key(self.views[i])

    def distance_key(self, i: int) -> tuple[str, str]:
        """The settings that the distances within view i depend on."""
        of_kernel, metric = self.kernels[i].kind.metric, self.kernels[i].metric
        return self.view_key(i), of_kernel if metric == EUCLIDEAN else f"{of_kernel}@{metric}"

    def view_keys(self) -> tuple[str, ...]:
        """The keys of all views used."""
        return tuple(self.view_key(i) for i in range(self.n_views))

    def kernel_settings(self) -> tuple[Hashable, ...]:
        """The kernels of all views, those ε that have an effect, and the form in which kernels are taken."""
        used = tuple(e if k.kind.uses_epsilon else None for e, k in zip(self.epsilon, self.kernels, strict=False))
        return self.kernels, used, *self.form.key

    def alike(self, stage: str, subject: Hashable) -> tuple[Any, ...]:
        """The results of this stage that the memo keeps at other settings; none where it cannot tell."""
        look: Callable[[StageKey], tuple[Any, ...]] | None = getattr(self.memo, "alike", None)
        return () if look is None else look(StageKey(stage, subject, self.precision))

    def of_kernel(self, i: int, stage: str, *settings: Hashable, compute: Callable[[], T]) -> T:
        """Something made from the kernel of view i, remembered."""
        kernel = self.kernels[i]
        epsilon = check_epsilon(self.epsilon[i], self.view_name(i)) if kernel.kind.uses_epsilon else None
        seed = self.random_state if kernel.landmarks else None
        about = kernel, epsilon, seed, *self.form.key, *settings
        return self.memo(StageKey(stage, self.view_key(i), self.precision, about), compute)

    def fused(self, stage: str, *settings: Hashable, compute: Callable[[], T]) -> T:
        """A matrix built from all the views and all their ε, remembered."""
        return self.memo(
            StageKey(stage, self.view_keys(), self.precision, (*self.kernel_settings(), *settings)), compute
        )


def _label_key(data: MultiView) -> Hashable:
    labels = data.labels
    if labels is None:
        return None
    return hash(labels.tobytes() if labels.dtype.kind != "O" else tuple(map(str, labels)))


def nbytes(value: Any) -> int:
    """Memory a stage's result holds, in bytes."""
    if isinstance(value, tuple):
        return sum(nbytes(part) for part in value)
    size = getattr(value, "nbytes", None)
    if isinstance(size, int):
        return size
    sparse = [getattr(value, part, None) for part in ("data", "indices", "indptr")]
    return sum(int(part.nbytes) for part in sparse if isinstance(part, np.ndarray)) or 64


def scaled_params(params: Mapping[str, Value], factor: float) -> Mapping[str, Value]:
    """A method's parameters where every ε is so many times as large: one for all views together, where it is given."""
    joint = params.get(JOINT_EPSILON)
    return params if joint is None else {**params, JOINT_EPSILON: factor * float(joint)}
