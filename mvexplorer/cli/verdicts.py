"""The command that judges bandwidths."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from mvexplorer.cli.computing import computing_task, refuse_flags_of_spectrum
from mvexplorer.cli.inputs import GENERAL, RULE, kernels_by_recipe, opening_epsilon, rule_settings
from mvexplorer.cli.loading import load_named, say_notes
from mvexplorer.cli.output import note, print_json, print_table
from mvexplorer.engine.api.regimes import regimes
from mvexplorer.errors import ParameterError
from mvexplorer.wording import number, one_line


def regimes_command(options: argparse.Namespace) -> None:
    """Print what each view's ε does, and what to do about it, as a table or JSON."""
    refuse_flags_of_spectrum(options)
    if options.rule:
        raise ParameterError("--rule is not of --regimes.", "Name the rule that chooses ε: --set epsilon=median.")
    settings = _settings(options.settings)
    loaded = load_named(options)
    task = computing_task()
    found = regimes(
        loaded.data,
        **{
            "epsilon": opening_epsilon(loaded, options.recipe),
            **kernels_by_recipe(options.recipe, settings, loaded.data),
        },
        rule_params=rule_settings(options.settings),
        random_state=options.random_state,
        task=task,
    )
    say_notes(loaded)
    for text in dict.fromkeys(text for _, text in task.warnings):
        note(text)
    if options.json:
        print_json({one.view: one.as_dict() for one in found})
        return
    rows: list[tuple[str, ...]] = [("view", "ε", "regime", "")]
    for one in found:
        said = " ".join(filter(None, (one.sentence, one.cure)))
        rows.append((one_line(one.view), number(one.facts.epsilon, 4), one.regime, one_line(said)))
    print_table(rows)


def _settings(given: Sequence[str]) -> dict[str, Any]:
    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        if equals and name in GENERAL:
            found[name] = value
        elif not (equals and name.startswith(f"{RULE}.")):
            raise ParameterError(
                f"--regimes does not know --set {text}.",
                "Only --set epsilon=…, --set kernel=…, --set metric=… and --set rule.NAME=… matter here.",
            )
    return found
