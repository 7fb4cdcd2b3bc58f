"""A run of experiments in a folder: one page of all, and the pictures of each as PNG in both themes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mvexplorer.experiments.results_folder import PICTURES, ResultsFolder
from mvexplorer.experiments.running import Failed, FinishedExperiment
from mvexplorer.ui.export.gallery_html import gallery_html
from mvexplorer.ui.runtime.interrupt import interrupts_wait
from mvexplorer.ui.runtime.platform_check import has_qt
from mvexplorer.writing import writing

if TYPE_CHECKING:
    from mvexplorer.experiments.experiment import Experiment


class GalleryWriter:
    """Writes a run after each experiment, so that an interrupted one leaves all that was done.

    Without Qt there are no pictures.
    """

    def __init__(self, folder: ResultsFolder, chosen: Sequence[Experiment], *, full: bool) -> None:
        self.folder, self._chosen, self._full = folder, chosen, full
        self._done: list[FinishedExperiment | Failed] = []
        self._pictures = has_qt()
        self._write()

    def add(self, one: FinishedExperiment | Failed) -> None:
        """Draw the pictures of an experiment, and write the page with it."""
        self._done.append(one)
        with interrupts_wait():
            if self._pictures and isinstance(one, FinishedExperiment):
                self._draw(one)
            self._write()

    def _draw(self, one: FinishedExperiment) -> None:
        from mvexplorer.ui.app import application
        from mvexplorer.ui.cloud.encoding import png
        from mvexplorer.ui.export.figure import draw_figure

        # The end of a picture's name in each theme; light comes last, and stays.
        suffixes = {"dark": "-dark", "light": ""}
        for theme, suffix in suffixes.items():
            application(theme, exported=True)
            for number, figure in enumerate(one.outcome.figures, 1):
                name = f"{one.experiment.id}-{number}{suffix}.png"
                with writing(self.folder.path / PICTURES / name) as file:
                    file.write(png(draw_figure(figure)))

    def _write(self) -> None:
        self.folder.write_results(self._done, full=self._full)
        with writing(self.folder.page) as file:
            file.write(gallery_html(self._done, self._chosen, full=self._full, pictures=self._pictures).encode())
