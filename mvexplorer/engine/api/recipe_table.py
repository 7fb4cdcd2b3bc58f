"""The measurements behind the recipes: scores on labelled tables with some ingredients of a walk."""

from __future__ import annotations

from dataclasses import dataclass

MEASURED_ON = (
    "31 real labelled tables of 2-6 views, at most 350 samples each; NMI by k-means on as many coordinates as there "
    "are classes, ε by robust. Differences under .02 mean nothing."
)
REMARK = (
    "Multi-view gains by unit rows only where it keeps its self-loops, as in every recipe. The graphs of 10 neighbours "
    "have weights 1, where the recipe has Gaussian ones at ε, and their sum is by equal volume; the mean Laplacian of "
    "such graphs by correlation has .58–.61."
)
"""How the table differs from the recipes, and what it has no column for."""
"""The data and score whose means the table's numbers are."""
METHODS_MEASURED = ("single view", "kernel sum", "kernel product", "multi-view")


@dataclass(frozen=True)
class MeasuredRow:
    """Mean NMI of `METHODS_MEASURED` with some ingredients, as text; empty where it was not measured.

    `recipe` is the id of the recipe that the row is closest to, empty for none.
    """

    ingredients: str
    scores: tuple[str, str, str, str]
    recipe: str = ""


TABLE = (
    MeasuredRow("Gaussian, self-loops kept, rows as they are", (".31", ".415", ".39", ".37"), "paper"),
    MeasuredRow("self-loops left out", (".34", ".44", ".47", ".33")),
    MeasuredRow("unit rows, t 0, self-loops kept", (".39", ".48", ".50", ".52")),
    MeasuredRow("unit rows, t 0, self-loops left out", (".40", ".50", ".54", ".36, kept .52"), "sphere"),
    MeasuredRow("the same, metric correlation", (".44", ".54", ".56", "")),
    MeasuredRow("the same, self-tuning, Euclidean", (".38", ".47", ".47", "")),
    MeasuredRow("the same, self-tuning, correlation", (".44", ".535", ".525", "")),
    MeasuredRow("10 neighbours, weights 1, unit rows, Euclidean", (".40", ".51", "in pieces", "")),
    MeasuredRow("10 neighbours, weights 1, unit rows, correlation", (".47", ".57–.60", "in pieces", ""), "neighbours"),
)
"""From the papers' ingredients to those farthest from them."""
