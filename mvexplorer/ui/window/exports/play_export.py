"""Exports of a play: every step computed exactly, painted as pictures are, and written in the background."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QImage

from mvexplorer.state.batches.multiples_run import SmallMultiples
from mvexplorer.state.document.axis import at_value
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.multiples import PANELS, Multiples
from mvexplorer.state.export.captions import document_caption
from mvexplorer.ui.cloud.encoding import painted_image
from mvexplorer.ui.export.frames import Frame, WriteFramesJob
from mvexplorer.ui.export.render import paint_sheet, sheet_size
from mvexplorer.ui.export.sheet import Sheet, make_sheet
from mvexplorer.ui.pages.tune.sweep_words import at_text
from mvexplorer.ui.widgets import dialogs
from mvexplorer.ui.widgets.file_dialogs import save_file
from mvexplorer.ui.window.exports.scene import Scene
from mvexplorer.ui.window.messages import EXPORT

SLOT = "frames"


def export_play(scene: Scene, duration: int) -> None:
    """Tell how large the pictures will be, ask for a file, and begin; each is shown for so many milliseconds."""
    player, document = scene.workbench.player, scene.workbench.document
    shown = document.state.shown
    if not player.values or not shown or document.data is None:
        return
    player.stop()
    size, count = sheet_size(_bare(scene.sheet())), len(player.values)
    widest = 1280  # pixels across that a picture has at most
    scale = min(1.0, widest / size.width())
    pixels = round(size.width() * scale), round(size.height() * scale)
    text = (
        f"{count} pictures of {pixels[0]:,} × {pixels[1]:,} pixels, {3e-6 * count * pixels[0] * pixels[1]:.0f} MB of "
        f"memory; {count * len(shown)} embeddings to compute. What is not written to its end is taken away."
    )
    forms = {"Animated GIF …": ".gif", "Numbered PNG …": ".png"}
    answer = dialogs.choose(scene.window, "Export what is played?", text, list(forms))
    if answer is None:
        return
    ending = list(forms.values())[answer]
    file = save_file(scene.window, "Export what is played", f"play{ending}", f"Pictures (*{ending})")
    if file is not None:
        path = file if file.suffix.lower() == ending else file.with_name(f"{file.name}{ending}")
        PlayExport(scene, path, scale, duration).begin()


class PlayExport(QObject):
    """One export under way: computes, then paints a picture at each turn of the event loop, then has them written."""

    def __init__(self, scene: Scene, path: Path, scale: float, duration: int) -> None:
        super().__init__(scene.window)
        self._scene, self._bench, self._path, self._scale = scene, scene.workbench, path, scale
        self._axis, self._values, self._duration = self._bench.player.axis, self._bench.player.values, duration
        self._state, self._data = self._bench.document.state, self._bench.document.data
        self._pictures = SmallMultiples(self._bench.controller, slot=SLOT)
        self._frames: list[Frame] = []
        self._size = (0, 0)
        self._paint = QTimer(self, singleShot=True, interval=0)
        self._paint.timeout.connect(self._paint_next)
        self._ended = False

    def begin(self) -> None:
        """Compute all steps; Tasks shows how far it is, and stops it."""
        chosen = Multiples(rows=PANELS, columns=self._axis.name, column_values=self._values)
        self._pictures.changed.connect(self._computed)
        self._bench.document.changed.connect(self._document_changed)
        self._scene.banners.show_message("info", f"Making {self._path.name} …", "Tasks shows how far.", cause=EXPORT)
        onto = [self._bench.controller.result(panel.id).drawing.points for panel in self._state.shown]
        self._pictures.ask(updated(self._state, {"multiples": chosen}), agreed=True, onto=onto)

    def _document_changed(self, change: Change) -> None:
        if change.data_changed:
            self._stop("The data was closed.")

    def _computed(self) -> None:
        pictures = self._pictures
        if self._ended or pictures.running or self._paint.isActive():
            return
        if pictures.problem is not None:
            self._stop(str(pictures.problem))
        elif pictures.missing:
            self._stop("It was stopped.")
        elif pictures.grid is not None and not self._frames:
            self._paint.start()

    def _stop(self, why: str) -> None:
        if not self._ended:
            self._end()
            self._pictures.stop()
            self._scene.banners.show_message("info", f"{self._path.name} was not written. {why}", cause=EXPORT)

    def _end(self) -> None:
        self._ended, self._frames = True, []
        self._paint.stop()
        self._pictures.changed.disconnect(self._computed)
        self._bench.document.changed.disconnect(self._document_changed)

    # Painting -----------------------------------------------------------------------------------------------

    def _paint_next(self) -> None:
        if self._ended:
            return
        sheet = self._sheet(len(self._frames))
        size = sheet_size(sheet)
        paint = partial(paint_sheet, sheet, size, False, self._scale)
        image = painted_image(size, self._scale, paint, 96 * self._scale).convertToFormat(QImage.Format.Format_RGB888)
        self._size, row = (image.width(), image.height()), 3 * image.width()
        lines = memoryview(image.constBits())
        pixels = b"".join(lines[k : k + row] for k in range(0, image.sizeInBytes(), image.bytesPerLine()))
        self._frames.append(Frame(pixels, sheet.record))
        if len(self._frames) < len(self._values):
            self._paint.start()
        else:
            self._write()

    def _sheet(self, column: int) -> Sheet:
        """The panels at one of the values, each seen as in the window."""
        scene, pictures, value = self._scene, self._pictures, self._values[column]
        grid, data = pictures.grid, self._data
        assert grid is not None
        assert data is not None
        panels = tuple(row[column] for row in grid.panels)
        state = at_value(self._state, self._axis, value).model_copy(update={"panels": panels})
        results = {panel.id: pictures.result(i, column) for i, panel in enumerate(panels)}
        cameras, frames = scene.grid.cameras(), scene.grid.frames()
        own = dict(zip((panel.id for panel in panels), (panel.id for panel in self._state.shown), strict=True))
        seen = {id: cameras[old] for id, old in own.items() if old in cameras}
        title = f"{scene.library.data_title}: {at_text(self._axis, value)}"
        colouring = self._bench.derived.resolve(self._state.colour)
        sheet = _bare(make_sheet(state, data, results.__getitem__, title, colouring, seen))
        tiles = tuple(
            replace(tile, frame=frames.get(old, tile.frame))
            for tile, old in zip(sheet.tiles, own.values(), strict=True)
        )
        return replace(sheet, tiles=tiles, record=sheet.record | {"caption": document_caption(sheet.record)})

    def _write(self) -> None:
        job = WriteFramesJob(tuple(self._frames), self._size, self._duration, self._path)
        self._end()
        self._bench.editor.write(job)


def _bare(sheet: Sheet) -> Sheet:
    """The sheet without words that make one picture higher than another; the record keeps them."""
    return replace(sheet, tiles=tuple(replace(tile, details="", warnings=()) for tile in sheet.tiles))
