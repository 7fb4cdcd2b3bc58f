"""Pictures of the panels, of one panel and of the window: to a file with a caption, and to the clipboard."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QPoint, QSize
from PySide6.QtGui import QGuiApplication

from mvexplorer.errors import MVExplorerError
from mvexplorer.state.document.titles import panel_title
from mvexplorer.state.export.captions import document_caption, panel_caption
from mvexplorer.state.session.settings import PictureChoice
from mvexplorer.ui.cloud.encoding import painted_image, write_painted
from mvexplorer.ui.export.picture_dialog import PictureDialog
from mvexplorer.ui.export.render import caption_height, paint_caption, paint_sheet, sheet_size
from mvexplorer.ui.widgets import dialogs
from mvexplorer.ui.widgets.export_dialog import UNIT_DPI
from mvexplorer.ui.widgets.file_dialogs import save_file
from mvexplorer.ui.window.messages import EXPORT
from mvexplorer.writing import writing

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

    from mvexplorer.ui.export.sheet import Sheet
    from mvexplorer.ui.window.behaviour import WindowBehaviour


@dataclass(frozen=True)
class PaintedSheet:
    """A picture to be painted: a sheet, or the window with the sheet's caption below."""

    sheet: Sheet
    of_window: bool
    b: WindowBehaviour

    @property
    def size(self) -> QSize:
        """Its size in units."""
        if not self.of_window:
            return sheet_size(self.sheet)
        size = self.b.window.size()
        return QSize(size.width(), size.height() + caption_height(self.sheet.caption, size.width()))

    def paint(self, vector: bool, scale: float, painter: QPainter) -> None:
        """Paint it."""
        if not self.of_window:
            paint_sheet(self.sheet, self.size, vector, scale, painter)
            return
        window = self.b.window
        window.render(painter, QPoint())
        paint_caption(painter, self.sheet.caption, window.width(), window.height())


def picture_of(b: WindowBehaviour, choice: PictureChoice) -> PaintedSheet:
    """The picture that is chosen; its record says in words what it shows."""
    sheet, panel = b.sheet(), b.focused_panel()
    panels = sheet.record["panels"]
    place = [p.id for p in b.document.state.panels].index(panel.id) if panel is not None else 0
    if choice.what == "panel" and panel is not None:
        caption = panel_caption(panels[place], sheet.record)
        panels, sheet = [panels[place]], replace(sheet, tiles=(sheet.tiles[place],))
    else:
        caption = document_caption(sheet.record)
    record = sheet.record | {"panels": panels, "caption": caption}
    return PaintedSheet(
        replace(sheet, record=record, caption=caption if choice.caption else ""), choice.what == "window", b
    )


def export_picture(b: WindowBehaviour) -> None:
    """Ask for the picture's content and size, then for its file."""
    panel, settings = b.focused_panel(), b.workbench.settings
    title = panel_title(b.document.state, panel) if panel is not None and len(b.document.state.panels) > 1 else ""
    dialog = PictureDialog(
        lambda choice: picture_of(b, choice).size, title, settings.picture, settings.export_dpi, b.window
    )
    dialog.chosen.connect(lambda ending, scale, dpi: _save(b, dialog.choice, ending, scale, dpi))
    dialog.copied.connect(lambda scale: _copy_chosen(b, dialog.choice, scale))
    dialog.open_over(b.window)


def copy_panel(b: WindowBehaviour) -> None:
    """Put the focused panel's picture and its caption on the clipboard."""
    _copy(b, picture_of(b, PictureChoice(what="panel")), b.workbench.settings.export_dpi / UNIT_DPI)


def _copy_chosen(b: WindowBehaviour, choice: PictureChoice, scale: float) -> None:
    b.workbench.change_settings(picture=choice)
    _copy(b, picture_of(b, choice), scale)


def _copy(b: WindowBehaviour, picture: PaintedSheet, scale: float) -> None:
    mime = QMimeData()
    mime.setImageData(painted_image(picture.size, scale, partial(picture.paint, False, scale), 96 * scale))
    mime.setText(picture.sheet.record["caption"])
    QGuiApplication.clipboard().setMimeData(mime)
    b.banners.show_message("info", "The picture is on the clipboard.", cause=EXPORT)


def _save(b: WindowBehaviour, choice: PictureChoice, ending: str, scale: float, dpi: float) -> None:
    """Ask for a file and save the picture there, with everything it depends on."""
    b.workbench.change_settings(picture=choice)
    picture = picture_of(b, choice)
    file = save_file(b.window, "Export picture", f"{_name(b, choice)}{ending}", f"Pictures (*{ending})")
    if not file:
        return
    path = Path(file if "." in file.rpartition("/")[2] else f"{file}{ending}")
    sheet, vector = picture.sheet, path.suffix.lower() != ".png"
    text = path.with_name(f"{path.name}.txt")
    if choice.beside and text.exists() and not path.exists() and not _may_replace(b, text):
        return
    try:
        paint = partial(picture.paint, vector, scale)
        write_painted(path, "Pictures", sheet.title, picture.size, paint, scale, sheet.record, dpi)
        if choice.beside:
            with writing(text) as words:
                words.write(f"{sheet.record['caption']}\n".encode())
    except MVExplorerError as error:
        b.banners.show_message("error", error.message, error.hint, cause=EXPORT)
        return
    if ending == ".png":
        b.workbench.change_settings(export_dpi=dpi)
    b.editor.saved.emit(path)


def _name(b: WindowBehaviour, choice: PictureChoice) -> str:
    """The name suggested for a picture: its panel's title, or the session's name."""
    panel = b.focused_panel()
    if choice.what != "panel" or panel is None:
        return b.library.session_name or "comparison"
    title = re.sub(r'[\x00-\x1f\x7f/\\:*?"<>|.]+', "-", panel_title(b.document.state, panel))
    return title.strip("- ")[:80] or "panel"


def _may_replace(b: WindowBehaviour, text: Path) -> bool:
    """Ask whether a text may be replaced that belongs to no picture which the file dialog has asked about."""
    return dialogs.choose(b.window, "Replace a file?", f"There already: {text.name}.", ["Replace"]) is not None
