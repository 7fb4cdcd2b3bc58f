"""From data to coordinates, or to bandwidths, in one call."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from mvexplorer.engine.api.notebook import notebook_progress
from mvexplorer.engine.api.plan import Plan, drafted_on_part
from mvexplorer.engine.api.preparing import EmbedOptions, prepare, solved_on
from mvexplorer.engine.api.recipes import plan_by
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.api.subsample import Data, Known, extend_to_all, joined_blocks
from mvexplorer.engine.bandwidth.regimes import tell_alarms
from mvexplorer.engine.bandwidth.table import rule_value
from mvexplorer.engine.core.maps import new_table, row_blocks
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.notices import notices_of
from mvexplorer.engine.core.params import Value
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.affinities import kernels_of
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.magnitudes import tell_flat_views
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.solve import decompose
from mvexplorer.engine.pipeline.stages import Memo, Stages, remember_once
from mvexplorer.engine.pipeline.unit_rows import coordinate_blocks, longest_rows, tell_no_direction
from mvexplorer.engine.spectral.diagnostics import vanished
from mvexplorer.engine.spectral.eigenpairs import Decomposition
from mvexplorer.engine.spectral.warm_start import PreviousSolution
from mvexplorer.errors import ComputeError, ParameterError


def as_multiview(data: Data) -> MultiView:
    """Return data in any form that `embed` takes as a `MultiView`."""
    return data if isinstance(data, MultiView) else MultiView(data)


def embed(
    data: Data,
    method: str = "multiview",
    *,
    views: Sequence[str] | None = None,
    epsilon: Any = "robust",
    kernel: Any = None,
    metric: Any = None,
    recipe: str | None = None,
    rule_params: Mapping[str, Any] | None = None,
    random_state: int = 0,
    task: Task | None = None,
    memo: Memo | None = None,
    start: Sequence[Embedding | PreviousSolution] = (),
    interactive: bool = False,
    subsample: int | None = None,
    **params: Any,
) -> Embedding:
    """Coordinates of the samples by one method.

    Parameters
    ----------
    data : MultiView, list of arrays (M, D_l), or mapping name -> array
        Samples as rows; the views have the same samples in the same order.
    method : str
        A method's id, see `methods`.
    views : sequence of str, optional
        Names of the views to use, default all.
    epsilon : number, rule id, text, sequence or mapping
        The kernel bandwidth of each view, in squared data units; see `mvexplorer.engine.bandwidth.table`.
    kernel : text, sequence or mapping, optional
        The kernel of each view: gaussian (the default), laplacian, laplacian-l2, correlation, self-tuning, knn,
        landmarks or precomputed; see `mvexplorer.engine.kernels.affinities`.
    metric : text, sequence or mapping, optional
        The metric of each view, on which its kernel and the rules take distances: euclidean (the default);
        correlation, of samples centred over their features and scaled to length 1; or cosine, of samples scaled only.
        With these two ``d² = 2 - 2 cos`` is from 0 to 4, the unit of ε (the kernel laplacian has city-block distances
        there, too).
    recipe : str, optional
        The id of a recipe, see `recipes`: a name for values of kernel, metric and of the method's self_loops,
        normalisation, unit_rows and t. What is given beside it is taken in its place; views that cannot have its metric
        stay as they are, as a warning says.
    rule_params : mapping name -> value, optional
        Parameters of the rules by which ε is chosen, such as ``{"dimension": 2}`` for ``manifold``; each rule takes
        those it has. The same as ``epsilon="manifold(dimension=2)"``.
    random_state : int
        Seed of methods that draw random numbers.
    task, memo
        How to stop and report (by default a notebook shows a bar, by tqdm where that is installed), and how to remember
        intermediate results (by default: until this call ends).
    start : sequence of Embedding
        Slightly different embeddings of the same samples by the same method, the latest last: the eigensolver then
        starts from their extrapolation, and reaches the same answer sooner.
    interactive : bool
        Compute in single precision and to .02 rad, an error not visible, while a slider moves. In steps of a drag over
        3,000 samples or more a fixed random part of up to 1,000 is solved, and the others are placed by the method's
        extension; so are first pictures of more than 5,000.
    subsample : int, optional
        Solve on this many random samples, drawn by `random_state`, and place all others by the method's extension.
    **params
        The method's own parameters: n_components, t, delta, eta, ...; methods with several views have view_weights: how
        much each counts, as a sequence or a mapping of names to numbers above 0, of which only the ratios matter; where
        kernels or graphs are added up also "equal-volume", which divides each view by the sum of its affinities.

    Returns
    -------
    Embedding
        Coordinates, eigenvalues, the ε used, and warnings about them.

    Raises
    ------
    DataError, ParameterError, ComputeError
        Each with one sentence on what to do. The first two are ValueErrors, too.

    References
    ----------
    Each method names the paper and the equations it computes: ``methods()[method].source``.

    Examples
    --------
    >>> data = mvx.load("helix-a")
    >>> embedding = mvx.embed(data, "multiview", epsilon="max-min", n_components=2, eta=0.1)
    >>> embedding.coordinates.shape, embedding.views
    ((600, 4), ('view1', 'view2'))
    >>> bool(np.allclose(embedding.transform([X[:3] for X in data.Xs]), embedding.coordinates[:3]))
    True
    """
    data = as_multiview(data)
    planned = plan_by(recipe, get_method(method), data, views, kernel, epsilon, params, subsample, rule_params, metric)
    # Without a memo of the caller's, results that rules and method share are computed once, and freed at the end.
    with nullcontext() if task is not None else notebook_progress(planned.method.title) as bar:
        used = task or Task(bar, say=_warn)
        return carry_out(planned, data, EmbedOptions(used, memo or remember_once(), random_state, start, interactive))


def _warn(sentence: str) -> None:
    """Tell a caller who has no task what is about to take long."""
    warnings.warn(sentence, UserWarning, stacklevel=2)


def carry_out(planned: Plan, data: MultiView, options: EmbedOptions) -> Embedding:
    """Compute the coordinates that a plan asks for."""
    cold = planned.method.warm_starts and not options.start
    if options.interactive and (part := drafted_on_part(planned, cold=cold)) is not None:
        try:
            return _embed(part, data, options, chosen_on=solved_on(planned, data, options)[0])
        except (ComputeError, ParameterError):
            options.task.checkpoint()  # the part cannot place the other samples at this ε: solve all of them
    return _embed(planned, data, options)


def _embed(planned: Plan, data: MultiView, options: EmbedOptions, chosen_on: MultiView | None = None) -> Embedding:
    """The answer to a plan; `chosen_on` are the samples by which rules choose an ε, where not those solved on."""
    chosen = planned.method
    samples, rows = solved_on(planned, data, options)
    stages = prepare(planned, samples, options, chosen_on=chosen_on)
    solved = decomposition = decompose(chosen, stages)
    tell_flat_views(stages)
    if not options.interactive:
        tell_alarms(chosen, stages, solved.warnings)
    if rows is not None:
        decomposition = extend_to_all(chosen, stages, solved, data, rows)
    coordinates, blocks = coordinates_of(chosen, decomposition, stages.params)
    return Embedding(
        coordinates=coordinates,
        view_coordinates=blocks if chosen.per_view else (),
        eigenvalues=decomposition.eigenvalues,
        views=tuple(data.view_names[i] for i in stages.views),
        epsilon=stages.epsilon,
        warnings=notices_of(
            (
                *options.task.warnings,
                *decomposition.warnings,
                *vanished(blocks, stages.params.get("t")),
                *tell_no_direction(chosen, decomposition, stages.params, blocks),
            )
        ),
        method=chosen.id,
        params=stages.params,
        kernels=tuple(kernel.text for kernel in stages.kernels),
        random_state=options.random_state,
        sample_ids=data.sample_ids,
        labels=data.labels,
        info=decomposition.info,
        decomposition=decomposition,
        known=None if chosen.extend is None else Known.of(stages, solved),
    )


def coordinates_of(
    method: Method, decomposition: Decomposition, params: Mapping[str, Value]
) -> tuple[Array, tuple[Array, ...]]:
    """Make a method's coordinates (M, L·r), and (M, r) for each block, on the disk where its vectors are."""
    if not isinstance(decomposition.blocks[0], np.memmap):
        blocks = coordinate_blocks(method, decomposition, params)
        if len(blocks) == 1:
            return blocks[0], blocks
        return joined_blocks(blocks, params), blocks
    longest = longest_rows(method, decomposition, params)
    table, widths = np.empty((0, 0)), [0]
    for rows in row_blocks(decomposition.blocks[0]):
        part = replace(decomposition, blocks=tuple(Y[rows] for Y in decomposition.blocks))
        blocks = coordinate_blocks(method, part, params, longest)
        if rows.start == 0:
            widths = [Y.shape[1] for Y in blocks]
            table = new_table((len(decomposition.blocks[0]), sum(widths)), on_disk=True)
        np.concatenate(blocks, axis=1, out=table[rows])
    ends = np.cumsum([0, *widths])
    return table, tuple(table[:, start:stop] for start, stop in pairwise(ends))


