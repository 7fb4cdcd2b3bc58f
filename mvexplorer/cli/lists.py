"""Commands that list methods, bandwidth rules, recipes, samples, and missing software."""

from __future__ import annotations

import argparse
from typing import Any

from mvexplorer.cli.output import print_json, print_table, say
from mvexplorer.datasets.catalogue import samples
from mvexplorer.engine.api.recipe_table import MEASURED_ON, METHODS_MEASURED, REMARK, TABLE
from mvexplorer.engine.api.recipes import Recipe, recipes
from mvexplorer.engine.bandwidth.table import bandwidth_rules
from mvexplorer.engine.methods import methods


def list_methods(options: argparse.Namespace) -> None:
    """The methods, as a table or JSON."""

    _print(options, [
        {"id": m.id, "title": m.title, "formula": m.formula, "summary": m.summary, "source": m.source,
         "assumes": m.assumes, "cost": m.cost, "remarks": m.remarks, "misleads": m.misleads, "takes": m.requires,
         "uses_epsilon": m.uses_epsilon, "min_views": m.min_views, "max_views": m.max_views,
         "params": _param_facts(m.params)}
        for m in methods()
    ])  # fmt: skip


def list_rules(options: argparse.Namespace) -> None:
    """The bandwidth rules, as a table or JSON."""

    _print(options, [
        {"id": r.id, "title": r.title, "summary": r.summary, "source": r.source, "cost": r.cost,
         "remark": r.remark, "needs_labels": r.needs_labels, "params": _param_facts(r.params)}
        for r in bandwidth_rules()
    ])  # fmt: skip


def list_recipes(options: argparse.Namespace) -> None:
    """The recipes and what was measured, as tables or JSON."""
    if options.json:
        print_json([_recipe_facts(recipe) for recipe in recipes()])
        return
    print_table([(recipe.id, recipe.title, f"{recipe.for_what} {recipe.misleads}") for recipe in recipes()])
    say(f"\n{MEASURED_ON} {REMARK}")
    print_table([("", *METHODS_MEASURED, ""), *((row.ingredients, *row.scores, row.recipe) for row in TABLE)])


def _recipe_facts(recipe: Recipe) -> dict[str, Any]:
    measured = [dict(zip(METHODS_MEASURED, row.scores, strict=True)) for row in TABLE if row.recipe == recipe.id]
    return {
        "id": recipe.id,
        "title": recipe.title,
        "for_what": recipe.for_what,
        "misleads": recipe.misleads,
        "kernel": recipe.kernel,
        "metric": recipe.metric,
        "params": dict(recipe.params),
        "measured": next(iter(measured), None),
        "measured_on": MEASURED_ON,
    }


def list_samples(options: argparse.Namespace) -> None:
    """The built-in samples, as a table or JSON."""

    _print(options, [
        {"id": s.id, "title": s.title, "summary": s.summary, "look": s.look, "views": list(s.view_names),
         "citation": s.citation, "licence": s.licence}
        for s in samples()
    ])  # fmt: skip


def _print(options: argparse.Namespace, summaries: list[dict[str, Any]]) -> None:
    """All facts as JSON where asked for, else the main ones as a table."""
    if options.json:
        print_json(summaries)
    else:
        print_table([(f["id"], f["title"], f["summary"]) for f in summaries])


def _param_facts(params: Any) -> list[dict[str, Any]]:
    return [
        {
            "name": p.name,
            "symbol": p.symbol,
            "default": p.default,
            "range": p.range_text,
            "help": p.help,
            "source": p.source,
        }
        for p in params
    ]
