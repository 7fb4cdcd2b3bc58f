"""Before anything imports numpy or Qt: one BLAS thread (the machine is shared) and no display. Which tests run when."""

import os
from pathlib import Path

import pytest

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):  # as the program itself does
    os.environ.setdefault(variable, "1")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

WINDOWS = Path(__file__).with_name("ui")
PROCESSES = Path(__file__).with_name("endtoend")
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


def is_quick(item):
    """Whether a newcomer's run has it: no window, no process, no large problem."""
    rooms = {WINDOWS, PROCESSES, EXPERIMENTS}
    elsewhere = not rooms.isdisjoint(item.path.parents) or item.path.name in LONG
    return not elsewhere and not any(item.get_closest_marker(name) for name in ("slow", "nightly", "timing", "serial"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Mark what runs alone, put promises about time last, and leave out what only `-m nightly` (or timing) asks for."""
    for item in items:
        if is_quick(item):
            item.add_marker("quick")
        if any(item.get_closest_marker(name) for name in ("timing", "window")):
            item.add_marker("serial")
        if item.get_closest_marker("timing"):
            item.add_marker("nightly")  # what gates a change depends on no clock
    # When nothing else of the suite is left to disturb them.
    items.sort(key=lambda item: item.get_closest_marker("timing") is not None)
    if not any(name in config.option.markexpr for name in ("nightly", "timing")):
        left_out = [item for item in items if item.get_closest_marker("nightly")]
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]
        config.hook.pytest_deselected(items=left_out)
