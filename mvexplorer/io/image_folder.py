"""A folder of pictures: every file is a sample, its pixels at a common small size the features."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mvexplorer.errors import DataError
from mvexplorer.io.guards import MAX_RECORDINGS, Budget, check_count, open_file
from mvexplorer.io.parts import UNLABELLED, Parts
from mvexplorer.io.roles import Asked

if TYPE_CHECKING:
    from mvexplorer.io.parts import Values

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".pgm", ".ppm")
_FORMATS = ("PNG", "JPEG", "BMP", "GIF", "TIFF", "WEBP", "PPM")
"""Others are not tried: some formats of Pillow start programs."""
SIDE = 32
"""Pixels of the longer side of a thumbnail, at most."""
MOST_PIXELS = 80 * 10**6
VIEW, FOLDER = "pixels", "folder"
_DEPTH = 8  # folders within folders
_GREY = ("1", "L", "I", "I;16", "I;16B", "I;16L")
_DEEP = 257.0  # grey values of 16 bits for one of 8
_HINT = "Leave it out, or save it again as PNG."


@dataclass(frozen=True)
class _Picture:
    path: Path
    size: tuple[int, int]
    grey: bool


def read_image_folder(path: Path, asked: Asked | None = None) -> Parts:
    """Read a folder of pictures; the names of folders in it are the label.

    Parameters
    ----------
    path : Path
        The folder.
    asked : Asked, optional
        What is asked of it.

    Returns
    -------
    Parts
        One view of pixels, thumbnails, and the files' names.

    Raises
    ------
    DataError
        It holds no pictures, or one that cannot be read.
    """
    asked = asked or Asked(path)
    files, others = _find(path)
    if not files:
        hint = "Give a folder of PNG or JPEG files; of other files give the files themselves, one per view."
        raise DataError(f"The folder “{path.name}” holds no pictures.", hint)
    check_count(path, len(files), MAX_RECORDINGS, "pictures", "Keep a part of them.")
    parts = Parts(path)
    pictures = [_look(file) for file in files]
    parts.images = images = _thumbnails(pictures, parts, Budget(path), asked)
    parts.views[VIEW] = images.reshape(len(files), -1)
    parts.ids, parts.id_name = _names(path, files), "file"
    asked.offer(VIEW, lambda: parts.views[VIEW])
    _take_folders(path, files, parts, asked)
    if others:
        parts.note(f"{others:,} other file{'s are' if others > 1 else ' is'} no pictures and left out.")
    return parts


def _find(path: Path) -> tuple[list[Path], int]:
    """The pictures in the order of their numbers, and how many other files there are; links are not followed."""
    files: list[Path] = []
    others = 0
    for folder, folders, names in os.walk(path):
        depth = len(Path(folder).relative_to(path).parts)
        folders[:] = sorted(n for n in folders if not n.startswith(".")) if depth < _DEPTH else []
        for name in names:
            own = Path(folder, name)
            picture = own.suffix.lower() in IMAGE_SUFFIXES and not own.is_symlink()
            files += [own] * (picture and not name.startswith("."))
            others += not picture and not name.startswith(".") and name != "Thumbs.db"
        if len(files) > MAX_RECORDINGS:
            break
    return sorted(files, key=lambda file: _in_order(str(file.relative_to(path)))), others


def _in_order(name: str) -> list[tuple[int, str]]:
    """Sorts 2 before 10."""
    parts = re.split(r"([0-9]+)", name)  # at odd places the numbers
    return [(int(part), "") if place % 2 else (-1, part) for place, part in enumerate(parts)]


def _names(path: Path, files: list[Path]) -> Values:
    names = [file.name for file in files]
    if len(set(names)) < len(names):
        names = [file.relative_to(path).as_posix() for file in files]
    return np.array(names)


def _take_folders(path: Path, files: list[Path], parts: Parts, asked: Asked) -> None:
    """The folders in the folder as the label, where there are several."""
    above = [file.relative_to(path).parent.as_posix() for file in files]
    folders = np.array([UNLABELLED if name == "." else name for name in above])
    if len(set(above)) < 2:
        return
    asked.offer(FOLDER, lambda: folders)
    role = asked.role(FOLDER)
    if role == "colour" or (asked.labels is not None and asked.labels != FOLDER):
        parts.columns[FOLDER] = folders
    elif role != "ignore":
        parts.labels, parts.label_name = folders, FOLDER
        parts.note("the names of the folders were taken as the label.", subjects=(FOLDER,))


def _opened(file: Path, read: Any) -> Any:
    """What `read` makes of an open picture; DataError where it is damaged or too large."""
    try:
        from PIL import Image
    except ImportError:
        hint = "Install it with: python -m pip install pillow"
        raise DataError("Reading pictures needs Pillow, which is not installed.", hint) from None
    try:
        with open_file(file) as stream, Image.open(stream, formats=_FORMATS) as picture:
            width, height = picture.size
            if width * height > MOST_PIXELS:
                raise Image.DecompressionBombError
            return read(picture)
    except DataError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        message = f"“{file.name}” claims more pixels than the {MOST_PIXELS // 10**6} million that are the most."
        raise DataError(message, "Make it smaller, or leave it out.") from None
    except Exception as error:  # noqa: BLE001 - a damaged picture may raise anything
        raise DataError(f"The picture “{file.name}” is damaged ({type(error).__name__}).", _HINT) from None


def _look(file: Path) -> _Picture:
    """Size and colours of a picture, from its beginning."""

    def read(picture: Any) -> _Picture:
        turned = picture.getexif().get(0x0112, 1) in (5, 6, 7, 8)  # width and height change places
        return _Picture(file, picture.size[::-1] if turned else picture.size, picture.mode in _GREY)

    found: _Picture = _opened(file, read)
    return found


def _thumbnails(pictures: list[_Picture], parts: Parts, budget: Budget, asked: Asked) -> Values:
    """All pictures at one size (M, h, w) or (M, h, w, 3), of 8 bits."""
    sizes = Counter(picture.size for picture in pictures)
    (width, height), _ = sizes.most_common(1)[0]
    part = min(1.0, SIDE / max(width, height))
    size = max(1, round(part * width)), max(1, round(part * height))
    grey = all(picture.grey for picture in pictures)
    if set(sizes) != {size}:
        usual = f"{width} x {height} pixels"
        if len(sizes) > 1:
            usual = f"{len(sizes):,} sizes, most often {usual}"
        parts.note(f"the pictures, of {usual}, were brought to {size[0]} x {size[1]} pixels.")
    shape = (len(pictures), size[1], size[0], *(() if grey else (3,)))
    budget.take(9 * int(np.prod(shape)))  # as thumbnails, and as numbers
    images = np.empty(shape, dtype=np.uint8)
    for i, picture in enumerate(pictures):
        asked.tick(i / len(pictures))
        images[i] = _opened(picture.path, lambda opened: _pixels(opened, size, grey))
    parts.note(f"pixels in {'grey' if grey else 'red, green and blue'} are the features, from 0 to 255.")
    return images


def _pixels(picture: Any, size: tuple[int, int], grey: bool) -> Values:
    from PIL import Image, ImageOps

    picture.draft(picture.mode, (4 * size[0], 4 * size[1]))  # a JPEG is decoded at a size near that
    picture = ImageOps.exif_transpose(picture)
    if picture.mode.startswith("I") or picture.mode == "F":
        values = np.asarray(picture, dtype=np.float64)
        values = values / (_DEEP if values.max(initial=0.0) > 255 else 1.0)
        picture = Image.fromarray(np.clip(values, 0, 255).astype(np.uint8))
    elif "A" in picture.getbands() or "transparency" in picture.info:
        clear = picture.convert("RGBA")  # on white, as pages show it
        picture = Image.alpha_composite(Image.new("RGBA", clear.size, "white"), clear)
    return np.asarray(picture.convert("L" if grey else "RGB").resize(size, Image.Resampling.BOX))
