"""Pictures of the panels, of one panel and of the window: to a file with a caption, and to the clipboard."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QSize
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtWidgets import QWidget

from mvexplorer.state.bench.headless import ComputedPanels
from mvexplorer.state.document.titles import panel_title
from mvexplorer.state.export.captions import document_caption, panel_caption
from mvexplorer.state.pictures.file_job import WriteJob
from mvexplorer.state.session.settings import PictureChoice
from mvexplorer.ui.cloud.encoding import painted_image, write_painted
from mvexplorer.ui.export.picture_dialog import PictureDialog
from mvexplorer.ui.export.render import caption_height, paint_caption, paint_sheet, sheet_size, write_picture
from mvexplorer.ui.export.sheet import Sheet, computed_sheet
from mvexplorer.ui.widgets.banner import Banners
from mvexplorer.ui.widgets.export_dialog import UNIT_DPI
from mvexplorer.ui.widgets.saving import file_name, pictures, save_by_job
from mvexplorer.ui.window.exports.exporter import Exporter, Tables
from mvexplorer.ui.window.exports.scene import Scene
from mvexplorer.ui.window.messages import EXPORT
from mvexplorer.wording import source_title
from mvexplorer.writing import writing


@dataclass(frozen=True)
class PaintedSheet:
    """A picture to be painted: a sheet, or a window with the sheet's caption below."""

    sheet: Sheet
    window: QWidget | None

    @property
    def size(self) -> QSize:
        """Its size in units."""
        if self.window is None:
            return sheet_size(self.sheet)
        size = self.window.size()
        return QSize(size.width(), size.height() + caption_height(self.sheet.caption, size.width()))

    def paint(self, vector: bool, scale: float, painter: QPainter) -> None:
        """Paint it."""
        if self.window is None:
            paint_sheet(self.sheet, self.size, vector, scale, painter)
            return
        self.window.render(painter, QPoint())
        paint_caption(painter, self.sheet.caption, self.window.width(), self.window.height())


def picture_of(scene: Scene, choice: PictureChoice) -> PaintedSheet:
    """The picture that is chosen; its record says in words what it shows."""
    sheet, panel = scene.sheet(), scene.focused_panel()
    panels = sheet.record["panels"]
    place = [p.id for p in scene.workbench.document.state.panels].index(panel.id) if panel is not None else 0
    if choice.what == "panel" and panel is not None:
        caption = panel_caption(panels[place], sheet.record)
        panels, sheet = [panels[place]], replace(sheet, tiles=(sheet.tiles[place],))
    else:
        caption = document_caption(sheet.record)
    record = sheet.record | {"panels": panels, "caption": caption}
    window = scene.window if choice.what == "window" else None
    return PaintedSheet(replace(sheet, record=record, caption=caption if choice.caption else ""), window)


def _ask(scene: Scene) -> None:
    """Ask for the picture's content and size, then for its file."""
    panel, settings, state = scene.focused_panel(), scene.workbench.settings, scene.workbench.document.state
    title = panel_title(state, panel) if panel is not None and len(state.panels) > 1 else ""
    dialog = PictureDialog(
        lambda choice: picture_of(scene, choice).size, title, settings.picture, settings.export_dpi, scene.window
    )
    dialog.chosen.connect(lambda *form: scene.workbench.editor.attempt(lambda: _save(scene, dialog.choice, *form)))
    dialog.copied.connect(lambda scale: _copy_chosen(scene, dialog.choice, scale))
    dialog.open_over(scene.window)


def copy_panel(scene: Scene) -> None:
    """Put the focused panel's picture and its caption on the clipboard."""
    _copy(scene.banners, picture_of(scene, PictureChoice(what="panel")), scene.workbench.settings.export_dpi / UNIT_DPI)


def _copy_chosen(scene: Scene, choice: PictureChoice, scale: float) -> None:
    scene.workbench.change_settings(picture=choice)
    _copy(scene.banners, picture_of(scene, choice), scale)


def _copy(banners: Banners, picture: PaintedSheet, scale: float) -> None:
    mime = QMimeData()
    mime.setImageData(painted_image(picture.size, scale, partial(picture.paint, False, scale), 96 * scale))
    mime.setText(picture.sheet.record["caption"])
    QGuiApplication.clipboard().setMimeData(mime)
    banners.show_message("info", "The picture is on the clipboard.", cause=EXPORT)


def _save(scene: Scene, choice: PictureChoice, ending: str, scale: float, dpi: float) -> None:
    """Ask for a file and save the picture there, with everything it depends on."""
    bench = scene.workbench
    bench.change_settings(picture=choice)
    picture = picture_of(scene, choice)
    sheet = picture.sheet

    def job(path: Path) -> WriteJob:
        text = path.with_name(f"{path.name}.txt")

        def write() -> None:
            paint = partial(picture.paint, path.suffix.lower() != ".png", scale)
            write_painted(path, "Pictures", sheet.title, picture.size, paint, scale, sheet.record, dpi)
            if choice.beside:
                with writing(text) as words:
                    words.write(f"{sheet.record['caption']}\n".encode())

        # The text of a picture that is replaced goes with it.
        return WriteJob(path, write, (text,) if choice.beside and not path.exists() else ())

    def remember() -> None:
        if ending == ".png":
            bench.change_settings(export_dpi=dpi)

    question = pictures("Export picture", _name(scene, choice), ending)
    save_by_job(scene.window, bench.editor, question, job, remember, here=True)


def _name(scene: Scene, choice: PictureChoice) -> str:
    """The name suggested for a picture: its panel's title, or the session's name."""
    panel = scene.focused_panel()
    if choice.what != "panel" or panel is None:
        return scene.library.session_name or "comparison"
    return file_name(panel_title(scene.workbench.document.state, panel), "panel")


def _into(finished: ComputedPanels, folder: Path, _how: Tables) -> list[Path]:
    """The panels side by side, as PNG and SVG."""
    paths = [folder / "comparison.png", folder / "comparison.svg"]
    for path in paths:
        write_picture(computed_sheet(finished, source_title(finished.state.source)), path)
    return paths


PICTURE = Exporter(
    "picture", "Picture", _ask, "save picture image png svg pdf figure copy export compare", _into, key="Ctrl+E"
)
