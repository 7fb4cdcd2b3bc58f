"""Numbers as the window writes them: three significant digits, a true minus, scientific only when needed."""

from __future__ import annotations

from mvexplorer.engine.metrics import Score
from mvexplorer.wording import fraction as fraction
from mvexplorer.wording import number as number
from mvexplorer.wording import size as size


def editable(value: float) -> str:
    """`value` as one would type it, with four significant digits; three if an exponent takes the room."""
    rounded = float(f"{value:.4g}")
    text = f"{rounded:.0f}" if 1e3 <= rounded < 1e7 else f"{rounded:g}"
    return f"{value:.3g}" if "e" in text else text


def score(measured: Score) -> str:
    """A score between 0 and 1 without its leading zero, with its spread."""
    text = fraction(measured.value)
    return text if measured.spread is None else f"{text} ±{fraction(measured.spread)}"


def duration(seconds: float) -> str:
    """A time a computation took."""
    return f"{seconds * 1e3:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
