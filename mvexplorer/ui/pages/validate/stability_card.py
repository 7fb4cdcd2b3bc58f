"""Stability: does the picture stay where samples are left out, noise is added, or a view is dropped?"""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from mvexplorer.state.batches.check_words import KINDS, moved_words, nmi_spreads, overlay_words, stability_words
from mvexplorer.state.batches.checks import Checks, Found
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.ui.pages.check_card import CheckCard, ChoiceBox
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, sentence, tip

ABOUT = (
    "The picture is recomputed at the same ε, ten times on random 80 % of the samples, with noise, or without each "
    "view; or at .7 and 1.3 times every ε. It is laid onto the whole: how far samples move is drawn onto the picture."
)


class StabilityCard(CheckCard):
    """One number, the two spreads of NMI, and what lies on the picture."""

    def __init__(self, editor: Editor, checks: Checks) -> None:
        self._editor, self._checks = editor, checks
        self._panel, self._found = "", checks.of("")
        self.kind = ChoiceBox("What is changed", {kind: words for kind, (words, _) in KINDS.items()}, 132)
        overlays = {"off": "No marks", "ghosts": "Ghosts", "ellipses": "Ellipses"}
        self.overlay = ChoiceBox("What lies on the pictures", overlays, 132)
        self.run = QPushButton()
        body = QWidget()
        column = spaced(QVBoxLayout(body), 0, 0, 0, 0, spacing=2)
        self.number, self.lines = Label(), Label()
        self.number.setProperty("role", "headline")
        self.lines.setWordWrap(True)
        self.colour = QPushButton("Colour by spread")
        self.colour.setToolTip("Colour every sample by how far it moves")
        column.addWidget(self.number)
        column.addWidget(self.lines)
        row = QHBoxLayout()
        column.addLayout(row)
        row.addWidget(self.colour)
        row.addStretch(1)
        column.addStretch(1)
        super().__init__("", ABOUT, (self.kind, self.overlay, self.run), body, 320)
        self.kind.activated.connect(lambda _: editor.choose_checks(kind=self.kind.value))
        self.overlay.activated.connect(lambda _: editor.choose_checks(overlay=self.overlay.value))
        self.run.clicked.connect(self.click)
        self.colour.clicked.connect(lambda: editor.colour_by(f"spread:{self._panel}"))

    def show_panel(self, panel: PanelState, result: PanelResult, reason: str) -> None:
        """Show a panel's answers; `reason` says why it cannot be computed anew."""
        self._panel, choices = panel.id, self._editor.state.checks
        checks = self._found = self._checks.of(panel.id)
        self.kind.show_value(choices.kind)
        self.overlay.show_value(choices.overlay)
        for box in (self.kind, self.overlay):
            box.setEnabled(not reason)
        self.run.setText("Stop" if self._running else "Run again" if choices.kind in checks.stability else "Run")
        self.run.setEnabled(self._running or not reason)
        self.run.setToolTip("Stop; what is found so far stays" if self._running else tip(ABOUT))
        self._show_found(checks, result, reason or checks.problem)

    @property
    def _running(self) -> bool:
        """True if the chosen kind of stability runs, whatever else does."""
        return self._editor.state.checks.kind in self._found.computing

    def _show_found(self, checks: Found, result: PanelResult, problem: str) -> None:
        choices = self._editor.state.checks
        stability = checks.stability.get(choices.kind)
        if stability is None:
            running = f"Computing … {checks.done} of {checks.total} runs." if self._running else ""
            self.show_empty(problem or running or KINDS[choices.kind][1])
            return
        # The panel's own score is of its present picture: it does not stand beside a former one's.
        nmi = result.scores.nmi if result.scores is not None and checks.present else None
        self.number.setText(moved_words(stability))
        self.number.setToolTip(tip(stability_words(stability)))
        self.lines.setText(sentence("\n".join(nmi_spreads(stability, nmi))))
        drawn = overlay_words(stability, choices.overlay)
        self.show_answer(" ".join(text for text in (problem, drawn) if text), outdated=checks.outdated)

    def ask(self) -> None:
        """Run, unless it runs."""
        if self.run.isEnabled() and not self._running:
            self.click()

    def click(self) -> None:
        """Run, or stop."""
        if self._running:
            self._checks.stop(self._panel)
        else:
            kind = self._editor.state.checks.kind
            self._editor.attempt(lambda: self._checks.stability(self._panel, kind))
