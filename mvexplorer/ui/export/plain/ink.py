"""Pictures without Qt: as PNG by Pillow, or as SVG in text, both with the bundled letters."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from mvexplorer.resources import resource
from mvexplorer.ui.cloud.arrays import Points
from mvexplorer.ui.cloud.counts import is_dense
from mvexplorer.ui.cloud.rasteriser import PointStyle, painted
from mvexplorer.version import __version__
from mvexplorer.wording import middle_cut, readable

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont

SCALE = 2.0
"""Pixels of a PNG per unit; a unit is a pixel at 96 dpi."""
KEY = "mvexplorer"
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


@dataclass(frozen=True, eq=False)
class Spots:
    """Points xy (M, 2) of radii (M,) in units from the corner of their room, in a look; those `hollow` are rings.

    Points of a larger `depth` (M,) are nearer.
    """

    xy: Points
    radius: Points
    look: PointStyle
    depth: Points | None
    hollow: Sequence[int]


class Ink(Protocol):
    """A picture is drawn with one; lengths are in units, y down, colours #rrggbb."""

    def box(self, x: float, y: float, width: float, height: float, fill: str, edge: str = "") -> None:
        """Draw a rectangle."""

    def words(self, x: float, y: float, text: str, size: float, colour: str, *, bold: bool = False) -> None:
        """Write on one line, from x on, with the foot of the letters at y."""

    def marker(self, x: float, y: float, radius: float, colour: str, form: int) -> None:
        """Draw one point: 0 disc, 1 square, 2 diamond."""

    def cloud(self, x: float, y: float, width: float, height: float, spots: Spots, ground: str) -> None:
        """Draw points in a room of its own."""

    def payload(self, title: str, record: Mapping[str, Any]) -> bytes:
        """The file, with what it shows and how that was computed."""


# Letters ----------------------------------------------------------------------------------------------------------


