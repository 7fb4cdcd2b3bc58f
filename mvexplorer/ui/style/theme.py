"""Colours, fonts, icons and the style sheet: everything that makes light and dark of equal quality."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from mvexplorer.resources import resource

BASE_PX = 13
SMALL_PX = 11


@dataclass(frozen=True)
class Theme:
    """One set of colours, as #rrggbb."""

    name: str
    window: str
    surface: str
    raised: str
    hairline: str
    text: str
    muted: str
    accent: str
    on_accent: str
    soft: str
    amber: str
    amber_soft: str
    red: str
    red_soft: str

    def color(self, role: str, alpha: int = 255) -> QColor:
        """A role's colour for painting."""
        color = QColor(getattr(self, role))
        color.setAlpha(alpha)
        return color


LIGHT = Theme(
    "light", window="#f4f5f7", surface="#ffffff", raised="#ffffff", hairline="#dfe3e8", text="#1a1f26",
    muted="#5c6570", accent="#2f62d9", on_accent="#ffffff", soft="#e9effc", amber="#8a5a00", amber_soft="#fdf3dc",
    red="#b3261e", red_soft="#fdeceb",
)  # fmt: skip
DARK = Theme(
    "dark", window="#15171b", surface="#1c1f24", raised="#24282f", hairline="#323841", text="#e8eaed",
    muted="#a0a8b3", accent="#7ba3ff", on_accent="#10131a", soft="#27324a", amber="#f0bd5b", amber_soft="#3a2f17",
    red="#ff8a80", red_soft="#3d2322",
)  # fmt: skip

_current = LIGHT


def current() -> Theme:
    """The theme in force."""
    return _current


@cache
def bundled_family() -> str:
    """The font shipped with the program: a server without fonts draws boxes otherwise."""
    family = ""
    for file in ("Inter-Regular.otf", "Inter-SemiBold.otf"):
        handle = QFontDatabase.addApplicationFont(str(resource("fonts", file)))
        families = QFontDatabase.applicationFontFamilies(handle)
        family = families[0] if families else family
    return family


def font(px: int = BASE_PX, *, bold: bool = False, family: str = "") -> QFont:
    """The program's font with tabular figures, so that numbers do not dance."""
    made = QFont(family or QApplication.font().family())
    made.setPixelSize(px)
    made.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    made.setFeature(QFont.Tag("tnum"), 1)
    return made


def apply_theme(app: QApplication, choice: str) -> None:
    """Use "light", "dark", or "system" for what the desktop prefers."""
    global _current
    dark = app.styleHints().colorScheme() == Qt.ColorScheme.Dark if choice == "system" else choice == "dark"
    _current = DARK if dark else LIGHT
    icon.cache_clear()
    app.setPalette(_palette(_current))
    app.setStyleSheet(_style_sheet(_current))


@cache
def icon(name: str, role: str = "muted") -> QIcon:
    """A line icon in one of the theme's colours."""
    made = QIcon()
    for size in (16, 32):
        made.addPixmap(pixmap(name, role, size))
    return made


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
        QPalette.ColorRole.Window: t.window, QPalette.ColorRole.Base: t.surface,
        QPalette.ColorRole.AlternateBase: t.window, QPalette.ColorRole.Button: t.surface,
        QPalette.ColorRole.Text: t.text, QPalette.ColorRole.WindowText: t.text, QPalette.ColorRole.ButtonText: t.text,
        QPalette.ColorRole.PlaceholderText: t.muted, QPalette.ColorRole.Highlight: t.accent,
        QPalette.ColorRole.HighlightedText: t.on_accent, QPalette.ColorRole.ToolTipBase: t.raised,
        QPalette.ColorRole.ToolTipText: t.text, QPalette.ColorRole.Link: t.accent,
    }  # fmt: skip
    for role, color in roles.items():
        palette.setColor(role, QColor(color))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText, QPalette.ColorRole.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(t.muted))
    return palette


