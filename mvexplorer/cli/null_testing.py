"""What `embed --null-test` adds: the null test of each view, as lines or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mvexplorer.cli.output import tell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mvexplorer.engine.analysis.null_test import NullTest
    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.engine.core.task import Task


def null_test_of(data: MultiView, method: str, task: Task, settings: Mapping[str, Any]) -> NullTest:
    """The null test of each view in turn, by the score that the data has."""
    from mvexplorer.engine.analysis.null_test import null_test

    return null_test(data, method, task=task, **settings)


def tell_null_test(found: NullTest) -> None:
    """A line for each view: its score, those of its shuffles, and what that says."""
    for band in found.views:
        numbers = ""
        if band.real is not None:
            low, high = band.shuffled.min(), band.shuffled.max()
            numbers = f"{band.score_name} {band.real:.3f}, shuffled {low:.3f} to {high:.3f} in {band.n} runs. "
        tell(f"{band.view or 'labels'}: {numbers}{band.words}\n")
