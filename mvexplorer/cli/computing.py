"""Commands that compute embeddings, and evaluate the bandwidth rules."""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from mvexplorer.cli.clusters import check_cluster, workers_of
from mvexplorer.cli.inputs import (
    RULE,
    check_table,
    kernels_by_recipe,
    opening_epsilon,
    rule_settings,
    settings_of,
    unused_settings,
)
from mvexplorer.cli.loading import DEFAULT_MEMORY, load_named, memory_of, say_notes
from mvexplorer.cli.output import (
    note,
    note_formulas,
    print_csv,
    print_json,
    print_table,
    progress_line,
    tell,
)
from mvexplorer.compute.batch.null_testing import null_test
from mvexplorer.compute.batch.pass_jobs import on_workers
from mvexplorer.compute.run.blocks import BlockExecutor
from mvexplorer.engine.analysis.null_test import NullTest
from mvexplorer.engine.api.approximation import approximation_error
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.bandwidth.survey import evaluate_rules
from mvexplorer.engine.bandwidth.table import bandwidth_rules, get_rule
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import ParameterError
from mvexplorer.wording import finite_or_none, one_line


def embed_command(options: argparse.Namespace) -> None:
    """Compute one embedding; write coordinates to a file or, as CSV, to stdout."""
    if options.out is not None:
        check_table(options.out)
    check_null_test(options)
    settings = settings_of(options.settings, options.method)
    loaded = load_named(options)
    epsilon = settings.pop("epsilon", opening_epsilon(loaded, options.recipe))
    params = {
        "epsilon": epsilon,
        "recipe": options.recipe,
        "random_state": options.random_state,
        "subsample": options.subsample,
        **settings,
    }
    error = None
    if options.error:  # the smaller work first: it may be refused
        error = approximation_error(loaded.data, options.method, task=computing_task(memory_of(options)), **params)
    with progress_line() as bar:
        embedding = _embedded(loaded.data, params, options, computing_task(memory_of(options), bar))
    null = null_test_of(loaded.data, params, options, computing_task(memory_of(options))) if options.null_test else None
    say_notes(loaded)
    note_unused(options.settings, options.method)
    for text in (*(text for _, text in embedding.warnings), *([] if error is None else [error.describe()])):
        note(text)
    _give(embedding, null, options)


def note_unused(given: Sequence[str], method: str) -> None:
    """Say of settings that a method lacks them."""
    for name in unused_settings(given, method):
        note(f"{method} has no parameter called {name}: it was not used.")


def _embedded(data: MultiView, settings: dict[str, Any], options: argparse.Namespace, task: Task) -> Embedding:
    """The embedding; its passes over samples beyond memory are carried out where the options say."""

    with ExitStack() as opened:
        if options.cluster is not None:
            task.passes = lambda stages: on_workers(opened.enter_context(workers_of(options)), stages)
        return embed(data, options.method, task=task, **settings)


def _give(embedding: Embedding, null: NullTest | None, options: argparse.Namespace) -> None:
    """The coordinates to a file or, as CSV, to stdout, where facts as JSON take their place."""
    if options.out is not None:
        embedding.save(options.out, csv_safe=options.csv_safe)
        shape = embedding.coordinates.shape
        tell(f"{one_line(options.out)}: {shape[0]} samples, {shape[1]} coordinates\n")
    labels = [] if embedding.labels is None else embedding.labels.tolist()
    if (options.out is None and not options.json) or str(options.out).lower().endswith(".csv"):
        note_formulas(options, [*embedding.sample_ids, *labels, *embedding.column_names])
    if options.json:
        print_json(_told(embedding, null))
        return
    if null is not None:
        tell_null_test(null)
    if options.out is None:
        print_csv(_csv_rows(embedding), csv_safe=options.csv_safe)


def _told(embedding: Embedding, null: NullTest | None) -> dict[str, Any]:
    """The facts of an embedding and of its permutation test as plain data for JSON, which has no NaN."""
    return {
        "method": embedding.method,
        "views": list(embedding.views),
        "epsilon": finite_or_none(embedding.epsilon),
        "eigenvalues": finite_or_none(embedding.eigenvalues.tolist()),
        "warnings": [list(each) for each in embedding.warnings],
        "null": None if null is None else null.as_list(),
    }


