"""The block of a live page that holds its moving pictures: whole numbers of two bytes, deflated.

Layout, little-endian: ``MVXL``, version, length of the header, CRC-32 of all that follows, the header as JSON, blocks.
A reference to a block is ``[offset behind the header, count, run]``. Of each run of so many numbers the first is told
and then differences, with the sign in the lowest bit, and all lowest bytes stand before all highest: so most of what
is stored is small, and deflates well.
"""

from __future__ import annotations

import json
import struct
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.api.live import Certainty, LivePanel, LivePanels, MovingPicture, StopPictures
from mvexplorer.engine.spectral.moving_frames import (
    STEPS,
    Turning,
    eigenvalue_shares,
    four_digits,
    quantised_columns,
)

MAGIC, VERSION = b"MVXL", 2
FRAME_STEP = 0.002
"""Step of a frame's numbers, in parts of the median length of an axis."""


class _Blocks:
    """Blocks one behind the other, and where they are."""

    def __init__(self) -> None:
        self.content = bytearray()

    def add(self, numbers: npt.NDArray[Any], run: int = 1) -> list[int]:
        """Append whole numbers, each run of them as differences, and return the reference to them."""
        flat = np.rint(numbers).astype(np.int64).reshape(-1, run)
        steps = np.diff(flat, axis=1, prepend=0).astype(np.int16).astype(np.int64).ravel()  # modulo 2^16, as read
        signed = np.where(steps < 0, -2 * steps - 1, 2 * steps).astype("<u2")
        place = [len(self.content), len(signed), run]
        self.content += signed.view(np.uint8).reshape(-1, 2).T.tobytes()
        return place


def live_block(live: LivePanels, rows: npt.NDArray[np.intp]) -> str:
    """The panels over their range, as the text of the block of a page that shows these samples (m,)."""
    blocks, range_ = _Blocks(), live.range_
    header = {
        "M": len(rows),
        "lo": float(np.log(range_.low)),
        "hi": float(np.log(range_.high)),
        "grid": STEPS,
        "start": range_.start,
        "t": live.t,
        "eta": live.eta,
        "etas": live.etas,
        "panels": [_panel(id, panel.of(rows), blocks) for id, panel in live.panels.items()],
    }
    return b64encode(_deflated(_sealed(header, bytes(blocks.content)))).decode()


def _panel(id: str, panel: LivePanel, blocks: _Blocks) -> dict[str, Any]:
    columns = _columns(panel.picture, blocks) if isinstance(panel.picture, MovingPicture) else {}
    etas = [{"eta": eta, **_set(there, blocks)} for eta, there in panel.etas.items()]
    return {"id": id, **columns, **_set(panel, blocks), "etas": etas}


def _set(panel: LivePanel, blocks: _Blocks) -> dict[str, Any]:
    """A panel at one η, but for the columns, which it has in common with the others."""
    scores = {name: [_short(value) for value in values] for name, values in panel.scores.items()}
    solid = {} if panel.solid is None else {"solid": _picture(panel.solid, blocks)}
    return {**_picture(panel.picture, blocks), **solid, "scored": panel.scored, "scores": scores}


def _picture(picture: MovingPicture | StopPictures, blocks: _Blocks) -> dict[str, Any]:
    return _moving(picture, blocks) if isinstance(picture, MovingPicture) else _stops(picture, blocks)


def _short(value: float) -> float | None:
    """A score with as many digits as are shown, and one; None where there is none."""
    return round(value, 3) if np.isfinite(value) else None


def _stops(picture: StopPictures, blocks: _Blocks) -> dict[str, Any]:
    step = 1 / 8_000  # of a coordinate, in parts of half a picture's side
    points = np.stack([points.T for points in picture.points], axis=-1)
    return {
        "d": points.shape[0],
        "stops": picture.steps,
        "P": blocks.add(np.clip(points, -1.0, 1.0) / step, len(picture.steps)),
        "scale": step,
    }


def _columns(picture: MovingPicture, blocks: _Blocks) -> dict[str, Any]:
    columns, units = quantised_columns(picture.columns, picture.shares, picture.fineness)
    return {
        "g": len(units),
        "rows": len(columns),
        "unit": picture.unit_rows,
        "Q": blocks.add(columns.T),
        "w": units.tolist(),
    }


def _moving(picture: MovingPicture, blocks: _Blocks) -> dict[str, Any]:
    size = Turning(picture.frames, picture.values, {}).size
    longest = float(np.abs(picture.frames).max(initial=0.0))  # an axis can be far longer than the usual one
    scale = four_digits(max(FRAME_STEP * size, longest / np.iinfo(np.int16).max))
    count, _, dims = picture.frames.shape
    share_step, log_step = 1 / 32_000, 1 / 1_000  # of eigenvalues' shares of their sum, and of its logarithm
    shares, logs = eigenvalue_shares(picture.values)
    rows, cols = np.triu_indices(dims)
    return {
        "d": dims,
        "t": picture.t,
        "x": blocks.add(picture.steps, count),
        "C": blocks.add(picture.frames.transpose(1, 2, 0) / scale, count),
        "scale": scale,
        "S": blocks.add(shares[:, rows, cols].T / share_step, count),
        "T": blocks.add(logs / log_step, count),
        "steps": [share_step, log_step],
        "parts": _parts(picture.parts),
    }


def _parts(parts: Sequence[Certainty]) -> list[dict[str, Any]]:
    """Where a picture is certified and how far off it may be: neighbours of which a page says the same are one."""
    far, out = 0.3, list[dict[str, Any]]()  # radians, as in the page's script
    for part in parts:
        angle = float(f"{min(part.angle, 9.0):.3g}")
        there = {"a": round(part.first, 3), "b": round(part.last, 3), "cert": angle, "ok": part.certified}
        if out and out[-1]["ok"] == there["ok"] and (out[-1]["cert"] > far) == (angle > far):
            there |= {"a": out[-1]["a"], "cert": max(angle, out[-1]["cert"])}
            out.pop()
        out.append(there)
    return out


def _sealed(header: Mapping[str, Any], content: bytes) -> bytes:
    words = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
    body = words + content
    return MAGIC + struct.pack("<III", VERSION, len(words), zlib.crc32(body)) + body


def _deflated(content: bytes) -> bytes:
    memory = 4  # with little of it each column has a code of its own, which suits its spread
    packer = zlib.compressobj(9, zlib.DEFLATED, -15, memory)
    return packer.compress(content) + packer.flush()
