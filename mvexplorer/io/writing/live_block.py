"""The block of a live page that holds its moving pictures: whole numbers of one and two bytes, deflated.

Layout, little-endian: ``MVXL``, version, length of the header, CRC-32 of all that follows, the header as JSON, blocks.
A reference to a block is ``[offset behind the header, count, kind]``. Numbers of more than one byte are stored as
planes, all their lowest bytes first: that deflates better.
"""

from __future__ import annotations

import json
import struct
import zlib
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.api.live import LivePanel, LivePanels, MovingPicture, StopPictures
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.spectral.moving_frames import STEPS, Turning, eigenvalue_shares

MAGIC, VERSION = b"MVXL", 1
FINE = 0.005
"""Step of a column's numbers after weighting, in parts of its root mean square."""
COARSE = 0.01
"""The same where there are many samples."""
MANY = 5000
FRAME_STEP = 0.002
"""Step of a frame's numbers, in parts of the median length of an axis."""


class _Blocks:
    """Blocks one behind the other, and where they are."""

    def __init__(self) -> None:
        self.content = bytearray()

    def add(self, values: npt.ArrayLike, kind: str) -> list[Any]:
        """Append numbers as planes of bytes, and return the reference to them."""
        flat = np.ascontiguousarray(values, dtype=f"<{kind}").ravel()
        place = [len(self.content), len(flat), kind]
        self.content += flat.view(np.uint8).reshape(len(flat), flat.itemsize).T.tobytes()
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
    return round(value, 4) if np.isfinite(value) else None


def _stops(picture: StopPictures, blocks: _Blocks) -> dict[str, Any]:
    points = np.stack([points.T for points in picture.points])
    return {
        "d": points.shape[1],
        "stops": picture.steps,
        "P": blocks.add(np.rint(np.clip(points, -1.0, 1.0) * 32_767), "i2"),
    }


def _columns(picture: MovingPicture, blocks: _Blocks) -> dict[str, Any]:
    columns, units = quantised_columns(
        picture.columns, picture.shares, COARSE if len(picture.columns) > MANY * picture.blocks else FINE
    )
    kind = "i1" if np.abs(columns).max(initial=0) <= 127 else "i2"
    return {
        "g": len(units),
        "rows": len(columns),
        "unit": picture.unit_rows,
        "Q": blocks.add(columns.T, kind),
        "w": [float(f"{unit:.7g}") for unit in units],
    }


def _moving(picture: MovingPicture, blocks: _Blocks) -> dict[str, Any]:
    size = Turning(picture.frames, picture.values, {}).size
    scale = FRAME_STEP * size
    frames = np.rint(picture.frames / scale)
    if np.abs(frames).max(initial=0.0) > 32_767:  # an axis far longer than the usual one
        scale *= float(np.abs(frames).max()) / 32_767
        frames = np.rint(picture.frames / scale)
    dims = picture.frames.shape[2]
    shares, logs = eigenvalue_shares(picture.values)
    rows, cols = np.triu_indices(dims)
    return {
        "d": dims,
        "t": picture.t,
        "x": blocks.add(picture.steps, "i2"),
        "C": blocks.add(frames, "i2"),
        "scale": scale,
        "S": blocks.add(np.column_stack([shares[:, rows, cols], logs]), "f4"),
        "parts": [
            {"a": part.first, "b": part.last, "cert": float(f"{min(part.angle, 9.0):.3g}"), "ok": part.certified}
            for part in picture.parts
        ],
    }


def quantised_columns(columns: Array, shares: Array, step: float) -> tuple[npt.NDArray[np.int64], Array]:
    """Whole numbers (M, g) and each column's unit (g,): a column that counts little takes few bits."""
    units = step / (shares * np.sqrt(len(columns)))
    return np.rint(columns / units).astype(np.int64), units


def _sealed(header: Mapping[str, Any], content: bytes) -> bytes:
    words = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
    body = words + content
    return MAGIC + struct.pack("<III", VERSION, len(words), zlib.crc32(body)) + body


def _deflated(content: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()
