"""The card of a method: what it computes, when to trust it, what it costs, where it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QSize, Qt, QUrl
from PySide6.QtGui import QKeyEvent, QTextDocument
from PySide6.QtWidgets import QFrame, QTextBrowser, QVBoxLayout, QWidget

from mvexplorer.engine.core.params import Param, Value
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.resources import resource
from mvexplorer.state.document.ingredients.words import formula_lines
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.formula import lowered, typeset

WIDTH = 460
TEXT_WIDTH = WIDTH - 40
GAP = 8
"""Between the card and its panel, and between the card and the edge of the screen."""


class MethodCard(QFrame):
    """A popup beside the panel that it explains; Esc or a click elsewhere closes it."""

    def __init__(
        self,
        panel: QWidget,
        method: Method,
        values: Mapping[str, Value],
        diagnostics: Iterable[str],
        differing: Sequence[str] = (),
        finding: str = "",
    ) -> None:
        super().__init__(panel.window(), Qt.WindowType.Popup)
        self.setObjectName("methodCard")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(f"About {method.title}")
        self._panel = panel
        column = spaced(QVBoxLayout(self), 8, 4, 4, 8)
        self.page = QTextBrowser()
        self.page.setFrameShape(QFrame.Shape.NoFrame)
        self.page.setOpenExternalLinks(False)
        for i, drawing in enumerate(_drawings(method, differing)):
            image = typeset(drawing, theme.current().text, TEXT_WIDTH, panel.devicePixelRatioF())
            self.page.document().addResource(QTextDocument.ResourceType.ImageResource, QUrl(_formula(i)), image)
        self.page.setHtml(card_html(method, values, diagnostics, differing, finding))
        column.addWidget(self.page)

    def open(self) -> None:
        """Show the card beside its panel, or over it where the panel leaves no room."""
        screen = self._panel.screen().availableGeometry().adjusted(GAP, GAP, -GAP, -GAP)
        document = self.page.document()
        document.setTextWidth(TEXT_WIDTH)
        tallest = 560
        size = QSize(WIDTH, min(tallest, int(document.size().height()) + 28, screen.height()))
        self.resize(size)
        panel = QRect(self._panel.mapToGlobal(QPoint(0, 0)), self._panel.size())
        self.move(card_position(panel, size, screen))
        self.show()
        self.page.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_I):
            self.close()
            return
        super().keyPressEvent(event)


def card_position(panel: QRect, size: QSize, screen: QRect) -> QPoint:
    """Place a card where it covers least of its panel: right of it, left, below, above, or else in its corner."""
    corner = QPoint(panel.right() + 1 - size.width(), panel.top())
    places = (
        QPoint(panel.right() + 1 + GAP, panel.top()),
        QPoint(panel.left() - GAP - size.width(), panel.top()),
        QPoint(corner.x(), panel.bottom() + 1 + GAP),
        QPoint(corner.x(), panel.top() - GAP - size.height()),
        corner,
    )
    cards = [_moved_into(QRect(place, size), screen) for place in places]
    return min(cards, key=lambda card: _area(card & panel)).topLeft()


def _moved_into(card: QRect, screen: QRect) -> QRect:
    x = max(screen.left(), min(card.left(), screen.right() + 1 - card.width()))
    y = max(screen.top(), min(card.top(), screen.bottom() + 1 - card.height()))
    return QRect(QPoint(x, y), card.size())


def _area(part: QRect) -> int:
    return part.width() * part.height() if part.isValid() else 0


def _drawings(method: Method, differing: Sequence[str]) -> list[Path]:
    """The files of the lines of its formula; none where one is missing: half a formula would be another one."""
    files = [resource("formulas", f"{name}.svg") for name in formula_lines(method, differing)]
    return files if all(file.is_file() for file in files) else []


def _formula(line: int) -> str:
    """The name by which the card finds the image of a line of the formula."""
    return f"formula:{line}"


def card_html(
    method: Method,
    values: Mapping[str, Value],
    diagnostics: Iterable[str],
    differing: Sequence[str] = (),
    finding: str = "",
) -> str:
    """The card as rich text, with the present parameters and the diagnostics of the present picture.

    `differing` are the words for what is not as in the paper, `finding` is what the method says of the picture.
    """
    t = theme.current()
    parts = [
        f"<h3 style='margin:0'>{escape(method.title)}</h3>",
        f"<p style='margin:4px 0 8px 0'>{escape(method.summary)}</p>",
    ]
    formula = [f"<img src='{_formula(i)}'>" for i in range(len(_drawings(method, differing)))]
    parts += [
        f"<p style='margin:0 0 8px 0; font-size:14px'>{line}</p>" for line in formula or [lowered(method.formula)]
    ]
    heading = f"<p style='margin:8px 0 2px 0; color:{t.muted}; font-size:{theme.SMALL_PX}px'><b>{{}}</b></p>"
    if not method.shows_given:
        words = f"Not as in the paper: {', '.join(differing)}." if differing else "As in the paper."
        parts += [heading.format("Ingredients"), f"<p style='margin:0'>{escape(words)}</p>"]
    if finding:
        parts += [heading.format("This picture"), f"<p style='margin:0'>{escape(finding)}.</p>"]
    amber = "".join(f"<p style='margin:0 0 4px 0; color:{t.amber}'>{escape(text)}</p>" for text in diagnostics)
    if amber:
        parts += [heading.format("Doubts about this picture"), amber]
    for title, text in (("It assumes", method.assumes), ("It costs", method.cost), ("It takes", _takes(method))):
        parts += [heading.format(title), f"<p style='margin:0'>{escape(text)}</p>"]
    for title, texts in (("Good to know", method.remarks), ("How it misleads", method.misleads)):
        if texts:
            items = "".join(f"<li>{escape(text)}</li>" for text in texts)
            parts += [heading.format(title), f"<ul style='margin:0 0 0 -24px'>{items}</ul>"]
    rows = "".join(_param_row(p, values.get(p.name, p.default), t.muted) for p in method.params)
    parts += [heading.format("Parameters"), f"<table cellspacing='0' cellpadding='2'>{rows}</table>"]
    parts += [heading.format("From"), f"<p style='margin:0'>{escape(method.source)}</p>"]
    return "".join(parts)


def _takes(method: Method) -> str:
    least, most = method.min_views, method.max_views
    if method.shows_given:
        return "No view: coordinates that came with the data; the bandwidth ε has no effect."
    if most == 1:
        views = "One view"
    elif most is None:
        views = f"{'Two' if least == 2 else 'Three' if least == 3 else 'One'} or more views"
    else:
        views = "Two views" if most == 2 else f"{least} to {most} views"
    what = "any kernel of theirs, also sparse or precomputed ones" if method.requires == "kernels" else "their features"
    epsilon = "" if method.uses_epsilon else "; the bandwidth ε has no effect"
    if method.epsilon_if is not None:
        epsilon = f"; the bandwidth ε has an effect only where {method.epsilon_if[0]} is “{method.epsilon_if[1]}”"
    return f"{views}: {what}{epsilon}."


def _param_row(param: Param, value: Value, muted: str) -> str:
    shown = param.empty if value is None else numbers.number(value) if isinstance(value, float) else str(value)
    source = f" {escape(param.source)}." if param.source else ""
    words = f"{escape(param.help)} {escape(param.range_text.capitalize())}.{source}"
    return (
        f"<tr><td valign='top'>{escape(param.label)}</td>"
        f"<td valign='top' align='right'><b>{escape(shown)}</b>&nbsp;</td>"
        f"<td><span style='color:{muted}'>{words}</span></td></tr>"
    )
