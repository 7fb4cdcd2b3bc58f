"""Files that no other file may lead to: whoever reads their number has followed a link."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np

NUMBER = 31415926.5
"""Stands in the sentinels, and in no file that is made."""
TEXT = "sentinel text"
_SHAPE = (6, 3)


def write_sentinels(folder: Path) -> None:
    """An HDF5 file, plain numbers, a text."""
    import h5py

    values = np.full(_SHAPE, NUMBER)
    with h5py.File(folder / "sentinel.h5", "w") as file:
        file["X"] = file["g/X"] = values
        file["label"] = [TEXT] * len(values)
    (folder / "sentinel.bin").write_bytes(values.tobytes() * 4)
    (folder / "sentinel.xml").write_text(TEXT, "utf-8")


def lead_away(rng: Random, group: Any, name: str, folder: Path) -> None:
    """Put what an HDF5 file can hold in place of data of its own: something that stands in another file, or nowhere."""
    import h5py

    name = next(free for i in range(9) if (free := name * (i + 1)) not in group and f"{free} far" not in group)
    target = rng.choice((str(folder / "sentinel.h5"), "sentinel.h5", "./sentinel.h5"))
    kind = rng.choice(("external", "external", "soft", "storage", "virtual", "virtual", "nowhere"))
    if kind == "external":
        group[name] = h5py.ExternalLink(target, rng.choice(("X", "/g", "/label", "/")))
    elif kind == "soft":  # through an external link beside it
        group[f"{name} far"] = h5py.ExternalLink(target, "/")
        group[name] = h5py.SoftLink(f"{group.name}/{name} far/X")
    elif kind == "storage":
        place = rng.choice((str(folder / "sentinel.bin"), "sentinel.bin"))
        size = rng.choice((8 * 18, h5py.h5f.UNLIMITED))
        group.create_dataset(name, _SHAPE, dtype="f8", external=[(place, rng.choice((0, 8)), size)])
    elif kind == "virtual":
        layout = h5py.VirtualLayout(_SHAPE, dtype="f8")
        layout[:] = h5py.VirtualSource(target, "X", _SHAPE)
        group.create_virtual_dataset(name, layout, fillvalue=0)
    else:
        group[name] = h5py.SoftLink(rng.choice(("/", f"{group.name}/{name}", "/none/x")))


def was_read(found: Any) -> bool:
    """Whether something that was read holds what stands in a sentinel."""
    if isinstance(found, dict):
        return any(was_read(value) for value in found.values())
    if isinstance(found, list | tuple):
        return any(was_read(value) for value in found)
    if isinstance(found, np.ndarray) and found.dtype.itemsize >= 8 and found.dtype.kind in "fc":
        return bool((found == NUMBER).any())
    text = str(found.tolist() if isinstance(found, np.ndarray) else found)
    return TEXT in text or str(NUMBER) in text
