"""Colours of points: safe for colour-blind people, perceptually even, and the same in every picture."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import numpy.typing as npt

from mvexplorer.resources import resource
from mvexplorer.state.pictures.colouring import Colouring

RGB = npt.NDArray[np.uint8]
Codes = npt.NDArray[np.intp]

CLASSES = {
    "light": (
        "#1f73dc", "#cf8219", "#4ea276", "#af4e82", "#369fbe", "#6b1315", "#726600", "#3e05de", "#14305e", "#716054",
    ),
    "dark": (
        "#79acff", "#f28d0a", "#3ad08a", "#d595b2", "#8fe9fc", "#cd5547", "#fff56b", "#7963f3", "#ebe6dc", "#7e7e7b",
    ),
    "safe": (
        "#012601", "#530068", "#653500", "#4032c1", "#157233", "#af20f2", "#728e04", "#17a4cd", "#42c20e", "#b7b2ff",
    ),
}  # fmt: skip
"""Ten colours for classes, on each theme's ground; the safe ones, on white, from dark to light.

They were searched for near pleasant hues under two conditions: a contrast of 3:1 to the ground, and for eyes with all
cones, without red or without green ones a CIEDE2000 difference of 15 between any two. Both are tested."""
FORMS = 3
"""Disc, square, diamond: after ten classes the colours come again in the next form."""
CURVES = (
    "#0f7def", "#c17a0a", "#2e9a50", "#d1459c", "#1796b2", "#d44539",
    "#8d61df", "#8b8520", "#7f7d7b", "#a46b4b", "#0f9987", "#7581a2",
)  # fmt: skip
"""Colours of up to twelve curves, dark enough for the light theme and light enough for the dark one.

