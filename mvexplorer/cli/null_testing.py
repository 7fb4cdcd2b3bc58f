"""The part of `embed --null-test`: the null test of each view, as lines or as JSON."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mvexplorer.cli.clusters import check_cluster
from mvexplorer.cli.output import note, tell
from mvexplorer.errors import ParameterError

if TYPE_CHECKING:
    from mvexplorer.engine.analysis.null_test import NullTest
    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.engine.core.task import Task


def check_null_test(options: argparse.Namespace) -> None:
    """Refuse a cluster that nothing would use, or one that is not safe, before anything is computed."""
    landmarks = any(text.startswith("kernel") and "landmarks" in text for text in options.settings)
    if options.cluster is not None and not (options.null_test or landmarks):
        raise ParameterError(
            "One embedding is computed here: --cluster is for its null test, and for landmarks beyond memory.",
            "Leave it out, or add --null-test or --set kernel=landmarks-1000.",
        )
    check_cluster(options)


def null_test_of(data: MultiView, settings: Mapping[str, Any], options: argparse.Namespace, task: Task) -> NullTest:
    """The null test of each view in turn, by the score that the data has; on a cluster if the options name one."""
    from mvexplorer.compute.batch.null_testing import null_test

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
