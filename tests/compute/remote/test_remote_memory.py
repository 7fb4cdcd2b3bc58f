import os
import subprocess
import sys

import pytest

NANNY = {"MALLOC_TRIM_THRESHOLD_": "65536"}
"""What Dask's nanny sets for its workers."""

MATRICES = """
import resource, sys
import numpy as np
from mvexplorer.compute.run.heap import keep_freed_memory
if "keep" in sys.argv:
    keep_freed_memory()
np.ones(1_000_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    np.ones(1_000_000)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def pages(*arguments):
    """Pages of memory fetched for twenty matrices of 8 MB, one after the other."""
    # NumPy otherwise asks for huge pages, of which few are enough.
    environment = os.environ | NANNY | {"NUMPY_MADVISE_HUGEPAGE": "0"}
    ran = subprocess.run(
        [sys.executable, "-c", MATRICES, *arguments], env=environment, capture_output=True, text=True, check=True
    )
    return int(ran.stdout)


@pytest.mark.skipif(sys.platform != "linux" or os.confstr("CS_GNU_LIBC_VERSION") is None, reason="needs glibc")
def test_a_worker_does_not_fetch_new_memory_for_every_matrix():
    assert pages() > 20_000
    assert pages("keep") < 3_000
