"""Readers that go wrong in the ways in which decoders in C do; each gets a `Room`, in the process of `in_child`."""

from __future__ import annotations

import ctypes
import os
import re
import time
from typing import Any

import numpy as np
from scipy import sparse

from mvexplorer.errors import DataError, MissingValuesError, Offer, RowsError
from mvexplorer.io.base.converted import Room
from mvexplorer.io.base.wire import Blocks


def crash(room: Room) -> None:
    ctypes.string_at(0)


def crash_in_conversion(room: Room) -> None:
    room.keep("table", (100, 100), float, lambda table: ctypes.string_at(0))


def leave(room: Room) -> None:
    os._exit(0)


def spin(room: Room) -> None:
    re.match("(a*)*b", "a" * 100)  # one call that never returns, and lets no other thread run


def sleep(room: Room, mark: str) -> None:
    with open(mark, "w", encoding="utf-8"):
        time.sleep(600)


def spin_after(room: Room, mark: str) -> None:
    with open(mark, "w", encoding="utf-8"):
        spin(room)


def hold(room: Room, gigabytes: float) -> int:
    return len([np.ones(1 << 21) for _ in range(int(gigabytes * 64))])


def hold_on(room: Room) -> None:
    kept = [np.ones(1 << 21) for _ in range(40)]
    time.sleep(600)  # until it is measured
    del kept


def shout(room: Room) -> str:
    print("printed")
    os.write(1, b"written")
    os.system("echo echoed")
    return "said"


def who(room: Room) -> int:
    return os.getpid()


def report(room: Room) -> float:
    room.tell("it takes long")
    for step in range(20):
        room.tick(step / 20)
        time.sleep(0.02)
    room.take(1000)
    return 1.0


def refuse(room: Room, kind: str) -> None:
    if kind == "rows":
        raise RowsError("Which?", (Offer("By name", {"join": "id", "roles": {"a": "id"}}),), "Neither.")
    if kind == "missing":
        raise MissingValuesError("Some lack.", "Drop them.", (1, 5))
    raise DataError("No.", "Yes.") if kind == "data" else KeyError("a fault of the program")


def echo(room: Room) -> dict[str, Any]:
    return values()


def values() -> dict[str, Any]:
    cell = np.empty((2, 2), dtype=object)
    cell[:] = [[np.eye(2), "text"], [None, {"deep": np.array(["ä", "𝄞"])}]]
    record = np.empty((1, 1), dtype=[("one", object), ("two", object)])
    record["one"][0, 0], record["two"][0, 0] = np.arange(3), cell
    large = np.asfortranarray(np.random.default_rng(0).normal(size=(700, 300)))
    return {
        "large": large, "again": large, "rows": large[:, ::2], "single": np.float32(large), "empty": np.empty((0, 4)),
        "text": np.array(["", "ab\udce9"]), "bytes": np.array([b"a\0b", b""]), "none": np.zeros(3, "U0"),
        "whole": np.arange(4, dtype=">i2"), "truth": np.array([[True], [False]]), "complex": np.array([1 + 2j]),
        "number": np.array(3.5), "days": np.array(["2020-01-01"], "M8[D]"), "cell": cell, "record": record,
        "csc": sparse.csc_array(np.eye(3)), "csr": sparse.csr_matrix(np.eye(3)), "list": [1, "a", None, 2.5, True],
    }  # fmt: skip


def mapped(room: Room, table: str) -> Any:
    return np.load(table, mmap_mode="r").T


def in_blocks(room: Room, fault: str) -> dict[str, Any]:
    """Two tables, the first in blocks of rows, of which the third goes wrong."""

    def decode() -> Any:
        for i in range(5):
            if i == 2 and fault == "data":
                raise DataError("No.", "Yes.")
            if i == 2 and fault == "memory":
                raise MemoryError
            if i == 2 and fault == "fault":
                raise ZeroDivisionError
            if i == 2 and fault == "crash":
                crash(room)
            yield np.full((2, 3), i, np.int16)

    return {"large": Blocks(np.dtype(np.int16), (10, 3), decode), "small": np.arange(4.0)}
