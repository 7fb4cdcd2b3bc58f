"""A described selection as columns and as records, the same in the window and on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mvexplorer.engine.analysis.contrasts import Contrast


def described_columns(rows: Sequence[Contrast]) -> dict[str, list[Any]]:
    """The columns of the table, with all digits, in the order of the rows."""
    return {
        "kind": [row.kind for row in rows],
        "name": [row.name for row in rows],
        "effect": [row.effect for row in rows],
        "p_corrected": [row.p for row in rows],
        "selected": [row.inside for row in rows],
        "others": [row.outside for row in rows],
        "words": [row.words for row in rows],
        "view": [row.view for row in rows],
        "feature": [row.feature for row in rows],
        "auc": [row.auc for row in rows],
        "p": [row.p_raw for row in rows],
        "q": [row.q for row in rows],
    }


def described_records(rows: Sequence[Contrast]) -> list[dict[str, Any]]:
    """One record a row, as plain data for JSON; only features have a view."""
    return [
        {
            "view": row.view or None,
            "feature": row.feature,
            "d": row.effect,
            "auc": row.auc,
            "p": row.p_raw,
            "q": row.q,
            "p_corrected": row.p,
            "kind": row.kind,
            "selected": row.inside,
            "others": row.outside,
        }
        for row in rows
    ]
