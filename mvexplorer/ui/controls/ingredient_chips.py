"""A row of chips between the views and the parameters: what the walks are made of, for all panels or for one."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from mvexplorer.state.document.ingredients.shown import (
    KERNEL,
    METRIC,
    NAMES,
    IngredientChoice,
    ShownIngredient,
    choices_of,
    shown_ingredients,
)
from mvexplorer.state.document.model import DocumentState, PanelState
from mvexplorer.state.document.titles import bare_title, panel_title
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.ui.controls.treatment_menu import add_choice
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Name, NameButton, line, tip

ABOUT = {
    METRIC: "Metric: what distances between samples are taken by",
    KERNEL: "Kernel: what distances become affinities by",
    "self_loops": "Steps that stay: whether a step may end where it began",
    "normalisation": "Normalisation: how affinities become a walk",
    "unit_rows": "Rows: the length of each sample's coordinates",
}
ALL_PANELS = "all panels"


class IngredientChips(QWidget):
    """Folded a line that names what is not the paper's; unfolded a flat button for each ingredient with its value."""

    def __init__(self, editor: Editor, controller: Controller) -> None:
        super().__init__()
        self._editor, self._controller = editor, controller
        self._state = DocumentState()
        self._n_samples = 0
        self._own = False
        """Whether choices are for the focused panel alone."""
        self.unfolded = True
        self.chips: dict[str, NameButton] = {}
        self._column = spaced(QVBoxLayout(self), 12, 3, 12, 2, spacing=0)
        self._make_head(self._column)
        self._lines = [self._make_line(names) for names in (NAMES[:3], NAMES[3:])]
        for each in self._lines:
            self._column.addWidget(each)
        self.unfold(False)

    def _make_head(self, column: QVBoxLayout) -> None:
        head = QHBoxLayout()
        column.addLayout(head)
        head.setSpacing(2)
        self.title = QToolButton()
        self.title.setObjectName("fold")
        self.title.setText("Ingredients")
        self.title.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.title.setToolTip(tip("What the walks are made of: choices in colour are not the papers'."))
        self.title.setAccessibleName("Show each ingredient")
        self.title.clicked.connect(lambda: self.unfold(not self.unfolded))
        self.summary = Name(role="muted")
        self.paper = QToolButton()
        self.paper.setText("as in the paper")
        self.paper.setProperty("role", "small")
        self.paper.clicked.connect(self.take_papers)
        self.scope = self._small("Whether choices are for all panels or for the focused one")
        self.scope.clicked.connect(self._choose_scope)
        head.addWidget(self.title)
        head.addWidget(self.summary)
        head.addStretch(1)
        head.addWidget(self.paper)
        head.addWidget(self.scope)

    def _make_line(self, names: tuple[str, ...]) -> QWidget:
        whole = QWidget()
        row = spaced(QHBoxLayout(whole), 0, 0, 0, 0, spacing=2)
        for name in names:
            chip = self.chips[name] = self._small(ABOUT[name])
            chip.clicked.connect(partial(self._open, name))
            row.addWidget(chip)
        row.addStretch(1)
        return whole

    @staticmethod
    def _small(about: str) -> NameButton:
        button = NameButton()
        button.setProperty("role", "small")
        button.setToolTip(tip(about))
        button.setStyleSheet("NameButton { padding: 0px 2px; }")
        return button

    @property
    def panel(self) -> PanelState | None:
        """The panel that choices are for; None: all."""
        return self._focused if self._own else None

    @property
    def _focused(self) -> PanelState | None:
        return self._state.find_panel(self._controller.focused or "")

    def choose_panel_alone(self, alone: bool) -> None:
        """Let choices be for the focused panel alone, or for all."""
        self._own = alone
        self.show_state(self._state, self._n_samples)

    def choose(self, choice: IngredientChoice) -> None:
        """Make a choice, for all panels or for the focused one."""
        panel = self.panel
        self._editor.choose_ingredient(choice.ingredient, choice.value, None if panel is None else panel.id)

    def take_papers(self) -> None:
        """Choose the papers' ingredients."""
        panel = self.panel
        self._editor.take_papers_ingredients(None if panel is None else panel.id)

    def follow_focus(self) -> None:
        """Show the ingredients of the panel that is focused now, where they are those of one panel."""
        if self._own:
            self.show_state(self._state, self._n_samples)

    def show_state(self, state: DocumentState, n_samples: int) -> None:
        """Show the values of the state."""
        self._state, self._n_samples = state, n_samples
        panel = self.panel
        shown = shown_ingredients(state, panel)
        for each in shown:
            self._show_chip(each)
        differing = [each.words for each in shown if not each.as_in_paper]
        self.paper.setVisible(bool(differing) and self.unfolded)
        where = "all panels" if panel is None else panel_title(state, panel)
        self.paper.setToolTip(tip(f"The papers' metric, kernel, loops and rows in {where}"))
        self.paper.setAccessibleName(f"As in the paper, in {where}")
        self.summary.set_words(", ".join(differing) if differing else "as in the paper")
        self.summary.set_role("accent" if differing else "muted")
        self._word(self.scope, ALL_PANELS if panel is None else bare_title(state, panel), differs=panel is not None)
        self.scope.setToolTip(tip(f"Choices are for {where}."))
        self.scope.setAccessibleName(f"Ingredients of {where}")
        self.scope.setVisible(self.unfolded or panel is not None)
        self.setVisible(bool(state.views))

    def _show_chip(self, shown: ShownIngredient) -> None:
        chip = self.chips[shown.name]
        self._word(chip, shown.words, differs=not shown.as_in_paper)
        chip.setEnabled(shown.used)
        about = ABOUT[shown.name] if shown.used else f"{ABOUT[shown.name]}. No panel here takes another one."
        chip.setToolTip(tip(about))
        chip.setAccessibleName(f"{ABOUT[shown.name].partition(':')[0]}: {shown.words}")

    @staticmethod
    def _word(button: NameButton, words: str, *, differs: bool) -> None:
        button.set_words(words)
        if button.property("differs") != differs:
            button.setProperty("differs", differs)
            button.style().unpolish(button)
            button.style().polish(button)

    def unfold(self, unfolded: bool) -> None:
        """Show a chip for each ingredient, or name those that are not the paper's."""
        if unfolded == self.unfolded:
            return
        self.unfolded = unfolded
        self.title.setIcon(theme.icon("chevron-down" if unfolded else "chevron-right", "muted"))
        for each in self._lines:
            each.setVisible(unfolded)
        self.summary.setVisible(not unfolded)
        self.show_state(self._state, self._n_samples)

    # Menus ----------------------------------------------------------------------------------------------------

    def menu_of(self, name: str) -> QMenu:
        """The values of an ingredient, the present one ticked."""
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        shown = next(each for each in shown_ingredients(self._state, self.panel) if each.name == name)
        for choice in choices_of(name, self._n_samples, shown.value if name == KERNEL else None):
            chosen = shown.value == choice.value
            add_choice(menu, choice.label, chosen, partial(self.choose, choice)).setToolTip(tip(choice.about))
        return menu

    def scope_menu(self) -> QMenu:
        """For all panels, or for the focused one."""
        menu, focused = QMenu(self), self._focused
        add_choice(menu, "All panels", self.panel is None, partial(self.choose_panel_alone, False))
        words = "The focused panel" if focused is None else f"Only {line(bare_title(self._state, focused))}"
        one = add_choice(menu, words.replace("&", "&&"), self.panel is not None, partial(self.choose_panel_alone, True))
        one.setEnabled(focused is not None)
        return menu

    def _open(self, name: str) -> None:
        _drop(self.menu_of(name), self.chips[name])

    def _choose_scope(self) -> None:
        _drop(self.scope_menu(), self.scope)


def _drop(menu: QMenu, button: QWidget) -> None:
    """Open a menu under its button, and free it afterwards."""
    menu.setToolTipsVisible(True)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.popup(button.mapToGlobal(button.rect().bottomLeft()))