def computing_task(memory: int = DEFAULT_MEMORY, bar: Callable[[float], None] | None = None) -> Task:
    """A task with so many bytes of memory, and all the processor's cores for its rows; stderr tells what takes long."""

    return Task(bar, run_all=BlockExecutor(os.cpu_count() or 1).run_all, memory=memory, say=note)


def _csv_rows(embedding: Embedding) -> Iterator[Sequence[Any]]:
    labels = embedding.labels
    yield ["id", *([] if labels is None else ["label"]), *embedding.column_names]
    for i, row in enumerate(embedding.coordinates):
        label = [] if labels is None else [labels[i]]
        yield [embedding.sample_ids[i], *label, *map(float, row)]


def bandwidth_command(options: argparse.Namespace) -> None:
    """Print every rule's bandwidth for every view, as a table or JSON."""

    refuse_flags_of_spectrum(options)
    wanted = [get_rule(id) for id in options.rule] if options.rule else list(bandwidth_rules())
    given, rule_params = _kernel_and_metric(options.settings), rule_settings(options.settings)
    loaded = load_named(options)
    with progress_line() as bar:
        survey = evaluate_rules(
            loaded.data,
            [rule.id for rule in wanted],
            **kernels_by_recipe(options.recipe, given, loaded.data),
            rule_params=rule_params,
            random_state=options.random_state,
            task=computing_task(),
            say=bar,
        )
    say_notes(loaded)
    for text in dict.fromkeys(value.note for rules in survey.values() for value in rules.values() if value.note):
        note(text)
    if options.json:
        print_json({view: {rule: value.as_dict() for rule, value in rules.items()} for view, rules in survey.items()})
        return
    rows: list[tuple[str, ...]] = [("view", "rule", "ε", "σ", "ε / median", "")]
    for view, rules in survey.items():
        for rule, value in rules.items():
            numbers = [f"{x:.4g}" if x is not None else "–" for x in (value.epsilon, value.sigma, value.of_median)]
            rows.append((view, rule, *numbers, value.reason))
    print_table(rows)


def refuse_flags_of_spectrum(options: argparse.Namespace) -> None:
    """Refuse what only the spectrum over ε or tuning has a use for."""
    for flag, whose in (
        ("method", "--spectrum and --tune"),
        ("parameter", "--spectrum"),
        ("out", "--spectrum"),
        ("score", "--tune"),
    ):
        if getattr(options, flag) is not None:
            raise ParameterError(f"--{flag} is of {whose}.", "Leave it out, or add what it is of.")


def _kernel_and_metric(settings: Sequence[str]) -> dict[str, str]:
    given = {}
    for text in settings:
        name, _, value = text.partition("=")
        if name in ("kernel", "metric"):
            given[name] = value
        elif not name.startswith(f"{RULE}."):
            raise ParameterError(
                f"The bandwidth rules do not know --set {text}.",
                "Only --set kernel=…, --set metric=… and --set rule.NAME=… matter here.",
            )
    return given


def check_null_test(options: argparse.Namespace) -> None:
    """Refuse a cluster that nothing would use, or one that is not safe, before anything is computed."""
    landmarks = any(text.startswith("kernel") and "landmarks" in text for text in options.settings)
    if options.cluster is not None and not (options.null_test or landmarks):
        raise ParameterError(
            "One embedding is computed here: --cluster is for its permutation test, and for landmarks beyond memory.",
            "Leave it out, or add --null-test or --set kernel=landmarks-1000.",
        )
    check_cluster(options)


def null_test_of(data: MultiView, settings: Mapping[str, Any], options: argparse.Namespace, task: Task) -> NullTest:
    """The permutation test of each view in turn, by the score the data has; on a cluster if the options name one."""

    where = {"cluster": options.cluster, "allow_plain_tcp": options.allow_plain_tcp}
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        result = null_test(data, options.method, task=task, **where, **settings)
    for warning in heard:
        note(str(warning.message))
    return result


def tell_null_test(result: NullTest) -> None:
    """A line for each view: its score, those of its shuffles, and what that says."""
    for band in result.views:
        numbers = ""
        if band.real is not None:
            low, high = band.shuffled.min(), band.shuffled.max()
            numbers = f"{band.score_name} {band.real:.3f}, shuffled {low:.3f} to {high:.3f} in {band.n} runs. "
        tell(f"{band.view or 'labels'}: {numbers}{band.words}\n")
