"""The figures of the page “Diagnostics”, and the jobs that compute them.

Lives on the document's thread and needs no Qt. A figure is asked for when somebody looks at it.
"""

from __future__ import annotations

from mvexplorer.figures import Figure
from mvexplorer.state.colourings.derived import Derived
from mvexplorer.state.colourings.deriving import Ground, settled
from mvexplorer.state.document.diagnostics_choices import FigureId
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.pictures.answers import Answers, Question
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.questions.diagnostics_figures import DiagnosedPanel, figure_question


class Diagnostics:
    """Figures about the panel in focus; `derived` resolves the colourings that samples are ordered by."""

    def __init__(self, controller: Controller, editor: Editor, derived: Derived) -> None:
        self._controller, self._document = controller, controller.document
        self._editor, self._derived = editor, derived
        self._answers = Answers(
            controller, stopped=("It was stopped.", "It is computed again when the panel or a choice changes.")
        )
        self.changed = self._answers.changed

    @property
    def panel(self) -> PanelState | None:
        """The panel that the figures are about: that in focus, else the first one."""
        state = self._document.state
        return state.find_panel(self._editor.focused or "") or next(iter(state.shown), None)

    def figure(self, id: FigureId) -> Figure | None:
        """A figure of the panel in focus; while it is computed anew the former one, or None."""
        if (question := self._question(id)) is not None:
            self._answers.ask(question)
        answer, panel, data = self._answers.of(id), self.panel, self._document.data
        if answer is None or panel is None or data is None or answer.basis[:2] != (panel.id, data.n_samples):
            return None
        figure: Figure | None = answer.value
        return figure

    def problem(self, id: FigureId) -> str:
        """Why a figure is not there, in a sentence or two; empty where it is there or on its way."""
        panel, data = self.panel, self._document.data
        if panel is None or data is None:
            return "Open data and show a panel to see how its picture is computed."
        result = self._controller.result(panel.id)
        if result.status == "failed" and result.error is not None:
            return f"This panel has no picture. {result.error}"
        question = self._question(id)
        answer = None if question is None else self._answers.current(id, question.basis)
        return "" if answer is None or answer.error is None else str(answer.error)

    def waits(self, id: FigureId) -> bool:
        """Whether the figure is being computed, or its panel is."""
        panel = self.panel
        return self._answers.waits(id) or (
            panel is not None and self._controller.result(panel.id).status == "computing"
        )

    @property
    def shown(self) -> DiagnosedPanel | None:
        """The picture that questions are about; None while its panel has no answer."""
        panel, data = self.panel, self._document.data
        if panel is None or data is None or not settled(self._controller.result(panel.id)):
            return None
        ground = Ground(self._document.state, data, self._controller.result)
        result = ground.shown(panel.id)
        if result is None:
            return None
        return DiagnosedPanel(ground, panel, result, self._derived.resolve, self._controller.background.memory)

    def _question(self, id: FigureId) -> Question | None:
        """The figure as it is to be computed now."""
        shown = self.shown
        return None if shown is None else figure_question(id, shown)
