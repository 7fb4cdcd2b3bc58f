"""The contribution of each view to the picture of the focused panel, and correlates of its components."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QScrollArea, QSplitter, QVBoxLayout, QWidget

from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.view_weights import NAME, weights_in_effect
from mvexplorer.figures import Figure, Table
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.titles import panel_title
from mvexplorer.state.questions.view_additions import COMPONENTS, NOTHING, Additions
from mvexplorer.ui.pages.page import Soon
from mvexplorer.ui.pages.views.commutator_pane import CommutatorPane, commutators_figure
from mvexplorer.ui.pages.views.component_table import ComponentTable
from mvexplorer.ui.pages.views.view_parts import CHANGE, HEADS, SCORE, ViewHeads, ViewPart, score_name, without_words
from mvexplorer.ui.pages.views.view_parts import NAME as NAME_COLUMN
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.style.palettes import point_colours
from mvexplorer.ui.widgets.long_column import LongColumn
from mvexplorer.ui.widgets.plain_text import Label, Name, tip

ABOUT = (
    "Each view is left out in turn, at the bandwidths of the whole: what the score loses, which neighbours change. "
    "Beside them, how far every two views are from commuting, and the correlations of each component: is ψ₁ just PC1?"
)


class ViewsPage(QWidget):
    """A row for each view of the focused panel, and a table of its components; computed on request."""

    id, title, place = "views", "Views", "compare"

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench, self._editor = workbench, workbench.editor
        self._additions = workbench.additions
        self._found = NOTHING
        self._last: str | None = None
        column = spaced(QVBoxLayout(self), 12, 6, 12, 6, spacing=4)
        self._make_top(column)
        self.nothing = Label(role="muted", wraps=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.addWidget(self.nothing, 1)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.setChildrenCollapsible(False)
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        inner = QWidget()
        within = spaced(QVBoxLayout(inner), 0, 0, 0, 0)
        self._heads = ViewHeads()
        self._list = LongColumn(self.area, self._make, spacing=4)
        for widget in (self._heads, self._list):
            within.addWidget(widget)
        within.addStretch(1)
        self.area.setWidget(inner)
        self.table = ComponentTable()
        self.table.wanted.connect(self._editor.colour_by)
        self.apart = CommutatorPane()
        for part in (self.area, self.apart, self.table):
            self.split.addWidget(part)
        self.split.setSizes([630, 310, 310])
        self.split.setStretchFactor(self.split.indexOf(self.table), 1)
        column.addWidget(self.split, 1)
        self.soon = Soon(self, milliseconds=100, do=self.refresh)
        self._additions.changed.connect(self._told)
        workbench.controller.panel_changed.connect(self._told)
        workbench.derived.changed.connect(self._told)
        self._editor.focus_changed.connect(self._told)

    def _make_top(self, column: QVBoxLayout) -> None:
        """Make the top line: the page's subject, whether the answer is still true, and the button."""
        top = QHBoxLayout()
        column.addLayout(top)
        top.setSpacing(8)
        self.about, self.state = Name(), Label()
        self.about.setStyleSheet("Name { font-weight: 600; }")
        self.state.setProperty("role", "muted")
        self.run = QPushButton("Leave each view out")
        self.run.setToolTip(tip(ABOUT))
        self.run.clicked.connect(self._run)
        top.addWidget(self.about, 1)
        top.addWidget(self.state)
        top.addWidget(self.run)

    def sizeHint(self) -> QSize:
        return QSize(720, 218)

    @property
    def parts(self) -> dict[str, ViewPart]:
        """The rows that are there, by view: of many views, those in sight."""
        return self._list.rows

    # What is shown ------------------------------------------------------------------------------------------

    @property
    def panel(self) -> str:
        """The panel of several views that was focused last, at first the leading one; empty where there is none."""
        shown = self._workbench.document.state.shown
        several = [panel.id for panel in shown if get_method(panel.method).max_views not in (0, 1)]
        wanted = self._editor.focused if self._editor.focused in several else self._last
        self._last = wanted if wanted in several else next(iter(several), "")
        return self._last

    def follow(self, change: Change) -> None:
        """Follow weights, colours, and panels."""
        self.soon.ask()

    def _told(self, _what: object = None) -> None:
        if self.isVisible():
            self.soon.ask()

    def apply_theme(self) -> None:
        """Draw the small pictures in the theme's colours."""
        self.table.fit_type()
        self.soon.start()

    def compute_all(self) -> None:
        """Leave each view of the focused panel out."""
        if self.panel and not self._additions.of(self.panel).running:
            self._additions.ask(self.panel)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Show what is known of the focused panel, or why there is nothing."""
        state, panel = self._workbench.document.state, self.panel
        obstacle = self._additions.obstacle(panel)
        additions = self._additions.of(panel)
        answered = additions is not NOTHING
        self.about.set_words("" if not panel else f"What each view adds to {panel_title(state, state.panel(panel))}")
        self.run.setVisible(answered or not obstacle)
        self.run.setEnabled(additions.running or not obstacle)
        self.run.setText("Stop" if additions.running else "Leave each view out" if not answered else "Compute again")
        self.state.setText(_state_words(additions))
        self.nothing.setVisible(not answered)
        self.nothing.setText(obstacle or ABOUT)
        self.split.setVisible(answered)
        if answered:
            self._show_views(additions)
            self.apart.show_found(additions)
            self.table.show_found(additions.correlations)

    def figures(self) -> tuple[Figure, ...]:
        """The rows of the views, and the table of the components, as tables."""
        found = self._additions.of(self.panel)
        if found is NOTHING:
            return ()
        title = self.about.accessibleName()
        head = (HEADS[NAME_COLUMN], HEADS[SCORE].format(score_name(found)), HEADS[CHANGE])
        rows = tuple((view, *without_words(found, view)) for view in found.views)
        parts = Figure(title, Table(head, rows), _state_words(found))
        each = (parts,) if found.correlations is None else (parts, self.table.figure())
        apart = commutators_figure(found)
        return each if apart is None else (*each, apart)

    def _show_views(self, additions: Additions) -> None:
        self._found = additions
        self._heads.score.setText(HEADS[SCORE].format(score_name(additions)))
        if self._list.names == additions.views:
            self._fill(*self._list.rows.values())
        else:
            self._list.show_names(additions.views, [theme.px(ViewPart.HEIGHT)] * len(additions.views))

    def _make(self, view: str) -> ViewPart:
        part = ViewPart(view, self._editor)
        part.wanted.connect(lambda view: self._editor.show_without(self.panel, view))
        self._fill(part)
        return part

    def _fill(self, *parts: ViewPart) -> None:
        """Show what is known in some rows."""
        document = self._workbench.document
        data, panel = document.data, document.state.find_panel(self.panel)
        if data is None or panel is None:
            return
        weighed = NAME in {p.name for p in get_method(panel.method).params} and NAME not in panel.pins
        weights = self._weights_by_volume()
        colouring = self._workbench.derived.resolve(document.state.colour)
        rgb = point_colours(colouring, data.n_samples, theme.current().name)
        for part in parts:
            view = document.state.find_view(part.view)
            weight = 1.0 if view is None else weights.get(part.view, view.view_weight)
            part.show_weight(weight, weighed and view is not None)
            part.show_found(self._found, rgb)

    def _weights_by_volume(self) -> dict[str, float]:
        """The weights of the panel's views where they follow from their volumes."""
        shown = self._workbench.controller.result(self.panel).result
        if shown is None or not self._workbench.document.state.equal_volume:
            return {}
        embedding = shown.embedding
        weights = weights_in_effect(embedding.params, embedding.info, embedding.views)
        return dict(zip(embedding.views, weights, strict=False))

    def _run(self) -> None:
        if self._additions.of(self.panel).running:
            self._additions.stop(self.panel)
        else:
            self._additions.ask(self.panel)


def _state_words(additions: Additions) -> str:
    """Tell whether more is to come, and whether what there is belongs to the picture on show."""
    if additions.running:
        all_of_them = len(additions.views) + 2
        return f"{all_of_them - len(additions.waiting)} of {all_of_them} computed"
    if additions.outdated:
        return "Of an earlier picture of this panel"
    if additions.problems:
        problem = additions.problems.get(COMPONENTS) or next(iter(additions.problems.values()))
        return problem if len(problem) < 90 else "Not everything could be computed: see the rows"
    if additions.correlations is not None and additions.correlations.notes:
        return " ".join(additions.correlations.notes)[:90]
    return "r: Spearman's rank correlation" if additions.correlations is not None else ""
