"""One figure of the page “Diagnostics”, with the choices that it depends on."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from mvexplorer.engine.analysis.components import components_of
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.methods import get_method
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.diagnostics_choices import FIGURES, FigureId
from mvexplorer.state.pictures.drawing import component_words
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.ui.pages.check_card import CheckCard, ChoiceBox
from mvexplorer.ui.pages.figure_files import SIZE, export_figure_numbers, export_figure_picture
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.widgets.export_dialog import ExportDialog
from mvexplorer.ui.widgets.fields import NumberField
from mvexplorer.ui.widgets.plain_text import Label, add_action, tip
from mvexplorer.ui.widgets.plots.figure_view import FigureView

ABOUT: dict[FigureId, str] = {
    "spectrum": "The powers λᵗ of this panel's eigenvalues: the decay over t steps, the largest gap, what is drawn.",
    "kernel": "The affinities or distances of all pairs of samples as an image.",
    "transition": "The probabilities of one step of the walk from each sample (row) to each other (column).",
    "fourier": "How a component's energy spreads over frequencies, for samples in time.",
    "metric": "Local CCA's metric: the distances D that see only what two views share, and its directions.",
    "roc": "How well distances in each view and panel separate pairs within a class from pairs between classes.",
    "graph": "How many affinities each sample has in sum, and into how many pieces the graph falls.",
}
OF_FIGURE: dict[FigureId, tuple[str, ...]] = {
    "spectrum": ("times",),
    "kernel": ("matrix", "view", "order"),
    "transition": ("view", "order"),
    "fourier": ("component", "time", "marks"),
    "metric": ("metric", "order"),
    "roc": (),
    "graph": ("view",),
}
"""The choices that each figure depends on."""
NAMES = {
    "times": "Times t, with commas between",
    "matrix": "What the matrix holds",
    "view": "Whose matrix",
    "order": "Order of the samples",
    "component": "Component",
    "time": "Frequencies against",
    "marks": "Frequencies to mark, with commas between; empty for those of the hidden variables",
    "metric": "Where the metric is taken",
}


class FigureCard(CheckCard):
    """A figure's controls change the document; its picture follows what is known of it."""

    def __init__(self, id: FigureId, workbench: Workbench) -> None:
        self.id: FigureId = id
        self._workbench, self._editor = workbench, workbench.editor
        self.view = FigureView()
        self.boxes: dict[str, ChoiceBox] = {}
        self.fields: dict[str, NumberField] = {}
        controls = [widget for name in OF_FIGURE[id] for widget in self._make_control(name)]
        self.export = self._make_export()
        least = 260  # pixels of a card at least
        super().__init__(FIGURES[id], ABOUT[id], [*controls, self.export], self.view, least)

    def _make_control(self, name: str) -> list[QWidget]:
        signs = {"times": "t", "marks": "Mark"}
        if name not in signs:
            box = self.boxes[name] = ChoiceBox(NAMES[name], {}, 168)
            box.activated.connect(lambda _: self._choose(name, box.value))
            return [box]
        field, sign = NumberField(NAMES[name], 88), Label(signs[name])
        for widget in (field, sign):
            widget.setToolTip(tip(NAMES[name]))
        field.entered.connect(partial(self._enter, name))
        self.fields[name] = field
        return [sign, field]

    def _make_export(self) -> QPushButton:
        button, menu = QPushButton("Export"), QMenu()
        button.setToolTip("Write the figure, or its numbers, to a file")
        menu.setParent(button, menu.windowFlags())
        self.picture = add_action(menu, "Figure …")
        self.picture.triggered.connect(self._export_picture)
        self.numbers = add_action(menu, "Numbers …")
        self.numbers.triggered.connect(self._export_numbers)
        button.setMenu(menu)
        return button

    # What is shown ------------------------------------------------------------------------------------------

    def show_known(self, result: PanelResult | None) -> None:
        """Show the figure as far as it is known, or why there is none."""
        data, diagnostics = self._workbench.document.data, self._workbench.diagnostics
        if data is not None and result is not None:
            self._show_choices(data, result)
        figure = diagnostics.figure(self.id)
        problem = diagnostics.problem(self.id)
        for control in (*self.boxes.values(), *self.fields.values()):
            control.setEnabled(data is not None and result is not None)
        if self.id == "metric":  # the metric itself has rows of features
            self.boxes["order"].setEnabled(self._editor.state.diagnostics.metric == "pairs")
        self.export.setEnabled(figure is not None and not problem)
        if problem or figure is None:
            self.export.menu().close()  # it would stay open, deaf to every key
            self.head.set_words(FIGURES[self.id])
            self.show_empty(problem or "Computing …")
            return
        self.head.set_words(figure.title)
        self.view.show_figure(figure)
        self.show_answer(figure.sentence, outdated=diagnostics.waits(self.id))

    def _show_choices(self, data: MultiView, result: PanelResult) -> None:
        choices = self._editor.state.diagnostics
        for name, box in self.boxes.items():
            box.offer(self._offered(name, data, result))
            box.show_value(str(getattr(choices, name)))
        if "times" in self.fields:
            self.fields["times"].show_text(", ".join(map(str, choices.times)))
        if "marks" in self.fields:
            self.fields["marks"].show_text(", ".join(map(numbers.editable, choices.marks)))

    def _offered(self, name: str, data: MultiView, result: PanelResult) -> Mapping[str, str]:
        embedding = None if result.result is None else result.result.embedding
        views = () if embedding is None else embedding.views
        offers: dict[str, Callable[[], dict[str, str]]] = {
            "matrix": lambda: {"affinities": "Affinities", "distances": "Distances"},
            "view": lambda: {**({"": "This panel"} if self._has_own(result) else {}), **{view: view for view in views}},
            "order": lambda: _orders(data),
            "component": lambda: {
                str(k): component_words(name)
                for k, name in enumerate(() if embedding is None else components_of(embedding)[0], start=1)
            },
            "time": lambda: {"": "Sample order", **_times(data)},
            "metric": lambda: {"pairs": "D of all pairs", "sample": "A at the kept sample", "mean": "Mean of A"},
        }
        return offers[name]()

    def _has_own(self, result: PanelResult) -> bool:
        """True if the figure can be about the panel's own operator, or its coordinates."""
        distances = self.id == "kernel" and self._editor.state.diagnostics.matrix == "distances"
        return distances or result.result is None or get_method(result.result.embedding.method).walk is not None

    # Choices ------------------------------------------------------------------------------------------------

    def _choose(self, name: str, value: str) -> None:
        self._editor.choose_diagnostics(**{name: int(value) if name == "component" else value})

    def _enter(self, name: str, text: str) -> None:
        """Take a list of numbers; outline the field where one is no number, or out of range."""
        parts = [part for part in re.split(r"[,;\s]+", text.strip()) if part]
        try:
            values = tuple(int(part) if name == "times" else float(part) for part in parts)
            wrong = any(not 0 < value < float("inf") for value in values) or (name == "times" and not values)
        except ValueError:
            values, wrong = (), True
        limit = (8, 10_000) if name == "times" else (24, float("inf"))
        wrong = wrong or len(values) > limit[0] or any(value > limit[1] for value in values)
        self.fields[name].set_wrong(wrong)
        if not wrong:
            self._editor.choose_diagnostics(**{name: values})

    # Files --------------------------------------------------------------------------------------------------

    def _export_picture(self) -> None:
        """Ask for the figure's size, then for its file."""
        dialog = ExportDialog(SIZE, self._workbench.settings.export_dpi, self.window())
        dialog.chosen.connect(self._write_picture)
        dialog.open_over(self.window())

    def _write_picture(self, ending: str, scale: float, dpi: float) -> None:
        figure = self.view.figure
        if figure is not None:
            form = ending, scale, dpi
            self._editor.attempt(lambda: export_figure_picture(self, self._workbench, figure, form))

    def _export_numbers(self) -> None:
        figure = self.view.figure
        if figure is not None:
            self._editor.attempt(lambda: export_figure_numbers(self, self._workbench, figure))


MOST_OFFERED = 40


def _orders(data: MultiView) -> dict[str, str]:
    """Return the orders that samples can be put in."""
    label = {} if data.labels is None else {"labels": "By class"}
    given = {f"latent:{name}": f"By {name}" for name in data.latent}
    given |= {f"column:{name}": f"By {name}" for name in data.columns}
    return {"": "As they are", **label, "coordinate": "By coordinate 1", **dict(list(given.items())[:MOST_OFFERED])}


def _times(data: MultiView) -> dict[str, str]:
    """Return the columns that can be a time: numbers."""
    times = {
        f"{kind}:{name}": name
        for kind, given in (("latent", data.latent), ("column", data.columns))
        for name, values in given.items()
        if values.dtype.kind in "fiu"
    }
    return dict(list(times.items())[:MOST_OFFERED])
