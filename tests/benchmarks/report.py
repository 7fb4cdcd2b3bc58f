"""Measurements as rows of a Markdown table."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any

from comparison import CONTROL, Comparison, Limit, Row

HEADER = (
    "| work | rival | ours | rival's | ratio | goal | agreement | |\n"
    "|---|---|---:|---:|---:|---:|---|---|"
)  # fmt: skip


def milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.2f} s"


def markdown_row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


Pairs = Sequence[tuple[dict[str, Any], dict[str, Any]]]


def comparison_line(row: Comparison, pairs: Pairs, *, wall: bool) -> str:
    """Medians of either side, the median of the paired ratios, and whether the answers are the same."""
    clock = "wall" if wall else "cpu"
    times = [(ours[clock], rival[clock]) for ours, rival in pairs]
    ours, rival = (median(side) for side in zip(*times, strict=True))
    ratio = median(o / r if row.at_most else r / o for o, r in times)
    agreement, agrees = _agreement(row, pairs)
    sign = "≤ " if row.at_most else "≥ "
    goal = "" if row.goal is None else f"{sign}{row.goal:g}x"
    met = row.goal is None or (ratio <= row.goal if row.at_most else ratio >= row.goal)
    verdict = "answers differ" if not agrees else "" if row.goal is None else "met" if met else "**missed**"
    how = f"{'wall' if wall else 'CPU'}, {len(pairs)} pair{'s' if len(pairs) > 1 else ''}"
    cells = (row.name, f"{row.rival_name} ({how})", milliseconds(ours), milliseconds(rival))
    return markdown_row(*cells, f"{ratio:.3g}x", goal, agreement, verdict)


def _agreement(row: Comparison, pairs: Pairs) -> tuple[str, bool]:
    if row.tolerance is None:
        return "", True
    gap = max(
        max(abs(a - b) for a, b in zip(ours["values"], rival["values"], strict=True)) for ours, rival in pairs
    )  # fmt: skip
    return f"{gap:.1e} (bar {row.tolerance:.0e})", gap <= row.tolerance


def limit_line(row: Limit, rounds: Sequence[Mapping[str, float]]) -> str:
    """Medians of what was measured, against the bars."""
    found = {unit: median(r[unit] for r in rounds) for unit in rounds[0]}
    bars = {unit: max(bar, 3 * found.get(unit + CONTROL, 0.0)) for unit, bar in row.goals.items()}
    met = all(found[unit] <= bar for unit, bar in bars.items())
    met = met and all(found[unit] >= bar for unit, bar in row.at_least.items())
    goals = [f"≥ {bar:g} {unit}" for unit, bar in row.at_least.items()]
    goals += [f"≤ {bar:.3g} {unit}" for unit, bar in bars.items()]
    measured = ", ".join(f"{value:.3g} {unit}" for unit, value in found.items())
    verdict = ("met" if met else "**missed**") if goals else ""
    return markdown_row(row.name, "–", measured, "", "", ", ".join(goals), "", verdict)


def failure_line(row: Row, why: str) -> str:
    """A row that could not be measured, and why."""
    rival = row.rival_name if isinstance(row, Comparison) else "–"
    return markdown_row(row.name, rival, "", "", "", "", "", f"**failed**: {why[:200]}")


def heading(libraries: Mapping[str, str], threads: int) -> str:
    """Where and when this was measured, with what."""
    lines = [
        "# Benchmarks\n",
        "Written by `python tests/benchmarks/run.py`. Each side of a pair runs in an interpreter of its own, in turns; "
        "times are medians, of the work alone after a warm-up call; ratios are medians of the paired ratios. Agreement "
        "is the largest difference between the two sides' leading eigenvalues.\n",
        f"{date.today().isoformat()}, {_processor()}, {os.cpu_count()} cores, {threads} thread(s) on either side, "
        f"{platform.system()}{_load()}.\n",
    ]  # fmt: skip
    lines += [f"* {name}: {text}" for name, text in libraries.items()]
    return "\n".join([*lines, "", ""])


def _load() -> str:
    """How busy the machine was at the end: other people's work is part of any wall time."""
    return f", load average {os.getloadavg()[2]:.1f} at the end" if hasattr(os, "getloadavg") else ""


def _processor() -> str:
    try:
        info = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        return next(line.split(":")[1].strip() for line in info if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
