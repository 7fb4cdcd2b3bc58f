"""Heaps of HDF5 files, of which a damaged one would be searched for ever."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path

from mvexplorer.io.base.guards import open_file


def check_heaps(path: Path) -> None:
    """Refuse (ValueError) a heap with an object of size 0: HDF5 would search for the next one for ever."""
    heap = b"GCOL\1\0\0\0"
    with open_file(path) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        at = content.find(heap)
        while at >= 0:
            size = int.from_bytes(content[at + 8 : at + 16], "little")
            place, end = at + 16, min(at + size, len(content))
            while place + 16 <= end:
                index, _, length = struct.unpack_from("<HHxxxxQ", content, place)
                step = 16 + length + -length % 8 if index else length
                if not 0 < step <= end - place:
                    raise ValueError("an object of a heap has no size")
                place += step
            at = content.find(heap, at + 8)
