"""Before anything imports numpy or Qt: one BLAS thread (the machine is shared) and no display."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


def pytest_collection_modifyitems(items):
    """Promises about time come last, when nothing else of the suite is left to disturb them."""
    items.sort(key=lambda item: item.get_closest_marker("timing") is not None)
