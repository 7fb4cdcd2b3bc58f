"""Before anything imports numpy or Qt: one BLAS thread (the machine is shared) and no display. Which tests run when."""

import gc
import os
import sys
from functools import cache, partial
from pathlib import Path

import pytest

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):  # as the program itself does
    os.environ.setdefault(variable, "1")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

WINDOWS = Path(__file__).with_name("ui")
PROCESSES = Path(__file__).with_name("endtoend")
STATE = Path(__file__).with_name("state")
EXPERIMENTS = Path(__file__).with_name("experiments")
LONG = {
    f"test_{name}.py"
    for name in (
        "awkward", "bandwidth_analyser", "class_rules", "controller", "davidson", "dimension", "drag",
        "footprint", "fuzz", "generic", "jacobi", "joint", "large_data", "local_cca", "log_sum", "manifold_scaling",
        "measure", "memory", "sweeper", "tensor_cca", "validation",
    )
}  # fmt: skip
"""Files that solve large problems, or very many."""


@cache
def is_apart(path):
    """Whether a file's tests need windows, processes or large problems."""
    return not {WINDOWS, PROCESSES, EXPERIMENTS}.isdisjoint(path.parents) or path.name in LONG


def take_no_words_from_modules():
    """Have Hypothesis draw the same cases whatever has been imported: it mixes in the constants of those modules."""
    providers = sys.modules.get("hypothesis.internal.conjecture.providers")
    if hasattr(providers, "_get_local_constants"):
        providers._get_local_constants = lambda: providers._local_constants


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """One more than there are cores, for `-n auto`: a test of a window or a process waits for a fifth of its time."""
    return (os.cpu_count() or 1) + 1


def pytest_ignore_collect(collection_path, config):
    """Import no file that names none of what `-m serial` asks for: the others would take longer than its tests."""
    alone = config.option.markexpr == "serial" and collection_path.suffix == ".py"
    words = ("mark.serial", "mark.window", "mark.timing")
    return True if alone and not any(word in collection_path.read_text("utf-8") for word in words) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Mark what runs alone, put promises about time last, and leave out what -m must name: nightly, timing, full."""
    take_no_words_from_modules()
    last, left_out = [], []
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        # A newcomer's run: no window, no process, no large problem.
        if not is_apart(item.path) and marks.isdisjoint(("slow", "nightly", "timing", "serial", "full")):
            item.add_marker("quick")
        if not marks.isdisjoint(("timing", "window")):
            item.add_marker("serial")
        if "timing" in marks:
            item.add_marker("nightly")  # what gates a change depends on no clock
            last.append(item)  # when nothing else of the suite is left to disturb them
        elif not marks.isdisjoint(("nightly", "full")):
            left_out.append(item)
    asked = any(name in config.option.markexpr for name in ("nightly", "timing", "full"))
    aside = set(last if asked else [*last, *left_out])
    items[:] = [item for item in items if item not in aside] + (last if asked else [])
    if not asked:
        config.hook.pytest_deselected(items=[*last, *left_out])


def pytest_collection_finish():
    """Leave what was collected out of every later search for garbage: it stays, and is all that there is to look at."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def quick_scores(request, monkeypatch):
    """One run of k-means instead of ten, which take two fifths of all that opening small data costs.

    Not where scores are compared with those of another process, which has them all.
    """
    around = {*request.path.parents}
    if not {WINDOWS, STATE}.isdisjoint(around) and {STATE / "export", STATE / "session"}.isdisjoint(around):
        import mvexplorer.metrics  # noqa: F401  # else it keeps the one run, if a script in a test is the first to import it
        from mvexplorer.engine import metrics

        monkeypatch.setattr(metrics, "nmi", partial(metrics.nmi, seeds=1))
