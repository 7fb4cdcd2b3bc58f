"""The answers of `mvexplorer diagnose`: how an embedding came about, and what one sample is in it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from mvexplorer.cli.computing import computing_task
from mvexplorer.cli.describing import Described, describe_command, described_selection
from mvexplorer.cli.inputs import check_folder, opening_epsilon, settings_of, unused_settings
from mvexplorer.cli.loading import load_named, memory_of, say_notes
from mvexplorer.cli.output import (
    note,
    note_formulas,
    print_json,
    print_table,
    progress_line,
    tell,
)
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.jobs.runner import Result, run_request
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.analysis.components import components_of
from mvexplorer.engine.analysis.point import sample_number
from mvexplorer.engine.api.recipes import plan_by
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import DataError, MVExplorerError, ParameterError
from mvexplorer.figures import Figure
from mvexplorer.io.reading.files import Loaded
from mvexplorer.state.document.diagnostics_choices import DiagnosticsChoices
from mvexplorer.state.document.point import PointChoices
from mvexplorer.state.questions.diagnosis import SUBJECTS, Diagnosis, DiagnosisChoices
from mvexplorer.wording import finite_or_none, in_words, number, one_line
from mvexplorer.writing import writing


def diagnose_command(options: argparse.Namespace) -> None:
    """Compute one embedding, and tell how it came about, as a table or JSON; without a method describe a selection."""

    if options.against is not None and options.selection is None:
        raise ParameterError("--against needs something to compare.", "Add --selection NAME or COLUMN=VALUE.")
    if options.method is None:
        if options.selection is None:
            raise ParameterError("The following arguments are required: --method.", "See: mvexplorer diagnose --help")
        describe_command(options)
        return
    named = _subjects(options)
    if options.out is not None:
        check_folder(options.out)
    settings = settings_of(options.settings, options.method)
    described = None if options.selection is None else described_selection(options)
    loaded = load_named(options)
    choices, cache, task = _choices(options, loaded.data), StageCache(), computing_task(memory_of(options))
    result = _result(options, loaded, settings, cache)
    _check_of_result(options, result)
    answers = _answers(Diagnosis(loaded, result, choices, cache, task), named, options)
    say_notes(loaded)
    for name in unused_settings(options.settings, options.method):
        note(f"{options.method} has no parameter called {name}: it was not used.")
    for _, text in result.embedding.warnings:
        note(text)
    _give(result, answers, options, described)


def _result(options: argparse.Namespace, loaded: Loaded, settings: dict[str, Any], cache: StageCache) -> Result:
    """The embedding that `embed` computes from the same options."""

    epsilon = settings.pop("epsilon", opening_epsilon(loaded, options.recipe))
    kernel, metric, rules = (settings.pop(name, None) for name in ("kernel", "metric", "rule_params"))
    method, part = get_method(options.method), options.subsample
    planned = plan_by(options.recipe, method, loaded.data, None, kernel, epsilon, settings, part, rules, metric)
    request = Request(loaded.data, planned, options.random_state)
    with progress_line() as bar:
        return run_request(request, cache, computing_task(memory_of(options), bar))


def _answers(
    diagnosis: Diagnosis, named: tuple[str, ...], options: argparse.Namespace
) -> dict[str, Mapping[str, Figure] | str]:
    """The answers by subject; a sentence where a subject was not named and is not there."""

    if named:
        return {subject: diagnosis.of(subject) for subject in named}
    answers: dict[str, Mapping[str, Figure] | str] = {}
    for subject, kind in SUBJECTS.items():
        if kind.large or (kind.of_sample and options.sample is None):
            continue
        try:
            answers[subject] = diagnosis.of(subject)
        except MVExplorerError as error:
            answers[subject] = str(error)
    return answers


# Questions --------------------------------------------------------------------------------------------------------


def _subjects(options: argparse.Namespace) -> tuple[str, ...]:
    """The subjects that --of names; ParameterError where there is no such subject, or its sample is not named."""

    named = tuple(dict.fromkeys(options.of.split(","))) if options.of is not None else ()
    for subject in named:
        if subject not in SUBJECTS:
            raise ParameterError(f"--of names nothing called “{subject}”.", f"Name some of {', '.join(SUBJECTS)}.")
    if options.sample is None and "point" in named:
        raise ParameterError("--of point is about one sample.", "Name it: --sample ID.")
    if options.sample is None and options.metric == "sample":
        raise ParameterError("--metric sample is about one sample.", "Name it: --sample ID.")
    for flag, most in {"neighbours": 50, "steps": 1000, "spread": 200}.items():
        least = 2 if flag == "spread" else 1
        if not least <= getattr(options, flag) <= most:
            raise ParameterError(
                f"--{flag} {getattr(options, flag)} is out of range.", f"Give a number from {least} to {most:,}."
            )
    return named


def _choices(options: argparse.Namespace, data: MultiView) -> DiagnosisChoices:
    """The choices of the figures and of the sample, by the names that the data has."""

    for view in filter(None, (options.view, options.start)):
        data.view_index(view)
    kept, text = None, options.sample
    if text is not None:
        is_place = text not in data.sample_ids and text.isdecimal()
        kept = sample_number(data.sample_ids, int(text) if is_place else text)
    figures = DiagnosticsChoices(
        order="",
        view=options.view,
        component=max(1, options.component),
        time=_time_source(options.time, data),
        metric=options.metric,
    )
    point = PointChoices(
        kept=kept, neighbours=options.neighbours, steps=options.steps, start=options.start, spread=options.spread
    )
    return DiagnosisChoices(figures, point, options.clusters, options.clustering)


def _time_source(name: str | None, data: MultiView) -> str:
    """The column or hidden variable of numbers that frequencies are measured against."""
    if name is None:
        return ""
    given = (("column", data.columns), ("latent", data.latent))
    sources = {n: f"{kind}:{n}" for kind, named in given for n, values in named.items() if values.dtype.kind in "fiu"}
    if name not in sources:
        hint = f"There are {', '.join(sources)}." if sources else "Leave --time out for the order of the samples."
        raise ParameterError(f"There is no column of numbers called “{name}”.", hint)
    return sources[name]


def _check_of_result(options: argparse.Namespace, result: Result) -> None:
    """Refuse a view that the method does not use, and a component that is not there."""

    views, count = result.embedding.views, len(components_of(result.embedding)[0])
    for view in filter(None, (options.view, options.start)):
        if view not in views:
            raise ParameterError(
                f"{options.method} does not use the view “{view}”.", f"It uses {', '.join(views) or 'none'}."
            )
    if not 1 <= options.component <= count:
        raise ParameterError(f"There is no component {options.component}.", f"Give a number from 1 to {count}.")


# Output -----------------------------------------------------------------------------------------------------------


def _give(
    result: Result,
    answers: Mapping[str, Mapping[str, Figure] | str],
    options: argparse.Namespace,
    described: Described | None,
) -> None:
    """Write files, print the table or JSON, and say what is not there."""
    if options.out is not None:
        _write(answers, options)
        if described is not None:
            described.write(Path(options.out) / "selection.csv", options)
    if options.json:
        embedding = result.embedding
        print_json(
            {
                "method": embedding.method,
                "views": list(embedding.views),
                "epsilon": finite_or_none(embedding.epsilon),
                "warnings": [list(each) for each in embedding.warnings],
                **{subject: _as_json(subject, answer) for subject, answer in answers.items()},
                **({} if described is None else {"selection": described.records}),
            }
        )
        return
    rows = [("of", "number", "value")]
    for subject, answer in answers.items():
        if isinstance(answer, str):
            note(f"No {subject}: {answer}")
            continue
        for about, figure in answer.items():
            where = f"{subject} of {about}" if about else subject
            rows += [(one_line(where), *row) for row in _rows(figure.findings)]
    print_table(rows)
    if described is not None:
        described.say()


def _as_json(subject: str, answer: Mapping[str, Figure] | str) -> dict[str, Any]:
    if isinstance(answer, str):
        return {"reason": answer}
    figures = {about: figure.as_dict() for about, figure in answer.items()}
    return figures.get("", figures)


def _write(answers: Mapping[str, Mapping[str, Figure] | str], options: argparse.Namespace) -> None:
    """A file of numbers for each subject, of several graphs side by side; their paths go to stderr."""
    folder, texts = Path(options.out), list[object]()
    with in_words(DataError, f"The folder {folder} cannot be made"):
        folder.mkdir(parents=True, exist_ok=True)
    for subject, answer in answers.items():
        if isinstance(answer, str):
            continue
        figure = next(iter(answer.values()))
        if "" not in answer:
            columns = {f"{about}: {name}": c for about, each in answer.items() for name, c in each.columns.items()}
            figure = replace(figure, columns=columns)
        path = folder / f"{subject}.csv"
        with writing(path) as file:
            file.write(figure.csv(csv_safe=options.csv_safe).encode())
        tell(f"{one_line(str(path))}\n")
        texts += [*figure.columns, *(value for column in figure.columns.values() for value in column)]
    note_formulas(options, texts)


def _rows(findings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Names and values as text, nested names side by side."""
    for name, value in findings.items():
        words = one_line(name.replace("_", " "))
        if isinstance(value, Mapping):
            yield from ((f"{words} {one_line(str(key))}", _cell(each)) for key, each in value.items())
        else:
            yield words, _cell(value)


def _cell(value: Any) -> str:
    if isinstance(value, list):
        shown = value[:12]
        return ", ".join(map(_cell, shown)) + (" …" if len(value) > len(shown) else "")
    if value is None or isinstance(value, bool):
        return {None: "–", True: "yes", False: "no"}[value]
    return number(value, 4) if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else one_line(value)
