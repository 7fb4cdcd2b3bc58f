"""Numbers as the window writes them: three significant digits, a true minus, scientific only when needed."""

from __future__ import annotations

from mvexplorer.engine.metrics import Score
from mvexplorer.wording import fraction as fraction
from mvexplorer.wording import number as number
from mvexplorer.wording import size as size


def editable(value: float) -> str:
    """`value` for a field, with four significant digits and no zeros behind them; powers of ten as `number` has them.

    A value in a field and the same one beside it then read alike; `as_typed` reads either.
    """
    rounded = float(f"{value:.4g}")
    if rounded and not 1e-4 <= abs(rounded) < 1e5:
        return number(value)
    return f"{rounded:.0f}" if abs(rounded) >= 1e3 else f"{rounded:g}"


def factor(value: float) -> str:
    """A factor on ε for a field or beside one, with three significant digits."""
    return editable(float(f"{value:.3g}"))


def score(measured: Score) -> str:
    """A score between 0 and 1 without its leading zero, with its spread."""
    text = fraction(measured.value)
    return text if measured.spread is None else f"{text} ±{fraction(measured.spread)}"


def duration(seconds: float) -> str:
    """A time a computation took."""
    return f"{seconds * 1e3:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