@cache
def _letters(size: float, bold: bool) -> FreeTypeFont:
    from PIL import ImageFont

    file = resource("fonts", "Inter-SemiBold.otf" if bold else "Inter-Regular.otf")
    return ImageFont.truetype(str(file), size, layout_engine=ImageFont.Layout.BASIC)


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of a line in units, as pixels have it: letters are set to whole ones."""
    return _letters(size * SCALE, bold).getlength(readable(text)) / SCALE


def fitted(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """A line as long as the room allows, its middle cut."""
    most = len(text)
    while most > 2 and text_width(middle_cut(text, most), size, bold=bold) > room:
        most -= 1
    return middle_cut(text, most)


def in_lines(text: str, size: float, room: float) -> list[str]:
    """A text in lines that the room allows; a word that is wider than a line is cut."""
    lines = []
    for row in text.splitlines():
        line = ""
        for word in (fitted(middle_cut(word, 200), size, room) for word in row.split(" ")):
            longer = f"{line} {word}" if line else word
            if line and text_width(longer, size) > room:
                lines.append(line)
                longer = word
            line = longer
        lines.append(line)
    return lines


# Shapes -----------------------------------------------------------------------------------------------------------


def _reach(radius: float, form: int) -> float:
    """Half a square's side, or half a diamond's height, that looks as large as a disc."""
    return radius / 1.13 if form == 1 else radius / 0.8 if form == 2 else radius


def _hollow(radius: float) -> float:
    """The radius of what is taken out of a point without a place of its own."""
    return max(0.55 * radius, radius - 1.3)


def _pixels(spots: Spots, width: float, height: float, ground: str) -> Image:
    """The points on their ground as pixels."""
    from PIL import Image, ImageColor

    shape = int(height * SCALE), int(width * SCALE)
    whole = Image.new("RGB", (shape[1], shape[0]), ground)
    pixels = np.asarray(whole, dtype=np.float64)
    picture = painted(spots.look, spots.xy * SCALE, spots.radius * SCALE, shape, spots.depth)
    for layer in picture.layers:
        blue, green, red, opacity = np.moveaxis(layer.bgra.astype(np.float64), 2, 0)
        pixels = np.stack([red, green, blue], axis=2) + pixels * (1.0 - opacity / 255.0)[:, :, None]
    drawn = Image.fromarray(np.clip(np.rint(pixels), 0, 255).astype(np.uint8))
    for i in spots.hollow:
        x, y = spots.xy[i] * SCALE
        _disc(drawn, float(x), float(y), _hollow(float(spots.radius[i])) * SCALE, ImageColor.getrgb(ground))
    return drawn


def _disc(image: Image, x: float, y: float, radius: float, colour: Any) -> None:
    from PIL import ImageDraw

    ImageDraw.Draw(image).ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)


def _as_png(image: Image, **options: Any) -> bytes:
    buffer = BytesIO()
    image.save(buffer, "PNG", **options)
    return buffer.getvalue()


class PngInk:
    """Pixels, twice as many as units along each side."""

    def __init__(self, width: float, height: float, ground: str) -> None:
        from PIL import Image, ImageDraw

        self._image = Image.new("RGB", (round(width * SCALE), round(height * SCALE)), ground)
        self._pen = ImageDraw.Draw(self._image)

    def box(self, x: float, y: float, width: float, height: float, fill: str, edge: str = "") -> None:
        """Draw a rectangle."""
        corners = tuple(round(v * SCALE) for v in (x, y, x + width, y + height))
        self._pen.rectangle(corners, fill=fill, outline=edge or None, width=2 if edge else 0)

    def words(self, x: float, y: float, text: str, size: float, colour: str, *, bold: bool = False) -> None:
        """Write on one line."""
        letters = _letters(size * SCALE, bold)
        self._pen.text((x * SCALE, y * SCALE), readable(text), fill=colour, font=letters, anchor="ls")

    def marker(self, x: float, y: float, radius: float, colour: str, form: int) -> None:
        """Draw one point."""
        x, y, reach = x * SCALE, y * SCALE, _reach(radius, form) * SCALE
        if form == 2:
            self._pen.polygon([(x, y - reach), (x + reach, y), (x, y + reach), (x - reach, y)], fill=colour)
        else:
            draw = self._pen.rectangle if form == 1 else self._pen.ellipse
            draw((x - reach, y - reach, x + reach, y + reach), fill=colour)

    def cloud(self, x: float, y: float, width: float, height: float, spots: Spots, ground: str) -> None:
        """Draw points."""
        self._image.paste(_pixels(spots, width, height, ground), (round(x * SCALE), round(y * SCALE)))

    def payload(self, title: str, record: Mapping[str, Any]) -> bytes:
        """The PNG file."""
        from PIL.PngImagePlugin import PngInfo

        texts = PngInfo()
        texts.add_text("Software", f"mvexplorer {__version__}")
        texts.add_itxt("Description", readable(title))
        texts.add_text(KEY, json.dumps(record), zip=True)
        return _as_png(self._image, pnginfo=texts, dpi=(96 * SCALE, 96 * SCALE), optimize=True)


class SvgInk:
    """Elements of an SVG file; every text is escaped, and as wide in any other font."""

    def __init__(self, width: float, height: float, ground: str) -> None:
        self._size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
        self._elements: list[str] = []
        self.box(0, 0, width, height, ground)

    def box(self, x: float, y: float, width: float, height: float, fill: str, edge: str = "") -> None:
        """Draw a rectangle."""
        line = f' stroke="{edge}"' if edge else ""
        self._elements.append(
            f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" fill="{fill}"{line}/>'
        )

    def words(self, x: float, y: float, text: str, size: float, colour: str, *, bold: bool = False) -> None:
        """Write on one line."""
        weight = ' font-weight="600"' if bold else ""
        held = f'textLength="{text_width(text, size, bold=bold):.2f}" lengthAdjust="spacingAndGlyphs"'
        self._elements.append(
            f'<text x="{x:.2f}" y="{y:.2f}" font-size="{size:g}" fill="{colour}"{weight} {held}>{_xml(text)}</text>'
        )

    def marker(self, x: float, y: float, radius: float, colour: str, form: int, opacity: float = 1.0) -> None:
        """Draw one point."""
        fill = f'fill="{colour}"' + (f' fill-opacity="{opacity:.3g}"' if opacity < 1.0 else "")
        reach = _reach(radius, form)
        if form == 0:
            self._elements.append(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius:.2f}" {fill}/>')
        elif form == 1:
            side = f'width="{2 * reach:.2f}" height="{2 * reach:.2f}"'
            self._elements.append(f'<rect x="{x - reach:.2f}" y="{y - reach:.2f}" {side} {fill}/>')
        else:
            corners = ((x, y - reach), (x + reach, y), (x, y + reach), (x - reach, y))
            places = " ".join(f"{a:.2f},{b:.2f}" for a, b in corners)
            self._elements.append(f'<polygon points="{places}" {fill}/>')

    def cloud(self, x: float, y: float, width: float, height: float, spots: Spots, ground: str) -> None:
        """Draw points one by one, or so many that nobody could tell them apart as pixels."""
        if is_dense(spots.xy * SCALE, (int(height * SCALE), int(width * SCALE))):
            source = b64encode(_as_png(_pixels(spots, width, height, ground))).decode()
            place = f'x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"'
            self._elements.append(f'<image {place} href="data:image/png;base64,{source}"/>')
            return
        order: npt.NDArray[np.intp] = np.arange(len(spots.xy))
        if spots.depth is not None:
            order = np.argsort(spots.depth, kind="stable")
        forms = np.zeros(len(spots.xy), np.uint8) if spots.look.markers is None else spots.look.markers
        for layer in spots.look.layers():
            alpha = np.broadcast_to(layer, len(spots.xy))
            for i in order[alpha[order] > 0.0].tolist():
                colour = "#{:02x}{:02x}{:02x}".format(*spots.look.colours[i].tolist())
                across, down = x + float(spots.xy[i, 0]), y + float(spots.xy[i, 1])
                self.marker(across, down, float(spots.radius[i]), colour, int(forms[i]), float(alpha[i]))
        for i in spots.hollow:
            across, down = x + float(spots.xy[i, 0]), y + float(spots.xy[i, 1])
            self.marker(across, down, _hollow(float(spots.radius[i])), ground, 0)

    def payload(self, title: str, record: Mapping[str, Any]) -> bytes:
        """The SVG file."""
        about = f"<title>{_xml(title)}</title>\n<desc>{_xml(json.dumps(record))}</desc>"
        fonts = 'font-family="Inter, Helvetica, Arial, sans-serif"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" {self._size} {fonts}>'
        return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, about, *self._elements, "</svg>\n"]).encode()


INKS: Mapping[str, Callable[[float, float, str], Ink]] = {".png": PngInk, ".svg": SvgInk}
"""The inks by the ending of the file."""


def _xml(text: str) -> str:
    return escape(_NO_XML.sub(" ", readable(text)), quote=False)
