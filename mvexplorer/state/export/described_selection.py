"""A described selection as columns and as records, the same in the window and on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from mvexplorer.engine.analysis.contrasts import Contrast
from mvexplorer.engine.analysis.separation import Separation
from mvexplorer.wording import readable


@dataclass(frozen=True)
class ComparedGroups:
    """The names and sizes of the two groups, so that a file says what it compares."""

    selection: str
    compared_with: str
    n_selection: int
    n_compared_with: int

    @classmethod
    def of(cls, separation: Separation, selection: str, compared_with: str) -> ComparedGroups:
        """The groups of an answer; each is as large as what was compared of it."""
        return cls(readable(selection), readable(compared_with), separation.n_chosen, separation.n_others)


def described_columns(rows: Sequence[Contrast], groups: ComparedGroups) -> dict[str, list[Any]]:
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
        **{name: [value] * len(rows) for name, value in asdict(groups).items()},
    }


def described_records(rows: Sequence[Contrast], groups: ComparedGroups) -> list[dict[str, Any]]:
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
            **asdict(groups),
        }
        for row in rows
    ]
