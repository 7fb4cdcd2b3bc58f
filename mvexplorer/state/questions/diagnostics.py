"""The figures of the page “Diagnostics”, and the jobs that compute them.

Lives on the document's thread and needs no Qt. A figure is asked for when somebody looks at it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from psygnal import Signal

from mvexplorer.errors import ComputeError, MVExplorerError
from mvexplorer.state.colourings.deriving import Ground, settled
from mvexplorer.state.document.diagnostics_choices import FIGURES
from mvexplorer.state.questions.diagnostics_figures import WANTED, DiagnosedPanel, Wanted

if TYPE_CHECKING:
    from mvexplorer.compute.run.scheduler import Outcome
    from mvexplorer.state.colourings.derived import Derived
    from mvexplorer.state.document.diagnostics_choices import FigureId
    from mvexplorer.state.document.document import Change
    from mvexplorer.state.document.model import PanelState
    from mvexplorer.state.pictures.controller import Controller
    from mvexplorer.state.pictures.editor import Editor
    from mvexplorer.state.questions.figure import Figure

SLOT = "diagnostics:"


@dataclass(frozen=True, eq=False)
class _Known:
    """A figure, or why there is none, and what it comes from."""

    basis: tuple[Any, ...]
    figure: Figure | None
    problem: str = ""


class Diagnostics:
    """Figures about the panel in focus; `derived` resolves the colourings that samples are ordered by."""

    changed = Signal()
    """A figure is another one, or out of date."""

    def __init__(self, controller: Controller, editor: Editor, derived: Derived) -> None:
        self._controller, self._document = controller, controller.document
        self._editor, self._derived = editor, derived
        self._known: dict[str, _Known] = {}
        self._pending: dict[str, tuple[Any, ...]] = {}
        controller.cancelled.connect(self._stopped)
        self._document.changed.connect(self._document_changed)

    @property
    def panel(self) -> PanelState | None:
        """The panel that the figures are about: that in focus, else the first one."""
        state = self._document.state
        return state.find_panel(self._editor.focused or "") or next(iter(state.shown), None)

    def figure(self, id: FigureId) -> Figure | None:
        """A figure of the panel in focus; while it is computed anew the former one, or None."""
        wanted, answer = self._wanted(id), self._known.get(id)
        if wanted is not None and (answer is None or not _same(answer.basis, wanted.basis)):
            self._submit(id, wanted)
            answer = self._known.get(id)
        panel, data = self.panel, self._document.data
        if answer is None or panel is None or data is None or answer.basis[:2] != (panel.id, data.n_samples):
            return None
        return answer.figure

    def problem(self, id: FigureId) -> str:
        """Why a figure is not there, in a sentence or two; empty where it is there or on its way."""
        panel, data = self.panel, self._document.data
        if panel is None or data is None:
            return "Open data and show a panel: these figures tell how its picture came about."
        result = self._controller.result(panel.id)
        if result.status == "failed" and result.error is not None:
            return f"This panel has no picture. {result.error}"
        wanted = self._wanted(id)
        answer = self._known.get(id)
        if wanted is None or answer is None or not _same(answer.basis, wanted.basis):
            return ""
        return answer.problem

    def waits(self, id: FigureId) -> bool:
        """Whether the figure is being computed, or its panel is."""
        panel = self.panel
        return id in self._pending or (panel is not None and self._controller.result(panel.id).status == "computing")

    # What is asked ------------------------------------------------------------------------------------------

    def _wanted(self, id: FigureId) -> Wanted | None:
        """The figure as it is to be computed now; None while its panel has no answer."""
        panel, data = self.panel, self._document.data
        if panel is None or data is None or not settled(self._controller.result(panel.id)):
            return None
        ground = Ground(self._document.state, data, self._controller.result)
        result = ground.shown(panel.id)
        if result is None:
            return None
        shown = DiagnosedPanel(ground, panel, result, self._derived.resolve, self._controller.background.memory)
        basis = (panel.id, data.n_samples, result)
        try:
            wanted = WANTED[id](shown)
        except MVExplorerError as error:
            return Wanted((*basis, str(error)), problem=str(error))
        return Wanted((*basis, *wanted.basis), wanted.job, wanted.figure, wanted.cost, wanted.problem)

    def _submit(self, id: str, wanted: Wanted) -> None:
        if id in self._pending and _same(self._pending[id], wanted.basis):
            return
        if wanted.job is None:
            figure = None if wanted.problem else wanted.figure(None)
            self._known[id] = _Known(wanted.basis, figure, wanted.problem)
            if self._pending.pop(id, None) is not None:
                self._controller.background.cancel(SLOT + id)
            return
        self._pending[id] = wanted.basis

        def arrived(outcome: Outcome) -> None:
            self._pending.pop(id, None)
            figure = None if outcome.error is not None else wanted.figure(outcome.value)
            problem = "" if outcome.error is None else str(outcome.error)
            self._known[id] = _Known(wanted.basis, figure, problem)
            self.changed.emit()

        title = FIGURES[id]  # type: ignore[index]
        self._controller.background.submit(SLOT + id, wanted.job, arrived, title=f"{title}, a figure", cost=wanted.cost)

    # Following the document -----------------------------------------------------------------------------------

    def _stopped(self, slot: str) -> None:
        id = slot.removeprefix(SLOT)
        if slot.startswith(SLOT) and id in self._pending:
            error = ComputeError("It was stopped.", "It is computed again when the panel or a choice changes.")
            self._known[id] = _Known(self._pending.pop(id), None, str(error))
            self.changed.emit()

    def _document_changed(self, change: Change) -> None:
        if change.data_changed:  # their jobs were cancelled
            self._pending.clear()
            self._known.clear()


def _same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether two figures come from the same: results and arrays by identity, choices by value."""
    plain = (bool, int, float, str, tuple, type(None))
    return len(one) == len(other) and all(
        a is b or (isinstance(a, plain) and isinstance(b, plain) and a == b) for a, b in zip(one, other, strict=True)
    )
