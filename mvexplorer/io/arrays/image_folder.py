"""A folder of pictures: every file is a sample, its pixels at a common small size the features."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mvexplorer.errors import DataError
from mvexplorer.io.arrays.folders import IMAGE_SUFFIXES, files_in, note_others, take_folders
from mvexplorer.io.base.guards import Budget, open_file
from mvexplorer.io.base.parts import Parts, Values
from mvexplorer.io.base.roles import FileRequest

_DEEP = ("I", "I;16", "I;16B", "I;16L", "F")


@dataclass(frozen=True)
class _Picture:
    """The head of a picture file; `deep` grey values may exceed 255 or be fractions; it holds `n_frames` pictures."""

    path: Path
    size: tuple[int, int]
    grey: bool
    deep: bool
    n_frames: int


def read_image_folder(path: Path, asked: FileRequest | None = None) -> Parts:
    """Read a folder of pictures as one view of pixels, with thumbnails; the names of folders in it are the label."""
    asked = asked or FileRequest(path)
    files, others = files_in(path, IMAGE_SUFFIXES, "pictures")
    parts = Parts(path)
    pictures = [_look(file) for file in files]
    images = _thumbnails(pictures, parts, Budget(path), asked)
    parts.images = images if images.dtype == np.uint8 else np.round(images).astype(np.uint8)
    parts.views["pixels"] = images.reshape(len(files), -1)
    parts.ids, parts.id_name = _names(path, files), "file"
    asked.offer("pixels", lambda: parts.views["pixels"])
    take_folders([file.relative_to(path).parent.as_posix() for file in files], parts, asked)
    note_others(parts, others, "pictures")
    return parts


def _names(path: Path, files: list[Path]) -> Values:
    names = [file.name for file in files]
    if len(set(names)) < len(names):
        names = [file.relative_to(path).as_posix() for file in files]
    return np.array(names)


def _opened(file: Path, read: Any) -> Any:
    """Return what `read` makes of an open picture; DataError where it is damaged or too large."""
    try:
        from PIL import Image
    except ImportError:
        hint = "Install it with: python -m pip install pillow"
        raise DataError("Reading pictures needs Pillow, which is not installed.", hint) from None
    most_pixels = 80 * 10**6
    formats = ("PNG", "JPEG", "BMP", "GIF", "TIFF", "WEBP", "PPM")  # others of Pillow may start programs
    try:
        with open_file(file) as stream, Image.open(stream, formats=formats) as picture:
            width, height = picture.size
            if width * height > most_pixels:
                raise Image.DecompressionBombError
            return read(picture)
    except DataError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        message = f"“{file.name}” claims more pixels than the {most_pixels // 10**6} million that are the most."
        raise DataError(message, "Make it smaller, or leave it out.") from None
    except Exception as error:  # noqa: BLE001 - a damaged picture may raise anything
        hint = "Leave it out, or save it again as PNG."
        raise DataError(f"The picture “{file.name}” is damaged ({type(error).__name__}).", hint) from None


def _look(file: Path) -> _Picture:
    """Read size and colours of a picture, from its beginning."""

    def read(picture: Any) -> _Picture:
        turned = picture.getexif().get(0x0112, 1) in (5, 6, 7, 8)  # width and height change places
        size = picture.size[::-1] if turned else picture.size
        grey = picture.mode in ("1", "L", *_DEEP) or (picture.mode == "P" and _is_grey(picture.getpalette()))
        return _Picture(file, size, grey, picture.mode in _DEEP, getattr(picture, "n_frames", 1))

    about: _Picture = _opened(file, read)
    return about


def _is_grey(palette: list[int] | None) -> bool:
    """True if red, green and blue are equal in every colour of a palette."""
    colours = np.array(palette or [0, 1, 0]).reshape(-1, 3)
    return bool((colours == colours[:, :1]).all())


def _thumbnails(pictures: list[_Picture], parts: Parts, budget: Budget, asked: FileRequest) -> Values:
    """Bring all pictures to one size (M, h, w) or (M, h, w, 3), from 0 to 255."""
    sizes = Counter(picture.size for picture in pictures)
    (width, height), _ = sizes.most_common(1)[0]
    side = 32  # pixels of the longer side of a thumbnail, at most
    part = min(1.0, side / max(width, height))
    size = max(1, round(part * width)), max(1, round(part * height))
    grey = all(picture.grey for picture in pictures)
    if set(sizes) != {size}:
        usual = f"{width} x {height} pixels"
        if len(sizes) > 1:
            usual = f"{len(sizes):,} sizes, most often {usual}"
        parts.note(f"the pictures, of {usual}, were brought to {size[0]} x {size[1]} pixels.")
    shape = (len(pictures), size[1], size[0], *(() if grey else (3,)))
    budget.take(13 * int(np.prod(shape)))  # as thumbnails, and as numbers
    deep = np.array([picture.deep for picture in pictures])
    images = np.empty(shape, dtype=np.float32 if deep.any() else np.uint8)
    for i, picture in enumerate(pictures):
        asked.tick(i / len(pictures))
        images[i] = _opened(picture.path, lambda opened: _pixels(opened, size, grey))
    if deep.any():
        images[deep] = _to_bytes(images[deep], parts)
    if moving := [picture.path.name for picture in pictures if picture.n_frames > 1]:
        parts.note(f"of {len(moving):,} files with several pictures the first was read, as of “{moving[0]}”.")
    parts.note(
        f"pixels in {'grey' if grey else 'red, green and blue'} are the features, from 0 to 255; prepared by "
        f"pca:{min(50, len(pictures) - 1)} or so they become principal components."
    )
    return images


def _to_bytes(values: Values, parts: Parts) -> Values:
    """Scale grey values of any range to 0 to 255; all pictures by the same factor, so that they stay comparable."""
    values = values.astype(np.float64)  # the largest float32 may differ by more than one
    low, high = min(0.0, float(values.min())), float(values.max())
    if low == 0.0 and 1.0 < high <= 255.0:
        return values
    parts.note(f"grey values from {low:,.6g} to {high:,.6g} were brought to 0 to 255.")
    return (values - low) * (255.0 / ((high - low) or 1.0))


def _pixels(picture: Any, size: tuple[int, int], grey: bool) -> Values:
    from PIL import Image, ImageOps

    picture.draft(picture.mode, (4 * size[0], 4 * size[1]))  # a JPEG is decoded at a size near that
    picture = ImageOps.exif_transpose(picture)
    if picture.mode in _DEEP:
        values = np.nan_to_num(np.asarray(picture, dtype=np.float32))
        deep = Image.fromarray(values).resize(size, Image.Resampling.BOX)
        return np.asarray(deep) if grey else np.repeat(np.asarray(deep)[:, :, None], 3, axis=2)
    if "A" in picture.getbands() or "transparency" in picture.info:
        clear = picture.convert("RGBA")  # on white, as pages show it
        picture = Image.alpha_composite(Image.new("RGBA", clear.size, "white"), clear)
    return np.asarray(picture.convert("L" if grey else "RGB").resize(size, Image.Resampling.BOX))