def _style_sheet(t: Theme) -> str:
    return f"""
    QWidget {{ font-size: {BASE_PX}px; color: {t.text}; }}
    QMainWindow, #window {{ background: {t.window}; }}
    QLabel[role="muted"] {{ color: {t.muted}; font-size: {SMALL_PX}px; }}
    QLabel[role="title"] {{ font-weight: 600; }}
    QLabel[role="hero"] {{ font-size: 26px; font-weight: 600; }}
    QLabel[role="section"] {{ color: {t.muted}; font-size: {SMALL_PX}px; font-weight: 600; }}
    QLabel[role="best"] {{ font-size: {SMALL_PX}px; font-weight: 600; }}
    QLabel[role="amber"] {{ color: {t.amber}; font-size: {SMALL_PX}px; }}
    QLabel[role="error"] {{ color: {t.red}; }}
    QMenuBar {{ background: {t.surface}; border-bottom: 1px solid {t.hairline}; padding: 2px 4px; }}
    QMenuBar::item {{ padding: 4px 10px; border-radius: 4px; background: transparent; }}
    QMenuBar::item:selected {{ background: {t.soft}; }}
    QMenu {{ background: {t.raised}; border: 1px solid {t.hairline}; padding: 4px; }}
    QMenu::item {{ padding: 5px 24px 5px 12px; border-radius: 4px; }}
    QMenu::item:selected {{ background: {t.soft}; }}
    QMenu::item:disabled {{ color: {t.muted}; }}
    QMenu::separator {{ height: 1px; background: {t.hairline}; margin: 4px 8px; }}
    QMenu::indicator {{ width: 14px; height: 14px; left: 6px; }}
    QMenu::item:checked {{ font-weight: 600; }}
    QToolTip {{ background: {t.raised}; color: {t.text}; border: 1px solid {t.hairline}; padding: 4px 6px; }}
    #side, #bottom {{ background: {t.surface}; }}
    #side {{ border-right: 1px solid {t.hairline}; }}
    #points {{ background: {t.surface}; border-left: 1px solid {t.hairline}; }}
    #bottom {{ border-top: 1px solid {t.hairline}; }}
    #panel {{ background: {t.surface}; border: 1px solid {t.hairline}; border-radius: 6px; }}
    #panel[focused="true"] {{ border: 1px solid {t.accent}; }}
    #panel[droptarget="true"] {{ border: 2px dashed {t.accent}; }}
    #banner {{ background: {t.soft}; border-radius: 6px; }}
    #banner[level="warning"] {{ background: {t.amber_soft}; }}
    #banner[level="error"] {{ background: {t.red_soft}; }}
    #hairline {{ background: {t.hairline}; border: none; }}
    #card {{ background: {t.raised}; border: 1px solid {t.hairline}; border-radius: 6px; }}
    #choice {{ background: {t.surface}; border: 1px solid {t.hairline}; border-radius: 8px; text-align: left;
               padding: 12px 16px; }}
    #choice:hover, #choice:focus {{ border: 1px solid {t.accent}; background: {t.soft}; }}
    QScrollArea {{ border: none; background: transparent; }}
    QScrollArea > QWidget > QWidget {{ background: transparent; }}
    QSplitter::handle {{ background: transparent; }}
    QSplitter::handle:hover {{ background: {t.soft}; }}
    QToolButton {{ background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 2px; }}
    QToolButton:hover, QToolButton:focus {{ background: {t.soft}; }}
    QToolButton:focus, QPushButton:focus, QCheckBox:focus {{ border: 1px solid {t.accent}; }}
    QToolButton:checked {{ background: {t.soft}; color: {t.accent}; font-weight: 600; }}
    QToolButton[role="small"] {{ font-size: {SMALL_PX}px; color: {t.muted}; padding: 1px 5px; }}
    QToolButton[role="small"]:checked {{ color: {t.accent}; }}
    QToolButton#fold {{ font-size: {SMALL_PX}px; font-weight: 600; color: {t.muted}; padding: 2px 2px; }}
    QToolButton#fold:checked {{ background: transparent; }}
    QFrame#methodCard {{ background: {t.raised}; border: 1px solid {t.hairline}; }}
    QFrame#methodCard QTextBrowser {{ background: {t.raised}; }}
    QToolButton::menu-indicator {{ image: none; }}
    QPushButton {{ background: {t.surface}; border: 1px solid {t.hairline}; border-radius: 5px; padding: 4px 12px; }}
    QPushButton:hover {{ background: {t.soft}; }}
    QPushButton[role="title"] {{ font-weight: 600; text-align: left; border: 1px solid transparent;
                                 background: transparent; padding: 2px 4px; }}
    QPushButton[role="title"]:hover, QPushButton[role="title"]:focus {{ background: {t.soft}; }}
    QPushButton:disabled {{ color: {t.muted}; }}
    QPushButton[role="primary"] {{ background: {t.accent}; color: {t.on_accent}; border: 1px solid {t.accent}; }}
    QCheckBox::indicator {{ width: 13px; height: 13px; border: 1px solid {t.muted}; border-radius: 3px;
                            background: {t.surface}; }}
    QCheckBox::indicator:checked {{ background: {t.accent}; border: 1px solid {t.accent};
                                    image: url({resource("icons", f"check-on-accent-{t.name}.svg").as_posix()}); }}
    QCheckBox {{ border: 1px solid transparent; border-radius: 4px; spacing: 6px; }}
    QLineEdit {{ background: {t.surface}; border: 1px solid {t.hairline}; border-radius: 4px;
                 padding: 2px 6px; selection-background-color: {t.accent};
                 selection-color: {t.on_accent}; }}
    QLineEdit:focus {{ border: 1px solid {t.accent}; }}
    QLineEdit[wrong="true"] {{ border: 1px solid {t.red}; }}
    QComboBox {{ background: {t.surface}; border: 1px solid {t.hairline}; border-radius: 4px; padding: 3px 8px; }}
    QComboBox:focus {{ border: 1px solid {t.accent}; }}
    QComboBox::drop-down {{ border: none; width: 20px; }}
    QComboBox::down-arrow {{ width: 12px; height: 12px;
                             image: url({resource("icons", f"chevron-down-{t.name}.svg").as_posix()}); }}
    QComboBox QAbstractItemView {{ background: {t.raised}; border: 1px solid {t.hairline}; outline: none;
                                   selection-background-color: {t.soft}; selection-color: {t.text}; }}
    QListWidget, QTreeWidget, QTableWidget {{ background: transparent; border: none; outline: none; }}
    QListWidget::item {{ padding: 3px 6px; border-radius: 4px; }}
    QListWidget::item:selected {{ background: {t.soft}; color: {t.text}; }}
    QTabBar {{ background: transparent; }}
    QTabBar::tab {{ padding: 6px 12px; color: {t.muted}; border: none; border-bottom: 2px solid transparent; }}
    QTabBar::tab:selected {{ color: {t.text}; border-bottom: 2px solid {t.accent}; }}
    QTabBar::tab:focus {{ background: {t.soft}; }}
    QProgressBar {{ background: {t.hairline}; border: none; border-radius: 2px; max-height: 4px; }}
    QProgressBar::chunk {{ background: {t.accent}; border-radius: 2px; }}
    QScrollBar:vertical {{ background: transparent; width: 10px; }}
    QScrollBar::handle:vertical {{ background: {t.hairline}; border-radius: 5px; min-height: 24px; }}
    QScrollBar:horizontal {{ background: transparent; height: 10px; }}
    QScrollBar::handle:horizontal {{ background: {t.hairline}; border-radius: 5px; min-width: 24px; }}
    QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
    QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
    """