Twelve of one lightness cannot be told apart by every eye: dash or mark curves as well."""
PLAIN = {"light": (61, 106, 196), "dark": (123, 163, 255), "safe": (61, 106, 196)}
REST = {"light": (208, 210, 214), "dark": (59, 63, 73), "safe": (208, 210, 214)}
"""All other points where some are selected: visible, but clearly behind, and like no class, the grey one neither."""


def _rgb(text: str) -> tuple[int, int, int]:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def class_colours(n_classes: int, theme: str) -> RGB:
    """One colour per class, (n_classes, 3)."""
    base = CLASSES[theme]
    return np.array([_rgb(base[i % len(base)]) for i in range(n_classes)], dtype=np.uint8)


def colours_of(colouring: Colouring, theme: str) -> RGB:
    """One colour per class of a colouring, (n_classes, 3)."""
    base = np.array([*map(_rgb, CLASSES[theme]), REST[theme]], dtype=np.uint8)
    places = class_places(colouring)
    return base[np.where(places < 0, -1, places % len(CLASSES[theme]))]


def class_places(colouring: Colouring) -> Codes:
    """The place of each class among all colours and forms, (n_classes,); -1 for the grey of the rest."""
    return np.array(colouring.colours or range(len(colouring.classes)), dtype=np.intp)


@cache
def _scales() -> dict[str, str]:
    """The 256 colours of each scale by its name, six letters a colour."""
    scales: dict[str, str] = json.loads(resource("style", "scales.json").read_text("utf-8"))
    return scales


@cache
def scale_colours(kind: str, theme: str = "light") -> RGB:
    """256 colours of a "continuous", "cyclic" or "diverging" scale; the safe one only grows lighter."""
    name = "cividis" if theme == "safe" else {"continuous": "viridis", "cyclic": "CET-C2", "diverging": "CET-D1A"}[kind]
    table = np.frombuffer(bytes.fromhex(_scales()[name]), dtype=np.uint8).reshape(256, 3).astype(np.float64)
    # Omit invisible colours: pale yellow and the white middle on white, dark ends on black.
    if theme == "safe":
        table = table[:219]
    elif kind == "continuous":
        table = table[:241] if theme == "light" else table[32:]
    elif theme == "light":
        table *= 0.88
    elif kind == "diverging":
        table = table[12:-12]
    table = table[np.linspace(0, len(table) - 1, 256).astype(int)]
    return np.ascontiguousarray(table.astype(np.uint8))


def scale_kind(colouring: Colouring) -> str:
    """The kind of scale for the numbers of a colouring."""
    return "cyclic" if colouring.cyclic else "diverging" if colouring.diverging else "continuous"


def scale_limits(colouring: Colouring) -> tuple[float, float]:
    """Values at the two ends of the scale; symmetric about 0 if diverging, a full turn if cyclic."""
    if colouring.cyclic:
        return 0.0, 2 * np.pi
    finite = colouring.values[np.isfinite(colouring.values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    if colouring.diverging:
        bound = max(abs(low), abs(high)) or 1.0
        return -bound, bound
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def class_markers(n_classes: int) -> npt.NDArray[np.uint8]:
    """Form of each class's points, (n_classes,): discs for the first ten, then squares, then diamonds."""
    return (np.arange(n_classes) // len(CLASSES["light"]) % FORMS).astype(np.uint8)


def markers_of(colouring: Colouring, theme: str = "light") -> npt.NDArray[np.uint8]:
    """Form of the points of each class of a colouring, (n_classes,)."""
    places = np.maximum(class_places(colouring), 0)
    if theme == "safe":  # neighbours in lightness differ in form as well
        forms: npt.NDArray[np.uint8] = ((places + places // len(CLASSES[theme])) % FORMS).astype(np.uint8)
        return forms
    return class_markers(int(places.max(initial=0)) + 1)[places]


def point_markers(colouring: Colouring | None, theme: str = "light") -> npt.NDArray[np.uint8] | None:
    """Form of each sample's point (M,); None where all are discs."""
    if colouring is None or not (markers := markers_of(colouring, theme)).any():
        return None
    codes: Codes = colouring.values
    return markers[codes]


def point_colours(colouring: Colouring | None, n_samples: int, theme: str) -> RGB:
    """One colour per sample, (M, 3)."""
    if colouring is None:
        return np.tile(np.array(PLAIN[theme], dtype=np.uint8), (n_samples, 1))
    if colouring.classes:
        codes: Codes = colouring.values
        return colours_of(colouring, theme)[codes]
    return scale_colours(scale_kind(colouring), theme)[scale_places(colouring)]


def scale_places(colouring: Colouring) -> Codes:
    """Each sample's place (M,) among the 256 colours of the scale."""
    low, high = scale_limits(colouring)
    position = (np.nan_to_num(colouring.values, nan=low) - low) / (high - low)
    places: Codes = np.clip(position * 255.0 + 0.5, 0, 255).astype(int)
    return places


@cache
def _counterparts(of: str) -> tuple[Codes, RGB]:
    """The colours that points may have in one theme, as sorted numbers, and what they are in the other one."""
    both = []
    for theme in (of, "dark" if of == "light" else "light"):
        scales = [scale_colours(kind, theme) for kind in ("continuous", "cyclic", "diverging")]
        both.append(np.vstack([*scales, [*map(_rgb, CLASSES[theme]), PLAIN[theme], REST[theme]]]).astype(np.uint8))
    numbers, first = np.unique(_as_numbers(both[0]), return_index=True)
    return numbers, both[1][first]


def _as_numbers(rgb: RGB) -> Codes:
    numbers: Codes = rgb.astype(np.intp) @ np.array([1 << 16, 1 << 8, 1])
    return numbers


def in_other_theme(rgb: RGB, of: str) -> RGB:
    """Colours of points (n, 3) in one theme as they are in the other; what is no colour of points stays."""
    numbers, others = _counterparts(of)
    sought = _as_numbers(rgb)
    places = np.minimum(np.searchsorted(numbers, sought), len(numbers) - 1)
    return np.where((numbers[places] == sought)[:, None], others[places], rgb)
