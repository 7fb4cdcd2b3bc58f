"""While D is held, the pointer colours every picture by distance from the sample under it.

After Ovchinnikova, Anders: Exploring dimension-reduced embeddings with Sleepwalk (2020).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QWidget

from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.ui.cloud.rasteriser import PointStyle
from mvexplorer.ui.panels.grid import PanelGrid
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import scale_colours
from mvexplorer.ui.widgets.plain_text import Label

WORDS = "Each picture is coloured by its own distance from the sample under the pointer. "


class Sleepwalk:
    """Colours the panels by the sample under the pointer, each by its own coordinates; the document is not changed."""

    def __init__(self, workbench: Workbench, grid: PanelGrid) -> None:
        self._controller, self._grid = workbench.controller, grid
        self.on = False
        self._held = False
        self._at = -1
        self._look: PointStyle | None = None
        self._known: dict[str, tuple[object, npt.NDArray[np.float32], npt.NDArray[np.float32]]] = {}
        self.hint = Label()
        self.hint.setParent(grid)
        self.hint.setObjectName("card")
        self.hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hint.setContentsMargins(10, 6, 10, 6)
        self.hint.hide()
        grid.hovered.connect(lambda index, *_: self._hover(index))
        workbench.document.changed.connect(self._document_changed)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusWindowChanged.connect(self._window_left)

    def listen(self, window: QWidget) -> None:
        """Walk while D is down, wherever the focus is: as a plain key D would go to a list that has it."""
        key = QShortcut(QKeySequence(Qt.Key.Key_D), window)
        key.setAutoRepeat(False)
        key.activated.connect(self._hold)

    def _hold(self) -> None:
        if not self.on:
            self._held = True
            self._start(f"{WORDS}Let D go to have the colours back.")

    def let_go(self, event: QKeyEvent) -> bool:
        """Stop when D is released; True if the key was meant for this."""
        if event.key() != Qt.Key.Key_D or event.isAutoRepeat() or not self._held:
            return False
        self.stop()
        return True

    def _window_left(self, *_: object) -> None:
        if self._held:  # D is let go in another window
            self.stop()

    def toggle(self) -> None:
        """Walk without a key held, or stop."""
        if self.on:
            self.stop()
        else:
            self._start(f"{WORDS}Esc brings the colours back.")

    def _document_changed(self, change: Change) -> None:
        if self.on and change.samples_changed:
            self.stop()

    def _start(self, words: str) -> None:
        self.on = True
        self.hint.setText(words)
        self.hint.setWordWrap(False)  # wrapped words say they need less width than they do in one line
        self.hint.setWordWrap(self.hint.sizeHint().width() > self._grid.width() - 32)
        self.hint.resize(self.hint.sizeHint().boundedTo(self._grid.size()))
        self.hint.move((self._grid.width() - self.hint.width()) // 2, self._grid.height() - self.hint.height() - 16)
        self.hint.raise_()
        self.hint.show()
        self._hover(self._at)

    def stop(self) -> None:
        """Restore the colours."""
        self.on = self._held = False
        self.hint.hide()
        self._known.clear()
        self._look = None
        if self._grid.look is not None:
            self._grid.set_look(self._grid.look, self._grid.looks)

    def _hover(self, sample: int) -> None:
        self._at = sample
        look = self._grid.look
        if not self.on or look is None or not 0 <= sample < len(look.rgb):
            return
        if self._look is None or self._look.visible is not look.visible or self._look.size != look.size:
            none = np.zeros(len(look.rgb), dtype=bool)  # a selection would leave the others grey
            self._look = replace(look, selected=none) if look.selected.any() else look
        table = scale_colours("continuous", theme.current().name)
        for id, panel in self._grid.panels.items():
            places = self._places(id, sample, len(look.rgb)) if panel.isVisible() else None
            if places is not None:
                panel.canvas.set_look(replace(self._look, rgb=table[places]))

    def _places(self, panel: str, sample: int, n: int) -> npt.NDArray[np.uint8] | None:
        """Each sample's place (M,) on the scale: its distance in a panel's coordinates; None where it has none."""
        result = self._controller.result(panel).result
        if result is None or len(result.embedding.coordinates) != n:
            return None
        if panel not in self._known or self._known[panel][0] is not result:
            Y = result.embedding.coordinates - result.embedding.coordinates.mean(axis=0)
            single = np.ascontiguousarray(Y / (np.abs(Y).max() or 1.0), dtype=np.float32)
            self._known[panel] = result, single, np.einsum("ij,ij->i", single, single)
        _, single, norms = self._known[panel]
        distances = np.sqrt(np.maximum(norms + norms[sample] - 2.0 * (single @ single[sample]), 0.0))
        distances[sample] = 0.0
        most = float(distances.max()) or 1.0
        places: npt.NDArray[np.uint8] = (distances * np.float32(255.0 / most)).astype(np.uint8)
        return places
