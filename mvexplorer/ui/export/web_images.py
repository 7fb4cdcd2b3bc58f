"""The samples' pictures as one, for a web page."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from math import ceil, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt


def image_sheet(
    images: npt.NDArray[np.uint8] | None, rows: npt.NDArray[np.intp], most: int
) -> tuple[dict[str, Any] | None, str]:
    """The pictures (M, h, w[, channels]) of these samples in one, smaller or left out where it took more bytes.

    Returns the source of an HTML image with width and height of each tile and the number of columns, or None and why.
    """
    if images is None or not len(rows):
        return None, ""
    most_pixels = 16_000_000  # most pixels of all pictures together, which a browser holds unpacked
    # Most pixels of a sample's picture along a side, and the fewest to which it is made smaller.
    largest, smallest = 64, 8
    side = min(largest, int(sqrt(most_pixels / len(rows))))
    while side >= smallest:
        tiles = _tiles(images, rows, side)
        for kind, options in (("png", {"optimize": True}), ("webp", {"quality": 70})):
            payload = _written(_joined(tiles), kind, options)
            if len(payload) <= most:
                source = f"data:image/{kind};base64,{b64encode(payload).decode()}"
                height, width = tiles.shape[1:3]
                return {"src": source, "width": width, "height": height, "columns": _columns(len(tiles))}, ""
        side //= 2
    return None, f"The pictures of the {len(rows):,} samples are left out: they would make the page too large."


def _columns(n: int) -> int:
    return ceil(sqrt(n))


def _tiles(images: npt.NDArray[np.uint8], rows: npt.NDArray[np.intp], side: int) -> npt.NDArray[np.uint8]:
    """The pictures, made smaller where a side is longer than this."""
    from PIL import Image

    height, width = images.shape[1:3]
    factor = side / max(height, width)
    if factor >= 1.0:
        return images[rows]
    size = max(1, round(width * factor)), max(1, round(height * factor))
    return np.stack([np.asarray(Image.fromarray(images[i]).resize(size, Image.Resampling.BOX)) for i in rows])


def _joined(tiles: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Pictures (n, h, w, ...) row by row in one."""
    n, height, width, *channels = tiles.shape
    columns = _columns(n)
    lines = ceil(n / columns)
    whole = np.zeros((lines * columns, height, width, *channels), dtype=np.uint8)
    whole[:n] = tiles
    grid = whole.reshape(lines, columns, height, width, *channels).swapaxes(1, 2)
    return grid.reshape(lines * height, columns * width, *channels)


def _written(picture: npt.NDArray[np.uint8], kind: str, options: dict[str, Any]) -> bytes:
    from PIL import Image

    buffer = BytesIO()
    Image.fromarray(picture).save(buffer, kind, **options)
    return buffer.getvalue()
