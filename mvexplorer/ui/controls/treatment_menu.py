"""The menu of a view: what is done to its features, and the kernel on them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from mvexplorer.engine.core.preprocessing import PREPROCESS, components
from mvexplorer.engine.kernels.affinities import Kernel, kernel_kinds, parse_kernel
from mvexplorer.state.document.model import ViewState
from mvexplorer.state.document.titles import preprocess_words
from mvexplorer.state.pictures.editor import Editor

MEANINGS = {
    "none": "The features as they are",
    "centre": "Each feature minus its mean",
    "zscore": "Each feature minus its mean, divided by its standard deviation; constant ones become 0",
    "unit": "Each feature from 0 at its least to 1 at its largest number; constant ones become 0",
    "log1p": "The logarithm of 1 + x of each number: for counts and intensities, which have no negative numbers",
}


class TreatmentMenu(QMenu):
    """Preprocessing and kernel of one view, of which at most `most` principal components can be kept."""

    def __init__(self, parent: QWidget, editor: Editor, view: ViewState, most: int) -> None:
        super().__init__(parent)
        self._editor, self._view = editor, view
        self.setToolTipsVisible(True)
        self._heading("Features")
        add_preprocessing(self, view.preprocess, most, partial(editor.set_preprocess, view.name))
        self.addSeparator()
        self._heading("Kernel")
        self._add_kernels()

    def _heading(self, words: str) -> None:
        self.addAction(words).setEnabled(False)

    def _add_kernels(self) -> None:
        present = parse_kernel(self._view.kernel)
        neighbour_choices = (5, 7, 10, 15, 30, 64, 100)
        for kind in kernel_kinds():
            counts = neighbour_choices if kind.neighbours is not None else (None,)
            menu = self if kind.neighbours is None else self.addMenu(kind.title)
            for count in counts:
                choice = Kernel(kind, count)
                choice = choice.on(present.metric) if choice.takes_metric else choice
                words = kind.title if count is None else f"{count} neighbours"
                do = partial(self._editor.set_kernel, self._view.name, choice.text)
                add_choice(menu, words, choice == present, do).setToolTip(f"{kind.formula}\n{kind.summary}")


def add_preprocessing(menu: QMenu, present: str, most: int, choose: Callable[[str], object]) -> None:
    """Add what can be done to a view's features; at most `most` principal components can be kept."""
    for how in PREPROCESS:
        add_choice(menu, preprocess_words(how), how == present, partial(choose, how)).setToolTip(MEANINGS[how])
    chosen = components(present)
    component_choices = (2, 5, 10, 20, 50, 100)
    counts = sorted({count for count in component_choices if count <= most} | ({chosen} if chosen else set()))
    if counts:
        pca = menu.addMenu("Principal components")
        pca.menuAction().setToolTip(
            "The leading principal components take the place of the features: less noise, and quicker distances"
        )
        pca.menuAction().setCheckable(True)
        pca.menuAction().setChecked(chosen is not None)
        for count in counts:
            add_choice(pca, preprocess_words(f"pca:{count}"), count == chosen, partial(choose, f"pca:{count}"))


def add_choice(menu: QMenu, words: str, chosen: bool, do: Callable[[], object]) -> QAction:
    """Add a choice, ticked where it is the present one."""
    action = menu.addAction(words)
    action.setCheckable(True)
    action.setChecked(chosen)
    action.triggered.connect(lambda _=False: do())
    return action
