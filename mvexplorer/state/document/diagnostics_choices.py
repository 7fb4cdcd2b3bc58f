"""The choices of the page “Diagnostics”: which figures, and what each of them is about."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from mvexplorer.state.document.frozen import Frozen

FigureId = Literal["spectrum", "kernel", "transition", "fourier", "metric", "roc", "graph"]
FIGURES: dict[FigureId, str] = {
    "spectrum": "Spectrum",
    "kernel": "Kernel",
    "transition": "Transition matrix",
    "fourier": "Fourier",
    "metric": "Metric",
    "roc": "ROC",
    "graph": "Graph",
}
"""The figures in the order of their list -> their names."""


class DiagnosticsChoices(Frozen):
    """The choices of the page “Diagnostics”."""

    figure: FigureId = "spectrum"
    beside: FigureId = "transition"
    """The figure chosen before, which stands beside the other where there is room for two."""
    times: Annotated[tuple[int, ...], Field(max_length=8)] = (1, 2, 4, 8)
    """The t at which λᵗ is drawn."""
    view: str = ""
    """The view whose matrix and graph are shown; empty for the method's own operator."""
    matrix: Literal["affinities", "distances"] = "affinities"
    """The matrix in the figure Kernel."""
    order: str = "labels"
    """How samples are ordered in a matrix: a colouring's source, ``coordinate`` for the panel's first, or nothing."""
    component: Annotated[int, Field(ge=1)] = 1
    time: str = ""
    """The time of a component's frequencies: a column or a hidden variable; empty for the order of the samples."""
    marks: Annotated[tuple[float, ...], Field(max_length=24)] = ()
    """Frequencies that are marked; none for those of the hidden variables."""
    metric: Literal["pairs", "sample", "mean"] = "pairs"

    @field_validator("times")
    @classmethod
    def _are_times(cls, times: tuple[int, ...]) -> tuple[int, ...]:
        longest = 10_000
        if not times or not all(1 <= t <= longest for t in times):
            raise ValueError("times are whole numbers above 0")
        return tuple(sorted(set(times)))

    @field_validator("marks")
    @classmethod
    def _are_frequencies(cls, marks: tuple[float, ...]) -> tuple[float, ...]:
        if not all(0.0 < mark < float("inf") for mark in marks):
            raise ValueError("frequencies are numbers above 0")
        return tuple(sorted(set(marks)))
