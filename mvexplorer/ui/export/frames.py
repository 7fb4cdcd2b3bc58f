"""A play as pictures: an animated GIF, or numbered PNG, with how they were made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import DataError
from mvexplorer.state.pictures.file_job import FileJob
from mvexplorer.ui.cloud.encoding import KEY
from mvexplorer.writing import writing

if TYPE_CHECKING:
    from PIL.Image import Image as Picture


@dataclass(frozen=True)
class Frame:
    """One picture: its pixels, three bytes each, row by row, and how it was made."""

    pixels: bytes
    record: Mapping[str, Any]


@dataclass(frozen=True)
class WriteFramesJob(FileJob):
    """Writes pictures (width, height) to a GIF, each shown so many milliseconds, or beside each other as PNG."""

    frames: tuple[Frame, ...]
    size: tuple[int, int]
    duration: int
    path: Path

    def run(self, cache: StageCache, task: Task) -> tuple[Path, ...]:
        """Write them; incomplete files are removed."""
        return self._write_gif(task) if self.path.suffix.lower() == ".gif" else self._write_png(task)

    def _picture(self, frame: Frame) -> Picture:
        from PIL import Image

        return Image.frombytes("RGB", self.size, frame.pixels)

    def _write_gif(self, task: Task) -> tuple[Path, ...]:
        pictures = []
        for k, frame in enumerate(self.frames):
            task.progress(k / len(self.frames))
            pictures.append(self._picture(frame).quantize(256))
        caption = str(self.frames[0].record.get("caption", "")).encode()
        with writing(self.path) as file:
            pictures[0].save(
                file, "GIF", save_all=True, append_images=pictures[1:], duration=self.duration, loop=0, comment=caption
            )
        return (self.path,)

    def _write_png(self, task: Task) -> tuple[Path, ...]:
        from PIL.PngImagePlugin import PngInfo

        paths = numbered_paths(self.path, len(self.frames))
        there = next((path for path in paths if path.exists()), None)
        if there is not None:
            raise DataError(f"{there} is there already.", "Choose another name.")
        written: list[Path] = []
        try:
            for k, (path, frame) in enumerate(zip(paths, self.frames, strict=True)):
                task.progress(k / len(paths))
                about = PngInfo()
                about.add_text(KEY, json.dumps(dict(frame.record)))
                with writing(path) as file:
                    self._picture(frame).save(file, "PNG", pnginfo=about)
                written.append(path)
        except BaseException:
            for path in written:
                with suppress(OSError):
                    path.unlink()
            raise
        return tuple(written)


def numbered_paths(path: Path, count: int) -> tuple[Path, ...]:
    """List the names of `count` pictures: ``play-01.png`` and so on."""
    digits = len(str(count))
    return tuple(path.with_name(f"{path.stem}-{k:0{digits}d}.png") for k in range(1, count + 1))
