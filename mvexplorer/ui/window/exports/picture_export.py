"""Pictures of the panels, of one panel and of the window: to a file with a caption, and to the clipboard."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QSize
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtWidgets import QWidget

from mvexplorer.errors import DataError
from mvexplorer.state.bench.headless import ComputedPanels
from mvexplorer.state.document.model import DocumentState, PanelState
from mvexplorer.state.document.titles import panel_title
from mvexplorer.state.export.captions import document_caption, panel_caption
from mvexplorer.state.export.figure_target import TARGETS
from mvexplorer.state.pictures.file_job import WriteJob
from mvexplorer.state.session.settings import PictureChoice
from mvexplorer.ui.cloud.encoding import painted_image, write_painted
from mvexplorer.ui.export.figure_layout import FigureLayout
from mvexplorer.ui.export.figure_sheet import OF_STABILITY, figure_sheet, offered_overlays
from mvexplorer.ui.export.paper_bundle import BUNDLE, PaperBundleJob, bundle_job
from mvexplorer.ui.export.picture_dialog import FigureTicks, OfferedParts, PictureDialog
from mvexplorer.ui.export.render import caption_height, paint_caption, paint_sheet, sheet_size, write_picture
from mvexplorer.ui.export.sheet import Sheet, computed_sheet
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.banner import Banners
from mvexplorer.ui.widgets.export_dialog import UNIT_DPI
from mvexplorer.ui.widgets.saving import file_name, pictures, save_by_job, save_into_folder
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
    units: int = UNIT_DPI

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


def picture_of(scene: Scene, choice: PictureChoice, ticks: FigureTicks | None = None) -> PaintedSheet | FigureLayout:
    """The picture that is chosen; its record says in words what it shows. DataError where a figure cannot be."""
    if choice.is_figure:
        return _figure_of(scene, choice, ticks)
    sheet, panel = scene.sheet(), _panel(scene)
    panels = sheet.record["panels"]
    place = [p.id for p in scene.workbench.document.state.shown].index(panel.id) if panel is not None else 0
    if choice.what == "panel" and panel is not None:
        caption = panel_caption(panels[place], sheet.record)
        panels, sheet = [panels[place]], replace(sheet, tiles=(sheet.tiles[place],))
    else:
        caption = document_caption(sheet.record)
    record = sheet.record | {"panels": panels, "caption": caption}
    window = scene.window if choice.what == "window" else None
    return PaintedSheet(replace(sheet, record=record, caption=caption if choice.caption else ""), window)


def _figure_of(scene: Scene, choice: PictureChoice, ticks: FigureTicks | None) -> FigureLayout:
    """The ticked panels, or the focused one, laid out for print; by default all, without stability."""
    looks = theme.SAFE if choice.palette == "safe" else theme.PRINT
    with theme.worn(looks):
        sheet = scene.sheet()
    overlays = frozenset(offered_overlays(sheet)) - OF_STABILITY if ticks is None else ticks.overlays
    places = _places(scene, choice, tuple(range(len(sheet.tiles))) if ticks is None else ticks.panels)
    if not places:
        raise DataError("No panel is ticked.", "Tick at least one.")
    sheet = figure_sheet(sheet, places, letters=choice.letters, overlays=overlays)
    sheet = replace(sheet, caption=sheet.record["caption"] if choice.caption else "")
    return FigureLayout(sheet, TARGETS[choice.target], choice.type_size, letters=choice.letters, looks=looks)


def _places(scene: Scene, choice: PictureChoice, wanted: tuple[int, ...]) -> tuple[int, ...]:
    """The places of a figure's panels among those in the window."""
    panel, shown = _panel(scene), [each.id for each in scene.workbench.document.state.shown]
    return (shown.index(panel.id),) if choice.what == "panel" and panel is not None else wanted


def _panel(scene: Scene) -> PanelState | None:
    """The panel that can be exported alone: the maximised one, else the focused one."""
    state, alone = scene.workbench.document.state, scene.grid.maximised
    return next((each for each in state.shown if each.id == alone), None) or scene.focused_panel()


def _as_seen(scene: Scene) -> PictureChoice:
    """The choice that is remembered, of the maximised panel where there is one: a picture is of what is on screen."""
    present = scene.workbench.settings.picture
    alone = scene.grid.maximised is not None and present.what == "sheet"
    return present.model_copy(update={"what": "panel"}) if alone else present


def _remember(scene: Scene, choice: PictureChoice) -> None:
    """Remember a choice; that a maximised panel stands for all of them is none."""
    bench = scene.workbench
    if scene.grid.maximised is not None and choice.what == "panel":
        choice = choice.model_copy(update={"what": bench.settings.picture.what})
    bench.change_settings(picture=choice)