def select_epsilon(
    data: Data,
    rule: str = "robust",
    *,
    views: Sequence[str] | None = None,
    kernel: Any = "gaussian",
    metric: Any = "euclidean",
    rule_params: Mapping[str, Any] | None = None,
    task: Task | None = None,
    memo: Memo | None = None,
    **params: Any,
) -> tuple[float, ...]:
    """The bandwidth ε a rule chooses, one per view, in units of the squared distance the view's kernel is based on.

    Parameters
    ----------
    data : MultiView, list of arrays (M, D_l), or mapping name -> array
        Samples as rows; the views have the same samples in the same order.
    rule : str
        A rule's id, see `bandwidth_rules`.
    views, kernel, metric
        As `embed` takes them.
    rule_params : mapping name -> value, optional
        The rule's own parameters, such as ``{"dimension": 2}``.
    task, memo
        How to stop and report, and how to remember intermediate results.
    **params
        The same as `rule_params`.

    Returns
    -------
    tuple of float
        One for each view.

    Raises
    ------
    DataError, ParameterError
        The rule cannot be used on this data, or a parameter is not one of its own.

    References
    ----------
    Each rule names its own: ``bandwidth_rules()[rule].source``.

    Examples
    --------
    >>> [round(value, 3) for value in mvx.select_epsilon(mvx.load("helix-a"), "median")]
    [34.619, 31.443]

    Warns
    -----
    UserWarning
        What must be known to use the numbers, unless a `task` receives it: above all where the rule weights
        the features too, so that its ε belongs to the weighted view. A `task` is also told what a rule set aside.
    """
    data = as_multiview(data)
    names = data.view_names if views is None else tuple(views)
    indices = [data.view_index(name) for name in names]
    kernels = kernels_of(kernel, metric, names)
    listener = task or Task()
    stages = Stages(data, indices, kernels=kernels, task=listener, memo=memo or remember_once())
    values = {**(rule_params or {}), **params}
    chosen = tuple(rule_value(stages, i, rule, values) for i in range(stages.n_views))
    if task is None:
        for _, notice in listener.warnings:
            if notice.level == "warning":
                warnings.warn(notice, UserWarning, stacklevel=2)
    return chosen
