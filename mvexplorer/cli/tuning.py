"""The command that chooses each view's ε by a score of the picture."""

from __future__ import annotations

import argparse

from mvexplorer.cli.computing import computing_task, note_unused
from mvexplorer.cli.inputs import method_and_settings, settings_of
from mvexplorer.cli.loading import load_named, say_notes
from mvexplorer.cli.output import note, print_json, print_table, progress_line
from mvexplorer.compute.batch.tuning import TuneStep
from mvexplorer.errors import ParameterError
from mvexplorer.state.batches.tuning import BY_DEFAULT, judge_of, tune
from mvexplorer.state.document.model import DocumentState
from mvexplorer.wording import number, one_line


def tune_command(options: argparse.Namespace) -> None:
    """Print each view's ε before and after, and what that gained, as a table or JSON."""
    for flag in ("parameter", "out"):
        if getattr(options, flag) is not None:
            raise ParameterError(f"--{flag} is of --spectrum.", "Leave it out.")
    if options.rule:
        raise ParameterError("--rule is not of --tune.", "Name the rule to start from: --set epsilon=median.")
    if options.method is not None:
        settings_of(options.settings, options.method)  # refused before anything is read
    loaded, score = load_named(options), options.score or BY_DEFAULT
    method, settings = method_and_settings(options, loaded)
    basis = judge_of(DocumentState(), loaded.data, score).basis
    with progress_line() as bar:
        task = computing_task(bar=bar)
        steps = tune(loaded.data, method, score=score, random_state=options.random_state, task=task, **settings)
    say_notes(loaded)
    note_unused(options.settings, method)
    note(f"Chosen {basis}.")
    if options.json:
        for step in steps:
            if step.why in ("torn", "nowhere"):
                note(step.sentence)
        print_json(_as_json(method, score, steps))
    else:
        head = ("view", "ε before", "ε", "")
        rows = [(one_line(s.view), number(s.former, 4), number(s.epsilon, 4), one_line(s.sentence)) for s in steps]
        print_table([head, *rows])


def _as_json(method: str, score: str, steps: tuple[TuneStep, ...]) -> dict[str, object]:
    each = [
        {
            "view": step.view,
            "epsilon": step.epsilon,
            "before": None if step.before is None else step.before.value,
            "after": None if step.after is None else step.after.value,
            "spread": step.spread,
        }
        for step in steps
    ]
    return {"method": method, "score": score, "steps": each, "epsilon": [step.given for step in steps]}
