"""The figure of eigenvalues over a range of one parameter."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.api.spectrum import EPSILON_SCALE, ETA, SpectrumOver
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.spectral.reduced import CERTAIN_VALUE
from mvexplorer.figures import Curves, Figure, LabelledLine, Series, Style
from mvexplorer.state.pictures.drawing import subscript
from mvexplorer.wording import number

DASHED = 12
"""Looks so many places apart have one colour, and the latter is dashed."""


def spectrum_figure(over: SpectrumOver, *, panel: str = "") -> Figure:
    """The eigenvalues that are not trivial against the parameter, dashed where they are not certified.

    The largest gap is shaded, as far as the same two eigenvalues have the largest one between them. `panel` names what
    they are of, where it is not the method alone.
    """
    kind, _, view = over.parameter.partition(":")
    letter = {ETA: "η", "weight": "ω"}.get(kind, "ε")
    words, marks, findings = list[str](), list[LabelledLine](), {}
    after, sizes = over.gaps
    widest = int(np.argmax(sizes))
    shaded = _run_around((after == after[widest]) & (sizes > 0.0), widest)
    series, doubtful = list[Series](), list[Series]()
    method, few = get_method(over.method), 40
    solved = method.pencil is None or method.pencil_if is not None  # at these places alone, with straight lines between
    style: Style = "points" if solved and len(over.values) <= few else "line"
    for k, values in enumerate(over.eigenvalues.T[over.first :], start=over.first):
        name, look, band = f"λ{subscript(k)}", (k - over.first) % DASHED, None
        if k == after[widest] and sizes[widest] > 0.0:
            ends = np.sort(over.eigenvalues[shaded, k : k + 2], axis=1)
            band = np.column_stack([over.values[shaded], ends])
        certain = np.where(over.certified, values, np.nan)
        series.append(Series(name, over.values, certain, style, look, band=band))
        uncertain = np.where(_with_neighbours(~over.certified), values, np.nan)
        doubtful.append(Series(name, over.values, uncertain, look=look + DASHED))
    if sizes[widest] > 0.0:
        size, value, k = float(sizes[widest]), float(over.values[widest]), int(after[widest])
        findings = {"gap": size, "gap_after": k, "gap_at": value}
        marks.append(LabelledLine(value, f"gap {number(size)} after λ{subscript(k)}", None))
        place = f"{letter} {'×' if over.parameter == EPSILON_SCALE else '='} {number(value)}"
        words.append(f"shaded: the largest gap, {number(size)} after λ{subscript(k)} at {place}")
    if not over.certified.all():
        words.append(f"dashed where an eigenvalue may be off by more than {number(CERTAIN_VALUE, 1)}")
        series += doubtful
    if over.chance is not None:
        words.append("grey: up to the largest that chance alone has")
        low = np.full(len(over.values), min(0.0, float(np.nanmin(over.eigenvalues))))
        strip = np.column_stack([over.values, low, over.chance])[np.isfinite(over.chance)]
        series.append(Series("chance", over.values, over.chance, faint=True, band=strip, best=False))
    slider = f"{letter} of {view}" if view else letter
    axis = "factor on all ε" if kind == EPSILON_SCALE else slider
    body = Curves(axis, "eigenvalue λ", tuple(series), tuple(marks), log_x=kind != ETA, from_least=True)
    title = f"Eigenvalues of {panel or get_method(over.method).title} over {slider}"
    return Figure(title, body, "; ".join(words), over.columns(), findings)


def _run_around(there: npt.NDArray[np.bool_], place: int) -> slice:
    """The places next to each other, with `place` among them, that are all there."""
    gone = np.flatnonzero(~there)
    before, behind = gone[gone < place], gone[gone > place]
    return slice(int(before[-1]) + 1 if len(before) else 0, int(behind[0]) if len(behind) else len(there))


def _with_neighbours(there: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """These places and the ones next to them, to which lines lead from there."""
    wider = there.copy()
    wider[1:] |= there[:-1]
    wider[:-1] |= there[1:]
    return wider
