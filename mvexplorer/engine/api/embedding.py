"""From data to coordinates in one call, and the scikit-learn form of the same."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mvexplorer.engine.api.cost import check_memory
from mvexplorer.engine.api.subsample import (
    Data,
    check_subsample,
    extend_to_all,
    extension,
    subsample_of,
    subsample_rows,
)
from mvexplorer.engine.bandwidth.table import Bandwidth, bandwidth_rules, parse_epsilon, rule_value, with_rule_params
from mvexplorer.engine.core.multiview import MIN_SAMPLES, Array, MultiView
from mvexplorer.engine.core.params import Value, check_params
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.affinities import GAUSSIAN, Kernel, parse_kernels
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.magnitudes import in_range, tell_flat_views
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.solve import decompose
from mvexplorer.engine.pipeline.stages import Memo, Stages, compute_always, remember_once
from mvexplorer.engine.spectral.diagnostics import vanished
from mvexplorer.engine.spectral.eigenpairs import Decomposition
from mvexplorer.engine.spectral.warm_start import PreviousSolution, position_of, start_at
from mvexplorer.errors import ParameterError


@dataclass(frozen=True, eq=False)
class Embedding:
    """What a method made of the data.

    Parameters
    ----------
    coordinates : array (M, r)
        For methods with per-view coordinates their concatenation (M, L·r), view by view.
    view_coordinates : tuple of arrays (M, r)
        One per view; empty where the method has none.
    eigenvalues : array (k,)
        The computed ones, the trivial 1 first where the method has one.
    views : tuple of str
        Names of the views used.
    epsilon : tuple of float
        The bandwidth used, one per view, in squared data units.
    warnings : tuple of (code, text)
        Doubts about this result.
    method, params : str, mapping
        What was asked for, defaults filled in.
    info : mapping
        Named numbers about the result.
    decomposition : Decomposition
        What the coordinates were made from; a next step may start from it.
    """

    coordinates: Array
    view_coordinates: tuple[Array, ...]
    eigenvalues: Array
    views: tuple[str, ...]
    epsilon: tuple[float, ...]
    warnings: tuple[tuple[str, str], ...]
    method: str
    params: Mapping[str, Value]
    info: Mapping[str, float] = field(default_factory=dict)
    decomposition: Decomposition | None = field(default=None, repr=False)
    _extend: Callable[[Data], Array] | None = field(default=None, repr=False)

    def transform(self, new_Xs: Data) -> Array:
        """Coordinates (n, r) or (n, L·r) of new samples.

        Parameters
        ----------
        new_Xs : list of arrays (n, D_l), mapping name -> array, or MultiView
            What `embed` took: all views of the data, of which those not used are ignored; or only those used, in
            their order.

        Raises
        ------
        ParameterError
            Where the method has no out-of-sample extension.
        DataError
            Where the new views do not match those of the embedding.
        ComputeError
            Where eigenvalues are too small to be divided by.
        """
        if self._extend is None:
            raise ParameterError(
                f"{get_method(self.method).title} cannot place new samples.", "Use single or multiview for that."
            )
        return self._extend(new_Xs)


def as_multiview(data: Data) -> MultiView:
    """`data` as a `MultiView`; a list of arrays or a mapping becomes one."""
    return data if isinstance(data, MultiView) else MultiView(data)


def choose_views(
    method: Method, data: MultiView, views: Sequence[str] | None, params: Mapping[str, Value], task: Task
) -> tuple[int, ...]:
    """Indices of the views `method` will use out of those offered; says so when it leaves some out."""
    offered = data.view_names if views is None else tuple(views)
    indices = tuple(data.view_index(name) for name in offered)
    wanted = next((params[p.name] for p in method.params if p.kind == "view"), None)
    if wanted is not None:
        return (data.view_index(str(wanted)),)
    if method.max_views is not None and len(indices) > method.max_views:
        used = indices[: method.max_views]
        names = " + ".join(data.view_names[i] for i in used)
        task.warn("views", f"{method.title} uses {names} of the {len(indices)} views.")
        return used
    return indices


def check_applicable(method: Method, names: Sequence[str], kernels: Sequence[Kernel]) -> ParameterError | None:
    """Why the method cannot run on these views with these kernels, and what to do; None where it can."""
    if len(names) < method.min_views:
        least = f"{method.min_views} view{'s' if method.min_views > 1 else ''}"
        return ParameterError(
            f"{method.title} needs at least {least} and has {len(names)}.",
            "Tick another view, or choose a method that takes fewer.",
        )
    used = list(zip(names, kernels, strict=True))[: method.max_views]
    affinities = [name for name, kernel in used if kernel.kind.id == "precomputed"]
    if method.requires == "features" and affinities:
        return ParameterError(
            f"{method.title} needs features, and view “{affinities[0]}” is a table of affinities.",
            "Leave that view out, or choose a method that works on kernels.",
        )
    return None


def prepare(
    data: MultiView,
    method: Method,
    views: Sequence[str] | None,
    epsilon: Any,
    params: Mapping[str, Any],
    task: Task,
    memo: Memo = compute_always,
    *,
    kernel: Any = GAUSSIAN,
    rule_params: Mapping[str, Any] | None = None,
    random_state: int = 0,
    start: Sequence[Embedding] = (),
    interactive: bool = False,
    subsample: int | None = None,
) -> Stages:
    """Checked stages for one method: parameters in range, views chosen, every ε a number."""
    values = check_params(method.params, params, method.title)
    if not (method.epsilon_matters(values) or method.keeps_units):
        data = in_range(data)
    limit = data.n_samples - 2 if method.first_component == 1 else data.n_samples - 1
    if subsample is None and int(values["n_components"] or 1) > limit:  # a part has a check of its own
        raise ParameterError(
            f"r = {values['n_components']} coordinates are too many for {data.n_samples} samples.",
            f"Ask for at most {limit}.",
        )
    used = choose_views(method, data, views, values, task)
    offered = tuple(range(data.n_views)) if views is None else tuple(data.view_index(name) for name in views)
    named = _named(kernel, range(data.n_views), used, offered)
    named_kernels = dict(zip(named, parse_kernels(kernel, [data.view_names[i] for i in named]), strict=True))
    refused = check_applicable(method, [data.view_names[i] for i in used], [named_kernels[i] for i in used])
    if refused is not None:
        raise refused
    if method.requires == "features":
        named_kernels = {
            i: k if method.joint_kernel and k.kind.approximates_gaussian else GAUSSIAN for i, k in named_kernels.items()
        }
    own_kernels = tuple(named_kernels[i] for i in used)
    r = int(values["n_components"] or 1)
    if subsample is not None:
        check_subsample(method, subsample, r, own_kernels)
    check_memory(method, data.n_samples, [data.Xs[i].shape[1] for i in used], own_kernels, values, task.memory)
    # Rules look at every view offered: Algorithm 1 compares pairs even where a method then uses one view.
    all_views = tuple(dict.fromkeys((*used, *offered)))
    everywhere = Stages(
        data, all_views, kernels=[named_kernels.get(i, GAUSSIAN) for i in all_views], task=task, memo=memo
    )
    named = _named(epsilon, used, used, offered)
    each = parse_epsilon(epsilon, [data.view_names[i] for i in named])
    if rule_params:
        each = with_rule_params(each, rule_params)
        _tell_unused(each, rule_params, task)
    bandwidths = dict(zip(named, each, strict=True))

    def number(i: int) -> float:
        # Where ε has no effect no rule is evaluated: it may cost more than the method.
        if bandwidths[i].rule is not None and not (
            method.epsilon_matters(values) and named_kernels[i].kind.uses_epsilon
        ):
            return float("nan")
        return bandwidths[i].value(everywhere, all_views.index(i))

    numbers = [number(i) for i in used]
    return Stages(
        _weighted(data, bandwidths, everywhere), used, numbers, values, kernels=own_kernels,
        random_state=random_state, task=task, memo=memo, interactive=interactive,
        start=start_at(position_of(numbers, method.params, values), [_step(e, method) for e in start]),
    )  # fmt: skip


def _step(former: Embedding, method: Method) -> PreviousSolution:
    position = position_of(former.epsilon, method.params, former.params)
    if former.decomposition is None or former.method != method.id:
        return PreviousSolution(position, ())
    found = former.decomposition
    return PreviousSolution(position, found.bases, float(np.abs(former.eigenvalues).min()), found.unsearched)


def _tell_unused(bandwidths: Sequence[Bandwidth], given: Mapping[str, Any], task: Task) -> None:
    """Say which parameters belong to rules that choose no ε here."""
    used = {p.name for rule in bandwidth_rules() if rule.id in {b.rule for b in bandwidths} for p in rule.params}
    unused = ", ".join(sorted(set(given) - used))
    if unused:
        task.warn("rule-params", f"No rule in use has a parameter called {unused}: it has no effect.")


def _weighted(data: MultiView, bandwidths: Mapping[int, Bandwidth], everywhere: Stages) -> MultiView:
    """The data with the feature weights of those rules that choose weights as well as an ε."""
    found = {
        i: b.weights(everywhere, everywhere.views.index(i)) for i, b in bandwidths.items() if i in everywhere.views
    }
    chosen = {i: weights for i, weights in found.items() if weights is not None}
    if not chosen:
        return data
    return data.replace(feature_weights=[chosen.get(i, given) for i, given in enumerate(data.feature_weights)])


def _named(given: Any, otherwise: Sequence[int], used: Sequence[int], offered: Sequence[int]) -> Sequence[int]:
    """The views that a sequence names: all those offered, or only those used; `otherwise` where it is none."""
    if isinstance(given, str | Mapping) or np.ndim(given) != 1:
        return otherwise
    return offered if len(given) == len(offered) and set(used) <= set(offered) else used


def embed(
    data: Data,
    method: str = "multiview",
    *,
    views: Sequence[str] | None = None,
    epsilon: Any = "max-min",
    kernel: Any = "gaussian",
    rule_params: Mapping[str, Any] | None = None,
    random_state: int = 0,
    task: Task | None = None,
    memo: Memo | None = None,
    start: Sequence[Embedding] = (),
    interactive: bool = False,
    subsample: int | None = None,
    **params: Any,
) -> Embedding:
    """Coordinates of the samples by one method.

    Parameters
    ----------
    data : MultiView, list of arrays (M, D_l), or mapping name -> array
    method : str
        A method's id, see `methods`.
    views : sequence of str, optional
        Names of the views to use, default all.
    epsilon : number, rule id, text, sequence or mapping
        The kernel bandwidth of each view, in squared data units; see `mvexplorer.engine.bandwidth.table`.
    kernel : text, sequence or mapping
        The kernel of each view: gaussian, laplacian, laplacian-l2, correlation, self-tuning, knn, landmarks or
        precomputed; see `mvexplorer.engine.kernels.affinities`.
    rule_params : mapping name -> value, optional
        Parameters of the rules by which ε is chosen, such as ``{"dimension": 2}`` for ``manifold``; each rule takes
        those it has. The same as ``epsilon="manifold(dimension=2)"``.
    random_state : int
        Seed of methods that draw random numbers.
    task, memo
        How to stop and report, and how to remember intermediate results (by default: until this call ends).
    start : sequence of Embedding
        Slightly different embeddings of the same samples by the same method, the latest last: the eigensolver then
        starts where they lead to, and gets to the same answer sooner.
    draft : bool
        Ask for an answer in single precision and good to the eye (.02 rad), while a slider moves.
    subsample : int, optional
        Solve on so many random samples, fixed by `random_state`, and place all others by the method's extension.
    **params
        The method's own parameters: n_components, t, delta, eta, ...

    Raises
    ------
    DataError, ParameterError, ComputeError
        Each with one sentence on what to do.
    """
    data, chosen, task, remember = as_multiview(data), get_method(method), task or Task(), memo or remember_once()
    known, rows = data, None
    if subsample is not None and subsample < data.n_samples:
        rows = subsample_rows(data.n_samples, max(subsample, MIN_SAMPLES), random_state)
        known = subsample_of(data, rows, remember, random_state)
    # Without a memo of the caller's, what rules and method share is computed once, and let go at the end.
    stages = prepare(
        known, chosen, views, epsilon, params, task, remember, kernel=kernel, rule_params=rule_params,
        random_state=random_state, interactive=interactive, subsample=None if rows is None else subsample,
        start=[e for e in start if e.info.get("random_part") == (None if rows is None else len(rows))],
    )  # fmt: skip
    solved = decomposition = decompose(chosen, stages)
    tell_flat_views(stages)
    if rows is not None:
        decomposition = extend_to_all(chosen, stages, solved, data, rows)
    blocks = chosen.coordinates(decomposition, stages.params)
    diagnostics = dict((*task.warnings, *decomposition.warnings, *vanished(blocks, stages.params.get("t"))))
    return Embedding(
        coordinates=np.hstack(blocks),
        view_coordinates=blocks if chosen.per_view else (),
        eigenvalues=decomposition.eigenvalues,
        views=tuple(data.view_names[i] for i in stages.views),
        epsilon=stages.epsilon,
        warnings=tuple(diagnostics.items()),
        method=method,
        params=stages.params,
        info=decomposition.info,
        decomposition=decomposition,
        _extend=extension(chosen, stages.with_memo(memo or compute_always), solved),
    )


def select_epsilon(
    data: Data,
    rule: str = "max-min",
    *,
    views: Sequence[str] | None = None,
    kernel: Any = "gaussian",
    rule_params: Mapping[str, Any] | None = None,
    task: Task | None = None,
    memo: Memo | None = None,
    **params: Any,
) -> tuple[float, ...]:
    """The bandwidth ε a rule chooses, one per view, in units of the squared distance the view's kernel is based on.

    Parameters
    ----------
    data : MultiView, list of arrays (M, D_l), or mapping name -> array
    rule : str
        A rule's id, see `bandwidth_rules`.
    views, kernel
        As `embed` takes them.
    rule_params : mapping name -> value, optional
        The rule's own parameters, such as ``{"dimension": 2}``; they may also be given as keywords.
    task, memo
        How to stop and report, and how to remember intermediate results.

    Warns
    -----
    UserWarning
        What must be known to use the numbers, unless a `task` is there to be told: above all where the rule weighs
        the features too, so that its ε belongs to the weighted view.
    """
    data = as_multiview(data)
    names = data.view_names if views is None else tuple(views)
    indices = [data.view_index(name) for name in names]
    kernels = parse_kernels(kernel, names)
    told = task or Task()
    stages = Stages(data, indices, kernels=kernels, task=told, memo=memo or remember_once())
    values = {**(rule_params or {}), **params}
    found = tuple(rule_value(stages, i, rule, values) for i in range(stages.n_views))
    if task is None:
        for _, text in told.warnings:
            warnings.warn(text, UserWarning, stacklevel=2)
    return found


class MultiViewEmbedding:
    """The same as `embed`, in scikit-learn's manner; `Xs` is a list of arrays (M, D_l).

    Parameters
    ----------
    method : str
        A method's id.
    **params
        Everything `embed` takes: n_components, epsilon, views, random_state, and the method's own.
    """

    def __init__(self, method: str = "multiview", **params: Any) -> None:
        self.method = method
        self.params = params

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's arguments."""
        return {"method": self.method, **self.params}

    def set_params(self, **params: Any) -> MultiViewEmbedding:
        """Change some of the constructor's arguments."""
        self.method = params.pop("method", self.method)
        self.params = {**self.params, **params}
        return self

    def fit(self, Xs: Data, y: object = None) -> MultiViewEmbedding:
        """Embed the samples; the result is `embedding_`, its coordinates (M, r) `coordinates_`."""
        self.embedding_ = embed(Xs, self.method, **self.params)
        self.coordinates_ = self.embedding_.coordinates
        return self

    def fit_transform(self, Xs: Data, y: object = None) -> Array:
        """Embed the samples and return their coordinates (M, r)."""
        return self.fit(Xs).coordinates_

    def transform(self, Xs: Data) -> Array:
        """Coordinates of new samples by the method's out-of-sample extension."""
        if not hasattr(self, "embedding_"):
            raise ParameterError("The embedding has not been fitted.", "Call fit first.")
        return self.embedding_.transform(Xs)
