"""A table of features, principal components and latents that go along with the components of a picture."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Signal

from mvexplorer.engine.analysis.components import ComponentCorrelations, CorrelationGroup, Match
from mvexplorer.figures import Figure, Table
from mvexplorer.state.pictures.drawing import component_words
from mvexplorer.ui.widgets.text_table import TextModel, TextTable

COMPONENT, STRONGEST, PC, OTHER = range(4)
WIDTHS = (96, 184, 148, 128)


class ComponentModel(TextModel):
    """A row for each component, a column for each view's best feature."""

    def __init__(self) -> None:
        super().__init__()
        self.found: ComponentCorrelations | None = None
        self._features: list[CorrelationGroup] = []
        self.heads = ("Component", "Strongest", "Principal component", "Latent or column")

    def show_found(self, correlations: ComponentCorrelations | None) -> None:
        """Show other correlations."""
        self.beginResetModel()
        self.found = correlations
        self._features = [] if correlations is None else [g for g in correlations.groups if g.kind == "feature"]
        heads = ("Component", "Strongest", "Principal component", "Latent or column")
        self.heads = (*heads, *(f"Best of {group.view}" for group in self._features))
        self.endResetModel()

    def n_rows(self) -> int:
        most = 12  # components that are listed: the leading ones
        return 0 if self.found is None else min(most, len(self.found.components))

    def found_at(self, row: int, column: int) -> Match | None:
        """Return the correlation that a cell shows."""
        if self.found is None or column == COMPONENT:
            return None
        if column == STRONGEST:
            return self.found.strongest(row)
        if column > OTHER:
            return self._features[column - OTHER - 1].best(row)
        kinds = ("pc",) if column == PC else ("latent", "column")
        best = [m for g in self.found.groups if g.kind in kinds and (m := g.best(row)) is not None]
        return max(best, key=lambda match: abs(match.r), default=None)

    def cell(self, row: int, column: int) -> str:
        if self.found is not None and column == COMPONENT:
            return component_words(self.found.components[row])
        match = self.found_at(row, column)
        if match is None:
            return "–"
        owner = f" of {match.view}" if match.view and column <= OTHER else ""
        return f"{match.name}{owner}  {r_words(match.r)}"

    def about(self, row: int, column: int) -> str:
        match = self.found_at(row, column)
        if self.found is None or match is None:
            return self.cell(row, column)
        owner = f" of {match.view}" if match.view else ""
        click = "" if source_of(match) == "" else " Click to colour by it."
        how = {"spearman": "Spearman's rank correlation", "pearson": "Pearson's correlation"}[self.found.how]
        return (
            f"{component_words(self.found.components[row])} and {match.name}{owner}: {how} {r_words(match.r)}.{click}"
        )


class ComponentTable(TextTable):
    """The table; a click on a cell says by what to colour."""

    wanted = Signal(str)

    def __init__(self) -> None:
        self._model = ComponentModel()
        super().__init__(self._model, "Component correlations", WIDTHS, -1)
        self.acted.connect(self._tell)

    def show_found(self, correlations: ComponentCorrelations | None) -> None:
        """Show other correlations."""
        self._model.show_found(correlations)
        of_view = 128
        self._widths = (*WIDTHS, *(of_view for _ in self._model.heads[OTHER + 1 :]))
        self.menus = frozenset(range(STRONGEST, len(self._model.heads))) - {PC}
        others = correlations is not None and any(group.kind in ("latent", "column") for group in correlations.groups)
        self.setColumnHidden(OTHER, not others)
        self.fit_type()

    def figure(self) -> Figure:
        """The table for a file."""
        model = self._model
        columns = [k for k in range(len(model.heads)) if not self.isColumnHidden(k)]
        rows = tuple(tuple(model.cell(row, k) for k in columns) for row in range(model.n_rows()))
        return Figure("Component correlations", Table(tuple(model.heads[k] for k in columns), rows))

    def _tell(self, index: QModelIndex) -> None:
        match = self._model.found_at(index.row(), index.column())
        if match is not None and source_of(match):
            self.wanted.emit(source_of(match))


def source_of(match: Match) -> str:
    """The colouring by what a component goes along with; empty for a principal component."""
    if match.kind == "feature":
        return f"feature:{match.view}:{match.index}"
    return "" if match.kind == "pc" else f"{match.kind}:{match.name}"


def r_words(r: float) -> str:
    """A correlation without its leading zero, its sign before it."""
    return f"{r:+.2f}".replace("0.", ".", 1).replace("-", "−")
