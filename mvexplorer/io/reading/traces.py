"""Recordings in the formats of ObsPy, whose decoders in C trust their files: a process of their own reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.errors import DataError
from mvexplorer.io.base.converted import Room
from mvexplorer.io.base.decoder import in_child
from mvexplorer.io.base.guards import read_content
from mvexplorer.io.base.kinds import refuse_wrong_ending

_CLOSED = frozenset((
    "MSEED", "SAC", "SACXY", "GSE1", "GSE2", "SLIST", "TSPAIR", "SEISAN", "SH_ASC", "SEGY", "SU", "SEG2", "WAV", "WIN",
    "AH", "PDAS", "KINEMETRICS_EVT", "GCF", "DMX", "Y", "CYBERSHAKE", "KNET", "REFTEK130", "RG16",
    "ALSEP_PSE", "ALSEP_WTN", "ALSEP_WTH",
))  # fmt: skip
"""Formats whose readers open no file but the one that is given. Those of CSS and Q go on to files that it names, and to
test for a pickle ObsPy loads the file, which runs any code in it; what another package adds may do either."""


@dataclass(frozen=True)
class Trace:
    """One channel of one recording: `values` (n,) at `rate` Hz from `start` (seconds) on."""

    channel: str
    rate: float
    start: float
    values: Array


def read_traces(room: Room) -> list[Trace]:
    """Read a file in any format of ObsPy; consecutive traces of one channel are joined, gaps a DataError."""
    return [Trace(*fields) for fields in in_child(decode, room)]


def decode(room: Room) -> list[tuple[str, float, float, Array]]:
    """Decode a file into the fields of each `Trace`, in the process where that may crash."""
    path = Path(room.path)
    try:
        # Imported here, since ObsPy is optional and takes a second to import.
        obspy, formats = import_module("obspy"), import_module("obspy.core.util.base").ENTRY_POINTS["waveform"]
    except ImportError:
        hint = "Install it with: python -m pip install obspy"
        raise DataError(f"Reading “{path.name}” needs ObsPy, which is not installed.", hint) from None
    for name in set(formats) - _CLOSED:
        formats.pop(name)
    content = read_content(path)
    refuse_wrong_ending(path, content[:4096])
    try:
        # From memory, since ObsPy reads a file name as a pattern or URL. Formats that need a name get that of a copy,
        # in which it would unfold archives without a limit.
        stream = obspy.read(BytesIO(content), check_compression=False)
        stream.merge(method=-1)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - a damaged file may raise anything
        # Every format has its own exceptions; after any of them the file is unusable.
        kind = type(error).__name__
        message = f"The file “{path.name}” is damaged, or of a kind that ObsPy does not know ({kind})."
        raise DataError(message, "Save it as MiniSEED or SAC.") from None
    return _traces(path, list(stream))


def _traces(path: Path, traces: Sequence[Any]) -> list[tuple[str, float, float, Array]]:
    ids = [str(trace.id).strip(".") or "channel 1" for trace in traces]
    broken = next((id for id in ids if ids.count(id) > 1), None)
    if broken is not None:
        raise DataError(f"“{path.name}” has gaps or overlaps in {broken}.", "Mend it, or leave the file out.")
    channels = [str(trace.stats.channel) for trace in traces]
    names = channels if len(set(channels)) == len(channels) and all(channels) else ids
    read = []
    for name, trace in zip(names, traces, strict=True):
        if trace.data.dtype.kind not in "biuf":  # a log, which MiniSEED may hold as well
            raise DataError(f"“{path.name}” holds text in {name}, no waveform.", "Leave the file out.")
        rate, start = float(trace.stats.sampling_rate), float(trace.stats.starttime.timestamp)
        read.append((name, rate, start, np.asarray(trace.data, dtype=np.float64)))
    return read