def _ask(scene: Scene) -> None:
    """Ask for the picture's content and size, then for its file."""
    panel, settings, state = _panel(scene), scene.workbench.settings, scene.workbench.document.state
    title = panel_title(state, panel) if panel is not None and len(state.panels) > 1 else ""
    sheet = scene.sheet()
    dialog = PictureDialog(
        lambda choice, ticks: picture_of(scene, choice, ticks).size,
        title,
        _as_seen(scene),
        settings.export_dpi,
        scene.window,
        OfferedParts([tile.title for tile in sheet.tiles], offered_overlays(sheet)),
    )

    def save(ending: str, scale: float, dpi: float) -> None:
        scene.workbench.editor.attempt(lambda: _save(scene, dialog.choice, ending, scale, dpi, dialog.ticks))

    dialog.chosen.connect(save)
    dialog.copied.connect(lambda scale: _copy_chosen(scene, dialog.choice, scale, dialog.ticks))
    dialog.open_over(scene.window)


def copy_panel(scene: Scene) -> None:
    """Put the focused panel's picture and its caption on the clipboard."""
    _copy(scene.banners, picture_of(scene, PictureChoice(what="panel")), scene.workbench.settings.export_dpi / UNIT_DPI)


def _copy_chosen(scene: Scene, choice: PictureChoice, scale: float, ticks: FigureTicks) -> None:
    _remember(scene, choice)
    _copy(scene.banners, picture_of(scene, choice, ticks), scale)


def _copy(banners: Banners, picture: PaintedSheet | FigureLayout, scale: float) -> None:
    mime = QMimeData()
    mime.setImageData(painted_image(picture.size, scale, partial(picture.paint, False, scale), picture.units * scale))
    mime.setText(picture.sheet.record["caption"])
    QGuiApplication.clipboard().setMimeData(mime)
    banners.show_message("info", "The picture is on the clipboard.", cause=EXPORT)


def _save(
    scene: Scene, choice: PictureChoice, ending: str, scale: float, dpi: float | None, ticks: FigureTicks | None = None
) -> None:
    """Ask for a file and save the picture there, with everything it depends on; or for the folder of a bundle."""
    bench = scene.workbench
    _remember(scene, choice)
    picture = picture_of(scene, choice, ticks)
    sheet = picture.sheet
    if choice.is_figure:
        dpi = None  # from its size

    def remember() -> None:
        if ending in (".png", BUNDLE) and dpi is not None:
            bench.change_settings(export_dpi=dpi)

    if ending == BUNDLE:
        state, data = _exported_state(scene, choice, ticks), bench.document.data
        assert data is not None

        def bundle(folder: Path) -> PaperBundleJob:
            path, safe = folder / _name(scene, choice), bench.settings.numbers.csv_safe
            return bundle_job(picture, scale, dpi, state, data, bench.controller.result, path, csv_safe=safe)

        save_into_folder(scene.window, bench.editor, "Folder for the paper bundle", bundle, remember)
        return

    def job(path: Path) -> WriteJob:
        text = path.with_name(f"{path.name}.txt")

        def write() -> None:
            paint = partial(picture.paint, path.suffix.lower() != ".png", scale)
            write_painted(path, "Pictures", sheet.title, picture.size, paint, scale, sheet.record, dpi, picture.units)
            if choice.beside:
                with writing(text) as words:
                    words.write(f"{sheet.record['caption']}\n".encode())

        # The text of a picture that is replaced goes with it.
        return WriteJob(path, write, (text,) if choice.beside and not path.exists() else ())

    question = pictures("Export picture", _name(scene, choice), ending)
    save_by_job(scene.window, bench.editor, question, job, remember, here=True)


def _exported_state(scene: Scene, choice: PictureChoice, ticks: FigureTicks | None) -> DocumentState:
    """The document with no other panels than those of the picture."""
    state = scene.workbench.document.state
    ticked = tuple(range(len(state.shown))) if ticks is None or not choice.is_figure else ticks.panels
    panels = tuple(state.shown[place] for place in _places(scene, choice, ticked))
    return state.model_copy(update={"panels": panels})


def _name(scene: Scene, choice: PictureChoice) -> str:
    """The name suggested for a picture: its panel's title, or the session's name."""
    panel = _panel(scene)
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
    "picture",
    "Picture",
    _ask,
    "save picture image png svg pdf figure paper slide bundle copy export compare",
    _into,
    key="Ctrl+E",
)
