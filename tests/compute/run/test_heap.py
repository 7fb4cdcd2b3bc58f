"""Memory that was freed goes back to the system when it is told so."""

import os
import subprocess
import sys

import pytest

glibc = pytest.mark.skipif(sys.platform != "linux" or os.confstr("CS_GNU_LIBC_VERSION") is None, reason="needs glibc")

HOLES = """
import os, sys
import numpy as np
from mvexplorer.children import resident
from mvexplorer.compute.run.heap import give_back, heap_bytes, keep_freed_memory
keep_freed_memory()  # as in the program: no block of a MB has pages of its own
blocks = [np.ones(125_000) for _ in range(200)]
held = resident(os.getpid())
del blocks[::2], blocks[:-1]  # the last block keeps all below it from being given back
freed, free = resident(os.getpid()), heap_bytes().free
give_back()
print(held, freed, free, resident(os.getpid()), heap_bytes().free)
"""


@pytest.mark.nightly
@glibc
def test_freed_memory_below_what_is_in_use_is_given_back():
    done = subprocess.run([sys.executable, "-c", HOLES], capture_output=True, text=True, check=True)
    held, still_held, free, left, still_free = map(int, done.stdout.split())
    assert held - still_held < 20_000_000, "it is kept until that is told"
    assert free > 190_000_000
    assert still_held - left > 180_000_000
    assert still_free < 20_000_000


THREADS = """
import ctypes, os, sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
import numpy as np
from mvexplorer.children import resident
from mvexplorer.compute.run.heap import give_back, share_one_heap
np.empty(31 << 20, dtype=np.uint8)  # as in the program: no block of 8 MB has pages of its own
if "shared" in sys.argv:
    share_one_heap()
together = Barrier(8)
kept = []
def work(_):
    together.wait()
    for _ in range(6):
        blocks = [np.ones(1_000_000) for _ in range(3)]
        kept.append(np.ones(100_000))
        del blocks
    together.wait()
with ThreadPoolExecutor(8) as pool:
    for _ in pool.map(work, range(8)):
        pass
    kept.clear()
    give_back()
    print(resident(os.getpid()), flush=True)
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
out = ctypes.c_void_p(libc.fopen(b"/dev/stdout", b"w"))
libc.malloc_info(0, out)
libc.fclose(out)
"""


def of_threads(how):
    """The resident memory after eight threads have freed theirs, and how many heaps they had."""
    done = subprocess.run([sys.executable, "-c", THREADS, how], capture_output=True, text=True, check=True)
    memory, _, heaps = done.stdout.partition("\n")
    return int(memory), heaps.count("<heap nr=")


@glibc
def test_threads_share_one_heap():
    assert of_threads("apart")[1] > 1
    assert of_threads("shared")[1] == 1


@glibc
@pytest.mark.nightly
def test_what_threads_freed_is_given_back_where_they_share_one_heap():
    assert of_threads("apart")[0] - of_threads("shared")[0] > 15_000_000
