"""Colours, fonts, icons and the style sheet, for light and dark alike."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cache
from string import Template

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetricsF, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from mvexplorer.resources import resource
from mvexplorer.ui.style import roles
from mvexplorer.ui.style.roles import Roles

BASE_PX = 13
SMALL_PX = 11


@dataclass(frozen=True)
class Theme(Roles):
    """One set of colours that can be painted with."""

    def color(self, role: str, alpha: int = 255) -> QColor:
        """A role's colour for painting."""
        color = QColor(getattr(self, role))
        color.setAlpha(alpha)
        return color


LIGHT, DARK = (Theme(**asdict(each)) for each in (roles.LIGHT, roles.DARK))
PRINT = replace(LIGHT, window="#ffffff")
"""The light theme on white paper."""
SAFE = replace(PRINT, name="safe")
"""The same, with colours of points that grey print and every eye tell apart."""

_current = LIGHT
_scale = 1.0


def scale() -> float:
    """Return the factor on the usual size of the window's type and points."""
    return _scale


def set_type_scale(factor: float) -> None:
    """Make type and points of the window larger or smaller; each window then takes `style_sheet` again."""
    global _scale
    _scale = factor


def px(pixels: float) -> int:
    """A length that grows with the type."""
    return max(1, round(pixels * _scale))


def square(button: QAbstractButton, side: int = 22, sign: int = 14) -> None:
    """Give a button and its icon sizes that grow with the type wherever `fit_squares` is called."""
    button.setProperty("square", (side, sign))
    _fit_square(button, side, sign)


def fit_squares(window: QWidget) -> None:
    """Give the buttons with icons in a window the size that suits the type."""
    for button in window.findChildren(QAbstractButton):
        if (sizes := button.property("square")) is not None:
            _fit_square(button, *sizes)


def _fit_square(button: QAbstractButton, side: int, sign: int) -> None:
    button.setIconSize(QSize(px(sign), px(sign)))
    button.setFixedSize(px(side), px(side))


@contextmanager
def worn(other: Theme) -> Iterator[None]:
    """Paint in another theme at the usual size, whatever the window wears: paper is white, and has no zoom."""
    global _current, _scale
    former = _current, _scale
    _current, _scale = other, 1.0
    try:
        yield
    finally:
        _current, _scale = former


def metrics(of: QFont) -> QFontMetricsF:
    """Widths and heights of a font."""
    return QFontMetricsF(of)


def current() -> Theme:
    """The current theme."""
    return _current


@cache
def bundled_family() -> str:
    """The bundled font: a server without fonts would draw boxes."""
    family = ""
    for file in ("Inter-Regular.otf", "Inter-SemiBold.otf"):
        handle = QFontDatabase.addApplicationFont(str(resource("fonts", file)))
        families = QFontDatabase.applicationFontFamilies(handle)
        family = families[0] if families else family
    return family


def font(px: int = BASE_PX, *, bold: bool = False, family: str = "") -> QFont:
    """The program's font with tabular figures, so that changing numbers keep their width.

    A `family` is named for files: there every letter and figure keeps its plain shape, since readers of PDF cannot tell
    which character another shape stands for.
    """
    qfont = QFont(family or QApplication.font().family())
    qfont.setPixelSize(px)
    qfont.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    if family:
        qfont.setFeature(QFont.Tag("calt"), 0)
    else:
        qfont.setFeature(QFont.Tag("tnum"), 1)
    return qfont


def apply_theme(app: QApplication, choice: str) -> None:
    """Use "light", "dark", or "system" for what the desktop prefers; each window then takes `style_sheet`.

    The style sheet is a window's own, not the application's: Qt restyles each widget once for every widget around it
    when the application's changes, which takes ten times as long.
    """
    global _current
    dark = app.styleHints().colorScheme() == Qt.ColorScheme.Dark if choice == "system" else choice == "dark"
    _current = DARK if dark else LIGHT
    app.setPalette(_palette(_current))


def icon(name: str, role: str = "muted") -> QIcon:
    """A line icon in one of the theme's colours."""
    return _icon(name, role, _current.name)


@cache
def _icon(name: str, role: str, _: str) -> QIcon:
    """Draw the icon, once in each theme."""
    qicon = QIcon()
    for size in (16, 32, 64):
        qicon.addPixmap(pixmap(name, role, size))
    return qicon


def pixmap(name: str, role: str = "muted", size: int = 16) -> QPixmap:
    """An icon as a picture of `size` device pixels."""
    source = resource("icons", f"{name}.svg").read_text("utf-8").replace("currentColor", getattr(_current, role))
    drawn = QPixmap(size, size)
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    QSvgRenderer(QByteArray(source.encode())).render(painter, QRectF(0, 0, size, size))
    painter.end()
    return drawn


def _palette(t: Theme) -> QPalette:
    palette = QPalette()
    roles = {
        QPalette.ColorRole.Window: t.window,
        QPalette.ColorRole.Base: t.surface,
        QPalette.ColorRole.AlternateBase: t.window,
        QPalette.ColorRole.Button: t.surface,
        QPalette.ColorRole.Text: t.text,
        QPalette.ColorRole.WindowText: t.text,
        QPalette.ColorRole.ButtonText: t.text,
        QPalette.ColorRole.PlaceholderText: t.muted,
        QPalette.ColorRole.Highlight: t.accent,
        QPalette.ColorRole.HighlightedText: t.on_accent,
        QPalette.ColorRole.ToolTipBase: t.raised,
        QPalette.ColorRole.ToolTipText: t.text,
        QPalette.ColorRole.Link: t.accent,
    }
    for role, color in roles.items():
        palette.setColor(role, QColor(color))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText, QPalette.ColorRole.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(t.muted))
    return palette


def style_sheet() -> str:
    """The style sheet of `resources/style` in the current theme's colours, for a window and all that belongs to it."""
    t = _current
    icons = {"check": f"check-on-accent-{t.name}.svg", "chevron": f"chevron-down-{t.name}.svg"}
    paths = {name: resource("icons", file).as_posix() for name, file in icons.items()}
    sheet = Template(resource("style", "window.qss").read_text("utf-8"))
    sizes = {"base": BASE_PX, "small": SMALL_PX, "headline": 15, "hero": 26, "box": 13, "round": 7, "arrow": 12}
    return sheet.substitute(asdict(t), **{name: px(size) for name, size in sizes.items()}, **paths)
