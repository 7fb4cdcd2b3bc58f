"""A walk's eigenvalues over a range of one parameter: where they cross, merge and leave gaps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.api.between import MOST_COMPONENTS, Between, Projection, can_be_prepared
from mvexplorer.engine.api.embedding import as_multiview, carry_out
from mvexplorer.engine.api.plan import NO_EFFECT, Plan
from mvexplorer.engine.api.preparing import EmbedOptions, solution_of
from mvexplorer.engine.api.recipes import plan_by
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.api.subsample import Data
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.methods.jointly_smooth import COMMON_BAND
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.stages import Memo, StageKey, remember_once
from mvexplorer.engine.spectral.warm_start import PreviousSolution
from mvexplorer.errors import ParameterError

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")

EPSILON_SCALE, ETA = "epsilon_scale", "eta"
USUAL_COMPONENTS = 12
SHARED = frozenset({
    "view", "treatment", "distances", "median", "magnitude", "neighbours", "neighbour-distance", "joint-neighbours",
    "landmark-distances", "graph", "part", "rule", "rule-weights", "row-sums", "low-row-sums", "manifold",
})  # fmt: skip
"""Stages that are the same at every ε."""


@dataclass(frozen=True, eq=False)
class SpectrumOver:
    """Eigenvalues of one method's walk over a parameter.

    `parameter` is the one that moves, ``epsilon_scale``, ``eta``, or ``epsilon:VIEW``; `values` (n,) ascend. `epsilon`
    (n, L) is the bandwidth of each view there, `eigenvalues` (n, k) descend, the trivial 1 first, NaN where they are
    unknown. `certified` (n,) tells where they are as good as exact. `views` are the names of the views used. `chance`
    (n,) is the largest eigenvalue that chance alone has, of a method that tells it.
    """

    method: str
    parameter: str
    values: Array
    epsilon: Array
    eigenvalues: Array
    certified: npt.NDArray[np.bool_]
    views: tuple[str, ...] = ()
    chance: Array | None = None

    @property
    def first(self) -> int:
        """The index of the first eigenvalue that is not trivial."""
        method = get_method(self.method)
        return method.first_component or int(method.keeps_trivial)

    @property
    def gaps(self) -> tuple[npt.NDArray[np.intp], Array]:
        """The index of the eigenvalue before the largest step at each place (n,), and that step (n,).

        Trivial eigenvalues are left out; where fewer than two are known, the steps are 0.
        """
        steps = np.nan_to_num(np.abs(np.diff(self.eigenvalues[:, self.first :], axis=1)))
        if not steps.shape[1]:
            return np.zeros(len(steps), dtype=np.intp), np.zeros(len(steps))
        return self.first + steps.argmax(axis=1), steps.max(axis=1)

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """All of it by columns: the parameter, ``epsilon:VIEW`` ..., ``lambda0`` ..., ``certified``, ``chance``."""
        return {
            self.parameter: self.values,
            **{f"epsilon:{view}": epsilon for view, epsilon in zip(self.views, self.epsilon.T, strict=False)},
            **{f"lambda{k}": values for k, values in enumerate(self.eigenvalues.T)},
            "certified": self.certified,
            **({} if self.chance is None else {"chance": self.chance}),
        }

    def to_frame(self) -> pl.DataFrame:
        """A polars table of these columns, a row for each value."""
        import polars as pl

        return pl.DataFrame(self.columns())


def spectrum(
    data: Data,
    method: str = "multiview",
    grid: npt.ArrayLike | None = None,
    parameter: str = EPSILON_SCALE,
    *,
    views: Sequence[str] | None = None,
    epsilon: Any = "robust",
    recipe: str | None = None,
    kernel: Any = None,
    metric: Any = None,
    rule_params: Mapping[str, Any] | None = None,
    random_state: int = 0,
    task: Task | None = None,
    memo: Memo | None = None,
    **params: Any,
) -> SpectrumOver:
    """The eigenvalues of a method over a range of one parameter.

    Methods that are one walk are solved at a few values, each a factor √2 in ε or .05 in η from the next, and read off
    small matrices in between. Others are solved at every value.

    Parameters
    ----------
    data : MultiView, list of arrays (M, D_l), or mapping name -> array
        Samples as rows; the views have the same samples in the same order.
    method : str
        A method's id, see `methods`.
    grid : array (n,), optional
        Values of the parameter, in any order: factors above 0 on the ε of all views, by default 200 from 1/8 to 8; or η
        from 0 to 1, by default in steps of .01.
    parameter : str
        What moves: ``epsilon_scale`` or ``eta``.
    views, epsilon, kernel, metric, recipe, rule_params, random_state
        As `embed` takes them.
    task, memo
        How to stop and report, and how to remember what is the same at all values (by default: until this call ends).
    **params
        The method's own parameters; 12 for n_components where it is not given.

    Returns
    -------
    SpectrumOver
        The values, ascending and each once, with the ε of each view, the eigenvalues, and whether they are certified:
        solved, or within .001 of that. Of jointly smooth functions also the largest γ of chance at each.

    Raises
    ------
    DataError, ParameterError, ComputeError
        As `embed` does, and for a parameter without effect on the method, or values out of its range.

    References
    ----------
    J. S. Hesthaven, G. Rozza, B. Stamm: *Certified reduced basis methods for parametrized partial differential
    equations*, Springer 2016.

    Examples
    --------
    >>> found = mvx.spectrum(mvx.load("helix-a"), "kernel-sum", np.geomspace(0.25, 4, 50), n_components=4)
    >>> found.eigenvalues.shape, bool(found.certified.all())
    ((50, 5), True)
    >>> found.to_frame().columns[:3]
    ['epsilon_scale', 'epsilon:view1', 'epsilon:view2']
    """
    data, chosen = as_multiview(data), get_method(method)
    values = _checked(grid, parameter)
    if parameter == ETA:
        _check_eta(chosen, params)
    if any(param.name == "n_components" for param in chosen.params):
        most = data.n_samples - 1 - chosen.first_component
        params.setdefault("n_components", max(1, min(USUAL_COMPONENTS, most)))
    planned = plan_by(recipe, chosen, data, views, kernel, epsilon, params, None, rule_params, metric)
    if parameter == EPSILON_SCALE and all(bandwidth == NO_EFFECT for bandwidth in planned.epsilon[: planned.n_used]):
        raise ParameterError(
            f"The bandwidth ε has no effect on {chosen.title} here.", "Choose another method or kernel."
        )
    options = EmbedOptions(task or Task(), memo or remember_once(), random_state)
    return Course(planned, data, parameter, options).over(values)


def _checked(grid: npt.ArrayLike | None, parameter: str) -> Array:
    """The values of the parameter, ascending, each once."""
    if parameter not in (EPSILON_SCALE, ETA):
        raise ParameterError(f"There is no spectrum over “{parameter}”.", f"Choose {EPSILON_SCALE} or {ETA}.")
    if grid is None:
        return np.geomspace(1 / 8, 8.0, 200) if parameter == EPSILON_SCALE else np.linspace(0.0, 1.0, 101)
    allowed = "numbers above 0" if parameter == EPSILON_SCALE else "numbers from 0 to 1"
    try:
        values = np.asarray(grid, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError("The grid of a spectrum holds more than numbers.", f"Give {allowed}.") from None
    if values.ndim != 1 or not len(values):
        raise ParameterError("The grid of a spectrum is not a list of numbers.", f"Give {allowed}.")
    inside = (values > 0.0) & (values < np.inf) if parameter == EPSILON_SCALE else (values >= 0.0) & (values <= 1.0)
    if not inside.all():
        title = "A factor on all ε" if parameter == EPSILON_SCALE else "η"
        raise ParameterError(f"{title} cannot be {values[~inside][0]:g}.", f"Give {allowed}.")
    return np.unique(values)


def _check_eta(method: Method, params: Mapping[str, Any]) -> None:
    if not any(param.name == ETA for param in method.params):
        hint = f"Choose multiview, or the parameter {EPSILON_SCALE}."
        raise ParameterError(f"{method.title} has no parameter η.", hint)
    if ETA in params:
        raise ParameterError("A spectrum over η has no single η.", "Leave eta out, and give its values as the grid.")


class Course:
    """A method's answers along one parameter, each exact one started from those before it."""

    def __init__(self, planned: Plan, data: MultiView, parameter: str, options: EmbedOptions) -> None:
        self._plan, self._data, self._parameter, self._options = planned, data, parameter, options
        self._task = options.task.beside()
        """Of the single steps, whose progress and doubts are not those of the whole."""
        self.anchors: dict[float, PreviousSolution] = {}
        """The exact answers of which others start, the latest last."""
        self._found: dict[float, tuple[Array, Array, bool]] = {}
        """At each value the ε of each view, the eigenvalues, and whether they are certified."""
        self._chance: dict[float, float] = {}
        """At each value that was solved the largest eigenvalue of chance, where the method tells it."""

    def over(self, values: Array) -> SpectrumOver:
        """The answers at ascending values."""
        intervals = self._intervals(values)
        total = len({*values.tolist(), *chain.from_iterable(intervals)})
        for low, high in intervals:
            self._read(low, high, values[(low < values) & (values < high)])
            self._forget_former()
            self._options.task.progress(len(self._found) / total)
        for value in values.tolist():
            self.solve(value)
            self._forget_former()
            self._options.task.progress(len(self._found) / total)
        epsilon, eigenvalues, certified = zip(*(self._found[value] for value in values.tolist()), strict=True)
        count = min(map(len, eigenvalues))  # where the views decouple, at η = 1, each has its own
        return SpectrumOver(
            self._plan.method.id,
            self._parameter,
            values,
            np.array(epsilon),
            np.array([each[:count] for each in eigenvalues]),
            np.array(certified),
            self._plan.views,
            np.array([self._chance.get(value, np.nan) for value in values.tolist()]) if self._chance else None,
        )

    def _intervals(self, values: Array) -> list[tuple[float, float]]:
        """The ends of those intervals in which values are read; none where it is as quick to solve at each value."""
        count = cast("int", self._plan.params["n_components"])
        if not can_be_prepared(self._plan) or count > MOST_COMPONENTS:
            return []
        if self._parameter == ETA:
            parts, inside = 20, 0.002  # at η = 0 and 1 the operator is another one
            anchors = np.linspace(0.0, 1.0, parts + 1).clip(inside, 1.0 - inside)
        else:
            half_octaves = int(np.ceil(2.0 * np.diff(np.log2(values[[0, -1]]))[0]))
            anchors = np.geomspace(values[0], values[-1], half_octaves + 1)
        pairs = pairwise(anchors.tolist())
        around = [(low, high) for low, high in pairs if ((low < values) & (values < high)).any()]
        return around if 2 * len(around) < len(values) else []

    def _at(self, value: float) -> Plan:
        """The plan there; an ε without effect is not shown."""
        epsilon, params = self._plan.epsilon, self._plan.params
        if self._parameter == ETA:
            params = {**params, ETA: value}
        else:
            epsilon = tuple(replace(bandwidth, factor=bandwidth.factor * value) for bandwidth in epsilon)
        return replace(self._plan, epsilon=epsilon, params=params, asked=epsilon[: self._plan.n_used])

    def solve(self, value: float) -> Embedding | None:
        """Find the exact answer, and return it; None where it was found before, of which only the anchor is kept."""
        if value in self._found:
            return None
        start = tuple(self.anchors.values())[-2:] if self._plan.method.warm_starts else ()
        options = replace(self._options, task=self._task, memo=self._passing(), start=start)
        answer = carry_out(self._at(value), self._data, options)
        if not len(answer.eigenvalues):
            raise ParameterError(f"{self._plan.method.title} has no eigenvalues.", "Choose another method.")
        self._found[value] = np.array(answer.epsilon), np.real(answer.eigenvalues), True
        if COMMON_BAND in answer.info:
            self._chance[value] = answer.info[COMMON_BAND]
        self.anchors[value] = solution_of(answer).thinned()
        return answer

    def _forget_former(self) -> None:
        """Free the anchors that nothing starts from any more."""
        self.anchors = dict([*self.anchors.items()][-2:])

    def _read(self, low: float, high: float, values: Array) -> None:
        """Find the answers between two anchors where they can be had without solving."""
        self.solve(low)
        self.solve(high)
        between = self.between(low, high)
        if between is None or between.interval.count < cast("int", self._plan.params["n_components"]):
            return
        ends = np.array([low, high, *values])
        ways = ends if self._parameter == ETA else np.log(ends)
        try:
            epsilon, eigenvalues, certified = eigenvalues_between(between, (ways[2:] - ways[0]) / (ways[1] - ways[0]))
        except np.linalg.LinAlgError:  # no positive definite matrix comes of so few places
            return
        for value, *found in zip(values.tolist(), epsilon, eigenvalues, strict=True):
            self._found[value] = *found, certified

    def between(self, low: float, high: float) -> Between | None:
        """Project all that lies between two values that were solved; None where there is no symmetric pencil."""
        anchors = self.anchors[low], self.anchors[high]
        if not all(anchor.bases for anchor in anchors):
            return None
        preparation = Projection(self._at(low), self._at(high), self._data, anchors)
        options = replace(self._options, task=self._task, interactive=True)
        while (fraction := preparation.next_fraction) is not None:
            preparation.compute(fraction, replace(options, memo=self._passing()))
        return preparation.result()

    def _passing(self) -> Memo:
        """A memo for one value: it keeps only what all values share, as the kernels of each ε are many."""
        shared, here = SHARED | {"kernel"} if self._parameter == ETA else SHARED, remember_once()

        def remember(key: StageKey, compute: Callable[[], T]) -> T:
            return self._options.memo(key, compute) if key.stage in shared else here(key, compute)

        return remember


def eigenvalues_between(between: Between, fractions: Array) -> tuple[Array, Array, bool]:
    """At fractions 0..1 of the way: the ε (n, L), the eigenvalues (n, k), and if these are certified."""
    epsilon = np.array([between.bandwidths(fraction) for fraction in fractions])
    values = np.array([between.interval.values(fraction, between.interval.count) for fraction in fractions])
    return epsilon, values, between.interval.values_certified(between.interval.count)
