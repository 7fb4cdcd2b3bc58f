"""The searched lists of the window: samples to open, and panels to add."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QWidget

from mvexplorer.datasets.catalogue import samples
from mvexplorer.engine.methods import methods
from mvexplorer.state.document.titles import offered_panels
from mvexplorer.ui.widgets.picker import Pick, Picker
from mvexplorer.ui.window.behaviour import WindowBehaviour


def choose_sample(b: WindowBehaviour) -> None:
    """Offer the samples by what they show."""
    choices = [
        Pick(s.title, s.look or s.summary, partial(b.library.open_source, (s.id,)), words=f"{s.id} {s.summary}")
        for s in samples()
    ]
    hint = "Open a sample: type a name or what it shows …"
    Picker(choices, "Open sample", hint, b.window).open_at()


def choose_panel(b: WindowBehaviour, below: QWidget | None = None) -> None:
    """Offer a panel of each method, by families, and of each picture that came with the data."""
    choices = [
        Pick(title, m.summary, partial(b.add_panel, m.id, view), m.family or "Others", f"{m.id} {m.source}")
        for m in methods()
        for title, view in offered_panels(m, b.document.data)
    ]
    hint = "Add a panel: type a method, its family or what it does …"
    Picker(choices, "Add panel", hint, b.window).open_at(below)
